"""PlatformClient: one async method for each operation of `contract.endpoints`."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import median
from typing import Any, Self, TypeVar

import httpx
from pydantic import BaseModel

from frontdesk_api.client.errors import (
    NOT_CONFIGURED,
    ApiError,
    BadRequestInput,
    CredentialsMissing,
    HttpError,
    InvalidPaging,
    UnsentWrite,
)
from frontdesk_api.client.replies import PageLimit, check_refusal, read_success, refusal_of
from frontdesk_api.client.request_encoding import body_of, encode_json, url_for
from frontdesk_api.client.transport import HttpAnswer, MaySend, Outgoing, RetryPolicy, Transport, always
from frontdesk_api.contract import endpoints
from frontdesk_api.contract.ai_agents import AiAgent, AiAgentQuery
from frontdesk_api.contract.base import DEFAULT_AI_AGENTS_LIMIT, DEFAULT_TASKS_LIMIT, JsonObject
from frontdesk_api.contract.campaigns import Campaign, CampaignCreate, CampaignCreated
from frontdesk_api.contract.decode import Item, Page, Undecodable, decode_one, decode_page
from frontdesk_api.contract.endpoints import Credentials, Endpoint, Host, Listing, One, Retry
from frontdesk_api.contract.ids import CampaignId, ConversationId, FolderId, TagId, TaskId, WebhookId, WorkflowId
from frontdesk_api.contract.messages import Message, MessageQuery, TagAssignment
from frontdesk_api.contract.tasks import Task, TaskQuery, TaskUpdate
from frontdesk_api.contract.workflows import (
    Workflow,
    WorkflowCreate,
    WorkflowCreated,
    WorkflowDocument,
    WorkflowUpdate,
)
from frontdesk_api.credentials import CredentialSet, remember
from frontdesk_api.hosts import Hosts
from frontdesk_api.redaction import HIDDEN

ModelT = TypeVar("ModelT", bound=BaseModel)
ResultT = TypeVar("ResultT")
Ids = Mapping[str, str]
Query = Mapping[str, object]
Gate = Callable[[Host], Awaitable[None]]
"""Awaited before every request, retries included, so that a budget can hold it back."""

MAX_QUOTED = 200
"""Maximum number of characters that are kept of an unexpected answer."""

MAX_PAGES = 100_000
READ_SECONDS = 20.0
WRITE_SECONDS = 30.0
CLOSE_GRACE_SECONDS = 2.0
MAX_PAGE_FACTOR = 2
"""Maximum ratio of a page's items to the requested number."""

OFFSETS_KEPT = 5
"""Number of responses whose clocks are compared; the median counts, since a single one may come from a cache."""

MAX_INLINE_DECODE_BYTES = 500_000
"""Maximum size of an answer that is decoded inline; larger ones are decoded on a thread."""

_LISTED: Endpoint[Any] = endpoints.LIST_WORKFLOWS
_WHOLE_WORKFLOWS: Endpoint[Listing[WorkflowDocument]] = replace(
    _LISTED, reply=replace(_LISTED.reply, item=WorkflowDocument)
)
"""The operation that fetches whole workflows, for callers that keep documents unparsed."""


