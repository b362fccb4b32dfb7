"""Notes on the screen: written with the keys, shown in the thread, taken back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC

import pytest
from textual.widgets import TextArea

from frontdesk.api.contract.ids import AgentId, ConversationId, CustomerId, LineId
from frontdesk.app.screens import KEYMAP
from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.config.settings import Hosts, Profile, SavedView, Settings
from frontdesk.config.team import TeamSettings
from frontdesk.inbox.note_changes import NO_TEAM
from frontdesk.inbox.store import notes, team_views, threads
from frontdesk.inbox.store.notes import TeamNote, note_body
from frontdesk.inbox.tui.note_dialog import NoteDialog
from frontdesk.outbox import queue
from frontdesk.storage import record_lookup, team_state
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeKind, ChangeState
from frontdesk.storage.team_state import Colleague
from frontdesk.tasks import store as task_store
from frontdesk.text.glyphs import glyphs
from frontdesk.text.privacy import set_private
from frontdesk.tui.context import AppContext
from sample_json import raw_message, raw_task
from services import Services
from tui.running_app import Running
from tui.widgets.hosts import quiet, text_of, until

pytestmark = pytest.mark.anyio
HERE, NOW, ME = ConversationId("L1#C1"), 100_000.0, AgentId("agent-noa")
PROFILE = Profile(
    "test",
    Hosts(*["http://127.0.0.1:9"] * 5),
    agent_id=ME,
    agents={ME: "Noa", AgentId("agent-dan"): "Dan Green", AgentId("agent-ruth"): "Ruth"},
    team=TeamSettings("postgresql://noa@db/frontdesk", "acme"),
)


def theirs(store: Store, text: str, note_id: str = "n1", at: float = NOW - 60, **content: object) -> None:
    """A note of Dan's as the follower stores it."""
    body = note_body(HERE, {"text": text, "mentions": [], "hand_over_to": "", **content})
    store.write(lambda db: notes.apply(db, note_id, "agent-dan", at, body)).result()


@asynccontextmanager
async def reading(
    store: Store, profile: Profile = PROFILE, settings: Settings | None = None, size: tuple[int, int] = (140, 30)
) -> AsyncIterator[Running]:
    """An app on the inbox with a conversation, the focus in its thread."""
    services = Services(store, profile, settings or Settings(), clock=lambda: NOW)
    services.inbox.open_conversation(LineId("L1"), CustomerId("C1")).result()
    page = [raw_message(number, createdAt=(NOW - 300 + number) * 1000) for number in (3, 2, 1)]
    store.write(lambda db: threads.put_page(db, HERE, page, start=None, has_more=False, now=NOW)).result()
    app = FrontdeskApp(
        AppContext(services.store, services.outbox, glyphs(False), UTC, lambda: NOW, {}, keymap=KEYMAP)
    )
    async with app.run_test(size=size, notifications=True) as pilot:
        at = Running(app, pilot)
        await until(lambda: at.inbox.list.cursor is not None)
        at.inbox.navigation.open_conversation(HERE)
        at.inbox.panes.focus_pane(at.inbox.thread)
        await quiet(app)
        yield at


def shown(at: Running) -> str:
    return "\n".join(text_of(at.app))


def written(store: Store) -> list[TeamNote]:
    return notes.of_conversation(store.reading, HERE, ME)


async def write(at: Running, text: str) -> None:
    await at.press("w")
    await until(lambda: isinstance(at.app.screen, NoteDialog))
    at.app.screen.query_one(TextArea).text = text
    await at.press("tab", "enter")


async def test_a_note_is_written_shown_as_pending_and_undone(store: Store) -> None:
    async with reading(store) as at:
        await write(at, "he pays on Friday")
        await until(lambda: "note · you" in shown(at))
        assert "he pays on Friday" in shown(at)
        assert "not shared yet" in shown(at)
        await at.press("u")
        await until(lambda: "note · you" not in shown(at))
        assert written(store) == []


