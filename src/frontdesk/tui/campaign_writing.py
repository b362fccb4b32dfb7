"""The key that writes a report: asks for a file's name, and writes the shift report and what was marked.

Called by the campaigns screen and the comparing screen.
"""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from textual.app import App

from frontdesk.desk.campaign_courses import fault_of_path, read_course, report, samples_as_csv, write_new
from frontdesk.text import Shown, own, show_line
from frontdesk.tui.dialogs.dialog import Closed, Done
from frontdesk.tui.dialogs.prompt import PromptDialog
from frontdesk.tui.room import Room
from frontdesk.tui.safe import notify

SHIFT_SECONDS = 12 * 3_600.0
SAMPLES_SUFFIX = "-samples.csv"


def ask_where(app: App[Any], room: Room, campaign_ids: Sequence[str], *, marked: bool) -> None:
    """Ask where to, and write the report of these campaigns.

    Args:
        marked: a person chose them: all of each is reported, whenever it ran, and its samples are
            exported beside the report.
    """
    folder = room.desk.folder / "reports"
    default = str(folder / f"shift-{datetime.fromtimestamp(room.clock(), room.zone):%Y-%m-%d-%H%M}.md")
    folder.mkdir(mode=0o700, exist_ok=True)
    says = (
        "The shift report as Markdown, and the samples of these beside it."
        if marked
        else ("The report of the last 12 hours as Markdown.")
    )
    dialog = PromptDialog(own("Write a report"), says=own(says), placeholder="path", fault=_fault, draft=default)

    def answered(answer: Done[str] | Closed | None) -> None:
        if isinstance(answer, Done):
            _write(app, room, campaign_ids, Path(answer.value).expanduser(), marked=marked)

    app.push_screen(dialog, answered)


def _fault(typed: str) -> Shown | None:
    words = fault_of_path(typed)
    return own(words) if words else None


def _write(app: App[Any], room: Room, campaign_ids: Sequence[str], path: Path, *, marked: bool) -> None:
    now, reads = room.clock(), room.desk.reads
    courses = [read_course(reads, each, now) for each in reads.campaigns() if each.campaign_id in campaign_ids]
    since = now - SHIFT_SECONDS
    if marked:
        since = min((each.record.started_at or since for each in courses), default=since)
    text = report(reads, courses, profile=room.desk.profile.name, since=since, now=now, zone=room.zone)
    written = [path]
    try:
        write_new(path, text)
        if marked:
            beside = path.with_name(f"{path.stem}{SAMPLES_SUFFIX}")
            write_new(beside, samples_as_csv(courses))
            written.append(beside)
    except OSError as error:
        notify(app, show_line(f"It can't be written: {error.strerror or error}"), severity="error")
        return
    notify(app, show_line(f"Written: {' and '.join(map(str, written))}", 400), timeout_seconds=10)
