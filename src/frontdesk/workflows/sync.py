"""Fetch and store workflows: their list, and their whole documents, which cost more."""

import asyncio
from collections.abc import Callable, Sequence

from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.invalid_items import has_unidentified, item_id, store_page
from frontdesk.storage.records import Json
from frontdesk.workflows import store as workflow_store
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import ABOUT_HOST, BadReply, Refused
from frontdesk_api.contract.decode import Broken, Page
from frontdesk_api.contract.workflows import WorkflowDocument
from frontdesk_lines.display_text import counted

PART_SIZE = 200
"""How many whole documents are written in one transaction."""


class DocumentPuller:
    """Reads one profile's workflows, for the poller and for a document that a user asked for."""

    def __init__(self, client: PlatformClient, store: Store, clock: Callable[[], float]):
        self._client = client
        self._store = store
        self._clock = clock
        self._outdated: frozenset[workflow_store.OutdatedDocument] = frozenset()
        self._skipped_outdated: frozenset[workflow_store.OutdatedDocument] = frozenset()

    def retry_refused(self) -> None:
        """Read everything again, on a user's request."""
        self._skipped_outdated = frozenset()

    @property
    def workflows_behind(self) -> bool:
        """Whether a listed document is missing or stale, though not since the last answer with whole documents."""
        return bool(self._outdated - self._skipped_outdated)

    async def workflows(self) -> bool:
        requested_at = self._clock()
        page = await self._client.list_workflows(minimal=True)
        raws, now = [item.raw for item in page.items], self._clock()
        broken_ids = [item_id(record_lookup.WORKFLOW, each.raw) for each in page.broken]
        more, keeps = page.has_more, has_unidentified(record_lookup.WORKFLOW, page.broken)
        differed = await store_page(
            self._store,
            self._clock,
            record_lookup.WORKFLOW,
            [str(raw["id"]) for raw in raws],
            page.broken,
            find_unchanged=lambda db: (
                False
                if workflow_store.is_listing_known(db, raws, has_more=more, now=now, keeps_unlisted=keeps)
                else None
            ),
            put=lambda db: workflow_store.put_listing(
                db,
                raws,
                has_more=more,
                requested_at=requested_at,
                now=now,
                broken_ids=broken_ids,
                keeps_unlisted=keeps,
            ),
        )
        self._outdated = await self._store.read(workflow_store.find_outdated)
        return differed

    async def whole_workflows(self) -> bool:
        try:
            differed, _ = await self._read_documents()
        except (Refused, BadReply) as error:
            if isinstance(error, ABOUT_HOST):
                raise
            return False
        return differed

    async def workflow_documents(self) -> Page[WorkflowDocument]:
        """Read the list and then all whole documents now; returns the page of documents."""
        await self.workflows()
        _, page = await self._read_documents()
        return page

    async def _read_documents(self) -> tuple[bool, Page[WorkflowDocument]]:
        """Read and store every whole document; a refusal is stored for the screens before it is raised."""
        requested_at = self._clock()
        try:
            page = await self._client.list_workflow_documents()
        except (Refused, BadReply) as error:
            if not isinstance(error, ABOUT_HOST):
                # A no to megabytes, or more of them than are taken: said, and not asked for again at once.
                why = str(error)
                self._outdated = self._skipped_outdated = await self._store.read(workflow_store.find_outdated)
                await self._store.run(lambda db: workflow_store.put_read_problem(db, why, requested_at))
            raise
        wholes = await asyncio.to_thread(_split_documents, [item.raw for item in page.items])
        # In parts, so that other writes, the heartbeat among them, needn't wait for megabytes.
        differed = await self._store_wholes(wholes[:PART_SIZE], page.broken, requested_at)
        for first in range(PART_SIZE, len(wholes), PART_SIZE):
            differed |= await self._store_wholes(wholes[first : first + PART_SIZE], (), requested_at)
        self._outdated = self._skipped_outdated = await self._store.read(workflow_store.find_outdated)
        return differed, page

    async def _store_wholes(
        self, wholes: Sequence[workflow_store.Whole], broken: Sequence[Broken], requested_at: float
    ) -> bool:
        now = self._clock()
        return await store_page(
            self._store,
            self._clock,
            record_lookup.WORKFLOW,
            [each.workflow_id for each in wholes],
            broken,
            find_unchanged=lambda db: False if workflow_store.are_known(db, wholes, now) else None,
            put=lambda db: workflow_store.put_all_whole(db, wholes, requested_at, now),
        )


def missing_reason(page: Page[WorkflowDocument], workflow_id: str) -> str:
    """Why a page lacks a workflow; empty if it has it, or no id is given."""
    if not workflow_id or any(item.raw.get("id") == workflow_id for item in page.items):
        return ""
    if page.broken:
        broken = counted(len(page.broken), "workflow")
        return f"{broken} from the platform couldn't be parsed, perhaps including this one"
    if page.has_more:
        return "the platform has more workflows than it lists, and this one isn't listed"
    return f"it isn't in the platform's list ({counted(len(page.items), 'workflow')})"


def _split_documents(raws: Sequence[Json]) -> list[workflow_store.Whole]:
    """Make the rows of documents, which may be megabytes; of duplicates the first."""
    return list({each.workflow_id: each for each in map(workflow_store.split_document, reversed(raws))}.values())
