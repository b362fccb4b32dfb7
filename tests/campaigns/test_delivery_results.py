"""What a page of a thread tells of a campaign's recipient, and how outcomes are counted."""

from typing import Any

import pytest

from frontdesk.campaigns.delivery_results import (
    MAX_GROUPS,
    NO_CONVERSATION,
    NOT_FOUND,
    UNREADABLE,
    DeliveryResult,
    DeliveryResultGroup,
    ResultClass,
    ResultsUnavailable,
    SendingPeriod,
    Tally,
    class_of,
    may_change,
    sending_period_of,
    share_of,
)
from frontdesk.campaigns.view.delivery_results import advice_for, title_of
from frontdesk_api.contract.ids import CustomerId, LineId

STARTED, ENDED = 1_000_000.0, 2_000_000.0


def message(at: float, **fields: Any) -> dict[str, Any]:
    return {"createdAt": at, "initiator": "campaign", "messageDirection": "outgoing", "status": "read", **fields}


def failed(at: float, code: object, title: str = "No") -> dict[str, Any]:
    return message(at, status="failed", error={"code": code, "title": title})


def tell(*messages: dict[str, Any], ended: float | None = ENDED, has_more: bool = False) -> DeliveryResult:
    return SendingPeriod(LineId("L1"), STARTED, ended).result(messages, has_more=has_more)


def test_the_message_of_the_campaigns_time_tells_with_its_error() -> None:
    page = [message(3_000_000, status="delivered"), failed(STARTED + 5, 131026, "Undeliverable"), message(5)]
    assert tell(*page) == DeliveryResult("failed", "131026", "Undeliverable")
    assert tell(message(STARTED)) == DeliveryResult("read")


def test_what_a_person_a_bot_or_another_time_wrote_tells_nothing() -> None:
    others = [
        message(STARTED + 1, initiator="bot"),
        message(STARTED + 2, messageDirection="incoming"),
        message(STARTED - 1),
        message(ENDED + 3_600_000),
        message(STARTED, createdAt=None),
        {},
    ]
    assert tell(*others).status == NOT_FOUND
    assert tell(message(ENDED + 3_600_000), ended=None).status == "read", "while it runs every later one counts"


def test_of_several_the_first_counts_it_opened() -> None:
    assert tell(message(STARTED + 9), failed(STARTED + 1, 131049), message(STARTED + 5)).code == "131049"


def test_nothing_found_is_told_apart_and_no_success() -> None:
    assert tell() == DeliveryResult(NO_CONVERSATION)
    assert tell(message(STARTED - 5), has_more=True) == DeliveryResult(NOT_FOUND), (
        "older ones can't be the campaign's"
    )
    further = tell(message(ENDED + 999_999), has_more=True)
    assert (further.status, "further back" in further.reason) == (NOT_FOUND, True)
    for status in (NOT_FOUND, NO_CONVERSATION, UNREADABLE, "", "somethingNew"):
        assert class_of(status) is ResultClass.UNCLEAR


@pytest.mark.parametrize(
    ("status", "standing"),
    [
        ("sent", ResultClass.ARRIVED),
        ("played", ResultClass.ARRIVED),
        ("failed", ResultClass.FAILED),
        ("tooManyRequests", ResultClass.FAILED),
        ("optOut", ResultClass.LEFT_OUT),
        ("duplicateMessage", ResultClass.LEFT_OUT),
        ("inProcess", ResultClass.UNDER_WAY),
        ("standby", ResultClass.UNDER_WAY),
    ],
)
def test_what_a_status_means(status: str, standing: ResultClass) -> None:
    assert class_of(status) is standing


def test_strange_errors_are_taken_as_far_as_they_go() -> None:
    for error in (None, "no", [], {"code": [1]}, {"code": True}, {"title": 5}):
        assert tell(message(STARTED, status="failed", error=error)) == DeliveryResult("failed")
    assert tell(failed(STARTED, "E-9", "x" * 5_000)).code == "E-9"
    assert len(tell(failed(STARTED, "9" * 5_000, "x" * 5_000)).code) == 40
    assert tell(failed(STARTED, 10**400)).code == ""
    assert tell(failed(STARTED, 131026.0)).code == "131026"
    assert tell(message(STARTED, status={}, error={"code": 7})) == DeliveryResult("", "7")


