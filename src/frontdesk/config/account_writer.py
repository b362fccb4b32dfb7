"""Saves a profile with its credentials, for `frontdesk login` and the screen that sets an account up."""

import signal
from pathlib import Path

from frontdesk.config.credentials import (
    ENVIRONMENT,
    TEAM_PASSWORD,
    CredentialSet,
    Secret,
    credentials_path,
    save_credentials,
)
from frontdesk.config.paths import replace_file
from frontdesk.config.profile_writer import save_profile
from frontdesk.config.settings import Profile, config_path
from frontdesk.config.system_keyring import save_in_keyring


def save_account(
    profile: Profile, credentials: CredentialSet, team_password: Secret | None = None, *, make_default: bool
) -> tuple[Path, Path]:
    """Save the profile and its credentials, or nothing: ctrl+c waits, and a failure restores the files.

    Returns:
        The config, and the file of the credentials.

    Raises:
        ConfigError, SecretError, OSError: nothing was saved.
    """
    paths = (config_path(), credentials_path())
    before = {path: path.read_bytes() if path.exists() else None for path in paths}
    interrupts = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        in_file = CredentialSet() if profile.keyring else credentials
        password_in_file = None if profile.keyring else team_password
        secret_file = save_credentials(profile, in_file, team_password=password_in_file)
        config_file = save_profile(profile, make_default=make_default)
        if profile.keyring:
            # Save the keyring last, since its earlier contents can't be restored.
            secrets = {kind: getattr(credentials, kind) for kind in ENVIRONMENT}
            secrets[TEAM_PASSWORD] = team_password
            save_in_keyring(profile.name, {kind: each for kind, each in secrets.items() if each is not None})
    except BaseException:
        for path, content in before.items():
            if content is None:
                path.unlink(missing_ok=True)
            else:
                replace_file(path, content)
        raise
    else:
        return config_file, secret_file
    finally:
        signal.signal(signal.SIGINT, interrupts)
