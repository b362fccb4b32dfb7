"""Hooks run once an event, over restarts, other engines and kills; a failing one is shown and stops nothing."""

import asyncio
import json
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from frontdesk.automation.hook_monitor import HookMonitor
from frontdesk.campaigns.store import alerts as campaign_alerts
from frontdesk.campaigns.store import campaigns
from frontdesk.config.extensions import Extensions, HookSetting
from frontdesk.config.program_runner import MAX_RUNNING, ProgramRunner
from frontdesk.config.settings import Settings
from frontdesk.inbox.store import threads
from frontdesk.outbox import queue
from frontdesk.service_clocks import store as clock_store
from frontdesk.service_clocks.clocks import ClockKind, ClockState, ServiceClock
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeKind, ChangeState, Made
from frontdesk.tasks import store as task_store
from frontdesk.tasks.history import Seen
from frontdesk_api.contract.ids import AgentId, CampaignId, ConversationId
from linear.running_session import PROFILE
from sample_json import raw_message, raw_task
from sync.running_engine import run

NOW = 1_700_000_000.0
C1 = ConversationId("L1#C1")

APPEND = (
    "import sys; text = sys.stdin.read() or '\\n'; open(sys.argv[1], 'a').write(repr(sys.argv[2:]) + '\\t' + text)"
)


class Scene:
    """A store that a test moves, and engines' hooks over it."""

    def __init__(self, store: Store, out: Path):
        self.store, self.out, self.now, self.steady = store, out, NOW, 0.0
        self.monitors: list[HookMonitor] = []
        tasks = [raw_task(1, createdAt=NOW - 900)]
        store.write(lambda db: task_store.put(db, tasks)).result()

    def hook(self, on: str, *arguments: str, **fields: Any) -> HookSetting:
        program = (sys.executable, "-c", APPEND, str(self.out), *arguments)
        return HookSetting(on, program, label=f"hooks[0] ({on})", **fields)

    def engine(self, *hooks: HookSetting, attention: str = "all") -> HookMonitor:
        settings = Settings(extensions=Extensions(hooks=hooks), attention=attention)
        programs = ProgramRunner({"PATH": os.environ["PATH"], "FRONTDESK_COOKIE": "secret"})
        monitor = HookMonitor(self.store, PROFILE, settings, programs, lambda: self.now, lambda: self.steady)
        self.monitors.append(monitor)
        return monitor

    async def step(self, *monitors: HookMonitor, times: int = 2) -> None:
        """Let engines look, as often as it takes for what comes in two parts."""
        for _ in range(times):
            self.steady += 10
            self.now += 1
            for each in monitors:
                await each.step()
            for each in monitors:
                await asyncio.gather(*each._programs.tasks)
        await self.store.run(lambda _: None)

    def message(self, *numbers: int, at: float | None = None, of: ConversationId = C1, **fields: Any) -> None:
        moment = self.now if at is None else at
        page = [
            raw_message(each, createdAt=(moment + each / 100) * 1000, **fields)
            for each in sorted(numbers, reverse=True)
        ]
        self.store.write(
            lambda db: threads.put_page(db, of, page, start=None, has_more=False, now=self.now)
        ).result()

    def change(self, state: ChangeState, reason: str = "") -> None:
        def write(db: Any) -> None:
            change_id = queue.add(
                db,
                Made("b", "Edit task 1", self.now),
                kind=ChangeKind.TASK,
                target="t1",
                fields={"title": "secret title"},
                base={},
            )
            queue.move(db, change_id, state, expected=[ChangeState.QUEUED], now=self.now, reason=reason)

        self.store.write(write).result()

    def ran(self) -> list[tuple[list[str], dict[str, Any]]]:
        lines = self.out.read_text().splitlines() if self.out.exists() else []
        parts = [each.split("\t", 1) for each in lines]
        return [(eval(arguments), json.loads(given) if given else {}) for arguments, given in parts]

    def shown(self) -> list[str]:
        return [each.words for each in campaign_alerts.unseen(self.store.reading, self.now + 1)]


