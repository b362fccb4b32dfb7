"""The views of changes of each kind, and the rows and facts of Activity."""

from typing import Any

from frontdesk.activity import linear as activity_linear
from frontdesk.activity import view as activity_view
from frontdesk.activity.targets import ChangeTarget
from frontdesk.activity.view import Entry
from frontdesk.linear.sentences import speak
from frontdesk.outbox.change_view import LABEL_CELLS
from frontdesk.outbox.delivery import MEANWHILE
from frontdesk.registry.changes import CHANGE_VIEWS
from frontdesk.storage.records import Change, ChangeKind, ChangeState, InvalidItem
from frontdesk_lines.display_text import show_line
from frontdesk_lines.privacy import SIGN, set_private
from sample_records import NOW, VIEW, at, drawn, words


def change(state: ChangeState = ChangeState.CONFLICT, **more: Any) -> Change:
    plain: dict[str, Any] = {"kind": ChangeKind.TASK, "target": "t1", "label": "Edit", "base": {}, "fields": {}}
    return Change(change_id=1, batch="b", state=state, made_at=NOW, send_after=NOW, **(plain | more))


def said(each: Change, width: int = 40) -> list[str]:
    return [
        line.rstrip()
        for line in drawn(CHANGE_VIEWS[each.kind].facts(each, VIEW), width, cells=LABEL_CELLS).split("\n")
        if line.strip()
    ]


def summary(each: Change) -> str:
    return "".join(part.text.text for part in CHANGE_VIEWS[each.kind].summary(each, VIEW))


def sentences(each: Change) -> list[str]:
    return [sentence.text for sentence in speak(CHANGE_VIEWS[each.kind].facts(each, VIEW), VIEW)]


def row(each: Change, target: str) -> str:
    return words(
        activity_view.row(Entry("b", (each,)), CHANGE_VIEWS, [ChangeTarget(show_line(target))], 120, VIEW)[1]
    )


def facts(each: Change, target: str) -> str:
    return drawn(activity_view.about(each, CHANGE_VIEWS[each.kind], ChangeTarget(show_line(target)), VIEW))


def test_a_conflict_shows_each_field_before_theirs_and_yours() -> None:
    conflict = change(
        fields={"statusCase": "completed", "dueDate": 0},
        base={"statusCase": "open", "dueDate": at(18, 17)},
        theirs={"statusCase": "standby", "dueDate": at(20, 9)},
    )
    assert said(conflict) == [
        "Status",
        "was     Open",
        "theirs  In progress",
        "yours   Completed",
        "Due",
        "was     17:00",
        "theirs  Fri 09:00",
        "yours   none",
    ]


def test_every_other_change_shows_before_and_yours() -> None:
    assigned = change(
        ChangeState.CONFIRMED,
        fields={"assignedAgentIds": {"add": ["noa"], "remove": ["me"]}},
        base={"assignedAgentIds": ["me"]},
    )
    assert said(assigned) == ["Assigned", "was     you", "change  +Noa, -you"]


def test_of_tags_nothing_is_known_from_before() -> None:
    assert said(change(kind=ChangeKind.TAGS, fields={"tagIds": ["vip"]})) == ["Tags", "adds    VIP"]


def test_under_privacy_people_are_aliases_and_what_your_company_named_can_be_read() -> None:
    set_private(True)
    assigned = change(
        ChangeState.CONFIRMED,
        fields={"assignedAgentIds": {"add": ["noa"], "remove": []}},
        base={"assignedAgentIds": ["me"]},
    )
    title, was, becomes = said(assigned)
    assert title == "Assigned"
    assert "Agent" in becomes
    assert "Noa" not in becomes
    assert SIGN not in was + becomes
    assert said(change(kind=ChangeKind.TAGS, fields={"tagIds": ["vip"]})) == ["Tags", "adds    VIP"]
    assert summary(change(fields={"statusCase": "completed"}, base={"statusCase": "open"})).startswith("Open")
    assert SIGN in "".join(said(change(fields={"title": "Refund for Dana"}, base={"title": "Refund"})))


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
        "When    now",
        "Digest  0bade257ee5adb3e…",
    ]
    later = change(kind=ChangeKind.CAMPAIGN, fields={**CAMPAIGN, "count": None, "scheduledAt": at(20, 9) * 1000})
    assert said(later)[1:] == [
        "To      everyone with the chosen tags",
        "Runs    Sale",
        "From    L9",
        "When    Fri 09:00",
    ]
    assert summary(created) == "5,000 recipients"
    assert sentences(created)[1] == "To: 5,000 recipients."


def test_a_campaign_that_waits_for_a_decision_says_what_the_keys_do() -> None:
    created = change(
        kind=ChangeKind.CAMPAIGN,
        target="sale-1",
        fields=CAMPAIGN,
        reason="the platform doesn't show this campaign",
    )
    below = row(created, "sale-1")
    assert "waiting for your decision" in below
    assert "r resends it · x discard" in below
    assert "Press x to discard it: nothing more is sent; the draft is kept" in " ".join(
        facts(created, "sale-1").split()
    )


def test_long_text_runs_on_under_its_label() -> None:
    edited = change(ChangeState.QUEUED, fields={"body": "one two three four\nfive"}, base={})
    assert said(edited, 20) == ["Text", "was     none", "set to  one two", "        three four", "        five"]


