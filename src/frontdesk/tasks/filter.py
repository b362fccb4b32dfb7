"""Parse and write a filter of tasks: `line:support -agent:noa is:overdue late`.

All terms have to hold; `-` or `!` before one inverts it, quotes keep blanks. A name stands for its id if it is
the only one that begins so or contains it; an unknown name is an id. The language is that of `inbox.saved_views`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from frontdesk.config.catalogue import Catalogue
from frontdesk.tasks.filter_query import NOBODY, TaskField, TaskFilter, TaskTerm
from frontdesk.text.fuzzy import MAX_TERMS, flag_refusal, key_refusal

ME, NO_AGENT = "me", "nobody"
IS = "is"
KEYS = (IS, str(TaskField.LINE), str(TaskField.AGENT), str(TaskField.CONVERSATION))
MINE, UNASSIGNED, OVERDUE = "mine", "unassigned", "overdue"
FLAGS = (MINE, UNASSIGNED, OVERDUE)
"""The values of `is:`."""

_KEY = "[a-z]+:(?!//)"
_TERM = re.compile(rf'([-!]?)(?:({_KEY}))?(?:"((?:[^"]|"")*)(?:"|$)|(\S*))', re.IGNORECASE | re.ASCII)
_PLAIN = re.compile(rf'(?![-!"]|{_KEY})\S+', re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class FilterNames:
    """Names that can be typed for lines and agents, by id."""

    lines: Mapping[str, str]
    agents: Mapping[str, str]

    @classmethod
    def of(cls, catalogue: Catalogue, lines_seen: Iterable[str], people_seen: Iterable[str]) -> "FilterNames":
        """Collect those of the config and of tasks; the person of the profile is `me`."""
        people = {str(each.agent_id): each.name for each in catalogue.people(people_seen)}
        if catalogue.me is not None:
            people[catalogue.me] = ME
        lines = {str(each): name for each, name in catalogue.lines.items()}
        return cls(lines | {each: catalogue.line(each) for each in lines_seen}, people | {NOBODY: NO_AGENT})

    def among(self, field: TaskField) -> Mapping[str, str]:
        """Return the names for a field; empty for conversations."""
        return {TaskField.LINE: self.lines, TaskField.AGENT: self.agents}.get(field, {})


def parse(typed: str, names: FilterNames) -> TaskFilter:
    """Parse a filter; what can't be used is among the faults."""
    terms: dict[TaskTerm, None] = {}
    faults: list[str] = []
    for found in _TERM.finditer(typed):
        minus, kind, quoted, plain = found.groups()
        value = (quoted.replace('""', '"') if quoted is not None else plain or "").strip()
        if not value:
            continue
        made = _term((kind or "").lower().removesuffix(":"), value, names, is_not=bool(minus))
        if isinstance(made, TaskTerm):
            terms[made] = None
        else:
            faults.append(made)
    if len(terms) > MAX_TERMS:
        faults.append(f"only the first {MAX_TERMS} terms are looked at")
    return TaskFilter(tuple(terms)[:MAX_TERMS], tuple(faults))


def _term(key: str, value: str, names: FilterNames, *, is_not: bool) -> TaskTerm | str:
    if key == IS:
        return _flag(value.lower(), names, is_not=is_not)
    if key and key not in KEYS:
        return key_refusal(key, KEYS)
    field = TaskField(key) if key else TaskField.WORDS
    return TaskTerm(field, _id_of(value, names.among(field)), is_not)


def _flag(value: str, names: FilterNames, *, is_not: bool) -> TaskTerm | str:
    if value == OVERDUE:
        return TaskTerm(TaskField.OVERDUE, OVERDUE, is_not)
    if value == UNASSIGNED:
        return TaskTerm(TaskField.AGENT, NOBODY, is_not)
    if value != MINE:
        return flag_refusal(value, FLAGS)
    me = next((each for each, name in names.agents.items() if name == ME), None)
    return "is:mine is off until agent_id is set" if me is None else TaskTerm(TaskField.AGENT, me, is_not)


def written(wanted: TaskFilter, names: FilterNames) -> str:
    """Write a filter so that `parse` reads the same from it."""
    return " ".join(term_written(term, names) for term in wanted.terms)


def term_written(term: TaskTerm, names: FilterNames) -> str:
    if term.field is TaskField.OVERDUE:
        return f"{'-' * term.is_not}{IS}:{OVERDUE}"
    among = names.among(term.field)
    name = among.get(term.value, term.value)
    value = name if _id_of(name, among) == term.value else term.value
    shown = value if _PLAIN.fullmatch(value) else '"' + value.replace('"', '""') + '"'
    return f"{'-' * term.is_not}{'' if term.field is TaskField.WORDS else f'{term.field}:'}{shown}"


def last_term(typed: str) -> tuple[str, str, str, str]:
    """Split off the last term; return the text before it, and its minus, field and value so far."""
    at = 0
    for found in _TERM.finditer(typed):
        if found.group() and found.end() == len(typed):
            minus, kind, quoted, plain = found.groups()
            key = (kind or "").lower().removesuffix(":")
            return typed[: found.start()], minus, key, (quoted or plain or "").strip()
        at = found.end()
    return typed[:at], "", "", ""


def _id_of(value: str, names: Mapping[str, str]) -> str:
    wanted = value.casefold()
    if wanted == NO_AGENT and NOBODY in names:
        return NOBODY
    if value in names:
        return value
    folded = {each: name.casefold() for each, name in names.items()}
    for is_meant in (str.__eq__, str.startswith, str.__contains__):
        found = [each for each, name in folded.items() if is_meant(name, wanted)]
        if len(found) == 1:
            return found[0]
    return value
