"""What a disk can do to the store: a clear word, nothing lost, what was refused is told."""

import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import apsw
import pytest

from cli.commandline import Frontdesk
from frontdesk.campaigns.store import drafts
from frontdesk.config.settings import Profile
from frontdesk.outbox import queue
from frontdesk.outbox.changes import rebuild_overlay
from frontdesk.registry.changes import CHANGE_HANDLERS
from frontdesk.storage import change_feed, database_files, record_lookup, recovery
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeKind, ChangeState, Made
from frontdesk.tasks import store as task_store
from frontdesk.workflows import changes as sending
from frontdesk.workflows import pending_payloads, versions
from frontdesk_api.contract.ids import StatusId, TaskId
from frontdesk_api.hosts import Hosts
from new_store import open_store
from sample_json import raw_task
from services import Services

ONE = TaskId("t1")
DONE = StatusId("completed")


def rebuilt(db: apsw.Connection) -> None:
    rebuild_overlay(db, CHANGE_HANDLERS)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own with two megabytes, where this user may mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m,mode=0700", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no disk can be mounted here; a file that may not grow stands for it in the other tests")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def desk_over(store: Store) -> Services:
    return Services(store, Profile("test", Hosts(*["http://127.0.0.1:9"] * 5)))


def fill(folder: Path, changes: int = 3) -> None:
    def write(db: apsw.Connection) -> None:
        task_store.put(db, [raw_task(number) for number in range(1, 50)])
        for number in range(1, changes + 1):
            queue.add(
                db,
                Made(f"b{number}", "Title", float(number)),
                kind=ChangeKind.TASK,
                target=f"t{number}",
                fields={"title": f"{number} " + "x" * 300},
                base={"title": "before"},
            )

    with open_store(folder) as store:
        store.write(write).result()