@pytest.mark.parametrize("size", [(140, 30), (60, 15)], ids=["wide", "small"])
async def test_a_mention_is_completed_from_the_list_by_tab(store: Store, size: tuple[int, int]) -> None:
    async with reading(store, size=size) as at:
        await at.press("w")
        await until(lambda: isinstance(at.app.screen, NoteDialog))
        await at.press(*"ask @d")
        await until(lambda: "Dan Green" in shown(at))
        await at.press("tab", *"today", "tab", "enter")
        await until(lambda: bool(written(store)))
        (note,) = written(store)
        assert (note.text, note.mentions) == ("ask @Dan Green today", ("agent-dan",))


async def test_what_is_typed_and_not_saved_is_there_the_next_time(store: Store) -> None:
    async with reading(store) as at:
        await at.press("w", *"half", "escape", "w")
        await until(lambda: isinstance(at.app.screen, NoteDialog))
        assert at.app.screen.query_one(TextArea).text == "half"
        await at.press(*"new")
        assert at.app.screen.query_one(TextArea).text == "new"


async def test_a_note_that_is_too_long_is_not_saved_and_says_so(store: Store) -> None:
    async with reading(store) as at:
        await write(at, "x" * 10_001)
        await until(lambda: "10,000 characters at most" in shown(at))
        assert isinstance(at.app.screen, NoteDialog)


async def test_a_colleagues_note_stands_at_its_time_and_only_ones_own_is_taken_back(store: Store) -> None:
    async with reading(store) as at:
        theirs(store, "hello @Noa\nsecond line", mentions=[ME])
        await until(lambda: "note · Dan Green" in shown(at))
        assert "@you" in shown(at)
        lines = text_of(at.app)
        place = next(each for each, line in enumerate(lines) if "note · Dan Green" in line)
        assert "second line" in lines[place + 2]
        await at.press("G", "K")
        await until(lambda: "your own notes" in shown(at))
        assert len(written(store)) == 1
        await at.press("enter")
        await until(lambda: "From" in shown(at))
        assert "Mentions       you" in shown(at)


async def test_ones_own_note_that_the_team_has_is_taken_back_by_its_key(store: Store) -> None:
    async with reading(store) as at:
        body = note_body(HERE, {"text": "mine", "mentions": [], "hand_over_to": ""})
        store.write(lambda db: notes.apply(db, "n1", ME, NOW - 60, body)).result()
        await until(lambda: "note · you" in shown(at))
        await at.press("G", "K")
        await until(lambda: not written(store))
        (change,) = queue.unsettled(store.reading, ChangeKind.NOTE)
        assert change.fields == {"n1": None}


async def test_a_refused_note_says_why_and_is_discarded(store: Store) -> None:
    async with reading(store) as at:
        await write(at, "not allowed")
        await until(lambda: bool(written(store)))
        (note,) = written(store)
        moved = (ChangeState.QUEUED,)
        store.write(
            lambda db: queue.move(
                db, note.change_id, ChangeState.REFUSED, expected=moved, now=NOW, reason="no rights here"
            )
        ).result()
        await at.press("r")
        at.app.refresh_times()
        await until(lambda: "rejected: no rights here" in shown(at))
        await at.press("G", "K")
        await until(lambda: not written(store))


async def test_without_a_team_the_key_says_that_notes_need_one(store: Store) -> None:
    async with reading(store, replace(PROFILE, team=None)) as at:
        await at.press("w")
        await until(lambda: NO_TEAM[:20] in shown(at))


@pytest.mark.parametrize("key", ["w", "W", "K"])
async def test_a_read_only_run_opens_no_dialog_for_them(store: Store, key: str) -> None:
    async with reading(store, settings=Settings(read_only=True)) as at:
        theirs(store, "hello")
        await at.press("G", key)
        await until(lambda: "Nothing was done: frontdesk is read-only" in shown(at))
        assert at.app.screen is at.inbox


