"""What a key works on is seen and named: marks, filters, several tasks of one customer, and rows that move."""

from collections.abc import Callable
from datetime import UTC
from functools import partial

import apsw
import pytest
from textual import events
from textual.widgets import Input

from frontdesk.activity.tui.screen import ActivityScreen
from frontdesk.ai_agents import store as agent_store
from frontdesk.ai_agents.tui import AiAgentsScreen
from frontdesk.api.contract.ids import CampaignId, ConversationId, StatusId, TaskId
from frontdesk.app.screens import KEYMAP
from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.campaigns.store import campaigns
from frontdesk.campaigns.tui.screen import CampaignsScreen
from frontdesk.config.settings import Hosts, Profile
from frontdesk.inbox.store import threads
from frontdesk.inbox.tui.screen import InboxScreen
from frontdesk.outbox import queue
from frontdesk.storage import clients, record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeState, Connection, ConversationOrder, Health
from frontdesk.tasks import changes as task_changes
from frontdesk.tasks import store as task_store
from frontdesk.tasks.tui.screen import BoardScreen
from frontdesk.text.glyphs import glyphs
from frontdesk.text.lines import span
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.base import Dialog
from frontdesk.tui.dialogs.confirm import BulkPlanDialog
from frontdesk.tui.dialogs.due import DueDialog
from frontdesk.tui.textual_compat.input_reader import InputReader
from frontdesk.tui.textual_compat.key_queue import BURST_SECONDS
from frontdesk.tui.widgets.row_list import RowList
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.tui.screen import WorkflowsScreen
from kit import At, Clock, running
from sample_json import raw_message, raw_task
from services import Services
from tasks.tui.test_actions import said
from tasks.tui.test_bulk_actions import rows_of, six, to_board
from tui.screen_text import key_event
from tui.widgets.hosts import quiet, text_of, turn_wheel, until
from workflows.checks.sample_workflows import whole

pytestmark = pytest.mark.anyio


def changed(at: At) -> list[str]:
    at.store.write(lambda db: None).result()
    return sorted(each.target for each in queue.recent(at.services.store.reading))


def end_burst(at: At) -> None:
    """Let what is pressed next be no part of what was pressed before."""
    at.app._typed_at = 0.0


async def press_anew(at: At, key: str) -> None:
    """Press a key as one that has read what was said before, which is gone."""
    at.app.clear_notifications()
    end_burst(at)
    await at.press(key)


def shown(at: At) -> str:
    return "\n".join(text_of(at.app))


def footer(at: At) -> str:
    return text_of(at.app)[-1]


async def planned(at: At) -> str:
    await until(lambda: isinstance(at.app.screen, BulkPlanDialog))
    await quiet(at.app)
    return shown(at)


async def back(at: At) -> None:
    await until(lambda: at.app.screen is at.app.current_screen)


def two_tasks() -> list[dict[str, object]]:
    return [
        raw_task(1, title="Late delivery", dueDate=1_700_001_000),
        raw_task(7, title="Wrong colour", dueDate=1_700_002_000, participantsIdentifiers="L1#C1"),
    ]


async def test_one_marked_row_away_from_the_cursor_is_planned_by_name(store: Store) -> None:
    async with running(store, *six()) as at:
        far = at.inbox.list.rows.keys[0]
        await at.press("space", "j", "j")
        await until(lambda: at.inbox.thread.conversation_id == at.inbox.list.cursor != far)
        await at.press("c")
        assert f"Customer {far[-1]}  Task {far[-1]}" in await planned(at)
        assert not changed(at)
        await at.press("escape")
        await back(at)
        assert at.inbox.state().marked == 1, "marks outlast a plan that was cancelled"
        await at.press("c")
        await planned(at)
        await at.press("y")
        await until(lambda: changed(at) == [f"t{far[-1]}"])
        assert at.inbox.state().marked == 0, "marks don't outlast what was done on them"


async def test_a_mark_on_the_row_under_the_cursor_alone_is_done_at_once_and_cleared(store: Store) -> None:
    async with running(store, *six()) as at:
        here = at.inbox.list.cursor
        assert here is not None
        await at.press("space", "k")
        assert at.inbox.list.cursor == here
        assert at.inbox.state().marked == 1
        await at.press("c")
        await until(lambda: changed(at) == [f"t{here[-1]}"])
        assert at.app.screen is at.inbox
        assert at.inbox.state().marked == 0


@pytest.mark.slow
@pytest.mark.parametrize("screen", ["inbox", "board"])
async def test_marks_are_cleared_by_every_action_done_on_them(store: Store, screen: str) -> None:
    async with running(store, *six(), size=(100, 30)) as at:
        if screen == "board":
            await to_board(at)
        assert at.app.current_screen is not None
        for done, keys in enumerate(("d 3 y", "a x enter enter y", "t v enter enter y", "s 2 y", "c y")):
            end_burst(at)
            await at.press("g", "space", "space")
            *answered, yes = keys.split()
            await at.press(*answered)
            await planned(at)
            assert at.app.current_screen.state().marked == 2
            await at.press(yes)
            await until(partial(has_changes, at, 2 * (done + 1)))
            assert at.app.current_screen.state().marked == 0
            await until(lambda: "marked" not in footer(at))


def has_changes(at: At, count: int) -> bool:
    return len(queue.recent(at.services.store.reading)) == count


