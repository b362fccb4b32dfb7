"""What a key works on is seen and named: marks, filters, several tasks of one customer, and rows that move."""

from collections.abc import Callable
from datetime import UTC
from functools import partial

import apsw
import pytest
from textual import events

from flows.checks.sample_workflows import whole
from frontdesk.activity.tui.screen import ActivityScreen
from frontdesk.ai_agents import store as agent_store
from frontdesk.ai_agents.tui import AiAgentsScreen
from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.campaigns.store import campaigns
from frontdesk.campaigns.tui.screen import CampaignsScreen
from frontdesk.inbox.store import threads
from frontdesk.inbox.tui.screen import InboxScreen
from frontdesk.outbox import queue
from frontdesk.registry.keymap import KEYMAP
from frontdesk.storage import clients, record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeState, Connection, ConversationOrder, Health
from frontdesk.tasks import changes as task_changes
from frontdesk.tasks import store as task_store
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.base import Dialog
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.tui.screen import WorkflowsScreen
from frontdesk_api.contract.ids import CampaignId, ConversationId, StatusId
from frontdesk_lines.glyphs import glyphs
from frontdesk_lines.lines import span
from frontdesk_lines.textual_compat.key_queue import BURST_SECONDS
from frontdesk_lines.widgets.row_list import RowList
from kit import At, Clock, profile, running
from sample_json import raw_message, raw_task
from services import Services
from tasks.tui.targets import (
    back,
    burst,
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
from tui.hosts import quiet, turn_wheel, until

pytestmark = pytest.mark.anyio


def task_title(at: At, task_id: str) -> str:
    task = record_lookup.task(at.store.reading, task_id)  # type: ignore[arg-type]
    assert task is not None
    return f'"{task.title}" for {task.customer_name}'


async def test_marked_rows_are_planned_by_name_and_unmarked_by_what_was_done_on_them(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError("database or disk is full")

    async with running(store, *six()) as at:
        far, *others = at.inbox.list.rows.keys
        await at.press("space", "j", "j")
        await until(lambda: at.inbox.thread.conversation_id == at.inbox.list.cursor != far)
        await at.press("c")
        assert f"Customer {far[-1]}  Task {far[-1]}" in await planned(at), "one away from the cursor"
        assert not at.changed
        await refuse(at)
        assert at.inbox.state().marked == 1, "marks outlast a plan that was cancelled"
        await at.press("c")
        await planned(at)
        await at.press("y")
        await until(lambda: at.changed == [f"t{far[-1]}"])
        assert at.inbox.state().marked == 0, "marks don't outlast what was done on them"

        here = at.inbox.list.cursor
        assert here is not None
        await press_anew(at, "space", "k")
        assert (at.inbox.list.cursor, at.inbox.state().marked) == (here, 1)
        await at.press("c")
        await until(lambda: at.changed == sorted([f"t{far[-1]}", f"t{here[-1]}"]))
        assert at.app.screen is at.inbox, "the row under the cursor alone is worked on at once"
        assert at.inbox.state().marked == 0

        end_burst(at)
        at.inbox.list.rows.mark([each for each in others if each != here][:2])
        await at.press("c")
        await planned(at)
        with monkeypatch.context() as patch:
            patch.setattr(task_changes, "set_fields", full)
            await at.press("y")
            await until(lambda: "disk is full" in at.toasts)
        assert at.inbox.state().marked == 2, "marks stay where it could not be saved"


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
            await until(lambda done=done: len(at.changed) == 2 * (done + 1))  # type: ignore[misc]
            assert at.app.current_screen.state().marked == 0
            await until(lambda: "marked" not in at.footer)


async def test_marks_outlast_a_filter_are_counted_and_listed_by_name(store: Store) -> None:
    async with running(store, *six(t1={"customer": {"phoneNumberId": "C1", "customerName": "Zebra"}})) as at:
        rows = at.inbox.list.rows
        first, second = rows.keys[:2]
        assert rows.cursor_key == first
        await at.press("space", "space", "slash", *"zzz", "enter")
        await until(lambda: "2 marked, 2 not listed" in at.footer)
        assert at.inbox.back_actions.clear_filter()
        await until(lambda: len(rows.keys) == 6)
        assert rows.marks == {first, second}, "they are on their rows again"
        await until(lambda: "2 marked" in at.footer and "not listed" not in at.footer)
        await at.press("slash", "z", "e", "enter")
        await until(lambda: list(rows.keys) == [second])
        await until(lambda: "2 marked, 1 not listed" in at.footer)
        await at.press("c")
        words = await planned(at)
        assert f"Customer {first[-1]}" in words
        assert "Zebra" in words
        await refuse(at)
        await at.press("escape", "escape")
        await until(lambda: len(rows.keys) == 6)
        assert not at.inbox.state().marked


async def test_where_the_filter_leaves_nothing_no_key_has_a_target_until_the_list_is_back(store: Store) -> None:
    async with running(store, *six()) as at:
        assert at.inbox.thread.conversation_id is not None
        await at.press("slash", "x", "enter")
        await until(lambda: not at.inbox.list.rows.keys)
        await until(lambda: at.inbox.thread.conversation_id is None)
        assert at.inbox.facts.conversation_id is None
        assert not at.inbox.query_one("#target").region
        assert "No conversation is open." in at.text
        assert "Customer 0" not in at.text
        for key in ("c", "A", "s", "a", "d", "e", "t", "m", "C"):
            await press_anew(at, key)
            await until(lambda: "No conversation is selected." in at.toasts)
            assert at.app.screen is at.inbox
        for key in ("o", "y", "i"):
            await press_anew(at, key)
            await until(lambda: at.toasts)
            assert at.app.screen is at.inbox
        assert not at.changed
        await at.press("escape")
        await until(lambda: at.inbox.list.cursor is not None)
        await until(lambda: at.inbox.thread.conversation_id == at.inbox.list.cursor)


@pytest.mark.slow
async def test_of_several_open_tasks_one_is_named_at_every_size(store: Store) -> None:
    """In the footer, or where the customer's tasks aren't on the screen, in a line above the thread."""
    cases = (
        ((140, 30), "", 'c complete "Late delivery"'),
        ((80, 24), "", 'c complete "Late delivery"'),
        ((80, 24), "enter", "Late delivery · unassigned · due"),
        ((100, 30), "escape", "Late delivery · due"),
        ((140, 30), "l z", "Late delivery · unassigned · due"),
    )
    async with running(store, *two_tasks(), as_profile=profile(me="me")) as at:
        await until(lambda: at.inbox.facts.tasks.keys == ["t1", "t7"])
        for done, (size, keys, named) in enumerate(cases):
            await at.pilot.resize_terminal(*size)
            await press_anew(at, *keys.split())
            await at.sees(named)
            await quiet(at.app)
            is_in_footer = named.startswith("c complete")
            assert is_in_footer is ('c complete "' in at.footer), (size, "it is named once")
            assert is_in_footer or "1 of 2" in at.text, size
            assert is_in_footer is not bool(at.inbox.query_one("#target").region), size
            await press_anew(at, "c")
            await until(lambda: 'Completed "Late delivery" for Customer 1 · u undo' in at.toasts)
            assert at.changed == ["t1"] * (done + 1)
            assert at.app.screen is at.inbox
            if done + 1 < len(cases):
                await press_anew(at, "u")
                await until(lambda: "Undone: " in at.toasts)
        await press_anew(at, "a")
        await at.sees("Assign · completed: Late delivery (Customer 1)")
        await refuse(at)
        await press_anew(at, "A")
        await until(lambda: '"Late delivery" for Customer 1 (completed) · ' in at.toasts)


async def test_the_line_above_the_thread_says_of_marks_how_many(store: Store) -> None:
    async with running(store, *six(), size=(100, 30)) as at:
        await at.sees("Task 0 · ")
        await at.press("space", "space")
        await at.sees("▣ 2 marked conversations")
        await at.press("escape")
        await until(lambda: "marked conversations" not in at.text)


async def test_where_the_footer_has_no_room_for_the_name_the_key_asks(store: Store) -> None:
    async with running(store, *two_tasks(), size=(60, 15), as_profile=profile(me="me")) as at:
        at.inbox.status_bar.line.set_left((), (span("x" * 44),))
        await until(lambda: "Late" not in at.footer)
        await at.press("A")
        assert "Customer 1  Late delivery" in await planned(at)
        await refuse(at)
        burst(at, "c enter")
        assert "Customer 1  Late delivery" in await planned(at), "a key in a burst behind it is no answer"
        assert not at.changed
        await at.press("y")
        await until(lambda: at.changed == ["t1"])


async def test_the_task_of_another_conversation_of_the_cursor_beside_it_and_of_what_somebody_completed(
    store: Store,
) -> None:
    others = [
        raw_task(2, title="Refund", dueDate=1_700_001_500),
        raw_task(8, title="Invoice", dueDate=1_700_002_500, participantsIdentifiers="L1#C2"),
    ]
    async with running(store, *two_tasks(), *others, size=(180, 40)) as at:
        at.inbox.navigation.open_conversation(ConversationId("L1#C1"))
        assert at.inbox.facts.tasks.move_to("t7")
        at.inbox.navigation.open_conversation(ConversationId("L1#C2"))
        assert at.inbox.targets.current().tasks == ("t2",), "the most urgent one"
        at.inbox.navigation.open_conversation(ConversationId("L1#C1"))
        await until(lambda: 'complete "Late delivery"' in at.footer)
        move_away(at, "t1", "completed")
        await until(lambda: list(at.inbox.facts.tasks.keys) == ["t7", "t1"])
        await press_anew(at, "c")
        await until(lambda: '"Late delivery" for Customer 1 is already completed' in at.toasts)
        assert not at.changed, "it gives its place to none"
        at.inbox.panes.focus_pane(at.inbox.facts)
        await press_anew(at, "k")
        await until(lambda: 'c complete "Wrong colour"' in at.footer)
        await at.press("c")
        await until(lambda: at.changed == ["t7"])


async def test_the_plan_names_or_counts_the_other_open_tasks_that_it_leaves_as_they_are(store: Store) -> None:
    others = [raw_task(2, title="Refund"), raw_task(3, title="Invoice")]
    is_done = raw_task(9, title="Old", participantsIdentifiers="L1#C2", statusCase="completed")
    more = [raw_task(number, participantsIdentifiers="L1#C1") for number in range(10, 13)]
    async with running(store, *two_tasks(), *others, is_done) as at:
        await at.press("V", "c")
        words = await planned(at)
        assert "3 tasks will change" in words
        assert "Also open, but not changed: Wrong colour (Customer 7)." in words
        assert "Customer 1  Late delivery" in words
        assert words.count("Wrong colour (Customer 7)") == 1
        assert words.count("others stay") == 1, "so that one sees whose tasks these are"
        await refuse(at)
        store.write(lambda db: task_store.put(db, more)).result()
        await at.press("c")
        assert "1 customer has other open tasks, which don't change." in await planned(at)
        await at.press("y")
        await until(lambda: at.changed == ["t1", "t2", "t3"])


async def test_a_card_that_came_under_the_cursor_by_itself_is_asked_about_and_a_burst_is_no_answer(
    store: Store,
) -> None:
    async with running(store, *[raw_task(number, dueDate=1_800_000_000 + number) for number in range(8)]) as at:
        await to_board(at)
        cards = at.board.cursor.column.cards
        for keys in ("c y", "> enter", "s 3"):
            seen, follows = cards.keys[:2]
            move_away(at, seen)
            await until(lambda follows=follows: cards.cursor_key == follows)  # type: ignore[misc]
            burst(at, keys)
            await until(lambda: isinstance(at.app.screen, Dialog) and not at.app.is_dialog_opening)
            await quiet(at.app)
            assert isinstance(at.app.screen, Dialog), keys
            assert not at.changed, keys
            if keys == "s 3":
                await at.press("escape")
            else:
                words = await planned(at)
                assert f"Customer {follows[-1]}  Task {follows[-1]}" in words
                assert "The list changed; the cursor" in words
                await at.press("enter")  # no is the answer that is near
            await back(at)
            await press_anew(at, "j", "k")
        done: list[str] = []
        for key, refusals in (("c", 2), (">", 0)):
            seen, follows = cards.keys[:2]
            move_away(at, seen)
            await until(lambda follows=follows: cards.cursor_key == follows)  # type: ignore[misc]
            for _ in range(refusals):  # no is no choice
                await press_anew(at, key)
                await planned(at)
                await refuse(at)
            assert at.changed == sorted(done)
            await press_anew(at, key)
            await planned(at)
            await at.press("y")
            done.append(follows)
            await until(lambda: at.changed == sorted(done))
            await back(at)
            await until(lambda follows=follows: follows not in cards.keys)  # type: ignore[misc]
            await press_anew(at, "j", "k")


@pytest.mark.slow
async def test_after_the_wheel_a_key_asks_about_a_row_on_the_screen(store: Store) -> None:
    raws = [raw_task(number, dueDate=1_800_000_000 + number) for number in range(40)]
    async with running(store, *raws, as_profile=profile(me="me")) as at:
        rows: RowList = at.inbox.list.rows
        await turn_wheel(rows, 5)
        here = rows.cursor_key
        await at.press("space")
        assert rows.marks == {here}, "marks and messages are those on the screen, too"
        assert here in {rows.key_at(y) for y in range(rows.size.height)}
        await at.press("escape", "g")
        at.inbox.list.sort(ConversationOrder.DUE)
        for screen in ("inbox", "board"):
            if screen == "board":
                await to_board(at)
                rows = at.board.cursor.column.cards
            before, first = at.changed, rows.keys[0]
            rows.move_to(first)
            await press_anew(at, "j", "k")
            await turn_wheel(rows, 5)
            assert rows.cursor_key == rows.keys[rows.rows_above + rows.cursor_line % rows.row_height] != first
            number = (rows.cursor_key or "").lstrip("L1#Ct")
            for key in ("c", "s", "t", "A"):
                end_burst(at)
                await at.press(key)
                await until(lambda: isinstance(at.app.screen, Dialog) and not at.app.is_dialog_opening)
                if key in "cA":
                    words = await planned(at)
                    assert f"Customer {number}  Task {number}" in words
                    assert "The list was scrolled; the cursor" in words
                if key != "A":
                    await refuse(at)
            assert at.changed == before
            for key, count in (("y", 1), ("c", 2)):
                await at.press(key)
                done = sorted([*before, *[f"t{number}"] * count])
                await until(lambda done=done: at.changed == done)  # type: ignore[misc]


async def test_on_the_board_marks_and_keys_mean_the_cards_that_one_saw(store: Store) -> None:
    async with running(store, *six()) as at:
        await to_board(at)
        cards = at.board.columns.all[0].cards
        first, second = cards.keys[:2]
        await at.press("space", "space")
        await at.opens(Dialog, "slash")
        await at.types(f"Customer {second[-1]}")
        await at.press("enter")
        await until(lambda: rows_of(at) == [second])
        await until(lambda: "2 marked, 1 not listed" in at.footer)
        move_away(at, first)
        await at.press("c")
        words = await planned(at)
        assert f"Customer {first[-1]}" in words
        assert f"Customer {second[-1]}" in words
        await at.press("y")
        await until(lambda: at.changed == sorted((first, second)))
        assert at.board.state().marked == 0
        await back(at)
        await at.press("escape")
        await until(lambda: len(cards.keys) == 4)

        done = [first, second]
        await press_anew(at, "g")
        for each in cards.keys[:3]:  # one after the other, without a question
            done.append(each)
            await at.press("c")
            await until(lambda each=each: at.changed == sorted(done) and each not in cards.keys)  # type: ignore[misc]
        assert at.app.screen is at.board

        (marked,) = cards.keys
        await press_anew(at, "space")
        move_away(at, marked)
        await until(lambda: any(marked in each.cards.marks for each in at.board.columns.all[1:]))
        assert (at.board.state().marked, at.board.state().hidden_marks) == (1, 0), "marks go with their card"


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
        await until(lambda: at.changed == [task_id])
        (change,) = queue.recent(at.store.reading)
        assert change.fields["statusCase"] == columns[columns.index(StatusId("standby")) + 1]


@pytest.mark.slow
async def test_a_filter_that_leaves_no_card_leaves_no_target_and_no_detail(store: Store) -> None:
    async with running(store, *six()) as at:
        await to_board(at)
        await at.press("enter")
        await until(lambda: at.board.detail.task_id is not None)
        await at.opens(Dialog, "slash")
        await at.press("x", "enter")
        await until(lambda: not rows_of(at))
        await until(lambda: at.board.detail.task_id is None)
        for key in ("c", "A", "s", "a", "d", "e", "t", "<", ">", "y", "i"):
            await press_anew(at, key)
            await until(lambda: at.toasts)
            assert at.app.screen is at.board
        assert not at.changed


async def test_read_or_unread_of_many_is_planned_too(store: Store) -> None:
    def unread(at: At, here: ConversationId) -> int:
        record = record_lookup.conversation(at.store.reading, here)
        return 0 if record is None else record.unread

    def put_message(db: apsw.Connection, here: ConversationId) -> None:
        threads.put_page(db, here, [raw_message(1)], start=None, has_more=False, now=1.0)

    async with running(store, *six()) as at:
        marked = [ConversationId(each) for each in at.inbox.list.rows.keys[:2]]
        for each in marked:
            store.write(partial(put_message, here=each)).result()
            at.services.inbox.mark_read(each)
        await until(lambda: not any(unread(at, each) for each in marked))
        await at.press("space", "space", "m")
        words = await planned(at)
        assert all(f"Customer {each[-1]}" in words for each in marked)
        await at.press("y")
        await until(lambda: all(unread(at, each) for each in marked))
        assert at.inbox.state().marked == 0


async def test_undo_and_redo_name_the_task_and_the_customer_and_of_many_the_first(store: Store) -> None:
    async with running(store, *six()) as at:
        named = task_title(at, at.inbox.targets.current().tasks[0])
        await at.press("c")
        await until(lambda: f"Completed {named} · u undo" in at.toasts)
        await at.press("u")
        await until(lambda: f"Undone: Status Completed · {named} · U redoes it" in at.toasts)
        await at.press("U")
        await until(lambda: f"Redone: Status Completed · {named} · u undo" in at.toasts)
        await press_anew(at, "j", "space", "space", "c")
        await planned(at)
        await at.press("y")
        await until(lambda: "and 1 more · u undo" in at.toasts)
        await at.press("u")
        await until(lambda: "Undone: Status Completed · " in at.toasts and "and 1 more · U redoes it" in at.toasts)


def test_marks_alone_are_left_in_lists_that_keep_none() -> None:
    rows = RowList(lambda key, width: ())
    assert not rows.hidden_marks


async def test_without_a_change_or_a_campaign_keys_say_that_none_is_selected(store: Store) -> None:
    async with running(store) as at:
        for mode, kind, keys in (
            ("6", ActivityScreen, ("r", "x", "i", "y", "Y")),
            ("3", CampaignsScreen, ("x", "E", "=", "W", "r", "i", "y", "Y")),
        ):
            await at.press(mode)
            await until(lambda kind=kind: isinstance(at.app.screen, kind) and at.app.screen.focused)  # type: ignore[misc]
            screen = at.app.screen
            for key in keys:
                await press_anew(at, key)
                await until(lambda: at.toasts)
                assert at.app.screen is screen, key


async def test_a_command_picked_by_name_in_activity_works_on_the_row_that_was_seen(store: Store) -> None:
    def fail(db: apsw.Connection, task_id: str) -> None:
        (change,) = queue.live_for(db, task_id)
        queue.move(db, change.change_id, ChangeState.REFUSED, expected=tuple(ChangeState), now=1.7e9, reason="no")

    async with running(store, *six()) as at:
        await at.press("c", "j", "c")
        await until(lambda: len(at.changed) == 2)
        refused, waits = at.changed
        store.write(lambda db: fail(db, refused)).result()
        await at.press("6")
        await until(lambda: isinstance(at.app.screen, ActivityScreen) and len(at.app.screen.rows.keys) == 2)
        screen = at.on(ActivityScreen)
        (wanted,) = (
            f"{each.batch}/{each.label}/0" for each in queue.recent(at.store.reading) if each.target == waits
        )
        assert screen.rows.move_to(wanted)
        await at.opens(Dialog, ":")
        await at.types("drop")
        await quiet(at.app)
        await at.press("enter")
        await until(lambda: "Discarded: " in at.toasts)
        assert f'on "Task {waits[-1]}" for Customer {waits[-1]}' in at.toasts
        states = {each.target: each.state for each in queue.recent(at.store.reading)}
        assert states == {refused: ChangeState.REFUSED, waits: ChangeState.DROPPED}


async def test_marked_campaigns_are_named_for_the_report_and_unmarked_by_it(store: Store) -> None:
    def watch_three(db: apsw.Connection) -> None:
        ids = [CampaignId(f"c{number}") for number in range(3)]
        campaigns.watch(db, ids, 1_700_000_000.0)
        for each in ids:
            raw = {"id": each, "name": f"Campaign {each[-1]}", "status": "completed", "totalRecipients": 1}
            campaigns.put(db, each, raw, 1_700_000_000.0)

    store.write(watch_three).result()
    async with running(store) as at:
        await at.press("3")
        await until(lambda: isinstance(at.app.screen, CampaignsScreen) and len(at.app.screen.rows.keys) == 3)
        screen = at.on(CampaignsScreen)
        await at.press("space", "space", "x")
        await until(lambda: "to clear the marks" in at.toasts)
        await at.opens(Dialog, "W")
        names = [f"Campaign {each[-1]}" for each in screen.rows.keys if each in screen.rows.marks]
        assert all(each in at.text for each in names)
        assert screen.state().marked == 2
        await at.press("enter")
        await until(lambda: "Saved " in at.toasts)
        assert screen.state().marked == 0


@pytest.mark.slow
async def test_where_a_filter_leaves_no_workflow_or_ai_agent_keys_say_so(store: Store) -> None:
    def put_workflow_and_agent(db: apsw.Connection) -> None:
        now = 1_700_000_000.0
        workflow_store.put_whole(db, whole() | {"id": "w1", "name": "Of one", "lastModified": now - 60}, now)
        agent_store.put(db, [{"id": "a1", "name": "Of one"}], now, lacks="")

    store.write(put_workflow_and_agent).result()
    async with running(store) as at:
        for mode, kind, keys in (("4", WorkflowsScreen, "eaDW=XEFiy"), ("5", AiAgentsScreen, "iy")):
            await at.press(mode)
            await until(lambda kind=kind: isinstance(at.app.screen, kind) and at.app.screen.focused)  # type: ignore[misc]
            screen = at.app.screen
            assert isinstance(screen, WorkflowsScreen | AiAgentsScreen)
            await until(lambda screen=screen: screen.list.rows.keys)  # type: ignore[misc]
            await at.sees("Of one")
            await at.press("slash", "x", "enter")
            await until(lambda screen=screen: not screen.list.rows.keys)  # type: ignore[misc]
            await until(lambda: "Of one" not in at.text)
            for key in keys:
                await press_anew(at, key)
                await until(lambda: at.toasts)
                assert at.app.screen is screen


async def test_a_refresh_costs_as_many_queries_however_many_marks_are_hidden(store: Store) -> None:
    raws = [raw_task(number, participantsIdentifiers=f"L1#C{number}") for number in range(1, 61)]
    async with running(store, *raws) as at:
        for screen in ("inbox", "board"):
            if screen == "board":
                await to_board(at)
            rows = at.board.cursor.column.cards if screen == "board" else at.inbox.list.rows
            listed = [*rows.keys]
            read = at.board.show_cards if screen == "board" else at.inbox.list.read_again
            await at.press("slash")
            await quiet(at.app)
            await at.press("x", "enter")
            await until(lambda rows=rows: not rows.keys)  # type: ignore[misc]
            costs = []
            for count in (2, 50):
                rows.mark(listed[:count])
                assert len(rows.hidden_marks) == count
                costs.append(queries(at, read))
            assert costs[0] == costs[1], screen


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


async def test_keys_say_that_the_list_is_loading_until_a_row_is_drawn(store: Store) -> None:
    clock = Clock()
    services = Services(store, profile(), clock=clock)
    app = FrontdeskApp(AppContext(services.store, services.outbox, glyphs(False), UTC, clock, keymap=KEYMAP))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until(lambda: isinstance(app.current_screen, InboxScreen) and app.current_screen.is_painted)
        await quiet(app)
        at = At(app, pilot, store, clock)
        for key in ("C", "c", "t", "m"):
            await press_anew(at, key)
            await until(lambda: "The list is still loading." in at.toasts)
        store.write(lambda db: clients.write_health(db, Health(Connection.OFFLINE, "no network"))).result()
        await press_anew(at, "C")
        await until(lambda: "Nothing has been loaded yet." in at.toasts)
        store.write(lambda db: task_store.put(db, [raw_task(1)])).result()
        await until(lambda: at.inbox.list.rows.keys)
        await press_anew(at, "C")
        await until(lambda: at.app.screen is not at.inbox or at.toasts)
        assert "No conversation" not in at.toasts, "the row that is drawn has a customer"
        assert "loading" not in at.toasts


async def test_marks_that_are_so_already_are_named_and_cleared_and_keys_typed_for_a_plan_are_dropped(
    store: Store,
) -> None:
    done = {f"t{each}": {"statusCase": "completed"} for each in range(6)}
    async with running(store, *six(**done)) as at:
        at.inbox.list.sort(ConversationOrder.NAME)
        rows = at.inbox.list.rows
        for marks, words in (
            (1, '"Task 1" for Customer 1 is already completed.'),
            (5, '5 are already completed: "Task 1" for Customer 1, "Task 2" for Customer 2, "Task 3" for '
                "Customer 3 and 2 more."),
        ):  # fmt: skip
            rows.mark(sorted(rows.keys)[1 : marks + 1])
            rows.move_to(sorted(rows.keys)[0])
            await quiet(at.app)
            await press_anew(at, "c")
            await until(lambda words=words: words in at.toasts)  # type: ignore[misc]
            assert at.inbox.state().marked == 0
            assert not at.changed
        at.app.clear_notifications()
        end_burst(at)
        rows.mark(rows.keys[1:3])
        here = rows.cursor_key
        await quiet(at.app)
        copied: list[str] = []
        at.app.copy_to_clipboard = copied.append  # type: ignore[method-assign]
        for key in ("c", "y", "j"):
            at.app.post_message(events.Key(key, key))
        await until(lambda: "already" in at.toasts)
        await at.pilot.pause()
        assert (rows.cursor_key, copied) == (here, [])
        later = events.Key("j", "j")
        later.time += 2 * BURST_SECONDS
        at.app.post_message(later)
        await until(lambda: rows.cursor_key != here)
