"""What was typed into a dialog is there again after a kill: kept while it is typed, and read from the store."""

import pytest

from frontdesk.config.team import TeamSettings
from frontdesk.outbox import queue
from frontdesk.outbox.commands import VIEW
from frontdesk.outbox.dialog_drafts import DIALOG_DRAFT
from frontdesk.storage.database import Store
from frontdesk.tasks.tui.dialogs import EditDialog
from frontdesk.tui.dialogs import base
from frontdesk.tui.dialogs.base import Dialog
from kit import At, profile, running
from sample_json import raw_task
from tui.hosts import until

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


COLLEAGUES = profile(me="me", people=["dan"], team=TeamSettings("postgresql://noa@db/frontdesk", "acme"))


def stored(at: At) -> list[object]:
    """Every text that another run would find."""
    db = at.app.app_context.store.reading
    flows = [each for each in queue.all_kept(db, VIEW).values() if isinstance(each, dict)]
    return [*queue.all_kept(db, DIALOG_DRAFT).values(), *(text for each in flows for text in each.values())]


async def is_kept(at: At, *keys: str, typed: str = "fri") -> None:
    """Type into a dialog, take it away unanswered and unclosed as a kill does, and open it again."""
    dialog = await at.opens(Dialog, *keys)
    before = dialog.draft
    await at.press(*typed)
    await until(lambda: dialog.draft != before)
    await until(lambda: dialog.draft in stored(at))
    wanted = dialog.draft
    at.app.pop_screen()
    screen = at.app.current_screen
    assert screen is not None
    screen.unfinished_actions.clear()
    screen.workers.cancel_all()
    again = await at.opens(Dialog, *keys)
    await until(lambda: again.draft == wanted)
    await at.press("escape")
    await until(lambda: at.app.screen is screen)


@pytest.mark.parametrize(
    "key",
    [
        pytest.param("e", id="edit"),
        pytest.param("a", id="assign"),
        pytest.param("d", id="due"),
        pytest.param("Q", id="snooze"),
        pytest.param("t", id="tag"),
        pytest.param("w", id="note"),
        pytest.param("W", id="hand over"),
        pytest.param("f", id="search"),
        pytest.param("J", id="jump"),
        pytest.param("O", id="open by line and customer"),
    ],
)
async def test_it_is_kept_in_the_inbox(store: Store, key: str) -> None:
    async with running(store, raw_task(1), as_profile=COLLEAGUES) as at:
        await is_kept(at, key)


async def test_it_is_kept_on_the_other_screens(store: Store) -> None:
    async with running(store) as at:
        await at.press("2")
        await until(lambda: at.app.current_screen is not None and at.app.current_screen.key_context == "board")
        await is_kept(at, "slash")
        await at.press("3")
        await until(lambda: at.app.current_screen is not None and at.app.current_screen.key_context == "campaigns")
        await is_kept(at, "w", typed="cam-7")


async def test_picked_rows_are_kept(store: Store) -> None:
    async with running(store) as at:
        dialog = await at.opens(Dialog, "a")
        await at.press("d", "a", "n", "tab")
        await until(lambda: dialog.draft in stored(at) and '"dan"' in dialog.draft)


async def test_what_was_sent_is_forgotten(store: Store) -> None:
    async with running(store) as at:
        await at.opens(Dialog, "e")
        await at.press("!")
        await until(lambda: stored_edits(at))
        await at.press("enter")
        await until(lambda: not stored_edits(at))


async def test_a_restored_edit_says_so_and_can_be_thrown_away(store: Store) -> None:
    async with running(store) as at:
        await at.opens(Dialog, "e")
        await at.press("!", "tab", "N", "o", "w", "escape")
        await until(lambda: stored_edits(at))
        dialog = await at.opens(EditDialog, "e")
        assert set(dialog.edited.texts) == {"title", "body"}
        assert "ctrl+r to discard it" in at.text
        await at.press("ctrl+r")
        await until(lambda: not dialog.edited.texts)
        assert "ctrl+r" not in at.text
        await until(lambda: not stored_edits(at))


async def test_leaving_the_program_keeps_the_last_letters(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "KEEP_SECONDS", 3_600.0)
    async with running(store) as at:
        dialog = await at.opens(Dialog, "e")
        await at.press("!")
        await until(lambda: dialog.draft)
        at.app.save_and_exit()
        await until(lambda: stored_edits(at))


def stored_edits(at: At) -> list[object]:
    kept = queue.all_kept(at.app.app_context.store.reading, DIALOG_DRAFT)
    return [text for name, text in kept.items() if name.startswith("edit")]