@pytest.fixture
def at(store: Store, tmp_path: Path) -> Scene:
    return Scene(store, tmp_path / "ran")


def test_a_message_runs_it_once_over_engines_and_restarts(at: Scene) -> None:
    async def test() -> None:
        at.message(1, at=NOW - 50)  # before there was a hook
        hook = at.hook("message", "{conversation_id}", "{words}")
        one, two = at.engine(hook), at.engine(hook)
        await at.step(one, two)
        at.message(2, 3)
        await at.step(one, two)
        third = at.engine(hook)
        await at.step(third, one)
        at.message(4)
        await at.step(third)
        await at.step(one)

    run(test)
    assert sorted(given["message_id"] for _, given in at.ran()) == ["m00002", "m00003", "m00004"]
    assert [arguments for arguments, _ in at.ran()] == [[C1, "New message"]] * 3


def test_text_is_given_only_where_the_entry_says_so(at: Scene) -> None:
    async def test() -> None:
        plain, telling = at.hook("message", "{words}"), at.hook("message", "{words}", text=True)
        engine = at.engine(plain, telling)
        await at.step(engine)
        at.message(2, message="my number is 5")
        await at.step(engine)

    run(test)
    (first, without), (second, with_text) = sorted(at.ran(), key=lambda each: len(json.dumps(each)))
    assert "my number" not in json.dumps(without)
    assert "Customer 1" not in json.dumps(without)
    assert first == ["New message"]
    assert second == ["Customer 1: my number is 5"]
    assert with_text["message"]["message"] == "my number is 5"
    assert with_text["customer"]["name"] == "Customer 1"


def test_what_was_written_while_nothing_ran_comes_afterwards_but_not_before_the_first_hook(at: Scene) -> None:
    async def test() -> None:
        hook = at.hook("message")
        await at.step(at.engine(hook))
        at.message(2)
        await at.step(at.engine(hook))
        await at.step(at.engine())  # the hook is taken out
        at.now += 100
        at.message(3)
        await at.step(at.engine(hook))

    run(test)
    assert [given["message_id"] for _, given in at.ran()] == ["m00002"]


def test_messages_of_colleagues_conversations_are_left_out_where_only_mine_count(at: Scene) -> None:
    async def test() -> None:
        for number, people in ((1, ["noa"]), (2, ["me"]), (3, [])):
            raw = raw_task(number, createdAt=NOW - 900, assignedAgentIds=people)
            at.store.write(lambda db, raw=raw: task_store.put(db, [raw])).result()
        engine = at.engine(at.hook("message"), attention="mine")
        await at.step(engine)
        for number in (1, 2, 3):
            at.message(number, of=ConversationId(f"L1#C{number}"))
        await at.step(engine)

    run(test)
    assert PROFILE.agent_id == AgentId("me")
    assert sorted(given["conversation_id"] for _, given in at.ran()) == ["L1#C2", "L1#C3"]


def test_tasks_that_come_and_change(at: Scene) -> None:
    async def test() -> None:
        engine = at.engine(at.hook("task", "{id}", "{words}"))
        await at.step(engine)
        at.now += 5
        new, seen = raw_task(7, createdAt=at.now), Seen(at.now, at.now)
        at.store.write(lambda db: task_store.put(db, [new], seen)).result()
        await at.step(engine)
        changed = {**new, "statusCase": "standby", "title": "Their words"}
        at.store.write(lambda db: task_store.put(db, [changed], seen)).result()
        await at.step(engine)
        await at.step(at.engine(at.hook("task", "{id}", "{words}")))

    run(test)
    found = at.ran()
    assert [given["what"] for _, given in found] == ["created", "changed", "changed"]
    (status,) = [given for _, given in found if given.get("field") == "statusCase"]
    assert (status["before"], status["after"], status["source"]) == ("open", "standby", "read")
    assert "Their words" not in at.out.read_text()


