"""Asks for outcomes and what is kept of them."""

import pytest

from frontdesk.campaigns.delivery_results import DeliveryResult, DeliveryResultsRecord, Tally
from frontdesk.campaigns.store import campaigns, delivery_results
from frontdesk.storage import clients
from frontdesk.storage.database import Store
from frontdesk.storage.records import Event
from frontdesk_api.contract.ids import CampaignId, CustomerId
from services import Services

ONE = CampaignId("one")


def feed_of(store: Store) -> set[Event]:
    return {Event(*row) for row in store.reading.execute("SELECT kind, id FROM feed")}


def found(store: Store, *rows: tuple[str, str, str, float], total: int = 9) -> None:
    all_of = [(CustomerId(who), status, code, "why", at) for who, status, code, at in rows]
    tally = Tally((row[0], DeliveryResult(*row[1:4])) for row in all_of)
    store.write(lambda db: delivery_results.put(db, ONE, all_of, tally.groups(), total, len(tally))).result()


def test_nothing_is_known_before_anybody_asked(services: Services) -> None:
    assert delivery_results.record(services.store.reading, ONE) == DeliveryResultsRecord()


def test_an_ask_stands_until_it_is_done_and_what_was_read_stays(store: Store, services: Services) -> None:
    store.write(lambda db: delivery_results.begin(db, ONE, 5, 100.0)).result()
    ask = delivery_results.next_ask(store.reading)
    assert ask is not None
    assert ask.target == ONE
    found(store, ("c1", "failed", "131026", 101.0), ("c2", "read", "", 102.0))
    assert Event("campaign", ONE) in feed_of(store)
    record = delivery_results.record(services.store.reading, ONE)
    assert (record.state, record.checked, record.total, record.wanted, record.read_at) == ("asked", 2, 9, 5, 102.0)
    assert [(each.code, each.count, each.examples) for each in record.groups] == [
        ("131026", 1, ("c1",)),
        ("", 1, ("c2",)),
    ]
    store.write(lambda db: delivery_results.settle(db, ask)).result()
    assert delivery_results.next_ask(store.reading) is None
    assert (
        delivery_results.record(services.store.reading, ONE).state,
        delivery_results.record(services.store.reading, ONE).checked,
    ) == ("done", 2)


def test_an_ask_taken_back_is_no_more_and_is_not_done_by_whoever_was_at_it(
    store: Store, services: Services
) -> None:
    store.write(lambda db: delivery_results.begin(db, ONE, 5, 100.0)).result()
    ask = delivery_results.next_ask(store.reading)
    assert ask is not None
    services.campaigns.stop_delivery_results(ONE)
    store.write(lambda db: delivery_results.settle(db, ask)).result()
    assert delivery_results.next_ask(store.reading) is None
    assert delivery_results.record(services.store.reading, ONE).state == "stopped"


def test_another_ask_takes_the_place_of_the_one_before_and_counts_from_where_it_is(
    store: Store, services: Services
) -> None:
    store.write(lambda db: delivery_results.begin(db, ONE, 5, 100.0)).result()
    found(store, ("c1", "read", "", 101.0))
    store.write(lambda db: delivery_results.begin(db, ONE, 9, 200.0)).result()
    asks = clients.open_requests(store.reading)
    record = delivery_results.record(services.store.reading, ONE)
    assert (len(asks), record.wanted, record.begun_at, record.begun_with) == (1, 9, 200.0, 1)


def test_an_ask_of_hours_ago_is_not_forgotten_while_it_runs(store: Store) -> None:
    store.write(lambda db: delivery_results.begin(db, ONE, 5, 100.0)).result()
    store.write(lambda db: clients.add_request(db, clients.REFRESH, "", 100_000.0)).result()
    assert delivery_results.next_ask(store.reading) is not None


def test_why_nothing_can_be_told_is_kept(store: Store, services: Services) -> None:
    store.write(lambda db: delivery_results.begin(db, ONE, 5, 100.0)).result()
    ask = delivery_results.next_ask(store.reading)
    assert ask is not None
    store.write(
        lambda db: delivery_results.settle(db, ask, failed="the campaign's audience is defined by tags")
    ).result()
    assert (
        delivery_results.record(services.store.reading, ONE).state,
        delivery_results.record(services.store.reading, ONE).problem,
    ) == (
        "failed",
        "the campaign's audience is defined by tags",
    )
    store.write(lambda db: delivery_results.begin(db, ONE, 5, 100.0)).result()
    assert (
        delivery_results.record(services.store.reading, ONE).state,
        delivery_results.record(services.store.reading, ONE).problem,
    ) == ("asked", "")


@pytest.mark.parametrize("strange", [[], "x", 5, None, {"a": 1}, [5, None]])
def test_a_list_that_is_none_has_nobody_on_it(store: Store, strange: object) -> None:
    store.write(lambda db: campaigns.put(db, ONE, {"id": "one", "customerList": strange}, 1.0)).result()
    assert delivery_results.recipients(store.reading, ONE) == []
    assert delivery_results.raw_campaign(store.reading, ONE) == {"id": "one"}


def test_the_list_is_that_of_the_campaign(store: Store) -> None:
    here = {"id": "one", "customerList": [{"phoneNumberId": "1"}, "no object"]}
    store.write(lambda db: campaigns.put(db, ONE, here, 1.0)).result()
    assert delivery_results.recipients(store.reading, ONE) == [{"phoneNumberId": "1"}]
    assert delivery_results.recipients(store.reading, CampaignId("nobody's")) == []
    assert delivery_results.raw_campaign(store.reading, CampaignId("nobody's")) == {}
