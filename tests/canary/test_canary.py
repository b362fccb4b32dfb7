"""No credential comes back out of frontdesk, whatever a platform sends back that was sent to it."""

import asyncio
import json
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from canary.echo_server import (
    BEARER,
    COOKIE,
    FAULTS,
    KEY,
    SECRETS,
    Echo,
    as_data,
    as_error,
    encodings,
    leaks,
    leaks_below,
)
from cli.commandline import Frontdesk
from frontdesk.config.settings import parse_hosts
from frontdesk.storage import clients
from frontdesk.storage.database import Store
from frontdesk.storage.records import Connection
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import ApiError
from frontdesk_api.client.transport import ONCE
from frontdesk_api.contract.ids import CustomerId, LineId
from frontdesk_api.contract.messages import MessageQuery
from frontdesk_api.contract.tasks import TaskUpdate
from frontdesk_api.credentials import CredentialSet, Secret
from frontdesk_api.redaction import HIDDEN, KNOWN, Redactor

CREDENTIALS = CredentialSet(Secret(COOKIE), Secret(KEY), Secret(BEARER))
OPERATIONS: dict[str, Callable[[PlatformClient], Any]] = {
    "list tasks": lambda c: c.list_tasks(),
    "get task": lambda c: c.get_task("t1"),
    "update task": lambda c: c.update_task("t1", TaskUpdate(title="x")),
    "get messages": lambda c: c.get_messages(
        MessageQuery(phoneNumberId=LineId("L1"), targetPhoneNumberId=CustomerId("C1"))
    ),
    "assign tags": lambda c: c.assign_tags("L1#C1", ["t"]),
    "create campaign": lambda c: c.create_campaign({"id": "c1", "name": "x"}),
    "get campaign": lambda c: c.get_campaign("c1"),
    "list workflows": lambda c: c.list_workflows(),
    "list documents": lambda c: c.list_workflow_documents(),
    "create workflow": lambda c: c.create_workflow("w1", "f1", {"name": "x"}),
    "update workflow": lambda c: c.update_workflow("w1", {"name": "x"}),
    "reset analytics": lambda c: c.reset_workflow_analytics("w1"),
    "list ai agents": lambda c: c.list_ai_agents(),
    "delete webhook": lambda c: c.delete_webhook("h1"),
}
COMMANDS = [
    *(["tasks", "list"], ["tasks", "list", "--json"], ["tasks", "show", "t1"], ["tasks", "show", "t1", "--json"]),
    *(["tasks", "update", "t1", "--title", "x"], ["tasks", "update", "t1", "--title", "x", "--json"]),
    *(["messages", "list", "L1", "C1"], ["messages", "list", "L1", "C1", "--json"]),
    ["tags", "assign", "L1#C1", "t"],
    *(["campaigns", "get", "c1"], ["campaigns", "get", "c1", "--json"], ["campaigns", "watch", "c1"]),
    ["campaigns", "create", "--file", "campaign.json"],
    *(["workflows", "list"], ["workflows", "list", "--json"], ["workflows", "list", "--full", "--json"]),
    *(["workflows", "show", "w1"], ["workflows", "export", "w1"], ["workflows", "snapshots", "w1"]),
    ["workflows", "export", "w1", "--force", "--file", "exported.json"],
    *(
        ["workflows", "create", "w2", "--folder", "f", "--despite-errors", "--file", "workflow.json"],
        ["workflows", "activate", "w1"],
    ),
    *(
        ["workflows", "update", "w1", "--file", "workflow.json"],
        ["workflows", "diff", "w1", "--file", "workflow.json"],
    ),
    ["workflows", "reset-analytics", "w1", "--yes"],
    *(["agents", "list"], ["agents", "list", "--json"], ["agents", "show", "a1"]),
    ["webhooks", "delete", "h1", "--yes"],
    *(["doctor"], ["login"], ["outbox", "list"], ["outbox", "list", "--json"], ["search", "canary"]),
]
ROUGH = (
    "error 401",
    "error 302",
    "data",
    "junk",
    *(
        pytest.param(fault, marks=pytest.mark.slow)
        for fault in ("error 403", "error 500", "error 429", "page 401", "cut off data")
    ),
)


def folders(frontdesk: Frontdesk) -> list[Path]:
    return [Path(value) for name, value in frontdesk.environ.items() if name.startswith("XDG_")]


def outcome(echo: Echo, operation: Callable[[PlatformClient], Any]) -> str:
    """Everything that an operation gave: its value, or its error with all that is in it."""

    async def ask() -> object:
        hosts = parse_hosts({"base_url": echo.url})
        async with PlatformClient(hosts, CREDENTIALS, retry=ONCE) as client:
            return await operation(client)

    try:
        return repr(asyncio.run(ask()))
    except ApiError as error:
        parts = [str(error), repr(error), repr(vars(error)), repr(getattr(error, "raw", None))]
        return "\n".join([*parts, "".join(traceback.format_exception(error))])


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_no_operation_gives_back_a_credential(echo: Echo, fault: str) -> None:
    echo.fault = FAULTS[fault]
    for name, operation in OPERATIONS.items():
        echo.answered.clear()
        shown = outcome(echo, operation)
        assert leaks(echo.answered[0]), "the platform sent it back"
        assert not leaks(shown), (name, shown)


def test_the_canary_finds_what_an_operation_gives_back_unredacted(
    echo: Echo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Redactor, "redact", lambda _self, text: text)
    monkeypatch.setattr(Redactor, "redact_refusal", lambda _self, text: text)
    echo.fault = as_error(401)
    assert set(leaks(outcome(echo, OPERATIONS["get task"]))) == {each for each in SECRETS if each != BEARER}
    assert leaks(outcome(echo, OPERATIONS["delete webhook"])) == [KEY, BEARER]
    echo.fault = as_data
    assert leaks(outcome(echo, OPERATIONS["get task"]))


