"""`frontdesk demo`: the inbox on a sandbox in a child process, whose state is kept.

The sandbox inherits a listening socket, so its address is known before it is ready and the inbox opens at once.
"""

import argparse
import fcntl
import os
import shutil
import socket
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TextIO

from frontdesk.api.contract.ids import AgentId, CampaignId, LineId, StatusId, TagId
from frontdesk.app.profile_switcher import EngineProcess
from frontdesk.app.run_linear import add_width, linear_interface
from frontdesk.app.run_tui import open_inbox
from frontdesk.config import settings as config_settings
from frontdesk.config.paths import data_root, make_private
from frontdesk.sandbox import fixtures

ENGINE_END_SECONDS = 6.0
RESTART_SECONDS = 12.0
"""How long a killed sandbox stays down before it is started again."""


def run_demo(arguments: list[str]) -> int:
    """Run the demo and return its exit status."""
    parser = argparse.ArgumentParser(
        prog="frontdesk demo",
        description="Open the inbox with sample data from a sandbox on this machine; no account needed.",
    )
    parser.add_argument("--fresh", action="store_true", help="start over with fresh sample data")
    parser.add_argument(
        "--linear", action="store_true", help="plain lines and commands, for screen readers and pipes"
    )
    add_width(parser)
    try:
        options = parser.parse_args(arguments)
    except SystemExit as error:
        return int(error.code or 0)
    if find_spec("uvicorn") is None:
        print("frontdesk: the sandbox isn't installed; run: pip install 'frontdesk[sandbox]'", file=sys.stderr)
        return 2
    root = data_root()
    folder = root / "demo"
    try:
        settings = config_settings.load_config().settings
        make_private(root)
        # Beside the folder: a lock inside it would go away with what it protects.
        lock = take_lock(root / "demo.lock")
        if lock is None:
            print("frontdesk: the demo is open in another terminal; close it there first", file=sys.stderr)
            return 2
        if options.fresh:
            shutil.rmtree(folder, ignore_errors=True)
        make_private(folder)
        sandbox = SandboxProcess(folder / "sandbox")
    except OSError as error:
        words = (
            f"the demo can't use {root} ({error.strerror or error}); set "
            "XDG_DATA_HOME to a folder you can write to"
        )
        print(f"frontdesk: {words}", file=sys.stderr)
        return 2
    environment = {
        **os.environ,
        "FRONTDESK_BASE_URL": sandbox.address,
        "FRONTDESK_COOKIE": "token=sandbox",
        "FRONTDESK_API_KEY": "sandbox-key",
        "FRONTDESK_BEARER": "sandbox-bearer",
    }
    for name in ("CAMPAIGNS_URL", "WORKFLOWS_URL", "BUSINESS_URL", "AI_URL", "PROFILE"):
        environment.pop(f"FRONTDESK_{name}", None)
    store = folder / "store"
    engine = EngineProcess(store, environment)

    def keep() -> None:
        sandbox.keep()
        engine.start()

    def ended() -> None:
        engine.stop(ENGINE_END_SECONDS)
        sandbox.stop()

    make_interface = linear_interface(options.width) if options.linear else None
    return open_inbox(demo_profile(sandbox.address), settings, store, engine, ended, keep, make_interface)


class SandboxProcess:
    """The demo's sandbox as a child process, restarted at the same address when it dies."""

    def __init__(self, data: Path):
        self._data = data
        self._dead_since: float | None = None
        listening = socket.create_server(("127.0.0.1", 0))
        self._port = listening.getsockname()[1]
        self.address = f"http://127.0.0.1:{self._port}"
        self._process = self._start(listening)

    def keep(self) -> None:
        """Restart it when it has been dead for a while; a person who killed it sees the inbox offline first.

        Raises:
            OSError: its port is taken, or no process can be started.
        """
        if self._process.poll() is None:
            self._dead_since = None
        elif self._dead_since is None:
            self._dead_since = time.monotonic()
        elif time.monotonic() - self._dead_since >= RESTART_SECONDS:
            self._process.communicate()
            self._process = self._start(socket.create_server(("127.0.0.1", self._port)))
            self._dead_since = None

    def stop(self) -> None:
        self._process.terminate()
        self._process.communicate()

    def _start(self, listening: socket.socket) -> subprocess.Popen[bytes]:
        fd = listening.fileno()
        make_private(self._data)
        with (self._data / "sandbox.log").open("ab") as log:
            process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "frontdesk.sandbox", "--with-parent"),
                    *("--listen-fd", str(fd), "--data", str(self._data)),
                ],
                pass_fds=[fd],
                env=sandbox_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
            )
        # So that connections are refused at once when the sandbox ends.
        listening.close()
        return process


def demo_profile(address: str) -> config_settings.Profile:
    """Return the sandbox's business as a profile, with names for ids."""
    hosts = config_settings.parse_hosts({"base_url": address})
    statuses = [config_settings.StatusLabel(StatusId(each.id), each.name) for each in fixtures.STATUSES]
    return config_settings.Profile(
        "demo",
        hosts,
        agent_id=AgentId(fixtures.ME.id),
        lines={LineId(line.id): line.label for line in fixtures.LINES},
        agents={AgentId(agent.id): agent.name for agent in fixtures.AGENTS},
        statuses=tuple(statuses),
        tags=tuple(config_settings.TagLabel(TagId(tag.id), tag.title, tag.color) for tag in fixtures.TAGS),
        watched_campaigns=tuple(CampaignId(each) for each in fixtures.CAMPAIGN_IDS),
    )


def sandbox_environment() -> dict[str, str]:
    """Keep the platform account's secrets from the sandbox."""
    secret = {"FRONTDESK_COOKIE", "FRONTDESK_API_KEY", "FRONTDESK_BEARER"}
    return {name: value for name, value in os.environ.items() if name not in secret}


def take_lock(path: Path) -> TextIO | None:
    """Take a lock for this process's life; None while another demo runs."""
    handle = path.open("w")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        handle.close()
        return None
    return handle
