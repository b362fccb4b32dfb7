"""Macros in the config: read with their lines, and none stops another."""

import pytest

from frontdesk.config.config_tables import MacroFile, MacroSetting, MacroStep, load_macros, read_macros

GOOD = """\
default_profile = "acme"

[[macros]]
name = "Wait for them"
key = "B"
do = ["status waiting", "due +2h"]

[[ macros ]]
name = "Refund"
key = "f6"
do = [
    "assign +dan",  # who does refunds
    "tag refund",
]

[settings]
title = true
"""


def read(text: str) -> MacroFile:
    import tomllib

    return read_macros(tomllib.loads(text).get("macros", []), text, "config.toml")


def test_each_step_has_its_line() -> None:
    assert read(GOOD) == MacroFile(
        (
            MacroSetting(
                "Wait for them",
                "B",
                (
                    MacroStep("status waiting", "config.toml, line 6"),
                    MacroStep("due +2h", "config.toml, line 6"),
                ),
                "config.toml, line 5",
            ),
            MacroSetting(
                "Refund",
                "f6",
                (
                    MacroStep("assign +dan", "config.toml, line 12"),
                    MacroStep("tag refund", "config.toml, line 13"),
                ),
                "config.toml, line 10",
            ),
        )
    )


@pytest.mark.parametrize(
    ("block", "fault"),
    [
        ('key = "B"\ndo = ["due +2h"]', 'line 3: macros[0].name: expected a name, such as "Wait for them"'),
        ('name = "x"\ndo = ["due +2h"]', 'line 3: macros[0].key: expected a key, such as "B"'),
        ('name = "x"\nkey = 7\ndo = ["due +2h"]', 'line 5: macros[0].key: expected a key, such as "B"'),
        ('name = "x"\nkey = "B"\ndo = []', "line 6: macros[0].do: expected a list of steps, such as"),
        ('name = "x"\nkey = "B"\ndo = ["due +2h", 3]', "line 6: macros[0].do: expected a list of steps, such as"),
        (
            'name = "x"\nkey = "B"\ndo = ["due +2h"]\nwhen = 1',
            "line 7: macros[0].when: unknown key",
        ),
        ('name = "x"\nkey = "B"\ndoes = ["due +2h"]', "line 6: macros[0].does: unknown key; choose from do, key"),
    ],
)
def test_one_that_cannot_be_read_is_named_and_the_others_stay(block: str, fault: str) -> None:
    found = read(f'\n\n[[macros]]\n{block}\n\n[[macros]]\nname = "ok"\nkey = "Q"\ndo = ["due +2h"]\n')
    assert [each.name for each in found.macros] == ["ok"]
    assert len(found.faults) == 1
    assert found.faults[0].startswith(f"config.toml, {fault}")


def test_another_form_of_the_list_is_read_without_lines() -> None:
    found = read('macros = [{name = "x", key = "B", do = ["due +2h"]}]')
    assert [(each.name, each.where) for each in found.macros] == [("x", "config.toml")]
    assert read("macros = 3").faults == ("config.toml: write [[macros]] in double brackets before each macro",)


def test_a_file_that_is_missing_or_broken_has_none(tmp_path) -> None:  # type: ignore[no-untyped-def]
    assert load_macros(tmp_path / "config.toml") == MacroFile()
    (tmp_path / "config.toml").write_text("[[macros\n")
    assert load_macros(tmp_path / "config.toml") == MacroFile()
