"""`frontdesk journal`: what was sent to the platform from the team's desks, or from this one."""

import asyncio
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated

import apsw
import typer

from frontdesk.campaigns.store import campaigns
from frontdesk.cli.errors import INPUT_WRONG, REFUSED, CommandFailed, print_error
from frontdesk.cli.output import print_json, print_line, print_table
from frontdesk.cli.store_session import open_store
from frontdesk.config.credential_sources import add_outside_credentials
from frontdesk.config.credentials import load_team_password
from frontdesk.config.paths import data_root
from frontdesk.config.settings import Profile, load_config, resolve_profile
from frontdesk.config.team import TeamSettings, apply_environment
from frontdesk.config.time_zone import local_zone
from frontdesk.outbox import queue
from frontdesk.outbox.labels import shown_label
from frontdesk.relay.client import RelayClient
from frontdesk.relay.connection import RelayError, connect, parse_address
from frontdesk.relay.records import JournalEntry
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk_api.contract.ids import AgentId, ConversationId, TaskId

DEFAULT_LIMIT = 100

_START_DEMO = "run `frontdesk demo --team 2`"


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


@dataclass(frozen=True, slots=True)
class _Source:
    """Whose journal is listed.

    Attributes:
        store: the demo's; None for the profile's.
        environ: what may hold the team's password.
        remedy: what helps where the team can't be reached.
    """

    profile: Profile
    store: Path | None
    environ: Mapping[str, str]
    remedy: str


def journal(
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, metavar="N", help="How many entries.")] = (
        DEFAULT_LIMIT
    ),
    here: Annotated[
        bool,
        typer.Option(
            "--here", help="List only what was sent from this machine, without asking the team's server."
        ),
    ] = False,
    demo: Annotated[
        bool, typer.Option("--demo", help="The journal of `frontdesk demo --team N`, while that is open.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line, with ids.")] = False,
) -> None:
    """List the changes that you or your team sent, newest first."""
    source = _demo() if demo else _profile()
    with _opened(source) as db:
        asks_team = source.profile.team is not None and not here
        entries = _of_team(source, source.profile.team, limit) if asks_team else _sent_here(db, limit)
        if as_json:
            for each in entries:
                print_json(_json(each))
            return
        rows = [
            (
                _time(each.at),
                _who(each.who, source.profile),
                shown_label(each.what),
                _target(db, each.target),
                each.outcome,
            )
            for each in entries
        ]
    if rows:
        print_table(("TIME", "WHO", "WHAT", "TARGET", "OUTCOME"), rows)
    else:
        print_line("Nothing has been sent yet.")


def _profile() -> _Source:
    profile = resolve_profile(load_config(), os.environ)
    return _Source(profile, None, os.environ, "--here lists what was sent from this machine")


def _demo() -> _Source:
    """Return the demo's first desk, whose person may see everything.

    Raises:
        CommandFailed: the demo never had a team.
    """
    from frontdesk.demo.demo_desks import DemoTeamFailed, demo_desks, desk_environment, read_access
    from frontdesk.demo.sandbox_process import demo_profile

    folder = data_root() / "demo"
    [desk] = demo_desks(folder, 1)
    try:
        environ = desk_environment(desk, *read_access(folder))
    except DemoTeamFailed:
        raise CommandFailed(INPUT_WRONG, f"the demo has no team yet; {_START_DEMO}") from None
    profile = replace(demo_profile("http://127.0.0.1"), team=apply_environment(None, environ))
    return _Source(profile, desk.store, environ, f"the demo's team runs while one is open: {_START_DEMO}")


@contextmanager
def _opened(source: _Source) -> Iterator[apsw.Connection]:
    """Open the store, which knows the names."""
    if source.store is None:
        with open_store() as store:
            yield store.reading
        return
    with Store(source.store, print_error) as demo_store:
        yield demo_store.reading


def _sent_here(db: apsw.Connection, limit: int) -> list[_Written]:
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
        for each in reversed(queue.settled_after(db, 0.0)[-limit:])
    ]


def _of_team(source: _Source, team: TeamSettings | None, limit: int) -> list[_Written]:
    assert team is not None
    environ = add_outside_credentials(source.profile, source.environ)
    password = load_team_password(source.profile, environ)
    try:
        found = asyncio.run(_read(team, "" if password is None else password.reveal(), limit))
    except RelayError as error:
        raise CommandFailed(REFUSED, f"{error}; {source.remedy}") from None
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
        return "this machine"
    return profile.agents.get(AgentId(each), each)


def _target(db: apsw.Connection, target: str) -> str:
    """Return the target by name, as far as this desk knows it: an entry has its kind and id."""
    about, _, target_id = target.partition(" ")
    if about == "task":
        task = record_lookup.task(db, TaskId(target_id))
        return target if task is None else f"{about} {record_lookup.task_for_customer(db, task).text}"
    if about == "conversation":
        known = record_lookup.conversation(db, ConversationId(target_id))
        return target if known is None else f"{about} with {record_lookup.customer_of(known).text}"
    name: str | None = None
    if about == "campaign":
        name = next((str(name) for each, name in campaigns.names(db) if each == target_id), None)
    elif about == "workflow":
        name = record_lookup.name_of(db, record_lookup.WORKFLOW, target_id)
    return f"{about} {name}" if name else target


def _time(at: float) -> str:
    return f"{datetime.fromtimestamp(at, local_zone()):%Y-%m-%d %H:%M:%S}"
