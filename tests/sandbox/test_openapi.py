"""The OpenAPI document says what the service does.

Schemathesis asks the service what the document allows and what it forbids; the rules of the interface that the
document has to name are looked up in it one by one.
"""

import itertools
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from api.contract.test_requests import ACCEPTED as ACCEPTED_CAMPAIGNS
from api.contract.test_requests import BODIES, LEFT_OUT
from api.contract.test_requests import REJECTED as REJECTED_CAMPAIGNS
from frontdesk_api.contract.endpoints import OPERATIONS, Credentials
from frontdesk_sandbox.openapi import document
from frontdesk_sandbox.options import SandboxOptions
from frontdesk_sandbox.world import open_world
from sandbox.asking import ACCOUNT, BEARER, Sandbox, stop_seeded_campaigns

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("openapi")]  # the last test counts what the others asked

ASKED: Counter[str] = Counter()
ACCEPTED: Counter[str] = Counter()
NUMBERS = itertools.count()
MAX_EXAMPLES = 4

CONFIG = {
    "generation": {
        # Credentials are the test's own here; tests/sandbox/test_credentials.py is about them.
        "with-security-parameters": False,
        # No schema can forbid NUL in every string; tests/sandbox/test_bad_input.py is about it.
        "allow-x00": False,
    },
    # An operation that isn't specified answers 501 here and not 405 (docs/interface.md, Choices; rule 210).
    "phases": {"coverage": {"unexpected-methods": []}},
}

BEYOND_A_SCHEMA = (
    "number out of range",  # whole numbers from 2^63 on, anywhere in a loose object
    "isn't a status of this business",  # rule 172
    "lastEvaluatedKey wasn't issued by this service",  # rule 161
    "lastEvaluatedKey was altered",
    "exclusiveStartKey isn't a lastEvaluatedKey of this list",
    "already exists",  # rule 120
)
"""Refusals of what a schema allows: they are about values that only the service knows."""


