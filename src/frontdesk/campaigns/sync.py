"""Reads of campaigns: their state and counters, and the delivery results of single recipients.

The polled campaigns as the engine knows them.

The watched ones are kept up to date by the change feed; those that only a team's other desks watch aren't stored.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

import apsw

from frontdesk.campaigns import delivery_results as results
from frontdesk.campaigns.delivery_results import (
    DeliveryResult,
    ResultsUnavailable,
    SendingPeriod,
    Tally,
    sampling_order,
    sending_period_of,
)
from frontdesk.campaigns.models import CampaignRecord
from frontdesk.campaigns.observations import observed_campaign
from frontdesk.campaigns.recipients import require_recipients
from frontdesk.campaigns.store import campaigns, delivery_results
from frontdesk.campaigns.store.campaigns import PreparedCampaign
from frontdesk.storage import change_feed
from frontdesk.storage.clients import EngineRequest
from frontdesk.storage.database import Store
from frontdesk.storage.invalid_items import store_page
from frontdesk.storage.records import Event
from frontdesk.sync.backoff import Backoff, is_about_read
from frontdesk.sync.budget import Budget, RequestPurpose, spending_as
from frontdesk.sync.observations import Observe, observe_nothing
from frontdesk_api import json_access
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.errors import (
    ABOUT_HOST,
    ApiError,
    BadReply,
    BadRequestInput,
    NotFound,
    Refused,
    ReplyTooLarge,
)
from frontdesk_api.contract.decode import Broken
from frontdesk_api.contract.endpoints import Host
from frontdesk_api.contract.ids import CampaignId, CustomerId
from frontdesk_api.contract.messages import MessageQuery


class PolledCampaigns:
    """The records of one profile; only those that have changed are read again.

    Args:
        of_others: the ids of the campaigns that a team's other desks watch and this one reads for them.
    """

    def __init__(self, store: Store, of_others: Callable[[], Collection[str]] = tuple):
        self._store, self._of_others = store, of_others
        self._known: dict[CampaignId, CampaignRecord] = {}
        self._for_others: dict[CampaignId, CampaignRecord] = {}
        self._read_for_others: set[CampaignId] = set()
        self._seq = 0
        self._outbox_version: int | None = None

    @property
    def lines(self) -> dict[str, str]:
        """The line of each polled campaign by its id; empty where it isn't known."""
        return {each: json_access.text(record.line_id) for each, record in self._known.items()}

    @property
    def own(self) -> list[str]:
        """The ids of those that are watched here."""
        return [each for each in self._known if each not in self._for_others]

    @property
    def unreadable(self) -> set[str]:
        """The ids of those that couldn't be read the last time."""
        return {each for each, record in self._known.items() if record.problem}

    def is_for_others(self, campaign_id: CampaignId) -> bool:
        return campaign_id in self._for_others

    def note_read(self, campaign_id: CampaignId, prepared: PreparedCampaign, now: float) -> bool:
        """Note a campaign that was read for other desks; returns whether it differs."""
        before, record = self._for_others.get(campaign_id), campaigns.unstored(campaign_id, prepared, now)
        if before is not None:
            self._for_others[campaign_id] = record
            self._read_for_others.add(campaign_id)
        return before is None or before.raw != record.raw

    def note_unreadable(self, campaign_id: CampaignId, problem: str) -> None:
        if (before := self._for_others.get(campaign_id)) is not None:
            self._for_others[campaign_id] = replace(before, problem=problem)
            self._read_for_others.add(campaign_id)

    def changes(self) -> dict[str, CampaignRecord | None]:
        """Return what has changed since the last call; None for a campaign that isn't polled any more."""
        db = self._store.reading
        version = change_feed.versions(db).outbox
        if self._outbox_version is None:
            self._seq = change_feed.position(db)
            touched = set(campaigns.watched_ids(db))
        else:
            self._seq, events = change_feed.since(db, self._seq)
            touched = self._touched(db, events, outbox_moved=version != self._outbox_version)
        self._outbox_version = version
        of_others = {CampaignId(each) for each in self._of_others()}
        touched |= self._read_for_others | (of_others - self._known.keys()) | (self._for_others.keys() - of_others)
        self._read_for_others = set()
        found: dict[str, CampaignRecord | None] = {}
        for each in touched:
            record = self._record(db, each, of_others)
            if record != self._known.get(each):
                found[each] = record
                if record is None:
                    del self._known[each]
                else:
                    self._known[each] = record
        return found

    def _record(
        self, db: apsw.Connection, campaign_id: CampaignId, of_others: Collection[CampaignId]
    ) -> CampaignRecord | None:
        record = campaigns.watched_record(db, campaign_id)
        if record is None and campaign_id in of_others:
            return self._for_others.setdefault(campaign_id, campaigns.unread(campaign_id))
        self._for_others.pop(campaign_id, None)
        return record

    def _touched(self, db: apsw.Connection, events: frozenset[Event], *, outbox_moved: bool) -> set[CampaignId]:
        """Return the ids to read again: the list of what is watched is in the outbox, which moves later."""
        found = {CampaignId(each.id) for each in events if each.kind == change_feed.CAMPAIGN}
        if change_feed.EVERYTHING in events:
            return found | {*self._known, *campaigns.watched_ids(db)}
        if outbox_moved:
            found |= (self._known.keys() - self._for_others.keys()) ^ set(campaigns.watched_ids(db))
        return found


