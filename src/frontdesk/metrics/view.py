"""Numbers as text: the screen's lines and bars, cells of tables, Markdown, CSV and JSON, sentences for speech."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import groupby
from typing import NamedTuple

from frontdesk.config.render_context import AGENT, RenderContext
from frontdesk.metrics.alerts import AlertEnd, ShownAlert
from frontdesk.metrics.facts import RunningCampaign
from frontdesk.metrics.models import (
    EARLIER,
    TROUBLE,
    Breakdown,
    Dimension,
    Measure,
    MeasuredNumber,
    NumbersReport,
    ReportRow,
)
from frontdesk.storage.record_lookup import CUSTOMER
from frontdesk.text import relative_time
from frontdesk.text.export_escapes import Cell, csv_table, escape_formula, escape_markdown
from frontdesk.text.percentages import MAX_SHARE, percent
from frontdesk_api.contract.ids import StatusId, TagId
from frontdesk_lines.cell_width import cell_width
from frontdesk_lines.display_text import cut, show_label, show_line, show_name
from frontdesk_lines.lines import EMPTY, Line, Role, TableColumn, fit, fitting_columns, span

UNKNOWN = "?"
NOTHING = "-"

MAX_SHARE_APART = 0.1
"""Counts of two periods are compared where the shares that were read differ by no more than this."""

LABELS = {
    Measure.INCOMING: "Messages received",
    Measure.ANSWERS: "Sent by agents",
    Measure.AUTOMATIC: "Automated messages",
    Measure.FIRST_RESPONSES: "First responses",
    Measure.FIRST_MEDIAN: "First response time, median",
    Measure.FIRST_P90: "First response time, p90",
    Measure.FIRST_KEPT: "First responses in time",
    Measure.NEXT_RESPONSES: "Next responses",
    Measure.NEXT_MEDIAN: "Next response time, median",
    Measure.NEXT_P90: "Next response time, p90",
    Measure.NEXT_KEPT: "Next responses in time",
    Measure.OPENED: "Tasks opened",
    Measure.CLOSED: "Tasks closed",
    Measure.RESOLUTION_MEDIAN: "Resolution time, median",
    Measure.RESOLUTION_P90: "Resolution time, p90",
    Measure.RESOLUTIONS_KEPT: "Resolutions in time",
    Measure.BACKLOG: "Open tasks now",
    Measure.OVERDUE: "Overdue tasks now",
    Measure.WAITING: "Customers waiting now",
    Measure.WAITING_LONG: "Customers waiting over 1 h",
    Measure.LATE: "Late conversations now",
    Measure.RUNNING: "Campaigns running now",
    Measure.PACE: "Campaign messages per minute",
    Measure.THROTTLED: "Campaigns throttled now",
    Measure.ALERTS: "Alerts on this machine",
}

SHORT = {
    Measure.INCOMING: "IN",
    Measure.ANSWERS: "OUT",
    Measure.AUTOMATIC: "AUTO",
    Measure.FIRST_RESPONSES: "FIRST",
    Measure.FIRST_MEDIAN: "MEDIAN",
    Measure.FIRST_KEPT: "IN TIME",
    Measure.NEXT_RESPONSES: "NEXT",
    Measure.NEXT_MEDIAN: "MEDIAN",
    Measure.NEXT_KEPT: "IN TIME",
    Measure.OPENED: "OPENED",
    Measure.CLOSED: "CLOSED",
    Measure.RESOLUTION_MEDIAN: "RESOLUTION",
    Measure.RESOLUTIONS_KEPT: "IN TIME",
    Measure.BACKLOG: "OPEN NOW",
    Measure.OVERDUE: "OVERDUE",
    Measure.WAITING: "WAITING",
    Measure.WAITING_LONG: ">1 H",
    Measure.LATE: "LATE",
    Measure.RUNNING: "RUNNING",
    Measure.PACE: "PACE",
    Measure.THROTTLED: "THROTTLED",
}
"""Headings of breakdowns' tables; what has none is left to JSON and CSV, for tables have to fit a terminal."""

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

