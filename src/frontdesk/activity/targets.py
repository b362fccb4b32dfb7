"""Whom and what a change is about: the customer and the task, or the campaign, workflow or webhook."""

from dataclasses import dataclass

from frontdesk.outbox import conflicts
from frontdesk.storage import record_lookup
from frontdesk.storage.record_lookup import STANDALONE
from frontdesk.storage.records import Change
from frontdesk.storage.sql import ReadConnection
from frontdesk_api.contract.ids import ConversationId, TaskId
from frontdesk_lines.display_text import NOTHING, SafeText, show_line, trusted


@dataclass(frozen=True, slots=True)
class ChangeTarget:
    """A change's target.

    Attributes:
        who: the customer; of a campaign, workflow or webhook its name or id.
        what: the task's title in quotes, or the kind of a target that is no customer.
        conversation_id: the conversation that shows it; None where there is none.
        changed_by: of a conflict, the id of the agent who made the other change; empty where it isn't known.
    """

    who: SafeText
    what: SafeText = NOTHING
    conversation_id: ConversationId | None = None
    changed_by: str = ""


def find_target(db: ReadConnection, change: Change) -> ChangeTarget:
    if change.kind.about == record_lookup.TASK:
        task = record_lookup.task(db, TaskId(change.target))
        if task is None:
            return ChangeTarget(show_line(change.target, 60), trusted("task"))
        title = trusted(f'"{show_line(task.title or "(no title)", 60).text}"')
        customer = record_lookup.customer_name(db, task)
        if not customer.text and task.conversation_id is not None:
            customer = show_line(task.conversation_id, 40)
        named = (customer, title) if customer.text else (title, NOTHING)
        return ChangeTarget(*named, task.conversation_id, conflicts.author(db, change))
    if change.kind.about in STANDALONE:
        return ChangeTarget(record_lookup.standalone_name(db, change), trusted(change.kind.about))
    conversation_id = ConversationId(change.target)
    return ChangeTarget(record_lookup.conversation_name(db, conversation_id), NOTHING, conversation_id)
