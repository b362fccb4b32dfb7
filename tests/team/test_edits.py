"""One task, edited by two people at two desks at the same moment, again and again.

Between the read of a task and its PATCH another desk can change it, and the platform doesn't notice. With claims
nobody's change is overwritten unseen. `TEAM_EDITS=1000 .venv/bin/pytest -s -m proof tests/team/test_edits.py` goes
on for longer; with TEAM_CLAIMS=0 it counts what happens without claims.
"""

import os
import random
from pathlib import Path

import pytest

from frontdesk.app.team_claims import TeamClaims
from frontdesk.outbox.claims import NoTeam
from frontdesk.storage.records import ChangeState
from frontdesk.tasks import changes
from postgres_server import Team
from sandbox.asking import Sandbox
from sync.running_engine import run
from team.desks import Desks, edit, follows, is_settled, leads, look_at, newest_change, tasks_of

pytestmark = pytest.mark.proof

EDITS = int(os.environ.get("TEAM_EDITS", "20"))
HAS_CLAIMS = os.environ.get("TEAM_CLAIMS", "1") == "1"
SECONDS = 60 + EDITS * (2.0 if HAS_CLAIMS else 20.0)


@pytest.mark.timeout(SECONDS + 60)
def test_no_edit_is_overwritten_unseen(
    sandbox: Sandbox, team: Team, tmp_path: Path, filled_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nobody takes anything back here; and what is slow on the way makes the two meet.
    monkeypatch.setattr(changes, "TASK_HOLD_SECONDS", 0.0)
    if not HAS_CLAIMS:
        monkeypatch.setattr(TeamClaims, "claimed", lambda _, target: NoTeam().claimed(target))
    chance, desks, overwritten = random.Random(3), Desks(sandbox, team, tmp_path, filled_store), list[int]()

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
                assert ChangeState.CONFIRMED in states or not HAS_CLAIMS, ends
                if states == [ChangeState.CONFIRMED] * 2:
                    overwritten.append(number)
                for desk, change in zip((noa, dan), ends, strict=True):
                    if change.state is ChangeState.CONFLICT:
                        desk.services.outbox.drop(change.change_id).result()
                await noa.until(lambda: tasks_of(dan.store)[task_id] == tasks_of(noa.store)[task_id])

    run(test, seconds=SECONDS)
    print(f"{EDITS} edits by two at once, claims: {HAS_CLAIMS}: {len(overwritten)} overwritten unseen")  # noqa: T201
    if HAS_CLAIMS:
        assert overwritten == []
