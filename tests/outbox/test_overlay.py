"""Which of several changes of one task collide with a colleague's, and which of one PATCH arrived."""

from typing import Any

import pytest

from frontdesk.outbox.overlay import Fate, apply_changes, collisions, differing, fate_of, merge_people, set_later
from frontdesk.outbox.task_fields import ASSIGNED, same_value
from frontdesk.storage.records import Change, ChangeKind, ChangeState


def change(number: int, fields: dict[str, Any], base: dict[str, Any]) -> Change:
    return Change(number, "b", ChangeKind.TASK, "t1", fields, base, "", ChangeState.QUEUED, 0.0, 0.0)


def test_what_a_colliding_change_wanted_to_set_explains_no_value_of_a_later_one() -> None:
    first = change(1, {"statusCase": "standby", "title": "One"}, {"statusCase": "open", "title": "Zero"})
    later = change(2, {"title": "Two"}, {"title": "One"})
    assert collisions([first, later], {"statusCase": "open", "title": "One"}) == []
    assert collisions([first, later], {"statusCase": "completed", "title": "One"}) == [first, later]


def test_people_taken_off_show_that_a_patch_has_arrived_in_part() -> None:
    taken_off = change(1, {ASSIGNED: {"add": [], "remove": ["noa", "omar"]}}, {ASSIGNED: ["me", "noa", "omar"]})
    assert fate_of([taken_off], {ASSIGNED: ["me", "noa", "omar", "dan"]}).again == (taken_off,)
    assert fate_of([taken_off], {ASSIGNED: ["me", "noa"]}).colliding == {1: (ASSIGNED,)}
    assert fate_of([taken_off], {ASSIGNED: ["me"]}).arrived == (taken_off,)


@pytest.mark.rules("177")
@pytest.mark.parametrize(
    ("name", "one", "other", "expected"),
    [
        ("dueDate", None, 0, True),
        ("dueDate", 5, 5, True),
        ("dueDate", 5, 0, False),
        ("dueDate", 5, None, False),
        ("dueDate", 5, 6, False),
        (ASSIGNED, None, [], True),
        (ASSIGNED, ["a", "b"], ["b", "a", "a"], True),
        (ASSIGNED, ["a"], ["a", "b"], False),
        (ASSIGNED, ["a"], None, False),
        ("viewedByAgentIds", ["a", "b"], ["b", "a"], True),
        ("viewedByAgentIds", ["a"], [], False),
        ("title", None, "", True),
        ("title", "a", "a", True),
        ("title", "a", "b", False),
        ("title", "a", None, False),
        ("tags", ["a", "b"], ["b", "a"], False),
    ],
)
def test_two_values_mean_the_same_in_either_order(name: str, one: Any, other: Any, expected: bool) -> None:
    assert same_value(name, one, other) is expected
    assert same_value(name, other, one) is expected


@pytest.mark.parametrize(
    ("current", "intent", "expected"),
    [
        (["a", "b"], {"add": ["c"], "remove": ["a"]}, ["b", "c"]),
        (["a", "b"], {"add": ["b", "c"]}, ["a", "b", "c"]),
        (["a", "b"], {"remove": ["x", "b"]}, ["a"]),
        (["a"], {"add": ["a"], "remove": ["a"]}, ["a"]),
        (None, {"add": ["b", "a"]}, ["b", "a"]),
        (["b", "a"], {}, ["b", "a"]),
    ],
)
def test_people_are_added_behind_those_who_stay(
    current: object, intent: dict[str, Any], expected: list[str]
) -> None:
    assert merge_people(current, intent) == expected


def test_changes_are_applied_in_their_order_and_leave_what_was_read_as_it_is() -> None:
    task = {"title": "Zero", ASSIGNED: ["noa"], "statusCase": "open"}
    changes = [
        change(1, {"title": "One", ASSIGNED: {"add": ["me"]}}, {}),
        change(2, {"title": "Two", ASSIGNED: {"remove": ["noa"]}}, {}),
    ]
    assert apply_changes(task, changes) == {"title": "Two", ASSIGNED: ["me"], "statusCase": "open"}
    assert task == {"title": "Zero", ASSIGNED: ["noa"], "statusCase": "open"}


def test_only_fields_that_would_change_something_differ() -> None:
    shown = {"title": "One", ASSIGNED: ["noa"], "dueDate": None}
    assert differing(shown, {"title": "One", "dueDate": 0, ASSIGNED: {"add": ["noa"], "remove": ["me"]}}) == {}
    fields = {"title": "Two", "body": "x", ASSIGNED: {"add": ["me"]}, "dueDate": 5}
    assert differing(shown, fields) == fields


