"""Claims of tasks at the team's relay; without it changes are sent as they always are."""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from frontdesk.outbox.claims import Claim, ClaimedElsewhere, NoTeam
from frontdesk.relay.client import RelayClient
from frontdesk.relay.connection import RelayError
from frontdesk.storage.records import Json
from frontdesk.sync.observations import Observed
from frontdesk.tasks.observations import observed_tasks
from frontdesk.team.publisher import observation

CLAIM_SECONDS = 15.0
"""How long a claim keeps the others waiting when its desk stands still."""

MARGIN_SECONDS = 3.0
"""A claim isn't counted on for its last seconds: the request must reach the platform before another desk reads."""

log = logging.getLogger(__name__)


@dataclass
class TeamClaims:
    """The claims of one desk.

    Attributes:
        relay: the connection; None while there is none.
        offset: seconds that the relay's clock is ahead of this machine's.
        on_answer: told what the platform answered to a change.
    """

    steady: Callable[[], float]
    on_answer: Callable[[list[Observed]], None]
    relay: RelayClient | None = None
    offset: float = 0.0

    @asynccontextmanager
    async def claimed(self, target: str) -> AsyncIterator[Claim]:
        """Hold a claim inside; where the relay can't be used, go on without one.

        Raises:
            ClaimedElsewhere: another desk has it.
        """
        relay, token, began_at = self.relay, None, self.steady()
        if relay is not None:
            try:
                token = await relay.claim(_name(target), CLAIM_SECONDS)
                if token is None:
                    raise ClaimedElsewhere(await relay.claimed_by(_name(target)) or "a colleague")
            except RelayError as error:
                log.warning("sending a change without a claim: %s", error)
                relay = None
        if relay is None or token is None:
            async with NoTeam().claimed(target) as unshared:
                yield _Reported(unshared, self)
            return
        try:
            yield _Held(self, relay, token, began_at + CLAIM_SECONDS - MARGIN_SECONDS)
        finally:
            with suppress(RelayError):
                await relay.unclaim(token)


class _Reported:
    """No claim: the answer is noted here alone."""

    def __init__(self, claim: Claim, claims: TeamClaims):
        self._claim, self._claims = claim, claims

    @property
    def is_held(self) -> bool:
        return self._claim.is_held

    async def report(self, answer: Json, asked_at: float) -> None:
        self._claims.on_answer(observed_tasks([answer], asked_at))


class _Held:
    """A claim with its deadline in `steady` seconds."""

    def __init__(self, claims: TeamClaims, relay: RelayClient, token: int, until: float):
        self._claims, self._relay, self._token, self._until = claims, relay, token, until

    @property
    def is_held(self) -> bool:
        return self._claims.steady() < self._until

    async def report(self, answer: Json, asked_at: float) -> None:
        observed = observed_tasks([answer], asked_at)
        self._claims.on_answer(observed)
        try:
            for each in observed:
                await self._relay.report(self._token, observation(each, self._claims.offset))
        except RelayError as error:
            log.warning("couldn't tell the team of a change; the team will load it later: %s", error)


def _name(task_id: str) -> str:
    return f"task {task_id}"
