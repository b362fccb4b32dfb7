"""What becomes of changes while they are sent: each transition by its rows, and each error by what it means."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from types import SimpleNamespace
from typing import Any

import apsw
import pytest

from frontdesk.outbox import queue
from frontdesk.outbox.changes import ChangeHandler
from frontdesk.outbox.delivery import Confirmation, is_refusal
from frontdesk.storage import change_feed
from frontdesk.storage.records import UNCONFIRMED, Change, ChangeKind, ChangeState
from frontdesk_api.client.errors import (
    MAX_RETRY_AFTER,
    Ambiguous,
    ApiError,
    BadReply,
    BadRequestInput,
    CredentialsMissing,
    CredentialsRefused,
    NotFound,
    NotSent,
    RateLimited,
    Redirected,
    Refused,
    ServerError,
)
from outbox.rows import NOW, add, read, told

LATER = NOW + 7.0
SENT = (ChangeState.SENDING, ChangeState.UNKNOWN)


class Handler(ChangeHandler):
    """Keeps what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[list[str]] = []
        self.refused: list[Change] = []

    def show(self, db: apsw.Connection, targets: Sequence[str]) -> None:
        self.shown.append(list(targets))

    def clean_up_refused(self, db: apsw.Connection, change: Change) -> None:
        self.refused.append(change)


class ConfirmationBench:
    """A confirmation over an outbox in memory."""

    def __init__(self, db: apsw.Connection) -> None:
        self.db, self.handler = db, Handler()
        store: Any = SimpleNamespace(run=self.run)
        handlers = dict.fromkeys(ChangeKind, self.handler)
        self.confirmation = Confirmation(store, handlers, lambda: LATER, "me")

    async def run(self, job: Callable[[apsw.Connection], Any]) -> Any:
        return job(self.db)

    def do(self, what: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run(what)

    def pair(self, state: ChangeState) -> tuple[Change, Change]:
        """A change that was sent once, and another of its field behind it."""
        return (
            add(self.db, state=state, sends=1, sent_at=NOW),
            add(self.db, fields={"title": "newest"}, base={"title": "new"}),
        )


@pytest.fixture
def bench(db: apsw.Connection) -> ConfirmationBench:
    return ConfirmationBench(db)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (NotSent("x"), False),
        (CredentialsMissing("x"), False),
        (CredentialsRefused("x", status=401), False),
        (RateLimited("x", status=429), False),
        (Redirected("x", status=302), False),
        (Ambiguous("x"), False),
        (BadReply("x"), False),
        (ServerError("x", status=500), False),
        (Refused("x", status=422), True),
        (NotFound("x", status=404), True),
        (BadRequestInput("x"), True),
    ],
)
def test_only_what_will_never_be_accepted_is_a_refusal(error: ApiError, expected: bool) -> None:
    assert is_refusal(error) is expected


@pytest.mark.parametrize("state", SENT)
@pytest.mark.parametrize(
    ("error", "wait"),
    [
        (NotSent("offline"), 0.0),
        (CredentialsMissing("none"), 0.0),
        (CredentialsRefused("no", status=401), 0.0),
        (Redirected("elsewhere", status=302), 0.0),
        (RateLimited("slow", status=429, retry_after=30), 30.0),
        (RateLimited("slow", status=429, retry_after=1e9), MAX_RETRY_AFTER),
    ],
)
def test_what_changed_nothing_waits_to_be_sent_again_and_that_send_does_not_count(
    bench: ConfirmationBench, state: ChangeState, error: ApiError, wait: float
) -> None:
    change, follower = bench.pair(state)
    with pytest.raises(type(error)):
        bench.do(bench.confirmation.resolve_failure([change], error))
    found = read(bench.db, change)
    assert (found.state, found.reason, found.send_after) == (ChangeState.QUEUED, str(error), LATER + wait)
    assert (found.sends, found.sent_at, read(bench.db, follower)) == (0, None, follower)


@pytest.mark.parametrize("error", [Ambiguous("lost"), BadReply("half"), ServerError("broken", status=500)])
def test_what_was_perhaps_done_is_unknown_from_now_on(bench: ConfirmationBench, error: ApiError) -> None:
    change, other = bench.pair(ChangeState.SENDING)
    with pytest.raises(type(error)):
        bench.do(bench.confirmation.resolve_failure([change, other], error))
    found = read(bench.db, change)
    assert (found.state, found.reason) == (ChangeState.UNKNOWN, str(error))
    assert (found.sends, found.sent_at) == (1, LATER)
    assert read(bench.db, other) == other, "it was not being sent"


