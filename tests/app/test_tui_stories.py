"""What a person does in the inbox and on the board, over the sandbox and a running engine."""

import pytest
from textual import events
from textual.widgets import Input

from app.tui_story import SIZE, At, story
from frontdesk.activity.tui.screen import ActivityScreen
from frontdesk.inbox.store import conversations as conversation_store
from frontdesk.inbox.store import thread_pages
from frontdesk.inbox.store import threads as thread_store
from frontdesk.inbox.tui.screen import InboxScreen
from frontdesk.outbox import bulk as outbox_bulk
from frontdesk.outbox import queue as outbox_queue
from frontdesk.storage import clients, record_lookup
from frontdesk.storage.records import ChangeState, Connection, ConversationOrder
from frontdesk.tasks import store as task_store
from frontdesk.tasks.tui.dialogs import EditDialog
from frontdesk.tasks.tui.screen import BoardScreen
from frontdesk.tui.dialogs.base import Dialog
from frontdesk.tui.dialogs.confirm import ConfirmDialog
from frontdesk.tui.dialogs.help import CommandsDialog
from frontdesk_api.contract.ids import ConversationId, StatusId, TaskId
from frontdesk_lines.content import plain
from frontdesk_lines.widgets.pane import Pane
from sandbox.asking import Sandbox
from sync.running_engine import Start
from tui.hosts import text_of

pytestmark = pytest.mark.slow


def task_of(at: At) -> TaskId:
    return at.inbox.facts.task_targets[0]


def status_of(at: At, task_id: TaskId) -> str:
    task = record_lookup.task(at.it.services.store.reading, task_id)
    assert task is not None
    return task.status


def with_a_task(at: At) -> ConversationId:
    """A conversation with an open task, under the cursor."""
    task = record_lookup.task(
        at.it.services.store.reading,
        task_store.ids_of_status(at.it.services.store.reading, StatusId("open"), 1)[0],
    )
    assert task is not None
    assert task.conversation_id is not None
    at.inbox.navigation.open_conversation(task.conversation_id)
    return task.conversation_id


def test_the_thread_follows_the_cursor_after_a_pause(works: Start) -> None:
    async def tell(at: At) -> None:
        await at.press("j", "j", "j")
        assert at.inbox.list.cursor == at.inbox.list.rows.keys[3]
        await at.until(lambda: at.thread.conversation_id == at.inbox.list.cursor)
        assert at.thread.rows.keys

    story(works, tell)


def test_a_status_is_shown_at_once_and_then_confirmed_by_the_platform(works: Start) -> None:
    async def tell(at: At) -> None:
        with_a_task(at)
        task_id = task_of(at)
        await at.press("s", "5")
        await at.until(lambda: status_of(at, task_id) == "completed")
        await at.until(lambda: outbox_bulk.unconfirmed_count(at.it.services.store.reading) == 0)
        await at.press("2")
        await at.until(lambda: isinstance(at.app.current_screen, BoardScreen) and at.board.is_current)
        column = next(each for each in at.board.query("Column").results() if each.status == "completed")  # type: ignore[attr-defined]
        assert task_id in column.cards.keys  # type: ignore[attr-defined]

    story(works, tell)


def test_a_dialog_never_retargets_when_the_list_is_sorted_anew(works: Start, sandbox: Sandbox) -> None:
    async def tell(at: At) -> None:
        here = with_a_task(at)
        task_id = task_of(at)
        await at.press("s")
        at.inbox.list.sort(ConversationOrder.NAME)
        at.inbox.list.rows.move_to(at.inbox.list.rows.keys[-1])
        await at.until(lambda: at.thread.conversation_id != here)
        await at.press("5")
        await at.until(lambda: status_of(at, task_id) == "completed")
        assert {change.target for change in outbox_queue.recent(at.it.services.store.reading)} == {task_id}

    story(works, tell)


def test_tags_wait_and_u_takes_them_back_unsent(works: Start) -> None:
    async def tell(at: At) -> None:
        here = with_a_task(at)
        await at.press("t", "v", "i", "p", "enter")
        await at.until(lambda: outbox_queue.added_tags(at.it.services.store.reading, here))
        await at.press("u")
        await at.until(lambda: not outbox_queue.added_tags(at.it.services.store.reading, here))
        assert outbox_queue.recent(at.it.services.store.reading)[0].state is ChangeState.UNDONE
        assert not [path for _, path in at.it.line.seen if path.endswith("/tags")]

    story(works, tell)


