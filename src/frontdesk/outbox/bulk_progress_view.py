"""Bulk actions in words: progress, cost, and the effect on each task."""

from collections.abc import Mapping
from typing import Any

from frontdesk.api.contract.ids import AgentId
from frontdesk.config.render_context import RenderContext
from frontdesk.outbox.bulk import REQUESTS, BulkRun
from frontdesk.outbox.overlay import ASSIGNED, merge_people
from frontdesk.storage.records import TaskRecord
from frontdesk.text import relative_time
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.text.lines import Line, Role, Span, span

_DOING = {"Status": "setting", "Due": "setting due", "Assign": "assigning", "Tag": "tagging", "Edit": "editing"}
_COMPLETED = "Status: Completed"
_UNDO = "Undo: "

NEARLY = 0.9
"""A run that used so much of a minute's budget is waiting for it."""


def doing(label: str) -> str:
    """A change's label as progress: "completing", "undoing", "assigning"."""
    if label.startswith(_UNDO):
        return "undoing"
    if label == _COMPLETED:
        return "completing"
    return _DOING.get(label.partition(":")[0], "changing")


def progress(run: BulkRun, per_minute: int, *, stops: str) -> Line:
    """A run's progress: "completing 40 of 115 · 2 failed · waits for the request budget · x stops".

    Args:
        per_minute: the request budget.
        stops: the key that stops it here; empty for none.
    """
    words = [span(f"{doing(run.label)} {run.settled:,} of {run.total:,}", Role.PENDING)]
    if run.failed:
        words.append(span(f" · {run.failed:,} failed", Role.BAD))
    if run.sent_lately * REQUESTS[run.kind] >= per_minute * NEARLY:
        words.append(span(" · waits for the request budget", Role.DIM))
    if stops:
        words += [span(" · ", Role.DIM), span(stops, Role.ACCENT), span(" stops", Role.DIM)]
    return tuple(words)


def cost(requests: int, seconds: float, per_minute: int) -> str:
    """The cost of sending: "Takes about 2 minutes (230 requests at 120 a minute)"."""
    word = "request" if requests == 1 else "requests"
    limit = f" at {per_minute:,} a minute" if requests > per_minute else ""
    return f"Takes {about(seconds)} ({requests:,} {word}{limit})"


def about(seconds: float) -> str:
    """A rounded duration for people."""
    if seconds < 8:
        return "a few seconds"
    if seconds < 45:
        return f"about {round(seconds / 10) * 10 or 10} seconds"
    if seconds < 90:
        return "about a minute"
    if seconds < 5_400:
        return f"about {round(seconds / 60)} minutes"
    return f"about {round(seconds / 3_600)} hours"


def named(deed: str, names: list[SafeText], count: int, word: str) -> SafeText:
    """A dialog's title: a single record by its name, or how many and the first names.

    Args:
        deed: the dialog's action.
        names: of the first few of `count`.
        word: the records' plural.
    """
    listed = ", ".join(name.text for name in names if name.text)
    if count == 1:
        return trusted(f"{deed} · {listed}" if listed else deed)
    more = ", …" if count > len(names) else ""
    return trusted(f"{deed} · {count:,} {word}" + (f": {listed}{more}" if listed else ""))


def becomes(task: TaskRecord, fields: Mapping[str, Any], view: RenderContext) -> Line:
    """The effect of fields on one task: "Open → Completed"; of people, those added and removed."""
    arrow = span(view.glyphs.becomes, Role.DIM)
    if "statusCase" in fields:
        statuses = view.names.status
        return (_dim(statuses(task.status)), arrow, _strong(statuses(fields["statusCase"])))
    if "dueDate" in fields:
        return (_dim(_due(task.due_at, view)), arrow, _strong(_due(fields["dueDate"] or None, view)))
    if ASSIGNED in fields:
        after = [AgentId(each) for each in merge_people(list(task.assigned), fields[ASSIGNED])]
        person = view.names.person
        come = [Span(show_line(f"+{person(each)}", 30), Role.GOOD) for each in after if each not in task.assigned]
        gone = [Span(show_line(f"-{person(each)}", 30), Role.BAD) for each in task.assigned if each not in after]
        return tuple(part for each in (*come, *gone) for part in (span("  "), each))[1:]
    return ()


def _due(at: float | None, view: RenderContext) -> str:
    return "no due date" if at is None else relative_time.when(at, view.now, view.zone)


def _dim(text: str) -> Span:
    return Span(show_line(text, 30), Role.DIM)


def _strong(text: str) -> Span:
    return Span(show_line(text, 30), Role.STRONG)