CSV_COLUMNS = (
    "from",
    "to",
    "by",
    "key",
    "name",
    "measure",
    "value",
    "share",
    "before",
    "before_share",
    "share_of",
    "of",
)


class NumberCells(NamedTuple):
    """A measure as cells: label, value, value before, change, and what it is counted from."""

    label: str
    now: str
    before: str
    change: str
    source: str


def report_cells(report: NumbersReport, view: RenderContext) -> list[NumberCells]:
    return [
        NumberCells(
            LABELS[each.measure],
            value_of(each.measure, each.now),
            NOTHING if each.measure.is_present else value(each.measure, each.before),
            change(each),
            source(each, report, view),
        )
        for each in report.rows
    ]


def value(measure: Measure, number: MeasuredNumber) -> str:
    """Return a number for people: `?` where too little was read, `-` where there is none.

    What counts now has a `+` where there may be more; that there is none is said only where all was read.
    """
    if not number.is_known:
        return UNKNOWN
    if number.value is None:
        return NOTHING
    if measure.is_share:
        return in_time(number)
    if measure.is_present and number.share < 1:
        return f"{number.value:,.0f}+" if number.value else UNKNOWN
    if not measure.is_duration:
        return f"{number.value:,.0f}"
    return "<1 min" if number.value < relative_time.MINUTE else relative_time.duration_words(number.value)


MIN_COUNTED = 10
"""A share of fewer is said in counts: a percentage would claim more than is known."""


def in_time(number: MeasuredNumber) -> str:
    """Return a share in time: `2 of 6`, or `67% of 24`."""
    if number.of < MIN_COUNTED:
        return f"{round((number.value or 0.0) * number.of)} of {number.of}"
    return f"{percent(number.value or 0.0)} of {number.of:,}"


def value_of(measure: Measure, number: MeasuredNumber) -> str:
    """Return a number as `value` does; a median with how many it is of: `14 min (n=12)`."""
    is_counted = measure.is_duration and number.value is not None
    return value(measure, number) + (f" (n={number.of:,})" if is_counted else "")


def lasted(measure: Measure) -> str:
    """Return what the records behind a number have done for the time that is shown beside each."""
    if measure is Measure.LATE:
        return "late by"
    if measure.thing == "conversation":
        return "waiting" if measure.is_present else "waited"
    return "overdue by" if measure is Measure.OVERDUE else "open for"


def wait_heading(measure: Measure) -> str:
    return "LONGEST WAIT" if measure.is_of_threads else lasted(measure).upper()


def campaign_note(campaign: RunningCampaign) -> str:
    """Return how a campaign behind a number moves."""
    if not campaign.is_known:
        return "not loaded recently"
    pace = "pace unknown" if campaign.pace is None else f"{campaign.pace:,.0f}/min"
    return f"{pace}, throttled" if campaign.is_throttled else pace


def change(row: ReportRow) -> str:
    """Return how a number has changed; empty where one of both isn't known.

    A count is too low to compare where much less was read than for the other one: then how much that is.
    """
    now, before = row.now.value, row.before.value
    if now is None or before is None:
        return ""
    is_count = not (row.measure.is_share or row.measure.is_duration)
    if is_count and abs(row.before.share - row.now.share) > MAX_SHARE_APART:
        return f"{percent(min(row.before.share, row.now.share))} loaded"
    if now == before:
        return "same"
    if row.measure.is_share:
        points = round(100 * (now - before))
        return f"{points:+} points" if points else "same"
    if not before:
        return ""
    share = now / before - 1
    if share >= MAX_SHARE:
        return f"×{now / before:,.0f}"
    sign, size = "+" if share > 0 else "-", percent(abs(share))
    return f">{sign}{size[1:]}" if size.startswith(">") else f"{sign}{size}"


