"""Views, filter, search and jump in the inbox, over a store without an engine."""

from collections.abc import AsyncIterator
from concurrent.futures import Future
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from textual import events
from textual.widgets import Input

from frontdesk.config import settings as config_settings
from frontdesk.config.settings import SavedView, Settings
from frontdesk.inbox import filter_words
from frontdesk.inbox.store import threads
from frontdesk.inbox.store.conversations import add_by_pair
from frontdesk.inbox.tui import list_window
from frontdesk.inbox.tui.conversation_pane import ReadingNote
from frontdesk.inbox.tui.dialogs import NOTHING_TYPED, JumpDialog, OpenPairDialog, SearchDialog
from frontdesk.storage import clients, full_text, record_lookup
from frontdesk.storage.coverage import Coverage, note_listed
from frontdesk.storage.database import Store
from frontdesk.storage.records import Connection, ConversationOrder, Health
from frontdesk.tasks import store as task_store
from frontdesk.tui.dialogs.confirm import ConfirmDialog
from frontdesk.tui.dialogs.prompt import PromptDialog
from frontdesk_api.contract.ids import ConversationId, LineId
from frontdesk_api.hosts import Hosts
from frontdesk_lines.content import plain
from frontdesk_lines.lines import Role
from frontdesk_lines.widgets.line_view import LineView
from frontdesk_lines.widgets.view_bar import ViewBar
from kit import At, profile, running
from sample_json import raw_message, raw_task
from tui.hosts import quiet, text_of, until, wire

__all__ = ["wire"]

pytestmark = pytest.mark.anyio
NOW = 1_700_000_000
LINE = LineId("972737001200")


def test_a_count_that_ends_after_the_list_has_set_a_newer_one_is_dropped() -> None:
    running_counts: list[Future[list_window.Counts]] = []

    def read_in_background(_: object) -> Future[list_window.Counts]:
        running_counts.append(Future())
        return running_counts[-1]

    pane: Any = SimpleNamespace(
        set_timer=lambda _, then: then() if not running_counts else None,
        call_later=lambda then, *arguments: then(*arguments),
    )
    store = SimpleNamespace(profile=profile(), read_in_background=read_in_background)
    context: Any = SimpleNamespace(store=store, clock=lambda: float(NOW))
    counts = list_window.ViewCounts(pane, context, lambda: None)
    unread = filter_words.View("unread", filter_words.parse("is:unread"))
    counts.count([unread])
    counts.set(unread, 6, Coverage())
    running_counts[0].set_result({"unread": (5, Coverage())})
    assert counts.of(unread) == (6, Coverage())


@pytest.fixture
def world(store: Store) -> Store:
    """Five customers: one waits, two are mine, one of these is late, one is nobody's."""
    people = ("Dana Levi", "Omar Haddad", "Zoë Martin", "Ana Lima", "Noa Bar")
    raws = [
        raw_task(
            number,
            customer={
                "phoneNumberId": f"C{number}",
                "customerName": name,
                "parsedPhoneNumber": f"+97252000000{number}",
            },
            assignedAgentIds={1: ["me"], 2: ["me"], 3: ["noa"], 4: ["noa"]}.get(number, []),
            dueDate={1: NOW + 1800, 2: NOW - 60}.get(number, 0),
        )
        for number, name in enumerate(people, 1)
    ]

    def fill(db: object) -> None:
        task_store.put(db, raws)  # type: ignore[arg-type]
        note_listed(db)  # type: ignore[arg-type]
        for number in (3, 4):
            here = ConversationId(f"L1#C{number}")
            page = [
                raw_message(NOW - 60 + at, messageId=f"m{number}{at}", message=f"where is my {what}")
                for at, what in ((2, "blue table"), (1, "late order"), (0, "late parcel"))
            ]
            threads.put_page(db, here, page, start=None, has_more=False, now=1.0)  # type: ignore[arg-type]
        while full_text.index_batch(db, 100):  # type: ignore[arg-type]
            pass

    store.write(fill).result()
    return store


@asynccontextmanager
async def inbox(
    store: Store, size: tuple[int, int] = (140, 30), hosts: str = "http://127.0.0.1:9"
) -> AsyncIterator[At]:
    mine = profile(me="me", hosts=Hosts(*[hosts] * 5), lines={LINE: "Service", LineId("L1"): "Old"})
    settings = Settings(views=(SavedView("late", '"late"'),))
    async with running(store, fills=False, as_profile=mine, settings=settings, size=size) as at:
        await until(lambda: at.inbox.list.rows.cursor_key)
        yield at


