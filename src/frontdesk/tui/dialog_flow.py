"""What the builder's actions share: dialogs one after the other, and what reads much done beside the screen.

Each action is a worker of the screen that it was begun on, so that it reads from the top; the modules beside this
one have one each. What is closed unanswered is kept for the next time, across restarts.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from inspect import CORO_CREATED, getcoroutinestate
from pathlib import Path
from typing import Any, TypeVar

from textual.notifications import SeverityLevel
from textual.worker import Worker

from frontdesk.api.contract.base import JsonObject
from frontdesk.app.reader import Reader
from frontdesk.outbox.commands import NotPossible
from frontdesk.storage import json_access
from frontdesk.storage.database_files import StoreUnusable
from frontdesk.storage.records import Change
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.text.lines import Span, span
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.content import for_field, notify
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.base import Answered, Closed, Dialog
from frontdesk.tui.dialogs.file import FileDialog
from frontdesk.tui.dialogs.waiting import WaitingDialog
from frontdesk.tui.futures import settled
from frontdesk.workflows.files import KINDS, read_workflow
from frontdesk.workflows.prepare import NotReadYet

T = TypeVar("T")

EXPORTED = "exported workflow"
"""Under this is kept which file was written last, and of which workflow."""

QUIET_SECONDS = 0.3
"""What takes longer says that it is read."""

TOLD_SECONDS = 15.0
"""So long it is said why something isn't done."""


