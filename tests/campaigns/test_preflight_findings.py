"""Each situation of a preflight by the whole of what it finds: the severity, the field and the sentence."""

from typing import Any

import pytest

from campaigns.test_preflight import NOW, draft, facts
from frontdesk.campaigns.draft import FromFile, FromTags, OneCustomer
from frontdesk.campaigns.number_zones import zones_of
from frontdesk.campaigns.preflight import input_errors, line_of, preflight, workflow_difference
from frontdesk.campaigns.preflight_facts import AudienceSummary, PreflightFacts, PreflightSeverity, ZoneShare
from frontdesk.campaigns.sent_campaigns import SentCampaign
from frontdesk.config.settings import TagLabel
from frontdesk.storage.records import DocumentRecord
from frontdesk_api.contract.ids import CampaignId, FolderId, LineId, TagId, WorkflowId
from frontdesk_lists.models import CountryCount, CountrySample, HomeCountry

ERROR, WARNING, NOTE = PreflightSeverity
UNCHECKED = "unchecked"
OPTED_OUT = (
    NOTE,
    "audience",
    "frontdesk doesn't know who opted out; the platform skips these recipients and counts them",
)
SUGGESTED = HomeCountry("IL", "most numbers are Israeli", 90, 100)
VIP = TagLabel(TagId("t"), "VIP", "red", "acme")

Finding = tuple[PreflightSeverity | str, str, str]


def found(changed: dict[str, Any], known: dict[str, Any]) -> list[Finding]:
    findings = preflight(draft(**changed), facts(**known)).findings
    return [(UNCHECKED if each.is_unchecked else each.severity, each.field, each.words.text) for each in findings]


@pytest.mark.parametrize(
    ("changed", "known", "expected"),
    [
        ({"name": " "}, {}, [(ERROR, "name", "the campaign has no name")]),
        (
            {"campaign_id": CampaignId("cmp-1")},
            {"used_ids": frozenset({"cmp-1"})},
            [(ERROR, "campaign_id", 'the id "cmp-1" is already in use')],
        ),
        (
            {},
            {"sent": (SentCampaign(CampaignId("c1"), "Spring sale", "", 0.0, 5, "completed"),)},
            [(WARNING, "name", "already sent or scheduled within 7 days: 1 campaign like this one")],
        ),
        ({"folder_id": FolderId("")}, {}, [(ERROR, "folder_id", "no folder chosen")]),
        ({"country": "IL"}, {}, []),
        ({"country": "I1"}, {}, [(ERROR, "country", "the home country must be two letters, such as IL, or none")]),
        ({"line_id": LineId("")}, {}, [(ERROR, "line_id", "no line chosen")]),
        (
            {},
            {"busy": ("A", "B"), "busy_left": 1.0},
            [
                (
                    WARNING,
                    "line_id",
                    'this line is also sending "A", "B", so expect delays; '
                    "the estimate includes its 1 remaining recipient",
                )
            ],
        ),
        (
            {},
            {"busy": ("A",), "busy_left": None},
            [
                (
                    WARNING,
                    "line_id",
                    'this line is also sending "A", so expect delays; '
                    "the estimate doesn't account for this, because the number of recipients left is unknown",
                )
            ],
        ),
        (
            {},
            {"busy": ("A",), "busy_left": 0.0},
            [
                (
                    WARNING,
                    "line_id",
                    'this line is also sending "A", so expect delays; the estimate doesn\'t account for this',
                )
            ],
        ),
        (
            {},
            {"folders": frozenset({"a", "b"})},
            [(WARNING, "folder_id", 'no watched campaign uses the folder "f1"; some use "a", "b"')],
        ),
        (
            {},
            {"folders": frozenset()},
            [(NOTE, "folder_id", 'can\'t check the folder "f1": no watched campaign uses a folder')],
        ),
        ({"workflow_id": WorkflowId("")}, {}, [(ERROR, "workflow_id", "no workflow chosen")]),
        (
            {},
            {"workflows": None},
            [(UNCHECKED, "workflow_id", "workflow not checked: the workflows aren't loaded yet")],
        ),
        (
            {},
            {"workflows": [], "more_workflows": True},
            [
                (
                    UNCHECKED,
                    "workflow_id",
                    "workflow not checked: \"w1\" isn't in the platform's list (0 workflows), and more exist",
                )
            ],
        ),
        ({}, {"workflows": []}, [(ERROR, "workflow_id", "\"w1\" isn't in the platform's list (0 workflows)")]),
        (
            {},
            {"not_checked": "it is \x1b offline"},
            [(UNCHECKED, "workflow_id", "workflow not checked: it is ␛ offline")],
        ),
        (
            {},
            {"flow": {"isActive": "yes", "name": ""}},
            [(UNCHECKED, "workflow_id", 'can\'t tell whether the workflow "w1" is active')],
        ),
        (
            {},
            {"flow": {"isActive": False}},
            [(ERROR, "workflow_id", 'the workflow "Sale" is inactive, so nothing would be sent')],
        ),
        (
            {},
            {"flow": {"associatedToBusinessId": None}},
            [(WARNING, "workflow_id", 'the workflow "Sale" has no line')],
        ),
        (
            {},
            {"flow": {"associatedToBusinessId": None, "associatedToPlatformId": "L3"}},
            [(ERROR, "workflow_id", 'the workflow "Sale" belongs to the line "L3", not to this one')],
        ),
        ({}, {"flow": {"trigger": {"data": {}}, "triggerType": "Manual Trigger"}}, []),
        (
            {},
            {"flow": {"trigger": "x", "triggerType": "Other"}},
            [(WARNING, "workflow_id", 'the workflow "Sale" is started by "Other", not manually or by a campaign')],
        ),
        (
            {},
            {"flow": {"trigger": {"data": 1}}},
            [(WARNING, "workflow_id", 'can\'t tell what starts the workflow "Sale"')],
        ),
    ],
)
def test_besides_the_people_each_finding_is_about_its_field(
    changed: dict[str, Any], known: dict[str, Any], expected: list[Finding]
) -> None:
    assert [each for each in found(changed, known) if each != OPTED_OUT] == expected


