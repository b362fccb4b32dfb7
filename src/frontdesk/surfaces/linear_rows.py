"""Commands of the linear mode that run a command of the shell on a campaign or workflow of the last list."""

import shlex
from collections.abc import Callable
from functools import partial

from frontdesk.linear.commands import DONE, WORKFLOWS, Command
from frontdesk.linear.line_parser import NotUnderstood
from frontdesk.linear.session import ListKind, Session
from frontdesk.surfaces.linear_command_line import run_arguments


def on_rows(kind: ListKind, command: str, *, many: bool = False) -> Callable[[Session, str], None]:
    """Return a handler that runs `command` on a row, or on several, with what is typed after the numbers.

    Args:
        command: with `{}` where the ids belong.
        many: whether further numbers are rows, too.
    """

    def run(session: Session, words: str) -> None:
        ids, rest = session.keys_at(words, kind, many=many)
        try:
            given = shlex.split(rest)
        except ValueError as error:
            raise NotUnderstood(f"This command line isn't complete: {error}.") from error
        before, _, behind = command.partition("{}")
        run_arguments(session, [*before.split(), *ids, *behind.split(), *given])

    return run


_campaign = partial(Command, heading=DONE)
_workflow = partial(Command, heading=WORKFLOWS)
_on_campaigns = partial(on_rows, ListKind.CAMPAIGN)
_on_workflow = partial(on_rows, ListKind.WORKFLOW)
_EXPORT = "Export a workflow to a file that update takes"

COMMANDS = (
    _campaign("campaign.outcomes", _on_campaigns("campaigns failures {}"), "failures", "N"),
    _campaign("campaign.compare", _on_campaigns("campaigns compare {}", many=True), "compare", "N [N]"),
    _campaign(
        "campaign.samples",
        _on_campaigns("campaigns samples {}", many=True),
        "samples",
        "N",
        does="Print every stored sample of a campaign's counters",
    ),
    _campaign(
        "campaign.write",
        lambda session, words: run_arguments(session, ["campaigns", "report", *shlex.split(words)]),
        "report",
        "",
        does="Print a report on the watched campaigns",
        more=("The report is Markdown. To choose where it begins, add --since and a time.",),
    ),
    _workflow(
        "workflow.versions",
        _on_workflow("workflows versions {}"),
        "versions",
        "N",
        does="List the saved versions of a workflow",
    ),
    _workflow(
        "workflow.restore",
        _on_workflow("workflows restore {}"),
        "restore",
        "N VERSION",
        does="Update a workflow to an earlier version",
        more=("To list the versions, type versions N. With --dry-run, nothing is sent.",),
    ),
    _workflow("workflow.export", _on_workflow("workflows export {} --file"), "save", "N FILE", does=_EXPORT),
)
