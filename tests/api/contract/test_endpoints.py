"""Every operation of docs/interface.md is declared once, as it stands there (tests/sandbox/rules.md, chapters 1
to 13)."""

from typing import Any

import pytest

from frontdesk_api.contract import endpoints
from frontdesk_api.contract.ai_agents import AiAgent, AiAgentQuery
from frontdesk_api.contract.campaigns import Campaign, CampaignCreate, CampaignCreated
from frontdesk_api.contract.endpoints import (
    OPERATIONS,
    Anything,
    Credentials,
    Endpoint,
    Host,
    Listing,
    One,
    Retry,
    Word,
)
from frontdesk_api.contract.messages import Message, MessageQuery, TagAssignment
from frontdesk_api.contract.tasks import Task, TaskQuery, TaskUpdate
from frontdesk_api.contract.workflows import FolderQuery, Workflow, WorkflowCreate, WorkflowCreated, WorkflowQuery

# (method, host, path): request body, query, answer, how many answers with the Error body are documented.
INTERFACE: dict[tuple[str, str, str], tuple[Any, Any, Any, int]] = {
    ("POST", "{campaigns_url}", "/campaigns"): (CampaignCreate, None, One(CampaignCreated), 1),
    ("GET", "{campaigns_url}", "/campaigns/{id}"): (None, None, One(Campaign), 2),
    ("POST", "{workflows_url}", "/workflows"): (WorkflowQuery, None, Listing(Workflow, "result"), 2),
    ("POST", "{workflows_url}", "/workflows/{workflowId}"): (WorkflowCreate, FolderQuery, One(WorkflowCreated), 2),
    ("POST", "{workflows_url}", "/workflows/{workflowId}/analytics/reset"): (None, None, One(Workflow), 3),
    ("POST", "{business_url}", "/tasks/list"): (TaskQuery, None, Listing(Task, "dbObject"), 3),
    ("GET", "{business_url}", "/tasks/{taskId}"): (None, None, One(Task, "task"), 4),
    ("PATCH", "{business_url}", "/tasks/{taskId}"): (TaskUpdate, None, One(Task, "task"), 4),
    ("POST", "{base_url}", "/getMessages"): (MessageQuery, None, Listing(Message, "dbObject"), 2),
    ("POST", "{base_url}", "/conversations/{id}/tags"): (TagAssignment, None, Word("success"), 2),
    ("GET", "{ai_url}", "/ai-agents"): (None, AiAgentQuery, Listing(AiAgent, "agents"), 2),
    ("DELETE", "{base_url}", "/webhook/{webhookId}"): (None, None, Anything(), 2),
}
REFERENCED = {("PUT", "{workflows_url}", "/workflows/{workflowId}")}
"""Named by the interface without a description of its own (rules 140 to 147)."""


def address(operation: Endpoint[Any]) -> tuple[str, str, str]:
    return operation.method, f"{{{operation.host}}}", operation.path


def test_the_twelve_operations_and_the_graph_put_are_declared_and_nothing_else() -> None:
    addresses = [address(each) for each in OPERATIONS]
    assert len(addresses) == len(set(addresses)), "an operation is declared twice"
    assert set(addresses) == set(INTERFACE) | REFERENCED
    assert {address(each) for each in OPERATIONS if not each.specified} == REFERENCED


def test_every_declared_row_is_listed_once_and_names_are_distinct() -> None:
    declared = [value for value in vars(endpoints).values() if isinstance(value, Endpoint)]
    assert sorted(map(id, declared)) == sorted(map(id, OPERATIONS))
    assert len({each.name for each in OPERATIONS}) == len(OPERATIONS)
    assert all(each.summary for each in OPERATIONS)


@pytest.mark.parametrize("operation", [each for each in OPERATIONS if each.specified], ids=lambda each: each.name)
def test_bodies_queries_and_answers_are_those_of_the_interface(operation: Endpoint[Any]) -> None:
    request, query, reply, errors = INTERFACE[address(operation)]
    assert (operation.request, operation.query) == (request, query)
    assert operation.reply == reply
    assert operation.errors == errors


@pytest.mark.rules("1")
def test_there_are_five_hosts_with_the_names_of_the_interface() -> None:
    assert [str(host) for host in Host] == ["base_url", "campaigns_url", "workflows_url", "business_url", "ai_url"]


@pytest.mark.rules("3")
def test_no_path_carries_a_version() -> None:
    assert not [each.path for each in OPERATIONS if any(part.startswith("v1") for part in each.path.split("/"))]


@pytest.mark.rules("5-12")
def test_delete_webhook_alone_takes_the_bearer_scheme() -> None:
    bearers = [each.name for each in OPERATIONS if each.credentials is Credentials.BEARER]
    assert bearers == ["delete_webhook"]
    assert all(each.credentials in Credentials for each in OPERATIONS)


@pytest.mark.rules("21")
def test_only_create_campaign_states_a_success_code() -> None:
    assert {each.name: each.success for each in OPERATIONS if each.success != 200} == {"create_campaign": 201}


def test_only_reads_are_repeated_by_themselves() -> None:
    """A create or a reset is read back first, a PATCH goes again only when unsent."""
    assert {each.name for each in OPERATIONS if each.retry is Retry.READ} == {
        "get_campaign",
        "list_workflows",
        "list_tasks",
        "get_task",
        "get_messages",
        "list_ai_agents",
    }
    assert {each.name for each in OPERATIONS if each.retry is Retry.NEVER} == {
        "create_campaign",
        "create_workflow",
        "reset_workflow_analytics",
    }


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.name)
def test_reads_and_deletes_have_no_body(operation: Endpoint[Any]) -> None:
    if operation.method in ("GET", "DELETE"):
        assert operation.request is None
