"""Sends what a command changes through the profile's outbox, and waits until it is settled.

A running engine sends it; without one a sender of the command's own does (`cli.own_sender`).

- What couldn't be sent is taken back out of the outbox: nothing leaves hours later behind a script's back. After
  an error that isn't about one record alone, that goes for all that wasn't sent yet.
- What the platform refused is closed with its reason, since the command has said it.
- An outcome that isn't known stays in the outbox and is read back as always, here for `READ_BACK_SECONDS`.
"""

import asyncio
import math
import signal
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import apsw

from frontdesk.cli.completion import CommandServices
from frontdesk.cli.errors import (
    INPUT_WRONG,
    REFUSED,
    UNREACHABLE,
    CommandFailed,
    print_error,
    status_of,
    status_of_reason,
    with_wait,
)
from frontdesk.cli.options import WriteOptions
from frontdesk.cli.own_sender import OwnSender, require_own_business
from frontdesk.cli.store_session import CommandStore, open_store_as
from frontdesk.outbox import batches, queue
from frontdesk.outbox.bulk import REQUESTS
from frontdesk.outbox.changes import NotPossible, OutboxTransaction, wait_again
from frontdesk.outbox.delivery import SENT, WAITING, end_changes
from frontdesk.outbox.sender import target_of
from frontdesk.outbox.undo import UndoRequest, take_back, undo
from frontdesk.storage import change_feed, clients
from frontdesk.storage.change_feed import Versions, versions
from frontdesk.storage.database_files import StoreUnusable
from frontdesk.storage.lease import LEASE_SECONDS, LeaseLost
from frontdesk.storage.records import NEEDS_PERSON, UNCONFIRMED, Change, ChangeState
from frontdesk_lines.display_text import counted

if TYPE_CHECKING:  # most actions on the store send nothing, and start without HTTP
    from frontdesk_api.client.client import PlatformClient

T = TypeVar("T")
IdT = TypeVar("IdT", bound=str)

GRACE_SECONDS = 5.0
"""How long a running engine may try again what failed before anything was sent."""

UNSENT_SECONDS = 30.0
"""How long a change may wait while none of the command's changes moves."""

READ_BACK_SECONDS = 45.0
"""How long a command waits for an unknown outcome: the last read-back is 35 seconds after the request."""

SAID_SECONDS = 3.0
"""After how long a command says what it waits for."""

LOOK_SECONDS = 0.02
"""How often the store is looked at; later more seldom."""

NO_RESPONSE = "no clear response from the platform"
NOT_SENT = "not sent, because one before it failed"
DIRECTLY = "nothing was sent; to send it without the store, add --direct"


class NotConfirmed(CommandFailed):
    """A change that the platform refused, or whose outcome isn't known."""

    def __init__(self, status: int, sentence: str, change: Change) -> None:
        super().__init__(status, sentence)
        self.change = change


class Sent(NamedTuple):
    """The confirmed change; without a store None, and what the client has returned."""

    change: Change | None
    answer: Any = None


class Added(NamedTuple, Generic[T]):
    """The result of an action, its changes for the platform, and why some weren't confirmed, by their ids."""

    result: T
    sent: tuple[Change, ...]
    failures: Mapping[int, Exception]


def run_writes(work: "Callable[[WriteSession], Awaitable[T]]", options: WriteOptions) -> T:
    """Run the work with a client and a store of the chosen profile; a dry run prints its first request instead."""
    from frontdesk.cli.session import run_with_client

    with ExitStack() as opened:
        session = WriteSession(options.services, opened, is_direct=options.dry_run or options.is_direct)

        def start(client: "PlatformClient") -> Awaitable[T]:
            session.sender.client = client
            return work(session)

        try:
            return run_with_client(
                start, dry_run=options.dry_run, as_json=options.as_json, may_send=lambda: session.may_send
            )
        except StoreUnusable as error:
            raise CommandFailed(INPUT_WRONG, str(error)) from None


