"""Lists of recipients out of CSV and Excel files: read, normalised, each row that is left out with why.

`reading.look` guesses how a file is laid out, `reading.read` reads it whole. A screen has both done by a child
process, with `beside.look_beside` and `beside.read_beside`, under limits of memory and time.
"""

from frontdesk.campaigns.audience.models import (
    Audience,
    AudienceError,
    Columns,
    ListedRecipient,
    Look,
    Refused,
    Stopped,
)

__all__ = ["Audience", "AudienceError", "Columns", "ListedRecipient", "Look", "Refused", "Stopped"]
