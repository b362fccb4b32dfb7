"""Seconds become aware datetimes; a value that no calendar has is None, never an error."""

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk_api.contract.values import (
    MILLIS_FROM,
    UnixSeconds,
    UnixUnstated,
    seconds_to_datetime,
    unstated_to_seconds,
)

NOON = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)
NOON_SECONDS = 1_795_003_200

ABSURD = [1e20, -1e20, 1e308, -1e308, 10**40, -(10**40), 10**400, -(10**400), math.inf, -math.inf, math.nan]


def test_seconds_become_an_aware_time() -> None:
    assert seconds_to_datetime(UnixSeconds(NOON_SECONDS)) == NOON
    read = seconds_to_datetime(UnixSeconds(NOON_SECONDS))
    assert read is not None
    assert read.utcoffset() == timedelta(0)


@pytest.mark.parametrize("value", ABSURD, ids=lambda value: str(value)[:6])
def test_an_absurd_time_is_none(value: float) -> None:
    assert seconds_to_datetime(UnixSeconds(value)) is None


@settings(deadline=None)
@given(st.floats() | st.integers())
def test_every_number_is_an_aware_time_or_none(value: float) -> None:
    read = seconds_to_datetime(UnixSeconds(value))
    assert read is None or read.tzinfo is UTC


def test_a_time_of_unstated_unit_is_milliseconds_from_1e11_on() -> None:
    assert MILLIS_FROM == 1e11
    below = math.nextafter(1e11, 0)
    assert unstated_to_seconds(UnixUnstated(below)) == below
    assert unstated_to_seconds(UnixUnstated(1e11)) == 1e8
    assert unstated_to_seconds(UnixUnstated(NOON_SECONDS)) == NOON_SECONDS
    assert unstated_to_seconds(UnixUnstated(NOON_SECONDS * 1000)) == NOON_SECONDS
    assert unstated_to_seconds(UnixUnstated(-1e11)) == -1e8


@settings(deadline=None)
@given(st.datetimes(datetime(1975, 1, 1), datetime(2200, 1, 1)))
def test_either_unit_of_a_time_people_live_in_is_told_by_its_magnitude(moment: datetime) -> None:
    at = moment.replace(tzinfo=UTC, microsecond=0)
    seconds = at.timestamp()
    assert unstated_to_seconds(UnixUnstated(seconds)) == seconds
    assert unstated_to_seconds(UnixUnstated(seconds * 1000)) == seconds
