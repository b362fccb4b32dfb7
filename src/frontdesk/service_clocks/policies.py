"""`[[sla]]` of the config, read into policies.

Of two policies the first that matches counts. One that can't be used keeps its place if its match can be read: the
clocks of its conversations are unknown, and not those of another policy.
"""

import itertools
import re
from collections.abc import Callable, Collection, Sequence
from datetime import date, tzinfo
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import apsw

from frontdesk.config.config_tables import HOURS_EXAMPLE, ServiceClockTable, StatusLabel, is_of_profile
from frontdesk.config.program_files import install_command
from frontdesk.config.tables import ConfigError, TableReader, expect
from frontdesk.service_clocks.business_hours import DAY, MAX_DAYS, BusinessHours, Period
from frontdesk.service_clocks.clocks import ClockKind, Policy

TARGETS = {"first_response": ClockKind.FIRST, "next_response": ClockKind.NEXT, "resolution": ClockKind.RESOLUTION}

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAYS_WORDS = rf"({'|'.join(_DAYS)})(?:-({'|'.join(_DAYS)}))?"
_PERIOD = r"(\d\d):(\d\d)-(\d\d):(\d\d)"

FindMatches = Callable[[apsw.Connection, str, Collection[str]], Collection[str]]
"""Returns which of these conversations match a filter."""

FindFault = Callable[[str], str]
"""Returns why a filter can't choose what a policy is for; empty where it can."""


class Policies(NamedTuple):
    """The policies of a profile, in order.

    Attributes:
        all: with those that can't be used, if it is known which conversations they are for.
        faults: a sentence for each that can't be used, with the path of its key.
        unknown: the paths of unknown keys.
    """

    all: tuple[Policy, ...] = ()
    faults: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def read_policies(
    raw: object,
    statuses: Sequence[StatusLabel],
    match_fault: FindFault,
    profile: str = "",
    others: Collection[str] = (),
) -> Policies:
    """Read the rows of `[[sla]]` that are for a profile.

    Args:
        statuses: those that exist; without any, the ids that are written aren't checked.
        others: the names of all profiles; without any, the names that are written aren't checked.
    """
    if not isinstance(raw, list):
        return Policies(faults=("sla: expected a list of tables, [[sla]]; SLAs are off until this is fixed",))
    reader, faults, found = TableReader(), list[str](), list[Policy]()
    for at, row in enumerate(raw):
        path, taken, unusable = f"sla[{at}]", {each.name for each in found}, None
        try:
            if not is_of_profile(row, profile):
                known, name = ", ".join(sorted(others)), row["profile"]
                expect(not others or name in others, f"{path}.profile: no profile {name!r}; choose from {known}")
                continue
            unusable = _unusable(row, path, match_fault, taken)
            policy = _policy(reader.table(ServiceClockTable, row, path), path, statuses, match_fault)
            expect(policy.name not in taken, f"{path}.name: {policy.name!r} is already used")
            found.append(policy)
        except ConfigError as error:
            if unusable is None:
                effect = "this SLA is off until this is fixed, and others may apply instead"
            else:
                found.append(unusable)
                effect = "its deadlines are unknown until this is fixed"
            faults.append(f"{error}; {effect}")
    return Policies(tuple(found), tuple(faults), tuple(reader.unknown))


def _unusable(row: Any, path: str, match_fault: FindFault, taken: Collection[str]) -> Policy | None:
    """Return what stands for a row that can't be used; None where it isn't known which clocks it has."""
    if not isinstance(row, dict):
        return None
    match, targets = row.get("match", ""), {kind: 0.0 for key, kind in TARGETS.items() if key in row}
    is_text = isinstance(match, str) and isinstance(row.get("profile", ""), str)
    if not targets or not is_text or (match.strip() and match_fault(match)):
        return None
    name = row.get("name")
    has_name = isinstance(name, str) and name.strip() and name not in taken
    return Policy(str(name) if has_name else path, match.strip(), None, targets)


def policy_of_each(
    policies: Sequence[Policy], find_matches: FindMatches, db: apsw.Connection, conversation_ids: Collection[str]
) -> dict[str, Policy]:
    """Return the first policy that matches each conversation; one that none matches is left out."""
    left, found = set(conversation_ids), dict[str, Policy]()
    for each in policies:
        matching = find_matches(db, each.match, left) if each.match else left
        found |= dict.fromkeys(matching, each)
        left -= set(matching)
    return found


