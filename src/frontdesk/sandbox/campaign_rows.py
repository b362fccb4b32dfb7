"""A campaign in storage: its counters in one row, its document in another.

The engine changes the counters thousands of times, and a row is written whole: a list of a hundred
thousand recipients must not be in it.
"""

from typing import Any

from frontdesk.sandbox.answers import encode
from frontdesk.sandbox.storage import Storage


def insert_campaign(
    storage: Storage, account: str, document: dict[str, Any], status: str, created: int, due_at: int | None
) -> int:
    """Store a campaign that was just created; answers its number. Part of the caller's transaction."""
    storage.run(
        "INSERT INTO campaigns(account, id, line, workflow, status, created, modified, due_at) "
        "VALUES(?,?,?,?,?,?,?,?)",
        account,
        document["id"],
        document["associatedToBusinessId"],
        document["workflowId"],
        status,
        created,
        created,
        due_at,
    )
    number = storage.last_row_number()
    storage.run("INSERT INTO campaign_documents VALUES(?,?)", number, encode(document))
    return number
