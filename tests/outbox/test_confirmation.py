"""What becomes of changes that were merged, refused, doubted or overtaken."""

import apsw
import pytest

from frontdesk.outbox import changes as outbox_changes
from frontdesk.outbox import queue
from frontdesk.outbox.delivery import SO_ALREADY
from frontdesk.outbox.sender import SETTLE_AFTER
from frontdesk.outbox.task_fields import ASSIGNED
from frontdesk.registry.changes import CHANGE_HANDLERS
from frontdesk.storage import change_feed, record_lookup
from frontdesk.storage.records import ChangeState, Event
from frontdesk.tasks.changes import TASK_HOLD_SECONDS
from frontdesk.tasks.delivery import REPLACED
from frontdesk_api.client.errors import Ambiguous, ApiError, BadRequestInput, NotSent, Refused
from frontdesk_api.contract.ids import AgentId
from sync.scene import DONE, ONE, STANDBY, Scene

CONFIRMED, CONFLICT, DROPPED = ChangeState.CONFIRMED, ChangeState.CONFLICT, ChangeState.DROPPED
REFUSED, UNKNOWN, QUEUED = ChangeState.REFUSED, ChangeState.UNKNOWN, ChangeState.QUEUED


def lose_the_patch(scene: Scene) -> None:
    """Send what waits in one PATCH that does not arrive and gets no answer."""
    scene.fail("patch", Ambiguous("lost"))
    scene.send(5)
    scene.platform.step = None


def test_all_changes_of_one_patch_are_claimed_or_none(scene: Scene) -> None:
    scene.change(title="one")
    scene.change(body="two")
    first, second = scene.all()
    scene.services.outbox.drop(2).result()
    assert scene.store.write(lambda db: queue.claim(db, [first, second], "me", 1.0)).result() == []
    assert scene.states() == [ChangeState.HELD, DROPPED]
    assert scene.store.write(lambda db: queue.claim(db, [first], "me", 1.0)).result()
    assert next((each.state, each.sends) for each in scene.all()) == (ChangeState.SENDING, 1)


def test_one_taken_back_while_the_task_is_read_lets_the_rest_be_looked_at_afresh(scene: Scene) -> None:
    scene.change(title="one")
    scene.change(body="two")
    scene.once("get", lambda: scene.services.outbox.drop(1).result())
    scene.send(5)
    assert [asked for asked, _ in scene.platform.asked] == ["get", "get", "patch", "patched"]
    assert scene.states() == [DROPPED, CONFIRMED]
    assert scene.platform.tasks["t1"]["title"] == "Task 1"
    assert scene.platform.tasks["t1"]["body"] == "two"


@pytest.mark.parametrize("error", [Refused("no such status", status=422), BadRequestInput("too long")])
def test_one_refused_change_takes_no_other_of_its_patch_down(scene: Scene, error: ApiError) -> None:
    scene.change(title="one")
    scene.change(statusCase="no-such-status")
    scene.change(body="three")

    async def step(what: str, target: str) -> None:
        if what == "patch" and scene.platform.update.get("statusCase") == "no-such-status":
            raise error

    scene.platform.step = step
    for _ in range(5):
        scene.send(5)
    assert scene.states() == [CONFIRMED, REFUSED, CONFIRMED]
    task = scene.platform.tasks["t1"]
    assert (task["title"], task["statusCase"], task["body"]) == ("one", "open", "three")
    shown = record_lookup.task(scene.services.store.reading, ONE)
    assert shown is not None
    assert (shown.title, shown.status, tuple(shown.pending)) == ("one", "open", ())


def test_a_lost_merged_patch_that_arrived_is_confirmed_as_a_whole(scene: Scene) -> None:
    scene.change(title="one", body="two")
    scene.change(statusCase=STANDBY)
    scene.change(statusCase=DONE)
    scene.fail("patched", Ambiguous("lost"))
    scene.send(5)
    scene.platform.step = None
    scene.send(3)
    assert scene.states() == [CONFIRMED] * 3
    assert scene.platform.count("patch") == 1


