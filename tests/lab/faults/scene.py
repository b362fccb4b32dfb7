"""A profile whose processes can be killed, and what has to be true of it at the end.

Used by the tests of this folder.
"""

import contextlib
import json
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from frontdesk.outbox import queue
from frontdesk.outbox.task_fields import same_value
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import UNCONFIRMED, Change, ChangeState
from frontdesk.tasks import store as task_store
from frontdesk.tasks.delivery import REPLACED
from frontdesk_api.contract.ids import TaskId
from lab.faults import processes
from sandbox.serving import Client

SETTLE_AFTER = 1.0
"""A hundred times longer than the sandbox works on a request."""

COLLEAGUES_DUE = 1_900_000_000
FIELDS = ("statusCase", "dueDate", "assignedAgentIds")
ENDED = {ChangeState.CONFIRMED, ChangeState.REFUSED, ChangeState.CONFLICT, ChangeState.DROPPED}


class Scene:
    """A platform with some tasks, a store that knows them, and whoever works on it."""

    def __init__(self, folder: Path, url: str, platform: BaseProcess, how_many: int):
        self.url, self.store_folder = url, folder / "profile"
        self.told, self.log = folder / "told", folder / "patches"
        self.told.touch()
        self._platform = platform
        with Client(url) as client:
            made = client.ask("POST", "/sandbox/tasks", [{"title": f"Task {n}"} for n in range(how_many)])
        self.task_ids = [TaskId(each["taskId"]) for each in made]
        with Store(self.store_folder) as store:
            store.write(lambda db: task_store.put(db, made)).result()

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """One request of somebody else's."""
        with Client(self.url) as client:
            return client.ask(method, path, body)

    def engine(self, cut_at: str = "") -> BaseProcess:
        """An engine, in a process of its own."""
        return processes.start(processes.engine, self.store_folder, self.url, SETTLE_AFTER, cut_at)

    def person(self, until: int, seed: int, seconds: float) -> BaseProcess:
        """Somebody at work, in a process of their own."""
        told = (self.told,)
        return processes.start(
            processes.person, self.store_folder, self.url, self.task_ids, until, seed, seconds, *told
        )

    def changes(self) -> list[Change]:
        """All that was done, oldest first."""
        with Store(self.store_folder) as store:
            return queue.recent(store.reading, 1_000_000)[::-1]

    def states(self) -> set[ChangeState]:
        """The states that any change is in now."""
        with Store(self.store_folder) as store:
            return {state for state in ChangeState if queue.count(store.reading, (state,))}

    def patches(self) -> list[dict[str, Any]]:
        """Every PATCH that the platform has carried out."""
        return [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []

    def wait_until_settled(self, seconds: float) -> None:
        """Let an engine work until every change has ended and the store has what the platform has."""
        engine = self.engine()
        with Store(self.store_folder) as store:
            try:
                wait(lambda: queue.count(store.reading, UNCONFIRMED) == 0, seconds, lambda: _open_ones(store))
                wait(lambda: not self._untrue(store), seconds, lambda: self._untrue(store))
            finally:
                processes.kill(engine)

    def _untrue(self, store: Store) -> list[Any]:
        """Tasks that the store shows otherwise than the platform has them."""
        db = store.reading
        wrong: list[Any] = []
        with Client(self.url) as client:
            for task_id in self.task_ids:
                theirs = client.ask("GET", f"/tasks/{task_id}")["task"]
                ours = record_lookup.task(db, task_id)
                assert ours is not None
                shown = {"statusCase": ours.status, "dueDate": ours.due_at, "assignedAgentIds": [*ours.assigned]}
                if ours.pending or not all(same_value(name, shown[name], theirs[name]) for name in FIELDS):
                    wrong.append((shown, ours.pending, theirs))
        return wrong

    def check(self) -> "Counter[ChangeState]":
        """Every change ended, none was lost, none was doubled; answers how many ended how."""
        changes, patches = self.changes(), self.patches()
        self._nothing_is_lost(changes)
        self._nothing_is_doubled(changes, patches)
        self._what_is_confirmed_has_arrived(changes, patches)
        return Counter(change.state for change in changes)

    def _nothing_is_lost(self, changes: list[Change]) -> None:
        taken = {int(line) for line in self.told.read_text().split()}
        kept = {change.fields.get("dueDate") for change in changes}
        assert taken <= kept, f"lost: {taken - kept}"
        assert {change.state for change in changes} <= ENDED
        for change in changes:
            if change.state is ChangeState.DROPPED:
                assert change.reason == REPLACED
                assert _is_replaced(change, changes), change

    def _nothing_is_doubled(self, changes: list[Change], patches: list[dict[str, Any]]) -> None:
        """By value, by effect, and by the platform's own count of what it carried out."""
        own = [patch for patch in patches if not _is_colleagues(patch)]
        dues = Counter(patch["fields"].get("dueDate") for patch in own)
        doubled = [due for due, times in dues.items() if due and times > 1]
        assert not doubled, f"sent twice: {doubled}"
        for patch in own:
            idle = all(same_value(name, patch["before"].get(name), now) for name, now in patch["fields"].items())
            assert not idle, f"sent again though it had arrived: {patch}"
        carried_out = Counter(patch["task"] for patch in patches)
        asked = Counter(
            request["path"].removeprefix("/tasks/")
            for request in self.ask("GET", "/sandbox/requests")
            if request["method"] == "PATCH"
        )
        for task_id in self.task_ids:
            unread = self.ask("GET", f"/tasks/{task_id}")["task"]["unreadCount"]
            assert unread == carried_out[task_id] <= asked[task_id]
            sends = sum(change.sends for change in changes if change.target == task_id)
            assert sum(1 for patch in own if patch["task"] == task_id) <= sends

    def _what_is_confirmed_has_arrived(self, changes: list[Change], patches: list[dict[str, Any]]) -> None:
        """Each confirmed due date was set exactly once, or a later change went in the same PATCH."""
        arrived = {patch["fields"].get("dueDate") for patch in patches}
        for change in changes:
            due = change.fields.get("dueDate")
            if change.state is not ChangeState.CONFIRMED or due is None or due in arrived:
                continue
            merged = [
                later
                for later in changes
                if later.target == change.target and later.change_id > change.change_id
                if later.sent_at == change.sent_at and "dueDate" in later.fields
            ]
            assert merged, f"confirmed, but it never arrived: {change}"


def wait(is_true: Callable[[], object], seconds: float, tell: Callable[[], object]) -> None:
    """Wait for a condition; one that never holds tells how things stand."""
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end, f"not within {seconds} s: {str(tell())[:2000]}"
        time.sleep(0.02)


@contextlib.contextmanager
def opened(folder: Path, seeded: Path, how_many: int) -> Iterator[Scene]:
    """A scene with so many tasks, until the end of the block."""
    shutil.copytree(seeded, folder / "data")
    platform, url = processes.start_platform(folder / "data", folder / "patches")
    try:
        yield Scene(folder, url, platform, how_many)
    finally:
        processes.kill(platform)


def _open_ones(store: Store) -> list[Change]:
    return queue.unsent(store.reading)[:5]


def _is_colleagues(patch: dict[str, Any]) -> bool:
    return COLLEAGUES_DUE <= (patch["fields"].get("dueDate") or 0) < processes.FIRST_DUE


def _is_replaced(change: Change, changes: list[Change]) -> bool:
    """Whether a later change sets the same, and has ended in a way that the person is shown."""
    later = [each for each in changes if each.target == change.target and each.change_id > change.change_id]
    ended = [each for each in later if each.state in ENDED - {ChangeState.DROPPED}]
    return any(change.fields.keys() & each.fields.keys() for each in ended)
