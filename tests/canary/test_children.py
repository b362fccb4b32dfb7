"""No process that frontdesk starts gets a credential in its environment, however it is started."""

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from page_sources.variables import VARIABLES, VariableGroup

from config.test_processes import WITH_THE_ACCOUNT, starting_files
from frontdesk.accounts import config_edits as config_follower
from frontdesk.cli import docs as docs_command
from frontdesk.config.credential_sources import add_outside_credentials
from frontdesk.config.program_output import program_output
from frontdesk.config.program_runner import ProgramRunner, run_program
from frontdesk.config.settings import Profile, parse_hosts
from frontdesk.config.team import TeamSettings
from frontdesk.demo.embedded_postgres import Binaries, EmbeddedPostgres, PostgresFailed, init_cluster
from frontdesk.demo.sandbox_process import DemoSandbox
from frontdesk.tui.desktop import open_in_browser
from frontdesk.tui.editor import edit_text
from frontdesk_lists.subprocess_reader import BackgroundRead, ReadStopped

CANARY = "canary-in-the-environment"
CREDENTIALS = {each.name.replace("*", "X") for each in VARIABLES if each.group is VariableGroup.ACCOUNT}
KEYRING = {"KEYRING_PROPERTY_X", "KEYRING_CRYPTFILE_PASSWORD"}

Environments = list[Mapping[str, str]]
_started: list[Environments] = []


def _note_start(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "subprocess.Popen" and _started:
        _started[-1].append(dict(os.environ if arguments[3] is None else arguments[3]))


sys.addaudithook(_note_start)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Environments]:
    """The environments of the processes that a test starts, in one full of credentials."""
    for name in CREDENTIALS:
        monkeypatch.setenv(name, CANARY)
    for name in ("VISUAL", "BROWSER", "PAGER"):
        monkeypatch.setenv(name, "true")
    for name in ("CONFIG", "DATA", "STATE"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    _started.append([])
    yield _started[-1]
    _started.pop()


def edit_a_text() -> None:
    app: Any = SimpleNamespace(suspend=contextlib.nullcontext)
    edit_text(app, os.environ, "text")


def repair_a_config() -> None:
    path = config_follower.config_settings.config_path()
    path.parent.mkdir(parents=True)
    path.write_text("broken")
    answers = iter("yn")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(config_follower, "is_terminal", lambda: True)
        patch.setattr("builtins.input", lambda _: next(answers))
        config_follower.repair_config()


def start_postgres() -> None:
    folder = Path(os.environ["XDG_DATA_HOME"])
    for name in ("initdb", "postgres"):
        (folder / name).write_text("#!/bin/sh\necho postgres: FATAL no\nexit 1\n")
        (folder / name).chmod(0o700)
    binaries = Binaries(folder, 16)
    with contextlib.suppress(PostgresFailed):
        init_cluster(binaries, folder / "data")
    (folder / "data").mkdir()
    with contextlib.suppress(PostgresFailed):
        EmbeddedPostgres(binaries, folder / "data", folder)


def read_a_list() -> None:
    reading = BackgroundRead({}, lambda _: None, 10, 1 << 28)
    reading.stop()
    with contextlib.suppress(ReadStopped):
        reading.wait()


async def run_as_a_hook() -> None:
    runner = ProgramRunner(os.environ)
    runner.start(["true"])
    await runner.close()


STARTS: dict[str, Callable[[], object]] = {
    "config/program_output.py": lambda: program_output(["true"], os.environ),
    "config/program_runner.py": lambda: asyncio.run(run_program(["true"], os.environ)),
    "config/program_runner.py, a hook": lambda: asyncio.run(run_as_a_hook()),
    "tui/desktop.py": lambda: open_in_browser("https://acme.test", os.environ).result(),
    "tui/editor.py": edit_a_text,
    "config/editor_command.py": repair_a_config,
    "cli/docs.py": lambda: docs_command._page("text", os.environ),
    "demo/embedded_postgres.py": start_postgres,
    "demo/sandbox_process.py": lambda: DemoSandbox(Path(os.environ["XDG_DATA_HOME"])).leave(),
    "frontdesk_lists/subprocess_reader.py": read_a_list,
}


@pytest.mark.parametrize("name", STARTS)
def test_no_child_gets_a_credential(started: Environments, name: str) -> None:
    STARTS[name]()
    assert started
    kept = KEYRING if name == "config/program_output.py" else set()  # it is there to fetch credentials
    for each in started:
        assert {variable for variable, value in each.items() if CANARY in value} == kept
        assert "PATH" in each


def test_every_way_to_start_one_is_among_them() -> None:
    assert {each.partition(",")[0] for each in STARTS} == starting_files() - WITH_THE_ACCOUNT


@pytest.mark.usefixtures("started")
def test_an_engine_gets_its_account_and_no_credential_that_it_has_no_use_for() -> None:
    profile = Profile("acme", parse_hosts({"base_url": "https://acme.test"}), hosts_from_environment=True)
    alone = add_outside_credentials(profile, os.environ)
    assert CREDENTIALS - set(alone) == KEYRING | {"PGPASSWORD"}
    team = TeamSettings("postgresql://noa@db/x", "acme")
    member = add_outside_credentials(Profile("acme", profile.hosts, team=team), os.environ)
    assert CREDENTIALS - set(member) == KEYRING
