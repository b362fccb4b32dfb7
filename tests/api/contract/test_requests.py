"""What a caller may send: the rules of tests/sandbox/rules.md that a model can hold, accepted and rejected."""

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from frontdesk_api.contract.ai_agents import AiAgentQuery
from frontdesk_api.contract.base import DEFAULT_TASKS_LIMIT, MAX_TASKS_LIMIT, MIN_TASKS_LIMIT
from frontdesk_api.contract.campaigns import CampaignCreate
from frontdesk_api.contract.messages import MessageQuery, TagAssignment
from frontdesk_api.contract.tasks import TaskQuery, TaskUpdate
from frontdesk_api.contract.workflows import FolderQuery, WorkflowCreate, WorkflowQuery

LATER = 1_900_000_000_000
LEFT_OUT = object()

COMMON: dict[str, Any] = {
    "id": "c1",
    "name": "Weekend",
    "contentType": "triggerWorkflow",
    "workflowId": "w1",
    "workflowName": "Offers",
    "folderId": "f1",
    "whenToSendMessage": "now",
    "associatedToBusinessId": "L1",
    "isActive": True,
}
A_TAG = {"id": "t1", "title": "VIP", "color": "gold", "associatedTo": "acme"}
TAGS = COMMON | {"source": "tags", "conversationTags": [A_TAG]}
EXCEL = COMMON | {"source": "excel", "customerList": [{"phoneNumberId": "972501234567"}]}
SERVER_ONLY = {
    "status": "pending",
    "created": 1,
    "lastModified": 1,
    "associatedTo": "acme",
    "startedAt": 1,
    "completedAt": 1,
    "failedAt": 1,
    "failureReason": "x",
    "totalRecipients": 1,
    "pendingCount": 1,
    "sentCount": 1,
    "tooManyRequestsCount": 1,
}

