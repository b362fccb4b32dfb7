"""docs/own-commands.md has every key, event and placeholder of commands and hooks, and no other."""

from dataclasses import fields

from frontdesk.app.screens import KEYMAP
from frontdesk.config.extensions import (
    COMMAND_PLACEHOLDERS,
    EVENTS,
    HOOK_PLACEHOLDERS,
    INPUTS,
    OUTPUTS,
    WHERE,
    CommandSetting,
    HookSetting,
)

from .pages import DOCS, codes, first_cells, section, table

PAGE = DOCS / "own-commands.md"


def test_every_key_of_a_command_and_a_hook_is_in_the_docs_and_no_other() -> None:
    commands = first_cells(section(PAGE, "Commands"), "key in `[[commands]]`")
    assert sorted(commands) == sorted(each.name for each in fields(CommandSetting))
    hooks = first_cells(section(PAGE, "Hooks"), "key in `[[hooks]]`")
    assert sorted(hooks) == sorted({each.name for each in fields(HookSetting)} - {"label"})


def test_every_choice_is_in_the_docs() -> None:
    rows = {codes(row[0])[0]: row[2] for row in table(section(PAGE, "Commands"), "key in `[[commands]]`")}
    for key, choices in (("where", WHERE), ("input", INPUTS), ("output", OUTPUTS)):
        assert {each for each in choices if f'`"{each}"`' not in rows[key]} == set(), key


def test_every_event_and_placeholder_is_in_the_docs_and_no_other() -> None:
    assert set(first_cells(section(PAGE, "Hooks"), "event")) == set(EVENTS)
    names = first_cells(section(PAGE, "What a program gets"), "placeholder")
    assert names == [f"{{{each}}}" for each in COMMAND_PLACEHOLDERS]
    text = section(PAGE, "Hooks")
    assert {each for each in HOOK_PLACEHOLDERS if f"`{{{each}}}`" not in text} == set()


def test_the_function_keys_that_the_docs_promise_are_free() -> None:
    assert "never uses the function keys from `f2` on" in section(PAGE, "Commands")
    assert {key for each in KEYMAP for key in each.keys if key.startswith("f") and key[1:].isdecimal()} == {"f1"}
