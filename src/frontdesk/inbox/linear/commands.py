"""The linear mode's commands on conversations: open, jump, the customer, the raw record, and the verbs."""

import json
from datetime import datetime, time
from functools import partial

from frontdesk.config.paths import expand_path
from frontdesk.inbox.changes import NO_TEAM, NoteDraft, clean_note, mentioned_in
from frontdesk.inbox.commands import (
    READ,
    TAG,
    TOGGLE_ANSWER,
    TOGGLE_READ,
    UNREAD,
    InboxCommands,
    known_people,
    reply_values,
)
from frontdesk.inbox.customer_lookup import NotOneCustomer, customer_on_line, pair
from frontdesk.inbox.linear import lists, sentences, thread
from frontdesk.inbox.saved_views import sharing_fault
from frontdesk.inbox.store import conversations as conversation_store
from frontdesk.inbox.store import notes as note_store
from frontdesk.inbox.store import team_views, thread_pages
from frontdesk.inbox.store import threads as thread_store
from frontdesk.inbox.store.threads import covering
from frontdesk.inbox.thread_export import export_problem, free_file_name, write_stored_thread
from frontdesk.inbox.view.message_parts import links_in, warnings
from frontdesk.inbox.view.note import NO_MENTION
from frontdesk.linear.commands import DOING, LISTS, READING, Command, close_opened
from frontdesk.linear.line_parser import NotUnderstood, find_record, is_number_list, parse_numbers
from frontdesk.linear.printed_list import ListKind
from frontdesk.linear.sentences import inline_text
from frontdesk.linear.session import RecordType, Session
from frontdesk.linear.verbs import verb_command
from frontdesk.outbox import queue as outbox_queue
from frontdesk.storage import full_text, record_lookup
from frontdesk.storage.record_lookup import customer_of
from frontdesk.storage.records import MessagePosition
from frontdesk.text.due_parser import parse_past_day
from frontdesk_api.contract.ids import ConversationId, MessageId
from frontdesk_api.redaction import redact_json
from frontdesk_lines.display_text import body_lines, capitalized, show_line, trusted
from frontdesk_lines.privacy import IS_HIDDEN, is_private

MAX_LOADS = 50
"""Pages of older messages that one date loads."""


def links(session: Session, words: str) -> None:  # noqa: ARG001
    conversation_id = thread.opened_conversation(session)
    page = session.pages[-1] if session.pages else None
    if page is None or page.first is None:
        raise NotUnderstood("No messages printed yet. To print the newest, type thread.")
    messages = thread_pages.page_from(session.db, conversation_id, page.first, thread.MESSAGES)
    found = list(dict.fromkeys(link for each in messages for link in links_in(each.raw)))
    for link in found:
        session.print(show_line(link, 2_000), *warnings(link))
    if not found:
        session.print("No links in the messages printed last.")


def go_to_date(session: Session, words: str) -> None:
    conversation_id, now = thread.opened_conversation(session), session.now()
    day = parse_past_day(words, now)
    start = None if day is None else datetime.combine(day, time(), tzinfo=now.tzinfo).timestamp() * 1000
    for _ in range(MAX_LOADS):
        segments = thread_store.segments(session.db, conversation_id)
        segment, is_reached = covering(segments, float("-inf") if start is None else start)
        if segment is None:
            raise NotUnderstood("This thread isn't loaded yet. Try again in a moment.")
        if is_reached:
            break
        if not thread.fetch_older(session, segment.oldest):
            return
    position = None if start is None else MessagePosition(start, MessageId(""))
    found = thread_pages.page_from(session.db, conversation_id, position, 1)
    if not found:
        session.print("No messages since that day. The newest:")
        thread.thread(session, "")
        return
    thread.print_around(session, found[0].key)


def reply(session: Session, words: str) -> None:
    replies = {each.name: each for each in session.store.profile.replies}
    if not replies:
        raise NotUnderstood("No replies yet. To add one, write [[profiles.NAME.replies]] in config.toml.")
    if not words:
        for each in replies.values():
            does = "runs a workflow" if each.workflow else "is a text"
            session.print(trusted(f"{inline_text(each.name, 60).text}: {does}."))
        return
    chosen = replies[find_record(words, {name: name for name in replies}, "reply")]
    if chosen.workflow:
        session.print(show_line(f"This runs a workflow. To run it, type start {chosen.workflow}", 300))
        return
    here = record_lookup.conversation(session.db, thread.opened_conversation(session))
    values = {} if here is None else reply_values(session.store, here)
    for name in chosen.fields:
        if name not in values:
            session.print(show_line(f"{name}:", 60))
            values[name] = session.console.read("answer> ").strip()
    session.print("frontdesk can't send messages; copy this where you answer:")
    session.print(show_line(chosen.fill(values), 20_000))


