"""`macro` of the linear mode: it lists and runs the macros of the config."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from frontdesk.config import settings as config_settings
from frontdesk.outbox import snoozes
from frontdesk.storage import record_lookup
from frontdesk.storage.records import ChangeKind
from frontdesk_api.contract.ids import TaskId
from linear.running_session import NOW, Desktop

CONFIG = """
[[macros]]
name = "Wait for them"
key = "B"
do = ["status completed", "assign +noa", "tag vip", "snooze until they write"]

[[macros]]
name = "Yesterday"
key = "f5"
do = ["due today 9am"]

[[macros]]
name = "Broken"
key = "f6"
do = ["status banana"]
"""


@pytest.fixture
def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desktop]:
    path = tmp_path / "config.toml"
    path.write_text(CONFIG)
    path.chmod(0o600)
    monkeypatch.setattr(config_settings, "config_path", lambda: path)
    desktop = Desktop(tmp_path / "store")
    yield desktop
    desktop.store.close()


def test_macros_are_listed_with_their_steps_and_faults(desktop: Desktop) -> None:
    said = desktop.say("macro")
    assert "Wait for them: status completed; assign +noa; tag vip; snooze until they write." in said
    assert "config.toml, line 15" in said
    assert "Broken:" not in said


def test_a_macro_is_one_action_with_one_undo(desktop: Desktop) -> None:
    def states() -> list[tuple[str, int]]:
        tasks = (record_lookup.task(desktop.store.reading, TaskId(f"t{number}")) for number in (1, 2))
        return [(each.status, len(each.assigned)) for each in tasks if each is not None]

    def asleep() -> int:
        return len([*snoozes.asleep_ids(desktop.store.reading, ChangeKind.SNOOZE_CONVERSATION, NOW)])

    before = states()
    desktop.say("list")
    assert "Wait for them" in desktop.say("macro 1,2 wait")
    assert states() != before
    assert asleep() == 2
    desktop.say("undo")
    assert states() == before
    assert asleep() == 0


def test_what_cannot_run_is_a_sentence(desktop: Desktop) -> None:
    desktop.say("list")
    assert "is in the past" in desktop.say("macro 1 yesterday")
    assert "Which macro?" in desktop.say("macro 1")
    assert "Macros: Wait for them, Yesterday." in desktop.say("macro 1 broken")
