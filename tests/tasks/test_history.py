"""The history of tasks: between which reads each field has changed, and by whom where that is known."""

import json
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import few
from frontdesk.config.facts import lines
from frontdesk.config.render_context import RenderContext
from frontdesk.outbox import news
from frontdesk.outbox.news import Reader
from frontdesk.storage.coverage import note_listed
from frontdesk.storage.database import Store
from frontdesk.storage.sql import rows
from frontdesk.tasks import history
from frontdesk.tasks import store as task_store
from frontdesk.tasks.history import DAY, MAX_TEXT, Seen, Source, Transition
from frontdesk.tasks.view import history_coverage, history_facts, transition_sentence
from frontdesk_api.contract.ids import AgentId, TaskId
from frontdesk_lines.glyphs import glyphs
from frontdesk_lines.lines import Line
from new_store import open_store
from sample_json import raw_task
from sample_records import NAMES

NOON = datetime(2026, 11, 27, 12, tzinfo=UTC).timestamp()
ONE = TaskId("t1")
FIELDS = ("statusCase", "assignedAgentIds", "dueDate", "title", "body")
FIELDS = ("statusCase", "assignedAgentIds", "dueDate", "title", "body")
VIEW = RenderContext(NAMES, glyphs(ascii_only=False), NOON + 3600, UTC)


def put(store: Store, raw: dict[str, Any], seen: Seen) -> None:
    store.write(lambda db: task_store.put(db, [raw], seen)).result()


def read_at(seconds: float, **more: Any) -> Seen:
    return Seen(NOON + seconds, NOON + seconds + 0.5, **more)


def task(**fields: object) -> dict[str, Any]:
    return raw_task(1, **fields)


def newest(store: Store) -> Transition:
    return history.of_task(store.reading, ONE, 1)[0]


def test_the_first_read_of_a_task_has_no_history(store: Store) -> None:
    put(store, task(), read_at(0))
    assert history.of_task(store.reading, ONE) == []


def test_a_read_that_differs_happened_between_it_and_the_one_before(store: Store) -> None:
    put(store, task(statusCase="open"), read_at(0))
    after = task(statusCase="standby", agentIdentification={"name": "Marta"})
    put(store, after, read_at(10, last_reads={"t1": NOON + 5}))
    assert history.of_task(store.reading, ONE) == [
        Transition(ONE, "statusCase", "open", "standby", NOON + 5, NOON + 10.5, "Marta", Source.READ)
    ]
    # After a restart only what was stored is known of earlier reads.
    put(store, task(statusCase="completed"), read_at(60))
    assert (newest(store).not_before, newest(store).not_after) == (NOON + 10, NOON + 60.5)


def test_reads_that_changed_nothing_are_known_after_a_restart_once_they_were_stored(store: Store) -> None:
    put(store, task(title="before"), read_at(0))
    store.write(lambda db: history.note_reads(db, {"t1": NOON + 600, "t2": NOON})).result()
    store.write(lambda db: history.note_reads(db, {"t1": NOON + 300})).result()
    put(store, task(title="after"), read_at(900))
    assert newest(store).not_before == NOON + 600


def test_a_read_from_before_the_clock_went_back_says_nothing(store: Store) -> None:
    put(store, task(title="before"), read_at(0))
    put(store, task(title="after"), read_at(-3600))
    assert newest(store).not_before is None


def test_our_own_change_is_ours_and_what_came_with_it_is_not(store: Store) -> None:
    put(store, task(statusCase="open", title="before"), read_at(0))
    after = task(statusCase="completed", title="after", agentIdentification={"name": "Me"})
    put(store, after, read_at(10, own_fields={"statusCase"}))
    found = {each.name: each for each in history.of_task(store.reading, ONE)}
    assert (found["statusCase"].source, found["statusCase"].not_before, found["statusCase"].by) == (
        Source.OWN,
        NOON + 10,
        "",
    )
    assert (found["title"].source, found["title"].not_before, found["title"].by) == (Source.READ, NOON, "Me")


