"""`frontdesk campaigns watch`, which asks the platform; `samples`, `compare` and `report`, which read the store.

Standard output has what the platform sent; notes such as a stall go to standard error.
"""

import asyncio
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from frontdesk.campaigns.alert_rules import STALLED_SECONDS, rules
from frontdesk.campaigns.comparison import CurveMeasure, have_other_sizes, predecessor
from frontdesk.campaigns.counters import LABELS
from frontdesk.campaigns.models import CampaignHistory
from frontdesk.campaigns.reports import (
    SHIFT_SECONDS,
    comparison_columns,
    comparison_rows,
    comparison_times,
    counts_at,
    moment,
    read_history,
    report_sources,
    sample_object,
    samples_as_csv,
)
from frontdesk.campaigns.reports import as_csv as to_csv
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.view.charts import LETTERS
from frontdesk.campaigns.view.comparison import describe_lead, length, table_values
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed, print_error
from frontdesk.cli.output import count, print_json, print_line, print_table
from frontdesk.cli.record_names import with_id
from frontdesk.cli.store_session import with_store
from frontdesk.config.render_context import RenderContext
from frontdesk.config.time_zone import local_zone
from frontdesk.storage.database import ProfileStore
from frontdesk.text.due_parser import DueNotUnderstood, parse_due
from frontdesk_api.client.errors import Ambiguous, NotSent, RateLimited
from frontdesk_api.contract.ids import CampaignId
from frontdesk_api.contract.values import CAMPAIGN_ENDED, COUNTERS
from frontdesk_api.redaction import redact
from frontdesk_lines.display_text import show_line
from frontdesk_lines.glyphs import ASCII

if TYPE_CHECKING:
    from frontdesk_api.client.client import PlatformClient
    from frontdesk_api.contract.campaigns import Campaign

ROWS = 10
"""Of a comparison for people; CSV and JSON have more."""


def print_samples(campaign_ids: Sequence[str], *, as_csv: bool, as_json: bool) -> int:
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
                (history.record.campaign_id, history.record.name, moment(sample.at), *sample.counters)
                for history in histories
                for sample in history.samples
            ]
            print_table(("campaign", "name", "at", *LABELS), rows)

    return with_store(work)


def print_comparison(campaign_ids: Sequence[str], every: float | None, *, as_csv: bool, as_json: bool) -> int:
    def work(store: ProfileStore) -> None:
        histories = _histories(store, campaign_ids)
        if len(histories) == 1:
            before = predecessor(histories[0].record, campaign_store.watched(store.reading))
            if before is None:
                raise CommandFailed(
                    INPUT_WRONG, "no earlier watched campaign has the same workflow or name; give two ids"
                )
            histories.append(read_history(store.reading, before, time.time()))
        if len(histories) > len(LETTERS):
            raise CommandFailed(INPUT_WRONG, f"can't compare more than {len(LETTERS)} campaigns")
        if as_csv:
            print(redact(to_csv(comparison_columns(histories), comparison_rows(histories, every))), end="")
        elif as_json:
            print_json(_as_object(histories, every))
        else:
            _print_table(store, histories, every)

    return with_store(work)


def print_report(since: str | None, *, as_html: bool) -> int:
    from frontdesk.campaigns.shift_report import Shift, shift_report, shift_report_page

    now = time.time()
    begin = now - SHIFT_SECONDS
    if since is not None:
        try:
            found = parse_due(since, datetime.now(local_zone()))
        except DueNotUnderstood as error:
            raise CommandFailed(INPUT_WRONG, f"--since: {error}") from None
        begin = float(found.seconds)
        if not 0 < begin < now:
            raise CommandFailed(INPUT_WRONG, "--since must be in the past, such as 'today 6:00'")

    def work(store: ProfileStore) -> None:
        histories = [read_history(store.reading, each, now) for each in campaign_store.watched(store.reading)]
        shift = Shift(store.profile.name, begin, now, local_zone())
        alert_rules, configured = rules(store.settings.alerts), store.profile.watched_campaigns
        sources = report_sources(store.reading, histories, begin, alert_rules, configured)
        print(redact((shift_report_page if as_html else shift_report)(histories, shift, sources)), end="")

    return with_store(work)


