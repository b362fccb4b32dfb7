"""`frontdesk sandbox`: the platform on this machine, in the foreground."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
from frontdesk.sandbox.options import MAX_SPEED


class Size(StrEnum):
    """How much the sandbox is filled with."""

    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"


class SandboxPlan(StrEnum):
    """What the sandbox's account has paid for."""

    EXPERT = "expert"
    BASIC = "basic"


def sandbox(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free port.")] = 8787,
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keeps the state; a temporary folder without it.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed makes the same business.")] = 1,
    size: Annotated[Size, typer.Option(help="How much is in it.")] = Size.SMALL,
    crowd: Annotated[
        bool, typer.Option("--crowd/--no-crowd", help="Customers and deliveries that move by themselves.")
    ] = True,
    speed: Annotated[float, typer.Option(min=0.001, max=MAX_SPEED, help="Multiplies simulated time.")] = 1.0,
    plan: Annotated[SandboxPlan, typer.Option(help="basic lacks the workflow analytics.")] = SandboxPlan.EXPERT,
    other_codes: Annotated[
        bool,
        typer.Option("--other-codes", help="Other status codes of the same class where none is shown."),
    ] = False,
    listen_fd: Annotated[int | None, typer.Option(hidden=True)] = None,
) -> None:
    """Run the sandbox service in the foreground.

    Its credentials: Cookie token=sandbox, x-api-key sandbox-key, Bearer sandbox-bearer."""
    from frontdesk.sandbox.options import SandboxCannotStart, SandboxOptions

    try:
        from frontdesk.sandbox.service import run
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("frontdesk"):
            raise
        raise CommandFailed(
            INPUT_WRONG, "the sandbox isn't installed; run: pip install 'frontdesk[sandbox]'"
        ) from None
    options = SandboxOptions(
        host=host,
        port=port,
        data=data,
        seed=seed,
        size=size.value,
        crowd=crowd,
        speed=speed,
        plan=plan.value,
        other_codes=other_codes,
        listen_fd=listen_fd,
    )
    try:
        run(options, lambda url: print(f"sandbox ready at {url}", flush=True))
    except SandboxCannotStart as error:
        raise CommandFailed(INPUT_WRONG, str(error)) from None
