"""Saves and removes profiles in config.toml, keeping everything else in it, and their credentials."""

import signal
from pathlib import Path
from typing import Any

from frontdesk.config.credential_sources import save_in_keyring
from frontdesk.config.credentials import ENVIRONMENT, TEAM_PASSWORD, credentials_path, save_credentials
from frontdesk.config.paths import replace_file
from frontdesk.config.settings import Profile, check_name, config_path, load_config
from frontdesk.config.tables import keys_of, written
from frontdesk.config.toml_edits import update_file
from frontdesk_api.credentials import CredentialSet, Secret

HAND_WRITTEN = frozenset({"web_url", "replies"})
"""Keys that only a person changes: their values stay, even unusable parts."""


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


def save_profile(profile: Profile, make_default: bool = False, path: Path | None = None) -> Path:
    """Write a profile into the config, as the default one if there is none; return the path.

    Raises:
        ConfigError: the config can't be used; it stays as it is.
        OSError: the config can't be written.
    """
    check_name(profile.name)
    known = keys_of(Profile)
    path = path or config_path()
    load_config(path)

    def change(content: dict[str, Any]) -> None:
        if make_default or "default_profile" not in content:
            content["default_profile"] = profile.name
        profiles = content.setdefault("profiles", {})
        before = profiles.get(profile.name, {})
        kept = {key: value for key, value in before.items() if key not in known or key in HAND_WRITTEN}
        profiles[profile.name] = written(profile) | kept

    update_file(path, change)
    return path


def remove_profile(name: str) -> bool:
    """Remove a profile's table from the config, and the backup of an edit; return whether there was a table.

    Raises:
        ConfigError: the config can't be used; it stays as it is.
        OSError: the config can't be written.
    """
    path = config_path()
    copy = path.with_name(f"{path.name}.bak")
    copy.unlink(missing_ok=True)
    if name not in load_config(path).profiles:
        return False

    def change(content: dict[str, Any]) -> None:
        del content["profiles"][name]
        if not content["profiles"]:
            del content["profiles"]
        if content.get("default_profile") == name:
            del content["default_profile"]

    update_file(path, change)
    return True
