"""Reviews as lines, before a workflow is created, updated or switched, or its analytics are reset."""

from collections.abc import Iterator, Sequence

from frontdesk.config.facts import lines
from frontdesk.config.render_context import RenderContext
from frontdesk.storage import json_access
from frontdesk.storage.records import Json
from frontdesk.text import relative_time
from frontdesk.text.display_text import SafeText, body_lines, counted, show_line, trusted
from frontdesk.text.lines import EMPTY, Line, Role, heading, labelled, signed, wrapped
from frontdesk.workflows.checks.models import Finding, Severity
from frontdesk.workflows.checks.run import count_findings
from frontdesk.workflows.diff_models import Differences
from frontdesk.workflows.models import WorkflowRecord
from frontdesk.workflows.pending_payloads import BY_HAND
from frontdesk.workflows.update_plan import CountersBefore, Creation, Switch, Update, UpdateConflict
from frontdesk.workflows.view.diff import difference_lines, difference_summary
from frontdesk.workflows.view.row import LABEL_CELLS, finding_facts, findings_summary

WHOLE_LETTERS, WHOLE_LINES = 400_000, 10_000
"""Limits of a body on the screen; it may be megabytes."""

_MEANS = {
    True: "it starts automatically for every customer who matches its trigger.",
    False: "it doesn't start for anyone.",
}

NO_PLAN = "This plan has no analytics, which doesn't mean the counters are zero."
RESTORE_NOTE = "It stays on or off, and in its folder, as it is now."
THEIR_CHANGES = "What they have changed since your version"
YOUR_CHANGES = "What your version would change now"


def errors_in(findings: Sequence[Finding]) -> int:
    """Count the findings that keep a workflow from running or opening."""
    return count_findings(findings)[Severity.ERROR]


def whole_text(text: str) -> tuple[SafeText, ...]:
    """Return a body as lines, bounded."""
    return body_lines(text, WHOLE_LETTERS, WHOLE_LINES)


def stored_parts_words(names: Sequence[str], source: str = "file") -> SafeText:
    """Name what a file or version lacks and what stays as it is stored."""
    return show_line(f"Not in the {source}, so left unchanged: {', '.join(names)}.")


def omitted_words(names: Sequence[str]) -> SafeText:
    """Name the fields of a file that aren't sent."""
    return show_line(f"Not sent, because the platform sets these itself: {', '.join(names)}.")


def snapshot_cause(cause: str) -> str:
    """Word why a snapshot was saved."""
    return "saved manually" if cause == BY_HAND else cause


def creation_lines(
    workflow_id: str, folder: str, made: Creation, width: int, view: RenderContext
) -> Iterator[Line]:
    """Yield the workflow that would be stored, and what speaks against it."""
    body, width = made.body, max(1, width)
    yield from labelled("Creates", show_line(body.get("name") or "(no name)"), width, Role.STRONG)
    yield from labelled("Id", show_line(workflow_id), width)
    yield from labelled("Folder", show_line(folder), width)
    yield from _workflow_lines(body, width, view)
    yield from labelled("Graph", _graph_words(made), width)
    yield EMPTY
    words = f"It is created switched off; press {view.key('workflow.switch', 'a')} on it to switch it on."
    yield from wrapped(trusted(words), width, Role.TEXT)
    if made.wants_active:
        yield from _warning("It is on in the file, but a new workflow is always switched off.", width, view)
    yield from _omitted_lines(made.omitted_fields, width)
    yield EMPTY
    yield from _finding_section(made.findings, width, view, is_checked=True)


def update_lines(name: str, update: Update, width: int, view: RenderContext) -> Iterator[Line]:
    """Yield the differences of an update, and what speaks against it."""
    width = max(1, width)
    yield from labelled("Updates", show_line(name), width, Role.STRONG)
    yield from labelled("Changes", difference_summary(update.differences), width)
    if update.as_of is not None:
        as_of = relative_time.when(update.as_of, view.now, view.zone)
        words = f"the workflow as of {as_of}. It is loaded again before sending; if it has changed, you decide."
        yield from labelled("Against", trusted(words), width)
    warnings = []
    if update.switches is not None:
        warnings.append(file_switches(update.switches))
    if update.is_now_active:
        warnings.append("It is currently on: customers in it get the changes at their next step.")
    if update.source == "version":
        yield from _note(RESTORE_NOTE, width)
    if update.is_older:
        warnings.append("The file is based on an earlier version: later changes that aren't in it will be undone.")
    if warnings or update.stored_parts or update.omitted_fields:
        yield EMPTY
    for words in warnings:
        yield from _warning(words, width, view)
    if update.switches is False:
        yield from _affected_customers(update, width, view)
    if update.stored_parts:
        yield from wrapped(stored_parts_words(update.stored_parts, update.source), width, Role.DIM)
    yield from _omitted_lines(update.omitted_fields, width)
    yield EMPTY
    yield from _finding_section(update.findings, width, view, is_checked=update.is_checked)
    yield EMPTY
    yield from _difference_section("What would change", update.differences, width, view)


def switch_lines(
    record: WorkflowRecord, switch: Switch, *, on: bool, width: int, view: RenderContext
) -> Iterator[Line]:
    """Yield the consequences of a switch for customers, and what speaks against it."""
    width = max(1, width)
    yield from labelled("Name", show_line(record.name or record.workflow_id), width, Role.STRONG)
    yield from _workflow_lines(switch.base, width, view)
    yield EMPTY
    yield from wrapped(trusted(f"From then on {_MEANS[on]}"), width, Role.TEXT)
    if not on:
        yield from _affected_customers(switch, width, view)
    yield from _note("Only this is sent; the graph doesn't change.", width)
    if on:
        yield EMPTY
        yield from _finding_section(switch.findings, width, view, is_checked=True)


