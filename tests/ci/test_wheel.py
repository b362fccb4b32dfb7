"""The wheel: the same bytes from the same source, with licences, an SBOM and metadata that are true."""

import email
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from email.message import Message
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from ci.installed_packages import PROJECT, REPOSITORY, name_of, plain_installation
from source_tree import PACKAGES

PARTS = ("src", "docs", ".ci", "pyproject.toml", "README.md", "LICENSE", ".gitignore")

pytestmark = pytest.mark.slow


def build(folder: Path) -> Path:
    """Build the wheel from a copy of the source in a folder."""
    source = folder / "source"
    source.mkdir(parents=True)
    for part in PARTS:
        if (REPOSITORY / part).is_dir():
            shutil.copytree(REPOSITORY / part, source / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(REPOSITORY / part, source / part)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "out")]
    environ = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    done = subprocess.run(command, cwd=source, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = (folder / "out").glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("first"))


def read(wheel: Path, name: str) -> str:
    with zipfile.ZipFile(wheel) as archive:
        (found,) = (each for each in archive.namelist() if each.endswith(name))
        return archive.read(found).decode()


def test_built_again_in_another_folder_it_is_the_same_to_the_byte(wheel: Path, tmp_path: Path) -> None:
    again = build(tmp_path / "a folder with another name")
    assert again.name == wheel.name
    first, second = (hashlib.sha256(each.read_bytes()).hexdigest() for each in (wheel, again))
    assert first == second


def test_it_has_the_program_and_its_data_alone(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.partition("/")[0] for name in names}
    version = next(top for top in tops if top.endswith(".dist-info")).removesuffix(".dist-info")
    assert tops == {*PACKAGES, f"{version}.dist-info", f"{version}.data"}
    beside = [name for name in names if name.startswith(f"{version}.data/")]
    assert beside == [f"{version}.data/data/share/man/man1/frontdesk.1"]
    assert not [name for name in names if name.endswith((".pyc", ".orig"))]
    typed = {f"{package}/py.typed" for package in PACKAGES}
    readmes = {f"{package}/README.md" for package in PACKAGES if package != "frontdesk"}
    assert {*typed, *readmes, "frontdesk_lists/country_names.txt"} <= set(names)


def test_it_has_every_page_of_the_docs_and_reads_them_without_the_source(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    docs = tmp_path / "frontdesk" / "docs"
    found = {str(path.relative_to(docs)) for path in docs.rglob("*") if path.is_file()}
    pages = {str(path.relative_to(REPOSITORY / "docs")) for path in (REPOSITORY / "docs").rglob("*.md")}
    assert found == pages | {"reference/config.schema.json"}
    command = [sys.executable, "-m", "frontdesk", "docs", "configuration#keys"]
    environ = {**os.environ, "PYTHONPATH": str(tmp_path), "HOME": str(tmp_path)}
    run = subprocess.run(command, env=environ, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout.startswith("## Keys\n")


def test_its_metadata_names_licences_pythons_and_no_host(wheel: Path) -> None:
    metadata: Message = email.message_from_string(read(wheel, ".dist-info/METADATA"))
    assert metadata["License-Expression"] == "MIT AND Unicode-3.0"
    licences = metadata.get_all("License-File", [])
    assert len(licences) == 2
    for each in licences:
        assert "permission notice" in read(wheel, f".dist-info/licenses/{each}").lower()
    classifiers = metadata.get_all("Classifier", [])
    pythons = [
        each.rpartition(" ")[2] for each in classifiers if each.startswith("Programming Language :: Python :: 3.")
    ]
    assert metadata["Requires-Python"] == f">={pythons[0]}"
    assert metadata["Keywords"]
    assert metadata.get_all("Project-URL") is None, "name an address that exists, and test that it is true"


def test_the_sbom_lists_what_an_installation_brings(wheel: Path) -> None:
    document = json.loads(read(wheel, ".dist-info/sboms/frontdesk.cdx.json"))
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    version = read(wheel, "frontdesk/__init__.py").rpartition('"')[0].rpartition('"')[2]
    assert document["metadata"]["component"]["version"] == version
    by_name: dict[str, Any] = {each["name"]: each for each in document["components"]}
    constraints = (REPOSITORY / ".ci" / "constraints.txt").read_text(encoding="utf-8")
    pinned = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", constraints, re.MULTILINE))
    for name, component in by_name.items():
        assert component["purl"] == component["bom-ref"] == f"pkg:pypi/{name}@{pinned[name]}"
    required = {name for name, each in by_name.items() if each["scope"] == "required"}
    assert required == plain_installation()
    assert "pytest" not in by_name
    refs = {each["ref"]: set(each["dependsOn"]) for each in document["dependencies"]}
    assert set(refs) == {"frontdesk", *(each["bom-ref"] for each in by_name.values())}
    assert set().union(*refs.values()) <= set(refs)
    direct = {name_of(Requirement(each)) for each in PROJECT["dependencies"]}
    assert {by_name[name]["purl"] for name in direct} <= refs["frontdesk"]
