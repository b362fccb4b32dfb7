"""What is looked at before a campaign is sent, each check by what a person reads of it."""

import random
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from frontdesk.campaigns.counters import Counters
from frontdesk.campaigns.draft import Draft, FromFile, FromTags, OneCustomer, new_draft, rename_draft
from frontdesk.campaigns.models import CampaignRecord, Sample
from frontdesk.campaigns.number_zones import zones_of
from frontdesk.campaigns.preflight import preflight, summary_of
from frontdesk.campaigns.preflight_facts import (
    AudienceSummary,
    PreflightFacts,
    PreflightFinding,
    PreflightSeverity,
    WorkflowFacts,
    ZoneShare,
)
from frontdesk.campaigns.throughput import measured_pace
from frontdesk.campaigns.view.preflight import preflight_facts
from frontdesk.config.render_context import Catalogue, RenderContext
from frontdesk.config.settings import Profile, TagLabel
from frontdesk.storage.records import DocumentRecord
from frontdesk_api.contract.ids import CampaignId, FolderId, LineId, TagId, WorkflowId
from frontdesk_api.hosts import Hosts
from frontdesk_lines.display_text import trusted
from frontdesk_lines.glyphs import UNICODE
from frontdesk_lists.models import Audience, CountryCount, CountrySample, HomeCountry, ListedRecipient, RefusedRows
from sample_records import campaign_record, drawn

HOME = ZoneInfo("Asia/Jerusalem")
NOW = datetime(2026, 11, 22, 11, tzinfo=HOME)
VIEW = RenderContext(
    Catalogue(Profile("test", Hosts(*["http://127.0.0.1:9"] * 5))), UNICODE, NOW.timestamp(), HOME
)
FLOW: dict[str, Any] = {
    "id": "w1",
    "name": "Sale",
    "isActive": True,
    "associatedToBusinessId": "L1",
    "trigger": {"data": {"eventType": "Manual Trigger"}},
}


def zones(**shares: float) -> tuple[ZoneShare, ...]:
    """Zones by their names, with `__` for the slash."""
    return tuple(ZoneShare((name.replace("__", "/"),), share) for name, share in shares.items())


def draft(**values: Any) -> Draft:
    made = rename_draft(new_draft(NOW, random.Random(2), FromFile("list.csv")), "Spring sale")
    given = {"workflow_id": WorkflowId("w1"), "folder_id": FolderId("f1"), "line_id": LineId("L1")}
    return replace(made, **{**given, **values})


def facts(flow: dict[str, Any] | None = None, **values: Any) -> PreflightFacts:
    workflow = DocumentRecord("w1", "Sale", {**FLOW, **(flow or {})})
    listed, more_exist = values.pop("workflows", [workflow]), values.pop("more_workflows", False)
    given: dict[str, Any] = {
        "now": NOW,
        "workflows": WorkflowFacts(listed, more_exist, values.pop("checked", ()), values.pop("not_checked", "")),
        "lines": {LineId("L1"): "Shop", LineId("L2"): "Deliveries"},
        "audience": AudienceSummary(5_000, zones=zones(Asia__Jerusalem=1.0)),
        "folders": frozenset({"f1"}),
    }
    return PreflightFacts(**{**given, **values})


def said(found: Any, severity: PreflightSeverity) -> list[str]:
    return [each.words.text for each in found.findings if each.severity is severity]


def test_what_can_be_sent_has_nothing_but_notes() -> None:
    found = preflight(draft(), facts())
    assert not found.errors
    assert not said(found, PreflightSeverity.WARNING)
    assert said(found, PreflightSeverity.NOTE) == [
        "frontdesk doesn't know who opted out; the platform skips these recipients and counts them"
    ]
    assert (found.who.text, found.count) == ("5,000 recipients", 5_000)
    assert [each.text for each in found.at] == ["now, Sun 22 Nov 2026 11:00 IST, your time"]


