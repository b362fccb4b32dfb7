"""Single outcomes are read out of the recipients' threads, over the sandbox, behind everything else."""

import asyncio
import csv
import json
from pathlib import Path

import apsw
import httpx
import pytest

from api.client.fake_server import CREDENTIALS, HOSTS
from frontdesk.campaigns.delivery_results import DeliveryResultsRecord
from frontdesk.campaigns.recipients import save_list
from frontdesk.campaigns.store import campaigns, delivery_results
from frontdesk.campaigns.sync import TRIES, DeliveryResultsReader
from frontdesk.inbox.store import conversations as conversation_store
from frontdesk.storage.clients import Focus
from frontdesk.storage.database import Store
from frontdesk.storage.records import ConversationOrder
from frontdesk.sync.backoff import Backoff
from frontdesk.sync.budget import Budget, RequestPurpose
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import ApiError, Intercepted, RateLimited, ServerError
from frontdesk_api.client.transport import ONCE
from frontdesk_api.contract.decode import Page
from frontdesk_api.contract.ids import CampaignId
from frontdesk_api.contract.messages import Message, MessageQuery
from frontdesk_sandbox import fixtures
from sandbox.asking import Sandbox
from sync.running_engine import Start, Works, run

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


def record(it: Works, campaign_id: CampaignId = SURVEY) -> DeliveryResultsRecord:
    return delivery_results.record(it.services.store.reading, campaign_id)


def asked(it: Works) -> int:
    return it.line.paths()["/getMessages"]


async def watched(it: Works, campaign_id: CampaignId = SURVEY) -> None:
    it.services.campaigns.watch(campaign_id)
    await it.until(lambda: any(each.name for each in campaigns.watched(it.services.store.reading)))


def private_rows(path: Path) -> list[dict[str, str]]:
    assert path.stat().st_mode & 0o077 == 0
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


async def failed_ones_become_a_list(it: Works, path: Path) -> None:
    failed = [each for each in record(it).groups if each.status == "failed"]

    def saving(db: apsw.Connection) -> int:
        return save_list(db, SURVEY, failed, path)

    saved = await asyncio.wrap_future(it.store.read_in_background(saving))
    assert saved == sum(each.count for each in failed)
    rows = private_rows(path)
    expected = {row[0] for row in delivery_results.of_campaign(it.store.reading, SURVEY) if row[1] == "failed"}
    assert {row["phoneNumberId"] for row in rows} == expected
    assert all(row["customerName"] for row in rows)
    with pytest.raises(FileExistsError):
        await asyncio.wrap_future(it.store.read_in_background(saving))


@pytest.mark.slow
def test_everybody_on_a_list_is_told_as_their_thread_does_and_the_failed_are_a_list(
    works: Start, sandbox: Sandbox, tmp_path: Path
) -> None:
    async def story() -> None:
        async with works() as it:
            await watched(it)
            it.services.campaigns.read_delivery_results(SURVEY, PEOPLE)
            await it.until(lambda: record(it).state == "done")
            found = record(it)
            assert (found.checked, found.total) == (PEOPLE, PEOPLE)
            stored = {row[0]: row[1] for row in delivery_results.of_campaign(it.store.reading, SURVEY)}
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


@pytest.mark.slow
def test_it_goes_on_after_a_restart_without_reading_anybody_twice(works: Start) -> None:
    async def first() -> None:
        async with works() as it:
            await watched(it)
            it.services.campaigns.read_delivery_results(SURVEY, 90)
            await it.until(lambda: record(it).checked >= 1)

    async def second() -> None:
        async with works() as it:
            before = {row[0]: row[4] for row in delivery_results.of_campaign(it.store.reading, SURVEY)}
            assert before
            await it.until(lambda: record(it).state == "done")
            after = {row[0]: row[4] for row in delivery_results.of_campaign(it.store.reading, SURVEY)}
            assert record(it).checked == len(after) == 90
            assert {who: after[who] for who in before} == before

    run(first)
    run(second)


def test_it_ends_where_it_was_asked_to_and_floods_no_inbox(works: Start) -> None:
    async def story() -> None:
        async with works() as it:
            await watched(it)
            known = conversation_store.count(it.services.store.reading)
            it.services.campaigns.read_delivery_results(SURVEY, 25)
            await it.until(lambda: record(it).state == "done")
            assert record(it).checked == 25
            listed = {row[0] for row in delivery_results.of_campaign(it.store.reading, SURVEY)}
            lines = conversation_store.count(it.services.store.reading)
            assert lines >= known
            shown = [
                str(each) for each in conversation_store.ids(it.services.store.reading, ConversationOrder.ACTIVITY)
            ]
            assert not [each for each in shown if each.split("#")[-1] in listed]

    run(story)


