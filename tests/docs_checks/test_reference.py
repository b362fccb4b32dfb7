"""docs/reference/ is as docs/make.py makes it from the code now, and has everything, both ways."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
import typer
from page_sources import MAKERS, REFERENCE, stale_files, surplus_files
from page_sources.command_pages import commands_page
from page_sources.kept_files import KEPT_FILES
from page_sources.key_pages import keys_page

from frontdesk.cli import commands as cli_commands
from frontdesk.config.tables import declare, keys_of
from frontdesk.linear.app import COMMANDS as LINEAR_COMMANDS
from frontdesk.registry.actions import ACTIONS
from frontdesk.registry.keymap import KEYMAP
from source_tree import source_files

from .pages import first_cells

MAKE = "run .venv/bin/python docs/make.py"
_FILE_NAME = re.compile(r'"([\w-][\w.-]*\.(?:db|log|toml|lock|pipe|json|waiting|cache))"')
NO_FILES_OF_OURS = {
    "openapi.json": "part of the package",
    "copy.json": "the id of a key",
    "config.schema.json": "part of the docs",
}


def test_every_page_is_as_the_code_is_now_and_no_other_is_there() -> None:
    assert [str(path.relative_to(REFERENCE.parent)) for path, _ in stale_files()] == [], MAKE
    assert surplus_files() == []


@pytest.mark.parametrize("name", [name for name in MAKERS if not name.endswith(".json")])
def test_a_page_says_at_its_top_that_it_is_made(name: str) -> None:
    assert "Made by docs/make.py from " in (REFERENCE / name).read_text(encoding="utf-8").splitlines()[0]


def test_a_new_command_and_option_are_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    def brew(cups: Annotated[int, typer.Option(metavar="N", help="How many.")] = 2) -> None:
        """Make tea."""

    monkeypatch.setattr(cli_commands.app, "registered_commands", [*cli_commands.app.registered_commands])
    cli_commands.app.command("brew")(brew)
    made = commands_page()
    assert "## brew\n\n    frontdesk brew [--cups N]\n\nMake tea.\n" in made
    assert "| `--cups N` | How many. Default: `2`. |" in made
    assert [path.name for path, _ in stale_files()] == ["commands.md", "frontdesk.1"]


def test_every_action_with_a_key_and_every_linear_command_are_on_their_pages_and_no_other() -> None:
    rows = re.findall(r"^\| `([a-z_]+\.[a-z_]+)` \|", keys_page(), re.MULTILINE)
    assert sorted(rows) == sorted(each.id for each in KEYMAP)
    assert {each.id for each in ACTIONS if each.keys} <= set(rows)
    page = (REFERENCE / "linear-commands.md").read_text(encoding="utf-8")
    typed = [each.split()[0] for each in first_cells(page, "command")]
    assert typed == [each.names[0] for each in dict.fromkeys(LINEAR_COMMANDS.values())]


def test_every_command_that_an_action_names_exists() -> None:
    page = (REFERENCE / "commands.md").read_text(encoding="utf-8")
    for action in KEYMAP:
        for name in action.commands:
            assert re.search(rf"^##+ {name}$", page, re.MULTILINE), action.id


def file_names(source: str) -> set[str]:
    return set(_FILE_NAME.findall(source))


def test_every_file_that_the_source_names_is_on_the_page_and_no_other() -> None:
    named = {name for path in source_files() for name in file_names(path.read_text(encoding="utf-8"))}
    text = (REFERENCE / "files.md").read_text(encoding="utf-8")
    assert {name for name in named - set(NO_FILES_OF_OURS) if name not in text} == set()
    documented = {part for each in KEPT_FILES for part in each.name.split(", ") if "*" not in part}
    plain = {Path(part).name for part in documented if "." in part}
    assert plain <= named


def test_a_file_that_the_source_names_is_found() -> None:
    assert file_names('path = folder / "new.db"') == {"new.db"}


def test_a_field_that_is_not_declared_is_no_key_of_the_file() -> None:
    @dataclass
    class Table:
        shown: str = declare("Something.", "")
        inner: str = ""

    assert {name: each.text for name, each in keys_of(Table).items()} == {"shown": "Something."}
