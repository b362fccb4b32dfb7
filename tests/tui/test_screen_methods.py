"""A screen holds objects instead of inheriting methods: how many methods of ours each screen class has."""

from importlib import import_module

import pytest
from textual.screen import Screen

from frontdesk.app.screens import SCREENS
from frontdesk.tui import clipboard
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.dialogs import base
from frontdesk_lines.textual_compat.text_selection import SelectingScreen

MAX_METHODS = 39
ADAPTER = "frontdesk_lines.textual_compat."
"""Its classes override methods of Textual's, and add none."""

CLASSES = (*SCREENS.values(), ("frontdesk.campaigns.tui.comparison_screen", "ComparisonScreen"))


def _methods(screen: type[BaseScreen]) -> set[str]:
    return {
        name
        for each in screen.__mro__
        if each.__module__.startswith("frontdesk.") and not each.__module__.startswith(ADAPTER)
        for name, value in vars(each).items()
        if not isinstance(value, type) and (callable(value) or isinstance(value, property | staticmethod))
    }


@pytest.mark.parametrize(("module", "name"), CLASSES)
def test_a_screen_has_few_methods_of_its_own_and_inherited(module: str, name: str) -> None:
    screen = getattr(import_module(module), name)
    found = _methods(screen)
    assert len(found) <= MAX_METHODS, sorted(found)


def test_no_screen_of_ours_has_textual_s_own_selection() -> None:
    def kinds(of: type) -> set[type]:
        return {of}.union(*map(kinds, of.__subclasses__()))

    screens = {getattr(import_module(module), name) for module, name in CLASSES}
    ours = {each for each in kinds(Screen) if each.__module__.startswith("frontdesk.")}
    assert {clipboard.ManualCopyDialog, base.Dialog, *screens} <= ours
    assert not [each for each in ours if not issubclass(each, SelectingScreen) and each.ALLOW_SELECT]
