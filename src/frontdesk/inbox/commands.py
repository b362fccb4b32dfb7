"""Verbs of conversations, with their wording, and other commands on them; each is one write."""

from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

import apsw

from frontdesk.config.actions import Undo
from frontdesk.config.config_tables import KNOWN_FIELDS
from frontdesk.inbox import changes
from frontdesk.inbox.changes import NoteDraft
from frontdesk.inbox.store import conversations, notes, read_markers, team_views, thread_pages
from frontdesk.inbox.store.notes import TeamNote
from frontdesk.outbox import queue, snoozes
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.changes import COMPLETED, USED_TAG
from frontdesk.outbox.commands import OutboxCommands
from frontdesk.outbox.verbs import On, Part, RecordChange, Verb, VerbContext, Write, split_names, write_action
from frontdesk.storage import record_lookup
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import ChangeKind, ChangeState, ConversationRecord, Made, TaskRecord
from frontdesk.storage.sql import ReadConnection
from frontdesk.tasks import store as task_store
from frontdesk.text.fuzzy import NoSuchName, UnusableWords, find_named
from frontdesk_api.contract.ids import AgentId, ConversationId, CustomerId, LineId, TagId
from frontdesk_lines.lines import Role, span

NOTE_LABEL = "Note"


def known_people(store: ProfileStore) -> dict[AgentId, str]:
    """Return the names of the agents in the config and in tasks, me first."""
    people = store.catalogue.people(task_store.assigned_people(store.reading))
    return {each.agent_id: each.name for each in people}


def reply_values(store: ProfileStore, record: ConversationRecord) -> dict[str, str]:
    """Return what fills a reply's fields; an id without a name in the config is no answer to a customer."""
    profile, me = store.profile, store.catalogue.me
    line = profile.lines.get(record.line_id, "") if record.line_id else ""
    known = (record.name, record.number, line, profile.agents.get(me, "") if me else "")
    return {name: value for name, value in zip(KNOWN_FIELDS, known, strict=True) if value}


def open_task(db: ReadConnection, conversation_id: ConversationId) -> TaskRecord | None:
    """Return the most urgent open task of a conversation."""
    found = record_lookup.tasks_of_conversation(db, conversation_id)
    return found[0] if found and found[0].status != COMPLETED else None


def tags_change(tag_ids: Sequence[TagId], context: VerbContext) -> RecordChange:
    """Give tags to conversations; held for five seconds, since the interface can't remove them."""
    titles = [context.view.tag(each).text for each in tag_ids]
    names, signs = ", ".join(titles), " ".join(f"#{each}" for each in titles)

    def give(db: apsw.Connection, ids: Sequence[ConversationId], made: Made) -> int:
        changes.add_tags(db, ids, tag_ids, made)
        for each in tag_ids:
            queue.keep(db, USED_TAG, each, True, made.now)
        return len(ids)

    return RecordChange(
        f"Tag: {', '.join(context.view.names.tag(each).title for each in tag_ids)}",
        "Tag",
        f"Tagged {signs}:",
        f"tagged {signs}",
        lambda on: f"Add {names} to {on}? Tags can't be removed.",
        lambda on: f"Tagged {names}: {on}",
        [Part(On.CONVERSATION, give, kind=ChangeKind.TAGS)],
        gets=(span(" ".join(f"+#{each}" for each in titles), Role.GOOD),),
        undo=Undo.UNTIL_SENT,
        verb="Tag",
    )


def read_change(store: ProfileStore, ids: Iterable[ConversationId], *, is_read: bool) -> RecordChange:
    """Mark conversations as read up to what is there now, or what came last in each as unread, on this machine."""
    state = "read" if is_read else "unread"
    until = {each: _newest(store, each) for each in ids} if is_read else {}

    def mark(db: apsw.Connection, targets: Sequence[ConversationId], made: Made) -> int:
        for each in targets:
            if is_read:
                _mark_read(store, db, each, until[each], made.now)
            else:
                read_markers.mark_unread(db, each, made.now)
        return len(targets)

    return _local_change(state, f"Marked {state}", mark, undo=Undo.NEVER)


def answer_change(seen: Sequence[ConversationRecord], *, needs_answer: bool) -> RecordChange:
    """Mark that what customers have written needs no answer, or that it does, on this machine."""
    state = "waiting for an answer" if needs_answer else "no answer needed"

    def mark(db: apsw.Connection, ids: Sequence[ConversationId], made: Made) -> int:
        wanted = set(ids)
        meant = [each for each in seen if each.conversation_id in wanted]
        return sum(changes.set_needs_answer(db, each, made, needs_answer=needs_answer) for each in meant)

    label = "Answer: needed" if needs_answer else "Answer: none needed"
    nothing = "No one is waiting for an answer there."
    return _local_change(state, state.capitalize(), mark, label=label, nothing=nothing)


def _local_change(state: str, did: str, mark: Write, **more: Any) -> RecordChange:
    """Return a change of conversations that only frontdesk knows."""
    return RecordChange(
        label=more.pop("label", ""),
        title=state.capitalize(),
        did=f"{did}:",
        state=state,
        question=None,  # a mark is undone as easily, and nothing is sent
        result=lambda on: f"{did}, in frontdesk only: {on}",
        parts=[Part(On.CONVERSATION, mark)],
        gets=(span(state, Role.STRONG),),
        verb="Mark",
        **more,
    )


