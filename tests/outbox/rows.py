"""An outbox in memory and changes in it, without a store; imported by the tests of this folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import apsw

from frontdesk.outbox import queue
from frontdesk.storage import change_feed, schema
from frontdesk.storage.database_files import keep_plans
from frontdesk.storage.records import Change, ChangeKind, ChangeState, Event, Made

NOW = 1000.0


@contextmanager
def outbox_in_memory() -> Iterator[apsw.Connection]:
    """Open the tables of a new profile."""
    connection = apsw.Connection(":memory:")
    connection.execute("ATTACH ':memory:' AS outbox")
    for name, content in zip(("main", "outbox"), _new_files(), strict=True):
        connection.deserialize(name, content)
    keep_plans(connection)
    yield connection
    connection.close()


@cache
def _new_files() -> tuple[bytes, bytes]:
    store, outbox = apsw.Connection(":memory:"), apsw.Connection(":memory:")
    for migrate in schema.load().store:
        migrate(store)
    for migrate in schema.load().outbox:
        migrate(outbox)
    return store.serialize("main"), outbox.serialize("main")


def add(db: apsw.Connection, *, state: ChangeState | None = None, **values: Any) -> Change:
    """Add a change, with these values of its row."""
    plain: dict[str, Any] = {
        "batch": "b", "kind": ChangeKind.TASK, "target": "t1", "label": "Edit", "now": NOW,
        "fields": {"title": "new"}, "base": {"title": "old"},
    }  # fmt: skip
    columns = {
        name: values.pop(name) for name in ("sent_at", "settled_at", "sends", "send_after") if name in values
    }
    given = plain | values
    made = Made(**{name: given.pop(name) for name in Made._fields if name in given})
    change_id = queue.add(db, made, **given)
    if state is not None:
        columns["state"] = str(state)
    for name, value in columns.items():
        db.execute(f"UPDATE outbox.changes SET {name} = ? WHERE change_id = ?", (value, change_id))
    return read(db, change_id)


def read(db: apsw.Connection, each: int | Change) -> Change:
    found = queue.change(db, each if isinstance(each, int) else each.change_id)
    assert found is not None
    return found


def told(db: apsw.Connection, since: int) -> set[str]:
    """The changes that the feed has named since then."""
    events = change_feed.since(db, since)[1]
    assert all(isinstance(each, Event) and each.kind == change_feed.CHANGE for each in events)
    return {each.id for each in events}
