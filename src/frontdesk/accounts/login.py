"""`frontdesk login`: asks for hosts and credentials, tries them with one read each, stores a profile.

What was wrong is asked again; nothing is stored before it works. Secrets are never options: arguments are visible
to every user of the machine.

The team's password at `frontdesk login`: asked for, tried once, and asked for again if it was refused.

A team that can't be reached doesn't stop a login: the desk works alone then.
"""

import asyncio
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from frontdesk.accounts.account_form import (
    ACCOUNT,
    BASE,
    FIRST_NAME,
    MIX_ACCOUNTS,
    OTHER_ADDRESSES,
    AccountForm,
    TrialResult,
)
from frontdesk.cli.errors import CREDENTIALS, INPUT_WRONG, INTERRUPTED, CommandFailed, print_error
from frontdesk.cli.output import print_line
from frontdesk.cli.prompts import ask
from frontdesk.config import credentials as config_credentials
from frontdesk.config import settings as config_settings
from frontdesk.config.account_writer import save_account
from frontdesk.config.credential_sources import read_keyring, remove_from_keyring, run_command
from frontdesk.config.credentials import (
    ENVIRONMENT,
    TEAM_PASSWORD,
    StoredCredentials,
    check_team_password,
    given_team_password,
)
from frontdesk.config.hosts import HOST_KEYS, check_url, origins
from frontdesk.config.team import TeamSettings
from frontdesk.relay.connection import PasswordRefused, RelayError
from frontdesk.relay.status import read_status
from frontdesk.team.checks import team_address
from frontdesk.text.questions import Question, fault_of
from frontdesk_api.contract.ids import LineId
from frontdesk_api.credentials import Secret
from frontdesk_api.hosts import Hosts


def find_team_password(
    team: TeamSettings, stored: StoredCredentials, printed: Secret | None, *, is_tty: bool, tries: bool
) -> Secret | None:
    """Take the password from the profile's program, the environment, a hidden prompt, or what was saved.

    Args:
        printed: by the profile's program.
        tries: whether to log in with it once.

    Raises:
        SecretError: the environment's can't be used.
    """
    kept = stored.team_password if stored.team_server == team.server else None
    given = printed or given_team_password(os.environ)
    may_ask = is_tty and given is None
    password = given or (_ask(team, kept, "the saved one") if may_ask else kept)
    while tries and (refusal := _try(team, password)):
        print_error(refusal)
        if not may_ask:
            break
        again = _ask(team, password, "the one just tried")
        if again == password:
            break
        password = again
    return password


def _ask(team: TeamSettings, kept: Secret | None, kept_words: str) -> Secret | None:
    question = Question(
        TEAM_PASSWORD,
        "Team password",
        f"Team password of {team.server}{'' if kept else ' (enter for none)'}",
        fault=fault_of(check_team_password),
        is_secret=True,
    )
    typed = ask(question, kept.reveal() if kept is not None else "", kept_words)
    return check_team_password(typed) if typed else None


def _try(team: TeamSettings, password: Secret | None) -> str:
    """Log in once; returns why another password is needed, and reports every other failure."""
    try:
        address = team_address(team.url)
        asyncio.run(read_status(address, password.reveal() if password is not None else "", team.account))
    except PasswordRefused:
        if password is None:
            return f"{team.server} wants a password for the team; set PGPASSWORD, or run this in a terminal"
        return f"{team.server} refused the team password"
    except (RelayError, CommandFailed) as error:
        print_error(f"couldn't try the team: {error}")
    else:
        print_line(f"Joined the team {team.account} at {team.server}.")
    return ""


_NOT_READ = (
    "nothing was changed: credentials aren't read from a pipe or a file; run this in a terminal, or set "
    + ", ".join(ENVIRONMENT.values())
)


def _parse_labels(pairs: Iterable[str]) -> dict[LineId, str]:
    """Return the labels of lines by id, from texts such as `972501234567=Support`; empty ones are passed over.

    Raises:
        ValueError: one isn't `id=label`.
    """
    labels: dict[LineId, str] = {}
    for pair in filter(str.strip, pairs):
        line_id, _, label = (part.strip() for part in pair.partition("="))
        if not (line_id and label):
            raise ValueError(f"{pair.strip()!r}: write a line as id=label; nothing was saved")
        labels[LineId(line_id)] = label
    return labels


_LINES = Question(
    "lines",
    "Lines",
    "Lines as id=label, separated by commas (optional)",
    fault=fault_of(lambda typed: _parse_labels(typed.split(","))),
)


def _address_for(part: str) -> Any:
    return typer.Option(metavar="URL", help=f"For {part}. Default: the base URL.")


