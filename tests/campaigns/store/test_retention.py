"""Watched campaigns: a list is written once, holes are known, old samples grow fewer."""

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk.campaigns.models import WatchInterval
from frontdesk.campaigns.store import campaigns
from frontdesk.campaigns.store.campaigns import DAY, HOLE_SECONDS, HOUR
from frontdesk.storage import change_feed, schema
from frontdesk.storage.database import Store
from frontdesk.storage.sql import rows
from frontdesk_api.contract.ids import CampaignId

ONE = CampaignId("c1")
PEOPLE = [{"phoneNumberId": f"+97252{n:07d}", "customerName": f'דנה "{n}"'} for n in range(1000)]


def came(sent: float = 0, **more: object) -> dict[str, Any]:
    return {"id": "c1", "name": "Spring", "status": "inProgress", "sentCount": sent, "customerList": PEOPLE} | more


def put(store: Store, raw: dict[str, Any], now: float, same_at: float | None = None) -> bool:
    return store.write(lambda db: campaigns.put(db, ONE, raw, now, same_at)).result()


def test_a_list_is_written_once_and_apart_and_the_raw_view_has_it_whole(store: Store) -> None:
    store.write(lambda db: campaigns.watch(db, [ONE], 1.0)).result()
    assert put(store, came(1), 10.0)
    written = rows(store.reading, "SELECT campaign_id, digest, recipients FROM audiences")
    assert json.loads(written[0][2]) == PEOPLE
    store.write(lambda db: db.execute("UPDATE audiences SET recipients = '[\"as it was\"]'")).result()
    assert put(store, came(2), 12.0)
    assert rows(store.reading, "SELECT recipients FROM audiences") == [('["as it was"]',)]
    store.write(lambda db: db.execute("UPDATE audiences SET recipients = ?", (written[0][2],))).result()
    (record,) = campaigns.watched(store.reading)
    assert "customerList" not in record.raw
    db = store.reading
    assert json.loads(campaigns.campaign_json(db, ONE) or "") == came(2)
    assert campaigns.first_recipients(db, ONE, 3) == PEOPLE[:3]
    assert campaigns.campaign_json(db, CampaignId("nobody's")) is None
    assert campaigns.first_recipients(db, CampaignId("nobody's"), 3) is None


def test_another_list_and_none_are_news_and_the_same_one_in_another_order_is_not(store: Store) -> None:
    put(store, came(), 10.0)
    turned = [dict(reversed(each.items())) for each in PEOPLE]
    before = change_feed.position(store.reading)
    assert not put(store, came(customerList=turned), 12.0)
    assert change_feed.position(store.reading) == before
    assert put(store, came(customerList=PEOPLE[1:]), 14.0)
    assert campaigns.first_recipients(store.reading, ONE, 1) == PEOPLE[1:2]
    without = {name: value for name, value in came().items() if name != "customerList"}
    assert put(store, without, 16.0)
    assert campaigns.first_recipients(store.reading, ONE, 1) is None
    assert json.loads(campaigns.campaign_json(store.reading, ONE) or "") == without


@pytest.mark.parametrize("odd", [[], None, {"a": 1}, "text", [None, True, 1.5, "x", [1], {"b": {}}]])
def test_a_list_of_any_kind_round_trips(store: Store, odd: object) -> None:
    put(store, came(customerList=odd), 10.0)
    assert json.loads(campaigns.campaign_json(store.reading, ONE) or "")["customerList"] == odd
    if isinstance(odd, list):
        assert campaigns.first_recipients(store.reading, ONE, 99) == odd


def test_reads_make_one_stretch_until_there_is_a_hole(store: Store) -> None:
    for now in (10.0, 12.0, 40.0, 40.0 + HOLE_SECONDS):
        put(store, came(now), now)
    assert campaigns.watch_intervals(store.reading, ONE, 0.0) == [WatchInterval(10.0, 40.0 + HOLE_SECONDS)]
    late = 41.0 + 2 * HOLE_SECONDS
    put(store, came(9), late)
    assert campaigns.watch_intervals(store.reading, ONE, 0.0) == [
        WatchInterval(10.0, 40.0 + HOLE_SECONDS),
        WatchInterval(late, late),
    ]
    assert campaigns.watch_intervals(store.reading, ONE, late - 1) == [WatchInterval(late, late)]


def test_an_unchanged_campaign_that_is_written_once_a_minute_leaves_no_hole(store: Store) -> None:
    put(store, came(1), 0.0)
    store.write(lambda db: [campaigns.put(db, ONE, came(1), now) for now in range(7, 700, 7)]).result()
    put(store, came(2), 700.0, 693.0)
    assert campaigns.watch_intervals(store.reading, ONE, 0.0) == [WatchInterval(0.0, 700.0)]


