"""Applies what the team has published to this desk's store: each row once, in order, with its position."""

import asyncio
import json
import logging
from collections.abc import Callable, Collection, Mapping, Sequence

import apsw

from frontdesk.campaigns import observations as campaigns
from frontdesk.inbox import observations as pages
from frontdesk.relay.client import MAX_PART_BYTES, RelayClient
from frontdesk.relay.records import ALL_LINES, Account, Observation, Row, Shared
from frontdesk.storage import clients, team_state
from frontdesk.storage.coverage import is_listed, note_listed
from frontdesk.storage.database import Store
from frontdesk.storage.records import Json
from frontdesk.storage.team_state import TeamPlace
from frontdesk.sync.observations import Observed, ObservedKind
from frontdesk.tasks import observations as tasks
from frontdesk.tasks import task_filter
from frontdesk.tasks.task_filter import FilterProgress, Scope
from frontdesk_api.contract.campaigns import Campaign
from frontdesk_api.contract.decode import Broken, decode_item
from frontdesk_api.contract.messages import Message
from frontdesk_api.contract.tasks import Task

PART = 500
"""So many rows are applied in one transaction."""

MESSAGES_AT_ONCE = 1_000

FIRST_TASKS = 200
"""So many of the newest tasks are applied before everything else."""

_TASKS = (ObservedKind.TASK, ObservedKind.GONE)

_MODELS: Mapping[ObservedKind, type[Task] | type[Message] | type[Campaign]] = {
    ObservedKind.TASK: Task,
    ObservedKind.MESSAGE: Message,
    ObservedKind.CAMPAIGN: Campaign,
}
"""What another desk has read is decoded as the platform's answers are."""

MAX_ASKED = 200_000

UNREADABLE = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    apsw.ConstraintError,
)
"""What a row of a wrong shape raises: another desk's fault, which is logged, and the row is skipped."""

log = logging.getLogger(__name__)


