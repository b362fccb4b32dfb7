"""Publications: what changes a row, who is woken, and in which order rows are read."""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import asyncpg
import pytest

from frontdesk.relay.client import RelayClient
from frontdesk.relay.connection import RelayError, RelayRefused
from frontdesk.relay.records import JournalEntry, Observation, Row, Shared
from postgres_server import Team, observation

from .relay_rows import Notices, everything, published, until_waiting

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def leading(team: Team, lines: Sequence[str] = ("*",)) -> AsyncIterator[tuple[RelayClient, int]]:
    """Connect noa's desk, which leads."""
    team.add("noa", lines, may_poll=True)
    async with team.desk("noa") as noa:
        token = await noa.lease(60)
        assert token is not None
        yield noa, token


async def test_what_differs_is_stored_at_the_next_positions(team: Team) -> None:
    async with leading(team) as (noa, token):
        assert await noa.observe(token, []) == 0
        assert await noa.observe(token, [observation("t-1"), observation("t-2")]) == 2
        assert await noa.observe(token, [observation("t-1", digest="d2")]) == 3
        assert published(team) == [(2, "task", "t-2", "d1"), (3, "task", "t-1", "d2")]
        assert await noa.position() == 3


async def test_an_answer_has_few_bytes_and_leaves_out_nothing_but_what_is_too_long(team: Team) -> None:
    team.execute(
        "UPDATE frontdesk.accounts SET position = 15; INSERT INTO frontdesk.observed SELECT 'acme', 'task',"
        " 't-' || n, 'l1', n, 1.0, 1, 'd', repeat('x', CASE n WHEN 3 THEN 1000001 ELSE 900000 END)"
        " FROM generate_series(1, 12) n;"
        "INSERT INTO frontdesk.observed VALUES ('acme', 'task', repeat('x', 4000), 'l1', 13, 1.0, 1, 'd', ''),"
        " ('acme', 'task', 't-14', 'l1', 14, 1.0, 1, repeat('x', 4000), '');"
        "INSERT INTO frontdesk.shared VALUES ('acme', 'note', repeat('x', 4000), '', 15, 'noa', '', now(), '')"
    )
    async with leading(team) as (noa, _):
        seen: list[list[int]] = []
        while part := await noa.since(seen[-1][-1] if seen else 0, 500):
            seen.append([row.position for row in part])
        assert seen == [[1, 2, 4, 5, 6], [7, 8, 9, 10, 11], [12]]
        assert [each.id for each in await noa.newest_tasks(2)] == ["t-11", "t-12"]


async def test_a_row_comes_back_as_it_was_published(team: Team) -> None:
    async with leading(team) as (noa, token):
        item = Observation(
            "task", 't-"1\\é\u05d0', "l1", 1000.25, "d1", '{"text": "\\u0000 \\ud83d שלום \U0001f600"}'
        )
        await noa.observe(token, [item])
        assert await noa.since(0, 10) == [Row(1, item)]
        assert await noa.messages([item.id]) == []
        message = Observation("message", '["c-1", "m-1"]', "l1", 1000.25, "d1", "{}")
        await noa.observe(token, [message])
        assert await noa.messages([message.id, "another"]) == [message]


async def test_the_newest_tasks_and_the_newest_page_of_a_thread_can_be_had_before_the_rest(team: Team) -> None:
    team.add("ines", ["l2"])
    async with leading(team) as (noa, token), team.desk("ines") as ines:
        pages = [f'["c-{thread}", "head", "m-{number}"]' for number in (1, 2) for thread in (1, 2)]
        items = [observation(each, kind="page") for each in pages]
        items += [observation(f"t-{number}", f"l{number}") for number in (1, 2, 3)]
        await noa.observe(token, [*items, observation("t-0", kind="gone")])
        assert [each.id for each in await noa.newest_tasks(3)] == ["t-2", "t-3", "t-0"]
        assert [each.id for each in await noa.newest_page('["c-1", "head"')] == [pages[2]]
        assert await noa.newest_page('["c-3", "head"') == []
        assert [each.id for each in await ines.newest_tasks(3)] == ["t-2"]
        assert await ines.newest_page('["c-1", "head"') == [], "it is of a line that she doesn't see"


