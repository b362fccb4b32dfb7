"""Sends a campaign that was created here: POSTed once, and looked for before anybody sends it again.

Called by the sender. A second POST may write to thousands twice, so whatever isn't known is found out by reading
the campaign back by its id; where that tells nothing, a person decides (safety.md, 1.4).
"""

from collections.abc import Callable, Sequence

from frontdesk.api.client.client import PlatformClient
from frontdesk.api.client.errors import (
    ApiError,
    BadReply,
    BadRequestInput,
    CredentialsRefused,
    RateLimited,
    Redirected,
    Refused,
    ServerError,
)
from frontdesk.api.contract.base import JsonObject
from frontdesk.api.contract.endpoints import Host
from frontdesk.api.contract.ids import CampaignId
from frontdesk.campaigns.request_body import digest_of, receipt_of, same_campaign
from frontdesk.campaigns.store import drafts
from frontdesk.outbox import queue
from frontdesk.outbox.confirmation import MAX_WAITS, Confirmation
from frontdesk.storage import json_access
from frontdesk.storage.database import Store
from frontdesk.storage.records import Change, ChangeState

PASSED = "its time passed while it waited, so it was not sent: choose another in its draft, or drop it"
WAITED_LONG = "it was to be sent at once and waited for over an hour, so it was not sent: send it now, or drop it"
LOST = "what was to be sent is gone from this machine, or damaged: begin again from its draft"
TAKEN = "another campaign with this id is stored; take another id"
OTHERWISE = "a campaign with this id is stored, otherwise than it was sent: look at it before you send anything"
UNSURE = "a campaign with this id is stored, and what was sent is gone from here: look at it before sending more"
NOT_SEEN = "it isn't stored as far as can be seen: send it again, with the same id, or drop it"


class CampaignDelivery:
    """Delivers changes of campaigns."""

    host = Host.CAMPAIGNS
    joins_changes = False
    can_read_back = True

    def __init__(
        self,
        client: PlatformClient,
        store: Store,
        confirmation: Confirmation,
        clock: Callable[[], float],
    ):
        self._client = client
        self._store = store
        self._confirmation = confirmation
        self._clock = clock

    async def send(self, changes: Sequence[Change]) -> bool:
        """POST it, if its time hasn't passed; whether the platform answered with a yes."""
        change = changes[0]
        body = drafts.body(self._store.reading, change.target)
        if body is None or digest_of(body) != change.fields.get("digest"):
            await self._confirmation.refuse([change], LOST)
            return False
        if late := self._late(change):
            await self._confirmation.mark_needs_decision(change, late)
            return False
        if queue.was_sent(self._store.reading, change.target, change.kind):
            stored = await self._stored(change)
            if stored is not None:
                await self._resolve_stored(change, body, stored, OTHERWISE)
                return False
        claimed = await self._confirmation.claim([change])
        if not claimed:
            return False
        try:
            created = await self._client.create_campaign(body)
        except ServerError as error:
            if error.status != 500 or error.error is None:
                await self._confirmation.resolve_failure(claimed, error)
            else:
                await self._find_refused(claimed[0], body, error)
            return False
        except ApiError as error:
            await self._confirmation.resolve_failure(claimed, error)
            return False
        await self._confirm(claimed[0], body, created.value.message, "")
        return True

    async def read_back(self, changes: Sequence[Change], *, final: bool) -> None:
        """Read an unknown one back; the last time, what isn't there is left to a person."""
        change = changes[0]
        stored = await self._stored(change)
        body = drafts.body(self._store.reading, change.target)
        if stored is not None and body is None:
            await self._confirmation.mark_needs_decision(change, UNSURE)
        elif stored is not None and body is not None:
            await self._resolve_stored(change, body, stored, OTHERWISE)
        elif final:
            because = f"{change.reason}; " if change.reason else ""
            await self._confirmation.mark_needs_decision(change, f"{because}{NOT_SEEN}")

    async def _find_refused(self, change: Change, body: JsonObject, error: ServerError) -> None:
        """500 with the Error body is how it refuses (docs/interface.md, Create campaign), unless it is there."""
        said = ": ".join(part for part in (error.error, error.message) if part)
        words = f"the platform refused: {said or error.status}"
        await self._confirmation.mark_unknown([change], words)
        stored = await self._stored(change)
        if stored is None:
            await self._confirmation.refuse([change], words)
        else:
            await self._resolve_stored(change, body, stored, f"{words}; {TAKEN}")

    async def _resolve_stored(self, change: Change, body: JsonObject, stored: JsonObject, others: str) -> None:
        """Ours is confirmed, wherever the answer went; of another's nothing is sent."""
        if same_campaign(body, stored):
            status = json_access.text(stored.get("status")) or "without a status"
            await self._confirm(change, body, "", f"the answer was lost; read back: it is stored, {status}")
        elif change.state is ChangeState.UNKNOWN and others == OTHERWISE:
            await self._confirmation.mark_needs_decision(change, others)
        else:
            await self._confirmation.refuse([change], others)

    async def _confirm(self, change: Change, body: JsonObject, answer: str, reason: str) -> None:
        receipt = receipt_of(body, answer or reason, change.sent_at, self._clock())
        now = self._clock()
        await self._store.run(lambda db: drafts.confirm(db, change, receipt, reason, now))

    async def _stored(self, change: Change) -> JsonObject | None:
        """The campaign as the platform has it; None where it has none, whatever status says so."""
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
        """Why it isn't sent any more; empty where it is in time."""
        now, scheduled_at = self._clock(), json_access.number(change.fields.get("scheduledAt"))
        if scheduled_at is not None:
            return PASSED if scheduled_at / 1000 <= now else ""
        return WAITED_LONG if now - change.made_at > MAX_WAITS else ""
