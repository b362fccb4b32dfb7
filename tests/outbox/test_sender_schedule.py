"""When the sender does what: which changes go together, when a lost one is looked for, and what waits for whom."""

import asyncio
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import apsw
import pytest

from frontdesk.outbox import queue
from frontdesk.outbox.sender import GATHER_SECONDS, MAX_TARGET_WAIT, SETTLE_AFTER, Sender
from frontdesk.storage.records import Change, ChangeKind, ChangeState
from frontdesk.sync.scheduler import Job, PollKind
from frontdesk_api.client.errors import (
    Ambiguous,
    ApiError,
    BadReply,
    CredentialsRefused,
    NotSent,
    Refused,
    ServerError,
)
from frontdesk_api.contract.endpoints import Host
from outbox.rows import NOW, add, read

TASK, TAGS, CAMPAIGN = ChangeKind.TASK, ChangeKind.TAGS, ChangeKind.CAMPAIGN


class FakeDelivery:
    """Confirms what it is given, or raises; keeps what it was asked for and when."""

    def __init__(self, bench: "SenderBench", host: Host, *, joins_changes: bool, can_read_back: bool) -> None:
        self.host, self.joins_changes, self.can_read_back = host, joins_changes, can_read_back
        self.sent: list[tuple[float, list[int]]] = []
        self.looks: list[tuple[float, list[int], bool]] = []
        self.error: ApiError | None = None
        self.is_accepted = True
        self._bench = bench

    async def send(self, changes: Sequence[Change]) -> bool:
        self._bench.now += self._bench.request_seconds
        self.sent.append((self._bench.now, [each.change_id for each in changes]))
        if self.error is not None:
            raise self.error
        self._bench.end(changes)
        return self.is_accepted

    async def read_back(self, changes: Sequence[Change], *, final: bool) -> None:
        self.looks.append((self._bench.now, [each.change_id for each in changes], final))
        if self.error is not None:
            raise self.error
        if final:
            self._bench.end(changes)


class SenderBench:
    """A sender over an outbox in memory; it is its confirmation and its backoff, too."""

    def __init__(self, db: apsw.Connection) -> None:
        self.db, self.now = db, NOW
        self.ready: dict[Host, float] = {}
        self.noted: list[tuple[Host, ApiError | None]] = []
        self.failed: list[object] = []
        self.adopted, self.set_by, self.request_seconds = 0, 0.0, 0.0
        self.tasks = FakeDelivery(self, Host.BUSINESS, joins_changes=True, can_read_back=True)
        self.tags = FakeDelivery(self, Host.BASE, joins_changes=False, can_read_back=False)
        deliveries: Any = {TASK: self.tasks, TAGS: self.tags, CAMPAIGN: self.tags}
        store: Any = SimpleNamespace(reading=db, run=self.write)
        it: Any = self
        self.sender = Sender(store, it, deliveries, it, lambda: self.now, steady=lambda: self.now - self.set_by)

    async def write(self, job: Callable[[apsw.Connection], None]) -> None:
        job(self.db)

    def end(self, changes: Sequence[Change]) -> None:
        for each in changes:
            queue.move(self.db, each.change_id, ChangeState.CONFIRMED, expected=tuple(ChangeState), now=self.now)

    def send(self, at: float | None = None) -> None:
        self.now = self.now if at is None else at
        asyncio.run(self.sender.send_due())

    async def adopt_orphans(self) -> None:
        self.adopted += 1
        queue.mark_orphans_unknown(self.db, self.now)

    def ready_at(self, host: Host) -> float:
        return self.ready.get(host, 0.0)

    def note_success(self, host: Host) -> None:
        self.noted.append((host, None))

    def note_failure(self, host: Host, error: ApiError, read: object = None) -> None:
        self.noted.append((host, error))
        self.failed.append(read)


@pytest.fixture
def bench(db: apsw.Connection) -> SenderBench:
    return SenderBench(db)


def test_without_changes_there_is_no_work(bench: SenderBench) -> None:
    assert bench.sender.next_at() is None
    add(bench.db, state=ChangeState.CONFIRMED)
    assert bench.sender.next_at() is None
    bench.send()
    assert (bench.tasks.sent, bench.adopted) == ([], 0)


@pytest.mark.parametrize(
    ("holds", "at"),
    [
        ([0.0], 0.0),
        ([5.0], 5.0),
        ([1.0, 3.0], 3.0),
        ([1.0, 9.0], 1.0 + GATHER_SECONDS),
        ([2.0, 0.5], 2.0),
        ([0.0, 0.0], 0.0),
    ],
)
def test_quick_changes_of_one_task_wait_for_each_other_but_not_for_long(
    bench: SenderBench, holds: list[float], at: float
) -> None:
    for hold in holds:
        add(bench.db, hold_seconds=hold)
    assert bench.sender.next_at() == NOW + at
    bench.send(NOW + at - 0.1)
    assert bench.tasks.sent == []
    bench.send(NOW + at)
    together = [number + 1 for number, hold in enumerate(holds) if hold <= at]
    assert bench.tasks.sent == [(NOW + at, together)]
    assert bench.noted == [(Host.BUSINESS, None)]


