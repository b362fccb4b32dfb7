"""A list from its bytes to its recipients: every row is counted once, and no bytes raise anything but words."""

import csv
import hashlib
import io
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk_lines.display_text import visible_name
from frontdesk_lists import reader as campaign_reader
from frontdesk_lists.csv_rows import DELIMITERS, ENCODINGS
from frontdesk_lists.models import (
    NO_COUNTRY,
    Audience,
    AudienceError,
    ColumnMapping,
    ListedRecipient,
    ListFile,
    RefusedRow,
)
from lists.sample_files import list_file, read, read_layout, workbook

FIRST = ColumnMapping(0, 1, None, False)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "list.csv"


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file for many examples of one test, each written over the last."""
    return tmp_path_factory.mktemp("lists") / "list"


def opened(path: Path, text: str, country: str | None = "IL") -> Audience:
    path.write_text(text)
    columns = read_layout(path, country=country).columns
    assert columns is not None
    return read(path, columns, country)


def test_who_is_written_to_and_who_is_left_out_by_line(path: Path) -> None:
    audience = opened(
        path,
        "Phone,Full name,City\n"
        "050-2345678,Dana  Levi,Haifa\n"
        "=1+1,Formula,\n"
        "+972 50 234 5678,Dana again,\n"
        "9.72521E+11,Rounded,\n"
        "\n"
        ",Nobody,\n"
        '052-1234567,"Omar\nHaddad"\n'
        "00972502345678,Dana once more,\n",
    )
    assert audience.recipients == (
        ListedRecipient("972502345678", "Dana Levi", "", 2),
        ListedRecipient("972521234567", "Omar Haddad", "", 8),
    )
    assert [(each.line, each.value) for each in audience.refused.kept] == [
        (3, "=1+1"),
        (5, "9.72521E+11"),
        (7, ""),
    ]
    assert audience.duplicates.kept == (
        RefusedRow(4, "same number as line 2", "+972 50 234 5678"),
        RefusedRow(10, "same number as line 2", "00972502345678"),
    )
    assert [each.line for each in audience.doubtful.kept] == [8]
    assert audience.rows == 7
    assert audience.digest == hashlib.sha256(b"972502345678\n972521234567\n").hexdigest()


def test_a_row_s_own_country_comes_before_the_audience_s(path: Path) -> None:
    audience = opened(
        path,
        "phone,name,country\n"
        "030 1234567,A,DE\n0502345678,B,\n0502345679,C,972\n+4930123456,D,Atlantis\n050,E,Mars\n"
        "030 1234568,F,Deutschland\n",
    )
    assert [(each.number, each.country) for each in audience.recipients] == [
        ("49301234567", "DE"),
        ("972502345678", ""),
        ("972502345679", "IL"),
        ("4930123456", ""),
        ("49301234568", "DE"),
    ]
    assert "unknown country 'Mars'" in audience.refused.kept[0].reason


def test_the_country_of_a_row_is_not_sent_where_the_platform_may_misread_its_number_by_it(path: Path) -> None:
    text = "phone,name,country\n+423 201 5550,A,US\n+49 30 1234567,B,DE\n0151 23456789,C,DE\n"
    audience = opened(path, text)
    assert [(each.number, each.country) for each in audience.recipients] == [
        ("4232015550", ""),
        ("49301234567", "DE"),
        ("4915123456789", ""),
    ]
    assert audience.doubtful.count == 0


def test_digits_alone_are_left_out_until_a_person_decides_what_they_are(path: Path) -> None:
    text = "Celular\n51987654321\n51987654322\n+55 51 98765-4323\n"
    undecided = opened(path, text, country=None)
    assert [each.number for each in undecided.recipients] == ["5551987654323"]
    assert (undecided.undecided, undecided.refused.count) == (2, 2)
    assert "choose a home country, or none" in undecided.refused.kept[0].reason
    assert [each.number for each in opened(path, text, "BR").recipients] == [
        "5551987654321",
        "5551987654322",
        "5551987654323",
    ]
    assert opened(path, text, NO_COUNTRY).recipients[0].number == "51987654321"


MIXED = "Celular,Pais\n51987654321,\n51987654322,BR\n21987654323,\n"


def test_two_readings_are_decided_by_how_the_list_writes_its_numbers(path: Path) -> None:
    """The home country's numbers that only fit with its calling code show that the list writes codes so."""
    assert [each.number for each in opened(path, MIXED, "BR").recipients] == [
        "5551987654321",
        "5551987654322",
        "5521987654323",
    ]
    audience = opened(path, f"{MIXED}5511961234567,\n", "BR")
    assert [each.line for each in audience.recipients] == [3, 4, 5], "its country tells"
    assert "could be +5551987654321 or +51987654321" in audience.refused.kept[0].reason
    assert [each.line for each in opened(path, f"{MIXED}972502345678,\n", "BR").recipients] == [2, 3, 4]
    mostly_national = opened(path, f"{MIXED}5511961234567,\n11961234568,\n", "BR")
    assert mostly_national.recipients[0].number == "5551987654321"


