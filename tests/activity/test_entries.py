"""Changes grouped into the entries of Activity, and the rows that draw them."""

from typing import Any

import pytest

from frontdesk.activity.actions import UNDO, describe_problem
from frontdesk.activity.targets import ChangeTarget
from frontdesk.activity.tui.undo_action import describe_result
from frontdesk.activity.view import Entry, about, about_bulk, can_undo, droppable_changes, group_changes, row
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.changes import SENT_ANEW
from frontdesk.registry.changes import CHANGE_VIEWS
from frontdesk.storage.records import Change, ChangeKind, ChangeState
from frontdesk_lines.display_text import show_line
from sample_records import NOW, VIEW, words
from sample_records import drawn as draw_facts

DANA = ChangeTarget(show_line("Dana Levi"), show_line('"Late delivery"'))
OMAR = ChangeTarget(show_line("Omar Haddad"))


def change(number: int, state: ChangeState = ChangeState.CONFIRMED, **more: Any) -> Change:
    plain: dict[str, Any] = {
        "kind": ChangeKind.TASK,
        "target": f"t{number}",
        "label": "Status: Completed",
        "fields": {"statusCase": "completed"},
        "base": {"statusCase": "open"},
        "batch": "b",
        "made_at": NOW + number,
    }
    return Change(change_id=number, state=state, send_after=NOW, **(plain | more))


def test_a_bulk_change_is_one_entry_with_what_needs_a_decision_first() -> None:
    made = [change(1), change(2, ChangeState.REFUSED), change(3, ChangeState.QUEUED)]
    (entry,) = group_changes(made[::-1])
    assert [each.change_id for each in entry.changes] == [2, 3, 1]
    assert entry.only is None
    assert entry.states == {ChangeState.REFUSED: 1, ChangeState.QUEUED: 1, ChangeState.CONFIRMED: 1}
    assert [each.change_id for each in droppable_changes(entry.changes)] == [2, 3]


def test_entries_are_listed_newest_first() -> None:
    found = group_changes([change(3, batch="c"), change(2, batch="b"), change(1, batch="a")])
    assert [each.first.batch for each in found] == ["c", "b", "a"]


def test_a_resent_change_takes_the_place_of_the_one_before() -> None:
    dead = change(1, ChangeState.DROPPED, reason=SENT_ANEW)
    (before,) = group_changes([change(1, ChangeState.REFUSED)])
    newer = change(2, ChangeState.QUEUED, batch="c", target="t9")
    found = group_changes([change(3, ChangeState.QUEUED, target="t1"), newer, dead])
    assert [(each.key == before.key, each.first.change_id) for each in found] == [(True, 3), (False, 2)]


def test_a_discarded_change_an_undo_and_a_redo_are_entries_of_their_own() -> None:
    undo = change(2, target="t1", label="Undo: Status Completed", undoes=1)
    redo = change(3, target="t1", undoes=2)
    found = group_changes([redo, undo, change(1)])
    assert [each.first.change_id for each in found] == [3, 2, 1]
    assert [can_undo(each.changes) for each in found] == [False, False, True]


def drawn(entry: Entry, *targets: ChangeTarget) -> list[str]:
    return [words(line).rstrip() for line in row(entry, CHANGE_VIEWS, targets, 100, VIEW)]


def test_a_row_names_its_customer_first_then_what_changed() -> None:
    top, below = drawn(Entry("b", (change(1),)), DANA)
    assert top.startswith("✓ Dana Levi · Status  Open → Completed ")
    assert below == '  confirmed · "Late delivery"'
    top, _ = drawn(Entry("b", (change(1, label="Undo: Status: Completed"),)), DANA)
    assert top.startswith("✓ Dana Levi · Undo: Status  Open → Completed "), "one colon"


def test_a_workflow_is_named_once() -> None:
    update = change(
        1, kind=ChangeKind.WORKFLOW_UPDATE, label="Update workflow: Welcome", fields={"name": "Welcome"}
    )
    top, _ = drawn(Entry("b", (update,)), ChangeTarget(show_line("Welcome")))
    assert top.count("Welcome") == 1


