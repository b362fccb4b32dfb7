"""Escape outside text in exported files, so that no cell is a formula and no text is markup."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from frontdesk_lines.display_text import show_label

_MARKUP = re.compile(r"[\\`*_\[\]{}<>&|~!()#@$^=]|(?<!\d):|:(?!\d\d(?!\d))|(?<=www)\.", re.IGNORECASE)
"""Markup of Markdown; a colon between hours and minutes isn't markup."""
_BEGINS_BLOCK = re.compile(r"(\d*)[-+.]")
_FORMULA = re.compile(r"((?:^|[;|\t])[\s;|\"]*+)(?=[=+@\uff1d\uff0b\uff0d\uff20-])")
"""Matches where a spreadsheet may begin a cell: some split at other signs than commas, even inside quotes."""
_NAME_LIMIT = 200
_NO_BREAK_SPACE = "\u00a0"


def escape_markdown(text: object, limit: int = 120) -> str:
    """Escape outside text for Markdown; privacy hides nothing in a file."""
    return _MARKUP.sub(lambda found: f"\\{found[0]}", show_label(text, limit).text)


def markdown_text(lines: Sequence[str], indent: str = "") -> str:
    """Write outside lines as Markdown paragraphs that keep each break and begin no list, heading or code.

    Args:
        indent: before each line but the first.
    """
    escaped = [_markdown_line(line) for line in lines]
    paragraphs = [f"\\\n{indent}".join(group) for has_words, group in groupby(escaped, bool) if has_words]
    return f"\n\n{indent}".join(paragraphs)


def _markdown_line(line: str) -> str:
    text = escape_markdown(line, len(line)).rstrip()
    words = text.lstrip(" ")
    indent = _NO_BREAK_SPACE * (len(text) - len(words))
    begins = _BEGINS_BLOCK.match(words)
    return indent + (words if begins is None else f"{begins[1]}\\{words[begins.end(1) :]}")


Cell = str | float | None


def csv_table(rows: Iterable[Sequence[Cell]], limit: int = _NAME_LIMIT) -> str:
    """Format rows as CSV, with formulas escaped and `None` as an empty cell."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerows(
        [escape_formula(cell, limit) if isinstance(cell, str) else cell for cell in row] for row in rows
    )
    return written.getvalue()


def escape_formula(text: str, limit: int = _NAME_LIMIT) -> str:
    """Escape a cell, so that no spreadsheet takes it for a formula; privacy hides nothing in a file."""
    return _FORMULA.sub(r"\1'", show_label(text, limit).text)