def fill_up(disk: Path) -> Path:
    """Leave not one block free."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 4096)
        except OSError:
            return ballast


def no_more_pages(store: Store, *names: str) -> Callable[[], None]:
    """These files may not grow, which is what a full disk comes to; answers what frees it."""

    def limit(db: apsw.Connection, pages: int | None = None) -> None:
        for name in names:
            now = db.execute(f"PRAGMA {name}.page_count").fetchone()[0]
            db.execute(f"PRAGMA {name}.max_page_count = {pages or now}")

    store.write(limit).result()
    return lambda: store.write(lambda db: limit(db, 1_000_000)).result()


def state_of(store: Store) -> object:
    db = store.reading
    return (
        db.execute("SELECT * FROM outbox.changes ORDER BY 1").fetchall(),
        db.execute("SELECT task_id, status, pending FROM tasks ORDER BY 1").fetchall(),
        change_feed.position(db),
    )


@pytest.mark.parametrize("full", ["main", "outbox"])
def test_a_deed_on_a_full_disk_is_refused_whole_and_can_be_done_later(tmp_path: Path, full: str) -> None:
    fill(tmp_path)
    with Store(tmp_path) as store:
        services = desk_over(store)
        free = no_more_pages(store, full)
        everything = [TaskId(f"t{number}") for number in range(1, 50)]
        before, refused = state_of(store), 0
        for number in range(40):
            # Pages that are in use have some room left; sooner or later one more is needed.
            deed = services.tasks.set_status(everything, StatusId(f"status-{number}-{'x' * 90}"))
            if (error := deed.exception()) is not None:
                assert isinstance(error, database_files.StoreUnusable)
                assert "the disk is full" in str(error)
                assert state_of(store) == before, "a refused deed leaves nothing half"
                refused += 1
            before = state_of(store)
        assert refused
        free()
        assert services.tasks.set_status([ONE], DONE).result().count == 1
    assert not recovery.damaged_files(tmp_path)
    assert not (tmp_path / recovery.DAMAGE_MARK).exists()


def test_a_disk_that_is_really_full(disk: Path) -> None:
    folder = disk / "profile"
    fill(folder)
    with Store(folder) as store:
        services = desk_over(store)
        assert services.tasks.set_status([ONE], StatusId("open-2")).result().count == 1
        ballast = fill_up(disk)
        before, error = state_of(store), None
        for number in range(200):
            error = services.tasks.set_status(
                [TaskId(f"t{each}") for each in range(1, 50)], StatusId(f"s{number}")
            ).exception()
            if error is not None:
                break
            before = state_of(store)
        assert isinstance(error, database_files.StoreUnusable), "two hundred deeds had room on a full disk"
        assert "the disk" in str(error)
        assert state_of(store) == before
        ballast.unlink()
        assert services.tasks.set_status([ONE], DONE).result().count == 1
    with Store(folder) as store:
        assert {"t1", "t2", "t3"} <= {change.target for change in queue.unsent(store.reading)}
    assert not recovery.damaged_files(folder)


def test_starting_on_a_full_disk_says_so_in_a_line(
    disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    frontdesk = typed(tmp_path, monkeypatch, capfd, XDG_DATA_HOME=str(disk / "data"))
    ballast = fill_up(disk)
    assert "disk" in frontdesk.fails(2, "outbox", "list")
    ballast.unlink()
    assert frontdesk("outbox", "list").status == 0


def test_a_file_that_may_not_grow_is_no_damage(tmp_path: Path) -> None:
    """As a quota does it: the system refuses the write, and the process gets an I/O error."""
    fill(tmp_path / "profile")
    told = in_a_process(
        """
        import resource
        with Store(folders[0]) as store:
            resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
            for number in range(300):
                if (error := write(store, f"{number}" * 500)) is not None:
                    break
            print(type(error).__name__, error)
        """,
        tmp_path / "profile",
    )
    assert told.startswith("StoreUnusable "), told
    assert "the disk " in told
    with Store(tmp_path / "profile") as store:
        assert {"t1", "t2", "t3"} <= {change.target for change in queue.unsent(store.reading)}
    assert not recovery.damaged_files(tmp_path / "profile")


def test_files_that_may_not_be_written_are_named_and_left_alone() -> None:
    """As another user: root may write everywhere."""
    root = Path(tempfile.mkdtemp(prefix="frontdesk-readonly-"))
    try:
        root.chmod(0o755)
        targets = [root / "a" / "store.db", root / "b" / "outbox.db", root / "c"]
        folders = [root / "a", root / "b", root / "c"]
        nobody = 65534
        for folder, target in zip(folders, targets, strict=True):
            fill(folder)
            if os.geteuid() == 0:
                for each in (folder, *folder.iterdir()):
                    os.chown(each, nobody, nobody)
            target.chmod(0o500 if target.is_dir() else 0o400)
        told = in_a_process(
            """
            import filelock, os
            if os.geteuid() == 0:
                os.setegid(65534)
                os.seteuid(65534)
            for folder in folders:
                try:
                    with Store(folder) as store:
                        error = write(store, "x")
                except StoreUnusable as refused:
                    error = refused
                print(type(error).__name__, error)
            """,
            *folders,
        )
        for folder, target, line in zip(folders, targets, told.splitlines(), strict=True):
            assert line.startswith("StoreUnusable "), target
            assert "read-only" in line or "can't open the store" in line, target
            target.chmod(0o700)
            for each in (folder, *folder.iterdir()):
                os.chown(each, os.geteuid(), os.getegid())
            with Store(folder) as store:
                assert len(queue.unsent(store.reading)) == 3, target
            assert not recovery.damaged_files(folder), target
    finally:
        shutil.rmtree(root)


def test_a_folder_that_is_removed_while_it_is_open_takes_no_deed_with_it(tmp_path: Path) -> None:
    folder = tmp_path / "profile"
    fill(folder)
    with Store(folder) as store:
        services = desk_over(store)
        shutil.rmtree(folder)
        error = services.tasks.set_status([ONE], DONE).exception()
        assert isinstance(error, database_files.StoreUnusable)
        assert "removed or replaced" in str(error)
    with Store(folder) as store:
        assert queue.unsent(store.reading) == []


def test_unsent_changes_are_brought_back_out_of_a_store_that_was_removed_while_open(tmp_path: Path) -> None:
    """The files that are still open have them; what was being sent is read back before it is sent again."""
    folder = tmp_path / "profile"
    fill(folder)
    with Store(folder) as store:
        now = 100.0
        first = queue.unsent(store.reading)[0]
        assert store.write(lambda db: queue.claim(db, [first], "somebody", now)).result()
        store.write(lambda db: queue.keep(db, "read", "L1#C1", 5, now)).result()
        store.write(lambda db: drafts.keep_body(db, "c1", '{"id": "c1"}', now)).result()
        shutil.rmtree(folder)
        left = recovery.unsaved_work(store)
    with Store(folder) as store:
        fill(folder, changes=1)
        assert store.write(lambda db: recovery.restore(db, left, rebuilt)).result() == 2, (
            "one was done again meanwhile"
        )
        found = {change.target: change.state for change in queue.unsent(store.reading)}
        assert set(found) == {"t1", "t2", "t3"}
        assert queue.kept(store.reading, "read", "L1#C1") == 5
        assert drafts.body(store.reading, "c1") == {"id": "c1"}
        assert store.write(lambda db: recovery.restore(db, left, rebuilt)).result() == 0
        shown = record_lookup.task(store.reading, TaskId("t2"))
        assert shown is not None
        assert tuple(shown.pending) == ("title",)
        assert recovery.unsaved_work(store) == recovery.UnsavedWork()


def test_what_was_being_sent_when_the_store_was_removed_is_unknown(tmp_path: Path) -> None:
    folder = tmp_path / "profile"
    fill(folder, changes=1)
    with Store(folder) as store:
        (change,) = queue.unsent(store.reading)
        store.write(lambda db: queue.claim(db, [change], "somebody", 100.0)).result()
        shutil.rmtree(folder)
        left = recovery.unsaved_work(store)
    with Store(folder) as store:
        store.write(lambda db: recovery.restore(db, left, rebuilt)).result()
        (change,) = queue.unsent(store.reading)
        assert (change.state, change.sends) == (ChangeState.UNKNOWN, 1)


def put_down(db: apsw.Connection, workflow_id: str, body: dict[str, object]) -> None:
    sending.update(db, workflow_id, body, {"id": workflow_id}, Made(workflow_id, "", 5.0))


def test_a_graph_to_be_sent_follows_its_change_out_of_a_store_that_was_removed(tmp_path: Path) -> None:
    """Changes are numbered anew where they come to, and a graph is named by its change's number."""
    folder = tmp_path / "profile"
    with Store(folder) as store:
        store.write(lambda db: versions.keep_snapshot(db, "w2", {"id": "w2"}, versions.BY_HAND, 5.0)).result()
        for number in (1, 2):
            body = {"notes": f"note {number}", "lastModified": 1}
            store.write(partial(put_down, workflow_id=f"w{number}", body=body)).result()
        shutil.rmtree(folder)
        left = recovery.unsaved_work(store)
    with Store(folder) as store:
        fill(folder, changes=3)
        assert store.write(lambda db: recovery.restore(db, left, rebuilt)).result() == 2
        found = {each.target: each.change_id for each in queue.unsent(store.reading)}
        for number in (1, 2):
            texts = pending_payloads.payload(store.reading, found[f"w{number}"])
            assert pending_payloads.parse_document(texts.body) == {"notes": f"note {number}", "lastModified": 1}
            assert pending_payloads.parse_document(texts.base) == {"id": f"w{number}"}
        assert store.write(lambda db: recovery.restore(db, left, rebuilt)).result() == 0
        assert len(versions.list_versions(store.reading, "w2", versions.SNAPSHOT)) == 1


