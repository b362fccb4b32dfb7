"""A list read by a child process: the same answers, its progress, its end on demand and at its limits."""

import os
import threading
from pathlib import Path

import pytest

from frontdesk_lists import subprocess_reader
from frontdesk_lists.models import AudienceError, ColumnMapping, ReadStopped
from frontdesk_lists.subprocess_reader import read_in_background, read_layout_in_background
from lists.sample_files import list_file, read, read_layout, workbook

FIRST = ColumnMapping(0, 1, None, False)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "רשימה.csv"


def leftovers() -> list[str]:
    """Nobody's numbers stay behind in a file."""
    return os.listdir(os.environ["TMPDIR"])


@pytest.fixture(autouse=True)
def _own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)


def test_it_answers_as_if_it_were_read_here(path: Path) -> None:
    path.write_bytes("Phone;שם\n050-2345678;דנה\n\x1b[31m;x\n0502345678;y\n0521234567;נועה\n".encode("cp1255"))
    seen = read_layout_in_background(list_file(path, country="IL")).wait()
    assert seen == read_layout(path, country="IL")
    assert seen.columns is not None
    told: list[tuple[int, float]] = []
    reading = read_in_background(list_file(path, country="IL", encoding="cp1255"), seen.columns)
    audience = reading.wait(lambda rows, share: told.append((rows, share)))
    assert audience == read(path, seen.columns, "IL", encoding="cp1255")
    assert audience.refused.count == audience.duplicates.count == audience.doubtful.count == 1
    assert told[-1] == (4, 1.0)
    assert leftovers() == []


def test_what_is_wrong_comes_back_in_words(path: Path) -> None:
    with pytest.raises(AudienceError, match="file not found"):
        read_layout_in_background(list_file(path)).wait()
    path.write_text("")
    with pytest.raises(AudienceError, match="empty"):
        read_in_background(list_file(path), FIRST).wait()
    assert leftovers() == []


def test_it_can_be_stopped_while_it_is_waited_for(path: Path) -> None:
    path.write_text("0502345678,x\n" * 900_000)
    reading = read_in_background(list_file(path, country="IL"), FIRST)
    begun = threading.Event()
    ended: list[BaseException] = []
    told: list[float] = []

    def wait() -> None:
        try:
            reading.wait(lambda _rows, share: (told.append(share), begun.set()))
        except ReadStopped as stopped:
            ended.append(stopped)

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert begun.wait(60)
    reading.stop()
    waiting.join(60)
    assert len(ended) == 1
    assert 0 < told[-1] < 1
    with pytest.raises(ProcessLookupError):
        os.kill(reading.child.pid, 0)
    reading.stop()
    assert leftovers() == []


def test_it_can_be_stopped_before_it_is_waited_for(path: Path) -> None:
    path.write_text("0502345678\n")
    reading = read_in_background(list_file(path, country="IL"), FIRST)
    reading.stop()
    with pytest.raises(ReadStopped):
        reading.wait()
    assert leftovers() == []


def test_stopping_waits_for_nobody(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is called where keys are read, and a child in a system call on a dead network ends when it can."""
    path.write_text("0502345678\n")
    reading = read_in_background(list_file(path, country="IL"), FIRST)
    waits: list[object] = []
    with monkeypatch.context() as patched:
        patched.setattr(reading.child, "wait", lambda timeout=None: waits.append(timeout))
        reading.stop()
    assert waits == []
    with pytest.raises(ReadStopped):
        reading.wait()


def test_a_file_that_needs_more_memory_than_it_may_have(tmp_path: Path) -> None:
    # Cells without a place of their own pass the check, and the library keeps the whole area that they span.
    rows = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1000000">' + "<c><v>1</v></c>" * 900 + "</row>"
    made = workbook(tmp_path / "list.xlsx", {"A": rows})
    with pytest.raises(AudienceError, match="memory"):
        read_in_background(list_file(made), FIRST).wait()
    assert leftovers() == []


def test_a_file_that_needs_more_time_than_it_may_have(path: Path) -> None:
    path.write_text("0502345678,x\n" * 900_000)
    with pytest.raises(AudienceError, match=r"longer than 0 s"):
        read_in_background(list_file(path, country="IL"), FIRST, max_seconds=0.2).wait()


def test_a_machine_that_starts_no_process(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess_reader.sys, "executable", "/nowhere/python")
    with pytest.raises(AudienceError, match="couldn't load the list"):
        read_layout_in_background(list_file(path))
    assert leftovers() == []
