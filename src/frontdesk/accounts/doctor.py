"""`frontdesk doctor`: prints one line for each check, with the remedy when it fails."""

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from frontdesk.accounts.config_check import check_macros, check_settings, check_views
from frontdesk.cli.check_result import CheckResult, check_clock, fail, ok, print_checks, warn
from frontdesk.cli.errors import CREDENTIALS, INPUT_WRONG
from frontdesk.config import credentials as config_credentials
from frontdesk.config import settings as config_settings
from frontdesk.config.credential_sources import add_outside_credentials
from frontdesk.config.demo import profile_path
from frontdesk.config.file_access import find_open_to_others
from frontdesk.config.hosts import are_local
from frontdesk.config.ignored_variables import ignored_settings
from frontdesk.config.request_pace import LOCAL, REMOTE
from frontdesk.config.time_zone import UnknownTimeZone, local_zone
from frontdesk.storage.clocks import MAX_OFFSET_SECONDS
from frontdesk.storage.database_files import StoreUnusable, check_places, store_paths, unsent_elsewhere
from frontdesk.storage.recovery import damaged_files
from frontdesk_api.credentials import CredentialSet
from frontdesk_lines.display_text import counted
from frontdesk_lines.terminal_abilities import NO_LETTERS, TerminalAbilities, terminal_abilities

MIN_COLUMNS, MIN_ROWS = 60, 15

LOCAL_PACE = (
    f"up to {LOCAL.per_minute:,} requests a minute, since all hosts are on this machine; if that is a tunnel to a "
    f"real platform, set requests_per_minute = {REMOTE.per_minute}"
)


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per check.")] = False,
) -> int:
    """Check config, credentials, hosts, team, terminal, store."""
    return print_checks(_check_all(), as_json=as_json)


def _check_all() -> Iterator[CheckResult]:
    profile: config_settings.Profile | None = None
    try:
        loaded = config_settings.load_config()
        yield from check_settings(loaded)
        profile = config_settings.resolve_profile(loaded, os.environ)
        yield from check_views(loaded.settings, profile)
        yield from check_macros(loaded.settings, profile)
        yield from _ignored_variables(loaded.settings)
        path = config_settings.config_path() if profile.folder is None else profile_path()
        source = "from the environment" if profile.hosts_from_environment else f"in {path}"
        yield ok("config", f"profile {profile.name} {source}")
    except (config_settings.ConfigError, config_settings.NoProfile) as error:
        yield fail("config", str(error), INPUT_WRONG)
    if profile is not None:
        if are_local(profile.hosts) and not loaded.settings.requests_per_minute:
            yield ok("pace", LOCAL_PACE)
        yield from _account(profile, loaded.settings)
    yield _time_zone()
    yield from _terminal()
    if profile is not None:
        folder = config_settings.data_dir(profile)
        yield from _store(folder)
        for name, count in unsent_elsewhere(folder):
            what = f"{counted(count, 'change')} unsent or waiting for your decision in the store {name}"
            yield warn("store", f"{what}; open frontdesk with that profile or environment")


def _time_zone() -> CheckResult:
    try:
        now = datetime.now(local_zone())
    except UnknownTimeZone as error:
        return fail("time zone", str(error), INPUT_WRONG)
    source = "from TZ" if "TZ" in os.environ else "the system's"
    return ok("time zone", f"{now.tzinfo} ({source}), now {now:%H:%M} UTC{now.isoformat()[-6:]}")


def _ignored_variables(settings: config_settings.Settings) -> Iterator[CheckResult]:
    """Warn of a variable that other programs follow, unless its setting is there."""
    for variable, key in ignored_settings(os.environ):
        if getattr(settings, key) is None:
            yield warn("environment", f"{variable} is set, but frontdesk ignores it; use settings.{key}")


def _account(profile: config_settings.Profile, settings: config_settings.Settings) -> Iterator[CheckResult]:
    """Check what needs credentials; the team also if those of the platform can't be used."""
    environ: Mapping[str, str] = os.environ
    try:
        environ = add_outside_credentials(profile, os.environ)
    except config_credentials.SecretError as error:
        yield fail("credentials", str(error), CREDENTIALS)
    else:
        credentials, results = _credentials(profile, environ)
        yield from results
        if credentials is not None:
            yield from _hosts(profile, credentials, settings)
    if profile.team is not None:
        from frontdesk.team.checks import summarize_team

        yield summarize_team(profile, profile.team, environ)


