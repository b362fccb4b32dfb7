"""What desks show and share: their names, who looks at what, notes, read markers and the journal."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import asyncpg
import pytest

from frontdesk.relay import client
from frontdesk.relay.client import RelayClient
from frontdesk.relay.connection import RelayRefused
from frontdesk.relay.records import JournalEntry, Shared
from postgres_server import Team

from .relay_rows import TABLES, everything

pytestmark = pytest.mark.anyio

ENTRY = JournalEntry(0.0, "somebody", "else", "l1", "c-1", "assign", "task t-1", '"noa"', '"dan"', "confirmed")


@asynccontextmanager
async def two_desks(team: Team) -> AsyncIterator[tuple[RelayClient, RelayClient]]:
    team.add("noa")
    team.add("dan", ["l2"])
    async with team.desk("noa") as noa, team.desk("dan") as dan:
        yield noa, dan


# Desks


async def test_each_desk_of_a_team_has_a_name_of_its_own(team: Team) -> None:
    team.add("noa")
    desks = [await team.open("noa") for _ in range(5)]
    names = await asyncio.gather(*(desk.join("noa@vm") for desk in desks))
    assert sorted(names) == ["noa@vm", "noa@vm-2", "noa@vm-3", "noa@vm-4", "noa@vm-5"]
    assert await desks[0].join("noa@vm") == names[0]
    assert await desks[0].join("another") == desks[0].name == "another"
    assert await desks[1].join("x" * 200) == "x" * 80
    assert await desks[2].join("x" * 200) == "x" * 80 + "-2"
    for desk in desks:
        await desk.close()


async def test_a_desk_of_somebody_else_is_not_taken_over(team: Team) -> None:
    async with two_desks(team) as (noa, _):
        thief = await team.open("dan", noa.desk)
        with pytest.raises(RelayRefused, match="belongs to someone else"):
            await thief.join("dan")
        team.execute("DELETE FROM frontdesk.grants WHERE role = 'noa'")
        assert await thief.join("dan's") == "dan's"
        await thief.close()


async def test_desks_that_were_not_seen_for_long_give_their_names_back(team: Team) -> None:
    async with two_desks(team) as (noa, dan):
        team.execute("UPDATE frontdesk.desks SET seen_at = seen_at - interval '91 days' WHERE name = 'noa'")
        assert await dan.join("noa") == "noa"
        assert await noa.join("noa") == "noa-2"


async def test_desks_are_counted_while_they_are_seen(team: Team) -> None:
    async with two_desks(team) as (noa, _):
        assert await noa.desk_count(60) == 2
        team.execute("UPDATE frontdesk.desks SET seen_at = seen_at - interval '2 min' WHERE name = 'dan'")
        assert await noa.desk_count(60) == 1


# What they show


async def test_desks_see_what_the_others_show(team: Team) -> None:
    async with two_desks(team) as (noa, dan):
        await noa.look([("l2", '{"open": "c-1"}')], 7)
        [looker] = await dan.lookers(60)
        assert (looker.desk, looker.agent_id, looker.name, looker.parts) == (
            noa.desk,
            "agent-noa",
            "noa",
            ('{"open": "c-1"}',),
        )
        assert 0 <= looker.age < 60
        assert await noa.lookers(60) == []
        await noa.look([("l1", "{}")], 8)
        assert await dan.lookers(60) == []
        await noa.look([("", "{}")], 9)
        assert len(await dan.lookers(60)) == 1
        team.execute("UPDATE frontdesk.lookers SET at = at - interval '2 min'")
        assert await dan.lookers(60) == []
        await noa.look([("", "{}"), ("l2", "{}")], 9)
        await noa.leave()
        assert await dan.lookers(60) == []


async def test_nobody_shows_or_ends_what_another_desk_shows(team: Team) -> None:
    async with two_desks(team) as (noa, dan):
        await noa.look([("", "{}")], 1)
        before = everything(team, "lookers")
        dan.desk = noa.desk
        await dan.leave()
        with pytest.raises(RelayRefused, match="not joined"):
            await dan.look([("", '{"false": 1}')], 1)
        assert everything(team, "lookers") == before


async def test_a_foreign_line_is_not_shown_as_looked_at(team: Team) -> None:
    async with two_desks(team) as (_, dan):
        await dan.look([("l1", "{}"), ("l2", "mine")], 1)
        assert team.execute("SELECT line_id, what FROM frontdesk.lookers") == [["l2", "mine"]]


async def test_each_sees_of_another_desk_what_it_shows_of_their_lines(team: Team) -> None:
    async with two_desks(team) as (noa, dan):
        team.add("gil")
        async with team.desk("gil") as gil:
            await noa.look([("", "head"), ("l1", "of line 1"), ("l2", "of line 2")], 1)
            assert [each.parts for each in await dan.lookers(60)] == [("head", "of line 2")]
            assert [each.parts for each in await gil.lookers(60)] == [("head", "of line 1", "of line 2")]
            await noa.look([("", "head"), ("l1", "of line 1")], 2)
            assert [each.parts for each in await dan.lookers(60)] == [("head",)]


async def test_of_what_the_others_show_only_changes_are_read(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[int]()
    of_client = RelayClient._rows

    async def counted(self: RelayClient, sql: str, *values: object) -> list[asyncpg.Record]:
        rows = await of_client(self, sql, *values)
        read.append(len(rows))
        return rows

    def let_time_pass(seconds: float) -> None:
        team.execute(f"UPDATE frontdesk.lookers SET changed_at = changed_at - {seconds} * interval '1 s'")

    async def shown_to(dan: RelayClient) -> list[tuple[str, ...]]:
        return [each.parts for each in await dan.lookers(60)]

    team.add("gil")
    async with two_desks(team) as (noa, dan), team.desk("gil") as gil:
        for desk, what in ((noa, "noa's"), (gil, "gil's")):
            await desk.look([("", what), ("l2", what)], 1)
        everything_shown = [("noa's", "noa's"), ("gil's", "gil's")]
        assert sorted(await shown_to(dan)) == sorted(everything_shown)
        let_time_pass(60)
        await noa.look([("", "noa's"), ("l2", "noa's")], 2)
        monkeypatch.setattr(RelayClient, "_rows", counted)
        assert sorted(await shown_to(dan)) == sorted(everything_shown)
        assert read == [0], "the same as before, looked at anew"
        await noa.look([("", "noa's"), ("l2", "changed")], 3)
        read.clear()
        assert sorted(await shown_to(dan)) == [("gil's", "gil's"), ("noa's", "changed")]
        assert read == [1]
        team.execute("UPDATE frontdesk.lookers SET at = at - interval '2 min' WHERE desk = '" + gil.desk + "'")
        assert await shown_to(dan) == [("noa's", "changed")]
        await gil.look([("", "gil's"), ("l2", "gil's")], 4)
        assert sorted(await shown_to(dan)) == [("gil's", "gil's"), ("noa's", "changed")]


async def test_the_age_of_the_leaders_report_is_current_though_nothing_in_it_changes(team: Team) -> None:
    team.add("noa", may_poll=True)
    team.add("dan")
    async with team.desk("noa") as noa, team.desk("dan") as dan:
        await noa.lease(60)
        await noa.look([("", "{}")], 1)
        await dan.lookers(60)
        team.execute("UPDATE frontdesk.lookers SET changed_at = '-infinity', at = at - interval '30 s'")
        [looker] = await dan.lookers(60, noa.desk)
        assert 30 <= looker.age < 60
        team.execute("DELETE FROM frontdesk.lookers")
        assert await dan.lookers(60, noa.desk) == []


async def test_what_was_deleted_is_shown_until_all_is_read_again(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows are deleted where a person or a customer is removed; a right that ends hides some."""
    async with two_desks(team) as (noa, dan):
        await noa.look([("", "{}")], 1)
        assert len(await dan.lookers(60)) == 1
        team.execute("DELETE FROM frontdesk.lookers")
        monkeypatch.setattr(client, "WHOLE_LOOK_SECONDS", 0.0)
        assert await dan.lookers(60) == []


