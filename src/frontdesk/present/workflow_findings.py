"""What the check found in a workflow, as lines."""

from frontdesk.checking.check import counted
from frontdesk.checking.findings import Finding, Severity
from frontdesk.checking.listed import Checked, Stand
from frontdesk.present.lines import EMPTY, Line, Role, fit, paragraph, span
from frontdesk.text import own, show_line

NOT_LOADED = "not loaded: the list is minimal"
TOO_LARGE = "too large for here; frontdesk workflows check FILE takes it"

_ROLES = {Severity.ERROR: Role.BAD, Severity.WARNING: Role.WARN}
_PATH_LIMIT = 120


def check_words(checked: Checked) -> str:
    """How the check stands, in a few words."""
    if checked.stand is Stand.NOT_LOADED:
        return NOT_LOADED
    if checked.stand is Stand.TOO_LARGE:
        return TOO_LARGE
    counts = counted(checked.findings)
    words = [f"{count:,} {severity}{'' if count == 1 else 's'}" for severity, count in counts.items() if count]
    return ", ".join(words) or "nothing found"


def finding_lines(checked: Checked, width: int) -> list[Line]:
    """Each finding with its rule, where it is, what is wrong there and what to do."""
    return [line for each in checked.findings for line in _lines(each, width)]


def _lines(finding: Finding, width: int) -> list[Line]:
    head = span(f"{finding.severity} {finding.rule_id}", _ROLES[finding.severity])
    return [
        EMPTY,
        fit([head, span("  "), span(show_line(finding.path, _PATH_LIMIT), Role.DIM)], width),
        *paragraph(finding.words, max(1, width)),
        *paragraph(own(finding.what_to_do), max(1, width), Role.DIM),
    ]
