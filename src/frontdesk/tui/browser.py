"""Opens a link in the person's browser, which gets nothing of this process but the link."""

import logging
import subprocess
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from textual.app import App

from frontdesk.config.processes import child_environment
from frontdesk.tui.terminal_abilities import WEB_TAB
from frontdesk.tui.textual_compat import escape_sequences

log = logging.getLogger("frontdesk.tui")

_OPEN = "import sys, webbrowser; sys.exit(not webbrowser.open(sys.argv[1]))"


def is_remote(environ: Mapping[str, str]) -> bool:
    """Return whether a browser started here would open on another machine."""
    return any(environ.get(name) for name in ("SSH_TTY", "SSH_CONNECTION", "SSH_CLIENT"))


def open_link(app: App[Any], url: str, environ: Mapping[str, str]) -> "Future[bool]":
    """Open the URL beside the tab that these screens are in, or else as `open_in_browser` does."""
    if environ.get("TERM_PROGRAM") != WEB_TAB:
        return open_in_browser(url, environ)
    escape_sequences.send(app, escape_sequences.open_link(url))
    opened: Future[bool] = Future()
    opened.set_result(True)
    return opened


def open_in_browser(url: str, environ: Mapping[str, str]) -> "Future[bool]":
    """Open the URL by Python's `webbrowser`, in a process of its own since it passes on its environment.

    It has no terminal and no TERM: a browser in text would write over the screen.

    Returns:
        Whether a browser took it. That may take as long as the browser is open.
    """
    environment = child_environment(environ)
    environment.pop("TERM", None)
    opened: Future[bool] = Future()
    threading.Thread(target=lambda: opened.set_result(_open(url, environment)), daemon=True).start()
    return opened


def _open(url: str, environment: dict[str, str]) -> bool:
    try:
        ended = subprocess.run(
            [sys.executable, "-P", "-c", _OPEN, url],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            check=False,
        )
    except OSError as error:
        log.warning("couldn't start a browser: %s", error.strerror)
        return False
    except ValueError:  # a NUL or half of a character in a stranger's link, which no argument can hold
        log.warning("couldn't start a browser: the link can't be passed to it")
        return False
    return ended.returncode == 0
