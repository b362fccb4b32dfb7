"""`frontdesk workflows`: list, create, check, update and reset the analytics of workflows."""

from typing import TYPE_CHECKING, Annotated

import typer

from frontdesk.cli.failures import INPUT_WRONG, REFUSED, UNREACHABLE, CommandFailed, say
from frontdesk.cli.in_order import InOrder
from frontdesk.cli.options import AsJson, Yes, group
from frontdesk.cli.workflow_try import try_workflow

if TYPE_CHECKING:
    from frontdesk.client.client import PlatformClient
    from frontdesk.contract.base import JsonObject
    from frontdesk.contract.decode import Item
    from frontdesk.contract.ids import FolderId, WorkflowId
    from frontdesk.contract.workflows import Workflow, WorkflowCreated

app = group("Automated workflows.")
app.command("try", cls=InOrder)(try_workflow)

WorkflowArgument = Annotated[str, typer.Argument(metavar="WORKFLOW", help="A workflow's id.")]
FileOption = Annotated[str, typer.Option("--file", metavar="FILE", help="The body as JSON; - is standard input.")]


@app.command("list")
def list_workflows(
    full: Annotated[bool, typer.Option("--full", help="Whole documents with graph and analytics.")] = False,
    as_json: AsJson = False,
) -> None:
    """Minimal data of all workflows unless --full."""
    from frontdesk.cli.output import print_json, print_table
    from frontdesk.cli.session import talk

    page = talk(lambda client: client.list_workflows(minimal=not full))
    if as_json:
        for raw in (*(item.raw for item in page.items), *(broken.raw for broken in page.broken)):
            print_json(raw)
    elif page.items:
        headings = ("WORKFLOW", "NAME", "ACTIVE", "TRIGGER", "PLATFORM", "BUSINESS ID", "MODIFIED")
        print_table(headings, [_row(item) for item in page.items])
    elif not page.broken:
        print("No workflows.")
    if page.broken and not as_json:
        say(f"{len(page.broken)} more came in a shape that can't be read; --json shows them")
    if page.has_more:
        say("more workflows exist, and the interface shows no way to ask for them")


@app.command("create")
def create(
    workflow: WorkflowArgument,
    folder: Annotated[str, typer.Option("--folder", metavar="FOLDER", help="An existing folder's id.")],
    file: FileOption,
    as_json: AsJson = False,
) -> None:
    """Store a workflow; the platform always stores it inactive."""
    from frontdesk.cli.output import print_json, print_line
    from frontdesk.cli.session import check_input, read_json_file, talk
    from frontdesk.contract.ids import FolderId, WorkflowId
    from frontdesk.contract.workflows import WorkflowCreate

    body = read_json_file(file)
    check_input(WorkflowCreate, body)
    created = talk(lambda client: _create(client, WorkflowId(workflow), FolderId(folder), body))
    if as_json:
        print_json(created.raw)
    else:
        print_line(f"{created.value.message} (lastModified {created.value.lastModified})")


@app.command("check")
def check(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A workflow's JSON, a list or lines of them; - is standard input."),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="A line of JSON for each finding.")] = False,
) -> None:
    """Say what of a workflow would not run or not open. Nothing is sent; 1 where there are errors.

    docs/workflow-check.md has all that is looked for.
    """
    from frontdesk.cli.workflow_check import check_file

    check_file(file, as_json=as_json)


@app.command("update")
def update(workflow: WorkflowArgument, file: FileOption, as_json: AsJson = False) -> None:
    """Replace a workflow's graph: the PUT that is named by the interface without its own description.

    lastModified is echoed; when FILE has none, it is read from the list first.
    """
    from frontdesk.cli.output import print_json, print_line, when
    from frontdesk.cli.session import check_input, read_json_file, talk
    from frontdesk.contract.ids import WorkflowId
    from frontdesk.contract.workflows import WorkflowUpdate

    body = read_json_file(file)
    check_input(WorkflowUpdate, body)
    updated = talk(lambda client: _update(client, WorkflowId(workflow), body))
    if as_json:
        print_json(updated.raw)
        return
    stored = updated.value.lastModified
    print_line(
        f"Updated {workflow}" + (f", lastModified {stored:.0f} ({when(stored)})" if stored is not None else "")
    )


@app.command("reset-analytics")
def reset_analytics(workflow: WorkflowArgument, yes: Yes = False, as_json: AsJson = False) -> None:
    """Zero a workflow's counters for good; refuses without --yes. Needs the Expert AI plan."""
    from frontdesk.cli.output import print_json, print_line
    from frontdesk.cli.session import talk
    from frontdesk.contract.ids import WorkflowId

    if not yes:
        raise CommandFailed(
            INPUT_WRONG, f"the counters of {workflow} can't be brought back; add --yes to zero them"
        )
    item = talk(lambda client: client.reset_workflow_analytics(WorkflowId(workflow)))
    if as_json:
        print_json(item.raw)
        return
    stored = item.value.lastModified
    print_line(
        f"Zeroed the analytics of {workflow}"
        + (f"; lastModified is now {stored:.0f}" if stored is not None else "")
    )


async def _create(
    client: "PlatformClient", workflow_id: "WorkflowId", folder_id: "FolderId", body: "JsonObject"
) -> "Item[WorkflowCreated]":
    from frontdesk.client.errors import Ambiguous, ApiError

    try:
        return await client.create_workflow(workflow_id, folder_id, body)
    except Ambiguous as error:
        # A repeat could overwrite a workflow that has been switched on since (safety.md, 1.4).
        try:
            stored = await _find(client, workflow_id)
            found = "it is in the list now" if stored is not None else "it isn't in the list so far"
        except ApiError as second:
            found = f"the list can't be read ({second})"
        advice = "check with `frontdesk workflows list` before you send it again"
        raise CommandFailed(UNREACHABLE, f"{error}; read back: {found}; {advice}") from None


async def _update(client: "PlatformClient", workflow_id: "WorkflowId", body: "JsonObject") -> "Item[Workflow]":
    from frontdesk.client.errors import Conflict

    if body.get("lastModified") is None:
        stored = await _find(client, workflow_id)
        if stored is None:
            raise CommandFailed(REFUSED, f"no workflow {workflow_id} in the list; check the id, nothing was sent")
        body = body | {"lastModified": stored.raw.get("lastModified")}
    try:
        return await client.update_workflow(workflow_id, body)
    except Conflict as error:
        advice = (
            "read it with `frontdesk workflows list --full --json`, put your change into what is stored "
            "now, with its lastModified, and update again"
        )
        said = ": ".join(part for part in (error.error, error.message) if part)
        raise CommandFailed(
            REFUSED, f"{workflow_id} was changed by someone else since (409: {said}); {advice}"
        ) from None


async def _find(client: "PlatformClient", workflow_id: "WorkflowId") -> "Item[Workflow] | None":
    page = await client.list_workflows(minimal=True)
    return next((item for item in page.items if item.value.id == workflow_id), None)


def _row(item: "Item[Workflow]") -> tuple[object, ...]:
    from frontdesk.cli.output import when

    workflow = item.value
    return (
        workflow.id,
        workflow.name,
        workflow.isActive,
        workflow.triggerType,
        workflow.platformType,
        workflow.associatedToBusinessId,
        when(workflow.lastModified),
    )