def test_a_home_number_with_a_mistake_is_not_sent_to_somebody_abroad(path: Path) -> None:
    audience = opened(path, "Phone\n2125550123\n6591234567\n", "US")
    assert [each.number for each in audience.recipients] == ["12125550123"]
    assert "+6591234567" in audience.refused.kept[0].reason


@pytest.mark.parametrize(
    ("country", "sound", "mistyped"),
    [
        ("US", ("(415) 555-2671", "(650) 253-0000"), ("20155102734", "972502345678")),
        ("IL", ("052-7602602", "054-2345678"), ("92527602602", "5166477448")),
        ("PL", ("511 512 299",), ("5111512299",)),
        ("MX", ("55 1234 5678",), ("22221223390",)),
        ("IN", ("81235 03803",), ("81123503803",)),
        ("DE", ("0151 23456789",), ("0015123404763",)),
        ("EG", (), ("0046201186", "46201186")),
    ],
)
def test_another_country_s_number_is_a_guess_however_many_there_are(
    path: Path, country: str, sound: tuple[str, ...], mistyped: tuple[str, ...]
) -> None:
    audience = opened(path, "\n".join(("Phone", *sound, *mistyped, "")), country)
    assert [each.line for each in audience.recipients] == [2 + at for at in range(len(sound))]
    assert [each.value for each in audience.refused.kept] == [*mistyped]
    assert all(" +" in each.reason for each in audience.refused.kept), "what it may be"


def test_another_country_s_bare_number_is_sent_where_a_person_or_the_list_says_that_codes_are_written(
    path: Path,
) -> None:
    rows = ["Phone,Country", "436641234567,"]
    own, national, foreign = "972502345678,", "052-2345678,", "4915123456789,DE"

    def lines(country: str, *more: str) -> list[int]:
        return [each.line for each in opened(path, "\n".join((*rows, *more, "")), country).recipients]

    assert lines("IL", own) == [2, 3]
    assert lines("IL", own, national) == [3, 4], "as many with the home country's code as without"
    assert lines("IL", own, national, "972502345679,") == [2, 3, 4, 5]
    assert lines("IL", foreign, national) == [3, 4], "its row's country"
    assert lines(NO_COUNTRY, foreign) == [2, 3]
    audience = opened(path, "Phone\n92527602602\n", "IL")
    assert "not a number in IL, but +92527602602 may be one in PK (+92)" in audience.refused.kept[0].reason


def test_country_columns_are_compared_in_all_rows_of_the_numbers_in_use(tmp_path: Path) -> None:
    """What a column that competes says may begin below the rows by which the columns are guessed."""
    path = tmp_path / "list.csv"
    rows = "".join(f"+97250223{nth:04},+97250224{nth:04},IL,\n" for nth in range(300))
    path.write_text(
        f"Phone,Mobile 2,Country,Land\n{rows}"
        "+972502230400,0301234567,IL,DE\n0301234568,,DE,Germany\n0664 1234567,,,AT\n030 1234567,,DE,AT\n"
    )
    file = ListFile(str(path), country="IL")
    layout = campaign_reader.read_layout(file)
    assert layout.columns is not None
    assert (layout.columns.number, layout.rivals["country"]) == (0, (2, 3))
    for number, contradicted in ((0, 2), (1, 1)):
        columns = layout.columns.with_column("number", number)
        audience = campaign_reader.read(file.read_as(layout), columns)
        assert audience.contradicted == contradicted
        assert layout.uncertain(audience)["country"] == (2, 3)
    assert "country" not in layout.uncertain(replace(audience, contradicted=0))
    assert "country" not in layout.uncertain(None)


