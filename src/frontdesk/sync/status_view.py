"""The state of the connection in a few words for the status line.

Six bad states are distinguished because each needs another remedy. The words name moments or coarse ages, never
running counters, so that an idle screen isn't redrawn.
"""

from frontdesk.config.render_context import RenderContext
from frontdesk.storage.database_files import problem_of
from frontdesk.storage.platform_clock import offset_words
from frontdesk.storage.records import HUNG_SECONDS, Connection, Duty, Health, TeamState
from frontdesk.storage.team_state import NO_TEAM
from frontdesk.sync import freshness
from frontdesk.sync.team_role import LEASE_SECONDS
from frontdesk.text import relative_time
from frontdesk_lines.display_text import show_line, wrap
from frontdesk_lines.lines import Role, Span, span

SILENT_AFTER_SECONDS = 20.0
"""Seconds without a report after which an engine hangs or is gone; it reports every five seconds."""

MAX_BUSY_SECONDS = HUNG_SECONDS + SILENT_AFTER_SECONDS
"""Maximum seconds for which an engine of this process may be busy without a report; then it is replaced."""

PAST_SECONDS = 30.0
"""Seconds for which a retry stays on the screen after its moment."""

MAX_CAUSE, MAX_SHORT_CAUSE = 100, 30
"""Maximum length of the cause of a failure, in the whole and in the short form."""

MAX_TEAM_CAUSE = 60

NARROW_CELLS = 32
"""Minimum width of a list beside a thread; empty lists' texts are wrapped to it."""

INTERCEPTED = "something between you and the platform is answering (a login page?)"
"""The words for an interception without a host's name; the reason usually has one."""

_WORDS = {
    Connection.STARTING: ("connecting", Role.DIM),
    Connection.LIVE: ("live", Role.GOOD),
    Connection.DELAYED: ("delayed", Role.WARN),
    Connection.LOADING: ("loading", Role.DIM),
    Connection.WAITING: ("no response yet", Role.WARN),
    Connection.OFFLINE: ("offline", Role.BAD),
    Connection.INTERCEPTED: ("intercepted (a login page?)", Role.BAD),
    Connection.REFUSED: ("credentials refused", Role.BAD),
    Connection.ASKED_TO_WAIT: ("asked to wait", Role.WARN),
    Connection.THROTTLED: ("throttled", Role.WARN),
    Connection.FAILING: ("platform error", Role.BAD),
    Connection.STOPPED: ("polling stopped", Role.WARN),
    Connection.PAUSED: ("paused", Role.WARN),
    Connection.STUCK: ("can't save", Role.BAD),
    Connection.SILENT: ("not updating", Role.BAD),
    Connection.BUSY: ("busy", Role.WARN),
}
_TO_DO = {
    Connection.INTERCEPTED: "log in with a browser",
    Connection.REFUSED: "run frontdesk login",
    Connection.SILENT: "restart every open frontdesk",
}
_TRIES = (
    Connection.OFFLINE,
    Connection.INTERCEPTED,
    Connection.REFUSED,
    Connection.ASKED_TO_WAIT,
    Connection.THROTTLED,
    Connection.FAILING,
)
_ANSWERED = (Connection.LIVE, Connection.DELAYED, Connection.LOADING)
_ENDED = (Connection.STOPPED, Connection.SILENT)


def current_health(health: Health, view: RenderContext) -> Health:
    """Return the last health report, or BUSY, STOPPED or SILENT after long silence or a jump of the clock.

    A machine takes part in its team only while its engine reports.
    """
    if health.state in _ENDED:
        return health._replace(team=NO_TEAM, clock_offset=None)
    if health.heard_at is None:
        return health
    silent_seconds = abs(view.now - health.heard_at)
    if silent_seconds <= SILENT_AFTER_SECONDS:
        return health if silent_seconds <= LEASE_SECONDS else _without_lease(health)
    health = health._replace(team=NO_TEAM, clock_offset=None)
    if view.is_engine_replaced:
        return health._replace(state=Connection.STOPPED, reason="", retry_at=None)
    is_own = health.process != 0 and health.process == view.engine_process
    is_busy = is_own and silent_seconds <= MAX_BUSY_SECONDS
    return health._replace(state=Connection.BUSY if is_busy else Connection.SILENT, retry_at=None)


def _without_lease(health: Health) -> Health:
    """Return the health of a machine that may have lost its place in the team."""
    if health.team.duty not in (Duty.LEADS, Duty.FOLLOWS):
        return health
    state = Connection.STARTING if health.state in _ANSWERED else health.state
    return health._replace(state=state, team=TeamState(Duty.JOINING))