async def start_anew(at: At) -> None:
    """Have all conversations in the list, the first under the cursor, and nothing marked or searched for."""
    await at.close_dialogs()
    at.app.clear_notifications()
    at.app._typed_at = 0.0
    at.inbox.panes.focus_pane(at.inbox.list)
    await at.press("escape", "escape")
    at.inbox.list.apply_typed("")
    at.inbox.list.open_view(at.inbox.list.views[0])
    await at.press("g")
    await until(lambda: {"C1", "C2", "C3", "C4", "C5"} <= listed(at))
    await quiet(at.app)


def put_in(at: At, words: str) -> None:
    """What is pasted into the input that has the focus; typing it costs a tenth of a second a letter."""
    field = at.app.focused
    assert isinstance(field, Input)
    field.insert_text_at_cursor(words)


def listed(at: At) -> set[str]:
    return {key.removeprefix("L1#") for key in at.inbox.list.rows.keys}


def views_line(at: At) -> str:
    return plain(at.inbox.list.query_one(ViewBar).line)


async def test_a_count_from_before_all_tasks_were_listed_is_not_shown_as_whole(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_window, "COUNT_SECONDS", 0.01)
    monkeypatch.setattr(list_window, "COUNT_SHARE", 1)
    store.write(lambda db: task_store.put(db, [raw_task(1, assignedAgentIds=["me"])])).result()
    async with inbox(store) as at:
        await until(lambda: "mine 1+  unassigned ?" in views_line(at))
        await until(lambda: at.inbox.list.view_counts.is_at_rest)
        monkeypatch.setattr(at.inbox.list.view_counts, "count", lambda _: None)  # the next one takes its time
        store.write(note_listed).result()
        await until(lambda: views_line(at).startswith("[all 1] "))
        assert "mine 1+  unassigned ?" in views_line(at)
        monkeypatch.undo()
        at.inbox.list.count_views()
        await until(lambda: "mine 1  unassigned 0" in views_line(at))


async def test_who_leaves_a_view_keeps_the_row_while_the_cursor_is_on_it(world: Store) -> None:
    async with inbox(world) as at:
        await at.press("]", "g")
        here = at.inbox.list.cursor
        assert here is not None
        number = int(here[-1])
        taken = raw_task(number, assignedAgentIds=["noa"])
        world.write(lambda db: task_store.put(db, [taken])).result()
        await until(
            lambda: (
                (record := record_lookup.conversation(at.services.store.reading, here))
                and record.assigned == ("noa",)
            )
        )
        await until(lambda: at.inbox.list._listing.matching == 1)
        assert (at.inbox.list.cursor, listed(at)) == (here, {"C1", "C2"})
        await at.press("j")
        at.app.refresh_times()
        assert listed(at) == {"C1", "C2"} - {f"C{number}"}


async def test_a_view_moves_on_with_the_clock_and_paints_nothing_else(
    world: Store, wire: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_window, "COUNT_SECONDS", 0.01)
    async with inbox(world) as at:
        await at.press("]", "]", "]")
        assert (at.inbox.list.view.name, listed(at)) == ("overdue", {"C2"})
        at.clock.now += 3600
        at.app.refresh_times()
        assert listed(at) == {"C1", "C2"}
        await until(lambda: at.inbox.thread.conversation_id == at.inbox.list.cursor)
        await until(lambda: at.inbox.list.view_counts.is_at_rest)
        await quiet(at.app)
        wire.clear()
        at.app.refresh_times()
        await until(lambda: at.inbox.list.view_counts.is_at_rest)
        await quiet(at.app)
        assert "".join(wire) == ""


def shown_note(at: At) -> str:
    """Return the note below the filter, if it is drawn whole."""
    note = at.inbox.list.query_one("#filter-note")
    screen = text_of(at.app)[note.region.y : note.region.bottom]
    return " ".join(line[note.region.x : note.region.right].strip() for line in screen)


