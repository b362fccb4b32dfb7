"""A campaign's row and its details: how far, how fast, until when, and what went wrong.

Numbers have fixed columns: a tick changes only a few cells.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from frontdesk.campaigns.alert_rules import AlertMatch, AlertMeasure
from frontdesk.campaigns.counters import counter_doubt, done_of_all, finished_count, funnel, lost_share, remaining
from frontdesk.campaigns.models import STATUS_WORDS, CampaignHistory, CampaignRecord, Correction, corrections
from frontdesk.campaigns.reading_cache import CampaignBackground, CampaignReading, QueuedCampaign
from frontdesk.campaigns.store.alerts import Alert
from frontdesk.campaigns.throughput import MINUTE, CampaignState, Throughput, measure_throughput, rates_from
from frontdesk.campaigns.time_left import Certainty
from frontdesk.campaigns.view.charts import Curve, count_label, draw, round_span, round_up
from frontdesk.campaigns.view.delivery_results import reasons
from frontdesk.campaigns.view.funnel_lines import failing_role, funnel_line, step_lines, step_role, step_words
from frontdesk.config.facts import GAP, At, Fact, text
from frontdesk.config.render_context import RenderContext
from frontdesk.text import relative_time
from frontdesk.text.percentages import percent, percent_and_count
from frontdesk_api.contract.values import CAMPAIGN_ENDED
from frontdesk_lines.cell_width import cell_width
from frontdesk_lines.display_text import SafeText, show_line, trusted
from frontdesk_lines.lines import EMPTY, Line, Role, Span, fit, span, width_of

HEIGHT = 2
CURVE_CELLS, MIN_CURVE_CELLS = 60, 12
CURVE_SECONDS = 10.0
"""What a cell of a row's curve stands for: 60 are the past that a campaign's movement is computed from."""

CURVE_SHIFTS = 5
"""A curve that is full moves on by a fifth of it at once: a move repaints all of its cells."""

CHART_LINES = 10
NARROW = 70

UNREAD_AFTER_SECONDS = 60.0
"""A running campaign that wasn't read for so many seconds says so, and neither its pace nor the time left."""

STILL_RISING = 600.0
"""So long after the end a campaign is read on by itself (`sync.scheduler`)."""

CORRECTIONS_LISTED = 6

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


