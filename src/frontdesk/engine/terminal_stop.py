"""Stops this process for `ctrl+z` between two transactions of its writer; called by `engine_main`.

One that is stopped in the middle of a transaction keeps SQLite's lock, and nobody can write until it goes on.
"""

import asyncio
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager

from frontdesk.storage.database import Store


@contextmanager
def stopped_between_writes(store: Store) -> Iterator[None]:
    """Let SIGTSTP wait for the writer's current job while this is open; SIGSTOP can't be caught."""
    loop = asyncio.get_running_loop()
    stop: Future[None] | None = None

    def stop_soon() -> None:
        nonlocal stop
        if stop is None or stop.done():
            stop = store.write(lambda _: None, prepare=_stop_process)

    if signal.getsignal(signal.SIGTSTP) is not signal.SIG_DFL:
        yield  # whoever started this process decided that it isn't stopped
        return
    loop.add_signal_handler(signal.SIGTSTP, stop_soon)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGTSTP)


def _stop_process() -> None:
    # Sent to this thread, which acts on it before the call returns; sent to the process, another thread may be the
    # first to stop, and this one begins the next transaction meanwhile.
    signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)
