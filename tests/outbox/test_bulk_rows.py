"""How far bulk actions are, what failed of them and what they cost, by the rows of the outbox."""

import apsw
import pytest

from frontdesk.config.request_pace import RequestLimits
from frontdesk.config.settings import Profile, Settings
from frontdesk.outbox import queue
from frontdesk.outbox.bulk import (
    LATELY_SECONDS,
    MANY,
    REQUEST_PACE,
    REQUESTS,
    BulkRun,
    Cost,
    describe_cost,
    describe_effect,
    describe_progress,
    estimate_cost,
    failures,
    oldest_running,
    outcome,
    present_limits,
    unconfirmed_count,
    undecided_count,
    waiting_requests,
)
from frontdesk.outbox.task_fields import ASSIGNED
from frontdesk.storage.database import ProfileStore, Store
from frontdesk.storage.records import NEEDS_PERSON, UNCONFIRMED, ChangeKind, ChangeState
from frontdesk_api.hosts import Hosts
from inbox.view.test_conversation_row import LATE
from outbox.rows import NOW, add
from sample_records import VIEW, words
from sample_records import at as moment

NOON = moment(18, 12)


def act(db: apsw.Connection, batch: str, *states: ChangeState, now: float = NOW) -> list[int]:
    return [
        add(db, batch=batch, target=f"t{number}", state=state, now=now, label=f"Label {batch}").change_id
        for number, state in enumerate(states)
    ]


@pytest.mark.parametrize("state", ChangeState)
def test_a_run_counts_each_state_as_what_it_is(db: apsw.Connection, state: ChangeState) -> None:
    act(db, "b", *[ChangeState.QUEUED] * MANY, state)
    is_cancelled = state in (ChangeState.UNDONE, ChangeState.DROPPED)
    is_settled = state in (ChangeState.CONFIRMED, *NEEDS_PERSON)
    assert oldest_running(db, NOW) == BulkRun(
        "b", "Label b", ChangeKind.TASK, MANY + (not is_cancelled), int(is_settled), int(state in NEEDS_PERSON), 0
    )
    assert unconfirmed_count(db) == MANY + (state in UNCONFIRMED)
    assert undecided_count(db) == (state in NEEDS_PERSON)


def test_the_oldest_action_on_many_that_has_not_ended_is_the_one_that_runs(db: apsw.Connection) -> None:
    assert oldest_running(db, NOW) is None
    act(db, "few", *[ChangeState.QUEUED] * (MANY - 1))
    act(db, "ended", *[ChangeState.CONFIRMED] * MANY)
    act(db, "stopped", *[ChangeState.QUEUED] * (MANY - 1), *[ChangeState.DROPPED] * 3)
    assert oldest_running(db, NOW) is None
    act(db, "first", *[ChangeState.CONFIRMED] * (MANY - 1), ChangeState.SENDING)
    act(db, "second", *[ChangeState.QUEUED] * MANY)
    found = oldest_running(db, NOW)
    assert found is not None
    assert (found.batch, found.total, found.settled) == ("first", MANY, MANY - 1)


def test_the_changes_of_one_moment_are_one_wave(db: apsw.Connection) -> None:
    """An undo of many is counted by itself, not with what it undoes."""
    act(db, "b", *[ChangeState.CONFIRMED] * 3, *[ChangeState.REFUSED] * 4)
    act(db, "b", *[ChangeState.CONFIRMED] * 2, *[ChangeState.CONFLICT], *[ChangeState.QUEUED] * 3, now=NOW + 9)
    found = oldest_running(db, NOW + 9)
    assert found is not None
    assert (found.total, found.settled, found.failed) == (6, 3, 1)
    assert outcome(db, "b")[:2] == (2, 1)
    assert outcome(db, "another") == (0, 0, 0.0)


@pytest.mark.parametrize(
    ("sent_at", "is_lately"),
    [(NOW, True), (NOW + 0.1, False), (NOW - LATELY_SECONDS + 0.1, True), (NOW - LATELY_SECONDS, False)],
)
def test_what_was_sent_in_the_last_minute_uses_its_budget(
    db: apsw.Connection, sent_at: float, is_lately: bool
) -> None:
    ids = act(db, "b", *[ChangeState.QUEUED] * MANY)
    db.execute("UPDATE outbox.changes SET sent_at = ? WHERE change_id = ?", (sent_at, ids[0]))
    found = oldest_running(db, NOW)
    assert found is not None
    assert found.sent_lately == is_lately


