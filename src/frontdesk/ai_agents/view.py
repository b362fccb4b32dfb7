"""AI agents as list rows and in detail, with the list's orders and filter. Fields are loose."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from frontdesk.api.contract.values import UnixUnstated, unstated_to_seconds
from frontdesk.config.render_context import RenderContext
from frontdesk.storage import json_access
from frontdesk.storage.records import AiAgentListing, DocumentRecord, Json, TokenSample
from frontdesk.text import relative_time
from frontdesk.text.display_text import SafeText, body_lines, counted, show_line, trusted
from frontdesk.text.lines import EMPTY, Line, Role, Span, crop, fit, json_body, json_text, paragraph, span

HEIGHT = 2
NO_PERSON = "An AI agent is not a person: tasks can't be assigned to it."

FILES_SHOWN = 200
ROLES_SHOWN = 100
_BODY_LETTERS, _BODY_LINES = 4_000, 60
_LABEL = 13


class AgentOrder(StrEnum):
    """Orders of the list."""

    NAME = "name"
    TOKENS = "tokens used"
    CHANGED = "last changed"
    ACTIVE = "active first"


def in_order(records: Iterable[DocumentRecord], order: AgentOrder) -> list[DocumentRecord]:
    """Sort agents, the largest first, and unknown values last."""

    def sort_key(record: DocumentRecord) -> tuple[float, ...]:
        match order:
            case AgentOrder.NAME:
                return ()
            case AgentOrder.TOKENS:
                return (_least_last(json_access.number(record.raw.get("tokensUsed"))),)
            case AgentOrder.CHANGED:
                return (_least_last(_seconds(record.raw.get("lastModified"))),)
            case AgentOrder.ACTIVE:
                return (0.0 if record.raw.get("isActive") is True else 1.0,)

    return sorted(records, key=lambda each: (sort_key(each), name_of(each).casefold(), each.document_id))


def matching(records: Iterable[DocumentRecord], typed: str) -> list[DocumentRecord]:
    """Return the AI agents that contain all typed words; `active` and `off` filter by state instead."""
    wanted = typed.casefold().split()
    return [each for each in records if _matches(each, wanted)]


def name_of(record: DocumentRecord) -> str:
    """Return the name of an agent, else its id."""
    return record.name or record.document_id


def title(shown: int, known: int) -> Line:
    """Return the heading of the list, with counts."""
    count = f"{known:,}" if shown == known else f"{shown:,} of {known:,}"
    return span("AI agents"), span(f" · {count}", Role.DIM)


def row(
    record: DocumentRecord, samples: Sequence[TokenSample], read_at: float | None, width: int, view: RenderContext
) -> tuple[Line, Line]:
    """Name and state; below, the description, and the tokens with their growth."""
    tokens = json_access.number(record.raw.get("tokensUsed"))
    used: list[Span] = []
    if tokens is not None:
        lately = lately_words(samples, read_at)
        grows = f"  +{lately}" if lately and not lately.startswith("0/") else ""
        used = [span(f"{tokens:,.0f} tokens{grows}", Role.DIM)]
    return (
        fit([span(show_line(name_of(record), 80), Role.STRONG)], width, _state(record, view)),
        fit([span(show_line(_text(record, "description"), 120), Role.DIM)], width, used),
    )


def detail(
    record: DocumentRecord,
    samples: Sequence[TokenSample],
    listing: AiAgentListing,
    width: int,
    view: RenderContext,
) -> tuple[Line, ...]:
    """All that is known of an AI agent: facts, roles with tools, the vector store with its files."""
    width = max(1, width)
    raw = record.raw
    tokens = json_access.number(raw.get("tokensUsed"))
    facts = (
        ("active", raw["isActive"] if _is_flag(raw) else "unknown"),
        ("tokens used", "unknown" if tokens is None else f"{tokens:,.0f}"),
        ("growth", growth_words(samples, listing.read_at, view) or "unknown"),
        ("description", _text(record, "description")),
        ("files", files_words(raw, listing.lacks)),
        ("folder", _text(record, "folderId")),
        ("business", _text(record, "associatedTo")),
        ("created", _format_time(raw.get("created"), view)),
        ("changed", _format_time(raw.get("lastModified"), view)),
        ("loaded", "" if listing.read_at is None else relative_time.when(listing.read_at, view.now, view.zone)),
    )
    lines: list[Line] = [
        *paragraph(show_line(name_of(record), 200), width, Role.STRONG),
        *paragraph(show_line(record.document_id, 200), width, Role.DIM),
        EMPTY,
        *paragraph(trusted(NO_PERSON), width, Role.DIM),
        EMPTY,
    ]
    for label, value in facts:
        lines += _fact(label, value, width)
    lines += _roles(raw.get("roles"), width)
    lines += _vector_store(raw.get("vectorStore"), listing.lacks, width)
    return tuple(lines)


def files_words(raw: Json, lacks: str) -> str:
    """Return the number of files in the vector store, or why it isn't known."""
    store = raw.get("vectorStore")
    if store is None:
        return "no vector store"
    if not isinstance(store, dict):
        return "unreadable: the vector store isn't an object"
    files = store.get("files")
    if isinstance(files, list):
        return f"{len(files):,}"
    if files is not None:
        return "unreadable: the files aren't a list"
    return f"not loaded: {lacks}" if lacks else "not loaded"


