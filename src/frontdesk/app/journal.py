"""`frontdesk journal`: what was sent to the platform from the team's desks, or from this one."""

import asyncio
import json
import os
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

import typer

from frontdesk.api.contract.ids import AgentId
from frontdesk.cli.errors import REFUSED, CommandFailed
from frontdesk.cli.output import print_json, print_line, print_table
from frontdesk.cli.store_session import open_store
from frontdesk.config.credential_sources import add_outside_credentials
from frontdesk.config.credentials import load_team_password
from frontdesk.config.settings import Profile, load_config, resolve_profile
from frontdesk.config.team import TeamSettings
from frontdesk.config.time_zone import local_zone
from frontdesk.outbox import queue
from frontdesk.outbox.labels import shown_label
from frontdesk.relay.address import parse_address
from frontdesk.relay.client import RelayClient
from frontdesk.relay.connection import connect
from frontdesk.relay.errors import RelayError
from frontdesk.relay.records import JournalEntry

DEFAULT_LIMIT = 100


@dataclass(frozen=True, slots=True)
class _Written:
    """One change that was sent. `at` is in Unix seconds; `who` is empty for this desk's person."""

    at: float
    who: str
    what: str
    target: str
    before: str
    after: str
    outcome: str


def journal(
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, metavar="N", help="How many entries.")] = (
        DEFAULT_LIMIT
    ),
    here: Annotated[
        bool, typer.Option("--here", help="What was sent from this desk, without asking the team's server.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
) -> None:
    """List the changes sent to the platform from the team's desks, or from this one; the newest first."""
    profile = resolve_profile(load_config(), os.environ)
    entries = _sent_here(limit) if here or profile.team is None else _of_team(profile, profile.team, limit)
    if as_json:
        for each in entries:
            print_json(_json(each))
        return
    rows = [
        (_time(each.at), _who(each.who, profile), shown_label(each.what), each.target, each.outcome)
        for each in entries
    ]
    if rows:
        print_table(("TIME", "WHO", "WHAT", "TARGET", "OUTCOME"), rows)
    else:
        print_line("Nothing was sent yet.")


def _sent_here(limit: int) -> list[_Written]:
    with open_store() as store:
        return [
            _Written(
                each.settled_at or 0.0,
                "",
                each.label,
                f"{each.kind.about} {each.target}",
                json.dumps(each.base, ensure_ascii=False),
                json.dumps(each.fields, ensure_ascii=False),
                f"{each.state}: {each.reason}" if each.reason else str(each.state),
            )
            for each in reversed(queue.settled_after(store.reading, 0.0)[-limit:])
        ]


def _of_team(profile: Profile, team: TeamSettings, limit: int) -> list[_Written]:
    environ = add_outside_credentials(profile, os.environ)
    password = load_team_password(profile, environ)
    try:
        found = asyncio.run(_read(team, "" if password is None else password.reveal(), limit))
    except RelayError as error:
        raise CommandFailed(REFUSED, f"{error}; --here lists what was sent from this desk") from None
    return [
        _Written(
            each.at, each.agent_id or each.role, each.verb, each.target, each.before, each.after, each.outcome
        )
        for each in found
    ]


async def _read(team: TeamSettings, password: str, limit: int) -> list[JournalEntry]:
    address = parse_address(team.url)
    client = RelayClient(await connect(address, password), address, team.account, desk="")
    try:
        await client.account_state()  # a role without rights is refused, instead of seeing nothing
        return await client.journal(limit)
    finally:
        await client.close()


def _json(entry: _Written) -> dict[str, object]:
    return {
        "at": entry.at,
        "who": entry.who,
        "what": entry.what,
        "target": entry.target,
        "before": _parsed(entry.before),
        "after": _parsed(entry.after),
        "outcome": entry.outcome,
    }


def _parsed(text: str) -> object:
    """Return the fields; None once they were removed from the journal."""
    try:
        return json.loads(text) if text else None
    except ValueError:
        return text


def _who(each: str, profile: Profile) -> str:
    if not each:
        return "this desk"
    return profile.agents.get(AgentId(each), each)


def _time(at: float) -> str:
    return f"{datetime.fromtimestamp(at, local_zone()):%Y-%m-%d %H:%M:%S}"
