"""The list of workflows: what it is sorted and filtered by, and that what isn't known is no zero."""

from dataclasses import replace
from typing import Any

import pytest

from frontdesk.linear.sentences import speak
from frontdesk.storage.records import Change, ChangeKind, ChangeState
from frontdesk.workflows.models import WorkflowCounters, WorkflowRecord
from frontdesk.workflows.view.change import pending_words
from frontdesk.workflows.view.row import Problems, about, row, workflows
from frontdesk_api.contract.ids import WorkflowId
from frontdesk_flows.checks.models import References
from frontdesk_flows.checks.run import find_skipped_rules
from frontdesk_flows.document import Node
from frontdesk_flows.traffic import Loss
from sample_records import NOW, VIEW, drawn, words

PLAIN = WorkflowRecord(
    workflow_id=WorkflowId("w"),
    name="Plain",
    is_active=True,
    platform="whatsapp",
    line_id="L1",
    trigger_type="Manual Trigger",
    folder_id="f",
    executions=7,
    last_execution=NOW,
    started=None,
    completed=None,
    dropped=None,
    analytics=WorkflowCounters.NOT_LOADED,
    created=NOW,
    last_modified=NOW,
    read_at=None,
    is_stale=False,
    raw={},
)


def made(name: str, **more: object) -> WorkflowRecord:
    return replace(PLAIN, workflow_id=WorkflowId(f"id-{name}"), name=name, **more)  # type: ignore[arg-type]


def change_of(kind: ChangeKind, fields: dict[str, Any], target: str = "w") -> Change:
    return Change(1, "b", kind, target, fields, {}, "Done", ChangeState.HELD, NOW, NOW)


def names(records: list[WorkflowRecord]) -> str:
    return " ".join(each.name for each in records)


ALL = [
    made("b", executions=3, last_execution=NOW - 5, last_modified=NOW, is_active=False),
    made("C", executions=None, last_execution=None, last_modified=None, trigger_type="New Conversation Started"),
    made("a", executions=9, last_execution=NOW - 9, last_modified=NOW - 1, platform="instagram", is_active=None),
]


def node_named(title: str) -> Node:
    return Node("$.parsedData[0]", "n", "whatsapp", "", title, None, {}, ())


PROBLEMS = {"id-b": Problems(0, 4, Loss(7)), "id-a": Problems(1, 0, Loss(9)), "id-C": Problems()}
WORKFLOWS = workflows(VIEW.names.line, PROBLEMS.get)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("name", "a b C"),
        ("executions", "a b C"),
        ("last run", "b a C"),
        ("last changed", "b a C"),
        ("findings", "a b C"),
        ("loss", "a b C"),
    ],
)
def test_the_most_of_it_stands_first_and_what_is_not_known_last(order: str, expected: str) -> None:
    assert names(WORKFLOWS.in_order(ALL, order)) == expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("", "b C a"),
        ("ID-B", "b"),
        ("acme home", "b C a"),
        ("whatsapp conversation", "C"),
        ("off", "b"),
        ("manual off", "b"),
        ("errors", "a"),
        ("warnings", "b"),
        ("nothing of this", ""),
    ],
)
def test_all_typed_words_are_found_in_what_a_row_says(typed: str, expected: str) -> None:
    assert names(WORKFLOWS.matching(ALL, typed)) == expected