def row(reading: CampaignReading, width: int, view: RenderContext) -> tuple[Line, ...]:
    """Draw how far it is and when it is done; below, the curve of its pace or its funnel, and what went wrong."""
    record = reading.record
    if record.problem:
        why = span(show_line(record.problem), Role.BAD)
        if hint := _wrong_id_hint(record, view):
            return fit([campaign_name(record)], width, [why]), fit(hint, width)
        return fit([campaign_name(record)], width, [span("unreadable", Role.BAD)]), fit([why], width)
    return _first_line(reading, width, view, has_pace=False), fit(_second_line(reading, width, view), width)


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
    background: CampaignBackground | None = None,
    *,
    has_chart: bool = False,
) -> Iterator[Fact]:
    """Tell all that is known of one campaign.

    Args:
        history: with all samples that are kept.
        now: its movement as its row shows it, if that is computed already.
        workflow_id: shown beside the workflow's name where another one has it.
        background: what is known besides the counters, if it was read.
        has_chart: whether the pace is drawn over the whole run.
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
    if rates := _rates(record, now, view):
        yield GAP
        yield from (Fact(label, trusted(words)) for label, words in rates)
    raised = () if background is None else background.raised
    if has_chart:
        yield Fact(draw=partial(pace_chart, history, now, raised, view=view))
    for past in raised:
        said = show_line(past.words, 200)
        yield Fact("alert at", SafeText(f"{view.past_moment(past.at)} {said.text}", said.was_sanitized), Role.WARN)
    if background is not None:
        yield from _queue(background.queue, record, view)
    yield GAP
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
    if record.counters.total and not doubt:
        yield text(trusted("shares of all recipients"), Role.DIM)
    for each in funnel(record.counters):
        step = each._replace(of=None) if doubt else each
        role = step_role(step.label, record.counters) if step.value else Role.TEXT
        yield Fact(step.label, step_words(step), draw=partial(step_lines, step, role, view=view))
    tried, lost = finished_count(record.counters), lost_share(record.counters)
    if lost:
        yield Fact("lost", trusted(f"{percent(lost)} of {tried:,.0f} attempts"), failing_role(lost))
    if background is not None:
        yield from reasons(background.results, record, view)
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


def _second_line(reading: CampaignReading, width: int, view: RenderContext) -> list[Span]:
    """Return the curve and the pace of a campaign that runs, the funnel of any other, then alerts and notes."""
    record, now, counters = reading.record, reading.throughput, reading.record.counters
    # A note says of a standstill for how long.
    is_noted = AlertMeasure.STALLED if now.state is CampaignState.STALLED else None
    alerts = [each for each in reading.alerts if each.rule.measure is not is_noted]
    more = f" and {len(alerts) - 1} more" if len(alerts) > 1 else ""
    told = [span(f"{view.glyphs.warning} {each.words}{more}", Role.BAD) for each in alerts[:1]]
    if doubt := counter_doubt(counters):
        told.append(span(f"{doubt}: these numbers can't be right", Role.WARN))
    told += _notes(reading.history, now, view)
    words = [part for each in told for part in (span(view.glyphs.separator, Role.DIM), each)][1:]
    if record.status != "inProgress":
        if not counters.total:
            return [*_why_none(record), *([span("  "), *words] if words else [])]
        room = max(NARROW // 2, width - 1 - width_of(words)) if words else width
        return [*funnel_line(counters, min(room, width)), *([span("  "), *words] if words else [])]
    if doubt or (words and width < NARROW):
        return words
    pace = "" if is_outdated(record, now, view) or now.minute_rate is None else f"{now.minute_rate:,.0f}/min"
    room = width - _PACE - (width_of(words) + 2 if words else 0)
    drawn = pace_curve(reading, max(MIN_CURVE_CELLS, min(CURVE_CELLS, room)), view)
    return [*drawn, _right(pace, _PACE), *([span("  "), *words] if words else [])]


def pace_curve(reading: CampaignReading, cells: int, view: RenderContext) -> list[Span]:
    """Draw the pace of the last minutes in so many cells."""
    samples, at = reading.history.samples, reading.throughput.at
    shift = max(1, cells // CURVE_SHIFTS) * CURVE_SECONDS
    begin = (at // shift + 1) * shift - cells * CURVE_SECONDS
    rates = rates_from(samples, reading.history.intervals, at, begin, CURVE_SECONDS)
    is_older = bool(samples) and samples[0].at < begin
    return [*spark_line(rates, view, is_older=is_older), span(" " * (cells - len(rates)))]


def pace_chart(
    history: CampaignHistory, now: Throughput, raised: Sequence[Alert], width: int, view: RenderContext
) -> tuple[Line, ...]:
    """Draw the pace over the whole run, with a sign at each alert; nothing before the start, or in a narrow place.

    Args:
        history: with all samples that are kept.
    """
    record, samples = history.record, history.samples
    begin = record.started_at or (samples[0].at if samples else None)
    if begin is None:
        return ()
    is_over = record.status in CAMPAIGN_ENDED
    end = (record.completed_at or record.failed_at or history.last_moved_at or begin) if is_over else now.at
    begin = begin // MINUTE * MINUTE
    until = max(MINUTE, end - begin) if is_over else round_span(max(MINUTE, end - begin))
    seconds = max(CURVE_SECONDS, until / (2 * max(1, width)))
    rates = rates_from(samples, history.intervals, end, begin, seconds)
    parts: list[list[tuple[float, float]]] = [[]]
    for step, rate in enumerate(rates):
        if rate is None:
            parts.append([])
        else:
            parts[-1].append(((step + 0.5) * seconds, rate))
    most = round_up(max((rate for part in parts for _, rate in part), default=0.0))
    clock = partial(_clock_after, begin, view)
    drawn = draw([Curve(0, parts)], until, most, width, CHART_LINES, view.glyphs, count_label, clock)
    if drawn is None:
        return ()
    marks = [(each.at - begin) / until for each in raised if begin <= each.at <= begin + until]
    return EMPTY, fit([span("sent per minute", Role.DIM)], width), *drawn.marked(marks, view.glyphs.warning)


def _clock_after(begin: float, view: RenderContext, seconds: float) -> str:
    return relative_time.clock(begin + seconds, view.zone)


def spark_line(steps: Sequence[float | None], view: RenderContext, *, is_older: bool) -> list[Span]:
    """Return a sign a step: a gap where nobody watched, the lowest for nothing sent, none before the first."""
    most = round_up(max((each for each in steps if each is not None), default=0.0))
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
        found.append(("done by", _done_by(now.at + low, now.at + high, view)))
        found.append(("done in", relative_time.duration_range(low, high)))
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
        found.append(("done by", why))
    return found


def _stalled(now: Throughput, view: RenderContext) -> str:
    since = "" if now.since is None else f" since {relative_time.clock(now.since, view.zone)}"
    return f"unknown: no progress{since}"


def _why_none(record: CampaignRecord) -> list[Span]:
    if record.failure_reason:
        return [span(show_line(record.failure_reason, 120), Role.BAD)]
    return [span(show_line(record.workflow_name, 80), Role.DIM)]


_SHARE, _RATE, _PACE, _LEFT, _LOST = 4, 10, 11, 20, 13
_MIN_NAME = 14
_WITH_COUNT, _WITH_RATE = 70, 90
"""Widths from which there is room for how many are done, and for the pace."""


def compact_row(reading: CampaignReading, width: int, view: RenderContext) -> tuple[Line, ...]:
    """Return a campaign's one line; unknown cells are empty or say so, never 0."""
    return (_first_line(reading, width, view, has_pace=width >= _WITH_RATE),)


