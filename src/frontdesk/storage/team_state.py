"""What a store keeps of its team: up to which position it has applied the relay, and what screens say about it."""

import json
import uuid
from functools import lru_cache
from typing import NamedTuple

import apsw

from frontdesk.storage import change_feed
from frontdesk.storage.records import Duty, TeamState
from frontdesk.storage.sql import first

_PLACE, _STATE, _PRESENT = "team place", "team state", "team colleagues"


class TeamPlace(NamedTuple):
    """How far this store has applied a team's relay.

    Attributes:
        desk: this store's id in every team.
        epoch: the account's; another one after the relay was restored from a backup.
        lines: what this desk's person could see then; `*` for all.
    """

    desk: str
    account: str = ""
    epoch: str = ""
    position: int = 0
    lines: tuple[str, ...] = ()


class Colleague(NamedTuple):
    """Somebody at another desk; `agent_id` is empty where the team doesn't know it, `desk` is the desk's name."""

    agent_id: str
    desk: str


NO_TEAM = TeamState()


def place(db: apsw.Connection, account: str) -> TeamPlace:
    """Return how far an account's relay was applied; nothing of another account counts."""
    found = _read(db, _PLACE)
    said = json.loads(found) if found else {}
    kept = TeamPlace(**(said | {"lines": tuple(said.get("lines", ()))})) if said else TeamPlace(uuid.uuid4().hex)
    return kept if kept.account == account else TeamPlace(kept.desk, account)


def put_place(db: apsw.Connection, kept: TeamPlace) -> None:
    """Note it in the transaction of what was applied."""
    _write(db, _PLACE, json.dumps(kept._asdict()))


def state(db: apsw.Connection) -> TeamState:
    """Return the team's state as the engine has written it."""
    return _state(_read(db, _STATE))


def put_state(db: apsw.Connection, new: TeamState) -> None:
    """Write the state, and tell screens where it differs."""
    if state(db) != new:
        _write(db, _STATE, json.dumps(new._asdict()))
        change_feed.append(db, change_feed.HEALTH, ["team"])


def clear(db: apsw.Connection) -> None:
    """Remove what screens say of a team that this desk takes no part in."""
    put_state(db, NO_TEAM)
    put_present(db, {})


def present(db: apsw.Connection) -> dict[str, list[Colleague]]:
    """Return the colleagues who have a conversation open, by its id."""
    return dict(_present(_read(db, _PRESENT)))


def put_present(db: apsw.Connection, new: dict[str, list[Colleague]]) -> None:
    """Write who has what open, and tell screens of the conversations that differ."""
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
