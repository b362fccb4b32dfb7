"""Runs cells of the matrix: an engine over a real store and real connections, on a loop of fast time."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from typing import Any

from canary.echo_server import leaks, leaks_below
from frontdesk.config.render_context import RenderContext
from frontdesk.demo.sandbox_process import demo_profile
from frontdesk.engine.engine import Engine
from frontdesk.linear.sentences import speak
from frontdesk.outbox import queue
from frontdesk.registry.changes import CHANGE_VIEWS
from frontdesk.storage import clients, invalid_items
from frontdesk.storage.clients import Focus
from frontdesk.storage.database import Store
from frontdesk.storage.records import UNCONFIRMED, Change, Connection
from frontdesk.sync import status_view
from frontdesk.sync.budget import Budget
from frontdesk.sync.status_view import view_health
from frontdesk_api.contract.endpoints import OPERATIONS, Listing
from frontdesk_api.hosts import Hosts
from frontdesk_lines.glyphs import glyphs
from lab.faults.matrix.fast_loop import FACTOR, FastLoop, fast_time
from lab.faults.matrix.judgement import Cell, Finding, judge_change, judge_rows
from lab.faults.matrix.modes import Mode
from lab.faults.matrix.operations import CAMPAIGN, READS, WRITES, MadeChange, Reading
from lab.faults.matrix.platform import CREDENTIALS, MANY_TIMES, Platform, exactly, running_platform
from new_store import open_store
from services import Services
from sync.running_engine import make_client

LOOK_SECONDS = 0.5
"""How often what is told is looked at, in the engine's seconds."""

TOLD_SECONDS, RIGHT_SECONDS, KEPT_SECONDS = 130.0, 30.0, 12.0
"""How long the fault of a read stays until it is told, and then: what is read each minute is late after two.

A right answer is told as nothing else for as long as `RIGHT_SECONDS`.
"""

START_SECONDS, BACK_SECONDS, SETTLED_SECONDS = 1_200.0, 600.0, 800.0
"""At most: a busy machine takes longer."""

ENGINE_LOG = "engine.log"

STRIKES = 2
"""How often a write meets its fault: as often as it is sent without a clear answer."""

LONG_WAIT_SECONDS = 120.0
FOCUS_SECONDS = 30.0
RETRY_AFTER_SECONDS = 30.0
"""How long a cell looks whether the platform is left in peace for the hour that it asked for."""

_NOT_TOLD = (Connection.STARTING, Connection.LIVE, Connection.WAITING)
_LATE = (Connection.DELAYED, Connection.LOADING)


