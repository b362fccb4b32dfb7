"""The actions of all features, for screens, the linear mode and the docs."""

from frontdesk.activity.actions import ACTIONS as ACTIVITY
from frontdesk.ai_agents.actions import ACTIONS as AI_AGENTS
from frontdesk.campaigns.actions import ACTIONS as CAMPAIGNS
from frontdesk.config.actions import GENERAL, merge_actions
from frontdesk.inbox.actions import ACTIONS as INBOX
from frontdesk.metrics.actions import ACTIONS as METRICS
from frontdesk.tasks.actions import ACTIONS as TASKS
from frontdesk.workflows.actions import ACTIONS as WORKFLOWS

ACTIONS = merge_actions(ACTIVITY, TASKS, INBOX, CAMPAIGNS, WORKFLOWS, AI_AGENTS, METRICS, GENERAL)
"""All actions but those of one kit alone; undo and tasks first, as help shows them in this order."""

WRITING_COMMANDS = frozenset({"macros run", "workflows restore"}).union(
    *(each.commands for each in ACTIONS if each.writes)
)
"""Commands of the command line that a read-only run refuses, unless they are dry runs."""
