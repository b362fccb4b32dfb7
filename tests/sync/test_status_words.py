"""Each state of the connection in each of its forms, as a table to read down: many words, few, fewest, spoken."""

import pytest

from frontdesk.storage.records import Connection, Health, LateRead
from frontdesk.sync.status_view import (
    MAX_CAUSE,
    MAX_SHORT_CAUSE,
    PAST_SECONDS,
    SILENT_AFTER_SECONDS,
    before_first,
    before_first_in_few_words,
    current_health,
    sentence,
    short_words,
    shortest_words,
    words,
)
from frontdesk_lines.lines import Role, Span
from sample_records import NOW, VIEW

LATE = (LateRead("a", "", 20.0), LateRead("b", "", None), LateRead("c", "", 60.0))

# words, short_words, shortest_words, sentence, before_first and before_first_in_few_words; lines are parted by |.
KNOWN = {
    Connection.STARTING: (
        "○ connecting · data as of 14:20",
        "○ connecting · as of 14:20",
        "○ connecting · as of 14:20",
        "connecting, the reason, in full; do it: now",
        "Connecting. | Rows appear as they load.",
        "not loaded yet: | connecting",
    ),
    Connection.LIVE: (
        "● live · data up to 1 min old",
        "● live · up to 1 min old",
        "● live · up to 1 min old",
        "live, data up to 1 min old",
        "Connecting. | Rows appear as they load.",
        "not loaded yet: | connecting",
    ),
    Connection.DELAYED: (
        "○ delayed · data up to 1 min old",
        "○ delayed · up to 1 min old",
        "○ delayed · up to 1 min old",
        "delayed, the reason, in full; do it: now, data up to 1 min old",
        "Connecting. | Rows appear as they load.",
        "not loaded yet: | connecting",
    ),
    Connection.LOADING: (
        "○ loading · not everything is up to date",
        "○ loading",
        "○ loading",
        "loading, the reason, in full; do it: now, not everything is up to date",
        "Connecting. | Rows appear as they load.",
        "not loaded yet: | connecting",
    ),
    Connection.WAITING: (
        "○ no response yet · since 14:29:48 · data as of 14:20",
        "○ no response yet · since 14:29:48 · as of 14:20",
        "○ no response yet · as of 14:20",
        "no response yet, the reason, in full; do it: now",
        "Nothing loaded yet: | no response yet. | the reason, in full; do it: now",
        "not loaded yet: | no response yet",
    ),
    Connection.OFFLINE: (
        "○ offline · data as of 14:20 · retries at 14:30:20",
        "○ offline · as of 14:20 · retry 14:30:20",
        "○ offline · as of 14:20",
        "offline, the reason, in full; do it: now, retries at 14:30:20",
        "Nothing loaded yet: | offline. | the reason, in full; do it: now | Press R to retry.",
        "not loaded yet: | offline | press R to retry",
    ),
    Connection.INTERCEPTED: (
        "○ the reason, in full; do it: now · log in with a browser · data as of 14:20 · retries at 14:30:20",
        "○ intercepted (a login page?) · log in · as of 14:20",
        "○ intercepted (a login page?)",
        "the reason, in full; do it: now, log in with a browser, retries at 14:30:20",
        "Nothing loaded yet: | the reason, in full; do it: now | Log in with a browser.",
        "not loaded yet: | intercepted | (a login page?) | log in with a browser",
    ),
    Connection.REFUSED: (
        "○ credentials refused · sign in with ctrl+t · data as of 14:20 · retries at 14:30:20",
        "○ credentials refused · sign in with ctrl+t · as of 14:20 · retry 14:30:20",
        "○ credentials refused · sign in with ctrl+t",
        "credentials refused, the reason, in full; do it: now, run frontdesk login, retries at 14:30:20",
        "Nothing loaded yet: | credentials refused. | the reason, in full; do it: now | Sign in with ctrl+t.",
        "not loaded yet: | credentials refused | sign in with ctrl+t",
    ),
    Connection.ASKED_TO_WAIT: (
        "○ asked to wait · by the reason, in full; do it: now until 14:30:20 · press R to retry"
        " · data as of 14:20",
        "○ asked to wait · press R to retry · as of 14:20 · until 14:30:20",
        "○ asked to wait · press R to retry",
        "asked to wait by the reason, in full; do it: now until 14:30:20",
        "Nothing loaded yet: | asked to wait by the reason, in | full; do it: now. | Press R to retry.",
        "not loaded yet: | asked to wait | press R to retry",
    ),
    Connection.THROTTLED: (
        "○ throttled · data as of 14:20 · retries at 14:30:20",
        "○ throttled · as of 14:20 · retry 14:30:20",
        "○ throttled · as of 14:20",
        "throttled, the reason, in full; do it: now, retries at 14:30:20",
        "Nothing loaded yet: | throttled. | the reason, in full; do it: now | Press R to retry.",
        "not loaded yet: | throttled | press R to retry",
    ),
    Connection.FAILING: (
        "○ platform error (the reason) · data as of 14:20 · retries at 14:30:20",
        "○ platform error (the reason) · as of 14:20 · retry 14:30:20",
        "○ platform error · as of 14:20",
        "platform error, the reason, in full; do it: now, retries at 14:30:20",
        "Nothing loaded yet: | platform error. | the reason, in full; do it: now | Press R to retry.",
        "not loaded yet: | platform error | press R to retry",
    ),
    Connection.STOPPED: (
        "○ polling stopped (the reason, in full; do it: now) · data as of 14:20 · starts again at 14:30:20",
        "○ polling stopped (the reason, in full; do it: now) · as of 14:20 · again 14:30:20",
        "○ polling stopped (the reason, in full; do it: now) · as of 14:20",
        "polling stopped, the reason, in full; do it: now, starts again at 14:30:20",
        "Nothing loaded yet: | polling stopped. | the reason, in full; do it: now",
        "not loaded yet: | polling stopped",
    ),
    Connection.PAUSED: (
        "○ paused · press P to resume · data as of 14:20",
        "○ paused · press P to resume · as of 14:20",
        "○ paused · press P to resume",
        "paused, the reason, in full; do it: now",
        "Nothing loaded yet: | paused. | the reason, in full; do it: now | Press P to resume.",
        "not loaded yet: | paused | press P to resume",
    ),
    Connection.STUCK: (
        "○ can't save (error) · run frontdesk doctor · data as of 14:20",
        "○ can't save (error) · run frontdesk doctor · as of 14:20",
        "○ can't save (error) · run frontdesk doctor",
        "can't save, the reason, in full; do it: now",
        "Nothing loaded yet: | can't save. | the reason, in full; do it: now | Run frontdesk doctor.",
        "not loaded yet: | can't save | run frontdesk doctor",
    ),
    Connection.SILENT: (
        "○ not updating · restart every open frontdesk · data as of 14:20",
        "○ not updating · restart every open frontdesk · as of 14:20",
        "○ not updating · restart every open frontdesk",
        "not updating, the reason, in full; do it: now, restart every open frontdesk",
        "Nothing loaded yet: | not updating. | the reason, in full; do it: now | Restart every open frontdesk.",
        "not loaded yet: | not updating | restart every open frontdesk",
    ),
    Connection.BUSY: (
        "○ busy · data as of 14:20",
        "○ busy · as of 14:20",
        "○ busy · as of 14:20",
        "busy, the reason, in full; do it: now",
        "Nothing loaded yet: | busy. | the reason, in full; do it: now",
        "not loaded yet: | busy",
    ),
}  # fmt: skip
"""With a reason, data of ten minutes ago, a retry in 20 seconds, and late reads."""

