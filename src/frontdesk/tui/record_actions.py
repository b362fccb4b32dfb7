"""Show, copy and refresh the record under a screen's cursor; a feature subclasses it for its records."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from textual.screen import Screen

from frontdesk.sync.requests import SyncRequests
from frontdesk.text.display_text import SafeText, trusted
from frontdesk.text.lines import Line, json_body
from frontdesk.text.redaction import redact_json
from frontdesk.tui.clipboard import copy
from frontdesk.tui.content import notify
from frontdesk.tui.context import AppContext

MAX_RAW_CHARACTERS, MAX_RAW_LINES = 200_000, 5_000
"""Limits of a raw record on the screen: a workflow may have megabytes."""


class RecordActions:
    """Actions on one record."""

    def __init__(self, screen: Screen[Any], app_context: AppContext) -> None:
        self._screen, self._app_context = screen, app_context

    def raw(self) -> tuple[str, object] | None:
        """Return a title and the JSON of the record; None where there is none."""
        return None

    def copied_id(self) -> str | None:
        return None

    def refresh_target(self) -> str | None:
        """Return the target to read again; empty for everything, None where nothing is selected."""
        return ""

    def show_raw(self) -> None:
        record = self.raw()
        if record is None:
            notify(self._screen.app, trusted("There is no record under the cursor."))
            return
        self.show_lines(trusted(record[0]), json_body(record[1], MAX_RAW_CHARACTERS, MAX_RAW_LINES))

    def show_lines(self, title: SafeText, lines: Sequence[SafeText] | Callable[[int], Sequence[Line]]) -> None:
        """Show a text in full that a pane has no room for; see `RecordDialog`."""
        from frontdesk.tui.dialogs.review import RecordDialog

        self._screen.app.push_screen(RecordDialog(title, lines))

    def copy_id(self) -> None:
        self.copy_text(self.copied_id(), trusted("The id or number"))

    def copy_json(self) -> None:
        record = self.raw()
        text = None if record is None else json.dumps(redact_json(record[1]), ensure_ascii=False, default=str)
        self.copy_text(text, trusted("The record as JSON"))

    def copy_text(self, text: str | None, name: SafeText) -> None:
        """Copy a text, or report that there is none."""
        if text:
            copy(self._screen.app, text, name)
        else:
            notify(self._screen.app, trusted("There is nothing to copy here."))

    def refresh(self) -> None:
        if (target := self.refresh_target()) is None:
            everything = self._app_context.key("view.refresh_all")
            words = f"Nothing is selected; {everything} fetches everything."
            notify(self._screen.app, trusted(words), severity="warning")
            return
        SyncRequests(self._app_context.store).request_refresh(target)
        notify(self._screen.app, trusted("Reading this again."), timeout_seconds=2)
