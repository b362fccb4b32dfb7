"""A workflow as rows in running order: nodes, their exits, and separately what never runs.

Any document has rows: cycles and joins become references. Nothing here is recursive, so chains of ten thousand
nodes work.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from frontdesk_api import json_access
from frontdesk_flows.document import Document, Node, Target, read_document
from frontdesk_flows.graph import FALLBACK, TIMEOUT

RAILS = 24
"""The inner levels of a row for which it is known whether something follows on them."""

_WORDS_LIMIT = 2_000
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")


class RowKind(StrEnum):
    """Kinds of rows."""

    TRIGGER = "trigger"
    NODE = "node"
    EXIT = "exit"
    """A sub-node: one labelled way out of the node above it."""
    WAY = "way"
    """A node's own way on, if it counts beside exits: for any answer, or after the time of a wait."""
    LOOP = "loop"
    JOIN = "join"
    NEVER = "never run"
    """A target that isn't followed: not the first of its list, or beside exits that count instead."""
    MISSING = "missing"
    """A target that isn't there, or can't be entered; at the top, the trigger that is missing."""
    HEADING = "heading"
    """Begins a part of what never runs; `title` is frontdesk's own."""
    CANVAS = "canvas"
    NAMELESS = "nameless"


class TreeRow(NamedTuple):
    """One row of the tree.

    Attributes:
        depth: how many exits it lies within, itself included if it is one.
        rails: for the innermost of these levels, lowest bit first, whether more exits follow on it.
        node: the node drawn; of a reference, its target, if that exists.
        target: the id that a reference names.
        jump: the row at which the target is drawn.
        ends: nothing follows: the workflow is completed here.
        runs: a way from the trigger leads here.
        title: frontdesk's own words, if any.
    """

    kind: RowKind
    depth: int = 0
    rails: int = 0
    node: Node | None = None
    parent_id: str = ""
    target: str = ""
    jump: int | None = None
    ends: bool = False
    runs: bool = True
    title: str = ""

    @property
    def id(self) -> str:
        """The id of the node drawn here; empty for references and headings."""
        return self.node.id if self.node is not None and self.is_drawn else ""

    @property
    def path(self) -> str:
        """The path of the row's node in the document; empty for headings."""
        return self.node.path if self.node is not None else ""

    @property
    def is_drawn(self) -> bool:
        """True if the trigger, a node or an exit is drawn here, and not only referred to."""
        return self.kind in _DRAWN


# The members of an enum are looked up slowly, and these two once for each row.
_NODE, _EXIT = RowKind.NODE, RowKind.EXIT
_DRAWN = frozenset({RowKind.TRIGGER, RowKind.NODE, RowKind.EXIT, RowKind.CANVAS, RowKind.NAMELESS})


@dataclass(frozen=True, slots=True)
class Outline:
    """The rows of a workflow.

    Attributes:
        row_of: the row at which the trigger, a node or an exit is drawn, by id; of several the first.
        sources: the trigger, nodes and exits that lead to a node, by its id.
        words: the searchable text of each row, casefolded; empty for references.
        reached: how many nodes a way from the trigger leads to.
        unreached: how many it doesn't, notes left aside.
    """

    document: Document
    rows: tuple[TreeRow, ...]
    row_of: Mapping[str, int]
    sources: Mapping[str, Sequence[Node]]
    words: tuple[str, ...]
    reached: int
    unreached: int

    def hits(self, query: str) -> tuple[int, ...]:
        wanted = query.casefold().split()
        if not wanted:
            return ()
        return tuple(at for at, words in enumerate(self.words) if words and all(each in words for each in wanted))

    def row_at(self, path: str) -> int | None:
        """Return the row of the part of the document that contains a path."""
        best: tuple[int, int] | None = None
        for at, row in enumerate(self.rows):
            own = row.path
            if own and row.is_drawn and path.startswith(own) and path[len(own) : len(own) + 1] in ("", ".", "["):
                best = max(best or (0, -at), (len(own), -at))
        return None if best is None else -best[1]


def outline_of(raw: Mapping[str, Any]) -> Outline:
    """Lay out a workflow's JSON object, whatever it holds."""
    document = read_document(raw)
    builder = _RowBuilder(document)
    builder.build()
    row_of = builder.row_of
    rows = tuple(
        row._replace(jump=row_of.get(row.target)) if row.target and row.jump is None else row
        for row in builder.rows
    )
    return Outline(
        document=document,
        rows=rows,
        row_of=row_of,
        sources=builder.sources,
        words=tuple(_words(row) for row in rows),
        reached=builder.reached,
        unreached=builder.unreached,
    )