def share(session: Session, words: str) -> None:
    store = session.store
    name, _, match = (each.strip() for each in words.partition(":"))
    shared = team_views.shared_by_me(session.db)
    if not name:
        names = ", ".join(inline_text(each, 40).text for each in shared) or "none"
        session.print(trusted(f"Views you share: {names}. To share one, type share NAME: FILTER."))
        return
    if not match and name not in shared:
        raise NotUnderstood("You share no view with this name. To share one, type share NAME: FILTER.")
    if match and (fault := sharing_fault(store, name, match)):
        raise NotUnderstood(f"{capitalized(fault)}.")
    InboxCommands(store).share_view(name, match)
    session.wait_for(store.flush())
    done = "Shared with the team" if match else "No longer shared"
    session.print(trusted(f"{done}: {inline_text(name, 40).text}."))


def export_thread(session: Session, words: str) -> None:
    conversation_id = thread.opened_conversation(session)
    record = record_lookup.conversation(session.db, conversation_id)
    if record is None:
        raise NotUnderstood(thread.GONE)
    if is_private():
        raise NotUnderstood(f"Nothing was exported: {IS_HIDDEN.lower()}. To show them, type privacy off.")
    store, view = session.store, session.view()
    typed = words.strip() or free_file_name(store.folder, record, view)
    if problem := export_problem(typed):
        raise NotUnderstood(f"{problem} Nothing was exported.")
    path = expand_path(typed)
    write = partial(write_stored_thread, conversation_id=conversation_id, path=path, view=view)
    try:
        document = session.wait_for(store.read_in_background(write))
    except NotUnderstood as error:
        if isinstance(error.__cause__, OSError):
            why = error.__cause__.strerror or "unknown error"
            raise NotUnderstood(show_line(f"Couldn't write {path}: {why}.", 400).text) from None
        raise
    if document is None:
        raise NotUnderstood(thread.GONE)
    session.print(show_line(f"Saved {path}. {document.coverage[0]}", 400))


JUMP_ROWS = 20
SHORTEST_CUSTOMER = 6
"""So many digits are a customer's number rather than one of the list."""

RAW_LINES = 2_000


def open_target(session: Session, words: str) -> None:
    if not words:
        raise NotUnderstood(
            "Open what? Type open N with a number from the list, open NAME, or open LINE CUSTOMER."
        )
    if not is_number_list(words) or len(words) >= SHORTEST_CUSTOMER:
        lines = dict.fromkeys((*session.store.profile.lines, *record_lookup.lines_seen(session.db)))
        try:
            meant = pair(words, lines, find=partial(customer_on_line, session.db))
        except NotOneCustomer as error:
            raise NotUnderstood(f"{error}.") from error
        if meant is not None and meant.line_id is not None:
            opened = InboxCommands(session.store).open_conversation(meant.line_id, meant.customer_id)
            thread.open_conversation(session, session.wait_for(opened))
        else:
            jump(session, words)
        return
    chosen = parse_numbers(words)
    if len(chosen) != 1:
        raise NotUnderstood("You can only open one at a time. Type open N.")
    session.open_number(chosen[0])


def jump(session: Session, words: str) -> None:
    if not words:
        raise NotUnderstood("Jump to which customer? Type jump NAME, or use their number or id.")
    hits = full_text.jump(session.db, words, JUMP_ROWS)
    found = {each.conversation_id: each.name for each in hits if each.conversation_id is not None}
    exact = [
        each
        for each, name in found.items()
        if name.casefold() == words.casefold() or words in (each, *each.split("#"))
    ]
    if len(found) == 1 or len(exact) == 1:
        thread.open_conversation(session, (exact or list(found))[0])
        return
    text = inline_text(words, 60).text
    none = f"No customer matches {text}. To open a conversation by its two ids, type open LINE CUSTOMER."
    close_opened(session)
    session.console.has_failed |= not found
    lists.print_conversations(session, list(found), f"Customers matching {text}", ", best match first", [none])


