"""How it stands with the platform: six bad states told apart, and stillness."""

from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.storage.database_files import unusable
from frontdesk.storage.records import Connection, Duty, Health, LateRead, TeamState
from frontdesk.sync.status_view import (
    LEASE_SECONDS,
    MAX_BUSY_SECONDS,
    NARROW_CELLS,
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
from frontdesk_lines.lines import Role, Span, width_of
from sample_records import NOW, PLAIN_VIEW, VIEW

BAD = (Connection.OFFLINE, Connection.REFUSED, Connection.THROTTLED, Connection.FAILING)
FRESH, RETRY = NOW - 600, NOW + 20
LATE = (LateRead("campaign", "", 20.0),)


def plain(line: list[Span]) -> str:
    return "".join(part.text.text for part in line)


def said(health: Health, now: float = NOW) -> str:
    return "".join(part.text.text for part in words(health, VIEW._replace(now=now)))


def said_shortly(health: Health, now: float = NOW) -> str:
    return "".join(part.text.text for part in short_words(health, VIEW._replace(now=now)))


def test_every_state_has_words_of_its_own() -> None:
    assert len({said(Health(state)) for state in Connection}) == len(Connection)


def test_the_four_bad_states_are_told_apart_and_say_what_is_shown_and_when_it_goes_on() -> None:
    found = [said(Health(state, fresh_at=FRESH, retry_at=RETRY)) for state in BAD]
    assert len(set(found)) == 4
    for each in found:
        assert "data as of 14:20" in each
        assert "retries at 14:30:20" in each
        assert "live" not in each


BETWEEN = "something between you and api.example.com is answering (a login page?)"


def test_who_answers_between_is_named_with_the_host_where_there_is_room() -> None:
    health = Health(Connection.INTERCEPTED, BETWEEN, fresh_at=FRESH)
    assert said(health) == "○ intercepted · log in with a browser · data as of 14:20"
    assert sentence(health, VIEW) == f"intercepted, {BETWEEN}, log in with a browser"
    assert " ".join(before_first(health)) == f"Nothing loaded yet: intercepted. {BETWEEN} Log in with a browser."
    assert all(len(line) <= NARROW_CELLS for line in before_first(health))


def test_a_clock_that_is_off_is_said_beside_every_state() -> None:
    live = Health(Connection.LIVE, heard_at=NOW, clock_offset=7_200.0)
    for line in (words(live, VIEW), short_words(live, VIEW), shortest_words(live, VIEW)):
        assert plain(line) == "● live · clock 2 h behind"
        assert line[1].role is Role.WARN
    assert sentence(live, VIEW) == "live, this machine's clock is 2 h behind"
    offline = Health(Connection.OFFLINE, fresh_at=FRESH, clock_offset=-120.0)
    assert said(offline).startswith("○ offline · clock 2 min ahead · data as of 14:20")
    assert "clock" not in said(live._replace(clock_offset=60.0))
    assert "clock" not in said(live, NOW + SILENT_AFTER_SECONDS + 1), "nobody compares it any more"


def test_a_bad_state_has_its_colour_and_its_words() -> None:
    for state in BAD:
        first, *_ = words(Health(state), VIEW)
        assert first.role in (Role.BAD, Role.WARN)
        assert len(first.text.text.split()) >= 2


@given(st.floats(NOW, NOW + 1e7), st.none() | st.floats(NOW - 1e6, NOW), st.none() | st.floats(NOW, NOW + 60))
def test_nothing_changes_with_time_while_live(now: float, fresh_at: float | None, retry_at: float | None) -> None:
    """So that an idle screen sends no byte."""
    live = words(Health(Connection.LIVE, fresh_at=fresh_at, retry_at=retry_at), VIEW._replace(now=now))
    assert live == words(Health(Connection.LIVE), VIEW) == [Span(live[0].text, Role.GOOD)]


@pytest.mark.parametrize("state", BAD)
def test_what_is_said_of_a_bad_state_counts_no_seconds(state: Connection) -> None:
    health = Health(state, fresh_at=FRESH, retry_at=RETRY)
    assert len({said(health, NOW + seconds) for seconds in range(20)}) == 1


@pytest.mark.parametrize(
    ("max_age", "age"),
    [(10.0, "10 s"), (45.0, "45 s"), (60.0, "1 min"), (1800.0, "30 min"), (7200.0, "2 h"), (86400.0, "24 h")],
)
def test_late_data_has_its_age_and_is_not_called_live(max_age: float, age: str) -> None:
    health = Health(Connection.DELAYED, fresh_at=FRESH, late=(LateRead("campaign", "", max_age),))
    assert said(health) == f"○ delayed · data up to {age} old"
    assert said_shortly(health) == plain(shortest_words(health, VIEW)) == f"○ delayed · data up to {age} old"
    assert sentence(health, VIEW) == f"delayed, data up to {age} old"
    assert before_first(health) == before_first(Health(Connection.LIVE))
    assert len({said(health, NOW + seconds) for seconds in range(20)}) == 1


def test_data_over_a_day_old_has_no_number_and_data_never_loaded_has_words() -> None:
    old = Health(Connection.DELAYED, late=(LateRead("workflows", "", float("inf")),))
    assert said(old) == "○ delayed · data over a day old"
    loading = Health(Connection.LOADING, fresh_at=FRESH)
    assert said(loading) == "○ loading · not everything is up to date"
    assert sentence(loading, VIEW) == "loading, not everything is up to date"


def test_a_retry_that_is_long_past_is_not_said() -> None:
    assert "retries" not in said(Health(Connection.OFFLINE, retry_at=NOW - PAST_SECONDS - 1))


@pytest.mark.parametrize(
    ("state", "to_do"),
    [
        (Connection.REFUSED, "sign in with ctrl+t"),
        (Connection.PAUSED, "press P to resume"),
    ],
)
def test_what_a_person_can_do_is_said_in_many_words_and_in_few(state: Connection, to_do: str) -> None:
    for text in (said(Health(state, fresh_at=FRESH)), said_shortly(Health(state, fresh_at=FRESH))):
        assert to_do in text


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (apsw.FullError(), "○ can't save (disk full) · free up space"),
        (apsw.ReadOnlyError(), "○ can't save (read-only) · make it writable"),
        (apsw.BusyError(), "○ can't save (locked) · close what uses it"),
        (apsw.LockedError(), "○ can't save (locked) · close what uses it"),
        (apsw.PermissionsError(), "○ can't save (denied) · run frontdesk doctor"),
        (apsw.CantOpenError(), "○ can't save (missing) · run frontdesk doctor"),
        (apsw.IOError(), "○ can't save (disk error) · check the disk"),
        (apsw.MisuseError("odd"), "○ can't save (error) · run frontdesk doctor"),
    ],
)
def test_each_cause_that_keeps_the_store_from_being_written_has_its_own_remedy(
    error: apsw.Error, status: str
) -> None:
    reason = str(unusable(error, Path("/home/noa/store")))
    health = Health(Connection.STUCK, reason=reason)
    assert said(health) == status
    assert sentence(health, VIEW) == f"can't save, {reason}"
    assert ("disk is full" in sentence(health, VIEW)) is isinstance(error, apsw.FullError)


