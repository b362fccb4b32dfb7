"""Records as plain sentences: one thing a line, what matters first, no sign without a word.

Called by the linear mode, for people who hear a screen. Text keeps its logical order: a screen
reader, unlike a terminal's cells, wants right-to-left words as they were written.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from frontdesk.api.contract.ids import TagId
from frontdesk.app.change_views import CHANGE_VIEWS
from frontdesk.campaigns.models import CampaignRecord
from frontdesk.campaigns.view.row import steps_in_words
from frontdesk.config.render_context import RenderContext
from frontdesk.inbox.view import message_parts
from frontdesk.inbox.view.message import TYPE_WORDS, Parties, Spoken, informative, text_of
from frontdesk.inbox.view.thread import BeginningEntry, DayEntry, Entry, GapEntry, MessageEntry, NewEntry
from frontdesk.storage import json_access
from frontdesk.storage.record_names import customer_of
from frontdesk.storage.records import (
    NEEDS_PERSON,
    Change,
    ChangeState,
    ConversationRecord,
    InvalidItem,
    Json,
    SearchHit,
    TaskRecord,
)
from frontdesk.text.delivery_status import CAMPAIGN_WORDS
from frontdesk.text.display_text import NOTHING, SafeText, body_lines, show_line, trusted
from frontdesk.text.relative_time import WINDOW, clock
from frontdesk.text.spoken_time import counted, day, due, length, moment

PREVIEW = 100
HIDDEN = trusted("The message above holds hidden characters; they were shown or taken out.")

STATUS_WORDS = {
    "read": "read by the customer",
    "played": "played by the customer",
    "delivered": "delivered",
    "sent": "sent",
    "failed": "failed",
    "optOut": "not sent, the customer opted out",
    "tooManyRequests": "not sent, too many requests",
    "duplicateMessage": "not sent, a duplicate",
    "pending": "waits to be sent",
    "inProcess": "being sent",
    "scheduled": "scheduled",
    "standby": "on standby",
}
_SENDERS = {"bot": "bot", "campaign": "campaign", "ai": "AI"}


def said(raw: object, limit: int = PREVIEW) -> SafeText:
    """Outside text within a sentence: its lines run on, and what is cut is said in words."""
    shown = show_line(raw, 20_000)
    text = " ".join(shown.text.replace("␤", " ").split())
    if len(text) > limit:
        text = f"{text[:limit].rstrip()}, and more"
    return SafeText(text, shown.was_sanitized)


def joined(parts: Iterable[SafeText | str], end: str = ".") -> SafeText:
    """Parts as one sentence, empty ones left out."""
    texts = [part if isinstance(part, str) else part.text for part in parts]
    sentence = ", ".join(text for text in texts if text)
    return trusted(sentence if sentence.endswith((".", "!", "?", ":")) else sentence + end)


def conversation(record: ConversationRecord, view: RenderContext) -> SafeText:
    """A conversation of a list: who, what is unread, who waits, the last words, tasks, whose."""
    parts: list[SafeText | str] = [said(customer_of(record).text, 60)]
    if record.unread:
        parts.append(f"{record.unread:,} unread")
    if record.waiting_since is not None:
        parts.append(f"waiting for {length(max(0.0, view.now - record.waiting_since))}")
    elif record.active_at is not None:
        parts.append(f"last active {moment(record.active_at, view.now, view.zone)}")
    if record.open_tasks:
        parts.append(counted(record.open_tasks, "open task"))
        parts.append("" if record.due_at is None else due(record.due_at, view.now, view.zone))
        parts.append(f"assigned to {_people(record.assigned, view)}" if record.assigned else "nobody assigned")
    if record.pending:
        parts.append("a change waits to be sent")
    return trusted(f"{joined(parts).text} {_last_words(record).text}".rstrip())


def conversation_facts(record: ConversationRecord, view: RenderContext) -> list[SafeText]:
    """Who the customer is, on which line, and whether a free answer is probably possible."""
    who = [
        said(customer_of(record).text, 60),
        said(f"number {record.number}" if record.number else "", 60),
        said(f"on {record.platform}" if record.platform else "", 40),
        said(f"line {view.names.line(record.line_id)}" if record.line_id else "", 60),
    ]
    facts = [joined(who)]
    if record.waiting_since is not None:
        waited = length(max(0.0, view.now - record.waiting_since))
        facts.append(trusted(f"The customer has been waiting for {waited}."))
    if record.last_incoming_at is not None and record.platform in ("", "whatsapp"):
        ends_at = record.last_incoming_at + WINDOW
        ends = moment(ends_at, view.now, view.zone)
        facts.append(
            trusted(f"A free answer is probably possible until about {ends}.")
            if ends_at > view.now
            else trusted("The time for a free answer is over, by our estimate.")
        )
    return facts


def tags_given(tags: Sequence[tuple[TagId, float, ChangeState]], view: RenderContext) -> SafeText:
    """Tags given from here; the interface has no way to read the others."""
    if not tags:
        return trusted("No tags given from here.")
    names = [
        said(view.names.tag(tag).title, 40).text
        + ("" if state is ChangeState.CONFIRMED else " (not confirmed yet)")
        for tag, _, state in tags
    ]
    return trusted(f"Tags given from here: {', '.join(names)}.")


def task(record: TaskRecord, view: RenderContext) -> SafeText:
    """A task of a list: what, its status, for whom, due when, whose."""
    parts: list[SafeText | str] = [
        said(record.title or "no title"),
        said(f"status {view.names.status(record.status)}", 60),
        said(f"customer {record.customer_name or record.customer_id}" if _has_customer(record) else "", 60),
    ]
    if record.due_at is not None:
        is_done = record.status == "completed"
        when = f"was due {moment(record.due_at, view.now, view.zone)}"
        parts.append(when if is_done else due(record.due_at, view.now, view.zone))
    parts.append(f"assigned to {_people(record.assigned, view)}" if record.assigned else "nobody assigned")
    if record.unread:
        parts.append(f"{record.unread:,} unread")
    if record.pending:
        parts.append("a change waits to be sent")
    return joined(parts)


def task_facts(record: TaskRecord, view: RenderContext) -> list[SafeText]:
    """All of a task: the sentence of the list, its times and its text."""
    facts = [task(record, view)]
    for label, at in (("Made", record.created_at), ("Last changed", record.updated_at)):
        if at is not None:
            facts.append(trusted(f"{label} {moment(at, view.now, view.zone)}."))
    body = body_lines(record.body or None, 4_000, 80)
    return [*facts, *((trusted("Text:"), *body) if body else (trusted("No text."),))]


def entry(of: Entry, view: RenderContext, parties: Parties) -> list[SafeText]:
    """A message, a day, a gap or the beginning of a thread."""
    match of:
        case DayEntry():
            return [joined([_capital(day(of.at, view.now, view.zone))])]
        case GapEntry(is_start=True):
            return [trusted("Older messages are not loaded: the command older loads them.")]
        case GapEntry():
            return [trusted("Messages are missing here: the command older loads them.")]
        case BeginningEntry():
            return [trusted("The thread begins here.")]
        case MessageEntry():
            return message(of.spoken, view, parties)
        case NewEntry():
            return [trusted("New since you last read:")]
    return []


def message(spoken: Spoken, view: RenderContext, parties: Parties) -> list[SafeText]:
    """A message: before its first line the time, the sender and how far it came."""
    raw = spoken.record.raw
    when = clock(spoken.record.key.created_at / 1000, view.zone)
    kind = json_access.text(raw.get("type"))
    if kind == "informative":
        return [joined([f"{when}, {informative(raw)}"])]
    notes = [sender(raw, parties.customer).text]
    if kind == "deleted":
        return [trusted(f"{when}, {notes[0]}: this message was deleted.")]
    if kind == "note":
        notes.append("internal note, not sent to the customer")
    elif kind not in TYPE_WORDS:
        notes.append(f"type {said(kind, 40).text}")
    elif words := TYPE_WORDS[kind]:
        notes.append(words)
    if raw.get("messageDirection") != "incoming" and (status := json_access.text(raw.get("status"))):
        notes.append(STATUS_WORDS.get(status) or f"status {said(status, 20).text}")
    if spoken.answers_id:
        quoted = said((spoken.answers and text_of(spoken.answers.raw)) or "a message that isn't loaded", 60)
        notes.append(f"in answer to {quoted.text}")
    body = body_lines(raw.get("message") or None)
    extras = _extras(raw, parties)
    head = f"{when}, {', '.join(notes)}"
    texts = [part.text for part in body] or ["" if extras else "no text"]
    lines = [
        trusted(f"{head}: {texts[0]}".rstrip()),
        *(trusted(text) for text in texts[1:] if text.strip()),
        *extras,
    ]
    return [*lines, HIDDEN] if any(part.was_sanitized for part in body) else lines


def sender(raw: Json, customer: str) -> SafeText:
    """Who wrote it, in full: the customer, a person of ours, or a machine."""
    if raw.get("messageDirection") == "incoming":
        return said(customer or json_access.text(raw.get("sender")) or "customer", 60)
    initiator = json_access.text(raw.get("initiator"))
    if initiator == "person":
        agent = raw.get("agentIdentification")
        name = json_access.text(agent.get("name")) if isinstance(agent, Mapping) else ""
        return trusted(f"agent {said(name, 60).text}".rstrip())
    return said(_SENDERS.get(initiator, initiator) or "outgoing", 30)


def change(record: Change, target: SafeText, view: RenderContext) -> SafeText:
    """A change of a list: what was done to what, when, and how far it came."""
    parts: list[SafeText | str] = [
        said(record.label),
        SafeText(f"on {said(target.text).text}"),
        f"made {moment(record.made_at, view.now, view.zone)}",
        CHANGE_VIEWS[record.kind].state_words(record, view.now),
    ]
    if record.reason:
        parts.append(trusted(f"because {said(record.reason, 200).text}"))
    return joined(parts)


def change_facts(record: Change, target: SafeText, view: RenderContext) -> list[SafeText]:
    """All of a change, and where a person has to decide, how."""
    facts = [change(record, target, view), *CHANGE_VIEWS[record.kind].sentences(record, view)]
    if record.state in NEEDS_PERSON:
        again = trusted("The command retry sends yours again; drop gives it up and leaves what is there.")
        facts.append(_compare_first(record) if CHANGE_VIEWS[record.kind].needs_review(record) else again)
    return facts


def outcome(record: Change, on: SafeText, view: RenderContext) -> SafeText | None:
    """What became of a change, said once when it is known; None while it is on its way."""
    label = f"{said(record.label).text}, on {on.text}"
    because = f", because {said(record.reason, 200).text}" if record.reason else ""
    match record.state:
        case ChangeState.CONFIRMED:
            # Of a workflow the platform's yes isn't all: what it has made of it may be something else.
            return trusted(f"Confirmed: {label}{because if record.kind.about == 'workflow' else ''}.")
        case ChangeState.REFUSED:
            return trusted(
                f"Refused: {label}{because}. "
                "The command activity lists it; retry sends it again, drop gives it up."
            )
        case ChangeState.CONFLICT:
            if CHANGE_VIEWS[record.kind].needs_review(record):
                return trusted(f"Conflict: {label}{because}. {_compare_first(record).text}")
            sides = " ".join(each.text for each in CHANGE_VIEWS[record.kind].sentences(record, view))
            return trusted(
                f"Conflict: {label}{because}. {sides} "
                "The command activity lists it; retry sends yours, drop leaves theirs."
            )
        case ChangeState.UNKNOWN:
            return trusted(f"Outcome unknown: {label}{because}. frontdesk will check it, or ask you.")
    return None


def _compare_first(record: Change) -> SafeText:
    return trusted(
        f"In a terminal, frontdesk outbox retry {record.change_id} compares theirs with yours; drop leaves theirs."
    )


def hit(found: SearchHit, excerpt: str, view: RenderContext) -> SafeText:
    """Something that a search found."""
    when = "" if found.at is None else moment(found.at, view.now, view.zone)
    words = said(excerpt.replace(" · ", ", "), 160).text
    return joined([found.kind.capitalize(), said(found.name or "no name", 60), when, words])


def campaign(record: CampaignRecord, view: RenderContext) -> SafeText:
    """A campaign of a list: name, state, how far."""
    counters = record.counters
    parts: list[SafeText | str] = [said(record.name or record.campaign_id, 80)]
    if record.problem:
        return joined([*parts, trusted(f"can't be read: {said(record.problem, 200).text}")])
    parts.append(said(CAMPAIGN_WORDS.get(record.status, record.status) or "not read yet", 40))
    if record.status == "scheduled" and record.scheduled_at is not None:
        parts.append(f"starts {moment(record.scheduled_at, view.now, view.zone)}")
    if counters.total:
        sent = "unknown number" if counters.sent is None else f"{counters.sent:,.0f}"
        parts += [f"{sent} of {counters.total:,.0f} sent"]
    if counters.failed:
        parts.append(f"{counters.failed:,.0f} failed")
    return joined(parts)


def campaign_facts(record: CampaignRecord, view: RenderContext) -> list[SafeText]:
    """All of a campaign: its times and every counter."""
    facts = [campaign(record, view)]
    for label, at in (
        ("Scheduled for", record.scheduled_at),
        ("Started", record.started_at),
        ("Completed", record.completed_at),
        ("Failed", record.failed_at),
        ("Read", record.read_at),
    ):
        if at is not None:
            facts.append(trusted(f"{label} {moment(at, view.now, view.zone)}."))
    if record.workflow_name:
        facts.append(joined([f"Workflow {said(record.workflow_name, 80).text}"]))
    if record.failure_reason:
        facts.append(joined([f"Because {said(record.failure_reason, 200).text}"]))
    return [*facts, *(joined([words]) for words in steps_in_words(record.counters))]


def broken(record: InvalidItem) -> SafeText:
    """An item that came and couldn't be read."""
    return joined(
        [trusted(f"Unreadable {said(record.kind, 20).text}"), said(record.place, 80), said(record.reason, 200)]
    )


