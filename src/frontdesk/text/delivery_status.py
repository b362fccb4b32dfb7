"""What a message's or campaign's status looks like; unknown values are shown as they are.

Called by the other modules of this folder.
"""

from frontdesk.text.display_text import show_line
from frontdesk.text.glyphs import Glyphs
from frontdesk.text.lines import Role, Span, span

_FAILED = frozenset({"failed", "optOut", "tooManyRequests", "duplicateMessage"})
_WAITING = frozenset({"pending", "inProcess", "scheduled", "standby"})

CAMPAIGN_ROLES = {
    "inProgress": Role.ACCENT,
    "completed": Role.GOOD,
    "failed": Role.BAD,
    "stopped": Role.WARN,
    "scheduled": Role.TEXT,
    "pending": Role.TEXT,
}
CAMPAIGN_WORDS = {
    "inProgress": "in progress",
    "completed": "completed",
    "failed": "failed",
    "stopped": "stopped",
    "scheduled": "scheduled",
    "pending": "pending",
}


def tick(status: str, glyphs: Glyphs) -> Span:
    """How far an outgoing message came."""
    if status in ("read", "played"):
        return span(glyphs.read, Role.ACCENT)
    if status == "delivered":
        return span(glyphs.delivered, Role.DIM)
    if status == "sent":
        return span(glyphs.sent, Role.DIM)
    if status in _FAILED:
        return span(glyphs.failed, Role.BAD)
    if status in _WAITING:
        return span(glyphs.waiting, Role.DIM)
    return span(show_line(status, 12), Role.DIM)


def campaign_status(status: str) -> Span:
    """A campaign's state in words."""
    if not status:
        return span("not read yet", Role.DIM)
    return span(show_line(CAMPAIGN_WORDS.get(status, status), 20), CAMPAIGN_ROLES.get(status, Role.TEXT))
