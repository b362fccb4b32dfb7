"""A change's fields beside each other: before, theirs and yours (design.md, section 6)."""

from typing import Any

from frontdesk.present import activity
from frontdesk.present.comparison import compare, in_short, in_words
from frontdesk.store.records import Change, ChangeKind, ChangeState
from frontdesk.text import show_line
from present.records import NOW, VIEW, at, words


def change(state: ChangeState = ChangeState.CONFLICT, **more: Any) -> Change:
    plain: dict[str, Any] = {"kind": ChangeKind.TASK, "target": "t1", "label": "Edit", "base": {}, "fields": {}}
    return Change(change_id=1, batch="b", state=state, made_at=NOW, send_after=NOW, **(plain | more))


def said(each: Change, width: int = 40) -> list[str]:
    return [line.rstrip() for line in words(*compare(each, width, VIEW)).split("\n") if line.strip()]


def test_a_conflict_shows_each_field_before_theirs_and_yours() -> None:
    conflict = change(
        fields={"statusCase": "completed", "dueDate": 0},
        base={"statusCase": "open", "dueDate": at(18, 17)},
        theirs={"statusCase": "standby", "dueDate": at(20, 9)},
    )
    assert said(conflict) == [
        "Status",
        "before  Open",
        "theirs  In progress",
        "yours   Completed",
        "Due",
        "before  17:00",
        "theirs  Fri 09:00",
        "yours   nothing",
    ]


def test_every_other_change_shows_before_and_yours() -> None:
    assigned = change(
        ChangeState.CONFIRMED,
        fields={"assignedAgentIds": {"add": ["noa"], "remove": ["me"]}},
        base={"assignedAgentIds": ["me"]},
    )
    assert said(assigned) == ["Assigned", "before  you", "yours   +Noa, -you"]


def test_of_tags_nothing_is_known_from_before() -> None:
    assert said(change(kind=ChangeKind.TAGS, fields={"tagIds": ["vip"]})) == ["Tags", "yours   VIP"]


CAMPAIGN = {
    "name": "Spring sale", "count": 5_000, "digest": "0bade257ee5adb3e0223590a8dd2e52f", "draftId": "x",
    "associatedToBusinessId": "L9", "workflowName": "Sale", "source": "excel",
}  # fmt: skip


def test_a_campaign_that_is_created_has_nothing_before_it() -> None:
    created = change(ChangeState.QUEUED, kind=ChangeKind.CAMPAIGN, target="sale-1", fields=CAMPAIGN)
    assert said(created) == [
        "Name    Spring sale",
        "To      5,000 recipients",
        "Runs    Sale",
        "From    L9",
        "When    at once",
        "List    0bade257ee5adb3e…",
    ]
    later = change(kind=ChangeKind.CAMPAIGN, fields={**CAMPAIGN, "count": None, "scheduledAt": at(20, 9) * 1000})
    assert said(later)[1:] == [
        "To      everybody with its tags",
        "Runs    Sale",
        "From    L9",
        "When    Fri 09:00",
    ]
    assert "".join(each.text.text for each in in_short(created, VIEW)) == "5,000 recipients"
    assert in_words(created, VIEW)[1].text == "To, 5,000 recipients."


def test_a_campaign_that_waits_for_a_decision_says_what_the_keys_do() -> None:
    created = change(kind=ChangeKind.CAMPAIGN, target="sale-1", fields=CAMPAIGN, reason="it isn't stored")
    below = words(activity.row(created, show_line("sale-1"), 120, VIEW)[1])
    assert "waits for you to decide" in below
    assert "r sends it again · x drops it" in below
    facts = words(*activity.facts(created, show_line("sale-1"), 60, VIEW))
    assert "x drops it: nothing is sent, and its draft is kept" in facts


def test_long_text_runs_on_under_its_label() -> None:
    edited = change(ChangeState.QUEUED, fields={"body": "one two three four\nfive"}, base={})
    assert said(edited, 20) == ["Text", "before  nothing", "yours   one two", "        three four", "        five"]


def test_a_row_says_from_what_to_what() -> None:
    conflict = change(fields={"statusCase": "completed"}, base={"statusCase": "open"})
    assert "".join(each.text.text for each in in_short(conflict, VIEW)) == "Open → Completed"
    both = change(fields={"title": "a", "body": "b"}, base={})
    assert "".join(each.text.text for each in in_short(both, VIEW)) == "Title, Text"


def test_the_facts_of_a_conflict_say_what_each_decision_does() -> None:
    conflict = change(fields={"statusCase": "completed"}, base={}, theirs={"statusCase": "open"}, reason="why")
    lines = words(*activity.facts(conflict, show_line("Late delivery"), 60, VIEW))
    for part in ("Edit", "Late delivery", "conflict", "why", "r sends yours again", "x drops it: theirs stays"):
        assert part in lines
