"""CommandRuns: runs commands of the person's own from a key, and shows what comes of them."""

import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import App

from frontdesk.automation.custom_commands import (
    CannotRun,
    ProgramCall,
    failure,
    output_lines,
    output_text,
    prepare,
)
from frontdesk.config.actions import ASK_ABOVE
from frontdesk.config.extensions import CommandSetting
from frontdesk.config.program_runner import ProgramRun, run_program
from frontdesk.config.render_context import RenderContext
from frontdesk.storage.records import RecordRef
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.clipboard import copy
from frontdesk.tui.context import AppContext, StatusPart
from frontdesk.tui.dialogs.base import Answered, Closed, on_answer
from frontdesk.tui.dialogs.confirm import ConfirmDialog
from frontdesk.tui.keymap import display_key
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import NOTHING, SafeText, counted, cut, show_label, trusted
from frontdesk_lines.lines import EMPTY, Role, span

if TYPE_CHECKING:
    from frontdesk.tui.dialogs.prompt import RunningDialog

AT_ONCE_SECONDS = 2.0
"""Output that comes later doesn't open by itself: a person types on, and would type into it."""

SLOW_SECONDS = 0.7
"""A program that takes longer is said to run."""

MAX_TOAST_LINES = 6
MAX_TOAST_CELLS = 160
"""Of one line: a longer one would cover the screen."""


@dataclass(frozen=True, slots=True)
class _Output:
    title: SafeText
    lines: tuple[SafeText, ...]
    whole: str


@dataclass(slots=True)
class _Running:
    """A program that runs.

    Attributes:
        began_at: by the event loop's clock.
        dialog: the one that shows how long it has been running.
        show_end: what is done once that dialog has closed, since the program has ended.
    """

    task: "asyncio.Task[None]"
    began_at: float
    dialog: "RunningDialog | None" = None
    show_end: Callable[[], None] = lambda: None


class CommandRuns:
    """The commands of one app, by their number in the config.

    Args:
        changed: called when a program is said to run, and when it has ended.
    """

    def __init__(self, app: App[Any], app_context: AppContext, changed: Callable[[], object]) -> None:
        self._app, self._app_context, self._changed = app, app_context, changed
        self.running: dict[int, _Running] = {}
        self._waiting: dict[int, _Output] = {}

    @property
    def commands(self) -> Sequence[CommandSetting]:
        return self._app_context.store.settings.extensions.commands

    def start(self, number: int, screen: BaseScreen) -> None:
        """Show the output that waits for this key, else run the command on what is selected, after a question."""
        command = self.commands[number]
        is_here = screen.key_context in command.where or screen.state().pane.startswith("thread")
        if (output := self._waiting.pop(number, None)) is not None:
            screen.record_actions.show_lines(output.title, output.lines, whole=output.whole)
            return
        if number in self.running:
            self._show_running(number)
            return
        if not is_here:
            key = self._app_context.key("pane.right")
            self._notify(
                f"{show_label(command.name).text} works in a thread. Press {key} to go there.", severity="warning"
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
        for each in self.running.values():
            each.task.cancel()

    def status_part(self, view: RenderContext) -> StatusPart:  # noqa: ARG002
        """Return which programs have been running for a while, and for how long."""
        now = asyncio.get_running_loop().time()
        slow = {
            each: now - run.began_at for each, run in self.running.items() if now - run.began_at >= SLOW_SECONDS
        }
        if not slow:
            return StatusPart(EMPTY, EMPTY)
        first = next(iter(slow))
        words = f"{cut(show_label(self.commands[first].name).text, 20)} running {max(slow.values()):,.0f} s"
        several = f"{len(slow)} commands running {max(slow.values()):,.0f} s"
        line = (span(words if len(slow) == 1 else several, Role.DIM),)
        return StatusPart(line, line)

    def _begin(self, number: int, call: ProgramCall, target: SafeText, screen: BaseScreen) -> None:
        task = asyncio.create_task(self._run(number, call, target, screen))
        self.running[number] = _Running(task, asyncio.get_running_loop().time())

    def _show_running(self, number: int) -> None:
        """Show how long a program has been running; it can be stopped there."""
        from frontdesk.tui.dialogs.prompt import RunningDialog

        command, run = self.commands[number], self.running[number]
        clock = asyncio.get_running_loop().time
        name = show_label(command.name)
        run.dialog = RunningDialog(name, lambda: clock() - run.began_at, command.timeout)

        def closed(answer: Answered[bool] | Closed | None) -> None:
            run.dialog = None
            if not isinstance(answer, Answered):
                return
            if not answer.value:
                run.show_end()
            elif run.task.cancel():
                run.task.add_done_callback(lambda _: self._changed())
                self._notify(f"{name.text} was stopped.")

        self._app.push_screen(run.dialog, closed)

    def _say_slow(self, number: int) -> None:
        key = _first_key(self.commands[number])
        name = show_label(self.commands[number].name).text
        self._notify(f"{name} is running… Press {key} to see how long, or to stop it.")
        self._changed()

    async def _run(self, number: int, call: ProgramCall, target: SafeText, screen: BaseScreen) -> None:
        command, loop = self.commands[number], asyncio.get_running_loop()
        name, began_at = show_label(command.name).text, loop.time()
        slow = loop.call_later(SLOW_SECONDS, self._say_slow, number)
        try:
            run = await run_program(
                call.argv, os.environ, sent=call.sent, added=call.added, timeout_seconds=command.timeout
            )
        finally:
            slow.cancel()
            ended = self.running.pop(number)
        self._changed()
        title = trusted(f"{name} · {target.text}" if target else name)
        is_at_once = loop.time() - began_at < AT_ONCE_SECONDS and self._app.screen is screen
        if run.problem:
            notify(self._app, failure(command, run), severity="error", timeout_seconds=12)
        elif ended.dialog is not None:  # the person waits for it
            ended.show_end = partial(self._show, number, run, title, screen, is_at_once=True)
        else:
            self._show(number, run, title, screen, is_at_once=is_at_once)
        if ended.dialog is not None:
            ended.dialog.done(False)

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
            shown = [cut(each.text, MAX_TOAST_CELLS) for each in lines[:MAX_TOAST_LINES]]
            more = ["…"] if len(lines) > MAX_TOAST_LINES else []
            notify(self._app, trusted("\n".join([*shown, *more])), timeout_seconds=8)
        elif is_at_once:
            screen.record_actions.show_lines(title, lines, whole=output_text(run))
        else:
            self._waiting[number] = _Output(title, lines, output_text(run))
            words = f"{title.text} has finished. Press {_first_key(command)} to see its output."
            self._notify(words, seconds=10)

    def _name(self, refs: Sequence[RecordRef]) -> SafeText:
        """Return what a command works on: a name for one record, a number for several."""
        if len(refs) != 1:
            return trusted(counted(len(refs), "record")) if refs else NOTHING
        from frontdesk.automation.record_documents import name

        return name(self._app_context.store, refs[0])

    def _notify(self, words: str, severity: Any = "information", seconds: float = 4) -> None:
        notify(self._app, trusted(words), severity=severity, timeout_seconds=seconds)


def _first_key(command: CommandSetting) -> str:
    return display_key(command.key.split(",")[0].strip())
