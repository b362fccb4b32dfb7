"""The tables in which features register: actions, change handlers and change views."""

from frontdesk.activity.actions import ACTIONS as ACTIVITY
from frontdesk.ai_agents.actions import ACTIONS as AI_AGENTS
from frontdesk.campaigns.actions import ACTIONS as CAMPAIGNS
from frontdesk.campaigns.changes import CampaignChangeHandler
from frontdesk.campaigns.store import campaigns
from frontdesk.campaigns.view.change import CampaignChangeView
from frontdesk.config.actions import GENERAL, merge_actions
from frontdesk.inbox.actions import ACTIONS as INBOX
from frontdesk.inbox.changes import TagChangeHandler
from frontdesk.outbox.change_view import ChangeView, ChangeViews
from frontdesk.outbox.changes import ChangeHandlers
from frontdesk.outbox.commands import OutboxCommands
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import ChangeKind
from frontdesk.tasks.actions import ACTIONS as TASKS
from frontdesk.tasks.changes import TaskChangeHandler
from frontdesk.workflows.actions import ACTIONS as WORKFLOWS
from frontdesk.workflows.changes import ResetChangeHandler, UpdateChangeHandler, WorkflowChangeHandler
from frontdesk.workflows.view.change import ResetView, UpdateView, WebhookDeletionView, WorkflowChangeView

ACTIONS = merge_actions(INBOX, TASKS, CAMPAIGNS, WORKFLOWS, AI_AGENTS, ACTIVITY, GENERAL)
"""All actions but those of one kit alone."""

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


CHANGE_VIEWS: ChangeViews = {
    ChangeKind.TASK: ChangeView(),
    ChangeKind.TAGS: ChangeView(),
    ChangeKind.CAMPAIGN: CampaignChangeView(),
    ChangeKind.WORKFLOW_CREATE: WorkflowChangeView(),
    ChangeKind.WORKFLOW_UPDATE: UpdateView(),
    ChangeKind.ANALYTICS_RESET: ResetView(),
    ChangeKind.WEBHOOK_DELETE: WebhookDeletionView(),
}


def start_profile(store: ProfileStore, outbox: OutboxCommands) -> None:
    """Rebuild the overlay, which a kill may have left incomplete, and watch the profile's campaigns."""
    outbox.rebuild_overlay()
    if wanted := store.profile.watched_campaigns:
        now = store.clock()
        store.write_unawaited(lambda db: campaigns.watch(db, wanted, now))
