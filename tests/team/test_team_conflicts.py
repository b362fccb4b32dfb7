"""Who made the change that one's own is in conflict with: found in the team's journal by the value that it set."""

import json
from dataclasses import replace

import pytest

from frontdesk.relay.records import JournalEntry
from frontdesk.storage.records import Change, ChangeKind, ChangeState, Json
from frontdesk.team.conflicts import MAX_AGE_SECONDS, author_of_theirs


def entry(agent_id: str, after: object, outcome: str = "confirmed") -> JournalEntry:
    return JournalEntry(0.0, "", agent_id, "L1", "", "Status", "task t1", "{}", json.dumps(after), outcome)


def conflict(theirs: Json) -> Change:
    fields = dict.fromkeys(theirs)
    return Change(1, "b", ChangeKind.TASK, "t1", fields, {}, "x", ChangeState.CONFLICT, 0.0, 0.0, theirs=theirs)


@pytest.mark.parametrize(
    ("theirs", "after", "agent"),
    [
        ({"statusCase": "done"}, {"statusCase": "done"}, "dan"),
        ({"statusCase": "done"}, {"statusCase": "open"}, ""),
        ({"statusCase": "done", "title": "x"}, {"title": "x"}, "dan"),
        ({"assignedAgentIds": ["dan", "ruth"]}, {"assignedAgentIds": {"add": ["dan"], "remove": ["me"]}}, "dan"),
        ({"assignedAgentIds": ["dan", "me"]}, {"assignedAgentIds": {"add": ["dan"], "remove": ["me"]}}, ""),
        ({"statusCase": "done"}, {}, ""),
        ({"statusCase": "done"}, [1], ""),
    ],
)
def test_the_author_is_who_set_what_the_platform_has(theirs: Json, after: object, agent: str) -> None:
    assert author_of_theirs(conflict(theirs), [entry("dan", after)], "me") == agent


def test_one_s_own_a_refused_and_an_older_change_are_passed_over() -> None:
    done = {"statusCase": "done"}
    found = [entry("x", done, "rejected: no"), entry("dan", done), entry("ruth", done)]
    assert author_of_theirs(conflict(done), found, "me") == "dan"
    assert author_of_theirs(conflict(done), [entry("me", done), *found], "me") == "", "it was set here since"
    other = entry("ruth", {"statusCase": "open"})
    assert author_of_theirs(conflict(done), [other, *found], "me") == "", "somebody outside the team set it again"
    old = [replace(each, at=each.at - 2 * MAX_AGE_SECONDS) for each in found]
    assert author_of_theirs(conflict(done), old, "me") == ""
    assert author_of_theirs(conflict(done), [], "me") == ""
