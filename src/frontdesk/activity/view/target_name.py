"""What an action works on, by its name: a task with its customer, a conversation, a campaign.

Called by toasts, plans, undo and Activity.
"""

from frontdesk.api.contract.ids import ConversationId, TaskId
from frontdesk.app.reader import Reader
from frontdesk.inbox.view.conversation_row import name_of
from frontdesk.storage.records import Change, ChangeKind, TaskRecord
from frontdesk.text.display_text import NOTHING, SafeText, show_line, trusted
from frontdesk.workflows.view.pending import APART


def conversation_name(reads: Reader, conversation_id: ConversationId) -> SafeText:
    """The customer of a conversation, else its id."""
    record = reads.conversation(conversation_id)
    return show_line(conversation_id, 60) if record is None else name_of(record)


def customer_name(reads: Reader, task: TaskRecord) -> SafeText:
    """The customer of a task: the name, else the number or id."""
    if task.customer_name or task.conversation_id is None:
        return show_line(task.customer_name, 30)
    record = reads.conversation(task.conversation_id)
    return NOTHING if record is None else show_line(name_of(record).text, 30)


def task_for_customer(reads: Reader, task: TaskRecord) -> SafeText:
    """A task in a sentence: `"Late delivery" for Dana Levi`."""
    title, customer = show_line(task.title or "(no title)", 40).text, customer_name(reads, task).text
    return trusted(f'"{title}" for {customer}' if customer else f'"{title}"')


def change_target(reads: Reader, change: Change) -> SafeText:
    """What a change was made on."""
    if change.kind is ChangeKind.TASK:
        task = reads.task(TaskId(change.target))
        return show_line(change.target, 60) if task is None else task_for_customer(reads, task)
    if change.kind.about in APART:
        return show_line(change.fields.get("name") or change.target, 60)
    return conversation_name(reads, ConversationId(change.target))


def and_more(first: SafeText, count: int) -> SafeText:
    """The first of several by its name, and how many more there are."""
    return trusted(f"{first.text} and {count - 1:,} more") if count > 1 else first
