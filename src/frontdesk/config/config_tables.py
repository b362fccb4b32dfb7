"""Tables of config.toml that are lists or templates: a profile's catalogues, macros, replies, `[[sla]]`, pages.

`automation.macros` and `service_clocks.policies` parse the words in macros and SLAs. An unusable macro is
reported with its line, and the others work. In the addresses of the platform's own pages,
`https://…/tasks/{task}`, each id is encoded as one part of a path, so that none can choose the host.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple
from urllib.parse import quote, urlsplit

from frontdesk.config.file_access import OpenToOthers, read_own_file
from frontdesk.config.tables import ConfigError, TableReader, declare, expect
from frontdesk.config.toml_edits import TablePlace, parse_toml, place_of, table_places
from frontdesk_api.contract.ids import AgentId, LineId, StatusId, TagId

KNOWN_FIELDS = ("customer", "number", "line", "me")
"""Fields of a text that are filled from the conversation; a person types the others."""

_FIELD = r"\{([A-Za-z][A-Za-z0-9_ -]{0,39})\}"


@dataclass(frozen=True, slots=True)
class ReplySetting:
    """A reply: a workflow to run for the customer, or a text to copy."""

    name: str = declare("What the list shows.", expected="a name", is_filled=True, unique=str, names_row=True)
    workflow: str = declare("The id of a workflow to run for the customer. A reply has this or `text`.", "")
    folder: str = declare(
        "With `workflow`: the id of the folder for the campaign that runs it.", "", without="frontdesk asks"
    )
    text: str = declare(
        "A text to copy, instead of a workflow. frontdesk fills in `{customer}`, `{number}`, `{line}` and "
        "`{me}`. It asks for any other field, such as `{day}`, and for values that it doesn't know.",
        "",
    )

    def fault(self) -> str:
        """Return the fault in the whole row, after its path."""
        if (self.workflow == "") is (self.text.strip() == ""):
            return ": set either workflow or text"
        return ".folder: goes with workflow, not with text" if self.folder and not self.workflow else ""

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the text's fields, each once, in order."""
        return tuple(dict.fromkeys(re.findall(_FIELD, self.text)))

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the text with its fields replaced; braces in a value stay."""
        return re.sub(_FIELD, lambda found: values.get(found[1], found[0]), self.text)


PLACEHOLDERS: Mapping[str, tuple[str, ...]] = {
    "conversation": ("conversation", "line", "customer"),
    "task": ("task", "conversation", "line", "customer"),
    "campaign": ("campaign",),
    "workflow": ("workflow",),
}
"""The ids that a template of each kind may name; the page's own id or the customer's is required."""

_NEEDED = {"conversation": ("conversation", "customer")}
_PLACEHOLDER = r"\{([^{}]*)\}"


class NoPage(Exception):
    """Raised when this page has no address; the text says why, without a full stop."""


def page_address(templates: Mapping[str, str], kind: str, ids: Mapping[str, str]) -> str:
    """Return the address of a record's page.

    Args:
        templates: of the profile, by kind.
        kind: of `PLACEHOLDERS`.
        ids: by placeholder; an unknown one is missing or empty.

    Raises:
        NoPage: the profile has no template of this kind, or an id is unknown or fits no address.
    """
    template = templates.get(kind)
    if template is None:
        raise NoPage(
            f"this profile has no address for the platform's page of a {kind}: set {kind} in its web_url"
            " (docs/configuration.md)"
        )

    def encoded(found: re.Match[str]) -> str:
        name = found[1]
        value = ids.get(name, "")
        if not value:
            raise NoPage(f"the {kind}'s address needs the {name}'s id, which isn't known here")
        if value in (".", ".."):  # a browser would resolve it in the path, even if encoded
            raise NoPage(f"the {name}'s id can't be part of an address")
        try:
            return quote(value, safe="")
        except UnicodeEncodeError:
            raise NoPage(f"the {name}'s id has an invalid character") from None

    return re.sub(_PLACEHOLDER, encoded, template)


def check_template(template: str, here: str) -> str:
    """Return a template of a kind, which its path ends with.

    Raises:
        ConfigError: it makes no address, or an id could choose its host.
    """
    kind = here.rpartition(".")[2]
    allowed = PLACEHOLDERS[kind]
    names = re.findall(_PLACEHOLDER, template)
    listed = ", ".join(f"{{{each}}}" for each in allowed)
    for name in names:
        expect(name in allowed, f"{here}: unknown placeholder {{{name}}}; expected {listed}")
    rest = re.sub(_PLACEHOLDER, "", template)
    expect("{" not in rest and "}" not in rest, f"{here}: an unmatched brace; placeholders are {listed}")
    is_plain = template.isascii() and template.isprintable() and " " not in template
    expect(is_plain, f"{here}: use only printable ASCII without spaces; encode other characters (%20)")
    try:
        parts = urlsplit(template)
        host, user = parts.hostname, parts.username
    except ValueError:
        host = user = None
    problem = _address_problem(template, host, user)
    expect(not problem, f"{here}: {problem}")
    needed = _NEEDED.get(kind, (kind,))
    wanted = " or ".join(f"{{{each}}}" for each in needed)
    expect(bool({*names} & {*needed}), f"{here}: needs {wanted}; otherwise each {kind} has the same page")
    return template


def _address_problem(template: str, host: str | None, user: str | None) -> str:
    if not template.startswith(("https://", "http://")) or not host:
        return "expected an address that begins with https:// or http://"
    if user is not None:
        return "a user name or password can't be part of it"
    if "{" in template.split("/", 3)[2]:
        return "the host can't have a placeholder, because an id from the platform would then choose the host"
    return ""


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


_DURATION = r"(?:(\d{1,4})h)?(?:(\d{1,4})m)?"
_DURATION_WORDS = 'business hours and minutes, like "1h", "90m" or "16h30m"'


def _seconds(words: str, path: str) -> float:
    found = re.fullmatch(_DURATION, words)
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
    profile: str = declare("The profile that this SLA applies to.", "", without="all")
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


def is_of_profile(row: object, profile: str) -> bool:
    """Return whether a row of `[[sla]]` is for a profile; an unusable one may be."""
    name = row.get("profile") if isinstance(row, dict) else None
    return not isinstance(name, str) or name in ("", profile)


class MacroStep(NamedTuple):
    """A step as it is written, and its place: "config.toml, line 12"."""

    text: str
    where: str


class MacroSetting(NamedTuple):
    """A macro of the config.

    Attributes:
        where: the place of its key, as "config.toml, line 12".
    """

    name: str
    key: str
    steps: tuple[MacroStep, ...]
    where: str


class MacroFile(NamedTuple):
    """The macros of a config, and a sentence with the line of each unusable one."""

    macros: tuple[MacroSetting, ...] = ()
    faults: tuple[str, ...] = ()


def load_macros(path: Path) -> MacroFile:
    """Load the macros of a config file; none if it can't be loaded, which `settings.load_config` reports."""
    try:
        text = read_own_file(path)
        return read_macros(parse_toml(text).get("macros", []), text, path.name)
    except (OSError, OpenToOthers, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return MacroFile()


def read_macros(rows: object, text: str, file: str) -> MacroFile:
    """Parse the value of `macros`.

    Args:
        text: the file, for looking up lines.
        file: its name for sentences.
    """
    if not isinstance(rows, list):
        return MacroFile(faults=(f"{file}: write [[macros]] in double brackets before each macro",))
    tables = table_places(text, file)
    places = [each for each in tables if each.is_list and each.name == "macros"]
    macros: list[MacroSetting] = []
    faults: list[str] = []
    for number, row in enumerate(rows):
        place = places[number] if len(places) == len(rows) else TablePlace(file)
        try:
            table = TableReader().table(MacroTable, row, f"macros[{number}]")
        except ConfigError as error:
            faults.append(f"{place_of(str(error), tables) or file}: {error}")
            continue
        steps = tuple(MacroStep(step, place.of_text(step)) for step in table.do)
        macros.append(MacroSetting(table.name.strip(), table.key.strip(), steps, place.of_key("key")))
    return MacroFile(tuple(macros), tuple(faults))
