"""Actions recorded as macros."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from frontdesk.automation.macro_actions import CannotRecord, save_macro, steps_of
from frontdesk.config.settings import Profile, StatusLabel, TagLabel
from frontdesk.outbox.snoozes import SNOOZE, Snooze
from frontdesk.outbox.task_fields import ASSIGNED
from frontdesk.storage.records import Change, ChangeKind, ChangeState
from frontdesk_api.contract.ids import AgentId, StatusId, TagId
from frontdesk_api.hosts import Hosts

NOW = 1_790_000_000.0
PROFILE = Profile(
    "test",
    Hosts(*["http://127.0.0.1:9"] * 5),
    agents={AgentId("agent-dan"): "Dan"},
    statuses=(StatusLabel(StatusId("st-1"), "Waiting"),),
    tags=(TagLabel(TagId("t-1"), "vip", "#ff0000"),),
)


def recorded(*fields: dict[str, Any]) -> list[str]:
    changes = [
        Change(number, "b", ChangeKind.TASK, "t1", each, {}, "Edit", ChangeState.QUEUED, NOW, NOW)
        for number, each in enumerate(fields)
    ]
    return steps_of(changes, PROFILE)


def test_the_steps_have_the_names_of_the_config_and_times_ahead_of_the_action() -> None:
    steps = recorded(
        {"statusCase": "st-1", ASSIGNED: {"add": ["agent-dan"], "remove": ["agent-x"]}, "dueDate": NOW + 7_210},
        {"tagIds": ["t-1"]},
        {SNOOZE: Snooze(NOW + 2 * 86_400, on_message=True, since=0).as_json()},
    )
    assert steps == ["status Waiting", "assign +Dan, -agent-x", "due +2h", "tag vip", "snooze +2d"]


@pytest.mark.parametrize(
    ("seconds", "step"),
    [(30 * 60, "due +30m"), (5 * 3600 + 600, "due +5h"), (3 * 86_400, "due +3d"), (3 * 86_400 + 3600, "due +73h")],
)
def test_a_due_date_is_as_far_ahead_as_it_was(seconds: float, step: str) -> None:
    assert recorded({"dueDate": NOW + seconds}) == [step]


def test_what_is_of_one_task_or_past_is_no_step_and_equal_steps_are_one() -> None:
    assert recorded({"title": "New title"}, {"body": "Text"}, {"dueDate": NOW - 60}, {"dueDate": 0}) == []
    assert recorded({"statusCase": "st-1"}, {"statusCase": "st-1"}) == ["status Waiting"]
    until_they_write = Snooze(None, on_message=True, since=0).as_json()
    assert recorded({SNOOZE: until_they_write}, {SNOOZE: None}) == ["snooze until they write"]
    alone = Snooze(NOW + 3600, on_message=False, since=0).as_json()
    assert recorded({SNOOZE: alone}) == ["snooze +1h only"]


def test_the_macro_stands_at_the_end_and_the_rest_of_the_file_is_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    text = '# mine\n[profiles.a]\nbase_url = "https://x"  # here\n\n[[macros]]\nname = "Old"\nkey = "B"\n'
    text += 'do = ["due +1d"]\n'
    path.write_text(text)
    path.chmod(0o600)
    save_macro(path, 'Wait "for" them', "f6", ["status Waiting", "due +2h"])
    assert path.read_text().startswith(text.rstrip())
    assert tomllib.loads(path.read_text())["macros"][1] == {
        "name": 'Wait "for" them',
        "key": "f6",
        "do": ["status Waiting", "due +2h"],
    }


def test_a_file_that_cannot_take_a_macro_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    for text in ('macros = "none"\n', "no = [toml\n"):
        path.write_text(text)
        path.chmod(0o600)
        with pytest.raises(CannotRecord, match="to config"):
            save_macro(path, "New", "f6", ["due +1d"])
        assert path.read_text() == text
