"""`frontdesk workflows`: list, show, check, create, update, switch, compare, export, and reset the analytics.

`frontdesk webhooks` deletes one; the interface has nothing else for them.
"""

from typing import TYPE_CHECKING, Annotated

import typer

from frontdesk.cli.errors import INPUT_WRONG, CommandFailed, print_error
from frontdesk.cli.options import AsJson, OrderedCommand, Yes, group, ordered_options

if TYPE_CHECKING:
    from frontdesk.api.contract.decode import Item
    from frontdesk.api.contract.workflows import Workflow

app = group("Automated workflows.")
webhooks = group("Delete webhooks.")

WorkflowArgument = Annotated[str, typer.Argument(metavar="WORKFLOW", help="A workflow's id.")]
DespiteErrors = Annotated[
    bool, typer.Option("--despite-errors", help="Send it although the check finds errors in it.")
]
FileOption = Annotated[str, typer.Option("--file", metavar="FILE", help="The body as JSON; - is standard input.")]


@app.command("try", cls=OrderedCommand)
def try_workflow(
    context: typer.Context,
    file: Annotated[
        str | None,
        typer.Argument(metavar="FILE", help="A workflow's JSON, a list or lines of them; - is standard input."),
    ] = None,
    workflow: Annotated[
        str | None,
        typer.Option("--workflow", metavar="WORKFLOW", help="One of the account's, or which one of FILE's."),
    ] = None,
    say: Annotated[list[str] | None, typer.Option(metavar="TEXT", help="The customer writes this.")] = None,
    press: Annotated[
        list[str] | None,
        typer.Option(metavar="ANSWER", help="The customer presses an answer: its title, payload, id or number."),
    ] = None,
    wait: Annotated[
        list[str] | None, typer.Option(metavar="TIME", help="So much time goes by: 2h, 20 minutes.")
    ] = None,
    silence: Annotated[
        int,
        typer.Option(
            "--silence", count=True, show_default=False, help="Nothing happens until what it waits for is over."
        ),
    ] = 0,
    choose: Annotated[
        list[str] | None,
        typer.Option(metavar="WAY", help="Where nothing decides: the way to take, as for --press."),
    ] = None,
    let: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="What a placeholder stands for.")
    ] = None,
    at: Annotated[
        str | None, typer.Option("--at", metavar="TIME", help="When it begins: 22:30 or 2026-12-24T09:00; now.")
    ] = None,
    assume: Annotated[
        bool, typer.Option("--assume", help="Take the first way where nothing decides, and say so.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One object: what happened, and how it stands.")] = False,
) -> None:
    """Say what a workflow would do for a customer; nothing is sent. --say, --press, --wait and others are its
    steps, in the order in which they stand. 1 where it is dropped or does not begin.

    docs/workflow-dry-runs.md has examples.
    """
    from frontdesk.workflows.cli.simulate import Trial, play

    if file is None and workflow is None:
        raise CommandFailed(INPUT_WRONG, "name a FILE, or one of the account's with --workflow")
    steps = {"say": say or [], "press": press or [], "wait": wait or [], "choose": choose or []}
    script = ordered_options(context, steps | {"silence": [""] * silence})
    play(Trial(file, workflow, script, let or [], at, assume), as_json=as_json)


@app.command("list")
def list_workflows(
    full: Annotated[bool, typer.Option("--full", help="Whole documents with graph and analytics.")] = False,
    as_json: AsJson = False,
) -> None:
    """Minimal data of all workflows unless --full."""
    from frontdesk.cli.output import print_json, print_table
    from frontdesk.cli.session import run_with_client

    page = run_with_client(lambda client: client.list_workflows(minimal=not full))
    if as_json:
        for raw in (*(item.raw for item in page.items), *(broken.raw for broken in page.broken)):
            print_json(raw)
    elif page.items:
        headings = ("WORKFLOW", "NAME", "ACTIVE", "TRIGGER", "PLATFORM", "BUSINESS ID", "MODIFIED")
        print_table(headings, [_row(item) for item in page.items])
    elif not page.broken:
        print("No workflows.")
    if page.broken and not as_json:
        print_error(f"{len(page.broken)} more came in a shape that can't be read; --json shows them")
    if page.has_more:
        print_error("more workflows exist, and the interface shows no way to ask for them")


