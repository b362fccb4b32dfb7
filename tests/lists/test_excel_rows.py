"""Workbooks: what their cells mean, and everything that is refused before a library opens it."""

import io
import struct
import zipfile
from pathlib import Path

import pytest

from frontdesk_lists import excel_rows
from frontdesk_lists.models import NO_COUNTRY, Audience, AudienceError, ColumnMapping
from lists.sample_files import read, read_layout, sheet_xml, workbook

FIRST = ColumnMapping(0, None, None, False)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "list.xlsx"


def refusals(audience: Audience) -> dict[int, str]:
    return {each.line: each.reason for each in audience.refused.kept}


def numbers(audience: Audience) -> dict[int, str]:
    return {each.line: each.number for each in audience.recipients}


def test_numbers_are_exact_and_names_are_text(path: Path) -> None:
    workbook(path, {"List": [["Phone", "Name"], [972502345678, "Dana"], ["050-2345679", 7], [502345670.0, None]]})
    seen = read_layout(path, country="IL")
    assert (seen.kind, seen.sheets, seen.sheet, seen.notes) == ("xlsx", ("List",), "List", ())
    assert seen.head[:2] == (("Phone", "Name"), ("972502345678", "Dana"))
    assert seen.columns == ColumnMapping(0, 1, None, True)
    audience = read(path, seen.columns, "IL")
    assert [(each.number, each.name, each.line) for each in audience.recipients] == [
        ("972502345678", "Dana", 2),
        ("972502345679", "7", 3),
        ("972502345670", "", 4),
    ]


def test_a_duplicate_names_the_row_of_the_first(path: Path) -> None:
    workbook(path, {"List": [["+972502345678"], ["+972502345678"]]})
    assert [each.reason for each in read(path, FIRST, None).duplicates.kept] == ["same number as row 1"]


def test_cells_that_hold_no_number_are_refused_by_line(path: Path) -> None:
    date = '<c r="A8" s="1"><v>45000</v></c>'
    rows = "".join(
        f'<row r="{line}">{cell}</row>'
        for line, cell in {
            1: '<c r="A1"><v>1.5</v></c>',
            2: '<c r="A2"><v>-972502345678</v></c>',
            3: '<c r="A3"><v>9.7250234567812345E+17</v></c>',
            4: '<c r="A4" t="b"><v>1</v></c>',
            5: '<c r="A5" t="inlineStr"><is><t>9.72521E+11</t></is></c>',
            6: '<c r="A6" t="e"><v>#N/A</v></c><c r="B6" t="inlineStr"><is><t>Dana</t></is></c>',
            7: '<c r="A7"><f>972502345678</f><v>972502345678</v></c>',
            8: date,
            9: '<c r="A9"><v>9.72502345679E+11</v></c>',
            10: '<c r="A10"><v>NaN</v></c>',
            11: '<c r="A11"><v>1e999</v></c>',
        }.items()
    )
    workbook(path, {"List": rows})
    audience = read(path, FIRST, NO_COUNTRY)
    why = refusals(audience)
    assert {line: next(word for word in words if word in why[line]) for line, words in _EXPECTED.items()} == {
        line: words[0] for line, words in _EXPECTED.items()
    }
    assert numbers(audience) == {7: "972502345678", 9: "972502345679"}


_EXPECTED = {
    1: ("decimal number",),
    2: ("negative",),
    3: ("more digits",),
    4: ("TRUE or FALSE",),
    5: ("rounded",),
    6: ("missing",),
    8: ("date",),
    10: ("more digits",),
    11: ("more digits",),
}


def test_rows_and_columns_are_counted_from_the_corner_of_the_sheet(path: Path) -> None:
    workbook(path, {"List": '<row r="500"><c r="C500"><v>972502345678</v></c></row>'})
    assert read_layout(path).head == (("", "", "972502345678"),)
    assert numbers(read(path, ColumnMapping(2, None, None, False), NO_COUNTRY)) == {500: "972502345678"}


def test_the_sheet_is_the_first_or_the_one_that_is_named(path: Path) -> None:
    workbook(path, {"One": [[972502345678]], "שתיים": [[972502345679]], "Empty": []})
    seen = read_layout(path)
    assert (seen.sheets, seen.sheet) == (("One", "שתיים", "Empty"), "One")
    assert "reading 1 of 3 sheets" in seen.notes[0]
    assert numbers(read(path, FIRST, NO_COUNTRY)) == {1: "972502345678"}
    assert numbers(read(path, FIRST, NO_COUNTRY, sheet="שתיים")) == {1: "972502345679"}
    with pytest.raises(AudienceError, match="empty; choose another"):
        read_layout(path, "Empty")
    with pytest.raises(AudienceError, match="no sheet named 'Three'; choose one of: One"):
        read_layout(path, "Three")


