"""Composes the sender of one profile: the registry of deliveries, each feature's own."""

from collections.abc import Callable

from frontdesk.api.client.client import PlatformClient
from frontdesk.app.change_handlers import CHANGE_HANDLERS
from frontdesk.campaigns.delivery import CampaignDelivery
from frontdesk.inbox.tag_delivery import TagDelivery
from frontdesk.outbox.confirmation import Confirmation
from frontdesk.outbox.delivery import Deliveries, HostBackoff
from frontdesk.outbox.sender import SETTLE_AFTER, Sender
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeKind
from frontdesk.tasks.delivery import TaskDelivery
from frontdesk.workflows.confirmation import WorkflowConfirmation
from frontdesk.workflows.delivery import WebhookDelivery, WorkflowDelivery


def make_sender(
    client: PlatformClient,
    store: Store,
    backoff: HostBackoff,
    clock: Callable[[], float],
    owner: str,
    settle_after: float = SETTLE_AFTER,
) -> Sender:
    """A sender with a delivery for each kind of change.

    Args:
        owner: names this engine in the changes that it is sending.
    """
    confirmation = Confirmation(store, CHANGE_HANDLERS, clock, owner)
    workflow_confirmation = WorkflowConfirmation(store, clock, owner)
    workflows = WorkflowDelivery(client, store, confirmation, workflow_confirmation, clock)
    deliveries: Deliveries = {
        ChangeKind.TASK: TaskDelivery(client, store, confirmation, clock),
        ChangeKind.TAGS: TagDelivery(client, confirmation, clock),
        ChangeKind.CAMPAIGN: CampaignDelivery(client, store, confirmation, clock),
        ChangeKind.WORKFLOW_CREATE: workflows,
        ChangeKind.WORKFLOW_UPDATE: workflows,
        ChangeKind.ANALYTICS_RESET: workflows,
        ChangeKind.WEBHOOK_DELETE: WebhookDelivery(client, store, confirmation, workflow_confirmation, clock),
    }
    return Sender(store, confirmation, deliveries, backoff, clock, settle_after)
