"""What a desk tells the others: each part under the line that it belongs to."""

import json

import pytest

from frontdesk.storage.clients import Focus
from frontdesk.storage.records import Connection
from frontdesk.sync.scheduler import Job, PollKind, ThreadWatch
from frontdesk.tasks.task_filter import Scope
from frontdesk.team.reports import Report, parse_report, shown_conversations, untold_jobs

LINES = {"c-1": "l1", "c-2": "l2", "c-3": "l3", "cmp-1": "l1", "cmp-4": "l4"}
CAMPAIGNS = {"": "cmp-unknown", "l1": "cmp-1", "l4": "cmp-4"}

SCREENS = {
    "": Focus("inbox"),
    "l1": Focus("inbox", "c-1"),
    "l2": Focus("board", tasks_of=Scope(line_id="l2").key),
    "l3": Focus("board", tasks_of=Scope(conversation_id="c-3").key),
}
READS = {
    "": [
        Job(PollKind.TASKS_HEAD),
        Job(PollKind.TASKS_OF, Scope(agent_id="noa").key),
        Job(PollKind.TASKS_OF, "[no filter"),
    ],
    "l1": [Job(PollKind.THREAD, "c-1"), Job(PollKind.CAMPAIGN, "cmp-1")],
    "l2": [
        Job(PollKind.TASKS_OF, Scope(line_id="l2").key),
        Job(PollKind.TASKS_OF, Scope(conversation_id="c-2").key),
    ],
    "l3": [Job(PollKind.THREAD, "c-3")],
}
REPORT = Report(
    tuple(SCREENS.values()),
    tuple(CAMPAIGNS.values()),
    {job: 100.5 for jobs in READS.values() for job in jobs},
    thread_rest=12.5,
    watch=ThreadWatch(7.5, 3),
    has_listed=True,
    state=Connection.LIVE,
    reason="so it is",
)


def test_each_screen_and_read_is_told_under_its_line() -> None:
    parts = REPORT.parts(LINES)
    assert [line for line, _ in parts] == ["", "l1", "l2", "l3", "l4"]
    for line, text in parts:
        told = parse_report([text])
        assert list(told.screens) == [each for at, each in SCREENS.items() if at == line]
        assert list(told.campaigns) == [each for at, each in CAMPAIGNS.items() if at == line]
        assert list(told.read_at) == READS.get(line, [])
        assert ("state" in json.loads(text)) == (line == "")


def test_a_conversation_whose_line_is_not_known_is_told_to_nobody_and_read_here() -> None:
    unknown = Scope(conversation_id="c-unknown").key
    screens = (Focus("inbox", "c-unknown"), Focus("board", tasks_of=unknown))
    reads = {Job(PollKind.THREAD, "c-unknown"): 1.0, Job(PollKind.TASKS_OF, unknown): 1.0}
    hidden = Report((*screens, *REPORT.screens), REPORT.campaigns, {**reads, **REPORT.read_at}, True)
    parts = hidden.parts(LINES)
    assert "c-unknown" not in str(parts)
    assert parse_report(text for _, text in parts).screens == REPORT.screens
    assert untold_jobs(hidden.screens, LINES) == reads.keys()
    assert untold_jobs(screens, {**LINES, "c-unknown": "l1"}) == frozenset()
    assert shown_conversations(hidden) == ["c-1", "c-2", "c-3", "c-unknown"]


def test_the_parts_together_are_the_report() -> None:
    assert parse_report(text for _, text in REPORT.parts(LINES)) == REPORT
    assert parse_report(text for _, text in Report().parts({})) == Report()


def test_who_sees_one_line_knows_how_the_leader_is_connected() -> None:
    told = parse_report(text for line, text in REPORT.parts(LINES) if line in ("", "l1"))
    assert (told.state, told.reason, told.has_listed) == (Connection.LIVE, "so it is", True)
    assert list(told.read_at) == [*READS[""], *READS["l1"]]


@pytest.mark.parametrize(
    "text", ["", "null", "[]", "{}", '{"screens": 1}', '{"screens": [], "reads": [1]}', "[" * 100_000]
)
def test_an_unreadable_part_leaves_the_others(text: str) -> None:
    parts = [text for _, text in REPORT.parts(LINES)]
    assert parse_report([text, *parts]) == REPORT
    assert parse_report([text]) == Report()


def test_the_lines_of_all_conversations_are_asked_for() -> None:
    assert shown_conversations(REPORT) == ["c-1", "c-2", "c-3"]