@pytest.mark.parametrize(
    ("changed", "summary", "expected"),
    [
        ({"audience": None}, None, [(ERROR, "audience", "no audience chosen")]),
        ({}, None, [(ERROR, "audience", "the list hasn't been loaded yet")]),
        (
            {},
            AudienceSummary(0),
            [(ERROR, "audience", "no one would receive a message: the audience is empty"), OPTED_OUT],
        ),
        (
            {"country": "IL"},
            AudienceSummary(0, refused=1),
            [
                (ERROR, "audience", "no one would receive a message: the list's only number can't be used"),
                (WARNING, "audience", "1 number in the list can't be used and is skipped"),
                OPTED_OUT,
            ],
        ),
        (
            {},
            AudienceSummary(0, refused=2, skipped=2),
            [
                (
                    ERROR,
                    "audience",
                    "no one would receive a message: none of the list's 2 numbers can be used; "
                    "choose a home country for numbers without a calling code",
                ),
                (WARNING, "audience", "2 doubtful numbers in the list are skipped, as you chose"),
                OPTED_OUT,
            ],
        ),
        (
            {},
            AudienceSummary(5, refused=3, skipped=1),
            [
                (WARNING, "audience", "2 numbers in the list can't be used and are skipped"),
                (WARNING, "audience", "1 doubtful number in the list is skipped, as you chose"),
                OPTED_OUT,
            ],
        ),
        (
            {},
            AudienceSummary(5, doubtful=2, rounded=1, duplicates=1),
            [
                (WARNING, "audience", "2 numbers in the list may have been misread but will be messaged"),
                (
                    WARNING,
                    "audience",
                    "1 row may hold a number that a spreadsheet rounded; its last digits are lost",
                ),
                (NOTE, "audience", "1 row is a duplicate; each number is messaged once"),
                OPTED_OUT,
            ],
        ),
        (
            {},
            AudienceSummary(5, duplicates=1200),
            [(NOTE, "audience", "1,200 rows are duplicates; each number is messaged once"), OPTED_OUT],
        ),
        (
            {},
            AudienceSummary(5, home=SUGGESTED),
            [
                (
                    ERROR,
                    "country",
                    "choose a home country, such as IL, or none: 90 of 100 numbers without a calling code "
                    "would be valid in IL; most numbers are Israeli",
                ),
                OPTED_OUT,
            ],
        ),
        (
            {"is_country_chosen": True},
            AudienceSummary(5, home=SUGGESTED),
            [
                (
                    WARNING,
                    "country",
                    "no home country: 90 of 100 numbers without a calling code would be valid in IL; "
                    "most numbers are Israeli",
                ),
                OPTED_OUT,
            ],
        ),
        (
            {"country": "IL", "country_reason": "it is the line's"},
            AudienceSummary(5),
            [
                (ERROR, "country", "confirm the home country: IL was suggested, because it is the line's"),
                OPTED_OUT,
            ],
        ),
        (
            {},
            AudienceSummary(5, refused=3, hidden=1, undecided=1),
            [
                (ERROR, "country", "choose a home country, or none: 1 number has no calling code"),
                (WARNING, "audience", "1 row that Excel hides is skipped"),
                (WARNING, "audience", "1 number in the list can't be used and is skipped"),
                OPTED_OUT,
            ],
        ),
        ({"country": "IL"}, AudienceSummary(5), [OPTED_OUT]),
        (
            {"audience": OneCustomer("4915")},
            None,
            [(NOTE, "audience", "this counts as a campaign, with one recipient"), OPTED_OUT],
        ),
        (
            {"audience": OneCustomer("٤٩١٥")},
            None,
            [
                (ERROR, "audience", "the customer's number must be digits only, with the calling code"),
                (NOTE, "audience", "this counts as a campaign, with one recipient"),
                OPTED_OUT,
            ],
        ),
        ({"audience": FromTags(())}, None, [(ERROR, "audience", "no tag chosen"), OPTED_OUT]),
        (
            {"audience": FromTags((VIP, TagLabel(TagId("n"), "New")))},
            None,
            [
                (ERROR, "audience", 'the tag "New" has no account id; set its associated_to in the config'),
                (NOTE, "audience", "the number of recipients is unknown until the campaign is sent"),
                OPTED_OUT,
            ],
        ),
    ],
)
def test_each_finding_about_people(
    changed: dict[str, Any], summary: AudienceSummary | None, expected: list[Finding]
) -> None:
    about = [each for each in found(changed, {"audience": summary}) if each[1] in ("audience", "country")]
    assert about == expected


