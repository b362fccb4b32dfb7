"""Answers the requests that screens leave in the store: a refresh, older messages, whole workflows."""

import json
import logging
import math
from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial

import apsw

from frontdesk.api.client.errors import ABOUT_HOST, ApiError, BadReply, RateLimited, Refused
from frontdesk.api.contract.decode import Page
from frontdesk.api.contract.endpoints import Host
from frontdesk.api.contract.ids import ConversationId, MessageId
from frontdesk.api.contract.workflows import WorkflowDocument
from frontdesk.app.engine_features import ProfileResources
from frontdesk.storage import clients
from frontdesk.storage.clients import Ask
from frontdesk.storage.database import Store
from frontdesk.storage.records import MessagePosition
from frontdesk.sync.backoff import Backoff
from frontdesk.sync.budget import URGENT
from frontdesk.sync.poller import STORE_TROUBLE, Poller
from frontdesk.workflows.sync import why_missing

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
        asks = [each for each in clients.open_requests(self._store.reading) if each.kind not in others]
        for ask in sorted(asks, key=lambda each: each.kind != clients.REFRESH):
            wait = self._backoff.ready_at(Host.BASE) - self._clock()
            if ask.kind == clients.OLDER and wait > 0 and self._backoff.is_throttled(Host.BASE):
                rest = min(rest, wait)
                continue
            token = URGENT.set(True)
            failed = ""
            try:
                await self._fulfil(ask)
            except RateLimited as error:
                self._backoff.note_failure(Host.BASE, error)
                await self._report_health()
                rest = min(rest, self._backoff.ready_at(Host.BASE) - self._clock())
                continue
            except ApiError as error:
                failed = str(error)
                if isinstance(error, ABOUT_HOST) or not isinstance(error, Refused):
                    self._backoff.note_failure(Host.BASE, error)
                    await self._report_health()
            except STORE_TROUBLE:
                raise
            except ValueError as error:
                failed = str(error)
            except Exception:
                # A fault of ours: this one is given up, so that those after it are answered.
                log.exception("what was asked for could not be read")
                failed = "frontdesk failed at this; its log says why"
            finally:
                URGENT.reset(token)
            resolve = partial(clients.resolve_request, ask_id=ask.ask_id, failed=failed)
            await self._store.run(resolve)
        return rest

    async def read_workflow_documents(self) -> float:
        """Read the workflows once for all who wait, apart from other requests: the answer may be megabytes.

        A request made during the read waits for the next one.
        """
        asks = [ask for ask in clients.open_requests(self._store.reading) if ask.kind == clients.WORKFLOW_DOCUMENT]
        if not asks:
            return 60.0
        try:
            page = await self._read_documents()
            failures = {ask.ask_id: why_missing(page, ask.target) for ask in asks}
        except _NotRead as error:
            failures = {ask.ask_id: str(error) for ask in asks}

        def resolve(db: apsw.Connection) -> None:
            for ask_id, failed in failures.items():
                clients.resolve_request(db, ask_id, failed=failed)

        await self._store.run(resolve)
        return 60.0

    async def _read_documents(self) -> Page[WorkflowDocument]:
        host = Host.WORKFLOWS
        if self._backoff.is_throttled(host) and (wait := self._backoff.ready_at(host) - self._clock()) > 0:
            raise _NotRead(f"the platform asks us to wait until {_local_time(self._clock() + wait)}")
        token = URGENT.set(True)
        try:
            page = await self._resources.documents.workflow_documents()
        except ApiError as error:
            if isinstance(error, ABOUT_HOST) or not isinstance(error, Refused | BadReply):
                self._backoff.note_failure(host, error)
                await self._report_health()
            raise _NotRead(str(error) or type(error).__name__) from error
        except STORE_TROUBLE:
            raise
        except Exception as error:
            log.exception("the workflows' documents could not be read")
            raise _NotRead("frontdesk failed at this; its log says why") from error
        finally:
            URGENT.reset(token)
        self._backoff.note_success(host)
        return page

    async def _fulfil(self, ask: Ask) -> None:
        if ask.kind == clients.OLDER:
            conversation, created_at, message_id = json.loads(ask.target)
            key = MessagePosition(created_at, MessageId(message_id))
            await self._resources.threads.thread_older(ConversationId(conversation), key)
            self._backoff.note_success(Host.BASE)
        elif ask.kind == clients.REFRESH:
            self._poller.refresh(ask.target)
            self._wake()
        else:
            raise ValueError(f"nobody knows how to answer {ask.kind!r}")


def _local_time(at: float) -> str:
    """The local time rounded up to a second, with the day unless it is today."""
    moment = datetime.fromtimestamp(math.ceil(at)).astimezone()
    is_today = moment.date() == datetime.now().astimezone().date()
    return f"{moment:%H:%M:%S}" if is_today else f"{moment:%d %b %H:%M:%S}"
