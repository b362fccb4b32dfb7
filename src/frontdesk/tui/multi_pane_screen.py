"""Paned: a screen of a few panes side by side, of which a narrow one shows one or two at a time.

The inbox, workflows and AI agents are such; which pane has the focus is said by a class, `-at-<id>`.
"""

from abc import abstractmethod
from collections.abc import Sequence

from textual.widget import Widget

from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.context import AppContext
from frontdesk.tui.keymap import Keymap
from frontdesk.tui.widgets.pane import Pane


class MultiPane(BaseScreen):
    """Going from pane to pane, and coming back to where one was; the panes' ids are those of `pane_names`."""

    def __init__(self, app_context: AppContext, keymap: Keymap) -> None:
        """A screen that knows, in `_left`, how it was left."""
        super().__init__(app_context, keymap)
        kept = app_context.outbox.saved_view_state(self.key_context)
        self._left: dict[str, object] = kept if isinstance(kept, dict) else {}

    @abstractmethod
    def panes(self) -> Sequence[Pane]:
        """The panes from left to right."""

    @abstractmethod
    def target_in(self, pane: Pane) -> Widget:
        """What of a pane takes the focus."""

    @abstractmethod
    def place_now(self) -> dict[str, object]:
        """Where one is, as JSON, for the next run."""

    def keep_place(self) -> None:
        """Remember where this screen was left."""
        if self._is_made and (left := self.place_now()) != self._left:
            self._left = left
            self.app_context.outbox.save_view_state(self.key_context, left)

    def go_back(self) -> bool:
        """Out of the zoom, then back to the first pane."""
        first = self.panes()[0]
        if self.has_class("-zoomed"):
            self.remove_class("-zoomed")
        elif not self.has_class(f"-at-{first.id}"):
            self.go_to(first)
        else:
            return False
        return True

    def go_to(self, pane: Pane) -> None:
        """Give a pane the focus."""
        # The class first: a pane that isn't displayed can't take the focus.
        self.note_pane(pane)
        self.target_in(pane).focus()

    def note_pane(self, pane: Pane) -> None:
        """Say which pane the focus is in."""
        for each in self.panes():
            self.set_class(each is pane, f"-at-{each.id}")
        if self._pane_tabs is not None:
            self._pane_tabs.show(str(pane.id))

    def pane_of(self, widget: Widget | None) -> Pane | None:
        """The pane that a widget is in."""
        if widget is None:
            return None
        return next((pane for pane in self.panes() if pane in widget.ancestors_with_self), None)

    def show_pane(self, pane: str) -> None:
        self.go_to(next(each for each in self.panes() if each.id == pane))

    def action_next_pane(self) -> None:
        self._step_pane(1)

    def action_previous_pane(self) -> None:
        self._step_pane(-1)

    def action_pane_right(self) -> None:
        self._step_pane(1, around=False)

    def action_pane_left(self) -> None:
        self._step_pane(-1, around=False)

    def action_zoom(self) -> None:
        self.toggle_class("-zoomed")

    def _step_pane(self, step: int, *, around: bool = True) -> None:
        panes = self.panes()
        at = next((place for place, pane in enumerate(panes) if self.has_class(f"-at-{pane.id}")), 0)
        to = (at + step) % len(panes) if around else max(0, min(len(panes) - 1, at + step))
        self.go_to(panes[to])