@pytest.mark.parametrize(("changed", "known", "words"), [
    ({"name": " "}, {}, "has no name"),
    ({"campaign_id": CampaignId("a b")}, {}, "the id must have"),
    ({"campaign_id": CampaignId("cmp-1")}, {"used_ids": frozenset({"cmp-1"})}, 'the id "cmp-1" is already in use'),
    ({"folder_id": FolderId("")}, {}, "no folder"),
    ({"country": "Israel"}, {}, "two letters, such as IL"),
    ({"audience": None}, {}, "no audience chosen"),
    ({}, {"audience": None}, "the list hasn't been loaded yet"),
    ({}, {"audience": AudienceSummary(0)}, "the audience is empty"),
    ({}, {"audience": AudienceSummary(0, refused=3)}, "none of the list's 3 numbers can be used"),
    ({"country": ""}, {"audience": AudienceSummary(0, refused=3)},
     "choose a home country for numbers without a calling code"),
    ({"audience": FromTags(())}, {}, "no tag chosen"),
    ({"audience": FromTags((TagLabel(TagId("t"), "VIP"),))}, {}, 'the tag "VIP" has no account id'),
    ({"audience": OneCustomer("")}, {}, "the audience is empty"),
    ({"audience": OneCustomer("+972-52")}, {}, "must be digits"),
    ({"line_id": LineId("")}, {}, "no line chosen"),
    ({"workflow_id": WorkflowId("")}, {}, "no workflow chosen"),
    ({"workflow_id": WorkflowId("w2")}, {}, '"w2" isn\'t in the platform\'s list (1 workflow)'),
    ({}, {"workflows": None, "not_checked": "none was listed yet"}, "workflow not checked: none was listed yet"),
    ({}, {"workflows": []}, '"w1" isn\'t in the platform\'s list (0 workflows)'),
    ({"workflow_id": WorkflowId("w2")}, {"more_workflows": True}, "(1 workflow), and more exist"),
    ({}, {"not_checked": "nothing can be reached"}, "workflow not checked: nothing can be reached"),
    ({}, {"flow": {"isActive": None}}, 'can\'t tell whether the workflow "Sale" is active'),
    ({}, {"flow": {"isActive": False}}, "is inactive"),
    ({}, {"flow": {"associatedToBusinessId": "L2"}}, 'belongs to the line "Deliveries", not to this one'),
    ({"scheduled_at": NOW.timestamp() - 1}, {}, "has passed"),
    ({"scheduled_at": NOW.timestamp() + 30}, {}, "less than a minute away"),
    ({"scheduled_at": NOW.timestamp() + 366 * 86_400}, {}, "more than a year"),
    ({"scheduled_at": NOW.timestamp() * 1000}, {}, "looks like milliseconds"),
    ({"when_words": "whenever"}, {}, "isn't a recognized time"),
    ({}, {"checked": (PreflightFinding(PreflightSeverity.ERROR, "workflow_id", trusted("no run")),)}, "no run"),
])  # fmt: skip
def test_an_error_keeps_it_from_being_sent(changed: dict[str, Any], known: dict[str, Any], words: str) -> None:
    found = preflight(draft(**changed), facts(**known))
    assert found.errors
    assert any(words in each for each in said(found, PreflightSeverity.ERROR)), found.findings
    assert found.findings[0].severity is PreflightSeverity.ERROR, "errors come first"


