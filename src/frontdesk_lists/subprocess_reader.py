"""Parse lists in a child process under limits of memory and time, so that no file can slow down or end a screen.

The child runs this module: it reads a request as JSON from its input, and writes its progress as JSON Lines to its
output and its result to a temporary file without a name, so that nobody's numbers stay in a folder.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Generic, TextIO, TypeVar

from frontdesk_lists.models import (
    Audience,
    AudienceError,
    ColumnMapping,
    CountryCount,
    CountrySample,
    HomeCountry,
    ListedRecipient,
    ListFile,
    ListLayout,
    Progress,
    ReadStopped,
    RefusedRow,
    RefusedRows,
)

MAX_MEMORY = 2 << 30
"""Bytes of address space that the child may take."""
MAX_SECONDS = 600.0
MAX_LAYOUT_SECONDS = 60.0

NO_MEMORY = 3
"""The child's status when it was refused memory."""

_OUT_OF_MEMORY = (NO_MEMORY, -signal.SIGABRT, -signal.SIGKILL, -signal.SIGSEGV)
"""Statuses of a child that asks for more memory than it may have: Python says so, the library in Rust aborts."""

_NEEDED = ("PATH", "LANG", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")

ResultT = TypeVar("ResultT")


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return what Python itself needs: a library that reads strangers' files gets nobody's credentials."""
    return {name: each for name, each in environ.items() if name in _NEEDED or name.startswith(("LC_", "PYTHON"))}


class BackgroundRead(Generic[ResultT]):
    """A read that runs in another process."""

    def __init__(
        self, request: dict[str, Any], load: Callable[[TextIO], ResultT], max_seconds: float, max_memory: int
    ) -> None:
        self._load = load
        self._stopped = False
        self._late = False
        self._seconds = max_seconds
        self._memory = max_memory
        self._result = tempfile.TemporaryFile("w+", encoding="ascii")  # noqa: SIM115 - `wait` closes it
        result = self._result.fileno()
        request = {**request, "result": result, "memory": max_memory, "seconds": max_seconds}
        try:
            self.child = subprocess.Popen(
                # -P: files in the current folder aren't modules of ours.
                [sys.executable, "-P", "-m", "frontdesk_lists.subprocess_reader"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(os.environ),
                pass_fds=(result,),
                start_new_session=True,  # ctrl+c is for us; we end it
            )
        except OSError as error:
            self._result.close()
            raise AudienceError(f"couldn't load the list: {error.strerror}") from None
        assert self.child.stdin is not None
        with suppress(BrokenPipeError), self.child.stdin as stdin:  # it ended at once; `wait` says so
            stdin.write(json.dumps(request).encode())

    def wait(self, progress: Progress | None = None) -> ResultT:
        """Wait for the end, never on the UI loop; raises `ReadStopped` after `stop`, or `AudienceError`."""
        clock = threading.Timer(self._seconds, self._out_of_time)
        clock.daemon = True
        clock.start()
        try:
            refusal = self._follow(progress)
            status = self.child.wait()
            if self._stopped:
                raise ReadStopped("stopped")
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
        """End the read; `wait` raises `ReadStopped`. Doesn't wait: a child on a lost network drive takes long."""
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
            if progress is not None:
                progress(int(message["rows"]), float(message["share"]))
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
            return f"reading took longer than {self._seconds:,.0f} s; save only the columns you need, as CSV"
        if status in _OUT_OF_MEMORY:
            size = f"{self._memory >> 20:,} MB"
            return f"reading needs more than {size} of memory; save only the columns you need, as CSV"
        return f"reading stopped unexpectedly (status {status}); save only the columns you need, as CSV"


def read_layout_in_background(
    file: ListFile, *, max_seconds: float = MAX_LAYOUT_SECONDS, max_memory: int = MAX_MEMORY
) -> BackgroundRead[ListLayout]:
    """`reader.read_layout` in a child process."""
    return BackgroundRead({"file": asdict(file)}, load_layout, max_seconds, max_memory)


def read_in_background(
    file: ListFile, columns: ColumnMapping, *, max_seconds: float = MAX_SECONDS, max_memory: int = MAX_MEMORY
) -> BackgroundRead[Audience]:
    """`reader.read` in a child process."""
    request = {"file": asdict(file), "columns": asdict(columns)}
    return BackgroundRead(request, load_audience, max_seconds, max_memory)


def save_layout(layout: ListLayout, file: TextIO) -> None:
    _write(file, asdict(layout))


def load_layout(file: TextIO) -> ListLayout:
    fields = json.load(file)
    saved = fields["columns"]
    fields |= {
        "columns": None if saved is None else ColumnMapping(**saved),
        "sheets": tuple(fields["sheets"]),
        "notes": tuple(fields["notes"]),
        "head": tuple(tuple(row) for row in fields["head"]),
        "home": _home(fields["home"]),
        "rivals": {name: tuple(ats) for name, ats in fields["rivals"].items()},
    }
    return ListLayout(**fields)


def save_audience(audience: Audience, file: TextIO) -> None:
    """Write an audience: its recipients in a line each, so that reading them stops no other thread for long."""
    saved = {name: getattr(audience, name) for name in _COUNTS}
    for name in _LISTED:
        rows: RefusedRows = getattr(audience, name)
        saved[name] = ([(each.line, each.reason, each.value) for each in rows.kept], rows.count)
    saved["countries"] = [asdict(each) for each in audience.countries]
    _write(file, {**saved, "home": None if audience.home is None else asdict(audience.home)})
    for each in audience.recipients:
        file.write("\n")
        _write(file, (each.number, each.name, each.country, each.line))


def load_audience(file: TextIO) -> Audience:
    fields = json.loads(file.readline())
    for name in _LISTED:
        kept, count = fields[name]
        fields[name] = RefusedRows(tuple(RefusedRow(*row) for row in kept), count)
    fields["recipients"] = tuple(ListedRecipient(*json.loads(line)) for line in file)
    fields["countries"] = tuple(
        CountryCount(**{**each, "samples": tuple(CountrySample(**sample) for sample in each["samples"])})
        for each in fields["countries"]
    )
    return Audience(**{**fields, "home": _home(fields["home"])})


def _home(saved: dict[str, Any] | None) -> HomeCountry | None:
    return None if saved is None else HomeCountry(**saved)


_LISTED = ("refused", "duplicates", "doubtful")
_COUNTS = ("rows", "digest", "skipped", "hidden", "undecided", "rounded", "contradicted")


def _write(file: TextIO, saved: object) -> None:
    file.write(json.dumps(saved, separators=(",", ":")))


def main() -> int:
    # Only the child loads them: they bring the numbers of all countries.
    from frontdesk_lists.layout import reason_of
    from frontdesk_lists.reader import read, read_layout

    request = json.load(sys.stdin)
    _limit(request["memory"], request["seconds"])
    try:
        with open(request["result"], "w", encoding="ascii") as result:
            file = ListFile(**request["file"])
            if "columns" in request:
                columns = ColumnMapping(**request["columns"])
                save_audience(read(file, columns, _report), result)
            else:
                save_layout(read_layout(file), result)
    except AudienceError as error:
        _write_message({"refused": str(error)})
    except MemoryError:
        return NO_MEMORY
    except BrokenPipeError:
        return 1
    except OSError as error:
        _write_message({"refused": f"couldn't save the result: {reason_of(error)}"})
    return 0


def _limit(memory: int, seconds: float) -> None:
    wanted = {resource.RLIMIT_AS: memory, resource.RLIMIT_CPU: int(seconds) + 5, resource.RLIMIT_CORE: 0}
    for limit, value in wanted.items():
        _, hard = resource.getrlimit(limit)
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        with suppress(ValueError, OSError):  # not every system limits everything
            resource.setrlimit(limit, (value, hard))


def _report(rows: int, share: float) -> None:
    _write_message({"rows": rows, "share": round(share, 4)})


def _write_message(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
