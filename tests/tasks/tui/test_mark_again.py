"""The key that marks the rows of the last bulk change again, which then mean the tasks of that change."""

import pytest

from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.tasks import store as task_store
from frontdesk_api.contract.ids import TaskId
from kit import At, running
from sample_json import raw_task
from tasks.tui.targets import (
    back,
    end_burst,
    move_away,
    planned,
    press_anew,
    refuse,
    rows_of,
    six,
    to_board,
    two_tasks,
)
from tui.hosts import until

pytestmark = pytest.mark.anyio


def status(at: At, task_id: str) -> str:
    task = record_lookup.task(at.services.store.reading, TaskId(task_id))
    assert task is not None
    return task.status


def three_customers() -> list[dict[str, object]]:
    """The first of them has two tasks, of which "Late delivery" is due first."""
    return [*two_tasks(), raw_task(2, title="Refund"), raw_task(3, title="Invoice")]


async def change_due_of_all(at: At) -> None:
    """Set another due date for every customer's first task, so that "Wrong colour" is due first afterwards."""
    await at.press("V", "d", "3")
    await planned(at)
    await at.press("y")
    await until(lambda: at.changed == ["t1", "t2", "t3"])
    assert at.inbox.state().marked == 0


async def test_marked_again_they_mean_the_same_tasks_although_others_are_due_first_now(store: Store) -> None:
    async with running(store, *three_customers()) as at:
        await change_due_of_all(at)
        await until(lambda: "= mark them again" in at.toasts)
        await at.press("=")
        assert at.inbox.state().marked == 3
        await at.press("c")
        words = await planned(at)
        assert "Customer 1  Late delivery" in words
        assert words.count("others stay") == 1
        assert "Also open, but not changed: Wrong colour (Customer 7)." in words
        await at.press("y")
        await until(lambda: at.changed == ["t1", "t1", "t2", "t2", "t3", "t3"])
        assert [status(at, each) for each in ("t1", "t2", "t3", "t7")] == [*["completed"] * 3, "open"]


async def test_a_row_marked_by_hand_means_what_is_due_first_and_one_marked_again_its_task(store: Store) -> None:
    async with running(store, *three_customers()) as at:
        await change_due_of_all(at)
        rows = at.inbox.list.rows
        for keys in ("", "space k space", "v", "V V V"):
            await press_anew(at, "=")
            rows.unmark(set(rows.keys) - {"L1#C1"})
            rows.move_to("L1#C1")
            assert rows.marked_tasks == {"L1#C1": "t1"}
            if not keys:
                await at.press("c")
                assert "Customer 1  Late delivery" in await planned(at), "the row left of them, under the cursor"
                await refuse(at)
                assert at.changed == ["t1", "t2", "t3"]
                continue
            await press_anew(at, *keys.split())
            assert "L1#C1" in rows.marks, keys
            assert not rows.marked_tasks, keys
            if keys == "V V V":
                assert "t7" in at.inbox.targets.current().tasks
            await at.press("escape")
        for each in ("t1", "t2", "t3"):
            at.store.write(lambda db, each=each: task_store.remove(db, TaskId(each))).result()
        await press_anew(at, "=", "c")
        await until(lambda: "No task loaded for this conversation" in at.toasts)


@pytest.mark.slow
async def test_the_plan_says_which_task_is_gone_completed_or_not_listed(store: Store) -> None:
    async with running(store, *three_customers()) as at:
        await change_due_of_all(at)
        at.store.write(lambda db: task_store.remove(db, TaskId("t1"))).result()
        move_away(at, "t2", "completed")
        await at.press("slash", *"Customer", "space", "2", "enter")
        await until(lambda: at.inbox.list.rows.keys == ["L1#C2"])
        await at.press("=")
        assert (at.inbox.state().marked, at.inbox.state().hidden_marks) == (3, 2)
        await at.press("d", "4")
        words = await planned(at)
        assert "2 of 3 will change · 1 completed · 1 not listed" in words
        assert "no task loaded" in words
        assert "Wrong colour" not in words, "never another task in its place"
        await at.press("y")
        await until(lambda: at.changed == ["t1", "t2", "t2", "t3", "t3"])


async def test_on_the_board_the_cards_are_marked_where_they_are_now(store: Store) -> None:
    async with running(store, *six(), size=(140, 30)) as at:
        await to_board(at)
        await at.press("=")
        await until(lambda: "No bulk change has been made on this screen." in at.toasts)
        first, second, third, *_ = rows_of(at)
        end_burst(at)
        await at.press("space", "space", "space", ">")
        await planned(at)
        await at.press("y")
        await until(lambda: at.changed == sorted([first, second, third]))
        await back(at)
        at.store.write(lambda db: task_store.remove(db, TaskId(third))).result()
        await until(lambda: third not in at.board.columns.all[1].cards.keys)
        await at.press("=")
        await until(lambda: at.board.columns.all[1].cards.marks == {first, second})
        assert at.board.state().marked == 2
        await until(lambda: "1 of 3 can't be marked again: no longer here." in at.toasts)
