"""Workflows: the list, one of them as a tree with its traffic, and the detail of the row under the cursor.

A workflow may be megabytes: it is read and laid out on a thread, and the screen follows the cursor after a pause.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Container
from textual.timer import Timer
from textual.widget import Widget

from frontdesk.api.contract.ids import WorkflowId
from frontdesk.storage import change_feed
from frontdesk.storage.records import Event
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.tui.content import notify
from frontdesk.tui.context import AppContext
from frontdesk.tui.keymap import Keymap
from frontdesk.tui.multi_pane_screen import MultiPane
from frontdesk.tui.panes.detail_pane import FOLLOW_SECONDS, DetailPane, Told
from frontdesk.tui.panes.filtered_list_pane import ListedPane
from frontdesk.tui.widgets.line_page import LinePage
from frontdesk.tui.widgets.pane import Pane
from frontdesk.workflows.models import WorkflowRecord
from frontdesk.workflows.store import workflows as workflow_store
from frontdesk.workflows.tui import actions
from frontdesk.workflows.tui.analysis_loader import AnalysisLoader
from frontdesk.workflows.tui.file_actions import create_workflow, export_workflow, update_workflow
from frontdesk.workflows.tui.list_pane import WorkflowsPane
from frontdesk.workflows.tui.tree_pane import MAX_WAY_BACK, TreePane
from frontdesk.workflows.view.node_detail import row_detail, workflow_detail
from frontdesk.workflows.view.row import WorkflowOrder

if TYPE_CHECKING:
    from frontdesk.workflows.analysis import WorkflowAnalysis

ORDERS = tuple(WorkflowOrder)

MAX_COPIED = 1_000_000
"""Characters; a clipboard takes no longer document."""


@dataclass(frozen=True, slots=True)
class _Place:
    """The origin of a jump over a pointer: the row in the tree, and the list's filter."""

    workflow_id: WorkflowId
    row: str | None
    line: int
    typed: str


