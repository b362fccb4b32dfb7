"""CommandsDialog: a palette of every action by its name, also in the words of the command line."""

from collections.abc import Collection, Iterable

from frontdesk.config.actions import Action
from frontdesk.text import fuzzy
from frontdesk.text.display_text import trusted
from frontdesk.text.fuzzy import Fit, without_scattered
from frontdesk.text.lines import Line, Role, fit, span
from frontdesk.text.normalize import normalize, pieces
from frontdesk.tui.dialogs.filter_list import Choice, FilterDialog
from frontdesk.tui.keymap import SCREENS, first_key_name, keys_line

_NAMES = {"inbox": "Inbox", "board": "Board", "campaigns": "Campaigns", "activity": "Activity"}
_NAMES |= {
    "app": "all screens",
    "workflows": "Workflows",
    "agents": "AI agents",
    "list": "lists",
    "thread": "threads",
    "comparing": "Campaigns, compared",
}

_LEADS_TO = {"comparing": "campaigns"}
"""Pushed screens and the screens that open them."""


ELSEWHERE = 2
"""Grades of `Fit` added to actions that work only elsewhere."""


class CommandsDialog(FilterDialog[str]):
    """Answers with the id of an action; the opener runs it or opens its screen.

    Args:
        live: the ids of the actions that work where this was opened; they come first.
    """

    keys = keys_line(("type", "to search"), ("enter", "run"), ("esc", "close"))
    placeholder = "Type what you want to do, or a command: tasks update"
    empty = "No command is called so. Less of it may find one."
    max_rows = 200
    share = 0.7
    DEFAULT_CSS = "CommandsDialog > .dialog--box { width: 84; }"

    def __init__(self, keys: Iterable[Action], live: Collection[str], *, draft: str = "") -> None:
        actions = [key for key in keys if key.id != "app.palette"]
        actions.sort(key=lambda key: key.id not in live)
        self._entries = {key.id: key for key in actions}
        self._live = frozenset(live)
        super().__init__(trusted("Commands"), [Choice(key.id, key.help) for key in actions], draft=draft)

    def found(self, typed: str) -> list[str]:
        """Return the matching ids, best first; live ones before others."""
        if not typed:
            return list(self._entries)
        fits = [(found, name) for name, key in self._entries.items() if (found := _fit(typed, key)) is not None]
        matches = without_scattered(fits)
        graded = [(each + ELSEWHERE * (name not in self._live), name) for each, name in matches]
        return [name for _, name in sorted(graded, key=lambda pair: pair[0])]

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        entry = self._entries[key]
        if entry.id in self._live:
            return (fit((span(entry.help),), width, (span(first_key_name(entry), Role.ACCENT),)),)
        where = f"in {', '.join(_NAMES[each] for each in entry.contexts)}  "
        right = (span(where, Role.DIM), span(first_key_name(entry), Role.ACCENT))
        return (fit((span(entry.help, Role.DIM),), width, right),)

    def choose(self, key: str) -> None:
        self.done(key)


def _fit(typed: str, key: Action) -> Fit | None:
    """Rate how well an action matches by its name, its help, its id, or the command line's words."""
    # Words of the command line match literally: "tag" must not match "agents list".
    if any(command.startswith(typed.casefold()) for command in key.commands):
        return Fit.BEGINS
    words = pieces(typed)
    fits = (fuzzy.fit(words, normalize(each)) for each in (key.label, key.help, key.id))
    return min((each for each in fits if each is not None), default=None)


def screen_of(key: Action) -> str | None:
    """Return the screen on which an action works or that leads there; None for one of a list or thread."""
    return next((_LEADS_TO.get(each, each) for each in key.contexts if each in (*SCREENS, *_LEADS_TO)), None)
