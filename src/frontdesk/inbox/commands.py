"""Commands on conversations; each is one write."""

from collections.abc import Sequence
from concurrent.futures import Future

import apsw

from frontdesk.api.contract.ids import AgentId, ConversationId, CustomerId, LineId, TagId
from frontdesk.inbox import changes, note_changes
from frontdesk.inbox.note_changes import NoteDraft
from frontdesk.inbox.store import conversations, notes, read_markers, team_views, thread_pages
from frontdesk.inbox.store.notes import TeamNote
from frontdesk.outbox import batches, queue, snoozes
from frontdesk.outbox.batches import ActionResult, new_batch
from frontdesk.outbox.changes import COMPLETED, USED_TAG
from frontdesk.storage import record_lookup
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import ConversationRecord, TaskRecord
from frontdesk.storage.sql import ReadConnection
from frontdesk.tasks import store as task_store

NOTE_LABEL = "Note"


def known_people(store: ProfileStore) -> dict[AgentId, str]:
    """Return the names of the agents in the config and in tasks, me first."""
    people = store.catalogue.people(task_store.assigned_people(store.reading))
    return {each.agent_id: each.name for each in people}


def open_task(db: ReadConnection, conversation_id: ConversationId) -> TaskRecord | None:
    """Return the most urgent open task of a conversation."""
    found = record_lookup.tasks_of_conversation(db, conversation_id)
    return found[0] if found and found[0].status != COMPLETED else None


class InboxCommands:
    """Commands for tags, read markers and opened conversations."""

    def __init__(self, store: ProfileStore):
        self._store = store

    def give_tags(
        self, conversation_ids: Sequence[ConversationId], tag_ids: Sequence[TagId]
    ) -> "Future[ActionResult]":
        """Give tags to conversations; held for five seconds, since the interface can't remove them."""
        label = f"Tag: {', '.join(self._store.catalogue.tag(each).title for each in tag_ids)}"
        batch, now = new_batch(), self._store.clock()

        def give(db: apsw.Connection) -> ActionResult:
            changes.add_tags(db, conversation_ids, tag_ids, batch=batch, label=label, now=now)
            for each in tag_ids:
                queue.keep(db, USED_TAG, each, True, now)
            batches.record(db, label, batch, now)
            return ActionResult(len(conversation_ids), (), batch, label)

        return self._store.write(give)

    def mark_read(self, conversation_id: ConversationId) -> None:
        """Mark the thread as read up to its newest message, locally."""
        self._mark_read(conversation_id, has_arrived=False)

    def _mark_read(self, conversation_id: ConversationId, *, has_arrived: bool) -> None:
        newest = thread_pages.page_before(self._store.reading, conversation_id, None, 1)
        until, now = newest[-1].key.created_at if newest else 0.0, self._store.clock()
        takes_up = self._store.profile.team is not None and not self._store.settings.read_only

        def read(db: apsw.Connection) -> None:
            if has_arrived and read_markers.is_marked_unread(db, conversation_id):
                return
            read_markers.mark_read(db, conversation_id, until, now)
            snoozes.forget_woken(db, conversation_id, now)
            task_store.note_all_seen(db, conversation_id, now)
            if not has_arrived:
                notes.mark_seen(db, conversation_id, self._store.catalogue.me, now, receipts=takes_up)

        self._store.write_unawaited(read)

    def mark_arrived(self, conversation_id: ConversationId) -> None:
        """Mark what came while the thread was read, unless somebody has marked it unread since.

        A note isn't taken up by that: only who opens the conversation takes over what is handed to them.
        """
        record = record_lookup.conversation(self._store.reading, conversation_id)
        if record is not None and record.unread:
            self._mark_read(conversation_id, has_arrived=True)

    def mark_unread(self, conversation_id: ConversationId) -> None:
        """Mark the last incoming message as unread, locally."""
        now = self._store.clock()
        self._store.write_unawaited(lambda db: read_markers.mark_unread(db, conversation_id, now))

    def set_needs_answer(
        self, seen: Sequence[ConversationRecord], *, needs_answer: bool
    ) -> "Future[ActionResult]":
        """Mark that what customers have written needs no answer, or that it does, locally.

        Args:
            seen: the conversations when the person decided.
        """
        label = "Answer: needed" if needs_answer else "Answer: none needed"
        batch, now = new_batch(), self._store.clock()

        def change(db: apsw.Connection) -> ActionResult:
            done = [
                changes.set_needs_answer(db, each, needs_answer=needs_answer, batch=batch, label=label, now=now)
                for each in seen
            ]
            if any(done):
                batches.record(db, label, batch, now)
            return ActionResult(sum(done), (), batch if any(done) else "", label)

        return self._store.write(change)

    def write_note(self, draft: NoteDraft) -> "Future[ActionResult]":
        """Write a note for the team; the future holds `NotPossible` for one that is empty or too long."""
        batch, now = new_batch(), self._store.clock()

        def write(db: apsw.Connection) -> ActionResult:
            note_changes.add_note(db, draft, batch=batch, label=NOTE_LABEL, now=now)
            batches.record(db, NOTE_LABEL, batch, now)
            return ActionResult(1, (), batch, NOTE_LABEL)

        return self._store.write(write)

    def take_note_back(self, note: TeamNote) -> "Future[ActionResult]":
        """Take back a note of one's own that the team has."""
        label, batch, now = f"Take back: {NOTE_LABEL}", new_batch(), self._store.clock()

        def take_back(db: apsw.Connection) -> ActionResult:
            note_changes.take_back(db, note, batch=batch, label=label, now=now)
            return ActionResult(1, (), batch, label)

        return self._store.write(take_back)

    def share_view(self, name: str, match: str) -> None:
        """Share a view with the team under a name; an empty query takes it back."""
        now = self._store.clock()
        self._store.write_unawaited(lambda db: team_views.share(db, name, match, now))

    def open_conversation(self, line_id: LineId, customer_id: CustomerId) -> "Future[ConversationId]":
        """Add a conversation that no task names, by its line and customer."""
        conversation_id = ConversationId(f"{line_id}#{customer_id}")
        turned = ConversationId(f"{customer_id}#{line_id}")
        if record_lookup.conversation(self._store.reading, turned) is not None:
            # The order of the halves is not safe (docs/interface.md, Values seen).
            conversation_id = turned

        def open_it(db: apsw.Connection) -> ConversationId:
            conversations.add_by_pair(db, conversation_id, line_id, customer_id)
            return conversation_id

        return self._store.write(open_it)
