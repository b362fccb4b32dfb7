"""The linear mode's sentences of a task: as a row of a list, and all of it."""

from frontdesk.config.render_context import RenderContext
from frontdesk.linear.sentences import assigned_words, inline_text, join_sentence, speak
from frontdesk.linear.sentences import due as due_words
from frontdesk.outbox.changes import COMPLETED
from frontdesk.service_clocks.store import NearestClock
from frontdesk.service_clocks.view import nearest_words
from frontdesk.storage.record_lookup import name_on_task
from frontdesk.storage.records import TaskRecord
from frontdesk.tasks.view import TaskFacts, about
from frontdesk_lines.display_text import SafeText, body_lines, trusted

_IN_SENTENCE = ("status", "due", "SLA", "assigned", "unread", "customer", "linked")
"""Facts that the sentence of a task tells, and its conversation's id."""


def task_sentence(record: TaskRecord, view: RenderContext, clock: NearestClock | None = None) -> SafeText:
    """Word a task as a row of a list."""
    customer = name_on_task(record, unknown=record.customer_id or "")
    when = ""
    if record.due_at is not None:
        is_done = record.status == COMPLETED
        when = f"was due {view.spoken_moment(record.due_at)}" if is_done else due_words(record.due_at, view)
    return join_sentence(
        [
            inline_text(record.title or "untitled"),
            f"status {inline_text(view.status(record.status), 60).text}",
            f"customer {inline_text(customer, 60).text}" if customer else "",
            when,
            "" if clock is None else nearest_words(clock, view),
            assigned_words(record.assigned, view),
            f"{record.unread:,} unread" if record.unread else "",
            "unconfirmed change" if record.pending else "",
        ]
    )


def task_facts(told: TaskFacts, view: RenderContext) -> list[SafeText]:
    """Word a task, what its sentence leaves out, and its text."""
    more = (each for each in about(told, view) if each.name not in _IN_SENTENCE)
    body = body_lines(told.task.body or None, 4_000, 80)
    text = (trusted("Text:"), *body) if body else (trusted("No text."),)
    return [task_sentence(told.task, view, told.clock), *speak(more, view), *text]
