"""A campaign that is being created: how many recipients, and since when it is on its way."""

from datetime import UTC

from frontdesk.campaigns.view.change import CampaignChangeView, pending_campaigns, sending_words
from frontdesk.storage.records import Change, ChangeKind, ChangeState
from sample_records import NOW, VIEW, words

FIELDS = {"name": "Spring", "count": 50_000, "bytes": 8_204_117}
CHANGE = Change(1, "b", ChangeKind.CAMPAIGN, "c1", FIELDS, {}, "Campaign: Spring", ChangeState.QUEUED, NOW, NOW)
ON_ITS_WAY = CHANGE._replace(state=ChangeState.SENDING, sends=1, sent_at=NOW - 12)


def test_while_it_is_on_its_way_it_says_how_much_and_since_when() -> None:
    (line,) = pending_campaigns([ON_ITS_WAY], 100, VIEW)
    assert "Spring  sending 50,000 recipients (8.2 MB) since 14:29:48" in words(line)
    assert words(CampaignChangeView().summary(ON_ITS_WAY, VIEW)) == "50,000 recipients (8.2 MB) since 14:29:48"


def test_before_and_after_that_it_says_no_time() -> None:
    for state in (ChangeState.QUEUED, ChangeState.UNKNOWN, ChangeState.CONFIRMED):
        each = ON_ITS_WAY._replace(state=state)
        assert words(CampaignChangeView().summary(each, VIEW)) == "50,000 recipients"
    (line,) = pending_campaigns([CHANGE], 100, VIEW)
    assert "Spring · 50,000 recipients  waiting to send" in words(line)


def test_what_is_not_known_is_left_out() -> None:
    assert sending_words(None, None, 0.0, UTC).text == "everyone with the chosen tags since 00:00:00"
    assert sending_words(1, 312, 0.0, UTC).text == "1 recipient (312 B) since 00:00:00"
    older = ON_ITS_WAY._replace(fields={"name": "Spring", "count": 2})
    assert words(CampaignChangeView().summary(older, VIEW)) == "2 recipients since 14:29:48"
