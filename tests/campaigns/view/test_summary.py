"""The line above the campaigns, and a campaign on one line: what isn't known is never shown as nothing."""

from dataclasses import replace

import pytest

from campaigns.view.test_row import campaign
from frontdesk.campaigns.alert_rules import BUILT_IN, AlertMatch
from frontdesk.campaigns.models import CampaignHistory, CampaignRecord
from frontdesk.campaigns.reading_cache import CampaignReading
from frontdesk.campaigns.throughput import CampaignState, Throughput
from frontdesk.campaigns.time_left import Certainty, Eta
from frontdesk.campaigns.view.row import UNREAD_AFTER_SECONDS, compact_row
from frontdesk.campaigns.view.summary import summary
from frontdesk_lines.lines import width_of
from sample_records import NONE, NOW, PLAIN_VIEW, VIEW, words


def reading(
    record: CampaignRecord,
    rate: float | None = 600.0,
    ends_in: tuple[float, float] | None = (720.0, 900.0),
    *,
    read_ago: float = 3.0,
    alerts: tuple[AlertMatch, ...] = (),
) -> CampaignReading:
    if record.read_at is not None:
        record = replace(record, read_at=NOW - read_ago)
    eta = None if ends_in is None else Eta(*ends_in, Certainty.GOOD)
    state = CampaignState.MEASURING if rate is None else CampaignState.MOVING
    return CampaignReading(
        CampaignHistory(record), Throughput(state, NOW - read_ago, None, 0.0, rate, rate, eta), alerts
    )


UNREAD = reading(campaign("", NONE, name="", read_at=None), None, None)


def line(*readings: CampaignReading, width: int = 160) -> str:
    (drawn,) = summary(readings, width, VIEW)
    return words(drawn).rstrip()


def test_all_running_campaigns_are_summed_up_in_one_line() -> None:
    ended = reading(campaign("completed"), None, None)
    told = line(reading(campaign()), reading(campaign(), 1_400.0, (1_200.0, 1_500.0), read_ago=8.0), ended)
    assert told == "2 running · 2,000/min · 12% lost · next end in 12 to 15 min · <15 s old"


def test_what_is_not_known_of_a_part_is_said() -> None:
    assert line(UNREAD) == "0+ running · 1 not loaded yet"
    told = line(reading(campaign()), reading(campaign(counters=NONE), None, None), UNREAD)
    assert told.startswith(
        "2+ running · 600+/min · 12% lost in 1 of 2 campaigns · next end in 12 to 15 min (1 unknown)"
    )
    assert told.endswith("1 not loaded yet")
    broken = reading(campaign(problem="gone"))
    assert line(broken) == "0+ running · 1 unreadable"
    measuring = line(reading(campaign(counters=NONE), None, None))
    assert measuring.startswith("1 running · pace unknown · lost unknown · next end unknown")


def test_stalled_campaigns_are_counted_where_that_is_known() -> None:
    moving = reading(campaign())
    stalled = moving._replace(throughput=moving.throughput._replace(state=CampaignState.STALLED))
    assert "stalled" not in line(moving)
    assert line(moving, stalled).startswith("2 running · 1 stalled · ")
    unheard = reading(campaign(), read_ago=UNREAD_AFTER_SECONDS + 1)
    assert "· 1+ stalled ·" in line(unheard, stalled)
    assert "· 1+ stalled ·" in line(UNREAD, stalled)
    long_ago = unheard._replace(throughput=unheard.throughput._replace(state=CampaignState.STALLED))
    assert "stalled" not in line(long_ago)


def test_what_was_not_read_lately_has_no_pace_and_does_not_count_down() -> None:
    """The campaigns that were read went on, and the one that wasn't seemed to end at once."""
    unheard = reading(campaign(), 900.0, (60.0, 90.0), read_ago=UNREAD_AFTER_SECONDS + 1)
    assert "600+/min" in line(reading(campaign()), unheard)
    assert "next end in 12 to 15 min (1 unknown)" in line(reading(campaign()), unheard)
    assert "pace unknown" in line(unheard)
    assert "next end unknown" in line(unheard)


