"""At 80x24 each text of a screen or dialog fits its place, or a sign shows that it is cut."""

import asyncio
from collections.abc import Iterator

import pytest
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Button, Input, Label, Static

from app.tui_story import At, story
from frontdesk.registry.keymap import KEYMAP
from frontdesk_lines.widgets.line_view import LineView
from kit import SCREEN_KEYS
from sync.running_engine import Start

pytestmark = pytest.mark.slow

SIZE = (80, 24)
ENDS = {
    "app.quit",
    "app.suspend",
    "go.back",
    "app.redraw",
    "app.privacy",
    "refresh.all",
    "sync.pause",
}
"""Actions that lead away from the screen or change the program for all that follow."""


def faults(screen: Screen[object]) -> Iterator[str]:
    """Yield what of the screen's own texts has no room where it stands; Textual itself marks a cut title."""
    for widget in screen.walk_children(Widget):
        if all(each.display for each in widget.ancestors_with_self if isinstance(each, Widget)):
            yield from (f"{type(screen).__name__}, {type(widget).__name__}: {each}" for each in _faults_of(widget))


def _faults_of(widget: Widget) -> Iterator[str]:
    width, height = widget.content_size
    if isinstance(widget, Input) and cell_len(widget.placeholder) > width - 1:
        yield f"placeholder {widget.placeholder!r} in {width} cells"
    if isinstance(widget, Static | Label | Button):
        wanted = widget.get_content_height(widget.container_size, widget.app.size, width)
        if wanted > height and widget.styles.overflow_y != "auto":
            yield f"{wanted} lines in {height}: {widget.render()!s:.60}"
    if isinstance(widget, LineView):
        for painted in widget.frame():
            cells = sum(cell_len(part.text.text) for part in painted.line)
            if cells > widget.size.width:
                yield f"a line of {cells} in {widget.size.width} cells: {painted.line!r:.100}"


@pytest.mark.parametrize(("key", "context"), SCREEN_KEYS.items())
def test_texts_fit_at_80x24(works: Start, key: str, context: str) -> None:
    actions = [each for each in KEYMAP if {context, "app"} & set(each.contexts) and each.id not in ENDS]
    found: dict[str, None] = {}
    dialogs: set[str] = set()

    async def press_each(at: At) -> None:
        for action in actions:
            await at.press(key)
            if action.id.startswith("go."):
                continue
            await at.press(action.keys[0])
            await at.pilot.pause()
            found.update(dict.fromkeys(f"{action.id}: {each}" for each in faults(at.app.screen)))
            if at.app.screen is not at.app.current_screen:
                dialogs.add(type(at.app.screen).__name__)
            await at.close_dialogs()

    story(works, press_each, SIZE)
    assert {"HelpDialog", "CommandsDialog"} <= dialogs
    assert not found, "\n".join(found)


class Narrow(App[None]):
    CSS = "Input, Static { width: 20; height: 1; border: none; }"

    def compose(self) -> ComposeResult:
        yield Input(placeholder="More words than an input of twenty cells can show")
        yield Static("More words than a line of twenty cells can show")
        yield Static("A few words")


def test_a_text_that_does_not_fit_is_found() -> None:
    async def look() -> list[str]:
        app = Narrow()
        async with app.run_test(size=SIZE):
            return list(faults(app.screen))

    placeholder, line = asyncio.run(look())
    assert "Input: placeholder" in placeholder
    assert "Static: 3 lines in 1" in line
