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

# words, sentence, before_first and before_first_in_few_words; lines are parted by |.
KNOWN = {
    Connection.STARTING: (
        "○ connecting · data as of 14:20",
        "connecting, the reason, in full; do it: now",
        "Connecting. | Rows appear as they load.",
        "not loaded yet: | connecting",
    ),
    Connection.LIVE: (
        "● live · data up to 1 min old",
        "live, the reason, in full; do it: now, data up to 1 min old",
        "Connecting. | Rows appear as they load.",
        "not loaded yet: | connecting",
    ),
    Connection.DELAYED: (
        "○ delayed · data up to 1 min old",
        "delayed, the reason, in full; do it: now, data up to 1 min old",
        "Connecting. | Rows appear as they load.",
        "not loaded yet: | connecting",
    ),
    Connection.LOADING: (
        "○ loading · not everything is up to date",
        "loading, the reason, in full; do it: now, not everything is up to date",
        "Connecting. | Rows appear as they load.",
        "not loaded yet: | connecting",
    ),
    Connection.WAITING: (
        "○ no response yet · since 14:29:48 · data as of 14:20",
        "no response yet, the reason, in full; do it: now",
        "Nothing loaded yet: | no response yet. | the reason, in full; do it: now",
        "not loaded yet: | no response yet",
    ),
    Connection.OFFLINE: (
        "○ offline · data as of 14:20 · retries at 14:30:20",
        "offline, the reason, in full; do it: now, retries at 14:30:20",
        "Nothing loaded yet: | offline. | the reason, in full; do it: now | Press R to retry.",
        "not loaded yet: | offline | press R to retry",
    ),
    Connection.INTERCEPTED: (
        "○ intercepted · log in with a browser · data as of 14:20 · retries at 14:30:20",
        "intercepted, the reason, in full; do it: now, log in with a browser, retries at 14:30:20",
        "Nothing loaded yet: | intercepted. | the reason, in full; do it: now | Log in with a browser.",
        "not loaded yet: | intercepted | log in with a browser",
    ),
    Connection.REFUSED: (
        "○ credentials refused · sign in with ctrl+t · data as of 14:20 · retries at 14:30:20",
        "credentials refused, the reason, in full; do it: now, run frontdesk login, retries at 14:30:20",
        "Nothing loaded yet: | credentials refused. | the reason, in full; do it: now | Sign in with ctrl+t.",
        "not loaded yet: | credentials refused | sign in with ctrl+t",
    ),
    Connection.ASKED_TO_WAIT: (
        "○ asked to wait (the reason) · press R to retry · data as of 14:20 · retries at 14:30:20",
        "asked to wait, the reason, in full; do it: now, retries at 14:30:20",
        "Nothing loaded yet: | asked to wait. | the reason, in full; do it: now | Press R to retry.",
        "not loaded yet: | asked to wait | press R to retry",
    ),
    Connection.THROTTLED: (
        "○ throttled · data as of 14:20 · retries at 14:30:20",
        "throttled, the reason, in full; do it: now, retries at 14:30:20",
        "Nothing loaded yet: | throttled. | the reason, in full; do it: now | Press R to retry.",
        "not loaded yet: | throttled | press R to retry",
    ),
    Connection.FAILING: (
        "○ platform error (the reason) · data as of 14:20 · retries at 14:30:20",
        "platform error, the reason, in full; do it: now, retries at 14:30:20",
        "Nothing loaded yet: | platform error. | the reason, in full; do it: now | Press R to retry.",
        "not loaded yet: | platform error | press R to retry",
    ),
    Connection.STOPPED: (
        "○ polling stopped (the reason) · data as of 14:20 · retries at 14:30:20",
        "polling stopped, the reason, in full; do it: now, retries at 14:30:20",
        "Nothing loaded yet: | polling stopped. | the reason, in full; do it: now",
        "not loaded yet: | polling stopped",
    ),
    Connection.PAUSED: (
        "○ paused · press P to resume · data as of 14:20",
        "paused, the reason, in full; do it: now",
        "Nothing loaded yet: | paused. | the reason, in full; do it: now | Press P to resume.",
        "not loaded yet: | paused | press P to resume",
    ),
    Connection.STUCK: (
        "○ can't save (error) · run frontdesk doctor · data as of 14:20",
        "can't save, the reason, in full; do it: now",
        "Nothing loaded yet: | can't save. | the reason, in full; do it: now | Run frontdesk doctor.",
        "not loaded yet: | can't save | run frontdesk doctor",
    ),
    Connection.SILENT: (
        "○ not updating · restart every open frontdesk · data as of 14:20",
        "not updating, the reason, in full; do it: now, restart every open frontdesk",
        "Nothing loaded yet: | not updating. | the reason, in full; do it: now | Restart every open frontdesk.",
        "not loaded yet: | not updating | restart every open frontdesk",
    ),
    Connection.BUSY: (
        "○ busy · data as of 14:20",
        "busy, the reason, in full; do it: now",
        "Nothing loaded yet: | busy. | the reason, in full; do it: now",
        "not loaded yet: | busy",
    ),
}  # fmt: skip
"""With a reason, data of ten minutes ago, a retry in 20 seconds, and late reads."""


