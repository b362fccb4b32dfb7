"""The detail of a row of a workflow's tree: description, traffic, ways and data as JSON."""

from collections.abc import Iterator, Sequence
from itertools import islice

from frontdesk.api.contract.values import MILLIS_FROM
from frontdesk.config.render_context import RenderContext
from frontdesk.text import relative_time
from frontdesk.text.display_text import SafeText, body_lines, counted, show_line, trusted
from frontdesk.text.lines import EMPTY, Line, Role, Span, crop, fit, json_lines, paragraph, span, width_of
from frontdesk.workflow_runtime.graph import CHANNELS, TIMEOUT
from frontdesk.workflows.analysis import WorkflowAnalysis
from frontdesk.workflows.checks.models import Finding
from frontdesk.workflows.document import Node
from frontdesk.workflows.models import WorkflowRecord
from frontdesk.workflows.node_types import MAX_LISTED, NODE_TYPES, duration, listed, plain
from frontdesk.workflows.traffic import ExitTraffic, NodeTraffic, TrafficState, WorkflowTraffic
from frontdesk.workflows.tree_layout import Outline, RowKind, TreeRow, follows_own_target
from frontdesk.workflows.view.row import facts, finding_lines
from frontdesk.workflows.view.tree import count_words, share_words

_LABEL = 10
_LIMIT = 200

_TEXTS = ("message", "prompt", "instructions", "body", "text", "caption", "description")
"""Fields of running text, which is shown with its own line breaks."""

_MESSAGE_TYPES = {
    "custom": "its own text",
    "template": "a template, which can open a conversation",
    "ai": "the AI agent's reply",
}

_Fact = tuple[str, Sequence[Span]]


def node_detail(
    outline: Outline,
    at: int,
    traffic: WorkflowTraffic,
    width: int,
    view: RenderContext,
    findings: Sequence[Finding] = (),
) -> tuple[Line, ...]:
    """Return a row as lines of `width` cells; a reference shows its target."""
    row = outline.rows[at]
    node = row.node
    if node is None:
        return (*_reference_lines(row, width), *finding_lines(findings, width))
    lines = [*paragraph(show_line(node.title.strip() or "(no title)"), width, Role.STRONG)]
    if words := _row_description(row):
        lines += paragraph(trusted(words), width, Role.DIM)
    lines += [*finding_lines(findings, width), EMPTY]
    for label, value in (*_identity_facts(node, row), *_traffic_facts(row, traffic, view)):
        lines += _fact(label, value, width)
    for anomaly in traffic.anomalies:
        # What is about no node that is drawn is told where it all begins.
        about = anomaly.node_id if anomaly.node_id in outline.row_of else ""
        if about == node.id if about else row.kind is RowKind.TRIGGER:
            lines += paragraph(anomaly.words, width, Role.WARN)
    lines += _data_lines(node, width, view)
    lines += _way_lines(outline, node, traffic, width, view)
    lines += _source_lines(outline, node, width, view)
    lines += [EMPTY, _heading("Raw data", width), *json_lines(node.data, width)]
    return tuple(lines)


def row_detail(
    analysis: WorkflowAnalysis,
    key: str,
    record: WorkflowRecord | None,
    pending: SafeText,
    width: int,
    view: RenderContext,
) -> tuple[Line, ...]:
    """Return a row with its findings; the trigger's also with all that is known of the workflow."""
    position = analysis.position_of[key]
    findings = analysis.found_at.get(position, ())
    lines = [*node_detail(analysis.outline, position, analysis.traffic, width, view, findings)]
    if position == 0 and record is not None:
        lines += [EMPTY, *workflow_detail(record, analysis, pending, width, view)]
    return tuple(lines)


def workflow_detail(
    record: WorkflowRecord,
    analysis: WorkflowAnalysis | None,
    pending: SafeText,
    width: int,
    view: RenderContext,
) -> tuple[Line, ...]:
    """Return a workflow, with the results of its own analysis."""
    if analysis is None or analysis.workflow_id != record.workflow_id:
        return facts(record, width, view, None, pending=pending)
    anomalies = [each.words for each in analysis.traffic.anomalies]
    return facts(record, width, view, analysis.findings, anomalies, pending, analysis.skipped_rules)


def _reference_lines(row: TreeRow, width: int) -> Iterator[Line]:
    if row.target:
        yield from paragraph(show_line(row.target, _LIMIT), width, Role.STRONG)
    yield from paragraph(trusted(row.title), width, Role.BAD if row.kind is RowKind.MISSING else Role.STRONG)
    if row.kind is RowKind.MISSING and row.target:
        yield from paragraph(trusted("This node is missing; customers who reach it drop out."), width, Role.DIM)