@pytest.mark.parametrize("state", Connection)
def test_the_short_words_leave_room_at_80_columns_and_still_tell_the_states_apart(state: Connection) -> None:
    health = Health(state, fresh_at=NOW - 90_000, retry_at=RETRY, late=LATE)
    assert width_of(shortest_words(health, VIEW)) <= 46
    assert width_of(short_words(health, VIEW)) <= 70
    for fewer in (short_words, shortest_words):
        assert len({tuple(fewer(health._replace(state=each), VIEW)) for each in Connection}) == len(Connection)


def test_what_was_read_on_another_day_says_the_day() -> None:
    assert "data as of Tue 14:30" in said(Health(Connection.OFFLINE, fresh_at=NOW - 86_400))


@pytest.mark.parametrize("state", [each for each in Connection if each is not Connection.STOPPED])
def test_an_engine_that_is_not_heard_for_long_is_not_called_live(state: Connection) -> None:
    health = Health(state, fresh_at=FRESH, retry_at=RETRY, heard_at=NOW - SILENT_AFTER_SECONDS - 1)
    assert said(health) == "○ not updating · restart every open frontdesk · data as of 14:20"
    heard = health._replace(heard_at=NOW - SILENT_AFTER_SECONDS + 1)
    if state is not Connection.SILENT:
        assert "not updating" not in said(heard)