@pytest.mark.slow
async def test_a_task_that_was_found_is_the_one_that_keys_work_on(world: Store) -> None:
    raws = [raw_task(at, participantsIdentifiers="L1#C5", dueDate=NOW + at) for at in (20, 21)]
    raws.append(raw_task(22, participantsIdentifiers="L1#C5", title="The wobbly chair", dueDate=NOW + 99))
    world.write(lambda db: task_store.put(db, raws)).result()
    while world.write(lambda db: full_text.index_batch(db, 100)).result():
        pass
    for size in ((140, 30), (80, 24)):
        async with inbox(world, size) as at:
            dialog = await at.opens(SearchDialog, "f")
            await at.press(*["backspace"] * (size[0] == 80), *"wobbly")
            await until(lambda dialog=dialog: [hit.task_id for hit in dialog.results.hits] == ["t22"])  # type: ignore[misc]
            await at.press("enter")
            await until(lambda at=at: at.inbox.is_current and at.inbox.focused is at.inbox.facts.tasks)  # type: ignore[misc]
            assert at.inbox.targets.current().tasks == ("t22",), size
            await at.sees("hit 1 of 1")
            await at.press("escape")
            await until(lambda at=at: "hit 1 of 1" not in at.text)  # type: ignore[misc]


@pytest.mark.slow
async def test_what_was_found_grows_as_the_hits_run_out(world: Store) -> None:
    page = [raw_message(NOW - 100 - at, messageId=f"x{at:03}", message="many words") for at in range(70)]

    def put(db: object) -> None:
        threads.put_page(db, ConversationId("L1#C5"), page, start=None, has_more=False, now=1.0)  # type: ignore[arg-type]
        while full_text.index_batch(db, 100):  # type: ignore[arg-type]
            pass

    world.write(put).result()
    async with inbox(world) as at:
        await at.press("f", "tab")
        put_in(at, "many")
        dialog = at.app.screen
        assert isinstance(dialog, SearchDialog)
        await until(lambda: len(dialog.results.hits) == 50)
        for _ in range(6):
            await at.press("pagedown")
        await until(lambda: len(dialog.rows.keys) == 70)
        await at.press("escape", "f")
        again = at.app.screen
        assert isinstance(again, SearchDialog)
        assert again.results.words == "many"


async def check_the_order_is_shown_with_the_share_that_was_read(at: At) -> None:
    for width in (100, 80, 140):
        await at.pilot.resize_terminal(width, 24)
        await until(lambda: "─ longest waiting first · loaded 2 of 5 ─" in text_of(at.app)[-2])
    await at.pilot.resize_terminal(140, 30)
    await quiet(at.app)


async def check_views_are_counted_and_stepped_through_round(at: At) -> None:
    await until(lambda: "unassigned 1" in views_line(at) and "overdue 1" in views_line(at))
    assert views_line(at).startswith("[all 5] mine 2 ")
    await at.press("]")
    assert (at.inbox.list.view.name, listed(at)) == ("mine", {"C1", "C2"})
    await at.press("[", "[")
    assert (at.inbox.list.view.name, listed(at)) == ("late", {"C3", "C4"})
    assert "[late 2+]" in plain(at.inbox.list.query_one(ViewBar).lines[-1]), "most threads weren't read"
    await at.pilot.click(ViewBar, offset=(views_line(at).index("overdue"), 0))
    await until(lambda: at.inbox.list.view.name == "overdue")


async def check_without_a_conversation_the_customer_pane_says_that_none_is_selected(at: At) -> None:
    assert "No conversation selected." not in str(text_of(at.app))
    await at.press("[", "[")
    assert not listed(at)
    await until(lambda: "No conversation selected." in str(text_of(at.app)))
    assert "No tasks loaded." not in str(text_of(at.app))


async def check_marks_of_what_another_view_hides_stay_and_are_counted(at: At) -> None:
    await at.press("V")
    marked = set(at.inbox.list.targets)
    assert len(marked) == 5
    await at.press("]")
    assert listed(at) == {"C1", "C2"}
    await until(lambda: "5 marked, 3 not listed" in at.footer)
    assert set(at.inbox.targets.current().conversations) == marked
    await at.press("escape")
    assert not at.inbox.state().marked


async def check_while_rows_are_marked_the_note_says_that_esc_unmarks_first(at: At) -> None:
    await at.press("/")
    put_in(at, "!is:mine")
    await until(lambda: listed(at) == {"C3", "C4", "C5"})
    await at.press("enter", "space")
    await until(lambda: shown_note(at) == "esc unmark, then clear the filter")
    await at.press("escape")
    await until(lambda: shown_note(at) == "esc clear the filter")
    assert listed(at) == {"C3", "C4", "C5"}
    await at.press("escape")
    await until(lambda: len(listed(at)) == 5)