def reset_lines(record: WorkflowRecord, lost: CountersBefore, width: int, view: RenderContext) -> Iterator[Line]:
    """Yield the counters that a reset loses, and the snapshot that is kept."""
    width = max(1, width)
    yield from labelled("Name", show_line(record.name or record.workflow_id), width, Role.STRONG)
    yield from labelled("Id", show_line(record.workflow_id), width)
    yield EMPTY
    yield heading("What is deleted on the platform", width, view.glyphs)
    if not lost.has_any:
        yield from _warning(NO_PLAN, width, view)
        words = "Resetting needs the Expert AI plan; without it, the platform rejects the change."
        yield from _note(words, width)
    else:
        counts = ((lost.started, "started"), (lost.completed, "completed"), (lost.dropped, "dropped"))
        words = ", ".join(f"{_count(count)} {what}" for count, what in counts)
        yield from labelled("Totals", trusted(words), width)
        parts = [counted(lost.nodes, "node"), counted(lost.edges, "edge"), counted(lost.buttons, "button")]
        yield from labelled("Also", trusted(f"counters of {', '.join(parts[:2])} and {parts[2]}"), width)
    yield EMPTY
    if not lost.has_any:
        words = "The workflow is loaded again just before the reset; any counters are saved here in a snapshot."
        yield from _note(words, width)
        return
    compare = view.key("workflow.snapshots", "=")
    words = f"A snapshot is saved here just before the reset. Press {compare} to compare it with later counters."
    yield from _note(words, width)
    yield from _note(
        "The graph and the on/off state don't change. The counters can't be restored on the platform.",
        width,
    )


def conflict_lines(name: str, conflict: UpdateConflict, width: int, view: RenderContext) -> Iterator[Line]:
    """Yield what somebody else changed since, and what sending yours would change."""
    width = max(1, width)
    yield from labelled("Name", show_line(name), width, Role.STRONG)
    if conflict.theirs_did is None:
        yield from labelled(
            "Theirs", trusted("unknown: the earlier version isn't stored, so only your changes are shown"), width
        )
    else:
        yield from labelled("Theirs", difference_summary(conflict.theirs_did), width)
    yield from labelled("Yours", difference_summary(conflict.mine_does), width)
    yield EMPTY
    if conflict.theirs_did is not None:
        yield from _difference_section(THEIR_CHANGES, conflict.theirs_did, width, view)
        yield EMPTY
    yield from _difference_section(YOUR_CHANGES, conflict.mine_does, width, view)


def file_switches(on: bool) -> str:
    """Return the consequences for customers of a file that switches the workflow on or off."""
    return f"The file switches it {'on' if on else 'off'}: from then on {_MEANS[on]}"


def _affected_customers(switch: Switch | Update, width: int, view: RenderContext) -> Iterator[Line]:
    if switch.in_progress:
        count = counted(switch.in_progress, "customer is", "customers are")
        words = f"{count} still in it; the platform doesn't say what happens to them."
        yield from _warning(words, width, view)
    for campaign in switch.scheduled:
        waits = show_line(f'The campaign "{campaign}" is scheduled to start it.')
        yield from _warning(waits, width, view)


def _note(words: str, width: int) -> Sequence[Line]:
    return wrapped(trusted(words), width, Role.DIM)


def _warning(words: str | SafeText, width: int, view: RenderContext) -> Iterator[Line]:
    text = trusted(words) if isinstance(words, str) else words
    return signed(view.glyphs.warning, text, width, Role.WARN)


def _count(value: float | None) -> str:
    return "an unknown number" if value is None else f"{value:,.0f}"


def _difference_section(title: str, found: Differences, width: int, view: RenderContext) -> Iterator[Line]:
    yield heading(title, width, view.glyphs)
    lines = difference_lines(found, width)
    yield from lines or wrapped(difference_summary(found), width, Role.DIM)


def _workflow_lines(document: Json, width: int, view: RenderContext) -> Iterator[Line]:
    line = json_access.text(document.get("associatedToBusinessId"))
    yield from labelled("Channel", show_line(document.get("platformType") or "not set", 40), width)
    yield from labelled("Line", view.line(line, 80) if line else trusted("not set"), width)
    trigger = json_access.mapping(json_access.mapping(document.get("trigger")).get("data"))
    event = document.get("triggerType") or trigger.get("eventType") or "not set"
    keywords = ", ".join(json_access.texts(trigger.get("keywords"))[:20])
    words = f"{show_line(event, 60).text}: {keywords}" if keywords else event
    yield from labelled("Trigger", show_line(words, 200), width)


def _graph_words(made: Creation) -> SafeText:
    if not made.nodes:
        return trusted("none: an empty workflow; add one with an update")
    return trusted(f"{counted(made.nodes, 'node')} with {counted(made.exits, 'exit')}")


def _omitted_lines(names: Sequence[str], width: int) -> Iterator[Line]:
    if names:
        yield from wrapped(omitted_words(names), width, Role.DIM)


def _finding_section(
    findings: Sequence[Finding], width: int, view: RenderContext, *, is_checked: bool
) -> Iterator[Line]:
    if not is_checked:
        yield heading("Not checked: no graph is sent", width, view.glyphs)
        return
    summary = findings_summary(findings)
    yield heading(f"Findings: {summary}" if summary else "No findings", width, view.glyphs)
    yield from lines(finding_facts(findings), width, view, LABEL_CELLS)