def test_due_is_set_in_words(works: Start) -> None:
    async def tell(at: At) -> None:
        with_a_task(at)
        task_id = task_of(at)
        await at.press("d", "space", *"2030-05-06", "space", *"10:30", "enter")
        await at.until(lambda: outbox_queue.recent(at.it.services.store.reading))
        task = record_lookup.task(at.it.services.store.reading, task_id)
        assert task is not None
        assert task.due_at == 1904293800.0

    story(works, tell)


def test_marked_conversations_are_worked_on_together_and_undone_as_one(works: Start) -> None:
    async def tell(at: At) -> None:
        await at.press("space", "space")
        marked = at.inbox.list.targets
        assert len(marked) == 2
        await at.press("t", "v", "i", "p", "enter")
        await at.until(lambda: isinstance(at.app.screen, ConfirmDialog))
        await at.press("y")
        await at.until(lambda: all(outbox_queue.added_tags(at.it.services.store.reading, each) for each in marked))
        await at.press("u")
        await at.until(
            lambda: not any(outbox_queue.added_tags(at.it.services.store.reading, each) for each in marked)
        )

    story(works, tell)


def test_a_filter_shows_what_matches_and_esc_shows_all_again(works: Start) -> None:
    async def tell(at: At) -> None:
        everything = len(at.inbox.list.rows.keys)

        def all_match() -> bool:
            rows = [ConversationId(key) for key in at.inbox.list.rows.keys]
            found = record_lookup.conversations(at.it.services.store.reading, rows)
            return 0 < len(found) == len(rows) < everything and all(
                "alice" in each.name.casefold() for each in found
            )

        await at.press("G", "/", *"alice")
        await at.until(all_match)  # the list is also filtered by the letters before the last
        assert at.inbox.list.cursor == at.inbox.list.rows.keys[0]
        await at.press("enter", "escape")
        await at.until(lambda: len(at.inbox.list.rows.keys) == everything)

    story(works, tell)


def test_older_messages_load_as_one_scrolls_up_until_the_thread_begins(works: Start) -> None:
    async def tell(at: At) -> None:
        db = at.it.services.store.reading
        unfinished = [
            each
            for each in conversation_store.ids(db, ConversationOrder.ACTIVITY)
            if (stretches := thread_store.segments(db, each)) and not stretches[-1].complete
        ]
        counts = {each: len(thread_pages.page_before(db, each, None, 10_000)) for each in unfinished}
        here = min(unfinished, key=lambda each: counts[each])
        at.inbox.navigation.open_conversation(here)
        await at.press("enter")
        before = at.it.line.count("POST")

        def known() -> int:
            return len(thread_pages.page_before(db, here, None, 10_000))

        for _ in range(40):
            had, oldest = known(), at.thread.rows.keys[0]
            if thread_store.segments(db, here)[-1].complete:
                break
            await at.press("pageup", "g")
            await at.until(lambda had=had, oldest=oldest: known() > had or at.thread.rows.keys[0] != oldest)
        assert known() > counts[here]
        assert at.it.line.count("POST") > before

    story(works, tell)


def test_a_card_moves_one_status_and_back(works: Start) -> None:
    async def tell(at: At) -> None:
        await at.press("2")
        await at.until(lambda: isinstance(at.app.current_screen, BoardScreen) and at.board.focused)
        (task_id,) = at.board.cursor.selection().tasks
        await at.press(">")
        await at.until(lambda: status_of(at, task_id) == "standby")
        await at.press("u")
        await at.until(lambda: status_of(at, task_id) == "open")

    story(works, tell)


def test_offline_is_said_and_nothing_goes_away(works: Start) -> None:
    async def tell(at: At) -> None:
        rows = list(at.inbox.list.rows.keys)
        at.it.line.is_cut = True
        await at.press("R")
        await at.until(lambda: "offline" in at.status)
        assert list(at.inbox.list.rows.keys) == rows
        at.it.line.is_cut = False
        await at.press("R")
        await at.until(lambda: clients.health(at.it.services.store.reading).state is Connection.LIVE)
        await at.until(lambda: "live" in at.status)

    story(works, tell)


