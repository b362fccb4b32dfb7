"""An event loop of virtual time: where all wait, the clock jumps to whoever waits for the nearest moment.

What runs on behalf of a `Process` can be stopped at any point, as SIGSTOP does, and goes on where it stood.
"""

import asyncio
import contextvars
import gc
import heapq
import itertools
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")

STUCK_STEPS = 200_000
"""Callbacks at one moment after which something spins."""


class Stuck(AssertionError):
    """Something spins without time passing, or waits for what never comes."""


class Unseen(AssertionError):
    """A task failed, and nobody awaited it."""


class Process:
    """A process on a desk: its tasks, and all that they start, run only while it isn't stopped.

    Attributes:
        is_dead: it was killed: what it still writes or sends has no effect.
        continued_at: when it went on after it was stopped for the last time, in the loop's seconds.
    """

    def __init__(self) -> None:
        self.is_dead = False
        self.is_stopped = False
        self.was_stopped = False
        self.continued_at = 0.0
        self.held: list[_Step] = []

    def start(self, main: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run this as the process."""
        context = contextvars.copy_context()
        context.run(PROCESS.set, self)
        return asyncio.get_running_loop().create_task(main, context=context)

    def stop(self) -> None:
        self.is_stopped = self.was_stopped = True

    def go_on(self) -> None:
        if not self.is_stopped:
            return
        self.is_stopped = False
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        self.continued_at = loop.time()
        held, self.held = self.held, []
        loop.ready.extend(held)


PROCESS: ContextVar[Process | None] = ContextVar("process", default=None)


class _Step:
    """A callback that is to run, as `asyncio.TimerHandle`, and the process that it belongs to."""

    __slots__ = ("args", "callback", "context", "is_cancelled", "process", "when_at")

    def __init__(
        self,
        callback: Callable[..., Any] | None,
        args: tuple[Any, ...],
        context: contextvars.Context | None,
        at: float,
    ) -> None:
        if context is None:  # an empty one is false, too
            context = contextvars.copy_context()
        self.callback, self.args, self.context, self.when_at = callback, args, context, at
        self.process = context.get(PROCESS)
        self.is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True
        self.callback, self.args = None, ()

    def cancelled(self) -> bool:
        return self.is_cancelled

    def when(self) -> float:
        return self.when_at


class VirtualLoop(asyncio.AbstractEventLoop):
    """Time passes only where all wait, and calls for a thread run at once: the same seed, the same run."""

    def __init__(self) -> None:
        self.ready: deque[_Step] = deque()
        self._timers: list[tuple[float, int, _Step]] = []
        self._number = itertools.count()
        self._now = 0.0
        self._unseen: list[tuple[str, BaseException | None]] = []

    def time(self) -> float:
        return self._now

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., Any], *args: Any, context: contextvars.Context | None = None
    ) -> _Step:
        step = _Step(callback, args, context, self._now)
        self.ready.append(step)
        return step

    call_soon_threadsafe = call_soon  # type: ignore[assignment]

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., Any], *args: Any, context: contextvars.Context | None = None
    ) -> _Step:
        step = _Step(callback, args, context, when)
        heapq.heappush(self._timers, (when, next(self._number), step))
        return step

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., Any], *args: Any, context: contextvars.Context | None = None
    ) -> _Step:
        return self.call_at(self._now + delay, callback, *args, context=context)

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(  # type: ignore[override]
        self, coro: Coroutine[Any, Any, T], *, name: str | None = None, context: contextvars.Context | None = None
    ) -> asyncio.Task[T]:
        # Names cost more than they tell here.
        return asyncio.Task(coro, loop=self, name=name or "", context=context)

    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        done: asyncio.Future[T] = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:
            done.set_exception(error)
        return done

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return True

    def is_closed(self) -> bool:
        return False

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Keep an error that nobody awaited; `run_until_complete` raises it."""
        self._unseen.append((str(context.get("message")), context.get("exception")))

    def run_until_complete(self, future: Any) -> Any:
        """Run a coroutine to its end.

        Raises:
            Stuck: it can't come to its end.
            Unseen: a task beside it failed, and nobody awaited that.
        """
        asyncio._set_running_loop(self)
        try:
            task = self.create_task(future)
            self._run_moment()
            while not task.done():
                self._pass_time()
                self._run_moment()
            for other in asyncio.all_tasks(self):
                other.cancel()
            self._run_moment()
            result = task.result()
            gc.collect()  # a failed task says that nobody awaited it when it is collected
        finally:
            asyncio._set_running_loop(None)
        for message, error in self._unseen:
            raise Unseen(message) from error
        return result

    def _run_moment(self) -> None:
        """Run all that is to happen now."""
        ready = self.ready
        for _ in range(STUCK_STEPS):
            if not ready:
                break
            step = ready.popleft()
            process = step.process
            if process is not None and process.is_stopped:
                process.held.append(step)
            elif step.callback is not None:
                step.context.run(step.callback, *step.args)
        else:
            raise Stuck(f"something spins at {self._now:.3f} s")

    def _pass_time(self) -> None:
        """Let time pass until something is to happen."""
        timers = self._timers
        while timers and timers[0][2].is_cancelled:
            heapq.heappop(timers)
        if not timers:
            raise Stuck("all wait, and nothing is to come")
        self._now = max(self._now, timers[0][0])
        while timers and timers[0][0] <= self._now:
            self.ready.append(heapq.heappop(timers)[2])


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run in virtual time, from 0 on."""
    result: T = VirtualLoop().run_until_complete(main)
    return result
