"""What helps people find things: hints that follow what is done, the first start, other keys, the mouse."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.geometry import Offset

import kit
from frontdesk.accounts import name_editor as catalogue_editor
from frontdesk.config.settings import Profile
from frontdesk.inbox.tui.screen import InboxScreen
from frontdesk.outbox import queue as outbox_queue
from frontdesk.registry.keymap import KEYMAP
from frontdesk.storage import clients
from frontdesk.storage.coverage import note_listed
from frontdesk.storage.database import Store
from frontdesk.storage.records import Connection, Health
from frontdesk.tasks import store as task_store
from frontdesk.tasks.tui.screen import BoardScreen
from frontdesk.tui import status_bar
from frontdesk.tui.dialogs.help import HelpDialog
from frontdesk.tui.keymap import Keymap
from frontdesk.tui.overlays import TooSmall, Welcome
from frontdesk_api.contract.ids import LineId
from frontdesk_api.hosts import Hosts
from frontdesk_lines.content import plain
from frontdesk_lines.widgets.line_bar import PaneTabs
from kit import NOW, At
from sample_json import raw_task
from services import Services
from tui.hosts import quiet, text_of, until

pytestmark = pytest.mark.anyio


async def click(at: At, words: str) -> None:
    """Click on the first place where these words stand."""
    row = next(place for place, line in enumerate(text_of(at.app)) if words in line)
    column = text_of(at.app)[row].index(words) + 1
    widget, region = at.app.screen.get_widget_at(column, row)
    await at.pilot.click(widget, offset=Offset(column, row) - region.offset)


@asynccontextmanager
async def running(
    store: Store,
    keymap: Keymap = KEYMAP,
    size: tuple[int, int] = (140, 30),
    *,
    count: int = 2,
    greets: bool = False,
) -> AsyncIterator[At]:
    raws = [raw_task(number) for number in range(1, count + 1)]
    store.write(lambda db: task_store.put(db, raws)).result()
    async with kit.running(store, fills=False, keymap=keymap, size=size, greets=greets) as at:
        yield at


def write_health(store: Store, state: Connection) -> None:
    store.write(lambda db: clients.write_health(db, Health(state, fresh_at=NOW, heard_at=NOW))).result()


def test_hints_name_keys_that_exist() -> None:
    named = {name for names in status_bar.STATE_ACTIONS.values() for name in names.split()}
    named |= {name for name, _ in status_bar.CONNECTION_HINTS.values()}
    assert named <= {key.id for key in KEYMAP}


async def test_the_hints_follow_what_is_done(store: Store) -> None:
    async with running(store) as at:
        assert "a assign" in at.status
        await at.press("space")
        await until(lambda: "esc unmark" in at.status)
        await at.press("escape", "enter")
        await until(lambda: "s status" in at.status and "esc back" in at.status)
        assert "L older" not in at.status, "nothing of this thread is known yet, so nothing is missing before it"
        await at.press("slash")
        await until(lambda: "enter keep" in at.status and "assign" not in at.status)
        await at.press("escape")
        write_health(store, Connection.OFFLINE)
        await until(lambda: "R try now" in at.status)
        write_health(store, Connection.PAUSED)
        await until(lambda: "P resume" in at.status)
        assert at.status.strip().endswith("? keys")


@pytest.mark.slow
async def test_a_click_on_a_hint_runs_its_key_and_one_on_a_row_goes_there(store: Store) -> None:
    async with running(store) as at:
        await until(lambda: "waiting > 1h ?" in at.text)  # the last count gives the views a second line
        await quiet(at.app)
        await click(at, "Customer 2")
        await until(lambda: at.inbox.list.cursor == "L1#C2")
        await click(at, "space mark")
        await until(lambda: at.inbox.state().marked == 1)
        await click(at, "esc unmark")
        await until(lambda: at.inbox.state().marked == 0)
        await click(at, "? keys")
        await until(lambda: isinstance(at.app.screen, HelpDialog))
        await quiet(at.app)
        await at.types("tasks by")
        await quiet(at.app)
        await click(at, "Board: tasks by status")
        await until(lambda: isinstance(at.app.screen, BoardScreen))
        await quiet(at.app)
        await click(at, "1 Inbox")
        await until(lambda: isinstance(at.app.screen, InboxScreen))


async def test_other_keys_are_the_ones_that_work_and_that_everything_names(store: Store) -> None:
    keymap = KEYMAP.with_overrides({"task.status": "f6", "app.help": "f7", "conversation.open": "f8"})
    async with running(store, keymap, count=0) as at:
        assert "f8 open" in at.status
        assert "Conversations" in at.text
        assert "· 0" not in at.text, "before the first load, 0 would claim that there are none"
        write_health(store, Connection.LIVE)
        await until(lambda: "on the platform. Press f8 to open others." in at.text)
        assert "f7 keys" in at.status
        await at.press("f7")
        await until(lambda: isinstance(at.app.screen, HelpDialog))
        assert "Keys · Inbox" in at.text
        await at.types("set the status")
        await quiet(at.app)
        assert "f6 " in next(line for line in text_of(at.app) if "Set the status" in line)
        await at.press("escape", "question_mark")
        await quiet(at.app)
        assert isinstance(at.app.screen, InboxScreen)


async def test_the_first_start_says_how_to_begin_once(store: Store) -> None:
    async with running(store, greets=True) as at:
        await until(lambda: at.inbox.query(Welcome))
        await quiet(at.app)
        assert "hide" in at.text
        await at.press("escape")
        await until(lambda: not at.inbox.query(Welcome))
    async with running(store, greets=True) as again:
        assert not again.inbox.query(Welcome)


async def test_how_many_have_no_name_is_told_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(catalogue_editor, "notify", lambda _, words, **__: told.append(words.text))
    store.write(lambda db: task_store.put(db, [raw_task(1, assignedAgentIds=["a", "b"])])).result()
    async with running(store, count=0, greets=True):
        assert not told, "there may be more"
        store.write(note_listed).result()
        await until(lambda: told == ["2 people and 1 line have no names yet: ctrl+n"])
    async with running(store, count=0, greets=True) as at:
        await quiet(at.app)
    assert len(told) == 1


@pytest.mark.parametrize(
    ("agents", "lines", "words"),
    [
        ([], 0, ""),
        (["a"], 0, "1 person has no name yet"),
        (["a"], 2, "1 person and 2 lines have no names yet"),
        ([], 1, "1 line has no name yet"),
    ],
)
def test_people_and_lines_without_names_are_counted(
    store: Store, agents: list[str], lines: int, words: str
) -> None:
    known = {LineId("L0"): "Shop"}
    raws = [
        raw_task(each, phoneNumberId=f"L{each}", participantsIdentifiers=f"L{each}#C", assignedAgentIds=agents)
        for each in range(lines + 1)
    ]
    store.write(lambda db: task_store.put(db, raws)).result()
    profile = Profile("test", Hosts(*["http://127.0.0.1:9"] * 5), lines=known)
    assert catalogue_editor.unnamed_words(Services(store, profile).store) == words


async def test_a_narrow_screen_names_its_panes_and_a_click_goes_there(store: Store) -> None:
    async with running(store, size=(80, 24)) as at:
        assert "▸ Conversations    Thread    Customer" in at.text
        await click(at, "Customer  ")
        await until(lambda: at.inbox.has_class("-at-facts"))
        await at.press("tab")
        await until(lambda: "▸ Conversations" in plain(at.inbox.query_one(PaneTabs).line))
        await at.pilot.resize_terminal(100, 24)
        await until(lambda: not at.inbox.query_one(PaneTabs).display)


async def test_where_nothing_can_be_seen_nothing_is_done(store: Store) -> None:
    async with running(store) as at:
        await at.press("c")
        await until(lambda: outbox_queue.recent(at.store.reading))
        focused, done = at.inbox.focused, outbox_queue.recent(at.store.reading)
        await at.pilot.resize_terminal(59, 15)
        await until(lambda: at.inbox.query_one(TooSmall).display)
        await quiet(at.app)
        assert "Terminal too small (59x15, need 60x15)" in at.text
        await at.press("s", "u", "U", "2", "colon", "question_mark", "space", "enter")
        assert isinstance(at.app.screen, InboxScreen)
        assert not at.inbox.state().marked
        assert at.inbox.has_class("-at-conversations")
        await at.pilot.resize_terminal(60, 15)
        await until(lambda: not at.inbox.query_one(TooSmall).display)
        store.write(lambda _: None).result()
        assert outbox_queue.recent(at.store.reading) == done
        assert at.inbox.focused is focused
        await at.press("s")
        await until(lambda: not isinstance(at.app.screen, InboxScreen))
