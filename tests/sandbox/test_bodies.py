"""Whatever is sent, the answer is JSON and never a fault of the service."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.asking import ACCOUNT, Sandbox, assert_error_body

JSON_HEADERS = ACCOUNT | {"Content-Type": "application/json"}

BROKEN = [
    b"",
    b"{",
    b"[]",
    b'"text"',
    b"null",
    b"\xff\xfe",
    b'{"limit": NaN}',
    b'{"limit": Infinity}',
    b'{"limit": 1e999}',
    b'{"limit": ' + b"9" * 5000 + b"}",
    b'{"agentId": "\\ud800"}',
    b'{"agentId": "a\\u0000b"}',
    b'{"\\ud800": 1}',
    b'{"x": ' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    b'{"x": ' + b"[" * 500 + b"]" * 500 + b"}",
]


@pytest.mark.parametrize("body", BROKEN, ids=range(len(BROKEN)))
def test_2_what_is_not_a_sound_json_object_is_refused(still: Sandbox, body: bytes) -> None:
    for method, path in (("POST", "/tasks/list"), ("POST", "/getMessages"), ("PATCH", "/tasks/x")):
        assert_error_body(still.ask(method, path, content=body, headers=JSON_HEADERS), 400)
    if body != b"[]":  # the controls take arrays
        assert_error_body(still.ask("POST", "/sandbox/tasks", content=body or b"{", headers=JSON_HEADERS), 400)


@pytest.mark.parametrize("media", ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonx"])
def test_70_another_media_type_is_refused(still: Sandbox, media: str) -> None:
    headers = ACCOUNT | {"Content-Type": media}
    assert_error_body(still.ask("POST", "/tasks/list", content=b"{}", headers=headers), 400)


@pytest.mark.parametrize("media", ["application/json; charset=utf-8", "Application/JSON"])
def test_json_with_parameters_is_accepted(still: Sandbox, media: str) -> None:
    headers = ACCOUNT | {"Content-Type": media}
    assert still.ask("POST", "/tasks/list", content=b"{}", headers=headers).status_code == 200


def test_a_body_that_is_too_large_is_told_so(still: Sandbox) -> None:
    body = b'{"agentId": "' + b"x" * (9 * 1024 * 1024) + b'"}'
    assert_error_body(still.ask("POST", "/tasks/list", content=body, headers=JSON_HEADERS), 413)


@pytest.mark.parametrize("path", ["/tasks/%00", "/tasks/%ff", "/tasks/", "/tasks//", "/%2F", "/tasks/%"])
def test_odd_paths_get_the_error_body(still: Sandbox, path: str) -> None:
    response = still.get(path)
    assert_error_body(response, response.status_code)
    assert response.status_code in (400, 404)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    [
        "limit", "lastEvaluatedKey", "agentId", "startKey", "phoneNumberId", "targetPhoneNumberId", "title",
        "statusCase", "assignedAgentIds", "dueDate", "data", "parsedData", "trigger", "autoLayout", "name",
        "tagIds", "source", "id", "customerList", "lastModified", "getAllWorkflowsMinimalData", "updatedAt",
    ]
)  # fmt: skip


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.dictionaries(FIELDS, ANYTHING, max_size=5))
def test_no_body_makes_the_service_fail(sandbox: Sandbox, body: dict[str, object]) -> None:
    content = json.dumps(body).encode()
    for method, path in (
        ("POST", "/tasks/list"),
        ("POST", "/getMessages"),
        ("PATCH", "/tasks/none"),
        ("POST", "/workflows"),
        ("POST", "/workflows/none?folderId=folder-service"),
        ("PUT", "/workflows/wf-welcome"),
        ("POST", "/conversations/a%23b/tags"),
        ("POST", "/campaigns"),
        ("POST", "/sandbox/messages"),
        ("POST", "/sandbox/tasks"),
    ):
        response = sandbox.ask(method, path, content=content, headers=JSON_HEADERS)
        response.json()
        named = path == "/campaigns" and body.get("name", "") == ""
        assert response.status_code < 500 or (named and response.status_code == 500), (method, path, response.text)
