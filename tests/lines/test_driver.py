"""Who orders right-to-left text, and what the terminal is told of it."""

import pytest
from textual._ansi_sequences import SYNC_END, SYNC_START
from textual.app import App
from textual.drivers.headless_driver import HeadlessDriver
from textual.drivers.linux_driver import LinuxDriver
from textual.drivers.web_driver import WebDriver

from frontdesk_lines.textual_compat.driver import (
    EXPLICIT,
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
