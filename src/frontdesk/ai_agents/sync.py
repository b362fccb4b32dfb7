"""Fetch and store AI agents, for the poller."""

from collections.abc import Callable

from frontdesk.ai_agents import store as ai_agents
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.storage.invalid_items import has_unidentified, store_page
from frontdesk.storage.records import Json
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import HttpError, RateLimited, Redirected, ReplyTooLarge
from frontdesk_api.client.replies import PageLimit
from frontdesk_api.contract.ai_agents import AiAgentQuery
from frontdesk_api.contract.base import DEFAULT_AI_AGENTS_LIMIT
from frontdesk_api.contract.decode import Broken

FILES_AGAIN_SECONDS = 600.0
"""After a refusal, AI agents are read without files for this long."""

NOT_REQUESTED = "not requested yet"


class AiAgentPuller:
    """Reads one profile's AI agents, and remembers whether their files are refused."""

    def __init__(self, client: PlatformClient, store: Store, clock: Callable[[], float]):
        self._client = client
        self._store = store
        self._clock = clock
        self._files_refused = ""
        self._files_refused_until = float("-inf")
        self._limit, self._limit_with_files = (PageLimit(DEFAULT_AI_AGENTS_LIMIT) for _ in range(2))

    def retry_refused(self) -> None:
        """Ask for files again, on a user's request."""
        self._files_refused_until = float("-inf")

    async def ai_agents(self, *, with_files: bool = False) -> bool:
        """Read all pages; without files where the platform refuses them."""
        lacks = NOT_REQUESTED
        raws: list[Json] = []
        broken: list[Broken] = []
        if with_files and self._files_refused_until <= self._clock():
            try:
                raws, broken = await self._all_ai_agents(
                    AiAgentQuery(flat=True, getFiles=True), self._limit_with_files
                )
                lacks = self._files_refused = ""
            except (HttpError, ReplyTooLarge) as error:
                if isinstance(error, RateLimited | Redirected):
                    raise
                lacks = self._files_refused = str(error)
                self._files_refused_until = self._clock() + FILES_AGAIN_SECONDS
        elif with_files:
            lacks = self._files_refused
        if lacks:
            raws, broken = await self._all_ai_agents(AiAgentQuery(flat=True), self._limit)
        now, keeps = self._clock(), has_unidentified(record_lookup.AI_AGENT, broken)
        return await store_page(
            self._store,
            self._clock,
            record_lookup.AI_AGENT,
            [str(raw["id"]) for raw in raws],
            broken,
            find_unchanged=lambda db: (
                False if ai_agents.are_known(db, raws, now, lacks=lacks, keeps_unlisted=keeps) else None
            ),
            put=lambda db: ai_agents.put(db, raws, now, lacks=lacks, keeps_unlisted=keeps),
        )

    async def _all_ai_agents(self, query: AiAgentQuery, limit: PageLimit) -> tuple[list[Json], list[Broken]]:
        raws: list[Json] = []
        broken: list[Broken] = []
        async for page in self._client.iter_ai_agent_pages(query, limit):
            raws += [item.raw for item in page.items]
            broken += page.broken
        return raws, broken
