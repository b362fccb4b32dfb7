"""Commands that list: conversations, tasks by status, campaigns, workflows, AI agents, names."""

from collections.abc import Sequence

from frontdesk.api.contract.ids import CampaignId, ConversationId, StatusId, TaskId
from frontdesk.app import linear_sentences
from frontdesk.campaigns.view.row import in_order
from frontdesk.inbox import saved_views as inbox_saved_views
from frontdesk.inbox import search as inbox_search
from frontdesk.inbox.view.conversation_row import ORDER_WORDS
from frontdesk.inbox.view.search import excerpt
from frontdesk.linear.parsing import NotUnderstood, one_of
from frontdesk.linear.session import ROWS, ListKind, PrintedList, Session
from frontdesk.storage.records import ConversationOrder
from frontdesk.sync.status_view import before_first
from frontdesk.text.display_text import SafeText, trusted
from frontdesk.text.name_lookup import NoSuchName, find_named
from frontdesk.text.spoken_time import counted
from frontdesk.workflows import linear_view

HITS = 60
NOTHING_KNOWN = (
    "No conversations known yet. The platform lists none: they come from tasks, "
    "and from those you open with: open LINE CUSTOMER."
)


def conversations(session: Session, words: str) -> None:
    """`list`: the known conversations; a view, `unread`, `by ORDER` and a number of rows choose."""
    rows, unread, order = ROWS, False, session.order
    parts, named = words.split(), []
    while parts:
        word = parts.pop(0)
        if word.isdecimal() and not parts:
            rows = max(1, int(word[:6]))
        elif word.lower() == "by" and parts:
            order = ConversationOrder(one_of(parts.pop(0), [str(each) for each in ConversationOrder]))
        elif word.lower() == "unread":
            unread = True
        else:
            named.append(word)
    view = _view(session, " ".join(named)) if named else inbox_saved_views.ALL
    _keep_order(session, order)
    wanted = inbox_saved_views.wanted(view.query, session.services.profile, session.services.clock())
    reads = session.queries
    ids = reads.unread_ids(order, wanted) if unread else reads.conversation_ids(order, -1, wanted)
    known = reads.conversation_count()
    what = "Unread conversations" if unread else "Conversations"
    what += "" if view is inbox_saved_views.ALL else f" of the view {linear_sentences.said(view.name, 40).text}"
    is_part = unread or view is not inbox_saved_views.ALL
    details = f", {known:,} known" if is_part else " known"
    empty = [f"No {what[:1].lower()}{what[1:]}."] if is_part and known else _why_none(session)
    print_conversations(session, ids, what, f"{details}, {ORDER_WORDS[order]}", empty, rows)


def saved_views(session: Session, words: str) -> None:  # noqa: ARG001
    """`views`: the saved views and how many conversations are in each."""
    session.say("Views; list VIEW lists one:")
    for view in inbox_saved_views.views(session.services.settings.views, session.services.profile):
        wanted = inbox_saved_views.wanted(view.query, session.services.profile, session.services.clock())
        count = view.off or counted(session.queries.conversation_count(wanted), "conversation")
        session.say(
            linear_sentences.joined([linear_sentences.said(view.name, 40), linear_sentences.said(count, 120)])
        )


def find(session: Session, words: str) -> None:
    """`find`: the conversations that the words fit, which are those of the screens' filter."""
    if not words:
        raise NotUnderstood(
            "Find what? Write: find WORDS. They are looked for in names, numbers, tasks and messages."
        )
    query = inbox_saved_views.parse(words)
    if query.faults:
        fault = query.faults[0]
        raise NotUnderstood(fault if fault.endswith("?") else f"{fault}.")
    if off := inbox_saved_views.off(query, session.services.profile):
        raise NotUnderstood(f"What is mine is {off}.")
    wanted = (
        inbox_saved_views.wanted(query, session.services.profile, session.services.clock())
        if query.terms
        else (inbox_saved_views.NEVER,)
    )
    ids = session.queries.conversation_ids(session.order, -1, wanted)
    said = linear_sentences.said(words, 60).text
    empty = [f"No conversation holds {said}.", *_not_indexed(session)]
    what = f"Conversations with {said}"
    print_conversations(session, ids, what, f", {ORDER_WORDS[session.order]}", empty)


