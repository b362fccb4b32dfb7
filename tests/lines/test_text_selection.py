"""Text is selected with the mouse inside one widget, and what is copied is what was selected."""

from collections.abc import Iterable, Sequence

import pytest
from textual import events
from textual.geometry import Offset
from textual.screen import Screen
from textual.widget import Widget

from frontdesk_lines.display_text import show_line, trusted
from frontdesk_lines.lines import Line, Role, Span, fit, paragraph, sign, span
from frontdesk_lines.textual_compat.narrow_screen import NarrowScreen
from frontdesk_lines.widgets.line_bar import LineBar
from frontdesk_lines.widgets.note import Note
from frontdesk_lines.widgets.row_list import RowList
from frontdesk_lines.widgets.thread_view import ThreadView
from tui.hosts import Host, quiet, text_of, turn_wheel, wire
from tui.screen_text import crash_of, screen_strips

__all__ = ["wire"]

pytestmark = pytest.mark.anyio

SIZE = (40, 8)


class SelectingHost(Host):
    """A host whose screen is the kind that frontdesk's are; keeps what is copied."""

    def __init__(self, *widgets: Widget, css: str = "") -> None:
        super().__init__(*widgets, css=css)
        self.copied: list[str] = []
        self.helped = 0

    def get_default_screen(self) -> Screen[None]:
        return NarrowScreen()

    def copy_to_clipboard(self, text: str) -> None:
        self.copied.append(text)

    def action_help_quit(self) -> None:
        self.helped += 1

    async def mouse(
        self, kind: type[events.MouseEvent], at: tuple[int, int], widget: Widget | None = None
    ) -> None:
        """Have the mouse do something at a cell of the screen, as the driver tells it."""
        button = 0 if kind is events.MouseMove else 1
        x, y = at if widget is None else Offset(*at) + widget.region.offset
        self.post_message(kind(None, x, y, 0, 0, button, False, False, False, screen_x=x, screen_y=y))
        await quiet(self)

    async def drag(self, start: tuple[int, int], end: tuple[int, int], widget: Widget | None = None) -> None:
        await self.mouse(events.MouseDown, start, widget)
        await self.mouse(events.MouseMove, end, widget)
        await self.mouse(events.MouseUp, end, widget)

    @property
    def selected(self) -> str | None:
        return self.screen.get_selected_text()


def row(key: str, width: int) -> tuple[Line, ...]:
    return (fit((sign("● "), span(f"row {key}")), width, (span("12m", Role.DIM),)),)


def a_list(draw: object = row, count: int = 20) -> tuple[RowList, Sequence[str]]:
    return RowList(draw), [str(number) for number in range(count)]  # type: ignore[arg-type]


async def test_a_drag_selects_text_and_ctrl_c_copies_it_without_signs() -> None:
    rows, keys = a_list()
    app = SelectingHost(rows)
    async with app.run_test(size=SIZE) as pilot:
        rows.set_keys(keys)
        await app.drag((0, 1), (8, 2))
        await pilot.press("ctrl+c")
        assert app.copied == ["row 1  12m\nrow 2"]
        # The end of a drag is no click on the row.
        assert rows.cursor_key == "0"


@pytest.mark.parametrize("ends", [((4, 1), (8, 1)), ((8, 1), (4, 1))])
async def test_the_last_cell_is_selected_too_in_either_direction(ends: Sequence[tuple[int, int]]) -> None:
    rows, keys = a_list()
    app = SelectingHost(rows)
    async with app.run_test(size=SIZE):
        rows.set_keys(keys)
        await app.drag(*ends)
        assert app.selected == "row 1"
        background = {each.style.bgcolor for each in screen_strips(app)[1].crop(4, 9) if each.style}
        around = {each.style.bgcolor for each in screen_strips(app)[1].crop(0, 4) if each.style}
        assert len(background) == len(around) == 1
        assert background != around


async def test_ctrl_c_without_a_selection_does_what_it_did() -> None:
    rows, keys = a_list()
    app = SelectingHost(rows)
    async with app.run_test(size=SIZE) as pilot:
        rows.set_keys(keys)
        await pilot.press("ctrl+c")
        assert (app.helped, app.copied) == (1, [])
        await app.drag((0, 1), (3, 1))  # only signs
        await pilot.press("ctrl+c")
        assert (app.helped, app.copied) == (2, [])


async def test_a_click_selects_nothing_and_ends_a_selection() -> None:
    rows, keys = a_list()
    app = SelectingHost(rows)
    async with app.run_test(size=SIZE) as pilot:
        rows.set_keys(keys)
        await app.drag((4, 1), (8, 1))
        assert app.selected
        await pilot.click(offset=(5, 3))
        assert app.selected is None
        assert rows.cursor_key == "3"
        await pilot.click(offset=(5, 3), times=3)
        assert app.selected is None


