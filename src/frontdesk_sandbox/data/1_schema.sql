CREATE TABLE meta(key TEXT PRIMARY KEY, value ANY) WITHOUT ROWID;
CREATE TABLE lines(account TEXT, line TEXT, label TEXT, platform TEXT, per_second REAL, free_at REAL DEFAULT 0,
    PRIMARY KEY(account, line)) WITHOUT ROWID;
CREATE TABLE folders(account TEXT, folder TEXT, PRIMARY KEY(account, folder)) WITHOUT ROWID;
CREATE TABLE statuses(account TEXT, status TEXT, PRIMARY KEY(account, status)) WITHOUT ROWID;
CREATE TABLE tags(account TEXT, tag TEXT, PRIMARY KEY(account, tag)) WITHOUT ROWID;
CREATE TABLE conversations(account TEXT, line TEXT, customer TEXT, name TEXT, language TEXT,
    last_at NUMERIC, serial INTEGER, script INTEGER, step INTEGER, opted_out INTEGER DEFAULT 0,
    PRIMARY KEY(account, line, customer)) WITHOUT ROWID;
CREATE INDEX conversations_by_activity ON conversations(account, last_at) WHERE serial IS NOT NULL;
CREATE TABLE conversation_tags(account TEXT, tag TEXT, line TEXT, customer TEXT,
    PRIMARY KEY(account, tag, line, customer)) WITHOUT ROWID;
CREATE TABLE messages(id INTEGER PRIMARY KEY, account TEXT, line TEXT, customer TEXT,
    created_at NUMERIC, message_id TEXT, json TEXT);
CREATE INDEX messages_by_thread ON messages(account, line, customer, created_at, message_id);
CREATE UNIQUE INDEX messages_by_id ON messages(message_id, account);
CREATE TABLE tasks(account TEXT, task_id TEXT, line TEXT, conversation TEXT, updated_at NUMERIC,
    assigned TEXT, line_of TEXT, customer_of TEXT, json TEXT, PRIMARY KEY(account, task_id)) WITHOUT ROWID;
CREATE INDEX tasks_by_update ON tasks(account, updated_at DESC, task_id);
CREATE INDEX tasks_by_conversation ON tasks(account, line_of, customer_of);
CREATE TABLE workflows(account TEXT, id TEXT, position INTEGER, json TEXT, PRIMARY KEY(account, id));
CREATE TABLE campaigns(number INTEGER PRIMARY KEY, account TEXT, id TEXT, json TEXT, line TEXT,
    status TEXT, created INTEGER, due_at INTEGER, started_at INTEGER, ended_at INTEGER, failure_reason TEXT,
    modified INTEGER, dispatched_at REAL DEFAULT 0, settled_at INTEGER DEFAULT 0,
    total INTEGER DEFAULT 0, pending INTEGER DEFAULT 0, in_flight INTEGER DEFAULT 0, sent INTEGER DEFAULT 0,
    failed INTEGER DEFAULT 0, opted_out INTEGER DEFAULT 0, duplicate INTEGER DEFAULT 0,
    throttled INTEGER DEFAULT 0, delivered INTEGER DEFAULT 0, read INTEGER DEFAULT 0, text TEXT);
CREATE UNIQUE INDEX campaigns_by_id ON campaigns(account, id);
CREATE TABLE recipients(campaign INTEGER, position INTEGER, customer TEXT, name TEXT, bucket TEXT,
    delivered INTEGER DEFAULT 0, read INTEGER DEFAULT 0, replied INTEGER DEFAULT 0,
    dispatched_at REAL, due_at REAL, PRIMARY KEY(campaign, position)) WITHOUT ROWID;
CREATE INDEX recipients_due ON recipients(due_at) WHERE due_at IS NOT NULL;
CREATE INDEX recipients_pending ON recipients(campaign, position) WHERE bucket = 'pending';
CREATE TABLE ai_agents(account TEXT, position INTEGER, id TEXT, json TEXT, PRIMARY KEY(account, position))
    WITHOUT ROWID;
CREATE TABLE webhooks(account TEXT, id TEXT, json TEXT, PRIMARY KEY(account, id)) WITHOUT ROWID;
CREATE TABLE agenda(id INTEGER PRIMARY KEY, due_at REAL, about TEXT, kind TEXT, json TEXT);
CREATE INDEX agenda_due ON agenda(due_at);
CREATE INDEX agenda_about ON agenda(about);
