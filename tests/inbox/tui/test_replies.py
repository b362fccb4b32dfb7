"""The key that answers with a reply: a text is filled and copied, a workflow goes through the wizard."""

from dataclasses import replace

import pytest
from textual.widgets import Input

from frontdesk.config.read_only import IS_READ_ONLY
from frontdesk.config.replies import ReplySetting
from frontdesk.config.settings import Settings
from frontdesk.inbox.tui import replies
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.tui.dialogs.picker import PickerDialog
from frontdesk.tui.dialogs.prompt import PromptDialog
from kit import At, running
from tui.screen_text import shown_toasts
from tui.widgets.hosts import text_of, until

pytestmark = pytest.mark.anyio

TEXT = ReplySetting("Visit", text="Hello {customer}, we come on {date}.")
WORKFLOW = ReplySetting("Hours", workflow="w1", folder="f1")


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr(replies, "copy", lambda app, text, name: found.append(text))
    return found


def use(at: At, *settings: ReplySetting) -> None:
    store = at.app.app_context.store
    store.profile = replace(store.profile, replies=settings)


async def opens_replies(at: At) -> None:
    await at.press("E")
    await until(lambda: isinstance(at.app.screen, PickerDialog) and at.app.screen.is_mounted)
    await at.pilot.pause()


async def test_a_text_is_filled_with_what_is_known_and_asked_and_then_copied(
    store: Store, copied: list[str]
) -> None:
    async with running(store) as at:
        use(at, TEXT)
        shown = at.inbox.list.cursor
        assert shown is not None
        record = record_lookup.conversation(store.reading, shown)
        assert record is not None
        assert record.name
        await opens_replies(at)
        assert "A text is only copied" in " ".join(" ".join(text_of(at.app)).replace("│", " ").split())
        await at.press("enter")
        await until(lambda: isinstance(at.app.screen, PromptDialog) and at.app.screen.is_mounted)
        await at.press("enter")
        assert isinstance(at.app.screen, PromptDialog), "an empty field fills nothing"
        at.app.screen.query_one(Input).value = "Monday {x}"
        await at.press("enter")
        await until(lambda: copied)
        assert copied == [f"Hello {record.name}, we come on Monday {{x}}."]


async def test_a_read_only_run_copies_a_text_and_runs_no_workflow(store: Store, copied: list[str]) -> None:
    async with running(store) as at:
        use(at, WORKFLOW)
        at.app.app_context.store.settings = Settings(read_only=True)
        await opens_replies(at)
        await at.press("enter")
        await until(lambda: any(IS_READ_ONLY in each for each in shown_toasts(at.app)))
        assert at.app.screen is at.inbox


async def test_a_closed_field_copies_nothing(store: Store, copied: list[str]) -> None:
    async with running(store) as at:
        use(at, TEXT)
        await opens_replies(at)
        await at.press("enter")
        await until(lambda: isinstance(at.app.screen, PromptDialog) and at.app.screen.is_mounted)
        await at.press("escape")
        await until(lambda: at.app.screen is at.inbox)
        assert copied == []


async def test_without_replies_it_is_told_where_they_are_set(store: Store) -> None:
    async with running(store) as at:
        await at.press("E")
        await until(lambda: any("No replies yet" in each for each in shown_toasts(at.app)))


async def test_a_workflow_that_is_not_listed_is_not_run(store: Store) -> None:
    async with running(store) as at:
        use(at, WORKFLOW)
        await opens_replies(at)
        await at.press("enter")
        said = ("isn't in the platform's list", "No phone number found")
        await until(lambda: any(words in each for each in shown_toasts(at.app) for words in said))
        assert at.app.screen is at.inbox