def source(row: ReportRow, report: NumbersReport, view: RenderContext) -> str:
    """Return what a number is counted from, such as `93% of threads with a task`."""
    measure, share, begins = row.measure, row.now.share, ""
    whole = share_of(measure)
    if not (measure.is_share or measure.is_of_threads or measure is Measure.ALERTS):
        if measure.thing != "campaign" and not report.sources.is_listed:
            return "tasks are still loading"
        since = report.sources.history_since
        if not measure.is_present and whole != _TASKS and since is not None and since > report.period.start:
            begins = f", since {view.past_moment(since)}"
    words = f"all {whole}" if share >= 1 else f"{percent(share)} of {'the time' if begins else whole}{begins}"
    return words if row.now.is_known or share >= 1 else f"not enough data ({words})"


_TASKS = "tasks"


def share_of(measure: Measure) -> str:
    """Return what a share is of; the platform lists no threads, so frontdesk knows only those with a task."""
    if measure.is_share:
        return "resolutions" if measure is Measure.RESOLUTIONS_KEPT else "responses"
    if measure.thing == "campaign":
        return "running campaigns watched here"
    if measure is Measure.LATE:
        return "SLAs"
    if measure.thing == "conversation":
        return "threads with a task"
    if measure is Measure.ALERTS:
        return "days"
    if measure is Measure.OPENED or measure.is_present:
        return _TASKS
    return "closed tasks"


def group_name(by: Dimension, key: str, view: RenderContext) -> str:
    if key == EARLIER:
        return key
    if by is Dimension.DAY:
        day = date.fromisoformat(key)
        return f"{day:%a} {day.day} {day:%b}"
    if by is Dimension.HOUR:
        return f"{int(key):02}:00"
    if by is Dimension.WEEKDAY:
        return WEEKDAYS[int(key)]
    if by is Dimension.WEEK_HOUR:
        weekday, hour = key.split()
        return f"{WEEKDAYS[int(weekday)]} {hour}:00"
    if not key:
        return {Dimension.AGENT: "no agent", Dimension.SLA: "no SLA"}.get(by, "unknown")
    if by is Dimension.SLA:
        return show_label(key, MAX_NAME).text
    if by is Dimension.AGENT:
        return show_name(key, 30, kind=AGENT, key=key).text
    if by is Dimension.LINE:
        return view.line(key).text
    if by is Dimension.TAG:
        return view.tag(TagId(key)).text
    if by is Dimension.STATUS:
        return view.status(StatusId(key)).text
    return key  # a span of ages


def breakdown_headings(found: Breakdown) -> tuple[str, ...]:
    return (found.by.upper(), *(SHORT[each] for each in _in_table(found)))


def breakdown_cells(found: Breakdown, view: RenderContext) -> list[tuple[str, ...]]:
    return [
        (
            group_name(found.by, each.key, view),
            *(value(measure, each.numbers[measure]) for measure in _in_table(found)),
        )
        for each in found.groups
    ]


def _in_table(found: Breakdown) -> list[Measure]:
    return [each for each in found.measures if each in SHORT]


def title(report: NumbersReport, view: RenderContext) -> str:
    compared = f"{report.period.name}, compared with {report.before.name_in_full}"
    return "; ".join(filter(None, (compared, answers_words(report.sources.answers_as_of, view))))


def answers_words(as_of: float | None, view: RenderContext) -> str:
    """Say up to when answers from elsewhere are known; empty where that doesn't matter."""
    return "" if as_of is None else f"answers sent elsewhere as of {view.past_moment(as_of)}"


def as_markdown(report: NumbersReport, view: RenderContext) -> str:
    cells = report_cells(report, view)
    parts = [
        f"## Numbers for {report.period.name}",
        _markdown_table(("", "now", report.before.short_name, "change", "counted from"), cells),
    ]
    for each in report.breakdowns:
        parts.append(f"### By {each.by}")
        headings = [each.by, *(LABELS[measure].lower() for measure in _in_table(each))]
        rows = ((escape_formula(name), *values) for name, *values in breakdown_cells(each, view))
        parts.append(_markdown_table(headings, rows))
    return "\n\n".join(parts) + "\n"


def _markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def line(cells: Iterable[str]) -> str:
        return f"| {' | '.join(map(escape_markdown, cells))} |"

    rule = f"|---|{'---:|' * (len(headings) - 1)}"
    return "\n".join([line(headings), rule, *map(line, rows)])


