"""Sends the team what this person shares, and applies what the others share: notes, read markers and views.

What isn't shared yet stays in the outbox. The ids of rows are made at the desk: sending one twice changes nothing.
"""

import json
import logging
from collections.abc import Callable
from functools import partial

import apsw

from frontdesk.inbox.store import notes, read_markers, team_views
from frontdesk.inbox.store.read_markers import SharedRead
from frontdesk.outbox import queue
from frontdesk.relay.client import RelayClient
from frontdesk.relay.connection import NotAllowed, RelayError
from frontdesk.relay.records import Shared, SharedKind
from frontdesk.storage import change_feed
from frontdesk.storage.database import Store
from frontdesk.storage.record_lookup import line_of_target
from frontdesk.storage.records import Change, ChangeKind, ChangeState, Json
from frontdesk.tasks import store as task_store
from frontdesk_api import json_access

_UNTAKEN = (ChangeState.QUEUED, ChangeState.UNKNOWN)
_UNDER_WAY = (ChangeState.SENDING, ChangeState.UNKNOWN)

_VERSION = 1

UNKNOWN_LINE = "the line of this conversation isn't known yet; resend the note once one of its tasks has loaded"

log = logging.getLogger(__name__)


class TeamSharing:
    """One desk's part of what its team shares.

    Args:
        clock: Unix seconds of this machine.
        update: updates what lists show of conversations with unsent notes.

    Attributes:
        agent_id: this person's, as the team knows them.
        offset: seconds that the relay's clock is ahead of this machine's.
    """

    def __init__(
        self, store: Store, clock: Callable[[], float], update: Callable[[apsw.Connection, list[str]], None]
    ):
        self._store, self._clock, self._update = store, clock, update
        self._owner = ""
        self.agent_id, self.offset = "", 0.0
        self._outbox_version = -1

    def apply(self, db: apsw.Connection, row: Shared) -> None:
        """Store a row of the team, in the transaction that notes its position.

        Raises:
            ValueError: it is none of those known here.
        """
        if row.kind == SharedKind.NOTE:
            notes.apply(db, row.id, row.agent_id, row.at, row.body, row.line_id)
        elif row.kind == SharedKind.READ:
            self._apply_read(db, row)
        elif row.kind == SharedKind.VIEW and json.loads(row.id)[0] == row.agent_id:
            team_views.apply(db, row.id, row.agent_id, json.loads(row.body) if row.body else None)

    def _apply_read(self, db: apsw.Connection, row: Shared) -> None:
        """Take over a marker of this person's other desks; nobody else can write one in their name."""
        agent_id, conversation_id = json.loads(row.id)
        if not row.body or not self.agent_id or {agent_id, row.agent_id} != {self.agent_id}:
            return
        body, now = json.loads(row.body), self._clock()
        until_ms, notes_at = (json_access.number(body.get(name)) or 0.0 for name in ("until", "notes"))
        if read_markers.apply(db, SharedRead(str(conversation_id), until_ms, notes_at), now):
            task_store.note_all_seen(db, str(conversation_id), now)

    async def step(self, relay: RelayClient) -> bool:
        """Send what waits, oldest first; returns whether there is more.

        Raises:
            RelayError: the relay can't be used; what wasn't taken waits.
        """
        self._owner = f"team {relay.desk}"
        untaken = [
            each
            for each in queue.unsettled(self._store.reading, ChangeKind.NOTE)
            if each.state in (*_UNTAKEN, ChangeState.SENDING)
        ]
        for change in untaken:
            await self._send_note(relay, change)
        for note_id, conversation_id in queue.all_kept(self._store.reading, notes.RECEIPT).items():
            await self._send_receipt(relay, str(note_id), str(conversation_id))
        await self._send_views(relay)
        return await self._send_reads(relay)

    async def _send_views(self, relay: RelayClient) -> None:
        if not self.agent_id:
            return
        for name, match in team_views.unsent(self._store.reading, self.agent_id).items():
            view_id = json.dumps([self.agent_id, name], ensure_ascii=False)
            content = {"v": _VERSION, "name": name, "match": match} if match else None
            body = "" if content is None else json.dumps(content, ensure_ascii=False)
            try:
                await relay.share(SharedKind.VIEW, view_id, "", body)
            except NotAllowed as error:
                log.warning("couldn't share a view: %s", error)
            await self._store.run(partial(self._note_view, view_id=view_id, name=name, content=content))

    def _note_view(self, db: apsw.Connection, view_id: str, name: str, content: Json | None) -> None:
        team_views.apply(db, view_id, self.agent_id, content)
        team_views.note_sent(db, name, "" if content is None else str(content["match"]))

    async def _send_reads(self, relay: RelayClient) -> bool:
        """Tell this person's other desks some of what was read here; returns whether there is more.

        It is looked for where the outbox has changed.
        """
        version = change_feed.versions(self._store.reading).outbox
        if not self.agent_id or version == self._outbox_version:
            return False
        found = read_markers.unshared(self._store.reading)
        for read, line in found:
            body = json.dumps({"v": _VERSION, "until": read.until_ms, "notes": read.notes_at})
            try:
                await relay.share(SharedKind.READ, json.dumps([self.agent_id, read.conversation_id]), line, body)
            except NotAllowed as error:
                log.info("couldn't share that a conversation was read: %s", error)
        if found:
            await self._store.run(lambda db: read_markers.note_shared(db, [read for read, _ in found]))
        has_more = len(found) >= read_markers.MAX_MARKERS
        if not has_more:
            self._outbox_version = version
        return has_more

    async def _send_note(self, relay: RelayClient, change: Change) -> None:
        now, line = self._clock(), line_of_target(self._store.reading, change.target)
        claimed = await self._store.run(lambda db: queue.claim(db, [change], self._owner, now))
        if not claimed:
            return  # it was taken back a moment ago
        note_id, content = notes.note_of_change(change)
        # In whole seconds: sent once more, it is the same to the relay. Rounded down, it isn't behind its arrival.
        written_at = int(change.made_at) + round(self.offset)
        body = notes.note_body(change.target, content, written_at)
        if not line:  # under no line everybody could read it
            await self._end(change, ChangeState.REFUSED, UNKNOWN_LINE)
            return
        try:
            await relay.share(SharedKind.NOTE, note_id, line, body)
        except NotAllowed as error:
            await self._end(change, ChangeState.REFUSED, str(error))
        except RelayError:
            # The relay may have it: undo must take it back there. It is sent again, which changes nothing.
            await self._end(change, ChangeState.UNKNOWN, "")
            raise
        else:
            await self._end(change, ChangeState.CONFIRMED, "", body)

    async def _end(self, change: Change, state: ChangeState, reason: str, body: str = "") -> None:
        """Note what became of a note; the body is that which the relay has taken."""

        def end(db: apsw.Connection) -> None:
            now = self._clock()
            if not queue.move(db, change.change_id, state, expected=_UNDER_WAY, now=now, reason=reason):
                return
            # It was answered, or may be sent twice: nothing waits for it.
            queue.end_transit(db, change.change_id)
            if state is ChangeState.CONFIRMED:
                notes.confirm(db, change, self.agent_id, now + self.offset, body)
            self._update(db, [change.target])

        await self._store.run(end)

    async def _send_receipt(self, relay: RelayClient, note_id: str, conversation_id: str) -> None:
        body, line = (
            notes.receipt_body(conversation_id, note_id),
            line_of_target(self._store.reading, conversation_id),
        )
        if not line:
            return  # it waits: under no line everybody could read which conversation it is
        try:
            await relay.share(SharedKind.NOTE, notes.receipt_id(note_id), line, body)
        except NotAllowed as error:
            log.warning("couldn't tell the team that a hand-over was accepted: %s", error)

        def note_sent(db: apsw.Connection) -> None:
            now = self._clock()
            notes.apply(db, notes.receipt_id(note_id), self.agent_id, now + self.offset, body)
            queue.forget(db, notes.RECEIPT, note_id)

        await self._store.run(note_sent)
