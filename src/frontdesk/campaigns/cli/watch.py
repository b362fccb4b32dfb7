"""`frontdesk campaigns watch`: a line whenever a campaign moves, with patience while the platform doesn't answer.

Standard output has what the platform sent; notes such as a stall go to standard error.
"""

import asyncio
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from frontdesk.api.client.client import PlatformClient
from frontdesk.api.client.errors import Ambiguous, NotSent, RateLimited
from frontdesk.api.contract.campaigns import CREATE_FIELDS, Campaign
from frontdesk.api.contract.ids import CampaignId
from frontdesk.api.contract.states import CAMPAIGN_ENDED, COUNTERS
from frontdesk.campaigns.models import LABELS
from frontdesk.cli.errors import print_error
from frontdesk.cli.output import count, print_json, print_line

MAX_FAILURES = 5
"""Rounds in a row without an answer before it gives up; each one has its own retries."""

STALLED_SECONDS = 60.0

NOT_COMPLETED = 1
"""The exit status where one failed or was stopped."""

_ALWAYS = frozenset({"totalRecipients", "pendingCount", "sentCount"})
"""Shown at 0 too."""


async def watch_campaigns(
    client: PlatformClient,
    ids: Sequence[CampaignId],
    every_seconds: float,
    as_json: bool,
    clock: Callable[[], float] = time.monotonic,
    *,
    whole: bool = False,
) -> int:
    """Print until every campaign has ended; return 0 where all completed, else `NOT_COMPLETED`.

    Args:
        whole: whether each line of JSON is the whole campaign, not only the first one.
    """
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
                print_error(
                    f"{campaign_id} has stalled: nothing moved for {STALLED_SECONDS:.0f} s; still watching"
                )
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
    return {
        name: value
        for name, value in raw.items()
        if name == "id" or name not in CREATE_FIELDS or name not in before or before[name] != value
    }


def _line(campaign: Campaign) -> str:
    counters = [
        f"{label} {count(value)}"
        for name, label in zip(COUNTERS, LABELS, strict=True)
        if (value := getattr(campaign, name)) is not None and (value or name in _ALWAYS)
    ]
    parts = [campaign.id, campaign.status or "no status", " · ".join(counters), campaign.failureReason]
    return f"{datetime.now():%H:%M:%S}  {'  '.join(part for part in parts if part)}"