async def test_text_that_the_database_cannot_store_does_not_stop_a_publication(team: Team) -> None:
    async with leading(team) as (noa, token):
        items = [
            Observation("task", "t-\ud83d\0", "l1", 1.0, "d1", '{"text": "\ud83d\0"}'),
            observation("t-2"),
        ]
        assert await noa.observe(token, items) == 2
        assert await noa.lacking(items) == []
        [row, _] = await noa.since(0, 10)
        assert row.item.body == '{"text": "\\ud83d"}'
        await noa.share("note", "n-1", "l1", '"\udfff\0"')
        [_, _, note] = await noa.since(0, 10)
        assert note.item.body == '"\\udfff"'


async def test_equal_and_older_observations_change_nothing_and_wake_nobody(team: Team) -> None:
    async with leading(team) as (noa, token):
        await noa.observe(token, [observation(asked_at=100.0, digest="d1")])
        before = everything(team, "accounts", "observed")
        listener = await asyncpg.connect(team.owner_url)
        notices = await Notices.of(listener)
        for asked_at, digest in ((100.0, "d1"), (90.0, "d1"), (90.0, "d2"), (104.0, "d1")):
            assert await noa.observe(token, [observation(asked_at=asked_at, digest=digest)]) == 1
        assert everything(team, "accounts", "observed") == before
        assert await noa.observe(token, [observation(asked_at=100.0, digest="d2")]) == 2
        assert await noa.observe(token, [observation(asked_at=110.0, digest="d1")]) == 3
        assert await notices.until_now(noa) == ["2", "3"]
        await listener.close()


async def test_an_answer_on_its_way_does_not_replace_what_was_read_again_meanwhile(team: Team) -> None:
    async with leading(team) as (noa, token):
        await noa.observe(token, [observation(asked_at=100.0, digest="d1")])
        assert await noa.observe(token, [observation(asked_at=200.0, digest="d1")]) == 1
        assert await noa.observe(token, [observation(asked_at=150.0, digest="d2")]) == 1


async def test_a_deleted_task_leaves_only_that_it_is_gone(team: Team) -> None:
    async with leading(team) as (noa, token):
        task = observation(asked_at=100.0)
        await noa.observe(token, [task])
        await noa.observe(token, [observation(asked_at=110.0, kind="gone")])
        assert published(team) == [(2, "gone", "t-1", "d1")]
        # It returns as it was: the desks that have removed it get it again.
        assert await noa.lacking([task]) == [task]
        await noa.observe(token, [observation(asked_at=120.0)])
        assert published(team) == [(3, "task", "t-1", "d1")]


@pytest.mark.parametrize(("kept", "late"), [("gone", "task"), ("task", "gone")])
async def test_a_late_answer_neither_deletes_a_task_nor_brings_it_back(team: Team, kept: str, late: str) -> None:
    async with leading(team) as (noa, token):
        await noa.observe(token, [observation(asked_at=110.0, kind=kept)])
        assert await noa.observe(token, [observation(asked_at=100.0, kind=late)]) == 1
        assert published(team) == [(1, kept, "t-1", "d1")]


async def test_a_report_brings_nothing_back_that_is_gone(team: Team) -> None:
    async with leading(team) as (noa, token):
        await noa.observe(token, [observation(asked_at=100.0, kind="gone")])
        with pytest.raises(RelayRefused, match="not observed"):
            await noa.report(await noa.claim("task t-1", 10) or 0, observation(asked_at=110.0))
        assert published(team) == [(1, "gone", "t-1", "d1")]


async def test_a_time_from_the_future_does_not_keep_newer_values_out(team: Team) -> None:
    async with leading(team) as (noa, token):
        await noa.observe(token, [observation(asked_at=1e12, digest="d1")])
        await noa.observe(token, [observation(asked_at=1e12, digest="d1")])
        assert await noa.observe(token, [observation(asked_at=1e12, digest="d2")]) == 2
        [row] = await noa.since(0, 10)
        assert isinstance(row.item, Observation)
        assert row.item.asked_at < 1e11


