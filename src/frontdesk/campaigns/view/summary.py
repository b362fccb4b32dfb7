"""How all running campaigns do together, and when each ends; what isn't known of that says so."""

import math
from collections.abc import Sequence

from frontdesk.campaigns.counters import finished_count, lost_count, lost_share
from frontdesk.campaigns.reading_cache import CampaignReading
from frontdesk.campaigns.throughput import MINUTE, CampaignState
from frontdesk.campaigns.view.funnel_lines import failing_role
from frontdesk.campaigns.view.row import UNREAD_AFTER_SECONDS, is_outdated, last_read_at
from frontdesk.config.render_context import RenderContext
from frontdesk.text import relative_time
from frontdesk.text.percentages import percent
from frontdesk_api.contract.values import CAMPAIGN_ENDED
from frontdesk_lines.lines import Line, Role, Span, fit, span, width_of

REDRAW_SECONDS = 5.0
"""How often it is redrawn at least; its age is rounded up by that, so that it is never too young."""

_AGE_STEP = 15
"""Seconds; longer than a heartbeat, a read and a redraw together, so the words don't change with each read."""

_OLD = 600.0
"""Older than that it is a time of day, not an age."""


def summary(readings: Sequence[CampaignReading], width: int, view: RenderContext) -> tuple[Line, ...]:
    """Return running and stalled campaigns, sent a minute, share lost, next end and age of the oldest number.

    A number that is only partly known has a `+`; nothing is drawn without a campaign.
    """
    if not readings:
        return ()
    unread = [each for each in readings if not each.record.problem and each.record.read_at is None]
    broken = [each for each in readings if each.record.problem and each.record.status not in CAMPAIGN_ENDED]
    running = [each for each in readings if not each.record.problem and each.record.status == "inProgress"]
    more = "+" if unread or broken else ""
    parts = [span(f"{len(running)}{more} running" if running or more else "none running", Role.STRONG)]
    if running:
        fresh = [each for each in running if not is_outdated(each.record, each.throughput, view)]
        # One that wasn't read since may have stalled, or go at another pace by now.
        partly = more or ("+" if len(fresh) < len(running) else "")
        if stalled := sum(each.throughput.state is CampaignState.STALLED for each in fresh):
            parts.append(span(f"{stalled}{partly} stalled", Role.WARN))
        parts += [_pace(fresh, partly), _lost(running), _next_end(fresh, len(running)), _age(running, view)]
    lacks = ((unread, "not loaded yet"), (broken, "unreadable"))
    missing = [span(f"{len(found)} {words}", Role.WARN) for found, words in lacks if found]
    # What isn't known stays; of the rest the last goes first.
    while len(parts) > 1 and width_of(_joined([*parts, *missing], view)) > width:
        parts.pop()
    return (fit(_joined([*parts, *missing], view), width),)


def _joined(words: Sequence[Span], view: RenderContext) -> list[Span]:
    return [part for each in words for part in (span(view.glyphs.separator, Role.DIM), each)][1:]


def _pace(running: Sequence[CampaignReading], more: str) -> Span:
    known = [each.throughput.minute_rate for each in running if each.throughput.minute_rate is not None]
    if not known:
        return span("pace unknown", Role.DIM)
    more = more or ("+" if len(known) < len(running) else "")
    return span(f"{sum(known):,.0f}{more}/min")


def _lost(running: Sequence[CampaignReading]) -> Span:
    counted = [each.record.counters for each in running if lost_share(each.record.counters) is not None]
    tried = sum(finished_count(each) or 0.0 for each in counted)
    if not tried:
        return span("lost unknown", Role.DIM)
    share = sum(lost_count(each) or 0.0 for each in counted) / tried
    of = f" in {len(counted)} of {len(running)} campaigns" if len(counted) < len(running) else ""
    return span(f"{percent(share)} lost{of}", failing_role(share))


def _next_end(running: Sequence[CampaignReading], of: int) -> Span:
    ends = [(each.throughput.at, each.throughput.eta) for each in running if each.throughput.eta is not None]
    if not ends:
        return span("next end unknown", Role.DIM)
    newest = max(at for at, _ in ends)
    low = min(max(0.0, at + eta.low_seconds - newest) for at, eta in ends)
    high = min(max(0.0, at + eta.high_seconds - newest) for at, eta in ends)
    # One whose end isn't known may be done before.
    rough = "" if len(ends) == of else f" ({of - len(ends)} unknown)"
    return span(f"next end in {relative_time.duration_range(low, max(high, low))}{rough}")


def _age(running: Sequence[CampaignReading], view: RenderContext) -> Span:
    oldest = min(last_read_at(each.record, each.throughput, view) for each in running)
    age = view.now - oldest
    role = Role.WARN if age > UNREAD_AFTER_SECONDS else Role.DIM
    if age >= _OLD:
        return span(f"as of {view.when(oldest)}", role)
    steps = math.ceil((max(0.0, age) + REDRAW_SECONDS) / _AGE_STEP) * _AGE_STEP
    words = f"{steps} s" if steps < 2 * 60 else f"{math.ceil(steps / 60)} min"
    return span(f"<{words} old", role)


def expected_end(reading: CampaignReading, view: RenderContext) -> tuple[float, float] | None:
    """Return between which moments a running campaign ends, to the minute; None where that isn't known now."""
    record, now = reading.record, reading.throughput
    if record.problem or now.eta is None or is_outdated(record, now, view):
        return None
    # Rounded outwards, as every range is.
    low, high = now.at + now.eta.low_seconds, now.at + now.eta.high_seconds
    return math.floor(low / MINUTE) * MINUTE, math.ceil(high / MINUTE) * MINUTE


def end_words(reading: CampaignReading, view: RenderContext) -> str:
    """Say when a campaign ended or will end, or why nobody knows; `?` is unknown."""
    record, now = reading.record, reading.throughput
    if record.problem:
        return "? unreadable"
    if record.status in CAMPAIGN_ENDED:
        ended_at = record.completed_at or record.failed_at
        return "?" if ended_at is None else view.past_moment(ended_at)
    if record.status == "scheduled" and record.scheduled_at is not None:
        starts = "starts" if record.scheduled_at > view.now else "was due"
        return f"{starts} {view.full_moment(record.scheduled_at)}"
    if record.status != "inProgress":
        return "?"
    if is_outdated(record, now, view):
        return f"? not updated since {view.past_moment(last_read_at(record, now, view))}"
    if now.state is CampaignState.STALLED and now.since is not None:
        return f"? stalled since {view.past_moment(now.since)}"
    if (ends := expected_end(reading, view)) is None:
        return "? throttled" if now.state is CampaignState.THROTTLED else "? measuring"
    low, high = map(view.full_moment, ends)
    return low if low == high else f"{low} to {high}"


def shown_pace(reading: CampaignReading, view: RenderContext) -> float | None:
    """Return what a running campaign sends a minute now, and an ended one sent overall; None where unknown."""
    record, now = reading.record, reading.throughput
    if record.status in CAMPAIGN_ENDED:
        return now.start_rate
    return None if record.status != "inProgress" or is_outdated(record, now, view) else now.minute_rate
