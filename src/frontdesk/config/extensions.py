"""Custom commands and hooks of the config, `[[commands]]` and `[[hooks]]`: the person's own programs.

An unusable entry is skipped and its problem kept, so that the others still work.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

from frontdesk.config.alerts import TIMEOUT_SECONDS, check_command, declare_command
from frontdesk.config.tables import declare, expect, place

WHERE = ("inbox", "thread", "board", "campaigns", "workflows", "agents", "activity")
"""Places where a command applies; `thread` is the inbox while its thread has the focus."""

EVERYWHERE = tuple(each for each in WHERE if each != "thread")

TEXT_WHERE = ("inbox", "thread", "board")
"""Places where records have a thread, so that a command can get it as text."""

INPUTS = ("none", "json", "jsonl", "text")
OUTPUTS = ("toast", "pane", "copy", "none")
HOOK_INPUTS = ("json", "none")
EVENTS = ("message", "task", "conflict", "refused", "campaign", "clock")
ATTENTION = ("mine", "all")

COMMAND_PLACEHOLDERS = ("kind", "id", "conversation_id", "number", "profile")
_OF_RECORD = tuple(each for each in COMMAND_PLACEHOLDERS if each != "profile")
HOOK_PLACEHOLDERS = ("event", "kind", "id", "conversation_id", "words", "profile")

MAX_NAME = 40
MAX_TIMEOUT_SECONDS = 600.0
_NAME_WORDS = f"text of at most {MAX_NAME} characters"


def _run(placeholders: tuple[str, ...]) -> Any:
    return declare_command(
        "The program and its arguments, run without a shell.",
        is_filled=True,
        check=partial(check_command, placeholders=placeholders),
    )


def _timeout() -> Any:
    return declare(
        "How many seconds it may run before it is killed.",
        TIMEOUT_SECONDS,
        maximum=MAX_TIMEOUT_SECONDS,
        expected=f"a number of seconds above 0, at most {MAX_TIMEOUT_SECONDS:g}",
    )


def _name(value: str, path: str) -> str:
    is_name = value.isprintable() and len(value.strip()) <= MAX_NAME
    expect(is_name, f"{path}: expected {_NAME_WORDS}")
    return value.strip()


@dataclass(frozen=True, slots=True)
class CommandSetting:
    """A custom command of the config."""

    is_strict: ClassVar = True

    name: str = declare(
        f"Its name in the palette, the key help and the linear mode, at most {MAX_NAME} characters.",
        expected=_NAME_WORDS,
        is_filled=True,
        check=_name,
        unique=str.casefold,
        names_row=True,
    )
    key: str = declare(
        "Its key, or several, as in the keymap: `f5`, or `f5, ctrl+g`.",
        expected='a key, such as "X" or "f5"',
        is_filled=True,
    )
    run: tuple[str, ...] = _run(COMMAND_PLACEHOLDERS)
    where: tuple[str, ...] = declare(
        "The screens on which it works. `thread` is the inbox while you are in the thread.",
        EVERYWHERE,
        choices=WHERE,
        is_filled=True,
        without="everywhere",
    )
    input: str = declare(
        "What the program reads: `json` is one record, `jsonl` one record per line, `text` a conversation to "
        "read (in the inbox, a thread or the board).",
        "none",
        choices=INPUTS,
    )
    output: str = declare(
        "Where its output goes: `toast` is a message with the first lines, `pane` shows all of it, `copy` is "
        "the clipboard.",
        "toast",
        choices=OUTPUTS,
    )
    confirm: bool = declare("`true` asks before it runs.", False)
    timeout: float = _timeout()

    def fault(self) -> str:
        """Return the fault in the whole row, after its path."""
        only = ", ".join(TEXT_WHERE)
        fits = self.input != "text" or set(self.where) <= set(TEXT_WHERE)
        return "" if fits else f'.input: "text" needs where to be any of {only}; use "json" elsewhere'

    @property
    def needs_selection(self) -> bool:
        """Return whether the command gets any value of the selection."""
        return self.input != "none" or self.names_record

    @property
    def names_record(self) -> bool:
        """Return whether an argument has a placeholder that a record fills."""
        return any(f"{{{each}}}" in argument for each in _OF_RECORD for argument in self.run)


@dataclass(frozen=True, slots=True)
class HookSetting:
    """A program that runs on an event.

    Attributes:
        label: its place in the file, for messages.
    """

    is_strict: ClassVar = True

    on: str = declare("The event.", choices=EVENTS, see="own-commands.md#hooks", names_row=True)
    run: tuple[str, ...] = _run(HOOK_PLACEHOLDERS)
    input: str = declare(
        "`json`: it reads one line about the event; `none`: nothing.", "json", choices=HOOK_INPUTS
    )
    text: bool = declare("`true` also passes names, numbers and texts.", False)
    attention: str | None = declare(
        "`mine`: only for your conversations and tasks and unassigned ones; `all`: for all.",
        None,
        choices=ATTENTION,
        without="as in the settings",
    )
    timeout: float = _timeout()
    label: str = place()


class Extensions(NamedTuple):
    """The usable entries of both lists, a sentence for each unusable entry, and the config's unknown keys."""

    commands: tuple[CommandSetting, ...] = ()
    hooks: tuple[HookSetting, ...] = ()
    problems: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


NO_EXTENSIONS = Extensions()