def as_csv(report: NumbersReport, view: RenderContext) -> str:
    """Return a report as CSV, one number a row; an unknown one is empty, with its share beside it."""
    rows: list[Sequence[Cell]] = [CSV_COLUMNS]
    ends = [_iso(at) for at in (report.period.start, min(report.period.end, view.now))]
    for row in report.rows:
        rows.append([*ends, "", "", "", *_csv_cells(row.measure, row.now, row.before)])
    for found in report.breakdowns:
        befores = {each.key: each.numbers for each in found.before}
        for group in found.groups:
            name, earlier = group_name(found.by, group.key, view), befores.get(group.key, {})
            for measure, number in group.numbers.items():
                rows.append([*ends, found.by, group.key, name, *_csv_cells(measure, number, earlier.get(measure))])
    return csv_table(rows)


def _csv_cells(measure: Measure, now: MeasuredNumber, before: MeasuredNumber | None) -> list[Cell]:
    earlier: list[Cell] = ["", ""] if before is None else [before.value, f"{before.share:.3f}"]
    return [measure, now.value, f"{now.share:.3f}", *earlier, share_of(measure), now.of or None]


def as_json(report: NumbersReport, view: RenderContext) -> dict[str, object]:
    """Return a report as one JSON object; an unknown number is null, with its share beside it."""
    return {
        "from": report.period.start,
        "to": min(report.period.end, view.now),
        "before": {"from": report.before.start, "to": report.before.end},
        "threads_share": report.sources.threads,
        "history_since": report.sources.history_since,
        "all_tasks_listed": report.sources.is_listed,
        "answers_elsewhere_as_of": report.sources.answers_as_of,
        "numbers": {each.measure: _number_json(each.measure, each.now, each.before) for each in report.rows},
        "by": breakdowns_as_json(report.breakdowns, view),
        "alerts": [each._asdict() for each in report.alerts],
    }


def breakdowns_as_json(breakdowns: Iterable[Breakdown], view: RenderContext) -> dict[str, object]:
    return {
        each.by: [
            {
                "key": group.key,
                "name": group_name(each.by, group.key, view),
                "numbers": {
                    measure: _number_json(measure, number, before.get(group.key, {}).get(measure))
                    for measure, number in group.numbers.items()
                },
            }
            for before in [{group.key: group.numbers for group in each.before}]
            for group in each.groups
        ]
        for each in breakdowns
    }


def _number_json(measure: Measure, now: MeasuredNumber, before: MeasuredNumber | None) -> dict[str, object]:
    found: dict[str, object] = {"value": now.value, "share": now.share}
    if measure.is_duration or measure.is_share:
        found["of"] = now.of
    return found if before is None else found | {"before": before.value, "before_share": before.share}


def sentences(report: NumbersReport, view: RenderContext) -> list[str]:
    said = [f"Numbers for {title(report, view)}."]
    for cells in report_cells(report, view):
        now = {UNKNOWN: "unknown", NOTHING: "none"}.get(cells.now, cells.now)
        before = "" if cells.before in (UNKNOWN, NOTHING) else f", {report.before.short_name} {cells.before}"
        said.append(f"{cells.label}: {now}{before}, counted from {cells.source}.")
    return said


def breakdown_sentences(found: Breakdown, view: RenderContext) -> list[str]:
    said = []
    for group, (name, *cells) in zip(found.groups, breakdown_cells(found, view), strict=True):
        if not any(number.counted for number in group.numbers.values()):
            continue
        parts = [
            f"{LABELS[measure].lower()} {'unknown' if cell == UNKNOWN else cell}"
            for measure, cell in zip(_in_table(found), cells, strict=True)
            if cell != NOTHING
        ]
        said.append(f"{name}: {', '.join(parts)}.")
    return said


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()


HEIGHT = 2
"""Lines of a row."""

MAX_NAME = 24
MIN_BAR = 8


