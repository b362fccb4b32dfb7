"""`frontdesk workflows try`: its options, of which many are steps; `simulate` plays them."""

from typing import Annotated

import typer

from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
from frontdesk.cli.options import ordered_options


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

    docs/workflows-try.md has examples.
    """
    from frontdesk.workflows.cli.simulate import Trial, play

    if file is None and workflow is None:
        raise CommandFailed(INPUT_WRONG, "name a FILE, or one of the account's with --workflow")
    steps = {"say": say or [], "press": press or [], "wait": wait or [], "choose": choose or []}
    script = ordered_options(context, steps | {"silence": [""] * silence})
    play(Trial(file, workflow, script, let or [], at, assume), as_json=as_json)
