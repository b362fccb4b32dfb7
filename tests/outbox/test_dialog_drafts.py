"""Drafts of dialogs in the store: bounded, without credentials, and gone when they are forgotten."""

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from frontdesk.config.settings import Profile
from frontdesk.outbox import queue
from frontdesk.outbox.dialog_drafts import FORGET_SECONDS, MAX_CHARACTERS, MAX_DRAFTS, DialogDrafts
from frontdesk.storage.database import ProfileStore, Store
from frontdesk_api.hosts import Hosts
from frontdesk_api.redaction import KNOWN

PROFILE = Profile("test", Hosts(*["http://127.0.0.1:9"] * 5))


class Run:
    """One run of the program over a store, with a clock that can be set."""

    def __init__(self, folder: Path, now: float = 1_000.0) -> None:
        self.now = now
        self.store = Store(folder)
        self.drafts = DialogDrafts(ProfileStore(self.store, PROFILE, clock=lambda: self.now))

    def end(self) -> None:
        self.store.close()


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    made = Run(tmp_path)
    yield made
    made.end()


def after_restart(run: Run, *name: str, default: str = "") -> str:
    """What another run finds."""
    run.store.write(lambda _: None).result()
    other = Run(run.store.folder, run.now)
    try:
        return other.drafts.of(*name, default=default).text  # type: ignore[arg-type]
    finally:
        other.end()


def test_a_text_is_there_at_once_and_in_the_next_run(run: Run) -> None:
    run.drafts.of("edit", "t1").keep("half")
    assert run.drafts.of("edit", "t1").text == "half"
    assert after_restart(run, "edit", "t1") == "half"
    assert after_restart(run, "edit", "t2") == ""


def test_a_text_whose_write_ends_while_it_is_read_is_there(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    read, may_write = queue.kept, Event()

    def read_as_the_write_ends(*asked: Any) -> object:
        found = read(*asked)
        may_write.set()
        run.store.write(lambda _: None).result()
        return found

    draft = run.drafts.of("edit", "t1")
    run.store.write(lambda _: may_write.wait(30))
    draft.keep("half")
    monkeypatch.setattr(queue, "kept", read_as_the_write_ends)
    assert draft.text == "half"
    may_write.set()


def test_a_text_typed_again_is_there_while_an_earlier_write_of_it_ends(run: Run) -> None:
    may_write, may_end = Event(), Event()
    draft = run.drafts.of("edit", "t1")
    run.store.write(lambda _: may_write.wait(30))
    draft.keep("half")
    draft.keep("half a")
    both_written = run.store.write(lambda _: None)
    run.store.write(lambda _: may_end.wait(30))
    draft.keep("half")
    may_write.set()
    both_written.result()
    assert draft.text == "half"
    may_end.set()


def test_a_text_whose_change_was_not_written_is_back_unless_another_was_typed(run: Run) -> None:
    draft = run.drafts.of("edit", "t1")
    draft.restore("sent")
    assert draft.text == "sent"
    draft.keep("newer")
    draft.restore("sent")
    assert draft.text == "newer"


def test_it_is_gone_once_it_is_forgotten_or_as_the_dialog_begins(run: Run) -> None:
    sent, emptied = run.drafts.of("edit", "t1"), run.drafts.of("name", default="Spring")
    sent.keep("half")
    emptied.keep("Spring sa")
    assert emptied.is_kept
    sent.forget()
    emptied.keep("Spring")
    assert (sent.text, emptied.text, emptied.is_kept) == ("", "Spring", False)
    assert after_restart(run, "edit", "t1") == ""


def test_an_emptied_field_stays_empty_where_the_dialog_begins_with_a_text(run: Run) -> None:
    run.drafts.of("name", default="Spring").keep("")
    assert after_restart(run, "name", default="Spring") == ""


def test_a_credential_and_a_very_long_text_never_reach_the_disk(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "s3cr3t-t0ken-0123456789abcdef"
    monkeypatch.setattr(KNOWN, "_known", KNOWN._known)
    monkeypatch.setattr(KNOWN, "_added", KNOWN._added)
    KNOWN.add([("bearer", secret)])
    run.drafts.of("note", "c1").keep(f"it is {secret}")
    run.drafts.of("note", "c2").keep("x" * (MAX_CHARACTERS + 1))
    assert run.drafts.of("note", "c1").text == f"it is {secret}", "the open screen still has it"
    assert after_restart(run, "note", "c1") == ""
    assert after_restart(run, "note", "c2") == ""
    run.store.close()
    assert secret.encode() not in b"".join(each.read_bytes() for each in run.store.folder.glob("*.db*"))


def test_the_oldest_are_deleted(run: Run) -> None:
    for number in range(MAX_DRAFTS + 1):
        run.now += 1
        run.drafts.of("edit", f"t{number}").keep("half")
    assert after_restart(run, "edit", "t0") == ""
    assert after_restart(run, "edit", "t1") == "half"
    run.now += FORGET_SECONDS
    run.drafts.of("edit", "new").keep("half")
    assert after_restart(run, "edit", f"t{MAX_DRAFTS - 1}") == ""
    assert after_restart(run, "edit", f"t{MAX_DRAFTS}") == "half"


def test_a_dialog_about_thousands_has_a_short_name(run: Run) -> None:
    ids = [f"task-{number}" for number in range(5_000)]
    run.drafts.of("assign", *ids).keep("Dana")
    assert after_restart(run, "assign", *ids) == "Dana"
    assert after_restart(run, "assign", *ids[1:]) == ""
