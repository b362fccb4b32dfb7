"""Writes to a store's folder are reported, and nothing is logged for those that come while the watching stops."""

import logging
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from frontdesk.storage.write_notifier import InotifyNotifier, ObserverNotifier, WriteNotifier

WAIT_SECONDS = 30
NOTIFIERS = [InotifyNotifier, ObserverNotifier] if sys.platform == "linux" else [ObserverNotifier]

every_notifier = pytest.mark.parametrize("watch", NOTIFIERS)
Watch = Callable[[Path], WriteNotifier]


@every_notifier
def test_a_write_is_reported_once_it_was_made(tmp_path: Path, watch: Watch) -> None:
    notifier = watch(tmp_path)
    assert not notifier.wait(0)
    (tmp_path / "store.db").write_text("a row", encoding="utf-8")
    assert notifier.wait(WAIT_SECONDS)
    notifier.close()


@every_notifier
def test_a_wait_ends_when_it_is_woken(tmp_path: Path, watch: Watch) -> None:
    notifier = watch(tmp_path)
    waiting = threading.Thread(target=notifier.wait, args=[WAIT_SECONDS])
    waiting.start()
    notifier.wake()
    waiting.join()
    notifier.close()
    notifier.wake()  # the other thread may have ended by itself


@pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")
def test_many_writes_cost_no_thread_and_are_read_at_once(tmp_path: Path) -> None:
    """watchdog's three threads took 4 % of a core while the engine wrote."""
    before = threading.active_count()
    notifier = InotifyNotifier(tmp_path)
    assert threading.active_count() == before
    with (tmp_path / "store.db-wal").open("wb", buffering=0) as file:
        for _ in range(1000):
            file.write(b"a page")
    assert notifier.wait(WAIT_SECONDS)
    assert not notifier.wait(0)
    notifier.close()


@pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")
def test_a_folder_that_cannot_be_watched_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        InotifyNotifier(tmp_path / "missing")


@every_notifier
def test_writes_while_it_stops_log_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture, watch: Watch) -> None:
    """An error stood in the terminal after quitting."""
    caplog.set_level(logging.WARNING)
    is_over = threading.Event()

    def write() -> None:
        while not is_over.is_set():
            (tmp_path / "store.db").write_text("a row", encoding="utf-8")

    writer = threading.Thread(target=write)
    writer.start()
    others = set(threading.enumerate())
    try:
        for _ in range(30):
            watch(tmp_path).close()
            for thread in set(threading.enumerate()) - others:
                thread.join()
    finally:
        is_over.set()
        writer.join()
    assert [each.name for each in caplog.records if each.levelno >= logging.WARNING] == []
