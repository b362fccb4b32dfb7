"""AI agents as list rows and in detail, with the list's orders and filter. Fields are loose."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from frontdesk.ai_agents import store as agent_store
from frontdesk.config.facts import GAP, At, Fact, FactForm, heading, plain, text, unexpected
from frontdesk.config.record_kind import RecordKind
from frontdesk.config.render_context import RenderContext
from frontdesk.storage.records import AiAgentListing, DocumentRecord, Json, TokenSample
from frontdesk.storage.sql import ReadConnection
from frontdesk_api import json_access
from frontdesk_api.contract.values import UnixUnstated, unstated_to_seconds
from frontdesk_lines.display_text import counted, show_line, trusted
from frontdesk_lines.lines import Line, Role, Span, fit, span

HEIGHT = 2
NO_PERSON = "An AI agent is not a person: tasks can't be assigned to it."

FILES_SHOWN = 200
ROLES_SHOWN = 100
LABEL_CELLS = 13


def name_of(record: DocumentRecord) -> str:
    """Return the name of an agent, else its id."""
    return record.name or record.document_id


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


def about(record: DocumentRecord, listing: AiAgentListing, growth: str = "") -> Iterator[Fact]:
    """Tell all that is known of an AI agent: facts, roles with tools, the vector store with its files.

    Args:
        growth: of its tokens, in words.
    """
    raw = record.raw
    tokens = json_access.number(raw.get("tokensUsed"))
    yield text(show_line(name_of(record), 200), Role.STRONG, "name")
    yield text(show_line(record.document_id, 200), Role.DIM, "id")
    yield GAP
    yield text(trusted(NO_PERSON), Role.DIM, "note")
    yield GAP
    yield Fact("active", raw["isActive"] if _is_flag(raw) else trusted("unknown"))
    yield Fact("tokens used", trusted("unknown" if tokens is None else f"{tokens:,.0f}"))
    yield Fact("growth", trusted(growth))
    yield Fact("description", _text(record, "description"))
    yield Fact("files", show_line(files_words(raw, listing.lacks), 1_000))
    yield Fact("folder", _text(record, "folderId"))
    yield Fact("business", _text(record, "associatedTo"))
    yield Fact("created", At.known(_seconds(raw.get("created"))))
    yield Fact("changed", At.known(_seconds(raw.get("lastModified"))))
    yield Fact("loaded", At.known(listing.read_at))
    yield from _roles(raw.get("roles"))
    yield from _vector_store(raw.get("vectorStore"), listing.lacks)


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


def _roles(roles: object) -> Iterator[Fact]:
    if roles is not None and not isinstance(roles, list):
        yield heading("Roles")
        yield from unexpected(roles)
        return
    for index, role in enumerate((roles or ())[:ROLES_SHOWN], 1):
        yield heading(f"Role {index}", show_line(json_access.mapping(role).get("name"), 120))
        if not isinstance(role, dict):
            yield from unexpected(role)
            continue
        for key in ("description", "instructions"):
            yield text(plain(role.get(key) or ""), label=key)
        yield Fact("webhook", role.get("webhook"))
        yield Fact("all required", role.get("allRequired"))
        yield from _tool(role.get("tool"))
    if (more := len(roles or ()) - ROLES_SHOWN) > 0:
        yield GAP
        yield text(trusted(f"… and {counted(more, 'more role')}"), Role.DIM)


def _tool(tool: object) -> Iterator[Fact]:
    if not isinstance(tool, dict):
        yield from () if tool is None else unexpected(tool, "tool")
    elif tool:
        yield Fact("tool", json_access.text(tool.get("name")) or trusted("(no name)"))
        rest = {name: value for name, value in tool.items() if name != "name" or not isinstance(value, str)}
        if rest:
            yield Fact("", rest, Role.DIM, FactForm.JSON, 2)


def _vector_store(store: object, lacks: str) -> Iterator[Fact]:
    if store is None:
        return
    yield heading("Vector store")
    if not isinstance(store, dict):
        yield from unexpected(store)
        return
    yield Fact("id", store.get("id"))
    yield Fact("required", store.get("required"))
    files, names = store.get("files"), json_access.mapping(store.get("fileNamesMapping"))
    yield Fact("files", show_line(files_words({"vectorStore": store}, lacks), 1_000))
    if not isinstance(files, list):
        files = [{"id": each} for each in names]
    for file in files[:FILES_SHOWN]:
        yield from _file(file, names)
    if len(files) > FILES_SHOWN:
        yield text(trusted(f"… and {counted(len(files) - FILES_SHOWN, 'more file')}"), Role.DIM)


def _file(file: object, names: Json) -> Iterator[Fact]:
    if not isinstance(file, dict):
        yield from unexpected(file)
        return
    identity = json_access.text(file.get("id"))
    name = json_access.text(names.get(identity)) or json_access.text(file.get("name")) or identity or "(no name)"
    details = [identity] if identity and identity != name else []
    for key, value in list(file.items())[:20]:
        if key not in ("id", "name"):
            details.append(_bytes(value) if key == "bytes" and _bytes(value) else f"{key} {plain(value)}")
    yield Fact(show_line(name, 120), show_line(", ".join(details), 400), Role.DIM, FactForm.ITEM, 2)


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


def _seconds(value: object) -> float | None:
    at = json_access.number(value)
    return None if at is None else unstated_to_seconds(UnixUnstated(at))


def _text(record: DocumentRecord, name: str) -> str:
    return json_access.text(record.raw.get(name))


def _search_text(record: DocumentRecord) -> str:
    raw = record.raw
    roles = [json_access.mapping(each) for each in json_access.elements(raw.get("roles"))]
    tools = [json_access.mapping(each.get("tool")).get("name") for each in roles]
    files = json_access.mapping(json_access.mapping(raw.get("vectorStore")).get("fileNamesMapping")).values()
    named = [each.get("name") for each in roles]
    parts = [record.name, record.document_id, _text(record, "description")]
    return "\n".join([*parts, *map(json_access.text, (*named, *tools, *files))])


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
    words = f"{_signed(of_a_day.tokens)} since {view.when(of_a_day.since)}"
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


def _facts(db: ReadConnection, record: DocumentRecord, view: RenderContext) -> Iterator[Fact]:
    listing = agent_store.last_read(db)
    grew = growth_words(agent_store.samples(db, record.document_id), listing.read_at, view)
    return about(record, listing, grew or "unknown")


AI_AGENTS: RecordKind[DocumentRecord] = RecordKind(
    name="AI agent",
    plural="AI agents",
    key=lambda each: each.document_id,
    label=name_of,
    read=agent_store.listing,
    orders={
        "name": None,
        "tokens used": lambda each: json_access.number(each.raw.get("tokensUsed")),
        "last changed": lambda each: _seconds(each.raw.get("lastModified")),
        "active first": lambda each: each.raw.get("isActive") is True,
    },
    facts=_facts,
    search_text=_search_text,
    states={
        "active": lambda each: each.raw.get("isActive") is True,
        "off": lambda each: each.raw.get("isActive") is False,
    },
)
