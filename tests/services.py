"""Services: one profile's store with the commands of all features, for tests."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import UTC

from frontdesk.api.contract.ids import AgentId, StatusId, TaskId
from frontdesk.app.profile_switcher import start_profile
from frontdesk.app.registries import CHANGE_HANDLERS
from frontdesk.campaigns.commands import CampaignCommands
from frontdesk.config.render_context import RenderContext
from frontdesk.config.settings import Profile, Settings
from frontdesk.inbox.commands import InboxCommands
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.commands import OutboxCommands
from frontdesk.storage.clients import SyncRequests
from frontdesk.storage.database import ProfileStore, Store
from frontdesk.tasks.commands import TaskCommands, due_change, people_change, status_change
from frontdesk.text.glyphs import glyphs
from frontdesk.workflows.commands import WorkflowCommands


class TaskServices(TaskCommands):
    """The commands on tasks, with the changes that tests make."""

    def set_status(self, task_ids: Sequence[TaskId], status: StatusId) -> "Future[ActionResult]":
        name = self._store.catalogue.status(status)
        return self.apply(task_ids, status_change(status, name, name))

    def set_due(self, task_ids: Sequence[TaskId], due_seconds: int, words: str) -> "Future[ActionResult]":
        return self.apply(task_ids, due_change(due_seconds, words))

    def assign(
        self, task_ids: Sequence[TaskId], add: Sequence[AgentId], remove: Sequence[AgentId]
    ) -> "Future[ActionResult]":
        view = RenderContext(self._store.catalogue, glyphs(True), self._store.clock(), UTC)
        return self.apply(task_ids, people_change(view, add, remove))


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
        self.inbox = InboxCommands(self.store)
        self.tasks = TaskServices(self.store)
        self.campaigns = CampaignCommands(self.store)
        self.workflows = WorkflowCommands(self.store)

    def start(self) -> None:
        start_profile(self.store, self.outbox)
