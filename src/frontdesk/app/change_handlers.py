"""What each feature does about its changes inside the outbox, and what a process does first with a profile."""

from frontdesk.campaigns.changes import CampaignChangeHandler
from frontdesk.campaigns.store import campaigns
from frontdesk.inbox.changes import TagChangeHandler
from frontdesk.outbox.changes import ChangeHandlers
from frontdesk.outbox.commands import OutboxCommands
from frontdesk.storage.profile_store import ProfileStore
from frontdesk.storage.records import ChangeKind
from frontdesk.tasks.changes import TaskChangeHandler
from frontdesk.workflows.changes import ResetChangeHandler, UpdateChangeHandler, WorkflowChangeHandler

CHANGE_HANDLERS: ChangeHandlers = {
    ChangeKind.TASK: TaskChangeHandler(),
    ChangeKind.TAGS: TagChangeHandler(),
    ChangeKind.CAMPAIGN: CampaignChangeHandler(),
    ChangeKind.WORKFLOW_CREATE: WorkflowChangeHandler(
        "the platform can't remove a workflow; it is stored switched off",
        "a workflow is created only from its file, on Workflows (4)",
    ),
    ChangeKind.WORKFLOW_UPDATE: UpdateChangeHandler(),
    ChangeKind.ANALYTICS_RESET: ResetChangeHandler(
        "nothing brings the counters back; what they were is kept as a snapshot",
        "analytics are zeroed only from Workflows (4)",
    ),
    ChangeKind.WEBHOOK_DELETE: WorkflowChangeHandler(
        "the platform brings no webhook back", "a webhook is deleted only from AI agents (5)"
    ),
}


def start_profile(store: ProfileStore, outbox: OutboxCommands) -> None:
    """Repair what a kill left half shown, and watch the campaigns that the profile names."""
    outbox.rebuild_overlay()
    if wanted := store.profile.watched_campaigns:
        now = store.clock()
        store.write_unawaited(lambda db: campaigns.watch(db, wanted, now))
