"""What a row of Activity says of the state of a change."""

import pytest

from frontdesk.activity import view as activity_view
from frontdesk.activity.targets import ChangeTarget
from frontdesk.activity.view import Entry
from frontdesk.registry.changes import CHANGE_VIEWS
from frontdesk.storage.records import Change, ChangeKind, ChangeState
from frontdesk_lines.display_text import show_line
from sample_records import (
    NOW,
    VIEW,
    words,
)


def change(state: ChangeState, reason: str = "") -> Change:
    return Change(1, "b", ChangeKind.TASK, "t1", {}, {}, "Status: Completed", state, NOW, NOW + 1, reason=reason)


def state_line(each: Change) -> str:
    target = ChangeTarget(show_line("Dana Levi"), show_line('"Late delivery"'))
    return words(activity_view.row(Entry("b", (each,)), CHANGE_VIEWS, [target], 120, VIEW)[1])


def test_every_state_of_a_change_has_words_of_its_own() -> None:
    assert len({state_line(change(state)) for state in ChangeState}) == len(ChangeState)


def test_what_could_have_gone_by_now_is_held_no_more() -> None:
    stuck = change(ChangeState.HELD)._replace(send_after=NOW - 30)
    assert "waiting to send" in state_line(stuck)


@pytest.mark.parametrize("state", ChangeState)
def test_a_change_that_needs_a_person_says_which_keys_decide(state: ChangeState) -> None:
    below = state_line(change(state, "someone else changed it"))
    assert ("r resends yours · x discard" in below) == (state in (ChangeState.CONFLICT, ChangeState.REFUSED))
    assert "someone else changed it" in below