def test_what_means_the_same_is_no_change(store: Store) -> None:
    put(store, task(assignedAgentIds=["a", "b"], dueDate=0), read_at(0))
    same = task(assignedAgentIds=["b", "a"], unreadCount=7)
    same.pop("dueDate", None)
    put(store, same, read_at(10))
    assert history.of_task(store.reading, ONE) == []


def test_without_a_read_nothing_is_kept_and_a_long_text_is_cut(store: Store) -> None:
    store.write(lambda db: task_store.put(db, [task(body="before")])).result()
    store.write(lambda db: task_store.put(db, [task(body="x" * 2 * MAX_TEXT)])).result()
    assert history.of_task(store.reading, ONE) == []
    put(store, task(body="after"), read_at(5))
    assert len(newest(store).before) == MAX_TEXT


@few
@given(
    st.lists(
        st.tuples(st.sampled_from(FIELDS), st.integers(0, 2), st.floats(0.1, 500)),
        max_size=15,
    )
)
def test_the_history_leads_from_the_first_state_to_the_last(steps: list[tuple[str, int, float]]) -> None:
    values = {
        "statusCase": ("open", "standby", "completed"),
        "assignedAgentIds": ([], ["a"], ["a", "b"]),
        "dueDate": (0, 1_800_000_000, 1_900_000_000),
        "title": ("", "one", "two"),
        "body": ("", "one", "two"),
    }
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "store") as store:
        state, at = {name: values[name][0] for name in FIELDS}, 0.0
        first = dict(state)
        put(store, task(**state), read_at(at))
        for name, value, seconds in steps:
            at += seconds
            state = {**state, name: values[name][value]}
            put(store, task(**state), read_at(at))
        found = history.of_task(store.reading, ONE)[::-1]
        for each in found:
            assert first[each.name] == each.before
            assert first[each.name] != each.after
            first[each.name] = each.after
            assert each.not_before is not None
            assert each.not_before < each.not_after
        assert first == state


def test_old_transitions_go_and_the_history_says_since_when_it_has_them(store: Store) -> None:
    began = history.since(store.reading)
    assert began is not None
    put(store, task(title="0"), read_at(0))
    for day in range(1, 6):
        put(store, task(title=str(day)), read_at(day * DAY))
    assert history.find_old(store.reading, NOON + 5 * DAY, days=5) is None
    remove = history.find_old(store.reading, NOON + 5 * DAY, days=3)
    assert remove is not None
    store.write(remove).result()
    assert [each.after for each in history.of_task(store.reading, ONE)] == ["5", "4", "3", "2"]
    assert history.since(store.reading) == max(began, NOON + 2 * DAY)


