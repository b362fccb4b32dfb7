"""Workbooks made by hand, also such as no spreadsheet program would write."""

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from frontdesk_lists import reader
from frontdesk_lists.models import Audience, ColumnMapping, ListFile, ListLayout, Progress


def list_file(path: Path | str, **options: Any) -> ListFile:
    """A list, read as these options say."""
    return ListFile(str(path), **options)


def read_layout(path: Path | str, sheet: str | None = None, **options: Any) -> ListLayout:
    """The layout of a file, read in this process."""
    return reader.read_layout(list_file(path, sheet=sheet, **options))


def read(
    path: Path | str, columns: ColumnMapping, country: str | None, *report: Progress, **options: Any
) -> Audience:
    """A whole list, read in this process."""
    return reader.read(list_file(path, country=country, **options), columns, *report)


_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"

DATE_STYLE = 1


def workbook(path: Path, sheets: Mapping[str, Sequence[Sequence[object]] | str], **parts: bytes) -> Path:
    """A workbook of these sheets: rows of cells, or the XML of the rows.

    Args:
        parts: more of its insides, by name; `__` stands for a slash and `_` for a dot.
    """
    names = list(sheets)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _types(len(names)))
        archive.writestr("_rels/.rels", _relations([("officeDocument", "xl/workbook.xml")]))
        listed = "".join(
            f'<sheet name="{escape(name)}" sheetId="{at}" r:id="rId{at}"/>' for at, name in enumerate(names, 1)
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<?xml version="1.0"?><workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">'
            f"<sheets>{listed}</sheets></workbook>",
        )
        kinds = [("worksheet", f"worksheets/sheet{at}.xml") for at in range(1, len(names) + 1)]
        archive.writestr("xl/_rels/workbook.xml.rels", _relations([*kinds, ("styles", "styles.xml")]))
        archive.writestr("xl/styles.xml", _STYLES)
        for at, rows in enumerate(sheets.values(), 1):
            body = rows if isinstance(rows, str) else "".join(_row(line, row) for line, row in enumerate(rows, 1))
            archive.writestr(f"xl/worksheets/sheet{at}.xml", sheet_xml(body))
        for name, data in parts.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), data)
    return path


def sheet_xml(rows: str) -> str:
    """A sheet's part."""
    return f'<?xml version="1.0"?><worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData></worksheet>'


def _row(line: int, cells: Sequence[object]) -> str:
    made = "".join(_cell(f"{chr(65 + at)}{line}", value) for at, value in enumerate(cells))
    return f'<row r="{line}">{made}</row>'


def _cell(place: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value!r}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(str(value))}</t></is></c>'


def _relations(targets: Sequence[tuple[str, str]]) -> str:
    listed = "".join(
        f'<Relationship Id="rId{at}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for at, (kind, target) in enumerate(targets, 1)
    )
    return f'<?xml version="1.0"?><Relationships xmlns="{_PACKAGE}/relationships">{listed}</Relationships>'


def _types(sheets: int) -> str:
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = [("workbook.xml", "sheet.main"), ("styles.xml", "styles")]
    parts += [(f"worksheets/sheet{at}.xml", "worksheet") for at in range(1, sheets + 1)]
    listed = "".join(f'<Override PartName="/xl/{name}" ContentType="{kind}.{what}+xml"/>' for name, what in parts)
    return (
        f'<?xml version="1.0"?><Types xmlns="{_PACKAGE}/content-types">'
        f'<Default Extension="xml" ContentType="application/xml"/>{listed}</Types>'
    )


_STYLES = (
    f'<?xml version="1.0"?><styleSheet xmlns="{_MAIN}"><cellXfs count="2"><xf numFmtId="0"/>'
    '<xf numFmtId="14"/></cellXfs></styleSheet>'
)
