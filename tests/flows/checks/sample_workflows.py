"""Workflows to check: one that is whole, and short ways to break it."""

import copy
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]
Change = Callable[[Json], object]


def node(identity: str, kind: str = "whatsapp", to: str | None = None, *subs: Json, **data: Any) -> Json:
    """A parent node."""
    for each in subs:
        each["parentId"] = identity
    return {
        "id": identity,
        "type": kind,
        "category": "Action",
        "title": f"The {identity}",
        "data": data,
        "connections": {"out": [to] if to else []},
        "subNodes": list(subs),
    }


def sub(identity: str, to: str | None = None, kind: str = "answer", title: str = "") -> Json:
    """A sub-node; its parent names itself in it."""
    return {
        "id": identity,
        "type": kind,
        "category": "Answer",
        "title": title or f"Take {identity}",
        "data": {"payload": identity},
        "connections": {"out": [to] if to else []},
        "subNodes": [],
    }


def workflow(*parents: Json, **more: Any) -> Json:
    """A stored workflow that starts at its first node, with the canvas that shows it."""
    made: Json = {
        "id": "w",
        "name": "W",
        "associatedToBusinessId": "line",
        "platformType": "whatsapp",
        "isActive": True,
        "trigger": {
            "id": "start",
            "type": "whatsappTrigger",
            "category": "Trigger",
            "title": "When somebody writes",
            "data": {"eventType": "Messages Created", "keywords": []},
            "connections": {"out": [parents[0]["id"]] if parents else []},
        },
        "parsedData": list(parents),
    } | more
    draw(made)
    return made


def draw(made: Json) -> None:
    """Make the canvas of what is in the graph."""
    nodes, edges = [], []
    for each in (made["trigger"], *made["parsedData"]):
        nodes.append({"id": each["id"], "type": each["type"], "position": {"x": 0, "y": 0}})
        for inner in each.get("subNodes", ()):
            nodes.append({"id": inner["id"], "type": inner["type"], "parentId": each["id"]})
        for source in (each, *each.get("subNodes", ())):
            for target in source["connections"]["out"]:
                edges.append({"id": f"{source['id']}->{target}", "source": source["id"], "target": target})
    made["data"] = {"nodes": nodes, "edges": edges}


def whole() -> Json:
    """A workflow in which nothing is found, with counters; it asks, waits, points on and has a loop that waits."""
    return workflow(
        node(
            "ask",
            "whatsapp",
            None,
            sub("yes", "thank"),
            sub("no", "pause"),
            sub("else", "ask", "noSelectionFallback"),
            sub("silent", None, "awaitResponseTimeout"),
            messageType="custom",
            message="Is it here?",
            waitForUserResponse=True,
        ),
        node("thank", messageType="custom", message="Good"),
        node("pause", "wait", "on", minutes=5),
        node("on", "workflowPointer", workflowId="other"),
        analytics={
            "totalStarted": 3,
            "nodeStats": {"ask": {"enteredCount": 3}},
            "edgeStats": {"yes->thank": {"traversalCount": 1}, "no->pause:out": {}},
            "buttonStats": {"yes": {"subNodeId": "yes", "clickCount": 1}},
        },
    )


def broken(change: Change, made: Json | None = None) -> Json:
    """The whole workflow after a change."""
    found = copy.deepcopy(made or whole())
    change(found)
    return found


def parent(made: Json, identity: str) -> Json:
    """A parent node of a workflow."""
    return next(each for each in made["parsedData"] if each["id"] == identity)


def exit_of(made: Json, identity: str) -> Json:
    """A sub-node of a workflow."""
    return next(inner for each in made["parsedData"] for inner in each["subNodes"] if inner["id"] == identity)


def drawn(made: Json, identity: str) -> Json:
    """A node of the canvas."""
    return next(each for each in made["data"]["nodes"] if each["id"] == identity)


def chain(count: int) -> Json:
    """Messages that follow each other."""
    return workflow(
        *(
            node(f"n{at}", to=f"n{at + 1}" if at + 1 < count else None, messageType="custom", message="Hi")
            for at in range(count)
        )
    )