async def test_privacy_hides_notes_and_writes_none(store: Store) -> None:
    async with reading(store) as at:
        theirs(store, "secret words")
        await until(lambda: "secret words" in shown(at))
        await at.press("H")
        await until(lambda: "secret words" not in shown(at))
        assert "Dan Green" not in shown(at)
        await at.press("w")
        await until(lambda: "To write a note" in shown(at))
    set_private(False)


async def test_a_hand_over_assigns_sets_the_due_date_and_writes_a_note_as_one_action(store: Store) -> None:
    task = raw_task(1, assignedAgentIds=[ME])
    store.write(lambda db: task_store.put(db, [task])).result()
    async with reading(store) as at:
        await at.press("W")
        await until(lambda: "To whom?" in shown(at))
        await at.press(*"dan", "enter")
        await until(lambda: "leave it as it is" in shown(at))
        await at.press("3")
        await until(lambda: isinstance(at.app.screen, NoteDialog))
        await at.press(*"the refund", "tab", "enter")
        await until(lambda: bool(written(store)))
        await until(lambda: "handed over · you to Dan Green" in shown(at))
        (note,) = written(store)
        assert note.hand_over_to == "agent-dan"
        (record,) = record_lookup.tasks_of_conversation(store.reading, HERE)
        assert record.assigned == ("agent-dan",)
        assert record.due_at is not None
        await at.press("u")
        await until(lambda: not written(store))
        (record,) = record_lookup.tasks_of_conversation(store.reading, HERE)
        assert (record.assigned, record.due_at) == ((ME,), None)


async def test_a_hand_over_assigns_the_task_that_the_row_is_about(store: Store) -> None:
    mine = raw_task(1, title="Late delivery", assignedAgentIds=[ME])
    first = raw_task(2, dueDate=NOW - 60, assignedAgentIds=["agent-ruth"], participantsIdentifiers=HERE)
    store.write(lambda db: task_store.put(db, [mine, first])).result()
    async with reading(store) as at:
        at.inbox.list.apply_typed("is:mine")
        await at.press("W")
        await until(lambda: 'Hand over · "Late delivery" for Customer 1' in shown(at))
        await at.press(*"dan", "enter")
        await until(lambda: 'Due · "Late delivery" for Customer 1' in shown(at))
        await at.press("0", "enter")
        await until(lambda: isinstance(at.app.screen, NoteDialog))
        await at.press(*"go on", "tab", "enter")
        await until(lambda: bool(written(store)))
        tasks = {each.task_id: each.assigned for each in record_lookup.tasks_of_conversation(store.reading, HERE)}
        assert tasks == {"t1": ("agent-dan",), "t2": ("agent-ruth",)}


async def test_what_was_handed_to_me_marks_its_row_until_i_open_it(store: Store) -> None:
    async with reading(store) as at:
        await at.press("escape")
        theirs(store, "please go on", hand_over_to=ME)
        await until(lambda: "handed to you" in shown(at))
        assert "handed over · Dan Green to you" in shown(at)
        await at.press("enter")
        await until(lambda: "handed to you" not in shown(at))
        assert queue.all_kept(store.reading, notes.RECEIPT) == {"n1": HERE}
        body = notes.receipt_body(HERE, "n1")
        store.write(lambda db: notes.apply(db, notes.receipt_id("n1"), ME, NOW, body)).result()
        await until(lambda: "accepted by you" in shown(at))


async def test_what_is_handed_to_me_while_i_read_the_thread_waits_until_i_open_it(store: Store) -> None:
    async with reading(store) as at:
        await at.press("escape", "enter")
        theirs(store, "please go on", hand_over_to=ME)
        page = [raw_message(9, createdAt=(NOW - 10) * 1000)]
        store.write(lambda db: threads.put_page(db, HERE, page, start=None, has_more=False, now=NOW)).result()
        await until(lambda: (record := record_lookup.conversation(store.reading, HERE)) and not record.unread)
        await quiet(at.app)
        assert queue.all_kept(store.reading, notes.RECEIPT) == {}, "nobody took it over by that"
        await at.press("escape", "enter")
        await until(lambda: queue.all_kept(store.reading, notes.RECEIPT) == {"n1": HERE})