def test_changes_that_cannot_be_joined_go_one_by_one_in_their_order(bench: SenderBench) -> None:
    for hold in (1.0, 0.0, 9.0):
        add(bench.db, kind=TAGS, target="L1#C1", hold_seconds=hold)
    assert bench.sender.next_at() == NOW + 1.0, "none is waited for, and none is overtaken"
    for _ in range(4):
        bench.send(NOW + 1.0)
    assert [ids for _, ids in bench.tags.sent] == [[1], [2]]
    bench.send(NOW + 9.0)
    assert [ids for _, ids in bench.tags.sent] == [[1], [2], [3]]


def test_a_change_that_nobody_may_overtake_ends_the_batch(bench: SenderBench) -> None:
    add(bench.db)
    add(bench.db, send_after=NOW + 50)
    add(bench.db)
    bench.send(NOW + 1)
    assert bench.tasks.sent == [(NOW + 1, [1])]
    bench.send(NOW + 2)
    bench.send(NOW + 50)
    assert [ids for _, ids in bench.tasks.sent] == [[1], [2, 3]]


def test_targets_are_told_apart_by_their_kind_and_go_oldest_first(bench: SenderBench) -> None:
    add(bench.db, kind=CAMPAIGN, target="same")
    add(bench.db, target="same")
    add(bench.db, target="other")
    bench.send()
    assert (bench.tags.sent, bench.tasks.sent) == ([(NOW, [1])], [(NOW, [2]), (NOW, [3])])


@pytest.mark.parametrize(
    ("can_read_back", "settle_after", "expected"),
    [
        (True, SETTLE_AFTER, [(2, False), (8, False), (20, False), (35, True)]),
        (False, SETTLE_AFTER, [(35, True)]),
        (True, 8.0, [(2, False), (8, True)]),
        (True, 0.0, [(0, True)]),
    ],
)
def test_a_lost_change_is_looked_for_early_and_at_last_when_it_cannot_arrive_any_more(
    bench: SenderBench, can_read_back: bool, settle_after: float, expected: list[tuple[float, bool]]
) -> None:
    bench.tasks.can_read_back = can_read_back
    bench.sender._settle_after = settle_after
    for _ in range(2):
        add(bench.db, state=ChangeState.UNKNOWN, sent_at=NOW)
    while (at := bench.sender.next_at()) is not None:
        bench.send(at - 0.01)
        bench.send(at)
    assert bench.tasks.looks == [(NOW + seconds, [1, 2], final) for seconds, final in expected]


@pytest.mark.parametrize(
    ("away", "expected"), [(1.9, [2, 8, 20, 35]), (7.9, [7.9, 8, 20, 35]), (8, [8, 20, 35]), (30, [30, 35])]
)
def test_looks_that_were_missed_are_not_made_up_for_one_by_one(
    bench: SenderBench, away: float, expected: list[float]
) -> None:
    add(bench.db, state=ChangeState.UNKNOWN, sent_at=NOW)
    bench.now = NOW + away
    while (at := bench.sender.next_at()) is not None:
        bench.send(max(at, bench.now))
    assert [at - NOW for at, _, _ in bench.tasks.looks] == pytest.approx(expected)


def test_while_a_change_is_unknown_nothing_of_its_target_is_sent_and_only_the_first_is_looked_for(
    bench: SenderBench,
) -> None:
    for kind, target in ((TASK, "t1"), (TAGS, "L1#C1")):
        add(bench.db, kind=kind, target=target, state=ChangeState.UNKNOWN, sent_at=NOW)
        add(bench.db, kind=kind, target=target, state=ChangeState.UNKNOWN, sent_at=NOW + 1)
        add(bench.db, kind=kind, target=target)
    bench.send(NOW + SETTLE_AFTER)
    assert bench.tasks.looks == [(NOW + SETTLE_AFTER, [1, 2], True)]
    assert bench.tags.looks == [(NOW + SETTLE_AFTER, [4], True)]
    assert (bench.tasks.sent, bench.tags.sent) == ([(NOW + SETTLE_AFTER, [3])], []), (
        "then it is the next one's turn"
    )


