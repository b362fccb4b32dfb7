"""A list of recipients as lines: its layout, who is in it, and what is left out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from frontdesk.campaigns.preflight_facts import AudienceSummary
from frontdesk.campaigns.view.charts import bar
from frontdesk_lines.display_text import (
    NOTHING,
    SafeText,
    counted,
    file_size,
    show_label,
    show_line,
    trusted,
    wrap,
)
from frontdesk_lines.glyphs import Glyphs
from frontdesk_lines.lines import EMPTY, Line, Role, Span, fit, span, width_of
from frontdesk_lists.models import ROW_WORDS, Audience, ColumnMapping, Kind, ListLayout, RefusedRow

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
"""Separators of a CSV file by what people call them."""

FIRST_SHOWN = 3
"""Rows of each kind of problem beside the counts."""

_WIDEST_CELL = 22


@dataclass(frozen=True, slots=True)
class AudienceProgress:
    """The state of a list while and after it is read.

    Attributes:
        problem: why it can't be used.
        rows, share: how far it was read, 0 to 1.
    """

    layout: ListLayout | None = None
    columns: ColumnMapping | None = None
    audience: Audience | None = None
    summary: AudienceSummary | None = None
    problem: SafeText = NOTHING
    rows: int = 0
    share: float = 0.0
    is_busy: bool = False
    skips_doubtful: bool = False


def column_letter(column: int) -> str:
    """Return a spreadsheet's letters for a column counted from 0: A, B, … Z, AA."""
    letters = ""
    column += 1
    while column:
        column, digit = divmod(column - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return letters


def column_name(layout: ListLayout, column: int | None, has_header: bool) -> SafeText:
    """Return a column as `B · phone`, with its heading if it has one."""
    if column is None:
        return trusted("none")
    heading = _cell(layout.head[0], column) if has_header and layout.head else ""
    letter = f"column {column_letter(column)}"
    return trusted(f"{letter} · {show_line(heading, 60).text}" if heading else letter)


def rival_words(layout: ListLayout, audience: Audience | None) -> dict[str, str]:
    """Return the columns that may hold a field of the guessed columns, where that isn't certain."""
    has_header = layout.columns is not None and layout.columns.has_header
    return {
        role: " or ".join(column_name(layout, at, has_header).text for at in columns)
        for role, columns in layout.uncertain(audience).items()
    }


def width_of_list(layout: ListLayout) -> int:
    return max((len(row) for row in layout.head), default=0)


def layout_summary(layout: ListLayout) -> SafeText:
    size = file_size(layout.size_bytes).text
    if layout.kind == "xlsx":
        count = f" of {len(layout.sheets)}" if len(layout.sheets) > 1 else ""
        return trusted(f"Excel · sheet {show_line(layout.sheet, 100).text}{count} · {size}")
    return show_label(f"CSV · {layout.encoding} · {separation_words(layout)} · {size}", 120)


def separation_words(layout: ListLayout) -> str:
    """How a CSV file's columns are separated: `comma-separated`."""
    name = DELIMITERS.get(layout.delimiter)
    return f"{name}-separated" if name else f"separated by {layout.delimiter}"


def layout_lines(layout: ListLayout, columns: ColumnMapping | None, width: int) -> tuple[Line, ...]:
    lines = [fit((Span(layout_summary(layout), Role.DIM),), width)]
    for note in layout.notes:
        lines += [fit((Span(part, Role.WARN),), width) for part in wrap(show_line(note), max(1, width))]
    if columns is None:
        words = trusted("No column looks like phone numbers; choose the one that has them.")
        lines += [fit((Span(part, Role.BAD),), width) for part in wrap(words, max(1, width))]
    return (*lines, EMPTY, *_table(layout, columns, width))


def _count_lines(audience: Audience) -> Iterator[Line]:
    people = len(audience.recipients)
    yield (span(counted(people, "recipient"), Role.GOOD if people else Role.BAD),)
    if count := audience.refused.count:
        hidden = f", {audience.hidden:,} of them hidden in Excel" if audience.hidden else ""
        yield (span(f"{counted(count, 'row')} skipped{hidden}", Role.WARN),)
    if count := audience.duplicates.count:
        yield (span(f"{counted(count, 'duplicate')}; the first row is used", Role.WARN),)
    if count := audience.doubtful.count:
        look = "looks" if count == 1 else "look"
        yield (span(f"{count:,} {look} wrong but will be messaged", Role.WARN),)


def counts_summary(audience: Audience) -> SafeText:
    people = len(audience.recipients)
    parts = [counted(people, "recipient")]
    if count := audience.refused.count:
        parts.append(f"{count:,} skipped")
    if count := audience.duplicates.count:
        parts.append(counted(count, "duplicate"))
    if count := audience.doubtful.count:
        parts.append(f"{count:,} doubtful")
    return trusted(" · ".join(parts))


def list_lines(progress: AudienceProgress, width: int, glyphs: Glyphs) -> tuple[Line, ...]:
    lines: list[Line] = []
    if progress.problem:
        lines += [fit((Span(part, Role.BAD),), width) for part in wrap(progress.problem, max(1, width))]
    elif progress.audience is not None and progress.layout is not None:
        lines += audience_lines(progress.audience, progress.layout.kind, width)
    elif progress.layout is None and progress.is_busy:
        lines.append(fit((span("Reading the file…", Role.DIM),), width))
    elif progress.is_busy:
        lines.append(fit(progress_bar(progress.rows, progress.share, width, glyphs), width))
    if progress.layout is not None:
        lines += [EMPTY] if lines else []
        lines += layout_lines(progress.layout, progress.columns, width)
    return tuple(lines)


def audience_lines(audience: Audience, kind: Kind, width: int) -> tuple[Line, ...]:
    lines = [fit(line, width) for line in _count_lines(audience)]
    for rows in (audience.refused, audience.duplicates, audience.doubtful):
        lines += [fit(_problem(row, kind), width) for row in rows.kept[:FIRST_SHOWN]]
    return tuple(lines)


def problems(audience: Audience, kind: Kind) -> Iterator[SafeText]:
    """Every problem row, to be read in full; those beyond the limit are counted."""
    for heading, rows in (
        ("Left out", audience.refused),
        ("Duplicates", audience.duplicates),
        ("Look wrong but will be messaged", audience.doubtful),
    ):
        if rows.count:
            yield trusted(f"{heading}: {rows.count:,}")
            for row in rows.kept:
                yield SafeText("  " + "".join(part.text.text for part in _problem(row, kind)))
            if more := rows.count - len(rows.kept):
                yield trusted(f"  and {more:,} more")
            yield trusted("")


def progress_bar(rows: int, share: float, width: int, glyphs: Glyphs) -> Line:
    words = f" {share:4.0%}  {rows:,} rows"
    room = max(0, min(30, width - len(words)))
    return (*bar(min(room, int(share * room)), room, Role.GOOD, glyphs), span(words, Role.DIM))


def _problem(row: RefusedRow, kind: Kind) -> Line:
    return (
        span(f"{ROW_WORDS[kind]} {row.line:,}  ", Role.DIM),
        Span(show_line(row.value, 30)),
        span("  "),
        Span(show_line(row.reason, 160), Role.DIM),
    )


def _table(layout: ListLayout, columns: ColumnMapping | None, width: int) -> Iterator[Line]:
    order = _visible_columns(layout, columns, width)
    if not order:
        return
    taken_for = {} if columns is None else {columns.number: "number"}
    if columns is not None:
        taken_for |= {
            at: word for at, word in ((columns.name, "name"), (columns.country, "country")) if at is not None
        }
    has_header = columns is not None and columns.has_header
    widths = {at: _width(layout, at, taken_for.get(at, "")) for at in order}
    head: list[Span] = []
    for at in order:
        role = Role.ACCENT if at in taken_for else Role.DIM
        words = f"{column_letter(at)} {taken_for.get(at, '')}".strip()
        head += [span(f"{words:<{widths[at]}}", role), span("  ")]
    yield fit(head, width)
    for index, row in enumerate(layout.head):
        is_heading = has_header and index == 0
        cells: list[Span] = []
        for at in order:
            role = Role.RULE if is_heading else Role.TEXT if at in taken_for else Role.DIM
            cells += [*fit((Span(show_line(_cell(row, at), 60), role),), widths[at]), span("  ")]
        yield fit(cells, width)


def _visible_columns(layout: ListLayout, columns: ColumnMapping | None, width: int) -> list[int]:
    """Return the columns that fit, used ones before others, in the list's order."""
    used = [] if columns is None else [columns.number, columns.name, columns.country]
    count = width_of_list(layout)
    wanted = dict.fromkeys([*(at for at in used if at is not None and at < count), *range(count)])
    chosen: list[int] = []
    room = width
    for at in wanted:
        room -= _width(layout, at, "country") + 2
        if room < 0 and chosen:
            break
        chosen.append(at)
    return sorted(chosen)


def _width(layout: ListLayout, at: int, word: str) -> int:
    least = len(column_letter(at)) + 1 + len(word)
    cells = (width_of((Span(show_line(_cell(row, at), 60)),)) for row in layout.head)
    return min(_WIDEST_CELL, max(least, *cells))


def _cell(row: Sequence[str], at: int) -> str:
    return row[at] if at < len(row) else ""
