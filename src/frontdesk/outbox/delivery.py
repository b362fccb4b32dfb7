"""What the sender needs to know of each kind of change: how it is sent, and how its fate is found out.

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
    """How changes of one kind reach the platform.

    Attributes:
        host: where they are sent; its trouble delays all that goes there.
        joins_changes: several quick changes of one target go in one request; else each goes alone.
        can_read_back: the platform shows whether a change arrived, so an early look may confirm it.
    """

    @property
    def host(self) -> Host: ...

    @property
    def joins_changes(self) -> bool: ...

    @property
    def can_read_back(self) -> bool: ...

    async def send(self, changes: Sequence[Change]) -> bool:
        """Send changes of one target that are due; whether the platform answered with a yes."""

    async def read_back(self, changes: Sequence[Change], *, final: bool) -> None:
        """Find out whether changes arrived whose answer was lost.

        Args:
            final: they can't arrive any more, so each is resolved now: confirmed, sent again or left to a person.
        """


class PlatformDelivery:
    """A base of deliveries: platform, store, the outbox's side of sending, and the clock (Unix seconds)."""

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
    """When each host may be asked again."""

    def ready_at(self, host: Host) -> float:
        """The Unix time from which the host may be asked."""

    def note_success(self, host: Host) -> None:
        """Note an answered request."""

    def note_failure(self, host: Host, error: ApiError) -> None:
        """Note trouble of the host."""
