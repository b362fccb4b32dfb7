"""Commands that read one thing: a conversation and its thread, a task, a campaign, a raw record."""

import contextlib
import json
from collections.abc import Mapping

from frontdesk.api.contract.ids import CampaignId, ConversationId, TaskId
from frontdesk.app import linear_sentences
from frontdesk.app.linear_lists import print_conversations
from frontdesk.inbox.models import MessageRecord
from frontdesk.inbox.phone_numbers import pair
from frontdesk.inbox.view.message import Parties, answered_id, parties_of
from frontdesk.inbox.view.thread import DayEntry, GapEntry, MessageEntry, ThreadContext, entries
from frontdesk.linear.parsing import NotUnderstood, is_numbers, leading_numbers, numbers
from frontdesk.linear.session import ListKind, PrintedPage, Session
from frontdesk.outbox.commands import COMPLETED
from frontdesk.storage.records import Change, MessagePosition
from frontdesk.text.display_text import SafeText, body_lines, show_line, trusted
from frontdesk.text.redaction import redact_json
from frontdesk.text.spoken_time import counted
from frontdesk.workflows import linear_view

MESSAGES = 10
"""So many messages a page of a thread has."""

JUMP_ROWS = 20
SHORTEST_CUSTOMER = 6
"""So many digits are a customer's number rather than one of the list."""

ANSWER_SECONDS = 20.0
"""How long `older` waits for what it asked the platform for."""

THREAD_SECONDS = 10.0
"""How long a thread that was never read is waited for."""

RAW_LINES = 2_000


def open_thing(session: Session, words: str) -> None:
    """`open`: a thing of the list, a conversation by its line and customer, else by the customer's name."""
    if not words:
        raise NotUnderstood(
            "Open what? Write: open N with a number of the list, open NAME, or: open LINE CUSTOMER."
        )
    if not is_numbers(words) or len(words) >= SHORTEST_CUSTOMER:
        lines = dict.fromkeys((*session.services.profile.lines, *session.queries.lines_seen()))
        meant = pair(words, lines)
        if meant is not None and meant.line_id is not None:
            opened = session.services.open_conversation(meant.line_id, meant.customer_id)
            open_conversation(session, session.wait_for(opened))
        else:
            jump(session, words)
        return
    chosen = numbers(words)
    if len(chosen) != 1:
        raise NotUnderstood("One at a time: open N with one number of the list.")
    kind, key = session.at_number(chosen[0])
    match kind:
        case ListKind.CONVERSATION:
            open_conversation(session, ConversationId(key), session.message_at(chosen[0]))
        case ListKind.TASK:
            open_task(session, TaskId(key))
        case ListKind.CHANGE:
            from frontdesk.activity.linear import say_change

            say_change(session, int(key))
        case ListKind.CAMPAIGN:
            _say_campaign(session, CampaignId(key))
        case _:
            session.say(*_document(session, kind, key))


def jump(session: Session, words: str) -> None:
    """`jump`: a conversation by its customer's name, number or id; several are listed."""
    if not words:
        raise NotUnderstood("To whom? Write: jump NAME, or a number or an id.")
    hits = session.queries.jump(words, JUMP_ROWS)
    found = {each.conversation_id: each.name for each in hits if each.conversation_id is not None}
    exact = [
        each
        for each, name in found.items()
        if name.casefold() == words.casefold() or words in (each, *each.split("#"))
    ]
    if len(found) == 1 or len(exact) == 1:
        open_conversation(session, (exact or list(found))[0])
        return
    said = linear_sentences.said(words, 60).text
    none = (
        f"Nobody known is called {said}. open LINE CUSTOMER opens a conversation that no task names, by two ids."
    )
    print_conversations(session, list(found), f"Customers like {said}", ", the most alike first", [none])