def test_of_an_audience_by_tags_it_says_that_it_cant_and_why(works: Start) -> None:
    async def story() -> None:
        async with works() as it:
            await watched(it, BY_TAGS)
            it.services.campaigns.read_delivery_results(BY_TAGS, 50)
            await it.until(lambda: record(it, BY_TAGS).state == "failed")
            assert "tags" in record(it, BY_TAGS).problem

    run(story)


def test_nothing_is_read_while_polling_is_paused_and_a_refusal_of_one_thread_is_an_outcome(
    works: Start, sandbox: Sandbox
) -> None:
    async def story() -> None:
        async with works() as it:
            await watched(it)
            it.services.sync.report_focus(
                Focus(screen="campaigns", paused=True, active_at=it.services.store.clock())
            )
            await it.until(lambda: it.engine.poller.is_paused)
            it.services.campaigns.read_delivery_results(SURVEY, 10)
            await it.until(lambda: record(it).total == PEOPLE)
            assert record(it).checked == 0
            fault = {"path": "/getMessages", "kind": "status", "status": 400, "times": 10_000}
            await sandbox.asked("PUT", "/sandbox/faults", json=[fault])
            it.services.sync.clear_focus()
            await it.until(lambda: record(it).state == "done")
            (group,) = record(it).groups
            assert (group.status, group.count) == ("unreadable", 10)

    run(story)


def test_a_platform_that_fails_is_waited_for_and_nothing_is_made_up(works: Start) -> None:
    async def story() -> None:
        async with works() as it:
            await watched(it)
            it.line.is_cut = True
            it.services.campaigns.read_delivery_results(SURVEY, 10)
            await it.until(lambda: it.engine._backoff.health().state == "offline")
            assert record(it).checked == 0
            it.line.is_cut = False
            it.services.sync.request_refresh()
            await it.until(lambda: record(it).state == "done")
            assert "unreadable" not in {each.status for each in record(it).groups}

    run(story)


def test_who_was_on_their_way_is_looked_at_again(works: Start) -> None:
    async def story() -> None:
        async with works() as it:
            await watched(it)
            (listed,) = campaigns.first_recipients(it.services.store.reading, SURVEY, 1) or ()
            assert isinstance(listed, dict)
            who = str(listed["phoneNumberId"]).removeprefix("+")
            row = (who, "inProcess", "", "", 5.0)
            it.store.write(lambda db: delivery_results.put(db, SURVEY, [row], (), PEOPLE, 1)).result()  # type: ignore[list-item]
            it.services.campaigns.read_delivery_results(SURVEY, 1)
            await it.until(lambda: record(it).state == "done")
            ((_, status, *_),) = delivery_results.of_campaign(it.store.reading, SURVEY)
            assert status != "inProcess"
            assert asked(it) >= 1

    run(story)


def test_a_campaign_that_isnt_known_is_said(works: Start) -> None:
    async def story() -> None:
        async with works() as it:
            it.services.campaigns.read_delivery_results(CampaignId("nobody's"), 5)
            await it.until(lambda: record(it, CampaignId("nobody's")).state == "failed")
            assert campaigns.watched(it.store.reading) == []

    run(story)


