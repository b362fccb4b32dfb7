"""A table of campaigns at the same time since the start, and which is ahead."""

from collections.abc import Sequence

from frontdesk.campaigns.comparison import CurveMeasure, Lead, ReadingSource, count, progress_of, rate_at, reading
from frontdesk.campaigns.counters import LOSSES, Counters, finished_count, share_of_tried
from frontdesk.campaigns.models import CampaignHistory, CampaignRecord
from frontdesk.campaigns.view.charts import CURVE_ROLES, LETTERS, round_up
from frontdesk.campaigns.view.funnel_lines import failing_role
from frontdesk.campaigns.view.row import campaign_status
from frontdesk.config.render_context import RenderContext
from frontdesk.text.percentages import percent
from frontdesk_lines.display_text import show_line
from frontdesk_lines.lines import Line, Role, Span, TableColumn, fit, fitting_columns, span

MAX_COMPARED = len(LETTERS)

_MIN_NAME = 14

_COLUMNS = (
    TableColumn("sent", 11, 0),
    TableColumn("delivered", 11, 2),
    TableColumn("read", 8, 3),
    TableColumn("failed", 8, 1),
    TableColumn("throttled", 11, 4),
    TableColumn("sent/min", 10, 5),
)


def heading(width: int) -> Line:
    right = [span(f"{each.label:>{each.width}}", Role.DIM) for each in _fitting(width)]
    return fit([span("   campaign", Role.DIM)], width, right)


def row(history: CampaignHistory, index: int, seconds: float, width: int, view: RenderContext) -> Line:
    record = history.record
    name = show_line(record.name or record.campaign_id, 80)
    left = [span(LETTERS[index], CURVE_ROLES[index]), span("  "), Span(name, Role.STRONG)]
    seen = reading(history, seconds)
    if seen.counters is None:
        return fit(left, width, _why_unknown(history, seen.known, view))
    values = _values(history, seconds, seen.counters)
    role = Role.DIM if seen.known is ReadingSource.LAST else Role.TEXT
    right: list[Span] = []
    for column in _fitting(width):
        words = values[column.label]
        if column.label == "sent" and seen.known is ReadingSource.ABOUT and words != "?":
            words = f"~{words}"
        lost = getattr(seen.counters, LOSSES.get(column.label, ""), None)
        is_failing = failing_role(share_of_tried(lost, seen.counters)) is Role.BAD
        right.append(span(f"{words:>{column.width}}", Role.BAD if is_failing else role))
    return fit(left, width, right)


def legend(history: CampaignHistory, index: int, width: int, view: RenderContext) -> Line:
    record = history.record
    left = [
        span(f"{LETTERS[index]}  ", CURVE_ROLES[index]),
        Span(show_line(record.name or record.campaign_id, 80)),
    ]
    began = "" if record.started_at is None else f"  {view.when(record.started_at)}"
    return fit(left, width, [campaign_status(record.status), span(began, Role.DIM)])


def describe_lead(
    mine: CampaignHistory,
    theirs: CampaignHistory,
    measure: CurveMeasure,
    seconds: float,
    view: RenderContext,
    *,
    of_total: bool = False,
) -> list[Span]:
    """`18% behind the one from Thu 13 Nov 10:02 at this point (it had 5,000 sent)`, or why that can't be said."""
    whose = _name_of(theirs.record, view)
    found = progress_of(mine, theirs, measure, seconds, of_total=of_total)
    if found is None:
        return [span(f"{measure} vs. {whose}: no data for this point", Role.DIM)]
    shown = percent(found.theirs, 1) if of_total else f"{found.theirs:,.0f}"
    words, role = _by(found, whose, of_total=of_total)
    if measure is CurveMeasure.FAILED:
        # Fewer failed is no lag.
        fewer, more = ("lower than", "higher than") if of_total else ("fewer than", "more than")
        words = words.replace("behind", fewer).replace("ahead of", more)
        role = Role.TEXT
    about = "about " if found.known is ReadingSource.ABOUT else ""
    ended = ", already ended" if found.known is ReadingSource.LAST else ""
    return [span(words, role), span(f" at this point (it had {about}{shown} {measure}{ended})", Role.DIM)]