def _tag(words: str, context: VerbContext) -> RecordChange:
    tags = {each.id: each.title for each in context.view.names.tags()}
    wanted: dict[TagId, None] = {}
    for part in split_names(words):
        if part.startswith("id:") and not context.is_kept:
            wanted[TagId(part.removeprefix("id:").strip())] = None
            continue
        try:
            wanted[find_named(part.lstrip("#"), tags, "tag")] = None
        except NoSuchName as error:
            if context.is_kept:
                raise
            raise UnusableWords(f"{error}. To add one that isn't listed, type tag N id:ID") from None
    return tags_change(list(wanted), context)


def _which_tags(context: VerbContext) -> str:
    titles = ", ".join(each.title for each in context.view.names.tags()) or "none yet"
    return f"Which tags? Available: {titles}. Type tag N NAME, NAME. For a tag that isn't listed, use id:ID."


def _meant(context: VerbContext) -> tuple[ProfileStore, list[ConversationRecord]]:
    assert context.store is not None, "no macro marks conversations"
    ids = map(ConversationId, context.records[On.CONVERSATION])
    return context.store, record_lookup.conversations(context.store.reading, ids)


def _mark(_: str, context: VerbContext, *, is_read: bool | None = None) -> RecordChange:
    """Mark as read or unread; with None as read where any is unread."""
    store, seen = _meant(context)
    if is_read is None:
        is_read = any(each.unread for each in seen)
    return read_change(store, map(ConversationId, context.records[On.CONVERSATION]), is_read=is_read)


def _mark_answer(_: str, context: VerbContext, *, needs_answer: bool | None = None) -> RecordChange:
    """Mark whether an answer is needed; with None that none is where anybody waits for one."""
    seen = _meant(context)[1]
    if needs_answer is None:
        needs_answer = all(each.waiting_since is None for each in seen)
    return answer_change(seen, needs_answer=needs_answer)


CONVERSATION = (On.CONVERSATION,)
TAG = Verb(
    "conversation.tag",
    "tag",
    CONVERSATION,
    _tag,
    _which_tags,
    "tag vip",
    lambda change, names: [names.tag(each).title for each in change.fields.get("tagIds", ())],
    joins=True,
)
READ = Verb("conversation.mark_read", "read", CONVERSATION, partial(_mark, is_read=True))
UNREAD = Verb("conversation.mark_unread", "unread", CONVERSATION, partial(_mark, is_read=False))
TOGGLE_READ = Verb("conversation.read", "toggle", CONVERSATION, _mark)
TOGGLE_ANSWER = Verb("conversation.no_answer", "noanswer", CONVERSATION, _mark_answer)
NO_ANSWER = TOGGLE_ANSWER._replace(parse=partial(_mark_answer, needs_answer=False))
NEEDS_ANSWER = TOGGLE_ANSWER._replace(parse=partial(_mark_answer, needs_answer=True))


def _newest(store: ProfileStore, conversation_id: ConversationId) -> float:
    newest = thread_pages.page_before(store.reading, conversation_id, None, 1)
    return newest[-1].key.created_at if newest else 0.0


def _mark_read(
    store: ProfileStore,
    db: apsw.Connection,
    conversation_id: ConversationId,
    until: float,
    now: float,
    *,
    has_arrived: bool = False,
) -> None:
    if has_arrived and read_markers.is_marked_unread(db, conversation_id):
        return
    read_markers.mark_read(db, conversation_id, until, now)
    snoozes.forget_woken(db, conversation_id, now)
    task_store.note_all_seen(db, conversation_id, now)
    if not has_arrived:
        takes_up = store.profile.team is not None and not store.settings.read_only
        notes.mark_seen(db, conversation_id, store.catalogue.me, now, receipts=takes_up)


class InboxCommands:
    """Commands for opened conversations, notes and shared views."""

    def __init__(self, store: ProfileStore):
        self._store = store

    def mark_read(self, conversation_id: ConversationId, *, has_arrived: bool = False) -> None:
        """Mark the thread as read up to its newest message, on this machine."""
        until, now, store = _newest(self._store, conversation_id), self._store.clock(), self._store
        store.write_unawaited(
            lambda db: _mark_read(store, db, conversation_id, until, now, has_arrived=has_arrived)
        )

    def mark_arrived(self, conversation_id: ConversationId) -> None:
        """Mark what came while the thread was read, unless somebody has marked it unread since.

        A note isn't taken up by that: only who opens the conversation takes over what is handed to them.
        """
        record = record_lookup.conversation(self._store.reading, conversation_id)
        if record is not None and record.unread:
            self.mark_read(conversation_id, has_arrived=True)

    def write_note(self, draft: NoteDraft) -> "Future[ActionResult]":
        """Write a note for the team; the future holds `NotPossible` for one that is empty or too long."""
        return write_action(self._store, NOTE_LABEL, partial(changes.add_note, draft=draft))

    def take_note_back(self, note: TeamNote, outbox: OutboxCommands) -> "Future[Any]":
        """Take back a note of one's own: one that the team has, one that is to be sent, or a refused one."""
        if note.state is ChangeState.REFUSED:
            return outbox.drop(note.change_id)
        if note.change_id:
            from frontdesk.outbox.undo import UndoRequest

            return outbox.undo(UndoRequest(changes=(note.change_id,)))
        return write_action(self._store, f"Take back: {NOTE_LABEL}", partial(changes.take_back, note=note))

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
