"""What a builder sends: read whole before, sent once, read back where an answer was lost."""

import copy
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import apsw
import httpx
import pytest

from frontdesk.outbox import queue
from frontdesk.outbox.changes import NotPossible
from frontdesk.outbox.delivery import MAX_WAITS
from frontdesk.outbox.sender import SETTLE_AFTER
from frontdesk.storage import record_lookup
from frontdesk.storage.records import ChangeKind, ChangeState, Connection
from frontdesk.workflows import delivery as workflow_delivery
from frontdesk.workflows import pending_payloads, versions
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.models import VersionRecord
from frontdesk.workflows.request_body import create_body, export_document, update_body
from frontdesk_api.contract.endpoints import Host
from frontdesk_api.contract.ids import ConversationId, TagId
from sandbox.test_workflows import GRAPH
from workflows.delivery_scene import NOT_SENT, WorkflowScene

WELCOME = "wf-welcome"
FOLDER = "folder-service"
HELD, UNKNOWN, CONFLICT = ChangeState.HELD, ChangeState.UNKNOWN, ChangeState.CONFLICT
REFUSED, CONFIRMED, DROPPED = ChangeState.REFUSED, ChangeState.CONFIRMED, ChangeState.DROPPED


def new_body(name: str = "New one") -> dict[str, Any]:
    return create_body({"name": name, "platformType": "whatsapp", **GRAPH})


def create(scene: WorkflowScene, workflow_id: str = "wf-new", **more: Any) -> None:
    scene.services.workflows.create(workflow_id, FOLDER, new_body() | more).result()


