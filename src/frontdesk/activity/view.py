"""Changes and invalid items as rows and facts of Activity."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from frontdesk.activity.targets import ChangeTarget
from frontdesk.config.facts import GAP, Fact, text
from frontdesk.config.render_context import RenderContext
from frontdesk.outbox.batches import counted_changes
from frontdesk.outbox.change_view import (
    MAX_REASON,
    ChangeView,
    ChangeViews,
    conflicting_texts,
    reason_words,
    state_role,
    state_role_of,
)
from frontdesk.outbox.changes import SENT_ANEW
from frontdesk.outbox.labels import UNDO, describe_state, inline_label, shown_label
from frontdesk.storage.records import NEEDS_PERSON, UNCONFIRMED, Change, ChangeKind, ChangeState, InvalidItem
from frontdesk_lines.display_text import NOTHING, SafeText, counted, enumerate_names, show_line, trusted
from frontdesk_lines.lines import Line, Role, Span, fit, sign, span, width_of

_DROPPABLE = (*NEEDS_PERSON, ChangeState.HELD, ChangeState.QUEUED)


@dataclass(frozen=True, slots=True)
class Entry:
    """What one action did, or one undo or redo of it.

    Attributes:
        key: stays the same when a change is resent.
        changes: the last change of each target, those that need a decision first.
    """

    key: str
    changes: tuple[Change, ...]

    @property
    def first(self) -> Change:
        return self.changes[0]

    @property
    def only(self) -> Change | None:
        """The change of an entry with one target; None for a bulk action."""
        return self.changes[0] if len(self.changes) == 1 else None

    @property
    def made_at(self) -> float:
        """The time of its newest change, Unix seconds."""
        return max(each.made_at for each in self.changes)

    @property
    def undecided(self) -> tuple[Change, ...]:
        return tuple(each for each in self.changes if each.state in NEEDS_PERSON)

    @property
    def states(self) -> Counter[ChangeState]:
        """How many of its changes are in each state, the one that matters most first."""
        found = Counter(each.state for each in self.changes)
        return Counter({state: found[state] for state in _BY_WEIGHT if state in found})


_BY_WEIGHT = (
    *(ChangeState.CONFLICT, ChangeState.REFUSED, ChangeState.UNKNOWN),
    *(ChangeState.SENDING, ChangeState.QUEUED, ChangeState.HELD),
    *(ChangeState.CONFIRMED, ChangeState.UNDONE, ChangeState.DROPPED),
)


def group_changes(newest_first: Sequence[Change]) -> list[Entry]:
    """Group changes into entries, the newest first.

    Changes of one batch and label are one entry, except where a target has several: an undo repeated, or a redo,
    is an entry of its own, and a resent change takes the place of the one before it.
    """
    entries: dict[str, dict[tuple[ChangeKind, str], Change]] = {}
    turns: dict[tuple[str, str, ChangeKind, str], int] = {}
    latest: dict[str, int] = {}
    for change in reversed(newest_first):
        record = (change.kind, change.target)
        name = (change.batch, change.label, *record)
        turn = turns.get(name, 0)
        before = entries.get(_key(change, turn), {}).get(record)
        if before is not None and not (before.state is ChangeState.DROPPED and before.reason == SENT_ANEW):
            turn += 1
        turns[name] = turn
        key = _key(change, turn)
        entries.setdefault(key, {})[record] = change
        latest[key] = change.change_id
    newest = sorted(entries, key=lambda each: latest[each], reverse=True)
    return [
        Entry(key, tuple(sorted(entries[key].values(), key=lambda each: _BY_WEIGHT.index(each.state))))
        for key in newest
    ]


def droppable_changes(changes: Iterable[Change]) -> tuple[Change, ...]:
    return tuple(each for each in changes if each.state in _DROPPABLE)


def can_undo(changes: Iterable[Change]) -> bool:
    """Return whether an undo may be possible: something is, or presumably will be, in effect, and is no undo."""
    in_effect = (*UNCONFIRMED, ChangeState.CONFIRMED)
    return any(each.undoes is None and each.state in in_effect for each in changes)


def _key(change: Change, turn: int) -> str:
    return f"{change.batch}/{change.label}/{turn}"


HEIGHT = 2
"""Lines of a row."""


STATE_SIGNS = {
    ChangeState.CONFIRMED: "sent",
    ChangeState.REFUSED: "failed",
    ChangeState.CONFLICT: "warning",
    ChangeState.UNKNOWN: "waiting",
    ChangeState.UNDONE: "off",
    ChangeState.DROPPED: "off",
}
"""The glyph before a change in each state; the others are on their way."""

MAX_NAMED = 3
MAX_LISTED = 200
"""Targets of a bulk change that the details list."""


def row(
    entry: Entry, views: ChangeViews, targets: Sequence[ChangeTarget], width: int, view: RenderContext
) -> tuple[Line, Line]:
    """Draw an entry: whom it is about and what was changed, and below it the state.

    Args:
        targets: of the entry's first changes, at least one.
    """
    change = entry.only
    if change is None:
        return _bulk_row(entry, targets, width, view)
    change_view, target = views[change.kind], targets[0]
    top = fit(
        [
            *_sign(change.state, view),
            span(target.who, Role.STRONG),
            span(view.glyphs.separator, Role.DIM),
            *_what_changed(change, change_view, target, view),
        ],
        width,
        [span(f" {view.stamp(change.made_at)}", Role.DIM)],
    )
    below = [span("  "), span(change_view.state_words(change, view.now), state_role(change))]
    below += _more_words(change, target, view)
    hint: list[Span] = []
    if change.state in NEEDS_PERSON:
        again, drop = _retry_words(change, change_view, view), view.key("change.drop", "x")
        hint = [span(f"{again}{view.glyphs.separator}{drop} discard", Role.DIM)]
    # Why it failed comes before the keys, which the status line and the detail say too.
    return top, fit(below, width, hint if width_of((*below, *hint)) < width else [])


def member_row(
    change: Change, change_view: ChangeView, target: ChangeTarget, width: int, view: RenderContext
) -> tuple[Line, Line]:
    rail = [sign(f"  {view.glyphs.rail} ", Role.RULE)]
    summary = change_view.summary(change, view)
    top = [*rail, *_sign(change.state, view), span(target.who, Role.STRONG)]
    top += [span(view.glyphs.separator, Role.DIM), *summary] if summary else []
    below = [*rail, span("  "), span(change_view.state_words(change, view.now), state_role(change))]
    below += _more_words(change, target, view)
    return fit(top, width), fit(below, width)


def _more_words(change: Change, target: ChangeTarget, view: RenderContext) -> list[Span]:
    """Return the reason of a change's state and what it is about, the reason first where it needs a decision."""
    words = [target.what, _reason(change, target, view)]
    if change.state in NEEDS_PERSON:
        words.reverse()
    separator = span(view.glyphs.separator, Role.DIM)
    return [part for each in words if each.text for part in (separator, span(each, Role.DIM))]