def next_unread(session: Session, words: str) -> None:  # noqa: ARG001
    awake = conversation_store.awake(session.db, (), session.store.clock())
    found = conversation_store.next_unread(session.db, session.order, session.conversation_id, awake)
    if found is None:
        close_opened(session)
        session.print("No other unread conversations.")
        return
    thread.open_conversation(session, found)


def next_mention(session: Session, words: str) -> None:  # noqa: ARG001
    found = note_store.unseen(session.db, session.store.catalogue.me)
    if not found:
        close_opened(session)
        session.print(NO_MENTION)
        return
    thread.open_conversation(session, found[0].conversation_id)


def facts(session: Session, words: str) -> None:
    things, _ = session.parse_targets(words or "this")
    conversation_id = session.conversations_among(things[:1])[0]
    record = record_lookup.conversation(session.db, conversation_id)
    if record is None:
        raise NotUnderstood(thread.GONE)
    thread.print_facts(session, record)
    session.print(*session.types[ListKind.TASK].in_conversation(session, conversation_id, False))
    session.print(sentences.added_tags(outbox_queue.added_tags(session.db, conversation_id), session.view()))


def raw(session: Session, words: str) -> None:
    record: object
    if words.lower().startswith("message"):
        conversation_id = thread.opened_conversation(session)
        last = session.pages[-1].last if session.pages else None
        found = thread_pages.page_from(session.db, conversation_id, last, 1) if last is not None else []
        if not found:
            raise NotUnderstood("No message to show yet. To show the newest, type thread.")
        record = found[0].raw
    else:
        things, _ = session.parse_targets(words or "this")
        kind, key = things[0]
        record = session.types[kind].raw(session, key)
    text = json.dumps(redact_json(record), ensure_ascii=False, indent=2, default=str)
    session.print(*body_lines(text, limit=200_000, lines=RAW_LINES))


def note(session: Session, words: str) -> None:
    here = _with_team(session)
    if not words:
        raise NotUnderstood("Which note? Type note TEXT; @NAME mentions someone.")
    text = clean_note(words)
    draft = NoteDraft(here, text, mentioned_in(text, known_people(session.store)))
    done = session.wait_for(InboxCommands(session.store).write_note(draft))
    session.report(done, f"Note saved about {name(session, here)}; only your team sees it.")


def take_note_back(session: Session, words: str) -> None:  # noqa: ARG001
    here = _with_team(session)
    last = note_store.last_own(session.db, here, session.store.catalogue.me)
    if last is None:
        raise NotUnderstood("You have no note about this conversation.")
    session.wait_for(InboxCommands(session.store).take_note_back(last, session.outbox))
    session.print(trusted(f"Note taken back: {inline_text(last.text, 60).text}."))


def _with_team(session: Session) -> ConversationId:
    if session.store.profile.team is None:
        raise NotUnderstood(NO_TEAM)
    return thread.opened_conversation(session)


def name(session: Session, key: str) -> str:
    record = record_lookup.conversation(session.db, ConversationId(key))
    return inline_text(key if record is None else customer_of(record), 60).text


def open_hit(session: Session, key: str) -> None:
    listing = session.printed_list()
    kind, record_id = listing.targets[key]
    if kind is ListKind.CONVERSATION:
        thread.open_conversation(session, ConversationId(record_id), listing.messages.get(key))
    else:
        session.types[kind].open(session, record_id)


TYPE = RecordType(
    lambda session, key: thread.open_conversation(session, ConversationId(key)),
    name=name,
    conversation=lambda _, key: ConversationId(key),
)
HIT_TYPE = RecordType(open_hit)

_list = partial(Command, heading=LISTS)
_read = partial(Command, heading=READING)
_do = partial(Command, heading=DOING)