def send_added(
    add: "Callable[[], Future[T]]",
    store: CommandStore,
    services: CommandServices,
    unsent: ChangeState = ChangeState.DROPPED,
    waited: Change | None = None,
) -> Added[T]:
    """Do an action on an open store; return when those of its changes that go to the platform are settled.

    A client is opened, with its credentials, only if there are any and no engine sends them. Where the platform
    has got none of them, what else a new action did, on this machine or for the team, is undone as well.

    Args:
        unsent: what changes become that couldn't be sent: `UNDONE` where the next undo or redo has to try again.
        waited: a change that waits for a decision and is resent. If that can't be done, it waits as before,
            with its outcome as far as it is known.
    """
    session = WriteSession(services, ExitStack(), store=store, unsent=unsent, waited=waited)
    return asyncio.run(session.send_added(add))


class WriteSession:
    """A command's client and store.

    Args:
        store: that of an action on what is stored; a command that asks the platform first has its own.
        unsent, waited: see `send_added`.

    Attributes:
        is_direct: whether requests are sent, or printed by a dry run, without the store.
        sender: sends where no engine does; it has the client.
    """

    def __init__(
        self,
        services: CommandServices,
        opened: ExitStack,
        *,
        is_direct: bool = False,
        store: CommandStore | None = None,
        unsent: ChangeState = ChangeState.DROPPED,
        waited: Change | None = None,
    ) -> None:
        self.is_direct = is_direct
        self._services, self._opened, self._store = services, opened, store
        self.sender = OwnSender(services, may_send=lambda: self.may_send)
        self._unsent, self._waited = unsent, waited
        self._is_action = store is not None
        self._failures: dict[int, Exception] = {}

    @property
    def client(self) -> "PlatformClient":
        """The client; only a command that asks the platform first may count on it."""
        assert self.sender.client is not None
        return self.sender.client

    @property
    def may_send(self) -> bool:
        """Whether no other engine has taken over since the request began."""
        return self._store is None or self._store.base.may_send()

    @property
    def store(self) -> CommandStore:
        """The profile's store, opened when it is first needed."""
        if self._store is None:
            try:
                require_own_business()
                self._store = self._opened.enter_context(open_store_as(CommandStore))
            except (StoreUnusable, CommandFailed) as error:
                raise CommandFailed(INPUT_WRONG, f"{error}; {DIRECTLY}") from None
        return self._store

    async def read(
        self,
        ids: Sequence[IdT],
        fetch: Callable[[Sequence[IdT]], Awaitable[Mapping[IdT, T]]],
        put: Callable[..., object],
    ) -> dict[IdT, T]:
        """Fetch and store records; one of which a change was settled meanwhile is fetched again.

        Otherwise a value that another command has sent would count as a colleague's.

        Args:
            fetch: returns those of these ids that there are.
            put: stores them; gets the connection, the records, and the time of the request as `asked_at`.
        """
        found, left = dict[IdT, T](), ids
        while left:
            position, asked_at = change_feed.position(self.store.reading), time.time()
            fetched = await fetch(left)
            store = partial(_put_current, fetched=fetched, position=position, put=partial(put, asked_at=asked_at))
            old = await self._awaited(self.store.write(store))
            found |= fetched
            left = [each for each in fetched if each in old]
        return found

    async def send(
        self,
        targets: Sequence[str],
        add: "Callable[[CommandStore], Future[Any]]",
        *,
        arrived: str = "it went through",
    ) -> tuple[Change, ...]:
        """Add changes to the outbox and return them settled; `failure` tells what kept one from being confirmed.

        Args:
            targets: the ids of what changes; earlier changes of these with an unknown outcome are settled first.
            add: a feature's command.
            arrived: what is said if there was no clear response and all is found done afterwards.
        """
        await self.require_settled(targets)
        self.store.made = ()
        _, changes = await self._settle(add, arrived)
        return changes

    async def send_added(self, add: "Callable[[], Future[T]]") -> Added[T]:
        """Do an action on the store; see the function of this name."""
        try:
            result, _ = await self._settle(lambda _: add(), "")
        finally:
            if self.sender.client is not None:
                await self.sender.client.aclose()
            sent = self._sent(self.store.made)
            if self._waited is None and self._unsent is ChangeState.DROPPED:
                await self._undo_rest(sent)
        failures = {each.change_id: error for each in sent if (error := self.failure(each)) is not None}
        return Added(result, tuple(sent), failures)

    async def _undo_rest(self, sent: Sequence[Change]) -> None:
        """Undo what an action did besides on records of which the platform has got nothing; all if it has none.

        That of a hand-over is on another record than its task.
        """
        reached = {each.target for each in sent if each.state is not ChangeState.DROPPED}
        lost = {each.target for each in sent} - reached
        if not lost:
            return
        now, handlers, ids = self.store.clock(), self._services.load_handlers(), self.store.made

        def undo_rest(db: apsw.Connection) -> None:
            changes = [each for number in ids if (each := queue.change(db, number)) and not REQUESTS[each.kind]]
            rest = tuple(each.change_id for each in changes if not reached or each.target in lost)
            if rest:
                undo(OutboxTransaction(db, handlers, now), UndoRequest(changes=rest))
            for batch in {each.batch for each in changes if not reached}:
                if (action := batches.of_batch(db, batch)) is not None:
                    batches.move(db, action, batches.BatchState.PAST)

        with suppress(StoreUnusable):
            await self.store.base.run(undo_rest)

    async def send_one(
        self,
        target: str,
        add: "Callable[[CommandStore], Future[Any]]",
        request: "Callable[[PlatformClient], Awaitable[Any]]",
        *,
        arrived: str = "it went through",
    ) -> Sent:
        """Send one change, or without a store its request; raise what kept it from being confirmed."""
        if self.is_direct:
            return Sent(None, await request(self.client))
        (change,) = await self.send([target], add, arrived=arrived)
        if (failure := self.failure(change)) is not None:
            raise failure
        return Sent(change)

    async def require_settled(self, targets: Iterable[str]) -> None:
        """Wait for the outcome of earlier changes of these targets; raise if it stays unknown."""
        for each in await self.settle_unknown(targets):
            raise CommandFailed(UNREACHABLE, f"{_unknown_words(each)}, and nothing was sent this time")

    async def settle_unknown(self, targets: Iterable[str], before: float = math.inf) -> Sequence[Change]:
        """Wait for the outcome of changes of these targets, earlier than this one; return those still unknown."""
        live = [change for each in targets for change in queue.live_for(self.store.reading, each)]
        ids = [each.change_id for each in live if each.state in SENT and each.change_id < before]
        changes = await self._wait(ids, takes_back=False)
        return [each for each in changes if each.state in SENT]

    def failure(self, change: Change) -> Exception | None:
        """Return why a change wasn't confirmed, with the exit status that it has; None if it was."""
        if change.state is ChangeState.CONFIRMED:
            return None
        if change.change_id in self._failures:
            return self._failures[change.change_id]
        if change.state not in (*UNCONFIRMED, *NEEDS_PERSON):
            return NotConfirmed(REFUSED, "it was taken back in frontdesk before it was sent", change)
        again = "; frontdesk checks it when it runs" if change.state in UNCONFIRMED else ""
        listed = f"see change {change.change_id} of `frontdesk outbox list`"
        return NotConfirmed(UNREACHABLE, f"{change.reason or NO_RESPONSE}{again}; {listed}", change)

    async def _awaited(self, written: "Future[T]") -> T:
        try:
            return await asyncio.shield(asyncio.wrap_future(written))
        except NotPossible as error:
            if self._is_action:
                raise
            words = str(error).removesuffix("; nothing was sent")
            raise CommandFailed(INPUT_WRONG, f"{words}; nothing was sent") from None
        except UnicodeEncodeError:
            raise CommandFailed(INPUT_WRONG, "it contains an invalid character; nothing was sent") from None
        except StoreUnusable as error:
            if self._is_action:
                raise
            raise CommandFailed(INPUT_WRONG, f"{error}; {DIRECTLY}") from None

    async def _settle(
        self, add: "Callable[[CommandStore], Future[T]]", arrived: str
    ) -> tuple[T, tuple[Change, ...]]:
        try:
            with _ended_by_signals() as ended_by:
                added = add(self.store)
                waiting = asyncio.ensure_future(self._wait_for_added(added, arrived))
                result, changes = await asyncio.shield(waiting)
        except asyncio.CancelledError:
            added.exception()  # waits until they are added, or can't be
            ids = self.store.made
            with suppress(StoreUnusable):
                self._close(ids, WAITING, "stopped before it was sent")
            from frontdesk_api.client.client import CLOSE_GRACE_SECONDS

            await asyncio.wait({waiting}, timeout=CLOSE_GRACE_SECONDS)
            waiting.cancel()
            await asyncio.wait({waiting})
            print_error(self._stopped_words(ids))
            if ended_by:
                raise SystemExit(128 + ended_by[0]) from None
            raise
        except Exception as error:
            ids = self.store.made
            with suppress(StoreUnusable):
                self._close(ids, WAITING, "the command failed before it was sent")
            # A disk may fail between its two files, and when a change is taken back.
            is_left = any(each.state not in (ChangeState.DROPPED, self._unsent) for each in self._sent(ids))
            if is_left and isinstance(error, StoreUnusable | CommandFailed):
                words = str(error).removesuffix(f"; {DIRECTLY}")
                raise CommandFailed(UNREACHABLE, f"{words}; {self._stopped_words(ids)}") from error
            raise
        ids = self.store.made
        refused = [each for each in changes if each.state is ChangeState.REFUSED or not each.sends]
        self._close([each.change_id for each in refused if each.change_id not in self._failures], NEEDS_PERSON)
        return result, self._changes(ids)

    async def _wait_for_added(self, added: "Future[T]", arrived: str) -> tuple[T, tuple[Change, ...]]:
        result, sent = await self._awaited(added), self._sent(self.store.made)
        if self._is_action and sent:
            unknown = await self.settle_unknown({each.target for each in sent}, before=sent[0].change_id)
            self._take_back_after(unknown, sent)
        return result, await self._wait([each.change_id for each in sent], arrived=arrived)

    async def _wait(self, ids: Sequence[int], *, arrived: str = "", takes_back: bool = True) -> tuple[Change, ...]:
        """Send, or wait for the engine that does, until nothing can be hoped for any more."""
        moved_at, unknown_at, said = time.monotonic(), dict[int, float](), ""
        version: Versions | None = None
        changes, states = self._changes(ids), list[ChangeState]()
        while left := [each for each in changes if each.state in UNCONFIRMED]:
            is_sender = await self.sender.send(self.store, left)
            if version != (version := versions(self.store.reading)):
                changes = self._changes(ids)
            now, unsent = time.monotonic(), [each for each in changes if each.state in WAITING]
            unknown = next((each for each in changes if each.state is ChangeState.UNKNOWN), None)
            if states != (states := [each.state for each in changes]):
                moved_at = now
            for each in changes:
                if each.state is ChangeState.UNKNOWN:
                    unknown_at.setdefault(each.change_id, now)
            if takes_back and self._take_back(unsent, now - moved_at, is_engine=not is_sender):
                continue
            waits_for_outcome = bool(unknown_at) or not takes_back
            # What was found out meanwhile doesn't end the wait for another, nor for what is just being sent.
            left_at = [unknown_at[each.change_id] for each in changes if each.state is ChangeState.UNKNOWN]
            since = moved_at if ChangeState.SENDING in states else max(left_at, default=moved_at)
            if waits_for_outcome and now - since > READ_BACK_SECONDS and not (unsent and takes_back):
                break
            if any(each in UNCONFIRMED for each in states):
                if now - moved_at > SAID_SECONDS and said != (said := _waiting_words(unknown)):
                    print_error(said)
                await asyncio.sleep(LOOK_SECONDS if now - moved_at < 2 else 10 * LOOK_SECONDS)
        if arrived and unknown_at and all(each is ChangeState.CONFIRMED for each in states):
            print_error(f"{NO_RESPONSE}, but {arrived}")
        return changes

    def _take_back_after(self, unknown: Sequence[Change], sent: Sequence[Change]) -> None:
        """Take back what isn't sent yet, as the outcome of earlier changes on some of the targets is unknown."""
        if not unknown:
            return
        this = "nothing was sent this time" if len(sent) == 1 else "this wasn't sent"
        words = {each.target: f"{_unknown_words(each)}, and {this}" for each in unknown}
        other = f"{NOT_SENT}: {_unknown_words(unknown[0])}"
        errors = {each.change_id: NotConfirmed(UNREACHABLE, words.get(each.target, other), each) for each in sent}
        self._close([*errors], WAITING, errors=errors)

    def _take_back(self, unsent: Sequence[Change], seconds: float, *, is_engine: bool) -> bool:
        """Take back what can't be sent now, `seconds` after one last moved; return whether there is any."""
        health, now = clients.health(self.store.reading), self.store.clock()
        reported = health.reason if now - (health.heard_at or 0.0) < LEASE_SECONDS else ""
        errors = {} if is_engine else self.sender.errors
        failed = next(iter(errors.values()), None)
        back: dict[int, Exception] = {}
        for each in unsent:
            error: Exception | None = errors.get(target_of(each))
            if error is None and failed is not None:
                error = NotConfirmed(status_of(failed) or UNREACHABLE, f"{NOT_SENT}: {failed}", each)
            is_late = seconds > GRACE_SECONDS or each.send_after > now + GRACE_SECONDS
            if is_engine and is_late and (reason := each.reason or reported):
                error = NotConfirmed(status_of_reason(reason, UNREACHABLE), reason, each)
            if error is None and seconds > UNSENT_SECONDS:
                words = f"it couldn't be sent within {UNSENT_SECONDS:.0f} seconds; nothing was sent"
                error = NotConfirmed(UNREACHABLE, words, each)
            if error is not None:
                back[each.change_id] = error
        self._close([*back], WAITING, errors=back)
        return bool(back)

    def _changes(self, ids: Sequence[int]) -> tuple[Change, ...]:
        found = (queue.change(self.store.reading, each) for each in ids)
        return tuple(each for each in found if each is not None)

    def _sent(self, ids: Sequence[int]) -> list[Change]:
        """Return the changes that go to the platform; others are done, or an engine tells the team of them."""
        return [each for each in self._changes(ids) if REQUESTS[each.kind]]

    def _close(
        self,
        ids: Sequence[int],
        states: Sequence[ChangeState],
        reason: str = "",
        errors: Mapping[int, Exception] = MappingProxyType({}),
    ) -> None:
        """Close changes that are in one of these states, so that they are neither sent nor wait for a person.

        One that waited for a person before the command does so again.
        """
        now, handlers, waited = self.store.clock(), self._services.load_handlers(), self._waited
        said = {each: str(errors.get(each, "")) for each in ids}

        def close(db: apsw.Connection) -> list[Change]:
            found = [each for number in ids if (each := queue.change(db, number)) and each.state in states]
            found = [each._replace(reason=each.reason or reason or said[each.change_id]) for each in found]
            if waited is None:
                becomes = ChangeState.DROPPED if states is NEEDS_PERSON else self._unsent
                return take_back(OutboxTransaction(db, handlers, now), found, becomes)
            if states is not NEEDS_PERSON:
                for each in found:
                    end_changes(handlers, [each], ChangeState.DROPPED, each.reason, db, now)
                    wait_again(db, waited, now)
            return found

        if not ids:
            return
        with suppress(LeaseLost):  # then this process can't send it either, and the other engine decides
            for each in self.store.write(close).result():
                error = errors.get(each.change_id)
                if error is None:
                    error = NotConfirmed(status_of_reason(each.reason, REFUSED), each.reason, each)
                if waited is not None:
                    number = (each if states is NEEDS_PERSON else waited).change_id
                    words = f"{with_wait(error)}; see change {number} of `frontdesk outbox list`"
                    error = NotConfirmed(status_of(error) or REFUSED, words, each)
                self._failures[each.change_id] = error

    def _stopped_words(self, ids: Sequence[int]) -> str:
        changes = self._sent(ids)
        done = [each.target for each in changes if each.state is ChangeState.CONFIRMED]
        words = "stopped; it had been sent" if done else "stopped; nothing was sent"
        if left := [each for each in changes if each.state in UNCONFIRMED]:
            what = "stopped while it was being sent; frontdesk checks it when it runs"
            if any(each.state in WAITING for each in left):
                what = "couldn't take it back, so frontdesk sends it when it runs"
            numbers = ", ".join(str(each.change_id) for each in left)
            words = f"{what}; see change {numbers} of `frontdesk outbox list`"
        if not done or len(changes) == 1:
            return words
        sent = f"{len(done)} of {len(changes)} had been sent: {', '.join(done)}"
        return f"{words}; {sent}" if left else f"stopped; {sent}"


