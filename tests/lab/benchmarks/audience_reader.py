"""What lists of recipients cost: seconds and memory for 100,000 rows, and memory for 500 MB.

    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.audience_reader FOLDER

FOLDER is for the files that it makes, 1.2 GB in all; those that are there are used again. Each is read by a child
process, as from a screen; the memory is that child's largest.
"""

import random
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from frontdesk_lists.models import MAX_ROWS, AudienceError, ColumnMapping, ListFile
from frontdesk_lists.subprocess_reader import read_in_background, read_layout_in_background
from lists.sample_files import workbook

ROWS = 100_000
LARGE_BYTES = 500 << 20
TARGET_SECONDS = 10.0
PERSON = "050-{:07d},Dana Levi {},Haifa\n"


def main(folder: Path) -> None:
    """Print each figure beside its target."""
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(6)
    numbers = [chance.randrange(2_000_000, 10_000_000) for _ in range(ROWS)]
    lists = {
        "people.csv": lambda path: _write(path, (PERSON.format(one, at) for at, one in enumerate(numbers))),
        "abroad.csv": lambda path: _write(
            path, (f"+1 212-{one // 10_000}-{one % 10_000:04d}\n" for one in numbers)
        ),
        "doubtful.csv": lambda path: _write(path, (f"052-1{one % 1_000_000:06d},x,y\n" for one in numbers)),
        "refused.csv": lambda path: _write(path, (f"9.7{one % 100:02d}E+11,x,y\n" for one in numbers)),
        "people.xlsx": lambda path: _sheet(path, ([f"050{one:07d}", f"Dana {one}", "Haifa"] for one in numbers)),
        "numbers.xlsx": lambda path: _sheet(path, ([972_500_000_000 + one, "Dana", "Haifa"] for one in numbers)),
        "long.csv": lambda path: _write(path, _until(LARGE_BYTES, "")),
        "wide.csv": lambda path: _write(path, _until(LARGE_BYTES, "x" * 520)),
    }
    for name, make in lists.items():
        path = folder / name
        if not path.exists():
            make(path)
        _measure(path)


def _measure(path: Path) -> None:
    began = time.perf_counter()
    read_layout_in_background(ListFile(str(path), country="IL")).wait()
    looked = time.perf_counter()
    reading = read_in_background(ListFile(str(path), country="IL"), ColumnMapping(0, 1, None, True))
    largest = _watch(reading.child.pid)
    try:
        audience = reading.wait()
        found = f"{audience.rows:,} rows, {len(audience.recipients):,} recipients"
    except AudienceError as error:
        found = str(error)[:60]
    seconds = time.perf_counter() - looked
    target = f"(target {TARGET_SECONDS:.0f} s)" if path.stat().st_size < LARGE_BYTES // 2 else ""
    print(
        f"{path.name:14} {path.stat().st_size / 1e6:6.1f} MB  look {looked - began:5.2f} s  "
        f"read {seconds:6.2f} s {target:13} {largest():5.0f} MB  {found}",
        flush=True,
    )


def _watch(child: int) -> Callable[[], float]:
    """A function that answers the largest memory, in MB, that the child had while it lived."""
    seen = [0.0]

    def watch() -> None:
        status = Path(f"/proc/{child}/status")
        while True:
            try:
                found = re.search(r"VmHWM:\s+(\d+)", status.read_text())
            except OSError:
                return
            if found is None:
                return
            seen[0] = int(found[1]) / 1024
            time.sleep(0.02)

    threading.Thread(target=watch, daemon=True).start()
    return lambda: seen[0]


def _sheet(path: Path, rows: Iterator[list[object]]) -> None:
    workbook(path, {"List": [["Phone", "Name", "City"], *rows]})


def _write(path: Path, lines: Iterator[str]) -> None:
    with path.open("w") as file:
        file.write("Phone,Name,City\n")
        file.writelines(lines)


def _until(size: int, padding: str) -> Iterator[str]:
    written = at = 0
    while written < size and (not padding or at < MAX_ROWS - 1):
        line = f"05{at % 100_000_000:08d},Dana Levi {at},{padding}\n"
        written += len(line)
        at += 1
        yield line


if __name__ == "__main__":
    main(Path(sys.argv[1]))
