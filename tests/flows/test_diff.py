"""What differs between two documents: structure by ids, said once, and nothing where nothing differs."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.checks.any_document import IDS, JUNK, broken_documents, places
from flows.checks.sample_workflows import Json, draw, drawn, exit_of, node, parent, sub, whole
from frontdesk_flows.diff import (
    DRAWN,
    GRAPH,
    REQUEST_ONLY,
    SERVER_MANAGED,
    DifferenceKind,
    DifferencePart,
    Differences,
    differences,
)


def after(change: Callable[[Json], object]) -> Differences:
    """What differs once the whole workflow was changed."""
    changed = whole()
    change(changed)
    return differences(whole(), changed)


def told(found: Differences) -> list[tuple[Any, ...]]:
    return [(each.kind, each.part, each.node_id, each.field, each.before, each.after) for each in found.changes]


def test_the_same_differs_nowhere() -> None:
    assert not differences(whole(), whole())
    assert differences(whole(), whole()) == Differences(())


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (lambda w: w.update(name="X"), (DifferenceKind.CHANGED, DifferencePart.WORKFLOW, "", "name", "W", "X")),
        (
            lambda w: w.update(settings={"timeoutMinutes": 5}),
            (DifferenceKind.CHANGED, DifferencePart.WORKFLOW, "", "settings", None, {"timeoutMinutes": 5}),
        ),
        (
            lambda w: w["trigger"]["data"].update(keywords=["hi"]),
            (DifferenceKind.CHANGED, DifferencePart.TRIGGER, "start", "data.keywords", [], ["hi"]),
        ),
        (
            lambda w: parent(w, "ask")["data"].update(message="Anew"),
            (DifferenceKind.CHANGED, DifferencePart.NODE, "ask", "data.message", "Is it here?", "Anew"),
        ),
        (
            lambda w: exit_of(w, "yes").update(title="Sure"),
            (DifferenceKind.CHANGED, DifferencePart.EXIT, "yes", "title", "Take yes", "Sure"),
        ),
        (
            lambda w: (exit_of(w, "yes")["connections"].update(out=["pause"]), draw(w)),
            (DifferenceKind.REWIRED, DifferencePart.EXIT, "yes", "connections.out", ["thank"], ["pause"]),
        ),
        (
            lambda w: w["parsedData"].reverse(),
            (
                DifferenceKind.REORDERED,
                DifferencePart.WORKFLOW,
                "",
                "parsedData",
                [each["id"] for each in whole()["parsedData"]],
                [each["id"] for each in reversed(whole()["parsedData"])],
            ),
        ),
    ],
)
def test_one_change_is_one_difference(change: Callable[[Json], object], wanted: tuple[Any, ...]) -> None:
    assert told(after(change)) == [wanted]


def test_an_added_node_is_told_once_with_its_exits_and_not_again_of_the_canvas() -> None:
    def add(made: Json) -> None:
        made["parsedData"].append(node("new", "whatsapp", "ask", sub("n1", "thank")))
        draw(made)

    found = after(add)
    assert [(each.kind, each.part, each.node_id) for each in found.changes] == [
        (DifferenceKind.ADDED, DifferencePart.NODE, "new"),
        (DifferenceKind.ADDED, DifferencePart.EXIT, "n1"),
    ]
    assert "subNodes" not in found.changes[0].after
    changed = whole()
    add(changed)
    back = differences(changed, whole())
    assert [(each.kind, each.node_id) for each in back.changes] == [
        (DifferenceKind.REMOVED, "new"),
        (DifferenceKind.REMOVED, "n1"),
    ]


def test_an_exit_under_another_node_was_moved_whatever_else_was_done_to_it() -> None:
    def move(made: Json) -> None:
        moved = exit_of(made, "yes")
        parent(made, "ask")["subNodes"].remove(moved)
        moved["parentId"] = "pause"
        parent(made, "pause")["subNodes"].append(moved)
        draw(made)

    assert told(after(move)) == [(DifferenceKind.MOVED, DifferencePart.EXIT, "yes", "", "ask", "pause")]


def test_exits_in_another_order_are_said_once() -> None:
    found = after(lambda made: parent(made, "ask")["subNodes"].reverse())
    assert [(each.kind, each.node_id, each.field) for each in found.changes] == [
        (DifferenceKind.REORDERED, "ask", "subNodes")
    ]


def test_what_is_drawn_elsewhere_is_counted() -> None:
    def drag(made: Json) -> None:
        drawn(made, "ask")["position"] = {"x": 5, "y": 7}
        made["data"]["edges"].reverse()
        drawn(made, "yes").update(draggable=False, extent="parent")

    assert after(drag) == Differences((), 2)


def test_what_only_the_canvas_has_is_told_of_it() -> None:
    def scribble(made: Json) -> None:
        made["data"]["nodes"].append({"id": "memo", "type": "stickyNote", "data": {"title": "Remember"}})
        made["data"]["edges"].append({"id": "e", "source": "ask", "target": "memo"})
        drawn(made, "ask")["type"] = "web"

    assert [(each.kind, each.part, each.node_id, each.title) for each in after(scribble).changes] == [
        (DifferenceKind.CHANGED, DifferencePart.DRAWN_NODE, "ask", ""),
        (DifferenceKind.ADDED, DifferencePart.DRAWN_NODE, "memo", "Remember"),
        (DifferenceKind.ADDED, DifferencePart.LINE, "ask->memo", ""),
    ]


def test_what_the_platform_manages_and_the_editor_flags_is_no_difference() -> None:
    assert not after(
        lambda made: made.update(lastModified=9, executionCount=5, analytics=None, selected=True, autoLayout=True)
    )


def scrambled(value: Any) -> Any:
    """The same with its fields in another order, nulls where nothing is, and whole numbers with a fraction."""
    if isinstance(value, dict):
        return {name: scrambled(value[name]) for name in reversed(value)} | {"\x00nothing": None}
    if isinstance(value, list):
        return [scrambled(each) for each in value]
    return float(value) if type(value) is int and abs(value) < 2**50 else value


@pytest.mark.slow
@settings(max_examples=100)
@given(raw=broken_documents())
def test_whatever_it_holds_the_same_structure_differs_nowhere(raw: Json) -> None:
    assert not differences(raw, copy.deepcopy(raw))
    if raw == raw:  # a document with NaN in it is no JSON
        again = scrambled(raw)
        assert not differences(raw, again), told(differences(raw, again))
        assert not differences(again, raw)


def bare(value: Any) -> Any:
    """A value of which nulls are gone and true is no 1, to be compared with ==."""
    if isinstance(value, dict):
        return {name: bare(each) for name, each in value.items() if each is not None}
    if isinstance(value, list):
        return [bare(each) for each in value]
    return ("flag", value) if isinstance(value, bool) else value


def ran(raw: Any) -> Any:
    """A node with its exits."""
    if not isinstance(raw, dict):
        return bare(raw)
    own = bare({name: value for name, value in raw.items() if name not in ("subNodes", "connections")})
    ways = raw.get("connections") or ({} if raw.get("connections") in (None, {}) else raw["connections"])
    ways = {name: to for name, to in ways.items() if to != []} if isinstance(ways, dict) else ways
    return own, bare(ways), listed(raw.get("subNodes"))


def listed(value: Any) -> Any:
    """Nodes in their order; none is as good as an empty list."""
    return (
        [ran(each) for each in value] if isinstance(value, list) else [] if value is None else ("?", bare(value))
    )


def shown(value: Any, of: Callable[[Any], Any]) -> Any:
    """What is on the canvas, in no order but that of what can't be told apart."""
    if not isinstance(value, list):
        return {} if value is None else ("?", bare(value))
    found: dict[Any, list[Any]] = {}
    for each in value:
        fields = (
            {name: part for name, part in each.items() if name not in DRAWN} if isinstance(each, dict) else each
        )
        found.setdefault(of(each), []).append(bare(fields))
    return found


