"""The engine as a process, started by screens and by `frontdesk sync`.

With `--with-parent` it ends when its standard input closes, so with the screen that started it. Of several on one
profile, one polls; the others wait until its lease is free, because it ended or was stopped (`storage.lease`).

Stops this process for `ctrl+z` between two transactions of its writer; called by `engine_main`.

One that is stopped in the middle of a transaction keeps SQLite's lock, and nobody can write until it goes on.
"""

import argparse
import asyncio
import contextlib
import logging
import logging.handlers
import os
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import apsw

from frontdesk.automation.custom_commands import program_variables, start_warnings
from frontdesk.automation.hook_monitor import HookMonitor
from frontdesk.campaigns.alert_monitor import AlertMonitor
from frontdesk.campaigns.alert_rules import AlertRule, rules
from frontdesk.campaigns.store import campaigns
from frontdesk.config import credentials as config_credentials
from frontdesk.config import settings as config_settings
from frontdesk.config.file_access import OpenToOthers, open_regular_file, require_own
from frontdesk.config.hosts import LOGIN
from frontdesk.config.paths import make_private
from frontdesk.config.processes import forbid_core_files
from frontdesk.config.program_runner import ProgramRunner
from frontdesk.config.render_context import Catalogue, RenderContext
from frontdesk.config.request_pace import request_limits
from frontdesk.config.settings import IS_READ_ONLY, ConfigWatch
from frontdesk.config.time_zone import local_zone
from frontdesk.engine.engine import Engine
from frontdesk.engine.supervisor import (
    MAX_MEMORY_BYTES,
    TOO_MUCH_MEMORY,
    EngineTooLarge,
    MemoryExceeded,
    RestartPolicy,
    restart,
)
from frontdesk.outbox import queue
from frontdesk.outbox.bulk import REQUEST_PACE
from frontdesk.registry.service_policies import load_policies, make_monitor, policy_warnings
from frontdesk.storage import clients
from frontdesk.storage.database import Store
from frontdesk.storage.database_files import StoreUnusable, prepare
from frontdesk.storage.lease import Lease, acquire_lease, wait_for_writer
from frontdesk.storage.records import Connection, Health
from frontdesk.storage.recovery import is_damage, mark_damaged
from frontdesk.sync import status_view
from frontdesk.sync.budget import Budget
from frontdesk.sync.housekeeping import MEGABYTE
from frontdesk.team.access import team_access
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.transport import ONCE
from frontdesk_api.credentials import CredentialSet
from frontdesk_lines.display_text import CleanLines
from frontdesk_lines.glyphs import glyphs


@contextmanager
def stopped_between_writes(store: Store) -> Iterator[None]:
    """Let SIGTSTP wait for the writer's current job while this is open; SIGSTOP can't be caught."""
    loop = asyncio.get_running_loop()
    stop: Future[None] | None = None

    def stop_soon() -> None:
        nonlocal stop
        if stop is None or stop.done():
            stop = store.write(lambda _: None, prepare=_stop_process)

    if signal.getsignal(signal.SIGTSTP) is not signal.SIG_DFL:
        yield  # whoever started this process decided that it isn't stopped
        return
    loop.add_signal_handler(signal.SIGTSTP, stop_soon)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGTSTP)


def _stop_process() -> None:
    # Sent to this thread, which acts on it before the call returns; sent to the process, another thread may be the
    # first to stop, and this one begins the next transaction meanwhile.
    signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)


READ_SECONDS = 2.0
PASSING = (Connection.STARTING, Connection.WAITING, Connection.BUSY)
"""States that soon turn into another one: an answer after all, or none."""


class ConnectionReport:
    """Words for a connection as it changes; a retry alone is no change."""

    def __init__(self) -> None:
        self._printed: tuple[Connection, str] | None = None

    def line(self, health: Health, view: RenderContext) -> str:
        """Return the line to print; empty if nothing has changed."""
        health = status_view.current_health(health, view)
        now = health.state, health.reason
        if health.state in PASSING or now == self._printed:
            return ""
        self._printed = now
        return status_view.sentence(health._replace(late=()), view)


