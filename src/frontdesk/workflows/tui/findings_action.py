"""The places of a workflow that want a look: where customers are lost, and what the check found.

Opened from the workflows screen, bound to the workflow as it is then; enter goes to the row.
"""

from typing import TYPE_CHECKING

from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.text.lines import EMPTY
from frontdesk.tui.dialogs.base import Answered, Closed
from frontdesk.tui.dialogs.jump_list import PlacesDialog
from frontdesk.workflows.analysis import WorkflowAnalysis
from frontdesk.workflows.tree.drop_offs import find_drop_offs
from frontdesk.workflows.view.drop_offs import drop_off_heading, drop_off_row, no_drop_offs
from frontdesk.workflows.view.findings import finding_row, row_height

if TYPE_CHECKING:
    from frontdesk.workflows.tui.screen import WorkflowsScreen

_SAYS_CELLS = 40
"""As wide as the columns, and narrower than any dialog."""


def show_worst_exits(screen: "WorkflowsScreen", analysis: WorkflowAnalysis) -> None:
    """Where customers are lost, most of them first."""
    drop_offs = find_drop_offs(analysis.outline, analysis.traffic)

    def chosen(answer: Answered[int] | Closed | None) -> None:
        if isinstance(answer, Answered):
            screen.show_place(analysis, analysis.keys[drop_offs[answer.value].row])

    dialog = PlacesDialog(
        _title("Worst exits", analysis),
        len(drop_offs),
        lambda place, width: (drop_off_row(drop_offs[place], width, screen.app_context.glyphs),),
        height=lambda _: 1,
        empty=no_drop_offs(analysis.traffic),
        says=drop_off_heading(_SAYS_CELLS) if drop_offs else EMPTY,
    )
    screen.app.push_screen(dialog, chosen)


def show_findings(screen: "WorkflowsScreen", analysis: WorkflowAnalysis) -> None:
    """What the check found, the gravest first."""

    def chosen(answer: Answered[int] | Closed | None) -> None:
        if isinstance(answer, Answered):
            screen.show_place(analysis, analysis.key_of(analysis.findings[answer.value]))

    dialog = PlacesDialog(
        _title("Problems", analysis),
        len(analysis.findings),
        lambda place, width: finding_row(analysis.findings[place], width),
        height=lambda width: row_height(analysis.findings, width),
        empty="The check found nothing.",
    )
    screen.app.push_screen(dialog, chosen)


def _title(what: str, analysis: WorkflowAnalysis) -> SafeText:
    name = show_line(analysis.raw.get("name") or analysis.workflow_id, 40)
    return SafeText(f"{trusted(what).text} · {name.text}", name.was_sanitized)
