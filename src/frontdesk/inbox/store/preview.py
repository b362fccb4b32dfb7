"""The line about a conversation's last message that the list shows, stored by `store.conversations`.

Every kind of message has one: a row with nothing but ticks would look like an empty answer.
"""

from collections.abc import Iterator

from frontdesk.storage.records import Json
from frontdesk_api import json_access

PREVIEW_LIMIT = 160
"""Characters of the last message that are kept for a row."""

DELETED = "[message deleted]"
UNKNOWN = "[message without text]"
_FILES = ("attachment", "attachmentBase64")
_FILE_NAMES = ("fileName", "filename", "name", "title", "caption")
_TITLES = ("title", "text", "label", "name")


def preview_of(raw: Json) -> str:
    """Return one line about a message, before it is sanitized; empty for no message."""
    if not raw:
        return ""
    if raw.get("type") == "deleted":
        return DELETED
    text = next(filter(str.strip, _texts(raw)), "") or _file(raw) or _kind(raw)
    return text[:PREVIEW_LIMIT]


def _texts(raw: Json) -> Iterator[str]:
    said = raw.get("message")
    yield json_access.text(said) or json_access.text(json_access.mapping(said).get("text"))
    content = json_access.mapping(raw.get("richContent"))
    for value in content.values():
        yield json_access.text(value)
    for value in content.values():
        if isinstance(value, list):
            titles = [title for each in value if (title := _first(each, _TITLES))]
            yield " ".join(f"[{title}]" for title in titles)


def _file(raw: Json) -> str:
    parts = [raw.get(name) for name in _FILES]
    named = [each for part in parts for each in (part if isinstance(part, list) else [part])]
    if any("latitude" in json_access.mapping(each) for each in named):
        return "[location]"
    name = next((name for each in named if (name := _first(each, _FILE_NAMES))), "")
    return f"[{name or 'attachment'}]" if name or raw.get("hasAttachment") or any(parts) else ""


def _kind(raw: Json) -> str:
    kind = json_access.text(raw.get("type"))
    return UNKNOWN if kind in ("", "default") else f"[message of type {kind}]"


def _first(value: object, names: tuple[str, ...]) -> str:
    if isinstance(value, str):
        return value
    return next((text for name in names if (text := json_access.text(json_access.mapping(value).get(name)))), "")
