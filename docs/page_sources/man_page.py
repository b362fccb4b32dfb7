"""`man frontdesk`, in roff, made from the command tree."""

import re
from collections.abc import Sequence

from frontdesk import __version__
from page_sources.command_tree import CommandEntry, Parameter, commands
from page_sources.kept_files import KEPT_FILES
from page_sources.variables import VARIABLES

EXIT_STATUSES = (
    ("0", "Done."),
    ("1", "The platform or the team's database refused, or the command found a problem."),
    ("2", "The command or its input is wrong; nothing was sent."),
    ("3", "Credentials are missing or were refused."),
    ("4", "The platform or the team's database couldn't be reached, kept failing, or the outcome is unknown."),
    ("130", "Interrupted."),
)


def man_text() -> str:
    """Return the page; it has no date, so that it is the same whenever it is made."""
    program, *rest = commands()
    lines = [
        ".\\\" Made by docs/make.py from cli/commands.py and the features' cli modules.",
        f'.TH FRONTDESK 1 "" "frontdesk {__version__}" "frontdesk manual"',
        ".SH NAME",
        "frontdesk \\- a terminal inbox for a business messaging platform",
        ".SH SYNOPSIS",
        *_synopsis(program),
        ".SH DESCRIPTION",
        *_paragraphs(program.paragraphs),
        *_paragraphs(
            (
                "Read more with `frontdesk docs`, which lists the pages that come with the program, and "
                "`frontdesk COMMAND --help`.",
            )
        ),
        ".SH OPTIONS",
        *_parameters(program.parameters),
        *_examples(program.examples),
        ".SH COMMANDS",
    ]
    for command in rest:
        lines += _command(command)
    lines += [".SH EXIT STATUS", *_pairs(EXIT_STATUSES), ".SH ENVIRONMENT"]
    lines += _pairs((each.name, each.means) for each in VARIABLES)
    lines += [".SH FILES"]
    lines += _pairs((f"{each.folder}/{name}", each.holds) for each in KEPT_FILES for name in each.name.split(", "))
    return "\n".join(lines) + "\n"


def _command(command: CommandEntry) -> list[str]:
    lines = [f".SS {' '.join(command.words)}", *_synopsis(command), *_paragraphs(command.paragraphs)]
    return [*lines, *_parameters(command.parameters), *_examples(command.examples)]


def _examples(examples: Sequence[str]) -> list[str]:
    lines = [escape(line) for each in examples for line in each.split("\n")]
    return [".PP", f"Example{'s' * (len(examples) > 1)}:", ".PP", ".nf", *lines, ".fi"] if examples else []


def _synopsis(command: CommandEntry) -> list[str]:
    return [".nh", ".ad l", f".B {escape(command.name)}", escape(" ".join(command.usage)), ".ad", ".hy"]


def _paragraphs(texts: tuple[str, ...]) -> list[str]:
    return [line for text in texts for line in (".PP", escape(text))]


def _parameters(parameters: tuple[Parameter, ...]) -> list[str]:
    return _pairs(
        (
            each.written,
            each.help + (f" Default: {each.default}." if each.default and "Default:" not in each.help else ""),
        )
        for each in parameters
    )


def _pairs(pairs: object) -> list[str]:
    return [line for name, means in pairs for line in (".TP", f".B {escape(name)}", escape(means))]  # type: ignore[attr-defined]


def escape(text: str) -> str:
    """Escape roff's signs, so that options keep their dashes and no line is taken for a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("~", "\\(ti").replace("^", "\\(ha")
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fP", text).replace("`", "\\(ga")
    text = text.replace("'", "\\(aq")
    text = "".join(each if each.isascii() else f"\\[u{ord(each):04X}]" for each in text)
    return f"\\&{text}" if text.startswith((".", "'")) else text
