"""The profiles that one run opens, one after the other, each with its store and engine."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from frontdesk.config import credentials, settings
from frontdesk.config.hosts import environment_name
from frontdesk.sync.process import EngineProcess

_ACCOUNT_VARIABLES = frozenset(
    {
        *(environment_name(key) for key in settings.HOST_KEYS),
        *credentials.ENVIRONMENT.values(),
        "FRONTDESK_AGENT_ID",
        "FRONTDESK_PROFILE",
    }
)


class CannotOpen(Exception):
    """A profile can't be opened; the text says why and what helps."""


@dataclass(frozen=True, slots=True)
class OpenProfile:
    """A profile to open; `keep` starts its background processes and is called from time to time."""

    profile: settings.Profile
    folder: Path
    engine: EngineProcess
    keep: Callable[[], None]


class ProfileSwitcher:
    """The profile that the program was started with, and the configured ones.

    Hosts and credentials in the environment hold for the first alone: another profile's hosts must not
    receive its secrets.
    """

    def __init__(self, first: OpenProfile, environ: Mapping[str, str]):
        self.first = first
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
            found = credentials.load_credentials(profile, self._environ)
        except (settings.NoProfile, settings.ConfigError, credentials.SecretError) as error:
            raise CannotOpen(str(error)) from error
        missing = [credentials.HEADER[kind] for kind in ("cookie", "api_key") if getattr(found, kind) is None]
        if missing:
            raise CannotOpen(f"it has no {' and no '.join(missing)}; run `frontdesk login {name}`")
        folder = settings.data_dir(profile)
        engine = EngineProcess(folder, self._environ, name)
        return OpenProfile(profile, folder, engine, keep_with_credentials(engine.start, profile, self._environ))


def keep_with_credentials(
    keep: Callable[[], None], profile: settings.Profile, environ: Mapping[str, str]
) -> Callable[[], None]:
    """Wrap `keep` to notice credentials stored meanwhile."""
    stored = credentials.StoredCredentials(profile, environ)

    def keep_all() -> None:
        stored.notice()
        keep()

    return keep_all
