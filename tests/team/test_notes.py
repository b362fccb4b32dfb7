"""Notes of a team: they reach every desk once, wait while the relay is away, and are taken back."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from frontdesk.inbox.changes import NoteDraft
from frontdesk.inbox.commands import open_task
from frontdesk.outbox import queue
from frontdesk.registry.hand_over import hand_over
from frontdesk.storage.records import ChangeKind, ChangeState
from frontdesk_api.contract.ids import ConversationId, CustomerId, LineId
from postgres_server import Team
from sandbox.asking import Sandbox
from sync.running_engine import Works, run
from team.desks import Desks, conversations_of, follows, is_alone, leads, tasks_of
from team.people import AtDesk

pytestmark = pytest.mark.slow


@pytest.fixture
def desks(sandbox: Sandbox, team: Team, tmp_path: Path, filled_store: Path) -> Desks:
    return Desks(sandbox, team, tmp_path, filled_store)


@asynccontextmanager
async def two(desks: Desks) -> AsyncIterator[tuple[Works, Works, str]]:
    """Noa's desk that leads, Dan's that follows, and a conversation that both know."""
    async with desks.desk("noa") as noa, desks.desk("dan", may_poll=False) as dan:
        await noa.until(lambda: leads(noa) and noa.engine.has_read_all)
        await dan.until(lambda: follows(dan) and tasks_of(dan.store) == tasks_of(noa.store))
        yield noa, dan, conversations_of(noa.store)[0]


def test_a_note_reaches_the_other_desk_with_its_author_and_is_sent_nowhere_else(desks: Desks) -> None:
    async def test() -> None:
        async with two(desks) as (noa, dan, here):
            changed = noa.line.count("PATCH")
            AtDesk(noa, "noa").write(here, "he pays on Friday", "dan")
            await dan.until(lambda: AtDesk(dan, "dan").texts(here) == ["he pays on Friday"])
            (note,) = AtDesk(dan, "dan").notes(here)
            assert (note.author, note.mentions) == ("agent-noa", ("agent-dan",))
            await noa.until(lambda: AtDesk(noa, "noa").texts(here) == ["he pays on Friday"])
            assert noa.line.count("PATCH") == changed
            assert not [each for desk in (noa, dan) for each in desk.line.bodies if b"he pays on Friday" in each]
            assert AtDesk(dan, "dan").called(here) == note
            AtDesk(dan, "dan").open(here)
            assert AtDesk(dan, "dan").called(here) is None

    run(test)


def test_a_note_that_is_undone_goes_from_every_desk_and_can_be_written_again(desks: Desks) -> None:
    async def test() -> None:
        async with two(desks) as (noa, dan, here):
            AtDesk(noa, "noa").write(here, "a mistake")
            await dan.until(lambda: AtDesk(dan, "dan").texts(here))
            noa.services.outbox.undo().result()
            await dan.until(lambda: not AtDesk(dan, "dan").notes(here))
            noa.services.outbox.redo().result()
            await dan.until(lambda: AtDesk(dan, "dan").texts(here) == ["a mistake"])

    run(test)


def test_notes_wait_for_the_relay_and_come_in_their_order_once(desks: Desks, team: Team) -> None:
    async def test() -> None:
        async with two(desks) as (noa, dan, here):
            desks.cut("noa")
            await noa.until(lambda: is_alone(noa))
            for each in ("one", "two", "three"):
                AtDesk(noa, "noa").write(here, each)
            assert [each.is_pending for each in AtDesk(noa, "noa").notes(here)] == [True] * 3
            assert not AtDesk(dan, "dan").notes(here)
            desks.mend("noa")
            await dan.until(lambda: AtDesk(dan, "dan").texts(here) == ["one", "two", "three"])
            await noa.until(lambda: AtDesk(noa, "noa").texts(here) == ["one", "two", "three"])
        assert team.execute("SELECT count(*) FROM frontdesk.shared") == [["3"]]

    run(test)


def test_a_note_about_a_line_without_rights_is_refused_with_the_reason(desks: Desks) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa:
            await noa.until(lambda: leads(noa) and noa.engine.has_read_all)
            lines = sorted({str(json.loads(raw)["phoneNumberId"]) for raw in tasks_of(noa.store).values()})
            async with desks.desk("dan", lines=lines[:1], may_poll=False) as dan:
                await dan.until(lambda: follows(dan) and conversations_of(dan.store))
                foreign = next(each for each in conversations_of(noa.store) if lines[1] in each)
                customer = next(each for each in foreign.split("#") if each != lines[1])
                opened = dan.services.inbox.open_conversation(LineId(lines[1]), CustomerId(customer))
                foreign = opened.result()
                foreign = (
                    conversations_of(dan.store)[-1] if foreign not in conversations_of(dan.store) else foreign
                )
                AtDesk(dan, "dan").write(foreign, "not mine")
                await dan.until(lambda: AtDesk(dan, "dan").notes(foreign)[0].state is ChangeState.REFUSED)
                (note,) = AtDesk(dan, "dan").notes(foreign)
                assert "no rights" in note.reason
                dan.services.outbox.drop(note.change_id).result()
                assert not AtDesk(dan, "dan").notes(foreign)
                assert not AtDesk(noa, "noa").notes(foreign)

    run(test)


def test_a_note_of_an_engine_that_was_killed_while_it_sent_comes_once(desks: Desks, team: Team) -> None:
    async def test() -> None:
        async with two(desks) as (noa, dan, here):
            desks.cut("noa")
            await noa.until(lambda: is_alone(noa))
            AtDesk(noa, "noa").write(here, "half sent")
            (change,) = queue.unsettled(noa.store.reading, ChangeKind.NOTE)
            # As a kill behind the relay's answer leaves it: the relay has it, and the outbox doesn't know.
            noa.store.write(lambda db: queue.claim(db, [change], "a killed engine", 0.0)).result()
            desks.mend("noa")
            await dan.until(lambda: AtDesk(dan, "dan").texts(here) == ["half sent"])
            await noa.until(lambda: not queue.unsettled(noa.store.reading, ChangeKind.NOTE))
            (sent,), (came,) = AtDesk(noa, "noa").notes(here), AtDesk(dan, "dan").notes(here)
            assert sent.at == came.at == int(change.made_at)

    run(test)


def test_a_hand_over_calls_its_receiver_and_its_giver_sees_when_it_was_taken_up(desks: Desks) -> None:
    async def test() -> None:
        async with two(desks) as (noa, dan, here):
            giver, receiver = AtDesk(noa, "noa"), AtDesk(dan, "dan")
            task = open_task(noa.store.reading, ConversationId(here))
            assert task is not None
            draft = NoteDraft(ConversationId(here), "the refund is open", (), receiver.me)
            hand_over(giver.services.store, draft, task, 1_900_000_000).result()
            await dan.until(lambda: receiver.called(here) is not None)
            await dan.until(lambda: "1900000000" in tasks_of(dan.store)[task.task_id])
            assert receiver.me in tasks_of(dan.store)[task.task_id]
            assert giver.notes(here)[-1].taken_up_at is None
            receiver.open(here)
            await noa.until(lambda: giver.notes(here)[-1].taken_up_by == receiver.me)
            assert receiver.called(here) is None
            noa.services.outbox.undo().result()
            await dan.until(lambda: not receiver.notes(here))
            await dan.until(lambda: receiver.me not in tasks_of(dan.store)[task.task_id])

    run(test)
