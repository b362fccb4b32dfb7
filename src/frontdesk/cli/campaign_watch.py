"""Following campaigns: a line when something moved, patience when the platform doesn't answer.

`campaigns watch` calls it.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime

from frontdesk.cli.failures import say
from frontdesk.cli.output import count, print_json, print_line
from frontdesk.client.client import PlatformClient
from frontdesk.client.errors import Ambiguous, NotSent, RateLimited
from frontdesk.contract.campaigns import Campaign
from frontdesk.contract.ids import CampaignId
from frontdesk.contract.states import CAMPAIGN_ENDED, COUNTERS

FAILURES_MOST = 5
"""Rounds in a row without an answer before it gives up; each one has its own retries."""

_LABELS = dict(
    zip(
        COUNTERS,
        ("total", "pending", "sent", "delivered", "read", "failed", "opted out", "duplicate", "throttled"),
        strict=True,
    )
)

_ALWAYS = frozenset({"totalRecipients", "pendingCount", "sentCount"})
"""Shown at 0 too; the rest would only fill the line."""


async def watch_campaigns(
    client: PlatformClient, ids: Sequence[CampaignId], every_seconds: float, as_json: bool
) -> None:
    """Prints until every campaign has ended."""
    seen: dict[CampaignId, tuple[object, ...]] = {}
    running = list(ids)
    failures = 0
    while running:
        for campaign_id in list(running):
            try:
                item = await client.get_campaign(campaign_id)
            except (NotSent, Ambiguous, RateLimited) as error:
                failures += 1
                if failures >= FAILURES_MOST:
                    raise
                if failures == 1:
                    say(f"{error}; still watching")
                continue
            failures = 0
            state = (item.value.status, *(getattr(item.value, name) for name in COUNTERS))
            if seen.get(campaign_id) != state:
                seen[campaign_id] = state
                if as_json:
                    print_json(item.raw)
                else:
                    print_line(_line(item.value))
            if item.value.status in CAMPAIGN_ENDED:
                running.remove(campaign_id)
        if running:
            await asyncio.sleep(every_seconds)


def _line(campaign: Campaign) -> str:
    counters = [
        f"{label} {count(value)}"
        for name, label in _LABELS.items()
        if (value := getattr(campaign, name)) is not None and (value or name in _ALWAYS)
    ]
    parts = [campaign.id, campaign.status or "no status", " · ".join(counters), campaign.failureReason]
    return f"{datetime.now():%H:%M:%S}  {'  '.join(part for part in parts if part)}"
