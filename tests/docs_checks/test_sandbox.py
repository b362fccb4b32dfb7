"""docs/command-line.md has every control, fault and switch of the sandbox, and no other."""

import re
from typing import get_args

from frontdesk_sandbox import controls, faults, fixtures
from frontdesk_sandbox.world import SandboxSettings

from .pages import DOCS, codes, first_cells, section, table

PAGE = DOCS / "command-line.md"


def test_every_control_is_in_the_docs_and_no_other() -> None:
    named = {
        (method, path)
        for cell in (row[0] for row in table(section(PAGE, "Controls"), "control"))
        for method, path in _requests(codes(cell))
    }
    program = {("GET", path) for path in controls._READERS} | set(controls._WRITERS)
    assert {each for each in named if "ID" not in each[1]} == program


def _requests(written: list[str]) -> list[tuple[str, str]]:
    """Return the requests of a cell; a method alone belongs to the cell's last path."""
    path = written[-1].split()[1]
    return [(method, own or path) for method, _, own in (each.partition(" ") for each in written)]


def test_every_kind_of_fault_is_in_the_docs_and_no_other() -> None:
    assert first_cells(section(PAGE, "Faults"), "kind") == list(get_args(faults.Kind))


def test_every_switch_is_in_the_docs_with_its_default_and_no_other() -> None:
    named = {codes(name)[0]: default for name, default, _ in table(section(PAGE, "Switches"), "switch")}
    assert named == {name: str(value).lower() for name, value in SandboxSettings().model_dump().items()}


def test_every_campaign_is_in_the_docs_with_its_id_and_no_other() -> None:
    named = set(re.findall(r"`(cmp-[\w-]+)`", section(PAGE, "The sandbox")))
    assert named == set(fixtures.CAMPAIGN_IDS)
