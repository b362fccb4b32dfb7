"""Dropping, resending and undoing, by the rows that change and what each feature's handler is asked for."""

from collections.abc import Collection, Sequence
from typing import Any

import apsw
import pytest

from frontdesk.outbox import batches, bulk, queue
from frontdesk.outbox.batches import ActionResult, BatchState
from frontdesk.outbox.changes import (
    SENT_ANEW,
    ChangeHandler,
    NotPossible,
    OutboxTransaction,
    cancel_unsent,
    drop,
    rebuild_overlay,
    retry,
    update_lists,
)
from frontdesk.outbox.undo import STOPPED, StopResult, TooManyToUndo, UndoRequest, redo, stop, undo
from frontdesk.storage import change_feed
from frontdesk.storage.records import NEEDS_PERSON, UNCONFIRMED, Change, ChangeKind, ChangeState, Made
from outbox.rows import NOW, add, read, told

LATER = NOW + 50


class Handler(ChangeHandler):
    """A handler that keeps what it was asked for; its changes can be reversed and repeated."""

    def __init__(self, marked: Collection[str] = ()) -> None:
        super().__init__("it can't be unsent", "it is sent only once")
        self.shown: list[list[str]] = []
        self.cleaned: list[Change] = []
        self.reversed: list[tuple[int, str]] = []
        self.over_theirs: list[bool] = []
        self.reverses = True
        self._marked = marked

    def show(self, db: apsw.Connection, targets: Sequence[str]) -> None:
        self.shown.append(list(targets))

    def marked_pending(self, db: apsw.Connection) -> Collection[str]:
        return self._marked

    def clean_up_unsent(self, db: apsw.Connection, change: Change) -> None:
        self.cleaned.append(change)

    def send_again(self, db: apsw.Connection, change: Change, now: float, *, over_theirs: bool) -> Change:
        self.over_theirs.append(over_theirs)
        return super().send_again(db, change, now, over_theirs=over_theirs)

    def reverse(self, db: apsw.Connection, change: Change, made: Made) -> bool:
        self.reversed.append((change.change_id, made.label))
        if self.reverses:
            add(db, kind=change.kind, target=change.target, fields=dict(change.base), base=dict(change.fields),
                **made._asdict())  # fmt: skip
        return self.reverses


class Fixed(ChangeHandler):
    """The base class, which neither reverses nor repeats."""


@pytest.fixture
def handlers() -> dict[ChangeKind, Any]:
    return {kind: Handler() for kind in ChangeKind}


@pytest.mark.parametrize("state", ChangeState)
def test_a_change_is_dropped_unless_it_is_being_sent_or_has_ended(
    db: apsw.Connection, handlers: dict[ChangeKind, Any], state: ChangeState
) -> None:
    change = add(db, state=state)
    words = {
        ChangeState.SENDING: "being sent",
        ChangeState.CONFIRMED: "confirmed",
        ChangeState.UNDONE: "already undone",
        ChangeState.DROPPED: "already discarded",
    }
    handler = handlers[ChangeKind.TASK]
    if state in words:
        with pytest.raises(NotPossible) as refused:
            drop(OutboxTransaction(db, handlers, LATER), change.change_id)
        assert str(refused.value) == f"it is {words[state]}, so it can't be discarded"
        assert (read(db, change), handler.shown, handler.cleaned) == (change, [], [])
        return
    assert drop(OutboxTransaction(db, handlers, LATER), change.change_id) == change
    assert (read(db, change).state, read(db, change).settled_at) == (ChangeState.DROPPED, LATER)
    assert (handler.shown, handler.cleaned) == ([["t1"]], [change])


@pytest.mark.parametrize("state", [*NEEDS_PERSON, ChangeState.QUEUED])
def test_why_a_change_needed_a_decision_is_still_said_once_it_is_dropped(
    db: apsw.Connection, handlers: dict[ChangeKind, Any], state: ChangeState
) -> None:
    change = add(db)
    queue.move(db, change.change_id, state, expected=[change.state], now=NOW, reason="why", theirs={"title": "t"})
    drop(OutboxTransaction(db, handlers, LATER), change.change_id)
    assert read(db, change).reason == ("why" if state in NEEDS_PERSON else "")
    assert read(db, change).theirs == {"title": "t"}


