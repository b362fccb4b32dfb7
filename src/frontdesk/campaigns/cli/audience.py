"""`frontdesk campaigns audience`: a list's recipients, and the rows that are left out and why; no network."""

from dataclasses import asdict, dataclass, replace

from frontdesk.campaigns.view.audience import separation_words
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed, print_error
from frontdesk.cli.output import print_json, print_line, print_record
from frontdesk_lines.display_text import counted, show_line
from frontdesk_lists.models import (
    NO_COUNTRY,
    ROLE_WORDS,
    ROW_WORDS,
    Audience,
    AudienceError,
    ColumnMapping,
    ListFile,
    ListLayout,
    RefusedRows,
)
from frontdesk_lists.subprocess_reader import read_in_background, read_layout_in_background

SHOWN = 20

_KINDS = (("refused", "skipped"), ("duplicates", "duplicate"), ("doubtful", "doubtful"))


@dataclass(frozen=True, slots=True)
class ListRequest:
    """The options for a list; None where an option isn't given.

    Attributes:
        number, name, country_column: a column's number, counted from 1, or its heading; `none` for no column.
    """

    file: ListFile
    number: str | None = None
    name: str | None = None
    country_column: str | None = None


def read_list(request: ListRequest) -> tuple[ListLayout, ColumnMapping, Audience]:
    try:
        found = read_layout_in_background(request.file).wait()
        columns = _columns(found, request)
        audience = read_in_background(request.file.read_as(found), columns).wait()
    except AudienceError as error:
        raise CommandFailed(INPUT_WRONG, f"{request.file.path}: {error}") from None
    return found, columns, audience


def layout_sentences(found: ListLayout, columns: ColumnMapping) -> list[str]:
    used = (("numbers", columns.number), ("names", columns.name), ("countries", columns.country))
    column_words = "; ".join(f"{label}: {_heading(found, columns, at)}" for label, at in used)
    return [f"list: {_layout(found)}; {column_words}", *found.notes]


def require_certain_columns(found: ListLayout, request: ListRequest, audience: Audience) -> None:
    """Raise `CommandFailed` where a column is a guess among several and no option chooses it."""
    if uncertain := _uncertain_columns(found, request, audience):
        raise CommandFailed(INPUT_WRONG, f"{request.file.path}: {'; '.join(uncertain)}; nothing was sent")


def _uncertain_columns(found: ListLayout, request: ListRequest, audience: Audience) -> list[str]:
    chosen = {"number": request.number, "name": request.name, "country": request.country_column}
    return [
        f"{ROLE_WORDS[role]} may be in {' or '.join(_heading(found, found.columns, at) for at in columns)}; "
        f"choose with --{'phone' if role == 'number' else role}-column"
        for role, columns in found.uncertain(audience).items()
        if found.columns is not None and chosen[role] is None
    ]


def print_list(request: ListRequest, as_json: bool) -> None:
    """Print what is in the list; raises `CommandFailed`, also where nobody in it can be messaged."""
    found, columns, audience = read_list(request)
    if as_json:
        print_json(_as_json(request, found, columns, audience))
    else:
        _print(request, found, columns, audience)
    if not audience.recipients:
        raise CommandFailed(INPUT_WRONG, f"{request.file.path}: no one in this list can be messaged")


def _columns(found: ListLayout, request: ListRequest) -> ColumnMapping:
    columns = found.columns
    if request.number is not None:
        at = _column(found, request.number)
        # A heading that was named is one, whatever was guessed.
        has_header = not request.number.isdecimal() or (columns is not None and columns.has_header)
        others = [columns.name, columns.country] if columns is not None else [None, None]
        name, country = (None if other == at else other for other in others)
        columns = ColumnMapping(at, name, country, has_header)
    if columns is None:
        raise AudienceError(
            "no column looks like phone numbers; choose one with --phone-column, by number or heading"
        )
    if request.name is not None:
        columns = replace(columns, name=_column_or_none(found, request.name))
    if request.country_column is not None:
        columns = replace(columns, country=_column_or_none(found, request.country_column))
    return columns


def _column_or_none(found: ListLayout, typed: str) -> int | None:
    return None if typed.strip().lower() == "none" else _column(found, typed)