class PlatformClient:
    """A client for one profile: reads are retried as the policy says, writes are sent once.

    Cancelling a method never cancels its request: a write that has begun runs to its answer.

    Args:
        gate: the request budget; None lets every request pass at once.
        read_only: why every operation that isn't a read is refused; empty if it isn't.
        dry_run: raise `UnsentWrite` with the request in place of every operation that isn't a read.
        transport: replaces the network, in tests.
        may_send: called before each part of a write leaves; False ends the request.
        close_grace_seconds: how long `aclose` lets writes in flight finish.
        is_anonymous: sends requests without credentials, to see whether the platform answers.
        remedy: what a person does about credentials that are missing or refused, for the errors' texts.
    """

    def __init__(
        self,
        hosts: Hosts,
        credentials: CredentialSet,
        *,
        gate: Gate | None = None,
        retry: RetryPolicy | None = None,
        ca_file: str | None = None,
        proxy: str | None = None,
        read_only: str = "",
        dry_run: bool = False,
        transport: httpx.AsyncBaseTransport | None = None,
        write_seconds: float = WRITE_SECONDS,
        close_grace_seconds: float = CLOSE_GRACE_SECONDS,
        may_send: MaySend = always,
        is_anonymous: bool = False,
        remedy: str = "",
    ) -> None:
        self._hosts, self._credentials = hosts, credentials
        self._is_anonymous, self._remedy = is_anonymous, remedy
        remember(credentials)
        self._gate, self._retry = gate, retry or RetryPolicy()
        self._transport = Transport(
            credentials, transport=transport, ca_file=ca_file, proxy=proxy, may_send=may_send
        )
        self._begun_at: dict[object, float] = {}
        self._clock_offsets: deque[float] = deque(maxlen=OFFSETS_KEPT)
        self._write_seconds = write_seconds
        self._read_only, self._dry_run = read_only, dry_run
        self._close_grace_seconds = close_grace_seconds

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.aclose()

    @property
    def unanswered_seconds(self) -> float:
        """The seconds since the oldest unanswered request began, retries included, or 0 if there is none."""
        if not self._begun_at:
            return 0.0
        return max(0.0, asyncio.get_running_loop().time() - min(self._begun_at.values()))

    @property
    def clock_offset(self) -> float | None:
        """The seconds that the platform's clock is ahead, by its last responses, or `None` if unknown."""
        return median(self._clock_offsets) if self._clock_offsets else None

    def forget_clock_offsets(self) -> None:
        """Forget the offsets of earlier responses, since this machine's clock was set."""
        self._clock_offsets.clear()

    async def aclose(self) -> None:
        """End fetches, let writes in flight finish for the grace time, close every connection."""
        await self._transport.close(self._close_grace_seconds)

    # Tasks

    async def list_tasks(self, query: TaskQuery | None = None, *, cursor: JsonObject | None = None) -> Page[Task]:
        """Fetch one page of tasks; `cursor` overrides the query's own."""
        body = body_of(query or TaskQuery()) | ({"lastEvaluatedKey": cursor} if cursor else {})
        return await self._page(endpoints.LIST_TASKS, body=body)

    def iter_task_pages(self, query: TaskQuery) -> AsyncIterator[Page[Task]]:
        """Fetch every page, with fewer items each while a page is too large."""
        limit = PageLimit(query.limit or DEFAULT_TASKS_LIMIT)
        return _iter_pages(lambda cursor: limit.fetch(query, partial(self.list_tasks, cursor=cursor)))

    async def get_task(self, task_id: TaskId) -> Item[Task]:
        return await self._one(endpoints.GET_TASK, {"taskId": task_id})

    async def update_task(self, task_id: TaskId, update: TaskUpdate) -> Item[Task]:
        """Change the fields that are set; each call raises the task's unreadCount."""
        return await self._one(endpoints.UPDATE_TASK, {"taskId": task_id}, body=body_of(update))

    # Messages and tags

    async def get_messages(self, query: MessageQuery, *, cursor: JsonObject | None = None) -> Page[Message]:
        """Fetch one page of a thread, newest first; `cursor` overrides the query's startKey."""
        body = body_of(query) | ({"startKey": cursor} if cursor else {})
        return await self._page(endpoints.GET_MESSAGES, body=body)

    def iter_message_pages(self, query: MessageQuery) -> AsyncIterator[Page[Message]]:
        """Fetch every page of a thread, towards older messages."""
        return _iter_pages(lambda cursor: self.get_messages(query, cursor=cursor))

    async def assign_tags(self, conversation_id: ConversationId, tag_ids: Sequence[TagId]) -> None:
        """Add tags to a conversation; only the word `success` is a success. No operation removes them."""
        if not tag_ids:
            raise BadRequestInput("at least one tag id is needed; nothing was sent")
        body = body_of(TagAssignment(tagIds=list(tag_ids)))
        await self._decoded(endpoints.ASSIGN_TAGS, lambda _: None, {"id": conversation_id}, body)

    # Campaigns

    async def create_campaign(self, body: CampaignCreate | JsonObject) -> Item[CampaignCreated]:
        """Create a campaign, which may write to thousands: after `Ambiguous`, fetch it by its id."""
        sent = body if isinstance(body, dict) else body_of(body.root)
        endpoint = endpoints.CREATE_CAMPAIGN

        def decode(found: object) -> Item[CampaignCreated]:
            created = decode_one(endpoint.reply, found)
            # The message contains the created campaign's id (docs/interface.md, Create campaign).
            if str(sent.get("id", "")) not in created.value.message:
                raise Undecodable("the response doesn't contain the campaign's id")
            return created

        return await self._decoded(endpoint, decode, {}, sent)

    async def get_campaign(self, campaign_id: CampaignId) -> Item[Campaign]:
        return await self._one(endpoints.GET_CAMPAIGN, {"id": campaign_id})

    # Workflows

    async def list_workflows(self, minimal: bool = True) -> Page[Workflow]:
        """Fetch the workflows; the request has no cursor, so there is one page."""
        return await self._page(endpoints.LIST_WORKFLOWS, body={"getAllWorkflowsMinimalData": minimal})

    async def list_workflow_documents(self) -> Page[WorkflowDocument]:
        """Fetch every workflow with its graph, unparsed."""
        return await self._page(_WHOLE_WORKFLOWS, body={"getAllWorkflowsMinimalData": False})

    async def create_workflow(
        self, workflow_id: WorkflowId, folder_id: FolderId, body: WorkflowCreate | JsonObject
    ) -> Item[WorkflowCreated]:
        """Store a workflow, always inactive, in an existing folder."""
        if not folder_id:
            raise BadRequestInput("a folder id is needed; nothing was sent")
        sent = body if isinstance(body, dict) else body_of(body)
        return await self._one(
            endpoints.CREATE_WORKFLOW, {"workflowId": workflow_id}, query={"folderId": folder_id}, body=sent
        )

    async def update_workflow(self, workflow_id: WorkflowId, body: WorkflowUpdate | JsonObject) -> Item[Workflow]:
        """Send the graph PUT. Its answer isn't described: any object is a success, kept in `raw`."""
        endpoint = endpoints.UPDATE_WORKFLOW
        sent = body if isinstance(body, dict) else body_of(body)
        raw: JsonObject = await self._decoded(endpoint, lambda found: found, {"workflowId": workflow_id}, sent)
        return replace(decode_one(endpoint.reply, raw | {"id": workflow_id}), raw=raw)

    async def reset_workflow_analytics(self, workflow_id: WorkflowId) -> Item[Workflow]:
        """Set the counters to zero for good; return the workflow with its new lastModified."""
        return await self._one(endpoints.RESET_WORKFLOW_ANALYTICS, {"workflowId": workflow_id})

    # AI agents and webhooks

    async def list_ai_agents(
        self, query: AiAgentQuery | None = None, *, cursor: JsonObject | None = None
    ) -> Page[AiAgent]:
        """Fetch one page of AI agents; `cursor` overrides the query's own."""
        parameters = body_of(query or AiAgentQuery(flat=True))
        if cursor:
            parameters["exclusiveStartKey"] = encode_json(cursor).decode()
        return await self._page(endpoints.LIST_AI_AGENTS, query=parameters)

    def iter_ai_agent_pages(
        self, query: AiAgentQuery, limit: PageLimit | None = None
    ) -> AsyncIterator[Page[AiAgent]]:
        """Fetch every page, with fewer items each while a page is too large; `limit` is kept from walk to walk."""
        pages = limit or PageLimit(query.limit or DEFAULT_AI_AGENTS_LIMIT)
        return _iter_pages(lambda cursor: pages.fetch(query, partial(self.list_ai_agents, cursor=cursor)))

    async def delete_webhook(self, webhook_id: WebhookId) -> str:
        """Delete a webhook. Sends the Bearer token, never the Cookie.

        Returns:
            An empty text if the answer is empty or an object; other JSON, since it may be another service's.
        """
        return await self._decoded(endpoints.DELETE_WEBHOOK, _odd_json, {"webhookId": webhook_id})

    async def _one(
        self, endpoint: Endpoint[One[ModelT]], ids: Ids, body: JsonObject | None = None, query: Query | None = None
    ) -> Item[ModelT]:
        return await self._decoded(endpoint, partial(decode_one, endpoint.reply), ids, body, query)

    async def _page(
        self, endpoint: Endpoint[Listing[ModelT]], body: JsonObject | None = None, query: Query | None = None
    ) -> Page[ModelT]:
        limit = (body or query or {}).get("limit")
        max_items = MAX_PAGE_FACTOR * (limit if isinstance(limit, int) else endpoint.page_size)
        decode = partial(decode_page, endpoint.reply, max_items=max_items)
        return await self._decoded(endpoint, decode, {}, body, query)

    async def _decoded(
        self,
        endpoint: Endpoint[Any],
        decode: Callable[[Any], ResultT],
        ids: Ids,
        body: JsonObject | None = None,
        query: Query | None = None,
    ) -> ResultT:
        outgoing = self._outgoing(endpoint, ids, query or {}, body)
        loop = asyncio.get_running_loop()
        left = self._retry.total_seconds if not outgoing.is_write else outgoing.seconds
        attempt, request = 0, object()
        try:
            while True:
                attempt += 1
                if self._gate is not None:
                    await self._gate(endpoint.host)
                started = loop.time()
                self._begun_at.setdefault(request, started)
                try:
                    return await self._attempt(endpoint, outgoing, decode)
                except ApiError as error:
                    if outgoing.is_write:
                        raise
                    if isinstance(error, HttpError):
                        del self._begun_at[request]  # an answer too, though not the wanted one
                    left -= loop.time() - started
                    wait = self._retry.wait_before_next(error, attempt, left)
                    if wait is None:
                        raise
                await self._retry.sleep(wait)
                left -= wait
                outgoing = replace(outgoing, seconds=min(outgoing.seconds, max(left, 1.0)))
        finally:
            self._begun_at.pop(request, None)

    async def _attempt(
        self, endpoint: Endpoint[Any], outgoing: Outgoing, decode: Callable[[Any], ResultT]
    ) -> ResultT:
        answer = await self._transport.send(outgoing)
        if not 200 <= answer.status < 300:
            check_refusal(endpoint, answer, outgoing.host)
            self._note_clock(answer)
            raise refusal_of(endpoint, answer, outgoing.host, self._remedy)
        if len(answer.body) <= MAX_INLINE_DECODE_BYTES:
            result = read_success(endpoint, answer, outgoing.host, decode)
        else:
            result = await asyncio.to_thread(read_success, endpoint, answer, outgoing.host, decode)
        self._note_clock(answer)
        return result

    def _note_clock(self, answer: HttpAnswer) -> None:
        if answer.clock_offset is not None:
            self._clock_offsets.append(answer.clock_offset)

    def _outgoing(self, endpoint: Endpoint[Any], ids: Ids, query: Query, body: JsonObject | None) -> Outgoing:
        is_write = endpoint.retry is not Retry.READ
        if is_write and self._read_only and not self._dry_run:
            raise BadRequestInput(f"{self._read_only}; nothing was sent")
        url = url_for(self._hosts, endpoint, ids, query)
        self._check_credentials(endpoint.credentials)
        encoded = None if body is None else encode_json(body)
        if is_write and encoded is not None and HIDDEN.encode() in encoded:
            raise BadRequestInput(
                f"it contains {HIDDEN} where frontdesk left out a credential: "
                "put the value back or remove it; nothing was sent"
            )
        if is_write and self._dry_run:
            raise UnsentWrite(endpoint.method, url, None if encoded is None else encoded.decode())
        return Outgoing(
            method=endpoint.method,
            url=url,
            body=encoded,
            credentials=endpoint.credentials,
            is_write=is_write,
            reply_bytes=endpoint.reply_bytes,
            seconds=self._write_seconds if is_write else READ_SECONDS,
        )

    def _check_credentials(self, wanted: Credentials) -> None:
        """Require both credentials (docs/interface.md, Authentication); without them nothing is sent."""
        given = self._credentials
        if self._is_anonymous:
            return
        missing = ["x-api-key (FRONTDESK_API_KEY)"] if given.api_key is None else []
        if wanted is Credentials.BEARER and given.bearer is None:
            missing.append("Bearer token (FRONTDESK_BEARER)")
        if wanted is Credentials.ACCOUNT and given.cookie is None:
            missing.append("Cookie (FRONTDESK_COOKIE)")
        if missing:
            them = "it" if len(missing) == 1 else "them"
            remedy = f"{self._remedy} or set {them}" if self._remedy else f"set {them}"
            raise CredentialsMissing(f"{NOT_CONFIGURED}{', '.join(sorted(missing))}; {remedy}")


def _odd_json(value: Any) -> str:
    return "" if value is None or isinstance(value, dict) else json.dumps(value, ensure_ascii=False)[:MAX_QUOTED]


async def _iter_pages(
    fetch: Callable[[JsonObject | None], Awaitable[Page[ModelT]]],
) -> AsyncIterator[Page[ModelT]]:
    """Fetch every page; raise InvalidPaging after the last decodable one, if more exist."""
    cursor: JsonObject | None = None
    seen: set[str] = set()
    for _ in range(MAX_PAGES):
        page = await fetch(cursor)
        yield page
        if not page.has_more:
            return
        if page.cursor is None:
            raise InvalidPaging("the list is incomplete: the platform says there is more but sent no cursor")
        mark = json.dumps(page.cursor, sort_keys=True)
        if mark in seen:
            raise InvalidPaging("the list may be incomplete: the platform sent the same cursor again")
        seen.add(mark)
        cursor = page.cursor
    raise InvalidPaging(f"the list may be incomplete: it didn't end after {MAX_PAGES} pages")
