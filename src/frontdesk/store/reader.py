"""What screens read: synchronous, windowed, on a read-only connection.

`desk.Desk` hands it to the screens; each method answers in the time of an index look-up, or
says that it walks a list.
"""

from collections.abc import Mapping, Sequence

import apsw

from frontdesk.contract.ids import CampaignId, ConversationId, StatusId, TagId, TaskId
from frontdesk.store import (
    broken,
    campaigns,
    conversations,
    documents,
    filtering,
    outbox,
    presence,
    search,
    tasks,
    threads,
)
from frontdesk.store.filtering import Scope, Stand, TaskFilter
from frontdesk.store.presence import Ask
from frontdesk.store.records import (
    NEEDS_PERSON,
    UNCONFIRMED,
    BrokenRecord,
    CampaignRecord,
    Change,
    ChangeState,
    ConversationRecord,
    DocumentRecord,
    Health,
    MessageKey,
    MessageRecord,
    Order,
    Sample,
    SearchHit,
    Segment,
    TaskRecord,
)


class Reader:
    """Reads of one profile for the thread that opened `db`."""

    def __init__(self, db: apsw.Connection):
        self._db = db

    def conversation_ids(self, order: Order, limit: int = -1) -> list[ConversationId]:
        """The first `limit` known conversations of an order, all for -1."""
        return conversations.ids(self._db, order, limit)

    def conversation_count(self) -> int:
        """How many conversations are known."""
        return conversations.count(self._db)

    def conversation_ids_with(self, order: Order, words: str) -> list[ConversationId]:
        """The conversations whose customer, tasks or messages hold all of the words, sorted."""
        return conversations.ids_among(self._db, order, search.conversations_with(self._db, words))

    def unread_ids(self, order: Order, also: ConversationId | None = None) -> list[ConversationId]:
        """The unread conversations, sorted, and one more among them to see what lies behind it."""
        return conversations.unread_ids(self._db, order, also)

    def unread_among(self, ids: Sequence[ConversationId]) -> set[ConversationId]:
        """Those of them that are unread."""
        return conversations.unread_among(self._db, ids)

    def search(self, words: str, limit: int) -> list[SearchHit]:
        """Customers, tasks and messages with all of the words, the newest of each first."""
        return search.find(self._db, words, limit)

    def customers(self, words: str, limit: int) -> list[SearchHit]:
        """Customers with all of the words in name or number; looks at every name."""
        return search.find_customers(self._db, words, limit)

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
        self, conversation_id: ConversationId, before: MessageKey | None, limit: int
    ) -> list[MessageRecord]:
        """Up to `limit` stored messages before a key (None: the newest), oldest first."""
        return threads.page_before(self._db, conversation_id, before, limit)

    def messages_from(self, conversation_id: ConversationId, oldest: MessageKey) -> list[MessageRecord]:
        """Every stored message from a key on, oldest first."""
        return threads.page_from(self._db, conversation_id, oldest)

    def task(self, task_id: TaskId) -> TaskRecord | None:
        """One task with what is pending, or None where it isn't known."""
        return tasks.task(self._db, task_id)

    def raw_task(self, task_id: TaskId) -> Mapping[str, object] | None:
        """One task as the platform last said it."""
        return tasks.raw_task(self._db, task_id)

    def tasks_of(self, conversation_id: ConversationId) -> list[TaskRecord]:
        """The tasks of a conversation, open ones first."""
        return tasks.of_conversation(self._db, conversation_id)

    def task_counts(self) -> dict[StatusId, int]:
        """How many tasks are in each status that any task has."""
        return tasks.counts_by_status(self._db)

    def task_ids(self, status: StatusId, limit: int = -1) -> list[TaskId]:
        """A column of the board, at most `limit` of it."""
        return tasks.ids_of_status(self._db, status, limit)

    def tasks_through(self, wanted: TaskFilter) -> dict[StatusId, list[TaskId]]:
        """The tasks of each status that a filter lets through; walks all tasks."""
        return filtering.matching(self._db, wanted)

    def stand_of(self, scope: Scope) -> Stand | None:
        """How far the platform was asked for the tasks of a filter; None where it wasn't yet."""
        return filtering.stand(self._db, scope)

    def lines_seen(self) -> set[str]:
        """Ids of lines that stand in tasks; walks all tasks."""
        return filtering.lines_seen(self._db)

    def changes_of(self, target: str, limit: int) -> list[Change]:
        """What a person did to one task or conversation, newest first."""
        return outbox.recent_of(self._db, target, limit)

    def people_seen(self) -> set[str]:
        """Ids of people that stand in tasks."""
        return tasks.people_seen(self._db)

    def tags_given(self, conversation_id: ConversationId) -> list[tuple[TagId, float, ChangeState]]:
        """Tags given to a conversation from here: which, when, how far they came."""
        return [(TagId(tag), at, state) for tag, at, state in outbox.given_tags(self._db, conversation_id)]

    def campaigns(self) -> list[CampaignRecord]:
        """The watched campaigns."""
        return campaigns.watched(self._db)

    def samples(self, campaign_id: CampaignId, since: float) -> list[Sample]:
        """A campaign's kept counters since then."""
        return campaigns.samples(self._db, campaign_id, since)

    def workflows(self) -> list[DocumentRecord]:
        """The listed workflows."""
        return documents.all_of(self._db, documents.WORKFLOW)

    def ai_agents(self) -> list[DocumentRecord]:
        """The listed AI agents."""
        return documents.all_of(self._db, documents.AI_AGENT)

    def changes(self, limit: int = 500) -> list[Change]:
        """What a person did, newest first."""
        return outbox.recent(self._db, limit)

    def change(self, change_id: int) -> Change | None:
        """One change."""
        return outbox.change(self._db, change_id)

    def unsent(self) -> int:
        """How many changes the platform has not confirmed yet."""
        return outbox.count(self._db, UNCONFIRMED)

    def undecided(self) -> int:
        """How many changes wait for a person to decide."""
        return outbox.count(self._db, NEEDS_PERSON)

    def broken(self) -> list[BrokenRecord]:
        """Items of answers that couldn't be read, the newest first."""
        return broken.all_broken(self._db)

    def health(self) -> Health:
        """How it stands with the platform."""
        return presence.health(self._db)

    def ask(self, ask_id: int) -> Ask | None:
        """What became of something asked for."""
        return presence.ask_of(self._db, ask_id)

    def kept(self, kind: str, each: str) -> object:
        """Something of the person's own that was kept, or None."""
        return outbox.kept(self._db, kind, each)
