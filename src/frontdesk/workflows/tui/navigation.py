"""Shows the workflow under the list's cursor in tree and detail, and moves between workflows.

A workflow may be megabytes: it is analyzed on another thread, after a pause of the cursor.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.timer import Timer

from frontdesk.api.contract.ids import WorkflowId
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.tui.content import notify
from frontdesk.tui.widgets.line_page import FOLLOW_SECONDS, Detail
from frontdesk.workflows.store import workflows as workflow_store
from frontdesk.workflows.tui.actions import NO_WORKFLOW
from frontdesk.workflows.tui.panes import MAX_JUMPS_BACK
from frontdesk.workflows.view.node_detail import row_detail, workflow_detail

if TYPE_CHECKING:
    from frontdesk.workflows.analysis import WorkflowAnalysis
    from frontdesk.workflows.tui.screen import WorkflowsScreen


class WorkflowFollower:
    """Has the workflow under the list's cursor analyzed and shown.

    Attributes:
        shown: the workflow in the tree, or about to be.
    """

    def __init__(self, screen: "WorkflowsScreen") -> None:
        self._screen = screen
        self._timer: Timer | None = None
        self.shown: WorkflowId | None = None

    def follow_soon(self) -> None:
        """Follow the cursor after a pause."""
        self._stop()
        self._timer = self._screen.set_timer(FOLLOW_SECONDS, self.follow)

    def follow(self) -> None:
        """Analyze the workflow under the cursor; what is shown stays until that is ready."""
        self._stop()
        screen, cursor = self._screen, self._screen.list.cursor
        if cursor != self.shown:
            self.shown = cursor
            if cursor is None:
                screen.nodes.wait_for(None)
            else:
                screen.loader.want(cursor)
        if screen.is_at_list:
            screen.detail.show_now()

    def catch_up(self) -> None:
        """Follow at once: a key works on what the cursor is on, never on what it has just left."""
        if self._timer is not None or self.shown != self._screen.list.cursor:
            self.follow()
        self._screen.nodes.wait_for(self.shown)

    def show(self, workflow_id: WorkflowId, analysis: "WorkflowAnalysis | None", why: SafeText) -> None:
        """Show an analyzed workflow, unless the cursor has left it."""
        if workflow_id == self.shown:
            self._screen.nodes.show(workflow_id, analysis, why)
            self._screen.detail.show_now()

    def analysis_at_cursor(self) -> "WorkflowAnalysis | None":
        """Return the workflow that a key works on, or report why it isn't ready."""
        self.catch_up()
        screen = self._screen
        if screen.list.cursor is None:
            notify(screen.app, trusted(NO_WORKFLOW), timeout_seconds=3)
            return None
        if screen.nodes.analysis is None:
            lack = workflow_store.lack(screen.app_context.store.reading)
            words = f"No graph is loaded here yet{f': {lack}' if lack else '.'}"
            notify(screen.app, show_line(words, 200), timeout_seconds=3)
        return screen.nodes.analysis

    def detail(self) -> Detail:
        """Return the row under the tree's cursor in detail, else the workflow."""
        screen = self._screen
        analysis, pending, view = screen.nodes.analysis, screen.list.pending_of, screen.app_context.view
        key = None if screen.is_at_list else screen.nodes.rows.cursor_key
        if analysis is not None and key is not None:
            workflow_id = analysis.workflow_id
            shown = screen.list.record(workflow_id)
            return (
                key,
                trusted("Detail"),
                lambda width: row_detail(analysis, key, shown, pending(workflow_id), width, view()),
            )
        record = screen.list.selected
        if record is None:
            return "", trusted("Workflow"), lambda _: ()
        return (
            record.workflow_id,
            trusted("Workflow"),
            lambda width: workflow_detail(
                record, screen.nodes.analysis, pending(record.workflow_id), width, view()
            ),
        )

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None


@dataclass(frozen=True, slots=True)
class _Origin:
    workflow_id: WorkflowId
    row: str | None
    line: int
    typed: str


class WorkflowNavigation:
    """Opens other workflows by their pointers, and goes back."""

    def __init__(self, screen: "WorkflowsScreen") -> None:
        self._screen = screen
        self._origins: Sequence[_Origin] = ()

    def open_pointer(self, workflow_id: WorkflowId) -> None:
        screen = self._screen
        here = screen.follower.shown
        if screen.list.record(workflow_id) is None:
            words = f"No workflow {show_line(workflow_id, 40).text} is listed."
            notify(screen.app, trusted(words), severity="warning")
        elif here is not None:
            rows = screen.nodes.rows
            origin = _Origin(here, rows.cursor_key, rows.cursor_line, screen.list.typed)
            self._origins = (*self._origins[1 - MAX_JUMPS_BACK :], origin)
            self._open(workflow_id)

    def jump_back(self) -> None:
        screen = self._screen
        if screen.nodes.jump_back():
            return
        if self._origins:
            *earlier, before = self._origins
            self._origins = tuple(earlier)
            if before.typed and not screen.list.typed:  # the jump took the filter off
                screen.list.type_again(before.typed)
            if before.row is not None:
                screen.nodes.put_back(before.workflow_id, before.row, before.line)
            self._open(before.workflow_id)
        else:
            notify(screen.app, trusted("There is no way further back."), timeout_seconds=2)

    def show_row(self, analysis: "WorkflowAnalysis", key: str | None) -> None:
        """Go to a row of an analyzed workflow, if that is still shown."""
        screen = self._screen
        if key is None:
            notify(screen.app, trusted("This is about the workflow as a whole."), timeout_seconds=3)
        elif screen.follower.shown == analysis.workflow_id:
            screen.panes.focus_pane(screen.nodes)
            if not screen.nodes.jump_to(key):
                notify(screen.app, trusted("This is no longer in the workflow."), severity="warning")

    def _open(self, workflow_id: WorkflowId) -> None:
        screen = self._screen
        if not screen.list.show(workflow_id):
            screen.list.end_typing()
            screen.list.show(workflow_id)
        screen.panes.focus_pane(screen.nodes)