def test_a_message_that_arrives_does_not_move_what_is_read(works: Start, sandbox: Sandbox) -> None:
    async def tell(at: At) -> None:
        here = max(
            conversation_store.ids(at.it.services.store.reading, ConversationOrder.ACTIVITY)[:40],
            key=lambda each: len(thread_pages.page_before(at.it.services.store.reading, each, None, 100)),
        )
        record = record_lookup.conversation(at.it.services.store.reading, here)
        assert record is not None
        at.inbox.navigation.open_conversation(here)
        await at.press("enter", "g")
        await at.until(lambda: not at.thread.rows.top[0].startswith("gap:"))
        top = at.thread.rows.top
        message = {
            "messageDirection": "incoming",
            "message": "one more thing",
            "phoneNumberId": record.line_id,
            "sender": record.customer_id,
            "receiver": record.line_id,
            "participantsIdentifiers": here,
        }
        import asyncio

        response = await asyncio.to_thread(sandbox.post, "/sandbox/messages", message)
        assert response.status_code < 300, response.text
        at.it.services.sync.request_refresh(here)
        await at.until(lambda: at.thread.new_below == 1)
        assert at.thread.rows.top == top
        await at.press("G")
        await at.until(lambda: at.thread.new_below == 0)

    story(works, tell)


def test_q_goes_back_and_quits_only_at_the_root(works: Start) -> None:
    async def tell(at: At) -> None:
        await at.press("enter")
        await at.until(lambda: at.inbox.has_class("-at-thread"))
        await at.press("q")
        await at.until(lambda: at.inbox.has_class("-at-conversations"))
        assert at.app.is_running
        await at.press("escape")
        assert at.app.is_running
        await at.press("2")
        await at.until(lambda: isinstance(at.app.current_screen, BoardScreen))
        await at.press("q")
        await at.until(lambda: at.app.current_screen is at.inbox)
        assert not at.app.is_ending, "another screen than the first one leads back to it"
        await at.press("q")
        await at.until(lambda: not at.app.is_running or at.app.is_ending)

    story(works, tell)


def test_leaving_with_something_unsent_asks_and_still_asks_once_it_is_sent(works: Start) -> None:
    """An answer that is typed at that moment must not land in the shell."""

    async def tell(at: At) -> None:
        with_a_task(at)
        await at.press("c")
        await at.until(lambda: outbox_bulk.unconfirmed_count(at.it.services.store.reading))
        await at.press("q")
        await at.until(lambda: "All changes are confirmed. Quit?" in "\n".join(text_of(at.app)))
        assert outbox_bulk.unconfirmed_count(at.it.services.store.reading) == 0
        assert "Nothing is lost" not in "\n".join(text_of(at.app))
        await at.press("n")
        assert at.app.screen is at.inbox
        assert not at.app.is_ending

    story(works, tell)


@pytest.mark.parametrize("size", [(200, 60), (100, 30), (80, 24), (60, 15), (20, 4), (1, 1)])
def test_every_screen_stands_at_every_size(works: Start, size: tuple[int, int]) -> None:
    async def tell(at: At) -> None:
        for key in ("2", "3", "4", "5", "6", "question_mark", "escape", "1", "enter", "s", "escape"):
            await at.press(key)
        await at.pilot.resize_terminal(*SIZE)
        await at.press("j")
        assert at.app.is_running

    story(works, tell, size)


