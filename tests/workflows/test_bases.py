"""Versions kept with their exports."""

import os
from pathlib import Path

import pytest

from flows.checks.sample_workflows import whole
from frontdesk.workflows import bases
from frontdesk.workflows.bases import FOLDER, find_base, keep_base
from frontdesk.workflows.request_body import export_document


def test_a_version_is_found_by_what_its_export_has_in_it(tmp_path: Path) -> None:
    stored = whole() | {"id": "a/b", "lastModified": 1_700_000_000.5, "analytics": {"totalStarted": 3}}
    assert keep_base(tmp_path, stored)
    file = export_document(stored)
    assert find_base(tmp_path, file | {"name": "changed"}, "a/b") == file
    del file["id"]
    assert find_base(tmp_path, file, "a/b") is not None
    assert find_base(tmp_path, file, "other") is None
    assert find_base(tmp_path, file | {"lastModified": 2}, "a/b") is None
    assert find_base(tmp_path, file | {"lastModified": None}, "a/b") is None
    (kept,) = (tmp_path / FOLDER).iterdir()
    kept.write_text("{")
    assert find_base(tmp_path, file, "a/b") is None


def test_a_file_with_a_version_as_a_whole_number_is_the_same_one(tmp_path: Path) -> None:
    assert keep_base(tmp_path, whole() | {"lastModified": 5.0})
    assert find_base(tmp_path, {"lastModified": 5}, "w") is not None


def test_the_oldest_exports_go_first_and_a_full_disk_stops_no_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bases, "MAX_BASES", 3)
    for at in range(5):
        assert keep_base(tmp_path, {"id": "w", "lastModified": at})
        if at == 0:
            (first,) = (tmp_path / FOLDER).iterdir()
            os.utime(first, (1, 1))
    assert find_base(tmp_path, {"lastModified": 0}, "w") is None
    assert len(list((tmp_path / FOLDER).iterdir())) == 3
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert not keep_base(blocked, {"id": "w", "lastModified": 1})
