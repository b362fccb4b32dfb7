"""What is sent of a workflow: whole, laid out by the platform, and round trips."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import few
from flows.checks.any_document import ANY, broken_documents
from flows.checks.sample_workflows import Json, draw, node, parent, whole
from frontdesk.workflows import request_body
from frontdesk.workflows.request_body import Unsendable
from frontdesk_sandbox.graphs import arrange_nodes
from frontdesk_sandbox.seeding.workflows import make_workflows

STORED = make_workflows(1_760_000_000)


def test_a_create_leaves_out_what_the_platform_decides_and_asks_for_the_layout() -> None:
    body = request_body.create_body(STORED[0] | {"more": {"kept": None}})
    assert (
        body.keys() & {"id", "associatedTo", "created", "lastModified", "analytics", "isActive", "folderId"}
        == set()
    )
    assert body["autoLayout"] is True
    assert body["more"] == {"kept": None}
    assert all(body[name] == STORED[0][name] for name in ("trigger", "parsedData", "data", "name", "settings"))
    assert request_body.create_body({"name": "x"}) == {"name": "x"}
    assert set(request_body.omitted_fields(STORED[0], is_new=True)) == {
        "associatedTo", "created", "executionCount", "lastExecution", "analytics", "isActive", "folderId",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["autoLayout", "autoClean"])
def test_a_file_that_wants_no_layout_is_refused_only_where_a_canvas_is_sent(name: str) -> None:
    with pytest.raises(Unsendable, match=f"remove {name} from the file"):
        request_body.create_body(whole() | {name: False})
    assert request_body.create_body({"name": "x", name: False}) == {"name": "x", name: False}
    assert "autoLayout" not in request_body.create_body(whole() | {"autoClean": True})


OTHER_TOOLS: Json = {
    "name": "Lead follow up",
    "nodes": [{"id": "1", "type": "trigger", "parameters": {}}, {"id": "2", "type": "request", "parameters": {}}],
    "connections": {"1": {"main": [[{"node": "2"}]]}},
    "active": False,
    "settings": {"executionOrder": "v1"},
    "meta": {},
}


def test_another_tools_export_is_no_workflow() -> None:
    words = "not a workflow of this platform: it has nodes, connections, but no trigger, parsedData or data"
    with pytest.raises(Unsendable, match=words):
        request_body.create_body(OTHER_TOOLS)
    with pytest.raises(Unsendable, match=words):
        request_body.update_body(OTHER_TOOLS, whole() | {"lastModified": 7})
    empty = {"name": "x", "settings": {"timeout": 1}, "new": 1, "none": []}
    assert request_body.create_body(empty) == empty, "an empty workflow may be wanted"
    stored = whole() | {"lastModified": 7, "labels": ["vip"]}
    assert request_body.update_body({"labels": ["new"]}, stored) == {"labels": ["new"], "lastModified": 7}


def test_a_workflow_of_a_list_without_graphs_makes_no_empty_one() -> None:
    listed = {name: value for name, value in STORED[0].items() if name not in ("trigger", "parsedData", "data")}
    with pytest.raises(Unsendable, match="exported without its graph"):
        request_body.create_body(listed)


def test_an_update_echoes_the_files_last_modified_else_the_stored_one() -> None:
    assert request_body.update_body({"isActive": True}, {"lastModified": 7}) == {
        "isActive": True,
        "lastModified": 7,
    }
    assert request_body.update_body({"lastModified": 5}, {"lastModified": 7}) == {"lastModified": 5}
    assert request_body.update_body({"name": "x", "lastModified": None}, None) == {"name": "x"}
    assert request_body.activation_body(STORED[0], False) == {
        "isActive": False,
        "lastModified": STORED[0]["lastModified"],
    }


def test_a_part_of_a_graph_is_sent_with_the_others_that_are_stored() -> None:
    stored = whole() | {"lastModified": 7}
    file = {"parsedData": [], "data": None}
    assert request_body.stored_graph_parts(file, stored) == ("trigger", "data")
    body = request_body.update_body(file, stored)
    assert (body["data"], body["trigger"], body["parsedData"]) == (stored["data"], stored["trigger"], [])
    assert request_body.stored_graph_parts({"name": "x"}, stored) == ()
    assert request_body.update_body(file, {"lastModified": 7}) == {"parsedData": [], "lastModified": 7}


def test_a_file_of_another_workflow_is_no_update() -> None:
    with pytest.raises(Unsendable, match="wf-a"):
        request_body.update_body({"id": "wf-a"}, {"id": "wf-b"})


@pytest.mark.parametrize("stored", STORED, ids=[each["id"] for each in STORED])
def test_an_exported_workflow_changes_nothing_when_it_is_sent(stored: Json) -> None:
    file = json.loads(request_body.format_document(request_body.export_document(stored)))
    body = request_body.update_body(file, stored)
    assert body["lastModified"] == stored["lastModified"]
    assert not request_body.changes_of(stored, body)
    assert request_body.apply_body(stored, body) == stored
    assert request_body.same_as_sent(body, stored)


@few
@given(stored=ANY | broken_documents())
def test_anything_stored_round_trips(stored: Json) -> None:
    if stored != stored:  # NaN is no JSON
        return
    text = request_body.format_document(request_body.export_document(stored))
    body = request_body.update_body(json.loads(text.encode()), stored)
    assert not request_body.changes_of(stored, body)
    assert request_body.same_as_sent(body, stored)


def laid(stored: Json) -> Json:
    """As a platform stores it: laid out, and with fields of its own."""
    made = copy.deepcopy(stored)
    made["data"] = arrange_nodes(made["data"], made["trigger"])
    for each in (*made["data"]["nodes"], *made["parsedData"]):
        each["version"] = 2
    made["data"]["nodes"].reverse()
    return made


def test_what_was_sent_is_known_again_after_the_platform_has_laid_it_out() -> None:
    assert request_body.same_as_sent(request_body.create_body(whole()), laid(whole()))
    body = request_body.update_body(whole(), {"lastModified": 7})
    assert request_body.same_as_sent(body, laid(whole()) | {"lastModified": 8})
    assert request_body.same_as_sent({"isActive": True, "lastModified": 1}, STORED[0])
    assert not request_body.same_as_sent({"isActive": False, "lastModified": 1}, STORED[0])


def changed(**data: Any) -> Json:
    made = whole()
    parent(made, "ask")["data"].update(data)
    return made


def test_what_was_not_stored_is_known() -> None:
    body = request_body.create_body(changed(message="Anew"))
    assert not request_body.same_as_sent(body, laid(whole()))
    more = whole()
    more["parsedData"].append(node("more"))
    draw(more)
    assert not request_body.same_as_sent(request_body.create_body(whole()), laid(more))
    assert not request_body.same_as_sent(request_body.create_body(more), laid(whole()))


def test_two_nodes_with_one_id_are_not_found_in_one_that_is_stored() -> None:
    sent = {"parsedData": [{"id": "a"}, {"id": "a"}]}
    assert not request_body.same_as_sent(sent, {"parsedData": [{"id": "a"}, {"id": "b"}]})
    assert request_body.same_as_sent(sent, {"parsedData": [{"id": "a"}, {"id": "a", "version": 2}]})


def test_an_update_that_only_takes_out_is_told_from_none_by_last_modified() -> None:
    stored = laid(changed(extra="x")) | {"lastModified": 7}
    body = request_body.update_body(whole(), stored)
    assert not request_body.same_as_sent(body, stored)
    assert request_body.same_as_sent(body, laid(whole()) | {"lastModified": 8})


def test_a_graph_that_an_activation_loses_is_missed() -> None:
    assert request_body.keeps_graph(whole(), laid(whole()) | {"isActive": False})
    assert request_body.keeps_graph(whole(), whole() | {"isActive": False, "lastModified": 9})
    assert not request_body.keeps_graph(whole(), {"id": "w", "isActive": True})
    assert not request_body.keeps_graph(whole(), whole() | {"parsedData": []})


def drawn_nodes(made: Json) -> list[Json]:
    """The nodes on a canvas, whatever else is there."""
    canvas = made.get("data")
    nodes = canvas.get("nodes") if isinstance(canvas, dict) else None
    return [each for each in nodes if isinstance(each, dict)] if isinstance(nodes, list) else []


@pytest.mark.slow
@settings(max_examples=80)
@given(stored=broken_documents(), wanted=broken_documents(), at=st.integers(1, 9))
def test_an_update_is_known_to_have_landed_or_not(stored: Json, wanted: Json, at: int) -> None:
    """A platform that takes it lays it out, adds fields and moves on its lastModified; else nothing moves."""
    if stored != stored or wanted != wanted:  # NaN is no JSON
        return
    stored = stored | {"id": "w", "lastModified": at}
    try:
        body = request_body.update_body(wanted | {"id": "w", "lastModified": at}, stored)
    except Unsendable:
        return
    if request_body.changes_of(stored, body):
        assert not request_body.same_as_sent(body, stored)
    landed = copy.deepcopy(request_body.apply_body(stored, body))
    for each in drawn_nodes(landed):
        each |= {"position": {"x": 380, "y": 120}, "draggable": False, "version": 2}
    landed |= {"lastModified": at + 1, "revision": 3}
    assert request_body.same_as_sent(body, landed)


def test_what_is_nested_deep_is_written_compared_and_known_again() -> None:
    deep: Json = {}
    for _ in range(600):
        deep = {"in": deep}
    made = whole() | {"settings": deep, "lastModified": 1}
    assert json.loads(request_body.format_document(request_body.export_document(made)))["settings"] == deep
    assert request_body.same_as_sent(request_body.create_body(made), made)
    assert not request_body.changes_of(made, request_body.update_body(request_body.export_document(made), made))
