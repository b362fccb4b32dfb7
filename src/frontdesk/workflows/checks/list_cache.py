"""The check of listed workflows, for a screen: cheap while its cursor moves, and while a listing comes again.

A workflow is checked when it is first shown, and again only where it or what is known beside it differs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from frontdesk.workflows.checks.finding import Finding, References
from frontdesk.workflows.checks.run import check, has_graph, size_of

MAX_PARTS = 3_000
"""Parts of a document that are checked between two paints: 20 ms, and 60 where nothing in it is right."""


class CheckState(StrEnum):
    """How far the check of a listed workflow came."""

    CHECKED = "checked"
    NOT_LOADED = "not loaded"
    TOO_LARGE = "too large"


@dataclass(frozen=True, slots=True)
class Checked:
    """What is told of a listed workflow; without its graph, or with one that is too large, nothing is found."""

    stand: CheckState
    findings: tuple[Finding, ...] = ()


class ListedChecks:
    """What was found in the workflows of a list."""

    def __init__(self, known_of: Callable[[Mapping[str, Any]], References]):
        """Checks that ask `known_of` what is known beside a workflow's document, once a listing."""
        self._known_of = known_of
        self._checked: dict[str, Checked] = {}
        self._kept: dict[str, tuple[Mapping[str, Any], References, Checked]] = {}

    def listed_again(self) -> None:
        """The list was read again: look whether what was told still holds, when it is asked for."""
        self._checked.clear()

    def of(self, workflow_id: str, raw: Mapping[str, Any]) -> Checked:
        """What is told of the workflow that is listed under this id."""
        if workflow_id not in self._checked:
            self._checked[workflow_id] = self._check(workflow_id, raw)
        return self._checked[workflow_id]

    def _check(self, workflow_id: str, raw: Mapping[str, Any]) -> Checked:
        if not has_graph(raw):
            return Checked(CheckState.NOT_LOADED)
        if size_of(raw) > MAX_PARTS:
            return Checked(CheckState.TOO_LARGE)
        known = self._known_of(raw)
        before = self._kept.get(workflow_id)
        if before is None or before[:2] != (raw, known):
            before = (raw, known, Checked(CheckState.CHECKED, check(raw, known=known)))
            self._kept[workflow_id] = before
        return before[2]
