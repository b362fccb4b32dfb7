"""Desks of one team: one reads for all, and the others show what it has read."""

import json
import shutil
from pathlib import Path

import pytest

from frontdesk.outbox.conflicts import author
from frontdesk.relay.client import RelayClient
from frontdesk.storage import clients, team_state
from frontdesk.storage.records import ChangeState, Duty
from frontdesk.storage.team_state import Colleague
from frontdesk.team.access import TeamTimes
from postgres_server import Team
from sandbox.asking import Sandbox
from sync.running_engine import Clocks, Start, Works, run
from team.desks import (
    QUICK,
    Desks,
    conversations_of,
    edit,
    follows,
    is_alone,
    is_settled,
    leads,
    look_at,
    newest_change,
    read_requests,
    state,
    tasks_of,
    thread_of,
)

pytestmark = pytest.mark.slow


@pytest.fixture
def desks(sandbox: Sandbox, team: Team, tmp_path: Path, filled_store: Path) -> Desks:
    """Desks that have read everything before."""
    return Desks(sandbox, team, tmp_path, filled_store)


@pytest.fixture
def empty_desks(sandbox: Sandbox, team: Team, tmp_path: Path) -> Desks:
    """Desks that have read nothing before."""
    return Desks(sandbox, team, tmp_path)


def line_of(raw: str) -> str:
    return str(json.loads(raw)["phoneNumberId"])


def tasks_of_first_line(desk: Works) -> tuple[str, dict[str, str]]:
    """Return the first of a desk's lines, with its tasks."""
    tasks = tasks_of(desk.store)
    first = min(map(line_of, tasks.values()))
    return first, {each: raw for each, raw in tasks.items() if line_of(raw) == first}


def test_one_desk_reads_and_the_other_has_the_same_without_asking_the_platform(empty_desks: Desks) -> None:
    async def test() -> None:
        async with empty_desks.desk("noa") as noa:
            await noa.until(lambda: leads(noa))
            async with empty_desks.desk("dan", may_poll=False) as dan:
                await dan.until(lambda: follows(dan))
                assert (state(dan).leader, state(dan).leader_agent) == ("noa", "agent-noa")
                await noa.until(lambda: noa.engine.has_read_all)
                await dan.until(lambda: tasks_of(dan.store) == tasks_of(noa.store))
                # Its clock is compared with the relay's: the platform has told it no time.
                await dan.until(lambda: clients.health(dan.store.reading).clock_offset == pytest.approx(0, abs=5))
                for each in conversations_of(noa.store):
                    await dan.until(lambda each=each: thread_of(dan.store, each) == thread_of(noa.store, each))
                assert read_requests(dan) == []

    run(test)


def test_a_customers_message_reaches_the_desks_that_do_not_read(desks: Desks) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa, desks.desk("dan", may_poll=False) as dan:
            await noa.until(lambda: noa.engine.has_read_all)
            await dan.until(lambda: follows(dan) and conversations_of(dan.store) == conversations_of(noa.store))
            conversation_id = conversations_of(dan.store)[0]
            look_at(dan, conversation_id)
            said = {"participantsIdentifiers": conversation_id, "messageContent": "is anybody there?"}
            assert (await desks.sandbox.asked("POST", "/sandbox/messages", json=said)).is_success
            await dan.until(
                lambda: any("is anybody there?" in each for each in thread_of(dan.store, conversation_id)[0])
            )
            assert read_requests(dan) == []

    run(test)


def test_a_change_is_seen_by_the_others_before_they_read_it(desks: Desks) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa, desks.desk("dan", may_poll=False) as dan:
            await noa.until(lambda: leads(noa) and noa.engine.has_read_all)
            await dan.until(lambda: follows(dan) and tasks_of(dan.store) == tasks_of(noa.store))
            task_id = sorted(tasks_of(dan.store))[0]
            # The leader can't reach the platform from here on: it learns of the change from the relay.
            noa.line.is_cut = True
            edit(dan, task_id, "Changed by Dan")
            await noa.until(lambda: "Changed by Dan" in tasks_of(noa.store)[task_id])
            assert newest_change(dan, task_id).state is ChangeState.CONFIRMED

    run(test)


