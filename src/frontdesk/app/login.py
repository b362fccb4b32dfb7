"""`frontdesk login`: asks for hosts and credentials, tries them with one read each, stores a profile.

What was wrong is asked again; nothing is stored before it works. Secrets are never options: arguments are visible
to every user of the machine.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from frontdesk.app import login_prompts as prompts
from frontdesk.cli.errors import CREDENTIALS, INPUT_WRONG, INTERRUPTED, CommandFailed, print_error
from frontdesk.cli.output import print_line
from frontdesk.config import credentials as config_credentials
from frontdesk.config import settings as config_settings
from frontdesk.config.account_writer import save_account
from frontdesk.config.credential_sources import run_command
from frontdesk.config.hosts import check_url, environment_name, origins
from frontdesk.config.system_keyring import read_keyring, remove_from_keyring

if TYPE_CHECKING:
    from frontdesk.app.host_checks import HostCheck

_NOT_READ = (
    "nothing was changed: credentials aren't read from a pipe or a file; run this in a terminal, or set "
    + ", ".join(config_credentials.ENVIRONMENT.values())
)

FIRST_NAME = "default"
"""The profile that `login` creates without a name."""


def login(
    profile: Annotated[
        str | None,
        typer.Argument(metavar="[PROFILE]", help="The profile's name. Default: the one other commands use."),
    ] = None,
    base_url: Annotated[str | None, typer.Option(metavar="URL", help="The platform's address.")] = None,
    campaigns_url: Annotated[
        str | None, typer.Option(metavar="URL", help="For campaigns. Default: the base URL.")
    ] = None,
    workflows_url: Annotated[
        str | None, typer.Option(metavar="URL", help="For workflows. Default: the base URL.")
    ] = None,
    business_url: Annotated[
        str | None, typer.Option(metavar="URL", help="For tasks. Default: the base URL.")
    ] = None,
    ai_url: Annotated[
        str | None, typer.Option(metavar="URL", help="For AI agents. Default: the base URL.")
    ] = None,
    agent_id: Annotated[
        str | None, typer.Option(metavar="ID", help="Your agent id on the platform; '' removes it.")
    ] = None,
    line: Annotated[
        list[str] | None, typer.Option(metavar="ID=LABEL", help="Give a line a label; can be repeated.")
    ] = None,
    store_anyway: Annotated[
        bool, typer.Option("--store-anyway", help="Save the profile even if the check fails.")
    ] = False,
    keyring: Annotated[
        bool | None,
        typer.Option("--keyring/--no-keyring", help="Save the credentials in the system's keyring, or in a file."),
    ] = None,
    rotate: Annotated[
        bool, typer.Option("--rotate", help="Ask only for new credentials of an existing profile.")
    ] = False,
    default: Annotated[bool, typer.Option("--default", help="Make it the default profile.")] = False,
) -> int:
    """Check hosts and credentials, and save them as a profile.

    Enter the credentials when prompted, or set FRONTDESK_COOKIE, FRONTDESK_API_KEY and FRONTDESK_BEARER.
    If the check fails, you are asked again for what was wrong.
    """
    urls = dict(
        zip(prompts.QUESTIONS, (base_url, campaigns_url, workflows_url, business_url, ai_url), strict=True)
    )
    _check_options(urls, agent_id or "", line or [])
    known = config_settings.load_config()
    name = config_settings.check_name(_usual_name(known, urls["base_url"]) if profile is None else profile)
    before = known.profiles.get(name)
    is_tty = sys.stdin.isatty()
    if rotate and (before is None or any(urls.values()) or agent_id is not None or line):
        words = f"--rotate needs an existing profile, and changes only its credentials; for {name}, omit it"
        raise CommandFailed(INPUT_WRONG, words)
    if keyring and before is not None and before.credentials_command:
        words = f"--keyring: {name} has a credentials_command; remove it from config.toml first"
        raise CommandFailed(INPUT_WRONG, words)
    asks_all = is_tty and not rotate
    try:
        hosts = _hosts(urls, before, asks_all)
        if rotate:
            given = config_settings.Profile(name, hosts)
            config_credentials.check_origins(given, config_credentials.read_stored(name).origins)
        commanded = run_command(before, os.environ) if before is not None else {}
        printed = commanded.pop(config_credentials.TEAM_PASSWORD, None)
        is_unchanged = not is_tty and not commanded and printed is None and not _names_secrets(os.environ)
        changes = (*urls.values(), agent_id, line, keyring, default or None)
        if is_unchanged and before is not None and all(each is None for each in changes):
            raise CommandFailed(INPUT_WRONG, _NOT_READ)
        stored = _stored(name, before)
        credentials = _credentials(stored, hosts, is_tty, commanded)
        new = replace(before, hosts=hosts) if before is not None else config_settings.Profile(name, hosts)
        if keyring is not None:
            new = replace(new, keyring=keyring)
        own = (
            prompts.parse_agent_id(agent_id)
            if agent_id is not None
            else prompts.ask_agent_id(new.agent_id, asks_all)
        )
        labels = prompts.parse_labels(line) if line is not None else prompts.ask_labels(asks_all)
        new = replace(new, agent_id=own, lines=new.lines | labels)
        credentials = replace(credentials, public=config_credentials.public_ids(new))
        may_ask = is_tty and not store_anyway and not commanded
        tried = _try_until_accepted(new, credentials, known.settings, may_ask=may_ask)
        if (
            tried.status
            and not store_anyway
            and not (asks_all and typer.confirm("Save it anyway?", default=False))
        ):
            print("Nothing was saved.")
            return tried.status
        if before is not None and not store_anyway and not tried.status:
            _check_account(tried, known.settings, is_tty=is_tty)
        team_password = None
        if tried.profile.team is not None:
            from frontdesk.app.login_team import find_team_password

            team = tried.profile.team
            team_password = find_team_password(team, stored, printed, is_tty=is_tty, tries=not store_anyway)
    except (KeyboardInterrupt, EOFError, typer.Abort):
        print("\nNothing was saved.", file=sys.stderr)
        return INTERRUPTED
    shown = config_credentials.describe_hidden_cookie_parts(tried.credentials)
    short = config_credentials.short_words(tried.credentials)
    not_stored: Any = dict.fromkeys(commanded)
    tried.credentials = replace(tried.credentials, **not_stored)
    saved_password = team_password if printed is None else None
    where, secret_file = save_account(
        tried.profile,
        tried.credentials,
        saved_password,
        make_default=default or known.default_profile is None,
    )
    place = "the system's keyring" if tried.profile.keyring else f"{secret_file} (readable only by you)"
    print(f"Saved profile {name} in {where} and its credentials in {place}")
    if is_unchanged:
        print("Kept the credentials saved before, because standard input isn't a terminal.")
    if before is not None and before.keyring and not tried.profile.keyring:
        _remove_old_entry(name)
    print_line(f"Of your Cookie, {shown}.")
    if short:
        print_line(f"{short[0].upper()}{short[1:]}.")
    return 0


def _names_secrets(environ: Mapping[str, str]) -> bool:
    return any(environ.get(variable, "").strip() for variable in config_credentials.ENVIRONMENT.values())


def _check_account(tried: "_Tried", settings: config_settings.Settings, *, is_tty: bool) -> None:
    """Ask before another account's data would be mixed with what the profile's store has.

    Raises:
        CommandFailed: the answer is no, or nobody can be asked.
    """
    from frontdesk.app.account_check import looks_like_another_account

    folder = config_settings.data_dir(tried.profile)
    if not looks_like_another_account(tried.profile, tried.credentials, settings, folder):
        return
    name = tried.profile.name
    print_line(
        f"This looks like another account: it has none of the tasks that profile {name} has stored. To keep "
        f"both, run `frontdesk login NEWNAME`; to start {name} over, run `frontdesk forget {name}` first."
    )
    if not is_tty:
        raise CommandFailed(
            CREDENTIALS, "nothing was saved: it looks like another account; to save it anyway, add --store-anyway"
        )
    if not typer.confirm("Mix both accounts in one store?", default=False):
        raise CommandFailed(CREDENTIALS, "nothing was saved")


class _Tried:
    """A profile and credentials, and the exit status of their check."""

    def __init__(
        self, profile: config_settings.Profile, credentials: config_credentials.CredentialSet, status: int
    ) -> None:
        self.profile = profile
        self.credentials = credentials
        self.status = status


def _usual_name(known: config_settings.Config, base_url: str | None) -> str:
    """Return the name of the profile that every other command uses; `default` where there is none yet.

    Raises:
        CommandFailed: there are several, or the address is another profile's or new.
    """
    named = os.environ.get("FRONTDESK_PROFILE") or known.default_profile
    if named is not None or not known.profiles:
        name = named or FIRST_NAME
    elif len(known.profiles) == 1:
        (name,) = known.profiles
    else:
        names = ", ".join(sorted(known.profiles))
        raise CommandFailed(INPUT_WRONG, f"several profiles ({names}) and no default; run `frontdesk login NAME`")
    url = base_url or os.environ.get(environment_name("base_url"))
    before = known.profiles.get(name)
    if url and before is not None and check_url(url, "base_url") != before.hosts.base_url:
        raise CommandFailed(
            INPUT_WRONG,
            f"profile {name} has another address; to change it, run `frontdesk login {name}`, and to add "
            "a profile, `frontdesk login NAME`",
        )
    return name


def _check_options(urls: Mapping[str, str | None], agent_id: str, lines: Sequence[str]) -> None:
    """Refuse wrong options before anything is asked."""
    for key, url in urls.items():
        option = f"--{key.replace('_', '-')}"
        if url is not None and not url.strip():
            raise CommandFailed(INPUT_WRONG, f"{option} can't be empty; omit it or enter an address")
        given, where = (
            (url, option) if url is not None else (os.environ.get(environment_name(key)), environment_name(key))
        )
        if given:
            check_url(given, where)
    for kind, variable in config_credentials.ENVIRONMENT.items():
        if os.environ.get(variable, "").strip():
            config_credentials.check_secret(kind, os.environ[variable])
    prompts.parse_agent_id(agent_id)
    prompts.parse_labels(lines)


def _hosts(
    options: Mapping[str, str | None], before: config_settings.Profile | None, is_tty: bool
) -> config_settings.Hosts:
    """Take options first, then the environment, then answers."""
    found: dict[str, str] = {}
    for key, question in prompts.QUESTIONS.items():
        named = options[key] or os.environ.get(environment_name(key))
        stored = getattr(before.hosts, key) if before is not None else ""
        if named is None and key == "base_url" and not is_tty and not stored:
            raise CommandFailed(INPUT_WRONG, "no address; add --base-url https://…, or run this in a terminal")
        found[key] = named or prompts.ask(question, stored or found.get("base_url", ""), is_tty)
        if is_tty and named is None:
            prompts.check_address(key, found)
    return config_settings.parse_hosts(found)


def _stored(name: str, before: config_settings.Profile | None) -> config_credentials.StoredCredentials:
    """Return what the last login saved; if the keyring fails, say so and let new credentials be entered."""
    stored = config_credentials.read_stored(name)
    if before is None or not before.keyring:
        return stored
    try:
        found = read_keyring(name, os.environ)
        password = found.pop(config_credentials.TEAM_PASSWORD, stored.team_password)
        return replace(stored, secrets={**stored.secrets, **found}, team_password=password)
    except config_credentials.SecretError as error:
        print_error(error)
        return stored


def _credentials(
    stored: config_credentials.StoredCredentials,
    hosts: config_settings.Hosts,
    is_tty: bool,
    commanded: Mapping[str, config_credentials.Secret],
) -> config_credentials.CredentialSet:
    """Take each secret from the profile's command, the environment, a hidden prompt, or what was saved."""
    kept = _saved_for(stored, hosts, is_tty)
    found: dict[str, Any] = {}
    for kind, label in prompts.LABELS.items():
        variable = config_credentials.ENVIRONMENT[kind]
        saved = kept.get(kind)
        if kind in commanded:
            found[kind] = commanded[kind]
        elif os.environ.get(variable, "").strip():
            found[kind] = config_credentials.check_secret(kind, os.environ[variable])
        elif is_tty:
            found[kind] = prompts.ask_secret(kind, saved, "the saved one")
        else:
            found[kind] = saved
        if found[kind] is None and kind != "bearer":
            raise CommandFailed(INPUT_WRONG, f"missing {label}; set {variable}, or run this in a terminal")
    return config_credentials.CredentialSet(**found)