@pytest.mark.parametrize("state", ChangeState)
def test_only_what_was_refused_or_conflicts_is_resent(
    db: apsw.Connection, handlers: dict[ChangeKind, Any], state: ChangeState
) -> None:
    first = add(db)
    change = add(db, undoes=first.change_id, fields={"title": "mine", "body": "mine"}, base={"title": "a", "x": 1})
    queue.move(
        db, change.change_id, state, expected=[change.state], now=NOW, theirs={"title": "theirs", "body": None}
    )
    change = read(db, change)
    if state not in NEEDS_PERSON:
        with pytest.raises(NotPossible) as refused:
            retry(OutboxTransaction(db, handlers, LATER), change.change_id)
        assert str(refused.value).endswith(
            ": you can only resend changes that were rejected or are waiting for your decision"
        )
        assert read(db, change) == change
        return
    again = retry(OutboxTransaction(db, handlers, LATER), change.change_id)
    assert again == Change(
        change.change_id + 1, "b", ChangeKind.TASK, "t1", change.fields, {"title": "theirs", "x": 1, "body": None},
        "Edit", ChangeState.QUEUED, LATER, LATER, undoes=first.change_id,
    )  # fmt: skip
    assert (read(db, change).state, read(db, change).reason) == (ChangeState.DROPPED, SENT_ANEW)
    assert handlers[ChangeKind.TASK].shown == [["t1"]]


def test_their_version_is_overwritten_only_by_somebody_who_has_reviewed_it(
    db: apsw.Connection, handlers: dict[ChangeKind, Any]
) -> None:
    ids = [add(db, state=ChangeState.REFUSED, target=f"t{number}").change_id for number in range(4)]
    done = add(db, state=ChangeState.CONFIRMED).change_id
    retry(OutboxTransaction(db, handlers, NOW), ids[0])
    retry(OutboxTransaction(db, handlers, NOW), ids[1], over_theirs=True)
    assert bulk.retry_all(OutboxTransaction(db, handlers, NOW), [done, 999, *ids]) == 2, (
        "the others are sent already, or unknown"
    )
    assert handlers[ChangeKind.TASK].over_theirs == [False, True, False, False]
    with pytest.raises(NotPossible, match=r"^none of these changes needs a decision anymore$"):
        bulk.retry_all(OutboxTransaction(db, handlers, NOW), [done])


@pytest.mark.parametrize("decide", [drop, retry])
def test_a_change_that_is_not_there_is_named(
    db: apsw.Connection, handlers: dict[ChangeKind, Any], decide: Any
) -> None:
    with pytest.raises(NotPossible) as refused:
        decide(OutboxTransaction(db, handlers, NOW), 7)
    assert str(refused.value) == "no change 7; to list changes, run `frontdesk outbox list`"


@pytest.mark.parametrize("state", ChangeState)
def test_what_follows_a_cancelled_change_begins_where_that_began_unless_it_had_ended(
    db: apsw.Connection, handlers: dict[ChangeKind, Any], state: ChangeState
) -> None:
    change, follower = add(db, state=state), add(db, base={"title": "new"}, fields={"title": "newest"})
    assert cancel_unsent(OutboxTransaction(db, handlers, LATER), change, ChangeState.UNDONE, "why")
    assert (read(db, change).state, read(db, change).reason) == (ChangeState.UNDONE, "why")
    assert read(db, follower).base == {"title": "old" if state in UNCONFIRMED else "new"}
    assert handlers[ChangeKind.TASK].cleaned == [change]


def test_a_change_that_moved_meanwhile_is_not_cancelled(
    db: apsw.Connection, handlers: dict[ChangeKind, Any]
) -> None:
    seen, follower = add(db), add(db, base={"title": "new"}, fields={"title": "newest"})
    queue.move(db, seen.change_id, ChangeState.SENDING, expected=[seen.state], now=NOW)
    assert not cancel_unsent(OutboxTransaction(db, handlers, LATER), seen, ChangeState.DROPPED)
    assert read(db, seen).state is ChangeState.SENDING
    assert (read(db, follower).base, handlers[ChangeKind.TASK].cleaned) == ({"title": "new"}, [])


def test_lists_are_updated_once_a_kind_and_for_the_changed_kinds_alone(
    db: apsw.Connection, handlers: dict[ChangeKind, Any]
) -> None:
    changes = [add(db), add(db, kind=ChangeKind.TAGS, target="L1#C1"), add(db, target="t2")]
    update_lists(db, handlers, changes)
    assert {kind: each.shown for kind, each in handlers.items() if each.shown} == {
        ChangeKind.TASK: [["t1", "t2"]],
        ChangeKind.TAGS: [["L1#C1"]],
    }


def test_at_the_start_all_that_is_or_was_shown_as_pending_is_drawn_anew(db: apsw.Connection) -> None:
    handlers = {kind: Handler(["t9"] if kind is ChangeKind.TASK else ()) for kind in ChangeKind}
    live = [add(db, target=target) for target in ("t3", "t1", "t3")]
    live.append(add(db, kind=ChangeKind.TAGS, target="L1#C1", state=ChangeState.UNKNOWN))
    add(db, target="t4", state=ChangeState.CONFIRMED)
    at = change_feed.position(db)
    rebuild_overlay(db, handlers)
    shown = {kind: each.shown for kind, each in handlers.items()}
    assert shown == {
        **{kind: [[]] for kind in ChangeKind},
        ChangeKind.TASK: [["t1", "t3", "t9"]],
        ChangeKind.TAGS: [["L1#C1"]],
    }
    assert told(db, at) == {str(each.change_id) for each in live}


