"""Notes on the screen: written with the keys, shown in the thread, taken back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from threading import Event
from unittest.mock import Mock

import pytest
from textual.widgets import Input, TextArea

from frontdesk.config.settings import Profile, SavedView, Settings
from frontdesk.config.team import TeamSettings
from frontdesk.inbox import changes
from frontdesk.inbox.changes import NO_TEAM
from frontdesk.inbox.store import notes, team_views, threads
from frontdesk.inbox.store.notes import TeamNote, note_body
from frontdesk.inbox.tui.note_dialog import NoteDialog
from frontdesk.outbox import queue
from frontdesk.outbox.changes import NotPossible
from frontdesk.storage import record_lookup, team_state
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeKind, ChangeState
from frontdesk.storage.team_state import Colleague
from frontdesk.tasks import store as task_store
from frontdesk.tui.header import Header
from frontdesk_api.contract.ids import AgentId, ConversationId, CustomerId, LineId
from frontdesk_lines.content import plain
from frontdesk_lines.privacy import set_private
from kit import NOWHERE, At, Clock, running
from sample_json import raw_message, raw_task
from services import Services
from tui.hosts import quiet, text_of, until

pytestmark = pytest.mark.anyio
HERE, NOW, ME = ConversationId("L1#C1"), 100_000.0, AgentId("agent-noa")
PROFILE = Profile(
    "test",
    NOWHERE,
    agent_id=ME,
    agents={ME: "Noa", AgentId("agent-dan"): "Dan Green", AgentId("agent-ruth"): "Ruth"},
    team=TeamSettings("postgresql://noa@db/frontdesk", "acme"),
)


def theirs(
    store: Store, text: str, note_id: str = "n1", by: str = "agent-dan", at: float = NOW - 60, **content: object
) -> None:
    """A note of a colleague's as the follower stores it."""
    body = note_body(HERE, {"text": text, "mentions": [], "hand_over_to": "", **content})
    store.write(lambda db: notes.apply(db, note_id, by, at, body)).result()


def take_back(store: Store, note_id: str = "n1") -> None:
    """Let Dan take his note back."""
    store.write(lambda db: notes.apply(db, note_id, "agent-dan", NOW, "")).result()


@asynccontextmanager
async def reading(
    store: Store,
    as_profile: Profile = PROFILE,
    settings: Settings | None = None,
    size: tuple[int, int] = (140, 30),
) -> AsyncIterator[At]:
    """An app on the inbox with a conversation, the focus in its thread."""
    services = Services(store, as_profile, settings, clock=lambda: NOW)
    services.inbox.open_conversation(LineId("L1"), CustomerId("C1")).result()
    page = [raw_message(number, createdAt=(NOW - 300 + number) * 1000) for number in (3, 2, 1)]
    store.write(lambda db: threads.put_page(db, HERE, page, start=None, has_more=False, now=NOW)).result()
    async with running(
        store, fills=False, as_profile=as_profile, settings=settings, clock=Clock(NOW), size=size,
        context={"environ": {}},
    ) as at:  # fmt: skip
        await until(lambda: at.inbox.list.cursor is not None)
        at.inbox.navigation.open_conversation(HERE)
        at.inbox.panes.focus_pane(at.inbox.thread)
        await quiet(at.app)
        yield at


def written(store: Store) -> list[TeamNote]:
    return notes.of_conversation(store.reading, HERE, ME)


async def write(at: At, text: str) -> None:
    await at.opens(NoteDialog, "w")
    at.app.screen.query_one(TextArea).text = text
    await at.press("tab", "enter")


