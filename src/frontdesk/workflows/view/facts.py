"""Workflows as rows and facts.

Called by the screens that list them. Fields are loose, so each is read as what it is and never required.
"""

from collections.abc import Sequence

from frontdesk.config.render_context import RenderContext
from frontdesk.storage import json_access
from frontdesk.storage.records import DocumentRecord
from frontdesk.text import relative_time
from frontdesk.text.display_text import show_line, wrap
from frontdesk.text.lines import EMPTY, Line, Role, fit, span
from frontdesk.workflows.checks.list_cache import Checked
from frontdesk.workflows.view.findings import check_words, finding_lines

_ID_LIMIT = 80
_LABEL = 9


def workflow_facts(record: DocumentRecord, width: int, view: RenderContext, checked: Checked) -> tuple[Line, ...]:
    """What the list tells of a workflow, and what the check found in it."""
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
