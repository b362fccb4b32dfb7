"""Versions kept with their exports, and what files stand for after an update."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from flows.checks.sample_workflows import whole
from frontdesk.storage.database import Store
from frontdesk.workflows import versions
from frontdesk.workflows.request_body import export_document
from frontdesk.workflows.versions import find_base, find_origin, keep_base, keep_sent

NOW = 1_700_000_000.0


def keep(store: Store, stored: dict[str, Any]) -> None:
    store.write(partial(keep_base, stored=stored, now=NOW)).result()


def test_a_version_is_found_by_what_its_export_has_in_it(store: Store) -> None:
    stored = whole() | {"id": "a/b", "lastModified": 1_700_000_000.5, "analytics": {"totalStarted": 3}}
    keep(store, stored)
    file = export_document(stored)
    assert find_base(store.reading, file | {"name": "changed"}, "a/b") == file
    del file["id"]
    assert find_base(store.reading, file, "a/b") is not None
    assert find_base(store.reading, file, "other") is None
    assert find_base(store.reading, file | {"lastModified": 2}, "a/b") is None
    assert find_base(store.reading, file | {"lastModified": None}, "a/b") is None
    store.write(lambda db: db.execute("UPDATE outbox.workflow_versions SET document = x'00'")).result()
    assert find_base(store.reading, file, "a/b") is None


def test_a_file_with_a_version_as_a_whole_number_is_the_same_one(store: Store) -> None:
    keep(store, whole() | {"lastModified": 5.0})
    assert find_base(store.reading, {"lastModified": 5}, "w") is not None


def test_an_export_is_kept_once_and_the_oldest_go_first(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(versions.MOST, versions.EXPORTED, 3)
    for at in (0, 1, 2, 1, 3, 4):
        keep(store, {"id": "w", "lastModified": at})
    found = versions.list_versions(store.reading, "w", versions.EXPORTED)
    assert [each.last_modified for each in found] == [4, 3, 1]
    keep(store, {"id": "w", "name": "without a version"})
    assert len(versions.list_versions(store.reading, "w", versions.EXPORTED)) == 3


def test_a_file_stands_for_what_its_own_last_update_stored(store: Store, tmp_path: Path) -> None:
    path, stored = tmp_path / "w.json", whole() | {"lastModified": 10}
    file: dict[str, Any] = export_document(stored) | {"name": "Mine"}
    store.write(lambda db: keep_sent(db, path, file, stored, NOW, version=20)).result()
    now = stored | {"name": "Mine", "lastModified": 20}
    origin = find_origin(store.reading, path, file | {"name": "Again"}, now)
    assert (origin.file["lastModified"], origin.file["name"]) == (20, "Again")
    assert origin.base is not None
    assert origin.base["name"] == "Mine"
    assert find_origin(store.reading, tmp_path / "other.json", file, now).base is None
    store.write(lambda db: keep_sent(db, path, file, stored, NOW, change_id=7)).result()
    assert find_origin(store.reading, path, file, now).file["lastModified"] == 20, "it's stored as it was sent"
    others = now | {"notes": "theirs", "lastModified": 30}
    assert find_origin(store.reading, path, file, others).file["lastModified"] == 20, "of the one before"
