"""Comparisons as words and lines: of documents of a workflow, of both sides of a conflict, and of analytics."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from frontdesk.config.facts import GAP, Fact, section, text
from frontdesk.config.render_context import RenderContext
from frontdesk.workflows.models import VersionRecord
from frontdesk.workflows.share_comparison import MIN_CUSTOMERS, Comparison, Share, ShareChange, ShareMeasure
from frontdesk.workflows.update_plan import ThreeWay
from frontdesk.workflows.versions import LOADED, MOST
from frontdesk.workflows.view.tree import count_words, share_words
from frontdesk_flows.diff import Difference, DifferenceKind, DifferencePart, Differences
from frontdesk_flows.merge import MergeConflict
from frontdesk_flows.traffic import TrafficState, WorkflowTraffic
from frontdesk_lines.display_text import SafeText, counted, show_line, trusted
from frontdesk_lines.glyphs import Glyphs
from frontdesk_lines.lines import EMPTY, Line, Role, Span, fit, span, wrapped

NO_DIFFERENCE = "no differences"
MAX_LINES = 400

_WORD_LIMIT = 60
_VALUE_LIMIT = 300
_CONTEXT = 24
_ROLES = {DifferenceKind.ADDED: Role.GOOD, DifferenceKind.REMOVED: Role.BAD, DifferenceKind.CHANGED: Role.WARN}
_COUNTED = {
    DifferencePart.WORKFLOW: ("setting",),
    DifferencePart.TRIGGER: ("trigger",),
    DifferencePart.NODE: ("node",),
    DifferencePart.EXIT: ("exit",),
    DifferencePart.DRAWN_NODE: ("canvas node",),
    DifferencePart.LINE: ("canvas edge",),
}
_SHARE, _POINTS = 9, 9
_TITLE_LIMIT = 80
_GOOD_WHEN_MORE = {ShareMeasure.COMPLETED: True, ShareMeasure.DROPPED: False, ShareMeasure.LEFT: False}


def difference_summary(found: Differences) -> SafeText:
    """Count all differences: `1 node added, 2 exits changed; 3 nodes differ only in layout`."""
    things = {(each.part, each.node_id or each.field, each.kind) for each in found.changes}
    counts = Counter((part, kind) for part, _, kind in things)
    words = [
        f"{counted(count, *_COUNTED[part])} {kind}"
        for part in DifferencePart
        for kind in DifferenceKind
        if (count := counts[part, kind])
    ]
    summary = ", ".join(words) or NO_DIFFERENCE
    if found.drawn_elsewhere:
        summary += f"; {counted(found.drawn_elsewhere, 'node differs', 'nodes differ')} only in layout"
    return trusted(summary)


def difference_head(each: Difference) -> SafeText:
    """Return a difference without its values: `changed node "Ask" (sur-ask), data.message`."""
    if each.kind is DifferenceKind.REORDERED:
        whose = "the nodes" if each.field == "parsedData" else f"the exits of {_name_node(each)}"
        return show_line(f"{each.kind} {whose}")
    if each.part is DifferencePart.WORKFLOW:
        return show_line(f"{each.kind} {each.field}")
    field = "" if each.kind is DifferenceKind.REWIRED and each.field == "connections.out" else each.field
    return show_line(f"{each.kind} {_name_node(each)}" + (f", {field}" if field else ""))


def difference_sides(each: Difference) -> tuple[SafeText, SafeText] | None:
    """Return the values before and after as lines that begin near their difference; None of a whole node."""
    if each.kind in (DifferenceKind.ADDED, DifferenceKind.REMOVED):
        return None
    before, after = _format_value(each, each.before), _format_value(each, each.after)
    start = _difference_offset(before, after)
    mark = "…" if start else ""
    return show_line(mark + before[start:], _VALUE_LIMIT), show_line(mark + after[start:], _VALUE_LIMIT)


def difference_facts(found: Differences, limit: int = MAX_LINES) -> Iterator[Fact]:
    for each in found.changes[:limit]:
        kind, _, what = difference_head(each).text.partition(" ")
        yield GAP
        yield text((span(kind, _ROLES.get(each.kind, Role.ACCENT)), span(" "), span(SafeText(what), Role.STRONG)))
        if (sides := difference_sides(each)) is not None:
            yield Fact("before", sides[0], Role.DIM)
            yield Fact("after", sides[1])
    if len(found.changes) > limit:
        yield GAP
        yield text(trusted(f"… and {len(found.changes) - limit:,} more"), Role.DIM)


def difference_sentence(each: Difference) -> SafeText:
    """Return a difference on one line: `changed name: "Old" -> "New"`."""
    head, sides = difference_head(each), difference_sides(each)
    if sides is None:
        return head
    before, after = sides
    return SafeText(
        f"{head.text}: {before.text} -> {after.text}",
        head.was_sanitized or before.was_sanitized or after.was_sanitized,
    )


def _name_node(each: Difference) -> str:
    title = show_line(each.title, _WORD_LIMIT).text
    identity = show_line(each.node_id, _WORD_LIMIT).text or "without an id"
    part = _COUNTED[each.part][0]
    return f'{part} "{title}" ({identity})' if title else f"{part} {identity}"


def _format_value(each: Difference, value: Any) -> str:
    if each.kind is DifferenceKind.MOVED:
        return f"under {value}" if value else "top level"
    is_ids = isinstance(value, list) and all(isinstance(one, str) for one in value)
    if is_ids and each.kind in (DifferenceKind.REWIRED, DifferenceKind.REORDERED):
        return ", ".join(value) or "nothing"
    return _format_json(value)


def _format_json(value: Any) -> str:
    try:
        return "nothing" if value is None else json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "too deeply nested to show"


def _difference_offset(before: str, after: str) -> int:
    """Return the offset from which two long texts are shown, so that their difference is visible."""
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


def comparison_lines(found: Comparison, width: int, glyphs: Glyphs, limit: int = 200) -> tuple[Line, ...]:
    lines = [_totals_line("before", found.before, width), _totals_line("after", found.after, width)]
    if not found.is_comparable:
        return (*lines, EMPTY, fit([span("Nothing to compare.", Role.DIM)], width))
    if not found.has_counts:
        words = trusted("Nothing counted since then, so there are no shares to compare yet.")
        return (*lines, EMPTY, *wrapped(words, width, Role.DIM))
    lines += [EMPTY, comparison_heading(width)]
    lines += [comparison_row(each, width, glyphs) for each in found.totals]
    if found.changes:
        lines.append(EMPTY)
        lines += [comparison_row(each, width, glyphs) for each in found.changes[:limit]]
    if len(found.changes) > limit:
        lines.append(fit([span(f"and {len(found.changes) - limit:,} more", Role.DIM)], width))
    if found.same:
        same = counted(found.same, "other share is", "other shares are")
        lines += [EMPTY, fit([span(f"{same} unchanged.", Role.DIM)], width)]
    if any(each.is_few for each in (*found.totals, *found.changes)):
        lines.append(
            fit([span(f"~ fewer than {MIN_CUSTOMERS} customers; may be due to chance.", Role.DIM)], width)
        )
    return tuple(lines)


def comparison_heading(width: int) -> Line:
    right = f"{'before':>{_SHARE}}{'after':>{_SHARE}}{'points':>{_POINTS}}"
    return fit([span("share", Role.DIM)], width, [span(right, Role.DIM)])


def comparison_row(change: ShareChange, width: int, glyphs: Glyphs) -> Line:
    """Return a share before and after, and the difference in points of a hundred."""
    shares = "".join(f"{_format_share(each):>{_SHARE}}" for each in (change.before, change.after))
    left: list[Span] = []
    if change.node is not None:
        left.append(Span(show_line(change.node.title.strip() or change.node.id, _TITLE_LIMIT)))
    if change.exit is not None:
        title = show_line(change.exit.title.strip() or change.exit.id, _TITLE_LIMIT)
        left += [span(glyphs.becomes, Role.DIM), Span(title, Role.ACCENT)]
    else:
        left.append(span(f"{'  ' if left else ''}{change.measure}", Role.DIM if left else Role.STRONG))
    points = span(f"{points_words(change):>{_POINTS}}", _points_role(change))
    return fit(left, width, [span(shares), points])


def points_words(change: ShareChange) -> str:
    """`+3.1`, `-0.4`, with `~` for few customers; `new` and `gone` for what only one of the graphs has."""
    if change.before is None:
        return "new"
    if change.after is None:
        return "gone"
    if change.points is None:
        return "?"
    return f"{'~' if change.is_few else ''}{change.points * 100:+.1f}"


def _points_role(change: ShareChange) -> Role:
    if not change.points or change.is_few or change.measure not in _GOOD_WHEN_MORE:
        return Role.TEXT if change.points else Role.DIM
    return Role.GOOD if (change.points > 0) is _GOOD_WHEN_MORE[change.measure] else Role.BAD


def _format_share(part: Share | None) -> str:
    return "" if part is None else share_words(part.share) or "?"


def _totals_line(when: str, traffic: WorkflowTraffic, width: int) -> Line:
    if traffic.state is not TrafficState.SHOWN:
        return fit([span(f"{when:<8}"), span(traffic.state, Role.DIM)], width)
    words = f"{count_words(traffic.started)} started, {count_words(traffic.completed)} completed"
    return fit([span(f"{when:<8}"), span(f"{words}, {count_words(traffic.dropped)} dropped", Role.STRONG)], width)


YOURS, THEIRS, BOTH = "What you have changed", "What they have changed", "What both have changed differently"

_PLACE_LIMIT, _SIDE_LIMIT, MAX_CONFLICTS = 40, 120, 200


def conflict_count(conflicts: Sequence[MergeConflict]) -> str:
    return counted(len(conflicts), "place was", "places were") + " changed differently by both"


def conflict_sentences(conflict: MergeConflict) -> tuple[SafeText, SafeText, SafeText, SafeText]:
    name = show_line(conflict.title or conflict.node_id, _PLACE_LIMIT).text
    identity = show_line(conflict.node_id, _PLACE_LIMIT).text
    node = f'"{name}" ({identity})' if conflict.title else identity
    field = show_line(conflict.field or ("the whole node" if conflict.node_id else "the whole workflow"), 80).text
    place = f"{node}, {field}" if conflict.node_id else field
    values = [
        show_line(_format_json(each), _SIDE_LIMIT) for each in (conflict.base, conflict.mine, conflict.theirs)
    ]
    return SafeText(place), values[0], values[1], values[2]


def three_way_facts(found: ThreeWay, view: RenderContext) -> Iterator[Fact]:
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


OLDEST = "the oldest kept"

NO_VERSIONS = "No versions saved yet. frontdesk saves one each time it fully loads a changed workflow."


def coverage_words(records: Sequence[VersionRecord], when: Callable[[float], str]) -> str:
    """Say since when versions are kept, newest first, and what was never seen."""
    if not records:
        return NO_VERSIONS
    oldest = records[-1]
    words = f"Kept since {when(oldest.at)}."
    if oldest.number > 1:
        gone = oldest.number - 1
        words += f" {gone:,} older {'was' if gone == 1 else 'were'} deleted (at most {MOST[LOADED]} are kept)."
    return words + " Unknown: versions from before that, and any that came and went between two loads."
