"""How it stands with the platform, in a few words for the status line.

Called by every screen; four bad states are told apart because each asks for something else.
"""

from datetime import tzinfo

from frontdesk.present import times
from frontdesk.present.glyphs import Glyphs
from frontdesk.present.lines import Role, Span, span
from frontdesk.store.records import Connection, Health
from frontdesk.text import show_line, wrap

_WORDS = {
    Connection.STARTING: ("connecting", Role.DIM),
    Connection.LIVE: ("live", Role.GOOD),
    Connection.OFFLINE: ("offline", Role.BAD),
    Connection.REFUSED: ("credentials refused", Role.BAD),
    Connection.THROTTLED: ("throttled", Role.WARN),
    Connection.FAILING: ("the platform is failing", Role.BAD),
    Connection.STOPPED: ("not polling", Role.WARN),
    Connection.PAUSED: ("paused", Role.WARN),
}


def words(health: Health, now: float, zone: tzinfo, glyphs: Glyphs) -> list[Span]:
    """The state, how old what is shown is, and when it is tried again.

    While live nothing here changes with time, so that an idle screen stays silent.
    """
    text, role = _WORDS[health.state]
    live = health.state is Connection.LIVE
    found = [span(f"{glyphs.on if live else glyphs.off} {text}", role)]
    if live:
        return found
    if health.fresh_at is not None:
        found.append(span(f"{glyphs.separator}shown as of {times.clock(health.fresh_at, zone)}", Role.DIM))
    if health.retry_at is not None and health.retry_at > now:
        found.append(span(f"{glyphs.separator}tries again {_clock(health.retry_at, zone)}", Role.DIM))
    return found


def before_first(health: Health) -> tuple[str, ...]:
    """What an empty screen says before anything was ever read: loading is not the same as nothing."""
    if health.state in (Connection.STARTING, Connection.LIVE):
        return ("Connecting.", "What is known appears as it is read.")
    text, _ = _WORDS[health.state]
    return (f"Nothing could be read yet: {text}.", *_sentences(health.reason))


def _sentences(reason: str) -> tuple[str, ...]:
    return tuple(part.text for part in wrap(show_line(reason), 38)[:4]) if reason else ()


def _clock(at: float, zone: tzinfo) -> str:
    moment = times.local(at, zone)
    return "soon" if moment is None else f"at {moment:%H:%M:%S}"