BARE = {
    Connection.STARTING: (
        "○ connecting",
        "○ connecting",
        "○ connecting",
        "connecting",
        "Connecting. | Rows appear as they load.",
        "not loaded yet: | connecting",
    ),
    Connection.LIVE: (
        "● live",
        "● live",
        "● live",
        "live",
        "Connecting. | Rows appear as they load.",
        "not loaded yet: | connecting",
    ),
    Connection.DELAYED: (
        "○ delayed",
        "○ delayed",
        "○ delayed",
        "delayed",
        "Connecting. | Rows appear as they load.",
        "not loaded yet: | connecting",
    ),
    Connection.LOADING: (
        "○ loading · not everything is up to date",
        "○ loading",
        "○ loading",
        "loading, not everything is up to date",
        "Connecting. | Rows appear as they load.",
        "not loaded yet: | connecting",
    ),
    Connection.WAITING: (
        "○ no response yet · since 02:00:00",
        "○ no response yet · since 02:00:00",
        "○ no response yet",
        "no response yet",
        "Nothing loaded yet: | no response yet.",
        "not loaded yet: | no response yet",
    ),
    Connection.OFFLINE: (
        "○ offline · retries every few seconds",
        "○ offline",
        "○ offline",
        "offline",
        "Nothing loaded yet: | offline.",
        "not loaded yet: | offline | press R to retry",
    ),
    Connection.INTERCEPTED: (
        "○ something between you and the platform is answering (a login page?) · log in with a browser",
        "○ intercepted (a login page?) · log in",
        "○ intercepted (a login page?)",
        "something between you and the platform is answering (a login page?), log in with a browser",
        "Nothing loaded yet: | something between you and the | platform is answering (a login "
        "| page?) | Log in with a browser.",
        "not loaded yet: | intercepted | (a login page?) | log in with a browser",
    ),
    Connection.REFUSED: (
        "○ credentials refused · sign in with ctrl+t · retries every few seconds",
        "○ credentials refused · sign in with ctrl+t",
        "○ credentials refused · sign in with ctrl+t",
        "credentials refused, run frontdesk login",
        "Nothing loaded yet: | credentials refused. | Run frontdesk login.",
        "not loaded yet: | credentials refused | sign in with ctrl+t",
    ),
    Connection.ASKED_TO_WAIT: (
        "○ asked to wait · by the platform · press R to retry",
        "○ asked to wait · press R to retry",
        "○ asked to wait · press R to retry",
        "asked to wait by the platform",
        "Nothing loaded yet: | asked to wait by the platform.",
        "not loaded yet: | asked to wait | press R to retry",
    ),
    Connection.THROTTLED: (
        "○ throttled · retries every few seconds",
        "○ throttled",
        "○ throttled",
        "throttled",
        "Nothing loaded yet: | throttled.",
        "not loaded yet: | throttled | press R to retry",
    ),
    Connection.FAILING: (
        "○ platform error · retries every few seconds",
        "○ platform error",
        "○ platform error",
        "platform error",
        "Nothing loaded yet: | platform error.",
        "not loaded yet: | platform error | press R to retry",
    ),
    Connection.STOPPED: (
        "○ polling stopped",
        "○ polling stopped",
        "○ polling stopped",
        "polling stopped",
        "Nothing loaded yet: | polling stopped.",
        "not loaded yet: | polling stopped",
    ),
    Connection.PAUSED: (
        "○ paused · press P to resume",
        "○ paused · press P to resume",
        "○ paused · press P to resume",
        "paused",
        "Nothing loaded yet: | paused.",
        "not loaded yet: | paused | press P to resume",
    ),
    Connection.STUCK: (
        "○ can't save (error) · run frontdesk doctor",
        "○ can't save (error) · run frontdesk doctor",
        "○ can't save (error) · run frontdesk doctor",
        "can't save",
        "Nothing loaded yet: | can't save. | Run frontdesk doctor.",
        "not loaded yet: | can't save | run frontdesk doctor",
    ),
    Connection.SILENT: (
        "○ not updating · restart every open frontdesk",
        "○ not updating · restart every open frontdesk",
        "○ not updating · restart every open frontdesk",
        "not updating, restart every open frontdesk",
        "Nothing loaded yet: | not updating. | Restart every open frontdesk.",
        "not loaded yet: | not updating | restart every open frontdesk",
    ),
    Connection.BUSY: (
        "○ busy",
        "○ busy",
        "○ busy",
        "busy",
        "Nothing loaded yet: | busy.",
        "not loaded yet: | busy",
    ),
}  # fmt: skip
"""With nothing else known, and no keys to name."""