@pytest.mark.parametrize(
    ("others", "severity", "words"),
    [
        ([], None, ""),
        ([CountryCount("FR", 1, 0)], NOTE, "1 recipient is in another country than most (IL): 1 in FR"),
        (
            [CountryCount("FR", 2, 0, (CountrySample(4, "06", "336"),)), CountryCount("DE", 1, 0)],
            NOTE,
            "3 recipients are in another country than most (IL): 2 in FR, such as 06 as +336 (row 4); 1 in DE",
        ),
        (
            [CountryCount("FR", 1, 0), CountryCount("DE", 1, 1)],
            WARNING,
            "2 recipients are in another country than most (IL): 1 in FR; 1 in DE",
        ),
    ],
)
def test_recipients_elsewhere_are_counted_by_country(
    others: list[CountryCount], severity: PreflightSeverity | None, words: str
) -> None:
    summary = AudienceSummary(50, countries=(CountryCount("IL", 40, 40), *others))
    about = [each for each in found({}, {"audience": summary}) if each[1] == "audience" and each != OPTED_OUT]
    assert about == ([] if severity is None else [(severity, "audience", words)])


def test_what_is_wrong_whatever_else_is_known_needs_no_facts() -> None:
    assert input_errors(draft(), NOW) == ()
    assert input_errors(draft(audience=FromFile("list.csv")), NOW) == (), "what was never read isn't wrong"
    wrong = draft(
        name="",
        campaign_id=CampaignId("x"),
        folder_id=FolderId(""),
        line_id=LineId(""),
        workflow_id=WorkflowId(""),
        audience=FromTags(()),
        scheduled_at=NOW.timestamp() - 9,
    )
    fields = [each.field for each in input_errors(wrong, NOW)]
    assert fields[:6] == ["name", "campaign_id", "folder_id", "audience", "line_id", "workflow_id"]
    assert len(fields) == 7
    assert {each.severity for each in input_errors(wrong, NOW)} == {ERROR}