def test_what_an_ended_process_was_sending_is_taken_over_first(bench: SenderBench) -> None:
    change = add(bench.db, state=ChangeState.SENDING, sent_at=NOW - 500)
    assert bench.sender.next_at() == 0.0
    bench.send()
    assert (bench.adopted, read(bench.db, change).state) == (1, ChangeState.UNKNOWN)
    assert bench.sender.next_at() == NOW + 2.0


def test_a_dropped_change_that_may_still_arrive_is_not_overtaken(bench: SenderBench) -> None:
    add(bench.db, state=ChangeState.DROPPED, sent_at=NOW - 5, settled_at=NOW - 4)
    add(bench.db)
    assert bench.sender.next_at() == NOW - 5 + SETTLE_AFTER
    bench.send(NOW - 5.1 + SETTLE_AFTER)
    assert bench.tasks.sent == []
    bench.send(NOW - 5 + SETTLE_AFTER)
    assert [ids for _, ids in bench.tasks.sent] == [[2]]


def test_a_host_that_is_not_ready_and_a_delayed_target_are_waited_for(bench: SenderBench) -> None:
    add(bench.db)
    add(bench.db, target="t2", state=ChangeState.UNKNOWN, sent_at=NOW - 500)
    add(bench.db, kind=TAGS, target="L1#C1", hold_seconds=1.0)
    bench.ready = {Host.BUSINESS: NOW + 30}
    assert bench.sender.next_at() == NOW + 1.0
    bench.send(NOW + 1.0)
    assert (bench.tasks.sent, bench.tasks.looks, len(bench.tags.sent)) == ([], [], 1)
    assert bench.sender.next_at() == NOW + 30
    bench.send(NOW + 30)
    assert (len(bench.tasks.sent), len(bench.tasks.looks)) == (1, 1)


@pytest.mark.parametrize(
    ("error", "is_of_host"),
    [
        (NotSent("offline"), True),
        (Ambiguous("lost"), True),
        (CredentialsRefused("no", status=401), True),
        (ServerError("broken", status=500), False),
        (BadReply("half of it"), False),
        (Refused("no", status=422), False),
    ],
)
def test_an_error_delays_its_target_twice_as_long_each_time_and_its_host_if_it_is_about_that(
    bench: SenderBench, error: ApiError, is_of_host: bool
) -> None:
    change = add(bench.db)
    bench.tasks.error = error
    waits = []
    for _ in range(9):
        bench.send()
        at = bench.sender.next_at()
        assert at is not None
        waits.append(at - bench.now)
        bench.now = at
    assert waits == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, *[MAX_TARGET_WAIT] * 3]
    assert bench.noted == ([(Host.BUSINESS, error)] * 9 if is_of_host else [])
    bench.tasks.error = None
    bench.send()
    assert read(bench.db, change).state is ChangeState.CONFIRMED
    add(bench.db)
    assert bench.sender.next_at() == NOW, "what was sent delays nothing after it"


def test_one_target_that_fails_holds_no_other_up(bench: SenderBench) -> None:
    add(bench.db, kind=TAGS, target="L1#C1")
    add(bench.db, kind=TAGS, target="L1#C2")
    add(bench.db)
    bench.tags.error = ServerError("broken", status=500)
    bench.send()
    assert ([ids for _, ids in bench.tags.sent], bench.tasks.sent) == ([[1], [2]], [(NOW, [3])])


def test_a_send_that_the_platform_did_not_accept_says_nothing_of_the_host(bench: SenderBench) -> None:
    bench.tasks.is_accepted = False
    add(bench.db)
    bench.send()
    assert (len(bench.tasks.sent), bench.noted) == (1, [])


@pytest.mark.parametrize("seconds", [-900.0, -3.0, 3.0, 7200.0])
def test_a_clock_that_is_set_neither_cuts_a_hold_or_a_transit_short_nor_draws_it_out(
    bench: SenderBench, seconds: float
) -> None:
    add(bench.db, hold_seconds=5.0)
    add(bench.db, target="t2", state=ChangeState.UNKNOWN, sent_at=NOW)
    assert bench.sender.next_at() == NOW + 2.0
    bench.now, bench.set_by = NOW + seconds, seconds
    bench.send(bench.now + 4.75)
    assert bench.tasks.sent == []
    bench.send(bench.now + 0.25)
    assert [ids for _, ids in bench.tasks.sent] == [[1]]
    while (at := bench.sender.next_at()) is not None:
        bench.send(at)
    assert [at - bench.set_by - NOW for at, _, final in bench.tasks.looks if final] == [SETTLE_AFTER]


