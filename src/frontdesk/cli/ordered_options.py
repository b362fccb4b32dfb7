"""Options that are steps: the order in which they were typed counts, across options of different names.

The parser gives each option all its values at once; a command of this class tells how they lay among each other.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import typer
from typer.core import TyperCommand

_KEPT = "frontdesk.cli.ordered_options"


class InOrder(TyperCommand):
    """A command that keeps the order of its options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse, and keep the names of options as they were typed."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        ctx.meta[_KEPT] = [each.name for each in order]
        return super().parse_args(ctx, args)


def in_order(context: typer.Context, values: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """The names and values of these options in the order in which they were typed.

    Args:
        values: of each option all its values; of a flag, one for each time it was given.
    """
    left = {name: list(given) for name, given in values.items()}
    typed: Sequence[str] = context.meta.get(_KEPT, ())
    return [(name, left[name].pop(0)) for name in typed if left.get(name)]
