"""What one node does for a customer: its effect, the answer that is meant, how long it waits; for `execution`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from frontdesk.workflow_runtime.graph import Exit, RuntimeNode, fill_placeholders


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect of a node outside the graph, which the caller carries out or shows.

    Attributes:
        kind: message, ai, assignTags, assignAgent, task, updateCustomer, updateConversation, httpRequest.
        text: with placeholders filled.
        choices: the titles of the answers that are offered with a message.
    """

    kind: str
    workflow_id: str
    node_id: str
    data: Mapping[str, Any]
    text: str = ""
    choices: tuple[str, ...] = ()


_ACTIONS = frozenset({"assignTags", "assignAgent", "task", "updateCustomer", "updateConversation", "httpRequest"})


def effect_of(workflow_id: str, node: RuntimeNode, variables: Mapping[str, Any]) -> Effect | None:
    """Return the effect of entering a node; None if it has none outside the graph."""
    if node.type in ("if", "switch"):
        return None
    text = node.data.get("message")
    message = fill_placeholders(text, variables) if isinstance(text, str) else ""
    choices = tuple(each.title for each in node.answers if each.title)
    if node.type == "ai" or node.data.get("messageType") == "ai":
        return Effect("ai", workflow_id, node.id, node.data, message)
    if node.message_text is not None:
        return Effect(
            "message", workflow_id, node.id, node.data, fill_placeholders(node.message_text, variables), choices
        )
    if node.type in _ACTIONS:
        title = node.data.get("title")
        filled = fill_placeholders(title, variables) if isinstance(title, str) else ""
        return Effect(node.type, workflow_id, node.id, node.data, filled)
    return None


def find_answer(answers: Sequence[Exit], text: str, payload: str) -> Exit | None:
    """Return the answer that a customer chose, by title first, then by payload."""
    answer = text.strip().casefold()
    for each in answers:
        if answer and each.title.strip().casefold() == answer:
            return each
    for wanted in (payload.casefold(), answer):
        for each in answers:
            own = each.data.get("payload")
            if wanted and isinstance(own, str) and own.casefold() == wanted:
                return each
    return None


def duration_seconds(data: Mapping[str, Any]) -> float:
    """Return the sum of a node's durations, in any unit."""
    total = 0.0
    for name, size in (("seconds", 1), ("minutes", 60), ("hours", 3_600), ("days", 86_400)):
        value = data.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1e9:
            total += value * size
    return total