def test_nothing_that_runs_is_told_from_nothing_that_is_watched() -> None:
    assert line(reading(campaign("completed"), None, None)) == "none running"
    assert summary((), 80, VIEW) == ()


@pytest.mark.parametrize(
    ("ago", "words_of_age"),
    [(0, "<15 s"), (10, "<15 s"), (11, "<30 s"), (115, "<2 min"), (190, "<4 min")],
)
def test_numbers_are_never_called_younger_than_they_are(ago: int, words_of_age: str) -> None:
    assert f"· {words_of_age} old" in line(reading(campaign(), read_ago=ago))


def test_old_numbers_have_their_time_of_day() -> None:
    assert "· as of 14:00" in line(reading(campaign(), read_ago=1_800))


@pytest.mark.parametrize("width", [30, 56, 77, 97, 137])
def test_it_is_one_line_at_any_width_and_what_is_unknown_stays(width: int) -> None:
    many = [reading(campaign(), 12_345.0, (6_300.0, 8_400.0), read_ago=300)] * 12
    found = summary([*many, UNREAD, UNREAD], width, VIEW)
    assert [width_of(each) for each in found] == [width]
    assert "12+ running" in words(found[0])
    assert "2 not loaded yet"[: width - 14] in words(found[0])


def test_at_80_columns_every_part_is_there() -> None:
    told = line(reading(campaign(), 1_234.0), reading(campaign()), width=77)
    assert told == "2 running · 1,834/min · 12% lost · next end in 12 to 15 min · <15 s old"


def one_line(found: CampaignReading, width: int = 100) -> str:
    (drawn,) = compact_row(found, width, PLAIN_VIEW)
    assert width_of(drawn) == width
    return words(drawn).rstrip()


def test_a_campaign_on_one_line_has_its_numbers_in_columns() -> None:
    found = reading(campaign())
    assert " ".join(one_line(found).split()) == "Weekend 600 of 1,000 60% 600/min done 14:41 to 14:45 12% lost"
    other = reading(replace(found.record, name="A much longer name than that"), 12_345.0, (10.0, 20.0))
    places = [one_line(each).index("60%") for each in (found, other)]
    assert places[0] == places[1]
    unthrottled = replace(found.record, counters=found.record.counters._replace(too_many=0.0))
    assert one_line(reading(unthrottled)).endswith("9.1% failed")
    assert one_line(found, 56).endswith("60%   done 14:41 to 14:45       12% lost")


def test_on_one_line_too_unknown_is_not_nothing() -> None:
    assert one_line(UNREAD).endswith("not loaded yet")
    assert one_line(reading(campaign(problem="gone"))).endswith("unreadable")
    measuring = one_line(reading(campaign(counters=NONE), None, None))
    assert measuring.split() == ["Weekend", "measuring"]
    doubtful = one_line(reading(campaign(counters=NONE._replace(total=10.0, sent=20.0, failed=1.0))))
    assert "doubtful numbers" in doubtful
    assert "%" not in doubtful
    assert " ".join(one_line(reading(campaign(), read_ago=200)).split()) == (
        "Weekend 600 of 1,000 60% 3 min old 12% lost"
    )


def test_on_one_line_an_alert_has_its_sign_and_one_to_come_its_time() -> None:
    alert = AlertMatch(BUILT_IN[0], "5", "failed 5.0%")
    assert one_line(reading(campaign(), alerts=(alert,))).startswith("! Weekend")
    scheduled = reading(campaign("scheduled", NONE, scheduled_at=NOW + 3_600), None, None)
    assert one_line(scheduled).endswith("starts 15:30")
    assert one_line(reading(replace(scheduled.record, scheduled_at=NOW - 60))).endswith("was due 14:29")
    assert one_line(reading(campaign("completed", completed_at=NOW - 600))).endswith(
        "completed 14:20       12% lost"
    )
