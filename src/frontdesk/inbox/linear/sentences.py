"""Conversations, messages and search results as plain sentences: one thing a line, what matters first."""

from collections.abc import Sequence

from frontdesk.config.facts import GAP, heading
from frontdesk.config.render_context import RenderContext
from frontdesk.inbox.store.customer_history import CustomerHistory
from frontdesk.inbox.store.notes import TeamNote
from frontdesk.inbox.view.conversation_row import NO_VALUE, customer_facts, wait_words
from frontdesk.inbox.view.message import STATUS_WORDS, MessageEntry
from frontdesk.inbox.view.note import kind_words, receipt_words, state_words
from frontdesk.inbox.view.parties import Parties, shown_agent
from frontdesk.inbox.view.thread import BeginningEntry, DayEntry, Entry, GapEntry, NewEntry, NoteEntry
from frontdesk.inbox.view.thread_document import PartKind, message_part
from frontdesk.linear.sentences import assigned_words, capitalize, due, inline_text, join_sentence, speak
from frontdesk.outbox.changes import COMPLETED
from frontdesk.outbox.snooze_view import snooze_words
from frontdesk.outbox.snoozes import SnoozeState
from frontdesk.service_clocks.clocks import wait_of
from frontdesk.service_clocks.store import NearestClock
from frontdesk.service_clocks.view import nearest_words
from frontdesk.storage.record_lookup import customer_of
from frontdesk.storage.records import ChangeState, ConversationRecord, Json, SearchHit, TaskRecord
from frontdesk.text.relative_time import clock, spoken_day
from frontdesk_api import json_access
from frontdesk_api.contract.ids import TagId
from frontdesk_lines.display_text import BODY_LIMIT, BODY_LINES, NOTHING, SafeText, body_lines, counted, trusted

_ABOUT_LETTERS = 160
"""Of the post or message that a message is about, before its own text."""

_SENDERS = {"bot": "bot", "campaign": "campaign", "ai": "AI"}


def conversation(
    record: ConversationRecord,
    view: RenderContext,
    call: TeamNote | None = None,
    snooze: SnoozeState | None = None,
    clock: NearestClock | None = None,
    task: TaskRecord | None = None,
) -> SafeText:
    """Word a conversation as a row of a list.

    Args:
        call: a note that mentions the reader or hands it over.
        task: the one that the row is about, where words about tasks choose it.
    """
    last_words = _last_words(record)
    if task is not None:
        record = record.about(task)
        last_words = last_words if record.thread_known else NOTHING
    parts: list[SafeText | str] = [inline_text(customer_of(record), 60)]
    if call is not None:
        parts.append("a note mentions you" if call.hand_over_to is None else "handed over to you")
    if snooze is not None:
        is_asleep = snooze.woke_at is None
        parts.append(f"snoozed {snooze_words(snooze.snooze, view)}" if is_asleep else "snooze over")
    if record.unread:
        parts.append(f"{record.unread:,} unread")
    wait = wait_of(record, view.now)
    if wait.seconds is not None:
        parts.append(f"waiting for {wait_words(wait)}")
    elif record.active_at is not None:
        parts.append(f"last active {view.spoken_moment(record.active_at)}")
    if wait.doubt:
        parts.append("waiting time unknown")
    if clock is not None:
        parts.append(nearest_words(clock, view))
    is_open = task is not None and task.status != COMPLETED
    if task is not None:
        parts.append(f"{'' if is_open else 'completed '}task {inline_text(task.title or 'untitled', 60).text}")
    if record.open_tasks and not is_open:
        parts.append(counted(record.open_tasks, "open task"))
    elif record.open_tasks > 1:
        parts.append(f"1 of {record.open_tasks:,} open tasks")
    if record.open_tasks or task is not None:
        parts.append("" if record.due_at is None else due(record.due_at, view))
        parts.append(assigned_words(record.assigned, view))
    if record.pending:
        parts.append("unconfirmed change")
    return trusted(f"{join_sentence(parts).text} {last_words.text}".rstrip())


def conversation_facts(
    record: ConversationRecord, view: RenderContext, history: CustomerHistory | None = None
) -> list[SafeText]:
    told = {each.name: each for each in customer_facts(record, view, history) if each.value != NO_VALUE}
    who = [heading(customer_of(record)), *(told[each] for each in ("number", "channel", "line") if each in told)]
    if "window" in told:
        told["window"] = told["window"]._replace(label="reply window")  # no screen around it says which one
    return speak([*who, GAP, *(told[each] for each in ("also on", "waiting", "window") if each in told)], view)


