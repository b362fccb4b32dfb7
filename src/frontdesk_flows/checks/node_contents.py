"""Rules about what a node sends and asks for: texts, addresses, placeholders.

A node's data is a loose object (docs/interface.md, Workflow), so any other field may hold what
seems to be missing.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from frontdesk_flows.checks.models import Problem, References, problem
from frontdesk_flows.document import STEP_TYPES, Document, Node, key_path
from frontdesk_flows.graph import BUILT_IN, CHANNELS, placeholders
from frontdesk_flows.pointers import POINTER

_OF_MESSAGES = frozenset({"messageType", "message", "waitForUserResponse", "delay"})
_OF_REQUESTS = frozenset({"method", "url", "headers", "body", "params", "query"})
_OF_EDITORS = frozenset({"title", "label", "name", "description", "icon", "color"})
"""Fields of a node's data in which nothing else is looked for than they say."""

_WITH_TEXT = frozenset({"", "custom", "template"})
_SETS_MORE = frozenset({"httpRequest", "ai", POINTER})
"""Types that may set values without naming them: what is asked for answers, and other workflows run."""

MAX_DEPTH = 20


def no_text(document: Document, _known: References) -> Iterator[Problem]:
    """Find messages without a text, for which the runtime sends the node's title."""
    for parent in document.parents:
        kind = parent.data.get("messageType") or ""
        if parent.type not in CHANNELS or kind not in _WITH_TEXT or _has_more(parent.data, _OF_MESSAGES):
            continue
        message = parent.data.get("message")
        if message and not isinstance(message, str):
            continue
        if not (message or "").strip():
            instead = "; its title is sent instead" if parent.title.strip() else ""
            path = f"{parent.path}.data.message"
            yield problem(path, parent.id, f"{{}} sends a message without a text{instead}", parent.id)


def no_url(document: Document, _known: References) -> Iterator[Problem]:
    for parent in document.parents:
        if parent.type != "httpRequest" or _has_more(parent.data, _OF_REQUESTS):
            continue
        url = parent.data.get("url")
        if not url or (isinstance(url, str) and not url.strip()):
            yield problem(f"{parent.path}.data.url", parent.id, "{} makes a request without a URL", parent.id)


def unset_placeholders(document: Document, known: References) -> Iterator[Problem]:
    """Find placeholders in nodes that run, which neither the runtime nor anything in the document sets.

    What a request, an AI agent, another workflow or an unknown node may have set before isn't known.
    """
    used = [
        (each, path, name)
        for each in _reached_without(document)
        if each.type in STEP_TYPES and not each.is_note
        for path, name in _uses(each)
    ]
    if not used or (known.is_pointed_to is not None and known.is_pointed_to(document.text("id"))):
        return
    named = _named_values(document)
    for node, path, name in used:
        parts = name.split(".")
        if not named.intersection(".".join(parts[: at + 1]) for at in range(len(parts))):
            yield problem(path, node.id, "{} uses the placeholder {}, which nothing sets", node.id, name)


def _has_more(data: Mapping[str, Any], known: frozenset[str]) -> bool:
    """Return whether other fields than these hold something: it may be what is missing."""
    left = data.keys() - known - _OF_EDITORS
    return any(isinstance(data[name], str | list | dict) and data[name] for name in left)


def _reached_without(document: Document) -> list[Node]:
    """Return the nodes that run, but those before which something may have set values without naming them."""
    reached = [document.steps[each] for each in document.reached]
    open_setters = [
        each
        for each in reached
        if each.type in _SETS_MORE or each.type not in STEP_TYPES or each.data.get("messageType") == "ai"
    ]
    after = document.follow(way for each in open_setters for way in each.ways)
    return [each for each in reached if each.id not in after]


def _uses(node: Node) -> Iterator[tuple[str, str]]:
    """Yield where each placeholder first stands that the runtime doesn't set, and its name.

    Numbers are a template's own.
    """
    seen: set[str] = set()
    for key, value in node.data.items():
        path = f"{node.path}.data.{key}" if key.isidentifier() else key_path(f"{node.path}.data", key)
        for each, is_key in _texts(value):
            for name in () if is_key else placeholders(each):
                is_set = name.partition(".")[0] in BUILT_IN or name.replace(".", "").isdecimal()
                if name not in seen and not is_set:
                    seen.add(name)
                    yield path, name


def _named_values(document: Document) -> set[str]:
    """Return all that may name a value: fields and words of the data, variables, ids, types and titles."""
    found = set[str]()
    for part in (document.raw.get("variables"), document.raw.get("settings")):
        found.update(each for each, _ in _texts(part))
    for node in document.nodes:
        found |= {node.id, node.type, node.title.strip()}
        for value in node.data.values():  # the names of its own fields are those of its type
            found.update(each.strip() for each, _ in _texts(value))
    return found


def _texts(value: object) -> Iterator[tuple[str, bool]]:
    """Yield the texts in a value, and its keys, which are marked."""
    todo = [(value, 0)]
    while todo:
        at, depth = todo.pop()
        if isinstance(at, str):
            yield at, False
        elif depth < MAX_DEPTH and isinstance(at, dict):
            yield from ((key, True) for key in at)
            todo += [(each, depth + 1) for each in at.values()]
        elif depth < MAX_DEPTH and isinstance(at, list):
            todo += [(each, depth + 1) for each in at]
