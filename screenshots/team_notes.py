"""What a team's colleagues have written and have open, for the pictures of notes, hand-overs and presence."""

import apsw
from desk import NOW

from frontdesk.api.contract.ids import ConversationId
from frontdesk.config.team import TeamSettings
from frontdesk.inbox.store import conversations, notes
from frontdesk.inbox.store.notes import SEEN_MARKER, note_body, receipt_body, receipt_id
from frontdesk.outbox import queue
from frontdesk.outbox.commands import claim_notifications
from frontdesk.sandbox import fixtures
from frontdesk.storage import team_state
from frontdesk.storage.database import Store
from frontdesk.storage.records import ConversationOrder, TeamState
from frontdesk.storage.team_state import Colleague
from frontdesk.sync.team_role import Duty

SETTINGS = TeamSettings("postgresql://noa@db.example.com/frontdesk", "acme")
ME, COLLEAGUE, OTHER = fixtures.AGENTS[:3]
PLACE, HANDED_PLACE = 3, 4
"""The places in the list of the conversation with notes, and of one that was handed over and not opened yet."""


def conversation(store: Store, place: int = PLACE) -> ConversationId:
    """Return a conversation by its place in the list."""
    return conversations.ids(store.reading, ConversationOrder.WAITING)[place]


def write(store: Store) -> None:
    """Write the team's notes, and who is where."""
    here, handed = conversation(store), conversation(store, HANDED_PLACE)

    def put(db: apsw.Connection) -> None:
        asks = f"The courier has lost the parcel. @{ME.name} please send a new one, the address is right."
        _note(db, "n1", here, NOW - 2_400, COLLEAGUE.id, asks, mentions=[ME.id])
        _note(db, "n2", here, NOW - 1_500, ME.id, "Sent again, arrives tomorrow before noon.")
        over = "Call once it has arrived, and close the task."
        _note(db, "n3", here, NOW - 1_200, ME.id, over, hand_over_to=OTHER.id)
        notes.apply(db, receipt_id("n3"), OTHER.id, NOW - 600, receipt_body(here, "n3"))
        queue.keep(db, SEEN_MARKER, here, NOW, NOW)
        _note(db, "n4", handed, NOW - 900, OTHER.id, "Waits for a refund since Monday.", hand_over_to=ME.id)
        claim_notifications(db, {"mention n4": NOW, "note n4": NOW}, NOW)  # a notice would stand above the picture
        team_state.put_present(db, {here: [Colleague(OTHER.id, "desk")]})
        team_state.put_state(db, TeamState(Duty.FOLLOWS, "desk", COLLEAGUE.id, 3.0))

    store.write(put).result()


def _note(
    db: apsw.Connection,
    note_id: str,
    here: ConversationId,
    at: float,
    author: str,
    text: str,
    mentions: list[str] | None = None,
    hand_over_to: str = "",
) -> None:
    content = {"text": text, "mentions": mentions or [], "hand_over_to": hand_over_to}
    notes.apply(db, note_id, author, at, note_body(here, content))
