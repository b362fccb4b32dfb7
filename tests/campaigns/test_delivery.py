"""A campaign is POSTed once; what isn't known of it is read back, and then a person decides."""

import json
import random
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from frontdesk.campaigns.changes import drafts_of
from frontdesk.campaigns.draft import Draft, FromFile, build_body, new_draft, recipient_digest, rename_draft
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.store import drafts
from frontdesk.outbox import queue
from frontdesk.outbox.changes import NotPossible
from frontdesk.outbox.delivery import MAX_WAITS
from frontdesk.outbox.sender import SETTLE_AFTER
from frontdesk.storage.database import Store
from frontdesk.storage.records import Change, ChangeState
from frontdesk_api.client.errors import Ambiguous, NotSent, RateLimited, Refused, ServerError
from frontdesk_api.contract.ids import CampaignId, FolderId, LineId, WorkflowId
from frontdesk_lists.models import ListedRecipient
from sync.scene import Scene

PEOPLE = [ListedRecipient(f"97252000{each:04}", f"Customer {each}", "", each + 1) for each in range(40)]


def draft(scene: Scene, later: float | None = None) -> Draft:
    made = new_draft(datetime.fromtimestamp(scene.now, UTC), random.Random(7), FromFile("list.csv"))
    return replace(
        rename_draft(made, "Spring sale"),
        workflow_id=WorkflowId("w1"),
        workflow_name="Sale",
        folder_id=FolderId("f1"),
        line_id=LineId("L1"),
        scheduled_at=None if later is None else scene.now + later,
    )


def replace(made: Draft, **values: Any) -> Draft:
    import dataclasses

    return dataclasses.replace(made, **values)


def send(scene: Scene, made: Draft | None = None) -> tuple[Draft, Change]:
    """Confirmed by the person, and not gone yet."""
    made = made or draft(scene)
    return made, scene.services.campaigns.create(made, build_body(made, PEOPLE)).result()


def has_body(scene: Scene, made: Draft) -> bool:
    return drafts.has_body(scene.store.reading, made.campaign_id)


def posts(scene: Scene) -> int:
    return scene.platform.count("post")


def reason(scene: Scene) -> str:
    return scene.all()[-1].reason


def test_a_campaign_is_posted_once_watched_and_its_receipt_kept(scene: Scene) -> None:
    made, change = send(scene)
    body = build_body(made, PEOPLE)
    assert (change.state, has_body(scene, made)) == (ChangeState.HELD, True)
    assert len(str(change.fields)) < 500, "the list is not in the change"
    scene.send(6)
    scene.send(600)
    assert scene.states() == [ChangeState.CONFIRMED]
    assert scene.platform.asked == [("post", made.campaign_id), ("posted", made.campaign_id)]
    assert scene.platform.campaigns[made.campaign_id] == {**body, "status": "pending"}
    receipt: Any = queue.kept(scene.services.store.reading, drafts.RECEIPT, made.campaign_id)
    assert receipt["answer"] == f"Campaign {made.campaign_id} was created."
    assert (receipt["count"], receipt["digest"]) == (40, recipient_digest(body))
    assert receipt["sentAt"] == receipt["confirmedAt"] > change.made_at
    assert receipt["body"] == {**body, "customerList": "40 recipients"}
    assert [each.campaign_id for each in campaign_store.watched(scene.services.store.reading)] == [
        made.campaign_id
    ]
    assert not has_body(scene, made)
    assert drafts_of(scene.services.store.reading) == ()


def test_it_waits_a_moment_in_which_undo_takes_it_back_and_its_draft_comes_back(scene: Scene) -> None:
    made, _ = send(scene)
    assert drafts_of(scene.services.store.reading) == ()
    scene.send(2)
    undone: Any = scene.services.outbox.undo().result()
    assert undone.count == 1
    scene.send(600)
    assert (scene.states(), posts(scene)) == ([ChangeState.UNDONE], 0)
    assert not has_body(scene, made)
    assert drafts_of(scene.services.store.reading) == (made,)
    redone: Any = scene.services.outbox.redo().result()
    assert (redone.count, "redo can't send a campaign" in redone.problems[0]) == (0, True)


