"""A line as a command and its words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk.linear.app import COMMANDS
from frontdesk.linear.line_parser import NotUnderstood, find_choice, find_name, parse_numbers, split, split_numbers


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("", ("", "")),
        ("   ", ("", "")),
        ("list", ("list", "")),
        ("  due  3 tomorrow  9am ", ("due", "3 tomorrow  9am")),
        ("/late order", ("find", "late order")),
        ("a\tb\x1b[31m", ("a", "b [31m")),
    ],
)
def test_a_line_is_a_word_and_the_rest(line: str, parts: tuple[str, str]) -> None:
    assert split(line) == parts


@pytest.mark.parametrize(
    ("typed", "name"),
    [("list", "list"), ("LIST", "list"), ("camp", "campaigns"), ("u", "u"), ("U", "U"), ("?", "?")],
)
def test_names_are_taken_in_any_case_and_letters_as_they_are(typed: str, name: str) -> None:
    assert find_name(typed, COMMANDS) == name


@pytest.mark.parametrize(
    ("typed", "hint"),
    [("lsit", r"Did you mean list\?"), ("un", "Did you mean"), ("qqqqqq", "To list the commands")],
)
def test_an_unknown_name_is_told_the_nearest(typed: str, hint: str) -> None:
    with pytest.raises(NotUnderstood, match=hint):
        find_name(typed, COMMANDS)


def test_a_beginning_of_several_chooses_none() -> None:
    with pytest.raises(NotUnderstood, match="Did you mean board or boast"):
        find_name("boa", ["board", "boast"])


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("3 done", ([3], "done")),
        ("2,4-6 tomorrow 9am", ([2, 4, 5, 6], "tomorrow 9am")),
        ("this 3 days", (None, "this 3 days")),
        ("17:00", (None, "17:00")),
        ("2026-12-24 9am", (None, "2026-12-24 9am")),
        ("", (None, "")),
    ],
)
def test_the_first_word_is_numbers_of_the_list_or_belongs_to_the_rest(
    words: str, found: tuple[list[int] | None, str]
) -> None:
    assert split_numbers(words) == found


def test_all_numbers_belong_together_where_nothing_else_may_follow() -> None:
    assert split_numbers("2 4 6-7 2", all_of_them=True) == ([2, 4, 6, 7], "")


@pytest.mark.parametrize(
    ("word", "why"),
    [("6-2", "isn't a valid range"), ("1-10001", "10,000 numbers at most"), ("1-999999999", "too long")],
)
def test_a_range_that_is_none_is_refused(word: str, why: str) -> None:
    with pytest.raises(NotUnderstood, match=why):
        parse_numbers(word)


def test_one_of_takes_a_beginning() -> None:
    assert find_choice("wait", ["waiting", "name"]) == "waiting"
    with pytest.raises(NotUnderstood, match="hoose one of: waiting, name"):
        find_choice("", ["waiting", "name"])


@few
@given(st.text())
def test_any_line_is_split_without_control_characters(line: str) -> None:
    word, words = split(line)
    assert not any(ord(each) < 32 or 127 <= ord(each) < 160 for each in word + words)
    try:
        found = find_name(word, COMMANDS)
    except NotUnderstood:
        assert word not in COMMANDS
    else:
        assert found in COMMANDS
