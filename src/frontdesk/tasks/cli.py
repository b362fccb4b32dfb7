"""`frontdesk tasks`: list, show and change tasks on the platform itself."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from frontdesk.cli import completion
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
from frontdesk.cli.options import AsJson, Limit, group
from frontdesk.config.actions import help_of
from frontdesk.tasks.actions import ACTIONS

if TYPE_CHECKING:
    from frontdesk.api.contract.decode import Item
    from frontdesk.api.contract.tasks import Task

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
    from frontdesk.cli.session import print_pages

    filters = {"phoneNumberId": phone, "agentId": agent, "participantsIdentifiers": conversation}
    query = TaskQuery.model_validate(
        {name: value for name, value in filters.items() if value is not None}
        | {"limit": min(limit or MAX_TASKS_LIMIT, MAX_TASKS_LIMIT)}
    )
    now = datetime.now(UTC)
    print_pages(
        lambda client: client.iter_task_pages(query),
        limit=limit,
        as_json=as_json,
        identity=lambda task: task.taskId,
        headings=("TASK", "STATUS", "TITLE", "CUSTOMER", "DUE", "ASSIGNED TO"),
        row=lambda item: _row(item, now),
        nothing="No tasks.",
    )


@app.command("show")
def show_task(task: TaskArgument, as_json: AsJson = False) -> None:
    """Show a task."""
    from frontdesk.api.contract.ids import TaskId
    from frontdesk.cli.session import run_with_client

    _print_task(run_with_client(lambda client: client.get_task(TaskId(task))), as_json)


@app.command("update")
def update_task(
    task: TaskArgument,
    title: Annotated[str | None, typer.Option(metavar="T")] = None,
    body: Annotated[str | None, typer.Option(metavar="T", help="The task's text.")] = None,
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
            help=f"{_help('due')}: Unix seconds, ISO 8601, words ('tomorrow 9am', 'fri', '+3d'), or 0 for none.",
        ),
    ] = None,
    conversation: Annotated[
        str | None, typer.Option(metavar="ID", autocompletion=completion.complete_conversation)
    ] = None,
    phone: Annotated[
        str | None,
        typer.Option(metavar="ID", help="The line's phone number id.", autocompletion=completion.complete_line),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Update a task; only the fields you name change."""
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
    _print_task(run_with_client(lambda client: client.update_task(TaskId(task), update)), as_json)


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


def _row(item: "Item[Task]", now: datetime) -> tuple[object, ...]:
    from frontdesk.cli import output

    task = item.value
    customer = task.customer
    name = (customer.customerNickname or customer.customerName) if customer is not None else None
    assigned = ", ".join(task.assignedAgentIds or ())
    return (
        task.taskId,
        task.statusCase,
        task.title,
        name or task.participantsIdentifiers,
        output.due(task.dueDate, now),
        assigned,
    )


def _print_task(item: "Item[Task]", as_json: bool) -> None:
    from frontdesk.api.contract.values import unstated_to_seconds
    from frontdesk.cli import output

    if as_json:
        output.print_json(item.raw)
        return
    task = item.value
    shown: dict[str, object] = {"dueDate": output.due(task.dueDate, datetime.now(UTC)) or "none"}
    for name, value in (("createdAt", task.createdAt), ("updatedAt", task.updatedAt)):
        if value is not None:
            shown[name] = output.when(unstated_to_seconds(value))
    if task.assignedAgentIds is not None:
        shown["assignedAgentIds"] = ", ".join(task.assignedAgentIds) or "none"
    output.print_record((item.raw | shown).items())
