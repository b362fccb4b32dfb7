"""`frontdesk logout` and `frontdesk forget`: remove a profile's credentials, or everything stored for it."""

import contextlib
import os
import shutil
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from frontdesk.cli.completion import complete_profile
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed, print_error
from frontdesk.cli.options import AsObject, DryRun
from frontdesk.cli.output import print_json, print_line
from frontdesk.cli.store_session import NOTHING_CHANGED
from frontdesk.config import credentials, settings
from frontdesk.config.account_writer import remove_profile
from frontdesk.config.credential_sources import remove_from_keyring
from frontdesk.config.demo import DEMO, demo_folder
from frontdesk.config.file_access import NotRegularFile, OpenToOthers, require_own, require_regular_file
from frontdesk.config.paths import data_root, state_dir
from frontdesk.demo.sandbox_process import DemoBusy, delete_demo
from frontdesk.storage.database_files import LEADER_LOCK, unsent_elsewhere
from frontdesk_lines.display_text import counted


def logout(
    profile: Annotated[
        str | None,
        typer.Argument(metavar="[PROFILE]", help="Default: the default profile.", autocompletion=complete_profile),
    ] = None,
    as_json: AsObject = False,
) -> int:
    """Remove a profile's credentials; data and addresses stay."""
    environ = {"FRONTDESK_PROFILE": os.environ.get("FRONTDESK_PROFILE", "")}
    name = settings.check_name(profile or settings.resolve_profile(settings.load_config(), environ).name)
    is_removed = _remove_credentials(name)
    if as_json:
        print_json({"profile": name, "removed": is_removed})
    elif is_removed:
        print_line(f"Removed the credentials of profile {name}. Windows that are open keep theirs until you quit.")
    else:
        print_line(f"No credentials of profile {name} are stored.")
    return 0


def forget(
    profile: Annotated[
        str,
        typer.Argument(metavar="PROFILE", help="The profile's name, or demo.", autocompletion=complete_profile),
    ],
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
    dry_run: DryRun = False,
    as_json: AsObject = False,
) -> int:
    """Delete a profile and all that is stored of it.

    Deletes loaded data, unsent changes, drafts, credentials, its part of config.toml, and the logs.
    Nothing changes on the platform.
    """
    name = settings.check_name(profile)
    known = settings.load_config().profiles  # one that can't be read is told before anything is deleted
    asked = _Request(yes, dry_run, as_json)
    if name == DEMO and name not in known:
        return _forget_demo(asked)
    stores = _stores(name)
    if name not in known and not stores:
        _require_credentials(name, known)
    report = {"profile": name, "folders": [str(each) for each in stores], "unsent": _unsent(stores)}
    if not _is_confirmed(_what_goes(name, stores), report, asked):
        return 0
    with contextlib.ExitStack() as held:
        for store in stores:
            held.enter_context(_hold(store))
        for store in stores:
            shutil.rmtree(store)
    try:
        _remove_credentials(name)  # before the config, which says whether the keyring has them
    except credentials.SecretError as error:
        print_error(error)
    remove_profile(name)
    return _finish(report, asked)


def _require_credentials(name: str, known: Collection[str]) -> None:
    """Refuse a name that nothing is stored for: usually it is mistyped, and its profile would be thought gone."""
    stored = credentials.read_stored(name)
    if not stored.secrets and not stored.origins:
        others = f"profiles: {', '.join(sorted(known))}" if known else "config.toml has none"
        raise CommandFailed(INPUT_WRONG, f"nothing was deleted: there is no profile {name}; {others}")


class _Request(NamedTuple):
    """What was asked for."""

    yes: bool
    dry_run: bool
    as_json: bool


def _forget_demo(asked: _Request) -> int:
    folder = demo_folder()
    report = {"profile": DEMO, "folders": [str(folder)] if folder.is_dir() else [], "unsent": 0}
    if not folder.is_dir() and not asked.as_json:
        print_line("The demo has no data to delete.")
        return 0
    what = f"This deletes the demo: {folder} (its inbox, its sandbox and what you did there); and the logs."
    if not _is_confirmed(what, report, asked):
        return 0
    try:
        delete_demo(data_root())
    except DemoBusy as error:
        raise CommandFailed(INPUT_WRONG, str(error)) from None
    return _finish(report, asked)


def _is_confirmed(what: str, report: Mapping[str, object], asked: _Request) -> bool:
    """Say what goes, and ask; in a dry run, nothing is to be done."""
    if not asked.as_json:
        print_line(what)
    if asked.dry_run:
        if asked.as_json:
            print_json({**report, "dryRun": True})
        else:
            print_line(NOTHING_CHANGED)
        return False
    if not asked.yes and (asked.as_json or not sys.stdin.isatty()):
        raise CommandFailed(INPUT_WRONG, "nothing was deleted; to delete it, add --yes")
    if asked.yes or typer.confirm("Delete it?", default=False):
        return True
    print("Nothing was deleted.")
    return False


def _finish(report: Mapping[str, object], asked: _Request) -> int:
    _remove_logs()
    if asked.as_json:
        print_json({**report, "dryRun": False})
    else:
        print_line(f"Deleted.{_what_stays()}")
    return 0


def _remove_logs() -> None:
    """Remove them for all profiles: their lines have ids, and don't say whose."""
    for pattern in ("frontdesk.log*", "crash.log*"):
        for path in state_dir().glob(pattern):
            path.unlink(missing_ok=True)


def _what_stays() -> str:
    """Name what may hold data of the profile and can't be told from others'."""
    kept = sorted(state_dir().glob("workflow-before-*.json"))
    return (
        f" Copies of workflows from before updates, of all profiles, are still in {state_dir()}." if kept else ""
    )


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


def _unsent(stores: Sequence[Path]) -> int:
    waiting = dict(unsent_elsewhere(data_root() / "profiles" / "-"))
    return sum(waiting.get(each.name, 0) for each in stores)


def _what_goes(name: str, stores: Sequence[Path]) -> str:
    count = _unsent(stores)
    parts = [f"{each} (loaded data, drafts and unsent changes)" for each in stores]
    parts.append(f"its credentials in {credentials.credentials_path()} or the keyring")
    parts.append(f"its addresses and names in {settings.config_path()}")
    parts.append(f"the logs of all profiles in {state_dir()}")
    lost = f" {counted(count, 'change')} unsent or waiting for your decision will be lost." if count else ""
    return f"This deletes, for profile {name}: {'; '.join(parts)}.{lost}"


@contextlib.contextmanager
def _hold(store: Path) -> Iterator[None]:
    """Keep every engine off the store."""
    from filelock import FileLock, Timeout

    try:
        require_regular_file(store / LEADER_LOCK)
        require_own([store / LEADER_LOCK])
        with FileLock(store / LEADER_LOCK, mode=0o600, timeout=0):
            yield
    except NotRegularFile as error:
        raise CommandFailed(INPUT_WRONG, f"nothing was deleted: {error.sentence}") from error
    except OpenToOthers as error:
        raise CommandFailed(INPUT_WRONG, f"nothing was deleted: {error}") from error
    except Timeout:
        words = "nothing was deleted: the profile is open in another window or in `frontdesk sync`; quit it first"
        raise CommandFailed(INPUT_WRONG, words) from None
