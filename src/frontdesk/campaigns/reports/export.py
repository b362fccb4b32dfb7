"""Samples and comparisons as rows for spreadsheets and scripts; pure.

Called by `frontdesk campaigns samples`, `campaigns compare` and the key that writes a report.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from frontdesk.api.contract.states import COUNTERS
from frontdesk.api.contract.times import UnixSeconds, seconds_to_datetime
from frontdesk.campaigns.metrics.comparison import CampaignHistory, CurveMeasure, reading
from frontdesk.campaigns.models import Sample
from frontdesk.text.display_text import show_line

Cell = str | float | None

SAMPLE_COLUMNS = ("campaignId", "name", "at", "secondsSinceStart", "watchedSince", *COUNTERS)
"""`watchedSince` differs between two rows where there is a hole between them."""

POINTS = 60
"""Into so many steps a comparison is divided where nobody says how long one is."""

_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_NAME_LIMIT = 200


def guarded(text: str) -> str:
    """Outside text as a cell that no spreadsheet takes for a formula: one that looks like it gets a `'`."""
    clean = show_line(text, _NAME_LIMIT).text
    return f"'{clean}" if clean.lstrip().startswith(_FORMULA) else clean


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Rows as CSV (RFC 4180); text is guarded, what is not known is an empty cell, which is not 0."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([guarded(each) for each in columns])
    writer.writerows([_cell(each) for each in row] for row in rows)
    return out.getvalue()


def sample_rows(history: CampaignHistory) -> Iterator[tuple[Cell, ...]]:
    """Every sample of a campaign in the order of `SAMPLE_COLUMNS`."""
    for sample in history.samples:
        yield tuple(sample_object(history, sample).values())


def sample_object(history: CampaignHistory, sample: Sample) -> dict[str, Cell]:
    """A sample with its counters by the interface's names."""
    record = history.record
    since = next((each.since for each in history.intervals if each.since <= sample.at <= each.until), None)
    seconds = None if record.started_at is None else round(sample.at - record.started_at, 3)
    facts = (record.campaign_id, record.name, moment(sample.at), seconds, moment(since))
    return dict(zip(SAMPLE_COLUMNS, (*facts, *sample.counters), strict=True))


def comparison_columns(histories: Sequence[CampaignHistory]) -> list[str]:
    """The columns of `comparison_rows`: each campaign's counts beside each other."""
    return [
        "secondsSinceStart",
        *(f"{each.record.campaign_id} {measure}" for each in histories for measure in CurveMeasure),
    ]


def comparison_rows(
    histories: Sequence[CampaignHistory], every: float | None = None
) -> Iterator[tuple[Cell, ...]]:
    """Counts at the same times since each campaign's start, from 0 to the end of the longest.

    Args:
        every: seconds between two rows.
    """
    for seconds in comparison_times(histories, every):
        cells = [each for history in histories for each in counts_at(history, seconds).values()]
        yield (round(seconds, 3), *cells)


def comparison_times(histories: Sequence[CampaignHistory], every: float | None = None) -> Iterator[float]:
    """The times since the start at which campaigns are compared, seconds."""
    longest = max((each.length for each in histories), default=0.0)
    step = every or max(1.0, longest / POINTS)
    for place in range(int(longest / step) + 1):
        yield place * step


def counts_at(history: CampaignHistory, seconds: float) -> dict[str, float | None]:
    """What was sent, delivered, read and failed at a time since the start; None is not known."""
    counters = reading(history, seconds).counters
    return {each.value: None if counters is None else getattr(counters, each) for each in CurveMeasure}


def moment(at: float | None) -> str | None:
    """A moment as ISO 8601 in UTC; None where no calendar has it."""
    found = None if at is None else seconds_to_datetime(UnixSeconds(at))
    return None if found is None else found.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _cell(value: Cell) -> str | float:
    if value is None:
        return ""
    if isinstance(value, str):
        return guarded(value)
    return int(value) if isinstance(value, int) or float(value).is_integer() else value
