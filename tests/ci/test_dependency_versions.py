"""The constraints file covers an installation and can be met, and a plain installation stays small."""

import re
import runpy
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPT = REPOSITORY / ".ci" / "dependency_versions.py"

MAX_BYTES = 110_000_000
"""Of a plain installation with its bytecode, without Python, pip and setuptools."""

BYTECODE_SHARE = 1.8
"""The size of bytecode by that of its source, where an installer left compiling to the first start."""


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPT))


def test_the_constraints_cover_an_installation_and_fit_together(script: dict[str, Any]) -> None:
    found = list(script["problems"](script["read_constraints"]()))
    assert not found, f"{found}; run .ci/dependency_versions.py"


def test_each_line_of_the_constraints_is_a_name_and_a_version(script: dict[str, Any]) -> None:
    lines = script["CONSTRAINTS"].read_text(encoding="utf-8").splitlines()
    named = [each for each in lines if not each.startswith("#")]
    assert len(script["read_constraints"]()) == len(named)
    assert not [each for each in lines if "://" in each or each.startswith("-")]


def test_the_hashes_are_of_the_constraints_and_nothing_else(script: dict[str, Any]) -> None:
    lines = script["HASHES"].read_text(encoding="utf-8").splitlines()
    found = [re.fullmatch(r"([a-z0-9-]+)==(\S+) --hash=sha256:[0-9a-f]{64}", each) for each in lines[3:]]
    assert {each[1]: each[2] for each in found if each} == {
        name: version for name, (version, _) in script["read_constraints"]().items()
    }
    assert len(found) == len(script["read_constraints"]())
    assert lines[2].startswith("# cpython-311 linux-")


def test_what_doesnt_fit_is_named(script: dict[str, Any]) -> None:
    pinned = script["read_constraints"]()
    del pinned["httpx"]
    pinned["textual"] = ("1.0.0", ["frontdesk"])
    pinned["left-pad"] = ("1.0", ["frontdesk"])
    found = "\n".join(script["problems"](pinned))
    assert "httpx is missing; frontdesk requires it" in found
    assert "textual==1.0.0 doesn't fit frontdesk" in found
    if sys.version_info[:2] == script["LOWEST"]:
        assert "left-pad: nothing requires it" in found


@pytest.mark.slow
def test_a_plain_installation_is_small(script: dict[str, Any]) -> None:
    """By the packages' own lists of files, so that nothing is downloaded, and extras don't count."""
    names = {script["canonicalize_name"](each.name) for _, each in script["edges"]([])}
    sizes = {name: size_of(name) for name in names}
    program = REPOSITORY / "src" / "frontdesk"
    sizes["frontdesk"] = sum(with_bytecode(each) for each in program.rglob("*") if "__pycache__" not in each.parts)
    largest = sorted(sizes.items(), key=lambda each: -each[1])[:12]
    listed = ", ".join(f"{name} {size / 1e6:.1f}" for name, size in largest)
    assert sum(sizes.values()) <= MAX_BYTES, f"{sum(sizes.values()) / 1e6:.1f} MB: {listed}"
    assert {"textual", "uvicorn"} <= set(names), "the walk must have reached what the program runs on"
    assert min(sizes.values()) > 1_000, "each package must have told its files"


def size_of(name: str) -> int:
    """Return the bytes of a package's files; of one that this machine doesn't need, a thousand and one."""
    try:
        package = distribution(name)
    except PackageNotFoundError:
        return 1_001
    return sum(with_bytecode(Path(str(each.locate()))) for each in package.files or () if each.suffix != ".pyc")


def with_bytecode(path: Path) -> int:
    """Return the bytes of a file, and of its bytecode, compiled or to be compiled."""
    if not path.is_file():
        return 0
    size = path.stat().st_size
    if path.suffix != ".py":
        return size
    compiled = Path(cache_from_source(str(path)))
    return size + (compiled.stat().st_size if compiled.is_file() else int(size * BYTECODE_SHARE))
