"""The shift report on campaigns: half a page of what matters, then everything; as Markdown or as a page of HTML.

Outside text is escaped: nothing in it is taken for Markdown, HTML or a formula.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import tzinfo
from types import MappingProxyType
from typing import NamedTuple, Protocol

from frontdesk.campaigns.alert_rules import AlertRule, current_matches
from frontdesk.campaigns.comparison import holes
from frontdesk.campaigns.counters import RISING, Counters, finished_count, funnel, lost_count, lost_share
from frontdesk.campaigns.delivery_results import DeliveryResultsRecord, ResultClass
from frontdesk.campaigns.models import (
    STATUS_WORDS,
    CampaignHistory,
    CampaignOrder,
    CampaignRecord,
    WatchInterval,
    corrections,
    sort_campaigns,
)
from frontdesk.campaigns.store.alerts import Alert
from frontdesk.campaigns.throughput import rate_since_start, rates_from
from frontdesk.text.export_escapes import escape_formula, escape_markdown
from frontdesk.text.html_pages import STYLE, Mark, curve_svg, escape_html, html_page, html_table
from frontdesk.text.percentages import percent
from frontdesk_api import json_access
from frontdesk_api.contract.ids import CampaignId
from frontdesk_api.contract.values import CAMPAIGN_ENDED, UnixSeconds, seconds_to_datetime
from frontdesk_lines.display_text import counted, show_label

_MAX_LINES = 20
"""Holes listed for one campaign, and ids of those never loaded."""

_MAX_ALERTS = 10
"""Alerts listed on the first half page; each stands with its campaign, too."""

_WORST = 3
_MIN_HOLE = 5.0
"""Seconds that lie between two reads anyway."""

_CURVE_STEPS = 60


class Shift(NamedTuple):
    """The time that a report is about, in the zone of its reader."""

    profile: str
    since: float
    now: float
    zone: tzinfo

    def moment(self, at: float | None) -> str:
        found = None if at is None else seconds_to_datetime(UnixSeconds(at))
        try:
            return "unknown time" if found is None else f"{found.astimezone(self.zone):%a %d %b %Y %H:%M %Z}"
        except OverflowError:  # the last hours of the year 9999
            return "unknown time"


class ReportSources(NamedTuple):
    """What a report tells beside the campaigns' own counters.

    Attributes:
        alerts: by their time; of one rule and campaign the latest.
        rules: the alert rules of the config, to tell whether an alert still holds.
        never_loaded: ids that the configuration names and the store doesn't have yet.
        workflow_ids: of the campaigns whose workflow's name another workflow has too.
        results: delivery results, as far as recipients were checked.
    """

    alerts: Sequence[Alert] = ()
    rules: Sequence[AlertRule] = ()
    never_loaded: Sequence[str] = ()
    workflow_ids: Mapping[CampaignId, str] = MappingProxyType({})
    results: Mapping[CampaignId, DeliveryResultsRecord] = MappingProxyType({})


_NO_SOURCES = ReportSources()


class ReportWriter(Protocol):
    """Writes the parts of a report in one form; outside text goes through `outside` first."""

    def outside(self, text: object, limit: int = 120) -> str: ...
    def heading(self, level: int, words: str) -> None: ...
    def paragraph(self, words: str) -> None: ...
    def table(self, headings: Sequence[str], rows: Sequence[Sequence[str]], words: int) -> None: ...
    def items(self, pairs: Sequence[tuple[str, str]]) -> None: ...
    def folded(self, label: str, words: Sequence[str]) -> None: ...
    def curve(self, history: CampaignHistory, shift: Shift, alerts: Sequence[Alert]) -> None: ...


class _MarkdownWriter:
    def __init__(self) -> None:
        self._lines: list[str] = []

    def outside(self, text: object, limit: int = 120) -> str:
        return escape_markdown(text, limit)

    def heading(self, level: int, words: str) -> None:
        self._lines += [f"{'#' * level} {words}", ""]

    def paragraph(self, words: str) -> None:
        self._lines += [words, ""]

    def table(self, headings: Sequence[str], rows: Sequence[Sequence[str]], words: int) -> None:
        rule = "|".join("---" if at < words else "--:" for at in range(len(headings)))
        self._lines += [
            f"| {' | '.join(headings)} |",
            f"|{rule}|",
            *(f"| {' | '.join(each)} |" for each in rows),
            "",
        ]

    def items(self, pairs: Sequence[tuple[str, str]]) -> None:
        self._lines += [*(f"- {label}{': ' if label else ''}{words}" for label, words in pairs), ""]

    def folded(self, label: str, words: Sequence[str]) -> None:
        lines = [(label, each) for each in words[:_MAX_LINES]]
        if len(words) > _MAX_LINES:
            lines.append((label, f"{len(words) - _MAX_LINES} more"))
        if lines:
            self._lines.pop()  # they go on in the list before them
            self.items(lines)

    def curve(self, history: CampaignHistory, shift: Shift, alerts: Sequence[Alert]) -> None:
        """Markdown has no pictures of its own."""

    def text(self) -> str:
        return "\n".join(self._lines)


_PAGE_STYLE = (
    STYLE
    + """\
