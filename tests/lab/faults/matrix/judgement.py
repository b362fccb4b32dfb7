"""Compares what the platform's log says with what the person was told."""

from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum

from frontdesk.storage.records import UNCONFIRMED, Change, ChangeState
from lab.faults.matrix.operations import MadeChange


class Finding(StrEnum):
    """What must never be, the worst first."""

    LOST = "lost"
    DOUBLED = "doubled"
    WRONG = "wrong statement"
    LEAKED = "credential shown"
    STUCK = "not settled"


@dataclass
class Cell:
    """One mode at one operation.

    Attributes:
        told: what the person was told in the end.
        findings: each with its details.
        live_seconds: from the end of the fault until the status line says "live"; None where that wasn't measured.
    """

    mode: str
    operation: str
    told: str = ""
    findings: list[tuple[Finding, str]] = field(default_factory=list)
    live_seconds: float | None = None

    def find(self, finding: Finding, details: str) -> None:
        self.findings.append((finding, details))

    def __str__(self) -> str:
        live = "" if self.live_seconds is None else f", live after {self.live_seconds:.0f} s"
        wrong = "".join(f"\n    {finding.upper()}: {details}" for finding, details in self.findings)
        return f"{self.mode} x {self.operation}: {self.told}{live}{wrong}"


_DENIALS = (
    *("not sent", "nothing was sent", "rejected", "is unchanged", "refused"),
    *("doesn't seem to be stored", "don't seem to have been reset"),
)
"""Words that say that a change has no effect."""

_CLAIMS = ("accepted it", "is stored", "were reset", "is deleted", "the platform has it")
"""Words that say that it has."""


def judge_change(cell: Cell, made: MadeChange, change: Change | None, effects: int) -> None:
    """Judge a change once the faults have ended.

    Args:
        change: as the outbox has it; None where it is gone.
        effects: how often the platform carried it out.
    """
    if change is None:
        cell.find(Finding.LOST, f"the outbox has no change of {made.target}")
        return
    state, reason = change.state, change.reason
    cell.told = f"{state}{f' ({reason})' if reason else ''}"
    if effects > made.most:
        cell.find(Finding.DOUBLED, f"carried out {effects} times, and told as {cell.told}")
    if state is ChangeState.CONFIRMED and not effects:
        cell.find(Finding.LOST, f"never carried out, and told as {cell.told}")
    elif (state in (ChangeState.REFUSED, ChangeState.UNDONE, ChangeState.DROPPED) and effects) or (
        state is ChangeState.CONFLICT and effects and _says(reason, _DENIALS)
    ):
        cell.find(Finding.WRONG, f"carried out, and told as {cell.told}")
    elif state is ChangeState.CONFLICT and not effects and _says(reason, _CLAIMS):
        cell.find(Finding.WRONG, f"never carried out, and told as {cell.told}")
    elif state in UNCONFIRMED:
        cell.find(Finding.STUCK, cell.told)


def judge_rows(cell: Cell, before: Collection[str], after: Collection[str]) -> None:
    """Judge what is shown of a list while it can't be read."""
    if missing := set(before) - set(after):
        cell.find(Finding.WRONG, f"{len(missing)} of {len(before)} rows went away")


def _says(reason: str, words: Collection[str]) -> bool:
    return any(each in reason for each in words)
