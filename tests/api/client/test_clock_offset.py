"""How far the platform's clock is ahead, by the `Date` of its last responses."""

import time
from contextlib import suppress
from email.utils import formatdate
from typing import Any

import httpx
import pytest

from api.client.fake_server import Platform, error, reply, task
from frontdesk_api.client import transport
from frontdesk_api.client.client import OFFSETS_KEPT, PlatformClient
from frontdesk_api.client.errors import ApiError

NOW = 1_795_000_000.75


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock:
        time = staticmethod(lambda: NOW)

    monkeypatch.setattr(transport, "time", Clock)


def dated(ahead: float, **headers: str) -> httpx.Response:
    return reply({"task": task()}, date=formatdate(NOW + ahead, usegmt=True), **headers)


def offset(*answers: httpx.Response, **options: Any) -> float | None:
    async def ask_each(client: PlatformClient) -> float | None:
        for _ in answers:
            with suppress(ApiError):
                await client.get_task("t1")
        return client.clock_offset

    return Platform(*answers, **options).ask(ask_each)


@pytest.mark.parametrize("ahead", [0.0, 7_200.0, -7_200.0, 61.0])
def test_it_is_known_to_a_second(ahead: float) -> None:
    assert offset(dated(ahead)) == pytest.approx(ahead, abs=1.0)


@pytest.mark.parametrize("date", ["", "yesterday", "Thu, 99 Nov 2026 14:30:00 GMT", "0", "Thu, 26 Nov 2026"])
def test_a_date_that_is_missing_or_broken_says_nothing(date: str) -> None:
    assert offset(reply({"task": task()}, date=date)) is None
    assert offset(reply({"task": task()})) is None


def test_what_a_cache_answers_says_nothing() -> None:
    assert offset(dated(-3_600.0, age="3600")) is None
    assert offset(dated(-3_600.0), *[dated(0.0)] * 2) == pytest.approx(0.0, abs=1.0), "nor one that hides it"


def test_only_the_platforms_own_responses_count() -> None:
    login = httpx.Response(200, html="<html>", headers={"date": formatdate(NOW + 7_200.0, usegmt=True)})
    assert offset(login) is None
    refused = error(404, date=formatdate(NOW + 7_200.0, usegmt=True))
    assert offset(refused) == pytest.approx(7_200.0, abs=1.0)


def test_after_the_clock_was_set_the_newest_decide() -> None:
    assert offset(*[dated(7_200.0)] * 9, *[dated(0.0)] * (OFFSETS_KEPT // 2 + 1)) == pytest.approx(0.0, abs=1.0)


def test_half_of_a_slow_responses_time_counts() -> None:
    """It was written about halfway, in whole seconds."""
    headers = httpx.Headers({"date": formatdate(NOW - 10.0, usegmt=True)})
    assert transport._clock_offset(headers, 20.0) == pytest.approx(0.0, abs=1.0)
    assert time.time() != NOW
