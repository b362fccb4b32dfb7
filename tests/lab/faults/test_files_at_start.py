"""A pipe, a device or a folder in place of a file that is read at start: an error in words, and never a wait."""

import asyncio
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from api.client.fake_server import CREDENTIALS
from frontdesk.cli import errors
from frontdesk.config import file_access
from frontdesk.config.file_access import NotRegularFile, open_regular_file, read_own_file
from frontdesk.config.settings import ConfigError, load_config, parse_hosts
from frontdesk.config.time_zone import local_zone
from frontdesk.engine import main as engine_main
from frontdesk.storage.database_files import OUTBOX_FILE, STORE_FILE, StoreUnusable, open_reader
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import NotSent
from frontdesk_api.client.transport import ONCE


def make_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


REPLACED: dict[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "endless device": make_device,
    "folder": Path.mkdir,
}


@pytest.fixture(params=REPLACED)
def replaced(request: pytest.FixtureRequest) -> Callable[[Path], None]:
    return REPLACED[request.param]


@pytest.fixture
def root_logger() -> Iterator[None]:
    logger = logging.getLogger()
    before, level = logger.handlers[:], logger.level
    yield
    logger.handlers[:] = before
    logger.setLevel(level)


def test_a_replaced_file_of_our_own_is_an_error_at_once(tmp_path: Path, replaced: Callable[[Path], None]) -> None:
    replaced(tmp_path / "file")
    with pytest.raises(NotRegularFile, match="it isn't a regular file"):
        open(tmp_path / "file", opener=open_regular_file).close()


@pytest.mark.parametrize("name", [STORE_FILE, OUTBOX_FILE])
def test_a_replaced_store_is_named(tmp_path: Path, replaced: Callable[[Path], None], name: str) -> None:
    open_reader(tmp_path).close()
    (tmp_path / name).unlink()
    replaced(tmp_path / name)
    with pytest.raises(StoreUnusable) as caught, closing(open_reader(tmp_path)):
        pass
    assert str(caught.value) == f"{tmp_path / name} isn't a regular file; move it away and try again"


@pytest.mark.usefixtures("root_logger")
def test_an_engine_with_a_replaced_log_goes_on_without_one(
    tmp_path: Path, replaced: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    replaced(tmp_path / "frontdesk.log")
    engine_main._log_to_file(tmp_path)
    logging.getLogger("frontdesk").warning("kept nowhere")
    printed = capsys.readouterr().err
    assert printed.startswith(f"frontdesk: keeping no log: {tmp_path / 'frontdesk.log'}: ")
    assert printed.count("\n") == 1


def test_a_fault_is_reported_with_a_replaced_crash_log(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    replaced: Callable[[Path], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(errors, "state_dir", lambda: tmp_path)
    replaced(tmp_path / "crash.log")
    assert errors.report(ZeroDivisionError()) == 1
    assert capsys.readouterr().err.endswith("(ZeroDivisionError); the log couldn't be written\n")


def test_a_replaced_time_zone_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, replaced: Callable[[Path], None]
) -> None:
    replaced(tmp_path / "zone")
    monkeypatch.setenv("TZ", str(tmp_path / "zone"))
    with pytest.raises(ConfigError, match="isn't a time zone"):
        local_zone()


def test_a_replaced_ca_file_is_named(tmp_path: Path, replaced: Callable[[Path], None]) -> None:
    path = tmp_path / "ca.pem"
    replaced(path)

    async def run() -> None:
        hosts = parse_hosts({"base_url": "https://127.0.0.1:1"})
        async with PlatformClient(hosts, CREDENTIALS, retry=ONCE, ca_file=str(path)) as client:
            await client.get_task("t1")

    with pytest.raises(NotSent, match=f"settings.ca_file: can't read certificates from {path}"):
        asyncio.run(run())


def test_a_config_too_large_to_be_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(file_access, "MAX_BYTES", 10)
    path = tmp_path / "config.toml"
    path.write_text("# 3456789\n")
    assert len(read_own_file(path)) == 10
    path.write_text("# 34567890\n")
    with pytest.raises(ConfigError, match="can't be read: it is larger than 10 bytes"):
        load_config(path)