def test_a_store_that_another_program_holds_is_not_taken_for_a_damaged_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path)
    monkeypatch.setattr(database_files, "BUSY_MS", 20)
    holder = apsw.Connection(str(tmp_path / database_files.STORE_FILE))
    holder.execute(
        "PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; UPDATE tasks SET missed = 1; COMMIT"
    ).fetchall()
    with pytest.raises(database_files.StoreUnusable, match="another program is using"):
        Store(tmp_path)
    holder.close()
    with Store(tmp_path) as store:
        assert store.reading.execute("SELECT count(*) FROM tasks").fetchone() == (49,)
        assert not store.just_set_aside


def test_a_write_that_another_program_keeps_out_for_long_is_told_as_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path)
    monkeypatch.setattr(database_files, "BUSY_MS", 20)
    monkeypatch.setattr("frontdesk.storage.database.BUSY_TRIES_SECONDS", 0.1)
    with Store(tmp_path) as store:
        holder = apsw.Connection(str(tmp_path / database_files.STORE_FILE))
        holder.execute("BEGIN IMMEDIATE")
        error = desk_over(store).tasks.set_status([ONE], DONE).exception()
        assert isinstance(error, database_files.StoreUnusable)
        assert "another program is using" in str(error)
        holder.execute("ROLLBACK")
        holder.close()
        assert desk_over(store).tasks.set_status([ONE], DONE).result().count == 1
    assert not (tmp_path / recovery.DAMAGE_MARK).exists()