class CampaignPuller:
    """Reads the watched campaigns of one profile, and those that only a team's other desks watch.

    Args:
        read_by: by id, when alerts need a read that is written though nothing differs.
        observe: told what a read has brought.
    """

    def __init__(
        self,
        client: PlatformClient,
        store: Store,
        clock: Callable[[], float],
        read_by: Mapping[str, float],
        polled: PolledCampaigns,
        observe: Observe = observe_nothing,
    ):
        self._polled, self._observe = polled, observe
        self._client = client
        self._store = store
        self._clock = clock
        self._read_by = read_by
        self._unchanged_at: dict[CampaignId, float] = {}

    async def campaign(self, campaign_id: CampaignId) -> bool:
        """Read one campaign's state and counters; store an unknown id or an unreadable answer as its problem."""
        now = self._clock()
        if self._polled.is_for_others(campaign_id):
            return await self._read_for_others(campaign_id, now)
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
                find_unchanged=lambda db: campaigns.known_problem(db, campaign_id, broken.reason),
                put=lambda db: campaigns.put_problem(db, campaign_id, broken.reason),
                requested_id=campaign_id,
            )
        # A list of recipients may be megabytes.
        prepared = await asyncio.to_thread(campaigns.prepare, item.raw)
        unchanged_at = self._unchanged_at.get(campaign_id)
        is_needed = self._read_by.get(campaign_id, now + 1.0) <= now

        def known(db: apsw.Connection) -> bool | None:
            found = campaigns.known(db, campaign_id, prepared, now, is_needed=is_needed)
            if found is False:
                self._unchanged_at[campaign_id] = now
            return found

        differed = await store_page(
            self._store,
            self._clock,
            "campaign",
            [campaign_id],
            (),
            find_unchanged=known,
            put=lambda db: campaigns.put(db, campaign_id, prepared, now, unchanged_at, is_needed=is_needed),
        )
        self._observe([observed_campaign(campaign_id, prepared, now)])
        return differed

    async def _read_for_others(self, campaign_id: CampaignId, now: float) -> bool:
        """Read a campaign that nobody watches here, without storing it."""
        try:
            item = await self._client.get_campaign(campaign_id)
        except (NotFound, BadReply) as error:
            # Those who watch it read it themselves, and see why it can't be read.
            self._polled.note_unreadable(campaign_id, str(error))
            return False
        prepared = await asyncio.to_thread(campaigns.prepare, item.raw)
        self._observe([observed_campaign(campaign_id, prepared, now)])
        return self._polled.note_read(campaign_id, prepared, now)


log = logging.getLogger(__name__)

WRITE_SECONDS = 0.1

TRIES = 3
"""How often a thread is requested while the platform fails."""

IDLE_SECONDS = 60.0


@dataclass(slots=True)
class _Work:
    ask: EngineRequest
    period: SendingPeriod
    total: int
    wanted: int
    tally: Tally
    again: list[CustomerId]
    fresh: Iterator[CustomerId]
    unwritten: list[delivery_results.Row] = field(default_factory=list)
    current: CustomerId | None = None
    failures: int = 0

    @property
    def campaign_id(self) -> CampaignId:
        return CampaignId(self.ask.target)

    def next(self) -> CustomerId | None:
        """Return the recipient whose thread is read next; the same one until it was read."""
        if self.current is None:
            if self.again:
                self.current = self.again.pop(0)
            elif len(self.tally) < self.wanted:
                self.current = next(self.fresh, None)
        return self.current


