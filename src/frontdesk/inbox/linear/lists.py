"""The linear mode's lists of conversations: all of a view, those that words find, and search results."""

from collections.abc import Sequence

from frontdesk.inbox import filter_words as inbox_saved_views
from frontdesk.inbox import search as inbox_search
from frontdesk.inbox.linear import sentences
from frontdesk.inbox.saved_views import all_views, shown_name
from frontdesk.inbox.store import conversations as conversation_store
from frontdesk.inbox.store import notes
from frontdesk.inbox.store.conversation_query import OF_THREADS, UNREAD, QueryTerm, next_order, orders, row_terms
from frontdesk.inbox.view.conversation_row import ORDER_WORDS
from frontdesk.inbox.view.highlights import excerpt
from frontdesk.linear.commands import close_opened
from frontdesk.linear.line_parser import NotUnderstood, find_choice, find_record
from frontdesk.linear.printed_list import ROWS, ListKind, PrintedList, Target
from frontdesk.linear.sentences import inline_text, join_sentence
from frontdesk.linear.session import Session
from frontdesk.outbox import snoozes
from frontdesk.service_clocks import store as clock_store
from frontdesk.storage import clients, full_text, record_lookup
from frontdesk.storage.coverage import Precision, count_sentence
from frontdesk.storage.records import ChangeKind, ConversationOrder, SearchHit, TaskRecord
from frontdesk_api.contract.ids import ConversationId
from frontdesk_lines.display_text import SafeText

MAX_HITS = 60
NOTHING_KNOWN = (
    "No conversations yet. They appear once they have a task on the platform, or when you type open LINE CUSTOMER."
)


def conversations(session: Session, words: str) -> None:
    rows, unread, order = ROWS, False, session.order
    parts, named = words.split(), []
    while parts:
        word = parts.pop(0)
        if word.isdecimal() and not parts:
            rows = max(1, int(word[:6]))
        elif word.lower() == "by" and parts:
            order = ConversationOrder(find_choice(parts.pop(0), [str(each) for each in _orders(session)]))
        elif word.lower() == "unread":
            unread = True
        else:
            named.append(word)
    view = _view(session, " ".join(named)) if named else inbox_saved_views.ALL
    _keep_order(session, order)
    db = session.db
    wanted = _wanted(session, view.query)
    ids = conversation_store.ids(db, order, -1, (*wanted, UNREAD) if unread else wanted)
    coverage = clock_store.coverage(db)
    known = coverage.known
    queries = (view.query, *([inbox_saved_views.parse("is:unread")] if unread else []))
    what = "Unread conversations" if unread else "Conversations"
    what += "" if view is inbox_saved_views.ALL else f" in the view {inline_text(view.name, 40).text}"
    is_part = unread or view is not inbox_saved_views.ALL
    details = f", from a total of {known:,}" if is_part else ""
    if snoozed := conversation_store.snoozed_count(db, session.store.clock()):
        details += f", {snoozed:,} snoozed"
    empty = [f"No {what[:1].lower()}{what[1:]}."] if is_part and known else _why_none(session)
    precision = inbox_saved_views.precision(coverage, *queries)
    of_threads = order in OF_THREADS or inbox_saved_views.is_of_threads(*queries)
    share = coverage.words(of_threads=of_threads)
    print_conversations(
        session,
        ids,
        what,
        f"{details}, {ORDER_WORDS[order]}{share and f', {share}'}",
        [*empty, coverage.sentence(of_threads=of_threads)],
        rows,
        precision=precision,
        wanted=wanted,
    )


def saved_views(session: Session, words: str) -> None:  # noqa: ARG001
    coverage = clock_store.coverage(session.db)
    share = coverage.sentence(of_threads=True)
    session.print("Views. To list one, type list VIEW.", *([share] if share else []))
    for view in all_views(session.store):
        if view.off:
            session.print(join_sentence([inline_text(view.off, 160)]))
            continue
        wanted = _wanted(session, view.query)
        precision = inbox_saved_views.precision(coverage, view.query)
        count = count_sentence(conversation_store.count(session.db, wanted), "conversation", precision)
        name = shown_name(view, session.view(), 40) if view.author else inline_text(view.name, 40)
        session.print(join_sentence([name, count]))


def find(session: Session, words: str) -> None:
    if not words:
        raise NotUnderstood("Find what? Type find WORDS. Names, numbers, tasks and messages are searched.")
    query = inbox_saved_views.parse(words)
    channels = record_lookup.line_channels(session.db)
    if faults := query.faults or inbox_saved_views.unknown_names(query, session.store.profile, channels):
        fault = faults[0]
        raise NotUnderstood(fault if fault.endswith("?") else f"{fault}.")
    if off := inbox_saved_views.off(query, session.store.profile, has_sla=bool(session.store.settings.sla)):
        raise NotUnderstood(f"This filter {off}.")
    wanted = _wanted(session, query) if query.terms else (inbox_saved_views.NEVER,)
    ids = conversation_store.ids(session.db, session.order, -1, wanted)
    text = inline_text(words, 60).text
    coverage = clock_store.coverage(session.db)
    of_threads = inbox_saved_views.is_of_threads(query) or session.order in OF_THREADS
    share = coverage.words(of_threads=of_threads)
    empty = [f"No conversation matches {text}.", coverage.sentence(of_threads=of_threads), *_not_indexed(session)]
    print_conversations(
        session,
        ids,
        f"Conversations with {text}",
        f", {ORDER_WORDS[session.order]}{share and f', {share}'}",
        empty,
        precision=inbox_saved_views.precision(coverage, query),
        wanted=wanted,
    )


