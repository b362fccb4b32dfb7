"""Faults that break the body of an answer, or HTTP itself (docs/command-line.md, Faults)."""

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from frontdesk_sandbox import faults
from sandbox.asking import ACCOUNT, Sandbox
from sandbox.serving import Client, Forked

LIST: dict[str, Any] = {"path": "^/tasks/list", "kind": ""}


def listed(sandbox: Sandbox, kind: str, **more: Any) -> Any:
    sandbox.put("/sandbox/faults", [{**LIST, "kind": kind, **more}])
    return sandbox.post("/tasks/list", {"limit": 2})


def outcome(sandbox: Sandbox) -> int:
    return int(sandbox.get("/sandbox/requests").json()[0]["outcome"])


def test_an_empty_answer_keeps_the_status_and_was_carried_out(sandbox: Sandbox) -> None:
    answer = listed(sandbox, "empty")
    assert (answer.status_code, answer.content, answer.headers["content-length"]) == (200, b"", "0")
    assert outcome(sandbox) == 200


def test_another_shape_is_json_but_no_page(sandbox: Sandbox) -> None:
    assert listed(sandbox, "shape").json() == [1, "two", None]


def test_each_value_has_another_type_and_the_page_is_one_still(sandbox: Sandbox) -> None:
    right = sandbox.post("/tasks/list", {"limit": 2}).json()
    wrong = listed(sandbox, "types").json()
    assert wrong.keys() == right.keys()
    assert len(wrong["dbObject"]) == 2
    for before, after in zip(right["dbObject"], wrong["dbObject"], strict=True):
        assert before.keys() == after.keys()
        assert all(type(before[name]) is not type(after[name]) for name in before)


@pytest.mark.parametrize("status", [200, 401, 503])
def test_an_echo_holds_what_was_sent(sandbox: Sandbox, status: int) -> None:
    answer = listed(sandbox, "echo", status=status)
    assert answer.status_code == status
    assert ACCOUNT["x-api-key"] in answer.text
    assert '\\"limit\\":2' in answer.text.replace(": ", ":")
    assert outcome(sandbox) == (200 if status == 200 else 0)


def test_more_than_a_page_can_have(sandbox: Sandbox) -> None:
    items = listed(sandbox, "more").json()["dbObject"]
    assert len({each["taskId"] for each in items}) == len(items) == 300
    sandbox.put("/sandbox/faults", [{"path": ".", "kind": "more"}])
    task = sandbox.task()["taskId"]
    assert len(sandbox.get(f"/tasks/{task}").json()) == 1 + faults.MORE_FIELDS


def test_many_tiny_items(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "MANY_ITEMS", 500)
    assert len(listed(sandbox, "many").json()["dbObject"]) == 500
    sandbox.put("/sandbox/faults", [{"path": ".", "kind": "many"}])
    task = sandbox.task(title="There")["taskId"]
    found = sandbox.get(f"/tasks/{task}").json()
    assert found["task"]["title"] == "There"
    assert len(found["unknown"]) == 501


def test_a_huge_answer_is_valid_json(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "HUGE_BYTES", 256 * 1024)
    answer = listed(sandbox, "huge")
    assert len(answer.content) > 256 * 1024
    assert len(answer.json()["dbObject"]) == 2


def test_garbage_that_says_it_is_gzip(sandbox: Sandbox) -> None:
    fault = {"path": "^/tasks/list", "kind": "gzip"}
    sandbox.put("/sandbox/faults", [fault])
    with pytest.raises(Exception, match=r"(?i)decompress|header|invalid"):
        sandbox.post("/tasks/list", {})


@pytest.mark.parametrize(
    ("kind", "more", "carried_out"),
    [("hang", {}, 0), ("hang", {"after": True}, 200), ("status", {}, 0), ("status", {"after": True}, 200)],
)
def test_the_log_tells_what_was_carried_out(
    service: Forked, kind: str, more: dict[str, Any], carried_out: int
) -> None:
    with Client(service.url) as client:
        client.ask("PUT", "/sandbox/faults", [{**LIST, "kind": kind, **more}])
        exchange(service, 0.1)
        entry = client.ask("GET", "/sandbox/requests")[0]
    assert entry["outcome"] == carried_out
    assert entry["status"] == (0 if kind == "hang" else 503)


@pytest.fixture(scope="module")
def service(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forked]:
    folder = tmp_path_factory.mktemp("broken")
    forked = Forked(folder / "errors", data=Path(copytree(seeded, folder / "data")), crowd=False)
    yield forked
    assert forked.end() == (0, "")


def exchange(service: Forked, seconds: float) -> bytes:
    """What comes to a request within this time, or until the connection is closed."""
    host, port = service.url.removeprefix("http://").split(":")
    body = b'{"limit":2}'
    head = ["POST /tasks/list HTTP/1.1", f"Host: localhost:{port}", "Content-Type: application/json"]
    head += [f"Content-Length: {len(body)}", *(f"{name}: {value}" for name, value in ACCOUNT.items())]
    received = b""
    end = time.monotonic() + seconds
    with socket.create_connection((host, int(port)), timeout=5) as connection:
        connection.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + body)
        while (left := end - time.monotonic()) > 0:
            connection.settimeout(left)
            try:
                part = connection.recv(1 << 16)
            except TimeoutError:
                break
            if not part:
                return received + b"[closed]"
            received += part
    return received


def answered(service: Forked, kind: str, within: float, **more: Any) -> bytes:
    with Client(service.url) as client:
        client.ask("PUT", "/sandbox/faults", [{**LIST, "kind": kind, **more}])
    return exchange(service, within)


def length_and_body(answer: bytes) -> tuple[int, bytes]:
    head, _, body = answer.removesuffix(b"[closed]").partition(b"\r\n\r\n")
    return int(head.lower().partition(b"content-length: ")[2].split()[0]), body


@pytest.mark.slow
@pytest.mark.xdist_group("forked services")
def test_http_is_broken_as_told(service: Forked) -> None:
    length, body = length_and_body(answered(service, "longer", 0.5))
    assert length == len(body) + 1_000
    shorter = answered(service, "shorter", 5)
    length, body = length_and_body(shorter)
    assert (length, shorter[-8:]) == (len(body) // 2, b"[closed]")
    cut = answered(service, "cut", 5)
    assert cut.endswith(b"[closed]")
    assert b"\r\n\r\n" not in cut
    dripped = answered(service, "drip", 5, seconds=0.3)
    length, body = length_and_body(dripped)
    assert length == len(body)
    for kind, line in (("headers", b"X-More"), ("continues", b"100 Continue")):
        some = answered(service, kind, 0.3)
        assert some.count(line) > 100
        assert not some.endswith(b"[closed]")
    assert answered(service, "hang", 0.3) == b""
