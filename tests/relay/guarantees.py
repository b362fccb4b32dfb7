"""What the functions and policies of the relay guarantee, as checks that can be run on any version of the schema.

Each check takes a team without people, and fails with an AssertionError where its guarantee doesn't hold.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace

import asyncpg
import pytest

from frontdesk.relay.connection import NotAllowed, RelayRefused, StaleLeader
from frontdesk.relay.records import JournalEntry
from postgres_server import Team, observation

from .relay_rows import Notices, everything, observe_before, published, until_waiting

Guarantee = Callable[[Team], Awaitable[None]]


async def stale_tokens_are_refused(team: Team) -> None:
    """Nothing that a leader publishes after another one has taken over is taken."""
    for role in ("noa", "dan"):
        team.add(role, may_poll=True)
    async with team.desk("noa") as noa, team.desk("dan") as dan:
        first = await noa.lease(60) or 0
        team.execute("UPDATE frontdesk.leader SET until = clock_timestamp()")
        second = await dan.lease(60) or 0
        assert second > first
        for desk, token in ((noa, first), (noa, second), (dan, first)):
            with pytest.raises(StaleLeader):
                await desk.observe(token, [observation()])
        assert published(team) == []


async def only_pollers_lead(team: Team) -> None:
    """Whoever may not poll for the team publishes nothing."""
    team.add("dan")
    async with team.desk("dan") as dan:
        token = None
        with pytest.raises(RelayRefused):
            token = await dan.lease(60)
        assert token is None


async def positions_are_committed_in_their_order(team: Team) -> None:
    """A follower that reads beside two publishers with open transactions misses nothing."""
    team.add("noa", may_poll=True)
    team.add("dan")
    async with team.desk("noa") as noa, team.desk("dan") as dan, team.desk("dan") as follower:
        token = await noa.lease(60) or 0
        first = noa._connection.transaction()
        await first.start()
        await noa.observe(token, [observation("t-1")])
        second = asyncio.create_task(dan.share("note", "n-1", "", "{}"))
        await until_waiting(team, unless=second)
        seen = await follower.since(0, 10)
        await first.commit()
        await second
        seen += await follower.since(seen[-1].position if seen else 0, 10)
        assert [(row.position, row.item.id) for row in seen] == [(1, "t-1"), (2, "n-1")]


async def reports_need_their_claim(team: Team) -> None:
    """The answer to a change is taken from whoever has the claim of exactly its task."""
    team.add("noa")
    team.add("dan")
    observe_before(team, "t-1", "t-2")
    before = published(team)
    async with team.desk("noa") as noa, team.desk("dan") as dan:
        token = await noa.claim("task t-1", 15) or 0
        for desk, claim, task_id in (
            (noa, token, "t-2"),
            (noa, token + 1, "t-1"),
            (dan, token, "t-1"),
            (noa, 0, "t-1"),
        ):
            with pytest.raises(StaleLeader):
                await desk.report(claim, observation(task_id))
        assert published(team) == before


PLACE = (
    '{"taskId": "t-1", "phoneNumberId": "%s", "participantsIdentifiers": "%s",'
    ' "customer": {"phoneNumberId": "9725"}}'
)


async def reports_change_no_place(team: Team) -> None:
    """An answer to a change is taken of what the leader has published, with the same line and conversation."""
    team.add("noa", ["l1"])
    observe_before(team, "t-1", body=PLACE % ("l1", "l1#9725"))
    observe_before(team, "t-2", line_id="l2", body=PLACE % ("l2", "l2#9726"))
    before = published(team)
    async with team.desk("noa") as noa:
        for task_id, line_id, body in (
            ("t-3", "l1", PLACE % ("l1", "l1#9725")),
            ("t-1", "l1", PLACE % ("l1", "l1#9726")),
            ("t-1", "l1", PLACE % ("l2", "l1#9725")),
            ("t-1", "l1", PLACE.replace("t-1", "t-2") % ("l1", "l1#9725")),
            ("t-1", "l1", PLACE.replace('"9725"', '"9726"') % ("l1", "l1#9725")),
            ("t-1", "l1", "{"),
            ("t-1", "", PLACE % ("l1", "l1#9725")),
        ):
            token = await noa.claim(f"task {task_id}", 15) or 0
            with pytest.raises(NotAllowed):
                await noa.report(token, replace(observation(task_id, line_id), body=body))
        assert published(team) == before


async def the_leader_corrects_reports(team: Team) -> None:
    """What is reported never passes for what the leader has read, whatever digest it names."""
    team.add("noa", may_poll=True)
    team.add("dan")
    observe_before(team, "t-1")
    true = observation("t-1", digest="true")
    async with team.desk("noa") as noa, team.desk("dan") as dan:
        await dan.report(await dan.claim("task t-1", 15) or 0, replace(true, body='{"title": "false"}'))
        assert await noa.lacking([true]) == [true]


async def nothing_fat_is_taken(team: Team) -> None:
    """What every desk reads stays small enough to be read."""
    fat, long = "x" * 1_000_001, "x" * 5_001
    team.add("noa", may_poll=True)
    team.add("dan")
    observe_before(team, "t-1")
    async with team.desk("noa") as noa, team.desk("dan") as dan:
        token = await noa.lease(60) or 0
        claim = await dan.claim("task t-1", 15) or 0
        before = everything(team)
        items = [replace(observation("t-2"), body=fat), observation(long), observation("t-3", digest=long)]
        await noa.observe(token, items)
        for call in (
            lambda: dan.report(claim, replace(observation("t-1"), body=json.dumps(fat))),
            lambda: dan.claim(f"task {long}", 15),
            lambda: dan.share("note", long, "", ""),
            lambda: dan.share("note", "n-1", long, ""),
            lambda: dan.record(JournalEntry(0.0, "", "", long, "", "", "", "", "", "")),
            lambda: dan.look([("", fat)], 0),
        ):
            with pytest.raises(NotAllowed):
                await call()
        dan.desk = long
        with pytest.raises(NotAllowed):
            await dan.join("dan")
        assert everything(team) == before


async def nobody_writes_more_than_their_share(team: Team) -> None:
    """A person writes so much in an hour; the others aren't affected."""
    for role in ("noa", "dan"):
        team.add(role)
    observe_before(team, "t-1")
    async with team.desk("noa") as noa, team.desk("dan") as dan:
        claim = await noa.claim("task t-1", 15) or 0
        writes = (
            lambda desk: desk.claim("task t-2", 15),
            lambda desk: desk.share("note", f"n-{desk.name}", "", "{}"),
            lambda desk: desk.record(JournalEntry(0.0, "", "", "", "", "", "", "", "", "")),
            lambda desk: desk.report(claim, observation("t-1")),
        )
        team.execute("UPDATE frontdesk.quotas SET bytes = 99999999")
        for write in writes:
            with pytest.raises(NotAllowed, match="100 MB in this hour"):
                await write(noa)
        try:
            for write in writes[:3]:
                await write(dan)
            team.execute("UPDATE frontdesk.quotas SET hour = hour - interval '1 hour'")
            for write in writes[1:]:
                await write(noa)
        except NotAllowed as error:
            pytest.fail(str(error))


