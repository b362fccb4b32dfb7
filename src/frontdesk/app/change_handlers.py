"""Composes what each feature does about its changes inside the outbox."""

from frontdesk.campaigns.change_handler import CampaignChangeHandler
from frontdesk.inbox.tag_commands import TagChangeHandler
from frontdesk.outbox.commands import ChangeHandlers
from frontdesk.storage.records import ChangeKind
from frontdesk.tasks.commands import TaskChangeHandler
from frontdesk.workflows.change_handler import ResetChangeHandler, UpdateChangeHandler, WorkflowChangeHandler

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