def search(session: Session, words: str) -> None:
    """`search`: the customers, tasks and messages that hold all of the words."""
    if not words:
        raise NotUnderstood("Search for what? Write: search WORDS.")
    hits = inbox_search.find(session.queries, words, limit=HITS).hits
    found = {str(place): each for place, each in enumerate(hits) if each.conversation_id or each.task_id}
    listing = PrintedList(
        ListKind.HIT,
        tuple(found),
        lambda key: linear_sentences.hit(found[key], excerpt(found[key].text, words, 120), session.view()),
        conversations={key: each.conversation_id for key, each in found.items() if each.conversation_id},
        tasks={key: each.task_id for key, each in found.items() if each.task_id},
        messages={key: each.key for key, each in found.items() if each.key},
    )
    said = linear_sentences.said(words, 60).text
    session.print_list(
        listing,
        f"Found for {said}",
        ", customers first, then tasks, then messages, the newest of each first",
        [f"Nothing holds {said}.", *_not_indexed(session)],
    )


def sort(session: Session, words: str) -> None:
    """`sort`: the order of conversations, named or the next one; lists them."""
    orders = list(ConversationOrder)
    if words:
        order = ConversationOrder(one_of(words, [str(each) for each in orders]))
    else:
        order = orders[(orders.index(session.order) + 1) % len(orders)]
    _keep_order(session, order)
    conversations(session, "")


def more(session: Session, words: str) -> None:
    """`more`: the next rows of the list last printed."""
    session.print_more(max(1, int(words[:6])) if words.isdecimal() else ROWS)


def board(session: Session, words: str) -> None:
    """`board`: how many tasks are in each status; with a status its tasks."""
    session.report_focus_soon("board")
    counts = session.queries.task_counts()
    statuses = session.services.catalogue.statuses(counts)
    if not counts and session.queries.health().fresh_at is None:
        session.say(*_why_none(session))
        return
    if not words:
        session.say(f"Board, {counted(sum(counts.values()), 'task')}. board STATUS lists one column:")
        for place, each in enumerate(statuses, start=1):
            count = counted(counts.get(each.id, 0), "task")
            session.say(trusted(f"Status {place}: {linear_sentences.said(each.name, 60).text}, {count}."))
        return
    status = status_named(session, words)
    ids = session.queries.task_ids(status)
    name = linear_sentences.said(session.services.catalogue.status(status), 60).text
    _print_tasks(session, ids, f"Tasks with status {name}", [f"No task has the status {name}."])


def tasks(session: Session, words: str) -> None:
    """`tasks`: the tasks of the open conversation, or of one of the list."""
    things, _ = session.things(words or "this")
    conversation = session.conversations_among(things[:1])[0]
    found = session.queries.tasks_of(conversation)
    name = session.name(conversation).text
    _print_tasks(session, [each.task_id for each in found], f"Tasks of {name}", [f"{name} has no known task."])


def campaigns(session: Session, words: str) -> None:  # noqa: ARG001
    """`campaigns`: the watched campaigns."""
    session.report_focus_soon("campaigns")
    records = {each.campaign_id: each for each in in_order(session.queries.campaigns())}
    listing = PrintedList(ListKind.CAMPAIGN, tuple(records), lambda key: _campaign(session, CampaignId(key)))
    session.print_list(
        listing,
        "Campaigns watched",
        "; open N says all of one",
        ["No campaign is watched yet. The platform has no list of campaigns: watch ID watches one."],
    )


def workflows(session: Session, words: str) -> None:  # noqa: ARG001
    """`workflows`: the listed workflows."""
    session.report_focus_soon("workflows")
    known = session.queries.workflow_list()
    found = {str(each.workflow_id): each for each in known.records}
    listing = PrintedList(
        ListKind.WORKFLOW, tuple(found), lambda key: linear_view.workflow(found[key], session.view())
    )
    more = ", the platform has more that it did not list" if known.has_more else ""
    session.print_list(listing, "Workflows", more, ["No workflows were read yet."])


