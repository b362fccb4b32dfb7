"""What a preflight reads and finds; pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

import apsw

from frontdesk.api.contract.base import JsonObject
from frontdesk.api.contract.ids import LineId
from frontdesk.config.render_context import RenderContext
from frontdesk.storage.records import DocumentRecord
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.text.lines import Line


class PreflightSeverity(StrEnum):
    """An error blocks sending, a warning is to be read, a note informs."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class PreflightFinding:
    """A finding about one field of the draft.

    Attributes:
        is_unchecked: an error that stands for a check that couldn't be made.
        is_outdated: an error in an older version of the workflow; it may be fixed by now.
    """

    severity: PreflightSeverity
    field: str
    words: SafeText
    is_unchecked: bool = False
    is_outdated: bool = False


@dataclass(frozen=True, slots=True)
class Summary:
    """The counts of a list that was read.

    Attributes:
        doubtful: recipients whose number may be misread.
        zones: time zones of a sample with their shares, the largest first.
    """

    count: int
    refused: int = 0
    duplicates: int = 0
    doubtful: int = 0
    zones: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class ListedWorkflows:
    """Every workflow that the platform just sent whole, and whether it has more than those."""

    records: Sequence[DocumentRecord]
    more_exist: bool


@dataclass(frozen=True, slots=True)
class WorkflowFacts:
    """The known workflows, and the findings of the workflow check for the one that a draft runs.

    Attributes:
        records: None where none were ever listed.
        problem: why the workflow wasn't checked as it is now; empty where it was.
    """

    records: Sequence[DocumentRecord] | None
    more_exist: bool
    findings: tuple[PreflightFinding, ...] = ()
    problem: str = ""


class WorkflowSource(Protocol):
    """What campaigns need to know of workflows; the app implements it, so that the features stay independent."""

    def listed(self, db: apsw.Connection, workflow_id: str, listing: ListedWorkflows) -> WorkflowFacts:
        """Check a workflow among those that were just read whole."""

    def stored(self, db: apsw.Connection, workflow_id: str, not_read: str) -> WorkflowFacts:
        """Check a workflow of the store; `not_read` says why its document couldn't be read just now."""

    def was_listed(self, db: apsw.Connection) -> bool:
        """Whether the platform's list of workflows was ever read."""

    def is_up_to_date(self, db: apsw.Connection) -> bool:
        """Whether the document of every listed workflow was read since it changed."""

    def details(self, db: apsw.Connection) -> Callable[[DocumentRecord, int, RenderContext], tuple[Line, ...]]:
        """A function that draws a listed workflow, with what the check found in it, for a width."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts that a preflight needs besides the draft.

    Attributes:
        now: in the sender's zone.
        workflows: None where none were ever listed.
        more_workflows: whether the platform has workflows that it didn't list.
        audience: None where it wasn't read yet, or there is none.
        paces: recipients a second of the last campaigns on the draft's line.
        not_checked: why the workflow wasn't checked as it is now; empty where it was.
        busy: names of the campaigns that the draft's line is sending now.
        busy_left: recipients that those have still to reach; None where that isn't known of all of them.
    """

    now: datetime
    workflows: Sequence[DocumentRecord] | None = None
    more_workflows: bool = False
    lines: Mapping[LineId, str] = field(default_factory=dict)
    audience: Summary | None = None
    paces: tuple[float, ...] = ()
    checked: tuple[PreflightFinding, ...] = ()
    not_checked: str = "its document wasn't read"
    used_ids: frozenset[str] = frozenset()
    busy: tuple[str, ...] = ()
    busy_left: float | None = 0.0
    folders: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Preflight:
    """The findings, and what would be sent.

    Attributes:
        findings: errors first, then warnings, then notes.
        count: recipients; None for tags.
        duration: seconds at best and at worst; None without a count.
        pace: recipients a second, at worst and at best; assumed where nothing was ever measured on this line.
        at: the time in the sender's zone, then in each other zone of the audience.
        body: what is POSTed, without its recipients where `audience` was given as a summary alone.
    """

    findings: tuple[PreflightFinding, ...]
    who: SafeText
    count: int | None
    duration: tuple[float, float] | None
    pace: tuple[float, float]
    is_pace_assumed: bool
    at: tuple[SafeText, ...]
    body: JsonObject

    @property
    def errors(self) -> tuple[PreflightFinding, ...]:
        return tuple(each for each in self.findings if each.severity is PreflightSeverity.ERROR)

    @property
    def unchecked(self) -> tuple[PreflightFinding, ...]:
        return tuple(each for each in self.errors if each.is_unchecked or each.is_outdated)

    @property
    def can_be_sent(self) -> bool:
        return not self.errors

    @property
    def can_be_confirmed(self) -> bool:
        return len(self.unchecked) == len(self.errors)


def error(field: str, words: str) -> PreflightFinding:
    """A finding that blocks sending."""
    return PreflightFinding(PreflightSeverity.ERROR, field, trusted(words))


def unchecked(field: str, words: str) -> PreflightFinding:
    """A check that couldn't be made; it blocks sending until a person confirms it."""
    return PreflightFinding(PreflightSeverity.ERROR, field, trusted(words), is_unchecked=True)


def warning(field: str, words: str) -> PreflightFinding:
    """A finding that a person should read."""
    return PreflightFinding(PreflightSeverity.WARNING, field, trusted(words))


def note(field: str, words: str) -> PreflightFinding:
    """A finding that informs."""
    return PreflightFinding(PreflightSeverity.NOTE, field, trusted(words))


def shown(outside: object) -> str:
    """Outside text, quoted within a sentence of ours."""
    return f'"{show_line(outside, 60).text}"'
