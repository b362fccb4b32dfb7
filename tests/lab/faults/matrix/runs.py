"""Runs modes side by side in processes of their own, which can't import `__main__`."""

import multiprocessing
import shutil
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from lab.faults.matrix.bench import run_cells
from lab.faults.matrix.engine_process import Measured, measure
from lab.faults.matrix.files import StartCell, run_starts
from lab.faults.matrix.judgement import Cell
from lab.faults.matrix.modes import Mode
from lab.faults.matrix.page import Results
from lab.faults.matrix.sample import OPERATIONS


def measure_modes(base: Path, modes: list[Mode], jobs: int) -> None:
    """Print the memory and time of each mode, without its cells."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, max_tasks_per_child=1) as pool:
        tasks = [(mode, pool.submit(run_mode, base, mode, cells=False)) for mode in modes]
        for mode, measuring in tasks:
            print(f"{mode.name}: {measuring.result()}", flush=True)


def run_modes(base: Path, modes: list[Mode], jobs: int) -> list[Results]:
    """Run modes side by side, each in a process of its own, and print what each has found."""
    context = multiprocessing.get_context("spawn")
    found: list[Results] = []
    with ProcessPoolExecutor(jobs, context, max_tasks_per_child=1) as pool:
        tasks = [
            (mode, pool.submit(run_mode, base, mode, cells=True), pool.submit(run_mode, base, mode, cells=False))
            for mode in modes
        ]
        for mode, running, measuring in tasks:
            cells, measured = running.result(), measuring.result()
            assert isinstance(cells, list)
            assert isinstance(measured, Measured)
            print("\n".join([*map(str, cells), f"{mode.name}: {measured}", ""]), flush=True)
            found.append(Results(mode, cells, measured))
    return found


def run_files(base: Path) -> list[StartCell]:
    """Start an engine on each replaced file, with the store that knows everything."""
    with tempfile.TemporaryDirectory(dir=base) as name:
        return run_starts(Path(name), base / "warm" / "profile")


def run_mode(base: Path, mode: Mode, *, cells: bool) -> list[Cell] | Measured:
    """Run one mode at every operation, or measure the engine's process under it; in a process of its own."""
    with tempfile.TemporaryDirectory(dir=base) as name:
        folder = Path(name)
        shutil.copytree(base / "data", folder / "data")
        shutil.copytree(base / "warm" / "profile", folder / "profile")
        if cells:
            return run_cells(folder, folder / "data", [(mode, each) for each in OPERATIONS])
        return measure(folder, folder / "data", folder / "profile", mode)