def words(health: Health, view: RenderContext) -> list[Span]:
    """Return the state, the remedy, the data's age, and the next retry."""
    health = current_health(health, view)
    at = _next_try(health, view)
    # If the reason takes the room, leave the tries out: they begin again as soon as a person has logged in.
    soon = health.state in _TRIES and health.retry_at is None and health.state is not Connection.INTERCEPTED
    again = "retries every few seconds" if soon else at and f"{_verb(health)} {at}"
    if health.state is Connection.ASKED_TO_WAIT:
        again = ""
    age = _age(health, view)
    late = _late_words(health)
    wait = _unanswered_since(health, view) or _asked_wait(health, view)
    parts = (wait, late, _remedy(health, view), age and f"data {age}", again)
    return _joined(health, view, *parts, whole=True, cause=_cause(health, whole=True))


def short_words(health: Health, view: RenderContext) -> list[Span]:
    """Return `words` for a narrow line."""
    health = current_health(health, view)
    at = _next_try(health, view)
    verb = "again" if health.state is Connection.STOPPED else "retry"
    to_do, next_try = _remedy(health, view), at and f"{verb} {at.removeprefix('at ')}"
    if health.state is Connection.INTERCEPTED:
        to_do, next_try = "log in", ""
    if health.state is Connection.ASKED_TO_WAIT:
        next_try = at and f"until {at.removeprefix('at ')}"
    if health.state in (Connection.LIVE, Connection.DELAYED):
        return _joined(health, view, _late_words(health).removeprefix("data "))
    parts = (_unanswered_since(health, view), to_do, _age(health, view), next_try)
    return _joined(health, view, *parts, cause=_cause(health, whole=False))


def shortest_words(health: Health, view: RenderContext) -> list[Span]:
    """Return the state and its remedy, or else the data's age."""
    health = current_health(health, view)
    if health.state is Connection.INTERCEPTED:
        return _joined(health, view, has_team=False)
    if health.state in (Connection.LIVE, Connection.DELAYED):
        return _joined(health, view, _late_words(health).removeprefix("data "), has_team=False)
    return _joined(health, view, _remedy(health, view) or _age(health, view), has_team=False)


def before_first(health: Health, view: RenderContext | None = None) -> tuple[str, ...]:
    """Return the text of an empty screen before the first poll: loading isn't the same as nothing.

    Args:
        view: for naming keys; None if there are none.
    """
    if health.state in (Connection.STARTING, *_ANSWERED):
        return ("Connecting.", "Rows appear as they load.")
    to_do = _remedy_before_first(health, view)
    said = f"{to_do[0].upper()}{to_do[1:]}." if to_do else ""
    if health.state is Connection.INTERCEPTED:
        why = _sentences(_whole_state(health))
    elif health.state is Connection.ASKED_TO_WAIT:
        why = _sentences(f"{_WORDS[health.state][0]} by {health.reason or 'the platform'}.")
    else:
        # Its remedy is the shell's; on the screen there is a key.
        reason = health.reason if view is None else health.reason.partition("; run `frontdesk login`")[0]
        why = (f"{_WORDS[health.state][0]}.", *_sentences(reason)[:3])
    return ("Nothing loaded yet:", *why, *([said] if said else []))


def before_first_in_few_words(health: Health, view: RenderContext) -> tuple[str, ...]:
    """Return `before_first` for a column of the board."""
    text, _ = _WORDS[Connection.STARTING if health.state in _ANSWERED else health.state]
    # In a column of 26 cells, the words for an interception need two lines.
    lines = ("intercepted", "(a login page?)") if health.state is Connection.INTERCEPTED else (text,)
    to_do = _remedy_before_first(health, view)
    return ("not loaded yet:", *lines, *([to_do] if to_do else []))


def _remedy(health: Health, view: RenderContext | None) -> str:
    if health.state is Connection.PAUSED:
        return "" if view is None else f"press {view.key('sync.pause', 'P')} to resume"
    if health.state is Connection.STUCK:
        return problem_of(health.reason).to_do
    if health.state is Connection.ASKED_TO_WAIT:
        return "" if view is None else f"press {view.key('view.refresh_all', 'R')} to retry"
    if health.state is Connection.REFUSED and view is not None:
        return f"sign in with {view.key('profile.sign_in', 'ctrl+t')}"
    return _TO_DO.get(health.state, "")


def _state_words(health: Health) -> str:
    """Return the words for a state in brief; with the cause if the store can't be written or polling ended."""
    words, why = _WORDS[health.state][0], ""
    if health.state is Connection.STUCK:
        why = problem_of(health.reason).short
    elif health.state is Connection.STOPPED:
        why = show_line(health.reason).text
    return f"{words} ({why})" if why else words


def _remedy_before_first(health: Health, view: RenderContext | None) -> str:
    """Return the remedy if nothing was loaded: at least a retry."""
    if view is None or health.state not in _TRIES:
        return _remedy(health, view)
    return _remedy(health, view) or f"press {view.key('view.refresh_all', 'R')} to retry"


def _whole_state(health: Health) -> str:
    """Return the words for a state; for an interception, with the host."""
    if health.state is Connection.INTERCEPTED:
        return show_line(health.reason).text if health.reason else INTERCEPTED
    return _state_words(health)


