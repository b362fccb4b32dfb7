"""WaitingDialog: says what is read beside the screen where that takes a while; Esc gives it up."""

import time
from collections.abc import Callable, Iterable

from textual.widget import Widget

from frontdesk.text.display_text import SafeText
from frontdesk.text.lines import Line, Role, span
from frontdesk.tui.dialogs.base import Dialog, Note
from frontdesk.tui.keymap import keys_line

STEP_SECONDS = 3.0
"""How often the dialog says how long it has been waiting: each time costs bytes."""


class WaitingDialog(Dialog[None]):
    """Answers when what it waits for is there; closed, it isn't wanted any more."""

    def __init__(
        self,
        title: SafeText,
        words: Line,
        *,
        max_seconds: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """A dialog that waits.

        Args:
            title: what it belongs to.
            words: what it waits for.
            max_seconds: when whoever opened it gives up; None where that isn't limited.
            clock: seconds that never go back; only tests replace it.
        """
        super().__init__(title, keys=keys_line(("esc", "give up")))
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
        self._time.say((span(self._time_words(self._clock() - self._began), Role.DIM),))

    def _time_words(self, seconds: float) -> str:
        parts = [f"trying for {seconds:,.0f} s"] if seconds >= 1 else []
        if self._max_seconds is not None:
            parts.append(f"at most {self._max_seconds:,.0f} s")
        words = ", ".join(parts)
        return words[:1].upper() + words[1:]
