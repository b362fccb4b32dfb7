"""Any order of edits, colleagues, broken connections, refusals, ends and restarts.

Drives the real sender, store and services against the sandbox in this process. Whatever happened, at the
end every change has ended, none was carried out twice, none ran over a colleague, and the store shows
what the platform has.
"""

import asyncio
import itertools
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import httpx
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from frontdesk.demo.sandbox_process import demo_profile
from frontdesk.engine.features import make_sender
from frontdesk.outbox import bulk as outbox_bulk
from frontdesk.outbox import changes as outbox_changes
from frontdesk.outbox import queue
from frontdesk.outbox.sender import SETTLE_AFTER
from frontdesk.outbox.task_fields import ASSIGNED, same_value
from frontdesk.storage import record_lookup
from frontdesk.storage.records import UNCONFIRMED, Change, ChangeState, Made
from frontdesk.sync.backoff import Backoff
from frontdesk.tasks import store as task_store
from frontdesk.tasks.sync import TaskPuller
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.transport import ONCE
from frontdesk_api.contract.ids import AgentId, TaskId
from frontdesk_api.credentials import CredentialSet, Secret
from frontdesk_sandbox import fixtures
from frontdesk_sandbox.application import Application
from frontdesk_sandbox.storage import read_task
from lab.sample import IS_ALL, count
from new_store import open_store
from sandbox.asking import Sandbox
from services import Services, change_tasks
from sync.running_engine import HOSTS, URL

EXAMPLES = count(40, 400)
COLLEAGUES_STATUS = fixtures.CUSTOM_STATUSES[0].id
PEOPLE = [AgentId(each.id) for each in fixtures.AGENTS[:3]]
COLLEAGUES = [each.id for each in fixtures.AGENTS[3:6]]
EDITS = ("due", "title", "texts", "refused", "person", "open", "standby", "completed")
LONGEST_WAY = SETTLE_AFTER - 5
"""Seconds after which a request that got no answer has arrived or never will."""

HAPPENINGS = (
    "unreachable",
    "lost",
    "carried out, unanswered",
    "late",
    "failed",
    "done, but failed",
    "ended",
    "ended after",
    "ended, and late",
)


class Ended(BaseException):
    """The engine's process is gone."""


class Way(httpx.AsyncBaseTransport):
    """The way to the sandbox, on which a PATCH meets what a test has prepared for it."""

    def __init__(self, sandbox: Sandbox, meets: "OutboxMachine"):
        self._through = httpx.ASGITransport(app=Application(sandbox.world))
        self._machine = meets

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        happening = self._machine.happening
        if request.method != "PATCH":
            return await self._through.handle_async_request(request)
        self._machine.happening = ""
        patch = self._machine.about_to(request)
        if happening == "unreachable":
            raise httpx.ConnectError("refused", request=request)
        if happening == "lost":
            raise httpx.ReadError("", request=request)
        if happening == "failed":
            return httpx.Response(503, json={"error": "fault", "message": "down"}, request=request)
        if happening == "ended":
            raise Ended
        if happening in ("late", "ended, and late"):
            self._machine.late = patch
            raise httpx.ReadError("", request=request) if happening == "late" else Ended
        answer = await self._through.handle_async_request(request)
        if answer.is_success:
            self._machine.carried_out.append(patch)
        if happening == "carried out, unanswered":
            raise httpx.ReadError("", request=request)
        if happening == "done, but failed":
            return httpx.Response(503, json={"error": "fault", "message": "down"}, request=request)
        if happening == "ended after":
            raise Ended
        return answer


class Patch:
    """A PATCH with the changes that were claimed for it."""

    def __init__(self, task_id: str, body: dict[str, Any], claimed: list[Change], sent_at: float):
        self.task_id, self.body, self.claimed, self.sent_at = task_id, body, claimed, sent_at


class CurrentClient:
    """The client of the moment: each lives as long as one event loop, the sender for longer."""

    current: PlatformClient | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.current, name)