def test_a_row_says_what_there_is_to_say_and_no_zero_for_what_is_not_known() -> None:
    top, middle, below = (words(line) for line in row(made("n", executions=1_234), Problems(2, 1), 80, VIEW))
    assert top.startswith("n ")
    assert top.endswith("● active")
    assert middle.startswith("Manual Trigger · whatsapp · Acme Home")
    assert middle.endswith("1,234 runs")
    assert below.startswith("id-n")
    assert below.endswith("▲ 2 errors  ran 14:30")
    bare = words(*row(made("n", executions=None, last_execution=None, is_active=None), None, 80, VIEW))
    assert "active?" in bare
    assert "runs" not in bare
    assert "ran" not in bare
    assert "0" not in bare


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            Problems(loss=Loss(590, 18_420, node_named("Greeting"), 401)),
            "590 dropped (3.2%) most at Greeting: 401",
        ),
        (Problems(loss=Loss(590, None, None)), "590 dropped most at: ?"),
        (Problems(loss=Loss(0, 9)), "0 dropped (0%)"),
        (Problems(loss=Loss(3, 9, is_least=True)), "at least 3 dropped (33%) most at: ?"),
        (Problems(), "? dropped not loaded"),
        (None, "? dropped not loaded"),
    ],
)
def test_a_loss_is_told_below_the_name(found: Problems | None, said: str) -> None:
    _, dropped, where = row(PLAIN, found, 36, VIEW, with_loss=True)
    assert words(dropped).rstrip().endswith("7 runs")
    assert f"{words(dropped).replace('7 runs', '').strip()} {words(where).strip()}".strip() == said


def test_a_row_leaves_out_what_has_no_room_with_its_separator() -> None:
    record = made("n", executions=1_234, trigger_type="Messages Created", platform="whatsapp")
    assert " · whatsapp" in words(row(record, None, 60, VIEW)[1])
    assert words(row(record, None, 34, VIEW)[1]).split() == ["Messages", "Created", "1,234", "runs"]


def test_what_is_not_confirmed_of_a_workflow_is_marked_on_its_row_and_told() -> None:
    changes = [
        change_of(ChangeKind.WORKFLOW_UPDATE, {"name": "n", "parts": ["name"]}),
        change_of(ChangeKind.WORKFLOW_UPDATE, {"isActive": False}),
        change_of(ChangeKind.ANALYTICS_RESET, {}, "other"),
    ]
    said = pending_words(changes)
    assert {target: each.text for target, each in said.items()} == {
        "w": "updating, switching off",
        "other": "resetting",
    }
    assert words(row(PLAIN, None, 60, VIEW, said["other"])[1]).endswith("⇅ resetting")
    assert "⇅ resetting, not confirmed yet" in drawn(about(PLAIN, VIEW, None, (), said["other"]), 60)


def test_the_facts_say_how_old_the_document_is_and_the_traffic_is_no_zero_where_it_is_absent() -> None:
    assert "not fully loaded yet" in drawn(about(PLAIN, VIEW, None), 60)
    stale = replace(PLAIN, read_at=NOW, is_stale=True)
    assert "           changed since then" in drawn(about(stale, VIEW, ()), 60)
    assert "traffic    not loaded" in drawn(about(PLAIN, VIEW, None), 60)
    absent = replace(PLAIN, analytics=WorkflowCounters.NOT_ON_PLAN)
    assert "traffic    not on this plan" in drawn(about(absent, VIEW, ()), 60)
    shown = replace(PLAIN, analytics=WorkflowCounters.SHOWN, started=200.0, completed=150.0)
    assert "Completed: 150, 75%." in [each.text for each in speak(about(shown, VIEW), VIEW)]
    said = drawn(about(shown, VIEW, ()), 60)
    assert "200" in said
    assert "150  75%" in said
    assert "unknown" in said


def test_a_workflow_that_was_not_checked_has_a_sign_and_one_without_problems_has_none() -> None:
    assert "not checked" in words(*row(PLAIN, None, 80, VIEW))
    assert "not checked" not in words(*row(PLAIN, Problems(), 80, VIEW))
    stale = replace(PLAIN, read_at=NOW, is_stale=True)
    assert "not checked" in words(*row(stale, Problems(), 80, VIEW)), "an older version was"
    assert "no findings (older version)" in drawn(about(stale, VIEW, ()), 80)
    assert "1 error" in words(*row(stale, Problems(1, 0), 80, VIEW))


def test_rules_for_which_too_little_is_known_are_named() -> None:
    missing = find_skipped_rules(References(channels={}, scheduled={}))
    assert "not checked: a pointer to an unknown workflow" in drawn(
        about(PLAIN, VIEW, (), skipped_rules=missing), 80
    )
