"""Numbers as people write them, for opening a conversation that no task knows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.contract.ids import CustomerId, LineId
from frontdesk.desk.numbers import Pair, customer_id, pair

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


@given(st.text(), st.none() | st.text().map(LineId))
def test_nothing_that_is_typed_fails(typed: str, line: LineId | None) -> None:
    pair(typed, [HERE], line)