class OutboxMachine(RuleBasedStateMachine):
    """A person, a colleague, a platform and an engine."""

    def __init__(self, sandbox: Sandbox, folder: Path):
        super().__init__()
        self.sandbox, self.folder = sandbox, folder
        self.now = time.time()
        self.numbers = itertools.count(1)
        self.happening = ""
        self.late: Patch | None = None
        self.carried_out: list[Patch] = []
        self.shown: dict[int, Mapping[str, Any]] = {}
        self.colleagues: Counter[str] = Counter()
        self.task_ids = [TaskId(sandbox.task(title="A task")["taskId"]) for _ in range(2)]
        self.open()
        self.poll()

    def open(self) -> None:
        self.store = open_store(self.folder)
        self.services = Services(
            self.store, replace(demo_profile(URL), watched_campaigns=()), clock=lambda: self.now
        )
        self.engine_begins()

    def engine_begins(self) -> None:
        self.backoff = Backoff(lambda: self.now, random.Random(1))
        self.client = CurrentClient()
        self.sender = make_sender(
            self.client, self.store, self.backoff, lambda: self.now, "me", steady=lambda: self.now
        )  # type: ignore[arg-type]
        asyncio.run(self.sender.confirmation.adopt_orphans())

    def teardown(self) -> None:
        try:
            self.come_to_an_end()
        finally:
            self.store.close()

    # What a person does

    @rule(
        task=st.integers(0, 1),
        whats=st.lists(st.sampled_from(EDITS), min_size=1, max_size=3),
        happening=st.sampled_from(("", *HAPPENINGS)),
    )
    def edit_and_send(self, task: int, whats: list[str], happening: str) -> None:
        """Quick edits, whose one PATCH meets something on its way; then the engine looks once more."""
        for what in whats:
            self.edit(task, what)
        self.happening = happening
        self.send(5)
        self.send(5)

    @rule(task=st.integers(0, 1), what=st.sampled_from(EDITS))
    def edit(self, task: int, what: str) -> None:
        number = next(self.numbers)
        fields: dict[str, Any] = {"statusCase": what}
        if what == "due":
            fields = {"dueDate": 2_000_000_000 + number}
        elif what in ("title", "texts"):
            fields = {"title": f"ours {number}"} | ({"body": f"ours {number}"} if what == "texts" else {})
        elif what == "refused":
            fields = {"statusCase": "no-such-status"}
        elif what == "person":
            fields = {ASSIGNED: {"add": [PEOPLE[number % 3]], "remove": [PEOPLE[(number + 1) % 3]]}}
        self.change(task, fields)

    @rule()
    def undo(self) -> None:
        undoing = self.services.outbox.undo()
        if undoing is not None:
            undoing.result()
            self.remember_what_was_shown()

    @rule(which=st.integers(0, 5), deed=st.sampled_from(("drop", "retry")))
    def decide(self, which: int, deed: str) -> None:
        found = queue.recent(self.services.store.reading, 6)
        if which < len(found):
            doing = getattr(self.services.outbox, deed)(found[which].change_id)
            assert isinstance(doing.exception(), outbox_changes.NotPossible | None)
            self.remember_what_was_shown()

    # What others do

    @rule(task=st.integers(0, 1), what=st.sampled_from(("dueDate", "title", "body", "statusCase", ASSIGNED)))
    def a_colleague_changes(self, task: int, what: str) -> None:
        number = next(self.numbers)
        value: Any = {"dueDate": 1_900_000_000 + number, "statusCase": COLLEAGUES_STATUS}.get(
            what, f"theirs {number}"
        )
        if what == ASSIGNED:
            there = self.on_platform(self.task_ids[task])[ASSIGNED]
            value = [*there, COLLEAGUES[number % len(COLLEAGUES)]] if number % 2 else there[1:]
        reply = self.sandbox.patch(f"/tasks/{self.task_ids[task]}", {what: value})
        assert reply.status_code == 200
        self.colleagues[self.task_ids[task]] += 1

    @rule()
    def what_is_late_arrives(self) -> None:
        patch, self.late = self.late, None
        if patch is not None:
            reply = self.sandbox.patch(f"/tasks/{patch.task_id}", patch.body)
            if reply.is_success:
                self.carried_out.append(patch)

    # What the engine does

    @rule(seconds=st.sampled_from((0, 1, 2, 4, 9, 40)))
    def time_passes(self, seconds: float) -> None:
        if self.late is not None and self.now + seconds > self.late.sent_at + LONGEST_WAY:
            self.what_is_late_arrives()
        self.now += seconds

    @rule(seconds=st.sampled_from((0, 2, 5)))
    def send(self, seconds: float) -> None:
        self.time_passes(seconds)
        try:
            self.with_client(lambda _: self.sender.send_due())
        except Ended:
            self.engine_begins()

    @rule()
    def poll(self) -> None:
        self.with_client(lambda client: TaskPuller(client, self.store, lambda: self.now).tasks_head())

    @rule()
    def restart(self) -> None:
        self.store.close()
        self.open()

    # What has to hold

    def about_to(self, request: httpx.Request) -> Patch:
        """A PATCH is on its way: what was claimed for it, and that it runs over nobody."""
        task_id, body = request.url.path.removeprefix("/tasks/"), json.loads(request.content)
        assert self.late is None or self.late.task_id != task_id, "sent while another may still arrive"
        live = queue.live_for(self.store.reading, task_id)
        claimed = [change for change in live if change.state is ChangeState.SENDING]
        now = self.on_platform(task_id)
        for name, value in body.items():
            ours = [change for change in claimed if name in change.fields]
            assert ours
            if name == ASSIGNED:
                removed = {person for change in ours for person in change.fields[name].get("remove", ())}
                assert set(now[name]) - removed <= set(value), "a colleague was taken off"
            else:
                shown = [self.shown[change.change_id].get(name) for change in ours]
                told = [
                    (change.theirs or {}).get(name) for change in queue.recent(self.services.store.reading, 10_000)
                ]
                is_known = any(same_value(name, now.get(name), each) for each in (*shown, *told))
                assert is_known or not self.is_a_colleagues(now.get(name)), "ran over a colleague"
        return Patch(task_id, body, claimed, self.now)

    def is_a_colleagues(self, value: Any) -> bool:
        is_due = isinstance(value, int) and 1_900_000_000 <= value < 2_000_000_000
        return is_due or value == COLLEAGUES_STATUS or str(value).startswith("theirs")

    def remember_what_was_shown(self) -> None:
        """What the platform had, as far as the person could see, when a change was made."""
        for change in queue.recent(self.services.store.reading, 10):
            raw = task_store.raw_task(self.services.store.reading, TaskId(change.target))
            self.shown.setdefault(change.change_id, raw or {})

    def come_to_an_end(self) -> None:
        self.happening = ""
        for _ in range(60):
            self.time_passes(40)
            self.what_is_late_arrives()
            self.send(0)
            if not outbox_bulk.unconfirmed_count(self.services.store.reading):
                break
        self.now += 40
        self.poll()
        done = queue.recent(self.services.store.reading, 10_000)
        assert not [change for change in done if change.state in UNCONFIRMED], done
        times = Counter(change.change_id for patch in self.carried_out for change in patch.claimed)
        assert not [each for each, count in times.items() if count > 1], "carried out twice"
        for change in done:
            if change.state is ChangeState.CONFIRMED:
                assert times[change.change_id] == 1 or change.reason == "the platform already had this", change
            elif change.state in (ChangeState.REFUSED, ChangeState.UNDONE):
                assert times[change.change_id] == 0, change
        for task_id in self.task_ids:
            self.check_task(task_id, done)

    def check_task(self, task_id: TaskId, done: list[Change]) -> None:
        theirs, ours = self.on_platform(task_id), record_lookup.task(self.services.store.reading, task_id)
        assert ours is not None
        assert tuple(ours.pending) == ()
        shown = {"title": ours.title, "body": ours.body, "statusCase": ours.status, "dueDate": ours.due_at}
        for name, value in {**shown, ASSIGNED: list(ours.assigned)}.items():
            assert same_value(name, value, theirs.get(name)), (name, value, theirs)
        carried_out = sum(1 for patch in self.carried_out if patch.task_id == task_id)
        assert theirs["unreadCount"] == carried_out + self.colleagues[task_id]
        assert carried_out <= sum(change.sends for change in done if change.target == task_id)

    def on_platform(self, task_id: str) -> dict[str, Any]:
        return dict(json.loads(read_task(self.sandbox.world.storage, fixtures.ACCOUNT, task_id) or "{}"))

    def change(self, task: int, fields: dict[str, Any]) -> None:
        def change(db: apsw.Connection) -> None:
            batch = f"b{next(self.numbers)}"
            change_tasks(db, [self.task_ids[task]], fields, Made(batch, "edit", self.now))

        self.store.write(change).result()
        self.remember_what_was_shown()

    def with_client(self, work: Callable[[PlatformClient], Coroutine[Any, Any, object]]) -> None:
        async def go() -> None:
            credentials = CredentialSet(Secret(fixtures.COOKIE), Secret(fixtures.API_KEY), None)
            way = Way(self.sandbox, self)
            async with PlatformClient(
                HOSTS, credentials, transport=way, retry=ONCE, close_grace_seconds=0
            ) as client:
                self.client.current = client
                await work(client)

        asyncio.run(go())


@pytest.mark.lab
@pytest.mark.timeout(1200 + EXAMPLES)
def test_every_change_ends_once_whatever_happens(
    sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory
) -> None:
    run_state_machine_as_test(
        lambda: OutboxMachine(sandbox, tmp_path_factory.mktemp("outbox") / "profile"),
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=25,
            deadline=None,
            derandomize=not IS_ALL,  # a sample is the same each time; all of it looks for new ones
            # Making a failure smaller takes longer than a test may; the longer script tells enough.
            phases=(Phase.generate,),
            suppress_health_check=list(HealthCheck),
        ),
    )