def _put_current(
    db: apsw.Connection, fetched: Mapping[IdT, T], position: int, put: Callable[..., object]
) -> set[str]:
    """Store records but those of which a change was settled since a position; return the ids of these."""
    old = queue.settled_since(db, position)
    put(db, [record for each, record in fetched.items() if each not in old])
    return old


def failure_lines(failures: Iterable[tuple[str, Exception]], changed: int) -> tuple[int, list[str]]:
    """Return the exit status of changes that weren't confirmed, and a line for each reason.

    Args:
        failures: with the ids of what wasn't changed, which are named if it is one of several.
        changed: how many were to be changed.
    """
    status, reasons = 0, dict[str, list[str]]()
    for each, failure in failures:
        reasons.setdefault(with_wait(failure), []).append(each)
        if status in (0, REFUSED):
            status = status_of(failure) or REFUSED
    return status, [why if changed == 1 else f"{', '.join(ids)}: {why}" for why, ids in reasons.items()]


def is_undone(sent: Iterable[Change], unsent: ChangeState) -> bool:
    """Return whether the platform has got nothing of a new action, so that all of it is undone."""
    return unsent is ChangeState.DROPPED and all(each.state is unsent for each in sent)


def _unknown_words(change: Change) -> str:
    return f"{change.reason or NO_RESPONSE}; it is change {change.change_id} of `frontdesk outbox list`"


def _waiting_words(unknown: Change | None) -> str:
    """Say what a command waits for."""
    if unknown is None:
        return "waiting for the running frontdesk to send it"
    waits = counted(round(READ_BACK_SECONDS), "second")
    return f"{unknown.reason}; checking for up to {waits} whether it went through"


@contextmanager
def _ended_by_signals() -> Iterator[list[int]]:
    """Cancel this task at a signal that ends a command, as `timeout` sends it; yields the signal then."""
    loop, task, ended_by = asyncio.get_running_loop(), asyncio.current_task(), list[int]()

    def end(signum: int) -> None:
        ended_by.append(signum)
        if task is not None:
            task.cancel()

    # One that is ignored, as by `nohup`, stays so.
    signals = [each for each in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(each) is signal.SIG_DFL]
    for each in signals:
        loop.add_signal_handler(each, end, each)
    try:
        yield ended_by
    finally:
        for each in signals:
            loop.remove_signal_handler(each)