@dataclass(eq=False)
class DeliveryResultsReader:
    """Answers requests for delivery results, one thread at a time, in a random order: any part is a fair sample.

    It takes less of the budget than polls, and waits where the host asks for it.

    Attributes:
        clock: Unix seconds.
        steady: seconds that never go back.
        may_read: False while every screen has paused reading.
    """

    client: PlatformClient
    store: Store
    budget: Budget
    backoff: Backoff
    clock: Callable[[], float]
    steady: Callable[[], float]
    may_read: Callable[[], bool]

    def __post_init__(self) -> None:
        self._work: _Work | None = None
        self._written_at = float("-inf")

    async def step(self) -> float:
        """Read one thread, if one is wanted and may be read now; return the seconds to rest."""
        ask = delivery_results.next_ask(self.store.reading)
        if self._work is not None and (ask is None or ask.request_id != self._work.ask.request_id):
            await self._write(self._work)
            self._work = None
        if ask is None:
            return IDLE_SECONDS
        if self._work is None:
            try:
                self._work = await asyncio.wrap_future(self.store.read_in_background(lambda db: _begin(db, ask)))
            except ResultsUnavailable as error:
                problem = str(error)
                await self.store.run(lambda db: delivery_results.settle(db, ask, failed=problem))
                return 0.0
            await self._write(self._work, even_nothing=True)
        return await self._continue(self._work)

    async def _continue(self, work: _Work) -> float:
        customer_id = work.next()
        if customer_id is None:
            await self._write(work)
            self._work = None
            await self.store.run(lambda db: delivery_results.settle(db, work.ask))
            return 0.0
        if (wait := self._wait_seconds(customer_id)) > 0:
            await self._write(work)
            return wait
        with spending_as(RequestPurpose.REQUESTED):
            outcome = await self._read(work, customer_id)
        if outcome is not None:
            work.current, work.failures = None, 0
            work.tally.add(customer_id, outcome)
            work.unwritten.append((customer_id, outcome.status, outcome.code, outcome.reason, self.clock()))
        if self.steady() - self._written_at >= WRITE_SECONDS:
            await self._write(work)
        return 0.0

    def _wait_seconds(self, customer_id: CustomerId) -> float:
        if not self.may_read():
            return IDLE_SECONDS
        wait = self.backoff.ready_at(Host.BASE, customer_id) - self.clock()
        if wait <= 0:
            wait = self.budget.wait_seconds(RequestPurpose.REQUESTED)
        # What may spend more can come before this, and a person may take it back meanwhile.
        return min(max(0.0, wait), 1.0)

    async def _read(self, work: _Work, customer_id: CustomerId) -> DeliveryResult | None:
        try:
            outcome = await read_result(self.client, work.period, customer_id)
        except NotFound:
            self.backoff.note_success(Host.BASE, was_read=False)
            return DeliveryResult(results.NO_CONVERSATION)
        except (Refused, BadRequestInput, ReplyTooLarge) as error:
            if isinstance(error, ABOUT_HOST):
                self.backoff.note_failure(Host.BASE, error)
                return None
            self.backoff.note_success(Host.BASE, was_read=False)
            return unreadable(error)
        except ApiError as error:
            log.warning("couldn't load a recipient's thread: %s", type(error).__name__)
            self.backoff.note_failure(Host.BASE, error, customer_id)
            if not is_about_read(error):
                return None
            work.failures += 1
            return unreadable(error) if work.failures >= TRIES else None
        self.backoff.note_success(Host.BASE, read=customer_id)
        return outcome

    async def _write(self, work: _Work, *, even_nothing: bool = False) -> None:
        if not work.unwritten and not even_nothing:
            return
        found, groups, checked = list(work.unwritten), work.tally.groups(), len(work.tally)

        def write(db: apsw.Connection) -> None:
            delivery_results.put(db, work.campaign_id, found, groups, work.total, checked)

        await self.store.run(write)
        del work.unwritten[: len(found)]
        self._written_at = self.steady()


async def read_result(client: PlatformClient, period: SendingPeriod, customer_id: CustomerId) -> DeliveryResult:
    """Read a recipient's thread and find the result in it; raises `ApiError`."""
    query = MessageQuery(phoneNumberId=period.line_id, targetPhoneNumberId=customer_id)
    page = await client.get_messages(query)
    if page.broken and not page.items:
        return DeliveryResult(results.UNREADABLE, reason="the thread's messages couldn't be loaded")
    return period.result([item.raw for item in page.items], has_more=page.has_more)


def unreadable(error: ApiError) -> DeliveryResult:
    return DeliveryResult(results.UNREADABLE, reason=str(error)[: results.MAX_REASON])


def _begin(db: apsw.Connection, ask: EngineRequest) -> _Work:
    """Load all that a request needs; walks the list, so never on a screen's loop."""
    campaign_id = CampaignId(ask.target)
    campaign = delivery_results.raw_campaign(db, campaign_id)
    period = sending_period_of(campaign)
    people = require_recipients(campaign, delivery_results.recipients(db, campaign_id))
    order = sampling_order(campaign_id, (each.customer_id for each in people))
    known = {row[0]: (DeliveryResult(*row[1:4]), row[4]) for row in delivery_results.of_campaign(db, campaign_id)}
    ended_at = None if period.ended_ms is None else period.ended_ms / 1000
    tally, again, fresh = Tally(), [], []
    for each in order:
        if each not in known:
            fresh.append(each)
            continue
        outcome, read_at = known[each]
        tally.add(each, outcome)
        if read_at < ask.requested_at and results.may_change(outcome, read_at, ended_at):
            again.append(each)
    wanted = delivery_results.record(db, campaign_id).wanted
    return _Work(ask, period, len(order), wanted, tally, again, iter(fresh))
