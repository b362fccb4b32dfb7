"""`frontdesk undo` and `frontdesk redo`. What they need is imported when they run."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from frontdesk.cli.options import WriteOptions, writes
from frontdesk.outbox.labels import inline_label
from frontdesk.storage.records import ChangeState
from frontdesk_lines.display_text import counted

if TYPE_CHECKING:
    from concurrent.futures import Future

    from frontdesk.cli.verbs import ActionPlan
    from frontdesk.outbox.commands import OutboxCommands
    from frontdesk.outbox.undo import UndoOutcome
    from frontdesk.storage.database import ProfileStore


@writes(on_store=True)
def undo(
    write: WriteOptions,
    change: Annotated[
        int | None,
        typer.Argument(metavar="[ID]", help="A change's number in `outbox list`. Default: the last action."),
    ] = None,
) -> int:
    """Undo the last action, wherever it was made, or one change."""
    from frontdesk.outbox.undo import UndoRequest

    request = UndoRequest(changes=() if change is None else (change,))
    return _step(lambda outbox: outbox.undo(request), "undo", "Undone", write)


@writes(on_store=True)
def redo(write: WriteOptions) -> int:
    """Redo the last undone action on this profile."""
    return _step(lambda outbox: outbox.redo(), "redo", "Redone", write)


def _step(
    act: "Callable[[OutboxCommands], Future[UndoOutcome]]", verb: str, done: str, options: WriteOptions
) -> int:
    from frontdesk.cli.verbs import ActionPlan, run_action
    from frontdesk.outbox.commands import OutboxCommands
    from frontdesk.registry.changes import CHANGE_HANDLERS

    def plan(store: "ProfileStore") -> "ActionPlan[UndoOutcome]":
        outbox = OutboxCommands(store, lambda: CHANGE_HANDLERS)
        return ActionPlan(
            lambda: act(outbox),
            lambda result: f"{done}: {inline_label(result.label)} ({counted(result.count, 'record')}).",
        )

    return run_action(plan, options, unsent=ChangeState.UNDONE, nothing=f"nothing to {verb}")
