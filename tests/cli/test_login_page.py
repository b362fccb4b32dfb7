"""A network's login page answers every command: none says that something was done, and each says what to do."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from cli.commandline import Frontdesk
from cli.sandbox_service import SandboxService
from frontdesk_sandbox import fixtures

pytestmark = pytest.mark.usefixtures("quick_read_backs")

PAGE = {"path": ".*", "kind": "page"}


def between(service: SandboxService) -> str:
    host = service.url.removeprefix("http://")
    return f"something between you and {host} is answering (a login page?); log in to the network in a browser"


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "it.json"
    path.write_text(json.dumps({"name": "Behind a page"}))
    return str(path)


@pytest.fixture
def campaign(tmp_path: Path) -> str:
    path = tmp_path / "campaign.json"
    body = {
        "id": "behind-a-page", "name": "Behind", "contentType": "triggerWorkflow", "workflowId": "wf-welcome",
        "workflowName": "Welcome", "folderId": "campaigns", "whenToSendMessage": "now", "isActive": True,
        "associatedToBusinessId": fixtures.LINES[0].id, "source": "excel",
        "customerList": [{"phoneNumberId": "972501234567"}],
    }  # fmt: skip
    path.write_text(json.dumps(body))
    return str(path)


@pytest.mark.slow
@pytest.mark.parametrize("page", [PAGE, PAGE | {"headers": {"Content-Type": "application/json"}}], ids=str)
def test_no_command_says_that_a_login_page_has_done_it(
    frontdesk: Frontdesk, service: SandboxService, file: str, campaign: str, page: dict[str, Any]
) -> None:
    service.faults(page)
    for words in (
        ("tags", "assign", "L#C", "t"),
        ("webhooks", "delete", "h", "--yes"),
        ("tasks", "update", "t1", "--title", "x", "--direct"),
        ("campaigns", "create", "--file", campaign),
        ("workflows", "reset-analytics", "wf-welcome", "--yes", "--without-snapshot"),
    ):
        for more in ((), ("--json",)):
            typed = frontdesk(*words, *more)
            assert (typed.status, typed.out) == (4, ""), words
            assert typed.err.startswith(f"frontdesk: {between(service)}; it may have gone through; check before")
            assert typed.err.count("\n") == 1


def test_no_command_says_that_an_answer_without_json_has_done_it_or_is_a_login_page(
    frontdesk: Frontdesk, service: SandboxService, campaign: str
) -> None:
    service.faults({"path": ".*", "kind": "garbage"})
    for words in (
        ("tags", "assign", "L#C", "t"),
        ("webhooks", "delete", "h", "--yes"),
        ("tasks", "update", "t1", "--title", "x", "--direct"),
        ("campaigns", "create", "--file", campaign),
        ("workflows", "reset-analytics", "wf-welcome", "--yes", "--without-snapshot"),
    ):
        typed = frontdesk(*words)
        assert (typed.status, typed.out) == (4, ""), words
        assert "it may have gone through; check before" in typed.err
        assert "login page" not in typed.err


def test_what_can_not_be_read_before_is_not_sent(frontdesk: Frontdesk, service: SandboxService) -> None:
    service.faults(PAGE)
    before = len(service.asked("PATCH"))
    assert between(service) in frontdesk.fails(4, "tasks", "update", "t1", "--title", "x")
    assert len(service.asked("PATCH")) == before


def test_a_workflow_is_not_updated_by_a_login_page(
    frontdesk: Frontdesk, service: SandboxService, file: str
) -> None:
    for method, path, words in (
        ("PUT", "/workflows/", ("workflows", "update", "wf-welcome", "--file", file)),
        ("PUT", "/workflows/", ("workflows", "deactivate", "wf-welcome")),
        (
            "POST",
            "/workflows/behind",
            ("workflows", "create", "behind", "--folder", "f", "--despite-errors", "--file", file),
        ),
    ):
        service.faults({"path": path, "method": method, "kind": "page"})
        typed = frontdesk(*words)
        assert typed.status == 4, typed
        assert between(service) in typed.err
        assert "of `frontdesk outbox list`" in typed.err
        assert "Updated" not in typed.out


@pytest.mark.parametrize(
    "words",
    [
        ("tasks", "list"),
        ("tasks", "show", "t1"),
        ("messages", "list", "L", "C"),
        ("campaigns", "get", "c1"),
        ("workflows", "list"),
        ("workflows", "show", "wf-welcome"),
        ("agents", "list", "--files"),
        ("agents", "show", "ai-02"),
    ],
    ids=" ".join,
)
def test_a_login_page_is_no_empty_list(
    frontdesk: Frontdesk, service: SandboxService, words: tuple[str, ...]
) -> None:
    service.faults(PAGE)
    typed = frontdesk(*words)
    assert (typed.status, typed.out) == (4, "")
    assert between(service) in typed.err


def test_doctor_and_login_say_it_too(frontdesk: Frontdesk, service: SandboxService) -> None:
    service.faults(PAGE)
    typed = frontdesk("doctor")
    failed = [line for line in typed.out.splitlines() if line.startswith("FAIL")]
    assert typed.status == 4
    assert len(failed) == 5
    assert all(between(service) in line for line in failed)
    assert between(service) in frontdesk.fails(4, "login", "hotel")


class _Refuses(BaseHTTPRequestHandler):
    """A web server that isn't the platform and refuses everything, with a page or without."""

    body = b""

    def do_GET(self) -> None:
        if not self.body:
            self.send_error(400)
            return
        self.send_response(404)
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    do_POST = do_GET

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def web_server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Refuses) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_doctor_takes_no_web_servers_refusal_for_the_platforms(
    frontdesk: Frontdesk, service: SandboxService, web_server: str
) -> None:
    """Either may be refused what doctor asks for; the platform says so with the Error body."""
    service.faults({"path": "/getMessages", "kind": "status", "status": 400})
    assert "ok    base" in frontdesk("doctor").out
    typed = frontdesk("doctor", FRONTDESK_BASE_URL=web_server, FRONTDESK_CAMPAIGNS_URL=web_server)
    assert typed.status == 4
    for host in ("base", "campaigns"):
        (line,) = [line for line in typed.out.splitlines() if line.split()[1] == host]
        assert line.startswith("FAIL")
        assert "doesn't look like the platform" in line


def test_doctor_fails_where_every_host_answers_and_none_is_the_platform(
    frontdesk: Frontdesk, web_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refusal in the platform's form proves nothing: other programs say `error` and `message` too."""
    monkeypatch.setattr(_Refuses, "body", b'{"error": "Not Found", "message": "no such route"}')
    typed = frontdesk("doctor", FRONTDESK_BASE_URL=web_server)
    hosts = {line.split()[1]: line.split()[0] for line in typed.out.splitlines() if web_server in line}
    assert typed.status == 4
    assert hosts == {"base": "warn", "campaigns": "warn"} | dict.fromkeys(("workflows", "business", "ai"), "FAIL")
