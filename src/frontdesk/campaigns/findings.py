"""What a check before sending finds, and how it is put; `preflight` and its rooms make them."""

from dataclasses import dataclass
from enum import StrEnum

from frontdesk.text import Shown, own, show_line


class Severity(StrEnum):
    """An error keeps a campaign from being sent, a warning is to be read, a note says how things are."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to know before sending, and which part of the draft it is about, by its attribute's name."""

    severity: Severity
    field: str
    words: Shown


def error(field: str, words: str) -> Finding:
    """What keeps it from being sent."""
    return Finding(Severity.ERROR, field, own(words))


def warning(field: str, words: str) -> Finding:
    """What a person should have read."""
    return Finding(Severity.WARNING, field, own(words))


def note(field: str, words: str) -> Finding:
    """How things are."""
    return Finding(Severity.NOTE, field, own(words))


def said(outside: object) -> str:
    """Strangers' words within a sentence of ours."""
    return f'"{show_line(outside, 60).text}"'