def test_the_history_outlives_the_store_that_can_be_loaded_again(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        put(store, task(title="before"), read_at(0))
        put(store, task(title="after"), read_at(5))
        began = history.since(store.reading)
    for each in tmp_path.glob("store.db*"):
        each.unlink()
    with Store(tmp_path) as store:
        assert rows(store.reading, "SELECT count(*) FROM tasks") == [(0,)]
        assert newest(store).after == "after"
        assert history.since(store.reading) == began


def words(transition: Transition) -> str:
    return transition_sentence(transition, VIEW).text


@pytest.mark.parametrize(
    ("not_before", "by", "source", "said"),
    [
        (NOON + 120, "Marta", Source.READ, "between 12:02 and 12:07, Marta or someone else"),
        (NOON + 421, "Marta", Source.READ, "12:07, Marta or someone else"),
        (None, "", Source.READ, "before 12:07"),
        (NOON + 421, "", Source.OWN, "12:07, changed here"),
        (NOON - DAY, "", Source.READ, "between Thu 26 Nov 12:00 and 12:07"),
    ],
)
def test_a_transition_says_when_and_who(not_before: float | None, by: str, source: Source, said: str) -> None:
    found = Transition(ONE, "title", "Lamp", "Two lamps", not_before, NOON + 425, by, source)
    assert words(found) == f"Title: Lamp → Two lamps, {said}"


def test_hostile_values_and_names_are_one_line_of_text() -> None:
    found = Transition(ONE, "title", "a\x1b[31m\nb", None, None, NOON, "M\x1b]0;x\x07", Source.READ)
    assert "\x1b" not in words(found)
    assert "\n" not in words(found)
    assert words(found).startswith("Title: ")


def drawn(found: list[Transition]) -> tuple[Line, ...]:
    return lines(history_facts(found, NOON, VIEW), 60, VIEW, 9)


def test_the_lines_say_since_when_there_is_a_history() -> None:
    text = ["".join(part.text.text for part in line).rstrip() for line in drawn([])]
    assert text == ["no changes since 12:00, when the history starts"]
    assert history_coverage(True, NOON, VIEW).text == "the history starts at 12:00"
    assert history_coverage(False, None, VIEW).text.startswith("no changes recorded; part of the history was lost")
    found = Transition(ONE, "body", "a", "b", NOON, NOON + 300, "", Source.READ)
    assert ["".join(part.text.text for part in line).rstrip() for line in drawn([found])] == [
        "Text: changed",
        "  between 12:00 and 12:05",
        "the history starts at 12:00",
    ]


def test_the_json_has_the_values_as_the_platform_has_them() -> None:
    found = Transition(ONE, "dueDate", 0, 1_800_000_000, None, NOON, "Marta", Source.READ)
    assert json.loads(json.dumps(found.as_json())) == {
        "field": "dueDate",
        "before": 0,
        "after": 1_800_000_000,
        "not_before": None,
        "not_after": NOON,
        "by": "Marta",
        "source": "read",
    }


@pytest.mark.parametrize("is_listed", [True, False])
def test_tasks_that_came_were_taken_or_went_late_are_news(store: Store, is_listed: bool) -> None:
    me = AgentId("me")
    old = {"createdAt": NOON - 30 * DAY, "dueDate": 0}
    store.write(
        lambda db: task_store.put(db, [raw_task(each, **old) for each in range(1, 6)], read_at(0))
    ).result()
    store.write(lambda db: news.look(db, Reader(history.NEWS, me, NOON))).result()

    def found(at: float) -> dict[str, str]:
        unseen = news.unseen(store.reading, Reader(history.NEWS, me, NOON + at))
        return {each.row: each.words for each in unseen.values()}

    if is_listed:
        store.write(note_listed).result()
    changed = [
        raw_task(1, assignedAgentIds=["dana"], **old),
        raw_task(2, assignedAgentIds=["me", "dana"], **old),
        raw_task(3, title="Other", **old),
        raw_task(4, assignedAgentIds=["dana"], statusCase="completed", **old),
        raw_task(5, **{**old, "dueDate": NOON + 60}),
        raw_task(6, createdAt=NOON + 5, dueDate=0),
        raw_task(7, createdAt=NOON + 5, dueDate=0, statusCase="completed"),
        raw_task(8, **old),
    ]
    store.write(lambda db: task_store.put(db, changed, read_at(10))).result()
    came = {"t6": "created"} if is_listed else {}
    assert found(20) == {"t1": "assigned to someone else", "t2": "assigned to you", **came}
    assert found(60) == {"t1": "assigned to someone else", "t2": "assigned to you", "t5": "now overdue", **came}
    own = raw_task(1, assignedAgentIds=["noa"], **old)
    put(store, own, read_at(70, own_fields={"assignedAgentIds"}))
    store.write(lambda db: news.look(db, Reader(history.NEWS, me, NOON + 71), ["t1", "t2", "t5", "t6"])).result()
    assert found(72) == {}
    assert found(72 + news.NEWS_SECONDS) == {}