def _histories(store: ProfileStore, campaign_ids: Sequence[str]) -> list[CampaignHistory]:
    known = {str(each.campaign_id): each for each in campaign_store.watched(store.reading)}
    wanted = list(dict.fromkeys(campaign_ids))
    missing = [each for each in wanted if each not in known]
    if missing:
        raise CommandFailed(
            INPUT_WRONG,
            f"campaign {missing[0]} isn't watched, or was never loaded; to watch it, run "
            f"`frontdesk campaigns watch {missing[0]} --add`, and to load it, `frontdesk sync`",
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
    of_total = have_other_sizes(each.record for each in histories)
    for letter, other in lettered[1:]:
        words = describe_lead(mine, other, CurveMeasure.SENT, mine.length, view, of_total=of_total)
        print_line(f"A vs. {letter} after {length(mine.length)}: {''.join(part.text.text for part in words)}")


_TABLE = ("sent", "delivered", "failed", "throttled")


MAX_FAILURES = 5
"""Rounds in a row without an answer before it gives up; each one has its own retries."""

NOT_COMPLETED = 1
"""The exit status where one failed or was stopped."""

_ALWAYS = frozenset({"totalRecipients", "pendingCount", "sentCount"})
"""Shown at 0 too."""


async def watch_campaigns(
    client: "PlatformClient",
    ids: Sequence[CampaignId],
    every_seconds: float,
    as_json: bool,
    clock: Callable[[], float] = time.monotonic,
    *,
    whole: bool = False,
) -> int:
    """Print until every campaign has ended; return 0 where all completed, else `NOT_COMPLETED`."""
    seen: dict[CampaignId, tuple[object, ...]] = {}
    printed: dict[CampaignId, Mapping[str, object]] = {}
    moved_at: dict[CampaignId, float] = {}
    stalled: set[CampaignId] = set()
    running = list(ids)
    failures = 0
    is_missing = False
    status = 0
    while running:
        missed: list[NotSent | Ambiguous | RateLimited] = []
        asked = len(running)
        for campaign_id in list(running):
            try:
                item = await client.get_campaign(campaign_id)
            except (NotSent, Ambiguous, RateLimited) as error:
                missed.append(error)
                continue
            state = (item.value.status, *(getattr(item.value, name) for name in COUNTERS))
            if seen.get(campaign_id) != state:
                seen[campaign_id] = state
                moved_at[campaign_id] = clock()
                stalled.discard(campaign_id)
                if as_json:
                    before = printed.get(campaign_id)
                    print_json(item.raw if whole or before is None else _changeable(item.raw, before))
                    printed[campaign_id] = item.raw
                else:
                    print_line(_line(item.value))
            elif (
                item.value.status == "inProgress"
                and clock() - moved_at[campaign_id] >= STALLED_SECONDS
                and campaign_id not in stalled
            ):
                stalled.add(campaign_id)
                shown = _name_with_id(item.value)
                print_error(f"{shown} has stalled: no progress for {STALLED_SECONDS:.0f} s; still watching")
            if item.value.status in CAMPAIGN_ENDED:
                running.remove(campaign_id)
                status = max(status, 0 if item.value.status == "completed" else NOT_COMPLETED)
        failures = failures + 1 if len(missed) == asked else 0
        if failures >= MAX_FAILURES:
            raise missed[-1]
        if missed and not is_missing:
            print_error(f"{missed[0]}; still watching")
        is_missing = bool(missed)
        if running:
            sys.stdout.flush()  # a script that reads lines has them now
            await asyncio.sleep(every_seconds)
    return status


def _changeable(raw: Mapping[str, object], before: Mapping[str, object]) -> dict[str, object]:
    """Leave out the create fields that are the same as before, except the id."""
    from frontdesk_api.contract.campaigns import CREATE_FIELDS

    return {
        name: value
        for name, value in raw.items()
        if name == "id" or name not in CREATE_FIELDS or name not in before or before[name] != value
    }


def _name_with_id(campaign: "Campaign") -> str:
    return with_id(show_line(campaign.name or "", 40).text, campaign.id or "")


def _line(campaign: "Campaign") -> str:
    counters = [
        f"{label} {count(value)}"
        for name, label in zip(COUNTERS, LABELS, strict=True)
        if (value := getattr(campaign, name)) is not None and (value or name in _ALWAYS)
    ]
    parts = [_name_with_id(campaign), campaign.status or "no status", " · ".join(counters), campaign.failureReason]
    return f"{datetime.now(local_zone()):%H:%M:%S}  {'  '.join(part for part in parts if part)}"
