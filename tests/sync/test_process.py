"""The engine as a process: whose turn it is to poll, credentials that come later, a store opened anew."""

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from frontdesk.campaigns.store import campaigns
from frontdesk.config import credentials
from frontdesk.config.credentials import SecretError
from frontdesk.config.settings import Settings
from frontdesk.demo.sandbox_process import demo_profile
from frontdesk.engine import main as process
from frontdesk.engine.supervisor import RestartPolicy
from frontdesk.storage import clients, lease
from frontdesk.storage.database import Store
from frontdesk.storage.database_files import StoreUnusable
from frontdesk.storage.lease import LeaseLost, try_acquire
from frontdesk.storage.records import Connection, Health
from frontdesk.storage.sql import first
from frontdesk_api.contract.ids import CampaignId
from frontdesk_api.credentials import CredentialSet, Secret
from sync.running_engine import URL, run

PROFILE = demo_profile(URL)
OLD, NEW = CredentialSet(Secret("token=old"), Secret("key")), CredentialSet(Secret("token=new"), Secret("key"))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CREDENTIALS_SECONDS", "REOPEN_SECONDS"):
        monkeypatch.setattr(process, name, 0.01)
    monkeypatch.setattr(lease, "RETRY_SECONDS", 0.01)


@pytest.fixture
def other(store: Store) -> Iterator[Store]:
    """The store as another process has it open."""
    with Store(store.folder) as opened:
        yield opened


def stored(monkeypatch: pytest.MonkeyPatch, load: Callable[[], CredentialSet]) -> None:
    monkeypatch.setattr(credentials, "load_credentials", lambda *_: load())


async def until(is_true: Callable[[], object]) -> None:
    while not is_true():  # noqa: ASYNC110 - the store announces nothing here
        await asyncio.sleep(0.01)


async def lead_and_wait(
    store: Store, other: Store, stopping: asyncio.Event
) -> tuple[lease.Lease, asyncio.Task[lease.Lease | None]]:
    """Return the lease of one process, and the attempt of another that waits for it until `stopping`."""
    one = await lease.acquire_lease(store, stopping)
    assert one is not None
    waiting = asyncio.create_task(lease.acquire_lease(other, stopping))
    for _ in range(10):
        await asyncio.sleep(0.01)
        assert not waiting.done()
    return one, waiting


def test_one_process_polls_and_the_next_takes_over_when_it_is_gone(store: Store, other: Store) -> None:
    async def story() -> None:
        one, waiting = await lead_and_wait(store, other, asyncio.Event())
        one.unlock_file()
        second = await waiting
        assert second is not None
        assert second.token > one.token
        second.unlock_file()

    run(story)


async def serve(store: Store, stopping: asyncio.Event, *, read_only: bool) -> None:
    store.guard = None  # as in a store that was opened anew
    await process._serve(PROFILE, Settings(read_only=read_only), store, stopping, RestartPolicy())


def has_begun(store: Store, token: int) -> bool:
    """Whether the engine with this lease polls."""
    row = first(store.reading, "SELECT token FROM outbox.lease WHERE owner <> ''")
    return row == (token,)


