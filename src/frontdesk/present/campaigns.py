"""A campaign's numbers in words: how far, how fast, and what went wrong.

Called by the campaigns screen and `campaigns watch`. In flight is no field: it is what remains
of the total after all the others (field-notes.md, Campaign counters).
"""

from collections.abc import Sequence
from itertools import pairwise

from frontdesk.contract.states import CAMPAIGN_ENDED
from frontdesk.present import times
from frontdesk.present.lines import EMPTY, Line, Role, Span, fit, span, width_of
from frontdesk.present.statuses import campaign_status
from frontdesk.present.view import View
from frontdesk.store.records import CampaignRecord, Counters, Sample
from frontdesk.text import show_line

HEIGHT = 4
STALLED_AFTER = 60.0
SPARK_STEPS = 24
SPARK_SECONDS = 5.0


def in_flight(counters: Counters) -> float | None:
    """Recipients that are on their way: the total less every other bucket, or None where unknown."""
    if counters.total is None:
        return None
    rest = (
        counters.pending,
        counters.sent,
        counters.failed,
        counters.opted_out,
        counters.duplicates,
        counters.too_many,
    )
    return max(0.0, counters.total - sum(each or 0.0 for each in rest))


def done_share(counters: Counters) -> float | None:
    """The share of recipients whose outcome is known, from 0 to 1."""
    flight = in_flight(counters)
    if not counters.total or flight is None:
        return None
    return max(0.0, min(1.0, 1 - ((counters.pending or 0.0) + flight) / counters.total))


def rate_per_minute(samples: Sequence[Sample], now: float, window: float = 60.0) -> float | None:
    """Sent in the last minute as the samples tell it; None before there are two of them."""
    recent = [each for each in samples if each.counters.sent is not None]
    inside = [each for each in recent if each.at >= now - window]
    before = [each for each in recent if each.at < now - window]
    if before:
        inside = [before[-1], *inside]
    if len(inside) < 2:
        return 0.0 if before else None
    first, last = inside[0], inside[-1]
    span_seconds = min(window, max(1.0, now - max(first.at, now - window)))
    return max(0.0, (last.counters.sent or 0) - (first.counters.sent or 0)) * 60.0 / span_seconds


def in_order(records: Sequence[CampaignRecord]) -> list[CampaignRecord]:
    """Those that run first, then those to come, then the ended ones, the latest first."""
    ranks = {"inProgress": 0, "pending": 1, "scheduled": 2}
    return sorted(
        records,
        key=lambda each: (ranks.get(each.status, 3), -(each.started_at or each.failed_at or 0.0), each.name),
    )


_LEFT_OUT_LAST = (
    "failed",
    "sent",
    "delivered",
    "read",
    "in flight",
    "opted out",
    "throttled",
    "duplicate",
)
_FURTHER_CELLS = 1
"""The sign that more is counted takes the cells of the gap before the first step, and one."""


def row(record: CampaignRecord, samples: Sequence[Sample], width: int, view: View) -> tuple[Line, ...]:
    """Name and state; a bar and how far; the funnel; a line that parts two campaigns."""
    name = span(show_line(record.name or record.campaign_id, 80), Role.STRONG)
    if record.problem:
        words = fit([span(show_line(record.problem), Role.BAD)], width)
        return fit([name], width, [span("can't be read", Role.BAD)]), words, fit([], width), fit([], width)
    return (
        fit([name], width, _state(record, samples, view)),
        _progress(record, samples, width, view),
        fit(_funnel(record.counters, width) if record.counters.total else _why_none(record), width),
        fit([], width),
    )


def detail(record: CampaignRecord, samples: Sequence[Sample], width: int, view: View) -> tuple[Line, ...]:
    """All that is known of one campaign, for the pane beside the list."""
    counters = record.counters
    lines = [
        fit([span(show_line(record.name or record.campaign_id, 80), Role.STRONG)], width),
        fit([span(show_line(record.campaign_id, 80), Role.DIM)], width),
        EMPTY,
        fit([span("state     ", Role.DIM), *_state(record, samples, view)], width),
    ]
    for label, value in (
        ("workflow", record.workflow_name),
        ("line", view.names.line(record.line_id)),
        ("audience", {"tags": "by tags", "excel": "from a list"}.get(record.source, record.source)),
        ("starts", _moment(record.scheduled_at, view)),
        ("started", _moment(record.started_at, view)),
        ("completed", _moment(record.completed_at, view)),
        ("failed", _moment(record.failed_at, view)),
        ("because", record.failure_reason),
    ):
        if value:
            lines.append(fit([span(f"{label:<10}", Role.DIM), span(show_line(value, 120))], width))
    lines.append(EMPTY)
    lines += [_step(label, count, of, width, view) for label, count, of in _steps(counters)]
    if record.status in CAMPAIGN_ENDED and record.status != "failed":
        lines += [EMPTY, fit([span("delivered and read still rise after the end", Role.DIM)], width)]
    if record.read_at is not None:
        lines += [EMPTY, fit([span(f"as of {times.stamp(record.read_at, view.now, view.zone)}", Role.DIM)], width)]
    return tuple(lines)


