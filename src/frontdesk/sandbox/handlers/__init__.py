"""One function an operation of the interface, found by the endpoint's name.

Called by the application with a checked `Call`; each answers, or raises `Refusal`.
"""

from collections.abc import Callable

from frontdesk.sandbox.answers import Response
from frontdesk.sandbox.handlers import ai_agents, campaigns, messages, tags, tasks, webhooks, workflows
from frontdesk.sandbox.handlers.call import Call
from frontdesk.sandbox.world import World

HANDLERS: dict[str, Callable[[World, Call], Response]] = {
    "create_campaign": campaigns.create_campaign,
    "get_campaign": campaigns.get_campaign,
    "list_workflows": workflows.list_workflows,
    "create_workflow": workflows.create_workflow,
    "update_workflow": workflows.update_workflow,
    "reset_workflow_analytics": workflows.reset_workflow_analytics,
    "list_tasks": tasks.list_tasks,
    "get_task": tasks.get_task,
    "update_task": tasks.update_task,
    "get_messages": messages.get_messages,
    "assign_tags": tags.assign_tags,
    "list_ai_agents": ai_agents.list_ai_agents,
    "delete_webhook": webhooks.delete_webhook,
}

__all__ = ["HANDLERS", "Call"]