def author_at(desk: Works, task_id: str) -> str:
    """Return who made the change that this desk's newest one is in conflict with."""
    return author(desk.store.reading, newest_change(desk, task_id))


def test_of_edits_at_the_same_moment_none_is_overwritten_unseen(desks: Desks) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa, desks.desk("dan", may_poll=False) as dan:
            await noa.until(lambda: leads(noa) and noa.engine.has_read_all)
            await dan.until(lambda: follows(dan) and tasks_of(dan.store) == tasks_of(noa.store))
            task_ids = sorted(tasks_of(noa.store))[:12]
            for each in task_ids:
                edit(noa, each, f"Noa's {each}")
                edit(dan, each, f"Dan's {each}")
            await noa.until(lambda: is_settled(noa) and is_settled(dan))
            for each in task_ids:
                ends = [newest_change(desk, each).state for desk in (noa, dan)]
                assert sorted(ends) == [ChangeState.CONFIRMED, ChangeState.CONFLICT], each
            assert noa.line.count("PATCH") + dan.line.count("PATCH") == len(task_ids)
            for desk, other in ((noa, "agent-dan"), (dan, "agent-noa")):
                lost = [each for each in task_ids if newest_change(desk, each).state is ChangeState.CONFLICT]
                for each in lost:  # the journal says whose change it was
                    await desk.until(lambda d=desk, t=each, o=other: author_at(d, t) == o)

    run(test)


def test_the_next_desk_leads_at_once_when_the_leader_ends(desks: Desks) -> None:
    async def test() -> None:
        noa_desk = desks.desk("noa", times=TeamTimes())
        noa = await noa_desk.__aenter__()
        await noa.until(lambda: leads(noa))
        async with desks.desk("dan", times=TeamTimes()) as dan:
            await dan.until(lambda: follows(dan))
            await noa_desk.__aexit__(None, None, None)
            await dan.until(lambda: leads(dan), seconds=TeamTimes().lease - 2)
            await dan.until(lambda: read_requests(dan))

    run(test)


def test_a_leader_that_is_cut_off_is_followed_when_its_lease_is_over(desks: Desks) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa:
            await noa.until(lambda: leads(noa))
            async with desks.desk("dan") as dan:
                await dan.until(lambda: follows(dan))
                desks.cut("noa")
                await dan.until(lambda: leads(dan))
                await noa.until(lambda: is_alone(noa))
                assert "noa" in state(noa).reason
                number = len(noa.line.seen)
                await noa.until(lambda: read_requests(noa, number))  # alone, it reads for itself
                desks.mend("noa")
                await noa.until(lambda: follows(noa))
                number = len(noa.line.seen)
                await noa.until(lambda: tasks_of(noa.store) == tasks_of(dan.store))
                assert read_requests(noa, number) == []

    run(test)


