"""Files of each earlier version are brought to this one with all that was in them.

`kept/` holds files as that version's own code wrote them, as SQL.
"""

import json
from pathlib import Path
from typing import Any

import apsw
import pytest
from filelock import FileLock

from frontdesk.campaigns.store import campaigns
from frontdesk.inbox.store import conversations, thread_pages, threads
from frontdesk.inbox.store.conversation_query import UNREAD
from frontdesk.inbox.store.read_markers import direction_of
from frontdesk.inbox.store.threads import Segment
from frontdesk.outbox import queue
from frontdesk.storage import clients, database_files, full_text, record_lookup, recovery, schema
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeState, Connection, ConversationOrder, MessagePosition
from frontdesk_api.contract.ids import ConversationId, TaskId

KEPT = Path(__file__).with_name("kept")
HERE = ConversationId("L1#C1")


def restore(folder: Path) -> None:
    """The files of version 1, as they were."""
    folder.mkdir(exist_ok=True)
    for name in ("store", "outbox"):
        db = apsw.Connection(str(folder / f"{name}.db"))
        db.pragma("journal_mode", "wal")
        db.execute((KEPT / f"{name}-1.sql").read_text())
        db.close()


CONVERSATION_COLUMNS = (
    "rowid, conversation_id, line_id, customer_id, name, number, platform, preview, preview_direction,"
    " preview_status, preview_initiator, active_at, waiting_since, last_incoming_at, unread, open_tasks, due_at,"
    " assigned, pending, task_active_at, thread_read_at, thread_active_at"
)
"""Those that every version has."""


def rows(folder: Path, name: str, sql: str) -> list[tuple[Any, ...]]:
    db = apsw.Connection(str(folder / name))
    try:
        return db.execute(sql).fetchall()
    finally:
        db.close()


@pytest.fixture
def old(tmp_path: Path) -> Path:
    restore(tmp_path / "old")
    return tmp_path / "old"


@pytest.mark.parametrize("name", [database_files.STORE_FILE, database_files.OUTBOX_FILE])
def test_a_migrated_file_has_the_tables_of_a_new_one(old: Path, tmp_path: Path, name: str) -> None:
    for folder in (old, tmp_path / "new"):
        Store(folder).close()
    sql = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
    assert rows(old, name, sql) == rows(tmp_path / "new", name, sql)
    assert not recovery.damaged_files(old)


def test_the_schema_holds_the_part_of_every_feature() -> None:
    source = Path(schema.__file__).parents[1]
    parts = {
        ".".join(path.relative_to(source.parent).with_suffix("").parts)
        for path in source.rglob("*.py")
        if "\nSCHEMA = SchemaPart(" in path.read_text()
    }
    assert parts == set(schema.FEATURE_SCHEMAS)
    assert (len(schema.load().store), len(schema.load().outbox)) == (schema.STORE_VERSION, schema.OUTBOX_VERSION)


def test_every_row_of_the_outbox_is_kept(old: Path) -> None:
    before = {
        table: rows(old, "outbox.db", f"SELECT * FROM {table} ORDER BY 1, 2") for table in ("changes", "kept")
    }
    Store(old).close()
    after = {
        table: rows(old, "outbox.db", f"SELECT * FROM {table} ORDER BY 1, 2") for table in ("changes", "kept")
    }
    assert before == after
    assert len(before["changes"]) == 4


