"""Fields have the names and types of the interface's tables, and what isn't in them is kept."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from api.contract.tables import BAD, GOOD, IDS, JSON, LOOSE, TABLES, Table, objects_of
from frontdesk_api.contract.base import ClosedModel
from frontdesk_api.contract.decode import Item, decode_item
from frontdesk_api.contract.messages import Message
from frontdesk_api.contract.tasks import Task
from frontdesk_api.contract.values import COUNTERS
from frontdesk_api.contract.workflows import Workflow

NAMES = [model.__name__ for model, _ in TABLES]
RESOURCES = [(model, table) for model, table in TABLES if model in IDS]
PLENTY = {"loose": {"a": [1, {"b": None}], "": "x"}}


def least(model: type[BaseModel]) -> dict[str, Any]:
    """The smallest object that the model reads."""
    return {name: "x" for name, field in model.model_fields.items() if field.is_required()}


@pytest.mark.parametrize(("model", "table"), TABLES, ids=NAMES)
def test_a_model_has_exactly_the_fields_of_its_table(model: type[BaseModel], table: Table) -> None:
    assert set(model.model_fields) == set(table)


@pytest.mark.parametrize(("model", "table"), TABLES, ids=NAMES)
def test_no_field_has_another_name_on_the_wire(model: type[BaseModel], table: Table) -> None:
    assert not [name for name, field in model.model_fields.items() if field.alias or field.serialization_alias]


@pytest.mark.parametrize(("model", "table"), TABLES, ids=NAMES)
def test_a_field_takes_its_type_and_no_other(model: type[BaseModel], table: Table) -> None:
    for name, kind in table.items():
        for value in GOOD[kind]:
            if kind == "array of object" and value and issubclass(model, ClosedModel):
                continue
            read = model.model_validate({**least(model), name: value})
            assert read.model_dump(exclude_unset=True)[name] == value, name
        for value in BAD[kind]:
            with pytest.raises(ValidationError):
                model.model_validate({**least(model), name: value})


@pytest.mark.parametrize(("model", "table"), RESOURCES, ids=[model.__name__ for model, _ in RESOURCES])
def test_only_the_id_of_a_resource_is_required(model: type[BaseModel], table: Table) -> None:
    assert list(least(model)) == [IDS[model]]


@pytest.mark.rules("78")
def test_the_nine_counters_are_named_once_in_the_order_of_the_interface() -> None:
    assert COUNTERS == (
        "totalRecipients",
        "pendingCount",
        "sentCount",
        "deliveredCount",
        "readCount",
        "failedCount",
        "optOutCount",
        "duplicateMessageCount",
        "tooManyRequestsCount",
    )


@pytest.mark.slow
@pytest.mark.parametrize(("model", "table"), RESOURCES, ids=[model.__name__ for model, _ in RESOURCES])
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_what_came_is_kept_whole_unknown_fields_and_loose_objects_too(
    model: type[BaseModel], table: Table, data: st.DataObject
) -> None:
    raw = data.draw(objects_of(model, table))
    before = copy.deepcopy(raw)
    item = decode_item(model, raw)
    assert isinstance(item, Item)
    assert item.raw is raw
    assert raw == before
    assert item.blanked == ()
    assert item.value.model_dump(exclude_unset=True) == raw


@pytest.mark.slow
@settings(deadline=None, max_examples=50)
@given(JSON)
def test_a_loose_object_is_passed_on_as_it_came(inside: object) -> None:
    loose = {"deep": inside}
    for model, table in RESOURCES:
        for name in LOOSE & set(table):
            read = model.model_validate({**least(model), name: loose})
            assert getattr(read, name) == loose


@pytest.mark.rules("199")
def test_the_message_that_is_answered_keeps_its_from() -> None:
    raw = {"messageId": "m", "context": {"from": "972500000000", "id": "m0"}}
    assert Message.model_validate(raw).model_dump(exclude_unset=True) == raw


def test_unknown_fields_are_kept_inside_known_objects_as_well() -> None:
    raw = {
        "id": "w",
        "trigger": {"id": "t", "connections": {"out": ["a"], "later": [PLENTY]}, "newField": PLENTY},
        "data": {"nodes": [{"id": "n", "position": {"x": 1, "y": 2, "z": 3}}], "edges": [{"animated": True}]},
        "parsedData": [{"id": "a", "subNodes": [{"id": "s", "subNodes": [{"payload": PLENTY}]}]}],
        "analytics": {"totalStarted": 3, "p95": 7},
    }
    assert Workflow.model_validate(raw).model_dump(exclude_unset=True) == raw


@pytest.mark.rules("200")
def test_open_strings_take_values_that_nobody_has_seen() -> None:
    raw = dict.fromkeys(("messageId", "status", "type", "initiator", "messageDirection"), "never seen")
    assert Message.model_validate(raw).model_dump(exclude_unset=True) == raw


def test_a_record_does_not_change_once_it_is_read() -> None:
    task = Task.model_validate({"taskId": "t", "title": "a"})
    with pytest.raises(ValidationError):
        task.title = "b"  # type: ignore[misc]
