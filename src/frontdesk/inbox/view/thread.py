"""A thread as entries (days, messages, gaps, the first unread one), and each entry as lines.

An entry depends on the message before it alone, so a window that slides over a thread moves no line.

How far reading the threads has come at the first start or after a long pause, and the words above the list.

Until then an order by waiting can be wrong. Pure; `inbox.tui.conversation_pane` shows it.
"""

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from frontdesk.config.render_context import RenderContext
from frontdesk.inbox.store.notes import TeamNote
from frontdesk.inbox.store.thread_pages import MessageRecord
from frontdesk.inbox.store.threads import Segment
from frontdesk.inbox.view.message import (
    INFORMATIVE,
    NOTE,
    MessageEntry,
    MessageRenderer,
    answered_id,
    informative,
    message_lines,
)
from frontdesk.inbox.view.note import note_lines
from frontdesk.inbox.view.parties import agent_name
from frontdesk.storage.coverage import Coverage
from frontdesk.storage.records import ConversationRecord, Json, MessagePosition
from frontdesk.text import relative_time
from frontdesk.text.relative_time import MINUTE, duration_words
from frontdesk_lines.cell_width import cell_width
from frontdesk_lines.display_text import cut, show_line
from frontdesk_lines.glyphs import Glyphs
from frontdesk_lines.lines import Line, Role, fit, sign, span, width_of

MIN_LEFT = 10
"""With fewer threads to read there is nothing to wait for: that is the daily traffic."""

_SEEN_SECONDS = 60.0
"""The pace is that of the last minute."""

_MIN_SEEN_SECONDS, _MIN_SEEN_READS = 5.0, 5
"""With less than this the pace isn't known."""


class ReadingProgress:
    """Follows the number of threads that were read.

    Attributes:
        is_going: from the moment at which many were left to read until none is.
    """

    def __init__(self) -> None:
        self.coverage = Coverage()
        self.is_going = False
        self._seen: deque[tuple[float, int]] = deque()

    @property
    def left(self) -> int:
        return max(0, self.coverage.known - self.coverage.read)

    def update(self, coverage: Coverage, now: float) -> None:
        """Take a new count, at a time in monotonic seconds."""
        self.coverage = coverage
        self.is_going = self.left >= MIN_LEFT or (self.is_going and self.left > 0)
        if not self.is_going:
            self._seen.clear()
        elif not self._seen or coverage.read != self._seen[-1][1]:
            self._seen.append((now, coverage.read))

    def seconds_left(self, now: float) -> float | None:
        """Return how long reading the rest takes at the pace of the last minute; None where that isn't known."""
        while self._seen and self._seen[0][0] < now - _SEEN_SECONDS:
            self._seen.popleft()
        if not self._seen:
            return None
        began, first = self._seen[0]
        seconds, reads = now - began, self._seen[-1][1] - first
        if seconds < _MIN_SEEN_SECONDS or reads < _MIN_SEEN_READS:
            return None
        return self.left * seconds / reads

    def words(self, width: int, now: float, glyphs: Glyphs, above: int, *, by_threads: bool) -> tuple[str, str]:
        """Return the words above the list in two lines, of which a narrow list has the first in short.

        Args:
            by_threads: whether reading threads changes the order; else only which rows there are.
        """
        count = f"{self.left:,} of {self.coverage.known:,}{'' if self.coverage.is_listed else '+'} left"
        time = _time_words(self.seconds_left(now))
        forms = (
            f"Loading conversations: {count}{time}.",
            f"Loading: {count}{time.replace('about ', '~')}.",
            count,
        )
        what = f"{'The order' if by_threads else 'This list'} may still change."
        return (
            next((each for each in forms if cell_width(each) <= width), count),
            f"{glyphs.up} {above:,} above" if above else what,
        )


def _time_words(seconds: float | None) -> str:
    if seconds is None:
        return ""
    # To the minute, and above a quarter of an hour to five: a line over SSH isn't for counting seconds.
    step = MINUTE if seconds < 15 * MINUTE else 5 * MINUTE
    return f", about {duration_words(max(1, round(seconds / step)) * step)}"


UNKNOWN_LINE = "Can't load this thread: its line is unknown."
"""Where a thread would be, if it can't be requested."""

