"""Commands of the person's own: what a program gets of what is selected, and what it printed.

The screens (`automation.command_runs`) and the linear mode (`automation.linear`) run them.
"""

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from frontdesk.config import settings as config_settings
from frontdesk.config.extensions import CommandSetting, Extensions
from frontdesk.config.program_runner import MAX_OUTPUT_BYTES, MadeOption, ProgramRun, fill_command
from frontdesk.config.settings import VARIABLE, Profile, Settings
from frontdesk.config.toml_edits import unknown_key, with_lines
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import RecordRef
from frontdesk_lines.display_text import SafeText, body_lines, counted, show_label, show_line, trusted
from frontdesk_lines.privacy import IS_HIDDEN, is_private

MAX_RECORDS = 500
"""Records that one run of a command gets."""

MAX_LINES = 5_000

MAX_WARNINGS = 3
"""Problems that are named at the start; `frontdesk doctor` has them all."""


class CannotRun(Exception):
    """A command can't run on what is selected; the text says why."""


@dataclass(frozen=True, slots=True)
class ProgramCall:
    """A program with its arguments, input and further variables."""

    argv: tuple[str, ...]
    sent: bytes
    added: Mapping[str, str]


def missing_programs(extensions: Extensions) -> list[str]:
    """Return a sentence for each program that isn't there now."""
    found = [(f"commands ({each.name})", each.run[0]) for each in extensions.commands]
    found += [(each.label, each.run[0]) for each in extensions.hooks]
    return [
        f"{where}.run: can't run {program}; check its name or path"
        for where, program in found
        if shutil.which(os.path.expanduser(program)) is None
    ]


def config_problems(extensions: Extensions, key_problems: Sequence[str] = ()) -> list[SafeText]:
    """Return a sentence for each part of the config that can't be used or is unknown.

    Args:
        key_problems: those of the keys of commands, which only the screens have.
    """
    unknown = map(unknown_key, extensions.unknown)
    found = (*extensions.problems, *key_problems, *missing_programs(extensions), *unknown)
    return [show_label(f"{each}.", 400) for each in with_lines(found, config_settings.config_path())]


def start_warnings(extensions: Extensions) -> list[SafeText]:
    """Return the first problems of the config, and how many more there are, in lines."""
    found = config_problems(extensions)
    left = len(found) - MAX_WARNINGS
    words = f"config.toml: {counted(left, 'more problem')}; run `frontdesk doctor`."
    return [*found[:MAX_WARNINGS], trusted(words)] if left > 0 else found


def program_variables(profile: Profile, settings: Settings) -> dict[str, str]:
    """Return the variables that a program gets besides the usual ones: a `frontdesk` in it is as read-only too."""
    variables = {VARIABLE: "1"} if settings.read_only else {}
    return variables if profile.hosts_from_environment else {**variables, "FRONTDESK_PROFILE": profile.name}


def prepare(command: CommandSetting, store: ProfileStore, refs: Sequence[RecordRef], zone: tzinfo) -> ProgramCall:
    """Make the call of a command's program.

    Raises:
        CannotRun: it can't be given what is selected.
    """
    if not command.needs_selection:
        refs = ()
    else:
        _check_selection(command, refs)
    from frontdesk.automation.record_documents import placeholder_values

    values = placeholder_values(store, refs[0] if len(refs) == 1 else None)
    try:
        argv = fill_command(command.run, values)
    except MadeOption as error:
        raise CannotRun(str(error)) from None
    sent = b"" if command.input == "none" else _input(command, store, refs, zone)
    return ProgramCall(tuple(argv), sent, program_variables(store.profile, store.settings))


def output_text(run: ProgramRun) -> str:
    """Return what the program printed, without the line breaks at its end."""
    return run.output.decode(errors="replace").rstrip("\r\n")


def output_lines(run: ProgramRun) -> tuple[SafeText, ...]:
    return body_lines(output_text(run), MAX_OUTPUT_BYTES, MAX_LINES)


def failure(command: CommandSetting, run: ProgramRun) -> SafeText:
    """Return the sentence about a run that failed, with the last line that the program printed about it."""
    printed = run.errors.decode(errors="replace").strip().splitlines()
    why = f": {show_line(printed[-1], 200).text}" if printed else ""
    return trusted(f"{show_label(command.name).text} {show_label(run.problem, 200).text}{why}")


def _check_selection(command: CommandSetting, refs: Sequence[RecordRef]) -> None:
    if is_private():
        raise CannotRun(f"it needs the selected row, which privacy mode hides ({IS_HIDDEN.lower()})")
    if not refs:
        raise CannotRun("nothing is selected")
    if len(refs) > 1 and (command.input in ("none", "json") or command.names_record):
        raise CannotRun('it takes one record at a time; clear the marks, or use input = "jsonl" in config.toml')
    if len(refs) > MAX_RECORDS:
        raise CannotRun(f"{len(refs):,} records are marked; it takes {MAX_RECORDS:,} at most")


def _input(command: CommandSetting, store: ProfileStore, refs: Sequence[RecordRef], zone: tzinfo) -> bytes:
    from frontdesk.automation.record_documents import document, text

    parts: list[str] = []
    for ref in refs:
        if command.input == "text":
            part = text(store, ref, zone)
        else:
            found = document(store, ref)
            part = None if found is None else json.dumps(found, ensure_ascii=False, default=str)
        if part is None:
            raise CannotRun("the selected row is no longer there")
        parts.append(part)
        if sum(map(len, parts)) > MAX_OUTPUT_BYTES:
            limit = MAX_OUTPUT_BYTES // 1_000_000
            raise CannotRun(f"what is selected has more than {limit} MB; mark fewer")
    joined = ("\n\n" if command.input == "text" else "\n").join(parts)
    return f"{joined}\n".encode(errors="replace")
