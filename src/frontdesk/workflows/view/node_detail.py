"""The detail of a row of a workflow's tree: description, traffic, ways and data as JSON."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice

from frontdesk.config.facts import GAP, At, Fact, heading, text
from frontdesk.config.render_context import RenderContext
from frontdesk.workflows.analysis import WorkflowAnalysis
from frontdesk.workflows.models import WorkflowRecord
from frontdesk.workflows.view.row import LABEL_CELLS, about, finding_facts
from frontdesk.workflows.view.tree import count_words, share_words
from frontdesk_api.contract.ids import AgentId, TagId
from frontdesk_api.contract.values import MILLIS_FROM
from frontdesk_flows.checks.models import Finding
from frontdesk_flows.document import MAX_LISTED, NODE_TYPES, Data, Node, duration, is_trigger, listed, plain
from frontdesk_flows.graph import CHANNELS, TIMEOUT
from frontdesk_flows.traffic import ExitTraffic, NodeTraffic, TrafficState, WorkflowTraffic
from frontdesk_flows.tree_layout import Outline, RowKind, TreeRow, follows_own_target
from frontdesk_lines.display_text import SafeText, counted, show_line, trusted
from frontdesk_lines.lines import Line, Role, Span, fit, json_lines, span, width_of

_LIMIT = 200

_TEXTS = ("message", "prompt", "instructions", "body", "text", "caption", "description")
"""Fields of running text, which is shown with its own line breaks."""

_MESSAGE_TYPES = {
    "custom": "its own text",
    "template": "a template, which can open a conversation",
    "ai": "the AI agent's reply",
}


def node_facts(
    outline: Outline, at: int, traffic: WorkflowTraffic, view: RenderContext, findings: Sequence[Finding] = ()
) -> Iterator[Fact]:
    """Tell all that is known of a row; of a reference its target."""
    row = outline.rows[at]
    node = row.node
    if node is None:
        yield from _reference_facts(row)
        yield from finding_facts(findings)
        return
    yield text(show_line(node.title.strip() or "(no title)"), Role.STRONG)
    yield text(trusted(_row_description(row)), Role.DIM)
    yield from finding_facts(findings)
    yield GAP
    yield from _identity_facts(node, row)
    yield from _traffic_facts(row, traffic)
    for anomaly in traffic.anomalies:
        # What is about no node that is drawn is told where it all begins.
        owner = anomaly.node_id if anomaly.node_id in outline.row_of else ""
        if owner == node.id if owner else row.kind is RowKind.TRIGGER:
            yield text(anomaly.words, Role.WARN)
    yield from _section("What it does", _data_facts(node, view))
    yield from _section("Leads to", _way_facts(outline, node, traffic, view))
    yield from _section("Comes from", _source_facts(outline, node, view))
    yield heading("Raw data")
    yield Fact(draw=partial(json_lines, node.data))


def row_facts(
    analysis: WorkflowAnalysis, key: str, record: WorkflowRecord | None, pending: SafeText, view: RenderContext
) -> Iterator[Fact]:
    """Tell a row with its findings; of the trigger also all that is known of the workflow."""
    position = analysis.position_of[key]
    findings = analysis.found_at.get(position, ())
    yield from node_facts(analysis.outline, position, analysis.traffic, view, findings)
    if position == 0 and record is not None:
        yield GAP
        yield from workflow_facts(record, analysis, pending, view)


def workflow_facts(
    record: WorkflowRecord, analysis: WorkflowAnalysis | None, pending: SafeText, view: RenderContext
) -> Iterator[Fact]:
    if analysis is None or analysis.workflow_id != record.workflow_id:
        return about(record, view, pending=pending)
    anomalies = [each.words for each in analysis.traffic.anomalies]
    return about(record, view, analysis.findings, anomalies, pending, analysis.skipped_rules)


def _section(title: str, facts: Iterable[Fact]) -> Iterator[Fact]:
    found = [*facts]
    yield from (heading(title), *found) if found else ()


def _reference_facts(row: TreeRow) -> Iterator[Fact]:
    yield text(show_line(row.target, _LIMIT), Role.STRONG)
    yield text(trusted(row.title), Role.BAD if row.kind is RowKind.MISSING else Role.STRONG)
    if row.kind is RowKind.MISSING and row.target:
        yield text(trusted("This node is missing; customers who reach it drop out."), Role.DIM)


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


def _identity_facts(node: Node, row: TreeRow) -> Iterator[Fact]:
    yield Fact("id", show_line(node.id, _LIMIT))
    kind = Span(show_line(node.type or "(no type)", 60))
    yield Fact("type", (kind, *([Span(show_line(f"  {node.category}", 60), Role.DIM)] if node.category else ())))
    if node.type in NODE_TYPES:
        yield Fact("is", trusted(NODE_TYPES[node.type].description))
    if row.kind is RowKind.EXIT:
        yield Fact("exit of", show_line(row.parent_id, _LIMIT))
    yield Fact("path", show_line(node.path, _LIMIT), Role.DIM)


def _traffic_facts(row: TreeRow, traffic: WorkflowTraffic) -> Iterator[Fact]:
    if traffic.state is not TrafficState.SHOWN:
        yield Fact("traffic", trusted(traffic.state), Role.DIM)
        return
    if row.kind is RowKind.TRIGGER:
        yield _count("started", traffic.started)
        yield _count("completed", traffic.completed, traffic.conversion, "of those who started")
        yield _count("dropped", traffic.dropped)
        if not traffic.is_period:
            yield _count("running", traffic.in_progress)
        if traffic.updated_at is not None:
            # Seconds or milliseconds, by magnitude (docs/interface.md, Values seen).
            at = traffic.updated_at / 1_000 if traffic.updated_at >= MILLIS_FROM else traffic.updated_at
            yield Fact("as of", At(at))
        return
    node = row.node
    if node is None:
        return
    if row.kind is RowKind.EXIT:
        way = traffic.exits.get(node.id, ExitTraffic())
        yield _count("taken", way.taken, way.share, "of those who entered")
        if way.clicks is not None and way.traversals is not None and way.clicks != way.traversals:
            yield _count("continued", way.traversals)
        return
    found = traffic.nodes.get(node.id, NodeTraffic())
    if found == NodeTraffic():
        yield Fact("traffic", trusted("not counted here"), Role.DIM)
        return
    yield _count("entered", found.entered, found.participation, "of those who started")
    yield _count("completed", found.completed)
    loud = Role.WARN if found.dropped else Role.TEXT
    yield _count("dropped", found.dropped, found.dropped_share, "of those who entered", loud)
    if found.still_here != 0:
        yield _count("waiting", found.still_here)


def _count(
    label: str, value: int | None, share: float | None = None, of: str = "", role: Role = Role.TEXT
) -> Fact:
    shared = () if share is None else (span(f"  {share_words(share)} {of}", Role.DIM),)
    return Fact(label, (span(count_words(value), role), *shared))


def _data_facts(node: Node, view: RenderContext) -> Iterator[Fact]:
    described: set[str] = set()
    yield from _known_facts(node, view, described)
    for name, value in islice(node.data.items(), MAX_LISTED * 4):
        if name not in described and name not in _TEXTS and isinstance(value, str | int | float) and value != "":
            yield Fact(show_line(name[: LABEL_CELLS * 2]), show_line(plain(value), _LIMIT))
    for name in _TEXTS:
        words = node.data.get(name)
        if isinstance(words, str) and words.strip():
            yield GAP
            yield text(trusted(name), Role.DIM)
            yield text(words)


def _known_facts(node: Node, view: RenderContext, described: set[str]) -> Iterator[Fact]:
    """Yield the known fields of a node's type; adds their names to `described`."""
    data = node.data
    if is_trigger(node):
        described |= {"eventType", "keywords"}
        yield Fact("starts on", show_line(plain(data.get("eventType")) or "no event set", _LIMIT))
        words = listed(data.get("keywords") or "")
        yield Fact("keywords", (Span(show_line(words, _LIMIT)) if words else span("any", Role.DIM),))
    if node.type in CHANNELS or "messageType" in data:
        described |= {"messageType", "waitForUserResponse"}
        sort = plain(data.get("messageType"))
        yield Fact("sends", show_line(_MESSAGE_TYPES.get(sort, sort or "a message"), 80))
        if template := plain(data.get("templateName")):
            described.add("templateName")
            yield Fact("template", show_line(template, _LIMIT))
    if node.waits_for_answer:
        described.add("waitForUserResponse")
        patience = next((duration(each.data) for each in node.subs if each.type == TIMEOUT), "")
        yield Fact("waits", trusted("for an answer" + (f", up to {patience}" if patience else "")), Role.PENDING)
    known = NODE_TYPES.get(node.type)
    for label, name, words in known.facts(node.data) if known is not None and known.facts is not None else ():
        described |= {name} if name else {"left", "operator", "right", "days", "hours", "minutes", "seconds"}
        yield Fact(label, show_line(_named(name, data, view) or words, _LIMIT))


