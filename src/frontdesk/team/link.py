"""A desk's link to its team: it joins, leads or follows, and works alone while the relay can't be used.

`TeamConflicts` finds out with whose change one of this desk's is in conflict. The engine repeats `step` of
`TeamLink`. docs/team.md, What happens when, has the rules.
"""

import json
import logging
from collections.abc import Callable, Collection, Sequence

from frontdesk.inbox.changes import NoteChangeHandler
from frontdesk.outbox import conflicts, queue
from frontdesk.outbox.overlay import led_to
from frontdesk.relay.client import TOO_NEW, TOO_OLD, RelayClient
from frontdesk.relay.connection import CONNECT_SECONDS, RelayError, RelayRefused, StaleLeader, parse_address
from frontdesk.relay.records import SCHEMA_VERSION, VERSION, Account, JournalEntry, Leader, Looker
from frontdesk.storage import clients, team_state
from frontdesk.storage.clocks import STEP_SECONDS
from frontdesk.storage.database import Store
from frontdesk.storage.records import Change, ChangeKind, ChangeState, Connection, Duty, Health, Json, TeamState
from frontdesk.sync.budget import MIN_PER_MINUTE, Budget
from frontdesk.sync.observations import Observed, ObservedKind
from frontdesk.sync.team_role import TeamRole
from frontdesk.team.access import TeamAccess
from frontdesk.team.claims import TeamClaims
from frontdesk.team.follower import Follower
from frontdesk.team.lease import TeamLease
from frontdesk.team.publisher import Publisher, TeamJournal
from frontdesk.team.reports import OwnReads, TeamReports
from frontdesk.team.sharing import TeamSharing
from frontdesk_api import json_access

PAUSE_SECONDS, SEARCH_SECONDS = 2.0, 120.0
"""Another desk records a change a moment after the platform's answer: how often, and how long, to look for it."""


MAX_AGE_SECONDS = 3_600.0
"""What was set so long before this desk's change was seen by it: it is no part of the conflict."""


class TeamConflicts:
    """One store's conflicts whose other side isn't known yet."""

    def __init__(self, store: Store, clock: Callable[[], float]):
        self._store, self._clock = store, clock
        self._looked_at = float("-inf")

    async def step(self, relay: RelayClient, me: str) -> None:
        """Look for the authors of what this person's changes have met.

        Args:
            me: this person's agent id.

        Raises:
            RelayError: the relay can't be used.
        """
        now = self._clock()
        if self._looked_at <= now < self._looked_at + PAUSE_SECONDS:
            return
        self._looked_at = now
        for change in self._unnamed(now):
            entries = await relay.journal_of(f"{change.kind.about} {change.target}")
            agent_id = author_of_theirs(change, entries, me)
            if agent_id:
                await self._store.run(
                    lambda db, c=change, a=agent_id: conflicts.note_author(db, c, a, now)  # type: ignore[misc]
                )

    def _unnamed(self, now: float) -> list[Change]:
        db = self._store.reading
        return [
            each
            for each in queue.unsettled(db, ChangeKind.TASK)
            if each.state is ChangeState.CONFLICT
            and each.theirs is not None
            and now - (each.settled_at or 0.0) < SEARCH_SECONDS
            and not conflicts.author(db, each)
        ]


def author_of_theirs(change: Change, newest_first: Sequence[JournalEntry], me: str) -> str:
    """Return the agent whose change led to what the platform has; empty where the journal doesn't say."""
    confirmed = [
        (entry, _parse(entry.after))
        for entry in newest_first
        if entry.outcome == ChangeState.CONFIRMED and entry.at >= change.made_at - MAX_AGE_SECONDS
    ]
    for name, theirs in (change.theirs or {}).items():
        # What was set later by anybody has replaced what was set before.
        newest = next(((entry, after[name]) for entry, after in confirmed if name in after), None)
        if newest is not None and newest[0].agent_id not in ("", me) and led_to(name, newest[1], theirs):
            return newest[0].agent_id
    return ""


