"""docs/troubleshooting.md quotes the program's words as they are, and has every state of the status line."""

import re

import pytest

from frontdesk.outbox import change_view
from frontdesk.sync import status_view

from .names import strings_in_source
from .pages import DOCS, codes, first_cells, section, table

pytestmark = pytest.mark.xdist_group("docs names")  # one worker parses the source

PAGE = DOCS / "troubleshooting.md"
_INSERTED = re.compile(r"…|\bHOST\b|'\w'|\.acme|config\.toml|credentials\.toml|store\.db|outbox\.db|[\d·▲⇅()]+")
"""What stands for a value in a quote, and signs."""


def quotes() -> list[str]:
    text = PAGE.read_text(encoding="utf-8")
    tables = text.split("| it says |")[1:]
    return [code for each in tables for row in table("| it says |" + each, "it says") for code in codes(row[0])]


@pytest.mark.parametrize("quote", quotes())
def test_a_quote_is_what_the_program_says(quote: str) -> None:
    parts = [part.strip(" :;,.") for part in _INSERTED.split(quote)]
    source = "\n".join(strings_in_source())
    assert [part for part in parts if len(part) > 2 and part not in source] == []


def test_there_are_quotes() -> None:
    assert len(quotes()) > 50


def test_every_state_of_the_status_line_is_in_the_docs_and_no_other() -> None:
    states = {text for text, _ in status_view._WORDS.values()}
    assert set(first_cells(section(PAGE, "The status line"), "it says")) == states


def test_every_state_of_a_change_is_in_the_docs_and_no_other() -> None:
    rows = table(section(DOCS / "agents.md", "See what happened to your changes"), "state")
    assert {code for row in rows for code in codes(row[0])} == set(change_view._STATE_WORDS.values())
