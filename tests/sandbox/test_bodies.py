"""Whatever is sent, the answer is JSON and never a fault of the service."""

import pytest

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


@pytest.mark.rules("2")
@pytest.mark.parametrize("body", BROKEN, ids=range(len(BROKEN)))
def test_what_is_not_a_sound_json_object_is_refused(still: Sandbox, body: bytes) -> None:
    for method, path in (("POST", "/tasks/list"), ("POST", "/getMessages"), ("PATCH", "/tasks/x")):
        assert_error_body(still.ask(method, path, content=body, headers=JSON_HEADERS), 400)
    if body != b"[]":  # the controls take arrays
        assert_error_body(still.ask("POST", "/sandbox/tasks", content=body or b"{", headers=JSON_HEADERS), 400)


@pytest.mark.rules("70")
@pytest.mark.parametrize("media", ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonx"])
def test_another_media_type_is_refused(still: Sandbox, media: str) -> None:
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
