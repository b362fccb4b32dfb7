"""The engine as a process: `python -m frontdesk.sync`, started by screens and by `frontdesk sync`.

Takes the profile from the arguments and the environment. With `--with-parent` it ends when its
standard input does, which is when the screen that started it is gone, however it went.
"""

import argparse
import asyncio
import logging
import logging.handlers
import os
import signal
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import apsw
from filelock import FileLock, Timeout

from frontdesk import config, secrets
from frontdesk.client.client import PlatformClient
from frontdesk.client.retries import ONCE
from frontdesk.store import presence
from frontdesk.store.files import StoreUnusable
from frontdesk.store.records import Connection, Health
from frontdesk.store.store import Store
from frontdesk.sync.budget import Budget
from frontdesk.sync.engine import Engine
from frontdesk.sync.housekeeping import MEGABYTE
from frontdesk.text import show_line

LEADER_LOCK = "leader.lock"
LEADER_TRY_SECONDS = 1.0
FLUSH_SECONDS = 4.0
LOG_BYTES = 5_000_000

log = logging.getLogger("frontdesk.sync")


def main(argv: list[str] | None = None) -> int:
    """Run until told to end. Answers an exit status."""
    parser = argparse.ArgumentParser(prog="frontdesk.sync", description=__doc__)
    parser.add_argument("--profile")
    parser.add_argument("--store", type=Path, help="the store's folder, where it isn't the profile's own")
    parser.add_argument("--with-parent", action="store_true")
    options = parser.parse_args(argv)
    try:
        profile = config.resolve_profile(config.load_config(), os.environ, options.profile)
        settings = config.load_config().settings
        folder = options.store or config.data_dir(profile)
        _log_to_file(config.state_dir())
        asyncio.run(_run(profile, settings, folder, with_parent=options.with_parent))
    except (config.ConfigError, config.NoProfile, secrets.SecretError, StoreUnusable) as error:
        print(f"frontdesk: {error}", file=sys.stderr)  # noqa: T201 - the process's own word
        return 2
    except KeyboardInterrupt:
        return 130
    except Exception:
        log.exception("the engine ended")
        return 1
    return 0


async def _run(profile: config.Profile, settings: config.Settings, folder: Path, *, with_parent: bool) -> None:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for signum in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(signum, stopping.set)
    if with_parent:
        threading.Thread(target=_wait_for_end, args=(loop, stopping), daemon=True).start()
    with Store(folder) as store:
        lock = await _become_leader(folder, stopping)
        if lock is None:
            return
        try:
            await _lead(profile, settings, store, stopping)
        finally:
            await store.run(_say_stopped)
            lock.release()


async def _lead(profile: config.Profile, settings: config.Settings, store: Store, stopping: asyncio.Event) -> None:
    budget = Budget(settings.requests_per_second, settings.requests_per_minute, time.monotonic)
    try:
        credentials = secrets.load_credentials(profile, os.environ)
    except secrets.SecretError as error:
        said = Health(Connection.REFUSED, str(error), time.time())
        await store.run(lambda db: presence.put_health(db, said))
        await stopping.wait()
        return
    async with PlatformClient(
        profile.hosts,
        credentials,
        gate=lambda _host: budget.take(),
        retry=ONCE,
        ca_file=settings.ca_file,
        proxy=settings.proxy,
    ) as client:
        engine = Engine(client, store, budget, most_bytes=settings.store_megabytes * MEGABYTE)
        running = asyncio.create_task(engine.run())
        ended = asyncio.create_task(stopping.wait())
        await asyncio.wait({running, ended}, return_when=asyncio.FIRST_COMPLETED)
        engine.stop()
        await running
        await engine.flush(FLUSH_SECONDS)


async def _become_leader(folder: Path, stopping: asyncio.Event) -> FileLock | None:
    """The profile's lock; waits while another process polls, and takes over when it dies."""
    lock = FileLock(folder / LEADER_LOCK)
    while not stopping.is_set():
        try:
            lock.acquire(timeout=0)
        except Timeout:
            try:
                await asyncio.wait_for(stopping.wait(), LEADER_TRY_SECONDS)
            except TimeoutError:
                continue
        else:
            return lock
    return None


def _say_stopped(db: apsw.Connection) -> None:
    said = replace(presence.health(db), state=Connection.STOPPED, reason="", since=time.time(), retry_at=None)
    presence.put_health(db, said)


def _wait_for_end(loop: asyncio.AbstractEventLoop, stopping: asyncio.Event) -> None:
    # Not through sys.stdin: its lock, held by a thread, makes Python abort when the process ends.
    while os.read(0, 1024):
        pass
    loop.call_soon_threadsafe(stopping.set)


class _CleanLines(logging.Formatter):
    """What strangers wrote may reach an exception's text; no control character reaches the file."""

    def format(self, record: logging.LogRecord) -> str:
        """The record, each of its lines made safe to show."""
        return "\n".join(show_line(line, 2_000).text for line in super().format(record).split("\n"))


def _log_to_file(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    before = os.umask(0o077)
    try:
        handler = logging.handlers.RotatingFileHandler(
            folder / "frontdesk.log", maxBytes=LOG_BYTES, backupCount=3, encoding="utf-8"
        )
    finally:
        os.umask(before)
    handler.setFormatter(_CleanLines("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for name in ("httpx", "httpcore", "hpack", "asyncio"):
        logging.getLogger(name).setLevel(logging.WARNING)


if __name__ == "__main__":
    raise SystemExit(main())
