"""Threads as segments; between two of them is a gap, which screens show.

Join a page of a thread with its known segments.

A page joins a segment when it shares a message with it, overlaps it in time, or was requested from its end. The
platform sorts by time alone: within one millisecond only its own answers tell the order of messages.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import apsw

from frontdesk.inbox.store import conversations, thread_pages
from frontdesk.inbox.store.read_markers import direction_of
from frontdesk.storage import change_feed, full_text
from frontdesk.storage.record_lookup import CHECK_AT, IS_CHECKED
from frontdesk.storage.records import Json, MessagePosition
from frontdesk.storage.sql import first, rows
from frontdesk_api.contract.ids import ConversationId, MessageId
from frontdesk_api.json_access import canonical

LAST_MS = 8_640_000_000_000_000
"""The latest time that a calendar can show; later ones are taken for it."""


class Segment(NamedTuple):
    """A part of a thread without gaps. `complete`: nothing older exists.

    `cursor` requests what is older, where that isn't `oldest`: messages of one millisecond have an order of
    their own.
    """

    newest: MessagePosition
    oldest: MessagePosition
    complete: bool
    cursor: MessagePosition | None = None


def covering(segments: Sequence[Segment], at: float) -> tuple[Segment | None, bool]:
    """Return the segment from which a moment (Unix milliseconds) is reached, and whether it reaches it already.

    None where nothing of the thread is known. Infinity before all times reaches the beginning.
    """
    at_or_after = [each for each in segments if each.newest.created_at >= at]
    segment = min(at_or_after, key=lambda each: each.oldest, default=None)
    if segment is None:
        newest = max(segments, key=lambda each: each.newest, default=None)
        return newest, newest is not None
    return segment, segment.complete or segment.oldest.created_at < at


def join(
    segments: Sequence[Segment],
    page: Sequence[MessagePosition],
    *,
    known: Collection[MessagePosition],
    start: MessagePosition | None,
    has_more: bool,
    start_is_stored: bool = True,
    ends_within_moment: bool = False,
    cursor: MessagePosition | None = None,
) -> tuple[list[Segment], bool]:
    """Return the segments with a page added, newest first, and whether it met one that it did not start from.

    Args:
        page: its messages in the platform's order, which may be any within one millisecond.
        known: those of them that were stored before.
        start: what the page was requested with; `start_is_stored` where that is a message of a segment.
        ends_within_moment: whether more is stored of its last message's millisecond than it holds.
    """
    # A page covers everything from its start on; the first page has nothing newer above it.
    first_at = LAST_MS if start is None else start.created_at
    last_at = min(page).created_at if page else first_at
    merged: list[Segment] = []
    apart: list[Segment] = []
    outdated: list[Segment] = []
    met = False
    for each in segments:
        follows = start is not None and (
            start == older_cursor(each) or (start_is_stored and _contains(start, each, segments))
        )
        shares = any(_contains(key, each, segments) for key in known)
        # A page that ends the thread covers all that is older, whatever it could show of that.
        reaches_down = each.newest.created_at > last_at or not has_more
        if follows or shares or (reaches_down and each.oldest.created_at < first_at):
            merged.append(each)
            # A first page without its newest message shows that this one has moved: what lies between isn't known.
            if start is None and page and not shares and each.newest.created_at > max(page).created_at:
                outdated.append(each)
            # The segment that the page continues isn't met: only another one is.
            met = met or not follows
        else:
            apart.append(each)
    if not page and not merged:
        return list(segments), met
    newest = max([*page, *(each.newest for each in merged)])
    oldest = min([*page, *(each.oldest for each in merged)])
    for each in apart[:]:  # a segment that lies within the joined range belongs to it
        if each.newest.created_at > oldest.created_at and each.oldest.created_at < newest.created_at:
            apart.remove(each)
            merged.append(each)
            newest, oldest = max(newest, each.newest), min(oldest, each.oldest)
    complete, bottom, bottom_at = not has_more, cursor or (page[-1] if page else start), last_at
    for each in merged:
        if each in outdated:
            continue
        # A segment loses its claim to the beginning where the page goes past it and has more below.
        is_passed = has_more and each.oldest.created_at >= last_at and not ends_within_moment
        complete = complete or (each.complete and not is_passed)
        if each.oldest.created_at < bottom_at or (
            # Within one millisecond the lower one is the one whose last message the other doesn't hold.
            each.oldest.created_at == bottom_at and older_cursor(each) not in (start, *page)
        ):
            bottom, bottom_at = older_cursor(each), each.oldest.created_at
    if complete:  # only one segment begins the thread
        whole = [each for each in apart if each.complete]
        apart = [each for each in apart if not each.complete]
        newest = max([newest, *(each.newest for each in whole)])
        oldest = min([oldest, *(each.oldest for each in whole)])
    cursor = None if complete or bottom == oldest else bottom
    joined = [*apart, Segment(newest, oldest, complete, cursor)]
    return sorted(joined, key=lambda each: each.newest, reverse=True), met


def _contains(key: MessagePosition, segment: Segment, segments: Sequence[Segment]) -> bool:
    """Whether a stored message belongs to a segment, although two can end within one millisecond."""
    if key in (segment.newest, segment.oldest):
        return True
    at = key.created_at
    if segment.oldest.created_at < at < segment.newest.created_at:
        return True
    return segment.oldest < key < segment.newest and not any(
        each.oldest.created_at <= at <= each.newest.created_at for each in segments if each != segment
    )


def older_cursor(segment: Segment) -> MessagePosition:
    """Return what the page below a segment is requested with."""
    return segment.cursor or segment.oldest


NEWEST = 60
"""The preview of a list is taken from so many of the newest messages."""

_ROW_SHIFT = 20
_ROW_LAST_MS = (1 << 42) - 1
"""Row numbers hold milliseconds and a counter for messages of one moment, made by `_STORE_2` of the schema."""


class PagePut(NamedTuple):
    """The effect of a stored page.

    Attributes:
        differing: how many messages were new or had changed.
    """

    differing: int
    met_known: bool


def put_page(
    db: apsw.Connection,
    conversation_id: ConversationId,
    messages: Sequence[Json],
    *,
    start: MessagePosition | None,
    has_more: bool,
    now: float,
    cursor: MessagePosition | None = None,
    sign_at: float | None = None,
) -> PagePut:
    """Store a page, newest first as it came.

    Args:
        cursor: what the platform gave for requesting the next page; None for the page's last message.
        sign_at: the newest sign of a message that was known when the page was requested; None for as known now.
    """
    conversation = _rowid(db, conversation_id)
    page = _compare(db, conversation, messages, cursor or start)
    written = {number for each in page.differing for number in _write(db, conversation, each)}
    full_text.mark_unindexed(db, full_text.IndexKind.MESSAGE, written)
    before = segments(db, conversation_id)
    held = _without_moved(db, conversation, before, page)
    after, met_known = _joined(db, conversation, held, page, start, has_more, cursor)
    if after != before:
        db.execute("DELETE FROM segments WHERE conversation = ?", (conversation,))
        db.executemany(
            "INSERT INTO segments (conversation, newest_at, newest_id, oldest_at, oldest_id, complete,"
            " cursor_at, cursor_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (conversation, *each.newest, *each.oldest, int(each.complete), *(each.cursor or (None, None)))
                for each in after
            ),
        )
    if page.differing or after != before:
        change_feed.append(db, change_feed.THREAD, [conversation_id])
    # Where nothing could be read of the newest messages, the thread stays one that isn't loaded.
    if page.differing or (start is None and (after or not has_more)):
        if start is not None:
            sign_at = signs(db, conversation_id).read_to  # an older page says nothing of new messages
        elif sign_at is None:
            sign_at = signs(db, conversation_id).newest
        _update_conversation(db, conversation_id, now, sign_at, differs=bool(page.differing))
    if start is None:
        db.execute("UPDATE conversations SET thread_checked_at = ? WHERE rowid = ?", (now, conversation))
    return PagePut(len(page.differing), met_known)


class Signs(NamedTuple):
    """The newest sign of a new message, by a task, and up to which one the thread was read; 0 for none."""

    newest: float
    read_to: float


def signs(db: apsw.Connection, conversation_id: ConversationId) -> Signs:
    row = first(
        db,
        "SELECT coalesce(task_active_at, 0), coalesce(thread_active_at, 0) FROM conversations"
        " WHERE conversation_id = ?",
        (conversation_id,),
    )
    return Signs(*(row or (0.0, 0.0)))


def known_page(
    db: apsw.Connection,
    conversation_id: ConversationId,
    messages: Sequence[Json],
    *,
    start: MessagePosition | None,
    has_more: bool,
    cursor: MessagePosition | None = None,
    now: float,
) -> PagePut | None:
    """Return the result of `put_page` where it would write nothing, else None; for a reading connection."""
    row = first(
        db,
        "SELECT rowid, coalesce(thread_read_at, 0) = 0"
        " OR coalesce(task_active_at, 0) > coalesce(thread_active_at, 0)"
        f" OR ({IS_CHECKED} AND {CHECK_AT} <= ?)"
        " FROM conversations WHERE conversation_id = ?",
        (now, conversation_id),
    )
    if row is None or (start is None and row[1]):
        return None
    page = _compare(db, row[0], messages, cursor or start)
    if page.differing:
        return None
    before = segments(db, conversation_id)
    after, met_known = _joined(db, row[0], before, page, start, has_more, cursor)
    return PagePut(0, met_known) if after == before else None


def segments(db: apsw.Connection, conversation_id: ConversationId) -> list[Segment]:
    """Return the known segments of a thread, newest first."""
    found = rows(
        db,
        "SELECT newest_at, newest_id, oldest_at, oldest_id, complete, cursor_at, cursor_id FROM segments"
        " JOIN conversations ON conversations.rowid = segments.conversation"
        " WHERE conversation_id = ? ORDER BY newest_at DESC, newest_id DESC",
        (conversation_id,),
    )
    return [
        Segment(
            MessagePosition(row[0], row[1]),
            MessagePosition(row[2], row[3]),
            bool(row[4]),
            None if row[6] is None else MessagePosition(row[5], row[6]),
        )
        for row in found
    ]


def position_of(raw: Json) -> MessagePosition:
    return MessagePosition(written_at(raw) or 0, MessageId(str(raw["messageId"])))


def written_at(raw: Json) -> float | None:
    """Return when a message was written, in Unix milliseconds, or None."""
    created = raw.get("createdAt")
    if not isinstance(created, int | float) or isinstance(created, bool):
        return None
    return max(-LAST_MS, min(LAST_MS, created))


def row_number(created_at: float) -> int:
    """Return the first row number for this millisecond; messages of all threads are sorted by time."""
    return int(max(0, min(created_at, _ROW_LAST_MS))) << _ROW_SHIFT


def end_of_moment(number: int) -> int:
    """Return the last row number of the same millisecond."""
    return number | ((1 << _ROW_SHIFT) - 1)


def _free_row_number(db: apsw.Connection, created_at: float) -> int:
    lowest = row_number(created_at)
    moment = (lowest, end_of_moment(lowest))
    row = first(db, "SELECT max(rowid) FROM messages WHERE rowid BETWEEN ? AND ?", moment)
    return lowest if row is None or row[0] is None else int(row[0]) + 1


class _Message(NamedTuple):
    """A message of a page, and its stored state."""

    key: MessagePosition
    raw: Json
    text: str
    stored_at: float | None
    stored_text: str | None


class _ComparedPage(NamedTuple):
    """A page compared with the store.

    Attributes:
        span: the positions that it covers without a gap, as they came.
        known: those of them that were stored before.
        moved: stored positions of messages that have another time now.
    """

    differing: list[_Message]
    span: list[MessagePosition]
    known: set[MessagePosition]
    moved: set[MessagePosition]


def _compare(
    db: apsw.Connection, conversation: int, messages: Sequence[Json], end: MessagePosition | None
) -> _ComparedPage:
    raws = {str(raw["messageId"]): raw for raw in reversed(messages)}
    found = rows(
        db,
        "SELECT message_id, created_at, raw FROM messages"
        " WHERE conversation = ? AND message_id IN (SELECT value FROM json_each(?))",
        (conversation, json.dumps(list(raws))),
    )
    stored = {row[0]: (row[1], row[2]) for row in found}
    times = moments(list(raws.values()), end)
    page: list[_Message] = []
    span: list[MessagePosition] = []
    for (each, raw), moment in reversed(list(zip(raws.items(), times, strict=True))):
        at, text = stored.get(each, (None, None))
        has_time = written_at(raw) is not None
        key = MessagePosition(moment if has_time or at is None else at, MessageId(each))
        page.append(_Message(key, raw, canonical(raw), at, text))
        if has_time or at is None:
            span.append(key)
    return _ComparedPage(
        differing=[each for each in page if each.text != each.stored_text],
        span=span,
        known={each.key for each in page if each.stored_at == each.key.created_at},
        moved={
            MessagePosition(each.stored_at, each.key.message_id)
            for each in page
            if each.stored_at is not None and each.stored_at != each.key.created_at
        },
    )


def moments(oldest_first: Sequence[Json], end: MessagePosition | None) -> list[float]:
    """Return when each was written; one without a time gets its neighbour's, so that no page spans all of time.

    `end` is a position at the page's end, for messages that have no neighbour.
    """
    given = [written_at(raw) for raw in oldest_first]
    at: float = end.created_at if end else next((each for each in given if each is not None), 0)
    moments = []
    for each in given:
        at = at if each is None else each
        moments.append(at)
    return moments


def _write(db: apsw.Connection, conversation: int, message: _Message) -> Iterable[int]:
    """Write a message; return the row numbers whose words have changed."""
    at, each = message.key
    before = None
    if message.stored_at is not None:
        before = first(
            db, "SELECT rowid FROM messages WHERE conversation = ? AND message_id = ?", (conversation, each)
        )
    if before is not None and message.stored_at == at:
        db.execute(
            "UPDATE messages SET raw = ?, says = ? WHERE rowid = ?",
            (message.text, direction_of(message.raw), *before),
        )
        return before
    if before is not None:
        db.execute("DELETE FROM messages WHERE rowid = ?", before)
    number = _free_row_number(db, at)
    db.execute(
        "INSERT INTO messages (rowid, conversation, created_at, message_id, raw, says) VALUES (?, ?, ?, ?, ?, ?)",
        (number, conversation, at, each, message.text, direction_of(message.raw)),
    )
    return (*(before or ()), number)


def _joined(
    db: apsw.Connection,
    conversation: int,
    known: Sequence[Segment],
    page: _ComparedPage,
    start: MessagePosition | None,
    has_more: bool,
    cursor: MessagePosition | None,
) -> tuple[list[Segment], bool]:
    return join(
        known,
        page.span,
        known=page.known,
        start=start,
        start_is_stored=_is_stored(db, conversation, start),
        ends_within_moment=_ends_within_moment(db, conversation, page.span),
        has_more=has_more,
        cursor=cursor,
    )


def _without_moved(
    db: apsw.Connection, conversation: int, known: Sequence[Segment], page: _ComparedPage
) -> list[Segment]:
    """Return the segments without messages that have moved: a gap is shown at a message."""
    held: list[Segment] = []
    for each in known:
        if not page.moved & {each.newest, each.oldest, older_cursor(each)}:
            held.append(each)
            continue
        newest, oldest = (
            first(
                db,
                "SELECT created_at, message_id FROM messages WHERE conversation = ?"
                " AND (created_at, message_id) >= (?, ?) AND (created_at, message_id) <= (?, ?)"
                f" ORDER BY created_at {order}, message_id {order} LIMIT 1",
                (conversation, *each.oldest, *each.newest),
            )
            for order in ("DESC", "ASC")
        )
        if newest is not None and oldest is not None:
            # A cursor whose message moved could skip what follows the last message that is still there.
            cursor = None if older_cursor(each) in page.moved else each.cursor or each.oldest
            ends = each._replace(newest=MessagePosition(*newest), oldest=MessagePosition(*oldest))
            held.append(ends if each.complete else ends._replace(cursor=cursor))
    return held


def _ends_within_moment(db: apsw.Connection, conversation: int, page: Sequence[MessagePosition]) -> bool:
    if not page:
        return False
    at = min(page).created_at
    row = first(db, "SELECT count(*) FROM messages WHERE conversation = ? AND created_at = ?", (conversation, at))
    return row is not None and row[0] > sum(1 for each in page if each.created_at == at)


def _is_stored(db: apsw.Connection, conversation: int, key: MessagePosition | None) -> bool:
    return key is not None and bool(
        first(
            db,
            "SELECT 1 FROM messages WHERE conversation = ? AND created_at = ? AND message_id = ?",
            (conversation, *key),
        )
    )


def _rowid(db: apsw.Connection, conversation_id: ConversationId) -> int:
    row = first(db, "SELECT rowid FROM conversations WHERE conversation_id = ?", (conversation_id,))
    if row is not None:
        return int(row[0])
    db.execute("INSERT INTO conversations (conversation_id) VALUES (?)", (conversation_id,))
    return db.last_insert_rowid()


def _update_conversation(
    db: apsw.Connection, conversation_id: ConversationId, now: float, sign_at: float, *, differs: bool
) -> None:
    if not differs:
        if first(
            db,
            "SELECT 1 FROM conversations WHERE conversation_id = ? AND coalesce(thread_read_at, 0) = 0",
            (conversation_id,),
        ):
            # It was not loaded and is empty, which is shown differently.
            change_feed.append(db, change_feed.THREAD, [conversation_id])
            change_feed.append(db, change_feed.CONVERSATION, [conversation_id])
        db.execute(
            "UPDATE conversations SET thread_active_at = max(coalesce(thread_active_at, 0), ?), "
            " thread_read_at = coalesce(nullif(thread_read_at, 0), ?)"
            " WHERE conversation_id = ? AND (coalesce(thread_read_at, 0) = 0"
            " OR coalesce(task_active_at, 0) > coalesce(thread_active_at, 0))",
            (sign_at, now, conversation_id),
        )
        return
    newest = thread_pages.page_before(db, conversation_id, None, NEWEST)
    conversations.update_from_thread(db, conversation_id, _rowid(db, conversation_id), newest[::-1], now, sign_at)
