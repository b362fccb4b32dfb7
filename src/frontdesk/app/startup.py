"""What can wait until the first screen is on the terminal: the engine, the welcome and the warnings."""

import asyncio
import signal
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from textual.app import App

from frontdesk.engine.supervisor import MakeSupervisor
from frontdesk.storage import clients
from frontdesk.storage.database import ProfileStore
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.keymap import Keymap
from frontdesk.tui.overlays import Welcome
from frontdesk.tui.status_bar import welcome
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import SafeText, counted, trusted
from frontdesk_lines.textual_compat.driver import end_hung_process

ENGINE_CHECK_SECONDS = 5.0
END_SECONDS = 5.0
"""How long the app may take to end after SIGTERM."""
MAX_WARNINGS = 2
"""The warnings that are shown at the start; of more, only the number is."""


def start_engine(
    app: App[Any], store: ProfileStore, supervise: MakeSupervisor, save_and_exit: Callable[[], None]
) -> None:
    """Start the engine, and again when it has died or hangs; SIGTERM leaves the terminal as it was."""
    signal.signal(signal.SIGTERM, partial(_end, app, asyncio.get_running_loop(), save_and_exit))
    health = partial(clients.health, store.reading)
    supervisor = supervise(partial(notify, app, severity="error"), health, store.can_write)
    supervisor.check()
    app.set_interval(ENGINE_CHECK_SECONDS, supervisor.check)


def _end(
    app: App[Any], loop: asyncio.AbstractEventLoop, save_and_exit: Callable[[], None], *_signal: object
) -> None:
    """Ask the app to end, and end the process if it can't: its loop may wait for a terminal that takes nothing."""
    if loop.is_closed():
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTERM)
    loop.call_soon_threadsafe(save_and_exit)
    last = threading.Timer(END_SECONDS, end_hung_process, [app])
    last.daemon = True
    last.start()


def show_welcome(screen: BaseScreen, keymap: Keymap) -> None:
    """Show what to press first, above the status line."""
    screen.mount(Welcome(welcome(keymap)), before=screen.status_bar.line)


def show_warnings(app: App[Any], warnings: Sequence[SafeText]) -> None:
    """Show the first warnings.

    People read them one after the other, and other notices wait until they are gone.
    """
    left = len(warnings) - MAX_WARNINGS
    more = [trusted(f"{counted(left, 'more problem')}; `frontdesk doctor` lists all.")] if left > 0 else []
    for words in (*warnings[:MAX_WARNINGS], *more):
        notify(app, words, severity="warning", timeout_seconds=15 if more else 30)
