"""Campaigns between a team's desks: what one has read is applied by the others, without the list of recipients."""

from typing import Any

import pytest

from frontdesk.campaigns.models import CampaignRecord, WatchInterval
from frontdesk.campaigns.observations import apply, observed_campaign, reads_to_note
from frontdesk.campaigns.store import campaigns
from frontdesk.campaigns.sync import PolledCampaigns
from frontdesk.storage.database import Store
from frontdesk_api.contract.ids import CampaignId

ONE, OTHER = CampaignId("c1"), CampaignId("c2")


def came(sent: float = 0, **more: object) -> dict[str, Any]:
    return {
        "id": "c1",
        "name": "Spring",
        "status": "inProgress",
        "sentCount": sent,
        "associatedToBusinessId": "l1",
        "customerList": ["Ana", "Bo"],
    } | more


def watch(store: Store) -> None:
    store.write(lambda db: campaigns.watch(db, [ONE], 1.0)).result()


def put(store: Store, raw: dict[str, Any], at: float) -> None:
    store.write(lambda db: campaigns.put(db, ONE, raw, at)).result()


def apply_read(
    store: Store, raw: dict[str, Any], at: float, own_at: float = 0.0, same_at: float | None = None
) -> bool:
    observed = observed_campaign(ONE, campaigns.prepare(raw), at)
    before = {} if same_at is None else {"c1": same_at}
    return store.write(lambda db: apply(db, observed, {"c1": own_at}, before)).result()


def record(store: Store) -> CampaignRecord:
    (found,) = campaigns.watched(store.reading)
    return found


def test_what_is_passed_on_has_its_line_and_no_recipients() -> None:
    observed = observed_campaign(ONE, campaigns.prepare(came(3)), 10.0)
    assert (observed.kind, observed.id, observed.line_id, observed.asked_at) == ("campaign", "c1", "l1", 10.0)
    assert "Ana" not in str(observed.body)
    assert observed.body["campaign"]["sentCount"] == 3


def test_counters_of_another_desk_are_stored_with_the_time_of_its_read(store: Store) -> None:
    watch(store)
    put(store, came(1), 10.0)
    assert apply_read(store, came(5), 30.0, same_at=28.0)
    assert (record(store).counters.sent, record(store).read_at) == (5, 30.0)
    found = campaigns.samples(store.reading, ONE, 0.0)
    assert [(each.at, each.counters.sent) for each in found] == [(10.0, 1), (28.0, 1), (30.0, 5)]
    assert campaigns.first_recipients(store.reading, ONE, 5) == ["Ana", "Bo"]


@pytest.mark.parametrize("people", [["Ana"], None])
def test_another_list_of_recipients_must_be_read_here(store: Store, people: list[str] | None) -> None:
    watch(store)
    put(store, came(1), 10.0)
    raw = came(5, customerList=people)
    if people is None:
        del raw["customerList"]
    assert not apply_read(store, raw, 30.0)
    assert record(store).counters.sent == 1


def test_what_nobody_watches_or_is_older_than_ones_own_read_is_left_out(store: Store) -> None:
    assert not apply_read(store, came(5), 30.0), "once it is watched again, this desk reads it itself"
    assert campaigns.campaign_json(store.reading, ONE) is None
    watch(store)
    put(store, came(7), 40.0)
    assert apply_read(store, came(5), 30.0, own_at=40.0)
    assert record(store).counters.sent == 7


def test_reads_without_news_are_stored_once_a_minute_and_where_an_alert_needs_them(store: Store) -> None:
    watch(store)
    put(store, came(1), 10.0)
    db = store.reading
    assert reads_to_note(db, {"c1": 69.0, "c2": 500.0}, {}) == {}
    assert reads_to_note(db, {"c1": 70.0}, {}) == {ONE: 70.0}
    assert reads_to_note(db, {"c1": 30.0}, {"c1": 30.0}) == {ONE: 30.0}
    assert reads_to_note(db, {"c1": 30.0}, {"c1": 31.0}) == {}
    assert reads_to_note(db, {"c1": 30.0}, {"c1": 9.0}) == {}, "it was evaluated with the read before"
    store.write(lambda db: campaigns.note_unchanged(db, {ONE: 70.0, OTHER: 70.0})).result()
    assert (record(store).read_at, record(store).counters.sent) == (70.0, 1)
    assert campaigns.watch_intervals(store.reading, ONE, 0.0) == [WatchInterval(10.0, 70.0)]
    assert campaigns.first_recipients(store.reading, ONE, 5) == ["Ana", "Bo"]


def test_a_campaign_of_other_desks_is_polled_and_not_stored(store: Store) -> None:
    of_others: set[str] = {"c1"}
    polled = PolledCampaigns(store, lambda: of_others)
    assert polled.changes() == {"c1": campaigns.unread(ONE)}
    assert polled.is_for_others(ONE)
    assert polled.own == []
    assert polled.note_read(ONE, campaigns.prepare(came(1)), 10.0)
    assert not polled.note_read(ONE, campaigns.prepare(came(1)), 12.0)
    (found,) = polled.changes().values()
    assert found is not None
    assert (found.status, found.read_at, polled.lines) == ("inProgress", 12.0, {"c1": "l1"})
    polled.note_unreadable(ONE, "it is gone")
    polled.changes()
    assert polled.unreadable == {"c1"}
    assert campaigns.campaign_json(store.reading, ONE) is None
    of_others.clear()
    assert polled.changes() == {"c1": None}
    assert not polled.is_for_others(ONE)


def test_a_campaign_that_is_watched_here_too_is_the_desks_own(store: Store) -> None:
    polled = PolledCampaigns(store, lambda: ["c1", "c2"])
    polled.changes()
    watch(store)
    polled.changes()
    assert (polled.own, polled.is_for_others(ONE), polled.is_for_others(OTHER)) == (["c1"], False, True)
    store.write(lambda db: campaigns.unwatch(db, ONE)).result()
    polled.changes()
    assert (polled.own, polled.is_for_others(ONE)) == ([], True)
    assert polled.changes() == {}
