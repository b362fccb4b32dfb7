"""Keys that come in a burst or a paste: they answer nothing that nobody saw, and none of them is lost."""

import pytest
from textual.widgets import Input

from frontdesk.storage.database import Store
from frontdesk.tasks.tui.screen import BoardScreen
from frontdesk.tui.dialogs.base import Dialog
from frontdesk.tui.dialogs.confirm import BulkPlanDialog
from frontdesk.tui.dialogs.due import DueDialog
from kit import At, running
from tasks.tui.targets import arrive, burst, end_burst, planned, press_anew, refuse, six, to_board, two_tasks
from tui.hosts import quiet, until

pytestmark = pytest.mark.anyio


async def test_keys_in_a_burst_do_not_carry_out_a_plan_that_nobody_saw(store: Store) -> None:
    async with running(store, *six()) as at:
        await at.press("space", "space")
        for keys in ("c enter", "c y", "c space"):
            burst(at, keys)
            await planned(at)
            assert isinstance(at.app.screen, BulkPlanDialog), keys
            assert not at.changed, keys
            await at.press("j", "space")
            assert not at.changed, "space marks a row elsewhere and is no answer"
            if keys != "c space":
                await refuse(at)
        await at.press("enter")
        await until(lambda: len(at.changed) == 2)


async def test_over_a_dialog_the_footer_hints_at_no_key_of_the_screen_and_keys_behind_esc_are_not_lost(
    store: Store,
) -> None:
    async with running(store, size=(100, 30)) as at:
        before = at.footer
        assert "a assign" in before
        await at.opens(Dialog, "s")
        await until(lambda: at.footer.strip() == before.split("  ")[0].strip())
        await at.press("escape")
        await until(lambda: at.footer == before)
        for opening, keys in (
            *(("", each) for each in ("? escape 2", "s escape 2", "t x escape 2", ": escape escape 2")),
            *((each, "escape 2") for each in ("question_mark", "s")),
        ):
            end_burst(at)
            if opening:
                await at.opens(Dialog, opening)
            burst(at, keys)
            await until(lambda: at.app.current_mode == "board" and isinstance(at.app.screen, BoardScreen))
            assert not at.changed, (opening, keys)
            await at.press("1")
            await until(lambda: at.app.screen is at.app.current_screen and at.app.current_mode == "inbox")


async def test_a_time_typed_ahead_is_the_time_and_no_preset(store: Store) -> None:
    async with running(store, *six()) as at:
        for typed in ("", "17:05", "\x1b[200~17:05\x1b[201~"):
            end_burst(at)
            if typed:
                await at.opens(DueDialog, "d")
                arrive(at, typed)
            else:
                burst(at, "d 1 7 : 0 5")
            await until(lambda: isinstance(at.app.screen, DueDialog) and at.app.screen.draft == "17:05")
            assert not at.changed, typed
            at.app.screen.query_one(Input).value = ""
            await refuse(at)


async def check_letters_behind_esc_and_the_filter_s_key(at: At) -> None:
    burst(at, "/ t enter")
    await quiet(at.app)
    assert not isinstance(at.app.focused, Input)
    arrive(at, "\x1b/")
    await quiet(at.app)
    assert isinstance(at.app.focused, Input)
    await at.press("A", "c")
    assert at.app.focused.value == "Ac"
    assert not at.changed
    await at.close_dialogs()
    end_burst(at)


@pytest.mark.slow
async def test_letters_in_a_burst_behind_the_filter_s_key_are_no_keys_of_the_list(store: Store) -> None:
    async with running(store, *two_tasks()) as at:
        for again in range(2):  # at first, the input isn't there yet
            burst(at, "/ e c home x ctrl+k A c 2 enter")
            await until(lambda: at.inbox.list.typed == "xAc2")
            assert at.app.screen is at.inbox, again
            await at.press("escape")
            end_burst(at)
        await check_letters_behind_esc_and_the_filter_s_key(at)

        await at.press("/")
        field = at.app.focused
        assert isinstance(field, Input)
        arrive(at, "abcdefgh\x1b[Hxyz\x1b[Fk")
        await until(lambda: field.value == "xyzabcdefghk")  # arrows keep their place among letters
        assert not at.changed
        await at.close_dialogs()

        await to_board(at)
        await check_letters_behind_esc_and_the_filter_s_key(at)
        await at.press("1")
        await press_anew(at, "c")
        await until(lambda: at.changed)
        arrive(at, "\x1bb")
        await at.press("u")
        await until(lambda: at.inbox.list.view.name == "unassigned")
        assert len(at.changed) == 1, "u was the letter of a view, not undo"
        await at.press("slash", "a", "space", "b")
        arrive(at, "\x1bb")  # in a text, esc and b in one piece move by a word
        await at.press("x")
        await until(lambda: at.inbox.list.typed == "a xb")


PASTES = (
    *("Call me, Adam", "cAdMsctA", "cancel it\rA c s2 M", "\x1b[200~c\rA\x1b[201~"),
    *("call\r", "Theo Ben\r", "Marta\r", "Sam Cole\r", "Acme\rHome\r", "cM\rA\ryy\r", "emma\r"),
)
WITH_ARROWS = ("/abc\rdM\x1b[BcAds", "jcA\x1b[BdMs\x1b[Bct", "cA\x1b[BMjc")
"""Pastes with arrows within, which make no keys of their parts."""


@pytest.mark.slow
async def test_a_paste_runs_no_keys_of_a_list_and_answers_no_dialog(store: Store) -> None:
    async with running(store, *six()) as at:
        await at.opens(Dialog, "s")
        arrive(at, "2nd reminder\r3\r")
        await until(lambda: "Pasted text runs no keys" in at.toasts)
        assert isinstance(at.app.screen, Dialog)
        assert not at.changed
        await refuse(at)
        await at.opens(Dialog, "t")
        arrive(at, "first line\rsecond line\r")
        await quiet(at.app)
        assert isinstance(at.app.screen, Dialog), "a line break in a paste is no enter"
        assert not at.changed
        await refuse(at)
        for screen, pastes in (("inbox", (*PASTES, *WITH_ARROWS)), ("board", PASTES)):
            if screen == "board":
                await to_board(at)
            for pasted in pastes:
                at.app.clear_notifications()
                end_burst(at)
                arrive(at, pasted)
                await until(lambda: "Pasted text runs no keys" in at.toasts)
                await quiet(at.app)
                assert at.app.screen is at.app.current_screen, pasted
                assert at.app.current_mode == screen, pasted
                assert not at.changed, pasted


@pytest.mark.slow
async def test_what_a_person_types_ahead_over_a_slow_line_does_the_same_as_slowly(store: Store) -> None:
    async with running(store, *six()) as at:
        arrive(at, "/Customer 3\r")  # longer than other keys that are typed ahead
        await until(lambda: at.inbox.list.typed == "Customer 3" and len(at.inbox.list.rows.keys) == 1)
        arrive(at, "\x1b2j3j45j6j1jkjs2")
        await until(lambda: len(at.changed) == 1)
        arrive(at, "972501234567")  # no key of a list is 9 or 0
        await at.sees("Pasted text runs no keys")
        assert at.app.screen is at.inbox
        arrive(at, "dtomorrow")
        await quiet(at.app)
        assert at.app.screen is at.inbox
        arrive(at, "d+2h 30m\r")
        await until(lambda: len(at.changed) == 2)
