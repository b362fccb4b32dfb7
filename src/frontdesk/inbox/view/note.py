"""Draw one of the team's notes: in its thread, where nobody takes it for a message to the customer, or in full."""

from collections.abc import Sequence

from frontdesk.config.render_context import RenderContext
from frontdesk.inbox.changes import MARKS
from frontdesk.inbox.store.notes import TeamNote
from frontdesk.inbox.view.message import HEAD, MAX_TEXT_WIDTH, NARROW
from frontdesk.outbox.change_view import WholeChangeView
from frontdesk.storage.records import Change, ChangeState, Json
from frontdesk.storage.team_state import Colleague
from frontdesk.text import relative_time
from frontdesk_api import json_access
from frontdesk_api.contract.ids import AgentId
from frontdesk_lines.display_text import NOTHING, SafeText, body_lines, cut, show_line, trusted
from frontdesk_lines.lines import EMPTY, Line, Role, Span, crop, fit, paragraph, sign, span, width_of

MAX_NAMES, MAX_NAME_CELLS = 2, 12


def present_words(present: Sequence[Colleague], view: RenderContext, limit: int = MAX_NAME_CELLS) -> str:
    """Return who is there: `Dan here`, `Dan, Noa +1 here`; empty for nobody.

    The reader's own other desks aren't named.
    """
    others = [each for each in present if not each.agent_id or each.agent_id != view.names.me]
    names = sorted({view.colleague(each.agent_id, each.desk).text for each in others})
    if not names:
        return ""
    shown = ", ".join(cut(each, limit) for each in names[:MAX_NAMES])
    more = f" +{len(names) - MAX_NAMES}" if len(names) > MAX_NAMES else ""
    return f"{shown}{more} here"


WAITING = "waiting for the team's relay"


class NoteChangeView(WholeChangeView):
    """Shows a note's text, and to whom it hands a conversation over."""

    def drop_effect(self, change: Change) -> str:  # noqa: ARG002
        return "the team doesn't get it"

    def state_words(self, change: Change, now: float) -> str:
        words = {
            ChangeState.QUEUED: WAITING,
            ChangeState.UNKNOWN: WAITING,
            ChangeState.CONFIRMED: "shared with the team",
        }
        return words.get(change.state) or super().state_words(change, now)

    def parts(self, change: Change, view: RenderContext) -> list[tuple[str, SafeText]]:
        content = _content(change.fields)
        if not content:
            return [("removes", _text(_content(change.base)))]
        to = json_access.text(content.get("hand_over_to"))
        return [("note", _text(content)), *([("to", view.person(AgentId(to)))] if to else [])]

    def summary(self, change: Change, view: RenderContext) -> list[Span]:  # noqa: ARG002
        content = _content(change.fields)
        return [Span(_text(content, 60), Role.DIM)] if content else [span("taken back", Role.DIM)]


class AnswerChangeView(WholeChangeView):
    """Shows whether what a customer has written needs an answer."""

    def state_words(self, change: Change, now: float) -> str:  # noqa: ARG002
        return "done, in frontdesk only"

    def parts(self, change: Change, view: RenderContext) -> list[tuple[str, SafeText]]:  # noqa: ARG002
        after, before = (len(json_access.elements(each.get(MARKS))) for each in (change.fields, change.base))
        known = "none needed" if after > before else "needed"
        return [("answer", trusted("unknown" if after == before else known))]

    def summary(self, change: Change, view: RenderContext) -> list[Span]:  # noqa: ARG002
        return []


def _content(fields: Json) -> Json:
    """Return the content of a change's one note; empty for one that isn't there."""
    return json_access.mapping(next(iter(fields.values()), None))


def _text(content: Json, limit: int = 2_000) -> SafeText:
    said = json_access.text(content.get("text"))
    return show_line(" ".join(said.split()), limit)


MAX_LINES = 60
"""So many lines of a note are drawn in its thread."""

NO_MENTION = "No hand-overs or mentions are waiting for you."
NOT_SHARED = "not shared yet: waiting for the team's relay"


def author_of(note: TeamNote, view: RenderContext) -> SafeText:
    return view.person(note.author) if note.author else trusted("a colleague")


