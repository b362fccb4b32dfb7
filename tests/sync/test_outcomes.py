"""Single outcomes are read out of the recipients' threads, over the sandbox, behind everything else."""

import asyncio
import csv
import json
from pathlib import Path

import pytest

from frontdesk.contract.ids import CampaignId
from frontdesk.sandbox import fixtures
from frontdesk.store import campaigns, outcomes
from frontdesk.store.presence import Looking
from frontdesk.store.records import Order, OutcomesRecord
from sandbox.asking import Sandbox
from sync.works import Start, Works, run

SURVEY = CampaignId("cmp-delivery-survey")
BY_TAGS = CampaignId("cmp-back-in-stock")
PEOPLE = 240


def truth(sandbox: Sandbox) -> dict[str, str]:
    """The status in the thread of everybody whom the survey wrote to."""
    rows = sandbox.world.storage.rows(
        "SELECT customer, json FROM messages WHERE account=? AND line=? AND json_extract(json, '$.initiator')="
        "'campaign' AND customer IN (SELECT customer FROM recipients JOIN campaigns ON number=campaign WHERE id=?)"
        " ORDER BY created_at DESC",
        fixtures.ACCOUNT,
        fixtures.DELIVERIES_LINE,
        SURVEY,
    )
    return {customer: json.loads(text)["status"] for customer, text in rows}


def record(it: Works, campaign_id: CampaignId = SURVEY) -> OutcomesRecord:
    return it.desk.reads.outcomes(campaign_id)


def asked(it: Works) -> int:
    return it.line.paths()["/getMessages"]


async def watched(it: Works, campaign_id: CampaignId = SURVEY) -> None:
    it.desk.watch_campaign(campaign_id)
    await it.until(lambda: any(each.name for each in it.desk.reads.campaigns()))


def private_rows(path: Path) -> list[dict[str, str]]:
    assert path.stat().st_mode & 0o077 == 0
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


async def failed_ones_become_a_list(it: Works, path: Path) -> None:
    failed = [each for each in record(it).groups if each.status == "failed"]
    saved = await asyncio.wrap_future(it.desk.save_list(SURVEY, failed, path))
    assert saved == sum(each.count for each in failed)
    rows = private_rows(path)
    expected = {row[0] for row in outcomes.of_campaign(it.store.reading, SURVEY) if row[1] == "failed"}
    assert {row["phoneNumberId"] for row in rows} == expected
    assert all(row["customerName"] for row in rows)
    with pytest.raises(FileExistsError):
        await asyncio.wrap_future(it.desk.save_list(SURVEY, failed, path))


def test_everybody_on_a_list_is_told_as_their_thread_does_and_the_failed_are_a_list(
    works: Start, sandbox: Sandbox, tmp_path: Path
) -> None:
    async def story() -> None:
        async with works() as it:
            await watched(it)
            it.desk.check_outcomes(SURVEY, PEOPLE)
            await it.until(lambda: record(it).state == "done")
            found = record(it)
            assert (found.checked, found.total) == (PEOPLE, PEOPLE)
            stored = {row[0]: row[1] for row in outcomes.of_campaign(it.store.reading, SURVEY)}
            really = truth(sandbox)
            assert {who: status for who, status in stored.items() if who in really} == {
                who: status for who, status in really.items() if who in stored
            }
            assert set(stored) - set(really) == {
                who for who, status in stored.items() if status == "no conversation"
            }
            failed = [each for each in found.groups if each.status == "failed"]
            assert failed
            assert all(each.code and each.title for each in failed)
            assert sum(each.count for each in found.groups) == PEOPLE
            await failed_ones_become_a_list(it, tmp_path / "failed.csv")

    run(story)


def test_it_is_stopped_and_goes_on_after_a_restart_without_reading_anybody_twice(works: Start) -> None:
    async def first() -> None:
        async with works() as it:
            await watched(it)
            it.desk.check_outcomes(SURVEY, PEOPLE)
            await it.until(lambda: record(it).checked >= 20)
            it.desk.stop_outcomes(SURVEY)
            await it.until(lambda: outcomes.next_ask(it.store.reading) is None)
            assert record(it).state == "stopped"
            it.desk.check_outcomes(SURVEY, record(it).checked + 500)

    async def second() -> None:
        async with works() as it:
            before = {row[0]: row[4] for row in outcomes.of_campaign(it.store.reading, SURVEY)}
            assert len(before) >= 20
            await it.until(lambda: record(it).state == "done")
            after = {row[0]: row[4] for row in outcomes.of_campaign(it.store.reading, SURVEY)}
            assert record(it).checked == len(after) == PEOPLE
            assert {who: after[who] for who in before} == before

    run(first)
    run(second)


