"""A stored workflow as an executable graph, with its placeholders and conditions.

Unreadable parts are skipped (`checks` reports them). Unknown placeholders stay as they are; a condition
on one is undecided.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from frontdesk_api.json_access import elements, mapping, text

FALLBACK = "noSelectionFallback"
TIMEOUT = "awaitResponseTimeout"
CHANNELS = frozenset({"whatsapp", "facebookMessenger", "instagram", "webchat"})
"""Node types that send a message."""

ON_MESSAGE, ON_BEGINNING, ON_TAG = "Messages Created", "New Conversation Started", "Conversation Tag Set"
"""Trigger events that the runtime knows (docs/interface.md, Values seen)."""

INBOUND = (ON_MESSAGE, ON_BEGINNING)
"""Those with which the customer opens the conversation."""

BUILT_IN = frozenset({"name", "customer", "message", "now"})
"""Placeholders that the runtime itself sets: the first name, the customer, their words, and the time."""

_PARTINGS = frozenset({"if", "switch", "wait", "workflowPointer"})


@dataclass(frozen=True, slots=True)
class Exit:
    """A sub-node: one labelled exit of its parent."""

    id: str
    type: str
    title: str
    data: Mapping[str, Any]
    target: str | None


@dataclass(frozen=True, slots=True)
class RuntimeNode:
    """A parent node of the execution graph; its own target counts only if it has no exits."""

    id: str
    type: str
    category: str
    title: str
    data: Mapping[str, Any]
    target: str | None
    exits: tuple[Exit, ...] = ()

    @property
    def answers(self) -> tuple[Exit, ...]:
        """The exits that a customer's answer can choose."""
        return tuple(each for each in self.exits if each.type not in (FALLBACK, TIMEOUT))

    @property
    def ways(self) -> tuple[Exit, ...]:
        """The exits of which one is taken without an answer; the fallback is the last."""
        return self.answers if self.fallback is None else (*self.answers, self.fallback)

    @property
    def fallback(self) -> Exit | None:
        return self._exit_of(FALLBACK)

    @property
    def timeout(self) -> Exit | None:
        return self._exit_of(TIMEOUT)

    @property
    def message_text(self) -> str | None:
        """The text it sends, with its placeholders; None for a node without one."""
        if self.type not in CHANNELS or self.data.get("messageType") == "ai":
            return None
        return text(self.data.get("message")) or self.title

    @property
    def waits_for_answer(self) -> bool:
        return self.data.get("waitForUserResponse") is True

    def _exit_of(self, kind: str) -> Exit | None:
        return next((each for each in self.exits if each.type == kind), None)


@dataclass(frozen=True, slots=True)
class Graph:
    """The executable part of a workflow; without a `start` it does not run (rule 231)."""

    workflow_id: str
    name: str
    is_active: bool
    event_type: str
    keywords: tuple[str, ...]
    trigger_id: str
    start: str | None
    nodes: Mapping[str, RuntimeNode]
    settings: Mapping[str, Any] = field(default_factory=dict)
    line_id: str = ""

    @property
    def runs(self) -> bool:
        return self.start is not None and self.start in self.nodes

    def keyword_in(self, text: str) -> str | None:
        """Return the first of the trigger's keywords in a text, ignoring case."""
        folded = text.casefold()
        return next((word for word in self.keywords if word.casefold() in folded), None)

    @property
    def opening(self) -> RuntimeNode | None:
        """The first message that everybody gets, or None if a branch is before it."""
        passed: set[str] = set()
        at = self.start
        while at is not None and at not in passed and (node := self.nodes.get(at)) is not None:
            if node.message_text is not None:
                return node
            if node.exits or node.type in _PARTINGS:
                return None
            passed.add(at)
            at = node.target
        return None


def read_graph(workflow: Mapping[str, Any]) -> Graph:
    """Make the graph of a stored workflow (docs/interface.md, Workflow)."""
    trigger = mapping(workflow.get("trigger"))
    data = mapping(trigger.get("data"))
    nodes: dict[str, RuntimeNode] = {}
    for raw in elements(workflow.get("parsedData")):
        node = _node(raw)
        if node is not None:
            nodes.setdefault(node.id, node)
    return Graph(
        workflow_id=text(workflow.get("id")),
        name=text(workflow.get("name")),
        is_active=workflow.get("isActive") is True,
        event_type=text(data.get("eventType")) or text(workflow.get("triggerType")),
        keywords=tuple(each for each in elements(data.get("keywords")) if isinstance(each, str) and each.strip()),
        trigger_id=text(trigger.get("id")),
        start=first_target(trigger),
        nodes=nodes,
        settings=mapping(workflow.get("settings")),
        line_id=text(workflow.get("associatedToBusinessId")),
    )


def first_target(node: Mapping[str, Any]) -> str | None:
    """Return the first id of a node's `connections.out`; the others never run."""
    out = elements(mapping(node.get("connections")).get("out"))
    return out[0] if out and isinstance(out[0], str) and out[0] else None


