"""What differs between two documents of a workflow: structure, not text.

`request_body` shows with it what an update would change, the screens and the command line what somebody else did.
Nodes are known by their ids, and another order of them is said once; what is only drawn elsewhere is counted,
and the order in which things are drawn is nothing. The canvas repeats the graph: what is told of the graph isn't
told of the canvas again.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from frontdesk.workflows.diff.canvas import canvas_differences
from frontdesk.workflows.diff.graph import graph_differences
from frontdesk.workflows.diff.json_values import leaves, step
from frontdesk.workflows.diff.models import (
    EDITOR_FLAG,
    GRAPH,
    REQUEST_ONLY,
    SERVER_MANAGED,
    Difference,
    DifferenceKind,
    DifferencePart,
    Differences,
)

__all__ = ["Difference", "DifferenceKind", "DifferencePart", "Differences", "differences"]

_NO_FIELDS = frozenset(("id", *SERVER_MANAGED, *REQUEST_ONLY, EDITOR_FLAG, *GRAPH))


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Differences:
    """What differs between two whole documents, whatever they hold.

    What the platform manages, and flags of the editor, are no difference; neither are counters.
    """
    graph = list(graph_differences(before, after))
    canvas, drawn_elsewhere = canvas_differences(before, after, graph)
    return Differences((*_fields(before, after), *graph, *canvas), drawn_elsewhere)


def _fields(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Difference]:
    for name in dict.fromkeys((*before, *after)):
        if name in _NO_FIELDS:
            continue
        for leaf in leaves(before.get(name), after.get(name), step("", name)):
            yield Difference(DifferenceKind.CHANGED, DifferencePart.WORKFLOW, "", "", *leaf)
