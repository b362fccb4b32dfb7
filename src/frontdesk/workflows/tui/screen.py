"""Workflows: the list, one as a tree with its traffic, and the detail of the row under the cursor."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.widget import Widget

from frontdesk.storage import change_feed
from frontdesk.storage.records import Event, RecordRef
from frontdesk.tui.base_screen import BaseScreen, RecordActions
from frontdesk.tui.context import AppContext
from frontdesk.tui.filtered_list_pane import FilteredListPane
from frontdesk.tui.pane_switcher import MultiPaneScreen, PaneBackActions, PaneSwitcher
from frontdesk.tui.status_bar import ScreenState
from frontdesk.workflows import reviews
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.analysis import WorkflowAnalysis
from frontdesk.workflows.models import WorkflowRecord
from frontdesk.workflows.tui import actions
from frontdesk.workflows.tui.analysis_loader import AnalysisLoader, WorkflowFollower
from frontdesk.workflows.tui.file_actions import create_workflow, export_workflow, update_workflow
from frontdesk.workflows.tui.panes import MAX_JUMPS_BACK, TreePane, WorkflowsPane
from frontdesk_api.contract.ids import WorkflowId
from frontdesk_flows.traffic import TrafficPeriod
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import show_line, trusted
from frontdesk_lines.widgets.line_page import DetailPane, LinePage
from frontdesk_lines.widgets.pane import Pane
from frontdesk_lines.widgets.row_list import RowList

MAX_COPIED = 1_000_000
"""Characters; a clipboard takes no longer document."""


class WorkflowsScreen(MultiPaneScreen):
    """Mode 4."""

    key_context = "workflows"
    pane_names = (("workflows", "Workflows"), ("tree", "Tree"), ("node", "Detail"))
    CSS = """
    WorkflowsScreen #workflows { width: 38; }
    WorkflowsScreen #shown { width: 1fr; }
    WorkflowsScreen #node { height: 34%; }
    WorkflowsScreen.-middle.-at-tree #workflows, WorkflowsScreen.-middle.-at-node #workflows { display: none; }
    WorkflowsScreen.-no-detail #node { display: none; }
    WorkflowsScreen.-no-detail.-at-node #node { display: block; }
    WorkflowsScreen.-narrow Pane, WorkflowsScreen.-zoomed Pane { display: none; }
    WorkflowsScreen.-narrow.-at-workflows #shown, WorkflowsScreen.-zoomed.-at-workflows #shown { display: none; }
    WorkflowsScreen.-narrow.-at-workflows #workflows, WorkflowsScreen.-zoomed.-at-workflows #workflows {
        display: block; width: 1fr;
    }
    WorkflowsScreen.-narrow.-at-tree #tree, WorkflowsScreen.-zoomed.-at-tree #tree { display: block; }
    WorkflowsScreen.-narrow.-at-node #node, WorkflowsScreen.-zoomed.-at-node #node { display: block; height: 1fr; }
    """

    def __init__(self, app_context: AppContext):
        super().__init__(app_context)
        self.follower = WorkflowFollower(self)
        self.loader = AnalysisLoader(
            lambda: self.app, app_context, self.follower.show, lambda ids: self.list.checked(ids)
        )
        self.list = WorkflowsPane(
            app_context, self.saved_state.get("order"), self.saved_state.get("filter"), self.loader.problems
        )
        period = str(self.saved_state.get("period"))
        if period in set(TrafficPeriod):
            self.loader.period = self.list.period = TrafficPeriod(period)
        self.nodes = TreePane(app_context, self.list.pending_of, self.list.record)
        self.detail = DetailPane(self.follower.detail)
        targets = {self.list: self.list.rows, self.nodes: self.nodes.rows, self.detail: self.detail.page}
        self.panes = PaneSwitcher(self, targets, self.pane_tabs, self._before_pane)
        self.record_actions = WorkflowRecordActions(self)
        self.back_actions = PaneBackActions(
            self, lambda: self.list.end_typing() if self.is_at_list else self.nodes.end_typing()
        )
        self.navigation = WorkflowNavigation(self)

    def compose_body(self) -> ComposeResult:
        with Container(classes="body"):
            yield self.list
            with Vertical(id="shown"):
                yield self.nodes
                yield self.detail

    def on_mount(self) -> None:
        match self.saved_state:
            case {"workflow": str(workflow_id), "row": [str(key), int(line)]}:
                self.list.show(WorkflowId(workflow_id))
                self.nodes.restore_row(WorkflowId(workflow_id), key, line)
            case {"workflow": str(workflow_id)}:
                self.list.show(WorkflowId(workflow_id))
        self.set_class(self.saved_state.get("detail") is False, "-no-detail")
        self.loader.check_listed(self.list.records)
        self.follower.follow()

    def home(self) -> Widget:
        return self.list.rows

    def state(self) -> ScreenState:
        pane = "list" if (pane_with_focus := self.panes.focused) is None else str(pane_with_focus.id)
        if pane == "workflows":
            pane = "list"
        elif pane == "tree" and self.nodes.typed:
            pane = "searched"
        return ScreenState(
            pane,
            typing="searching" if self.panes.is_at(self.nodes) else "typing",
            rows=self.list.rows,
            is_filtered=bool(self.list.typed),
            was_read=self.list.is_known,
        )

    def _before_pane(self, pane: Pane) -> None:
        if pane is not self.list:
            self.follower.follow_now()

    def show_changes(self, events: frozenset[Event]) -> None:
        was_read = self.list.is_known
        before = self.list.pending
        self.list.store_changed(events)
        if self.list.is_known != was_read:
            self.status_bar.update()
        changed = {event.id for event in events if event.kind == change_feed.WORKFLOW}
        is_all = change_feed.EVERYTHING in events
        if is_all or changed or any(event.kind == change_feed.DOCUMENT for event in events):
            self.loader.check_listed(self.list.records)
            if self.follower.shown is None:
                self.follower.follow()
            elif is_all or self.follower.shown in changed:
                self.loader.request(self.follower.shown)
            if self.is_at_list:
                self.detail.show_now()
        if self.list.pending != before:
            self.nodes.update_title()
            self.detail.show_now()

    def view_state(self) -> dict[str, object]:
        left: dict[str, object] = {
            "order": self.list.order,
            "filter": self.list.typed,
            "workflow": self.list.cursor,
            "period": str(self.loader.period),
            "detail": not self.has_class("-no-detail"),
        }
        if self.nodes.analysis is not None and (key := self.nodes.rows.cursor_key) is not None:
            left["row"] = [key, self.nodes.rows.cursor_line]
        return left

    def on_descendant_focus(self) -> None:
        pane = self.panes.note_focus()
        if pane is not None and pane is not self.detail:
            self.detail.follow_soon()

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if event.view is self.list.rows:
            self.follower.follow_soon()
        elif not self.is_at_list:
            self.detail.follow_soon()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.panes.focus_pane(self.nodes)

    def on_filtered_list_pane_list_changed(self, event: FilteredListPane.ListChanged) -> None:
        event.stop()
        self.save_view_state()

    def on_tree_pane_opened(self, event: TreePane.Opened) -> None:
        event.stop()
        if event.workflow_id is not None:
            self.navigation.open_pointer(event.workflow_id)
        else:
            self.detail.show_now()
            self.panes.focus_pane(self.detail)

    def on_line_page_chosen(self, event: LinePage.Chosen) -> None:
        event.stop()
        _, heading, draw = self.follower.detail()
        self.record_actions.show_lines(heading, draw)

    def action_find(self) -> None:
        if self.is_at_list:
            self.panes.focus_pane(self.list)
            self.list.begin_typing()
        else:
            self.panes.focus_pane(self.nodes)
            self.nodes.begin_typing()

    def action_step_hit(self, step: int) -> None:
        self.nodes.step_hit(step)

    def action_sort(self) -> None:
        self.list.next_order()

    def action_toggle_detail(self) -> None:
        """Show or hide the detail; where one pane fills the screen, go to it and back."""
        if self.panes.is_at(self.detail):
            if not self.has_class("-narrow"):
                self.add_class("-no-detail")
            self.panes.focus_pane(self.nodes)
        elif self.has_class("-narrow") or self.has_class("-zoomed"):
            self.panes.focus_pane(self.detail)
        else:
            self.toggle_class("-no-detail")
            self.detail.show_now()
        self.save_view_state()

    def action_next_period(self) -> None:
        periods = tuple(TrafficPeriod)
        self.list.period = periods[(periods.index(self.loader.period) + 1) % len(periods)]
        self.loader.count(self.list.period)
        if not self.nodes.region:  # the tree's own heading says it; a toast would hide that
            notify(self.app, trusted(f"Traffic {self.loader.period}."), timeout_seconds=2)
        if self.follower.shown is not None:
            self.loader.request(self.follower.shown)
        self.loader.check_listed(self.list.records)
        self.save_view_state()

    def action_jump_back(self) -> None:
        self.navigation.jump_back()

    def action_workflow(self, name: str) -> None:
        if name in ANALYSIS_ACTIONS:
            if (analysis := self.follower.analysis_at_cursor()) is not None:
                ANALYSIS_ACTIONS[name](self, analysis)
        elif name != "create":
            actions.act(self, self.list.selected, RECORD_ACTIONS[name])
        elif self.cancel_action is None:
            create_workflow(self)

    @property
    def is_at_list(self) -> bool:
        return self.panes.is_at(self.list)


@dataclass(frozen=True, slots=True)
class _Origin:
    workflow_id: WorkflowId
    row: str | None
    line: int
    typed: str


class WorkflowNavigation:
    """Opens other workflows by their pointers, and goes back."""

    def __init__(self, screen: WorkflowsScreen) -> None:
        self._screen = screen
        self._origins: Sequence[_Origin] = ()

    def open_pointer(self, workflow_id: WorkflowId) -> None:
        screen = self._screen
        shown = screen.follower.shown
        if screen.list.record(workflow_id) is None:
            words = f"Workflow {show_line(workflow_id, 40).text} isn't listed."
            notify(screen.app, trusted(words), severity="warning")
        elif shown is not None:
            rows = screen.nodes.rows
            origin = _Origin(shown, rows.cursor_key, rows.cursor_line, screen.list.typed)
            self._origins = (*self._origins[1 - MAX_JUMPS_BACK :], origin)
            self._open(workflow_id)

    def open_listed(self, workflow_id: WorkflowId) -> bool:
        """Open a workflow of the list; False where it isn't there."""
        if self._screen.list.record(workflow_id) is None:
            return False
        self._open(workflow_id)
        return True

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
                screen.nodes.restore_row(before.workflow_id, before.row, before.line)
            self._open(before.workflow_id)
        else:
            notify(screen.app, trusted("Nothing to go back to."), timeout_seconds=2)

    def show_row(self, analysis: WorkflowAnalysis, key: str | None) -> None:
        """Go to a row of an analyzed workflow, if that is still shown."""
        screen = self._screen
        if key is None:
            notify(screen.app, trusted("This finding is about the whole workflow."), timeout_seconds=3)
        elif screen.follower.shown == analysis.workflow_id:
            screen.panes.focus_pane(screen.nodes)
            if not screen.nodes.jump_to(key):
                notify(screen.app, trusted("This row is no longer in the workflow."), severity="warning")

    def _open(self, workflow_id: WorkflowId) -> None:
        screen = self._screen
        if not screen.list.show(workflow_id):
            screen.list.end_typing()
            screen.list.show(workflow_id)
        screen.panes.focus_pane(screen.nodes)


