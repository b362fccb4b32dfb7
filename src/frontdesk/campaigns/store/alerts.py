"""Alerts on campaigns: the state of each rule, what was raised, and up to when a person has seen it.

The rows are in `outbox.db`: they survive a restart and count for every screen on the profile.
"""

import json
import math
from typing import Any, NamedTuple

import apsw

from frontdesk.outbox import queue
from frontdesk.outbox.news import NEWS_SECONDS, News, NewsSource, Stamps
from frontdesk.storage import change_feed
from frontdesk.storage.sql import rows
from frontdesk_api.contract.ids import AgentId, CampaignId

STATES = "alert states"
"""Kept for each campaign: the state of each rule, by the rule's key."""

RAISED = "alert"
"""Kept a campaign and rule: what was raised last."""

SEEN = "alerts seen"
"""Kept: the moment, Unix seconds, up to which alerts were seen."""

FORGET_SECONDS = 14 * 86_400.0
FORGET_STATES_SECONDS = 180 * 86_400.0
"""After this time without a change the states are deleted; an ended campaign raises nothing when met again."""

MAX_UNSEEN = 50
MAX_RAISED = 1_000
"""Of a report; one campaign and rule has one alert, its latest."""


class Alert(NamedTuple):
    """An alert that was raised.

    Attributes:
        key: the campaign and the rule.
        campaign_id: empty where it is about a command that can't be started.
        at: Unix seconds.
        by: how the terminal shows it; None: as notifications are shown.
    """

    key: str
    campaign_id: CampaignId
    name: str
    words: str
    at: float
    by: tuple[str, ...] | None


def states(db: apsw.Connection, campaign_id: CampaignId) -> dict[str, str]:
    """Return the state of each rule for a campaign, by the rule's key."""
    found = queue.kept(db, STATES, campaign_id)
    return {str(key): str(state) for key, state in found.items()} if isinstance(found, dict) else {}


def put(db: apsw.Connection, alert: Alert) -> None:
    """Raise an alert, in place of an earlier one of the same rule; delete old ones."""
    value = {
        "campaign": alert.campaign_id,
        "name": alert.name,
        "words": alert.words,
        "by": None if alert.by is None else list(alert.by),
    }
    seen = float(queue.kept(db, SEEN, "") or 0.0)
    if seen >= alert.at:  # by a clock that went wrong: nobody has seen what is only raised now
        queue.keep(db, SEEN, "", math.nextafter(alert.at, 0.0), alert.at)
    queue.keep(db, RAISED, alert.key, value, alert.at)
    queue.forget_older(db, RAISED, alert.at - FORGET_SECONDS)
    queue.forget_older(db, STATES, alert.at - FORGET_STATES_SECONDS)
    change_feed.append(db, change_feed.CAMPAIGN, [alert.campaign_id])


def unseen(db: apsw.Connection, now: float) -> list[Alert]:
    """Return the unseen alerts on watched campaigns, newest first, at most `MAX_UNSEEN`."""
    seen = float(queue.kept(db, SEEN, "") or 0.0)
    found = rows(
        db,
        "SELECT id, value, at FROM outbox.kept AS alert WHERE kind = ? AND at > ?"
        " AND (value ->> 'campaign' = '' OR EXISTS"
        " (SELECT 1 FROM outbox.kept WHERE kind = 'watched' AND id = alert.value ->> 'campaign'))"
        " ORDER BY at DESC, id LIMIT ?",
        # Seen at a moment that is still to come it was by a clock that went wrong (see `put`).
        (RAISED, min(now, seen), MAX_UNSEEN),
    )
    return [_alert(*row) for row in found]


def raised(db: apsw.Connection, since: float) -> list[Alert]:
    """Return the alerts since a moment that are still kept, oldest first."""
    found = rows(
        db,
        "SELECT id, value, at FROM outbox.kept WHERE kind = ? AND at >= ? ORDER BY at, id LIMIT ?",
        (RAISED, since, MAX_RAISED),
    )
    return [_alert(*row) for row in found]


def mark_seen(db: apsw.Connection, until: float, now: float) -> None:
    queue.keep(db, SEEN, "", until, now)
    change_feed.append(db, change_feed.CAMPAIGN, [""])


def _alert(key: str, value: str, at: float) -> Alert:
    stored: dict[str, Any] = json.loads(value)
    by = stored.get("by")
    return Alert(
        key,
        CampaignId(str(stored.get("campaign", ""))),
        str(stored.get("name", "")),
        str(stored.get("words", "")),
        at,
        None if by is None else tuple(map(str, by)),
    )


_RAISED, _CORRECTED = "raised", "corrected"


def _latest(_db: apsw.Connection, now: float) -> Stamps:
    return dict.fromkeys((_RAISED, _CORRECTED), now)


def _news(db: apsw.Connection, after: Stamps, _me: AgentId | None, now: float) -> list[News]:
    """Return the alerts on watched campaigns and the corrections of their counters, the newest of each last."""
    from frontdesk.campaigns.models import corrections  # the first paint needs only the alerts
    from frontdesk.campaigns.store import campaigns

    watched, since = set(campaigns.watched_ids(db)), now - NEWS_SECONDS
    news = [
        News(each.campaign_id, _RAISED, each.at, each.words)
        for each in raised(db, max(after[_RAISED], since))
        if each.campaign_id in watched and each.at > after[_RAISED]
    ]
    begin = max(after[_CORRECTED], since)
    news += [
        News(campaign_id, _CORRECTED, fallen.at, f"corrected: {fallen.label} fell by {fallen.by:,.0f}")
        for campaign_id in watched
        for fallen in corrections(campaigns.samples(db, campaign_id, begin))
        if fallen.at > begin
    ]
    return sorted(news, key=lambda each: each.stamp)


NEWS = NewsSource("campaigns", _latest, _news, timed=(_RAISED, _CORRECTED))