def test_of_a_patch_partly_there_only_what_differs_is_a_conflict(scene: Scene) -> None:
    scene.change(title="one", body="two")
    scene.change(statusCase=DONE)
    scene.fail("patched", Ambiguous("lost"))
    scene.send(5)
    scene.platform.step = None
    scene.platform.tasks["t1"]["body"] = "a colleague's"
    scene.send(SETTLE_AFTER + 1)
    assert scene.states() == [CONFLICT, CONFIRMED]
    conflict = scene.all()[0]
    assert conflict.fields == {"body": "two"}
    assert conflict.theirs == {"body": "a colleague's"}
    assert scene.platform.count("patch") == 1


def test_what_a_colleague_put_back_after_the_patch_is_not_sent_again(scene: Scene) -> None:
    """The rest of the PATCH is there, so this part of it was there too."""
    scene.change(title="one")
    scene.change(statusCase=DONE)
    scene.fail("patched", Ambiguous("lost"))
    scene.send(5)
    scene.platform.step = None
    scene.platform.tasks["t1"]["statusCase"] = "open"
    scene.send(SETTLE_AFTER + 1)
    scene.send(SETTLE_AFTER + 1)
    assert scene.states() == [CONFIRMED, CONFLICT]
    assert scene.platform.count("patch") == 1


def test_what_was_so_already_proves_no_arrival(scene: Scene) -> None:
    """A colleague had set the same status before, so the PATCH had only the title in it."""
    scene.change(title="one")
    scene.change(statusCase=DONE)
    scene.platform.tasks["t1"]["statusCase"] = DONE
    lose_the_patch(scene)
    scene.send(SETTLE_AFTER + 1)
    scene.send()
    assert scene.states() == [CONFIRMED, CONFIRMED]
    assert scene.platform.tasks["t1"]["title"] == "one"
    assert scene.platform.count("patch") == 2


def test_changes_that_cancel_each_other_out_are_no_patch_of_ours_that_arrived(scene: Scene) -> None:
    scene.platform.tasks["t1"]["unreadCount"] = 1
    scene.change(title="for a moment")
    scene.change(title="Task 1")
    scene.change(body="new")
    lose_the_patch(scene)
    scene.services.outbox.drop(3).result()
    scene.send(SETTLE_AFTER + 1)
    assert scene.states() == [CONFIRMED, CONFIRMED, DROPPED]
    assert [each.reason for each in scene.all()[:2]] == [SO_ALREADY, SO_ALREADY]
    task = record_lookup.task(scene.store.reading, ONE)
    assert task is not None
    assert task.unread == 1, "nothing of it is our own PATCH's"


def test_what_a_colleague_moved_is_a_conflict_and_the_rest_of_a_lost_patch_goes_again(scene: Scene) -> None:
    scene.change(title="one")
    scene.change(statusCase=DONE)
    lose_the_patch(scene)
    scene.platform.tasks["t1"]["statusCase"] = "standby"
    scene.send(SETTLE_AFTER + 1)
    scene.send()
    assert scene.states() == [CONFIRMED, CONFLICT]
    assert scene.platform.tasks["t1"]["title"] == "one"
    assert scene.platform.tasks["t1"]["statusCase"] == "standby"


def test_what_was_sent_twice_and_never_arrived_is_shown_to_the_person(scene: Scene) -> None:
    scene.change(statusCase=DONE)
    scene.fail("patch", Ambiguous("lost"))
    for _ in range(8):
        scene.send(SETTLE_AFTER + 70)
    assert scene.platform.count("patch") == 2
    assert scene.states() == [CONFLICT]
    assert "the task is unchanged" in scene.all()[0].reason


def test_of_two_changes_of_a_field_that_collide_the_later_one_is_shown_with_what_was_before_both(
    scene: Scene,
) -> None:
    scene.change(statusCase=STANDBY)
    scene.change(statusCase=DONE)
    scene.platform.tasks["t1"]["statusCase"] = "waiting"
    scene.send(5)
    assert scene.states() == [DROPPED, CONFLICT]
    replaced, conflict = scene.all()
    assert replaced.reason == REPLACED
    assert (conflict.base, conflict.fields) == ({"statusCase": "open"}, {"statusCase": DONE})
    assert conflict.theirs == {"statusCase": "waiting"}
    scene.services.outbox.retry(2).result()
    scene.send()
    assert scene.platform.tasks["t1"]["statusCase"] == DONE


