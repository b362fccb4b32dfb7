"""What moves by itself: the campaign engine and the crowd, in small steps between requests.

`live` is the service's background task; `catch_up` is the same in one go, for the control and tests.
"""

import asyncio
import logging

from frontdesk.sandbox.crowd import advance_crowd
from frontdesk.sandbox.world import World

STEP_SECONDS = 0.25
REMEMBER_EVERY_STEPS = 20
BATCH = 200

_log = logging.getLogger(__name__)


async def live(world: World) -> None:
    """Move the platform on until cancelled."""
    steps = 0
    while True:
        behind = False
        try:
            if world.options.crowd:
                behind = step(world)
            steps += 1
            if steps % REMEMBER_EVERY_STEPS == 0:
                world.remember_time()
        except Exception:
            _log.exception("the platform could not move on")
        # When behind, leave the loop to requests between batches, but don't wait.
        await asyncio.sleep(0.005 if behind else STEP_SECONDS)


def step(world: World, batch: int = BATCH) -> bool:
    """One batch of everything that is due; whether more is."""
    now = world.clock.now_ms()
    try:
        with world.storage.writing():
            more = world.campaigns.advance(now, batch)
            more = world.runs.advance(now, batch) or more
            if world.options.crowd:
                more = advance_crowd(world.storage, world.runs, _seed(world), now, batch) or more
            world.runs.flush()
    except BaseException:
        world.runs.discard()
        world.campaigns.discard()
        raise
    return more


def catch_up(world: World) -> None:
    """Everything that is due by now."""
    while step(world):
        pass


def _seed(world: World) -> int:
    return int(world.storage.meta("seed"))
