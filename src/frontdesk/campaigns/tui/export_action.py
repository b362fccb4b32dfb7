"""The key that writes a report: the shift report, and the samples of marked campaigns."""

import contextlib
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from textual.app import App

from frontdesk.campaigns.reports import SHIFT_SECONDS, Shift, write_report
from frontdesk.config.paths import path_problem
from frontdesk.storage.sql import ReadConnection
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.prompt import PromptDialog, ask_and_save
from frontdesk_lines.display_text import SafeText, show_line, trusted


def ask_report_path(
    app: App[Any],
    app_context: AppContext,
    campaign_ids: Sequence[str],
    *,
    marked: bool,
    written: Callable[[], object] = lambda: None,
) -> None:
    """Ask for a file's name, and write the report of these campaigns.

    Args:
        marked: a person chose them: all of each is reported, and the samples are exported too.
    """
    folder = app_context.store.folder / "reports"
    moment = datetime.fromtimestamp(app_context.clock(), app_context.zone)
    with contextlib.suppress(OSError):  # that the folder isn't there is said when its name is taken
        folder.mkdir(mode=0o700, exist_ok=True)
    note = "A shift report for the last 12 hours, as Markdown."
    if marked:
        note = "A shift report as Markdown, and the counters over time as CSV in a second file."
    dialog = PromptDialog(
        trusted("Write a report"),
        note=trusted(note),
        placeholder="path",
        fault=path_problem,
        draft=str(folder / f"shift-{moment:%Y-%m-%d-%H%M}.md"),
    )

    def write(db: ReadConnection, path: Path) -> list[Path]:
        store, now = app_context.store, app_context.clock()
        shift = Shift(store.profile.name, now - SHIFT_SECONDS, now, app_context.zone)
        return write_report(db, campaign_ids, path, shift, marked=marked)

    def saved(_: Path, paths: list[Path]) -> SafeText:
        written()
        return show_line(f"Saved {' and '.join(map(str, paths))}", 400)

    ask_and_save(app, app_context, dialog, write, saved)
