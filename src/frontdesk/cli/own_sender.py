"""Sends what a command has added to the outbox, where no engine does.

It holds the lease only while it has something to do, and sends nothing else: earlier changes of the same target go
first, in order and after their undo delay, and all others wait for an engine.
"""

import asyncio
import logging
import os
import time
import uuid
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from frontdesk.cli.completion import CommandServices
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
from frontdesk.cli.store_session import CommandStore
from frontdesk.config import credentials
from frontdesk.config.settings import load_config, resolve_profile
from frontdesk.outbox.sender import SETTLE_AFTER, Sender, Target, target_of
from frontdesk.storage.database import Store
from frontdesk.storage.database_files import StoreUnusable
from frontdesk.storage.lease import RENEW_SECONDS, Lease, LeaseLost, WriterMark, try_acquire
from frontdesk.storage.records import Change
from frontdesk_api.client.errors import ApiError
from frontdesk_lines.display_text import clean_stray_logs

if TYPE_CHECKING:  # most actions on the store send nothing, and start without HTTP
    from frontdesk_api.client.client import PlatformClient
    from frontdesk_api.contract.endpoints import Host

_SAID_OTHERWISE = logging.NullHandler()
"""Takes the outbox's warnings: the command says itself what failed."""

LEASE_TRY_SECONDS = 0.5
"""How often a command sees whether the engine that sends has ended."""

ROUND_SECONDS = 2.0
"""After how long a command that sends lets others have their turn: a screen that was opened, another command."""


class OwnSender:
    """A sender of a command's own, with its client.

    Args:
        may_send: whether no other engine has taken over since the request began.

    Attributes:
        client: None until it is opened, which the first request does.
    """

    def __init__(self, services: CommandServices, may_send: Callable[[], bool]) -> None:
        self.client: PlatformClient | None = None
        self._services, self._may_send = services, may_send
        self._sender: Sender | None = None
        self._try_at = 0.0

    @property
    def errors(self) -> Mapping[Target, ApiError]:
        """The last error of each target that failed."""
        return {} if self._sender is None else self._sender.errors

    async def send(self, store: CommandStore, left: Sequence[Change]) -> bool:
        """Send what is due of these changes, unless an engine does that; return whether none does."""
        if time.monotonic() < self._try_at:
            return False
        targets = dict.fromkeys(map(target_of, left))
        if self._sender is not None:
            self._sender.only = targets
            if (self._sender.next_at() or store.clock()) > store.clock():
                return True
        base = store.base
        lease = await try_acquire(base)
        if lease is None:
            WriterMark(base.folder).set()  # a read-only engine gives way, and a command with many changes
            self._try_at = time.monotonic() + LEASE_TRY_SECONDS
            return False
        if self.client is None:  # to open it may take long: others have their turn meanwhile
            await _give_up(base, lease)
            self._open_client()
            return True
        sender, mark = self._own_sender(self.client, store), WriterMark(base.folder)
        sender.errors.clear()
        ends_at = time.monotonic() + ROUND_SECONDS
        renewing = asyncio.create_task(_renew(base))
        try:
            with suppress(LeaseLost):
                for each in targets:
                    sender.only = [each]
                    await sender.send_due()
                    if sender.errors or time.monotonic() > ends_at:
                        break
        finally:
            renewing.cancel()
            await _give_up(base, lease)
        if mark.is_set():
            self._try_at = time.monotonic() + 2 * LEASE_TRY_SECONDS
        return True

    def _open_client(self) -> None:
        from frontdesk.library import open_client

        clean_stray_logs()
        require_own_business()
        self.client = open_client(may_send=self._may_send)

    def _own_sender(self, client: "PlatformClient", store: CommandStore) -> Sender:
        if self._sender is None:
            logging.getLogger("frontdesk.outbox").addHandler(_SAID_OTHERWISE)
            owner = f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
            self._sender = self._services.make_sender(
                client, store.base, _NoBackoff(), store.clock, owner, SETTLE_AFTER
            )
        return self._sender


def require_own_business() -> None:
    """Refuse another key than the stored one: an engine would send with its own, to that business's customers."""
    profile = resolve_profile(load_config(), os.environ)
    given = os.environ.get(credentials.ENVIRONMENT["api_key"], "").strip()
    if not given or profile.hosts_from_environment or profile.folder is not None:
        return
    stored = credentials.read_stored(profile.name).secrets.get("api_key")
    if stored is not None and stored.reveal() != given:
        words = f"FRONTDESK_API_KEY isn't the key of profile {profile.name}, with which frontdesk would send it"
        raise CommandFailed(INPUT_WRONG, words)


class _NoBackoff:
    """Lets a command's own requests go at once: what failed is taken back, and read-backs have own delays."""

    def ready_at(self, host: "Host") -> float:  # noqa: ARG002
        return 0.0

    def note_success(self, host: "Host") -> None: ...

    def note_failure(self, host: "Host", error: ApiError, read: Hashable = None) -> None: ...


async def _renew(store: Store) -> None:
    """Renew the lease while a request is on its way."""
    with suppress(StoreUnusable):  # the sender finds that out itself
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            await store.run(lambda _: None)


async def _give_up(store: Store, lease: Lease) -> None:
    try:
        with suppress(LeaseLost):
            await store.run(lease.give_up)
    finally:
        store.guard = None
        lease.unlock_file()
