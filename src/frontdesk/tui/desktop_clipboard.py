"""Copies text to this desktop's own clipboard, for terminals that don't know OSC 52."""

from collections.abc import Mapping
from concurrent.futures import Future

from frontdesk.tui.helper_process import run_helper

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
