"""The interface between the sender and each kind of change: how it is sent and read back.

Features implement `Delivery`; the app composes the registry and passes it to the `Sender`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from frontdesk.api.client.client import PlatformClient
from frontdesk.api.client.errors import ApiError
from frontdesk.api.contract.endpoints import Host
from frontdesk.outbox.confirmation import Confirmation
from frontdesk.storage.database import Store
from frontdesk.storage.records import Change, ChangeKind


class Delivery(Protocol):
    """Sending of one kind of change.

    Attributes:
        host: its errors delay everything that goes there.
        joins_changes: several quick changes of one target go in one request; else each goes alone.
        can_read_back: the platform shows whether a change arrived, so an early read may confirm it.
    """

    @property
    def host(self) -> Host: ...

    @property
    def joins_changes(self) -> bool: ...

    @property
    def can_read_back(self) -> bool: ...

    async def send(self, changes: Sequence[Change]) -> bool:
        """Send due changes of one target; returns whether the platform accepted them."""

    async def read_back(self, changes: Sequence[Change], *, final: bool) -> None:
        """Find out whether changes arrived whose answer was lost.

        Args:
            final: they can't arrive any more, so each is resolved now: confirmed, sent again or left to a person.
        """


class PlatformDelivery:
    """A base class with platform, store, `Confirmation` and clock (Unix seconds)."""

    def __init__(
        self, client: PlatformClient, store: Store, confirmation: Confirmation, clock: Callable[[], float]
    ) -> None:
        self._client = client
        self._store = store
        self._confirmation = confirmation
        self._clock = clock


Deliveries = Mapping[ChangeKind, Delivery]
"""The registry: a delivery for each kind of change."""


class HostBackoff(Protocol):
    """When each host may be used again."""

    def ready_at(self, host: Host) -> float:
        """Unix seconds."""

    def note_success(self, host: Host) -> None: ...

    def note_failure(self, host: Host, error: ApiError) -> None: ...
