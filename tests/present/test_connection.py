"""How it stands with the platform: four bad states told apart, and stillness while live (design.md, 6)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.present.connection import before_first, words
from frontdesk.present.glyphs import ASCII, UNICODE
from frontdesk.present.lines import Role, Span
from frontdesk.store.records import Connection, Health
from present.records import NOW, ZONE

BAD = (Connection.OFFLINE, Connection.REFUSED, Connection.THROTTLED, Connection.FAILING)
FRESH, RETRY = NOW - 600, NOW + 20


def said(health: Health, now: float = NOW) -> str:
    return "".join(part.text.text for part in words(health, now, ZONE, UNICODE))


def test_every_state_has_words_of_its_own() -> None:
    assert len({said(Health(state)) for state in Connection}) == len(Connection)


def test_the_four_bad_states_are_told_apart_and_say_what_is_shown_and_when_it_goes_on() -> None:
    found = [said(Health(state, fresh_at=FRESH, retry_at=RETRY)) for state in BAD]
    assert len(set(found)) == 4
    for each in found:
        assert "shown as of 14:20" in each
        assert "tries again at 14:30:20" in each
        assert "live" not in each


def test_a_bad_state_has_its_colour_and_its_words() -> None:
    for state in BAD:
        first, *_ = words(Health(state), NOW, ZONE, UNICODE)
        assert first.role in (Role.BAD, Role.WARN)
        assert len(first.text.text.split()) >= 2


@given(st.floats(NOW, NOW + 1e7), st.none() | st.floats(NOW - 1e6, NOW), st.none() | st.floats(NOW, NOW + 60))
def test_nothing_changes_with_time_while_live(now: float, fresh_at: float | None, retry_at: float | None) -> None:
    """So that an idle screen sends no byte."""
    live = words(Health(Connection.LIVE, fresh_at=fresh_at, retry_at=retry_at), now, ZONE, UNICODE)
    assert live == words(Health(Connection.LIVE), NOW, ZONE, UNICODE) == [Span(live[0].text, Role.GOOD)]


@pytest.mark.parametrize("state", BAD)
def test_what_is_said_of_a_bad_state_counts_no_seconds(state: Connection) -> None:
    health = Health(state, fresh_at=FRESH, retry_at=RETRY)
    assert len({said(health, NOW + seconds) for seconds in range(20)}) == 1


def test_a_retry_that_is_past_is_not_said() -> None:
    assert "tries again" not in said(Health(Connection.OFFLINE, retry_at=NOW - 1))


def test_a_time_that_no_calendar_has_is_soon() -> None:
    assert "tries again soon" in said(Health(Connection.OFFLINE, retry_at=1e20))


def test_ascii_terminals_get_ascii() -> None:
    for state in Connection:
        health = Health(state, fresh_at=FRESH, retry_at=RETRY)
        assert "".join(part.text.text for part in words(health, NOW, ZONE, ASCII)).isascii()


def test_before_anything_was_read_loading_is_not_the_same_as_failing() -> None:
    loading = before_first(Health(Connection.STARTING))
    assert loading[0] == "Connecting."
    found = [before_first(Health(state, "the reason\x1b[c")) for state in BAD]
    assert len({lines[0] for lines in found}) == 4
    for lines in found:
        assert lines[0].startswith("Nothing could be read yet")
        assert lines[1] == "the reason␛[c"


def test_a_long_reason_is_wrapped_and_bounded() -> None:
    lines = before_first(Health(Connection.FAILING, "word " * 500))
    assert len(lines) <= 5
    assert all(len(line) <= 60 for line in lines)
