"""docs/own-commands.md has every event and placeholder of commands and hooks, and no other."""

from frontdesk.config.extensions import COMMAND_PLACEHOLDERS, EVENTS, HOOK_PLACEHOLDERS
from frontdesk.registry.keymap import KEYMAP

from .pages import DOCS, first_cells, section

PAGE = DOCS / "own-commands.md"


def test_every_event_and_placeholder_is_in_the_docs_and_no_other() -> None:
    assert set(first_cells(section(PAGE, "Hooks"), "event")) == set(EVENTS)
    names = first_cells(section(PAGE, "What a program gets"), "placeholder")
    assert names == [f"{{{each}}}" for each in COMMAND_PLACEHOLDERS]
    text = section(PAGE, "Hooks")
    assert {each for each in HOOK_PLACEHOLDERS if f"`{{{each}}}`" not in text} == set()


def test_the_function_keys_that_the_docs_promise_are_free() -> None:
    assert "never uses the function keys from `f2` on" in " ".join(section(PAGE, "Commands").split())
    assert {key for each in KEYMAP for key in each.keys if key.startswith("f") and key[1:].isdecimal()} == {"f1"}