def added_tags(tags: Sequence[tuple[TagId, float, ChangeState]], view: RenderContext) -> SafeText:
    """Return the tags added in frontdesk; the interface has no way to read the others."""
    if not tags:
        return trusted("No tags added in frontdesk.")
    names = [
        inline_text(view.tag(tag), 40).text + ("" if state is ChangeState.CONFIRMED else " (unconfirmed)")
        for tag, _, state in tags
    ]
    return trusted(f"Tags added in frontdesk: {', '.join(names)}.")


def entry(of: Entry, view: RenderContext, parties: Parties) -> list[SafeText]:
    match of:
        case DayEntry():
            return [join_sentence([capitalize(spoken_day(of.at, view.now, view.zone))])]
        case GapEntry(is_start=True):
            return [trusted("Older messages aren't loaded. To load them, type older.")]
        case GapEntry():
            return [trusted("Messages are missing here. To load them, type older.")]
        case BeginningEntry():
            return [trusted("The thread starts here.")]
        case MessageEntry():
            return message(of, view, parties)
        case NewEntry():
            return [trusted("New messages:")]
        case NoteEntry():
            return note(of.note, view)
    return []


def note(of: TeamNote, view: RenderContext) -> list[SafeText]:
    """Return a note: before its first line the time, whose it is, and that only the team sees it."""
    state = state_words(of, receipt_words(of, view)).replace(":", ",", 1)
    what = f"{clock(of.at, view.zone)}, team {kind_words(of, view).replace(' · ', ' by ')}"
    first, *rest = body_lines(of.text) or (NOTHING,)
    return [trusted(f"{', '.join(filter(None, (what, state)))}: {first.text}"), *rest]


def message(of: MessageEntry, view: RenderContext, parties: Parties) -> list[SafeText]:
    """Return a message: before its first line the time, the sender and how far it came."""
    part = message_part(of, view, parties, (BODY_LIMIT, BODY_LINES))
    when = clock(of.record.key.created_at / 1000, view.zone)
    if part.kind is PartKind.EVENT:
        return [join_sentence([f"{when}, {part.words}"])]
    answers = f"i{part.quote[1:]}" if of.answers else "in reply to a message that isn't loaded" * bool(part.quote)
    about = (inline_text(trusted(each), _ABOUT_LETTERS).text for each in (*part.facts, answers))
    head = ", ".join(filter(None, (when, sender(of.record.raw, parties).text, *about)))
    extras = (f"{each.label}: {', '.join(each.lines).replace(' · ', ', ')}" for each in part.extras)
    first, *rest = part.lines or ("",)
    return [
        trusted(f"{head}: {first}".rstrip()),
        *(trusted(each) for each in rest if each.strip()),
        *(join_sentence([inline_text(trusted(each), 400)]) for each in extras),
    ]


def sender(raw: Json, parties: Parties) -> SafeText:
    if raw.get("messageDirection") == "incoming":
        return inline_text(parties.shown_customer(raw, 60), 60)
    initiator = json_access.text(raw.get("initiator"))
    if initiator == "person":
        return trusted(f"agent {inline_text(shown_agent(raw, 60), 60).text}".rstrip())
    return inline_text(_SENDERS.get(initiator, initiator) or "outgoing", 30)


def hit(found: SearchHit, excerpt: str, view: RenderContext) -> SafeText:
    when = "" if found.at is None else view.spoken_moment(found.at)
    words = inline_text(excerpt.replace(" · ", ", "), 160).text
    return join_sentence([found.kind.capitalize(), inline_text(found.name or "no name", 60), when, words])


def _last_words(record: ConversationRecord) -> SafeText:
    words = inline_text(record.preview)
    if not words:
        return NOTHING if record.thread_known else trusted("Thread not loaded yet.")
    if not record.thread_known:
        return join_sentence([f"Task: {words.text}"])
    if record.preview_direction == "outgoing":
        status = STATUS_WORDS.get(record.preview_status, "")
        return join_sentence([f"Our last message{f', {status}' if status else ''}: {words.text}"])
    return join_sentence([f"Last message: {words.text}"])
