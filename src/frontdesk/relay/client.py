"""One desk's connection to the relay."""

import asyncio
import json
import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from frontdesk.config.team import RelayAddress
from frontdesk.relay.connection import COMMAND_SECONDS, RelayRefused, connect, translate_errors
from frontdesk.relay.records import (
    MAX_BODY_BYTES,
    MAX_KEY_BYTES,
    VERSION,
    Account,
    JournalEntry,
    Leader,
    Looker,
    Observation,
    Row,
    Shared,
)

if TYPE_CHECKING:
    import asyncpg

CLOSE_SECONDS = 2.0
JOURNAL_SEARCHED = 1_000
"""So many of the journal's newest entries are searched for those about one target."""

RELEASED = "0"
"""In place of a position: a leader has let its lease go."""

OVERLAP_SECONDS = 5.0
"""What changed so long before the last look is read once more: it may have been committed after it."""

WHOLE_LOOK_SECONDS = 30.0
"""So often all rows are read: one that was deleted, or that this role may see no more, has changed for nobody."""

MAX_RETAINED = 5_000
"""So many rows the schema's `retain` deletes at most in one call."""

_CLOSING: set[asyncio.Task[None]] = set()
"""What closes connections; the event loop itself doesn't keep tasks."""

TOO_OLD = "the team uses a newer frontdesk; update this one"
TOO_NEW = (
    "the team's database is of an older frontdesk; ask the person who set up the team to update theirs and run "
    "`frontdesk team init` again"
)
MAX_PART_BYTES = 4_000_000
"""Of the bodies of one answer of `since`; one body may exceed it."""

# What is longer isn't read: the functions take none of it, but those of an older frontdesk did.
_OBSERVED = (
    "SELECT position, 'observed' AS tab, kind, id, line_id, asked_at AS at, digest, body, '' AS agent_id"
    f" FROM frontdesk.observed WHERE account = $1 AND pg_catalog.octet_length(body) <= {MAX_BODY_BYTES}"
    f" AND pg_catalog.octet_length(pg_catalog.concat(id, line_id, digest)) <= {MAX_KEY_BYTES}"
)
_EPOCH = "extract(epoch FROM {})::float8"
_ENTRIES = f"SELECT {_EPOCH.format('at')}, role, agent_id, line_id, ref, verb, target, before, after, outcome FROM"
_SURROGATE = re.compile("[\ud800-\udfff]")


