"""A task as a card of the board.

Called by the board's columns.
"""

from frontdesk.present import times
from frontdesk.present.lines import Line, Role, Span, fit, span
from frontdesk.present.view import View
from frontdesk.store.records import TaskRecord
from frontdesk.text import show_line

HEIGHT = 4


def card(task: TaskRecord, width: int, view: View) -> tuple[Line, ...]:
    """Title, customer, people; unread, when due and how old at the right. The last line parts two cards."""
    signs = [span(f" {view.glyphs.unread} {task.unread}", Role.BADGE)] if task.unread else []
    if task.pending:
        signs.append(span(f" {view.glyphs.pending}", Role.PENDING))
    done = task.status == "completed"
    title = fit([span(show_line(task.title or "(no title)"), Role.DIM if done else Role.STRONG)], width, signs)
    customer = show_line(task.customer_name or task.customer_id or "no customer", 40)
    due = None if done else times.due(task.due_at, view.now, view.zone)
    second = fit([span(customer)], width, [due] if due is not None else [])
    age = times.stamp(task.updated_at or task.created_at, view.now, view.zone)
    third = fit(_people(task, view), width, [span(age, Role.DIM)] if age else [])
    return title, second, third, fit([], width)


def _people(task: TaskRecord, view: View) -> list[Span]:
    if not task.assigned:
        return [span("nobody", Role.DIM)]
    words: list[Span] = []
    for each in task.assigned:
        if words:
            words.append(span(", ", Role.DIM))
        words.append(span(view.person(each), Role.ACCENT if each == view.names.me else Role.DIM))
    return words
