"""A campaign's row and its details: how far, how fast, until when, and what went wrong.

Numbers have fixed columns: a tick changes only a few cells.
"""

import math
from collections.abc import Iterator, Sequence
from functools import partial

from frontdesk.campaigns.alert_rules import AlertMatch
from frontdesk.campaigns.counters import counter_doubt, done_of_all, funnel, lost_share
from frontdesk.campaigns.models import STATUS_WORDS, CampaignHistory, CampaignRecord, Correction, corrections
from frontdesk.campaigns.reading_cache import CampaignReading
from frontdesk.campaigns.throughput import MINUTE, CampaignState, Throughput, measure_throughput, recent_rates
from frontdesk.campaigns.time_left import Certainty
from frontdesk.campaigns.view.charts import bar
from frontdesk.campaigns.view.funnel_lines import failing_role, funnel_line, step_lines, step_words
from frontdesk.config.facts import GAP, At, Fact, text
from frontdesk.config.render_context import RenderContext
from frontdesk.text import relative_time
from frontdesk.text.percentages import percent, percent_and_count
from frontdesk_api.contract.values import CAMPAIGN_ENDED
from frontdesk_lines.cell_width import cell_width
from frontdesk_lines.display_text import cut, show_line, trusted
from frontdesk_lines.lines import EMPTY, Line, Role, Span, fit, span, width_of

HEIGHT = 4
SPARK_STEPS, SPARK_STEPS_NARROW = 24, 12
SPARK_SECONDS = 10.0
NARROW = 70

UNREAD_AFTER_SECONDS = 60.0
"""A running campaign that wasn't read for so many seconds says so, and neither its pace nor the time left."""

STILL_RISING = 600.0
"""So long after the end a campaign is read on by itself (`sync.scheduler`)."""

CORRECTIONS_LISTED = 6

_MIN_NAME, _MIN_ALERT = 20, 14
"""Cells on a row: for the name with a gap on both sides of an alert, and for that."""

_STATUS_ROLES = {
    "inProgress": Role.ACCENT,
    "completed": Role.GOOD,
    "failed": Role.BAD,
    "stopped": Role.WARN,
    "scheduled": Role.TEXT,
    "pending": Role.TEXT,
}


def campaign_status(status: str) -> Span:
    if not status:
        return span("not loaded yet", Role.DIM)
    words = trusted(STATUS_WORDS[status]) if status in STATUS_WORDS else show_line(status, 20)
    return span(words, _STATUS_ROLES.get(status, Role.TEXT))


_SOURCES = {"tags": "by tags", "excel": "from a list"}

LABEL_CELLS = 10

_NUMBER_CELLS = 44
"""Cells that the numbers beside a bar need; the bar is as wide on all rows."""


def row(
    history: CampaignHistory,
    width: int,
    view: RenderContext,
    alerts: Sequence[AlertMatch] = (),
    now: Throughput | None = None,
) -> tuple[Line, ...]:
    """Draw name, alerts and state; progress, pace and time left; the funnel; the spark line and notes.

    Args:
        history: of the last `throughput.LOOKBACK_SECONDS`.
        alerts: the rules that hold.
        now: its movement, if that is computed already.
    """
    record, name = history.record, campaign_name(history.record)
    if record.problem:
        why, hint = (
            fit([span(show_line(record.problem), Role.BAD)], width),
            fit(_wrong_id_hint(record, view), width),
        )
        return fit([name], width, [span("unreadable", Role.BAD)]), why, hint, fit([], width)
    now, state = now or measure_throughput(history, view.now), campaign_state(record, view)
    return (
        fit([name], width, [*_alert(alerts, width - width_of(state), view), *state]),
        _progress(record, now, width, view),
        fit(funnel_line(record.counters, width) if record.counters.total else _why_none(record), width),
        fit(_last_line(history, now, width, view), width),
    )


def _wrong_id_hint(record: CampaignRecord, view: RenderContext) -> list[Span]:
    """Say how a campaign is taken off the list that was never read, so that its id may be wrong."""
    if not record.problem or record.read_at is not None:
        return []
    return [span(f"Wrong id? Press {view.key('campaign.unwatch', 'x')} to stop watching it.", Role.DIM)]


