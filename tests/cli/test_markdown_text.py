"""Markdown as it is read in a terminal."""

import re

import pytest

from frontdesk.cli.markdown_text import render

BOLD, OFF, UNDERLINED = "\x1b[1m", "\x1b[0m", "\x1b[1;4m"


def shown(text: str, width: int = 60) -> str:
    """What is rendered, without the escape sequences."""
    return re.sub(r"\x1b\[[\d;]*m", "", render(text, width))


def test_a_heading_is_bold_and_the_first_one_underlined() -> None:
    assert render("# One\n\n## Three\n", 60) == f"{UNDERLINED}One{OFF}\n\n{BOLD}Three{OFF}\n"


@pytest.mark.parametrize(
    ("link", "text"),
    [
        ("[Keys](configuration.md#keys)", "Keys (configuration#keys)"),
        ("[Files](reference/files.md)", "Files (files)"),
        ("[More](../command-line.md#stats)", "More (command-line#stats)"),
        ("[here](#keys)", "here"),
        ("[a test](../tests/test_it.py)", "a test"),
        ("[results](../tests/lab/faults/matrix/faults.md)", "results"),
        ("[README](../README.md)", "README"),
        ("[a site](https://example.com/x)", "a site (https://example.com/x)"),
        ("![The inbox](../screenshots/inbox.svg)", "(picture: The inbox)"),
        ("<!-- Made by something. -->\ntext", "text"),
    ],
)
def test_a_link_says_where_it_leads(link: str, text: str) -> None:
    assert shown(link) == f"{text}\n"


def test_paragraphs_and_list_items_are_wrapped_and_code_is_left_alone() -> None:
    code = "code stays  as it is, however long: [a](b.md) even with what is a link elsewhere"
    page = f"one two three\nfour five six\n\n- an item that is\n  wrapped here\n- another\n\n```sh\n{code}\n```\n"
    assert shown(page, 24) == (
        f"one two three four five\nsix\n\n • an item that is\n   wrapped here\n • another\n\n    {code}\n"
    )


def test_a_table_is_a_row_of_text_for_each_row() -> None:
    page = "| key | type | means |\n|---|---|---|\n| `a` | text | one \\| two |\n| `b` |  | three |\n"
    assert shown(page) == "a\n    type: text · means: one | two\nb\n    means: three\n"
    assert shown(page, 24).startswith("a\n    type: text\n    means: one | two\nb\n")


def test_bold_words_begin_again_on_the_next_line() -> None:
    rendered = render("**one two three four five six seven** eight", 22)
    assert rendered == f"{BOLD}one two three four {OFF}\n{BOLD}five six seven{OFF} eight\n"


def test_a_note_has_a_bar_before_it() -> None:
    assert (
        shown("text\n\n> **Note:** one two\n> three\n\nmore", 18) == "text\n\n▌ Note: one two\n▌ three\n\nmore\n"
    )
