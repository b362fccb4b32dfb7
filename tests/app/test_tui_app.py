"""The app over a store without an engine: targets, what it tells of itself, and what it survives."""

import os
from collections.abc import Callable
from datetime import UTC
from typing import Any

import apsw
import pytest
from rich.segment import Segment
from textual.events import MouseDown
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Input, Static

from frontdesk.app import startup, tui_app
from frontdesk.app.last_place import SCREEN, LastPlace
from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.config.program_files import ProgramFiles
from frontdesk.config.settings import Profile
from frontdesk.engine.supervisor import EngineSupervisor, MakeSupervisor
from frontdesk.inbox.store import conversations as conversation_store
from frontdesk.inbox.store import threads
from frontdesk.inbox.tui.conversation_pane import FIRST_ROWS
from frontdesk.inbox.tui.screen import InboxScreen
from frontdesk.outbox import queue as outbox_queue
from frontdesk.registry.keymap import KEYMAP
from frontdesk.storage import change_feed, clients, record_lookup
from frontdesk.storage.change_feed import EVERYTHING
from frontdesk.storage.clients import Focus
from frontdesk.storage.database import Store
from frontdesk.storage.lease import try_acquire
from frontdesk.storage.record_lookup import conversation_name
from frontdesk.storage.records import Connection, ConversationOrder, Event, Health, LateRead
from frontdesk.tasks import store as task_store
from frontdesk.tasks.tui.screen import BoardScreen
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.context import AppContext
from frontdesk_api.contract.ids import ConversationId
from frontdesk_api.hosts import Hosts
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import trusted
from frontdesk_lines.glyphs import glyphs
from frontdesk_lines.textual_compat import key_queue
from frontdesk_lines.widgets.line_bar import StatusLine
from frontdesk_lines.widgets.row_list import RowList
from kit import At, running
from sample_json import raw_message, raw_task
from services import Services
from tui.hosts import quiet, text_of, until, wire
from tui.screen_text import crash_of, detached, forward_event, made_modes, shown_toasts

__all__ = ["wire"]

pytestmark = pytest.mark.anyio


UPGRADED = "frontdesk was updated; quit and start it again. Your changes are kept."


def supervisor(start_engine: Callable[[], None]) -> MakeSupervisor:
    return lambda report, *_: EngineSupervisor(start_engine, report)


def looking(at: At) -> Focus:
    at.store.write(lambda db: None).result()
    (found,) = clients.open_screens(at.store.reading, at.clock.now)
    return found


