"""The handler of each operation of the interface, by the endpoint's name.

A handler answers a `Call`, or raises `Refusal`.
"""

from collections.abc import Callable

from frontdesk_sandbox.handlers import ai_agents, campaigns, conversations, tasks, workflows
from frontdesk_sandbox.request import Call
from frontdesk_sandbox.responses import Response
from frontdesk_sandbox.world import World

HANDLERS: dict[str, Callable[[World, Call], Response]] = {
    handler.__name__: handler
    for handler in (
        *(campaigns.create_campaign, campaigns.get_campaign),
        *(workflows.list_workflows, workflows.create_workflow, workflows.update_workflow),
        *(workflows.reset_workflow_analytics, ai_agents.list_ai_agents),
        *(tasks.list_tasks, tasks.get_task, tasks.update_task),
        *(conversations.get_messages, conversations.assign_tags, conversations.delete_webhook),
    )
}
