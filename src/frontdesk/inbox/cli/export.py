"""`frontdesk messages export`: a thread, read from the platform page by page, as Markdown or HTML."""

import os
import re
import sys
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from datetime import time as day_time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from frontdesk.cli import completion
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed, print_error, status_of, with_wait
from frontdesk.cli.output import print_line
from frontdesk_lines.display_text import counted, show_line

if TYPE_CHECKING:
    from frontdesk.config.render_context import Catalogue
    from frontdesk.inbox.store.notes import TeamNote
    from frontdesk.inbox.store.thread_pages import MessageRecord
    from frontdesk.inbox.view.thread_document import ThreadDocument
    from frontdesk.storage.records import ConversationRecord
    from frontdesk_api.client.client import PlatformClient
    from frontdesk_api.contract.ids import CustomerId, LineId


def export_messages(
    phone: Annotated[
        str,
        typer.Argument(
            metavar="PHONE",
            help="The line. Without CUSTOMER: the id or number of a conversation that was loaded before.",
            autocompletion=completion.complete_line,
        ),
    ],
    customer: Annotated[
        str,
        typer.Argument(
            metavar="[CUSTOMER]",
            help="The customer's phone number id.",
            autocompletion=completion.complete_customer,
        ),
    ] = "",
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Write Markdown.")] = False,
    as_html: Annotated[bool, typer.Option("--html", help="Write one HTML page that loads nothing.")] = False,
    file: Annotated[
        str | None, typer.Option("--file", metavar="FILE", help="Where to write it. Default: standard output.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE if it already exists.")] = False,
    start: Annotated[
        str,
        typer.Option("--from", metavar="WHEN", help="Leave out older messages: a day, or an ISO 8601 time."),
    ] = "",
    end: Annotated[
        str, typer.Option("--to", metavar="WHEN", help="Leave out newer messages; a day is included.")
    ] = "",
) -> None:
    """Export a conversation's messages, oldest first; a line marks each gap.

    Reads all pages from the platform. If it fails halfway, it writes what was read, and the exit status says so.
    """
    from frontdesk.config.time_zone import local_zone

    if as_markdown == as_html:
        raise CommandFailed(INPUT_WRONG, "choose one of --markdown and --html")
    path = None if file in (None, "-") else file
    if path is not None and not force and os.path.lexists(path):
        raise CommandFailed(INPUT_WRONG, f"{path} already exists; use --force to overwrite it; nothing was loaded")
    zone = local_zone()
    span = parse_span(start, end, datetime.now(zone))
    found = find_pair(phone.strip(), customer.strip())
    pair = found.line_id, found.customer_id
    pages = _Pages(span)
    failure = _read(pages, *pair)
    if failure is not None and not pages.has_answer:
        raise failure
    if not found.is_stored and pages.is_whole and not (pages.messages or pages.has_newer or pages.unreadable):
        raise CommandFailed(INPUT_WRONG, f"{found.nothing} Nothing was written.")
    document = _document(pages, pair, zone, failure)
    _write(document, path, is_html=as_html, replaces=force)
    if failure is not None:
        _fail(pages, failure)


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """The time of the messages that are wanted: Unix seconds, from `start` to before `end`."""

    start: float = float("-inf")
    end: float = float("inf")


def parse_span(start: str, end: str, now: datetime) -> TimeSpan:
    """Parse both options; a day begins and ends at midnight."""
    first = _moment("--from", start, now, ends=False) if start else float("-inf")
    last = _moment("--to", end, now, ends=True) if end else float("inf")
    if last <= first:
        why = f"--to {end[:40]!r} isn't after --from {start[:40]!r}; nothing was loaded"
        raise CommandFailed(INPUT_WRONG, why)
    return TimeSpan(first, last)


def _moment(option: str, words: str, now: datetime, *, ends: bool) -> float:
    from frontdesk.text.due_parser import DueNotUnderstood, parse_past_day

    text = words.strip()
    try:
        if re.fullmatch(r"\d{10}", text):
            return float(text)
        if re.match(r"\d{4}-\d\d-\d\d[Tt ]\d", text):
            at = datetime.fromisoformat(text)
            return (at if at.tzinfo else at.replace(tzinfo=now.tzinfo)).timestamp()
        day = parse_past_day(text, now)
        if day is None:  # the beginning
            return float("-inf")
        midnight = datetime.combine(day + timedelta(days=ends), day_time(), now.tzinfo)
        return midnight.astimezone(UTC).timestamp()
    except DueNotUnderstood as error:
        raise CommandFailed(INPUT_WRONG, f"{option}: {error}; nothing was loaded") from None
    except (ValueError, OverflowError):
        hint = "try 2026-11-03 or 2026-11-03T09:30"
        raise CommandFailed(INPUT_WRONG, f"{option}: {text[:40]!r} isn't a recognized time; {hint}") from None