def test_what_can_neither_be_undone_nor_redone_says_why(db: apsw.Connection) -> None:
    handler = Fixed("tags stay on", "give them again")
    with pytest.raises(NotPossible, match=r"^already sent, and tags stay on$"):
        handler.reverse(db, add(db), Made("b", "Undo", NOW))
    with pytest.raises(NotPossible, match=r"^give them again$"):
        handler.repeat_undone(db, add(db), NOW)
    assert handler.marked_pending(db) == ()


def act(
    db: apsw.Connection, batch: str, *targets: str, state: ChangeState = ChangeState.CONFIRMED
) -> list[Change]:
    """Do something on these tasks."""
    batches.record(db, Made(batch, f"Label {batch}", NOW))
    return [add(db, batch=batch, target=target, state=state) for target in targets]


def result(outcome: Any) -> ActionResult:
    assert isinstance(outcome, ActionResult)
    return outcome


@pytest.mark.parametrize(("above", "is_asked"), [(None, False), (3, False), (2, True), (0, True)])
def test_a_larger_action_than_is_undone_unasked_is_asked_about(
    db: apsw.Connection, handlers: dict[ChangeKind, Any], above: int | None, is_asked: bool
) -> None:
    changes = act(db, "b", "t1", "t2", "t3")
    chosen = tuple(each.change_id for each in changes)
    for request in (UndoRequest(above=above), UndoRequest(above=above, changes=chosen)):
        found = undo(OutboxTransaction(db, handlers, LATER), request)
        if is_asked:
            assert found == TooManyToUndo("Label b", "b", 3, changes[0])
        else:
            assert result(found).count == 3
            assert result(redo(OutboxTransaction(db, handlers, LATER), UndoRequest(above=above))).count == 3
    confirmed = UndoRequest(above=above, confirmed_batch="b")
    assert result(undo(OutboxTransaction(db, handlers, LATER), confirmed)).count == 3


def test_an_undo_names_what_it_reversed_and_its_first_change(
    db: apsw.Connection, handlers: dict[ChangeKind, Any]
) -> None:
    one, two = act(db, "b", "t1", "t2")
    done = result(undo(OutboxTransaction(db, handlers, LATER)))
    assert done == ActionResult(2, (), "b", "Label b", first=one)
    assert handlers[ChangeKind.TASK].reversed == [
        (one.change_id, "Undo: Label b"),
        (two.change_id, "Undo: Label b"),
    ]
    assert handlers[ChangeKind.TASK].shown == [["t1", "t2"]]
    again = result(redo(OutboxTransaction(db, handlers, LATER)))
    assert (again.count, again.label) == (2, "Label b")
    assert batches.newest_done(db) is not None


def test_another_action_than_the_confirmed_one_is_left_alone_and_named(
    db: apsw.Connection, handlers: dict[ChangeKind, Any]
) -> None:
    (change,) = act(db, "b", "t1")
    for turn, word in ((undo, "undone"), (redo, "redone")):
        words = f"Nothing was {word}, because something else was changed first."
        outbox = OutboxTransaction(db, handlers, LATER)
        assert turn(outbox, UndoRequest(confirmed_batch="c")) == ActionResult(0, (words,), label="Label b")
        assert result(turn(outbox, UndoRequest(confirmed_batch="b"))).count == 1
    original, undone = queue.of_batch(db, "b")
    assert (original, undone.undoes, undone.state) == (change, change.change_id, ChangeState.UNDONE)


def test_an_action_with_nothing_left_to_undo_makes_way_for_the_one_before(
    db: apsw.Connection, handlers: dict[ChangeKind, Any]
) -> None:
    act(db, "a", "t1")
    act(db, "b", "t2", state=ChangeState.DROPPED)
    assert result(undo(OutboxTransaction(db, handlers, LATER))).label == "Label a"
    assert undo(OutboxTransaction(db, handlers, LATER)) is None
    assert (batches.of_batch(db, "b").state, batches.of_batch(db, "a").state) == (  # type: ignore[union-attr]
        BatchState.PAST,
        BatchState.UNDONE,
    )


