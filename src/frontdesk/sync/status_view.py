"""The state of the connection in a few words for the status line.

Six bad states are distinguished because each needs another remedy. The words name moments or coarse ages, never
running counters, so that an idle screen isn't redrawn.
"""

from typing import NamedTuple

from frontdesk.config.hosts import LOGIN
from frontdesk.config.render_context import RenderContext
from frontdesk.storage.clients import Focus
from frontdesk.storage.clocks import offset_words
from frontdesk.storage.database_files import problem_of
from frontdesk.storage.records import HUNG_SECONDS, Connection, Duty, Health, TeamState
from frontdesk.storage.team_state import LEASE_SECONDS, NO_TEAM
from frontdesk.text import relative_time
from frontdesk.text.relative_time import DAY, HOUR, MINUTE
from frontdesk_lines.display_text import show_line, wrap
from frontdesk_lines.lines import Role, Span, span

SILENT_AFTER_SECONDS = 20.0
"""Seconds without a report after which an engine hangs or is gone; it reports every five seconds."""

MAX_BUSY_SECONDS = HUNG_SECONDS + SILENT_AFTER_SECONDS
"""Maximum seconds for which an engine of this process may be busy without a report; then it is replaced."""

PAST_SECONDS = 30.0
"""Seconds for which a retry stays on the screen after its moment."""

MAX_CAUSE, MAX_SHORT_CAUSE = 100, 30
"""Maximum length of a failure's cause, in the whole form and in the short one."""

MAX_TEAM_CAUSE = 60

NARROW_CELLS = 32
"""Minimum width of a list beside a thread; empty lists' texts are wrapped to it."""


class _State(NamedTuple):
    """The words of a state on every surface.

    Attributes:
        to_do: the remedy where no key can be named.
        by_key: the remedy by a key, whose action and usual key follow.
        has_cause: whether the status line gives the reason in parentheses.
        is_tried: whether the engine tries again by itself, and at once by a key.
    """

    words: str
    role: Role
    to_do: str = ""
    by_key: tuple[str, str, str] | None = None
    has_cause: bool = False
    is_tried: bool = False


_REFRESH = ("press {} to retry", "view.refresh_all", "R")

_STATES = {
    Connection.STARTING: _State("connecting", Role.DIM),
    Connection.LIVE: _State("live", Role.GOOD),
    Connection.DELAYED: _State("delayed", Role.WARN),
    Connection.LOADING: _State("loading", Role.DIM, "not everything is up to date"),
    Connection.WAITING: _State("no response yet", Role.WARN),
    Connection.OFFLINE: _State("offline", Role.BAD, is_tried=True),
    Connection.INTERCEPTED: _State("intercepted", Role.BAD, "log in with a browser", is_tried=True),
    Connection.REFUSED: _State(
        "credentials refused",
        Role.BAD,
        "run frontdesk login",
        ("sign in with {}", "profile.sign_in", "ctrl+t"),
        is_tried=True,
    ),
    Connection.ASKED_TO_WAIT: _State("asked to wait", Role.WARN, "", _REFRESH, has_cause=True, is_tried=True),
    Connection.THROTTLED: _State("throttled", Role.WARN, is_tried=True),
    Connection.FAILING: _State("platform error", Role.BAD, has_cause=True, is_tried=True),
    Connection.STOPPED: _State("polling stopped", Role.WARN, has_cause=True),
    Connection.PAUSED: _State("paused", Role.WARN, "", ("press {} to resume", "sync.pause", "P")),
    Connection.STUCK: _State("can't save", Role.BAD, has_cause=True),
    Connection.SILENT: _State("not updating", Role.BAD, "restart every open frontdesk"),
    Connection.BUSY: _State("busy", Role.WARN),
}
_ANSWERED = (Connection.LIVE, Connection.DELAYED, Connection.LOADING)
_ENDED = (Connection.STOPPED, Connection.SILENT)


def view_health(health: Health, focus: Focus) -> Health:
    """Return the health for one screen: live only if none of its polls is late, with the oldest age."""
    late = []
    if health.state is Connection.LIVE and health.late:
        from frontdesk.sync.scheduler import jobs_on  # an engine's, which a screen seldom needs

        shown = jobs_on(focus)
        late = [each for each in health.late if (each.kind, each.target) in shown]
    if not late:
        return health._replace(late=())
    if any(each.max_age is None for each in late):
        return health._replace(state=Connection.LOADING, late=())
    oldest = max(late, key=lambda each: each.max_age or 0.0)
    is_late = any(each.is_late for each in late)
    return health._replace(state=Connection.DELAYED if is_late else Connection.LIVE, late=(oldest,))


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
    """Return the state, its cause, the remedy, the data's age, and the next retry."""
    return _spans(health, view, MAX_CAUSE, parts=4)


def short_words(health: Health, view: RenderContext) -> list[Span]:
    """Return `words` for a narrow line: two parts beside the state."""
    return _spans(health, view, MAX_SHORT_CAUSE, parts=2)


def shortest_words(health: Health, view: RenderContext) -> list[Span]:
    """Return the state and its remedy, or else the data's age."""
    return _spans(health._replace(team=NO_TEAM), view, 0, parts=1)


