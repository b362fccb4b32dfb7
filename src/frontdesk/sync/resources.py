"""What the poller reads, and what it has to know of it; composed by the app from the features' own reads."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from frontdesk.sync.scheduler import Job, PolledCampaign


class Resources(Protocol):
    """The reads of one profile."""

    @property
    def swept(self) -> bool:
        """Whether all tasks were read once since the engine began."""

    @property
    def walked(self) -> Collection[str]:
        """Keys of filters whose pages were all read, up to the limit."""

    @property
    def refused(self) -> Collection[str]:
        """Keys of filters that the platform refuses."""

    @property
    def workflows_behind(self) -> bool:
        """Whether a listed workflow's document is missing or outdated."""

    def watched_campaigns(self) -> Sequence[PolledCampaign]:
        """Every watched campaign as it was read last."""

    def campaign_changes(self) -> Mapping[str, PolledCampaign | None]:
        """Watched campaigns that have changed since the last call; None for one that isn't watched any more."""

    def outdated_threads(self, count: int) -> Sequence[str]:
        """At most so many conversations with a sign of a new message since their thread was read."""

    def never_read_threads(self, count: int, *, from_oldest: bool = False) -> Sequence[str]:
        """At most so many conversations whose thread was never read, the most recently active first.

        Args:
            from_oldest: only those with open tasks, the longest quiet first.
        """

    def threads_to_check(self, count: int) -> Sequence[str]:
        """At most so many conversations whose thread is read again though nothing tells of a new message."""

    def is_thread_current(self, conversation_id: str) -> bool:
        """Whether a thread was read after the last sign of a new message."""

    async def fetch(self, job: Job) -> bool:
        """Read and store one thing; returns whether anything differed."""

    def was_refused(self, job: Job) -> bool:
        """Whether a read without an error stored a refusal for the screens."""

    def ask_again(self) -> None:
        """Retry everything that was given up, on a person's request."""
