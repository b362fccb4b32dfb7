"""How it stands with the platform, in a few words for the status line.

Called by every screen; four bad states are told apart because each asks for something else. What is
said are moments, never running counters: the words differ when the state does, and an idle screen
stays silent.
"""

from dataclasses import replace
from datetime import tzinfo

from frontdesk.present import times
from frontdesk.present.glyphs import Glyphs
from frontdesk.present.lines import Role, Span, span
from frontdesk.store.records import Connection, Health
from frontdesk.text import show_line, wrap

SILENT_AFTER_SECONDS = 20.0
"""The engine says every five seconds that it lives; one that hasn't for this long hangs or is gone."""

PAST_SECONDS = 30.0
"""A next try stays on the screen for so long after its moment: what came of it is said by then."""

NARROW_CELLS = 32
"""A list beside a thread is that wide at least; what an empty one says is broken to fit it."""

_WORDS = {
    Connection.STARTING: ("connecting", Role.DIM),
    Connection.LIVE: ("live", Role.GOOD),
    Connection.OFFLINE: ("offline", Role.BAD),
    Connection.REFUSED: ("credentials refused", Role.BAD),
    Connection.THROTTLED: ("throttled", Role.WARN),
    Connection.FAILING: ("the platform is failing", Role.BAD),
    Connection.STOPPED: ("polling stopped", Role.WARN),
    Connection.PAUSED: ("paused", Role.WARN),
    Connection.STUCK: ("files can't be written", Role.BAD),
    Connection.SILENT: ("not answering", Role.BAD),
}
_TO_DO = {
    Connection.REFUSED: "run frontdesk login",
    Connection.PAUSED: "P goes on",
    Connection.STUCK: "free disk space",
    Connection.SILENT: "end or resume what polls",
}
_TRIES = (Connection.OFFLINE, Connection.REFUSED, Connection.THROTTLED, Connection.FAILING)
_ENDED = (Connection.STOPPED, Connection.SILENT)


def standing(health: Health, now: float) -> Health:
    """The engine's last word, or that no word has come for long: a clock that jumped counts as that."""
    if health.state in _ENDED or health.heard_at is None or abs(now - health.heard_at) <= SILENT_AFTER_SECONDS:
        return health
    return replace(health, state=Connection.SILENT, retry_at=None)


def words(health: Health, now: float, zone: tzinfo, glyphs: Glyphs) -> list[Span]:
    """The state, what to do, how old what is shown is, and when it is tried again."""
    health = standing(health, now)
    age = _age(health, now, zone)
    at = _next_try(health, now, zone)
    soon = health.state in _TRIES and health.retry_at is None
    again = "tries every few seconds" if soon else f"tries again {at}" if at else ""
    return _joined(health, glyphs, _TO_DO.get(health.state, ""), age and f"shown {age}", again)


def short_words(health: Health, now: float, zone: tzinfo, glyphs: Glyphs) -> list[Span]:
    """The same in fewer words, for a narrow line."""
    health = standing(health, now)
    at = _next_try(health, now, zone)
    return _joined(
        health,
        glyphs,
        _TO_DO.get(health.state, ""),
        _age(health, now, zone),
        f"next {at.removeprefix('at ')}" if at else "",
    )


def shortest_words(health: Health, now: float, zone: tzinfo, glyphs: Glyphs) -> list[Span]:
    """Where there is room for nothing else: the state, and what to do or else how old what is shown is."""
    health = standing(health, now)
    return _joined(health, glyphs, _TO_DO.get(health.state, "") or _age(health, now, zone))


def before_first(health: Health, refresh_key: str = "") -> tuple[str, ...]:
    """What an empty screen says before anything was ever read: loading is not the same as nothing.

    Args:
        refresh_key: the key that tries at once, where there is one.
    """
    if health.state in (Connection.STARTING, Connection.LIVE):
        return ("Connecting.", "Rows appear as they are read.")
    text, _ = _WORDS[health.state]
    tries = f"{refresh_key} tries again now" if refresh_key and health.state in _TRIES else ""
    to_do = _TO_DO.get(health.state) or tries
    said = f"{to_do[0].upper()}{to_do[1:]}." if to_do else ""
    return ("Nothing could be read yet:", f"{text}.", *_sentences(health.reason)[:3], *([said] if said else []))


def _state(health: Health, glyphs: Glyphs) -> Span:
    text, role = _WORDS[health.state]
    return span(f"{glyphs.on if health.state is Connection.LIVE else glyphs.off} {text}", role)


def _joined(health: Health, glyphs: Glyphs, *parts: str) -> list[Span]:
    """The state and what there is to say of it: of a live one nothing, so that an idle screen stays silent."""
    more = [] if health.state is Connection.LIVE else [part for part in parts if part]
    return [_state(health, glyphs), *(span(f"{glyphs.separator}{part}", Role.DIM) for part in more)]


def _age(health: Health, now: float, zone: tzinfo) -> str:
    return "" if health.fresh_at is None else f"as of {_moment(health.fresh_at, now, zone)}"


def _next_try(health: Health, now: float, zone: tzinfo) -> str:
    """When the next try is, where that is known and not long past."""
    if health.state not in _TRIES or health.retry_at is None or health.retry_at <= now - PAST_SECONDS:
        return ""
    moment = times.local(health.retry_at, zone)
    return "soon" if moment is None else f"at {moment:%H:%M:%S}"


def _sentences(reason: str) -> tuple[str, ...]:
    return tuple(part.text for part in wrap(show_line(reason), NARROW_CELLS)[:4]) if reason else ()


def _moment(at: float, now: float, zone: tzinfo) -> str:
    """The time of day, with the day in front where it isn't today."""
    clock, day = times.clock(at, zone), times.stamp(at, now, zone)
    return clock if day == clock else f"{day} {clock}"


def sentence(health: Health, now: float, zone: tzinfo) -> str:
    """The same for ears, without a sign: the state, why, what to do, and when it is tried again."""
    health = standing(health, now)
    text, _ = _WORDS[health.state]
    if health.state is Connection.LIVE:
        return text
    at = _next_try(health, now, zone)
    parts = [text, show_line(health.reason).text, _TO_DO.get(health.state, ""), f"tries again {at}" if at else ""]
    return ", ".join(part for part in parts if part)
