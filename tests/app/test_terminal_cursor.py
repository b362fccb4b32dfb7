"""Where the terminal's cursor is after each key: screen readers and braille displays follow it."""

import random
from collections.abc import Sequence

import pytest
from rich.style import Style
from textual.geometry import Region
from textual.widgets import Input, TextArea

from app.tui_story import At, story
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.dialogs.confirm import AnswerButton
from frontdesk.tui.dialogs.filter_list import ListModal
from frontdesk.tui.keymap import SCREENS
from frontdesk_lines.widgets.line_view import BAR
from frontdesk_lines.widgets.row_list import RowList
from frontdesk_lines.widgets.thread_view import ThreadView
from lab.sample import count
from sync.running_engine import Start
from tui.screen_text import is_painted, top_strips

pytestmark = pytest.mark.slow

KEYS_A_SCREEN = 25
KEYS = KEYS_A_SCREEN * count(10, 20)
"""On each of the seven screens once at least."""

LEAVES = {
    *("app.quit", "go.leave", "app.suspend", "app.config", "profile.switch", "app.redraw"),
    *("profile.add", "app.names"),
}
"""Actions that end the walk, hand the terminal to another program, or change the config."""

TYPED = ("a", "e", "1", "space", "backspace", "left", "right", "ש")
MOVES = ("up", "down", "pageup", "pagedown")
IN_DIALOGS = (*TYPED, *MOVES, *MOVES, "tab", "shift+tab", "enter", "escape", "escape")


class Painted:
    """The painted screen and the place of the cursor on it."""

    def __init__(self, at: At) -> None:
        self.strips = top_strips(at.app)
        self.x, self.y = at.app.cursor_position

    def cell(self, x: int, y: int) -> tuple[str, Style | None]:
        strip = self.strips[y].crop(x, x + 1)
        return strip.text, next((style for _, style, _ in strip), None)

    @property
    def words(self) -> str:
        """What is read from the cursor on."""
        return self.strips[self.y].crop(self.x).text

    def has_bar(self, region: Region) -> bool:
        return any(self.cell(region.x, y)[0] == BAR for y in range(region.y, region.bottom))

    def is_on_bar(self, region: Region) -> bool:
        """Whether it is where the row with the bar begins; only one row has bars."""
        above = "" if self.y == region.y else self.cell(self.x, self.y - 1)[0]
        return self.x == region.x and self.words.startswith(BAR) and above != BAR

    def is_on_caret(self, region: Region) -> bool:
        """Whether its cell looks like no other of the field, as the painted caret does."""
        look = self.cell(self.x, self.y)[1]
        looks = [self.cell(x, self.y)[1] for x in range(region.x, region.right)]
        return looks.count(look) == 1

    def fault(self, at: At, key: str) -> str | None:
        """Tell what is wrong with its place after a key."""
        screen, focused, spot = at.app.screen, at.app.screen.focused, (self.x, self.y)
        if focused is None:
            boxes = screen.query(".dialog--box")
            return None if not boxes or spot in boxes.first().region else "isn't in the dialog"
        if isinstance(screen, ListModal) and focused is not screen.rows:
            rows = screen.rows
            if spot in rows.region:
                return None if self.is_on_bar(rows.region) else "isn't on the list's row"
            if key in MOVES and rows.keys and rows.always_active:
                return "isn't on the list's row, which the key moved"
        if spot not in focused.region:
            return f"isn't in {focused!r}"
        if isinstance(focused, Input | TextArea):
            return None if self.is_on_caret(focused.content_region) else "isn't on the caret"
        if isinstance(focused, AnswerButton):
            return None if self.words.startswith(str(focused.content)) else "isn't where the answer begins"
        if isinstance(focused, RowList | ThreadView) and (
            self.has_bar(focused.region) or (isinstance(focused, RowList) and focused.keys)
        ):
            return None if self.is_on_bar(focused.region) else "isn't on the row with the bar"
        return None if self.x == focused.content_region.x else "isn't at the beginning of a line"


def live_keys(at: At) -> Sequence[str]:
    """The keys that do something on the screen now, moves twice as often as others."""
    if not isinstance(at.app.screen, BaseScreen) or isinstance(at.app.focused, Input):
        return IN_DIALOGS
    live = {
        key: binding.id
        for key, (_, binding, enabled, _) in at.app.screen.active_bindings.items()
        if enabled and key.isascii() and binding.id and binding.id not in LEAVES
    }
    keys = [key for key, name in live.items() if not name.startswith("go.")]
    return [*keys, *(key for key in keys if live[key].startswith(("move.", "pane.", "row.")))]


async def press(at: At, key: str) -> Painted:
    """Press a key, and wait until what it changes is painted."""
    await at.press(key)
    await at.until(lambda: is_painted(at.app))
    return Painted(at)


@pytest.mark.timeout(600)
def test_the_cursor_is_on_the_focused_row_after_each_key(works: Start) -> None:
    async def tell(at: At) -> None:
        chance, pressed, seen = random.Random(24), [], set()
        while len(pressed) < KEYS:
            screen, is_other = divmod(len(pressed), KEYS_A_SCREEN)
            if not is_other:
                await at.close_dialogs()
            pressed.append(chance.choice(live_keys(at)) if is_other else str(1 + screen % len(SCREENS)))
            painted = await press(at, pressed[-1])
            seen.add(type(at.app.screen))
            if fault := painted.fault(at, pressed[-1]):
                shown = "\n".join(strip.text for strip in painted.strips)
                place = f"at {painted.x},{painted.y} after {' '.join(pressed[-8:])}"
                pytest.fail(f"the cursor {fault}: {place}, on {seen}\n{shown}")
        assert len(seen) > len(SCREENS) + 10, seen

    story(works, tell)
