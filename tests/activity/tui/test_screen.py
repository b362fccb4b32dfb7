"""Activity: each change with its state in words, a conflict's values side by side, unreadable items."""

import random
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import apsw
import pytest
from textual import events
from textual.geometry import Size
from textual.pilot import Pilot

from frontdesk.activity.tui.screen import ActivityScreen
from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.campaigns.changes import drafts_of
from frontdesk.campaigns.draft import FromFile, build_body, new_draft
from frontdesk.inbox.tui.screen import InboxScreen
from frontdesk.outbox import queue
from frontdesk.storage import change_feed, invalid_items, record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeState, Made
from frontdesk.tasks import store as task_store
from frontdesk.tasks.tui.dialogs import MergeDialog
from frontdesk.tui.dialogs.review import RecordDialog
from frontdesk_api.contract.ids import StatusId, TaskId
from frontdesk_lines.content import plain
from frontdesk_lines.widgets.pane import Pane
from frontdesk_lines.widgets.row_list import RowList
from frontdesk_lists.models import ListedRecipient
from kit import running
from sample_json import raw_task
from services import Services, change_tasks
from tui import hosts
from tui.hosts import until
from tui.screen_text import screen_text, shown_toasts

pytestmark = pytest.mark.anyio
NOW = 1_700_000_000.0
ONE, TWO = "b1/Status/0", "b2/Status/0"
"""The rows of the conflict and of the change that waits, which is newer."""

UNREADABLE = re.compile(r"1 item unreadable, see 6|1 unreadable \(6\)")
"""The words of the status line, of which the short ones leave room for the hints."""

SIZES = [(140, 40), (100, 30), (80, 24)]


def fill(db: apsw.Connection) -> None:
    """A conflict of a status, a change that waits, and an item that couldn't be read; no more than that."""
    db.execute("DELETE FROM outbox.changes")
    task_store.put(db, [raw_task(1), raw_task(2)])
    for number, status in ((1, "completed"), (2, "standby")):
        change_tasks(db, [raw_task(number)["taskId"]], {"statusCase": status}, Made(f"b{number}", "Status", NOW))
    (change,) = queue.live_for(db, "t1")
    queue.move(
        db,
        change.change_id,
        ChangeState.CONFLICT,
        expected=tuple(ChangeState),
        now=NOW,
        reason="someone else changed this in the meantime",
        theirs={"statusCase": "waiting [red]"},
    )
    invalid_items.report(db, "task", [({"taskId": "t9", "title": {"odd": "\x1b[31m"}}, "no text in title")], NOW)


@asynccontextmanager
async def activity(
    store: Store, size: tuple[int, int], more: Callable[[apsw.Connection], object] = lambda _: None
) -> AsyncIterator[tuple[FrontdeskApp, ActivityScreen]]:
    store.write(lambda db: (fill(db), more(db))).result()
    async with running(store, fills=False, size=size, screen="6") as at:
        yield at.app, at.on(ActivityScreen)


async def start_anew(app: FrontdeskApp, screen: ActivityScreen, size: tuple[int, int] = SIZES[0]) -> None:
    """Have the first three rows alone again, with nothing said."""
    while app.screen is not app.current_screen:
        await app.screen.dismiss()
    app.action_go("activity")
    await resize(app, size)
    app.clear_notifications()
    screen.app_context.store.write(fill).result()
    await until(lambda: app.current_screen is screen and screen.rows.keys == [TWO, ONE, "task/t9"])
    changes = queue.recent(screen.app_context.store.reading)
    await until(lambda: [each for key in (TWO, ONE) for each in screen._changes_of(key)] == changes)
    await hosts.quiet(app)


async def resize(app: FrontdeskApp, size: tuple[int, int]) -> None:
    app.post_message(events.Resize(Size(*size), Size(*size)))
    await until(lambda: app.size == size)


def facts_of(screen: ActivityScreen) -> str:
    return "\n".join("".join(part.text.text for part in painted.line) for painted in screen.facts.frame())


