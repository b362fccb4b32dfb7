"""The places of a workflow that want a look: where customers are lost, and what the check found.

Opened from the workflows screen, bound to the workflow as it is then; enter goes to the row.
"""

from typing import TYPE_CHECKING

from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.text.lines import EMPTY
from frontdesk.tui.dialogs.base import Answered, Closed
from frontdesk.tui.dialogs.jump_list import PlacesDialog
from frontdesk.workflows.analysis import WorkflowAnalysis
from frontdesk.workflows.tree.drop_offs import losses
from frontdesk.workflows.view.drop_offs import loss_heading, loss_row, no_losses
from frontdesk.workflows.view.findings import finding_row, row_height

if TYPE_CHECKING:
    from frontdesk.workflows.tui.screen import WorkflowsScreen

_SAYS_CELLS = 40
"""As wide as the columns, and narrower than any dialog."""


def show_worst_exits(screen: "WorkflowsScreen", look: WorkflowAnalysis) -> None:
    """Where customers are lost, most of them first."""
    lost = losses(look.outline, look.heat)

    def chosen(answer: Answered[int] | Closed | None) -> None:
        if isinstance(answer, Answered):
            screen.show_place(look, look.keys[lost[answer.value].row])

    dialog = PlacesDialog(
        _title("Worst exits", look),
        len(lost),
        lambda place, width: (loss_row(lost[place], width, screen.app_context.glyphs),),
        height=lambda _: 1,
        empty=no_losses(look.heat),
        says=loss_heading(_SAYS_CELLS) if lost else EMPTY,
    )
    screen.app.push_screen(dialog, chosen)


def show_findings(screen: "WorkflowsScreen", look: WorkflowAnalysis) -> None:
    """What the check found, the gravest first."""

    def chosen(answer: Answered[int] | Closed | None) -> None:
        if isinstance(answer, Answered):
            screen.show_place(look, look.key_of(look.findings[answer.value]))

    dialog = PlacesDialog(
        _title("Problems", look),
        len(look.findings),
        lambda place, width: finding_row(look.findings[place], width),
        height=lambda width: row_height(look.findings, width),
        empty="The check found nothing.",
    )
    screen.app.push_screen(dialog, chosen)


def _title(what: str, look: WorkflowAnalysis) -> SafeText:
    name = show_line(look.raw.get("name") or look.workflow_id, 40)
    return SafeText(f"{trusted(what).text} · {name.text}", name.was_sanitized)
