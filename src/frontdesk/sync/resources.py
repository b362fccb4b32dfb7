"""What the poller needs to know of the things that are polled; the app composes it of the features' reads."""

from collections.abc import Collection, Sequence
from typing import Protocol

from frontdesk.sync.scheduler import Job, PolledCampaign


class Resources(Protocol):
    """The reads of one profile, and what they know that decides what is due."""

    @property
    def swept(self) -> bool:
        """Whether all tasks were walked once since the engine began."""

    @property
    def walked(self) -> Collection[str]:
        """Keys of filters of which every page was read, or as many as are read at once."""

    @property
    def refused(self) -> Collection[str]:
        """Keys of filters that the platform says no to."""

    @property
    def workflows_behind(self) -> bool:
        """Whether a listed workflow's document is missing or older than the list says."""

    def watched_campaigns(self) -> Sequence[PolledCampaign]:
        """Answer the campaigns that are watched."""

    def threads_to_read(self, count: int) -> Sequence[str]:
        """Answer at most so many conversations whose threads should be read in the background."""

    async def fetch(self, job: Job) -> bool:
        """Read one thing and store it; whether anything differed."""

    def was_refused(self, job: Job) -> bool:
        """Whether a read that raised nothing stored a refusal for the screens, and no answer."""

    def ask_again(self) -> None:
        """Try everything again that was given up: a person wants it."""