async def report_connection(store: Store, names: Catalogue, print_line: Callable[[str], None]) -> None:
    """Print the connection's changes until this is cancelled, or nobody reads what is printed.

    What an earlier run reported isn't printed.
    """
    report, zone, began = ConnectionReport(), local_zone(), time.time()
    with contextlib.suppress(OSError):
        while True:
            await asyncio.sleep(READ_SECONDS)
            view = RenderContext(names, glyphs(ascii_only=False), time.time(), zone, engine_process=os.getpid())
            with contextlib.suppress(apsw.Error):  # whoever opened the store sees it too
                health = clients.shown_health(store)
                if (store.trouble or (health.heard_at or 0) >= began) and (line := report.line(health, view)):
                    print_line(line)


CREDENTIALS_SECONDS = 3.0
"""How often refused credentials are read again: a login elsewhere is enough."""
REOPEN_SECONDS, MAX_REOPEN_SECONDS = 1.0, 30.0
"""The wait before an unusable store is opened again, at first and at most."""
FLUSH_SECONDS = 4.0
LOG_BYTES = 5_000_000

log = logging.getLogger("frontdesk.sync")


def main(argv: list[str] | None = None) -> int:
    """Run until a signal ends it, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m frontdesk.engine.main", description=__doc__)
    parser.add_argument("--profile")
    parser.add_argument("--store", type=Path, help="the store's folder (default: the profile's own)")
    parser.add_argument("--with-parent", action="store_true")
    parser.add_argument("--max-memory-bytes", type=int, default=MAX_MEMORY_BYTES)
    parser.add_argument("--short-runs", type=int, default=0, help="how many in a row have ended for their memory")
    arguments = sys.argv[1:] if argv is None else argv
    options = parser.parse_args(arguments)
    policy = RestartPolicy(options.max_memory_bytes, options.short_runs)
    forbid_core_files()
    try:
        profile = config_settings.resolve_profile(config_settings.load_config(), os.environ, options.profile)
        settings = config_settings.load_config().settings
        rules(settings.alerts)
        folder = options.store or config_settings.data_dir(profile)
        _log_to_file(config_settings.state_dir())
        if not options.with_parent:  # else the screen has named them
            for each in (
                *start_warnings(settings.extensions),
                *policy_warnings(load_policies(settings, profile)),
            ):
                _print_notice(each.text)
        # Before the loop takes the signals: here ctrl+c ends it at once.
        prepare(folder, None if options.with_parent else _print_notice)
        asyncio.run(run_engine(profile, settings, folder, with_parent=options.with_parent, policy=policy))
    except MemoryExceeded as error:
        return _start_again(error, [each for each in arguments if not each.startswith("--short-runs=")])
    except (
        config_settings.ConfigError,
        config_settings.NoProfile,
        config_credentials.SecretError,
        StoreUnusable,
    ) as error:
        print(f"frontdesk: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except Exception:
        # Broad on purpose: the outermost frame of a process that nobody watches. Whatever escaped the engine's own
        # handling is a fault of ours; its traceback goes to the log, since a screen discards this process' output.
        log.exception("the engine ended")
        return 1
    return 0


def _start_again(error: MemoryExceeded, arguments: Sequence[str]) -> int:
    """Start this process again as a new engine; returns the exit status where the machine refuses that."""
    log.warning("%s; starting again in %.0f s", error, error.next_run.wait_seconds)
    _print_notice(f"{error}; starting again")
    try:
        restart(arguments, error.next_run)
    except OSError:
        log.exception("couldn't start again")
        return 1


def _print_notice(words: str) -> None:
    print(f"frontdesk: {words}", file=sys.stderr, flush=True)


async def run_engine(
    profile: config_settings.Profile,
    settings: config_settings.Settings,
    folder: Path,
    *,
    with_parent: bool,
    policy: RestartPolicy = RestartPolicy(),  # noqa: B008 - frozen
) -> None:
    """Poll and deliver until a signal, or the parent's end, stops the engine.

    Raises:
        StoreUnusable: the store couldn't be opened at all.
        MemoryExceeded: the engine used too much memory.
    """
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for signum in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(signum, stopping.set)
    if with_parent:
        threading.Thread(target=_wait_for_parent_end, args=(loop, stopping), daemon=True).start()
    await _sleep(stopping, policy.wait_seconds)
    wait, has_served = REOPEN_SECONDS, False
    while not stopping.is_set():
        try:
            with Store(folder, syncs=True) as store:
                has_served = True
                if not with_parent and profile.watched_campaigns:  # else the screen has seen to it
                    wanted, now = profile.watched_campaigns, time.time()
                    await store.run(partial(campaigns.watch, campaign_ids=wanted, now=now))
                # An engine of a screen has no terminal that could stop it, or show what is printed.
                async with contextlib.nullcontext() if with_parent else _with_terminal(profile, store):
                    await _serve(profile, settings, store, stopping, policy)
            wait = REOPEN_SECONDS
        except (StoreUnusable, apsw.Error, OSError) as error:
            if not has_served and isinstance(error, StoreUnusable):
                raise  # whoever started this reads it
            if is_damage(error):
                mark_damaged(folder)
            wait = min(MAX_REOPEN_SECONDS, wait * 2)
            log.warning("couldn't use the store, retrying in %.0f s: %s", wait, error)
        await _sleep(stopping, wait)


@contextlib.asynccontextmanager
async def _with_terminal(profile: config_settings.Profile, store: Store) -> AsyncIterator[None]:
    """Stop between writes only, and print how the connection is."""
    with stopped_between_writes(store):
        reporting = asyncio.create_task(report_connection(store, Catalogue(profile), _print_notice))
        reporting.add_done_callback(_log_failure)
        try:
            yield
        finally:
            reporting.cancel()
            await asyncio.wait([reporting])


def _log_failure(task: "asyncio.Task[None]") -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("no longer printing the connection", exc_info=error)


async def _serve(
    profile: config_settings.Profile,
    settings: config_settings.Settings,
    store: Store,
    stopping: asyncio.Event,
    policy: RestartPolicy,
) -> None:
    """Wait for the lease and poll; returns at the end, or when the store must be opened again.

    Raises:
        MemoryExceeded: the engine used too much memory.
    """
    lease = await acquire_lease(store, stopping, read_only=settings.read_only)
    if lease is None:
        return
    with contextlib.ExitStack() as held:
        held.callback(lease.unlock_file)
        log.info("process %d now polls for this profile, with lease %d", os.getpid(), lease.token)
        began_at, next_run = time.monotonic(), None
        try:
            while not (stopping.is_set() or store.is_replaced or lease.is_lost):
                if not await lead(profile, settings, store, stopping, policy.max_memory_bytes):
                    break
        except EngineTooLarge:
            next_run = policy.after(time.monotonic() - began_at)
            raise MemoryExceeded(next_run) from None
        finally:
            wait = 0.0 if next_run is None else next_run.wait_seconds
            with contextlib.suppress(apsw.Error, StoreUnusable):
                await store.run(partial(_end_polling, lease=lease, memory_wait=wait))
        if lease.is_lost:
            log.warning("process %d stood still, and another one polls now; waiting", os.getpid())


async def lead(
    profile: config_settings.Profile,
    settings: config_settings.Settings,
    store: Store,
    stopping: asyncio.Event,
    max_memory_bytes: int = MAX_MEMORY_BYTES,
) -> bool:
    """Run an engine; returns True to start again with other credentials.

    A read-only engine ends when one that sends changes wants to poll.

    Raises:
        EngineTooLarge: it used too much memory.
    """
    budget = make_budget(profile, settings, store)
    try:
        credentials = config_credentials.load_credentials(profile, os.environ)
    except config_credentials.SecretError as error:
        await _report_refused(store, str(error))
        await _sleep(stopping, CREDENTIALS_SECONDS)
        return True
    async with PlatformClient(
        profile.hosts,
        credentials,
        gate=lambda _host: budget.take(),
        retry=ONCE,
        ca_file=settings.ca_file,
        proxy=settings.proxy,
        read_only=IS_READ_ONLY if settings.read_only else "",
        may_send=store.may_send,
        remedy=LOGIN,
    ) as client:
        watch = ConfigWatch()
        present = _load_rules()
        alerts = AlertMonitor(
            store,
            rules(settings.alerts) if present is None else present,
            time.time,
            ProgramRunner(os.environ),
            changed_rules=partial(_changed_rules, watch),
        )
        programs = ProgramRunner(os.environ, added=program_variables(profile, settings))
        hooks = HookMonitor(store, profile, settings, programs)
        max_bytes = settings.store_megabytes * MEGABYTE
        engine = Engine(
            client,
            store,
            budget,
            max_bytes=max_bytes,
            history_days=settings.history_days,
            alerts=alerts,
            hooks=hooks,
            service_clocks=make_monitor(store, settings, profile),
            read_only=settings.read_only,
            max_memory_bytes=max_memory_bytes,
            team=None if settings.read_only else team_access(profile),
        )
        running = asyncio.create_task(engine.run())
        ended = asyncio.create_task(stopping.wait())
        changed = asyncio.create_task(wait_for_credentials(profile, credentials, store))
        waited = {running, ended, changed}
        if settings.read_only:
            waited.add(asyncio.create_task(wait_for_writer(store)))
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        engine.stop()
        for each in waited - {running, ended, changed}:
            each.cancel()
        changed.cancel()
        ended.cancel()
        await running
        if stopping.is_set():
            await engine.flush(FLUSH_SECONDS)
        elif engine.has_exceeded_memory:
            raise EngineTooLarge
    return changed.done() and not changed.cancelled()


def _changed_rules(watch: ConfigWatch) -> Sequence[AlertRule] | None:
    """Return the changed config's rules; None if they haven't changed or can't be used."""
    return _load_rules() if watch.has_changed() else None


