"""A thread as a document to be exported: from the store for the inbox, or from pages that a command has read."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path

import apsw

from frontdesk.config.paths import file_stem, free_export_path, path_problem, write_new_file
from frontdesk.config.render_context import RenderContext
from frontdesk.inbox.store import notes as note_store
from frontdesk.inbox.store import thread_pages, threads
from frontdesk.inbox.store.notes import TeamNote
from frontdesk.inbox.store.thread_pages import MessageRecord
from frontdesk.inbox.store.threads import Segment
from frontdesk.inbox.view.message import answered_id
from frontdesk.inbox.view.parties import parties_of
from frontdesk.inbox.view.thread import ThreadContext, entries
from frontdesk.inbox.view.thread_document import (
    DocumentEdges,
    ExportForm,
    ThreadDocument,
    coverage_sentences,
    document_parts,
    moment_words,
    write_document,
)
from frontdesk.storage import clients, record_lookup
from frontdesk.storage.records import ConversationRecord
from frontdesk.storage.sql import snapshot
from frontdesk_api.contract.ids import ConversationId
from frontdesk_lines.display_text import show_line
from frontdesk_lines.glyphs import UNICODE
from frontdesk_lines.privacy import is_private

WRONG_SUFFIX = "End the name in .md or .html."


@dataclass(frozen=True, slots=True)
class ThreadSource:
    """What is known of a thread.

    Attributes:
        messages: oldest first.
    """

    messages: Sequence[MessageRecord]
    segments: Sequence[Segment]
    notes: Sequence[TeamNote] = ()


def stored_document(
    db: apsw.Connection, conversation_id: ConversationId, view: RenderContext
) -> ThreadDocument | None:
    """Return what the store has of a thread; None where the conversation is gone."""
    with snapshot(db):
        record = record_lookup.conversation(db, conversation_id)
        if record is None:
            return None
        source = ThreadSource(
            thread_pages.page_from(db, conversation_id, None, -1),
            threads.segments(db, conversation_id),
            note_store.of_conversation(db, conversation_id, view.names.me),
        )
        last_read = _last_read(db, conversation_id, view.zone)
    edges = DocumentEdges(last_read=last_read, is_behind=not record.waiting_known)
    return make_document(source, record, edges, view)


def make_document(
    source: ThreadSource, record: ConversationRecord, edges: DocumentEdges, view: RenderContext
) -> ThreadDocument:
    view = view._replace(glyphs=UNICODE)
    messages = {str(each.key.message_id): each for each in source.messages}
    wanted = {answered_id(each.raw) for each in source.messages}
    around = ThreadContext(
        segments=source.segments,
        answered={each: messages[each] for each in wanted & messages.keys()},
        notes=source.notes,
    )
    found = entries(source.messages, around, view)
    parts = document_parts(found, edges, view, parties_of(record))
    customer = show_line(record.name or record.number or record.customer_id, 200).text
    facts = (
        ("Customer", ", ".join(dict.fromkeys(filter(None, (customer, show_line(record.number).text))))),
        ("Line", view.line(record.line_id, 200).text),
        ("Channel", view.channel(record.platform).text if record.platform else ""),
        ("Conversation", show_line(record.conversation_id).text),
        ("Exported", moment_words(view.now, view.zone)),
        ("Messages", _count_words(source.messages, view.zone)),
    )
    title = customer or show_line(record.conversation_id).text
    given = tuple((name, value) for name, value in facts if value)
    return ThreadDocument(title, given, coverage_sentences(parts, edges), parts)


def write_stored_thread(
    db: apsw.Connection, conversation_id: ConversationId, path: Path, view: RenderContext
) -> ThreadDocument | None:
    """Write what the store has of a thread into a new file, in the form that its suffix names.

    Returns None where the conversation is gone, or names are hidden: then nothing was written.

    Raises:
        OSError: the file is there, or can't be written.
    """
    document = stored_document(db, conversation_id, view)
    if document is None or is_private():
        return None
    write_new_file(path, write_document(document, _form_of(str(path)) or ExportForm.MARKDOWN), is_private=True)
    return document


def export_problem(typed: str) -> str:
    return path_problem(typed) or (WRONG_SUFFIX if _form_of(typed) is None else "")


def free_file_name(data_folder: Path, record: ConversationRecord, view: RenderContext) -> str:
    """Return the path of a file that isn't there yet, in a profile's folder for exports.

    The number or id names it: a customer's name may hold anything, and a file is passed on.
    """
    stem = file_stem(record.number or record.conversation_id, "conversation")
    name = f"{stem}-{datetime.fromtimestamp(view.now, view.zone).date().isoformat()}"
    return free_export_path(data_folder, name, f".{ExportForm.MARKDOWN.value}")


def _form_of(path: str) -> ExportForm | None:
    return next((each for each in ExportForm if path.lower().endswith(f".{each.value}")), None)


def with_times_of_neighbours(messages: Sequence[MessageRecord]) -> list[MessageRecord]:
    """Return messages, oldest first, in which one without a time has that of the message before it."""
    moments = threads.moments([each.raw for each in messages], None)
    return [
        each._replace(key=each.key._replace(created_at=at)) for each, at in zip(messages, moments, strict=True)
    ]


def _last_read(db: apsw.Connection, conversation_id: ConversationId, zone: tzinfo) -> str:
    """Return a sentence about the last read; one that found nothing new isn't stored, as the last answer is."""
    at, fresh_at = thread_pages.last_change_read_at(db, conversation_id), clients.health(db).fresh_at
    if at is None:
        return "This thread hasn't been loaded, or is no longer stored."
    words = f"The last load that found something new was at {moment_words(at, zone)}"
    return words + (
        "." if fresh_at is None else f"; the platform last answered at {moment_words(fresh_at, zone)}."
    )


def _count_words(messages: Sequence[MessageRecord], zone: tzinfo) -> str:
    if not messages:
        return "0"
    first, last = (moment_words(each.key.created_at / 1000, zone) for each in (messages[0], messages[-1]))
    return f"{len(messages):,}, from {first} to {last}"
