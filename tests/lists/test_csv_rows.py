"""Text with delimiters: records by the line they begin in, sloppy quotes, bounds, encodings and guesses."""

from pathlib import Path

import pytest

from frontdesk_lists.csv_rows import ENCODINGS, MAX_OF_A_LINE, guess_delimiter, guess_encoding, text_rows
from frontdesk_lists.models import MAX_COLUMNS, AudienceError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "list.csv"


def rows(path: Path, data: bytes, encoding: str = "utf-8", delimiter: str = ",") -> list[tuple[int, list[str]]]:
    path.write_bytes(data)
    return [(row.line, list(map(str, row.cells))) for row in text_rows(path, encoding, delimiter) if not row.fault]


def faults(path: Path) -> list[int]:
    return [row.line for row in text_rows(path, "utf-8", ",") if row.fault]


def test_a_record_has_the_line_it_begins_in(path: Path) -> None:
    found = rows(path, b'a,b\r\n"x\r\ny",2\r\n\r\n , \r\nc\rd,e,f\n')
    assert found == [(1, ["a", "b"]), (2, ["x\r\ny", "2"]), (6, ["c"]), (7, ["d", "e", "f"])]


def test_a_quote_that_is_not_closed_costs_its_own_line_alone(path: Path) -> None:
    found = rows(path, b'a,1\n"b,2\nc,3\nd,"4"\n"e"x,5\nf,6\n"g,7\nh,8')
    assert found == [(1, ["a", "1"]), (3, ["c", "3"]), (4, ["d", "4"]), (6, ["f", "6"]), (8, ["h", "8"])]
    assert faults(path) == [2, 5, 7]


def test_rows_swallowed_by_a_quote_that_another_closes_are_given_back(path: Path) -> None:
    found = rows(path, b'"Dana,0502345678\nNoa,0502345679\n"Omar",0502345680\n')
    assert [line for line, _ in found] == [2, 3]
    assert faults(path) == [1]
    assert rows(path, b'"Levi, Dana\nHaifa",0502345678\n') == [(1, ["Levi, Dana\nHaifa", "0502345678"])]


def test_nul_bytes_and_ragged_rows_are_rows(path: Path) -> None:
    assert rows(path, b"a\0,b\nc\nd,e,f\n") == [(1, ["a\0", "b"]), (2, ["c"]), (3, ["d", "e", "f"])]


def test_a_million_columns_are_refused_in_words(path: Path) -> None:
    for width in (MAX_COLUMNS + 1, 3_000_000):
        with pytest.raises(AudienceError, match="line 2 has more than 1,000 columns"):
            rows(path, b"a,b\n" + b"," * width)
    assert len(rows(path, b"x" + b"," * (MAX_COLUMNS - 1))[0][1]) == MAX_COLUMNS


def test_a_line_without_an_end_is_no_list(path: Path) -> None:
    with pytest.raises(AudienceError, match="characters long"):
        rows(path, b"a,b\n" + b"x" * (MAX_OF_A_LINE + 5))


def test_a_huge_quoted_cell_is_a_faulty_line_and_the_next_ones_are_read(path: Path) -> None:
    assert rows(path, b'a,"' + b"x" * 200_000 + b"\nb,1\n") == [(2, ["b", "1"])]


def test_a_wrong_encoding_says_the_line(path: Path) -> None:
    with pytest.raises(AudienceError, match="the text at or shortly after line 1 isn't valid utf-16"):
        rows(path, "שלום,0502345678\n".encode("cp1255"), "utf-16")
    with pytest.raises(AudienceError, match="unknown encoding"):
        rows(path, b"a", "klingon")
    with pytest.raises(AudienceError, match="delimiter"):
        rows(path, b"a", "utf-8", "\n")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_what_parts_most_rows_alike(path: Path, delimiter: str) -> None:
    lines = [["Phone", "Name", "Note"], ["050", 'Levi, "Dana"; x', "a|b"], ["052", "Omar", "c,d;e"]]
    quoted = (delimiter.join('"' + cell.replace('"', '""') + '"' for cell in line) for line in lines)
    path.write_text("\n".join(quoted))
    assert guess_delimiter(path, "utf-8") == delimiter


def test_one_column_needs_no_delimiter_and_excels_own_line_says_it(path: Path) -> None:
    path.write_text("0502345678\n0502345679\n")
    assert guess_delimiter(path, "utf-8") == ","
    path.write_text("sep=;\n0502345678;a,b,c\n")
    assert guess_delimiter(path, "utf-8") == ";"
    assert rows(path, path.read_bytes(), delimiter=";") == [(2, ["0502345678", "a,b,c"])]


@pytest.mark.parametrize(
    ("text", "written", "guessed"),
    [
        ("Dana,1", "utf-8", "utf-8"),
        ("דנה,1", "utf-8", "utf-8"),
        ("דנה,1", "utf-8-sig", "utf-8"),
        ("דנה,1", "utf-16", "utf-16"),
        ("דנה,1", "utf-32", "utf-32"),
        ("דנה לוי,1\nנועה,2", "cp1255", "cp1255"),
        ("José Muñoz,1\nFrançois,2", "cp1252", "cp1252"),
        ("Jos\x81é,1", "latin-1", "latin-1"),
    ],
)
def test_the_encoding_is_guessed(path: Path, text: str, written: str, guessed: str) -> None:
    path.write_bytes(text.encode(written))
    assert guess_encoding(path) == guessed
    assert guessed in ENCODINGS


def test_an_encoding_is_guessed_from_far_behind_the_beginning(path: Path) -> None:
    path.write_bytes(b"a,b\n" * 600_000 + "דנה לוי,1".encode("cp1255"))
    assert guess_encoding(path) == "cp1255"


def test_what_is_no_text_is_said_to_be_none(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 10)
    with pytest.raises(AudienceError, match="neither text"):
        guess_encoding(path)


def test_how_much_was_read_is_told(path: Path) -> None:
    path.write_bytes(b"a,b\n" * 50_000)
    told: list[int] = []
    assert sum(1 for _ in text_rows(path, "utf-8", ",", told.append)) == 50_000
    assert len(told) == 50
    assert told == sorted(told)
    assert told[-1] == 200_000