def renamed(scene: WorkflowScene, notes: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """An update of a live workflow's notes and whole graph, and what it was made from."""
    base = scene.known(WELCOME)
    return update_body({**export_document(base), "notes": notes}, base), base


def update(scene: WorkflowScene, notes: str = "mine") -> None:
    body, base = renamed(scene, notes)
    scene.services.workflows.update(WELCOME, body, base).result()


def colleague(scene: WorkflowScene, **fields: Any) -> None:
    """Somebody else updates the workflow in their editor."""
    stored = scene.stored(WELCOME)
    body = {**fields, "lastModified": stored["lastModified"]}
    assert scene.sandbox.put(f"/workflows/{WELCOME}", body).is_success


def edit(scene: WorkflowScene, workflow_id: str, do: Callable[[dict[str, Any]], None]) -> None:
    """The platform's own row, changed behind everybody's back."""
    storage = scene.sandbox.world.storage
    ((raw,),) = storage.rows("SELECT json FROM workflows WHERE id=?", workflow_id)
    document = json.loads(raw)
    do(document)
    with storage.writing():
        storage.run("UPDATE workflows SET json=? WHERE id=?", json.dumps(document), workflow_id)


def moved(raw: dict[str, Any], **fields: Any) -> None:
    raw.update(fields, lastModified=raw["lastModified"] + 1)


def json_of(value: object) -> httpx.Response:
    return httpx.Response(200, stream=httpx.ByteStream(json.dumps(value).encode()))


def told_nothing() -> httpx.Response:
    return json_of({})


def in_one(scene: WorkflowScene) -> ChangeState:
    (state,) = scene.states()
    return state


def snapshots(scene: WorkflowScene) -> Sequence[VersionRecord]:
    return versions.list_versions(scene.services.store.reading, WELCOME, versions.SNAPSHOT)


# Create


def test_a_workflow_is_posted_once_and_stored_here_as_the_platform_has_it(scene: WorkflowScene) -> None:
    create(scene)
    assert scene.last().state is HELD
    assert len(str(scene.last().fields)) < 400, "the graph is not in the change"
    scene.send(2)
    assert scene.asked("POST") == 0, "five seconds, in which it can be taken back"
    scene.send(4)
    scene.settle()
    assert in_one(scene) is CONFIRMED
    assert scene.asked("POST", "/workflows/wf-new") == 1
    assert scene.last().reason == ""
    assert scene.stored("wf-new")["isActive"] is False
    assert scene.known("wf-new") == scene.stored("wf-new")
    assert "wf-new" in [
        each.document_id for each in record_lookup.all_of(scene.services.store.reading, record_lookup.WORKFLOW)
    ]


def test_an_id_that_is_stored_is_refused_before_anything_is_sent(scene: WorkflowScene) -> None:
    with pytest.raises(NotPossible, match="already exists"):
        create(scene, WELCOME)
    create(scene)
    assert scene.sandbox.post(f"/workflows/wf-new?folderId={FOLDER}", {"name": "a colleague's"}).is_success
    scene.send()
    assert (in_one(scene), scene.asked("POST", "/workflows/")) == (REFUSED, 0)
    assert scene.last().reason == workflow_delivery.TAKEN
    assert scene.stored("wf-new")["name"] == "a colleague's"


def test_undo_takes_it_back_while_it_is_held_and_says_that_nothing_removes_one_that_was_sent(
    scene: WorkflowScene,
) -> None:
    create(scene)
    undone: Any = scene.services.outbox.undo().result()
    scene.send()
    assert (undone.count, in_one(scene), scene.asked("POST")) == (1, ChangeState.UNDONE, 0)
    redone: Any = scene.services.outbox.redo().result()
    assert "redo doesn't create workflows" in redone.problems[0]
    create(scene)
    scene.send()
    undone = scene.services.outbox.undo().result()
    assert (undone.count, "can't delete workflows" in undone.problems[0]) == (0, True)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_lost_answer_is_found_by_reading_back_and_never_posted_again(scene: WorkflowScene, when: str) -> None:
    create(scene)
    scene.lose("POST", "/workflows/wf-new", when=when)
    scene.send()
    assert in_one(scene) is UNKNOWN
    scene.settle()
    assert scene.asked("POST", "/workflows/wf-new") == 1
    if when == "after":
        assert (in_one(scene), scene.last().reason) == (CONFIRMED, workflow_delivery.READ_BACK)
        assert scene.known("wf-new") == scene.stored("wf-new")
    else:
        assert in_one(scene) is CONFLICT
        assert workflow_delivery.NOT_SEEN in scene.last().reason
        scene.services.outbox.retry(scene.last().change_id).result()
        scene.send(1)
        assert scene.states() == [DROPPED, CONFIRMED]
        assert scene.stored("wf-new")["name"] == "New one"


def test_what_is_stored_otherwise_after_a_lost_answer_is_left_to_a_person_with_theirs(
    scene: WorkflowScene,
) -> None:
    create(scene)
    scene.lose("POST", "/workflows/wf-new", when="before")
    scene.send()
    body = {"name": "a colleague's"}
    assert scene.sandbox.post(f"/workflows/wf-new?folderId={FOLDER}", body).is_success
    scene.settle()
    assert (in_one(scene), scene.last().reason) == (CONFLICT, workflow_delivery.OTHERWISE)
    texts = pending_payloads.payload(scene.services.store.reading, scene.last().change_id)
    assert json.loads(texts.theirs or "")["name"] == "a colleague's"
    scene.services.outbox.retry(scene.last().change_id).result()
    scene.send(1)
    assert scene.states()[-1] is REFUSED
    assert (scene.asked("POST", "/workflows/wf-new"), scene.stored("wf-new")["name"]) == (1, "a colleague's")


def test_where_the_platform_lists_only_some_a_person_decides_whether_one_may_exist(scene: WorkflowScene) -> None:
    create(scene)
    scene.sandbox.put("/sandbox/settings", {"more_workflows": True})
    scene.send()
    assert (in_one(scene), scene.last().reason) == (CONFLICT, workflow_delivery.MAY_EXIST)
    assert scene.asked("POST", "/workflows/wf-new") == 0
    scene.services.outbox.retry(scene.last().change_id).result()
    scene.send(1)
    assert scene.states() == [DROPPED, CONFIRMED]


def test_who_was_refused_for_something_else_is_asked_whether_one_may_exist(scene: WorkflowScene) -> None:
    scene.services.workflows.create("wf-new", "no-such-folder", new_body()).result()
    scene.send()
    assert in_one(scene) is REFUSED
    scene.sandbox.put("/sandbox/settings", {"more_workflows": True})
    scene.services.outbox.retry(scene.last().change_id).result()
    scene.send(1)
    assert (scene.last().state, scene.last().reason) == (CONFLICT, workflow_delivery.MAY_EXIST)
    assert scene.asked("POST", "/workflows/wf-new") == 1


def test_a_folder_that_is_not_there_is_refused_in_the_platforms_words(scene: WorkflowScene) -> None:
    scene.services.workflows.create("wf-new", "no-such-folder", new_body()).result()
    scene.send()
    assert in_one(scene) is REFUSED
    assert "no-such-folder" in scene.last().reason


def test_what_cannot_be_sent_is_not_taken(scene: WorkflowScene) -> None:
    without_layout = {name: value for name, value in new_body().items() if name != "autoLayout"}
    for body in ({"notes": "x"}, {"name": 7}, without_layout):
        with pytest.raises(NotPossible, match="can't be sent:"):
            scene.services.workflows.create("wf-new", FOLDER, body).result()
    for workflow_id in ("", "..", "x" * 600, "\ud800"):
        with pytest.raises(NotPossible, match="id"):
            scene.services.workflows.create(workflow_id, FOLDER, new_body()).result()
    with pytest.raises(NotPossible, match="folder"):
        scene.services.workflows.create("wf-new", "", new_body()).result()
    with pytest.raises(NotPossible, match="lastModified"):
        scene.services.workflows.update(WELCOME, {"notes": "x"}, None).result()
    assert scene.states() == []


def test_a_second_enter_sends_nothing_more(scene: WorkflowScene) -> None:
    create(scene)
    update(scene)
    scene.services.workflows.set_active(WELCOME, False, scene.known(WELCOME)).result()
    scene.services.workflows.reset_analytics(WELCOME).result()
    scene.services.workflows.delete_webhook("hook").result()
    deeds: list[Callable[[], object]] = [
        lambda: create(scene),
        lambda: update(scene),
        lambda: scene.services.workflows.set_active(WELCOME, False, None).result(),
        lambda: scene.services.workflows.reset_analytics(WELCOME).result(),
        lambda: scene.services.workflows.delete_webhook("hook").result(),
    ]
    for again in deeds:
        with pytest.raises(NotPossible, match="still in progress"):
            again()


def test_half_a_character_in_a_file_is_refused_and_stops_nothing(scene: WorkflowScene) -> None:
    create(scene, notes="\ud800")
    scene.send()
    assert in_one(scene) is REFUSED
    assert scene.asked("POST", "/workflows/") == 0


# Update


def test_an_update_is_put_once_with_the_lastmodified_that_was_read(scene: WorkflowScene) -> None:
    update(scene)
    scene.send()
    scene.settle()
    assert (in_one(scene), scene.last().reason) == (CONFIRMED, "")
    assert (scene.asked("PUT"), scene.lists()) == (1, 1)
    assert scene.stored(WELCOME)["notes"] == "mine"
    assert scene.known(WELCOME) == scene.stored(WELCOME), "it is shown at once"


def test_what_somebody_else_changed_since_is_a_conflict_with_theirs_and_nothing_is_put(
    scene: WorkflowScene,
) -> None:
    update(scene)
    colleague(scene, notes="theirs")
    scene.send()
    assert (in_one(scene), scene.asked("PUT")) == (CONFLICT, 0)
    change = scene.last()
    texts = pending_payloads.payload(scene.services.store.reading, change.change_id)
    assert [json.loads(each or "")["notes"] for each in (texts.body, texts.theirs)] == ["mine", "theirs"]
    assert json.loads(texts.base or "")["notes"] != "theirs"
    assert scene.known(WELCOME)["notes"] == "theirs"
    with pytest.raises(NotPossible, match="compare theirs with yours"):
        scene.services.outbox.retry(change.change_id).result()
    scene.services.outbox.retry(change.change_id, over_theirs=True).result()
    scene.send(1)
    assert scene.states() == [DROPPED, CONFIRMED]
    assert scene.stored(WELCOME)["notes"] == "mine"


def test_what_changes_once_more_before_mine_goes_over_theirs_is_a_conflict_again(scene: WorkflowScene) -> None:
    update(scene)
    colleague(scene, notes="theirs")
    scene.send()
    scene.services.outbox.retry(scene.last().change_id, over_theirs=True).result()
    colleague(scene, notes="theirs again")
    scene.send(1)
    assert (scene.states(), scene.asked("PUT")) == ([DROPPED, CONFLICT], 0)
    assert scene.stored(WELCOME)["notes"] == "theirs again"


def test_a_409_keeps_theirs_and_a_dropped_update_leaves_it(scene: WorkflowScene) -> None:
    update(scene)
    scene.once("PUT", WELCOME, lambda: edit(scene, WELCOME, lambda raw: moved(raw, notes="faster")))
    scene.send()
    assert in_one(scene) is CONFLICT
    assert "409" in scene.last().reason
    assert scene.last().sends == 0, "nothing of it was taken"
    texts = pending_payloads.payload(scene.services.store.reading, scene.last().change_id)
    assert json.loads(texts.theirs or "")["notes"] == "faster"
    scene.services.outbox.drop(scene.last().change_id).result()
    scene.settle()
    assert (in_one(scene), scene.stored(WELCOME)["notes"]) == (DROPPED, "faster")


def test_only_counters_moved_is_nobodys_change(scene: WorkflowScene) -> None:
    """A reset moves lastModified, and a live workflow counts all the time."""
    update(scene)
    assert scene.sandbox.post(f"/workflows/{WELCOME}/analytics/reset").is_success
    scene.send()
    assert (in_one(scene), scene.stored(WELCOME)["notes"]) == (CONFIRMED, "mine")


def test_what_is_so_already_is_not_sent(scene: WorkflowScene) -> None:
    update(scene)
    colleague(scene, notes="mine")
    scene.send()
    assert (in_one(scene), scene.last().reason, scene.asked("PUT")) == (
        CONFIRMED,
        "the platform already had this",
        0,
    )


def test_a_lost_answer_of_an_update_that_arrived_is_found_and_not_sent_again(scene: WorkflowScene) -> None:
    update(scene)
    scene.lose("PUT", WELCOME)
    scene.send()
    assert in_one(scene) is UNKNOWN
    scene.settle()
    assert (in_one(scene), scene.asked("PUT")) == (CONFIRMED, 1)
    assert scene.last().reason == workflow_delivery.READ_BACK


def test_an_update_that_did_not_arrive_is_sent_once_more_and_then_left_to_a_person(scene: WorkflowScene) -> None:
    update(scene)
    scene.lose("PUT", WELCOME, when="before", times=2)
    scene.send()
    scene.settle()
    assert (in_one(scene), scene.asked("PUT")) == (UNKNOWN, 2)
    scene.settle()
    assert (in_one(scene), scene.asked("PUT")) == (CONFLICT, 2)
    assert scene.last().reason == workflow_delivery.SENT_TWICE
    scene.services.outbox.retry(scene.last().change_id).result()
    scene.send(1)
    assert scene.states() == [DROPPED, CONFIRMED]
    assert scene.stored(WELCOME)["notes"] == "mine"


def test_an_update_that_takes_something_out_is_not_found_where_it_did_not_arrive(scene: WorkflowScene) -> None:
    base = scene.known(WELCOME)
    body = copy.deepcopy(update_body(export_document(base), base))
    del body["parsedData"][0]["title"]
    scene.services.workflows.update(WELCOME, body, base).result()
    scene.lose("PUT", WELCOME, when="before")
    scene.send()
    assert scene.sandbox.post(f"/workflows/{WELCOME}/analytics/reset").is_success
    scene.send(9.0)
    assert in_one(scene) is UNKNOWN, "that lastModified has moved on says nothing"
    scene.settle()
    assert (in_one(scene), scene.asked("PUT")) == (CONFIRMED, 2)
    assert "title" not in scene.stored(WELCOME)["parsedData"][0]


def test_an_update_that_did_not_arrive_is_not_sent_once_more_hours_later(scene: WorkflowScene) -> None:
    """As on a machine that slept: a live workflow changes by no surprise."""
    update(scene)
    scene.lose("PUT", WELCOME, when="before")
    scene.send()
    for _ in range(2):
        scene.send(MAX_WAITS)
    assert (in_one(scene), scene.asked("PUT")) == (CONFLICT, 1)
    assert scene.last().reason == workflow_delivery.AS_BEFORE


def test_neither_as_before_nor_as_sent_is_a_conflict(scene: WorkflowScene) -> None:
    update(scene)
    scene.lose("PUT", WELCOME, when="before")
    scene.send()
    colleague(scene, notes="theirs")
    scene.settle()
    assert (in_one(scene), scene.asked("PUT")) == (CONFLICT, 1)
    assert workflow_delivery.NEITHER in scene.last().reason


def test_an_answer_that_tells_nothing_is_read_back(scene: WorkflowScene) -> None:
    """The PUT is named without a description of its own."""
    update(scene)
    scene.through.after = lambda request: told_nothing() if request.method == "PUT" else None
    scene.send()
    assert (in_one(scene), scene.last().reason, scene.lists()) == (CONFIRMED, "", 2)
    assert scene.known(WELCOME) == scene.stored(WELCOME)


def test_a_platform_that_stores_something_else_is_told(scene: WorkflowScene) -> None:
    update(scene)

    def empty(request: httpx.Request) -> httpx.Response | None:
        if request.method != "PUT":
            return None
        edit(scene, WELCOME, lambda raw: raw.update(notes="cut"))
        return told_nothing()

    scene.through.after = empty
    scene.send()
    assert (in_one(scene), scene.last().reason) == (CONFIRMED, workflow_delivery.STORED_OTHERWISE)


def test_a_workflow_that_is_gone_or_not_listed_is_not_put(scene: WorkflowScene) -> None:
    update(scene)
    storage = scene.sandbox.world.storage
    with storage.writing():
        storage.run("DELETE FROM workflows WHERE id=?", WELCOME)
    scene.send()
    assert (in_one(scene), scene.last().reason, scene.asked("PUT")) == (REFUSED, workflow_delivery.GONE, 0)
    scene.sandbox.put("/sandbox/settings", {"more_workflows": True})
    scene.services.outbox.retry(scene.last().change_id).result()
    scene.send(1)
    assert (scene.last().state, scene.last().reason) == (REFUSED, workflow_delivery.NOT_LISTED)


def test_undo_of_an_update_puts_back_what_it_replaced_and_redo_sends_it_again(scene: WorkflowScene) -> None:
    before = export_document(scene.known(WELCOME))
    body, base = renamed(scene, "mine")
    body = copy.deepcopy(body)
    body["parsedData"][0]["title"] = "Another title"
    scene.services.workflows.update(WELCOME, body, base).result()
    scene.send()
    undone: Any = scene.services.outbox.undo().result()
    assert (undone.count, undone.problems) == (1, ())
    scene.send()
    after = scene.stored(WELCOME)
    assert scene.states() == [CONFIRMED, CONFIRMED]
    assert after["parsedData"] == before["parsedData"]
    assert after.get("notes") == before.get("notes", after.get("notes"))
    redone: Any = scene.services.outbox.redo().result()
    assert (redone.count, redone.problems) == (1, ())
    scene.send()
    assert scene.stored(WELCOME)["parsedData"][0]["title"] == "Another title"


def test_undo_of_an_update_that_was_changed_again_since_is_not_done(scene: WorkflowScene) -> None:
    update(scene)
    scene.send()
    colleague(scene, notes="theirs")
    scene.store.write(lambda db: workflow_store.put_whole(db, scene.stored(WELCOME), scene.now)).result()
    undone: Any = scene.services.outbox.undo().result()
    assert (undone.count, "changed again since" in undone.problems[0]) == (0, True)


def test_an_update_that_was_taken_back_is_made_again_by_redo(scene: WorkflowScene) -> None:
    update(scene)
    undone: Any = scene.services.outbox.undo().result()
    scene.send()
    assert scene.asked("PUT") == 0
    redone: Any = scene.services.outbox.redo().result()
    assert (undone.is_to_send, redone.is_to_send) == (False, True)
    scene.send()
    assert (redone.count, scene.states()) == (1, [ChangeState.UNDONE, CONFIRMED])
    assert scene.stored(WELCOME)["notes"] == "mine"


# Switching on and off


def test_a_switch_sends_no_graph_and_the_graph_stays(scene: WorkflowScene) -> None:
    before = scene.known(WELCOME)
    scene.services.workflows.set_active(WELCOME, False, before).result()
    sent: list[dict[str, Any]] = []

    def look(request: httpx.Request) -> None:
        if request.method == "PUT":
            sent.append(json.loads(request.content))

    scene.through.before = look
    scene.send()
    assert sent == [{"isActive": False, "lastModified": before["lastModified"]}]
    assert in_one(scene) is CONFIRMED
    after = scene.stored(WELCOME)
    assert (after["isActive"], after["parsedData"]) == (False, before["parsedData"])
    undone: Any = scene.services.outbox.undo().result()
    assert (undone.is_to_send, scene.known(WELCOME)["isActive"]) == (True, False)
    scene.send()
    assert (undone.count, scene.stored(WELCOME)["isActive"]) == (1, True)


def test_a_workflow_that_somebody_changed_since_it_was_looked_at_is_not_switched_on(scene: WorkflowScene) -> None:
    """Nobody lets a graph answer customers that they haven't seen."""
    scene.services.workflows.set_active(WELCOME, False, scene.known(WELCOME)).result()
    colleague(scene, notes="theirs")
    scene.send()
    assert (in_one(scene), scene.asked("PUT")) == (CONFLICT, 0)
    assert scene.last().theirs is not None


def test_switched_as_a_row_of_the_list_showed_it_without_its_graph(scene: WorkflowScene) -> None:
    facts = {
        name: value
        for name, value in scene.known(WELCOME).items()
        if name not in ("trigger", "parsedData", "data")
    }
    scene.services.workflows.set_active(WELCOME, False, facts).result()
    scene.send()
    assert (in_one(scene), scene.stored(WELCOME)["isActive"]) == (CONFIRMED, False)


def test_a_graph_that_the_platform_drops_on_a_switch_is_told_loudly_and_can_be_sent_back(
    scene: WorkflowScene,
) -> None:
    before = scene.known(WELCOME)
    scene.services.workflows.set_active(WELCOME, False, before).result()

    def drop(request: httpx.Request) -> httpx.Response | None:
        if request.method == "PUT":
            scene.through.after = lambda _: None
            edit(scene, WELCOME, lambda raw: [raw.pop(name) for name in ("trigger", "parsedData", "data")])
            return told_nothing()
        return None

    scene.through.after = drop
    scene.send()
    assert in_one(scene) is CONFLICT
    assert "LOST ITS GRAPH" in scene.last().reason
    assert "parsedData" not in scene.stored(WELCOME)
    scene.services.outbox.retry(scene.last().change_id).result()
    scene.send(1)
    assert scene.states() == [DROPPED, CONFIRMED]
    after = scene.stored(WELCOME)
    assert after["parsedData"] == before["parsedData"]
    assert after["isActive"] is False


def test_created_and_switched_on_in_one_breath_goes_in_order(scene: WorkflowScene) -> None:
    create(scene)
    scene.services.workflows.set_active("wf-new", True, None).result()
    scene.send()
    scene.send(0)
    assert scene.states() == [CONFIRMED, CONFIRMED]
    assert scene.stored("wf-new")["isActive"] is True


def test_updated_and_switched_off_in_one_breath_is_no_conflict_with_oneself(scene: WorkflowScene) -> None:
    update(scene)
    scene.services.workflows.set_active(WELCOME, False, scene.known(WELCOME)).result()
    scene.send()
    scene.send(0)
    assert scene.states() == [CONFIRMED, CONFIRMED]
    assert (scene.stored(WELCOME)["isActive"], scene.stored(WELCOME)["notes"]) == (False, "mine")


def test_a_switch_replaces_no_update_that_waits_for_a_person(scene: WorkflowScene) -> None:
    update(scene)
    colleague(scene, notes="theirs")
    scene.send()
    scene.services.workflows.set_active(WELCOME, False, scene.known(WELCOME)).result()
    scene.send()
    assert scene.states() == [CONFLICT, CONFIRMED]
    update(scene, "mine anew")
    assert scene.states() == [DROPPED, CONFIRMED, HELD]


def test_what_follows_a_creation_that_was_refused_is_refused_too(scene: WorkflowScene) -> None:
    scene.services.workflows.create("wf-new", "no-such-folder", new_body()).result()
    scene.services.workflows.set_active("wf-new", True, None).result()
    scene.send()
    scene.send(0)
    assert scene.states() == [REFUSED, REFUSED]


# Analytics


def counted(scene: WorkflowScene) -> dict[str, Any]:
    """The workflow after customers went through it."""
    document: dict[str, Any] = scene.stored(WELCOME)
    assert document["analytics"]["totalStarted"] > 0, "the seed has counted"
    return document


def test_a_reset_keeps_a_snapshot_and_zeroes(scene: WorkflowScene) -> None:
    before = counted(scene)
    scene.services.workflows.reset_analytics(WELCOME).result()
    scene.send()
    assert (in_one(scene), scene.last().reason) == (CONFIRMED, "")
    assert scene.stored(WELCOME)["analytics"]["totalStarted"] == 0
    assert scene.known(WELCOME)["analytics"]["totalStarted"] == 0
    (snapshot,) = snapshots(scene)
    assert snapshot.label == versions.BEFORE_RESET
    kept = versions.find(scene.services.store.reading, WELCOME, versions.SNAPSHOT, number=snapshot.number) or {}
    assert kept["analytics"] == before["analytics"]
    assert ("data" in kept, "parsedData" in kept) == (False, True)
    assert scene.last().fields["totalStarted"] == before["analytics"]["totalStarted"]
    undone: Any = scene.services.outbox.undo().result()
    assert "the counters can't be restored" in undone.problems[0]


def test_the_snapshot_is_kept_before_the_first_byte_leaves(scene: WorkflowScene) -> None:
    scene.services.workflows.reset_analytics(WELCOME).result()
    kept: list[int] = []
    scene.once(
        "POST",
        "/analytics/reset",
        lambda: kept.append(len(snapshots(scene))),
    )
    scene.send()
    assert kept == [1]


def test_counters_of_an_odd_shape_are_kept_before_they_are_zeroed_too(scene: WorkflowScene) -> None:
    scene.services.workflows.reset_analytics(WELCOME).result()
    odd = {**scene.stored(WELCOME), "analytics": [{"totalStarted": 7}]}

    def listed(request: httpx.Request) -> httpx.Response | None:
        is_list = request.url.path == "/workflows"
        return json_of({"result": [odd], "hasMoreItemsToFetch": False}) if is_list else None

    scene.through.after = listed
    scene.send()
    assert (in_one(scene), scene.asked("POST", "/reset")) == (CONFIRMED, 1)
    (snapshot,) = snapshots(scene)
    kept = versions.find(scene.services.store.reading, WELCOME, versions.SNAPSHOT, number=snapshot.number) or {}
    assert kept["analytics"] == odd["analytics"]


@pytest.mark.parametrize("deed", ["drop", "retry"])
def test_a_reset_that_never_left_leaves_no_snapshot(scene: WorkflowScene, deed: str) -> None:
    scene.services.workflows.reset_analytics(WELCOME).result()
    scene.lose("POST", "/reset", when="before", error=NOT_SENT)
    scene.send()
    assert (
        in_one(scene),
        len(snapshots(scene)),
    ) == (
        ChangeState.QUEUED,
        1,
    )
    if deed == "retry":
        scene.send(MAX_WAITS)
        assert in_one(scene) is CONFLICT
    getattr(scene.services.outbox, deed)(scene.last().change_id).result()
    assert snapshots(scene) == []
    scene.send(1)
    assert len(snapshots(scene)) == (1 if deed == "retry" else 0)


def test_without_the_plan_its_limit_is_told_and_nothing_else_is_tried(scene: WorkflowScene) -> None:
    scene.sandbox.world.options = replace(scene.sandbox.world.options, plan="basic")
    scene.services.workflows.reset_analytics(WELCOME).result()
    scene.send()
    scene.settle()
    assert in_one(scene) is REFUSED
    assert "Expert AI plan" in scene.last().reason
    assert scene.asked("POST", "/reset") == 1
    assert snapshots(scene) == []
    assert scene.backoff.health({}).state is not Connection.REFUSED


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_lost_answer_of_a_reset_is_told_by_the_counters(scene: WorkflowScene, when: str) -> None:
    counted(scene)
    scene.services.workflows.reset_analytics(WELCOME).result()
    scene.lose("POST", "/reset", when=when)
    scene.send()
    assert in_one(scene) is UNKNOWN
    scene.settle()
    assert scene.asked("POST", "/reset") == 1
    assert in_one(scene) is (CONFIRMED if when == "after" else CONFLICT)
    assert len(snapshots(scene)) == 1
    if when == "before":
        assert workflow_delivery.NOT_ZEROED in scene.last().reason
        scene.services.outbox.retry(scene.last().change_id).result()
        scene.send(1)
        assert (scene.states(), scene.asked("POST", "/reset")) == ([DROPPED, CONFIRMED], 2)


def test_counters_that_are_zero_are_not_zeroed(scene: WorkflowScene) -> None:
    assert scene.sandbox.post(f"/workflows/{WELCOME}/analytics/reset").is_success
    scene.services.workflows.reset_analytics(WELCOME).result()
    scene.send()
    assert (in_one(scene), scene.asked("POST", "/reset")) == (CONFIRMED, 0)
    assert "already had this" in scene.last().reason


def test_an_update_after_a_reset_goes_over_nothing_that_a_colleague_changed_before_it(
    scene: WorkflowScene,
) -> None:
    scene.services.workflows.reset_analytics(WELCOME).result()
    update(scene)
    colleague(scene, notes="theirs")
    scene.send()
    scene.send(0)
    assert scene.states() == [CONFIRMED, CONFLICT]
    assert (scene.asked("PUT"), scene.stored(WELCOME)["notes"]) == (0, "theirs")


@pytest.mark.parametrize("knows_all", [True, False])
def test_an_update_after_a_reset_is_no_conflict_with_oneself(scene: WorkflowScene, knows_all: bool) -> None:
    scene.services.workflows.reset_analytics(WELCOME).result()
    body, base = renamed(scene, "mine")
    scene.services.workflows.update(WELCOME, body, base if knows_all else None).result()
    scene.send()
    scene.send(0)
    assert scene.states() == [CONFIRMED, CONFIRMED]
    assert scene.stored(WELCOME)["notes"] == "mine"


# Webhooks


def test_a_webhook_is_deleted_with_the_bearer_token_and_without_the_cookie(scene: WorkflowScene) -> None:
    scene.webhook("hook 1")
    scene.services.workflows.delete_webhook("hook 1").result()
    headers: list[httpx.Headers] = []
    scene.through.before = lambda request: headers.append(request.headers)
    scene.send()
    assert in_one(scene) is CONFIRMED
    assert [("Cookie" in each, each["Authorization"][:7]) for each in headers] == [(False, "Bearer ")]
    undone: Any = scene.services.outbox.undo().result()
    assert "deleted webhook can't be restored" in undone.problems[0]


def test_an_unknown_webhook_is_refused(scene: WorkflowScene) -> None:
    scene.services.workflows.delete_webhook("none").result()
    scene.send()
    assert (in_one(scene), scene.asked("DELETE")) == (REFUSED, 1)


def test_a_lost_answer_is_asked_for_once_more_and_404_means_it_is_gone(scene: WorkflowScene) -> None:
    scene.webhook("hook")
    scene.services.workflows.delete_webhook("hook").result()
    scene.lose("DELETE", "/webhook/hook")
    scene.send()
    assert (in_one(scene), scene.asked("DELETE")) == (UNKNOWN, 1)
    scene.send(SETTLE_AFTER / 2)
    assert scene.asked("DELETE") == 1, "what may still be on its way isn't overtaken"
    scene.send(SETTLE_AFTER)
    assert (in_one(scene), scene.asked("DELETE")) == (CONFIRMED, 2)
    assert "it is deleted" in scene.last().reason


def test_after_two_lost_answers_nobody_knows_and_a_person_decides(scene: WorkflowScene) -> None:
    scene.webhook("hook")
    scene.services.workflows.delete_webhook("hook").result()
    scene.lose("DELETE", "/webhook/hook", when="before", times=2)
    scene.send()
    for _ in range(5):
        scene.send(SETTLE_AFTER)
    assert (in_one(scene), scene.asked("DELETE")) == (CONFLICT, 2)
    assert "the connection to" in scene.last().reason
    assert workflow_delivery.NOBODY_KNOWS in scene.last().reason
    scene.services.outbox.retry(scene.last().change_id).result()
    scene.send(1)
    assert scene.states() == [DROPPED, CONFIRMED]


def test_without_a_bearer_token_it_is_refused_and_nothing_else_waits(scene: WorkflowScene) -> None:
    scene.credentials = replace(scene.credentials, bearer=None)
    scene.services.workflows.delete_webhook("hook").result()
    scene.send()
    assert (in_one(scene), scene.asked("DELETE")) == (REFUSED, 0)
    assert "FRONTDESK_BEARER" in scene.last().reason
    assert scene.backoff.health({}).state not in (Connection.REFUSED, Connection.FAILING)


NO_ERROR_BODY = [
    (404, b"", "text/plain"),
    (404, b"Not Found", "text/plain"),
    (404, b'{"message": "Not Found"}', "application/json"),
    (200, b"OK", "text/plain"),
]


@pytest.mark.parametrize(("status", "body", "kind"), NO_ERROR_BODY)
def test_an_answer_that_is_not_json_neither_deletes_a_webhook_nor_blames_the_host(
    scene: WorkflowScene, status: int, body: bytes, kind: str
) -> None:
    headers = {"Content-Type": kind, "Content-Length": str(len(body))}
    scene.webhook("hook")
    scene.services.workflows.delete_webhook("hook").result()
    scene.through.before = lambda _: httpx.Response(status, headers=headers, stream=httpx.ByteStream(body))
    scene.send()
    assert (in_one(scene), scene.asked("DELETE")) == (UNKNOWN, 1)
    assert scene.backoff.ready_at(Host.BASE) == 0, "tags and threads go on"
    assert scene.backoff.health().state is not Connection.INTERCEPTED
    for _ in range(3):
        scene.send(SETTLE_AFTER + 1)
    assert (in_one(scene), scene.asked("DELETE")) == (CONFLICT, 2)
    assert workflow_delivery.NOBODY_KNOWS in scene.last().reason


def json_answer(body: bytes) -> httpx.Response:
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    return httpx.Response(200, headers=headers, stream=httpx.ByteStream(body))


@pytest.mark.parametrize("body", ["[]", '["gone?"]', '"ok"', "7", "false"])
def test_a_yes_in_odd_json_has_probably_deleted_a_webhook_and_is_quoted(scene: WorkflowScene, body: str) -> None:
    scene.services.workflows.delete_webhook("hook").result()
    scene.through.before = lambda _: json_answer(body.encode())
    scene.send()
    assert (in_one(scene), scene.asked("DELETE")) == (CONFIRMED, 1)
    assert scene.last().reason == f"probably deleted: the platform answered yes, but with {body}"


def test_a_plain_yes_has_deleted_a_webhook(scene: WorkflowScene) -> None:
    scene.services.workflows.delete_webhook("hook").result()
    scene.through.before = lambda _: json_answer(b'{"deleted": 1}')
    scene.send()
    assert (in_one(scene), scene.last().reason) == (CONFIRMED, "")


@pytest.mark.parametrize("status", [200, 204])
def test_an_empty_yes_that_is_called_compressed_deletes_a_webhook(scene: WorkflowScene, status: int) -> None:
    scene.services.workflows.delete_webhook("hook").result()
    headers = {"Content-Encoding": "gzip", "Content-Length": "0"}
    scene.through.before = lambda _: httpx.Response(status, headers=headers, stream=httpx.ByteStream(b""))
    scene.send()
    assert (in_one(scene), scene.asked("DELETE")) == (CONFIRMED, 1)


@pytest.mark.parametrize(("status", "body"), [(204, b""), (200, b""), (200, b"success"), (404, b"Not Found")])
def test_tags_without_a_clear_answer_are_unknown_and_the_host_is_left_alone(
    scene: WorkflowScene, status: int, body: bytes
) -> None:
    headers = {"Content-Length": str(len(body)), "Content-Type": "text/plain"}
    scene.through.before = lambda _: httpx.Response(status, headers=headers, stream=httpx.ByteStream(body))
    scene.services.inbox.give_tags([ConversationId("L#C")], [TagId("vip")]).result()
    scene.send()
    assert in_one(scene) is UNKNOWN
    assert scene.backoff.ready_at(Host.BASE) == 0
    for _ in range(3):
        scene.send(SETTLE_AFTER + 1)
    assert in_one(scene) is CONFLICT, "a person decides"


# A login page between


def page() -> httpx.Response:
    """What a hotel's network answers to everything."""
    body = b"<!DOCTYPE html><html><body>Welcome</body></html>"
    return httpx.Response(200, headers={"Content-Type": "text/html"}, stream=httpx.ByteStream(body))


BETWEEN = "something between you and 127.0.0.1:1 is answering (a login page?)"


def between(scene: WorkflowScene, method: str, path: str = "") -> None:
    """Such requests never reach the platform."""
    scene.through.before = lambda request: (
        page() if request.method == method and path in request.url.path else None
    )


def request_change(scene: WorkflowScene, deed: str) -> tuple[str, str]:
    """Request a change of this kind, and return the method and the end of the path of its request."""
    deeds: dict[str, tuple[Callable[[], object], str, str]] = {
        "create": (lambda: create(scene), "POST", "/workflows/wf-new"),
        "update": (lambda: update(scene), "PUT", WELCOME),
        "reset": (lambda: scene.services.workflows.reset_analytics(WELCOME).result(), "POST", "/reset"),
        "webhook": (lambda: scene.services.workflows.delete_webhook("hook").result(), "DELETE", "/webhook/hook"),
    }
    change, method, path = deeds[deed]
    change()
    return method, path


@pytest.mark.parametrize("deed", ["create", "update", "reset", "webhook"])
def test_a_login_page_confirms_nothing_and_is_named(scene: WorkflowScene, deed: str) -> None:
    scene.webhook("hook")
    before = scene.stored(WELCOME)
    method, path = request_change(scene, deed)
    between(scene, method, path)
    scene.send()
    assert in_one(scene) is UNKNOWN
    assert scene.last().reason.startswith(BETWEEN)
    health = scene.backoff.health()
    assert (health.state, health.reason) == (Connection.INTERCEPTED, BETWEEN)
    for _ in range(5):
        scene.send(SETTLE_AFTER)
    assert in_one(scene) is CONFLICT, "a person decides"
    assert (scene.stored(WELCOME), scene.stored("wf-new")) == (before, None)
    assert deed == "update" or BETWEEN in scene.last().reason
    assert "probably" not in scene.last().reason
    scene.through.before = lambda _: None
    scene.services.outbox.retry(scene.last().change_id).result()
    scene.send(120)
    assert scene.states()[-1] is CONFIRMED


def test_what_was_carried_out_behind_a_login_page_is_found_by_reading_back(scene: WorkflowScene) -> None:
    update(scene)
    scene.through.after = lambda request: page() if request.method == "PUT" else None
    scene.send()
    assert in_one(scene) is UNKNOWN
    scene.settle()
    assert (in_one(scene), scene.asked("PUT")) == (CONFIRMED, 1)


@pytest.mark.parametrize("body", [b"", b'"ok"', b"[]", b"null"])
def test_a_put_that_is_answered_with_no_object_is_read_back(scene: WorkflowScene, body: bytes) -> None:
    update(scene)
    nothing = {"Content-Length": str(len(body))}
    scene.through.before = lambda request: (
        httpx.Response(200, headers=nothing, stream=httpx.ByteStream(body)) if request.method == "PUT" else None
    )
    scene.send()
    assert in_one(scene) is UNKNOWN
    assert scene.stored(WELCOME)["notes"] != "mine"
    scene.through.before = lambda _: None
    scene.settle()
    scene.send(SETTLE_AFTER)
    assert (in_one(scene), scene.asked("PUT")) == (CONFIRMED, 2)
    assert scene.stored(WELCOME)["notes"] == "mine"


def test_nothing_is_sent_while_a_login_page_answers_what_is_read_before(scene: WorkflowScene) -> None:
    update(scene)
    scene.through.before = lambda _: page()
    for _ in range(3):
        scene.send(SETTLE_AFTER)
    assert (in_one(scene), scene.asked("PUT")) == (ChangeState.QUEUED, 0)
    assert BETWEEN in scene.last().reason
    assert scene.backoff.health().state is Connection.INTERCEPTED


# All of them


@pytest.mark.parametrize("deed", ["create", "update", "reset", "webhook"])
def test_what_never_left_is_sent_later_by_itself(scene: WorkflowScene, deed: str) -> None:
    scene.webhook("hook")
    method, path = request_change(scene, deed)
    scene.lose(method, path, when="before", error=NOT_SENT)
    scene.send()
    assert (in_one(scene), scene.last().sends) == (ChangeState.QUEUED, 0)
    scene.send(120)
    assert in_one(scene) is CONFIRMED
    assert len(snapshots(scene)) == (1 if deed == "reset" else 0)


@pytest.mark.parametrize("deed", ["update", "switch", "reset", "webhook"])
def test_what_waited_for_over_an_hour_is_asked_about(scene: WorkflowScene, deed: str) -> None:
    deeds: dict[str, Callable[[], object]] = {
        "update": lambda: update(scene),
        "switch": lambda: scene.services.workflows.set_active(WELCOME, False, scene.known(WELCOME)).result(),
        "reset": lambda: scene.services.workflows.reset_analytics(WELCOME).result(),
        "webhook": lambda: scene.services.workflows.delete_webhook("hook").result(),
    }
    deeds[deed]()
    scene.send(MAX_WAITS + 10)
    assert in_one(scene) is CONFLICT
    assert "over an hour" in scene.last().reason
    assert scene.asked("PUT") + scene.asked("DELETE") + scene.asked("POST", "/reset") == 0


def test_a_body_that_was_damaged_is_not_sent(scene: WorkflowScene) -> None:
    create(scene)
    scene.store.write(
        lambda db: pending_payloads.put_payload(db, scene.last().change_id, '{"name": "half', None)
    ).result()
    scene.send()
    assert (in_one(scene), scene.last().reason) == (REFUSED, workflow_delivery.LOST)
    with pytest.raises(NotPossible, match="no longer stored here"):
        scene.services.outbox.retry(scene.last().change_id).result()


@pytest.mark.parametrize("deed", ["create", "update"])
def test_a_body_that_was_damaged_on_its_way_confirms_nothing(scene: WorkflowScene, deed: str) -> None:
    create(scene) if deed == "create" else update(scene)
    scene.lose("POST" if deed == "create" else "PUT", "/workflows/wf-", when="before")
    scene.send()
    assert in_one(scene) is UNKNOWN
    scene.store.write(lambda db: pending_payloads.put_payload(db, scene.last().change_id, "{}", None)).result()
    scene.settle()
    assert in_one(scene) is CONFLICT
    assert workflow_delivery.UNSURE in scene.last().reason


def test_what_is_gone_after_a_lost_answer_is_left_to_a_person(scene: WorkflowScene) -> None:
    update(scene)
    scene.lose("PUT", WELCOME)
    scene.send()
    storage = scene.sandbox.world.storage
    with storage.writing():
        storage.run("DELETE FROM workflows WHERE id=?", WELCOME)
    scene.settle()
    assert in_one(scene) is CONFLICT
    assert workflow_delivery.NOT_SHOWN in scene.last().reason


def test_the_same_id_of_different_things_keeps_nothing_waiting(scene: WorkflowScene) -> None:
    scene.webhook(WELCOME)
    update(scene)
    scene.services.workflows.delete_webhook(WELCOME).result()
    scene.lose("PUT", WELCOME, when="before")
    scene.send()
    assert scene.states() == [UNKNOWN, CONFIRMED]


def test_what_left_for_a_workflow_says_nothing_of_a_campaign_with_its_id(scene: WorkflowScene) -> None:
    update(scene)
    scene.send()
    assert queue.was_sent(scene.store.reading, WELCOME, ChangeKind.WORKFLOW_UPDATE)
    assert not queue.was_sent(scene.store.reading, WELCOME, ChangeKind.CAMPAIGN)


def test_bodies_of_what_is_over_are_kept_for_undo_and_not_for_ever(scene: WorkflowScene) -> None:
    for number in range(pending_payloads.KEEP_BODIES + 3):
        update(scene, f"note {number}")
        scene.services.outbox.drop(scene.last().change_id).result()
    update(scene, "the last")
    kept = scene.store.reading.execute("SELECT count(*) FROM outbox.workflow_bodies").fetchone()
    assert kept == (pending_payloads.KEEP_BODIES + 1,)
    assert [each.kind for each in queue.unsent(scene.store.reading)] == [ChangeKind.WORKFLOW_UPDATE]


def test_what_was_zeroed_is_not_kept_for_ever_beside_its_snapshots(scene: WorkflowScene) -> None:
    def zero(db: apsw.Connection) -> None:
        for change_id in range(1, pending_payloads.KEEP_BODIES + 4):
            pending_payloads.set_base(db, change_id, "{}")

    scene.store.write(zero).result()
    kept = scene.store.reading.execute("SELECT count(*), min(change_id) FROM outbox.workflow_bodies").fetchone()
    assert kept == (pending_payloads.KEEP_BODIES, 4)
