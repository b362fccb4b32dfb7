"""Kept versions of workflows: one for each changed content, bounded, compared and restored as an update."""

import hashlib
import json
import os
import zlib
from pathlib import Path
from typing import Any

import pytest

from frontdesk.outbox.changes import NotPossible
from frontdesk.storage import recovery, schema
from frontdesk.storage.database import Store
from frontdesk.storage.sql import rows
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows import versions
from frontdesk.workflows.models import VersionRecord
from frontdesk.workflows.update_plan import NotReadYet, compare_versions, prepare_restore
from frontdesk.workflows.versions import find_base, find_origin
from frontdesk.workflows.view.diff import NO_VERSIONS, coverage_words

NOW = 1_700_000_000.0


def workflow(modified: float | None, name: str = "Welcome", **more: Any) -> dict[str, Any]:
    return {
        **{"id": "w1", "name": name, "folderId": "f1", "isActive": False, "lastModified": modified},
        "trigger": {"id": "t", "data": {}, "connections": {"out": ["ask"]}},
        "parsedData": [{"id": "ask", "type": "whatsapp", "data": {"message": name}, "subNodes": []}],
        "data": {"nodes": [], "edges": []},
        "analytics": {"totalStarted": 5},
        **more,
    }


def load(store: Store, document: dict[str, Any], now: float = NOW) -> None:
    def put(db: Any) -> None:
        workflow_store.put_whole(db, document, now)

    store.write(put).result()


def numbers(store: Store, workflow_id: str = "w1") -> list[int]:
    return [each.number for each in versions.list_versions(store.reading, workflow_id)]


def test_each_content_is_kept_once_with_its_last_modified_and_without_counters(store: Store) -> None:
    load(store, workflow(100), NOW)
    load(store, workflow(110, analytics={"totalStarted": 9}), NOW + 1)  # counters move lastModified too
    load(store, workflow(200, "Welcome back"), NOW + 2)
    load(store, workflow(300), NOW + 3)
    found = versions.list_versions(store.reading, "w1")
    assert [(each.number, each.last_modified, each.at) for each in found] == [
        (3, 300, NOW + 3),
        (2, 200, NOW + 2),
        (1, 100, NOW),
    ]
    document = versions.version_document(store.reading, "w1", 2)
    assert document["name"] == "Welcome back"
    assert document["lastModified"] == 200
    assert "analytics" not in document


def test_a_document_without_last_modified_is_no_version(store: Store) -> None:
    load(store, workflow(None))
    assert numbers(store) == []


def test_a_workflow_that_was_stored_before_versions_were_kept_gets_its_first(store: Store) -> None:
    load(store, workflow(100), NOW)
    store.write(lambda db: db.execute("DELETE FROM outbox.workflow_versions")).result()
    load(store, workflow(100), NOW + 60)
    assert [each.at for each in versions.list_versions(store.reading, "w1")] == [NOW + 60]


