"""Rows, facts and findings of workflows, and the orders and filter of their list.

Counters that the plan lacks, or that weren't read yet, are not shown as zeros.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from frontdesk.config.facts import GAP, At, Fact, RecordKind, text
from frontdesk.config.render_context import RenderContext
from frontdesk.storage.records import DocumentRecord
from frontdesk.text.percentages import percent
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.models import WorkflowCounters, WorkflowRecord
from frontdesk_api import json_access
from frontdesk_api.contract.ids import WorkflowId
from frontdesk_flows.checks.models import Finding, Rule, Severity
from frontdesk_flows.checks.run import count_findings
from frontdesk_flows.traffic import Loss
from frontdesk_lines.cell_width import cell_width
from frontdesk_lines.display_text import NOTHING, SafeText, counted, show_line, trusted, wrap
from frontdesk_lines.glyphs import Glyphs
from frontdesk_lines.lines import Line, Role, Span, fit, paragraph, span, width_of

FINDINGS, LOSS = "findings", "loss"
"""The orders of workflows by what the check finds, and by the customers they have dropped."""

NOT_CHECKED = "not checked"
NO_WORKFLOW = "No workflow selected."

HEIGHT = 3
"""Lines of a row."""

_NAME_LIMIT, _ID_LIMIT, _WORD_LIMIT = 80, 80, 40
LABEL_CELLS = 11
_MIN_NAME = 8
"""Cells of a name beside its id."""


@dataclass(frozen=True, slots=True)
class Problems:
    """The number of findings by severity, and the customers that were lost; None if that isn't known."""

    errors: int = 0
    warnings: int = 0
    loss: Loss | None = None


def problems_of(findings: Sequence[Finding], loss: Loss | None = None) -> Problems:
    counts = count_findings(findings)
    return Problems(counts[Severity.ERROR], counts[Severity.WARNING], loss)


def workflows(
    line_label: Callable[[str], str] = str, problems: Callable[[WorkflowId], Problems | None] = lambda _: None
) -> RecordKind[WorkflowRecord]:
    """Return what a workflow is as a record.

    Args:
        line_label: finds the label of a line, for the filter.
        problems: finds the problems of one by its id; None for one that wasn't checked.
    """

    def errors_first(record: WorkflowRecord) -> float | None:
        found = problems(record.workflow_id)
        return None if found is None else found.errors * 1e6 + found.warnings

    def lost(record: WorkflowRecord) -> float | None:
        found = problems(record.workflow_id)
        return None if found is None or found.loss is None else found.loss.customers

    return RecordKind(
        name="workflow",
        plural="Workflows",
        key=lambda each: each.workflow_id,
        label=_name_of,
        read=workflow_store.listing,
        orders={
            "name": None,
            LOSS: lost,
            "executions": lambda each: each.executions,
            "last run": lambda each: each.last_execution,
            "last changed": lambda each: each.last_modified,
            FINDINGS: errors_first,
        },
        facts=lambda _db, record, view: (each for each in about(record, view) if each.label != "check"),
        search_text=lambda each: _search_text(each, problems(each.workflow_id), line_label(each.line_id)),
    )


def row(
    record: WorkflowRecord,
    found: Problems | None,
    width: int,
    view: RenderContext,
    pending: SafeText = NOTHING,
    *,
    with_loss: bool = False,
) -> tuple[Line, Line, Line]:
    """Name and state; trigger, channel and line with runs or pending changes; the id, problems and last run.

    With the loss, below the name are the dropped customers, and where most of them were.
    """
    runs = [] if record.executions is None else [span(counted(record.executions, "run"), Role.DIM)]
    right = [pending_mark(pending, view.glyphs)] if pending else runs
    if with_loss:
        dropped, where = loss_words(record, found)
        return _name_line(record, width, view.glyphs), fit(dropped, width, right), fit(where, width)
    below: list[Span] = []
    for words in _trigger_parts(record, view):
        part = [*([span(view.glyphs.separator, Role.DIM)] if below else []), span(words)]
        if below and width_of([*below, *part, *right]) >= width:
            break
        below += part
    state = [*_problem_signs(found, view.glyphs, is_stale=record.is_stale)]
    if record.last_execution is not None:
        last = view.stamp(record.last_execution)
        state += [*([span("  ")] if state else []), span(f"ran {last}", Role.DIM)]
    identity = [span(show_line(record.workflow_id, _ID_LIMIT), Role.DIM)]
    return (_name_line(record, width, view.glyphs), fit(below, width, right), fit(identity, width, state))


