"""Names of records for sentences: a task with its customer, a conversation, the target of a change."""

import apsw

from frontdesk.api.contract.ids import ConversationId, TaskId
from frontdesk.storage import record_lookup
from frontdesk.storage.records import Change, ChangeKind, ConversationRecord, TaskRecord
from frontdesk.text.display_text import NOTHING, SafeText, show_line, trusted

STANDALONE = ("campaign", "workflow", "webhook")
"""Targets without a row of their own, so their changes are shown whole, not field by field."""


def customer_of(record: ConversationRecord) -> SafeText:
    """The customer's name, else the number or id."""
    return show_line(record.name or record.number or record.customer_id or record.conversation_id, 60)


def conversation_name(db: apsw.Connection, conversation_id: ConversationId) -> SafeText:
    """The customer of a conversation, else its id."""
    record = record_lookup.conversation(db, conversation_id)
    return show_line(conversation_id, 60) if record is None else customer_of(record)


def customer_name(db: apsw.Connection, task: TaskRecord) -> SafeText:
    """The customer of a task: the name, else the number or id."""
    if task.customer_name or task.conversation_id is None:
        return show_line(task.customer_name, 30)
    record = record_lookup.conversation(db, task.conversation_id)
    return NOTHING if record is None else show_line(customer_of(record).text, 30)


def task_for_customer(db: apsw.Connection, task: TaskRecord) -> SafeText:
    """A task in a sentence: `"Late delivery" for Dana Levi`."""
    title, customer = show_line(task.title or "(no title)", 40).text, customer_name(db, task).text
    return trusted(f'"{title}" for {customer}' if customer else f'"{title}"')


def change_target(db: apsw.Connection, change: Change) -> SafeText:
    """The name of a change's target."""
    if change.kind is ChangeKind.TASK:
        task = record_lookup.task(db, TaskId(change.target))
        return show_line(change.target, 60) if task is None else task_for_customer(db, task)
    if change.kind.about in STANDALONE:
        return show_line(change.fields.get("name") or change.target, 60)
    return conversation_name(db, ConversationId(change.target))


def and_more(first: SafeText, count: int) -> SafeText:
    """The first of several by its name, and how many more there are."""
    return trusted(f"{first.text} and {count - 1:,} more") if count > 1 else first
