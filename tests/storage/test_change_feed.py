"""The feed: what a watcher is told, and that it never falls silent."""

import queue
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest
from watchdog.observers import Observer

from frontdesk.outbox import queue as outbox_queue
from frontdesk.storage import change_feed
from frontdesk.storage.change_feed import EVERYTHING, FeedWatcher
from frontdesk.storage.database import Store
from frontdesk.storage.records import Event
from frontdesk.storage.write_notifier import WriteNotifier

Told = queue.Queue[frozenset[Event]]


@contextmanager
def watching(watcher: FeedWatcher) -> Iterator[None]:
    watcher.start()
    try:
        yield
    finally:
        watcher.stop()


def say(store: Store, *ids: str) -> None:
    store.write(lambda db: change_feed.append(db, change_feed.TASK, ids)).result()


def expect_after_writing(store: Store, told: Told, task_id: str, seconds: float = 20) -> None:
    """Write an event and require that it is told next, alone."""
    say(store, task_id)
    assert told.get(timeout=seconds) == {Event("task", task_id)}


def test_to_append_nothing_forgets_nothing(store: Store) -> None:
    say(store, "a", "b")

    def another_table_counts_higher(db: apsw.Connection) -> None:
        db.execute(
            "INSERT INTO messages (rowid, conversation, created_at, message_id, raw) VALUES (9000, 1, 1, 1, 1)"
        )
        change_feed.append(db, change_feed.TASK, [])

    store.write(another_table_counts_higher).result()
    assert len(change_feed.since(store.reading, 0)[1]) == 2


def test_what_comes_after_the_start_is_told(store: Store, folder: Path) -> None:
    told: Told = queue.Queue()
    say(store, "before")
    watcher = FeedWatcher(folder, told.put, seconds=0.05)
    with watching(watcher):
        expect_after_writing(store, told, "after", 5)


def test_a_watcher_at_rest_is_woken_by_a_write(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_feed, "NOTIFY_AFTER_SECONDS", 0.0)
    monkeypatch.setattr(change_feed, "UNREPORTED_SECONDS", 3600.0)
    monkeypatch.setattr(change_feed, "AFTER_WRITE_SECONDS", 0.3)
    told: Told = queue.Queue()
    with watching(FeedWatcher(folder, told.put)):
        for each in ("a", "b"):
            expect_after_writing(store, told, each)
            # It rests again once nothing has been written for a while.
            with pytest.raises(queue.Empty):
                told.get(timeout=0.5)


