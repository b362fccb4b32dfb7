"""Macros: what their steps mean, one action with one undo, at the keys and in doctor's words."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from textual.events import Paste

from frontdesk.accounts.config_check import check_macros
from frontdesk.automation import macros
from frontdesk.automation.command_keys import with_macros
from frontdesk.automation.macros import Macro
from frontdesk.config import settings as config_settings
from frontdesk.config.config_tables import MacroFile, MacroSetting, MacroStep, load_macros
from frontdesk.config.render_context import Catalogue, RenderContext
from frontdesk.config.settings import IS_READ_ONLY, Profile, Settings, StatusLabel, TagLabel
from frontdesk.outbox import queue, snoozes
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.task_fields import ASSIGNED
from frontdesk.outbox.verbs import On, VerbContext, apply
from frontdesk.registry.keymap import KEYMAP
from frontdesk.storage import record_lookup
from frontdesk.storage.clocks import keep_offset
from frontdesk.storage.database import Store
from frontdesk.storage.records import ChangeKind
from frontdesk.tasks import store as task_store
from frontdesk.text.fuzzy import UnusableWords
from frontdesk_api.contract.ids import AgentId, ConversationId, StatusId, TagId, TaskId
from frontdesk_api.hosts import Hosts
from frontdesk_lines.glyphs import glyphs
from kit import At, running
from sample_json import raw_task
from sample_records import words
from services import Services, context_of
from tui.hosts import until

NOW = datetime(2026, 11, 27, 12, 0, tzinfo=UTC)
PROFILE = Profile(
    "acme",
    Hosts(*["http://127.0.0.1:9"] * 5),
    agent_id=AgentId("me"),
    agents={AgentId("a-dan"): "Dan", AgentId("a-noa"): "Noa"},
    tags=(TagLabel(TagId("t-vip"), "VIP"),),
    statuses=(*config_settings.BUILT_IN_STATUSES, StatusLabel(StatusId("st-1"), "Waiting for customer")),
)
STEPS = ("status waiting", "assign +dan, -me", "due +2h", "tag vip", "snooze until they write")
CONFIG = """
[[macros]]
name = "Wait for them"
key = "B"
do = ["status waiting", "assign +dan", "due +2h", "tag vip", "snooze until they write"]

[[macros]]
name = "Broken"
key = "f5"
do = ["status banana"]

[[macros]]
name = "Twice"
key = "B"
do = ["due +2h"]

