"""HelpDialog, the keys that are live where it was opened, and CommandsDialog, the palette of all actions.

Both are made from the keymap, and enter runs an action. Where the help is wide and nothing is typed it has two
columns: a row is then a pair, and tab switches the column.
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import zip_longest

from textual import events, on

from frontdesk.config.actions import Action, Group
from frontdesk.text import fuzzy
from frontdesk.text.fuzzy import Fit, without_scattered
from frontdesk.text.normalize import normalize, split_words
from frontdesk.tui.dialogs.base import KeysLine
from frontdesk.tui.dialogs.filter_list import Choice, FilterDialog
from frontdesk.tui.keymap import SCREENS, display_key, first_key_name, keys_line
from frontdesk_lines.display_text import SafeText, trusted
from frontdesk_lines.lines import Line, Role, Span, fit, span, width_of
from frontdesk_lines.widgets.row_list import RowList

_HEADING_WIDTH, _KEYS_WIDTH, _PAIR_KEYS_WIDTH = 8, 14, 10
_WIDE, _WIDE_BOX, _BOX = 138, 136, 84
_KEYS = (("type", "to search"), ("enter", "run"), ("esc", "close"))
_WIDE_KEYS = (_KEYS[0], ("tab", "other column"), *_KEYS[1:])

IN_DIALOGS = (
    "Dialogs",
    [
        Action(f"dialog.{name}", tuple(keys.split()), "", name, does, Group.DO, ())
        for name, keys, does in (
            ("take", "enter", "Choose, run or send"),
            ("close", "escape", "Close, keeping what you typed"),
            ("pick", "up down", "Move to another row"),
            ("mark", "tab", "Mark a row, or go to the next field"),
        )
    ],
)
"""Keys that every dialog has; they can't be run from here."""

_BETWEEN = "|"
"""Separates the ids of a pair, of which one is empty where its column has ended; no id contains it."""


