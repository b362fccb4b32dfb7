"""Draw a message in full."""

from frontdesk.config.render_context import RenderContext
from frontdesk.inbox.view import message_parts
from frontdesk.inbox.view.message import TYPE_WORDS, Parties, Spoken, agent_name, informative, sender_name, text_of
from frontdesk.storage import json_access
from frontdesk.storage.records import Json
from frontdesk.text import relative_time
from frontdesk.text.display_text import NOTHING, SafeText, body_lines, show_line, trusted

MAX_LENGTH = 1_000_000
MAX_LINES = 20_000


def full_message_lines(spoken: Spoken, view: RenderContext, parties: Parties) -> list[SafeText]:
    """Return the facts of a message, then its text and all its parts."""
    raw = spoken.record.raw
    lines = [fact for name, said in _facts(spoken, view, parties) if (fact := _fact(name, said))]
    if spoken.answers is not None:
        quoted = text_of(spoken.answers.raw)
        lines += [NOTHING, trusted("In answer to"), *_indented(quoted)]
    elif spoken.answers_id:
        lines += [NOTHING, trusted(f"In answer to {show_line(spoken.answers_id, 200).text}, which isn't loaded")]
    lines.append(NOTHING)
    said = informative(raw) if raw.get("type") == "informative" else raw.get("message")
    lines += body_lines(said or "(no text)", MAX_LENGTH, MAX_LINES)
    for each in (*message_parts.files(raw), *message_parts.captions(raw), *message_parts.links(raw)):
        lines += [NOTHING, trusted(f"{view.glyphs.attachment} {show_line(each, 2_000).text}")]
    texts, choices = message_parts.rich_content(raw)
    for each in texts:
        lines += [NOTHING, *body_lines(each, MAX_LENGTH, MAX_LINES)]
    lines += [trusted(f"  [{show_line(each, 200).text}]") for each in choices]
    for language, words in message_parts.translations(raw):
        name = f" ({show_line(language, 20).text})" if language else ""
        lines += [NOTHING, trusted(f"Translation{name}"), *_indented(words)]
    return lines


def _facts(spoken: Spoken, view: RenderContext, parties: Parties) -> list[tuple[str, str]]:
    raw, at = spoken.record.raw, spoken.record.key.created_at / 1000
    kind = json_access.text(raw.get("type"))
    updated = json_access.number(raw.get("updatedAt"))
    reactions = [
        f"{sign or '?'} {', '.join(map(parties.name, whose)) or count}"
        for sign, count, whose in message_parts.reactions(raw)
    ]
    return [
        ("From", _who(raw, parties)),
        ("To", parties.name(json_access.text(raw.get("receiver")))),
        ("Written", f"{relative_time.day(at, view.now, view.zone)} {relative_time.clock(at, view.zone)}"),
        ("Changed", "" if updated in (None, at * 1000) else _moment(updated / 1000, view) if updated else ""),
        ("Status", json_access.text(raw.get("status"))),
        ("Reason", message_parts.reason(raw)),
        ("Details", message_parts.details(raw)),
        ("Kind", TYPE_WORDS.get(kind, kind)),
        ("About", message_parts.comment(raw)),
        ("Channel", json_access.text(raw.get("messagePlatform")) or json_access.text(raw.get("creationPlatform"))),
        ("Reactions", ", ".join(reactions)),
        ("Id", json_access.text(raw.get("messageId"))),
    ]


def _who(raw: Json, parties: Parties) -> str:
    name, _ = sender_name(raw, parties)
    if raw.get("messageDirection") == "incoming":
        return parties.customer or json_access.text(raw.get("sender"))
    agent = agent_name(raw)
    return agent if raw.get("initiator") == "person" and agent else name.text + (f" ({agent})" if agent else "")


def _moment(at: float, view: RenderContext) -> str:
    return f"{relative_time.day(at, view.now, view.zone)} {relative_time.clock(at, view.zone)}"


def _fact(name: str, said: str) -> SafeText | None:
    return trusted(f"{name:<10} {show_line(said, 2_000).text}") if said else None


def _indented(words: str) -> list[SafeText]:
    return [SafeText(f"  {line.text}", line.was_sanitized) for line in body_lines(words, MAX_LENGTH, MAX_LINES)]
