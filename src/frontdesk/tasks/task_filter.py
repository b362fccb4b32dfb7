"""The filter of tasks: `line:support -agent:noa is:overdue late`, its matching tasks, and how many were fetched.

All terms have to hold; `-` or `!` before one inverts it, quotes keep blanks. A name stands for its id if it is
the only one that begins so or contains it; what looks like an id is one, known or not, and any other unknown name
is refused. The language is that of `inbox.saved_views`.
`tasks.sync` fetches by the part of a filter that the interface knows (docs/interface.md, List tasks: line, agent,
conversation) and stores its progress here.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple

import apsw

from frontdesk.config.render_context import Catalogue
from frontdesk.outbox import snoozes
from frontdesk.storage import change_feed, full_text
from frontdesk.storage.records import ChangeKind
from frontdesk.storage.sql import first, rows
from frontdesk.text.fuzzy import MAX_TERMS, flag_refusal, key_refusal, may_be_id, name_refusal, text_refusal
from frontdesk.text.normalize import fts_expression, normalize, split_words
from frontdesk_api.contract.ids import StatusId, TaskId

NOBODY = ""
"""The agent of unassigned tasks, open or completed; the platform can't filter by it."""

_PROGRESS_KEY = "tasks of "
_KEEP_SECONDS = 7 * 86_400.0
_MAX_UNINDEXED = 2_000
"""Tasks that aren't indexed yet and are searched one by one; only a new store has more."""


class TermField(StrEnum):
    """The field of a term, as it is typed."""

    LINE = "line"
    AGENT = "agent"
    CONVERSATION = "conversation"
    WORDS = "words"
    OVERDUE = "overdue"
    UNASSIGNED = "unassigned"
    SNOOZED = "snoozed"


@dataclass(frozen=True, slots=True)
class TaskTerm:
    """A condition; `is_not` inverts it."""

    field: TermField
    value: str
    is_not: bool = False


class Scope(NamedTuple):
    """The query to the platform; empty fields aren't sent."""

    line_id: str = ""
    agent_id: str = ""
    conversation_id: str = ""

    @property
    def key(self) -> str:
        """Return a string that `of_key` reads; empty for all tasks."""
        return json.dumps(self) if any(self) else ""

    @classmethod
    def of_key(cls, key: str) -> "Scope":
        return cls(*json.loads(key)) if key else cls()


@dataclass(frozen=True, slots=True)
class TaskFilter:
    """Conditions that all have to hold; `faults` are sentences about typed parts that can't be used."""

    terms: tuple[TaskTerm, ...] = ()
    faults: tuple[str, ...] = field(default=(), compare=False)

    def __bool__(self) -> bool:
        return bool(self.terms)

    @property
    def scope(self) -> Scope:
        """Return what the platform can filter by: the first term of each field that isn't inverted."""
        asked = {term.field: term.value for term in reversed(self.terms) if not term.is_not}
        return Scope(
            *(asked.get(field, "") for field in (TermField.LINE, TermField.AGENT, TermField.CONVERSATION))
        )


@dataclass(frozen=True, slots=True)
class FilterProgress:
    """The progress of fetching a filter's tasks; `problem` is why they can't be listed, or empty."""

    complete: bool = False
    problem: str = ""


def matching(db: apsw.Connection, wanted: TaskFilter, now: float) -> dict[StatusId, list[TaskId]]:
    """Return the matching tasks of each status in the board's order, without snoozed ones unless asked for.

    Scans all tasks, unless the filter names a conversation: 15 ms for 20,000.
    """
    conditions = ["1"]
    values: list[object] = []
    asks_for_snoozed = any(each.field is TermField.SNOOZED and not each.is_not for each in wanted.terms)
    terms = wanted.terms if asks_for_snoozed else (*wanted.terms, _AWAKE)
    for term in terms:
        condition, own_values = _condition(db, term, now)
        conditions.append(f"NOT {condition}" if term.is_not else condition)
        values += own_values
    found = rows(
        db,
        f"SELECT status, task_id FROM tasks WHERE {' AND '.join(conditions)}"
        " ORDER BY due_at IS NULL OR status = 'completed', iif(status = 'completed', 0, due_at),"
        " updated_at DESC, task_id",
        tuple(values),
    )
    columns: defaultdict[StatusId, list[TaskId]] = defaultdict(list)
    for status, task_id in found:
        columns[StatusId(status)].append(TaskId(task_id))
    return dict(columns)


def snoozed(db: apsw.Connection, now: float) -> dict[StatusId, list[TaskId]]:
    if not snoozes.are_any(db, ChangeKind.SNOOZE_TASK):
        return {}
    return matching(db, TaskFilter((replace(_AWAKE, is_not=False),)), now)