def test_every_task_message_and_campaign_is_kept_and_reads_as_before(old: Path) -> None:
    columns = {
        "tasks": "task_id, raw, line_id, conversation_id, customer_id, customer_name, platform, title, body,"
        " status, due_at, assigned, unread, created_at, updated_at, pending, missed",
        "messages": "conversation, created_at, message_id, raw",
        "conversations": CONVERSATION_COLUMNS,
        "segments": "conversation, newest_at, newest_id, oldest_at, oldest_id, complete",
        "campaigns": "*",
        "samples": "*",
        "documents": "*",
        "feed": "*",
    }
    asked = {table: f"SELECT {names} FROM {table} ORDER BY 1, 2, 3" for table, names in columns.items()}
    before = {table: rows(old, "store.db", sql) for table, sql in asked.items()}
    assert all(before.values())
    with Store(old) as store:
        assert {table: rows(old, "store.db", sql) for table, sql in asked.items()} == before
        reading = store.reading
        shown = record_lookup.task(reading, TaskId("t1"))
        assert shown is not None
        assert (shown.title, tuple(shown.pending)) == ("mine 0", ("title",))
        assert threads.segments(reading, HERE) == [
            Segment(MessagePosition(30_000, "m00030"), MessagePosition(17_000, "m00017"), complete=False),
            Segment(MessagePosition(5_000, "m00005"), MessagePosition(4_000, "m00004"), complete=True),
        ]
        assert [each.state for each in queue.unsent(reading)] == [ChangeState.QUEUED, ChangeState.HELD]
        assert [each.name for each in campaigns.watched(reading)] == ["Spring"]
        assert [each.document_id for each in record_lookup.all_of(reading, record_lookup.WORKFLOW)] == ["w1", "w2"]
        assert clients.health(reading).state is Connection.LIVE


def test_names_that_nobody_sees_are_taken_out(old: Path) -> None:
    db = apsw.Connection(str(old / database_files.STORE_FILE))
    raws = {"t1": {"customerNickname": "Bob"}, "t2": {"customerNickname": "\u200b"}}
    for task_id, customer in raws.items():
        db.execute(
            "UPDATE tasks SET customer_name = ?, raw = ? WHERE task_id = ?",
            ("\u3164", json.dumps({"customer": customer}), task_id),
        )
    db.execute("UPDATE conversations SET name = ? WHERE conversation_id IN ('L1#C1', 'L1#C2')", ("\u3164",))
    db.close()
    Store(old).close()
    named = "SELECT conversation_id, customer_name, name FROM tasks JOIN conversations USING (conversation_id)"
    found = rows(old, "store.db", f"{named} WHERE task_id IN ('t1', 't2') ORDER BY 1")
    assert found == [("L1#C1", "Bob", "Bob"), ("L1#C2", "", "")]


def test_what_was_stored_before_there_was_a_search_is_found(old: Path) -> None:
    with Store(old) as store:
        while store.write(lambda db: full_text.index_batch(db, 100)).result():
            pass
        assert {hit.kind for hit in full_text.find(store.reading, "customer 1", 10)} == {"customer", "task"}
        assert full_text.find_messages(store.reading, "words", 10)


def test_messages_say_who_waits_and_stand_in_the_order_of_time(old: Path) -> None:
    db = apsw.Connection(str(old / "store.db"))
    db.execute(
        "INSERT INTO messages (conversation, created_at, message_id, raw) SELECT conversation, 19500, 'm19500',"
        " json_set(raw, '$.createdAt', 19500, '$.messageId', 'm19500') FROM messages WHERE message_id = 'm00020'"
    )
    db.close()
    Store(old).close()
    found = rows(old, "store.db", "SELECT rowid, created_at, raw, says FROM messages ORDER BY rowid")
    assert [said for *_, said in found] == [direction_of(json.loads(raw)) for _, _, raw, _ in found]
    assert {said for *_, said in found} == {"", "in", "answer"}
    assert [number >> 20 for number, *_ in found] == [int(at) for _, at, *_ in found]
    waiting = rows(
        old,
        "store.db",
        "SELECT conversation_id, waiting_since FROM conversations WHERE waiting_since IS NOT NULL"
        " ORDER BY conversation_id",
    )
    assert waiting == [("L1#C1", 19.5), ("L1#C2", pytest.approx(1_700_000_000.1235))], "since their first message"


def test_a_message_that_comes_again_after_the_migration_is_no_news(old: Path) -> None:
    with Store(old) as store:
        stored = thread_pages.page_before(store.reading, HERE, None, 3)
        page = [each.raw for each in reversed(stored)]
        put = store.write(
            lambda db: threads.put_page(db, HERE, page, start=None, has_more=True, now=99.0)  # type: ignore[arg-type]
        ).result()
        assert (put.differing, put.met_known) == (0, True)


