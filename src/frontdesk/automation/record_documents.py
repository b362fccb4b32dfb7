"""Records as documents and as text for a person's own programs; they hold no credential."""

import json
from datetime import datetime, tzinfo
from typing import Any

from frontdesk.campaigns.store import campaigns
from frontdesk.config.render_context import Catalogue
from frontdesk.inbox.store import thread_pages, threads
from frontdesk.inbox.store.customer_history import other_lines
from frontdesk.inbox.store.thread_pages import MessageRecord
from frontdesk.inbox.view.message_parts import message_text
from frontdesk.inbox.view.parties import INITIATOR_WORDS, agent_name
from frontdesk.outbox import queue
from frontdesk.outbox.task_fields import SEEN_FIELDS
from frontdesk.storage import record_lookup
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.record_lookup import AI_AGENT, WORKFLOW
from frontdesk.storage.records import ConversationRecord, RecordRef, TaskRecord
from frontdesk.workflows import store as workflows
from frontdesk_api import json_access
from frontdesk_api.contract.ids import AgentId, CampaignId, ConversationId, TaskId
from frontdesk_api.redaction import redact, redact_json
from frontdesk_lines.display_text import SafeText, show_line

MAX_MESSAGES = 200
"""The newest messages of a thread that a program gets."""

Document = dict[str, Any]


def placeholder_values(store: ProfileStore, ref: RecordRef | None) -> dict[str, str]:
    """Return the values of a command's placeholders; those of a record are empty where it has none."""
    profile = {"profile": store.profile.name}
    if ref is None:
        return profile
    conversation_id = _conversation_id(store, ref)
    found = conversation_id and record_lookup.conversation(store.reading, conversation_id)
    return profile | {
        "kind": ref.kind,
        "id": ref.id,
        "conversation_id": conversation_id or "",
        "number": found.number if found else "",
    }


def document(store: ProfileStore, ref: RecordRef) -> Document | None:
    """Return a record with what belongs to it, as JSON; None where it is gone.

    Times of frontdesk's own fields are Unix seconds, and null where they aren't known.
    """
    content = _content(store, ref)
    if content is None:
        return None
    found: Document = redact_json({"kind": ref.kind, "id": ref.id, "profile": store.profile.name, **content})
    return found


def text(store: ProfileStore, ref: RecordRef, zone: tzinfo) -> str | None:
    """Return a conversation, or a task with its conversation, as lines to read; None where it is gone."""
    lines: list[str] = []
    if ref.kind == "task":
        task = record_lookup.task(store.reading, TaskId(ref.id))
        if task is None:
            return None
        lines += _task_lines(task, store.catalogue, zone)
        if task.conversation_id is None:
            return redact("\n".join(lines))
    conversation_id = _conversation_id(store, ref)
    found = conversation_id and record_lookup.conversation(store.reading, conversation_id)
    if not found:
        return redact("\n".join(lines)) if lines else None
    customer = ", ".join(filter(None, (found.name, found.number, store.catalogue.line(found.line_id))))
    lines += [f"Customer: {customer or found.conversation_id}"]
    if ref.kind != "task":
        for each in record_lookup.tasks_of_conversation(store.reading, found.conversation_id):
            lines += _task_lines(each, store.catalogue, zone)
    return redact("\n".join([*lines, *_thread_lines(store, found, zone)]))


def name(store: ProfileStore, ref: RecordRef) -> SafeText:
    db = store.reading
    match ref.kind:
        case "conversation":
            return record_lookup.conversation_name(db, ConversationId(ref.id))
        case "task":
            task = record_lookup.task(db, TaskId(ref.id))
            return show_line(ref.id, 60) if task is None else record_lookup.task_for_customer(db, task)
        case "campaign":
            found = campaigns.watched_record(db, CampaignId(ref.id))
            return show_line(ref.id if found is None else found.name or ref.id, 60)
        case "workflow" | "ai_agent":
            kind = WORKFLOW if ref.kind == "workflow" else AI_AGENT
            return show_line(record_lookup.name_of(db, kind, ref.id) or ref.id, 60)
    change = queue.change(db, int(ref.id))
    return show_line(ref.id, 60) if change is None else record_lookup.change_target(db, change)


def _conversation_id(store: ProfileStore, ref: RecordRef) -> ConversationId | None:
    if ref.kind == "conversation":
        return ConversationId(ref.id)
    task = record_lookup.task(store.reading, TaskId(ref.id)) if ref.kind == "task" else None
    return None if task is None else task.conversation_id