def text(raw: Any, name: str) -> str:
    value = raw.get(name) if isinstance(raw, dict) else None
    return value if isinstance(value, str) else ""


def structure(raw: Json) -> Any:
    """What two documents of the same structure share, made another way than `differences` does."""
    trigger, canvas = raw.get("trigger"), raw.get("data")
    left = {*SERVER_MANAGED, *REQUEST_ONLY, *GRAPH, "id", "selected"}
    if isinstance(canvas, dict) or canvas is None:
        canvas = canvas or {}
        rest = bare({name: part for name, part in canvas.items() if name not in ("nodes", "edges", "viewport")})
        nodes = shown(canvas.get("nodes"), lambda each: text(each, "id"))
        ends = ("source", "target", "sourceHandle", "targetHandle")
        lines = shown(canvas.get("edges"), lambda each: tuple(text(each, end) for end in ends))
        canvas = (rest, nodes, lines)
    return (
        bare({name: value for name, value in raw.items() if name not in left}),
        ran(trigger) if isinstance(trigger, dict) else bare(trigger),
        listed(raw.get("parsedData")),
        canvas,
    )


@pytest.mark.slow
@settings(max_examples=150)
@given(data=st.data(), before=broken_documents())
def test_a_difference_is_told_exactly_where_the_structure_differs(data: st.DataObject, before: Json) -> None:
    after = copy.deepcopy(before)
    for _ in range(data.draw(st.integers(0, 2))):
        if not after:
            break
        at, key = data.draw(st.sampled_from(places(after)))
        change = data.draw(st.sampled_from(["junk", "id", "swap", "drop", "repeat"]))
        if change == "drop":
            del at[key]
        elif change == "repeat" and isinstance(at, list):
            at.append(copy.deepcopy(at[key]))
        elif change == "swap" and isinstance(at, list):
            at.reverse()
        else:
            at[key] = data.draw(IDS if change == "id" else JUNK)
    if before != before or after != after:
        return
    assert bool(differences(before, after)) == (structure(before) != structure(after))
    assert bool(differences(after, before)) == bool(differences(before, after))
