"""The check of a list: done once, and what isn't loaded isn't called whole."""

from collections.abc import Mapping
from typing import Any

from flows.checks.sample_workflows import chain, whole
from frontdesk_flows.checks.models import References
from frontdesk_flows.checks.run import MAX_PARTS, Checked, CheckState, ListedChecks


class Asked:
    """What is known beside a workflow, and how often that was asked for."""

    def __init__(self) -> None:
        self.known = References()
        self.times = 0

    def __call__(self, raw: Mapping[str, Any]) -> References:
        self.times += 1
        return self.known


def test_a_workflow_is_checked_once() -> None:
    asked = Asked()
    checks = ListedChecks(asked)
    first = checks.of("w", whole())
    assert first == Checked(CheckState.CHECKED)
    assert checks.of("w", whole()) is first
    assert asked.times == 1


def test_a_row_of_the_minimal_list_is_not_loaded_and_a_giant_is_left_to_the_command() -> None:
    asked = Asked()
    checks = ListedChecks(asked)
    assert checks.of("w", {"id": "w", "name": "W", "isActive": True}) == Checked(CheckState.NOT_LOADED)
    assert checks.of("g", chain(MAX_PARTS)) == Checked(CheckState.TOO_LARGE)
    many_exits = whole()
    many_exits["parsedData"][0]["subNodes"] *= MAX_PARTS
    assert checks.of("m", many_exits) == Checked(CheckState.TOO_LARGE)
    assert checks.of("j", {"parsedData": 5, "data": [], "analytics": {"nodeStats": 1}}).state is CheckState.CHECKED
    assert asked.times == 1
