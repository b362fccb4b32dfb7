"""Fetches and stores one campaign's state and counters. Called by the poller."""

from collections.abc import Callable

import apsw

from frontdesk.api.client.client import PlatformClient
from frontdesk.api.client.errors import BadReply, NotFound
from frontdesk.api.contract.decode import Broken
from frontdesk.api.contract.ids import CampaignId
from frontdesk.campaigns.store import campaigns
from frontdesk.storage.database import Store
from frontdesk.sync.pages import store_page


class CampaignPuller:
    """The reads of one profile's watched campaigns. Holds when each was last read the same."""

    def __init__(self, client: PlatformClient, store: Store, clock: Callable[[], float]):
        self._client = client
        self._store = store
        self._clock = clock
        self._same_at: dict[CampaignId, float] = {}

    async def campaign(self, campaign_id: CampaignId) -> bool:
        """One campaign's state and counters. An id nobody knows, or what can't be read, is said on its row."""
        now = self._clock()
        try:
            item = await self._client.get_campaign(campaign_id)
        except NotFound as error:
            problem = str(error)
            await self._store.run(lambda db: campaigns.put_problem(db, campaign_id, problem))
            return False
        except BadReply as error:
            if error.raw is None:
                raise
            broken = Broken(error.raw, str(error))
            return await store_page(
                self._store,
                self._clock,
                "campaign",
                (),
                [broken],
                known=lambda db: campaigns.known_problem(db, campaign_id, broken.reason),
                put=lambda db: campaigns.put_problem(db, campaign_id, broken.reason),
                asked_for=campaign_id,
            )
        came, same_at = campaigns.taken_apart(item.raw), self._same_at.get(campaign_id)

        def known(db: apsw.Connection) -> bool | None:
            found = campaigns.known(db, campaign_id, came, now)
            if found is False:
                self._same_at[campaign_id] = now
            return found

        return await store_page(
            self._store,
            self._clock,
            "campaign",
            [campaign_id],
            (),
            known=known,
            put=lambda db: campaigns.put(db, campaign_id, came, now, same_at),
        )