def test_a_store_of_a_newer_frontdesk_is_refused_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    frontdesk = typed(tmp_path, monkeypatch, capfd)
    assert frontdesk("outbox", "list").status == 0
    (outbox_file,) = (tmp_path / "data").rglob(database_files.OUTBOX_FILE)
    db = apsw.Connection(str(outbox_file))
    db.pragma("user_version", 99)
    db.close()
    assert "newer version of frontdesk" in frontdesk.fails(2, "outbox", "list")
    assert not recovery.damaged_files(outbox_file.parent)


@pytest.mark.parametrize("kept", [0, 100, 4096, 20_000, -8_192])
@pytest.mark.parametrize("name", [database_files.STORE_FILE, database_files.OUTBOX_FILE])
def test_a_truncated_file_is_set_aside_and_what_is_left_of_the_outbox_saved(
    tmp_path: Path, name: str, kept: int
) -> None:
    fill(tmp_path, changes=60)
    path = tmp_path / name
    size = path.stat().st_size
    assert size > kept
    os.truncate(path, kept if kept >= 0 else size + kept)
    with Store(tmp_path) as store:
        changes = queue.unsent(store.reading)
        assert store.write(lambda db: task_store.put(db, [raw_task(1)])).result() in ([], [ONE])
    if name == database_files.STORE_FILE:
        assert len(changes) == 60
    elif kept < 0:
        assert changes, "what stood before the cut is saved"
    assert len(recovery.damaged_files(tmp_path)) == (1 if kept else 0)


def test_deeds_are_carried_over_out_of_a_damaged_outbox(tmp_path: Path) -> None:
    fill(tmp_path, changes=60)
    db = apsw.Connection(str(tmp_path / database_files.OUTBOX_FILE))
    db.execute("INSERT INTO deeds (label, batch, made_at, state) VALUES ('Title', 'b1', 1.0, 'done')")
    db.close()
    spoil_the_end(tmp_path / database_files.OUTBOX_FILE)
    with Store(tmp_path) as store:
        assert store.reading.execute("SELECT label, batch FROM outbox.deeds").fetchall() == [("Title", "b1")]
        assert len(queue.unsent(store.reading)) > 40


def test_changes_are_carried_over_out_of_a_damaged_outbox_of_version_1(tmp_path: Path) -> None:
    """By the names of the columns, whatever their order; what it did not have yet is left as new."""
    fill(tmp_path, changes=60)
    db = apsw.Connection(str(tmp_path / database_files.OUTBOX_FILE))
    db.execute("DROP TABLE deeds; DROP INDEX changes_by_batch; ALTER TABLE changes DROP COLUMN owner")
    db.pragma("user_version", 1)
    db.execute("VACUUM")
    db.close()
    spoil_the_end(tmp_path / database_files.OUTBOX_FILE)
    with Store(tmp_path) as store:
        saved = queue.unsent(store.reading)
        assert len(saved) > 40
        assert saved[0].label == "Title"
        assert store.reading.execute("SELECT DISTINCT owner FROM outbox.changes").fetchall() == [("",)]


def spoil_the_end(path: Path) -> None:
    """Overwrite the last page, and have the next start look."""
    with path.open("r+b") as file:
        file.seek(-4096, os.SEEK_END)
        file.write(b"\xa5" * 4096)
    recovery.mark_damaged(path.parent)


def typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], **environ: str
) -> Frontdesk:
    """`frontdesk` for a profile that is never connected to."""
    folders = {f"XDG_{kind}_HOME": str(tmp_path / kind.lower()) for kind in ("CONFIG", "DATA", "STATE")}
    profile = {"FRONTDESK_BASE_URL": "http://127.0.0.1:9", "FRONTDESK_COOKIE": "a=b", "FRONTDESK_API_KEY": "k"}
    return Frontdesk({"PATH": os.environ["PATH"], **folders, **profile, **environ}, monkeypatch, capfd)


def in_a_process(script: str, *folders: Path) -> str:
    """What a script prints; `folders` are those of stores, `write` says what refused a write to both files."""
    head = f"""
from pathlib import Path
from frontdesk.outbox import queue
from frontdesk.storage.database_files import StoreUnusable
from frontdesk.storage.database import Store
folders = [Path(each) for each in {[str(each) for each in folders]}]
def write(store, text):
    def job(db):
        db.execute("UPDATE tasks SET title = title || ?", (text,))
        queue.keep(db, "read", "L1#C1" + text, 5, 1.0)
    return store.write(job).exception()
"""
    done = subprocess.run(
        [sys.executable, "-c", head + textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
