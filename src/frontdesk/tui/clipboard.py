"""Copying, the one way: by OSC 52 where the terminal may take it, else shown to be selected by hand.

Screens, panes and dialogs call `copy`. What is copied is in the order in which it was written, whatever
way it reads, and free of control characters.
"""

from typing import Any, Protocol, cast

from textual.app import App

from frontdesk.text.display_text import SafeText, body_lines, show_line, trusted
from frontdesk.tui.content import notify
from frontdesk.tui.context import AppContext
from frontdesk.tui.textual_compat import escape_sequences

LONGEST = 1_000_000
"""Characters: what is longer is no text that somebody copies."""

MAX_SAID = 60
_FIRST_SECONDS, _SECONDS = 6.0, 2.0


class Copying(Protocol):
    """What is asked of the running app."""

    app_context: AppContext
    has_copied: bool


def copy(app: App[Any], text: str, what: SafeText) -> None:
    """Copy a text and say so; where the terminal can't take it, show it instead and say why.

    Args:
        app: the running app, which is `Copying`.
        what: what it is, as "the id"; said while it is shown.
    """
    clean = cleaned(text)
    app_context = cast("Copying", app).app_context
    if app_context.store.settings.clipboard == "show":
        _show(app, clean, what, trusted("Select it with the mouse and copy it as the terminal does."))
    elif not escape_sequences.takes_clipboard(app_context.environ):
        _show(
            app, clean, what, trusted("This terminal has no way to copy for programs: select it with the mouse.")
        )
    else:
        _send(app, clean, what)


def cleaned(text: str) -> str:
    """The text line by line without control and direction characters, in logical order."""
    lines = body_lines(text, limit=LONGEST, lines=LONGEST)
    return "\n".join(line.text for line in lines)


def _send(app: App[Any], clean: str, what: SafeText) -> None:
    copying = cast("Copying", app)
    inside = escape_sequences.multiplexer(copying.app_context.environ)
    sequence = escape_sequences.clipboard(clean, inside)
    if sequence is None:
        most = escape_sequences.LONGEST_COPY // 4 * 3  # base64 makes four of three, and of a rest too
        words = f"Too long for the clipboard of a terminal ({len(clean.encode()):,} bytes, {most:,} at most)."
        _show(app, clean, what, trusted(words))
        return
    escape_sequences.send(app, sequence)
    is_first, copying.has_copied = not copying.has_copied, True
    if_not = f" · {_if_not(inside)}" if is_first else ""
    said = show_line(clean.replace("\n", " "), MAX_SAID).text
    notify(app, trusted(f"Copied {said}{if_not}"), timeout_seconds=_FIRST_SECONDS if is_first else _SECONDS)


def _if_not(inside: escape_sequences.Multiplexer) -> str:
    """Nothing answers a copy, so what to do when it did not arrive is said once a run."""
    if inside is escape_sequences.Multiplexer.TMUX:
        return "not there? tmux needs: set -g set-clipboard on"
    return 'not there? set clipboard = "show" in config.toml'


def _show(app: App[Any], clean: str, what: SafeText, why: SafeText) -> None:
    from frontdesk.tui.dialogs.manual_copy import ByHandDialog  # only where it is needed

    app.push_screen(ByHandDialog(clean, what, why))