def test_rows_that_excel_hides_are_left_out_and_counted(path: Path) -> None:
    cell = '<c r="{0}{1}" t="inlineStr"><is><t>050234567{1}</t></is></c>'
    ways = ('r="1"', 'r="2" spans="1:2" hidden="1"', 'hidden="true"', 'r="4" ht="15" hidden="0"', 'r="5"')
    rows = "".join(f"<row {way}>{cell.format('A', at)}</row>" for at, way in enumerate(ways, 1))
    workbook(path, {"First": [[1]], "List & more": f'{rows}<row r="6" hidden="1"/>'})
    audience = read(path, FIRST, "IL", sheet="List & more")
    assert [each.line for each in audience.recipients] == [1, 4, 5]
    assert [(each.line, each.value) for each in audience.refused.kept] == [(2, "0502345672"), (3, "0502345673")]
    assert "hidden in Excel" in refusals(audience)[2]
    assert audience.hidden == 2
    assert read(path, FIRST, "IL", sheet="First").hidden == 0, "another sheet's"


def test_headings_may_be_below_a_hidden_row(path: Path) -> None:
    cell = '<c r="{0}" t="inlineStr"><is><t>{1}</t></is></c>'
    telephone, land, number, country = (
        cell.format(*each) for each in (("A2", "Telefon"), ("B2", "Land"), ("A3", "0664 1234567"), ("B3", "AT"))
    )
    hidden = f'<row r="1" hidden="1">{cell.format("A1", "0502345678")}</row>'
    workbook(path, {"List": f'{hidden}<row r="2">{telephone}{land}</row><row r="3">{number}{country}</row>'})
    seen = read_layout(path, country="DE")
    assert (seen.columns, seen.head[0]) == (ColumnMapping(0, None, 1, True), ("Telefon", "Land"))
    audience = read(path, ColumnMapping(0, None, 1, True), "DE")
    assert [(each.number, each.line) for each in audience.recipients] == [("436641234567", 3)]
    assert audience.hidden == 1


