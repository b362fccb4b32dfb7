"""What pyproject.toml requires, and what a plain installation brings on this machine."""

import tomllib
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REPOSITORY = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def name_of(requirement: Requirement) -> str:
    return canonicalize_name(requirement.name)


def plain_installation() -> set[str]:
    """Return the names of the packages that are installed without extras, by what each says that it requires."""
    waiting = [*map(Requirement, PROJECT["dependencies"])]
    seen = set()
    while waiting:
        parent = waiting.pop()
        extras = ("", *sorted(parent.extras))
        if (name_of(parent), extras) in seen:
            continue
        seen.add((name_of(parent), extras))
        for each in map(Requirement, distribution(parent.name).requires or []):
            if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in extras):
                waiting.append(each)
    return {name for name, _ in seen}
