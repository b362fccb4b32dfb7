"""Service clocks in a row, in full, and in an alert."""

from datetime import UTC, datetime

import pytest

from frontdesk.config.render_context import RenderContext
from frontdesk.service_clocks.clocks import ClockKind, ClockState, ServiceClock
from frontdesk.service_clocks.store import NearestClock
from frontdesk.service_clocks.view import alert_words, fact_spans, nearest_words, row_span
from frontdesk_lines.display_text import trusted
from frontdesk_lines.glyphs import UNICODE
from frontdesk_lines.lines import Role
from sample_records import NAMES

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC).timestamp()
VIEW = RenderContext(NAMES, UNICODE, NOW, UTC)
MINUTE, HOUR = 60.0, 3_600.0
RESOLUTION = ClockKind.RESOLUTION


def clock(
    left: float | None,
    kind: ClockKind = ClockKind.FIRST,
    state: ClockState = ClockState.RUNNING,
    latest: float | None = 0.0,
) -> ServiceClock:
    """A clock that is due in so many seconds, and so much later at the latest."""
    due_at = None if left is None else NOW + left
    due_latest = None if due_at is None or latest is None else due_at + latest
    warn_at = None if due_at is None else due_at - 900
    return ServiceClock(kind, "Service", state, NOW - HOUR, due_at, due_latest, warn_at)


@pytest.mark.parametrize(
    ("shown", "words", "role"),
    [
        (clock(4 * HOUR), "reply 16:00", Role.DIM),
        (clock(14 * MINUTE, ClockKind.NEXT), "reply 12:14", Role.WARN),
        (clock(-2 * HOUR), "! reply 2h late", Role.BAD),
        (clock(0), "! reply <1m late", Role.BAD),
        (clock(24 * HOUR, RESOLUTION), "solve tomorrow 12:00", Role.DIM),
        (clock(HOUR, RESOLUTION, latest=59), "solve 13:00", Role.DIM),
        (clock(HOUR, RESOLUTION, latest=HOUR), "solve ~13:00", Role.DIM),
        (clock(HOUR, RESOLUTION, latest=None), "solve ~13:00", Role.DIM),
        (clock(-HOUR, RESOLUTION, latest=2 * HOUR), "! solve ~1h late", Role.WARN),
        (clock(-2 * HOUR, RESOLUTION, latest=HOUR), "! solve ~2h late", Role.BAD),
        (clock(None, RESOLUTION, ClockState.PAUSED), "solve paused", Role.DIM),
        (clock(None, state=ClockState.UNKNOWN), "reply ?", Role.DIM),
    ],
)
def test_a_row_says_by_when_and_what_isnt_sure(shown: ServiceClock, words: str, role: Role) -> None:
    drawn = row_span(NearestClock(shown), VIEW)
    assert (drawn.text.text, drawn.role) == (words, role)


def test_another_clock_that_isnt_known_is_told_after_the_nearest() -> None:
    nearest = NearestClock(clock(HOUR), has_unknown=True)
    assert row_span(nearest, VIEW).text.text == "reply 13:00 ?"
    assert nearest_words(nearest, VIEW) == "first response by 13:00, another deadline unknown"


def test_the_facts_name_the_clock_and_its_policy() -> None:
    said = "".join(each.text.text for each in fact_spans(NearestClock(clock(HOUR)), VIEW))
    assert said == "first response by 13:00 (Service)"
    assert fact_spans(None, VIEW) == ()


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        (clock(15 * MINUTE), "Dana Levi: first response by 12:15"),
        (clock(-1), "Dana Levi: first response was due 11:59"),
        (clock(-1, RESOLUTION, latest=HOUR), "Dana Levi: resolution was due 11:59 at the earliest"),
    ],
)
def test_an_alert_says_who_what_and_when(shown: ServiceClock, words: str) -> None:
    assert alert_words(shown, trusted("Dana Levi"), VIEW).text == words