def raw_at(raw: Mapping[str, Any], path: str) -> object:
    """Return the value at a path such as `$.parsedData[2].subNodes[0]`; None if there is none."""
    at: Any = raw
    for name, number in _STEP.findall(path):
        if name:
            at = at.get(name) if isinstance(at, dict) else None
        else:
            at = at[int(number)] if isinstance(at, list) and int(number) < len(at) else None
    return at


def follows_own_target(node: Node) -> bool:
    """Return whether the runtime follows a node's own first target beside or in place of its exits."""
    if not node.subs or node.type == "wait":
        return True
    if node.type in ("if", "switch") or not node.waits_for_answer:
        return False
    return all(each.type in (FALLBACK, TIMEOUT) for each in node.subs)


class _Task(NamedTuple):
    """A row to add, a target to enter, or the end of a node's way."""

    depth: int
    rails: int
    row: TreeRow | None = None
    target: Target | None = None
    source: Node | None = None
    closes: str | None = None


class _RowBuilder:
    def __init__(self, document: Document):
        self._document = document
        self._seen: set[str] = set()
        self._open: set[str] = set()
        self._runs = True
        self.rows: list[TreeRow] = []
        self.row_of: dict[str, int] = {}
        self.sources: dict[str, list[Node]] = {}
        self.reached = self.unreached = 0

    def build(self) -> None:
        trigger = self._document.trigger
        if trigger is None:
            self.rows.append(TreeRow(RowKind.MISSING, title="no trigger: nothing starts it"))
        else:
            self._add(TreeRow(RowKind.TRIGGER, node=trigger, ends=not trigger.targets))
            self._walk(self._following_tasks(trigger, 0, 0))
        self.reached = len(self._seen)
        self._runs = False
        self._add_unreached()
        self._add_canvas_nodes()
        self._add_nameless()

    def _walk(self, first: Sequence[_Task]) -> None:
        """Draw in running order, with a list instead of recursion."""
        todo = list(reversed(first))
        while todo:
            task = todo.pop()
            if task.closes is not None:
                self._open.discard(task.closes)
            elif task.row is not None:
                self._add(task.row)
            elif task.target is not None:
                todo += reversed(self._enter_target(task, task.target))

    def _enter_target(self, task: _Task, target: Target) -> list[_Task]:
        node = self._document.steps.get(target.id)
        if task.source is not None:
            self.sources.setdefault(target.id, []).append(task.source)
        if node is None:
            self._add(self._dead_end(task, target))
        elif target.id in self._seen:
            kind = RowKind.LOOP if target.id in self._open else RowKind.JOIN
            jump = self.row_of[target.id]
            self.rows.append(TreeRow(kind, task.depth, task.rails, node, "", target.id, jump, False, self._runs))
        else:
            self._seen.add(target.id)
            return self._add_node(node, task.depth, task.rails)
        return []

    def _add_node(self, node: Node, depth: int, rails: int, title: str = "") -> list[_Task]:
        """Add a node's row, and return the tasks that follow it."""
        ends = not node.targets and not node.subs
        self._add(TreeRow(_NODE, depth, rails, node, "", "", None, ends, self._runs, title))
        self._open.add(node.id)
        after = self._following_tasks(node, depth, rails)
        after.append(_Task(0, 0, None, None, None, node.id))
        return after

    def _following_tasks(self, node: Node, depth: int, rails: int) -> list[_Task]:
        if not node.subs:
            found = [_Task(depth, rails, None, each, node) for each in node.targets[:1]]
            return (
                self._unfollowed_tasks(node, node.targets[1:], depth, rails) + found
                if len(node.targets) > 1
                else found
            )
        way = follows_own_target(node)
        own = node.targets[:1] if way else ()
        found = self._unfollowed_tasks(node, node.targets[len(own) :], depth, rails)
        for at, each in enumerate(node.subs):
            more = way or at < len(node.subs) - 1
            inner = _nest_rails(rails, more)
            ends = not each.targets
            row = TreeRow(_EXIT, depth + 1, inner, each, node.id, "", None, ends, self._runs)
            found.append(_Task(0, 0, row))
            if len(each.targets) > 1:
                found += self._unfollowed_tasks(each, each.targets[1:], depth + 1, inner)
            if not ends:
                found.append(_Task(depth + 1, inner, None, each.targets[0], each))
        if way:
            inner = _nest_rails(rails, False)
            title = "after the wait" if node.type == "wait" else "any answer"
            row = TreeRow(RowKind.WAY, depth + 1, inner, node, node.id, ends=not own, runs=self._runs, title=title)
            found.append(_Task(0, 0, row=row))
            found += [_Task(depth + 1, inner, None, target, node) for target in own]
        return found

    def _unfollowed_tasks(self, node: Node, targets: Sequence[Target], depth: int, rails: int) -> list[_Task]:
        why = "not the first target" if node.targets[: -len(targets)] else "its exits are used instead"
        steps = self._document.steps
        rows = [
            TreeRow(RowKind.NEVER, depth, rails, steps.get(each.id), node.id, each.id, runs=False, title=why)
            for each in targets
        ]
        return [_Task(0, 0, row=row) for row in rows]

    def _dead_end(self, task: _Task, target: Target) -> TreeRow:
        trigger = self._document.trigger
        if target.id in self._document.sub_ids:
            why = "another node's exit can't be entered"
        elif trigger is not None and target.id == trigger.id:
            why = "the trigger can't be entered"
        else:
            why = "no such node"
        source = "" if task.source is None else task.source.id
        return TreeRow(
            RowKind.MISSING, task.depth, task.rails, None, source, target.id, None, runs=self._runs, title=why
        )

    def _add_unreached(self) -> None:
        """Draw nodes to which no way leads, first those that no other of them leads to; then notes."""
        left = [each for each in self._document.parents if each.id not in self._seen or self._is_double(each)]
        notes = [each for each in left if each.is_note]
        steps = [each for each in left if not each.is_note]
        self.unreached = len(steps)
        if steps:
            self._heading("Unreachable", len(steps))
        led_to = {way.id for each in steps for way in each.ways}
        for node in (*(each for each in steps if each.id not in led_to and not self._is_double(each)), *steps):
            if self._is_double(node):
                self._walk(self._add_node(node, 0, 0, "duplicate id"))
            elif node.id not in self._seen:
                self._seen.add(node.id)
                self._walk(self._add_node(node, 0, 0))
        if notes:
            self._heading("Notes", len(notes))
        for node in notes:
            self._add(TreeRow(RowKind.NODE, node=node, runs=False))

    def _add_canvas_nodes(self) -> None:
        document = self._document
        known_ids = document.steps.keys() | document.sub_ids
        if document.trigger is not None:
            known_ids.add(document.trigger.id)
        alone = [each for each in document.drawn if each.id not in known_ids]
        if alone:
            self._heading("Only on the canvas", len(alone))
        for each in alone:
            raw = json_access.mapping(raw_at(document.raw, each.path))
            node = _loose_node(raw, each.path, json_access.mapping(raw.get("data")).get("title"))
            self._add(TreeRow(RowKind.CANVAS, node=node, runs=False))

    def _add_nameless(self) -> None:
        found = [each.path for each in self._document.nameless if not each.path.startswith("$.data.")]
        found = [each for each in found if each != "$.trigger"]
        if found:
            self._heading("Without an id", len(found))
        for path in found:
            raw = json_access.mapping(raw_at(self._document.raw, path))
            self._add(TreeRow(RowKind.NAMELESS, node=_loose_node(raw, path, raw.get("title")), runs=False))

    def _heading(self, words: str, count: int) -> None:
        self.rows.append(TreeRow(RowKind.HEADING, runs=False, title=f"{words} ({count:,})"))

    def _add(self, row: TreeRow) -> None:
        if row.node is not None and row.node.id and row.kind in _DRAWN:
            self.row_of.setdefault(row.node.id, len(self.rows))
        self.rows.append(row)

    def _is_double(self, node: Node) -> bool:
        return self._document.steps.get(node.id) is not node


def _loose_node(raw: Mapping[str, Any], path: str, title: object) -> Node:
    """Make a node of a part of the document that isn't in the graph."""
    identity, kind, category = (json_access.text(raw.get(name)) for name in ("id", "type", "category"))
    data = json_access.mapping(raw.get("data"))
    return Node(path, identity, kind, category, json_access.text(title), None, data, ())


def _nest_rails(rails: int, more: bool) -> int:
    return (rails << 1 | more) & (1 << RAILS) - 1


def _words(row: TreeRow) -> str:
    node = row.node
    if node is None or row.kind not in _DRAWN:
        return ""
    message = node.data.get("message")
    words = message if isinstance(message, str) else ""
    found = f"{node.title}\n{node.id}\n{node.type}\n{words}"
    if len(found) > _WORDS_LIMIT:
        found = "\n".join([each[:_WORDS_LIMIT] for each in (node.title, node.id, node.type, words)])
    return found.casefold()
