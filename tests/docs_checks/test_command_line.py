"""docs/command-line.md has every command and option of the program, and no other."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from frontdesk.app.cli_commands import app
from frontdesk.cli import errors

from .pages import DOCS, headings, section, table

PAGE = DOCS / "command-line.md"
README = DOCS.parent / "README.md"
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_COMMAND_LINE = re.compile(r"^ +(?:\.venv/bin/)?frontdesk(?: +(.*))?$", re.MULTILINE)

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
    found = list(headings(PAGE.read_text(encoding="utf-8")))[1:]
    assert found[0] == "What all commands share"
    assert set(found[1:]) == {name or "frontdesk" for name in COMMANDS} | GROUPS
    assert len(found) == len(set(found))


@pytest.mark.parametrize("name", COMMANDS, ids=lambda name: name or "frontdesk")
def test_a_section_has_the_options_of_its_command_and_no_other(name: str) -> None:
    text = section(PAGE, name or "frontdesk")
    assert set(_OPTION.findall(text)) == options(COMMANDS[name])


@pytest.mark.parametrize("name", COMMANDS, ids=lambda name: name or "frontdesk")
def test_a_section_begins_with_how_its_command_is_written(name: str) -> None:
    text = section(PAGE, name or "frontdesk").lstrip("\n")
    assert re.match(rf"    frontdesk{' ' + name if name else ''}(?= |\n)", text)
    arguments = [each for each in COMMANDS[name].params if each.param_type_name == "argument"]
    usage = text.split("\n\n")[0]
    assert [each.name for each in arguments if (each.metavar or each.name).strip("[].") not in usage] == []


@pytest.mark.parametrize("page", [README, *sorted(DOCS.glob("*.md"))], ids=lambda page: page.name)
def test_every_command_line_in_a_code_block_exists(page: Any) -> None:
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    for line in _COMMAND_LINE.findall(text):
        words = line.split()
        name = next((name for name in sorted(COMMANDS, key=len, reverse=True) if _begins(words, name)), "")
        assert not words or name or words[0].startswith(("-", "[")), line
        assert set(_OPTION.findall(line)) <= options(COMMANDS[name]) | options(ROOT) | {"--help", "--width"}, line


def _begins(words: list[str], name: str) -> bool:
    return name != "" and words[: len(name.split())] == name.split()


def test_the_exit_statuses_are_those_of_the_program() -> None:
    rows = table(section(PAGE, "What all commands share"), "exit status")
    expected = [0, errors.REFUSED, errors.INPUT_WRONG, errors.CREDENTIALS, errors.UNREACHABLE, 130]
    assert [int(row[0]) for row in rows] == expected


TRY = "python3 -m venv .venv && .venv/bin/pip install -e '.[sandbox]' && .venv/bin/frontdesk demo"
TEST = "python3 -m venv .venv && .venv/bin/pip install -e '.[dev]' && .venv/bin/pytest"


def test_the_readme_is_short_and_has_the_two_commands_on_its_first_screen() -> None:
    lines = README.read_text(encoding="utf-8").splitlines()
    assert {f"    {TRY}", f"    {TEST}"} <= set(lines[:24])
    assert len(lines) <= 150
