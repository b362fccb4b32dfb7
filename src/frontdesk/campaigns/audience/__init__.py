"""Lists of recipients from CSV and Excel files; `subprocess_reader` reads them for a screen, under limits."""

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