def is_for_me(note: TeamNote, view: RenderContext) -> bool:
    me = view.names.me
    return me is not None and note.author != me and (note.hand_over_to == me or me in note.mentions)


def kind_words(note: TeamNote, view: RenderContext) -> str:
    """Return what a note is and whose: "note · Dan", "handed over · Dan to you"."""
    author = author_of(note, view).text
    if note.hand_over_to:
        return f"handed over · {author} to {view.person(AgentId(note.hand_over_to)).text}"
    return f"note · {author}"


def receipt_words(note: TeamNote, view: RenderContext) -> str:
    if not note.hand_over_to or note.state is not ChangeState.CONFIRMED:
        return ""
    if note.taken_up_at is None:
        return "not accepted yet"
    by = view.person(note.taken_up_by or note.hand_over_to)
    return f"accepted by {by.text} {relative_time.time_within_day(note.taken_up_at, view.now, view.zone)}"


def note_lines(note: TeamNote, width: int, view: RenderContext) -> tuple[Line, ...]:
    """Draw a note in lines of exactly `width` cells."""
    narrow = width < NARROW
    at = relative_time.clock(note.at, view.zone)
    indent = 2 if narrow else HEAD + 2
    room = min(max(1, width - indent), MAX_TEXT_WIDTH)
    bar = sign(f"{view.glyphs.note_bar} ", Role.NOTE)
    lines = [_title(note, room, view, f"  {at}" if narrow else "")]
    text = body_lines(note.text, lines=MAX_LINES)
    lines += [line for part in text for line in paragraph(part, room)]
    lines += _state_lines(note, room, view)
    head = EMPTY if narrow else (sign(" " * HEAD),)
    first = EMPTY if narrow else fit([sign(at, Role.DIM)], HEAD)
    return tuple(
        crop((*(first if place == 0 else head), bar, *line, *_fill(width - indent - width_of(line))), width)
        for place, line in enumerate(lines)
    )


def full_note_lines(note: TeamNote, view: RenderContext) -> list[SafeText]:
    mentions = ", ".join(view.person(each).text for each in note.mentions)
    facts = [
        ("From", author_of(note, view).text),
        ("Hands over to", view.person(AgentId(note.hand_over_to)).text if note.hand_over_to else ""),
        ("Mentions", mentions),
        ("Time", view.day_and_time(note.at)),
        ("State", state_words(note, receipt_words(note, view))),
    ]
    shown = [trusted(f"{name:<14} {said}") for name, said in facts if said]
    return [*shown, NOTHING, *body_lines(note.text)]


def _title(note: TeamNote, width: int, view: RenderContext, time: str) -> Line:
    right = [sign(view.glyphs.pending, Role.PENDING)] if note.is_pending else []
    if is_for_me(note, view) and note.hand_over_to is None:
        right.append(span("@you", Role.BADGE))
    icon, words = sign(f"{view.glyphs.note} ", Role.NOTE), span(kind_words(note, view), Role.NOTE)
    return fit([icon, words, sign(time, Role.DIM)], width, right)


def _state_lines(note: TeamNote, width: int, view: RenderContext) -> list[Line]:
    if note.is_pending:
        return [fit([span(NOT_SHARED, Role.PENDING)], width)]
    if note.state is ChangeState.REFUSED:
        keys = f"{view.key('copy.id', 'y')} copy, {view.key('note.take_back', 'K')} discard"
        why = show_line(note.reason, 160)
        reason = trusted(f"{view.glyphs.failed} rejected: {why.text}")
        return [*paragraph(reason, width, Role.BAD), fit([span(keys, Role.DIM)], width)]
    words = receipt_words(note, view)
    role = Role.DIM if note.taken_up_at is None else Role.GOOD
    return [fit([span(words, role)], width)] if words else []


def state_words(note: TeamNote, receipt: str) -> str:
    """Return that a note isn't shared, else its receipt."""
    if note.is_pending:
        return NOT_SHARED
    return f"rejected: {show_line(note.reason, 300).text}" if note.state is ChangeState.REFUSED else receipt


def _fill(cells: int) -> Sequence[Span]:
    return [span(" " * cells)] if cells > 0 else []
