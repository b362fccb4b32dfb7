"""What a running app shows and how a test acts on it; with `quick_apps` the place for Textual's private names."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.color import ColorSystem
from textual import events
from textual._context import visible_screen_stack
from textual.app import App
from textual.drivers.headless_driver import HeadlessDriver
from textual.geometry import Size
from textual.keys import _character_to_key
from textual.strip import Strip
from textual.widget import Widget

from quick_apps import DRAWN


def screen_strips(app: App[Any]) -> list[Strip]:
    """The lines of the screen that is on top, with what is seen of those below."""
    visible_screen_stack.set(app._background_screens)
    return app.screen._compositor.render_strips()


def top_lines(app: App[Any]) -> list[str]:
    """The lines of the screen on top, blank where another is seen below it; drawn anew if something changed."""
    compositor = app.screen._compositor
    widgets = app.screen.walk_children(with_self=True)
    is_changing = not is_painted(app) or any(each._layout_required or each._repaint_required for each in widgets)
    if is_changing or not DRAWN.get(compositor):
        DRAWN[compositor] = [strip.text for strip in top_strips(app)]
    return DRAWN[compositor]


def top_strips(app: App[Any]) -> list[Strip]:
    """The lines of the screen on top with their styles, blank where another is seen below it."""
    visible_screen_stack.set([])
    return app.screen._compositor.render_strips()


def screen_text(app: App[Any]) -> str:
    """The screen that is on top, a line each."""
    return "\n".join(strip.text for strip in screen_strips(app))


def shown_toasts(app: App[Any]) -> list[str]:
    """What the toasts say, oldest first."""
    return [each.message for each in app._notifications]


def is_painted(app: App[Any]) -> bool:
    """Whether nothing on the screen waits to be painted, also not for the end of a batch."""
    return not (app._batch_count or app.screen._dirty_widgets or app.screen._compositor._dirty_regions)


def made_modes(app: App[Any]) -> set[str]:
    """The modes whose screen was made."""
    return set(app._screen_stacks)


def crash_of(app: App[Any]) -> Exception | None:
    """What ended the app."""
    return app._exception


def use_truecolor(app: App[Any]) -> None:
    """Render as for a terminal of all colours, whatever the one of the tests has."""
    app.console._color_system = ColorSystem.TRUECOLOR


def set_driver_size(app: App[Any], size: Size) -> None:
    """Have the terminal that isn't there so large from now on."""
    driver = app._driver
    assert isinstance(driver, HeadlessDriver)
    driver._size = size


def key_event(key: str) -> events.Key:
    """The event of a key by its name or its character."""
    is_sign = len(key) == 1
    return events.Key(_character_to_key(key) if is_sign else key, key if is_sign else None)


def send_key(app: App[Any], event: events.Key) -> None:
    """Hand a key over as the terminal's thread does."""
    driver = app._driver
    assert driver is not None
    event.set_sender(app)
    driver.send_message(event)


def forward_event(app: App[Any], event: events.Event) -> None:
    """Have the screen handle the event at once."""
    app.screen._forward_event(event)


@contextmanager
def detached(widget: Widget) -> Iterator[None]:
    """A widget without its parent, as while it is being taken away."""
    parent = widget._parent
    widget._parent = None
    yield
    widget._parent = parent
