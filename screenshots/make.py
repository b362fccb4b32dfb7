"""Makes the pictures of README and docs from the desk of the snapshots: the demo's business at a fixed time.

PYTHONPATH=tests .venv/bin/python screenshots/make.py [NAME...]
"""

import shutil
import sys
import tempfile
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import apsw
import team_notes
from textual.screen import Screen

from frontdesk.accounts.account_dialog import AccountDialog
from frontdesk.accounts.account_form import AccountForm, TrialResult
from frontdesk.accounts.host_checks import HostCheck, HostFault
from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.config.settings import HOST_KEYS
from frontdesk.outbox import queue
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeState
from quick_apps import share_parsed_rules
from snapshots import desk
from snapshots.settled_app import make_app, press_keys, run

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Picture:
    """A file, and what leads there from the picture before it in its scene: a call, then keys.

    One without a name is only on the way.
    """

    name: str
    keys: Sequence[str] = ()
    does: Callable[[FrontdeskApp], object] | None = None


@dataclass(frozen=True)
class Scene:
    """One run of the program, of which pictures are taken.

    Attributes:
        is_team: whether the profile takes part in a team, and its colleagues have written.
        is_new: whether nothing is there yet.
    """

    size: tuple[int, int]
    pictures: Sequence[Picture]
    is_team: bool = False
    is_new: bool = False


def refuse(app: FrontdeskApp) -> None:
    """The platform takes none of what was asked for last."""
    store = app.app_context.store

    def put(db: apsw.Connection) -> None:
        waiting = (ChangeState.HELD, ChangeState.QUEUED)
        for change, reason in zip(queue.recent(db, 3), REASONS, strict=False):
            queue.move(
                db, change.change_id, ChangeState.REFUSED, expected=waiting, now=store.clock(), reason=reason
            )

    store.flush().result()
    store.write(put).result()


REASONS = (
    "422: the task is locked by a workflow",
    "404: there is no such task",
    "422: statusCase is not allowed for this business",
)


def open_account(app: FrontdeskApp) -> None:
    """An account whose Cookie is refused."""
    url = "https://api.acme.example"
    form = AccountForm(typed={"name": "acme", "base_url": url, "cookie": "token=1", "api_key": "1" * 20})
    form.confirm("base_url")
    form.tried = form.trial()
    words = "Unknown token in the Cookie."
    form.result = TrialResult([HostCheck(key, url, HostFault.CREDENTIALS, "", 0, words) for key in HOST_KEYS])
    app.push_screen(Screen())  # without a profile nothing is behind it
    app.push_screen(AccountDialog(form, lambda *_: None, is_default=True))


WIDE, COMMON = (140, 40), (120, 36)

SCENES = (
    Scene(WIDE, [Picture("inbox", "jjj")]),
    Scene(WIDE, [Picture("board", "2")]),
    Scene(
        WIDE,
        [
            Picture("campaigns", "3g"),
            Picture("campaigns-compared", ["equals_sign", *(["h"] * 9)]),
            Picture("campaign-outcomes", ["escape", "G", "E"]),
            Picture("campaign-wizard", ["escape", "c"]),
        ],
    ),
    Scene(
        WIDE,
        [
            Picture("workflows", ["4", "G", "enter", *"jjjj"]),
            Picture("workflow-exits", "E"),
            Picture("workflow-try", ["escape", "D", "enter", "1", "enter", "1", "enter"]),
            Picture("workflow-reset", ["escape", "X"]),
        ],
    ),
    Scene(COMMON, [Picture("ai-agents", "5")]),
    Scene(COMMON, [Picture("dialog-due", ["d", *"tomorrow", "space", *"9am"])]),
    Scene(
        COMMON,
        [
            Picture("dialog-plan", [*(["space"] * 14), "s", "2"]),
            Picture("", "y"),
            Picture("activity", ["6", "enter"], does=refuse),
        ],
    ),
    Scene(COMMON, [Picture("thread-notes", does=team_notes.open_conversation)], is_team=True),
    Scene((80, 24), [Picture("dialog-account", does=open_account)], is_new=True),
)


async def make_pictures(folder: Path, only: Collection[str]) -> dict[str, str]:
    """Make the pictures of the scenes that have one of these, or of all, by file name."""
    await desk.make_desk(folder / "desk")
    made: dict[str, str] = {}
    for number, scene in enumerate(SCENES):
        if only and not any(each.name in only for each in scene.pictures):
            continue
        place = folder / f"scene{number}"
        if not scene.is_new:
            shutil.copytree(folder / "desk", place)
        with Store(place) as store:
            if scene.is_team:
                team_notes.write(store)
            made |= await play(scene, store)
    return made


async def play(scene: Scene, store: Store) -> dict[str, str]:
    """Make the pictures of one run of the program."""
    app = make_app(desk.profile_store(store, team=team_notes.SETTINGS if scene.is_team else None))
    made: dict[str, str] = {}
    async with app.run_test(size=scene.size) as pilot:
        await press_keys(app, pilot)
        for picture in scene.pictures:
            if picture.does is not None:
                picture.does(app)
            await press_keys(app, pilot, picture.keys)
            if picture.name:
                made[f"{picture.name}.svg"] = app.export_screenshot(title="")
    return made


if __name__ == "__main__":
    share_parsed_rules()
    with tempfile.TemporaryDirectory() as scratch:
        for name, svg in run(make_pictures(Path(scratch), sys.argv[1:])).items():
            (HERE / name).write_text(svg, encoding="utf-8")
            print(name)