async def test_a_drag_stays_inside_the_pane_in_which_it_began() -> None:
    rows, keys = a_list()
    thread = ThreadView(lambda key, width: paragraph(show_line(f"message {key}"), width))
    app = SelectingHost(rows, thread, css="Screen { layout: horizontal; }")
    async with app.run_test(size=SIZE):
        rows.set_keys(keys)
        thread.set_entries(["a", "b", "c"])
        await quiet(app)
        await app.drag((24, 1), (10, 0))
        assert app.selected == "message a\nmes"
        await app.drag((4, 0), (39, 1))
        assert app.selected == "row 0  12m\nrow 1  12m"


async def test_right_to_left_text_is_copied_as_it_was_written() -> None:
    said = "שלום, הזמנה 12514 עדיין לא הגיעה אליי הביתה"
    thread = ThreadView(lambda key, width: paragraph(show_line(said), width))
    app = SelectingHost(thread)
    async with app.run_test(size=(30, 8)) as pilot:
        thread.set_entries(["a"])
        await quiet(app)
        assert said not in "\n".join(text_of(app))
        await app.drag((0, 0), (29, 1))
        await pilot.press("ctrl+c")
        assert app.copied == [said]


async def test_a_selection_ends_when_one_of_its_rows_changes_or_moves() -> None:
    words = {"2": "row 2"}

    def draw(key: str, width: int) -> Iterable[Line]:
        return (fit((span(words.get(key, f"row {key}")),), width),)

    rows, keys = a_list(draw)
    app = SelectingHost(rows)
    async with app.run_test(size=SIZE) as pilot:
        rows.set_keys(keys)

        async def select() -> None:
            await app.drag((2, 1), (6, 2))
            assert app.selected == "row 1\nrow 2"

        await select()
        rows.refresh_keys(["4"])
        rows.set_keys([*keys[:4], "new", *keys[4:]])
        await pilot.press("j")  # the cursor's row looks different, and its text is the same
        assert app.selected == "row 1\nrow 2"
        words["2"] = "changed"
        rows.refresh_keys(["2"])
        assert app.selected is None
        words["2"] = "row 2"
        rows.refresh_keys(["2"])
        await select()
        rows.set_keys(["first", *keys])
        assert app.selected is None
        rows.set_keys(keys)
        await select()
        await turn_wheel(rows, 1)
        assert app.selected is None


async def test_a_row_that_changes_while_it_is_selected_ends_the_drag() -> None:
    rows, keys = a_list()
    app = SelectingHost(rows)
    async with app.run_test(size=SIZE):
        rows.set_keys(keys)
        await app.mouse(events.MouseDown, (4, 1))
        await app.mouse(events.MouseMove, (8, 2))
        rows.set_keys(["first", *keys])
        await app.mouse(events.MouseMove, (8, 3))
        assert app.selected is None


async def test_a_press_on_a_widget_that_was_just_removed_does_nothing() -> None:
    rows, keys = a_list()
    app = SelectingHost(rows)
    async with app.run_test(size=SIZE):
        rows.set_keys(keys)
        await quiet(app)
        screen = app.screen
        rows._detach()  # as Textual does first when it removes a widget; its compositor still has it
        assert screen.get_widget_at(5, 1)[0] is rows
        press = events.MouseDown(None, 5, 1, 0, 0, 1, False, False, False, 5, 1)
        screen._forward_event(press)
        rows._attach(screen)
        assert app.selected is None
        assert crash_of(app) is None


async def test_a_note_of_a_dialog_is_selected_and_bars_are_not() -> None:
    class Bar(LineBar):
        def compose_line(self, width: int) -> Line:
            return fit((span("a bar"),), width)

    note = Note((sign("! "), span("https://example.org/a "), Span(trusted("שלום עולם"))))
    bar = Bar()
    app = SelectingHost(bar, note, css="Note { height: auto; }")
    async with app.run_test(size=SIZE):
        bar.sync()
        await quiet(app)
        await app.drag((0, 0), (4, 0), bar)
        assert app.selected is None
        await app.drag((2, 0), (24, 0), note)
        assert app.selected == "https://example.org/a"
        await app.drag((2, 0), (36, 0), note)
        assert app.selected == "https://example.org/a שלום עולם"


async def test_a_selection_sends_only_its_cells(wire: list[str]) -> None:
    rows, keys = a_list()
    app = SelectingHost(rows)
    async with app.run_test(size=SIZE):
        rows.set_keys(keys)
        await quiet(app)
        wire.clear()
        await app.drag((6, 1), (8, 1))
        sent = "".join(wire)
        assert "row" not in sent
        assert "12m" not in sent
        assert len(sent) < 400
