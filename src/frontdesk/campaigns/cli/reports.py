"""`frontdesk campaigns samples`, `compare` and `report`: what the store knows of watched campaigns."""

import time
from collections.abc import Sequence
from datetime import datetime

from frontdesk.campaigns.metrics.comparison import CurveMeasure, predecessor
from frontdesk.campaigns.models import LABELS, CampaignHistory
from frontdesk.campaigns.reports import (
    SHIFT_SECONDS,
    comparison_columns,
    comparison_rows,
    comparison_times,
    counts_at,
    moment,
    read_history,
    report,
    sample_object,
    samples_as_csv,
)
from frontdesk.campaigns.reports import as_csv as to_csv
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.view.charts import LETTERS
from frontdesk.campaigns.view.comparison import how_it_stands, length, table_values
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
from frontdesk.cli.output import local_zone, print_json, print_line, print_table
from frontdesk.cli.store_session import with_store
from frontdesk.config.render_context import RenderContext
from frontdesk.storage.database import ProfileStore
from frontdesk.text.due_parser import DueNotUnderstood, parse_due
from frontdesk.text.glyphs import ASCII
from frontdesk.text.redaction import redact

ROWS = 10
"""Of a comparison for people; CSV and JSON have more."""


def print_samples(campaign_ids: Sequence[str], *, as_csv: bool, as_json: bool) -> int:
    """Print every sample of these campaigns."""

    def work(store: ProfileStore) -> None:
        histories = _histories(store, campaign_ids)
        if as_csv:
            print(redact(samples_as_csv(histories)), end="")
        elif as_json:
            for history in histories:
                for sample in history.samples:
                    print_json(sample_object(history, sample))
        else:
            rows = [
                (history.record.campaign_id, moment(sample.at), *sample.counters)
                for history in histories
                for sample in history.samples
            ]
            print_table(("campaign", "at", *LABELS), rows)

    return with_store(work)


def print_comparison(campaign_ids: Sequence[str], every: float | None, *, as_csv: bool, as_json: bool) -> int:
    """Print campaigns side by side at the same times since each one's start."""

    def work(store: ProfileStore) -> None:
        histories = _histories(store, campaign_ids)
        if len(histories) == 1:
            before = predecessor(histories[0].record, campaign_store.watched(store.reading))
            if before is None:
                raise CommandFailed(INPUT_WRONG, "no earlier one with its workflow or name is watched; name two")
            histories.append(read_history(store.reading, before, time.time()))
        if len(histories) > len(LETTERS):
            raise CommandFailed(INPUT_WRONG, f"{len(LETTERS)} at most are compared")
        if as_csv:
            print(redact(to_csv(comparison_columns(histories), comparison_rows(histories, every))), end="")
        elif as_json:
            print_json(_as_object(histories, every))
        else:
            _print_table(store, histories, every)

    return with_store(work)


def print_report(since: str | None) -> int:
    """Print the shift report since a time."""
    now = time.time()
    begin = now - SHIFT_SECONDS
    if since is not None:
        try:
            found = parse_due(since, datetime.now(local_zone()))
        except DueNotUnderstood as error:
            raise CommandFailed(INPUT_WRONG, f"--since: {error}") from None
        begin = float(found.seconds)
        if not 0 < begin < now:
            raise CommandFailed(INPUT_WRONG, "--since has to lie in the past, as in 'today 6:00'")

    def work(store: ProfileStore) -> None:
        histories = [read_history(store.reading, each, now) for each in campaign_store.watched(store.reading)]
        text = report(
            store.reading, histories, profile=store.profile.name, since=begin, now=now, zone=local_zone()
        )
        print(redact(text), end="")

    return with_store(work)


def _histories(store: ProfileStore, campaign_ids: Sequence[str]) -> list[CampaignHistory]:
    known = {str(each.campaign_id): each for each in campaign_store.watched(store.reading)}
    wanted = list(dict.fromkeys(campaign_ids))
    missing = [each for each in wanted if each not in known]
    if missing:
        raise CommandFailed(
            INPUT_WRONG,
            f"campaign {missing[0]} isn't watched here; w on the screen Campaigns watches one by its id",
        )
    return [read_history(store.reading, known[each], time.time()) for each in wanted]


def _as_object(histories: Sequence[CampaignHistory], every: float | None) -> dict[str, object]:
    described = [
        {
            "id": each.record.campaign_id,
            "name": each.record.name,
            "status": each.record.status,
            "startedAt": moment(each.record.started_at),
        }
        for each in histories
    ]
    points: list[dict[str, object]] = []
    for seconds in comparison_times(histories, every):
        counts = {each.record.campaign_id: counts_at(each, seconds) for each in histories}
        points.append({"secondsSinceStart": round(seconds, 3), "counts": counts})
    return {"campaigns": described, "points": points}


def _print_table(store: ProfileStore, histories: Sequence[CampaignHistory], every: float | None) -> None:
    lettered = list(zip(LETTERS, histories, strict=False))
    for letter, history in lettered:
        print_line(
            f"{letter}  {history.record.name or history.record.campaign_id}  ({history.record.campaign_id})"
        )
    longest = max(each.length for each in histories)
    rows = []
    for seconds in comparison_times(histories, every or max(1.0, longest / ROWS)):
        cells = [
            values[label] for each in histories for values in [table_values(each, seconds)] for label in _TABLE
        ]
        rows.append((length(seconds), *cells))
    print_table(("since start", *(f"{letter} {label}" for letter, _ in lettered for label in _TABLE)), rows)
    mine = histories[0]
    view = RenderContext(store.catalogue, ASCII, time.time(), local_zone())
    for letter, other in lettered[1:]:
        words = how_it_stands(mine, other, CurveMeasure.SENT, mine.length, view)
        print_line(f"A against {letter}, {length(mine.length)} in: {''.join(part.text.text for part in words)}")


_TABLE = ("sent", "delivered", "failed")
