"""The key that exports the open thread: the suggested name, the form by its suffix, and refusals."""

import stat
from pathlib import Path

import pytest
from textual.widgets import Input

from frontdesk.storage.database import Store
from frontdesk.text.privacy import set_private
from frontdesk.tui.dialogs.prompt import PromptDialog
from kit import At, running
from tui.screen_text import shown_toasts
from tui.widgets.hosts import text_of, until

pytestmark = pytest.mark.anyio


async def opens_export(at: At) -> Path:
    await at.press("F")
    await until(lambda: isinstance(at.app.screen, PromptDialog) and at.app.screen.is_mounted)
    return Path(at.app.screen.query_one(Input).value)


async def test_a_thread_is_written_into_a_private_file_with_a_free_name(store: Store) -> None:
    async with running(store) as at:
        path = await opens_export(at)
        assert path.parent == store.folder / "exports"
        assert path.suffix == ".md"
        await at.press("enter")
        await until(lambda: "Saved" in "".join(shown_toasts(at.app)))
        assert path.read_text().startswith("# Conversation with ")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert (await opens_export(at)).name == f"{path.stem}-2.md"


async def test_the_suffix_names_the_form_and_a_taken_name_is_refused(store: Store, tmp_path: Path) -> None:
    async with running(store) as at:
        await opens_export(at)
        field = at.app.screen.query_one(Input)
        taken = tmp_path / "taken.html"
        taken.write_text("mine")
        for typed, words in (
            (str(tmp_path / "x.txt"), "End the name in .md or .html."),
            (str(taken), "already exists"),
        ):
            field.value = typed
            await at.press("enter")
            assert words in " ".join(text_of(at.app))
        assert taken.read_text() == "mine"
        field.value = str(tmp_path / "page.HTML")
        await at.press("enter")
        await until(lambda: (tmp_path / "page.HTML").exists())
        await until(lambda: "Saved" in "".join(shown_toasts(at.app)))
        assert (tmp_path / "page.HTML").read_text().startswith("<!doctype html>")


async def test_hidden_names_are_not_exported(store: Store) -> None:
    async with running(store) as at:
        set_private(True)
        await at.press("F")
        await until(lambda: "Nothing was exported" in "".join(shown_toasts(at.app)))
        assert at.app.screen is at.inbox


async def test_a_folder_that_is_gone_by_then_is_told(store: Store, tmp_path: Path) -> None:
    async with running(store) as at:
        await opens_export(at)
        folder = tmp_path / "gone"
        folder.mkdir()
        at.app.screen.query_one(Input).value = str(folder / "x.md")
        folder.chmod(0o500)
        folder.rmdir()
        await at.press("enter")
        assert "That folder doesn't exist." in " ".join(text_of(at.app))