async def nobody_has_many_desks(team: Team) -> None:
    """A person has twenty desks, the newest ones, and what the others showed is gone."""
    team.add("noa")
    team.add("dan")
    async with team.desk("dan") as dan:
        await dan.look([("", "{}")], 0)
        async with team.desk("noa") as noa:
            for n in range(25):
                noa.desk = f"noa-{n}"
                await noa.join("noa")
                await noa.look([("", "{}")], 0)
        left = team.execute("SELECT DISTINCT desk FROM frontdesk.lookers")
        assert {desk for [desk] in left} == {dan.desk, *(f"noa-{n}" for n in range(5, 25))}


async def claims_have_one_winner(team: Team) -> None:
    """Of two desks that claim a task at the same time one gets it."""
    team.add("noa")
    team.add("dan")
    async with team.desk("noa") as noa, team.desk("dan") as dan:
        for n in range(20):
            tokens = await asyncio.gather(noa.claim(f"task t-{n}", 15), dan.claim(f"task t-{n}", 15))
            assert len([each for each in tokens if each is not None]) == 1


async def notices_hold_a_number(team: Team) -> None:
    """Any role of the database may listen to any channel: what is sent there says nothing."""
    team.add("noa", may_poll=True)
    listener = await asyncpg.connect(team.owner_url)
    notices = await Notices.of(listener)
    async with team.desk("noa") as noa:
        token = await noa.lease(60) or 0
        await noa.observe(token, [observation()])
        await noa.share("note", "n-1", "", '{"text": "secret"}')
        await noa.report(await noa.claim("task t-1", 15) or 0, observation(digest="d2"))
        await noa.release(token)
        heard = await notices.until_now(noa)
    await listener.close()
    assert len(heard) == 4
    assert all(each.isascii() and each.isdigit() for each in heard)


async def notes_stay_their_authors(team: Team) -> None:
    """Nobody changes another's note."""
    team.add("noa")
    team.add("dan")
    async with team.desk("noa") as noa, team.desk("dan") as dan:
        await noa.share("note", "n-1", "", "mine")
        before = everything(team, "shared")
        with pytest.raises(RelayRefused):
            await dan.share("note", "n-1", "", "theirs")
        assert everything(team, "shared") == before


async def rows_of_other_lines_are_not_replaced(team: Team) -> None:
    """A publication, a report or a read marker under one's own line leaves what stands under another."""
    team.add("noa", ["l1"], may_poll=True)
    async with team.desk("noa") as noa:
        claim = await noa.claim("task t-2", 15) or 0
        team.execute(
            "INSERT INTO frontdesk.observed VALUES ('acme', 'task', 't-2', 'l2', 1, 1.0, 1, 'd1', '{}');"
            "INSERT INTO frontdesk.shared VALUES ('acme', 'read', 'c-2', 'l2', 2, 'dan', '', now(), '1')"
        )
        before = everything(team, "observed", "shared")
        await noa.observe(await noa.lease(60) or 0, [observation("t-2", "l1", digest="d2")])
        with pytest.raises(RelayRefused):
            await noa.report(claim, observation("t-2", "l1", digest="d3"))
        with pytest.raises(RelayRefused):
            await noa.share("read", "c-2", "l1", "2")
        assert everything(team, "observed", "shared") == before