def _last_words(record: ConversationRecord) -> SafeText:
    words = said(record.preview)
    if not words:
        return NOTHING if record.thread_known else trusted("Thread not read yet.")
    if not record.thread_known:
        return joined([f"Task: {words.text}"])
    if record.preview_direction == "outgoing":
        status = STATUS_WORDS.get(record.preview_status, "")
        return joined([f"Our last words{f', {status}' if status else ''}: {words.text}"])
    return joined([f"Last words: {words.text}"])


def _extras(raw: Json, parties: Parties) -> list[SafeText]:
    """What comes with a message besides its text."""
    lines = [f"Attachment: {each.replace(' · ', ', ')}" for each in message_parts.files(raw)]
    lines += [f"Under it: {each}" for each in message_parts.captions(raw)]
    texts, choices = message_parts.rich_content(raw)
    lines += [f"With it: {each}" for each in texts]
    if choices:
        lines.append(f"To choose from: {', '.join(choices)}")
    lines += [
        f"Translation{f' ({language})' if language else ''}: {words}"
        for language, words in message_parts.translations(raw)
    ]
    given = []
    for sign, count, whose in message_parts.reactions(raw):
        names = ", ".join(map(parties.name, whose))
        given.append((sign or "?") + (f" by {names}" if names else f" {count} times" if count > 1 else ""))
    if given:
        lines.append(f"Reactions: {'; '.join(given)}")
    if why := message_parts.reason(raw):
        lines.append(f"Error: {why}")
    return [joined([said(line, 400)]) for line in lines]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _has_customer(record: TaskRecord) -> bool:
    return bool(record.customer_name or record.customer_id)


def _people(people: Sequence[Any], view: RenderContext) -> str:
    names = [said(view.person(each).text, 40).text for each in people]
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
