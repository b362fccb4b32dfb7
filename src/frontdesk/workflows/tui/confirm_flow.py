"""The last step before a workflow is sent: all that would be sent is read, and confirmed.

Creating and updating share it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from frontdesk.text.display_text import SafeText, show_line
from frontdesk.text.lines import Line, Role, Span, span
from frontdesk.tui.content import for_field
from frontdesk.tui.dialog_flow import DialogFlow
from frontdesk.tui.dialogs.base import Closed
from frontdesk.tui.dialogs.review import ReviewDialog
from frontdesk.workflows.checks.finding import Finding
from frontdesk.workflows.view.review import errors_in, whole_text


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What is to be confirmed.

    Attributes:
        title: what is done, and to which workflow, as strangers named it.
        findings: what the check found in the workflow as it would be.
        text: all of what is sent, as JSON.
    """

    workflow_id: str
    title: str
    findings: Sequence[Finding]
    text: str


async def confirmed(flow: DialogFlow, it: Reviewed, draw: Callable[[int], Sequence[Line]], *, does: str) -> bool:
    """Whether a person wants it sent: `y` says so, and where the check found errors only its id, typed.

    Args:
        draw: lays out what is to be read for a width.
        does: what confirming does, in a word.
    """
    errors = errors_in(it.findings)
    dialog = ReviewDialog(
        show_line(it.title, 80),
        draw,
        _asks(errors, it.workflow_id),
        does=does,
        typed=(it.workflow_id,) if errors else (),
        what="id",
        placeholder="Its id, to send it despite its errors",
        whole=partial(whole_text, it.text),
        draft=flow.kept.get("typed", ""),
    )
    answer = await flow.ask(dialog)
    if isinstance(answer, Closed):
        flow.keep(typed=answer.draft)
        return False
    return True


def _asks(errors: int, workflow_id: str) -> Line:
    if not errors:
        return (span("y sends it.", Role.WARN),)
    what = "1 error" if errors == 1 else f"{errors:,} errors"
    shown = SafeText(for_field(workflow_id, lines=False)[:60])
    return (span(f"✗ {what}. To send it despite that, type ", Role.BAD), Span(shown, Role.STRONG))
