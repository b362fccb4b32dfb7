"""Background analysis of the workflow under the cursor, which tree and detail show, and checks of the others.

A workflow may be megabytes: one at a time is analyzed on another thread, after a pause of the cursor, and again
when it, or the set of workflows, has changed.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.timer import Timer

from frontdesk.config.facts import Fact, drawing
from frontdesk.config.render_context import RenderContext
from frontdesk.storage.sql import ReadConnection
from frontdesk.tui.context import AppContext
from frontdesk.tui.futures import on_done
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.analysis import WorkflowAnalysis, WorkflowCheck, analyze_workflow, check_stored
from frontdesk.workflows.models import WorkflowRecord
from frontdesk.workflows.view.node_detail import row_facts, workflow_facts
from frontdesk.workflows.view.row import LABEL_CELLS, NO_WORKFLOW, Problems, problems_of
from frontdesk_api.contract.ids import WorkflowId
from frontdesk_flows.checks.models import Finding
from frontdesk_flows.traffic import Loss, TrafficPeriod
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import NOTHING, SafeText, show_line, trusted
from frontdesk_lines.widgets.line_page import FOLLOW_SECONDS, Detail

if TYPE_CHECKING:
    from frontdesk.workflows.tui.screen import WorkflowsScreen

_Basis = tuple[Hashable, ...]
"""What a check and a loss rest on: the workflow as listed and counted, the others there are, and the period."""


class AnalysisLoader:
    """Analyzes one workflow at a time, and knows the problems found so far by workflow id."""

    def __init__(
        self,
        app: Callable[[], App[Any]],
        app_context: AppContext,
        on_ready: Callable[[WorkflowId, WorkflowAnalysis | None, SafeText], None],
        on_problems: Callable[[Sequence[str]], None],
    ) -> None:
        """Prepare without starting anything.

        Args:
            on_ready: called with an analysis, or None if the workflow isn't stored, and why it can't be read.
            on_problems: called with the workflows whose problems changed.
        """
        self._app, self._app_context = app, app_context
        self._on_ready, self._on_problems = on_ready, on_problems
        self._wanted: WorkflowId | None = None
        self._to_check: list[tuple[WorkflowId, _Basis]] = []
        self._checked: dict[WorkflowId, _Basis] = {}
        self._is_busy = False
        self.problems: dict[str, Problems] = {}
        self.period = TrafficPeriod.RESET

    @property
    def is_idle(self) -> bool:
        return not self._is_busy

    def request(self, workflow_id: WorkflowId) -> None:
        """Analyze this workflow next; a waiting request is replaced."""
        self._wanted = workflow_id
        self._start_next()

    def count(self, period: TrafficPeriod) -> None:
        """Count in another period; the losses of the one before are unknown in it."""
        self.period = period
        for workflow_id, found in self.problems.items():
            self.problems[workflow_id] = replace(found, loss=None)
        self._on_problems([*self.problems])

    def check_listed(self, records: Sequence[WorkflowRecord]) -> None:
        """Check the listed workflows whose whole document is stored and new."""
        ids = frozenset(each.workflow_id for each in records)
        for gone in self.problems.keys() - ids:
            del self.problems[gone]
        # A trigger may be shared with any that is on, so a check of one rests on these, as they are.
        others = (ids, frozenset((each.workflow_id, each.last_modified) for each in records if each.is_active))
        bases: dict[WorkflowId, _Basis] = {
            each.workflow_id: (each.last_modified, each.started, each.dropped, self.period, others)
            for each in records
            if each.read_at is not None
        }
        self._checked = {each: basis for each, basis in self._checked.items() if each in bases}
        self._to_check = [(each, basis) for each, basis in bases.items() if self._checked.get(each) != basis]
        self._start_next()

    def _start_next(self) -> None:
        if self._is_busy:
            return
        if self._wanted is not None:
            wanted, self._wanted = self._wanted, None
            now = self._app_context.clock()
            job = partial(analyze_workflow, workflow_id=wanted, period=self.period, now=now)
            self._run(job, partial(self._on_loaded, wanted))
        elif self._to_check:
            (first, basis), *self._to_check = self._to_check
            checked = partial(check_stored, workflow_id=first, period=self.period, now=self._app_context.clock())
            self._run(checked, partial(self._on_checked, first, basis))

    def _run(self, job: Callable[[ReadConnection], object], then: Callable[[Future[Any]], None]) -> None:
        self._is_busy = True

        def done(future: Future[Any]) -> None:
            self._is_busy = False
            then(future)
            self._start_next()

        on_done(self._app(), self._app_context.store.read_in_background(job), done)

    def _on_loaded(self, workflow_id: WorkflowId, future: Future[WorkflowAnalysis | None]) -> None:
        if future.cancelled():
            return
        if (error := future.exception()) is not None:
            self._on_ready(workflow_id, None, show_line(error))
            return
        found = future.result()
        if found is not None:
            self._set_problems(workflow_id, found.findings, found.loss)
        if self._wanted in (None, workflow_id):
            self._on_ready(workflow_id, found, NOTHING)

    def _on_checked(self, workflow_id: WorkflowId, basis: _Basis, future: Future[WorkflowCheck | None]) -> None:
        # One that can't be read has no count: who looks at it is told why.
        if future.cancelled() or future.exception() is not None:
            return
        self._checked[workflow_id] = basis
        if (found := future.result()) is not None:
            self._set_problems(workflow_id, *found)

    def _set_problems(self, workflow_id: WorkflowId, found: Sequence[Finding], loss: Loss | None) -> None:
        now = problems_of(found, loss)
        if self.problems.get(workflow_id) != now:
            self.problems[workflow_id] = now
            self._on_problems([workflow_id])


class WorkflowFollower:
    """Has the workflow under the list's cursor analyzed and shown; `shown` is in the tree, or about to be."""

    def __init__(self, screen: "WorkflowsScreen") -> None:
        self._screen = screen
        self._timer: Timer | None = None
        self.shown: WorkflowId | None = None

    def follow_soon(self) -> None:
        """Follow the cursor after a pause; the tree that it has left goes at once."""
        self._stop()
        self._screen.nodes.show_loading(self._screen.list.cursor)
        self._timer = self._screen.set_timer(FOLLOW_SECONDS, self.follow)

    def follow(self) -> None:
        self._stop()
        screen, cursor = self._screen, self._screen.list.cursor
        screen.nodes.show_loading(cursor)
        # Also where the cursor came back: the tree was cleared for the row where it was.
        if cursor != self.shown or screen.nodes.analysis is None:
            self.shown = cursor
            if cursor is not None:
                screen.loader.request(cursor)
        if screen.is_at_list:
            screen.detail.show_now()

    def follow_now(self) -> None:
        """Follow at once: a key works on what the cursor is on, never on what it has just left."""
        if self._timer is not None or self.shown != self._screen.list.cursor:
            self.follow()

    def show(self, workflow_id: WorkflowId, analysis: WorkflowAnalysis | None, why: SafeText) -> None:
        """Show an analyzed workflow, unless the cursor has left it."""
        if workflow_id == self.shown == self._screen.list.cursor:
            self._screen.nodes.show(workflow_id, analysis, why)
            self._screen.detail.show_now()

    def analysis_at_cursor(self) -> WorkflowAnalysis | None:
        """Return the workflow that a key works on, or report why it isn't ready."""
        self.follow_now()
        screen = self._screen
        if screen.list.cursor is None:
            notify(screen.app, trusted(NO_WORKFLOW), timeout_seconds=3)
            return None
        if screen.nodes.analysis is None:
            read_problem = workflow_store.read_problem(screen.app_context.store.reading)
            words = f"The graph isn't loaded yet{f': {read_problem}' if read_problem else '.'}"
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
                drawing(lambda at: row_facts(analysis, key, shown, pending(workflow_id), at), view, LABEL_CELLS),
            )
        record = screen.list.selected
        if record is None:
            return "", trusted("Workflow"), lambda _: ()

        def tell(at: RenderContext) -> Iterator[Fact]:
            """Tell what is known when it is drawn: a dialog stays open while the check ends."""
            return workflow_facts(record, screen.nodes.analysis, pending(record.workflow_id), at)

        return record.workflow_id, trusted("Workflow"), drawing(tell, view, LABEL_CELLS)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
