"""A filter of tasks as it is typed, and the tasks that match it."""

import string
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk.storage import change_feed, full_text, record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import Event
from frontdesk.tasks import store as task_store
from frontdesk.tasks import task_filter
from frontdesk.tasks.task_filter import (
    NOBODY,
    FilterNames,
    FilterProgress,
    Scope,
    TaskFilter,
    TaskTerm,
    TermField,
    format_filter,
    last_term,
    parse,
)
from frontdesk.text.normalize import normalize, split_words
from frontdesk_api.contract.ids import TaskId
from sample_json import raw_task
from services import Services

LINES, AGENTS = ("L1", "L2"), ("noa", 'om"ar')
NOW = 6.0
SAID = ("Late order", "refund בעברית", "order 10234", "café")
STATUSES = ("open", "completed", "")
_TASKS = st.lists(
    st.fixed_dictionaries(
        {
            "phoneNumberId": st.sampled_from((*LINES, None)),
            "participantsIdentifiers": st.sampled_from(("L1#C1", "L2#C2", None)),
            "assignedAgentIds": st.lists(st.sampled_from(AGENTS), unique=True),
            "title": st.sampled_from(SAID),
            "body": st.sampled_from(SAID),
            "statusCase": st.sampled_from(STATUSES),
            "dueDate": st.sampled_from((0, 5, 9)),
            "updatedAt": st.sampled_from((None, 1, 2)),
        }
    ),
    max_size=12,
)
_TERMS = st.lists(
    st.one_of(
        st.builds(TaskTerm, st.just(TermField.LINE), st.sampled_from((*LINES, "L9")), st.booleans()),
        st.builds(TaskTerm, st.just(TermField.AGENT), st.sampled_from((*AGENTS, "", "om")), st.booleans()),
        st.builds(TaskTerm, st.just(TermField.CONVERSATION), st.sampled_from(("L1#C1", "L2#C2")), st.booleans()),
        st.builds(
            TaskTerm, st.just(TermField.WORDS), st.sampled_from(("late", "ord", "עברית", "cafe", "10234 ord", "e"))
        ),
        st.builds(TaskTerm, st.just(TermField.OVERDUE), st.just("overdue"), st.booleans()),
        st.builds(TaskTerm, st.just(TermField.UNASSIGNED), st.just("unassigned"), st.booleans()),
    ),
    max_size=3,
)


@pytest.fixture(scope="module")
def store_of_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store(tmp_path_factory.mktemp("filtering") / "profile") as opened:
        yield opened


def lets_through(task: dict[str, Any], term: TaskTerm) -> bool:
    match term.field:
        case TermField.LINE:
            is_so = task["phoneNumberId"] == term.value
        case TermField.CONVERSATION:
            is_so = task["participantsIdentifiers"] == term.value
        case TermField.AGENT:
            on = task["assignedAgentIds"]
            is_so = term.value in on if term.value else not on
        case TermField.OVERDUE:
            is_so = task["statusCase"] != "completed" and 0 < task["dueDate"] <= NOW
        case TermField.UNASSIGNED:
            is_so = task["statusCase"] != "completed" and not task["assignedAgentIds"]
        case TermField.WORDS:
            said = normalize(f"{task['title']}\n{task['body']}\n{task['customer']['customerName']}").split()
            is_so = all(
                any(word.startswith(each) if len(each) > 1 else word == each for word in said)
                for each in normalize(term.value).split()
            )
    return is_so is not term.is_not


@few
@given(_TASKS, _TERMS, st.integers(0, 12))
def test_a_filter_lets_through_what_the_model_does_in_the_boards_order(
    store_of_all: Store, fields: list[dict[str, Any]], terms: list[TaskTerm], indexed: int
) -> None:
    raws = [raw_task(number, **each) for number, each in enumerate(fields)]

    def put(db: Any) -> None:
        for row in db.execute("SELECT task_id FROM tasks").fetchall():
            task_store.remove(db, TaskId(row[0]))
        task_store.put(db, raws)
        full_text.index_batch(db, indexed)

    store_of_all.write(put).result()
    found = task_filter.matching(store_of_all.reading, TaskFilter(tuple(terms)), NOW)
    wanted = {raw["taskId"] for raw in raws if all(lets_through(raw, term) for term in terms)}
    assert {each for column in found.values() for each in column} == wanted
    for status, column in found.items():
        assert column == [
            each for each in task_store.ids_of_status(store_of_all.reading, status) if each in wanted
        ]
        records = [
            record for each in column if (record := record_lookup.task(store_of_all.reading, each)) is not None
        ]
        assert column == [
            each.task_id for each in sorted(records, key=lambda r: task_store.board_sort_key(r, status))
        ]


