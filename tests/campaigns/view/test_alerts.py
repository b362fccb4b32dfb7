"""Alerts on campaigns in words: on a row of any width, in the detail, in the status line and a notification."""

from dataclasses import replace

import pytest

from campaigns.view.test_row import campaign
from frontdesk.api.contract.ids import CampaignId
from frontdesk.campaigns.alerts.rules import BUILT_IN, AlertMatch
from frontdesk.campaigns.store.alerts import Alert
from frontdesk.campaigns.view.alerts import announcement, in_detail, on_row, status_words
from frontdesk.campaigns.view.row import detail, row
from frontdesk.text.lines import width_of
from sample_records import PLAIN_VIEW, words

FAILED = AlertMatch(BUILT_IN[0], "4.2", "failed 4.2 % so far, over 3 %")
STALLED = AlertMatch(BUILT_IN[1], "75", "stalled over 60 s")


@pytest.mark.parametrize("width", [30, 60, 100])
def test_on_a_row_the_name_gives_way(width: int) -> None:
    record = replace(campaign(), name="A campaign with a name that needs a lot of room on every row")
    plain = row(record, [], width, PLAIN_VIEW)
    lines = on_row(record, plain, [FAILED, STALLED], width, PLAIN_VIEW)
    assert len(lines) == len(plain)
    assert {width_of(line) for line in lines} == {width}
    assert lines[1:] == plain[1:]
    assert (
        words(lines[0])
        == {
            30: "A… ! failed 4.2 …  in progress",
            60: "A campaign with … ! failed 4.2 % so far, over …  in progress",
            100: "A campaign with a name that needs a lot of … "
            "! failed 4.2 % so far, over 3 % and 1 more  in progress",
        }[width]
    )


def test_a_row_without_any_is_as_it_was_and_a_hostile_name_stays_on_it() -> None:
    plain = row(campaign(), [], 80, PLAIN_VIEW)
    assert on_row(campaign(), plain, [], 80, PLAIN_VIEW) == plain
    hostile = replace(campaign(), name="\x1b[2J\u202e")
    line = on_row(hostile, row(hostile, [], 80, PLAIN_VIEW), [FAILED], 80, PLAIN_VIEW)[0]
    assert "\x1b" not in words(line)
    assert "\u202e" not in words(line)


def test_the_detail_has_a_line_for_each() -> None:
    plain = detail(campaign(), [], 60, PLAIN_VIEW)
    lines = in_detail(plain, [FAILED, STALLED], 60, PLAIN_VIEW)
    assert [words(line).strip() for line in lines[2:4]] == [f"! {FAILED.words}", f"! {STALLED.words}"]
    assert (*lines[:2], *lines[4:]) == plain


def alert(number: int, name: str = "Spring", campaign_id: str = "c1") -> Alert:
    return Alert(f"{campaign_id} {number}", CampaignId(campaign_id), name, "completed", float(number), None)


def test_the_status_line_names_the_newest_and_counts_the_rest() -> None:
    assert status_words([], PLAIN_VIEW) == ()
    assert words(status_words([alert(2), alert(1)], PLAIN_VIEW)) == "! Spring: completed and 1 more"
    assert words(status_words([alert(2, "")], PLAIN_VIEW)) == "! c1: completed"
    assert status_words([alert(2, "", "")], PLAIN_VIEW) == (), "a command that can't be started is said elsewhere"


def test_a_notification_of_many_is_short() -> None:
    heading, body = announcement([alert(number, f"Campaign {number}") for number in range(9)])
    assert heading.text == "9 alerts"
    assert body.text == "Campaign 0: completed; Campaign 1: completed; Campaign 2: completed …"
