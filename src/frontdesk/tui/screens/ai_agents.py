"""AI agents: the list and the facts of one. They are not people and can't be assigned."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType

from frontdesk.present import ai_agents
from frontdesk.present.lines import Line
from frontdesk.store.documents import AI_AGENT
from frontdesk.store.records import DocumentRecord
from frontdesk.tui.keymap import bindings_for
from frontdesk.tui.screens.documents import DocumentsScreen


class AiAgentsScreen(DocumentsScreen):
    """Mode 5."""

    context = "agents"
    kind = AI_AGENT
    heading = "AI agents"
    nothing = "No AI agent was read yet, or the account has none."
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("agents")]

    def read(self) -> Sequence[DocumentRecord]:
        return self.room.desk.reads.ai_agents()

    def action_delete_webhook(self) -> None:
        from frontdesk.tui.webhook_deleting import delete_webhook

        delete_webhook(self)

    def row(self, record: DocumentRecord, width: int) -> tuple[Line, ...]:
        listing = self.room.desk.reads.ai_agent_list()
        samples = self.room.desk.reads.token_samples(record.document_id)
        return ai_agents.row(record, samples, listing.read_at, width, self.room.view())

    def detail(self, record: DocumentRecord, width: int) -> tuple[Line, ...]:
        listing = self.room.desk.reads.ai_agent_list()
        samples = self.room.desk.reads.token_samples(record.document_id)
        return ai_agents.detail(record, samples, listing, width, self.room.view())