async def check_a_conflict_shows_before_theirs_and_yours(app: FrontdeskApp, screen: ActivityScreen) -> None:
    assert screen.rows.cursor_key == TWO, "the newest"
    for size in SIZES:
        await resize(app, size)
        assert screen.rows.move_to(TWO)
        screen.action_next_undecided()
        assert screen.rows.cursor_key == ONE
        await until(lambda: "yours   Completed" in facts_of(screen))
        facts = facts_of(screen)
        assert "was     Open" in facts, size
        assert "theirs  waiting [red]" in facts, size
        title = plain(screen.query_one("#changes", Pane).title)
        assert "1 needs a decision" in title, size
        assert "1 unreadable" in title, size


async def check_what_could_not_be_read_is_listed_and_shown_as_it_came(
    app: FrontdeskApp, screen: ActivityScreen
) -> None:
    screen.rows.move_to("task/t9")
    await until(lambda: "no text in title" in facts_of(screen))
    assert screen.rows.keys == [TWO, ONE, "task/t9"]
    assert screen.record_actions.copied_id() == "t9"
    record = screen.record_actions.raw()
    assert record is not None
    assert record[1] == {"taskId": "t9", "title": {"odd": "\x1b[31m"}}
    screen.record_actions.show_raw()
    await until(lambda: isinstance(app.screen, RecordDialog))


async def check_other_screens_say_that_items_are_unreadable(app: FrontdeskApp, screen: ActivityScreen) -> None:
    assert not UNREADABLE.search(screen_text(app)), "the title says it"
    for mode, is_said in (("inbox", True), ("campaigns", False), ("board", True)):
        app.action_go(mode)
        await until(lambda mode=mode: app.current_screen is not None and app.current_screen.key_context == mode)
        await until(lambda said=is_said: bool(UNREADABLE.search(screen_text(app))) is said)
    await until(lambda: UNREADABLE.search(screen_text(app)))
    screen.app_context.store.write(
        lambda db: (db.execute("DELETE FROM broken"), change_feed.append(db, change_feed.BROKEN, ["task"]))
    ).result()
    await until(lambda: "unreadable" not in screen_text(app))


async def check_a_campaign_on_its_way_is_shown_and_dropped(app: FrontdeskApp, screen: ActivityScreen) -> None:
    services = Services.of(screen.app_context.store)
    draft = replace(
        new_draft(datetime(2026, 11, 21, tzinfo=UTC), random.Random(1), FromFile("list.csv")),
        name="Spring sale [red]",
    )
    people = [ListedRecipient(f"9725200000{each:02}", "", "", each) for each in range(40)]
    change = services.campaigns.create(draft, build_body(draft, people)).result()
    key = f"{change.batch}/{change.label}/0"
    await until(lambda: key in screen.rows.keys)
    screen.rows.move_to(key)
    await until(lambda: "To      40 recipients" in facts_of(screen))
    assert "Spring sale [red]" in facts_of(screen)
    record: Any = screen.record_actions.raw()
    assert record[1]["sent"]["name"] == "Spring sale [red]"
    assert record[1]["sent"]["customerList"][-1] == "… 37 more …"
    screen.action_drop()
    await until(lambda: "discarded" in facts_of(screen))
    assert [each.draft_id for each in drafts_of(services.store.reading)] == [draft.draft_id]


async def check_an_update_of_a_workflow_is_shown_and_dropped(app: FrontdeskApp, screen: ActivityScreen) -> None:
    services = Services.of(screen.app_context.store)
    base = {"id": "w1", "name": "Welcome [red]", "lastModified": 5}
    change = services.workflows.update("w1", {"notes": "xxx"}, base).result()
    key = f"{change.batch}/{change.label}/0"
    await until(lambda: key in screen.rows.keys)
    screen.rows.move_to(key)
    await until(lambda: "Name    Welcome [red]" in facts_of(screen))
    await until(lambda: "Changes 1 setting changed" in " ".join(facts_of(screen).split()))
    record: Any = screen.record_actions.raw()
    assert record[1]["sent"] == {"notes": "xxx", "lastModified": 5}
    screen.action_drop()
    await until(lambda: "discarded" in facts_of(screen))
    change = services.workflows.update("w1", {"notes": "x" * 300_000}, base).result()
    key = f"{change.batch}/{change.label}/0"
    await until(lambda: key in screen.rows.keys)
    screen.rows.move_to(key)
    await until(lambda: "sends within" in facts_of(screen))
    record = screen.record_actions.raw()
    assert "too long to show" in record[1]["sent"]


