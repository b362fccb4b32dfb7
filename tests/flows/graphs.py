"""Short ways to write a workflow down, for the tests of this folder."""

from typing import Any

Json = dict[str, Any]


def message(identity: str, text: str, *subs: Json, to: str | None = None, waits: bool | None = None) -> Json:
    """A message node; with sub-nodes it waits for an answer."""
    data = {
        "messageType": "custom",
        "message": text,
        "waitForUserResponse": bool(subs) if waits is None else waits,
    }
    return node(identity, "whatsapp", to, *subs, **data)


def node(identity: str, kind: str, to: str | None = None, *subs: Json, **data: Any) -> Json:
    """A node of any type."""
    for each in subs:
        each["parentId"] = identity
    return {
        "id": identity,
        "type": kind,
        "category": "Action",
        "title": identity.title(),
        "data": data,
        "connections": {"out": [to] if to else []},
        "subNodes": list(subs),
    }


def sub(identity: str, title: str, target: str | None = None, kind: str = "answer", **data: Any) -> Json:
    """A sub-node."""
    return {
        "id": identity,
        "type": kind,
        "category": "Answer",
        "title": title,
        "data": data or {"payload": f"payload-{identity}"},
        "connections": {"out": [target] if target else []},
        "subNodes": [],
    }


def workflow(identity: str, *nodes: Json, start: str | None = None, active: bool = True, **more: Any) -> Json:
    """A stored workflow that starts at its first node."""
    first = start or (nodes[0]["id"] if nodes else None)
    return {
        "id": identity,
        "name": identity,
        "isActive": active,
        "trigger": {
            "id": f"{identity}-trigger",
            "type": "whatsappTrigger",
            "data": {"eventType": "Messages Created", "keywords": []},
            "connections": {"out": [first] if first else []},
        },
        "parsedData": list(nodes),
        **more,
    }
