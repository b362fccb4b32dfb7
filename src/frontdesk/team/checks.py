"""Checks of a profile's team, for `frontdesk team doctor` and for one line of `frontdesk doctor`."""

import asyncio
import importlib.util
from collections.abc import Iterator, Mapping

from frontdesk.cli.check_result import CheckResult, check_clock, fail, ok, warn
from frontdesk.cli.errors import INPUT_WRONG, REFUSED, CommandFailed, status_of
from frontdesk.config.credentials import SecretError, load_team_password
from frontdesk.config.settings import Profile
from frontdesk.config.team import RelayAddress, TeamSettings
from frontdesk.relay.connection import NO_LIBRARY, RelayError, RelayRefused, parse_address
from frontdesk.relay.records import ALL_LINES, SCHEMA_VERSION, VERSION, Account
from frontdesk.relay.status import TeamStatus, read_status
from frontdesk_api.contract.ids import LineId
from frontdesk_lines.display_text import counted

ASK_OWNER = "ask the person who set up the team to run `frontdesk team init` again"

MAX_CLOCK_SECONDS = 5.0
"""How far a desk's clock may be from the server's before doctor warns."""


def team_address(url: str) -> RelayAddress:
    """Parse a relay's URL.

    Raises:
        CommandFailed: it can't be used, or the package that connects isn't installed.
    """
    if importlib.util.find_spec("asyncpg") is None:
        raise CommandFailed(INPUT_WRONG, NO_LIBRARY)
    try:
        return parse_address(url)
    except RelayRefused as error:
        raise CommandFailed(INPUT_WRONG, str(error)) from None


def read_team(profile: Profile, team: TeamSettings, environ: Mapping[str, str]) -> TeamStatus:
    """Read the status of a profile's team, as the profile's person.

    Raises:
        CommandFailed, SecretError, RelayError: it can't be read.
    """
    address = team_address(team.url)
    password = load_team_password(profile, environ)
    return asyncio.run(read_status(address, password.reveal() if password is not None else "", team.account))


def summarize_team(profile: Profile, team: TeamSettings, environ: Mapping[str, str]) -> CheckResult:
    try:
        status = read_team(profile, team, environ)
    except (CommandFailed, SecretError, RelayError) as error:
        return fail("team", str(error), status_of(error) or REFUSED)
    leader = _leader(status)
    where = f"{team.account} at {team.server}, {counted(len(status.desks), 'desk')}"
    return leader._replace(subject="team", words=f"{where}; {leader.words}")


def check_team(profile: Profile, team: TeamSettings, environ: Mapping[str, str]) -> Iterator[CheckResult]:
    """Check the server, this person's rights, the clocks and the leader."""
    try:
        status = read_team(profile, team, environ)
    except (CommandFailed, SecretError, RelayError) as error:
        yield fail("server", str(error), status_of(error) or REFUSED)
        return
    pooler = ", behind a pooler: this machine asks once a second for news" if status.is_pooled else ""
    yield ok("server", f"{team.server}, PostgreSQL {status.server_version}{pooler}")
    secured = f"{status.tls}, the server's certificate was checked" if status.tls else "not needed on this machine"
    yield ok("tls", secured)
    yield _password(status, team_address(team.url))
    yield _schema(status.account)
    yield _safety(status)
    yield _rights(profile, status.account)
    yield _polling(team, status.account)
    remedy = "synchronize both with a time server"
    yield check_clock(status.account.offset, "the server's", MAX_CLOCK_SECONDS, remedy)
    yield ok("epoch", f"{status.account.epoch[:8]}, position {status.account.position:,}")
    yield _leader(status)


def _password(status: TeamStatus, address: RelayAddress) -> CheckResult:
    if status.was_asked_for_password:
        return ok("password", "checked with SCRAM, so it is never sent")
    if address.is_socket:
        return ok(
            "password", "the server didn't ask for one; it identifies you by your user on this machine (peer)"
        )
    return warn(
        "password",
        "the server didn't ask for one, so anyone who reaches it can act as you; ask its administrator to "
        "set scram-sha-256 in its pg_hba.conf",
    )


def _schema(account: Account) -> CheckResult:
    if account.min_writer > VERSION:
        return warn("schema", f"the team no longer accepts version {VERSION}; update frontdesk")
    if account.schema < SCHEMA_VERSION:
        return warn("schema", f"the database is of an older frontdesk, so this one works alone; {ASK_OWNER}")
    return ok("schema", f"version {VERSION}")


def _safety(status: TeamStatus) -> CheckResult:
    """Check what keeps one person of the team from harming the others."""
    if status.is_public_open:
        return warn("safety", f"anyone who may connect can create functions in the schema public; {ASK_OWNER}")
    if not status.is_limited:
        return warn(
            "safety", f"this role's open transactions have no time limit and can block others; {ASK_OWNER}"
        )
    return ok("safety", "only the owner can create functions in the schema public, and your role has time limits")


def _rights(profile: Profile, account: Account) -> CheckResult:
    names = [profile.lines.get(LineId(each), each) for each in sorted(account.lines)]
    lines = "all lines" if ALL_LINES in account.lines else f"{counted(len(names), 'line')}: {', '.join(names)}"
    if account.agent_id and profile.agent_id and account.agent_id != profile.agent_id:
        return warn(
            "rights",
            f"{lines}; the team knows you as {account.agent_id}, your profile as {profile.agent_id}: correct "
            "agent_id in config.toml, or ask the person who runs `frontdesk team add`",
        )
    return ok("rights", f"{lines}, {account.agent_id or 'no agent id'}")


def _polling(team: TeamSettings, account: Account) -> CheckResult:
    if account.may_poll and ALL_LINES not in account.lines:
        return warn(
            "polling", "this role may poll, but doesn't see all lines; another machine must poll for the team"
        )
    if not account.may_poll:
        return ok("polling", "this machine may not poll for the team; another one has to")
    if not team.may_poll:
        return ok("polling", 'this machine leaves polling for the team to others: poll = "never"')
    return ok("polling", f"this machine may poll for the team, {account.budget_per_minute:,} requests a minute")


def _leader(status: TeamStatus) -> CheckResult:
    if status.leader is not None:
        return ok("leader", f"{status.leader.name} polls for the team")
    return warn("leader", "nobody polls for the team; start frontdesk on a machine that may (`--may-poll`)")
