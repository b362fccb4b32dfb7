"""What is settled on the writer's thread reaches the screens, or nobody where they have ended."""

import logging
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from textual.app import App

from frontdesk.storage import change_feed
from frontdesk.storage.records import Event
from frontdesk.tui.futures import EventMerger, on_done


class Ended(App[None]):
    """An app as it is for a moment: its loop is closed, and it doesn't say so yet."""

    def __init__(self, *, runs: bool) -> None:
        super().__init__()
        self._running = runs

    def call_later(self, callback: Any, *args: Any, **kwargs: Any) -> bool:
        raise RuntimeError("Event loop is closed")


def settle(future: "Future[int]") -> None:
    """As the writer does."""
    thread = Thread(target=future.set_result, args=(1,))
    thread.start()
    thread.join()


def test_what_is_settled_after_the_end_prints_nothing(caplog: pytest.LogCaptureFixture) -> None:
    future: Future[int] = Future()
    on_done(Ended(runs=False), future, lambda _: None)
    with caplog.at_level(logging.DEBUG):
        settle(future)
    assert caplog.text == ""


def test_a_fault_of_an_app_that_runs_is_not_hidden(caplog: pytest.LogCaptureFixture) -> None:
    future: Future[int] = Future()
    on_done(Ended(runs=True), future, lambda _: None)
    settle(future)
    assert "Event loop is closed" in caplog.text


def test_a_screen_is_not_woken_by_reports_of_what_screens_show(tmp_path: Path) -> None:
    """Each rest of the cursor is reported to the engine, and cost the screen a millisecond more."""
    scheduled: list[Callable[[], None]] = []
    heard: list[frozenset[Event]] = []
    merger = EventMerger(tmp_path, scheduled.append, heard.append)
    looking, task = Event(change_feed.FOCUS, "1"), Event(change_feed.TASK, "t")
    merger._collect(frozenset({looking}))
    assert scheduled == []
    merger._collect(frozenset({looking, task}))
    merger._collect(frozenset({task}))
    (deliver,) = scheduled
    deliver()
    assert heard == [{task}]
