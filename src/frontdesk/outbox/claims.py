"""Claims: only one of a team's machines fetches and changes a task at a time (docs/team.md, Writing)."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from frontdesk.storage.records import Json


class ClaimedElsewhere(Exception):
    """Raised when another machine is changing the target; holds that machine's name."""


class Claim(Protocol):
    """The right to change one target."""

    @property
    def is_held(self) -> bool:
        """Return whether no other machine can have taken the claim; checked right before a request leaves."""

    async def report(self, answer: Json, asked_at: float) -> None:
        """Tell the other machines the platform's answer; never raises, since they also fetch it later."""


class Claims(Protocol):
    """Takes claims; if the team's server can't be used, they are granted without it."""

    def claimed(self, target: str) -> AbstractAsyncContextManager[Claim]:
        """Hold a claim inside; entering raises `ClaimedElsewhere`."""


class _Unshared:
    is_held = True

    async def report(self, answer: Json, asked_at: float) -> None:
        pass


class NoTeam:
    """Grants every claim to a machine without a team."""

    @asynccontextmanager
    async def claimed(self, target: str) -> AsyncIterator[Claim]:  # noqa: ARG002
        yield _Unshared()
