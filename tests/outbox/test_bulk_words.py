"""Bulk actions in words."""

from datetime import UTC, datetime

import pytest

from frontdesk.outbox.bulk import (
    BulkRun,
    Cost,
    bulk_title,
    describe_cost,
    describe_duration,
    describe_effect,
    describe_progress,
    describe_read_only,
    describe_unconfirmed,
    progress_verb,
)
from frontdesk.outbox.task_fields import ASSIGNED
from frontdesk.storage.records import ChangeKind
from frontdesk.text import relative_time
from frontdesk_api.contract.ids import AgentId
from frontdesk_lines.display_text import trusted
from frontdesk_lines.lines import Role
from inbox.view.test_conversation_row import LATE
from sample_records import NOW, VIEW, words


def run(label: str = "Status: Completed", failed: int = 0, lately: int = 0) -> BulkRun:
    return BulkRun("b", label, ChangeKind.TASK, 115, 40, failed, lately)


@pytest.mark.parametrize(
    ("run", "stops", "expected"),
    [
        (run(), "x", "completing 40 of 115 · x stop"),
        (run("Undo: Status: Completed"), "", "undoing 40 of 115"),
        (run("Assign: +Noa", failed=2), "", "assigning 40 of 115 · 2 failed"),
        (run("Status: Open", lately=33), "x", "updating 40 of 115 · waiting for rate limit · x stop"),
        (run("Status: Open", lately=32), "x", "updating 40 of 115 · x stop"),
    ],
)
def test_how_far_it_is(run: BulkRun, stops: str, expected: str) -> None:
    assert words(describe_progress(run, 120, stops=stops)) == expected


@pytest.mark.parametrize(
    ("requests", "seconds", "expected"),
    [
        (1, 0.2, "Takes less than a minute (1 request)"),
        (80, 60, "Takes about 1 minute (80 requests)"),
        (438, 322, "Takes about 5 minutes (438 requests, about 80 a minute)"),
        (40_000, 29_000, "Takes about 8 hours (40,000 requests, about 80 a minute)"),
    ],
)
def test_what_it_takes(requests: int, seconds: float, expected: str) -> None:
    assert describe_cost(Cost(requests, seconds), 120) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, "less than a minute"),
        (59.9, "less than a minute"),
        (60, "about 1 minute"),
        (91, "about 2 minutes"),
        (285, "about 5 minutes"),
        (5_399, "about 90 minutes"),
        (5_400, "about 2 hours"),
        (9_100, "about 3 hours"),
    ],
)
def test_a_duration_is_rounded_to_what_matters(seconds: float, expected: str) -> None:
    assert describe_duration(seconds) == expected


@pytest.mark.parametrize(
    ("label", "verb"),
    [
        ("Status: Completed", "completing"),
        ("Status: Open", "updating"),
        ("Due: tomorrow 09:00", "due dates"),
        ("Assign: +Noa", "assigning"),
        ("Tag: VIP", "tagging"),
        ("Edit", "editing"),
        ("Undo: Status Completed", "undoing"),
        ("Another", "changing"),
    ],
)
def test_each_action_has_a_verb(label: str, verb: str) -> None:
    assert progress_verb(label) == verb


def test_what_waits_is_counted_in_the_right_number() -> None:
    assert [describe_read_only(count) for count in (0, 1, 2, 1000)] == [
        "read-only",
        "read-only, 1 change waiting",
        "read-only, 2 changes waiting",
        "read-only, 1,000 changes waiting",
    ]
    assert [describe_unconfirmed(count) for count in (1, 2, 1000)] == [
        "1 change isn't confirmed yet.",
        "2 changes aren't confirmed yet.",
        "1,000 changes aren't confirmed yet.",
    ]


def test_the_parts_of_progress_and_of_an_effect_have_their_roles() -> None:
    parts = describe_progress(run(failed=1_000, lately=60), 120, stops="x")
    assert [part.role for part in parts] == [
        Role.PENDING, Role.BAD, Role.DIM, Role.DIM, Role.ACCENT, Role.DIM,
    ]  # fmt: skip
    for fields in ({"statusCase": "completed"}, {"dueDate": 0}):
        assert [part.role for part in describe_effect(LATE, fields, VIEW)] == [Role.DIM, Role.DIM, Role.STRONG]
    people = {ASSIGNED: {"add": [AgentId("x9")], "remove": [AgentId("noa")]}}
    roles = [part.role for part in describe_effect(LATE, people, VIEW) if part.text.text.strip()]
    assert roles == [Role.GOOD, Role.BAD]
    assert words(describe_effect(LATE, {"title": "x"}, VIEW)) == "no title → x"


def test_a_title_names_one_or_the_count_and_the_first() -> None:
    names = [trusted("Late delivery"), trusted("Refund")]
    assert bulk_title("Tag", names[:1], 1, "conversations").text == "Tag · Late delivery"
    assert bulk_title("Tag", names, 2, "marked").text == "Tag · 2 marked: Late delivery, Refund"
    assert bulk_title("Tag", names, 1_200, "marked").text == "Tag · 1,200 marked: Late delivery, Refund, …"
    assert bulk_title("Tag", [trusted("")], 1, "marked").text == "Tag"


def test_what_becomes_of_a_task() -> None:
    assert words(describe_effect(LATE, {"statusCase": "completed"}, VIEW)) == "Open → Completed"
    assert words(describe_effect(LATE, {"dueDate": 0}, VIEW)) == "11:30 → no due date"
    people = {ASSIGNED: {"add": [AgentId("x9")], "remove": [AgentId("noa")]}}
    assert words(describe_effect(LATE, people, VIEW)) == "+x9  -Noa"


@pytest.mark.parametrize(
    ("ahead", "expected"),
    [(0, "now"), (60, "in 1 minute"), (40 * 60, "in 40 minutes"), (17 * 3600, "in 17 hours"),
     (-3 * 86_400, "3 days ago"), (21 * 86_400, "in 3 weeks"), (119 * 60, "in 119 minutes"),
     (2 * 3600 - 5, "in 2 hours")],
)  # fmt: skip
def test_how_far_away_a_moment_is(ahead: float, expected: str) -> None:
    assert relative_time.distance_words(NOW + ahead, NOW) == expected


def test_a_moment_of_another_year_says_so() -> None:
    now = datetime(2026, 11, 21, tzinfo=UTC)
    assert relative_time.moment(datetime(2026, 11, 27, 17, tzinfo=UTC), now) == "Fri 27 Nov 17:00 UTC"
    assert relative_time.moment(datetime(2027, 1, 1, 9, tzinfo=UTC), now) == "Fri 1 Jan 2027 09:00 UTC"
