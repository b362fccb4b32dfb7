"""Changes as rows: each function moves or finds just those that it names, and tells the feed."""

import apsw
import pytest

from frontdesk.outbox import queue
from frontdesk.storage import change_feed
from frontdesk.storage.records import NEEDS_PERSON, UNCONFIRMED, Change, ChangeKind, ChangeState
from frontdesk_api.contract.ids import TagId
from outbox.rows import NOW, add, read, told


def ids(changes: list[Change]) -> list[int]:
    return [each.change_id for each in changes]


@pytest.mark.parametrize(
    ("hold", "state", "send_after"),
    [(0.0, ChangeState.QUEUED, NOW), (5.0, ChangeState.HELD, NOW + 5), (0.5, ChangeState.HELD, NOW + 0.5)],
)
def test_a_change_is_read_as_it_was_added(
    db: apsw.Connection, hold: float, state: ChangeState, send_after: float
) -> None:
    at = change_feed.position(db)
    first = add(db, hold_seconds=hold, fields={"title": "ünï"}, undoes=None)
    second = add(db, undoes=first.change_id, hold_seconds=hold)
    assert first == Change(
        first.change_id,
        "b",
        ChangeKind.TASK,
        "t1",
        {"title": "ünï"},
        {"title": "old"},
        "Edit",
        state,
        NOW,
        send_after,
    )
    assert second.undoes == first.change_id
    assert told(db, at) == {str(first.change_id), str(second.change_id)}
    assert "ünï" in db.execute("SELECT fields FROM outbox.changes").fetchall()[0][0]


@pytest.mark.parametrize("state", ChangeState)
def test_a_change_moves_only_from_an_expected_state_and_is_settled_where_it_ends(
    db: apsw.Connection, state: ChangeState
) -> None:
    each = add(db, sent_at=900.0)
    at = change_feed.position(db)
    assert not queue.move(db, each.change_id, state, expected=[ChangeState.HELD], now=2000.0, reason="x")
    assert (read(db, each), told(db, at)) == (each, set())
    assert queue.move(
        db,
        each.change_id,
        state,
        expected=[ChangeState.QUEUED, ChangeState.HELD],
        now=2000.0,
        reason="x",
        theirs={"a": 1},
    )
    found = read(db, each)
    assert (found.state, found.reason, found.theirs, found.send_after) == (state, "x", {"a": 1}, NOW)
    assert found.settled_at == (None if state in UNCONFIRMED else 2000.0)
    assert told(db, at) == {str(each.change_id)}
    assert queue.move(db, each.change_id, state, expected=[state], now=2000.0, send_after=3000.0)
    assert (read(db, each).send_after, read(db, each).theirs, read(db, each).reason) == (3000.0, None, "")


def test_of_several_those_that_moved_are_returned(db: apsw.Connection) -> None:
    states = [ChangeState.HELD, ChangeState.SENDING, ChangeState.QUEUED]
    changes = [add(db, state=state) for state in states]
    expected = [ChangeState.HELD, ChangeState.QUEUED]
    moved = queue.move_all(
        db, changes, ChangeState.UNKNOWN, expected=expected, now=NOW, reason="why", send_after=1234.0
    )
    assert ids(moved) == [changes[0].change_id, changes[2].change_id]
    found = [read(db, each) for each in moved]
    assert {(each.state, each.reason, each.send_after) for each in found} == {(ChangeState.UNKNOWN, "why", 1234.0)}
    assert read(db, changes[1]) == changes[1]


def test_all_changes_of_a_request_are_claimed_or_none(db: apsw.Connection) -> None:
    first, second = add(db), add(db, fields={"body": "x"}, base={"body": "b", "more": 1})
    stale = add(db)
    queue.set_fields(db, stale.change_id, {"title": "other"})
    assert queue.claim(db, [first, stale], "me", 2000.0) == []
    assert read(db, first) == first
    at = change_feed.position(db)
    claimed = queue.claim(db, [first, second], "me", 2000.0, {"title": "seen", "body": "seen too", "status": 1})
    assert [each.base for each in claimed] == [{"title": "seen"}, {"body": "seen too", "more": 1}]
    assert {(each.state, each.sends, each.sent_at) for each in claimed} == {(ChangeState.SENDING, 1, 2000.0)}
    assert told(db, at) == {str(first.change_id), str(second.change_id)}
    assert db.execute("SELECT DISTINCT owner FROM outbox.changes WHERE sends > 0").fetchall() == [("me",)]