@pytest.mark.parametrize(
    ("state", "words"),
    [(ChangeState.CONFLICT, "A change conflicts with theirs"), (ChangeState.REFUSED, "A change was rejected")],
)
def test_a_change_that_needs_a_person(at: Scene, state: ChangeState, words: str) -> None:
    async def test() -> None:
        at.change(state)  # before there was a hook
        at.now += 5
        engine = at.engine(at.hook(str(state), "{words}"))
        await at.step(engine)
        at.change(state, "because")
        at.change(ChangeState.CONFIRMED)
        await at.step(engine)
        await at.step(at.engine(at.hook(str(state), "{words}")))

    run(test)
    ((arguments, given),) = at.ran()
    assert arguments == [words]
    assert (given["kind"], given["target"]) == ("change", "t1")
    assert "secret title" not in json.dumps(given)


def test_a_campaign_that_changes_its_state(at: Scene) -> None:
    def read(status: str) -> None:
        raw = {"id": "c1", "name": "Spring", "status": status}
        at.store.write(lambda db: campaigns.put(db, CampaignId("c1"), raw, at.now)).result()

    async def test() -> None:
        at.store.write(lambda db: campaigns.watch(db, [CampaignId("c1")], NOW)).result()
        engine = at.engine(at.hook("campaign", "{words}", text=True))
        for status in ("pending", "inProgress", "inProgress", "completed"):
            read(status)
            await at.step(engine)

    run(test)
    assert [arguments for arguments, _ in at.ran()] == [
        ["Campaign Spring is now inProgress"],
        ["Campaign Spring is now completed"],
    ]


def test_a_failing_hook_is_shown_once_in_a_while_and_the_others_run(at: Scene) -> None:
    async def test() -> None:
        broken = HookSetting("message", ("no-such-program",), label="hooks[0] (message)")
        hanging = HookSetting("message", ("sleep", "60"), timeout=0.2, label="hooks[1] (message)")
        engine = at.engine(broken, hanging, at.hook("message"))
        await at.step(engine)
        at.message(2, 3)
        await at.step(engine)

    run(test)
    assert len(at.ran()) == 2
    assert sorted(at.shown()) == [
        "A hook failed. hooks[0] (message): no-such-program couldn't be started: No such file or directory.",
        "A hook failed. hooks[1] (message): sleep took longer than 0.2 s and was killed.",
    ]


def test_an_id_that_would_be_an_option_of_the_program_is_refused_and_said(at: Scene) -> None:
    async def test() -> None:
        engine = at.engine(at.hook("message", "{words}", "{conversation_id}"))
        await at.step(engine)
        at.message(2, of=ConversationId("\0--id#C1"))
        await at.step(engine)

    run(test)
    assert at.ran() == []
    assert at.shown() == [
        f"A hook failed. hooks[0] (message): {os.path.basename(sys.executable)} didn't run: its conversation_id "
        "begins with a dash, so the program could take it for an option."
    ]


def test_of_two_engines_that_read_an_event_before_either_marks_it_one_runs_it(at: Scene) -> None:
    async def test() -> None:
        hook = at.hook("message")
        one, two = at.engine(hook), at.engine(hook)
        await at.step(one, two)
        at.message(2)
        # As when both wait for the same lock: both have read that nothing is marked.
        held = threading.Event()
        at.store.write(lambda _: held.wait(10))
        at.steady += 10
        steps = [asyncio.create_task(each.step()) for each in (one, two)]
        while at.store._jobs.qsize() < 2:  # noqa: ASYNC110 - the two writes announce nothing
            await asyncio.sleep(0)
        held.set()
        await asyncio.gather(*steps)
        await asyncio.gather(*one._programs.tasks, *two._programs.tasks)

    run(test)
    assert len(at.ran()) == 1


def test_of_a_flood_of_events_none_is_left_out(at: Scene) -> None:
    numbers = range(2, 172)

    async def test() -> None:
        engine = at.engine(HookSetting("message", ("true",), label="a"), attention="all")
        started: list[str] = []
        programs = engine._programs
        await at.step(engine)
        engine._programs.start = lambda argv, ended, **more: started.append(str(more["sent"]))  # type: ignore[method-assign, assignment]
        at.message(*numbers)
        await at.step(engine, times=60)
        assert programs.room
        found = [json.loads(each[2:-1].encode().decode("unicode_escape"))["message_id"] for each in started]
        assert found == [f"m{each:05}" for each in numbers]

    run(test)


