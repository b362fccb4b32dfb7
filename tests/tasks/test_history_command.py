"""`frontdesk tasks history`, and what an engine keeps of changes made here and elsewhere."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from cli.commandline import Frontdesk
from frontdesk.storage.database import Store
from frontdesk.storage.sql import first, rows
from frontdesk.tasks import history
from frontdesk.tasks import store as task_store
from frontdesk.tasks.history import Seen, Source
from frontdesk.tasks.sync import TaskPuller
from frontdesk_api.contract.decode import Item, Page
from frontdesk_api.contract.ids import TaskId
from sample_json import raw_task
from sandbox.asking import Sandbox
from sync.running_engine import run, running
from team.desks import edit

NOW = 1_790_000_000.0


@pytest.fixture
def offline(offline: Frontdesk) -> Frontdesk:
    """`frontdesk` with a task's history and no network."""
    offline.environ["TZ"] = "UTC"
    with offline.store() as store:
        for at, status in ((0, "open"), (300, "standby"), (900, "completed")):
            raw = raw_task(1, statusCase=status, agentIdentification={"name": "Marta"})
            seen = Seen(NOW + at, NOW + at + 1)
            store.write(lambda db, raw=raw, seen=seen: task_store.put(db, [raw], seen)).result()
    return offline


def test_the_newest_change_comes_first_and_the_last_line_says_how_far_it_goes_back(offline: Frontdesk) -> None:
    typed = offline("tasks", "history", "t1")
    first_line, second, coverage = typed.out.splitlines()
    assert typed.status == 0
    assert first_line.startswith("Status: ")
    assert first_line.endswith("Marta or someone else")
    assert " between " in second
    assert coverage.startswith("The history starts at ")
    assert offline("tasks", "history", "t1", "--limit", "1").out.splitlines()[0] == first_line


def test_as_json_it_is_one_object_with_unix_seconds(offline: Frontdesk) -> None:
    found = offline("tasks", "history", "t1", "--json").row
    assert found["task"] == "t1"
    assert found["since"] > NOW
    assert [(each["before"], each["after"]) for each in found["transitions"]] == [
        ("standby", "completed"),
        ("open", "standby"),
    ]
    assert found["transitions"][1]["not_before"] == NOW
    assert found["transitions"][1]["not_after"] == NOW + 301


def test_a_task_that_nobody_has_stored_is_an_error_and_one_without_changes_is_not(offline: Frontdesk) -> None:
    unknown = offline("tasks", "history", "t9")
    assert (unknown.status, unknown.out) == (2, "")
    assert "no task with the id t9" in unknown.err
    with offline.store() as store:
        store.write(lambda db: task_store.put(db, [raw_task(2)])).result()
    assert offline("tasks", "history", "t2").out.startswith("No changes since ")


def status_of(store: Store, task_id: str) -> str:
    row = first(store.reading, "SELECT status FROM tasks WHERE task_id = ?", (task_id,))
    return str(row[0]) if row else ""


def test_an_older_answer_that_is_written_later_makes_no_history(store: Store) -> None:
    class Platform:
        """Answers the first list only once the second one is there."""

        def __init__(self) -> None:
            self.asked = 0
            self.second = asyncio.Event()

        async def list_tasks(self, _query: object) -> Page[Any]:
            self.asked += 1
            if self.asked == 2:
                await self.second.wait()
                return page("open")
            return page("open" if self.asked == 1 else "completed")

    def page(status: str) -> Page[Any]:
        return Page((Item(None, raw_task(1, statusCase=status)),), (), has_more=False, cursor=None)

    async def test() -> None:
        platform = Platform()
        puller = TaskPuller(platform, store, lambda: NOW)  # type: ignore[arg-type]
        await puller.tasks_head()
        late = asyncio.create_task(puller.tasks_head())
        await asyncio.sleep(0)
        await puller.tasks_head()
        platform.second.set()
        await late
        assert status_of(store, "t1") == "completed"
        assert [each.after for each in history.of_task(store.reading, TaskId("t1"))] == ["completed"]

    run(test)


@pytest.mark.slow
def test_the_times_of_reads_outlive_the_engine(sandbox: Sandbox, tmp_path: Path) -> None:
    async def test() -> None:
        async with running(sandbox, tmp_path, 0.0) as it:
            await it.until(lambda: it.engine.has_read_all)
        with Store(tmp_path) as store:
            known = [rows(store.reading, f"SELECT task_id FROM {table}") for table in ("tasks", "task_reads")]
            assert sorted(known[0]) == sorted(known[1])

    run(test)


@pytest.mark.slow
def test_an_engine_keeps_what_was_changed_here_and_elsewhere(sandbox: Sandbox, tmp_path: Path) -> None:
    async def test() -> None:
        async with running(sandbox, tmp_path, 0.0) as it:
            await it.until(lambda: it.engine.has_read_all)
            task_id = str(rows(it.store.reading, "SELECT task_id FROM tasks ORDER BY updated_at DESC")[0][0])
            before = status_of(it.store, task_id)
            other = "completed" if before != "completed" else "open"
            answer = await sandbox.asked("PATCH", f"/tasks/{task_id}", json={"statusCase": other})
            assert answer.is_success
            it.services.sync.request_refresh()
            await it.until(lambda: status_of(it.store, task_id) == other)
            edit(it, task_id, "changed here")
            await it.until(lambda: len(history.of_task(it.store.reading, TaskId(task_id))) == 2)
            own, theirs = history.of_task(it.store.reading, TaskId(task_id))
            assert (own.name, own.after, own.source) == ("title", "changed here", Source.OWN)
            assert (theirs.name, theirs.before, theirs.after) == ("statusCase", before, other)
            assert theirs.source is Source.READ
            for each in (own, theirs):
                assert each.not_before is not None
                assert each.not_before <= each.not_after <= own.not_after
            assert theirs.not_after <= own.not_before  # type: ignore[operator]

    run(test)
