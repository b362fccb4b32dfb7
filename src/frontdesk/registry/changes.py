"""The tables in which features register the kinds of changes: their handlers and views.

Screens load them after the first paint (`profile_switcher.load_handlers`).
"""

from frontdesk.campaigns.changes import CampaignChangeHandler
from frontdesk.campaigns.view.change import CampaignChangeView
from frontdesk.inbox.changes import AnswerChangeHandler, NoteChangeHandler, TagChangeHandler
from frontdesk.inbox.view.note import AnswerChangeView, NoteChangeView
from frontdesk.outbox.change_view import ChangeView, ChangeViews
from frontdesk.outbox.changes import ChangeHandlers
from frontdesk.outbox.snooze_view import SnoozeChangeView
from frontdesk.outbox.snoozes import SnoozeChangeHandler
from frontdesk.storage.records import ChangeKind
from frontdesk.tasks.changes import TaskChangeHandler
from frontdesk.workflows.changes import ResetChangeHandler, UpdateChangeHandler, WorkflowChangeHandler
from frontdesk.workflows.view.change import ResetView, UpdateView, WebhookDeletionView, WorkflowChangeView

CHANGE_HANDLERS: ChangeHandlers = {
    ChangeKind.TASK: TaskChangeHandler(),
    ChangeKind.TAGS: TagChangeHandler(),
    ChangeKind.CAMPAIGN: CampaignChangeHandler(),
    ChangeKind.WORKFLOW_CREATE: WorkflowChangeHandler(
        "the platform can't delete workflows; this one stays there, inactive",
        "redo doesn't create workflows; use the Workflows screen",
    ),
    ChangeKind.WORKFLOW_UPDATE: UpdateChangeHandler(),
    ChangeKind.ANALYTICS_RESET: ResetChangeHandler(
        "the counters can't be restored; their old values are saved as a snapshot",
        "redo doesn't reset analytics; use the Workflows screen",
    ),
    ChangeKind.WEBHOOK_DELETE: WorkflowChangeHandler(
        "a deleted webhook can't be restored", "redo doesn't delete webhooks; use the AI agents screen"
    ),
    ChangeKind.NOTE: NoteChangeHandler(),
    ChangeKind.SNOOZE_CONVERSATION: SnoozeChangeHandler(ChangeKind.SNOOZE_CONVERSATION),
    ChangeKind.SNOOZE_TASK: SnoozeChangeHandler(ChangeKind.SNOOZE_TASK),
    ChangeKind.NO_ANSWER: AnswerChangeHandler(),
}

CHANGE_VIEWS: ChangeViews = {
    ChangeKind.TASK: ChangeView(),
    ChangeKind.TAGS: ChangeView(),
    ChangeKind.CAMPAIGN: CampaignChangeView(),
    ChangeKind.WORKFLOW_CREATE: WorkflowChangeView(),
    ChangeKind.WORKFLOW_UPDATE: UpdateView(),
    ChangeKind.ANALYTICS_RESET: ResetView(),
    ChangeKind.WEBHOOK_DELETE: WebhookDeletionView(),
    ChangeKind.NOTE: NoteChangeView(),
    ChangeKind.SNOOZE_CONVERSATION: SnoozeChangeView(),
    ChangeKind.SNOOZE_TASK: SnoozeChangeView(),
    ChangeKind.NO_ANSWER: AnswerChangeView(),
}