def open_conversation(
    session: Session, conversation_id: ConversationId, at: MessagePosition | None = None
) -> None:
    """Say who it is with, its tasks, and its newest messages or those around one; the newest are taken as read."""
    record = session.queries.conversation(conversation_id)
    if record is None:
        raise NotUnderstood("This conversation is not known any more.")
    session.conversation_id, session.task_id = conversation_id, None
    session.report_focus_soon("inbox")
    session.say(*linear_sentences.conversation_facts(record, session.view()))
    tasks = session.queries.tasks_of(conversation_id)
    for task in tasks:
        session.say(trusted(f"Task: {linear_sentences.task(task, session.view()).text}"))
    session.named_task = tasks[0].task_id if tasks else None
    if (count := sum(each.status != COMPLETED for each in tasks)) > 1:
        session.say(trusted(f"Of {count} open tasks, commands work on {session.task_name(tasks[0]).text}."))
    if tags := session.queries.tags_given(conversation_id):
        session.say(linear_sentences.tags_given(tags, session.view()))
    if at is not None:
        session.pages = []
        _print_page(session, _after(session, conversation_id, at))
        session.say("newer reads on from here.")
        return
    thread(session, "")
    session.services.mark_read(conversation_id)
    session.wait_for(session.services.written())


def next_unread(session: Session, words: str) -> None:  # noqa: ARG001
    """`new`: open the next conversation that has something unread."""
    found = session.queries.next_unread(session.order, session.conversation_id)
    if found is None:
        session.say("Nothing else is unread.")
        return
    open_conversation(session, found)


def open_task(session: Session, task_id: TaskId) -> None:
    """Say all of a task; what follows works on it."""
    record = session.queries.task(task_id)
    if record is None:
        raise NotUnderstood("This task is not known any more.")
    session.task_id, session.conversation_id = task_id, record.conversation_id
    session.pages = []
    session.report_focus_soon("board")
    session.say(trusted(f"Task: {linear_sentences.task_facts(record, session.view())[0].text}"))
    session.say(*linear_sentences.task_facts(record, session.view())[1:])
    if record.conversation_id is not None:
        session.say("The command thread reads its conversation.")


def task(session: Session, words: str) -> None:
    """`task`: all of a task; of a conversation its most urgent one."""
    things, _ = session.things(words or "this")
    open_task(session, session.tasks_among(things[:1])[0].task_id)


def facts(session: Session, words: str) -> None:
    """`customer`: who the customer is, their tasks and tags."""
    things, _ = session.things(words or "this")
    conversation_id = session.conversations_among(things[:1])[0]
    record = session.queries.conversation(conversation_id)
    if record is None:
        raise NotUnderstood("This conversation is not known any more.")
    session.say(*linear_sentences.conversation_facts(record, session.view()))
    for each in session.queries.tasks_of(conversation_id):
        session.say(trusted(f"Task: {linear_sentences.task(each, session.view()).text}"))
    session.say(linear_sentences.tags_given(session.queries.tags_given(conversation_id), session.view()))


def thread(session: Session, words: str) -> None:
    """`thread`: the newest messages of the open conversation, or of one of the list."""
    if words:
        chosen, _ = leading_numbers(words)
        if chosen is None:
            raise NotUnderstood("Write: thread, or thread N with a number of the list.")
        session.conversation_id = session.conversations_among([session.at_number(chosen[0])])[0]
        session.task_id = None
        session.report_focus_soon("inbox")
    _load(session, _opened(session))
    session.pages = []
    _print_page(session, None)


def older(session: Session, words: str) -> None:
    """`older`: the messages before; what the store doesn't have is asked for. `older skip` reads past a gap."""
    conversation_id = _opened(session)
    if not session.pages:
        thread(session, "")
        return
    page = session.pages[-1]
    if page.first is None:
        thread(session, "")
        return
    if not words.startswith("skip"):
        stretch = next(
            (each for each in session.queries.segments(conversation_id) if each.oldest == page.first), None
        )
        if stretch is not None and stretch.complete:
            session.say("There is nothing older: the thread begins here.")
            return
        if stretch is not None and not _fetch(session, conversation_id, page.first):
            return
    if not session.queries.messages_before(conversation_id, page.first, 1):
        session.say("Nothing older is known.")
        return
    _print_page(session, page.first)