async def test_marks_stay_where_what_was_to_be_done_could_not_be_saved(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:

    def full(*_: object, **__: object) -> None:
        raise OSError("database or disk is full")

    async with running(store, *six()) as at:
        await at.press("space", "space", "c")
        await planned(at)
        monkeypatch.setattr(task_changes, "change_tasks", full)
        await at.press("y")
        await until(lambda: "disk is full" in said(at))
        assert at.inbox.state().marked == 2


async def test_where_the_filter_leaves_nothing_no_key_has_a_target(store: Store) -> None:
    async with running(store, *six()) as at:
        assert at.inbox.thread.conversation_id is not None
        await at.press("slash", *"zzz", "enter")
        await until(lambda: not at.inbox.list.rows.keys)
        await until(lambda: at.inbox.thread.conversation_id is None)
        assert at.inbox.facts.conversation_id is None
        assert "No conversation is open." in shown(at)
        assert "Customer 0" not in shown(at)
        for key in ("c", "A", "s", "a", "d", "e", "t", "m", "C"):
            await press_anew(at, key)
            await until(lambda: "No conversation is selected." in said(at))
            assert at.app.screen is at.inbox
        for key in ("o", "y", "i"):
            await press_anew(at, key)
            await until(lambda: said(at))
            assert at.app.screen is at.inbox
        assert not changed(at)


async def test_the_thread_comes_back_with_the_list(store: Store) -> None:
    async with running(store, *six()) as at:
        await at.press("slash", *"zzz", "enter")
        await until(lambda: at.inbox.thread.conversation_id is None)
        await at.press("escape")
        await until(lambda: at.inbox.list.cursor is not None)
        await until(lambda: at.inbox.thread.conversation_id == at.inbox.list.cursor)


@pytest.mark.parametrize("size", [(140, 30), (80, 24)])
async def test_of_several_open_tasks_the_footer_names_the_one(store: Store, size: tuple[int, int]) -> None:
    async with running(store, *two_tasks(), size=size) as at:
        await until(lambda: 'c complete "Late delivery"' in footer(at))
        await at.press("c")
        await until(lambda: changed(at) == ["t1"])
        await until(lambda: 'Completed "Late delivery" for Customer 1 · u undo' in said(at))


@pytest.mark.parametrize(
    ("size", "keys", "named"),
    [
        ((100, 30), (), "Late delivery · due"),
        ((80, 24), ("enter",), "Late delivery · unassigned · due"),
        ((140, 30), ("l", "z"), "Late delivery · unassigned · due"),
    ],
)
async def test_above_a_thread_without_the_customer_s_tasks_one_line_names_the_task(
    store: Store, size: tuple[int, int], keys: tuple[str, ...], named: str
) -> None:
    async with running(store, *two_tasks(), size=size) as at:
        await until(lambda: at.inbox.facts.tasks.keys == ["t1", "t7"])
        await at.press(*keys)
        await until(lambda: named in shown(at))
        assert "1 of 2" in shown(at)
        await quiet(at.app)
        assert 'c complete "' not in footer(at), "it is named already"
        await at.press("c")
        await until(lambda: changed(at) == ["t1"])
        assert at.app.screen is at.inbox


async def test_the_line_above_the_thread_goes_with_the_task_and_says_of_marks_how_many(store: Store) -> None:
    async with running(store, *six(), size=(100, 30)) as at:
        await until(lambda: "Task 0 · " in shown(at))
        await at.press("space", "space")
        await until(lambda: "▣ 2 marked conversations" in shown(at))
        await at.press("escape")
        await until(lambda: "marked conversations" not in shown(at))
        await at.press("slash", *"zzz", "enter")
        await until(lambda: at.inbox.thread.conversation_id is None)
        assert not at.inbox.query_one("#target").region


async def test_beside_the_customer_s_tasks_no_line_repeats_one(store: Store) -> None:
    async with running(store, *two_tasks(), size=(140, 30)) as at:
        await until(lambda: at.inbox.facts.tasks.keys == ["t1", "t7"])
        await quiet(at.app)
        assert not at.inbox.query_one("#target").region


async def test_a_single_task_is_not_named_in_the_footer(store: Store) -> None:
    async with running(store) as at:
        await until(lambda: "c complete" in footer(at))
        assert 'c complete "' not in footer(at)


async def test_the_footer_follows_the_cursor_in_the_tasks(store: Store) -> None:
    async with running(store, *two_tasks(), size=(180, 40)) as at:
        at.inbox.panes.focus_pane(at.inbox.facts)
        await at.press("j")
        await until(lambda: 'c complete "Wrong colour"' in footer(at))
        await at.press("c")
        await until(lambda: changed(at) == ["t7"])


@pytest.mark.parametrize("key", ["c", "A"])
async def test_where_the_footer_has_no_room_for_the_name_the_key_asks(store: Store, key: str) -> None:
    async with running(store, *two_tasks(), size=(60, 15)) as at:
        object.__setattr__(at.services.store.profile, "agent_id", "me")
        at.inbox.status_bar.line.set_left((), (span("x" * 44),))
        await until(lambda: "Late" not in footer(at))
        await at.press(key)
        words = await planned(at)
        assert "Customer 1  Late delivery" in words
        assert not changed(at)
        await at.press("y")
        await until(lambda: changed(at) == ["t1"])


async def test_a_completed_task_is_named_as_one_where_it_is_assigned(store: Store) -> None:
    done = raw_task(1, title="Late delivery", statusCase="completed")
    async with running(store, done) as at:
        object.__setattr__(at.services.store.profile, "agent_id", "me")
        await at.press("a")
        await until(lambda: "Assign · completed: Late delivery (Customer 1)" in shown(at))
        await at.press("escape")
        await back(at)
        await at.press("A")
        await until(lambda: '"Late delivery" for Customer 1 (completed) · ' in said(at))


async def test_another_conversation_begins_with_its_most_urgent_task(store: Store) -> None:
    others = [
        raw_task(2, title="Refund", dueDate=1_700_001_500),
        raw_task(8, title="Invoice", dueDate=1_700_002_500, participantsIdentifiers="L1#C2"),
    ]
    async with running(store, *two_tasks(), *others, size=(180, 40)) as at:
        at.inbox.navigation.open_conversation(ConversationId("L1#C1"))
        assert at.inbox.facts.tasks.move_to("t7")
        at.inbox.navigation.open_conversation(ConversationId("L1#C2"))
        assert at.inbox.targets.current().tasks == ("t2",)


async def test_the_plan_names_the_other_open_tasks_that_it_leaves_as_they_are(store: Store) -> None:
    others = [raw_task(2, title="Refund"), raw_task(3, title="Invoice")]
    is_done = raw_task(9, title="Old", participantsIdentifiers="L1#C2", statusCase="completed")
    async with running(store, *two_tasks(), *others, is_done) as at:
        await at.press("V", "c")
        words = await planned(at)
        assert "3 tasks will change" in words
        assert "Also open, but not changed: Wrong colour (Customer 7)." in words
        assert "Customer 1  Late delivery" in words
        assert words.count("Wrong colour (Customer 7)") == 1
        assert words.count("others stay") == 1, "so that one sees whose tasks these are"
        await at.press("y")
        await until(lambda: changed(at) == ["t1", "t2", "t3"])


async def test_the_plan_counts_customers_where_many_other_tasks_stay(store: Store) -> None:
    others = [raw_task(number, participantsIdentifiers="L1#C1") for number in range(10, 13)]
    async with running(store, *two_tasks(), raw_task(2), *others) as at:
        await at.press("V", "c")
        assert "1 customer has other open tasks, which don't change." in await planned(at)


def move_away(at: At, task_id: str, status: str = "standby") -> None:
    raw = {**(task_store.raw_task(at.services.store.reading, TaskId(task_id)) or {}), "statusCase": status}
    at.store.write(lambda db: task_store.put(db, [raw])).result()


@pytest.mark.parametrize("key", ["c", ">"])
async def test_a_card_that_came_under_the_cursor_by_itself_is_asked_about(store: Store, key: str) -> None:
    async with running(store, *six()) as at:
        await to_board(at)
        cards = at.board.cursor.column.cards
        seen, follows = cards.keys[0], cards.keys[1]
        move_away(at, seen)
        await until(lambda: cards.cursor_key == follows)
        await at.press(key)
        words = await planned(at)
        assert f"Customer {follows[-1]}  Task {follows[-1]}" in words
        assert "The list changed; the cursor" in words
        await at.press("escape")
        await back(at)
        await at.press(key)
        await planned(at)
        assert not changed(at)
        await at.press("y")
        await until(lambda: changed(at) == [follows])


def forty() -> list[dict[str, object]]:
    return [raw_task(number, dueDate=1_800_000_000 + number) for number in range(40)]


@pytest.mark.parametrize("screen", ["inbox", "board"])
async def test_after_the_wheel_a_key_asks_about_a_row_on_the_screen(store: Store, screen: str) -> None:
    async with running(store, *forty()) as at:
        at.inbox.list.sort(ConversationOrder.DUE)
        if screen == "board":
            await to_board(at)
        object.__setattr__(at.services.store.profile, "agent_id", "me")
        rows = at.board.cursor.column.cards if screen == "board" else at.inbox.list.rows
        first = rows.keys[0]
        await at.press("j", "k")
        await turn_wheel(rows, 5)
        assert rows.cursor_key == rows.keys[rows.rows_above + rows.cursor_line % rows.row_height] != first
        number = (rows.cursor_key or "").lstrip("L1#Ct")
        await at.press("c")
        words = await planned(at)
        assert f"Customer {number}  Task {number}" in words
        assert "The list was scrolled; the cursor" in words
        for key in ("c", "s", "t", "A"):
            await at.press("escape")
            await back(at)
            end_burst(at)
            await at.press(key)
            await until(lambda: isinstance(at.app.screen, Dialog) and not at.app.is_dialog_opening)
        assert "The list was scrolled; the cursor" in await planned(at)
        assert not changed(at)
        await at.press("y")
        await until(lambda: changed(at) == [f"t{number}"])
        await at.press("c")
        await until(lambda: changed(at) == [f"t{number}", f"t{number}"])


async def test_after_the_wheel_marks_and_messages_are_those_on_the_screen(store: Store) -> None:
    async with running(store, *forty()) as at:
        rows = at.inbox.list.rows
        await turn_wheel(rows, 5)
        here = rows.cursor_key
        await at.press("space")
        assert rows.marks == {here}
        assert here in {rows.key_at(y) for y in range(rows.size.height)}


@pytest.mark.parametrize("keys", ["c enter", "c y", "> enter", "s 3"])
async def test_keys_in_a_burst_do_not_answer_a_question_about_a_card_that_came_by_itself(
    store: Store, keys: str
) -> None:
    async with running(store, *six()) as at:
        await to_board(at)
        cards = at.board.cursor.column.cards
        seen, follows = cards.keys[0], cards.keys[1]
        move_away(at, seen)
        await until(lambda: cards.cursor_key == follows)
        burst(at, keys)
        await until(lambda: isinstance(at.app.screen, Dialog) and not at.app.is_dialog_opening)
        await quiet(at.app)
        assert isinstance(at.app.screen, Dialog)
        assert not changed(at)
        if isinstance(at.app.screen, BulkPlanDialog):
            await at.press("enter")  # no is the answer that is near
            await back(at)
            assert not changed(at)


async def test_keys_in_a_burst_do_not_answer_a_question_about_a_task_that_the_footer_does_not_name(
    store: Store,
) -> None:
    async with running(store, *two_tasks(), size=(60, 15)) as at:
        at.inbox.status_bar.line.set_left((), (span("x" * 44),))
        await until(lambda: "Late" not in footer(at))
        burst(at, "c enter")
        await until(lambda: isinstance(at.app.screen, BulkPlanDialog) and not at.app.is_dialog_opening)
        await quiet(at.app)
        assert isinstance(at.app.screen, BulkPlanDialog)
        assert not changed(at)
        await at.press("y")
        await until(lambda: len(changed(at)) == 1)


@pytest.mark.parametrize("keys", ["c enter", "c y", "c space"])
async def test_keys_in_a_burst_do_not_carry_out_a_plan_that_nobody_saw(store: Store, keys: str) -> None:
    async with running(store, *six()) as at:
        await at.press("space", "space")
        burst(at, keys)
        await until(lambda: isinstance(at.app.screen, BulkPlanDialog) and not at.app.is_dialog_opening)
        await quiet(at.app)
        assert isinstance(at.app.screen, BulkPlanDialog)
        assert not changed(at)
        await at.press("j", "space")
        assert not changed(at), "space marks a row elsewhere and is no answer"
        await at.press("enter")
        await until(lambda: len(changed(at)) == 2)


def burst(at: At, keys: str) -> None:
    """Type without waiting for what a key does."""
    for key in keys.split():
        at.app.post_message(key_event(key))


@pytest.mark.parametrize("keys", ["? escape 2", "s escape 2", "t x escape 2", ": escape escape 2"])
async def test_a_key_in_a_burst_behind_esc_is_for_the_screen_that_esc_returns_to(store: Store, keys: str) -> None:
    async with running(store) as at:
        burst(at, keys)
        await until(lambda: at.app.current_mode == "board")
        assert isinstance(at.app.screen, BoardScreen)
        assert not changed(at)


@pytest.mark.parametrize("key", ["question_mark", "s"])
async def test_a_key_at_once_behind_esc_in_an_open_dialog_is_not_lost(store: Store, key: str) -> None:
    async with running(store) as at:
        await at.press(key)
        await until(lambda: isinstance(at.app.screen, Dialog) and not at.app.is_dialog_opening)
        burst(at, "escape 2")
        await until(lambda: at.app.current_mode == "board")


async def test_over_a_dialog_the_footer_hints_at_no_key_of_the_screen_and_then_at_all_in_their_places(
    store: Store,
) -> None:
    async with running(store, size=(100, 30)) as at:
        await quiet(at.app)
        before = footer(at)
        assert "a assign" in before
        await at.press("s")
        await until(lambda: isinstance(at.app.screen, Dialog))
        await until(lambda: footer(at).strip() == before.split("  ")[0].strip())
        await at.press("escape")
        await until(lambda: footer(at) == before)


@pytest.mark.parametrize("typed", ["17:05", "3d", "5am", "2 dec"])
async def test_a_time_that_begins_with_the_digit_of_a_preset_is_typed_as_text(
    store: Store, typed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[Callable[[], None]] = []
    monkeypatch.setattr(DueDialog, "set_timer", lambda dialog, seconds, ends: pauses.append(ends))
    async with running(store, *six()) as at:
        await at.press("d")
        await until(lambda: isinstance(at.app.screen, DueDialog) and not at.app.is_dialog_opening)
        await at.press(*("space" if each == " " else each for each in typed))
        for ends in [*pauses]:
            ends()
        await quiet(at.app)
        assert isinstance(at.app.screen, DueDialog)
        assert at.app.screen.draft == typed
        assert not changed(at)


@pytest.mark.parametrize("how", ["burst", "paste", "marked paste"])
async def test_a_time_typed_ahead_is_the_time_and_no_preset(store: Store, how: str) -> None:
    async with running(store, *six()) as at:
        if how == "burst":
            burst(at, "d 1 7 : 0 5")
        else:
            await at.press("d")
            await until(lambda: isinstance(at.app.screen, DueDialog) and not at.app.is_dialog_opening)
            arrive(at, "17:05") if how == "paste" else arrive(at, "\x1b[200~17:05\x1b[201~")
        await until(lambda: isinstance(at.app.screen, DueDialog) and at.app.screen.draft == "17:05")
        assert not changed(at)


async def test_letters_in_a_burst_behind_the_filter_s_key_are_no_keys_of_the_list(store: Store) -> None:
    async with running(store, *two_tasks()) as at:
        for again in range(2):  # at first, the input isn't there yet
            burst(at, "/ e c home x ctrl+k A c 2 enter")
            await until(lambda: at.inbox.list.typed == "xAc2")
            assert at.app.screen is at.inbox, again
            await at.press("escape")
        assert not changed(at)


@pytest.mark.parametrize("screen", ["inbox", "board"])
async def test_letters_behind_esc_and_the_filter_s_key_are_the_filter_s(store: Store, screen: str) -> None:
    async with running(store, *two_tasks()) as at:
        if screen == "board":
            await to_board(at)
        burst(at, "/ t enter")
        await quiet(at.app)
        assert not isinstance(at.app.focused, Input)
        arrive(at, "\x1b/")
        await quiet(at.app)
        assert isinstance(at.app.focused, Input)
        await at.press("A", "c")
        assert at.app.focused.value == "Ac"
        assert not changed(at)


async def test_esc_and_b_in_one_piece_open_a_view_and_move_by_a_word_in_a_text(store: Store) -> None:
    async with running(store, *two_tasks()) as at:
        await at.press("c")
        await until(lambda: changed(at))
        arrive(at, "\x1bb")
        await at.press("u")
        await until(lambda: at.inbox.list.view.name == "unassigned")
        assert changed(at), "u was the letter of a view, not undo"
        await at.press("slash", "a", "space", "b")
        arrive(at, "\x1bb")
        await at.press("x")
        await until(lambda: at.inbox.list.typed == "a xb")


def arrive(at: At, typed: str) -> None:
    """Let bytes arrive in one piece, as from a slow line or a terminal that doesn't mark pastes."""
    for message in InputReader().feed(typed.encode(), 0.0):
        at.app.post_message(message)


@pytest.mark.parametrize(
    "pasted",
    [
        *("Call me, Adam", "cAdMsctA", "cancel it\rA c s2 M", "\x1b[200~c\rA\x1b[201~"),
        *("call\r", "Theo Ben\r", "Marta\r", "Sam Cole\r", "Acme\rHome\r", "cM\rA\ryy\r", "emma\r"),
    ],
)
@pytest.mark.parametrize("screen", ["inbox", "board"])
async def test_a_paste_runs_no_keys_of_a_list(store: Store, pasted: str, screen: str) -> None:
    async with running(store, *six()) as at:
        if screen == "board":
            await to_board(at)
        arrive(at, pasted)
        await until(lambda: "Pasted text runs no keys" in shown(at))
        await quiet(at.app)
        assert at.app.screen is at.app.current_screen
        assert not changed(at)


async def test_what_is_typed_ahead_with_arrows_keeps_its_order(store: Store) -> None:
    async with running(store, *six()) as at:
        await at.press("/")
        field = at.app.focused
        assert isinstance(field, Input)
        arrive(at, "abcdefgh\x1b[Hxyz\x1b[Fk")
        await until(lambda: field.value == "xyzabcdefghk")
        assert not changed(at)


@pytest.mark.parametrize("piece", ["/abc\rdM\x1b[BcAds", "jcA\x1b[BdMs\x1b[Bct", "cA\x1b[BMjc"])
async def test_arrows_within_a_paste_make_no_keys_of_its_parts(store: Store, piece: str) -> None:
    async with running(store, *six()) as at:
        arrive(at, piece)
        await until(lambda: "Pasted text runs no keys" in shown(at))
        await quiet(at.app)
        assert at.app.screen is at.inbox
        assert not changed(at)


async def test_a_paste_answers_no_dialog(store: Store) -> None:
    async with running(store, *six()) as at:
        await at.press("s")
        await until(lambda: isinstance(at.app.screen, Dialog) and not at.app.is_dialog_opening)
        arrive(at, "2nd reminder\r3\r")
        await until(lambda: "Pasted text runs no keys" in shown(at))
        assert isinstance(at.app.screen, Dialog)
        assert not changed(at)
        await at.press("escape", "t")
        await until(lambda: at.app.screen is not at.inbox and not at.app.is_dialog_opening)
        arrive(at, "first line\rsecond line\r")
        await quiet(at.app)
        assert isinstance(at.app.screen, Dialog), "a line break in a paste is no enter"
        assert not changed(at)


async def test_what_a_person_types_ahead_over_a_slow_line_does_the_same_as_slowly(store: Store) -> None:
    async with running(store, *six()) as at:
        arrive(at, "/Customer 3\r")  # longer than other keys that are typed ahead
        await until(lambda: at.inbox.list.typed == "Customer 3" and len(at.inbox.list.rows.keys) == 1)
        arrive(at, "\x1b2j3j45j6j1jkjs2")
        await until(lambda: len(changed(at)) == 1)
        arrive(at, "972501234567")  # no key of a list is 9 or 0
        await until(lambda: "Pasted text runs no keys" in shown(at))
        assert at.app.screen is at.inbox
        arrive(at, "dtomorrow")
        await quiet(at.app)
        assert at.app.screen is at.inbox
        arrive(at, "d+2h 30m\r")
        await until(lambda: len(changed(at)) == 2)


def has_gone(at: At, count: int) -> bool:
    return len(changed(at)) == count and len(at.board.columns.all[0].cards.keys) == 6 - count


async def test_card_after_card_is_completed_without_a_question(store: Store) -> None:
    async with running(store, *six()) as at:
        await to_board(at)
        cards = at.board.cursor.column.cards
        wanted = sorted(cards.keys[:3])
        for count in (1, 2, 3):
            await at.press("c")
            await until(partial(has_gone, at, count))
        assert changed(at) == wanted
        assert at.app.screen is at.board


async def test_marks_outlast_a_filter_are_counted_and_listed_by_name(store: Store) -> None:
    async with running(store, *six(t1={"customer": {"phoneNumberId": "C1", "customerName": "Zebra"}})) as at:
        first, second = at.inbox.list.rows.keys[:2]
        await at.press("space", "space")
        await at.press("slash", *"Zebra", "enter")
        await until(lambda: list(at.inbox.list.rows.keys) == [second])
        await until(lambda: "2 marked, 1 not listed" in footer(at))
        await at.press("c")
        words = await planned(at)
        assert f"Customer {first[-1]}" in words
        assert "Zebra" in words
        await at.press("escape")
        await back(at)
        await at.press("escape", "escape")
        await until(lambda: len(at.inbox.list.rows.keys) == 6)
        assert not at.inbox.state().marked


async def test_marks_that_a_filter_hid_are_on_their_rows_again_without_it(store: Store) -> None:
    async with running(store, *six()) as at:
        first, second = at.inbox.list.rows.keys[:2]
        await at.press("space", "space", "slash", *"zzz", "enter")
        await until(lambda: "2 marked, 2 not listed" in footer(at))
        assert at.inbox.back_actions.clear_filter()
        await until(lambda: len(at.inbox.list.rows.keys) == 6)
        assert at.inbox.list.rows.marks == {first, second}
        await until(lambda: "2 marked" in footer(at) and "not listed" not in footer(at))


async def test_marks_outlast_a_filter_of_the_board_and_are_listed_by_name(store: Store) -> None:
    async with running(store, *six()) as at:
        await to_board(at)
        first, second = at.board.columns.all[0].cards.keys[:2]
        await at.press("space", "space", "slash")
        await until(lambda: isinstance(at.app.screen, Dialog))
        await at.press(*f"Customer {second[-1]}", "enter")
        await until(lambda: rows_of(at) == [second])
        await until(lambda: "2 marked, 1 not listed" in footer(at))
        move_away(at, first)
        await at.press("c")
        words = await planned(at)
        assert f"Customer {first[-1]}" in words
        assert f"Customer {second[-1]}" in words
        await at.press("y")
        await until(lambda: changed(at) == sorted((first, second)))
        assert at.board.state().marked == 0


@pytest.mark.slow
async def test_a_filter_that_leaves_no_card_leaves_no_target_and_no_detail(store: Store) -> None:
    async with running(store, *six()) as at:
        await to_board(at)
        await at.press("enter")
        await until(lambda: at.board.detail.task_id is not None)
        await at.press("slash")
        await until(lambda: isinstance(at.app.screen, Dialog))
        await at.press(*"zzz", "enter")
        await until(lambda: not rows_of(at))
        await until(lambda: at.board.detail.task_id is None)
        for key in ("c", "A", "s", "a", "d", "e", "t", "<", ">", "y", "i"):
            await press_anew(at, key)
            await until(lambda: said(at))
            assert at.app.screen is at.board
        assert not changed(at)


async def test_a_card_in_the_detail_moves_from_the_status_that_it_is_in(store: Store) -> None:
    async with running(store, *six(), size=(100, 30)) as at:
        await to_board(at)
        columns = [each.status for each in at.board.columns.all]
        await at.press("enter")
        task_id = at.board.detail.task_id
        assert task_id is not None
        move_away(at, task_id)
        await until(lambda: task_id in at.board.columns.all[columns.index(StatusId("standby"))].cards.keys)
        await at.press(">")
        await until(lambda: changed(at) == [task_id])
        (change,) = queue.recent(at.services.store.reading)
        assert change.fields["statusCase"] == columns[columns.index(StatusId("standby")) + 1]


def unread(at: At, conversation_id: str) -> int:
    record = record_lookup.conversation(at.services.store.reading, ConversationId(conversation_id))
    return 0 if record is None else record.unread


def put_message(db: apsw.Connection, conversation_id: ConversationId) -> None:
    threads.put_page(db, conversation_id, [raw_message(1)], start=None, has_more=False, now=1.0)


async def test_read_or_unread_of_many_is_planned_too(store: Store) -> None:
    async with running(store, *six()) as at:
        marked = [ConversationId(each) for each in at.inbox.list.rows.keys[:2]]
        for each in marked:
            store.write(partial(put_message, conversation_id=each)).result()
            at.services.inbox.mark_read(each)
        await until(lambda: not any(unread(at, each) for each in marked))
        await at.press("space", "space", "m")
        words = await planned(at)
        assert all(f"Customer {each[-1]}" in words for each in marked)
        await at.press("y")
        await until(lambda: all(unread(at, each) for each in marked))
        assert at.inbox.state().marked == 0


async def test_undo_and_redo_name_the_task_and_the_customer(store: Store) -> None:
    async with running(store) as at:
        task = record_lookup.task(at.services.store.reading, at.inbox.targets.current().tasks[0])
        assert task is not None
        named = f'"{task.title}" for {task.customer_name}'
        await at.press("c")
        await until(lambda: f"Completed {named} · u undo" in said(at))
        await at.press("u")
        await until(lambda: f"Undone: Status Completed · {named} · U redoes it" in said(at))
        await at.press("U")
        await until(lambda: f"Redone: Status Completed · {named} · u undo" in said(at))


async def test_what_was_done_and_undone_on_many_is_named_too(store: Store) -> None:
    async with running(store, *six()) as at:
        await at.press("space", "space", "c")
        await planned(at)
        await at.press("y")
        await until(lambda: "and 1 more · u undo" in said(at))
        await at.press("u")
        await until(lambda: "Undone: Status Completed · " in said(at) and "and 1 more · U redoes it" in said(at))


def test_marks_alone_are_left_in_lists_that_keep_none() -> None:
    rows = RowList(lambda key, width: ())
    assert not rows.hidden_marks


def fail(task_id: str, db: apsw.Connection) -> None:
    (change,) = queue.live_for(db, task_id)
    queue.move(
        db, change.change_id, ChangeState.REFUSED, expected=tuple(ChangeState), now=1_700_000_001.0, reason="no"
    )


async def to_activity(at: At) -> ActivityScreen:
    await at.press("6")
    await until(lambda: isinstance(at.app.screen, ActivityScreen) and at.app.screen.focused)
    assert isinstance(at.app.screen, ActivityScreen)
    return at.app.screen


async def test_in_an_empty_activity_keys_say_that_nothing_is_selected(store: Store) -> None:
    async with running(store) as at:
        screen = await to_activity(at)
        for key in ("r", "x", "i", "y", "Y"):
            await press_anew(at, key)
            await until(lambda: said(at))
            assert at.app.screen is screen


async def test_a_command_picked_by_name_in_activity_works_on_the_row_that_was_seen(store: Store) -> None:
    async with running(store, *six()) as at:
        await at.press("c", "j", "c")
        await until(lambda: len(changed(at)) == 2)
        refused, waits = changed(at)[0], changed(at)[1]
        store.write(partial(fail, refused)).result()
        screen = await to_activity(at)
        wanted = next(
            f"{each.batch}/{each.label}/0"
            for each in queue.recent(at.services.store.reading)
            if each.target == waits
        )
        await until(lambda: len(screen.rows.keys) == 2)
        assert screen.rows.move_to(wanted)
        await at.press(":")
        await until(lambda: isinstance(at.app.screen, Dialog))
        await at.press(*"drop")
        await quiet(at.app)
        await at.press("enter")
        await until(lambda: "Discarded: " in said(at))
        assert f'on "Task {waits[-1]}" for Customer {waits[-1]}' in said(at)
        states = {each.target: each.state for each in queue.recent(at.services.store.reading)}
        assert states == {refused: ChangeState.REFUSED, waits: ChangeState.DROPPED}


async def test_without_a_campaign_keys_say_that_none_is_selected(store: Store) -> None:
    async with running(store) as at:
        await at.press("3")
        await until(lambda: isinstance(at.app.screen, CampaignsScreen) and at.app.screen.focused)
        screen = at.app.screen
        for key in ("x", "E", "=", "W", "r", "i", "y", "Y"):
            await press_anew(at, key)
            await until(lambda: said(at))
            assert at.app.screen is screen


def watch_three(db: apsw.Connection) -> None:
    ids = [CampaignId(f"c{number}") for number in range(3)]
    campaigns.watch(db, ids, 1_700_000_000.0)
    for each in ids:
        raw = {"id": each, "name": f"Campaign {each[-1]}", "status": "completed", "totalRecipients": 1}
        campaigns.put(db, each, raw, 1_700_000_000.0)


async def test_marked_campaigns_are_named_for_the_report_and_unmarked_by_it(store: Store) -> None:
    store.write(watch_three).result()
    async with running(store) as at:
        await at.press("3")
        await until(lambda: isinstance(at.app.screen, CampaignsScreen) and len(at.app.screen.rows.keys) == 3)
        screen = at.app.screen
        assert isinstance(screen, CampaignsScreen)
        await at.press("space", "space", "x")
        await until(lambda: "to clear the marks" in said(at))
        await at.press("W")
        await until(lambda: isinstance(at.app.screen, Dialog))
        await quiet(at.app)
        names = [f"Campaign {each[-1]}" for each in screen.rows.keys if each in screen.rows.marks]
        assert all(each in shown(at) for each in names)
        assert screen.state().marked == 2
        await at.press("enter")
        await until(lambda: "Saved " in said(at))
        assert screen.state().marked == 0


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "keys"), [("4", "eaDW=XEFiy"), ("5", "iy")])
async def test_where_a_filter_leaves_no_workflow_or_ai_agent_keys_say_so(
    store: Store, mode: str, keys: str
) -> None:
    store.write(put_workflow_and_agent).result()
    async with running(store) as at:
        await at.press(mode)
        await until(lambda: isinstance(at.app.screen, WorkflowsScreen | AiAgentsScreen) and at.app.screen.focused)
        screen = at.app.screen
        assert isinstance(screen, WorkflowsScreen | AiAgentsScreen)
        await until(lambda: screen.list.rows.keys)
        await until(lambda: "Of one" in shown(at))
        await at.press("slash", *"zzz", "enter")
        await until(lambda: not screen.list.rows.keys)
        await until(lambda: "Of one" not in shown(at))
        for key in keys:
            await press_anew(at, key)
            await until(lambda: said(at))
            assert at.app.screen is screen


