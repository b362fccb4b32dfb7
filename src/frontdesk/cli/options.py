"""Options that several commands share, declared once."""

from typing import Annotated

import typer

AsJson = Annotated[
    bool,
    typer.Option("--json", help="JSON, whole as the platform sent it: a line for each item of a list."),
]
Limit = Annotated[int | None, typer.Option("--limit", min=1, metavar="N", help="The first N; all without it.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do it: this can't be undone.")]


def group(help_text: str) -> typer.Typer:
    """A command group that shows its help when it is called without a command."""
    return typer.Typer(help=help_text, no_args_is_help=True, rich_markup_mode=None)