def plain(line: list[Span]) -> str:
    return "".join(part.text.text for part in line)


def forms(health: Health, *, names_keys: bool) -> tuple[str, ...]:
    return (
        plain(words(health, VIEW)),
        plain(short_words(health, VIEW)),
        plain(shortest_words(health, VIEW)),
        sentence(health, VIEW),
        " | ".join(before_first(health, VIEW if names_keys else None)),
        " | ".join(before_first_in_few_words(health, VIEW)),
    )


@pytest.mark.parametrize("state", Connection)
def test_each_state_is_said_with_all_that_is_known_of_it(state: Connection) -> None:
    health = Health(state, "the reason, in full; do it: now", NOW - 12, NOW - 600, NOW + 20, late=LATE)
    assert forms(health, names_keys=True) == KNOWN[state]


@pytest.mark.parametrize("state", Connection)
def test_each_state_is_said_with_nothing_else_known_of_it(state: Connection) -> None:
    assert forms(Health(state), names_keys=False) == BARE[state]


@pytest.mark.parametrize(
    ("state", "role"),
    [
        (Connection.STARTING, Role.DIM),
        (Connection.LIVE, Role.GOOD),
        (Connection.DELAYED, Role.WARN),
        (Connection.LOADING, Role.DIM),
        (Connection.WAITING, Role.WARN),
        (Connection.OFFLINE, Role.BAD),
        (Connection.INTERCEPTED, Role.BAD),
        (Connection.REFUSED, Role.BAD),
        (Connection.ASKED_TO_WAIT, Role.WARN),
        (Connection.THROTTLED, Role.WARN),
        (Connection.FAILING, Role.BAD),
        (Connection.STOPPED, Role.WARN),
        (Connection.PAUSED, Role.WARN),
        (Connection.STUCK, Role.BAD),
        (Connection.SILENT, Role.BAD),
        (Connection.BUSY, Role.WARN),
    ],
)
def test_the_state_has_its_role_and_everything_after_it_is_dim(state: Connection, role: Role) -> None:
    health = Health(state, "why", NOW - 12, NOW - 600, NOW + 20, late=LATE)
    for form in (words, short_words, shortest_words):
        first, *rest = form(health, VIEW)
        assert first.role is role
        assert {part.role for part in rest} <= {Role.DIM}


