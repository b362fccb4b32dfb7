"""Campaigns that were created here and aren't on the platform yet, a line each; stands above those watched."""

from collections.abc import Sequence

from frontdesk.config.render_context import RenderContext
from frontdesk.storage.records import NEEDS_PERSON, Change, ChangeState
from frontdesk.text.display_text import show_line
from frontdesk.text.lines import Line, Role, Span, fit, span

MOST = 4
"""So many are shown; Activity has them all."""

_WORDS = {
    ChangeState.HELD: "leaves in a moment, {undo} takes it back",
    ChangeState.QUEUED: "sending…",
    ChangeState.SENDING: "sending…",
    ChangeState.UNKNOWN: "no answer: looking whether it arrived",
}


def pending_campaigns(changes: Sequence[Change], width: int, view: RenderContext) -> tuple[Line, ...]:
    """Name, how many it is for, and how far it came; the newest ones."""
    return tuple(_line(each, width, view) for each in changes[-MOST:])


def _line(change: Change, width: int, view: RenderContext) -> Line:
    name = Span(show_line(change.fields.get("name") or change.target, 60), Role.STRONG)
    count = change.fields.get("count")
    people = f"{view.glyphs.separator}{count:,} recipients" if isinstance(count, int) and count != 1 else ""
    if change.state in NEEDS_PERSON:
        sign, role = view.glyphs.warning, Role.BAD
        words = f"not sent: Activity ({view.key('go.activity', '6')}) says why"
    else:
        sign, role = view.glyphs.pending, Role.PENDING
        words = _WORDS[change.state].format(undo=view.key("change.undo", "u"))
    return fit((span(f"{sign} ", role), name, span(people, Role.DIM), span(f"  {words}", role)), width)