@pytest.mark.parametrize(("changed", "known", "words"), [
    ({"line_id": LineId("L9")}, {"flow": {"associatedToBusinessId": "L9"}}, 'unknown line "L9"'),
    ({}, {"flow": {"associatedToBusinessId": ""}}, "has no line"),
    ({}, {"flow": {"trigger": {"data": {"eventType": "Messages Created"}}}}, 'started by "Messages Created"'),
    ({}, {"flow": {"trigger": None}}, 'can\'t tell what starts the workflow "Sale"'),
    ({}, {"lines": {}}, 'unknown line "L1"'),
    ({}, {"busy": ("Early access",), "busy_left": None}, "the number of recipients left is unknown"),
    ({}, {"audience": AudienceSummary(9, refused=2)}, "2 numbers in the list can't be used and are skipped"),
    ({}, {"busy": ("Early access",)}, 'this line is also sending "Early access", so expect delays; the'),
    ({}, {"busy": ("Early access",), "busy_left": 4000.0}, "includes its 4,000 remaining recipients"),
    ({"folder_id": FolderId("promo")}, {"folders": frozenset("f")}, 'uses the folder "promo"'),
    ({}, {"audience": AudienceSummary(9, doubtful=1)}, "1 number in the list may have been misread but will be"),
    ({}, {"audience": AudienceSummary(9, zones=zones(America__New_York=0.4))}, "by the clocks of about 40%"),
    ({"scheduled_at": (NOW + timedelta(hours=14)).timestamp()}, {"audience": AudienceSummary(9)},
     "sends at 01:00 your time"),
])  # fmt: skip
def test_a_warning_is_read_and_does_not_keep_it(
    changed: dict[str, Any], known: dict[str, Any], words: str
) -> None:
    found = preflight(draft(**changed), facts(**known))
    assert not found.errors
    assert any(words in each for each in said(found, PreflightSeverity.WARNING)), found.findings


def test_nothing_is_taken_for_checked_that_nobody_said_was() -> None:
    found = preflight(draft(), PreflightFacts(NOW, audience=AudienceSummary(5)))
    assert [each.words.text for each in found.unchecked] == ["workflow not checked: it isn't loaded"]
    assert found.errors


def test_what_is_unchecked_can_be_confirmed_and_what_is_wrong_cannot() -> None:
    unread = facts(not_checked="offline")
    assert preflight(draft(), unread).can_be_confirmed
    assert not preflight(draft(name=""), unread).can_be_confirmed
    assert not preflight(draft(), facts({"isActive": False}, not_checked="offline")).can_be_confirmed


def test_a_folder_that_nothing_is_known_of_is_not_called_known() -> None:
    notes = said(preflight(draft(), facts(folders=frozenset())), PreflightSeverity.NOTE)
    assert any('can\'t check the folder "f1"' in each for each in notes), notes


def test_when_is_said_in_the_senders_zone_and_in_the_audiences() -> None:
    shares = zones(Europe__Madrid=0.7, Europe__Paris=0.2, Asia__Tokyo=0.08, Asia__Dubai=0.01)
    found = preflight(
        draft(scheduled_at=NOW.timestamp() + 3600), facts(audience=AudienceSummary(100, zones=shares))
    )
    assert [each.text for each in found.at] == [
        "Sun 22 Nov 2026 12:00 IST, your time",
        "Sun 22 Nov 11:00 in Europe/Madrid and Europe/Paris, about 90% of recipients",
        "Sun 22 Nov 19:00 in Asia/Tokyo, about 8% of recipients",
    ]


@pytest.mark.parametrize(("paces", "expected", "is_assumed"), [
    ((), (62.5, 250.0), True), ((0.0,), (62.5, 250.0), True), ((50.0,), (80.0, 5_000 / 37.5), False),
    ((10.0, 20.0, 15.0), (250.0, 500.0), False),
])  # fmt: skip
def test_how_long_it_takes_is_a_range(
    paces: tuple[float, ...], expected: tuple[float, float], is_assumed: bool
) -> None:
    found = preflight(draft(), facts(paces=paces))
    assert found.duration == pytest.approx(expected)
    assert found.is_pace_assumed is is_assumed


