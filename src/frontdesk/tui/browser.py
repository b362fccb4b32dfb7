"""Opens a link in the person's browser, which gets nothing of this process but the link."""

import logging
import subprocess
import sys
import threading
from collections.abc import Mapping

from frontdesk.config.processes import child_environment

log = logging.getLogger("frontdesk.tui")


def open_in_browser(url: str, environ: Mapping[str, str]) -> threading.Thread:
    """Open the URL by Python's `webbrowser`, in a process of its own since it passes on its environment.

    It has no terminal: a browser in text would write over the screen.

    Returns:
        The thread that waits for the process, which may take as long as the browser is open.
    """
    waiting = threading.Thread(target=_open, args=(url, child_environment(environ)), daemon=True)
    waiting.start()
    return waiting


def _open(url: str, environment: dict[str, str]) -> None:
    try:
        subprocess.run(
            [sys.executable, "-P", "-m", "webbrowser", url],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            check=False,
        )
    except OSError as error:
        log.warning("couldn't start a browser: %s", error.strerror)
