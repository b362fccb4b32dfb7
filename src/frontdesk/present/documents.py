"""Workflows and AI agents as rows and facts.

Called by their screens. Fields are loose, so each is read as what it is and never required.
"""

from collections.abc import Sequence

from frontdesk.checking.listed import Checked
from frontdesk.present import times
from frontdesk.present.lines import EMPTY, Line, Role, fit, span
from frontdesk.present.view import View
from frontdesk.present.workflow_findings import check_words, finding_lines
from frontdesk.store import loose
from frontdesk.store.records import DocumentRecord, Json
from frontdesk.text import body_lines, own, show_line, wrap

_ID_LIMIT = 80
NO_PERSON = "An AI agent is not a person: tasks can't be assigned to it."
_LABEL = 9


def workflow_facts(record: DocumentRecord, width: int, view: View, checked: Checked) -> tuple[Line, ...]:
    """What the list tells of a workflow, and what the check found in it."""
    raw = record.raw
    facts = _facts(
        record,
        (
            ("active", "yes" if raw.get("isActive") is True else "no"),
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


def ai_agent_row(record: DocumentRecord, width: int, view: View) -> tuple[Line, Line]:
    """Name and whether it is active; below, what it is for."""
    raw = record.raw
    active = raw.get("isActive") is True
    state = span(
        f"{view.glyphs.on} active" if active else f"{view.glyphs.off} inactive", Role.GOOD if active else Role.DIM
    )
    top = fit([span(show_line(record.name or record.document_id, 80))], width, [state])
    return top, fit([span(show_line(raw.get("description"), 120), Role.DIM)], width)


def ai_agent_facts(record: DocumentRecord, width: int) -> tuple[Line, ...]:
    """What an AI agent does and what it has used."""
    raw = record.raw
    tokens = loose.number(raw.get("tokensUsed"))
    lines = _facts(
        record,
        (
            ("active", "yes" if raw.get("isActive") is True else "no"),
            ("tokens", f"{tokens:,.0f} used" if tokens is not None else None),
            ("files", _files(raw)),
            ("is for", raw.get("description")),
        ),
        width,
    )
    found = [
        *lines,
        EMPTY,
        *(fit([span(part, Role.DIM)], width) for part in wrap(own(NO_PERSON), max(1, width))),
    ]
    roles = raw.get("roles")
    for role in roles if isinstance(roles, list) else ():
        if isinstance(role, dict):
            found += [EMPTY, fit([span(show_line(role.get("name") or "role", 60), Role.ACCENT)], width)]
            for key in ("description", "instructions"):
                found += _paragraph(role.get(key), width)
    return tuple(found)


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


def _paragraph(text: object, width: int) -> list[Line]:
    return [fit([span(part)], width) for line in body_lines(text, 2_000, 20) for part in wrap(line, max(1, width))]


def _files(raw: Json) -> str | None:
    store = raw.get("vectorStore")
    if not isinstance(store, dict):
        return None
    files = store.get("files")
    return f"{len(files)}" if isinstance(files, list) else "not loaded"


def _moment(value: object, view: View) -> str | None:
    at = loose.number(value)
    return None if at is None else times.stamp(at, view.now, view.zone)
