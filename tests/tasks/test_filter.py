"""A filter of tasks as it is typed."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.tasks.filter import FilterNames, last_term, parse, written
from frontdesk.tasks.filter_query import NOBODY, Scope, TaskField, TaskFilter, TaskTerm

NAMES = FilterNames(
    {"9725": "Support", "9726": "Support night", "L3": "Sales"},
    {"a1": "me", "a2": "Noa Bar", "a3": "Noam", "a4": "Omar", NOBODY: "nobody"},
)


@pytest.mark.parametrize(
    ("typed", "terms"),
    [
        ("", ()),
        ("late order", (TaskTerm(TaskField.WORDS, "late"), TaskTerm(TaskField.WORDS, "order"))),
        ('"late order"', (TaskTerm(TaskField.WORDS, "late order"),)),
        ("line:sales", (TaskTerm(TaskField.LINE, "L3"),)),
        ("line:support", (TaskTerm(TaskField.LINE, "9725"),)),
        ("LINE:night", (TaskTerm(TaskField.LINE, "9726"),)),
        ("line:97", (TaskTerm(TaskField.LINE, "97"),)),
        ("agent:me -agent:omar", (TaskTerm(TaskField.AGENT, "a1"), TaskTerm(TaskField.AGENT, "a4", is_not=True))),
        ('agent:"noa b"', (TaskTerm(TaskField.AGENT, "a2"),)),
        ("agent:nobody", (TaskTerm(TaskField.AGENT, NOBODY),)),
        (
            "conversation:L3#C9 -refund",
            (TaskTerm(TaskField.CONVERSATION, "L3#C9"), TaskTerm(TaskField.WORDS, "refund", True)),
        ),
        ("!late !line:sales", (TaskTerm(TaskField.WORDS, "late", True), TaskTerm(TaskField.LINE, "L3", True))),
        ("line: -", ()),
        (
            "is:mine -is:unassigned",
            (TaskTerm(TaskField.AGENT, "a1"), TaskTerm(TaskField.AGENT, NOBODY, is_not=True)),
        ),
        ("!IS:Overdue", (TaskTerm(TaskField.OVERDUE, "overdue", is_not=True),)),
        (
            'http://x "tag:vip" 10:30',
            tuple(TaskTerm(TaskField.WORDS, each) for each in ("http://x", "tag:vip", "10:30")),
        ),
    ],
)
def test_what_is_typed(typed: str, terms: tuple[TaskTerm, ...]) -> None:
    assert parse(typed, NAMES).terms == terms


@pytest.mark.parametrize(
    ("typed", "fault"),
    [
        ("tag:vip", "tag: is not one of is:, line:, agent:, conversation: and text with a colon goes in quotes"),
        ("-waiting:1h", "waiting: is not one of"),
        ("is:unread", "is:unread is not one of mine, unassigned, overdue"),
        (" ".join(map(str, range(2_000))), "only the first 60 terms are looked at"),
    ],
)
def test_what_can_not_be_asked_for_is_said_and_left_out(typed: str, fault: str) -> None:
    found = parse(f"{typed} late", NAMES)
    assert found.faults[0].startswith(fault)
    assert len(found.terms) in (1, 60)


def test_without_an_agent_id_nothing_is_mine() -> None:
    assert parse("is:mine", FilterNames({}, {})).faults == ("is:mine is off until agent_id is set",)


def test_the_platform_is_asked_for_what_it_knows_and_never_for_what_is_turned_round() -> None:
    typed = 'agent:noam -line:sales line:support agent:me conversation:"L3#C 9" late'
    assert parse(typed, NAMES).scope == Scope("9725", "a3", "L3#C 9")
    assert parse("-agent:me agent:nobody late", NAMES).scope.key == ""


@given(st.text(st.sampled_from(string.ascii_letters[:6] + ' -!":אé#'), max_size=40) | st.text(max_size=40))
def test_anything_can_be_typed_and_what_is_written_of_it_reads_the_same(typed: str) -> None:
    found = parse(typed, NAMES)
    assert parse(written(found, NAMES), NAMES) == found


_VALUES = st.text(min_size=1, max_size=12).map(lambda text: " ".join(text.split())).filter(bool)


_TERMS = st.builds(
    TaskTerm, st.sampled_from(sorted(set(TaskField) - {TaskField.OVERDUE})), _VALUES, st.booleans()
) | st.builds(TaskTerm, st.just(TaskField.OVERDUE), st.just("overdue"), st.booleans())


@given(st.lists(_TERMS, unique=True, max_size=4))
def test_every_filter_can_be_written(terms: list[TaskTerm]) -> None:
    none = FilterNames({}, {})
    wanted = TaskFilter(tuple(terms))
    assert parse(written(wanted, none), none) == wanted
    assert Scope.of_key(wanted.scope.key) == wanted.scope


@pytest.mark.parametrize(
    ("typed", "last"),
    [
        ("", ("", "", "", "")),
        ("late ", ("late ", "", "", "")),
        ("late -agent:no", ("late ", "-", "agent", "no")),
        ('line:"a b', ("", "", "line", "a b")),
        ("line:", ("", "", "line", "")),
    ],
)
def test_the_term_at_the_end_is_what_is_being_typed(typed: str, last: tuple[str, str, str, str]) -> None:
    assert last_term(typed) == last
