"""Macros: several changes of tasks and conversations as one action with one undo.

Here, as they work on tasks, tags and snoozes. The config has them (`config.macros`); a step that names nothing
known switches its macro off and says so, and nothing else.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from frontdesk.api.contract.ids import AgentId, ConversationId, TagId, TaskId
from frontdesk.config.actions import Action, Group, Undo
from frontdesk.config.macros import MacroFile, MacroSetting, MacroStep
from frontdesk.config.settings import Profile
from frontdesk.inbox import changes as tag_changes
from frontdesk.outbox import batches, queue, snoozes
from frontdesk.outbox.batches import ActionResult, new_batch
from frontdesk.outbox.changes import USED_TAG
from frontdesk.outbox.task_fields import SEEN_FIELDS, TASK_FIELDS, FieldKind, field_of, is_merged
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.platform_clock import parse_by_clock
from frontdesk.storage.records import ChangeKind
from frontdesk.tasks import changes as task_changes
from frontdesk.tasks import store as task_store
from frontdesk.text.due_parser import DueNotUnderstood, parse_due
from frontdesk.text.fuzzy import NoSuchName, find_named, may_be_id
from frontdesk.text.snooze_parser import parse_snooze
from frontdesk.text.snooze_until import SnoozeWish

CONTEXTS = ("inbox", "board")
"""The screens on which macros work."""

TASK_STEPS = {each.option: each for each in SEEN_FIELDS if not each.is_text}
"""The fields that a step can set, by its verb; a text is of one task."""

VERBS = (*TASK_STEPS, "tag", "snooze")


class UnknownStep(ValueError):
    """A step that can't be done; the text says why and what to write."""


@dataclass(slots=True)
class _Steps:
    """What the steps say so far; times stay words until the macro runs."""

    fields: dict[str, Any] = field(default_factory=dict)
    tags: list[TagId] = field(default_factory=list)
    snooze: str = ""


@dataclass(frozen=True, slots=True)
class MacroChanges:
    """What a macro does when it runs.

    Attributes:
        fields: of tasks, by the interface's names.
        tags: added to conversations.
        snooze: of conversations in the inbox, of tasks on the board; None for no such step.
    """

    fields: Mapping[str, Any]
    tags: tuple[TagId, ...] = ()
    snooze: SnoozeWish | None = None


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro that can be run.

    Attributes:
        action: its words, for the keymap.
        does: its steps in the words of the config.
        where: the place of its key in the config.
    """

    name: str
    key: str
    where: str
    action: Action
    does: str
    _steps: _Steps

    @property
    def label(self) -> str:
        """Return its name in Activity."""
        return f"Macro: {self.name}"

    def changes(self, now: datetime, clock_offset: float | None = None) -> MacroChanges:
        """Return what it does now.

        Raises:
            DueNotUnderstood: its times are over, as `today 9am` in the evening, or count from a clock that is off.
        """
        fields = {name: self._steps.fields[name] for name in TASK_FIELDS if name in self._steps.fields}
        for name in filter(_is_time, fields):
            time = parse_by_clock(parse_due, fields[name], now, clock_offset)
            if time.is_past:
                raise DueNotUnderstood(f"{fields[name]!r} is in the past; edit the macro or press d")
            fields[name] = time.seconds
        snooze = None
        if self._steps.snooze:
            snooze = parse_by_clock(parse_snooze, self._steps.snooze, now, clock_offset)
        return MacroChanges(fields, tuple(self._steps.tags), snooze)


@dataclass(frozen=True, slots=True)
class MacroTargets:
    """The records that a macro works on."""

    tasks: Sequence[TaskId]
    conversations: Sequence[ConversationId]
    snoozed_kind: ChangeKind
    snoozed: Sequence[str]


def load(file: MacroFile, profile: Profile, now: datetime) -> tuple[list[Macro], list[str]]:
    """Read the macros of a config for a profile, and a sentence for each that can't be used, with its line."""
    macros: list[Macro] = []
    faults, names = list(file.faults), set[str]()
    for each in file.macros:
        if each.name.casefold() in names:
            faults.append(f"{each.where}: another macro is also named {each.name}; this one is ignored")
        else:
            names.add(each.name.casefold())
            steps = _Steps()
            wrong = [fault for step in each.steps if (fault := _fault_of(each, step, steps, profile, now))]
            faults += wrong
            if not wrong:
                does = ", ".join(step.text.strip() for step in each.steps)
                macros.append(Macro(each.name, each.key, each.where, _action(each, len(macros)), does, steps))
    return macros, faults