def newer(session: Session, words: str) -> None:  # noqa: ARG001
    """`newer`: the messages after those that were read last, up to the newest."""
    conversation_id = _opened(session)
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
    found = session.queries.messages_from(conversation_id, last, MESSAGES + 2)
    come = [each for each in found if each.key != last]
    if not come:
        session.say("Nothing newer has come.")
        return
    has_more, come = len(come) > MESSAGES, come[:MESSAGES]
    session.say(f"{counted(len(come), 'newer message')}:")
    _say_messages(session, conversation_id, come)
    session.pages[-1] = PrintedPage(None, session.pages[-1].first, come[-1].key)
    if has_more:
        session.say("There are more; newer goes on.")
    else:
        session.services.mark_read(conversation_id)


def raw(session: Session, words: str) -> None:
    """`raw`: the record as it came: of a number, the open task, or `raw message` the last one read."""
    record: object
    if words.lower().startswith("message"):
        conversation_id = _opened(session)
        last = session.pages[-1].last if session.pages else None
        found = session.queries.messages_from(conversation_id, last, 1) if last is not None else []
        if not found:
            raise NotUnderstood("No message was read yet; the command thread reads the newest.")
        record = found[0].raw
    else:
        things, _ = session.things(words or "this")
        record = _raw_of(session, *things[0])
    text = json.dumps(redact_json(record), ensure_ascii=False, indent=2, default=str)
    session.say(*body_lines(text, limit=200_000, lines=RAW_LINES))


def _opened(session: Session) -> ConversationId:
    if session.conversation_id is None:
        raise NotUnderstood("No conversation is open. Write: open N with a number of the list.")
    return session.conversation_id


def _load(session: Session, conversation_id: ConversationId) -> None:
    """Wait until the thread was read once: what is looked at is read at once."""

    def is_known() -> bool:
        record = session.queries.conversation(conversation_id)
        return record is None or record.thread_known or record.line_id is None

    if is_known():
        return
    session.say("Loading the thread; ctrl+c stops waiting.")
    with contextlib.suppress(KeyboardInterrupt):
        session.news.wait(is_known, THREAD_SECONDS)