def test_a_value_that_was_read_is_the_base_of_the_first_change_of_its_field_alone(db: apsw.Connection) -> None:
    first, second = add(db), add(db, base={"title": "new"}, fields={"title": "newest"})
    claimed = queue.claim(db, [first, second], "me", NOW, {"title": "seen"})
    assert [each.base for each in claimed] == [{"title": "seen"}, {"title": "new"}]


def test_a_send_that_changed_nothing_is_uncounted(db: apsw.Connection) -> None:
    twice, never, other = add(db, sends=2, sent_at=1.0), add(db, sent_at=1.0), add(db, sends=2, sent_at=1.0)
    queue.uncount_sends(db, [twice, never])
    assert [(read(db, each).sends, read(db, each).sent_at) for each in (twice, never, other)] == [
        (1, None),
        (0, None),
        (2, 1.0),
    ]


def test_a_send_may_have_arrived_until_its_transit_has_ended(db: apsw.Connection) -> None:
    sent = add(db, sends=1, sent_at=5.0)
    add(db, target="t2", sends=1)
    add(db, target="t3", sent_at=5.0)
    for target, kind, expected in (
        ("t1", ChangeKind.TASK, True),
        ("t1", ChangeKind.TAGS, False),
        ("t2", ChangeKind.TASK, False),
        ("t3", ChangeKind.TASK, False),
        ("t4", ChangeKind.TASK, False),
    ):
        assert queue.was_sent(db, target, kind) is expected
    other = add(db, sends=1, sent_at=6.0, target="t5")
    queue.end_transit(db, sent.change_id)
    assert not queue.was_sent(db, "t1", ChangeKind.TASK)
    assert read(db, other).sent_at == 6.0
    queue.restart_transit(db, [sent], 70.0)
    assert (read(db, sent).sent_at, read(db, other).sent_at) == (70.0, 6.0)


@pytest.mark.parametrize("state", ChangeState)
def test_only_changes_that_were_being_sent_become_unknown(db: apsw.Connection, state: ChangeState) -> None:
    each = add(db, state=state, sent_at=5.0)
    at = change_feed.position(db)
    queue.mark_orphans_unknown(db, 90.0)
    found = read(db, each)
    if state is ChangeState.SENDING:
        assert (found.state, found.sent_at) == (ChangeState.UNKNOWN, 90.0)
        assert found.reason == "frontdesk stopped while sending"
        assert told(db, at) == {str(each.change_id)}
    else:
        assert (found, told(db, at)) == (each, set())


def test_what_follows_a_change_that_is_gone_begins_where_it_began(db: apsw.Connection) -> None:
    earlier = add(db, base={"title": "first"})
    gone = add(db, base={"title": "a", "body": "b"}, fields={"title": "x", "body": "y"})
    follower = add(db, base={"title": "x", "status": 1}, fields={"title": "z", "status": 2})
    second = add(db, base={"title": "z", "body": "y"}, fields={"title": "zz", "body": "yy"})
    others = [
        add(db, target="t2", base={"title": "x"}),
        add(db, base={"title": "x"}, state=ChangeState.CONFIRMED),
        add(db, base={"title": "x"}, kind=ChangeKind.CAMPAIGN),
    ]
    at = change_feed.position(db)
    queue.rebase_followers(db, gone)
    assert read(db, follower).base == {"title": "a", "status": 1}
    assert read(db, second).base == {"title": "z", "body": "b"}, "its title begins where the one before it ends"
    assert [read(db, each) for each in (earlier, gone, *others)] == [earlier, gone, *others]
    assert told(db, at) == {str(follower.change_id), str(second.change_id)}
    queue.rebase_followers(db, gone, {"title": "theirs"})
    assert (read(db, follower).base, read(db, second).base["body"]) == ({"title": "theirs", "status": 1}, None)
    at = change_feed.position(db)
    queue.rebase_followers(db, gone, {"title": "theirs"})
    assert told(db, at) == set(), "nothing differs"


@pytest.mark.parametrize("state", ChangeState)
def test_targets_with_a_change_that_was_settled_after_a_position_of_the_feed(
    db: apsw.Connection, state: ChangeState
) -> None:
    earlier, later = add(db, target="earlier"), add(db, target="later")
    for change in (earlier, later):
        position = change_feed.position(db)
        queue.move(db, change.change_id, state, expected=(change.state,), now=1.0)
    is_settled = state not in UNCONFIRMED
    assert queue.settled_since(db, position) == ({"later"} if is_settled else set())
    assert queue.settled_since(db, 0) == ({"earlier", "later"} if is_settled else set())
    db.execute("DELETE FROM feed WHERE seq <= ?", (position,))
    assert queue.settled_since(db, position - 1) == ({"earlier", "later"} if is_settled else set())