def put_workflow_and_agent(db: apsw.Connection) -> None:
    now = 1_700_000_000.0
    workflow_store.put_whole(db, whole() | {"id": "w1", "name": "Of one", "lastModified": now - 60}, now)
    agent_store.put(db, [{"id": "a1", "name": "Of one"}], now, lacks="")


async def test_marks_go_with_a_card_that_somebody_else_moves(store: Store) -> None:
    async with running(store, *six()) as at:
        await to_board(at)
        marked = at.board.columns.all[0].cards.keys[0]
        await at.press("space")
        move_away(at, marked)
        await until(lambda: any(marked in each.cards.marks for each in at.board.columns.all[1:]))
        assert at.board.state().marked == 1
        assert at.board.state().hidden_marks == 0


@pytest.mark.parametrize("screen", ["inbox", "board"])
async def test_a_refresh_costs_as_many_queries_however_many_marks_are_hidden(store: Store, screen: str) -> None:
    raws = [raw_task(number, participantsIdentifiers=f"L1#C{number}") for number in range(1, 61)]
    async with running(store, *raws) as at:
        if screen == "board":
            await to_board(at)
        rows = at.board.cursor.column.cards if screen == "board" else at.inbox.list.rows
        listed = [*rows.keys]
        read = at.board.show_cards if screen == "board" else at.inbox.list.read_again
        await at.press("slash")
        await quiet(at.app)
        await at.press(*"zzz", "enter")
        await until(lambda: not rows.keys)
        costs = []
        for count in (2, 50):
            rows.mark(listed[:count])
            assert len(rows.hidden_marks) == count
            costs.append(queries(at, read))
        assert costs[0] == costs[1]


