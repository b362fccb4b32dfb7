"""Saved views that a team shares: the others' as the relay has them, and which of one's own it should have."""

from collections.abc import Sequence
from typing import NamedTuple

import apsw

from frontdesk.outbox import queue
from frontdesk.storage import change_feed
from frontdesk.storage.records import Json
from frontdesk.storage.sql import rows
from frontdesk_api import json_access

SHARED_VIEW = "shared view"
"""Kept of a view's name: the query under which this person shares it; empty until the relay has taken it back."""

MAX_VIEWS = 30
"""So many views of the team are shown."""

MAX_NAME_LETTERS, MAX_QUERY_LETTERS = 40, 500


class TeamView(NamedTuple):
    """A shared view."""

    author: str
    name: str
    match: str


def apply(db: apsw.Connection, view_id: str, author: str, body: Json | None) -> None:
    """Store a view as the relay has it; None removes it."""
    if body is None:
        db.execute("DELETE FROM team_views WHERE view_id = ?", (view_id,))
    else:
        name = json_access.text(body.get("name"))[:MAX_NAME_LETTERS]
        match = json_access.text(body.get("match"))[:MAX_QUERY_LETTERS]
        if not name.strip() or not match.strip():
            raise ValueError("a row of the team that isn't a view")
        db.execute("INSERT OR REPLACE INTO team_views VALUES (?, ?, ?, ?)", (view_id, author, name, match))
    change_feed.append(db, change_feed.VIEWS, [view_id])


def share(db: apsw.Connection, name: str, match: str, now: float) -> None:
    """Share a view under a name from now on; an empty query takes it back."""
    queue.keep(db, SHARED_VIEW, name, match, now)
    change_feed.append(db, change_feed.VIEWS, [name])
    change_feed.append(db, change_feed.CHANGE, [SHARED_VIEW])  # wakes the engine


def unsent(db: apsw.Connection, me: str) -> dict[str, str]:
    """Return the views by name that the relay doesn't have as they are; of one to take back the query is empty."""
    there = {each.name: each.match for each in _stored(db) if each.author == me}
    wanted = queue.all_kept(db, SHARED_VIEW)
    return {name: str(match) for name, match in wanted.items() if str(match) != there.get(name)}


def note_sent(db: apsw.Connection, name: str, match: str) -> None:
    """Note that the relay has it; one that was taken back is forgotten, unless it is shared again by now."""
    if not match and queue.kept(db, SHARED_VIEW, name) == "":
        queue.forget(db, SHARED_VIEW, name)


def shared_by_me(db: apsw.Connection) -> dict[str, str]:
    return {name: str(match) for name, match in queue.all_kept(db, SHARED_VIEW).items() if match}


def of_team(db: apsw.Connection, me: str | None) -> Sequence[TeamView]:
    """Return the views of the team by name: the others', and one's own as this person last shared them."""
    own = [TeamView(me or "", name, match) for name, match in shared_by_me(db).items()]
    others = [each for each in _stored(db) if each.author != me]
    return sorted((*own, *others), key=lambda each: (each.name.casefold(), each.author))[:MAX_VIEWS]


def _stored(db: apsw.Connection) -> list[TeamView]:
    return [TeamView(*row) for row in rows(db, "SELECT author, name, match FROM team_views ORDER BY view_id")]
