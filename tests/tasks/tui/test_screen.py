"""What a person does on the board; the store answers, and in one story the platform behind it."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager

import pytest
from textual.events import MouseScrollLeft, MouseScrollRight
from textual.geometry import Offset
from textual.widgets import Input

from app.test_tui_stories import story
from frontdesk.inbox.tui.screen import InboxScreen
from frontdesk.outbox import queue as outbox_queue
from frontdesk.storage import clients, record_lookup
from frontdesk.storage.coverage import note_listed
from frontdesk.storage.database import Store
from frontdesk.storage.records import Connection, Health
from frontdesk.tasks import store as task_store
from frontdesk.tasks import store as tasks
from frontdesk.tasks import task_filter
from frontdesk.tasks.task_filter import FilterProgress, Scope
from frontdesk.tasks.tui import panes
from frontdesk.tasks.tui.board_filter import TaskFilterDialog
from frontdesk.tasks.tui.panes import Column
from frontdesk.tui.dialogs.confirm import BulkPlanDialog
from frontdesk.tui.header import Header
from frontdesk_api.contract.ids import TaskId
from frontdesk_lines.content import plain
from frontdesk_lines.widgets.line_bar import NoteBar, StatusLine
from kit import NOW, At, running
from sample_json import raw_task
from sandbox.asking import Sandbox
from services import Services
from sync.running_engine import Start, run
from tui.hosts import quiet, text_of, until

WIDE, NARROW = (140, 40), (80, 24)
STATUSES = ("open", "standby", "st-a", "st-b", "completed")


@pytest.fixture(autouse=True)
def _filled(store: Store) -> None:
    raws = [
        raw_task(
            number,
            statusCase=STATUSES[number % len(STATUSES)],
            phoneNumberId=f"L{number % 2 + 1}",
            assignedAgentIds=[[], ["me"], ["noa"], ["me", "noa"]][number % 4],
            dueDate=0 if number % 3 else 1_900_000_000 + number * 37 % 11,
        )
        for number in range(60)
    ]
    store.write(lambda db: tasks.put(db, raws)).result()
    store.write(note_listed).result()


def board(services: Services, size: tuple[int, int] = WIDE) -> AbstractAsyncContextManager[At]:
    """Run the app on the board, over a store that is filled."""
    opened = services.store
    return running(
        opened._store, as_profile=opened.profile, clock=opened.clock, size=size, screen="2", fills=False,
        notifications=False,
    )  # fmt: skip


def told(services: Services, tell: Callable[[At], Awaitable[None]], size: tuple[int, int] = WIDE) -> None:
    async def test() -> None:
        async with board(services, size) as at:
            await tell(at)

    run(test)


def card(at: At) -> TaskId:
    return at.board.cursor.selection().tasks[0]


def status_of(services: Services, task_id: TaskId) -> str:
    task = record_lookup.task(services.store.reading, task_id)
    assert task is not None
    return task.status


async def move_to(at: At, services: Services, task_id: TaskId, column: Column) -> None:
    """Move the card at the cursor one column to the right, and wait until it is there."""
    await at.press(">")
    await until(lambda: status_of(services, task_id) == column.status and not at.board.card_moves.pending)


def changed(services: Services) -> set[str]:
    """Which tasks were changed."""
    return {each.target for each in outbox_queue.recent(services.store.reading)}


@pytest.mark.slow
def test_a_card_stands_where_the_store_will_put_it(services: Services) -> None:
    """So that nothing moves a second time when the store says so itself."""

    async def tell(at: At) -> None:
        for _ in range(6):
            start = at.board.cursor.column
            await at.press("j")
            moved = card(at)
            at.board.action_move_right()
            to = at.board.cursor.column
            at_once = list(to.cards.keys)
            await until(lambda moved=moved: moved not in at.board.card_moves.pending)
            assert list(to.cards.keys) == at_once
            assert at_once == task_store.ids_of_status(services.store.reading, to.status)
            at.board.set_focus(start.cards)

    told(services, tell)


@pytest.mark.slow
def test_of_a_long_column_the_first_cards_are_read_and_more_where_they_are_wanted(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(panes, "FIRST_CARDS", 4)
    db = services.store.reading

    async def tell(at: At) -> None:
        column = at.board.columns.all[0]
        whole = task_store.ids_of_status(db, column.status)
        assert (list(column.cards.keys), column.count) == (whole[:4], 12)
        assert column.show_card(whole[-1])
        at.board.read_again()
        assert (list(column.cards.keys), card(at)) == (whole, whole[-1])
        column.cards.action_cursor_first()
        at.board.read_again()
        assert list(column.cards.keys) == whole[:4], "who is back at the top reads less"
        column.cards.move_to(whole[1])
        postponed = {**(task_store.raw_task(db, whole[1]) or {}), "dueDate": 0, "updatedAt": 1}
        services.store.write(lambda db: tasks.put(db, [postponed])).result()
        at.board.read_again()
        assert task_store.ids_of_status(db, column.status)[-1] == card(at) == whole[1]
        assert not column.show_card(at.board.columns.all[1].cards.keys[0])

    told(services, tell)


async def move_marked(at: At) -> None:
    await at.press(">")
    await until(lambda: isinstance(at.app.screen, BulkPlanDialog))
    await at.press("y")
    await until(lambda: at.app.screen is at.board)


@pytest.mark.slow
def test_the_cursor_follows_its_card_through_undo_and_redo(services: Services) -> None:
    async def tell(at: At) -> None:
        first, second = at.board.columns.all[:2]
        moved = card(at)
        await move_to(at, services, moved, second)
        for key, column in (("u", first), ("U", second), ("u", first)):
            await at.press(key)
            await until(lambda column=column: at.board.cursor.column is column)
            assert card(at) == moved
            assert at.app.screen.focused is column.cards
        await at.press("enter")
        at.board.set_focus(at.board.detail.page)
        await move_to(at, services, moved, second)
        assert at.board.cursor.is_in_detail
        await at.press("u")
        await until(lambda: at.board.cursor.column is first)
        assert at.board.cursor.is_in_detail, "the focus stays in the detail"
        assert first.cards.cursor_key == moved

    told(services, tell)


@pytest.mark.slow
def test_column_card_and_scroll_are_where_they_were_left(services: Services) -> None:
    async def tell(at: At) -> None:
        await at.press("l", "j", "j", "l", "l", "l", *"jjjjjjjj")
        left = (at.board.cursor.column.status, card(at), at.board.cursor.column.cards.cursor_line)
        beside = at.board.columns.all[1].cards.cursor_key
        at.board.save_view_state()
        services.store.flush().result()
        async with board(services, NARROW) as again:
            await until(lambda: again.board.columns.scroll_x == 120)
            assert (
                again.board.cursor.column.status,
                card(again),
                again.board.cursor.column.cards.cursor_line,
            ) == left
            assert again.board.columns.all[1].cards.cursor_key == beside
            for width, shown in ((120, 4), (60, 2), (30, 1), (90, 3)):
                await again.pilot.resize_terminal(width, 24)
                row = again.board.columns
                await until(lambda row=row, width=width: row.scroll_x == row._starts[-1] - width)
                assert len(plain(again.board.columns.all[-shown].subtitle)) > 2

    told(services, tell, NARROW)


@pytest.mark.slow
def test_whole_columns_are_in_sight_at_every_width_and_the_one_worked_in_among_them(services: Services) -> None:
    async def tell(at: At) -> None:
        row = at.board.columns
        for place in (4, 2):
            at.board.set_focus(row.all[place].cards)
            for width in (80, 100, 140, 190, 100, 62, 40, 80, 140, 60):
                await at.pilot.resize_terminal(width, 24)
                await until(lambda width=width: row.size.width == width)
                await at.pilot.pause()
                seen = [at for at, start in enumerate(row._starts[:-1]) if 0 <= start - row.scroll_x < width]
                assert row.scroll_x in row._starts, f"at {width} cells"
                assert row._starts[seen[-1] + 1] - row.scroll_x == width, f"at {width} cells"
                assert place in seen
        first = row.scroll_x
        for wheel in (MouseScrollLeft, MouseScrollRight):
            row.post_message(wheel(row, 1, 1, 0, 0, 0, shift=False, meta=False, ctrl=False))
            await until(lambda wheel=wheel: (row.scroll_x < first) is (wheel is MouseScrollLeft))
        assert row.scroll_x == first

    told(services, tell, NARROW)


async def narrow(at: At, typed: str) -> None:
    """Filter the board by what is typed."""
    await at.press("slash")
    await until(lambda: isinstance(at.app.screen, TaskFilterDialog) and at.app.screen.focused)
    field = at.app.screen.query_one(Input)
    field.value = typed
    await at.press("enter")
    await until(lambda: at.app.screen is at.board)


def listed(at: At) -> set[str]:
    return {key for each in at.board.columns.all for key in each.cards.keys}


def bar(at: At) -> str:
    return plain(at.board.query_one(NoteBar).line)


@pytest.mark.slow
def test_a_filter_is_answered_from_the_store_at_once_and_esc_takes_it_off(services: Services) -> None:
    async def tell(at: At) -> None:
        before = listed(at)
        await narrow(at, "line:L1")
        tasks = [record_lookup.task(services.store.reading, TaskId(each)) for each in listed(at)]
        assert {each.line_id for each in tasks if each is not None} == {"L1"}
        assert "line L1" in bar(at)
        assert "checking with the platform; 30 so far" in bar(at)
        await at.pilot.resize_terminal(20, 24)
        await until(lambda: bar(at).endswith(" 30 so far "))
        await at.pilot.resize_terminal(*WIDE)
        await until(lambda: "checking with the platform" in bar(at))
        assert "test · L1" in plain(at.board.query_one(Header).line)
        assert plain(at.board.columns.all[0].title) == "● Open 6 of 12"
        assert at.board.focus_report().tasks_of == Scope("L1").key
        await narrow(at, "line:L9")
        words = [plain(line) for line in at.board.board_filter.why_empty()]
        assert words == ["no tasks for line", "L9 here", "checking the platform", "esc clear the filter"]
        await at.press("escape")
        assert not at.board.query_one(NoteBar).display
        assert listed(at) == before
        assert at.board.focus_report().tasks_of == ""

    told(services, tell)


@pytest.mark.slow
def test_hints_of_a_column_without_a_card_are_those_that_lead_to_one(store: Store, services: Services) -> None:
    store.write(lambda db: tasks.put(db, [raw_task(99, title="solitary")])).result()

    async def tell(at: At) -> None:
        def hinted() -> set[str]:
            return {span.text.text for span in at.board.query_one(StatusLine).line} & {
                "a",
                "t",
                "d",
                "s",
                "esc",
                "/",
            }

        assert hinted() == {"a", "t", "d", "s", "/"}
        await narrow(at, "line:L9")
        await until(lambda: hinted() == {"esc", "/"})
        await at.press("escape")
        await until(lambda: hinted() == {"a", "t", "d", "s", "/"})
        at.board.set_focus(at.board.columns.all[-1].cards)
        await narrow(at, "solitary")
        assert at.board.cursor.column is at.board.columns.all[0], (
            "the focus goes where a card is, and the hints with it"
        )
        await until(lambda: hinted() == {"a", "t", "d", "s", "/"})
        await at.press("l")
        await until(lambda: hinted() == {"esc", "/"})

    told(services, tell)


def test_a_board_that_was_never_read_says_so_and_not_that_it_is_empty(store: Store, services: Services) -> None:
    async def tell(at: At) -> None:
        assert "not loaded yet: connecting" in " ".join(plain(each) for each in at.board.board_filter.why_empty())
        await until(lambda: "not loaded yet" in "\n".join(text_of(at.app)))
        health = Health(Connection.LIVE, since=NOW, fresh_at=NOW, heard_at=NOW)
        store.write(lambda db: clients.write_health(db, health)).result()
        await until(lambda: "not loaded yet" not in "\n".join(text_of(at.app)))
        assert "no tasks" in "\n".join(text_of(at.app))

    store.write(lambda db: db.execute("DELETE FROM tasks")).result()
    told(services, tell)


@pytest.mark.slow
def test_what_the_platform_has_of_a_filter_comes_and_is_told(works: Start, sandbox: Sandbox) -> None:
    async def tell(at: At) -> None:
        await at.goes("2")
        await narrow(at, "line:line-new")
        assert not listed(at)
        await at.until(
            lambda: (
                task_filter.progress_of(at.it.services.store.reading, Scope("line-new"))
                == FilterProgress(complete=True)
            )
        )
        there = {"phoneNumberId": "line-new", "participantsIdentifiers": "line-new#972500000001"}
        made = await sandbox.asked("POST", "/sandbox/tasks", json={"title": "news", **there})
        await at.until(lambda: made.json()["taskId"] in listed(at))
        await at.until(lambda: "1 task" in bar(at))

    story(works, tell)


@pytest.mark.slow
def test_words_and_what_is_turned_round_are_looked_for_here(services: Services) -> None:
    async def tell(at: At) -> None:
        tasks = {each: record_lookup.task(services.store.reading, TaskId(each)) for each in listed(at)}
        await narrow(at, "-agent:nobody -agent:me")
        me = services.store.catalogue.me
        assert listed(at) == {
            each for each, task in tasks.items() if task and task.assigned and me not in task.assigned
        }
        assert at.board.focus_report().tasks_of == ""
        await narrow(at, "agent:nobody zzz")
        assert not listed(at)
        words = "\n".join(plain(line) for line in at.board.board_filter.why_empty())
        assert "no tasks here" in words
        await at.press("slash")
        await until(lambda: isinstance(at.app.screen, TaskFilterDialog) and at.app.screen.focused)
        field = at.app.screen.query_one(Input)
        assert field.value.strip() == "agent:nobody zzz"
        await at.press(*"is:x", "enter")  # a filter in use is added to
        assert isinstance(at.app.screen, TaskFilterDialog), "what can't be used is corrected first"
        assert field.value == "agent:nobody zzz is:x"
        await at.press("escape", "slash")
        await until(lambda: isinstance(at.app.screen, TaskFilterDialog) and at.app.screen.focused)
        await at.press(*"vip")
        assert at.app.screen.query_one(Input).value == "vip", "text that was given up is replaced"

    told(services, tell)


@pytest.mark.slow
def test_a_filter_is_picked_with_the_arrows_and_survives_a_restart(services: Services) -> None:
    async def tell(at: At) -> None:
        await at.press("slash")
        await until(lambda: isinstance(at.app.screen, TaskFilterDialog) and at.app.screen.focused)
        await at.press(*"agent:nob", "tab")
        assert at.app.screen.query_one(Input).value == "agent:nobody "
        await at.press(*"-agent:me", "down", "enter")
        await until(lambda: at.app.screen is at.board)
        assert len(at.board.board_filter.filter.terms) == 2
        left, shown = at.board.board_filter.filter, listed(at)
        async with board(services) as again:
            assert again.board.board_filter.filter == left
            assert listed(again) == shown
            assert "nobody" in bar(again)

    told(services, tell)


@pytest.mark.slow
def test_the_detail_follows_the_cursor_and_tells_what_was_changed_here(services: Services) -> None:
    async def tell(at: At) -> None:
        await at.press("enter")
        detail = at.board.detail
        assert detail.task_id == card(at)
        moved = card(at)
        await at.press(">")
        await until(lambda: any("Open → In progress" in line for line in text_of(at.app)))
        assert detail.task_id == moved
        await at.press("j")
        await until(lambda: detail.task_id == card(at) != moved)
        await at.press("h")
        await until(lambda: detail.task_id == card(at) == at.board.columns.all[0].cards.cursor_key)
        await at.press("escape")
        assert not at.board.cursor.is_detail_open

    told(services, tell)


async def start_anew(at: At) -> None:
    """Have the first card under the cursor, with nothing marked and no detail."""
    if at.board.cursor.is_detail_open:
        await at.press("escape")
    first = at.board.columns.all[0]
    at.board.set_focus(first.cards)
    at.app._typed_at = 0.0
    await at.press("g")
    await until(lambda: at.board.cursor.column is first and first.cards.cursor_key == first.cards.keys[0])


async def check_completing_is_hinted_where_it_can_be_done(at: At, services: Services) -> None:
    await at.pilot.resize_terminal(200, 40)
    hinted = {}
    for column in at.board.columns.all:
        at.board.cursor.go_to(column)
        await until(lambda column=column: at.board.cursor.column is column)  # type: ignore[misc]
        at.board.status_bar.update_hints()
        await quiet(at.app)
        hinted[column.status] = "c complete" in text_of(at.app)[-1]
    assert [status for status, is_hinted in hinted.items() if not is_hinted] == ["completed"]


async def check_a_card_moved_twice_in_a_burst_is_one_card_two_columns_on(at: At, services: Services) -> None:
    done = changed(services)
    moved, first, third = card(at), at.board.columns.all[0], at.board.columns.all[2]
    before = len(first.cards.keys)
    at.board.action_move_right()
    at.board.action_move_right()
    assert at.board.cursor.column is third
    assert card(at) == moved
    assert at.app.screen.focused is third.cards
    await until(lambda: status_of(services, moved) == third.status)
    await until(lambda: not at.board.card_moves.pending)
    assert card(at) == moved
    assert third.cards.cursor_key == moved
    assert len(first.cards.keys) == before - 1
    assert changed(services) == done | {moved}
    await at.press("<")
    assert card(at) == moved
    assert at.board.cursor.column is at.board.columns.all[1]
    await until(lambda: status_of(services, moved) == at.board.columns.all[1].status)


async def check_marked_cards_move_together_and_are_unmarked(at: At, services: Services) -> None:
    first, second = at.board.columns.all[:2]
    marked, done = set(first.cards.keys[:2]), changed(services)
    await at.press("space", "space")
    await move_marked(at)
    assert at.board.cursor.column is first, "the focus stays where several are marked"
    await until(lambda: marked <= set(second.cards.keys))
    assert at.board.state().marked == 0
    assert changed(services) == done | marked


async def check_undo_puts_the_card_back(at: At, services: Services) -> None:
    moved = card(at)
    await at.press(">")
    await until(lambda: status_of(services, moved) == at.board.columns.all[1].status)
    await at.press("u")
    await until(lambda: moved in at.board.columns.all[0].cards.keys)
    assert moved not in at.board.columns.all[1].cards.keys


async def check_the_cursor_stays_when_another_card_is_undone(at: At, services: Services) -> None:
    first, second = at.board.columns.all[:2]
    moved = card(at)
    await move_to(at, services, moved, second)
    await at.press("j")
    other = card(at)
    await at.press("u")
    await until(lambda: moved in first.cards.keys and moved not in second.cards.keys)
    assert (at.board.cursor.column, card(at)) == (second, other)


async def check_tab_goes_into_the_detail_and_back(at: At, services: Services) -> None:
    await at.pilot.resize_terminal(140, 24)
    await at.press("j", "enter")
    before, here = card(at), at.board.cursor.column
    await at.press("tab")
    assert at.board.focused is at.board.detail.page
    await at.press("G")
    assert at.board.detail.page.is_vertical_scroll_end
    await at.press("tab")
    assert (at.board.cursor.column, card(at)) == (here, before)
    assert at.board.focused is here.cards


async def check_a_click_on_a_tab_tells_the_engine_where_one_looks(at: At, services: Services) -> None:
    await at.pilot.click(Header, offset=Offset(text_of(at.app)[0].index("Inbox"), 0))
    await until(lambda: isinstance(at.app.current_screen, InboxScreen))

    def looked_at() -> list[str]:
        services.store.flush().result()
        return [each.screen for each in clients.open_screens(services.store.reading, services.store.clock())]

    await until(lambda: looked_at() == ["inbox"])


def test_cards_are_moved_marked_undone_and_looked_at(services: Services) -> None:
    async def tell(at: At) -> None:
        for check in (
            check_completing_is_hinted_where_it_can_be_done,
            check_a_card_moved_twice_in_a_burst_is_one_card_two_columns_on,
            check_marked_cards_move_together_and_are_unmarked,
            check_undo_puts_the_card_back,
            check_the_cursor_stays_when_another_card_is_undone,
            check_tab_goes_into_the_detail_and_back,
            check_a_click_on_a_tab_tells_the_engine_where_one_looks,
        ):
            await start_anew(at)
            await check(at, services)

    told(services, tell, WIDE)


async def check_columns_out_of_sight_are_named(at: At, services: Services) -> None:
    names = [each.status_name.text for each in at.board.columns.all]
    words = [plain(each.subtitle) for each in at.board.columns.all]
    assert not words[0]
    assert words[1].startswith(names[2])
    assert words[1].endswith("›")
    at.board.cursor.step(1)
    at.board.cursor.step(1)
    await until(lambda: plain(at.board.columns.all[1].subtitle) == f"‹ {names[0]}")
    assert plain(at.board.columns.all[2].subtitle) == f"{names[3]} +1 ›"
    assert at.board.columns.scroll_x == at.board.columns.all[0].outer_size.width, "whole columns are in sight"


async def check_scrolled_a_key_asks_about_a_card_on_the_screen(at: At, services: Services) -> None:
    row = at.board.columns
    assert at.board.focused is row.all[0].cards
    for shown in (1, 2):
        row.post_message(MouseScrollRight(row, 1, 1, 0, 0, 0, shift=False, meta=False, ctrl=False))
        await until(lambda shown=shown: row.scroll_x == row._starts[shown])
    assert at.board.focused is row.all[2].cards
    assert card(at) == row.all[2].cards.cursor_key
    for _ in range(2):  # no is no choice
        await at.press(">")
        await until(lambda: isinstance(at.app.screen, BulkPlanDialog))
        assert not outbox_queue.recent(services.store.reading)
        await at.press("escape")
        await until(lambda: at.app.screen is at.board)
    await at.press("j")
    await move_to(at, services, card(at), row.all[3])


async def check_columns_have_the_new_width_under_a_dialog(at: At, services: Services) -> None:
    row = at.board.columns
    await at.press("s")
    await until(lambda: at.app.screen is not at.board)
    for width, shown in ((60, 2), (140, 5), (100, 3)):
        await at.pilot.resize_terminal(width, 24)
        await until(lambda width=width, shown=shown: row.all[shown - 1].region.right == width)
    assert at.app.screen is not at.board
    await at.press("escape")
    await at.pilot.resize_terminal(*NARROW)
    await until(lambda: at.app.screen is at.board and at.board.columns.size.width == 80)


async def check_the_detail_stands_in_the_columns_place(at: At, services: Services) -> None:
    shown = card(at)
    await at.press("enter")
    await until(lambda: at.board.focused is at.board.detail.page)
    assert not at.board.columns.display
    assert at.board.cursor.selection().tasks == (shown,)
    await at.press("G", ">")
    await until(lambda: status_of(services, shown) == at.board.columns.all[1].status)
    assert at.board.cursor.selection().tasks == (shown,)
    await at.press("escape")
    await until(lambda: at.board.focused is at.board.columns.all[1].cards)
    assert card(at) == shown
    await at.press("enter")
    await until(lambda: at.board.focused is at.board.detail.page)
    await at.press("enter")
    await until(lambda: isinstance(at.app.current_screen, InboxScreen))


@pytest.mark.slow
def test_where_it_is_narrow_columns_and_the_detail_are_in_sight_in_turn(services: Services) -> None:
    async def tell(at: At) -> None:
        for check in (
            check_columns_out_of_sight_are_named,
            check_scrolled_a_key_asks_about_a_card_on_the_screen,
            check_columns_have_the_new_width_under_a_dialog,
            check_the_detail_stands_in_the_columns_place,
        ):
            await start_anew(at)
            await check(at, services)

    told(services, tell, NARROW)