async def check_the_filter_knows_the_words_of_views(at: At) -> None:
    await at.press("/")
    put_in(at, "!is:mine")
    await until(lambda: listed(at) == {"C3", "C4", "C5"})
    put_in(at, " ~zmrt")
    await until(lambda: listed(at) == {"C3"})
    assert "esc clear the filter" in shown_note(at)
    put_in(at, " is:x")
    whole = "is:x isn't one of mine, mentioned, unassigned, unread, waiting, overdue, task, pending"
    await until(lambda: whole in shown_note(at))
    assert listed(at) == {"C3"}
    await at.press("enter")
    assert isinstance(at.app.focused, Input), "what can't be used is corrected first"
    await at.press("escape")
    assert listed(at) == {"C1", "C2", "C3", "C4", "C5"}


async def check_a_search_opens_the_thread_at_the_hit_and_n_goes_on(at: At) -> None:
    began_at = at.inbox.list.cursor
    await at.press("f", *"late")
    dialog = at.app.screen
    assert isinstance(dialog, SearchDialog)
    await until(lambda: len(dialog.results.hits) == 4)
    assert [hit.text for hit in dialog.results.hits][:2] == ["where is my late order"] * 2
    await at.press("enter")
    await until(lambda: at.inbox.is_current)
    first = at.inbox.thread.conversation_id
    assert first == dialog.results.hits[0].conversation_id == at.inbox.list.cursor
    assert "hit 1 of 4" in plain(at.inbox.list.subtitle)
    shown = at.inbox.thread.message_at_cursor
    assert shown is not None
    assert shown["message"] == "where is my late order"
    await at.press("n", "n")
    shown = at.inbox.thread.message_at_cursor
    assert shown is not None
    assert shown["message"] == "where is my late parcel"
    await at.press("N", "N", "N")
    assert at.inbox.thread.conversation_id == first
    assert "hit 1 of 4" in plain(at.inbox.list.subtitle)
    await at.press("escape")
    assert "hit" not in plain(at.inbox.list.subtitle)
    await at.press("N")
    assert at.inbox.list.cursor == began_at


async def check_one_jumps_by_name_and_comes_back(at: At) -> None:
    began_at = at.inbox.list.cursor
    for typed, there in (("zoe", "L1#C3"), ("dnlv", "L1#C1")):
        await at.press("J")
        put_in(at, typed)
        dialog = at.app.screen
        assert isinstance(dialog, JumpDialog)
        await until(lambda there=there, dialog=dialog: dialog.rows.cursor_key == there)
        await at.press("enter")
        await until(lambda there=there: at.inbox.is_current and at.inbox.list.cursor == there)
    await at.press("N")
    assert at.inbox.list.cursor == "L1#C3"
    await at.press("N")
    assert at.inbox.list.cursor == began_at


async def check_what_the_filter_found_is_marked_in_rows_and_thread_until_it_is_cleared(at: At) -> None:

    def marked(view: LineView) -> set[str]:
        parts = (part for painted in view.frame() for part in painted.line)
        return {part.text.text for part in parts if part.role is Role.HIT}

    await at.press("/")
    put_in(at, "blue")
    await at.press("enter")
    await until(lambda: marked(at.inbox.list.rows) == {"blue"} and marked(at.inbox.thread.rows) == {"blue"})
    await at.press("escape")
    await until(lambda: not marked(at.inbox.list.rows) and not marked(at.inbox.thread.rows))


async def check_without_preview_the_list_stands_alone_until_one_opens(at: At) -> None:
    opened = at.inbox.thread.conversation_id
    await at.press("p", "j")
    assert at.inbox.list.outer_size.width == 140
    assert at.inbox.thread.conversation_id == opened
    await at.press("enter")
    assert at.inbox.thread.conversation_id == at.inbox.list.cursor
    assert at.inbox.thread.is_on_screen
    await at.press("p")
    assert at.inbox.thread.is_on_screen
    assert at.inbox.list.outer_size.width < 140


async def check_a_conversation_opens_by_a_number_on_the_line_that_is_picked(at: At) -> None:
    await at.press("O", "enter")
    assert NOTHING_TYPED in "\n".join(text_of(at.app))
    # In a burst, as over a slow line: the blank is typed behind the digits, and marks nothing.
    for sign in "052 123 4567":
        at.app.post_message(events.Key("space" if sign == " " else sign, sign))
    await until(lambda: getattr(at.app.focused, "value", "") == "052 123 4567")
    dialog = at.app.screen
    assert isinstance(dialog, OpenPairDialog)
    dialog.rows.move_to(LINE)
    await at.press("enter")
    there = ConversationId(f"{LINE}#972521234567")
    await until(lambda: at.inbox.list.cursor == there)
    record = record_lookup.conversation(at.services.store.reading, there)
    assert record is not None
    assert (record.line_id, record.customer_id) == (LINE, "972521234567")