def _content(store: ProfileStore, ref: RecordRef) -> Document | None:
    db = store.reading
    match ref.kind:
        case "conversation":
            found = record_lookup.conversation(db, ConversationId(ref.id))
            return None if found is None else _conversation(store, found, ref.message_id)
        case "task":
            task = record_lookup.task(db, TaskId(ref.id))
            if task is None:
                return None
            about = task.conversation_id and record_lookup.conversation(db, task.conversation_id)
            return {"task": _task(task), **(_conversation(store, about) if about else {"conversation": None})}
        case "campaign":
            return _parsed("campaign", campaigns.campaign_json(db, CampaignId(ref.id)))
        case "workflow":
            whole = workflows.text(db, ref.id)
            content = _parsed("workflow", whole) or _listed(store, WORKFLOW, ref)
            return {"is_whole": whole is not None, **content} if content else None
        case "ai_agent":
            return _listed(store, AI_AGENT, ref) or None
    from frontdesk.registry.changes import CHANGE_VIEWS

    change = queue.change(db, int(ref.id))
    if change is None:
        return None
    _, raw = CHANGE_VIEWS[change.kind].raw_record(change, db)
    return {"change": {"kind": str(change.kind), "target": change.target, "label": change.label, **raw}}


def _parsed(name: str, raw: str | None) -> Document | None:
    return None if raw is None else {name: json.loads(raw)}


def _listed(store: ProfileStore, kind: str, ref: RecordRef) -> Document:
    found = [each.raw for each in record_lookup.all_of(store.reading, kind) if each.document_id == ref.id]
    return {ref.kind: found[0]} if found else {}


def _conversation(store: ProfileStore, found: ConversationRecord, message_id: str = "") -> Document:
    names, db = store.catalogue, store.reading
    messages, has_all = _messages(store, found)
    return {
        "conversation": {
            "id": found.conversation_id,
            "customer": {"id": found.customer_id, "name": found.name, "number": found.number},
            "line": {"id": found.line_id, "label": names.line(found.line_id)},
            "channel": found.platform,
            "assigned": [{"id": each, "name": names.person(AgentId(each))} for each in found.assigned],
            "unread": found.unread,
            "waiting_since": found.waiting_since,
            "waiting_known": found.waiting_known,
            "other_lines": [
                {"id": each, "label": names.line(each)} for each in other_lines(db, found.conversation_id)
            ],
            "last_incoming_at": found.last_incoming_at,
        },
        "tasks": [_task(each) for each in record_lookup.tasks_of_conversation(db, found.conversation_id)],
        "messages": [each.raw for each in messages],
        "has_all_messages": has_all,
        "message": next((each.raw for each in messages if each.key.message_id == message_id), None),
    }


def _messages(store: ProfileStore, found: ConversationRecord) -> tuple[list[MessageRecord], bool]:
    """Return the newest messages, oldest first and without a gap, and whether there are no further ones."""
    db, conversation_id = store.reading, found.conversation_id
    messages = thread_pages.page_before(db, conversation_id, None, MAX_MESSAGES)
    segments = threads.segments(db, conversation_id)
    gaps = {each.oldest for each in segments}
    starts = [place for place, message in enumerate(messages) if message.key in gaps]
    messages = messages[starts[-1] :] if starts else messages
    is_whole = len(segments) == 1 and segments[0].complete and bool(starts)
    return messages, is_whole and found.waiting_known


def _task(task: TaskRecord) -> Document:
    """Return a task as the platform has it, with the pending changes that lists show in `now`."""
    return {**task.raw, "now": {each.key: each.value_of(task) for each in SEEN_FIELDS}}


def _task_lines(task: TaskRecord, names: Catalogue, zone: tzinfo) -> list[str]:
    due = f", due {_moment(task.due_at, zone)}" if task.due_at is not None else ""
    people = ", ".join(names.person(each) for each in task.assigned) or "nobody"
    title = f"Task: {task.title or '(no title)'} ({names.status(task.status)}{due}, assigned to {people})"
    return [title, *([task.body] if task.body else [])]


def _thread_lines(store: ProfileStore, found: ConversationRecord, zone: tzinfo) -> list[str]:
    messages, has_all = _messages(store, found)
    if not messages:
        return ["The thread isn't loaded." if not has_all else "The thread has no messages."]
    lines = [] if has_all else ["Not all messages are here; these are the newest ones that are loaded."]
    for each in messages:
        at = _moment(each.key.created_at / 1000, zone)
        lines.append(f"{at} {_sender(each, found)}: {message_text(each.raw) or '(no text)'}")
    return lines


def _sender(message: MessageRecord, found: ConversationRecord) -> str:
    if message.raw.get("messageDirection") == "incoming":
        return found.name or found.number or "customer"
    initiator = json_access.text(message.raw.get("initiator"))
    return agent_name(message.raw) or INITIATOR_WORDS.get(initiator) or initiator or "us"


def _moment(at: float, zone: tzinfo) -> str:
    return datetime.fromtimestamp(at, zone).strftime("%Y-%m-%d %H:%M")
