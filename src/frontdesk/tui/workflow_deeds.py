"""The keys with which a builder does something to the workflow under the cursor; mixed into `WorkflowsScreen`.

Each is a flow of dialogs of its own module, which is imported when its key is pressed for the first time.
"""

from collections.abc import Callable

from frontdesk.store.records import WorkflowRecord
from frontdesk.text import own
from frontdesk.tui.safe import notify
from frontdesk.tui.screens.desk_screen import DeskScreen

NO_WORKFLOW = "There is no workflow under the cursor."


class WorkflowDeeds(DeskScreen):
    """What the keys do."""

    def chosen_workflow(self) -> WorkflowRecord | None:
        """The workflow that a key works on."""
        raise NotImplementedError

    def action_create(self) -> None:
        if self.give_up_deed is not None:
            return  # one was clicked while another is on its way
        from frontdesk.tui.workflow_creating import create_workflow

        create_workflow(self)

    def action_update(self) -> None:
        from frontdesk.tui.workflow_updating import update_workflow

        self._do(update_workflow)

    def action_switch(self) -> None:
        from frontdesk.tui.workflow_switching import switch_workflow

        self._do(switch_workflow)

    def action_dry_run(self) -> None:
        from frontdesk.tui.workflow_trying import try_workflow

        self._do(try_workflow)

    def action_export(self) -> None:
        from frontdesk.tui.workflow_exporting import export_workflow

        self._do(export_workflow)

    def action_snapshots(self) -> None:
        from frontdesk.tui.snapshots_comparing import open_snapshots

        self._do(open_snapshots)

    def action_reset_analytics(self) -> None:
        from frontdesk.tui.analytics_resetting import reset_analytics

        self._do(reset_analytics)

    def _do(self, deed: Callable[[DeskScreen, WorkflowRecord], None]) -> None:
        record = self.chosen_workflow()
        if self.give_up_deed is not None:
            return
        if record is None:
            notify(self.app, own(NO_WORKFLOW), timeout_seconds=3)
        else:
            deed(self, record)