@pytest.mark.slow
async def test_views_filter_search_and_jump(world: Store) -> None:
    async with inbox(world) as at:
        for check in (
            check_the_order_is_shown_with_the_share_that_was_read,
            check_views_are_counted_and_stepped_through_round,
            check_without_a_conversation_the_customer_pane_says_that_none_is_selected,
            check_marks_of_what_another_view_hides_stay_and_are_counted,
            check_while_rows_are_marked_the_note_says_that_esc_unmarks_first,
            check_the_filter_knows_the_words_of_views,
            check_a_search_opens_the_thread_at_the_hit_and_n_goes_on,
            check_one_jumps_by_name_and_comes_back,
            check_what_the_filter_found_is_marked_in_rows_and_thread_until_it_is_cleared,
            check_without_preview_the_list_stands_alone_until_one_opens,
            check_a_conversation_opens_by_a_number_on_the_line_that_is_picked,
        ):
            await start_anew(at)
            await check(at)


async def test_who_has_written_from_another_country_is_opened_unless_the_line_s_may_have_that_number(
    world: Store,
) -> None:
    for customer in ("447700900123", "34655000922"):
        there = ConversationId(f"{LINE}#{customer}")
        world.write(partial(add_by_pair, conversation_id=there, line_id=LINE, customer_id=customer)).result()
    async with inbox(world) as at:
        for typed in ("07700 900123", "0655 000 922"):
            dialog = await at.opens(OpenPairDialog, "O")
            put_in(at, typed)
            dialog.rows.move_to(LINE)
            await at.press("enter")
            if typed.startswith("07"):
                await until(lambda: at.inbox.list.cursor == f"{LINE}#447700900123")
                await start_anew(at)
            else:
                assert "may be 972655000922, 34655000922; write" in at.text
                assert "the number with its calling code" in at.text


@pytest.mark.slow
async def test_everything_is_found_again_where_it_was_left(world: Store) -> None:
    async with inbox(world) as at:
        await at.press("S", "]", "/")
        put_in(at, "is:overdue")
        await at.press("enter")
        await until(lambda: listed(at) == {"C2"})
        await at.press("f")
        put_in(at, "late")
        await at.press("enter")
        await until(lambda: at.inbox.is_current)
        there = at.inbox.list.cursor
        assert there in ("L1#C3", "L1#C4"), "shown although the view and the filter hide it"
        await at.press("2", "1")
        at.app.save_and_exit()
    world.write(lambda _: None).result()
    async with inbox(world) as at:
        assert (at.inbox.list.order, at.inbox.list.view.name) == (ConversationOrder.ACTIVITY, "mine")
        assert at.inbox.list.filtered_by == "is:overdue"
        assert (at.inbox.list.cursor, at.inbox.thread.conversation_id) == (there, there)
        assert at.inbox.navigation.searched == "late"


async def test_where_one_was_is_known_after_a_line_that_broke(world: Store) -> None:
    async with inbox(world) as at:
        await at.press("j")
        at.app.save_view_state()
        world.write(lambda _: None).result()
        kept = at.app.app_context.outbox.saved_view_state("inbox")
        assert isinstance(kept, dict)
        assert kept["conversation"] == at.inbox.list.cursor
        written: list[str] = []
        at.app.app_context.outbox.save_view_state = lambda name, _: written.append(name)  # type: ignore[method-assign]
        at.app.save_view_state()
        assert not written, "nothing has moved"


def let_wait(store: Store, number: int, hours: int) -> None:
    """A customer who waits for so long."""
    page = [raw_message(NOW - 3600 * hours, messageId=f"m{number}", message="hello?")]
    here = ConversationId(f"L1#C{number}")
    store.write(lambda db: threads.put_page(db, here, page, start=None, has_more=False, now=1.0)).result()


def reading_note(at: At) -> str:
    shown = at.inbox.list.query_one(ReadingNote)
    return " | ".join(plain(each).strip() for each in shown.lines) if shown.has_class("-shown") else ""


def put_customers(store: Store, count: int) -> None:
    raws = [
        raw_task(number, customer={"phoneNumberId": f"C{number}", "lastActiveAt": (NOW - 3600 * number) * 1000})
        for number in range(1, count + 1)
    ]
    live = Health(Connection.LIVE, fresh_at=NOW, heard_at=NOW)
    store.write(lambda db: (task_store.put(db, raws), note_listed(db), clients.write_health(db, live))).result()


