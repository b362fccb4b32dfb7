"""The linear mode's tasks: the board, one task, and the changes of status, people, due time and texts."""

from collections.abc import Sequence
from functools import partial

from frontdesk.api.contract.ids import AgentId, ConversationId, StatusId, TaskId
from frontdesk.config.actions import ASK_ABOVE, Undo
from frontdesk.linear.commands import DOING, LISTS, READING, TARGET_HELP, Command, close_opened
from frontdesk.linear.line_parser import NotUnderstood, find_choice, find_record, refusal
from frontdesk.linear.sentences import MAX_NAMED, inline_text, moment, name_some
from frontdesk.linear.session import ListKind, PrintedList, RecordType, Session, Target
from frontdesk.outbox.changes import COMPLETED
from frontdesk.outbox.task_fields import SEEN_FIELDS, FieldKind, field_of
from frontdesk.service_clocks import store as clock_store
from frontdesk.storage import clients, json_access, record_lookup
from frontdesk.storage.coverage import Coverage, count_sentence, is_listed, tasks_precision
from frontdesk.storage.platform_clock import parse_by_clock
from frontdesk.storage.record_lookup import name_on_task
from frontdesk.storage.records import TaskRecord
from frontdesk.tasks import history, task_filter
from frontdesk.tasks import store as task_store
from frontdesk.tasks.commands import (
    WHO_ARE_YOU,
    TaskChange,
    TaskCommands,
    due_change,
    people_change,
    status_change,
)
from frontdesk.tasks.history_view import coverage, sentence
from frontdesk.tasks.task_sentences import task_facts, task_sentence
from frontdesk.tasks.view import TaskFacts
from frontdesk.text.display_text import SafeText, counted, show_line, trusted
from frontdesk.text.due_parser import DueNotUnderstood, parse_due
from frontdesk.text.privacy import IS_HIDDEN, is_private

MAX_TRANSITIONS = 5
"""The newest changes of a task that are told with it; `frontdesk tasks history` lists all."""


def board(session: Session, words: str) -> None:
    """`board`: how many tasks are in each status; with a status its tasks."""
    session.report_focus_soon("board")
    counts, snoozed = (
        task_store.counts_by_status(session.db),
        task_filter.snoozed(session.db, session.store.clock()),
    )
    statuses = session.store.catalogue.statuses(counts)
    if not counts and clients.health(session.db).fresh_at is None:
        session.print(session.empty_reason())
        return
    if not words:
        precision = tasks_precision(session.db)
        total = count_sentence(sum(counts.values()), "task", precision)
        asleep = f", {sum(map(len, snoozed.values())):,} snoozed" if snoozed else ""
        session.print(f"Board, {total}{asleep}. To list one status, type board STATUS.", *_still_loading(session))
        for place, each in enumerate(statuses, start=1):
            count = count_sentence(counts.get(each.id, 0), "task", precision)
            session.print(
                trusted(f"Status {place}: {inline_text(session.view().status(each.id), 60).text}, {count}.")
            )
        return
    status = status_named(session, words)
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
    """Return the sentence for counts that aren't whole."""
    sentence = Coverage(is_listed=is_listed(session.db)).sentence(of_threads=False)
    return [sentence] if sentence else []


def tasks(session: Session, words: str) -> None:
    """`tasks`: the tasks of the open conversation, or of one of the list."""
    things, _ = session.parse_targets(words or "this")
    conversation = session.conversations_among(things[:1])[0]
    found = record_lookup.tasks_of_conversation(session.db, conversation)
    name = session.name(ListKind.CONVERSATION, conversation)
    _print_tasks(session, [each.task_id for each in found], f"Tasks for {name}", [f"No tasks loaded for {name}."])


def names(session: Session, words: str) -> None:
    """`names`: people, statuses or tags as other commands take them."""
    catalogue = session.store.catalogue
    kinds: dict[str, list[str]] = {
        "people": list(_people(session).values()),
        "statuses": list(_statuses(session).values()),
        "tags": [each.title for each in catalogue.tags()],
    }
    for kind in [find_choice(words, list(kinds))] if words else kinds:
        session.print(f"{kind.capitalize()}, {len(kinds[kind])}:")
        session.print(*(f"{place}. {inline_text(each, 60).text}" for place, each in enumerate(kinds[kind], 1)))


