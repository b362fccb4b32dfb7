"""`frontdesk logout` and `frontdesk forget`: remove a profile's credentials, or everything stored for it."""

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from frontdesk.cli.completion import complete_profile
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed, print_error
from frontdesk.cli.output import print_line
from frontdesk.config import credentials, settings
from frontdesk.config.file_access import NotRegularFile, require_regular_file
from frontdesk.config.paths import data_root
from frontdesk.config.system_keyring import remove_from_keyring
from frontdesk.storage.database_files import LEADER_LOCK, unsent_elsewhere
from frontdesk.text.display_text import counted


def logout(
    profile: Annotated[
        str | None,
        typer.Argument(metavar="[PROFILE]", help="Default: the default profile.", autocompletion=complete_profile),
    ] = None,
) -> int:
    """Remove a profile's stored credentials; its data and addresses stay."""
    environ = {"FRONTDESK_PROFILE": os.environ.get("FRONTDESK_PROFILE", "")}
    name = settings.check_name(profile or settings.resolve_profile(settings.load_config(), environ).name)
    if _remove_credentials(name):
        print_line(f"Removed the credentials of profile {name}. Windows that are open keep theirs until you quit.")
    else:
        print_line(f"No credentials of profile {name} are stored.")
    return 0


def forget(
    profile: Annotated[
        str, typer.Argument(metavar="PROFILE", help="The profile's name.", autocompletion=complete_profile)
    ],
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
) -> int:
    """Delete everything stored for a profile: loaded data, unsent changes, drafts and credentials.

    Its addresses and names stay in config.toml. Nothing changes on the platform.
    """
    name = settings.check_name(profile)
    stores = _stores(name)
    print_line(_what_goes(name, stores))
    if not yes and not sys.stdin.isatty():
        raise CommandFailed(INPUT_WRONG, "nothing was deleted; to delete it, add --yes")
    if not yes and not typer.confirm("Delete it?", default=False):
        print("Nothing was deleted.")
        return 0
    with contextlib.ExitStack() as held:
        for store in stores:
            held.enter_context(_hold(store))
        for store in stores:
            shutil.rmtree(store)
    try:
        _remove_credentials(name)
    except credentials.SecretError as error:
        print_error(error)
    print_line(f"Deleted. The addresses and names of profile {name}, if any, stay in {settings.config_path()}.")
    return 0


def _remove_credentials(name: str) -> bool:
    """Remove them from the keyring and the file; returns whether there were any.

    Raises:
        SecretError: the keyring failed. The file keeps the addresses, so that a second try finds the entry.
    """
    stored, profile = credentials.read_stored(name), settings.load_config().profiles.get(name)
    is_removed = bool(stored.secrets) and credentials.remove_credentials(name)
    if profile is not None and profile.keyring:
        is_removed |= remove_from_keyring(name)
    elif stored.origins and not stored.secrets and not (profile is not None and profile.credentials_command):
        # A login whose secrets are elsewhere: `keyring = true` was removed from config.toml since.
        is_removed |= remove_from_keyring(name)
    return credentials.remove_credentials(name) or is_removed


def _stores(name: str) -> list[Path]:
    """Return the folders of the profile: its own, and those for addresses of the environment."""
    parent = data_root() / "profiles"
    return [each for each in (parent / name, *sorted(parent.glob(f"{name}@env-*"))) if each.is_dir()]


def _what_goes(name: str, stores: Sequence[Path]) -> str:
    waiting = dict(unsent_elsewhere(data_root() / "profiles" / "-"))
    count = sum(waiting.get(each.name, 0) for each in stores)
    parts = [f"{each} (loaded data, drafts and unsent changes)" for each in stores]
    parts.append(f"its credentials in {credentials.credentials_path()}")
    lost = f" {counted(count, 'change')} unsent or waiting for your decision will be lost." if count else ""
    return f"This deletes, for profile {name}: {'; '.join(parts)}.{lost}"


@contextlib.contextmanager
def _hold(store: Path) -> Iterator[None]:
    """Keep every engine off the store."""
    from filelock import FileLock, Timeout

    try:
        require_regular_file(store / LEADER_LOCK)
        with FileLock(store / LEADER_LOCK, timeout=0):
            yield
    except NotRegularFile as error:
        raise CommandFailed(INPUT_WRONG, f"nothing was deleted: {error.sentence}") from error
    except Timeout:
        words = "nothing was deleted: the profile is open in another window or in `frontdesk sync`; quit it first"
        raise CommandFailed(INPUT_WRONG, words) from None