async def rows_of_other_lines_are_not_shown(team: Team) -> None:
    """Everybody reads their lines and what belongs to none."""
    team.add("noa", may_poll=True)
    team.add("dan", ["l1"])
    async with team.desk("noa") as noa, team.desk("dan") as dan:
        token = await noa.lease(60) or 0
        lines = ["", "l1", "l2"]
        await noa.observe(token, [observation(f"t-{line}", line) for line in lines])
        for line in lines:
            await noa.share("note", f"n-{line}", line, "{}")
        assert sorted(row.item.id for row in await dan.since(0, 10)) == ["n-", "n-l1", "t-", "t-l1"]
        await noa.look([("l2", "{}")], 0)
        assert await dan.lookers(60) == []
        await noa.claim("task t-l2", 15)
        assert await dan.claimed_by("task t-l2") == ""


TYPES = (
    "text",
    "name",
    "int2",
    "int4",
    "int8",
    "float8",
    "numeric",
    "bool",
    "jsonb",
    "json",
    "timestamptz",
    "interval",
)

SHADOWS = "\n".join(
    (
        "CREATE FUNCTION pg_temp.take() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN"
        " INSERT INTO frontdesk.grants VALUES ('acme', 'eve', '*', '', true);"
        " RETURN true; EXCEPTION WHEN insufficient_privilege OR unique_violation THEN RETURN true; END $$;",
        *(f"CREATE DOMAIN pg_temp.{each} AS pg_catalog.{each} CHECK (pg_temp.take());" for each in TYPES),
        *(
            f"CREATE TEMP TABLE {each} AS SELECT * FROM frontdesk.{each} WHERE false;"
            for each in ("accounts", "grants", "desks", "leader", "observed", "claims", "shared", "journal")
        ),
        "INSERT INTO pg_temp.grants VALUES ('acme', 'eve', '*', '', true);",
        "SET search_path = pg_temp, frontdesk, pg_catalog;",
    )
)
"""Names that the functions use, in a session's own schema."""


ITEM = """{"kind": "task", "id": "t-1", "line": "%s", "asked_at": 1, "digest": "d", "body": "{}"}"""

CALLS = (
    "frontdesk.join_desk('acme', 'd1', 'eve', 1)",
    """frontdesk.look('acme', 'd1', '[{{"line": "{line}", "what": "what"}}]', 1)""",
    "frontdesk.lease('acme', 'd1', 60)",
    "frontdesk.observe('acme', 1, '[{item}]')",
    "frontdesk.lacking('acme', '[{item}]')",
    "frontdesk.claim('acme', 'd1', 'task t-1', 60)",
    "frontdesk.report('acme', (SELECT max(token) FROM frontdesk.claims), '{item}')",
    "frontdesk.share('acme', 'note', 'n-1', '{line}', 'body')",
    "frontdesk.record('acme', '{line}', 'ref', 'verb', 'target', 'before', 'after', 'outcome')",
    "frontdesk.retain('acme')",
    "frontdesk.unclaim('acme', 1)",
    "frontdesk.release('acme', 1)",
    "frontdesk.leave('acme', 'd1')",
)


async def temporary_names_gain_nothing(team: Team) -> None:
    """Types, tables and functions that a session makes for itself are not used with the owner's rights."""
    team.add("eve", ["l1"])
    observe_before(team, "t-1")
    for line in ("l1", "l2"):
        eve = await team.open("eve")
        await eve._connection.execute(SHADOWS)
        for call in CALLS:
            with suppress(asyncpg.PostgresError):
                await eve._connection.execute(f"SELECT {call.format(line=line, item=ITEM % line)}")
        await eve.close()
    assert everything(team, "grants")["grants"] == ["(acme,eve,l1,agent-eve,f)"]
    assert everything(team, "leader")["leader"] == []
    for table, rows in everything(team, "observed", "shared", "journal").items():
        assert [row for row in rows if "l2" in row] == []
        assert len(rows) == 1, table  # what was allowed was done
    assert "reported" in str(everything(team, "observed"))


GUARANTEES: dict[str, Guarantee] = {
    each.__name__: each
    for each in (
        stale_tokens_are_refused,
        only_pollers_lead,
        positions_are_committed_in_their_order,
        reports_need_their_claim,
        reports_change_no_place,
        the_leader_corrects_reports,
        nothing_fat_is_taken,
        nobody_writes_more_than_their_share,
        nobody_has_many_desks,
        claims_have_one_winner,
        notices_hold_a_number,
        notes_stay_their_authors,
        rows_of_other_lines_are_not_replaced,
        rows_of_other_lines_are_not_shown,
        temporary_names_gain_nothing,
    )
}
