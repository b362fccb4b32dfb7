"""The alerts that were shown, and how each ended."""

from typing import Any

import pytest

from frontdesk.campaigns.alert_rules import BUILT_IN, AlertState
from frontdesk.campaigns.store import alerts as campaign_alerts
from frontdesk.campaigns.store.alerts import Alert
from frontdesk.inbox.store import threads
from frontdesk.metrics import alerts
from frontdesk.metrics.alerts import AlertEnd, ShownAlert
from frontdesk.outbox import queue
from frontdesk.outbox.commands import FORGET_SECONDS, claim_notifications
from frontdesk.service_clocks import store as clock_store
from frontdesk.service_clocks.monitor import claim_key
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.tasks import store as task_store
from frontdesk.tasks.history import Seen
from frontdesk_api.contract.ids import CampaignId, ConversationId
from sample_json import raw_message, raw_task
from service_clocks.desk import HOUR, MINUTE, NOW, Desk

pytestmark = pytest.mark.anyio

HERE = ConversationId("L1#C1")


async def alerted(store: Store) -> Desk:
    """A customer wrote 70 minutes ago and must have an answer within 60; the alert of that is shown now."""
    desk = Desk(store)
    await desk.write(1, minutes_ago=70)
    claim(store, NOW)
    return desk


def claim(store: Store, now: float) -> None:
    found = clock_store.with_warning(store.reading, 0.0, now, 100)
    store.write(lambda db: claim_notifications(db, {claim_key(each, now): 1.0 for each in found}, now)).result()


async def answer(desk: Desk, minutes: float) -> None:
    page = [
        raw_message(7, createdAt=(NOW + minutes * MINUTE) * 1000, messageDirection="outgoing", initiator="person"),
        raw_message(1, createdAt=(NOW - 70 * MINUTE) * 1000),
    ]
    await desk.store.run(
        lambda db: threads.put_page(db, HERE, page, start=None, has_more=False, now=NOW + minutes * MINUTE)
    )
    await desk.compute()


def only(store: Store, now: float = NOW) -> ShownAlert:
    (found,) = alerts.shown(store.reading, NOW - HOUR, NOW + HOUR, now)
    return found


async def test_an_alert_is_open_until_a_person_answers_and_then_says_how_late_that_was(store: Store) -> None:
    desk = await alerted(store)
    found = only(store, NOW + MINUTE)
    assert (found.about, found.record_id, found.words) == ("conversation", HERE, "first response")
    assert (found.end, found.late_seconds) == (AlertEnd.OPEN, 11 * MINUTE)
    await answer(desk, 5)
    found = only(store)
    assert (found.at, found.end, found.late_seconds) == (NOW, AlertEnd.LATE, 15 * MINUTE)


async def test_a_warning_and_its_deadline_are_one_alert_and_an_answer_before_it_is_in_time(store: Store) -> None:
    desk = Desk(store)
    await desk.write(1, minutes_ago=50)
    claim(store, NOW)
    await answer(desk, 5)
    claim(store, NOW + 5 * MINUTE)
    found = only(store)
    assert (found.end, found.late_seconds) == (AlertEnd.IN_TIME, None)
    assert alerts.count(store.reading, NOW, NOW + HOUR) == 1
    assert alerts.count(store.reading, NOW + 1, NOW + HOUR) == 0


async def test_what_needs_no_answer_ends_an_alert(store: Store) -> None:
    desk = await alerted(store)
    record = record_lookup.conversation(store.reading, HERE)
    assert record is not None
    desk.services().inbox.set_needs_answer([record], needs_answer=False).result()
    await desk.compute()
    assert only(store).end is AlertEnd.NOT_NEEDED


async def test_the_alert_of_a_task_ends_when_it_is_completed(store: Store) -> None:
    desk = Desk(store)
    task = raw_task(3, participantsIdentifiers="", createdAt=NOW - 11 * HOUR)
    await store.run(lambda db: task_store.put(db, [task], Seen(NOW - 11 * HOUR, NOW - 11 * HOUR)))
    await desk.compute()
    claim(store, NOW)
    found = only(store)
    assert (found.about, found.record_id, found.words, found.end) == ("task", "t3", "resolution", AlertEnd.OPEN)
    done: Any = task | {"statusCase": "completed", "updatedAt": NOW + MINUTE}
    await store.run(lambda db: task_store.put(db, [done], Seen(NOW + 2 * MINUTE, NOW + 2 * MINUTE)))
    await desk.compute()
    found = only(store)
    assert (found.end, found.late_seconds) == (AlertEnd.LATE, HOUR + 2 * MINUTE)


@pytest.mark.parametrize(
    ("status", "state", "end"),
    [
        ("running", AlertState.RAISED, AlertEnd.OPEN),
        ("running", AlertState.ARMED, AlertEnd.OVER),
        ("stopped", AlertState.RAISED, AlertEnd.OVER),
        ("", AlertState.RAISED, AlertEnd.UNKNOWN),
    ],
)
def test_the_alert_of_a_campaign_is_over_when_it_ended_or_its_value_is_right_again(
    store: Store, status: str, state: AlertState, end: AlertEnd
) -> None:
    rule, each = BUILT_IN[0].key, CampaignId("c1")

    def put(db: Any) -> None:
        campaign_alerts.put(db, Alert(f"c1 {rule}", each, "Sale", "failed 12%", NOW, None))
        queue.keep(db, campaign_alerts.STATES, each, {rule: str(state)}, NOW)
        if status:
            db.execute(
                "INSERT INTO campaigns (campaign_id, raw) VALUES ('c1', json_object('status', ?))", (status,)
            )

    store.write(put).result()
    found = only(store)
    assert (found.about, found.name, found.words, found.end, found.status) == (
        "campaign",
        "Sale",
        "failed 12%",
        end,
        status,
    )


def test_alerts_are_known_for_as_long_as_they_are_kept() -> None:
    assert alerts.kept_since(NOW) == NOW - FORGET_SECONDS