def _saved_for(
    saved: config_credentials.StoredCredentials, hosts: config_settings.Hosts, is_tty: bool
) -> Mapping[str, config_credentials.Secret]:
    """Return the saved credentials if they were entered for these hosts, or the person says they are for them."""
    others = origins(hosts) - saved.origins
    if not saved.secrets or not others:
        return saved.secrets
    known = ", ".join(sorted(saved.origins)) or "addresses that weren't recorded"
    print_line(f"The saved credentials were entered for {known}.")
    question = f"Send them to {', '.join(sorted(others))}?"
    return saved.secrets if is_tty and typer.confirm(question, default=False) else {}


def _try_until_accepted(
    profile: config_settings.Profile,
    credentials: config_credentials.CredentialSet,
    settings: config_settings.Settings,
    *,
    may_ask: bool,
) -> _Tried:
    """Read once from each host; ask again for what was wrong until all is right or nothing is changed."""
    from frontdesk.app.host_checks import HostFault, check_hosts, failed_checks, failure_words

    while True:
        checks = check_hosts(profile, credentials, settings)
        failed = failed_checks(checks)
        if not failed:
            for each in checks:
                if each.fault is not HostFault.NONE:
                    print_error(each.words)
            print(f"Signed in: {profile.hosts.business_url} accepted the credentials.")
            return _Tried(profile, credentials, 0)
        print_error(f"can't sign in: {failure_words(failed)}")
        # Refused credentials weigh less than an address where nobody could judge them.
        again = _Tried(profile, credentials, failed[0].status)
        if not may_ask:
            return again
        hosts = _ask_hosts_again(profile.hosts, [each for each in failed if each.fault is HostFault.ADDRESS])
        refused = [each for each in failed if each.fault is HostFault.CREDENTIALS]
        secrets = _ask_secrets_again(credentials, refused) if refused else credentials
        if hosts == profile.hosts and secrets == credentials:
            return again
        profile, credentials = replace(profile, hosts=hosts), secrets


