"""The registry's record: an action with its words, its key, how it is typed, and its command on the command line.

Each feature has a table of them in its `actions` module; `app.actions` merges the tables. The keymap, help,
palette, linear mode and command line take their words from there, so that all say the same.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

ASK_ABOVE = 10
"""Wherever a person is asked, it is about actions on more records than this."""

TARGET_HELP = (
    "Without numbers it works on what is marked, else on what is open; this in front means what is open.",
    "Several: 2,4 or 2-6.",
)


class Group(StrEnum):
    """The heading of an action among the keys, in the order of help."""

    MOVE = "Move"
    GO = "Go"
    FIND = "Find"
    MARK = "Mark"
    DO = "Do"
    VIEW = "Look"
    PROGRAM = "Program"


class Heading(StrEnum):
    """The heading of an action among the commands of the linear mode, in the order of its help."""

    LISTS = "Lists"
    READING = "Reading"
    DOING = "Doing"
    DONE = "What was done, and campaigns"
    PROGRAM = "frontdesk itself"


class Undo(StrEnum):
    """How long undo takes an action back; one that changes nothing on the platform is not undone."""

    NEVER = "never"
    UNTIL_SENT = "until it is sent"
    ALWAYS = "always"

    def hint(self, key: str) -> str:
        """How to take it back, with the key of undo."""
        return f"sent in 5 s, {key} takes it back" if self is Undo.UNTIL_SENT else f"{key} undoes it"

    def sentence(self) -> str:
        """How to take it back, in the linear mode."""
        if self is Undo.UNTIL_SENT:
            return "It is sent in 5 seconds; undo takes it back before."
        return "undo takes it back."


@dataclass(frozen=True, slots=True)
class TypedForm:
    """An action as it is typed in the linear mode.

    Attributes:
        names: the word and other words for it; single letters are the screens' keys.
        arguments: what may follow, in capitals where it stands for something.
        more: further sentences of its help.
        help: what it does where it does something else than the key; empty for the same.
    """

    names: tuple[str, ...]
    arguments: str
    heading: Heading
    more: tuple[str, ...] = ()
    help: str = ""


@dataclass(frozen=True, slots=True)
class Action:
    """Something that a person can do.

    Attributes:
        id: stable name, used in the config.
        keys: key names as Textual spells them; the first one is shown.
        method: the action method of the screen or widget, with its arguments.
        label: one or two words for the status line.
        help: one sentence for help, palette, linear mode, command line and docs, without its full stop.
        contexts: the widgets and screens where it is live; "app" is everywhere.
        rank: its place among the hints of the status line, 1 first; 0 is never a hint.
        typed: how it is typed in the linear mode; None where it has no line.
        commands: what the command line calls it.
        targets: what it works on: the rows selected, in the linear mode numbers; empty for nothing.
        undo: how long undo takes it back.
    """

    id: str
    keys: tuple[str, ...]
    method: str
    label: str
    help: str
    group: Group
    contexts: tuple[str, ...]
    rank: int = 0
    typed: TypedForm | None = None
    commands: tuple[str, ...] = ()
    targets: str = ""
    undo: Undo = Undo.NEVER

    @property
    def asks_above(self) -> int | None:
        """Confirm it on more records than this; None where it changes nothing on the platform."""
        return None if self.undo is Undo.NEVER else ASK_ABOVE


def key_action(
    name: str,
    keys: str,
    method: str,
    label: str,
    does: str,
    group: Group,
    contexts: Iterable[str],
    rank: int = 0,
    typed: TypedForm | None = None,
    *,
    commands: tuple[str, ...] = (),
    targets: str = "",
    undo: Undo = Undo.NEVER,
) -> Action:
    """An action with keys, given in one string."""
    words = (name, tuple(keys.split()), method, label, does, group, tuple(contexts), rank)
    return Action(*words, typed, commands, targets, undo)


def line_action(
    name: str,
    names: str,
    arguments: str,
    does: str,
    heading: Heading,
    *more: str,
    targets: str = "",
    undo: Undo = Undo.NEVER,
) -> Action:
    """An action of the linear mode alone."""
    form = TypedForm(tuple(names.split()), arguments, heading, more)
    return Action(name, (), "", "", does, Group.PROGRAM, (), 0, form, targets=targets, undo=undo)


def typed(names: str, arguments: str, heading: Heading, *more: str, does: str = "") -> TypedForm:
    """The typed form of an action with keys."""
    return TypedForm(tuple(names.split()), arguments, heading, more, does)


def help_of(actions: Iterable[Action], name: str) -> str:
    """What the action of this id does, one sentence without its full stop."""
    return next(each.help for each in actions if each.id == name)


def merge_actions(*tables: Iterable[Action]) -> tuple[Action, ...]:
    """Tables as one.

    Raises:
        ValueError: two actions have the same id, or the same word in the linear mode.
    """
    merged = tuple(each for table in tables for each in table)
    words = [f"action {each.id}" for each in merged]
    words += [f"command {name}" for each in merged if each.typed is not None for name in each.typed.names]
    if twice := sorted({word for word in words if words.count(word) > 1}):
        raise ValueError(f"given twice: {', '.join(twice)}")
    return merged


GENERAL = (
    key_action(
        "go.leave",
        "q",
        "back_or_quit",
        "back",
        "Back; at the root it quits, and a filter stays",
        Group.GO,
        ["app"],
        typed=typed("quit q exit", "", Heading.PROGRAM, does="Leave; says what is not sent yet"),
    ),
    key_action(
        "view.refresh",
        "r",
        "record('refresh')",
        "refresh",
        "Fetch this again",
        Group.VIEW,
        ["inbox", "board", "campaigns", "workflows", "agents", "comparing"],
        typed=typed(
            "refresh r", "[all]", Heading.PROGRAM, does="Fetch the open conversation again, or everything"
        ),
    ),
    key_action(
        "view.refresh_all",
        "R",
        "refresh_all",
        "refresh all",
        "Fetch everything again",
        Group.VIEW,
        ["app"],
        typed=typed("reload R", "", Heading.PROGRAM),
        commands=("sync",),
    ),
    key_action(
        "profile.switch",
        "ctrl+o",
        "switch_profile",
        "profile",
        "Open another profile",
        Group.PROGRAM,
        ["app"],
        typed=typed("profile", "[NAME]", Heading.PROGRAM, does="Which profiles there are, or open another"),
        commands=("login",),
    ),
    key_action(
        "app.help",
        "? f1",
        "help",
        "keys",
        "The keys that are live here",
        Group.PROGRAM,
        ["app"],
        12,
        typed=typed("help ?", "[COMMAND]", Heading.PROGRAM, does="All commands, or all of one"),
    ),
    key_action(
        "sync.pause",
        "P",
        "pause_polling",
        "pause",
        "Pause or resume polling",
        Group.PROGRAM,
        ["app"],
        typed=typed("pause P", "", Heading.PROGRAM),
    ),
)
"""Actions of the program itself that both screens and the linear mode have."""
