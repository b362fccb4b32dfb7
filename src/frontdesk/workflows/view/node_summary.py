"""What a node does, in one line: what it says, where it points, how long it waits.

Rows of the tree show it beside the title. The data of a node is loose: what isn't understood has no gist.
"""

from collections.abc import Callable, Mapping
from typing import Any

from frontdesk.text.display_text import NOTHING, SafeText, show_line
from frontdesk.text.lines import json_text
from frontdesk.workflow_runtime.graph import CHANNELS, TIMEOUT
from frontdesk.workflows.document import Node

_LIMIT = 120
_UNITS = (("days", "day"), ("hours", "hour"), ("minutes", "minute"), ("seconds", "second"))

Data = Mapping[str, Any]


def node_summary(node: Node) -> SafeText:
    """One line without its title; empty where there is nothing to tell."""
    if node.category == "Trigger" or node.type.endswith("Trigger"):
        return show_line(_trigger(node.data), _LIMIT)
    if node.type in CHANNELS:
        return show_line(_message(node.data), _LIMIT)
    found = _GISTS.get(node.type)
    return NOTHING if found is None else show_line(found(node.data), _LIMIT)


def duration(data: Data) -> str:
    """A time of a node's data in whatever units it is given: `1 day 2 hours`; empty without one."""
    parts = []
    for name, unit in _UNITS:
        value = data.get(name)
        if type(value) in (int, float) and value:
            parts.append(f"{value:g} {unit}{'' if value == 1 else 's'}")
    return " ".join(parts)


def condition(data: Data) -> str:
    """What an `if` asks: `{{lookup.status}} equals 200`."""
    return " ".join(plain(data.get(name)) for name in ("left", "operator", "right")).strip()


def plain(value: object) -> str:
    """A value of loose data as one would write it."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return json_text(value, _LIMIT * 4, None)[0]


def listed(value: object) -> str:
    """A list of words; anything else as it is."""
    if isinstance(value, list):
        return ", ".join(plain(each) for each in value[:20]) + (", …" if len(value) > 20 else "")
    return plain(value)


def _trigger(data: Data) -> str:
    parts = [plain(data.get("eventType"))]
    if words := listed(data.get("keywords") or ""):
        parts.append(f"keywords: {words}")
    return " · ".join(each for each in parts if each)


def _message(data: Data) -> str:
    if data.get("messageType") == "ai":
        return " ".join(["the AI agent answers", plain(data.get("aiAgentId"))]).strip()
    said = plain(data.get("message"))
    if data.get("messageType") == "template":
        named = plain(data.get("templateName"))
        return f"template {named}: {said}" if named else f"template: {said}"
    return said


def _switch(data: Data) -> str:
    return plain(data.get("value"))


def _request(data: Data) -> str:
    return f"{plain(data.get('method'))} {plain(data.get('url'))}".strip()


def _update(data: Data) -> str:
    field = plain(data.get("field"))
    return f"{field} = {plain(data.get('value'))}" if field else ""


_GISTS: Mapping[str, Callable[[Data], str]] = {
    "if": condition,
    "switch": _switch,
    "wait": duration,
    "workflowPointer": lambda data: f"runs {plain(data.get('workflowId')) or 'no workflow'}",
    "httpRequest": _request,
    "ai": lambda data: plain(data.get("aiAgentId")),
    "assignTags": lambda data: listed(data.get("tagIds")),
    "assignAgent": lambda data: plain(data.get("team") or data.get("agentId")),
    "updateCustomer": _update,
    "updateConversation": _update,
    "task": lambda data: plain(data.get("title")),
    TIMEOUT: duration,
}
