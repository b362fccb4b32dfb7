"""Tables of config.toml that lists of it have: a profile's catalogues, macros, `[[sla]]`.

`macros` and `service_clocks.policies` parse the words in the last two.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, ClassVar

from frontdesk.config.tables import ConfigError, declare, expect
from frontdesk_api.contract.ids import AgentId, LineId, StatusId, TagId


def _written_id(value: str, path: str) -> str:
    expect(value != "", f"{path}: expected an id")
    return value


def _id(text: str, label: str = "Id") -> Any:
    return declare(text, label=label, check=_written_id, unique=str)


def _name(text: str, label: str = "Name") -> Any:
    return declare(text, label=label, if_blank="id")


@dataclass(frozen=True, slots=True)
class LineRow:
    """A row of `lines`."""

    id: LineId = _id("The line's phone number id.")
    label: str = _name("Its name on the screen.")


@dataclass(frozen=True, slots=True)
class AgentRow:
    """A row of `agents`."""

    id: AgentId = _id("The person's agent id on the platform.", "Agent id")
    name: str = _name("Their name on the screen.")


@dataclass(frozen=True, slots=True)
class StatusLabel:
    """A task status and its name on the screen, a row of `statuses`."""

    id: StatusId = _id("The status's id; `open`, `standby` and `completed` are the built-in ones.")
    name: str = _name("Its name on the screen.")


@dataclass(frozen=True, slots=True)
class TagLabel:
    """A tag that can be added, a row of `tags`."""

    id: TagId = _id("The tag's id.")
    title: str = _name("Its name on the screen.", "Title")
    color: str = declare("Its color.", "", label="Color")
    associated_to: str | None = declare(
        "The id of the account it belongs to; campaigns sent to tags need it.", None, label="Account"
    )


BUILT_IN_STATUSES = (
    StatusLabel(StatusId("open"), "Open"),
    StatusLabel(StatusId("standby"), "In progress"),
    StatusLabel(StatusId("completed"), "Completed"),
)
"""The built-in values of `statusCase` (docs/interface.md, Task)."""


def with_built_in(listed: Iterable[StatusLabel], _path: str = "") -> tuple[StatusLabel, ...]:
    """Return the statuses in their order, with the built-in ones that aren't listed around them."""
    listed = tuple(listed)
    missing = [one for one in BUILT_IN_STATUSES if one.id not in {status.id for status in listed}]
    last = [one for one in missing if one.id == "completed"]
    return (*(one for one in missing if one not in last), *listed, *last)


@dataclass(frozen=True, slots=True)
class MacroTable:
    """A table of `[[macros]]`."""

    is_strict: ClassVar = True

    name: str = declare(
        "Its name in the palette, in the key help and in Activity.",
        expected='a name, such as "Wait for them"',
        is_filled=True,
    )
    key: str = declare(
        "A key that is free in the inbox and on the board, such as `B`, `f5` or `ctrl+g`.",
        expected='a key, such as "B"',
        is_filled=True,
    )
    do: tuple[str, ...] = declare(
        "Its steps, such as `status waiting`; only `assign` and `tag` can be there more than once.",
        expected='a list of steps, such as ["status waiting", "due +2h"]',
        is_filled=True,
        see="configuration.md#macros",
    )


HOURS_EXAMPLE = '["mon-fri 09:00-13:00 14:00-18:00", "sat 10:00-12:00"]'


_DURATION = re.compile(r"(?:(\d{1,4})h)?(?:(\d{1,4})m)?")
_DURATION_WORDS = 'business hours and minutes, like "1h", "90m" or "16h30m"'


def _seconds(words: str, path: str) -> float:
    found = _DURATION.fullmatch(words)
    if found is None or not words:
        raise ConfigError(f"{path}: expected {_DURATION_WORDS}")
    seconds = int(found[1] or 0) * 3_600 + int(found[2] or 0) * 60
    expect(seconds > 0, f"{path}: expected more than 0 minutes")
    return float(seconds)


_duration = partial(
    declare, item=str, expected=_DURATION_WORDS, check=_seconds, pattern=r"^(\d{1,4}h)?(\d{1,4}m)?$"
)


def _dates(raw: Any, path: str) -> frozenset[date]:
    expect(isinstance(raw, list), f'{path}: expected a list of dates, like ["2026-12-25"]')
    found = set()
    for at, each in enumerate(raw):
        try:
            found.add(each if type(each) is date else date.fromisoformat(each))
        except (TypeError, ValueError):
            raise ConfigError(f"{path}[{at}]: write a date like 2026-12-25") from None
    return frozenset(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceClockTable:
    """A table of `[[sla]]`."""

    name: str = declare("Its name on the screen.", expected="a name", is_filled=True, unique=str)
    match: str = declare(
        "Which conversations it covers: filter words with `line:`, `agent:`, `tag:`, `status:`, "
        "`is:unassigned`, `is:task`, and their opposites. Other words aren't allowed, because their matches "
        "change with time or differ between people.",
        "",
        without="all",
        see="configuration.md#filter-words",
    )
    zone: str = declare("The time zone of the hours, such as `Europe/Rome`.")
    hours: tuple[str, ...] = declare(
        "Business hours: days, then one or more periods that don't overlap, until `24:00` at most, such "
        "as `mon-fri 09:00-13:00 14:00-18:00`.",
        expected=f"a list of business hours, like {HOURS_EXAMPLE}",
        is_filled=True,
    )
    holidays: frozenset[date] = declare(
        "Dates on which you are closed, such as `2026-12-24`.",
        frozenset(),
        without="none",
        item=str,
        shape=list,
        read=_dates,
    )
    country: str = declare(
        "A country, such as `IT`, or a part of one, such as `DE-BY`, on whose public holidays you are "
        "closed. Needs the extra `holidays`.",
        "",
        without="none",
    )
    first_response: float = _duration(
        "Business time for the first response: `45m`, `1h30m`, `16h`. At least one of the three is needed.",
        0.0,
        without="none",
    )
    next_response: float = _duration("Business time for each further response.", 0.0, without="none")
    resolution: float = _duration("Business time for a task.", 0.0, without="none")
    pauses: tuple[str, ...] = declare(
        "Ids or names of statuses that pause the resolution clock.", (), without="none"
    )
    warn: float = _duration(
        "How long before a deadline you get an alert, in ordinary time, not business time; another one comes "
        "once the deadline has passed.",
        900.0,
        without='"15m"',
    )