def queries(at: At, read: Callable[[], None]) -> int:
    """How many statements of SQL this takes."""
    seen: list[str] = []

    def trace(cursor: object, statement: str, values: object) -> bool:
        seen.append(statement)
        return True

    at.store.reading.exec_trace = trace
    try:
        read()
    finally:
        at.store.reading.exec_trace = None
    return len(seen)


async def test_a_task_that_somebody_else_completed_gives_its_place_to_none(store: Store) -> None:
    async with running(store, *two_tasks()) as at:
        await until(lambda: 'complete "Late delivery"' in footer(at))
        move_away(at, "t1", "completed")
        await until(lambda: list(at.inbox.facts.tasks.keys) == ["t7", "t1"])
        await at.press("c")
        await until(lambda: '"Late delivery" for Customer 1 is already completed' in said(at))
        assert not changed(at)


async def test_before_any_row_is_drawn_keys_say_that_the_list_is_loading(store: Store) -> None:
    clock = Clock()
    services = Services(store, Profile("test", Hosts(*["http://127.0.0.1:9"] * 5)), clock=clock)
    app = FrontdeskApp(AppContext(services.store, services.outbox, glyphs(False), UTC, clock, keymap=KEYMAP))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until(lambda: isinstance(app.current_screen, InboxScreen) and app.current_screen.is_painted)
        await quiet(app)
        at = At(app, pilot, store, clock)
        for key in ("C", "c", "t", "m"):
            await press_anew(at, key)
            await until(lambda: "The list is still loading." in said(at))
        store.write(lambda db: clients.write_health(db, Health(Connection.OFFLINE, "no network"))).result()
        end_burst(at)
        await at.press("C")
        await until(lambda: "Nothing has been loaded yet." in said(at))


