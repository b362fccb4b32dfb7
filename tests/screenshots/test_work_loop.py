"""The loop of the pictures: what is still to come counts, however late it is."""

import asyncio
import threading

import work_loop
from work_loop import MAX_PAUSE_SECONDS


def test_a_short_pause_is_work_until_what_was_put_off_has_run() -> None:
    async def story() -> None:
        loop, ran = work_loop.work_loop(), asyncio.Event()
        assert not loop.has_work
        loop.call_later(MAX_PAUSE_SECONDS / 100, ran.set)
        assert loop.has_work
        await ran.wait()
        assert not loop.has_work

    work_loop.run(story())


def test_a_pause_that_was_given_up_is_none() -> None:
    async def story() -> None:
        loop = work_loop.work_loop()
        loop.call_later(MAX_PAUSE_SECONDS / 2, print).cancel()
        assert not loop.has_work

    work_loop.run(story())


def test_what_comes_again_and_again_is_not_waited_for() -> None:
    async def story() -> None:
        loop = work_loop.work_loop()
        again = loop.call_later(MAX_PAUSE_SECONDS * 2, print)
        assert not loop.has_work
        again.cancel()

    work_loop.run(story())


def test_a_call_on_a_thread_is_work_until_it_returns() -> None:
    async def story() -> None:
        loop, goes_on = work_loop.work_loop(), threading.Event()
        running = asyncio.ensure_future(asyncio.to_thread(goes_on.wait))
        await asyncio.sleep(0)
        assert loop.has_work
        goes_on.set()
        await running
        assert not loop.has_work

    work_loop.run(story())
