"""Delete a webhook: only where the Bearer token is set, and once its id was typed twice.

Called by the screen of AI agents. The interface lists no webhooks, so that an id is all that there is.
"""

import asyncio

from frontdesk.config.credentials import SecretError
from frontdesk.text.display_text import show_line, trusted
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.dialog_flow import DialogFlow
from frontdesk.tui.dialogs.base import Closed
from frontdesk.tui.dialogs.typed_confirm import TypedTwiceDialog

NO_BEARER = (
    "Deleting a webhook needs the Bearer token, and this profile has none: "
    "frontdesk login asks for it, or set FRONTDESK_BEARER."
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
        trusted("It is deleted for good: whatever it brought to another system comes no more."),
        trusted("The platform lists no webhooks: nobody can look whether this is the one you mean."),
    )
    dialog = TypedTwiceDialog(trusted("Delete a webhook"), warnings, does="delete", draft=flow.draft.get("id", ""))
    answer = await flow.ask(dialog)
    if isinstance(answer, Closed):
        flow.save_draft(id=answer.draft)
        return
    await flow.submit(flow.app_context.services.delete_webhook(answer.value), f"Delete webhook {answer.value}")
