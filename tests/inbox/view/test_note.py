"""A note drawn in its thread: exactly as wide as it should be, whatever it says, and never taken for a message."""

import unicodedata
from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk.config.render_context import Catalogue, RenderContext
from frontdesk.config.settings import Profile
from frontdesk.inbox.store.notes import TeamNote
from frontdesk.inbox.store.notifications import Notification
from frontdesk.inbox.tui.notifier import announcement
from frontdesk.inbox.view.note import full_note_lines, note_lines
from frontdesk.inbox.view.thread import DayEntry, NoteEntry, ThreadContext, entries
from frontdesk.storage.records import ChangeState
from frontdesk_api.contract.ids import AgentId, ConversationId
from frontdesk_api.hosts import Hosts
from frontdesk_lines.glyphs import glyphs
from frontdesk_lines.lines import Role, width_of

NOW = 1_700_000_000.0


def is_clean(text: str) -> bool:
    return all(unicodedata.category(letter) not in ("Cc", "Cs") for letter in text)


HERE, ME, DAN = ConversationId("L1#C1"), AgentId("agent-noa"), AgentId("agent-dan")
PROFILE = Profile("test", Hosts(*["http://x"] * 5), agent_id=ME, agents={ME: "Noa", DAN: "Dan"})
VIEW = RenderContext(Catalogue(PROFILE), glyphs(False), NOW, UTC)
NOTE = TeamNote("n1", HERE, NOW - 60, DAN, "he pays on Friday")


def drawn(note: TeamNote, width: int = 80) -> list[str]:
    return ["".join(part.text.text for part in line) for line in note_lines(note, width, VIEW)]


def test_it_names_its_author_and_its_colour_is_its_own() -> None:
    assert "note · Dan" in drawn(NOTE)[0]
    assert any(part.role is Role.NOTE for part in note_lines(NOTE, 80, VIEW)[0])
    assert "note · you" in drawn(NOTE._replace(author=ME))[0]
    assert "note · a colleague" in drawn(NOTE._replace(author=AgentId("")))[0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"mentions": (ME,)}, "@you"),
        ({"hand_over_to": ME}, "handed over · Dan to you"),
        ({"hand_over_to": ME}, "not accepted yet"),
        ({"hand_over_to": ME, "taken_up_at": NOW - 30, "taken_up_by": ME}, "accepted by you 22:12"),
        ({"state": ChangeState.QUEUED}, "not shared yet"),
        ({"state": ChangeState.REFUSED, "reason": "no rights"}, "rejected: no rights"),
    ],
)
def test_its_state_is_said_in_words(change: dict[str, object], words: str) -> None:
    assert words in "\n".join(drawn(NOTE._replace(**change)))  # type: ignore[arg-type]


@few
@given(
    st.text(max_size=200),
    st.text(max_size=20),
    st.text(max_size=60),
    st.integers(4, 140),
    st.sampled_from([ChangeState.CONFIRMED, ChangeState.QUEUED, ChangeState.REFUSED]),
)
def test_whatever_it_says_its_lines_are_clean_and_as_wide_as_they_should_be(
    text: str, author: str, reason: str, width: int, state: ChangeState
) -> None:
    note = NOTE._replace(
        text=text, author=AgentId(author), reason=reason, state=state, mentions=(AgentId(author),)
    )
    for line in note_lines(note, width, VIEW):
        assert width_of(line) == width
        assert all(is_clean(part.text.text) for part in line)
    assert all(is_clean(line.text) for line in full_note_lines(note, VIEW))


def test_notes_alone_make_a_thread_with_their_days() -> None:
    later = NOTE._replace(note_id="n2", at=NOW - 90_000)
    found = entries([], ThreadContext(notes=[later, NOTE]), VIEW)
    assert [type(each) for each in found] == [DayEntry, NoteEntry, DayEntry, NoteEntry]


def test_a_mention_is_announced_with_what_it_does() -> None:
    news = Notification("note n1", HERE, NOW, True, (ME,), "Ruth", "he pays", "a note mentions you")
    heading, body = announcement([news])
    assert (heading.text, body.text) == ("Ruth", "a note mentions you: he pays")
