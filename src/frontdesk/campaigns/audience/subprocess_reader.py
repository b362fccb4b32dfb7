"""Read lists in a child process under limits of memory and time, so that no file can slow down or end a screen.

The child (`__main__`) writes its progress as JSON Lines to its output, and its result to a temporary file without
a name, so that nobody's numbers stay in a folder.
"""

import json
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from itertools import islice
from typing import Any, Generic, TextIO, TypeVar

from frontdesk.campaigns.audience.models import (
    MAX_LISTED,
    Audience,
    AudienceError,
    ColumnMapping,
    ListedRecipient,
    ListFile,
    ListLayout,
    Progress,
    RefusedRow,
    Stopped,
)

MAX_MEMORY = 2 << 30
"""Bytes of address space that the child may take."""
MAX_SECONDS = 600.0
MAX_LAYOUT_SECONDS = 60.0

NO_MEMORY = 3
"""The child's status when it was refused memory."""

_OUT_OF_MEMORY = (NO_MEMORY, -signal.SIGABRT, -signal.SIGKILL, -signal.SIGSEGV)
"""How the child ends when it asks for more than it may have: Python says so, the library in Rust aborts."""

ResultT = TypeVar("ResultT")


class BackgroundRead(Generic[ResultT]):
    """A read that runs in another process; `rows` and `share` (0 to 1) tell its progress."""

    def __init__(
        self, request: dict[str, Any], load: Callable[[TextIO], ResultT], most_seconds: float, most_memory: int
    ) -> None:
        self.rows = 0
        self.share = 0.0
        self._load = load
        self._stopped = False
        self._late = False
        self._seconds = most_seconds
        self._memory = most_memory
        self._result = tempfile.TemporaryFile("w+", encoding="ascii")  # noqa: SIM115 - `wait` closes it
        result = self._result.fileno()
        request = {**request, "result": result, "memory": most_memory, "seconds": most_seconds}
        try:
            self.child = subprocess.Popen(
                # -P: whatever lies in the folder that we were started in is no module of ours.
                [sys.executable, "-P", "-m", "frontdesk.campaigns.audience"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=(result,),
                start_new_session=True,  # ctrl+c is for us; we end it
            )
        except OSError as error:
            self._result.close()
            raise AudienceError(f"the list can't be read now: {error.strerror}") from None
        assert self.child.stdin is not None
        with suppress(BrokenPipeError), self.child.stdin as asking:  # it ended at once; `wait` says so
            asking.write(json.dumps(request).encode())

    def wait(self, progress: Progress | None = None) -> ResultT:
        """Wait for the end, never on the UI loop; raises `Stopped` after `stop`, or `AudienceError`."""
        clock = threading.Timer(self._seconds, self._out_of_time)
        clock.daemon = True
        clock.start()
        try:
            refusal = self._follow(progress)
            status = self.child.wait()
            if self._stopped:
                raise Stopped("stopped")
            if refusal is not None:
                raise AudienceError(refusal)
            if status != 0:
                raise AudienceError(self._why_it_ended(status))
            self._result.seek(0)
            return self._load(self._result)
        finally:
            clock.cancel()
            self._end()
            self._result.close()

    def stop(self) -> None:
        """End the read; `wait` raises `Stopped`. Doesn't wait: a child on a lost network drive takes long."""
        self._stopped = True
        self.child.kill()

    def _follow(self, progress: Progress | None) -> str | None:
        assert self.child.stdout is not None
        refusal: str | None = None
        for line in self.child.stdout:
            try:
                message = json.loads(line)
            except ValueError:  # cut off as the child was ended
                continue
            if "refused" in message:
                refusal = str(message["refused"])
                continue
            self.rows, self.share = int(message["rows"]), float(message["share"])
            if progress is not None:
                progress(self.rows, self.share)
        self.child.stdout.close()
        return refusal

    def _out_of_time(self) -> None:
        self._late = True
        self._end()

    def _end(self) -> None:
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait()

    def _why_it_ended(self, status: int) -> str:
        if self._late or status == -signal.SIGXCPU:
            return f"reading takes longer than {self._seconds:,.0f} s: save the list's columns alone, as CSV"
        if status in _OUT_OF_MEMORY:
            size = f"{self._memory >> 20:,} MB"
            return f"reading takes more than {size} of memory: save the list's columns alone, as CSV"
        return f"reading ended by itself (status {status}); save the list's columns alone, as CSV"


def read_layout_in_background(
    file: ListFile, *, most_seconds: float = MAX_LAYOUT_SECONDS, most_memory: int = MAX_MEMORY
) -> BackgroundRead[ListLayout]:
    """`reader.read_layout` in a child process."""
    return BackgroundRead({"file": asdict(file)}, load_layout, most_seconds, most_memory)


def read_in_background(
    file: ListFile,
    columns: ColumnMapping,
    *,
    most: int = MAX_LISTED,
    most_seconds: float = MAX_SECONDS,
    most_memory: int = MAX_MEMORY,
) -> BackgroundRead[Audience]:
    """`reader.read` in a child process."""
    request = {"file": asdict(file), "columns": asdict(columns), "most": most}
    return BackgroundRead(request, load_audience, most_seconds, most_memory)


def save_layout(layout: ListLayout, file: TextIO) -> None:
    """Write a layout as one line of JSON."""
    _write(file, [asdict(layout)])


def load_layout(file: TextIO) -> ListLayout:
    """Read what `save_layout` wrote."""
    fields = json.loads(file.readline())
    saved = fields["columns"]
    fields |= {
        "columns": None if saved is None else ColumnMapping(**saved),
        "sheets": tuple(fields["sheets"]),
        "notes": tuple(fields["notes"]),
        "head": tuple(tuple(row) for row in fields["head"]),
    }
    return ListLayout(**fields)


def save_audience(audience: Audience, file: TextIO) -> None:
    """Write the counts in the first line, then a line for each row of each kind."""
    listed = [getattr(audience, name) for name in _LISTED]
    counts = {name: getattr(audience, name) for name in _COUNTS}
    _write(file, [counts | {"lines": [len(audience.recipients), *map(len, listed)]}])
    _write(file, ([each.number, each.name, each.country, each.line] for each in audience.recipients))
    for rows in listed:
        _write(file, ([each.line, each.reason, each.value] for each in rows))


def load_audience(file: TextIO) -> Audience:
    """Read what `save_audience` wrote."""
    counts = json.loads(file.readline())
    recipients, *listed = counts.pop("lines")
    rows: Iterator[list[Any]] = map(json.loads, file)
    made = tuple(ListedRecipient(*row) for row in islice(rows, recipients))
    refused, duplicates, doubtful = (tuple(RefusedRow(*row) for row in islice(rows, count)) for count in listed)
    return Audience(recipients=made, refused=refused, duplicates=duplicates, doubtful=doubtful, **counts)


_LISTED = ("refused", "duplicates", "doubtful")
_COUNTS = ("rows", "digest", "more_refused", "more_duplicates", "more_doubtful")


def _write(file: TextIO, lines: Iterable[object]) -> None:
    for line in lines:
        file.write(json.dumps(line, separators=(",", ":")) + "\n")
