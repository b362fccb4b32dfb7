"""The sandbox as a process of its own, and the places in which a story keeps its files.

Used by this folder's conftest and stories.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from frontdesk.config import settings as config_settings
from frontdesk_sandbox import fixtures

FRONTDESK = str(Path(sys.executable).with_name("frontdesk"))
"""The command as it was installed beside this interpreter."""

CREDENTIALS = {"Cookie": fixtures.COOKIE, "x-api-key": fixtures.API_KEY}


class Service:
    """A sandbox process, started again on the same address and data.

    Args:
        moves: whether customers write and campaigns run from its next start on; else nothing moves by itself.
    """

    def __init__(self, data: Path, *, moves: bool = False) -> None:
        self._data = data
        self.moves = moves
        self._process: subprocess.Popen[str] | None = None
        self.url = ""
        self.start()

    def start(self) -> None:
        """Start it, or start it again where it was."""
        port = self.url.rpartition(":")[2] or "0"
        argv = [sys.executable, "-m", "frontdesk_sandbox", "--port", port, "--data", str(self._data)]
        argv += [] if self.moves else ["--no-crowd"]
        self._process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        ready = self._process.stdout.readline()
        assert ready.startswith("sandbox ready at "), ready
        self.url = ready.split()[-1]

    def kill(self) -> None:
        """End it as a power cut does."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """One request to the platform; answers the JSON of its reply."""
        data = None if body is None else json.dumps(body).encode()
        headers = {**CREDENTIALS, "Content-Type": "application/json"}
        try:
            with urlopen(Request(self.url + path, data, headers, method=method), timeout=20) as reply:
                return json.loads(reply.read())
        except HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read()[:300]!r}") from error

    def tasks(self) -> list[dict[str, Any]]:
        """Every task that the platform has."""
        found: list[dict[str, Any]] = []
        page: dict[str, Any] = {"lastEvaluatedKey": {}}
        while (cursor := page.get("lastEvaluatedKey")) is not None:
            page = self.ask("POST", "/tasks/list", {"limit": 100, "lastEvaluatedKey": cursor})
            found += page["dbObject"]
        return found

    def task(self, task_id: str) -> dict[str, Any]:
        """A task as the platform has it now."""
        return dict(self.ask("GET", f"/tasks/{task_id}")["task"])


@dataclass(frozen=True)
class Home:
    """Folders and environment of a person who has never run frontdesk."""

    folder: Path

    def environment(self, service: Service | None) -> dict[str, str]:
        """All of the environment that a story's program has; without a service nothing is configured."""
        plain = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "XDG_DATA_HOME": str(self.folder / "data"),
            "XDG_STATE_HOME": str(self.folder / "state"),
        }
        if service is None:
            return plain
        return plain | {
            "FRONTDESK_BASE_URL": service.url,
            "FRONTDESK_COOKIE": fixtures.COOKIE,
            "FRONTDESK_API_KEY": fixtures.API_KEY,
            "FRONTDESK_AGENT_ID": fixtures.ME.id,
        }

    def store(self, service: Service) -> Path:
        """Where the store for this service will be."""
        profile = config_settings.resolve_profile(config_settings.Config(), self.environment(service))
        return self.folder / "data" / "frontdesk" / "profiles" / profile.name

    def settle(self, **settings: object) -> None:
        """Write the settings of the config file."""
        path = self.folder / "config" / "frontdesk" / "config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
        path.write_text("\n".join(["[settings]", *rows, ""]))

    def fill(self, service: Service, template: Path) -> None:
        """Begin with a store that was filled before."""
        shutil.copytree(template, self.store(service))


def processes_of(home: Home) -> dict[int, str]:
    """The living processes that run in a home, with their command lines: the program and what it started."""
    mark = f"HOME={home.folder}\0".encode()
    found: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and entry.name != str(os.getpid()):
            with contextlib.suppress(OSError):
                state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
                if state not in "ZX" and mark in (entry / "environ").read_bytes():
                    found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    return found


def wait_until_nothing_runs(home: Home, seconds: float = 30.0) -> None:
    """Wait until every process of a home has ended.

    Raises:
        TimeoutError: some still live; the text names them.
    """
    end = time.monotonic() + seconds
    while left := processes_of(home):
        if time.monotonic() > end:
            raise TimeoutError(f"still running after {seconds} s: {left}")
        time.sleep(0.05)


def end_all(home: Home) -> None:
    """End what a failed story left behind."""
    for pid in processes_of(home):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def numbers(text: str, word: str) -> list[int]:
    """The numbers that follow a word on a screen, from its top to its bottom."""
    return [int(each) for each in re.findall(rf"{word} (\d+)", text)]


@contextlib.contextmanager
def running(data: Path) -> Iterator[Service]:
    """A service until the end of the block."""
    service = Service(data)
    try:
        yield service
    finally:
        service.kill()