def test_a_store_that_is_being_written_is_polled_instead_of_watched(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that is filled has hundreds of writes a second, each an event: 4 % of a core in every process."""
    monkeypatch.setattr(change_feed, "NOTIFY_AFTER_SECONDS", 0.0)
    monkeypatch.setattr(change_feed, "AFTER_WRITE_SECONDS", 3600.0)
    paused = threading.Event()
    monkeypatch.setattr(WriteNotifier, "pause", lambda _: paused.set())
    told: Told = queue.Queue()
    with watching(FeedWatcher(folder, told.put, seconds=0.01)):
        expect_after_writing(store, told, "a")
        assert paused.wait(20)
        expect_after_writing(store, told, "b")


def test_a_watch_that_cannot_be_resumed_is_replaced_by_polls(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_feed, "NOTIFY_AFTER_SECONDS", 0.0)
    monkeypatch.setattr(change_feed, "UNREPORTED_SECONDS", 3600.0)
    monkeypatch.setattr(change_feed, "AFTER_WRITE_SECONDS", 0.01)
    refused = threading.Event()

    def refuse(_: WriteNotifier) -> bool:
        refused.set()
        return False

    monkeypatch.setattr(WriteNotifier, "resume", refuse)
    told: Told = queue.Queue()
    with watching(FeedWatcher(folder, told.put, seconds=0.01)):
        expect_after_writing(store, told, "a")
        assert refused.wait(20)
        expect_after_writing(store, told, "b")


def refuse_to_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(*_: object, **__: object) -> None:
        raise OSError(28, "inotify watch limit reached")

    monkeypatch.setattr(Observer, "schedule", none_left)


def upgrade(monkeypatch: pytest.MonkeyPatch) -> None:
    """The module is loaded two seconds after the start; its absence ended the watcher with a traceback."""
    monkeypatch.setitem(sys.modules, "frontdesk.storage.write_notifier", None)


@pytest.mark.parametrize("fail", [refuse_to_watch, upgrade])
def test_without_reports_of_the_file_system_the_store_is_looked_at_all_the_time(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch, fail: Callable[[pytest.MonkeyPatch], None]
) -> None:
    monkeypatch.setattr(change_feed, "NOTIFY_AFTER_SECONDS", 0.0)
    monkeypatch.setattr(change_feed, "UNREPORTED_SECONDS", 3600.0)
    fail(monkeypatch)
    told: Told = queue.Queue()
    with watching(FeedWatcher(folder, told.put, seconds=0.01)):
        expect_after_writing(store, told, "a")


def test_a_fault_is_survived_and_everything_is_read_again(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_feed, "RETRY_SECONDS", 0.01)
    told: Told = queue.Queue()
    is_faulty = [True]

    def changed(events: frozenset[Event]) -> None:
        if is_faulty:
            is_faulty.pop()
            raise RuntimeError("the screen is not there")
        told.put(events)

    with watching(FeedWatcher(folder, changed, seconds=0.01)):
        say(store, "a")
        assert told.get(timeout=5) == {EVERYTHING}
        expect_after_writing(store, told, "b", 5)


def test_a_change_that_is_told_of_before_the_outbox_is_committed_is_told_of_when_it_is(
    store: Store, folder: Path
) -> None:
    """SQLite commits a transaction over two files in one after the other, and the feed's file is first."""
    told: Told = queue.Queue()
    with watching(FeedWatcher(folder, told.put, seconds=0.01)):
        store.write(lambda db: change_feed.append(db, change_feed.CHANGE, ["1"])).result()
        assert told.get(timeout=5) == {Event("change", "1")}
        store.write(lambda db: outbox_queue.keep(db, "view", "inbox", {}, 1.0)).result()
        assert told.get(timeout=5) == {Event("change", "1")}
        expect_after_writing(store, told, "later", 5)


def test_either_file_that_another_connection_commits_to_moves_the_versions(store: Store) -> None:
    before = change_feed.versions(store.reading)
    store.write(lambda db: outbox_queue.keep(db, "view", "inbox", {}, 1.0)).result()
    between = change_feed.versions(store.reading)
    say(store, "a")
    after = change_feed.versions(store.reading)
    assert before.store == between.store
    assert before.outbox != between.outbox
    assert between.outbox == after.outbox
    assert between.store != after.store


def test_the_files_are_looked_at_less_often_than_what_is_in_them(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []
    enough = threading.Event()
    versions, file_numbers = change_feed.versions, change_feed.file_numbers

    def looked_into(db: apsw.Connection) -> change_feed.Versions:
        looks.append("into")
        if looks.count("into") > 4 * change_feed.POLLS_PER_FILE_CHECK:
            enough.set()
        return versions(db)

    monkeypatch.setattr(change_feed, "versions", looked_into)
    monkeypatch.setattr(change_feed, "file_numbers", lambda where: looks.append("at") or file_numbers(where))
    watcher = FeedWatcher(folder, lambda _: None, seconds=0.001)
    watcher.start()
    assert enough.wait(timeout=30)
    watcher.stop()
    assert looks.index("into", looks.index("at", 1)) > change_feed.POLLS_PER_FILE_CHECK
    assert looks.count("at") <= 1 + looks.count("into") // change_feed.POLLS_PER_FILE_CHECK
