"""Known node types (docs/interface.md, Values seen), and descriptions of what a node does.

A node's data is loose: nothing is said about what isn't understood.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from frontdesk_flows.document import Node
from frontdesk_flows.graph import CHANNELS, FALLBACK, TIMEOUT
from frontdesk_lines.display_text import NOTHING, SafeText, show_line
from frontdesk_lines.lines import json_text

INBOUND = frozenset({"Messages Created", "New Conversation Started"})
"""Trigger events with which the customer opens the conversation."""

MAX_LISTED = 12

_SUMMARY_LIMIT = 120
_UNITS = (("days", "day"), ("hours", "hour"), ("minutes", "minute"), ("seconds", "second"))

Data = Mapping[str, Any]
Fact = tuple[str, str, str]
"""A label, the field that it describes (empty: those of a condition or a time), and the words; ids as they are."""


@dataclass(frozen=True, slots=True)
class NodeType:
    """A type of nodes.

    Attributes:
        id: as documents have it.
        is_exit: whether its nodes are exits of another node.
        description: for types that don't explain themselves.
        summary: what a node does in a few words.
        facts: what a node does, in full.
        run_label: the label of its events in a dry run.
    """

    id: str
    is_exit: bool = False
    description: str = ""
    summary: Callable[[Data], str] | None = None
    facts: Callable[[Data], list[Fact]] | None = None
    run_label: str = ""


def is_trigger(node: Node) -> bool:
    """Return whether a node calls itself a trigger: there is one type for each channel."""
    return node.category == "Trigger" or node.type.endswith("Trigger")


def is_answer(sub: Node) -> bool:
    """Return whether a customer's answer can choose this exit."""
    return sub.type not in (FALLBACK, TIMEOUT)


def node_summary(node: Node) -> SafeText:
    """Return what a node does in one line, without its title; empty if unknown."""
    known = NODE_TYPES.get(node.type)
    summary = _trigger if is_trigger(node) else None if known is None else known.summary
    return NOTHING if summary is None else show_line(summary(node.data), _SUMMARY_LIMIT)


def duration(data: Data) -> str:
    """Return a time in the units of a node's data: `1 day 2 hours`; empty without one."""
    parts = []
    for name, unit in _UNITS:
        value = data.get(name)
        if type(value) in (int, float) and value:
            parts.append(f"{value:g} {unit}{'' if value == 1 else 's'}")
    return " ".join(parts)


def plain(value: object) -> str:
    """Format a value of loose data."""
    if isinstance(value, str):
        return value
    return "" if value is None else json_text(value, _SUMMARY_LIMIT * 4, None)[0]


def listed(value: object) -> str:
    """Return a list of words; anything else formatted as it is."""
    if isinstance(value, list):
        return ", ".join(plain(each) for each in value[:20]) + (", …" if len(value) > 20 else "")
    return plain(value)


def _trigger(data: Data) -> str:
    keywords = listed(data.get("keywords") or "")
    parts = [plain(data.get("eventType")), f"keywords: {keywords}" if keywords else ""]
    return " · ".join(each for each in parts if each)


def _message(data: Data) -> str:
    if data.get("messageType") == "ai":
        return f"AI agent {plain(data.get('aiAgentId'))}".rstrip() + " replies"
    text = plain(data.get("message"))
    if data.get("messageType") == "template":
        name = plain(data.get("templateName"))
        return f"template {name}: {text}" if name else f"template: {text}"
    return text


def _condition(data: Data) -> str:
    """`{{lookup.status}} equals 200`."""
    return " ".join(plain(data.get(name)) for name in ("left", "operator", "right")).strip()


def _update(data: Data) -> str:
    field = plain(data.get("field"))
    return f"{field} = {plain(data.get('value'))}" if field else ""


def _due(data: Data) -> str:
    hours = data.get("dueInHours")
    return f"in {plain(hours)} hour{'' if hours == 1 else 's'}" if hours is not None else ""


def _fallback_facts(data: Data) -> list[Fact]:
    tries = data.get("afterTries")
    return [("after", "afterTries", f"{tries} unrecognized answer{'' if tries == 1 else 's'}" if tries else "")]


def _wait_facts(data: Data) -> list[Fact]:
    return [("waits", "", duration(data) or "no time set")]


def _field_facts(*labels: tuple[str, str]) -> Callable[[Data], list[Fact]]:
    return lambda data: [(label, name, plain(data.get(name))) for label, name in labels]


_ROWS = (
    *(NodeType(each, summary=_message) for each in sorted(CHANNELS)),
    NodeType("if", summary=_condition, facts=lambda data: [("tests", "", _condition(data))]),
    NodeType("switch", summary=lambda data: plain(data.get("value")), facts=_field_facts(("checks", "value"))),
    NodeType("wait", summary=duration, facts=_wait_facts),
    NodeType(
        "workflowPointer",
        summary=lambda data: f"runs {plain(data.get('workflowId')) or 'no workflow'}",
        facts=lambda data: [("runs", "workflowId", plain(data.get("workflowId")) or "no workflow set")],
    ),
    NodeType(
        "httpRequest",
        summary=lambda data: f"{plain(data.get('method'))} {plain(data.get('url'))}".strip(),
        facts=_field_facts(("method", "method"), ("address", "url")),
        run_label="request",
    ),
    NodeType(
        "ai", summary=lambda data: plain(data.get("aiAgentId")), facts=_field_facts(("AI agent", "aiAgentId"))
    ),
    NodeType(
        "assignTags",
        summary=lambda data: listed(data.get("tagIds")),
        facts=lambda data: [("tags", "tagIds", listed(data.get("tagIds")))],
        run_label="tags",
    ),
    NodeType(
        "assignAgent",
        summary=lambda data: plain(data.get("team") or data.get("agentId")),
        facts=lambda data: [
            ("person", "agentId", plain(data.get("agentId"))),
            ("team", "team", plain(data.get("team"))),
        ],
        run_label="assigns",
    ),
    NodeType("updateCustomer", summary=_update, run_label="customer"),
    NodeType("updateConversation", summary=_update, run_label="sets"),
    NodeType(
        "task",
        summary=lambda data: plain(data.get("title")),
        facts=lambda data: [
            ("title", "title", plain(data.get("title"))),
            ("due", "dueInHours", _due(data)),
        ],
        run_label="task",
    ),
    NodeType("stickyNote", description="a note for workflow editors"),
    NodeType("answer", is_exit=True, description="an answer the customer can choose"),
    NodeType("conditionEvaluation", is_exit=True, description="a result of a condition"),
    NodeType(
        "switchCaseEvaluation",
        is_exit=True,
        description="a case of a switch",
        facts=_field_facts(("from", "from"), ("to", "to")),
    ),
    NodeType(FALLBACK, is_exit=True, description="the exit for unrecognized answers", facts=_fallback_facts),
    NodeType(
        TIMEOUT,
        is_exit=True,
        description="the exit for customers who don't answer",
        summary=duration,
        facts=_wait_facts,
    ),
)
NODE_TYPES: Mapping[str, NodeType] = {each.id: each for each in _ROWS}
"""The types by id, without triggers, of which each channel has its own."""

STEP_TYPES = frozenset(each.id for each in _ROWS if not each.is_exit)
EXIT_TYPES = frozenset(each.id for each in _ROWS if each.is_exit)
