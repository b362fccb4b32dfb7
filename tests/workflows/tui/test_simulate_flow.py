"""The key that tries a workflow: from the store's documents into the dialog, and what can't be tried says why."""

import pytest

from frontdesk.storage.database import Store
from frontdesk.workflows.tui.dialogs import DryRunDialog
from frontdesk_flows.simulation.trace import SimulationState
from frontdesk_sandbox.seeding.workflows import make_workflows
from tui.hosts import until
from workflows.tui.test_screen import opened

pytestmark = pytest.mark.anyio

WELCOME, RETURNS = make_workflows(1_600_000_000)[:2]


@pytest.mark.slow
async def test_a_stored_workflow_is_tried_and_goes_on_where_it_was_left(store: Store) -> None:
    async with opened(store, WELCOME, RETURNS) as at:
        at.screen.list.show("wf-welcome")  # type: ignore[arg-type]
        for _ in range(2):
            await at.press("D")
            await until(lambda: isinstance(at.app.screen, DryRunDialog))
            dialog = at.app.screen
            assert isinstance(dialog, DryRunDialog)
            if dialog.run_so_far.state is SimulationState.TO_BEGIN:
                await at.press("enter", "2", "enter")
            await until(lambda dialog=dialog: dialog.run_so_far.at_workflow == "returns/v2")  # type: ignore[misc]
            await at.sees("▸ Why?", "1 Wrong size")
            await at.press("escape")
            await until(lambda: at.app.screen is at.screen)