NO_MESSAGES = "No messages in this thread."
UNKNOWN_PAIR = "The platform has no messages of this customer on this line. Check the number."
"""In place of `NO_MESSAGES` where nothing but what was typed tells of the customer."""
LOADING_OLDER = "loading older messages"

RULE_CELLS = 3
"""The rule on each side of a day: one of the pane's width is most of what a change of threads sends."""

PAUSE_SECONDS = 600
"""The sender is named again after a pause of this length."""


def why_no_messages(record: ConversationRecord, not_loaded: str) -> str:
    if record.line_id is None:
        return UNKNOWN_LINE
    if not record.thread_loaded:
        return not_loaded
    return NO_MESSAGES if record.name or record.number or record.open_tasks else UNKNOWN_PAIR


class DayEntry(NamedTuple):
    """A line with the day of the messages below."""

    key: str
    at: float


class GapEntry(NamedTuple):
    """A line for messages before `before` that are not loaded; `is_start` where nothing older is known.

    `failed` is why the last request failed.
    """

    key: str
    before: MessagePosition
    is_start: bool
    loading: bool = False
    failed: str = ""


class BeginningEntry(NamedTuple):
    """The beginning of the thread: nothing older exists."""

    key: str


class NewEntry(NamedTuple):
    """The line above the first unread message."""

    key: str


class NoteEntry(NamedTuple):
    """A note by someone of the team, at its time among the messages."""

    note: TeamNote

    @property
    def key(self) -> str:
        return f"n:{self.note.note_id}"


Entry = DayEntry | GapEntry | BeginningEntry | NewEntry | MessageEntry | NoteEntry


class ThreadContext(NamedTuple):
    """The context of the messages that are shown.

    Attributes:
        before: the message before the first one; None where nothing older is stored.
        segments: the parts known without gaps; before the oldest message of each is a gap.
        answered: messages that others answer, by their ids.
        loading: requested gaps, by the message after them.
        notes: the team's, oldest first, from the message before the first one on.
    """

    before: MessageRecord | None = None
    segments: Sequence[Segment] = ()
    new_from: MessagePosition | None = None
    answered: Mapping[str, MessageRecord] = MappingProxyType({})
    loading: Collection[MessagePosition] = ()
    failed: Mapping[MessagePosition, str] = MappingProxyType({})
    notes: Sequence[TeamNote] = ()


def entries(messages: Sequence[MessageRecord], around: ThreadContext, view: RenderContext) -> list[Entry]:
    """Build the entries of messages, oldest first: days, gaps, turns, the unread line, and notes between them."""
    segments = {each.oldest: each for each in around.segments}
    found: list[Entry] = []
    before = around.before
    day_before = None if before is None else view.day(before.key.created_at / 1000)
    notes = deque(around.notes)
    for message in messages:
        each = message.key.message_id
        earlier = _notes_before(notes, message.key.created_at / 1000)
        stands_alone = bool(earlier)
        if earlier:
            found += _note_entries(earlier, day_before, view)
            day_before = view.day(earlier[-1].at)
        segment = segments.get(message.key)
        if segment is not None and not segment.complete:
            found.append(_gap(message.key, around, is_start=before is None))
            stands_alone = True
        elif segment is not None and before is None:
            found.append(BeginningEntry("beginning"))
        day = view.day(message.key.created_at / 1000)
        if day != day_before:
            found.append(DayEntry(f"day:{each}", message.key.created_at / 1000))
            stands_alone = True
        if _is_first_new(message, before, around.new_from):
            found.append(NewEntry(f"new:{each}"))
            stands_alone = True
        follows = None if stands_alone else before
        found.append(_message_entry(message, follows, around))
        before, day_before = message, day
    return [*found, *_note_entries(list(notes), day_before, view)]


def _notes_before(notes: deque[TeamNote], at: float) -> list[TeamNote]:
    """Take the notes from before a time."""
    found = []
    while notes and notes[0].at < at:
        found.append(notes.popleft())
    return found


def _note_entries(notes: Sequence[TeamNote], day_before: str | None, view: RenderContext) -> list[Entry]:
    found: list[Entry] = []
    for note in notes:
        day = view.day(note.at)
        if day != day_before:
            found.append(DayEntry(f"day:{note.note_id}", note.at))
        found.append(NoteEntry(note))
        day_before = day
    return found


