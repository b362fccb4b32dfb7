"""The local zone is the C library's, and an unknown TZ is refused."""

import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.config.time_zone import UnknownTimeZone, local_zone, posix_zone
from frontdesk.text.due_parser import parse_due

SetZone = Callable[[str], None]
FROM, UNTIL = 1_230_768_000, 2_145_916_800
"""2009 to 2037: before it Linux takes the rules of the USA from a file with their history."""


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    before = os.environ.get("TZ")
    yield
    os.environ.pop("TZ", None)
    if before is not None:
        os.environ["TZ"] = before
    time.tzset()


def set_zone(text: str) -> None:
    os.environ["TZ"] = text
    time.tzset()


def assert_same_as_c_library(text: str, at: int) -> None:
    set_zone(text)
    expected = time.localtime(at)
    moment = datetime.fromtimestamp(at, local_zone())
    assert (moment.timetuple()[:6], moment.strftime("%z")) == (expected[:6], time.strftime("%z", expected))
    assert moment.tzname() == expected.tm_zone
    assert moment.timestamp() == at  # and back, also in an hour that comes twice


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "EST5",
        "EST5EDT",
        "EST5EDT,M3.2.0,M11.1.0",
        ":EST5EDT,M3.2.0,M11.1.0",
        "CET-1CEST,M3.5.0,M10.5.0/3",
        "IST-2IDT,M3.4.4/26,M10.5.0",
        "AEST-10AEDT,M10.1.0,M4.1.0/3",
        "IST-1GMT0,M10.5.0,M3.5.0/1",
        "<+03>-3",
        "<-0330>3:30<-0230>,J74/1,J305/1",
        "NPT-5:45",
        "XXX12YYY,J58,J300/-2",
        "FOO5BAR",
        "Europe/Rome",
        ":Europe/Rome",
        ":/usr/share/zoneinfo/Asia/Jerusalem",
        "/usr/share/zoneinfo/Asia/Jerusalem",
        "UTC",
        "UTC0",
        "",
        ":",
    ],
)
def test_every_form_of_tz_means_what_the_c_library_takes_it_for(text: str) -> None:
    for at in range(1_767_225_600, 1_767_225_600 + 366 * 86_400, 6 * 3_600 + 7):
        assert_same_as_c_library(text, at)


_OFFSETS = st.integers(-14 * 60, 14 * 60)
_DAYS = st.one_of(
    st.builds("M{}.{}.{}".format, st.integers(1, 12), st.integers(1, 5), st.integers(0, 6)),
    st.builds("J{}".format, st.integers(1, 365).filter(lambda day: day != 59)),
)


def _clock(minutes: int) -> str:
    return f"{'-' if minutes < 0 else ''}{abs(minutes) // 60}:{abs(minutes) % 60:02}"


@given(west=_OFFSETS, at=st.integers(FROM, UNTIL))
def test_a_fixed_offset_is_the_c_librarys(west: int, at: int) -> None:
    assert_same_as_c_library(f"<XYZ{abs(west)}>{_clock(west)}", at)


@settings(max_examples=40)
@given(
    west=_OFFSETS,
    ahead=st.sampled_from([30, 60, 120, -60]),
    start=_DAYS,
    end=_DAYS,
    hours=st.tuples(st.integers(0, 26), st.integers(0, 26)),
    year=st.integers(2009, 2036),
    shift=st.integers(-7_300, 7_300),
    nth=st.integers(0, 1),
)
def test_rules_are_the_c_librarys_also_around_a_change(
    west: int, ahead: int, start: str, end: str, hours: tuple[int, int], year: int, shift: int, nth: int
) -> None:
    text = f"AAA{_clock(west)}BBB{_clock(west - ahead)},{start}/{hours[0]},{end}/{hours[1]}"
    zone = posix_zone(text)
    assert zone is not None
    changes = _changes(text, year)
    if len(changes) == 2 and changes[1] - changes[0] > 86_400:
        assert_same_as_c_library(text, changes[nth] + shift)


def _changes(text: str, year: int) -> list[int]:
    """The changes of the C library's clocks in a year, to the hour."""
    set_zone(text)
    begin = int(datetime(year, 1, 2, tzinfo=UTC).timestamp())
    hours = [begin + 3_600 * hour for hour in range(0, 24 * 363, 6)]
    offsets = [time.localtime(at).tm_gmtoff for at in hours]
    return [at for at, before, after in zip(hours[1:], offsets, offsets[1:], strict=False) if before != after]


@pytest.mark.parametrize(
    "text",
    [
        "Foo/Bar",
        "europe/rom",
        "ABC",
        "5",
        "EST25",
        "EST5:99",
        "EST5EDT,M3.2.0",
        "EST5EDT,M13.2.0,M11.1.0",
        "../etc",
        "EST5EDT,J0,J366",
        "EST5EDT,J59,J300",
        "EST5EDT,59,300",
        "<>3",
        "Europe",
        "/etc/passwd",
        "/nowhere",
        "EST5 ",
        "EST24",
        "AAA-23:30BBB",
        "ES5",
        "EST5\nfoo",
        "EST5EDT,0/168,5",
        "EST5,M3.2.0,M11.1.0",
        "A" * 9_000,
    ],
)
def test_an_unknown_zone_is_refused_and_never_utc(text: str) -> None:
    os.environ["TZ"] = text
    with pytest.raises(UnknownTimeZone, match="isn't a time zone known here"):
        local_zone()


def test_a_due_date_in_a_posix_zone_is_that_zones() -> None:
    os.environ["TZ"] = "EST5EDT,M3.2.0,M11.1.0"
    now = datetime.fromtimestamp(1_793_365_200, local_zone())  # 30 Oct 2026, 05:00
    assert parse_due("31 oct 9am", now).at == datetime(2026, 10, 31, 13, tzinfo=UTC)
    assert parse_due("2 nov 9am", now).at == datetime(2026, 11, 2, 14, tzinfo=UTC)
    assert parse_due("1 nov 2026 1:30", now).note == "clocks show 01:30 twice that night; using the first"
    assert parse_due("14 mar 2027 2:30", now).note == "clocks skip 02:30 that night; using 03:30"


def test_tzdir_and_one_object_for_a_zone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Shop").write_bytes(Path("/usr/share/zoneinfo/Asia/Jerusalem").read_bytes())
    monkeypatch.setenv("TZDIR", str(tmp_path))
    os.environ["TZ"] = "Shop"
    moment = datetime(2026, 7, 1, 12, tzinfo=local_zone())
    assert moment.utcoffset() == timedelta(hours=3)
    assert local_zone() is local_zone()


def test_without_tz_it_is_the_systems(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from frontdesk.config import time_zone

    os.environ.pop("TZ", None)
    for path, expected in (
        (Path("/usr/share/zoneinfo/Europe/Rome"), ZoneInfo("Europe/Rome")),
        (tmp_path / "nothing", UTC),
    ):
        monkeypatch.setattr(time_zone, "LOCALTIME", path)
        time_zone._zone.cache_clear()
        moment = datetime(2026, 7, 1, 12, tzinfo=UTC)
        assert moment.astimezone(local_zone()).utcoffset() == moment.astimezone(expected).utcoffset()
    time_zone._zone.cache_clear()