async def test_of_one_thing_twice_in_a_publication_the_last_stays(team: Team) -> None:
    async with leading(team) as (noa, token):
        same = [observation(asked_at=1.0, digest=each) for each in ("d1", "d2", "d2", "d3")]
        assert await noa.observe(token, same) == 3
        assert published(team) == [(3, "task", "t-1", "d3")]


async def test_a_publication_with_one_broken_item_stores_nothing(team: Team) -> None:
    async with leading(team) as (noa, token):
        broken = Observation("task", "t-2", "l1", 1.0, None, "{}")  # type: ignore[arg-type]
        with pytest.raises(RelayError):
            await noa.observe(token, [observation("t-1"), broken])
        assert published(team) == []
        assert await noa.observe(token, [observation("t-1")]) == 1


async def test_what_lacks_is_told_by_kind_id_line_and_digest(team: Team) -> None:
    async with leading(team) as (noa, token):
        await noa.observe(token, [observation("t-1"), observation("t-2", "l2")])
        lacking = [
            observation("t-1", digest="d2"),
            observation("t-1", line_id="l2"),
            observation("t-1", kind="gone"),
            observation("t-3"),
        ]
        assert await noa.lacking([observation("t-1"), *lacking, observation("t-2", "l2")]) == lacking
        assert await noa.lacking([]) == []


async def test_what_moved_to_another_line_is_published_under_it(team: Team) -> None:
    async with leading(team) as (noa, token):
        team.add("dan", ["l2"])
        await noa.observe(token, [observation("t-1", "l1", 1.0)])
        assert await noa.observe(token, [observation("t-1", "l2", 2.0)]) == 2
        async with team.desk("dan") as dan:
            assert [row.position for row in await dan.since(0, 10)] == [2]


async def test_a_leader_replaces_nothing_outside_its_lines(team: Team) -> None:
    async with leading(team) as (noa, token):
        await noa.observe(token, [observation("t-1", "l2", 1.0)])
        team.execute("UPDATE frontdesk.grants SET line_id = 'l1'")
        before = everything(team, "observed")
        for line in ("l1", ""):
            for kind in ("task", "gone"):
                assert await noa.observe(token, [observation("t-1", line, 2.0, "d2", kind)]) == 1
        with pytest.raises(RelayError):
            await noa.observe(token, [observation("t-1", "l2", 2.0, "d2")])
        assert everything(team, "observed") == before


async def test_one_foreign_line_refuses_the_whole_publication(team: Team) -> None:
    async with leading(team, ["l1"]) as (noa, token):
        with pytest.raises(RelayError, match="no rights"):
            await noa.observe(token, [observation("t-1", "l1"), observation("t-2", "l2")])
        assert published(team) == []


async def test_the_right_to_poll_for_one_line_is_none_for_another(team: Team) -> None:
    async with leading(team, ["l1"]) as (noa, token):
        team.add("noa", ["l2"], may_poll=False)
        with pytest.raises(RelayError, match="may not poll"):
            await noa.observe(token, [observation("t-2", "l2")])
        assert published(team) == []


async def test_a_publication_wakes_every_desk_once(team: Team) -> None:
    async with leading(team) as (noa, token):
        team.add("dan", ["l2"])
        woken = asyncio.Event()
        async with team.desk("dan", notified=woken.set):
            await noa.observe(token, [observation(f"t-{n}", "l1") for n in range(20)])
            await asyncio.wait_for(woken.wait(), 60)


