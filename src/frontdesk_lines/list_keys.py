"""Default keys of lists and pages."""

from typing import NamedTuple

from textual.binding import Binding

from frontdesk_lines.keyboard_layouts import with_layout_keys

WIDGETS = ("list", "thread")


class ListKey(NamedTuple):
    """A key of a list or a page.

    Attributes:
        id: as an app's keymap names it.
        keys: separated by spaces.
        method: the widget's action.
        label: a word or two.
        help: what it does.
        widgets: those of WIDGETS that have it.
        rank: its place among hints; 0 for none.
    """

    id: str
    keys: str
    method: str
    label: str
    help: str
    widgets: tuple[str, ...] = WIDGETS
    rank: int = 0


_LIST = ("list",)
LIST_KEYS = (
    ListKey("move.down", "j down", "cursor_down", "down", "Next row or message"),
    ListKey("move.up", "k up", "cursor_up", "up", "Previous row or message"),
    ListKey("move.first", "g home", "cursor_first", "first", "First row or message"),
    ListKey("move.last", "G end", "cursor_last", "last", "Last row or message"),
    ListKey("move.half_down", "ctrl+d", "half_down", "half page", "Half page down"),
    ListKey("move.half_up", "ctrl+u", "half_up", "half page", "Half page up"),
    ListKey("move.page_down", "pagedown", "page_down", "page", "Page down"),
    ListKey("move.page_up", "pageup", "page_up", "page", "Page up"),
    ListKey("row.open", "enter", "choose", "open", "Open the row under the cursor", rank=8),
    ListKey("mark.toggle", "space", "toggle_mark", "mark", "Mark or unmark, then move on", _LIST, rank=7),
    ListKey("mark.range", "v", "mark_range", "mark range", "Mark from the last mark to here", _LIST),
    ListKey("mark.all", "V", "mark_all", "mark all", "Mark or unmark all rows", _LIST),
    ListKey("mark.clear", "escape", "clear_marks", "unmark", "Clear all marks", _LIST),
)


def bindings_for(widget: str) -> list[Binding]:
    """Return the default bindings of a widget; an app's keymap overrides them by id."""

    def binding(key: ListKey) -> Binding:
        keys = with_layout_keys(*key.keys.split())
        return Binding(keys, key.method, key.label, show=False, tooltip=key.help, id=key.id)

    return [binding(each) for each in LIST_KEYS if widget in each.widgets]
