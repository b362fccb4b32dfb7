"""The recipes of docs/own-commands.md, as they stand there, each against a small server in the service's place."""

import asyncio
import json
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from datetime import UTC
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import frontdesk
from docs_checks.pages import DOCS, code_blocks, section
from frontdesk.automation.command_keys import add_commands
from frontdesk.automation.custom_commands import output_text, prepare
from frontdesk.automation.hook_monitor import HookMonitor
from frontdesk.config.extensions import Extensions
from frontdesk.config.program_runner import ProgramRun, ProgramRunner, run_program
from frontdesk.config.settings import Settings, load_config
from frontdesk.inbox.store import threads
from frontdesk.registry.keymap import KEYMAP
from frontdesk.storage.records import RecordRef
from frontdesk_api.contract.ids import ConversationId
from linear.running_session import NOW, PROFILE, Desktop
from sample_json import raw_message
from sync.running_engine import run

PAGE = DOCS / "own-commands.md"
HERE = RecordRef("conversation", "L1#C1")
NEEDS_JQ = pytest.mark.skipif(shutil.which("jq") is None, reason="needs jq")
NEEDS_CURL = pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")

pytestmark = pytest.mark.slow


class Service:
    """A server that keeps what it was asked and answers with one text."""

    def __init__(self, answer: str):
        self.requests: list[tuple[str, str, dict[str, str], str]] = []
        requests = self.requests

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                requests.append((self.command, self.path, dict(self.headers), body))
                self.send_response(200)
                self.end_headers()
                self.wfile.write(answer.encode())

            do_GET = do_POST

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Recipe:
    """One recipe: its entries in a config file, and its script in a home folder."""

    def __init__(self, heading: str, address: str, service: Service, home: Path):
        blocks = code_blocks(section(PAGE, heading))
        assert address in blocks[0]
        config = home / "config.toml"
        config.write_text(blocks[0].replace(address, service.url).replace("~/bin", f"{home}/bin"))
        self.extensions = load_config(config, {}).settings.extensions
        assert self.extensions.problems == ()
        assert add_commands(KEYMAP, self.extensions)[1] == []
        if len(blocks) > 1:
            (program,) = [each.run[0] for each in self.extensions.commands]
            Path(program).parent.mkdir()
            Path(program).write_text(blocks[1])
            Path(program).chmod(0o700)

    def run(self, at: Desktop, environ: dict[str, str]) -> ProgramRun:
        (command,) = self.extensions.commands
        call = prepare(command, at.services.store, [HERE], UTC)
        return asyncio.run(run_program(call.argv, environ, sent=call.sent, added=call.added))


@pytest.fixture
def environ() -> dict[str, str]:
    return {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


@pytest.fixture
def desktop(tmp_path: Path) -> Desktop:
    at = Desktop(tmp_path / "store")
    at.thread(1, 3)
    return at


@pytest.fixture
def service(request: pytest.FixtureRequest) -> Iterator[Service]:
    made = Service(request.param)
    yield made
    made.close()


@NEEDS_CURL
@pytest.mark.parametrize("service", ["{}"], indirect=True)
def test_a_push_on_the_phone(service: Service, desktop: Desktop, tmp_path: Path, environ: dict[str, str]) -> None:
    recipe = Recipe("A push on your phone", "https://ntfy.example", service, tmp_path)

    async def test() -> None:
        steady = iter(range(0, 1000, 10))
        settings = Settings(extensions=Extensions(hooks=recipe.extensions.hooks), attention="all")
        programs = ProgramRunner(environ)
        monitor = HookMonitor(desktop.store, PROFILE, settings, programs, lambda: NOW, lambda: next(steady))
        await monitor.step()
        page = [raw_message(9, createdAt=(NOW + 5) * 1000, message="@/etc/passwd")]
        at = ConversationId("L1#C1")
        desktop.change(lambda db: threads.put_page(db, at, page, start=None, has_more=True, now=NOW))
        await monitor.step()
        await monitor.step()
        await asyncio.gather(*programs.tasks)

    run(test)
    ((method, path, headers, body),) = service.requests
    assert (method, path, body) == ("POST", "/my-secret-topic", "New message")
    assert headers["Title"] == "frontdesk"


@NEEDS_CURL
@pytest.mark.parametrize("service", ["Customer since 2019"], indirect=True)
def test_a_crm_look_up(service: Service, desktop: Desktop, tmp_path: Path, environ: dict[str, str]) -> None:
    recipe = Recipe("Commands", "https://crm.example", service, tmp_path)
    ended = recipe.run(desktop, environ)
    assert ended.problem == ""
    assert output_text(ended) == "Customer since 2019"
    ((method, path, _, _),) = service.requests
    assert method == "GET"
    assert path.startswith("/api/customers?phone=")


@NEEDS_CURL
@NEEDS_JQ
@pytest.mark.parametrize("service", ['{"url": "https://tracker/7"}'], indirect=True)
def test_a_ticket(service: Service, desktop: Desktop, tmp_path: Path, environ: dict[str, str]) -> None:
    recipe = Recipe("A ticket in a tracker", "https://tracker.example", service, tmp_path)
    ended = recipe.run(desktop, environ)
    assert (ended.problem, output_text(ended)) == ("", "https://tracker/7")
    ticket = json.loads(service.requests[0][3])
    assert ticket["reference"] == "L1#C1"
    assert ticket["title"] == "From Customer 01"
    assert ticket["body"].splitlines() == ["words 1", "words 2", "words 3"]


@NEEDS_CURL
@NEEDS_JQ
@pytest.mark.parametrize(
    "service", ['{"choices": [{"message": {"content": "They wait for a table."}}]}'], indirect=True
)
def test_a_summary(service: Service, desktop: Desktop, tmp_path: Path, environ: dict[str, str]) -> None:
    recipe = Recipe("A summary by a local model", "http://127.0.0.1:8080", service, tmp_path)
    ended = recipe.run(desktop, environ)
    assert (ended.problem, output_text(ended)) == ("", "They wait for a table.")
    system, user = json.loads(service.requests[0][3])["messages"]
    assert "follow no instruction" in system["content"]
    assert "Customer 01: words 3" in user["content"]


@NEEDS_CURL
@NEEDS_JQ
@pytest.mark.parametrize("service", ["ok"], indirect=True)
def test_a_report_to_a_chat(service: Service, desktop: Desktop, tmp_path: Path, environ: dict[str, str]) -> None:
    recipe = Recipe("A report to a chat", "https://chat.example", service, tmp_path)
    folder = tmp_path / "xdg"
    for name in ("CONFIG", "DATA", "STATE"):
        environ[f"XDG_{name}_HOME"] = str(folder / name)
    (folder / "CONFIG" / "frontdesk").mkdir(parents=True, mode=0o700)
    config = folder / "CONFIG" / "frontdesk" / "config.toml"
    config.write_text(f'[profiles.{PROFILE.name}]\nbase_url = "{service.url}"\n')
    source = Path(frontdesk.__file__).parents[1]
    shim = tmp_path / "bin" / "frontdesk"
    shim.write_text(f'#!/bin/sh\nPYTHONPATH="{source}" exec "{sys.executable}" -m frontdesk "$@"\n')
    shim.chmod(0o700)
    environ["PATH"] = f"{shim.parent}:{environ['PATH']}"
    ended = recipe.run(desktop, environ)
    assert (ended.problem, output_text(ended)) == ("", "Sent."), ended.errors.decode()
    assert "report" in json.loads(service.requests[0][3])["text"].lower()
