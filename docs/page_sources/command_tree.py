"""The commands of `frontdesk`, read from the tree that parses them."""

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import typer

from frontdesk.cli.command_help import EXAMPLES
from frontdesk.cli.commands import app


@dataclass(frozen=True)
class Parameter:
    """An argument or an option.

    Attributes:
        written: as it is typed, `--limit N`; with its opposite after a comma.
        default: empty for none.
    """

    written: str
    help: str
    default: str
    is_argument: bool
    is_needed: bool
    may_be_repeated: bool

    @property
    def usage(self) -> str:
        """As a part of the line that shows how a command is written."""
        if self.is_argument:
            return self.written
        text = self.written.replace(", ", " | ")
        dots = "..." * self.may_be_repeated
        return f"{text}{dots}" if self.is_needed else f"[{text}]{dots}"


@dataclass(frozen=True)
class CommandEntry:
    """A command or a group of them.

    Attributes:
        words: after `frontdesk`; none for the program itself.
        paragraphs: of its help.
    """

    words: tuple[str, ...]
    paragraphs: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    is_group: bool
    examples: Sequence[str]

    @property
    def name(self) -> str:
        return " ".join(("frontdesk", *self.words))

    @property
    def arguments(self) -> list[Parameter]:
        return [each for each in self.parameters if each.is_argument]

    @property
    def options(self) -> list[Parameter]:
        return [each for each in self.parameters if not each.is_argument]

    @property
    def usage(self) -> list[str]:
        """The parts of the line that shows how it is written, after its name."""
        if self.is_group and self.words:
            return ["COMMAND", "..."]
        return [*(each.usage for each in self.arguments), *(each.usage for each in self.options)]


def commands() -> list[CommandEntry]:
    """Return all commands that are shown, each group before its own, in the order of `--help`."""
    return list(_walk(typer.main.get_command(app), ()))


def _walk(command: Any, words: tuple[str, ...]) -> Iterator[CommandEntry]:
    children: dict[str, Any] = getattr(command, "commands", {})
    shown = [each for each in command.params if not getattr(each, "hidden", False)]
    yield CommandEntry(
        words,
        _paragraphs(command.help or ""),
        tuple(_parameter(each) for each in shown),
        bool(children),
        EXAMPLES.get(" ".join(words), ()),
    )
    for name in command.list_commands(None) if children else ():
        if not children[name].hidden:
            yield from _walk(children[name], (*words, name))


def _paragraphs(help_text: str) -> tuple[str, ...]:
    blocks = inspect.cleandoc(help_text).replace("\b", "").split("\n\n")
    return tuple(" ".join(each.split()) for each in blocks if each.strip())


def _parameter(given: Any) -> Parameter:
    is_argument = given.param_type_name == "argument"
    is_flag = not is_argument and (given.is_flag or given.count)
    many = bool(getattr(given, "multiple", False)) or bool(getattr(given, "count", False))
    metavar = given.metavar or ""
    if is_argument:
        written = f"{metavar}..." if given.nargs == -1 and not metavar.endswith("...") else metavar
        written = written if given.required or written.startswith("[") else f"[{written}]"
    else:
        names = [_longest(given.opts), *([_longest(given.secondary_opts)] if given.secondary_opts else [])]
        written = ", ".join(names) if is_flag else f"{names[0]} {metavar}"
    return Parameter(
        written,
        _with_stop(given.help or ""),
        _default(given, is_flag=is_flag),
        is_argument,
        bool(given.required),
        many,
    )


def _longest(names: Sequence[str]) -> str:
    return max(names, key=len)


def _with_stop(text: str) -> str:
    return text if not text or text.endswith((".", "?", ":")) else f"{text}."


def _default(given: Any, *, is_flag: bool) -> str:
    value = given.default
    if is_flag:
        return given.opts[0] if value is True and given.secondary_opts else ""
    if value is None or value == "" or callable(value):
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)
