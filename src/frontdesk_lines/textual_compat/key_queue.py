"""Deliver what is typed while a dialog or a screen opens to that one, in the order typed.

Leans on `App._check_bindings` (8.2.8), which looks a key up and runs its action at once, and on
`MessagePump._task`. By `App.on_event` a key goes to the focused widget, up through the queues of its parents and
back to the app, which only then runs the bindings of a field (end, backspace, ctrl+u). Later letters
are in the field before that, and bindings with priority, such as enter, are run before either.

Guarantees the order in which keys were typed. From the key that begins an action until its dialog can be typed
in they wait; they are dropped if the action ends without a dialog, or if the dialog closes before they had
their turn, unless esc closes it. A key waits, too, until the one before it has had its effect; letters for one
`Input` don't wait for each other. A paste runs no key: without a field for it, it is refused with a hint.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from textual import events
from textual.app import ScreenStackError
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import AwaitMount, Widget
from textual.widgets import Input

from frontdesk_lines.textual_compat.diffing_app import DiffingApp
from frontdesk_lines.textual_compat.input_reader import AltLetter, UnmarkedPaste
from frontdesk_lines.textual_compat.narrow_screen import NarrowScreen
from frontdesk_lines.widgets.line_view import LineView

MAX_HELD = 1_000

MAX_PASSES, MAX_PASS_SECONDS = 20, 2.0
"""Limits on the passes of the queues after a key, and on the time of one: neither a screen that never rests nor a
handler that waits for something may lock the keyboard."""

BURST_SECONDS = 0.5
"""Keys typed so soon after an action's key are meant for the dialog that it usually opens."""


MAX_ANSWER, MAX_BEGUN = 10, 5
"""Maximum number of keys typed ahead for a dialog, with the key that opens it: up to `enter`, or up to now."""
MAX_ACTIONS = 3
"""Maximum number of keys typed ahead that do more than move."""


class TypedAhead(NamedTuple):
    """Actions, by their ids, whose keys a terminal may send in one piece with those that follow.

    Attributes:
        searches: those that open a field whose text changes nothing: any length of it can be typed ahead.
        asks: those whose dialog takes a known answer, which can be typed ahead; a title or a note can't.
        moves: the beginnings of the ids of those that change nothing.
    """

    searches: frozenset[str] = frozenset()
    asks: frozenset[str] = frozenset()
    moves: tuple[str, ...] = ()


class ActionScreen(NarrowScreen):
    """A screen whose keys begin actions, which may open dialogs.

    Attributes:
        cancel_action: cancels an action whose next dialog isn't open yet; keys are held until then.
        lacks_dialog: whether an action ended without its usual dialog; keys typed right after it are dropped.
    """

    cancel_action: Callable[[], None] | None = None
    lacks_dialog = False

    class ActionEnded(Message):
        """An action opens no more dialogs: keys held for one are dropped."""