async def test_what_was_shown_long_ago_is_deleted_by_the_leader(team: Team) -> None:
    team.add("noa", may_poll=True)
    team.add("dan")
    async with team.desk("noa") as noa, team.desk("dan") as dan:
        for desk in (noa, dan):
            await desk.look([("", "{}")], 1)
        team.execute("UPDATE frontdesk.lookers SET at = at - interval '61 min' WHERE desk = '" + dan.desk + "'")
        await noa.retain()
        assert team.execute("SELECT desk FROM frontdesk.lookers") == [[noa.desk]]


async def test_a_long_report_is_kept_whole_or_refused(team: Team) -> None:
    async with two_desks(team) as (noa, dan):
        await noa.look([("", "x" * 90_000)], 1)
        with pytest.raises(RelayRefused, match="longer than 100000 bytes"):
            await noa.look([("", "x" * 100_000)], 1)
        [looker] = await dan.lookers(60)
        assert looker.parts == ("x" * 90_000,)
        team.add("gil", may_poll=True)
        async with team.desk("gil") as gil:
            await gil.look([("", "x" * 900_000)], 1)
            with pytest.raises(RelayRefused, match="longer than 1000000 bytes"):
                await gil.look([("", "x" * 1_000_000)], 1)


# Notes and read markers


async def test_notes_come_back_with_their_author_and_wake_the_others(team: Team) -> None:
    async with two_desks(team) as (noa, dan):
        woken = asyncio.Event()
        async with team.desk("dan", notified=woken.set):
            await noa.share("note", "n-1", "l2", '{"text": "call back"}')
            await asyncio.wait_for(woken.wait(), 60)
        [row] = await dan.since(0, 10)
        assert isinstance(row.item, Shared)
        assert (row.item.kind, row.item.id, row.item.line_id, row.item.agent_id, row.item.body) == (
            "note",
            "n-1",
            "l2",
            "agent-noa",
            '{"text": "call back"}',
        )


