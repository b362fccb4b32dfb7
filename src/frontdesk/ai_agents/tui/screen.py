"""AI agents: the list and all that is known of one. They are not people and can't be assigned."""

import asyncio
from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Container
from textual.widget import Widget

from frontdesk.ai_agents import store as agent_store
from frontdesk.ai_agents.view import HEIGHT, AgentOrder, detail, in_order, matching, row, title
from frontdesk.config.credentials import SecretError
from frontdesk.storage import change_feed
from frontdesk.storage.documents import AI_AGENT
from frontdesk.storage.records import AiAgentListing, DocumentRecord, Event
from frontdesk.text.display_text import show_line, trusted
from frontdesk.text.lines import Line
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialog_flow import DialogFlow
from frontdesk.tui.dialogs.base import Closed
from frontdesk.tui.dialogs.typed_confirm import TypedTwiceDialog
from frontdesk.tui.keymap import Keymap
from frontdesk.tui.multi_pane_screen import MultiPane
from frontdesk.tui.panes.detail_pane import DetailPane, Told
from frontdesk.tui.panes.filtered_list_pane import ListedPane
from frontdesk.tui.widgets.line_page import LinePage
from frontdesk.tui.widgets.pane import Pane
from frontdesk.workflows.commands import WorkflowCommands

ORDERS = tuple(AgentOrder)
NO_BEARER = (
    "Deleting a webhook needs the Bearer token, and this profile has none: "
    "frontdesk login asks for it, or set FRONTDESK_BEARER."
)


class AiAgentsScreen(MultiPane):
    """Mode 5."""

    key_context = "agents"
    pane_names = (("agents", "AI agents"), ("agent", "Detail"))
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
        samples = agent_store.samples(self.app_context.store.reading, record.document_id)
        return detail(record, samples, self.list.listing, width, self.app_context.view())


def delete_webhook(screen: BaseScreen) -> None:
    """Ask for its id, twice, and delete it."""
    flow = DialogFlow(screen, "delete webhook")
    flow.start(_delete(flow), holds_keys=False)  # a keyring may ask for its password first


async def _delete(flow: DialogFlow) -> None:
    try:
        has_bearer = await asyncio.to_thread(flow.app_context.has_bearer)
    except SecretError as error:
        flow.notify_error(show_line(error, 300))
        return
    if not has_bearer:
        flow.notify_error(trusted(NO_BEARER))
        return
    if not flow.is_on_top:  # left while the token was looked for
        return
    warnings = (
        trusted("It is deleted for good: whatever it brought to another system comes no more."),
        trusted("The platform lists no webhooks: nobody can look whether this is the one you mean."),
    )
    dialog = TypedTwiceDialog(trusted("Delete a webhook"), warnings, does="delete", draft=flow.draft.get("id", ""))
    answer = await flow.ask(dialog)
    if isinstance(answer, Closed):
        flow.save_draft(id=answer.draft)
        return
    await flow.submit(
        WorkflowCommands(flow.app_context.store).delete_webhook(answer.value), f"Delete webhook {answer.value}"
    )


class AiAgentsPane(ListedPane[AgentOrder]):
    """The AI agents that the platform lists."""

    thing = "AI agent"
    name_of_all = "AI agents"
    row_height = HEIGHT
    placeholder = "name, id, what it is for, role, tool, file, active, off"

    def __init__(self, app_context: AppContext, order: AgentOrder, filtered_by: str) -> None:
        super().__init__(app_context, "agents", order, filtered_by)
        self.listing = AiAgentListing()
        self._records: dict[str, DocumentRecord] = {}

    @property
    def record(self) -> DocumentRecord | None:
        """The agent under the cursor."""
        return self._records.get(self.rows.cursor_key or "")

    @property
    def known(self) -> int:
        return len(self.listing.records)

    @property
    def was_read(self) -> bool:
        return self.listing.read_at is not None

    def is_about(self, events: frozenset[Event]) -> bool:
        return Event(change_feed.DOCUMENT, AI_AGENT) in events

    def differing(self) -> Sequence[str]:
        before, self.listing = self._records, agent_store.listing(self._app_context.store.reading)
        self._records = {each.document_id: each for each in self.listing.records}
        return [key for key, record in self._records.items() if before.get(key) != record]

    def wanted(self, here: str | None) -> Sequence[str]:
        found = matching(self.listing.records, self.typed)
        kept = self._records.get(here or "")
        if kept is not None and kept not in found:
            found.append(kept)
        return [each.document_id for each in in_order(found, self.order)]

    def heading(self, shown: int) -> Line:
        return title(shown, self.known)

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        record = self._records.get(key)
        if record is None:
            return ()
        samples = agent_store.samples(self._app_context.store.reading, key)
        return row(record, samples, self.listing.read_at, width, self._app_context.view())