@pytest.mark.parametrize("error", [Refused("no such status", status=422), BadRequestInput("too long")])
def test_what_is_refused_is_shown_no_more_and_what_follows_begins_where_it_began(
    bench: ConfirmationBench, error: ApiError
) -> None:
    change, follower = bench.pair(ChangeState.SENDING)
    bench.do(bench.confirmation.resolve_failure([change], error))
    found = read(bench.db, change)
    assert (found.state, found.reason, found.settled_at) == (ChangeState.REFUSED, str(error), LATER)
    assert (found.sends, found.sent_at) == (0, None), "nothing of it is in transit"
    assert read(bench.db, follower).base == {"title": "old"}
    assert (bench.handler.refused, bench.handler.shown) == ([change], [["t1"]])


@pytest.mark.parametrize("state", [ChangeState.HELD, ChangeState.QUEUED, *SENT])
def test_a_confirmed_change_is_the_beginning_of_what_follows(bench: ConfirmationBench, state: ChangeState) -> None:
    change, follower = bench.pair(state)
    bench.do(bench.confirmation.confirm(change))
    found = read(bench.db, change)
    assert (found.state, found.reason, found.settled_at, found.sends) == (ChangeState.CONFIRMED, "", LATER, 1)
    assert read(bench.db, follower) == follower
    assert (bench.handler.refused, bench.handler.shown) == ([], [["t1"]])


def test_a_change_whose_outcome_nobody_can_know_is_left_to_the_person(bench: ConfirmationBench) -> None:
    change, follower = bench.pair(ChangeState.UNKNOWN)
    bench.do(bench.confirmation.mark_needs_decision(change, "sent twice"))
    found = read(bench.db, change)
    assert (found.state, found.reason, found.sends, found.sent_at) == (ChangeState.CONFLICT, "sent twice", 1, NOW)
    assert read(bench.db, follower).base == {"title": "old"}
    assert (bench.handler.refused, bench.handler.shown) == ([], [["t1"]])


@pytest.mark.parametrize("state", ChangeState)
def test_a_person_who_leaves_releases_what_is_held_and_nothing_else(
    bench: ConfirmationBench, state: ChangeState
) -> None:
    change = add(bench.db, state=state, send_after=LATER + 3)
    at = change_feed.position(bench.db)
    bench.do(bench.confirmation.release_held())
    found = read(bench.db, change)
    if state is ChangeState.HELD:
        assert (found.state, found.send_after) == (ChangeState.QUEUED, LATER)
        assert told(bench.db, at) == {str(change.change_id)}
    else:
        assert (found, told(bench.db, at)) == (change, set())


@pytest.mark.parametrize("state", ChangeState)
def test_why_a_change_waits_is_noted_once(bench: ConfirmationBench, state: ChangeState) -> None:
    change = add(bench.db, state=state)
    at = change_feed.position(bench.db)
    bench.do(bench.confirmation.set_wait_reason([change], "can't load it"))
    found = read(bench.db, change)
    if state not in (ChangeState.HELD, ChangeState.QUEUED):
        assert (found, told(bench.db, at)) == (change, set())
        return
    assert (found.state, found.reason, found.send_after) == (
        ChangeState.QUEUED,
        "can't load it",
        change.send_after,
    )
    at = change_feed.position(bench.db)
    bench.do(bench.confirmation.set_wait_reason([found], "can't load it"))
    assert told(bench.db, at) == set(), "no row is written for the same reason"


def test_a_request_is_claimed_with_what_was_read_right_before(bench: ConfirmationBench) -> None:
    change = add(bench.db, fields={"title": "new", "body": "b"}, base={"title": "old", "x": 1})
    (claimed,) = bench.do(bench.confirmation.claim([change], {"title": "read", "other": 1}))
    assert claimed.base == {"title": "read", "body": None, "x": 1}
    assert (claimed.state, claimed.sends, claimed.sent_at) == (ChangeState.SENDING, 1, LATER)
    assert bench.db.execute("SELECT owner FROM outbox.changes").fetchall() == [("me",)]
    other = add(bench.db)
    (claimed,) = bench.do(bench.confirmation.claim([other]))
    assert claimed.base == {"title": "old"}
    assert bench.do(bench.confirmation.claim([other])) == [], "it isn't as it was any more"


def test_what_an_ended_process_left_is_unknown_and_drawn_anew(bench: ConfirmationBench) -> None:
    change, _ = bench.pair(ChangeState.SENDING)
    bench.do(bench.confirmation.adopt_orphans())
    assert (read(bench.db, change).state, read(bench.db, change).sent_at) == (ChangeState.UNKNOWN, LATER)
    assert len(bench.handler.shown) == len(ChangeKind)
    assert ["t1"] in bench.handler.shown
    assert {each.state for each in queue.unsent(bench.db)} <= set(UNCONFIRMED)