def test_00_is_an_exit_code_where_another_row_can_not_have_it_by_mistake(path: Path) -> None:
    text = "Phone\n0015123404763\n"
    assert "could be +15123404763 or +4915123404763" in opened(path, text, "DE").refused.kept[0].reason
    assert len(opened(path, f"{text}+12015550123\n", "DE").recipients) == 1
    assert [each.line for each in opened(path, f"{text}0012015550123\n", "DE").recipients] == [2, 3]


def test_one_customer_in_two_spellings_is_sent_to_once(path: Path) -> None:
    text = "Phone\n+54 9 11 2345-6789\n011 15-2345-6789\n+54 11 2345-6789\n"
    audience = opened(path, text, "AR")
    assert [each.number for each in audience.recipients] == ["5491123456789"]
    assert [each.reason for each in audience.duplicates.kept] == [
        "same number as line 2",
        "same customer as line 2, which is messaged at +5491123456789",
    ]
    audience = opened(path, "Phone\n+55 51 8765-4321\n51 98765-4321\n", "BR")
    assert [each.number for each in audience.recipients] == ["5551987654321"]
    assert audience.duplicates.count == 1


def test_a_damaged_row_is_left_out_and_the_others_keep_their_encoding(path: Path) -> None:
    text = "Name,Phone\nZoë Müller,0502345600\nדנה לוי,0502345601\nJosX MuXoz,0502345699\nRenée,0502345602\n"
    path.write_bytes(text.encode().replace(b"X", b"\xe9"))
    seen = read_layout(path, country="IL")
    assert (seen.encoding, seen.notes) == ("utf-8", ())
    assert seen.columns is not None
    audience = read(path, seen.columns, "IL")
    assert [each.name for each in audience.recipients] == ["Zoë Müller", "דנה לוי", "Renée"]
    (damaged,) = audience.refused.kept
    assert (damaged.line, damaged.value) == (4, "Jos\ufffd Mu\ufffdoz,0502345699")
    assert "aren't UTF-8" in damaged.reason


def test_rows_above_the_headings_are_no_recipients(path: Path) -> None:
    text = (
        "Customer list\n\nAs of,01.03.2026\nName,Land/Region,Mobil\nKarl,AT,0664 1234567\nUdo,DE,0151 23456789\n"
    )
    path.write_text(text)
    seen = read_layout(path, country="DE")
    assert (seen.title_rows, seen.columns) == (2, ColumnMapping(2, 0, 1, True))
    assert seen.head[0] == ("Name", "Land/Region", "Mobil")
    assert "skipping 2 rows above the headings" in seen.notes
    audience = campaign_reader.read(list_file(path, country="DE").read_as(seen), ColumnMapping(2, 0, 1, True))
    assert [(each.number, each.name, each.line) for each in audience.recipients] == [
        ("436641234567", "Karl", 5),
        ("4915123456789", "Udo", 6),
    ]
    assert audience.rows == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty; add one row per recipient"),
        ("\n\n  \n,,\n", "empty; add one row per recipient"),
        ("Phone,Name\n", "a header row but no recipients"),
    ],
)
def test_a_list_with_nobody_says_what_it_needs(path: Path, text: str, words: str) -> None:
    path.write_text(text)
    with pytest.raises(AudienceError, match=words):
        read(path, ColumnMapping(0, 1, None, True), None)


def test_files_that_can_not_be_read(path: Path, tmp_path: Path) -> None:
    for ask in (read_layout, lambda where: read(where, FIRST, None)):
        with pytest.raises(AudienceError, match="file not found"):
            ask(path)
        with pytest.raises(AudienceError, match="a folder"):
            ask(tmp_path)
        with pytest.raises(AudienceError, match="isn't a regular file"):
            ask("/dev/zero")
        with pytest.raises(AudienceError, match="can't be read"):
            ask("a\0b")
        with pytest.raises(AudienceError, match="can't be read"):
            ask(tmp_path / ("x" * 300))
    os.mkfifo(path)
    with pytest.raises(AudienceError, match="isn't a regular file"):
        read_layout(path)


