"""One task, edited by two people at two desks at the same moment, again and again.

Between the read of a task and its PATCH another desk can change it, and the platform doesn't notice. With claims
nobody's change is overwritten unseen.
"""

import random
from pathlib import Path

import pytest

from frontdesk.storage.records import ChangeState
from frontdesk.tasks import changes
from lab.sample import SEED, count
from postgres_server import Team
from sandbox.asking import Sandbox
from sync.running_engine import run
from team.desks import Desks, edit, follows, is_settled, leads, look_at, newest_change, tasks_of

pytestmark = pytest.mark.lab

EDITS = count(10, 200)
SECONDS = 60 + EDITS * 4.0


@pytest.mark.timeout(SECONDS + 60)
def test_no_edit_is_overwritten_unseen(
    sandbox: Sandbox, team: Team, tmp_path: Path, filled_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nobody takes anything back here; and what is slow on the way makes the two meet.
    monkeypatch.setattr(changes, "TASK_HOLD_SECONDS", 0.0)
    chance, desks, overwritten = random.Random(SEED), Desks(sandbox, team, tmp_path, filled_store), list[int]()

    async def test() -> None:
        async with desks.desk("noa") as noa, desks.desk("dan", may_poll=False) as dan:
            await noa.until(lambda: leads(noa) and noa.engine.has_read_all)
            await dan.until(lambda: follows(dan) and tasks_of(dan.store) == tasks_of(noa.store))
            task_id = sorted(tasks_of(noa.store))[0]
            for desk in (noa, dan):
                desk.line.delay = lambda: chance.uniform(0.0, 0.02)
            for number in range(EDITS):
                look_at(noa, "")  # so that the leader reads the list every few seconds
                edit(noa, task_id, f"Noa {number}")
                edit(dan, task_id, f"Dan {number}")
                await noa.until(lambda: is_settled(noa) and is_settled(dan))
                ends = [newest_change(desk, task_id) for desk in (noa, dan)]
                states = [each.state for each in ends]
                assert ChangeState.CONFIRMED in states, ends
                if states == [ChangeState.CONFIRMED] * 2:
                    overwritten.append(number)
                for desk, change in zip((noa, dan), ends, strict=True):
                    if change.state is ChangeState.CONFLICT:
                        desk.services.outbox.drop(change.change_id).result()
                await noa.until(lambda: tasks_of(dan.store)[task_id] == tasks_of(noa.store)[task_id])

    run(test, seconds=SECONDS)
    assert overwritten == []
