"""A mention of the reader, and a hand-over to them: a toast once, and a count until the conversation is opened."""

from dataclasses import replace

import pytest

from frontdesk.inbox.store import notes
from frontdesk.storage.database import Store
from inbox.tui.test_notes import HERE, ME, NOW, PROFILE, reading, take_back, theirs
from tui.hosts import quiet, until

pytestmark = pytest.mark.anyio


async def test_a_hand_over_makes_a_toast_and_a_count_until_its_conversation_is_opened(store: Store) -> None:
    async with reading(store) as at:
        await at.press("escape")
        theirs(store, "@Ruth", "n0", mentions=["agent-ruth"])
        await at.sees("note · Dan Green")
        theirs(store, "call them\nback", hand_over_to=ME)
        await until(lambda: "Dan Green handed over" in at.toasts and "call them back" in at.toasts)
        assert "mentions you" not in at.toasts, "a note for somebody else makes no toast"
        await until(lambda: "1 handed to you @ open" in at.footer)
        take_back(store)
        await until(lambda: "@ open" not in at.footer)

        theirs(store, "call them\nback", "n1", hand_over_to=ME)
        await until(lambda: "1 handed to you @ open" in at.footer)
        for width in (80, 100):
            await at.pilot.resize_terminal(width, 24)
            await until(lambda: "for you @" in at.footer or "handed to you @" in at.footer)
        await at.pilot.resize_terminal(140, 30)
        theirs(store, "@Noa see this", "n2", mentions=[ME])
        await until(lambda: "Dan Green mentions you in" in at.toasts)
        await until(lambda: "1 handed to you, 1 mention @ open" in at.footer)
        await at.press("@")
        await until(lambda: "@ open" not in at.footer)
        assert notes.unseen(store.reading, ME) == []
        await at.press("@")
        await at.sees("No hand-overs or mentions are waiting")

        await at.press("2")  # the key works on another screen and leads back
        theirs(store, "call them back", "n3", at=NOW - 5, hand_over_to=ME)
        await until(lambda: "1 handed to you @ open" in at.footer)
        await at.press("@")
        await until(lambda: at.app.current_mode == "inbox" and at.inbox.thread.conversation_id == HERE)
        await until(lambda: "@ open" not in at.footer)


@pytest.mark.slow
async def test_what_came_while_the_program_was_closed_is_told_once_on_start_and_many_as_one(store: Store) -> None:
    theirs(store, "@Noa", mentions=[ME])
    async with reading(store) as at:
        await until(lambda: "Dan Green mentions you in" in at.toasts)
    async with reading(store) as at:
        await until(lambda: "1 mention @ open" in at.footer)
        theirs(store, "@Noa", "n1b", by="agent-ruth", mentions=[ME])
        await until(lambda: "Ruth mentions you in" in at.toasts)
        assert "Dan Green mentions you in" not in at.toasts
    for number in range(4):
        theirs(store, "@Noa", f"n{number + 2}", mentions=[ME])
    async with reading(store) as at:
        await until(lambda: "4 mentions: " in at.toasts)
        assert "Dan Green mentions you in" not in at.toasts


async def test_without_an_agent_id_nothing_is_for_anybody(store: Store) -> None:
    theirs(store, "@Noa", mentions=[ME])
    async with reading(store, replace(PROFILE, agent_id=None)) as at:
        theirs(store, "and a later one", "n2", mentions=[ME])
        await at.sees("and a later one")
        await quiet(at.app)
        assert "@ open" not in at.footer
        assert not at.toasts
