"""AI agents: the list and all that is known of one. They are not people and can't be assigned."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.widget import Widget

from frontdesk.ai_agents.tui.delete_webhook import delete_webhook
from frontdesk.ai_agents.tui.list_pane import AiAgentsPane
from frontdesk.ai_agents.view import AgentOrder, detail
from frontdesk.storage import change_feed
from frontdesk.storage.records import DocumentRecord, Event
from frontdesk.text.display_text import trusted
from frontdesk.text.lines import Line
from frontdesk.tui.context import AppContext
from frontdesk.tui.keymap import Keymap, bindings_for
from frontdesk.tui.multi_pane_screen import MultiPane
from frontdesk.tui.panes.detail_pane import DetailPane, Told
from frontdesk.tui.panes.filtered_list_pane import ListedPane
from frontdesk.tui.widgets.line_page import LinePage
from frontdesk.tui.widgets.pane import Pane

ORDERS = tuple(AgentOrder)


class AiAgentsScreen(MultiPane):
    """Mode 5."""

    key_context = "agents"
    pane_names = (("agents", "AI agents"), ("agent", "Detail"))
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("agents")]
    CSS = """
    AiAgentsScreen #agents { width: 1fr; }
    AiAgentsScreen #agent { width: 1fr; }
    AiAgentsScreen.-narrow Pane, AiAgentsScreen.-zoomed Pane { display: none; }
    AiAgentsScreen.-narrow.-at-agents #agents, AiAgentsScreen.-zoomed.-at-agents #agents { display: block; }
    AiAgentsScreen.-narrow.-at-agent #agent, AiAgentsScreen.-zoomed.-at-agent #agent { display: block; }
    """

    def __init__(self, app_context: AppContext, keymap: Keymap):
        super().__init__(app_context, keymap)
        order = str(self._left.get("order"))
        self.list = AiAgentsPane(
            app_context,
            AgentOrder(order) if order in set(AgentOrder) else AgentOrder.NAME,
            str(self._left.get("filter") or ""),
        )
        self.detail = DetailPane(self._shown_detail, id="agent")
        self.add_class("-at-agents", update=False)

    def compose_body(self) -> ComposeResult:
        with Container(classes="body"):
            yield self.list
            yield self.detail

    def on_mount(self) -> None:
        self.list.rows.move_to(str(self._left.get("agent") or ""))
        self.detail.show_now()

    def home(self) -> Widget:
        return self.list.rows

    def panes(self) -> tuple[Pane, ...]:
        return (self.list, self.detail)

    def target_in(self, pane: Pane) -> Widget:
        return self.list.rows if pane is self.list else self.detail.page

    def focused_pane(self) -> str:
        return "agent" if self.has_class("-at-agent") else "list"

    def go_to(self, pane: Pane) -> None:
        if pane is self.detail:
            self.detail.show_now()
        super().go_to(pane)

    def raw_record(self) -> tuple[str, object] | None:
        record = self.list.record
        return None if record is None else ("AI agent", record.raw)

    def copied_id(self) -> str | None:
        return self.list.rows.cursor_key

    def refresh_target(self) -> str:
        return "ai agents"

    def show_changes(self, events: frozenset[Event]) -> None:
        was_read = self.was_read()
        self.list.store_changed(events)
        if self.was_read() != was_read:
            self.update_status()
        if change_feed.EVERYTHING in events or any(event.kind == change_feed.DOCUMENT for event in events):
            self.detail.show_now()

    def was_read(self) -> bool:
        return self.list.was_read or self.list.known > 0

    def drop_filter(self) -> bool:
        return self.list.end_typing()

    def place_now(self) -> dict[str, object]:
        return {"order": str(self.list.order), "filter": self.list.typed, "agent": self.list.rows.cursor_key}

    def on_screen_suspend(self) -> None:
        self.keep_place()

    def on_descendant_focus(self) -> None:
        if (pane := self.pane_of(self.focused)) is not None:
            self.note_pane(pane)

    def on_listed_pane_highlighted(self, event: ListedPane.Highlighted) -> None:
        event.stop()
        self.detail.follow_soon()

    def on_listed_pane_opened(self, event: ListedPane.Opened) -> None:
        event.stop()
        self.go_to(self.detail)

    def on_listed_pane_list_changed(self, event: ListedPane.ListChanged) -> None:
        event.stop()
        self.keep_place()

    def on_line_page_chosen(self, event: LinePage.Chosen) -> None:
        event.stop()
        if (record := self.list.record) is not None:
            self.read_all(trusted("AI agent"), lambda width: self._lines(record, width))

    def action_delete_webhook(self) -> None:
        delete_webhook(self)

    def action_find(self) -> None:
        self.go_to(self.list)
        self.list.begin_typing()

    def action_sort(self) -> None:
        self.list.sort(ORDERS[(ORDERS.index(self.list.order) + 1) % len(ORDERS)])

    def _shown_detail(self) -> Told:
        record = self.list.record
        if record is None:
            return "", trusted("AI agent"), lambda _: ()
        return record.document_id, trusted("AI agent"), lambda width: self._lines(record, width)

    def _lines(self, record: DocumentRecord, width: int) -> tuple[Line, ...]:
        samples = self.app_context.services.queries.token_samples(record.document_id)
        return detail(record, samples, self.list.listing, width, self.app_context.view())
