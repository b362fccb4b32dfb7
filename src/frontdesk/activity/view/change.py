"""A change as two lines and as all that is known of it; and an item that couldn't be read likewise.

Called by the Activity screen; `frontdesk outbox list` takes its words for states.
"""

from frontdesk.activity.view.comparison import compare, in_short
from frontdesk.config.render_context import RenderContext
from frontdesk.storage.record_names import STANDALONE
from frontdesk.storage.records import NEEDS_PERSON, Change, ChangeKind, ChangeState, InvalidItem
from frontdesk.text import relative_time
from frontdesk.text.display_text import NOTHING, SafeText, show_line, trusted
from frontdesk.text.labelled_lines import labelled
from frontdesk.text.lines import EMPTY, Line, Role, Span, fit, paragraph, span, width_of
from frontdesk.workflows.view.pending import wants_a_look

HEIGHT = 2

STATE_WORDS = {
    ChangeState.HELD: "held: undo takes it back",
    ChangeState.QUEUED: "waits to be sent",
    ChangeState.SENDING: "being sent",
    ChangeState.UNKNOWN: "outcome unknown: will be read back",
    ChangeState.CONFLICT: "conflict: yours or theirs?",
    ChangeState.REFUSED: "refused by the platform",
    ChangeState.CONFIRMED: "confirmed",
    ChangeState.UNDONE: "undone before it was sent",
    ChangeState.DROPPED: "dropped",
}
_ROLES = {
    ChangeState.CONFIRMED: Role.GOOD,
    ChangeState.REFUSED: Role.BAD,
    ChangeState.CONFLICT: Role.BAD,
    ChangeState.UNKNOWN: Role.WARN,
    ChangeState.UNDONE: Role.DIM,
    ChangeState.DROPPED: Role.DIM,
}


def state_words(change: Change, now: float) -> str:
    """How far a change came; one that could have gone by now is held no more."""
    state = change.state
    if state is ChangeState.HELD and change.send_after <= now:
        state = ChangeState.QUEUED
    if state is ChangeState.CONFLICT and change.kind.about in STANDALONE and not wants_a_look(change):
        return "waits for you to decide"
    return STATE_WORDS[state]


def state_role(change: Change) -> Role:
    """How the words of its state look."""
    return _ROLES.get(change.state, Role.PENDING)


def row(change: Change, target: SafeText, width: int, view: RenderContext) -> tuple[Line, Line]:
    """What was done to what, and below it how far that came."""
    state = span(state_words(change, view.now), _ROLES.get(change.state, Role.PENDING))
    short = in_short(change, view)
    top = fit(
        [
            span(show_line(change.label, 120), Role.STRONG),
            span(view.glyphs.separator, Role.DIM),
            span(target),
            *([span(view.glyphs.separator, Role.DIM), *short] if short else []),
        ],
        width,
        [span(relative_time.stamp(change.made_at, view.now, view.zone), Role.DIM)],
    )
    below = [span("  "), state]
    if change.reason:
        below += [span(view.glyphs.separator, Role.DIM), span(show_line(change.reason), Role.DIM)]
    hint: list[Span] = []
    if change.state in NEEDS_PERSON:
        again, drop = _again(change, view), view.key("change.drop", "x")
        hint = [span(f"{again}{view.glyphs.separator}{drop} drops it", Role.DIM)]
    # Why it failed comes before the keys, which the status line and the detail say too.
    return top, fit(below, width, hint if width_of((*below, *hint)) < width else [])


def facts(
    change: Change, target: SafeText, width: int, view: RenderContext, differs: SafeText = NOTHING
) -> tuple[Line, ...]:
    """All that is known of a change: how far it came and why, and each field before, theirs and yours.

    Args:
        differs: of an update of a workflow, what differs by it, counted.
    """
    day = relative_time.day(change.made_at, view.now, view.zone)
    made = f"{day} {relative_time.clock(change.made_at, view.zone)}"
    lines = [
        *paragraph(show_line(change.label, 120), width, Role.STRONG),
        *paragraph(target, width),
        fit([span(f"made {made}", Role.DIM)], width),
        EMPTY,
        *paragraph(trusted(state_words(change, view.now)), width, _ROLES.get(change.state, Role.PENDING)),
        *(paragraph(show_line(change.reason), width, Role.DIM) if change.reason else ()),
        *compare(change, width, view),
        *(labelled("Differs", differs, max(1, width)) if differs else ()),
    ]
    if change.state in NEEDS_PERSON:
        lines += [
            EMPTY,
            *paragraph(trusted(_again(change, view)), width),
            *paragraph(trusted(f"{view.key('change.drop', 'x')} drops it: {_stays(change)}"), width),
        ]
    return tuple(lines)


def _again(change: Change, view: RenderContext) -> str:
    """What sends it again; theirs of a workflow is looked at first."""
    if wants_a_look(change):
        return "enter compares theirs with yours"
    return f"{view.key('change.retry', 'r')} sends {'it' if change.kind.about in STANDALONE else 'yours'} again"


def _stays(change: Change) -> str:
    """What is so when it is dropped."""
    if change.kind is ChangeKind.CAMPAIGN:
        return "nothing is sent, and its draft is kept"
    if change.kind.about in STANDALONE:
        return "the platform keeps what it has"
    return "theirs stays" if change.state is ChangeState.CONFLICT else "nothing is changed"


def invalid_item_row(record: InvalidItem, width: int, view: RenderContext) -> tuple[Line, Line]:
    """What came and couldn't be read, and below it why."""
    top = fit(
        [
            span("Unreadable: ", Role.WARN),
            span(show_line(record.kind, 20), Role.STRONG),
            span(view.glyphs.separator, Role.DIM),
            span(show_line(record.place, 80)),
        ],
        width,
        [span(relative_time.stamp(record.at, view.now, view.zone), Role.DIM)],
    )
    return top, fit(
        [span("  "), span(show_line(record.reason), Role.DIM)],
        width,
        [span(f"{view.key('record.raw', 'i')} shows it", Role.DIM)],
    )


def invalid_item_lines(record: InvalidItem, width: int) -> tuple[Line, ...]:
    """What is known of an item that couldn't be read."""
    return (
        *paragraph(show_line(record.kind, 20), width, Role.STRONG),
        *paragraph(show_line(record.place, 200), width),
        EMPTY,
        *paragraph(
            trusted("It came from the platform and couldn't be read; all else on its page is kept."), width
        ),
        EMPTY,
        *paragraph(show_line(record.reason), width, Role.WARN),
        EMPTY,
        *paragraph(show_line(record.raw, 600), width, Role.DIM),
    )
