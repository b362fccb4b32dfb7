"""Write `.ci/constraints.txt`: for each package of an installation the version that the tests ran with.

Beside it, `.ci/hashes.txt` has the hash of the file that pip takes for each on this kind of machine: `.ci/run`
installs no other. Hashes among the constraints would have pip refuse `-e .`, which is no single file.

    .venv/bin/python .ci/dependency_versions.py           write it from this environment
    .venv/bin/python .ci/dependency_versions.py --check   name what is missing in it or doesn't fit

It starts from what pyproject.toml requires, with all extras but those of `LEFT_OUT`, and follows the installed
packages. Behind each version stand the packages that require it, from which `.ci/sbom.py` makes the SBOM. Run it
after a change of the dependencies; `docs/administrators.md` tells people how to use the file.
"""

import argparse
import json
import re
import subprocess
import sys
import sysconfig
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
CONSTRAINTS = ROOT / ".ci" / "constraints.txt"
HASHES = ROOT / ".ci" / "hashes.txt"
PROJECT = "frontdesk"
LEFT_OUT = ("fuzz", "mutation")
"""Extras that neither people nor CI install."""

LOWEST = (3, 11)
"""The Python that the file is made on: it needs a few packages more than newer ones."""

HEADER = """\
# Versions that the tests ran with; pip install -c .ci/constraints.txt takes them.
# Behind each stand the packages that require it. Made by .ci/dependency_versions.py.
"""
HASHES_HEADER = f"""\
# For pip install --require-hashes -r .ci/hashes.txt, on this Python and system.
# Made by .ci/dependency_versions.py.
# {sys.implementation.cache_tag} {sysconfig.get_platform()}
"""
_LINE = re.compile(r"(?P<name>[a-z0-9-]+)==(?P<version>[^ ]+)  # (?P<parents>[a-z0-9, -]+)")


def main() -> int:
    """Write or check the file; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 1 if something is wrong")
    if parser.parse_args().check:
        found = list(problems(read_constraints()))
        print("\n".join(found) or "the constraints fit")
        return 1 if found else 0
    parents = defaultdict(set)
    for parent, requirement in edges(extras()):
        parents[canonicalize_name(requirement.name)].add(parent)
    lines = (
        f"{name}=={distribution(name).version}  # {', '.join(sorted(parents[name]))}" for name in sorted(parents)
    )
    CONSTRAINTS.write_text(HEADER + "\n".join(lines) + "\n", encoding="utf-8")
    HASHES.write_text(HASHES_HEADER + "\n".join(hashes()) + "\n", encoding="utf-8")
    return 0


def hashes() -> Iterator[str]:
    """Yield a line for each package that pip would install here, by name, with the hash of its file."""
    command = (
        sys.executable,
        "-m",
        "pip",
        "install",
        "--dry-run",
        "--quiet",
        "--ignore-installed",
        "--report",
        "-",
    )
    wanted = ("-c", CONSTRAINTS, "-e", f"{ROOT}[{','.join(extras())}]")
    report = json.loads(subprocess.run([*command, *wanted], check=True, stdout=subprocess.PIPE).stdout)
    for each in sorted(report["install"], key=lambda each: canonicalize_name(each["metadata"]["name"])):
        name = canonicalize_name(each["metadata"]["name"])
        if name != PROJECT:
            found = each["download_info"]["archive_info"]["hashes"]["sha256"]
            yield f"{name}=={each['metadata']['version']} --hash=sha256:{found}"


def read_constraints() -> dict[str, tuple[str, list[str]]]:
    """Return version and parents by name."""
    lines = [each for each in CONSTRAINTS.read_text(encoding="utf-8").splitlines() if not each.startswith("#")]
    found = [_LINE.fullmatch(each) for each in lines]
    return {each["name"]: (each["version"], each["parents"].split(", ")) for each in found if each}


def problems(pinned: Mapping[str, tuple[str, list[str]]]) -> Iterator[str]:
    """Name what an installation needs and the file lacks, what doesn't fit, and what nothing needs."""
    used = set()
    for parent, requirement in edges(extras()):
        name = canonicalize_name(requirement.name)
        used.add(name)
        version, parents = pinned.get(name, ("", []))
        if not version:
            yield f"{name} is missing; {parent} requires it"
        elif not requirement.specifier.contains(version, prereleases=True):
            yield f"{name}=={version} doesn't fit {parent}, which requires {requirement}"
        elif parent not in parents:
            yield f"{name}: {parent} requires it, which isn't said"
    if sys.version_info[:2] == LOWEST:
        yield from (f"{name}: nothing requires it" for name in sorted(set(pinned) - used))


def extras() -> list[str]:
    """Return the extras whose packages the file has."""
    return sorted(set(_project().get("optional-dependencies", {})) - set(LEFT_OUT))


def edges(wanted: list[str]) -> Iterator[tuple[str, Requirement]]:
    """Yield each requirement of an installation on this machine, and who requires it.

    Args:
        wanted: extras of this project.
    """
    waiting = [(PROJECT, each) for each in _requirements(wanted)]
    seen = set()
    while waiting:
        parent, requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        key = (parent, name, frozenset(requirement.extras))
        if key in seen:
            continue
        seen.add(key)
        yield parent, requirement
        try:
            required = distribution(name).requires or []
        except PackageNotFoundError:
            continue
        named = ("", *requirement.extras)
        for each in map(Requirement, required):
            if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in named):
                waiting.append((name, each))


def _project() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _requirements(wanted: list[str]) -> Iterator[Requirement]:
    project = _project()
    yield from map(Requirement, project["dependencies"])
    for extra in wanted:
        found = map(Requirement, project["optional-dependencies"][extra])
        for each in found:
            if canonicalize_name(each.name) == PROJECT:
                yield from _requirements(sorted(each.extras))
            else:
                yield each


if __name__ == "__main__":
    sys.exit(main())
