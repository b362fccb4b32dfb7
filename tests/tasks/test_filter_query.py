"""Filters of tasks against a plain model; how far the platform was asked."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.api.contract.ids import TaskId
from frontdesk.storage import change_feed, full_text, record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.records import Event
from frontdesk.tasks import filter_query
from frontdesk.tasks import store as task_store
from frontdesk.tasks.filter_query import FilterProgress, Scope, TaskField, TaskFilter, TaskTerm
from frontdesk.text.normalize import normalize
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
        st.builds(TaskTerm, st.just(TaskField.LINE), st.sampled_from((*LINES, "L9")), st.booleans()),
        st.builds(TaskTerm, st.just(TaskField.AGENT), st.sampled_from((*AGENTS, "", "om")), st.booleans()),
        st.builds(TaskTerm, st.just(TaskField.CONVERSATION), st.sampled_from(("L1#C1", "L2#C2")), st.booleans()),
        st.builds(
            TaskTerm, st.just(TaskField.WORDS), st.sampled_from(("late", "ord", "עברית", "cafe", "10234 ord", "e"))
        ),
        st.builds(TaskTerm, st.just(TaskField.OVERDUE), st.just("overdue"), st.booleans()),
    ),
    max_size=3,
)


@pytest.fixture(scope="module")
def store_of_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store(tmp_path_factory.mktemp("filtering") / "profile") as opened:
        yield opened


def lets_through(task: dict[str, Any], term: TaskTerm) -> bool:
    match term.field:
        case TaskField.LINE:
            is_so = task["phoneNumberId"] == term.value
        case TaskField.CONVERSATION:
            is_so = task["participantsIdentifiers"] == term.value
        case TaskField.AGENT:
            on = task["assignedAgentIds"]
            is_so = term.value in on if term.value else not on
        case TaskField.OVERDUE:
            is_so = task["statusCase"] != "completed" and 0 < task["dueDate"] <= NOW
        case TaskField.WORDS:
            said = normalize(f"{task['title']}\n{task['body']}\n{task['customer']['customerName']}").split()
            is_so = all(
                any(word.startswith(each) if len(each) > 1 else word == each for word in said)
                for each in normalize(term.value).split()
            )
    return is_so is not term.is_not


@settings(max_examples=60, deadline=None)
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
    found = filter_query.matching(store_of_all.reading, TaskFilter(tuple(terms)), NOW)
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
            each.task_id for each in sorted(records, key=lambda r: task_store.place_on_board(r, status))
        ]


def test_what_a_person_changed_counts_before_the_platform_knows(store: Store, services: Services) -> None:
    store.write(lambda db: task_store.put(db, [raw_task(1, title="Late")])).result()
    services.tasks.edit(TaskId("t1"), {"title": "Refund"}, {"title": "Late"}).result()
    for words, count in (("refund", 1), ("late", 0)):
        found = filter_query.matching(services.store.reading, TaskFilter((TaskTerm(TaskField.WORDS, words),)), NOW)
        assert sum(map(len, found.values())) == count


def test_how_far_the_platform_was_asked_is_told_and_forgotten_in_time(store: Store, services: Services) -> None:
    scope, other = Scope("L1"), Scope(agent_id="noa")
    assert filter_query.stand(services.store.reading, scope) is None
    before = change_feed.position(store.reading)
    store.write(lambda db: filter_query.put_stand(db, scope, FilterProgress(problem="no"), 1.0)).result()
    assert filter_query.stand(services.store.reading, scope) == FilterProgress(problem="no")
    assert change_feed.since(store.reading, before)[1] == {Event(change_feed.FILTER, scope.key)}
    store.write(lambda db: filter_query.put_stand(db, other, FilterProgress(complete=True), 1e9)).result()
    assert filter_query.stand(services.store.reading, scope) is None
    assert filter_query.stand(services.store.reading, other) == FilterProgress(complete=True)
