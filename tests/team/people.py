"""The people at the desks of a team, for tests: what each writes, and what they see of the others."""

from collections.abc import Sequence
from dataclasses import replace

from frontdesk.config.team import TeamSettings
from frontdesk.inbox.changes import NoteDraft
from frontdesk.inbox.store import notes
from frontdesk.inbox.store.notes import TeamNote
from frontdesk_api.contract.ids import AgentId, ConversationId
from services import Services
from sync.running_engine import Works


class AtDesk:
    """A person at their desk.

    Args:
        role: by which the relay knows them; their agent id is `agent-` and it.
    """

    def __init__(self, desk: Works, role: str):
        self.me = AgentId(f"agent-{role}")
        store = desk.services.store
        team = TeamSettings(f"postgresql://{role}@db/frontdesk", "acme")
        profile = replace(store.profile, agent_id=self.me, team=team)
        self.services = Services(desk.store, profile, store.settings, store.clock)

    def write(self, conversation_id: str, text: str, *mentions: str, to: str | None = None) -> None:
        """Write a note."""
        draft = NoteDraft(
            ConversationId(conversation_id),
            text,
            [AgentId(f"agent-{each}") for each in mentions],
            None if to is None else AgentId(f"agent-{to}"),
        )
        self.services.inbox.write_note(draft).result()

    def notes(self, conversation_id: str) -> Sequence[TeamNote]:
        """Return the notes that they see."""
        return notes.of_conversation(self.services.store.reading, ConversationId(conversation_id), self.me)

    def texts(self, conversation_id: str) -> list[str]:
        """Return the texts of the notes that the team has, as far as they see them."""
        return [each.text for each in self.notes(conversation_id) if not each.is_pending]

    def called(self, conversation_id: str) -> TeamNote | None:
        """Return the note that calls for them, if one does."""
        return notes.calls_for(self.services.store.reading, ConversationId(conversation_id), self.me)

    def open(self, conversation_id: str) -> None:
        """Open a conversation."""
        self.services.inbox.mark_read(ConversationId(conversation_id))
        self.services.store.flush().result()
