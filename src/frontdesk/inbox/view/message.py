"""Draw one message as a row of its thread, or in full.

Documented values of loose fields are in docs/interface.md, Values seen; others are shown as they are.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from frontdesk.config.render_context import RenderContext
from frontdesk.inbox.store.thread_pages import MessageRecord
from frontdesk.inbox.view import highlights, message_parts
from frontdesk.inbox.view.message_parts import MAX_LENGTH, MAX_LINES, message_extras
from frontdesk.inbox.view.parties import WHO, Parties, agent_name, sender_name, shown_agent
from frontdesk.storage.records import Json, MessagePosition
from frontdesk.text import relative_time
from frontdesk_api import json_access
from frontdesk_lines.display_text import NOTHING, SafeText, body_lines, show_line, trusted, wrap
from frontdesk_lines.glyphs import Glyphs
from frontdesk_lines.lines import EMPTY, Line, Role, Span, crop, fit, paragraph, sign, span, width_of

HEAD = 6 + WHO + 1
NARROW = 64
MAX_TEXT_WIDTH = 90
"""Cells of a line of text: longer lines are hard to read."""

INFORMATIVE = "informative"
NOTE = "note"
DELETED = "deleted"
TYPE_WORDS = {
    "": "",
    "default": "",
    DELETED: "",
    INFORMATIVE: "",
    NOTE: "internal note, not sent",
    "forward": "forwarded",
    "commentOnPost": "comment on a post",
    "privateReply": "private reply to a comment",
    "aiSummary": "AI summary",
}
STATUS_WORDS = {
    "read": "read by the customer",
    "played": "played by the customer",
    "delivered": "delivered",
    "sent": "sent",
    "failed": "failed",
    "optOut": "not sent because the customer opted out",
    "tooManyRequests": "not sent because of too many requests",
    "duplicateMessage": "not sent because it is a duplicate",
    "pending": "not sent yet",
    "inProcess": "sending",
    "scheduled": "scheduled",
    "standby": "on standby",
}
"""The delivery status of an outgoing message as a sentence has it."""

_FAILED = frozenset({"failed", "optOut", "tooManyRequests", "duplicateMessage"})
_WAITING = frozenset({"pending", "inProcess", "scheduled", "standby"})
_INFORMATIVE_WORDS = {
    "conversationStatusSwitched": "conversation status changed",
    "conversationModeSwitched": "switched to or from the bot",
    "conversationModeSwitchedAfter24H": "switched to or from the bot after 24 hours",
}


class MessageRenderer(NamedTuple):
    """How messages of one thread are drawn: names and words to highlight."""

    parties: Parties = Parties()
    words: str = ""


class MessageEntry(NamedTuple):
    """A message of a thread and its relation to its neighbours.

    Attributes:
        opens: whether it is the first of its sender's turn.
        answers_id: the message that it answers, empty for none.
    """

    record: MessageRecord
    opens: bool = True
    answers_id: str = ""
    answers: MessageRecord | None = None

    @property
    def key(self) -> str:
        return message_entry_key(self.record.key)


def message_entry_key(position: MessagePosition) -> str:
    return f"m:{position.message_id}"


def status_glyph(status: str, glyphs: Glyphs) -> Span:
    """Return the delivery status of an outgoing message; an unknown one as it is."""
    if status in ("read", "played"):
        return sign(glyphs.read, Role.ACCENT)
    if status == "delivered":
        return sign(glyphs.delivered, Role.DIM)
    if status == "sent":
        return sign(glyphs.sent, Role.DIM)
    if status in _FAILED:
        return sign(glyphs.failed, Role.BAD)
    if status in _WAITING:
        return sign(glyphs.waiting, Role.DIM)
    return span(show_line(status, 12), Role.DIM)


def answered_id(raw: Json) -> str:
    return json_access.text(json_access.mapping(raw.get("context")).get("id"))


def informative(raw: Json) -> str:
    kind = json_access.text(raw.get("informativeMessageType"))
    said = _INFORMATIVE_WORDS.get(kind)
    words = said or show_line(json_access.text(raw.get("message")) or kind, 80).text or "unknown event"
    who = shown_agent(raw, 30).text
    return words + (f" by {who}" if who else "")


def message_lines(
    entry: MessageEntry, width: int, view: RenderContext, renderer: MessageRenderer
) -> tuple[Line, ...]:
    """Draw a message in lines of exactly `width` cells."""
    raw = entry.record.raw
    narrow = width < NARROW
    status, failed = json_access.text(raw.get("status")), bool(message_parts.reason(raw))
    outgoing = raw.get("messageDirection") != "incoming"
    who, role = sender_name(raw, renderer.parties)
    at = relative_time.clock(entry.record.key.created_at / 1000, view.zone)
    # A note goes to nobody, and a deleted message says so itself.
    has_ticks = outgoing and status and not failed and raw.get("type") not in (NOTE, DELETED)
    right = (span(" "), status_glyph(status, view.glyphs)) if has_ticks else EMPTY
    indent = 2 if narrow else HEAD + 2
    room = max(1, width - indent - width_of(right))
    body = _body(entry, min(room, MAX_TEXT_WIDTH), view, renderer)
    width -= max(0, room - MAX_TEXT_WIDTH)
    edge = _edge(raw, role, view)
    # Without a time before it, a point marks the beginning of another message.
    begins = (sign("· ", Role.DIM),) if narrow and not entry.opens and not outgoing else edge
    lines: list[Line] = []
    if narrow and entry.opens:
        lines.append(fit([span(who, role), sign(f"  {at}", Role.DIM)], width))
    for place, line in enumerate(body):
        head = EMPTY if narrow else _head(entry, at, who, role) if place == 0 else (sign(" " * HEAD),)
        bar = begins if place == 0 else edge
        lines.append(_row((*head, *bar), line, width, right if place == len(body) - 1 else EMPTY))
    return tuple(lines)


def _edge(raw: Json, role: Role, view: RenderContext) -> Line:
    if raw.get("type") == NOTE:
        return (sign(f"{view.glyphs.note_bar} ", Role.WARN),)
    if raw.get("messageDirection") == "incoming":
        return (sign("  "),)
    bar = view.glyphs.bar if role is Role.AGENT else view.glyphs.machine_bar
    return (sign(f"{bar} ", role),)


def _head(entry: MessageEntry, at: str, who: SafeText, role: Role) -> Line:
    name = fit([span(who, role)], WHO) if entry.opens else fit([], WHO)
    gap = Span(trusted(" "), copied=": " if entry.opens else "")
    return (sign(f"{at} ", Role.DIM), *name, gap)


def _row(head: Line, line: Line, width: int, right: Line) -> Line:
    """Join head, text and right edge; only the text follows its own direction."""
    room = width - width_of(head) - width_of(right)
    fill = room - width_of(line)
    return crop((*head, *line, *([Span(trusted(" " * fill))] if fill > 0 else []), *right), width)


def _body(entry: MessageEntry, width: int, view: RenderContext, renderer: MessageRenderer) -> list[Line]:
    raw = entry.record.raw
    kind = json_access.text(raw.get("type"))
    if kind == DELETED:
        return [fit([span("this message was deleted", Role.DIM)], width)]
    lines = _labels(raw, kind, width, view)
    if entry.answers_id:
        lines.append(_quote(entry, width, view, renderer))
    shown = body_lines(display_text_of(raw))
    for part in shown:
        lines += highlights.paragraph(part, width, renderer.words) if renderer.words else paragraph(part, width)
    if any(part.was_sanitized for part in shown):
        warning = trusted("hidden characters made visible or removed")
        lines += _hanging(sign(f"{view.glyphs.warning} ", Role.WARN), warning, width, "", Role.WARN)
    lines += _extras(raw, width, view, renderer)
    return lines or [fit([span("(no text)", Role.DIM)], width)]


def display_text_of(raw: Json) -> object:
    """Return the text; of an undocumented object its text or the object; None where there is none."""
    said = raw.get("message") or None
    return json_access.text(said.get("text")) or said if isinstance(said, dict) else said


def label_words(raw: Json, kind: str, limit: int) -> Iterator[str]:
    """Yield what a message is besides a plain one; texts from outside have at most so many characters."""
    words = TYPE_WORDS.get(kind)
    if words is None:
        yield f"unknown message type {show_line(kind, 40).text}"
    elif words:
        about = show_line(message_parts.comment(raw), limit).text
        yield f"{words}: {about}" if about else words
    direction = raw.get("messageDirection")
    if direction not in ("incoming", "outgoing"):
        yield f"direction {show_line(direction, 40).text}" if direction else "direction unknown"


def _labels(raw: Json, kind: str, width: int, view: RenderContext) -> list[Line]:
    mark, role = (f"{view.glyphs.note} ", Role.WARN) if kind == NOTE else ("", Role.DIM)
    return [fit([span(f"{mark}{each}", role)], width) for each in label_words(raw, kind, 120)]


def quoted_words(raw: Json, limit: int) -> SafeText:
    if raw.get("type") == DELETED:
        return trusted("a deleted message")
    return show_line(" ".join(message_parts.message_text(raw).split()) or "a message", limit)


def _quote(entry: MessageEntry, width: int, view: RenderContext, renderer: MessageRenderer) -> Line:
    arrow = sign(f"{view.glyphs.answer} ", Role.DIM)
    if entry.answers is None:
        return fit([arrow, span("replies to a message that isn't loaded", Role.DIM)], width)
    raw = entry.answers.raw
    who, _ = sender_name(raw, renderer.parties)
    return fit([arrow, span(who, Role.DIM), span(": ", Role.DIM), span(quoted_words(raw, 120), Role.DIM)], width)


def _extras(raw: Json, width: int, view: RenderContext, renderer: MessageRenderer) -> list[Line]:
    glyphs = view.glyphs
    lines: list[Line] = []
    for each in message_parts.files(raw):
        lines += _hanging(sign(f"{glyphs.attachment} ", Role.ACCENT), show_line(each, 400), width, renderer.words)
    for each in message_parts.captions(raw):
        lines += _hanging(sign("  "), show_line(each, 400), width, renderer.words)
    texts, choices = message_parts.rich_content(raw)
    for each in texts:
        lines += _hanging(sign("  "), show_line(each, 400), width, renderer.words)
    if choices:
        lines += _choices([show_line(each, 40) for each in choices[:20]], width)
    for language, each in message_parts.translations(raw):
        name = f"{show_line(language, 12).text}: " if language else ""
        lead = sign(f"{glyphs.translated} {name}", Role.DIM)
        lines += _hanging(lead, show_line(each, 2_000), width, renderer.words, Role.DIM)
    if given := message_parts.reactions(raw):
        said = trusted(_reactions(given, renderer))
        lines += [fit([span(part, Role.DIM)], width) for part in wrap(said, width)]
    elif raw.get("hasReaction"):
        lines.append(fit([span("a reaction", Role.DIM)], width))
    if why := message_parts.reason(raw):
        lines += _hanging(sign(f"{glyphs.failed} ", Role.BAD), show_line(why, 200), width, "", Role.BAD)
    return lines


def _hanging(lead: Span, said: SafeText, width: int, words: str, role: Role = Role.TEXT) -> list[Line]:
    indent = width_of([lead])
    if width <= indent:
        return [fit([lead], width)]
    inner = (
        highlights.paragraph(said, width - indent, words, role) if words else paragraph(said, width - indent, role)
    )
    return [((sign(" " * indent) if place else lead), *line) for place, line in enumerate(inner)]


def _choices(choices: Sequence[SafeText], width: int) -> list[Line]:
    lines: list[list[Span]] = [[]]
    for each in choices:
        chip = [span("[", Role.RULE), span(each, Role.DIM), span("]", Role.RULE)]
        if lines[-1] and width_of(lines[-1]) + width_of(chip) + 1 > width:
            lines.append([])
        lines[-1] += [*([span(" ")] if lines[-1] else []), *chip]
    return [fit(line, width) for line in lines]


def _reactions(given: Sequence[tuple[str, int, list[str]]], renderer: MessageRenderer) -> str:
    said = []
    for emoji, count, whose in given:
        names = ", ".join(show_line(renderer.parties.name(each), 30).text for each in whose[:3])
        more = f" and {count - 3} more" if whose and count > 3 else ""
        many = f" x{count}" if count > 1 and count != len(whose) and not more else ""
        said.append(f"{emoji or '?'}{many}{f' {names}' if names else ''}{more}")
    return "   ".join(said)


def full_message_lines(entry: MessageEntry, view: RenderContext, parties: Parties) -> list[SafeText]:
    raw = entry.record.raw
    facts = _facts(entry, view, parties)
    lines = [trusted(f"{name:<10} {show_line(said, 2_000).text}") for name, said in facts if said]
    if entry.answers is not None:
        quoted = message_parts.message_text(entry.answers.raw)
        lines += [NOTHING, trusted("In reply to"), *_indented(quoted)]
    elif entry.answers_id:
        lines += [NOTHING, trusted(f"In reply to {show_line(entry.answers_id, 200).text}, which isn't loaded")]
    lines.append(NOTHING)
    said = informative(raw) if raw.get("type") == "informative" else raw.get("message")
    lines += body_lines(said or "(no text)", MAX_LENGTH, MAX_LINES)
    for extra in message_extras(raw, parties):
        if extra.label not in ("Reactions", "Error"):  # they are facts, above
            lines += [NOTHING, trusted(extra.label), *(trusted(f"  {each}") for each in extra.lines)]
    for link in message_parts.links(raw):
        lines += [NOTHING, trusted(f"Link: {show_line(link, 2_000).text}")]
    return lines


def _facts(entry: MessageEntry, view: RenderContext, parties: Parties) -> list[tuple[str, str]]:
    raw, at = entry.record.raw, entry.record.key.created_at / 1000
    kind = json_access.text(raw.get("type"))
    updated = json_access.number(raw.get("updatedAt"))
    reactions = [
        f"{sign or '?'} {', '.join(map(parties.name, whose)) or count}"
        for sign, count, whose in message_parts.reactions(raw)
    ]
    return [
        ("From", full_sender(raw, parties)),
        ("To", parties.name(json_access.text(raw.get("receiver")))),
        ("Time", view.day_and_time(at)),
        ("Changed", view.day_and_time(updated / 1000) if updated and updated != at * 1000 else ""),
        ("Status", json_access.text(raw.get("status"))),
        ("Reason", message_parts.reason(raw)),
        ("Details", message_parts.details(raw)),
        ("Type", TYPE_WORDS.get(kind, kind)),
        ("About", message_parts.comment(raw)),
        ("Channel", json_access.text(raw.get("messagePlatform")) or json_access.text(raw.get("creationPlatform"))),
        ("Reactions", ", ".join(reactions)),
        ("Id", json_access.text(raw.get("messageId"))),
    ]


def full_sender(raw: Json, parties: Parties) -> str:
    """Return the sender's whole name, which isn't cleaned."""
    name, _ = sender_name(raw, parties)
    if raw.get("messageDirection") == "incoming":
        return parties.customer or json_access.text(raw.get("sender"))
    agent = agent_name(raw)
    return agent if raw.get("initiator") == "person" and agent else name.text + (f" ({agent})" if agent else "")


def _indented(words: str) -> list[SafeText]:
    return [SafeText(f"  {line.text}", line.was_sanitized) for line in body_lines(words, MAX_LENGTH, MAX_LINES)]
