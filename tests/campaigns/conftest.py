"""Lists read in the process of the tests: a child has to start Python and load the numbers of all countries.

`tests/campaigns/audience` and the tests that ask for `child_reads` read them as the program does.
"""

from collections.abc import Callable
from io import StringIO
from typing import Any, Generic, TextIO, TypeVar

import pytest

from frontdesk_lists import subprocess_reader
from frontdesk_lists.models import ColumnMapping, ListFile, Progress, ReadStopped
from frontdesk_lists.reader import read, read_layout

ResultT = TypeVar("ResultT")


class LocalRead(Generic[ResultT]):
    """Stands for `subprocess_reader.BackgroundRead`; what was read goes through the same JSON."""

    def __init__(
        self, request: dict[str, Any], load: Callable[[TextIO], ResultT], max_seconds: float, max_memory: int
    ) -> None:
        self.rows = 0
        self.share = 0.0
        self._request = request
        self._load = load
        self._is_stopped = False

    def wait(self, progress: Progress | None = None) -> ResultT:
        def report(rows: int, share: float) -> None:
            self._raise_if_stopped()
            self.rows, self.share = rows, share
            if progress is not None:
                progress(rows, share)

        self._raise_if_stopped()
        file, result = ListFile(**self._request["file"]), StringIO()
        if "columns" in self._request:
            columns = ColumnMapping(**self._request["columns"])
            subprocess_reader.save_audience(read(file, columns, report), result)
        else:
            subprocess_reader.save_layout(read_layout(file), result)
        self._raise_if_stopped()
        result.seek(0)
        return self._load(result)

    def stop(self) -> None:
        self._is_stopped = True

    def _raise_if_stopped(self) -> None:
        if self._is_stopped:
            raise ReadStopped("stopped")


@pytest.fixture
def local_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess_reader, "BackgroundRead", LocalRead)


@pytest.fixture
def child_reads(local_reads: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a test of a file whose others read in this process."""
    monkeypatch.setattr(subprocess_reader, "BackgroundRead", BACKGROUND_READ)


BACKGROUND_READ = subprocess_reader.BackgroundRead