class DialogFlow:
    """One action of a builder.

    Attributes:
        kept: what was decided before, by name; of the same thing.
    """

    def __init__(self, screen: BaseScreen, name: str, about: str = "") -> None:
        """An action that begins.

        Args:
            name: under which it is kept.
            about: the id that it works on.
        """
        self.screen, self._name, self._about = screen, f"deed: {name}", about
        self._opened: dict[Dialog[Any], Any] = {}
        self._gives_up: Callable[[], None] | None = None
        self._is_given_up = False
        # The screen's own first: what was kept a moment ago may still be on its way into the store.
        left = screen.left_deeds.get(self._name) or json_access.mapping(
            self.app_context.services.saved_view_state(self._name)
        )
        self.kept: Mapping[str, str] = {}
        if json_access.text(left.get("about")) == about:
            self.kept = {part: json_access.text(value) for part, value in left.items() if part != "about"}

    @property
    def app_context(self) -> AppContext:
        """The services and their surroundings."""
        return self.screen.app_context

    def begin(self, deed: Coroutine[Any, Any, None], *, holds_keys: bool = True) -> None:
        """Do it beside whatever the screen does.

        Args:
            holds_keys: what is typed before a dialog of it waits for that; not where that may be long in coming.
        """

        async def whole() -> None:
            try:
                await deed
            finally:
                self.release_keys()

        worker: Worker[None] = self.screen.run_worker(whole, group=self._name, exclusive=True)

        def give_up() -> None:
            worker.cancel()
            if getcoroutinestate(deed) == CORO_CREATED:
                deed.close()
            self.release_keys()  # here: one that was not begun yet never comes to its end

        if holds_keys:
            self._gives_up = self.screen.cancel_action = give_up

    def open(self, dialog: Dialog[Any]) -> None:
        """Show the first one with the key that wants it: what is typed behind that key is the dialog's."""
        self._opened[dialog] = self._shown(dialog)

    async def ask(self, dialog: Dialog[T]) -> Answered[T] | Closed:
        """What a person answers."""
        opened: asyncio.Future[Answered[T] | Closed] | None = self._opened.pop(dialog, None)
        return await (opened or self._shown(dialog))

    async def beside(self, job: Callable[[Reader], T]) -> T | None:
        """What comes of a job that reads much; None where nothing does, and why is said."""
        return await self._waited(
            trusted("the workflow"), self.told(settled(self.app_context.services.beside(job)))
        )

    def file_dialog(self, title: SafeText) -> FileDialog:
        """It begins with the file that was chosen before, else where one was exported last; with that one where it
        is of the same workflow."""
        path = self.kept.get("path", "")
        if not path:
            exported = DialogFlow(self.screen, EXPORTED).kept
            path = exported.get("path", "")
            if exported.get("workflow") != self._about and path:
                return FileDialog(title, Path(path).parent, KINDS, example="~/welcome.json")
        folder = Path(path).parent if path else None
        draft = path if for_field(path, lines=False) == path else ""
        return FileDialog(title, folder, KINDS, example="~/welcome.json", draft=draft)

    async def file_of(
        self, dialog: FileDialog, title: SafeText, wanted: str = ""
    ) -> tuple[str, JsonObject] | None:
        """A workflow's file that a person chooses, with what is in it; None where they close the dialog."""
        while True:
            answer = await self.ask(dialog)
            if isinstance(answer, Closed):
                if answer.draft.startswith(("/", "~")):
                    self.keep(path=answer.draft)
                return None
            path = answer.value
            self.keep(path=path)
            name = show_line(Path(path).name, 40)
            file = await self._waited(name, self.told(asyncio.to_thread(read_workflow, path, wanted)))
            if file is not None or not self.screen.is_current or self._is_given_up:
                return None if file is None else (path, file)
            dialog = self.file_dialog(title)

    async def put(self, future: "Future[Change]", words: str) -> bool:
        """Whether it went into the outbox; said either way."""
        self.release_keys()
        change = await self.told(settled(future))
        if change is None:
            return False
        self.kept = {}
        self.keep()
        undo = self.app_context.key("change.undo")
        # A name may be long, and how it is taken back is to be seen.
        said = show_line(words, 80)
        told = SafeText(f"{said.text}: sent in 5 s, {undo} takes it back.", said.was_sanitized)
        notify(self.screen.app, told, timeout_seconds=5)
        return True

    def keep(self, **parts: str) -> None:
        """Remember what was decided so far."""
        self.kept = {**self.kept, **parts}
        left = self.screen.left_deeds[self._name] = {"about": self._about, **self.kept}
        self.app_context.services.save_view_state(self._name, left)

    def say(self, words: SafeText, *, is_error: bool = False) -> None:
        """Tell the person."""
        severity: SeverityLevel = "error" if is_error else "information"
        notify(self.screen.app, words, severity=severity, timeout_seconds=TOLD_SECONDS)

    def release_keys(self) -> None:
        """The screen's keys are its own again."""
        if self._gives_up is not None and self.screen.cancel_action is self._gives_up:
            self.screen.cancel_action = None
            self.screen.post_message(BaseScreen.ActionEnded())

    async def _waited(self, what: SafeText, doing: Coroutine[Any, Any, T | None]) -> T | None:
        """What comes of reading something; where that takes a while it is said, and None comes of giving it up."""
        reading = asyncio.ensure_future(doing)
        try:
            await asyncio.wait({reading}, timeout=QUIET_SECONDS)
            if not reading.done() and self.screen.is_current:
                await self._wait_for(what, reading)
            return None if self._is_given_up else await reading
        finally:
            reading.cancel()

    async def _wait_for(self, what: SafeText, reading: "asyncio.Future[Any]") -> None:
        dialog = WaitingDialog(trusted("A moment"), (span("Reading "), Span(what), span(" …")))
        closed: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def take(answer: Any) -> None:
            if not closed.done():
                closed.set_result(answer)

        await self.screen.app.push_screen(dialog, take)
        await asyncio.wait({reading, closed}, return_when=asyncio.FIRST_COMPLETED)
        if not closed.done():
            dialog.done(None)
        self._is_given_up = isinstance(await closed, Closed)

    def _shown(self, dialog: Dialog[T]) -> "asyncio.Future[Answered[T] | Closed]":
        answered: asyncio.Future[Answered[T] | Closed] = asyncio.get_running_loop().create_future()

        def take(answer: Answered[T] | Closed | None) -> None:
            if not answered.done():  # whoever waited for it may have gone
                answered.set_result(answer or Closed())

        self.screen.app.push_screen(dialog, take)
        return answered

    async def told(self, doing: Coroutine[Any, Any, T]) -> T | None:
        """What comes of something; None where nothing does, and why is said."""
        try:
            found = await doing
        except NotReadYet as error:
            self.app_context.services.ask_refresh(self._about)
            self.say(_sentence(error))
            return None
        except (NotPossible, OSError, StoreUnusable) as error:
            self.say(_sentence(error), is_error=True)
            return None
        return found


def _sentence(error: Exception) -> SafeText:
    words = show_line(error, 400)
    return SafeText(
        f"Nothing was done: {words.text}{'' if words.text.endswith('.') else '.'}", words.was_sanitized
    )