@pytest.mark.parametrize(("left", "begins_in", "expected"), [
    (1_000.0, 0, (300.0, 600.0)), (90_000.0, 0, (500.0, 9_500.0)), (1_000.0, 60, (250.0, 540.0)),
    (1_000.0, 3_600, (250.0, 500.0)),
])  # fmt: skip
def test_what_a_busy_line_has_left_is_counted_in(
    left: float, begins_in: int, expected: tuple[float, float]
) -> None:
    """At best the campaigns take turns, at worst the others go first; what begins later finds less of them."""
    at = NOW.timestamp() + begins_in if begins_in else None
    known = facts(paces=(10.0, 20.0), busy=("Early access",), busy_left=left)
    assert preflight(draft(scheduled_at=at), known).duration == pytest.approx(expected)


def test_tags_have_no_count_and_one_customer_is_a_campaign_with_one_recipient() -> None:
    vip = TagLabel(TagId("t"), "VIP", "red", "acme")
    found = preflight(draft(audience=FromTags((vip, replace(vip, title="New")))), facts())
    assert (found.count, found.duration) == (None, None)
    assert found.who.text == 'everyone tagged "VIP" or "New"'
    assert found.body["conversationTags"][0] == {"id": "t", "title": "VIP", "color": "red", "associatedTo": "acme"}
    one = preflight(draft(audience=OneCustomer("972525250000", "Dana\x1b[31m")), facts())
    assert not one.errors
    assert one.count == 1
    assert "\x1b" not in one.who.text
    assert any("one recipient" in each for each in said(one, PreflightSeverity.NOTE))


def test_a_zone_that_this_system_lacks_is_left_out() -> None:
    audience = AudienceSummary(100, zones=zones(Europe__Madrid=0.6, Europe__Nowhere=0.4))
    found = preflight(draft(scheduled_at=NOW.timestamp() + 3600), facts(audience=audience))
    assert [each.text for each in found.at][1:] == ["Sun 22 Nov 11:00 in Europe/Madrid, about 60% of recipients"]


def test_zones_of_numbers_are_told_with_their_shares() -> None:
    assert zones_of(["972525250000", "972525250001"]) == zones(Asia__Jerusalem=1.0)
    unknown_range = "972521234567"
    assert zones_of([unknown_range]) == zones(Asia__Jerusalem=1.0), "its country is known all the same"
    assert zones_of(["nonsense"]) == zones_of([]) == ()
    people = tuple(ListedRecipient("34600000000", "", "", each) for each in range(3))
    summary = summary_of(Audience(people, 3, "d", RefusedRows(count=4)), "csv")
    assert (summary.count, summary.refused) == (3, 4)
    assert "Europe/Madrid" in summary.zones[0].names


def test_zones_count_every_number_of_a_list_sorted_by_country() -> None:
    """A list's first numbers don't stand for the rest: the shares agree with the counts by country."""
    israeli = [f"97252525{each:04}" for each in range(400)]
    american = [f"1212555{each:04}" for each in range(399)]
    assert zones_of([*israeli, *american]) == zones(Asia__Jerusalem=400 / 799, America__New_York=399 / 799)
    audience = AudienceSummary(799, zones=zones_of([*israeli, *american]))
    found = preflight(draft(), facts(audience=audience))
    assert said(found, PreflightSeverity.WARNING) == [
        "sends between 21:00 and 08:00 by the clocks of about 50% of recipients"
    ]


def test_all_recipients_are_named_only_where_it_is_all() -> None:
    israeli, at_night = [f"97252525{each:04}" for each in range(995)], datetime(2026, 11, 22, 23, tzinfo=HOME)
    for others, words in ((["12125550100"] * 5, ">99% of recipients"), ([], "all recipients")):
        audience = AudienceSummary(1_000, zones=zones_of([*israeli, *others]))
        found = preflight(draft(), facts(now=at_night, audience=audience))
        assert said(found, PreflightSeverity.WARNING) == [
            f"sends between 21:00 and 08:00 by the clocks of {words}"
        ]