class Bench:
    """A platform, a store and an engine that live through any number of cells."""

    def __init__(self, platform: Platform, store: Store, folder: Path, services: Services) -> None:
        self.platform, self.store, self.folder, self.services = platform, store, folder, services
        self.focus = Focus("board")
        self.texts: list[str] = []
        self.wall_offset = 0.0
        self.has_read_all: Callable[[], bool] = lambda: False
        self._wall_origin = time.time() - fast_time()

    def wall(self) -> float:
        return self._wall_origin + fast_time() + self.wall_offset

    @property
    def reading(self) -> Any:
        return self.store.reading

    def view(self) -> RenderContext:
        return RenderContext(self.services.store.catalogue, glyphs(True), self.wall(), UTC)

    def state(self) -> Connection:
        """Look at the status line as a person does, and keep its words."""
        health, view = view_health(clients.health(self.reading), self.focus), self.view()
        words = "".join(part.text.text for part in status_view.words(health, view))
        for text in (words, status_view.sentence(health, view)):
            if not self.texts or text not in self.texts[-4:]:
                self.texts.append(text)
        return status_view.current_health(health, view).state

    async def until(self, is_true: Callable[[], bool], seconds: float) -> bool:
        """Wait for a condition for so many seconds of the engine; whether it came."""
        end = fast_time() + seconds
        while not is_true():
            if fast_time() > end:
                return False
            await asyncio.sleep(LOOK_SECONDS)
        return True

    def knows_everything(self) -> bool:
        """Whether there is something to show of every operation."""
        return self.state() is Connection.LIVE and all(each.rows(self.reading) for each in READS.values())

    async def keep_looking(self) -> None:
        """Say again and again what the screen shows."""
        while True:
            self.report_focus()
            await asyncio.sleep(FOCUS_SECONDS)

    def report_focus(self) -> None:
        self.services.sync.report_focus(self.focus._replace(active_at=self.wall()))

    async def run(self, pairs: Sequence[tuple[Mode, str]]) -> list[Cell]:
        """Run cells of different operations: the writes at the same time, then each read."""
        writes = [(mode, name) for mode, name in pairs if name in WRITES]
        cells = await self.run_writes(writes) if writes else []
        for mode, name in pairs:
            if name in READS:
                cells.append(await self.run_read(mode, name, READS[name]))
        if any(mode.echoes for mode, _ in pairs):
            self.find_leaks(cells)
        return cells

    async def run_writes(self, pairs: Sequence[tuple[Mode, str]]) -> list[Cell]:
        changes = [
            (Cell(mode.name, name), mode, await WRITES[name](self.platform, self.services)) for mode, name in pairs
        ]
        faults = [
            {**mode.rule, "method": made.fault_at[0], "path": exactly(made.fault_at[1]), "times": STRIKES}
            for _, mode, made in changes
        ]
        await self.platform.strike(*faults)
        await self.until(lambda: all(self._has_settled(made) for _, _, made in changes), SETTLED_SECONDS)
        waiting = {id(made) for _, _, made in changes if self._waits_long(made)}
        for cell, _, made in changes:
            if id(made) in waiting and await self._effects(made):
                cell.find(Finding.WRONG, "carried out, and told as waiting to be sent")
        await self.platform.strike()
        if waiting:
            self._skip_hours()
            await self.until(lambda: all(self._has_settled(made) for _, _, made in changes), SETTLED_SECONDS)
        for cell, _, made in changes:
            change = self._change(made)
            judge_change(cell, made, change, await self._effects(made))
            if change is not None:
                self._keep_texts(change)
        return [cell for cell, _, _ in changes]

    def _change(self, made: MadeChange) -> Change | None:
        found = queue.recent(self.reading, 200)
        return next((each for each in found if (each.kind, each.target) == (made.kind, made.target)), None)

    def _has_settled(self, made: MadeChange) -> bool:
        change = self._change(made)
        if change is not None:
            self._keep_texts(change)
        return change is None or change.state not in UNCONFIRMED or self._waits_long(made)

    def _waits_long(self, made: MadeChange) -> bool:
        change = self._change(made)
        return (
            change is not None
            and change.state in UNCONFIRMED
            and (change.send_after > self.wall() + LONG_WAIT_SECONDS)
        )

    async def _effects(self, made: MadeChange) -> int:
        return await self.platform.carried_out(*made.request)

    def _keep_texts(self, change: Change) -> None:
        view = CHANGE_VIEWS[change.kind]
        words = [view.state_words(change, self.wall()), change.reason]
        words += [each.text for each in speak(view.facts(change, self.view()), self.view())]
        text = " ".join(words)
        if text not in self.texts[-20:]:
            self.texts.append(text)

    async def run_read(self, mode: Mode, name: str, reading: Reading) -> Cell:
        cell = Cell(mode.name, name)
        self.focus = reading.focus(self.reading)
        self.report_focus()
        if not await self._is_live(BACK_SECONDS):
            cell.find(Finding.STUCK, f"not live before the fault: {clients.health(self.reading)}")
            return cell
        before = reading.rows(self.reading)
        assert before, "there is something to show"
        rule = {**mode.rule, "method": reading.method, "path": exactly(reading.path), "times": MANY_TIMES}
        await self.platform.strike(rule)
        self.services.sync.request_refresh()
        await self._watch_fault(cell, mode, reading)
        judge_rows(cell, before, reading.rows(self.reading))
        is_here = await reading.change(self.platform, self.reading)
        await self.platform.strike()
        await self._watch_recovery(cell, mode)
        if not await self.until(is_here, BACK_SECONDS):
            cell.find(Finding.STUCK, "live again, but what changed meanwhile isn't there")
        return cell

    async def _watch_fault(self, cell: Cell, mode: Mode, reading: Reading) -> None:
        """Look at the status line from the first request on that meets the fault."""
        broken_before, problem_before = self._broken_items(), reading.problem(self.reading)
        is_right = self._is_right(mode, cell.operation)
        end = fast_time() + (RIGHT_SECONDS if is_right else TOLD_SECONDS)
        told_at, lives = 0.0, 0
        while fast_time() < (told_at + KEPT_SECONDS if told_at else end):
            state = self.state()
            if not told_at and state not in (*_NOT_TOLD, *(_LATE if is_right else ())):
                told_at = fast_time()
                cell.told = str(state)
            lives += bool(told_at) and state is Connection.LIVE
            problem = reading.problem(self.reading)
            if not told_at and problem not in ("", problem_before):
                break
            await asyncio.sleep(LOOK_SECONDS)
        (hits,) = await self.platform.hits()
        assert hits, "the fault struck"
        is_set_aside = mode.items_broken and bool(self._broken_items() - broken_before)
        if is_right:
            if told_at:
                cell.find(Finding.WRONG, f"a right answer, told as {cell.told}")
        elif not told_at and problem in ("", problem_before) and not is_set_aside:
            cell.find(Finding.WRONG, f"after {hits} such answers the status line still says live")
        elif lives and not is_set_aside:
            cell.find(Finding.WRONG, f"says live {lives} times while the fault lasts")
        cell.told = (
            cell.told or (problem and f"problem: {problem}") or ("broken items" if is_set_aside else "live")
        )

    async def _watch_recovery(self, cell: Cell, mode: Mode) -> None:
        began = fast_time()
        if await self._is_live(RETRY_AFTER_SECONDS if mode.asks_to_wait else BACK_SECONDS):
            cell.live_seconds = fast_time() - began
            return
        if mode.asks_to_wait:  # a person asks for it, and else the hour goes by
            self.services.sync.request_refresh()
            if await self._is_live(RETRY_AFTER_SECONDS):
                return
            self._skip_hours()
            if await self._is_live(BACK_SECONDS):
                return
        cell.find(Finding.STUCK, f"not live again: {clients.health(self.reading)}")

    async def _is_live(self, seconds: float) -> bool:
        return await self.until(lambda: self.state() is Connection.LIVE, seconds)

    def _broken_items(self) -> frozenset[tuple[str, str, float]]:
        found = invalid_items.all_invalid_items(self.reading)
        return frozenset((each.kind, each.place, each.at) for each in found)

    def _is_right(self, mode: Mode, operation: str) -> bool:
        """Whether the answer is believed: an object may have fields that the interface doesn't show."""
        is_list = any(each.name == operation and isinstance(each.reply, Listing) for each in OPERATIONS)
        return mode.is_right or (mode.rule["kind"] == "more" and not is_list)

    def _skip_hours(self) -> None:
        self.wall_offset += 2 * 3600.0
        self.report_focus()

    def find_leaks(self, cells: Sequence[Cell]) -> None:
        """Look for the credentials in what was shown, logged and stored, and note them at the first cell."""
        self.store.write(lambda db: None).result()
        shown = [text for text in self.texts if leaks(text)]
        log = self.folder / ENGINE_LOG
        found = [*shown, *leaks_below(self.store.folder), *leaks(log.read_bytes())]
        if found:
            cells[0].find(Finding.LEAKED, str(found)[:500])


