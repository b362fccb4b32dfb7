"""Lists of recipients from CSV and Excel files: read, normalised, with a reason for each row that is left out.

`reader.read_layout` guesses how a file is laid out, `reader.read` reads it whole. For a screen `subprocess_reader`
does both in a child process, under limits of memory and time.
"""

from frontdesk.campaigns.audience.models import (
    Audience,
    AudienceError,
    ColumnMapping,
    ListedRecipient,
    ListFile,
    ListLayout,
    RefusedRow,
    Stopped,
)

__all__ = [
    "Audience",
    "AudienceError",
    "ColumnMapping",
    "ListFile",
    "ListLayout",
    "ListedRecipient",
    "RefusedRow",
    "Stopped",
]
