"""Sends a campaign that was created here: POSTed once, and read back before anybody sends it again.

A second POST may write to thousands twice, so whatever isn't known is found out by reading the campaign back by
its id; where that tells nothing, a person decides (docs/architecture.md, Unknown outcomes).
"""

from collections.abc import Sequence

from frontdesk.campaigns.draft import is_same_campaign, make_receipt, recipient_digest
from frontdesk.campaigns.store import drafts
from frontdesk.outbox import queue
from frontdesk.outbox.delivery import MAX_WAITS, PlatformDelivery
from frontdesk.storage.records import Change, ChangeState
from frontdesk_api import json_access
from frontdesk_api.client.errors import (
    ApiError,
    BadReply,
    BadRequestInput,
    CredentialsRefused,
    RateLimited,
    Redirected,
    Refused,
    ServerError,
)
from frontdesk_api.contract.base import JsonObject
from frontdesk_api.contract.endpoints import Host
from frontdesk_api.contract.ids import CampaignId

PASSED = (
    "not sent: the scheduled time passed while it was waiting; open its saved draft on the screen "
    "where you created it and choose another time, or discard it"
)
WAITED_LONG = "not sent: it was due immediately but waited for over an hour; resend it, or discard it"
LOST = (
    "the campaign's data is missing or damaged on this machine; to send it, open its saved draft "
    "on the screen where you created it"
)
TAKEN = "a campaign with this id already exists"
RENAME = "change the name in its draft to get a new id"
OTHERWISE = (
    "the platform has a campaign with this id, but it differs from what was sent; check it before you resend"
)
UNSURE = (
    "the platform has a campaign with this id, but the data sent is no longer on this machine to compare; "
    "check it before you resend"
)
NOT_SEEN = "the platform doesn't show this campaign; resend it (it keeps its id), or discard it"


def refusal_words(error: ApiError) -> str | None:
    """Return the platform's words where it refused to create a campaign; None after any other error.

    500 with the Error body is how it refuses (docs/interface.md, Create campaign).
    """
    if not isinstance(error, ServerError) or error.status != 500 or error.error is None:
        return None
    return ": ".join(part for part in (error.error, error.message) if part)


class CampaignDelivery(PlatformDelivery):
    """Delivers changes of campaigns."""

    host = Host.CAMPAIGNS
    joins_changes = False
    can_read_back = True

    async def send(self, changes: Sequence[Change]) -> bool:
        change = changes[0]
        body = drafts.body(self._store.reading, change.target)
        if body is None or recipient_digest(body) != change.fields.get("digest"):
            await self._confirmation.refuse([change], LOST)
            return False
        if late := self._late(change):
            await self._confirmation.mark_needs_decision(change, late)
            return False
        if queue.was_sent(self._store.reading, change.target, change.kind):
            stored = await self._stored(change)
            if stored is not None:
                await self._resolve(change, body, stored)
                return False
        claimed = await self._confirmation.claim([change])
        if not claimed:
            return False
        try:
            created = await self._client.create_campaign(body)
        except ApiError as error:
            refusal = refusal_words(error)
            if refusal is None:
                await self._confirmation.resolve_failure(claimed, error)
                return False
            words = f"rejected by the platform: {refusal or 500}"
            await self._confirmation.mark_unknown(claimed, words)
            await self._resolve(claimed[0], body, await self._stored(claimed[0]), words)
            return False
        await self._confirm(claimed[0], body, created.value.message, "", created.raw)
        return True

    async def read_back(self, changes: Sequence[Change], *, final: bool) -> None:
        change = changes[0]
        stored = await self._stored(change)
        body = drafts.body(self._store.reading, change.target)
        if stored is not None and body is None:
            await self._confirmation.mark_needs_decision(change, UNSURE)
        elif stored is not None and body is not None:
            await self._resolve(change, body, stored)
        elif final:
            because = f"{change.reason}; " if change.reason else ""
            await self._confirmation.mark_needs_decision(change, f"{because}{NOT_SEEN}")

    async def _resolve(
        self, change: Change, body: JsonObject, stored: JsonObject | None, refusal: str = ""
    ) -> None:
        if stored is not None and is_same_campaign(body, stored):
            status = json_access.text(stored.get("status")) or "no status"
            await self._confirm(change, body, "", f"checked afterwards: the platform has it ({status})")
        elif refusal:
            taken = "" if stored is None else f"; {TAKEN}; {RENAME}"
            await self._confirmation.refuse([change], f"{refusal}{taken}")
        elif change.state is ChangeState.UNKNOWN:
            await self._confirmation.mark_needs_decision(change, OTHERWISE)
        else:
            await self._confirmation.refuse([change], OTHERWISE)

    async def _confirm(
        self, change: Change, body: JsonObject, answer: str, reason: str, raw: JsonObject | None = None
    ) -> None:
        receipt = make_receipt(body, answer or reason, change.sent_at, self._clock())
        now = self._clock()
        await self._store.run(lambda db: drafts.confirm(db, change, receipt, reason, now, raw))

    async def _stored(self, change: Change) -> JsonObject | None:
        try:
            return (await self._client.get_campaign(CampaignId(change.target))).raw
        except (CredentialsRefused, RateLimited, Redirected):
            raise
        except (Refused, BadRequestInput):
            return None
        except BadReply as error:
            if isinstance(error.raw, dict):
                return error.raw
            raise

    def _late(self, change: Change) -> str:
        now, scheduled_at = self._clock(), json_access.number(change.fields.get("scheduledAt"))
        if scheduled_at is not None:
            return PASSED if scheduled_at / 1000 <= now else ""
        return WAITED_LONG if now - change.made_at > MAX_WAITS else ""
