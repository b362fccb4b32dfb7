"""Runs a macro on what is selected, and records an action as one, with its steps, at the end of the config."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from frontdesk.automation import macros
from frontdesk.automation.command_keys import key_fault
from frontdesk.automation.macros import Macro
from frontdesk.config import settings as config_settings
from frontdesk.config.config_tables import MacroFile, MacroSetting, MacroStep, load_macros
from frontdesk.config.file_access import OpenToOthers
from frontdesk.config.render_context import Catalogue
from frontdesk.config.settings import Profile
from frontdesk.config.toml_edits import update_file
from frontdesk.inbox.tui.screen import InboxScreen
from frontdesk.outbox import queue
from frontdesk.outbox.verbs import VerbContext
from frontdesk.storage.records import Change
from frontdesk.tasks.tui.screen import BoardScreen
from frontdesk.text.fuzzy import UnusableWords
from frontdesk.text.questions import Question
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.dialogs.base import on_answer
from frontdesk.tui.dialogs.form import ShortForm
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import show_label, show_line, trusted

MAX_NAME = 40


class CannotRecord(ValueError):
    """Nothing was written; the text says why and what to do."""


def steps_of(changes: Iterable[Change], profile: Profile) -> list[str]:
    """Return the steps of an action, in a macro's words; times are as far ahead as they were then.

    A title, a text or a note is no step: it is of one task.
    """
    names = Catalogue(profile)
    steps = (
        f"{verb.word} {words}"
        for each in changes
        for verb in macros.VERBS.values()
        for words in verb.recall(each, names)
    )
    return list(dict.fromkeys(steps))


def save_macro(path: Path, name: str, key: str, steps: Sequence[str]) -> None:
    """Write a macro at the end of the config; everything else in it stays as it is.

    Raises:
        CannotRecord: the file can't be read or written, or has something else for its macros.
    """

    def add(content: dict[str, Any]) -> None:
        rows = content.setdefault("macros", [])
        if not isinstance(rows, list):
            raise CannotRecord(
                f"couldn't add the macro to {path.name}: write the macros in it as [[macros]], then try again"
            )
        rows.append({"name": name, "key": key, "do": list(steps)})

    try:
        update_file(path, add)
    except (OpenToOthers, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CannotRecord(f"couldn't add the macro to {path.name}: {error}") from None
    except OSError as error:
        raise CannotRecord(f"couldn't write {path.name}: {error.strerror}") from None


def record_macro(screen: BaseScreen, changes: Sequence[Change]) -> None:
    """Ask for a name and a key, and write the macro of the action that these changes are of."""
    context, path = screen.app_context, config_settings.config_path()
    found = queue.of_batch(context.store.reading, changes[0].batch)
    steps = steps_of((each for each in found if each.undoes is None), context.store.profile)

    def say(words: str) -> None:
        notify(screen.app, show_line(words, 300))

    if not steps:
        say("A macro can't do this. It can change the status, people, due date, tags and snoozes.")
        return

    def name_fault(name: str) -> str:
        if len(name) > MAX_NAME:
            return f"write at most {MAX_NAME} characters"
        is_known = name.casefold() in (each.name.casefold() for each in load_macros(path).macros)
        return "another macro has this name" if is_known else ""

    def key_fault_of(key: str) -> str:
        where = "this macro"
        setting = MacroSetting("new", key, tuple(MacroStep(each, where) for each in steps), where)
        now = datetime.fromtimestamp(context.clock(), context.zone)
        read, faults = macros.load(MacroFile((setting,)), context.store.profile, now)
        problems = [*faults, *(key_fault(context.keymap, each) for each in read)]
        return next(filter(None, problems), "").removeprefix(f"{where}: ")

    def save(answers: Mapping[str, str]) -> None:
        try:
            save_macro(path, answers["name"], answers["key"], steps)
        except CannotRecord as error:
            say(f"Nothing was recorded: {error}")
            return
        shown = show_label(answers["name"], MAX_NAME).text
        screen.post_message(BaseScreen.MacrosChanged())
        say(f"Recorded {shown} in config.toml, where you can edit it. Press {answers['key']} on a row to run it.")

    questions = (
        Question("name", "Name", fault=name_fault, example="Wait for them", is_required=True),
        Question("key", "Key", fault=key_fault_of, example="a letter, ctrl+g, f6 or alt+w", is_required=True),
    )
    about = show_line(f"Steps: {'; '.join(steps)}", 200)
    screen.app.push_screen(ShortForm(trusted("Record a macro"), questions, {}, "name", about), on_answer(save))


def run_macro(screen: BaseScreen, macro: Macro) -> None:
    """Run a macro on the selection of the inbox or the board: at once on one row, after a plan on others."""
    if isinstance(screen, InboxScreen):
        selection = screen.targets.current()._replace(rows_are_tasks=False)
    elif isinstance(screen, BoardScreen):
        selection = screen.cursor.selection()
    else:
        return
    bulk = screen.task_actions.bulk
    try:
        change = macro.change(VerbContext(screen.app_context.view(), screen.app_context.store))
    except UnusableWords as error:
        bulk.refuse(show_line(f"Macro: {macro.name}: {error}"))
    else:
        bulk.do(change, selection, is_named=False)
