"""A thread as entries: days, messages, gaps; and each entry as lines of a width.

Called by the inbox's thread. What loose fields usually hold is in field-notes.md; a value that
nobody knows is shown as it is.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from frontdesk.frozen import dataclass
from frontdesk.present import times
from frontdesk.present.lines import Line, Role, Span, crop, fit, paragraph, span, width_of
from frontdesk.present.statuses import tick
from frontdesk.present.view import View
from frontdesk.store import loose
from frontdesk.store.records import Json, MessageKey, MessageRecord, Segment
from frontdesk.text import Shown, body_lines, cell_width, own, show_line, wrap

WHO = 10
NARROW = 46
KNOWN_TYPES = frozenset(
    {"", "default", "deleted", "informative", "commentOnPost", "privateReply", "forward", "aiSummary", "note"}
)
ERROR_WORDS = {
    131026: "can't be delivered to this number",
    131049: "the platform limits marketing messages to this customer",
    130429: "sent faster than the line allows",
    131056: "too many messages to this customer",
}


@dataclass(frozen=True, slots=True)
class DayEntry:
    """A line that names the day of what follows."""

    key: str
    at: float


@dataclass(frozen=True, slots=True)
class GapEntry:
    """Messages before `before` are not loaded; `is_start` where nothing older is known at all."""

    key: str
    before: MessageKey
    is_start: bool


@dataclass(frozen=True, slots=True)
class BeginningEntry:
    """The first message of the thread follows: nothing older exists."""

    key: str


@dataclass(frozen=True, slots=True)
class MessageEntry:
    """A message; `opens` where it is the first of its sender's turn."""

    key: str
    record: MessageRecord
    opens: bool


Entry = DayEntry | GapEntry | BeginningEntry | MessageEntry


def entries(
    messages: Sequence[MessageRecord], segments: Sequence[Segment], view: View, *, whole: bool
) -> list[Entry]:
    """Messages, oldest first, with days, gaps and turns.

    Args:
        segments: the stretches known without holes: each one's oldest message has a gap before it.
        whole: whether `messages` begin at the oldest one stored.
    """
    oldest = {each.oldest: each for each in segments}
    first = messages[0].key if messages else None
    found: list[Entry] = []
    day_before, sender_before = "", ""
    for message in messages:
        stretch = oldest.get(message.key)
        starts = message.key == first
        if stretch is not None and (not starts or whole):
            if not stretch.complete:
                found.append(GapEntry(f"gap:{message.key.message_id}", message.key, is_start=starts))
                sender_before = ""
            elif starts:
                found.append(BeginningEntry("beginning"))
        at = message.key.created_at / 1000
        day = times.day(at, view.now, view.zone)
        if day != day_before:
            found.append(DayEntry(f"day:{message.key.message_id}", at))
            sender_before = ""
        sender = _turn_of(message.raw)
        found.append(MessageEntry(f"m:{message.key.message_id}", message, opens=sender != sender_before))
        day_before, sender_before = day, sender
    return found


def lay(entry: Entry, width: int, view: View, names: Mapping[str, str]) -> tuple[Line, ...]:
    """An entry as lines of exactly `width` cells.

    Args:
        names: message ids to the first words of messages that others answer.
    """
    match entry:
        case DayEntry():
            return (_centred(times.day(entry.at, view.now, view.zone), width, view, Role.DIM),)
        case GapEntry(is_start=True):
            return (_centred("older messages not loaded · L loads them", width, view, Role.WARN),)
        case GapEntry():
            return (_centred("messages are missing here · L loads them", width, view, Role.WARN),)
        case BeginningEntry():
            return (_centred("the thread begins here", width, view, Role.DIM),)
        case MessageEntry():
            return _message(entry, width, view, names)


