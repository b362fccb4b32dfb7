"""The constraints fit pyproject.toml, the hashes are theirs, and a plain installation stays small."""

import re
from importlib.metadata import distribution
from importlib.util import cache_from_source
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from ci.installed_packages import PROJECT, REPOSITORY, name_of, plain_installation

MAX_BYTES = 110_000_000
"""Of a plain installation with its bytecode, without Python, pip and setuptools."""

BYTECODE_SHARE = 1.8
"""The size of bytecode by that of its source, where an installer left compiling to the first start."""

LEFT_OUT = ("fuzz", "mutation")
"""Extras that neither people nor CI install, and whose packages aren't pinned."""

COMPILE = "run .venv/bin/nox -f .ci/noxfile.py -s constraints"

LINE = re.compile(r"([a-z0-9-]+)==(\S+)( ; .+?)? +# via (.+)")
HASHES = re.compile(r"([a-z0-9-]+)==(\S+)( ; .+?)?(?: --hash=sha256:[0-9a-f]{64})+")


def lines_of(name: str) -> list[str]:
    """Return the lines of a file in .ci, without comments; a continued line is one."""
    text = (REPOSITORY / ".ci" / name).read_text(encoding="utf-8")
    lines = re.sub(r" \\\n +", " ", text).splitlines()
    return [each for each in lines if not each.startswith("#")]


def test_the_constraints_fit_what_the_project_requires() -> None:
    found = {each[1]: each for each in map(LINE.fullmatch, lines_of("constraints.txt")) if each}
    optional = [each for extra, each in PROJECT["optional-dependencies"].items() if extra not in LEFT_OUT]
    required = [*map(Requirement, chain(PROJECT["dependencies"], *optional))]
    unmet = [str(each) for each in required if name_of(each) != "frontdesk" and not is_met(each, found)]
    assert not unmet, f"{unmet}; {COMPILE}"
    direct = {name for name, each in found.items() if "frontdesk (pyproject.toml)" in each[4]}
    assert direct == {*map(name_of, required)} - {"frontdesk"}, COMPILE


def is_met(required: Requirement, pinned: dict[str, re.Match[str]]) -> bool:
    name = name_of(required)
    return name in pinned and required.specifier.contains(pinned[name][2], prereleases=True)


def test_the_hashes_are_of_the_constraints_and_neither_file_has_an_option_or_an_address() -> None:
    pinned = [LINE.fullmatch(each) for each in lines_of("constraints.txt")]
    hashed = [HASHES.fullmatch(each) for each in lines_of("hashes.txt")]
    assert [each and each.groups()[:3] for each in pinned] == [each and each.groups() for each in hashed], COMPILE
    assert None not in pinned


@pytest.mark.slow
def test_a_plain_installation_is_small() -> None:
    """By the packages' own lists of files, so that nothing is downloaded, and extras don't count."""
    sizes = {name: size_of(name) for name in plain_installation()}
    program = REPOSITORY / "src"
    sizes["frontdesk"] = sum(with_bytecode(each) for each in program.rglob("*") if "__pycache__" not in each.parts)
    largest = sorted(sizes.items(), key=lambda each: -each[1])[:12]
    listed = ", ".join(f"{name} {size / 1e6:.1f}" for name, size in largest)
    assert sum(sizes.values()) <= MAX_BYTES, f"{sum(sizes.values()) / 1e6:.1f} MB: {listed}"
    assert {"textual", "uvicorn", "linkify-it-py"} <= set(sizes), "what the program runs on"
    assert min(sizes.values()) > 1_000, "each package must have told its files"


def size_of(name: str) -> int:
    files = distribution(name).files or ()
    return sum(with_bytecode(Path(str(each.locate()))) for each in files if each.suffix != ".pyc")


def with_bytecode(path: Path) -> int:
    """Return the bytes of a file, and of its bytecode, compiled or to be compiled."""
    if not path.is_file():
        return 0
    size = path.stat().st_size
    if path.suffix != ".py":
        return size
    compiled = Path(cache_from_source(str(path)))
    return size + (compiled.stat().st_size if compiled.is_file() else int(size * BYTECODE_SHARE))
