"""Due words, at one moment in one zone; what they mean is written beside each."""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from examples import few
from frontdesk.text.due_parser import EXAMPLES, MAX_UNIX_SECONDS, Due, DueNotUnderstood, parse_due

ZONE = ZoneInfo("Asia/Jerusalem")
NOW = datetime(2026, 11, 20, 15, 3, 20, tzinfo=ZONE)  # a Friday


def meant(words: str, now: datetime = NOW) -> str:
    """What the words mean, or why they are refused."""
    try:
        return f"{parse_due(words, now).at:%a %Y-%m-%d %H:%M}"
    except DueNotUnderstood as refused:
        return str(refused)


def check(meanings: dict[str, str]) -> None:
    assert {words: meant(words) for words in meanings} == meanings


def test_words_for_no_due_date() -> None:
    for words in ("0", "none", "clear", " None ", "never", "no due date", "remove"):
        assert parse_due(words, NOW) == Due(None, 0), words


def test_unix_seconds_and_iso_8601_in_local_time() -> None:
    check(
        {
            "1795190400": "Fri 2026-11-20 18:00",
            "2026-12-24": "Thu 2026-12-24 17:00",
            "2026-12-24T10:30": "Thu 2026-12-24 10:30",
            "2026-12-24 10:30": "Thu 2026-12-24 10:30",
            "2026-12-24T10:30Z": "Thu 2026-12-24 12:30",
            "2026-12-24t10:30:00-05:00": "Thu 2026-12-24 17:30",
            "2026-12-24 9am": "Thu 2026-12-24 09:00",
            "2026-W52-4": "Thu 2026-12-24 17:00",
        }
    )


def test_days_mean_their_end_of_business_unless_a_time_is_said() -> None:
    check(
        {
            "today": "Fri 2026-11-20 17:00",
            "today 17:30": "Fri 2026-11-20 17:30",
            "tonight": "Fri 2026-11-20 20:00",
            "tomorrow": "Sat 2026-11-21 17:00",
            "Tomorrow 9AM": "Sat 2026-11-21 09:00",
            "9am tomorrow": "Sat 2026-11-21 09:00",
            "tomorrow at 9": "Sat 2026-11-21 09:00",
            "tomorrow at noon": "Sat 2026-11-21 12:00",
            "tomorrow morning": "Sat 2026-11-21 09:00",
            "tmr": "Sat 2026-11-21 17:00",
            "tmrw 9am": "Sat 2026-11-21 09:00",
            "midday tomorow": "Sat 2026-11-21 12:00",
            "tomorrow midnight": "Sat 2026-11-21 23:59",
            "fri midnight": "Fri 2026-11-20 23:59",
            "mon": "Mon 2026-11-23 17:00",
            "next monday": "Mon 2026-11-23 17:00",
            "monday, 8:15": "Mon 2026-11-23 08:15",
            "next week": "Mon 2026-11-23 17:00",
            "end of month": "Mon 2026-11-30 17:00",
            "25 dec": "Fri 2026-12-25 17:00",
            "dec 25th 9:00": "Fri 2026-12-25 09:00",
            "1 nov": "Mon 2027-11-01 17:00",
            "25/12": "Fri 2026-12-25 17:00",
            "25.12.2027 12pm": "Sat 2027-12-25 12:00",
            "29 feb": "Tue 2028-02-29 17:00",
        }
    )


def test_a_weekday_or_a_time_alone_is_the_coming_one() -> None:
    check(
        {
            "fri": "Fri 2026-11-20 17:00",
            "fri 9am": "Fri 2026-11-27 09:00",
            "next fri": "Fri 2026-11-27 17:00",
            "17:00": "Fri 2026-11-20 17:00",
            "14:00": "Sat 2026-11-21 14:00",
            "12am": "Sat 2026-11-21 00:00",
            "at 9": "Sat 2026-11-21 09:00",
            "at noon": "Sat 2026-11-21 12:00",
            "midnight": "Fri 2026-11-20 23:59",
        }
    )