async def check_only_what_can_be_done_is_hinted_at(app: FrontdeskApp, screen: ActivityScreen) -> None:

    def hinted() -> str:
        return hosts.text_of(app)[-1]

    screen.rows.move_to(ONE)
    await until(lambda: "r resend" in hinted() and "x discard" in hinted())
    screen.rows.move_to(TWO)
    await until(lambda: "x discard" in hinted() and "resend" not in hinted())
    screen.rows.move_to(ONE)
    screen.action_drop()
    await until(lambda: "discarded" in facts_of(screen))
    facts = facts_of(screen)
    assert "someone else changed this in the meantime" in facts, "it still shows theirs and yours and why"
    assert "theirs  waiting [red]" in facts
    assert "yours   Completed" in facts
    assert "resends" not in facts
    assert "1 needs a decision" not in plain(screen.query_one("#changes", Pane).title)
    await until(lambda: "resend" not in hinted() and "x discard" not in hinted())
    screen.action_retry()
    words = (
        "It is already discarded: you can only resend changes that were rejected or are waiting for your decision"
    )
    await until(lambda: any(words in each for each in shown_toasts(app)))


def in_sight(rows: RowList) -> set[str | None]:
    return {rows.key_at(line) for line in range(rows.size.height)}


def many_more(db: apsw.Connection) -> None:
    page = [raw_task(number) for number in range(3, 203)]
    task_store.put(db, page)
    ids = [raw["taskId"] for raw in page]
    change_tasks(db, ids, {"statusCase": "completed"}, Made("many", "Status: Done", NOW + 1))


MANY = "many/Status: Done/0"


@pytest.mark.slow
@pytest.mark.parametrize("size", [(140, 40), (80, 24), (60, 15)])
async def test_the_newest_is_under_the_cursor_whenever_it_is_opened_anew(
    store: Store, size: tuple[int, int]
) -> None:
    async with activity(store, size, many_more) as (app, screen):
        assert screen.rows.keys == [MANY, TWO, ONE, "task/t9"], "a bulk change is one row"
        for _ in range(2):
            await until(lambda: screen.rows.cursor_key == MANY)
            await until(lambda: MANY in in_sight(screen.rows))
            screen.action_next_undecided()
            assert screen.rows.cursor_key == ONE
            await app.run_action("go('inbox')")
            await app.run_action("go('activity')")
            await until(lambda: app.current_screen is screen)


async def test_a_bulk_change_is_one_row_and_lists_its_tasks_on_enter(store: Store) -> None:
    async with activity(store, (140, 40), many_more) as (app, screen):
        await until(lambda: any("Status: Done · 200 tasks" in line for line in hosts.text_of(app)))
        assert any("200 waiting to send" in line for line in hosts.text_of(app))
        assert "Open → Completed" in facts_of(screen)
        screen.rows.action_choose()
        await until(lambda: len(screen.rows.keys) == 204)
        screen.rows.step(1)
        assert screen.change is not None
        member = screen.change
        await app.run_action("undo")
        await until(lambda: task_status(screen, member.target) == "open")
        assert task_status(screen, "t7") == "completed", "one task of the bulk change is undone by itself"
        await until(lambda: any("Undone: Status Done" in each for each in shown_toasts(app)))
        assert not any("redoes it" in each for each in shown_toasts(app))


def discarded_in_part(db: apsw.Connection) -> None:
    page = [raw_task(number) for number in (3, 4, 5)]
    task_store.put(db, page)
    ids = [raw["taskId"] for raw in page]
    change_tasks(db, ids, {"statusCase": "completed"}, Made("many", "Status: Done", NOW + 1))
    (change,) = queue.live_for(db, "t3")
    queue.move(db, change.change_id, ChangeState.DROPPED, expected=tuple(ChangeState), now=NOW + 2)


async def test_an_undo_of_what_was_discarded_in_part_says_first_what_was_undone(store: Store) -> None:
    async with activity(store, (140, 40), discarded_in_part) as (app, screen):
        screen.rows.move_to(MANY)
        await app.run_action("undo")
        await until(
            lambda: any(
                each.startswith("Undone: Status Done")
                and "Not undone on 1 of the 3 tasks: it never took effect" in each
                for each in shown_toasts(app)
            )
        )
        assert len(shown_toasts(app)) == 1
        assert task_status(screen, "t4") == "open"


