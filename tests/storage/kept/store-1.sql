PRAGMA application_id = 1180988276;
PRAGMA user_version = 1;
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE tasks (
    task_id TEXT PRIMARY KEY,
    raw TEXT NOT NULL,
    line_id TEXT, conversation_id TEXT, customer_id TEXT, customer_name TEXT NOT NULL, platform TEXT NOT NULL,
    title TEXT NOT NULL, body TEXT NOT NULL, status TEXT NOT NULL, due_at REAL, assigned TEXT NOT NULL,
    unread INTEGER NOT NULL, created_at REAL, updated_at REAL,
    pending TEXT NOT NULL,
    sweep INTEGER NOT NULL, missed INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE conversations (
    rowid INTEGER PRIMARY KEY,
    conversation_id TEXT NOT NULL UNIQUE,
    line_id TEXT, customer_id TEXT, name TEXT NOT NULL DEFAULT '', number TEXT NOT NULL DEFAULT '',
    platform TEXT NOT NULL DEFAULT '',
    preview TEXT NOT NULL DEFAULT '', preview_direction TEXT NOT NULL DEFAULT '',
    preview_status TEXT NOT NULL DEFAULT '', preview_initiator TEXT NOT NULL DEFAULT '',
    active_at REAL, waiting_since REAL, last_incoming_at REAL, unread INTEGER NOT NULL DEFAULT 0,
    open_tasks INTEGER NOT NULL DEFAULT 0, due_at REAL, assigned TEXT NOT NULL DEFAULT '[]',
    pending INTEGER NOT NULL DEFAULT 0,
    task_active_at REAL, thread_read_at REAL, thread_active_at REAL
);
CREATE TABLE messages (
    rowid INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL, created_at NUMERIC NOT NULL, message_id TEXT NOT NULL, raw TEXT NOT NULL
);
CREATE TABLE segments (
    conversation INTEGER NOT NULL,
    newest_at NUMERIC NOT NULL, newest_id TEXT NOT NULL, oldest_at NUMERIC NOT NULL, oldest_id TEXT NOT NULL,
    complete INTEGER NOT NULL
);
CREATE TABLE campaigns (
    campaign_id TEXT PRIMARY KEY, raw TEXT NOT NULL, read_at REAL, problem TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE TABLE samples (campaign_id TEXT NOT NULL, at REAL NOT NULL, counters TEXT NOT NULL,
    PRIMARY KEY (campaign_id, at)) WITHOUT ROWID;
CREATE TABLE documents (kind TEXT NOT NULL, document_id TEXT NOT NULL, name TEXT NOT NULL, raw TEXT NOT NULL,
    place INTEGER NOT NULL, PRIMARY KEY (kind, document_id)) WITHOUT ROWID;
CREATE TABLE broken (kind TEXT NOT NULL, digest TEXT NOT NULL, raw TEXT NOT NULL, reason TEXT NOT NULL,
    at REAL NOT NULL, PRIMARY KEY (kind, digest)) WITHOUT ROWID;
CREATE TABLE feed (seq INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, id TEXT NOT NULL);
CREATE TABLE health (one INTEGER PRIMARY KEY CHECK (one = 1), state TEXT NOT NULL, reason TEXT NOT NULL,
    since REAL NOT NULL, fresh_at REAL, retry_at REAL);
CREATE TABLE looking (process TEXT PRIMARY KEY, at REAL NOT NULL, what TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE asks (ask_id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, target TEXT NOT NULL,
    asked_at REAL NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '');
CREATE INDEX tasks_by_status ON tasks (status, due_at, task_id);
CREATE INDEX tasks_by_conversation ON tasks (conversation_id);
CREATE INDEX conversations_by_activity ON conversations (active_at DESC, conversation_id);
CREATE INDEX conversations_by_waiting ON conversations (waiting_since, conversation_id)
    WHERE waiting_since IS NOT NULL;
CREATE UNIQUE INDEX messages_by_key ON messages (conversation, created_at, message_id);
CREATE UNIQUE INDEX messages_by_id ON messages (conversation, message_id);
CREATE INDEX segments_by_conversation ON segments (conversation);
INSERT INTO broken (kind, digest, raw, reason, at) VALUES ('task', 'x', '[1]', 'expected an object, got list', 57.0);
INSERT INTO campaigns (campaign_id, raw, read_at, problem) VALUES ('c1', '{"id":"c1","name":"Spring","sentCount":2,"status":"inProgress","totalRecipients":5}', 55.0, '');
INSERT INTO conversations (rowid, conversation_id, line_id, customer_id, name, number, platform, preview, preview_direction, preview_status, preview_initiator, active_at, waiting_since, last_incoming_at, unread, open_tasks, due_at, assigned, pending, task_active_at, thread_read_at, thread_active_at) VALUES (1, 'L1#C1', 'L1', 'C1', 'Customer 1', '', '', 'words 20', 'incoming', '', '', 30.0, 20.0, 20.0, 0, 1, NULL, '[]', 1, 0.0, 50.0, 30.0);
INSERT INTO conversations (rowid, conversation_id, line_id, customer_id, name, number, platform, preview, preview_direction, preview_status, preview_initiator, active_at, waiting_since, last_incoming_at, unread, open_tasks, due_at, assigned, pending, task_active_at, thread_read_at, thread_active_at) VALUES (2, 'L1#C2', 'L1', 'C2', 'Customer 2', '', '', 'words 2', 'incoming', '', '', 1700000000.1235, 1700000000.1235, 1700000000.1235, 1, 0, NULL, '[]', 1, 0.0, 52.0, 1700000000.1235);
INSERT INTO conversations (rowid, conversation_id, line_id, customer_id, name, number, platform, preview, preview_direction, preview_status, preview_initiator, active_at, waiting_since, last_incoming_at, unread, open_tasks, due_at, assigned, pending, task_active_at, thread_read_at, thread_active_at) VALUES (3, 'L1#C3', 'L1', 'C3', 'Customer 3', '', '', 'words 40', 'outgoing', '', 'person', 40.0, NULL, 39.0, 0, 2, 1700000900.0, '["noa"]', 0, 0.0, 52.0, 40.0);
INSERT INTO documents (kind, document_id, name, raw, place) VALUES ('workflow', 'w1', 'Welcome', '{"id":"w1","name":"Welcome"}', 0);
INSERT INTO documents (kind, document_id, name, raw, place) VALUES ('workflow', 'w2', '', '{"id":"w2"}', 1);
INSERT INTO feed (seq, kind, id) VALUES (1, 'conversation', 'L1#C1');
INSERT INTO feed (seq, kind, id) VALUES (2, 'conversation', 'L1#C1');
INSERT INTO feed (seq, kind, id) VALUES (3, 'conversation', 'L1#C2');
INSERT INTO feed (seq, kind, id) VALUES (4, 'conversation', 'L1#C2');
INSERT INTO feed (seq, kind, id) VALUES (5, 'conversation', 'L1#C3');
INSERT INTO feed (seq, kind, id) VALUES (6, 'conversation', 'L1#C3');
INSERT INTO feed (seq, kind, id) VALUES (7, 'task', 't1');
INSERT INTO feed (seq, kind, id) VALUES (8, 'task', 't2');
INSERT INTO feed (seq, kind, id) VALUES (9, 'task', 't3');
INSERT INTO feed (seq, kind, id) VALUES (10, 'conversation', 'L1#C3');
INSERT INTO feed (seq, kind, id) VALUES (11, 'conversation', 'L1#C3');
INSERT INTO feed (seq, kind, id) VALUES (12, 'task', 't4');
INSERT INTO feed (seq, kind, id) VALUES (13, 'thread', 'L1#C1');
INSERT INTO feed (seq, kind, id) VALUES (14, 'conversation', 'L1#C1');
INSERT INTO feed (seq, kind, id) VALUES (15, 'thread', 'L1#C1');
INSERT INTO feed (seq, kind, id) VALUES (16, 'thread', 'L1#C3');
INSERT INTO feed (seq, kind, id) VALUES (17, 'conversation', 'L1#C3');
INSERT INTO feed (seq, kind, id) VALUES (18, 'thread', 'L1#C2');
INSERT INTO feed (seq, kind, id) VALUES (19, 'conversation', 'L1#C2');
INSERT INTO feed (seq, kind, id) VALUES (20, 'conversation', 'L1#C1');
INSERT INTO feed (seq, kind, id) VALUES (21, 'campaign', 'c1');
INSERT INTO feed (seq, kind, id) VALUES (22, 'campaign', 'c1');
INSERT INTO feed (seq, kind, id) VALUES (23, 'document', 'workflow');
INSERT INTO feed (seq, kind, id) VALUES (24, 'change', '1');
INSERT INTO feed (seq, kind, id) VALUES (25, 'change', '2');
INSERT INTO feed (seq, kind, id) VALUES (26, 'change', '3');
INSERT INTO feed (seq, kind, id) VALUES (27, 'change', '3');
INSERT INTO feed (seq, kind, id) VALUES (28, 'change', '4');
INSERT INTO feed (seq, kind, id) VALUES (29, 'change', '4');
INSERT INTO feed (seq, kind, id) VALUES (30, 'conversation', 'L1#C1');
INSERT INTO feed (seq, kind, id) VALUES (31, 'conversation', 'L1#C1');
INSERT INTO feed (seq, kind, id) VALUES (32, 'task', 't1');
INSERT INTO feed (seq, kind, id) VALUES (33, 'conversation', 'L1#C2');
INSERT INTO feed (seq, kind, id) VALUES (34, 'conversation', 'L1#C2');
INSERT INTO feed (seq, kind, id) VALUES (35, 'task', 't2');
INSERT INTO feed (seq, kind, id) VALUES (36, 'conversation', 'L1#C3');
INSERT INTO feed (seq, kind, id) VALUES (37, 'conversation', 'L1#C3');
INSERT INTO feed (seq, kind, id) VALUES (38, 'task', 't3');
INSERT INTO feed (seq, kind, id) VALUES (39, 'health', 'live');
INSERT INTO health (one, state, reason, since, fresh_at, retry_at) VALUES (1, 'live', '', 40.0, 56.0, NULL);
INSERT INTO messages (rowid, conversation, created_at, message_id, raw) VALUES (1, 1, 30000, 'm00030', '{"createdAt":30000,"initiator":"person","message":"words 30","messageDirection":"outgoing","messageId":"m00030","type":"note"}');
INSERT INTO messages (rowid, conversation, created_at, message_id, raw) VALUES (2, 1, 20000, 'm00020', '{"createdAt":20000,"message":"words 20","messageDirection":"incoming","messageId":"m00020"}');
INSERT INTO messages (rowid, conversation, created_at, message_id, raw) VALUES (3, 1, 20000, 'm00020b', '{"createdAt":20000,"hasReaction":true,"message":"words 20","messageDirection":"incoming","messageId":"m00020b"}');
INSERT INTO messages (rowid, conversation, created_at, message_id, raw) VALUES (4, 1, 19000, 'm00019', '{"createdAt":19000,"initiator":"bot","message":"words 19","messageDirection":"outgoing","messageId":"m00019"}');
INSERT INTO messages (rowid, conversation, created_at, message_id, raw) VALUES (5, 1, 18000, 'm00018', '{"createdAt":18000,"initiator":"person","message":"an answer ''quoted''","messageDirection":"outgoing","messageId":"m00018"}');
INSERT INTO messages (rowid, conversation, created_at, message_id, raw) VALUES (6, 1, 17000, 'm00017', '{"createdAt":17000,"message":"words 17","messageDirection":"incoming","messageId":"m00017"}');
INSERT INTO messages (rowid, conversation, created_at, message_id, raw) VALUES (7, 1, 5000, 'm00005', '{"createdAt":5000,"message":"words 5","messageDirection":"incoming","messageId":"m00005","type":"deleted"}');
INSERT INTO messages (rowid, conversation, created_at, message_id, raw) VALUES (8, 1, 4000, 'm00004', '{"createdAt":4000,"message":"words 4","messageDirection":"incoming","messageId":"m00004"}');
INSERT INTO messages (rowid, conversation, created_at, message_id, raw) VALUES (9, 3, 40000, 'm00040', '{"createdAt":40000,"initiator":"person","message":"words 40","messageDirection":"outgoing","messageId":"m00040"}');
INSERT INTO messages (rowid, conversation, created_at, message_id, raw) VALUES (10, 3, 39000, 'm00039', '{"createdAt":39000,"message":"words 39","messageDirection":"incoming","messageId":"m00039"}');
INSERT INTO messages (rowid, conversation, created_at, message_id, raw) VALUES (11, 2, 0, 'm00001', '{"createdAt":0,"message":"words 1","messageDirection":"incoming","messageId":"m00001"}');
INSERT INTO messages (rowid, conversation, created_at, message_id, raw) VALUES (12, 2, 1700000000123.5, 'm00002', '{"createdAt":1700000000123.5,"message":"words 2","messageDirection":"incoming","messageId":"m00002"}');
INSERT INTO samples (campaign_id, at, counters) VALUES ('c1', 55.0, '[5.0, null, 2.0, null, null, null, null, null, null]');
INSERT INTO segments (conversation, newest_at, newest_id, oldest_at, oldest_id, complete) VALUES (1, 30000, 'm00030', 17000, 'm00017', 0);
INSERT INTO segments (conversation, newest_at, newest_id, oldest_at, oldest_id, complete) VALUES (1, 5000, 'm00005', 4000, 'm00004', 1);
INSERT INTO segments (conversation, newest_at, newest_id, oldest_at, oldest_id, complete) VALUES (3, 40000, 'm00040', 39000, 'm00039', 1);
INSERT INTO segments (conversation, newest_at, newest_id, oldest_at, oldest_id, complete) VALUES (2, 1700000000123.5, 'm00002', 0, 'm00001', 1);
DELETE FROM sqlite_sequence WHERE name = 'feed';
INSERT INTO sqlite_sequence (name, seq) VALUES ('feed', 39);
INSERT INTO tasks (task_id, raw, line_id, conversation_id, customer_id, customer_name, platform, title, body, status, due_at, assigned, unread, created_at, updated_at, pending, sweep, missed) VALUES ('t1', '{"assignedAgentIds":[],"customer":{"customerName":"Customer 1","phoneNumberId":"C1"},"participantsIdentifiers":"L1#C1","phoneNumberId":"L1","statusCase":"open","taskId":"t1","title":"Task 1","updatedAt":1700000001}', 'L1', 'L1#C1', 'C1', 'Customer 1', '', 'mine 0', '', 'open', NULL, '[]', 0, NULL, 1700000001.0, '["title"]', 4, 0);
INSERT INTO tasks (task_id, raw, line_id, conversation_id, customer_id, customer_name, platform, title, body, status, due_at, assigned, unread, created_at, updated_at, pending, sweep, missed) VALUES ('t2', '{"assignedAgentIds":[],"customer":{"customerName":"Customer 2","phoneNumberId":"C2"},"dueDate":1700000500,"participantsIdentifiers":"L1#C2","phoneNumberId":"L1","statusCase":"completed","taskId":"t2","title":"Task 2","updatedAt":1700000002}', 'L1', 'L1#C2', 'C2', 'Customer 2', '', 'mine 1', '', 'completed', 1700000500.0, '[]', 0, NULL, 1700000002.0, '["title"]', 4, 0);
INSERT INTO tasks (task_id, raw, line_id, conversation_id, customer_id, customer_name, platform, title, body, status, due_at, assigned, unread, created_at, updated_at, pending, sweep, missed) VALUES ('t3', '{"assignedAgentIds":["noa"],"customer":{"customerName":"Customer 3","phoneNumberId":"C3"},"dueDate":1700000900,"participantsIdentifiers":"L1#C3","phoneNumberId":"L1","statusCase":"open","taskId":"t3","title":"שלום ’ \n two lines","updatedAt":1700000003}', 'L1', 'L1#C3', 'C3', 'Customer 3', '', 'שלום ’ 
 two lines', '', 'open', 1700000900.0, '["noa"]', 0, NULL, 1700000003.0, '[]', 4, 0);
INSERT INTO tasks (task_id, raw, line_id, conversation_id, customer_id, customer_name, platform, title, body, status, due_at, assigned, unread, created_at, updated_at, pending, sweep, missed) VALUES ('t4', '{"assignedAgentIds":[],"customer":{"customerName":"Customer 4","phoneNumberId":"C4"},"participantsIdentifiers":"L1#C3","phoneNumberId":"L1","statusCase":"open","taskId":"t4","title":"Task 4","updatedAt":1700000004}', 'L1', 'L1#C3', 'C4', 'Customer 4', '', 'Task 4', '', 'open', NULL, '[]', 0, NULL, 1700000004.0, '[]', 3, 1);
