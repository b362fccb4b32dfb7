"""`frontdesk team`: sets up the relay of a team, and shows who takes part (docs/team.md)."""

import getpass
import json
import os
import shlex
import sys
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, TypeVar
from urllib.parse import quote, urlsplit

import typer

from frontdesk.cli.errors import CREDENTIALS, INPUT_WRONG, CommandFailed
from frontdesk.cli.options import AsObject, Yes, group
from frontdesk.cli.output import print_json, print_line, print_record, print_table
from frontdesk.config.credential_sources import add_outside_credentials
from frontdesk.config.settings import NoProfile, Profile, check_agent_id, load_config, resolve_profile
from frontdesk.config.team import EXAMPLE, RelayAddress, TeamSettings, check_account, check_team_url
from frontdesk.relay.connection import PasswordRefused
from frontdesk.relay.records import ALL_LINES
from frontdesk_api.redaction import KNOWN
from frontdesk_lines.display_text import counted

if TYPE_CHECKING:
    import asyncpg

    from frontdesk.relay.admin import Forgotten, InitOptions, InitResult
    from frontdesk.relay.people import AddedPerson
    from frontdesk.relay.status import TeamStatus

ResultT = TypeVar("ResultT")

OWNER = "postgres"
OWNER_EXAMPLE = "postgresql://postgres@db/frontdesk"
OWNER_PASSWORD = "enter it when prompted, or set PGPASSWORD"

app = group("Share one poller in a team: set up, add people, see status.")

Url = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help=f"Connection URL of the database owner, such as {OWNER_EXAMPLE}. Default: the profile's team,"
        f" as the role {OWNER}.",
    ),
]
Account = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The team's account. Default: the profile's, or the database's only one."),
]


@app.command()
def init(
    url: Annotated[
        str, typer.Argument(metavar="URL", help=f"Connection URL of the database owner, such as {OWNER_EXAMPLE}.")
    ],
    account: Annotated[str, typer.Option(metavar="NAME", help="The account to add, or to change.")],
    budget: Annotated[
        int | None,
        typer.Option(min=1, max=100_000, metavar="N", help="The team's requests a minute. Default: 120."),
    ] = None,
    retention: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=36_500,
            metavar="DAYS",
            help="How long messages are kept; 0: an hour at most. Default: 30 days.",
        ),
    ] = None,
    restored: Annotated[
        bool,
        typer.Option(
            "--restored", help="The database was restored from a backup; all machines load everything again."
        ),
    ] = False,
    as_json: AsObject = False,
) -> None:
    """Prepare a PostgreSQL database for a team, or change an existing account.

    Enter the owner's password when prompted, or set PGPASSWORD. The database must exist.
    """
    from frontdesk.relay.admin import InitOptions, init_account
    from frontdesk.team.checks import team_address

    address, name = team_address(check_team_url(url, "URL", OWNER_PASSWORD)), check_account(account, "--account")
    options = InitOptions(budget, retention, restored)
    done = _run_as_owner(address, lambda connection: init_account(connection, name, options))
    if as_json:
        print_json({"account": name, **asdict(done)})
        return
    where = f"{address.database} at {address.name or 'this machine'}"
    has_tables = f"{where} already has the team's tables."
    print_line(f"Created the team's tables in {where}." if done.is_new_schema else has_tables)
    days = counted(done.retention_days, "day") if done.retention_days else "an hour at most"
    requests = counted(done.budget_per_minute, "request")
    print_line(f"{_account_words(name, done, options)}: {requests} a minute, messages are kept for {days}.")
    if restored:
        print_line("All machines will load everything again.")
    if done.is_public_closed:
        print_line("Only the owner can now create objects in the schema public; before, anyone could.")
    if done.still_connected:
        names = ", ".join(done.still_connected)
        print_line(f"The open connections of {names} couldn't be closed; ask these people to restart frontdesk.")
    if done.is_new_account:
        print_line(f"To add a person, run: frontdesk team add NAME --url {shlex.quote(url)} --account {name}")


def _account_words(name: str, done: "InitResult", options: "InitOptions") -> str:
    if done.is_new_account:
        return f"Added the account {name}"
    settings = (("budget", options.budget_per_minute), ("retention", options.retention_days))
    if named := [what for what, value in settings if value is not None]:
        return f"Changed the {' and the '.join(named)} of the account {name}"
    return f"The account {name} already exists"