# rule: body, what is laid over it
ACCEPTED: list[tuple[int, dict[str, Any], dict[str, Any]]] = [
    (21, TAGS, {}),
    (22, EXCEL, {}),
    (29, TAGS, {"name": "   "}),
    (41, TAGS, {"whenToSendMessage": "future", "scheduledAt": LATER}),
    (42, TAGS, {"whenToSendMessage": "now"}),
    (43, TAGS, {"whenToSendMessage": "now", "scheduledAt": LATER}),
    (45, TAGS, {"whenToSendMessage": "future", "scheduledAt": 1}),
    (46, TAGS, {"whenToSendMessage": "future", "scheduledAt": LATER // 1000}),
    (48, TAGS, {"isActive": False}),
    (56, TAGS, {"conversationTags": [A_TAG | {"color": "no colour at all"}]}),
    (63, EXCEL, {"customerList": [{"phoneNumberId": "1", "customerName": "Dana", "countryCode": "IL"}]}),
    (65, TAGS, {"conversationTags": []}),
    (65, EXCEL, {"customerList": []}),
    (66, TAGS, {"description": "for all"}),
    (67, EXCEL, {"audienceCountry": "IL"}),
]
REJECTED: list[tuple[int, dict[str, Any], dict[str, Any]]] = [
    (25, TAGS, {"unknownProperty": 1}),
    *[(26, TAGS, {name: value}) for name, value in SERVER_ONLY.items()],
    (27, TAGS, {"name": LEFT_OUT}),
    (28, TAGS, {"name": ""}),
    (31, TAGS, {"id": LEFT_OUT}),
    (31, TAGS, {"id": 5}),
    (33, TAGS, {"contentType": LEFT_OUT}),
    (34, TAGS, {"contentType": "text"}),
    (35, TAGS, {"workflowId": LEFT_OUT}),
    (36, TAGS, {"workflowName": LEFT_OUT}),
    (37, TAGS, {"folderId": LEFT_OUT}),
    (38, TAGS, {"whenToSendMessage": LEFT_OUT}),
    (39, TAGS, {"whenToSendMessage": "later"}),
    (40, TAGS, {"whenToSendMessage": "future"}),
    (40, EXCEL, {"whenToSendMessage": "future"}),
    (44, TAGS, {"whenToSendMessage": "future", "scheduledAt": str(LATER)}),
    (44, TAGS, {"whenToSendMessage": "future", "scheduledAt": "2026-11-18T09:00:00Z"}),
    (44, TAGS, {"scheduledAt": True}),
    (47, TAGS, {"associatedToBusinessId": LEFT_OUT}),
    (48, TAGS, {"isActive": LEFT_OUT}),
    (48, TAGS, {"isActive": "true"}),
    (48, TAGS, {"isActive": 1}),
    (49, TAGS, {"source": LEFT_OUT}),
    (50, TAGS, {"source": "csv"}),
    (50, TAGS, {"source": None}),
    (51, TAGS, {"conversationTags": LEFT_OUT}),
    (52, TAGS, {"conversationTags": A_TAG}),
    (52, TAGS, {"conversationTags": "t1"}),
    *[(53, TAGS, {"conversationTags": [{n: v for n, v in A_TAG.items() if n != missing}]}) for missing in A_TAG],
    *[(54, TAGS, {"conversationTags": [A_TAG | {name: 5}]}) for name in A_TAG],
    (55, TAGS, {"conversationTags": [A_TAG | {"fifth": "x"}]}),
    (57, TAGS, {"customerList": EXCEL["customerList"]}),
    (57, TAGS, {"customerList": []}),
    (58, EXCEL, {"customerList": LEFT_OUT}),
    (59, EXCEL, {"customerList": {"phoneNumberId": "1"}}),
    (60, EXCEL, {"customerList": [{"customerName": "Dana"}]}),
    (61, EXCEL, {"customerList": [{"phoneNumberId": "1", "email": "x"}]}),
    (62, EXCEL, {"customerList": [{"phoneNumberId": 972501234567}]}),
    (62, EXCEL, {"customerList": [{"phoneNumberId": "1", "customerName": 5}]}),
    (62, EXCEL, {"customerList": [{"phoneNumberId": "1", "countryCode": 972}]}),
    (64, EXCEL, {"conversationTags": [A_TAG]}),
    (66, TAGS, {"description": 5}),
    (67, TAGS, {"audienceCountry": 972}),
]


def laid_over(body: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in (body | changes).items() if value is not LEFT_OUT}


def named(value: object) -> str:
    return str(value) if isinstance(value, int) else ""


@pytest.mark.parametrize(("rule", "body", "changes"), ACCEPTED, ids=named)
def test_a_campaign_that_is_accepted_goes_out_as_it_was_written(
    rule: int, body: dict[str, Any], changes: dict[str, Any]
) -> None:
    sent = laid_over(body, changes)
    assert CampaignCreate.model_validate(sent).model_dump(exclude_unset=True) == sent


def test_each_campaign_that_breaks_a_rule_is_rejected() -> None:
    for row in REJECTED:
        with pytest.raises(ValidationError):
            pytest.fail(f"{row}: {CampaignCreate.model_validate(laid_over(*row[1:]))}")


@pytest.mark.rules("25")
@pytest.mark.parametrize("body", [None, [], "x", {}])
def test_a_campaign_is_an_object(body: object) -> None:
    with pytest.raises(ValidationError):
        CampaignCreate.model_validate(body)


# model, rule, accepted bodies, rejected bodies
BODIES: list[tuple[type[BaseModel], str, list[Any], list[Any]]] = [
    (
        TaskQuery,
        "148-156 filters, limit and cursor of List tasks",
        [
            {},
            {"limit": MIN_TASKS_LIMIT},
            {"limit": MAX_TASKS_LIMIT},
            {"lastEvaluatedKey": {}},
            {"lastEvaluatedKey": {"taskId": "t", "deep": [1, None]}},
            {"phoneNumberId": "L", "agentId": "a", "participantsIdentifiers": "L#C"},
        ],
        [
            *({"limit": wrong} for wrong in (0, 101, -1, 1.5, 50.5, "50", True, [])),
            {"lastEvaluatedKey": "t"},
            {"lastEvaluatedKey": []},
            {"phoneNumberId": 972},
            {"agentId": ["a"]},
        ],
    ),
    (
        TaskUpdate,
        "168-183 any subset of eight fields, of their types",
        [
            {},
            {
                "title": "t",
                "body": "b",
                "statusCase": "open",
                "phoneNumberId": "L",
                "participantsIdentifiers": "L#C",
            },
            {"statusCase": "a custom id"},
            {"assignedAgentIds": []},
            {"assignedAgentIds": ["a"], "viewedByAgentIds": ["b"]},
            {"dueDate": 0},
            {"dueDate": 1_763_000_000},
        ],
        [
            {"assignedAgentIds": "a"},
            {"assignedAgentIds": [5]},
            {"viewedByAgentIds": "a"},
            {"dueDate": "tomorrow"},
            {"dueDate": True},
            {"statusCase": 1},
            {"title": 5},
        ],
    ),
    (
        MessageQuery,
        "187-194 both ends of a thread, and a whole start key",
        [
            {"phoneNumberId": "L", "targetPhoneNumberId": "C"},
            {"phoneNumberId": "L", "targetPhoneNumberId": "C", "startKey": {"messageId": "m", "createdAt": 1}},
        ],
        [
            {"phoneNumberId": "L"},
            {"targetPhoneNumberId": "C"},
            {"phoneNumberId": "L", "targetPhoneNumberId": 5},
            {"phoneNumberId": "L", "targetPhoneNumberId": "C", "startKey": {"messageId": "m"}},
            {"phoneNumberId": "L", "targetPhoneNumberId": "C", "startKey": {"createdAt": 1}},
            {"phoneNumberId": "L", "targetPhoneNumberId": "C", "startKey": {"messageId": "m", "createdAt": "1"}},
            {"phoneNumberId": "L", "targetPhoneNumberId": "C", "startKey": "m"},
        ],
    ),
    (
        TagAssignment,
        "205 206 at least one tag id, all of them strings",
        [{"tagIds": ["a"]}, {"tagIds": ["a", "b"]}],
        [{}, {"tagIds": []}, {"tagIds": "a"}, {"tagIds": [5]}, {"tagIds": ["a", None]}, {"tagIds": None}],
    ),
    (
        AiAgentQuery,
        "213-219 flat is true, getFiles only true, limit from 1 on",
        [
            {"flat": True},
            {"flat": True, "getFiles": True},
            {"flat": True, "limit": 1},
            {"flat": True, "limit": 100_000},
            {"flat": True, "exclusiveStartKey": '{"id": "a"}'},
        ],
        [
            {},
            {"flat": False},
            {"flat": "true"},
            {"flat": True, "getFiles": False},
            {"flat": True, "limit": 0},
            {"flat": True, "limit": -1},
            {"flat": True, "limit": 1.5},
            {"flat": True, "exclusiveStartKey": {"id": "a"}},
        ],
    ),
    (
        WorkflowQuery,
        "85-87 minimal data or whole documents",
        [{}, {"getAllWorkflowsMinimalData": True}, {"getAllWorkflowsMinimalData": False}],
        [{"getAllWorkflowsMinimalData": "true"}, {"getAllWorkflowsMinimalData": 1}],
    ),
    (FolderQuery, "95 a folder is named", [{"folderId": "f"}], [{}, {"folderId": ""}, {"folderId": 5}]),
    (
        WorkflowCreate,
        "98-117 a name, types, and autoLayout wherever data.nodes is",
        [
            {"name": "n"},
            {"name": ""},
            {"name": "n", "data": {}},
            {"name": "n", "data": {"edges": []}},
            {"name": "n", "data": {"nodes": [{"id": "a"}]}, "autoLayout": True},
            {"name": "n", "data": {"nodes": [{"id": "a"}]}, "autoClean": True},
            {"name": "n", "data": {"nodes": []}, "autoLayout": True},
            {"name": "n", "parsedData": [{"id": "a", "subNodes": [{"id": "b"}]}], "trigger": {"id": "t"}},
            {"name": "n", "isActive": True, "associatedTo": "not mine"},
            {"name": "n", "platformType": "carrier pigeon", "autoLayout": False},
        ],
        [
            {},
            {"name": 5},
            {"name": "n", "data": {"nodes": [{"id": "a"}]}},
            {"name": "n", "data": {"nodes": []}},
            {"name": "n", "data": {"nodes": [{"id": "a"}]}, "autoLayout": False},
            {"name": "n", "data": {"nodes": [{"id": "a"}]}, "autoLayout": False, "autoClean": False},
            {"name": "n", "data": {"nodes": [{"id": "a"}]}, "autoLayout": "true"},
            {"name": "n", "notes": 5},
            {"name": "n", "triggerType": ["x"]},
            {"name": "n", "trigger": []},
            {"name": "n", "trigger": {"subNodes": {}}},
            {"name": "n", "parsedData": {}},
            {"name": "n", "variables": []},
            {"name": "n", "settings": "x"},
            {"name": "n", "data": {"nodes": [{"position": {"x": "1"}}]}, "autoLayout": True},
        ],
    ),
]
NAMES = [f"{model.__name__}: {rule}" for model, rule, _, _ in BODIES]


@pytest.mark.parametrize(("model", "rule", "accepted", "rejected"), BODIES, ids=NAMES)
def test_a_request_by_its_rules(
    model: type[BaseModel], rule: str, accepted: list[Any], rejected: list[Any]
) -> None:
    for body in accepted:
        assert model.model_validate(body).model_dump(exclude_unset=True) == body
    for body in rejected:
        with pytest.raises(ValidationError):
            model.model_validate(body)


@pytest.mark.rules("148")
def test_an_empty_query_leaves_the_default_limit_to_the_platform() -> None:
    assert TaskQuery().model_dump(exclude_unset=True) == {}
    assert DEFAULT_TASKS_LIMIT == 50


@pytest.mark.rules("169 174")
def test_only_what_is_set_is_sent_and_an_empty_list_is_something() -> None:
    assert TaskUpdate(assignedAgentIds=[]).model_dump(exclude_unset=True) == {"assignedAgentIds": []}


@pytest.mark.rules("111")
def test_the_reason_says_what_must_be_sent() -> None:
    with pytest.raises(ValidationError, match="autoLayout"):
        WorkflowCreate.model_validate({"name": "n", "data": {"nodes": [{"id": "a"}]}})