def test_times_of_a_clock_that_was_set_back_before_the_sender_began_hold_nothing_up(bench: SenderBench) -> None:
    add(bench.db, now=NOW + 7200, hold_seconds=5.0)
    add(bench.db, target="t2", now=NOW + 7200)
    add(bench.db, target="t3", state=ChangeState.UNKNOWN, sent_at=NOW + 7200)
    bench.send()
    assert [ids for _, ids in bench.tasks.sent] == [[2]]
    assert bench.sender.next_at() == NOW + 2.0
    bench.send(NOW + 5.0)
    assert [ids for _, ids in bench.tasks.sent] == [[2], [1]]
    bench.send(NOW + SETTLE_AFTER)
    assert bench.tasks.looks[-1] == (NOW + SETTLE_AFTER, [3], True), "its whole wait began anew"


def test_a_campaign_that_is_not_created_does_not_rest_its_poll(bench: SenderBench) -> None:
    """Both are a kind and an id, and were equal."""
    add(bench.db, kind=CAMPAIGN, target="c1")
    bench.tags.error = NotSent("offline")
    bench.send()
    assert bench.failed
    assert Job(PollKind.CAMPAIGN, "c1") not in bench.failed


def test_a_change_that_was_taken_back_while_another_was_sent_is_not_sent(bench: SenderBench) -> None:
    add(bench.db)
    second = add(bench.db, target="t2")
    send = bench.tasks.send

    async def take_back(changes: Sequence[Change]) -> bool:
        queue.move(bench.db, second.change_id, ChangeState.UNDONE, expected=[second.state], now=NOW)
        return await send(changes)

    bench.tasks.send = take_back  # type: ignore[method-assign]
    bench.send()
    assert [ids for _, ids in bench.tasks.sent] == [[1]]


@pytest.fixture
def bulk(bench: SenderBench) -> SenderBench:
    """A bulk change of eight tasks, `b1` to `b8`, whose requests take a second each."""
    bench.request_seconds = 1.0
    for number in range(1, 9):
        add(bench.db, target=f"b{number}", batch="bulk")
    return bench


def test_a_change_beside_a_bulk_change_is_sent_next(bulk: SenderBench) -> None:
    """It waited for all of it: seven minutes for 240 tasks."""
    add(bulk.db, batch="held before it", target="t1", hold_seconds=2.0)
    add(bulk.db, batch="two tags", target="L1#C1", kind=TAGS)
    add(bulk.db, batch="two tags", target="L1#C2", kind=TAGS)
    send = bulk.tasks.send

    async def make_another(changes: Sequence[Change]) -> bool:
        if changes[0].target == "b2":
            add(bulk.db, batch="made meanwhile", target="t2", now=bulk.now)
        return await send(changes)

    bulk.tasks.send = make_another  # type: ignore[method-assign]
    bulk.send()
    assert [ids for _, ids in bulk.tags.sent] == [[10], [11]]
    assert [ids for _, ids in bulk.tasks.sent] == [[9], [1], [2], [12], [3], [4], [5], [6], [7], [8]]


def test_a_single_change_of_a_task_in_a_bulk_change_takes_that_along(bulk: SenderBench) -> None:
    add(bulk.db, batch="single", target="b7")
    bulk.send()
    assert [ids for _, ids in bulk.tasks.sent] == [[7, 9], [1], [2], [3], [4], [5], [6], [8]]


def test_what_makes_no_progress_keeps_no_other_waiting(bulk: SenderBench) -> None:
    """A single change that a colleague's claim keeps back would be due again and again."""
    add(bulk.db, batch="single", target="claimed")
    send, tries = bulk.tasks.send, []

    async def keep_back(changes: Sequence[Change]) -> bool:
        if changes[0].target != "claimed":
            return await send(changes)
        tries.append(bulk.now - NOW)
        return False

    bulk.tasks.send = keep_back  # type: ignore[method-assign]
    bulk.send()
    assert len(bulk.tasks.sent) == 8
    assert tries == [0.0, 1.0, 8.0], "the last five are a small batch, which was made before it"


def test_a_bulk_change_is_read_once_not_once_for_each_of_its_tasks(
    bench: SenderBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    unsent, reads = queue.unsent, []

    def count_reads(db: apsw.Connection) -> list[Change]:
        reads.append(1)
        return unsent(db)

    monkeypatch.setattr(queue, "unsent", count_reads)
    for number in range(100):
        add(bench.db, target=f"b{number}", batch="bulk")
    bench.send()
    assert len(bench.tasks.sent) == 100
    assert len(reads) == 2, "the second finds that nothing is left"


def test_a_target_that_makes_no_progress_for_days_is_still_tried(bench: SenderBench) -> None:
    bench.sender.delays[("task", "t1")] = (5_000, 0.0)
    bench.tasks.is_accepted = False
    add(bench.db, target="t1")
    bench.end = lambda changes: None  # type: ignore[method-assign]
    bench.send()
    assert bench.sender.next_at() == NOW + 2.0
