"""What is typed in one burst, as it comes over a slow line, does the same as the same keys typed slowly."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import anyio
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from textual import events
from textual.widgets import Input

from frontdesk.accounts.account_dialog import AccountDialog
from frontdesk.accounts.account_form import AccountForm
from frontdesk.accounts.name_dialogs import CatalogueDialog
from frontdesk.accounts.setup_app import SetupApp
from frontdesk.config.catalogue_rows import CATALOGUES
from frontdesk.config.settings import Settings
from frontdesk.tui.dialogs.base import Answered, Dialog
from frontdesk.tui.dialogs.prompt import PromptDialog
from frontdesk_lines.display_text import trusted
from frontdesk_lines.widgets.row_list import RowList
from tui.hosts import until
from tui.screen_text import key_event

PASTE = "paste:x y"
EDITS = ["left", "right", "home", "end", "backspace", "delete", "ctrl+u", "ctrl+w", "ctrl+k", "ctrl+a", "ctrl+e"]
MOVES = ["tab", "shift+tab", "down", "up", "enter"]
KEYS = st.lists(st.sampled_from([*"ab 1", PASTE, *EDITS, *MOVES, "escape"]), min_size=2, max_size=25)


def names() -> CatalogueDialog:
    rows = [{"id": "1", "label": "Shop"}, {"id": "2", "label": "Night"}]
    return CatalogueDialog(CATALOGUES[0], trusted("acme"), rows, {"3": ""}, lambda _: None)


def account() -> AccountDialog:
    return AccountDialog(AccountForm(), lambda *_: None, is_default=True)


def prompt() -> PromptDialog:
    return PromptDialog(trusted("Rename"), draft="one two")


class Host(SetupApp):
    """An app with one dialog."""

    def __init__(self, make: Callable[[], Dialog[Any]]) -> None:
        super().__init__(Settings(), lambda *_: None)
        self._make, self.answers = make, list[Any]()

    def _ask(self) -> None:
        self.push_screen(self._make(), self.answers.append)

    def state(self) -> object:
        """What a person sees of it: dialogs, texts, carets, the list's row, the focus, and the answer."""
        fields = [(each.value, each.selection, each.has_focus) for each in self.screen.query(Input)]
        rows = [(tuple(each.keys), each.cursor_key) for each in self.screen.query(RowList)]
        kinds = [type(each).__name__ for each in self.screen_stack]
        focused = self.screen.focused
        return kinds, fields, rows, None if focused is None else type(focused).__name__, self.answers


async def rest(app: Host) -> None:
    """Wait until what was typed has had its effect."""
    for _ in range(2):
        await asyncio.sleep(0.005)
        await until(lambda: not (app.is_busy or app.message_queue_size))


async def result(make: Callable[[], Dialog[Any]], keys: list[str], *, is_burst: bool) -> tuple[Host, object]:
    app = Host(make)
    async with app.run_test(size=(80, 24)):
        await until(lambda: isinstance(app.screen, Dialog) and not app.is_dialog_opening)
        for key in keys:
            event = events.Paste(key.removeprefix("paste:")) if key == PASTE else key_event(key)
            app.post_message(event)
            if not is_burst:
                await rest(app)
        await rest(app)
        return app, app.state()


def of_burst(make: Callable[[], Dialog[Any]], *keys: str) -> Host:
    return anyio.run(partial(result, make, [*keys], is_burst=True))[0]


def test_keys_that_edit_keep_their_places_among_letters() -> None:
    app = of_burst(prompt, *"ab", "home", "c", PASTE, "end", "backspace", "d", "enter", "e")
    assert app.answers == [Answered("cx yad")]


def test_a_burst_goes_through_dialogs_and_back_to_the_list() -> None:
    saved = names()
    keys = [
        "a",
        *"77",
        "home",
        "6",
        "tab",
        *"N",
        "ctrl+u",
        *"Moon",
        "enter",
        "home",
        "enter",
        "end",
        *" 2",
        "enter",
    ]
    of_burst(lambda: saved, *keys)
    assert [*saved.rows.keys][:3] == ["1", "2", "677"]
    assert saved._saved == [
        {"id": "1", "label": "Shop 2"},
        {"id": "2", "label": "Night"},
        {"id": "677", "label": "Moon"},
    ]


def test_a_burst_fills_a_form_and_stays_on_a_required_field() -> None:
    form = AccountForm()
    make = partial(AccountDialog, form, lambda *_: None, is_default=True)
    of_burst(make, *"ht", PASTE, "ctrl+u", *"http://a", "enter", "enter", *"c=dd", "backspace", "down", *"k")
    assert form.typed == {"name": "default", "base_url": "http://a", "cookie": "c=d", "api_key": "k"}


@pytest.mark.slow
@settings(max_examples=10)
@example(names, ["end", "a", "enter"])
@given(st.sampled_from([prompt, names, account]), KEYS)
def test_any_burst_does_the_same_as_slow_typing(make: Callable[[], Dialog[Any]], keys: list[str]) -> None:
    keys = ["a", *keys] if make is names else keys
    burst, slow = (anyio.run(partial(result, make, keys, is_burst=each))[1] for each in (True, False))
    assert burst == slow
