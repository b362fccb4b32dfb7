"""AI agents as list rows and in detail, with the list's orders and filter. Fields are loose."""

from collections.abc import Iterator

from frontdesk.ai_agents import store as agent_store
from frontdesk.config.facts import GAP, At, Fact, FactForm, RecordKind, heading, plain, text, unexpected
from frontdesk.config.render_context import RenderContext
from frontdesk.storage.records import AiAgentListing, DocumentRecord, Json
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
    return record.name or record.document_id


def row(record: DocumentRecord, width: int, view: RenderContext) -> tuple[Line, Line]:
    tokens = json_access.number(record.raw.get("tokensUsed"))
    used = [] if tokens is None else [span(f"{tokens:,.0f} tokens", Role.DIM)]
    return (
        fit([span(show_line(name_of(record), 80), Role.STRONG)], width, _state(record, view)),
        fit([span(show_line(_text(record, "description"), 120), Role.DIM)], width, used),
    )


def about(record: DocumentRecord, listing: AiAgentListing) -> Iterator[Fact]:
    raw = record.raw
    tokens = json_access.number(raw.get("tokensUsed"))
    yield text(show_line(name_of(record), 200), Role.STRONG, "name")
    yield text(show_line(record.document_id, 200), Role.DIM, "id")
    yield GAP
    yield text(trusted(NO_PERSON), Role.DIM, "note")
    yield GAP
    yield Fact("active", raw["isActive"] if _is_flag(raw) else trusted("unknown"))
    yield Fact("tokens used", trusted("unknown" if tokens is None else f"{tokens:,.0f}"))
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
    facts=lambda db, record, _: about(record, agent_store.last_read(db)),
    search_text=_search_text,
    states={
        "active": lambda each: each.raw.get("isActive") is True,
        "off": lambda each: each.raw.get("isActive") is False,
    },
)