def progress_of(db: apsw.Connection, scope: Scope) -> FilterProgress | None:
    """Return the progress of a scope; None before the first request."""
    row = first(db, "SELECT value FROM meta WHERE key = ?", (_PROGRESS_KEY + scope.key,))
    if row is None:
        return None
    stored = json.loads(row[0])
    return FilterProgress(stored["complete"], stored["problem"])


def put_progress(db: apsw.Connection, scope: Scope, progress: FilterProgress, now: float) -> None:
    """Store the progress of a scope; scopes unused for a week are deleted."""
    value = {"complete": progress.complete, "problem": progress.problem, "at": now}
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_PROGRESS_KEY + scope.key, json.dumps(value)))
    db.execute(
        "DELETE FROM meta WHERE key GLOB ? AND json_extract(value, '$.at') < ?",
        (f"{_PROGRESS_KEY}*", now - _KEEP_SECONDS),
    )
    change_feed.append(db, change_feed.FILTER, [scope.key])


_AWAKE = TaskTerm(TermField.SNOOZED, str(TermField.SNOOZED), is_not=True)


def _condition(db: apsw.Connection, term: TaskTerm, now: float) -> tuple[str, Sequence[object]]:
    match term.field:
        case TermField.OVERDUE:
            return "(status <> 'completed' AND coalesce(due_at <= ?, 0))", (now,)
        case TermField.UNASSIGNED:
            return "(status <> 'completed' AND assigned = '[]')", ()
        case TermField.SNOOZED:
            sql, values = snoozes.asleep(ChangeKind.SNOOZE_TASK, now)
            return f"task_id IN ({sql})", values
        case TermField.LINE:
            return "coalesce(line_id, '') = ?", (term.value,)
        case TermField.CONVERSATION if term.is_not:
            return "coalesce(conversation_id, '') = ?", (term.value,)
        case TermField.CONVERSATION:
            return "conversation_id = ?", (term.value,)
        case TermField.AGENT if term.value == NOBODY:
            return "assigned = ?", ("[]",)
        case TermField.AGENT:
            # The first part is quick and lets few through that the second one then looks at.
            is_among = "EXISTS (SELECT 1 FROM json_each(assigned) WHERE value = ?)"
            return f"(instr(assigned, ?) > 0 AND {is_among})", (json.dumps(term.value), term.value)
        case TermField.WORDS:
            return "rowid IN (SELECT value FROM json_each(?))", (json.dumps(_with_words(db, term.value)),)


def _with_words(db: apsw.Connection, words: str) -> list[int]:
    """Return the row numbers of tasks with these words, each as a prefix."""
    expression = fts_expression(words)
    if expression is None:
        return []
    indexed = rows(db, "SELECT rowid FROM task_words WHERE task_words MATCH ?", (expression,))
    fresh = rows(
        db,
        "SELECT rowid, title, body, customer_name FROM tasks WHERE rowid IN"
        " (SELECT number FROM unindexed WHERE kind = ? ORDER BY number DESC LIMIT ?)",
        (str(full_text.IndexKind.TASK), _MAX_UNINDEXED),
    )
    changed = {row[0] for row in fresh}
    held = {row[0] for row in fresh if _holds("\n".join(row[1:]), words)}
    return sorted({row[0] for row in indexed} - changed | held)


def _holds(text: str, words: str) -> bool:
    """Return whether the index would find these words in a text."""
    folded = f" {normalize(text)} "
    return all(
        f" {piece}" in folded if len(piece.split()[-1]) > 1 else f" {piece} " in folded
        for piece in split_words(words)
    )


ME, NO_AGENT = "me", "nobody"
IS = "is"
KEYS = (IS, str(TermField.LINE), str(TermField.AGENT), str(TermField.CONVERSATION))
MINE, UNASSIGNED, OVERDUE, SNOOZED = "mine", "unassigned", "overdue", "snoozed"
FLAGS = (MINE, UNASSIGNED, OVERDUE, SNOOZED)
"""The values of `is:`."""
_FLAG_FIELDS = (TermField.UNASSIGNED, TermField.OVERDUE, TermField.SNOOZED)
"""The fields that are written as a value of `is:`, their only value."""

