"""The line above the list of campaigns: how all running ones do together, and what of that isn't known."""

import math
from collections.abc import Sequence

from frontdesk.campaigns.counters import finished_count, lost_count, lost_share
from frontdesk.campaigns.reading_cache import CampaignReading
from frontdesk.campaigns.throughput import CampaignState
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
    """Return running and stalled campaigns, sent a minute, share failing, next end and age of the oldest number.

    A number that is only partly known has a `+`; nothing is drawn without a campaign.

    Args:
        readings: of all watched campaigns.
    """
    if not readings:
        return ()
    unread = [each for each in readings if not each.record.problem and each.record.read_at is None]
    broken = [each for each in readings if each.record.problem and each.record.status not in CAMPAIGN_ENDED]
    running = [each for each in readings if not each.record.problem and each.record.status == "inProgress"]
    more = "+" if unread or broken else ""
    count = f"{len(running)}{more} running" if running or more else "none running"
    lacks = [
        span(words, Role.WARN) for words in (_lacking(unread, "not loaded yet"), _lacking(broken, "unreadable"))
    ]
    parts: list[tuple[Span, Span]] = [(span(count, Role.STRONG),) * 2]
    if running:
        fresh = [each for each in running if not is_outdated(each.record, each.throughput, view)]
        # One that wasn't read since may have stalled, or go at another pace by now.
        partly = more or ("+" if len(fresh) < len(running) else "")
        parts += [
            *_stalled(fresh, partly),
            _pace(fresh, partly),
            _failing(running),
            _next_end(fresh, len(running)),
            _age(running, view),
        ]
    missing = [(each, each) for each in lacks if each.text.text]
    for form in (0, 1):
        words = [each[form] for each in [*parts, *missing]]
        if width_of(_joined(words, view)) <= width:
            return (fit(_joined(words, view), width),)
    # What isn't known stays; of the rest the last goes first.
    while len(parts) > 1 and width_of(_joined([each[1] for each in [*parts, *missing]], view)) > width:
        parts.pop()
    return (fit(_joined([each[1] for each in [*parts, *missing]], view), width),)


def _joined(words: Sequence[Span], view: RenderContext) -> list[Span]:
    return [part for each in words for part in (span(view.glyphs.separator, Role.DIM), each)][1:]


def _lacking(readings: Sequence[CampaignReading], words: str) -> str:
    return f"{len(readings)} {words}" if readings else ""


def _stalled(running: Sequence[CampaignReading], more: str) -> list[tuple[Span, Span]]:
    stalled = sum(each.throughput.state is CampaignState.STALLED for each in running)
    if not stalled:
        return []
    return [(span(f"{stalled}{more} of them stalled", Role.WARN), span(f"{stalled}{more} stalled", Role.WARN))]


def _pace(running: Sequence[CampaignReading], more: str) -> tuple[Span, Span]:
    rates = [each.throughput.minute_rate for each in running]
    known = [each for each in rates if each is not None]
    if not known:
        return (span("pace unknown", Role.DIM),) * 2
    more = more or ("+" if len(known) < len(rates) else "")
    return (span(f"{sum(known):,.0f}{more}/min total"), span(f"{sum(known):,.0f}{more}/min"))


def _failing(running: Sequence[CampaignReading]) -> tuple[Span, Span]:
    counted = [each.record.counters for each in running if lost_share(each.record.counters) is not None]
    tried = sum(finished_count(each) or 0.0 for each in counted)
    if not tried:
        return (span("failing unknown", Role.DIM),) * 2
    lost = sum(lost_count(each) or 0.0 for each in counted)
    what = "lost" if any(each.too_many for each in counted) else "failing"
    of = f" in {len(counted)} of {len(running)} campaigns" if len(counted) < len(running) else ""
    share, role = percent(lost / tried), failing_role(lost / tried)
    return span(f"{share} of attempts {what}{of}", role), span(f"{share} {what}{of}", role)


def _next_end(running: Sequence[CampaignReading], of: int) -> tuple[Span, Span]:
    ends = [(each.throughput.at, each.throughput.eta) for each in running if each.throughput.eta is not None]
    if not ends:
        return span("next end unknown", Role.DIM), span("end unknown", Role.DIM)
    newest = max(at for at, _ in ends)
    low = min(max(0.0, at + eta.low_seconds - newest) for at, eta in ends)
    high = min(max(0.0, at + eta.high_seconds - newest) for at, eta in ends)
    # One whose end isn't known may be done before.
    rough = "" if len(ends) == of else f" ({of - len(ends)} unknown)"
    words = relative_time.duration_range(low, max(high, low))
    return span(f"next one ends in {words}{rough}"), span(f"end in {words}{rough}")


def _age(running: Sequence[CampaignReading], view: RenderContext) -> tuple[Span, Span]:
    oldest = min(last_read_at(each.record, each.throughput, view) for each in running)
    age = view.now - oldest
    role = Role.WARN if age > UNREAD_AFTER_SECONDS else Role.DIM
    if age >= _OLD:
        words = f"as of {view.when(oldest)}"
        return (span(f"oldest {words}", role), span(words, role))
    steps = math.ceil((max(0.0, age) + REDRAW_SECONDS) / _AGE_STEP) * _AGE_STEP
    words = f"{steps} s" if steps < 2 * 60 else f"{math.ceil(steps / 60)} min"
    return (span(f"updated <{words} ago", role), span(f"<{words} old", role))