@dataclass
class _Pages:
    """The messages that were read, newest first as they came.

    Attributes:
        is_whole: whether the platform said that nothing older exists.
        is_cut: whether older ones were left out.
    """

    span: TimeSpan
    messages: list["MessageRecord"] = field(default_factory=list)
    has_answer: bool = False
    is_whole: bool = False
    is_cut: bool = False
    has_newer: bool = False
    unreadable: int = 0
    read_at: float = 0.0

    async def read(self, client: "PlatformClient", line_id: "LineId", customer_id: "CustomerId") -> None:
        from frontdesk.inbox.store.thread_pages import MessageRecord
        from frontdesk.inbox.store.threads import position_of, written_at
        from frontdesk_api.contract.messages import MessageQuery

        seen: set[str] = set()
        query = MessageQuery(phoneNumberId=line_id, targetPhoneNumberId=customer_id)
        self.read_at = time.time()
        async for page in client.iter_message_pages(query):
            self.has_answer = True
            self.unreadable += len(page.broken)
            for item in page.items:
                at = written_at(item.raw)
                if item.value.messageId in seen:
                    continue
                seen.add(item.value.messageId)
                if at is not None and at / 1000 >= self.span.end:
                    self.has_newer = True
                elif at is not None and at / 1000 < self.span.start:
                    self.is_cut = True
                    return
                else:
                    self.messages.append(MessageRecord(position_of(item.raw), item.raw))
        self.is_whole = True


def _read(pages: _Pages, line_id: "LineId", customer_id: "CustomerId") -> BaseException | None:
    """Read the pages; return what ended it early."""
    from frontdesk.cli.session import run_with_client

    try:
        run_with_client(lambda client: pages.read(client, line_id, customer_id))
    except KeyboardInterrupt as error:
        return error
    except Exception as error:
        if status_of(error) is None:
            raise
        return error
    return None


class FoundPair(NamedTuple):
    """A line and a customer, and whether a conversation of theirs is stored."""

    line_id: "LineId"
    customer_id: "CustomerId"
    is_stored: bool = True

    @property
    def nothing(self) -> str:
        """What an empty answer means: the platform gives one for ids that it doesn't know, too."""
        if self.is_stored:
            return "No messages."
        line, customer = show_line(self.line_id, 40).text, show_line(self.customer_id, 40).text
        return (
            f"The platform has no messages between {line} and {customer}, and no such conversation is stored here."
            f" Check both ids; to look for the customer, run `frontdesk search {customer}`."
        )


def find_pair(phone: str, customer: str) -> FoundPair:
    """Return the line and the customer; a number is looked up in the store, and so is the line of one.

    Raises:
        CommandFailed: the customer isn't known, or may be several.
    """
    from frontdesk.cli.record_names import query_stored
    from frontdesk.cli.store_session import open_store
    from frontdesk.inbox.customer_lookup import (
        NotOneCustomer,
        conversations_of_customer,
        customer_on_line,
        id_on_line,
    )
    from frontdesk.storage import record_lookup
    from frontdesk.storage.database_files import StoreUnusable
    from frontdesk_api.contract.ids import ConversationId, LineId

    if phone and customer:
        line_id = LineId(phone)
        try:
            stored = query_stored(lambda db: customer_on_line(db, customer, line_id))
            return FoundPair(line_id, stored or id_on_line(customer, line_id), is_stored=stored is not None)
        except NotOneCustomer as error:
            raise CommandFailed(INPUT_WRONG, f"{error}; nothing was loaded") from None
    if not phone:
        raise CommandFailed(INPUT_WRONG, "PHONE and CUSTOMER are both required; nothing was loaded")
    try:
        with open_store() as store:
            record = record_lookup.conversation(store.reading, ConversationId(phone))
            found = [] if record is not None else conversations_of_customer(store.reading, phone)
            if found:
                record = record_lookup.conversation(store.reading, found[0])
    except (StoreUnusable, NotOneCustomer) as error:
        raise CommandFailed(INPUT_WRONG, str(error)) from None
    if record is None or record.line_id is None or record.customer_id is None:
        raise CommandFailed(
            INPUT_WRONG,
            f"no conversation loaded so far has the id or number {phone[:60]!r}; give PHONE and CUSTOMER",
        )
    if len(found) > 1:
        others = counted(len(found) - 1, "other line")
        print_error(f"this customer has also written on {others}; this is the latest conversation")
    return FoundPair(record.line_id, record.customer_id)