def _node(raw: Any) -> RuntimeNode | None:
    identity = mapping(raw).get("id")
    if not isinstance(identity, str) or not identity:
        return None
    exits = tuple(
        Exit(
            id=each["id"],
            type=text(each.get("type")),
            title=text(each.get("title")),
            data=mapping(each.get("data")),
            target=first_target(each),
        )
        for each in elements(raw.get("subNodes"))
        if isinstance(each, dict) and isinstance(each.get("id"), str) and each["id"]
    )
    return RuntimeNode(
        id=identity,
        type=text(raw.get("type")),
        category=text(raw.get("category")),
        title=text(raw.get("title")),
        data=mapping(raw.get("data")),
        target=first_target(raw),
        exits=exits,
    )


_PLACEHOLDER = re.compile(r"\{\{?\s*([\w.]{1,80})\s*\}?\}")
_OPERATORS = frozenset({"equals", "notEquals", "contains", "greaterThan", "lessThan"})


def fill_placeholders(text: str, variables: Mapping[str, Any]) -> str:
    """Fill the known placeholders, such as `{name}` and `{{customer.name}}`."""

    def value(found: re.Match[str]) -> str:
        known = variables.get(found[1])
        return found[0] if known is None else str(known)

    return _PLACEHOLDER.sub(value, text)


def placeholders(text: str) -> Iterator[str]:
    return (found[1] for found in _PLACEHOLDER.finditer(text))


def fill_all(value: Any, variables: Mapping[str, Any], depth: int = 20) -> Any:
    """Fill every text of a node's data, down to `depth`."""
    if isinstance(value, str):
        return fill_placeholders(value, variables)
    if depth and isinstance(value, dict):
        return {name: fill_all(each, variables, depth - 1) for name, each in value.items()}
    if depth and isinstance(value, list):
        return [fill_all(each, variables, depth - 1) for each in value]
    return value


def choose_exit(node: RuntimeNode, variables: Mapping[str, Any]) -> Exit | None:
    """Return the exit that an `if` or a `switch` takes, or None if undecided."""
    if node.type == "switch":
        return _choose_case(node, variables)
    result = _evaluate_condition(node.data, variables)
    if result is None:
        return None
    wanted = [each for each in node.exits if _result_of(each) is result]
    return wanted[0] if wanted else None


def _evaluate_condition(data: Mapping[str, Any], variables: Mapping[str, Any]) -> bool | None:
    left, right = (_resolve(data.get(side), variables) for side in ("left", "right"))
    operator = data.get("operator")
    if left is None or right is None or operator not in _OPERATORS:
        return None
    if operator == "equals":
        return left.casefold() == right.casefold()
    if operator == "notEquals":
        return left.casefold() != right.casefold()
    if operator == "contains":
        return right.casefold() in left.casefold()
    first, second = _number(left), _number(right)
    if first is None or second is None:
        return None
    return first > second if operator == "greaterThan" else first < second


def _choose_case(node: RuntimeNode, variables: Mapping[str, Any]) -> Exit | None:
    value = _resolve(node.data.get("value"), variables)
    if value is None:
        return None
    for each in node.answers:
        if _case_holds(each.data, value):
            return each
    return node.fallback


def _case_holds(case: Mapping[str, Any], value: str) -> bool:
    """`{"from": 22, "to": 8}` spans midnight; `{"value": "x"}` is a plain case."""
    if "from" in case and "to" in case:
        low, high, at = _number(case["from"]), _number(case["to"]), _number(value)
        if low is None or high is None or at is None:
            return False
        return low <= at < high if low <= high else at >= low or at < high
    wanted = case.get("value")
    return isinstance(wanted, str | int | float) and str(wanted).casefold() == value.casefold()


def _result_of(exit_: Exit) -> bool | None:
    result = exit_.data.get("result")
    return result if isinstance(result, bool) else None


def _resolve(value: object, variables: Mapping[str, Any]) -> str | None:
    """Return the value with its placeholders filled; None while one is unknown."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = fill_placeholders(str(value), variables)
    return None if _PLACEHOLDER.search(text) else text


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


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
    choices: tuple[str, ...] = ()
    if node.type == "ai" or node.data.get("messageType") == "ai":
        kind, said = "ai", text(node.data.get("message"))
    elif node.message_text is not None:
        kind, said = "message", node.message_text
        choices = tuple(each.title for each in node.answers if each.title)
    elif node.type in _ACTIONS:
        kind, said = node.type, text(node.data.get("title"))
    else:
        return None
    return Effect(kind, workflow_id, node.id, node.data, fill_placeholders(said, variables), choices)


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
    total = 0.0
    for name, size in (("seconds", 1), ("minutes", 60), ("hours", 3_600), ("days", 86_400)):
        value = data.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1e9:
            total += value * size
    return total
