"""What came of a test, as the wizard says it."""

import pytest

from campaigns.view.test_row import campaign
from frontdesk.campaigns.models import CampaignRecord
from frontdesk.campaigns.view.preflight import describe_test
from frontdesk.storage.records import Change, ChangeKind, ChangeState
from frontdesk_lines.lines import Role
from sample_records import NONE, NOW, VIEW

SEE = 'see "Spring - test" on Campaigns'
CHANGE = Change(
    1, "b", ChangeKind.CAMPAIGN, "c1", {"name": "Spring - test", "count": 1}, {}, "", ChangeState.HELD, NOW, NOW
)


def said(state: ChangeState, record: CampaignRecord | None = None, reason: str = "") -> tuple[str, Role, bool]:
    change = CHANGE._replace(state=state, reason=reason, sent_at=NOW, settled_at=NOW - 60)
    found = describe_test("972522345699", change, record, VIEW)
    return found.words.text, found.role, found.is_open


def test_without_a_test_it_says_where_one_would_go_and_when_no_number_is_set() -> None:
    assert describe_test("", None, None, VIEW).words.text == "not sent. Press t to add your number."
    assert (
        describe_test("972522345699", None, None, VIEW).words.text
        == "not sent. Press t to send one to +972522345699."
    )


def test_until_it_is_created_it_says_how_far_it_is() -> None:
    assert said(ChangeState.HELD) == (
        "sends in a moment; to undo, press esc, then u", Role.PENDING, True
    )  # fmt: skip
    assert said(ChangeState.QUEUED, reason="no network")[0] == "waiting to send: no network"
    assert said(ChangeState.SENDING)[0] == "sending 1 recipient since 14:30:00"
    assert said(ChangeState.UNDONE) == ("undone before sending", Role.DIM, False)
    failed = said(ChangeState.REFUSED, reason="rejected by the platform: no such line")
    assert failed == ("failed: rejected by the platform: no such line; see Activity (6)", Role.BAD, False)


@pytest.mark.parametrize(
    ("counts", "words", "is_open"),
    [
        ({"pending": 1}, "created 14:29, in progress, not sent yet; SEE", True),
        ({"sent": 1}, "sent; SEE", True),
        ({"sent": 1, "delivered": 1, "read": 1}, "read; SEE", False),
        (
            {"failed": 1},
            'the message failed; its delivery results say why; see "Spring - test" on Campaigns',
            False,
        ),
        ({"too_many": 1}, "not sent: the platform got too many requests (throttled); SEE", False),
        ({"opted_out": 1}, "not sent: this number has opted out; SEE", False),
    ],
)
def test_then_it_says_what_came_of_it(counts: dict[str, float], words: str, is_open: bool) -> None:
    record = campaign(counters=NONE._replace(total=1, **counts))
    found = said(ChangeState.CONFIRMED, record)
    assert (found[0], found[2]) == (words.replace("SEE", SEE), is_open)


def test_what_is_not_known_is_not_called_sent() -> None:
    assert "unknown" in said(ChangeState.CONFIRMED)[0]
    assert "not loaded yet" in said(ChangeState.CONFIRMED, campaign("", read_at=None))[0]
    failed = said(ChangeState.CONFIRMED, campaign("failed", failure_reason="no such workflow"))
    assert failed[0] == 'failed: no such workflow; see "Spring - test" on Campaigns'


@pytest.mark.parametrize("status", ["completed", "inProgress", "canceled"])
def test_a_reason_of_failure_is_told_whatever_the_status_says(status: str) -> None:
    record = campaign(status, NONE._replace(total=1, sent=1), failure_reason="line blocked")
    assert said(ChangeState.CONFIRMED, record)[:2] == (
        'failed: line blocked; see "Spring - test" on Campaigns', Role.BAD
    )  # fmt: skip


def test_one_that_was_sent_is_followed_after_its_campaign_has_ended() -> None:
    record = campaign("completed", NONE._replace(total=1, sent=1))
    assert said(ChangeState.CONFIRMED, record)[2]