async def test_keys_are_activity_act_on_what_the_cursor_is_on_and_events_read_the_list_seldom(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(store, *(raw_task(number) for number in range(1, 6))) as at:
        for kind in ("tags", "copy", "task"):
            left = at.inbox.list.cursor
            at.inbox.list.rows.action_cursor_down()
            here = at.inbox.list.cursor
            assert here is not None
            assert here != left
            if kind == "tags":
                assert at.inbox.targets.current().conversations == (here,)
            elif kind == "copy":
                assert at.inbox.record_actions.copied_id() == here
            else:
                at.inbox.action_task("complete")
                await until(lambda: outbox_queue.recent(store.reading))
                (task,) = record_lookup.tasks_of_conversation(store.reading, here)
                assert at.changed == [task.task_id]
            assert at.inbox.thread.conversation_id == here

        await at.press("ctrl+c")
        await until(lambda: "ctrl+c doesn't quit. Press y to copy or ctrl+q to quit." in at.toasts)

        # A move keeps the pause, and is activity.
        await at.press("P")
        at.clock.now += 5
        await at.press("j")
        await until(lambda: looking(at).conversation_id == at.inbox.list.cursor)
        assert looking(at).paused
        assert looking(at).active_at == at.clock.now

        # The last of many events counts.
        counted: list[object] = []
        window = conversation_store.window
        monkeypatch.setattr(conversation_store, "window", lambda *asked: counted.append(1) or window(*asked))
        store.write(lambda db: task_store.put(db, [raw_task(7)])).result()
        for _ in range(20):
            at.inbox.list.store_changed(frozenset({Event(change_feed.CONVERSATION, "L1#C1")}))
        assert len(counted) <= 1
        await until(lambda: "L1#C7" in at.inbox.list.rows.keys)
        assert len(counted) <= 2

        # Typing ends idleness at once.
        await at.press("slash")
        assert all(not field.cursor_blink for field in at.app.screen.query(Input)), "an idle screen sends no byte"
        at.clock.now += 3_600
        store.write(lambda db: clients.report_focus(db, at.services.store.process, Focus(), at.clock.now)).result()
        await at.press("x")
        await until(lambda: looking(at).active_at == at.clock.now)
    assert not at.app.screen_stack
    at.app.save_and_exit()  # told to end while it closes


async def test_live_is_said_only_of_data_that_is_up_to_date_and_an_engine_that_beats_costs_no_byte(
    store: Store, wire: list[str]
) -> None:
    async with running(store) as at:

        def report(*late: LateRead) -> None:
            health = Health(Connection.LIVE, fresh_at=at.clock.now, heard_at=at.clock.now, late=late)
            store.write(lambda db: clients.write_health(db, health)).result()

        report(LateRead("campaign", "", 20.0))
        await until(lambda: "● live" in at.status)
        await at.press("3")
        await until(lambda: "delayed · data up to 20 s old" in at.status)
        assert "live" not in at.status
        report(LateRead("tasks", "", None))
        await until(lambda: "● live" in at.status)
        await at.press("1")
        await until(lambda: "loading · not everything is up to date" in at.status)
        report()
        await until(lambda: "● live" in at.status)

        await quiet(at.app)
        wire.clear()
        at.clock.now += 15
        at.app.update_status()
        await quiet(at.app)
        assert "".join(wire) == ""
        at.clock.now += 15
        at.app.update_status()
        await until(lambda: "not updating · restart every open frontdesk" in at.status)
        assert await try_acquire(store) is not None
        at.services.store.engine_process = os.getpid
        at.app.update_status()
        await until(lambda: "○ busy · data as of" in at.status)
        assert "restart" not in at.status, "the engine is this frontdesk's own"
        store.write(lambda db: clients.write_heartbeat(db, at.clock.now, at.clock.now)).result()
        at.app.update_status()
        await until(lambda: "live" in at.status)


async def test_what_happens_while_a_screen_is_made_is_shown_by_it(store: Store) -> None:
    async with running(store, size=(80, 24)) as at:
        for mode in ("board", "campaigns", "workflows", "agents", "activity", "numbers"):
            at.app.action_go(mode)
            at.app.store_changed(frozenset({EVERYTHING, Event(change_feed.CHANGE, "1")}))
            await quiet(at.app)
            assert at.app.current_screen is not None
            assert at.app.current_screen.key_context == mode
            assert not at.app.current_screen._missed, mode


async def test_tasks_without_a_status_have_a_column_and_a_mark_moves_on_from_its_card(store: Store) -> None:
    bare = {name: value for name, value in raw_task(9).items() if name != "statusCase"}
    async with running(store, raw_task(1), raw_task(2), bare, screen="2") as at:
        assert "(no status)" in text_of(at.app)[1]
        assert list(at.board.columns.all[-1].cards.keys) == ["t9"]
        (marked,) = at.board.cursor.selection().conversations
        await at.press("space")
        await until(lambda: at.board.state().marked == 1)
        assert at.board.cursor.column.cards.cursor_key != str(at.board.cursor.selection().tasks[0])
        record = record_lookup.conversation(store.reading, marked)
        assert record is not None
        assert conversation_name(store.reading, marked).text == record.name

        # Nothing can be moved into it, and what is in it can leave.
        await at.press(">")
        await quiet(at.app)
        store.write(lambda db: None).result()
        assert not [each for each in outbox_queue.recent(store.reading) if each.fields.get("statusCase") == ""]


async def test_loading_ends_with_its_ask(store: Store) -> None:
    here = ConversationId("L1#C1")
    page = [raw_message(5), raw_message(4)]
    store.write(lambda db: threads.put_page(db, here, page, start=None, has_more=True, now=1.0)).result()
    async with running(store) as at:
        at.inbox.navigation.open_conversation(here)
        for failed in ("", "the platform is down", ""):
            at.inbox.action_thread("load_older")
            await until(lambda: clients.open_requests(store.reading))
            await until(lambda: at.inbox.older_requests.pending)
            assert "loading older" in at.text
            (ask,) = clients.open_requests(store.reading)
            store.write(lambda db: clients.resolve_request(db, ask.request_id, failed=failed)).result()  # noqa: B023
            await until(lambda: not at.inbox.older_requests.pending)
            await quiet(at.app)
            assert "loading older" not in at.text
            assert (f"not loaded: {failed or 'the'}" in at.text) is bool(failed)


async def test_an_engine_that_cannot_start_is_said_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(startup, "ENGINE_CHECK_SECONDS", 0.02)
    tries = []

    def refuse() -> None:
        tries.append(1)
        raise OSError(11, "no more processes")

    async with running(store, supervise=supervisor(refuse)) as at:
        await until(lambda: len(tries) > 2)
        assert len([each for each in shown_toasts(at.app) if "no more processes" in each]) == 1


async def test_what_a_screens_start_made_is_left_out_of_later_collections(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each collection of everything took 10 to 40 ms, in which a key waited."""
    monkeypatch.setattr(tui_app, "FREEZE_SECONDS", 0.01)
    collected: list[object] = []
    monkeypatch.setattr("gc.collect", collected.append)
    monkeypatch.setattr("gc.freeze", lambda: collected.append("freeze"))
    async with running(store, supervise=supervisor(lambda: None)) as at:
        await until(lambda: collected == [1, "freeze"])
        await at.press("2")
        await until(lambda: collected == [1, "freeze"] * 2)


async def test_the_apps_own_last_filter_takes_controls_out(store: Store, wire: list[str]) -> None:
    raw = "before\x1b]52;c;aGk=\x07after"

    class Raw(Static):
        def render_line(self, y: int) -> Strip:
            return Strip([Segment(raw)])

    async with running(store) as at:
        await at.app.screen.mount(Raw(), before=0)
        await quiet(at.app)
        shown = at.text
        assert "before\ufffd]52;c;aGk=\ufffdafter" in shown
        assert "\x1b]52" not in "".join(wire)


async def test_a_crash_is_told_in_plain_safe_whole_lines_without_values(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    path = "/" + "a very long folder name é/" * 20 + "module.py"
    source = """
def boom(app):
    words = "".join(("what a customer", " wrote"))
    app.call_later(words.strip)
    raise RuntimeError("bad \\x1b]52;c;aGk=\\x07 end")
"""
    code: dict[str, Any] = {}
    exec(compile(source, path, "exec"), code)
    apps: list[FrontdeskApp] = []

    async def crash() -> None:
        async with running(store) as at:
            apps.append(at.app)
            at.app.call_later(code["boom"], at.app)
            await until(lambda: at.app.return_code)

    with pytest.raises(RuntimeError):
        await crash()
    told = capsys.readouterr().err
    assert apps[0].return_code == 1
    assert "RuntimeError: bad ␛]52;c;aGk=␇ end" in told
    assert f'  File "{path}", line 5, in boom' in told.splitlines()
    assert "\x1b]52" not in told
    assert "what a customer wrote" not in told
    assert "frontdesk.log" in told


@pytest.mark.slow
async def test_after_an_upgrade_a_key_says_so_and_does_nothing_but_move_and_quit(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_queue, "BURST_SECONDS", 0.0)  # keys behind a refused one are for its dialog
    async with running(store, supervise=supervisor(lambda: None)) as at:
        await at.press("f")
        await until(lambda: not isinstance(at.app.screen, BaseScreen))
        monkeypatch.setattr(ProgramFiles, "check", lambda _: True)
        await at.press("enter")
        assert shown_toasts(at.app) == [UPGRADED]
        assert not isinstance(at.app.screen, BaseScreen), "the dialog and what is typed in it stay"
        await at.press("escape")
        await until(lambda: isinstance(at.app.screen, BaseScreen))
        for key in ("c", "d", "2", "?"):
            await at.press(key)
        assert isinstance(at.app.screen, InboxScreen)
        assert not outbox_queue.recent(at.services.store.reading)
        before = at.inbox.list.cursor
        await at.press("j")
        assert at.inbox.list.cursor != before
        await at.pilot.click(StatusLine)
        assert shown_toasts(at.app) == [UPGRADED]
        await at.press("q")
        await until(lambda: not at.app.is_running)


async def test_a_worker_that_misses_a_module_of_the_version_before_ends_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def load() -> None:
        raise ModuleNotFoundError("gone", name="frontdesk.tasks.tui.dialogs")

    async with running(store, supervise=supervisor(lambda: None)) as at:
        # A click on what is just being taken away is no crash either.
        going = Static("going")
        await at.app.screen.mount(going)
        await quiet(at.app)
        place = at.app.screen.get_widget_at(*going.region.offset)[1].offset
        with detached(going):
            assert at.app.screen.get_widget_at(*place)[0] is going
            click = MouseDown(None, place.x, place.y, 0, 0, 1, False, False, False, place.x, place.y)
            forward_event(at.app, click)
        monkeypatch.setattr(ProgramFiles, "check", lambda _: True)
        at.app.run_worker(load)
        await until(lambda: shown_toasts(at.app) == [UPGRADED])
        assert at.app.is_running
        assert crash_of(at.app) is None
        report = at.app.crash_report(ImportError("gone", name="frontdesk.tasks"))
        assert str(report) == "frontdesk was updated; quit and start it again. Your changes are saved."
        assert "frontdesk crashed" in str(at.app.crash_report(ImportError("gone", name="another")))


@pytest.mark.slow
async def test_what_comes_while_the_program_ends_is_no_crash(store: Store) -> None:
    """The feed still tells when a screen has lost its widgets and not yet itself."""
    async with running(store) as at:
        for key in ("2", "3", "4", "6", "1"):
            await at.press(key)
            await quiet(at.app)
            screen = at.app.current_screen
            assert screen is not None
            await screen.query("*").remove()
            screen.store_changed(
                frozenset({EVERYTHING, Event(change_feed.HEALTH, "live"), Event(change_feed.CHANGE, "1")})
            )
        assert at.app.is_running


async def test_a_long_list_is_read_a_window_at_a_time_and_cursor_marks_and_the_next_unread_are_outside_it(
    store: Store,
) -> None:
    raws = [
        raw_task(number, customer={"phoneNumberId": f"C{number}", "lastActiveAt": number})
        for number in range(FIRST_ROWS + 100)
    ]
    here = ConversationId("L1#C3")

    def unread_and_old(db: apsw.Connection) -> None:
        threads.put_page(db, here, [raw_message(1)], start=None, has_more=False, now=1.0)
        db.execute("UPDATE conversations SET active_at = 0.5 WHERE conversation_id = ?", (here,))

    async with running(store, *raws) as at:
        rows = at.inbox.list.rows
        assert len(rows.keys) == FIRST_ROWS
        assert f"Conversations · {FIRST_ROWS + 100:,} " in text_of(at.app)[1]
        at.inbox.list.sort(ConversationOrder.ACTIVITY)
        store.write(unread_and_old).result()
        at.inbox.list.read_again()
        assert here not in rows.keys
        assert at.inbox.list.next_unread()
        assert at.inbox.list.cursor == here
        assert not at.inbox.list.next_unread(), "it is the only one"

        await at.press("g")
        marked, first = rows.keys[:2]
        await at.press("space", "j")
        assert rows.move_to(first)
        sql = "UPDATE conversations SET active_at = ? WHERE conversation_id = ?"
        store.write(lambda db: db.executemany(sql, [(0.5, marked), (0, first)])).result()
        at.inbox.list.read_again()
        assert (rows.cursor_key, rows.cursor_index) == (first, FIRST_ROWS + 99)
        assert rows.marks == {marked}

        await at.press("G", "2")
        assert (rows.cursor_index, len(rows.keys)) == (FIRST_ROWS + 99, FIRST_ROWS + 100)
        column = at.board.focused
        assert isinstance(column, RowList)
        assert len(column.keys) == FIRST_ROWS
        assert f"{FIRST_ROWS + 100:,}" in "\n".join(text_of(at.app)[:3])
        await at.press("G")
        assert (column.cursor_index, len(column.keys)) == (FIRST_ROWS + 99, FIRST_ROWS + 100)


async def test_q_leaves_what_is_filtered_for_the_next_run_and_escape_takes_it_off(store: Store) -> None:
    async with running(store) as at:
        for leave, left in (("escape", ""), ("q", "nobody")):
            await at.press("slash", *"nobody", "enter")
            await until(lambda: at.inbox.list.filtered_by == "nobody")
            await at.press(leave)
            await until(lambda left=left: at.inbox.list.filtered_by == left)
            assert at.app.is_ending == (leave == "q")
    store.write(lambda _: None).result()
    assert at.services.outbox.saved_view_state("inbox")["filter"] == "nobody"  # type: ignore[index]


@pytest.mark.slow
async def test_it_opens_on_the_screen_that_it_was_left_on(store: Store) -> None:
    async with running(store) as at:
        await at.press("2")
        await until(lambda: isinstance(at.app.current_screen, BoardScreen))
        await at.press("ctrl+q")
        await until(lambda: at.app.is_ending)
    store.write(lambda _: None).result()
    assert LastPlace(at.services.outbox).mode == "board"
    app = FrontdeskApp(
        AppContext(at.services.store, at.services.outbox, glyphs(False), UTC, at.clock, keymap=KEYMAP)
    )
    async with app.run_test(size=(140, 30)) as pilot:
        await until(lambda: isinstance(app.current_screen, BoardScreen) and app.current_screen.is_painted)
        assert made_modes(app) == {"board"}, "no other screen was made"
        await pilot.press("1")
        await until(
            lambda: isinstance(app.current_screen, InboxScreen) and app.current_screen.list.cursor is not None
        )
        app.save_and_exit()
    store.write(lambda _: None).result()
    assert LastPlace(at.services.outbox).mode == "inbox"


class LeavesWithTheFirstFrame(FrontdeskApp):
    """Told to end between the frame and what is done after it."""

    leaves_at: type[BaseScreen] = BaseScreen

    def screen_painted(self, screen: Screen[object]) -> None:
        super().screen_painted(screen)
        if isinstance(screen, self.leaves_at) and screen.is_painted:
            self.save_and_exit()


async def test_who_leaves_with_the_first_frame_of_a_screen_gets_no_error(store: Store) -> None:
    keeping: list[str] = []
    services = Services(store, Profile("test", Hosts(*["http://127.0.0.1:9"] * 5)))
    app = LeavesWithTheFirstFrame(
        AppContext(services.store, services.outbox, glyphs(False), UTC, services.store.clock, keymap=KEYMAP),
        lambda: keeping.append("an engine"),
    )
    async with app.run_test(size=(140, 30)):
        await until(lambda: app.is_ending)
    assert crash_of(app) is None
    assert not keeping, "nothing is started that has to be ended at once"


async def test_who_leaves_with_the_first_frame_of_another_screen_gets_no_error(store: Store) -> None:
    services = Services(store, Profile("test", Hosts(*["http://127.0.0.1:9"] * 5)))
    services.outbox.save_view_state(SCREEN, "board")
    store.write(lambda _: None).result()
    app = LeavesWithTheFirstFrame(
        AppContext(services.store, services.outbox, glyphs(False), UTC, services.store.clock, keymap=KEYMAP)
    )
    app.leaves_at = InboxScreen
    async with app.run_test(size=(140, 30)) as pilot:
        await until(lambda: isinstance(app.current_screen, BoardScreen) and app.current_screen.is_painted)
        await pilot.press("1")
        await until(lambda: app.is_ending)
    assert crash_of(app) is None


def test_a_screen_that_there_is_none_of_any_more_is_no_way_in(store: Store) -> None:
    services = Services(store, Profile("test", Hosts(*["http://127.0.0.1:9"] * 5)))
    assert LastPlace(services.outbox).mode == "inbox"
    for kept in ("calendar", 7, None):
        services.outbox.save_view_state(SCREEN, kept)
        store.write(lambda _: None).result()
        assert LastPlace(services.outbox).mode == "inbox"


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (100, 30), (140, 40)])
async def test_a_toast_covers_only_the_lower_border(store: Store, size: tuple[int, int]) -> None:
    async with running(store, size=size) as at:
        await until(lambda: "waiting > 1h ?" in at.text)
        for mode in ("1", "2", "3", "6"):
            await at.press(mode)
            await quiet(at.app)
            before = text_of(at.app)
            notify(at.app, trusted("Completed 3 tasks · u undo"), timeout_seconds=60)
            await until(lambda: at.app.screen.query("Toast"))
            await quiet(at.app)
            after = text_of(at.app)
            assert [y for y in range(size[1]) if before[y] != after[y]] == [size[1] - 2], mode
            assert after[-2].rstrip().endswith("Completed 3 tasks · u undo"), mode
            at.app.clear_notifications()
            await until(lambda: not at.app.screen.query("Toast"))


async def test_toasts_follow_each_other_and_leave_the_row_that_they_speak_of(store: Store) -> None:
    tasks = [raw_task(number, dueDate=1_800_000_000 + number) for number in range(30)]
    async with running(store, *tasks, size=(80, 24)) as at:
        await at.sees("waiting > 1h ?")  # the last view that is counted
        for words in map(str, range(5)):
            notify(at.app, trusted(words), timeout_seconds=60)
            await until(lambda words=words: [str(each.render()) for each in at.app.query("Toast")] == [words])
        assert len(at.app.query("ToastHolder")) <= 2
        for size in [(80, 24), (100, 30), (60, 15)]:
            at.app.clear_notifications()
            await at.pilot.resize_terminal(*size)
            await until(lambda: not at.app.screen.query("Toast"))
            await at.press("g", "G")
            await until(lambda: at.inbox.list.rows.cursor_key == at.inbox.list.rows.keys[-1])
            await quiet(at.app)
            rows = at.inbox.list.rows
            top = rows.content_region.y + rows.cursor_row()
            width = rows.region.right
            before = [line[:width] for line in text_of(at.app)]
            locked = trusted("Nothing was done: " + "the task is locked, " * 5)
            notify(at.app, locked, severity="error", timeout_seconds=60)
            notify(at.app, trusted("Marked read: Customer 1"), timeout_seconds=60)
            await until(lambda: len(at.app.screen.query("Toast")) == 2)
            await quiet(at.app)
            after = [line[:width] for line in text_of(at.app)]
            here = slice(top, top + rows.row_height)
            assert after[here] == before[here], size
            assert after[:3] == before[:3], "the heads of the panes"
