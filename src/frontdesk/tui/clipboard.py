"""Copy text by OSC 52 where the terminal may take it, else on this desktop, else show it to be selected by hand.

A text with line breaks is shown and confirmed first, unless it was selected: pasted into a shell, it could run
commands.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Any, ClassVar, Protocol, cast

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from frontdesk.tui.context import AppContext
from frontdesk.tui.desktop import copy_on_desktop, is_remote
from frontdesk.tui.futures import on_done
from frontdesk.tui.keymap import keys_line
from frontdesk_lines.bidi import is_right_to_left
from frontdesk_lines.content import content, notify
from frontdesk_lines.display_text import NOTHING, SafeText, body_lines, show_line, trusted
from frontdesk_lines.keyboard_layouts import with_layout_keys
from frontdesk_lines.lines import EMPTY, Line, Role, span
from frontdesk_lines.privacy import IS_HIDDEN, is_private
from frontdesk_lines.textual_compat import escape_sequences
from frontdesk_lines.textual_compat.driver import report_mouse

MAX_SHOWN_CHARACTERS, MAX_SHOWN_LINES = 200_000, 5_000
"""What a screen can still draw at once."""

MAX_CHARACTERS = 1_000_000

MAX_NOTIFIED = 60
_FIRST_SECONDS, _SECONDS = 6.0, 2.0


class CopyingApp(Protocol):
    """The part of the running app that copying needs."""

    app_context: AppContext
    has_copied: bool
    skips_copy_question: bool


def copy(app: App[Any], text: str, name: SafeText, *, why: SafeText = NOTHING, is_selected: bool = False) -> None:
    """Copy a text and report it; show it with the reason where it can't be copied.

    A text with line breaks is copied once the person has confirmed it, or at once if they have selected it.

    Args:
        app: a `CopyingApp`.
        name: its name, as "the id".
        why: reported with it, as "over SSH, frontdesk can't open your browser".
    """
    copying = cast("CopyingApp", app)
    app_context = copying.app_context
    if is_private():
        key = app_context.key("app.privacy")
        words = f"Nothing was copied: {IS_HIDDEN.lower()}. Press {key} to show them."
        notify(app, trusted(words), severity="warning")
        return
    clean = clean_text(text)
    if app_context.store.settings.clipboard == "show":
        _show(app, clean, name, trusted("Select it with the mouse and copy it with your terminal."))
        return
    sequence, reason = _sequence(clean, app_context.environ, len(text.encode(errors="replace")))
    if sequence is not None:
        put = partial(_send_sequence, app, sequence, clean, why)
    elif is_remote(app_context.environ):
        _show(app, clean, name, reason)
        return
    else:
        put = partial(_copy_on_desktop, app, clean, name, why, reason)
    if "\n" not in clean or is_selected or copying.skips_copy_question:
        put()
    else:
        _confirm_lines(app, clean, name, put)


def clean_text(text: str) -> str:
    """Remove control and direction characters, line by line and in logical order."""
    lines = body_lines(text, limit=MAX_CHARACTERS, lines=MAX_CHARACTERS)
    return "\n".join(line.text for line in lines)


def _sequence(clean: str, environ: Mapping[str, str], size_bytes: int) -> tuple[str | None, SafeText]:
    """Return what the terminal copies a text by, or None and why it can't.

    Args:
        size_bytes: of the whole text, of which `clean` may be the beginning.
    """
    if not escape_sequences.takes_clipboard(environ):
        return None, trusted("Programs can't copy in this terminal; select it with the mouse.")
    most = escape_sequences.LONGEST_COPY // 4 * 3  # base64 makes four of three, and of a rest too
    words = f"Too long for the terminal's clipboard ({size_bytes:,} bytes; the limit is {most:,})."
    return escape_sequences.clipboard(clean, escape_sequences.multiplexer(environ)), trusted(words)


def _confirm_lines(app: App[Any], clean: str, name: SafeText, put: Callable[[], object]) -> None:
    from frontdesk.tui.dialogs.base import on_answer
    from frontdesk.tui.dialogs.copy_lines import CopyLinesDialog

    def copy_confirmed(asks_again: bool) -> None:
        cast("CopyingApp", app).skips_copy_question = not asks_again
        put()

    lines = [show_line(line, MAX_CHARACTERS) for line in clean.split("\n")]
    app.push_screen(CopyLinesDialog(name, lines), on_answer(copy_confirmed))


def _send_sequence(app: App[Any], sequence: str, clean: str, why: SafeText) -> None:
    copying = cast("CopyingApp", app)
    escape_sequences.send(app, sequence)
    is_first, copying.has_copied = not copying.has_copied, True
    remedy = _remedy(escape_sequences.multiplexer(copying.app_context.environ)) if is_first else ""
    _report(app, clean, why.text, remedy)


def _copy_on_desktop(app: App[Any], clean: str, name: SafeText, why: SafeText, reason: SafeText) -> None:
    def report(done: "Future[bool]") -> None:
        if done.result():
            _report(app, clean, why.text)
        else:
            _show(app, clean, name, reason)

    on_done(app, copy_on_desktop(clean, cast("CopyingApp", app).app_context.environ), report)


def _report(app: App[Any], clean: str, *remarks: str) -> None:
    said = [f"Copied {show_line(clean.replace(chr(10), ' '), MAX_NOTIFIED).text}", *filter(None, remarks)]
    notify(app, trusted(" · ".join(said)), timeout_seconds=_FIRST_SECONDS if len(said) > 1 else _SECONDS)


def _remedy(inside: escape_sequences.Multiplexer) -> str:
    if inside is escape_sequences.Multiplexer.TMUX:
        return "can't paste it? tmux needs: set -g set-clipboard on"
    return 'can\'t paste it? set clipboard = "show" in config.toml'


def _show(app: App[Any], clean: str, name: SafeText, why: SafeText) -> None:
    app.push_screen(ManualCopyDialog(clean, name, why))


class ManualCopyDialog(ModalScreen[None]):
    """A text to select with the terminal's own mouse, which it has back while this is open.

    It fills the screen without a frame, from the first column: only the text is selected.
    """

    ALLOW_SELECT = False  # a second selection beside the terminal's
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "close"),
        Binding(with_layout_keys("q", "y"), "close", "close"),
    ]
    DEFAULT_CSS = """
    ManualCopyDialog {
        background: $background;
        & > Static { height: auto; padding: 0 1; background: $panel; }
        & > VerticalScroll { height: 1fr; padding: 1 0; scrollbar-size-vertical: 0; }
        & > VerticalScroll > Static { height: auto; }
    }
    """

    def __init__(self, text: str, name: SafeText, why: SafeText) -> None:
        super().__init__()
        self._text = text
        self._shown = "\n".join(text[:MAX_SHOWN_CHARACTERS].split("\n")[:MAX_SHOWN_LINES])
        self._label, self._why = name, why

    def compose(self) -> ComposeResult:
        yield Static(content((span(self._label, Role.STRONG), span("  "), span(self._why, Role.DIM))))
        with VerticalScroll():
            yield Static(Content(self._shown))
        yield Static(content((*keys_line(("PgDn", "scroll"), ("esc", "close")), *self._hint())))

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()
        report_mouse(self.app, False)

    def on_unmount(self) -> None:
        report_mouse(self.app, True)

    def action_close(self) -> None:
        if self.is_active:
            self.dismiss()

    def _hint(self) -> Line:
        if len(self._text) > len(self._shown):
            return (span(f"   the first {len(self._shown):,} of {len(self._text):,} characters", Role.WARN),)
        if any(is_right_to_left(line) for line in self._text.split("\n")):
            return (span("   shown in the order it was typed", Role.DIM),)
        return EMPTY