def test_zones_of_a_range_are_those_of_each_number_in_it() -> None:
    rng, sizes = random.Random(7), {"97252": 12, "97277": 12, "1212": 11, "1415": 11, "1800": 11, "4420": 12}
    sizes |= {"79": 11, "346": 11, "614": 11, "55119": 13, "4930": 12}
    numbers = [
        start + "".join(rng.choices("0123456789", k=size - len(start)))
        for start, size in sizes.items()
        for _ in range(60)
    ]
    single = Counter(share.names for each in numbers for share in zones_of([each]))
    assert {each.names: round(each.share * len(numbers)) for each in zones_of(numbers)} == single


def test_a_number_of_a_country_with_several_zones_is_counted_once() -> None:
    british = ["447911123456"]
    assert sum(each.share for each in zones_of([*british, "18005550199", "972525250000"])) <= 1
    one = preflight(draft(audience=OneCustomer(*british)), facts())
    assert [each.text for each in one.at][1:] == ["Sun 22 Nov 09:00 in Europe/London, all recipients"]


def test_a_number_that_tells_no_single_clock_says_so() -> None:
    spanish = preflight(draft(audience=OneCustomer("34600000000"), scheduled_at=NOW.timestamp() + 36_000), facts())
    assert [each.text for each in spanish.at][1:] == [
        "Sun 22 Nov 19:00 to Sun 22 Nov 20:00 in Europe/Madrid and Atlantic/Canary, all recipients"
    ]
    later = preflight(draft(audience=OneCustomer("34600000000"), scheduled_at=NOW.timestamp() + 39_600), facts())
    assert [each for each in said(later, PreflightSeverity.WARNING) if "clocks" in each] == [
        "may send between 21:00 and 08:00 by the clocks of all recipients; some numbers don't tell the time zone"
    ]


def counters(total: float | None, pending: float | None) -> Counters:
    return Counters(total, pending, *[None] * 7)


def record(now: Counters, started: float | None, completed: float | None) -> CampaignRecord:
    return campaign_record(status="", counters=now, started_at=started, completed_at=completed)


@pytest.mark.parametrize(("campaign", "samples", "pace"), [
    (record(counters(1000, 0), 100.0, 150.0), (), 20.0),
    (record(counters(5, 0), 100.0, 150.0), (), None),
    (record(counters(1000, 400), 100.0, None), ((100.0, 1000.0), (160.0, 400.0)), 10.0),
    (record(counters(1000, 400), 100.0, None), ((160.0, 400.0),), None),
    (record(counters(1000, 990), 100.0, None), ((100.0, 1000.0), (160.0, 990.0)), None),
])  # fmt: skip
def test_a_pace_is_measured_from_the_platforms_times_or_from_samples(
    campaign: CampaignRecord, samples: tuple[tuple[float, float], ...], pace: float | None
) -> None:
    kept = [Sample(at, counters(1000, pending)) for at, pending in samples]
    assert measured_pace(campaign, kept) == pace


HOME_OF_LIST = HomeCountry("IL", "most of your customers are in IL (+972)", 5_721, 5_800)


def test_a_home_country_that_nobody_chose_keeps_it_from_being_sent() -> None:
    known = facts(audience=AudienceSummary(4_279, refused=5_721, home=HOME_OF_LIST))
    undecided = preflight(draft(), known)
    assert any("choose a home country, such as IL, or none" in each.words.text for each in undecided.errors)
    none = preflight(draft(is_country_chosen=True), known)
    assert not none.errors
    assert any("no home country: 5,721 of 5,800" in each for each in said(none, PreflightSeverity.WARNING))
    suggested = preflight(draft(country="IL", country_reason=HOME_OF_LIST.reason), facts())
    assert any("confirm the home country: IL was suggested" in each.words.text for each in suggested.errors)
    bare = preflight(draft(), facts(audience=AudienceSummary(90, refused=3, undecided=3)))
    assert any("choose a home country, or none: 3 numbers" in each.words.text for each in bare.errors)