def test_steps_from_now() -> None:
    check(
        {
            "+3d": "Mon 2026-11-23 15:03",
            "in 2h": "Fri 2026-11-20 17:03",
            "+90m": "Fri 2026-11-20 16:33",
            "in 2 hours and 15 minutes": "Fri 2026-11-20 17:18",
            "1d 4h": "Sat 2026-11-21 19:03",
            "in an hour": "Fri 2026-11-20 16:03",
            "in two weeks at 9am": "Fri 2026-12-04 09:00",
            "+1mo": "Sun 2026-12-20 15:03",
        }
    )


def test_the_past_is_allowed_and_flagged() -> None:
    assert parse_due("today 9:00", NOW).is_past
    assert not parse_due("today 17:00", NOW).is_past


def test_a_naive_now_is_a_fault_of_the_caller() -> None:
    with pytest.raises(ValueError, match="zone"):
        parse_due("fri", datetime(2026, 11, 20))


class TestClockChanges:
    """Europe/Berlin: 2026-03-29 has no 02:30, 2026-10-25 has it twice."""

    BERLIN = ZoneInfo("Europe/Berlin")

    def test_days_keep_the_time_of_day_and_hours_are_hours(self) -> None:
        now = datetime(2026, 3, 28, 12, 0, tzinfo=self.BERLIN)
        assert meant("+1d", now) == "Sun 2026-03-29 12:00"
        assert meant("in 24h", now) == "Sun 2026-03-29 13:00"

    def test_a_time_that_is_skipped_is_the_one_the_clock_shows(self) -> None:
        now = datetime(2026, 3, 28, 12, 0, tzinfo=self.BERLIN)
        assert meant("tomorrow 2:30", now) == "Sun 2026-03-29 03:30"

    def test_an_hour_later_within_the_repeated_hour_is_an_hour_later(self) -> None:
        now = datetime(2026, 10, 25, 2, 30, tzinfo=self.BERLIN, fold=1)
        assert parse_due("+1h", now).seconds - int(now.timestamp()) == 3600
        assert meant("+1h", now) == "Sun 2026-10-25 03:30"

    @pytest.mark.parametrize(
        ("words", "minute", "fold", "expected", "which"),
        [
            ("2:30", 10, 0, "02:30", 0),
            ("2:30", 45, 0, "02:30", 1),
            ("2:30", 10, 1, "02:30", 1),
            ("today 2:30", 10, 1, "02:30", 1),
            ("2026-10-25 02:30", 10, 1, "02:30", 1),
            ("sunday 2:30", 45, 0, "02:30", 1),
            ("25 oct 2:30", 45, 0, "02:30", 1),
        ],
    )
    def test_a_time_shown_twice_is_the_one_to_come(
        self, words: str, minute: int, fold: int, expected: str, which: int
    ) -> None:
        now = datetime(2026, 10, 25, 2, minute, tzinfo=self.BERLIN, fold=fold)
        due = parse_due(words, now)
        assert due.at is not None
        assert (f"{due.at:%d %H:%M}", due.at.fold, due.is_past) == (f"25 {expected}", which, False)

    def test_a_time_that_is_over_both_times_is_past_or_tomorrow(self) -> None:
        now = datetime(2026, 10, 25, 2, 45, tzinfo=self.BERLIN, fold=1)
        assert parse_due("today 2:30", now).is_past
        assert meant("2:30", now) == "Mon 2026-10-26 02:30"

    @given(
        st.integers(-7200, 7200),
        st.integers(-7200, 7200),
        st.sampled_from([ZoneInfo("Europe/Berlin"), ZoneInfo("Australia/Lord_Howe"), ZoneInfo("UTC")]),
    )
    def test_past_is_what_is_over_around_the_repeated_hour(self, now_at: int, due_at: int, zone: ZoneInfo) -> None:
        change = 1_792_890_000  # 2026-10-25 01:00 UTC: Berlin's clocks go back from 03:00
        if zone.key == "Australia/Lord_Howe":
            change = 1_775_314_800  # 2026-04-04 15:00 UTC: by half an hour
        now = datetime.fromtimestamp(change + now_at, zone)
        due = parse_due(str(change + due_at), now)
        assert due.seconds == change + due_at
        assert due.is_past is (due_at < now_at)