def sender_name(raw: Json, customer: str) -> tuple[Shown, Role]:
    """Who wrote it: the customer, a person of ours, or a machine, told apart."""
    if raw.get("messageDirection") == "incoming":
        return _short(customer or str(raw.get("sender") or "")), Role.CUSTOMER
    initiator = str(raw.get("initiator") or "")
    agent = raw.get("agentIdentification")
    name = agent.get("name") if isinstance(agent, dict) else None
    if initiator == "person":
        return _short(str(name or "agent")), Role.AGENT
    words = {"bot": "bot", "campaign": "campaign", "ai": "AI"}
    return show_line(words.get(initiator, initiator or "outgoing"), 20), Role.BOT


def _short(name: str) -> Shown:
    """A name for a narrow column: the first part of one that is too long for it."""
    shown = show_line(name, 40)
    return shown if cell_width(shown.text) <= WHO else show_line(name.split(" ", 1)[0], 40)


def _message(entry: MessageEntry, width: int, view: View, names: Mapping[str, str]) -> tuple[Line, ...]:
    raw = entry.record.raw
    if raw.get("type") == "informative":
        return (_centred(_informative(raw), width, view, Role.DIM),)
    at = times.clock(entry.record.key.created_at / 1000, view.zone)
    who, role = sender_name(raw, names.get("customer", ""))
    outgoing = raw.get("messageDirection") != "incoming"
    narrow = width < NARROW
    indent = 2 if narrow else 6 + WHO + 2
    room = max(1, width - indent - (2 if outgoing else 0))
    ticks = tick(str(raw.get("status") or ""), view.glyphs) if outgoing else None
    body = _body(raw, room - (max(3, 1 + width_of((ticks,))) if ticks else 0), view, names)
    lines: list[Line] = []
    if narrow and entry.opens:
        lines.append(fit([span(who, role)], width, [span(at, Role.DIM)]))
    for place, line in enumerate(body):
        head = _head(place, at, who, role, entry.opens, narrow=narrow)
        edge = [span(f"{view.glyphs.bar} ", Role.BOT if role is Role.BOT else Role.AGENT)] if outgoing else []
        last = place == len(body) - 1
        right = [span(" "), ticks] if ticks is not None and last else []
        lines.append(_row([*head, *edge], line, width, right))
    return tuple(lines)


def _head(place: int, at: str, who: Shown, role: Role, opens: bool, *, narrow: bool) -> list[Span]:
    if narrow:
        return [span("  ")]
    if place:
        return [span(" " * (6 + WHO + 2))]
    name = fit([span(who, role)], WHO) if opens else fit([], WHO)
    return [span(f"{at} ", Role.DIM), *name, span("  ")]


def _row(head: list[Span], line: Line, width: int, right: list[Span]) -> Line:
    """Head and right edge stay where they are; only the text between reads its own direction."""
    room = width - width_of(head) - width_of(right)
    fill = room - width_of(line)
    return crop((*head, *line, *([Span(own(" " * fill))] if fill > 0 else []), *right), width)


def _body(raw: Json, width: int, view: View, names: Mapping[str, str]) -> list[Line]:
    width = max(1, width)
    kind = str(raw.get("type") or "")
    if kind == "deleted":
        return [fit([span("this message was deleted", Role.DIM)], width)]
    lines: list[Line] = []
    if kind == "note":
        lines.append(fit([span("internal note, not sent to the customer", Role.WARN)], width))
    elif kind not in KNOWN_TYPES:
        lines.append(fit([span("type ", Role.DIM), span(show_line(kind, 40), Role.DIM)], width))
    context = raw.get("context")
    if isinstance(context, dict) and context.get("id"):
        quoted = names.get(str(context["id"]), "an older message")
        lines.append(fit([span(f"{view.glyphs.answer} ", Role.DIM), span(show_line(quoted, 80), Role.DIM)], width))
    shown = body_lines(raw.get("message") or None)
    for part in shown:
        lines += paragraph(part, width)
    if any(part.altered for part in shown):
        lines.append(
            fit([span(f"{view.glyphs.warning} holds hidden characters, shown or taken out", Role.WARN)], width)
        )
    lines += _extras(raw, width, view)
    return lines or [fit([span("(no text)", Role.DIM)], width)]


