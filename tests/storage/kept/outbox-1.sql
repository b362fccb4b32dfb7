PRAGMA application_id = 1180987234;
PRAGMA user_version = 1;
CREATE TABLE changes (
    change_id INTEGER PRIMARY KEY AUTOINCREMENT,
    batch TEXT NOT NULL, kind TEXT NOT NULL, target TEXT NOT NULL,
    fields TEXT NOT NULL, base TEXT NOT NULL, label TEXT NOT NULL, state TEXT NOT NULL,
    made_at REAL NOT NULL, send_after REAL NOT NULL, sends INTEGER NOT NULL DEFAULT 0,
    sent_at REAL, settled_at REAL, reason TEXT NOT NULL DEFAULT '', theirs TEXT, undoes INTEGER,
    owner TEXT NOT NULL DEFAULT ''
);
CREATE TABLE kept (kind TEXT NOT NULL, id TEXT NOT NULL, value TEXT NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (kind, id)) WITHOUT ROWID;
CREATE INDEX changes_by_state ON changes (state, change_id);
CREATE INDEX changes_by_target ON changes (target, change_id);
INSERT INTO changes (change_id, batch, kind, target, fields, base, label, state, made_at, send_after, sends, sent_at, settled_at, reason, theirs, undoes, owner) VALUES (1, 'b0', 'task', 't1', '{"title": "mine 0"}', '{"title": "Task 0"}', 'Title: mine 0', 'queued', 60.0, 60.0, 0, NULL, NULL, '', NULL, NULL, '');
INSERT INTO changes (change_id, batch, kind, target, fields, base, label, state, made_at, send_after, sends, sent_at, settled_at, reason, theirs, undoes, owner) VALUES (2, 'b1', 'task', 't2', '{"title": "mine 1"}', '{"title": "Task 1"}', 'Title: mine 1', 'held', 61.0, 62.0, 0, NULL, NULL, '', NULL, NULL, '');
INSERT INTO changes (change_id, batch, kind, target, fields, base, label, state, made_at, send_after, sends, sent_at, settled_at, reason, theirs, undoes, owner) VALUES (3, 'b2', 'task', 't3', '{"title": "mine 2"}', '{"title": "Task 2"}', 'Title: mine 2', 'refused', 62.0, 62.0, 0, NULL, 70.0, 'no', NULL, NULL, '');
INSERT INTO changes (change_id, batch, kind, target, fields, base, label, state, made_at, send_after, sends, sent_at, settled_at, reason, theirs, undoes, owner) VALUES (4, 'b3', 'task', 't1', '{"title": "mine 3"}', '{"title": "Task 3"}', 'Title: mine 3', 'confirmed', 63.0, 63.0, 0, NULL, 70.0, '', NULL, NULL, '');
INSERT INTO kept (kind, id, value, at) VALUES ('read', 'L1#C1', '17500.0', 53.0);
INSERT INTO kept (kind, id, value, at) VALUES ('watched', 'c1', 'true', 54.0);
DELETE FROM sqlite_sequence WHERE name = 'changes';
INSERT INTO sqlite_sequence (name, seq) VALUES ('changes', 4);
