"""`frontdesk workflows show`: the tree of a workflow, with its traffic of a period."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from frontdesk.cli.errors import INPUT_WRONG, REFUSED, CommandFailed, print_error
from frontdesk.cli.json_files import name_of
from frontdesk.cli.output import line_width, print_json, print_line, print_lines
from frontdesk.config.time_zone import local_zone
from frontdesk.workflows.cli.read import from_store, read_document, workflow_title, workflows_of
from frontdesk.workflows.counter_samples import count_period
from frontdesk.workflows.view.tree import (
    drop_off_heading,
    drop_off_row,
    no_drop_offs,
    period_words,
    totals,
    tree_heading,
    tree_row,
)
from frontdesk_flows.checks.run import has_graph
from frontdesk_flows.traffic import (
    NOT_LOADED,
    CountedPeriod,
    ExitTraffic,
    NodeTraffic,
    TrafficPeriod,
    TrafficState,
    WorkflowTraffic,
    find_drop_offs,
    measure_period,
    measure_traffic,
)
from frontdesk_flows.tree_layout import Outline, RowKind, TreeRow, outline_of
from frontdesk_lines.display_text import counted
from frontdesk_lines.glyphs import UNICODE
from frontdesk_lines.lines import Line, span

_MAX_DROP_OFFS = 10


@dataclass(frozen=True, slots=True)
class _Heat:
    """The traffic of a tree; `counters` is None for a file, whose counters are of an unknown time."""

    traffic: WorkflowTraffic
    counters: CountedPeriod | None = None

    @property
    def period(self) -> str:
        """What the counters are of; empty without counters."""
        if self.traffic.state not in (TrafficState.SHOWN, TrafficState.NOT_SAMPLED):
            return ""
        words = period_words(self.counters, time.time(), local_zone())
        return f"{words}{'' if self.counters else ' before the file was made'}"


def show_tree(
    workflow_id: str | None, path: str | None, *, traffic_period: TrafficPeriod | None, as_json: bool
) -> None:
    """Print the trees of a file's workflows, or of one that the platform has, with the traffic of a period."""
    for raw in _load_workflows(workflow_id, path):
        outline = outline_of(raw)
        heat = None
        if traffic_period is not None:
            heat = _measure(outline, traffic_period) if path is None else _measure_file(outline, path)
        if as_json:
            for number, row in enumerate(outline.rows):
                print_json(_row_json(outline, number, row, heat))
        else:
            _print_tree(raw, outline, heat)


def _measure(outline: Outline, period: TrafficPeriod) -> _Heat:
    raw = outline.document.raw
    if period is TrafficPeriod.RESET:
        return _Heat(measure_traffic(outline.document), CountedPeriod(period, raw.get("analytics")))
    workflow_id = str(raw.get("id"))
    counters = from_store(lambda store: count_period(store.reading, workflow_id, raw, period, store.clock()))
    return _Heat(measure_period(outline.document, counters), counters)


def _measure_file(outline: Outline, path: str) -> _Heat:
    traffic = measure_traffic(outline.document)
    if traffic.state is TrafficState.NOT_ON_PLAN:  # an export has no counters on any plan
        print_error(f"{name_of(path)} has no counters; to see traffic, use the workflow's id without --file")
        traffic = NOT_LOADED
    return _Heat(traffic)


def _load_workflows(workflow_id: str | None, path: str | None) -> list[Mapping[str, Any]]:
    if path is None:
        if workflow_id is None:
            raise CommandFailed(INPUT_WRONG, "name a workflow, or a file with --file FILE")
        return [read_document(workflow_id)]
    found = list(workflows_of(path, "show"))
    if workflow_id is not None:
        found = [each for each in found if each.get("id") == workflow_id]
        if not found:
            raise CommandFailed(REFUSED, f"no workflow {workflow_id} in {name_of(path)}")
    return found


def _print_tree(raw: Mapping[str, Any], outline: Outline, heat: _Heat | None) -> None:
    state = "" if "isActive" not in raw else " · active" if raw["isActive"] is True else " · off"
    print_line(workflow_title(raw) + state)
    if not has_graph(raw):
        print_line("It has no graph.")
        return
    print_lines(_tree_lines(outline, heat, line_width()))
    print_line("")


def _tree_lines(outline: Outline, heat: _Heat | None, width: int) -> Iterator[Line]:
    traffic = NOT_LOADED if heat is None else heat.traffic
    if heat is not None:
        yield totals(traffic, width, UNICODE)
        yield tree_heading(traffic, width, heat.period)
    for row in outline.rows:
        yield tree_row(row, traffic, width, UNICODE)
    if not traffic.nodes:
        return
    yield ()
    found = find_drop_offs(outline, traffic)
    if found:
        yield drop_off_heading(width)
        for each in found[:_MAX_DROP_OFFS]:
            yield drop_off_row(each, width, UNICODE)
    else:
        yield (span(no_drop_offs(traffic)),)
    if len(found) > _MAX_DROP_OFFS:
        yield (span(f"and {counted(len(found) - _MAX_DROP_OFFS, 'more drop-off')}"),)
    for anomaly in traffic.anomalies[:_MAX_DROP_OFFS]:
        yield (span(f"{UNICODE.warning} "), span(anomaly.words))
    if traffic.anomaly_count > _MAX_DROP_OFFS:
        yield (span(f"and {counted(traffic.anomaly_count - _MAX_DROP_OFFS, 'more counter')} that can't be right"),)


def _row_json(outline: Outline, number: int, row: TreeRow, heat: _Heat | None) -> dict[str, object]:
    node = row.node
    fields: dict[str, object] = {
        "row": number,
        "workflow": outline.document.raw.get("id"),
        "kind": row.kind,
        "depth": row.depth,
        "node": row.id or None,
        "type": None if node is None else node.type,
        "title": row.title if node is None else node.title,
        "of": row.parent_id or None,
        "leadsTo": row.target or None,
        "drawnAt": row.jump,
        "path": row.path or None,
        "runs": row.runs,
        "ends": row.ends,
    }
    if heat is None:
        return fields
    counters = heat.counters or CountedPeriod(TrafficPeriod.RESET, None)
    period = {"period": counters.period.name.lower(), "since": counters.since}
    return fields | {"traffic": _traffic_json(row, heat.traffic)} | period


def _traffic_json(row: TreeRow, traffic: WorkflowTraffic) -> dict[str, object] | str | None:
    if traffic.state is not TrafficState.SHOWN:
        return traffic.state
    if row.kind is RowKind.TRIGGER:
        counts = {"started": traffic.started, "completed": traffic.completed, "dropped": traffic.dropped}
        return counts | {"inProgress": traffic.in_progress, "conversion": traffic.conversion}
    if row.kind is RowKind.EXIT:
        way = traffic.exits.get(row.id, ExitTraffic())
        return {"taken": way.taken, "share": way.share}
    if row.kind is RowKind.NODE and row.runs:
        node = traffic.nodes.get(row.id, NodeTraffic())
        counts = {"entered": node.entered, "completed": node.completed, "dropped": node.dropped}
        return counts | {"waiting": node.still_here, "participation": node.participation}
    return None