def _named(name: str, data: Data, view: RenderContext) -> str:
    """Return the names of the tags or the person in a field; empty if it has none."""
    value = data.get(name)
    if name == "tagIds" and isinstance(value, list):
        tags = (view.names.tag(TagId(each)).title if isinstance(each, str) else plain(each) for each in value)
        return ", ".join(islice(tags, MAX_LISTED))
    return view.person(AgentId(value)).text if name == "agentId" and isinstance(value, str) and value else ""


def _way_facts(outline: Outline, node: Node, traffic: WorkflowTraffic, view: RenderContext) -> Iterator[Fact]:
    ways: list[tuple[SafeText, str, ExitTraffic]] = []
    for each in node.subs[:MAX_LISTED]:
        title = show_line(each.title.strip() or each.id, 60)
        ways.append((title, each.targets[0].id if each.targets else "", traffic.exits.get(each.id, ExitTraffic())))
    if follows_own_target(node) and (node.targets or node.subs):
        onward = traffic.nodes.get(node.id, NodeTraffic()).onward
        ways.append((trusted("then"), node.targets[0].id if node.targets else "", ExitTraffic(onward)))
    for title, target, exit_traffic in ways:
        step = outline.document.steps.get(target)
        leads = show_line((step.title.strip() if step is not None else "") or target, 60)
        right = [span(f"{count_words(exit_traffic.taken)}  {share_words(exit_traffic.share):>6}".rstrip())]
        right = right if traffic.state is TrafficState.SHOWN and exit_traffic.taken is not None else []
        left = Span(title, Role.ACCENT)
        onto = (span(view.glyphs.becomes, Role.DIM), Span(leads) if target else span("the end", Role.DIM))
        yield Fact(draw=partial(_way_lines, left, onto, right))
    if len(node.subs) > MAX_LISTED:
        yield text(trusted(f"and {counted(len(node.subs) - MAX_LISTED, 'more exit')}"), Role.DIM)


def _way_lines(left: Span, onto: Line, right: Sequence[Span], width: int) -> list[Line]:
    if width_of([left, *onto, *right]) < width:
        return [fit([left, *onto], width, right)]
    return [fit([left], width, right), fit(onto, width)]


def _source_facts(outline: Outline, node: Node, view: RenderContext) -> Iterator[Fact]:
    found = outline.sources.get(node.id, ()) if node.id in outline.document.steps else ()
    for each in found[:MAX_LISTED]:
        parts = [Span(show_line(each.title.strip() or each.id or "(no title)", 60))]
        above = outline.document.steps.get(each.parent_id or "")
        if above is not None:
            name = show_line(above.title.strip() or above.id, 60)
            parts = [Span(name), span(view.glyphs.becomes, Role.DIM), *parts]
        yield text(tuple(parts))
    if len(found) > MAX_LISTED:
        yield text(trusted(f"and {len(found) - MAX_LISTED:,} more"), Role.DIM)