def test_it_ends_where_it_was_asked_to_and_floods_no_inbox(works: Start) -> None:
    async def story() -> None:
        async with works() as it:
            await watched(it)
            known = it.desk.reads.conversation_count()
            it.desk.check_outcomes(SURVEY, 25)
            await it.until(lambda: record(it).state == "done")
            assert record(it).checked == 25
            listed = {row[0] for row in outcomes.of_campaign(it.store.reading, SURVEY)}
            lines = it.desk.reads.conversation_count()
            assert lines >= known
            shown = [str(each) for each in it.desk.reads.conversation_ids(Order.ACTIVITY)]
            assert not [each for each in shown if each.split("#")[-1] in listed]

    run(story)


def test_of_an_audience_by_tags_it_says_that_it_cant_and_why(works: Start) -> None:
    async def story() -> None:
        async with works() as it:
            await watched(it, BY_TAGS)
            it.desk.check_outcomes(BY_TAGS, 50)
            await it.until(lambda: record(it, BY_TAGS).state == "failed")
            assert "tags" in record(it, BY_TAGS).problem

    run(story)


def test_nothing_is_read_while_polling_is_paused_and_a_refusal_of_one_thread_is_an_outcome(
    works: Start, sandbox: Sandbox
) -> None:
    async def story() -> None:
        async with works() as it:
            await watched(it)
            it.desk.look(Looking(screen="campaigns", paused=True, active_at=it.desk.clock()))
            await it.until(lambda: it.engine._poller.is_paused)
            it.desk.check_outcomes(SURVEY, 10)
            await it.until(lambda: record(it).total == PEOPLE)
            assert record(it).checked == 0
            fault = {"path": "/getMessages", "kind": "status", "status": 400, "times": 10_000}
            await sandbox.asked("PUT", "/sandbox/faults", json=[fault])
            it.desk.look_away()
            await it.until(lambda: record(it).state == "done")
            (group,) = record(it).groups
            assert (group.status, group.count) == ("unreadable", 10)

    run(story)


def test_a_platform_that_fails_is_waited_for_and_nothing_is_made_up(works: Start) -> None:
    async def story() -> None:
        async with works() as it:
            await watched(it)
            it.line.is_cut = True
            it.desk.check_outcomes(SURVEY, 10)
            await it.until(lambda: it.engine._backoff.health().state == "offline")
            assert record(it).checked == 0
            it.line.is_cut = False
            it.desk.ask_refresh()
            await it.until(lambda: record(it).state == "done")
            assert "unreadable" not in {each.status for each in record(it).groups}

    run(story)


def test_who_was_on_their_way_is_looked_at_again(works: Start) -> None:
    async def story() -> None:
        async with works() as it:
            await watched(it)
            (listed,) = it.desk.reads.recipients(SURVEY, 1) or ()
            assert isinstance(listed, dict)
            who = str(listed["phoneNumberId"]).removeprefix("+")
            row = (who, "inProcess", "", "", 5.0)
            it.store.write(lambda db: outcomes.put(db, SURVEY, [row], (), PEOPLE, 1)).result()  # type: ignore[list-item]
            it.desk.check_outcomes(SURVEY, 1)
            await it.until(lambda: record(it).state == "done")
            ((_, status, *_),) = outcomes.of_campaign(it.store.reading, SURVEY)
            assert status != "inProcess"
            assert asked(it) >= 1

    run(story)


def test_a_campaign_that_isnt_known_is_said(works: Start) -> None:
    async def story() -> None:
        async with works() as it:
            it.desk.check_outcomes(CampaignId("nobody's"), 5)
            await it.until(lambda: record(it, CampaignId("nobody's")).state == "failed")
            assert campaigns.watched(it.store.reading) == []

    run(story)
