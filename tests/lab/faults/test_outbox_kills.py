"""Killed at random points, with connections that break: every change ends once.

An engine and a person at work are killed -9 again and again, while the platform drops connections
before and after it has carried a PATCH out, fails, and lets a colleague in.
"""

import contextlib
import random
import time
from collections import Counter
from pathlib import Path

import pytest

from frontdesk.storage.records import UNCONFIRMED, ChangeState
from lab.faults import processes
from lab.faults.scene import COLLEAGUES_DUE, Scene, opened
from lab.sample import SEED, count

KILLS = count(12, 200)
CHANGES = 10 * KILLS
ENGINES_SHARE = 0.8
FAULTS = [
    {"path": "^/tasks/", "method": "PATCH", "kind": "drop", "after": True, "share": 0.1},
    {"path": "^/tasks/", "method": "PATCH", "kind": "drop", "share": 0.04},
    {"path": "^/tasks/", "method": "PATCH", "kind": "status", "status": 503, "after": True, "share": 0.03},
    {"path": "^/tasks/", "method": "PATCH", "kind": "status", "status": 503, "share": 0.03},
    {"path": "^/tasks/", "method": "GET", "kind": "drop", "share": 0.02},
]


@pytest.mark.lab
@pytest.mark.timeout(1200 + KILLS * 5)
def test_no_kill_and_no_broken_connection_loses_or_doubles_a_change(tmp_path: Path, seeded: Path) -> None:
    with opened(tmp_path, seeded, how_many=max(20, CHANGES // 10)) as scene:
        scene.ask("PUT", "/sandbox/faults", FAULTS)
        met = _kill_again_and_again(scene)
        scene.ask("PUT", "/sandbox/faults", [])
        scene.wait_until_settled(60 + CHANGES / 10)
        ended = scene.check()
        assert ended.total() >= CHANGES
        assert ended[ChangeState.CONFIRMED] > CHANGES / 2
        print(f"{KILLS} kills, {ended.total()} changes: {dict(ended)}; killed while {dict(met)}")


def _kill_again_and_again(scene: Scene) -> "Counter[str]":
    """Kill one or the other at random moments; answers which states of changes the kills met."""
    chance = random.Random(SEED)
    met: Counter[str] = Counter()
    pace = KILLS * 0.17 / CHANGES
    engine, person = scene.engine(), scene.person(CHANGES, 1, pace)
    for number in range(KILLS):
        time.sleep(chance.uniform(0.01, 0.3))
        if chance.random() < 0.3:
            _let_a_colleague_in(scene, chance.choice(scene.task_ids), COLLEAGUES_DUE + number)
        if chance.random() < ENGINES_SHARE:
            processes.kill(engine)
            met.update(str(state) for state in scene.states() & {*UNCONFIRMED})
            engine = scene.engine()
        else:
            processes.kill(person)
            person = scene.person(CHANGES, number + 2, pace)
    processes.kill(engine)
    person.join(60 + CHANGES / 10)
    assert person.exitcode == 0, "the person came to the end of what they wanted to do"
    return met


def _let_a_colleague_in(scene: Scene, task_id: str, due: int) -> None:
    """A colleague's change, which the faults may hit as well; they try once."""
    with contextlib.suppress(OSError, AssertionError):
        scene.ask("PATCH", f"/tasks/{task_id}", {"dueDate": due})
