"""The config's replies, offered for one conversation: a workflow runs for the customer, a text is copied."""

from collections.abc import Callable

from frontdesk.config.config_tables import ReplySetting
from frontdesk.config.settings import IS_READ_ONLY
from frontdesk.inbox.commands import reply_values
from frontdesk.storage.records import ConversationRecord
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.clipboard import copy
from frontdesk.tui.dialog_flow import DialogFlow
from frontdesk.tui.dialogs.base import Answered, Closed
from frontdesk.tui.dialogs.picker import NamedChoice, PickerDialog
from frontdesk.tui.dialogs.prompt import PromptDialog
from frontdesk_lines.content import clean_for_input, notify
from frontdesk_lines.display_text import show_line, trusted

RunWorkflow = Callable[[BaseScreen, ConversationRecord, ReplySetting | None], None]
"""Opens the campaign with one recipient, with a reply's workflow chosen; None to be asked for it."""

NO_REPLIES = "No replies yet: add [[profiles.NAME.replies]] to config.toml (docs/configuration.md)."

_NOTE = (
    "A workflow runs for this customer, after the same checks as {key}. A text is only copied: frontdesk can't"
    " send messages, so paste it where you answer."
)


def open_replies(screen: BaseScreen, record: ConversationRecord, run_workflow: RunWorkflow) -> None:
    replies = screen.app_context.store.profile.replies
    if not replies:
        notify(screen.app, trusted(NO_REPLIES), severity="warning", timeout_seconds=8)
        return
    flow = DialogFlow(screen, "reply", record.conversation_id)
    flow.start(_reply(flow, replies, record, run_workflow))


async def _reply(
    flow: DialogFlow, replies: tuple[ReplySetting, ...], record: ConversationRecord, run_workflow: RunWorkflow
) -> None:
    choices = [
        NamedChoice(each.name, show_line(each.name, 60), trusted("runs a workflow" if each.workflow else "copies"))
        for each in replies
    ]
    note = trusted(_NOTE.format(key=flow.app_context.key("campaign.one")))
    answer = await flow.ask(PickerDialog(trusted("Replies"), choices, note=note, at=flow.draft.get("name", "")))
    if not isinstance(answer, Answered):
        return
    flow.save_draft(name=answer.value)
    reply = next(each for each in replies if each.name == answer.value)
    flow.release_keys()
    if reply.workflow and flow.app_context.store.settings.read_only:
        notify(flow.screen.app, trusted(f"Nothing was done: {IS_READ_ONLY}."), severity="warning")
    elif reply.workflow:
        run_workflow(flow.screen, record, reply)
    elif (values := await _ask_fields(flow, reply, record)) is not None:
        copy(flow.screen.app, reply.fill(values), show_line(reply.name, 60))


async def _ask_fields(flow: DialogFlow, reply: ReplySetting, record: ConversationRecord) -> dict[str, str] | None:
    """Return the values of a text's fields, asking for those that aren't known; None where one was closed."""
    values = reply_values(flow.app_context.store, record)
    wanted = [name for name in reply.fields if name not in values]
    for at, name in enumerate(wanted, start=1):
        dialog = PromptDialog(
            show_line(f"{reply.name} · {name}", 80),
            note=show_line(f"{at} of {len(wanted)}. {reply.fill({**values, name: '…'})}", 300),
            placeholder=name,
            fault=lambda typed: "" if typed else "Type something, or press esc to cancel.",
            draft=clean_for_input(flow.draft.get(f"field {name}", ""), lines=False),
        )
        answer = await flow.ask(dialog, f"field {name}")
        if isinstance(answer, Closed):
            return None
        values[name] = answer.value
        flow.save_draft(**{f"field {name}": answer.value})
    return values