async def test_a_view_is_shared_under_a_name_and_taken_back_by_the_same_key(store: Store) -> None:
    async with reading(store) as at:
        await at.press("escape", "I")
        await until(lambda: "to share it" in shown(at))
        await at.press("/", *"is:unread", "enter", "I")
        await until(lambda: "It shows: is:unread" in shown(at))
        await at.press(*"fresh", "enter")
        await until(lambda: "fresh · you" in shown(at))
        assert team_views.shared_by_me(store.reading) == {"fresh": "is:unread"}
        await at.press("escape", "[")
        await until(lambda: at.inbox.list.view.shared_name == "fresh")
        await at.press("I")
        await until(lambda: "Stop sharing" in shown(at))
        await at.press("y")
        await until(lambda: team_views.shared_by_me(store.reading) == {})
        await until(lambda: at.inbox.list.view.name == "all")


async def test_a_name_that_everyone_has_is_refused_and_an_own_one_is_shown_beside_it(store: Store) -> None:
    settings = Settings(views=(SavedView("late", "waiting>2h"),))
    async with reading(store, settings=settings) as at:
        await at.press("escape", "/", *"is:unread", "enter", "I")
        await until(lambda: "It shows: is:unread" in shown(at))
        await at.press(*"Mine", "enter")
        await until(lambda: "Everyone has a view of this name" in shown(at))
        await at.press(*["backspace"] * 4, *"late", "enter")
        await until(lambda: "Shared with the team: late" in shown(at))
        await until(lambda: [each.name for each in at.inbox.list.views][-2:] == ["late", "late · Noa"])
        await at.press("escape", "[", "I")
        await until(lambda: "Stop sharing “late”" in shown(at))


async def test_a_view_that_everyone_has_is_not_shared(store: Store) -> None:
    async with reading(store) as at:
        await at.press("escape", "b", "o", "I")
        await until(lambda: "Everyone has this view" in shown(at))
        assert team_views.shared_by_me(store.reading) == {}


async def test_a_colleagues_view_appears_with_their_name_and_goes_with_it(store: Store) -> None:
    async with reading(store) as at:
        late = {"name": "late\x1b[31m", "match": "waiting>2h"}
        store.write(lambda db: team_views.apply(db, "v", "agent-dan", late)).result()
        await until(lambda: "· Dan Green" in shown(at))
        assert "\x1b" not in shown(at)
        store.write(lambda db: team_views.apply(db, "v", "agent-dan", None)).result()
        await until(lambda: "· Dan Green" not in shown(at))


@pytest.mark.parametrize(
    ("width", "words"), [(80, "Ruth"), (120, "Ruth Cohen · test"), (140, "Ruth Cohen · test")], ids=str
)
async def test_the_title_says_whose_desk_this_is(store: Store, width: int, words: str) -> None:
    ruth = AgentId("agent-ruth")
    profile = replace(PROFILE, agent_id=ruth, agents={ruth: "Ruth Cohen"})
    async with reading(store, profile, size=(width, 24)) as at:
        for key in "12":
            await at.press(key)
            await until(lambda: words in text_of(at.app)[0])


async def test_colleagues_are_named_where_they_look(store: Store) -> None:
    there = [Colleague("agent-dan", "dan@desk"), Colleague("agent-x", "x@desk"), Colleague(ME, "noa@laptop")]
    async with reading(store) as at:
        store.write(lambda db: team_state.put_present(db, {HERE: there})).result()
        await until(lambda: "Dan Green, x@desk here" in shown(at))
        assert "noa@laptop" not in shown(at)