def people(count: int) -> list[CustomerId]:
    return [CustomerId(f"4477{place:06}") for place in range(count)]


def test_failures_stand_first_the_largest_before_the_others_with_examples() -> None:
    found = (
        [DeliveryResult("read")] * 9
        + [DeliveryResult("failed", "131049", "a")] * 2
        + [DeliveryResult("failed", "131026", "b")] * 4
    )
    tally = Tally(zip(people(15), found, strict=True))
    assert [(each.code, each.count) for each in tally.groups()] == [("131026", 4), ("131049", 2), ("", 9)]
    assert len(tally) == 15
    assert tally.groups()[0].examples == tuple(people(15)[11:14])
    failed_share = share_of(tally.groups(), ResultClass.FAILED, 5_000)
    assert failed_share is not None
    assert failed_share.share == pytest.approx(6 / 15)
    assert share_of((), ResultClass.FAILED, 10) is None


def test_one_code_is_one_group_whatever_its_titles_say_and_an_unknown_code_keeps_its_title() -> None:
    found = [
        DeliveryResult("failed", "470", "More than 24 hours"),
        DeliveryResult("failed", "470", "Mehr als 24 Stunden"),
    ]
    (group,) = Tally(zip(people(2), found, strict=True)).groups()
    assert (group.count, title_of(group)) == (2, "More than 24 hours")
    assert "title comes from the platform" in advice_for(group)


def test_who_is_looked_at_again_is_counted_once() -> None:
    (who,) = people(1)
    tally = Tally([(who, DeliveryResult("inProcess"))])
    tally.add(who, DeliveryResult("failed", "131056", "x"))
    (group,) = tally.groups()
    assert (group.code, group.count, group.examples, len(tally)) == ("131056", 1, (who,), 1)


def test_strangers_can_not_make_groups_without_end() -> None:
    found = [DeliveryResult(f"status{place}", f"{place}", "x") for place in range(5_000)]
    tally = Tally(zip(people(5_000), found, strict=True))
    assert len(tally.groups()) <= MAX_GROUPS + 3
    assert sum(each.count for each in tally.groups()) == 5_000


@pytest.mark.parametrize("code", ["131026", "131049", "130429", "131056"])
def test_each_code_met_in_the_field_has_plain_advice(code: str) -> None:
    group = DeliveryResultGroup("failed", code, "Platform's words", 1)
    assert "known" not in advice_for(group)
    assert title_of(group) != "Platform's words"


def test_who_is_worth_another_look() -> None:
    assert may_change(DeliveryResult("inProcess"), 5.0, 1.0)
    assert may_change(DeliveryResult(UNREADABLE), 5.0, 1.0)
    assert may_change(DeliveryResult(NOT_FOUND), 5.0, None)
    assert may_change(DeliveryResult(NO_CONVERSATION), 5.0, 9.0)
    assert not may_change(DeliveryResult(NOT_FOUND), 5.0, 1.0)
    assert not may_change(DeliveryResult("failed", "131026"), 5.0, None)


def test_a_campaign_of_which_nothing_can_be_told_says_why() -> None:
    listed = {"source": "excel", "associatedToBusinessId": "L1", "startedAt": 5, "status": "inProgress"}
    assert sending_period_of(listed).ended_ms is None
    assert sending_period_of({**listed, "status": "stopped", "completedAt": 9}).ended_ms == 9
    for strange, words in (
        ({}, "isn't loaded"),
        ({**listed, "source": "tags"}, "tags"),
        ({**listed, "startedAt": None}, "hasn't started"),
        (
            {**listed, "startedAt": None, "status": "failed", "failureReason": "no folder"},
            "the campaign failed .*: no folder",
        ),
        ({**listed, "associatedToBusinessId": 5}, "no line"),
    ):
        with pytest.raises(ResultsUnavailable, match=words):
            sending_period_of(strange)
