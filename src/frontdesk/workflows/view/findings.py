"""Findings of the check as lines."""

from collections.abc import Iterable, Sequence

from frontdesk.config.render_context import RenderContext
from frontdesk.storage import json_access
from frontdesk.storage.records import DocumentRecord
from frontdesk.text import relative_time
from frontdesk.text.display_text import NOTHING, SafeText, show_line, trusted, wrap
from frontdesk.text.lines import EMPTY, Line, Role, fit, paragraph, span
from frontdesk.workflows.checks.finding import Finding, Severity
from frontdesk.workflows.checks.run import Checked, CheckState, counted

NOT_LOADED = "not loaded: the list is minimal"
TOO_LARGE = "too large for here; frontdesk workflows check FILE takes it"

_ROLES = {Severity.ERROR: Role.BAD, Severity.WARNING: Role.WARN}
_PATH_LIMIT = 120


def check_words(checked: Checked) -> str:
    """The result of a check in a few words."""
    if checked.state is CheckState.NOT_LOADED:
        return NOT_LOADED
    if checked.state is CheckState.TOO_LARGE:
        return TOO_LARGE
    return found_words(checked.findings)


def found_words(findings: Sequence[Finding]) -> str:
    """The number of findings of each severity."""
    counts = counted(findings)
    words = [f"{count:,} {severity}{'' if count == 1 else 's'}" for severity, count in counts.items() if count]
    return ", ".join(words) or "nothing found"


def finding_lines(findings: Iterable[Finding], width: int) -> list[Line]:
    """Each finding with its rule, place, problem and advice."""
    return [line for each in findings for line in _lines(each, width)]


def row_height(findings: Iterable[Finding], width: int) -> int:
    """The lines of the tallest `finding_row`, and a blank one below."""
    advice = {each.what_to_do for each in findings}  # a few for each rule
    return 4 + max((len(wrap(trusted(each), max(1, width))) for each in advice), default=1)


def finding_row(finding: Finding, width: int) -> tuple[Line, ...]:
    """A finding in a list: its rule and place, up to two lines of the problem, and the advice."""
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


_ID_LIMIT = 80
_LABEL = 9


def workflow_facts(record: DocumentRecord, width: int, view: RenderContext, checked: Checked) -> tuple[Line, ...]:
    """The listed fields of a workflow, and its findings."""
    raw = record.raw
    is_active = raw.get("isActive")
    facts = _facts(
        record,
        (
            ("active", {True: "yes", False: "no"}[is_active] if isinstance(is_active, bool) else "unknown"),
            ("trigger", raw.get("triggerType")),
            ("channel", raw.get("platformType")),
            ("line", view.names.line(raw.get("associatedToBusinessId"))),
            ("folder", raw.get("folderId")),
            ("created", _moment(raw.get("created"), view)),
            ("changed", _moment(raw.get("lastModified"), view)),
            ("check", check_words(checked)),
        ),
        width,
    )
    return (*facts, *finding_lines(checked.findings, width))


def _facts(record: DocumentRecord, facts: Sequence[tuple[str, object]], width: int) -> tuple[Line, ...]:
    lines = [
        fit([span(show_line(record.name or record.document_id, 80), Role.STRONG)], width),
        fit([span(show_line(record.document_id, _ID_LIMIT), Role.DIM)], width),
        EMPTY,
    ]
    for label, value in facts:
        if value not in (None, ""):
            parts = wrap(show_line(value, 200), max(1, width - _LABEL))
            heads = (f"{label:<{_LABEL}}", *[" " * _LABEL] * (len(parts) - 1))
            lines += [
                fit([span(head, Role.DIM), span(part)], width) for head, part in zip(heads, parts, strict=True)
            ]
    return tuple(lines)


def _moment(value: object, view: RenderContext) -> str | None:
    at = json_access.number(value)
    return None if at is None else relative_time.stamp(at, view.now, view.zone)
