"""The desktop's browser and clipboard, each in a process that gets nothing of this one but what it is given."""

import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from textual.app import App

from frontdesk.config.processes import child_environment
from frontdesk_lines.display_text import trusted
from frontdesk_lines.textual_compat import escape_sequences

log = logging.getLogger("frontdesk.tui")


def run_helper(
    name: str,
    code: str,
    *arguments: str,
    environ: Mapping[str, str],
    text: str = "",
    timeout_seconds: float | None = None,
) -> "Future[bool]":
    """Run the code in a process without a terminal, a TERM or credentials, on a thread that waits for it.

    A program in text that it starts would write over the screen.

    Args:
        name: what it does, for the log, as "start a browser".
        text: its standard input.

    Returns:
        Whether it ended well.
    """
    environment = child_environment(environ)
    environment.pop("TERM", None)
    command = [sys.executable, "-P", "-c", code, *arguments]
    done: Future[bool] = Future()
    given = text.encode(errors="replace")

    def run() -> None:
        done.set_result(_succeeds(name, command, environment, given, timeout_seconds))

    threading.Thread(target=run, daemon=True).start()
    return done


def _succeeds(
    name: str, command: list[str], environment: dict[str, str], given: bytes, timeout_seconds: float | None
) -> bool:
    try:
        with subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as helper:
            try:
                helper.communicate(given, timeout_seconds)
            except subprocess.TimeoutExpired:
                os.killpg(helper.pid, signal.SIGKILL)  # with the program that it waits for
                raise
    except (OSError, subprocess.TimeoutExpired) as error:
        log.warning("couldn't %s: %s", name, getattr(error, "strerror", None) or "it took too long")
        return False
    except ValueError:  # a NUL or half of a character in a stranger's link, which no argument can hold
        log.warning("couldn't %s: the text can't be passed to it", name)
        return False
    return helper.returncode == 0


_COPY = """
import sys, pyperclip
text = sys.stdin.buffer.read().decode()
pyperclip.copy(text)
sys.exit(pyperclip.paste() != text)
"""
"""Pasted to be compared: pyperclip doesn't notice that a program, such as xclip, has failed."""

TIMEOUT_SECONDS = 5.0


def copy_on_desktop(text: str, environ: Mapping[str, str]) -> "Future[bool]":
    """Copy by pyperclip, in a process of its own since it passes on its environment.

    Returns:
        Whether the text is in the clipboard; False if this desktop has none, or no program for it.
    """
    return run_helper("copy", _COPY, environ=environ, text=text, timeout_seconds=TIMEOUT_SECONDS)


WEB_TAB = "frontdesk-web"
"""TERM_PROGRAM in a browser's tab of `frontdesk web`."""


OVER_SSH = trusted("over SSH, frontdesk can't open your browser")
"""Why an address is copied."""

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

    Returns:
        Whether a browser took it. That may take as long as the browser is open.
    """
    return run_helper("start a browser", _OPEN, url, environ=environ)
