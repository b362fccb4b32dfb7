"""Campaigns with all that was seen of them, read for a comparison, a report or an export; and reports written.

Called by the campaigns screens and the command line.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import tzinfo
from pathlib import Path

from frontdesk.app.reader import Reader
from frontdesk.campaigns.metrics.comparison import THINNED_AFTER, CampaignHistory
from frontdesk.campaigns.models import CampaignRecord, WatchInterval
from frontdesk.campaigns.reports.export import SAMPLE_COLUMNS, as_csv, sample_rows
from frontdesk.campaigns.reports.shift_report import Fired, shift_report
from frontdesk.text.new_file import write_new

SAMPLES_SUFFIX = "-samples.csv"


def read_history(
    reads: Reader, record: CampaignRecord, now: float, before: CampaignHistory | None = None
) -> CampaignHistory:
    """A campaign and all its samples.

    Args:
        before: as it was read last; only what came since is read then.
    """
    since = before.samples[-1].at if before is not None and before.samples else 0.0
    samples = reads.samples(record.campaign_id, since)
    if before is not None and before.samples:
        samples = [*before.samples[:-1], *samples]
    intervals = reads.campaign_watch_intervals(record.campaign_id, 0.0)
    if intervals and record.read_at is not None and record.read_at > intervals[-1].until:
        # That nothing differed is written once a minute only: a read says more than the stretch's end.
        intervals[-1] = WatchInterval(intervals[-1].since, record.read_at)
    return CampaignHistory(record, tuple(samples), tuple(intervals), now - THINNED_AFTER)


def report(
    reads: Reader, histories: Sequence[CampaignHistory], *, profile: str, since: float, now: float, zone: tzinfo
) -> str:
    """The shift report of these campaigns, with the alerts that fired."""
    fired = [Fired(each.campaign_id, each.at, each.words) for each in reads.raised_alerts(since)]
    return shift_report(histories, profile=profile, since=since, now=now, zone=zone, fired=fired)


def samples_as_csv(histories: Iterable[CampaignHistory]) -> str:
    """Every sample of these campaigns as one table."""
    return as_csv(SAMPLE_COLUMNS, (row for history in histories for row in sample_rows(history)))


def write_report(
    reads: Reader,
    campaign_ids: Collection[str],
    path: Path,
    *,
    profile: str,
    since: float,
    now: float,
    zone: tzinfo,
    marked: bool,
) -> list[Path]:
    """Write the shift report of these campaigns into a new file; answers what was written.

    Walks all their samples, so never for a screen.

    Args:
        marked: a person chose them: all of each is reported, whenever it ran, and its samples are
            exported beside the report.

    Raises:
        OSError: a file is there already, or can't be written.
    """
    histories = [read_history(reads, each, now) for each in reads.campaigns() if each.campaign_id in campaign_ids]
    if marked:
        since = min((each.record.started_at or since for each in histories), default=since)
    write_new(path, report(reads, histories, profile=profile, since=since, now=now, zone=zone))
    if not marked:
        return [path]
    beside = path.with_name(f"{path.stem}{SAMPLES_SUFFIX}")
    write_new(beside, samples_as_csv(histories))
    return [path, beside]
