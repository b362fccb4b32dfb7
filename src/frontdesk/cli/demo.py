"""`frontdesk demo`: the sandbox as a child process, and the inbox on it.

The sandbox inherits a listening socket, so its address is known before it is ready and the inbox
opens at once; what was done is there the next time.
"""

import argparse
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import TextIO

from frontdesk import config
from frontdesk.cli.inbox import open_inbox
from frontdesk.folders import data_root, make_private
from frontdesk.sync.process import EngineProcess

FINISH_SECONDS = 6.0


def run_demo(arguments: list[str]) -> int:
    """Run the demo until the person leaves it. Answers an exit status."""
    parser = argparse.ArgumentParser(
        prog="frontdesk demo", description="Opens the inbox on a sandbox on this machine; no account needed."
    )
    parser.add_argument("--fresh", action="store_true", help="start over: forget what was done before")
    try:
        options = parser.parse_args(arguments)
    except SystemExit as error:
        return int(error.code or 0)
    if not _has_sandbox():
        print("frontdesk: the sandbox is not installed; run: pip install 'frontdesk[sandbox]'", file=sys.stderr)
        return 2
    root = data_root()
    folder = root / "demo"
    make_private(root)
    # Beside the folder: a lock inside it would go away with what it protects.
    lock = _only_one(root / "demo.lock")
    if lock is None:
        print("frontdesk: the demo is open in another terminal; close it there first", file=sys.stderr)
        return 2
    if options.fresh:
        shutil.rmtree(folder, ignore_errors=True)
    make_private(folder)
    try:
        settings = config.load_config().settings
    except config.ConfigError as error:
        print(f"frontdesk: {error}", file=sys.stderr)
        return 2
    sandbox, address = _start_sandbox(folder / "sandbox")
    environment = {
        **os.environ,
        "FRONTDESK_BASE_URL": address,
        "FRONTDESK_COOKIE": "token=sandbox",
        "FRONTDESK_API_KEY": "sandbox-key",
        "FRONTDESK_BEARER": "sandbox-bearer",
    }
    for name in ("CAMPAIGNS_URL", "WORKFLOWS_URL", "BUSINESS_URL", "AI_URL", "PROFILE"):
        environment.pop(f"FRONTDESK_{name}", None)
    store = folder / "store"
    engine = EngineProcess(store, environment)

    def ended() -> None:
        engine.stop(FINISH_SECONDS)
        sandbox.terminate()
        sandbox.wait()

    return open_inbox(demo_profile(address), settings, store, engine, ended)


def _start_sandbox(data: Path) -> tuple[subprocess.Popen[bytes], str]:
    listening = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    fd = listening.fileno()
    make_private(data)
    with (data / "sandbox.log").open("ab") as log:
        sandbox = subprocess.Popen(
            [
                *(sys.executable, "-m", "frontdesk.sandbox", "--with-parent"),
                *("--listen-fd", str(fd), "--data", str(data)),
            ],
            pass_fds=[fd],
            env=_without_credentials(),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
        )
    # This process lets go of the socket: when the sandbox ends, connections are refused at once.
    listening.close()
    return sandbox, address


def demo_profile(address: str) -> config.Profile:
    """The sandbox's business as a profile: names for what the interface only shows as ids."""
    from frontdesk.contract.ids import AgentId, CampaignId, LineId, StatusId, TagId
    from frontdesk.sandbox import fixtures

    hosts = config.parse_hosts({"base_url": address})
    statuses = [config.StatusLabel(StatusId(each.id), each.name) for each in fixtures.STATUSES]
    return config.Profile(
        "demo",
        hosts,
        agent_id=AgentId(fixtures.ME.id),
        lines={LineId(line.id): line.label for line in fixtures.LINES},
        agents={AgentId(agent.id): agent.name for agent in fixtures.AGENTS},
        statuses=tuple(statuses),
        tags=tuple(config.TagLabel(TagId(tag.id), tag.title, tag.color) for tag in fixtures.TAGS),
        watched_campaigns=tuple(CampaignId(each) for each in fixtures.CAMPAIGN_IDS),
    )


def _has_sandbox() -> bool:
    from importlib.util import find_spec

    return find_spec("uvicorn") is not None


def _without_credentials() -> dict[str, str]:
    """The environment for the sandbox, which has no business with a person's platform account."""
    secret = {"FRONTDESK_COOKIE", "FRONTDESK_API_KEY", "FRONTDESK_BEARER"}
    return {name: value for name, value in os.environ.items() if name not in secret}


def _only_one(path: Path) -> TextIO | None:
    """A lock that lives as long as this process; None while another demo runs."""
    import fcntl

    handle = path.open("w")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        handle.close()
        return None
    return handle
