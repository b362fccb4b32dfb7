"""Each field that an update can set is known wherever tasks are changed and shown, or has a reason why not."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import apsw
import pytest
import typer

from frontdesk.automation import hook_monitor, macros, record_documents
from frontdesk.automation.macro_actions import steps_of
from frontdesk.cli.record_names import RecordNames
from frontdesk.config.config_tables import MacroFile, MacroSetting, MacroStep
from frontdesk.config.facts import lines
from frontdesk.config.render_context import Catalogue
from frontdesk.config.settings import Profile, StatusLabel
from frontdesk.linear.sentences import speak
from frontdesk.outbox import queue
from frontdesk.outbox.bulk import describe_effect, plan_tasks
from frontdesk.outbox.change_view import LABEL_CELLS, stored_value
from frontdesk.outbox.overlay import collisions, led_to
from frontdesk.outbox.task_fields import SEEN_FIELDS, TASK_FIELDS, FieldKind, TaskField
from frontdesk.outbox.verbs import VerbContext
from frontdesk.registry.changes import CHANGE_HANDLERS, CHANGE_VIEWS
from frontdesk.storage import record_lookup
from frontdesk.storage.records import Change, ChangeKind, ChangeState, Made, TaskRecord
from frontdesk.tasks import changes, history
from frontdesk.tasks import store as task_store
from frontdesk.tasks.cli import app as cli
from frontdesk.tasks.cli import update as cli_update
from frontdesk.tasks.linear import task_facts
from frontdesk.tasks.view import TaskFacts, detail, transition_sentence
from frontdesk_api.contract.decode import Item
from frontdesk_api.contract.ids import AgentId, StatusId, TaskId
from frontdesk_api.contract.tasks import Task, TaskUpdate
from frontdesk_api.hosts import Hosts
from outbox.rows import outbox_in_memory
from sample_json import raw_task
from sample_records import NAMES, NOW, VIEW, words

ONE = TaskId("t1")
SET: dict[FieldKind, tuple[Any, Any]] = {
    FieldKind.TEXT: ("Old words", "New words"),
    FieldKind.LONG_TEXT: ("Old lines", "New lines"),
    FieldKind.STATUS: ("open", "completed"),
    FieldKind.PEOPLE: (["noa"], ["zed"]),
    FieldKind.READERS: (["noa"], ["zed"]),
    FieldKind.TIME: (int(NOW) + 600, int(NOW) + 7_200),
    FieldKind.CONVERSATION: ("L1#C1", "L1#C2"),
    FieldKind.LINE: ("L1", "L2"),
}
"""A value of each kind before a change, and after it."""

PROFILE = Profile(
    "test",
    Hosts(*["http://127.0.0.1:9"] * 5),
    agents={AgentId("noa"): "Noa", AgentId("zed"): "Zed"},
    statuses=(StatusLabel(StatusId("completed"), "Done"),),
)

seen = pytest.mark.parametrize("field", SEEN_FIELDS, ids=lambda field: field.name)


@pytest.fixture
def db() -> Iterator[apsw.Connection]:
    with outbox_in_memory() as connection:
        yield connection


def _read(db: apsw.Connection, field: TaskField, value: Any, at: float = NOW) -> None:
    task_store.put(db, [raw_task(1, **{field.name: value})], history.Seen(at, at))


def _intent(field: TaskField) -> Any:
    return {"add": ["zed"], "remove": ["noa"]} if field.kind is FieldKind.PEOPLE else SET[field.kind][1]


def _set(db: apsw.Connection, field: TaskField) -> Change:
    """Set a field of a task by a change that waits."""
    _read(db, field, SET[field.kind][0])
    fields = {field.name: _intent(field)}
    assert changes.change_tasks(db, [ONE], fields, Made("b", "Edit", NOW)) == 1
    return queue.live_for(db, ONE)[-1]


def _change(field: TaskField) -> Change:
    fields, base = {field.name: _intent(field)}, {field.name: SET[field.kind][0]}
    return Change(1, "b", ChangeKind.TASK, ONE, fields, base, "Edit", ChangeState.QUEUED, NOW, NOW)


def _task(db: apsw.Connection) -> TaskRecord:
    task = record_lookup.task(db, ONE)
    assert task is not None
    return task


def _shown(field: TaskField, value: Any) -> str:
    return stored_value(field.name, value, VIEW)[0].text


def test_every_field_that_an_update_can_set_is_declared_with_its_kind() -> None:
    assert list(TASK_FIELDS) == list(TaskUpdate.model_fields), "add it to outbox.task_fields"
    assert set(SET) == set(FieldKind)
    for field in TASK_FIELDS.values():
        assert field in SEEN_FIELDS or len(field.why_unseen.split()) > 2
        TaskUpdate.model_validate({field.name: field.unset})
    for names in ("name", "option", "key", "label", "words"):
        assert len({getattr(each, names) for each in SEEN_FIELDS}) == len(SEEN_FIELDS)


@pytest.mark.parametrize("field", TASK_FIELDS.values(), ids=lambda field: field.name)
def test_the_command_line_sets_and_shows_it(field: TaskField, monkeypatch: pytest.MonkeyPatch) -> None:
    command = typer.main.get_command(cli.app).commands["update"]  # type: ignore[attr-defined]
    option = next(each for each in command.params if each.name == field.option)
    assert option.help
    value = SET[field.kind][1]
    text = ",".join(value) if isinstance(value, list) else str(value)
    monkeypatch.setattr(cli_update, "context_of", lambda: VerbContext(VIEW._replace(names=Catalogue(PROFILE))))
    monkeypatch.setattr(cli_update, "query_stored", lambda _: None)
    monkeypatch.setattr(cli_update, "load_names", lambda: RecordNames(NAMES))
    fields = cli_update.parse_fields({field.option: text})
    set_on = {"add": value, "remove": []} if field.kind is FieldKind.PEOPLE else value
    assert (fields.values, fields.is_whole_list) == ({field.name: set_on}, field.kind is FieldKind.PEOPLE)
    raw = raw_task(1, **{field.name: value})
    assert field.name in cli_update._readable(Item(Task.model_validate(raw), raw))


@seen
def test_a_pending_change_is_laid_over_planned_and_told_to_programs(db: apsw.Connection, field: TaskField) -> None:
    change = _set(db, field)
    task, (before, after) = _task(db), SET[field.kind]
    assert list(task.pending) == [field.name]
    assert task.value(field.name) == after
    shown = task_store.shown_values(db, [ONE], [field.name])
    assert shown == {ONE: {field.name: after}}
    assert plan_tasks(shown, [ONE], change.fields).already == (ONE,)
    assert plan_tasks(shown, [ONE], {field.name: before if field.kind is not FieldKind.PEOPLE else {}})
    again = {"add": ["noa"]} if field.kind is FieldKind.PEOPLE else before
    assert plan_tasks(shown, [ONE], {field.name: again}).will == (ONE,)
    assert _shown(field, before) in words(describe_effect(task, {field.name: again}, VIEW))
    assert record_documents._task(task)["now"][field.key] == after


@seen
def test_screens_and_sentences_show_it(db: apsw.Connection, field: TaskField) -> None:
    change = _set(db, field)
    task, value = _task(db), _shown(field, SET[field.kind][1])
    if field.kind is FieldKind.TIME:
        value = "16:30"
    drawn = words(*detail(TaskFacts(task, None), 100, VIEW))
    assert value in drawn
    assert value in "\n".join(each.text for each in task_facts(TaskFacts(task, None), VIEW))
    activity = CHANGE_VIEWS[ChangeKind.TASK]
    in_conflict = change._replace(theirs={field.name: SET[field.kind][0]})
    for said in (
        words(*lines(activity.facts(in_conflict, VIEW), 100, VIEW, LABEL_CELLS)),
        "\n".join(each.text for each in speak(activity.facts(in_conflict, VIEW), VIEW)),
    ):
        assert field.label in said
        assert "theirs" in said
        assert _shown(field, SET[field.kind][0]) in said
        assert _shown(field, SET[field.kind][1]) in said


@seen
def test_what_others_set_is_history_a_hooks_event_and_a_conflict(db: apsw.Connection, field: TaskField) -> None:
    before, after = SET[field.kind]
    scope = hook_monitor.HookScope(NOW, NOW, None, None)
    _read(db, field, before)
    for event in hook_monitor.find_tasks(db, scope):
        queue.keep(db, hook_monitor.mark_kind("task"), event.subject, event.after, NOW)
    _read(db, field, after, NOW + 60)
    (found,) = history.of_task(db, ONE)
    assert (found.name, found.before, found.after) == (field.name, before, after)
    assert transition_sentence(found, VIEW).text.startswith(f"{field.label}: ")
    (event,) = hook_monitor.find_tasks(db, scope)
    assert event.words == f"Task changed: {field.words}"
    told = event.texts if field.is_text else event.facts
    assert (told["before"], told["after"], told[field.key]) == (before, after, after)
    assert "before" not in (event.facts if field.is_text else event.texts), "a text is no fact"
    ours = _change(field)
    assert led_to(field.name, _intent(field), after)
    assert not led_to(field.name, _intent(field), before)
    assert collisions([ours], {field.name: "else"}) == ([] if field.kind is FieldKind.PEOPLE else [ours])


@seen
def test_undo_sends_what_was_before_and_for_nothing_the_unset_value(db: apsw.Connection, field: TaskField) -> None:
    _read(db, field, None)
    changes.change_tasks(db, [ONE], {field.name: _intent(field)}, Made("b", "Edit", NOW))
    (change,) = queue.live_for(db, ONE)
    assert CHANGE_HANDLERS[ChangeKind.TASK].reverse(db, change, Made("c", "Undo", NOW))
    undone = queue.live_for(db, ONE)[-1].fields[field.name]
    assert undone == ({"add": [], "remove": ["zed"]} if field.kind is FieldKind.PEOPLE else field.unset)


@seen
def test_a_macro_does_and_records_what_many_tasks_can_share(db: apsw.Connection, field: TaskField) -> None:
    change = _set(db, field)
    steps = steps_of([change], PROFILE)
    if field.is_text:
        assert (steps, field.option in macros.VERBS) == ([], False), "a text is of one task"
        return
    (step,) = steps
    assert step.split()[0] == field.option
    setting = MacroSetting("Again", "B", (MacroStep(step, ""),), "")
    now = datetime.fromtimestamp(NOW, VIEW.zone)
    (macro,), faults = macros.load(MacroFile((setting,)), PROFILE, now)
    view = VIEW._replace(names=Catalogue(PROFILE))
    assert (macro.change(VerbContext(view)).fields, faults) == (change.fields, [])


@seen
def test_programs_get_a_value_of_its_type_whatever_the_platform_sent(field: TaskField) -> None:
    raw = {field.name: {"odd": 1}}
    task = TaskRecord(ONE, "", "", StatusId(""), *[None] * 3, "", "", None, (), 0, None, None, {}, json.dumps(raw))
    nothing = {FieldKind.PEOPLE: [], FieldKind.TIME: None}
    assert field.value_of(task) == nothing.get(field.kind, "")
