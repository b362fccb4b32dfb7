"""Makes the recording at the top of the README: network gone, work on, network back, undo the next morning.

PYTHONPATH=tests .venv/bin/python screenshots/record.py [--to FILE]
"""

import argparse
import asyncio
import logging
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import caption_bar
import httpx
from animation import Frame, animate
from story import NIGHT, NIGHT_SECONDS, NIGHT_SHOWN_SECONDS, SIZE, STEPS, Step
from terminal_rows import Styles, screen_rows, screen_text
from textual.pilot import Pilot

from frontdesk.storage import clients
from frontdesk.storage.database import Store
from frontdesk_sandbox.application import Application
from frontdesk_sandbox.world import World
from snapshots import desk
from snapshots.settled_app import SettledApp, make_app, run, settle

PATH = Path(__file__).parent / "recording.svg"
SETTLED_LOOKS = 3
"""How often in a row the screen and the requests must be as before: what is under way ends between two looks."""

MAX_WAIT_SECONDS = 600
TITLE = "frontdesk without a network: work on, everything is sent once it is back, undo the next morning"


@dataclass(frozen=True)
class Shot:
    """A settled screen of a step, with the time on it."""

    step: Step
    svg: str
    at: datetime
    is_online: bool


class Network(httpx.AsyncBaseTransport):
    """The way to the sandbox, through whose controls it is cut."""

    def __init__(self, world: World):
        self._sandbox = httpx.ASGITransport(app=Application(world))
        self.is_up = True
        self.requests = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests += 1
        try:
            return await self._sandbox.handle_async_request(request)
        except ConnectionAbortedError as error:
            # What the sandbox does to a request that it drops, as a socket would tell it.
            raise httpx.ConnectError("The network is unreachable.", request=request) from error

    async def switch(self, *, is_up: bool) -> None:
        faults = [] if is_up else [{"path": "", "kind": "drop"}]
        async with httpx.AsyncClient(transport=self._sandbox, base_url=desk.URL) as client:
            (await client.put("/sandbox/faults", json=faults)).raise_for_status()
        self.is_up = is_up


class Recorder:
    """Plays steps on a running program and engine."""

    def __init__(self, store: Store, network: Network, clock: desk.StandingClock):
        self._store, self._network, self._clock = store, network, clock

    async def record(self, steps: Sequence[Step]) -> list[Shot]:
        """Play the steps, with a new start of the program before each that asks for one."""
        shots: list[Shot] = []
        starts = [index for index, step in enumerate(steps) if step.is_restart]
        for begin, end in zip([0, *starts], [*starts, len(steps)], strict=True):
            if begin:
                self._clock.pass_time(NIGHT_SECONDS)
            async with self._running_program() as (app, pilot):
                shots += [await self._play(step, app, pilot) for step in steps[begin:end]]
        return shots

    @asynccontextmanager
    async def _running_program(self) -> AsyncIterator[tuple[SettledApp, Pilot[None]]]:
        opened = desk.profile_store(self._store, clock=self._clock.now)
        app = make_app(opened)
        async with app.run_test(size=SIZE) as pilot, desk.running_engine(self._store, self._network, self._clock):
            yield app, pilot
            app.save_and_exit()
        opened.flush().result()

    async def _play(self, step: Step, app: SettledApp, pilot: Pilot[None]) -> Shot:
        if step.network is not None:
            await self._network.switch(is_up=step.network)
        if step.minutes:
            app.clear_toasts()
            self._clock.pass_time(60 * step.minutes)
            await self._wait_for((), app, pilot)
        await pilot.press(*step.keys)
        svg = await self._wait_for(step.shows, app, pilot)
        return Shot(step, svg, datetime.fromtimestamp(self._clock.now(), desk.ZONE), self._network.is_up)

    async def _wait_for(self, words: Sequence[str], app: SettledApp, pilot: Pilot[None]) -> str:
        """Return the screen once it has these words, the engine knows the time, and nothing moves any more."""
        looks, before = 0, ("", -1)
        try:
            async with asyncio.timeout(MAX_WAIT_SECONDS):
                while looks < SETTLED_LOOKS:
                    app.refresh_times()
                    app.update_status()
                    await settle(app, pilot)
                    now = (app.export_screenshot(title=""), self._network.requests)
                    is_there = self._engine_is_awake() and all(each in screen_text(now[0]) for each in words)
                    looks, before = looks + 1 if is_there and now == before else 0, now
        except TimeoutError:
            raise AssertionError(f"{words} aren't all in:\n{screen_text(before[0])}") from None
        return before[0]

    def _engine_is_awake(self) -> bool:
        return clients.health(self._store.reading).heard_at == self._clock.now()


def make_frames(shots: Sequence[Shot]) -> tuple[list[Frame], int, str]:
    """Return the frames, the number of the poster, and the CSS for them."""
    styles = Styles()
    frames: list[Frame] = []
    caption, poster = "", 0
    for shot in shots:
        step = shot.step
        caption = step.caption or caption
        if step.is_restart:
            night = [caption_bar.draw_window(SIZE), caption_bar.draw_title(NIGHT, SIZE)]
            frames.append(Frame(night, NIGHT_SHOWN_SECONDS))
        rows = screen_rows(shot.svg, caption_bar.BACKGROUND, styles)
        bar = caption_bar.draw_bar(SIZE, caption, step.badge, shot.at, is_online=shot.is_online)
        if step.is_poster:
            poster = len(frames)
        frames.append(Frame([caption_bar.draw_window(SIZE), *rows, *bar], step.seconds))
    return frames, poster, caption_bar.CSS + styles.css()


def draw(shots: Sequence[Shot]) -> str:
    frames, poster, css = make_frames(shots)
    return animate(frames, view_box=caption_bar.view_box(SIZE), css=css, title=TITLE, poster=poster)


async def make_shots() -> list[Shot]:
    """Fill a store from a new sandbox, and play all steps."""
    # The engine warns that the network is gone, as it should.
    logging.getLogger("frontdesk").setLevel(logging.ERROR)
    clock = desk.StandingClock()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        world = desk.open_sandbox(folder / "sandbox", clock)
        try:
            with Store(folder / "desk") as store:
                await desk.fill_store(store, world, clock)
                return await Recorder(store, Network(world), clock).record(STEPS)
        finally:
            world.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--to", type=Path, default=PATH, metavar="FILE", help="the file, if not the README's")
    options = parser.parse_args()
    made = draw(run(make_shots()))
    options.to.write_text(made, encoding="utf-8")
    print(f"{len(made.encode()):,} bytes")
