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
from frontdesk.present.view import View
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
    Connection.WAITING: ("waiting for an answer", Role.WARN),
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


def words(health: Health, view: View) -> list[Span]:
    """The state, what to do, how old what is shown is, and when it is tried again."""
    health = standing(health, view.now)
    age = _age(health, view.now, view.zone)
    at = _next_try(health, view.now, view.zone)
    soon = health.state in _TRIES and health.retry_at is None
    again = "tries every few seconds" if soon else f"tries again {at}" if at else ""
    owed = _owed_since(health, view.zone)
    return _joined(health, view.glyphs, owed, _to_do(health, view), age and f"shown {age}", again)


def short_words(health: Health, view: View) -> list[Span]:
    """The same in fewer words, for a narrow line."""
    health = standing(health, view.now)
    at = _next_try(health, view.now, view.zone)
    return _joined(
        health,
        view.glyphs,
        _owed_since(health, view.zone),
        _to_do(health, view),
        _age(health, view.now, view.zone),
        f"next {at.removeprefix('at ')}" if at else "",
    )


def shortest_words(health: Health, view: View) -> list[Span]:
    """Where there is room for nothing else: the state, and what to do or else how old what is shown is."""
    health = standing(health, view.now)
    return _joined(health, view.glyphs, _to_do(health, view) or _age(health, view.now, view.zone))


def before_first(health: Health, view: View | None = None) -> tuple[str, ...]:
    """What an empty screen says before anything was ever read: loading is not the same as nothing.

    Args:
        view: with whose keys what helps is named; None where there are no keys.
    """
    if health.state in (Connection.STARTING, Connection.LIVE):
        return ("Connecting.", "Rows appear as they are read.")
    text, _ = _WORDS[health.state]
    to_do = _what_helps(health, view)
    if to_do in _TO_DO.values():
        to_do = to_do[0].upper() + to_do[1:]  # a key stays as it is written
    said = f"{to_do}." if to_do else ""
    return ("Nothing could be read yet:", f"{text}.", *_sentences(health.reason)[:3], *([said] if said else []))


def before_first_in_few_words(health: Health, view: View) -> tuple[str, ...]:
    """The same for a column of the board."""
    text, _ = _WORDS[Connection.STARTING if health.state is Connection.LIVE else health.state]
    to_do = _what_helps(health, view)
    return ("not read yet:", text, *([to_do] if to_do else []))


def _to_do(health: Health, view: View | None) -> str:
    """What a person can do about a state for good."""
    if health.state is Connection.PAUSED:
        return "" if view is None else f"{view.key('sync.pause', 'P')} goes on"
    return _TO_DO.get(health.state, "")


def _what_helps(health: Health, view: View | None) -> str:
    """The same where nothing was read: at least it can be tried at once."""
    if view is None or health.state not in _TRIES:
        return _to_do(health, view)
    return _to_do(health, view) or f"{view.key('view.refresh_all', 'R')} tries again now"


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


def _owed_since(health: Health, zone: tzinfo) -> str:
    """From when on the platform owes an answer."""
    if health.state is not Connection.WAITING or (moment := times.local(health.since, zone)) is None:
        return ""
    return f"since {moment:%H:%M:%S}"


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
    parts = [text, show_line(health.reason).text, _to_do(health, None), f"tries again {at}" if at else ""]
    return ", ".join(part for part in parts if part)
