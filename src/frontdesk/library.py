"""The client of a profile, for programs of one's own (docs/library.md)."""

import os

from frontdesk.config.credential_sources import add_outside_credentials
from frontdesk.config.credentials import SecretError, load_credentials
from frontdesk.config.hosts import LOGIN
from frontdesk.config.settings import IS_READ_ONLY, ConfigError, NoProfile, load_config, resolve_profile
from frontdesk_api.client.client import PlatformClient
from frontdesk_api.client.transport import MaySend, RetryPolicy, always
from frontdesk_api.library import REQUESTS_A_SECOND, RequestPacer

__all__ = ["ConfigError", "NoProfile", "SecretError", "open_client"]


def open_client(
    profile: str | None = None,
    *,
    retry: RetryPolicy | None = None,
    dry_run: bool = False,
    may_send: MaySend = always,
) -> PlatformClient:
    """Make the client of a profile, at the pace of the command line; close it with `async with`.

    The environment overrides the profile, as for every command; the setting `read_only` holds.

    Args:
        profile: the profile's name; by default that of a command without `--profile`.
        retry: the policy for retrying fetches.
        dry_run: raise `UnsentWrite` in place of each write.
        may_send: called before each part of a write leaves; False ends the request.

    Raises:
        ConfigError, NoProfile: no profile can be used.
        SecretError: the profile's credentials can't be loaded.
    """
    config = load_config()
    general = config.settings
    chosen = resolve_profile(config, os.environ, profile)
    credentials = load_credentials(chosen, add_outside_credentials(chosen, os.environ))
    return PlatformClient(
        chosen.hosts,
        credentials,
        gate=RequestPacer(REQUESTS_A_SECOND),
        retry=retry,
        ca_file=general.ca_file,
        proxy=general.proxy,
        read_only=IS_READ_ONLY if general.read_only else "",
        dry_run=dry_run,
        may_send=may_send,
        remedy=LOGIN,
    )