def _after(session: Session, conversation_id: ConversationId, at: MessagePosition) -> MessagePosition | None:
    """Where a page ends that has a message in its middle; None at the end of the thread."""
    follows = session.queries.messages_from(conversation_id, at, MESSAGES // 2 + 1)
    return follows[-1].key if len(follows) > MESSAGES // 2 else None


def _print_page(session: Session, before: MessagePosition | None) -> None:
    """Print the page that ends before a message, and remember it; a gap begins a page."""
    conversation_id = _opened(session)
    messages = session.queries.messages_before(conversation_id, before, MESSAGES)
    gaps = {each.oldest for each in session.queries.segments(conversation_id)}
    starts = [place for place, message in enumerate(messages) if message.key in gaps]
    messages = messages[starts[-1] :] if starts else messages
    if not messages:
        session.say(*_why_empty(session, conversation_id))
        session.pages.append(PrintedPage(before, None, None))
        return
    count = counted(len(messages), "message")
    session.say(f"{'The newest' if before is None else 'Further up,'} {count}, oldest of them first:")
    _say_messages(session, conversation_id, messages)
    session.pages.append(PrintedPage(before, messages[0].key, messages[-1].key))


def _say_messages(session: Session, conversation_id: ConversationId, messages: list[MessageRecord]) -> None:
    view, reads = session.view(), session.queries
    around = ThreadContext(
        before=next(iter(reads.messages_before(conversation_id, messages[0].key, 1)), None),
        segments=reads.segments(conversation_id),
        answered=reads.messages_by_id(conversation_id, {answered_id(each.raw) for each in messages} - {""}),
    )
    record = reads.conversation(conversation_id)
    parties = Parties() if record is None else parties_of(record, view)
    day_is_said = False
    for entry in entries(messages, around, view):
        if isinstance(entry, MessageEntry) and not day_is_said:
            # On the screen the day stands above; a page that is heard begins with it.
            at = entry.spoken.record.key.created_at / 1000
            session.say(*linear_sentences.entry(DayEntry("day", at), view, parties))
        day_is_said = day_is_said or isinstance(entry, DayEntry | MessageEntry)
        session.say(*linear_sentences.entry(entry, view, parties))
        if isinstance(entry, GapEntry) and not entry.is_start:
            session.say("older skip reads on without them.")


def _why_empty(session: Session, conversation_id: ConversationId) -> list[str]:
    record = session.queries.conversation(conversation_id)
    if record is not None and record.line_id is None:
        return ["Neither half of this conversation's id is a known line, so its thread can't be asked for."]
    if record is not None and record.thread_known:
        return ["No messages in this thread."]
    return ["The thread is not loaded yet; try thread again in a moment."]


def _fetch(session: Session, conversation_id: ConversationId, before: MessagePosition) -> bool:
    """Ask the platform for what is older and wait for it; whether it has come."""
    session.say("Asking the platform for older messages; ctrl+c stops waiting.")
    asked = session.wait_for(session.services.ask_older(conversation_id, before))

    def is_settled() -> bool:
        ask = session.queries.ask(asked)
        return ask is None or ask.state != "asked"

    try:
        came = session.news.wait(is_settled, ANSWER_SECONDS)
    except KeyboardInterrupt:
        came = False
    ask = session.queries.ask(asked)
    if not came:
        session.say("No answer yet. The messages are stored when they come; older tries again.")
        return False
    if ask is not None and ask.reason:
        session.say(
            trusted(f"Not loaded: {show_line(ask.reason, 200).text}. older tries again; older skip reads on.")
        )
        return False
    return True


def _raw_of(session: Session, kind: ListKind, key: str) -> object:
    if kind is ListKind.CHANGE:
        change = session.queries.change(int(key))
        return None if change is None else _change_record(change)
    if kind is ListKind.CAMPAIGN:
        return next((each.raw for each in session.queries.campaigns() if each.campaign_id == key), None)
    if kind in (ListKind.WORKFLOW, ListKind.AI_AGENT):
        return _document_record(session, kind, key)
    return session.tasks_among([(kind, key)])[0].raw


def _change_record(change: Change) -> Mapping[str, object]:
    return {
        "fields": change.fields,
        "before": change.base,
        "theirs": change.theirs,
        "state": change.state,
        "reason": change.reason,
    }


def _document_record(session: Session, kind: ListKind, key: str) -> object:
    if kind is ListKind.WORKFLOW:
        return next(
            (each.raw for each in session.queries.workflow_list().records if each.workflow_id == key), None
        )
    return next((each.raw for each in session.queries.ai_agents() if each.document_id == key), None)


def _document(session: Session, kind: ListKind, key: str) -> list[SafeText]:
    facts = _workflow_facts(session, key) if kind is ListKind.WORKFLOW else _ai_agent_facts(session, key)
    if not facts:
        raise NotUnderstood(f"This {kind} is not listed any more.")
    return [*facts, trusted("The command raw says all that is known of it.")]


def _workflow_facts(session: Session, key: str) -> list[SafeText]:
    records = session.queries.workflow_list().records
    record = next((each for each in records if each.workflow_id == key), None)
    return [] if record is None else linear_view.workflow_facts(record, session.view())


def _ai_agent_facts(session: Session, key: str) -> list[SafeText]:
    listing = session.queries.ai_agent_list()
    record = next((each for each in listing.records if each.document_id == key), None)
    if record is None:
        return []
    return linear_view.ai_agent_facts(record, session.queries.token_samples(key), listing, session.view())


def _say_campaign(session: Session, campaign_id: CampaignId) -> None:
    record = next((each for each in session.queries.campaigns() if each.campaign_id == campaign_id), None)
    if record is None:
        raise NotUnderstood("This campaign is not watched any more.")
    session.say(*linear_sentences.campaign_facts(record, session.view()))