def test_what_is_committed_but_was_killed_before_it_ran_does_not_run_again(at: Scene) -> None:
    async def test() -> None:
        hook = at.hook("message")
        engine = at.engine(hook)
        await at.step(engine)
        at.message(2)
        engine._start_program = lambda *_: (_ for _ in ()).throw(KeyError)  # type: ignore[method-assign]
        at.steady += 10
        with pytest.raises(KeyError):
            await engine.step()
        await at.step(at.engine(hook))

    run(test)
    assert not at.ran()


def test_without_hooks_nothing_is_written(at: Scene) -> None:
    async def test() -> None:
        await at.step(at.engine())

    before = at.store.reading.pragma("data_version")
    run(test)
    assert at.store.reading.pragma("data_version") <= before + 1  # the test's own empty write


def test_a_service_clock_runs_it_at_its_warning_and_at_its_deadline(at: Scene) -> None:
    def clock(due_at: float, latest: float | None) -> None:
        clocks = {"": ServiceClock(ClockKind.NEXT, "Gold", ClockState.RUNNING, NOW, due_at, latest, due_at - 100)}
        at.store.write(lambda db: clock_store.put(db, {C1: clocks})).result()

    async def test() -> None:
        hook = at.hook("clock", "{words}")
        engine = at.engine(hook)
        await at.step(engine)
        clock(NOW + 200, None)
        await at.step(engine)
        assert not at.ran()
        for moment in (NOW + 110, NOW + 150, NOW + 210, NOW + 300):
            at.now = moment
            await at.step(engine)
        clock(NOW + 250, NOW + 250)  # it was known better, and has passed long since
        await at.step(engine)
        await at.step(at.engine(hook))

    run(test)
    assert [arguments for arguments, _ in at.ran()] == [
        ["A deadline is near: next response"],
        ["A deadline may have passed: next response"],
        ["A deadline has passed: next response"],
    ]
    assert [given["what"] for _, given in at.ran()] == ["warning", "due", "due"]
    assert at.ran()[0][1]["conversation_id"] == C1


def test_what_cannot_begin_yet_is_not_marked_so_that_the_end_loses_none(at: Scene) -> None:
    async def test() -> None:
        engine = at.engine(HookSetting("message", ("sleep", "60"), label="a"), attention="all")
        await at.step(engine)
        at.message(*range(2, 12))
        at.steady += 10
        await engine.step()
        began = len(engine._programs.tasks)
        await engine.close()
        assert began == MAX_RUNNING
        found: list[str] = []
        again = at.engine(HookSetting("message", ("true",), label="a"), attention="all")
        again._programs.start = lambda argv, ended, **more: found.append(str(more["sent"]))  # type: ignore[method-assign, assignment]
        await at.step(again, times=10)
        assert len(found) == 10 - began

    run(test)


def test_messages_on_an_older_page_of_a_catch_up_are_events_too(at: Scene) -> None:
    raws = {each: raw_message(each, createdAt=(NOW + 10 + each) * 1000) for each in range(1, 8)}

    def read(numbers: Sequence[int], start: int | None, *, has_more: bool) -> None:
        page = [raws[each] for each in numbers]
        place = None if start is None else threads.position_of(raws[start])
        at.store.write(
            lambda db: threads.put_page(db, C1, page, start=place, has_more=has_more, now=at.now)
        ).result()

    async def test() -> None:
        engine = at.engine(at.hook("message"))
        await at.step(engine)
        read([1], None, has_more=False)
        await at.step(engine)
        assert len(at.ran()) == 1
        read([7, 6], None, has_more=True)
        await at.step(engine)
        assert len(at.ran()) == 1
        read([5, 4, 3, 2, 1], 6, has_more=False)
        await at.step(engine, times=6)

    run(test)
    assert len(at.ran()) == 7