def _load_rules() -> Sequence[AlertRule] | None:
    """Return the rules of the config; None if it can't be used."""
    try:
        return rules(config_settings.load_config().settings.alerts)
    except config_settings.ConfigError as error:
        log.warning("keeping the current alerts: %s", error)
        return None


def make_budget(profile: config_settings.Profile, settings: config_settings.Settings, store: Store) -> Budget:
    """Make a profile's budget, at the pace that an earlier engine has learned."""
    limits = request_limits(settings, profile.hosts)
    pace = queue.kept(store.reading, REQUEST_PACE, "") or limits.start
    return Budget(limits.per_second, limits.per_minute, time.monotonic, pace)


async def wait_for_credentials(profile: config_settings.Profile, known: CredentialSet, store: Store) -> None:
    """Wait until refused credentials are replaced."""
    while True:
        await asyncio.sleep(CREDENTIALS_SECONDS)
        try:
            if clients.health(store.reading).state is not Connection.REFUSED:
                continue
            if config_credentials.load_credentials(profile, os.environ) != known:
                log.info("found new credentials; trying them")
                return
        except (config_credentials.SecretError, apsw.Error):
            continue


async def _report_refused(store: Store, reason: str) -> None:
    now = time.time()
    before = clients.health(store.reading)
    health = before._replace(state=Connection.REFUSED, reason=reason, since=now, retry_at=None, heard_at=now)
    with contextlib.suppress(apsw.Error, StoreUnusable):
        await store.run(lambda db: clients.write_health(db, health))


