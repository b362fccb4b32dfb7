"""Services, a sender and a platform whose every request a test can step into, on a clock that it moves.

Imported by the tests of this folder.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from frontdesk.demo.sandbox_process import demo_profile
from frontdesk.engine.features import make_sender
from frontdesk.outbox import queue as outbox_queue
from frontdesk.outbox.sender import Sender
from frontdesk.storage.database import Store
from frontdesk.storage.records import Change, ChangeState, Made
from frontdesk.sync.backoff import Backoff
from frontdesk.tasks import changes as task_changes
from frontdesk.tasks import store as task_store
from frontdesk_api.client.errors import NotFound, ServerError
from frontdesk_api.contract.campaigns import Campaign, CampaignCreated
from frontdesk_api.contract.decode import Item
from frontdesk_api.contract.ids import CampaignId, ConversationId, StatusId, TagId, TaskId
from frontdesk_api.contract.tasks import Task, TaskUpdate
from sample_json import raw_task
from services import Services

ONE, TWO = TaskId("t1"), TaskId("t2")
HERE = ConversationId("L1#C1")
DONE, STANDBY = StatusId("completed"), StatusId("standby")

Step = Callable[[str, str], Awaitable[None]]


class Platform:
    """Tasks, tags and campaigns, and a place for a test to step in before and after each request."""

    def __init__(self) -> None:
        self.tasks = {f"t{number}": raw_task(number) for number in (1, 2)}
        self.campaigns: dict[str, dict[str, Any]] = {}
        self.asked: list[tuple[str, str]] = []
        self.step: Step | None = None
        self.update: dict[str, Any] = {}

    async def get_task(self, task_id: TaskId) -> Item[Task]:
        await self._at("get", task_id)
        if task_id not in self.tasks:
            raise NotFound("no such task", status=404)
        return self._item(task_id)

    async def update_task(self, task_id: TaskId, update: TaskUpdate) -> Item[Task]:
        self.update = update.model_dump(exclude_unset=True)
        await self._at("patch", task_id)
        self.tasks[task_id] |= self.update
        await self._at("patched", task_id)
        return self._item(task_id)

    async def assign_tags(self, conversation_id: ConversationId, tag_ids: list[TagId]) -> None:
        await self._at("tags", conversation_id)

    async def create_campaign(self, body: dict[str, Any]) -> Item[CampaignCreated]:
        await self._at("post", body["id"])
        if body["id"] in self.campaigns:
            raise ServerError("refused", status=500, error="cannot_be_saved", message="There already is one.")
        self.campaigns[body["id"]] = {**body, "status": "pending"}
        await self._at("posted", body["id"])
        raw = {"message": f"Campaign {body['id']} was created."}
        return Item(CampaignCreated.model_validate(raw), raw)

    async def get_campaign(self, campaign_id: CampaignId) -> Item[Campaign]:
        await self._at("look", campaign_id)
        if campaign_id not in self.campaigns:
            raise NotFound("no such campaign", status=404)
        raw = dict(self.campaigns[campaign_id])
        return Item(Campaign.model_validate(raw), raw)

    def count(self, what: str) -> int:
        return sum(1 for asked, _ in self.asked if asked == what)

    async def _at(self, what: str, target: str) -> None:
        self.asked.append((what, target))
        if self.step is not None:
            await self.step(what, target)

    def _item(self, task_id: str) -> Item[Task]:
        raw = dict(self.tasks[task_id])
        return Item(Task.model_validate(raw), raw)


class Scene:
    """Services, a sender and a platform, on a clock that a test moves."""

    def __init__(self, store: Store):
        self.now, self.set_by = time.time(), 0.0
        self.platform = Platform()
        self.store = store
        self.services = Services(store, demo_profile("http://127.0.0.1:1"), clock=lambda: self.now)
        self.backoff = Backoff(lambda: self.now)
        self.sender = self.new_sender()
        store.write(lambda db: task_store.put(db, list(self.platform.tasks.values()))).result()

    def new_sender(self) -> Sender:
        """Make a sender like that of the next process; its steady clock isn't set with the other."""
        return make_sender(
            self.platform,  # type: ignore[arg-type]
            self.store,
            self.backoff,
            lambda: self.now,
            "me",
            steady=lambda: self.now - self.set_by,
        )

    def set_clock(self, seconds: float) -> None:
        self.now, self.set_by = self.now + seconds, self.set_by + seconds

    def send(self, later: float = 2.0) -> None:
        self.now += later
        asyncio.run(self.sender.send_due())

    def change(self, **fields: Any) -> None:
        """Set fields of the first task in one go."""
        now = self.now

        def change(db: Any) -> None:
            task_changes.change_tasks(db, [ONE], fields, Made(f"b{now}", "change", now))

        self.store.write(change).result()

    def all(self) -> list[Change]:
        return outbox_queue.recent(self.services.store.reading)[::-1]

    def states(self) -> list[ChangeState]:
        return [change.state for change in reversed(outbox_queue.recent(self.services.store.reading))]

    def once(self, where: str, do: Callable[[], object]) -> None:
        """Do this at the next such request, and nothing at later ones."""

        async def step(what: str, target: str) -> None:
            if what == where:
                self.platform.step = None
                do()

        self.platform.step = step

    def fail(self, where: str, *errors: Exception, target: str = "") -> None:
        """Raise these at such requests, one each; the last one for ever."""
        left = list(errors)

        async def step(what: str, at: str) -> None:
            if what == where and target in ("", at):
                raise left.pop(0) if len(left) > 1 else left[0]

        self.platform.step = step
