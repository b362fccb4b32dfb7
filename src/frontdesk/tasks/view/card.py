"""A task as a card of the board.

Called by the board's columns.
"""

from collections.abc import Sequence

from frontdesk.config.render_context import RenderContext
from frontdesk.storage.records import TaskRecord
from frontdesk.text import relative_time
from frontdesk.text.display_text import SafeText, show_line
from frontdesk.text.glyphs import Glyphs
from frontdesk.text.lines import Line, Role, Span, crop, fit, fit_reading, span, width_of

HEIGHT = 4


def card(task: TaskRecord, width: int, view: RenderContext) -> tuple[Line, ...]:
    """Title, customer, people; unread, when due and how old at the right. The last line parts two cards."""
    signs = [span(f" {view.glyphs.unread} {task.unread}", Role.BADGE)] if task.unread else []
    if task.pending:
        signs.append(span(f" {view.glyphs.pending}", Role.PENDING))
    done = task.status == "completed"
    name = span(show_line(task.title or "(no title)"), Role.DIM if done else Role.STRONG)
    title = fit_reading(name, width, signs)
    customer = show_line(task.customer_name or task.customer_id or "no customer", 40)
    due = None if done else relative_time.due(task.due_at, view.now, view.zone)
    second = fit_reading(span(customer), width, [due] if due is not None else [])
    age = relative_time.stamp(task.updated_at or task.created_at, view.now, view.zone)
    third = fit(_people(task, view), width, [span(age, Role.DIM)] if age else [])
    return title, second, third, fit([], width)


def beyond(left: Sequence[SafeText], right: Sequence[SafeText], width: int, signs: Glyphs) -> Line:
    """The columns out of sight at either side: the nearest by its name, and how many there are besides."""
    sides: list[list[Span]] = []
    if left:
        sides.append([span(f"{signs.left} ", Role.DIM), span(left[-1], Role.DIM), _besides(left)])
    if right:
        sides.append([span(right[0], Role.DIM), _besides(right), span(f" {signs.right}", Role.DIM)])
    room = max(1, (width - 2 * (len(sides) - 1)) // max(1, len(sides)))
    parts = [part for side in sides for part in (span("  "), *_shortened(side, room))]
    return tuple(parts[1:])


def _besides(names: Sequence[SafeText]) -> Span:
    return span(f" +{len(names) - 1}" if len(names) > 1 else "", Role.DIM)


def _shortened(side: Sequence[Span], width: int) -> Line:
    """Where it is narrow the longest part, the name, gives way."""
    longest = max(side, key=lambda part: width_of([part]))
    room = max(1, width - width_of(side) + width_of([longest]))
    return tuple(part for each in side for part in (crop([each], room) if each is longest else (each,)))


def _people(task: TaskRecord, view: RenderContext) -> list[Span]:
    if not task.assigned:
        return [span("nobody", Role.DIM)]
    words: list[Span] = []
    for each in task.assigned:
        if words:
            words.append(span(", ", Role.DIM))
        words.append(span(view.person(each), Role.ACCENT if each == view.names.me else Role.DIM))
    return words
