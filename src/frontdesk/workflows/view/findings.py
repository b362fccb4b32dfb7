"""What the check found in a workflow, as lines."""

from collections.abc import Iterable, Sequence

from frontdesk.text.display_text import NOTHING, SafeText, show_line, trusted, wrap
from frontdesk.text.lines import EMPTY, Line, Role, fit, paragraph, span
from frontdesk.workflows.checks.finding import Finding, Severity
from frontdesk.workflows.checks.list_cache import Checked, CheckState
from frontdesk.workflows.checks.run import counted

NOT_LOADED = "not loaded: the list is minimal"
TOO_LARGE = "too large for here; frontdesk workflows check FILE takes it"

_ROLES = {Severity.ERROR: Role.BAD, Severity.WARNING: Role.WARN}
_PATH_LIMIT = 120


def check_words(checked: Checked) -> str:
    """How the check stands, in a few words."""
    if checked.stand is CheckState.NOT_LOADED:
        return NOT_LOADED
    if checked.stand is CheckState.TOO_LARGE:
        return TOO_LARGE
    return found_words(checked.findings)


def found_words(findings: Sequence[Finding]) -> str:
    """How many there are of each severity."""
    counts = counted(findings)
    words = [f"{count:,} {severity}{'' if count == 1 else 's'}" for severity, count in counts.items() if count]
    return ", ".join(words) or "nothing found"


def finding_lines(findings: Iterable[Finding], width: int) -> list[Line]:
    """Each finding with its rule, where it is, what is wrong there and what to do."""
    return [line for each in findings for line in _lines(each, width)]


def row_height(findings: Iterable[Finding], width: int) -> int:
    """Lines that the rows of these findings need: those of `finding_row`, and a blank one between two."""
    advice = {each.what_to_do for each in findings}  # a few for each rule
    return 4 + max((len(wrap(trusted(each), max(1, width))) for each in advice), default=1)


def finding_row(finding: Finding, width: int) -> tuple[Line, ...]:
    """One finding in a list: its rule and where it is, at most two lines of what is wrong, what to do."""
    wrong = wrap(finding.words, max(1, width))
    # What has no room in two lines is cut with a sign; where it leads to, it is told whole.
    second = SafeText(" ".join(each.text for each in wrong[1:]), finding.words.was_sanitized)
    return (
        _head(finding, width),
        fit([span(wrong[0] if wrong else NOTHING)], width),
        *([fit([span(second)], width)] if second else []),
        *paragraph(trusted(finding.what_to_do), max(1, width), Role.DIM),
    )


def _head(finding: Finding, width: int) -> Line:
    head = span(f"{finding.severity} {finding.rule_id}", _ROLES[finding.severity])
    return fit([head, span("  "), span(show_line(finding.path, _PATH_LIMIT), Role.DIM)], width)


def _lines(finding: Finding, width: int) -> list[Line]:
    return [
        EMPTY,
        _head(finding, width),
        *paragraph(finding.words, max(1, width)),
        *paragraph(trusted(finding.what_to_do), max(1, width), Role.DIM),
    ]
