"""Whatever is sent: a refusal with the Error body, nothing changed, no fault of the service, no memory kept.

`test_bodies.py` has the plain cases; here every operation is asked, and a real process is watched.
"""

import asyncio
import json
import logging
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frontdesk_api.contract.endpoints import OPERATIONS, Endpoint
from frontdesk_sandbox.application import MAX_LOGGED_LENGTH
from sandbox.asking import ACCOUNT, BEARER, Sandbox, assert_error_body, campaign, headers_of, path_of
from sandbox.serving import Process

pytestmark = pytest.mark.slow

JSON_TYPE = {"Content-Type": "application/json"}
MEGABYTE = 1024 * 1024

GOOD: dict[str, dict[str, Any]] = {
    "create_campaign": campaign(),
    "list_workflows": {},
    "create_workflow": {"name": "x"},
    "update_workflow": {"lastModified": 1},
    "list_tasks": {"limit": 1},
    "update_task": {"title": "x"},
    "get_messages": {"phoneNumberId": "a", "targetPhoneNumberId": "b"},
    "assign_tags": {"tagIds": ["tag-vip"]},
}
WITH_BODY = [endpoint for endpoint in OPERATIONS if endpoint.request is not None]

BAD_VALUES = {
    "nan": "NaN",
    "infinity": "Infinity",
    "minus infinity": "-Infinity",
    "a number beyond a float": "1e999",
    "a whole number of 64 bits": "9223372036854775808",
    "a whole number below": "-9223372036854775808",
    "a whole number of 5000 digits": "9" * 5000,
    "half a surrogate pair": r'"\ud800"',
    "surrogates the wrong way round": r'"\udc00\ud800"',
    "half a pair in a name": r'{"\ud800": 1}',
    "NUL": r'"a\u0000b"',
    "NUL in a name": r'{"\u0000": 1}',
    "a name twice": '{"a": 1, "a": 1}',
    "a name twice, once escaped": r'{"a": 1, "\u0061": 2}',
    "a name twice, deep down": '[[{"b": {"a": 1, "c": 2, "a": 3}}]]',
    "nesting of arrays": "[" * 101 + "]" * 101,
    "nesting of objects": '{"a":' * 101 + "1" + "}" * 101,
    "nesting without end": "[" * 200_000 + "]" * 200_000,
    "a nest that isn't closed": "[" * 100_000,
    "a word": "undefined",
    "single quotes": "'x'",
    "a comment": "/* c */ 1",
    "a comma too many": "[1,]",
    "a leading zero": "01",
    "a plus": "+1",
    "a bare point": ".5",
    "hexadecimal": "0x10",
    "a raw line break in a string": '"a\nb"',
    "an escape that JSON lacks": r'"\x41"',
    "a string without end": '"abc',
}