def test_a_hidden_row_is_found_wherever_its_part_is_split(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workbook(path, {"List": '<row r="7" hidden="1"><c r="A7"><v>972502345678</v></c></row>'})
    for size in (1, 7, 64):
        monkeypatch.setattr(excel_rows, "_PIECE", size)
        assert excel_rows.check(path) == ({"xl/worksheets/sheet1.xml": {7}}, 0)


def test_cells_with_an_error_are_counted_and_read_as_empty(path: Path) -> None:
    error = '<row r="2"><c r="A2" t="e"><v>#N/A</v></c></row>'
    workbook(path, {"List": f'<row r="1"><c r="A1"><v>972502345678</v></c></row>{error}'})
    assert read_layout(path).notes == ("cells with an error such as #N/A: 1; treated as empty",)
    assert numbers(read(path, FIRST, NO_COUNTRY)) == {1: "972502345678"}


def test_macros_are_not_run(path: Path) -> None:
    workbook(path, {"List": [[972502345678]]}, xl__vbaProject_bin=b"anything")
    assert numbers(read(path, FIRST, NO_COUNTRY)) == {1: "972502345678"}


def test_what_excel_shows_no_more_is_not_chosen(path: Path) -> None:
    workbook(path, {"Old": [[1]], "New": [[972502345678]]})
    with zipfile.ZipFile(path) as made:
        parts = {name: made.read(name) for name in made.namelist()}
    parts["xl/workbook.xml"] = parts["xl/workbook.xml"].replace(b'name="Old"', b'name="Old" state="hidden"')
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    assert read_layout(path).sheet == "New"


class TestBombs:
    def test_a_part_that_unpacks_to_a_thousand_times_its_size(self, path: Path) -> None:
        workbook(path, {"List": [[972502345678]]}, xl__sharedStrings_xml=b" " * (40 << 20))
        with pytest.raises(AudienceError, match="times its size"):
            read_layout(path)

    def test_more_than_is_ever_read(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(excel_rows, "MAX_UNPACKED", 1000)
        workbook(path, {"List": [[972502345678]]})
        with pytest.raises(AudienceError, match="0 MB when unpacked"):
            read_layout(path)

    def test_a_directory_that_lies_about_sizes(self, path: Path) -> None:
        workbook(path, {"List": [[972502345678]]}, xl__big_xml=b" " * (2 << 20))
        data = path.read_bytes()
        at = data.rindex(b"xl/big.xml") - 46
        size = struct.unpack_from("<L", data, at + 24)[0]
        assert size == 2 << 20
        path.write_bytes(data[: at + 24] + struct.pack("<L", 10) + data[at + 28 :])
        with pytest.raises(AudienceError, match="damaged"):
            read(path, FIRST, None)

    def test_two_cells_that_span_the_largest_sheet(self, path: Path) -> None:
        far = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
        workbook(path, {"List": far})
        with pytest.raises(AudienceError, match="spans 17,179,869,184"):
            read_layout(path)

    def test_two_cells_on_either_side_of_a_piece(self, path: Path) -> None:
        space = " " * (excel_rows._PIECE - len(sheet_xml('<row r="1"><c r="A1"><v>1</v></c><c ')) + 30)
        far = f'<row r="1"><c r="A1"><v>1</v></c>{space}<c r="XFD1048576"><v>1</v></c></row>'
        workbook(path, {"List": far})
        with pytest.raises(AudienceError, match="span"):
            read_layout(path)

    def test_styled_cells_without_a_value_span_nothing(self, path: Path) -> None:
        rows = '<row r="1"><c r="A1"><v>972502345678</v></c></row><row r="1048576"><c r="XFD1048576" s="1"/></row>'
        workbook(path, {"List": rows})
        assert numbers(read(path, FIRST, NO_COUNTRY)) == {1: "972502345678"}

    def test_more_columns_than_a_list_has(self, path: Path) -> None:
        workbook(path, {"List": '<row r="1"><c r="A1"><v>1</v></c><c r="AMA1"><v>1</v></c></row>'})
        with pytest.raises(AudienceError, match="the sheet has more than 1,000 columns"):
            read_layout(path)

    def test_more_parts_than_a_workbook_has(self, path: Path) -> None:
        workbook(path, {"List": [[1]]}, **{f"xl__part{at}_xml": b"" for at in range(excel_rows.MAX_PARTS)})
        with pytest.raises(AudienceError, match="too many internal files"):
            read_layout(path)


def _zip(parts: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return made.getvalue()


_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600
_NO_LIST = r"neither text nor an \.xlsx workbook; save .* without a password"
_OTHERS = {
    "xls": (_OLE, _NO_LIST),
    "ods": (_zip({"mimetype": b"application/vnd.oasis.opendocument.spreadsheet"}), _NO_LIST),
    "xlsb": (_zip({"[Content_Types].xml": b"", "xl/workbook.bin": b""}), _NO_LIST),
    "docx": (_zip({"[Content_Types].xml": b"", "word/document.xml": b""}), _NO_LIST),
    "zip": (_zip({"list.csv": b"1"}), _NO_LIST),
    "cut": (b"PK\x03\x04 and nothing more", "damaged"),
    "hollow": (_zip({"[Content_Types].xml": b"<", "xl/workbook.xml": b"<"}), "damaged"),
    "pdf": (b"%PDF-1.7", _NO_LIST),
    "gzip": (b"\x1f\x8b\x08" + bytes(range(32)), _NO_LIST),
    "html": (b"\xef\xbb\xbf <!DOCTYPE html><table>", _NO_LIST),
    "xml": (b"<?xml version='1.0'?><a/>", _NO_LIST),
    "rtf": (b"{\\rtf1 0502345678", _NO_LIST),
}


@pytest.mark.parametrize("kind", _OTHERS)
def test_other_files_are_told_by_what_is_in_them(path: Path, kind: str) -> None:
    data, words = _OTHERS[kind]
    path.write_bytes(data)
    with pytest.raises(AudienceError, match=words):
        read_layout(path)
    with pytest.raises(AudienceError, match=words):
        read(path, FIRST, None)


def test_a_part_with_a_password(path: Path) -> None:
    workbook(path, {"List": [[972502345678]]})
    data = path.read_bytes()
    at = data.rindex(b"xl/workbook.xml") - 46
    path.write_bytes(data[: at + 8] + b"\x01\x00" + data[at + 10 :])
    with pytest.raises(AudienceError, match="password"):
        read_layout(path)