def test_without_numbers_no_column_is_guessed_and_a_country_must_be_one(path: Path) -> None:
    path.write_text("a,b\nc,d\n")
    assert read_layout(path).columns is None
    with pytest.raises(AudienceError, match="unknown country 'Atlantis'"):
        read_layout(path, country="Atlantis")
    assert read(path, ColumnMapping(7, 8, 9, False), " il ").refused.count == 2


def test_more_rows_than_are_ever_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign_reader, "MAX_ROWS", 3)
    path.write_text("0502345678\n" * 3)
    assert read(path, FIRST, "IL").duplicates.count == 2
    path.write_text("0502345678\n" * 4)
    with pytest.raises(AudienceError, match="split the list"):
        read(path, FIRST, "IL")


def test_only_so_many_rows_are_kept_and_all_are_counted(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign_reader, "MAX_LISTED", 2)
    path.write_text("x\n" * 5 + "0502345678\n" * 6 + "".join(f"052123456{last}\n" for last in range(4)))
    audience = read(path, FIRST, "IL")
    assert [len(each.kept) for each in (audience.refused, audience.duplicates, audience.doubtful)] == [2, 2, 2]
    assert (audience.refused.count, audience.duplicates.count, audience.doubtful.count) == (5, 5, 4)


def test_progress_goes_up_to_the_whole_for_text_and_workbooks(path: Path, tmp_path: Path) -> None:
    rows = [[f"05{number:08}"] for number in range(2500)]
    path.write_text("".join(f"{number}\n" for (number,) in rows))
    for each in (path, workbook(tmp_path / "list.xlsx", {"A": rows})):
        told: list[tuple[int, float]] = []
        read(each, FIRST, "IL", lambda done, share, told=told: told.append((done, share)))  # type: ignore[misc]
        assert told == sorted(told)
        assert told[-1] == (2500, 1.0)
        assert any(0 < share < 1 for _, share in told)


CELLS = st.text(st.characters(codec="cp1255", exclude_categories=["Cc"]), max_size=20)
PEOPLE = st.lists(
    st.tuples(st.integers(502000000, 507999999), st.sampled_from(["0{}", "+972{}", "972-{}", "{}"]), CELLS),
    min_size=1,
    max_size=8,
)


@pytest.mark.slow
@settings(max_examples=60)
@given(
    PEOPLE,
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "cp1255"]),
    st.sampled_from(DELIMITERS),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_a_list_comes_back_through_any_encoding(
    scratch: Path, people: list[Any], encoding: str, delimiter: str, ending: str, has_header: bool
) -> None:
    made = io.StringIO(newline="")
    written = csv.writer(made, delimiter=delimiter, lineterminator=ending)
    if has_header:
        written.writerow(["Name", "Phone"])
    for number, form, name in people:
        written.writerow([name, form.format(number)])
    scratch.write_bytes(made.getvalue().encode(encoding))
    audience = read(
        scratch,
        ColumnMapping(1, 0, None, has_header),
        "IL",
        encoding=encoding.removesuffix("-sig"),
        delimiter=delimiter,
    )
    first: dict[str, str] = {}
    for number, _, name in people:
        first.setdefault(f"972{number}", visible_name(" ".join(name.split())))
    assert {each.number: each.name for each in audience.recipients} == first
    assert audience.rows == len(people)
    assert audience.duplicates.count == len(people) - len(first)
    if encoding in ("utf-8-sig", "utf-16", "utf-32"):
        assert read_layout(scratch).encoding == encoding.removesuffix("-sig")


BYTES = st.one_of(
    st.binary(max_size=300),
    st.text("0123456789+=-()\"',;\t|\n\r aאé.E\0", max_size=200).map(str.encode),
    st.text('0123456789",\n א', max_size=100).map(lambda text: text.encode("utf-16")),
)


@settings(max_examples=60)
@given(BYTES, st.sampled_from([None, *ENCODINGS]), st.sampled_from([None, *DELIMITERS, "x"]))
def test_any_bytes_are_rows_or_words(
    scratch: Path, data: bytes, encoding: str | None, delimiter: str | None
) -> None:
    scratch.write_bytes(data)
    try:
        seen = read_layout(scratch, encoding=encoding, delimiter=delimiter, country="IL")
        audience = read(scratch, seen.columns or FIRST, "IL", encoding=encoding, delimiter=delimiter)
    except AudienceError as refused:
        words = str(refused)
        assert words
        return
    assert audience.rows == len(audience.recipients) + audience.refused.count + audience.duplicates.count


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 255)), min_size=1, max_size=4), st.integers(0, 400))
def test_a_workbook_with_wrong_bytes_is_rows_or_words(
    scratch: Path, sound_workbook: bytes, changes: list[tuple[int, int]], missing: int
) -> None:
    data = bytearray(sound_workbook)
    for at, value in changes:
        data[at % len(data)] = value
    scratch.write_bytes(data[: len(data) - missing] if missing > 300 else data)
    try:
        audience = read(scratch, FIRST, "IL")
    except AudienceError:
        return
    assert audience.rows == len(audience.recipients) + audience.refused.count + audience.duplicates.count