def test_only_the_newest_are_kept_and_numbers_go_on(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(versions.MOST, versions.LOADED, 3)
    for at in range(1, 6):
        load(store, workflow(at, f"name {at}"), NOW + at)
    assert numbers(store) == [5, 4, 3]
    with pytest.raises(NotPossible, match="version 2 isn't kept; the kept ones are 3 to 5"):
        versions.version_document(store.reading, "w1", 2)


def test_too_many_bytes_delete_the_oldest_but_never_the_newest_of_a_workflow(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(store, workflow(1, "other", id="w2"))
    load(store, workflow(1, "first"))
    load(store, workflow(2, "second"))
    monkeypatch.setattr(versions, "MAX_BYTES", 1)
    load(store, workflow(3, "third"))
    assert (numbers(store), numbers(store, "w2")) == ([3], [1])


def test_a_damaged_version_is_told_and_stops_nothing_else(store: Store) -> None:
    load(store, workflow(100))
    load(store, workflow(200, "Second"))
    store.write(
        lambda db: db.execute("UPDATE outbox.workflow_versions SET document = x'00' WHERE number = 1")
    ).result()
    with pytest.raises(NotPossible, match="version 1 is damaged"):
        versions.version_document(store.reading, "w1", 1)
    found = versions.compare_each(store.reading, "w1", lambda *_: "compared")
    assert [(each.number, words) for each, words in found] == [
        (2, ""),
        (1, "version 1 is damaged and can't be read"),
    ]


def test_a_workflow_that_is_not_listed_any_more_keeps_its_versions(store: Store) -> None:
    load(store, workflow(100))
    store.write(
        lambda db: workflow_store.put_listing(db, [], has_more=False, requested_at=NOW + 9, now=NOW + 9)
    ).result()
    assert numbers(store) == [1]


def test_versions_are_compared_with_each_other_and_with_the_current_one(store: Store) -> None:
    load(store, workflow(100, "First"))
    load(store, workflow(200, "Second"))
    load(store, workflow(300, "Third"))
    older = compare_versions(store.reading, "w1", 1, 2)
    assert [(each.before, each.after) for each in older.changes if each.field == "name"] == [("First", "Second")]
    newer = compare_versions(store.reading, "w1", 1, None)
    assert [(each.before, each.after) for each in newer.changes if each.field == "name"] == [("First", "Third")]


def test_a_restored_version_is_an_update_of_the_current_one_that_switches_and_moves_nothing(store: Store) -> None:
    load(store, workflow(100, "First", folderId="old", isActive=False))
    load(store, workflow(200, "Second", isActive=True, variables={"x": 1}))
    update = prepare_restore(store.reading, "w1", 1)
    assert update.body["lastModified"] == 200
    assert update.body["name"] == "First"
    assert not {"isActive", "folderId", "analytics", "variables"} & set(update.body)
    assert (update.switches, update.is_older, update.source) == (None, False, "version")
    assert update.stored_parts == ("variables",)
    assert update.differences
    assert json.dumps(update.base["name"]) == '"Second"'


def test_nothing_is_restored_over_a_workflow_that_is_not_loaded(store: Store) -> None:
    load(store, workflow(100))
    store.write(lambda db: db.execute("DELETE FROM workflow_texts")).result()
    with pytest.raises(NotReadYet):
        prepare_restore(store.reading, "w1", 1)


def test_what_is_not_known_is_told() -> None:
    def when(moment: float) -> str:
        return f"at {moment:.0f}"

    assert coverage_words([], when) == NO_VERSIONS
    one, later = VersionRecord(1, 5, 7, 1), VersionRecord(4, 9, 11, 1)
    assert coverage_words([later, one], when) == (
        "Kept since at 7. Unknown: versions from before that, and any that came and went between two loads."
    )
    assert "3 older were deleted" in coverage_words([later], when)


def test_the_table_is_in_the_outbox_which_is_never_thrown_away(store: Store) -> None:
    load(store, workflow(100))
    assert rows(store.reading, "SELECT name FROM outbox.sqlite_master WHERE name = 'workflow_versions'")


OLD_SNAPSHOTS = (
    "INSERT INTO outbox.analytics_snapshots (snapshot_id, workflow_id, at, cause, document)"
    " VALUES (3, 'w1', 5, 'kept by hand', '{}'), (7, 'w1', 6, 'before a reset', '{}')"
)
OLD_VERSION = (
    "INSERT INTO outbox.workflow_versions (workflow_id, number, last_modified, loaded_at, digest, size, document)"
    " VALUES ('w1', 4, 100, 5, 'd', 1, ?)"
)


@pytest.mark.parametrize("is_damaged", [False, True])
def test_what_an_earlier_version_kept_is_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_damaged: bool
) -> None:
    folder = tmp_path / "profile"
    outbox = folder / "outbox.db"
    mine = {**workflow(150, "Mine"), "analytics": None}
    old_file = {"name": "Mine", "lastModified": 100}
    place = hashlib.sha256(f"{os.path.realpath(tmp_path / 'w.json')}\nw1\n100.0".encode()).hexdigest()[:32]
    update = {"version": 150, "change": None, "isMerged": False, "document": mine, "sent": {}}
    with monkeypatch.context() as patch:
        patch.setattr(schema, "OUTBOX_VERSION", 7)
        with Store(folder) as store:
            packed = zlib.compress(json.dumps(workflow(100)).encode())
            store.write(lambda db: db.execute(OLD_VERSION, (packed,)) and None).result()
            store.write(lambda db: db.execute(OLD_SNAPSHOTS) and None).result()
    for name, text in (
        ("exported-workflows/1", json.dumps(workflow(90, "Exported"))),
        ("exported-workflows/2", "{"),
        ("exported-workflows/3", '{"id": null, "lastModified": 1}'),
        ("sent-workflows/4", '{"updates": [{"document": {"id": {}}}]}'),
        (f"sent-workflows/{place}", json.dumps({"updates": [update, {**update, "version": 120}]})),
    ):
        path = folder / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    if is_damaged:
        with outbox.open("r+b") as file:
            file.seek(-4096, os.SEEK_END)
            file.write(b"\xa5" * 4096)
        recovery.mark_damaged(folder)
    else:  # it may be elsewhere, and the other files of the profile aren't beside it
        outbox.rename(tmp_path / "elsewhere.db").chmod(0o600)
        outbox.symlink_to(tmp_path / "elsewhere.db")
    with Store(folder) as store:
        db = store.reading
        assert len(store.just_set_aside) == is_damaged
        assert [each.number for each in versions.list_versions(db, "w1", versions.SNAPSHOT)] == [7, 3]
        assert versions.find(db, "w1", versions.SNAPSHOT, number=3) == {}
        assert versions.version_document(db, "w1", 4)["name"] == "Welcome"
        base = find_base(db, {"lastModified": 90}, "w1")
        assert base is not None
        assert base["name"] == "Exported"
        origin = find_origin(db, tmp_path / "w.json", old_file, workflow(200, "Theirs"))
        assert (origin.file["lastModified"], origin.base) == (150, mine)
        number = store.write(lambda db: versions.keep_snapshot(db, "w1", {}, versions.BY_HAND, NOW)).result()
        assert number == 8