class Follower:
    """One store's progress through its team's relay.

    Args:
        apply_shared: stores what the others share.
        applied: called with rows once they are applied.

    Attributes:
        place: how far the relay was applied.
        offset: seconds that the relay's clock is ahead of this machine's.
        asked_at: when this desk itself has asked for what it knows, by the id of a task, conversation or campaign,
            Unix seconds: what the relay has from before is older.
        campaigns_read_at: when the leader has last read the campaigns that are stored here, by id.
        changed_lists: the campaigns whose list of recipients differs from the stored one, or that weren't watched
            when they changed, by id, and when that was asked for.
    """

    def __init__(
        self,
        store: Store,
        account: str,
        clock: Callable[[], float],
        apply_shared: Callable[[apsw.Connection, Shared], None],
        applied: Callable[[Sequence[Row]], None] = lambda _: None,
    ):
        self._store, self._clock, self._apply_shared, self._applied = store, clock, apply_shared, applied
        self.place = team_state.place(store.reading, account)
        self.offset = 0.0
        self.asked_at: dict[str, float] = {}
        self.campaigns_read_at: Mapping[str, float] = {}
        self.changed_lists: dict[str, float] = {}
        self._read_to = -1

    async def begin(self, account: Account) -> None:
        """Begin at the kept position; anew where the relay isn't the one that was applied, or shows more lines."""
        kept = self.place
        has_more_lines = ALL_LINES not in kept.lines and not account.lines <= {*kept.lines}
        if kept.epoch != account.epoch or kept.position > account.position or has_more_lines:
            kept = kept._replace(position=0)
        kept = kept._replace(epoch=account.epoch, lines=tuple(sorted(account.lines)))
        await self._store.run(lambda db: team_state.put_place(db, kept))
        self.place, self._read_to = kept, -1

    async def note_listed(self) -> None:
        """Store that all tasks are known here: the leader has met them, and all that it published is applied."""
        db, now = self._store.reading, self._clock()
        shown = {each.tasks_of for each in clients.open_screens(db, now) if each.tasks_of}
        scopes = [Scope.of_key(key) for key in sorted(shown)]
        complete = FilterProgress(complete=True)
        missing = [each for each in scopes if task_filter.progress_of(db, each) != complete]

        def write(db: apsw.Connection) -> None:
            note_listed(db)
            for each in missing:
                task_filter.put_progress(db, each, complete, now)

        if missing or not is_listed(db):
            await self._store.run(write)

    def note_own_read(self, observed: Sequence[Observed]) -> None:
        """Note what this desk has read or written itself."""
        for each in observed:
            key = str(each.body["conversation"]) if each.kind is ObservedKind.PAGE else each.id
            if each.kind is not ObservedKind.MESSAGE:
                self.asked_at[key] = max(each.asked_at, self.asked_at.get(key, 0.0))
        if len(self.asked_at) > MAX_ASKED:
            # What the relay has is as new as the oldest of them by now.
            newest = sorted(self.asked_at, key=lambda each: self.asked_at[each])[-MAX_ASKED // 2 :]
            self.asked_at = {each: self.asked_at[each] for each in newest}

    async def step(self, relay: RelayClient) -> bool:
        """Apply the next rows; returns whether there may be more."""
        position = await relay.position()
        if position == self._read_to:
            return False
        rows, is_full = await self._read_rows(relay)
        if not rows:
            self._read_to = position
            return False
        shared = [row.item for row in rows if isinstance(row.item, Shared)]
        observed: list[Observed] = []
        for start in range(0, len(rows), PART):
            found = map(self._observed, (row.item for row in rows[start : start + PART]))
            observed += [each for each in found if each is not None]
            await asyncio.sleep(0)  # what else waits for the loop needn't wait for many parts
        at_hand = {each.id: each.body for each in observed if each.kind is ObservedKind.MESSAGE}
        wanted = pages.missing_messages(self._store.reading, _of(observed, ObservedKind.PAGE), at_hand)
        at_hand |= await self._read_messages(relay, wanted)
        after = self.place._replace(position=rows[-1].position)
        await self._store.run(lambda db: self._apply(db, observed, at_hand, shared, after))
        self.place = after
        self._applied(rows)
        if not is_full:
            self._read_to = position
        return is_full

    async def apply_first(self, relay: RelayClient, conversation_ids: Collection[str]) -> None:
        """Apply what a person looks at before the rows that come before it, which may take seconds.

        All of it is applied once more when it is its turn.
        """
        rows = await relay.newest_tasks(FIRST_TASKS)
        for each in conversation_ids:
            rows += await relay.newest_page(pages.head_prefix(each))
        observed = [each for each in map(self._observed, rows) if each is not None]
        wanted = pages.missing_messages(self._store.reading, _of(observed, ObservedKind.PAGE), {})
        at_hand = await self._read_messages(relay, wanted)
        await self._store.run(lambda db: self._apply(db, observed, at_hand, (), self.place))

    async def _read_rows(self, relay: RelayClient) -> tuple[list[Row], bool]:
        """Return the next rows, and whether there may be more.

        A page's messages come before it and are applied with it: those at the end are left for the next time.
        """
        rows: list[Row] = []
        is_full = True
        while is_full and all(_is_message(row) for row in rows):
            more = await relay.since(rows[-1].position if rows else self.place.position, PART)
            rows += more
            size = sum(len(row.item.body.encode()) for row in more)
            is_full = len(more) >= PART or size >= MAX_PART_BYTES
        while is_full and _is_message(rows[-1]):
            rows.pop()
        return rows, is_full

    async def _read_messages(self, relay: RelayClient, keys: Sequence[str]) -> dict[str, Json]:
        found = [
            self._observed(item)
            for start in range(0, len(keys), MESSAGES_AT_ONCE)
            for item in await relay.messages(keys[start : start + MESSAGES_AT_ONCE])
        ]
        return {each.id: each.body for each in found if each is not None}

    def _apply(
        self,
        db: apsw.Connection,
        observed: Sequence[Observed],
        at_hand: Mapping[str, Json],
        shared: Sequence[Shared],
        after: TeamPlace,
    ) -> None:
        now = self._clock()
        for row in shared:
            try:
                with db:
                    self._apply_shared(db, row)
            except UNREADABLE:
                log.warning("couldn't apply a row of the team: %s", row.kind, exc_info=True)
        for each in observed:
            try:
                # What one row does wrong is undone alone: it must not keep the rows behind it waiting for ever.
                with db:  # a savepoint
                    if each.kind in _TASKS:
                        tasks.apply(db, [each], self.asked_at, now)
                    elif each.kind is ObservedKind.PAGE and self._is_new(each):
                        pages.apply(db, each, at_hand, now)
                    elif each.kind is ObservedKind.CAMPAIGN and not campaigns.apply(
                        db, each, self.asked_at, self.campaigns_read_at
                    ):
                        self.changed_lists[each.id] = each.asked_at
            except UNREADABLE:
                log.warning("couldn't apply a row of the team: %s", each.kind, exc_info=True)
        team_state.put_place(db, after)

    def _is_new(self, page: Observed) -> bool:
        return page.asked_at >= self.asked_at.get(str(page.body["conversation"]), 0.0)

    def _observed(self, item: Observation | Shared) -> Observed | None:
        """Return what a row says; None for what this version doesn't know."""
        if not isinstance(item, Observation) or item.kind not in [*ObservedKind]:
            return None
        kind, body = ObservedKind(item.kind), _body(item.body)
        read = body.get(campaigns.CAMPAIGN) if kind is ObservedKind.CAMPAIGN else body
        if kind in _MODELS and isinstance(decode_item(_MODELS[kind], read), Broken):
            log.warning("skipping a row of the team that isn't a %s", kind)
            return None
        if kind is ObservedKind.TASK and not tasks.is_of(body, item.id, item.line_id):
            log.warning("skipping a row of the team that has another task's or line's body")
            return None
        return Observed(kind, item.id, item.line_id, item.asked_at - self.offset, body)


def _is_message(row: Row) -> bool:
    return row.item.kind == ObservedKind.MESSAGE


def _of(observed: Sequence[Observed], kind: ObservedKind) -> list[Observed]:
    return [each for each in observed if each.kind is kind]


def _body(text: str) -> Json:
    """Parse a row's body; an unreadable one is empty, and is skipped where its parts are missing."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
