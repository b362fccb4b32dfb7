"""What a check before sending finds, and how it is put; the modules of `campaigns.preflight` make them."""

from dataclasses import dataclass
from enum import StrEnum

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
