"""Actions: the words, keys and command line names that screens, help, palette, linear mode and docs share.

Each feature has a table of them in its `actions` module; `registry.actions` merges them.
"""

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import partial
from typing import NamedTuple

ASK_ABOVE = 10
"""Number of records above which an action is confirmed first."""


RunCommand = Callable[[Sequence[str]], int]
"""Runs a command line in this process and returns its exit status; nothing is raised but what ends a process."""


class Group(StrEnum):
    """The heading of a key in the help and the palette; everyday actions come first, moves last."""

    DO = "Act"
    CUSTOM = "Yours"
    MARK = "Mark"
    FIND = "Find"
    GO = "Go"
    VIEW = "View"
    PROGRAM = "General"
    MOVE = "Move"


class Undo(StrEnum):
    """Limits of undo for an action; NEVER if it changes nothing on the platform."""

    NEVER = "never"
    UNTIL_SENT = "until it is sent"
    ALWAYS = "always"

    def hint(self, key: str) -> str:
        """Return how to take the action back, with the key of undo."""
        return f"sends in 5 s, {key} undo" if self is Undo.UNTIL_SENT else f"{key} undo"

    def sentence(self) -> str:
        """Return how to take the action back, in the linear mode."""
        if self is Undo.UNTIL_SENT:
            return "This will be sent in 5 seconds. To undo it before then, type undo."
        return "To undo, type undo."


class Action(NamedTuple):
    """An action of a person.

    Attributes:
        id: stable, used in the config.
        keys: as Textual spells them; the first one is shown.
        method: the action method of the screen or widget, with its arguments.
        label: one or two words for the status line.
        help: one sentence without its full stop.
        contexts: the widgets and screens in which it is active; "app" is everywhere.
        rank: its order in its group and among the status line's hints, 1 first; 0 is last, and never a hint.
        commands: on the command line.
        writes: whether it changes the platform, the team's data or the outbox; a read-only run refuses it.
    """

    id: str
    keys: tuple[str, ...]
    method: str
    label: str
    help: str
    group: Group
    contexts: tuple[str, ...]
    rank: int = 0
    commands: tuple[str, ...] = ()
    undo: Undo = Undo.NEVER
    writes: bool = False


def key_action(
    group: Group,
    contexts: tuple[str, ...],
    name: str,
    keys: str,
    method: str,
    label: str,
    does: str,
    *commands: str,
    rank: int = 0,
    undo: Undo = Undo.NEVER,
    writes: bool = False,
) -> Action:
    """Make a row of an action table; its keys are given in one string, and an action with undo writes."""
    writes = writes or undo is not Undo.NEVER
    return Action(name, tuple(keys.split()), method, label, does, group, contexts, rank, commands, undo, writes)


def help_of(actions: Iterable[Action], name: str) -> str:
    """Return the help of the action with this id, one sentence without its full stop."""
    return next(each.help for each in actions if each.id == name)


def merge_actions(*tables: Iterable[Action]) -> tuple[Action, ...]:
    """Join tables.

    Raises:
        ValueError: two actions have the same id.
    """
    merged = tuple(each for table in tables for each in table)
    names = [each.id for each in merged]
    if len({*names}) < len(names):
        repeated = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"duplicate actions: {', '.join(repeated)}")
    return merged


APP = ("app",)
_go = partial(key_action, Group.GO, APP)
_program = partial(key_action, Group.PROGRAM, APP)
_fetch = partial(key_action, Group.VIEW, APP)
_view = partial(key_action, Group.VIEW, ("inbox", "board", "campaigns", "workflows", "agents", "comparing"))

GENERAL = (
    _go("go.leave", "q", "back_or_quit", "back", "Back, or quit from the first screen"),
    _view("view.refresh", "r", "record('refresh')", "refresh", "Refresh the open thread, row or screen"),
    _fetch("view.refresh_all", "R", "refresh_all", "refresh all", "Refresh everything", "sync"),
    _program("profile.switch", "ctrl+o", "switch_profile", "profile", "Open another profile", "login"),
    _program("app.help", "? f1", "help", "keys", "Show the keys that work here", rank=12),
    _program("app.privacy", "H", "toggle_privacy", "privacy", "Hide or show names, numbers and texts"),
    _program("sync.pause", "P", "pause_polling", "pause", "Pause or resume polling"),
)
"""Actions of the program itself that both screens and the linear mode have."""