def test_undo_says_that_it_cannot_stop_what_was_sent(scene: Scene) -> None:
    send(scene)
    scene.send(6)
    undone: Any = scene.services.outbox.undo().result()
    assert undone.count == 0
    assert "can't stop a campaign" in undone.problems[0]
    assert scene.states() == [ChangeState.CONFIRMED]


def test_a_second_enter_sends_nothing_more(scene: Scene) -> None:
    made, _ = send(scene)
    with pytest.raises(NotPossible, match="already in the outbox"):
        send(scene, made)
    scene.send(6)
    with pytest.raises(NotPossible, match="already exists"):
        send(scene, made)
    scene.send(600)
    assert posts(scene) == 1


def test_what_the_contract_does_not_allow_is_not_taken(scene: Scene) -> None:
    made = draft(scene)
    for spoiled in ({"name": ""}, {"whenToSendMessage": "future"}, {"unknown": 1}, {"source": "csv"}):
        with pytest.raises(NotPossible, match="campaign isn't valid"):
            scene.services.campaigns.create(made, {**build_body(made, PEOPLE), **spoiled}).result()
    assert scene.states() == []


@pytest.mark.parametrize("where", ["post", "posted"])
def test_an_answer_that_is_lost_is_found_by_reading_back_and_never_posted_again(scene: Scene, where: str) -> None:
    made, _ = send(scene)
    scene.fail(where, Ambiguous("the connection broke"))
    scene.send(6)
    assert scene.states() == [ChangeState.UNKNOWN]
    scene.platform.step = None
    for _ in range(27):
        scene.send(2)
    assert posts(scene) == 1
    if where == "posted":
        assert scene.states() == [ChangeState.CONFIRMED]
        assert "checked afterwards: the platform has it (pending)" in reason(scene)
        assert queue.kept(scene.services.store.reading, drafts.RECEIPT, made.campaign_id) is not None
        assert scene.platform.count("look") == 1
    else:
        assert scene.states() == [ChangeState.CONFLICT]
        assert "resend it (it keeps its id), or discard it" in reason(scene)
        assert scene.platform.count("look") == 4, "at the moments at which tasks are looked for, and at the end"
        assert has_body(scene, made)
        assert drafts_of(scene.services.store.reading) == (made,)


def unseen(scene: Scene) -> Draft:
    """A campaign of which nobody knows where it went, until a person decides."""
    made, _ = send(scene)
    scene.fail("post", Ambiguous("the connection broke"))
    scene.send(6)
    scene.platform.step = None
    for _ in range(6):
        scene.send(9)
    assert scene.states() == [ChangeState.CONFLICT]
    return made


def test_what_is_not_seen_is_sent_again_by_a_person_with_the_same_id(scene: Scene) -> None:
    made = unseen(scene)
    scene.services.outbox.retry(1).result()
    scene.send(1)
    assert scene.states() == [ChangeState.DROPPED, ChangeState.CONFIRMED]
    assert [each for each, _ in scene.platform.asked[-3:]] == ["look", "post", "posted"]
    assert scene.platform.campaigns.keys() == {made.campaign_id}


def test_what_arrived_after_all_is_not_posted_again_by_a_retry(scene: Scene) -> None:
    made = unseen(scene)
    scene.platform.campaigns[made.campaign_id] = {**build_body(made, PEOPLE), "status": "inProgress"}
    scene.services.outbox.retry(1).result()
    scene.send(1)
    assert scene.states() == [ChangeState.DROPPED, ChangeState.CONFIRMED]
    assert posts(scene) == 1


def test_the_draft_of_what_was_not_seen_can_be_sent_again_from_its_page(scene: Scene) -> None:
    made = unseen(scene)
    send(scene, replace(made, description="second try"))
    scene.send(6)
    assert scene.states() == [ChangeState.DROPPED, ChangeState.CONFIRMED]
    assert scene.platform.campaigns[made.campaign_id]["description"] == "second try"


