"""The tables of a profile's two files, and their migrations.

Each feature keeps its part, its `SCHEMA`, with its store. Migrations go forward only and run in one transaction
under the profile's lock. A released one is never changed and uses nothing that may change in the features.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import apsw

STORE_VERSION = 24
OUTBOX_VERSION = 8
STORE_APPLICATION_ID = 0x46_64_73_74
OUTBOX_APPLICATION_ID = 0x46_64_6F_62

FEATURE_SCHEMAS = (
    "frontdesk.inbox.store.schema",
    "frontdesk.tasks.store",
    "frontdesk.tasks.history",
    "frontdesk.metrics.store",
    "frontdesk.campaigns.store.schema",
    "frontdesk.workflows.store",
    "frontdesk.ai_agents.store",
    "frontdesk.service_clocks.store",
)
"""Modules of features' `SCHEMA`, by name: the core imports them only to create or migrate a file."""


class FromFolder(NamedTuple):
    """A migration step that also reads files of the profile's folder."""

    fill: Callable[[apsw.Connection, Path], object]


Migration = Callable[..., object]
Step = str | Callable[[apsw.Connection], object] | FromFolder
"""A migration step: SQL statements, or a function that fills tables from older rows."""


class SchemaPart(NamedTuple):
    """The tables of one feature, or of the core.

    Attributes:
        store: by version, the steps that migrate `store.db` from the version before.
        outbox: the same for `outbox.db`.
        salvaged: its outbox tables, each with the column that orders a damaged file's rows.
    """

    store: Mapping[int, Sequence[Step]] = MappingProxyType({})
    outbox: Mapping[int, Sequence[Step]] = MappingProxyType({})
    salvaged: Mapping[str, str] = MappingProxyType({})


class Schema(NamedTuple):
    """The schema of both files; a file's version is the number of its migrations."""

    store: tuple[Migration, ...]
    outbox: tuple[Migration, ...]
    salvaged: Mapping[str, str]


def load() -> Schema:
    """Join the parts of the core and of all features, version by version."""
    parts: list[SchemaPart] = [CORE, *(import_module(name).SCHEMA for name in FEATURE_SCHEMAS)]
    return Schema(
        store=_join([part.store for part in parts], STORE_VERSION),
        outbox=_join([part.outbox for part in parts], OUTBOX_VERSION),
        salvaged={table: key for part in parts for table, key in part.salvaged.items()},
    )


def _join(parts: Sequence[Mapping[int, Sequence[Step]]], newest: int) -> tuple[Migration, ...]:
    return tuple(
        _migration([step for part in parts for step in part.get(version, ())]) for version in range(1, newest + 1)
    )


def _migration(steps: Sequence[Step]) -> Migration:
    def migrate(db: apsw.Connection, folder: Path | None = None) -> None:
        for step in steps:
            if isinstance(step, str):
                db.execute(step)
            elif isinstance(step, FromFolder):
                step.fill(db, folder or Path(os.devnull))
            else:
                step(db)

    return migrate


_STORE_1 = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
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
"""

_STORE_2 = """
CREATE VIRTUAL TABLE message_words USING fts5 (said, content='', contentless_delete=1, prefix='2 3',
    tokenize="unicode61 remove_diacritics 0 categories 'L* N* M* Co So'");
CREATE VIRTUAL TABLE task_words USING fts5 (said, content='', contentless_delete=1, prefix='2 3',
    tokenize="unicode61 remove_diacritics 0 categories 'L* N* M* Co So'");
CREATE TABLE customer_names (number INTEGER PRIMARY KEY, folded TEXT NOT NULL);
CREATE TABLE unindexed (kind TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (kind, number)) WITHOUT ROWID;
DROP TABLE broken;
CREATE TABLE broken (kind TEXT NOT NULL, place TEXT NOT NULL, raw TEXT NOT NULL, reason TEXT NOT NULL,
    at REAL NOT NULL, PRIMARY KEY (kind, place)) WITHOUT ROWID;
ALTER TABLE health ADD COLUMN heard_at REAL;
UPDATE health SET heard_at = 0;
"""
"""Customers' names have no full-text index: people also search inside words (`full_text`)."""

_STORE_5 = """
CREATE TABLE listings (kind TEXT PRIMARY KEY, read_at REAL NOT NULL, has_more INTEGER NOT NULL,
    lacks TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
"""
"""The time of each list's fetch, whether more pages exist, and which items were missing."""

_STORE_9 = "ALTER TABLE health ADD COLUMN late TEXT NOT NULL DEFAULT '[]'"

_STORE_10 = "ALTER TABLE health ADD COLUMN campaign_reads TEXT NOT NULL DEFAULT '{}'"

_OUTBOX_1 = """
CREATE TABLE changes (
    change_id INTEGER PRIMARY KEY AUTOINCREMENT,
    batch TEXT NOT NULL, kind TEXT NOT NULL, target TEXT NOT NULL,
    fields TEXT NOT NULL, base TEXT NOT NULL, label TEXT NOT NULL, state TEXT NOT NULL,
    made_at REAL NOT NULL, send_after REAL NOT NULL, sends INTEGER NOT NULL DEFAULT 0,
    sent_at REAL, settled_at REAL, reason TEXT NOT NULL DEFAULT '', theirs TEXT, undoes INTEGER,
    owner TEXT NOT NULL DEFAULT ''
);
CREATE INDEX changes_by_state ON changes (state, change_id);
CREATE INDEX changes_by_target ON changes (target, change_id);
CREATE TABLE kept (kind TEXT NOT NULL, id TEXT NOT NULL, value TEXT NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (kind, id)) WITHOUT ROWID;
"""

_OUTBOX_2 = """
CREATE TABLE deeds (
    deed_id INTEGER PRIMARY KEY AUTOINCREMENT, label TEXT NOT NULL, batch TEXT NOT NULL,
    made_at REAL NOT NULL, state TEXT NOT NULL
);
CREATE INDEX changes_by_batch ON changes (batch);
CREATE INDEX changes_by_settling ON changes (settled_at) WHERE settled_at IS NOT NULL;
"""
"""Actions of a person, for undo and redo after a restart and in another process."""

_OUTBOX_5 = """
CREATE TABLE lease (one INTEGER PRIMARY KEY CHECK (one = 1), token INTEGER NOT NULL, owner TEXT NOT NULL,
    until REAL NOT NULL, has_file_lock INTEGER NOT NULL);
"""
"""The engine that polls and sends (`storage.lease`): beside the changes, so that a claim is checked atomically."""

CORE = SchemaPart(
    store={1: [_STORE_1], 2: [_STORE_2], 5: [_STORE_5], 9: [_STORE_9], 10: [_STORE_10]},
    outbox={1: [_OUTBOX_1], 2: [_OUTBOX_2], 5: [_OUTBOX_5]},
    salvaged={"changes": "change_id", "kept": "kind", "deeds": "deed_id"},
)