def _spans(health: Health, view: RenderContext, max_cause: int, *, parts: int) -> list[Span]:
    health = current_health(health, view)
    state, glyphs, separator = _STATES[health.state], view.glyphs, view.glyphs.separator
    cause = _cause(health, max_cause)
    said = f"{glyphs.on if health.state is Connection.LIVE else glyphs.off} {state.words}{cause and f' ({cause})'}"
    more = (
        _since(health, view),
        _late_words(health),
        _remedy(health, view),
        _age(health, view),
        _retry(health, view),
    )
    found = [*[part for part in more if part][:parts], *team_words(health.team, view, whole=parts > 2)]
    off = offset_words(health.clock_offset)
    clock = [span(f"{separator}clock {off}", Role.WARN)] if off else []
    return [span(said, state.role), *clock, *(span(f"{separator}{part}", Role.DIM) for part in found)]


def sentence(health: Health, view: RenderContext) -> str:
    """Return the state, reason, remedy and next retry, for speech."""
    health = current_health(health, view)
    remedy, off = _remedy(health, None), offset_words(health.clock_offset)
    parts = [
        _STATES[health.state].words,
        show_line(health.reason).text,
        _late_words(health),
        "" if remedy in health.reason.replace("`", "") or health.state is Connection.STUCK else remedy,
        _retry(health, view),
        off and f"this machine's clock is {off}",
        *team_words(health.team, view, whole=True),
    ]
    return ", ".join(filter(None, parts))


def before_first(health: Health, view: RenderContext | None = None) -> tuple[str, ...]:
    """Return the text of an empty screen before the first poll: loading isn't the same as nothing.

    Args:
        view: for naming keys; None if there are none.
    """
    if health.state in (Connection.STARTING, *_ANSWERED):
        return ("Connecting.", "Rows appear as they load.")
    # The reason's remedy is the shell's; on the screen there is a key.
    reason = health.reason if view is None else health.reason.partition(f"; {LOGIN}")[0]
    why = [part.text for part in wrap(show_line(reason), NARROW_CELLS)[:3]] if reason else []
    to_do = _remedy(health, view, or_retry=True)
    said = [f"{to_do[0].upper()}{to_do[1:]}."] if to_do else []
    return ("Nothing loaded yet:", f"{_STATES[health.state].words}.", *why, *said)


def before_first_in_few_words(health: Health, view: RenderContext) -> tuple[str, ...]:
    """Return `before_first` for a column of the board."""
    state = Connection.STARTING if health.state in _ANSWERED else health.state
    to_do = _remedy(health._replace(state=state), view, or_retry=True)
    return ("not loaded yet:", _STATES[state].words, *([to_do] if to_do else []))


def _remedy(health: Health, view: RenderContext | None, *, or_retry: bool = False) -> str:
    """Return what a person can do; `or_retry` at least.

    Args:
        view: for naming keys; None if there are none.
    """
    if health.state is Connection.STUCK:
        return problem_of(health.reason).to_do
    state = _STATES[health.state]
    by_key = state.by_key or (_REFRESH if or_retry and state.is_tried and not state.to_do else None)
    return state.to_do if view is None or by_key is None else by_key[0].format(view.key(*by_key[1:]))


def _cause(health: Health, most: int) -> str:
    """Return the beginning of the reason: the operation ends with `:`, the object with `;`."""
    if not _STATES[health.state].has_cause or not most:
        return ""
    if health.state is Connection.STUCK:
        return problem_of(health.reason).short
    failed = health.reason.partition(";")[0]
    named = failed if most == MAX_CAUSE else failed.partition(":")[0]
    return show_line(named.partition(",")[0], most).text


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
    return f"data as of {clock if day == clock else f'{day} {clock}'}"


def _late_words(health: Health) -> str:
    """Return the age of the oldest data on the screen."""
    ages = [each.max_age for each in health.late if each.max_age is not None]
    if not ages or health.state not in (Connection.LIVE, Connection.DELAYED):
        return ""
    return f"data {age_words(max(ages))}"


def age_words(seconds: float) -> str:
    """Describe an age in one of the steps: `up to 20 s old`."""
    if seconds > DAY:
        return "over a day old"
    if seconds >= HOUR:
        return f"up to {seconds / HOUR:.0f} h old"
    return f"up to {seconds:.0f} s old" if seconds < MINUTE else f"up to {seconds / MINUTE:.0f} min old"


def _retry(health: Health, view: RenderContext) -> str:
    """Return the time of the next retry, or "" if it is unknown or long past."""
    is_tried = _STATES[health.state].is_tried or health.state is Connection.STOPPED
    if not is_tried or health.retry_at is None or health.retry_at <= view.now - PAST_SECONDS:
        return ""
    moment = relative_time.local(health.retry_at, view.zone)
    return "retries soon" if moment is None else f"retries at {moment:%H:%M:%S}"


def _since(health: Health, view: RenderContext) -> str:
    if health.state is not Connection.WAITING or (moment := relative_time.local(health.since, view.zone)) is None:
        return ""
    return f"since {moment:%H:%M:%S}"
