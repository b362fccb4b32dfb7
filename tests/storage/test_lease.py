"""One engine at a time may write and send, also when engines stand still and go on."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from frontdesk.outbox import queue
from frontdesk.storage import clients
from frontdesk.storage.database import Store
from frontdesk.storage.database_files import prepare
from frontdesk.storage.lease import LEASE_SECONDS, RENEW_SECONDS, Lease, LeaseLost, try_acquire
from frontdesk.storage.records import ChangeKind, ChangeState, Made
from new_store import open_store

START = 1_000.0


class Machine:
    """The clock of one machine, and the processes on it that share a store."""

    def __init__(self, folder: Path, count: int):
        self.now = START
        open_store(folder).close()
        self.stores = [Store(folder) for _ in range(count)]
        self.leases: list[Lease | None] = [None] * count

    def clock(self) -> float:
        return self.now

    def acquire(self, number: int) -> Lease | None:
        lease = asyncio.run(try_acquire(self.stores[number], self.clock))
        if lease is not None:
            self.leases[number] = lease
        return lease

    def write(self, number: int) -> None:
        self.stores[number].write(lambda _: None).result()

    def die(self, number: int) -> None:
        """End without a word: the system frees the file lock."""
        lease, self.leases[number] = self.leases[number], None
        if lease is not None:
            lease.unlock_file()
        self.stores[number].guard = None

    def give_up(self, number: int) -> None:
        lease = self.leases[number]
        assert lease is not None
        self.stores[number].write(lease.give_up).result()
        self.die(number)

    def close(self) -> None:
        for number, store in enumerate(self.stores):
            self.die(number)
            store.close()


@pytest.fixture
def three(tmp_path: Path) -> Iterator[Machine]:
    machine = Machine(tmp_path / "profile", 3)
    yield machine
    machine.close()


def claim(store: Store) -> list[object]:
    """Claim the only change, as a sender does right before the first byte."""
    seen = queue.unsent(store.reading)
    return list(store.write(lambda db: queue.claim(db, seen, "me", START)).result())


def test_an_engine_that_stood_still_is_replaced_and_can_no_longer_claim(three: Machine) -> None:
    first, second, third = three.stores
    first.write(lambda db: queue.add(db, Made("b", "", START), ChangeKind.TASK, "t1", {}, {})).result()
    assert clients.health(first.reading).process == 0
    stopped = three.acquire(0)
    assert stopped is not None
    assert clients.health(second.reading).process == os.getpid()
    three.now += LEASE_SECONDS - 0.1
    assert three.acquire(1) is None
    assert stopped.may_send
    three.now += 0.1
    assert not stopped.may_send, "it needs no look into the store"
    assert (successor := three.acquire(1)) is not None
    assert successor.token == stopped.token + 1

    with pytest.raises(LeaseLost):
        claim(first)
    assert [each.state for each in queue.unsent(third.reading)] == [ChangeState.QUEUED]
    assert stopped.is_lost
    assert claim(second)


def test_a_lease_that_ran_out_with_nobody_there_goes_on(three: Machine) -> None:
    stopped = three.acquire(0)
    assert stopped is not None
    three.now += 10 * LEASE_SECONDS
    three.write(0)
    assert stopped.may_send
    assert three.acquire(1) is None


def test_writes_renew_the_lease(three: Machine) -> None:
    lease = three.acquire(0)
    assert lease is not None
    for _ in range(10):
        three.now += RENEW_SECONDS
        three.write(0)
        assert three.acquire(1) is None
    three.now += LEASE_SECONDS - 0.1
    assert lease.may_send
    assert three.acquire(1) is None


def test_a_renewal_that_was_rolled_back_does_not_count(three: Machine) -> None:
    lease = three.acquire(0)
    assert lease is not None
    three.now += LEASE_SECONDS - 1

    def fail(_db: object) -> None:
        raise ValueError

    with pytest.raises(ValueError):
        three.stores[0].write(fail).result()
    three.now += 1
    assert not lease.may_send
    assert three.acquire(1) is not None


def test_an_engine_that_dies_or_ends_is_replaced_at_once(three: Machine) -> None:
    assert three.acquire(0) is not None
    three.die(0)
    assert three.acquire(1) is not None
    three.give_up(1)
    assert three.acquire(2) is not None


def test_the_death_of_one_that_took_over_is_noticed_at_once_when_the_stopped_one_is_gone(three: Machine) -> None:
    assert three.acquire(0) is not None
    three.now += LEASE_SECONDS
    assert three.acquire(1) is not None, "the file lock is still held by the stopped one"
    three.die(0)
    assert three.acquire(2) is None, "a free file lock alone says nothing about who took over without it"
    three.now += RENEW_SECONDS
    three.write(1)
    three.die(1)
    assert three.acquire(2) is not None


def test_nothing_is_written_after_the_lease_was_given_up(three: Machine) -> None:
    lease = three.acquire(0)
    assert lease is not None
    three.stores[0].write(lease.give_up).result()
    with pytest.raises(LeaseLost):
        three.write(0)
    assert not lease.may_send


def test_a_lease_of_before_a_reboot_is_free(three: Machine) -> None:
    assert three.acquire(0) is not None
    three.now = 3.0
    assert three.acquire(1) is not None


def test_an_engine_of_an_earlier_version_has_the_file_lock_alone(tmp_path: Path) -> None:
    prepare(tmp_path / "profile")
    machine = Machine(tmp_path / "profile", 1)
    earlier = Lease(tmp_path / "profile")
    assert earlier.lock_file()
    assert machine.acquire(0) is None
    earlier.unlock_file()
    assert machine.acquire(0) is not None
    machine.close()


class LeaseMachine(RuleBasedStateMachine):
    """Three engines; a stopped one does nothing, and believes what it knew when it goes on."""

    engines = st.integers(0, 2)

    def __init__(self, folder: Path):
        super().__init__()
        self.machine = Machine(folder, 3)
        self.stopped: set[int] = set()
        self.tokens: list[int] = []

    @rule(number=engines)
    def acquire(self, number: int) -> None:
        if number not in self.stopped and self.machine.leases[number] is None:
            lease = self.machine.acquire(number)
            if lease is not None:
                self.tokens.append(lease.token)

    @rule(number=engines)
    def write(self, number: int) -> None:
        lease = self.machine.leases[number]
        if number in self.stopped or lease is None:
            return
        try:
            self.machine.write(number)
        except LeaseLost:
            assert lease.token < self.tokens[-1]
            self.machine.die(number)
        else:
            assert lease.token == self.tokens[-1], "only the newest writes"

    @rule(number=engines)
    def stop_or_continue(self, number: int) -> None:
        self.stopped ^= {number}

    @rule(number=engines)
    def die(self, number: int) -> None:
        self.stopped.discard(number)
        self.machine.die(number)

    @rule(number=engines)
    def end(self, number: int) -> None:
        lease = self.machine.leases[number]
        if number not in self.stopped and lease is not None and lease.token == self.tokens[-1]:
            self.machine.give_up(number)

    @rule(seconds=st.sampled_from((0.5, RENEW_SECONDS, LEASE_SECONDS - 1, LEASE_SECONDS, 60.0)))
    def wait(self, seconds: float) -> None:
        self.machine.now += seconds

    @invariant()
    def one_at_most_may_send(self) -> None:
        sending = [lease for lease in self.machine.leases if lease is not None and lease.may_send]
        assert len(sending) <= 1
        assert all(lease.token == self.tokens[-1] for lease in sending)

    @invariant()
    def tokens_only_grow(self) -> None:
        assert self.tokens == sorted(set(self.tokens))

    def teardown(self) -> None:
        self.machine.now += LEASE_SECONDS
        self.stopped.clear()
        for number in range(3):
            self.machine.leases[number] = None if self.machine.leases[number] is None else self._after_stop(number)
        assert any(self.machine.leases) or self.machine.acquire(0), "somebody can always go on"
        self.machine.close()

    def _after_stop(self, number: int) -> Lease | None:
        try:
            self.machine.write(number)
        except LeaseLost:
            self.machine.die(number)
        return self.machine.leases[number]


@pytest.mark.slow
def test_at_no_time_two_engines_may_send(tmp_path_factory: pytest.TempPathFactory) -> None:
    run_state_machine_as_test(
        lambda: LeaseMachine(tmp_path_factory.mktemp("lease") / "profile"),
        settings=settings(
            max_examples=30, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
