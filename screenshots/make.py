"""Makes the pictures of this folder from the sandbox's fixed seed, at a fixed time, and the recording (record.py).

.venv/bin/python screenshots/make.py           makes them all
.venv/bin/python screenshots/make.py --check   says which are stale, exit status 1 if one is
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import apsw
import desk
import every_kind
import first_run
import flights
import record
import service_desk
import team_notes
import work_loop
from cells import settle, settled_screen
from desk import NOW

from frontdesk.api.contract.ids import ConversationId, CustomerId, LineId
from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.config.settings import Settings
from frontdesk.inbox.commands import InboxCommands
from frontdesk.inbox.store import threads
from frontdesk.inbox.tui.screen import InboxScreen
from frontdesk.outbox import queue
from frontdesk.storage import clients
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeState, Connection, Health
from frontdesk.storage.sql import rows
from frontdesk.tasks.history import FIELDS, Seen, note
from frontdesk.text.display_text import set_terminal
from frontdesk.tui.themes import DARK, LIGHT, TERMINAL
from parsed_rules import share_parsed_rules

HERE = Path(__file__).parent
DEFAULT = Settings()


@dataclass(frozen=True)
class Picture:
    """A file, and the keys that lead there from the picture before it in its scene."""

    name: str
    keys: Sequence[str] = ()
    does: Callable[[FrontdeskApp, Store], object] | None = None


@dataclass(frozen=True)
class Scene:
    """One run of the program, of which pictures are taken, dark and light as `NAME-light`.

    Attributes:
        store: a desk full of work; `kinds` with a thread of every kind of message; or empty.
        write: what is written into the store before.
        has_team: whether the profile takes part in a team.
        theme: where it is one that is neither dark nor light, it alone.
    """

    size: tuple[int, int]
    pictures: Sequence[Picture]
    store: str = "desk"
    write: Callable[[Store], object] | None = None
    settings: Settings = DEFAULT
    theme: str = ""
    no_color: bool = False
    greets: bool = False
    has_team: bool = False


def _typed(words: str) -> list[str]:
    return ["space" if letter == " " else letter for letter in words]


def _health(state: Connection, reason: str = "") -> Callable[[Store], object]:
    health = Health(state, reason, fresh_at=NOW - 1500 if state is Connection.OFFLINE else None, heard_at=NOW)
    return lambda store: store.write(lambda db: clients.write_health(db, health)).result()


def _refuse(app: FrontdeskApp, store: Store) -> None:
    """The platform takes none of what was asked for last."""

    def refuse(db: apsw.Connection) -> None:
        for change, reason in zip(queue.recent(db, 3), REASONS, strict=False):
            waiting = (ChangeState.HELD, ChangeState.QUEUED)
            queue.move(db, change.change_id, ChangeState.REFUSED, expected=waiting, now=NOW, reason=reason)

    app.app_context.store.flush().result()
    store.write(refuse).result()


def _open_kinds(app: FrontdeskApp, _: Store) -> None:
    if isinstance(screen := app.current_screen, InboxScreen):
        screen.navigation.open_conversation(ConversationId(every_kind.CONVERSATION))


def _open_noted(app: FrontdeskApp, store: Store) -> None:
    if isinstance(screen := app.current_screen, InboxScreen):
        screen.navigation.visit(team_notes.conversation(store))


def _with_history(store: Store) -> None:
    """Every task was moved and reassigned in the last hours."""

    def write(db: apsw.Connection) -> None:
        db.execute("DELETE FROM task_reads")
        for (text,) in rows(db, "SELECT raw FROM tasks"):
            raw = json.loads(text)
            moved = {**raw, "statusCase": "open", "dueDate": 0}
            unassigned = {**moved, "assignedAgentIds": []}
            marta = {"agentIdentification": {"name": "Marta Costa"}}
            note(db, unassigned, {**moved, **marta}, Seen(NOW - 9_000, NOW - 9_000, {raw["taskId"]: NOW - 9_300}))
            note(db, moved, raw, Seen(NOW - 2_000, NOW - 2_000, own_fields=FIELDS))

    store.write(write).result()


REASONS = (
    "422: the task is locked by a workflow",
    "404: there is no such task",
    "422: statusCase is not allowed for this business",
)
WIDE, COMMON = (140, 40), (120, 36)
TO_LIST = ["escape", "escape"]

SCENES = (
    Scene(
        WIDE,
        [
            Picture("inbox", "jjj"),
            Picture("inbox-marks", ["j", "space", "j", "j", "v"]),
            Picture("inbox-filter", ["escape", "slash", *_typed("is:unread refund")]),
        ],
    ),
    Scene((100, 30), [Picture("inbox-100x30", "jjj")]),
    Scene((80, 24), [Picture("inbox-80x24"), Picture("thread-80x24", ["j", "enter"])]),
    Scene((60, 15), [Picture("inbox-60x15")]),
    Scene((50, 12), [Picture("too-small")]),
    Scene((120, 50), [Picture("thread-kinds", "l", does=_open_kinds)], store="kinds"),
    Scene(
        COMMON,
        [
            Picture("dialog-link", [*"lkkkkkkkkkkkkk", "o"], does=_open_kinds),
            Picture("dialog-message", ["escape", "enter"]),
            Picture("dialog-raw", ["escape", "i"]),
        ],
        store="kinds",
    ),
    Scene(
        COMMON,
        [
            Picture("dialog-status", "s"),
            Picture("dialog-tag", ["escape", "t", "v", "i"]),
            Picture("dialog-assign", ["escape", "a", "down", "tab"]),
            Picture("dialog-due", ["escape", "d", *_typed("tomorrow 9am")]),
            Picture("dialog-edit", ["escape", "e", "tab"]),
            Picture("dialog-search", ["escape", "f", *_typed("refund order")]),
            Picture("search-hit", ["tab", "enter"]),
            Picture("dialog-jump", ["escape", "escape", "J", *_typed("mar")]),
            Picture("dialog-open", ["escape", "O"]),
            Picture("commands", ["escape", "colon", *_typed("due")]),
            Picture("keys", ["escape", "question_mark"]),
            Picture("dialog-profiles", ["escape", "ctrl+o"]),
            Picture("dialog-copy", ["escape", "y"]),
        ],
        settings=Settings(clipboard="show"),
    ),
    Scene(
        COMMON,
        [
            Picture("thread-notes", does=_open_noted),
            Picture("dialog-note", ["w", *_typed("Refund is on its way, "), "@", *"d"]),
            Picture("dialog-hand-over", ["escape", "W", "down"]),
            Picture("dialog-hand-over-note", ["enter", "2", "enter", *_typed("Call once it has arrived.")]),
        ],
        write=team_notes.write,
        has_team=True,
    ),
    Scene(
        WIDE,
        [Picture("service-clocks", "jj"), Picture("board-service-clocks", "2"), Picture("numbers", "7jj")],
        write=service_desk.write,
        settings=service_desk.SETTINGS,
    ),
    Scene((80, 24), [Picture("numbers-80x24", "7")], write=service_desk.write, settings=service_desk.SETTINGS),
    Scene(COMMON, [Picture("dialog-snooze", "Q")]),
    Scene(
        WIDE,
        [
            Picture("board", "2"),
            Picture("board-task", ["j", "enter"]),
            Picture("dialog-filter", ["escape", "slash"]),
            Picture("board-filter", [*["down"] * 7, "tab", "enter"]),
        ],
        write=_with_history,
    ),
    Scene((80, 24), [Picture("board-80x24", "2")]),
    Scene(
        WIDE,
        [
            Picture("workflows", ["4", "G", "enter", *"jjjj"]),
            Picture("workflow-exits", "E"),
            Picture("workflow-try", ["escape", "D", "enter", "1", "enter", "1", "enter"]),
            Picture("workflow-reset", ["escape", "X"]),
        ],
    ),
    Scene((80, 24), [Picture("workflows-80x24", ["4", "G", "enter", *"jjjj"])]),
    Scene(COMMON, [Picture("ai-agents", "5")]),
    Scene(
        WIDE,
        [
            Picture("campaigns", "3g"),
            Picture("campaigns-compared", ["equals_sign", *(["h"] * 9)]),
            Picture("campaign-outcomes", ["escape", "G", "E"]),
            Picture("campaign-wizard", ["escape", "c"]),
        ],
        write=lambda store: flights.watched(store, NOW),
    ),
    Scene((80, 24), [Picture("campaigns-80x24", "3g")], write=lambda store: flights.watched(store, NOW)),
    Scene(
        COMMON,
        [
            Picture("dialog-plan", [*(["space"] * 14), "s", "2"]),
            Picture("dialog-undo", ["y", "wait", "escape", "u"]),
            Picture("dialog-failures", ["escape", "X"], does=_refuse),
            Picture("activity", ["escape", "6", "enter"]),
            Picture("dialog-quit", ["ctrl+q"]),
        ],
    ),
    Scene(
        (80, 24),
        [Picture("first-run", does=first_run.open_choice), Picture("dialog-account", does=first_run.open_account)],
        "empty",
    ),
    Scene((80, 24), [Picture("dialog-names", ["ctrl+n", "down", "down", "enter"])], "empty"),
    Scene(COMMON, [Picture("first-start")], greets=True),
    Scene(COMMON, [Picture("empty")], "empty", _health(Connection.STARTING)),
    Scene(COMMON, [Picture("refused")], "empty", _health(Connection.REFUSED, "The platform answered 401.")),
    Scene((100, 30), [Picture("offline")], write=_health(Connection.OFFLINE, "Connection refused.")),
    Scene((100, 30), [Picture("inbox-terminal", "j")], theme=TERMINAL.name),
    Scene((100, 30), [Picture("inbox-no-color", "j")], no_color=True),
    Scene((100, 30), [Picture("inbox-ascii", "j")], settings=Settings(ascii=True, emoji="text"), theme=DARK.name),
)


async def make_all(folder: Path, only: Collection[str] = ()) -> dict[str, str]:
    """Every picture as SVG, or those of the scenes that hold one of these, by file name."""
    made: dict[str, str] = {}
    with Store(folder / "desk") as store:
        clock = desk.StandingClock()
        world = desk.open_sandbox(folder / "sandbox", clock)
        await desk.fill_store(store, world, clock)
        world.close()
    for scene in SCENES:
        if only and not any(picture.name in only for picture in scene.pictures):
            continue
        place = folder / "scene"
        shutil.rmtree(place, ignore_errors=True)
        if scene.store != "empty":
            shutil.copytree(folder / "desk", place)
        with Store(place) as store:
            if scene.store == "kinds":
                _put_kinds(store)
            if scene.write is not None:
                scene.write(store)
            made |= await _play(scene, store)
    return made


def _put_kinds(store: Store) -> None:
    """A conversation that has a message of every kind."""
    commands = InboxCommands(desk.profile_store(store))
    conversation = commands.open_conversation(LineId(every_kind.LINE), CustomerId(every_kind.CUSTOMER)).result()
    messages = every_kind.messages(NOW)
    store.write(
        lambda db: threads.put_page(db, conversation, messages, start=None, has_more=True, now=NOW)
    ).result()
    name = "UPDATE conversations SET name = 'Dana Levi', number = '+972 52-123-4567' WHERE conversation_id = ?"
    store.write(lambda db: db.execute(name, (conversation,))).result()


async def _play(scene: Scene, store: Store) -> dict[str, str]:
    """The pictures of one run of the program, by file name."""
    team = team_notes.SETTINGS if scene.has_team else None
    opened = desk.profile_store(store, scene.settings, team=team)
    set_terminal(emoji_as_text=scene.settings.emoji == "text")
    os.environ.pop("NO_COLOR", None)
    if scene.no_color:
        os.environ["NO_COLOR"] = "1"
    app = desk.make_app(opened, greets=scene.greets)
    os.environ.pop("NO_COLOR", None)
    made: dict[str, str] = {}
    async with app.run_test(size=scene.size) as pilot:
        await settle(app, pilot)
        for picture in scene.pictures:
            if picture.does is not None:
                picture.does(app, store)
                await settle(app, pilot)
            for key in picture.keys:
                if key == "wait":
                    await settle(app, pilot)
                else:
                    await pilot.press(key)
            if scene.theme or scene.no_color:
                app.theme = scene.theme or app.theme
                made[f"{picture.name}.svg"] = await settled_screen(app, pilot)
                continue
            made[f"{picture.name}.svg"] = await settled_screen(app, pilot)
            app.theme = LIGHT.name
            made[f"{picture.name}-light.svg"] = await settled_screen(app, pilot)
            app.theme = DARK.name
    return made


def main() -> int:
    """Make or check the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true", help="say which pictures are stale, make none")
    parser.add_argument("--without-recording", action="store_true", help="leave the recording as it is")
    parser.add_argument("only", nargs="*", metavar="NAME", help="make those of the scenes with these alone")
    options = parser.parse_args()
    share_parsed_rules()
    with tempfile.TemporaryDirectory() as folder:
        made = work_loop.run(make_all(Path(folder), options.only))
    kept = {record.PATH.name} if options.without_recording else set()
    if not kept and (not options.only or record.PATH.stem in options.only):
        made[record.PATH.name] = record.draw(work_loop.run(record.make_shots()))
    stale = []
    for name, svg in made.items():
        path = HERE / name
        if not path.exists() or path.read_text(encoding="utf-8") != svg:
            stale.append(name)
            if not options.check:
                path.write_text(svg, encoding="utf-8")
    extra = [path.name for path in HERE.glob("*.svg") if not options.only and path.name not in made.keys() | kept]
    for name in stale:
        print(f"{name}: {'stale' if options.check else 'made'}")
    for name in extra:
        print(f"{name}: no longer made; delete it")
    print(f"{len(made)} pictures, {len(stale)} {'stale' if options.check else 'new or changed'}")
    return 1 if options.check and (stale or extra) else 0


if __name__ == "__main__":
    sys.exit(main())