def entry_lines(entry: Entry, width: int, view: RenderContext, renderer: MessageRenderer) -> tuple[Line, ...]:
    """Draw an entry in lines of exactly `width` cells."""
    match entry:
        case DayEntry():
            return (_centred(view.day(entry.at), width, view, Role.STRONG),)
        case GapEntry(loading=True):
            words = LOADING_OLDER if entry.is_start else "loading missing messages"
            return (_centred(words, width, view, Role.ACCENT),)
        case GapEntry() if entry.failed:
            why, again = show_line(entry.failed, 80).text, f"{view.key('thread.older', 'L')} tries again"
            parts = [f"not loaded: {why} · {again}"]
            if cell_width(parts[0]) + 2 > width:
                parts = [f"not loaded: {why}", again]
            return tuple(_centred(part, width, view, Role.BAD) for part in parts)
        case GapEntry(is_start=True):
            return (_centred(_older_words(width, view), width, view, Role.WARN),)
        case GapEntry():
            return (
                _centred(
                    f"messages are missing here · {view.key('thread.older', 'L')} load",
                    width,
                    view,
                    Role.WARN,
                ),
            )
        case BeginningEntry():
            return (_centred("the thread starts here", width, view, Role.DIM),)
        case NewEntry():
            return (_centred("new messages", width, view, Role.BADGE),)
        case NoteEntry():
            return tuple(_filled(line, width) for line in note_lines(entry.note, width, view))
        case MessageEntry():
            raw = entry.record.raw
            if raw.get("type") == INFORMATIVE:
                at = relative_time.clock(entry.record.key.created_at / 1000, view.zone)
                return (_centred(f"{informative(raw)} · {at}", width, view, Role.DIM, ruled=False),)
            return tuple(_filled(line, width) for line in message_lines(entry, width, view, renderer))


def _gap(key: MessagePosition, around: ThreadContext, *, is_start: bool) -> GapEntry:
    return GapEntry(
        f"gap:{key.message_id}",
        key,
        is_start=is_start,
        loading=key in around.loading,
        failed=around.failed.get(key, ""),
    )


def _message_entry(message: MessageRecord, follows: MessageRecord | None, around: ThreadContext) -> MessageEntry:
    opens = follows is None or _turn_of(follows.raw) != _turn_of(message.raw) or _pauses(follows, message)
    answers = answered_id(message.raw)
    return MessageEntry(message, opens, answers, around.answered.get(answers))


def _is_first_new(message: MessageRecord, before: MessageRecord | None, new_from: MessagePosition | None) -> bool:
    return new_from is not None and message.key >= new_from and (before is None or before.key < new_from)


def _pauses(before: MessageRecord, message: MessageRecord) -> bool:
    return message.key.created_at - before.key.created_at >= PAUSE_SECONDS * 1000


def _turn_of(raw: Json) -> tuple[object, ...]:
    kind = raw.get("type")
    return (raw.get("messageDirection"), raw.get("initiator"), agent_name(raw), kind == NOTE, kind == INFORMATIVE)


def _filled(line: Line, width: int) -> Line:
    """Fill a line that is laid out already, as those of a wide screen are shorter."""
    missing = width - width_of(line)
    return (*line, span(" " * missing)) if missing > 0 else line


def _older_words(width: int, view: RenderContext) -> str:
    """Return that older messages exist: the platform says so with each page, and never how many."""
    load, to_date = view.key("thread.older", "L"), view.key("thread.date", "D")
    words = f"older messages: number unknown · {load} load"
    forms = (f"{words}, {to_date} to a date", words, f"older: number unknown · {load} load")
    return next((each for each in forms if cell_width(each) + 2 <= width), forms[-1])


def _centred(text: str, width: int, view: RenderContext, role: Role, *, ruled: bool = True) -> Line:
    words = cut(text, max(0, width - 2))
    side = max(0, (width - 2 - cell_width(words)) // 2)
    rule = view.glyphs.rule * min(side, RULE_CELLS) if ruled else ""
    blank = " " * (side - len(rule))
    return fit([sign(blank), sign(f"{rule} ", Role.RULE), span(words, role), sign(f" {rule}", Role.RULE)], width)