@pytest.mark.parametrize(
    ("seconds", "again"),
    [(-PAST_SECONDS, ""), (0.1 - PAST_SECONDS, " · retries at 14:29:30"), (0, " · retries at 14:30:00")],
)
def test_a_retry_is_said_until_half_a_minute_after_its_moment(seconds: float, again: str) -> None:
    assert plain(words(Health(Connection.OFFLINE, retry_at=NOW + seconds), VIEW)) == f"○ offline{again}"


def test_an_engine_that_is_not_heard_retries_nothing() -> None:
    heard = Health(
        Connection.OFFLINE, "why", NOW - 90, NOW - 600, NOW + 20, heard_at=NOW - SILENT_AFTER_SECONDS - 1
    )
    assert current_health(heard, VIEW) == heard._replace(state=Connection.SILENT, retry_at=None)
    assert forms(heard, names_keys=True)[3] == "not updating, why, restart every open frontdesk"


@pytest.mark.parametrize(
    ("reason", "whole", "short"),
    [
        ("list tasks: broken; wait", " (list tasks: broken)", " (list tasks)"),
        ("list tasks, again: broken", " (list tasks)", " (list tasks)"),
        ("x\x1b: broken", " (x␛: broken)", " (x␛)"),
        ("; wait", "", ""),
        ("list tasks; wait: a minute", " (list tasks)", " (list tasks)"),
        ("x" * 200, f" ({'x' * MAX_CAUSE}…)", f" ({'x' * MAX_SHORT_CAUSE}…)"),
    ],
)
def test_what_failed_is_the_beginning_of_the_reason(reason: str, whole: str, short: str) -> None:
    health = Health(Connection.FAILING, reason)
    assert plain(words(health, VIEW)) == f"○ platform error{whole} · retries every few seconds"
    assert plain(short_words(health, VIEW)) == f"○ platform error{short}"


def test_a_long_reason_has_three_lines_and_one_that_is_the_state_four() -> None:
    long = " ".join(["word"] * 100)
    assert len(before_first(Health(Connection.OFFLINE, long), VIEW)) == 1 + 1 + 3 + 1
    assert len(before_first(Health(Connection.INTERCEPTED, long), VIEW)) == 1 + 4 + 1
    assert len(before_first(Health(Connection.ASKED_TO_WAIT, long), VIEW)) == 1 + 4 + 1


@pytest.mark.parametrize(
    ("fresh_at", "expected"),
    [
        (NOW - 60, "as of 14:29"),
        (NOW - 86_400, "as of Tue 14:30"),
        (NOW - 8 * 86_400, "as of 10 Nov 14:30"),
        (1e20, "as of ? --:--"),
    ],
)
def test_the_age_of_data_has_its_day_where_that_is_not_today(fresh_at: float, expected: str) -> None:
    assert plain(shortest_words(Health(Connection.OFFLINE, fresh_at=fresh_at), VIEW)) == f"○ offline · {expected}"


def test_a_moment_that_no_calendar_has_is_left_out() -> None:
    assert plain(words(Health(Connection.WAITING, since=1e20), VIEW)) == "○ no response yet"
    assert plain(short_words(Health(Connection.THROTTLED, retry_at=1e20), VIEW)) == "○ throttled · retry soon"