def role_names(raw: Json) -> list[str]:
    """Return the names of the roles."""
    return [
        name
        for each in json_access.elements(raw.get("roles"))
        if (name := json_access.text(json_access.mapping(each).get("name")))
    ]


def _roles(roles: object, width: int) -> list[Line]:
    if roles is None:
        return []
    if not isinstance(roles, list):
        return [EMPTY, *_heading("Roles", width), *_unexpected(roles, width)]
    lines: list[Line] = []
    for index, role in enumerate(roles[:ROLES_SHOWN], 1):
        role_name = json_access.text(json_access.mapping(role).get("name"))
        heading = show_line(f"Role {index}: {role_name}" if role_name else f"Role {index}", 120)
        lines += [EMPTY, *paragraph(heading, width, Role.ACCENT)]
        if not isinstance(role, dict):
            lines += _unexpected(role, width)
            continue
        for key in ("description", "instructions"):
            lines += _body(role.get(key), width)
        lines += _fact("webhook", role.get("webhook"), width)
        if "allRequired" in role:
            lines += _fact("all required", role["allRequired"], width)
        lines += _tool(role.get("tool"), width)
    if len(roles) > ROLES_SHOWN:
        lines += [
            EMPTY,
            *paragraph(trusted(f"… and {counted(len(roles) - ROLES_SHOWN, 'more role')}"), width, Role.DIM),
        ]
    return lines


def _tool(tool: object, width: int) -> list[Line]:
    if tool is None or tool == {}:
        return []
    if not isinstance(tool, dict):
        return [*_fact("tool", "", width, always=True), *_unexpected(tool, width)]
    rest = {name: value for name, value in tool.items() if name != "name" or not isinstance(value, str)}
    lines = _fact("tool", json_access.text(tool.get("name")) or "(no name)", width)
    return [*lines, *_json(rest, width)] if rest else lines


def _vector_store(store: object, lacks: str, width: int) -> list[Line]:
    if store is None:
        return []
    lines = [EMPTY, *_heading("Vector store", width)]
    if not isinstance(store, dict):
        return [*lines, *_unexpected(store, width)]
    lines += _fact("id", store.get("id"), width)
    lines += _fact("required", store.get("required"), width)
    files = store.get("files")
    lines += _fact("files", files_words({"vectorStore": store}, lacks), width)
    names = json_access.mapping(store.get("fileNamesMapping"))
    if not isinstance(files, list):
        for name in list(names.values())[:FILES_SHOWN]:
            lines += _indented(show_line(name, 120), width)
        return lines
    for file in files[:FILES_SHOWN]:
        lines += _file(file, names, width)
    if len(files) > FILES_SHOWN:
        lines += paragraph(trusted(f"… and {counted(len(files) - FILES_SHOWN, 'more file')}"), width, Role.DIM)
    return lines


def _file(file: object, names: Json, width: int) -> list[Line]:
    if not isinstance(file, dict):
        return _unexpected(file, width)
    identity = json_access.text(file.get("id"))
    name = json_access.text(names.get(identity)) or json_access.text(file.get("name")) or identity or "(no name)"
    details = [identity] if identity and identity != name else []
    for key, value in list(file.items())[:20]:
        if key not in ("id", "name"):
            details.append(_bytes(value) if key == "bytes" and _bytes(value) else f"{key} {_plain(value)}")
    below = _indented(show_line(", ".join(details), 400), width, 4, Role.DIM) if details else []
    return [*_indented(show_line(name, 120), width), *below]


def _bytes(value: object) -> str:
    size = json_access.number(value)
    return "" if size is None else f"{size:,.0f} bytes"


def _state(record: DocumentRecord, view: RenderContext) -> list[Span]:
    if not _is_flag(record.raw):
        return [span("active?", Role.DIM)]
    if record.raw["isActive"]:
        return [span(view.glyphs.on, Role.GOOD), span(" active", Role.DIM)]
    return [span(f"{view.glyphs.off} off", Role.DIM)]


def _is_flag(raw: Json) -> bool:
    return isinstance(raw.get("isActive"), bool)


def _fact(label: str, value: object, width: int, *, always: bool = False) -> list[Line]:
    if value in (None, "") and not always:
        return []
    if width <= _LABEL + 8:  # no room beside a label
        return [*paragraph(trusted(label), width, Role.DIM), *paragraph(show_line(_plain(value), 1_000), width)]
    parts = paragraph(show_line(_plain(value), 1_000), width - _LABEL) or [EMPTY]
    heads = (f"{label:<{_LABEL}}", *[" " * _LABEL] * (len(parts) - 1))
    return [fit((span(head, Role.DIM), *part), width) for head, part in zip(heads, parts, strict=True)]