def test_a_colleagues_change_of_one_field_leaves_the_changes_of_others_alone(scene: Scene) -> None:
    scene.change(title="one")
    scene.change(statusCase=DONE)
    scene.platform.tasks["t1"] |= {"title": "theirs", "dueDate": 5}
    scene.send(5)
    assert scene.states() == [CONFLICT, CONFIRMED]
    assert scene.platform.tasks["t1"]["title"] == "theirs"
    assert scene.platform.tasks["t1"]["statusCase"] == DONE


def test_what_the_platform_made_of_our_own_change_is_no_colleagues(scene: Scene) -> None:
    scene.change(title="one ")

    async def trim(what: str, target: str) -> None:
        if what == "patched":
            scene.change(title="two")
            scene.platform.tasks["t1"]["title"] = scene.platform.tasks["t1"]["title"].strip()
            scene.platform.step = None

    scene.platform.step = trim
    scene.send()
    assert scene.all()[1].base == {"title": "one"}
    scene.send(5)
    assert scene.states() == [CONFIRMED, CONFIRMED]
    assert scene.platform.tasks["t1"]["title"] == "two"


def test_people_are_merged_and_no_colleague_is_taken_off(scene: Scene) -> None:
    scene.platform.tasks["t1"][ASSIGNED] = ["noa"]
    scene.services.tasks.assign([ONE], [AgentId("dan")], []).result()
    scene.platform.tasks["t1"][ASSIGNED] = ["noa", "mia"]
    scene.send(5)
    assert scene.states() == [CONFIRMED]
    assert scene.platform.tasks["t1"][ASSIGNED] == ["noa", "mia", "dan"]


def test_a_lost_assignment_goes_again_although_a_colleague_was_put_on_meanwhile(scene: Scene) -> None:
    scene.services.tasks.assign([ONE], [AgentId("dan")], []).result()
    lose_the_patch(scene)
    scene.platform.tasks["t1"][ASSIGNED] = ["mia"]
    scene.send(SETTLE_AFTER + 1)
    scene.send()
    assert scene.states() == [CONFIRMED]
    assert scene.platform.tasks["t1"][ASSIGNED] == ["mia", "dan"]


def test_of_an_assignment_partly_there_the_person_decides(scene: Scene) -> None:
    scene.services.tasks.assign([ONE], [AgentId("dan"), AgentId("mia")], []).result()
    lose_the_patch(scene)
    scene.platform.tasks["t1"][ASSIGNED] = ["dan"]
    scene.send(SETTLE_AFTER + 1)
    assert scene.states() == [CONFLICT]


def test_nothing_overtakes_a_change_that_was_given_up_while_it_may_still_arrive(scene: Scene) -> None:
    scene.change(statusCase=STANDBY)
    lose_the_patch(scene)
    scene.services.outbox.drop(1).result()
    scene.change(statusCase=DONE)
    scene.send(5)
    assert scene.platform.count("get") == 1, "only the read before the PATCH that was lost"
    scene.send(SETTLE_AFTER)
    scene.send()
    assert scene.states() == [DROPPED, CONFIRMED]


def test_a_refused_change_that_was_dropped_holds_nothing_up(scene: Scene) -> None:
    scene.change(statusCase=STANDBY)
    scene.fail("patch", Refused("no", status=422))
    scene.send(5)
    scene.platform.step = None
    scene.services.outbox.drop(1).result()
    scene.change(statusCase=DONE)
    scene.send()
    assert scene.states() == [DROPPED, CONFIRMED]


def test_a_later_change_does_not_overtake_one_that_waits(scene: Scene) -> None:
    scene.change(statusCase=STANDBY)
    scene.fail("patch", NotSent("offline"))
    scene.send(2)
    scene.platform.step = None
    scene.store.write(
        lambda db: db.execute("UPDATE outbox.changes SET send_after = ?", (scene.now + 500,))
    ).result()
    scene.change(statusCase=DONE)
    scene.send(100)
    assert scene.platform.count("patch") == 1
    scene.send(500)
    assert scene.states() == [CONFIRMED, CONFIRMED]
    assert scene.platform.tasks["t1"]["statusCase"] == DONE


