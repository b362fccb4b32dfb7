"""The profiles that one run opens, one after the other, each with its store and its engine's process.

Light, since it is imported before the first paint.
"""

import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from frontdesk.config import credentials, settings
from frontdesk.config.credential_sources import add_outside_credentials
from frontdesk.config.hosts import environment_name
from frontdesk.text.display_text import SafeText, show_line, trusted

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
    }
)


class CannotOpen(Exception):
    """A profile can't be opened; the text says why and what helps."""


class EngineProcess:
    """The engine of a profile as a child process.

    It reads a pipe from this process: when that closes, however this process ended, the engine sends the rest and
    ends.

    Attributes:
        environment: hosts, credentials and everything else.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str], profile: str | None = None):
        named = [] if profile is None else ["--profile", profile]
        self._argv = [
            sys.executable,
            "-m",
            "frontdesk.app.engine_main",
            "--with-parent",
            "--store",
            str(folder),
            *named,
        ]
        self.environment = dict(environment)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, again if it has died."""
        if self.is_running:
            return
        self._process = subprocess.Popen(
            self._argv,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def process_id(self) -> int:
        """Return the id of its process; 0 where none runs, as far as `is_running` found last."""
        return 0 if self._process is None or self._process.returncode is not None else self._process.pid

    def stop(self, seconds: float = 0.0) -> None:
        """Make it send held changes and end; wait at most this long.

        Without a time nothing waits: it ends within seconds, and unsent changes stay in the outbox.
        """
        if self._process is None:
            return
        if self._process.stdin is not None:
            self._process.stdin.close()
        if not seconds:
            return
        try:
            self._process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@dataclass(frozen=True, slots=True)
class OpenProfile:
    """A profile to open; `keep` starts its background processes and is called from time to time."""

    profile: settings.Profile
    folder: Path
    engine: EngineProcess
    keep: Callable[[], None]


class EngineSupervisor:
    """Keeps the engine of one run alive; a failure is reported once and tried again.

    Args:
        start_engine: starts the engine unless it runs; raises OSError if the machine refuses.
    """

    def __init__(self, start_engine: Callable[[], None], report: Callable[[SafeText], None]):
        self._start_engine, self._report = start_engine, report
        self._has_failed = False

    def check(self) -> None:
        """Start the engine unless it runs."""
        try:
            self._start_engine()
        except OSError as error:
            if not self._has_failed:
                words = show_line(error.strerror or str(error), 120).text
                self._report(trusted(f"Couldn't start polling: {words}. frontdesk will keep trying."))
            self._has_failed = True
        else:
            self._has_failed = False


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
            environ = add_outside_credentials(profile, self._environ)
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
    from frontdesk.app.registries import CHANGE_HANDLERS

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