class WorkflowsScreen(MultiPane):
    """Mode 4."""

    key_context = "workflows"
    pane_names = (("workflows", "Workflows"), ("tree", "Tree"), ("node", "Detail"))
    CSS = """
    WorkflowsScreen #workflows { width: 1fr; max-width: 48; }
    WorkflowsScreen #tree { width: 2fr; }
    WorkflowsScreen #node { width: 1fr; }
    WorkflowsScreen.-middle #workflows { width: 40; }
    WorkflowsScreen.-middle #node { display: none; }
    WorkflowsScreen.-middle.-at-tree #workflows, WorkflowsScreen.-middle.-at-node #workflows { display: none; }
    WorkflowsScreen.-middle.-at-tree #node, WorkflowsScreen.-middle.-at-node #node { display: block; }
    WorkflowsScreen.-narrow Pane, WorkflowsScreen.-zoomed Pane { display: none; }
    WorkflowsScreen.-narrow.-at-workflows #workflows, WorkflowsScreen.-zoomed.-at-workflows #workflows {
        display: block; width: 1fr; max-width: 100%;
    }
    WorkflowsScreen.-narrow.-at-tree #tree, WorkflowsScreen.-zoomed.-at-tree #tree { display: block; }
    WorkflowsScreen.-narrow.-at-node #node, WorkflowsScreen.-zoomed.-at-node #node { display: block; width: 1fr; }
    """

    def __init__(self, app_context: AppContext, keymap: Keymap):
        super().__init__(app_context, keymap)
        order = str(self._left.get("order"))
        self.loader = AnalysisLoader(
            lambda: self.app, app_context, self._ready, lambda ids: self.list.checked(ids)
        )
        self.list = WorkflowsPane(
            app_context,
            WorkflowOrder(order) if order in set(WorkflowOrder) else WorkflowOrder.NAME,
            str(self._left.get("filter") or ""),
            self.loader.problems,
        )
        self.nodes = TreePane(app_context, self.list.pending_of)
        self.detail = DetailPane(self._shown_detail)
        self._shown: WorkflowId | None = None
        """The workflow that the tree shows, or will."""
        self._follow: Timer | None = None
        self._came_from: tuple[_Place, ...] = ()
        self.add_class("-at-workflows", update=False)

    def compose_body(self) -> ComposeResult:
        with Container(classes="body"):
            yield self.list
            yield self.nodes
            yield self.detail

    def on_mount(self) -> None:
        match self._left:
            case {"workflow": str(workflow_id), "row": [str(key), int(line)]}:
                self.list.show(WorkflowId(workflow_id))
                self.nodes.put_back(WorkflowId(workflow_id), key, line)
            case {"workflow": str(workflow_id)}:
                self.list.show(WorkflowId(workflow_id))
        self.loader.listed(self.list.records)
        self._follow_cursor()

    def home(self) -> Widget:
        return self.list.rows

    def panes(self) -> tuple[Pane, ...]:
        return (self.list, self.nodes, self.detail)

    def target_in(self, pane: Pane) -> Widget:
        return {"workflows": self.list.rows, "tree": self.nodes.rows, "node": self.detail.page}[str(pane.id)]

    def go_to(self, pane: Pane) -> None:
        if pane is not self.list:
            self._catch_up()
        super().go_to(pane)

    def doing(self) -> str:
        doing = super().doing()
        if doing == "empty" and self.list.typed:
            return "filtered"
        if doing == "tree" and self.nodes.typed:
            return "searched"
        return "searching" if doing == "typing" and self.has_class("-at-tree") else doing

    def focused_pane(self) -> str:
        pane = self.pane_of(self.focused)
        return "list" if pane is None or pane is self.list else str(pane.id)

    def selected_workflow(self) -> WorkflowRecord | None:
        return self.list.record(self.list.cursor)

    def raw_record(self) -> tuple[str, object] | None:
        analysis = self.nodes.analysis
        if self._is_at_list:
            record = self.list.record(self.list.cursor)
            if record is None:
                return None
            is_loaded = analysis is not None and analysis.workflow_id == record.workflow_id
            return "Workflow", analysis.raw if analysis is not None and is_loaded else record.raw
        if analysis is None or (key := self.nodes.rows.cursor_key) is None:
            return None
        node = analysis.raw_at(key)
        return None if node is None else ("Node", node)

    def action_copy_json(self) -> None:
        text = (
            workflow_store.text(self.app_context.store.reading, self.list.cursor or "")
            if self._is_at_list
            else None
        )
        if text is None:
            super().action_copy_json()
        elif len(text) > MAX_COPIED:
            words = f"Too long to copy: {self.app_context.key('workflow.export')} writes it into a file."
            notify(self.app, trusted(words), severity="warning")
        else:
            self._copy(text, trusted("The workflow as JSON"))

    def copied_id(self) -> str | None:
        if self._is_at_list:
            return self.list.cursor
        analysis, key = self.nodes.analysis, self.nodes.rows.cursor_key
        if analysis is None or key is None:
            return None
        row = analysis.row(key)
        return row.id or row.target or None

    def show_changes(self, events: frozenset[Event]) -> None:
        was_read = self.was_read()
        before = self.list.pending
        self.list.store_changed(events)
        if self.was_read() != was_read:
            self.update_status()
        changed = {event.id for event in events if event.kind == change_feed.WORKFLOW}
        is_all = change_feed.EVERYTHING in events
        if is_all or changed or any(event.kind == change_feed.DOCUMENT for event in events):
            self.loader.listed(self.list.records)
            if self._shown is None:
                self._follow_cursor()
            elif is_all or self._shown in changed:
                self.loader.want(self._shown)
            if self._is_at_list:
                self.detail.show_now()
        if self.list.pending != before:
            self.nodes.update_title()
            self.detail.show_now()

    def was_read(self) -> bool:
        return self.list.was_read or self.list.known > 0

    def drop_filter(self) -> bool:
        return self.list.end_typing() if self._is_at_list else self.nodes.end_typing()

    def place_now(self) -> dict[str, object]:
        left: dict[str, object] = {
            "order": str(self.list.order),
            "filter": self.list.typed,
            "workflow": self.list.cursor,
        }
        if self.nodes.analysis is not None and (key := self.nodes.rows.cursor_key) is not None:
            left["row"] = [key, self.nodes.rows.cursor_line]
        return left

    def on_screen_suspend(self) -> None:
        self.keep_place()

    def on_descendant_focus(self) -> None:
        if (pane := self.pane_of(self.focused)) is not None:
            self.note_pane(pane)
            if pane is not self.detail:
                self.detail.follow_soon()

    def on_listed_pane_highlighted(self, event: ListedPane.Highlighted) -> None:
        event.stop()
        self._stop_following()
        self._follow = self.set_timer(FOLLOW_SECONDS, self._follow_cursor)

    def on_listed_pane_opened(self, event: ListedPane.Opened) -> None:
        event.stop()
        self.go_to(self.nodes)

    def on_listed_pane_list_changed(self, event: ListedPane.ListChanged) -> None:
        event.stop()
        self.keep_place()

    def on_tree_pane_highlighted(self, event: TreePane.Highlighted) -> None:
        event.stop()
        if not self._is_at_list:
            self.detail.follow_soon()

    def on_tree_pane_opened(self, event: TreePane.Opened) -> None:
        event.stop()
        self.detail.show_now()
        self.go_to(self.detail)

    def on_tree_pane_pointer_opened(self, event: TreePane.PointerOpened) -> None:
        event.stop()
        here = self._shown
        if self.list.record(event.workflow_id) is None:
            words = f"No workflow {show_line(event.workflow_id, 40).text} is listed."
            notify(self.app, trusted(words), severity="warning")
        elif here is not None:
            rows = self.nodes.rows
            place = _Place(here, rows.cursor_key, rows.cursor_line, self.list.typed)
            self._came_from = (*self._came_from[1 - MAX_WAY_BACK :], place)
            self._open(event.workflow_id)

    def on_line_page_chosen(self, event: LinePage.Chosen) -> None:
        event.stop()
        _, heading, draw = self._shown_detail()
        self.read_all(heading, draw)

    def action_find(self) -> None:
        pane = self.list if self._is_at_list else self.nodes
        self.go_to(pane)
        pane.begin_typing()

    def action_find_next(self) -> None:
        self.nodes.step_hit(1)

    def action_find_previous(self) -> None:
        self.nodes.step_hit(-1)

    def action_sort(self) -> None:
        self.list.sort(ORDERS[(ORDERS.index(self.list.order) + 1) % len(ORDERS)])

    def action_jump_back(self) -> None:
        if self.nodes.jump_back():
            return
        if self._came_from:
            *earlier, before = self._came_from
            self._came_from = tuple(earlier)
            if before.typed and not self.list.typed:  # the jump took the filter off
                self.list.type_again(before.typed)
            if before.row is not None:
                self.nodes.put_back(before.workflow_id, before.row, before.line)
            self._open(before.workflow_id)
        else:
            notify(self.app, trusted("There is no way further back."), timeout_seconds=2)

    def action_create(self) -> None:
        if self.cancel_action is None:
            create_workflow(self)

    def action_update(self) -> None:
        actions.act(self, self.selected_workflow(), update_workflow)

    def action_switch(self) -> None:
        actions.act(self, self.selected_workflow(), actions.switch_workflow)

    def action_dry_run(self) -> None:
        actions.act(self, self.selected_workflow(), actions.simulate_workflow)

    def action_export(self) -> None:
        actions.act(self, self.selected_workflow(), export_workflow)

    def action_snapshots(self) -> None:
        actions.act(self, self.selected_workflow(), actions.open_snapshots)

    def action_reset_analytics(self) -> None:
        actions.act(self, self.selected_workflow(), actions.reset_analytics)

    def action_worst_exits(self) -> None:
        if (analysis := self._analysis_at_cursor()) is not None:
            actions.show_worst_exits(self, analysis)

    def action_findings(self) -> None:
        if (analysis := self._analysis_at_cursor()) is not None:
            actions.show_findings(self, analysis)

    def show_place(self, analysis: "WorkflowAnalysis", key: str | None) -> None:
        """Go to a row of an analysed workflow, if it is still shown."""
        if key is None:
            notify(self.app, trusted("This is about the workflow as a whole."), timeout_seconds=3)
        elif self._shown == analysis.workflow_id:
            self.go_to(self.nodes)
            if not self.nodes.jump_to(key):
                notify(self.app, trusted("This is no longer in the workflow."), severity="warning")

    @property
    def _is_at_list(self) -> bool:
        return self.has_class("-at-workflows")

    def _analysis_at_cursor(self) -> "WorkflowAnalysis | None":
        """The analysis of the workflow under the cursor; without one, notify why."""
        self._catch_up()
        if self.list.cursor is None:
            notify(self.app, trusted(actions.NO_WORKFLOW), timeout_seconds=3)
            return None
        if self.nodes.analysis is None:
            lack = workflow_store.lack(self.app_context.store.reading)
            words = f"No graph is loaded here yet{f': {lack}' if lack else '.'}"
            notify(self.app, show_line(words, 200), timeout_seconds=3)
        return self.nodes.analysis

    def _open(self, workflow_id: WorkflowId) -> None:
        if not self.list.show(workflow_id):
            self.list.end_typing()
            self.list.show(workflow_id)
        self.go_to(self.nodes)

    def _follow_cursor(self) -> None:
        """Load the workflow under the cursor; the one that is shown stays until then."""
        self._stop_following()
        cursor = self.list.cursor
        if cursor != self._shown:
            self._shown = cursor
            if cursor is None:
                self.nodes.wait_for(None)
            else:
                self.loader.want(cursor)
        if self._is_at_list:
            self.detail.show_now()

    def _catch_up(self) -> None:
        """Follow the cursor at once: a key works on the workflow under it, never on the one before."""
        if self._follow is not None or self._shown != self.list.cursor:
            self._follow_cursor()
        self.nodes.wait_for(self._shown)

    def _stop_following(self) -> None:
        if self._follow is not None:
            self._follow.stop()
            self._follow = None

    def _ready(self, workflow_id: WorkflowId, analysis: "WorkflowAnalysis | None", why: SafeText) -> None:
        if workflow_id != self._shown:
            return
        self.nodes.show(workflow_id, analysis, why)
        self.detail.show_now()

    def _shown_detail(self) -> Told:
        """The row under the tree's cursor, else the workflow."""
        analysis = self.nodes.analysis
        key = None if self._is_at_list else self.nodes.rows.cursor_key
        view, pending = self.app_context.view, self.list.pending_of
        if analysis is not None and key is not None:
            workflow_id = analysis.workflow_id
            record = self.list.record(workflow_id)
            return (
                key,
                trusted("Detail"),
                lambda width: row_detail(analysis, key, record, pending(workflow_id), width, view()),
            )
        record = self.list.record(self.list.cursor)
        if record is None:
            return "", trusted("Workflow"), lambda _: ()
        return (
            record.workflow_id,
            trusted("Workflow"),
            lambda width: workflow_detail(record, self.nodes.analysis, pending(record.workflow_id), width, view()),
        )