@pytest.mark.parametrize("team", [TeamState(Duty.LEADS), TeamState(Duty.FOLLOWS, "dan@office", age=3.0)])
def test_an_engine_that_is_not_heard_for_a_lease_takes_part_in_no_team(team: TeamState) -> None:
    def shown(seconds: float, state: Connection = Connection.LIVE) -> str:
        return said(Health(state, fresh_at=FRESH, heard_at=NOW - seconds, team=team))

    heard = "for the team" if team.duty is Duty.LEADS else "by dan@office · 3 s"
    assert shown(LEASE_SECONDS) == f"● live · {heard}"
    assert shown(LEASE_SECONDS + 1) == "○ connecting · data as of 14:20 · joining the team"
    assert shown(LEASE_SECONDS + 1, Connection.OFFLINE).startswith("○ offline")
    assert shown(SILENT_AFTER_SECONDS + 1) == "○ not updating · restart every open frontdesk · data as of 14:20"
    assert heard not in shown(0, Connection.STOPPED)


def test_an_own_engine_that_is_not_heard_is_busy_until_it_has_had_time_enough() -> None:
    own = VIEW._replace(engine_process=7)
    for seconds, state in (
        (SILENT_AFTER_SECONDS, Connection.LIVE),
        (SILENT_AFTER_SECONDS + 1, Connection.BUSY),
        (MAX_BUSY_SECONDS, Connection.BUSY),
        (MAX_BUSY_SECONDS + 1, Connection.SILENT),
    ):
        health = Health(Connection.LIVE, fresh_at=FRESH, heard_at=NOW - seconds, process=7)
        assert current_health(health, own).state is state, seconds
    busy = Health(Connection.LIVE, fresh_at=FRESH, heard_at=NOW - 60, process=7)
    assert plain(words(busy, own)) == "○ busy · data as of 14:20"
    assert plain(shortest_words(busy, own)) == "○ busy · data as of 14:20"
    assert sentence(busy, own) == "busy"
    replaced = own._replace(engine_process=0, is_engine_replaced=True)
    hung = busy._replace(heard_at=NOW - MAX_BUSY_SECONDS - 1)
    assert plain(words(hung, replaced)) == "○ polling stopped · data as of 14:20"
    assert sentence(hung, replaced) == "polling stopped"
    assert current_health(busy._replace(heard_at=NOW), replaced).state is Connection.LIVE
    # Another's engine, and one of this process that waits for its turn: the one that polls may be gone.
    for other in (own._replace(engine_process=8), VIEW):
        assert current_health(busy, other).state is Connection.SILENT
    assert current_health(busy._replace(process=0), VIEW).state is Connection.SILENT


def test_a_beat_of_the_future_is_one_of_a_clock_that_was_set_back() -> None:
    assert current_health(Health(Connection.LIVE, heard_at=NOW + 3600), VIEW).state is Connection.SILENT


def test_an_engine_that_has_said_it_ended_is_not_waited_for() -> None:
    assert said(Health(Connection.STOPPED, heard_at=NOW - 3600)) == "○ polling stopped"


@given(st.sampled_from(sorted(Connection)), st.floats(0, SILENT_AFTER_SECONDS))
def test_between_two_beats_no_word_changes(state: Connection, later: float) -> None:
    """So that an idle screen sends no byte in whatever state."""
    health = Health(state, fresh_at=FRESH, retry_at=RETRY, heard_at=NOW)
    assert said(health, NOW + later) == said(health)
    assert said_shortly(health, NOW + later) == said_shortly(health)


def test_who_asked_for_a_long_wait_and_until_when_is_said_and_that_a_person_may_try_before() -> None:
    health = Health(Connection.ASKED_TO_WAIT, "api.example.com", NOW - 5, FRESH, NOW + 900)
    assert said(health) == (
        "○ asked to wait (api.example.com) · press R to retry · data as of 14:20 · retries at 14:45:00"
    )
    assert plain(shortest_words(health, VIEW)) == "○ asked to wait · press R to retry"
    assert sentence(health, VIEW) == "asked to wait, api.example.com, retries at 14:45:00"
    named = health._replace(reason="evil\x1b[2Jhost", retry_at=None)
    assert said(named).startswith("○ asked to wait (evil␛[2Jhost) · press R to retry")


