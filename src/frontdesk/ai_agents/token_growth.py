"""Token growth of an AI agent between two reads: the platform only gives the total."""

from collections.abc import Sequence
from typing import NamedTuple

from frontdesk.config.render_context import RenderContext
from frontdesk.storage.records import TokenSample
from frontdesk.text import relative_time

DAY, HOUR = 86_400.0, 3_600.0
MIN_SECONDS = 300.0
"""No rate is given over less time."""

HOLE_SECONDS = 1_800.0
"""Reads this close together leave no doubt about when the total grew."""


class Growth(NamedTuple):
    """Tokens used since a moment in Unix seconds."""

    tokens: float
    since: float


def growth(samples: Sequence[TokenSample], seconds: float, until: float) -> Growth | None:
    """The tokens used in a span; None with a single sample.

    Args:
        samples: oldest first.
        until: when it was last read.
    """
    known = [each for each in samples if each.at <= until]
    if not known:
        return None
    begin = until - seconds
    before = [place for place, each in enumerate(known) if each.at <= begin]
    place = before[-1] if before else 0
    base = known[place]
    since = base.at
    if before:
        following = known[place + 1] if place + 1 < len(known) else None
        if following is None or following.tokens == base.tokens or begin - base.at <= HOLE_SECONDS:
            since = begin
    if until - since <= 0:
        return None
    return Growth(known[-1].tokens - base.tokens, since)


def growth_words(samples: Sequence[TokenSample], until: float | None, view: RenderContext) -> str:
    """Growth and rate on one line, `+12,300 since yesterday 14:05, 340 an hour lately`; empty after one read."""
    if until is None or (of_a_day := growth(samples, DAY, until)) is None:
        return ""
    words = f"{_signed(of_a_day.tokens)} since {relative_time.when(of_a_day.since, view.now, view.zone)}"
    lately = lately_words(samples, until)
    return f"{words}, {lately} lately" if lately else words


def lately_words(samples: Sequence[TokenSample], until: float | None) -> str:
    """The rate of about the last hour, `340 an hour`; empty if unknown or falling."""
    found = None if until is None else growth(samples, HOUR, until)
    if found is None or until is None or until - found.since < MIN_SECONDS or found.tokens < 0:
        return ""
    return f"{found.tokens * HOUR / (until - found.since):,.0f} an hour"


def _signed(tokens: float) -> str:
    """Format a number with its sign; a fall is a correction by the platform."""
    if tokens < 0:
        return f"corrected by \N{MINUS SIGN}{-tokens:,.0f}"
    return f"+{tokens:,.0f}" if tokens else "unchanged"
