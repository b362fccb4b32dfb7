"""Samples and comparisons as CSV, and the shift report as Markdown.

Outside text is escaped: no cell is a formula, and nothing is taken for Markdown.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import tzinfo
from pathlib import Path
from typing import NamedTuple

import apsw

from frontdesk.campaigns.comparison import THINNED_AFTER, CurveMeasure, holes, reading
from frontdesk.campaigns.counters import RISING, Counters, funnel
from frontdesk.campaigns.models import CampaignHistory, CampaignRecord, Sample, WatchInterval, corrections
from frontdesk.campaigns.store import alerts as alert_store
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.store.alerts import Alert
from frontdesk.campaigns.store.campaigns import shared_workflows
from frontdesk.campaigns.throughput import rate_since_start
from frontdesk.config.paths import write_new_file
from frontdesk.text.export_escapes import Cell, csv_table, escape_formula, escape_markdown
from frontdesk.text.percentages import percent
from frontdesk_api import json_access
from frontdesk_api.contract.ids import CampaignId
from frontdesk_api.contract.values import CAMPAIGN_ENDED, COUNTERS, UnixSeconds, seconds_to_datetime
from frontdesk_lines.display_text import counted

SHIFT_SECONDS = 12 * 3_600.0
_MAX_LINES = 20
"""Corrections or holes listed for one campaign."""

_MIN_HOLE = 5.0
"""Seconds that lie between two reads anyway."""


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


def shift_report(
    histories: Sequence[CampaignHistory],
    shift: Shift,
    *,
    alerts: Sequence[Alert] = (),
    never_loaded: Sequence[str] = (),
    workflow_ids: Mapping[CampaignId, str] | None = None,
) -> str:
    """Report what campaigns did in this time as Markdown; idle ones are only counted.

    Args:
        alerts: by their time; of one rule and campaign the latest.
        never_loaded: ids that the configuration names and the store doesn't have yet.
        workflow_ids: of the campaigns whose workflow's name another workflow has too.
    """
    since = shift.since
    active = [each for each in histories if _did_something(each, since)]
    lines = [
        "# Shift report",
        "",
        f"{escape_markdown(shift.profile)}: campaigns from {shift.moment(since)} to {shift.moment(shift.now)}.",
        "",
    ]
    if active:
        lines += [
            "| Campaign | Status | Recipients | Sent | Delivered | Read | Failed | Throttled |",
            "|---|---|--:|--:|--:|--:|--:|--:|",
            *(_table_row(each.record) for each in active),
            "",
            "Percentages are of all recipients. Neither failed nor throttled recipients were reached.",
            "",
        ]
        for history in active:
            of_this = [
                each for each in alerts if each.campaign_id == history.record.campaign_id and each.at >= since
            ]
            workflow_id = (workflow_ids or {}).get(history.record.campaign_id, "")
            lines += [*_section(history, shift, of_this, workflow_id), ""]
    if never_loaded:
        ids = ", ".join(escape_markdown(each) for each in never_loaded[:_MAX_LINES])
        more = f" and {len(never_loaded) - _MAX_LINES} more" if len(never_loaded) > _MAX_LINES else ""
        lines += [
            f"{counted(len(never_loaded), 'configured campaign')}: never loaded, "
            f"so what happened is unknown ({ids}{more}).",
            "",
        ]
    elif not histories:
        lines += ["No campaigns are watched.", ""]
    rest = [each for each in histories if not _did_something(each, since)]
    unread = sum((each.record.read_at or 0.0) < since for each in rest)
    new = sum((each.record.read_at or 0.0) >= since and _first_loaded_at(each) > since for each in rest)
    for count, words in (
        (len(rest) - unread - new, "didn't change during this time"),
        (new, "first loaded during this time and unchanged since then; what happened before is unknown"),
        (unread, "not loaded during this time, so what happened is unknown"),
    ):
        if count:
            lines += [f"{counted(count, 'other watched campaign')}: {words}.", ""]
    return "\n".join(lines)


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


def _table_row(record: CampaignRecord) -> str:
    steps = {each.label: each for each in funnel(record.counters)}
    outside = (record.name or record.campaign_id, record.status or "not loaded")
    cells = [escape_markdown(escape_formula(each)) for each in outside]
    for label in ("recipients", "sent", "delivered", "read", "failed", "throttled"):
        step = steps[label]
        share = "" if step.share is None else f" ({percent(step.share, 1)})"
        cells.append(_number(step.value) + share)
    return f"| {' | '.join(cells)} |"


def _section(history: CampaignHistory, shift: Shift, alerts: Sequence[Alert], workflow_id: str) -> list[str]:
    record, since, now = history.record, shift.since, shift.now
    lines = [f"## {escape_markdown(record.name or record.campaign_id)}", ""]
    identity = f" ({escape_markdown(workflow_id)})" if workflow_id else ""
    workflow = escape_markdown(record.workflow_name) + identity
    facts = [("Id", escape_markdown(record.campaign_id)), ("Workflow", workflow)]
    times = (("Created", _created_at(record)), *record.times)
    facts += [(label, shift.moment(at)) for label, at in times if at is not None]
    facts.append(("Reason", escape_markdown(record.failure_reason, 200)))
    facts.append(("During this time", _gained_words(history, shift)))
    rate = rate_since_start(record, record.read_at or now)
    facts.append(("Sent per minute since the start", "" if rate is None else f"{rate:,.0f}"))
    others = [
        f"{step.value:,.0f} {step.label}"
        for step in funnel(record.counters)
        if step.value and step.label in ("pending", "in flight", "opted out", "duplicate")
    ]
    facts.append(("Other counters", ", ".join(others)))
    lines += [f"- {label}: {words}" for label, words in facts if words]
    lines += _listed("Alert", (f"{escape_markdown(each.words)} ({shift.moment(each.at)})" for each in alerts))
    fallen = [each for each in corrections(history.samples) if each.at >= since]
    lines += _listed(
        "Correction", (f"{each.label} fell by {each.by:,.0f} ({shift.moment(each.at)})" for each in fallen)
    )
    ended_at = record.completed_at or record.failed_at if record.status in CAMPAIGN_ENDED else now
    unwatched = [
        each
        for each in holes(history, min(now, ended_at if ended_at is not None else history.end))
        if each.until > since and each.until - each.since > _MIN_HOLE
    ]
    lines += _listed("Not watched", (_as_hole(each, shift) for each in unwatched))
    if record.read_at is not None:
        lines.append(f"- As of {shift.moment(record.read_at)}")
    return lines


def _as_hole(hole: WatchInterval, shift: Shift) -> str:
    minutes = (hole.until - hole.since) / 60
    return f"{shift.moment(hole.since)} to {shift.moment(hole.until)} ({minutes:,.0f} min)"


def _gained_words(history: CampaignHistory, shift: Shift) -> str:
    """Word by how much counters rose, and from when on where nothing was read before the report's time."""
    record, samples, since = history.record, history.samples, shift.since
    before = next((each.counters for each in reversed(samples) if each.at <= since), None)
    unknown = ""
    if before is None and record.started_at is not None and record.started_at >= since:
        before = Counters(
            None, None, 0.0, 0.0, 0.0, 0.0, None, None, 0.0
        )  # it started within this time, with nothing
    elif before is None and samples:
        before = samples[0].counters
        unknown = f"changes before {shift.moment(samples[0].at)} unknown, as it was first loaded then"
    return "; ".join(filter(None, (", ".join(_gained(before, record.counters)), unknown)))