_ORDER = ("ORDER is waiting, activity, due or name; or sla, if you have SLAs. Your choice is remembered.",)
_LIST = (
    "VIEW is a saved view. To list them, type views.",
    *_ORDER,
    "ROWS is the number of rows to print.",
)
_FIND = ("WORDS can include filter terms: is:unread waiting>1h line:service !spam ~dnl.",)
_OPEN = (
    "A number by itself opens that row, too.",
    "open LINE CUSTOMER opens a conversation by its two ids, even without a task.",
)
_OLDER = ("older skip jumps over missing messages to the ones before them.",)
_EXPORT = ("FILE ends in .md or .html; without it, frontdesk chooses a name. The file marks what isn't loaded.",)
_RAW = ("raw message shows the record of the last message shown.",)
_TAG = (
    "id:ID adds a tag that isn't listed.",
    "Tags are sent after 5 seconds; until then, undo cancels them.",
)
_MARK = "Mark conversations"
_NOTE = "Write a note about the open conversation that only your team sees"
_ABOUT_NOTES = (
    "@NAME mentions and notifies someone.",
    "Notes appear in the thread at the time they were written.",
)
_CONVERSATIONS = "List conversations, numbered"
_VIEWS = "List saved views and how many conversations each has"
_SORTED = "List conversations sorted by ORDER; without it, switch to the next order"
_WITH_WORDS = "List conversations with all the words in their name, number, tasks or messages"
_HITS = "Search customers, tasks and messages for all the words"
_ARGUMENTS = "[VIEW] [unread] [by ORDER] [ROWS]"
_THING = "Open a row of the list; a conversation shows its details, tasks and newest messages"
_NEXT = "Open the next unread conversation"
_NEWEST = "Show the open conversation's newest messages"
_BEFORE = "Show older messages, loading them if needed"

_DATE = ("DAY is, for example: yesterday, monday, 3 oct, 2 weeks ago, beginning.",)
_LINKS = ("Nothing is opened. Each is printed on its own line, with anything unsafe about it.",)
_REPLY = "List your replies, or print one to copy"
_REPLIES = ("frontdesk can't send messages. It asks you for the values that it can't fill in.",)
_SHARE = ("FILTER is as for find. Without FILTER, stop sharing it; without NAME, list those you share.",)

COMMANDS = (
    _list("list.conversations", lists.conversations, "list inbox", _ARGUMENTS, does=_CONVERSATIONS, more=_LIST),
    _list("list.views", lists.saved_views, "views", "", does=_VIEWS),
    _list("list.sort", lists.sort, "sort S", "[ORDER]", does=_SORTED, more=_ORDER),
    _list("list.find", lists.find, "find /", "WORDS", does=_WITH_WORDS, more=_FIND),
    _list("find.search", lists.search, "search", "WORDS", does=_HITS),
    _read("find.jump", jump, "jump J", "NAME", opens=True),
    _read("find.unread", next_unread, "new n", "", does=_NEXT, opens=True),
    _read("find.mention", next_mention, "mention @", "", opens=True),
    _read("conversation.open", open_target, "open O", "N|NAME", does=_THING, more=_OPEN, opens=True),
    _read("thread.newest", thread.thread, "thread", "[N]", does=_NEWEST, opens=True),
    _read("thread.older", thread.older, "older L", "[skip]", does=_BEFORE, more=_OLDER),
    _read("thread.newer", thread.newer, "newer", "", does="Show newer messages, up to the newest"),
    _read("thread.export", export_thread, "export F", "[FILE]", more=_EXPORT),
    _read("thread.date", go_to_date, "date", "DAY", more=_DATE),
    _read("link.open", links, "links", "", does="List the links in the messages printed last", more=_LINKS),
    _read("conversation.reply", reply, "reply", "[NAME]", does=_REPLY, more=_REPLIES),
    _read("conversation.facts", facts, "customer", "[N]", does="Show the customer with their tasks and tags"),
    _read("record.raw", raw, "raw i", "[N|message]", does="Show the raw record", more=_RAW),
    verb_command(TAG, "t", "[N] NAME, NAME", more=_TAG),
    verb_command(READ, "", "[N]", f"{_MARK} read, in frontdesk only"),
    verb_command(UNREAD, "", "[N]", f"{_MARK} unread, in frontdesk only"),
    verb_command(TOGGLE_READ, "m", "[N]"),
    verb_command(TOGGLE_ANSWER, "!", "[N]"),
    _do("view.share", share, "share", "[NAME: FILTER]", more=_SHARE, lists=True),
    _do("note.write", note, "note", "TEXT", does=_NOTE, more=_ABOUT_NOTES),
    _do("note.take_back", take_note_back, "takeback K", "", does="Take back your last note there, or discard it"),
)
