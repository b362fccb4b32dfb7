"""Makes the pictures of this folder from the sandbox's fixed seed, at a fixed time.

.venv/bin/python screenshots/make.py           makes them all
.venv/bin/python screenshots/make.py --check   says which are stale, exit status 1 if one is
"""

import argparse
import asyncio
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import httpx

from frontdesk.cli.demo import demo_profile
from frontdesk.client.client import PlatformClient
from frontdesk.config import Settings
from frontdesk.desk.desk import Desk
from frontdesk.present.glyphs import glyphs
from frontdesk.sandbox.application import Application
from frontdesk.sandbox.clock import Clock
from frontdesk.sandbox.options import SandboxOptions
from frontdesk.sandbox.world import open_world
from frontdesk.secrets import CredentialSet, Secret
from frontdesk.store.store import Store
from frontdesk.sync.budget import Budget
from frontdesk.sync.engine import Engine
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.keymap import Keymap
from frontdesk.tui.room import Room

HERE = Path(__file__).parent
NOW = datetime(2026, 11, 19, 13, 42, tzinfo=UTC).timestamp()
ZONE = timezone(timedelta(hours=2), "IST")
URL = "http://127.0.0.1:1"


@dataclass(frozen=True)
class Picture:
    """A file, a size, and the keys that lead there."""

    name: str
    size: tuple[int, int]
    keys: Sequence[str] = ()
    theme: str = "dark"


PICTURES = (
    Picture("inbox", (140, 40), ["j", "j", "j", "j"]),
    Picture("inbox-light", (140, 40), ["j", "j", "j", "j"], theme="light"),
    Picture("inbox-100x30", (100, 30), ["j"]),
    Picture("inbox-80x24", (80, 24)),
    Picture("thread-80x24", (80, 24), ["j", "enter"]),
    Picture("board", (140, 40), ["2"]),
    Picture("board-80x24", (80, 24), ["2"]),
    Picture("campaigns", (120, 36), ["3"]),
    Picture("workflows", (120, 36), ["4"]),
    Picture("ai-agents", (120, 36), ["5"]),
    Picture("activity", (120, 36), ["c", "j", "wait", "A", "6"]),
    Picture("dialog-status", (120, 36), ["s"]),
    Picture("dialog-tag", (120, 36), ["t", "v", "i"]),
    Picture("dialog-assign", (120, 36), ["a"]),
    Picture("dialog-due", (120, 36), ["d", *"tomorrow", "space", *"9am"]),
    Picture("dialog-edit", (120, 36), ["e", "tab"]),
    Picture("keys", (120, 36), ["question_mark"]),
)


async def make_all(folder: Path) -> dict[str, str]:
    """Every picture as SVG, by file name."""
    made: dict[str, str] = {}
    with Store(folder / "store") as store:
        await _fill(store, folder / "sandbox")
    for picture in PICTURES:
        with Store(folder / "store") as store:
            made[f"{picture.name}.svg"] = await _take(picture, store)
    return made


async def _fill(store: Store, data: Path) -> None:
    """One engine reads all of a sandbox in which time stands still."""
    clock = Clock(wall=lambda: NOW, steady=lambda: 0.0)
    world = open_world(SandboxOptions(data=data, crowd=False), clock)
    credentials = CredentialSet(Secret("token=sandbox"), Secret("sandbox-key"), None)
    profile = demo_profile(URL)
    client = PlatformClient(profile.hosts, credentials, transport=httpx.ASGITransport(app=Application(world)))
    Desk(store, profile, clock=lambda: NOW).start()
    async with client:
        engine = Engine(
            client, store, Budget(10_000, 1_000_000, lambda: NOW), clock=lambda: NOW, chance=lambda: 0.0
        )
        running = asyncio.create_task(engine.run())
        async with asyncio.timeout(120):
            while not engine.has_read_all:  # noqa: ASYNC110 - the engine announces nothing
                await asyncio.sleep(0.05)
            engine.stop()
            await running
    world.close()


async def _take(picture: Picture, store: Store) -> str:
    settings = Settings(theme=picture.theme)
    desk = Desk(store, demo_profile(URL), settings, clock=lambda: NOW)
    room = Room(desk, glyphs(False), ZONE, lambda: NOW)
    app = FrontdeskApp(room, Keymap())
    async with app.run_test(size=picture.size) as pilot:
        await pilot.pause(0.4)
        for key in picture.keys:
            if key != "wait":
                await pilot.press(key)
            await pilot.pause(0.15)
        await pilot.pause(0.5)
        return _readable(app.export_screenshot(title=""))


def _readable(svg: str) -> str:
    """Cells as a terminal paints them: no reordering by the viewer, no blanks collapsed."""
    svg = svg.replace("<text ", '<text xml:space="preserve" direction="ltr" unicode-bidi="bidi-override" ')
    return re.sub(r"terminal-\d+", "terminal", svg)


def main() -> int:
    """Make or check the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true", help="say which pictures are stale, make none")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = asyncio.run(make_all(Path(folder)))
    stale = []
    for name, svg in made.items():
        path = HERE / name
        if not path.exists() or path.read_text(encoding="utf-8") != svg:
            stale.append(name)
            if not options.check:
                path.write_text(svg, encoding="utf-8")
    extra = [path.name for path in HERE.glob("*.svg") if path.name not in made]
    for name in stale:
        print(f"{name}: {'stale' if options.check else 'made'}")
    for name in extra:
        print(f"{name}: no longer made; delete it")
    print(f"{len(made)} pictures, {len(stale)} {'stale' if options.check else 'new or changed'}")
    return 1 if options.check and (stale or extra) else 0


if __name__ == "__main__":
    sys.exit(main())
