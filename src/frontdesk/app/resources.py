"""Composes what is polled of one profile: each feature's own reads."""

from collections.abc import Callable, Collection, Sequence

from frontdesk.ai_agents.sync import AiAgentPuller
from frontdesk.api.client.client import PlatformClient
from frontdesk.api.contract.ids import CampaignId, ConversationId
from frontdesk.campaigns.models import CampaignRecord
from frontdesk.campaigns.store import campaigns
from frontdesk.campaigns.sync import CampaignPuller
from frontdesk.inbox.store import conversations
from frontdesk.inbox.thread_sync import ThreadPuller
from frontdesk.storage.database import Store
from frontdesk.sync.scheduler import FILES, Job, PollKind
from frontdesk.tasks.filter_query import Scope
from frontdesk.tasks.sync import FilteredTasks, TaskPuller
from frontdesk.workflows.store import workflows
from frontdesk.workflows.sync import DocumentPuller


class ProfileResources:
    """The reads of one profile (`sync.poller.Resources`).

    Attributes:
        tasks, threads, campaigns, ai_agents: the reads of each.
        documents: reads workflows.
    """

    def __init__(self, client: PlatformClient, store: Store, clock: Callable[[], float]):
        self._store = store
        self.tasks = TaskPuller(client, store, clock)
        self.threads = ThreadPuller(client, store, clock)
        self.campaigns = CampaignPuller(client, store, clock)
        self.documents = DocumentPuller(client, store, clock)
        self.ai_agents = AiAgentPuller(client, store, clock)
        self._filtered = FilteredTasks(self.tasks, store, clock)

    @property
    def swept(self) -> bool:
        """Whether all tasks were walked once since the engine began."""
        return self.tasks.swept

    @property
    def walked(self) -> Collection[str]:
        """Keys of filters that are known."""
        return self._filtered.walked

    @property
    def refused(self) -> Collection[str]:
        """Keys of filters that the platform says no to."""
        return self._filtered.refused

    @property
    def workflows_behind(self) -> bool:
        """Whether a listed workflow's document is missing or older than the list says."""
        return self.documents.workflows_behind

    def watched_campaigns(self) -> Sequence[CampaignRecord]:
        """Answer the campaigns that are watched."""
        return campaigns.watched(self._store.reading)

    def threads_to_read(self, count: int) -> Sequence[str]:
        """Answer at most so many conversations whose threads should be read in the background."""
        return [each[0] for each in conversations.threads_to_read(self._store.reading, count)]

    async def fetch(self, job: Job) -> bool:
        """Read one thing and store it; whether anything differed."""
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

    def was_refused(self, job: Job) -> bool:
        """Whether the platform refused the whole documents, which is stored for the screens."""
        return job.kind is PollKind.WHOLE_WORKFLOWS and bool(workflows.lack(self._store.reading))

    def ask_again(self) -> None:
        """Try everything again that was given up: a person wants it."""
        self.documents.asked_again()
        self.ai_agents.asked_again()
