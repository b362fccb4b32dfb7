"""AI agents: the list and all that is known of one. They are not people and can't be assigned."""

from collections.abc import Callable
from functools import partial

from textual.app import ComposeResult
from textual.containers import Container
from textual.widget import Widget

from frontdesk.ai_agents.view import AI_AGENTS, HEIGHT, LABEL_CELLS, row
from frontdesk.config.facts import drawing
from frontdesk.storage import change_feed
from frontdesk.storage.record_lookup import AI_AGENT
from frontdesk.storage.records import DocumentRecord, Event, RecordRef
from frontdesk.tui.base_screen import BaseScreen, RecordActions
from frontdesk.tui.context import AppContext
from frontdesk.tui.filtered_list_pane import FilteredListPane
from frontdesk.tui.pane_switcher import MultiPaneScreen, PaneBackActions, PaneSwitcher
from frontdesk.tui.status_bar import ScreenState
from frontdesk_lines.display_text import trusted
from frontdesk_lines.lines import Line
from frontdesk_lines.widgets.line_page import Detail, DetailPane, LinePage
from frontdesk_lines.widgets.pane import Pane
from frontdesk_lines.widgets.row_list import RowList


class AiAgentsScreen(MultiPaneScreen):
    """The AI agents' screen, mode 5."""

    key_context = "agents"
    pane_names = (("agents", "AI agents"), ("agent", "Detail"))
    CSS = """
    AiAgentsScreen #agents { width: 1fr; }
    AiAgentsScreen #agent { width: 1fr; }
    AiAgentsScreen.-narrow Pane, AiAgentsScreen.-zoomed Pane { display: none; }
    AiAgentsScreen.-narrow.-at-agents #agents, AiAgentsScreen.-zoomed.-at-agents #agents { display: block; }
    AiAgentsScreen.-narrow.-at-agent #agent, AiAgentsScreen.-zoomed.-at-agent #agent { display: block; }
    """

    def __init__(self, app_context: AppContext, *, delete_webhook: Callable[[BaseScreen], None]):
        super().__init__(app_context)
        self._delete_webhook = delete_webhook
        self.list = AiAgentsPane(
            app_context, "agents", AI_AGENTS, self.saved_state.get("order"), self.saved_state.get("filter")
        )
        self.detail = DetailPane(self._shown_detail, id="agent")
        targets = {self.list: self.list.rows, self.detail: self.detail.page}
        self.panes = PaneSwitcher(self, targets, self.pane_tabs, self._before_pane)
        self.record_actions = AgentRecordActions(self, self.list)
        self.back_actions = PaneBackActions(self, self.list.end_typing)

    def compose_body(self) -> ComposeResult:
        with Container(classes="body"):
            yield self.list
            yield self.detail

    def on_mount(self) -> None:
        self.list.rows.move_to(str(self.saved_state.get("agent") or ""))
        self.detail.show_now()

    def home(self) -> Widget:
        return self.list.rows

    def state(self) -> ScreenState:
        pane = "agent" if self.panes.is_at(self.detail) else "list"
        return ScreenState(pane, rows=self.list.rows, was_read=self.list.is_known)

    def show_changes(self, events: frozenset[Event]) -> None:
        was_read = self.list.is_known
        self.list.store_changed(events)
        if self.list.is_known != was_read:
            self.status_bar.update()
        if change_feed.EVERYTHING in events or any(event.kind == change_feed.DOCUMENT for event in events):
            self.detail.show_now()

    def view_state(self) -> dict[str, object]:
        return {"order": self.list.order, "filter": self.list.typed, "agent": self.list.rows.cursor_key}

    def on_descendant_focus(self) -> None:
        self.panes.note_focus()

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self.detail.follow_soon()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.panes.focus_pane(self.detail)

    def on_filtered_list_pane_list_changed(self, event: FilteredListPane.ListChanged) -> None:
        event.stop()
        self.save_view_state()

    def on_line_page_chosen(self, event: LinePage.Chosen) -> None:
        event.stop()
        key, heading, draw = self._shown_detail()
        if key:
            self.record_actions.show_lines(heading, draw)

    def _before_pane(self, pane: Pane) -> None:
        if pane is self.detail:
            self.detail.show_now()

    def action_delete_webhook(self) -> None:
        self._delete_webhook(self)

    def action_find(self) -> None:
        self.panes.focus_pane(self.list)
        self.list.begin_typing()

    def action_sort(self) -> None:
        self.list.next_order()

    def _shown_detail(self) -> Detail:
        record = self.list.selected
        if record is None:
            return "", trusted("AI agent"), lambda _: ()
        told = partial(AI_AGENTS.facts, self.app_context.store.reading, record)
        return record.document_id, trusted("AI agent"), drawing(told, self.app_context.view, LABEL_CELLS)


class AiAgentsPane(FilteredListPane[DocumentRecord]):
    """The AI agents that the platform lists."""

    row_height = HEIGHT
    placeholder = "name, id, description, role, tool, file, active, off"

    def is_affected_by(self, events: frozenset[Event]) -> bool:
        return Event(change_feed.DOCUMENT, AI_AGENT) in events

    def draw_row(self, key: str, record: DocumentRecord, width: int) -> tuple[Line, ...]:  # noqa: ARG002
        return row(record, width, self._app_context.view())


class AgentRecordActions(RecordActions):
    """Works on the AI agent under the cursor."""

    def __init__(self, screen: AiAgentsScreen, agents: AiAgentsPane) -> None:
        super().__init__(screen, screen.app_context)
        self._agents = agents

    def raw(self) -> tuple[str, object] | None:
        record = self._agents.selected
        return None if record is None else ("AI agent", record.raw)

    def copied_id(self) -> str | None:
        return self._agents.rows.cursor_key

    def selected(self) -> list[RecordRef]:
        key = self._agents.rows.cursor_key
        return [] if key is None else [RecordRef("ai_agent", key)]

    def refresh_target(self) -> str:
        return "ai agents"
