"""Opens a link in the person's browser, which gets nothing of this process but the link."""

from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from textual.app import App

from frontdesk.tui.helper_process import run_helper
from frontdesk_lines.display_text import trusted
from frontdesk_lines.textual_compat import escape_sequences

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
