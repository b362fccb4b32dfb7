"""Updates of tasks from the command line, through the outbox as those of a screen."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import apsw

from frontdesk.cli import output
from frontdesk.cli.errors import INPUT_WRONG, REFUSED, CommandFailed, print_error, status_of
from frontdesk.cli.options import WriteOptions
from frontdesk.cli.record_names import load_names, query_stored, with_id
from frontdesk.cli.session import check_input, print_request
from frontdesk.cli.verbs import context_of
from frontdesk.cli.write_session import WriteSession, failure_lines, run_writes
from frontdesk.config.render_context import Catalogue
from frontdesk.config.settings import load_config, resolve_profile
from frontdesk.config.time_zone import local_zone
from frontdesk.outbox.overlay import merge_people
from frontdesk.outbox.task_fields import ASSIGNED, DUE, STATUS, TASK_FIELDS, FieldKind
from frontdesk.storage import clients
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.platform_clock import is_relative, parse_by_clock
from frontdesk.storage.records import Json
from frontdesk.tasks import store as task_store
from frontdesk.tasks.commands import due_change, edit_label, people_change, set_fields, status_change
from frontdesk.tasks.history import Seen
from frontdesk.tasks.store import assigned_people
from frontdesk.text.due_parser import DueNotUnderstood, parse_due
from frontdesk.text.fuzzy import fold_name, may_be_id, name_refusal
from frontdesk_api import json_access
from frontdesk_api.client.errors import ApiError, UnsentWrite
from frontdesk_api.client.request_encoding import encode_id
from frontdesk_api.contract.decode import Item, decode_item
from frontdesk_api.contract.ids import AgentId, TaskId
from frontdesk_api.contract.tasks import Task, TaskUpdate
from frontdesk_api.contract.values import unstated_to_seconds


@dataclass(frozen=True, slots=True)
class TaskFields:
    """What is set on tasks.

    Attributes:
        values: by the interface's names.
        people: those to add and to remove, where the list isn't replaced.
        due: the words that mean the due date among the values.
    """

    values: Mapping[str, Any]
    people: Mapping[str, Sequence[str]] | None = None
    due: str | None = None


def parse_fields(given: Mapping[str, str | None]) -> TaskFields:
    """Return what options set, by their names."""
    texts = {each: text for each in TASK_FIELDS.values() if (text := given[each.option]) is not None}
    values: dict[str, Any] = {each.name: _PARSERS.get(each.kind, str)(text) for each, text in texts.items()}
    people = values.pop(ASSIGNED) if isinstance(values.get(ASSIGNED), dict) else None
    if not texts:
        raise CommandFailed(INPUT_WRONG, "nothing to change; name a field, for example --status completed")
    return TaskFields(values, people, texts.get(TASK_FIELDS[DUE]))


def parse_people(text: str) -> list[str]:
    """Return the ids of a list; `me` is the profile's agent."""
    return list(dict.fromkeys(_person(part.strip()) for part in text.split(",") if part.strip()))