def loss_words(record: WorkflowRecord, found: Problems | None) -> tuple[list[Span], list[Span]]:
    """Return how many customers were dropped, as which share of those who started, and where most of them were."""
    loss = None if found is None else found.loss
    if loss is None:
        why = "nothing counted since the reset" if record.started == 0 else "no counters yet"
        why = why if record.analytics is WorkflowCounters.SHOWN else record.analytics
        return [span("? dropped", Role.DIM)], [span(why, Role.DIM)]
    of = "" if loss.share is None else f" ({percent(loss.share)})"
    least = "at least " if loss.is_least else ""
    head = [span(f"{least}{loss.customers:,} dropped{of}", Role.WARN if loss.customers else Role.DIM)]
    if not loss.customers:
        return head, []
    if loss.node is None:
        return head, [span("most at: ?", Role.DIM)]
    title = Span(show_line(loss.node.title.strip() or loss.node.id, _NAME_LIMIT))
    return head, [span("most at ", Role.DIM), title, span(f": {loss.at_node:,}", Role.DIM)]


def _name_line(record: WorkflowRecord, width: int, glyphs: Glyphs) -> Line:
    """Return name and state; between them the end of the id, if others have the name too."""
    right = _state_mark(record, glyphs)
    if record.has_namesake:
        identity = show_line(record.workflow_id, _ID_LIMIT)
        room = max(2, width - width_of(right) - _MIN_NAME - 3)
        letters = identity.text if cell_width(identity.text) <= room else "…" + identity.text[1 - room :]
        right = [span(SafeText(letters, identity.was_sanitized), Role.ACCENT), span("  "), *right]
    return fit([span(show_line(_name_of(record), _NAME_LIMIT), Role.STRONG)], width, right)


def about(
    record: WorkflowRecord,
    view: RenderContext,
    findings: Sequence[Finding] | None = None,
    anomalies: Sequence[SafeText] = (),
    pending: SafeText = NOTHING,
    skipped_rules: Sequence[Rule] = (),
) -> Iterator[Fact]:
    """Tell all that is known of a workflow.

    Args:
        findings: None if it wasn't checked yet.
        anomalies: counters that can't be right.
        pending: unconfirmed changes in words.
        skipped_rules: the rules for which too little is known of the account.
    """
    yield from _names(_name_of(record), record.workflow_id)
    if pending:
        yield text(trusted(f"{pending_mark(pending, view.glyphs).text.text}, not confirmed yet"), Role.PENDING)
    checked = NOT_LOADED if record.read_at is None else "not checked yet"
    if findings is not None:
        checked = (findings_summary(findings) or NOTHING_FOUND) + (" (older version)" if record.is_stale else "")
    yield GAP
    yield Fact("check", trusted(checked))
    if findings is not None and skipped_rules:
        yield text(trusted("not checked: " + ", ".join(rule.title for rule in skipped_rules)), Role.DIM)
    yield from finding_facts(findings or ())
    yield GAP
    yield Fact("active", trusted("unknown") if record.is_active is None else record.is_active)
    yield Fact("channel", record.platform)
    yield Fact("line", view.line(record.line_id, 400))
    yield Fact("trigger", record.trigger_type)
    yield Fact("folder", record.folder_id)
    yield Fact("runs", trusted(_count_words(record.executions)))
    yield Fact("last run", At.known(record.last_execution))
    yield Fact("created", At.known(record.created))
    yield Fact("changed", At.known(record.last_modified))
    yield Fact("loaded", At.known(record.read_at) or trusted("not fully loaded yet"))
    if record.is_stale:
        yield Fact("", trusted("changed since then, reloading soon"))
    yield Fact("notes", json_access.text(record.raw.get("notes")))
    yield GAP
    if record.analytics is WorkflowCounters.SHOWN:
        yield Fact("started", trusted(_count_words(record.started)))
        for label, value in (("completed", record.completed), ("dropped", record.dropped)):
            share = f"  {percent(value / record.started)}" if value is not None and record.started else ""
            yield Fact(label, (span(_count_words(value)), *([span(share)] if share else [])))
    else:
        yield Fact("traffic", trusted(record.analytics), Role.DIM)
    for anomaly in anomalies:
        yield text(SafeText(f"looks wrong: {anomaly.text}", anomaly.was_sanitized), Role.WARN)


def _count_words(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,.0f}"


def pending_mark(pending: SafeText, glyphs: Glyphs) -> Span:
    return span(f"{glyphs.pending} {pending.text}", Role.PENDING)


def _name_of(record: WorkflowRecord) -> str:
    return record.name or record.workflow_id


