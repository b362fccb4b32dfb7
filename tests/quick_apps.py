"""What Textual need not do for the apps of tests: parse a style sheet again, draw frames for nobody, and wait."""

import asyncio
from typing import Any
from weakref import WeakKeyDictionary

import textual.app
import textual.pilot
from rich.console import RenderableType
from textual._compositor import Compositor, CompositorUpdate
from textual.app import App, active_app
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

PARSED: dict[tuple[Any, ...], list[RuleSet]] = {}
"""Rules by all that parsing reads: the sheet, where it came from, its rank, and the theme's variables."""

DRAWN: WeakKeyDictionary[Compositor, list[str]] = WeakKeyDictionary()
"""The lines of a screen that a test looked at, until Textual has a new frame of it."""


def share_parsed_rules() -> None:
    """Let each app have what another parsed before; rules don't change once they are parsed.

    Textual keeps them for one app and one theme. The next app, and the theme that comes back, have the same.
    """
    parse = Stylesheet._parse_rules

    def parse_once(sheet: Stylesheet, *source: Any, **more: Any) -> list[RuleSet]:
        key = (source, *sorted(more.items()), *sorted(sheet._variables.items()))
        if key not in PARSED:
            PARSED[key] = parse(sheet, *source, **more)
        return PARSED[key]

    Stylesheet._parse_rules = parse_once  # type: ignore[method-assign]


def skip_unseen_frames() -> None:
    """Draw no frame of a headless app: Textual draws each, a third of a test's time, and then sends it nowhere.

    A test draws the lines that it looks at (`tui.screen_text`), an app that isn't headless its frames as ever.
    """
    render = Compositor.render_update

    def render_seen(self: Compositor, full: bool = False, *args: Any, **more: Any) -> RenderableType | None:
        DRAWN.pop(self, None)
        if full or not active_app.get().is_headless:  # full ones are pictures
            return render(self, full, *args, **more)
        has_changed = bool(self._dirty_regions)
        self._dirty_regions.clear()
        return CompositorUpdate() if has_changed else None  # type: ignore[return-value]

    Compositor.render_update = render_seen  # type: ignore[method-assign]


LOOK_SECONDS = 0.002
"""How long an app is left alone between two looks at whether it has anything to do."""

CALM_LOOKS = 3
"""So many looks in a row find nothing to do in an app that rests: a thread may be about to call it."""


async def rest(app: App[Any], max_seconds: float = 30) -> None:
    """Wait until an app has nothing left to do; fail if that takes too long."""
    loop: Any = asyncio.get_running_loop()
    calm, end = 0, loop.time() + max_seconds
    while calm < CALM_LOOKS:
        assert loop.time() < end, "the app doesn't rest"
        await asyncio.sleep(LOOK_SECONDS)
        calm = 0 if loop._ready or has_work(app) else calm + 1


def has_work(app: App[Any]) -> bool:
    """Whether a message waits in the app or one of its widgets, or something on the screen is to be drawn."""
    if app._exit:  # an end draws nothing, and waits for nobody
        return False
    if app._batch_count:
        return True
    for pump in (app, *app._registry):
        if pump._running and (pump._next_callbacks or not pump._message_queue.empty()):
            return True
    if not app._screen_stack:
        return False
    screen = app._screen_stack[-1]
    return bool(screen._callbacks or screen._dirty_widgets or screen._layout_required or screen._repaint_required)


def ask_apps_whether_they_rest() -> None:
    """Let a test wait after a key until the app rests.

    Textual waits until the process has used no processor time for a while, which takes 60 ms a key.
    """

    async def wait_for_rest(min_sleep: float = 0, max_sleep: float = 1) -> None:
        await rest(active_app.get())

    textual.app.wait_for_idle = textual.pilot.wait_for_idle = wait_for_rest  # type: ignore[attr-defined]
