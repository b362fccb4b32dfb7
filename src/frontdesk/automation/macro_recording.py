"""Records an action as a macro: the steps that it had, under a name and a key, at the end of the config."""

import tomllib
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from frontdesk.automation import macros
from frontdesk.automation.command_keys import key_fault
from frontdesk.config import settings as config_settings
from frontdesk.config.config_tables import MacroFile, MacroSetting, MacroStep, load_macros
from frontdesk.config.file_access import OpenToOthers
from frontdesk.config.render_context import Catalogue
from frontdesk.config.settings import Profile
from frontdesk.config.toml_edits import update_file
from frontdesk.outbox import queue
from frontdesk.storage.records import Change
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.dialogs.base import on_answer
from frontdesk.tui.dialogs.prompt import PromptDialog
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
    found = queue.of_batch(screen.app_context.store.reading, changes[0].batch)
    _Recording(screen, [each for each in found if each.undoes is None]).ask_name()


class _Recording:
    """One macro, from the question for its name to the file."""

    def __init__(self, screen: BaseScreen, changes: Sequence[Change]) -> None:
        self._screen, self._context = screen, screen.app_context
        self._profile = screen.app_context.store.profile
        self._steps = steps_of(changes, self._profile)

    def ask_name(self) -> None:
        if not self._steps:
            self._say("A macro can't do this. It can change the status, people, due date, tags and snoozes.")
            return
        dialog = PromptDialog(
            trusted("Record a macro: enter a name"),
            note=show_line(f"Steps: {'; '.join(self._steps)}", 200),
            placeholder="Wait for them",
            fault=self._name_fault,
        )
        self._screen.app.push_screen(dialog, on_answer(self._ask_key))

    def _ask_key(self, name: str) -> None:
        dialog = PromptDialog(
            show_line(f"{name}: enter a key", 80),
            note=trusted("A letter, or a key such as ctrl+g, f6 or alt+w"),
            fault=partial(self._key_fault, name),
        )
        self._screen.app.push_screen(dialog, on_answer(partial(self._save, name)))

    def _name_fault(self, name: str) -> str:
        if not name or len(name) > MAX_NAME:
            return f"Write a name of 1 to {MAX_NAME} characters"
        known = [each.name.casefold() for each in load_macros(config_settings.config_path()).macros]
        return "Another macro has this name" if name.casefold() in known else ""

    def _key_fault(self, name: str, key: str) -> str:
        if not key:
            return "A macro needs a key"
        where = "this macro"
        setting = MacroSetting(name, key, tuple(MacroStep(each, where) for each in self._steps), where)
        now = datetime.fromtimestamp(self._context.clock(), self._context.zone)
        found, faults = macros.load(MacroFile((setting,)), self._profile, now)
        problems = [*faults, *(key_fault(self._context.keymap, each) for each in found)]
        return next(filter(None, problems), "").removeprefix(f"{where}: ")

    def _save(self, name: str, key: str) -> None:
        try:
            save_macro(config_settings.config_path(), name, key, self._steps)
        except CannotRecord as error:
            self._say(f"Nothing was recorded: {error}")
            return
        shown = show_label(name, MAX_NAME).text
        self._say(f"Recorded {shown} in config.toml, where you can edit it. Restart frontdesk to use its key.")

    def _say(self, words: str) -> None:
        notify(self._screen.app, show_line(words, 300))