@pytest.mark.parametrize("state", ChangeState)
def test_what_was_dropped_or_undone_may_still_be_in_transit(db: apsw.Connection, state: ChangeState) -> None:
    changes = [
        add(db, state=state, sent_at=sent_at, settled_at=settled_at)
        for sent_at, settled_at in ((110.0, 120.0), (115.0, 120.0), (100.0, 120.0), (130.0, 100.0))
    ]
    may_arrive = state in (ChangeState.DROPPED, ChangeState.UNDONE)
    assert queue.dropped_in_transit(db, 100.0) == (changes[:2] if may_arrive else [])


def test_lists_hold_changes_by_their_state_in_their_order(db: apsw.Connection) -> None:
    made = {state: add(db, state=state).change_id for state in ChangeState}
    elsewhere = add(db, target="t2", kind=ChangeKind.TAGS, batch="c", state=ChangeState.REFUSED).change_id
    live = [made[state] for state in ChangeState if state in UNCONFIRMED]
    undecided = [made[state] for state in ChangeState if state in NEEDS_PERSON]
    assert ids(queue.live_for(db, "t1")) == ids(queue.unsent(db)) == live
    assert (queue.live_for(db, "t2"), queue.live_targets(db)) == ([], {"t1"})
    assert ids(queue.unsettled(db, ChangeKind.TASK)) == sorted(live + undecided)
    assert ids(queue.unsettled(db, ChangeKind.TAGS)) == [elsewhere]
    assert (queue.count(db, NEEDS_PERSON), queue.count(db, UNCONFIRMED), queue.count(db, [])) == (3, 4, 0)
    assert ids(queue.of_batch(db, "b")) == list(made.values())
    assert ids(queue.recent_of(db, "t1", 2)) == sorted(made.values(), reverse=True)[:2]
    kept = {*live, *undecided, elsewhere}
    assert ids(queue.recent(db, 1)) == sorted(kept, reverse=True)
    assert ids(queue.recent(db)) == sorted({*made.values(), elsewhere}, reverse=True)
    assert queue.change(db, 99) is None


@pytest.mark.parametrize("state", ChangeState)
def test_added_tags_are_those_that_are_on_or_on_their_way(db: apsw.Connection, state: ChangeState) -> None:
    tags = {"kind": ChangeKind.TAGS, "target": "L1#C1"}
    add(db, state=state, fields={"tagIds": ["vip", "new"]}, now=5.0, **tags)
    add(db, fields={"other": 1}, **tags)
    add(db, fields={"tagIds": ["x"]}, target="L1#C1")
    expected = [(TagId("vip"), 5.0, state), (TagId("new"), 5.0, state)]
    is_on = state in UNCONFIRMED or state is ChangeState.CONFIRMED
    assert queue.added_tags(db, "L1#C1") == (expected if is_on else [])
    assert queue.added_tags(db, "L1#C2") == []


def test_what_is_kept_is_found_by_its_kind_and_id_until_it_is_forgotten(db: apsw.Connection) -> None:
    queue.keep(db, "seen", "b", {"at": 1}, 20.0)
    queue.keep(db, "seen", "a", None, 10.0)
    queue.keep(db, "view", "a", "other", 5.0)
    assert list(queue.all_kept(db, "seen").items()) == [("a", None), ("b", {"at": 1})]
    queue.keep(db, "seen", "a", [2], 30.0)
    assert list(queue.all_kept(db, "seen").items()) == [("b", {"at": 1}), ("a", [2])]
    assert (queue.kept(db, "seen", "a"), queue.kept(db, "view", "a"), queue.kept(db, "seen", "c")) == (
        [2],
        "other",
        None,
    )
    assert queue.kept_among(db, "seen", ["a", "c"]) == {"a": [2]}
    queue.forget_older(db, "seen", 20.0)
    assert set(queue.all_kept(db, "seen")) == {"a", "b"}
    queue.forget_older(db, "seen", 20.5)
    assert set(queue.all_kept(db, "seen")) == {"a"}
    queue.forget(db, "seen", "x")
    queue.forget(db, "seen", "a")
    assert (queue.all_kept(db, "seen"), queue.all_kept(db, "view")) == ({}, {"a": "other"})