def test_workflows_of_one_name_are_told_apart() -> None:
    def listed(each: str, name: str, **raw: Any) -> DocumentRecord:
        return DocumentRecord(each, name, {"isActive": True, "associatedToBusinessId": "L1"} | raw)

    same = [listed("w1", "Sale"), listed("w2", "sale", isActive=False), listed("w3", "Other")]
    result = preflight(draft(), facts(workflows=same))
    assert result.has_namesakes
    words = [each.words.text for each in result.findings if "the same name" in each.words.text]
    assert words == [
        "this campaign runs w1, which is active, last update unknown; 1 other workflow has the same name: "
        "w2 is inactive, last update unknown"
    ]
    more = preflight(draft(), facts(workflows=[*same, *(listed(f"x{number}", "SALE") for number in range(30))]))
    (text,) = [each.words.text for each in more.findings if "the same name" in each.words.text]
    assert "; 31 other workflows have the same name: " in text
    assert text.endswith(" more")
    assert not preflight(draft(workflow_id=WorkflowId("w3")), facts(workflows=same)).has_namesakes
    unlisted = draft(workflow_id=WorkflowId("w9"), workflow_name="Other")
    assert preflight(unlisted, facts(workflows=same)).has_namesakes
    assert not preflight(
        draft(workflow_id=WorkflowId(""), workflow_name="Other"), facts(workflows=same)
    ).has_namesakes


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({}, "may be active, last update unknown"),
        ({"isActive": 1, "lastModified": "x"}, "may be active, last update unknown"),
        ({"isActive": False, "lastModified": NOW.timestamp() - 3600}, "is inactive, updated 10:00"),
        ({"isActive": True, "lastModified": NOW.timestamp() - 86_400}, "is active, updated yesterday 11:00"),
    ],
)
def test_a_workflow_is_told_by_its_state_and_last_update(raw: dict[str, Any], expected: str) -> None:
    assert workflow_difference(raw, NOW) == expected
    assert workflow_difference(raw, NOW.replace(tzinfo=None)).endswith("last update unknown")


def test_a_workflows_line_is_that_of_the_business_before_the_platforms() -> None:
    assert line_of({"associatedToBusinessId": "L1", "associatedToPlatformId": "L2"}) == "L1"
    assert line_of({"associatedToBusinessId": "", "associatedToPlatformId": "L2"}) == "L2"
    assert line_of({}) == ""


def test_who_is_messaged_is_said_in_words() -> None:
    def who(audience: object) -> str:
        return preflight(draft(audience=audience), PreflightFacts(NOW)).who.text

    assert who(FromTags((VIP, TagLabel(TagId("n"), "New")))) == 'everyone tagged "VIP" or "New"'
    assert who(OneCustomer("4915", "Noa")) == 'one customer: "Noa", +4915'
    assert who(OneCustomer("+4915")) == "one customer: +4915"
    assert who(None) == "no recipients yet"


NIGHT = 14 * 3_600
"""Seconds from 11:00 to one at night."""


def shares(*each: tuple[str, float]) -> tuple[ZoneShare, ...]:
    return tuple(ZoneShare(tuple(names.split()), share) for names, share in each)


