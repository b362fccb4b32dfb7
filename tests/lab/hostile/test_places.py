"""Each field of the contract, each dialog and each command is in the lists of what hostile text is tried on."""

from collections.abc import Iterator
from typing import Any

import pytest
import typer

from frontdesk.cli.commands import app
from frontdesk.linear.app import COMMANDS
from frontdesk_lines.display_text import body_lines, show_line
from kit import SCREEN_KEYS
from lab.hostile import command_lines, fields, places
from lab.hostile.emulators import pyte_faults
from lab.hostile.observations import TOAST
from lab.hostile.sequences import ACTING, NAUGHTY, SEQUENCES
from lab.hostile.sessions import LINEAR_PLACE
from lab.hostile.terminal_bytes import faults, unsafe_letters
from lab.hostile.walk import dialogs


def typed_commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """The names of all commands that can be typed; the inbox itself has none."""
    children = getattr(command, "commands", {})
    if not children or not path:
        yield " ".join(path)
    for name, child in children.items():
        yield from typed_commands(child, (*path, name))


def test_every_field_of_the_contract_has_a_place_or_a_reason() -> None:
    shown, excused = places.shown(), places.excused()
    assert set(fields.text_fields()) == set(shown) | set(excused), (
        "run the benchmark with --note, or give a reason"
    )
    assert not set(shown) & set(excused), "what is shown needs no excuse"
    assert all(shown.values())
    assert all(len(reason) > 10 for reason in excused.values())


def test_a_new_field_of_a_model_is_missed() -> None:
    from frontdesk_api.contract.tasks import Task

    class Grown(Task):
        nickname: str | None = None

    def note(path: str) -> str:
        found.add(path)
        return ""

    found: set[str] = set()
    fields.build(Grown, note, "Task")
    assert found - set(places.shown()) - set(places.excused()) == {"Task.nickname"}


@pytest.mark.slow
def test_every_screen_and_dialog_is_walked_through_or_has_a_reason() -> None:
    named = set().union(*places.shown().values())
    known = named | set(places.unvisited()) | set(places.WITHOUT_STRANGERS)
    assert not dialogs() - known
    assert not set(places.unvisited()) - dialogs(), "it is gone"
    assert not set(places.unvisited()) & named, "it was visited"
    assert len([each for each in named if each.endswith("Screen")]) >= len(SCREEN_KEYS)
    assert {TOAST, "clipboard", LINEAR_PLACE} <= named


def test_every_command_is_typed_or_has_a_reason() -> None:
    every = set(typed_commands(typer.main.get_command(app)))
    assert every == set(command_lines.ANSWERED) | set(command_lines.WITHOUT_STRANGERS)
    assert not set(command_lines.ANSWERED) & set(command_lines.WITHOUT_STRANGERS)


def test_every_command_of_the_linear_mode_is_typed() -> None:
    typed = {line.split()[0] for line in command_lines.LINEAR}
    for command in dict.fromkeys(COMMANDS.values()):
        assert typed & set(command.names), command.usage


def test_what_acts_is_found_where_it_is_sent_as_it_is() -> None:
    assert [name for name, sequence in ACTING.items() if not faults(sequence)] == []


def test_an_emulator_tells_what_it_did_besides_painting() -> None:
    written = [
        (name, ACTING[name]) for name in ("attributes", "cursor report", "reset", "bell, backspace, delete")
    ]
    assert len(pyte_faults(written)) == len(written)
    assert not pyte_faults([(name, show_line(sequence).text) for name, sequence in written])


def test_nothing_is_found_in_what_is_shown() -> None:
    assert len(NAUGHTY) > 450
    for sequence in SEQUENCES:
        assert not faults(show_line(sequence).text), sequence
        for line in body_lines(sequence):
            assert not unsafe_letters(line.text), sequence
