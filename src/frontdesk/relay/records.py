"""What is exchanged with the relay."""

from dataclasses import dataclass
from enum import StrEnum

VERSION = 1
"""Of what this frontdesk reads and writes; an account's `min_reader` and `min_writer` refer to it."""

SCHEMA_VERSION = 3
"""Of the database, after all steps of schema.sql and with the functions; a desk needs them all."""

MAX_BODY_BYTES, MAX_KEY_BYTES = 1_000_000, 3_000
"""Of a row's body, and of its id, line and digest together; functions.sql takes no more."""

ALL_LINES = "*"
"""In place of a line: the grant is for all of them."""


class SharedKind(StrEnum):
    """What desks tell each other."""

    NOTE = "note"
    READ = "read"
    VIEW = "view"


@dataclass(frozen=True, slots=True)
class Observation:
    """Something that the platform said.

    Attributes:
        line_id: empty for what belongs to no line.
        asked_at: when it was requested, Unix seconds of the relay's clock.
        digest: of the body; rows are compared by it.
        body: JSON, as the platform sent it.
    """

    kind: str
    id: str
    line_id: str
    asked_at: float
    digest: str
    body: str


@dataclass(frozen=True, slots=True)
class Shared:
    """A note, a read marker or a view; an empty body was taken back. `at` is in Unix seconds."""

    kind: str
    id: str
    line_id: str
    agent_id: str
    at: float
    body: str


@dataclass(frozen=True, slots=True)
class Row:
    """A row after a position."""

    position: int
    item: Observation | Shared


@dataclass(frozen=True, slots=True)
class Account:
    """An account's state.

    Attributes:
        epoch: differs after a restore from a backup.
        offset: seconds that the relay's clock is ahead of this machine's.
        lines: the lines that this role may see; `*` for all.
        schema: the database's version, as `SCHEMA_VERSION`.
    """

    epoch: str
    position: int
    min_writer: int
    budget_per_minute: int
    offset: float
    may_poll: bool
    agent_id: str
    lines: frozenset[str]
    schema: int


@dataclass(frozen=True, slots=True)
class Leader:
    """Who polls for the team, and for how many more seconds the lease holds; negative once it ran out."""

    desk: str
    name: str
    token: int
    seconds_left: float


@dataclass(frozen=True, slots=True)
class Looker:
    """Another desk's screens; `parts` are JSON, one for each line; `age` in seconds."""

    desk: str
    agent_id: str
    name: str
    age: float
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A change that a desk has sent to the platform, and what became of it.

    Attributes:
        at: Unix seconds of the relay's clock.
        ref: of the change at its desk, by which the relay takes it once.
        before, after: the fields as JSON; empty once they were removed.
    """

    at: float
    role: str
    agent_id: str
    line_id: str
    ref: str
    verb: str
    target: str
    before: str
    after: str
    outcome: str
