"""Snoozes in words: on a row, in Activity, in notices and in the linear mode."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from frontdesk.config.facts import Fact, heading
from frontdesk.config.render_context import Catalogue, RenderContext
from frontdesk.outbox import snoozes
from frontdesk.outbox.change_view import ChangeView
from frontdesk.outbox.snoozes import SNOOZE, Snooze, SnoozeState, Woken
from frontdesk.outbox.verbs import ROWS, On, Part, RecordChange, Verb, VerbContext, recall_time
from frontdesk.storage import record_lookup
from frontdesk.storage.record_lookup import conversation_name, task_for_customer
from frontdesk.storage.records import Change, ChangeKind
from frontdesk.storage.sql import ReadConnection
from frontdesk.text import relative_time
from frontdesk.text.snooze_until import UNTIL_THEY_WRITE, SnoozeWish
from frontdesk_api.contract.ids import ConversationId, TaskId
from frontdesk_lines.display_text import SafeText, show_line, trusted
from frontdesk_lines.lines import Role, Span, span

ONLY_HERE = "in frontdesk only: the platform has no snooze"
"""The note on every snooze, since the platform doesn't know about snoozes."""

AWAKE = "not snoozed"
MAX_NAMED = 3


def wish_words(wish: SnoozeWish, now: datetime) -> str:
    """Describe the end of a snooze: "until Fri 27 Nov 09:00 UTC or they write"; empty if it wakes now."""
    if wish.until is None:
        return UNTIL_THEY_WRITE if wish.on_message else ""
    at = relative_time.moment(wish.until, now)
    return f"until {at} or they write" if wish.on_message else f"until {at}, even if they write"


def snooze_change(wish: SnoozeWish, context: VerbContext) -> RecordChange:
    """Snooze rows, or wake them."""
    words, is_off = wish_words(wish, context.now), wish.is_off
    until = None if wish.until is None else wish.until.timestamp()
    write = partial(snoozes.snooze_all, until=until, on_message=wish.on_message)
    does = "Wake" if is_off else "Snooze"
    return RecordChange(
        "Snooze: off" if is_off else f"Snooze: {words}",
        does,
        "Awake again:" if is_off else f"Snoozed {words}:",
        "awake" if is_off else f"snoozed {words}",
        lambda on: f"{' '.join(filter(None, (does, on, words)))}?",
        lambda on: f"Awake again: {on}" if is_off else f"Snoozed {words}: {on}, {ONLY_HERE}",
        [
            Part(On.CONVERSATION_ROW, partial(write, kind=ChangeKind.SNOOZE_CONVERSATION)),
            Part(On.TASK_ROW, partial(write, kind=ChangeKind.SNOOZE_TASK)),
        ],
        gets=(span(words or "awake", Role.STRONG),),
        verb=does,
        note=wish.note,
        means=words or "awake again",
        leaves=not is_off,
    )


def _snooze(words: str, context: VerbContext) -> RecordChange:
    from frontdesk.text.due_parser import parse_snooze

    return snooze_change(context.time(parse_snooze, words), context)


def _recall(change: Change, _: Catalogue) -> list[str]:
    if (snooze := Snooze.of_json(change.fields.get(SNOOZE))) is None:
        return []
    if snooze.until is None:
        return [UNTIL_THEY_WRITE]
    return recall_time(snooze.until, change, "" if snooze.on_message else " only")


SNOOZE_VERB = Verb(
    "row.snooze",
    "snooze",
    ROWS,
    _snooze,
    lambda _: "Until when? Type snooze N tomorrow 9am, snooze N until they write or snooze N off.",
    "snooze until they write",
    _recall,
)


def snooze_words(snooze: Snooze | None, view: RenderContext) -> str:
    """Describe a snooze in few words: "until Fri 09:00 or they write"."""
    if snooze is None:
        return AWAKE
    if snooze.until is None:
        return UNTIL_THEY_WRITE
    at = view.when(snooze.until)
    return f"until {at} or they write" if snooze.on_message else f"until {at}"


def state_words(state: SnoozeState, view: RenderContext) -> str:
    """Describe a snooze that may be over: "woke 09:00"."""
    if state.woke_at is not None:
        return f"woke {view.stamp(state.woke_at)}"
    if state.snooze.until is None:
        return UNTIL_THEY_WRITE
    return f"until {view.when(state.snooze.until)}"


def snooze_sign(state: SnoozeState, view: RenderContext) -> Span:
    """Draw a row's snooze marker; a conversation that just woke is highlighted like an unread one."""
    return span(state_words(state, view), Role.DIM if state.woke_at is None else Role.BADGE)


def woken_words(woken: Sequence[Woken], db: ReadConnection) -> SafeText:
    """Return one sentence: "Snooze over: Maya Cohen (wrote), Dan Levi and 4 more"."""
    named = []
    for each in woken[:MAX_NAMED]:
        wrote = " (wrote)" if each.by_message else ""
        named.append(f"{_name(each, db).text}{wrote}")
    left = len(woken) - len(named)
    return trusted(f"Snooze over: {', '.join(named)}{f' and {left:,} more' if left else ''}")


def _name(woken: Woken, db: ReadConnection) -> SafeText:
    if woken.kind is ChangeKind.SNOOZE_CONVERSATION:
        return conversation_name(db, ConversationId(woken.id))
    task = record_lookup.task(db, TaskId(woken.id))
    return show_line(woken.id, 40) if task is None else task_for_customer(db, task)


class SnoozeChangeView(ChangeView):
    """The view of snoozes, which are done as soon as they are made."""

    def state_words(self, change: Change, now: float) -> str:  # noqa: ARG002
        return "done, in frontdesk only"

    def summary(self, change: Change, view: RenderContext) -> list[Span]:
        return [span(_words(change.fields, view), Role.DIM)]

    def facts(self, change: Change, view: RenderContext) -> Iterator[Fact]:
        yield heading("Snooze")
        yield Fact("was", trusted(_words(change.base, view)), Role.DIM)
        yield Fact("set to", trusted(_words(change.fields, view)), Role.STRONG)


def _words(fields: Any, view: RenderContext) -> str:
    return snooze_words(Snooze.of_json(fields.get(SNOOZE)), view)