_GAINED = ("sent", "delivered", "read", "failed", "too_many")


def _gained(before: Counters | None, last: Counters) -> Iterable[str]:
    for name in _GAINED:
        was, now = getattr(before, name, None), getattr(last, name)
        if was is not None and now is not None and now != was:
            yield f"{now - was:+,.0f} {RISING[name]}"


def _listed(label: str, words: Iterable[str]) -> list[str]:
    found = list(words)
    lines = [f"- {label}: {each}" for each in found[:_MAX_LINES]]
    if len(found) > _MAX_LINES:
        lines.append(f"- {label}: {len(found) - _MAX_LINES} more")
    return lines


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,.0f}"


SAMPLE_COLUMNS = ("campaignId", "name", "at", "secondsSinceStart", "watchedSince", *COUNTERS)
"""`watchedSince` differs between two rows where there is a hole between them."""

POINTS = 60
"""Steps of a comparison where none is given."""


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Rows as CSV; text is escaped, an unknown value is an empty cell."""
    return csv_table((columns, *(list(map(_whole, row)) for row in rows)))


def sample_rows(history: CampaignHistory) -> Iterator[tuple[Cell, ...]]:
    for sample in history.samples:
        yield tuple(sample_object(history, sample).values())


def sample_object(history: CampaignHistory, sample: Sample) -> dict[str, Cell]:
    record = history.record
    since = next((each.since for each in history.intervals if each.since <= sample.at <= each.until), None)
    seconds = None if record.started_at is None else round(sample.at - record.started_at, 3)
    facts = (record.campaign_id, record.name, moment(sample.at), seconds, moment(since))
    return dict(zip(SAMPLE_COLUMNS, (*facts, *sample.counters), strict=True))


def comparison_columns(histories: Sequence[CampaignHistory]) -> list[str]:
    return [
        "secondsSinceStart",
        *(f"{each.record.campaign_id} {measure}" for each in histories for measure in CurveMeasure),
    ]


def comparison_rows(
    histories: Sequence[CampaignHistory], every: float | None = None
) -> Iterator[tuple[Cell, ...]]:
    """Yield counts at the same times since each campaign's start, every so many seconds."""
    for seconds in comparison_times(histories, every):
        cells = [each for history in histories for each in counts_at(history, seconds).values()]
        yield (round(seconds, 3), *cells)