def login(
    profile: Annotated[
        str | None,
        typer.Argument(metavar="[PROFILE]", help="The profile's name. Default: the one other commands use."),
    ] = None,
    base_url: Annotated[str | None, typer.Option(metavar="URL", help="The platform's address.")] = None,
    campaigns_url: Annotated[str | None, _address_for("campaigns")] = None,
    workflows_url: Annotated[str | None, _address_for("workflows")] = None,
    business_url: Annotated[str | None, _address_for("tasks")] = None,
    ai_url: Annotated[str | None, _address_for("AI agents")] = None,
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
    urls = dict(zip(HOST_KEYS, (base_url, campaigns_url, workflows_url, business_url, ai_url), strict=True))
    given = _given({**urls, "agent_id": agent_id})
    try:
        given_labels = None if line is None else _parse_labels(line)
    except ValueError as error:
        raise CommandFailed(INPUT_WRONG, str(error)) from None
    known = config_settings.load_config()
    name = config_settings.check_name(_usual_name(known, given.get(BASE)) if profile is None else profile)
    before = known.profiles.get(name)
    is_tty = sys.stdin.isatty()
    changes = (*urls.values(), agent_id, line)
    if rotate and (before is None or any(each is not None for each in changes)):
        words = f"--rotate needs an existing profile, and changes only its credentials; for {name}, omit it"
        raise CommandFailed(INPUT_WRONG, words)
    if keyring and before is not None and before.credentials_command:
        words = f"--keyring: {name} has a credentials_command; remove it from config.toml first"
        raise CommandFailed(INPUT_WRONG, words)
    asks_all = is_tty and not rotate
    form = AccountForm(typed={"name": name})
    try:
        kept = {key: getattr(before.hosts, key) for key in HOST_KEYS} if before is not None else {}
        _fill(form, HOST_KEYS, given, kept, asks=asks_all)
        hosts = config_settings.parse_hosts(form.typed)
        new = replace(before or config_settings.Profile(name, hosts), hosts=hosts)
        if rotate:
            config_credentials.check_origins(new, config_credentials.read_stored(name).origins)
        commanded = run_command(before, os.environ) if before is not None else {}
        printed = commanded.pop(config_credentials.TEAM_PASSWORD, None)
        is_unchanged = not is_tty and not commanded and printed is None and given.keys().isdisjoint(ENVIRONMENT)
        is_bare = all(each is None for each in (*changes, keyring, default or None))
        if is_unchanged and before is not None and is_bare:
            raise CommandFailed(INPUT_WRONG, _NOT_READ)
        stored = _stored(name, before)
        secrets = _saved_for(stored, hosts, is_tty)
        given |= {kind: each.reveal() for kind, each in commanded.items()}
        kept = {kind: each.reveal() for kind, each in secrets.items()} | {"agent_id": new.agent_id or ""}
        _fill(form, ENVIRONMENT, given, kept, asks=is_tty)
        _fill(form, ["agent_id"], given, kept, asks=asks_all)
        labels = _parse_labels(ask(_LINES).split(",")) if given_labels is None and asks_all else given_labels or {}
        in_keyring = new.keyring if keyring is None else keyring
        form.renews = replace(new, keyring=in_keyring, lines=new.lines | labels)
        folder = config_settings.data_dir(new) if before is not None and not store_anyway else None
        may_ask = is_tty and not store_anyway and not commanded
        result = _try_until_accepted(form, known.settings, folder, may_ask=may_ask)
        may_save = not result.failed or store_anyway
        if not may_save and not (asks_all and typer.confirm("Save it anyway?", default=False)):
            print("Nothing was saved.")
            return result.failed[0].status
        if result.is_other_account:
            _confirm_other_account(name, is_tty=is_tty)
        new, credentials = form.account().profile, form.account().credentials
        team_password = None
        if new.team is not None:
            team_password = find_team_password(new.team, stored, printed, is_tty=is_tty, tries=not store_anyway)
    except (KeyboardInterrupt, EOFError, typer.Abort):
        print("\nNothing was saved.", file=sys.stderr)
        return INTERRUPTED
    not_stored: Any = dict.fromkeys(commanded)
    where, secret_file = save_account(
        new,
        replace(credentials, **not_stored),
        team_password if printed is None else None,
        make_default=default or known.default_profile is None,
    )
    place = "the system's keyring" if new.keyring else f"{secret_file} (readable only by you)"
    print(f"Saved profile {name} in {where} and its credentials in {place}")
    if is_unchanged:
        print("Kept the credentials saved before, because standard input isn't a terminal.")
    if before is not None and before.keyring and not new.keyring:
        _remove_old_entry(name)
    print_line(f"Of your Cookie, {config_credentials.describe_hidden_cookie_parts(credentials)}.")
    if short := config_credentials.short_words(credentials):
        print_line(f"{short[0].upper()}{short[1:]}.")
    return 0


def _given(options: Mapping[str, str | None]) -> dict[str, str]:
    """Return the answers of options and, where one isn't given, of the environment.

    Raises:
        CommandFailed: one can't be used.
    """
    found: dict[str, str] = {}
    for key, question in ACCOUNT.items():
        answer, where = options.get(key), question.option
        if answer is not None and not answer.strip() and key in HOST_KEYS:
            raise CommandFailed(INPUT_WRONG, f"{where} can't be empty; omit it or enter an address")
        if answer is None and question.variable:
            answer, where = os.environ.get(question.variable, "").strip() or None, question.variable
        if answer is None:
            continue
        if answer.strip() and (fault := question.fault(answer)):
            raise CommandFailed(CREDENTIALS if question.is_secret else INPUT_WRONG, f"{where}: {fault}")
        found[key] = answer
    return found


def _fill(
    form: AccountForm, keys: Iterable[str], given: Mapping[str, str], kept: Mapping[str, str], *, asks: bool
) -> None:
    """Take each answer as it is given, typed at a prompt, or kept; an address that is neither is the platform's.

    Raises:
        CommandFailed: a required one is missing.
    """
    for key in keys:
        question = form.questions[key]
        usual = kept.get(key, "") or (form.value(BASE) if key in OTHER_ADDRESSES else "")
        if key in given:
            form.typed[key] = given[key]
        elif asks:
            form.typed[key] = ask(question, usual)
        elif usual or not question.is_required:
            form.typed[key] = usual
        else:
            way = f"add {question.option}" if question.option else f"set {question.variable}"
            raise CommandFailed(INPUT_WRONG, f"missing {question.asked}; {way}, or run this in a terminal")


def _confirm_other_account(name: str, *, is_tty: bool) -> None:
    """Ask before another account's data would be mixed with what the profile's store has.

    Raises:
        CommandFailed: the answer is no, or nobody can be asked.
    """
    print_line(
        f"This looks like another account: it has none of the tasks that profile {name} has stored. To keep "
        f"both, run `frontdesk login NEWNAME`; to start {name} over, run `frontdesk forget {name}` first."
    )
    if not is_tty:
        raise CommandFailed(
            CREDENTIALS, "nothing was saved: it looks like another account; to save it anyway, add --store-anyway"
        )
    if not typer.confirm(MIX_ACCOUNTS, default=False):
        raise CommandFailed(CREDENTIALS, "nothing was saved")


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
    before = known.profiles.get(name)
    if base_url and before is not None and check_url(base_url, "base_url") != before.hosts.base_url:
        raise CommandFailed(
            INPUT_WRONG,
            f"profile {name} has another address; to change it, run `frontdesk login {name}`, and to add "
            "a profile, `frontdesk login NAME`",
        )
    return name


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


def _saved_for(saved: config_credentials.StoredCredentials, hosts: Hosts, is_tty: bool) -> Mapping[str, Secret]:
    """Return the saved credentials if they were entered for these hosts, or the person says they are for them."""
    others = origins(hosts) - saved.origins
    if not saved.secrets or not others:
        return saved.secrets
    known = ", ".join(sorted(saved.origins)) or "addresses that weren't recorded"
    print_line(f"The saved credentials were entered for {known}.")
    question = f"Send them to {', '.join(sorted(others))}?"
    return saved.secrets if is_tty and typer.confirm(question, default=False) else {}


def _try_until_accepted(
    form: AccountForm, settings: config_settings.Settings, folder: Path | None, *, may_ask: bool
) -> TrialResult:
    """Try the account; ask again for what was wrong until all is right or nothing is changed."""
    from frontdesk.accounts.account_trial import try_account
    from frontdesk.accounts.host_checks import HostFault

    while True:
        form.confirmed = origins(config_settings.parse_hosts(form.typed))
        account, typed = form.account(), dict(form.typed)
        result = try_account(settings, account, folder, print_error)
        if not result.failed:
            for each in result.checks:
                if each.fault is not HostFault.NONE:
                    print_error(each.words)
            print(f"Signed in: {account.profile.hosts.business_url} accepted the credentials.")
            return result
        print_error(f"can't sign in: {result.failure_words()}")
        if may_ask:
            _ask_again(form, account.profile.hosts, result)
        # Refused credentials weigh less than an address where nobody could judge them.
        if form.typed == typed:
            return result


def _ask_again(form: AccountForm, hosts: Hosts, result: TrialResult) -> None:
    """Ask for the addresses that failed, each once for all its hosts, and for the credentials in doubt."""
    from frontdesk.accounts.host_checks import HostFault, secrets_in_doubt

    wrong = dict.fromkeys(each.url for each in result.failed if each.fault is HostFault.ADDRESS)
    groups = [[key for key in HOST_KEYS if getattr(hosts, key) == url] for url in wrong]
    refused = [each.message for each in result.failed if each.fault is HostFault.CREDENTIALS]
    for keys in [*groups, *([kind] for kind in secrets_in_doubt(refused) if refused)]:
        variables = [form.questions[key].variable for key in keys]
        if named := [each for each in variables if os.environ.get(each, "").strip()]:
            print_error(f"{named[0]} is set and beats the profile; correct or unset it")
        else:
            answer = ask(form.questions[keys[0]], form.value(keys[0]), "the one just tried")
            form.typed |= dict.fromkeys(keys, answer)


def _remove_old_entry(name: str) -> None:
    try:
        remove_from_keyring(name)
    except config_credentials.SecretError as error:
        print_error(error)
