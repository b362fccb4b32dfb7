"""The features' parts of one profile's engine: polled resources, deliveries and housekeeping."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from frontdesk.ai_agents.sync import AiAgentPuller
from frontdesk.campaigns.delivery import CampaignDelivery
from frontdesk.campaigns.models import CampaignRecord
from frontdesk.campaigns.store import campaigns
from frontdesk.campaigns.store.campaigns import drop_lists, thin_samples
from frontdesk.campaigns.sync import CampaignPuller, PolledCampaigns
from frontdesk.inbox.store import conversations, retention
from frontdesk.inbox.tag_delivery import TagDelivery
from frontdesk.inbox.thread_sync import ThreadPuller
from frontdesk.metrics import store as metrics_store
from frontdesk.outbox import snoozes
from frontdesk.outbox.claims import Claims
from frontdesk.outbox.delivery import Confirmation, Deliveries, HostBackoff
from frontdesk.outbox.sender import SETTLE_AFTER, Sender
from frontdesk.registry.changes import CHANGE_HANDLERS
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeKind
from frontdesk.sync.housekeeping import BatchWork, Housekeeping
from frontdesk.sync.observations import Observe, observe_nothing
from frontdesk.sync.scheduler import FILES, NO_DEADLINES, Job, PollKind
from frontdesk.tasks import history
from frontdesk.tasks.delivery import TaskDelivery
from frontdesk.tasks.sync import FilteredTasks, TaskPuller
from frontdesk.tasks.task_filter import Scope
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.delivery import WebhookDelivery, WorkflowDelivery
from frontdesk.workflows.sync import DocumentPuller
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.contract.ids import CampaignId, ConversationId


class ProfileResources:
    """The reads of one profile; `sync.poll_results.Resources` describes them.

    Args:
        read_by: by id, when a campaign must be read again, for its alerts.
        observe: told what the reads of tasks, threads and campaigns have brought.
        of_others: the ids of the campaigns that are read for a team's other desks.
    """

    def __init__(
        self,
        client: PlatformClient,
        store: Store,
        clock: Callable[[], float],
        read_by: Mapping[str, float] = NO_DEADLINES,
        observe: Observe = observe_nothing,
        of_others: Callable[[], Collection[str]] = tuple,
    ):
        self._store = store
        self.tasks = TaskPuller(client, store, clock, observe)
        self.threads = ThreadPuller(client, store, clock, observe=observe)
        self.polled_campaigns = PolledCampaigns(store, of_others)
        self.campaigns = CampaignPuller(client, store, clock, read_by, self.polled_campaigns, observe)
        self.documents = DocumentPuller(client, store, clock)
        self.ai_agents = AiAgentPuller(client, store, clock)
        self._filtered = FilteredTasks(self.tasks, store, clock)
        self._clock = clock

    @property
    def swept(self) -> bool:
        return self.tasks.swept

    @property
    def walked(self) -> Collection[str]:
        return self._filtered.walked

    @property
    def refused(self) -> Collection[str]:
        return self._filtered.refused

    @property
    def workflows_behind(self) -> bool:
        return self.documents.workflows_behind

    def watched_campaigns(self) -> Sequence[CampaignRecord]:
        return campaigns.watched(self._store.reading)

    def campaign_changes(self) -> Mapping[str, CampaignRecord | None]:
        return self.polled_campaigns.changes()

    def outdated_threads(self, count: int) -> Sequence[str]:
        return [each[0] for each in conversations.outdated_threads(self._store.reading, count)]

    def never_read_threads(self, count: int, *, from_oldest: bool = False) -> Sequence[str]:
        found = conversations.never_read_threads(self._store.reading, count, from_oldest=from_oldest)
        return [each[0] for each in found]

    def threads_to_check(self, count: int) -> Sequence[str]:
        found = conversations.threads_to_check(self._store.reading, self._clock(), count)
        return [each[0] for each in found]

    @property
    def walk_pages(self) -> int:
        return self.tasks.walk_pages

    def unsigned_threads(self, threads: Collection[str]) -> Mapping[str, bool]:
        return conversations.unsigned_threads(self._store.reading, threads)

    def is_thread_current(self, conversation_id: str) -> bool:
        return conversations.is_thread_current(self._store.reading, ConversationId(conversation_id))

    async def fetch(self, job: Job) -> bool:
        match job.kind:
            case PollKind.TASKS_OF:
                return await self._filtered.next_page(Scope.of_key(job.target))
            case PollKind.TASKS_HEAD:
                return await self.tasks.tasks_head()
            case PollKind.TASKS_SWEEP:
                return await self.tasks.tasks_sweep()
            case PollKind.THREAD | PollKind.THREAD_BEHIND:
                return await self.threads.thread_head(ConversationId(job.target))
            case PollKind.CAMPAIGN:
                return await self.campaigns.campaign(CampaignId(job.target))
            case PollKind.WORKFLOWS:
                return await self.documents.workflows()
            case PollKind.WHOLE_WORKFLOWS:
                return await self.documents.whole_workflows()
            case PollKind.AI_AGENTS:
                return await self.ai_agents.ai_agents(with_files=job.target == FILES)

    async def close(self) -> None:
        """Store what the next start needs."""
        await self.tasks.keep_reads()

    def was_refused(self, job: Job) -> bool:
        return job.kind is PollKind.WHOLE_WORKFLOWS and bool(workflow_store.read_problem(self._store.reading))

    def ask_again(self) -> None:
        self.documents.retry_refused()
        self.ai_agents.retry_refused()


def make_sender(
    client: PlatformClient,
    store: Store,
    backoff: HostBackoff,
    clock: Callable[[], float],
    owner: str,
    settle_after: float = SETTLE_AFTER,
    steady: Callable[[], float] = time.monotonic,
    claims: Claims | None = None,
) -> Sender:
    """Make a sender with each feature's delivery; `owner` marks the changes that this engine is sending."""
    confirmation = Confirmation(store, CHANGE_HANDLERS, clock, owner)
    workflows = WorkflowDelivery(client, store, confirmation, clock)
    deliveries: Deliveries = {
        ChangeKind.TASK: TaskDelivery(client, store, confirmation, clock, claims),
        ChangeKind.TAGS: TagDelivery(client, confirmation, clock),
        ChangeKind.CAMPAIGN: CampaignDelivery(client, store, confirmation, clock),
        ChangeKind.WORKFLOW_CREATE: workflows,
        ChangeKind.WORKFLOW_UPDATE: workflows,
        ChangeKind.ANALYTICS_RESET: workflows,
        ChangeKind.WEBHOOK_DELETE: WebhookDelivery(client, store, confirmation, clock),
    }
    return Sender(store, confirmation, deliveries, backoff, clock, settle_after, steady)


COUNTED_AT_ONCE = 20
"""Quarters of an hour whose messages are counted in one transaction."""
THREADS_AT_ONCE = 1_000


def make_housekeeping(
    store: Store,
    clock: Callable[[], float],
    steady: Callable[[], float],
    max_bytes: int,
    history_days: int,
) -> Housekeeping:
    """Make the housekeeping with each feature's retention rules."""
    spares = (thin_samples, drop_lists, snoozes.find_old, partial(history.find_old, days=history_days))
    counting = BatchWork(metrics_store.stale, lambda db: metrics_store.count_batch(db, COUNTED_AT_ONCE))
    threads = BatchWork(metrics_store.stale_threads, lambda db: metrics_store.keep_threads(db, THREADS_AT_ONCE))
    work = (counting, threads)
    return Housekeeping(store, clock, steady, max_bytes, shrink=retention.shrink, spares=spares, work=work)