@pytest.mark.parametrize("state", NEEDS_PERSON)
def test_problems_are_counted_and_said_once_each(
    db: apsw.Connection, handlers: dict[ChangeKind, Any], state: ChangeState
) -> None:
    batches.record(db, Made("b", "Label b", NOW))
    for target, ended in (("t1", state), ("t2", state), ("t3", ChangeState.CONFIRMED)):
        add(db, batch="b", target=target, state=ended)
    add(db, batch="b", kind=ChangeKind.TAGS, target="L1#C1", state=ChangeState.CONFIRMED)
    handlers[ChangeKind.TAGS] = Fixed("tags stay on")
    done = result(undo(OutboxTransaction(db, handlers, LATER)))
    assert (done.count, done.is_partial) == (1, False)
    assert done.problems == (
        "Label b on 2 of the 3 tasks: it never took effect; see Activity",
        "Label b on 1 of the 3 tasks: already sent, and tags stay on",
    )


def test_chosen_changes_that_cannot_be_undone_are_named_with_the_first_of_them(
    db: apsw.Connection, handlers: dict[ChangeKind, Any]
) -> None:
    refused, _ = act(db, "b", "t1", "t2")
    queue.move(db, refused.change_id, ChangeState.REFUSED, expected=[refused.state], now=NOW)
    done = result(undo(OutboxTransaction(db, handlers, LATER), UndoRequest(changes=(refused.change_id,))))
    assert (done.count, done.problems) == (0, ("Label b: it never took effect; discard it instead",))
    assert done.first == read(db, refused)
    db.execute("DELETE FROM outbox.deeds")
    done = result(undo(OutboxTransaction(db, handlers, LATER), UndoRequest(changes=(refused.change_id,))))
    assert done == ActionResult(
        0,
        (f"Edit: only the last {batches.MAX_BATCHES} actions can be undone",),
        label="Edit",
        first=read(db, refused),
    )


def test_of_chosen_changes_the_ones_left_in_effect_keep_the_action_done(
    db: apsw.Connection, handlers: dict[ChangeKind, Any]
) -> None:
    one, two = act(db, "b", "t1", "t2")
    done = result(undo(OutboxTransaction(db, handlers, LATER), UndoRequest(changes=(two.change_id,))))
    assert (done.count, done.is_partial, done.first) == (1, True, two)
    assert batches.newest_done(db) is not None
    done = result(undo(OutboxTransaction(db, handlers, LATER), UndoRequest(changes=(one.change_id,))))
    assert (done.count, done.is_partial, done.first) == (1, False, one)
    assert batches.newest_done(db) is None
    handlers[ChangeKind.TASK].reverses = False
    three = act(db, "c", "t3")[0]
    done = result(undo(OutboxTransaction(db, handlers, LATER), UndoRequest(changes=(three.change_id,))))
    assert done.problems == ("Label c: nothing to undo",)


@pytest.mark.parametrize(
    ("states", "expected", "action"),
    [
        ([ChangeState.QUEUED, ChangeState.HELD], StopResult(2, 0, ChangeState.DROPPED), BatchState.PAST),
        ([ChangeState.QUEUED, ChangeState.SENDING], StopResult(1, 1, ChangeState.DROPPED), BatchState.DONE),
        ([ChangeState.CONFIRMED, ChangeState.SENDING], StopResult(0, 2, ChangeState.DROPPED), BatchState.DONE),
    ],
)
def test_a_stop_cancels_what_waits_and_counts_what_was_sent(
    db: apsw.Connection,
    handlers: dict[ChangeKind, Any],
    states: list[ChangeState],
    expected: StopResult,
    action: BatchState,
) -> None:
    batches.record(db, Made("b", "Label b", NOW))
    changes = [add(db, batch="b", target=f"t{number}", state=state) for number, state in enumerate(states)]
    assert stop(OutboxTransaction(db, handlers, LATER), "b") == expected
    waiting = [each for each in changes if each.state in (ChangeState.QUEUED, ChangeState.HELD)]
    assert all(read(db, each).state is ChangeState.DROPPED for each in waiting)
    assert {read(db, each).reason for each in waiting} <= {STOPPED}
    found = batches.of_batch(db, "b")
    assert found is not None
    assert found.state is action


def test_a_stopped_undo_is_taken_back_itself(db: apsw.Connection, handlers: dict[ChangeKind, Any]) -> None:
    one, two = act(db, "b", "t1", "t2")
    assert result(undo(OutboxTransaction(db, handlers, LATER))).count == 2
    assert stop(OutboxTransaction(db, handlers, LATER), "b") == StopResult(2, 0, ChangeState.UNDONE)
    assert batches.newest_done(db) is not None, "both are in effect still"
    assert [each.state for each in queue.of_batch(db, "b")] == [
        *[ChangeState.CONFIRMED] * 2,
        *[ChangeState.UNDONE] * 2,
    ]
    assert stop(OutboxTransaction(db, handlers, LATER), "another") == StopResult(0, 0, ChangeState.DROPPED)
    assert result(undo(OutboxTransaction(db, handlers, LATER))).first in (one, two, read(db, 3))
