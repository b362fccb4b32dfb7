"""docs/troubleshooting.md quotes the program's words as they are, and has every state of the status line."""

import ast
import re
from collections.abc import Collection
from pathlib import Path

import pytest

from frontdesk.outbox import change_view
from frontdesk.storage import database_files
from frontdesk.sync import status_view
from source_tree import PACKAGE

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


@pytest.mark.slow
@pytest.mark.parametrize("quote", quotes())
def test_a_quote_is_what_the_program_says(quote: str) -> None:
    parts = [part.strip(" :;,.") for part in _INSERTED.split(quote)]
    source = "\n".join(strings_in_source())
    assert [part for part in parts if len(part) > 2 and part not in source] == []


def test_there_are_quotes() -> None:
    assert len(quotes()) > 50


def test_every_state_of_the_status_line_is_in_the_docs_and_no_other() -> None:
    states = {state.words for state in status_view._STATES.values()}
    assert set(first_cells(section(PAGE, "The status line"), "it says")) == states


def test_every_cause_that_nothing_can_be_saved_is_in_the_docs_and_no_other() -> None:
    page = section(PAGE, "The status line").partition("After `can't save`")[2]
    causes = [problem.short for problem in database_files.PROBLEMS.values()]
    assert set(first_cells(page, "it says")) == {*causes, database_files._OTHER.short}


def test_every_word_of_the_status_line_is_in_the_docs() -> None:
    page = section(PAGE, "The status line")
    words = {text for file, names in STATUS_LINE.items() for text in shown_in(PACKAGE / file, names)}
    assert {"to send", "a decision", "privacy on", "for you", "commands running"} <= words
    assert {text for text in words if text not in page} == set()


STATUS_LINE = {
    "tui/status_bar.py": ("update", "_marked_words"),
    "outbox/bulk.py": ("describe_read_only", "describe_undecided"),
    "inbox/tui/mention_notices.py": ("status_part", "_count_words"),
    "storage/clocks.py": ("offset_words",),
    "campaigns/tui/alert_notifier.py": ("status_part",),
    "automation/command_runs.py": ("status_part",),
}
"""The functions that write to the status line beside the connection."""

_SAID_BESIDE = {"hides", "opens", "go.activity", "go.campaigns", "find.mention", "alert.dismiss", "and"}
"""Names of keys, and what stands behind a key."""


def shown_in(path: Path, functions: Collection[str]) -> set[str]:
    """The literal parts of the texts in these functions."""
    found = set[str]()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name in functions:
            docs = ast.get_docstring(node, clean=False)
            literals = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant))
            texts = (re.sub(r"^\W+|\W+$", "", each) for each in literals if isinstance(each, str) and each != docs)
            found |= {text for text in texts if len(text) > 2 and text not in _SAID_BESIDE}
    return found


def test_every_state_of_a_change_is_in_the_docs_and_no_other() -> None:
    rows = table(section(DOCS / "agents.md", "See what happened to your changes"), "state")
    assert {code for row in rows for code in codes(row[0])} == set(change_view._STATE_WORDS.values())
