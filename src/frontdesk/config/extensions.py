"""Custom commands and hooks of the config, `[[commands]]` and `[[hooks]]`: the person's own programs.

An unusable entry is skipped and its problem kept, so that the others still work.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from frontdesk.config.alerts import TIMEOUT_SECONDS, check_placeholders, expect, read_command
from frontdesk.config.key_meaning import Meaning, keys_of
from frontdesk.config.row_validation import read_usable

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
HOOK_PLACEHOLDERS = ("event", "kind", "id", "conversation_id", "words", "profile")

MAX_NAME = 40
MAX_TIMEOUT_SECONDS = 600.0

_Timeout = Annotated[
    float,
    Meaning("How many seconds it may run before it is killed.", above=0, maximum=MAX_TIMEOUT_SECONDS),
]
_Run = Annotated[tuple[str, ...], Meaning("The program and its arguments, run without a shell.")]


@dataclass(frozen=True, slots=True)
class CommandSetting:
    """A custom command of the config."""

    name: Annotated[
        str,
        Meaning(f"Its name in the palette, the key help and the linear mode, at most {MAX_NAME} characters."),
    ]
    key: Annotated[str, Meaning("Its key, or several, as in the keymap: `f5`, or `f5, ctrl+g`.")]
    run: _Run
    where: Annotated[
        tuple[str, ...],
        Meaning(
            "The screens on which it works. `thread` is the inbox while you are in the thread.",
            choices=WHERE,
            default="everywhere",
        ),
    ] = EVERYWHERE
    input: Annotated[
        str,
        Meaning(
            "What the program reads: `json` is one record, `jsonl` one record per line, `text` a conversation to "
            "read (in the inbox, a thread or the board).",
            choices=INPUTS,
        ),
    ] = "none"
    output: Annotated[
        str,
        Meaning(
            "Where its output goes: `toast` is a message with the first lines, `pane` shows all of it, `copy` is "
            "the clipboard.",
            choices=OUTPUTS,
        ),
    ] = "toast"
    confirm: Annotated[bool, Meaning("`true` asks before it runs.")] = False
    timeout: _Timeout = TIMEOUT_SECONDS

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

    on: Annotated[str, Meaning("The event.", choices=EVENTS, see="own-commands.md#hooks")]
    run: _Run
    input: Annotated[
        str,
        Meaning("`json`: it reads one line about the event; `none`: nothing.", choices=HOOK_INPUTS),
    ] = "json"
    text: Annotated[bool, Meaning("`true` also passes names, numbers and texts.")] = False
    attention: Annotated[
        str | None,
        Meaning(
            "`mine`: only for your conversations and tasks and unassigned ones; `all`: for all.",
            choices=ATTENTION,
            default="as in the settings",
        ),
    ] = None
    timeout: _Timeout = TIMEOUT_SECONDS
    label: str = ""


class Extensions(NamedTuple):
    """The usable entries of both lists, a sentence for each unusable entry, and the config's unknown keys."""

    commands: tuple[CommandSetting, ...] = ()
    hooks: tuple[HookSetting, ...] = ()
    problems: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


NO_EXTENSIONS = Extensions()

_OF_RECORD = tuple(each for each in COMMAND_PLACEHOLDERS if each != "profile")


def read_extensions(raw: Mapping[str, Any]) -> Extensions:
    """Parse both lists; this raises nothing."""
    problems: list[str] = []
    commands = read_usable(raw.get("commands", []), "commands", "command", _command, problems)
    hooks = read_usable(raw.get("hooks", []), "hooks", "hook", _hook, problems)
    names: set[str] = set()
    for at, each in enumerate(commands):
        if each is not None and each.name.casefold() in names:
            problems.append(f"commands[{at}] ({each.name}).name: already used; this command is ignored")
            commands[at] = None
        elif each is not None:
            names.add(each.name.casefold())
    return Extensions(
        tuple(each for each in commands if each is not None),
        tuple(each for each in hooks if each is not None),
        tuple(problems),
    )


def _command(row: dict[str, Any], path: str) -> CommandSetting:
    name = row.get("name")
    is_name = isinstance(name, str) and name.isprintable() and 0 < len(name.strip()) <= MAX_NAME
    expect(is_name, f"{path}.name: expected text of at most {MAX_NAME} characters")
    path = f"{path} ({name})"
    _expect_known(row, keys_of(CommandSetting), path)
    key = row.get("key")
    expect(isinstance(key, str) and key.strip() != "", f'{path}.key: expected a key, such as "X" or "f5"')
    where = row.get("where", list(EVERYWHERE))
    where = [where] if isinstance(where, str) else where
    is_where = isinstance(where, list) and where != [] and all(each in WHERE for each in where)
    expect(is_where, f"{path}.where: expected a list with any of {', '.join(WHERE)}")
    found = CommandSetting(
        name=str(name).strip(),
        key=str(key),
        run=_run(row, path, COMMAND_PLACEHOLDERS),
        where=tuple(dict.fromkeys(where)),
        input=_choice(row, "input", INPUTS, path),
        output=_choice(row, "output", OUTPUTS, path),
        confirm=_flag(row, "confirm", path),
        timeout=_seconds(row, path),
    )
    only = ", ".join(TEXT_WHERE)
    is_text = found.input != "text" or set(found.where) <= set(TEXT_WHERE)
    expect(is_text, f'{path}.input: "text" needs where to be any of {only}; use "json" elsewhere')
    return found


def _hook(row: dict[str, Any], path: str) -> HookSetting:
    on = row.get("on")
    expect(on in EVENTS, f"{path}.on: expected one of {', '.join(EVENTS)}")
    path = f"{path} ({on})"
    _expect_known(row, keys_of(HookSetting), path)
    return HookSetting(
        on=str(on),
        run=_run(row, path, HOOK_PLACEHOLDERS),
        input=_choice(row, "input", HOOK_INPUTS, path),
        text=_flag(row, "text", path),
        attention=_choice(row, "attention", ATTENTION, path) if "attention" in row else None,
        timeout=_seconds(row, path),
        label=path,
    )


def _expect_known(row: Mapping[str, Any], known: Collection[str], path: str) -> None:
    """Refuse unknown keys: a misspelt `confirm` must not run a command unasked."""
    for key in row:
        expect(key in known, f"{path}.{key}: unknown key; choose from {', '.join(sorted(known))}")


def _run(row: Mapping[str, Any], path: str, names: tuple[str, ...]) -> tuple[str, ...]:
    run = read_command(row.get("run", []), f"{path}.run")
    expect(run != (), f'{path}.run: expected a list of strings, ["program", "argument"]; no shell is used')
    check_placeholders(run, f"{path}.run", names)
    return run


def _choice(row: Mapping[str, Any], key: str, choices: tuple[str, ...], path: str) -> str:
    value = row.get(key, choices[0])
    expect(value in choices, f"{path}.{key}: expected one of {', '.join(choices)}")
    return str(value)


def _flag(row: Mapping[str, Any], key: str, path: str) -> bool:
    value = row.get(key, False)
    expect(isinstance(value, bool), f"{path}.{key}: expected true or false")
    return bool(value)


def _seconds(row: Mapping[str, Any], path: str) -> float:
    value = row.get("timeout", TIMEOUT_SECONDS)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    problem = f"{path}.timeout: expected a number of seconds above 0, at most {MAX_TIMEOUT_SECONDS:g}"
    expect(is_number and 0 < value <= MAX_TIMEOUT_SECONDS, problem)
    return float(value)