def _column(found: ListLayout, typed: str) -> int:
    width = max(len(row) for row in found.head)
    if typed.isascii() and typed.isdecimal():
        if not 1 <= int(typed) <= width:
            raise AudienceError(f"no column {typed}; the list has {counted(width, 'column')}")
        return int(typed) - 1
    headings = [cell.strip().casefold() for cell in found.head[0]]
    if typed.strip().casefold() not in headings:
        raise AudienceError(f"no column named {typed!r}; the headings are {', '.join(found.head[0][:20])}")
    return headings.index(typed.strip().casefold())


def _as_json(
    request: ListRequest, found: ListLayout, columns: ColumnMapping, audience: Audience
) -> dict[str, object]:
    return {
        "file": request.file.path,
        "kind": found.kind,
        "encoding": found.encoding,
        "delimiter": found.delimiter,
        "sheet": found.sheet,
        "sheets": found.sheets,
        "notes": found.notes,
        "columns": {
            "number": columns.number + 1,
            "name": None if columns.name is None else columns.name + 1,
            "country": None if columns.country is None else columns.country + 1,
            "header": columns.has_header,
        },
        "rows": audience.rows,
        "recipients": len(audience.recipients),
        "refusedCount": audience.refused.count,
        "duplicateCount": audience.duplicates.count,
        "doubtfulCount": audience.doubtful.count,
        "roundedCount": audience.rounded,
        "countries": list(map(asdict, audience.countries)),
        "hiddenCount": audience.hidden,
        "undecidedCount": audience.undecided,
        "uncertainColumns": {
            role: [at + 1 for at in columns] for role, columns in found.uncertain(audience).items()
        },
        "suggestedCountry": None if audience.home is None else asdict(audience.home),
        **{kind: list(map(asdict, getattr(audience, kind).kept)) for kind, _ in _KINDS},
        "digest": audience.digest,
    }


def _print(request: ListRequest, found: ListLayout, columns: ColumnMapping, audience: Audience) -> None:
    home = f"; default: {request.file.country}" if request.file.country else ""
    hidden = f", {audience.hidden:,} hidden in Excel" if audience.hidden else ""
    print_record(
        (
            ("list", f"{request.file.path} ({_layout(found)})"),
            ("numbers", _heading(found, columns, columns.number)),
            ("names", _heading(found, columns, columns.name)),
            ("country", _heading(found, columns, columns.country) + home),
            ("rows", f"{audience.rows:,}"),
            ("recipients", f"{len(audience.recipients):,}"),
            ("skipped", f"{audience.refused.count:,}{hidden}"),
            ("duplicates", f"{audience.duplicates.count:,}; the first row is used"),
            ("doubtful", f"{audience.doubtful.count:,}, included in recipients"),
            ("countries", "; ".join(f"{each.place}: {each.count:,}" for each in audience.countries) or "none"),
            ("digest", audience.digest),
        )
    )
    for note in (*found.notes, *_uncertain_columns(found, request, audience)):
        print_error(note)
    if count := audience.undecided:
        numbers = counted(count, "number has", "numbers have")
        advice = f"add --country with theirs, such as IL, or with {NO_COUNTRY} if their digits begin with one"
        print_error(f"{numbers} no calling code; {advice}")
    if (found_home := audience.home) is not None:
        numbers = f"{found_home.valid:,} of {counted(found_home.looked_at, 'number')} without a calling code"
        print_error(f"{numbers} would be valid in {found_home.country}; try --country {found_home.country}")
    for kind, words in _KINDS:
        rows: RefusedRows = getattr(audience, kind)
        for each in rows.kept[:SHOWN]:
            place = f"{ROW_WORDS[found.kind]} {each.line:,}"
            print_line(f"{words}: {place}: {show_line(each.value, 40).text or 'empty'}: {each.reason}")
        if rows.count > SHOWN:
            print_line(f"{words}: {rows.count - SHOWN:,} more")


def _layout(found: ListLayout) -> str:
    if found.kind == "xlsx":
        return f"Excel, sheet {found.sheet}"
    return f"CSV, {found.encoding}, {separation_words(found)}"


def _heading(found: ListLayout, columns: ColumnMapping, at: int | None) -> str:
    if at is None:
        return "none"
    heading = found.head[0][at] if columns.has_header and at < len(found.head[0]) else ""
    return f"column {at + 1}" + (f", {heading}" if heading else "")