def _body(text: object, width: int) -> list[Line]:
    if text is None or text == "":
        return []
    shown = text if isinstance(text, str) else _plain(text)
    return [line for part in body_lines(shown, _BODY_LETTERS, _BODY_LINES) for line in paragraph(part, width)]


def _unexpected(value: object, width: int) -> list[Line]:
    return [*paragraph(trusted("unexpected format; raw data:"), width, Role.WARN), *_json(value, width)]


def _json(value: object, width: int) -> list[Line]:
    lines = json_body(value, _BODY_LETTERS, _BODY_LINES)
    return [line for part in lines for line in _indented(part, width, 2, Role.DIM)]


def _indented(text: SafeText, width: int, by: int = 2, role: Role = Role.TEXT) -> list[Line]:
    room = max(1, width - by)
    return [fit(crop((span(" " * by), *line), width), width) for line in paragraph(text, room, role)]


def _heading(words: str, width: int) -> list[Line]:
    return [fit([span(words, Role.ACCENT)], width)]


def _format_time(value: object, view: RenderContext) -> str:
    """Return a time; its unit, which the interface doesn't state, is inferred from its magnitude."""
    at = json_access.number(value)
    if at is None:
        return ""
    moment = relative_time.local(unstated_to_seconds(UnixUnstated(at)), view.zone)
    return "unknown" if moment is None else f"{moment:%a} {moment.day} {moment:%b %Y %H:%M}"


def _seconds(value: object) -> float | None:
    at = json_access.number(value)
    return None if at is None else unstated_to_seconds(UnixUnstated(at))


def _text(record: DocumentRecord, name: str) -> str:
    return json_access.text(record.raw.get(name))


def _plain(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    number = json_access.number(value)
    if number is not None:
        return f"{number:,.0f}" if number.is_integer() else f"{number:g}"
    return json_text(value, 1_000, None)[0]


_STATES = {"active": True, "off": False}


def _matches(record: DocumentRecord, words: Sequence[str]) -> bool:
    text = _search_text(record)
    return all(record.raw.get("isActive") is _STATES[word] if word in _STATES else word in text for word in words)


def _search_text(record: DocumentRecord) -> str:
    raw = record.raw
    tools = [
        json_access.mapping(json_access.mapping(each).get("tool")).get("name")
        for each in json_access.elements(raw.get("roles"))
    ]
    files = json_access.mapping(json_access.mapping(raw.get("vectorStore")).get("fileNamesMapping")).values()
    parts = [record.name, record.document_id, _text(record, "description"), *role_names(raw)]
    return "\n".join([*parts, *map(json_access.text, (*tools, *files))]).casefold()


def _least_last(value: float | None) -> float:
    return float("inf") if value is None else -value


DAY, HOUR = 86_400.0, 3_600.0
MIN_SECONDS = 300.0
"""No rate is given over less time."""

HOLE_SECONDS = 1_800.0
"""Reads this close together leave no doubt about when the total grew."""


class Growth(NamedTuple):
    """Tokens used since a moment in Unix seconds."""

    tokens: float
    since: float


def growth(samples: Sequence[TokenSample], seconds: float, until: float) -> Growth | None:
    """Return the tokens used in a span; None with a single sample.

    Args:
        samples: oldest first.
        until: when it was last read.
    """
    known = [each for each in samples if each.at <= until]
    if not known:
        return None
    begin = until - seconds
    before = [index for index, each in enumerate(known) if each.at <= begin]
    index = before[-1] if before else 0
    base = known[index]
    since = base.at
    if before:
        following = known[index + 1] if index + 1 < len(known) else None
        if following is None or following.tokens == base.tokens or begin - base.at <= HOLE_SECONDS:
            since = begin
    if until - since <= 0:
        return None
    return Growth(known[-1].tokens - base.tokens, since)


def growth_words(samples: Sequence[TokenSample], until: float | None, view: RenderContext) -> str:
    """Growth and rate on one line, `+12,300 since yesterday 14:05, 340/hour recently`; empty after one read."""
    if until is None or (of_a_day := growth(samples, DAY, until)) is None:
        return ""
    words = f"{_signed(of_a_day.tokens)} since {relative_time.when(of_a_day.since, view.now, view.zone)}"
    lately = lately_words(samples, until)
    return f"{words}, {lately} recently" if lately else words


def lately_words(samples: Sequence[TokenSample], until: float | None) -> str:
    """Return the rate of about the last hour, `340/hour`; empty if unknown or falling."""
    found = None if until is None else growth(samples, HOUR, until)
    if found is None or until is None or until - found.since < MIN_SECONDS or found.tokens < 0:
        return ""
    return f"{found.tokens * HOUR / (until - found.since):,.0f}/hour"


def _signed(tokens: float) -> str:
    """Format a number with its sign; a fall is a correction by the platform."""
    if tokens < 0:
        return f"corrected by \N{MINUS SIGN}{-tokens:,.0f}"
    return f"+{tokens:,.0f}" if tokens else "unchanged"
