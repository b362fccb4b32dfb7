"""Background analysis and checks of workflows for the workflows screen, one at a time.

The workflow under the cursor comes first; meanwhile the problems of the others are counted for the list. A
workflow is checked again when it, or the set of workflows, has changed.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import App

from frontdesk.api.contract.ids import WorkflowId
from frontdesk.storage.sql import ReadConnection
from frontdesk.text.display_text import NOTHING, SafeText, show_line
from frontdesk.tui.context import AppContext
from frontdesk.tui.futures import on_done
from frontdesk.workflows.models import WorkflowRecord
from frontdesk.workflows.view.row import Problems, problems_of

if TYPE_CHECKING:
    from frontdesk.workflows.analysis import WorkflowAnalysis
    from frontdesk.workflows.checks.models import Finding

_Basis = tuple[float | None, frozenset[str]]
"""What a check rests on: when the workflow was changed, and which workflows there are."""


class AnalysisLoader:
    """Analyzes one workflow at a time.

    Attributes:
        problems: findings so far, by workflow id.
    """

    def __init__(
        self,
        app: Callable[[], App[Any]],
        app_context: AppContext,
        ready: "Callable[[WorkflowId, WorkflowAnalysis | None, SafeText], None]",
        checked: Callable[[Sequence[str]], None],
    ) -> None:
        """Prepare without starting anything.

        Args:
            ready: called with an analysis, or None if the workflow isn't stored, and why it can't be read.
            checked: called with the workflows whose problems changed.
        """
        self._app, self._app_context = app, app_context
        self._ready, self._checked = ready, checked
        self._wanted: WorkflowId | None = None
        self._to_check: list[WorkflowId] = []
        self._bases: dict[str, _Basis] = {}
        self._coming: dict[str, _Basis] = {}
        self._is_busy = False
        self.problems: dict[str, Problems] = {}

    @property
    def is_at_rest(self) -> bool:
        return not self._is_busy

    def want(self, workflow_id: WorkflowId) -> None:
        """Analyze this workflow next; a waiting request is replaced."""
        self._wanted = workflow_id
        self._go_on()

    def listed(self, records: Sequence[WorkflowRecord]) -> None:
        """Check the listed workflows whose whole document is stored and new."""
        ids = frozenset(each.workflow_id for each in records)
        for gone in self.problems.keys() - ids:
            del self.problems[gone]
        stored = [each for each in records if each.read_at is not None]
        bases: dict[str, _Basis] = {each.workflow_id: (each.last_modified, ids) for each in stored}
        self._to_check = [
            each.workflow_id for each in stored if self._bases.get(each.workflow_id) != bases[each.workflow_id]
        ]
        self._bases = {each: basis for each, basis in self._bases.items() if each in bases}
        self._coming = bases
        self._go_on()

    def _go_on(self) -> None:
        if self._is_busy:
            return
        # Imported where it is needed first: no start pays for it.
        from frontdesk.workflows.analysis import analyze_workflow, findings_in

        if self._wanted is not None:
            wanted, self._wanted = self._wanted, None
            basis = self._coming.get(wanted)
            self._run(partial(analyze_workflow, workflow_id=wanted), partial(self._on_loaded, wanted, basis))
        elif self._to_check:
            first, *self._to_check = self._to_check
            basis = self._coming.get(first)
            self._run(partial(findings_in, workflow_id=first), partial(self._was_checked, first, basis))

    def _run(self, job: Callable[[ReadConnection], object], then: "Callable[[Future[Any]], None]") -> None:
        self._is_busy = True

        def done(settled: "Future[Any]") -> None:
            self._is_busy = False
            then(settled)
            self._go_on()

        on_done(self._app(), self._app_context.store.read_in_background(job), done)

    def _on_loaded(
        self, workflow_id: WorkflowId, basis: _Basis | None, settled: "Future[WorkflowAnalysis | None]"
    ) -> None:
        if settled.cancelled():
            return
        if (error := settled.exception()) is not None:
            self._ready(workflow_id, None, show_line(error))
            return
        found = settled.result()
        if found is not None:
            # What changed while it was read is checked once more.
            if workflow_id in self._to_check and basis is not None and basis == self._coming.get(workflow_id):
                self._to_check.remove(workflow_id)
                self._bases[workflow_id] = basis
            self._know(workflow_id, found.findings)
        if self._wanted in (None, workflow_id):
            self._ready(workflow_id, found, NOTHING)

    def _was_checked(
        self, workflow_id: WorkflowId, basis: _Basis | None, settled: "Future[tuple[Finding, ...] | None]"
    ) -> None:
        # One that can't be read has no count: who looks at it is told why.
        if settled.cancelled() or settled.exception() is not None:
            return
        if basis is not None:
            self._bases[workflow_id] = basis
        if (found := settled.result()) is not None:
            self._know(workflow_id, found)

    def _know(self, workflow_id: WorkflowId, found: "Sequence[Finding]") -> None:
        now = problems_of(found)
        if self.problems.get(workflow_id) != now:
            self.problems[workflow_id] = now
            self._checked([workflow_id])