def _ask_hosts_again(hosts: config_settings.Hosts, failed: "Sequence[HostCheck]") -> config_settings.Hosts:
    found = {key: getattr(hosts, key) for key in prompts.QUESTIONS}
    for url in dict.fromkeys(each.url for each in failed):
        keys = [key for key in prompts.QUESTIONS if found[key] == url]
        from_environment = [environment_name(key) for key in keys if os.environ.get(environment_name(key))]
        if from_environment:
            print_error(f"{from_environment[0]} is set and beats the profile; correct or unset it")
        elif keys:
            found[keys[0]] = prompts.ask(prompts.QUESTIONS[keys[0]], url, is_tty=True)
            prompts.check_address(keys[0], found)
            found |= dict.fromkeys(keys, found[keys[0]])
    return config_settings.parse_hosts(found)


def _ask_secrets_again(
    credentials: config_credentials.CredentialSet, refused: "Sequence[HostCheck]"
) -> config_credentials.CredentialSet:
    from frontdesk.app.host_checks import secrets_in_doubt

    found: dict[str, Any] = {}
    for kind in secrets_in_doubt({each.message for each in refused}):
        variable = config_credentials.ENVIRONMENT[kind]
        if os.environ.get(variable, "").strip():
            print_error(f"{variable} is set and beats the profile; correct or unset it")
        else:
            found[kind] = prompts.ask_secret(kind, getattr(credentials, kind), "the one just tried")
    return replace(credentials, **found)


def _remove_old_entry(name: str) -> None:
    try:
        remove_from_keyring(name)
    except config_credentials.SecretError as error:
        print_error(error)