def test_another_list_under_the_id_of_what_arrived_is_not_sent_and_says_to_look(scene: Scene) -> None:
    """Told to take another id, the person would write to those again whom the first try has reached."""
    made = unseen(scene)
    scene.platform.campaigns[made.campaign_id] = {**build_body(made, PEOPLE), "status": "inProgress"}
    scene.services.campaigns.create(made, build_body(made, PEOPLE[:5])).result()
    scene.send(6)
    assert (scene.states()[-1], posts(scene)) == (ChangeState.REFUSED, 1)
    assert "check it before you resend" in reason(scene)


def test_another_name_is_no_way_to_send_twice_what_may_have_arrived(scene: Scene) -> None:
    """The name gives the draft another id, under which nothing would be looked for."""
    made = unseen(scene)
    renamed = rename_draft(made, "Summer sale")
    assert renamed.campaign_id != made.campaign_id
    with pytest.raises(NotPossible, match=made.campaign_id):
        send(scene, renamed)
    scene.services.outbox.drop(1).result()
    with pytest.raises(NotPossible, match=made.campaign_id):
        send(scene, renamed)
    assert posts(scene) == 1


def test_what_is_on_its_way_is_not_sent_under_another_name_too(scene: Scene) -> None:
    made, _ = send(scene)
    for _ in range(2):
        with pytest.raises(NotPossible, match=made.campaign_id):
            send(scene, rename_draft(made, "Summer sale"))
        scene.send(6)
    assert (scene.states(), posts(scene)) == ([ChangeState.CONFIRMED], 1)


def test_what_was_refused_and_is_sent_under_another_name_is_not_tried_again_under_the_first(scene: Scene) -> None:
    made, _ = send(scene)
    scene.fail("post", ServerError("no", status=500, error="cannot_be_saved", message="No."))
    scene.send(6)
    scene.platform.step = None
    send(scene, rename_draft(made, "Summer sale"))
    scene.send(6)
    assert scene.states() == [ChangeState.DROPPED, ChangeState.CONFIRMED]
    assert not has_body(scene, made)


def test_what_is_dropped_is_gone_from_the_outbox_and_its_draft_is_kept(scene: Scene) -> None:
    made = unseen(scene)
    scene.services.outbox.drop(1).result()
    scene.send(600)
    assert (scene.states(), posts(scene), has_body(scene, made)) == ([ChangeState.DROPPED], 1, False)
    assert drafts_of(scene.services.store.reading) == (made,)
    scene.services.campaigns.forget_draft(made.draft_id).result()
    assert drafts_of(scene.services.store.reading) == ()


def test_an_unknown_one_that_is_dropped_and_made_again_waits_and_is_looked_for_first(scene: Scene) -> None:
    made, _ = send(scene)
    scene.fail("posted", Ambiguous("the connection broke"))
    scene.send(6)
    scene.platform.step = None
    scene.services.outbox.drop(1).result()
    send(scene, made)
    scene.send(6)
    assert scene.states()[-1] is ChangeState.HELD, "what was given up may still arrive"
    scene.send(SETTLE_AFTER)
    assert scene.states() == [ChangeState.DROPPED, ChangeState.CONFIRMED]
    assert posts(scene) == 1


def test_a_refusal_is_shown_with_the_platforms_words_and_the_draft_comes_back(scene: Scene) -> None:
    made, _ = send(scene)
    scene.fail("post", ServerError("no", status=500, error="cannot_be_saved", message="The folder is gone."))
    scene.send(6)
    assert scene.states() == [ChangeState.REFUSED]
    assert reason(scene) == "rejected by the platform: cannot_be_saved: The folder is gone."
    assert scene.platform.count("look") == 1
    assert drafts_of(scene.services.store.reading) == (made,)
    scene.platform.step = None
    scene.services.outbox.retry(1).result()
    scene.send(1)
    assert scene.states()[-1] is ChangeState.CONFIRMED