@pytest.fixture(scope="module")
def asked(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """A sandbox that these tests may change as they like."""
    folder = tmp_path_factory.mktemp("asked") / "data"
    shutil.copytree(seeded, folder)
    world = open_world(SandboxOptions(data=folder, crowd=False))
    yield stop_seeded_campaigns(Sandbox(world))
    world.close()


@pytest.fixture(scope="module")
def described(asked: Sandbox) -> Any:
    """The document as the service hands it out, bound to that service."""
    config = schemathesis.Config.from_dict(CONFIG)
    return schemathesis.openapi.from_asgi("/openapi.json", asked.application, config=config)


@pytest.fixture(scope="module")
def described_again(asked: Sandbox) -> Any:
    """For what exists: only generated cases, since the systematic ones have all been asked by then."""
    config = schemathesis.Config.from_dict(CONFIG | {"phases": {"coverage": {"enabled": False}}})
    return schemathesis.openapi.from_asgi("/openapi.json", asked.application, config=config)


schema = schemathesis.pytest.from_fixture("described")
schema_again = schemathesis.pytest.from_fixture("described_again")
bounded = settings(
    max_examples=MAX_EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def no_server_error_but_the_one_of_create_campaign(ctx: Any, response: Any, case: Any) -> None:
    """Rules 27, 28, 30, 32: a 500 for a name missing or empty, or when it can't be saved; no other."""
    if response.status_code >= 500:
        body = case.body if isinstance(case.body, dict) else {}
        message = response.json()["message"]
        assert name_of(case) == "create_campaign", response.text
        assert response.status_code == 500
        assert body.get("name", "") == "" or "already exists" in message


def what_the_schema_allows_is_accepted(ctx: Any, response: Any, case: Any) -> None:
    """As Schemathesis checks it, save for what only the service can know."""
    if response.status_code == 400 and any(reason in response.json()["message"] for reason in BEYOND_A_SCHEMA):
        return
    positive_data_acceptance(ctx, response, case)


def name_of(case: Any) -> str:
    return str(case.operation.definition.raw["operationId"])


def ask(case: Any) -> None:
    name = name_of(case)
    response = case.call(headers=BEARER if name == "delete_webhook" else ACCOUNT)
    ASKED[name] += 1
    ACCEPTED[name] += response.status_code < 300
    case.validate_response(
        response,
        headers=BEARER if name == "delete_webhook" else ACCOUNT,
        additional_checks=[
            no_server_error_but_the_one_of_create_campaign,
            what_the_schema_allows_is_accepted,
        ],
        excluded_checks=[schemathesis.checks.not_a_server_error, positive_data_acceptance],
    )


def test_the_document_and_its_schemas_are_valid(described: Any) -> None:
    described.validate()
    for schema_of in document()["components"]["schemas"].values():
        jsonschema_rs.meta.validate(schema_of | {"$schema": "https://json-schema.org/draft/2020-12/schema"})


def test_the_service_hands_it_out_without_credentials_and_it_names_every_operation(asked: Sandbox) -> None:
    told = asked.get("/openapi.json", headers={}).json()
    assert told == json.loads(json.dumps(document()))
    listed = {(method.upper(), path) for path, methods in told["paths"].items() for method in methods}
    assert listed == {(endpoint.method, endpoint.path) for endpoint in OPERATIONS}
    for endpoint in OPERATIONS:
        operation = told["paths"][endpoint.path][endpoint.method.lower()]
        assert operation["operationId"] == endpoint.name
        bearer = endpoint.credentials is Credentials.BEARER
        assert operation["security"] == [{"bearer" if bearer else "cookie": [], "apiKey": []}]  # 5 to 12
        assert ("requestBody" in operation) is (endpoint.request is not None)
        assert str(endpoint.success) in operation["responses"]
        ids = [each["name"] for each in operation["parameters"] if each["in"] == "path"]
        assert all(f"{{{name}}}" in endpoint.path for name in ids)
        assert len(ids) == endpoint.path.count("{")


def operation(method: str, path: str) -> dict[str, Any]:
    return dict(document()["paths"][path][method])


def answer(method: str, path: str, status: int) -> dict[str, Any]:
    return dict(operation(method, path)["responses"][str(status)]["content"]["application/json"]["schema"])


def model(name: str) -> jsonschema_rs.Draft202012Validator:
    """What the document says of a body, ready to be asked."""
    told = {"$ref": f"#/components/schemas/{name}", "components": document()["components"]}
    return jsonschema_rs.Draft202012Validator(told)


@pytest.mark.rules("16 17 130 140")
def test_the_shown_refusals_have_their_codes_and_bodies() -> None:
    error, message = ({"$ref": f"#/components/schemas/{name}"} for name in ("ErrorBody", "MessageOnly"))
    assert answer("post", "/campaigns", 500) == error
    assert answer("post", "/workflows/{workflowId}/analytics/reset", 403) == message
    assert answer("put", "/workflows/{workflowId}", 409) == error
    assert document()["components"]["schemas"]["ErrorBody"]["required"] == ["error", "message"]
    assert document()["components"]["schemas"]["MessageOnly"]["required"] == ["message"]
    for endpoint in OPERATIONS:
        responses = operation(endpoint.method.lower(), endpoint.path)["responses"]
        assert "default" not in responses, "every status is named"
        for status, told in responses.items():
            if status[0] == "4" and (endpoint.name, status) != ("reset_workflow_analytics", "403"):
                assert told["content"]["application/json"]["schema"] == error
        # The error answers that the interface counts, with one for the fault that a test may order.
        assert sum(status[0] in "45" for status in responses) >= endpoint.errors


@pytest.mark.rules("95 213-219")
def test_the_query_is_described() -> None:
    folder = operation("post", "/workflows/{workflowId}")["parameters"][1]
    assert folder == {
        "name": "folderId", "in": "query", "required": True, "schema": {"type": "string", "minLength": 1}
    }  # fmt: skip
    told = {each["name"]: each for each in operation("get", "/ai-agents")["parameters"]}
    assert {name for name, each in told.items() if each["required"]} == {"flat"}
    assert told["flat"]["schema"] == {"type": "boolean", "const": True}
    assert told["getFiles"]["schema"] == {"type": "boolean", "const": True}
    assert told["limit"]["schema"] == {"type": "integer", "minimum": 1, "default": 25}
    assert told["exclusiveStartKey"]["content"] == {"application/json": {"schema": {"type": "object"}}}


def laid_over(body: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in (body | changes).items() if value is not LEFT_OUT}


@pytest.mark.rules("25-28 31 33-44 47-67")
@pytest.mark.parametrize("rows", [ACCEPTED_CAMPAIGNS, REJECTED_CAMPAIGNS], ids=["accepted", "rejected"])
def test_campaign_bodies_are_described_as_the_contract_takes_them(
    rows: list[tuple[int, dict[str, Any], dict[str, Any]]],
) -> None:
    wanted = rows is ACCEPTED_CAMPAIGNS
    wrong = [
        (rule, changes)
        for rule, body, changes in rows
        if model("CampaignCreate").is_valid(laid_over(body, changes)) is not wanted
    ]
    assert rows
    assert wrong == []


@pytest.mark.rules("98-118 148-156 168-183 187-194 205 206")
@pytest.mark.parametrize(
    ("told", "accepted", "rejected"),
    [
        (model.__name__, accepted, rejected)
        for model, _, accepted, rejected in BODIES
        if not model.__name__.endswith(("AiAgentQuery", "FolderQuery"))
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_other_bodies_are_as_well(told: str, accepted: list[Any], rejected: list[Any]) -> None:
    assert [body for body in accepted if not model(told).is_valid(body)] == []
    assert [body for body in rejected if model(told).is_valid(body)] == []


@schema.parametrize()
@bounded
def test_every_answer_is_a_documented_one(case: Any) -> None:
    """Rules 16, 17, 23, 84, 92, 157, 165, 190, 202, 212: no other status, no other shape, whatever is asked."""
    ask(case)


@schema_again.include(path_regex=r"\{").parametrize()
@bounded
def test_every_answer_about_what_exists_is_a_documented_one(case: Any, asked: Sandbox) -> None:
    """The same with what is there: real ids, an existing folder, the current lastModified, real tags."""
    KNOWN[name_of(case)](asked, case)
    ask(case)


def test_each_operation_was_asked_often_and_accepted_at_times() -> None:
    names = {endpoint.name for endpoint in OPERATIONS}
    assert set(ASKED) == names
    assert min(ASKED.values()) >= MAX_EXAMPLES
    assert {name for name, times in ACCEPTED.items() if times} == names, ACCEPTED


def known_campaign(_asked: Sandbox, case: Any) -> None:
    case.path_parameters = {"id": "cmp-weekend"}


def known_task(asked: Sandbox, case: Any) -> None:
    first = asked.post("/tasks/list", {"limit": 1}).json()["dbObject"][0]
    case.path_parameters = {"taskId": first["taskId"]}


def known_workflow(asked: Sandbox, case: Any) -> None:
    case.path_parameters = {"workflowId": "wf-survey"}
    row = asked.world.storage.row("SELECT json FROM workflows WHERE id='wf-survey'")
    if row and isinstance(case.body, dict) and isinstance(case.body.get("lastModified"), int | float):
        changed = {"lastModified": json.loads(row[0])["lastModified"]}
        changed |= {"folderId": "folder-service"} if isinstance(case.body.get("folderId"), str) else {}
        case.body = case.body | changed


def known_folder(_asked: Sandbox, case: Any) -> None:
    case.path_parameters = {"workflowId": f"wf-{next(NUMBERS)}"}
    if isinstance((case.query or {}).get("folderId"), str) and case.query["folderId"]:
        case.query = case.query | {"folderId": "folder-service"}


def known_tags(asked: Sandbox, case: Any) -> None:
    row = asked.world.storage.row("SELECT line, customer FROM conversations WHERE account='acme-home'")
    case.path_parameters = {"id": "%23".join(row or ())}
    tags = case.body.get("tagIds") if isinstance(case.body, dict) else None
    if isinstance(tags, list) and tags and all(isinstance(tag, str) for tag in tags):
        case.body = case.body | {"tagIds": ["tag-vip", "tag-refund"][: len(tags)]}


def known_webhook(asked: Sandbox, case: Any) -> None:
    case.path_parameters = asked.post("/sandbox/webhooks", {}).json()


KNOWN: dict[str, Callable[[Sandbox, Any], None]] = {
    "get_campaign": known_campaign,
    "get_task": known_task,
    "update_task": known_task,
    "create_workflow": known_folder,
    "update_workflow": known_workflow,
    "reset_workflow_analytics": known_workflow,
    "assign_tags": known_tags,
    "delete_webhook": known_webhook,
}