async def test_a_notice_holds_a_number_and_nothing_else(team: Team) -> None:
    """Any role of the database may listen to any channel."""
    team.execute("DROP ROLE IF EXISTS stranger; CREATE ROLE stranger LOGIN PASSWORD 'x'")
    async with leading(team) as (noa, token):
        address = team.address("stranger")
        stranger = await asyncpg.connect(
            host=address.host, user="stranger", password="x", database=team.database, ssl=False
        )
        notices = await Notices.of(stranger)
        await noa.observe(token, [observation("t-1", digest="a digest")])
        await noa.share("note", "n-1", "l1", '{"text": "a note"}')
        claim = await noa.claim("task t-1", 10) or 0
        await noa.report(claim, observation("t-1", digest="another"))
        await noa.unclaim(claim)
        await noa.look([("l1", '{"open": "c-1"}')], 3)
        await noa.leave()
        await noa.release(token)
        heard = await notices.until_now(noa)
        await stranger.close()
    team.execute("DROP ROLE stranger")
    assert heard == ["1", "2", "3", "0"]


async def test_a_publication_waits_for_the_one_before_it_and_positions_have_no_holes(team: Team) -> None:
    async with leading(team) as (noa, token):
        team.add("dan", ["*"])
        async with team.desk("dan") as dan, team.desk("dan") as follower:
            first = noa._connection.transaction()
            await first.start()
            await noa.observe(token, [observation("t-1")])
            second = asyncio.create_task(dan.share("note", "n-1", "l1", "{}"))
            await until_waiting(team)
            assert await follower.since(0, 10) == []
            await first.commit()
            await second
            assert [row.position for row in await follower.since(0, 10)] == [1, 2]

            undone = noa._connection.transaction()
            await undone.start()
            await noa.observe(token, [observation("t-2")])
            await undone.rollback()
            assert await noa.observe(token, [observation("t-3")]) == 3


async def test_a_claim_and_a_journal_entry_do_not_wait_for_a_publication(team: Team) -> None:
    async with leading(team) as (noa, token):
        team.add("dan", ["*"])
        async with team.desk("dan") as dan:
            publication = noa._connection.transaction()
            await publication.start()
            await noa.observe(token, [observation("t-1")])
            assert await dan.claim("task t-1", 10) is not None
            await dan.record(journal_entry())
            await publication.commit()


def journal_entry() -> JournalEntry:
    return JournalEntry(0.0, "", "", "l1", "", "assign", "task t-1", '"a"', '"b"', "confirmed")


async def follow_all(follower: RelayClient, newest: int, limit: int) -> list[Row]:
    """Read on until the newest position."""
    rows: list[Row] = []
    while not rows or rows[-1].position < newest:
        rows += await follower.since(rows[-1].position if rows else 0, limit)
    return rows


@pytest.mark.parametrize("limit", [1, 2, 7])
async def test_a_follower_beside_publishers_sees_every_position_in_order(team: Team, limit: int) -> None:
    """Two publishers with open transactions; each row is another thing, so that none replaces another."""
    draw = random.Random(limit)
    count = 30
    async with leading(team) as (noa, token):
        team.add("dan", ["*"])
        async with team.desk("dan") as dan, team.desk("dan") as follower:

            async def publish() -> None:
                for n in range(count):
                    async with noa._connection.transaction():
                        await noa.observe(
                            token, [observation(f"t-{n}-{each}") for each in range(draw.randint(1, 4))]
                        )
                        await asyncio.sleep(0)
                        await noa.observe(token, [observation(f"t-{n}-x")])

            async def share() -> None:
                for n in range(count):
                    async with dan._connection.transaction():
                        for each in range(draw.randint(1, 3)):
                            await dan.share("note", f"n-{n}-{each}", "l1", "{}")
                            await asyncio.sleep(0)

            seen: list[Row] = []

            async def follow() -> None:
                while not done.is_set() or await follower.position() > (seen[-1].position if seen else 0):
                    seen.extend(await follower.since(seen[-1].position if seen else 0, limit))

            done = asyncio.Event()
            following = asyncio.create_task(follow())
            await asyncio.gather(publish(), share())
            done.set()
            await following
            newest = await noa.position()
    assert [row.position for row in seen] == [*range(1, newest + 1)]
    assert {type(row.item) for row in seen} == {Observation, Shared}


