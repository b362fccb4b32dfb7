"""The linear mode's tasks: the board, one task, and the changes of status, people, due time and texts."""

from collections.abc import Sequence
from functools import partial

from frontdesk.config.actions import Undo
from frontdesk.config.render_context import RenderContext
from frontdesk.linear.commands import DOING, LISTS, READING, TARGET_HELP, Command, close_opened
from frontdesk.linear.line_parser import NotUnderstood, find_choice
from frontdesk.linear.printed_list import ListKind, PrintedList, Target
from frontdesk.linear.sentences import assigned_words, inline_text, join_sentence, speak
from frontdesk.linear.sentences import due as due_words
from frontdesk.linear.session import RecordType, Session
from frontdesk.linear.verbs import context_of, do_verb, verb_command
from frontdesk.outbox import news
from frontdesk.outbox.changes import COMPLETED
from frontdesk.outbox.task_fields import SEEN_FIELDS, FieldKind, field_of
from frontdesk.service_clocks import store as clock_store
from frontdesk.service_clocks.store import NearestClock
from frontdesk.service_clocks.view import nearest_words
from frontdesk.storage import clients, record_lookup
from frontdesk.storage.coverage import Coverage, count_sentence, is_listed, tasks_precision
from frontdesk.storage.record_lookup import name_on_task
from frontdesk.storage.records import TaskRecord
from frontdesk.tasks import history, task_filter
from frontdesk.tasks import store as task_store
from frontdesk.tasks.commands import (
    ASSIGN,
    ASSIGN_ME,
    COMPLETE,
    DUE_VERB,
    STATUS_VERB,
    UNASSIGN,
    edit_texts,
    known_people,
    known_statuses,
    status_named,
)
from frontdesk.tasks.view import TaskFacts, about, history_coverage, transition_sentence
from frontdesk_api import json_access
from frontdesk_api.contract.ids import ConversationId, TaskId
from frontdesk_lines.display_text import SafeText, body_lines, counted, show_line, trusted
from frontdesk_lines.privacy import IS_HIDDEN, is_private

_IN_SENTENCE = ("status", "due", "SLA", "assigned", "unread", "customer", "linked")
"""Facts that the sentence of a task tells, and its conversation's id."""


def task_sentence(record: TaskRecord, view: RenderContext, clock: NearestClock | None = None) -> SafeText:
    """Word a task as a row of a list."""
    customer = name_on_task(record, unknown=record.customer_id or "")
    when = ""
    if record.due_at is not None:
        is_done = record.status == COMPLETED
        when = f"was due {view.spoken_moment(record.due_at)}" if is_done else due_words(record.due_at, view)
    return join_sentence(
        [
            inline_text(record.title or "untitled"),
            f"status {inline_text(view.status(record.status), 60).text}",
            f"customer {inline_text(customer, 60).text}" if customer else "",
            when,
            "" if clock is None else nearest_words(clock, view),
            assigned_words(record.assigned, view),
            f"{record.unread:,} unread" if record.unread else "",
            "unconfirmed change" if record.pending else "",
        ]
    )


def task_facts(told: TaskFacts, view: RenderContext) -> list[SafeText]:
    """Word a task, what its sentence leaves out, and its text."""
    more = (each for each in about(told, view) if each.name not in _IN_SENTENCE)
    body = body_lines(told.task.body or None, 4_000, 80)
    text = (trusted("Text:"), *body) if body else (trusted("No text."),)
    return [task_sentence(told.task, view, told.clock), *speak(more, view), *text]


NEWS = "news"
"""What is typed for the tasks that are new since the last look."""

MAX_TRANSITIONS = 5
"""The newest changes of a task that are told with it; `frontdesk tasks history` lists all."""


def board(session: Session, words: str) -> None:
    session.report_focus_soon("board")
    counts, snoozed = (
        task_store.counts_by_status(session.db),
        task_filter.snoozed(session.db, session.store.clock()),
    )
    statuses = session.store.catalogue.statuses(counts)
    if not counts and clients.health(session.db).fresh_at is None:
        session.print(session.empty_reason())
        return
    if words == NEWS:
        found = session.news_of(history.NEWS, is_listed=True)
        _print_tasks(
            session,
            [TaskId(each) for each in found],
            "Tasks with news",
            ["No task has news since your last look."],
        )
        return
    if not words:
        precision = tasks_precision(session.db)
        total = count_sentence(sum(counts.values()), "task", precision)
        asleep = f", {sum(map(len, snoozed.values())):,} snoozed" if snoozed else ""
        session.print(f"Board, {total}{asleep}. To list one status, type board STATUS.", *_still_loading(session))
        if found := session.news_of(history.NEWS, is_listed=False):
            session.print(trusted(f"{news.summary(found.values(), 'task')}. To list them, type board {NEWS}."))
        for place, each in enumerate(statuses, start=1):
            count = count_sentence(counts.get(each.id, 0), "task", precision)
            session.print(
                trusted(f"Status {place}: {inline_text(session.view().status(each.id), 60).text}, {count}.")
            )
        return
    status = status_named(words, context_of(session))
    asleep_there = snoozed.get(status, ())
    ids = [each for each in task_store.ids_of_status(session.db, status) if each not in asleep_there]
    name = inline_text(session.view().status(status), 60).text
    loading = _still_loading(session)
    if not ids:
        close_opened(session)
    _print_tasks(session, ids, f"Tasks with status {name}", [f"No tasks with status {name}."])
    if asleep_there:
        loading = [*loading, f"{counted(len(asleep_there), 'task')} more snoozed. To list them, type snoozed."]
    session.print(*loading)


