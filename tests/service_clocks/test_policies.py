"""`[[sla]]` of the config: what it says, and a sentence with the key's path where it can't be used."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from frontdesk.config.settings import BUILT_IN_STATUSES
from frontdesk.service_clocks.clocks import ClockKind
from frontdesk.service_clocks.policies import Policies, read_policies

HOUR = 3_600.0
NAMES = {each.id: each.name for each in BUILT_IN_STATUSES}
GOOD: dict[str, Any] = {
    "name": "Service",
    "match": "line:service",
    "zone": "Europe/Rome",
    "hours": ["mon-fri 09:00-13:00 14:00-18:00", "sat 10:00-12:00"],
    "first_response": "1h",
    "next_response": "90m",
    "resolution": "16h30m",
    "pauses": ["standby"],
}


def read(*rows: object, fault: str = "") -> Policies:
    return read_policies(list(rows), BUILT_IN_STATUSES, lambda _: fault)


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo("Europe/Rome")).timestamp()


def test_a_policy_has_its_hours_targets_and_pauses() -> None:
    (policy,) = read(GOOD).all
    assert policy.targets == {
        ClockKind.FIRST: HOUR,
        ClockKind.NEXT: 1.5 * HOUR,
        ClockKind.RESOLUTION: 16.5 * HOUR,
    }
    assert (policy.match, policy.pauses, policy.warn_seconds) == ("line:service", {"standby"}, 900)
    assert policy.hours.after(at("2026-11-27 17:30"), HOUR) == at("2026-11-28 10:30")


def test_holidays_are_dates_or_those_of_a_country() -> None:
    (listed,) = read(GOOD | {"holidays": ["2026-11-28"]}).all
    assert listed.hours.after(at("2026-11-27 17:30"), HOUR) == at("2026-11-30 09:30")
    (italy,) = read(GOOD | {"country": "IT"}).all
    assert italy.hours.between(at("2026-12-08 00:00"), at("2026-12-09 00:00")) == 0  # Immacolata


def test_a_status_is_named_by_its_id_or_name_and_days_may_wrap() -> None:
    (policy,) = read(GOOD | {"pauses": [NAMES["standby"].upper()], "hours": ["sun-tue 22:00-24:00"]}).all
    assert policy.pauses == {"standby"}
    assert policy.hours.between(at("2026-11-28 00:00"), at("2026-12-05 00:00")) == 3 * 2 * HOUR


def test_without_a_catalogue_ids_of_statuses_are_taken_as_written() -> None:
    (policy,) = read_policies([GOOD | {"pauses": ["on-hold"]}], (), lambda _: "").all
    assert policy.pauses == {"on-hold"}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"zone": "Europe/Roma"}, "sla[0].zone: 'Europe/Roma' isn't a time zone known here"),
        ({"zone": "../../etc/passwd"}, "sla[0].zone: '../../etc/passwd' isn't a time zone known here"),
        ({"hours": []}, "sla[0].hours: expected a list of business hours, like"),
        ({"hours": None}, "sla[0].hours: expected a list of business hours, like"),
        ({"hours": ["mon-fri"]}, "sla[0].hours[0]: write days and periods"),
        ({"hours": ["mon-fry 09:00-10:00"]}, "sla[0].hours[0]: 'mon-fry' isn't a day"),
        ({"hours": ["mon 9-17"]}, "sla[0].hours[0]: '9-17' isn't a period"),
        ({"hours": ["mon 09:00-25:00"]}, "sla[0].hours[0]: '09:00-25:00' isn't within 00:00-24:00"),
        ({"hours": ["mon 22:00-06:00"]}, "sla[0].hours[0]: '22:00-06:00' doesn't end after it begins"),
        (
            {"hours": ["mon-fri 09:00-13:00", "wed 12:00-18:00"]},
            "sla[0].hours: 09:00-13:00 and 12:00-18:00 overlap on wed",
        ),
        ({"first_response": "2d"}, "sla[0].first_response: expected business hours and minutes, like"),
        ({"first_response": 60}, "sla[0].first_response: expected business hours and minutes, like"),
        ({"first_response": "0m"}, "sla[0].first_response: expected more than 0 minutes"),
        ({"hours": ["mon 09:00-09:01"]}, "sla[0].resolution: more than five years of these business hours"),
        ({"warn": ""}, "sla[0].warn: expected business hours and minutes, like"),
        ({"pauses": ["lunch"]}, "sla[0].pauses: unknown status 'lunch'; choose from open"),
        ({"pauses": "standby"}, "sla[0].pauses: expected a list of strings"),
        ({"holidays": ["25 December"]}, "sla[0].holidays[0]: write a date like 2026-12-25"),
        ({"holidays": [5]}, "sla[0].holidays[0]: write a date like 2026-12-25"),
        ({"country": "Utopia"}, "sla[0].country: no holidays known for 'Utopia'"),
        ({"country": "IT-XX"}, "sla[0].country: no holidays known for 'IT-XX'"),
        ({"name": " "}, "sla[0].name: expected a name"),
        ({"match": 5}, "sla[0].match: expected text"),
    ],
)
def test_a_value_that_cant_be_used_is_told_with_its_path_and_switches_its_policy_off_alone(
    changed: dict[str, Any], words: str
) -> None:
    wrong = {key: value for key, value in (GOOD | changed).items() if value is not None}
    found = read(wrong, GOOD | {"name": "Others"})
    *first, others = found.all
    assert (others.name, others.hours is None) == ("Others", False)
    (fault,) = found.faults
    assert fault.startswith(words)
    if "match" in changed:
        assert (first, fault.endswith("; this SLA is off until this is fixed, and others may apply instead")) == (
            [],
            True,
        )
        return
    assert fault.endswith("; its deadlines are unknown until this is fixed")
    assert [(each.name, each.match, each.hours, {*each.targets}) for each in first] == [
        ("sla[0]" if "name" in changed else "Service", "line:service", None, {*ClockKind})
    ]


def test_a_policy_without_a_target_a_table_or_a_name_of_its_own_is_refused() -> None:
    bare = {key: GOOD[key] for key in ("name", "zone", "hours")}
    assert read(bare).all == ()
    assert read(bare).faults[0].startswith("sla[0]: no target; set at least one of first_response")
    assert read("Service").faults[0].startswith("sla[0]: expected a table")
    twice = read(GOOD, GOOD)
    assert twice.faults[0].startswith("sla[1].name: 'Service' is already used;")
    assert [(each.name, each.hours is None) for each in twice.all] == [("Service", False), ("sla[1]", True)]
    assert read_policies("Service", (), str).faults[0].startswith("sla: expected a list of tables")


def test_a_filter_is_checked_by_whoever_knows_the_filter_language() -> None:
    assert read(GOOD, fault="no such word").faults[0].startswith("sla[0].match: no such word;")
    assert read(GOOD | {"match": " "}, fault="no such word").faults == ()


def test_a_policy_of_another_profile_is_left_out_and_its_faults_are_that_ones() -> None:
    rows = [GOOD | {"profile": "acme"}, GOOD | {"profile": "other", "zone": "Mars/Base"}, {"profile": "other"}]
    found = read_policies(rows, (), lambda _: "", "acme", ("acme", "other"))
    assert ([each.name for each in found.all], found.faults, found.unknown) == (["Service"], (), ())
    of_other = read_policies(rows, (), lambda _: "", "other", ("acme", "other"))
    assert [each.partition(":")[0] for each in of_other.faults] == ["sla[1].zone", "sla[2].name"]


def test_a_profile_that_doesnt_exist_or_cant_be_read_is_told() -> None:
    rows = [GOOD | {"profile": "acmee"}, GOOD | {"profile": 5}, GOOD]
    found = read_policies(rows, (), lambda _: "", "acme", ("acme", "other"))
    assert found.faults[0].startswith("sla[0].profile: no profile 'acmee'; choose from acme, other; this SLA is")
    assert found.faults[1].startswith("sla[1].profile: expected text; this SLA is off")
    assert [each.hours is None for each in found.all] == [False]


def test_an_unknown_key_is_collected() -> None:
    assert read(GOOD | {"priority": 1}).unknown == ("sla[0].priority",)
