"""Resources to poll, and their state; composed by the app from the features' own fetches."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from frontdesk.sync.scheduler import Job, PolledCampaign


class Resources(Protocol):
    """The resources of one profile."""

    @property
    def swept(self) -> bool:
        """Return whether all tasks were fetched once since the engine began."""

    @property
    def walked(self) -> Collection[str]:
        """The keys of filters whose pages were all fetched, up to the limit."""

    @property
    def refused(self) -> Collection[str]:
        """The keys of filters that the platform refuses."""

    @property
    def workflows_behind(self) -> bool:
        """Return whether a listed workflow's document is missing or outdated."""

    def watched_campaigns(self) -> Sequence[PolledCampaign]:
        """Return every watched campaign as it was last fetched."""

    def campaign_changes(self) -> Mapping[str, PolledCampaign | None]:
        """Return the watched campaigns that have changed since the last call, with `None` for unwatched ones."""

    def outdated_threads(self, count: int) -> Sequence[str]:
        """Return up to `count` conversations with a sign of a new message since their thread was fetched."""

    def never_read_threads(self, count: int, *, from_oldest: bool = False) -> Sequence[str]:
        """Return up to `count` conversations whose thread was never fetched, the most recently active first.

        Args:
            from_oldest: whether to return only those with open tasks, the longest quiet first.
        """

    def threads_to_check(self, count: int) -> Sequence[str]:
        """Return threads due for another fetch without a sign of new messages, most overdue first."""

    def is_thread_current(self, conversation_id: str) -> bool:
        """Return whether a thread was fetched after the last sign of a new message."""

    async def fetch(self, job: Job) -> bool:
        """Fetch and store one resource; return whether anything differed."""

    def was_refused(self, job: Job) -> bool:
        """Return whether a fetch without an error stored a refusal for the screens."""

    def ask_again(self) -> None:
        """Retry everything that was given up, on a person's request."""
