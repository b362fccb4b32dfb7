"""Services: one profile's store with the commands of all features, for tests."""

import time
from collections.abc import Callable

from frontdesk.app.profile_switcher import start_profile
from frontdesk.app.registries import CHANGE_HANDLERS
from frontdesk.campaigns.commands import CampaignCommands
from frontdesk.config.settings import Profile, Settings
from frontdesk.inbox.commands import InboxCommands
from frontdesk.outbox.commands import OutboxCommands
from frontdesk.storage.clients import SyncRequests
from frontdesk.storage.database import ProfileStore, Store
from frontdesk.tasks.commands import TaskCommands
from frontdesk.workflows.commands import WorkflowCommands


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
        self.tasks = TaskCommands(self.store)
        self.campaigns = CampaignCommands(self.store)
        self.workflows = WorkflowCommands(self.store)

    def start(self) -> None:
        start_profile(self.store, self.outbox)
