"""A change as two lines: what, on what, how far it came, and what to do about it.

Called by the Activity screen and `frontdesk outbox list`.
"""

from frontdesk.present import times
from frontdesk.present.lines import Line, Role, fit, span
from frontdesk.present.view import View
from frontdesk.store.records import Change, ChangeState
from frontdesk.text import Shown, show_line

HEIGHT = 2

STATE_WORDS = {
    ChangeState.HELD: "held: u takes it back",
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


def row(change: Change, target: Shown, width: int, view: View) -> tuple[Line, Line]:
    """What was done to what, and below it how far that came."""
    state = span(STATE_WORDS[change.state], _ROLES.get(change.state, Role.PENDING))
    top = fit(
        [span(show_line(change.label, 120), Role.STRONG), span(view.glyphs.separator, Role.DIM), span(target)],
        width,
        [span(times.stamp(change.made_at, view.now, view.zone), Role.DIM)],
    )
    below = [span("  "), state]
    if change.reason:
        below += [span(view.glyphs.separator, Role.DIM), span(show_line(change.reason), Role.DIM)]
    hint = (
        "r sends yours again · x drops it" if change.state in (ChangeState.CONFLICT, ChangeState.REFUSED) else ""
    )
    return top, fit(below, width, [span(hint, Role.DIM)])