class HelpDialog(FilterDialog[str]):
    """Answers with the id of an action, which the opener runs.

    Args:
        groups: the result of `Keymap.help_for`.
        current_sign: the sign before the one of a pair that enter runs.
    """

    keys = keys_line(*_KEYS)
    placeholder = "Type what you want to do"
    empty = "No key for that. Press esc, then : for commands."
    max_rows = 200
    share = 0.7

    def __init__(
        self,
        title: SafeText,
        groups: Sequence[tuple[str, Sequence[Action]]],
        *,
        current_sign: str = ">",
    ) -> None:
        self._entries = {key.id: (group, key) for group, keys in groups for key in keys}
        self._firsts = {keys[0].id for _, keys in groups if keys}
        self._current_sign = current_sign
        self._is_wide = False
        self._column = 0
        self._cursor_then: str | None = None
        choices = [
            Choice(key.id, f"{key.help} {' '.join(map(display_key, key.keys))} {group} {key.id}")
            for group, key in self._entries.values()
        ]
        super().__init__(title, choices)

    def on_resize(self, event: events.Resize) -> None:  # type: ignore[override]  # Textual takes either
        self._is_wide = event.size.width >= _WIDE
        self.query_one(".dialog--box").styles.width = _WIDE_BOX if self._is_wide else _BOX
        self.query_one(KeysLine).set_line(keys_line(*(_WIDE_KEYS if self._is_wide else _KEYS)))
        self._narrow()

    def matches(self, typed: str) -> list[str]:
        """Return the matching ids; pairs of them where it is wide and nothing is typed."""
        names = super().matches(typed)
        if typed or not self._is_wide:
            return names
        # A group stays in one column.
        starts = [at for at, name in enumerate(names) if name in self._firsts]
        end = min(starts[1:], key=lambda at: abs(len(names) - 2 * at), default=len(names))
        return [_BETWEEN.join(pair) for pair in zip_longest(names[:end], names[end:], fillvalue="")]

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        """Draw an action, or a pair with a sign before the one that enter runs."""
        if _BETWEEN not in key:
            return (self._entry(key, width, _KEYS_WIDTH),)
        picked = self._picked(key) if key == self._rows.cursor_key else ""
        room = width // 2 - 2
        line: list[Span] = []
        for name in key.split(_BETWEEN):
            if not name:
                line.append(span(" " * (room + 2)))
                continue
            line += [span(f"{self._current_sign if name == picked else ' '} ", Role.BADGE)]
            line += self._entry(name, room - 2, _PAIR_KEYS_WIDTH)
            line.append(span("  "))
        return (tuple(line[:-1]),)

    def toggle(self, key: str) -> None:
        self._column = 1 - self._column
        self._rows.refresh_keys([key])

    def choose(self, key: str) -> None:
        self.done(self._picked(key))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Switch to the column below the mouse; the click follows."""
        rows = self._rows.region
        self._column = int(event.screen_x >= rows.x + rows.width // 2)

    @on(RowList.Highlighted)
    def _sign_moves(self, event: RowList.Highlighted) -> None:
        self._rows.refresh_keys(each for each in (self._cursor_then, event.key) if each is not None)
        self._cursor_then = event.key

    def _picked(self, key: str) -> str:
        """Return the id of a pair in the current column; the only one where it is single."""
        names = [name for name in key.split(_BETWEEN) if name]
        return names[min(self._column, len(names) - 1)]

    def _entry(self, name: str, width: int, keys_width: int) -> Line:
        group, entry = self._entries[name]
        keys = " ".join(map(display_key, entry.keys))
        blank = " " * max(1, keys_width - width_of((span(keys),)))
        words = (span(keys, Role.ACCENT), span(blank), span(entry.help))
        return fit((_heading(group if self.typed or name in self._firsts else ""), *words), width)


CONTEXT_NAMES = {
    "inbox": "Inbox",
    "board": "Board",
    "campaigns": "Campaigns",
    "activity": "Activity",
    "app": "all screens",
    "workflows": "Workflows",
    "agents": "AI agents",
    "list": "lists",
    "thread": "threads",
    "numbers": "Numbers",
    "comparing": "Campaign comparison",
}
"""The names of key contexts, for titles and for actions that work elsewhere."""

_LEADS_TO = {"comparing": "campaigns"}
"""Pushed screens and the screens that open them."""


def _heading(group: str) -> Span:
    return span(f"{group:<{_HEADING_WIDTH}}", Role.DIM)


ELSEWHERE = 2
"""Grades of `Fit` added to actions that work only elsewhere."""


class CommandsDialog(FilterDialog[str]):
    """Answers with the id of an action; the opener runs it or opens its screen.

    Args:
        live: the ids of the actions that work where this was opened; they come first.
    """

    keys = keys_line(("type", "to search"), ("enter", "run"), ("esc", "close"))
    placeholder = "Type what you want to do, or a command: tasks update"
    empty = "No command matches. Try fewer letters."
    max_rows = 200
    share = 0.7
    DEFAULT_CSS = "CommandsDialog > .dialog--box { width: 84; }"

    def __init__(self, keys: Iterable[Action], live: Collection[str]) -> None:
        actions = [key for key in keys if key.id != "app.palette"]
        actions.sort(key=lambda key: key.id not in live)
        self._entries = {key.id: key for key in actions}
        self._live = frozenset(live)
        by_group = {(key.id in live, key.group): key.id for key in reversed(actions)}
        self._firsts = frozenset(by_group.values())
        super().__init__(trusted("Commands"), [Choice(key.id, key.help) for key in actions])

    def matches(self, typed: str) -> list[str]:
        """Return the matching ids, best first; live ones before others."""
        if not typed:
            return list(self._entries)
        fits = [(found, name) for name, key in self._entries.items() if (found := _fit(typed, key)) is not None]
        matches = without_scattered(fits)
        graded = [(each + ELSEWHERE * (name not in self._live), name) for each, name in matches]
        return [name for _, name in sorted(graded, key=lambda pair: pair[0])]

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        entry = self._entries[key]
        heading = _heading(entry.group if self.typed or key in self._firsts else "")
        if entry.id in self._live:
            return (fit((heading, span(entry.help)), width, (span(first_key_name(entry), Role.ACCENT),)),)
        where = f"in {', '.join(CONTEXT_NAMES[each] for each in entry.contexts)}  "
        right = (span(where, Role.DIM), span(first_key_name(entry), Role.ACCENT))
        return (fit((heading, span(entry.help, Role.DIM)), width, right),)

    def choose(self, key: str) -> None:
        self.done(key)


def _fit(typed: str, key: Action) -> Fit | None:
    """Rate how well an action matches by its name, its help, its id, or the command line's words."""
    # Words of the command line match literally: "tag" must not match "agents list".
    if any(command.startswith(typed.casefold()) for command in key.commands):
        return Fit.BEGINS
    words = split_words(typed)
    fits = (fuzzy.fit(words, normalize(each)) for each in (key.label, key.help, key.id))
    return min((each for each in fits if each is not None), default=None)


def screen_of(key: Action) -> str | None:
    """Return the screen on which an action works or that leads there; None for one of a list or thread."""
    return next((_LEADS_TO.get(each, each) for each in key.contexts if each in (*SCREENS, *_LEADS_TO)), None)