def search(session: Session, words: str) -> None:
    if not words:
        raise NotUnderstood("Search for what? Type search WORDS.")
    hits = inbox_search.find(session.db, words, limit=MAX_HITS).hits
    results = {str(place): each for place, each in enumerate(hits) if each.conversation_id or each.task_id}
    listing = PrintedList(
        ListKind.HIT,
        tuple(results),
        lambda key: sentences.hit(results[key], excerpt(results[key].text, words, 120), session.view()),
        targets={key: _target(each) for key, each in results.items()},
        messages={key: each.key for key, each in results.items() if each.key},
    )
    if not results:
        close_opened(session)
    text = inline_text(words, 60).text
    session.print_list(
        listing,
        f"Results for {text}",
        ", customers first, then tasks, then messages, newest first",
        [f"Nothing matches {text}."],
    )
    session.print(
        *filter(None, (clock_store.coverage(session.db).sentence(of_threads=True), *_not_indexed(session)))
    )


def sort(session: Session, words: str) -> None:
    offered = _orders(session)
    if words:
        order = ConversationOrder(find_choice(words, [str(each) for each in offered]))
    else:
        order = next_order(session.order, offered)
    _keep_order(session, order)
    conversations(session, "")


def print_conversations(
    session: Session,
    ids: Sequence[ConversationId],
    what: str,
    details: str,
    empty: Sequence[str],
    rows: int = ROWS,
    *,
    precision: Precision = Precision.EXACT,
    wanted: Sequence[QueryTerm] = (),
) -> None:
    """Print conversations as a new list.

    Args:
        wanted: what they match; words about tasks choose the task that a row is about.
    """
    if not ids:
        close_opened(session)
    session.report_focus_soon("inbox")

    def row(key: str) -> SafeText | None:
        record = record_lookup.conversation(session.db, ConversationId(key))
        if record is None:
            return None
        call = notes.calls_for(session.db, record.conversation_id, session.store.catalogue.me)
        view, task = session.view(), _row_task(session, record.conversation_id, wanted)
        if task is not None:
            listing.tasks[key] = task.task_id
        snooze = snoozes.state_of(session.db, ChangeKind.SNOOZE_CONVERSATION, key, view.now)
        clock = clock_store.of_row(session.db, key, task) if session.store.settings.sla else None
        return sentences.conversation(record, view, call, snooze, clock, task)

    empty = [each for each in empty if each]
    listing = PrintedList(ListKind.CONVERSATION, ids, row, precision=precision)
    session.print_list(listing, what, details, empty, rows)


def _row_task(session: Session, conversation_id: ConversationId, wanted: Sequence[QueryTerm]) -> TaskRecord | None:
    """Return the task that a row is about where words about tasks choose it: as marked, else the first."""
    if not row_terms(wanted):
        return None
    kept = session.marked_tasks.get(conversation_id) if conversation_id in session.marks else None
    found = conversation_store.row_tasks(session.db, [conversation_id], wanted).get(conversation_id, [])
    return next((task for each in (kept, *found) if each and (task := record_lookup.task(session.db, each))), None)


def _wanted(session: Session, query: inbox_saved_views.Query) -> Sequence[QueryTerm]:
    """Return the store's conditions for a query, without what is snoozed unless it asks for that."""
    now = session.store.clock()
    return conversation_store.awake(session.db, inbox_saved_views.wanted(query, session.store.profile, now), now)


def _target(hit: SearchHit) -> Target:
    if hit.task_id:
        return ListKind.TASK, hit.task_id
    return ListKind.CONVERSATION, hit.conversation_id or ""


def _view(session: Session, typed: str) -> inbox_saved_views.View:
    named = {each.name: each for each in all_views(session.store)}
    ways = "list, list unread, list by name, list VIEW or list 20"
    view = named[find_record(typed, {name: name for name in named}, "view", f"Type {ways}.")]
    if view.off:
        raise NotUnderstood(f"{view.off}.")
    return view


def _orders(session: Session) -> Sequence[ConversationOrder]:
    return orders(has_sla=bool(session.store.settings.sla))


def _keep_order(session: Session, order: ConversationOrder) -> None:
    if order is not session.order:
        session.order = order
        session.outbox.save_view_state("linear", {"order": str(order)})


def _why_none(session: Session) -> list[str]:
    return [session.empty_reason() if clients.health(session.db).fresh_at is None else NOTHING_KNOWN]


def _not_indexed(session: Session) -> list[str]:
    left = full_text.unindexed(session.db)
    return [f"Still indexing {left:,} messages and tasks; try again soon."] if left else []
