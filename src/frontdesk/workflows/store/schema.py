"""The tables of workflows, and the migrations that made them (see `storage.schema`)."""

from frontdesk.storage.schema import SchemaPart

_STORE_5 = """
CREATE TABLE workflow_documents (workflow_id TEXT PRIMARY KEY, facts TEXT NOT NULL, digest TEXT NOT NULL,
    read_at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE workflow_texts (workflow_id TEXT PRIMARY KEY, raw TEXT NOT NULL);
"""

_OUTBOX_4 = """
CREATE TABLE workflow_bodies (
    change_id INTEGER PRIMARY KEY, body TEXT NOT NULL DEFAULT '', base TEXT, theirs TEXT
);
CREATE TABLE analytics_snapshots (
    snapshot_id INTEGER PRIMARY KEY AUTOINCREMENT, workflow_id TEXT NOT NULL, at REAL NOT NULL,
    cause TEXT NOT NULL, document TEXT NOT NULL, change_id INTEGER
);
CREATE INDEX snapshots_by_workflow ON analytics_snapshots (workflow_id, snapshot_id);
"""

SCHEMA = SchemaPart(
    store={5: [_STORE_5]},
    outbox={4: [_OUTBOX_4]},
    salvaged={"workflow_bodies": "change_id", "analytics_snapshots": "snapshot_id"},
)
