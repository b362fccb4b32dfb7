"""Deletes a webhook: nothing reads one back, so an answer that is lost is asked for once more."""

from collections.abc import Callable, Sequence

from frontdesk.api.client.client import PlatformClient
from frontdesk.api.client.errors import ApiError, CredentialsMissing, CredentialsRefused, NotFound
from frontdesk.api.contract.endpoints import Host
from frontdesk.api.contract.ids import WebhookId
from frontdesk.outbox import queue
from frontdesk.outbox.confirmation import MAX_SENDS, MAX_WAITS, WAITED_LONG, Confirmation
from frontdesk.outbox.delivery import PlatformDelivery
from frontdesk.storage.database import Store
from frontdesk.storage.records import Change
from frontdesk.workflows.confirmation import WorkflowConfirmation

IS_GONE = "the answer was lost; asked once more, the platform has no webhook with this id: it is deleted"
NOBODY_KNOWS = (
    "sent twice without a clear answer, and the platform has no way to look, so nobody knows whether it is"
    " deleted; send it again, or drop it"
)


class WebhookDelivery(PlatformDelivery):
    """Delivers changes of webhooks."""

    host = Host.BASE
    joins_changes = False
    can_read_back = False

    def __init__(
        self,
        client: PlatformClient,
        store: Store,
        confirmation: Confirmation,
        writes: WorkflowConfirmation,
        clock: Callable[[], float],
    ):
        super().__init__(client, store, confirmation, clock)
        self._writes = writes

    async def send(self, changes: Sequence[Change]) -> bool:
        """Send the DELETE; whether the platform said yes."""
        change = changes[0]
        if change.sends == 0 and self._clock() - change.made_at > MAX_WAITS:
            await self._confirmation.mark_needs_decision(change, WAITED_LONG)
            return False
        was_sent = queue.was_sent(self._store.reading, change.target, change.kind)
        claimed = await self._writes.claim(change)
        if claimed is None:
            return False
        try:
            await self._client.delete_webhook(WebhookId(change.target))
        except NotFound as error:
            if was_sent:
                await self._writes.confirm(claimed, None, IS_GONE)
            else:
                await self._confirmation.refuse([claimed], str(error))
            return False
        except (CredentialsMissing, CredentialsRefused) as error:
            # The Bearer token is for this alone: nothing else that is asked of the host waits for another one.
            await self._confirmation.refuse([claimed], str(error))
            return False
        except ApiError as error:
            await self._confirmation.resolve_failure([claimed], error)
            return False
        await self._writes.confirm(claimed, None)
        return True

    async def read_back(self, changes: Sequence[Change], *, final: bool) -> None:
        """Send once more when the first request can't arrive any more; after that a person decides."""
        change = changes[0]
        if not final:
            return
        if change.sends >= MAX_SENDS:
            why = f"{change.reason}; " if change.reason else ""
            await self._confirmation.mark_needs_decision(change, f"{why}{NOBODY_KNOWS}")
        else:
            await self.send(changes)