@pytest.fixture(scope="session")
def sound_workbook(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    rows = [["Phone", "Name"], [972502345678, "Dana"], ["050-2345679", True], [45000.5, None]]
    return workbook(tmp_path_factory.mktemp("sound") / "list.xlsx", {"A": rows, "B": rows}).read_bytes()


CUBAN = "Phone\n+972 50 234 5678\n+972 52 123 4567\n054-7654321\n531234567\n"


def test_a_home_country_is_suggested_by_the_numbers_that_have_their_code(path: Path) -> None:
    home = opened(path, CUBAN, country=None).home
    assert home is not None
    assert (home.country, home.valid, home.looked_at) == ("IL", 2, 2)
    assert home.reason == "most numbers in the list that have a calling code are of IL (+972)"
    assert read_layout(path).home == home
    assert opened(path, CUBAN).home is None, "one was given"


def test_a_home_country_is_suggested_by_where_customers_are(path: Path) -> None:
    path.write_text("Phone\n054-7654321\n052-1234567\n")
    columns = ColumnMapping(0, None, None, True)
    file = ListFile(str(path), customers=("972502345678", "13125550123", "972521234567"))
    home = campaign_reader.read(file, columns).home
    assert home is not None
    assert (home.country, home.reason) == ("IL", "most of your customers are in IL (+972)")


def test_no_home_country_is_suggested_where_none_is_needed(path: Path) -> None:
    text = "Phone\n972502345678\n+972521234567\nnobody\n"
    assert opened(path, text, country=NO_COUNTRY).home is None
    assert opened(path, "Phone\n+972502345678\n00972521234567\n", country=None).home is None


def test_recipients_are_counted_by_country_with_samples_of_those_that_are_guessed(path: Path) -> None:
    home, cuba = opened(path, CUBAN, country=NO_COUNTRY).countries
    assert (home.place, home.count, home.guessed) == ("IL (+972)", 2, 0)
    assert (cuba.place, cuba.count, cuba.guessed) == ("CU (+53)", 1, 1)
    assert (cuba.samples[0].line, cuba.samples[0].value, cuba.samples[0].number) == (5, "531234567", "531234567")
    assert [each.count for each in opened(path, CUBAN).countries] == [4]


ROUNDED = "Phone\n972505000000\n972505000000\n972505000000.0\n+972-3-5000000\n9.72505E+11\n972502345678\n"


def test_a_rounded_number_is_doubtful_and_left_out_only_where_a_person_says_so(path: Path) -> None:
    audience = opened(path, ROUNDED)
    assert [(each.line, each.reason[:15]) for each in audience.doubtful.kept] == [(2, "ends in 6 zeros")]
    assert [each.reason for each in audience.duplicates.kept] == ["same rounded number as line 2"] * 2
    assert [each.number for each in audience.recipients] == ["972505000000", "97235000000", "972502345678"]
    assert audience.rounded == 4
    columns = ColumnMapping(0, None, None, True)
    without = campaign_reader.read(ListFile(str(path), country="IL", skips_doubtful=True), columns)
    assert [each.number for each in without.recipients] == ["97235000000", "972502345678"]
    assert [each.line for each in without.refused.kept] == [2, 3, 4, 6]
    assert (audience.skipped, without.skipped) == (0, 3), "the fourth can't be used at all"


def test_a_rounded_cell_of_a_workbook_is_doubtful(tmp_path: Path) -> None:
    path = workbook(tmp_path / "list.xlsx", {"List": [["Phone"], [972505000000], [972502345678]]})
    audience = read(path, ColumnMapping(0, None, None, True), "IL")
    assert [each.line for each in audience.doubtful.kept] == [2]