def test_hostile_text_is_words_everywhere(works: Start, sandbox: Sandbox) -> None:
    task = sandbox.task(
        title="[@click=app.quit]x[/] \x1b]52;c;eA==\x07 [/foo]",
        participantsIdentifiers="972737001200#972500000001",
        phoneNumberId="972737001200",
        customer={"customerName": "[red]\x1b[2J[/", "phoneNumberId": "972500000001"},
    )

    async def tell(at: At) -> None:
        at.inbox.navigation.open_conversation(ConversationId("972737001200#972500000001"))
        await at.until(lambda: task_of(at) == task["taskId"])
        for keys in (("s", "escape"), ("a", "escape"), ("t", "escape"), ("i", "escape"), ("y",), ("2",), ("1",)):
            await at.press(*keys)
        await at.press("c", "6")
        await at.until(lambda: outbox_bulk.unconfirmed_count(at.it.services.store.reading) == 0)
        picture = at.app.export_screenshot()
        assert "\x1b" not in picture
        assert at.app.is_running

    story(works, tell)


def test_a_key_pressed_twice_in_a_dialog_answers_once(works: Start) -> None:
    async def tell(at: At) -> None:
        for key in ("s", "a", "question_mark"):
            with_a_task(at)
            await at.press(key)
            dialog = at.app.screen
            assert isinstance(dialog, Dialog)
            dialog.action_close()
            dialog.action_close()
            await at.until(lambda: at.app.screen is at.inbox)
        assert at.app.is_running

    story(works, tell)


def test_a_deed_on_many_asks_first(works: Start) -> None:
    async def tell(at: At) -> None:
        await at.press("V", "c")
        await at.until(lambda: isinstance(at.app.screen, ConfirmDialog))
        await at.press("escape")
        await at.until(lambda: at.app.screen is at.inbox)
        assert not outbox_queue.recent(at.it.services.store.reading)
        await at.press("t", "v", "i", "p", "enter")
        await at.until(lambda: isinstance(at.app.screen, ConfirmDialog))
        await at.press("y")
        await at.until(
            lambda: len(outbox_queue.recent(at.it.services.store.reading, 10_000)) == len(at.inbox.list.rows.keys)
        )
        await at.press("u")
        await at.until(lambda: isinstance(at.app.screen, ConfirmDialog))
        await at.press("enter")
        await at.until(lambda: not outbox_bulk.unconfirmed_count(at.it.services.store.reading))

    story(works, tell)


def test_what_was_typed_for_one_task_is_offered_for_that_one_alone(works: Start) -> None:
    async def tell(at: At) -> None:
        db = at.it.services.store.reading
        one, other = (TaskId(each) for each in task_store.ids_of_status(db, StatusId("open"), 2))
        for task_id, typed, draft in ((one, "fri", ""), (other, "", ""), (one, "", "fri")):
            task = record_lookup.task(db, task_id)
            assert task is not None
            assert task.conversation_id is not None
            at.inbox.navigation.open_conversation(task.conversation_id)
            assert task_of(at) == task_id
            await at.press("d")
            dialog = at.app.screen
            assert isinstance(dialog, Dialog)
            assert dialog.draft == draft
            await at.press(*typed, "escape")
            await at.until(lambda: at.app.screen is at.inbox)

    story(works, tell)


def test_a_conversation_opened_from_a_card_leads_back_to_the_board(works: Start) -> None:
    async def tell(at: At) -> None:
        for leave in ("q", "escape"):
            await at.press("2")
            await at.until(lambda: isinstance(at.app.current_screen, BoardScreen) and at.board.focused)
            at.board.back_actions.navigate_back()
            await at.press("enter", "enter")
            await at.until(lambda: isinstance(at.app.current_screen, InboxScreen))
            await at.press(leave)
            await at.until(lambda: isinstance(at.app.current_screen, BoardScreen))
        await at.press("1", "escape")
        assert isinstance(at.app.current_screen, InboxScreen)

    story(works, tell)


def test_a_command_chosen_twice_in_one_burst_runs_once(works: Start) -> None:
    async def tell(at: At) -> None:
        await at.press(":")
        await at.until(lambda: isinstance(at.app.screen, CommandsDialog))
        commands = at.app.screen
        assert isinstance(commands, CommandsDialog)
        field = commands.query_one(Input)
        await at.press(*"tasks by status")
        await at.until(lambda: list(commands.rows.keys) == ["go.board"])
        field.post_message(Input.Submitted(field, field.value))
        field.post_message(Input.Submitted(field, field.value))
        await at.until(lambda: isinstance(at.app.screen, BoardScreen))
        assert at.app.is_running

    story(works, tell)


