"""docs/administrators.md names the extras and shells that there are."""

import tomllib

from frontdesk.cli.completion import Shell

from .names import ROOT
from .pages import DOCS, section, table

PAGE = DOCS / "administrators.md"
FOR_DEVELOPERS = {"fuzz", "mutation"}


def test_each_extra_is_there_with_what_it_adds() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {row[0].strip("`") for row in table(section(PAGE, "Extras"), "extra")}
    older = {"sandbox"}
    assert named | older == set(project["optional-dependencies"]) - FOR_DEVELOPERS
    assert project["optional-dependencies"]["sandbox"] == ["frontdesk[team-demo]"]


def test_each_shell_of_completion_is_there() -> None:
    rows = table(section(PAGE, "Completion"), "shell")
    assert [row[0] for row in rows] == [each.value for each in Shell]
    assert all(f"frontdesk completion {row[0]}" in row[1] for row in rows)
