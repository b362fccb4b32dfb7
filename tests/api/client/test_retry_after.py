"""Retry-After as RFC 9110 writes it, and how long a read waits before it is repeated."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk_api.client.errors import Ambiguous, BadReply, CredentialsMissing, InvalidPaging, NotSent, Refused
from frontdesk_api.client.transport import ONCE, RetryPolicy, parse_retry_after

NOW = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("0", 0),
        (" 5 ", 5),
        ("99999999999999", 999999999),
        ("Sat, 21 Nov 2026 08:00:30 GMT", 30),
        ("Sat, 21 Nov 2026 07:00:00 GMT", 0),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("٣", None),
        ("", None),
    ],
)
def test_seconds_and_dates_are_read(header: str | None, seconds: float | None) -> None:
    assert parse_retry_after(header, NOW) == seconds


@given(st.integers(1, 5), st.floats(0, 60), st.floats(0, 1, exclude_max=True))
def test_a_wait_stays_within_the_cap_and_the_time_left(attempt: int, left: float, chance: float) -> None:
    policy = RetryPolicy(attempts=9, random=lambda: chance)
    wait = policy.wait_before_next(Ambiguous("x"), attempt, left)
    assert wait is None or 0 <= wait <= min(policy.longest_seconds, left)


@pytest.mark.parametrize("error", [InvalidPaging("x"), CredentialsMissing("x"), Refused("x", status=400)])
def test_what_no_repeat_can_mend_is_not_repeated(error: Exception) -> None:
    assert RetryPolicy().wait_before_next(error, 1, 30) is None  # type: ignore[arg-type]


@pytest.mark.parametrize("error", [NotSent("x"), Ambiguous("x"), BadReply("x")])
def test_what_may_pass_is_repeated_unless_asked_once(error: Ambiguous) -> None:
    assert RetryPolicy().wait_before_next(error, 1, 30) is not None
    assert ONCE.wait_before_next(error, 1, 30) is None
