"""PaneSwitcher and MultiPaneScreen: panes next to each other, of which a narrow screen shows one or two.

A class of the screen, `-at-<id>`, names the pane that has the focus.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from textual.screen import Screen
from textual.widget import Widget

from frontdesk.tui.base_screen import BackActions, BaseScreen
from frontdesk.tui.context import AppContext
from frontdesk_lines.display_text import trusted
from frontdesk_lines.widgets.line_bar import PaneTabs
from frontdesk_lines.widgets.pane import Pane


class PaneSwitcher:
    """Moves the focus between the panes of a screen.

    Args:
        targets: the panes from left to right, each with its widget that takes the focus.
        before: called with a pane before it gets the focus.
    """

    def __init__(
        self,
        screen: Screen[Any],
        targets: Mapping[Pane, Widget],
        tabs: PaneTabs,
        before: Callable[[Pane], None] = lambda _: None,
    ) -> None:
        self._screen, self._targets, self._tabs, self._before = screen, dict(targets), tabs, before
        screen.add_class(f"-at-{self.all[0].id}", update=False)

    @property
    def all(self) -> tuple[Pane, ...]:
        return tuple(self._targets)

    def is_at(self, pane: Pane) -> bool:
        """Whether a pane has the focus, or had it last."""
        return self._screen.has_class(f"-at-{pane.id}")

    def focus_pane(self, pane: Pane) -> None:
        self._before(pane)
        # The class first: a pane that isn't displayed can't take the focus.
        self._note(pane)
        # At once, unlike `focus`: the next key is for this pane.
        self._screen.set_focus(self._targets[pane])

    def focus_pane_id(self, pane_id: str) -> None:
        self.focus_pane(next(each for each in self.all if each.id == pane_id))

    def note_focus(self) -> Pane | None:
        """Note the focused pane and return it; None where no pane has the focus."""
        pane = self.focused
        if pane is not None:
            self._note(pane)
        return pane

    @property
    def focused(self) -> Pane | None:
        if self._screen.focused is None:
            return None
        within = self._screen.focused.ancestors_with_self
        return next((pane for pane in self.all if pane in within), None)

    def step(self, step: int, *, around: bool = True) -> None:
        """Focus a pane further right or left."""
        panes = self.all
        at = next((index for index, pane in enumerate(panes) if self.is_at(pane)), 0)
        to = (at + step) % len(panes) if around else max(0, min(len(panes) - 1, at + step))
        self.focus_pane(panes[to])

    def navigate_back(self) -> bool:
        """End the zoom, then focus the first pane; False where that has the focus already."""
        if self._screen.has_class("-zoomed"):
            self._screen.remove_class("-zoomed")
        elif not self.is_at(self.all[0]):
            self.focus_pane(self.all[0])
        else:
            return False
        return True

    def _note(self, pane: Pane) -> None:
        for each in self.all:
            self._screen.set_class(each is pane, f"-at-{each.id}")
        self._tabs.show(str(pane.id))


class MultiPaneScreen(BaseScreen):
    """A screen with a `PaneSwitcher` in `panes`, over the panes of `pane_names`, and `PaneBackActions`."""

    pane_names: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Id and name of each pane."""
    panes: PaneSwitcher
    pane_tabs: PaneTabs

    def __init__(self, app_context: AppContext) -> None:
        super().__init__(app_context)
        names = tuple((each, trusted(name)) for each, name in self.pane_names)
        self.pane_tabs = PaneTabs(names, app_context.key("pane.next"), app_context.glyphs.current)

    def on_pane_tabs_chosen(self, event: PaneTabs.Chosen) -> None:
        event.stop()
        self.panes.focus_pane_id(event.id)

    def action_step_pane(self, step: int, around: bool = True) -> None:
        self.panes.step(step, around=around)

    def action_zoom(self) -> None:
        self.toggle_class("-zoomed")


class PaneBackActions(BackActions):
    """Goes back through the panes of a screen.

    Args:
        clear_filter: clears the filter of the panes; False where there is none.
    """

    def __init__(self, screen: MultiPaneScreen, clear_filter: Callable[[], bool]) -> None:
        self._screen, self._clear_filter = screen, clear_filter

    def navigate_back(self) -> bool:
        return self._screen.panes.navigate_back()

    def clear_filter(self) -> bool:
        return self._clear_filter()