def test_the_canary_knows_each_encoding() -> None:
    for secret in SECRETS:
        for each in encodings(secret):
            assert secret in leaks(f"x {each} y"), each


@pytest.mark.slow
@pytest.mark.parametrize("fault", ROUGH)
def test_no_command_prints_or_stores_a_credential(
    frontdesk: Frontdesk, echo: Echo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    echo.fault = FAULTS[fault]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "campaign.json").write_text(json.dumps({"id": "c1", "name": "x"}))
    (tmp_path / "workflow.json").write_text(json.dumps({"id": "w1", "name": "x", "lastModified": 1}))
    for words in COMMANDS:
        typed = frontdesk(*words)
        assert not leaks(typed.out + typed.err), (words, typed)
    assert len(echo.answered) >= len(COMMANDS) - 6
    assert all(map(leaks, set(echo.answered))), "the platform sent it back each time"
    assert not leaks_below(tmp_path)


def test_what_the_platform_sent_back_is_seen_to_be_left_out(frontdesk: Frontdesk, echo: Echo) -> None:
    assert HIDDEN in frontdesk.fails(3, "tasks", "list")
    assert HIDDEN in frontdesk("doctor").out
    echo.fault = as_data
    (row, *_) = frontdesk("tasks", "list", "--json").rows
    assert HIDDEN in row["title"]
    assert row["taskId"] == "t1"


def test_a_crash_file_holds_no_credential(
    frontdesk: Frontdesk, echo: Echo, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise RuntimeError(f"fault at {COOKIE} {KEY} Bearer {BEARER} and the beginning {BEARER[:12]}…")

    monkeypatch.setattr(PlatformClient, "list_tasks", fail)
    frontdesk.fails(1, "tasks", "list")
    (log,) = [file for folder in folders(frontdesk) for file in folder.rglob("crash.log")]
    assert "RuntimeError: fault at" in log.read_text()
    assert not leaks(log.read_text())
    assert BEARER[:12] not in log.read_text()


def started(frontdesk: Frontdesk, *words: str, **options: Any) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", *words],
        env=frontdesk.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        **options,
    )


def until(is_true: Callable[[], object], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "state"),
    [
        pytest.param("error 401", Connection.REFUSED, marks=pytest.mark.slow),
        pytest.param("error 500", Connection.FAILING, marks=pytest.mark.slow),
        pytest.param("error 302", Connection.INTERCEPTED, marks=pytest.mark.slow),
        ("junk", Connection.FAILING),
        ("data", Connection.LIVE),
    ],
)
def test_the_engine_and_the_linear_mode_keep_no_credential(
    frontdesk: Frontdesk, echo: Echo, tmp_path: Path, fault: str, state: Connection
) -> None:
    echo.fault = as_data
    frontdesk.environ["FRONTDESK_PROFILE"] = ""
    engine = started(frontdesk, "frontdesk", "sync")

    def stores() -> list[Path]:
        return [file.parent for folder in folders(frontdesk) for file in folder.rglob("store.db")]

    try:
        until(stores)
        with Store(stores()[0]) as store:
            until(lambda: clients.health(store.reading).state is Connection.LIVE)
            until(lambda: list(store.reading.execute("SELECT 1 FROM messages")))  # its words are shown by `open 1`
            echo.answered.clear()
            echo.fault = FAULTS[fault]
            commands = b"refresh all\nlist\ncomplete 1\nlist\nopen 1\nwait 2\nquit\n"
            said, _ = started(frontdesk, "frontdesk", "--linear").communicate(commands, 60)
            until(lambda: clients.health(store.reading).state is state)
            # By now the refusal's words are in the store, for whoever opens the linear mode next.
            commands = b"connection\nlist\nactivity\nnews\nquit\n"
            said += started(frontdesk, "frontdesk", "--linear").communicate(commands, 60)[0]
            until(lambda: any("PATCH" not in each for each in echo.answered))
            changes = [tuple(row) for row in store.reading.execute("SELECT * FROM changes")]
    finally:
        engine.terminate()
        engine_said, _ = engine.communicate(timeout=30)
    assert changes, "a change was made, so its answer's words are kept"
    assert any(map(leaks, echo.answered)), "the platform sent it back"
    assert not leaks(said), said
    assert not leaks(engine_said)
    assert HIDDEN.encode() in said
    assert not leaks_below(tmp_path)


def test_a_login_elsewhere_makes_the_new_credentials_known_and_the_old_ones_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from frontdesk.config.credentials import CredentialsWatch, load_credentials, save_credentials
    from frontdesk.config.settings import Profile

    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    profile = Profile("acme", parse_hosts({"base_url": "https://acme.test"}))
    stored = CredentialsWatch(profile, {})
    save_credentials(profile, CredentialSet(Secret("token=the-old-one-42"), Secret("old-key-0001")))
    stored.notice()
    path = save_credentials(profile, CredentialSet(Secret("token=the-new-one-43"), Secret("new-key-0002")))
    os.utime(path, ns=(1, 1))
    assert KNOWN.redact("the-new-one-43") == "the-new-one-43"
    stored.notice()
    for each in ("the-old-one-42", "old-key-0001", "the-new-one-43", "new-key-0002"):
        assert KNOWN.redact(f"x {each} y") == f"x {HIDDEN} y"
    assert load_credentials(profile, {}).bearer is None