def test_an_id_that_another_campaign_has_is_refused(scene: Scene) -> None:
    made = draft(scene)
    scene.platform.campaigns[made.campaign_id] = {
        **build_body(made, PEOPLE[:3]),
        "name": "Another",
        "status": "pending",
    }
    send(scene, made)
    scene.send(6)
    assert scene.states() == [ChangeState.REFUSED]
    assert "There already is one.; a campaign with this id already exists; change the name in its draft" in reason(
        scene
    )
    anew = replace(made, draft_id="other", campaign_id=CampaignId(f"{made.campaign_id}-2"))
    send(scene, anew)
    scene.send(6)
    assert scene.states()[-1] is ChangeState.CONFIRMED


def test_a_refusal_of_what_is_stored_as_it_was_sent_is_a_yes(scene: Scene) -> None:
    """Refusing it would have the person send it to everybody a second time under another id."""
    send(scene)
    scene.fail("posted", ServerError("no", status=500, error="late", message="Too late."))
    scene.send(6)
    assert (scene.states(), posts(scene)) == ([ChangeState.CONFIRMED], 1)


def test_a_refusal_that_cannot_be_read_back_now_is_settled_later(scene: Scene) -> None:
    send(scene)

    async def step(what: str, _: str) -> None:
        if what == "post":
            raise ServerError("no", status=500, error="cannot_be_saved", message="The folder is gone.")
        raise NotSent("offline")

    scene.platform.step = step
    scene.send(6)
    assert scene.states() == [ChangeState.UNKNOWN]
    scene.platform.step = None
    for _ in range(8):
        scene.send(20)
    assert (scene.states(), posts(scene)) == ([ChangeState.CONFLICT], 1)
    assert "The folder is gone." in reason(scene)


@pytest.mark.parametrize("error", [ServerError("broken", status=500), ServerError("broken", status=503)])
def test_a_failure_without_the_platforms_words_is_no_refusal(scene: Scene, error: ServerError) -> None:
    send(scene)
    scene.fail("posted", error)
    scene.send(6)
    assert scene.states() == [ChangeState.UNKNOWN]
    scene.platform.step = None
    scene.send(9)
    assert (scene.states(), posts(scene)) == ([ChangeState.CONFIRMED], 1)


def test_a_plain_no_is_final(scene: Scene) -> None:
    send(scene)
    scene.fail("post", Refused("too large", status=413))
    scene.send(6)
    scene.send(600)
    assert (scene.states(), posts(scene)) == ([ChangeState.REFUSED], 1)


@pytest.mark.parametrize("error", [NotSent("no connection"), RateLimited("slow", status=429, retry_after=30)])
def test_offline_it_waits_and_goes_when_it_can(scene: Scene, error: Exception) -> None:
    send(scene)
    scene.fail("post", error)
    scene.send(6)
    assert scene.states() == [ChangeState.QUEUED]
    assert reason(scene) == str(error)
    scene.platform.step = None
    scene.send(300)
    assert scene.states() == [ChangeState.CONFIRMED]
    assert scene.platform.count("look") == 0, "nothing had left"


@pytest.mark.parametrize(("later", "waits", "why"), [
    (60.0, 120.0, "the scheduled time passed while it was waiting"),
    (None, MAX_WAITS + 60, "it was due immediately but waited for over an hour"),
])  # fmt: skip
def test_what_waited_too_long_is_not_sent_late_by_surprise(
    scene: Scene, later: float | None, waits: float, why: str
) -> None:
    made, _ = send(scene, draft(scene, later))
    scene.fail("post", NotSent("no connection"))
    scene.send(6)
    scene.platform.step = None
    tries = posts(scene)
    scene.send(waits)
    assert (scene.states(), posts(scene)) == ([ChangeState.CONFLICT], tries)
    assert why in reason(scene)
    assert drafts_of(scene.services.store.reading) == (made,)
    if later is None:
        scene.services.outbox.retry(1).result()
        scene.send(1)
        assert scene.states()[-1] is ChangeState.CONFIRMED
    else:
        with pytest.raises(NotPossible, match="scheduled time has passed"):
            scene.services.outbox.retry(1).result()


