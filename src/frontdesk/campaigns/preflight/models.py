"""What a preflight reads and finds; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from frontdesk.api.contract.base import JsonObject
from frontdesk.api.contract.ids import LineId
from frontdesk.storage.records import DocumentRecord
from frontdesk.text.display_text import SafeText, show_line, trusted


class PreflightSeverity(StrEnum):
    """An error keeps a campaign from being sent, a warning is to be read, a note says how things are."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class PreflightFinding:
    """Something to know before sending, and which part of the draft it is about, by its attribute's name.

    Attributes:
        is_unchecked: an error that stands for a check that couldn't be made, and not for something that is wrong.
        is_outdated: an error of an older version of the workflow, of which nobody knows whether it is fixed.
    """

    severity: PreflightSeverity
    field: str
    words: SafeText
    is_unchecked: bool = False
    is_outdated: bool = False


@dataclass(frozen=True, slots=True)
class Summary:
    """A list that was read, in a few numbers.

    Attributes:
        count: recipients.
        refused, duplicates, doubtful: rows left out, there twice, and recipients whose number is doubted.
        zones: the recipients' time zones by name with their shares, the largest first; of a sample.
    """

    count: int
    refused: int = 0
    duplicates: int = 0
    doubtful: int = 0
    zones: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known beside the draft.

    Attributes:
        now: in the sender's zone.
        workflows: those listed; None where none were ever listed.
        more_workflows: whether the platform has workflows that it didn't list.
        lines: known ones by id, and what they are called.
        audience: of the list; None where it wasn't read yet, or there is none.
        paces: recipients a second of the last campaigns on the draft's line.
        checked: what the workflow check says of the workflow.
        not_checked: why the workflow wasn't checked as it is now; empty where it was.
        used_ids: campaigns that are known already.
        busy: names of the campaigns that the draft's line is sending now.
        busy_left: recipients that those have still to reach; None where that isn't known of all of them.
        folders: those that a campaign known here is in.
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
    """What would be sent, and what speaks against it.

    Attributes:
        findings: the errors first, then the warnings, then the notes.
        who: whom it writes to.
        count: how many those are; None for tags.
        duration: how long it would take, in seconds, at best and at worst; None without a count.
        pace: recipients a second that this is told from, at worst and at best.
        is_pace_assumed: whether nothing was ever measured on this line.
        at: when, once in the sender's zone and then in each of the audience's that isn't the same clock.
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
        """What keeps it from being sent, with what couldn't be checked."""
        return tuple(each for each in self.findings if each.severity is PreflightSeverity.ERROR)

    @property
    def unchecked(self) -> tuple[PreflightFinding, ...]:
        """What couldn't be checked, or not as it is now: sent only once a person has confirmed that as well."""
        return tuple(each for each in self.errors if each.is_unchecked or each.is_outdated)

    @property
    def can_be_sent(self) -> bool:
        """Whether nothing keeps it from being sent."""
        return not self.errors

    @property
    def can_be_confirmed(self) -> bool:
        """Whether nothing is known to be wrong, so that a person may send it although checks are missing."""
        return len(self.unchecked) == len(self.errors)


def error(field: str, words: str) -> PreflightFinding:
    """What keeps it from being sent."""
    return PreflightFinding(PreflightSeverity.ERROR, field, trusted(words))


def unchecked(field: str, words: str) -> PreflightFinding:
    """What couldn't be checked: it keeps it from being sent until a person confirms that too."""
    return PreflightFinding(PreflightSeverity.ERROR, field, trusted(words), is_unchecked=True)


def warning(field: str, words: str) -> PreflightFinding:
    """What a person should have read."""
    return PreflightFinding(PreflightSeverity.WARNING, field, trusted(words))


def note(field: str, words: str) -> PreflightFinding:
    """How things are."""
    return PreflightFinding(PreflightSeverity.NOTE, field, trusted(words))


def shown(outside: object) -> str:
    """Strangers' words within a sentence of ours."""
    return f'"{show_line(outside, 60).text}"'
