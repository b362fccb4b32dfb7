"""`frontdesk workflows`: list, show, check, create, update, switch, compare, export, and reset the analytics.

`frontdesk webhooks` deletes one; the interface has nothing else for them.
"""

from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer

from frontdesk.cli import completion
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed, print_error
from frontdesk.cli.options import AsJson, OrderedCommand, WriteOptions, Yes, group, ordered_options, writes

if TYPE_CHECKING:
    from frontdesk.cli.record_names import RecordNames
    from frontdesk_api.contract.decode import Item
    from frontdesk_api.contract.workflows import Workflow

app = group("Show, check, try and change workflows.")
webhooks = group("Delete webhooks.")

Period = Literal["reset", "yesterday", "update", "ever"]
"""The names of `TrafficPeriod`."""

WorkflowArgument = Annotated[
    str, typer.Argument(metavar="WORKFLOW", help="A workflow's id.", autocompletion=completion.complete_workflow)
]
DespiteErrors = Annotated[bool, typer.Option("--despite-errors", help="Send it even if the check finds errors.")]
CheckedDryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show what would change, and check it; send nothing.")
]
FileOption = Annotated[
    str, typer.Option("--file", metavar="FILE", help="The body as JSON; - reads standard input.")
]


@app.command("try", cls=OrderedCommand)
def try_workflow(
    context: typer.Context,
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE", help="A workflow as JSON, a list of them, or one per line; - reads standard input."
        ),
    ] = None,
    workflow: Annotated[
        str | None,
        typer.Option(
            "--workflow",
            metavar="WORKFLOW",
            help="A workflow's id, in the account or in FILE.",
            autocompletion=completion.complete_workflow,
        ),
    ] = None,
    say: Annotated[list[str] | None, typer.Option(metavar="TEXT", help="The customer writes TEXT.")] = None,
    press: Annotated[
        list[str] | None,
        typer.Option(metavar="ANSWER", help="The customer presses an answer: its title, payload, id or number."),
    ] = None,
    wait: Annotated[
        list[str] | None, typer.Option(metavar="TIME", help="Let this much time pass: 2h, 20 minutes.")
    ] = None,
    silence: Annotated[
        int,
        typer.Option(
            "--silence", count=True, show_default=False, help="Let time pass until the current wait is over."
        ),
    ] = 0,
    choose: Annotated[
        list[str] | None,
        typer.Option(
            metavar="EXIT", help="If a condition can't be evaluated, take this exit; name it as for --press."
        ),
    ] = None,
    let: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Set the value of a placeholder.")
    ] = None,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="WHEN", help="When it starts, such as 22:30 or 'fri 9'. Default: now."),
    ] = None,
    assume: Annotated[
        bool, typer.Option("--assume", help="If a condition can't be evaluated, take the first exit and say so.")
    ] = False,
    max_nodes: Annotated[
        int, typer.Option("--max-nodes", metavar="N", min=1, max=100_000, help="Stop after this many nodes.")
    ] = 200,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object with the events and the final state.")
    ] = False,
) -> None:
    """Dry-run a workflow: show what it would do for a customer. Nothing is sent.

    --say, --press, --wait, --silence and --choose are the customer's steps, in the order you type them. Exits
    with 1 if the customer is dropped or the workflow doesn't start. `frontdesk docs workflows` has examples.
    """
    from frontdesk.workflows.cli.simulate import Trial, play

    if file is None and workflow is None:
        raise CommandFailed(INPUT_WRONG, "name a FILE, or a workflow in the account with --workflow")
    steps = {"say": say or [], "press": press or [], "wait": wait or [], "choose": choose or []}
    script = ordered_options(context, steps | {"silence": [""] * silence})
    play(Trial(file, workflow, script, let or [], at, assume, max_nodes), as_json=as_json)


@app.command("list")
def list_workflows(
    full: Annotated[bool, typer.Option("--full", help="Full documents, with graph and analytics.")] = False,
    as_json: AsJson = False,
) -> None:
    """List workflows; minimal data unless --full."""
    from frontdesk.cli.output import print_json, print_table
    from frontdesk.cli.record_names import load_names
    from frontdesk.cli.session import run_with_client

    page = run_with_client(lambda client: client.list_workflows(minimal=not full))
    if as_json:
        for raw in (*(item.raw for item in page.items), *(broken.raw for broken in page.broken)):
            print_json(raw)
    elif page.items:
        names = load_names()
        headings = ("WORKFLOW", "NAME", "ACTIVE", "TRIGGER", "PLATFORM", "LINE", "MODIFIED")
        print_table(headings, [_row(item, names) for item in page.items])
    elif not page.broken:
        print("No workflows.")
    if page.broken and not as_json:
        print_error(f"{len(page.broken)} more couldn't be parsed; to see them, use --json")
    if page.has_more:
        print_error("more workflows exist, but the platform has no way to list them")


