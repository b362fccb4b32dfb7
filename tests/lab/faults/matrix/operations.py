"""Each operation of the interface as a person meets it: what to do, or what to look at."""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import apsw

from frontdesk.ai_agents import store as agent_store
from frontdesk.campaigns.draft import FromFile, build_body, new_draft, rename_draft
from frontdesk.campaigns.store import campaigns
from frontdesk.inbox.store import conversations, thread_pages
from frontdesk.storage.clients import Focus
from frontdesk.storage.records import ChangeKind, ConversationOrder
from frontdesk.tasks import store as task_store
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.request_body import create_body, export_document, update_body
from frontdesk_api.contract.ids import CampaignId, ConversationId, FolderId, LineId, TagId, TaskId, WorkflowId
from frontdesk_lists.models import ListedRecipient
from frontdesk_sandbox import fixtures
from lab.faults.matrix.platform import Platform
from lab.faults.processes import FIRST_DUE
from sandbox.test_workflows import GRAPH
from services import Services

COUNTED_WORKFLOW = "wf-after-hours"
CAMPAIGN = CampaignId(fixtures.RUNNING_CAMPAIGN)
PEOPLE = [ListedRecipient(f"97252000{each:04}", "", "", each) for each in range(20)]
MAX_HARMLESS_TAGS = 2


@dataclass(frozen=True, slots=True)
class MadeChange:
    """A change that a person has made.

    Attributes:
        request: method and path that carry it out.
        fault_at: method and path of the operation that the fault strikes.
        most: how often it may be carried out without harm.
    """

    kind: ChangeKind
    target: str
    request: tuple[str, str]
    fault_at: tuple[str, str]
    most: int = 1


@dataclass(frozen=True, slots=True)
class Reading:
    """Data that a screen shows.

    Attributes:
        focus: what the screen reports.
        rows: what is shown, by id.
        change: let it change on the platform; returns whether the store has the change.
        problem: what is said of it besides the status line.
    """

    path: str
    method: str
    focus: Callable[[apsw.Connection], Focus]
    rows: Callable[[apsw.Connection], frozenset[str]]
    change: Callable[[Platform, apsw.Connection], Awaitable[Callable[[], bool]]]
    problem: Callable[[apsw.Connection], str] = lambda _: ""


MakeChange = Callable[[Platform, Services], Awaitable[MadeChange]]


async def _change_task(platform: Platform, services: Services) -> tuple[TaskId, str]:
    task = await platform.ask("POST", "/sandbox/tasks", {"title": "To change"})
    services.store.write(lambda db: task_store.put(db, [task])).result()
    services.tasks.set_due([task["taskId"]], FIRST_DUE).result()
    return task["taskId"], f"/tasks/{task['taskId']}"


async def update_task(platform: Platform, services: Services) -> MadeChange:
    task_id, path = await _change_task(platform, services)
    return MadeChange(ChangeKind.TASK, task_id, ("PATCH", path), ("PATCH", path))


async def get_task(platform: Platform, services: Services) -> MadeChange:
    task_id, path = await _change_task(platform, services)
    return MadeChange(ChangeKind.TASK, task_id, ("PATCH", path), ("GET", path))


async def assign_tags(_: Platform, services: Services) -> MadeChange:
    here = conversations.ids(services.store.reading, ConversationOrder.NAME)[7]
    services.inbox.give_tags([here], [TagId(fixtures.TAGS[0].id)]).result()
    request = ("POST", f"/conversations/{quote(here, safe='')}/tags")
    return MadeChange(ChangeKind.TAGS, here, request, request, MAX_HARMLESS_TAGS)


async def create_campaign(_: Platform, services: Services) -> MadeChange:
    now = datetime.fromtimestamp(services.store.clock(), UTC)
    draft = rename_draft(new_draft(now, random.Random(7), FromFile("x.csv")), "Sale")
    ids = {"workflow_id": WorkflowId("w"), "folder_id": FolderId("f"), "line_id": LineId("L")}
    draft = replace(draft, workflow_name="w", **ids)  # type: ignore[arg-type]
    services.campaigns.create(draft, build_body(draft, PEOPLE)).result()
    request = ("POST", "/campaigns")
    return MadeChange(ChangeKind.CAMPAIGN, draft.campaign_id, request, request)


async def create_workflow(_: Platform, services: Services) -> MadeChange:
    services.workflows.create("made-here", "folder-service", create_body({"name": "Mine", **GRAPH})).result()
    request = ("POST", "/workflows/made-here")
    return MadeChange(ChangeKind.WORKFLOW_CREATE, "made-here", request, request)


async def update_workflow(platform: Platform, services: Services) -> MadeChange:
    body = create_body({"name": "Before", **GRAPH})
    await platform.ask("POST", "/workflows/made-there?folderId=folder-service", body)
    listed = (await platform.ask("POST", "/workflows", {}))["result"]
    base = next(each for each in listed if each["id"] == "made-there")
    services.store.write(lambda db: workflow_store.put_whole(db, base, services.store.clock())).result()
    services.workflows.update(
        "made-there", update_body({**export_document(base), "name": "Mine"}, base), base
    ).result()
    request = ("PUT", "/workflows/made-there")
    return MadeChange(ChangeKind.WORKFLOW_UPDATE, "made-there", request, request)