async def test_the_same_note_again_changes_nothing(team: Team) -> None:
    async with two_desks(team) as (noa, _):
        await noa.share("note", "n-1", "l2", "{}")
        before = everything(team)
        await noa.share("note", "n-1", "l2", "{}")
        assert everything(team) == before


@pytest.mark.parametrize("kind", ["note", "view"])
async def test_nobody_changes_or_takes_back_what_is_anothers(team: Team, kind: str) -> None:
    async with two_desks(team) as (noa, dan):
        await noa.share(kind, "n-1", "l2", '{"text": "mine"}')
        before = everything(team)
        for line in ("l2", ""):
            for body in ('{"text": "theirs"}', ""):
                with pytest.raises(RelayRefused, match="belongs to someone else"):
                    await dan.share(kind, "n-1", line, body)
        assert everything(team) == before
        await noa.share(kind, "n-1", "l2", "")
        [row] = await dan.since(0, 10)
        assert (row.position, row.item.body) == (2, "")


async def test_read_markers_are_everybodys_within_their_lines(team: Team) -> None:
    async with two_desks(team) as (noa, dan):
        await noa.share("read", "c-2", "l2", "1")
        await dan.share("read", "c-2", "l2", "2")
        assert [row.item.body for row in await noa.since(0, 10)] == ["2"]
        await noa.share("read", "c-1", "l1", "1")
        with pytest.raises(RelayRefused):
            await dan.share("read", "c-1", "l2", "2")
        with pytest.raises(RelayRefused, match="no rights"):
            await dan.share("read", "c-1", "l1", "2")


async def test_unknown_kinds_are_refused(team: Team) -> None:
    async with two_desks(team) as (noa, _):
        with pytest.raises(RelayRefused):
            await noa.share("task", "t-1", "l1", "{}")


# The journal


async def test_the_journal_names_who_has_logged_in_and_is_read_newest_first(team: Team) -> None:
    async with two_desks(team) as (noa, dan):
        await noa.record(ENTRY)
        await dan.record(JournalEntry(0.0, "", "", "l2", "", "status", "task t-2", "", "", "refused"))
        newest, first = await noa.journal(10)
        assert (first.role, first.agent_id, first.verb, first.before) == ("noa", "agent-noa", "assign", '"noa"')
        assert (newest.role, newest.agent_id, newest.line_id) == ("dan", "agent-dan", "l2")
        assert newest.at > first.at > 1e9
        assert await noa.journal(1) == [newest]
        assert await dan.journal(10) == [newest]


async def test_a_change_that_is_recorded_again_stands_once(team: Team) -> None:
    async with two_desks(team) as (noa, dan):
        team.add("dan", ["l1"])
        for _ in range(2):
            await noa.record(ENTRY)
            await dan.record(ENTRY)
            await noa.record(replace(ENTRY, ref=""))
        assert sorted((each.role, each.ref) for each in await noa.journal(10)) == [
            ("dan", "c-1"),
            ("noa", ""),
            ("noa", ""),
            ("noa", "c-1"),
        ]


async def test_an_entry_for_another_line_is_refused(team: Team) -> None:
    async with two_desks(team) as (_, dan):
        with pytest.raises(RelayRefused, match="no rights"):
            await dan.record(ENTRY)


async def test_nobody_changes_a_table_past_the_functions(team: Team) -> None:
    async with two_desks(team) as (noa, _):
        await noa.record(ENTRY)
        before = everything(team)
        for table in TABLES:
            for statement in ("DELETE FROM {}", "TRUNCATE {}", "UPDATE {} SET account = 'x'", "DROP TABLE {}"):
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    await noa._connection.execute(statement.format(f"frontdesk.{table}"))
        assert everything(team) == before
