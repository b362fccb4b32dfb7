"""Lists of recipients out of CSV and Excel files: read, normalised, each row that is left out with why.

`reader.look` guesses how a file is laid out, `reader.read` reads it whole. A screen has both done by a child
process, with `subprocess_reader.read_layout_in_background` and `subprocess_reader.read_in_background`, under
limits of memory and time.
"""

from frontdesk.campaigns.audience.models import (
    Audience,
    AudienceError,
    Columns,
    ListedRecipient,
    ListLayout,
    Refused,
    Stopped,
)

__all__ = ["Audience", "AudienceError", "Columns", "ListLayout", "ListedRecipient", "Refused", "Stopped"]
