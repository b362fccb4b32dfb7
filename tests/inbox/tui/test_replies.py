"""The key that answers with a reply: a text is filled and copied, a workflow goes through the wizard."""

from dataclasses import replace

import pytest
from textual.widgets import Input

from frontdesk.config.config_tables import ReplySetting
from frontdesk.config.settings import IS_READ_ONLY, Settings
from frontdesk.inbox.tui import replies
from frontdesk.storage import record_lookup
from frontdesk.storage.database import Store
from frontdesk.tui.dialogs.picker import PickerDialog
from frontdesk.tui.dialogs.prompt import PromptDialog
from kit import At, running
from tasks.tui.targets import end_burst, refuse
from tui.hosts import until

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


async def test_a_text_is_filled_and_copied_and_what_cannot_be_run_is_told(store: Store, copied: list[str]) -> None:
    async with running(store) as at:
        await at.press("E")
        await until(lambda: "No replies yet" in at.toasts)  # and where they are set

        use(at, TEXT)
        shown = at.inbox.list.cursor
        assert shown is not None
        record = record_lookup.conversation(store.reading, shown)
        assert record is not None
        assert record.name
        await at.opens(PickerDialog, "E")
        await at.opens(PromptDialog, "enter")
        await refuse(at)
        assert copied == [], "a closed field copies nothing"
        await at.opens(PickerDialog, "E")
        assert "A text is only copied" in " ".join(at.text.replace("│", " ").split())
        await at.opens(PromptDialog, "enter")
        await at.press("enter")
        field = at.on(PromptDialog).query_one(Input)  # an empty field fills nothing
        field.value = "Monday {x}"
        await at.press("enter")
        await until(lambda: copied)
        assert copied == [f"Hello {record.name}, we come on Monday {{x}}."]

        use(at, WORKFLOW)
        for words, settings in (
            (("isn't in the platform's list", "No phone number found"), Settings()),
            ((IS_READ_ONLY,), Settings(read_only=True)),
        ):
            at.app.app_context.store.settings = settings
            at.app.clear_notifications()
            end_burst(at)
            await at.opens(PickerDialog, "E")
            await at.press("enter")
            await until(lambda words=words: any(each in at.toasts for each in words))  # type: ignore[misc]
            assert at.app.screen is at.inbox
