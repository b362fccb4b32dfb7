"""Notes on their way to the relay under lost answers, kills, undo and redo: the team gets what the person sees."""

import asyncio
import contextlib
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import cast

import apsw
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from frontdesk.config.settings import Profile
from frontdesk.inbox.changes import NoteChangeHandler, NoteDraft
from frontdesk.inbox.store import conversations, notes
from frontdesk.inbox.store.notes import TeamNote
from frontdesk.outbox import changes, queue
from frontdesk.outbox.undo import UndoRequest
from frontdesk.registry.changes import CHANGE_HANDLERS
from frontdesk.relay.client import RelayClient
from frontdesk.relay.connection import NotAllowed, RelayError, RelayUnreachable
from frontdesk.relay.records import Shared
from frontdesk.storage.records import NEEDS_PERSON, ChangeKind, ChangeState
from frontdesk.team.sharing import TeamSharing
from frontdesk_api.contract.ids import AgentId, ConversationId
from frontdesk_api.hosts import Hosts
from new_store import open_store
from services import Services

HERE, ME = ConversationId("L1#C1"), AgentId("agent-noa")


class FakeRelay:
    """A relay that takes rows, is away, loses its answers, or refuses."""

    desk = "desk"

    def __init__(self) -> None:
        self.mode = "fine"
        self.rows: dict[str, str] = {}
        self.first_bodies: list[str] = []

    async def share(self, kind: str, id: str, line_id: str, body: str) -> None:
        assert (kind, line_id) == ("note", "L1")
        if self.mode == "away":
            raise RelayUnreachable("away")
        if self.mode == "refuses":
            raise NotAllowed("no rights")
        if id not in self.rows:
            self.first_bodies.append(id)
        self.rows[id] = body
        if self.mode == "loses":
            raise RelayUnreachable("cut")


class Notes(RuleBasedStateMachine):
    """A desk whose person writes notes, and its relay."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.store = open_store(Path(self.folder.name) / "store")
        self.now = 1_000.0
        profile = Profile("test", Hosts(*["http://127.0.0.1:9"] * 5), agent_id=ME)
        self.services = Services(self.store, profile, clock=self.tick)
        self.write(lambda db: conversations.add_by_pair(db, HERE, "L1", "C1"))
        self.relay = FakeRelay()
        self.start()

    def start(self) -> None:
        self.sharing = TeamSharing(self.store, self.tick, NoteChangeHandler().show)
        self.sharing.agent_id = ME

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.settle()
            self.store.close()
            self.folder.cleanup()

    def tick(self) -> float:
        self.now += 1.0
        return self.now

    def write(self, job: Callable[[apsw.Connection], object]) -> None:
        self.store.write(job).result()

    def seen(self) -> list[TeamNote]:
        return notes.of_conversation(self.store.reading, HERE, ME)

    def wanted(self) -> dict[str, str]:
        """What the person sees as the team's, or on its way there."""
        return {each.note_id: each.text for each in self.seen() if each.state not in NEEDS_PERSON}

    def step(self) -> None:
        with contextlib.suppress(RelayError):
            asyncio.run(self.sharing.step(cast(RelayClient, self.relay)))

    @rule(text=st.sampled_from(["one", "two", "@Dan three"]))
    def write_note(self, text: str) -> None:
        self.services.inbox.write_note(NoteDraft(HERE, text)).result()

    @precondition(lambda self: self.seen())
    @rule(data=st.data())
    def take_back(self, data: st.DataObject) -> None:
        note = data.draw(st.sampled_from(self.seen()))
        if note.state is ChangeState.REFUSED:
            self.services.outbox.drop(note.change_id).result()
        elif note.change_id:
            self.services.outbox.undo(UndoRequest(changes=(note.change_id,))).result()
        else:
            self.services.inbox.take_note_back(note, self.services.outbox).result()

    @rule()
    def undo(self) -> None:
        self.services.outbox.undo().result()

    @rule()
    def redo(self) -> None:
        self.services.outbox.redo().result()

    @rule(mode=st.sampled_from(["fine", "away", "loses", "refuses"]))
    def send(self, mode: str) -> None:
        before = self.wanted()
        self.relay.mode = mode
        self.step()
        self.relay.mode = "fine"
        if mode != "refuses":
            assert self.wanted() == before

    @rule()
    def follow(self) -> None:
        """The relay's rows come back, in any order, maybe again."""
        before = self.wanted()
        for note_id, body in self.relay.rows.items():
            row = Shared("note", note_id, "L1", ME, self.now, body)
            if not any(
                note_id in change.fields for change in queue.unsettled(self.store.reading, ChangeKind.NOTE)
            ):
                self.write(lambda db, row=row: self.sharing.apply(db, row))  # type: ignore[misc]
        assert self.wanted() == before

    @rule()
    def kill_while_sending(self) -> None:
        """End behind the claim: the relay may have it or not."""
        before = self.wanted()
        waiting = [
            each
            for each in queue.unsettled(self.store.reading, ChangeKind.NOTE)
            if each.state is ChangeState.QUEUED
        ]
        for change in waiting[:1]:
            self.write(lambda db, change=change: queue.claim(db, [change], "dead", self.now))  # type: ignore[misc]
        self.write(lambda db: queue.mark_orphans_unknown(db, self.now))
        self.write(lambda db: changes.rebuild_overlay(db, CHANGE_HANDLERS))
        self.start()
        assert self.wanted() == before

    @invariant()
    def nothing_is_there_twice(self) -> None:
        if hasattr(self, "relay"):
            ids = [each.note_id for each in self.seen()]
            assert len(ids) == len(set(ids))
            assert len(self.relay.first_bodies) == len(set(self.relay.first_bodies))

    def settle(self) -> None:
        """In the end the team has exactly what the person sees, and nothing waits."""
        before = self.wanted()
        self.step()
        assert not [each for each in self.seen() if each.is_pending]
        texts = {each: json.loads(body)["text"] for each, body in self.relay.rows.items() if body}
        assert self.wanted() == before == texts


TestNotes = pytest.mark.slow(Notes.TestCase)
TestNotes.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