def test_a_row_of_restarts_is_said_with_the_time_of_the_next() -> None:
    health = Health(Connection.STOPPED, "too much memory", NOW, NOW - 600, NOW + 20, heard_at=NOW)
    assert said(health) == "○ polling stopped (too much memory) · data as of 14:20 · retries at 14:30:20"
    assert sentence(health, VIEW) == "polling stopped, too much memory, retries at 14:30:20"
    assert before_first(health) == ("Nothing loaded yet:", "polling stopped.", "too much memory")
    assert "not updating" not in said(health, NOW + 300), "it has said that it ended"


def test_a_time_that_no_calendar_has_is_soon() -> None:
    assert "retries soon" in said(Health(Connection.OFFLINE, retry_at=1e20))


def test_ascii_terminals_get_ascii() -> None:
    for state in Connection:
        health = Health(state, fresh_at=FRESH, retry_at=RETRY)
        assert "".join(part.text.text for part in words(health, PLAIN_VIEW)).isascii()


def test_before_anything_was_read_loading_is_not_the_same_as_failing() -> None:
    loading = before_first(Health(Connection.STARTING))
    assert loading[0] == "Connecting."
    found = [before_first(Health(state, "the reason\x1b[c")) for state in BAD]
    assert len({lines[1] for lines in found}) == 4
    assert all(len(line) <= NARROW_CELLS for lines in found for line in lines)
    for lines in found:
        assert lines[0].startswith("Nothing loaded yet")
        assert lines[2] == "the reason␛[c"


def test_keys_are_those_that_the_person_chose_and_none_where_there_are_none() -> None:
    chosen = VIEW._replace(keys={"sync.pause": "f6", "view.refresh_all": "f5"})
    paused = Health(Connection.PAUSED)
    assert plain(words(paused, chosen)).endswith("press f6 to resume")
    assert before_first(paused, chosen)[-1] == "Press f6 to resume."
    assert before_first(Health(Connection.OFFLINE), chosen)[-1] == "Press f5 to retry."
    assert before_first_in_few_words(Health(Connection.OFFLINE), chosen)[-1] == "press f5 to retry"
    assert plain(shortest_words(Health(Connection.ASKED_TO_WAIT), chosen)).endswith("press f5 to retry")
    assert before_first(paused) == ("Nothing loaded yet:", "paused.")
    assert sentence(paused, VIEW) == "paused"


def test_a_long_reason_is_wrapped_and_bounded() -> None:
    lines = before_first(Health(Connection.FAILING, "word " * 500))
    assert len(lines) <= 5
    assert all(len(line) <= 60 for line in lines)


def test_an_answer_that_is_owed_is_said_with_its_moment_so_that_no_second_is_counted() -> None:
    waits = Health(Connection.WAITING, since=NOW - 12, fresh_at=FRESH)
    assert said(waits) == "○ no response yet · since 14:29:48 · data as of 14:20"
    assert len({said(waits, NOW + seconds) for seconds in range(15)}) == 1
    assert before_first(waits)[1] == "no response yet."


def test_a_platform_error_is_said_with_what_failed_as_far_as_there_is_room() -> None:
    reason = "list tasks: the response from tasks.example.com is larger than 4 MiB, although it had one item; wait"
    health = Health(Connection.FAILING, reason)
    forms = (words, short_words, shortest_words)
    whole, short, shortest = ("".join(part.text.text for part in form(health, VIEW)) for form in forms)
    assert "platform error (list tasks: the response from tasks.example.com is larger than 4 MiB)" in whole
    assert short.endswith("platform error (list tasks)")
    assert shortest.endswith("platform error")
    nothing, much = (words(health._replace(reason=reason), VIEW) for reason in ("", "word " * 500))
    assert "(" not in "".join(part.text.text for part in nothing)
    assert len("".join(part.text.text for part in much)) < 200
