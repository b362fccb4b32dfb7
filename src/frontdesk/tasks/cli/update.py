"""Updates of tasks from the command line, through the outbox as those of a screen."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple

import apsw

from frontdesk.cli import output
from frontdesk.cli.errors import INPUT_WRONG, REFUSED, CommandFailed, print_error, status_of
from frontdesk.cli.options import WriteOptions
from frontdesk.cli.record_names import load_names, query_stored, with_id
from frontdesk.cli.session import check_input, print_request
from frontdesk.cli.verbs import context_of
from frontdesk.cli.write_session import WriteSession, failure_lines, run_writes
from frontdesk.config.time_zone import local_zone
from frontdesk.outbox.overlay import merge_people
from frontdesk.outbox.task_fields import ASSIGNED, DUE, TASK_FIELDS, FieldKind
from frontdesk.outbox.verbs import RecordChange, VerbContext, split_names
from frontdesk.storage import clients
from frontdesk.storage.clocks import is_relative
from frontdesk.tasks import store as task_store
from frontdesk.tasks.commands import (
    DUE_VERB,
    ME,
    edit_label,
    known_statuses,
    own_id,
    people_change,
    set_fields,
    status_change,
)
from frontdesk.tasks.history import Seen
from frontdesk.tasks.store import assigned_people
from frontdesk.text.due_parser import DueNotUnderstood, parse_due
from frontdesk.text.fuzzy import UnusableWords, may_be_id, name_refusal, whole_name
from frontdesk_api.client.errors import ApiError, UnsentWrite
from frontdesk_api.client.request_encoding import encode_id
from frontdesk_api.contract.decode import Item, decode_item
from frontdesk_api.contract.ids import AgentId, StatusId, TaskId
from frontdesk_api.contract.tasks import Task, TaskUpdate
from frontdesk_api.contract.values import unstated_to_seconds


class TaskFields(NamedTuple):
    """What is set on tasks.

    Attributes:
        values: by the interface's names; of people those to add and to remove.
        is_whole_list: whether the people to add replace those who are there.
        due: the words that mean the due date among the values.
    """

    values: Mapping[str, Any]
    label: str
    is_whole_list: bool = False
    due: str | None = None

    def request(self, there: object = ()) -> TaskUpdate:
        values = dict(self.values)
        if ASSIGNED in values:
            values[ASSIGNED] = merge_people([] if self.is_whole_list else there, values[ASSIGNED])
        return check_input(TaskUpdate, values)


def parse_fields(given: Mapping[str, str | None]) -> TaskFields:
    texts = {each: text for each in TASK_FIELDS.values() if (text := given.get(each.option)) is not None}
    if not texts:
        raise CommandFailed(INPUT_WRONG, "nothing to change; name a field, for example --status completed")
    context, edited, is_whole_list = context_of(), dict[str, Any](), False
    changes: list[RecordChange] = []
    try:
        for each, text in texts.items():
            match each.kind:
                case FieldKind.STATUS:
                    changes.append(_status(text, context))
                case FieldKind.PEOPLE:
                    add, remove, is_whole_list = _sides(text)
                    remove = _people(remove, context, may_be_unknown=True)
                    changes.append(people_change(_people(add, context), remove, context))
                case FieldKind.READERS:
                    edited[each.name] = _people(split_names(text), context)
                case FieldKind.TIME:
                    changes.append(_due(text, context))
                case _:
                    edited[each.name] = text
    except UnusableWords as error:
        raise CommandFailed(INPUT_WRONG, f"{error}; nothing was sent") from None
    values = {name: value for change in changes for name, value in change.fields.items()}
    labels = [*(each.label for each in changes), *([edit_label(edited)] if edited else [])]
    return TaskFields(values | edited, ", ".join(labels), is_whole_list, texts.get(TASK_FIELDS[DUE]))


def _status(typed: str, context: VerbContext) -> RecordChange:
    """Set a status by its whole name or its id, which may be unknown here."""
    if not typed:
        raise UnusableWords("a status can't be empty")
    return status_change(whole_name(typed, known_statuses(context)) or StatusId(typed), context)


def _sides(typed: str) -> tuple[Sequence[str], Sequence[str], bool]:
    """Return whom to add and to remove; without signs, those to add replace the list."""
    parts = split_names(typed)
    signed = [part for part in parts if part[0] in "+-"]
    if signed and len(signed) < len(parts):
        raise UnusableWords("--assign: put + or - before each id, or before none to replace the list")
    add, remove = ([part[1:].strip() for part in signed if part[0] == sign] for sign in "+-")
    return add if signed else parts, remove, not signed


def _people(typed: Sequence[str], context: VerbContext, *, may_be_unknown: bool = False) -> list[AgentId]:
    """Return the ids of people: `me`, ids, or whole names where people are known here."""
    # A store that was never filled knows only the people of the tasks that commands have changed.
    seen = query_stored(lambda db: assigned_people(db) if clients.was_filled(db) else ()) or ()
    names, found = {each.agent_id: each.name for each in context.view.names.people(seen)}, dict[AgentId, None]()
    for each in typed:
        known = own_id(context) if each.casefold() in ME else whole_name(each, names)
        if known is None and names and not may_be_unknown and not may_be_id(each):
            raise UnusableWords(name_refusal("agent", each, names.values()))
        found[known or AgentId(each)] = None
    return list(found)


def _due(words: str, context: VerbContext) -> RecordChange:
    try:
        return DUE_VERB.parse(words, context)
    except DueNotUnderstood as error:
        raise CommandFailed(INPUT_WRONG, f"--due: {error}") from None


def update_tasks(ids: Sequence[str], fields: TaskFields, options: WriteOptions) -> int:
    """Update each task once; return an exit status.

    Of several tasks, those that the platform refuses are named on standard error, and the others are updated.
    """
    fields.request()
    for each in ids:
        encode_id("task", each)
    return run_writes(lambda session: _Update(session, ids, fields, options).run(), options)


class _Update:
    """One update of several tasks."""

    def __init__(
        self, session: WriteSession, ids: Sequence[str], fields: TaskFields, options: WriteOptions
    ) -> None:
        self._session, self._fields, self._options = session, fields, options
        self._ids = [TaskId(each) for each in dict.fromkeys(ids)]
        self._status = 0

    async def run(self) -> int:
        client, fields, dry_run = self._session.client, self._fields, self._options.dry_run
        if fields.due is not None and is_relative(parse_due, fields.due, datetime.now(local_zone())):
            with suppress(ApiError):  # any response tells the platform's time
                await client.get_task(self._ids[0])
            _due(fields.due, context_of()._replace(clock_offset=client.clock_offset))
        if dry_run and fields.due is not None:
            print_error(f"--due: {output.due(fields.values[DUE], datetime.now(UTC)) or 'none'}")
        if self._session.is_direct:
            for each in self._ids:
                with self._named(each):
                    await self._send_directly(each)
            return self._status
        if before := await self._session.read(self._ids, self._fetch, _put):
            await self._send(before)
        return self._status

    async def _fetch(self, ids: Sequence[TaskId]) -> Mapping[TaskId, Item[Task]]:
        found = dict[TaskId, Item[Task]]()
        for each in ids:
            with self._named(each):
                item = await self._session.client.get_task(each)
                found[item.value.taskId] = item
        return found

    async def _send(self, before: Mapping[TaskId, Item[Task]]) -> None:
        """Send the update through the outbox, which is laid over the tasks as they were just read."""
        session, fields, ids = self._session, dict(self._fields.values), [*before]
        if self._fields.is_whole_list:
            there = dict.fromkeys(each for item in before.values() for each in item.value.assignedAgentIds or ())
            add = fields[ASSIGNED]["add"]
            fields[ASSIGNED] = {"add": add, "remove": [each for each in there if each not in add]}
        label = self._fields.label
        sent = await session.send(ids, lambda store: set_fields(store, ids, fields, label))
        changes, failures = {each.target: each for each in sent}, dict[TaskId, Exception]()
        for each, item in before.items():
            change = changes.get(each)
            if change is None:
                self._print(item, item)
            elif (failure := session.failure(change)) is not None:
                failures[each] = failure
            else:
                stored = decode_item(Task, task_store.raw_task(session.store.reading, each))
                self._print(item, stored if isinstance(stored, Item) else item)
        status, lines = failure_lines(failures.items(), len(self._ids))
        for line in lines:
            print_error(line)
        self._status = status or self._status

    async def _send_directly(self, task_id: TaskId) -> None:
        client, fields, as_json = self._session.client, self._fields, self._options.as_json
        update = fields.request()
        if ASSIGNED in fields.values and not fields.is_whole_list:
            update = fields.request((await client.get_task(task_id)).raw.get(ASSIGNED))
        try:
            print_task(await client.update_task(task_id, update), as_json=as_json)
        except UnsentWrite as request:
            print_request(request, as_json=as_json)

    def _print(self, before: Item[Task], after: Item[Task]) -> None:
        if self._options.as_json:
            print_task(after, as_json=True)
        else:
            _print_changes(before, after)

    @contextmanager
    def _named(self, task_id: TaskId) -> Iterator[None]:
        """Name a task that the platform refuses, and go on with the others."""
        try:
            yield
        except (ApiError, CommandFailed) as error:
            if len(self._ids) == 1 or status_of(error) != REFUSED:
                raise
            print_error(f"{task_id}: {error}")
            self._status = REFUSED


def _put(db: apsw.Connection, items: Sequence[Item[Task]], asked_at: float) -> None:
    task_store.put(db, [each.raw for each in items], Seen(asked_at, time.time()))


def print_task(item: Item[Task], *, as_json: bool) -> None:
    if as_json:
        output.print_json(item.raw)
    else:
        output.print_record(_readable(item).items())


def _print_changes(before: Item[Task], after: Item[Task]) -> None:
    """Print the fields in which the platform's answer differs from the task before."""
    shown, shown_now = _readable(before), _readable(after)
    changed = [
        (name, shown.get(name), value)
        for name, value in shown_now.items()
        if name not in _CHANGE_ALWAYS and after.raw.get(name) != before.raw.get(name)
    ]
    title = with_id(after.value.title, after.value.taskId)
    if changed:
        output.print_line(f"Updated {title}:")
        output.print_changes(changed)
    else:
        output.print_line(f"Nothing changed: {title} already had these values.")


_CHANGE_ALWAYS = ("updatedAt", "unreadCount", "agentIdentification")
"""Fields that each update changes: the platform counts its own update as unread, and notes who made it."""


def _readable(item: Item[Task]) -> dict[str, object]:
    """Return the fields of a task with times as words and names beside ids."""
    task, names = item.value, load_names()
    shown: dict[str, object] = {}
    for name, at in (("createdAt", task.createdAt), ("updatedAt", task.updatedAt)):
        if at is not None:
            shown[name] = output.when(unstated_to_seconds(at))
    for name, each in TASK_FIELDS.items():
        value = getattr(task, name)
        match each.kind:
            case FieldKind.PEOPLE | FieldKind.READERS if value is not None:
                shown[name] = names.agents(value) or "none"
            case FieldKind.STATUS if value:
                shown[name] = names.status(value)
            case FieldKind.LINE if value:
                shown[name] = names.line(value)
            case FieldKind.TIME:
                shown[name] = output.due(value, datetime.now(UTC)) or "none"
    return item.raw | shown