@pytest.mark.parametrize(
    ("later", "zones", "expected"),
    [
        (0, (), []),
        (NIGHT, (), ["sends at 01:00 your time; the recipients' time zones are unknown"]),
        (NIGHT, shares(("Asia/Jerusalem", 1.0)),
         ["sends between 21:00 and 08:00 by the clocks of all recipients"]),
        (0, shares(("America/New_York", 0.01)), []),
        (0, shares(("America/New_York", 0.019), ("America/Detroit", 0.001)),
         ["sends between 21:00 and 08:00 by the clocks of about 2% of recipients"]),
        (10 * 3_600 - 60, shares(("Asia/Jerusalem", 1.0)), []),
        (10 * 3_600, shares(("Asia/Jerusalem", 1.0)),
         ["sends between 21:00 and 08:00 by the clocks of all recipients"]),
        (21 * 3_600 - 60, shares(("Asia/Jerusalem", 1.0)),
         ["sends between 21:00 and 08:00 by the clocks of all recipients"]),
        (21 * 3_600, shares(("Asia/Jerusalem", 1.0)), []),
        (NIGHT, shares(("Europe/Nowhere", 1.0)),
         ["sends at 01:00 your time; the recipients' time zones are unknown"]),
        (10 * 3_600, shares(("Europe/Madrid Atlantic/Canary", 0.6), ("Asia/Tokyo", 0.3), ("UTC", 0.1)),
         ["sends between 21:00 and 08:00 by the clocks of about 30% of recipients"]),
        (11 * 3_600, shares(("Europe/Madrid Atlantic/Canary Europe/Moscow", 0.6)),
         ["may send between 21:00 and 08:00 by the clocks of about 60% of recipients; some numbers don't tell "
          "the time zone"]),
    ],
)  # fmt: skip
def test_a_time_at_night_by_any_clock_that_many_have_is_a_warning(
    later: float, zones: tuple[ZoneShare, ...], expected: list[str]
) -> None:
    """From nine in the evening to eight in the morning."""
    at = NOW.timestamp() + later if later else None
    audience = AudienceSummary(1_000, zones=zones)
    about = [each for each in found({"scheduled_at": at}, {"audience": audience}) if each[1] == "scheduled_at"]
    assert about == [(WARNING, "scheduled_at", words) for words in expected]


def test_night_by_several_clocks_is_one_warning_with_the_clocks_below_it() -> None:
    zones = shares(("Asia/Jerusalem", 0.5), ("Europe/Madrid Atlantic/Canary", 0.3), ("Asia/Tokyo", 0.2))
    audience = AudienceSummary(1_000, zones=zones)
    at = NOW.timestamp() + NIGHT
    findings = preflight(draft(scheduled_at=at), facts(audience=audience)).findings
    (about,) = [each for each in findings if each.field == "scheduled_at"]
    assert about.words.text == "sends between 21:00 and 08:00 by the clocks of about 80% of recipients"
    assert [each.text for each in about.details] == [
        "01:00 in Asia/Jerusalem, about 50% of recipients",
        "23:00 to 00:00 in Europe/Madrid and Atlantic/Canary, about 30% of recipients",
    ]


def test_night_by_clocks_that_may_show_an_earlier_time_is_only_possible() -> None:
    zones = shares(("Asia/Jerusalem", 0.5), ("Europe/Lisbon Europe/Athens", 0.3), ("Asia/Tokyo", 0.2))
    audience = AudienceSummary(1_000, zones=zones)
    night_in_athens = NOW.replace(hour=21, minute=30).timestamp()
    findings = preflight(draft(scheduled_at=night_in_athens), facts(audience=audience)).findings
    (about,) = [each for each in findings if each.field == "scheduled_at"]
    assert about.words.text == (
        "may send between 21:00 and 08:00 by the clocks of all recipients; some numbers don't tell the time zone"
    )


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"scheduled_at": NOW.timestamp()}, "the time has passed"),
        ({"scheduled_at": NOW.timestamp() + 1},
         "the time is less than a minute away; send now, or choose a later time"),
        ({"scheduled_at": NOW.timestamp() + 59.9},
         "the time is less than a minute away; send now, or choose a later time"),
        ({"scheduled_at": NOW.timestamp() + 60}, ""),
        ({"scheduled_at": NOW.timestamp() + 365 * 86_400}, ""),
        ({"scheduled_at": NOW.timestamp() + 365 * 86_400 + 1}, "the time is more than a year away"),
        ({"scheduled_at": 1e11},
         "the time looks like milliseconds, not seconds; try tomorrow 9am or 2026-12-24 09:00"),
        ({"scheduled_at": -1e11},
         "the time looks like milliseconds, not seconds; try tomorrow 9am or 2026-12-24 09:00"),
        ({"scheduled_at": None, "when_words": " "}, ""),
        ({"scheduled_at": None, "when_words": "soonish"}, '"soonish" isn\'t a recognized time'),
    ],
)  # fmt: skip
def test_a_time_is_from_a_minute_to_a_year_away(changed: dict[str, Any], words: str) -> None:
    about = [each for each in found(changed, {}) if each[1] == "scheduled_at" and each[0] is ERROR]
    assert about == ([(ERROR, "scheduled_at", words)] if words else [])
    assert not words or len([each for each in found(changed, {}) if each[1] == "scheduled_at"]) == 1


