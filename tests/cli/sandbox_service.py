"""A sandbox as a process of its own for the whole run, and `frontdesk` as one would type it."""

import json
import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cli.commandline import Frontdesk
from frontdesk.cli import own_sender, write_session
from frontdesk.config.ignored_variables import IGNORED_VARIABLES
from frontdesk.outbox import sender
from frontdesk_sandbox.seeding.workflows import make_workflows
from sandbox.asking import ACCOUNT

SEEDED = make_workflows(1_790_000_000)
"""The sandbox's workflows."""


class SandboxService:
    """The running sandbox's address and its controls (docs/command-line.md)."""

    def __init__(self, url: str) -> None:
        self.url = url

    def ask(self, path: str, body: Any = None, method: str = "POST") -> Any:
        """One request, which costs a tenth of a command."""
        request = urllib.request.Request(
            f"{self.url}/{path}",
            data=None if method == "GET" else json.dumps(body).encode(),
            method=method,
            headers={"Content-Type": "application/json"} | ACCOUNT,
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read() or b"null")

    def control(self, path: str, body: Any = None, method: str = "POST") -> Any:
        return self.ask(f"sandbox/{path}", body, method)

    def faults(self, *faults: dict[str, Any]) -> None:
        self.control("faults", list(faults), "PUT")

    def asked(self, method: str) -> list[str]:
        """Paths that were asked with this method, newest first."""
        return [one["path"] for one in self.control("requests", method="GET") if one["method"] == method]


@contextmanager
def running_sandbox(seeded: Path, folder: Path) -> Iterator[SandboxService]:
    """Run a sandbox on a copy of the seeded data."""
    shutil.copytree(seeded, folder)
    process = subprocess.Popen(
        [sys.executable, "-m", "frontdesk", "sandbox", "--port", "0", "--data", str(folder), "--no-crowd"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("sandbox ready at http://127.0.0.1:")
    yield SandboxService(line.split()[-1])
    process.terminate()
    assert process.wait(10) == 0
    process.stdout.close()


@pytest.fixture(scope="session")
def service_process(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxService]:
    with running_sandbox(seeded, tmp_path_factory.mktemp("sandbox") / "data") as service:
        yield service


@pytest.fixture
def service(service_process: SandboxService) -> Iterator[SandboxService]:
    yield service_process
    service_process.faults()


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """An environment without a profile, its folders in the test's own."""
    ignored = {*IGNORED_VARIABLES, *(name.lower() for name in IGNORED_VARIABLES)}  # doctor warns of them
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("FRONTDESK_", "XDG_")) and name not in ignored
    }
    folders = {f"XDG_{kind}_HOME": str(tmp_path / kind.lower()) for kind in ("CONFIG", "DATA", "STATE")}
    return kept | folders | {"TZ": "Asia/Jerusalem", "COLUMNS": "80", "LANG": "C.UTF-8"}


@pytest.fixture
def at_home(home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Make that environment this process's own."""
    for name in set(os.environ) - set(home):
        monkeypatch.delenv(name)
    for name, value in home.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def nowhere(home: dict[str, str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Frontdesk:
    """`frontdesk` with no profile and no host."""
    return Frontdesk(home, monkeypatch, capfd)


@pytest.fixture
def offline(nowhere: Frontdesk) -> Frontdesk:
    """`frontdesk` with a profile and no network."""
    nowhere.environ |= {
        "FRONTDESK_BASE_URL": "http://127.0.0.1:9",
        "FRONTDESK_COOKIE": "token=none",
        "FRONTDESK_API_KEY": "none",
    }
    return nowhere


@pytest.fixture
def frontdesk(nowhere: Frontdesk, service: SandboxService) -> Frontdesk:
    """`frontdesk` aimed at the sandbox."""
    nowhere.environ |= {
        "FRONTDESK_BASE_URL": service.url,
        "FRONTDESK_COOKIE": "token=sandbox",
        "FRONTDESK_API_KEY": "sandbox-key",
        "FRONTDESK_BEARER": "sandbox-bearer",
    }
    return nowhere


@pytest.fixture
def quick_read_backs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a command read back at once what had no clear response, and for less than a second."""
    monkeypatch.setattr(sender, "EARLY_READ_BACKS", (0.05,))
    monkeypatch.setattr(sender, "MAX_TARGET_WAIT", 0.05)
    monkeypatch.setattr(own_sender, "SETTLE_AFTER", 0.3)
    monkeypatch.setattr(write_session, "READ_BACK_SECONDS", 1.0)


@pytest.fixture
def frontdesk_store(frontdesk: Frontdesk) -> None:
    """Have the store of its profile made, which takes a command longer than most of what it does."""
    with frontdesk.store():
        pass


@pytest.fixture
def file(tmp_path: Path) -> str:
    """The sandbox's workflows in a file."""
    path = tmp_path / "all.json"
    path.write_text(json.dumps(SEEDED))
    return str(path)