def _extras(raw: Json, width: int, view: View) -> list[Line]:
    lines: list[Line] = []
    attachment = raw.get("attachmentBase64") or raw.get("attachment")
    if isinstance(attachment, dict):
        lines.append(fit([span(f"{view.glyphs.attachment} ", Role.ACCENT), span(_file(attachment))], width))
    elif raw.get("hasAttachment"):
        lines.append(fit([span(f"{view.glyphs.attachment} an attachment", Role.DIM)], width))
    translation = raw.get("translation")
    if isinstance(translation, dict):
        words = translation.get("text") or translation.get("message") or translation.get("translatedText")
        for part in wrap(show_line(words, 400), max(1, width - 4)) if words else []:
            lines.append(fit([span("≈ ", Role.DIM), span(part, Role.DIM)], width))
    reactions = raw.get("reactions")
    if isinstance(reactions, list) and reactions:
        lines.append(fit([span(_reactions(reactions), Role.DIM)], width))
    error = raw.get("error")
    if isinstance(error, dict) and error:
        said = own(f"{view.glyphs.failed} {_error(error).text}")
        lines += [fit([span(part, Role.BAD)], width) for part in wrap(said, width)]
    return lines


def _file(attachment: Mapping[str, Any]) -> Shown:
    name = show_line(attachment.get("fileName") or attachment.get("url") or "attachment", 80).text
    kind = show_line(attachment.get("fileMimeType") or attachment.get("fileType") or "", 40).text
    size = loose.number(attachment.get("fileSize"))
    parts = [name, kind, "" if size is None else _bytes(size)]
    return own(" · ".join(part for part in parts if part))


def _bytes(size: float) -> str:
    for unit in ("B", "kB", "MB"):
        if size < 1_000:
            return f"{size:.0f} {unit}"
        size /= 1_000
    return f"{size:.1f} GB"


def _reactions(reactions: Sequence[object]) -> Shown:
    signs = []
    for each in reactions:
        if isinstance(each, dict):
            signs.append(show_line(each.get("emoji") or each.get("reaction") or "?", 12).text)
    return own(" ".join(signs))


def _error(error: Mapping[str, Any]) -> Shown:
    code = error.get("code")
    words = ERROR_WORDS.get(code) if isinstance(code, int) else None
    said = show_line(words or error.get("title") or error.get("message") or "failed", 120).text
    return own(said + (f" ({show_line(code, 20).text})" if code is not None else ""))


def _informative(raw: Json) -> str:
    words = {
        "conversationStatusSwitched": "the conversation's status was switched",
        "conversationModeSwitched": "switched between bot and person",
        "conversationModeSwitchedAfter24H": "switched after 24 hours",
    }
    kind = str(raw.get("informativeMessageType") or "")
    return words.get(kind) or show_line(raw.get("message") or kind or "something happened", 80).text


def _turn_of(raw: Json) -> str:
    agent = raw.get("agentIdentification")
    name = agent.get("name") if isinstance(agent, dict) else ""
    return f"{raw.get('messageDirection')}|{raw.get('initiator')}|{name}|{raw.get('type') == 'note'}"


def _centred(text: str, width: int, view: View, role: Role) -> Line:
    words = f" {text} "
    side = max(0, (width - cell_width(words)) // 2)
    rule = view.glyphs.rule
    left = span(rule * side, Role.RULE)
    return fit([left, span(words, role), span(rule * max(0, width - side - cell_width(words)), Role.RULE)], width)


def informative_words(raw: Json) -> Shown:
    """What an informative message tells, as a sentence without a line around it."""
    return own(_informative(raw))


def error_words(error: Mapping[str, Any]) -> Shown:
    """Why a message failed."""
    return _error(error)


def file_words(attachment: Mapping[str, Any]) -> Shown:
    """An attachment's name, type and size."""
    return _file(attachment)


def reaction_words(reactions: Sequence[object]) -> Shown:
    """The signs that people reacted with."""
    return _reactions(reactions)
