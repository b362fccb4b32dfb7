"""Names as people type them, against ids and names that are known, and what is said of those that aren't."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.text.fuzzy import (
    MAX_NAMED,
    NoSuchName,
    find_named,
    flag_refusal,
    key_refusal,
    may_be_id,
    name_refusal,
    nearest,
    text_refusal,
    whole_name,
)
from frontdesk_lines.privacy import set_private

NAMES = {
    "a1": "Noa Levi",
    "a2": "Noa Ben-David",
    "a3": "Omar Nasser",
    "a4": "דנה כהן",
    "open": "Open",
    "o2": "Reopened",
}


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("a2", "a2"),
        ("noa levi", "a1"),
        ("NOA L", "a1"),
        ("ben-david", "a2"),
        ("nas", "a3"),
        ("mar", "a3"),
        ("דנה", "a4"),
        ("כהן", "a4"),
        ("open", "open"),
        ("reop", "o2"),
        ("  omar   nasser ", "a3"),
    ],
)
def test_an_id_a_name_its_beginning_or_a_part_of_it_is_enough(typed: str, found: str) -> None:
    assert find_named(typed, NAMES, "person") == found


@pytest.mark.parametrize(
    ("typed", "found"),
    [("a2", "a2"), (" noa  LEVI ", "a1"), ("NOA L", None), ("twin", None), ("t1", "t1"), ("", None)],
)
def test_a_whole_name_is_no_part_of_one_and_none_of_namesakes(typed: str, found: str | None) -> None:
    assert whole_name(typed, {**NAMES, "t1": "Twin", "t2": "twin", "t3": ""}) == found


def test_several_are_named_and_nothing_is_chosen() -> None:
    with pytest.raises(NoSuchName, match="noa could be Noa Levi or Noa Ben-David"):
        find_named("noa", NAMES, "person")


@pytest.mark.parametrize("typed", ["", "   ", "zzz"])
def test_none_says_which_there_are(typed: str) -> None:
    with pytest.raises(NoSuchName, match=r"no person named.*Noa Levi"):
        find_named(typed, NAMES, "person")


@given(st.text(), st.dictionaries(st.text(), st.text()))
def test_whatever_is_typed_is_one_of_them_or_refused(typed: str, names: dict[str, str]) -> None:
    try:
        found = find_named(typed, names, "tag")
    except NoSuchName:
        assert typed not in names
    else:
        assert found in names


@pytest.mark.parametrize(
    ("typed", "names", "why"),
    [
        (" noa ", {"a": "Noa", "b": "Noam", "c": "Noah"}, ""),
        ("no", {"a": "Noa", "b": "Noam", "c": "Noah"}, "no could be Noa, Noam or Noah"),
        ("am", {"a": "Sam A", "b": "Pam B"}, "am could be Sam A or Pam B"),
        (" Zoe ", {"a": "Noa"}, "no person named Zoe; choose from Noa"),
        ("Zoe", {"a": "Noa", "b": "Omar"}, "no person named Zoe; choose from Noa and Omar"),
        ("  ", {"a": "Noa", "b": "Omar"}, "no person named; choose from Noa and Omar"),
        ("Zoe", {}, "no person named Zoe; there are none yet"),
    ],
)
def test_a_refusal_lists_who_is_meant_or_who_there_is(typed: str, names: dict[str, str], why: str) -> None:
    if not why:
        assert find_named(typed, names, "person") in names
        return
    with pytest.raises(NoSuchName) as refused:
        find_named(typed, names, "person")
    assert str(refused.value) == why


def test_of_many_names_the_first_are_listed_and_the_others_are_counted() -> None:
    def listed(count: int) -> str:
        with pytest.raises(NoSuchName) as refused:
            find_named("x", {str(number): f"N{number}" for number in range(count)}, "tag")
        return str(refused.value).partition("choose from ")[2]

    assert listed(MAX_NAMED) == "N0, N1, N2, N3, N4 and N5"
    assert listed(MAX_NAMED + 1) == "N0, N1, N2, N3, N4 and 2 more"
    assert listed(30) == "N0, N1, N2, N3, N4 and 25 more"
    set_private(True)
    assert listed(30) == "30 hidden names"


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("st", ["status", "state"]),
        ("status", ["status"]),
        ("statsu", ["status"]),
        ("agnt", ["agent"]),
        ("zzzz", []),
        ("", []),
    ],
)
def test_the_nearest_words_are_those_that_begin_so_or_else_the_most_similar_one(
    typed: str, expected: list[str]
) -> None:
    assert nearest(typed, ["status", "state", "agent", "is"]) == expected


def test_an_unknown_word_of_a_filter_is_refused_with_the_nearest_or_all() -> None:
    known = ["status", "state", "agent"]
    assert key_refusal("st", known) == "st: did you mean status: or state:? Quote text with colons"
    assert key_refusal("zzz", known) == "zzz: isn't one of status:, state:, agent:; quote text with colons"
    assert flag_refusal("st", known) == "is:st: did you mean is:status or is:state?"
    assert flag_refusal("zzz", known) == "is:zzz isn't one of status, state, agent"
    assert text_refusal("~!!") == "~!!: type letters or digits to search for"


@pytest.mark.parametrize(
    ("value", "expected"),
    [("c1", True), ("a-b", True), ("a_b", True), ("a.b", True), ("a:b", True), ("a#b", True), ("a@b", True),
     ("noa", False), ("a/b", False), ("a1 b", False), ("", False)],
)  # fmt: skip
def test_a_word_with_a_digit_or_a_sign_may_be_an_id(value: str, expected: bool) -> None:
    assert may_be_id(value) is expected


@pytest.mark.parametrize(
    ("value", "names", "why"),
    [
        ("noa", ["Noa Levi", "Noa Cohen", "Omar"], "agent:noa could be Noa Levi or Noa Cohen"),
        ("noah", ["Noa Levi", "Omar"], "agent:noah: no agent has that name; did you mean Noa Levi?"),
        ("omra", ["Noa Levi", "Omar", "Omar"], "agent:omra: no agent has that name; did you mean Omar?"),
        ("levy", ["Noa LEVI", "Dan Levi"],
         "agent:levy: no agent has that name; did you mean Noa LEVI or Dan Levi?"),
        ("zzz", ["Noa", "Omar"], "agent:zzz: no agent has that name; choose from Noa and Omar"),
    ],
)  # fmt: skip
def test_an_unknown_name_is_refused_with_those_it_is_part_of_or_close_to(
    value: str, names: list[str], why: str
) -> None:
    assert name_refusal("agent", value, names) == why


def test_the_whole_name_goes_before_a_beginning_and_that_before_a_word_and_a_part() -> None:
    names = {"1": "An", "2": "Anna", "3": "Dan An", "4": "Hanna"}
    assert find_named("an", names, "person") == "1"
    assert find_named("anna", names, "person") == "2"
    assert find_named("han", names, "person") == "4"
    assert find_named("dan", {"1": "Levi Dan", "2": "Jordan"}, "person") == "1"
    with pytest.raises(NoSuchName, match=re.escape("ann could be Joann or Hanna")):
        find_named("ann", {"1": "Joann", "2": "Hanna"}, "person")