def _name_of(theirs: CampaignRecord, view: RenderContext) -> str:
    return "the other one" if theirs.started_at is None else f"the one from {view.past_moment(theirs.started_at)}"


def length(seconds: float) -> str:
    """Return a time since the start to the second: `40 s`, `12 min 30 s`, `1 h 05 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3_600:
        return f"{whole // 60} min {whole % 60:02} s"
    if whole < 172_800:
        return f"{whole // 3_600} h {whole % 3_600 // 60:02} min"
    return f"{whole // 86_400} d {whole % 86_400 // 3_600:02} h"


def share_label(value: float) -> str:
    """Format a share for an axis: `50%`."""
    return f"{value * 100:g}%"


def table_values(history: CampaignHistory, seconds: float) -> dict[str, str]:
    """Return the numbers of a row by their headings, `?` for what isn't known."""
    seen = reading(history, seconds)
    unknown = {each.label: "?" for each in _COLUMNS}
    return unknown if seen.counters is None else _values(history, seconds, seen.counters)


def _by(found: Lead, whose: str, *, of_total: bool) -> tuple[str, Role]:
    if found.by is None:
        return (f"ahead of {whose}", Role.GOOD) if found.mine > 0 else (f"even with {whose}", Role.TEXT)
    size = abs(found.by) * 100
    if (of_total and size < 0.05) or (not of_total and size < 0.5):
        return f"even with {whose}", Role.TEXT
    much = f"{size:.1f} points" if of_total else f"{size:,.0f}%"
    return (f"{much} behind {whose}", Role.WARN) if found.by < 0 else (f"{much} ahead of {whose}", Role.GOOD)


def _values(history: CampaignHistory, seconds: float, counters: Counters) -> dict[str, str]:
    rate = rate_at(history, seconds)
    return {
        "sent": _number(counters.sent),
        "delivered": _share(counters.delivered, counters.sent),
        "read": _share(counters.read, counters.delivered),
        "failed": _share(counters.failed, finished_count(counters)),
        "throttled": _share(counters.too_many, finished_count(counters)),
        "sent/min": _number(rate),
    }


def _why_unknown(history: CampaignHistory, known: ReadingSource, view: RenderContext) -> list[Span]:
    record = history.record
    if known is ReadingSource.HOLE:
        return [span("no data yet", Role.DIM)]
    if record.started_at is not None:
        return [span("no data for this point" if history.intervals else "never watched", Role.DIM)]
    if record.scheduled_at is not None:
        return [span(f"starts {view.when(record.scheduled_at)}", Role.DIM)]
    return [span("not started", Role.DIM)]


def _fitting(width: int) -> Sequence[TableColumn]:
    return fitting_columns(_COLUMNS, width - _MIN_NAME)


def _number(value: float | None) -> str:
    return "?" if value is None else f"{value:,.0f}"


def _share(value: float | None, of: float | None) -> str:
    return "?" if value is None or not of else percent(value / of, 1)


def highest(histories: Sequence[CampaignHistory], measure: CurveMeasure, until: float, *, of_total: bool) -> float:
    """Return a round value that all curves stay below up to a time, so that the scale seldom changes."""
    seen = [
        value
        for history in histories
        for sample in history.samples
        if history.record.started_at is not None
        and 0 <= sample.at - history.record.started_at <= until
        and (value := count(sample.counters, measure, of_total=of_total)) is not None
    ]
    top = max(seen, default=0.0)
    if of_total:
        return min(1.0, round_up(top)) if top > 0 else 1.0
    return round_up(top) if top > 0 else 10.0