@app.command("show")
def show(
    workflow: Annotated[
        str | None, typer.Argument(metavar="WORKFLOW", help="A workflow's id; of FILE, which one of it.")
    ] = None,
    file: Annotated[
        str | None,
        typer.Option(
            "--file", metavar="FILE", help="A workflow's JSON, a list or lines of them; - is standard input."
        ),
    ] = None,
    traffic: Annotated[
        bool, typer.Option("--heat", help="With the traffic of each row, and where most are lost.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="A line of JSON for each row.")] = False,
) -> None:
    """Show a workflow as a tree: its nodes in running order, their exits, and what never runs."""
    from frontdesk.workflows.cli import read as workflow_read

    workflow_read.show(workflow, file, with_traffic=traffic, as_json=as_json)


@app.command("create")
def create(
    workflow: WorkflowArgument,
    folder: Annotated[str, typer.Option("--folder", metavar="FOLDER", help="An existing folder's id.")],
    file: FileOption,
    despite_errors: DespiteErrors = False,
    as_json: AsJson = False,
) -> None:
    """Store a new workflow, always inactive.

    A graph is checked first, and with errors nothing is sent.
    """
    from frontdesk.workflows.cli import send as workflow_send

    workflow_send.create(workflow, folder, file, despite_errors=despite_errors, as_json=as_json)


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
    from frontdesk.workflows.cli.read import check_file

    check_file(file, as_json=as_json)


@app.command("update")
def update(
    workflow: WorkflowArgument,
    file: FileOption,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what it would change, and check it; nothing is sent.")
    ] = False,
    despite_errors: DespiteErrors = False,
    as_json: AsJson = False,
) -> None:
    """Replace a workflow's graph: the PUT that is named by the interface without its own description.

    What it changes is shown. lastModified is echoed; when FILE has none, it is read from the list first.
    """
    from frontdesk.workflows.cli import send as workflow_send

    workflow_send.update(workflow, file, despite_errors=despite_errors, dry_run=dry_run, as_json=as_json)


@app.command("activate")
def activate(workflow: WorkflowArgument, as_json: AsJson = False) -> None:
    """Switch a workflow on.

    It runs for customers from then on. Uses the PUT of update, without a graph.
    """
    from frontdesk.workflows.cli import send as workflow_send

    workflow_send.switch(workflow, active=True, as_json=as_json)


@app.command("deactivate")
def deactivate(workflow: WorkflowArgument, as_json: AsJson = False) -> None:
    """Switch a workflow off.

    Uses the PUT of update, without a graph.
    """
    from frontdesk.workflows.cli import send as workflow_send

    workflow_send.switch(workflow, active=False, as_json=as_json)


@app.command("diff")
def diff(
    workflow: WorkflowArgument,
    file: FileOption,
    as_json: Annotated[bool, typer.Option("--json", help="A line of JSON for each difference.")] = False,
) -> None:
    """Say what an update with FILE would change.

    Structure, not text; nothing is sent. docs/workflow-files.md says what a difference is.
    """
    from frontdesk.workflows.cli import read as workflow_read

    workflow_read.diff(workflow, file, as_json=as_json)


@app.command("export")
def export(
    workflow: WorkflowArgument,
    file: Annotated[
        str | None, typer.Option("--file", metavar="FILE", help="Where to write it; printed without it.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE where it is there already.")] = False,
) -> None:
    """Write a stored workflow into a file.

    As JSON, as update and create take it: without what the platform decides.
    """
    from frontdesk.workflows.cli import read as workflow_read

    workflow_read.export(workflow, file, replaces=force)


@app.command("reset-analytics")
def reset_analytics(
    workflow: WorkflowArgument,
    yes: Yes = False,
    without_snapshot: Annotated[
        bool, typer.Option("--without-snapshot", help="Don't read and keep the counters first.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Zero a workflow's counters for good.

    Refuses without --yes, and needs the Expert AI plan. What they were is kept first: see snapshots.
    """
    if not yes:
        raise CommandFailed(
            INPUT_WRONG, f"the counters of {workflow} can't be brought back; add --yes to zero them"
        )
    from frontdesk.workflows.cli import analytics as workflow_analytics

    workflow_analytics.reset(workflow, keeps_snapshot=not without_snapshot, as_json=as_json)


@app.command("snapshots")
def snapshots(
    workflow: WorkflowArgument,
    compare: Annotated[
        bool, typer.Option("--compare", help="The last one beside what the platform counts now, as shares.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="A line of JSON for each, with its document.")] = False,
) -> None:
    """What was kept of a workflow's counters.

    They are kept before they are zeroed; the newest comes first.
    """
    from frontdesk.workflows.cli import analytics as workflow_analytics

    if compare:
        workflow_analytics.print_comparison(workflow, as_json=as_json)
    else:
        workflow_analytics.print_snapshots(workflow, as_json=as_json)


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


@webhooks.command("delete")
def delete_webhook(
    webhook: Annotated[str, typer.Argument(metavar="WEBHOOK", help="A webhook's id.")],
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Delete a webhook for good; refuses without --yes. Needs the Bearer token."""
    from frontdesk.api.contract.ids import WebhookId
    from frontdesk.cli.output import print_json, print_line
    from frontdesk.cli.session import run_with_client

    if not yes:
        raise CommandFailed(INPUT_WRONG, f"deleting webhook {webhook} can't be undone; add --yes to do it")
    run_with_client(lambda client: client.delete_webhook(WebhookId(webhook)))
    if as_json:
        print_json({"webhookId": webhook, "deleted": True})
    else:
        print_line(f"Deleted webhook {webhook}")
