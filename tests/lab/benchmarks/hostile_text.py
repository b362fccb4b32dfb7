"""Every field in every place with every hostile text: the app, the command lines and the linear mode.

    PYTHONPATH=tests .venv/bin/python -m lab.benchmarks.hostile_text [--rounds N] [--emulators] [--note]

Each round gives each field other sequences than the one before. What is written is parsed byte by byte; with
--emulators it is also painted by pyte and, where node and `@xterm/headless` are there (NODE_PATH says where), by
xterm.js. --note adds to tests/lab/hostile/places.toml what was seen. The exit status is 1 if there was a fault.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from textual.drivers.headless_driver import HeadlessDriver

from kit import SCREEN_KEYS
from lab.hostile import places
from lab.hostile.emulators import emulator_faults
from lab.hostile.fields import text_fields
from lab.hostile.observations import Shown, of_sessions, of_steps
from lab.hostile.platform import HostilePlatform
from lab.hostile.sequences import SEQUENCES
from lab.hostile.sessions import run_sessions
from lab.hostile.walk import Step, actions_of, opened, walk_screen, walk_searches

LOOK = 40
"""So many faults are printed."""


def main() -> int:
    """Run the rounds and print the figures; answers the exit status."""
    parser = argparse.ArgumentParser(description="Hostile text in every field and place.")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--emulators", action="store_true")
    parser.add_argument("--note", action="store_true")
    chosen = parser.parse_args()
    faults: list[str] = []
    seen: Shown = defaultdict(set)
    pairs: set[tuple[str, int]] = set()
    steps_taken = characters = 0
    began = time.monotonic()
    for number in range(chosen.rounds):
        with tempfile.TemporaryDirectory(prefix="hostile-") as name:
            platform = HostilePlatform(number)
            written = run_sessions(Path(name), platform)
            steps = asyncio.run(walk(Path(name) / "store", platform))
        for found, shown in (of_sessions(written), of_steps(steps)):
            faults += found
            for place, fields in shown.items():
                seen[place] |= fields
        if chosen.note:
            places.write(seen)
        if chosen.emulators:
            faults += emulator_faults([(step.place, step.written) for step in steps], list(written.items()))
        pairs |= platform.written
        steps_taken += len(steps)
        characters += sum(map(len, written.values())) + sum(len(step.written) for step in steps)
        print(f"round {number}: {len(faults)} faults, {time.monotonic() - began:,.0f} s", flush=True)
    shown_pairs = sum(map(len, seen.values()))
    print(f"{len(text_fields())} fields x {len(SEQUENCES)} sequences: {len(pairs):,} pairs were sent")
    print(f"{steps_taken:,} steps, {characters:,} characters, {len(seen)} places, {shown_pairs} fields at places")
    for each in faults[:LOOK]:
        print(f"  {each}")
    for each in places.unplaced(seen):
        print(f"  not in places.toml: {each}")
    return 1 if faults or places.unplaced(seen) else 0


async def walk(folder: Path, platform: HostilePlatform) -> list[Step]:
    """Walk through every screen and its actions."""
    wire: list[str] = []
    HeadlessDriver.write = lambda self, data: wire.append(data)  # type: ignore[method-assign]
    async with opened(folder, platform, wire) as walked:
        for key, screen in SCREEN_KEYS.items():
            await walk_screen(walked, key, actions_of(screen))
        await walk_searches(walked)
        return walked.steps


if __name__ == "__main__":
    sys.exit(main())