def _state(record: CampaignRecord, samples: Sequence[Sample], view: View) -> list[Span]:
    words = [campaign_status(record.status)]
    if record.status == "inProgress" and samples and view.now - samples[-1].at > STALLED_AFTER:
        words.append(span(f" · nothing moved since {times.clock(samples[-1].at, view.zone)}", Role.WARN))
    if record.status == "scheduled" and record.scheduled_at is not None:
        words.append(span(f" · {times.when(record.scheduled_at, view.now, view.zone)}", Role.DIM))
    return words


def _progress(record: CampaignRecord, samples: Sequence[Sample], width: int, view: View) -> Line:
    counters, share = record.counters, done_share(record.counters)
    if share is None or counters.total is None:
        return fit([span("no counters yet", Role.DIM)], width)
    bar_width = max(4, min(30, width // 3))
    full = round(bar_width * share)
    left = [
        span(view.glyphs.full * full, Role.ACCENT),
        span(view.glyphs.empty * (bar_width - full), Role.RULE),
        span(f" {share * 100:3.0f} %"),
        span(f"  {(counters.total - (counters.pending or 0)):,.0f} of {counters.total:,.0f}", Role.DIM),
    ]
    right: list[Span] = []
    if record.status == "inProgress":
        rate = rate_per_minute(samples, view.now)
        spark = _spark(samples, view)
        if spark and width >= 70:
            right.append(span(f"{spark} ", Role.ACCENT))
        right.append(span("measuring" if rate is None else f"{rate:,.0f}/min", Role.DIM))
    return fit(left, width, right)


def _why_none(record: CampaignRecord) -> list[Span]:
    """Why there is nothing to count."""
    if record.failure_reason:
        return [span(show_line(record.failure_reason, 120), Role.BAD)]
    return [span(show_line(record.workflow_name, 80), Role.DIM)]


def _funnel(counters: Counters, width: int) -> list[Span]:
    """The steps in their order; where it is narrow, the later ones are left out whole, what failed last of all."""
    steps: dict[str, list[Span]] = {}
    for label, value, of in _steps(counters)[2:]:
        if value is None or (value == 0 and label not in ("sent", "delivered", "read", "failed")):
            continue
        role = Role.BAD if label == "failed" and value else Role.TEXT
        share = f" {value / of * 100:.0f} %" if of else ""
        steps[label] = [span(f"{value:,.0f}", role), span(f" {label}{share}", Role.DIM)]
    room = width - _FURTHER_CELLS
    kept: set[str] = set()
    for label in sorted(steps, key=_LEFT_OUT_LAST.index):
        room -= width_of(steps[label]) + 2
        if room < 0:
            break
        kept.add(label)
    words = [part for label, step in steps.items() if label in kept for part in (span("  "), *step)][1:]
    return [*words, span("  …", Role.DIM)] if len(kept) < len(steps) else words


def _steps(counters: Counters) -> list[tuple[str, float | None, float | None]]:
    """Label, count, and what its share is of."""
    total, sent, delivered = counters.total, counters.sent, counters.delivered
    return [
        ("recipients", total, None),
        ("pending", counters.pending, total),
        ("in flight", in_flight(counters), total),
        ("sent", sent, total),
        ("delivered", delivered, sent),
        ("read", counters.read, delivered),
        ("failed", counters.failed, total),
        ("opted out", counters.opted_out, total),
        ("duplicate", counters.duplicates, total),
        ("throttled", counters.too_many, total),
    ]


def _step(label: str, value: float | None, of: float | None, width: int, view: View) -> Line:
    if value is None:
        return fit([span(f"{label:<11}", Role.DIM), span("     not known", Role.DIM)], width)
    head = [span(f"{label:<11}", Role.DIM), span(f"{value:>9,.0f}")]
    if not of:
        return fit(head, width)
    room = max(0, min(24, width - 30))
    full = round(room * max(0.0, min(1.0, value / of)))
    role = Role.BAD if label == "failed" else Role.ACCENT
    return fit(
        [
            *head,
            span(f" {value / of * 100:5.1f} % ", Role.DIM),
            span(view.glyphs.full * full, role),
            span(view.glyphs.empty * (room - full), Role.RULE),
        ],
        width,
    )


def _spark(samples: Sequence[Sample], view: View) -> str:
    """Sent in each of the last steps, from left to right; empty before there is anything to show."""
    if len(samples) < 2:
        return ""
    start = view.now - SPARK_STEPS * SPARK_SECONDS
    steps = [0.0] * SPARK_STEPS
    for earlier, later in pairwise(samples):
        place = int((later.at - start) // SPARK_SECONDS)
        if 0 <= place < SPARK_STEPS:
            steps[place] += max(0.0, (later.counters.sent or 0) - (earlier.counters.sent or 0))
    most = max(steps)
    if not most:
        return ""
    signs = view.glyphs.spark
    return "".join(signs[min(len(signs) - 1, int(each / most * (len(signs) - 1)))] for each in steps)


def _moment(at: float | None, view: View) -> str:
    return "" if at is None else times.when(at, view.now, view.zone)


def steps_in_words(counters: Counters) -> list[str]:
    """Each known counter with its share, for ears."""
    return [
        f"{value:,.0f} {label}" + (f", {value / of * 100:.0f} percent" if of and label != "recipients" else "")
        for label, value, of in _steps(counters)
        if value is not None
    ]
