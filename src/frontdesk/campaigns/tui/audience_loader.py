"""AudienceLoader: reads a list of recipients in a child process, with its progress."""

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from textual.app import App

from frontdesk.campaigns.preflight import summary_of
from frontdesk.campaigns.preflight_facts import AudienceSummary
from frontdesk.campaigns.view.audience import AudienceProgress, rival_words, width_of_list
from frontdesk.tui.futures import call_on_app_thread
from frontdesk_lines.display_text import SafeText, show_line
from frontdesk_lists.models import (
    Audience,
    AudienceError,
    ColumnMapping,
    HomeCountry,
    ListFile,
    ListLayout,
    ReadStopped,
)
from frontdesk_lists.subprocess_reader import BackgroundRead, read_in_background, read_layout_in_background

STEPS = 50
"""Steps of the progress: each is painted, over a slow line too."""


class AudienceLoader:
    """Reads one list at a time; drops a read that was replaced by a newer one."""

    def __init__(
        self,
        app: Callable[[], App[Any]],
        changed: Callable[[], None],
        suggested: Callable[[HomeCountry], str] = lambda _: "",
        columns_lost: Callable[[], None] = lambda: None,
    ) -> None:
        """Prepare to read.

        Args:
            changed: called after each step of the progress.
            suggested: takes a suggested home country; returns the country to read with, empty for none.
            columns_lost: called where the file no longer has the chosen columns; they are guessed again.
        """
        self._app_of, self._changed, self._suggested = app, changed, suggested
        self._columns_lost = columns_lost
        self._lock = threading.Lock()
        self._generation = 0
        self._process: BackgroundRead[Any] | None = None
        self.file: ListFile | None = None
        self.progress = AudienceProgress()

    def begin(self, file: ListFile, columns: ColumnMapping | None = None, headings: tuple[str, ...] = ()) -> None:
        """Read a list's layout and then the list, with these columns or those that are guessed.

        Args:
            headings: the first row when the columns were chosen.
        """
        self._app = self._app_of()
        self.stop()
        self.file = file
        self.progress = AudienceProgress(columns=columns, is_busy=True, skips_doubtful=file.skips_doubtful)
        self._start(partial(read_layout_in_background, file), partial(self._on_layout_read, columns, headings))
        self._changed()

    def read(self, columns: ColumnMapping) -> None:
        if self.file is not None and self.progress.layout is not None:
            self.stop()
            self._begin_reading(self.file, self.progress.layout, columns)
            self._changed()

    def stop(self) -> None:
        with self._lock:
            self._generation += 1
            process, self._process = self._process, None
        self.progress = replace(self.progress, is_busy=False)
        if process is not None:
            process.stop()

    def _begin_reading(self, file: ListFile, layout: ListLayout, columns: ColumnMapping) -> None:
        skips_doubtful = self.progress.skips_doubtful
        self.progress = AudienceProgress(layout, columns, is_busy=True, skips_doubtful=skips_doubtful)
        begin = partial(read_in_background, file.read_as(layout), columns)
        self._start(
            begin,
            self._on_audience_read,
            lambda audience: summary_of(audience, layout.kind, rival_words(layout, audience)),
        )

    def _start(self, *read: Any) -> None:
        threading.Thread(target=self._wait, args=(self._generation, *read), daemon=True).start()

    def _wait(
        self,
        generation: int,
        begin: Callable[[], BackgroundRead[Any]],
        then: Callable[..., None],
        also: Callable[[Any], object] | None = None,
    ) -> None:
        """Wait for a read on its own thread; pass on its progress, its result, and what `also` makes of that."""
        shown = -1

        def progress(rows: int, share: float) -> None:
            nonlocal shown
            if (step := int(share * STEPS)) != shown:
                shown = step
                self._pass_on(generation, self._on_progress, rows, share)

        try:
            process = begin()
            with self._lock:
                is_wanted = generation == self._generation
                if is_wanted:
                    self._process = process
            if not is_wanted:
                process.stop()
            found = process.wait(progress)
        except ReadStopped:
            return
        except AudienceError as error:
            self._pass_on(generation, self._on_failed, show_line(error))
        except (OSError, ValueError) as error:  # its result was taken away, or the disk is full
            self._pass_on(generation, self._on_failed, show_line(f"couldn't load the list: {error}"))
        else:
            made = () if also is None else (also(found),)
            self._pass_on(generation, then, found, *made)

    def _pass_on(self, generation: int, then: Callable[..., None], *values: object) -> None:
        """Call a method on the app's thread, unless a newer read has begun or this one was stopped."""

        def call() -> None:
            if generation == self._generation:
                then(*values)
                self._changed()

        call_on_app_thread(self._app, call)

    def _on_progress(self, rows: int, share: float) -> None:
        self.progress = replace(self.progress, rows=rows, share=share)

    def _on_failed(self, why: SafeText) -> None:
        self._process = None
        self.progress = replace(self.progress, is_busy=False, problem=why)

    def _on_layout_read(
        self, columns: ColumnMapping | None, headings: tuple[str, ...], layout: ListLayout
    ) -> None:
        self._process = None
        width, chosen = width_of_list(layout), columns or layout.columns
        used = () if columns is None else (columns.number, columns.name, columns.country)
        if any(at is not None and at >= width for at in used) or (headings and headings != layout.head[0]):
            chosen = layout.columns
            self._columns_lost()
        self.progress = AudienceProgress(layout, chosen, skips_doubtful=self.progress.skips_doubtful)
        if chosen is not None and self.file is not None:
            self._take_suggestion(layout.home)
            self._begin_reading(self.file, layout, chosen)

    def _take_suggestion(self, home: HomeCountry | None) -> bool:
        country = "" if home is None else self._suggested(home)
        if country and self.file is not None:
            self.file = replace(self.file, country=country)
        return bool(country)

    def _on_audience_read(self, audience: Audience, summary: AudienceSummary) -> None:
        self._process = None
        layout, columns = self.progress.layout, self.progress.columns
        if self._take_suggestion(audience.home) and self.file and layout and columns:
            self._begin_reading(self.file, layout, columns)
            return
        self.progress = replace(
            self.progress, audience=audience, summary=summary, rows=audience.rows, share=1.0, is_busy=False
        )