ZONES = [
    "UTC", "Africa/Casablanca", "America/New_York", "America/St_Johns", "America/Santiago", "Antarctica/Troll",
    "Asia/Kathmandu", "Australia/Lord_Howe", "Europe/Berlin", "Europe/Dublin", "Pacific/Apia",
]  # fmt: skip
MOMENTS = st.datetimes(
    datetime(2001, 1, 1),
    datetime(2100, 1, 1),
    timezones=st.sampled_from([*map(ZoneInfo, ZONES)]),
    allow_imaginary=False,
)
"""Moments that a clock can show: none of the hour that is left out in spring."""


@settings(max_examples=50)
@given(MOMENTS, st.integers(0, 5000), st.sampled_from("hm"))
def test_hours_and_minutes_are_counted_as_they_pass(now: datetime, number: int, unit: str) -> None:
    due = parse_due(f"+{number}{unit}", now)
    ahead = due.seconds - now.timestamp()
    assert -60 < ahead - number * {"h": 3600, "m": 60}[unit] <= 0
    assert due.at is not None
    assert due.at.tzinfo is now.tzinfo


@settings(max_examples=50)
@given(MOMENTS)
def test_a_moment_written_in_iso_is_read_back(now: datetime) -> None:
    whole = now.replace(microsecond=0)
    assert parse_due(whole.isoformat(), now).seconds == int(whole.timestamp())
    assert parse_due(str(int(whole.timestamp())).zfill(10), now).seconds == int(whole.timestamp())


@settings(max_examples=50)
@given(MOMENTS, st.sampled_from(["mon", "tue", "wed", "thu", "fri", "sat", "sun"]), st.integers(0, 23))
def test_a_weekday_is_that_weekday_within_eight_days_and_not_past(now: datetime, name: str, hour: int) -> None:
    due = parse_due(f"{name} {hour}:00", now)
    assert due.at is not None
    assert now - timedelta(hours=3) <= due.at <= now + timedelta(days=8)
    if due.at.hour == hour:  # else the clocks skip that hour there
        assert f"{due.at:%a}".lower() == name


WORDS = ["in", "+", "3", "d", "2h", "next", "fri", "9am", "at", "17:00", "25", "dec", "/", "-", "2026", "noon",
         "and", "a", "0"]  # fmt: skip
GRAMMAR = st.lists(st.sampled_from(WORDS), max_size=6)


@pytest.mark.slow
@given(MOMENTS, st.one_of(st.text(max_size=30), GRAMMAR.map(" ".join), GRAMMAR.map("".join)))
@example(datetime(2026, 1, 1, tzinfo=UTC), "0000-00-00")
def test_any_text_is_a_due_or_is_not_understood(now: datetime, words: str) -> None:
    try:
        due = parse_due(words, now)
    except DueNotUnderstood:
        return
    if due.at is None:
        assert due.seconds == 0
    else:
        assert due.at.utcoffset() is not None
        assert due.seconds == int(due.at.timestamp()) > 0
        assert due.is_past is (due.at.timestamp() < now.timestamp())


def test_what_the_clocks_do_there_is_said() -> None:
    now = datetime(2026, 3, 20, 12, 0, tzinfo=ZONE)
    notes = {
        "2026-03-27 02:30": "clocks skip 02:30 that night; using 03:30",
        "2026-10-25 01:30": "clocks show 01:30 twice that night; using the first",
        "2026-10-25 09:00": "",
        "2020-01-01": "in the past",
        "in 2h": "",
    }
    assert {words: parse_due(words, now).note for words in notes} == notes