@pytest.fixture
def idle_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines that do nothing until they are told to end."""
    stored(monkeypatch, lambda: OLD)
    monkeypatch.setattr(process.Engine, "run", lambda engine: engine._stopping.wait())


@pytest.mark.usefixtures("idle_engines")
def test_a_read_only_engine_gives_way_to_one_that_sends_and_polls_again_after_it(
    store: Store, other: Store
) -> None:
    async def story() -> None:
        stopping, ends = asyncio.Event(), asyncio.Event()
        reading = asyncio.create_task(serve(store, stopping, read_only=True))
        await until(lambda: has_begun(store, 1))
        writing = asyncio.create_task(serve(other, ends, read_only=False))
        await reading
        await until(lambda: has_begun(store, 2))
        reading = asyncio.create_task(serve(store, stopping, read_only=True))
        for _ in range(10):
            await asyncio.sleep(0.01)
            assert has_begun(store, 2)
        ends.set()
        await writing
        await until(lambda: has_begun(store, 3))
        stopping.set()
        await reading

    run(story)


@pytest.mark.usefixtures("idle_engines")
def test_a_read_only_engine_polls_beside_a_writer_that_is_stopped_until_that_goes_on(
    store: Store, other: Store
) -> None:
    """A lock that the stopped one kept made it wait for ever."""

    async def story() -> None:
        stopping = asyncio.Event()
        lease.WriterMark(other.folder).set()
        # As its clock stood still a minute ago, its lease has run out; it keeps the file lock.
        stopped = await try_acquire(other, lambda: time.monotonic() - 60)
        assert stopped is not None
        reading = asyncio.create_task(serve(store, stopping, read_only=True))
        await until(lambda: has_begun(store, 2))
        with pytest.raises(LeaseLost):
            other.write(lambda _: None).result()
        stopped.unlock_file()
        writing = asyncio.create_task(serve(other, stopping, read_only=False))
        await reading
        await until(lambda: has_begun(store, 3))
        stopping.set()
        await writing

    run(story)


def test_a_mark_counts_for_some_seconds_and_one_that_was_there_before_does_not(tmp_path: Path) -> None:
    now = 0.0
    writer, reader = lease.WriterMark(tmp_path), lease.WriterMark(tmp_path, lambda: now)
    assert not reader.is_set()
    writer.set()
    assert reader.is_set()
    now += lease.MARK_SECONDS - 0.1
    assert reader.is_set()
    now += 0.1
    assert not reader.is_set()
    assert not lease.WriterMark(tmp_path).is_set()
    while not reader.is_set():
        writer.set()  # a file system may tell apart no marks within some milliseconds


def test_a_process_that_waits_for_its_turn_ends_when_it_is_told_to(store: Store, other: Store) -> None:
    async def story() -> None:
        stopping = asyncio.Event()
        one, waiting = await lead_and_wait(store, other, stopping)
        stopping.set()
        assert await waiting is None
        one.unlock_file()

    run(story)


def test_credentials_that_cannot_be_read_are_said_and_read_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load() -> CredentialSet:
        raise SecretError("the file can be read by others")

    stored(monkeypatch, load)

    async def story() -> None:
        assert await process.lead(PROFILE, Settings(), store, asyncio.Event())
        health = clients.health(store.reading)
        assert (health.state, health.reason) == (Connection.REFUSED, "the file can be read by others")
        assert health.heard_at

    run(story)


def test_a_login_elsewhere_is_tried_while_the_credentials_are_refused(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = OLD
    stored(monkeypatch, lambda: now)

    async def story() -> None:
        nonlocal now
        waiting = asyncio.create_task(process.wait_for_credentials(PROFILE, OLD, store))
        await store.run(lambda db: clients.write_health(db, Health(Connection.LIVE)))
        now = NEW
        for _ in range(10):
            await asyncio.sleep(0.01)
        assert not waiting.done(), "what the platform accepts is not taken away"
        await store.run(lambda db: clients.write_health(db, Health(Connection.REFUSED)))
        await waiting

    run(story)


def test_a_store_that_cannot_be_used_any_more_is_opened_anew(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[Path] = []

    async def serve(
        _profile: object, _settings: object, store: Store, stopping: asyncio.Event, *_: object
    ) -> None:
        served.append(store.folder)
        if len(served) < 3:
            raise apsw.FullError("database or disk is full") if served[1:] else StoreUnusable("gone")
        stopping.set()

    monkeypatch.setattr(process, "_serve", serve)
    run(lambda: process.run_engine(PROFILE, Settings(), folder, with_parent=False))
    assert served == [folder] * 3


def test_a_store_that_can_never_be_opened_is_told_to_whoever_started_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StoreUnusable):
        run(lambda: process.run_engine(PROFILE, Settings(), tmp_path / "file" / "store", with_parent=False))


@pytest.mark.parametrize(("with_parent", "watched"), [(True, 0), (False, 1)])
def test_without_a_screen_the_campaigns_of_the_profile_are_watched_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch, with_parent: bool, watched: int
) -> None:
    found: list[int] = []

    async def serve(
        _profile: object, _settings: object, store: Store, stopping: asyncio.Event, *_: object
    ) -> None:
        found.append(len(campaigns.watched(store.reading)))
        stopping.set()

    monkeypatch.setattr(process, "_serve", serve)
    monkeypatch.setattr(process, "_wait_for_parent_end", lambda *_: None)
    profile = replace(PROFILE, watched_campaigns=(CampaignId("c1"),))
    run(lambda: process.run_engine(profile, Settings(), folder, with_parent=with_parent))
    assert found == [watched]
