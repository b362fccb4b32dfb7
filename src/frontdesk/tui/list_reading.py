"""A list of recipients looked at and read beside the screen: what is known of it so far, for the wizard.

A child process reads; a thread of ours waits for it and hands over to the screens' thread. What comes
of a reading that something newer has replaced is let go.
"""

import threading
from collections.abc import Callable
from typing import Any

from textual.app import App

from frontdesk.campaigns.audience import Audience, AudienceError, Columns, Look, Stopped
from frontdesk.campaigns.audience.beside import Beside, look_beside, read_beside
from frontdesk.frozen import dataclass
from frontdesk.text import NOTHING, Shown, show_line
from frontdesk.tui.settled import hand_over

STEPS = 50
"""Progress is told in so many steps: each is painted, over a slow line too."""


@dataclass(frozen=True, slots=True)
class ListFile:
    """A list of recipients and how it is to be read; None is guessed."""

    path: str
    sheet: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    country: str | None = None


class ListReading:
    """One list at a time.

    Attributes:
        file: the one that is looked at or read.
        look: how it is laid out, once that is known.
        columns: what it is read with.
        audience: who is in it, once it was read.
        problem: why it can't be used.
        rows, share: how far it was read, 0 to 1.
        is_busy: something is under way.
    """

    def __init__(self, app: App[Any], changed: Callable[[], None]) -> None:
        """Nothing yet; `changed` is called on the app's thread whenever more is known."""
        self._app, self._changed = app, changed
        self._lock = threading.Lock()
        self._turn = 0
        self._beside: Beside[Any] | None = None
        self.file: ListFile | None = None
        self.look: Look | None = None
        self.columns: Columns | None = None
        self.audience: Audience | None = None
        self.problem: Shown = NOTHING
        self.rows, self.share, self.is_busy = 0, 0.0, False

    def begin(self, file: ListFile, columns: Columns | None = None) -> None:
        """Look at a list, then read it: with these columns, else with those that are guessed, if any are."""
        self.stop()
        self._forget()
        self.file, self.columns, self.is_busy = file, columns, True
        turn = self._turn
        threading.Thread(target=self._look, args=(turn, file, columns), daemon=True).start()
        self._changed()

    def read(self, columns: Columns) -> None:
        """Read the list that was looked at with other columns."""
        if self.file is None or self.look is None:
            return
        self.stop()
        self._begin_reading(columns)
        self._changed()

    def stop(self) -> None:
        """End what is under way; what was known of the list stays."""
        with self._lock:
            self._turn += 1
            beside, self._beside = self._beside, None
        self.is_busy = False
        if beside is not None:
            beside.stop()

    def _forget(self) -> None:
        self.look = self.columns = self.audience = None
        self.problem = NOTHING
        self.rows, self.share, self.is_busy = 0, 0.0, False

    def _begin_reading(self, columns: Columns) -> None:
        assert self.file is not None
        assert self.look is not None
        self.columns, self.audience, self.problem = columns, None, NOTHING
        self.rows, self.share, self.is_busy = 0, 0.0, True
        threading.Thread(target=self._read, args=(self._turn, self.file, self.look, columns), daemon=True).start()

    def _look(self, turn: int, file: ListFile, columns: Columns | None) -> None:
        def begun() -> Beside[Look]:
            return look_beside(
                file.path, file.sheet, encoding=file.encoding, delimiter=file.delimiter, country=file.country
            )

        self._wait(turn, begun, lambda look: self._looked(look, columns))

    def _read(self, turn: int, file: ListFile, look: Look, columns: Columns) -> None:
        def begun() -> Beside[Audience]:
            return read_beside(
                file.path,
                columns,
                file.country,
                sheet=look.sheet or None,
                encoding=look.encoding or None,
                delimiter=look.delimiter or None,
            )

        self._wait(turn, begun, self._was_read)

    def _wait(self, turn: int, begin: Callable[[], Beside[Any]], then: Callable[[Any], None]) -> None:
        """On a thread of its own: begin it, follow it, and hand over what came of it."""
        told = -1

        def progress(rows: int, share: float) -> None:
            nonlocal told
            if (step := int(share * STEPS)) != told:
                told = step
                hand_over(self._app, self._at, turn, rows, share)

        try:
            beside = begin()
            with self._lock:
                is_wanted = turn == self._turn
                if is_wanted:
                    self._beside = beside
            if not is_wanted:
                beside.stop()
            found = beside.wait(progress)
        except Stopped:
            return
        except AudienceError as error:
            hand_over(self._app, self._failed, turn, show_line(error))
        else:
            hand_over(self._app, self._ended, turn, then, found)

    def _at(self, turn: int, rows: int, share: float) -> None:
        if turn == self._turn:
            self.rows, self.share = rows, share
            self._changed()

    def _ended(self, turn: int, then: Callable[[Any], None], found: object) -> None:
        if turn == self._turn:
            self._beside, self.is_busy = None, False
            then(found)
            self._changed()

    def _failed(self, turn: int, why: Shown) -> None:
        if turn == self._turn:
            self._beside, self.is_busy, self.problem = None, False, why
            self._changed()

    def _looked(self, look: Look, columns: Columns | None) -> None:
        self.look = look
        width = max((len(row) for row in look.head), default=0)
        chosen = columns if columns is not None and _fits(columns, width) else look.columns
        if chosen is not None:
            self._begin_reading(chosen)

    def _was_read(self, audience: Audience) -> None:
        self.audience, self.share = audience, 1.0


def _fits(columns: Columns, width: int) -> bool:
    """Whether a list as wide as this has all of these columns."""
    return all(at is None or at < width for at in (columns.number, columns.name, columns.country))