def _parse(text: str) -> Json:
    """Parse what an entry says; empty where its line can't be seen, or it is too long to be kept whole."""
    try:
        return json_access.mapping(json.loads(text))
    except (ValueError, RecursionError):
        return {}


MIN_CONNECT_SECONDS = 1.0
"""How long a desk that has lost the relay tries to connect at least, before it goes on alone."""

COUNT_SECONDS, COUNTED_SECONDS = 30.0, 120.0
"""How often the team's desks are counted for this one's share of the budget, and how recently each was seen."""

PARTS_AT_ONCE = 10
"""So many parts are applied before the lease is renewed."""

STEADY_SECONDS = 10.0
"""After a connection that has lasted for so long the first try to connect again is made at once."""

MANY_ROWS = 1_000
"""Where more have to be applied, what the screens show comes first."""

NOBODY_POLLS = "no machine of the team polls the platform"

log = logging.getLogger(__name__)


class TeamLink:
    """One desk in its team.

    Args:
        own: what this desk reads itself.
        clock: Unix seconds; `steady`: seconds that never go back.
        wake: called when the step has something to do.

    Attributes:
        role: what this desk reads.
        claims: the claims of the tasks that it changes.
    """

    def __init__(
        self,
        access: TeamAccess,
        store: Store,
        budget: Budget,
        own: OwnReads,
        *,
        clock: Callable[[], float],
        steady: Callable[[], float],
        chance: Callable[[], float],
        wake: Callable[[], None],
    ):
        self._times = access.times
        self._access, self._store, self._budget = access, store, budget
        self._own = own
        self._clock, self._steady, self._chance, self._wake = clock, steady, chance, wake
        self.role = TeamRole(Duty.JOINING)
        self._sharing = TeamSharing(store, clock, NoteChangeHandler().show)
        self._publisher = Publisher(wake)
        self._follower = Follower(store, access.account, clock, self._sharing.apply, self._publisher.note_stored)
        self._journal = TeamJournal(store, access.account, self._follower.place.desk, clock)
        self._conflicts = TeamConflicts(store, clock)
        self.claims = TeamClaims(steady, self._follower.note_own_read)
        self._relay: RelayClient | None = None
        self._account: Account | None = None
        self._lease = TeamLease(access, own.health, steady)
        self._reports = TeamReports(
            store, self.role, self._follower, access.times, own, clock=clock, steady=steady, wake=wake
        )
        self._lost_at = steady()
        self._retry_at, self._retry_seconds = float("-inf"), self._times.min_retry
        self._joined_at = self._counted_at = float("-inf")
        self._joined_clock = 0.0
        self._desks = 1
        self._reason = ""
        self._has_caught_up = self._has_applied_first = self._has_told_stored = False

    def observe(self, observed: Sequence[Observed]) -> None:
        """Take what this desk has read itself."""
        self._follower.note_own_read(observed)
        campaigns = {each.id: each.asked_at for each in observed if each.kind is ObservedKind.CAMPAIGN}
        for campaign_id in campaigns.keys() & set(self._own.campaigns().own):
            changed_at = self._follower.changed_lists.get(campaign_id, float("-inf"))
            if campaigns[campaign_id] >= changed_at:
                self._follower.changed_lists.pop(campaign_id, None)
                self.role.known_campaigns.add(campaign_id)
        self._publisher.observe(observed, self._follower.offset)

    def campaigns_of_others(self) -> Collection[str]:
        """Return the ids of the campaigns that this desk reads for the others."""
        return self.role.campaigns if self.role.duty is Duty.LEADS else ()

    @property
    def clock_offset(self) -> float | None:
        """Seconds that the relay's clock is ahead; None if not joined, or if this machine's was set since."""
        moved = self._clock() - self._steady() - self._joined_clock
        return self._follower.offset if self._relay is not None and abs(moved) <= STEP_SECONDS else None

    def health(self, own: Health) -> Health:
        """Return the connection as the desk's screens show it: the leader's for a follower whose own is fine."""
        if self.role.duty is not Duty.FOLLOWS or own.state not in (Connection.STARTING, Connection.LIVE):
            return own
        leader, fresh_at = self._reports.leader, max(self.role.read_at.values(), default=own.fresh_at)
        return own._replace(state=leader.state, reason=leader.reason, fresh_at=fresh_at)

    async def step(self) -> float:
        """Do what is due; returns the seconds to rest. Errors of the relay become a state."""
        try:
            if self._relay is None or self._relay.is_closed:
                self._drop()
                if (wait := self._retry_at - self._steady()) > 0:
                    return min(wait, await self._check_alone())
                await self._join()
            return await self._work()
        except StaleLeader:
            log.info("another machine polls for the team now")
            self._stop_leading()
            return 0.0
        except RelayError as error:
            await self._note_failure(error)
            wait = max(0.0, self._retry_at - self._steady())
            return min(wait, await self._check_alone()) if wait else 0.0

    async def close(self) -> None:
        """Leave the team: the next leader needn't wait for the lease to run out."""
        if self._relay is not None and not self._relay.is_closed:
            try:
                if self._lease.token is not None:
                    await self._relay.release(self._lease.token)
                await self._sharing.step(self._relay)
                await self._relay.leave()
            except RelayError as error:
                log.info("couldn't say goodbye to the team: %s", error)
            await self._relay.close()
        self._drop()

    async def _join(self) -> None:
        access = self._access
        desk = self._follower.place.desk
        relay = await RelayClient.open(
            parse_address(access.url),
            access.password(),
            access.account,
            desk,
            self._wake,
            connect_seconds=self._connect_seconds(),
        )
        try:
            account = await _account_to_use(relay)
            await relay.join(access.desk_name)
            await self._follower.begin(account)
            self._desks = max(1, await relay.desk_count(COUNTED_SECONDS))
        except BaseException:
            relay.drop()
            raise
        self._relay, self._account, self._joined_at = relay, account, self._steady()
        self._joined_clock = self._clock() - self._joined_at
        self._follower.offset = self.claims.offset = self._sharing.offset = account.offset
        self._sharing.agent_id = account.agent_id
        self.claims.relay = relay
        self._has_caught_up = self._has_applied_first = False
        if self.role.duty is not Duty.ALONE:
            self.role.duty = Duty.JOINING
        self._lease.ask_soon()
        self._reports.exchange_soon()
        log.info("joined the team %s as %s", access.account, relay.name)

    def _connect_seconds(self) -> float:
        """How long connecting may take: a desk that waits for the relay goes on alone in time."""
        if self.role.duty is Duty.ALONE:
            return CONNECT_SECONDS
        left = self._lost_at + self._times.alone_after + MIN_CONNECT_SECONDS - self._steady()
        return min(CONNECT_SECONDS, max(MIN_CONNECT_SECONDS, left))

    def _drop(self) -> None:
        relay, self._relay = self._relay, None
        self.claims.relay = None
        self._stop_leading()
        if relay is not None:
            self._lost_at = self._steady() - relay.silent_seconds
            relay.drop()

    async def _note_failure(self, error: RelayError) -> None:
        if str(error) != self._reason:
            log.warning("the team's relay can't be used: %s", error)
        self._reason = str(error)
        # A server that is only slow, or begins anew, takes the desk back at once; one that refuses what this desk
        # does would be asked without a rest.
        lasted = self._relay is not None and self._steady() >= self._joined_at + STEADY_SECONDS
        self._drop()
        if self.role.duty is Duty.ALONE:
            await self._write_state()
        wait = 0.0 if lasted else self._retry_seconds
        if isinstance(error, RelayRefused):
            wait = self._times.max_retry
        self._retry_at = self._steady() + wait
        self._retry_seconds = min(self._times.max_retry, self._retry_seconds * 2)

    async def _check_alone(self) -> float:
        """Go on alone once the relay has been away for a while; returns the seconds until then."""
        if self.role.duty is Duty.ALONE:
            return self._times.max_retry
        wait = self._lost_at + self._times.alone_after - self._steady()
        if wait > 0:
            return wait
        await self._go_alone()
        return self._times.max_retry

    async def _go_alone(self) -> None:
        """Read everything here, within this desk's share of the account's budget."""
        has_budget = self._account is not None
        self._use_share()
        self.role.duty = Duty.ALONE
        await self._reports.write_present(())
        self.role.polls_from = self._clock() + (self._chance() * self._times.spread if has_budget else 0.0)
        await self._write_state()
        self._wake()

    def _use_share(self) -> None:
        """Use this desk's share of the account's budget from now on, as far as that is known."""
        if self._account is not None:
            self._budget.set_share(max(MIN_PER_MINUTE, self._account.budget_per_minute // self._desks))

    async def _work(self) -> float:
        relay, account = self._relay, self._account
        assert relay is not None
        assert account is not None
        await self._note_lapsed_lease()
        if relay.take_release():
            self._lease.ask_soon()
        await self._take_lease(relay, account)
        # Before the rows are read: what the leader says that it has read is applied then.
        reports = await self._reports.read(relay)
        if reports is not None:
            self._lease.note_leader(reports[0], relay.desk)
        if self._lease.token is None and not self._has_caught_up and not self._has_applied_first:
            self._has_applied_first = True
            if account.position - self._follower.place.position > MANY_ROWS:
                screens = clients.open_screens(self._store.reading, self._clock())
                shown = {each.conversation_id for each in screens} - {""}
                await self._follower.apply_first(relay, shown)
        for _ in range(PARTS_AT_ONCE):
            if not await self._follower.step(relay):
                break
            await self._take_lease(relay, account)
        else:
            if reports is not None and self._lease.token is not None:
                # A leader's own rows come back, thousands after its start: the others don't wait for that.
                await self._exchange(relay, *reports)
            return 0.0
        if not self._has_caught_up:
            self._has_caught_up = True
            await self._take_lease(relay, account)
        while self._lease.token is not None and self._publisher.is_waiting:
            await self._publisher.publish(relay, self._lease.token)
            if self._lease.is_due:
                break
        await self._conflicts.step(relay, account.agent_id)
        has_entries, has_markers = await self._journal.step(relay), await self._sharing.step(relay)
        if reports is not None:
            await self._exchange(relay, *reports)
        await self._decide()
        if self._steady() >= self._joined_at + STEADY_SECONDS:
            self._retry_seconds = self._times.min_retry
        if self.role.duty is Duty.LEADS and not self._publisher.is_waiting and not self._has_told_stored:
            self._has_told_stored = not self._publisher.observe_stored(self._store.reading, self._follower.offset)
            if self._has_told_stored:
                await self._publisher.observe_gone(relay, self._store.reading, self._follower.place.position)
            return 0.0
        if self._publisher.is_waiting or has_entries or has_markers:
            return 0.0
        until_lease = self._lease.rest_seconds if self._lease.may_lead(account) else self._times.follow
        return min(self._times.follow, self._reports.rest_seconds, until_lease)

    async def _note_lapsed_lease(self) -> None:
        """Say at once that this desk leads no longer, where it stood still until its lease had run out."""
        if self._lease.has_lapsed:
            self._stop_leading()
            await self._write_state()

    async def _take_lease(self, relay: RelayClient, account: Account) -> None:
        """Ask for the lease or renew it where that is due, and let it go where this desk may not lead."""
        lease = self._lease
        if not lease.may_lead(account):
            if lease.token is not None:
                await relay.release(lease.token)
                self._stop_leading()
            return
        # A desk that has yet to catch up would keep the others waiting.
        if not lease.is_due or (lease.token is None and not self._has_caught_up):
            return
        token = await lease.request(relay)
        if token is None:
            self._stop_leading()
            return
        if token != lease.token:
            log.info("this machine polls for the team now, with lease %d", token)
            lease.token = token
            self._publisher.begin(account.lines)
            self._reports.forget_told()
            self._has_told_stored = False
        if await lease.delete_old_rows(relay):
            self._publisher.forget_published()

    def _stop_leading(self) -> None:
        if self._lease.token is None:
            return
        self._lease.token = None
        self._publisher.end()
        self.role.screens, self.role.campaigns = (), frozenset()
        if self.role.duty is Duty.LEADS:
            self.role.duty = Duty.JOINING
            self._lost_at = self._steady()

    async def _exchange(self, relay: RelayClient, leader: Leader | None, lookers: Sequence[Looker]) -> None:
        """Take what the other desks report, and tell what this one shows."""
        await self._reports.apply(leader, lookers)
        await self._reports.tell(
            relay,
            is_leading=self._lease.token is not None,
            has_published=not self._publisher.is_waiting,
        )
        if self._steady() >= self._counted_at + COUNT_SECONDS:
            self._counted_at = self._steady()
            self._desks = max(1, await relay.desk_count(COUNTED_SECONDS))
            await self._check_account(relay)

    async def _check_account(self, relay: RelayClient) -> None:
        """Take what has changed about the account: its budget, this person's rights, a restore.

        Raises:
            RelayRefused: this person has no rights any more, or the team uses a newer version.
        """
        account = await _account_to_use(relay)
        before, self._account = self._account, account
        if before is not None and (before.epoch, before.lines) != (account.epoch, account.lines):
            self._drop()  # joining again begins where that leads to

    async def _decide(self) -> None:
        """Decide what this desk does: at most one leads, and who follows has applied everything there is."""
        role, before = self.role, self.role.duty
        if self._lease.token is not None and self._has_caught_up:
            role.duty, self._reason = Duty.LEADS, ""
            assert self._account is not None
            self._budget.set_share(self._account.budget_per_minute)
        elif self._reports.leader_name and self._lease.token is None and self._has_caught_up:
            role.duty, self._reason = Duty.FOLLOWS, ""
            self._lost_at = self._steady()
            self._use_share()
        elif (
            role.duty is not Duty.ALONE
            and self._steady() >= self._lost_at + self._times.lease + self._times.alone_after
        ):
            # Nobody leads, and this desk may not.
            self._reason = NOBODY_POLLS
            await self._go_alone()
            return
        elif role.duty is Duty.FOLLOWS:
            role.duty = Duty.JOINING
        if role.duty is not before:
            self._wake()
        if role.duty is Duty.FOLLOWS and role.has_listed:
            await self._follower.note_listed()
        await self._write_state()

    async def _write_state(self) -> None:
        duty = self.role.duty
        state = TeamState(duty)
        if duty is Duty.FOLLOWS:
            reports = self._reports
            state = state._replace(
                leader=reports.leader_name, leader_agent=reports.leader_agent, age=reports.leader_age
            )
        elif duty is Duty.ALONE:
            share = self._desks if self._account is not None else 0
            state = state._replace(reason=self._reason, share=share)
        if team_state.state(self._store.reading) != state:
            await self._store.run(lambda db: team_state.put_state(db, state))


async def _account_to_use(relay: RelayClient) -> Account:
    """Read the account's state.

    Raises:
        RelayRefused: this role has no rights, or this version may not take part.
    """
    account = await relay.account_state()
    if account.min_writer > VERSION:
        raise RelayRefused(TOO_OLD)
    if account.schema < SCHEMA_VERSION:
        raise RelayRefused(TOO_NEW)
    return account