_KIND_WORDS = {
    RowKind.LOOP: "leads back to this node",
    RowKind.JOIN: "continues at this node, shown elsewhere in the tree",
    RowKind.NEVER: "never followed: {}",
    RowKind.WAY: "continues directly: {}",
    RowKind.CANVAS: "only on the canvas: never runs",
    RowKind.NAMELESS: "no id: nothing can lead to it",
}


def _row_description(row: TreeRow) -> str:
    if row.kind in _KIND_WORDS:
        return _KIND_WORDS[row.kind].format(row.title)
    if row.title:
        return f"never runs: {row.title}"
    if row.kind is RowKind.TRIGGER:
        return "starts the workflow"
    is_note = row.node is not None and row.node.is_note
    return "" if row.runs or is_note else "can't be reached from the trigger"


def _identity_facts(node: Node, row: TreeRow) -> Iterator[_Fact]:
    yield "id", [Span(show_line(node.id, _LIMIT))]
    kind = [Span(show_line(node.type or "(no type)", 60))]
    if node.category:
        kind.append(Span(show_line(f"  {node.category}", 60), Role.DIM))
    yield "type", kind
    if node.type in NODE_TYPES and (description := NODE_TYPES[node.type].description):
        yield "is", [span(description)]
    if row.kind is RowKind.EXIT:
        yield "exit of", [Span(show_line(row.parent_id, _LIMIT))]
    yield "path", [Span(show_line(node.path, _LIMIT), Role.DIM)]


def _traffic_facts(row: TreeRow, traffic: WorkflowTraffic, view: RenderContext) -> Iterator[_Fact]:
    if traffic.state is not TrafficState.SHOWN:
        yield "traffic", [span(traffic.state, Role.DIM)]
        return
    if row.kind is RowKind.TRIGGER:
        yield "started", [span(count_words(traffic.started))]
        share = _share_spans(traffic.conversion, "of those who started")
        yield "completed", [span(count_words(traffic.completed)), *share]
        yield "dropped", [span(count_words(traffic.dropped))]
        if not traffic.is_period:
            yield "running", [span(count_words(traffic.in_progress))]
        if traffic.updated_at is not None:
            # Seconds or milliseconds, by magnitude (docs/interface.md, Values seen).
            at = traffic.updated_at / 1_000 if traffic.updated_at >= MILLIS_FROM else traffic.updated_at
            yield "as of", [span(relative_time.stamp(at, view.now, view.zone))]
        return
    node = row.node
    if node is None:
        return
    if row.kind is RowKind.EXIT:
        way = traffic.exits.get(node.id, ExitTraffic())
        yield "taken", [span(count_words(way.taken)), *_share_spans(way.share, "of those who entered")]
        if way.clicks is not None and way.traversals is not None and way.clicks != way.traversals:
            yield "continued", [span(count_words(way.traversals))]
        return
    found = traffic.nodes.get(node.id, NodeTraffic())
    if found == NodeTraffic():
        yield "traffic", [span("not counted here", Role.DIM)]
        return
    yield (
        "entered",
        [span(count_words(found.entered)), *_share_spans(found.participation, "of those who started")],
    )
    yield "completed", [span(count_words(found.completed))]
    loud = Role.WARN if found.dropped else Role.TEXT
    yield (
        "dropped",
        [span(count_words(found.dropped), loud), *_share_spans(found.dropped_share, "of those who entered")],
    )
    if found.still_here:
        yield "waiting here", [span(count_words(found.still_here))]


def _share_spans(value: float | None, of: str) -> list[Span]:
    return [] if value is None else [span(f"  {share_words(value)} {of}", Role.DIM)]


def _data_lines(node: Node, width: int, view: RenderContext) -> list[Line]:
    described: set[str] = set()
    facts = list(_known_facts(node, view, described))
    for name, value in islice(node.data.items(), MAX_LISTED * 4):
        if name not in described and name not in _TEXTS and isinstance(value, str | int | float) and value != "":
            facts.append((name[: _LABEL * 2], [Span(show_line(plain(value), _LIMIT))]))
    lines = [line for label, value in facts for line in _fact(label, value, width)]
    for name in _TEXTS:
        text = node.data.get(name)
        if isinstance(text, str) and text.strip():
            lines += [EMPTY, fit([span(name, Role.DIM)], width)]
            lines += [part for each in body_lines(text, 4_000, 60) for part in paragraph(each, width)]
    return [EMPTY, _heading("What it does", width), *lines] if lines else []


