"""Pending changes against the platform's data, pure: applied for lists and PATCHes, compared with answers.

The comparison tells which changes collide with a colleague's, and which have arrived.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from frontdesk.outbox.task_fields import is_merged, same_value
from frontdesk.storage.records import Change, Json
from frontdesk_api import json_access


def merge_people(current: object, intent: Mapping[str, Any]) -> list[str]:
    """Add and remove people, keeping the order, without duplicates."""
    removed = set(intent.get("remove", ()))
    there = json_access.texts(current)
    people = [person for person in there if person not in removed]
    return people + [person for person in intent.get("add", ()) if person not in people]


def apply_fields(task: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    return {**task, **{name: _led_by(task, name, value) for name, value in fields.items()}}


def _led_by(task: Mapping[str, Any], name: str, value: Any) -> Any:
    """Return the value to which setting a field leads."""
    return merge_people(task.get(name), value) if is_merged(name) else value


def apply_changes(task: Mapping[str, Any], changes: Iterable[Change]) -> dict[str, Any]:
    """Apply changes to the task in the order in which they were made."""
    shown = dict(task)
    for change in changes:
        shown = apply_fields(shown, change.fields)
    return shown


def led_to(name: str, set_to: object, value: object) -> bool:
    """Return whether a field that was set in this way has this value."""
    if not is_merged(name):
        return same_value(name, set_to, value)
    moved, people = json_access.mapping(set_to), set(json_access.texts(value))
    added, removed = json_access.texts(moved.get("add")), json_access.texts(moved.get("remove"))
    return {*added} <= people and people.isdisjoint(removed)


def differing(shown: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields whose values differ from those shown."""
    return {
        name: value
        for name, value in fields.items()
        if not same_value(name, shown.get(name), _led_by(shown, name, value))
    }


def collisions(changes: Sequence[Change], task: Json) -> list[Change]:
    """Return the changes of which someone else has set a field since (people merge, so they never collide).

    A field doesn't collide while it has the value before the first of the changes, or one that any of them sets.
    """
    colliding: list[Change] = []
    begins = _begins(changes)
    while True:
        left = [each for each in changes if each not in colliding]
        known = {name: [begins[name], *_values(left, name)] for name in begins}
        more = [
            each
            for each in left
            if any(
                not any(same_value(name, task.get(name), value) for value in known[name])
                for name in each.fields
                if not is_merged(name)
            )
        ]
        if not more:
            return colliding
        # Other fields of such a change aren't sent either, so they explain no value any more.
        colliding += more


class Fate(NamedTuple):
    """The outcome of one PATCH without an answer, found by fetching the task again.

    Attributes:
        was_carried_out: whether the task has a value that only the PATCH can have set.
        arrived: changes whose values are all present.
        again: changes to send again, since neither they nor anything else of the PATCH arrived.
        colliding: by change, the fields that are neither as before nor as set, or that are missing
            although the rest of the PATCH arrived.
    """

    was_carried_out: bool
    arrived: tuple[Change, ...]
    again: tuple[Change, ...]
    colliding: Mapping[int, tuple[str, ...]]


def fate_of(sent: Sequence[Change], task: Json) -> Fate:
    """Sort the changes of one PATCH by the task's present values."""
    begins = _begins(sent)
    wanted = apply_changes(task, sent)
    missing = {name for name in begins if not same_value(name, task.get(name), wanted.get(name))}
    moved = {name for name in missing if not _as_before(name, begins[name], task, sent)}
    was_carried_out = any(_has_effect(name, begins[name], sent) for name in begins.keys() - missing)
    arrived: list[Change] = []
    again: list[Change] = []
    colliding: dict[int, tuple[str, ...]] = {}
    for change in sent:
        lacking = tuple(name for name in change.fields if name in missing)
        if not lacking:
            arrived.append(change)
        elif was_carried_out or moved.intersection(lacking):
            colliding[change.change_id] = lacking
        else:
            again.append(change)
    return Fate(was_carried_out, tuple(arrived), tuple(again), colliding)


def set_later(change: Change, live: Iterable[Change]) -> set[str]:
    """Return the fields of a change that a later change of the same task sets again."""
    return {
        name
        for later in live
        if later.change_id > change.change_id
        for name in later.fields
        if name in change.fields and not is_merged(name)
    }


def _begins(changes: Sequence[Change]) -> dict[str, Any]:
    """Return the value of each field before the first change to it."""
    begins: dict[str, Any] = {}
    for change in changes:
        for name in change.fields:
            begins.setdefault(name, change.base.get(name))
    return begins


def _values(changes: Sequence[Change], name: str) -> list[Any]:
    return [change.fields[name] for change in changes if name in change.fields]


def _as_before(name: str, before: Any, task: Json, sent: Sequence[Change]) -> bool:
    """Return whether a field has none of the PATCH's values. Other people's additions to the list don't count."""
    if not is_merged(name):
        return same_value(name, task.get(name), before)
    added, removed = _moves(name, before, sent)
    there = set(json_access.texts(task.get(name)))
    return not (added & there or removed - there)


def _has_effect(name: str, before: Any, sent: Sequence[Change]) -> bool:
    """Return whether the changes of a field together change anything; otherwise they prove no arrival."""
    if is_merged(name):
        return any(_moves(name, before, sent))
    return not same_value(name, before, _values(sent, name)[-1])


def _moves(name: str, before: Any, sent: Sequence[Change]) -> tuple[set[str], set[str]]:
    """Return the people added and removed, compared with the list before."""
    was = set(json_access.texts(before))
    wanted = set(json_access.texts(apply_changes({name: before}, sent)[name]))
    return wanted - was, was - wanted
