"""When a campaign was last read, stored or not: never later than it was, and seldom much earlier."""

from collections.abc import Mapping
from dataclasses import replace

import apsw
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from campaigns.view.test_row import campaign
from frontdesk.campaigns.reports import read_history
from frontdesk.campaigns.store import campaigns
from frontdesk.storage import clients, schema
from frontdesk.storage.records import Connection, Health
from frontdesk_api.contract.ids import CampaignId

NOW = 1_700_000_000.0
HERE = CampaignId("c1")


def store() -> apsw.Connection:
    db = apsw.Connection(":memory:")
    for migrate in schema.load().store:
        migrate(db)
    outbox = apsw.Connection(":memory:")
    for migrate in schema.load().outbox:
        migrate(outbox)
    db.execute("ATTACH ':memory:' AS outbox")
    db.deserialize("outbox", outbox.serialize("main"))
    clients.write_health(db, Health(Connection.LIVE))
    return db


def heartbeat(db: apsw.Connection, reads: Mapping[str, float], now: float = NOW) -> None:
    clients.write_heartbeat(db, now, now, reads)


@pytest.mark.parametrize(
    ("stored", "reported", "expected"),
    [
        (NOW - 60, NOW - 2, NOW - 2),
        (NOW - 1, NOW - 2, NOW - 1),
        (NOW - 60, None, NOW - 60),
        (None, NOW - 2, None),
    ],
)
def test_the_later_of_what_is_stored_and_reported_counts_and_unknown_stays_unknown(
    stored: float | None, reported: float | None, expected: float | None
) -> None:
    db, record = store(), replace(campaign(), campaign_id=HERE, read_at=stored)
    heartbeat(db, {} if reported is None else {HERE: reported})
    assert campaigns.with_last_read(db, record).read_at == expected


def test_without_an_engine_ever_and_for_what_could_not_be_read_the_stored_time_counts() -> None:
    db, record = store(), replace(campaign(), campaign_id=HERE, read_at=NOW - 60)
    db.execute("DELETE FROM health")
    assert campaigns.with_last_read(db, record) is record
    db = store()
    heartbeat(db, {HERE: NOW})
    assert campaigns.with_last_read(db, replace(record, problem="gone")).read_at == NOW - 60


def test_the_report_tells_the_last_read_and_counts_the_time_until_then_as_watched() -> None:
    db = store()
    raw = {"id": HERE, "status": "inProgress", "totalRecipients": 900, "sentCount": 5}
    campaigns.put(db, HERE, raw, NOW - 3_600)
    heartbeat(db, {HERE: NOW - 3_600 + 45})
    history = read_history(db, campaigns._read(db, HERE), NOW)
    assert (history.record.read_at, history.end) == (NOW - 3_555, NOW - 3_555)


class LastRead(RuleBasedStateMachine):
    """An engine that reads a campaign, stores what differs, reports with its heartbeat, and ends."""

    @initialize()
    def begin(self) -> None:
        self.db, self.now, self.sent = store(), NOW, 0
        self.read_at: float | None = None
        self.reported_at: float | None = None
        self.reads: dict[str, float] = {}

    @rule(seconds=st.floats(0.1, 90.0))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds

    @rule(sent=st.integers(0, 2))
    def read(self, sent: int) -> None:
        self.sent += sent
        raw = {"id": HERE, "status": "inProgress", "totalRecipients": 900, "sentCount": self.sent}
        campaigns.put(self.db, HERE, raw, self.now)
        self.reads[HERE] = self.read_at = self.now

    @rule()
    def fail(self) -> None:
        campaigns.put_problem(self.db, HERE, "unreadable")
        self.reads[HERE] = self.now

    @rule()
    def beat(self) -> None:
        heartbeat(self.db, self.reads, self.now)
        self.reported_at = self.read_at if HERE in self.reads else None

    @rule()
    def start_again(self) -> None:
        self.reads = {}
        self.reported_at = None

    @invariant()
    def is_true(self) -> None:
        record = campaigns._read(self.db, HERE)
        shown = campaigns.with_last_read(self.db, record).read_at
        assert (shown is None) == (self.read_at is None)
        if shown is not None and self.read_at is not None:
            assert shown <= self.read_at
            assert self.read_at - shown <= campaigns.READ_AGAIN_SECONDS
            if self.reported_at is not None and not record.problem:
                assert shown >= self.reported_at

    def teardown(self) -> None:
        self.db.close()


TestLastRead = pytest.mark.slow(LastRead.TestCase)
