"""Default keys of lists and pages, and the letters that the same keys type in other keyboard layouts."""

from collections.abc import Iterable
from typing import NamedTuple

from textual.binding import Binding

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


def with_layout_keys(*keys: str) -> str:
    """Join keys for a binding, with the letters of other layouts in the same positions."""
    return ",".join(layout_keys(keys))


def layout_keys(keys: Iterable[str]) -> list[str]:
    """Return Textual's names of keys, with the letters of other layouts in the same positions."""
    letters = {"comma": ",", "slash": "/"}
    found = [twin for key in keys for twin in (key, *layout_characters(letters.get(key, key)))]
    return [key_name(key) for key in dict.fromkeys(found)]


def key_name(key: str) -> str:
    """Return Textual's name of a character; of a comma, too, which otherwise separates keys."""
    if key == ",":
        return "comma"
    (binding,) = Binding.make_bindings([Binding(key, "")])
    return binding.key


# The letters of other keyboard layouts: one row a layout, in the order of POSITIONS; a space for a key that types
# ASCII or two characters.
POSITIONS = "qwertyuiop[]asdfghjkl;'zxcvbnm,./"
SHIFTED = 'QWERTYUIOP{}ASDFGHJKL:"ZXCVBNM<>?'

LOWER_ROWS = (
    "  קראטוןםפ  שדגכעיחלךף זסבהנמצתץ ",  # Hebrew, SI 1452
    "ضصثقفغعهخحجدشسيبلاتنمكطئءؤر ىةوزظ",  # Arabic 101
    "йцукенгшщзхъфывапролджэячсмитьбю ",  # Russian
    "йцукенгшщзхїфівапролджєячсмитьбю ",  # Ukrainian
    " ςερτυθιοπ  ασδφγηξκλ  ζχψωβνμ   ",  # Greek
)
UPPER_ROWS = (
    "ЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮ ",
    "ЙЦУКЕНГШЩЗХЇФІВАПРОЛДЖЄЯЧСМИТЬБЮ ",
    "  ΕΡΤΥΘΙΟΠ  ΑΣΔΦΓΗΞΚΛ  ΖΧΨΩΒΝΜ   ",
)
# Arabic keys that type one Arabic character with Shift; lam with alef is one character on Linux.
ARABIC_SHIFTED = dict(
    zip(
        "QWERTYUIOPASGHJKXBNM?b",
        "\u064e\u064b\u064f\u064c\ufef9\u0625\u2018\u00f7\u00d7\u061b\u0650\u064d"
        "\ufef7\u0623\u0640\u060c\u0652\ufef5\u0622\u2019\u061f\ufefb",
        strict=True,
    )
)
DIGIT_ROWS = ("٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹")


def layout_characters(key: str) -> tuple[str, ...]:
    """Return the characters that the key of this Latin character types in the other layouts."""
    found: list[str] = []
    for latin, rows in ((POSITIONS, LOWER_ROWS), (SHIFTED, UPPER_ROWS), ("0123456789", DIGIT_ROWS)):
        at = latin.find(key) if len(key) == 1 else -1
        if at >= 0:
            found += [row[at] for row in rows if row[at] != " "]
    if key in ARABIC_SHIFTED:
        found.append(ARABIC_SHIFTED[key])
    return tuple(dict.fromkeys(found))