def test_what_moves_after_a_rest_moved_after_the_last_read_that_saw_none(store: Store) -> None:
    put(store, came(5), 10.0)
    put(store, came(25), 40.0, 38.0)
    put(store, came(45), 42.0, 38.0)
    found = campaigns.samples(store.reading, ONE, 0.0)
    assert [(each.at, each.counters.sent) for each in found] == [(10, 5), (38, 5), (40, 25), (42, 45)]


def fill(store: Store, counters: list[tuple[float, list[float | None]]]) -> None:
    lines = [("c1", at, json.dumps(each)) for at, each in counters]
    store.write(lambda db: db.executemany("INSERT INTO samples VALUES (?, ?, ?)", lines)).result()


def thin(store: Store, now: float) -> int:
    found = campaigns.samples_to_thin(store.reading, now)
    store.write(lambda db: campaigns.delete_samples(db, found, now)).result()
    return len(found)


def times(store: Store) -> list[float]:
    return [row[0] for row in rows(store.reading, "SELECT at FROM samples ORDER BY at")]


def test_samples_grow_fewer_with_age_and_stay_bounded(store: Store) -> None:
    now = 10 * DAY
    fill(store, [(now - 2 * DAY + n * 30, [9e9, None, n, None, None, 0, 0, 0, 0]) for n in range(5760)])
    assert thin(store, now)
    left = times(store)
    assert left[0] == now - 2 * DAY
    assert left[-1] == now - 30
    by_age = {
        "young": sum(each >= now - HOUR for each in left),
        "day": sum(now - DAY <= each < now - HOUR for each in left),
        "old": sum(each < now - DAY for each in left),
    }
    assert by_age["young"] == 120
    assert by_age["day"] <= 23 * 60 + 2
    assert by_age["old"] <= 24 * 6 + 2
    assert thin(store, now) == 0


def test_what_shows_a_correction_stays_with_the_sample_before_it(store: Store) -> None:
    now = 10 * DAY
    sent = [10.0, 20.0, 30.0, 27.0, 40.0, 50.0, 60.0]
    fill(store, [(now - DAY / 2 + n, [100, 100 - at, at, 0, 0, 0, 0, 0, 0]) for n, at in enumerate(sent)])
    thin(store, now)
    kept = [each.counters.sent for each in campaigns.samples(store.reading, ONE, 0.0)]
    assert kept == [10, 30, 27, 60]


@few
@given(
    st.lists(st.floats(0, 3 * DAY, allow_subnormal=False), unique=True, max_size=60),
    st.lists(st.integers(0, 9), min_size=60, max_size=60),
)
def test_thinning_never_takes_an_end_nor_a_fall(ages: list[float], sent: list[int]) -> None:
    now = 10 * DAY
    found = [
        (at, json.dumps([9, None, float(count), None, None, None, None, None, None]))
        for at, count in zip(sorted(now - each for each in ages), sent, strict=False)
    ]
    kept = campaigns.samples_to_keep(found, now + HOUR) if found else set()
    for before, after in pairwise(found):
        if json.loads(after[1])[2] < json.loads(before[1])[2]:
            assert {before[0], after[0]} <= kept
    assert not found or found[-1][0] in kept
    assert all(math.isfinite(each) for each in kept)


def test_a_store_of_version_3_gets_its_lists_apart_and_its_stretches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "old"
    raw = json.dumps(came(3), ensure_ascii=False)
    with monkeypatch.context() as patch:
        patch.setattr(schema, "STORE_VERSION", 3)
        with Store(folder) as store:
            store.write(
                lambda db: db.execute(
                    "INSERT INTO campaigns VALUES ('c1', ?, 260.0, ''), ('c2', '{}', NULL, '')", (raw,)
                )
            ).result()
            fill(store, [(at, [9.0] * 9) for at in (10.0, 40.0, 100.0, 250.0)])
    with Store(folder) as store:
        db = store.reading
        assert json.loads(campaigns.campaign_json(db, ONE) or "") == came(3)
        assert json.loads(rows(store.reading, "SELECT raw FROM campaigns")[0][0]).keys() == came().keys() - {
            "customerList"
        }
        assert campaigns.first_recipients(db, ONE, 2) == PEOPLE[:2]
        assert campaigns.first_recipients(db, CampaignId("c2"), 2) is None
        assert campaigns.watch_intervals(db, ONE, 0.0) == [
            WatchInterval(10.0, 100.0),
            WatchInterval(250.0, 260.0),
        ]
        # What comes next is what was stored: nothing is written again for how it is kept now.
        assert campaigns.known(store.reading, ONE, came(3), 261.0) is None  # its sample was another one
        before = rows(store.reading, "SELECT digest FROM audiences")
        put(store, came(3), 262.0)
        assert rows(store.reading, "SELECT digest FROM audiences") == before