[[macros]]
name = "Taken"
key = "a"
do = ["due +2h"]
"""


def setting(*steps: str, name: str = "Wait", key: str = "B") -> MacroSetting:
    written = tuple(MacroStep(each, f"config.toml, line {at}") for at, each in enumerate(steps, 4))
    return MacroSetting(name, key, written, "config.toml, line 3")


def load(*settings: MacroSetting, profile: Profile = PROFILE) -> tuple[list[Macro], list[str]]:
    return macros.load(MacroFile(settings), profile, NOW)


def test_steps_name_what_the_config_names() -> None:
    (macro,), faults = load(setting(*STEPS))
    assert faults == []
    change = macro.change(context(PROFILE))
    assert change.fields == {
        "statusCase": "st-1",
        ASSIGNED: {"add": ["a-dan"], "remove": ["me"]},
        "dueDate": int(NOW.timestamp()) + 7200,
    }
    assert change.on == (On.TASK, On.CONVERSATION, On.CONVERSATION_ROW, On.TASK_ROW)
    assert words(change.gets) == "+#VIP  until they write"


@pytest.mark.parametrize(
    ("steps", "fault"),
    [
        (["fly away"], "line 4: unknown step 'fly away'; a step begins with status, assign, due, tag, snooze"),
        (["due +2h", "status banana"], "line 5: no status named banana; choose from "),
        (["tag gold"], "line 4: no tag named gold; choose from VIP"),
        (["assign +somebody else"], "line 4: no person named somebody else; choose from Dan and Noa"),
        (["due someday"], "line 4: 'someday' isn't a recognized time"),
        (["snooze yesterday"], "line 4: 'yesterday' is in the past"),
        (["due tomorrow 9 foo"], "line 4: 'foo' in 'tomorrow 9 foo' isn't understood"),
        (["due 2020-01-01"], "line 4: '2020-01-01' is in the past"),
        (["snooze fri 9 10"], "line 4: '10' in 'fri 9 10' isn't understood"),
        (["tag ,"], "line 4: no name in ','"),
        (["status"], "line 4: the step 'status' is incomplete; write, for example, 'status completed'"),
        (["due +2h", "due +3h"], "line 5: a second 'due' in one macro; keep one of them"),
    ],
)
def test_a_step_that_names_nothing_is_a_sentence_with_its_line(steps: list[str], fault: str) -> None:
    found, faults = load(setting(*steps), setting("due +2h", name="Later", key="F"))
    assert [each.name for each in found] == ["Later"]
    assert len(faults) == 1
    assert faults[0].startswith(f"config.toml, {fault}")


def test_me_needs_an_agent_id_and_an_unlisted_id_is_taken() -> None:
    _, faults = load(setting("assign +me"), profile=replace(PROFILE, agent_id=None))
    assert faults == [
        "config.toml, line 4: 'me' needs agent_id in the profile, or FRONTDESK_AGENT_ID; the macro Wait is ignored"
    ]
    (macro,), _ = load(setting("assign +agent-77"))
    assert macro.change(context(PROFILE)).fields == {ASSIGNED: {"add": ["agent-77"], "remove": []}}


def context(profile: Profile) -> VerbContext:
    return VerbContext(RenderContext(Catalogue(profile), glyphs(True), NOW.timestamp(), UTC))


HERE = ConversationId("L1#C1")


def run(services: Services, macro: Macro) -> ActionResult:
    records = {On.TASK: [TaskId("t1")], On.CONVERSATION: [HERE], On.CONVERSATION_ROW: [HERE]}
    return apply(services.store, macro.change(context_of(services.store)), records).result()


def test_all_of_it_is_one_action_with_one_undo(store: Store) -> None:
    services = Services(store, PROFILE, clock=NOW.timestamp)
    store.write(lambda db: task_store.put(db, [raw_task(1, assignedAgentIds=["me"])])).result()
    (macro,), _ = load(setting(*STEPS))

    def shown() -> tuple[object, ...]:
        db = services.store.reading
        task = record_lookup.task(db, TaskId("t1"))
        assert task is not None
        asleep = snoozes.asleep_ids(db, ChangeKind.SNOOZE_CONVERSATION, NOW.timestamp())
        return task.status, task.assigned, task.due_at, [tag for tag, *_ in queue.added_tags(db, HERE)], asleep

    before = shown()
    done = run(services, macro)
    after = shown()
    assert (done.count, done.label) == (1, "Macro: Wait")
    assert after == ("st-1", ("a-dan",), NOW.timestamp() + 7200, ["t-vip"], [HERE])
    made = queue.recent(services.store.reading)
    assert {each.batch for each in made} == {done.batch}
    assert [each.kind for each in made].count(ChangeKind.TASK) == 1  # one PATCH for all fields
    undone = services.outbox.undo().result()
    assert isinstance(undone, ActionResult)
    assert (undone.count, undone.problems, shown()) == (1, (), before)
    redone = services.outbox.redo().result()
    assert isinstance(redone, ActionResult)
    assert (redone.count, redone.problems, shown()) == (1, (), after)


@pytest.mark.parametrize("step", ["due +2h", "snooze tomorrow 9am"])
def test_by_a_clock_that_is_off_no_step_counts_from_now(store: Store, step: str) -> None:
    services = Services(store, PROFILE, clock=NOW.timestamp)
    here = context_of(services.store)
    (macro,), _ = load(setting(step))
    (dated,), _ = load(setting("due 2030-12-24 09:00"))
    before = dated.change(here).fields
    keep = partial(keep_offset, offset=7_200.0, now=NOW.timestamp(), steady=time.monotonic())
    store.write(keep).result()
    with pytest.raises(UnusableWords, match="your clock is 2 h behind"):
        macro.change(here)
    assert dated.change(here).fields == before


def test_nothing_to_change_is_no_action(store: Store) -> None:
    services = Services(store, PROFILE, clock=NOW.timestamp)
    store.write(lambda db: task_store.put(db, [raw_task(1)])).result()
    (macro,), _ = load(setting("status open"))
    assert run(services, macro).count == 0
    assert services.outbox.undo().result() is None


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "config" / "config.toml"
    path.parent.mkdir(mode=0o700)
    path.write_text(CONFIG)
    path.chmod(0o600)
    monkeypatch.setattr(config_settings, "config_path", lambda: path)
    return path


def test_doctor_names_what_is_wrong_by_line(config: Path) -> None:
    said = [f"{each.verdict} {each.subject}: {each.words}" for each in check_macros(Settings(), PROFILE)]
    assert said[0].startswith("FAIL config: config.toml, line 10: no status named banana")
    left_out = "is ignored"
    key = "FAIL config: config.toml, line"
    assert said[1:] == [
        f"{key} 14: B is already the key of the macro Wait for them; the macro Twice {left_out}",
        f'{key} 19: a is already the key of "Assign or unassign people" (task.assign); the macro Taken {left_out}',
        "ok macros: 1 macro: Wait for them",
    ]


@asynccontextmanager
async def running_macros(store: Store) -> AsyncIterator[At]:
    keymap, found, faults = with_macros(KEYMAP, PROFILE)
    assert len(faults) == 3
    tasks = (raw_task(number) for number in (1, 2, 3))
    async with running(store, *tasks, as_profile=PROFILE, keymap=keymap, macros=found) as at:
        yield at


def statuses(at: At) -> list[str]:
    found = task_store.among(at.app.app_context.store.reading, [TaskId(f"t{number}") for number in (1, 2, 3)])
    return sorted(task.status for task in found.values())


@pytest.mark.anyio
async def test_a_key_runs_it_on_one_and_after_a_plan_on_the_marked(store: Store, config: Path) -> None:
    async with running_macros(store) as at:
        await at.press("B")
        await until(lambda: statuses(at) == ["open", "open", "st-1"])
        does = "status waiting, assign +dan, due +2h, tag vip, snooze until …"
        await until(lambda: f'Wait for them ({does}): "Task' in at.toasts)
        await at.press("u")
        await until(lambda: statuses(at) == ["open", "open", "open"] and len(at.inbox.list.rows.keys) == 3)
        await at.press("V", "B")
        await at.sees("Change 3 tasks")
        assert "Tags can't be removed once sent" in at.text
        await at.press("y")
        await until(lambda: statuses(at) == ["st-1"] * 3)
        await at.press("u")
        await until(lambda: statuses(at) == ["open"] * 3)


@pytest.mark.anyio
async def test_a_macro_of_fields_alone_says_which_tasks_do_not_change(store: Store) -> None:
    keymap, found = KEYMAP, load(setting("status st-1"), setting("status open", name="Open", key="f5"))[0]
    for each in found:
        keymap = keymap.with_action(each.action, each.key)
    tasks = (raw_task(number) for number in (1, 2, 3))
    async with running(store, *tasks, as_profile=PROFILE, keymap=keymap, macros=found) as at:
        at.services.tasks.set_status([TaskId("t1")], StatusId("st-1")).result()
        await at.press("V", "B")
        await at.sees("2 of 3 will change · 1 unchanged")
        await at.press("y")
        await until(lambda: statuses(at) == ["st-1"] * 3)
        at.services.tasks.set_status([TaskId(f"t{number}") for number in (1, 2, 3)], StatusId("open")).result()
        await at.press("V", "f5")
        await until(lambda: "3 are already as Open leaves it" in at.toasts)


@pytest.mark.slow
@pytest.mark.anyio
async def test_the_palette_has_it_by_name_and_a_read_only_run_refuses_it(store: Store, config: Path) -> None:
    async with running_macros(store) as at:
        await at.press("colon")
        await at.sees("Type what you want to do")
        await at.press(*"wait for")
        await at.sees("Wait for them")
        await at.press("enter")
        await until(lambda: statuses(at) == ["open", "open", "st-1"])
        at.app.app_context.store.settings = Settings(read_only=True)
        await at.press("B")
        await until(lambda: IS_READ_ONLY in at.toasts)
        assert statuses(at) == ["open", "open", "st-1"]


@pytest.mark.slow
@pytest.mark.anyio
async def test_what_a_macro_did_is_recorded_as_another_one(store: Store, config: Path) -> None:
    async with running_macros(store) as at:
        await at.press("B")
        await until(lambda: statuses(at) == ["open", "open", "st-1"])
        await at.press("6")
        await until(lambda: at.app.current_mode == "activity" and "Wait for them" in at.text)
        await at.press("m")
        await at.sees("Record a macro")
        at.app.post_message(Paste("Wait for them"))
        await at.sees("another macro has this name")
        at.app.post_message(Paste(" too"))
        await at.press("enter")
        await at.sees("Key: required")
        await at.press("B", "enter")
        await at.sees("is already the key of the macro Wait for them")
        await at.press("backspace", *"f6", "enter")
        await until(lambda: "Recorded Wait for them too" in at.toasts)
        await at.press("2", "f6")  # on another card: it works at once
        await until(lambda: statuses(at) == ["open", "st-1", "st-1"])
    (recorded,) = (each for each in load_macros(config).macros if each.name == "Wait for them too")
    assert recorded.key == "f6"
    assert "status Waiting for customer" in [each.text for each in recorded.steps]