def test_a_leader_that_stood_still_for_a_lease_says_so_before_it_asks_for_another(
    desks: Desks, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        clocks, seen, lease = Clocks(), list[Duty | None](), RelayClient.lease
        async with desks.desk("noa", clocks=clocks) as noa:

            async def note_state(relay: RelayClient, seconds: float) -> int | None:
                seen.append(state(noa).duty)
                return await lease(relay, seconds)

            await noa.until(lambda: leads(noa))
            clocks.stand()
            await noa.until(lambda: noa.engine.has_read_all)
            monkeypatch.setattr(RelayClient, "lease", note_state)
            clocks.go_on(QUICK.lease)
            await noa.until(lambda: seen)
            assert seen[0] is Duty.JOINING
            await noa.until(lambda: leads(noa))

    run(test)


def test_without_the_relay_each_desk_works_alone_and_says_why(desks: Desks) -> None:
    async def test() -> None:
        desks.cut("noa")
        async with desks.desk("noa") as noa:
            await noa.until(lambda: is_alone(noa))
            assert "noa" in state(noa).reason
            await noa.until(lambda: noa.engine.has_read_all)
            task_id = sorted(tasks_of(noa.store))[0]
            edit(noa, task_id, "Changed alone")
            await noa.until(lambda: is_settled(noa))
            assert newest_change(noa, task_id).state is ChangeState.CONFIRMED

    run(test)


def test_a_desk_sees_the_conversations_of_its_lines_alone(desks: Desks, empty_desks: Desks) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa:
            await noa.until(lambda: leads(noa) and noa.engine.has_read_all)
            line, wanted = tasks_of_first_line(noa)
            async with empty_desks.desk("dan", lines=[line], may_poll=False) as dan:
                await dan.until(lambda: tasks_of(dan.store) == wanted)
            assert 0 < len(wanted) < len(tasks_of(noa.store))

    run(test)


def test_a_restored_backup_is_applied_from_its_beginning(desks: Desks, team: Team) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa:
            await noa.until(lambda: leads(noa) and noa.engine.has_read_all)
            async with desks.desk("dan", may_poll=False) as dan:
                await dan.until(lambda: tasks_of(dan.store) == tasks_of(noa.store))
            task_id = sorted(tasks_of(noa.store))[0]
            is_there = f"SELECT 1 FROM frontdesk.observed WHERE kind = 'task' AND id = '{task_id}'"
            await noa.until(lambda: team.execute(is_there))
            team.execute(
                "UPDATE frontdesk.observed SET position = 1,"
                " body = jsonb_set(body::jsonb, '{title}', '\"Restored\"')"
                f" WHERE kind = 'task' AND id = '{task_id}';"
                "UPDATE frontdesk.accounts SET epoch = gen_random_uuid()"
            )
            async with desks.desk("dan", may_poll=False) as dan:
                await dan.until(lambda: "Restored" in tasks_of(dan.store)[task_id])

    run(test)


def test_a_row_that_no_desk_can_apply_keeps_no_other_waiting(desks: Desks, team: Team) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa, desks.desk("dan", may_poll=False) as dan:
            await noa.until(lambda: leads(noa) and noa.engine.has_read_all)
            await dan.until(lambda: follows(dan) and tasks_of(dan.store) == tasks_of(noa.store))
            position = "(SELECT position FROM frontdesk.accounts) + "
            bodies = ['{"taskId": 7}', "[1]", "nonsense", '{"conversation": 3, "ids": 4}', "{}", "[" * 20_000]
            kinds = ["task", "task", "page", "page", "kind of tomorrow", "page"]
            team.execute(
                "".join(
                    "INSERT INTO frontdesk.observed VALUES"
                    f" ('acme', '{kind}', 'x{at}', '', {position}{at + 1}, 0, 0, '', '{body}');"
                    for at, (kind, body) in enumerate(zip(kinds, bodies, strict=True))
                )
                + f"UPDATE frontdesk.accounts SET position = position + {len(kinds)}"
            )
            task_id = sorted(tasks_of(noa.store))[0]
            edit(noa, task_id, "Behind the broken rows")
            await dan.until(lambda: "Behind the broken rows" in tasks_of(dan.store)[task_id])

    run(test)


def test_what_a_desk_has_sent_stands_in_the_journal_once(desks: Desks, team: Team) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa:
            await noa.until(lambda: leads(noa) and noa.engine.has_read_all)
            task_id = sorted(tasks_of(noa.store))[0]
            edit(noa, task_id, "For the journal")
            await noa.until(lambda: is_settled(noa) and team.execute("SELECT 1 FROM frontdesk.journal"))
        async with desks.desk("noa") as noa:  # started again, it records nothing twice
            await noa.until(lambda: leads(noa))
        rows = team.execute("SELECT role, agent_id, target, after, outcome FROM frontdesk.journal")
        assert rows == [["noa", "agent-noa", f"task {task_id}", '{"title": "For the journal"}', "confirmed"]]

    run(test)


def test_colleagues_are_named_where_they_look(desks: Desks) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa, desks.desk("dan", may_poll=False) as dan:
            await noa.until(lambda: leads(noa) and noa.engine.has_read_all)
            await dan.until(lambda: follows(dan) and conversations_of(dan.store) == conversations_of(noa.store))
            conversation_id = conversations_of(noa.store)[0]
            dan_there = Colleague("agent-dan", "dan")
            look_at(dan, conversation_id)
            await noa.until(lambda: team_state.present(noa.store.reading) == {conversation_id: [dan_there]})
            look_at(dan, "")
            await noa.until(lambda: team_state.present(noa.store.reading) == {})

    run(test)


def test_what_the_leader_had_read_before_is_passed_on(desks: Desks, empty_desks: Desks) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa, empty_desks.desk("dan", may_poll=False) as dan:
            await dan.until(lambda: follows(dan) and tasks_of(dan.store) == tasks_of(noa.store))
            for each in conversations_of(noa.store):
                await dan.until(lambda each=each: thread_of(dan.store, each) == thread_of(noa.store, each))

    run(test)


def test_a_person_who_was_removed_goes_on_alone(desks: Desks, team: Team) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa, desks.desk("dan", may_poll=False) as dan:
            await noa.until(lambda: leads(noa) and follows(dan))
            team.execute("DELETE FROM frontdesk.grants WHERE role = 'dan'")
            desks.cut_connections("dan")
            await dan.until(lambda: is_alone(dan))
            assert "no rights" in state(dan).reason
            await dan.until(lambda: dan.engine.has_read_all)

    run(test)


@pytest.mark.parametrize("version", ["min_reader", "min_writer"])
def test_a_desk_that_is_too_old_for_its_team_goes_on_alone(desks: Desks, team: Team, version: str) -> None:
    async def test() -> None:
        team.execute(f"UPDATE frontdesk.accounts SET {version} = 99")
        async with desks.desk("noa") as noa:
            await noa.until(lambda: is_alone(noa))
            assert "update" in state(noa).reason

    run(test)


def test_a_desk_is_too_new_for_its_database_and_says_who_must_update(desks: Desks, team: Team) -> None:
    async def test() -> None:
        team.execute("UPDATE frontdesk.accounts SET schema = schema - 1")
        async with desks.desk("noa") as noa:
            await noa.until(lambda: is_alone(noa))
            assert "database is of an older frontdesk" in state(noa).reason
            assert "`frontdesk team init` again" in state(noa).reason

    run(test)


def test_a_newer_database_that_still_takes_this_version_is_used(desks: Desks, team: Team) -> None:
    async def test() -> None:
        team.execute("UPDATE frontdesk.accounts SET schema = schema + 1")
        async with desks.desk("noa") as noa:
            await noa.until(lambda: leads(noa))

    run(test)


def test_nobody_may_poll_so_each_desk_reads_for_itself(desks: Desks) -> None:
    async def test() -> None:
        times = TeamTimes(lease=0.5, look=0.2, alone_after=0.5)
        async with desks.desk("dan", may_poll=False, times=times) as dan:
            await dan.until(lambda: is_alone(dan))
            assert state(dan).reason == "no machine of the team polls the platform"
            await dan.until(lambda: read_requests(dan))
            number = len(dan.line.seen)
            await dan.until(lambda: read_requests(dan, number))
            assert state(dan).reason == "no machine of the team polls the platform"

    run(test)


def test_a_leader_that_pauses_or_is_refused_lets_another_desk_read(desks: Desks) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa:
            await noa.until(lambda: leads(noa))
            async with desks.desk("dan") as dan:
                await dan.until(lambda: follows(dan))
                clock = noa.services.store.clock
                noa.services.sync.report_focus(clients.Focus(screen="inbox", paused=True, active_at=clock()))
                await dan.until(lambda: leads(dan) and follows(noa))

    run(test)


def test_who_may_see_more_lines_gets_what_was_read_before(desks: Desks, empty_desks: Desks, team: Team) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa:
            await noa.until(lambda: leads(noa) and noa.engine.has_read_all)
            line, wanted = tasks_of_first_line(noa)
            async with empty_desks.desk("dan", lines=[line], may_poll=False) as dan:
                await dan.until(lambda: tasks_of(dan.store) == wanted)
            team.execute("UPDATE frontdesk.grants SET line_id = '*' WHERE role = 'dan'")
            async with empty_desks.desk("dan", may_poll=False) as dan:
                await dan.until(lambda: tasks_of(dan.store) == tasks_of(noa.store))

    run(test)


def test_a_run_without_the_team_says_nothing_of_it(desks: Desks, works: Start, tmp_path: Path) -> None:
    async def test() -> None:
        async with desks.desk("noa") as noa:
            await noa.until(lambda: leads(noa))
        shutil.copytree(tmp_path / "noa", tmp_path / "profile")
        async with works() as alone:
            await alone.until(lambda: state(alone) == team_state.NO_TEAM)

    run(test)