def _known_facts(node: Node, view: RenderContext, described: set[str]) -> Iterator[_Fact]:
    """Yield the known fields of a node's type; adds their names to `described`."""
    data = node.data
    if node.category == "Trigger" or node.type.endswith("Trigger"):
        described |= {"eventType", "keywords"}
        yield "starts on", [Span(show_line(plain(data.get("eventType")) or "no event set", _LIMIT))]
        words = listed(data.get("keywords") or "")
        yield "keywords", [Span(show_line(words, _LIMIT)) if words else span("any", Role.DIM)]
    if node.type in CHANNELS or "messageType" in data:
        described |= {"messageType", "waitForUserResponse"}
        sort = plain(data.get("messageType"))
        yield "sends", [Span(show_line(_MESSAGE_TYPES.get(sort, sort or "a message"), 80))]
        if template := plain(data.get("templateName")):
            described.add("templateName")
            yield "template", [Span(show_line(template, _LIMIT))]
    if node.waits_for_answer:
        described.add("waitForUserResponse")
        patience = next((duration(each.data) for each in node.subs if each.type == TIMEOUT), "")
        yield "waits", [span("for an answer" + (f", up to {patience}" if patience else ""), Role.PENDING)]
    known = NODE_TYPES.get(node.type)
    for label, name, words in (
        known.facts(node.data, view) if known is not None and known.facts is not None else ()
    ):
        described |= {name} if name else {"left", "operator", "right", "days", "hours", "minutes", "seconds"}
        if words:
            yield label, [Span(show_line(words, _LIMIT))]


def _way_lines(
    outline: Outline, node: Node, traffic: WorkflowTraffic, width: int, view: RenderContext
) -> list[Line]:
    steps = outline.document.steps
    ways: list[tuple[SafeText, str, ExitTraffic]] = []
    for each in node.subs[:MAX_LISTED]:
        title = show_line(each.title.strip() or each.id, 60)
        ways.append((title, each.targets[0].id if each.targets else "", traffic.exits.get(each.id, ExitTraffic())))
    if follows_own_target(node) and (node.targets or node.subs):
        onward = traffic.nodes.get(node.id, NodeTraffic()).onward
        ways.append((trusted("then"), node.targets[0].id if node.targets else "", ExitTraffic(onward)))
    lines: list[Line] = []
    for title, target, exit_traffic in ways:
        step = steps.get(target)
        leads = show_line((step.title.strip() if step is not None else "") or target, 60)
        right = [span(f"{count_words(exit_traffic.taken)}  {share_words(exit_traffic.share):>6}".rstrip())]
        right = right if traffic.state is TrafficState.SHOWN and exit_traffic.taken is not None else []
        left = [Span(title, Role.ACCENT)]
        target_spans = [span(view.glyphs.becomes, Role.DIM), Span(leads) if target else span("the end", Role.DIM)]
        if width_of([*left, *target_spans, *right]) < width:
            lines.append(fit([*left, *target_spans], width, right))
        else:
            lines += [fit(left, width, right), fit(target_spans, width)]
    if len(node.subs) > MAX_LISTED:
        lines.append(fit([span(f"and {counted(len(node.subs) - MAX_LISTED, 'more exit')}", Role.DIM)], width))
    return [EMPTY, _heading("Leads to", width), *lines] if lines else []


def _source_lines(outline: Outline, node: Node, width: int, view: RenderContext) -> list[Line]:
    found = outline.sources.get(node.id, ()) if node.id in outline.document.steps else ()
    lines: list[Line] = []
    for each in found[:MAX_LISTED]:
        parts = [Span(show_line(each.title.strip() or each.id or "(no title)", 60))]
        above = outline.document.steps.get(each.parent_id or "")
        if above is not None:
            name = show_line(above.title.strip() or above.id, 60)
            parts = [Span(name), span(view.glyphs.becomes, Role.DIM), *parts]
        lines.append(fit(parts, width))
    if len(found) > MAX_LISTED:
        lines.append(fit([span(f"and {len(found) - MAX_LISTED:,} more", Role.DIM)], width))
    return [EMPTY, _heading("Comes from", width), *lines] if lines else []


def _fact(label: str, value: Sequence[Span], width: int) -> list[Line]:
    room = max(1, width - _LABEL - 1)
    if len(value) == 1:
        rows = paragraph(value[0].text, room, value[0].role)
    elif width_of(value) <= room:
        rows = [fit(value, room)]
    else:
        rows = [line for part in value for line in paragraph(_strip(part.text), room, part.role)]
    head = (*fit([Span(show_line(label), Role.DIM)], _LABEL), span(" "))
    blank = (span(" " * (_LABEL + 1)),)
    return [crop((*(blank if at else head), *row), width) for at, row in enumerate(rows)]


def _strip(shown: SafeText) -> SafeText:
    return SafeText(shown.text.strip(), shown.was_sanitized)


def _heading(words: str, width: int) -> Line:
    return fit([span(words, Role.ACCENT)], width)
