"""Deleting a webhook, by its id typed twice: the platform doesn't list webhooks."""

import asyncio

from frontdesk.config.credentials import SecretError
from frontdesk.text.display_text import show_line, trusted
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.dialog_flow import DialogFlow
from frontdesk.tui.dialogs.base import Closed
from frontdesk.tui.dialogs.prompt import TypedConfirmDialog
from frontdesk.workflows.commands import WorkflowCommands

NO_BEARER = (
    "Deleting a webhook needs the Bearer token, but this profile has none. "
    "Run `frontdesk login`, or set FRONTDESK_BEARER."
)


def delete_webhook(screen: BaseScreen) -> None:
    """Ask for its id, twice, and delete it."""
    flow = DialogFlow(screen, "delete webhook")
    flow.start(_delete(flow), holds_keys=False)  # a keyring may ask for its password first


async def _delete(flow: DialogFlow) -> None:
    try:
        has_bearer = await asyncio.to_thread(flow.app_context.has_bearer)
    except SecretError as error:
        flow.notify_error(show_line(error, 300))
        return
    if not has_bearer:
        flow.notify_error(trusted(NO_BEARER))
        return
    if not flow.is_on_top:  # left while the token was looked for
        return
    warnings = (
        trusted("This can't be undone: systems that rely on it will stop receiving events."),
        trusted("The platform doesn't list webhooks, so frontdesk can't check that this is the right one."),
    )
    dialog = TypedConfirmDialog(
        trusted("Delete a webhook"), warnings, confirm_label="delete", draft=flow.draft.get("id", "")
    )
    answer = await flow.ask(dialog, "id")
    if isinstance(answer, Closed):
        return
    await flow.submit(
        WorkflowCommands(flow.app_context.store).delete_webhook(answer.value), f"Delete webhook {answer.value}"
    )
