"""The traffic of a workflow before and after, as lines: shares beside each other and by how much they differ.

Called by the dialog that compares snapshots and `frontdesk workflows snapshots --compare`.
"""

from frontdesk.text.display_text import show_line, trusted
from frontdesk.text.glyphs import Glyphs
from frontdesk.text.lines import EMPTY, Line, Role, Span, fit, span, wrapped
from frontdesk.workflows.snapshots import FEW, Comparison, Share, ShareChange, ShareMeasure
from frontdesk.workflows.tree.traffic import TrafficState, WorkflowTraffic
from frontdesk.workflows.view.tree import count_words, share_words

_SHARE, _POINTS = 9, 9
_TITLE_LIMIT = 80
_GOOD_WHEN_MORE = {ShareMeasure.COMPLETED: True, ShareMeasure.DROPPED: False, ShareMeasure.LEFT: False}


def comparison_lines(found: Comparison, width: int, glyphs: Glyphs, most: int = 200) -> tuple[Line, ...]:
    """The whole comparison, with a limited number of nodes and exits."""
    lines = [_counted("before", found.before, width), _counted("after", found.after, width)]
    if not found.tells:
        return (*lines, EMPTY, fit([span("There is nothing to compare.", Role.DIM)], width))
    if not found.is_begun:
        words = trusted("Nothing was counted since: there are no shares yet that could be compared.")
        return (*lines, EMPTY, *wrapped(words, width, Role.DIM))
    lines += [EMPTY, comparison_heading(width)]
    lines += [comparison_row(each, width, glyphs) for each in found.totals]
    if found.changes:
        lines.append(EMPTY)
        lines += [comparison_row(each, width, glyphs) for each in found.changes[:most]]
    if len(found.changes) > most:
        lines.append(fit([span(f"and {len(found.changes) - most:,} that differ less", Role.DIM)], width))
    if found.same:
        shares = "1 other share is" if found.same == 1 else f"{found.same:,} other shares are"
        lines += [EMPTY, fit([span(f"{shares} the same.", Role.DIM)], width)]
    if any(each.is_few for each in (*found.totals, *found.changes)):
        lines.append(fit([span(f"~ is of fewer than {FEW} customers and may be chance.", Role.DIM)], width))
    return tuple(lines)


def comparison_heading(width: int) -> Line:
    """The heading of the columns."""
    right = f"{'before':>{_SHARE}}{'after':>{_SHARE}}{'points':>{_POINTS}}"
    return fit([span("share", Role.DIM)], width, [span(right, Role.DIM)])


def comparison_row(change: ShareChange, width: int, glyphs: Glyphs) -> Line:
    """A share before and after, and the difference in points of a hundred."""
    shares = "".join(f"{_share(each):>{_SHARE}}" for each in (change.before, change.after))
    left: list[Span] = []
    if change.node is not None:
        left.append(Span(show_line(change.node.title.strip() or change.node.id, _TITLE_LIMIT)))
    if change.exit is not None:
        title = show_line(change.exit.title.strip() or change.exit.id, _TITLE_LIMIT)
        left += [span(glyphs.becomes, Role.DIM), Span(title, Role.ACCENT)]
    else:
        left.append(span(f"{'  ' if left else ''}{change.measure}", Role.DIM if left else Role.STRONG))
    points = span(f"{points_words(change):>{_POINTS}}", _role(change))
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


def _role(change: ShareChange) -> Role:
    if not change.points or change.is_few or change.measure not in _GOOD_WHEN_MORE:
        return Role.TEXT if change.points else Role.DIM
    return Role.GOOD if (change.points > 0) is _GOOD_WHEN_MORE[change.measure] else Role.BAD


def _share(part: Share | None) -> str:
    return "" if part is None else share_words(part.share) or "?"


def _counted(when: str, traffic: WorkflowTraffic, width: int) -> Line:
    if traffic.state is not TrafficState.SHOWN:
        return fit([span(f"{when:<8}"), span(traffic.state, Role.DIM)], width)
    words = f"{count_words(traffic.started)} started, {count_words(traffic.completed)} completed"
    return fit([span(f"{when:<8}"), span(f"{words}, {count_words(traffic.dropped)} dropped", Role.STRONG)], width)