def test_what_a_person_changed_counts_before_the_platform_knows(store: Store, services: Services) -> None:
    store.write(lambda db: task_store.put(db, [raw_task(1, title="Late")])).result()
    services.tasks.edit(TaskId("t1"), {"title": "Refund"}, {"title": "Late"}).result()
    for words, count in (("refund", 1), ("late", 0)):
        found = task_filter.matching(services.store.reading, TaskFilter((TaskTerm(TermField.WORDS, words),)), NOW)
        assert sum(map(len, found.values())) == count


def test_how_far_the_platform_was_asked_is_told_and_forgotten_in_time(store: Store, services: Services) -> None:
    scope, other = Scope("L1"), Scope(agent_id="noa")
    assert task_filter.progress_of(services.store.reading, scope) is None
    before = change_feed.position(store.reading)
    store.write(lambda db: task_filter.put_progress(db, scope, FilterProgress(problem="no"), 1.0)).result()
    assert task_filter.progress_of(services.store.reading, scope) == FilterProgress(problem="no")
    assert change_feed.since(store.reading, before)[1] == {Event(change_feed.FILTER, scope.key)}
    store.write(lambda db: task_filter.put_progress(db, other, FilterProgress(complete=True), 1e9)).result()
    assert task_filter.progress_of(services.store.reading, scope) is None
    assert task_filter.progress_of(services.store.reading, other) == FilterProgress(complete=True)


NAMES = FilterNames(
    {"9725": "Support", "9726": "Support night", "L3": "Sales"},
    {"a1": "me", "a2": "Noa Bar", "a3": "Noam", "a4": "Omar", NOBODY: "nobody"},
)


@pytest.mark.parametrize(
    ("typed", "terms"),
    [
        ("", ()),
        ("late order", (TaskTerm(TermField.WORDS, "late"), TaskTerm(TermField.WORDS, "order"))),
        ('"late order"', (TaskTerm(TermField.WORDS, "late order"),)),
        ("line:sales", (TaskTerm(TermField.LINE, "L3"),)),
        ("line:support", (TaskTerm(TermField.LINE, "9725"),)),
        ("LINE:night", (TaskTerm(TermField.LINE, "9726"),)),
        ("line:97", (TaskTerm(TermField.LINE, "97"),)),
        ("agent:me -agent:omar", (TaskTerm(TermField.AGENT, "a1"), TaskTerm(TermField.AGENT, "a4", is_not=True))),
        ('agent:"noa b"', (TaskTerm(TermField.AGENT, "a2"),)),
        ("agent:nobody", (TaskTerm(TermField.AGENT, NOBODY),)),
        (
            "conversation:L3#C9 -refund",
            (TaskTerm(TermField.CONVERSATION, "L3#C9"), TaskTerm(TermField.WORDS, "refund", True)),
        ),
        ("!late !line:sales", (TaskTerm(TermField.WORDS, "late", True), TaskTerm(TermField.LINE, "L3", True))),
        (
            "dana - levi",
            (TaskTerm(TermField.WORDS, "dana"), TaskTerm(TermField.WORDS, "levi")),
        ),
        (
            "is:mine -is:unassigned",
            (TaskTerm(TermField.AGENT, "a1"), TaskTerm(TermField.UNASSIGNED, "unassigned", is_not=True)),
        ),
        ("!IS:Overdue", (TaskTerm(TermField.OVERDUE, "overdue", is_not=True),)),
        (
            'http://x "tag:vip" 10:30',
            tuple(TaskTerm(TermField.WORDS, each) for each in ("http://x", "tag:vip", "10:30")),
        ),
    ],
)
def test_what_is_typed(typed: str, terms: tuple[TaskTerm, ...]) -> None:
    assert parse(typed, NAMES).terms == terms