def test_a_conflict_names_who_changed_it_where_the_team_knows() -> None:
    conflict = change(reason=MEANWHILE, theirs={"title": "x"})
    target = ChangeTarget(show_line("Dana"), changed_by="noa")
    known = drawn(activity_view.about(conflict, CHANGE_VIEWS[ChangeKind.TASK], target, VIEW))
    assert "Noa changed this in the meantime" in known
    assert "Noa changed this in the meantime" in words(
        *activity_view.row(Entry("b", (conflict,)), CHANGE_VIEWS, [target], 120, VIEW)
    )
    assert "someone else changed this in the meantime" in facts(conflict, "Dana")


def test_a_row_says_from_what_to_what() -> None:
    conflict = change(fields={"statusCase": "completed"}, base={"statusCase": "open"})
    assert summary(conflict) == "Open → Completed"
    both = change(fields={"title": "a", "body": "b"}, base={})
    assert summary(both) == "Title, Text"


def test_the_facts_show_a_long_reason_to_its_end_where_the_advice_is() -> None:
    reason = f"the platform rejected it ({'details ' * 40}); correct the input"
    assert "correct the input" in facts(change(fields={"statusCase": "open"}, base={}, reason=reason), "Dana")
    record = InvalidItem("task", "t1", "{}", reason, NOW)
    assert "correct the input" in drawn(activity_view.about_invalid_item(record))


def test_the_facts_of_a_conflict_say_what_each_decision_does() -> None:
    conflict = change(fields={"statusCase": "completed"}, base={}, theirs={"statusCase": "open"}, reason="why")
    lines = facts(conflict, "Late delivery")
    for part in (
        "Edit",
        "Late delivery",
        "conflict",
        "why",
        "r resends yours",
        "Press x to discard it: their version is kept",
    ):
        assert part in lines


UPDATED = {"name": "Welcome", "parts": ["name", "trigger", "parsedData", "data"], "nodes": 12, "digest": "0bad"}


def test_what_is_sent_of_a_workflow_is_told_whole() -> None:
    update = change(ChangeState.QUEUED, kind=ChangeKind.WORKFLOW_UPDATE, target="w1", fields=UPDATED)
    assert said(update) == ["Name    Welcome", "Sends   name, trigger, nodes, canvas", "Nodes   12"]
    assert summary(update) == "12 nodes"
    create = change(kind=ChangeKind.WORKFLOW_CREATE, fields={**UPDATED, "folderId": "sales", "nodes": 1})
    assert said(create)[:2] == ["Name    Welcome", "Folder  sales"]
    assert summary(create) == "1 node"
    switch = change(kind=ChangeKind.WORKFLOW_UPDATE, fields={"isActive": True}, base={"isActive": None})
    assert said(switch) == ["Was     unknown", "Now     on"]
    assert summary(switch) == ""
    assert sentences(switch) == ["Was: unknown.", "Now: on."]


def test_what_a_reset_loses_is_said_in_numbers_once_they_are_known() -> None:
    lost = {"name": "Welcome", "totalStarted": 18_420, "totalCompleted": 9_000.0, "totalDropped": 1}
    reset = change(kind=ChangeKind.ANALYTICS_RESET, fields=lost)
    assert said(reset) == [
        "Resets  18,420 started, 9,000 completed,",
        "        1 dropped",
        "Saves   a snapshot on this machine",
    ]
    assert said(change(kind=ChangeKind.ANALYTICS_RESET, fields={"totalStarted": "x"}))[0] == (
        "Resets  all counters, permanently"
    )
    assert said(change(kind=ChangeKind.WEBHOOK_DELETE), 60) == ["Deletes the webhook with this id, permanently"]


def test_theirs_of_a_workflow_is_looked_at_before_anything_goes_over_it() -> None:
    theirs = {"isActive": True, "lastModified": 5}
    conflict = change(kind=ChangeKind.WORKFLOW_UPDATE, fields=UPDATED, theirs=theirs)
    shown = facts(conflict, "w1")
    assert "conflict: yours or theirs?" in shown
    assert "enter compare theirs with yours" in shown
    assert "Press x to discard it: nothing changes on the platform" in shown
    unseen = change(kind=ChangeKind.WORKFLOW_CREATE, fields=UPDATED)
    shown = facts(unseen, "w1")
    assert "waiting for your decision" in shown
    assert "r resends it" in shown


def test_what_the_platform_made_of_a_workflow_is_said_with_its_yes() -> None:
    done = change(
        ChangeState.CONFIRMED, kind=ChangeKind.WORKFLOW_UPDATE, label="Update", reason="stored otherwise"
    )
    found = activity_linear.outcome(done, CHANGE_VIEWS[done.kind], show_line("w1"), VIEW)
    assert found is not None
    assert found.text == "Confirmed: Update, on w1, reason: stored otherwise."
    conflict = change(kind=ChangeKind.WORKFLOW_UPDATE, fields=UPDATED, theirs={"isActive": True})
    found = activity_linear.outcome(conflict, CHANGE_VIEWS[conflict.kind], show_line("w1"), VIEW)
    assert found is not None
    assert "To compare theirs with yours, run frontdesk outbox retry 1" in found.text