def show(session: Session, words: str) -> None:
    """`task`: all of a task; of a conversation its most urgent one."""
    things, _ = session.parse_targets(words or "this")
    open_task(session, tasks_among(session, things[:1])[0].task_id)


def status(session: Session, words: str) -> None:
    """`status`: put tasks into a status."""
    things, rest = session.parse_targets(words)
    if not rest:
        names = list(_statuses(session).values())
        listed = ", ".join(f"{place} {name}" for place, name in enumerate(names, start=1))
        raise NotUnderstood(
            f"Which status? Available: {listed}. Type status this {names[0]}, or status N {names[0]}."
        )
    found = tasks_among(session, things)
    _set_status(session, status_named(session, rest), found)


def complete(session: Session, words: str) -> None:
    """`complete`: set the status completed."""
    _set_status(session, COMPLETED, tasks_among(session, session.parse_only_targets(words)))


def complete_next(session: Session, words: str) -> None:
    """`done`: set the status completed, then open the next row."""
    targets = session.parse_only_targets(words)
    found = tasks_among(session, targets)
    if _set_status(session, COMPLETED, found):
        tasks = [(ListKind.TASK, each.task_id) for each in found]
        conversations = [(ListKind.CONVERSATION, each.conversation_id) for each in found if each.conversation_id]
        session.open_next({*targets, *tasks, *conversations})


def assign(session: Session, words: str) -> None:
    """`assign`: put people on tasks, those with a minus in front off."""
    things, rest = session.parse_targets(words)
    people = _people(session)
    if not rest:
        known = "hidden (privacy off shows them)" if is_private() else ", ".join(people.values()) or "none yet"
        raise NotUnderstood(
            f"Assign to whom? Available: {known}. Type assign N NAME, or assign N -NAME to unassign."
        )
    add, remove = list[AgentId](), list[AgentId]()
    for part in _split_names(rest):
        found = _person(session, part.lstrip("+-").strip(), people)
        (remove if part.startswith("-") else add).append(found)
    _apply(session, people_change(session.view(), add, remove), tasks_among(session, things))


def unassign(session: Session, words: str) -> None:
    """`unassign`: take people off tasks; without a name everybody."""
    things, rest = session.parse_targets(words)
    found = tasks_among(session, things)
    seen = {each for task in found for each in task.assigned}
    people = {each: session.store.catalogue.person(each) for each in seen}
    if not seen:
        session.print("Already unassigned.")
        return
    named = [_person(session, part, people) for part in _split_names(rest)]
    _apply(session, people_change(session.view(), [], named if rest else list(seen)), found)


def assign_me(session: Session, words: str) -> None:
    """`me`: put me on tasks."""
    me = session.store.catalogue.me
    if me is None:
        raise NotUnderstood(WHO_ARE_YOU)
    _apply(
        session, people_change(session.view(), [me], []), tasks_among(session, session.parse_only_targets(words))
    )


def due(session: Session, words: str) -> None:
    """`due`: set when tasks are due, in words; `none` clears it."""
    things, rest = session.parse_targets(words)
    if not rest:
        raise NotUnderstood("Due when? Type due N tomorrow 9am, due this +3d or due N none.")
    try:
        wanted = parse_by_clock(parse_due, rest, session.now(), session.store.clock_offset())
    except DueNotUnderstood as error:
        raise refusal(error) from error
    change = due_change(0, "")
    if wanted.at is not None:
        when = moment(wanted.seconds, session.store.clock(), session.zone)
        label = f"{wanted.at:%a} {wanted.at.day} {wanted.at:%b %H:%M} {wanted.at.tzname() or ''}".strip()
        change = due_change(wanted.seconds, when, label=label, note=wanted.note)
    _apply(session, change, tasks_among(session, things))


