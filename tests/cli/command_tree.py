"""Every command that can be run, by its words: what a test of all commands walks."""

from collections.abc import Iterator, Mapping
from typing import Any

import typer

from frontdesk.cli.commands import app


def _leaves(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    children = getattr(command, "commands", {})
    if not children:
        yield " ".join(path), command
    for name, child in children.items():
        yield from _leaves(child, (*path, name))


LEAVES: Mapping[str, Any] = dict(_leaves(typer.main.get_command(app), ()))


def has_option(name: str, option: str) -> bool:
    """Return whether a command has an option, such as `--json`."""
    return any(option in each.opts for each in LEAVES[name].params)