@app.command()
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The person's role in PostgreSQL, such as noa.")],
    agent: Annotated[
        str | None, typer.Option("--agent", metavar="ID", help="The person's agent id on the platform.")
    ] = None,
    line: Annotated[
        list[str] | None,
        typer.Option(
            "--line", metavar="ID", help="A line they may see; can be repeated. Default: all lines ('*')."
        ),
    ] = None,
    may_poll: Annotated[
        bool | None,
        typer.Option(
            "--may-poll/--may-not-poll",
            help="Whether their machine may poll the platform for the team; a new person's may not.",
        ),
    ] = None,
    new_password: Annotated[
        bool, typer.Option("--new-password", help="Replace the password of an existing person.")
    ] = False,
    url: Url = None,
    account: Account = None,
    as_json: AsObject = False,
) -> None:
    """Add a person to a team, and print a password and the lines for their config.toml.

    Run it again to change their lines, agent id or polling; options that you omit keep their
    values, and the password doesn't change. Enter the owner's password when prompted, or set PGPASSWORD.
    """
    from frontdesk.relay.people import Grant, add_person

    remedy = "Look at a task assigned to the person: assignedAgentIds in `frontdesk tasks list --json`."
    agent_id = check_agent_id(agent, "--agent", remedy) if agent is not None else None
    wanted = Grant(name, agent_id, None if line is None else tuple(line), may_poll)
    if line is not None and ALL_LINES in line and len(set(line)) > 1:
        raise CommandFailed(
            INPUT_WRONG, "--line '*' already covers all lines; remove it or the other --line options"
        )
    address, owner_url, chosen = _as_owner(url, account)
    person = _run_as_owner(
        address, lambda connection: add_person(connection, chosen, wanted, new_password=new_password)
    )
    if as_json:
        print_json({**asdict(person), "url": _person_url(owner_url, person.role)})
    else:
        _print_person(person, address, owner_url)


@app.command()
def remove(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The person's role in PostgreSQL.")],
    url: Url = None,
    account: Account = None,
    as_json: AsObject = False,
) -> None:
    """Remove a person's rights in a team, end their sessions and drop their role.

    What their machine has stored stays on its disk. Enter the owner's password when prompted, or set PGPASSWORD.
    """
    from frontdesk.relay.people import remove_person

    address, _, chosen = _as_owner(url, account)
    done = _run_as_owner(address, lambda connection: remove_person(connection, chosen, name))
    if as_json:
        print_json({"person": name, **asdict(done)})
        return
    print_line(f"{name} no longer has rights in {done.account}.")
    if done.role_kept_for:
        print_line(f"The role {name} was kept, because {done.role_kept_for}.")
    if done.has_sessions:
        print_line("Its open connections are still up, but no longer see this account.")
    print_line("What their machine has loaded stays on its disk; `frontdesk forget PROFILE` deletes it there.")


@app.command()
def status(
    as_json: AsObject = False,
) -> None:
    """Show which machine polls for the profile's team, and all its machines."""
    from frontdesk.team.checks import read_team

    profile, team, environ = _profile_team()
    found = read_team(profile, team, environ)
    if as_json:
        print_json(_json(found, team))
        return
    leader = found.leader
    print_record(
        [
            ("account", f"{team.account} at {team.server}"),
            ("leader", "nobody polls for the team" if leader is None else leader.name),
            ("budget", f"{counted(found.account.budget_per_minute, 'request')} a minute"),
            ("position", f"{found.account.position:,}"),
        ]
    )
    print()
    if found.desks:
        rows = [(each.name, each.role, each.version, f"{each.lag:,}", _age(each.age)) for each in found.desks]
        print_table(("MACHINE", "ROLE", "VERSION", "BEHIND", "SEEN"), rows)
    else:
        print_line("No machine has joined yet; start frontdesk, or `frontdesk sync`, with a profile of this team.")


@app.command()
def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per check.")] = False,
) -> int:
    """Check the profile's team: server, encryption, rights, clock and leader."""
    from frontdesk.cli.check_result import print_checks
    from frontdesk.team.checks import check_team

    profile, team, environ = _profile_team()
    return print_checks(check_team(profile, team, environ), as_json=as_json)


@app.command()
def forget(
    customer: Annotated[
        str, typer.Argument(metavar="CUSTOMER", help="The customer's id, such as a phone number.")
    ],
    yes: Yes = False,
    url: Url = None,
    account: Account = None,
    as_json: AsObject = False,
) -> None:
    """Delete a customer's tasks, messages and notes from the team's database.

    The journal still says what was done, without the texts. Machines keep what they have stored. Delete the
    customer on the platform first, or the next poll loads them again. Enter the owner's password when prompted,
    or set PGPASSWORD.
    """
    from frontdesk.inbox.customer_lookup import customer_id, national_digits
    from frontdesk.relay.admin import forget_customer, require_account

    if not yes:
        raise CommandFailed(INPUT_WRONG, "nothing was deleted; to delete it, add --yes")
    if national_digits(customer):
        raise CommandFailed(
            INPUT_WRONG, f"{customer!r} has no calling code; add it and try again; nothing was deleted"
        )
    address, _, chosen = _as_owner(url, account)
    customer = customer_id(customer, None) or customer

    async def work(connection: "asyncpg.Connection") -> "Forgotten":
        return await forget_customer(connection, await require_account(connection, chosen), customer)

    done = _run_as_owner(address, work)
    if as_json:
        print_json({"customer": customer, "rows": done.observed, "notes": done.shared, "journal": done.journal})
        return
    if not (done.observed or done.shared or done.journal):
        print_line(f"The team's database has nothing about {customer}.")
        return
    rows, notes = counted(done.observed, "row"), f"{done.shared:,}"
    entries = counted(done.journal, "entry", "entries")
    print_line(f"Deleted {rows} of tasks and messages, and {notes} of notes; emptied {entries} of the journal.")


