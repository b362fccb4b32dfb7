"""The READMEs of the packages: their examples run as they stand, and the tests that they name know no product."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from cli.sandbox_service import SandboxService
from source_tree import SOURCE

from .names import ROOT
from .pages import PACKAGE_PAGES

MAX_LINES = 80

_EXAMPLE = re.compile(
    r"^```python\n(.*?)^```$(?:\n\nIt prints:\n\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL
)

_OF_THE_PRODUCT = re.compile(r"^\s*(?:from|import) frontdesk(?:\.| )", re.MULTILINE)

EXAMPLES = [
    pytest.param(path, *found, id=f"{path.parent.name}-{number}")
    for path in PACKAGE_PAGES
    for number, found in enumerate(_EXAMPLE.findall(path.read_text(encoding="utf-8")), 1)
]

WITHOUT_A_TERMINAL = {
    "TEXTUAL_DRIVER": "textual.drivers.headless_driver:HeadlessDriver",
    "TEXTUAL_PRESS": "j,enter",
}
"""Textual's own variables: an app ends by the keys that are pressed for it."""


@pytest.mark.slow
@pytest.mark.parametrize(("path", "example", "prints"), EXAMPLES)
def test_an_example_runs_as_it_stands(
    path: Path, example: str, prints: str, home: dict[str, str], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    environ = home | WITHOUT_A_TERMINAL | {"PYTHONPATH": str(SOURCE), "PYTHONWARNINGS": "error"}
    if path.parent.name == "frontdesk_api":
        service: SandboxService = request.getfixturevalue("service")
        environ |= {
            "FRONTDESK_BASE_URL": service.url,
            "FRONTDESK_COOKIE": "token=sandbox",
            "FRONTDESK_API_KEY": "sandbox-key",
        }
    ran = subprocess.run(
        [sys.executable, "-c", example],
        env=environ,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout
    assert prints in ("", ran.stdout)


@pytest.mark.parametrize("path", PACKAGE_PAGES, ids=[path.parent.name for path in PACKAGE_PAGES])
def test_a_readme_is_a_page_and_names_each_module(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MAX_LINES
    assert "```python" in text
    modules = {each.stem for each in path.parent.glob("*.py")} - {"__init__"}
    folders = {f"{each.parent.name}/" for each in path.parent.glob("*/__init__.py")}
    assert {name for name in modules | folders if f"`{name}`" not in text} == set()
    assert f"`.venv/bin/pytest tests/{path.parent.name.removeprefix('frontdesk_')}`" in text


@pytest.mark.parametrize("path", PACKAGE_PAGES, ids=[path.parent.name for path in PACKAGE_PAGES])
def test_the_tests_of_a_package_import_nothing_of_the_product(path: Path) -> None:
    folder = ROOT / "tests" / path.parent.name.removeprefix("frontdesk_")
    sources = {each: each.read_text(encoding="utf-8") for each in folder.rglob("*.py")}
    assert sources
    assert [each for each, source in sources.items() if _OF_THE_PRODUCT.search(source)] == []