def _document(
    pages: _Pages, pair: tuple["LineId", "CustomerId"], zone: tzinfo, failure: BaseException | None
) -> "ThreadDocument":
    from frontdesk.config.render_context import RenderContext
    from frontdesk.inbox.store.threads import Segment
    from frontdesk.inbox.thread_export import ThreadSource, make_document, with_times_of_neighbours
    from frontdesk.inbox.view.thread_document import DocumentEdges, moment_words
    from frontdesk_lines.glyphs import UNICODE

    messages = with_times_of_neighbours(pages.messages[::-1])
    segments = [Segment(messages[-1].key, messages[0].key, pages.is_whole)] if messages else []
    span = pages.span
    edges = DocumentEdges(
        left_out_before=f"Left out: messages before {moment_words(span.start, zone)}." if pages.is_cut else "",
        left_out_after=f"Left out: messages from {moment_words(span.end, zone)} on." if pages.has_newer else "",
        failure=_reason(failure) if failure is not None else "",
        last_read=f"Read from the platform at {moment_words(pages.read_at, zone)}.",
        unreadable=pages.unreadable,
    )
    record, notes, names = _local_facts(pages, pair)
    kept = [each for each in notes if span.start <= each.at < span.end]
    view = RenderContext(names, UNICODE, time.time(), zone)
    return make_document(ThreadSource(messages, segments, kept), record, edges, view)


def _local_facts(
    pages: _Pages, pair: tuple["LineId", "CustomerId"]
) -> tuple["ConversationRecord", list["TeamNote"], "Catalogue"]:
    """Return the customer's name and the team's notes where the profile has a store, and the profile's names."""
    from frontdesk.cli.store_session import open_store
    from frontdesk.config.render_context import Catalogue
    from frontdesk.config.settings import data_dir, load_config, resolve_profile
    from frontdesk.inbox.store import notes as note_store
    from frontdesk.storage import record_lookup
    from frontdesk.storage.database_files import StoreUnusable

    profile = resolve_profile(load_config(), os.environ)
    line_id, customer_id = pair
    record = _unknown_record(pages, pair)
    notes: list[TeamNote] = []
    if not (data_dir(profile) / "store.db").is_file():
        return record, notes, Catalogue(profile)
    try:
        with open_store() as store:
            db = store.reading
            found = record_lookup.conversations_with_customer(db, {customer_id})
            lines = record_lookup.lines_of(db, found)
            for each in found:
                if lines.get(each) == line_id and (known := record_lookup.conversation(db, each)) is not None:
                    record, notes = known, note_store.of_conversation(db, each, store.catalogue.me)
    except StoreUnusable as error:
        print_error(f"the customer's name and the team's notes are missing: {error}")
    return record, notes, Catalogue(profile)


def _unknown_record(pages: _Pages, pair: tuple["LineId", "CustomerId"]) -> "ConversationRecord":
    from frontdesk.storage.records import ConversationRecord
    from frontdesk_api import json_access
    from frontdesk_api.contract.ids import ConversationId

    line_id, customer_id = pair
    said = (json_access.text(each.raw.get("participantsIdentifiers")) for each in pages.messages)
    platforms = (json_access.text(each.raw.get("messagePlatform")) for each in pages.messages)
    return ConversationRecord(
        conversation_id=ConversationId(next(filter(None, said), "")),
        line_id=line_id,
        customer_id=customer_id,
        platform=next(filter(None, platforms), ""),
    )


def _write(document: "ThreadDocument", path: str | None, *, is_html: bool, replaces: bool) -> None:
    from frontdesk.config.paths import replace_file, write_new_file
    from frontdesk.inbox.view.thread_document import ExportForm, write_document
    from frontdesk_api.redaction import redact

    text = redact(write_document(document, ExportForm.HTML if is_html else ExportForm.MARKDOWN))
    if path is None:
        sys.stdout.write(text)
        return
    try:
        if replaces:
            replace_file(Path(path), text)
        else:
            write_new_file(Path(path), text, is_private=True)
    except OSError as error:
        raise CommandFailed(INPUT_WRONG, f"couldn't write {path}: {error.strerror}") from None
    print_line(f"Exported the conversation with {document.title} to {path}")


def _fail(pages: _Pages, failure: BaseException) -> None:
    """End with the failure's status, and say what was written in spite of it."""
    if not isinstance(failure, Exception):
        print_error(f"interrupted; {counted(len(pages.messages), 'message')} exported, the older ones are missing")
        raise failure
    words = f"{_reason(failure)}; {counted(len(pages.messages), 'message')} exported, the older ones are missing"
    raise CommandFailed(status_of(failure) or INPUT_WRONG, words) from failure


def _reason(failure: BaseException) -> str:
    return with_wait(failure) if isinstance(failure, Exception) else "interrupted"
