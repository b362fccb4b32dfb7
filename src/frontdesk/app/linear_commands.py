"""The linear mode, composed of the features: its commands by their names, and its kinds of records."""

from dataclasses import replace

from frontdesk.activity import linear as activity_linear
from frontdesk.ai_agents import linear as agent_linear
from frontdesk.app.actions import ACTIONS
from frontdesk.campaigns import linear as campaign_linear
from frontdesk.inbox.linear import commands as inbox_linear
from frontdesk.linear import commands as general
from frontdesk.linear.session import ListKind
from frontdesk.tasks import linear as task_linear
from frontdesk.workflows import linear as workflow_linear

_PARTS = (inbox_linear, task_linear, campaign_linear, workflow_linear, agent_linear, activity_linear, general)

COMMANDS = general.make_commands(ACTIONS, *(each.COMMANDS for each in _PARTS))

TYPES = {
    ListKind.CONVERSATION: replace(
        inbox_linear.TYPE, raw=lambda session, key: task_linear.raw(session, (ListKind.CONVERSATION, key))
    ),
    ListKind.TASK: task_linear.TYPE,
    ListKind.CHANGE: activity_linear.TYPE,
    ListKind.CAMPAIGN: campaign_linear.TYPE,
    ListKind.WORKFLOW: workflow_linear.TYPE,
    ListKind.AI_AGENT: agent_linear.TYPE,
    ListKind.HIT: inbox_linear.HIT_TYPE,
}
