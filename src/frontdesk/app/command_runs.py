"""CommandRuns: runs commands of the person's own from a key, and shows what comes of them."""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from textual.app import App

from frontdesk.app.custom_commands import CannotRun, ProgramCall, failure, output_lines, output_text, prepare
from frontdesk.config.actions import ASK_ABOVE
from frontdesk.config.extensions import CommandSetting
from frontdesk.config.program_runner import ProgramRun, run_program
from frontdesk.storage.records import RecordRef
from frontdesk.text.display_text import NOTHING, SafeText, counted, show_label, trusted
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.clipboard import copy
from frontdesk.tui.content import notify
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.base import on_answer
from frontdesk.tui.dialogs.confirm import ConfirmDialog
from frontdesk.tui.keymap import display_key

AT_ONCE_SECONDS = 2.0
"""Output that comes later doesn't open by itself: a person types on, and would type into it."""

SLOW_SECONDS = 0.7
"""A program that takes longer is said to run."""

MAX_TOAST_LINES = 6


@dataclass(frozen=True, slots=True)
class _Output:
    title: SafeText
    lines: tuple[SafeText, ...]


class CommandRuns:
    """The commands of one app, by their number in the config."""

    def __init__(self, app: App[Any], app_context: AppContext) -> None:
        self._app, self._app_context = app, app_context
        self.running: dict[int, asyncio.Task[None]] = {}
        self._waiting: dict[int, _Output] = {}

    @property
    def commands(self) -> Sequence[CommandSetting]:
        return self._app_context.store.settings.extensions.commands

    def start(self, number: int, screen: BaseScreen) -> None:
        """Show the output that waits for this key, else run the command on what is selected, after a question."""
        command = self.commands[number]
        is_here = screen.key_context in command.where or screen.state().pane.startswith("thread")
        if (output := self._waiting.pop(number, None)) is not None:
            screen.record_actions.show_lines(output.title, output.lines)
            return
        if number in self.running:
            self._notify(f"{show_label(command.name).text} is still running.", severity="warning")
            return
        if not is_here:
            key = self._app_context.key("pane.right")
            self._notify(
                f"{show_label(command.name).text} works in a thread; {key} goes there.", severity="warning"
            )
            return
        refs = screen.record_actions.selected() if command.needs_selection else ()
        try:
            call = prepare(command, self._app_context.store, refs, self._app_context.zone)
        except CannotRun as error:
            self._notify(f"{show_label(command.name).text} didn't run: {error}.", severity="warning")
            return
        target = self._name(refs)
        if not command.confirm and len(refs) <= ASK_ABOVE:
            self._begin(number, call, target, screen)
            return
        name = show_label(command.name).text
        question = trusted(f"Run {name} on {target.text}?" if target else f"Run {name}?")
        dialog = ConfirmDialog(show_label(command.name), question, yes=trusted("Run"))
        self._app.push_screen(dialog, on_answer(lambda _: self._begin(number, call, target, screen)))

    def close(self) -> None:
        """Kill what still runs, as the app ends."""
        for task in self.running.values():
            task.cancel()

    def _begin(self, number: int, call: ProgramCall, target: SafeText, screen: BaseScreen) -> None:
        self.running[number] = asyncio.create_task(self._run(number, call, target, screen))

    async def _run(self, number: int, call: ProgramCall, target: SafeText, screen: BaseScreen) -> None:
        command, loop = self.commands[number], asyncio.get_running_loop()
        name, began_at = show_label(command.name).text, loop.time()
        slow = loop.call_later(SLOW_SECONDS, lambda: self._notify(f"{name} is running…"))
        try:
            run = await run_program(
                call.argv, os.environ, sent=call.sent, added=call.added, timeout_seconds=command.timeout
            )
        finally:
            slow.cancel()
            del self.running[number]
        if run.problem:
            notify(self._app, failure(command, run), severity="error", timeout_seconds=12)
            return
        title = trusted(f"{name} · {target.text}" if target else name)
        is_at_once = loop.time() - began_at < AT_ONCE_SECONDS and self._app.screen is screen
        self._show(number, run, title, screen, is_at_once=is_at_once)

    def _show(
        self, number: int, run: ProgramRun, title: SafeText, screen: BaseScreen, *, is_at_once: bool
    ) -> None:
        command = self.commands[number]
        name, lines = show_label(command.name).text, output_lines(run)
        if command.output == "none" or not output_text(run):
            nothing = "" if command.output == "none" else "; it printed nothing"
            self._notify(f"{name} is done{nothing}.")
        elif command.output == "copy":
            copy(self._app, output_text(run), show_label(command.name))
        elif command.output == "toast":
            shown = [*lines[:MAX_TOAST_LINES], *([trusted("…")] if len(lines) > MAX_TOAST_LINES else [])]
            notify(self._app, trusted("\n".join(each.text for each in shown)), timeout_seconds=8)
        elif is_at_once:
            screen.record_actions.show_lines(title, lines)
        else:
            self._waiting[number] = _Output(title, lines)
            key = display_key(command.key.split(",")[0].strip())
            self._notify(f"{title.text} has finished. {key} shows its output.", seconds=10)

    def _name(self, refs: Sequence[RecordRef]) -> SafeText:
        """Return what a command works on: a name for one record, a number for several."""
        if len(refs) != 1:
            return trusted(counted(len(refs), "record")) if refs else NOTHING
        from frontdesk.app.record_documents import name

        return name(self._app_context.store, refs[0])

    def _notify(self, words: str, severity: Any = "information", seconds: float = 4) -> None:
        notify(self._app, trusted(words), severity=severity, timeout_seconds=seconds)
