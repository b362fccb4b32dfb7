"""Verbs: what people do to records, each declared once, with its words and its write.

A verb makes a `RecordChange` of typed words. Keys and their dialogs, the linear mode, the command line and macros
do it by `apply`: one write and one action, with one undo.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

import apsw

from frontdesk.config.actions import Undo
from frontdesk.config.render_context import Catalogue, RenderContext
from frontdesk.outbox import batches
from frontdesk.outbox.batches import ActionResult, new_batch
from frontdesk.storage.clocks import TimedT, parse_by_clock
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import Change, ChangeKind, Made
from frontdesk.text import relative_time
from frontdesk.text.fuzzy import UnusableWords
from frontdesk.text.relative_time import DAY, HOUR, MINUTE
from frontdesk_lines.lines import Line


class On(StrEnum):
    """The records that a part of a change is made on, where a person has chosen rows of tasks or conversations."""

    TASK = "task"
    """The tasks, or one task of each conversation."""
    CONVERSATION = "conversation"
    """The conversations, or those of the tasks."""
    TASK_ROW = "task row"
    CONVERSATION_ROW = "conversation row"


ROWS = (On.CONVERSATION_ROW, On.TASK_ROW)

Records = Mapping[On, Sequence[str]]
"""The ids of the records that a change is made on."""


class VerbContext(NamedTuple):
    """The context in which a verb parses words.

    Attributes:
        store: None while a config is checked, and in a thread that may not read it.
        is_kept: whether the words are in a config: they may name an unknown id, but no position in a list.
        records: the records that are meant, if they are known yet.
        clock_offset: used without a store.
    """

    view: RenderContext
    store: ProfileStore | None = None
    is_kept: bool = False
    when: Callable[[datetime, datetime], str] = relative_time.moment
    records: Mapping[On, Sequence[str]] = {}
    clock_offset: float | None = None

    @property
    def now(self) -> datetime:
        return datetime.fromtimestamp(self.view.now, self.view.zone)

    def time(self, parse: Callable[[str, datetime], TimedT], words: str) -> TimedT:
        """Return the time that words mean.

        Raises:
            UnusableWords: they mean none, or count from a clock that is off.
        """
        offset = self.store.clock_offset() if self.store else self.clock_offset
        return parse_by_clock(parse, words, self.now, offset)


class Write(Protocol):
    """Changes records inside a transaction, and returns how many of them change."""

    def __call__(self, db: apsw.Connection, ids: Sequence[Any], /, *, made: Made) -> int: ...


class Part(NamedTuple):
    """The part of a change that is made on one kind of record.

    Attributes:
        fields: the new values of tasks by the interface's names, so that a plan can tell which tasks change.
        kind: the kind of the changes, if they are sent.
    """

    on: On
    write: Write
    fields: Mapping[str, Any] = {}
    kind: ChangeKind | None = None


class RecordChange(NamedTuple):
    """A change of records and its words; the names of the records follow, unless stated otherwise.

    Attributes:
        label: the name of the changes in Activity, whole.
        did: the result on a screen.
        state: the state of the records afterwards, as "completed"; it follows their names.
        question: makes the linear mode's question before many records change, from their names; None for none.
        result: makes the result for the linear mode and the command line, without the full stop.
        gets: the effect on each record, whatever it has now.
        verb: the plan's yes.
        nothing: the linear mode's result if nothing has to be changed; empty for the usual words.
        note: a warning, such as how the words were understood.
        means: the meaning of the words, shown while they are typed.
        leaves: whether the rows leave the list, so that the cursor moves on.
    """

    label: str
    title: str
    did: str
    state: str
    question: Callable[[str], str] | None
    result: Callable[[str], str]
    parts: Sequence[Part]
    gets: Line = ()
    undo: Undo = Undo.ALWAYS
    verb: str = "Change"
    nothing: str = ""
    note: str = ""
    means: str = ""
    leaves: bool = False

    @property
    def on(self) -> Sequence[On]:
        return tuple(part.on for part in self.parts)

    @property
    def fields(self) -> Mapping[str, Any]:
        """Return the values that it sets on tasks."""
        return {name: value for part in self.parts for name, value in part.fields.items()}


class Verb(NamedTuple):
    """An action on records, in words.

    Attributes:
        id: the action's; one of its own if no key has it.
        word: the name of the linear mode's command, and the first word of a macro's step.
        on: the records that its parts are made on.
        parse: makes the change from the words that follow; raises `UnusableWords`.
        missing: makes the question for words that are missing, empty if none are needed; None if none may follow.
        example: an example of a macro's step; empty if it can't be one.
        recall: returns the words of a step that repeats a change of a record; none if it isn't of this verb.
        joins: whether several steps of a macro are the same as one with all their words.
    """

    id: str
    word: str
    on: Sequence[On]
    parse: Callable[[str, VerbContext], RecordChange]
    missing: Callable[[VerbContext], str] | None = None
    example: str = ""
    recall: Callable[[Change, Catalogue], Sequence[str]] = lambda *_: ()
    joins: bool = False


def recall_time(at: float | None, change: Change, more: str = "") -> list[str]:
    """Return words for a time as far ahead as it was then, in whole days or hours if possible; none if it is past.

    Times are kept in whole minutes, so that what was typed as `+2h` may be up to a minute less.
    """
    seconds = (at or 0.0) - change.made_at
    minutes = round(seconds / MINUTE)
    if minutes <= 0:
        return []
    for unit, sign in ((DAY, "d"), (HOUR, "h")):
        count = round(seconds / unit)
        if count and abs(seconds - count * unit) <= MINUTE:
            return [f"+{count}{sign}{more}"]
    return [f"+{minutes}m{more}" if minutes < 2 * HOUR // MINUTE else f"+{round(seconds / HOUR)}h{more}"]


def split_names(words: str) -> list[str]:
    """Split names at their commas; words that have none name nothing."""
    names = [part.strip() for part in words.split(",") if part.strip()]
    if words and not names:
        raise UnusableWords(f"no name in {words!r}")
    return names


def apply(store: ProfileStore, change: RecordChange, records: Records) -> "Future[ActionResult]":
    """Make a change in one write, as one action; it is counted by the kind of record of which most change."""

    def write(db: apsw.Connection, made: Made) -> int:
        found = [(part, records.get(part.on)) for part in change.parts]
        done = {part.on: part.write(db, ids, made=made) for part, ids in found if ids}
        return max((*done.values(), sum(done.get(each, 0) for each in ROWS)), default=0)

    return write_action(store, change.label, write, has_undo=change.undo is not Undo.NEVER)


def write_action(
    store: ProfileStore, label: str, write: Callable[..., int], *, has_undo: bool = True
) -> "Future[ActionResult]":
    """Run a write, which returns how many records change, as one action."""
    made = Made(new_batch(), label, store.clock())

    def work(db: apsw.Connection) -> ActionResult:
        count = write(db, made=made)
        if is_action := count > 0 and has_undo:
            batches.record(db, made)
        return ActionResult(count, (), made.batch if is_action else "", label)

    return store.write(work)
