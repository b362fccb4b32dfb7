"""The linear mode's thread: a conversation, its messages page by page, and the news of messages and tasks."""

import contextlib
from collections.abc import Callable, Mapping, Sequence

from frontdesk.config.render_context import Catalogue, RenderContext
from frontdesk.inbox.commands import InboxCommands
from frontdesk.inbox.linear import sentences
from frontdesk.inbox.store import notes as note_store
from frontdesk.inbox.store import notifications, thread_pages
from frontdesk.inbox.store import threads as thread_store
from frontdesk.inbox.store.customer_history import customer_history
from frontdesk.inbox.store.thread_pages import MessageRecord
from frontdesk.inbox.view.message import MessageEntry, answered_id
from frontdesk.inbox.view.parties import parties_of
from frontdesk.inbox.view.thread import (
    DayEntry,
    GapEntry,
    NoteEntry,
    ThreadContext,
    entries,
    why_no_messages,
)
from frontdesk.linear.line_parser import NotUnderstood, split_numbers
from frontdesk.linear.printed_list import ListKind, PrintedPage
from frontdesk.linear.sentences import inline_text, join_sentence
from frontdesk.linear.session import Session
from frontdesk.outbox import queue as outbox_queue
from frontdesk.storage import change_feed, clients, record_lookup
from frontdesk.storage.clients import SyncRequests
from frontdesk.storage.record_lookup import CUSTOMER
from frontdesk.storage.records import ConversationRecord, MessagePosition
from frontdesk.storage.sql import ReadConnection
from frontdesk_api.contract.ids import ConversationId
from frontdesk_lines.display_text import SafeText, counted, show_line, show_name, trusted

MESSAGES = 10
"""Messages on a page."""

ANSWER_SECONDS = 20.0
"""How long `older` waits for an answer."""

THREAD_SECONDS = 10.0
"""How long to wait for a thread that was never read."""


_NOT_LOADED = "The thread isn't loaded yet. Type thread again in a moment."
GONE = "This conversation no longer exists."


def print_facts(session: Session, record: ConversationRecord) -> None:
    history = customer_history(session.db, record.conversation_id, ())
    session.print(*sentences.conversation_facts(record, session.view(), history))


def open_conversation(
    session: Session, conversation_id: ConversationId, at: MessagePosition | None = None
) -> None:
    """Print a conversation with its tasks and newest messages, marked read, or the messages around one."""
    record = record_lookup.conversation(session.db, conversation_id)
    if record is None:
        raise NotUnderstood(GONE)
    session.conversation_id, session.task_id = conversation_id, None
    session.report_focus_soon("inbox")
    print_facts(session, record)
    session.print(*session.types[ListKind.TASK].in_conversation(session, conversation_id, True))
    if tags := outbox_queue.added_tags(session.db, conversation_id):
        session.print(sentences.added_tags(tags, session.view()))
    if at is not None:
        print_around(session, at)
        return
    thread(session, "")
    InboxCommands(session.store).mark_read(conversation_id)
    session.wait_for(session.store.flush())


