"""What a desk records in its team's journal, and shares with the team, with a relay in memory."""

from pathlib import Path
from typing import Any

import apsw
import pytest

from app.fake_relay import FakeRelay
from frontdesk.inbox.store import conversations, notes
from frontdesk.outbox import queue
from frontdesk.relay.connection import RelayError
from frontdesk.storage.records import ChangeKind, ChangeState, Made
from frontdesk.tasks import store as tasks
from frontdesk.team import publisher as team_journal
from frontdesk.team.publisher import HIDDEN_CONVERSATION, TeamJournal
from frontdesk.team.sharing import UNKNOWN_LINE, TeamSharing
from frontdesk_api.contract.ids import ConversationId
from new_store import open_store
from sample_json import raw_task

pytestmark = pytest.mark.anyio

START = 1_800_000_000.0
HERE = ConversationId("L1#C1")


class Desk:
    """A store, its journal, and a clock that stands still until it is set."""

    def __init__(self, folder: Path):
        self.now = START
        self.store = open_store(folder)
        self.relay = FakeRelay()
        self.start()
        self.store.write(lambda db: tasks.put(db, [raw_task(1)])).result()

    def start(self) -> None:
        self.journal = TeamJournal(self.store, "acme", "desk", lambda: self.now)

    async def step(self) -> bool:
        return await self.journal.step(self.relay.as_client())

    async def record_all(self) -> None:
        while await self.step():
            pass

    def settle(self, count: int = 1, target: str = "t1", kind: ChangeKind = ChangeKind.TASK) -> None:
        """Settle changes, all at the clock's moment."""

        def write(db: apsw.Connection) -> None:
            for _ in range(count):
                self._settle_one(db, target, kind)

        self.store.write(write).result()

    def _settle_one(self, db: apsw.Connection, target: str, kind: ChangeKind) -> None:
        about: dict[str, Any] = {"fields": {"title": "after"}, "base": {"title": "before"}}
        each = queue.add(db, Made("b", "Edit", self.now), kind, target, **about)
        queue.claim(db, [change for change in queue.of_batch(db, "b") if change.change_id == each], "me", self.now)
        states = (ChangeState.SENDING,)
        assert queue.move(db, each, ChangeState.CONFIRMED, expected=states, now=self.now)

    @property
    def refs(self) -> list[str]:
        return [each.ref for each in self.relay.journal]


@pytest.fixture
async def desk(tmp_path: Path) -> Any:
    desk = Desk(tmp_path / "store")
    desk.settle()  # before it joins
    desk.now += 1
    await desk.step()
    desk.now += 1
    yield desk
    desk.store.close()


async def test_a_part_of_a_bulk_change_is_recorded_at_a_time(desk: Desk) -> None:
    desk.settle(120)
    assert await desk.step()
    assert len(desk.refs) == team_journal.PART
    await desk.record_all()
    assert len(desk.refs) == len(set(desk.refs)) == 120


async def test_what_is_recorded_is_not_recorded_again_after_a_failure(desk: Desk) -> None:
    desk.settle(40)
    desk.relay.fails_after = 30
    with pytest.raises(RelayError):
        await desk.step()
    desk.relay.fails_after = 1_000
    await desk.record_all()
    assert len(desk.refs) == len(set(desk.refs)) == 40


async def test_a_restart_amid_changes_of_one_moment_leaves_none_out(desk: Desk) -> None:
    desk.settle(120)
    await desk.step()
    desk.now += 3_600
    desk.start()
    await desk.record_all()
    assert len(set(desk.refs)) == 120


async def test_what_is_settled_after_the_clock_was_set_back_is_recorded(desk: Desk) -> None:
    desk.now += 600
    desk.settle()
    await desk.record_all()
    desk.now -= 120
    desk.settle()
    await desk.record_all()
    assert len(set(desk.refs)) == 2


async def test_values_of_what_belongs_to_no_known_line_stay_at_the_desk(desk: Desk) -> None:
    desk.settle(target="t1")
    desk.settle(target="removed")
    await desk.record_all()
    assert [(each.line_id, "before" in each.before, "after" in each.after) for each in desk.relay.journal] == [
        ("L1", True, True),
        ("", False, False),
    ]


async def test_a_conversation_of_no_known_line_is_not_named(desk: Desk) -> None:
    for target in (HERE, ConversationId("L2#C7")):
        desk.settle(target=target, kind=ChangeKind.TAGS)
    await desk.record_all()
    assert [each.target for each in desk.relay.journal] == [f"conversation {HERE}", HIDDEN_CONVERSATION]


async def test_a_note_about_a_conversation_of_no_known_line_is_rejected_with_the_reason(desk: Desk) -> None:
    sharing = TeamSharing(desk.store, lambda: desk.now, lambda _, __: None)

    def write(db: apsw.Connection) -> None:
        made = Made("n", "Add note", desk.now)
        queue.add(db, made, ChangeKind.NOTE, "L2#C7", {"n1": {"text": "call back"}}, {"n1": None})

    desk.store.write(write).result()
    await sharing.step(desk.relay.as_client())
    [change] = queue.of_batch(desk.store.reading, "n")
    assert (change.state, change.reason) == (ChangeState.REFUSED, UNKNOWN_LINE)
    assert not desk.relay.rows


async def test_a_receipt_waits_for_its_conversations_line(desk: Desk) -> None:
    sharing = TeamSharing(desk.store, lambda: desk.now, lambda _, __: None)
    sharing.agent_id = "agent-noa"
    unknown = ConversationId("elsewhere")
    desk.store.write(lambda db: queue.keep(db, notes.RECEIPT, "n1", unknown, desk.now)).result()
    await sharing.step(desk.relay.as_client())
    assert not desk.relay.rows
    desk.store.write(lambda db: conversations.add_by_pair(db, unknown, "L1", "C9")).result()
    await sharing.step(desk.relay.as_client())
    assert [row.item.line_id for row in desk.relay.rows.values()] == ["L1"]