def measure_lines(row: ReportRow, report: NumbersReport, width: int, view: RenderContext) -> tuple[Line, ...]:
    now = value_of(row.measure, row.now)
    role = Role.DIM if now in (UNKNOWN, NOTHING) else Role.STRONG
    before = value(row.measure, row.before)
    compared = "" if row.measure.is_present else f"  {report.before.short_name} {before}"
    changed, counted = change(row), source(row, report, view)
    words = f"{compared} ({changed})" if changed else compared
    room = width - cell_width(words) - 1
    if row.before.value is None and cell_width(counted) > room:
        words = ""
    elif row.before.value is not None:
        counted = cut(counted, max(0, room))
    return (
        fit((span(LABELS[row.measure]),), width, (span(now, role),)),
        fit((span(words, Role.DIM),), width, (span(counted, Role.DIM),)),
    )


def dimension_name(by: Dimension) -> str:
    return "SLA" if by is Dimension.SLA else by.replace("-", " ")


class BarChart:
    """One measure of a breakdown, as a bar and a number for each group, over those of the days before.

    An upright sign stands where the bar of the days before ends, and their number is the last one.
    """

    def __init__(self, found: Breakdown, measure: Measure, view: RenderContext, names: tuple[str, str]):
        groups = [each for each in found.groups if each.key != EARLIER or measure.is_present]
        self._view, self._legend = view, names
        self._names = {each.key: group_name(found.by, each.key, view) for each in groups}
        self._numbers = {each.key: each.numbers[measure] for each in groups}
        self._before = {
            each.key: each.numbers[measure]
            for each in found.before
            if each.key in self._numbers and measure in each.numbers
        }
        self._cells = {key: value_of(measure, each) for key, each in self._numbers.items()}
        self._cells_before = {key: value(measure, each) for key, each in self._before.items()}
        every = [*self._numbers.values(), *self._before.values()]
        self._most = max((each.value or 0.0 for each in every), default=0.0)
        self._name_width, self._value_width, self._before_width = (
            max(map(cell_width, each.values()), default=0)
            for each in (self._names, self._cells, self._cells_before)
        )
        self._name_width = min(MAX_NAME, self._name_width)

    @property
    def keys(self) -> list[str]:
        return [*self._numbers]

    def heading(self, width: int) -> Line:
        now, before = self._legend
        if not self._before:
            return fit((), width)
        return fit((), width, (span(f"{now}  {self._view.glyphs.rail} {before}", Role.DIM),))

    def line(self, key: str, width: int) -> Line:
        cell = self._cells[key]
        cells = [span(cell, Role.DIM if cell in (UNKNOWN, NOTHING) else Role.TEXT)]
        if self._before:
            cells.append(span(f"  {self._cells_before.get(key, NOTHING):>{self._before_width}}", Role.DIM))
        room = width - self._name_width - self._value_width - 2 - (self._before_width + 2 if self._before else 0)
        bar = self._bar(key, room) if room >= MIN_BAR and self._most else EMPTY
        label = fit((span(self._names[key]),), self._name_width)
        return fit((*label, span(" "), *bar), width, cells)

    def _bar(self, key: str, room: int) -> Line:
        filled, end = (
            max(1, round(room * each.value / self._most)) if each is not None and each.value else 0
            for each in (self._numbers[key], self._before.get(key))
        )
        cells = [(self._view.glyphs.full, Role.ACCENT)] * filled + [(" ", Role.TEXT)] * (room - filled)
        if end:
            cells[end - 1] = (self._view.glyphs.rail, Role.STRONG)
        return tuple(
            span("".join(sign for sign, _ in run), role) for role, run in groupby(cells, key=lambda each: each[1])
        )


