"""What differs between two documents of a workflow, in words and as lines.

Called by the dialogs that update a workflow or show a conflict, and by the command line.
"""

import json
from collections import Counter
from typing import Any

from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.text.lines import EMPTY, Line, Role, crop, fit, paragraph, span
from frontdesk.workflows.diff.models import Difference, DifferenceKind, DifferencePart, Differences

NO_DIFFERENCE = "nothing differs"
MAX_LINES = 400
"""Differences that are shown; more than anybody reads, those beyond them are counted."""

_WORD_LIMIT = 60
_VALUE_LIMIT = 300
_CONTEXT = 24
_SIDE = 8
_ROLES = {DifferenceKind.ADDED: Role.GOOD, DifferenceKind.REMOVED: Role.BAD, DifferenceKind.CHANGED: Role.WARN}
_COUNTED = {
    DifferencePart.WORKFLOW: "setting",
    DifferencePart.TRIGGER: "trigger",
    DifferencePart.NODE: "node",
    DifferencePart.EXIT: "exit",
    DifferencePart.DRAWN_NODE: "node on the canvas",
    DifferencePart.LINE: "line on the canvas",
}


def difference_summary(found: Differences) -> SafeText:
    """Count all differences: `1 node added, 2 exits changed; 3 nodes only drawn elsewhere`."""
    things = {(each.part, each.node_id or each.field, each.kind) for each in found.changes}
    counts = Counter((part, kind) for part, _, kind in things)
    words = [
        f"{count:,} {_COUNTED[part] if count == 1 else _several(_COUNTED[part])} {kind}"
        for part in DifferencePart
        for kind in DifferenceKind
        if (count := counts[part, kind])
    ]
    summary = ", ".join(words) or NO_DIFFERENCE
    if found.drawn_elsewhere:
        count = found.drawn_elsewhere
        summary += f"; {count:,} {'node' if count == 1 else 'nodes'} only drawn elsewhere"
    return trusted(summary)


def difference_head(each: Difference) -> SafeText:
    """A difference without its values: `changed node "Ask" (sur-ask), data.message`."""
    if each.kind is DifferenceKind.REORDERED:
        whose = "the nodes" if each.field == "parsedData" else f"the exits of {_called(each)}"
        return show_line(f"{each.kind} {whose}")
    if each.part is DifferencePart.WORKFLOW:
        return show_line(f"{each.kind} {each.field}")
    field = "" if each.kind is DifferenceKind.REWIRED and each.field == "connections.out" else each.field
    return show_line(f"{each.kind} {_called(each)}" + (f", {field}" if field else ""))


def difference_sides(each: Difference) -> tuple[SafeText, SafeText] | None:
    """The values before and after, each as a line that begins shortly before they differ; None of a whole node."""
    if each.kind in (DifferenceKind.ADDED, DifferenceKind.REMOVED):
        return None
    before, after = _value(each, each.before), _value(each, each.after)
    start = _parting(before, after)
    mark = "…" if start else ""
    return show_line(mark + before[start:], _VALUE_LIMIT), show_line(mark + after[start:], _VALUE_LIMIT)


def difference_lines(found: Differences, width: int, most: int = MAX_LINES) -> list[Line]:
    """Each difference with its values below it."""
    lines: list[Line] = []
    for each in found.changes[:most]:
        kind, _, what = difference_head(each).text.partition(" ")
        head = (span(kind, _ROLES.get(each.kind, Role.ACCENT)), span(" "), span(SafeText(what), Role.STRONG))
        lines += [EMPTY, fit(head, width)]
        if (sides := difference_sides(each)) is not None:
            for label, side, role in zip(("before", "after"), sides, (Role.DIM, Role.TEXT), strict=True):
                lines += _side(label, side, role, width)
    if len(found.changes) > most:
        lines += [EMPTY, fit([span(f"… and {len(found.changes) - most:,} more", Role.DIM)], width)]
    return lines


def difference_sentence(each: Difference) -> SafeText:
    """A difference on one line, for a table or to be heard: `changed name: "Old" -> "New"`."""
    head, sides = difference_head(each), difference_sides(each)
    if sides is None:
        return head
    before, after = sides
    return SafeText(
        f"{head.text}: {before.text} -> {after.text}",
        head.was_sanitized or before.was_sanitized or after.was_sanitized,
    )


def _called(each: Difference) -> str:
    title = show_line(each.title, _WORD_LIMIT).text
    identity = show_line(each.node_id, _WORD_LIMIT).text or "without an id"
    return f'{each.part} "{title}" ({identity})' if title else f"{each.part} {identity}"


def _several(what: str) -> str:
    first, _, rest = what.partition(" ")
    return f"{first}s {rest}".rstrip()


def _value(each: Difference, value: Any) -> str:
    if each.kind is DifferenceKind.MOVED:
        return f"under {value}" if value else "a node of its own"
    is_ids = isinstance(value, list) and all(isinstance(one, str) for one in value)
    if is_ids and each.kind in (DifferenceKind.REWIRED, DifferenceKind.REORDERED):
        return ", ".join(value) or "nothing"
    try:
        return "nothing" if value is None else json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "nested too deep to be shown"


def _parting(before: str, after: str) -> int:
    """The offset from which two long texts are shown, so that their difference is visible."""
    if max(len(before), len(after)) <= _VALUE_LIMIT // 2:
        return 0
    # Halved again and again: a text may be megabytes, and this is done where keys are waited for.
    start, end = 0, min(len(before), len(after))
    while start < end:
        middle = (start + end + 1) // 2
        if before.startswith(after[start:middle], start):
            start = middle
        else:
            end = middle - 1
    return max(0, start - _CONTEXT)


def _side(label: str, side: SafeText, role: Role, width: int) -> list[Line]:
    parts = paragraph(side, max(1, width - _SIDE), role)
    labels = [f"{label:<{_SIDE}}"] + [" " * _SIDE] * (len(parts) - 1)
    return [crop((span(words, Role.DIM), *part), width) for words, part in zip(labels, parts, strict=True)]
