"""Samples and comparisons as CSV, and what the shift report is made from; no cell of outside text is a formula."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from frontdesk.campaigns.alert_rules import AlertRule
from frontdesk.campaigns.comparison import THINNED_AFTER, CurveMeasure, reading
from frontdesk.campaigns.models import CampaignHistory, CampaignRecord, Sample, WatchInterval
from frontdesk.campaigns.store import alerts as alert_store
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.store.campaigns import shared_workflows
from frontdesk.config.paths import write_new_file
from frontdesk.text.export_escapes import Cell, csv_table
from frontdesk_api.contract.ids import CampaignId
from frontdesk_api.contract.values import COUNTERS, UnixSeconds, seconds_to_datetime

if TYPE_CHECKING:
    from frontdesk.campaigns.shift_report import ReportSources, Shift

SHIFT_SECONDS = 12 * 3_600.0

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


SAMPLES_SUFFIX, HTML_SUFFIX = "-samples.csv", ".html"


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


def report_sources(
    db: apsw.Connection,
    histories: Sequence[CampaignHistory],
    since: float,
    rules: Sequence[AlertRule] = (),
    configured: Sequence[CampaignId] = (),
) -> "ReportSources":
    """Read what a report tells beside the counters; `configured` campaigns may never have been loaded."""
    from frontdesk.campaigns.shift_report import ReportSources  # other commands need none of it
    from frontdesk.campaigns.store import delivery_results as results_store

    shared = shared_workflows(db, [each.record for each in histories])
    ids = [each.record.campaign_id for each in histories]
    return ReportSources(
        alerts=alert_store.raised(db, since),
        rules=rules,
        never_loaded=campaign_store.never_stored(db, configured),
        workflow_ids={campaign_id: workflow.id for campaign_id, workflow in shared.items()},
        results={each: found for each in ids if (found := results_store.record(db, each)).checked},
    )


def samples_as_csv(histories: Iterable[CampaignHistory]) -> str:
    return as_csv(SAMPLE_COLUMNS, (row for history in histories for row in sample_rows(history)))


def write_report(
    db: apsw.Connection,
    campaign_ids: Collection[str],
    path: Path,
    shift: "Shift",
    rules: Sequence[AlertRule],
    *,
    marked: bool,
) -> list[Path]:
    """Write the shift report into a new file; return the files written. Walks all samples, so never for a screen.

    Args:
        path: of HTML where it ends so, else of Markdown.
        marked: a person chose the campaigns: all of each is reported, and the samples are exported too.

    Raises:
        OSError: a file exists already, or can't be written.
    """
    from frontdesk.campaigns.shift_report import shift_report, shift_report_page

    histories = [
        read_history(db, each, shift.now)
        for each in campaign_store.watched(db)
        if each.campaign_id in campaign_ids
    ]
    if marked:
        since = min((each.record.started_at or shift.since for each in histories), default=shift.since)
        shift = shift._replace(since=since)
    write = shift_report_page if path.suffix.lower() == HTML_SUFFIX else shift_report
    write_new_file(path, write(histories, shift, report_sources(db, histories, shift.since, rules)))
    if not marked:
        return [path]
    samples_path = path.with_name(f"{path.stem}{SAMPLES_SUFFIX}")
    write_new_file(samples_path, samples_as_csv(histories))
    return [path, samples_path]
