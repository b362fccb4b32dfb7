"""Damage is set aside when the store is opened, and no change that can still be read is lost."""

import contextlib
import json
import queue
from pathlib import Path

import apsw
import pytest

from frontdesk.campaigns.store import drafts
from frontdesk.config.settings import Profile
from frontdesk.outbox import batches
from frontdesk.outbox import queue as outbox_queue
from frontdesk.storage import database_files, recovery
from frontdesk.storage.change_feed import REPLACED, FeedWatcher
from frontdesk.storage.database import ProfileStore, Store
from frontdesk.storage.records import ChangeKind, ChangeState, Event, Made
from frontdesk.tasks import store as task_store
from frontdesk.workflows import pending_payloads, versions
from frontdesk_api.hosts import Hosts
from new_store import open_store
from sample_json import raw_task

PAGE = 4096


def write(db: apsw.Connection) -> None:
    """Write some hundred tasks, and changes that were not sent."""
    task_store.put(db, [raw_task(number) for number in range(1, 400)])
    for number in range(1, 61):
        outbox_queue.add(
            db,
            Made(f"b{number}", "Title", float(number)),
            kind=ChangeKind.TASK,
            target=f"t{number}",
            fields={"title": "x" * 300},
            base={"title": "before"},
        )


def fill(folder: Path) -> None:
    open_store(folder, write).close()


def spoil(path: Path, first: int, last: int) -> None:
    """Overwrite pages; what was in the write-ahead log is in the file, since the store was closed."""
    with path.open("r+b") as file:
        file.seek(first * PAGE)
        file.write(b"\xa5" * ((last - first) * PAGE))


def targets(folder: Path) -> set[str]:
    with Store(folder) as store:
        return {change.target for change in outbox_queue.unsent(store.reading)}


def test_a_store_that_is_damaged_behind_its_first_page_is_fetched_again(tmp_path: Path) -> None:
    fill(tmp_path)
    spoil(tmp_path / database_files.STORE_FILE, 1, 60)
    with Store(tmp_path) as store:
        try:
            store.reading.execute("SELECT raw FROM tasks").fetchall()
        except recovery.DAMAGE:
            recovery.mark_damaged(tmp_path)
    with Store(tmp_path) as store:
        assert store.reading.execute("SELECT count(*) FROM tasks").fetchone() == (0,)
        assert len(outbox_queue.unsent(store.reading)) == 60
    assert [path.name.split(".damaged")[0] for path in recovery.damaged_files(tmp_path)] == [
        database_files.STORE_FILE
    ]
    assert not (tmp_path / recovery.DAMAGE_MARK).exists()


def test_a_file_that_ends_too_early_is_damaged_and_a_disk_that_fails_is_none() -> None:
    for code, damaged in ((apsw.SQLITE_IOERR_SHORT_READ, True), (apsw.SQLITE_IOERR_READ, False)):
        error = apsw.IOError("disk I/O error")
        error.extendedresult = code
        assert recovery.is_damage(error) is damaged
    assert recovery.is_damage(apsw.NotADBError())
    assert not recovery.is_damage(None)


def test_a_write_that_meets_damage_has_the_next_opening_look(tmp_path: Path) -> None:
    with Store(tmp_path) as store:

        def meets_damage(_: apsw.Connection) -> None:
            raise apsw.CorruptError("database disk image is malformed")

        with pytest.raises(apsw.CorruptError):
            store.write(meets_damage).result()
    assert (tmp_path / recovery.DAMAGE_MARK).exists()
    with Store(tmp_path) as store:
        assert len(store.just_set_aside) == 1


