"""Writes to a store's folder are reported, and nothing is logged for those that come while the watching stops."""

import logging
import threading
from pathlib import Path

import pytest

from frontdesk.storage.write_notifier import WriteNotifier

WAIT_SECONDS = 30


def test_a_write_is_reported(tmp_path: Path) -> None:
    written = threading.Event()
    notifier = WriteNotifier(tmp_path, written.set)
    assert notifier.start()
    (tmp_path / "store.db").write_text("a row", encoding="utf-8")
    assert written.wait(WAIT_SECONDS)
    notifier.stop()


def test_a_pause_watches_nothing_until_it_ends(tmp_path: Path) -> None:
    written = threading.Event()
    notifier = WriteNotifier(tmp_path, written.set)
    assert notifier.start()
    notifier.pause()
    assert not notifier._observer.emitters
    written.clear()
    assert notifier.resume()
    (tmp_path / "store.db").write_text("a row", encoding="utf-8")
    assert written.wait(WAIT_SECONDS)
    (tmp_path / "store.db").unlink()
    tmp_path.rmdir()
    notifier.pause()
    assert not notifier.resume()
    notifier.stop()


def test_writes_while_it_stops_log_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
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
            notifier = WriteNotifier(tmp_path, lambda: None)
            assert notifier.start()
            notifier.stop()
            for thread in set(threading.enumerate()) - others:
                thread.join()
    finally:
        is_over.set()
        writer.join()
    assert [each.name for each in caplog.records if each.levelno >= logging.WARNING] == []