RECORD_ACTIONS: Mapping[str, Callable[[BaseScreen, WorkflowRecord], None]] = {
    "update": update_workflow,
    "switch": partial(actions.start_review, "switch workflow", reviews.switch),
    "try": partial(actions.start_flow, "try workflow", actions.simulate_workflow),
    "export": export_workflow,
    "snapshots": partial(actions.start_flow, "snapshots", actions.open_snapshots),
    "versions": partial(actions.start_flow, "versions", actions.open_versions),
    "reset": partial(actions.start_review, "reset analytics", reviews.reset),
}
ANALYSIS_ACTIONS: Mapping[str, Callable[[WorkflowsScreen, WorkflowAnalysis], None]] = {
    "worst": actions.show_worst_exits,
    "findings": actions.show_findings,
}
"""Actions of `action_workflow` on the record and on the analysis of the workflow under the cursor."""


class WorkflowRecordActions(RecordActions):
    """Works on the workflow under the list's cursor, or on the node under the tree's."""

    def __init__(self, screen: WorkflowsScreen) -> None:
        super().__init__(screen, screen.app_context)
        self._workflows = screen

    def show_record(self, record_id: str) -> bool:
        return self._workflows.navigation.open_listed(WorkflowId(record_id))

    def raw(self) -> tuple[str, object] | None:
        """Return the node under the tree's cursor, else the whole workflow as far as it is here."""
        screen = self._workflows
        analysis = screen.nodes.analysis
        if screen.is_at_list:
            record = screen.list.selected
            if record is None:
                return None
            is_shown = analysis is not None and analysis.workflow_id == record.workflow_id
            return "Workflow", analysis.raw if analysis is not None and is_shown else record.raw
        if analysis is None or (key := screen.nodes.rows.cursor_key) is None:
            return None
        node = analysis.raw_at(key)
        return None if node is None else ("Node", node)

    def copy_json(self) -> None:
        screen, context = self._workflows, self._app_context
        text = workflow_store.text(context.store.reading, screen.list.cursor or "") if screen.is_at_list else None
        if text is None:
            super().copy_json()
        elif len(text) > MAX_COPIED:
            words = f"Too long to copy; press {context.key('workflow.export')} to export it to a file."
            notify(screen.app, trusted(words), severity="warning")
        else:
            self.copy_text(text, trusted("The workflow as JSON"))

    def selected(self) -> list[RecordRef]:
        screen = self._workflows
        analysis = screen.nodes.analysis
        shown = None if analysis is None else analysis.workflow_id
        workflow_id = screen.list.cursor if screen.is_at_list else shown
        return [] if workflow_id is None else [RecordRef("workflow", workflow_id)]

    def copied_id(self) -> str | None:
        screen = self._workflows
        if screen.is_at_list:
            return screen.list.cursor
        analysis, key = screen.nodes.analysis, screen.nodes.rows.cursor_key
        if analysis is None or key is None:
            return None
        row = analysis.row(key)
        return row.id or row.target or None
