"""A thread as a document: what an export has of it, cleaned and in reading order, before it is Markdown or HTML.

`inbox.thread_export` and the command line build it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from enum import StrEnum

from frontdesk.config.render_context import RenderContext
from frontdesk.inbox.store.notes import TeamNote
from frontdesk.inbox.view.message import (
    DELETED,
    INFORMATIVE,
    NOTE,
    STATUS_WORDS,
    MessageEntry,
    display_text_of,
    full_sender,
    informative,
    label_words,
    quoted_words,
)
from frontdesk.inbox.view.message_parts import MAX_LENGTH, MAX_LINES, MAX_PART, MessageExtra, message_extras
from frontdesk.inbox.view.note import state_words
from frontdesk.inbox.view.parties import Parties
from frontdesk.inbox.view.thread import BeginningEntry, DayEntry, Entry, GapEntry, NoteEntry
from frontdesk.storage.records import Json
from frontdesk.text import relative_time
from frontdesk.text.export_escapes import escape_markdown, markdown_text
from frontdesk.text.html_pages import escape_html, html_page
from frontdesk_api import json_access
from frontdesk_lines.display_text import body_lines, show_line

MAX_QUOTE = 200

NOT_LOADED = "not loaded here"
"""Begins the line of each gap, to be searched for."""

HIDDEN_CHARACTERS = "hidden characters were made visible or removed"


class PartKind(StrEnum):
    """What a paragraph of a document is; `.value` is its class in HTML."""

    DAY = "day"
    GAP = "gap"
    EDGE = "edge"
    EVENT = "event"
    CUSTOMER = "customer"
    AGENT = "agent"
    MACHINE = "machine"
    TEAM_NOTE = "note"


_MESSAGES = frozenset({PartKind.EVENT, PartKind.CUSTOMER, PartKind.AGENT, PartKind.MACHINE})


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """A day, a gap, an event, a message or a note.

    Attributes:
        words: of a day, gap or event.
        at: when it was, in the document's zone; None where that is unknown.
        facts: the status and kind of a message or note.
        quote: the message that it answers.
    """

    kind: PartKind
    words: str = ""
    at: datetime | None = None
    who: str = ""
    facts: tuple[str, ...] = ()
    quote: str = ""
    lines: tuple[str, ...] = ()
    extras: tuple[MessageExtra, ...] = ()


@dataclass(frozen=True, slots=True)
class ThreadDocument:
    """A thread to be exported.

    Attributes:
        facts: names and values for the beginning.
        coverage: sentences about what is in it and what isn't.
    """

    title: str
    facts: tuple[tuple[str, str], ...]
    coverage: tuple[str, ...]
    parts: tuple[DocumentPart, ...]


@dataclass(frozen=True, slots=True)
class DocumentEdges:
    """What the first and last lines say about a part of a thread.

    Attributes:
        left_out_before: why older messages are left out, although they may be known; empty otherwise.
        left_out_after: the same of newer ones.
        failure: why the platform didn't send what is older.
        is_behind: whether there are signs of newer messages.
    """

    left_out_before: str = ""
    left_out_after: str = ""
    failure: str = ""
    last_read: str = ""
    is_behind: bool = False
    unreadable: int = 0


def document_parts(
    found: Sequence[Entry], edges: DocumentEdges, view: RenderContext, parties: Parties
) -> tuple[DocumentPart, ...]:
    """Return the parts of a thread's entries, with a line for what isn't there at its beginning and end."""
    parts: list[DocumentPart] = []
    before: float | None = None
    for entry in found:
        match entry:
            case DayEntry():
                parts.append(DocumentPart(PartKind.DAY, day_words(entry.at, view.zone)))
            case BeginningEntry():
                parts.append(DocumentPart(PartKind.EDGE, "The conversation starts here."))
            case GapEntry():
                parts.append(_gap(entry, before, edges, view.zone))
            case NoteEntry():
                parts.append(_note(entry, view))
            case MessageEntry():
                before = entry.record.key.created_at / 1000
                parts.append(message_part(entry, view, parties))
    return (*([] if before is not None else _nothing(edges)), *parts, *_end(before, edges, view.zone))


def coverage_sentences(parts: Sequence[DocumentPart], edges: DocumentEdges) -> tuple[str, ...]:
    gaps = sum(part.kind is PartKind.GAP for part in parts)
    is_cut = bool(edges.left_out_before or edges.left_out_after)
    if gaps:
        lines = "1 line below says" if gaps == 1 else f"{gaps} lines below say"
        first = f'Not the whole conversation: {lines} "{NOT_LOADED}".'
    elif not any(part.kind in _MESSAGES for part in parts):
        first = "No messages."
    elif is_cut:
        first = "A part of the conversation, as chosen."
    else:
        first = "The whole conversation, as of the last load."
    notes = any(part.kind is PartKind.TEAM_NOTE for part in parts)
    found = [first]
    if notes:
        found.append("Includes notes that only the team sees; the customer never got them.")
    if edges.unreadable:
        several = "1 message" if edges.unreadable == 1 else f"{edges.unreadable:,} messages"
        are = "is" if edges.unreadable == 1 else "are"
        found.append(f"{several} from the platform couldn't be parsed and {are} skipped.")
    return (*found, *filter(None, [edges.last_read]))


def moment_words(at: float | None, zone: tzinfo) -> str:
    """Return a moment with its zone, `2026-11-03 10:02:07 +01:00`."""
    moment = None if at is None else relative_time.local(at, zone)
    return "unknown time" if moment is None else f"{moment.date().isoformat()} {clock_words(moment)}"


def clock_words(moment: datetime) -> str:
    """Return a time of day with its zone, `10:02:07 +01:00`."""
    whole = moment.timetz().isoformat("seconds")
    return f"{whole[:8]} {whole[8:]}"


def day_words(at: float, zone: tzinfo) -> str:
    """Return a day, `Tuesday, 3 November 2026`."""
    moment = relative_time.local(at, zone)
    return "unknown day" if moment is None else f"{moment:%A}, {moment.day} {moment:%B %Y}"


def message_part(
    entry: MessageEntry, view: RenderContext, parties: Parties, most: tuple[int, int] = (MAX_LENGTH, MAX_LINES)
) -> DocumentPart:
    """Return a message as a part of a document; the platform's own events are a line.

    Args:
        most: so many characters and lines of its text, and of each other text in it.
    """
    raw, at = entry.record.raw, relative_time.local(entry.record.key.created_at / 1000, view.zone)
    kind = json_access.text(raw.get("type"))
    if kind == INFORMATIVE:
        return DocumentPart(PartKind.EVENT, informative(raw), at)
    part = DocumentPart(_side(raw), at=at, who=show_line(full_sender(raw, parties), 200).text)
    if kind == DELETED:
        return replace(part, facts=("deleted",), lines=("This message was deleted.",))
    shown = body_lines(display_text_of(raw), *most)
    hidden = HIDDEN_CHARACTERS * any(each.was_sanitized for each in shown)
    lines, extras = tuple(each.text for each in shown), tuple(message_extras(raw, parties, most))
    return replace(
        part,
        facts=tuple(filter(None, (*label_words(raw, kind, MAX_PART), _status(raw, kind), hidden))),
        quote=_quote(entry, parties),
        lines=lines if lines or extras else ("(no text)",),
        extras=extras,
    )


def _side(raw: Json) -> PartKind:
    if raw.get("messageDirection") == "incoming":
        return PartKind.CUSTOMER
    return PartKind.AGENT if raw.get("initiator") == "person" else PartKind.MACHINE


def _status(raw: Json, kind: str) -> str:
    status = json_access.text(raw.get("status"))
    if raw.get("messageDirection") == "incoming" or kind == NOTE or not status:
        return ""
    return STATUS_WORDS.get(status) or f"status {show_line(status, 40).text}"


def _quote(entry: MessageEntry, parties: Parties) -> str:
    if not entry.answers_id:
        return ""
    if entry.answers is None:
        return "In reply to a message that isn't in this export."
    raw = entry.answers.raw
    return f"In reply to {show_line(full_sender(raw, parties), 200).text}: {quoted_words(raw, MAX_QUOTE).text}"


def _note(entry: NoteEntry, view: RenderContext) -> DocumentPart:
    note = entry.note
    what = f"handed over to {view.name(note.hand_over_to).text}" if note.hand_over_to else "note"
    facts = (f"{what}, only the team sees it", state_words(note, _receipt(note, view)))
    at, who = (
        relative_time.local(note.at, view.zone),
        view.name(note.author).text if note.author else "a colleague",
    )
    lines = tuple(each.text for each in body_lines(note.text))
    return DocumentPart(PartKind.TEAM_NOTE, at=at, who=who, facts=tuple(filter(None, facts)), lines=lines)


def _receipt(note: TeamNote, view: RenderContext) -> str:
    """Return who took a hand-over up and when, with the day: a file is read later."""
    if not note.hand_over_to:
        return ""
    if note.taken_up_at is None:
        return "not accepted yet"
    by = view.name(note.taken_up_by or note.hand_over_to)
    return f"accepted by {by.text} at {moment_words(note.taken_up_at, view.zone)}"


def _gap(entry: GapEntry, before: float | None, edges: DocumentEdges, zone: tzinfo) -> DocumentPart:
    after = moment_words(entry.before.created_at / 1000, zone)
    if not entry.is_start:
        return DocumentPart(PartKind.GAP, f"{NOT_LOADED}: between {moment_words(before, zone)} and {after}")
    if edges.left_out_before:
        return DocumentPart(PartKind.EDGE, edges.left_out_before)
    failure = f" ({show_line(edges.failure, MAX_PART).text})" if edges.failure else ""
    words = f"{NOT_LOADED}: before {after}{failure}; the conversation is older than what was loaded"
    return DocumentPart(PartKind.GAP, words)


def _nothing(edges: DocumentEdges) -> Iterator[DocumentPart]:
    if edges.failure:
        yield DocumentPart(
            PartKind.GAP, f"{NOT_LOADED}: older messages ({show_line(edges.failure, MAX_PART).text})"
        )
    elif edges.left_out_before:
        yield DocumentPart(PartKind.EDGE, edges.left_out_before)


def _end(newest: float | None, edges: DocumentEdges, zone: tzinfo) -> Iterator[DocumentPart]:
    if edges.is_behind:
        since = "" if newest is None else f" after {moment_words(newest, zone)}"
        yield DocumentPart(PartKind.GAP, f"{NOT_LOADED}: probably messages{since}")
    if edges.left_out_after:
        yield DocumentPart(PartKind.EDGE, edges.left_out_after)
    if edges.last_read:
        yield DocumentPart(PartKind.EDGE, f"End of this export. {edges.last_read}")


_STYLE = """\
:root { color-scheme: light dark; }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
h2 { margin: 2rem 0 0.5rem; font-size: 1.1rem; border-bottom: 1px solid; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }
dd { margin: 0; overflow-wrap: anywhere; }
article { margin: 0.75rem 0; padding-left: 0.75rem; border-left: 3px solid; }
article.customer { border-color: #2a7de1; }
article.agent { border-color: #2e8b57; }
article.machine { border-color: #888; border-left-style: dashed; }
article.note { border-color: #b8860b; border-left-style: double; }
.head { margin: 0; font-size: 0.9rem; }
.text { white-space: pre-wrap; unicode-bidi: plaintext; overflow-wrap: anywhere; }
blockquote { margin: 0.25rem 0; padding-left: 0.5rem; border-left: 1px solid; font-size: 0.9rem; }
ul { margin: 0.25rem 0; padding-left: 1.25rem; font-size: 0.9rem; }
.event, .edge { text-align: center; font-size: 0.9rem; }
.gap { padding: 0.25rem 0.5rem; border: 2px dashed #c00; text-align: center; font-weight: bold; }
@media print {
  body { max-width: none; margin: 0; font-size: 10pt; }
  article, .gap { break-inside: avoid; }
  h2, .head { break-after: avoid; }
  a::after { content: " (" attr(href) ")"; overflow-wrap: anywhere; }
}
"""


class ExportForm(StrEnum):
    """The form of an exported thread; `.value` is the file's suffix without its dot."""

    MARKDOWN = "md"
    HTML = "html"


def write_document(document: ThreadDocument, form: ExportForm) -> str:
    return _html(document) if form is ExportForm.HTML else _markdown(document)


def _markdown(document: ThreadDocument) -> str:
    blocks = [f"# Conversation with {_inline(document.title)}"]
    blocks.append("\n".join(f"- {name}: {_inline(value)}" for name, value in document.facts))
    blocks += [_inline(each) for each in document.coverage]
    for part in document.parts:
        blocks += _markdown_part(part)
    return "\n\n".join(blocks) + "\n"


def _markdown_part(part: DocumentPart) -> Iterator[str]:
    match part.kind:
        case PartKind.DAY:
            yield f"## {_inline(part.words)}"
        case PartKind.GAP:
            yield f"***{_inline(part.words)}***"
        case PartKind.EDGE | PartKind.EVENT:
            yield f"*{_inline(' · '.join([part.words, *_times(part)]))}*"
        case _:
            head = [f"**{_inline(part.who.strip()) or 'unknown'}**", *map(_inline, _times(part))]
            yield " · ".join([*head, *map(_inline, part.facts)])
            if part.quote:
                yield f"> {_inline(part.quote)}"
            if text := markdown_text(part.lines):
                yield text
            if part.extras:
                yield "\n".join(map(_markdown_extra, part.extras))


def _markdown_extra(extra: MessageExtra) -> str:
    # In angle brackets nothing is escaped: the address is ASCII without blanks, brackets and quotes.
    link = f" (<{extra.link}>)" if extra.link else ""
    return f"- {_inline(extra.label)}: {markdown_text(extra.lines, '  ')}{link}"


def _inline(text: str) -> str:
    return escape_markdown(text, len(text))


def _html(document: ThreadDocument) -> str:
    body = [f"<h1>Conversation with <bdi>{escape_html(document.title)}</bdi></h1>", "<dl>"]
    body += [f"<dt>{escape_html(name)}</dt><dd>{_isolated(value)}</dd>" for name, value in document.facts]
    body += ["</dl>", *(f"<p>{escape_html(each)}</p>" for each in document.coverage)]
    for part in document.parts:
        body += _html_part(part)
    return html_page(f"Conversation with {document.title}", _STYLE, "\n".join(body) + "\n")


def _html_part(part: DocumentPart) -> Iterator[str]:
    match part.kind:
        case PartKind.DAY:
            yield f"<h2>{escape_html(part.words)}</h2>"
        case PartKind.GAP | PartKind.EDGE:
            yield f'<p class="{part.kind.value}">{_isolated(part.words)}</p>'
        case PartKind.EVENT:
            yield f'<p class="event">{_isolated(part.words)}{_html_time(part)}</p>'
        case _:
            yield f'<article class="{part.kind.value}">'
            head = f"<strong>{_isolated(part.who or 'unknown')}</strong>{_html_time(part)}"
            yield f'<p class="head">{"".join([head, *(f" · {_isolated(each)}" for each in part.facts)])}</p>'
            if part.quote:
                yield f'<blockquote dir="auto">{escape_html(part.quote)}</blockquote>'
            if part.lines:
                yield f'<div class="text" dir="auto">{_broken(part.lines)}</div>'
            if part.extras:
                yield "<ul>"
                yield from map(_html_extra, part.extras)
                yield "</ul>"
            yield "</article>"


def _html_extra(extra: MessageExtra) -> str:
    text = f"<bdi>{_broken(extra.lines)}</bdi>"
    if extra.link:
        address = escape_html(extra.link)
        text = f'<a href="{address}" rel="noopener noreferrer nofollow">{text}</a>'
    return f"<li>{_isolated(extra.label)}: {text}</li>"


def _html_time(part: DocumentPart) -> str:
    if part.at is None:
        return ""
    return f' · <time datetime="{part.at.isoformat()}">{clock_words(part.at)}</time>'


def _broken(lines: Iterable[str]) -> str:
    return "<br>".join(map(escape_html, lines))


def _isolated(text: str) -> str:
    return f"<bdi>{escape_html(text)}</bdi>"


def _times(part: DocumentPart) -> list[str]:
    return [] if part.at is None else [clock_words(part.at)]