class AlertList:
    """The alerts of a period with how each ended."""

    def __init__(self, found: Sequence[ShownAlert], view: RenderContext):
        self._alerts, self._view = {each.key: each for each in found}, view

    @property
    def keys(self) -> list[str]:
        return [*self._alerts]

    def heading(self, width: int) -> Line:
        return fit((span("alert", Role.DIM),), width, (span("how it ended", Role.DIM),))

    def line(self, key: str, width: int) -> Line:
        alert = self._alerts[key]
        at, name, words, end = alert_cells(alert, self._view)
        is_bad = alert.end is AlertEnd.OPEN or alert.late_seconds is not None
        return fit(
            (span(f"{at} ", Role.DIM), span(name), span(f": {words}")),
            width,
            (span(end, Role.WARN if is_bad else Role.DIM),),
        )


def alert_cells(alert: ShownAlert, view: RenderContext) -> tuple[str, str, str, str]:
    """Return when an alert was shown, about whom, what it said, and how it ended: `late by 12m`."""
    name = show_line(alert.name or alert.record_id, 24).text
    if alert.about != "campaign":
        name = show_name(alert.name or alert.record_id, 24, kind=CUSTOMER, key=alert.record_id).text
    end = str(alert.end)
    if alert.late_seconds is not None:
        by = relative_time.short_duration(alert.late_seconds)
        end = f"late by {by}" if alert.end is AlertEnd.LATE else f"{end}, late by {by}"
    status = f", {show_label(alert.status, 20).text}" if alert.status else ""
    return view.past_moment(alert.at), name, show_label(alert.words, 60).text, f"{end}{status}"


class HeatMap:
    """One measure by hour and weekday: a line for each hour, from the first to the last that has anything.

    The height of a sign is a number's share of the greatest; where there is no room, the signs stand alone.
    """

    def __init__(self, found: Breakdown, measure: Measure, view: RenderContext):
        self._signs = view.glyphs.spark
        self._numbers = {each.key: each.numbers[measure] for each in found.groups}
        self._cells = {key: _short_value(measure, each) for key, each in self._numbers.items()}
        self._most = max((each.value or 0.0 for each in self._numbers.values()), default=0.0)
        self._days = sorted({key.split()[0] for key in self._numbers})
        self._width = max(map(cell_width, ["00", *self._cells.values()]))
        hours = sorted(int(key.split()[1]) for key, each in self._numbers.items() if each.counted)
        self.keys = [str(each) for each in range(hours[0], hours[-1] + 1)] if hours else []

    def heading(self, width: int) -> Line:
        cell = self._cell_width(width) or _SIGN_CELL
        days = (f"{WEEKDAYS[int(each)][:3]:>{cell}}" for each in self._days)
        return fit((span(" " * _HOUR_WIDTH + "".join(days), Role.DIM),), width)

    def line(self, key: str, width: int) -> Line:
        spans, cell = [span(f"{int(key):02}:00")], self._cell_width(width)
        for day in self._days:
            at = f"{day} {int(key):02}"
            number, words = self._numbers.get(at), self._cells.get(at, "")
            sign = self._sign(number)
            if cell:
                spans += (
                    span(f" {sign}", Role.ACCENT),
                    span(f"{words:>{cell - 2}}", Role.TEXT if sign.strip() else Role.DIM),
                )
            else:
                is_unknown = number is not None and not number.is_known
                spans.append(span(f"{UNKNOWN if is_unknown else sign:>{_SIGN_CELL}}", Role.ACCENT))
        return fit(spans, width)

    def _cell_width(self, width: int) -> int:
        """Return the cells of a sign with its number; 0 where there is only room for signs."""
        room = (width - _HOUR_WIDTH) // max(1, len(self._days))
        return next((cell for cell in (self._width + 3, self._width + 2) if cell <= room), 0)

    def _sign(self, number: MeasuredNumber | None) -> str:
        if number is None or not number.value:
            return " "
        return self._signs[min(len(self._signs) - 1, int(len(self._signs) * number.value / self._most))]


_HOUR_WIDTH, _SIGN_CELL = 5, 4


def _short_value(measure: Measure, number: MeasuredNumber) -> str:
    if number.value is None or not (measure.is_duration or measure.is_share):
        return value(measure, number)
    if measure.is_duration:
        return relative_time.short_duration(number.value)
    return in_time(number).replace(" of ", "/") if number.of < MIN_COUNTED else percent(number.value)