_KEY = "[a-z]+:(?!//)"
_TERM = re.compile(rf'([-!]?)(?:({_KEY}))?(?:"((?:[^"]|"")*)(?:"|$)|(\S*))', re.IGNORECASE | re.ASCII)
_PLAIN = re.compile(rf'(?![-!"~]|{_KEY}|[a-z]+[<>])\S+', re.IGNORECASE | re.ASCII)
_COMPARISON = re.compile(r"[a-z]+[<>]", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class FilterNames:
    """Names that can be typed for lines and agents, by id."""

    lines: Mapping[str, str]
    agents: Mapping[str, str]

    @classmethod
    def of(cls, catalogue: Catalogue, lines_seen: Iterable[str], assigned_people: Iterable[str]) -> "FilterNames":
        """Collect those of the config and of tasks; the person of the profile is `me`."""
        people = {str(each.agent_id): each.name for each in catalogue.people(assigned_people)}
        if catalogue.me is not None:
            people[catalogue.me] = ME
        lines = {str(each): name for each, name in catalogue.lines.items()}
        return cls(lines | {each: catalogue.line(each) for each in lines_seen}, people | {NOBODY: NO_AGENT})

    def among(self, field: TermField) -> Mapping[str, str]:
        return {TermField.LINE: self.lines, TermField.AGENT: self.agents}.get(field, {})


def parse(typed: str, names: FilterNames) -> TaskFilter:
    """Parse a filter; what can't be used is among the faults."""
    terms: dict[TaskTerm, None] = {}
    faults: list[str] = []
    signs: list[str] = []
    for found in _TERM.finditer(typed):
        minus, kind, quoted, plain = found.groups()
        if not found[0]:
            continue  # between two terms
        value = (quoted.replace('""', '"') if quoted is not None else plain or "").strip()
        key = (kind or "").lower().removesuffix(":")
        if quoted is None and not key and (refusal := _plain_refusal(value)):
            faults.append(refusal)
            continue
        if quoted is None and not key and not split_words(value) and found[0] != "!":
            signs.append(found[0])  # a sign between words, which no search looks at
            continue
        made = _term(key, value, names, is_not=bool(minus))
        if isinstance(made, TaskTerm):
            terms[made] = None
        else:
            faults.append(made)
    if signs and not any(term.field is TermField.WORDS for term in terms):
        faults.append(text_refusal(signs[0]))
    if len(terms) > MAX_TERMS:
        faults.append(f"only the first {MAX_TERMS} terms are used")
    return TaskFilter(tuple(terms)[:MAX_TERMS], tuple(dict.fromkeys(faults)))


def _term(key: str, value: str, names: FilterNames, *, is_not: bool) -> TaskTerm | str:
    if key == IS:
        return _flag(value.lower(), names, is_not=is_not)
    if key and key not in KEYS:
        return key_refusal(key, KEYS)
    if key and not value:
        return f"{key}: needs a name or an id"
    if not key and not split_words(value):
        return text_refusal(f'"{value}"' if value else "!" * is_not or '""')
    field = TermField(key) if key else TermField.WORDS
    among = names.among(field)
    found, known = _id_of(value, among), [name for each, name in among.items() if each != NOBODY]
    if known and found not in among and not may_be_id(found):
        return name_refusal(key, value, known)
    return TaskTerm(field, found, is_not)


def _plain_refusal(value: str) -> str:
    """Return why unquoted text isn't searched for: it looks like a term that only the inbox has."""
    if _COMPARISON.match(value):
        return f"{value}: the board has is:overdue, but compares no times; quote text with < or >"
    return f"{value}: the board has no similar words (~); type the word without ~" if value[:1] == "~" else ""


def _flag(value: str, names: FilterNames, *, is_not: bool) -> TaskTerm | str:
    if value in _FLAG_FIELDS:
        return TaskTerm(TermField(value), value, is_not)
    if value != MINE:
        return flag_refusal(value, FLAGS)
    me = next((each for each, name in names.agents.items() if name == ME), None)
    return "is:mine needs agent_id in the profile" if me is None else TaskTerm(TermField.AGENT, me, is_not)


def format_filter(wanted: TaskFilter, names: FilterNames) -> str:
    """Write a filter so that `parse` reads the same from it."""
    return " ".join(format_term(term, names) for term in wanted.terms)


def format_term(term: TaskTerm, names: FilterNames) -> str:
    if term.field in _FLAG_FIELDS:
        return f"{'-' * term.is_not}{IS}:{term.field}"
    among = names.among(term.field)
    name = among.get(term.value, term.value)
    value = name if _id_of(name, among) == term.value else term.value
    shown = value if _PLAIN.fullmatch(value) else '"' + value.replace('"', '""') + '"'
    return f"{'-' * term.is_not}{'' if term.field is TermField.WORDS else f'{term.field}:'}{shown}"


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
