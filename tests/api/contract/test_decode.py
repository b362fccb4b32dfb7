"""An answer is read item by item: one that is broken is set aside, the page is never lost."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from api.contract.tables import BAD, IDS, TABLES, Table
from frontdesk_api.contract.decode import Broken, Item, Undecodable, decode_item, decode_one, decode_page
from frontdesk_api.contract.endpoints import (
    CREATE_CAMPAIGN,
    CREATE_WORKFLOW,
    GET_CAMPAIGN,
    GET_MESSAGES,
    GET_TASK,
    LIST_AI_AGENTS,
    LIST_TASKS,
    LIST_WORKFLOWS,
    OPERATIONS,
    Endpoint,
    Listing,
)
from frontdesk_api.contract.tasks import Task
from frontdesk_api.contract.workflows import Workflow

RESOURCES = [(model, table) for model, table in TABLES if model in IDS]
LISTINGS: list[Endpoint[Listing[Any]]] = [each for each in OPERATIONS if isinstance(each.reply, Listing)]
NO_LISTS = ["a list", 5, None, True, {"0": {"taskId": "t"}}]

# Whatever a decoder of JSON may hand over, far beyond what JSON should hold.
_ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.just(10**400)
    | st.text(st.characters(), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(st.characters(), max_size=6) | st.sampled_from(["id", "taskId"]), inner, max_size=4
        )
    ),
    max_leaves=10,
)


def page(*items: object, **more: object) -> dict[str, object]:
    return {"dbObject": list(items), "hasMoreItemsToFetch": False, **more}


def nested(depth: int) -> dict[str, Any]:
    """An execution node with sub-nodes in sub-nodes."""
    outermost: dict[str, Any] = {"id": "n"}
    inner = outermost
    for _ in range(depth):
        inner["subNodes"] = [{"id": "n"}]
        inner = inner["subNodes"][0]
    return outermost


def test_a_broken_item_is_set_aside_with_its_reason_and_the_rest_kept_in_order() -> None:
    raws: list[object] = [{"taskId": "a"}, "no object", {"taskId": "b"}, {"title": "no id"}, {"taskId": 7}, None]
    read = decode_page(LIST_TASKS.reply, page(*raws))
    assert [item.value.taskId for item in read.items] == ["a", "b"]
    assert [each.raw for each in read.broken] == ["no object", {"title": "no id"}, {"taskId": 7}, None]
    assert read.broken[0].reason == "expected an object, got str"
    assert read.broken[1].reason.startswith("taskId: ")
    assert all(each.reason for each in read.broken)


@pytest.mark.parametrize("operation", LISTINGS, ids=lambda each: each.name)
def test_every_listing_sets_broken_items_aside(operation: Endpoint[Listing[Any]]) -> None:
    reply = operation.reply
    identity = IDS[reply.item]
    read = decode_page(reply, {reply.field: [{identity: "a"}, {identity: None}, {identity: "b"}]})
    assert [item.raw for item in read.items] == [{identity: "a"}, {identity: "b"}]
    assert [each.raw for each in read.broken] == [{identity: None}]


@pytest.mark.parametrize(("model", "table"), RESOURCES, ids=[model.__name__ for model, _ in RESOURCES])
def test_an_optional_field_of_a_wrong_type_is_blanked_and_named(model: type[BaseModel], table: Table) -> None:
    identity = IDS[model]
    for name, kind in table.items():
        for value in BAD[kind]:
            raw = {identity: "x", "unknown": 1, name: value}
            item = decode_item(model, raw)
            if name == identity:
                assert isinstance(item, Broken)
                assert item.raw is raw
                continue
            assert isinstance(item, Item), name
            assert item.blanked == (name,)
            assert item.raw is raw
            assert raw[name] is value
            assert getattr(item.value, name) is None
            assert getattr(item.value, identity) == "x"
            assert item.value.model_extra == {"unknown": 1}


def test_several_wrong_fields_are_all_named_and_the_others_kept() -> None:
    raw = {"taskId": "t", "title": 5, "dueDate": "soon", "assignedAgentIds": [1], "body": "kept"}
    item = decode_item(Task, raw)
    assert isinstance(item, Item)
    assert item.blanked == ("assignedAgentIds", "dueDate", "title")
    assert item.value.body == "kept"


def test_a_wrong_type_deep_inside_blanks_the_field_that_holds_it() -> None:
    raw = {"taskId": "t", "title": "kept", "customer": {"customerName": 5}}
    item = decode_item(Task, raw)
    assert isinstance(item, Item)
    assert item.blanked == ("customer",)
    assert item.value.title == "kept"
    assert item.raw["customer"] == {"customerName": 5}


def test_null_is_read_as_absent_and_is_no_wrong_type() -> None:
    item = decode_item(Task, {"taskId": "t", **dict.fromkeys(set(Task.model_fields) - {"taskId"})})
    assert isinstance(item, Item)
    assert item.blanked == ()


@pytest.mark.parametrize("depth", [100, 3_000])
def test_a_graph_nested_without_end_costs_its_field_and_not_the_workflow(depth: int) -> None:
    item = decode_item(Workflow, {"id": "w", "name": "kept", "trigger": nested(depth)})
    assert isinstance(item, Item)
    assert item.value.name == "kept"
    assert item.blanked == (("trigger",) if depth > 1_000 else ())


@pytest.mark.parametrize("value", NO_LISTS)
def test_an_answer_without_an_array_is_undecodable(value: object) -> None:
    with pytest.raises(Undecodable, match="dbObject"):
        decode_page(LIST_TASKS.reply, {"dbObject": value, "hasMoreItemsToFetch": False})


@pytest.mark.parametrize("data", [None, [], [{"taskId": "t"}], "x", 5, {}, {"result": []}])
def test_an_answer_of_another_shape_is_undecodable(data: object) -> None:
    with pytest.raises(Undecodable):
        decode_page(LIST_TASKS.reply, data)


@pytest.mark.rules("84 157 189 212")
@pytest.mark.parametrize(
    ("operation", "field"),
    [(LIST_WORKFLOWS, "result"), (LIST_TASKS, "dbObject"), (GET_MESSAGES, "dbObject"), (LIST_AI_AGENTS, "agents")],
)
def test_items_stand_under_the_name_of_their_listing(operation: Endpoint[Listing[Any]], field: str) -> None:
    read = decode_page(operation.reply, {field: [{IDS[operation.reply.item]: "a"}], "hasMoreItemsToFetch": True})
    assert len(read.items) == 1
    assert read.has_more


@pytest.mark.parametrize("more", [False, None, 0, 1, "true", {}])
def test_only_true_means_that_there_is_more(more: object) -> None:
    assert decode_page(LIST_TASKS.reply, page(hasMoreItemsToFetch=more)).has_more is False


@pytest.mark.rules("156")
def test_the_cursor_is_handed_on_as_it_came() -> None:
    cursor = {"taskId": "t", "deep": {"updatedAt": 1.5, "x": [None]}}
    assert decode_page(LIST_TASKS.reply, page(lastEvaluatedKey=cursor)).cursor is cursor


@pytest.mark.rules("158")
@pytest.mark.parametrize("cursor", [None, {}, "text", 5, []])
def test_no_cursor_where_none_is_meant(cursor: object) -> None:
    assert decode_page(LIST_TASKS.reply, page(lastEvaluatedKey=cursor)).cursor is None


@pytest.mark.rules("165")
def test_a_task_stands_under_its_name_and_a_campaign_alone() -> None:
    assert decode_one(GET_TASK.reply, {"task": {"taskId": "t", "x": 1}}).raw == {"taskId": "t", "x": 1}
    assert decode_one(GET_CAMPAIGN.reply, {"id": "c", "x": 1}).raw == {"id": "c", "x": 1}


@pytest.mark.parametrize("data", [None, [], "x", {}, {"task": None}, {"task": []}, {"task": {}}, {"taskId": "t"}])
def test_one_object_that_is_not_there_is_undecodable(data: object) -> None:
    with pytest.raises(Undecodable):
        decode_one(GET_TASK.reply, data)


@pytest.mark.rules("23")
def test_the_answer_of_create_campaign_is_a_message() -> None:
    assert decode_one(CREATE_CAMPAIGN.reply, {"message": "created c1"}).value.message == "created c1"
    with pytest.raises(Undecodable):
        decode_one(CREATE_CAMPAIGN.reply, {"message": 5})


@pytest.mark.rules("92")
def test_the_answer_of_create_workflow_has_message_and_whole_seconds() -> None:
    whole = {"message": "ok", "created": 1_763_000_000, "lastModified": 1_763_000_001}
    assert decode_one(CREATE_WORKFLOW.reply, whole).value.lastModified == 1_763_000_001
    for missing in whole:
        with pytest.raises(Undecodable):
            decode_one(CREATE_WORKFLOW.reply, {name: value for name, value in whole.items() if name != missing})


@settings(deadline=None, max_examples=60)
@given(_ANYTHING)
def test_no_answer_whatever_it_holds_is_more_than_undecodable(data: object) -> None:
    """Never raises outside one error; a bad row is isolated."""
    for model, _ in RESOURCES:
        assert isinstance(decode_item(model, data), Item | Broken)
    for wrapped in (data, page(data, {"taskId": "t"}), {"dbObject": data}):
        try:
            read = decode_page(LIST_TASKS.reply, wrapped)
        except Undecodable:
            continue
        assert all(item.value.taskId is not None for item in read.items)
    assert any(
        item.raw == {"taskId": "t"} for item in decode_page(LIST_TASKS.reply, page(data, {"taskId": "t"})).items
    )