def _reason(change: Change, target: ChangeTarget | None, view: RenderContext) -> SafeText:
    return reason_words(change, "" if target is None else target.changed_by, view)


def _bulk_row(entry: Entry, targets: Sequence[ChangeTarget], width: int, view: RenderContext) -> tuple[Line, Line]:
    count = len(counted_changes(entry.changes))
    named = enumerate_names(dict.fromkeys(each.who.text for each in targets[:MAX_NAMED]))
    more = f" and {count - MAX_NAMED:,} more" if count > MAX_NAMED else ""
    state = _bulk_state(entry)
    top = fit(
        [
            *_sign(state, view),
            span(show_line(shown_label(entry.first.label), 80), Role.STRONG),
            span(f"{view.glyphs.separator}{_count_words(entry)}", Role.ACCENT),
        ],
        width,
        [span(f" {view.stamp(entry.made_at)}", Role.DIM)],
    )
    names = [span(view.glyphs.separator, Role.DIM), span(f"{named}{more}", Role.DIM)]
    return top, fit([span("  "), *_state_counts(entry, view), *names], width)


def _bulk_state(entry: Entry) -> ChangeState:
    """Return the state for a bulk action's sign: once all are confirmed or discarded, the most frequent one."""
    first = next(iter(entry.states))
    return entry.states.most_common(1)[0][0] if first is ChangeState.CONFIRMED else first


def _count_words(entry: Entry) -> str:
    main = counted_changes(entry.changes)
    words = counted(len(main), main[0].kind.about)
    has_note = any(each.kind is ChangeKind.NOTE for each in entry.changes) and main[0].kind is not ChangeKind.NOTE
    return f"{words} with a note" if has_note else words


def _state_counts(entry: Entry, view: RenderContext) -> list[Span]:
    """Return how many changes of a bulk action are in each state: "6 confirmed · 2 rejected"."""
    spans: list[Span] = []
    for state, count in entry.states.items():
        change = next(each for each in entry.changes if each.state is state)
        words = trusted(f"{count:,} {describe_state(state)}")
        spans += [span(view.glyphs.separator, Role.DIM)] if spans else []
        spans.append(span(words, state_role(change)))
    return spans


def _sign(state: ChangeState, view: RenderContext) -> list[Span]:
    sign = getattr(view.glyphs, STATE_SIGNS.get(state, "pending"))
    return [span(sign, state_role_of(state)), span(" ")]


