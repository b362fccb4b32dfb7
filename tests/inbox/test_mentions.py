"""Mentions in a note's text: whom it means, and whom a begun one may mean."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk.inbox.changes import mentioned_in, suggestions, typed_mention
from frontdesk_api.contract.ids import AgentId

DAN, DANA, NOA = AgentId("agent-dan"), AgentId("agent-dana"), AgentId("agent-noa")
PEOPLE = {DAN: "Dan", DANA: "Dana Levi", NOA: "נועה"}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("@Dan look", (DAN,)),
        ("@dana levi, and @DAN", (DANA, DAN)),
        ("@Dana", ()),
        ("@agent-dana", (DANA,)),
        ("(@נועה)", (NOA,)),
        ("@Dan @Dan", (DAN,)),
        ("mail dan@Dan.example", ()),
        ("@Daniel @ Dan", ()),
        ("", ()),
    ],
)
def test_a_mention_is_a_whole_name_or_id_behind_its_sign(text: str, wanted: tuple[AgentId, ...]) -> None:
    assert mentioned_in(text, PEOPLE) == wanted


@pytest.mark.parametrize(
    ("before", "typed"),
    [("ask @da", "da"), ("@", ""), ("(@x", "x"), ("ask", None), ("a@b", None), ("@dan ", None), ("@a@b", None)],
)
def test_a_begun_mention_ends_with_its_word(before: str, typed: str | None) -> None:
    assert typed_mention(before) == typed


def test_suggestions_match_names_and_ids() -> None:
    assert list(suggestions("", PEOPLE)) == [DAN, DANA, NOA]
    assert list(suggestions("lev", PEOPLE)) == [DANA]
    assert list(suggestions("agent-noa", PEOPLE)) == [NOA]


@few
@given(st.text(max_size=40), st.dictionaries(st.text(max_size=4).map(AgentId), st.text(max_size=8), max_size=4))
def test_any_text_and_names_mention_only_who_is_known(text: str, people: dict[AgentId, str]) -> None:
    assert set(mentioned_in(text, people)) <= set(people)
    for before in (text, f"{text} @{text}"):
        typed = typed_mention(before)
        assert typed is None or set(suggestions(typed, people)) <= set(people)