def test_columns_that_nobody_chose_among_several_keep_it_from_being_sent() -> None:
    known = facts(audience=AudienceSummary(93, rivals={"number": "column B · Phone or column C · Mobile"}))
    unsure = preflight(draft(), known)
    assert [each.words.text for each in unsure.errors] == [
        "choose the column with the phone numbers: it may be column B · Phone or column C · Mobile"
    ]
    assert not unsure.unchecked, "nothing confirms it but the choice"
    assert not preflight(draft(audience=FromFile("people.csv", confirmed=("number",))), known).errors


@pytest.mark.parametrize(("guessed", "severity"), [(3, PreflightSeverity.WARNING), (0, PreflightSeverity.NOTE)])
def test_recipients_in_another_country_than_most_are_named(guessed: int, severity: PreflightSeverity) -> None:
    sample = CountrySample(5, "531234567", "531234567")
    countries = (CountryCount("IL (+972)", 90, 90), CountryCount("CU (+53)", 3, guessed, (sample,)))
    found = preflight(draft(), facts(audience=AudienceSummary(93, countries=countries)))
    assert (
        "3 recipients are in another country than most (IL (+972)): "
        "3 in CU (+53), such as 531234567 as +531234567 (row 5)"
    ) in said(found, severity)


def test_doubtful_numbers_left_out_by_choice_are_not_called_unusable() -> None:
    found = preflight(draft(), facts(audience=AudienceSummary(93, refused=2_708, skipped=2_583)))
    assert said(found, PreflightSeverity.WARNING) == [
        "125 numbers in the list can't be used and are skipped",
        "2,583 doubtful numbers in the list are skipped, as you chose",
    ]


def test_a_row_of_the_list_is_called_what_the_audience_command_calls_it() -> None:
    sample = CountrySample(6, "531234567", "531234567")
    countries = (CountryCount("IL (+972)", 90, 90), CountryCount("CU (+53)", 3, 3, (sample,)))
    people = (ListedRecipient("972525250000", "", "", 2),)
    summary = summary_of(Audience(people, 1, "d", countries=countries), "csv")
    found = preflight(draft(), facts(audience=summary))
    assert any("(line 6)" in each for each in said(found, PreflightSeverity.WARNING))


def test_rounded_numbers_are_told() -> None:
    found = preflight(draft(), facts(audience=AudienceSummary(93, rounded=2)))
    assert any("2 rows may hold a number that" in each for each in said(found, PreflightSeverity.WARNING))


TWINS = (
    DocumentRecord("65f0c2a19b7d4e0012aa01f7", "Sale", {**FLOW, "lastModified": NOW.timestamp() - 3_600}),
    DocumentRecord("65f0c2a19b7d4e0012aa99c3", " sale", {"id": "65f0c2a19b7d4e0012aa99c3", "isActive": False}),
)


def test_a_workflow_whose_name_is_shared_is_named_by_its_id_and_what_differs() -> None:
    chosen = draft(workflow_id=WorkflowId("65f0c2a19b7d4e0012aa01f7"), workflow_name="Sale")
    found = preflight(chosen, facts(workflows=TWINS))
    assert found.has_namesakes
    assert (
        "this campaign runs 65f0c2a19b7d4e0012aa01f7, which is active, updated 10:00; 1 other workflow has the "
        "same name: 65f0c2a19b7d4e0012aa99c3 is inactive, last update unknown"
    ) in said(found, PreflightSeverity.WARNING)
    assert "65f0c2a19b7d4e0012aa01f7)" in drawn(preflight_facts(chosen, found, VIEW), 100)
    assert not preflight(draft(), facts()).has_namesakes


def test_a_workflow_that_is_not_listed_is_still_told_from_one_of_its_name() -> None:
    gone = draft(workflow_id=WorkflowId("gone"), workflow_name="Sale")
    found = preflight(gone, facts(workflows=TWINS))
    assert found.has_namesakes
    warnings = said(found, PreflightSeverity.WARNING)
    assert any("runs gone, which isn't listed; 2 other workflows have" in each for each in warnings)
