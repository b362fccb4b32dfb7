"""The reference has every command and option, and no other; what other pages say of commands is true."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from page_sources.man_page import EXIT_STATUSES

from frontdesk.cli import errors
from frontdesk.cli.commands import app

from .pages import ALL_PAGES, DOCS, REFERENCE, code_blocks, headings, section, table

PAGE = DOCS / "command-line.md"
REFERENCE_PAGE = REFERENCE / "commands.md"
README = DOCS.parent / "README.md"
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_COMMAND_LINE = re.compile(r"^ *(?:\$ )?(?:\.venv/bin/)?frontdesk(?: +(.*))?$", re.MULTILINE)

ROOT = typer.main.get_command(app)


def commands(command: Any = ROOT, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield every command that can be run with its words; the inbox itself has none."""
    children = getattr(command, "commands", {})
    if not children or not path:
        yield " ".join(path), command
    for name, child in children.items():
        yield from commands(child, (*path, name))


COMMANDS = dict(commands())
GROUPS = {name.split()[0] for name in COMMANDS if " " in name}


def options(command: Any) -> set[str]:
    shown = (each for each in command.params if not getattr(each, "hidden", False))
    return {name for each in shown for name in (*each.opts, *each.secondary_opts) if name.startswith("--")}


def test_every_command_has_a_section_and_no_other() -> None:
    found = list(headings(REFERENCE_PAGE.read_text(encoding="utf-8")))[1:]
    assert set(found) == {name or "frontdesk" for name in COMMANDS} | GROUPS
    assert len(found) == len(set(found))


def test_a_section_has_the_options_of_its_command_each_with_its_meaning_and_no_other() -> None:
    for name, command in COMMANDS.items():
        text = section(REFERENCE_PAGE, name or "frontdesk")
        rows = table(text, "option") if options(command) else []
        assert {option for row in rows for option in _OPTION.findall(row[0])} == options(command), name
        assert [row[0] for row in rows if len(row[1]) < 6] == [], name


def test_a_section_begins_with_how_its_command_is_written() -> None:
    for name, command in COMMANDS.items():
        text = section(REFERENCE_PAGE, name or "frontdesk").lstrip("\n")
        assert re.match(rf"    frontdesk{' ' + name if name else ''}(?= |\n)", text), name
        usage = text.split("\n\n")[0]
        arguments = [each for each in command.params if each.param_type_name == "argument"]
        assert [each.name for each in arguments if (each.metavar or each.name).strip("[].") not in usage] == [], (
            name
        )
        assert set(_OPTION.findall(usage)) == options(command), name


def test_every_option_of_the_page_exists() -> None:
    known = {name for command in COMMANDS.values() for name in options(command)} | options(ROOT)
    assert set(_OPTION.findall(PAGE.read_text(encoding="utf-8"))) - known - {"--help"} == set()


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: page.name)
def test_every_command_line_in_a_code_block_exists(page: Any) -> None:
    text = "\n".join(code_blocks(page.read_text(encoding="utf-8"))).replace("\\\n", " ")
    for line in _COMMAND_LINE.findall(text):
        words = line.split()
        if words[1:] == ["COMMAND", "..."]:
            assert words[0] in GROUPS, line
            continue
        name = next((name for name in sorted(COMMANDS, key=len, reverse=True) if _begins(words, name)), "")
        assert not words or name or words[0].startswith(("-", "[")), line
        assert set(_OPTION.findall(line)) <= options(COMMANDS[name]) | options(ROOT) | {"--help", "--width"}, line


def _begins(words: list[str], name: str) -> bool:
    return name != "" and words[: len(name.split())] == name.split()


def test_the_exit_statuses_are_those_of_the_program() -> None:
    rows = table(section(PAGE, "What all commands share"), "exit status")
    expected = [0, errors.REFUSED, errors.INPUT_WRONG, errors.CREDENTIALS, errors.UNREACHABLE, 130]
    assert [int(status) for status, _ in EXIT_STATUSES] == expected
    assert [int(row[0]) for row in rows] == expected