def _still_loading(session: Session) -> list[str]:
    sentence = Coverage(is_listed=is_listed(session.db)).sentence(of_threads=False)
    return [sentence] if sentence else []


def tasks(session: Session, words: str) -> None:
    things, _ = session.parse_targets(words or "this")
    conversation = session.conversations_among(things[:1])[0]
    found = record_lookup.tasks_of_conversation(session.db, conversation)
    name = session.name(ListKind.CONVERSATION, conversation)
    _print_tasks(session, [each.task_id for each in found], f"Tasks for {name}", [f"No tasks loaded for {name}."])


def names(session: Session, words: str) -> None:
    catalogue = session.store.catalogue
    kinds: dict[str, list[str]] = {
        "people": list(known_people(context_of(session)).values()),
        "statuses": list(known_statuses(context_of(session)).values()),
        "tags": [each.title for each in catalogue.tags()],
    }
    for kind in [find_choice(words, list(kinds))] if words else kinds:
        session.print(f"{kind.capitalize()}, {len(kinds[kind])}:")
        session.print(*(f"{place}. {inline_text(each, 60).text}" for place, each in enumerate(kinds[kind], 1)))


def show(session: Session, words: str) -> None:
    things, _ = session.parse_targets(words or "this")
    open_task(session, session.tasks_among(things[:1])[0])


def complete_next(session: Session, words: str) -> None:
    if done := do_verb(session, COMPLETE, words):
        of_tasks = (_conversation(session, key) for kind, key in done if kind is ListKind.TASK)
        session.open_next({*done, *((ListKind.CONVERSATION, each) for each in of_tasks if each)})


def edit(session: Session, words: str) -> None:
    things, rest = session.parse_targets(words)
    field, _, text = rest.partition(" ")
    # The interface's word is understood, too.
    by_word = {each.words: each.name for each in SEEN_FIELDS if each.is_text}
    field = find_choice("text" if field and "body".startswith(field.lower()) else field, list(by_word))
    name = by_word[field]
    task_id, *others = session.tasks_among(things)
    if others:
        raise NotUnderstood("You can only edit one task at a time.")
    record = _known(session, task_id)
    if not session.confirm(1, f"Edit {task_name(session, record)}?"):
        return
    before = json_access.text(record.value(name))
    if not text.strip():
        if is_private():
            raise NotUnderstood(f"{IS_HIDDEN}. To edit this one, type privacy off, or edit {field} NEW WORDS.")
        shown = " ".join(show_line(before, 20_000).text.replace("␤", " ").split())
        if field_of(name).kind is FieldKind.LONG_TEXT and "\n" in before.strip():
            raise NotUnderstood("The text has several lines. To replace all of it, type edit text WORDS.")
        if not session.console.is_typed:
            raise NotUnderstood(f"Current {field}: {shown or 'empty'}. To change it, type edit {field} NEW WORDS.")
        if (text := session.console.read(f"{field}> ", shown)) == shown:
            session.print("Nothing changed.")
            return
    done = session.wait_for(edit_texts(session.store, record.task_id, {name: text.strip()}, {name: before}))
    session.report(done, f"{field_of(name).label} of {task_name(session, record)} changed.")


def open_task(session: Session, task_id: TaskId) -> None:
    record = _known(session, task_id)
    session.task_id, session.conversation_id = task_id, record.conversation_id
    session.pages = []
    session.report_focus_soon("board")
    past, view = history.of_task(session.db, task_id, MAX_TRANSITIONS), session.view()
    linked = record.conversation_id and record_lookup.conversation(session.db, record.conversation_id)
    clock = clock_store.shown_for_task(session.store, record)
    first, *others = task_facts(TaskFacts(record, linked or None, clock=clock), view)
    session.print(f"Task: {first.text}", *others)
    since = history_coverage(bool(past), history.since(session.db), view)
    session.print(trusted(f"History: {since.text}."), *(transition_sentence(each, view) for each in past))
    if record.conversation_id is not None:
        session.print("To show its conversation, type thread.")