def test_of_a_damaged_outbox_every_readable_change_is_carried_over(tmp_path: Path) -> None:
    fill(tmp_path)
    pages = (tmp_path / database_files.OUTBOX_FILE).stat().st_size // PAGE
    spoil(tmp_path / database_files.OUTBOX_FILE, pages // 2, pages // 2 + 1)
    recovery.mark_damaged(tmp_path)
    kept = targets(tmp_path)
    assert len(kept) > 45, "what stood on one page is lost, and no more"
    aside = recovery.damaged_files(tmp_path)
    assert [path.name.startswith(database_files.OUTBOX_FILE) for path in aside] == [True]
    assert kept == targets(tmp_path), "looked through once"


def test_what_a_person_did_can_be_undone_after_the_outbox_was_damaged(tmp_path: Path) -> None:
    fill(tmp_path)
    with Store(tmp_path) as store:
        store.write(lambda db: batches.record(db, Made("batch", "Status: Completed", 1.0))).result()
    pages = (tmp_path / database_files.OUTBOX_FILE).stat().st_size // PAGE
    spoil(tmp_path / database_files.OUTBOX_FILE, pages // 2, pages // 2 + 1)
    recovery.mark_damaged(tmp_path)
    with Store(tmp_path) as store:
        assert len(store.just_set_aside) == 1
        deed = batches.newest_done(store.reading)
        assert deed is not None
        assert (deed.label, deed.batch) == ("Status: Completed", "batch")


def test_campaigns_to_be_sent_are_carried_over_out_of_a_damaged_outbox(tmp_path: Path) -> None:
    body = {"id": "c1", "customerList": [{"phoneNumberId": f"97252{each:07}"} for each in range(3_000)]}
    with open_store(tmp_path) as store:
        store.write(lambda db: drafts.keep_body(db, "c1", json.dumps(body), 1.0)).result()
        store.write(write).result()
    pages = (tmp_path / database_files.OUTBOX_FILE).stat().st_size // PAGE
    spoil(tmp_path / database_files.OUTBOX_FILE, pages - 2, pages)
    recovery.mark_damaged(tmp_path)
    with Store(tmp_path) as store:
        assert len(store.just_set_aside) == 1
        assert drafts.body(store.reading, "c1") == body


def test_graphs_to_be_sent_and_kept_analytics_are_carried_over_out_of_a_damaged_outbox(tmp_path: Path) -> None:
    graph = json.dumps({"parsedData": [{"id": f"n{each}"} for each in range(2_000)]})

    def keep(db: apsw.Connection) -> None:
        pending_payloads.put_payload(db, 1, graph, None)
        versions.keep_snapshot(db, "w1", {"analytics": {"totalStarted": 7}}, "asked for", 1.0)

    with open_store(tmp_path) as store:
        store.write(keep).result()
        store.write(write).result()
    pages = (tmp_path / database_files.OUTBOX_FILE).stat().st_size // PAGE
    spoil(tmp_path / database_files.OUTBOX_FILE, pages - 2, pages)
    recovery.mark_damaged(tmp_path)
    with Store(tmp_path) as store:
        assert len(store.just_set_aside) == 1
        assert pending_payloads.payload(store.reading, 1) == (graph, None, None)
        assert [each.label for each in versions.list_versions(store.reading, "w1", versions.SNAPSHOT)] == [
            "asked for"
        ]


@pytest.mark.parametrize("name", [database_files.STORE_FILE, database_files.OUTBOX_FILE])
def test_what_is_no_database_at_all_is_set_aside(tmp_path: Path, name: str) -> None:
    fill(tmp_path)
    (tmp_path / name).write_bytes(b"not a database, and long enough to have a header" * 100)
    with Store(tmp_path) as store:
        assert [path.name.startswith(name) for path in store.just_set_aside] == [True]
        states = [change.state for change in outbox_queue.unsent(store.reading)]
    assert states == ([] if name == database_files.OUTBOX_FILE else [ChangeState.QUEUED] * 60)


def test_a_file_of_a_newer_version_is_left_as_it_is(tmp_path: Path) -> None:
    fill(tmp_path)
    db = apsw.Connection(str(tmp_path / database_files.OUTBOX_FILE))
    db.pragma("user_version", 99)
    db.close()
    with pytest.raises(database_files.StoreUnusable, match="newer version of frontdesk"):
        Store(tmp_path)
    assert not recovery.damaged_files(tmp_path)


def test_who_watches_a_store_that_was_replaced_is_told(tmp_path: Path) -> None:
    fill(tmp_path)
    told: queue.Queue[frozenset[Event]] = queue.Queue()
    with Store(tmp_path) as store:
        watcher = FeedWatcher(tmp_path, told.put, seconds=0.02)
        watcher.start()
        assert not store.is_replaced
        recovery.mark_damaged(tmp_path)
        Store(tmp_path).close()
        assert told.get(timeout=10) == {REPLACED}
        assert store.is_replaced
        watcher.stop()


def test_what_was_set_aside_is_never_overwritten_by_the_next(tmp_path: Path) -> None:
    """Also within one second, which is all that its name tells apart."""
    for _ in range(3):
        with Store(tmp_path):
            recovery.mark_damaged(tmp_path)
    Store(tmp_path).close()
    assert len(recovery.damaged_files(tmp_path)) == 3


@pytest.mark.parametrize("count", [21, 100])
def test_an_outbox_whose_beginning_alone_is_garbage_loses_nothing(tmp_path: Path, count: int) -> None:
    fill(tmp_path)
    before = targets(tmp_path)
    with (tmp_path / database_files.OUTBOX_FILE).open("r+b") as file:
        file.write((b"garbage" * 20)[:count])
    assert targets(tmp_path) == before
    assert len(before) == 60
    assert len(recovery.damaged_files(tmp_path)) == 1


def test_the_writer_keeps_what_a_statement_may_take_back_in_memory(tmp_path: Path) -> None:
    with contextlib.closing(database_files.open_writer(tmp_path / "store", syncs=True)) as db:
        assert db.pragma("temp_store") == 2, "in a file, a page of tasks writes three times as much"
        db.execute("BEGIN")
        task_store.put(db, [raw_task(number) for number in range(2_000)])
        assert db.status(apsw.SQLITE_DBSTATUS_CACHE_SPILL)[0] == 0, "a page of 100 changes far less"
        db.execute("ROLLBACK")


@pytest.mark.parametrize(("syncs", "kib"), [(True, database_files.SYNC_CACHE_KIB), (False, 2_000)])
def test_only_a_writer_that_syncs_has_a_large_cache(tmp_path: Path, syncs: bool, kib: int) -> None:
    with Store(tmp_path, syncs=syncs) as store:
        assert store.write(lambda db: db.pragma("cache_size", schema="main")).result() == -kib


def test_what_a_write_prepares_runs_before_its_transaction(tmp_path: Path) -> None:
    with Store(tmp_path) as store, Store(tmp_path) as other:

        def prepare() -> None:
            other.write(lambda db: outbox_queue.keep(db, "test", "", "other", 0.0)).result()

        seen = store.write(lambda db: outbox_queue.kept(db, "test", ""), prepare).result()
    assert seen == "other"


def test_a_part_of_the_program_that_cannot_be_loaded_is_reported(tmp_path: Path) -> None:
    reasons: list[str] = []

    def load() -> None:
        raise ImportError("No module named 'frontdesk.new'")

    with Store(tmp_path) as store:
        profile_store = ProfileStore(store, Profile("main", Hosts(*["http://127.0.0.1:9"] * 5)))
        profile_store.on_refused = reasons.append
        profile_store.write_unawaited(lambda _: None, prepare=load)
        profile_store.flush().result()
    assert reasons == ["couldn't load part of frontdesk (No module named 'frontdesk.new'); restart it"]


def test_a_store_that_another_program_holds_is_skipped_at_once(tmp_path: Path) -> None:
    with Store(tmp_path / "here"), Store(tmp_path / "other") as other:
        other.write(lambda _: None).result()
        outbox = tmp_path / "other" / database_files.OUTBOX_FILE
        with contextlib.closing(apsw.Connection(str(outbox))) as holder:
            holder.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
            assert database_files.unsent_elsewhere(tmp_path / "here") == []