@pytest.mark.parametrize(
    ("typed", "fault"),
    [
        ("tag:vip", "tag: isn't one of is:, line:, agent:, conversation:; quote text with colons"),
        ("-waiting:1h", "waiting: isn't one of"),
        ("is:unread", "is:unread isn't one of mine, unassigned, overdue"),
        ("line:", "line: needs a name or an id"),
        ("line:suport", "line:suport: no line has that name; did you mean Support or Support night?"),
        (
            "-line:brazil",
            "line:brazil: no line has that name; choose from Support, Support night and Sales",
        ),
        ("agent:noaa", "agent:noaa: no agent has that name; did you mean Noa Bar or Noam?"),
        ("agent:no", "agent:no could be Noa Bar or Noam"),
        ("due<1h", "due<1h: the board has is:overdue"),
        ("~lta", "~lta: the board has no similar words"),
        ("!", "!: type letters or digits"),
        ('""', '"": type letters or digits'),
        (" ".join(map(str, range(2_000))), "only the first 60 terms are used"),
    ],
)
def test_what_can_not_be_asked_for_is_said_and_left_out(typed: str, fault: str) -> None:
    found = parse(f"{typed} late", NAMES)
    assert found.faults[0].startswith(fault)
    assert len(found.terms) in (1, 60)


@pytest.mark.parametrize("value", ["97", "line-new", "a_7", "L9"])
def test_what_looks_like_an_id_is_one_though_it_is_not_known(value: str) -> None:
    assert parse(f"line:{value}", NAMES) == TaskFilter((TaskTerm(TermField.LINE, value),))
    assert not parse(f"line:{value}", NAMES).faults
    assert not parse("line:anything", FilterNames({}, {})).faults, "while no line is known, nothing tells"


def test_without_an_agent_id_nothing_is_mine() -> None:
    assert parse("is:mine", FilterNames({}, {})).faults == ("is:mine needs agent_id in the profile",)


def test_the_platform_is_asked_for_what_it_knows_and_never_for_what_is_turned_round() -> None:
    typed = 'agent:noam -line:sales line:support agent:me conversation:"L3#C 9" late'
    assert parse(typed, NAMES).scope == Scope("9725", "a3", "L3#C 9")
    assert parse("-agent:me agent:nobody late", NAMES).scope.key == ""


@few
@given(st.text(st.sampled_from(string.ascii_letters[:6] + ' -!":אé#'), max_size=40) | st.text(max_size=40))
def test_anything_can_be_typed_and_what_is_written_of_it_reads_the_same(typed: str) -> None:
    found = parse(typed, NAMES)
    assert parse(format_filter(found, NAMES), NAMES) == found


@few
@given(st.text(st.sampled_from('!-~:<>isagenld1"é…&'), min_size=1, max_size=12))
def test_each_term_is_understood_or_refused(word: str) -> None:
    found = parse(word, NAMES)
    assert found.terms or found.faults


_VALUES = st.text(min_size=1, max_size=12).map(lambda text: " ".join(text.split())).filter(bool)


def _is_typed(term: TaskTerm) -> bool:
    return term.field is not TermField.WORDS or bool(split_words(term.value))


_FLAG_FIELDS = (TermField.OVERDUE, TermField.UNASSIGNED, TermField.SNOOZED)
_TYPED_TERMS = st.builds(
    TaskTerm, st.sampled_from(sorted(set(TermField) - {*_FLAG_FIELDS})), _VALUES, st.booleans()
).filter(_is_typed) | st.sampled_from(_FLAG_FIELDS).flatmap(
    lambda field: st.builds(TaskTerm, st.just(field), st.just(str(field)), st.booleans())
)


@few
@given(st.lists(_TYPED_TERMS, unique=True, max_size=4))
def test_every_filter_can_be_written(terms: list[TaskTerm]) -> None:
    none = FilterNames({}, {})
    wanted = TaskFilter(tuple(terms))
    assert parse(format_filter(wanted, none), none) == wanted
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