def test_activity_opens_on_the_newest_and_n_goes_to_what_is_undecided(works: Start, sandbox: Sandbox) -> None:
    async def tell(at: At) -> None:
        with_a_task(at)
        task_id = task_of(at)
        refused = at.it.services.tasks.set_status([task_id], StatusId("no-such-status")).result()
        await at.until(lambda: outbox_bulk.undecided_count(at.it.services.store.reading))
        at.it.services.tasks.set_status([task_id], StatusId("standby")).result()
        await at.until(lambda: not outbox_bulk.unconfirmed_count(at.it.services.store.reading))
        await at.press("6")
        await at.until(lambda: isinstance(at.app.current_screen, ActivityScreen) and at.app.current_screen.focused)
        screen = at.app.current_screen
        assert isinstance(screen, ActivityScreen)
        (wanted,) = [
            each for each in outbox_queue.recent(at.it.services.store.reading) if each.state is ChangeState.REFUSED
        ]
        assert refused.count == 1
        assert screen.rows.cursor_key == screen.rows.keys[0]
        assert wanted.batch not in str(screen.rows.cursor_key)
        await at.press("n")
        assert wanted.batch in str(screen.rows.cursor_key)
        assert "1 needs a decision" in plain(screen.query_one(Pane).title)

    story(works, tell)


def test_keys_typed_ahead_go_through_screens_that_open_for_the_first_time_in_order(works: Start) -> None:
    async def tell(at: At) -> None:
        with_a_task(at)
        for key in "2j3j4j5j6j7j1s":
            at.app.post_message(events.Key(key, key))
        await at.until(lambda: isinstance(at.app.screen, Dialog))
        assert at.app.current_screen is at.inbox
        await at.press("escape", "2")
        await at.until(lambda: at.app.current_screen is at.board)
        assert at.board.cursor.task_id == at.board.cursor.column.cards.keys[1], "the key behind the screen's own"

    story(works, tell)


def test_keys_in_one_burst_go_as_many_columns_and_the_arrows_do_not_scroll(works: Start) -> None:
    async def tell(at: At) -> None:
        await at.press("2")
        await at.until(lambda: isinstance(at.app.current_screen, BoardScreen) and at.board.focused)
        columns = at.board.columns.all
        for step in (1, -1):
            before = columns.index(at.board.cursor.column)
            at.board.cursor.step(step)
            at.board.cursor.step(step)
            assert columns.index(at.board.cursor.column) == before + 2 * step
        await at.press("right")
        assert at.board.cursor.column is columns[1]
        assert at.board.query_one("#columns").scroll_offset.x == 0
        await at.press("left")
        assert at.board.cursor.column is columns[0]

    story(works, tell, (90, 30))


def test_a_deed_is_taken_back_and_done_again_at_the_platform_after_it_was_confirmed(works: Start) -> None:
    async def tell(at: At) -> None:
        with_a_task(at)
        task_id = task_of(at)

        async def press_until_confirmed(key: str, status: str) -> None:
            await at.press(key)
            await at.until(
                lambda: (
                    status_of(at, task_id) == status
                    and outbox_bulk.unconfirmed_count(at.it.services.store.reading) == 0
                )
            )
            raw = task_store.raw_task(at.it.services.store.reading, task_id)
            assert raw is not None
            assert raw["statusCase"] == status

        await press_until_confirmed("c", "completed")
        await press_until_confirmed("u", "open")
        await press_until_confirmed("U", "completed")
        assert at.it.line.count("PATCH") == 3

    story(works, tell)


def test_a_title_that_is_edited_reaches_the_platform(works: Start) -> None:
    async def tell(at: At) -> None:
        with_a_task(at)
        task_id = task_of(at)
        await at.press("e")
        await at.until(lambda: isinstance(at.app.screen, EditDialog) and at.app.screen.focused)
        await at.press(*"!!", "enter")

        def arrived() -> bool:
            raw = task_store.raw_task(at.it.services.store.reading, task_id)
            return (
                raw is not None
                and str(raw["title"]).endswith("!!")
                and outbox_bulk.unconfirmed_count(at.it.services.store.reading) == 0
            )

        await at.until(arrived)

    story(works, tell)