async def test_while_threads_are_read_the_list_says_so_and_the_cursor_stays_on_its_first_row(store: Store) -> None:
    put_customers(store, 14)
    let_wait(store, 1, 1)
    async with inbox(store, size=(100, 24)) as at:
        rows = at.inbox.list.rows
        await until(
            lambda: reading_note(at) == "Loading conversations: 13 of 14 left. | The order may still change."
        )
        assert "read" not in plain(at.inbox.list.subtitle), "the count stands once on the screen"
        assert at.inbox.view_state()["conversation"] is None, "nobody chose the row"
        let_wait(store, 2, 2)
        await until(lambda: rows.keys[0] == "L1#C2")
        assert rows.cursor_key == "L1#C2"
        assert at.inbox.thread.conversation_id is None, "what is opened wouldn't stay"
        await at.press("j")
        await until(lambda: at.inbox.thread.conversation_id == "L1#C1")
        for number in range(3, 14):
            let_wait(store, number, number)
        await until(lambda: rows.keys[0] == "L1#C13")
        assert rows.cursor_key == "L1#C1"
        await until(lambda: f"↑ {rows.rows_above} above" in reading_note(at) and "1 of 14" in reading_note(at))
        let_wait(store, 14, 14)
        await until(lambda: reading_note(at) == f"↑ {rows.rows_above} above | g show the first")
        assert rows.rows_above
        await at.press("g")
        await until(lambda: not reading_note(at))


async def test_the_first_row_is_opened_once_all_threads_were_read(store: Store) -> None:
    put_customers(store, 11)
    async with inbox(store) as at:
        await until(lambda: "11 of 11 left" in reading_note(at))
        for number in range(1, 12):
            assert at.inbox.thread.conversation_id is None
            let_wait(store, number, number)
        await until(lambda: at.inbox.thread.conversation_id == "L1#C11")


async def test_with_a_request_budget_the_thread_opened_first_stays_while_the_order_changes(store: Store) -> None:
    put_customers(store, 12)
    async with inbox(store, hosts="https://platform.example") as at:
        await until(lambda: at.inbox.thread.conversation_id == "L1#C1")
        for number in range(12, 7, -1):
            let_wait(store, number, number)
        await until(lambda: "7 of 12 left" in reading_note(at))
        assert at.inbox.list.rows.keys[0] == "L1#C1", "the latest activity first"
        let_wait(store, 7, 7)
        await until(lambda: at.inbox.list.rows.keys[0] == "L1#C12")
        assert "longest waiting" in plain(at.inbox.list.subtitle)
        assert (at.inbox.list.cursor, at.inbox.thread.conversation_id) == ("L1#C1", "L1#C1")


@pytest.mark.slow
async def test_the_filter_is_saved_as_a_view_and_replaced_only_after_a_question(
    world: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "config.toml"
    monkeypatch.setattr(config_settings, "config_path", lambda: path)

    async def save(at: At, filtered: str, name: str) -> None:
        await at.press("slash")
        put_in(at, filtered)
        await at.press("enter")
        await until(lambda: at.inbox.list.filtered_by == filtered)
        await at.press("plus")
        await until(lambda: isinstance(at.app.screen, PromptDialog))
        put_in(at, name)
        await at.press("enter")

    async with inbox(world) as at:
        await at.press("plus")
        await until(lambda: "Filter the list first (/)" in str(text_of(at.app)))
        await save(at, "due<2h", "near")
        await until(lambda: at.inbox.list.view.name == "near")
        assert (at.inbox.list.filtered_by, listed(at)) == ("", {"C1", "C2"})
        assert "[near 2]" in str([plain(each) for each in at.inbox.list.query_one(ViewBar).lines])
        await at.press("b", "a")
        await save(at, "is:unassigned", "near")
        await until(lambda: isinstance(at.app.screen, ConfirmDialog))
        assert 'match = "due<2h"' in path.read_text()
        await at.press("y")
        await until(lambda: at.inbox.list.view.name == "near" and listed(at) == {"C5"})
        assert 'match = "is:unassigned"' in path.read_text()
        path.write_text("[settings\n")
        await save(at, "is:mine", "me")
        await until(lambda: "Couldn't save:" in str(text_of(at.app)))
        assert at.inbox.list.filtered_by == "is:mine", "nothing is lost"
        assert path.read_text() == "[settings\n"