def _profile_team() -> tuple[Profile, TeamSettings, dict[str, str]]:
    """Return the chosen profile, its team, and the environment with the credentials of its program and keyring."""
    profile = resolve_profile(load_config(), os.environ)
    if profile.team is None:
        raise CommandFailed(
            INPUT_WRONG, f"profile {profile.name} has no team; add [profiles.{profile.name}.team] to config.toml"
        )
    return profile, profile.team, add_outside_credentials(profile, os.environ)


def _as_owner(url: str | None, account: str | None) -> "tuple[RelayAddress, str, str | None]":
    """Return the owner's address, the database's URL and the account: as typed, or the profile's."""
    from frontdesk.team.checks import team_address

    name = None if account is None else check_account(account, "--account")
    if url is not None:
        url = check_team_url(url, "--url", OWNER_PASSWORD)
        return team_address(url), url, name
    try:
        team = resolve_profile(load_config(), os.environ).team
    except NoProfile:
        team = None
    if team is None:
        raise CommandFailed(INPUT_WRONG, f"no profile with a team; name the database with --url {OWNER_EXAMPLE}")
    return team_address(team.url)._replace(user=OWNER), team.url, name or team.account


def _run_as_owner(address: "RelayAddress", work: "Callable[[asyncpg.Connection], Awaitable[ResultT]]") -> ResultT:
    """Do the work as the database's owner; a password is asked for only where the server wants one."""
    from frontdesk.relay.admin import open_as_owner

    async def session(password: str) -> ResultT:
        async with open_as_owner(address, password) as connection:
            return await work(connection)

    password = os.environ.get("PGPASSWORD", "")
    place = address.name or "this machine"
    try:
        return _with_password(session, password)
    except PasswordRefused:
        if password or not sys.stdin.isatty():
            what = "correct PGPASSWORD" if password else "set PGPASSWORD, or run this in a terminal"
            words = f"{place} refused the password of {address.user}; {what}"
            raise CommandFailed(CREDENTIALS, words) from None
    try:
        return _with_password(session, getpass.getpass(f"Password of {address.user} at {place}: "))
    except PasswordRefused:
        raise CommandFailed(CREDENTIALS, f"{place} refused the password of {address.user}; try again") from None


def _with_password(session: Callable[[str], Coroutine[Any, Any, ResultT]], password: str) -> ResultT:
    import asyncio

    if password:
        KNOWN.add([("team_password", password)])
    return asyncio.run(session(password))


def _print_person(person: "AddedPerson", address: "RelayAddress", url: str) -> None:
    some = f"{counted(len(person.lines), 'line')} {', '.join(person.lines)}"
    lines = "all lines" if person.lines == (ALL_LINES,) else some
    polls = "may poll for the team" if person.may_poll else "doesn't poll for the team"
    verb = "Added" if person.is_new else "Changed"
    print_line(f"{verb} {person.role} in {person.account}: {person.agent_id or 'no agent id'}, {lines}, {polls}.")
    if not person.password:
        return
    print_line(f"Password, shown only now: {person.password}")
    print()
    print_line(f"For {person.role}'s config.toml; change the profile's name if theirs differs:")
    print()
    print_line(f"    [profiles.{person.account}.team]")
    print_line(f"    url = {json.dumps(_person_url(url, person.role))}")
    print_line(f'    account = "{person.account}"')
    print()
    print_line(f"Then they run `frontdesk login {person.account} --rotate` and enter the password.")
    if address.is_local:
        print_line(f"This address works on this machine only: elsewhere, write the server's name, as in {EXAMPLE}")


def _person_url(url: str, role: str) -> str:
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=f"{quote(role, safe='')}@{host}").geturl()


def _json(found: "TeamStatus", team: TeamSettings) -> dict[str, object]:
    leader = found.leader
    return {
        "account": team.account,
        "server": team.server,
        "epoch": found.account.epoch,
        "position": found.account.position,
        "budget_per_minute": found.account.budget_per_minute,
        "leader": None if leader is None else {"desk": leader.desk, "name": leader.name},
        "desks": [
            {"name": each.name, "role": each.role, "version": each.version, "behind": each.lag, "age": each.age}
            for each in found.desks
        ],
    }


def _age(seconds: float) -> str:
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds // size:.0f} {unit} ago"
    return f"{max(0.0, seconds):.0f} s ago"