@app.command("show")
def show(
    workflow: Annotated[
        str | None,
        typer.Argument(
            metavar="WORKFLOW",
            help="A workflow's id; with --file, the one to show.",
            autocompletion=completion.complete_workflow,
        ),
    ] = None,
    file: Annotated[
        str | None,
        typer.Option(
            "--file",
            metavar="FILE",
            help="A workflow as JSON, a list of them, or one per line; - reads standard input.",
        ),
    ] = None,
    traffic: Annotated[
        bool, typer.Option("--heat", help="Show traffic for each row, and the biggest drop-offs.")
    ] = False,
    period: Annotated[
        Period | None,
        typer.Option(
            "--period",
            metavar="|".join(get_args(Period)),
            help="With --heat: count since the last reset (default), yesterday or the update, or ever.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON per row.")] = False,
) -> None:
    """Show a workflow as a tree.

    Lists the nodes in the order they run, with their exits, then what never runs.
    """
    if period is not None and not traffic:
        raise typer.BadParameter("--period requires --heat")
    if period is not None and file is not None:
        raise typer.BadParameter("--period can't be combined with --file: a file has the counters of one moment")
    from frontdesk.workflows.cli.show import show_tree
    from frontdesk_flows.traffic import TrafficPeriod

    wanted = TrafficPeriod[(period or "reset").upper()] if traffic else None
    show_tree(workflow, file, traffic_period=wanted, as_json=as_json)


@app.command("create")
@writes()
def create(
    write: WriteOptions,
    workflow: WorkflowArgument,
    folder: Annotated[str, typer.Option("--folder", metavar="FOLDER", help="An existing folder's id.")],
    file: FileOption,
    despite_errors: DespiteErrors = False,
) -> None:
    """Create a workflow, always inactive.

    The graph is checked first; if it has errors, nothing is sent.
    """
    from frontdesk.workflows.cli import send as workflow_send

    workflow_send.create(workflow, folder, file, write, despite_errors=despite_errors)


@app.command("check")
def check(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A workflow as JSON, a list of them, or one per line; - reads standard input."
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON per finding.")] = False,
) -> None:
    """Find what won't run in a workflow, or won't open in the editor.

    Nothing is sent. Exits with 1 if there are errors. `frontdesk docs workflow-rules` lists the rules.
    """
    from frontdesk.workflows.cli.read import check_file

    check_file(file, as_json=as_json)


@app.command("update")
@writes(CheckedDryRun)
def update(
    write: WriteOptions,
    workflow: WorkflowArgument,
    file: FileOption,
    merge: Annotated[
        bool,
        typer.Option("--merge", help="If it has changed since FILE was exported, merge what doesn't overlap."),
    ] = False,
    despite_errors: DespiteErrors = False,
) -> None:
    """Update a workflow from a file.

    Shows what changes. Sends the lastModified in FILE or, if it has none, the one in the current list. The
    platform's documentation lists this request but doesn't describe it.
    """
    from frontdesk.workflows.cli import send as workflow_send

    workflow_send.update(workflow, file, write, despite_errors=despite_errors, merges=merge)


@app.command("activate")
@writes()
def activate(write: WriteOptions, workflow: WorkflowArgument) -> None:
    """Switch a workflow on.

    It runs for customers from then on. Same request as update, without a graph.
    """
    from frontdesk.workflows.cli import send as workflow_send

    workflow_send.switch(workflow, write, active=True)


@app.command("deactivate")
@writes()
def deactivate(write: WriteOptions, workflow: WorkflowArgument) -> None:
    """Switch a workflow off.

    Same request as update, without a graph.
    """
    from frontdesk.workflows.cli import send as workflow_send

    workflow_send.switch(workflow, write, active=False)