def test_a_due_time_is_a_whole_minute_whenever_it_is_typed() -> None:
    typed = ["in 2 hours", "2h", "in 90 minutes", "in 3 days", "in a week", "tomorrow", "friday", "17:00"]
    for words in [*typed, "next week"]:
        at = parse_due(words, NOW.replace(second=59, microsecond=999_999)).at
        assert at is not None, words
        assert (at.second, at.microsecond) == (0, 0), words


def test_a_day_and_a_time_in_any_order_and_amounts_that_add_up() -> None:
    check(
        {
            "9am on monday": "Mon 2026-11-23 09:00",
            "at 9 tomorrow": "Sat 2026-11-21 09:00",
            "at 9 on 25 dec": "Fri 2026-12-25 09:00",
            "on monday at 9.30": "Mon 2026-11-23 09:30",
            "this mon": "Mon 2026-11-23 17:00",
            "tomorrow 12am": "Sat 2026-11-21 00:00",
            "tomorrow 12:05 am": "Sat 2026-11-21 00:05",
            "tomorrow 12pm": "Sat 2026-11-21 12:00",
            "tomorrow 1am": "Sat 2026-11-21 01:00",
            "tomorrow 11:59pm": "Sat 2026-11-21 23:59",
            "tomorrow 0:00": "Sat 2026-11-21 00:00",
            "tomorrow 23:59": "Sat 2026-11-21 23:59",
            "tomorrow afternoon": "Sat 2026-11-21 14:00",
            "tomorrow evening": "Sat 2026-11-21 18:00",
            "tomorrow eod": "Sat 2026-11-21 17:00",
            "eod": "Fri 2026-11-20 17:00",
            "end of day": "Fri 2026-11-20 17:00",
            "eow": "Fri 2026-11-20 17:00",
            "end of week": "Fri 2026-11-20 17:00",
            "eom": "Mon 2026-11-30 17:00",
            "15:03": "Sat 2026-11-21 15:03",
            "15:04": "Fri 2026-11-20 15:04",
            "fri 15:03": "Fri 2026-11-27 15:03",
            "thu": "Thu 2026-11-26 17:00",
            "24 december": "Thu 2026-12-24 17:00",
            "24 dec. 2027": "Fri 2027-12-24 17:00",
            "dec. 24 2027": "Fri 2027-12-24 17:00",
            "1st jan": "Fri 2027-01-01 17:00",
            "20 nov 3pm": "Sat 2027-11-20 15:00",
            "20 nov": "Fri 2026-11-20 17:00",
            "2 nov 2026": "Mon 2026-11-02 17:00",
            "13/5": "Thu 2027-05-13 17:00",
            "5/13": "Thu 2027-05-13 17:00",
            "12/12": "Sat 2026-12-12 17:00",
            "13-12-28 9am": "Wed 2028-12-13 09:00",
            "1d 2d": "Mon 2026-11-23 15:03",
            "1h 1h 30m 30m": "Fri 2026-11-20 18:03",
            "in one week and 1 week": "Fri 2026-12-04 15:03",
            "+1mo 1mo": "Wed 2027-01-20 15:03",
            "2mo 1w 3d": "Sat 2027-01-30 15:03",
            "3 days from now": "Mon 2026-11-23 15:03",
            "in 2 days at 8:30": "Sun 2026-11-22 08:30",
            "in 0 days at 16:00": "Fri 2026-11-20 16:00",
        }
    )


