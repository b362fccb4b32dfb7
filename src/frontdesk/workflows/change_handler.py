"""What the outbox does about changes of workflows and webhooks."""

import apsw

from frontdesk.outbox.changes import ChangeHandler
from frontdesk.storage.records import Change
from frontdesk.workflows.store import pending_payloads


class WorkflowChangeHandler(ChangeHandler):
    """Sends changes of workflows and webhooks anew, over what somebody else made of them only when told to."""

    def send_again(self, db: apsw.Connection, change: Change, now: float, *, over_theirs: bool) -> Change:
        """Send it anew, with what was kept of it."""
        from frontdesk.workflows.changes import send_again  # brings what a start does without

        return send_again(db, change, now, over_theirs=over_theirs)


class UpdateChangeHandler(WorkflowChangeHandler):
    """Takes updates and switches of workflows back, and makes them again."""

    def reverse(self, db: apsw.Connection, change: Change, *, batch: str, label: str, now: float) -> bool:
        """Update it back to what it was, where nobody has changed it since."""
        from frontdesk.workflows.changes import turn_back

        turn_back(db, change, batch=batch, label=label, now=now)
        return True

    def make_again(self, db: apsw.Connection, change: Change, now: float) -> bool:
        """Put the update into the outbox once more."""
        from frontdesk.workflows.changes import make_again

        make_again(db, change, now)
        return True


class ResetChangeHandler(WorkflowChangeHandler):
    """Forgets the snapshots of resets that nothing came of."""

    def clean_up_unsent(self, db: apsw.Connection, change: Change) -> None:
        """Forget the snapshot, unless a reset that was sent may have needed it."""
        if not change.sends:
            pending_payloads.forget_snapshot_of(db, change.change_id)

    def clean_up_refused(self, db: apsw.Connection, change: Change) -> None:
        """Forget the snapshot: nothing was zeroed."""
        pending_payloads.forget_snapshot_of(db, change.change_id)
