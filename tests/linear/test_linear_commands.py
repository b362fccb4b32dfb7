"""`run` in the linear mode: the person's own commands on what is open, marked or named by its number."""

import json
import sys
from collections.abc import Callable
from datetime import UTC
from pathlib import Path

import pytest

from frontdesk.automation.custom_commands import CannotRun, prepare
from frontdesk.config.extensions import CommandSetting, Extensions
from frontdesk.config.settings import Settings
from frontdesk.storage.records import RecordRef
from linear.running_session import Desktop

ECHO = (sys.executable, "-c", "import sys; sys.stdout.write(sys.stdin.read())")
COMMANDS = (
    CommandSetting("look up", "B", ECHO, input="json", output="pane"),
    CommandSetting("Read out", "Z", ECHO, ("thread", "board"), "text"),
    CommandSetting("Env", "f7", ("sh", "-c", 'echo "$FRONTDESK_READ_ONLY $FRONTDESK_PROFILE $FRONTDESK_COOKIE"')),
    CommandSetting("Fails", "f8", ("sh", "-c", "echo why >&2; exit 2")),
    CommandSetting("Careful", "f9", ("echo", "ran"), confirm=True),
    CommandSetting("Ids", "f4", ("echo", "{conversation_id}{id}")),
)


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Desktop]:
    def made(read_only: bool = False, lines: str = "") -> Desktop:
        settings = Settings(extensions=Extensions(COMMANDS), read_only=read_only)
        return Desktop(tmp_path, lines, settings)

    return made


def test_a_command_gets_the_row_that_is_named(make: Callable[..., Desktop]) -> None:
    at = make()
    at.thread(2, 3)
    at.say("list")
    found = json.loads(at.say("run Look up 2"))
    assert found["kind"] == "conversation"
    listing = at.session.listing
    assert listing is not None
    assert found["id"] == listing.ids[1]


def test_a_task_is_given_with_its_thread_as_text(make: Callable[..., Desktop]) -> None:
    at = make()
    at.thread(1, 3)
    at.say("list", "open 1", "tasks")
    said = at.say("run read out 1")
    assert said.startswith("Task: ")
    assert "Customer: Customer 01" in said


def test_read_only_is_handed_on_and_no_credential(
    make: Callable[..., Desktop], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FRONTDESK_COOKIE", "secret")
    assert make(read_only=True).say("run env") == "1 acme \n"


def test_an_id_that_would_be_an_option_is_refused(make: Callable[..., Desktop]) -> None:
    store = make().services.store
    with pytest.raises(CannotRun, match="its id begins with a dash, so the program could"):
        prepare(COMMANDS[-1], store, [RecordRef("campaign", "\0-x")], UTC)


def test_a_failure_is_a_sentence_and_counts_as_one(make: Callable[..., Desktop]) -> None:
    at = make()
    assert at.say("run fails") == "Fails exited with status 2: why.\n"
    assert at.console.has_failed


def test_it_asks_first(make: Callable[..., Desktop]) -> None:
    assert "Canceled. Nothing was run." in make(lines="no\n").say("run careful")


def test_without_a_name_they_are_listed_and_what_does_not_fit_is_said(make: Callable[..., Desktop]) -> None:
    at = make()
    assert "look up: runs " in at.say("run")
    assert "Unknown" in at.say("run nothing") or "No command" in at.say("run nothing")
    at.say("list")
    assert "Which one?" in at.say("run look up")
    assert "takes one record at a time" in at.say("run look up 1,2")
    at.say("open 1")
    at.say("privacy on")
    assert "privacy mode hides" in at.say("run look up")
    at.say("privacy off")
