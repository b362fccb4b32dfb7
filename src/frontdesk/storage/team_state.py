"""Stored state of the team: the applied position of the relay, and the status for screens."""

import json
import uuid
from functools import lru_cache
from typing import NamedTuple

import apsw

from frontdesk.storage import change_feed
from frontdesk.storage.records import Duty, TeamState
from frontdesk.storage.sql import first

LEASE_SECONDS = 7.0
"""Seconds for which a silent machine leads its team (docs/team.md, Who leads)."""

_PLACE, _STATE, _PRESENT = "team place", "team state", "team colleagues"


class TeamPlace(NamedTuple):
    """The position up to which this store has applied a team's relay.

    Attributes:
        desk: this store's id in every team.
        epoch: the account's; it differs after the relay was restored from a backup.
        lines: the lines that this machine's person could see then; `*` for all.
    """

    desk: str
    account: str = ""
    epoch: str = ""
    position: int = 0
    lines: tuple[str, ...] = ()


class Colleague(NamedTuple):
    """A person at another machine, named `desk`; `agent_id` is empty if the team doesn't know it."""

    agent_id: str
    desk: str


NO_TEAM = TeamState()


def place(db: apsw.Connection, account: str) -> TeamPlace:
    """Return the applied position of an account's relay; ignore one of another account."""
    found = _read(db, _PLACE)
    said = json.loads(found) if found else {}
    kept = TeamPlace(**(said | {"lines": tuple(said.get("lines", ()))})) if said else TeamPlace(uuid.uuid4().hex)
    return kept if kept.account == account else TeamPlace(kept.desk, account)


def put_place(db: apsw.Connection, kept: TeamPlace) -> None:
    _write(db, _PLACE, json.dumps(kept._asdict()))


def state(db: apsw.Connection) -> TeamState:
    return _state(_read(db, _STATE))


def put_state(db: apsw.Connection, new: TeamState) -> None:
    """Write the state, and notify screens if it differs."""
    if state(db) != new:
        _write(db, _STATE, json.dumps(new._asdict()))
        change_feed.append(db, change_feed.HEALTH, ["team"])


def clear(db: apsw.Connection) -> None:
    put_state(db, NO_TEAM)
    put_present(db, {})


def present(db: apsw.Connection) -> dict[str, list[Colleague]]:
    """Return the colleagues who have a conversation open, by its id."""
    return dict(_present(_read(db, _PRESENT)))


def put_present(db: apsw.Connection, new: dict[str, list[Colleague]]) -> None:
    """Write who has which conversations open, and notify screens of those that differ."""
    before = present(db)
    if before == new:
        return
    _write(db, _PRESENT, json.dumps(new))
    differing = [each for each in before.keys() | new.keys() if before.get(each) != new.get(each)]
    change_feed.append(db, change_feed.CONVERSATION, sorted(differing))


def _read(db: apsw.Connection, key: str) -> str:
    row = first(db, "SELECT value FROM meta WHERE key = ?", (key,))
    return "" if row is None else str(row[0])


def _write(db: apsw.Connection, key: str, value: str) -> None:
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


@lru_cache(maxsize=8)
def _state(text: str) -> TeamState:
    said = json.loads(text) if text else {}
    return NO_TEAM._replace(**said | {"duty": Duty(said["duty"]) if said.get("duty") else None})


@lru_cache(maxsize=8)
def _present(text: str) -> tuple[tuple[str, list[Colleague]], ...]:
    found = json.loads(text) if text else {}
    return tuple((each, [Colleague(*one) for one in colleagues]) for each, colleagues in found.items())
