"""The linear mode's links of messages, dates in a thread, replies and shared views."""

from datetime import datetime, time

from frontdesk.api.contract.ids import MessageId
from frontdesk.config.replies import KNOWN_FIELDS
from frontdesk.inbox import saved_views
from frontdesk.inbox.commands import InboxCommands
from frontdesk.inbox.linear import thread
from frontdesk.inbox.saved_views import BUILT_IN
from frontdesk.inbox.store import team_views, thread_pages
from frontdesk.inbox.store import threads as thread_store
from frontdesk.inbox.store.segments import covering
from frontdesk.inbox.store.team_views import MAX_NAME_LETTERS, MAX_QUERY_LETTERS
from frontdesk.inbox.view.message_parts import links_in, warnings
from frontdesk.linear.line_parser import NotUnderstood, find_record
from frontdesk.linear.sentences import inline_text
from frontdesk.linear.session import Session
from frontdesk.storage import record_lookup
from frontdesk.storage.records import MessagePosition
from frontdesk.text.display_text import show_line, trusted
from frontdesk.text.due_parser import parse_past_day

MAX_LOADS = 50
"""Pages of older messages that one date loads."""


def links(session: Session, words: str) -> None:  # noqa: ARG001
    """`links`: the links of the messages that were printed last, and what may be unsafe about each."""
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
    """`date`: the messages from a day on, loading older ones until it is reached."""
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
        if not thread.fetch_older(session, conversation_id, segment.oldest):
            return
    position = None if start is None else MessagePosition(start, MessageId(""))
    found = thread_pages.page_from(session.db, conversation_id, position, 1)
    if not found:
        session.print("No messages since that day. The newest:")
        thread.thread(session, "")
        return
    thread.print_around(session, conversation_id, found[0].key)


def reply(session: Session, words: str) -> None:
    """`reply`: list the config's replies; print a text with its fields filled in, to paste where you answer."""
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
    profile, me = session.store.profile, session.store.catalogue.me
    known = ("", "", "", "")
    if here is not None:
        line = profile.lines.get(here.line_id, "") if here.line_id else ""
        known = (here.name, here.number, line, profile.agents.get(me, "") if me else "")
    values = {name: value for name, value in zip(KNOWN_FIELDS, known, strict=True) if value}
    for name in chosen.fields:
        if name not in values:
            session.print(show_line(f"{name}:", 60))
            values[name] = session.console.read("answer> ").strip()
    session.print("frontdesk can't send messages; copy this where you answer:")
    session.print(show_line(chosen.fill(values), 20_000))


def share(session: Session, words: str) -> None:
    """`share`: share a filter with the team under a name, or stop sharing it."""
    store = session.store
    if store.profile.team is None or store.catalogue.me is None:
        raise NotUnderstood("Sharing a view needs a team and your agent id in the profile.")
    name, _, match = (each.strip() for each in words.partition(":"))
    shared = team_views.shared_by_me(session.db)
    if not name:
        names = ", ".join(inline_text(each, 40).text for each in shared) or "none"
        session.print(trusted(f"Views you share: {names}. To share one, type share NAME: FILTER."))
        return
    if not match and name not in shared:
        raise NotUnderstood("You share no view with this name. To share one, type share NAME: FILTER.")
    if len(name) > MAX_NAME_LETTERS or len(match) > MAX_QUERY_LETTERS:
        raise NotUnderstood(f"A name has {MAX_NAME_LETTERS} characters at most, a filter {MAX_QUERY_LETTERS:,}.")
    if name.casefold() in (saved_views.ALL.name, *(each.name.casefold() for each in BUILT_IN)):
        raise NotUnderstood("Everyone has a view of this name; choose another.")
    if faults := saved_views.parse(match).faults:
        raise NotUnderstood(f"{'. '.join(faults)}.")
    InboxCommands(store).share_view(name, match)
    session.wait_for(store.flush())
    done = "Shared with the team" if match else "No longer shared"
    session.print(trusted(f"{done}: {inline_text(name, 40).text}."))