def run(store: ProfileStore, macro: Macro, targets: MacroTargets, wanted: MacroChanges) -> "Future[ActionResult]":
    """Do all of a macro in one write and as one action."""
    batch, now, label = new_batch(), store.clock(), macro.label

    def write(db: Any) -> ActionResult:
        changed = [
            each
            for each in targets.tasks
            if wanted.fields
            and task_changes.set_fields(db, each, wanted.fields, batch=batch, label=label, now=now)
        ]
        task_store.refresh_overlay(db, changed)
        tagged = targets.conversations if wanted.tags else ()
        tag_changes.add_tags(db, tagged, wanted.tags, batch=batch, label=label, now=now)
        for tag in wanted.tags if tagged else ():
            queue.keep(db, USED_TAG, tag, True, now)
        slept = 0
        if wanted.snooze is not None:
            until = None if wanted.snooze.until is None else wanted.snooze.until.timestamp()
            slept = snoozes.snooze_all(
                db,
                targets.snoozed_kind,
                targets.snoozed,
                until,
                on_message=wanted.snooze.on_message,
                batch=batch,
                label=label,
                now=now,
            )
        count = max(len(changed), len(tagged), slept)
        if count:
            batches.record(db, label, batch, now)
        return ActionResult(count, (), batch if count else "", label)

    return store.write(write)


def _action(setting: MacroSetting, number: int) -> Action:
    name = f"macro.{number + 1}"
    method, group = f"app.macro('{name}')", Group.CUSTOM
    return Action(name, (), method, setting.name, setting.name, group, CONTEXTS, undo=Undo.ALWAYS, writes=True)


def _fault_of(macro: MacroSetting, step: MacroStep, steps: _Steps, profile: Profile, now: datetime) -> str:
    try:
        _read_step(step.text, steps, profile, now)
    except (UnknownStep, NoSuchName, DueNotUnderstood) as error:
        return f"{step.where}: {error}; the macro {macro.name} is ignored"
    return ""


def _read_step(text: str, steps: _Steps, profile: Profile, now: datetime) -> None:
    verb, _, words = text.strip().partition(" ")
    verb, words = verb.lower(), words.strip()
    if verb not in VERBS:
        raise UnknownStep(f"unknown step {text.strip()!r}; a step begins with {', '.join(VERBS)}")
    if not words:
        raise UnknownStep(
            f"the step {verb!r} is incomplete; write, for example, {_EXAMPLES.get(verb, f'{verb} ...')!r}"
        )
    step = TASK_STEPS.get(verb)
    is_second = bool(steps.snooze) if step is None else step.name in steps.fields and not is_merged(step.name)
    if is_second and verb != "tag":
        raise UnknownStep(f"a second {verb!r} in one macro; keep one of them")
    # When the day begins: what is over by now is fine tomorrow, and is refused when the macro runs.
    begin = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if verb == "snooze":
        parse_snooze(words, begin)
        steps.snooze = words
    elif step is None:
        titles = {each.id: each.title for each in profile.tags}
        steps.tags += [TagId(find_named(each.lstrip("#"), titles, "tag")) for each in _parts(words)]
    elif step.kind is FieldKind.STATUS:
        steps.fields[step.name] = find_named(words, {each.id: each.name for each in profile.statuses}, "status")
    elif step.kind is FieldKind.PEOPLE:
        for each in _parts(words):
            people = steps.fields.setdefault(step.name, {"add": [], "remove": []})
            people["remove" if each.startswith("-") else "add"].append(_person(each.lstrip("+-").strip(), profile))
    else:
        if step.kind is FieldKind.TIME and parse_due(words, begin).is_past:
            raise DueNotUnderstood(f"{words!r} is in the past; write a future time, such as tomorrow 9am")
        steps.fields[step.name] = words


_EXAMPLES = {
    "status": "status completed",
    "assign": "assign +me",
    "due": "due tomorrow 9am",
    "tag": "tag vip",
    "snooze": "snooze until they write",
}


def _is_time(name: str) -> bool:
    return field_of(name).kind is FieldKind.TIME


def _parts(words: str) -> list[str]:
    return [part.strip() for part in words.split(",") if part.strip()]


def _person(typed: str, profile: Profile) -> AgentId:
    """Return the id of a person: me, one whom the config names, or an id, which the config needn't know."""
    if typed.casefold() == "me":
        if profile.agent_id is None:
            raise UnknownStep("'me' needs agent_id in the profile")
        return profile.agent_id
    try:
        return find_named(typed, profile.agents, "person")
    except NoSuchName:
        if may_be_id(typed):
            return AgentId(typed)
        raise