@pytest.mark.parametrize(
    ("there", "colliding"),
    [
        ({"title": "Zero", "body": ""}, []),
        ({"title": "One"}, []),
        ({"title": "Two", "body": "b"}, []),
        ({"title": "theirs"}, [1, 2]),
        ({"title": "Zero", "body": "theirs"}, [2]),
        ({"title": "Zero", ASSIGNED: ["somebody else"]}, []),
    ],
)
def test_a_field_collides_unless_it_is_as_before_or_as_one_of_the_changes_sets_it(
    there: dict[str, Any], colliding: list[int]
) -> None:
    changes = [
        change(1, {"title": "One"}, {"title": "Zero"}),
        change(2, {"title": "Two", "body": "b"}, {"title": "One", "body": None}),
        change(3, {ASSIGNED: {"add": ["me"]}}, {ASSIGNED: []}),
    ]
    assert [each.change_id for each in collisions(changes, there)] == colliding


TITLE = change(1, {"title": "One"}, {"title": "Zero"})
STATUS = change(2, {"statusCase": "done", "body": "b"}, {"statusCase": "open", "body": ""})
BEFORE = {"title": "Zero", "statusCase": "open", "body": ""}


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        (BEFORE, Fate(False, (), (TITLE, STATUS), {})),
        (BEFORE | {"title": "theirs"}, Fate(False, (), (STATUS,), {1: ("title",)})),
        (BEFORE | {"body": "theirs"}, Fate(False, (), (TITLE,), {2: ("statusCase", "body")})),
        (BEFORE | {"title": "One"}, Fate(True, (TITLE,), (), {2: ("statusCase", "body")})),
        (BEFORE | {"body": "b"}, Fate(True, (), (), {1: ("title",), 2: ("statusCase",)})),
        (
            {"title": "One", "statusCase": "done", "body": "b"},
            Fate(True, (TITLE, STATUS), (), {}),
        ),
    ],
)
def test_each_part_of_a_patch_without_an_answer_has_its_fate(there: dict[str, Any], expected: Fate) -> None:
    assert fate_of([TITLE, STATUS], there) == expected


@pytest.mark.parametrize(
    ("sent", "there", "was_carried_out"),
    [
        (change(1, {"title": "Zero"}, {"title": "Zero"}), {"title": "Zero"}, False),
        (change(1, {"dueDate": 0}, {"dueDate": None}), {}, False),
        (change(1, {ASSIGNED: {"add": ["me"]}}, {ASSIGNED: ["me"]}), {ASSIGNED: ["me"]}, False),
        (change(1, {ASSIGNED: {"add": ["me"]}}, {ASSIGNED: []}), {ASSIGNED: ["noa", "me"]}, True),
        (change(1, {ASSIGNED: {"remove": ["me"]}}, {ASSIGNED: ["me"]}), {ASSIGNED: ["noa"]}, True),
    ],
)
def test_what_changed_nothing_proves_no_arrival(
    sent: Change, there: dict[str, Any], was_carried_out: bool
) -> None:
    assert fate_of([sent], there) == Fate(was_carried_out, (sent,), (), {})


@pytest.mark.parametrize(
    ("there", "part"),
    [
        (["noa"], "again"),
        ([], "again"),
        (["noa", "me"], "colliding"),
        (["noa", "omar"], "again"),
        (["me", "dan"], ""),
    ],
)
def test_of_people_only_those_that_the_patch_adds_or_removes_count(there: list[str], part: str) -> None:
    sent = change(1, {ASSIGNED: {"add": ["me", "dan"]}}, {ASSIGNED: ["noa"]})
    fate = fate_of([sent], {ASSIGNED: there})
    expected = {
        "again": Fate(False, (), (sent,), {}),
        "colliding": Fate(False, (), (), {1: (ASSIGNED,)}),
        "": Fate(True, (sent,), (), {}),
    }
    assert fate == expected[part]


def test_a_later_change_sets_the_same_fields_anew_except_for_people() -> None:
    first = change(2, {"title": "One", "body": "b", ASSIGNED: {"add": ["me"]}}, {})
    earlier = change(1, {"body": "x"}, {})
    later = change(3, {"title": "Two", "statusCase": "done", ASSIGNED: {"add": ["noa"]}}, {})
    assert set_later(first, [earlier, first, later]) == {"title"}
    assert set_later(later, [earlier, first, later]) == set()
