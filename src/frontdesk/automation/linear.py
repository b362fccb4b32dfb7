"""The linear mode's `macro` and `run`: the macros of the config, and the person's own commands."""

import asyncio
import os

from frontdesk.automation import macros
from frontdesk.automation.custom_commands import (
    CannotRun,
    failure,
    output_lines,
    output_text,
    prepare,
    start_warnings,
)
from frontdesk.config import settings as config_settings
from frontdesk.config.actions import ASK_ABOVE, Undo
from frontdesk.config.config_tables import load_macros
from frontdesk.config.extensions import CommandSetting
from frontdesk.linear.commands import DOING, PROGRAM, TARGET_HELP, Command
from frontdesk.linear.line_parser import NotUnderstood, find_record
from frontdesk.linear.printed_list import ListKind
from frontdesk.linear.session import Session
from frontdesk.linear.verbs import carry_out, context_of, records_among
from frontdesk.storage.records import RecordRef
from frontdesk_lines.display_text import counted, show_label, show_line, trusted

_KINDS = {
    ListKind.CONVERSATION: ("conversation", {"inbox", "thread"}),
    ListKind.TASK: ("task", {"inbox", "thread", "board"}),
    ListKind.CAMPAIGN: ("campaign", {"campaigns"}),
    ListKind.WORKFLOW: ("workflow", {"workflows"}),
    ListKind.AI_AGENT: ("ai_agent", {"agents"}),
    ListKind.CHANGE: ("change", {"activity"}),
}
"""The kind of a record as a program gets it, and the screens whose commands work on it."""


def macro(session: Session, words: str) -> None:
    """`macro`: run a macro of the config on tasks or conversations; without a name, list them."""
    file = load_macros(config_settings.config_path())
    found, faults = macros.load(file, session.store.profile, session.now())
    if not words:
        session.print(*(show_line(f"{each.name}: {'; '.join(each.texts)}.", 300) for each in found))
        session.print(*(show_line(f"{each}.", 300) for each in faults))
        if not file.macros and not faults:
            session.print("No macros yet. To add one, write [[macros]] in config.toml.")
        return
    things, rest = session.parse_targets(words)
    by_name = {each.name: each for each in found}
    known = f"Macros: {', '.join(by_name) or 'none'}."
    if not rest:
        raise NotUnderstood(f"Which macro? {known}")
    chosen = by_name[find_record(rest, {each: each for each in by_name}, "macro", known)]
    if len({kind for kind, _ in things}) > 1:
        raise NotUnderstood("Choose tasks or conversations; a macro works on one kind at a time.")
    change = chosen.change(context_of(session))
    carry_out(session, change, things, records_among(session, things, change.on))


def run(session: Session, words: str) -> None:
    """`run`: run a command of the config on what is open, marked or named by its number."""
    extensions = session.store.settings.extensions
    if not words:
        _print_commands(session)
        return
    command, rest = _find(extensions.commands, words)
    refs: list[RecordRef] = []
    if command.needs_selection:
        targets, rest = session.parse_targets(rest, all_numbers=True)
        refs = [_ref(command, kind, key) for kind, key in targets]
    if rest:
        raise NotUnderstood(f'Unexpected "{rest[:60]}". Type run NAME, then numbers from the list.')
    try:
        call = prepare(command, session.store, refs, session.zone)
    except CannotRun as error:
        raise NotUnderstood(f"{command.name} didn't run: {error}.") from error
    on = f" on {counted(len(refs), 'record')}" if refs else ""
    if (command.confirm or len(refs) > ASK_ABOVE) and not session.ask_yes(f"Run {command.name}{on}?"):
        session.print("Canceled. Nothing was run.")
        return
    from frontdesk.config.program_runner import run_program

    ended = asyncio.run(
        run_program(call.argv, os.environ, sent=call.sent, added=call.added, timeout_seconds=command.timeout)
    )
    if ended.problem:
        session.console.has_failed = True
        session.print(trusted(f"{failure(command, ended).text}."))
    elif command.output == "none" or not output_text(ended):
        session.print(show_label(f"{command.name} is done."))
    else:
        session.print(*output_lines(ended))


def _print_commands(session: Session) -> None:
    extensions = session.store.settings.extensions
    session.print(*start_warnings(extensions))
    if not extensions.commands:
        session.print("No commands of your own. To add one, write [[commands]] in config.toml.")
    for each in extensions.commands:
        session.print(show_label(f"{each.name}: runs {each.run[0]}, in {', '.join(each.where)}."))


def _find(commands: tuple[CommandSetting, ...], words: str) -> tuple[CommandSetting, str]:
    """Return the command that the words begin with, the longest name first, and what follows."""
    lower = f"{words.lower()} "
    for each in sorted(commands, key=lambda each: len(each.name), reverse=True):
        if lower.startswith(f"{each.name.lower()} "):
            return each, words[len(each.name) :].strip()
    by_name = {each.name: each for each in commands}
    return by_name[find_record(words, {name: name for name in by_name}, "command")], ""


def _ref(command: CommandSetting, kind: ListKind, key: str) -> RecordRef:
    name, screens = _KINDS.get(kind, ("", set()))
    if not screens & set(command.where):
        raise NotUnderstood(f"{command.name} doesn't work on a {kind}; its where is {', '.join(command.where)}.")
    return RecordRef(name, key)


COMMANDS = (
    Command(
        "list.macro",
        macro,
        "macro",
        "[[N] NAME]",
        DOING,
        "Run one of your macros, or list them",
        more=(
            *TARGET_HELP,
            "On a conversation, it changes the most urgent task. All changes are one action with one undo.",
        ),
        undo=Undo.ALWAYS,
        lists=True,
    ),
    Command(
        "command.run",
        run,
        "run",
        "[NAME [N]]",
        PROGRAM,
        "Run a command of your own, or list them",
        ("Commands are in config.toml, under [[commands]].", *TARGET_HELP),
    ),
)
