"""The profiles that one run opens, one after the other, each with its store and its engine's process.

Light, since it is imported before the first paint.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from frontdesk.config import credentials, settings
from frontdesk.config.credential_sources import add_outside_credentials
from frontdesk.config.hosts import environment_name
from frontdesk.engine.supervisor import EngineProcess, EngineSupervisor
from frontdesk.storage.records import Health
from frontdesk_lines.display_text import SafeText

if TYPE_CHECKING:
    import apsw

    from frontdesk.outbox.changes import ChangeHandlers
    from frontdesk.outbox.commands import OutboxCommands
    from frontdesk.storage.database import ProfileStore

_ACCOUNT_VARIABLES = frozenset(
    {
        *(environment_name(key) for key in settings.HOST_KEYS),
        *credentials.ENVIRONMENT.values(),
        "FRONTDESK_AGENT_ID",
        "FRONTDESK_PROFILE",
        "FRONTDESK_TEAM_URL",
        "FRONTDESK_TEAM_ACCOUNT",
        "FRONTDESK_TEAM_PASSWORD",
    }
)


class CannotOpen(Exception):
    """A profile can't be opened; the text says why and what helps."""


class OpenProfile(NamedTuple):
    """A profile to open; `keep` starts its background processes and is called from time to time."""

    profile: settings.Profile
    folder: Path
    engine: EngineProcess
    keep: Callable[[], None]

    def supervise(
        self, report: Callable[[SafeText], None], health: Callable[[], Health], can_write: Callable[[], bool]
    ) -> EngineSupervisor:
        """Return a supervisor of the engine, which tells a person of failures and reads the engine's health."""
        return EngineSupervisor(self.keep, report, self.engine, health, can_write)


class StartTarget(NamedTuple):
    """The record that the inbox opens at: a conversation, task, campaign or workflow; and a note on the choice."""

    kind: str
    id: str
    note: str = ""


class ProfileSwitcher:
    """The profile that the program was started with, and the configured ones.

    Hosts and credentials in the environment hold for the first alone: another profile's hosts must not
    receive its secrets.

    Attributes:
        start_target: what the first screens open at; those that are opened later don't.
    """

    def __init__(self, first: OpenProfile, environ: Mapping[str, str], start_target: StartTarget | None = None):
        self.first, self.start_target = first, start_target
        self._environ = {name: value for name, value in environ.items() if name not in _ACCOUNT_VARIABLES}

    def hosts(self) -> dict[str, str]:
        """Return the base URL of each profile by name.

        Raises:
            ConfigError: the config can't be read.
        """
        profiles = {**settings.load_config().profiles, self.first.profile.name: self.first.profile}
        return {name: profile.hosts.base_url for name, profile in sorted(profiles.items())}

    def find(self, name: str) -> OpenProfile:
        """Return the profile with this name, not opened yet.

        Raises:
            CannotOpen: it is not configured, or has no credentials.
        """
        if name == self.first.profile.name:
            return self.first
        try:
            profile = settings.resolve_profile(settings.load_config(), self._environ, name)
            environ = dict(self._environ)
            if profile.team is not None:
                environ.pop("PGPASSWORD", None)  # the first profile's
            environ = add_outside_credentials(profile, environ)
            found = credentials.load_credentials(profile, environ)
        except (settings.NoProfile, settings.ConfigError, credentials.SecretError) as error:
            raise CannotOpen(str(error)) from error
        if found.missing:
            raise CannotOpen(f"it has no {' or '.join(found.missing)}; run `frontdesk login {name}`")
        folder = settings.data_dir(profile)
        engine = EngineProcess(folder, environ, name)
        return OpenProfile(profile, folder, engine, keep_with_credentials(engine.start, profile, environ))


def keep_with_credentials(
    keep: Callable[[], None], profile: settings.Profile, environ: Mapping[str, str]
) -> Callable[[], None]:
    """Wrap `keep` to notice credentials stored meanwhile."""
    stored = credentials.CredentialsWatch(profile, environ)

    def keep_all() -> None:
        stored.notice()
        keep()

    return keep_all


def load_handlers() -> "ChangeHandlers":
    """Load the handlers of all kinds of changes, which no first paint needs."""
    from frontdesk.registry.changes import CHANGE_HANDLERS

    return CHANGE_HANDLERS


def start_profile(store: "ProfileStore", outbox: "OutboxCommands") -> None:
    """Rebuild the overlay, which a kill may have left incomplete, and watch the profile's campaigns."""
    outbox.rebuild_overlay()
    now = store.clock()

    def watch(db: "apsw.Connection") -> None:
        from frontdesk.campaigns.store import campaigns  # loaded by the writer thread, after the first paint

        campaigns.watch(db, store.profile.watched_campaigns, now)

    if store.profile.watched_campaigns:
        store.write_unawaited(watch)
