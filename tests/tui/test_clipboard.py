"""A text with line breaks is shown before it is copied, since a shell could run it."""

import base64
import re
from collections.abc import AsyncIterator
from concurrent.futures import Future
from contextlib import asynccontextmanager
from functools import partial

import pytest
from textual import events

from frontdesk.storage.database import Store
from frontdesk.tui.clipboard import ManualCopyDialog, copy
from frontdesk.tui.dialogs.copy_lines import WARNING, CopyLinesDialog
from frontdesk_lines.display_text import trusted
from frontdesk_lines.privacy import set_private
from kit import At, running
from sample_json import raw_task
from tui.hosts import quiet, text_of, until
from tui.screen_text import shown_toasts

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

LINES = "echo hello\nrm -rf somewhere\r\nthe end"
CLEAN = "echo hello\nrm -rf somewhere\nthe end"


class Copying:
    """A running app and what it sent to the clipboard."""

    def __init__(self, at: At, signals: list[str]) -> None:
        self.at, self._signals = at, signals

    @property
    def copied(self) -> list[str]:
        found = re.findall(r"\x1b\]52;c;([^\x07]*)\x07", "".join(self._signals))
        return [base64.b64decode(each).decode() for each in found]

    async def asked(self, text: str) -> str:
        """Copy a text; answers what the dialog shows."""
        copy(self.at.app, text, trusted("Message"))
        await until(lambda: isinstance(self.at.app.screen, CopyLinesDialog))
        await quiet(self.at.app)
        return "\n".join(text_of(self.at.app))

    async def answer(self, key: str) -> None:
        await self.at.press(key)
        await until(lambda: self.at.app.screen is self.at.app.current_screen)


@asynccontextmanager
async def opened(store: Store, signals: list[str], size: tuple[int, int] = (100, 30)) -> AsyncIterator[Copying]:
    async with running(store, raw_task(1, title="one\nline", body="a\nb"), size=size) as at:
        yield Copying(at, signals)


async def test_lines_are_shown_and_copied_only_where_that_is_confirmed(store: Store, signals: list[str]) -> None:
    async with opened(store, signals) as copying:
        shown = await copying.asked(LINES)
        assert "Copy 3 lines · Message" in shown
        assert WARNING in shown
        assert re.search(r"1 echo hello.*\n.*2 rm -rf somewhere.*\n.*3 the end", shown)
        assert not copying.copied
        await copying.answer("escape")
        assert not copying.copied
        assert not shown_toasts(copying.at.app)
        for key in ("enter", "y"):
            await copying.asked(LINES)
            await copying.answer(key)
            await until(lambda key=key: len(copying.copied) == 1 + (key == "y"))
        assert copying.copied == [CLEAN, CLEAN]


async def test_a_person_who_says_so_is_not_asked_again(store: Store, signals: list[str]) -> None:
    async with opened(store, signals) as copying:
        await copying.asked(LINES)
        await copying.answer("a")
        await until(lambda: copying.copied == [CLEAN])
        copy(copying.at.app, "two\nlines", trusted("Message"))
        await until(lambda: copying.copied == [CLEAN, "two\nlines"])
        assert copying.at.app.screen is copying.at.app.current_screen


async def test_one_line_is_copied_at_once_json_with_line_breaks_in_its_texts_too(
    store: Store, signals: list[str]
) -> None:
    async with opened(store, signals) as copying:
        copy(copying.at.app, "one line", trusted("Message"))
        assert copying.copied == ["one line"]
        await copying.at.press("Y")
        await until(lambda: len(copying.copied) == 2)
        assert '"one\\nline"' in copying.copied[1]


async def test_a_key_typed_before_the_lines_were_visible_copies_nothing(store: Store, signals: list[str]) -> None:
    async with opened(store, signals) as copying:
        copy(copying.at.app, LINES, trusted("Message"))
        for key in ("enter", "y", "a"):
            copying.at.app.post_message(events.Key(key, None))
        await copying.at.pilot.pause()
        await quiet(copying.at.app)
        assert isinstance(copying.at.app.screen, CopyLinesDialog)
        assert not copying.copied
        assert not copying.at.app.skips_copy_question