def comparison_times(histories: Sequence[CampaignHistory], every: float | None = None) -> Iterator[float]:
    """Yield the times since the start at which campaigns are compared, seconds."""
    longest = max((each.length for each in histories), default=0.0)
    step = every or max(1.0, longest / POINTS)
    for index in range(int(longest / step) + 1):
        yield index * step


def counts_at(history: CampaignHistory, seconds: float) -> dict[str, float | None]:
    counters = reading(history, seconds).counters
    return {each.value: None if counters is None else getattr(counters, each) for each in CurveMeasure}


def moment(at: float | None) -> str | None:
    """Return a moment as ISO 8601 in UTC; None where no calendar has it."""
    found = None if at is None else seconds_to_datetime(UnixSeconds(at))
    return None if found is None else found.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _whole(value: Cell) -> Cell:
    return int(value) if isinstance(value, float) and value.is_integer() else value


SAMPLES_SUFFIX = "-samples.csv"


def read_history(
    db: apsw.Connection, record: CampaignRecord, now: float, before: CampaignHistory | None = None
) -> CampaignHistory:
    """Read a campaign's samples and watch intervals; only those after `before`, if that is given."""
    record = campaign_store.with_last_read(db, record)
    since = before.samples[-1].at if before is not None and before.samples else 0.0
    samples = campaign_store.samples(db, record.campaign_id, since)
    if before is not None and before.samples:
        samples = [*before.samples[:-1], *samples]
    intervals = campaign_store.watch_intervals(db, record.campaign_id, 0.0)
    if intervals and record.read_at is not None and record.read_at > intervals[-1].until:
        # That nothing differed is written once a minute only: a read says more than the interval's end.
        intervals[-1] = WatchInterval(intervals[-1].since, record.read_at)
    return CampaignHistory(record, samples, intervals, now - THINNED_AFTER)


def report(
    db: apsw.Connection, histories: Sequence[CampaignHistory], shift: Shift, configured: Sequence[CampaignId] = ()
) -> str:
    """Return the shift report of these campaigns, with alerts; `configured` ones may never have been loaded."""
    shared = shared_workflows(db, [each.record for each in histories])
    return shift_report(
        histories,
        shift,
        alerts=alert_store.raised(db, shift.since),
        never_loaded=campaign_store.never_stored(db, configured),
        workflow_ids={campaign_id: workflow.id for campaign_id, workflow in shared.items()},
    )


def samples_as_csv(histories: Iterable[CampaignHistory]) -> str:
    return as_csv(SAMPLE_COLUMNS, (row for history in histories for row in sample_rows(history)))


def write_report(
    db: apsw.Connection, campaign_ids: Collection[str], path: Path, shift: Shift, *, marked: bool
) -> list[Path]:
    """Write the shift report into a new file; return the files written. Walks all samples, so never for a screen.

    Args:
        marked: a person chose the campaigns: all of each is reported, and the samples are exported too.

    Raises:
        OSError: a file exists already, or can't be written.
    """
    histories = [
        read_history(db, each, shift.now)
        for each in campaign_store.watched(db)
        if each.campaign_id in campaign_ids
    ]
    if marked:
        since = min((each.record.started_at or shift.since for each in histories), default=shift.since)
        shift = shift._replace(since=since)
    write_new_file(path, report(db, histories, shift))
    if not marked:
        return [path]
    samples_path = path.with_name(f"{path.stem}{SAMPLES_SUFFIX}")
    write_new_file(samples_path, samples_as_csv(histories))
    return [path, samples_path]