@contextlib.asynccontextmanager
async def running_bench(folder: Path, data: Path) -> AsyncIterator[Bench]:
    """Start a platform on this data, and an engine over the folder's store."""
    handler = logging.FileHandler(folder / ENGINE_LOG)
    logging.getLogger("frontdesk").addHandler(handler)
    try:
        async with running_platform(data, FACTOR) as platform:
            with open_store(folder / "profile") as store:
                async with _engine_over(platform, store, folder) as bench:
                    yield bench
    finally:
        logging.getLogger("frontdesk").removeHandler(handler)
        handler.close()


@contextlib.asynccontextmanager
async def _engine_over(platform: Platform, store: Store, folder: Path) -> AsyncIterator[Bench]:
    profile = replace(demo_profile(platform.url), watched_campaigns=())
    bench = Bench(platform, store, folder, Services(store, profile))
    bench.services = Services(store, profile, clock=bench.wall)
    url = platform.url
    budget = Budget(1000, 100_000, fast_time)
    async with make_client(Hosts(url, url, url, url, url), CREDENTIALS, budget) as client:
        engine = Engine(client, store, budget, clock=bench.wall, steady=fast_time, chance=lambda: 0.0)
        bench.has_read_all = lambda: engine.has_read_all
        running = asyncio.create_task(engine.run())
        looking = asyncio.create_task(bench.keep_looking())
        bench.services.campaigns.watch(CAMPAIGN)
        try:
            assert await bench.until(bench.knows_everything, START_SECONDS), "everything was read"
            yield bench
            assert not running.done(), "the engine lives"
        finally:
            looking.cancel()
            engine.stop()
            await running


def run_cells(folder: Path, data: Path, pairs: Sequence[tuple[Mode, str]]) -> list[Cell]:
    """Run cells of different operations on one engine, whose store is below the folder."""

    async def main() -> list[Cell]:
        async with running_bench(folder, data) as bench:
            return await bench.run(pairs)

    with asyncio.Runner(loop_factory=FastLoop) as runner:
        return runner.run(main())


def read_everything(folder: Path, data: Path) -> None:
    """Leave a store below the folder that has every task, thread and workflow."""

    async def main() -> None:
        async with running_bench(folder, data) as bench:
            has_read = bench.has_read_all
            assert await bench.until(has_read, START_SECONDS), "everything was read"

    with asyncio.Runner(loop_factory=FastLoop) as runner:
        runner.run(main())