@pytest.mark.parametrize("size", [(80, 24), (60, 15), (24, 8)])
async def test_a_long_text_scrolls_and_its_keys_stay_visible(
    store: Store, signals: list[str], size: tuple[int, int]
) -> None:
    async with opened(store, signals, size) as copying:
        shown = await copying.asked("\n".join(f"line {number} " + "word " * 30 for number in range(1, 41)))
        assert "esc" in shown
        if size[0] >= 60:
            assert " 1 line 1 word" in shown
            await copying.at.press("G")
            await until(lambda: "40 line 40" in "\n".join(text_of(copying.at.app)))


async def test_with_privacy_nothing_is_copied(
    store: Store, signals: list[str], request: pytest.FixtureRequest
) -> None:
    async with opened(store, signals) as copying:
        request.addfinalizer(partial(set_private, is_on=False))
        set_private(is_on=True)
        copy(copying.at.app, "+44 7700 900123", trusted("Number"))
        await until(lambda: "Nothing was copied" in "\n".join(text_of(copying.at.app)))
        assert not copying.copied


OLD_TERMINAL = {"TERM": "xterm", "VTE_VERSION": "5000"}


@pytest.mark.parametrize("is_taken", [True, False])
async def test_where_the_terminal_cannot_copy_the_desktop_does_or_the_text_is_shown(
    store: Store, signals: list[str], monkeypatch: pytest.MonkeyPatch, is_taken: bool
) -> None:
    given: list[str] = []

    def on_desktop(text: str, environ: object) -> "Future[bool]":
        given.append(text)
        done: Future[bool] = Future()
        done.set_result(is_taken)
        return done

    monkeypatch.setattr("frontdesk.tui.clipboard.copy_on_desktop", on_desktop)
    async with opened(store, signals) as copying:
        app = copying.at.app
        app.app_context = app.app_context._replace(environ=OLD_TERMINAL)
        copy(app, "+44 7700 900123", trusted("Number"))
        if is_taken:
            await until(lambda: shown_toasts(app) == ["Copied +44 7700 900123"])
        else:
            await until(lambda: isinstance(app.screen, ManualCopyDialog))
        assert given == ["+44 7700 900123"]
        assert not copying.copied


async def test_over_ssh_the_desktop_of_the_other_machine_gets_nothing(
    store: Store, signals: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("frontdesk.tui.clipboard.copy_on_desktop")
    async with opened(store, signals) as copying:
        app = copying.at.app
        app.app_context = app.app_context._replace(environ={**OLD_TERMINAL, "SSH_CONNECTION": "1 2 3 4"})
        copy(app, "12514", trusted("Number"))
        await until(lambda: isinstance(app.screen, ManualCopyDialog))


async def test_selected_text_is_copied_at_once_as_it_was_written(store: Store, signals: list[str]) -> None:
    said = "שלום \x1b]52;c;aGk=\x07 order 12514"
    async with running(store, raw_task(1, title="one\nline", body=said), size=(100, 30)) as at:
        copying, rows = Copying(at, signals), at.inbox.list.rows

        async def drag() -> None:
            region = rows.region
            for kind, x, y in ((events.MouseDown, 2, 0), (events.MouseMove, 90, 1), (events.MouseUp, 90, 1)):
                place = min(region.x + x, region.right - 1), region.y + y
                at.app.post_message(kind(None, *place, 0, 0, 1, False, False, False, *place))
            await quiet(at.app)

        while at.app.screen.get_selected_text() is None:
            await drag()  # the panes get their sizes meanwhile, which ends a selection
        selected = at.app.screen.get_selected_text()
        assert selected is not None
        assert "\n" in selected
        assert "\x1b" not in selected
        await at.press("ctrl+c")
        await until(lambda: copying.copied == [selected])
        await at.press("escape")
        assert at.app.screen.get_selected_text() is None
        await at.press("ctrl+c")
        await until(lambda: any("doesn't quit" in each for each in shown_toasts(at.app)))
        assert len(copying.copied) == 1


async def test_with_privacy_selected_text_is_not_copied(
    store: Store, signals: list[str], request: pytest.FixtureRequest
) -> None:
    async with opened(store, signals) as copying:
        request.addfinalizer(partial(set_private, is_on=False))
        set_private(is_on=True)
        copying.at.app.copy_to_clipboard("selected")
        await until(lambda: any("Nothing was copied" in each for each in shown_toasts(copying.at.app)))
        assert not copying.copied
