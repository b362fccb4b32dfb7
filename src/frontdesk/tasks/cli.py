"""`frontdesk tasks`: list, show and change tasks on the platform itself."""

from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from frontdesk.cli import completion
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed, print_error
from frontdesk.cli.options import AsJson, Limit, group
from frontdesk.config.actions import help_of
from frontdesk.tasks.actions import ACTIONS

if TYPE_CHECKING:
    from frontdesk.api.client.client import PlatformClient
    from frontdesk.api.contract.decode import Item
    from frontdesk.api.contract.tasks import Task
    from frontdesk.cli.record_names import RecordNames

app = group("Tasks linked to conversations.")


def _help(name: str) -> str:
    return help_of(ACTIONS, f"task.{name}")


TaskArgument = Annotated[
    str, typer.Argument(metavar="TASK", help="The task's id.", autocompletion=completion.complete_task)
]


@app.command("list")
def list_tasks(
    phone: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="Only tasks on the line with this phone number id.",
            autocompletion=completion.complete_line,
        ),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(
            metavar="ID", help="Only tasks assigned to this agent.", autocompletion=completion.complete_agent
        ),
    ] = None,
    conversation: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="Only tasks linked to this conversation.",
            autocompletion=completion.complete_conversation,
        ),
    ] = None,
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """List all tasks, or the first N."""
    from frontdesk.api.contract.base import MAX_TASKS_LIMIT
    from frontdesk.api.contract.tasks import TaskQuery
    from frontdesk.cli.record_names import load_names
    from frontdesk.cli.session import print_pages

    filters = {"phoneNumberId": phone, "agentId": agent, "participantsIdentifiers": conversation}
    query = TaskQuery.model_validate(
        {name: value for name, value in filters.items() if value is not None}
        | {"limit": min(limit or MAX_TASKS_LIMIT, MAX_TASKS_LIMIT)}
    )
    now, names = datetime.now(UTC), load_names()
    print_pages(
        lambda client: client.iter_task_pages(query),
        limit=limit,
        as_json=as_json,
        identity=lambda task: task.taskId,
        headings=("TASK", "STATUS", "TITLE", "CUSTOMER", "DUE", "ASSIGNED TO"),
        row=lambda item: _row(item, now, names),
        nothing="No tasks.",
    )


@app.command("show")
def show_task(task: TaskArgument, as_json: AsJson = False) -> None:
    """Show a task."""
    from frontdesk.api.contract.ids import TaskId
    from frontdesk.cli.session import run_with_client

    _print_task(run_with_client(lambda client: client.get_task(TaskId(task))), as_json)


@app.command("history")
def show_history(
    task: TaskArgument,
    limit: Limit = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object; times are Unix seconds.")
    ] = False,
) -> int:
    """List the changes to a task that frontdesk has seen, newest first."""
    from frontdesk.api.contract.ids import TaskId
    from frontdesk.cli.output import print_json, print_line
    from frontdesk.cli.store_session import with_store
    from frontdesk.config.render_context import RenderContext
    from frontdesk.config.time_zone import local_zone
    from frontdesk.outbox.changes import NotPossible
    from frontdesk.storage import record_lookup
    from frontdesk.storage.database import ProfileStore
    from frontdesk.tasks import history
    from frontdesk.tasks.history_view import coverage, sentence
    from frontdesk.text.display_text import capitalized
    from frontdesk.text.glyphs import glyphs

    def show(store: ProfileStore) -> None:
        found = history.of_task(store.reading, TaskId(task), limit or -1)
        if not found and record_lookup.task(store.reading, TaskId(task)) is None:
            raise NotPossible(f"frontdesk has stored no task with the id {task}", quotes=True)
        since = history.since(store.reading)
        if as_json:
            print_json({"task": task, "since": since, "transitions": [each.as_json() for each in found]})
            return
        view = RenderContext(store.catalogue, glyphs(ascii_only=False), store.clock(), local_zone())
        for each in found:
            print_line(sentence(each, view).text)
        print_line(capitalized(coverage(bool(found), since, view).text) + ".")

    return with_store(show)