def about(
    history: CampaignHistory,
    view: RenderContext,
    alerts: Sequence[AlertMatch] = (),
    now: Throughput | None = None,
    workflow_id: str = "",
) -> Iterator[Fact]:
    """Tell all that is known of one campaign.

    Args:
        history: with all samples that are kept.
        now: its movement as its row shows it, if that is computed already.
        workflow_id: shown beside the workflow's name where another one has it.
    """
    record, now = history.record, now or measure_throughput(history, view.now)
    yield text(campaign_name(record).text, Role.STRONG, "name")
    yield text(show_line(record.campaign_id, 80), Role.DIM, "id")
    for alert in alerts:
        yield text(trusted(f"{view.glyphs.warning} {alert.words}"), Role.BAD, "alert")
    yield GAP
    yield text(show_line(record.problem), Role.BAD, "problem")
    for hint in _wrong_id_hint(record, view):
        yield text(hint.text, hint.role)
        yield GAP
    yield Fact("status", tuple(campaign_state(record, view)))
    for note in _notes(history, now, view):
        yield Fact("", note.text, note.role)
    named = [show_line(each, 120) for each in (record.workflow_name, workflow_id) if each]
    yield Fact("workflow", tuple(span(f"{'  ' if at else ''}{each.text}") for at, each in enumerate(named)))
    yield Fact("line", view.line(record.line_id, 120))
    yield Fact("audience", trusted(_SOURCES[record.source]) if record.source in _SOURCES else record.source)
    for label, (_, at) in zip(("starts", "started", "completed", "failed"), record.times, strict=True):
        yield Fact(label, At.known(at))
    yield Fact("reason", show_line(record.failure_reason, 120))
    if doubt := counter_doubt(record.counters):
        yield GAP
        yield text(trusted(f"{doubt}: these numbers can't be right"), Role.WARN)
    yield GAP
    for each in funnel(record.counters):
        step = each._replace(of=None) if doubt else each
        yield Fact(step.label, step_words(step), draw=partial(step_lines, step, view=view))
    if rates := _rates(record, now, view):
        yield GAP
        yield from (Fact(label, trusted(words)) for label, words in rates)
    if fallen := corrections(history.samples):
        yield GAP
        yield text(trusted("corrected by the platform"), Role.DIM)
        for correction in reversed(fallen[-CORRECTIONS_LISTED:]):
            yield text(trusted(_correction(correction, view)), Role.WARN, indent=2)
        if more := fallen[:-CORRECTIONS_LISTED]:
            yield text(trusted(f"and {len(more):,} earlier"), Role.DIM, indent=2)
    if record.status in CAMPAIGN_ENDED and record.status != "failed":
        yield GAP
        yield text(trusted("delivered and read can still rise"), Role.DIM)
    if record.read_at is not None:
        yield GAP
        yield text(trusted(_age(record, record.read_at, view)), Role.DIM)


def _age(record: CampaignRecord, read_at: float, view: RenderContext) -> str:
    """Describe the age of a campaign's numbers; the words stay the same while it is polled."""
    if record.status not in CAMPAIGN_ENDED and 0 <= view.now - read_at <= UNREAD_AFTER_SECONDS:
        return "loaded in the last 2 minutes"
    return f"as of {view.stamp(read_at)}"


def last_read_at(record: CampaignRecord, now: Throughput, view: RenderContext) -> float:
    """Return when a campaign was last read, never after now; its movement may be from a read before."""
    return min(view.now, max(now.at, now.at if record.read_at is None else record.read_at))


def is_outdated(record: CampaignRecord, now: Throughput, view: RenderContext) -> bool:
    """Whether a campaign runs, and how it moves isn't known any more."""
    return record.status == "inProgress" and view.now - last_read_at(record, now, view) > UNREAD_AFTER_SECONDS


def campaign_name(record: CampaignRecord) -> Span:
    return span(show_line(record.name or record.campaign_id, 80), Role.STRONG)


def _alert(alerts: Sequence[AlertMatch], room: int, view: RenderContext) -> list[Span]:
    """Return the first alert that holds and the number of others, for which the name gives way up to a point."""
    if not alerts:
        return []
    room -= _MIN_NAME
    first = f"{view.glyphs.warning} {alerts[0].words}"
    more = f" and {len(alerts) - 1} more" if len(alerts) > 1 else ""
    words = first + more if cell_width(first + more) <= room else cut(first, max(_MIN_ALERT, room))
    return [span(words, Role.BAD), span("  ")]


