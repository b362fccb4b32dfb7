"""Who orders right-to-left text, and what the terminal is told of it."""

import os
import select
import threading
from typing import Any

import pytest
from textual._ansi_sequences import SYNC_END, SYNC_START
from textual.app import App
from textual.drivers.headless_driver import HeadlessDriver
from textual.drivers.linux_driver import LinuxDriver
from textual.drivers.web_driver import WebDriver

from frontdesk_lines.textual_compat.driver import (
    EXPLICIT,
    READ_SECONDS,
    CellDriver,
    ExplicitOrderDriver,
    driver_class,
    report_mouse,
    wrap_for_tmux,
)


@pytest.mark.parametrize(
    ("bidi", "driver"),
    [("frontdesk", ExplicitOrderDriver), ("off", ExplicitOrderDriver), ("terminal", CellDriver)],
)
def test_only_a_terminal_that_is_to_order_lines_is_not_told_to_leave_them(bidi: str, driver: type) -> None:
    assert driver_class(LinuxDriver, bidi) is driver
    assert driver_class(HeadlessDriver, bidi) is HeadlessDriver
    assert driver_class(WebDriver, bidi) is WebDriver


def test_tmux_is_asked_to_hand_it_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TMUX", raising=False)
    assert wrap_for_tmux(EXPLICIT) == "\x1b[8l"
    monkeypatch.setenv("TMUX", "/tmp/tmux-0/default,1,0")
    assert wrap_for_tmux(EXPLICIT) == "\x1b[8l\x1bPtmux;\x1b\x1b[8l\x1b\\"


@pytest.mark.anyio
@pytest.mark.parametrize("uses_mouse", [True, False])
async def test_an_app_that_leaves_the_mouse_to_the_terminal_never_asks_for_it(
    uses_mouse: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Some(App[None]):
        pass

    app, written = Some(), Written()
    app.uses_mouse = uses_mouse  # type: ignore[attr-defined]
    driver = app._driver = CellDriver(app, mouse=True)
    monkeypatch.setattr(driver, "_writer_thread", written, raising=False)
    for reports in (True, False):  # as around a text that is to be selected by hand
        report_mouse(app, reports)
    assert ("\x1b[?1000h" in written, "\x1b[?1000l" in written) == (uses_mouse, uses_mouse)


@pytest.mark.anyio
async def test_the_thread_that_reads_rests_until_the_terminal_sends_something(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It woke up ten times a second."""
    terminal, keyboard = os.pipe()
    driver = CellDriver(App(), mouse=False)
    monkeypatch.setattr(driver, "fileno", terminal)
    taken: list[str] = []
    monkeypatch.setattr(driver, "process_message", lambda message: taken.append(message.key))
    rests: list[float | None] = []
    rested, wait = threading.Semaphore(0), select.select

    def waiting(*arguments: Any) -> Any:
        rests.append(arguments[3])
        rested.release()
        return wait(*arguments)

    monkeypatch.setattr("frontdesk_lines.textual_compat.driver.select.select", waiting)
    thread = driver._key_thread = threading.Thread(target=driver.run_input_thread, daemon=True)
    thread.start()
    for data in (b"j", b"\x1b"):
        assert rested.acquire(timeout=30)
        os.write(keyboard, data)
    while "escape" not in taken:  # what follows esc decides whether it is the key
        assert rested.acquire(timeout=30)
    driver.disable_input()
    assert not thread.is_alive()
    assert taken == ["j", "escape"]
    assert rests[:2] == [None, None]
    assert rests[2] == READ_SECONDS
    os.close(terminal)
    os.close(keyboard)


class Written(list[str]):
    """In place of the thread that writes."""

    def write(self, text: str) -> None:
        self.append(text)


def test_a_frame_is_handed_over_in_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each piece wakes the thread that writes, and the first cells would wait for it."""
    driver, written = CellDriver.__new__(CellDriver), Written()
    monkeypatch.setattr(driver, "_writer_thread", written, raising=False)
    for data in ("title", SYNC_START, "\x1b[2;3Hcells", SYNC_END, SYNC_START, SYNC_END, "bell"):
        driver.write(data)
    assert written == ["title", f"{SYNC_START}\x1b[2;3Hcells{SYNC_END}", SYNC_START + SYNC_END, "bell"]
