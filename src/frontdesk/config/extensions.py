"""Custom commands and hooks of the config, `[[commands]]` and `[[hooks]]`: the person's own programs.

An unusable entry is skipped and its problem kept, so that the others still work.
"""

import re
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

from frontdesk.config.tables import declare, expect, place

BY = ("bell", "title", "notify")

PLACEHOLDERS = ("campaign_id", "name", "value", "words")
"""Matches words in braces in the arguments of a command: `{name}`."""

TIMEOUT_SECONDS = 30.0
"""Default timeout of a program in seconds."""

PLACEHOLDER = r"\{([a-z_]+)\}"


def check_command(run: tuple[str, ...], path: str, placeholders: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """Return a program and its arguments, or none, if it can be run.

    Args:
        placeholders: the words in braces that its arguments may have; None if braces mean nothing.

    Raises:
        ConfigError: it can't.
    """
    expect(not run or run[0].strip() != "", f"{path}: the program is empty")
    expect(not any("\0" in each for each in run), f"{path}: an argument contains a NUL character")
    if run and placeholders is not None:
        is_plain = not re.search(PLACEHOLDER, run[0])
        expect(is_plain, f"{path}: the program's name can't contain a placeholder")
        known = ", ".join(f"{{{each}}}" for each in placeholders)
        for name in (name for argument in run for name in re.findall(PLACEHOLDER, argument)):
            expect(name in placeholders, f"{path}: unknown placeholder {{{name}}}; choose from {known}")
    return run


declare_command = partial(declare, expected='a list of strings, ["program", "argument"]; no shell is used')


@dataclass(frozen=True, slots=True)
class AlertSetting:
    """An alert of the config; without `by`, the general settings for notifications apply."""

    when: str = declare(
        "The condition, such as `failed > 3%`.",
        see="configuration.md#alerts-on-campaigns",
        expected='text, like "failed > 3%"',
        names_row=True,
    )
    by: tuple[str, ...] | None = declare(
        "How: `bell`, `title` (counted as `!2`) and `notify`; `[]` for none. If `notify` is `off` in the "
        "settings, `osc9` is used.",
        None,
        choices=BY,
        without="as in the settings",
    )
    run: tuple[str, ...] = declare_command(
        "A program and its arguments, with `{campaign_id}`, `{name}`, `{value}` and `{words}`.",
        (),
        without="none",
        check=partial(check_command, placeholders=PLACEHOLDERS),
    )
    again: bool = declare(
        "`true` reports it again each time, provided the value has recovered by a tenth of the limit in "
        "between, such as `failed > 3%` after it was below 2.7%.",
        False,
    )
    least: int = declare("How many recipients must have an outcome before a share counts.", 1, maximum=1_000_000)


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
