"""The zones of phone numbers: by area code where it tells, by country where it doesn't."""

from collections import Counter
from zoneinfo import available_timezones

import phonenumbers
import pytest

from frontdesk.campaigns import number_zones
from frontdesk.campaigns.number_zones import zones_of

COUNTRIES = {code for codes in phonenumbers.COUNTRY_CODE_TO_REGION_CODE.values() for code in codes} - {"001"}


@pytest.mark.parametrize(
    ("number", "zones"),
    [
        ("+12125550100", ["America/New_York"]),
        ("+15125550100", ["America/Chicago"]),
        ("+18765550100", ["America/Jamaica"]),
        ("+18505550100", ["America/Chicago", "America/New_York"]),
        ("+5511987654321", ["America/Sao_Paulo"]),
        ("+5592987654321", ["America/Manaus"]),
        ("+525512345678", ["America/Mexico_City"]),
        ("+5215512345678", ["America/Mexico_City"]),
        ("+526641234567", ["America/Tijuana"]),
        ("+34922123456", ["Atlantic/Canary"]),
        ("+61291234567", ["Australia/Sydney"]),
        ("+8613812345678", ["Asia/Shanghai"]),
        ("+38349123456", ["Europe/Belgrade"]),
        ("+380501234567", ["Europe/Kyiv"]),
        ("+262639123456", ["Indian/Mayotte"]),
        ("+972525250000", ["Asia/Jerusalem"]),
        ("+34612345678", ["Africa/Ceuta", "Atlantic/Canary", "Europe/Madrid"]),
    ],
)
def test_a_number_is_in_the_zones_of_its_area_or_country(number: str, zones: list[str]) -> None:
    assert [list(each.names) for each in zones_of([number])] == [zones]


def test_a_mobile_number_of_a_wide_country_may_be_anywhere_in_it() -> None:
    for number, places in {
        "79161234567": {"Europe/Moscow", "Asia/Vladivostok"},
        "61412345678": {"Australia/Sydney", "Australia/Perth"},
        "18005550100": {"America/New_York", "America/Los_Angeles"},
        "628123456789": {"Asia/Jakarta", "Asia/Jayapura"},
    }.items():
        assert places < set(zones_of([number])[0].names)
    kazakh, russian = zones_of(["77011234567"])[0].names, zones_of(["79161234567"])[0].names
    assert not set(kazakh) & set(russian)


def test_a_calling_code_of_no_country_has_no_zone() -> None:
    assert zones_of(["80012345678", "99912345678"]) == ()


def test_the_table_names_zones_countries_and_each_area_code_once() -> None:
    known = available_timezones()
    for code, places in number_zones._AREAS.items():
        assert int(code) in phonenumbers.COUNTRY_CODE_TO_REGION_CODE
        areas = Counter(area for each in places.values() for area in each.split())
        assert max(areas.values()) == 1, f"twice: {areas.most_common(3)}"
        for place in (each for key in places for each in key.split()):
            assert place in COUNTRIES if len(place) == 2 else place in known, place


def test_each_country_with_a_calling_code_has_a_zone() -> None:
    zones = number_zones._zones_of_countries()
    assert sorted(COUNTRIES - set(zones)) == []