async def test_a_note_is_written_completed_kept_unsaved_and_taken_back(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reading(store) as at:
        await write(at, "he pays on Friday")
        await at.sees("note · you", "he pays on Friday", "not shared yet")
        await at.press("u")
        await until(lambda: "note · you" not in at.text)
        assert written(store) == []

        await at.press("w", "h", "a", "escape")
        await at.opens(NoteDialog, "w")
        assert at.app.screen.query_one(TextArea).text == "ha"
        await at.press("n")
        assert at.app.screen.query_one(TextArea).text == "n"
        at.app.screen.query_one(TextArea).text = "x" * 10_001
        await at.press("tab", "enter")
        await at.sees("10,000 characters at most")
        at.on(NoteDialog).query_one(TextArea).text = ""
        await at.press("escape")

        for size in ((60, 15), (140, 30)):
            await at.pilot.resize_terminal(*size)
            await at.opens(NoteDialog, "w")
            at.app.screen.query_one(TextArea).insert("ask @")
            await at.press("d")
            await at.sees("Dan Green")
            await at.press("tab")
            at.app.screen.query_one(TextArea).insert("today")
            await at.press("tab", "enter")
            await until(lambda: bool(written(store)))
            (note,) = written(store)
            assert (note.text, note.mentions) == ("ask @Dan Green today", ("agent-dan",)), size
            await at.press("u")
            await until(lambda: written(store) == [])

        may_write = Event()
        store.write(lambda _: may_write.wait(30))
        await at.opens(NoteDialog, "w")
        at.app.screen.query_one(TextArea).text = "first"
        await at.press("tab")
        at.on(NoteDialog).save_draft()
        await at.press("enter")
        await at.opens(NoteDialog, "w")
        assert at.app.screen.query_one(TextArea).text == ""
        at.app.screen.query_one(TextArea).text = "second"
        await at.press("escape")
        may_write.set()
        await until(lambda: [each.text for each in written(store)] == ["first"] and "Note saved" in at.toasts)
        await at.opens(NoteDialog, "w")
        assert at.app.screen.query_one(TextArea).text == "second"
        at.app.screen.query_one(TextArea).text = ""
        await at.press("escape", "u")
        await until(lambda: written(store) == [])

        with monkeypatch.context() as patched:
            patched.setattr(changes, "add_note", Mock(side_effect=NotPossible("no room")))
            await write(at, "third")
            await until(lambda: "Nothing was done: no room." in at.toasts)
        await at.opens(NoteDialog, "w")
        assert at.app.screen.query_one(TextArea).text == "third"
        at.app.screen.query_one(TextArea).text = ""
        await at.press("escape")

        await write(at, "not allowed")
        await until(lambda: bool(written(store)))
        (note,) = written(store)
        store.write(
            lambda db: queue.move(
                db,
                note.change_id,
                ChangeState.REFUSED,
                expected=(ChangeState.QUEUED,),
                now=NOW,
                reason="no rights here",
            )
        ).result()
        await at.press("r")
        at.app.refresh_times()
        await at.sees("rejected: no rights here")
        await at.press("G", "K")
        await until(lambda: not written(store) and "note · you" not in at.text)

        theirs(store, "mine", by=ME)
        await at.sees("note · you")
        await at.press("G", "K")
        await until(lambda: not written(store))
        (change,) = queue.unsettled(store.reading, ChangeKind.NOTE)
        assert change.fields == {"n1": None}, "the team has it, so that is sent"


async def test_a_colleagues_note_stands_at_its_time_isnt_taken_back_and_is_hidden_by_privacy(store: Store) -> None:
    there = [Colleague("agent-dan", "dan@desk"), Colleague("agent-x", "x@desk"), Colleague(ME, "noa@laptop")]
    async with reading(store) as at:
        theirs(store, "hello @Noa\nsecond line", mentions=[ME])
        await at.sees("note · Dan Green", "@you")
        lines = text_of(at.app)
        place = next(each for each, line in enumerate(lines) if "note · Dan Green" in line)
        assert "second line" in lines[place + 2]
        await at.press("G", "K")
        await at.sees("your own notes")
        assert len(written(store)) == 1
        await at.press("enter")
        await at.sees("From", "Mentions       you")
        await at.press("escape")

        store.write(lambda db: team_state.put_present(db, {HERE: there})).result()
        await at.sees("Dan Green, x@desk here")
        assert "noa@laptop" not in at.text
        store.write(lambda db: team_state.put_present(db, {})).result()
        await until(lambda: "x@desk here" not in at.text)

        at.app.clear_notifications()
        await at.press("H")
        await until(lambda: "second line" not in at.text)
        assert "Dan Green" not in at.text
        await at.press("w")
        await at.sees("To write a note")
    set_private(False)


async def test_without_a_team_the_key_says_that_notes_need_one(store: Store) -> None:
    async with reading(store, replace(PROFILE, team=None)) as at:
        await at.press("w")
        await at.sees(NO_TEAM[:20])


async def test_a_read_only_run_opens_no_dialog_for_them(store: Store) -> None:
    async with reading(store, settings=Settings(read_only=True)) as at:
        theirs(store, "hello")
        await at.press("G")
        for key in "wWK":
            at.app._typed_at = 0.0
            await at.press(key)
            await until(lambda: "Nothing was done: frontdesk is read-only" in at.toasts)
            assert at.app.screen is at.inbox, key
            at.app.clear_notifications()


async def test_a_hand_over_of_the_task_that_the_row_is_about_is_one_action(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = raw_task(1, title="Late delivery", assignedAgentIds=[ME])
    first = raw_task(2, dueDate=NOW - 60, assignedAgentIds=["agent-ruth"], participantsIdentifiers=HERE)
    store.write(lambda db: task_store.put(db, [mine])).result()
    async with reading(store) as at:
        await at.press("W")
        await at.sees("To whom?", 'Hand over · "Late delivery" for Customer 1')
        await at.press(*"dan", "enter")
        await at.sees("leave it as it is", 'Due · "Late delivery" for Customer 1')
        await at.opens(NoteDialog, "3")
        at.app.screen.query_one(TextArea).text = "the refund"
        may_write = Event()
        store.write(lambda _: may_write.wait(30))
        await at.press("tab", "enter")
        await at.opens(NoteDialog, "w")
        at.app.screen.query_one(TextArea).text = "a note besides"
        await at.press("escape")
        may_write.set()
        await until(lambda: bool(written(store)) and "Handed over" in at.toasts)
        assert at.app.app_context.outbox.drafts.of("note", HERE).text == "a note besides"
        await at.sees("handed over · you to Dan Green")
        (note,) = written(store)
        assert note.hand_over_to == "agent-dan"
        (record,) = record_lookup.tasks_of_conversation(store.reading, HERE)
        assert record.assigned == ("agent-dan",)
        assert record.due_at is not None
        await at.press("u")
        await until(lambda: not written(store))
        (record,) = record_lookup.tasks_of_conversation(store.reading, HERE)
        assert (record.assigned, record.due_at) == ((ME,), None)

        store.write(lambda db: task_store.put(db, [first])).result()
        await until(lambda: "t2" in at.inbox.facts.tasks.keys)
        at.inbox.list.apply_typed("is:mine")
        at.app._typed_at = 0.0
        await at.press("W")
        await at.sees('Hand over · "Late delivery" for Customer 1')
        await at.press(*"dan", "enter")
        await at.sees('Due · "Late delivery" for Customer 1')
        await at.opens(NoteDialog, "0", "enter")
        at.app.screen.query_one(TextArea).text = "go on"
        await at.press("tab", "enter")
        await until(lambda: bool(written(store)))
        tasks = {each.task_id: each.assigned for each in record_lookup.tasks_of_conversation(store.reading, HERE)}
        assert tasks == {"t1": ("agent-dan",), "t2": ("agent-ruth",)}

        monkeypatch.setattr(changes, "add_note", Mock(side_effect=NotPossible("no room")))
        at.app._typed_at = 0.0
        await at.press("W")
        await at.sees("To whom?")
        await at.press(*"dan", "enter")
        await at.sees("leave it as it is")
        await at.opens(NoteDialog, "0", "enter")
        at.app.screen.query_one(TextArea).text = "once more"
        await at.press("tab", "enter")
        await until(lambda: "Nothing was done: no room." in at.toasts)
        assert at.app.app_context.outbox.drafts.of("note", HERE).text == "once more"


async def test_what_is_handed_to_me_waits_and_marks_its_row_until_i_open_it(store: Store) -> None:
    def received() -> dict[str, object]:
        return dict(queue.all_kept(store.reading, notes.RECEIPT))

    async with reading(store) as at:
        await at.press("escape", "enter")
        theirs(store, "please go on", hand_over_to=ME)
        page = [raw_message(9, createdAt=(NOW - 10) * 1000)]
        store.write(lambda db: threads.put_page(db, HERE, page, start=None, has_more=False, now=NOW)).result()
        await until(lambda: (record := record_lookup.conversation(store.reading, HERE)) and not record.unread)
        await quiet(at.app)
        assert received() == {}, "nobody took it over by that"
        await at.press("escape", "enter")
        await until(lambda: received() == {"n1": HERE})

        await at.press("escape")
        await until(lambda: "handed to you" not in at.text)
        theirs(store, "please go on", "n2", at=NOW - 5, hand_over_to=ME)
        await at.sees("handed to you", "handed over · Dan Green to you")
        await at.press("enter")
        await until(lambda: "handed to you" not in at.text)
        assert received() == {"n1": HERE, "n2": HERE}
        assert "accepted by you" not in at.text
        body = notes.receipt_body(HERE, "n2")
        store.write(lambda db: notes.apply(db, notes.receipt_id("n2"), ME, NOW, body)).result()
        await at.sees("accepted by you")


async def filter_by(at: At, words: str) -> None:
    await at.press("/")
    at.inbox.list.query_one(Input).insert_text_at_cursor(words)
    await at.press("enter")


@pytest.mark.slow
async def test_a_view_is_shared_under_a_name_and_taken_back_by_the_same_key(store: Store) -> None:
    settings = Settings(views=(SavedView("late", "waiting>2h"),))
    async with reading(store, settings=settings) as at:
        await at.press("escape", "I")
        await at.sees("to share it")
        await filter_by(at, "is:unread")
        await at.press("I")
        await at.sees("It shows: is:unread")
        await at.press(*"fresh", "enter")
        await at.sees("fresh · you")
        assert team_views.shared_by_me(store.reading) == {"fresh": "is:unread"}
        await at.press("escape", "[")
        await until(lambda: at.inbox.list.view.shared_name == "fresh")
        await at.press("I")
        await at.sees("Stop sharing")
        await at.press("y")
        await until(lambda: team_views.shared_by_me(store.reading) == {})
        await until(lambda: at.inbox.list.view.name == "all")

        await filter_by(at, "is:unread")
        await at.press("I")
        await at.sees("It shows: is:unread")
        await at.press(*"Mine", "enter")
        await at.sees("Everyone has a view of this name")
        await at.press(*["backspace"] * 4, *"late", "enter")
        await at.sees("Shared with the team: late")
        await until(lambda: [each.name for each in at.inbox.list.views][-2:] == ["late", "late · Noa"])
        await at.press("escape", "[", "I")
        await at.sees("Stop sharing “late”")
        await at.press("y")
        await until(lambda: team_views.shared_by_me(store.reading) == {})

        at.app._typed_at = 0.0
        await at.press("b", "o", "I")
        await at.sees("Everyone has this view")
        assert team_views.shared_by_me(store.reading) == {}

        late = {"name": "late\x1b[31m", "match": "waiting>2h"}
        store.write(lambda db: team_views.apply(db, "v", "agent-dan", late)).result()
        await at.sees("· Dan Green")
        assert "\x1b" not in at.text
        store.write(lambda db: team_views.apply(db, "v", "agent-dan", None)).result()
        await until(lambda: "· Dan Green" not in at.text)


async def test_the_title_says_whose_desk_this_is(store: Store) -> None:
    ruth = AgentId("agent-ruth")
    async with reading(store, replace(PROFILE, agent_id=ruth, agents={ruth: "Ruth Cohen"}), size=(80, 24)) as at:
        for width, words in ((80, "Ruth"), (120, "Ruth Cohen · test"), (140, "Ruth Cohen · test")):
            await at.pilot.resize_terminal(width, 24)
            for key in "12":
                await at.press(key)
                await until(lambda words=words: words in plain(at.app.screen.query_one(Header).line))  # type: ignore[misc]
