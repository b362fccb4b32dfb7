"""Give tags to a conversation.

Tags can't be read back. Adding the same ones again within a minute is harmless (docs/architecture.md, Sending
changes).
"""

from collections.abc import Callable, Sequence

from frontdesk.outbox.delivery import MAX_SENDS, Confirmation
from frontdesk.storage.records import Change
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import ApiError
from frontdesk_api.contract.endpoints import Host
from frontdesk_api.contract.ids import ConversationId, TagId

TAGS_REPEAT_WITHIN = 60.0


class TagDelivery:
    """Delivers changes that add tags; the platform doesn't list a conversation's tags."""

    host = Host.BASE
    joins_changes = False
    can_read_back = False

    def __init__(self, client: PlatformClient, confirmation: Confirmation, clock: Callable[[], float]):
        self._client = client
        self._confirmation = confirmation
        self._clock = clock

    async def send(self, changes: Sequence[Change]) -> bool:
        """Send the tags; return whether the platform confirmed them."""
        if await self._confirmation.set_aside_old(changes[:1]):
            return False
        claimed = await self._confirmation.claim(changes[:1])
        if not claimed:
            return False
        change = claimed[0]
        try:
            await self._client.assign_tags(
                ConversationId(change.target), [TagId(tag) for tag in change.fields["tagIds"]]
            )
        except ApiError as error:
            await self._confirmation.resolve_failure([change], error)
            return False
        await self._confirmation.confirm(change)
        return True

    async def read_back(self, changes: Sequence[Change], *, final: bool) -> None:
        """Send them once more while that is harmless; after that a person decides."""
        change = changes[0]
        if not final:
            return
        if change.sends >= MAX_SENDS or self._clock() - change.made_at > TAGS_REPEAT_WITHIN:
            why = change.reason or "no clear response"
            await self._confirmation.mark_needs_decision(
                change, f"{why}; the platform can't show which tags were added"
            )
        else:
            await self.send(changes)
