"""A store in a temporary folder, and the services over it."""

import gc
import os
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from textual import constants

from cli.sandbox_service import (
    at_home,
    file,
    frontdesk,
    frontdesk_store,
    home,
    nowhere,
    offline,
    quick_read_backs,
    service,
    service_process,
)
from cli.writing import tasks
from completeness import register_completeness
from frontdesk.config.settings import Profile, TagLabel
from frontdesk.linear.console import INTERRUPTION
from frontdesk.storage.database import Store
from frontdesk_api.contract.ids import AgentId, TagId
from frontdesk_api.hosts import Hosts
from frontdesk_api.redaction import KNOWN
from frontdesk_lines.privacy import set_private
from linear.fixtures import at
from new_store import open_store
from postgres_server import demo_for_root, memory_folder, postgres, postgres_binaries, postgres_folder, team
from quick_apps import ask_apps_whether_they_rest, share_parsed_rules, skip_unseen_frames
from sandbox.fixtures import make_sandbox, quiet, sandbox, seeded, seeded_bytes, still
from services import Services
from sync.fixtures import filled_store, scene, works
from tui.hosts import signals, wire

__all__ = [
    "at",
    "at_home",
    "demo_for_root",
    "file",
    "filled_store",
    "frontdesk",
    "frontdesk_store",
    "home",
    "make_sandbox",
    "nowhere",
    "offline",
    "postgres",
    "postgres_binaries",
    "postgres_folder",
    "quick_read_backs",
    "quiet",
    "sandbox",
    "scene",
    "seeded",
    "seeded_bytes",
    "service",
    "service_process",
    "signals",
    "still",
    "tasks",
    "team",
    "wire",
    "works",
]

# Hundreds of processes are started, which would each compile the program anew, and pytest every test file.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Stores are synced to the disk at each commit, for which tests would wait half of their time.
if "TMPDIR" not in os.environ and (memory := memory_folder()) is not None:
    tempfile.tempdir = os.environ["TMPDIR"] = str(memory)

# Screens are drawn as for a terminal of all colours, whichever one the tests run in.
constants.COLOR_SYSTEM = "truecolor"

# What a test writes isn't for others to change, as the program demands of its config.
os.umask(0o022)

# A run in the background may have been started deaf to ctrl+c; the processes that tests interrupt inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples on every machine, however busy it is: what a run finds, the next one finds again.
# `--hypothesis-profile=explore` looks for new ones.
settings.register_profile("same", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# For the benchmark of mutations: it runs each test several times in one process, which hypothesis takes for a
# mistake of the test, and one failure is enough, also one that isn't the smallest.
settings.register_profile(
    "mutation",
    settings.get_profile("same"),
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
settings.load_profile("same")


LAB_SECONDS = 1200
"""How long a test of the laboratory may take that sets no limit of its own; it is long even on a quiet machine."""


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Start three workers on two cores for `-n auto`: while the test of one waits, another's works."""
    cores = os.cpu_count() or 1
    return cores + (cores + 1) // 2


def pytest_configure(config: pytest.Config) -> None:
    register_completeness(config)


GC_THRESHOLDS = (20_000, 10, 10)
"""The default, 700 new objects, spends a third of the processor time of a screen's test on collecting."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    gc.disable()  # what is imported stays, so looking for garbage meanwhile finds none
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    share_parsed_rules()
    skip_unseen_frames()
    ask_apps_whether_they_rest()


def pytest_sessionfinish() -> None:
    gc.collect()
    gc.freeze()  # pytest collects five times when it ends, and finds nothing then


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    of_lab = {item for item in items if item.get_closest_marker("lab")}
    # The longest begin first: one that begins last leaves a core idle.
    items.sort(key=lambda item: item not in of_lab)
    for item in of_lab:
        if not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LAB_SECONDS))


HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, INTERRUPTION)


@pytest.fixture(autouse=True)
def a_run_of_its_own() -> Iterator[None]:
    """A process knows its run's credentials, whether that is private, and its signals; here each test is one."""
    handlers = [signal.getsignal(each) for each in HANDLED]
    yield
    KNOWN.__init__()  # type: ignore[misc]
    set_private(False)
    for each, handler in zip(HANDLED, handlers, strict=True):
        if signal.getsignal(each) is not handler:
            signal.signal(each, handler)
    signal.set_wakeup_fd(-1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "profile"


@pytest.fixture
def store(folder: Path) -> Iterator[Store]:
    with open_store(folder) as opened:
        yield opened


@pytest.fixture
def services(store: Store) -> Services:
    url = "http://127.0.0.1:9"
    profile = Profile(
        "test",
        Hosts(url, url, url, url, url),
        agent_id=AgentId("me"),
        agents={AgentId("me"): "Me", AgentId("noa"): "Noa"},
        tags=(TagLabel(TagId("vip"), "VIP", "gold"),),
    )
    return Services(store, profile)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def _variables_of_its_own() -> Iterator[None]:
    """Undo what a command sets for its own process and those it starts; a test runs it in this one."""
    before = set(os.environ)
    yield
    for name in [each for each in os.environ if each.startswith("FRONTDESK_") and each not in before]:
        del os.environ[name]
