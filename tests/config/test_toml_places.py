"""Problems of the config with their lines."""

from pathlib import Path

import pytest

from frontdesk.config.toml_edits import with_line

TEXT = """# mine
[[sla]]
name = "one"

[[hooks]]
on = "message"

[[ sla ]]
name = "two"
hours = [
    "mon 9-17",
]
[profiles.acme]
base_url = "https://x"
[[profiles.acme.replies]]
"key" = "a"
[settings.keymap]
"task.status" = "j"
"""


@pytest.mark.parametrize(
    ("problem", "place"),
    [
        ("sla[0].name: expected a name", "config.toml, line 3: "),
        ("sla[1].hours[0]: '9-17' isn't a period", "config.toml, line 10: "),
        ("sla[1].warn: write minutes", "config.toml, line 8: "),
        ("sla[1]: no clock", "config.toml, line 8: "),
        ("hooks[0] (message).run: expected a list", "config.toml, line 5: "),
        ("profiles.acme.replies[0].key: unknown", "config.toml, line 16: "),
        ("sla (two).hours: a problem", "config.toml, line 10: "),
        ("sla (three).hours: a problem", "config.toml: "),
        ("settings.keymap.task.status: j is taken", "config.toml, line 18: "),
        ("sla[7].name: written in another form", "config.toml: "),
        ("commands: expected a list of tables", "config.toml: "),
        ("profiles.acme.base_url: unknown key", "config.toml, line 14: "),
        ("profiles.other.base_url: unknown key", "config.toml: "),
    ],
)
def test_a_problem_has_the_line_of_its_key_or_of_its_table(tmp_path: Path, problem: str, place: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(TEXT)
    path.chmod(0o600)
    assert with_line(problem, path) == place + problem


def test_a_file_that_cannot_be_read_has_no_lines(tmp_path: Path) -> None:
    assert with_line("sla[0].name: gone", tmp_path / "config.toml") == "config.toml: sla[0].name: gone"