def task_status(screen: ActivityScreen, task_id: str) -> str:
    found = record_lookup.task(screen.app_context.store.reading, TaskId(task_id))
    assert found is not None
    return found.status


async def check_undo_works_on_the_entry_or_says_why_not(app: FrontdeskApp, screen: ActivityScreen) -> None:
    store = screen.app_context.store
    screen.rows.move_to(ONE)
    Services.of(store).tasks.set_status([TaskId("t1")], StatusId("waiting")).result()
    await app.run_action("undo")
    await until(
        lambda: any("it never took effect" in each or "only the last" in each for each in shown_toasts(app))
    )
    assert task_status(screen, "t1") == "waiting", "the last action is another one"


async def check_enter_opens_the_conversation_and_back_returns(app: FrontdeskApp, screen: ActivityScreen) -> None:
    screen.rows.move_to(ONE)
    screen.rows.action_choose()
    await until(lambda: isinstance(app.current_screen, InboxScreen))
    inbox: Any = app.current_screen
    await until(lambda: inbox.list.cursor == raw_task(1)["participantsIdentifiers"])
    await app.run_action("back")
    await until(lambda: app.current_screen is screen)
    assert screen.rows.cursor_key == ONE


async def check_a_change_that_the_wheel_moved_to_is_named_first(app: FrontdeskApp, screen: ActivityScreen) -> None:
    screen.rows.move_to(ONE)
    screen.rows.scrolled_from = TWO
    screen.action_retry()
    await until(lambda: any("was scrolled; the cursor is now on" in each for each in shown_toasts(app)))
    before = screen.change
    assert before is not None
    assert before.target == "t1"
    screen.action_retry()
    await until(lambda: screen.change is not None and screen.change.change_id > before.change_id)
    assert screen.rows.cursor_key == ONE, "a resent change keeps its row and the cursor"
    assert screen.rows.keys == [ONE, TWO, "task/t9"], "the newest is on top, and the dead one isn't listed"


async def test_each_change_is_shown_in_words_and_worked_on(store: Store) -> None:
    async with activity(store, SIZES[0]) as (app, screen):
        for check in (
            check_a_conflict_shows_before_theirs_and_yours,
            check_undo_works_on_the_entry_or_says_why_not,
            check_what_could_not_be_read_is_listed_and_shown_as_it_came,
            check_a_campaign_on_its_way_is_shown_and_dropped,
            check_an_update_of_a_workflow_is_shown_and_dropped,
            check_only_what_can_be_done_is_hinted_at,
            check_enter_opens_the_conversation_and_back_returns,
            check_a_change_that_the_wheel_moved_to_is_named_first,
            check_other_screens_say_that_items_are_unreadable,
        ):
            await start_anew(app, screen)
            await check(app, screen)


async def test_both_versions_of_a_text_are_edited_into_one_and_sent_over_theirs(store: Store) -> None:
    def conflict(db: apsw.Connection) -> None:
        fields = {"title": "Yours", "dueDate": 5}
        change_tasks(db, [raw_task(1)["taskId"]], fields, Made("b3", "Edit title", NOW))
        change = queue.live_for(db, "t1")[-1]
        states, theirs = tuple(ChangeState), {"title": "Theirs \x1b[31m", "dueDate": 7}
        queue.move(db, change.change_id, ChangeState.CONFLICT, expected=states, now=NOW, theirs=theirs)

    async with activity(store, (140, 40), conflict) as (app, screen):
        await until(lambda: "e edit both into one · r resends yours" in facts_of(screen))
        pilot = Pilot(app)
        await pilot.press("e")
        await until(lambda: isinstance(app.screen, MergeDialog) and app.screen.focused is not None)
        shown = screen_text(app)
        assert "Title, theirs" in shown
        assert "Theirs ]31m" in shown or "Theirs [31m" in shown
        await pilot.press("end", *" too", "enter")
        await until(lambda: any("Edited title into one" in each for each in shown_toasts(app)))
        change = queue.recent(store.reading)[0]
        assert change.state is ChangeState.QUEUED
        assert change.fields == {"title": "Yours too", "dueDate": 5}
        assert change.base == {"title": "Theirs \x1b[31m", "dueDate": 7}
        screen.rows.move_to(ONE)  # a status: no text that could be edited
        await pilot.press("e")
        await until(lambda: any("there's nothing to merge" in each for each in shown_toasts(app)))