:root { color-scheme: light dark; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
h2 { margin: 2rem 0 0.5rem; }
h3 { margin: 2rem 0 0.5rem; padding-top: 0.5rem; border-top: 1px solid; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }
dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 40rem) { dl { display: block; } dt { font-weight: 600; } }
@media print {
  body { max-width: none; margin: 0; font-size: 10pt; }
  tr, svg, details { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
}
"""
)


class _HtmlWriter:
    """Escapes all words that it gets, so nothing of them can become markup."""

    def __init__(self) -> None:
        self._parts: list[str] = []

    def outside(self, text: object, limit: int = 120) -> str:
        return show_label(text, limit).text

    def heading(self, level: int, words: str) -> None:
        self._parts.append(f"<h{level}><bdi>{escape_html(words)}</bdi></h{level}>\n")

    def paragraph(self, words: str) -> None:
        self._parts.append(f"<p>{escape_html(words)}</p>\n")

    def table(self, headings: Sequence[str], rows: Sequence[Sequence[str]], words: int) -> None:
        self._parts.append(f'<div class="wide">\n{html_table(headings, rows, words=words)}</div>\n')

    def items(self, pairs: Sequence[tuple[str, str]]) -> None:
        listed = (
            f"<dt>{escape_html(label)}</dt><dd><bdi>{escape_html(words)}</bdi></dd>\n" for label, words in pairs
        )
        self._parts.append(f"<dl>\n{''.join(listed)}</dl>\n")

    def folded(self, label: str, words: Sequence[str]) -> None:
        if words:
            listed = "".join(f"<li><bdi>{escape_html(each)}</bdi></li>\n" for each in words)
            summary = f"<summary>{escape_html(f'{label}: {len(words)}')}</summary>"
            self._parts.append(f"<details>{summary}\n<ul>\n{listed}</ul>\n</details>\n")

    def curve(self, history: CampaignHistory, shift: Shift, alerts: Sequence[Alert]) -> None:
        self._parts.append(_curve(history, shift, alerts))

    def text(self, shift: Shift) -> str:
        return html_page(f"Shift report of {shift.profile}", _PAGE_STYLE, "".join(self._parts))


def shift_report(histories: Sequence[CampaignHistory], shift: Shift, sources: ReportSources = _NO_SOURCES) -> str:
    """Report what campaigns did in this time as Markdown; idle ones are only counted."""
    writer = _MarkdownWriter()
    _write(writer, histories, shift, sources)
    return writer.text()


def shift_report_page(
    histories: Sequence[CampaignHistory], shift: Shift, sources: ReportSources = _NO_SOURCES
) -> str:
    """Return the same as a page of HTML with pictures, which loads nothing."""
    writer = _HtmlWriter()
    _write(writer, histories, shift, sources)
    return writer.text(shift)


def _write(
    writer: ReportWriter, histories: Sequence[CampaignHistory], shift: Shift, sources: ReportSources
) -> None:
    active = [each for each in histories if _did_something(each, shift.since)]
    known = {each.record.campaign_id: each for each in histories}
    alerts = [each for each in sources.alerts if each.at >= shift.since and each.campaign_id in known]
    writer.heading(1, "Shift report")
    times = f"{shift.moment(shift.since)} to {shift.moment(shift.now)}"
    writer.paragraph(f"{writer.outside(shift.profile)}: campaigns from {times}.")
    if active:
        writer.items(_totals(active, shift))
        _write_worst(writer, active, sources)
    if alerts:
        _write_alerts(writer, alerts, known, shift, sources.rules)
    elif active:
        writer.paragraph("No alerts during this time.")
    _write_others(writer, histories, active, shift, sources)
    if active:
        writer.heading(2, "Campaigns")
        columns = ("Campaign", "Status", "Recipients", "Sent", "Delivered", "Read", "Failed", "Throttled")
        writer.table(columns, [_table_row(writer, each.record) for each in active], 2)
        writer.paragraph(
            "Percentages are of all recipients. Neither failed nor throttled recipients were reached."
        )
    for history in active:
        of_this = [each for each in alerts if each.campaign_id == history.record.campaign_id]
        _write_campaign(writer, history, shift, of_this, sources)


def _totals(active: Sequence[CampaignHistory], shift: Shift) -> list[tuple[str, str]]:
    by_status: dict[str, int] = defaultdict(int)
    for each in active:
        status = each.record.status
        by_status[STATUS_WORDS.get(status, "in another state") if status else "not loaded"] += 1
    statuses = ", ".join(f"{count} {words}" for words, count in by_status.items())
    gained: dict[str, float] = defaultdict(float)
    is_whole = True
    for each in active:
        before, unknown = _before(each, shift.since)
        is_whole = is_whole and not unknown
        for words, by in _gained(before, each.record.counters):
            gained[words] += by
    rose = ", ".join(f"{by:+,.0f} {words}" for words, by in gained.items()) or "nothing"
    found = [("Campaigns", f"{len(active)} ({statuses})"), ("During this time", rose)]
    if not is_whole:
        found.append(("Unknown", "what some of them did before they were first loaded"))
    begun = [each.record.counters for each in active if finished_count(each.record.counters) != 0]
    sure = [each for each in begun if lost_share(each) is not None]
    tried = sum(finished_count(each) or 0.0 for each in sure)
    if tried:
        lost = sum(lost_count(each) or 0.0 for each in sure)
        of = f", in {len(sure)} of {len(begun)} campaigns" if len(sure) < len(begun) else ""
        found.append(("Not reached", f"{lost:,.0f} of {tried:,.0f} attempted ({percent(lost / tried, 1)}){of}"))
    else:
        found.append(("Not reached", "unknown"))
    return found


def _write_worst(writer: ReportWriter, active: Sequence[CampaignHistory], sources: ReportSources) -> None:
    ordered = sort_campaigns([each.record for each in active], CampaignOrder.FAILING)
    failing = [each for each in ordered if lost_count(each.counters) or each.status == "failed"]
    if not failing:
        writer.paragraph("Nothing failed or was throttled, as far as is known.")
        return
    writer.heading(2, "Worst campaigns")
    rows = []
    for each in failing[:_WORST]:
        share = lost_share(each.counters)
        why = _why(writer, each, sources.results.get(each.campaign_id))
        rows.append((_name(writer, each), "unknown" if share is None else percent(share, 1), why))
    writer.table(("Campaign", "Not reached", "Why"), rows, 3)


def _why(writer: ReportWriter, record: CampaignRecord, results: DeliveryResultsRecord | None) -> str:
    counts = ((record.counters.failed, "failed"), (record.counters.too_many, "throttled"))
    parts = [writer.outside(record.failure_reason, 200)] if record.failure_reason else []
    parts += [f"{count:,.0f} {words}" for count, words in counts if count]
    failed = [each for each in results.groups if each.result_class is ResultClass.FAILED] if results else []
    if results and failed:
        most = max(failed, key=lambda each: each.count)
        title = writer.outside(most.title or most.code or most.status)
        parts.append(f"most often {title} ({most.count:,} of {results.checked:,} checked)")
    elif record.counters.failed:
        parts.append("reasons not checked")
    return "; ".join(parts)


def _write_alerts(
    writer: ReportWriter,
    alerts: Sequence[Alert],
    known: Mapping[CampaignId, CampaignHistory],
    shift: Shift,
    rules: Sequence[AlertRule],
) -> None:
    writer.heading(2, "Alerts")
    rows = [
        (
            shift.moment(each.at),
            _name(writer, known[each.campaign_id].record),
            writer.outside(each.words),
            alert_outcome(each, known[each.campaign_id], shift, rules),
        )
        for each in alerts[-_MAX_ALERTS:]
    ]
    writer.table(("When", "Campaign", "Alert", "How it ended"), rows, 4)
    if more := len(alerts) - len(rows):
        writer.paragraph(f"{counted(more, 'earlier alert')} below.")


def alert_outcome(alert: Alert, history: CampaignHistory, shift: Shift, rules: Sequence[AlertRule]) -> str:
    """Say how an alert ended: with its campaign, or whether its rule still held at the last read."""
    record = history.record
    if record.status in CAMPAIGN_ENDED:
        ended_at = record.completed_at or record.failed_at
        ended = f"{STATUS_WORDS[record.status]}{'' if ended_at is None else f' {shift.moment(ended_at)}'}"
        share = lost_share(record.counters)
        return ended if share is None else f"{ended}, {percent(share, 1)} not reached"
    if record.read_at is None or record.read_at < alert.at:
        return "unknown: not loaded since"
    as_of = f"as of {shift.moment(record.read_at)}"
    if not any(f"{record.campaign_id} {each.key}" == alert.key for each in rules):
        return f"{STATUS_WORDS.get(record.status, 'unknown')} {as_of}"
    holds = any(f"{record.campaign_id} {each.rule.key}" == alert.key for each in current_matches(rules, history))
    return f"still so {as_of}" if holds else f"over {as_of}"


def _write_others(
    writer: ReportWriter,
    histories: Sequence[CampaignHistory],
    active: Sequence[CampaignHistory],
    shift: Shift,
    sources: ReportSources,
) -> None:
    never_loaded = sources.never_loaded
    if never_loaded:
        ids = ", ".join(writer.outside(each) for each in never_loaded[:_MAX_LINES])
        more = f" and {len(never_loaded) - _MAX_LINES} more" if len(never_loaded) > _MAX_LINES else ""
        writer.paragraph(
            f"{counted(len(never_loaded), 'configured campaign')}: never loaded, "
            f"so what happened is unknown ({ids}{more})."
        )
    elif not histories:
        writer.paragraph("No campaigns are watched.")
    rest = [each for each in histories if each not in active]
    unread = sum((each.record.read_at or 0.0) < shift.since for each in rest)
    new = sum(
        (each.record.read_at or 0.0) >= shift.since and _first_loaded_at(each) > shift.since for each in rest
    )
    for count, words in (
        (len(rest) - unread - new, "didn't change during this time"),
        (new, "first loaded during this time and unchanged since then; what happened before is unknown"),
        (unread, "not loaded during this time, so what happened is unknown"),
    ):
        if count:
            writer.paragraph(f"{counted(count, 'other watched campaign')}: {words}.")


def _did_something(history: CampaignHistory, since: float) -> bool:
    record = history.record
    times = (_created_at(record), record.started_at, record.completed_at, record.failed_at)
    moved = len(history.samples) > 1 and history.samples[-1].at >= since
    return record.status == "inProgress" or moved or any(each is not None and each >= since for each in times)


def _first_loaded_at(history: CampaignHistory) -> float:
    kept = [each.at for each in history.samples[:1]] + [each.since for each in history.intervals[:1]]
    return min(kept, default=history.record.read_at or 0.0)


def _created_at(record: CampaignRecord) -> float | None:
    millis = json_access.number(record.raw.get("created"))
    return None if millis is None else millis / 1000


def _name(writer: ReportWriter, record: CampaignRecord) -> str:
    """Return a campaign's name for a cell: of a report, too, a table may be pasted into a spreadsheet."""
    return writer.outside(escape_formula(record.name or record.campaign_id))


def _table_row(writer: ReportWriter, record: CampaignRecord) -> list[str]:
    steps = {each.label: each for each in funnel(record.counters)}
    cells = [_name(writer, record), writer.outside(escape_formula(record.status or "not loaded"))]
    for label in ("recipients", "sent", "delivered", "read", "failed", "throttled"):
        step = steps[label]
        share = "" if step.share is None else f" ({percent(step.share, 1)})"
        cells.append(_number(step.value) + share)
    return cells


def _write_campaign(
    writer: ReportWriter,
    history: CampaignHistory,
    shift: Shift,
    alerts: Sequence[Alert],
    sources: ReportSources,
) -> None:
    record, since, now = history.record, shift.since, shift.now
    writer.heading(3, writer.outside(record.name or record.campaign_id))
    writer.curve(history, shift, alerts)
    workflow_id = sources.workflow_ids.get(record.campaign_id, "")
    workflow = writer.outside(record.workflow_name) + (f" ({writer.outside(workflow_id)})" if workflow_id else "")
    facts = [("Id", writer.outside(record.campaign_id)), ("Workflow", workflow)]
    times = (("Created", _created_at(record)), *record.times)
    facts += [(label, shift.moment(at)) for label, at in times if at is not None]
    facts.append(("Reason", writer.outside(record.failure_reason, 200)))
    facts.append(("During this time", _gained_words(history, shift)))
    rate = rate_since_start(record, record.read_at or now)
    facts.append(("Sent per minute since the start", "" if rate is None else f"{rate:,.0f}"))
    others = [
        f"{step.value:,.0f} {step.label}"
        for step in funnel(record.counters)
        if step.value and step.label in ("pending", "in flight", "opted out", "duplicate")
    ]
    facts.append(("Other counters", ", ".join(others)))
    facts += [("Alert", f"{writer.outside(each.words)} ({shift.moment(each.at)})") for each in alerts]
    facts += [("Correction", each) for each in _corrections(history, shift)]
    if record.read_at is not None:
        facts.append(("", f"As of {shift.moment(record.read_at)}"))
    writer.items([(label, words) for label, words in facts if words])
    ended_at = record.completed_at or record.failed_at if record.status in CAMPAIGN_ENDED else now
    unwatched = [
        each
        for each in holes(history, min(now, ended_at if ended_at is not None else history.end))
        if each.until > since and each.until - each.since > _MIN_HOLE
    ]
    writer.folded("Not watched", [_as_hole(each, shift) for each in unwatched])


def _corrections(history: CampaignHistory, shift: Shift) -> list[str]:
    """Return the corrections of each counter in one line: platforms may correct one at each read."""
    by_label = defaultdict(list)
    for each in corrections(history.samples):
        if each.at >= shift.since:
            by_label[each.label].append(each)
    found = []
    for label, fallen in by_label.items():
        when = shift.moment(fallen[-1].at)
        if len(fallen) > 1:
            when = f"in {len(fallen)} steps from {shift.moment(fallen[0].at)} to {when}"
        found.append(f"{label} fell by {sum(each.by for each in fallen):,.0f} ({when})")
    return found


def _as_hole(hole: WatchInterval, shift: Shift) -> str:
    minutes = (hole.until - hole.since) / 60
    return f"{shift.moment(hole.since)} to {shift.moment(hole.until)} ({minutes:,.0f} min)"


def _before(history: CampaignHistory, since: float) -> tuple[Counters | None, str]:
    """Return the counters before the report's time, and from when on they are known where that is later."""
    record, samples = history.record, history.samples
    before = next((each.counters for each in reversed(samples) if each.at <= since), None)
    if before is None and record.started_at is not None and record.started_at >= since:
        # It started within this time, with nothing.
        return Counters(None, None, 0.0, 0.0, 0.0, 0.0, None, None, 0.0), ""
    if before is None and samples:
        # Of one that had sent nothing when it was first loaded all is known.
        return samples[0].counters, "" if finished_count(samples[0].counters) == 0 else "unknown"
    return before, ""


def _gained_words(history: CampaignHistory, shift: Shift) -> str:
    """Word by how much counters rose, and from when on where nothing was read before the report's time."""
    before, unknown = _before(history, shift.since)
    if unknown:
        unknown = f"changes before {shift.moment(history.samples[0].at)} unknown, as it was first loaded then"
    rose = ", ".join(f"{by:+,.0f} {words}" for words, by in _gained(before, history.record.counters))
    return "; ".join(filter(None, (rose, unknown)))


_GAINED = ("sent", "delivered", "read", "failed", "too_many")


def _gained(before: Counters | None, last: Counters) -> Iterable[tuple[str, float]]:
    for name in _GAINED:
        was, now = getattr(before, name, None), getattr(last, name)
        if was is not None and now is not None and now != was:
            yield RISING[name], now - was


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,.0f}"


def _curve(history: CampaignHistory, shift: Shift, alerts: Sequence[Alert]) -> str:
    """Return the picture of a campaign's pace from its start, with its alerts; nothing where none was measured."""
    record, samples = history.record, history.samples
    if record.started_at is None or len(samples) < 2 or history.span <= 0:
        return ""
    until = record.started_at + history.span
    step = history.span / _CURVE_STEPS
    rates = rates_from(samples, history.intervals, until, record.started_at, step)
    marks = [
        Mark((each.at - record.started_at) / history.span, f"{each.words}, {shift.moment(each.at)}")
        for each in alerts
    ]
    most = max((each for each in rates if each is not None), default=None)
    if most is None:
        return ""
    hole = "; grey: not watched" if None in rates else ""
    label = f"Sent per minute, at most {most:,.0f}; {counted(len(alerts), 'alert')} marked"
    return curve_svg(
        label,
        rates,
        (shift.moment(record.started_at), shift.moment(until)),
        f"{most:,.0f} sent per minute{hole}",
        marks,
    )