def test_a_migration_that_fails_leaves_the_file_as_it_was(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk in the middle of a migration: the next start has the old file, whole."""

    whole = schema.load()

    def stop(db: apsw.Connection, folder: Path) -> None:
        whole.store[1](db, folder)
        raise apsw.FullError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(schema, "load", lambda: whole._replace(store=(whole.store[0], stop)))
        with pytest.raises(database_files.StoreUnusable, match="the disk is full"):
            Store(old)
    assert rows(old, "store.db", "PRAGMA user_version") == [(1,)]
    with Store(old) as store:
        assert store.reading.execute("SELECT count(*) FROM messages").fetchone() == (12,)
        assert not recovery.damaged_files(old)


def test_a_store_of_version_2_gets_the_indices_of_views_and_keeps_its_rows(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(schema, "STORE_VERSION", 2)
        with Store(old) as store:
            store.write(lambda db: full_text.index_batch(db, 100)).result()
    tables = dict.fromkeys(("tasks", "messages", "customer_names", "unindexed"), "*")
    tables["conversations"] = CONVERSATION_COLUMNS
    before = {
        table: rows(old, "store.db", f"SELECT {names} FROM {table} ORDER BY 1, 2")
        for table, names in tables.items()
    }
    assert rows(old, "store.db", "PRAGMA user_version") == [(2,)]
    for folder in (old, tmp_path / "new"):
        Store(folder).close()
    sql = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
    assert rows(old, "store.db", sql) == rows(tmp_path / "new", "store.db", sql)
    after = {
        table: rows(old, "store.db", f"SELECT {names} FROM {table} ORDER BY 1, 2")
        for table, names in tables.items()
    }
    assert after == before
    with Store(old) as store:
        unread = conversations.ids(store.reading, ConversationOrder.NAME, -1, [UNREAD])
        everybody = conversations.ids(store.reading, ConversationOrder.NAME)
        assert set(unread) == conversations.wanted_among(store.reading, everybody, [UNREAD])


def test_a_person_is_told_when_a_store_with_rows_is_brought_up_to_date_and_never_else(
    old: Path, tmp_path: Path
) -> None:
    told: list[str] = []
    for folder in (tmp_path / "new", old, old):
        Store(folder, told.append).close()
    assert told == ["upgrading the store; a large one takes a few minutes ..."]


def test_who_waits_while_another_prepares_the_store_says_so_and_then_goes_on(old: Path) -> None:
    other = FileLock(old / database_files.LOCK_FILE)
    other.acquire()
    told: list[str] = []

    def tell(words: str) -> None:
        told.append(words)
        other.release()

    database_files.prepare(old, tell)
    assert [words.split("; a")[0] for words in told] == [
        "another frontdesk is preparing the store; waiting ...",
        "upgrading the store",
    ]


def test_a_store_of_version_10_finds_the_oldest_threads_to_read_and_keeps_its_rows(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    active_at = {7: 1_700_000_300, 8: 1_700_000_100, 9: 1_700_000_200}
    with monkeypatch.context() as patch:
        patch.setattr(schema, "STORE_VERSION", 10)
        with Store(old) as store:
            sql = (
                "INSERT INTO conversations (conversation_id, line_id, customer_id, active_at, task_active_at,"
                " open_tasks) VALUES (?1, 'L1', ?2, ?3, ?3, 1)"
            )
            values = [(f"L1#C{number}", f"C{number}", at) for number, at in active_at.items()]
            store.write(lambda db: db.executemany(sql, values)).result()
    before = rows(old, "store.db", f"SELECT {CONVERSATION_COLUMNS} FROM conversations ORDER BY 1")
    assert rows(old, "store.db", "PRAGMA user_version") == [(10,)]
    for folder in (old, tmp_path / "new"):
        Store(folder).close()
    sql = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
    assert rows(old, "store.db", sql) == rows(tmp_path / "new", "store.db", sql)
    assert rows(old, "store.db", f"SELECT {CONVERSATION_COLUMNS} FROM conversations ORDER BY 1") == before
    with Store(old) as store:
        found = conversations.never_read_threads(store.reading, 10, from_oldest=True)
    assert [each for each, *_ in found] == ["L1#C8", "L1#C9", "L1#C7"]
