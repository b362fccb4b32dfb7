"""Placeholders in a node's texts, and the conditions of `if` and `switch` over their values.

Unknown placeholders stay unchanged, and a condition on one is undecided.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from frontdesk.workflow_runtime.graph import Exit, RuntimeNode

_PLACEHOLDER = re.compile(r"\{\{?\s*([\w.]{1,80})\s*\}?\}")
_OPERATORS = frozenset({"equals", "notEquals", "contains", "greaterThan", "lessThan"})


def filled(text: str, variables: Mapping[str, Any]) -> str:
    """Fill the known placeholders, such as `{name}` and `{{customer.name}}`."""

    def value(found: re.Match[str]) -> str:
        known = variables.get(found[1])
        return found[0] if known is None else str(known)

    return _PLACEHOLDER.sub(value, text)


def placeholders(text: str) -> Iterator[str]:
    """The names of all placeholders of a text."""
    return (found[1] for found in _PLACEHOLDER.finditer(text))


def filled_within(value: Any, variables: Mapping[str, Any], depth: int = 20) -> Any:
    """Fill every text of a node's data, down to `depth`."""
    if isinstance(value, str):
        return filled(value, variables)
    if depth and isinstance(value, dict):
        return {name: filled_within(each, variables, depth - 1) for name, each in value.items()}
    if depth and isinstance(value, list):
        return [filled_within(each, variables, depth - 1) for each in value]
    return value


def decided(node: RuntimeNode, variables: Mapping[str, Any]) -> Exit | None:
    """The exit that an `if` or a `switch` takes, or None if undecided."""
    if node.type == "switch":
        return _switched(node, variables)
    result = _condition(node.data, variables)
    if result is None:
        return None
    wanted = [each for each in node.exits if _result_of(each) is result]
    return wanted[0] if wanted else None


def _condition(data: Mapping[str, Any], variables: Mapping[str, Any]) -> bool | None:
    left, right = (_known(data.get(side), variables) for side in ("left", "right"))
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


def _switched(node: RuntimeNode, variables: Mapping[str, Any]) -> Exit | None:
    value = _known(node.data.get("value"), variables)
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


def _known(value: object, variables: Mapping[str, Any]) -> str | None:
    """The value with its placeholders filled; None while one is unknown."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = filled(str(value), variables)
    return None if _PLACEHOLDER.search(text) else text


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None
