"""Which of several changes of one task collide with a colleague's, and which of one PATCH arrived."""

from typing import Any

from frontdesk.outbox.overlay import ASSIGNED, collisions, fate_of
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