def test_the_ends_of_days_weeks_months_and_years() -> None:
    cases = [
        ("2026-01-31 09", "+1mo", "Sat 2026-02-28 09:00"),
        ("2026-12-31 09", "+2mo", "Sun 2027-02-28 09:00"),
        ("2026-11-30 09", "+1mo", "Wed 2026-12-30 09:00"),
        ("2026-11-30 09", "end of month", "Mon 2026-11-30 17:00"),
        ("2028-02-01 09", "end of month", "Tue 2028-02-29 17:00"),
        ("2026-11-21 09", "end of week", "Fri 2026-11-27 17:00"),
        ("2026-11-23 09", "next week", "Mon 2026-11-30 17:00"),
        ("2026-11-22 09", "next week", "Mon 2026-11-23 17:00"),
        ("2096-03-01 09", "29 feb", "Fri 2104-02-29 17:00"),
        ("2026-11-20 17", "fri", "Fri 2026-11-27 17:00"),
        ("2026-11-20 17", "today", "Fri 2026-11-20 17:00"),
        ("2026-11-20 17", "17:00", "Sat 2026-11-21 17:00"),
        ("2026-11-20 18", "eod", "Fri 2026-11-20 17:00"),
        ("2026-11-20 18", "20 nov", "Sat 2027-11-20 17:00"),
    ]
    for now, words, expected in cases:
        assert meant(words, datetime.fromisoformat(f"{now}:00Z")) == expected, (now, words)


def test_what_is_no_time_or_nearly_one_is_not_guessed() -> None:
    nearly = [
        "", "asdf", "24", "²", "31 apr", "25:00", "13pm", "in", " 25:00 ", "24:00", "9:60", "13/32", "0/25",
        "0am", "dec", "frix", "25 decx", "decx 25", "9am 10am 11am", "at", "5x", "-", "x" * 61, "diese woche",
        "hoy 2h a 14h30", "30h", "um", "9th", "the 21st", "2026-W47", "h",
    ]  # fmt: skip
    check({words: f"{words.strip()!r} isn't a recognized time; try {EXAMPLES}" for words in nearly})


def test_a_time_out_of_range_is_refused() -> None:
    far = [
        "+999999d",
        "+999999mo",
        "1970-01-01T00:00Z",
        "0001-01-01",
        "9999-12-31T23:59-12:00",
        " +999999mo",
        "0000000000",
        "2286-11-20T17:46:40Z ",
        "999999mo ago",
    ]
    check({words: f"{words.strip()!r} is out of range; try {EXAMPLES}" for words in far})


def test_a_refusal_quotes_the_words_and_says_what_would_do() -> None:
    check(
        {
            "1760000000000": "1760000000000 looks like milliseconds; due dates are Unix seconds: 1760000000",
            "170": f"170 isn't a Unix time in seconds (ten digits); try {EXAMPLES}",
            "1/2": "'1/2' could be two dates; write 2026-12-24 or '24 dec'",
            "1" * 30: f"{'1' * 20} isn't a Unix time in seconds (ten digits); try {EXAMPLES}",
            "12/11/2026": "'12/11/2026' could be two dates; write 2026-12-24 or '24 dec'",
            "20.11": "'20.11' could be a time or a date; write 20:11 or '20 nov'",
            "di 14": f"'di 14' means different times in different languages; try {EXAMPLES}",
            "mar 9": "'mar 9' could be March or a Tuesday; write 'march 9' or 'tue 9'",
        }
    )


def test_a_word_or_number_without_a_meaning_is_named() -> None:
    unused = {
        "fri fri": "fri",
        "tomorrow 9 foo": "foo",
        "Foo tomorrow 9": "foo",
        "tomorrow 9 10": "10",
        "tomorrow 5x": "5x",
        "mon 9 12": "12",
        "mon 27 nov": "mon",
        "tomorrow 25": "25",
        "tomorrow 9 m": "m",
        "tomorrow 9am EST": "est",
        "tonight 9am": "9am",
        "tonight 3": "3",
        "+2h 9": "9",
        "next 25 dec": "next",
        "mañana 9 foo": "foo",
        "morgen um 9 und 10": "10",
        "in 9:30": "in",
        "9 in": "in",
        "9:30 cet": "cet",
        "3d to": "to",
        "14 heures": "heures",
        "fri 27 nov 2027": "2027",
    }
    check({words: f"{word!r} in {words!r} isn't understood; try {EXAMPLES}" for words, word in unused.items()})