def test_a_scheduled_campaign_goes_with_its_time_in_milliseconds(scene: Scene) -> None:
    made, _ = send(scene, draft(scene, timedelta(hours=3).total_seconds()))
    scene.send(6)
    stored = scene.platform.campaigns[made.campaign_id]
    assert stored["whenToSendMessage"] == "future"
    assert stored["scheduledAt"] == round((made.scheduled_at or 0) * 1000)


def test_a_campaign_whose_body_is_lost_is_not_made_up(scene: Scene) -> None:
    made, _ = send(scene)
    scene.store.write(lambda db: drafts.forget_body(db, made.campaign_id)).result()
    scene.send(6)
    assert (scene.states(), posts(scene)) == ([ChangeState.REFUSED], 0)
    with pytest.raises(NotPossible, match="is gone"):
        scene.services.outbox.retry(1).result()


def test_what_is_stored_is_not_said_to_be_missing_where_its_body_is_lost(scene: Scene) -> None:
    made, _ = send(scene)
    scene.fail("posted", Ambiguous("the connection broke"))
    scene.send(6)
    scene.platform.step = None
    scene.store.write(lambda db: drafts.forget_body(db, made.campaign_id)).result()
    scene.send(9)
    assert (scene.states(), posts(scene)) == ([ChangeState.CONFLICT], 1)
    assert "the platform has a campaign with this id" in reason(scene)


def test_a_list_that_is_not_the_one_that_was_confirmed_is_not_sent(scene: Scene) -> None:
    made, _ = send(scene)
    for spoiled in (json.dumps(build_body(made, PEOPLE[1:])), '{"id":', "[]"):
        scene.store.write(lambda db, it=spoiled: drafts.keep_body(db, made.campaign_id, it, 1.0)).result()
        scene.send(6)
        assert (scene.states()[-1], posts(scene)) == (ChangeState.REFUSED, 0)
        scene.services.outbox.retry(scene.all()[-1].change_id).result()


def test_a_change_that_was_being_sent_when_everything_ended_is_read_back(scene: Scene) -> None:
    made, _ = send(scene)
    scene.once("posted", lambda: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        scene.send(6)
    assert scene.states() == [ChangeState.SENDING]
    for _ in range(2):
        scene.send(9)
    assert (scene.states(), posts(scene)) == ([ChangeState.CONFIRMED], 1)
    assert queue.kept(scene.services.store.reading, drafts.RECEIPT, made.campaign_id) is not None


def test_a_draft_that_is_kept_once_more_behind_its_sending_does_not_come_back(scene: Scene) -> None:
    made, _ = send(scene)
    scene.services.campaigns.keep_draft(made).result()
    assert drafts_of(scene.services.store.reading) == ()
    scene.send(6)
    scene.services.campaigns.keep_draft(made).result()
    assert drafts_of(scene.services.store.reading) == ()


def test_a_time_that_passed_while_the_name_was_typed_is_not_taken(scene: Scene) -> None:
    made = draft(scene, later=30)
    scene.now += 31
    with pytest.raises(NotPossible, match="scheduled time has passed"):
        send(scene, made)


def test_drafts_come_back_in_the_order_in_which_they_were_touched(scene: Scene, tmp_path: Path) -> None:
    one = draft(scene)
    two = replace(one, draft_id="other", campaign_id=CampaignId(f"{one.campaign_id}-2"))
    for each in (one, two, one):
        kept: Future[None] = scene.services.campaigns.keep_draft(each)
        kept.result()
        scene.now += 1
    assert drafts_of(scene.services.store.reading) == (two, one)
    with Store(scene.store.folder) as again:
        assert len(queue.all_kept(again.reading, drafts.DRAFT)) == 2


def test_a_workflow_with_the_id_of_a_campaign_keeps_what_waits_for_a_person(scene: Scene) -> None:
    made = draft(scene)
    waiting = scene.services.workflows.reset_analytics(made.campaign_id).result()
    states = {ChangeState.HELD}
    scene.store.write(
        lambda db: queue.move(db, waiting.change_id, ChangeState.CONFLICT, expected=states, now=scene.now)
    ).result()
    send(scene, made)
    kept = queue.change(scene.store.reading, waiting.change_id)
    assert kept is not None
    assert kept.state is ChangeState.CONFLICT