async def reset_workflow_analytics(_: Platform, services: Services) -> MadeChange:
    services.workflows.reset_analytics(COUNTED_WORKFLOW).result()
    request = ("POST", f"/workflows/{COUNTED_WORKFLOW}/analytics/reset")
    return MadeChange(ChangeKind.ANALYTICS_RESET, COUNTED_WORKFLOW, request, request)


async def delete_webhook(platform: Platform, services: Services) -> MadeChange:
    await platform.ask("POST", "/sandbox/webhooks", {"webhookId": "hook"})
    services.workflows.delete_webhook("hook").result()
    request = ("DELETE", "/webhook/hook")
    return MadeChange(ChangeKind.WEBHOOK_DELETE, "hook", request, request)


WRITES: dict[str, MakeChange] = {
    each.__name__: each
    for each in (
        *(update_task, get_task, assign_tags, create_campaign, create_workflow),
        *(update_workflow, reset_workflow_analytics, delete_webhook),
    )
}
"""By the endpoint's name. A task is read before it is changed, so `get_task` is met by a change as well."""


def _tasks(db: apsw.Connection) -> frozenset[str]:
    return frozenset(str(row[0]) for row in db.execute("SELECT task_id FROM tasks"))


async def _add_task(platform: Platform, db: apsw.Connection) -> Callable[[], bool]:
    task = await platform.ask("POST", "/sandbox/tasks", {"title": "New meanwhile"})
    return lambda: task_store.raw_task(db, task["taskId"]) is not None


def _open_thread(db: apsw.Connection) -> ConversationId:
    return conversations.ids(db, ConversationOrder.ACTIVITY)[0]


def _messages(db: apsw.Connection) -> frozenset[str]:
    return frozenset(each.key.message_id for each in thread_pages.page_before(db, _open_thread(db), None, 1000))


async def _add_message(platform: Platform, db: apsw.Connection) -> Callable[[], bool]:
    conversation_id = _open_thread(db)
    message = {"participantsIdentifiers": conversation_id, "message": "New meanwhile"}
    added = (await platform.ask("POST", "/sandbox/messages", message))["messageId"]
    return lambda: bool(thread_pages.by_ids(db, conversation_id, [added]))


def _campaigns(db: apsw.Connection) -> frozenset[str]:
    return frozenset(each.campaign_id for each in campaigns.watched(db) if each.name and each.read_at)


def _campaign_problem(db: apsw.Connection) -> str:
    record = campaigns.watched_record(db, CAMPAIGN)
    return "" if record is None else record.problem


async def _stop_campaign(platform: Platform, db: apsw.Connection) -> Callable[[], bool]:
    await platform.ask("POST", f"/sandbox/campaigns/{CAMPAIGN}/stop")

    def is_stopped() -> bool:
        record = campaigns.watched_record(db, CAMPAIGN)
        return record is not None and record.status == "stopped"

    return is_stopped


def _workflows(db: apsw.Connection) -> frozenset[str]:
    return frozenset(each.workflow_id for each in workflow_store.listing(db).records)


async def _add_workflow(platform: Platform, db: apsw.Connection) -> Callable[[], bool]:
    body = create_body({"name": "New meanwhile", **GRAPH})
    await platform.ask("POST", "/workflows/new-meanwhile?folderId=folder-service", body)
    return lambda: "new-meanwhile" in _workflows(db)


def _agents(db: apsw.Connection) -> frozenset[str]:
    return frozenset(each.document_id for each in agent_store.listing(db).records)


async def _use_tokens(platform: Platform, db: apsw.Connection) -> Callable[[], bool]:
    def tokens() -> list[Any]:
        return [each.raw.get("tokensUsed") for each in agent_store.listing(db).records]

    before = tokens()
    await platform.ask("POST", "/sandbox/advance", {"seconds": 3600})
    return lambda: tokens() != before


READS = {
    "list_tasks": Reading("/tasks/list", "POST", lambda _: Focus("board"), _tasks, _add_task),
    "get_messages": Reading(
        "/getMessages", "POST", lambda db: Focus("inbox", _open_thread(db)), _messages, _add_message
    ),
    "get_campaign": Reading(
        f"/campaigns/{CAMPAIGN}",
        "GET",
        lambda _: Focus("campaigns"),
        _campaigns,
        _stop_campaign,
        _campaign_problem,
    ),
    "list_workflows": Reading(
        "/workflows",
        "POST",
        lambda _: Focus("workflows"),
        _workflows,
        _add_workflow,
        workflow_store.read_problem,
    ),
    "list_ai_agents": Reading(
        "/ai-agents",
        "GET",
        lambda _: Focus("agents"),
        _agents,
        _use_tokens,
        lambda db: agent_store.listing(db).lacks,
    ),
}
"""By the endpoint's name, what is polled."""
