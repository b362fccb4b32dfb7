"""Faults that one could write into the program by mistake; the simulation must find each of them.

Each takes something away that keeps a promise; simulation.md has the seed that notices it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import apsw

from frontdesk.campaigns import delivery as campaign_delivery
from frontdesk.inbox import tag_delivery
from frontdesk.outbox import delivery as outbox_delivery
from frontdesk.outbox import overlay, queue, sender
from frontdesk.outbox.overlay import Fate
from frontdesk.storage import change_feed, lease
from frontdesk.storage.records import Change, ChangeState
from frontdesk.sync import backoff, budget, poll_queue, poll_results, scheduler
from frontdesk.tasks import delivery as task_delivery
from frontdesk.tasks import store as task_store
from frontdesk.tasks import sync as task_sync

Patches = Sequence[Any]


def _a_colleagues_change_is_never_seen() -> Patches:
    return [mock.patch.object(task_delivery, "collisions", return_value=[])]


def _no_read_before_a_patch() -> Patches:
    read = task_delivery.TaskDelivery._read_task

    async def read_stored(self: Any, task_id: Any, changes: Sequence[Change], **options: Any) -> Any:
        if any(each.state is ChangeState.UNKNOWN for each in changes):
            return await read(self, task_id, changes, **options)
        return task_store.raw_task(self._store.reading, task_id)

    return [mock.patch.object(task_delivery.TaskDelivery, "_read_task", read_stored)]


def _no_claim() -> Patches:
    def claim(db: apsw.Connection, seen: Sequence[Change], *_: object) -> list[Change]:
        return [*seen]

    return [mock.patch.object(queue, "claim", claim)]


def _a_claim_that_does_not_look() -> Patches:
    claim = queue.claim

    def claim_any(db: apsw.Connection, seen: Sequence[Change], *rest: Any) -> list[Change]:
        now = [found for each in seen if (found := queue.change(db, each.change_id)) is not None]
        return [*map(_as_seen, claim(db, now, *rest), seen)]

    def _as_seen(claimed: Change, seen: Change) -> Change:
        return claimed._replace(fields=seen.fields)

    return [mock.patch.object(queue, "claim", claim_any)]


def _a_state_moved_from_any_other() -> Patches:
    move = queue.move

    def move_any(*args: Any, **options: Any) -> bool:
        return move(*args, **{**options, "expected": tuple(ChangeState)})

    return [mock.patch.object(queue, "move", move_any)]


def _orphans_sent_again_at_once() -> Patches:
    def requeue(db: apsw.Connection, now: float) -> None:
        db.execute("UPDATE outbox.changes SET state = 'queued', sends = 0 WHERE state = 'sending'")

    return [mock.patch.object(queue, "mark_orphans_unknown", requeue)]


def _orphans_taken_for_done() -> Patches:
    def confirm(db: apsw.Connection, now: float) -> None:
        db.execute("UPDATE outbox.changes SET state = 'confirmed', settled_at = ? WHERE state = 'sending'", (now,))

    return [mock.patch.object(queue, "mark_orphans_unknown", confirm)]


def _no_wait_before_the_last_read_back() -> Patches:
    read_back = task_delivery.TaskDelivery.read_back

    async def final(self: Any, changes: Sequence[Change], *, final: bool) -> None:
        await read_back(self, changes, final=True)

    return [mock.patch.object(task_delivery.TaskDelivery, "read_back", final)]


def _a_wait_of_five_seconds() -> Patches:
    init = sender.Sender.__init__

    def impatient(self: Any, *args: Any, **options: Any) -> None:
        init(self, *args, **options)
        self._settle_after = 5.0

    return [mock.patch.object(sender.Sender, "__init__", impatient)]


def _unknown_is_sent_again_unread() -> Patches:
    async def requeue(self: Any, changes: Sequence[Change], *, final: bool) -> None:
        await self._confirmation.requeue(changes, wait=0.0, reason="")

    return [mock.patch.object(task_delivery.TaskDelivery, "read_back", requeue)]


def _unknown_is_taken_for_done() -> Patches:
    def done(changes: Sequence[Change], task: object) -> Fate:
        return Fate(True, tuple(changes), (), {})

    return [mock.patch.object(task_delivery, "fate_of", done)]


def _unknown_is_taken_for_lost() -> Patches:
    def lost(changes: Sequence[Change], task: object) -> Fate:
        return Fate(False, (), tuple(changes), {})

    return [mock.patch.object(task_delivery, "fate_of", lost)]


def _an_answer_that_is_lost_is_a_refusal() -> Patches:
    async def refuse(self: Any, changes: Sequence[Change], reason: str) -> None:
        await self.refuse(changes, reason)

    return [mock.patch.object(outbox_delivery.Confirmation, "mark_unknown", refuse)]


def _what_is_in_transit_is_overtaken() -> Patches:
    return [mock.patch.object(queue, "dropped_in_transit", return_value={})]


def _changes_in_the_wrong_order() -> Patches:
    live_for = queue.live_for
    return [mock.patch.object(queue, "live_for", lambda *about: [*reversed(live_for(*about))])]


def _followers_are_not_rebased() -> Patches:
    return [mock.patch.object(queue, "rebase_followers", return_value=None)]


def _people_replaced_not_merged() -> Patches:
    def replaced(current: object, intent: Mapping[str, Any]) -> list[str]:
        return list(intent.get("add", ()))

    return [mock.patch.object(overlay, "merge_people", replaced)]


def _no_budget() -> Patches:
    async def take(self: object) -> None:
        return None

    return [mock.patch.object(budget.Budget, "take", take)]


def _a_confirmed_change_stays_over_the_task() -> Patches:
    return [mock.patch.object(task_store, "refresh_overlay", return_value=None)]


def _a_change_is_sent_with_another_value() -> Patches:
    def oldest(task: Mapping[str, Any], changes: Sequence[Change]) -> dict[str, Any]:
        return overlay.apply_changes(task, [*reversed([*changes])])

    return [mock.patch.object(task_delivery, "apply_changes", oldest)]


def _clock_steps_are_not_noticed() -> Patches:
    def due(self: Any, change: Change) -> float:
        return float(self._steady() + change.send_after - self._clock())

    return [mock.patch.object(sender.Sender, "_due_at", due)]


def _an_error_delays_a_target_for_ever() -> Patches:
    def delay(self: Any, target: sender.Target, most: float) -> None:
        self.delays[target] = (1, float("inf"))

    return [mock.patch.object(sender.Sender, "_delay_target", delay)]


def _a_refusal_of_the_host_refuses_the_change() -> Patches:
    return [mock.patch.object(outbox_delivery, "_NOT_CARRIED_OUT", ())]


def _sent_as_often_as_it_takes() -> Patches:
    return [mock.patch.object(task_delivery, "MAX_SENDS", 1_000)]


def _what_is_undone_is_sent() -> Patches:
    change = queue.change

    def as_queued(db: apsw.Connection, change_id: int) -> Change | None:
        found = change(db, change_id)
        return None if found is None else found._replace(state=ChangeState.QUEUED)

    return [mock.patch.object(queue, "change", as_queued)]


def _a_hold_that_is_not_kept() -> Patches:
    return [mock.patch.object(sender.Sender, "_due_at", return_value=0.0)]


def _a_lease_whose_token_is_not_compared() -> Patches:
    def renew(self: Any, db: apsw.Connection) -> None:
        self._write(db, self._clock())

    return [mock.patch.object(lease.Lease, "check", renew)]


def _whoever_was_stopped_may_send() -> Patches:
    return [mock.patch.object(lease.Lease, "may_send", True)]


def _an_own_patch_counts_as_someone_elses() -> Patches:
    def only_show(db: apsw.Connection, task_id: Any, now: float) -> None:
        task_store.refresh_overlay(db, [task_id])

    return [mock.patch.object(task_store, "discount_own_patch", only_show)]


def _an_older_answer_is_stored() -> Patches:
    return [mock.patch.object(queue, "settled_since", return_value=set())]


def _a_cursor_that_is_not_advanced() -> Patches:
    query = task_sync.TaskQuery

    def first_page(**asked: Any) -> Any:
        return query(limit=asked["limit"])

    return [mock.patch.object(task_sync, "TaskQuery", first_page)]


def _a_walk_over_the_tasks_is_not_repeated() -> Patches:
    return [mock.patch.object(scheduler, "SWEEP_PAGE", 86_400.0)]


def _a_list_is_starved() -> Patches:
    def choose(self: object, waiting: Any) -> Any:
        return min(waiting, key=lambda each: [*scheduler.PollKind].index(each.job.kind))

    return [mock.patch.object(poll_queue.FairShares, "choose", choose)]


def _a_thread_is_read_once() -> Patches:
    return [
        mock.patch.object(scheduler, "OPEN_THREAD", 86_400.0),
        mock.patch.object(poll_results.ThreadQueue, "choose", return_value=""),
    ]


def _the_screens_are_not_told_of_changes() -> Patches:
    append = change_feed.append

    def append_others(db: apsw.Connection, kind: str, ids: Any) -> None:
        if kind != change_feed.CHANGE:
            append(db, kind, ids)

    return [mock.patch.object(change_feed, "append", append_others)]


def _confirmed_before_the_task_is_stored() -> Patches:
    confirm = task_delivery.TaskConfirmation.confirm

    async def in_two_steps(self: Any, changes: Sequence[Change], after: Any) -> None:
        def confirm_only(db: apsw.Connection) -> None:
            task_delivery._confirm(db, changes, after, self._clock())
            task_store.refresh_overlay(db, [changes[0].target])

        await self._store.run(confirm_only)
        await confirm(self, changes, after)

    return [mock.patch.object(task_delivery.TaskConfirmation, "confirm", in_two_steps)]


def _a_campaign_is_posted_again_unread() -> Patches:
    async def requeue(self: Any, changes: Sequence[Change], *, final: bool) -> None:
        await self._confirmation.requeue(changes, wait=0.0, reason="")

    return [
        mock.patch.object(campaign_delivery.CampaignDelivery, "read_back", requeue),
        mock.patch.object(queue, "was_sent", return_value=False),
    ]


def _a_retry_after_is_forgotten() -> Patches:
    def forget(self: Any, host: str, error: Any) -> None:
        error.retry_after = None
        note_failure(self, host, error)

    note_failure = backoff.Backoff.note_failure
    return [mock.patch.object(backoff.Backoff, "note_failure", forget)]


def _tags_are_sent_until_an_answer_comes() -> Patches:
    return [
        mock.patch.object(tag_delivery, "MAX_SENDS", 1_000),
        mock.patch.object(tag_delivery, "TAGS_REPEAT_WITHIN", 86_400.0),
    ]


PLANTED: dict[str, Callable[[], Patches]] = {
    make.__name__.strip("_").replace("_", " "): make
    for make in (
        _a_colleagues_change_is_never_seen,
        _no_read_before_a_patch,
        _no_claim,
        _a_claim_that_does_not_look,
        _a_state_moved_from_any_other,
        _orphans_sent_again_at_once,
        _orphans_taken_for_done,
        _no_wait_before_the_last_read_back,
        _a_wait_of_five_seconds,
        _unknown_is_sent_again_unread,
        _unknown_is_taken_for_done,
        _unknown_is_taken_for_lost,
        _an_answer_that_is_lost_is_a_refusal,
        _what_is_in_transit_is_overtaken,
        _changes_in_the_wrong_order,
        _followers_are_not_rebased,
        _people_replaced_not_merged,
        _no_budget,
        _a_confirmed_change_stays_over_the_task,
        _a_change_is_sent_with_another_value,
        _clock_steps_are_not_noticed,
        _an_error_delays_a_target_for_ever,
        _a_refusal_of_the_host_refuses_the_change,
        _sent_as_often_as_it_takes,
        _what_is_undone_is_sent,
        _a_hold_that_is_not_kept,
        _a_lease_whose_token_is_not_compared,
        _whoever_was_stopped_may_send,
        _an_own_patch_counts_as_someone_elses,
        _an_older_answer_is_stored,
        _a_cursor_that_is_not_advanced,
        _a_walk_over_the_tasks_is_not_repeated,
        _a_list_is_starved,
        _a_thread_is_read_once,
        _the_screens_are_not_told_of_changes,
        _confirmed_before_the_task_is_stored,
        _a_campaign_is_posted_again_unread,
        _a_retry_after_is_forgotten,
        _tags_are_sent_until_an_answer_comes,
    )
}


@contextmanager
def planted(name: str) -> Iterator[None]:
    """Run with this fault in the program."""
    with ExitStack() as stack:
        for patch in PLANTED[name]():
            stack.enter_context(patch)
        yield