def test_what_failed_is_that_of_an_action_or_of_the_newest_with_any(db: apsw.Connection) -> None:
    assert failures(db) == []
    old = act(db, "old", ChangeState.REFUSED, ChangeState.CONFIRMED, ChangeState.CONFLICT)
    new = act(db, "new", ChangeState.QUEUED, ChangeState.CONFLICT)
    act(db, "newest", ChangeState.CONFIRMED)
    assert [each.change_id for each in failures(db)] == [new[1]]
    assert [each.change_id for each in failures(db, "old")] == [old[0], old[2]]
    assert failures(db, "newest") == failures(db, "none") == []


@pytest.mark.parametrize("kind", ChangeKind)
def test_each_kind_costs_its_requests_and_at_least_the_time_of_sending_them(kind: ChangeKind) -> None:
    limits = RequestLimits(5, 120, 120)
    for count in (0, 1, 3, 60):
        requests = count * REQUESTS[kind]
        found = estimate_cost({kind: count}, limits)
        assert found.requests == requests
        assert found.seconds == pytest.approx(max(requests / 5, (requests - 8) * 60 / 80), rel=0.01)
    slow = RequestLimits(0.2, 120, 120)
    assert estimate_cost({ChangeKind.TAGS: 4}, slow).seconds == 4.0, "one a second is the least"
    tiny = estimate_cost({ChangeKind.TAGS: 2}, RequestLimits(5, 1, 1))
    assert 0 < tiny.seconds <= 120, "and one a minute"


def test_a_bulk_change_is_sent_after_what_waits_and_a_small_one_at_once(db: apsw.Connection) -> None:
    act(db, "running", *[ChangeState.QUEUED] * 60, *[ChangeState.CONFIRMED] * 60)
    before, limits = waiting_requests(db), RequestLimits(5, 120, 120)
    assert before == 120
    assert estimate_cost({ChangeKind.TASK: MANY}, limits, before).before == 0
    cost = estimate_cost({ChangeKind.TASK: 60}, limits, before)
    assert describe_cost(cost, 120) == "Takes about 3 minutes (120 requests after 120 others, about 80 a minute)"


def test_a_cost_names_the_pace_that_holds_it_up() -> None:
    assert describe_cost(Cost(0, 1.0), 120) == "Takes less than a minute (0 requests)"
    assert describe_cost(Cost(80, 1.0), 120) == "Takes less than a minute (80 requests)"
    assert describe_cost(Cost(81, 1.0), 120) == "Takes less than a minute (81 requests, about 80 a minute)"
    assert (
        describe_cost(Cost(3_000, 1.0), 1_500) == "Takes less than a minute (3,000 requests, about 1,001 a minute)"
    )


@pytest.mark.parametrize(("learned", "expected"), [(None, 120), (75.0, 75), (300.0, 240)])
def test_a_cost_is_that_of_the_pace_that_the_engine_has_learned(
    store: Store, learned: float | None, expected: int
) -> None:
    here = ProfileStore(
        store, Profile("test", Hosts(*["https://a.example"] * 5)), Settings(requests_per_minute=240)
    )
    if learned is not None:
        store.write(lambda db: queue.keep(db, REQUEST_PACE, "", learned, 1.0)).result()
    assert present_limits(here).start == expected


@pytest.mark.parametrize(("lately", "is_waiting"), [(32, False), (33, True)])
def test_a_run_that_has_used_up_its_minute_waits_for_the_next(lately: int, is_waiting: bool) -> None:
    run = BulkRun("b", "Tag: VIP", ChangeKind.TASK, 1_200, 1_000, 0, lately)
    waiting = " · waiting for rate limit" if is_waiting else ""
    assert words(describe_progress(run, 120, stops="")) == f"tagging 1,000 of 1,200{waiting}"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"dueDate": None}, "11:30 → no due date"),
        ({"dueDate": NOON}, "11:30 → 12:00"),
        ({ASSIGNED: {"add": ["noa"]}}, ""),
        ({ASSIGNED: {"add": ["x9", "y8"]}}, "+x9  +y8"),
        ({ASSIGNED: {"remove": ["noa", "me"]}}, "-Noa  -Me"),
    ],
)
def test_an_effect_is_what_would_differ(fields: dict[str, object], expected: str) -> None:
    assert words(describe_effect(LATE, fields, VIEW)) == expected