def _first_line(reading: CampaignReading, width: int, view: RenderContext, *, has_pace: bool) -> Line:
    record = reading.record
    sign = span(f"{view.glyphs.warning} " if reading.alerts else "", Role.BAD)
    name = [sign, campaign_name(record)]
    if record.problem:
        return fit(name, width, [span("unreadable", Role.BAD)])
    right = campaign_state(record, view)
    if record.status == "scheduled" and record.scheduled_at is not None:
        words = "starts" if record.scheduled_at > view.now else "was due"
        right = [span(f"{words} {view.when(record.scheduled_at)}", Role.DIM)]
    if record.status == "inProgress":
        right = _compact_progress(reading, width, view, has_pace=has_pace)
    right = [*right, _compact_losses(reading)]
    while len(right) > 1 and width_of(right) > width - _MIN_NAME:
        right.pop()
    return fit(name, width, right)


def _compact_progress(reading: CampaignReading, width: int, view: RenderContext, *, has_pace: bool) -> list[Span]:
    counters, now = reading.record.counters, reading.throughput
    cells: list[Span] = []
    done = None if counter_doubt(counters) else done_of_all(counters)
    share, count = ("", "") if done is None else percent_and_count(*done)
    if width >= _WITH_COUNT and count:
        cells.append(span(f"{count}  ", Role.DIM))
    cells.append(_right(share, _SHARE))
    if has_pace:
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
    about = "about" if now.eta.certainty is Certainty.ROUGH else "done"
    low, high = now.at + now.eta.low_seconds, now.at + now.eta.high_seconds
    return _right(f"{about} {_done_by(low, high, view)}", width)


def _done_by(low: float, high: float, view: RenderContext) -> str:
    return relative_time.moment_range(low, high, view.now, view.zone)


def _queue(queue: Sequence[QueuedCampaign], own: CampaignRecord, view: RenderContext) -> Iterator[Fact]:
    """Tell what else runs on a campaign's line or waits for it, and when each is done."""
    if not any(each.reading.record.campaign_id == own.campaign_id for each in queue) or len(queue) < 2:
        return
    yield GAP
    yield text(SafeText(f"queue of {(line := view.line(own.line_id, 60)).text}", line.was_sanitized), Role.DIM)
    for reading, ends in queue:
        record, is_running = reading.record, reading.record.status == "inProgress"
        name = campaign_name(record)
        if is_running and is_outdated(record, reading.throughput, view):
            ends = None
        words = "end unknown" if ends is None else f"done {_done_by(*ends, view)}"
        if record.scheduled_at is not None and not is_running:
            words = f"starts {view.when(record.scheduled_at)}, {words}"
        count = remaining(record.counters) if is_running else record.counters.total
        left = f"{count:,.0f} left, " if count else ""
        role = Role.STRONG if record.campaign_id == own.campaign_id else Role.TEXT
        yield Fact(
            "",
            SafeText(f"{name.text.text}: {left}{words}", name.text.was_sanitized),
            draw=partial(_queued_line, name._replace(role=role), left, words),
        )


def _queued_line(name: Span, left: str, words: str, width: int) -> list[Line]:
    return [fit((span("  "), name), width, [span(f"{left if width >= NARROW else ''}{words}", Role.DIM)])]


def _compact_losses(reading: CampaignReading) -> Span:
    counters = reading.record.counters
    share, what = lost_share(counters), "lost" if counters.too_many else "failed"
    return _right("" if share is None else f"{percent(share)} {what}", _LOST + 2, failing_role(share))


def _right(words: str, width: int, role: Role = Role.TEXT) -> Span:
    return span(" " * max(0, width - cell_width(words)) + words, role)
