"""A look and an audience as JSON Lines: how the child process hands over what it has read.

`__main__` writes them, `subprocess_reader` reads them.
"""

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TextIO

from frontdesk.campaigns.audience.models import Audience, ColumnMapping, ListedRecipient, ListLayout, RefusedRow


def save_layout(layout: ListLayout, file: TextIO) -> None:
    """Leaves it as one line."""
    fields = {name: getattr(layout, name) for name in _LOOK}
    fields["columns"] = None if layout.columns is None else _columns(layout.columns)
    _write(file, [fields])


def load_layout(file: TextIO) -> ListLayout:
    """What `save_layout` left."""
    fields = json.loads(file.readline())
    saved = fields["columns"]
    fields |= {
        "columns": None if saved is None else ColumnMapping(*saved),
        "sheets": tuple(fields["sheets"]),
        "notes": tuple(fields["notes"]),
        "head": tuple(tuple(row) for row in fields["head"]),
    }
    return ListLayout(**fields)


def save_audience(audience: Audience, file: TextIO) -> None:
    """Leaves the counts in the first line, then a line for each row of each kind."""
    listed = [getattr(audience, name) for name in _LISTED]
    counts = {name: getattr(audience, name) for name in _COUNTS}
    _write(file, [counts | {"lines": [len(audience.recipients), *map(len, listed)]}])
    _write(file, ([each.number, each.name, each.country, each.line] for each in audience.recipients))
    for rows in listed:
        _write(file, ([each.line, each.reason, each.value] for each in rows))


def load_audience(file: TextIO) -> Audience:
    """What `save_audience` left."""
    counts = json.loads(file.readline())
    recipients, *listed = counts.pop("lines")
    rows: Iterator[list[Any]] = map(json.loads, file)
    made = tuple(ListedRecipient(*row) for row in islice(rows, recipients))
    refused, duplicates, doubtful = (tuple(RefusedRow(*row) for row in islice(rows, count)) for count in listed)
    return Audience(recipients=made, refused=refused, duplicates=duplicates, doubtful=doubtful, **counts)


NO_MEMORY = 3
"""The child's status when it was refused memory."""

_LOOK = ("kind", "encoding", "delimiter", "sheets", "head", "columns", "size_bytes", "sheet", "notes")
_LISTED = ("refused", "duplicates", "doubtful")
_COUNTS = ("rows", "digest", "more_refused", "more_duplicates", "more_doubtful")


def _columns(columns: ColumnMapping) -> list[int | bool | None]:
    return [columns.number, columns.name, columns.country, columns.has_header]


def _write(file: TextIO, lines: Iterable[object]) -> None:
    for line in lines:
        file.write(json.dumps(line, separators=(",", ":")) + "\n")