def test_the_first_and_the_last_second_that_a_due_date_can_have() -> None:
    assert parse_due("0000000001", NOW).seconds == 1
    assert parse_due("9999999999", NOW).seconds == MAX_UNIX_SECONDS
    assert parse_due("2286-11-20T17:46:39Z", NOW).seconds == MAX_UNIX_SECONDS


def test_of_a_time_shown_twice_it_is_said_which_one_is_meant() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    between = datetime(2026, 10, 25, 2, 45, tzinfo=berlin)
    assert parse_due("2:30", between).note == "clocks show 02:30 twice that night; using the second"
    assert parse_due("2026-10-25T02:30+01:00", between).note == "", "written with its zone it is one moment"


def test_times_as_people_write_them() -> None:
    check(
        {
            "tomorrow 9": "Sat 2026-11-21 09:00",
            "today 18": "Fri 2026-11-20 18:00",
            "+1d 9": "Sat 2026-11-21 09:00",
            "in 2 weeks 9:30": "Fri 2026-12-04 09:30",
            "fr 14": "Fri 2026-11-27 14:00",
            "fri 16": "Fri 2026-11-20 16:00",
            "25 dec 9": "Fri 2026-12-25 09:00",
            "2026-12-24 9": "Thu 2026-12-24 09:00",
            "next week 9": "Mon 2026-11-23 09:00",
            "17": "Fri 2026-11-20 17:00",
            "9": "Sat 2026-11-21 09:00",
            "9h": "Sat 2026-11-21 09:00",
            "14h30": "Sat 2026-11-21 14:30",
            "14 h 30": "Sat 2026-11-21 14:30",
            "tomorrow 9h": "Sat 2026-11-21 09:00",
            "9 o'clock": "Sat 2026-11-21 09:00",
            "tomorrow 12a": "Sat 2026-11-21 00:00",
            "tomorrow 9p": "Sat 2026-11-21 21:00",
            "9 a.m. tomorrow": "Sat 2026-11-21 09:00",
            "tomorrow 14:30:00": "Sat 2026-11-21 14:30",
            "tonight 9": "Fri 2026-11-20 21:00",
            "tonight at 8:30": "Fri 2026-11-20 20:30",
            "tonight 21": "Fri 2026-11-20 21:00",
            "this evening 8": "Fri 2026-11-20 20:00",
            "tomorrow afternoon 3": "Sat 2026-11-21 15:00",
            "tomorrow morning 9": "Sat 2026-11-21 09:00",
            "fri 27 nov 9am": "Fri 2026-11-27 09:00",
            "24.12.": "Thu 2026-12-24 17:00",
            "24.12": "Thu 2026-12-24 17:00",
            "9.30": "Sat 2026-11-21 09:30",
            "+1h30": "Fri 2026-11-20 16:33",
            "in 2h 15m": "Fri 2026-11-20 17:18",
            "1h30m": "Fri 2026-11-20 16:33",
            "in 1.5 hours": "Fri 2026-11-20 16:33",
            "yesterday 18:00": "Thu 2026-11-19 18:00",
            "2 hours ago": "Fri 2026-11-20 13:03",
            "the 25th of december": "Fri 2026-12-25 17:00",
            "the day after tomorrow 9": "Sun 2026-11-22 09:00",
        }
    )


