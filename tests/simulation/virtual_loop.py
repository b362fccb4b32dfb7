"""An event loop of virtual time: where all wait, the clock jumps to whoever waits for the nearest moment."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

STUCK_TURNS = 1_000_000
"""Turns of the loop at one moment after which something spins."""


class Stuck(AssertionError):
    """Something spins without time passing, or waits for what never comes."""


class _JumpingSelector(selectors.SelectSelector):
    """Waits for nobody: instead of sleeping it moves the clock."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self._turns = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(0)
        if found or timeout == 0:
            self._turns += 1
            if self._turns > STUCK_TURNS:
                raise Stuck(f"something spins at {self.now:.3f} s")
            return found
        if timeout is None:
            raise Stuck("all wait, and nothing is to come")
        self._turns = 0
        self.now += timeout
        return found


class VirtualLoop(asyncio.SelectorEventLoop):
    """Time passes only where all wait, and calls for a thread run at once: the same seed, the same run."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> "asyncio.Future[T]":
        done: asyncio.Future[T] = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:
            done.set_exception(error)
        return done


def run(main: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