class Threads:
    """A platform of empty threads that counts what is asked, and can refuse."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.error: ApiError | None = None

    async def get_messages(self, query: MessageQuery) -> Page[Message]:
        self.asked.append(query.targetPhoneNumberId)
        if self.error is not None:
            raise self.error
        return Page((), (), False, None)


class Alone:
    """The reader without an engine, on clocks that stand."""

    def __init__(self, store: Store, people: int = 3):
        self.store, self.platform, self.now = store, Threads(), 1_000.0
        self.budget = Budget(1_000, 100, lambda: self.now)
        self.backoff = Backoff(lambda: self.now)
        self.reader = self.new_reader()
        raw = {
            "id": SURVEY,
            "source": "excel",
            "status": "completed",
            "associatedToBusinessId": "L1",
            "startedAt": 5_000,
            "completedAt": 9_000,
            "customerList": [{"phoneNumberId": f"+44770090000{place}"} for place in range(people)],
        }
        store.write(lambda db: campaigns.put(db, SURVEY, raw, 1.0)).result()
        store.write(lambda db: delivery_results.begin(db, SURVEY, people, 1.0)).result()

    def new_reader(self) -> DeliveryResultsReader:
        return DeliveryResultsReader(
            self.platform,  # type: ignore[arg-type]
            self.store,
            self.budget,
            self.backoff,
            lambda: self.now,
            lambda: self.now,
            may_read=lambda: True,
        )

    def steps(self, count: int) -> list[float]:
        async def take() -> list[float]:
            return [await self.reader.step() for _ in range(count)]

        return asyncio.run(take())

    @property
    def record(self) -> DeliveryResultsRecord:
        return delivery_results.record(self.store.reading, SURVEY)


def test_it_has_a_share_of_the_budget_and_leaves_the_rest_to_people_and_polls(store: Store) -> None:
    at = Alone(store)
    at.budget.spend(RequestPurpose.REQUESTED)
    assert at.budget.wait_seconds() == 0, "a poll could go"
    assert at.steps(2)[-1] > 0
    assert at.platform.asked == []
    at.now += 60
    at.steps(5)
    assert len(at.platform.asked) == 3, "the platform of this test isn't asked through the budget"
    assert len(at.platform.asked) == 3
    assert (at.record.state, at.record.checked) == ("done", 3)


def test_a_platform_that_asks_for_peace_gets_it(store: Store) -> None:
    at = Alone(store)
    at.platform.error = RateLimited("too many", status=429, retry_after=30)
    assert at.steps(3)[1:] == [1.0, 1.0]
    assert len(at.platform.asked) == 1
    at.now += 40
    at.platform.error = None
    at.steps(5)
    assert (at.record.state, at.record.checked) == ("done", 3)
    assert at.platform.asked[0] == at.platform.asked[1], "nobody is passed over"


def test_a_login_page_tells_nothing_of_anybody(store: Store) -> None:
    at = Alone(store, people=1)
    at.platform.error = Intercepted("a login page", interception="a login page")
    for _ in range(6):
        at.steps(1)
        at.now += 100
    assert len(at.platform.asked) > 3
    assert (at.record.checked, at.record.groups) == (0, ())
    at.platform.error = None
    at.steps(5)
    assert (at.record.state, at.record.checked) == ("done", 1)


def test_one_thread_that_always_fails_is_left_aside_and_told(store: Store) -> None:
    at = Alone(store, people=1)
    at.platform.error = ServerError("the platform failed", status=500)
    for _ in range(3):
        at.steps(1)
        at.now += 100
    at.steps(2)
    assert len(at.platform.asked) == 3
    (group,) = at.record.groups
    assert (group.status, group.title) == ("unreadable", "the platform failed")


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (200, b"", "the response is empty"),
        (204, b"", "the response is empty"),
        (404, b"Not Found", "404 that doesn't look like the platform's"),
    ],
)
def test_a_thread_that_is_never_answered_with_json_is_left_aside_and_told(
    store: Store, status: int, body: bytes, reason: str
) -> None:
    at = Alone(store, people=1)
    headers = {"Content-Length": str(len(body)), "Content-Type": "text/plain"}

    async def get_messages(query: MessageQuery) -> Page[Message]:
        at.platform.asked.append(query.targetPhoneNumberId)
        answers = httpx.MockTransport(
            lambda _: httpx.Response(status, headers=headers, stream=httpx.ByteStream(body))
        )
        async with PlatformClient(HOSTS, CREDENTIALS, transport=answers, retry=ONCE) as client:
            return await client.get_messages(query)

    at.platform.get_messages = get_messages  # type: ignore[method-assign]
    for _ in range(6):
        at.steps(1)
        at.now += 100
    assert len(at.platform.asked) == TRIES
    (group,) = at.record.groups
    assert group.status == "unreadable", "and not as if there were no conversation"
    assert reason in group.title
    assert at.record.state == "done"


def test_screens_are_told_at_most_ten_times_a_second_and_nothing_is_kept_back_in_a_rest(store: Store) -> None:
    at = Alone(store, people=9)
    at.steps(4)
    assert len(at.platform.asked) == 4
    assert at.record.checked == 0, "within the same tenth of a second"
    at.now += 0.1
    at.steps(1)
    assert at.record.checked == 5
    at.steps(1)
    at.budget.spend(RequestPurpose.REQUESTED)
    at.steps(1)
    assert at.record.checked == 6


def test_it_is_stopped_at_once_keeps_what_it_has_and_goes_on_there(store: Store) -> None:
    at = Alone(store, people=9)
    at.steps(4)
    store.write(lambda db: delivery_results.stop(db, SURVEY)).result()
    assert at.steps(2)[-1] > 1
    assert (at.record.state, at.record.checked, len(at.platform.asked)) == ("stopped", 4, 4)
    at.reader = at.new_reader()
    store.write(lambda db: delivery_results.begin(db, SURVEY, 7, 2.0)).result()
    at.steps(6)
    assert (at.record.state, at.record.checked) == ("done", 7)
    assert len(set(at.platform.asked)) == len(at.platform.asked) == 7
