ALTER TABLE campaigns ADD COLUMN workflow TEXT;
CREATE TABLE executions(id INTEGER PRIMARY KEY, account TEXT, line TEXT, customer TEXT, begun_at INTEGER,
    due_at REAL, state TEXT);
CREATE UNIQUE INDEX executions_by_conversation ON executions(account, line, customer);
CREATE INDEX executions_due ON executions(due_at);
CREATE TABLE heard(id INTEGER PRIMARY KEY, at INTEGER, account TEXT, line TEXT, customer TEXT, kind TEXT,
    text TEXT, payload TEXT);
CREATE INDEX heard_at ON heard(at);
CREATE TABLE run_counts(account TEXT, workflow TEXT, kind TEXT, about TEXT, target TEXT, count INTEGER,
    PRIMARY KEY(account, workflow, kind, about, target)) WITHOUT ROWID;
