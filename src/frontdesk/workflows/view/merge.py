"""The two sides of a workflow against the version that both were made from, as words and lines."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from frontdesk.config.facts import GAP, Fact, section, text
from frontdesk.config.render_context import RenderContext
from frontdesk.workflows.update_plan import ThreeWay
from frontdesk.workflows.view.diff import difference_facts, difference_summary
from frontdesk_flows.merge import MergeConflict
from frontdesk_lines.display_text import SafeText, counted, show_line, trusted
from frontdesk_lines.lines import Role

YOURS, THEIRS, BOTH = "What you have changed", "What they have changed", "What both have changed differently"

_WORD_LIMIT, _VALUE_LIMIT, MAX_CONFLICTS = 40, 120, 200


def conflict_count(conflicts: Sequence[MergeConflict]) -> str:
    """Return how many places were changed by both."""
    return counted(len(conflicts), "place was", "places were") + " changed differently by both"


def conflict_sentences(conflict: MergeConflict) -> tuple[SafeText, SafeText, SafeText, SafeText]:
    """Return the place of a conflict, and its value before, yours and theirs."""
    name = show_line(conflict.title or conflict.node_id, _WORD_LIMIT).text
    identity = show_line(conflict.node_id, _WORD_LIMIT).text
    node = f'"{name}" ({identity})' if conflict.title else identity
    field = show_line(conflict.field or ("the whole node" if conflict.node_id else "the whole workflow"), 80).text
    place = f"{node}, {field}" if conflict.node_id else field
    values = [_value(each) for each in (conflict.base, conflict.mine, conflict.theirs)]
    return SafeText(place), values[0], values[1], values[2]


def three_way_facts(found: ThreeWay, view: RenderContext) -> Iterator[Fact]:
    """Yield the conflicts first, then each side's changes."""
    yield Fact("Yours", difference_summary(found.mine))
    yield Fact("Theirs", difference_summary(found.theirs))
    both = conflict_count(found.conflicts) if found.conflicts else "no conflicts; they can be merged"
    yield Fact("Both", trusted(both), Role.WARN if found.conflicts else Role.GOOD)
    if found.conflicts:
        yield GAP
        yield section(BOTH, view)
    for each in found.conflicts[:MAX_CONFLICTS]:
        place, *values = conflict_sentences(each)
        yield GAP
        yield text(place, Role.STRONG)
        for label, value in zip(("before", "yours", "theirs"), values, strict=True):
            yield Fact(label, value)
    if len(found.conflicts) > MAX_CONFLICTS:
        yield text(trusted(f"and {len(found.conflicts) - MAX_CONFLICTS:,} more"), Role.DIM)
    for title, side in ((THEIRS, found.theirs), (YOURS, found.mine)):
        yield GAP
        yield section(title, view)
        yield from difference_facts(side)


def _value(value: Any) -> SafeText:
    try:
        words = "nothing" if value is None else json.dumps(value, ensure_ascii=False)
    except RecursionError:
        words = "too deeply nested to show"
    return show_line(words, _VALUE_LIMIT)
