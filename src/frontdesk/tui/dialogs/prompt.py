"""Small dialogs: one line of words, a wait for a read, and a program that runs."""

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from textual import on
from textual.app import App
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Input

from frontdesk.config.paths import expand_path
from frontdesk.outbox.changes import NotPossible
from frontdesk.storage.sql import ReadConnection
from frontdesk.text.questions import Question
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.base import Dialog, on_answer, text_field
from frontdesk.tui.futures import on_done
from frontdesk.tui.keymap import keys_line
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import NOTHING, SafeText, show_error, show_line, trusted
from frontdesk_lines.keyboard_layouts import with_layout_keys
from frontdesk_lines.lines import Line, Role, Span, span
from frontdesk_lines.widgets.note import Note

T = TypeVar("T")

STEP_SECONDS = 3.0
"""How often a `WaitingDialog` updates its time: each update costs bytes."""


class PromptDialog(Dialog[str]):
    """Answers with the typed text without surrounding blanks.

    Args:
        fault: returns what is wrong with the text; called on enter, so it may be strict.
    """

    DEFAULT_CSS = "PromptDialog Note { height: auto; min-height: 1; }"

    def __init__(
        self,
        title: SafeText,
        *,
        note: SafeText = NOTHING,
        placeholder: str = "",
        fault: Callable[[str], str] = lambda _: "",
        draft: str = "",
    ) -> None:
        super().__init__(title, keys=keys_line(("enter", "confirm"), ("esc", "cancel")), draft=draft)
        self._usual: Line = (Span(note, Role.DIM),) if note else ()
        self._fault = fault
        self._field = text_field(placeholder)
        self._note = Note(self._usual, id="note")

    @property
    def note(self) -> Line:
        return self._note.line

    def compose_body(self) -> Iterable[Widget]:
        yield self._field
        yield self._note

    def on_mount(self) -> None:
        self.start_typing(self._field)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._note.set_line(self._usual)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        words = event.value.strip()
        fault = self._fault(words)
        if fault:
            self._note.set_line((span("✗ ", Role.BAD), Span(show_line(fault, 300), Role.BAD)))
        else:
            self.done(words)


def question_dialog(question: Question, note: str = "", draft: str = "") -> PromptDialog:
    title, words = trusted(question.label), show_line(note, 300)
    return PromptDialog(title, note=words, placeholder=question.example, fault=question.fault, draft=draft)


def ask_and_save(
    app: App[Any],
    context: AppContext,
    dialog: PromptDialog,
    save: Callable[[ReadConnection, Path], T],
    saved: Callable[[Path, T], SafeText],
) -> None:
    """Ask for the path of a new file, write it on a thread from what is stored, and report that.

    Args:
        save: may raise OSError, or NotPossible with a sentence.
        saved: words the result.
    """

    def report(path: Path, saving: "Future[T]") -> None:
        error = saving.exception()
        if error is None:
            notify(app, saved(path, saving.result()), timeout_seconds=10)
        elif isinstance(error, NotPossible):
            notify(app, show_error(error, 400), severity="warning")
        else:
            of_file = error if isinstance(error, OSError) else OSError()
            why = of_file.strerror or type(error).__name__
            words = show_line(f"Couldn't write {of_file.filename or path}: {why}", 400)
            notify(app, words, severity="error", timeout_seconds=30)

    def begin(typed: str) -> None:
        path = expand_path(typed)
        on_done(app, context.store.read_in_background(lambda db: save(db, path)), partial(report, path))

    app.push_screen(dialog, on_answer(begin))


class WaitingDialog(Dialog[None]):
    """Answers when the result is there; closing it gives the result up.

    Args:
        max_seconds: when its opener gives up; None where that isn't limited.
        clock: monotonic seconds; replaced by tests only.
    """

    def __init__(
        self,
        title: SafeText,
        words: Line,
        *,
        max_seconds: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(title, keys=keys_line(("esc", "cancel")))
        self._note = Note(words)
        self._clock, self._began = clock, clock()
        self._max_seconds = max_seconds
        self._time = Note((span(self._time_words(0), Role.DIM),))

    def compose_body(self) -> Iterable[Widget]:
        yield self._note
        yield self._time

    def on_mount(self) -> None:
        self.set_interval(STEP_SECONDS, self._show_time)

    def _show_time(self) -> None:
        self._time.set_line((span(self._time_words(self._clock() - self._began), Role.DIM),))

    def _time_words(self, seconds: float) -> str:
        parts = [f"{seconds:,.0f} s so far"] if seconds >= 1 else []
        if self._max_seconds is not None:
            parts.append(f"at most {self._max_seconds:,.0f} s")
        words = ", ".join(parts)
        return words[:1].upper() + words[1:]


class RunningDialog(Dialog[bool]):
    """Answers with True to stop the program, and with False once it has ended by itself.

    Args:
        seconds: returns how long it has been running.
    """

    accepts_queued_keys = False
    """A key typed before it opened must not stop the program."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(with_layout_keys("x"), "stop", "stop"),
        Binding(with_layout_keys("q"), "close", "close"),
    ]

    def __init__(self, name: SafeText, seconds: Callable[[], float], max_seconds: float) -> None:
        super().__init__(trusted(f"Running · {name.text}"), keys=keys_line(("x", "stop"), ("esc", "let it run")))
        self._seconds, self._max_seconds = seconds, max_seconds
        self._time = Note(self._words())

    def compose_body(self) -> Iterable[Widget]:
        yield self._time

    def on_mount(self) -> None:
        self.set_interval(STEP_SECONDS, lambda: self._time.set_line(self._words()))

    def action_stop(self) -> None:
        self.done(True)

    def _words(self) -> Line:
        most = f" It will be killed after {self._max_seconds:,.0f} s."
        return (span(f"Running for {self._seconds():,.0f} s.", Role.TEXT), span(most, Role.DIM))
