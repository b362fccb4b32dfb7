"""Answers the requests that screens leave in the store: a refresh, older messages, whole workflows."""

import json
import logging
import math
from collections.abc import Awaitable, Callable, Hashable
from datetime import datetime
from functools import partial

import apsw

from frontdesk.engine.features import ProfileResources
from frontdesk.storage import clients
from frontdesk.storage.clients import EngineRequest
from frontdesk.storage.database import Store
from frontdesk.storage.records import MessagePosition
from frontdesk.sync.backoff import Backoff
from frontdesk.sync.budget import urgent
from frontdesk.sync.poller import Poller
from frontdesk.sync.scheduler import Job, PollKind
from frontdesk.sync.store_write_errors import STORE_TROUBLE
from frontdesk.workflows.sync import missing_reason
from frontdesk_api.client.errors import ABOUT_HOST, ApiError, BadReply, RateLimited, Refused, ReplyTooLarge
from frontdesk_api.contract.decode import Page
from frontdesk_api.contract.endpoints import Host
from frontdesk_api.contract.ids import ConversationId, MessageId
from frontdesk_api.contract.workflows import WorkflowDocument

OUR_FAULT = "something went wrong in frontdesk; see its log"

log = logging.getLogger(__name__)


class _NotRead(Exception):
    """A requested document couldn't be read; the text says why."""


class RequestHandler:
    """Steps of the engine that answer requests; `wake` wakes its other steps."""

    def __init__(
        self,
        store: Store,
        resources: ProfileResources,
        poller: Poller,
        backoff: Backoff,
        clock: Callable[[], float],
        *,
        report_health: Callable[[], Awaitable[None]],
        wake: Callable[[], None],
    ):
        self._store, self._resources = store, resources
        self._poller, self._backoff = poller, backoff
        self._clock = clock
        self._report_health = report_health
        self._wake = wake

    async def answer(self) -> float:
        """Answer refreshes at once, then pages, which may take their time."""
        rest = 60.0
        others = (clients.OUTCOMES, clients.WORKFLOW_DOCUMENT)
        requests = [each for each in clients.open_requests(self._store.reading) if each.kind not in others]
        for request in sorted(requests, key=lambda each: each.kind != clients.REFRESH):
            wait = self._backoff.ready_at(Host.BASE) - self._clock()
            if request.kind == clients.OLDER and wait > 0 and self._backoff.is_throttled(Host.BASE):
                rest = min(rest, wait)
                continue
            failed = ""
            try:
                with urgent():
                    await self._fulfil(request)
            except RateLimited as error:
                await self._note_failure(Host.BASE, error)
                rest = min(rest, self._backoff.ready_at(Host.BASE) - self._clock())
                continue
            except ApiError as error:
                failed = error.problem if isinstance(error, ReplyTooLarge) else str(error)
                if isinstance(error, ABOUT_HOST) or not isinstance(error, Refused):
                    await self._note_failure(Host.BASE, error, request.target)
            except STORE_TROUBLE:
                raise
            except ValueError as error:
                failed = str(error)
            except Exception:
                # A fault of ours: this one is given up, so that those after it are answered.
                log.exception("couldn't answer a request")
                failed = OUR_FAULT
            await self._store.run(partial(clients.resolve_request, request_id=request.request_id, failed=failed))
        return rest

    async def read_workflow_documents(self) -> float:
        """Read the workflows once for all who wait, apart from other requests: the answer may be megabytes.

        A request made during the read waits for the next one.
        """
        opened = clients.open_requests(self._store.reading)
        requests = [each for each in opened if each.kind == clients.WORKFLOW_DOCUMENT]
        if not requests:
            return 60.0
        try:
            page = await self._read_documents()
            failures = {each.request_id: missing_reason(page, each.target) for each in requests}
        except _NotRead as error:
            failures = {each.request_id: str(error) for each in requests}

        def resolve(db: apsw.Connection) -> None:
            for request_id, failed in failures.items():
                clients.resolve_request(db, request_id, failed=failed)

        await self._store.run(resolve)
        return 60.0

    async def _note_failure(self, host: Host, error: ApiError, read: Hashable = None) -> None:
        self._backoff.note_failure(host, error, read)
        await self._report_health()

    async def _read_documents(self) -> Page[WorkflowDocument]:
        host = Host.WORKFLOWS
        if self._backoff.is_throttled(host) and (wait := self._backoff.ready_at(host) - self._clock()) > 0:
            raise _NotRead(f"throttled by the platform until {_local_time(self._clock() + wait)}")
        try:
            with urgent():
                page = await self._resources.documents.workflow_documents()
        except ApiError as error:
            if isinstance(error, ABOUT_HOST) or not isinstance(error, Refused | BadReply):
                await self._note_failure(host, error, Job(PollKind.WHOLE_WORKFLOWS))
            raise _NotRead(str(error) or type(error).__name__) from error
        except STORE_TROUBLE:
            raise
        except Exception as error:
            log.exception("couldn't load the workflow documents")
            raise _NotRead(OUR_FAULT) from error
        self._backoff.note_success(host)
        return page

    async def _fulfil(self, request: EngineRequest) -> None:
        if request.kind == clients.OLDER:
            conversation, created_at, message_id = json.loads(request.target)
            key = MessagePosition(created_at, MessageId(message_id))
            await self._resources.threads.thread_older(ConversationId(conversation), key)
            self._backoff.note_success(Host.BASE)
        elif request.kind == clients.REFRESH:
            self._poller.refresh(request.target)
            self._wake()
        else:
            raise ValueError(f"unknown kind of request: {request.kind!r}")


def _local_time(at: float) -> str:
    """Return the local time rounded up to a second, with the day unless it is today."""
    moment = datetime.fromtimestamp(math.ceil(at)).astimezone()
    is_today = moment.date() == datetime.now().astimezone().date()
    return f"{moment:%H:%M:%S}" if is_today else f"{moment:%d %b %H:%M:%S}"
