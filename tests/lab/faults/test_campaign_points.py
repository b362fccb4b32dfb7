"""The engine ends at a named point of a campaign's way: it is POSTed at most once, and nobody is left in the dark.

The judge is what the platform was asked and what it has; a second POST may write to thousands twice.
"""

import random
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from frontdesk.campaigns import changes as campaign_changes
from frontdesk.campaigns.changes import CAMPAIGN_HOLD_SECONDS
from frontdesk.campaigns.draft import Draft, FromFile, build_body, new_draft, rename_draft
from frontdesk.campaigns.store import drafts
from frontdesk.outbox import changes as outbox_changes
from frontdesk.outbox import queue
from frontdesk.outbox.changes import OutboxTransaction
from frontdesk.registry.changes import CHANGE_HANDLERS
from frontdesk.storage.database import Store
from frontdesk.storage.records import UNCONFIRMED, Change, ChangeState, Made
from frontdesk_api.contract.ids import FolderId, LineId, WorkflowId
from frontdesk_lists.models import ListedRecipient
from lab.faults import cuts, processes
from lab.faults.scene import SETTLE_AFTER, Scene, opened, wait
from lab.sample import SEED, cases
from sandbox.serving import Client

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("named points")]

PEOPLE = [ListedRecipient(f"97252000{each:04}", "", "", each) for each in range(200)]
LOSES_THE_ANSWER = {"path": "/campaigns$", "method": "POST", "kind": "drop", "after": True, "times": 1}
NEVER_LEFT = {"after a campaign's claim, before the first byte", "after the commit of a campaign's claim"}