def _known(session: Session, key: str) -> TaskRecord:
    if (record := record_lookup.task(session.db, TaskId(key))) is None:
        raise NotUnderstood("This task no longer exists.")
    return record


def _sentence(session: Session, record: TaskRecord) -> SafeText:
    return task_sentence(record, session.view(), clock_store.shown_for_task(session.store, record))


def _print_tasks(session: Session, ids: Sequence[TaskId], what: str, empty: Sequence[str]) -> None:
    def row(key: str) -> SafeText | None:
        record = record_lookup.task(session.db, TaskId(key))
        return None if record is None else _sentence(session, record)

    session.print_list(PrintedList(ListKind.TASK, ids, row), what, "", empty)


def task_name(session: Session, record: TaskRecord) -> str:
    """Name a task by its title and its customer, since titles repeat."""
    title = inline_text(record.title or "untitled task", 60).text
    customer = inline_text(name_on_task(record), 40).text
    if not customer and record.conversation_id is not None:
        customer = session.name(ListKind.CONVERSATION, record.conversation_id)
    return f"{title} ({customer})" if customer else title


def in_conversation(session: Session, conversation_id: ConversationId, is_opened: bool) -> list[SafeText]:
    """Return the tasks of a conversation; when it is opened also which of several open ones commands work on."""
    tasks = record_lookup.tasks_of_conversation(session.db, conversation_id)
    lines = [trusted(f"Task: {_sentence(session, each).text}") for each in tasks]
    if is_opened:
        meant = [each for each in tasks if each.task_id == session.meant_tasks.get(conversation_id)] or tasks
        session.named_task = meant[0].task_id if meant else None
        if (count := sum(each.status != COMPLETED for each in tasks)) > 1:
            lines.append(trusted(f"{count} open tasks; commands work on {task_name(session, meant[0])}."))
    return lines


def raw(session: Session, target: Target) -> object:
    return _known(session, session.tasks_among([target])[0]).raw


def _name(session: Session, key: str) -> str:
    record = record_lookup.task(session.db, TaskId(key))
    return "" if record is None else task_name(session, record)


def _conversation(session: Session, key: str) -> ConversationId | None:
    record = record_lookup.task(session.db, TaskId(key))
    return None if record is None else record.conversation_id


TYPE = RecordType(
    lambda session, key: open_task(session, TaskId(key)),
    lambda session, key: raw(session, (ListKind.TASK, key)),
    _name,
    _conversation,
    in_conversation,
)

_list = partial(Command, heading=LISTS)
_do = partial(Command, heading=DOING)

_MINUS = ("A minus unassigns: -NAME.",)
_WHEN = ("WHEN is, for example: tomorrow 9am; fri; +3d; in 2h; 2026-12-24; none.",)
_STATUS = ("STATUS is a name, the start of one, or its position on the board: status this open, status this 2.",)
_EDIT = (
    "Works on one task; without WORDS, you edit the current text.",
    "If someone else changes it in the meantime, activity keeps both versions.",
)
_BOARD = "Count tasks by status, or list those in one, or the new ones"
_TASKS = "List tasks of the open conversation, or of a listed one"
_NAMES = "List the names of people, statuses and tags"
_SHOW = "Show a task in full; for a conversation, its most urgent one"
_DONE = "Complete tasks, then open the next row"
_UNASSIGN = "Unassign people; without a name, everyone"

COMMANDS = (
    _list("list.board", board, "board", "[STATUS|news]", does=_BOARD),
    _list("list.tasks", tasks, "tasks", "[N]", does=_TASKS),
    _list("list.names", names, "names", "[people|statuses|tags]", does=_NAMES),
    Command("task.show", show, "task", "[N]", READING, _SHOW, opens=True),
    verb_command(ASSIGN, "a", "[N] NAME, -NAME", more=_MINUS),
    verb_command(UNASSIGN, "", "[N] [NAME]", does=_UNASSIGN, undo=Undo.ALWAYS),
    verb_command(ASSIGN_ME, "A", "[N]"),
    verb_command(DUE_VERB, "d", "[N] WHEN", more=_WHEN),
    verb_command(STATUS_VERB, "s", "[N] STATUS", more=_STATUS),
    verb_command(COMPLETE, "c", "[N]"),
    _do("task.complete_next", complete_next, "done M", "[N]", does=_DONE, more=TARGET_HELP),
    _do("task.edit", edit, "edit e", "[N] title|text [WORDS]", more=_EDIT),
)