def test_a_clock_set_back_by_a_day_holds_nothing_up(scene: Scene) -> None:
    scene.change(statusCase=DONE)
    scene.set_clock(-86_400)
    at = scene.sender.next_at()
    assert at is not None
    assert at <= scene.now + TASK_HOLD_SECONDS
    scene.send(TASK_HOLD_SECONDS)
    assert scene.states() == [CONFIRMED]


def test_a_clock_set_back_while_a_change_is_unknown_begins_its_wait_anew(scene: Scene) -> None:
    scene.change(statusCase=DONE)
    lose_the_patch(scene)
    scene.set_clock(-86_400)
    scene.sender.delays.clear()
    scene.backoff.reset()
    scene.send(0)
    assert scene.states() == [UNKNOWN]
    scene.send(SETTLE_AFTER + 1)
    scene.send(SETTLE_AFTER + 1)
    assert scene.states() == [CONFIRMED]
    assert scene.platform.count("patch") == 2


def test_changes_made_around_a_clock_that_is_set_back_keep_their_holds(scene: Scene) -> None:
    scene.change(title="made by the old clock")
    assert scene.sender.next_at() is not None
    scene.set_clock(-3_600)
    scene.change(body="made by the new one")
    scene.send(0.9)
    assert scene.platform.asked == []
    scene.send(0.2)
    assert scene.platform.count("patch") == 1
    assert scene.states() == [CONFIRMED, CONFIRMED]


def test_every_step_of_a_change_is_told_in_the_feed(scene: Scene) -> None:
    seq = change_feed.position(scene.store.reading)
    told: list[bool] = []

    def look() -> None:
        nonlocal seq
        seq, events = change_feed.since(scene.store.reading, seq)
        told.append(Event(change_feed.CHANGE, "1") in events)

    scene.change(statusCase=DONE)
    look()

    async def step(what: str, target: str) -> None:
        if what in ("patch", "patched"):
            look()
        if what == "patched":
            raise Ambiguous("lost")

    scene.platform.step = step
    scene.send()
    scene.platform.step = None
    told.pop()
    look()
    scene.send(SETTLE_AFTER + 1)
    look()
    assert told == [True] * 4, "made, sending, unknown, confirmed"


def test_a_retried_conflict_is_sent_over_what_was_theirs(scene: Scene) -> None:
    scene.change(statusCase=DONE)
    scene.platform.tasks["t1"]["statusCase"] = "standby"
    scene.send()
    assert scene.states() == [CONFLICT]

    def again(db: apsw.Connection) -> None:
        outbox_changes.retry(outbox_changes.OutboxTransaction(db, CHANGE_HANDLERS, scene.now), 1)

    scene.store.write(again).result()
    scene.send()
    assert scene.states() == [DROPPED, CONFIRMED]
    assert scene.platform.tasks["t1"]["statusCase"] == DONE


def test_an_early_look_that_is_refused_leaves_the_change_unknown(scene: Scene) -> None:
    scene.change(statusCase=DONE)
    lose_the_patch(scene)
    scene.fail("get", Refused("get task: not here (404)", status=404))
    scene.send(3)
    assert scene.states() == [UNKNOWN]
    scene.platform.step = None
    scene.send(SETTLE_AFTER)
    scene.send(5)
    assert scene.states() == [CONFIRMED]


def test_looks_that_were_missed_are_not_made_up_for(scene: Scene) -> None:
    scene.change(statusCase=DONE)
    lose_the_patch(scene)
    scene.fail("get", NotSent("offline"))
    for _ in range(4):
        scene.send(5.5)
    scene.platform.step = None
    scene.sender.delays.clear()
    scene.backoff.reset()
    read = scene.platform.count("get")
    for _ in range(5):
        scene.send(0.1)
    assert scene.platform.count("get") - read == 1
    assert scene.states() == [UNKNOWN]
