"""Output of data commands: JSON for programs, aligned tables and records for people.

Untrusted text reaches a terminal only through `text`.
"""

import json
import re
import shutil
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from frontdesk.config.facts import At, Fact, FactForm, join_parts
from frontdesk.config.time_zone import local_zone
from frontdesk_api.contract.values import UnixSeconds, seconds_to_datetime
from frontdesk_api.redaction import redact_json
from frontdesk_lines.cell_width import cell_width
from frontdesk_lines.display_text import (
    SafeText,
    body_lines,
    is_invisible,
    is_read_out,
    set_terminal,
    show_line,
    terminal_kept,
)
from frontdesk_lines.lines import Line, Span, read_out

CELL_LIMIT = 60

# Valid inside JSON strings and not harmless on a terminal: DEL, C1, line separators, bidi controls.
_UNSAFE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def print_json(value: object) -> None:
    """Print one JSON object on one line, unknown fields included."""
    text = json.dumps(redact_json(value), ensure_ascii=False, separators=(",", ":"))
    print(safe_json(text))


def safe_json(text: str) -> str:
    """Escape the characters in JSON text that control a terminal; on a terminal also those that don't show."""
    safe = _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    if safe.isascii() or not sys.stdout.isatty():
        return safe
    return "".join(json.dumps(letter)[1:-1] if is_invisible(letter) else letter for letter in safe)


def print_table(headings: Sequence[str], rows: Iterable[Sequence[object]], limit: int = CELL_LIMIT) -> None:
    """Print columns aligned by cell width, the last one without padding; or a sentence a row, to be read out.

    Args:
        limit: letters shown of a cell.
    """
    cells = [[show_line(_plain(cell), limit).text for cell in row] for row in rows]
    if is_read_out():
        for row in cells:
            named = [f"{name.lower()} {cell}" for name, cell in zip(headings, row, strict=True) if cell]
            print(f"{', '.join(named)}.")
        return
    table = [list(headings), *cells]
    widths = [max(cell_width(row[at]) for row in table) for at in range(len(headings))]
    for row in table:
        padded = [cell + " " * (width - cell_width(cell)) for cell, width in zip(row, widths, strict=True)]
        print("  ".join(padded).rstrip())


def print_record(pairs: Iterable[tuple[str, object]]) -> None:
    """Print a name and a value a line; a long text goes below its name."""
    shown = [(show_line(name, CELL_LIMIT).text, _lines(value)) for name, value in pairs]
    if is_read_out():
        for name, lines in shown:
            print(f"{name}: {' '.join(lines)}")
        return
    width = max((cell_width(name) for name, _ in shown), default=0)
    for name, lines in shown:
        for at, line in enumerate(lines):
            label = name if at == 0 else ""
            print(f"{label}{' ' * (width - cell_width(label))}  {line}".rstrip())


def print_facts(facts: Iterable[Fact]) -> None:
    """Print what is known of a record, indented below a heading."""
    pairs: list[tuple[str, object]] = []
    indent = ""
    for fact in facts:
        if fact.form is FactForm.HEADING:
            pairs.append((fact.name, fact.value))
            indent = "  "
        elif fact.has_value or fact.form is FactForm.ITEM:
            pairs.append((indent + fact.name, fact.value))
    print_record(pairs)


def print_changes(changes: Iterable[tuple[str, object, object]]) -> None:
    """Print each changed field with its value before and after."""
    print_record((name, f"{_value(before)} → {_value(after)}") for name, before, after in changes)


def _value(value: object) -> str:
    text = show_line(_plain(value), CELL_LIMIT).text
    return text or "none"


def print_line(sentence: object) -> None:
    """Print one sentence for people."""
    print(show_line(sentence, 2000).text)
    sys.stdout.flush()


def print_lines(lines: Iterable[Line]) -> None:
    """Print a screen's lines, their letters in logical order, since other programs read them."""
    with terminal_kept():
        set_terminal(lays_out=False)
        for line in lines:
            text = "".join(part.text.text for part in line).rstrip()
            print(read_out(text) if is_read_out() else text)


def line_width() -> int:
    """Return the width of such lines: the terminal's, or a page's where there is none."""
    return max(60, min(200, shutil.get_terminal_size().columns)) if sys.stdout.isatty() else 120


def when(seconds: float | None) -> str:
    """Format a time in local time; absent is empty, an impossible one is the number itself."""
    if seconds is None:
        return ""
    at = seconds_to_datetime(UnixSeconds(seconds))
    if at is None:
        return f"{seconds:g}"
    return f"{at.astimezone(local_zone()):%Y-%m-%d %H:%M}"


def due(seconds: float | None, now: datetime) -> str:
    """Format a due date: 0 and absent both mean none (docs/interface.md, Task)."""
    if not seconds:
        return ""
    return when(seconds) + (" (past)" if seconds < now.timestamp() else "")


def count(value: float | None) -> str:
    """Format a counter; an absent one is unknown, which is not 0."""
    return "" if value is None else f"{value:.0f}"


def _lines(value: object) -> list[str]:
    if isinstance(value, str) and "\n" in value:
        return [line.text for line in body_lines(value)] or [""]
    match value:
        case SafeText():
            return [value.text]
        case At():
            return [when(value)]
        case tuple() if all(isinstance(part, Span) for part in value):
            return [join_parts(value).text]
    return [show_line(_plain(value), 1000).text]


def _plain(value: Any) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:g}" if abs(value) < 1e5 else f"{value:.0f}" if value.is_integer() else repr(value)
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False)
    return value
