"""What screens read: synchronous, windowed, on a read-only connection.

`app.services` hands it to the screens; each method answers in the time of an index look-up, or
says that it walks a list.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

import apsw

from frontdesk.ai_agents import store as ai_agents
from frontdesk.api.contract.ids import AgentId, CampaignId, ConversationId, LineId, StatusId, TagId, TaskId
from frontdesk.campaigns.models import CampaignRecord, DeliveryResultsRecord, Sample, WatchInterval
from frontdesk.campaigns.store import (
    alerts as campaign_alerts,
)
from frontdesk.campaigns.store import (
    campaigns,
    drafts,
)
from frontdesk.campaigns.store import (
    delivery_results as outcomes,
)
from frontdesk.campaigns.store.alerts import Alert
from frontdesk.inbox.models import MessageRecord, Segment
from frontdesk.inbox.store import conversations, notifications, ordering, thread_pages, threads
from frontdesk.inbox.store.conditions import QueryTerm
from frontdesk.inbox.store.notifications import Notification
from frontdesk.outbox import progress, queue
from frontdesk.outbox.progress import BulkRun
from frontdesk.storage import clients, documents
from frontdesk.storage import full_text as search
from frontdesk.storage import invalid_items as broken
from frontdesk.storage.clients import Ask
from frontdesk.storage.records import (
    NEEDS_PERSON,
    UNCONFIRMED,
    AiAgentListing,
    Change,
    ChangeKind,
    ChangeState,
    ConversationOrder,
    ConversationRecord,
    DocumentRecord,
    Health,
    InvalidItem,
    MessagePosition,
    SearchHit,
    TaskRecord,
    TokenSample,
)
from frontdesk.tasks import filter_query
from frontdesk.tasks import store as task_store
from frontdesk.tasks.filter_query import FilterProgress, Scope, TaskFilter
from frontdesk.workflows.models import SnapshotRecord, WorkflowListing
from frontdesk.workflows.store import pending_payloads, workflows


class Reader:
    """Reads of one profile for the thread that opened `db`."""

    def __init__(self, db: apsw.Connection):
        self._db = db

    def conversation_ids(
        self, order: ConversationOrder, limit: int = -1, wanted: Sequence[QueryTerm] = ()
    ) -> list[ConversationId]:
        """The first `limit` wanted conversations of an order, all for -1."""
        return conversations.ids(self._db, order, limit, wanted)

    def conversation_window(
        self,
        order: ConversationOrder,
        limit: int,
        wanted: Sequence[QueryTerm] = (),
        also: Iterable[ConversationId] = (),
    ) -> tuple[list[ConversationId], int]:
        """The first `limit` (-1: all) wanted conversations of an order with some more among them, and how
        many are wanted in all."""
        return conversations.window(self._db, order, limit, wanted, also)

    def conversation_place(self, order: ConversationOrder, conversation_id: ConversationId) -> ordering.Place:
        """Where a conversation stands in an order, to be compared with others'."""
        return ordering.place(self._db, order, conversation_id)

    def conversation_count(self, wanted: Sequence[QueryTerm] = ()) -> int:
        """How many conversations are known and wanted."""
        return conversations.count(self._db, wanted)

    def wanted_among(self, ids: Iterable[ConversationId], wanted: Sequence[QueryTerm]) -> set[ConversationId]:
        """Those of them that are known and wanted."""
        return conversations.wanted_among(self._db, ids, wanted)

    def unread_ids(self, order: ConversationOrder, wanted: Sequence[QueryTerm] = ()) -> list[ConversationId]:
        """The unread ones of the wanted, sorted; walks the list."""
        return conversations.unread_ids(self._db, order, wanted)

    def next_unread(
        self, order: ConversationOrder, here: ConversationId | None, wanted: Sequence[QueryTerm] = ()
    ) -> ConversationId | None:
        """The unread one of the wanted that comes next behind another, round; None where there is none else."""
        return conversations.next_unread(self._db, order, here, wanted)

    def unread_among(self, ids: Sequence[ConversationId]) -> set[ConversationId]:
        """Those of them that are unread."""
        return conversations.unread_among(self._db, ids)

    def search(self, words: str, limit: int) -> list[SearchHit]:
        """Customers, tasks and messages with all of the words, the newest of each first."""
        return search.find(self._db, words, limit)

    def search_messages(self, words: str, limit: int) -> list[SearchHit]:
        """Messages with all of the words, the newest first."""
        return search.find_messages(self._db, words, limit)

    def search_tasks(self, words: str, limit: int) -> list[SearchHit]:
        """Tasks with all of the words, those touched last first."""
        return search.find_tasks(self._db, words, limit)

    def search_customers(self, words: str, limit: int) -> list[SearchHit]:
        """Customers with all of the words, those active last first."""
        return search.find_customers(self._db, words, limit)

    def jump(self, typed: str, limit: int) -> list[SearchHit]:
        """Customers called so, best first; fuzzy."""
        return search.jump(self._db, typed, limit)

    def lines_seen(self) -> list[LineId]:
        """The lines of known conversations."""
        return conversations.lines_seen(self._db)

    def platform_of_line(self, line_id: LineId) -> str:
        """The platform that a line's conversations are on; empty where it isn't known."""
        return conversations.platform_of_line(self._db, line_id)

    def unindexed(self) -> int:
        """How many messages and tasks a search can't find yet."""
        return search.unindexed(self._db)

    def conversation(self, conversation_id: ConversationId) -> ConversationRecord | None:
        """One conversation, or None where it isn't known."""
        return conversations.conversation(self._db, conversation_id)

    def segments(self, conversation_id: ConversationId) -> list[Segment]:
        """The stretches of a thread that are known without holes, newest first."""
        return threads.segments(self._db, conversation_id)

    def messages_before(
        self, conversation_id: ConversationId, before: MessagePosition | None, limit: int
    ) -> list[MessageRecord]:
        """Up to `limit` stored messages before a key (None: the newest), oldest first."""
        return threads.page_before(self._db, conversation_id, before, limit)

    def messages_from(
        self, conversation_id: ConversationId, start: MessagePosition | None, limit: int
    ) -> list[MessageRecord]:
        """Up to `limit` stored messages from a key on (None: from the oldest), oldest first."""
        return thread_pages.page_from(self._db, conversation_id, start, limit)

    def messages_by_id(self, conversation_id: ConversationId, ids: Collection[str]) -> dict[str, MessageRecord]:
        """Those of a thread's messages with these ids that are stored."""
        return thread_pages.by_ids(self._db, conversation_id, ids)

    def newer_count(self, conversation_id: ConversationId, after: MessagePosition, limit: int) -> int:
        """How many stored messages are newer than a key; no more than `limit` are counted."""
        return thread_pages.count_after(self._db, conversation_id, after, limit)

    def thread_ends(self, conversation_id: ConversationId) -> tuple[MessagePosition, MessagePosition] | None:
        """The oldest and the newest stored message of a thread; None where nothing is stored."""
        return thread_pages.ends(self._db, conversation_id)

    def first_unread(self, conversation_id: ConversationId) -> MessagePosition | None:
        """Where the customer's messages begin that were not read here; None where all were."""
        return thread_pages.first_unread(self._db, conversation_id)

    def task(self, task_id: TaskId) -> TaskRecord | None:
        """One task with what is pending, or None where it isn't known."""
        return task_store.task(self._db, task_id)

    def tasks_among(self, task_ids: Sequence[TaskId]) -> dict[TaskId, TaskRecord]:
        """Those of the tasks that are known; walks the list."""
        return task_store.among(self._db, task_ids)

    def task_statuses(self, task_ids: Iterable[TaskId]) -> dict[TaskId, StatusId]:
        """The status of each of the tasks that is known; walks the list."""
        return task_store.statuses(self._db, task_ids)

    def raw_task(self, task_id: TaskId) -> Mapping[str, object] | None:
        """One task as the platform last said it."""
        return task_store.raw_task(self._db, task_id)

    def tasks_of(self, conversation_id: ConversationId) -> list[TaskRecord]:
        """The tasks of a conversation, open ones first."""
        return task_store.of_conversation(self._db, conversation_id)

    def most_urgent(self, conversation_ids: Sequence[ConversationId]) -> dict[ConversationId, TaskId]:
        """Of each conversation with tasks the first one, in the order given; walks the list."""
        return task_store.most_urgent(self._db, conversation_ids)

    def task_counts(self) -> dict[StatusId, int]:
        """How many tasks are in each status that any task has."""
        return task_store.counts_by_status(self._db)

    def task_ids(self, status: StatusId, limit: int = -1, offset: int = 0) -> list[TaskId]:
        """A column of the board, at most `limit` of it after the first `offset`."""
        return task_store.ids_of_status(self._db, status, limit, offset)

    def task_rank(self, status: StatusId, place: tuple[object, ...]) -> int:
        """How many cards of a column stand before a place; walks the column's index."""
        return task_store.rank(self._db, status, place)

    def tasks_through(self, wanted: TaskFilter, now: float) -> dict[StatusId, list[TaskId]]:
        """The tasks of each status that a filter lets through at a moment; walks all tasks."""
        return filter_query.matching(self._db, wanted, now)

    def stand_of(self, scope: Scope) -> FilterProgress | None:
        """How far the platform was asked for the tasks of a filter; None where it wasn't yet."""
        return filter_query.stand(self._db, scope)

    def changes_of(self, target: str, limit: int) -> list[Change]:
        """What a person did to one task or conversation, newest first."""
        return queue.recent_of(self._db, target, limit)

    def people_seen(self) -> set[str]:
        """Ids of people that stand in tasks."""
        return task_store.people_seen(self._db)

    def tags_given(self, conversation_id: ConversationId) -> list[tuple[TagId, float, ChangeState]]:
        """Tags given to a conversation from here: which, when, how far they came."""
        return [(TagId(tag), at, state) for tag, at, state in queue.given_tags(self._db, conversation_id)]

    def campaigns(self) -> list[CampaignRecord]:
        """The watched campaigns."""
        return campaigns.watched(self._db)

    def samples(self, campaign_id: CampaignId, since: float) -> list[Sample]:
        """A campaign's kept counters since then."""
        return campaigns.samples(self._db, campaign_id, since)

    def raised_alerts(self, since: float) -> list[Alert]:
        """The alerts on campaigns raised since a moment, the oldest first."""
        return campaign_alerts.raised(self._db, since)

    def unseen_alerts(self, now: float) -> list[Alert]:
        """The alerts on campaigns that nobody has seen, the newest first, a bounded number of them."""
        return campaign_alerts.unseen(self._db, now)

    def outcomes(self, campaign_id: CampaignId) -> DeliveryResultsRecord:
        """How far a campaign's recipients were looked at, and how they fared."""
        return outcomes.record(self._db, campaign_id)

    def campaign_watch_intervals(self, campaign_id: CampaignId, since: float) -> list[WatchInterval]:
        """When a campaign was watched without a hole, since then."""
        return campaigns.watch_intervals(self._db, campaign_id, since)

    def campaign_raw(self, campaign_id: CampaignId) -> str | None:
        """A campaign as JSON with all of its recipients: megabytes, for who asks for them."""
        return campaigns.campaign_json(self._db, campaign_id)

    def recipients(self, campaign_id: CampaignId, most: int) -> list[object] | None:
        """At most so many of a campaign's list; None where it has none."""
        return campaigns.first_recipients(self._db, campaign_id, most)

    def workflows(self) -> list[DocumentRecord]:
        """The listed workflows."""
        return documents.all_of(self._db, documents.WORKFLOW)

    def workflow_list(self) -> WorkflowListing:
        """The listed workflows with what is known of each, but for their graphs."""
        return workflows.listing(self._db)

    def workflow_text(self, workflow_id: str) -> str | None:
        """A whole workflow as JSON, megabytes: decode it off the loop. None where it was never read."""
        return workflows.text(self._db, workflow_id)

    def why_no_documents(self) -> str:
        """Why whole workflows couldn't be had when they were last asked for; empty where they could."""
        return workflows.lack(self._db)

    def has_more_workflows(self) -> bool:
        """Whether the platform has workflows that it didn't list."""
        return workflows.has_more(self._db)

    def ai_agents(self) -> list[DocumentRecord]:
        """The listed AI agents."""
        return documents.all_of(self._db, documents.AI_AGENT)

    def ai_agent_list(self) -> AiAgentListing:
        """The listed AI agents, when they were read and what the list lacks."""
        return ai_agents.listing(self._db)

    def token_samples(self, agent_id: str) -> list[TokenSample]:
        """How many tokens an AI agent had used when, oldest first."""
        return ai_agents.samples(self._db, agent_id)

    def changes(self, limit: int = 500) -> list[Change]:
        """What a person did, newest first."""
        return queue.recent(self._db, limit)

    def change(self, change_id: int) -> Change | None:
        """One change."""
        return queue.change(self._db, change_id)

    def run(self, now: float) -> BulkRun | None:
        """The first bulk action that is not settled on all of them, or None."""
        return progress.oldest_running(self._db, now)

    def run_outcome(self, batch: str) -> tuple[int, int]:
        """Of an action's newest changes: how many are confirmed, how many failed."""
        return progress.outcome(self._db, batch)

    def failures(self, batch: str | None = None) -> list[Change]:
        """What the platform did not take of an action; of the newest with any where none is named."""
        return progress.failures(self._db, batch)

    def unsent(self) -> int:
        """How many changes the platform has not confirmed yet."""
        return queue.count(self._db, UNCONFIRMED)

    def undecided(self) -> int:
        """How many changes wait for a person to decide."""
        return queue.count(self._db, NEEDS_PERSON)

    def broken(self) -> list[InvalidItem]:
        """Items of answers that couldn't be read, the newest first."""
        return broken.all_invalid_items(self._db)

    def newest_message_at(self) -> float | None:
        """The moment of the newest stored message, Unix seconds."""
        return notifications.newest_at(self._db)

    def news_since(
        self, conversation_ids: Collection[str], task_ids: Collection[str], at: float
    ) -> list[Notification]:
        """Those of them in which something came after a moment, the oldest first."""
        return notifications.since(self._db, conversation_ids, task_ids, at)

    def unread_count(self, me: AgentId | None, *, of_all: bool, most: int) -> int:
        """How many conversations are unread, mine and nobody's or all; counted up to `most`."""
        return notifications.unread_count(self._db, me, of_all=of_all, most=most)

    def health(self) -> Health:
        """How it stands with the platform."""
        return clients.health(self._db)

    def ask(self, ask_id: int) -> Ask | None:
        """What became of something asked for."""
        return clients.ask_of(self._db, ask_id)

    def all_kept(self, kind: str) -> list[str]:
        """The names of everything kept of a kind, in the order in which it was kept."""
        return list(queue.all_kept(self._db, kind))

    def campaign_sent(self, campaign_id: str) -> Mapping[str, object] | None:
        """What is to be sent, or was, to create a campaign, its list shortened; None where nothing is known."""
        return drafts.sent(self._db, campaign_id)

    def values_kept(self, kind: str) -> dict[str, object]:
        """Everything kept of a kind by its name, in the order in which it was kept."""
        return queue.all_kept(self._db, kind)

    def pending_campaigns(self) -> list[Change]:
        """Campaigns that were created here and aren't stored on the platform yet, as far as is known."""
        return queue.unsettled(self._db, ChangeKind.CAMPAIGN)

    def pending_workflow_changes(self) -> list[Change]:
        """What is to become of workflows and isn't confirmed yet, oldest first."""
        return pending_payloads.pending_lines(self._db)

    def workflow_change(self, change_id: int) -> pending_payloads.Texts | None:
        """What a change of a workflow sends, what it was made from, and theirs in a conflict, as JSON texts that
        may be megabytes: parse them off the UI loop. None where they aren't kept (any more)."""
        return pending_payloads.texts(self._db, change_id)

    def snapshots(self, workflow_id: str) -> list[SnapshotRecord]:
        """What was kept of a workflow's analytics, the newest first."""
        return pending_payloads.snapshots(self._db, workflow_id)

    def snapshot_text(self, snapshot_id: int) -> str | None:
        """A kept workflow with its analytics, without its canvas, as JSON; None where there is none."""
        return pending_payloads.snapshot_text(self._db, snapshot_id)

    def live_targets(self) -> set[str]:
        """What has changes that aren't settled."""
        return queue.live_targets(self._db)

    def kept(self, kind: str, each: str) -> object:
        """Something of the person's own that was kept, or None."""
        return queue.kept(self._db, kind, each)