def _policy(row: ServiceClockTable, path: str, statuses: Sequence[StatusLabel], match_fault: FindFault) -> Policy:
    fault = match_fault(row.match) if row.match.strip() else ""
    expect(not fault, f"{path}.match: {fault}")
    week = _week(row.hours, f"{path}.hours")
    hours = BusinessHours(_zone(row.zone, path), week, _holidays(row, path))
    targets = {kind: seconds for key, kind in TARGETS.items() if (seconds := getattr(row, key))}
    expect(bool(targets), f"{path}: no target; set at least one of {', '.join(TARGETS)}")
    weekly = sum(until - opens for periods in week for opens, until in periods)
    for key, kind in TARGETS.items():
        # Half of the days that are searched: holidays must not put a deadline beyond them.
        fits = targets.get(kind, 0.0) <= weekly * MAX_DAYS / 14
        expect(fits, f"{path}.{key}: more than five years of these business hours; write a shorter time")
    return Policy(row.name, row.match.strip(), hours, targets, _pauses(row.pauses, path, statuses), row.warn)


def _zone(name: str, path: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):  # not found is a KeyError
        pass
    raise ConfigError(f"{path}.zone: {name!r} isn't a time zone known here; write a name such as Europe/Rome")


def _week(lines: Sequence[str], path: str) -> list[list[Period]]:
    week: list[list[Period]] = [[] for _ in _DAYS]
    for at, line in enumerate(lines):
        here = f"{path}[{at}]"
        days, *periods = line.lower().split() or [""]
        expect(bool(periods), f"{here}: write days and periods, like {HOURS_EXAMPLE}")
        for number in _days(days, here):
            week[number] += [_period(each, here) for each in periods]
    for day, periods_of_day in zip(_DAYS, week, strict=True):
        periods_of_day.sort()
        for before, after in itertools.pairwise(periods_of_day):
            words = f"{_clock(before)} and {_clock(after)} overlap on {day}"
            expect(before[1] <= after[0], f"{path}: {words}")
    return week


def _days(words: str, here: str) -> Collection[int]:
    found: list[int] = []
    for each in words.split(","):
        days = re.fullmatch(_DAYS_WORDS, each)
        if days is None:
            raise ConfigError(f"{here}: {each!r} isn't a day; write mon, tue-fri or sat,sun")
        first = _DAYS.index(days[1])
        last = _DAYS.index(days[2] or days[1])
        found += [(first + more) % 7 for more in range((last - first) % 7 + 1)]
    return dict.fromkeys(found)


def _period(words: str, here: str) -> Period:
    found = re.fullmatch(_PERIOD, words)
    if found is None:
        raise ConfigError(f"{here}: {words!r} isn't a period; write one like 09:00-17:30")
    from_hour, from_minute, to_hour, to_minute = map(int, found.groups())
    opens, until = from_hour * 3_600 + from_minute * 60, to_hour * 3_600 + to_minute * 60
    is_time = from_minute < 60 and to_minute < 60 and opens < DAY and until <= DAY
    expect(is_time, f"{here}: {words!r} isn't within 00:00-24:00")
    expect(opens < until, f"{here}: {words!r} doesn't end after it begins; write a night as two periods")
    return opens, until


def _clock(period: Period) -> str:
    return "-".join(f"{each // 3_600:02}:{each % 3_600 // 60:02}" for each in period)


def _pauses(written: Sequence[str], path: str, statuses: Sequence[StatusLabel]) -> frozenset[str]:
    found: set[str] = set()
    for words in written:
        ids = {each.id for each in statuses if words == each.id or words.casefold() == each.name.casefold()}
        known = ", ".join(each.id for each in statuses)
        expect(
            bool(ids) or not statuses,
            f"{path}.pauses: unknown status {words!r}; choose from {known}, or add it to the profile's statuses",
        )
        found |= ids or {words}
    return frozenset(found)


def _holidays(row: ServiceClockTable, path: str) -> Callable[[date], bool]:
    if not row.country:
        return row.holidays.__contains__
    of_country = _country_holidays(row.country, f"{path}.country")
    return lambda day: day in row.holidays or of_country(day)


def _country_holidays(country: str, path: str) -> Callable[[date], bool]:
    """Return whether a date is a holiday of a country such as IT, or a part of it such as DE-BY."""
    try:
        from holidays import country_holidays
    except ImportError:
        remedy = f"install it with `{install_command('holidays')}`, or list the dates in holidays"
        raise ConfigError(f"{path}: the package holidays isn't installed; {remedy}") from None
    code, _, part = country.partition("-")
    try:
        found = country_holidays(code, subdiv=part or None)
    except NotImplementedError:
        raise ConfigError(f"{path}: no holidays known for {country!r}; write a code like IT or DE-BY") from None
    return lambda day: day in found