def campaign_state(record: CampaignRecord, view: RenderContext) -> list[Span]:
    words = [campaign_status(record.status)]
    ended_at = record.completed_at or record.failed_at
    if record.status in CAMPAIGN_ENDED and ended_at is not None:
        words.append(span(f" {view.when(ended_at)}", Role.DIM))
    return words


def _notes(history: CampaignHistory, now: Throughput, view: RenderContext) -> list[Span]:
    record = history.record
    read_at, outdated = last_read_at(record, now, view), is_outdated(record, now, view)
    found: list[Span] = []
    if now.state is CampaignState.STALLED and now.since is not None:
        until = read_at if outdated else view.now
        has_moved = any(each.at > now.since for each in history.samples)
        what = "nothing sent" if has_moved else "no progress"
        lasting = relative_time.duration_words(until - now.since)
        words = f"stalled {lasting}: {what} since {relative_time.clock(now.since, view.zone)}"
        found.append(span(words, Role.WARN))
    elif now.state is CampaignState.THROTTLED:
        found.append(span(f"throttled: {now.too_many:,.0f} in the last minute", Role.WARN))
    elif now.state is CampaignState.SCHEDULED and record.scheduled_at is not None:
        left, at = record.scheduled_at - view.now, view.when(record.scheduled_at)
        # What wasn't read lately may start at another time by now: that isn't counted down.
        is_known = view.now - read_at <= UNREAD_AFTER_SECONDS
        soon = f"in {relative_time.duration_words(left)} · " if is_known else ""
        words = f"starts {soon}{at}" if left > 0 else f"was due {at}"
        found.append(span(f"{words} your time", Role.DIM))
    elif record.status == "completed" and view.now - (record.completed_at or 0.0) < STILL_RISING:
        found.append(span("completed; delivered and read can still rise", Role.DIM))
    if outdated:
        found.append(span(f"not updated since {relative_time.clock(read_at, view.zone)}", Role.WARN))
    fallen = [each for each in corrections(history.samples) if view.now - each.at < STILL_RISING]
    if fallen:
        found.append(span(f"correction: {_correction(fallen[-1], view)}", Role.WARN))
    return found


def _correction(fallen: Correction, view: RenderContext) -> str:
    return f"{fallen.label} fell by {fallen.by:,.0f} ({view.stamp(fallen.at)})"