NOT_OBJECTS = [
    b"", b" ", b"[]", b'[{"name": "x"}]', b'"{}"', b"0", b"-1.5", b"true", b"null", b"{", b"}", b"{}{}", b"{} x",
    b"{'limit': 1}", b"limit=1", b"<a/>", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf{}", "{}".encode("utf-16"),
    b'{"a": "\xff"}', b'{"a": "\xed\xa0\x80"}', b"\x1f\x8b\x08\x00",
]  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_fails_inside(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """A fault of the service itself is logged with its traceback; there must be none."""
    caplog.set_level(logging.ERROR, logger="frontdesk_sandbox")
    yield
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []


def changes(sandbox: Sandbox) -> int:
    """How many rows were ever written: equal before and after means that nothing was changed."""
    return int(sandbox.world.storage.rows("SELECT total_changes()")[0][0])


def test_the_count_of_changes_sees_a_write(sandbox: Sandbox) -> None:
    task = sandbox.task()
    before = changes(sandbox)
    assert sandbox.get(f"/tasks/{task['taskId']}").is_success
    assert changes(sandbox) == before
    assert sandbox.patch(f"/tasks/{task['taskId']}", {}).is_success
    assert changes(sandbox) > before


def with_value(endpoint: Endpoint[Any], value: str) -> bytes:
    """A body that would be accepted, but for one more property with this value."""
    return ('{"more": ' + value + ", " + json.dumps(GOOD[endpoint.name])[1:]).replace(", }", "}").encode()


def assert_refused(sandbox: Sandbox, endpoint: Endpoint[Any], body: bytes, status: int = 400, **more: str) -> None:
    before = changes(sandbox)
    headers = headers_of(endpoint) | JSON_TYPE | more
    answer = sandbox.ask(endpoint.method, path_of(endpoint), headers=headers, content=body)
    assert_error_body(answer, status)
    assert changes(sandbox) == before


@pytest.mark.rules("2")
@pytest.mark.parametrize("endpoint", WITH_BODY, ids=lambda endpoint: endpoint.name)
def test_a_harmless_property_in_that_place_is_not_what_is_refused(
    sandbox: Sandbox, endpoint: Endpoint[Any]
) -> None:
    """So that the refusals below are for the value: only create campaign refuses every unknown property."""
    sent = headers_of(endpoint) | JSON_TYPE
    for value in ("1", "9223372036854775807", '"text"', "[" * 99 + "]" * 99, '{"a": {"a": 1}}', r'"\ud83d\ude00"'):
        answer = sandbox.ask(endpoint.method, path_of(endpoint), headers=sent, content=with_value(endpoint, value))
        wanted = {"create_campaign": {400}, "create_workflow": {200, 400}}.get(endpoint.name, {200, 404})
        assert answer.status_code in wanted, answer.text


@pytest.mark.rules("2")
@pytest.mark.parametrize("value", BAD_VALUES.values(), ids=BAD_VALUES)
def test_what_json_or_storage_cannot_hold_is_refused_everywhere(still: Sandbox, value: str) -> None:
    for endpoint in WITH_BODY:
        assert_refused(still, endpoint, with_value(endpoint, value))


@pytest.mark.rules("2")
@pytest.mark.parametrize("body", NOT_OBJECTS, ids=range(len(NOT_OBJECTS)))
def test_what_is_no_json_object_is_refused_everywhere(still: Sandbox, body: bytes) -> None:
    for endpoint in WITH_BODY:
        assert_refused(still, endpoint, body)


@pytest.mark.rules("2 70")
@pytest.mark.parametrize(
    "media",
    [
        "text/plain", "text/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "",
        "application/octet-stream", "application/xml", "application/jsonp", "application", "json", "*/*",
    ],
)  # fmt: skip
def test_another_media_type_is_refused_everywhere(still: Sandbox, media: str) -> None:
    for endpoint in WITH_BODY:
        body = json.dumps(GOOD[endpoint.name]).encode()
        assert_refused(still, endpoint, body, **{"Content-Type": media})


@pytest.mark.parametrize("endpoint", OPERATIONS, ids=lambda endpoint: endpoint.name)
def test_a_body_of_10_megabytes_is_refused_everywhere(still: Sandbox, endpoint: Endpoint[Any]) -> None:
    body = b'{"more": "' + b"x" * (10 * MEGABYTE) + b'"}'
    assert_refused(still, endpoint, body, 413)


def test_an_operation_without_a_body_looks_at_none(sandbox: Sandbox) -> None:
    task = sandbox.task(title="x")
    for body in (b"{", b"\xff", b'{"title": "y"}'):
        answer = sandbox.ask("GET", f"/tasks/{task['taskId']}", content=body)
        assert answer.json() == {"task": task}


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def bodies_for(endpoint: Endpoint[Any]) -> st.SearchStrategy[Any]:
    """Anything at all, and bodies that are right but for a few declared fields."""
    schema = endpoint.request.model_json_schema() if endpoint.request else {}
    names = {name for part in (schema, *schema.get("$defs", {}).values()) for name in part.get("properties", ())}
    wrong = st.dictionaries(st.sampled_from(sorted(names)), ANYTHING, max_size=4)
    return ANYTHING | wrong | wrong.map(lambda fields: GOOD[endpoint.name] | fields)


@pytest.mark.rules("16")
@pytest.mark.parametrize("endpoint", WITH_BODY, ids=lambda endpoint: endpoint.name)
def test_whatever_json_is_sent_a_refusal_changes_nothing(sandbox: Sandbox, endpoint: Endpoint[Any]) -> None:
    task, workflow = sandbox.task()["taskId"], "wf-survey"
    identity = {"update_task": task, "update_workflow": workflow, "assign_tags": "a%23b"}.get(endpoint.name, "new")
    statuses: set[int] = set()

    @settings(max_examples=60, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(body=bodies_for(endpoint))
    def asks(body: Any) -> None:
        before = changes(sandbox)
        answer = sandbox.ask(
            endpoint.method,
            path_of(endpoint, identity),
            headers=headers_of(endpoint) | JSON_TYPE,
            content=json.dumps(body).encode(),
        )
        statuses.add(answer.status_code)
        if answer.status_code >= 400:
            assert_error_body(answer, answer.status_code)
            assert changes(sandbox) == before
        if answer.status_code >= 500:
            assert endpoint.name == "create_campaign"
            assert body.get("name", "") == "" or "already" in answer.json()["message"]

    asks()
    assert 400 in statuses


CONTROLS = ("/sandbox/messages", "/sandbox/tasks", "/sandbox/webhooks", "/sandbox/advance")


@settings(max_examples=60, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(path=st.sampled_from(CONTROLS), body=ANYTHING)
def test_whatever_json_a_control_gets_it_answers(sandbox: Sandbox, path: str, body: Any) -> None:
    answer = sandbox.ask("POST", path, headers=JSON_TYPE, content=json.dumps(body).encode())
    assert answer.status_code in (200, 400, 404), answer.text
    if answer.status_code >= 400:
        assert_error_body(answer, answer.status_code)


def raw_ask(sandbox: Sandbox, method: str, path: bytes, query: bytes = b"") -> tuple[int, dict[str, Any]]:
    """A request line as it is, since clients tidy theirs up."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b'{"name": "x"}', "more_body": False}

    async def send(event: Any) -> None:
        sent.append(dict(event))

    headers = (ACCOUNT | BEARER | JSON_TYPE).items()
    scope = {
        "type": "http",
        "method": method,
        "path": path.decode("latin-1"),
        "raw_path": path,
        "query_string": query,
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers],
    }
    asyncio.run(sandbox.application(scope, receive, send))
    return sent[0]["status"], json.loads(sent[1]["body"])


SEGMENTS = {
    b"%00": 400, b"a%00b": 400, b"%FF": 400, b"%C3%28": 400, b"%C0%AF": 400, b"%ED%A0%80": 400, b"%F5": 400,
    b"%2F": 404, b"%2e%2e": 404, b"..": 404, b"%2e%2e%2Fsandbox%2Fhealth": 404, b"%252F": 404, b"%2500": 404,
    b"%": 404, b"%2": 404, b"%zz": 404, b"%u0041": 404, b"%0a%0dX:%20y": 404, b"'%20OR%201=1": 404, b"%3Fx=1": 404,
    b"\xc3\xa9": 404, b"\xff": 404, b"a" * 60_000: 404, b"%41" * 20_000: 404, b"": 404, b"/": 404,
}  # fmt: skip


@pytest.mark.rules("82 94 203 226")
@pytest.mark.parametrize("segment", SEGMENTS, ids=lambda segment: segment[:12].decode("latin-1"))
def test_tricks_with_percent_reach_nothing(still: Sandbox, segment: bytes) -> None:
    before = changes(still)
    for endpoint in OPERATIONS:
        if "{" not in endpoint.path or endpoint.request is not None:
            continue  # the others would stop at their body
        path = re.sub(rb"{\w+}", lambda _found: segment, endpoint.path.encode())
        status, body = raw_ask(still, endpoint.method, path)
        assert status == SEGMENTS[segment], body
        assert set(body) == {"error", "message"}
    assert changes(still) == before


@pytest.mark.rules("3")
@pytest.mark.parametrize(
    "path",
    [
        b"//tasks/list", b"/tasks/list/", b"/tasks//list", b"/./tasks/list", b"/x/../tasks/list", b"/TASKS/list",
        b"/%74asks/list", b"/tasks%2Flist", b"/tasks/list%00", b"/tasks/list;x=1", b"/v1/tasks/list", b"/tasks",
        b"/%2e%2e/tasks/list", b"http://127.0.0.1/tasks/list", b"/sandboxes", b"/openapi.json/", b"", b"/", b"*",
    ],
    ids=lambda path: path.decode(),
)  # fmt: skip
def test_a_path_that_is_almost_one_is_not_one(still: Sandbox, path: bytes) -> None:
    before = changes(still)
    status, body = raw_ask(still, "POST", path)
    assert status in (400, 404, 501)
    assert set(body) == {"error", "message"}
    assert changes(still) == before


@pytest.mark.rules("82")
def test_an_id_is_decoded_exactly_once(sandbox: Sandbox) -> None:
    for identity, path in (
        ("%2F", b"/tasks/%252F"),
        ("/", b"/tasks/%2F"),
        ("..", b"/tasks/%2e%2e"),
        ("+", b"/tasks/+"),
    ):
        sandbox.task(taskId=identity)
        status, body = raw_ask(sandbox, "GET", path)
        assert status == 200
        assert body["task"]["taskId"] == identity


@pytest.mark.rules("95")
@pytest.mark.parametrize(
    "query",
    [
        b"folderId=%00", b"folderId=%FF", b"folderId=%ED%A0%80", b"folderId=\xff", b"folderid=folder-service",
        b"folderId", b"&".join(b"a%d=1" % place for place in range(101)), b"folderId=folder-service&folderId=",
        b"%66older=x", b"",
    ],
    ids=lambda query: query[:24].decode("latin-1"),
)  # fmt: skip
def test_tricks_with_the_query_are_refused(still: Sandbox, query: bytes) -> None:
    before = changes(still)
    status, body = raw_ask(still, "POST", b"/workflows/new", query)
    assert status == 400
    assert set(body) == {"error", "message"}
    assert changes(still) == before


@pytest.mark.rules("210")
@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get", "X" * 100])
def test_a_method_that_is_not_specified_is_no_way_in(still: Sandbox, method: str) -> None:
    status, body = raw_ask(still, method, b"/tasks/list")
    assert status == 501
    assert body["error"] == "not_specified"


def test_the_journal_keeps_little_of_what_is_absurdly_long(sandbox: Sandbox) -> None:
    raw_ask(sandbox, "GET", b"/tasks/" + b"x" * 60_000, b"y" * 60_000)
    noted = sandbox.get("/sandbox/requests").json()[0]
    assert len(noted["path"]) == len(noted["query"]) == MAX_LOGGED_LENGTH


@pytest.fixture
def process(seeded: Path, tmp_path: Path) -> Iterator[Process]:
    service = Process("--data", str(copytree(seeded, tmp_path / "data")), "--no-crowd")
    yield service
    status, output, errors = service.end()
    assert (status, output, errors) == (0, "", ""), "no traceback"


def memory(process: Process) -> int:
    """What the service holds, in megabytes."""
    told = Path(f"/proc/{process.process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", told)[1]) // 1024  # type: ignore[index]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_big_bodies_are_not_kept(process: Process) -> None:
    """Too large, just not too large, wide, deep, and without end: what one needs is given back for the next."""
    text = b'{"title": "' + b"x" * (7 * MEGABYTE) + b'"'
    wide = b'{"title": [' + b"[]," * (2 * MEGABYTE) + b"[]]}"
    deep = b'{"title": ' + b"[" * (7 * MEGABYTE)
    bodies = [(b" " * (10 * MEGABYTE), 413), (text, 400), (deep, 400)]

    def send_all(client: httpx.Client) -> None:
        # The wide one once: it takes seconds to read, and its values hold more than what is allowed below.
        for body, status in [(wide, 400), *bodies * 4]:
            answer = client.patch("/tasks/none", content=body, headers=JSON_TYPE)
            assert_error_body(answer, status)

    with httpx.Client(base_url=process.url, headers=ACCOUNT, timeout=60) as client:
        send_all(client)
        before = memory(process)
        send_all(client)
        assert memory(process) < before + 48
        assert memory(process) < 400
        # More than is read to its end: the connection may be cut, the service may not suffer.
        endless = (b" " * MEGABYTE for _ in range(100))
        try:
            answer = client.patch("/tasks/none", content=endless, headers=JSON_TYPE)
        except httpx.TransportError:
            pass
        else:
            assert_error_body(answer, 413)
        assert memory(process) < before + 48
        assert client.get("/sandbox/health").json()["status"] == "ok"


NO_HTTP = [
    b"\x00\x01\x02\x03\r\n\r\n",
    b"GET /tasks/x\r\n\r\n",
    b"GET /tasks/x HTTP/9.9\r\nHost: a\r\n\r\n",
    b"GET /tasks/\xff\xfe HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /tasks/ x HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /tasks/x HTTP/1.1\r\n\r\n",
    b"GET /" + b"x" * 200_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /tasks/x HTTP/1.1\r\nHost: a\r\n" + b"A: b\r\n" * 100_000,
    b"POST /tasks/list HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    b"POST /tasks/list HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
    b"POST /tasks/list HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
]


def test_what_is_no_http_is_refused_and_the_service_goes_on(process: Process) -> None:
    """Answered 400 by the server underneath, or by a refusal of the sandbox; never by a fault."""
    port = int(process.url.rpartition(":")[2])
    for sent in NO_HTTP:
        received = b""
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            try:
                connection.sendall(sent)
                connection.shutdown(socket.SHUT_WR)
                while part := connection.recv(65536):
                    received += part
            except OSError:
                pass  # closed while we were still sending
        assert received == b"" or re.match(rb"HTTP/1.1 4\d\d ", received), (sent[:60], received[:100])
        assert httpx.get(f"{process.url}/sandbox/health").json()["status"] == "ok", sent[:60]