def edit(session: Session, words: str) -> None:
    """`edit`: set the title or the text of one task; without new words a person edits the old ones."""
    things, rest = session.parse_targets(words)
    field, _, text = rest.partition(" ")
    # The interface's word is understood, too.
    by_word = {each.words: each.name for each in SEEN_FIELDS if each.is_text}
    field = find_choice("text" if field and "body".startswith(field.lower()) else field, list(by_word))
    name = by_word[field]
    found = tasks_among(session, things)
    if len(found) > 1:
        raise NotUnderstood("You can only edit one task at a time.")
    record = found[0]
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
    done = session.wait_for(TaskCommands(session.store).edit(record.task_id, {name: text.strip()}, {name: before}))
    session.report(done, f"{field_of(name).label} of {task_name(session, record)} changed.")


def open_task(session: Session, task_id: TaskId) -> None:
    """Print all of a task and make it the open one."""
    record = record_lookup.task(session.db, task_id)
    if record is None:
        raise NotUnderstood("This task no longer exists.")
    session.task_id, session.conversation_id = task_id, record.conversation_id
    session.pages = []
    session.report_focus_soon("board")
    past, view = history.of_task(session.db, task_id, MAX_TRANSITIONS), session.view()
    linked = record.conversation_id and record_lookup.conversation(session.db, record.conversation_id)
    clock = clock_store.shown_for_task(session.store, record)
    first, *others = task_facts(TaskFacts(record, linked or None, clock=clock), view)
    session.print(f"Task: {first.text}", *others)
    since = coverage(bool(past), history.since(session.db), view)
    session.print(trusted(f"History: {since.text}."), *(sentence(each, view) for each in past))
    if record.conversation_id is not None:
        session.print("To show its conversation, type thread.")


def status_named(session: Session, words: str) -> StatusId:
    """Return the status with this position on the board, id or name."""
    statuses = _statuses(session)
    if words.isdecimal() and 1 <= int(words[:6]) <= len(statuses):
        return list(statuses)[int(words[:6]) - 1]
    return find_record(words, statuses, "status")


def _statuses(session: Session) -> dict[StatusId, str]:
    counts = task_store.counts_by_status(session.db)
    return {each.id: each.name for each in session.store.catalogue.statuses(counts)}


def _people(session: Session) -> dict[AgentId, str]:
    people = session.store.catalogue.people(task_store.assigned_people(session.db))
    return {each.agent_id: each.name for each in people}


def _sentence(session: Session, record: TaskRecord) -> SafeText:
    return task_sentence(record, session.view(), clock_store.shown_for_task(session.store, record))


def _print_tasks(session: Session, ids: Sequence[TaskId], what: str, empty: Sequence[str]) -> None:
    def row(key: str) -> SafeText | None:
        record = record_lookup.task(session.db, TaskId(key))
        return None if record is None else _sentence(session, record)

    session.print_list(PrintedList(ListKind.TASK, ids, row), what, "", empty)


def _set_status(session: Session, status: StatusId, found: Sequence[TaskRecord]) -> bool:
    label = session.store.catalogue.status(status)
    shown = inline_text(session.view().status(status), 60).text
    return _apply(session, status_change(status, label, shown), found)


def _apply(session: Session, change: TaskChange, found: Sequence[TaskRecord]) -> bool:
    """Change tasks and print the result; return False if the person canceled it."""
    on = name_some([task_name(session, each) for each in found[:ASK_ABOVE]], len(found))
    if not session.confirm(len(found), f"{change.question} {on}?"):
        return False
    done = session.wait_for(TaskCommands(session.store).apply([each.task_id for each in found], change))
    on = name_some([task_name(session, each) for each in found[:MAX_NAMED]], len(found))
    same = f", {len(found) - done.count} of them unchanged" if 0 < done.count < len(found) else ""
    session.report(done, f"{change.result} {on}{same}.", f"Nothing to change on {on}.")
    return True


