"""The other campaigns of a line: who counts as one, and from what each is reckoned."""

import math
from typing import Any

import pytest

from frontdesk.campaigns.line_queue import HANGS_AFTER, LineQueue, expected_ends
from frontdesk.campaigns.store import campaigns
from frontdesk.campaigns.time_left import LineLoad, Point
from frontdesk.storage.database import Store
from frontdesk_api.contract.ids import CampaignId

NOW = 1_700_000_000.0


def raw(each: str, status: str, **values: Any) -> dict[str, Any]:
    return {"id": each, "name": each, "associatedToBusinessId": "L1", "status": status, **values}


def put(store: Store, read_at: float, *read: dict[str, Any]) -> None:
    for each in read:
        campaign_id = CampaignId(each["id"])
        store.write(
            lambda db, each=each, campaign_id=campaign_id: campaigns.watch(db, [campaign_id], NOW)
        ).result()
        store.write(
            lambda db, each=each, campaign_id=campaign_id: campaigns.put(db, campaign_id, each, read_at)
        ).result()


def loads(store: Store, queue: LineQueue | None = None, now: float = NOW, of: str = "own") -> list[LineLoad]:
    among = campaigns.watched(store.reading)
    own = next(each for each in among if each.campaign_id == of)
    return (queue or LineQueue(store.reading)).loads(own, among, now)


RUNNING = raw("own", "inProgress", startedAt=(NOW - 300) * 1000, totalRecipients=500)


def test_only_others_on_the_same_line_count_and_only_for_one_that_runs(store: Store) -> None:
    later = raw("later", "scheduled", scheduledAt=(NOW + 600) * 1000, totalRecipients=70, sentCount=0)
    elsewhere = later | {"id": "elsewhere", "associatedToBusinessId": "L2"}
    lineless = raw("lineless", "inProgress", associatedToBusinessId=None)
    put(store, NOW, RUNNING, later, elsewhere, lineless)
    assert loads(store) == [LineLoad((), 70, 600.0)]
    assert loads(store, of="later") == []
    assert loads(store, of="lineless") == []


def test_one_that_has_ended_counts_with_its_times_and_what_it_sent(store: Store) -> None:
    ended = raw("ended", "completed", startedAt=(NOW - 900) * 1000, completedAt=(NOW - 60) * 1000, sentCount=70)
    put(store, NOW, RUNNING, ended, raw("unknown", "completed"))
    assert loads(store) == [LineLoad([Point(NOW - 900, 0.0), Point(NOW - 60, 70.0)], 0.0)]


@pytest.mark.parametrize(("status", "expected"), [("scheduled", 3), ("pending", 3)])
def test_one_that_waits_counts_with_the_length_of_its_list_which_is_read_once(
    store: Store, status: str, expected: float
) -> None:
    people = [{"to": f"+49151000000{each}"} for each in range(3)]
    put(store, NOW, RUNNING, raw("later", status, customerList=people, scheduledAt=(NOW + 60) * 1000))
    queue = LineQueue(store.reading)
    assert [each.left for each in loads(store, queue)] == [expected]
    store.write(lambda db: db.execute("DELETE FROM audiences")).result()
    assert [each.left for each in loads(store, queue, NOW + 30)] == [expected]
    assert [each.left for each in loads(store)] == [math.inf], "another queue has never seen the list"


def test_one_that_runs_counts_with_its_reads_and_what_it_has_left(store: Store) -> None:
    for passed in range(0, 400, 10):
        sent = 10 * passed
        put(
            store,
            NOW - 400 + passed,
            RUNNING,
            raw("other", "inProgress", startedAt=(NOW - 400) * 1000, totalRecipients=10_000, sentCount=sent),
        )
    (load,) = loads(store)
    assert load.points[0] == Point(NOW - 400, 0.0)
    assert load.points[-1] == Point(NOW - 10, 3_900.0)
    assert (load.left, load.starts_in) == (6_100, 0.0)


def test_those_to_come_end_after_what_is_before_them_on_the_line_and_only_where_its_pace_was_measured() -> None:
    waiting = [(NOW + 60, 600.0), (NOW + 120, 300.0)]
    first, second = expected_ends(waiting, [8.0, 12.0], 1_200.0, NOW)
    assert first == pytest.approx((NOW + 60 + 1_080 / 12, NOW + 60 + (600 + 1_200 - 8 * 60) / 8))
    assert second is not None
    assert first is not None
    assert second[1] > first[1]
    assert expected_ends(waiting, [], 1_200.0, NOW) == [None, None], "no pace is assumed"
    assert expected_ends(waiting, [8.0], None, NOW) == [None, None], "nobody knows what is left"
    assert expected_ends([(NOW, None), *waiting], [8.0], 0.0, NOW) == [None] * 3
    hanging, next_one = expected_ends([(NOW - HANGS_AFTER - 1, 9e9), (NOW, 80.0)], [8.0, 8.0], 0.0, NOW)
    assert hanging is None
    assert next_one == (NOW + 10, NOW + 10), "it doesn't wait for one that hangs"
