"""What a team's colleagues have written and have open, for the picture of notes."""

import apsw

from frontdesk.app.tui_app import FrontdeskApp
from frontdesk.config.team import TeamSettings
from frontdesk.inbox.store import conversations, notes
from frontdesk.inbox.store.notes import SEEN_MARKER, note_body, receipt_body, receipt_id
from frontdesk.inbox.tui.screen import InboxScreen
from frontdesk.outbox import queue
from frontdesk.storage import team_state
from frontdesk.storage.database import Store
from frontdesk.storage.records import ConversationOrder, TeamState
from frontdesk.storage.team_state import Colleague
from frontdesk.sync.team_role import Duty
from frontdesk_api.contract.ids import ConversationId
from frontdesk_sandbox import fixtures
from snapshots.desk import NOW

SETTINGS = TeamSettings("postgresql://noa@db.example.com/frontdesk", "acme")
ME, COLLEAGUE, OTHER = fixtures.AGENTS[:3]
PLACE, HANDED_PLACE = 3, 4
"""In the list, of the conversation with notes, and of one that was handed over and not opened yet."""


def open_conversation(app: FrontdeskApp) -> None:
    """Open the conversation with notes."""
    screen = app.current_screen
    assert isinstance(screen, InboxScreen)
    screen.navigation.visit(_conversation(app.app_context.store.reading, PLACE))


def _conversation(db: apsw.Connection, place: int) -> ConversationId:
    return conversations.ids(db, ConversationOrder.WAITING)[place]


def write(store: Store) -> None:
    """Write the team's notes, and who is where."""
    here, handed = _conversation(store.reading, PLACE), _conversation(store.reading, HANDED_PLACE)

    def put(db: apsw.Connection) -> None:
        asks = f"The courier has lost the parcel. @{ME.name} please send a new one, the address is right."
        _note(db, "n1", here, NOW - 2_400, COLLEAGUE.id, asks, mentions=[ME.id])
        _note(db, "n2", here, NOW - 1_500, ME.id, "Sent again, arrives tomorrow before noon.")
        over = "Call once it has arrived, and close the task."
        _note(db, "n3", here, NOW - 1_200, ME.id, over, hand_over_to=OTHER.id)
        notes.apply(db, receipt_id("n3"), OTHER.id, NOW - 600, receipt_body(here, "n3"))
        queue.keep(db, SEEN_MARKER, here, NOW, NOW)
        _note(db, "n4", handed, NOW - 900, OTHER.id, "Waits for a refund since Monday.", hand_over_to=ME.id)
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