def parse_assignees(text: str) -> list[str] | dict[str, list[str]]:
    """Return a list that replaces the assignees, or those to add and to remove if each has a sign (`+noa,-dan`).

    Raises:
        CommandFailed: only some have a sign.
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    signed = [part for part in parts if part[0] in "+-"]
    if not signed:
        return parse_people(text)
    if len(signed) < len(parts):
        raise CommandFailed(
            INPUT_WRONG,
            "--assign: put + or - before each id, or before none to replace the list; nothing was sent",
        )
    people: dict[str, list[str]] = {"add": [], "remove": []}
    for part in signed:
        name = part[1:].strip()
        if part[0] == "+":
            people["add"].append(_person(name))
        else:
            people["remove"].append(_person(name) if name.casefold() == "me" else name)
    return people


def _person(typed: str) -> str:
    """Return the id of a person: `me`, an id, or a name where people are known here."""
    profile = resolve_profile(load_config(), os.environ)
    if typed.casefold() == "me":
        if profile.agent_id is None:
            raise CommandFailed(
                INPUT_WRONG, "'me' needs agent_id in the profile, or FRONTDESK_AGENT_ID; nothing was sent"
            )
        return profile.agent_id
    # A store that was never filled knows only the people of the tasks that commands have changed.
    seen = query_stored(lambda db: assigned_people(db) if clients.was_filled(db) else ()) or ()
    names = {each.agent_id: each.name for each in Catalogue(profile).people(seen)}
    if typed in names:
        return typed
    named = [each for each, name in names.items() if fold_name(typed) == fold_name(name)]
    if len(named) == 1:
        return named[0]
    if names and not may_be_id(typed):
        raise CommandFailed(INPUT_WRONG, f"{name_refusal('agent', typed, names.values())}; nothing was sent")
    return typed


def due_seconds(words: str, clock_offset: float | None = None) -> int:
    """Return a due date as Unix seconds, 0 for none."""
    try:
        return parse_by_clock(parse_due, words, datetime.now(local_zone()), clock_offset).seconds
    except DueNotUnderstood as error:
        raise CommandFailed(INPUT_WRONG, f"--due: {error}") from None


def _parse_status(text: str) -> str:
    if not text:
        raise CommandFailed(INPUT_WRONG, "a status can't be empty; nothing was sent")
    return text


_PARSERS: Mapping[FieldKind, Callable[[str], object]] = {
    FieldKind.PEOPLE: parse_assignees,
    FieldKind.READERS: parse_people,
    FieldKind.TIME: due_seconds,
    FieldKind.STATUS: _parse_status,
}


def update_tasks(ids: Sequence[str], fields: TaskFields, options: WriteOptions) -> int:
    """Update each task once; return an exit status.

    Of several tasks, those that the platform refuses are named on standard error, and the others are updated.
    """
    check_input(TaskUpdate, fields.values)
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
            due_seconds(fields.due, client.clock_offset)
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
        session, raws = self._session, [each.raw for each in before.values()]
        fields, label = _outbox_fields(self._fields, raws), _label(session.store, self._fields)
        ids = [*before]
        sent = await session.send(ids, lambda store: set_fields(store, ids, fields, label, repeats_pending=True))
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
        client, values, as_json = self._session.client, dict(self._fields.values), self._options.as_json
        if self._fields.people is not None:
            before = await client.get_task(task_id)
            values[ASSIGNED] = merge_people(before.raw.get(ASSIGNED), self._fields.people)
        try:
            print_task(await client.update_task(task_id, TaskUpdate.model_validate(values)), as_json=as_json)
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


def _outbox_fields(given: TaskFields, raws: Sequence[Json]) -> Mapping[str, Any]:
    """Return the fields as the outbox has them: assignees are added and removed, so a list leaves nobody else."""
    fields = dict(given.values)
    if given.people is not None:
        fields[ASSIGNED] = given.people
    elif ASSIGNED in fields:
        there = dict.fromkeys(each for raw in raws for each in json_access.texts(raw.get(ASSIGNED)))
        add: Sequence[str] = fields[ASSIGNED]
        fields[ASSIGNED] = {"add": add, "remove": [each for each in there if each not in add]}
    return fields


def _label(store: ProfileStore, given: TaskFields) -> str:
    """Return the name of the update in Activity."""
    fields, context = dict(given.values), context_of(store)
    labels: list[str] = []
    if (status := fields.pop(STATUS, None)) is not None:
        labels.append(status_change(status, context).label)
    if (people := fields.pop(ASSIGNED, None)) is not None or given.people is not None:
        sides: Mapping[str, Sequence[str]] = given.people or {"add": people}
        add, remove = ([AgentId(each) for each in sides.get(side, ())] for side in ("add", "remove"))
        labels.append(people_change(add, remove, context).label if add or remove else "Assign: nobody")
    if (due := fields.pop(DUE, None)) is not None:
        labels.append(due_change(datetime.fromtimestamp(due, local_zone()) if due else None, context).label)
    return ", ".join([*labels, *([edit_label(fields)] if fields else [])])


def print_task(item: Item[Task], *, as_json: bool) -> None:
    """Print a task with all its fields."""
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
