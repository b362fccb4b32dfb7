"""A filter of tasks as a person types it: `line:support -agent:noa late`, and back into words.

All that stands there must hold; a `-` or `!` before a term turns it round, quotes keep blanks. A name stands
for its id where it is the only one that begins so or holds it; what is no known name is an id.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from frontdesk.desk.catalogue import Catalogue
from frontdesk.store.filtering import NOBODY, Field, TaskFilter, Term

ME, NO_AGENT = "me", "nobody"
_TERM = re.compile(r'([-!]?)(?:(line|agent|conversation):)?(?:"((?:[^"]|"")*)(?:"|$)|(\S*))', re.IGNORECASE)
_PLAIN = re.compile(r'(?![-!"]|(?:line|agent|conversation):)\S+', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Names:
    """The names by which lines and agents can be typed: from id to name."""

    lines: Mapping[str, str]
    agents: Mapping[str, str]

    @classmethod
    def of(cls, catalogue: Catalogue, lines_seen: Iterable[str], people_seen: Iterable[str]) -> "Names":
        """Those of the config and those seen in tasks; who types is `me`."""
        people = {str(each.agent_id): each.name for each in catalogue.people(people_seen)}
        if catalogue.me is not None:
            people[catalogue.me] = ME
        lines = {str(each): name for each, name in catalogue.lines.items()}
        return cls(lines | {each: catalogue.line(each) for each in lines_seen}, people | {NOBODY: NO_AGENT})

    def among(self, field: Field) -> Mapping[str, str]:
        """The names of a field; conversations have none of their own."""
        return {Field.LINE: self.lines, Field.AGENT: self.agents}.get(field, {})


def parse(typed: str, names: Names) -> TaskFilter:
    """What was typed; there is nothing that can't be read, only words that nothing holds."""
    terms: list[Term] = []
    for found in _TERM.finditer(typed):
        minus, kind, quoted, plain = found.groups()
        value = (quoted.replace('""', '"') if quoted is not None else plain or "").strip()
        if not value:
            continue
        field = Field(kind.lower()) if kind else Field.WORDS
        term = Term(field, _id_of(value, names.among(field)), is_not=bool(minus))
        if term not in terms:
            terms.append(term)
    return TaskFilter(tuple(terms))


def written(wanted: TaskFilter, names: Names) -> str:
    """The filter as it would be typed; `parse` reads the same out of it."""
    return " ".join(term_written(term, names) for term in wanted.terms)


def term_written(term: Term, names: Names) -> str:
    """One term as it would be typed."""
    among = names.among(term.field)
    name = among.get(term.value, term.value)
    value = name if _id_of(name, among) == term.value else term.value
    shown = value if _PLAIN.fullmatch(value) else '"' + value.replace('"', '""') + '"'
    return f"{'-' * term.is_not}{'' if term.field is Field.WORDS else f'{term.field}:'}{shown}"


def last_term(typed: str) -> tuple[str, str, str, str]:
    """What is typed before the term at the end, and that term's minus, field and value so far."""
    at = 0
    for found in _TERM.finditer(typed):
        if found.group() and found.end() == len(typed):
            minus, kind, quoted, plain = found.groups()
            return typed[: found.start()], minus, (kind or "").lower(), (quoted or plain or "").strip()
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