def test_a_bulk_row_counts_and_its_details_list_each_before_and_after() -> None:
    entry = Entry("b", (change(1, ChangeState.REFUSED, reason="no such task"), change(2)))
    top, below = drawn(entry, DANA, OMAR)
    assert top.startswith("✗ Status: Completed · 2 tasks ")
    assert below == "  1 rejected · 1 confirmed · Dana Levi, Omar Haddad"
    listed = draw_facts(about_bulk(entry, CHANGE_VIEWS, {1: DANA, 2: OMAR}, VIEW))
    for part in ("✗ Dana Levi", '"Late delivery"', "no such task", "✓ Omar Haddad", "Open → Completed"):
        assert part in listed


def test_a_hand_over_counts_its_task_and_names_its_customer_once() -> None:
    note = change(2, kind=ChangeKind.NOTE, target="L1#C1", fields={"n1": {"text": "hello"}}, base={"n1": None})
    top, below = drawn(Entry("b", (note, change(1))), DANA, DANA)
    assert "Status: Completed · 1 task with a note" in top
    assert below == "  2 confirmed · Dana Levi"


@pytest.mark.parametrize(("confirmed", "discarded", "sign"), [(3, 42, "○"), (42, 3, "✓"), (0, 3, "○")])
def test_the_sign_of_a_stopped_bulk_change_is_that_of_most_of_it(
    confirmed: int, discarded: int, sign: str
) -> None:
    states = [ChangeState.CONFIRMED] * confirmed + [ChangeState.DROPPED] * discarded
    top, _ = drawn(Entry("b", tuple(change(n, state) for n, state in enumerate(states))), DANA, OMAR)
    assert top.startswith(f"{sign} Status: Completed")


def test_right_to_left_names_of_a_bulk_change_keep_their_order_in_the_sentence() -> None:
    customers = [ChangeTarget(show_line(each)) for each in ("דנה", "עומר", "Omar")]
    _, below = drawn(Entry("b", tuple(change(n) for n in range(5))), *customers)
    assert below.strip() == "5 confirmed · הנד, רמוע, Omar and 2 more"


def test_the_details_of_one_change_begin_with_whom_it_is_about() -> None:
    lines = draw_facts(about(change(1), CHANGE_VIEWS[ChangeKind.TASK], DANA, VIEW)).split("\n")
    assert [line.rstrip() for line in lines[:2]] == ["Dana Levi", '"Late delivery"']
    assert "✓ confirmed" in "\n".join(lines)


def test_a_result_names_its_record_once_and_the_way_back_where_there_is_one() -> None:
    workflow = ActionResult(1, label="Update workflow: Welcome")
    assert describe_result(workflow, "Welcome", UNDO, "U") == "Undone: Update workflow Welcome · U redoes it"
    task = ActionResult(2, label="Status: Completed")
    assert describe_result(task, "Dana", UNDO, "U") == "Undone: Status Completed · Dana and 1 more · U redoes it"
    part = ActionResult(1, label="Status: Completed", is_partial=True)
    assert describe_result(part, "Dana", UNDO, "U") == "Undone: Status Completed · Dana"


def test_a_problem_is_one_sentence_with_the_reason_behind_its_only_colon() -> None:
    none = ActionResult(0, label="Status: Completed")
    words = describe_problem(none, "Status: Completed: it was undone already", "Dana", UNDO)
    assert words == "Can't undo Status Completed on Dana: it was undone already"
    words = describe_problem(none, "Status: Completed on any of the 3 tasks: it never took effect", "Dana", UNDO)
    assert words == "Can't undo Status Completed on any of the 3 tasks: it never took effect"
    some = ActionResult(1, label="Status: Completed")
    words = describe_problem(some, "Status: Completed on 1 of the 2 tasks: it was undone already", "Dana", UNDO)
    assert words == "Not undone on 1 of the 2 tasks: it was undone already"
    assert describe_problem(none, "Nothing was undone.", "Dana", UNDO) == "Nothing was undone."
