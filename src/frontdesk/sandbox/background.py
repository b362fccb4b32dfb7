"""Advance campaigns, the crowd and workflows in small steps between requests."""

import asyncio
import logging

from frontdesk.sandbox.world import World

STEP_SECONDS = 0.25
REMEMBER_EVERY_STEPS = 20
BATCH = 200
SMALL_BATCH = 5
"""Beside requests: a request waits for one batch at most, so one takes about a millisecond."""

TURNS_BETWEEN = 8
SLICE_MS = 1_000
"""The slice of virtual time after which all kinds of events are checked again."""

_log = logging.getLogger(__name__)


async def run_background(world: World) -> None:
    """Advance the platform until cancelled."""
    steps = 0
    while True:
        behind = False
        try:
            if world.options.crowd:
                behind = step(world, SMALL_BATCH)
            steps += 1
            if steps % REMEMBER_EVERY_STEPS == 0:
                world.save_time()
        except Exception:
            _log.exception("the platform could not move on")
        if not behind:
            await asyncio.sleep(STEP_SECONDS)
            continue
        # Between two batches a request that has come goes all its way, which takes a few turns.
        for _ in range(TURNS_BETWEEN):
            await asyncio.sleep(0)


def step(world: World, batch: int = BATCH) -> bool:
    """Do one batch of the earliest due events; return whether more may be due.

    Time advances by slices, and each kind of event is finished before the next: an answer counts before the wait
    for it ends, however far the clock jumped.
    """
    now = world.clock.now_ms()
    first = _next_at(world)
    if first > now:
        return False
    begins = world.campaigns.next_start_at()
    # Whom a campaign is for, and whose turn on its line it is, depends on all that was before it.
    until = int(min(now, int(first) + SLICE_MS, begins if begins < first + 1 else begins - 1))
    try:
        with world.storage.writing():
            moved = (
                world.campaigns.advance(until, batch)
                or (world.options.crowd and world.crowd.advance(until, now, batch))
                or world.runs.advance(until, batch)
            )
            world.runs.flush()
    except BaseException:
        world.runs.discard()
        world.campaigns.discard()
        raise
    return moved


def _next_at(world: World) -> float:
    moments = [world.campaigns.next_at(), world.runs.next_at()]
    if world.options.crowd:
        moments.append(world.crowd.next_at())
    return min(moments)


def catch_up(world: World) -> None:
    """Do everything that is due by now."""
    while step(world):
        pass
