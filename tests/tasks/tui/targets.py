"""What tests of keys on rows and cards share: tasks, what a key asks about them, and keys in a burst."""

from typing import Any

from frontdesk.tasks import store as task_store
from frontdesk.tasks.tui.screen import BoardScreen
from frontdesk.tui.dialogs.confirm import BulkPlanDialog
from frontdesk_api.contract.ids import TaskId
from frontdesk_lines.textual_compat.input_reader import InputReader
from kit import At
from sample_json import raw_task
from tui.hosts import quiet, until
from tui.screen_text import key_event


def six(**of_one: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        raw_task(number, dueDate=1_800_000_000 + number, **of_one.get(f"t{number}", {})) for number in range(6)
    ]


def two_tasks() -> list[dict[str, Any]]:
    return [
        raw_task(1, title="Late delivery", dueDate=1_700_001_000),
        raw_task(7, title="Wrong colour", dueDate=1_700_002_000, participantsIdentifiers="L1#C1"),
    ]


def rows_of(at: At) -> list[str]:
    screen = at.app.current_screen
    return list(screen.columns.all[0].cards.keys if isinstance(screen, BoardScreen) else at.inbox.list.rows.keys)


async def to_board(at: At) -> None:
    await at.press("2")
    await until(lambda: isinstance(at.app.screen, BoardScreen) and at.board.columns.all[0].cards.keys)


def move_away(at: At, task_id: str, status: str = "standby") -> None:
    """Let somebody else move a task."""
    raw = {**(task_store.raw_task(at.store.reading, TaskId(task_id)) or {}), "statusCase": status}
    at.store.write(lambda db: task_store.put(db, [raw])).result()


def end_burst(at: At) -> None:
    """Let what is pressed next be no part of what was pressed before."""
    at.app._typed_at = 0.0


async def press_anew(at: At, *keys: str) -> None:
    """Press keys as one that has read what was said before, which is gone."""
    at.app.clear_notifications()
    end_burst(at)
    await at.press(*keys)


def burst(at: At, keys: str) -> None:
    """Type without waiting for what a key does."""
    for key in keys.split():
        at.app.post_message(key_event(key))


def arrive(at: At, typed: str) -> None:
    """Let bytes arrive in one piece, as from a slow line or a terminal that doesn't mark pastes."""
    for message in InputReader().feed(typed.encode(), 0.0):
        at.app.post_message(message)


async def planned(at: At) -> str:
    """Wait for a plan; returns what it shows."""
    await until(lambda: isinstance(at.app.screen, BulkPlanDialog) and not at.app.is_dialog_opening)
    await quiet(at.app)
    return at.text


async def back(at: At) -> None:
    await until(lambda: at.app.screen is at.app.current_screen)


async def refuse(at: At) -> None:
    """Close the dialog, and let what is pressed next be no part of that."""
    await at.press("escape")
    await back(at)
    end_burst(at)