async def test_reading_on_in_parts_skips_no_row_of_either_table(team: Team) -> None:
    """Observations and notes at random positions, some replaced and so moved, some of another's lines."""
    draw = random.Random(20)
    async with leading(team) as (noa, token):
        team.add("dan", ["l1", "l3"])
        for _ in range(120):
            number, line = draw.randrange(40), f"l{draw.randint(1, 3)}"
            if draw.random() < 0.5:
                await noa.observe(token, [observation(f"t-{number}", line, digest=str(draw.random()))])
            else:
                await noa.share("note", f"n-{number}", line, str(draw.random()))
        stored = sorted(
            int(position)
            for [position] in team.execute(
                "SELECT position FROM frontdesk.observed WHERE line_id <> 'l2'"
                " UNION ALL SELECT position FROM frontdesk.shared WHERE line_id <> 'l2'"
            )
        )
        async with team.desk("dan") as dan:
            for limit in (1, 2, 3, 5, 17, 500):
                rows = await follow_all(dan, stored[-1], limit)
                assert [row.position for row in rows] == stored


async def test_reading_on_while_rows_move_brings_the_newest_value_of_everything(team: Team) -> None:
    draw = random.Random(4)
    async with leading(team) as (noa, token), team.desk("noa") as follower:
        known: dict[str, str] = {}
        position = 0
        for _ in range(150):
            if draw.random() < 0.6:
                number, digest = draw.randrange(12), str(draw.random())
                if draw.random() < 0.5:
                    await noa.observe(token, [observation(f"t-{number}", digest=digest)])
                else:
                    await noa.share("view", f"v-{number}", "", digest)
            else:
                for row in await follower.since(position, draw.randint(1, 3)):
                    assert row.position > position
                    position, known[row.item.id] = row.position, row.item.body
        for row in await follow_all(follower, await noa.position(), 3):
            if row.position > position:
                known[row.item.id] = row.item.body
        stored = dict(
            tuple(row)
            for row in team.execute(
                "SELECT id, body FROM frontdesk.observed UNION ALL SELECT id, body FROM frontdesk.shared"
            )
        )
    assert known == stored


async def test_old_messages_and_pages_are_deleted_and_tasks_stay(team: Team) -> None:
    async with leading(team) as (noa, token):
        team.execute("UPDATE frontdesk.accounts SET retention_days = 2")
        now = observation().asked_at
        kinds = ("task", "message", "page", "gone")
        for age, name in ((2.1, "old"), (1.9, "new")):
            items = [observation(f"{name} {each}", asked_at=now - age * 86_400, kind=each) for each in kinds]
            await noa.observe(token, items)
        await noa.share("note", "n-1", "l1", "{}")
        assert not await noa.retain()
        left = {key for _, _, key, _ in published(team)}
        assert left == {"old task", *(f"new {each}" for each in kinds)}
        assert [row.item.id for row in await noa.since(8, 10)] == ["n-1"]
        assert await noa.position() == 9


async def test_what_is_old_is_deleted_in_parts(team: Team) -> None:
    async with leading(team) as (noa, _):
        team.execute(
            "INSERT INTO frontdesk.observed"
            " SELECT 'acme', 'message', n, 'l1', n, n, 1, '', '' FROM generate_series(1, 5001) n"
        )
        assert await noa.retain()
        assert team.execute("SELECT id FROM frontdesk.observed") == [["5001"]]  # the newest
        assert not await noa.retain()
        assert published(team) == []


async def test_only_who_may_poll_deletes_what_is_old(team: Team) -> None:
    team.add("dan")
    async with team.desk("dan") as dan:
        with pytest.raises(RelayError, match="may not poll"):
            await dan.retain()


async def test_the_tasks_up_to_a_position_are_told_without_their_bodies(team: Team) -> None:
    team.add("noa", may_poll=True)
    async with team.desk("noa") as noa:
        token = await noa.lease(10) or 0
        position = await noa.observe(token, [observation("t-1"), observation("t-2")])
        await noa.observe(token, [observation("t-3")])
        found = await noa.tasks(position)
        assert [(each.kind, each.id, each.body) for each in found] == [("task", "t-1", ""), ("task", "t-2", "")]
