"""Composes the views that features have of their changes."""

from frontdesk.campaigns.view.change import CampaignChangeView
from frontdesk.outbox.change_view import ChangeView, ChangeViews
from frontdesk.storage.records import ChangeKind
from frontdesk.workflows.view.change import ResetView, UpdateView, WebhookDeletionView, WorkflowChangeView

CHANGE_VIEWS: ChangeViews = {
    ChangeKind.TASK: ChangeView(),
    ChangeKind.TAGS: ChangeView(),
    ChangeKind.CAMPAIGN: CampaignChangeView(),
    ChangeKind.WORKFLOW_CREATE: WorkflowChangeView(),
    ChangeKind.WORKFLOW_UPDATE: UpdateView(),
    ChangeKind.ANALYTICS_RESET: ResetView(),
    ChangeKind.WEBHOOK_DELETE: WebhookDeletionView(),
}
