"""Changes that stay in frontdesk, in words."""

from typing import Any

import pytest

from frontdesk.inbox.changes import MARKS
from frontdesk.inbox.view.note import AnswerChangeView
from frontdesk.linear.sentences import speak
from frontdesk.storage.records import Change, ChangeKind, ChangeState
from sample_records import NOW, VIEW


@pytest.mark.parametrize(
    ("base", "fields", "said"),
    [
        ({MARKS: []}, {MARKS: [NOW]}, "Answer: none needed."),
        ({MARKS: [NOW]}, {MARKS: []}, "Answer: needed."),
        ({}, {}, "Answer: unknown."),
        ({MARKS: 1}, {MARKS: None}, "Answer: unknown."),
    ],
)
def test_it_is_said_whether_an_answer_is_needed_and_unknown_without_marks(
    base: dict[str, Any], fields: dict[str, Any], said: str
) -> None:
    change = Change(
        change_id=7, batch="b", kind=ChangeKind.NO_ANSWER, target="L1#C1", fields=fields, base=base,
        label="Answer", state=ChangeState.CONFIRMED, made_at=NOW, send_after=NOW,
    )  # fmt: skip
    assert [each.text for each in speak(AnswerChangeView().facts(change, VIEW), VIEW)] == [said]
