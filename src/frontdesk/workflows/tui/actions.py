"""The keys with which a builder does something to the workflow under the cursor; mixed into `WorkflowsScreen`.

Each is a flow of dialogs of its own module, which is imported when its key is pressed for the first time.
"""

from collections.abc import Callable

from frontdesk.storage.records import WorkflowRecord
from frontdesk.text.display_text import trusted
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.content import notify

NO_WORKFLOW = "There is no workflow under the cursor."


class WorkflowActions(BaseScreen):
    """What the keys do."""

    def chosen_workflow(self) -> WorkflowRecord | None:
        """The workflow that a key works on."""
        raise NotImplementedError

    def action_create(self) -> None:
        if self.cancel_action is not None:
            return  # one was clicked while another is on its way
        from frontdesk.workflows.tui.create_flow import create_workflow

        create_workflow(self)

    def action_update(self) -> None:
        from frontdesk.workflows.tui.update_flow import update_workflow

        self._do(update_workflow)

    def action_switch(self) -> None:
        from frontdesk.workflows.tui.activate_flow import switch_workflow

        self._do(switch_workflow)

    def action_dry_run(self) -> None:
        from frontdesk.workflows.tui.simulate_flow import try_workflow

        self._do(try_workflow)

    def action_export(self) -> None:
        from frontdesk.workflows.tui.export_flow import export_workflow

        self._do(export_workflow)

    def action_snapshots(self) -> None:
        from frontdesk.workflows.tui.snapshots_flow import open_snapshots

        self._do(open_snapshots)

    def action_reset_analytics(self) -> None:
        from frontdesk.workflows.tui.reset_flow import reset_analytics

        self._do(reset_analytics)

    def _do(self, deed: Callable[[BaseScreen, WorkflowRecord], None]) -> None:
        record = self.chosen_workflow()
        if self.cancel_action is not None:
            return
        if record is None:
            notify(self.app, trusted(NO_WORKFLOW), timeout_seconds=3)
        else:
            deed(self, record)