@pytest.fixture(scope="module")
def scene(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with opened(tmp_path_factory.mktemp("campaigns"), seeded, how_many=1) as opened_scene:
        yield opened_scene


def put_down(folder: Path, number: int) -> Draft:
    """A campaign that a person has confirmed, and whose moment for undo has passed."""
    made_at = time.time() - CAMPAIGN_HOLD_SECONDS - 1
    draft = rename_draft(
        new_draft(datetime.fromtimestamp(made_at, UTC), random.Random(number), FromFile("x.csv")), "Sale"
    )
    draft = replace(
        draft, workflow_id=WorkflowId("w"), workflow_name="w", folder_id=FolderId("f"), line_id=LineId("L")
    )
    with Store(folder) as store:
        body = build_body(draft, PEOPLE)
        store.write(lambda db: campaign_changes.create(db, draft, body, Made("b", "", made_at))).result()
    return draft


def run_until_ended(scene: Scene, folder: Path, seconds: float = 30) -> Change:
    """Let an engine work until the newest change has ended."""
    engine = processes.start(processes.engine, folder, scene.url, SETTLE_AFTER)
    with Store(folder) as store:
        try:
            wait(
                lambda: queue.count(store.reading, UNCONFIRMED) == 0,
                seconds,
                lambda: queue.recent(store.reading),
            )
        finally:
            processes.kill(engine)
        return queue.recent(store.reading)[0]


def posts(scene: Scene) -> int:
    asked = scene.ask("GET", "/sandbox/requests")
    return sum(1 for each in asked if (each["method"], each["path"]) == ("POST", "/campaigns"))


def is_there(scene: Scene, draft: Draft) -> bool:
    with Client(scene.url) as client:
        return client.ask("GET", f"/campaigns/{draft.campaign_id}", or_none=True) is not None


@pytest.mark.parametrize("point", cases(cuts.CAMPAIGN_POINTS, 4))
def test_cut_off_at_a_point_the_campaign_is_posted_at_most_once(scene: Scene, tmp_path: Path, point: str) -> None:
    folder, before = tmp_path / "profile", posts(scene)
    draft = put_down(folder, cuts.CAMPAIGN_POINTS.index(point))
    if "doubt" in point or "read back" in point:
        scene.ask("PUT", "/sandbox/faults", [LOSES_THE_ANSWER])
    engine = processes.start(processes.engine, folder, scene.url, SETTLE_AFTER, point)
    engine.join(30)
    assert engine.exitcode == cuts.STATUS, "the point was met"
    ended = run_until_ended(scene, folder)
    if point in NEVER_LEFT:
        assert (ended.state, posts(scene) - before) == (ChangeState.CONFLICT, 0), "a person decides"
        with Store(folder) as store:
            store.write(
                lambda db: outbox_changes.retry(
                    OutboxTransaction(db, CHANGE_HANDLERS, time.time()), ended.change_id
                )
            ).result()
        ended = run_until_ended(scene, folder)
    assert (ended.state, posts(scene) - before) == (ChangeState.CONFIRMED, 1)
    stored = scene.ask("GET", f"/campaigns/{draft.campaign_id}")
    assert len(stored["customerList"]) == len(PEOPLE)
    with Store(folder) as store:
        assert queue.kept(store.reading, drafts.RECEIPT, draft.campaign_id)["count"] == len(PEOPLE)
        assert queue.kept(store.reading, "watched", draft.campaign_id) is True
        assert not drafts.has_body(store.reading, draft.campaign_id)


def test_killed_at_random_moments_it_is_never_posted_twice_by_itself(scene: Scene, tmp_path: Path) -> None:
    """The platform answers late, so that most kills meet a POST on its way."""
    chance = random.Random(SEED)
    for number in range(5):
        folder, before = tmp_path / str(number), posts(scene)
        draft = put_down(folder, 100 + number)
        scene.ask("PUT", "/sandbox/faults", [{"path": "/campaigns", "kind": "delay", "seconds": 0.1}])
        for _ in range(3):
            engine = processes.start(processes.engine, folder, scene.url, SETTLE_AFTER)
            engine.join(chance.uniform(0.05, 0.6))
            if engine.is_alive():
                processes.kill(engine)
        scene.ask("PUT", "/sandbox/faults", [])
        ended = run_until_ended(scene, folder)
        assert posts(scene) - before <= 1
        assert ended.state is (ChangeState.CONFIRMED if is_there(scene, draft) else ChangeState.CONFLICT)


@pytest.mark.parametrize(("fault", "state", "is_stored", "asked"), [
    ({"kind": "delay", "seconds": 0.2}, ChangeState.CONFIRMED, True, 1),
    ({"kind": "drop", "after": True}, ChangeState.CONFIRMED, True, 1),
    ({"kind": "drop"}, ChangeState.CONFLICT, False, 1),
    ({"kind": "garbage"}, None, None, 1),
    ({"kind": "truncate"}, None, None, 1),
    ({"kind": "status", "status": 500}, ChangeState.REFUSED, False, 1),
    ({"kind": "status", "status": 500, "after": True}, ChangeState.CONFIRMED, True, 1),
    ({"kind": "status", "status": 503}, ChangeState.CONFLICT, False, 1),
    ({"kind": "status", "status": 409}, ChangeState.REFUSED, False, 1),
    ({"kind": "status", "status": 429}, ChangeState.CONFIRMED, True, 2),
])  # fmt: skip
def test_whatever_the_answer_it_is_stored_once_and_its_end_is_told_truly(
    scene: Scene,
    tmp_path: Path,
    fault: dict[str, Any],
    state: ChangeState | None,
    is_stored: bool | None,
    asked: int,
) -> None:
    folder, before = tmp_path / "profile", posts(scene)
    draft = put_down(folder, crc32(str(fault).encode()))
    scene.ask("PUT", "/sandbox/faults", [{"path": "/campaigns$", "method": "POST", "times": 1, **fault}])
    ended = run_until_ended(scene, folder)
    found = is_there(scene, draft)
    assert posts(scene) - before == asked, "a second one only where the first was plainly not taken"
    assert ended.state is (state or (ChangeState.CONFIRMED if found else ChangeState.CONFLICT))
    assert found is is_stored or is_stored is None