@app.command("update")
def update_task(
    task: TaskArgument,
    title: Annotated[str | None, typer.Option(metavar="T", help="Set the title.")] = None,
    body: Annotated[str | None, typer.Option(metavar="T", help="Set the text.")] = None,
    status: Annotated[
        str | None,
        typer.Option(
            metavar="S",
            help=f"{_help('status')}: open, standby, completed, or a custom status id.",
            autocompletion=completion.complete_status,
        ),
    ] = None,
    assign: Annotated[
        str | None,
        typer.Option(
            metavar="IDS",
            help=f"{_help('assign')}: comma-separated agent ids; replaces the list ('' for nobody).",
            autocompletion=completion.complete_agent,
        ),
    ] = None,
    viewed_by: Annotated[
        str | None,
        typer.Option(
            metavar="IDS",
            help="Comma-separated agent ids; replaces the list.",
            autocompletion=completion.complete_agent,
        ),
    ] = None,
    due: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN",
            help=f"{_help('due')}: Unix seconds, ISO 8601, words ('tomorrow 9am', 'fri', '+3d'); none removes it.",
        ),
    ] = None,
    conversation: Annotated[
        str | None,
        typer.Option(
            metavar="ID", help="Link it to this conversation.", autocompletion=completion.complete_conversation
        ),
    ] = None,
    phone: Annotated[
        str | None,
        typer.Option(metavar="ID", help="The line's phone number id.", autocompletion=completion.complete_line),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Update a task; only the fields you name change.

    Prints what changed by the platform's answer.
    """
    from frontdesk.api.client.errors import ApiError
    from frontdesk.api.contract.ids import TaskId
    from frontdesk.api.contract.tasks import TaskUpdate
    from frontdesk.cli.session import check_input, run_with_client

    given = {
        "title": title,
        "body": body,
        "statusCase": status,
        "assignedAgentIds": _ids(assign),
        "viewedByAgentIds": _ids(viewed_by),
        "dueDate": _due_seconds(due),
        "participantsIdentifiers": conversation,
        "phoneNumberId": phone,
    }
    fields: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if not fields:
        raise CommandFailed(INPUT_WRONG, "nothing to change; name a field, for example --status completed")
    if status == "":
        raise CommandFailed(INPUT_WRONG, "a status can't be empty; nothing was sent")
    update = check_input(TaskUpdate, fields)

    async def work(client: "PlatformClient") -> "tuple[Item[Task] | None, Item[Task]]":
        before: Item[Task] | None = None
        if not as_json:
            with suppress(ApiError):  # the update says itself what is wrong
                before = await client.get_task(TaskId(task))
        return before, await client.update_task(TaskId(task), update)

    before, after = run_with_client(work)
    if before is not None:
        _print_changes(before, after)
        return
    if not as_json:
        print_error("couldn't load the task before the update, so this is the whole task instead of what changed")
    _print_task(after, as_json)


def _ids(text: str | None) -> list[str] | None:
    if text is None:
        return None
    return list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def _due_seconds(words: str | None) -> int | None:
    if words is None:
        return None
    from frontdesk.config.time_zone import local_zone
    from frontdesk.text.due_parser import DueNotUnderstood, parse_due

    try:
        return parse_due(words, datetime.now(local_zone())).seconds
    except DueNotUnderstood as error:
        raise CommandFailed(INPUT_WRONG, f"--due: {error}") from None


def _row(item: "Item[Task]", now: datetime, names: "RecordNames") -> tuple[object, ...]:
    from frontdesk.cli import output

    task = item.value
    customer = task.customer
    name = (customer.customerNickname or customer.customerName) if customer is not None else None
    return (
        task.taskId,
        names.status(task.statusCase),
        task.title,
        name or task.participantsIdentifiers,
        output.due(task.dueDate, now),
        names.agents(task.assignedAgentIds or ()),
    )


def _print_task(item: "Item[Task]", as_json: bool) -> None:
    from frontdesk.cli import output

    if as_json:
        output.print_json(item.raw)
    else:
        output.print_record(_readable(item).items())


def _print_changes(before: "Item[Task]", after: "Item[Task]") -> None:
    """Print the fields in which the platform's answer differs from the task before."""
    from frontdesk.cli import output
    from frontdesk.cli.record_names import with_id

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


def _readable(item: "Item[Task]") -> dict[str, object]:
    """Return the fields of a task with times as words and names beside ids."""
    from frontdesk.api.contract.values import unstated_to_seconds
    from frontdesk.cli import output
    from frontdesk.cli.record_names import load_names

    task, names = item.value, load_names()
    shown: dict[str, object] = {"dueDate": output.due(task.dueDate, datetime.now(UTC)) or "none"}
    for name, at in (("createdAt", task.createdAt), ("updatedAt", task.updatedAt)):
        if at is not None:
            shown[name] = output.when(unstated_to_seconds(at))
    for name, ids in (("assignedAgentIds", task.assignedAgentIds), ("viewedByAgentIds", task.viewedByAgentIds)):
        if ids is not None:
            shown[name] = names.agents(ids) or "none"
    if task.statusCase:
        shown["statusCase"] = names.status(task.statusCase)
    if task.phoneNumberId:
        shown["phoneNumberId"] = names.line(task.phoneNumberId)
    return item.raw | shown
