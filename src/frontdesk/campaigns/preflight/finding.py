"""What a check before sending finds, and how it is put; `preflight` and its rooms make them."""

from dataclasses import dataclass
from enum import StrEnum

from frontdesk.text.display_text import Shown, own, show_line


class Severity(StrEnum):
    """An error keeps a campaign from being sent, a warning is to be read, a note says how things are."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to know before sending, and which part of the draft it is about, by its attribute's name.

    Attributes:
        is_unchecked: an error that stands for a check that couldn't be made, and not for something that is wrong.
        is_outdated: an error of an older version of the workflow, of which nobody knows whether it is fixed.
    """

    severity: Severity
    field: str
    words: Shown
    is_unchecked: bool = False
    is_outdated: bool = False


def error(field: str, words: str) -> Finding:
    """What keeps it from being sent."""
    return Finding(Severity.ERROR, field, own(words))


def unchecked(field: str, words: str) -> Finding:
    """What couldn't be checked: it keeps it from being sent until a person confirms that too."""
    return Finding(Severity.ERROR, field, own(words), is_unchecked=True)


def warning(field: str, words: str) -> Finding:
    """What a person should have read."""
    return Finding(Severity.WARNING, field, own(words))


def note(field: str, words: str) -> Finding:
    """How things are."""
    return Finding(Severity.NOTE, field, own(words))


def said(outside: object) -> str:
    """Strangers' words within a sentence of ours."""
    return f'"{show_line(outside, 60).text}"'
