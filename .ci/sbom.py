"""The SBOM in the wheel: CycloneDX JSON that depends on nothing but pyproject.toml and `.ci/constraints.txt`.

    .venv/bin/python .ci/sbom.py    print it

`.ci/build_hook.py` puts it into `.dist-info/sboms/` (PEP 770). The wheel brings none of the packages that it
lists: the versions are those that the tests ran with.
"""

import json
import re
import sys
import tomllib
import uuid
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PROJECT = "frontdesk"
DEVELOPERS = ("dev", "fuzz", "mutation")
"""Extras whose packages no user has."""

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_PINNED = re.compile(r"^(?!.*'win32')([a-z0-9-]+)==(\S+).*# via (.+)$", re.MULTILINE)
"""A name, its version and the packages that require it; without those that only Windows needs."""


def sbom(version: str, root: Path = ROOT) -> str:
    """Return the SBOM of this version as JSON."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (root / ".ci" / "constraints.txt").read_text(encoding="utf-8")
    pinned = {name: number for name, number, _ in _PINNED.findall(text)}
    children: dict[str, list[str]] = {}
    for name, _, parents in _PINNED.findall(text):
        for parent in parents.replace(" (pyproject.toml)", "").split(", "):
            children.setdefault(parent, []).append(name)
    direct = {_name(each) for each in project["dependencies"]}
    optional = {
        _name(each)
        for extra, found in project["optional-dependencies"].items()
        if extra not in DEVELOPERS
        for each in found
    } - {PROJECT}
    required = _reached(direct, children)
    listed = sorted(required | _reached(optional, children))
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "lifecycles": [{"phase": "build"}],
            "component": {
                "type": "application",
                "bom-ref": PROJECT,
                "name": PROJECT,
                "version": version,
                "description": project["description"],
                "licenses": [{"expression": project["license"]}],
                "purl": f"pkg:generic/{PROJECT}@{version}",
            },
            "properties": [
                {
                    "name": f"{PROJECT}:versions",
                    "value": "those that the tests ran with; an installation may differ",
                }
            ],
        },
        "components": [_component(name, pinned[name], name in required) for name in listed],
        "dependencies": [
            {"ref": PROJECT, "dependsOn": [_purl(each, pinned[each]) for each in sorted(direct | optional)]},
            *(
                {
                    "ref": _purl(name, pinned[name]),
                    "dependsOn": [
                        _purl(each, pinned[each]) for each in sorted(children.get(name, [])) if each in listed
                    ],
                }
                for name in listed
            ),
        ],
    }
    document["serialNumber"] = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(document, sort_keys=True)).urn
    return json.dumps(document, indent=1, sort_keys=True) + "\n"


def _name(requirement: str) -> str:
    found = _NAME.match(requirement)
    assert found is not None, requirement
    return re.sub(r"[-_.]+", "-", found[0]).lower()


def _reached(names: set[str], children: dict[str, list[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [*names]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += children.get(name, [])
    return found


def _component(name: str, version: str, is_required: bool) -> dict[str, Any]:
    purl = _purl(name, version)
    scope = "required" if is_required else "optional"
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl, "scope": scope}


def _purl(name: str, version: str) -> str:
    return f"pkg:pypi/{name}@{version}"


if __name__ == "__main__":
    found = re.search(
        r'__version__ = "(.+)"', (ROOT / "src" / PROJECT / "__init__.py").read_text(encoding="utf-8")
    )
    assert found is not None
    sys.stdout.write(sbom(found[1]))
