"""Claims: of a team's desks only one is between the read of a task and its change (docs/team.md, Writing)."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from frontdesk.storage.records import Json


class ClaimedElsewhere(Exception):
    """Another desk, by its name, is changing the target now."""


class Claim(Protocol):
    """The right to change one target."""

    @property
    def is_held(self) -> bool:
        """Whether no other desk can have it by now; asked right before a request leaves."""

    async def report(self, answer: Json, asked_at: float) -> None:
        """Tell the other desks what the platform answered; never raises, since they also read it later."""


class Claims(Protocol):
    """Takes claims; where the team's server can't be used, they are granted without it."""

    def claimed(self, target: str) -> AbstractAsyncContextManager[Claim]:
        """Hold a claim inside; entering raises `ClaimedElsewhere`."""


class _Unshared:
    is_held = True

    async def report(self, answer: Json, asked_at: float) -> None:
        pass


class NoTeam:
    """The claims of a desk without a team."""

    @asynccontextmanager
    async def claimed(self, target: str) -> AsyncIterator[Claim]:  # noqa: ARG002
        yield _Unshared()
