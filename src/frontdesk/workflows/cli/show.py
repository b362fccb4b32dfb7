"""`frontdesk workflows show`: the tree of a workflow, with its traffic where that is asked for.

`workflows` calls it. A file is read without asking anybody; an id alone is looked up in the full list.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from frontdesk.cli.errors import INPUT_WRONG, REFUSED, CommandFailed
from frontdesk.cli.json_files import name_of
from frontdesk.cli.output import line_width, print_json, print_line, print_lines
from frontdesk.cli.session import talk
from frontdesk.text.glyphs import UNICODE
from frontdesk.text.lines import Line, span
from frontdesk.workflows.checks.run import has_graph
from frontdesk.workflows.cli.files import workflows_of
from frontdesk.workflows.cli.read import read_stored
from frontdesk.workflows.tree.drop_offs import losses
from frontdesk.workflows.tree.layout import Outline, RowKind, TreeRow, outline_of
from frontdesk.workflows.tree.traffic import NOT_LOADED, ExitHeat, Heat, NodeHeat, TrafficState, heat_of
from frontdesk.workflows.view.drop_offs import loss_heading, loss_row, no_losses
from frontdesk.workflows.view.tree import totals, tree_heading, tree_row

_WORST = 10
"""So many places where customers are lost stand below the tree."""


def show(workflow_id: str | None, path: str | None, *, with_heat: bool, as_json: bool) -> None:
    """Prints the trees of the workflows of a file, or of one that the platform has.

    Raises:
        CommandFailed: the input is wrong (2), or there is no such workflow (1).
    """
    for raw in _chosen(workflow_id, path):
        outline = outline_of(raw)
        heat = heat_of(outline.document) if with_heat else NOT_LOADED
        if as_json:
            for number, row in enumerate(outline.rows):
                print_json(_told(outline, number, row, heat if with_heat else None))
        else:
            _print_tree(raw, outline, heat, with_heat=with_heat)


def _chosen(workflow_id: str | None, path: str | None) -> list[Mapping[str, Any]]:
    if path is None:
        if workflow_id is None:
            raise CommandFailed(INPUT_WRONG, "name a workflow, or a file with --file FILE")
        return [talk(lambda client: read_stored(client, workflow_id)).found(workflow_id)]
    found = list(workflows_of(path, "show"))
    if workflow_id is not None:
        found = [each for each in found if each.get("id") == workflow_id]
        if not found:
            raise CommandFailed(REFUSED, f"no workflow {workflow_id} in {name_of(path)}")
    return found


def _print_tree(raw: Mapping[str, Any], outline: Outline, heat: Heat, *, with_heat: bool) -> None:
    names = [each for each in (raw.get("id"), raw.get("name")) if isinstance(each, str) and each]
    state = "" if "isActive" not in raw else " · active" if raw["isActive"] is True else " · off"
    print_line((" · ".join(names) or "A workflow without id and name") + state)
    if not has_graph(raw):
        print_line("It has no graph.")
        return
    print_lines(_lines(outline, heat, line_width(), with_heat=with_heat))
    print_line("")


def _lines(outline: Outline, heat: Heat, width: int, *, with_heat: bool) -> Iterator[Line]:
    if with_heat:
        yield totals(heat, width, UNICODE)
        yield tree_heading(heat, width)
    for row in outline.rows:
        yield tree_row(row, heat, width, UNICODE)
    if not with_heat or not heat.nodes:
        return
    yield ()
    found = losses(outline, heat)
    if found:
        yield loss_heading(width)
        for each in found[:_WORST]:
            yield loss_row(each, width, UNICODE)
    else:
        yield (span(no_losses(heat)),)
    if len(found) > _WORST:
        yield (span(f"and {len(found) - _WORST:,} more places where fewer are lost"),)
    for doubt in heat.doubts[:_WORST]:
        yield (span(f"{UNICODE.warning} "), span(doubt.words))
    if heat.doubt_count > _WORST:
        yield (span(f"and {heat.doubt_count - _WORST:,} more counters in doubt"),)


def _told(outline: Outline, number: int, row: TreeRow, heat: Heat | None) -> dict[str, object]:
    """A row for programs; what isn't known there is null."""
    node = row.node
    told: dict[str, object] = {
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
    return told if heat is None else told | {"traffic": _traffic(row, heat)}


def _traffic(row: TreeRow, heat: Heat) -> dict[str, object] | str | None:
    if heat.stand is not TrafficState.SHOWN:
        return heat.stand
    if row.kind is RowKind.TRIGGER:
        counted = {"started": heat.started, "completed": heat.completed, "dropped": heat.dropped}
        return counted | {"inProgress": heat.in_progress, "conversion": heat.conversion}
    if row.kind is RowKind.EXIT:
        way = heat.exits.get(row.id, ExitHeat())
        return {"taken": way.taken, "share": way.share}
    if row.kind is RowKind.NODE and row.runs:
        here = heat.nodes.get(row.id, NodeHeat())
        counted = {"entered": here.entered, "completed": here.completed, "dropped": here.dropped}
        return counted | {"participation": here.participation}
    return None
