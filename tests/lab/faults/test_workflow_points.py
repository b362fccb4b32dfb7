"""The engine ends at a named point of what is sent of workflows and webhooks, or its answer is lost.

The judge is what the platform was asked and what it has: nothing is created or zeroed twice by itself, nothing
goes over what a colleague did, and nobody is left in the dark.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from frontdesk.outbox import changes as outbox_changes
from frontdesk.outbox import queue
from frontdesk.outbox.changes import OutboxTransaction
from frontdesk.registry.changes import CHANGE_HANDLERS
from frontdesk.storage.database import Store
from frontdesk.storage.records import UNCONFIRMED, Change, ChangeState, Made
from frontdesk.workflows import changes as workflow_changes
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows import versions as kept
from frontdesk.workflows.changes import HOLD_SECONDS
from frontdesk.workflows.request_body import create_body, export_document, update_body
from lab.faults import cuts, processes
from lab.faults.scene import SETTLE_AFTER, Scene, opened, wait
from lab.sample import cases
from sandbox.test_workflows import GRAPH

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("named points")]

COUNTED = "wf-after-hours", "wf-survey"
"""Workflows of the seed that have counted something, one for each reset of this module."""

REPEATED = ("update", "webhook")
"""What is sent once more by itself where it can't have arrived, or where that does no harm."""


