"""Signal handlers that run at once even at a prompt.

readline runs handlers only if a signal interrupts its wait for a key. For a signal that comes between the prompt
and that wait, they would run at the next key: ctrl+c and SIGTERM would seem to hang. So a thread interrupts the
main thread until the handler has run.
"""

import os
import signal
import threading
from collections.abc import Callable, Mapping
from types import FrameType

INTERRUPTION = signal.SIGUSR1
EVERY_SECONDS = 0.05
MAX_INTERRUPTIONS = 200
"""So often at most: of two signals at once, it may wait for a handler that has run already."""

SignalHandler = Callable[[int, FrameType | None], object]


def install_handlers(handlers: Mapping[signal.Signals, SignalHandler]) -> None:
    """Install handlers in the main thread, which calls this, and the thread that makes it run them."""
    has_run = threading.Event()

    def marked(handler: SignalHandler) -> SignalHandler:
        def handle(number: int, frame: FrameType | None) -> None:
            has_run.set()
            handler(number, frame)

        return handle

    for each, handler in handlers.items():
        signal.signal(each, marked(handler))
    signal.signal(INTERRUPTION, lambda _number, _frame: None)
    arrivals, arrived = os.pipe()
    os.set_blocking(arrived, False)
    signal.set_wakeup_fd(arrived, warn_on_full_buffer=False)
    interrupt = threading.Thread(
        target=_interrupt, args=(arrivals, has_run, threading.get_ident()), name="frontdesk-signals", daemon=True
    )
    interrupt.start()


def _interrupt(arrivals: int, has_run: threading.Event, main_thread: int) -> None:
    while numbers := os.read(arrivals, 64):
        if set(numbers) == {INTERRUPTION}:
            continue
        for _ in range(MAX_INTERRUPTIONS):
            if has_run.wait(EVERY_SECONDS):
                break
            signal.pthread_kill(main_thread, INTERRUPTION)
        has_run.clear()