TRANSLATED = {
    "mañana 9": "Sat 2026-11-21 09:00",
    "mañana a las 9:30": "Sat 2026-11-21 09:30",
    "mañana": "Sat 2026-11-21 17:00",
    "hoy a las 18h": "Fri 2026-11-20 18:00",
    "viernes 14": "Fri 2026-11-27 14:00",
    "en 3 días": "Mon 2026-11-23 17:00",
    "15 de marzo": "Mon 2027-03-15 17:00",
    "morgen um 9 uhr": "Sat 2026-11-21 09:00",
    "heute 18": "Fri 2026-11-20 18:00",
    "übermorgen 9": "Sun 2026-11-22 09:00",
    "freitag 14 uhr": "Fri 2026-11-27 14:00",
    "14.30 uhr": "Sat 2026-11-21 14:30",
    "in zwei stunden": "Fri 2026-11-20 17:03",
    "in 2 tagen 4 stunden": "Sun 2026-11-22 19:03",
    "vor 3 tagen": "Tue 2026-11-17 17:00",
    "demain à 9h30": "Sat 2026-11-21 09:30",
    "demain 14 heures": "Sat 2026-11-21 14:00",
    "amanhã às 14h30": "Sat 2026-11-21 14:30",
    "9h demain": "Sat 2026-11-21 09:00",
    "vendredi 14h": "Fri 2026-11-27 14:00",
    "מחר": "Sat 2026-11-21 17:00",
    "מחר 9": "Sat 2026-11-21 09:00",
    "מחר ב-9": "Sat 2026-11-21 09:00",
    "מחר ב9:30": "Sat 2026-11-21 09:30",
    "מחר 9 בערב": "Sat 2026-11-21 21:00",
    "היום ב-18:30": "Fri 2026-11-20 18:30",
    "יום שישי 14": "Fri 2026-11-27 14:00",
    "בעוד שעתיים": "Fri 2026-11-20 17:03",
    "15 במרץ 9:00": "Mon 2027-03-15 09:00",
    "غدا 9": "Sat 2026-11-21 09:00",
    "غدا الساعة ٩": "Sat 2026-11-21 09:00",
    "غدا 9 مساءً": "Sat 2026-11-21 21:00",
    "اليوم 18": "Fri 2026-11-20 18:00",
    "الجمعة 14": "Fri 2026-11-27 14:00",
    "amanhã às 9h": "Sat 2026-11-21 09:00",
    "domani alle 9": "Sat 2026-11-21 09:00",
    "завтра в 9:30": "Sat 2026-11-21 09:30",
    "через 2 часа": "Fri 2026-11-20 17:03",
    "morgen om 9": "Sat 2026-11-21 09:00",
    "yarın saat 9": "Sat 2026-11-21 09:00",
    "jutro o 9": "Sat 2026-11-21 09:00",
    "कल": "Sat 2026-11-21 17:00",
    "明日9時": "Sat 2026-11-21 09:00",
    "明日午後3時": "Sat 2026-11-21 15:00",
    "2027年3月15日": "Mon 2027-03-15 17:00",
    "明天 9": "Sat 2026-11-21 09:00",
}
ENGLISH = ["tomorrow 9am", "fri 14", "+3d", "in 2h", "17:00", "25 dec 9", "tonight 9", "+1d 9", "2026-12-24 9:30"]
ACCEPTED = st.sampled_from([*ENGLISH, *TRANSLATED])


def test_other_languages() -> None:
    check(TRANSLATED)


@few
@given(ACCEPTED, st.sampled_from(["foo", "qzx", "ברווז", "قلم", "ñandú"]), st.integers(0, 6))
def test_no_time_has_a_word_that_is_not_understood(words: str, stray: str, at: int) -> None:
    parts = words.split()
    with pytest.raises(DueNotUnderstood):
        parse_due(" ".join([*parts[:at], stray, *parts[at:]]), NOW)


@few
@given(ACCEPTED, st.integers(0, 9999).filter(lambda number: number not in SAID_ALREADY), st.integers(0, 6))
def test_no_time_ignores_a_number(words: str, stray: int, at: int) -> None:
    parts = words.split()
    numbers = [each for each in re.finditer(r"\d+", words) if int(each[0]) != stray]
    expected = parse_due(words, NOW)
    for other in (
        " ".join([*parts[:at], str(stray), *parts[at:]]),
        *(words[: each.start()] + str(stray) + words[each.end() :] for each in numbers),
    ):
        try:
            assert parse_due(other, NOW) != expected, other
        except DueNotUnderstood:
            continue


SAID_ALREADY = (17, 2026, 2027)
"""The hour of a day without a time, and the years of the days without one."""
