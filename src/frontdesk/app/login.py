"""`frontdesk login`: asks for hosts and credentials, tries them with one read, stores a profile.

Secrets are never options: arguments are visible to every user of the machine.
"""

import getpass
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

import typer

from frontdesk.api.contract.ids import AgentId, LineId
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed, print_error, status_of
from frontdesk.cli.output import print_line
from frontdesk.config import credentials as config_credentials
from frontdesk.config import settings as config_settings
from frontdesk.config.profile_writer import save_profile

_QUESTIONS = {
    "base_url": "Platform address (messages, tags, webhooks)",
    "campaigns_url": "Address for campaigns",
    "workflows_url": "Address for workflows",
    "business_url": "Address for tasks",
    "ai_url": "Address for AI agents",
}


def login(
    profile: Annotated[str, typer.Argument(metavar="[PROFILE]", help="The profile's name.")] = "default",
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
    agent_id: Annotated[str | None, typer.Option(metavar="ID", help="Your agent id on the platform.")] = None,
    line: Annotated[
        list[str] | None, typer.Option(metavar="ID=LABEL", help="Give a line a label; can be repeated.")
    ] = None,
    store_anyway: Annotated[
        bool, typer.Option("--store-anyway", help="Save the profile even if the check fails.")
    ] = False,
    default: Annotated[bool, typer.Option("--default", help="Make it the default profile.")] = False,
) -> int:
    """Check hosts and credentials, and save them as a profile.

    Enter the credentials when prompted, or set FRONTDESK_COOKIE, FRONTDESK_API_KEY and FRONTDESK_BEARER.
    """
    name = config_settings.check_name(profile)
    known = config_settings.load_config()
    before = known.profiles.get(name)
    is_tty = sys.stdin.isatty()
    urls = {
        "base_url": base_url,
        "campaigns_url": campaigns_url,
        "workflows_url": workflows_url,
        "business_url": business_url,
        "ai_url": ai_url,
    }
    hosts = _hosts(urls, before, is_tty)
    credentials = _credentials(name, is_tty)
    new = replace(before, hosts=hosts) if before is not None else config_settings.Profile(name, hosts)
    own = agent_id if agent_id is not None else _ask("Your agent id (optional)", new.agent_id or "", is_tty)
    question = "Lines as id=label, separated by commas (optional)"
    lines = line if line is not None else _ask(question, "", is_tty).split(",")
    new = replace(new, agent_id=AgentId(own) if own else None, lines=new.lines | _labels(lines))
    credentials = replace(credentials, public=config_credentials.public_ids(new))
    failure = _try_credentials(new, credentials, known.settings)
    if (
        failure is not None
        and not store_anyway
        and not (is_tty and typer.confirm("Save it anyway?", default=False))
    ):
        print("Nothing was saved.")
        return failure
    where = save_profile(new, make_default=default or known.default_profile is None)
    secret_file = config_credentials.save_credentials(name, credentials)
    print(f"Saved profile {name} in {where} and its credentials (readable only by you) in {secret_file}")
    print_line(f"Cookie parts {config_credentials.cookie_words(credentials)}")
    return 0


def _hosts(
    options: Mapping[str, str | None], before: config_settings.Profile | None, is_tty: bool
) -> config_settings.Hosts:
    """Take options first, then the environment, then answers."""
    found: dict[str, str] = {}
    for key, question in _QUESTIONS.items():
        named = options[key] or os.environ.get(f"FRONTDESK_{key.upper()}")
        stored = getattr(before.hosts, key) if before is not None else ""
        if named is None and key == "base_url" and not is_tty and not stored:
            raise CommandFailed(INPUT_WRONG, "no address; add --base-url https://…, or run this in a terminal")
        found[key] = named or _ask(question, stored or found.get("base_url", ""), is_tty)
        if is_tty and named is None:
            _check_address(key, found)
    return config_settings.parse_hosts(found)


def _check_address(key: str, found: dict[str, str]) -> None:
    while True:
        try:
            config_settings.parse_hosts({"base_url": found["base_url"], key: found[key]})
        except config_settings.ConfigError as error:
            print_error(error)
            found[key] = _ask(_QUESTIONS[key], "", is_tty=True)
        else:
            return


def _credentials(name: str, is_tty: bool) -> config_credentials.CredentialSet:
    """Take each secret from the environment, a hidden prompt, or the stored file."""
    stored = config_credentials.load_credentials(config_settings.Profile(name, _NO_HOSTS), {})
    found: dict[str, Any] = {}
    labels = {
        "cookie": "Cookie header (name=token)",
        "api_key": "x-api-key",
        "bearer": "Bearer token, only for deleting webhooks (optional)",
    }
    for kind, label in labels.items():
        variable = config_credentials.ENVIRONMENT[kind]
        saved = getattr(stored, kind)
        if os.environ.get(variable, "").strip():
            found[kind] = config_credentials.check_secret(kind, os.environ[variable])
        elif is_tty:
            found[kind] = _ask_secret(kind, label, saved)
        else:
            found[kind] = saved
        if found[kind] is None and kind != "bearer":
            raise CommandFailed(INPUT_WRONG, f"missing {label}; set {variable}, or run this in a terminal")
    return config_credentials.CredentialSet(**found)


_NO_HOSTS = config_settings.Hosts(*[""] * 5)


def _ask_secret(
    kind: str, label: str, stored: config_credentials.Secret | None
) -> config_credentials.Secret | None:
    while True:
        typed = getpass.getpass(f"{label}{' [keep the saved one]' if stored is not None else ''}: ")
        if not typed.strip() and (stored is not None or kind == "bearer"):
            return stored
        try:
            return config_credentials.check_secret(kind, typed)
        except config_credentials.SecretError as error:
            print_error(error)


def _ask(question: str, default: str, is_tty: bool) -> str:
    if not is_tty:
        return default
    return str(typer.prompt(question, default=default, show_default=bool(default))).strip()


def _labels(pairs: list[str]) -> dict[LineId, str]:
    labels: dict[LineId, str] = {}
    for pair in pairs:
        line_id, _, label = pair.partition("=")
        if pair.strip() and not (line_id.strip() and label.strip()):
            raise CommandFailed(INPUT_WRONG, f"{pair.strip()!r}: write a line as id=label; nothing was saved")
        if pair.strip():
            labels[LineId(line_id.strip())] = label.strip()
    return labels


def _try_credentials(
    profile: config_settings.Profile,
    credentials: config_credentials.CredentialSet,
    settings: config_settings.Settings,
) -> int | None:
    """Read once with the new credentials; return the exit status of a failure."""
    import asyncio

    from frontdesk.api.client.client import PlatformClient
    from frontdesk.api.client.errors import ApiError, CredentialsRefused
    from frontdesk.api.client.retries import ONCE
    from frontdesk.api.contract.tasks import TaskQuery

    async def read() -> None:
        async with PlatformClient(
            profile.hosts, credentials, retry=ONCE, ca_file=settings.ca_file, proxy=settings.proxy
        ) as client:
            await client.list_tasks(TaskQuery(limit=1))

    try:
        asyncio.run(read())
    except ApiError as error:
        # The error's own text advises to run this command.
        why = f"the credentials were refused ({error.status})" if isinstance(error, CredentialsRefused) else error
        print_error(f"can't sign in: {why}")
        return status_of(error)
    print(f"Signed in: {profile.hosts.business_url} accepted the credentials.")
    return None
