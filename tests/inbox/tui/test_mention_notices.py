"""A mention of the reader, and a hand-over to them: a toast once, and a count until the conversation is opened."""

from dataclasses import replace

import pytest

from frontdesk.inbox.store import notes
from frontdesk.storage.database import Store
from inbox.tui.test_notes import HERE, ME, NOW, PROFILE, reading, shown, theirs
from tui.running_app import Running
from tui.widgets.hosts import until

pytestmark = pytest.mark.anyio


async def leave_thread(at: Running) -> None:
    await at.press("escape")


async def test_a_hand_over_makes_a_toast_and_a_count_until_its_conversation_is_opened(store: Store) -> None:
    async with reading(store) as at:
        await leave_thread(at)
        theirs(store, "call them\nback", hand_over_to=ME)
        await until(lambda: "Dan Green handed over" in shown(at))
        assert "call them back" in shown(at)
        await until(lambda: "1 handed to you @ open" in shown(at))
        theirs(store, "@Noa see this", "n2", mentions=[ME])
        await until(lambda: "Dan Green mentions you in" in shown(at))
        await until(lambda: "1 handed to you, 1 mention @ open" in shown(at))
        await at.press("@")
        await until(lambda: "@ open" not in shown(at))
        assert notes.unseen(store.reading, ME) == []
        await at.press("@")
        await until(lambda: "No hand-overs or mentions are waiting" in shown(at))


async def test_a_note_for_somebody_else_makes_none(store: Store) -> None:
    async with reading(store) as at:
        theirs(store, "@Ruth", mentions=["agent-ruth"])
        await until(lambda: "note · Dan Green" in shown(at))
        await at.pilot.pause(0.5)
        assert "mentions you" not in shown(at)


async def test_what_came_while_the_program_was_closed_is_told_once_on_start(store: Store) -> None:
    theirs(store, "@Noa", mentions=[ME])
    async with reading(store) as at:
        await until(lambda: "Dan Green mentions you in" in shown(at))
    async with reading(store) as at:
        await until(lambda: "1 mention @ open" in shown(at))
        await at.pilot.pause(0.2)
        assert "mentions you in" not in shown(at)


async def test_many_at_once_are_one_toast(store: Store) -> None:
    for number in range(4):
        theirs(store, "@Noa", f"n{number}", mentions=[ME])
    async with reading(store) as at:
        await until(lambda: "4 mentions: " in shown(at))
        assert "Dan Green mentions you in" not in shown(at)


@pytest.mark.parametrize("width", [80, 100])
async def test_the_count_fits_a_narrow_line(store: Store, width: int) -> None:
    async with reading(store, size=(width, 24)) as at:
        await leave_thread(at)
        theirs(store, "call them back", hand_over_to=ME)
        await until(lambda: "for you @" in shown(at) or "handed to you @" in shown(at).splitlines()[-1])


async def test_a_note_that_is_taken_back_isnt_counted(store: Store) -> None:
    async with reading(store) as at:
        await leave_thread(at)
        theirs(store, "call them back", hand_over_to=ME)
        await until(lambda: "1 handed to you @ open" in shown(at))
        store.write(lambda db: notes.apply(db, "n1", "agent-dan", NOW, "")).result()
        await until(lambda: "@ open" not in shown(at))


async def test_without_an_agent_id_nothing_is_for_anybody(store: Store) -> None:
    theirs(store, "@Noa", mentions=[ME])
    async with reading(store, replace(PROFILE, agent_id=None)) as at:
        await at.pilot.pause(0.3)
        assert "@ open" not in shown(at)


async def test_the_key_works_on_another_screen_and_leads_back(store: Store) -> None:
    async with reading(store) as at:
        await at.press("2")
        theirs(store, "call them back", hand_over_to=ME)
        await until(lambda: "1 handed to you @ open" in shown(at))
        await at.press("@")
        await until(lambda: at.app.current_mode == "inbox" and at.inbox.thread.conversation_id == HERE)
        await until(lambda: "@ open" not in shown(at))
