"""The key that exports the open thread: the suggested name, the form by its suffix, and refusals."""

import stat
from pathlib import Path

import pytest
from textual.widgets import Input

from frontdesk.storage.database import Store
from frontdesk.tui.dialogs.prompt import PromptDialog
from frontdesk_lines.privacy import set_private
from kit import At, running
from tasks.tui.targets import end_burst
from tui.hosts import text_of, until

pytestmark = pytest.mark.anyio


async def opens_export(at: At) -> Path:
    return Path((await at.opens(PromptDialog, "F")).query_one(Input).value)


async def test_a_thread_is_written_in_the_form_of_its_suffix_into_a_private_file_with_a_free_name(
    store: Store, tmp_path: Path
) -> None:
    async with running(store) as at:
        path = await opens_export(at)
        assert path.parent == store.folder / "exports"
        assert path.suffix == ".md"
        await at.press("enter")
        await until(lambda: "Saved" in at.toasts)
        assert path.read_text().startswith("# Conversation with ")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

        end_burst(at)
        at.app.clear_notifications()
        assert (await opens_export(at)).name == f"{path.stem}-2.md"
        field = at.app.screen.query_one(Input)
        taken, gone = tmp_path / "taken.html", tmp_path / "gone"
        taken.write_text("mine")
        for typed, words in (
            (tmp_path / "x.txt", "End the name in .md or .html."),
            (taken, "already exists"),
            (gone / "x.md", "That folder doesn't exist."),
        ):
            field.value = str(typed)
            await at.press("enter")
            await until(lambda words=words: words in " ".join(text_of(at.app)))  # type: ignore[misc]
        assert taken.read_text() == "mine"
        field.value = str(tmp_path / "page.HTML")
        await at.press("enter")
        await until(lambda: (tmp_path / "page.HTML").exists())
        await until(lambda: "Saved" in at.toasts)
        assert (tmp_path / "page.HTML").read_text().startswith("<!doctype html>")

        set_private(True)
        end_burst(at)
        await at.press("F")
        await until(lambda: "Nothing was exported" in at.toasts)
        assert at.app.screen is at.inbox, "hidden names are not exported"
