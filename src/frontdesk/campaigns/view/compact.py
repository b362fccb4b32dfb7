"""A campaign on one line: name, how far, how fast, time left and share of tried lost, each in its column."""

from collections.abc import Sequence

from frontdesk.campaigns.counters import counter_doubt, done_of_all, lost_share
from frontdesk.campaigns.reading_cache import CampaignReading
from frontdesk.campaigns.throughput import CampaignState
from frontdesk.campaigns.view.funnel_lines import failing_role
from frontdesk.campaigns.view.row import campaign_name, campaign_state, is_outdated, last_read_at
from frontdesk.config.render_context import RenderContext
from frontdesk.text import relative_time
from frontdesk.text.percentages import percent, percent_and_count
from frontdesk_lines.cell_width import cell_width
from frontdesk_lines.lines import Line, Role, Span, fit, span

_SHARE, _RATE, _LEFT, _LOST = 4, 10, 19, 13
_WITH_COUNT, _WITH_RATE = 70, 90
"""Widths from which there is room for how many are done, and for the pace."""


def compact_row(reading: CampaignReading, width: int, view: RenderContext) -> tuple[Line, ...]:
    """Return a campaign's one line; unknown cells are empty or say so, never 0."""
    record = reading.record
    sign = span(f"{view.glyphs.warning} " if reading.alerts else "", Role.BAD)
    name = [sign, campaign_name(record)]
    if record.problem:
        return (fit(name, width, [span("unreadable", Role.BAD)]),)
    right: Sequence[Span] = campaign_state(record, view)
    if record.status == "scheduled" and record.scheduled_at is not None:
        words = "starts" if record.scheduled_at > view.now else "was due"
        right = [span(f"{words} {view.when(record.scheduled_at)}", Role.DIM)]
    if record.status == "inProgress":
        right = _moving(reading, width, view)
    return (fit(name, width, [*right, _lost(reading)]),)


def _moving(reading: CampaignReading, width: int, view: RenderContext) -> list[Span]:
    counters, now = reading.record.counters, reading.throughput
    cells: list[Span] = []
    done = None if counter_doubt(counters) else done_of_all(counters)
    share, count = ("", "") if done is None else percent_and_count(*done)
    if width >= _WITH_COUNT and count:
        cells.append(span(f"{count}  ", Role.DIM))
    cells.append(_right(share, _SHARE))
    if width >= _WITH_RATE:
        is_known = now.minute_rate is not None and not is_outdated(reading.record, now, view)
        cells.append(_right(f"{now.minute_rate:,.0f}/min" if is_known else "", _RATE + 2, Role.DIM))
    cells.append(_time_left(reading, view))
    return cells


def _time_left(reading: CampaignReading, view: RenderContext) -> Span:
    now, width = reading.throughput, _LEFT + 2
    if counter_doubt(reading.record.counters):
        return _right("doubtful numbers", width, Role.WARN)
    if is_outdated(reading.record, now, view):
        age = relative_time.duration_words(view.now - last_read_at(reading.record, now, view))
        return _right(f"{age} old", width, Role.WARN)
    if now.state is CampaignState.STALLED and now.since is not None:
        return _right(f"stalled since {relative_time.clock(now.since, view.zone)}", width, Role.WARN)
    if now.eta is None:
        words = "throttled" if now.state is CampaignState.THROTTLED else "measuring"
        return _right(words, width, Role.WARN if words == "throttled" else Role.DIM)
    return _right(f"{relative_time.duration_range(now.eta.low_seconds, now.eta.high_seconds)} left", width)


def _lost(reading: CampaignReading) -> Span:
    counters = reading.record.counters
    share, what = lost_share(counters), "lost" if counters.too_many else "failed"
    return _right("" if share is None else f"{percent(share)} {what}", _LOST + 2, failing_role(share))


def _right(words: str, width: int, role: Role = Role.TEXT) -> Span:
    return span(" " * max(0, width - cell_width(words)) + words, role)