def print_around(session: Session, at: MessagePosition) -> None:
    """Print the page with this message in its middle."""
    session.pages = []
    follows = thread_pages.page_from(session.db, opened_conversation(session), at, MESSAGES // 2 + 1)
    _print_page(session, follows[-1].key if len(follows) > MESSAGES // 2 else None)
    session.print("To continue from here, type newer.")


def thread(session: Session, words: str) -> None:
    if words:
        chosen, _ = split_numbers(words)
        if chosen is None:
            raise NotUnderstood("Type thread, or thread N with a number from the list.")
        session.conversation_id = session.conversations_among([session.at_number(chosen[0])])[0]
        session.task_id, session.named_task = None, session.printed_list().tasks.get(session.conversation_id)
        session.report_focus_soon("inbox")
    _load(session, opened_conversation(session))
    session.pages = []
    _print_page(session, None)


def older(session: Session, words: str) -> None:
    """`older`: the messages before; what the store doesn't have is asked for. `older skip` reads past a gap."""
    conversation_id = opened_conversation(session)
    page = session.pages[-1] if session.pages else None
    if page is None or page.first is None:
        thread(session, "")
        return
    if not words.startswith("skip"):
        segments = thread_store.segments(session.db, conversation_id)
        segment = next((each for each in segments if each.oldest == page.first), None)
        if segment is not None and segment.complete:
            session.print("Nothing older: the thread starts here.")
            return
        if segment is not None and not fetch_older(session, page.first):
            return
    if not thread_pages.page_before(session.db, conversation_id, page.first, 1):
        session.print("Nothing older is loaded.")
        return
    _print_page(session, page.first)


def newer(session: Session, words: str) -> None:  # noqa: ARG001
    conversation_id = opened_conversation(session)
    if not session.pages:
        thread(session, "")
        return
    if len(session.pages) > 1:
        session.pages.pop()
        before = session.pages.pop().before
        _print_page(session, before)
        return
    last = session.pages[-1].last
    if last is None:
        thread(session, "")
        return
    # The last one itself may be gone: the store forgets what is oldest.
    found = thread_pages.page_from(session.db, conversation_id, last, MESSAGES + 2)
    come = [each for each in found if each.key != last]
    if not come:
        session.print("No newer messages.")
        return
    has_more, come = len(come) > MESSAGES, come[:MESSAGES]
    session.print(f"{counted(len(come), 'newer message')}:")
    _print_messages(session, come)
    session.pages[-1] = PrintedPage(None, session.pages[-1].first, come[-1].key)
    if has_more:
        session.print("There are more. To continue, type newer.")
    else:
        InboxCommands(session.store).mark_read(conversation_id)


def opened_conversation(session: Session) -> ConversationId:
    """Return the open conversation; raises NotUnderstood without one."""
    if session.conversation_id is None:
        raise NotUnderstood("No conversation is open. Type open N with a number from the list.")
    return session.conversation_id


def _load(session: Session, conversation_id: ConversationId) -> None:
    """Wait until the thread was read once: what is looked at is read at once."""

    def is_known() -> bool:
        record = record_lookup.conversation(session.db, conversation_id)
        return record is None or record.thread_loaded or record.line_id is None

    if is_known():
        return
    session.print("Loading the thread. Press ctrl+c to stop waiting.")
    with contextlib.suppress(KeyboardInterrupt):
        session.news.wait(is_known, THREAD_SECONDS)


def _print_page(session: Session, before: MessagePosition | None) -> None:
    """Print the page that ends before a message, and remember it; a gap begins a page."""
    conversation_id = opened_conversation(session)
    messages = thread_pages.page_before(session.db, conversation_id, before, MESSAGES)
    gaps = {each.oldest for each in thread_store.segments(session.db, conversation_id)}
    starts = [place for place, message in enumerate(messages) if message.key in gaps]
    messages = messages[starts[-1] :] if starts else messages
    if not messages:
        record = record_lookup.conversation(session.db, conversation_id)
        session.print(_NOT_LOADED if record is None else why_no_messages(record, _NOT_LOADED))
        if before is None:
            _print_messages(session, [])  # the notes
        session.pages.append(PrintedPage(before, None, None))
        return
    session.print(f"{_page_words(len(messages), is_newest=before is None)}:")
    _print_messages(session, messages)
    session.pages.append(PrintedPage(before, messages[0].key, messages[-1].key))


def _page_words(count: int, *, is_newest: bool) -> str:
    if count == 1:
        return "The newest message" if is_newest else "1 earlier message"
    return f"The newest {count} messages, oldest first" if is_newest else f"{count} earlier messages, oldest first"


def _print_messages(session: Session, messages: Sequence[MessageRecord]) -> None:
    """Print messages with the notes from the one before them up to the next page."""
    view, db, here = session.view(), session.db, opened_conversation(session)
    before = thread_pages.page_before(db, here, messages[0].key, 1) if messages else []
    follows = thread_pages.page_from(db, here, messages[-1].key, 2)[1:] if messages else []
    start = before[0].key.created_at / 1000 if before else float("-inf")
    end = messages[-1].key.created_at / 1000 if follows else float("inf")
    notes = note_store.of_conversation(db, here, session.store.catalogue.me)
    around = ThreadContext(
        before=before[0] if before else None,
        segments=thread_store.segments(db, here),
        answered=thread_pages.by_ids(db, here, {answered_id(each.raw) for each in messages} - {""}),
        notes=[note for note in notes if start <= note.at < end],
    )
    parties = parties_of(record_lookup.conversation(db, here))
    day_is_said = False
    for entry in entries(messages, around, view):
        if isinstance(entry, MessageEntry | NoteEntry) and not day_is_said:
            # On the screen the day stands above; a page that is heard begins with it.
            at = entry.note.at if isinstance(entry, NoteEntry) else entry.record.key.created_at / 1000
            session.print(*sentences.entry(DayEntry("day", at), view, parties))
        day_is_said = day_is_said or isinstance(entry, DayEntry | MessageEntry | NoteEntry)
        session.print(*sentences.entry(entry, view, parties))
        if isinstance(entry, GapEntry) and not entry.is_start:
            session.print("To skip them, type older skip.")


def fetch_older(session: Session, before: MessagePosition) -> bool:
    """Request older messages and wait; whether they have come."""
    session.print("Loading older messages. Press ctrl+c to stop waiting.")
    asked = session.wait_for(SyncRequests(session.store).request_older(opened_conversation(session), before))

    def is_answered() -> bool:
        ask = clients.request_by_id(session.db, asked)
        return ask is None or ask.state != "asked"

    try:
        came = session.news.wait(is_answered, ANSWER_SECONDS)
    except KeyboardInterrupt:
        came = False
    ask = clients.request_by_id(session.db, asked)
    if not came:
        session.console.has_failed = True
        session.print("No response yet. Messages are stored when they arrive. To try again, type older.")
        return False
    if ask is not None and ask.reason:
        session.console.has_failed = True
        why = show_line(ask.reason, 200).text
        session.print(trusted(f"Not loaded: {why}. To retry, type older; to skip them, older skip."))
        return False
    return True


TASK_KEY = "task "
"""The prefix of a task's key."""


class MessageNews:
    """News of messages and tasks that are mine, unassigned, or in the open conversation.

    Args:
        since: when listening began, Unix seconds; what is older is no news.
    """

    def __init__(
        self,
        db: ReadConnection,
        catalogue: Catalogue,
        since: float,
        reading: Callable[[], str],
        *,
        is_for_all: bool,
    ) -> None:
        self._db, self._catalogue, self._reading, self._is_for_all = db, catalogue, reading, is_for_all
        self._began = since
        # By the platform's clock: what is stored already is no news.
        newest = notifications.newest_at(db)
        self._since = since if newest is None else min(newest, since)
        self._known_until: dict[str, float] = {}

    def __call__(self, ids: Mapping[str, Sequence[str]], view: RenderContext) -> list[SafeText]:  # noqa: ARG002
        conversations = {*ids.get(change_feed.THREAD, ()), *ids.get(change_feed.CONVERSATION, ())}
        tasks = ids.get(change_feed.TASK, ())
        lines, reading = [], self._reading()
        for each in notifications.since(self._db, conversations, tasks, self._since, self._catalogue.me):
            is_here = each.conversation_id == reading and each.conversation_id != ""
            is_task = each.key.startswith(TASK_KEY)
            # What a store knows may be older than its tasks: a task is new when it was made since we began.
            if is_task and each.at <= self._began:
                continue
            mine = self._is_for_all or not each.assigned or self._catalogue.me in each.assigned
            if each.at <= self._known_until.get(each.key, 0.0) or not each.is_unread or not (mine or is_here):
                continue
            self._known_until[each.key] = each.at
            name = show_name(each.who, kind=CUSTOMER, key=each.conversation_id or each.key)
            who = inline_text(name, 60).text if each.who else "an unnamed customer"
            text = inline_text(each.says).text
            what = f"{each.what[:1].upper()}{each.what[1:]}, about" if each.what else "New message from"
            what = "New task about" if is_task else what
            here = ", in the open conversation" if is_here else ""
            lines.append(join_sentence([f"{what} {who}{here}{f': {text}' if text else ''}"]))
        return lines