async def test_where_a_row_is_drawn_its_customer_is_the_one_the_wizard_is_for(store: Store) -> None:
    async with running(store, size=(80, 24)) as at:
        store.write(lambda db: task_store.put(db, [raw_task(1)])).result()
        await until(lambda: at.inbox.list.rows.keys)
        at.app.clear_notifications()
        await at.press("C")
        await until(lambda: at.app.screen is not at.inbox or said(at))
        assert "No conversation" not in said(at)
        assert "loading" not in said(at)


@pytest.mark.parametrize(("marks", "words"), [
    (1, '"Task 1" for Customer 1 is already completed.'),
    (5, '5 are already completed: "Task 1" for Customer 1, "Task 2" for Customer 2, "Task 3" for Customer 3'
        " and 2 more."),
])  # fmt: skip
async def test_marks_that_are_so_already_are_named_and_cleared(store: Store, marks: int, words: str) -> None:
    done = {f"t{each}": {"statusCase": "completed"} for each in range(1, 7)}
    async with running(store, *six(**done)) as at:
        at.inbox.list.sort(ConversationOrder.NAME)
        keys = sorted(at.inbox.list.rows.keys)[1 : marks + 1]
        at.inbox.list.rows.mark(keys)
        at.inbox.list.rows.move_to(sorted(at.inbox.list.rows.keys)[0])
        await quiet(at.app)
        await at.press("c")
        await until(lambda: "already" in said(at))
        assert words in said(at)
        assert at.inbox.state().marked == 0
        assert not changed(at)


async def test_keys_typed_for_a_dialog_that_does_not_come_are_dropped(store: Store) -> None:
    done = {f"t{each}": {"statusCase": "completed"} for each in range(6)}
    async with running(store, *six(**done)) as at:
        rows = at.inbox.list.rows
        rows.mark(rows.keys[1:3])
        here = rows.cursor_key
        await quiet(at.app)
        copied: list[str] = []
        at.app.copy_to_clipboard = copied.append  # type: ignore[method-assign]
        for key in ("c", "y", "j"):
            at.app.post_message(events.Key(key, key))
        await until(lambda: "already" in said(at))
        await at.pilot.pause()
        assert (rows.cursor_key, copied) == (here, [])
        later = events.Key("j", "j")
        later.time += 2 * BURST_SECONDS
        at.app.post_message(later)
        await until(lambda: rows.cursor_key != here)
