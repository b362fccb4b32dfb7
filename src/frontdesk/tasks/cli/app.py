"""`frontdesk tasks`: list, show and change tasks on the platform itself."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from frontdesk.cli import completion
from frontdesk.cli.errors import print_error
from frontdesk.cli.options import AsJson, Limit, Until, WriteOptions, group, with_options, writes
from frontdesk.config.actions import help_of
from frontdesk.outbox.task_fields import TASK_FIELDS, FieldKind, TaskField
from frontdesk.tasks.actions import ACTIONS

if TYPE_CHECKING:
    from frontdesk.cli.record_names import RecordNames
    from frontdesk.tasks.cli.update import TaskFields
    from frontdesk_api.contract.decode import Item
    from frontdesk_api.contract.tasks import Task

app = group("Tasks linked to conversations.")


def _help(name: str) -> str:
    return help_of(ACTIONS, f"task.{name}")


TaskArgument = Annotated[
    str, typer.Argument(metavar="TASK", help="The task's id.", autocompletion=completion.complete_task)
]
TasksArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="TASK...",
        help="The tasks' ids; - reads them from standard input, one per line.",
        autocompletion=completion.complete_task,
    ),
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
    from frontdesk.cli.record_names import load_names
    from frontdesk.cli.session import print_pages
    from frontdesk_api.contract.base import MAX_TASKS_LIMIT
    from frontdesk_api.contract.tasks import TaskQuery

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
    from frontdesk.cli.session import run_with_client
    from frontdesk.tasks.cli.update import print_task
    from frontdesk_api.contract.ids import TaskId

    print_task(run_with_client(lambda client: client.get_task(TaskId(task))), as_json=as_json)


@app.command("history")
def show_history(
    task: TaskArgument,
    limit: Limit = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object; times are Unix seconds.")
    ] = False,
) -> int:
    """List the changes to a task that frontdesk has seen, newest first."""
    from frontdesk.cli.output import print_json, print_line
    from frontdesk.cli.store_session import with_store
    from frontdesk.config.render_context import RenderContext
    from frontdesk.config.time_zone import local_zone
    from frontdesk.outbox.changes import NotPossible
    from frontdesk.storage import record_lookup
    from frontdesk.storage.database import ProfileStore
    from frontdesk.tasks import history
    from frontdesk.tasks.view import history_coverage, transition_sentence
    from frontdesk_api.contract.ids import TaskId
    from frontdesk_lines.display_text import capitalized
    from frontdesk_lines.glyphs import glyphs

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
            print_line(transition_sentence(each, view).text)
        print_line(capitalized(history_coverage(bool(found), since, view).text) + ".")

    return with_store(show)


_OPTIONS: Mapping[FieldKind, tuple[str, str, completion.Completer | None]] = {
    FieldKind.STATUS: (
        "S",
        f"{_help('status')}: open, standby, completed, or a custom status, by id or name.",
        completion.complete_status,
    ),
    FieldKind.PEOPLE: (
        "IDS",
        f"{_help('assign')}: comma-separated agent ids; replaces the list ('' for nobody). With "
        "+ or - before each, adds and removes only these. me is you.",
        completion.complete_agent,
    ),
    FieldKind.READERS: ("IDS", "Comma-separated agent ids; replaces the list.", completion.complete_agent),
    FieldKind.TIME: (
        "WHEN",
        f"{_help('due')}: Unix seconds, ISO 8601, words ('tomorrow 9am', 'fri', '+3d'); none removes it.",
        None,
    ),
    FieldKind.CONVERSATION: ("ID", "Link it to this conversation.", completion.complete_conversation),
    FieldKind.LINE: ("ID", "The line's phone number id.", completion.complete_line),
}
"""The options of fields by their kind: the value's name, the help and the completion."""


def _option(of: TaskField) -> object:
    metavar, words, complete = _OPTIONS.get(of.kind, ("T", f"Set the {of.words}.", None))
    return Annotated[str | None, typer.Option(metavar=metavar, help=words, autocompletion=complete)]


@app.command("update")
@writes()
@with_options({each.option: _option(each) for each in TASK_FIELDS.values()})
def update_tasks(write: WriteOptions, tasks: TasksArgument, **given: str | None) -> int:
    """Update tasks; only the fields you name change.

    Prints what changed, according to the platform's answer.
    """
    from frontdesk.tasks.cli.update import parse_fields

    return _update(tasks, parse_fields(given), write)


@app.command("complete", help=f"{_help('complete')}.")
@writes()
def complete_tasks(write: WriteOptions, tasks: TasksArgument) -> int:
    """Set the status of tasks to completed."""
    from frontdesk.tasks.cli.update import parse_fields

    return _update(tasks, parse_fields({"status": "completed"}), write)


@app.command("snooze")
@writes(on_store=True)
def snooze_tasks(write: WriteOptions, tasks: TasksArgument, until: Until) -> int:
    """Snooze tasks until a time or until they write; off wakes them."""
    from frontdesk.cli.verbs import run_verb
    from frontdesk.outbox.snooze_view import SNOOZE_VERB

    return run_verb(SNOOZE_VERB, "task", tasks, write, until)


def _update(tasks: list[str], fields: "TaskFields", write: WriteOptions) -> int:
    from frontdesk.cli.id_lines import read_ids
    from frontdesk.tasks.cli import update as cli_update

    if ids := read_ids(tasks):
        return cli_update.update_tasks(ids, fields, write)
    print_error("no ids on standard input; nothing was sent")
    return 0


def _row(item: "Item[Task]", now: datetime, names: "RecordNames") -> tuple[object, ...]:
    from frontdesk.cli import output
    from frontdesk_api.contract.tasks import Customer
    from frontdesk_lines.display_text import visible_name

    task = item.value
    customer = task.customer or Customer()
    name = visible_name(customer.customerName, customer.customerNickname, customer.parsedPhoneNumber)
    return (
        task.taskId,
        names.status(task.statusCase),
        task.title,
        name or task.participantsIdentifiers,
        output.due(task.dueDate, now),
        names.agents(task.assignedAgentIds or ()),
    )
