"""What hides a text leaves nothing of it but its shape, and costs nothing while it is off."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk_lines.display_text import show_label, show_line, show_name
from frontdesk_lines.privacy import SIGN, hide, set_private


@pytest.fixture
def private() -> None:
    set_private(True)


@given(st.text())
def test_no_letter_digit_or_picture_is_left(text: str) -> None:
    left = {
        unicodedata.category(each)[0] for each in hide(text) if not each.isascii() and each not in "…·–—“”‘’␤•"
    }
    assert not any(each.isascii() and each.isalnum() for each in hide(text))
    assert not left


def test_words_keep_their_length_and_punctuation() -> None:
    assert hide("Hi, where is 4711?") == "••, ••••• •• ••••?"
    assert hide("שלום e\u0301 👨\u200d👩") == f"{SIGN * 4} {SIGN} {SIGN * 2}"


def test_a_person_keeps_one_alias_whatever_they_are_called(private: None) -> None:
    one = show_name("Dana", kind="Person", key="p1").text
    assert show_name("Dana Levi", kind="Person", key="p1").text == one
    assert show_name("Dana", kind="Person", key="p2").text != one
    assert "Dana" not in one


def test_only_labels_stay_readable(private: None) -> None:
    assert show_line("Dana owes 12").text == "•••• •••• ••"
    assert show_label("In progress").text == "In progress"


def test_off_it_changes_nothing() -> None:
    assert show_line("Dana").text == show_name("Dana", kind="Person", key="p1").text == "Dana"