def _state_mark(record: WorkflowRecord, glyphs: Glyphs) -> list[Span]:
    """Return the state; of the usual one only the sign is coloured, so that a finding draws the eye."""
    if record.is_active is None:
        return [span("active?", Role.DIM)]
    if record.is_active:
        return [span(glyphs.on, Role.GOOD), span(" active", Role.DIM)]
    return [span(f"{glyphs.off} off", Role.DIM)]


def _trigger_parts(record: WorkflowRecord, view: RenderContext) -> list[SafeText]:
    trigger = show_line(record.trigger_type, _WORD_LIMIT) or trusted("trigger unknown")
    parts = (trigger, show_line(record.platform, _WORD_LIMIT), view.line(record.line_id, _WORD_LIMIT))
    return [each for each in parts if each]


def _problem_signs(found: Problems | None, glyphs: Glyphs, *, is_stale: bool) -> list[Span]:
    """Return the findings; without any there is no sign, so a workflow that isn't checked has one."""
    if found is None or (is_stale and not (found.errors or found.warnings)):
        return [span(NOT_CHECKED, Role.DIM)]
    if found.errors:
        return [span(f"{glyphs.warning} {counted(found.errors, 'error')}", Role.BAD)]
    if found.warnings:
        return [span(counted(found.warnings, "warning"), Role.WARN)]
    return []


def _search_text(record: WorkflowRecord, found: Problems | None, line: str) -> str:
    state = {True: "active", False: "off", None: ""}[record.is_active]
    signs = [] if found is None else ["errors"] * bool(found.errors) + ["warnings"] * bool(found.warnings)
    values = (record.name, record.workflow_id, record.platform, line, record.line_id, record.trigger_type)
    return " ".join((*values, record.folder_id, state, *signs))


def _names(name: str, workflow_id: str) -> Iterator[Fact]:
    yield text(show_line(name, _NAME_LIMIT), Role.STRONG, "name")
    yield text(show_line(workflow_id, _ID_LIMIT), Role.DIM, "id")


NOT_LOADED = "not checked: graph not loaded"
NOTHING_FOUND = "no findings"

_ROLES = {Severity.ERROR: Role.BAD, Severity.WARNING: Role.WARN}
_PATH_LIMIT = 120


def findings_summary(findings: Sequence[Finding]) -> str:
    """Return the number of findings of each severity: `1 error, 2 warnings`; empty without any."""
    return ", ".join(counted(count, severity) for severity, count in count_findings(findings).items() if count)


def finding_facts(findings: Iterable[Finding]) -> Iterator[Fact]:
    for each in findings:
        yield GAP
        yield text(_head(each))
        yield text(each.words)
        yield text(trusted(each.what_to_do), Role.DIM)


def row_height(findings: Iterable[Finding], width: int) -> int:
    """Return the lines of the tallest `finding_row`, and a blank one below."""
    advice = {each.what_to_do for each in findings}  # a few for each rule
    return 4 + max((len(wrap(trusted(each), max(1, width))) for each in advice), default=1)


def finding_row(finding: Finding, width: int) -> tuple[Line, ...]:
    """Return a finding in a list: its rule and place, up to two lines of the problem, and the advice."""
    wrong = wrap(finding.words, max(1, width))
    # What has no room in two lines is cut with a sign; where it leads to, it is told whole.
    second = SafeText(" ".join(each.text for each in wrong[1:]), finding.words.was_sanitized)
    return (
        fit(_head(finding), width),
        fit([span(wrong[0] if wrong else NOTHING)], width),
        *([fit([span(second)], width)] if second else []),
        *paragraph(trusted(finding.what_to_do), max(1, width), Role.DIM),
    )


def _head(finding: Finding) -> Line:
    head = span(f"{finding.severity} {finding.rule_id}", _ROLES[finding.severity])
    return head, span("  "), span(show_line(finding.path, _PATH_LIMIT), Role.DIM)


def listed_facts(record: DocumentRecord, view: RenderContext) -> Iterator[Fact]:
    """Tell the listed fields of a workflow."""
    raw = record.raw
    yield from _names(record.name or record.document_id, record.document_id)
    yield GAP
    is_active = raw.get("isActive")
    yield Fact("active", is_active if isinstance(is_active, bool) else trusted("unknown"))
    yield Fact("trigger", raw.get("triggerType"))
    yield Fact("channel", raw.get("platformType"))
    yield Fact("line", view.line(raw.get("associatedToBusinessId"), 200))
    yield Fact("folder", raw.get("folderId"))
    yield Fact("created", At.known(json_access.number(raw.get("created"))))
    yield Fact("changed", At.known(json_access.number(raw.get("lastModified"))))