def _credentials(
    profile: config_settings.Profile, environ: Mapping[str, str]
) -> tuple[CredentialSet | None, list[CheckResult]]:
    try:
        found = config_credentials.load_credentials(profile, environ)
    except config_credentials.SecretError as error:
        return None, [fail("credentials", str(error), CREDENTIALS)]
    if found.missing:
        words = f"missing {' and '.join(found.missing)}"
        login = "frontdesk login" if profile.hosts_from_environment else f"frontdesk login {profile.name}"
        remedy = f"run `{login}` or set FRONTDESK_COOKIE and FRONTDESK_API_KEY"
        return None, [fail("credentials", f"{words}; {remedy}", CREDENTIALS)]
    bearer = "" if found.bearer is not None else " (no Bearer token: webhooks can't be deleted)"
    hidden = config_credentials.describe_hidden_cookie_parts(found)
    words = f"Cookie and x-api-key found{bearer}; of your Cookie, {hidden}"
    short = config_credentials.short_words(found)
    return found, [ok("credentials", words), *([warn("credentials", short)] if short else [])]


def _hosts(
    profile: config_settings.Profile,
    credentials: CredentialSet,
    settings: config_settings.Settings,
) -> Iterator[CheckResult]:
    from frontdesk.accounts.host_checks import HostFault, check_hosts

    verdicts = {HostFault.NONE: "ok", HostFault.UNPROVEN: "warn"}
    found = check_hosts(profile, credentials, settings)
    for each in found:
        subject = each.key.removesuffix("_url")
        yield CheckResult(verdicts.get(each.fault, "FAIL"), subject, each.words, each.status)
    if (offset := found[0].clock_offset) is not None:
        yield check_clock(offset, "the platform's", MAX_OFFSET_SECONDS, "synchronize it with a time server")


def _terminal() -> Iterator[CheckResult]:
    abilities = terminal_abilities(os.environ)
    if not abilities.has_letters:
        yield warn("terminal", NO_LETTERS)
    if not sys.stdout.isatty():
        yield warn("terminal", "the output isn't a terminal; the inbox needs one")
        return
    term = os.environ.get("TERM", "")
    if term in ("", "dumb"):
        yield fail("terminal", f"TERM is {term or 'not set'}; set it to your terminal's type")
        return
    columns, rows = shutil.get_terminal_size()
    colors = "no colors (NO_COLOR)" if os.environ.get("NO_COLOR") else _colors(term, abilities)
    words = f"{columns}x{rows}, {term}, {colors}"
    if columns < MIN_COLUMNS or rows < MIN_ROWS:
        yield warn("terminal", f"{words}; the inbox needs at least {MIN_COLUMNS}x{MIN_ROWS}")
    else:
        yield ok("terminal", words)


def _colors(term: str, abilities: TerminalAbilities) -> str:
    if not abilities.has_colors:
        return "no colors"
    if os.environ.get("COLORTERM") in ("truecolor", "24bit"):
        return "16 million colors"
    return "256 colors" if "256" in term else "16 colors"


def _store(folder: Path) -> Iterator[CheckResult]:
    existing = folder
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        yield fail("store", f"can't write to {existing}; fix its owner or permissions")
        return
    faults, logs = list[str](), config_settings.state_dir()
    try:
        check_places(folder)
    except StoreUnusable as error:
        faults = [str(error)]
    with contextlib.suppress(OSError):  # which `check_places` has said
        faults = [*map(str, find_open_to_others([*store_paths(folder), logs, *logs.glob("*")]))] or faults
    if faults:
        yield from (fail("store", each, INPUT_WRONG) for each in faults)
    elif damaged := damaged_files(folder):
        names = ", ".join(path.name for path in damaged)
        yield warn(
            "store",
            f"{folder} was damaged; files set aside there: {names}; delete them when you no longer need them",
        )
    elif (folder / "store.db").exists():
        size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file()) / 1e6
        yield ok("store", f"{folder}, {size:.1f} MB")
    else:
        yield ok("store", f"{folder}, not created yet")
