"""The kept inputs of each target: read, written, and reduced to those that reach something new.

A file per target, an input a line, written as Python writes bytes, so that a change of it can be read.
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from types import FrameType
from typing import Any

from lab.fuzz.targets import Target

FOLDER = Path(__file__).parent / "corpus"
MAX_INPUTS = 250
"""Per target; the smaller ones are kept."""

Feature = tuple[str, int, int, int]
"""A file, a line, the line after it, and how often in powers of two."""


def path_of(name: str) -> Path:
    """The file of a target's inputs."""
    return FOLDER / f"{name}.txt"


def load(name: str) -> list[bytes]:
    """A target's inputs; empty where none were kept yet."""
    path = path_of(name)
    return [ast.literal_eval(line) for line in path.read_text("ascii").splitlines()] if path.exists() else []


def save(name: str, inputs: Iterable[bytes]) -> None:
    """Write a target's inputs, the shortest first."""
    lines = [repr(each) for each in sorted(set(inputs), key=lambda each: (len(each), each))]
    path_of(name).write_text("".join(f"{line}\n" for line in lines), "ascii")


def features_of(target: Target, data: bytes) -> set[Feature]:
    """The steps from line to line that an input takes in the target's packages, and roughly how often."""
    parts = tuple(package.replace(".", "/") for package in target.instrument)
    found: Counter[tuple[str, int, int]] = Counter()

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        name = frame.f_code.co_filename
        if not any(part in name for part in parts):
            return None
        last = 0

        def step(frame: FrameType, event: str, _argument: Any) -> Any:
            nonlocal last
            if event == "line":
                found[name, last, frame.f_lineno] += 1
                last = frame.f_lineno
            return step

        return step

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        target.run(data)
    finally:
        sys.settrace(before)
    return {(*step, times.bit_length()) for step, times in found.items()}


def reduce(target: Target, inputs: Iterable[bytes]) -> list[bytes]:
    """The inputs, the shortest first, that each reach something which no shorter one does."""
    kept: list[bytes] = []
    known: set[Feature] = set()
    for data in sorted(set(inputs), key=lambda each: (len(each), each)):
        features = features_of(target, data)
        if features - known:
            known |= features
            kept.append(data)
    return kept[:MAX_INPUTS]
