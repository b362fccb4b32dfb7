"""What a person did is settled on the writer's thread: what comes of it is handed to the screens' thread.

Used by whatever waits for a future of `app.services`.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from textual.app import App

T = TypeVar("T")


def on_done(app: App[Any], future: "Future[T]", then: Callable[["Future[T]"], object]) -> None:
    """Call `then` with the future on the app's thread; after its end nobody is left to be told.

    Args:
        app: asked for where the action was done: on another thread, or of a screen that was taken off since,
            there is none to be had.
    """

    future.add_done_callback(lambda done: hand_over(app, then, done))


def hand_over(app: App[Any], then: Callable[..., object], *arguments: object) -> None:
    """Have a function called on the app's thread; without a word where the app has ended."""
    try:
        app.call_later(then, *arguments)
    except RuntimeError:
        if app.is_running:
            raise  # else its loop was closed while this was on its way


async def settled(future: "Future[T]") -> T:
    """What comes of a future, for a worker: one that is cancelled lets what was begun go on."""
    return await asyncio.shield(asyncio.wrap_future(future))
