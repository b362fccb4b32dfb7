"""An event loop that knows which short pauses and threads it waits for, so that a picture waits for them, too."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

MAX_PAUSE_SECONDS = 0.9
"""What is put off for less follows a key; what is put off for longer comes again and again."""


class WorkLoop(asyncio.SelectorEventLoop):
    """Counts the calls that it has put off for less than `MAX_PAUSE_SECONDS`, and the calls on threads."""

    def __init__(self) -> None:
        super().__init__()
        self._pauses: set[asyncio.TimerHandle] = set()
        self._thread_calls = 0

    @property
    def has_work(self) -> bool:
        """Whether a short pause isn't over, or a call on a thread hasn't returned, however late it is."""
        self._pauses = {each for each in self._pauses if not each.cancelled()}
        return bool(self._pauses or self._thread_calls)

    def call_at(
        self, when: float, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        if when - self.time() >= MAX_PAUSE_SECONDS:
            return super().call_at(when, callback, *args, context=context)

        def call() -> None:
            self._pauses.discard(handle)
            callback(*args)

        handle = super().call_at(when, call, context=context)
        self._pauses.add(handle)
        return handle

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> "asyncio.Future[T]":
        self._thread_calls += 1
        running: asyncio.Future[T] = super().run_in_executor(executor, func, *args)
        running.add_done_callback(self._end_thread_call)
        return running

    def _end_thread_call(self, _: object) -> None:
        self._thread_calls -= 1


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on a loop that `work_loop` returns to it."""
    with asyncio.Runner(loop_factory=WorkLoop) as runner:
        return runner.run(main)


def work_loop() -> WorkLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, WorkLoop)
    return loop
