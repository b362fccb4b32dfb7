"""Runs the whole matrix and writes faults.md beside this file.

    PYTHONPATH=tests .venv/bin/python -m lab.faults.matrix [--jobs N] [--only MODE]... [--no-cells]

With `--only` it runs these modes and prints what it finds, with `--no-cells` only their memory and times. It is
meant for a machine with little else to do: the engine's clock runs ten times as fast, so a pause of the machine is
ten times as long.
"""

import argparse
import shutil
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from frontdesk_sandbox.options import SandboxOptions
from frontdesk_sandbox.world import open_world
from lab.faults.matrix.bench import read_everything
from lab.faults.matrix.modes import MODES
from lab.faults.matrix.page import write_page
from lab.faults.matrix.runs import measure_modes, run_files, run_modes


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=6, help="processes at the same time")
    parser.add_argument("--only", action="append", choices=[each.name for each in MODES])
    parser.add_argument("--no-cells", action="store_true", help="only measure the engine's memory and times")
    options = parser.parse_args(argv)
    modes = [each for each in MODES if options.only is None or each.name in options.only]
    with tempfile.TemporaryDirectory(prefix="faults-matrix-") as name:
        base = Path(name)
        open_world(SandboxOptions(data=base / "data", crowd=False)).close()
        (base / "warm").mkdir()
        shutil.copytree(base / "data", base / "warm" / "data")
        read_everything(base / "warm", base / "warm" / "data")
        if options.no_cells:
            measure_modes(base, modes, options.jobs)
            return 0
        results = run_modes(base, modes, options.jobs)
        if options.only is None:
            starts = run_files(base)
            write_page(results, starts, datetime.now(UTC).date())
    return 1 if any(cell.findings for each in results for cell in each.cells) else 0


if __name__ == "__main__":
    sys.exit(main())
