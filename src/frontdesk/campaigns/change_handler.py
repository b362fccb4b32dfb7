"""What the outbox does about campaigns that are to be created."""

import apsw

from frontdesk.campaigns.store import drafts
from frontdesk.outbox import queue
from frontdesk.outbox.commands import ChangeHandler, NotPossible
from frontdesk.storage import json_access
from frontdesk.storage.records import UNCONFIRMED, Change


class CampaignChangeHandler(ChangeHandler):
    """Keeps what is sent of a campaign for as long as it may be sent again."""

    def __init__(self) -> None:
        super().__init__(
            "the platform can't stop a campaign",
            "a campaign is sent only from its page; its draft is kept, on Campaigns (3)",
        )

    def clean_up_unsent(self, db: apsw.Connection, change: Change) -> None:
        """Forget its body."""
        drafts.forget_body(db, change.target)

    def send_again(self, db: apsw.Connection, change: Change, now: float, *, over_theirs: bool) -> Change:
        """Send it as it was, with the same id, list and time."""
        _require_sendable(db, change, now)
        return super().send_again(db, change, now, over_theirs=over_theirs)


def _require_sendable(db: apsw.Connection, change: Change, now: float) -> None:
    """A campaign that is sent again is sent as it was: with the same id, list and time."""
    if not drafts.has_body(db, change.target):
        raise NotPossible("what was to be sent is gone; begin again from its draft, on Campaigns (3)")
    if any(each.state in UNCONFIRMED for each in queue.live_for(db, change.target)):
        raise NotPossible("it is on its way already")
    scheduled_at = json_access.number(change.fields.get("scheduledAt"))
    if scheduled_at is not None and scheduled_at / 1000 <= now:
        raise NotPossible("its time has passed; choose another in its draft, on Campaigns (3)")
