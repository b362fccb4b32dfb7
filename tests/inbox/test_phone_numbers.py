"""Numbers as people write them, for opening a conversation that no task knows."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.inbox.customer_lookup import MAX_DIGITS, MIN_DIGITS, Pair, customer_id, pair
from frontdesk_api.contract.ids import CustomerId, LineId

HERE, THERE = LineId("972737001200"), LineId("447700900000")
DANA = CustomerId("972521234567")


@pytest.mark.parametrize(
    "typed",
    [
        "+972 52-123-4567",
        "00972 52 1234567",
        "052-123-4567",
        "(052) 123.4567",
        "972521234567",
        "+972 (0)52 1234567",
        "٠٥٢١٢٣٤٥٦٧",
        "972737001200 972521234567",
        "972521234567#972737001200",
        "+972737001200 +972521234567",
    ],
)
def test_a_number_is_taken_however_it_is_written(typed: str) -> None:
    assert pair(typed, [HERE, THERE], HERE) == Pair(HERE, DANA)


@pytest.mark.parametrize(
    ("typed", "line", "customer"),
    [
        ("07700 900123", THERE, "447700900123"),
        ("(555) 010-1234", LineId("15550001111"), "5550101234"),
        ("06 1234567", LineId("39061111111"), "39061234567"),
        ("0521234", LineId("page-17"), None),
        ("0521234", None, None),
        ("12", HERE, None),
        ("dana@example.com", HERE, "dana@example.com"),
        ("two words", HERE, None),
    ],
)
def test_without_its_country_a_number_is_of_the_lines(
    typed: str, line: LineId | None, customer: str | None
) -> None:
    assert customer_id(typed, line) == customer


def test_two_ids_of_which_none_is_known_are_line_and_customer() -> None:
    assert pair("111111111 222222222", [HERE], HERE) == Pair(LineId("111111111"), CustomerId("222222222"))
    assert pair("page-17#u-1", [HERE], HERE) == Pair(LineId("page-17"), CustomerId("u-1"))
    assert pair("447700900000 page#7", [THERE]) is None


def test_a_line_is_not_its_own_customer() -> None:
    assert pair(HERE, [HERE], HERE) is None


def test_a_known_customer_is_preferred_to_one_of_the_lines_country() -> None:
    known = {"052-123-4567": DANA, "0521234567": DANA}
    for typed in ("052-123-4567", f"{THERE} 052-123-4567", f"{THERE}#052-123-4567"):
        assert pair(typed, [THERE], THERE, lambda number, _: known.get(number)) == Pair(THERE, DANA)
    assert pair("07700 900123", [THERE], THERE, lambda *_: None) == Pair(THERE, CustomerId("447700900123"))


LINES = (HERE, THERE, LineId("page-17"))
_typed = st.text() | st.text(alphabet="0123456789+()-.#/ \t٠٥page", max_size=40)


@settings(max_examples=40)
@given(_typed, st.none() | st.text().map(LineId) | st.sampled_from(LINES))
def test_whatever_is_typed_is_a_customer_and_a_line_that_are_two_or_nothing(
    typed: str, line_id: LineId | None
) -> None:
    found = pair(typed, LINES, line_id)
    if found is None:
        return
    assert found.customer_id != found.line_id
    assert found.customer_id
    assert not set(found.customer_id) & set("# \t\n"), "it would be two halves of a conversation's id"
    # Without two parts the line is the one that is picked, and no other that happens to be typed.
    assert found.line_id == line_id or len(re.split(r"[#\s]+", typed.strip())) >= 2
    if found.customer_id.isdecimal() and found.customer_id not in typed:
        assert MIN_DIGITS <= len(found.customer_id) <= MAX_DIGITS
        assert found.customer_id.isascii()