def _cause(health: Health, *, whole: bool) -> str:
    """Return the beginning of a platform error's reason: the operation ends with `:`, the object with `;`."""
    if health.state is not Connection.FAILING:
        return ""
    failed = health.reason.partition(";")[0]
    named = failed if whole else failed.partition(":")[0]
    return show_line(named.partition(",")[0], MAX_CAUSE if whole else MAX_SHORT_CAUSE).text


def _joined(
    health: Health, view: RenderContext, *parts: str, whole: bool = False, cause: str = "", has_team: bool = True
) -> list[Span]:
    text, role = _state_words(health), _WORDS[health.state][1]
    is_live, glyphs = health.state is Connection.LIVE, view.glyphs
    state = f"{glyphs.on if is_live else glyphs.off} {_whole_state(health) if whole else text}"
    state += f" ({cause})" if cause else ""
    more = [part for part in parts if part]
    more += team_words(health.team, view, whole=whole) if has_team else ()
    off = offset_words(health.clock_offset)
    clock = [span(f"{glyphs.separator}clock {off}", Role.WARN)] if off else []
    return [span(state, role), *clock, *(span(f"{glyphs.separator}{part}", Role.DIM) for part in more)]


def team_words(team: TeamState, view: RenderContext, *, whole: bool) -> tuple[str, ...]:
    """Describe who polls for this machine and the last report's age, or why nobody does; empty without a team."""
    leader = view.colleague(team.leader_agent, team.leader).text
    match team.duty:
        case Duty.FOLLOWS:
            return f"by {leader}", f"{team.age:.0f} s"
        case Duty.LEADS:
            return ("for the team",)
        case Duty.JOINING:
            return ("joining the team",)
        case Duty.ALONE:
            share = f", 1/{team.share} of the budget" if team.share > 1 else ""
            why = show_line(team.reason, MAX_TEAM_CAUSE).text
            return (f"alone: {why}{share}" if whole and why else "alone",)
    return ()


def _age(health: Health, view: RenderContext) -> str:
    """Return the time of the newest data, after its day if it isn't from today."""
    if health.fresh_at is None or health.state in _ANSWERED:
        return ""
    clock = relative_time.clock(health.fresh_at, view.zone)
    day = view.stamp(health.fresh_at)
    return f"as of {clock if day == clock else f'{day} {clock}'}"


def _late_words(health: Health) -> str:
    """Return the age of the oldest data on the screen."""
    if health.state is Connection.LOADING:
        return "not everything is up to date"
    ages = [each.max_age for each in health.late if each.max_age is not None]
    return f"data {freshness.age_words(max(ages))}" if ages and health.state in _ANSWERED else ""


def _next_try(health: Health, view: RenderContext) -> str:
    """Return the time of the next retry, or "" if it is unknown or long past."""
    if (
        health.state not in (*_TRIES, Connection.STOPPED)
        or health.retry_at is None
        or health.retry_at <= view.now - PAST_SECONDS
    ):
        return ""
    moment = relative_time.local(health.retry_at, view.zone)
    return "soon" if moment is None else f"at {moment:%H:%M:%S}"


def _verb(health: Health) -> str:
    return "starts again" if health.state is Connection.STOPPED else "retries"


def _unanswered_since(health: Health, view: RenderContext) -> str:
    if health.state is not Connection.WAITING or (moment := relative_time.local(health.since, view.zone)) is None:
        return ""
    return f"since {moment:%H:%M:%S}"


def _asked_wait(health: Health, view: RenderContext) -> str:
    """Describe who asked to wait, and until when."""
    if health.state is not Connection.ASKED_TO_WAIT:
        return ""
    at = _next_try(health, view).removeprefix("at ")
    return f"by {show_line(health.reason).text or 'the platform'}{at and f' until {at}'}"


def _sentences(reason: str) -> tuple[str, ...]:
    return tuple(part.text for part in wrap(show_line(reason), NARROW_CELLS)[:4]) if reason else ()


def sentence(health: Health, view: RenderContext) -> str:
    """Return the state, reason, remedy and next retry, for speech."""
    health = current_health(health, view)
    text = _whole_state(health)
    team = team_words(health.team, view, whole=True)
    off = offset_words(health.clock_offset)
    team = (f"this machine's clock is {off}", *team) if off else team
    if health.state is Connection.LIVE:
        return ", ".join(filter(None, (text, _late_words(health), *team)))
    at = _next_try(health, view)
    reason = "" if health.state is Connection.INTERCEPTED else show_line(health.reason).text
    if health.state in (Connection.STUCK, Connection.STOPPED):
        text, remedy = _WORDS[health.state][0], ""  # the reason contains both
    else:
        remedy = _remedy(health, None)
        remedy = "" if remedy in reason.replace("`", "") else remedy
    if health.state is Connection.ASKED_TO_WAIT:
        return f"{text} {_asked_wait(health, view)}"
    parts = [text, reason, _late_words(health), remedy, at and f"{_verb(health)} {at}", *team]
    return ", ".join(part for part in parts if part)