def _what_changed(
    change: Change, change_view: ChangeView, target: ChangeTarget, view: RenderContext
) -> list[Span]:
    """Return the label, without the target's name; of one field, its name and from what to what."""
    label = shown_label(change.label).removesuffix(f": {target.who.text}")
    summary = change_view.summary(change, view)
    if not summary:
        return [span(show_line(label, 120))]
    if len(change.fields) == 1:
        prefix = UNDO if label.startswith(UNDO) else ""
        words = inline_label(label.removeprefix(UNDO)) if prefix else label
        field = words.split(" ")[0] if prefix else label.partition(":")[0]
        return [span(show_line(f"{prefix}{field}", 60)), span("  "), *summary]
    return [span(show_line(label, 120)), span(view.glyphs.separator, Role.DIM), *summary]


def about_bulk(
    entry: Entry, views: ChangeViews, targets: Mapping[int, ChangeTarget], view: RenderContext
) -> Iterator[Fact]:
    """Tell all targets of a bulk change with their states, each with what was changed."""
    yield text(show_line(shown_label(entry.first.label), 120), Role.STRONG)
    yield text(
        trusted(f"{_count_words(entry)}{view.glyphs.separator}{view.day_and_time(entry.made_at)}"), Role.DIM
    )
    yield GAP
    yield text(tuple(_state_counts(entry, view)))
    if entry.undecided:
        again, drop = view.key("change.retry", "r"), view.key("change.drop", "x")
        yield text(trusted(f"{again} resend all · {drop} discard all · enter list"), Role.DIM)
    for change in entry.changes[:MAX_LISTED]:  # those that need a decision come first
        target, summary = targets.get(change.change_id), views[change.kind].summary(change, view)
        who = show_line(change.target, 60) if target is None else target.who
        yield GAP
        yield text((*_sign(change.state, view), span(who, Role.STRONG)))
        if target is not None:
            yield text(target.what, Role.DIM, indent=2)
        if summary:
            yield text((span("  "), *summary))
        if change.reason:
            yield text(_reason(change, target, view), Role.DIM, indent=2)
    if len(entry.changes) > MAX_LISTED:
        yield GAP
        yield text(trusted(f"and {len(entry.changes) - MAX_LISTED:,} more"), Role.DIM)


def about(
    change: Change,
    change_view: ChangeView,
    target: ChangeTarget,
    view: RenderContext,
    differences: SafeText = NOTHING,
) -> Iterator[Fact]:
    """Tell all of a change: state and reason, and each field before, theirs and yours.

    `differences` is the result of the view's `difference_job`.
    """
    label = show_line(shown_label(change.label).removesuffix(f": {target.who.text}"), 120)
    made = span(f" {view.day_and_time(change.made_at)}", Role.DIM)
    yield text(target.who, Role.STRONG)
    yield text(target.what, Role.DIM)
    yield Fact(draw=lambda width: [fit([span(label)], width, [made])])
    yield GAP
    yield text((*_sign(change.state, view), span(change_view.state_words(change, view.now), state_role(change))))
    yield text(_reason(change, target, view), Role.DIM)
    yield from change_view.facts(change, view)
    yield Fact("Changes", differences)
    if change.state in NEEDS_PERSON:
        drop = f"Press {view.key('change.drop', 'x')} to discard it: {change_view.drop_effect(change)}"
        yield GAP
        yield text(trusted(_retry_words(change, change_view, view)))
        yield text(trusted(drop))


def _retry_words(change: Change, change_view: ChangeView, view: RenderContext) -> str:
    if change_view.needs_review(change):
        return "enter compare theirs with yours"
    again = f"{view.key('change.retry', 'r')} {change_view.sends_again}"
    if conflicting_texts(change):
        return f"{view.key('change.merge', 'e')} edit both into one{view.glyphs.separator}{again}"
    return again


def invalid_item_row(record: InvalidItem, width: int, view: RenderContext) -> tuple[Line, Line]:
    top = fit(
        [
            span("Unreadable: ", Role.WARN),
            span(show_line(record.kind, 20), Role.STRONG),
            span(view.glyphs.separator, Role.DIM),
            span(show_line(record.place, 80)),
        ],
        width,
        [span(view.stamp(record.at), Role.DIM)],
    )
    return top, fit(
        [span("  "), span(show_line(record.reason), Role.DIM)],
        width,
        [span(f"{view.key('record.raw', 'i')} show", Role.DIM)],
    )


def about_invalid_item(record: InvalidItem) -> Iterator[Fact]:
    yield text(show_line(record.kind, 20), Role.STRONG)
    yield text(show_line(record.place, 200))
    yield GAP
    yield text(trusted("The platform sent this, but it couldn't be parsed. The rest was loaded."))
    yield GAP
    yield text(show_line(record.reason, MAX_REASON), Role.WARN)
    yield GAP
    yield text(show_line(record.raw, 600), Role.DIM)