OVERVIEW: Mapping[Dimension, Mapping[Measure, TableColumn]] = {
    Dimension.LINE: {
        Measure.WAITING_LONG: TableColumn(">1 h", 8, 0),
        Measure.LATE: TableColumn("late", 8, 1),
        Measure.THROTTLED: TableColumn("throttled", 11, 2),
        Measure.RUNNING: TableColumn("running", 9, 3),
        Measure.PACE: TableColumn("per min", 9, 4),
        Measure.WAITING: TableColumn("waiting", 9, 5),
        Measure.OVERDUE: TableColumn("overdue", 9, 6),
        Measure.BACKLOG: TableColumn("open", 8, 7),
    },
    Dimension.AGENT: {
        Measure.WAITING_LONG: TableColumn(">1 h", 8, 0),
        Measure.LATE: TableColumn("late", 8, 1),
        Measure.OVERDUE: TableColumn("overdue", 9, 2),
        Measure.WAITING: TableColumn("waiting", 9, 4),
        Measure.BACKLOG: TableColumn("open", 8, 3),
        Measure.ANSWERS: TableColumn("sent", 7, 5),
        Measure.CLOSED: TableColumn("closed", 8, 8),
        Measure.FIRST_MEDIAN: TableColumn("response", 13, 6),
        Measure.FIRST_KEPT: TableColumn("in time", 14, 7),
    },
}
"""The columns of lines and of people; a narrow screen has the most important ones."""

MIN_OVERVIEW_NAME = 13


class OverviewTable:
    """Lines or people as a table, those in trouble first; `at` is the measure under the cursor."""

    def __init__(self, found: Breakdown, view: RenderContext) -> None:
        self.groups = {each.key: each for each in found.groups}
        self._by, self._view = found.by, view
        self._columns = {each: column for each, column in OVERVIEW[found.by].items() if each in found.measures}
        self._first = "line" if found.by is Dimension.LINE else "person"
        self._longest = max(cell_width(each) for each in (self._first, *map(self._name, self.groups)))

    def measures(self, width: int) -> list[Measure]:
        """Return those that fit, in order."""
        fitting = fitting_columns([*self._columns.values()], width - MIN_OVERVIEW_NAME)
        return [each for each, column in self._columns.items() if column in fitting]

    def heading(self, width: int, at: Measure | None) -> Line:
        cells = [
            span(f"{self._columns[each].label} ".rjust(self._columns[each].width), _HEADING[each is at])
            for each in self.measures(width)
        ]
        return fit((*self._named(self._first, Role.DIM, width), *cells), width)

    def line(self, key: str, width: int, at: Measure | None) -> Line:
        """Return a row; the number under the cursor is in brackets."""
        cells = []
        for each in self.measures(width):
            number = self.groups[key].numbers[each]
            shown = value(each, number)
            words = f"[{shown}]" if each is at else f"{shown} "
            role = Role.TEXT if number.value else Role.DIM
            if number.value and each in TROUBLE:
                role = Role.BAD if each is Measure.LATE else Role.WARN
            cells.append(span(words.rjust(self._columns[each].width), role))
        return fit((*self._named(self._name(key), Role.TEXT, width), *cells), width)

    def _named(self, name: str, role: Role, width: int) -> Line:
        """Return a name with the room up to the numbers, which stand close to the longest one."""
        room = width - sum(self._columns[each].width for each in self.measures(width))
        return fit((span(name, role),), max(0, min(room, self._longest)))

    def _name(self, key: str) -> str:
        """Return the name of a row, which is found when it is drawn: names may be hidden meanwhile."""
        return group_name(self._by, key, self._view)

    def describe(self, key: str, measure: Measure) -> str:
        """Return what a number is, and how much of what it is counted from was loaded."""
        number = self.groups[key].numbers[measure]
        loaded = "" if number.share >= 1 else f", {percent(number.share)} of {share_of(measure)} loaded"
        return f"{LABELS[measure]}: {value(measure, number)}{loaded}"


_HEADING = {True: Role.STRONG, False: Role.DIM}