@pytest.mark.parametrize(
    ("later", "zones", "expected"),
    [
        (None, (), ["now, Sun 22 Nov 2026 11:00 IST, your time"]),
        (1e12, (), ["Sun 22 Nov 2026 11:00 IST, your time"]),
        (3_600, shares(("Asia/Jerusalem", 0.5)), ["Sun 22 Nov 2026 12:00 IST, your time"]),
        (
            3_600,
            shares(("Asia/Tokyo", 0.2), ("Europe/Madrid", 0.3), ("Europe/Paris", 0.1), ("Europe/Rome", 0.1)),
            [
                "Sun 22 Nov 2026 12:00 IST, your time",
                "Sun 22 Nov 11:00 in Europe/Madrid and 2 more zones, about 50% of recipients",
                "Sun 22 Nov 19:00 in Asia/Tokyo, about 20% of recipients",
            ],
        ),
        (
            14 * 3_600,
            shares(
                ("Europe/Isle_of_Man Europe/London Europe/Jersey", 0.5), ("Europe/Madrid Atlantic/Canary", 0.4)
            ),
            [
                "Mon 23 Nov 2026 01:00 IST, your time",
                "Sun 22 Nov 23:00 in Europe/London, about 50% of recipients",
                "Sun 22 Nov 23:00 to Mon 23 Nov 00:00 in Europe/Madrid and Atlantic/Canary, "
                "about 40% of recipients",
            ],
        ),
    ],
)
def test_the_time_is_said_by_each_clock_with_those_of_most_recipients_first(
    later: float | None, zones: tuple[ZoneShare, ...], expected: list[str]
) -> None:
    at = None if later is None else NOW.timestamp() + later
    result = preflight(draft(scheduled_at=at), facts(audience=AudienceSummary(1_000, zones=zones)))
    assert [each.text for each in result.at] == expected


def test_numbers_are_in_the_zones_of_their_longest_known_prefix() -> None:
    assert {
        each.names: each.share for each in zones_of(["+12125550100", "+14155550100", "13035550100", "x1"])
    } == {
        ("America/New_York",): 0.25,
        ("America/Los_Angeles",): 0.25,
        ("America/Denver",): 0.25,
    }
    assert [each.names for each in zones_of(["972525250000"] * 2 + ["12125550100"] * 3)] == [
        ("America/New_York",),
        ("Asia/Jerusalem",),
    ]


def test_errors_come_before_warnings_and_those_before_notes_each_in_their_order() -> None:
    known = {"audience": AudienceSummary(5, refused=1, duplicates=1), "busy": ("A",), "flow": {"isActive": False}}
    severities = [each[0] for each in found({"name": "", "country": "x"}, known)]
    assert severities == [ERROR] * 3 + [WARNING] * 2 + [NOTE] * 2
    assert [each[1] for each in found({"name": "", "country": "x"}, known)][:3] == [
        "name",
        "country",
        "workflow_id",
    ]


def test_what_is_sent_is_said_with_its_size_pace_and_body() -> None:
    result = preflight(draft(), facts(), {"id": "given"})
    assert (result.body, result.count, result.who.text) == ({"id": "given"}, 5_000, "5,000 recipients")
    assert preflight(draft(), facts()).body["id"] == draft().campaign_id
    empty = preflight(draft(audience=OneCustomer("")), facts())
    assert (empty.count, empty.at) == (0, preflight(draft(audience=None), facts()).at)
    assert preflight(draft(audience=None), facts()).count is None