def ai_agents(session: Session, words: str) -> None:  # noqa: ARG001
    """`agents`: the AI agents."""
    session.report_focus_soon("agents")
    found = {each.document_id: each for each in session.queries.ai_agents()}
    listing = PrintedList(
        ListKind.AI_AGENT, tuple(found), lambda key: linear_view.ai_agent(found[key], session.view())
    )
    session.print_list(listing, "AI agents", "", ["No AI agents were read yet."])


def names(session: Session, words: str) -> None:
    """`names`: people, statuses or tags as other commands take them."""
    catalogue = session.services.catalogue
    kinds: dict[str, list[str]] = {
        "people": [each.name for each in catalogue.people(session.queries.people_seen())],
        "statuses": [each.name for each in catalogue.statuses(session.queries.task_counts())],
        "tags": [each.title for each in catalogue.tags()],
    }
    wanted = [one_of(words, list(kinds))] if words else list(kinds)
    for kind in wanted:
        session.say(f"{kind.capitalize()}, {len(kinds[kind])}:")
        session.say(
            *(
                trusted(f"{place}. {linear_sentences.said(each, 60).text}")
                for place, each in enumerate(kinds[kind], 1)
            )
        )


def status_named(session: Session, words: str) -> StatusId:
    """The status that was meant: its place on the board, its id or its name.

    Raises:
        NotUnderstood: there is none.
    """
    statuses = session.services.catalogue.statuses(session.queries.task_counts())
    if words.isdecimal() and 1 <= int(words[:6]) <= len(statuses):
        return statuses[int(words[:6]) - 1].id
    try:
        return find_named(words, {each.id: each.name for each in statuses}, "status")
    except NoSuchName as error:
        raise NotUnderstood(f"{str(error)[:1].upper()}{str(error)[1:]}.") from error


def _view(session: Session, typed: str) -> inbox_saved_views.View:
    """The view that was meant.

    Raises:
        NotUnderstood: there is none, or it can't be used.
    """
    named = {
        each.name: each
        for each in inbox_saved_views.views(session.services.settings.views, session.services.profile)
    }
    try:
        view = named[find_named(typed, {name: name for name in named}, "view")]
    except NoSuchName as error:
        ways = "list, list unread, list by name, list VIEW, list 20"
        raise NotUnderstood(f"{str(error)[:1].upper()}{str(error)[1:]}. Write: {ways}.") from error
    if view.off:
        raise NotUnderstood(f"{view.off}.")
    return view


def _keep_order(session: Session, order: ConversationOrder) -> None:
    if order is not session.order:
        session.order = order
        session.services.save_view_state("linear", {"order": str(order)})


def print_conversations(
    session: Session,
    ids: Sequence[ConversationId],
    what: str,
    details: str,
    empty: Sequence[str],
    rows: int = ROWS,
) -> None:
    """Print conversations as a new list."""
    session.report_focus_soon("inbox")

    def row(key: str) -> SafeText | None:
        record = session.queries.conversation(ConversationId(key))
        return None if record is None else linear_sentences.conversation(record, session.view())

    session.print_list(PrintedList(ListKind.CONVERSATION, ids, row), what, details, empty, rows)


def _print_tasks(session: Session, ids: Sequence[TaskId], what: str, empty: Sequence[str]) -> None:
    def row(key: str) -> SafeText | None:
        record = session.queries.task(TaskId(key))
        return None if record is None else linear_sentences.task(record, session.view())

    session.print_list(PrintedList(ListKind.TASK, ids, row), what, "", empty)


def _campaign(session: Session, campaign_id: CampaignId) -> SafeText | None:
    record = next((each for each in session.queries.campaigns() if each.campaign_id == campaign_id), None)
    return None if record is None else linear_sentences.campaign(record, session.view())


def _why_none(session: Session) -> list[str]:
    health = session.queries.health()
    return [" ".join(before_first(health))] if health.fresh_at is None else [NOTHING_KNOWN]


def _not_indexed(session: Session) -> list[str]:
    left = session.queries.unindexed()
    return [f"{left:,} rows are not searchable yet; try again soon."] if left else []