@pytest.fixture(scope="module")
def scene(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with opened(tmp_path_factory.mktemp("workflows"), seeded, how_many=1) as opened_scene:
        yield opened_scene


class Deed:
    """One thing to send, put down by a person whose moment for undo has passed."""

    def __init__(self, scene: Scene, folder: Path, what: str, number: int):
        self.scene, self.folder, self.what = scene, folder, what
        self.target = COUNTED[number % len(COUNTED)] if what == "reset" else f"{what}-{number}-{time.time_ns()}"
        self.method, prefix = cuts.APART[what]
        self.path = f"{prefix}{self.target}" + ("/analytics/reset" if what == "reset" else "")
        if what == "update":
            self._create()
        self.others = self._webhooks()
        if what == "webhook":
            scene.ask("POST", "/sandbox/webhooks", {"webhookId": self.target})
        made_at = time.time() - HOLD_SECONDS - 1
        with Store(folder) as store:
            store.write(lambda db: self._put_down(db, made_at)).result()

    def _create(self) -> None:
        body = create_body({"name": "Before", **GRAPH})
        self.scene.ask("POST", f"/workflows/{self.target}?folderId=folder-service", body)

    def _webhooks(self) -> int:
        return int(self.scene.ask("GET", "/sandbox/health")["counts"]["webhooks"])

    def _put_down(self, db: Any, now: float) -> None:
        if self.what == "create":
            body = create_body({"name": "Mine", **GRAPH})
            workflow_changes.create(db, self.target, "folder-service", body, Made("b", "", now))
        elif self.what == "update":
            base = self.stored()
            workflow_store.put_whole(db, base, now)
            body = update_body({**export_document(base), "name": "Mine"}, base)
            workflow_changes.update(db, self.target, body, base, Made("b", "", now))
        elif self.what == "reset":
            workflow_changes.reset(db, self.target, Made("b", "", now))
        else:
            workflow_changes.delete_webhook(db, self.target, Made("b", "", now))

    def stored(self) -> Any:
        found = self.scene.ask("POST", "/workflows", {})["result"]
        return next((each for each in found if each["id"] == self.target), None)

    def asked(self) -> int:
        """How often the platform was asked for it."""
        asked = self.scene.ask("GET", "/sandbox/requests")
        return sum(1 for each in asked if (each["method"], each["path"]) == (self.method, self.path))

    def is_done(self) -> bool:
        """Whether the platform has it."""
        if self.what == "webhook":
            return self._webhooks() == self.others
        stored = self.stored()
        if self.what == "reset":
            return bool(stored["analytics"]["totalStarted"] == 0)
        return stored is not None and stored["name"] == "Mine"

    def run(self, cut_at: str = "") -> Change:
        """Let an engine work, cut off at a point and started again, until the newest change has ended."""
        if cut_at:
            engine = processes.start(processes.engine, self.folder, self.scene.url, SETTLE_AFTER, cut_at)
            engine.join(30)
            assert engine.exitcode == cuts.STATUS, "the point was met"
        engine = processes.start(processes.engine, self.folder, self.scene.url, SETTLE_AFTER)
        with Store(self.folder) as store:
            reading = store.reading
            try:
                wait(lambda: queue.count(reading, UNCONFIRMED) == 0, 30, lambda: queue.recent(reading))
            finally:
                processes.kill(engine)
            return queue.recent(reading)[0]

    def retry(self, change: Change) -> None:
        with Store(self.folder) as store:
            store.write(
                lambda db: outbox_changes.retry(
                    OutboxTransaction(db, CHANGE_HANDLERS, time.time()), change.change_id
                )
            ).result()

    def snapshots(self) -> int:
        with Store(self.folder) as store:
            return len(kept.list_versions(store.reading, self.target, kept.SNAPSHOT))


@pytest.mark.parametrize("point", cases(cuts.APART_POINTS, 4))
def test_cut_off_at_a_point_it_is_done_once_or_a_person_decides(scene: Scene, tmp_path: Path, point: str) -> None:
    what = point.partition(":")[0]
    of_its_kind = [each for each in cuts.APART_POINTS if each.startswith(what)]
    deed = Deed(scene, tmp_path / "profile", what, of_its_kind.index(point))
    ended = deed.run(point)
    if what not in REPEATED:
        never_left = "before the first byte" in point
        assert ended.state is (ChangeState.CONFLICT if never_left else ChangeState.CONFIRMED), ended
        assert deed.asked() == (0 if never_left else 1)
        if never_left:
            deed.retry(ended)
            ended = deed.run()
            assert deed.asked() == 1
    assert ended.state is ChangeState.CONFIRMED, ended
    assert deed.asked() <= 2
    assert deed.is_done()
    kept_at_each_try = 2 if "before the first byte" in point else 1
    assert deed.snapshots() == (kept_at_each_try if what == "reset" else 0)


FAULTS: list[tuple[dict[str, Any], int]] = [
    ({"kind": "drop", "after": True}, 1),
    ({"kind": "status", "status": 503}, 2),
    ({"kind": "garbage"}, 2),
]


@pytest.mark.parametrize("number", range(len(FAULTS)))
def test_whatever_the_answer_to_an_update_it_is_put_at_most_twice_and_stored_as_it_was_sent(
    scene: Scene, tmp_path: Path, number: int
) -> None:
    fault, most = FAULTS[number]
    deed = Deed(scene, tmp_path / "profile", "update", 100 + number)
    scene.ask("PUT", "/sandbox/faults", [{"path": "/workflows/", "method": "PUT", "times": 1, **fault}])
    ended = deed.run()
    assert ended.state is ChangeState.CONFIRMED
    assert deed.is_done()
    assert deed.asked() <= most


@pytest.mark.parametrize(("what", "fault", "state"), [
    ("create", {"kind": "status", "status": 500}, ChangeState.CONFLICT),
    ("create", {"kind": "truncate"}, None),
    ("webhook", {"kind": "drop"}, ChangeState.CONFIRMED),
    ("webhook", {"kind": "status", "status": 400}, ChangeState.REFUSED),
])  # fmt: skip
def test_whatever_the_answer_its_end_is_told_truly(
    scene: Scene, tmp_path: Path, what: str, fault: dict[str, Any], state: ChangeState | None
) -> None:
    deed = Deed(scene, tmp_path / "profile", what, 200)
    method, path = cuts.APART[what]
    scene.ask("PUT", "/sandbox/faults", [{"path": path, "method": method, "times": 1, **fault}])
    ended = deed.run()
    if what == "create":
        assert deed.asked() == 1
        is_there = deed.stored() is not None
        assert ended.state is (state or (ChangeState.CONFIRMED if is_there else ChangeState.CONFLICT))
        assert is_there is (ended.state is ChangeState.CONFIRMED)
    else:
        assert ended.state is state
        assert deed.asked() == (1 if state is ChangeState.REFUSED else 2)


def test_a_colleague_between_the_kill_and_the_next_start_is_not_overwritten(scene: Scene, tmp_path: Path) -> None:
    deed = Deed(scene, tmp_path / "profile", "update", 300)
    point = "update: after the claim, before the first byte"
    engine = processes.start(processes.engine, deed.folder, scene.url, SETTLE_AFTER, point)
    engine.join(30)
    assert engine.exitcode == cuts.STATUS
    stored = deed.stored()
    body = {"name": "A colleague's", "lastModified": stored["lastModified"]}
    scene.ask("PUT", deed.path, body)
    before = deed.asked()
    ended = deed.run()
    assert (ended.state, deed.asked() - before) == (ChangeState.CONFLICT, 0)
    assert deed.stored()["name"] == "A colleague's"