def plain(line: list[Span]) -> str:
    return "".join(part.text.text for part in line)


def known(state: Connection) -> Health:
    return Health(state, "the reason, in full; do it: now", NOW - 12, NOW - 600, NOW + 20, late=LATE)


@pytest.mark.parametrize("state", Connection)
def test_each_state_is_said_with_all_that_is_known_of_it(state: Connection) -> None:
    health = known(state)
    assert (
        plain(words(health, VIEW)),
        sentence(health, VIEW),
        " | ".join(before_first(health, VIEW)),
        " | ".join(before_first_in_few_words(health, VIEW)),
    ) == KNOWN[state]


@pytest.mark.parametrize("state", Connection)
def test_where_it_is_narrow_the_same_words_are_said_and_the_last_left_out(state: Connection) -> None:
    first, *rest = plain(words(known(state), VIEW)).split(" · ")
    assert plain(short_words(known(state), VIEW)).split(" · ") == [first, *rest[:2]]
    assert plain(shortest_words(known(state), VIEW)).split(" · ") == [first.partition(" (")[0], *rest[:1]]


TO_DO = {
    Connection.LOADING: ("not everything is up to date", "not everything is up to date"),
    Connection.INTERCEPTED: ("log in with a browser", "log in with a browser"),
    Connection.REFUSED: ("sign in with ctrl+t", "run frontdesk login"),
    Connection.ASKED_TO_WAIT: ("press R to retry", ""),
    Connection.PAUSED: ("press P to resume", ""),
    Connection.STUCK: ("run frontdesk doctor", ""),
    Connection.SILENT: ("restart every open frontdesk", "restart every open frontdesk"),
}
"""What is said with nothing else known: on the status line, and aloud, where no key can be named."""


@pytest.mark.parametrize("state", Connection)
def test_each_state_is_said_with_nothing_else_known_of_it(state: Connection) -> None:
    line, aloud = TO_DO.get(state, ("", ""))
    assert plain(shortest_words(Health(state, since=1e20), VIEW)).partition(" · ")[2] == line
    assert sentence(Health(state), VIEW).partition(", ")[2] == aloud
    if not line and state not in (Connection.STARTING, Connection.LIVE, Connection.DELAYED):
        assert before_first(Health(state)) == ("Nothing loaded yet:", f"{sentence(Health(state), VIEW)}.")


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
    assert sentence(heard, VIEW) == "not updating, why, restart every open frontdesk"


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
    assert plain(words(health, VIEW)) == f"○ platform error{whole}"
    assert plain(short_words(health, VIEW)) == f"○ platform error{short}"


def test_a_long_reason_has_three_lines() -> None:
    assert len(before_first(Health(Connection.OFFLINE, " ".join(["word"] * 100)), VIEW)) == 1 + 1 + 3 + 1


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
    assert (
        plain(shortest_words(Health(Connection.OFFLINE, fresh_at=fresh_at), VIEW))
        == f"○ offline · data {expected}"
    )


def test_a_moment_that_no_calendar_has_is_left_out() -> None:
    assert plain(words(Health(Connection.WAITING, since=1e20), VIEW)) == "○ no response yet"
    assert plain(short_words(Health(Connection.THROTTLED, retry_at=1e20), VIEW)) == "○ throttled · retries soon"
