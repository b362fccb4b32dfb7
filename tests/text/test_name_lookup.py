"""Names as people type them, against ids and names that are known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.text.fuzzy import NoSuchName, find_named

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