class RelayClient:
    """The relay as one desk uses it; every method raises `RelayError`.

    Args:
        desk: the id that this desk's store keeps.
        notified: called when something new can be read.
        seconds: how long a statement may take, with the wait for those before it.

    Attributes:
        name: the desk's name in the team, once it has joined.
    """

    def __init__(
        self,
        connection: "asyncpg.Connection",
        address: RelayAddress,
        account: str,
        desk: str,
        notified: Callable[[], None] = lambda: None,
        seconds: float = COMMAND_SECONDS,
    ):
        self._connection, self._address = connection, address
        self.account, self.desk, self.name = account, desk, ""
        self._notified = notified
        self._lock = asyncio.Lock()
        self._seconds = seconds
        self._answered_at = time.monotonic()
        self._is_dropped = self._was_released = False
        self._shown: dict[str, dict[str, asyncpg.Record]] = {}
        self._lookers: dict[str, Looker] = {}
        self._prepared: dict[str, asyncpg.prepared_stmt.PreparedStatement] = {}
        self._shown_to, self._whole_at = 0.0, float("-inf")

    @classmethod
    async def open(
        cls,
        address: RelayAddress,
        password: str,
        account: str,
        desk: str,
        notified: Callable[[], None] = lambda: None,
        seconds: float = COMMAND_SECONDS,
        connect_seconds: float | None = None,
    ) -> Self:
        """Connect, and listen for news; a pooler passes none on."""
        connection = await connect(address, password, seconds, connect_seconds)
        self = cls(connection, address, account, desk, notified, seconds)
        try:
            async with translate_errors(address):
                if not connection.is_pooled:
                    await self._connection.add_listener(f"frontdesk_{account}", self._note_notice)
                self._connection.add_termination_listener(lambda *_: self._notified())
        except BaseException:
            self._connection.terminate()
            raise
        return self

    def _note_notice(self, _connection: object, _process: int, _channel: str, position: object) -> None:
        self._was_released |= position == RELEASED
        self._notified()

    def take_release(self) -> bool:
        """Return whether a leader has let its lease go since the last call."""
        was_released, self._was_released = self._was_released, False
        return was_released

    @property
    def is_closed(self) -> bool:
        return self._is_dropped or bool(self._connection.is_closed())

    @property
    def silent_seconds(self) -> float:
        """How long ago the server has answered last."""
        return time.monotonic() - self._answered_at

    def drop(self) -> None:
        """Use the connection no more, and close it in the background: a server that hangs is slow at that."""
        if self.is_closed:
            return
        self._is_dropped = True
        closing = asyncio.get_running_loop().create_task(self.close())
        _CLOSING.add(closing)
        closing.add_done_callback(_CLOSING.discard)

    async def close(self) -> None:
        with suppress(Exception):  # whatever went wrong, the connection is of no use any more
            await self._connection.close(timeout=CLOSE_SECONDS)
        self._connection.terminate()

    async def _rows(self, sql: str, *values: object) -> list["asyncpg.Record"]:
        """Return the rows of a statement; `$1` in it is the account, the values follow."""
        storable = [_storable(each) if isinstance(each, str) else each for each in values]
        async with translate_errors(self._address):
            # One statement that gets no answer fails all that wait behind it, instead of each after the other.
            async with asyncio.timeout(self._seconds), self._lock:
                rows = await self._fetch(sql, self.account, *storable)
            self._answered_at = time.monotonic()
            return rows

    async def _fetch(self, sql: str, *values: object) -> list["asyncpg.Record"]:
        """Execute a statement, prepared once for each session of the server: most of its time is to plan it."""
        if self._connection.is_pooled:
            rows: list[asyncpg.Record] = await self._connection.fetch(sql, *values)
        else:
            if sql not in self._prepared:
                name = f"frontdesk_{len(self._prepared)}"
                self._prepared[sql] = await self._connection.prepare(sql, name=name)
            rows = await self._prepared[sql].fetch(*values)
        return rows

    async def _value(self, sql: str, *values: object) -> Any:
        return (await self._rows(sql, *values))[0][0]

    async def _call(self, function: str, *values: object) -> Any:
        """Call one of the relay's functions, of which each takes the account first."""
        places = "".join(f", ${number}" for number in range(2, len(values) + 2))
        return await self._value(f"SELECT frontdesk.{function}($1{places})", *values)

    async def account_state(self) -> Account:
        """Read the account's state; refuses where this role has no grant, or this version is too old."""
        asked_at = time.time()
        rows = await self._rows(
            "SELECT epoch::text, position, schema, min_reader, min_writer, budget_per_minute,"
            f" {_EPOCH.format('pg_catalog.clock_timestamp()')} AS now,"
            " (SELECT pg_catalog.array_agg(line_id) FROM frontdesk.grants WHERE account = $1) AS lines,"
            " (SELECT pg_catalog.bool_or(may_poll) FROM frontdesk.grants WHERE account = $1) AS may_poll,"
            " (SELECT pg_catalog.max(agent_id) FROM frontdesk.grants WHERE account = $1) AS agent_id"
            " FROM frontdesk.accounts WHERE account = $1",
        )
        middle = (asked_at + time.time()) / 2
        if not rows:
            raise RelayRefused(
                f"{self._address.user} has no rights in {self.account}; "
                "ask the person who runs `frontdesk team add`"
            )
        [row] = rows
        if row["min_reader"] > VERSION:
            raise RelayRefused(TOO_OLD)
        return Account(
            row["epoch"],
            row["position"],
            row["min_writer"],
            row["budget_per_minute"],
            row["now"] - middle,
            bool(row["may_poll"]),
            row["agent_id"] or "",
            frozenset(row["lines"] or ()),
            row["schema"],
        )

    async def join(self, name: str) -> str:
        """Register this desk; returns its name in the team, which nobody else has."""
        self.name = await self._call("join_desk", self.desk, name, VERSION)
        return self.name

    async def lease(self, seconds: float) -> int | None:
        """Take or renew the lease; returns its token, or None while another desk leads."""
        token: int | None = await self._call("lease", self.desk, seconds)
        return token

    async def release(self, token: int) -> None:
        """Let the next desk lead at once."""
        await self._call("release", token)

    async def leader(self) -> Leader | None:
        """Return who leads, or led last."""
        rows = await self._rows(
            f"SELECT desk, name, token, {_EPOCH.format('until - pg_catalog.clock_timestamp()')} AS seconds_left"
            " FROM frontdesk.leader WHERE account = $1"
        )
        return Leader(*rows[0]) if rows else None

    async def lacking(self, items: Sequence[Observation]) -> list[Observation]:
        offered = json.dumps([_key(each) for each in items])
        rows = await self._rows("SELECT frontdesk.lacking($1, $2)", offered)
        return [items[row[0]] for row in rows]

    async def observe(self, token: int, items: Sequence[Observation]) -> int:
        """Publish what the leader has read; returns the newest position.

        Raises:
            StaleLeader: another desk leads now; nothing was taken.
        """
        offered = json.dumps([_item(each) for each in items])
        position: int = await self._call("observe", token, offered)
        return position

    async def since(self, position: int, limit: int) -> list[Row]:
        """Return the next rows after a position, in order, up to `limit` or about `MAX_PART_BYTES`."""
        rows = await self._rows(
            "SELECT * FROM (SELECT *,"
            " pg_catalog.sum(pg_catalog.octet_length(body)) OVER (ORDER BY position) AS bytes"
            f" FROM (({_OBSERVED} AND position > $2 ORDER BY position LIMIT $3)"
            " UNION ALL"
            f" (SELECT position, 'shared', kind, id, line_id, {_EPOCH.format('at')}, '', body, agent_id"
            " FROM frontdesk.shared WHERE account = $1 AND position > $2"
            f" AND pg_catalog.octet_length(id) <= {MAX_KEY_BYTES} ORDER BY position LIMIT $3)"
            ") AS news ORDER BY position LIMIT $3) AS part"
            f" WHERE bytes - pg_catalog.octet_length(body) < {MAX_PART_BYTES} ORDER BY position",
            position,
            limit,
        )
        return [Row(row["position"], _row_item(row)) for row in rows]

    async def newest_tasks(self, limit: int) -> list[Observation]:
        """Return the tasks that differed last, the oldest of them first."""
        return (await self._newest("kind IN ('task', 'gone')", limit))[::-1]

    async def newest_page(self, prefix: str) -> list[Observation]:
        """Return the page that differed last of those whose id begins like this, if there is one."""
        return await self._newest("kind = 'page' AND pg_catalog.starts_with(id, $3)", 1, prefix)

    async def _newest(self, condition: str, limit: int, *values: str) -> list[Observation]:
        rows = await self._rows(f"{_OBSERVED} AND {condition} ORDER BY position DESC LIMIT $2", limit, *values)
        return [_observation(row) for row in rows]

    async def messages(self, keys: Sequence[str]) -> list[Observation]:
        """Return the stored messages with these keys, as far as they are kept and may be seen."""
        if not keys:
            return []
        rows = await self._rows(f"{_OBSERVED} AND kind = 'message' AND id = ANY($2::text[])", list(keys))
        return [_observation(row) for row in rows]

    async def tasks(self, position: int) -> list[Observation]:
        """Return the tasks up to a position, without their bodies."""
        rows = await self._rows(
            "SELECT kind, id, line_id, asked_at, '' AS digest, '' AS body FROM frontdesk.observed"
            " WHERE account = $1 AND kind = 'task' AND position <= $2 ORDER BY id",
            position,
        )
        return [Observation(*row) for row in rows]

    async def position(self) -> int:
        position: int = await self._value(
            "SELECT coalesce(pg_catalog.max(position), 0) FROM frontdesk.accounts WHERE account = $1"
        )
        return position

    async def claim(self, target: str, seconds: float) -> int | None:
        """Claim a target; returns the token, or None while another desk has it."""
        token: int | None = await self._call("claim", self.desk, target, seconds)
        return token

    async def claimed_by(self, target: str) -> str:
        """Return the name of the desk that has a claim; empty for none."""
        rows = await self._rows(
            "SELECT name FROM frontdesk.claims WHERE account = $1 AND target = $2"
            " AND until > pg_catalog.clock_timestamp()",
            target,
        )
        return rows[0][0] if rows else ""

    async def unclaim(self, token: int) -> None:
        await self._call("unclaim", token)

    async def report(self, token: int, item: Observation) -> None:
        """Publish the platform's answer to a change by the claim's token."""
        await self._call("report", token, json.dumps(_item(item)))

    async def look(self, shown: Sequence[tuple[str, str]], read_to: int) -> None:
        """Say what this desk's screens show, and up to which position it has read.

        Args:
            shown: JSON by line, empty for what belongs to none; each line once. What isn't named is forgotten.
        """
        parts = json.dumps([{"line": _storable(line), "what": _storable(what)} for line, what in shown])
        await self._call("look", self.desk, parts, read_to)

    async def leave(self) -> None:
        """Say that this desk shows nothing any more."""
        await self._call("leave", self.desk)

    async def lookers(self, max_age: float, leader: str = "") -> list[Looker]:
        """Return what the others show of the lines that this role may see; only the leader's `age` is current.

        The database checks this role's rights for each row, so mostly only those are read that have changed.

        Args:
            leader: the desk that leads, whose rows are always read.
        """
        self._lookers.pop(leader, None)
        self._shown.pop(leader, None)
        if time.monotonic() >= self._whole_at + WHOLE_LOOK_SECONDS:
            self._shown, self._lookers, self._shown_to = {}, {}, 0.0
            self._whole_at = time.monotonic()
        rows = await self._rows(
            "SELECT desk, line_id, agent_id, name, what,"
            f" {_EPOCH.format('pg_catalog.statement_timestamp() - at')} AS age,"
            f" {_EPOCH.format('pg_catalog.statement_timestamp()')} AS now"
            " FROM frontdesk.lookers WHERE account = $1 AND desk <> $2"
            " AND (changed_at > pg_catalog.to_timestamp($3)"
            " OR what <> '' AND at < pg_catalog.statement_timestamp() - $4 * interval '1 s'"
            " OR desk = $5)",
            self.desk,
            self._shown_to,
            max_age,
            leader,
        )
        for row in rows:
            shown = self._shown.setdefault(row["desk"], {})
            shown.pop(row["line_id"], None)
            if row["what"] and row["age"] <= max_age:
                shown[row["line_id"]] = row
            self._shown_to = row["now"] - OVERLAP_SECONDS
        for desk in {row["desk"] for row in rows}:
            if shown := self._shown[desk]:
                self._lookers[desk] = _looker(desk, shown)
            else:
                self._lookers.pop(desk, None)
        return [self._lookers[desk] for desk in sorted(self._lookers)]

    async def share(self, kind: str, id: str, line_id: str, body: str) -> None:
        """Share a note, a read marker or a view; an empty body takes it back."""
        await self._call("share", kind, id, line_id, body)

    async def record(self, entry: JournalEntry) -> None:
        """Add an entry to the journal; its time and role are the database's."""
        await self._call(
            "record", entry.line_id, entry.ref, entry.verb, entry.target, entry.before, entry.after, entry.outcome
        )

    async def journal(self, limit: int) -> list[JournalEntry]:
        newest = f"{_ENTRIES} frontdesk.journal WHERE account = $1 ORDER BY entry DESC LIMIT $2"
        rows = await self._rows(newest, limit)
        return [JournalEntry(*row) for row in rows]

    async def journal_of(self, target: str) -> list[JournalEntry]:
        """Return the newest entries about a target, newest first, as far back as the last `JOURNAL_SEARCHED`."""
        rows = await self._rows(
            f"{_ENTRIES} (SELECT * FROM frontdesk.journal WHERE account = $1 ORDER BY entry DESC LIMIT $3)"
            " AS newest WHERE target = $2 ORDER BY entry DESC",
            target,
            JOURNAL_SEARCHED,
        )
        return [JournalEntry(*row) for row in rows]

    async def desk_count(self, max_age: float) -> int:
        """Return how many desks were seen within so many seconds."""
        count: int = await self._value(
            "SELECT pg_catalog.count(*) FROM frontdesk.desks WHERE account = $1"
            " AND seen_at > pg_catalog.clock_timestamp() - $2 * interval '1 s'",
            max_age,
        )
        return count

    async def retain(self) -> bool:
        """Delete some of what is older than the account keeps; returns whether there may be more."""
        deleted: int = await self._call("retain")
        return deleted >= MAX_RETAINED


def _key(item: Observation) -> dict[str, object]:
    ids = {"id": _storable(item.id), "line": _storable(item.line_id)}
    return {"kind": item.kind, **ids, "digest": item.digest}


def _item(item: Observation) -> dict[str, object]:
    return {**_key(item), "asked_at": item.asked_at, "body": _storable(item.body)}


def _storable(text: str) -> str:
    """Return what PostgreSQL can store of a text: without NUL, and surrogates as JSON's escapes."""
    text = text.replace("\0", "")
    return text if text.isascii() else _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _looker(desk: str, shown: dict[str, "asyncpg.Record"]) -> Looker:
    parts = [shown[line] for line in sorted(shown)]
    newest = min(parts, key=lambda each: float(each["age"]))
    return Looker(desk, newest["agent_id"], newest["name"], newest["age"], tuple(each["what"] for each in parts))


def _row_item(row: "asyncpg.Record") -> Observation | Shared:
    if row["tab"] == "shared":
        return Shared(row["kind"], row["id"], row["line_id"], row["agent_id"], row["at"], row["body"])
    return _observation(row)


def _observation(row: "asyncpg.Record") -> Observation:
    return Observation(row["kind"], row["id"], row["line_id"], row["at"], row["digest"], row["body"])
