"""Services: one profile's store with the commands of all features, for tests."""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime
from functools import partial
from typing import Any

import apsw

from frontdesk.accounts.profile_switcher import start_profile
from frontdesk.campaigns.changes import CampaignCommands
from frontdesk.config.render_context import RenderContext
from frontdesk.config.settings import Profile, Settings
from frontdesk.inbox.commands import InboxCommands, answer_change, read_change, tags_change
from frontdesk.outbox import batches
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.commands import OutboxCommands
from frontdesk.outbox.snooze_view import snooze_change
from frontdesk.outbox.verbs import On, RecordChange, VerbContext, apply
from frontdesk.registry.changes import CHANGE_HANDLERS
from frontdesk.storage.clients import SyncRequests
from frontdesk.storage.database import ProfileStore, Store
from frontdesk.storage.records import Change, ConversationRecord, Made
from frontdesk.tasks import changes as task_changes
from frontdesk.tasks.commands import due_change, edit_texts, people_change, status_change
from frontdesk.text.snooze_until import SnoozeWish
from frontdesk.workflows import changes as workflow_changes
from frontdesk.workflows.changes import submit
from frontdesk.workflows.versions import keep_snapshot
from frontdesk_api.contract.ids import AgentId, ConversationId, StatusId, TagId, TaskId
from frontdesk_lines.glyphs import glyphs


class TaskServices:
    """The changes of tasks that tests make."""

    def __init__(self, store: ProfileStore) -> None:
        self._store, self.edit = store, partial(edit_texts, store)

    def set_status(self, task_ids: Sequence[TaskId], status: StatusId) -> "Future[ActionResult]":
        return apply(self._store, status_change(status, context_of(self._store)), {On.TASK: task_ids})

    def set_due(self, task_ids: Sequence[TaskId], due_seconds: int) -> "Future[ActionResult]":
        at = datetime.fromtimestamp(due_seconds, UTC) if due_seconds else None
        return apply(self._store, due_change(at, context_of(self._store)), {On.TASK: task_ids})

    def assign(
        self, task_ids: Sequence[TaskId], add: Sequence[AgentId], remove: Sequence[AgentId]
    ) -> "Future[ActionResult]":
        return apply(self._store, people_change(add, remove, context_of(self._store)), {On.TASK: task_ids})


class InboxServices(InboxCommands):
    """The commands on conversations, and the changes of them that tests make."""

    def give_tags(
        self, conversation_ids: Sequence[ConversationId], tag_ids: Sequence[TagId]
    ) -> "Future[ActionResult]":
        return self._apply(tags_change(tag_ids, context_of(self._store)), conversation_ids)

    def set_needs_answer(
        self, seen: Sequence[ConversationRecord], *, needs_answer: bool
    ) -> "Future[ActionResult]":
        ids = [each.conversation_id for each in seen]
        return self._apply(answer_change(seen, needs_answer=needs_answer), ids)

    def mark_unread(self, conversation_id: ConversationId) -> None:
        self._apply(read_change(self._store, [conversation_id], is_read=False), [conversation_id])

    def snooze(self, wish: SnoozeWish, targets: Sequence[str], on: On = On.CONVERSATION_ROW) -> ActionResult:
        return apply(self._store, snooze_change(wish, context_of(self._store)), {on: targets}).result()

    def _apply(self, change: RecordChange, ids: Sequence[str]) -> "Future[ActionResult]":
        return apply(self._store, change, {On.CONVERSATION: ids})


def change_tasks(db: apsw.Connection, task_ids: Sequence[TaskId], fields: Mapping[str, Any], made: Made) -> int:
    """Set fields on tasks as one action, with the given names; return how many change."""
    if count := task_changes.change_tasks(db, task_ids, fields, made):
        batches.record(db, made)
    return count


def context_of(store: ProfileStore) -> VerbContext:
    return VerbContext(RenderContext(store.catalogue, glyphs(True), store.clock(), UTC), store)


class WorkflowServices:
    """What the screens and the command line queue about workflows, for one store."""

    def __init__(self, store: ProfileStore) -> None:
        self._store = store
        self.create = partial(submit, store, workflow_changes.create)
        self.update = partial(submit, store, workflow_changes.update)
        self.reset_analytics = partial(submit, store, workflow_changes.reset)
        self.delete_webhook = partial(submit, store, workflow_changes.delete_webhook)

    def set_active(self, workflow_id: str, active: bool, base: Mapping[str, Any] | None) -> "Future[Change]":
        return submit(self._store, workflow_changes.switch, workflow_id, active=active, base=base)

    def keep_snapshot(self, workflow_id: str, document: Mapping[str, Any], cause: str) -> "Future[int]":
        now = self._store.clock()
        return self._store.write(lambda db: keep_snapshot(db, workflow_id, document, cause, now))


class Services:
    def __init__(
        self,
        store: Store,
        profile: Profile,
        settings: Settings | None = None,
        clock: Callable[[], float] = time.time,
    ):
        self._build(ProfileStore(store, profile, settings, clock))

    @classmethod
    def of(cls, store: ProfileStore) -> "Services":
        """The commands over a store that is open, as an app has it."""
        services = cls.__new__(cls)
        services._build(store)
        return services

    def _build(self, store: ProfileStore) -> None:
        self.store = store
        self.outbox = OutboxCommands(self.store, lambda: CHANGE_HANDLERS)
        self.sync = SyncRequests(self.store)
        self.inbox = InboxServices(self.store)
        self.tasks = TaskServices(self.store)
        self.campaigns = CampaignCommands(self.store)
        self.workflows = WorkflowServices(self.store)

    def start(self) -> None:
        start_profile(self.store, self.outbox)
