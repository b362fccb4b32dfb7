"""Small apps that hold one widget, what they write to the terminal, and waiting on a condition."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.drivers.headless_driver import HeadlessDriver
from textual.events import MouseScrollDown, MouseScrollUp
from textual.message import Message
from textual.theme import Theme
from textual.widget import Widget

from frontdesk_lines.lines import Line, Role, fit, span
from frontdesk_lines.textual_compat.diffing_app import DiffingApp
from quick_apps import rest
from tui.screen_text import top_lines, use_truecolor


class Host(DiffingApp):
    """An app of given widgets that keeps the messages that bubble up to it."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, *widgets: Widget, css: str = "", theme: Theme | None = None) -> None:
        super().__init__("terminal", ascii_only=False)
        self._widgets = widgets
        self._own_theme = theme
        self.seen: list[Message] = []
        use_truecolor(self)
        if css:
            self.CSS = css

    def compose(self) -> ComposeResult:
        yield from self._widgets

    def on_mount(self) -> None:
        if self._own_theme is not None:
            self.register_theme(self._own_theme)
            self.theme = self._own_theme.name

    async def _dispatch_message(self, message: Message) -> None:
        if type(message).__module__.startswith("frontdesk"):
            self.seen.append(message)
        await super()._dispatch_message(message)

    def of(self, kind: type[Message]) -> list[Any]:
        """The messages of a kind that were seen."""
        return [message for message in self.seen if isinstance(message, kind)]


async def until(condition: Callable[[], object], timeout_seconds: float = 30) -> None:
    """Wait until the condition holds."""
    end, pause = time.monotonic() + timeout_seconds, 0.005
    while not condition():
        assert time.monotonic() < end, "it did not come to be"
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, 0.05)  # a condition that reads the whole screen costs more than what it waits for


@pytest.fixture
def signals(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What an app writes to its terminal but the frames, which nobody draws then: bells, titles, the clipboard."""
    written: list[str] = []
    monkeypatch.setattr(HeadlessDriver, "write", lambda self, data: written.append(data))
    return written


@pytest.fixture
def wire(signals: list[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Everything that an app writes to its terminal."""
    monkeypatch.setattr(App, "is_headless", False)
    return signals


async def turn_wheel(widget: Widget, ticks: int) -> None:
    """Turn the mouse wheel over a widget, down for a positive number of ticks."""
    event = MouseScrollDown if ticks > 0 else MouseScrollUp
    for _ in range(abs(ticks)):
        widget.post_message(event(widget, 1, 1, 0, 0, 0, shift=False, meta=False, ctrl=False))
    await quiet(widget.app)


async def quiet(app: App[Any]) -> None:
    """Wait until what was asked for has been painted."""
    await app.animator.wait_until_complete()
    await rest(app)


def text_of(app: App[Any]) -> list[str]:
    """The screen or dialog on top as lines of text."""
    return [line.rstrip(" ▐") for line in top_lines(app)]


def draw_two(key: str, width: int) -> tuple[Line, ...]:
    """Two lines as busy as a conversation's."""
    number = int(key)
    left = (span(f"Customer {number}", Role.STRONG),)
    right = (span("● 2", Role.BADGE), span("  "), span(f"{number % 59}m", Role.DIM))
    below = (span("Where is my order? I have been waiting for two weeks", Role.DIM),)
    late = (span("14m", Role.WARN),) if number % 3 == 0 else ()
    return fit(left, width, right), fit(below, width, late)
