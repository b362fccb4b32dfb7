"""Shares as percentages: one style everywhere, and no share rounded to nothing or to all."""

import pytest

from frontdesk.text.percentages import percent, percent_and_count


@pytest.mark.parametrize(
    ("share", "digits", "shown"),
    [
        (0.0, None, "0%"),
        (0.0004, None, "<0.1%"),
        (0.042, None, "4.2%"),
        (0.0996, None, "10%"),
        (0.996, None, ">99%"),
        (1.0, None, "100%"),
        (9.5, None, "950%"),
        (20.0, None, ">999%"),
        (0.0, 0, "0%"),
        (0.004, 0, "<1%"),
        (0.614, 0, "61%"),
        (0.996, 0, ">99%"),
        (0.0004, 1, "<0.1%"),
        (0.25, 1, "25.0%"),
        (0.9999, 1, ">99.9%"),
        (1.0, 1, "100.0%"),
    ],
)
def test_some_is_never_nothing_and_not_all_never_all(share: float, digits: int | None, shown: str) -> None:
    assert percent(share, digits) == shown
    assert len(shown) <= 6


def test_a_percentage_beside_a_count_is_of_the_same_numbers() -> None:
    assert percent_and_count(4, 6) == ("67%", "4 of 6")
    assert percent_and_count(5_239, 5_239) == ("100%", "5,239 of 5,239")
    assert percent_and_count(5_238, 5_239) == (">99%", "5,238 of 5,239")
