"""Options shared by several commands, and options of which the order counts."""

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from frontdesk.cli.completion import CommandServices

R = TypeVar("R")

_TYPED_ORDER = "frontdesk.cli.options"

AsJson = Annotated[
    bool,
    typer.Option("--json", help="Print JSON as the platform sent it, one line per item."),
]
AsObject = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
AsLines = Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")]
Limit = Annotated[
    int | None, typer.Option("--limit", min=1, metavar="N", help="Print only the first N. Default: all.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print what would be sent or changed, without doing it.")]
Direct = Annotated[
    bool,
    typer.Option("--direct", help="Send it without the store on this machine: undo and Activity won't know it."),
]
Until = Annotated[
    str, typer.Option("--until", metavar="WHEN", help="When to wake it: a time, 'until they write' or off.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Confirm; this can't be undone.")]


class WriteOptions(NamedTuple):
    """How a command writes.

    Attributes:
        is_direct: send one request without a store.
    """

    services: "CommandServices"
    dry_run: bool
    as_json: bool
    is_direct: bool = False


def group(help_text: str) -> typer.Typer:
    """Build a command group that shows its help when it is called without a command."""
    return typer.Typer(help=help_text, no_args_is_help=True, rich_markup_mode=None)


def with_options(options: Mapping[str, object]) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Give a command these options, too, by the names of the keywords that their values arrive as.

    They stand before its own options, in the place of `**options`.
    """

    def add(command: Callable[..., R]) -> Callable[..., R]:
        own = [each for each in signature(command).parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
        place = sum(each.default is Parameter.empty for each in own)
        own[place:place] = [
            Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation=option)
            for name, option in options.items()
        ]
        command.__signature__ = Signature(own)  # type: ignore[attr-defined]
        return command

    return add


def writes(dry_run: object = DryRun, *, on_store: bool = False) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Give a command that sends something --dry-run, --direct and --json; it gets them as its keyword `write`.

    Args:
        on_store: whether it acts on what is stored: then it has no --direct, and --json prints one object.
    """
    options: dict[str, object] = {"dry_run": dry_run, "direct": Direct, "as_json": AsJson}
    if on_store:
        options = {"dry_run": dry_run, "as_json": AsObject}

    def add(command: Callable[..., R]) -> Callable[..., R]:
        def run(context: typer.Context, dry_run: bool, as_json: bool, direct: bool = False, **given: Any) -> R:
            return command(**given, write=WriteOptions(context.obj, dry_run, as_json, direct))

        first = signature(run).parameters["context"]
        own = [each for each in signature(command).parameters.values() if each.name != "write"]
        added = [first.replace(name=name, default=False, annotation=each) for name, each in options.items()]
        run.__signature__ = Signature([first, *own, *added])  # type: ignore[attr-defined]
        run.__name__, run.__doc__ = command.__name__, command.__doc__
        return run

    return add


class OrderedCommand(TyperCommand):
    """A command whose options are steps: their typed order counts, across different names."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Keep the order of the options: click gives each one all its values at once."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        ctx.meta[_TYPED_ORDER] = [each.name for each in order]
        return super().parse_args(ctx, args)


def ordered_options(context: typer.Context, values: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """Return the names and values of an `OrderedCommand`'s options in typed order.

    Args:
        values: of each option all its values; of a flag, one for each time it was given.
    """
    left = {name: list(given) for name, given in values.items()}
    typed: Sequence[str] = context.meta.get(_TYPED_ORDER, ())
    return [(name, left[name].pop(0)) for name in typed if left.get(name)]