class QueuedKeysApp(DiffingApp):
    """An app that handles keys in the order typed, on the screen they were typed for.

    Attributes:
        key_actions: returns the ids of what a key does on any screen.
        typed_ahead: the limits within which keys that look like a paste were typed.
    """

    key_actions: Callable[[str], Collection[str]] = staticmethod(lambda _: ())
    typed_ahead: ClassVar[TypedAhead] = TypedAhead()

    def __init__(self, bidi: str, *, ascii_only: bool, environ: Mapping[str, str] = MappingProxyType({})):
        super().__init__(bidi, ascii_only=ascii_only, environ=environ)
        self._opening: Screen[Any] | None = None
        """The screen that was opened last, until it can be typed in."""
        self._typed_at = 0.0
        """Time of the last key that was not dropped."""
        self._drop_until = 0.0
        self._held: deque[events.Key | events.Paste] = deque(maxlen=MAX_HELD)
        """Keys that wait for a dialog."""
        self._behind: deque[tuple[events.Key | events.Paste, bool]] = deque()
        """Keys that wait for the effect of the one before, each with whether it was typed for a dialog."""
        self._effect: asyncio.Task[None] | None = None
        """Waits for the effect of the last key."""
        self._passes = 0
        """Number of passes of the queues since the last key."""
        self._is_closing = False
        """True after esc, until all keys typed since have had their effect."""
        self._lettered: Widget | None = None
        """The field that nothing but letters is on its way to."""

    @property
    def is_dialog_opening(self) -> bool:
        """True while a dialog or a screen opens that can't be typed in yet."""
        return self._opening is not None

    @property
    def is_busy(self) -> bool:
        """True while a key has not had its effect."""
        return self._effect is not None or bool(self._behind or self._held)

    def push_screen(self, screen: Any, *args: Any, **more: Any) -> Any:
        """Push a screen and hold the keys until it is mounted and has its focus."""
        pushed = super().push_screen(screen, *args, **more)
        self._hold_keys()
        return pushed

    def switch_mode(self, mode: str) -> AwaitMount:
        """Show a mode, and hold the keys until it has its focus: later ones would overtake the first ones."""
        switched = super().switch_mode(mode)
        if self.focused is None:
            self._hold_keys()
        return switched

    def _hold_keys(self) -> None:
        self._opening = self.screen
        self._opening.call_later(self.call_later, self._release_keys, self._opening)

    async def on_event(self, event: events.Event) -> None:
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await super().on_event(event)
        else:
            is_text = self._takes_text
            for each in event.as_keys(is_text=is_text) if isinstance(event, AltLetter) else [event]:
                self._is_closing &= self.is_busy
                self._append_typed(each)
            await self._handle_behind()

    def _append_typed(self, event: events.Key | events.Paste) -> None:
        """Queue a key or paste: for the dialog that is open, or after esc for the screen that it returns to."""
        is_escape = isinstance(event, events.Key) and event.key == "escape"
        is_dialogs = not isinstance(self.screen, ActionScreen) and (is_escape or not self._is_closing)
        self._behind.append((event, is_dialogs))
        self._is_closing |= is_escape

    async def _handle_behind(self) -> None:
        """Handle what was typed, up to the first key that has to wait for the effect of another."""
        while self._behind and not self._waits_for_effect(self._behind[0][0]):
            event, is_dialogs = self._behind.popleft()
            # Keys typed before the dialog closed, such as a second enter, aren't for the screen below it.
            if not (is_dialogs and isinstance(self.screen, ActionScreen)):
                await self._handle_typed(event)

    def _waits_for_effect(self, event: events.Key | events.Paste) -> bool:
        if self._effect is None:
            return False
        return self._lettered is None or self._field_for(event) is not self._lettered

    def _field_for(self, event: events.Key | events.Paste) -> Widget | None:
        """Return the one-line field that a letter goes to; None for every other key."""
        focused = self.focused
        is_letter = isinstance(event, events.Key) and event.is_printable and isinstance(focused, Input)
        return focused if is_letter else None

    async def _handle_typed(self, event: events.Key | events.Paste) -> None:
        if self._is_for_missing_dialog(event):
            pass
        elif self._waits_for_dialog(event):
            self._held.append(event)
        else:
            self._held.clear()  # their dialog never opened
            await self._dispatch(event)

    def _is_for_missing_dialog(self, event: events.Key | events.Paste) -> bool:
        """Return whether it was typed in one burst after the key of an action that opened no dialog."""
        screen = self.screen
        if not isinstance(screen, ActionScreen):
            self._typed_at = event.time
            return False
        if screen.lacks_dialog:
            screen.lacks_dialog = False
            self._drop_until = self._typed_at + BURST_SECONDS
        if event.time < self._drop_until and getattr(event, "key", "") != "escape":
            return True
        self._typed_at = event.time
        return False

    def on_action_screen_action_ended(self, event: ActionScreen.ActionEnded) -> None:
        event.stop()
        if self._opening is None:
            self._held.clear()

    def _waits_for_dialog(self, event: events.Key | events.Paste) -> bool:
        screen = self.screen
        if screen is self._opening:
            return True
        if not isinstance(screen, ActionScreen) or screen.cancel_action is None:
            return False
        if isinstance(event, events.Key) and event.key == "escape":
            self._held.clear()
            screen.cancel_action()
        return True

    def hint_refused_paste(self) -> None:
        """Say that a paste was refused because no field has the focus."""

    @property
    def _takes_text(self) -> bool:
        return self.focused is not None and self.focused.check_consume_key("x", "x")

    def _typed_keys(self, paste: UnmarkedPaste) -> list[events.Key]:
        """Return what a person has typed after all: an answer for a field, a search with its words, or moves."""
        keys = [each.key for each in paste.piece]
        if self._takes_text:
            return [] if "enter" in keys[:-1] else paste.keys
        if not isinstance(self.screen, ActionScreen):
            return []
        acts, is_here = 0, True
        for at, (key, before) in enumerate(zip(keys, ["", *keys], strict=False)):
            bound = self.screen.active_bindings.get(key) if is_here else None
            names = {bound.binding.id or ""} if bound else set(self.key_actions(key))
            if not names:
                return []
            if not at and names <= self.typed_ahead.searches and paste.keys[0] is paste.piece[0]:
                return paste.keys[: [*keys, "enter"].index("enter") + 1]
            if names <= self.typed_ahead.asks:
                most = MAX_ANSWER if keys[-1] == "enter" else MAX_BEGUN
                is_answer = not acts and "enter" not in keys[at:-1] and len(keys) - at <= most
                return paste.keys if is_answer else []
            if not all(name.startswith(self.typed_ahead.moves) for name in names):
                acts += key != before
            is_here = is_here and not any(name.startswith("go.") for name in names)
        return paste.keys if acts <= MAX_ACTIONS else []

    async def _dispatch(self, event: events.Key | events.Paste) -> None:
        """Run a list's key at once: on its way through the widgets the next key would overtake its dialog."""
        if isinstance(event, UnmarkedPaste) and (keys := self._typed_keys(event)):
            is_dialogs = not isinstance(self.screen, ActionScreen)
            self._behind.extendleft((key, is_dialogs) for key in reversed(keys))
            return
        if isinstance(event, events.Paste) and not self._takes_text:
            self.hint_refused_paste()
            return
        screen, view = self.screen, self.focused
        if not (isinstance(event, events.Key) and isinstance(screen, ActionScreen) and isinstance(view, LineView)):
            self._lettered, self._passes = self._field_for(event), 0
            if self._effect is None:
                self._effect = asyncio.create_task(self._await_effect(), name="effect of a key")
            await super().on_event(event)
            return
        view.hold_cursor()
        self.app_focus = True
        if not await self._check_bindings(event.key, priority=True):
            await self._check_bindings(event.key)
        screen.paint_now(view)

    async def _release_keys(self, screen: Screen[Any]) -> None:
        """Handle the held keys, on a screen that can be typed in now; another one that opens holds the rest."""
        if screen is not self._opening:
            return
        self._opening = None
        held, self._held = self._held, deque(maxlen=MAX_HELD)
        if getattr(screen, "accepts_queued_keys", True):
            behind, self._behind = self._behind, deque()
            self._is_closing = False
            for event in held:
                self._append_typed(event)
            self._behind += behind
            await self._handle_behind()
        else:
            self._behind.clear()

    async def _await_effect(self) -> None:
        """Wait until the last key has passed all queues, with all that it caused in them."""
        try:
            with suppress(TimeoutError, ScreenStackError):
                # The first pass ends with the bindings that the app runs, the second with what they posted.
                while self._passes < 2 or (self._passes < MAX_PASSES and self._has_queued()):
                    self._passes += 1
                    async with asyncio.timeout(MAX_PASS_SECONDS):
                        for pump in self._pumps():
                            await _pass_queue(pump)
        finally:
            self._effect = None
            if self._behind:
                self.call_later(self._handle_behind)

    def _has_queued(self) -> bool:
        return any(pump.message_queue_size for pump in self._pumps())

    def _pumps(self) -> Iterator[MessagePump]:
        """Yield what a key and its messages go through, in that order."""
        screen = self.screen
        if screen.focused is not None:
            yield from (each for each in screen.focused.ancestors_with_self if each not in (screen, self))
        yield from (*reversed(self.screen_stack), self)


async def _pass_queue(pump: MessagePump) -> None:
    """Wait until all that is in a queue now is handled, or its owner has ended."""
    passed = asyncio.get_running_loop().create_future()

    def end(*_: object) -> None:
        if not passed.done():
            passed.set_result(None)

    task = pump._task
    if not pump.call_later(end):
        return
    if task is not None:
        task.add_done_callback(end)
    await passed
    if task is not None:
        task.remove_done_callback(end)
