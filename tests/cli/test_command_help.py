"""The help of commands: headings over all of them, and examples that parse and, where they only read, work."""

import re
import shlex
from typing import Any

import pytest
import typer

from cli.command_tree import LEAVES
from cli.commandline import Frontdesk
from frontdesk.cli.command_help import EXAMPLES, HEADINGS
from frontdesk.cli.commands import app

ROOT: Any = typer.main.get_command(app)
LINES = [
    (name, line)
    for name, examples in EXAMPLES.items()
    for each in examples
    for line in each.replace("\\\n", " ").replace("|\n", "|").split("|")
    if "frontdesk " in line
]
READING = ("tasks list", "tasks show", "messages list", "campaigns get", "workflows list", "workflows show")
READING += ("workflows try", "agents list", "agents show", "webhooks delete", "docs")
"""Commands whose examples need no store, file or person, and change nothing."""


def words_of(line: str) -> list[str]:
    """The arguments of an example, without its variables and without where its output goes."""
    words = shlex.split(line.split(" > ")[0])
    return words[words.index("frontdesk") + 1 :]


def test_every_command_has_an_example_and_a_heading() -> None:
    assert {*LEAVES, ""} == EXAMPLES.keys()
    for name, examples in EXAMPLES.items():
        assert f"frontdesk {name}" in examples[-1]
        assert all(len(line) < 110 for each in examples for line in each.split("\n"))
    listed = [name for _, names in HEADINGS for name in names]
    assert sorted(listed) == sorted(ROOT.commands)


def test_each_example_parses() -> None:
    for _, line in LINES:
        words = words_of(line)
        named = next(each for each in (*LEAVES, "") if words[: len(each.split())] == each.split())
        if named:
            LEAVES[named].make_context(named, words[len(named.split()) :])
        else:
            assert not words


@pytest.mark.parametrize(
    ("name", "line"),
    [each for each in LINES if each[0] in READING],
    ids=lambda text: text,
)
def test_an_example_that_only_reads_works_on_the_sandbox(frontdesk: Frontdesk, name: str, line: str) -> None:
    typed = frontdesk(*words_of(line))
    assert typed.status == 0, typed.err


def test_help_shows_examples_and_headings(nowhere: Frontdesk) -> None:
    shown = nowhere("--help").out
    assert re.findall(r"^(\w[\w ]+):$", shown, re.MULTILINE)[1:] == [heading for heading, _ in HEADINGS]
    assert "..." not in shown.split("Inbox:")[1], "a line is cut"
    assert EXAMPLES["tasks show"][0] in nowhere("tasks", "show", "--help").out