@app.command("diff")
def diff(
    workflow: WorkflowArgument,
    file: Annotated[
        str | None, typer.Option("--file", metavar="FILE", help="The body as JSON; - reads standard input.")
    ] = None,
    before: Annotated[
        int | None,
        typer.Option("--from", metavar="VERSION", min=1, help="Saved version to compare instead of a file."),
    ] = None,
    after: Annotated[
        int | None,
        typer.Option("--to", metavar="VERSION", min=1, help="With --from: another one. Default: the current one."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON per difference.")] = False,
) -> None:
    """Show what an update with FILE would change, or what differs between two versions.

    Compares structure, not text; nothing is sent. `frontdesk docs workflows` explains the differences;
    `frontdesk workflows versions` lists the versions.
    """
    from frontdesk.workflows.cli import read as workflow_read

    if (file is None) is (before is None):
        raise CommandFailed(INPUT_WRONG, "name either a file with --file, or a version with --from")
    if before is not None:
        workflow_read.diff_versions(workflow, before, after, as_json=as_json)
    elif file is not None:
        if after is not None:
            raise CommandFailed(INPUT_WRONG, "--to goes with --from, not with --file")
        workflow_read.diff(workflow, file, as_json=as_json)


@app.command("export")
def export(
    workflow: WorkflowArgument,
    file: Annotated[
        str | None, typer.Option("--file", metavar="FILE", help="Where to write it. Default: standard output.")
    ] = None,
    version: Annotated[
        int | None,
        typer.Option(
            "--version", metavar="VERSION", min=1, help="Saved version to export. Default: the current one."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE if it already exists.")] = False,
) -> None:
    """Export a workflow to a file.

    Writes JSON that update and create accept, without the fields that the platform sets.
    """
    from frontdesk.workflows.cli import read as workflow_read

    workflow_read.export(workflow, file, replaces=force, version=version)


@app.command("versions")
def versions(
    workflow: WorkflowArgument,
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON per version.")] = False,
) -> None:
    """List the saved versions of a workflow, newest first.

    The inbox and `frontdesk sync` save one whenever they load a changed workflow. This command loads nothing.
    """
    from frontdesk.workflows.cli import read as workflow_read

    workflow_read.print_versions(workflow, as_json=as_json)


@app.command("restore")
@writes(CheckedDryRun)
def restore(
    write: WriteOptions,
    workflow: WorkflowArgument,
    version: Annotated[int, typer.Argument(metavar="VERSION", min=1, help="A number from `workflows versions`.")],
    despite_errors: DespiteErrors = False,
) -> None:
    """Update a workflow to one of its saved versions.

    Shows what changes and checks it, like update. The workflow stays on or off, and in its folder.
    """
    from frontdesk.workflows.cli import send as workflow_send

    workflow_send.restore(workflow, version, write, despite_errors=despite_errors)


@app.command("reset-analytics")
@writes()
def reset_analytics(
    write: WriteOptions,
    workflow: WorkflowArgument,
    yes: Yes = False,
    without_snapshot: Annotated[
        bool, typer.Option("--without-snapshot", help="Don't save a snapshot of the counters first.")
    ] = False,
) -> None:
    """Reset a workflow's counters to zero.

    This can't be undone. Requires --yes and the Expert AI plan. A snapshot is saved first; to list
    snapshots, run `frontdesk workflows snapshots`.
    """
    if not yes and not write.dry_run:
        raise CommandFailed(
            INPUT_WRONG, f"resetting the counters of {workflow} can't be undone; add --yes to do it"
        )
    if write.is_direct and not (without_snapshot or write.dry_run):
        raise CommandFailed(INPUT_WRONG, "--direct saves no snapshot; nothing was reset; add --without-snapshot")
    from frontdesk.workflows.cli import analytics as workflow_analytics

    workflow_analytics.reset(workflow, write, keeps_snapshot=not without_snapshot)


@app.command("snapshots")
def snapshots(
    workflow: WorkflowArgument,
    compare: Annotated[
        bool,
        typer.Option("--compare", help="Compare the latest snapshot's shares with the platform's current ones."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="One line of JSON per snapshot, with the workflow as it was then.")
    ] = False,
) -> None:
    """List snapshots of a workflow's counters, newest first.

    reset-analytics saves one before the reset.
    """
    from frontdesk.workflows.cli import analytics as workflow_analytics

    if compare:
        workflow_analytics.print_comparison(workflow, as_json=as_json)
    else:
        workflow_analytics.print_snapshots(workflow, as_json=as_json)


def _row(item: "Item[Workflow]", names: "RecordNames") -> tuple[object, ...]:
    from frontdesk.cli.output import when

    workflow = item.value
    return (
        workflow.id,
        workflow.name,
        workflow.isActive,
        workflow.triggerType,
        workflow.platformType,
        names.line(workflow.associatedToBusinessId),
        when(workflow.lastModified),
    )


@webhooks.command("delete")
@writes()
def delete_webhook(
    write: WriteOptions,
    webhook: Annotated[str, typer.Argument(metavar="WEBHOOK", help="A webhook's id.")],
    yes: Yes = False,
) -> None:
    """Delete a webhook; this can't be undone. Requires --yes and the Bearer token."""
    from frontdesk.cli.output import print_json, print_line
    from frontdesk.cli.write_session import WriteSession, run_writes
    from frontdesk.workflows import changes
    from frontdesk.workflows.delivery import PROBABLY_DELETED
    from frontdesk_api.contract.ids import WebhookId

    if not yes and not write.dry_run:
        raise CommandFailed(INPUT_WRONG, f"deleting webhook {webhook} can't be undone; add --yes to do it")

    async def work(session: WriteSession) -> str:
        sent = await session.send_one(
            webhook,
            lambda store: changes.submit(store, changes.delete_webhook, webhook),
            lambda client: client.delete_webhook(WebhookId(webhook)),
        )
        if sent.change is None:
            return str(sent.answer)
        before, is_odd, odd = sent.change.reason.partition(PROBABLY_DELETED.format(answer=""))
        return odd if is_odd and not before else ""

    odd = run_writes(work, write)
    if write.as_json:
        print_json({"webhookId": webhook, "deleted": None if odd else True, **({"answer": odd} if odd else {})})
    elif odd:
        print_line(f"Webhook {webhook} is {PROBABLY_DELETED.format(answer=odd)}")
    else:
        print_line(f"Deleted webhook {webhook}")