def tasks_among(session: Session, targets: Sequence[Target]) -> list[TaskRecord]:
    """Return the tasks among records; of a conversation the one that its row names, else its most urgent one."""
    found: dict[str, TaskRecord] = {}
    without = gone = 0
    for kind, key in targets:
        tasks: list[TaskRecord] = []
        if kind is ListKind.CONVERSATION:
            tasks = record_lookup.tasks_of_conversation(session.db, ConversationId(key))
            if key in session.meant_tasks:
                tasks = [each for each in tasks if each.task_id == session.meant_tasks[key]]
            elif sum(each.status != COMPLETED for each in tasks) > 1:
                session.is_unsure = True
            tasks = tasks[:1]
        elif kind is ListKind.TASK:
            record = record_lookup.task(session.db, TaskId(key))
            tasks = [] if record is None else [record]
        else:
            raise NotUnderstood(f"This works on tasks and conversations, not on {kind}s.")
        without += not tasks
        gone += not tasks and key in session.meant_tasks
        found |= {each.task_id: each for each in tasks}
    if not found:
        raise NotUnderstood(
            "That task no longer exists." if gone else "No task loaded for that, and frontdesk can't create one."
        )
    for count, why in ((without - gone, "no task loaded"), (gone, "the task no longer exists")):
        if count:
            session.print(f"Skipped {counted(count, 'conversation')}: {why}.")
    return list(found.values())


def task_name(session: Session, record: TaskRecord) -> str:
    """Name a task by its title and its customer, since titles repeat."""
    title = inline_text(record.title or "untitled task", 60).text
    customer = inline_text(name_on_task(record), 40).text
    if not customer and record.conversation_id is not None:
        customer = session.name(ListKind.CONVERSATION, record.conversation_id)
    return f"{title} ({customer})" if customer else title


def _split_names(words: str) -> list[str]:
    return [each.strip() for each in words.split(",") if each.strip()]


def _person(session: Session, typed: str, people: dict[AgentId, str]) -> AgentId:
    me = session.store.catalogue.me
    if typed.lower() in ("me", "myself") and me is not None:
        return me
    return find_record(typed, people, "person")


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
    """Return the raw task; of a conversation its most urgent one."""
    return tasks_among(session, [target])[0].raw


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
_on_targets = partial(Command, heading=DOING, more=TARGET_HELP)

_MINUS = (*TARGET_HELP, "A minus unassigns: -NAME.")
_WHEN = (*TARGET_HELP, "WHEN is, for example: tomorrow 9am; fri; +3d; in 2h; 2026-12-24; none.")
_STATUS = (
    *TARGET_HELP,
    "STATUS is a name, the start of one, or its position on the board: status this open, status this 2.",
)
_EDIT = (
    "Works on one task; without WORDS, you edit the current text.",
    "If someone else changes it in the meantime, activity keeps both versions.",
)
_BOARD = "Count tasks by status, or list those in one"
_TASKS = "List tasks of the open conversation, or of a listed one"
_NAMES = "List the names of people, statuses and tags"
_SHOW = "Show a task in full; for a conversation, its most urgent one"
_DONE = "Complete tasks, then open the next row"
_UNASSIGN = "Unassign people; without a name, everyone"

COMMANDS = (
    _list("list.board", board, "board", "[STATUS]", does=_BOARD),
    _list("list.tasks", tasks, "tasks", "[N]", does=_TASKS),
    _list("list.names", names, "names", "[people|statuses|tags]", does=_NAMES),
    Command("task.show", show, "task", "[N]", READING, _SHOW, opens=True),
    _do("task.assign", assign, "assign a", "[N] NAME, -NAME", more=_MINUS),
    _on_targets("task.unassign", unassign, "unassign", "[N] [NAME]", does=_UNASSIGN, undo=Undo.ALWAYS),
    _on_targets("task.assign_me", assign_me, "me A", "[N]"),
    _do("task.due", due, "due d", "[N] WHEN", more=_WHEN),
    _do("task.status", status, "status s", "[N] STATUS", more=_STATUS),
    _on_targets("task.complete", complete, "complete c", "[N]"),
    _on_targets("task.complete_next", complete_next, "done M", "[N]", does=_DONE),
    _do("task.edit", edit, "edit e", "[N] title|text [WORDS]", more=_EDIT),
)