def _progress(record: CampaignRecord, now: Throughput, width: int, view: RenderContext) -> Line:
    counters, done = record.counters, done_of_all(record.counters)
    if doubt := counter_doubt(counters):
        return fit([span(_doubted(doubt, width), Role.WARN)], width)
    if done is None:
        lacks_sent = counters.total and counters.sent is None
        words = "progress unknown: no sent count" if lacks_sent else "no counters yet"
        return fit([span(words, Role.DIM)], width)
    bar_width = max(4, min(24, (width - _NUMBER_CELLS) // 2))
    role = Role.ACCENT if record.status == "inProgress" else Role.DIM
    drawn = bar(round(bar_width * done[0] / done[1]), bar_width, role, view.glyphs)
    share, count = percent_and_count(*done)
    left = [*drawn, span(f" {share:>4}")]
    counted = [*left, span(f"  {count}", Role.DIM)]
    right = _pace_and_end(record, now, view) if record.status == "inProgress" else [EMPTY]
    fitting = [(counted, each) for each in right] + [(left, each) for each in right]
    # The pace is left out first, then how many are done; a range that is still too long is cut at its end.
    chosen = next((each for each in fitting if width_of(each[0]) + 1 + width_of(each[1]) <= width), fitting[-1])
    return fit(chosen[0], width, chosen[1])


def _pace_and_end(record: CampaignRecord, now: Throughput, view: RenderContext) -> list[Line]:
    """Return pace and time left, then the same in ever fewer words; of an outdated campaign its age."""
    if is_outdated(record, now, view):
        age = relative_time.duration_words(view.now - last_read_at(record, now, view))
        return [(span(f"{age} old", Role.WARN),)]
    pace = span("measuring" if now.minute_rate is None else f"{now.minute_rate:,.0f}/min", Role.DIM)
    if now.eta is None:
        return [(pace,)]
    about = "about " if now.eta.certainty is Certainty.ROUGH else ""
    left = span(f"{about}{relative_time.duration_range(now.eta.low_seconds, now.eta.high_seconds)} left")
    return [(left, span("  "), pace), (left,)]


def _doubted(doubt: str, width: int) -> str:
    words = f"{doubt}: these numbers can't be right"
    return words if len(words) <= width else f"doubtful: {doubt}"


def _last_line(history: CampaignHistory, now: Throughput, width: int, view: RenderContext) -> Sequence[Span]:
    """Return the spark line and notes; where it is narrow, notes alone."""
    samples, notes = history.samples, _notes(history, now, view)
    words = [part for each in notes for part in (span(view.glyphs.separator, Role.DIM), each)][1:]
    if history.record.status != "inProgress" or (words and width < NARROW):
        return words
    steps = SPARK_STEPS_NARROW if width < NARROW else SPARK_STEPS
    is_older = bool(samples) and samples[0].at < now.at - (steps + 1) * SPARK_SECONDS
    rates = recent_rates(samples, history.intervals, now.at, steps, SPARK_SECONDS)
    drawn = spark_line(rates, view, is_older=is_older)
    return [*drawn, *([span("  "), *words] if words else [])]


def spark_line(steps: Sequence[float | None], view: RenderContext, *, is_older: bool) -> list[Span]:
    """Return a sign a step: a gap where nobody watched, the lowest for nothing sent, none before the first."""
    most = max((each for each in steps if each is not None), default=0.0)
    first = next((index for index, each in enumerate(steps) if is_older or each is not None), len(steps))
    signs = "".join(_spark_sign(each, most, view) for each in steps[first:])
    return [span(" " * first + signs, Role.DIM)]  # apart from the bar above it


def _spark_sign(step: float | None, most: float, view: RenderContext) -> str:
    if step is None:
        return view.glyphs.hole
    signs = view.glyphs.spark
    # The lowest is for nothing at all: what is little beside the most is still something.
    return signs[max(1, round(step / most * (len(signs) - 1)))] if step > 0 else signs[0]


def _rates(record: CampaignRecord, now: Throughput, view: RenderContext) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    outdated = is_outdated(record, now, view)
    if record.status == "inProgress" and not outdated:
        minute = "measuring" if now.minute_rate is None else f"{now.minute_rate:,.0f}/min in the last minute"
        found.append(("rate", minute))
    if now.start_rate is not None:
        whole = "overall" if record.status in CAMPAIGN_ENDED else "since start"
        found.append(("" if found else "rate", f"{now.start_rate:,.0f}/min {whole}"))
    if now.eta is not None and not outdated:
        low, high, certainty, doubt = now.eta
        # Rounded outwards, as the range is.
        minutes = (math.floor((now.at + low) / MINUTE), math.ceil((now.at + high) / MINUTE))
        ends = [relative_time.clock(each * MINUTE, view.zone) for each in minutes]
        found.append(("done in", relative_time.duration_range(low, high)))
        if high > MINUTE and ends[0] != ends[1]:
            found.append(("ends at", f"{ends[0]} to {ends[1]}"))
        why = "the pace is steady" if certainty is Certainty.GOOD else doubt
        found.append(("estimate", f"{certainty}: {why}"))
    elif record.status == "inProgress":
        why = {
            CampaignState.STALLED: _stalled(now, view),
            CampaignState.THROTTLED: "unknown: nothing is getting through",
        }.get(now.state, "unknown so far")
        if counter_doubt(record.counters):
            why = "unknown: the counters can't be right"
        elif outdated:
            why = "unknown: not updated lately"
        found.append(("done in", why))
    return found


def _stalled(now: Throughput, view: RenderContext) -> str:
    since = "" if now.since is None else f" since {relative_time.clock(now.since, view.zone)}"
    return f"unknown: no progress{since}"


def _why_none(record: CampaignRecord) -> list[Span]:
    if record.failure_reason:
        return [span(show_line(record.failure_reason, 120), Role.BAD)]
    return [span(show_line(record.workflow_name, 80), Role.DIM)]


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
        right = _compact_progress(reading, width, view)
    return (fit(name, width, [*right, _compact_losses(reading)]),)


def _compact_progress(reading: CampaignReading, width: int, view: RenderContext) -> list[Span]:
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


def _compact_losses(reading: CampaignReading) -> Span:
    counters = reading.record.counters
    share, what = lost_share(counters), "lost" if counters.too_many else "failed"
    return _right("" if share is None else f"{percent(share)} {what}", _LOST + 2, failing_role(share))


def _right(words: str, width: int, role: Role = Role.TEXT) -> Span:
    return span(" " * max(0, width - cell_width(words)) + words, role)