async def _sleep(stopping: asyncio.Event, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(stopping.wait(), seconds)


def _end_polling(db: apsw.Connection, lease: Lease, memory_wait: float) -> None:
    """Write that polling has ended, and when it starts again after this wait for its memory (0: at once)."""
    lease.give_up(db)
    now = time.time()
    reason, retry_at = (TOO_MUCH_MEMORY, now + memory_wait) if memory_wait else ("", None)
    health = clients.health(db)._replace(state=Connection.STOPPED, reason=reason, since=now, retry_at=retry_at)
    clients.write_health(db, health)


def _wait_for_parent_end(loop: asyncio.AbstractEventLoop, stopping: asyncio.Event) -> None:
    # Not through sys.stdin: its lock, held by a thread, makes Python abort when the process ends.
    while os.read(0, 1024):
        pass
    loop.call_soon_threadsafe(stopping.set)


def _log_to_file(folder: Path) -> None:
    make_private(folder)
    before = os.umask(0o077)
    path = folder / "frontdesk.log"
    handler: logging.Handler
    try:
        require_own([path])
        os.close(open_regular_file(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY))
        handler = logging.handlers.RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=3, encoding="utf-8")
    except (OSError, OpenToOthers) as error:
        why = f"{path}: {error.strerror}" if isinstance(error, OSError) else error
        _print_notice(f"keeping no log: {why}")
        handler = logging.NullHandler()
    finally:
        os.umask(before)
    handler.setFormatter(CleanLines("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for name in ("httpx", "httpcore", "hpack", "asyncio"):
        logging.getLogger(name).setLevel(logging.WARNING)


if __name__ == "__main__":
    raise SystemExit(main())
