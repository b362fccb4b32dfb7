"""The key that deletes a webhook: only where the Bearer token is set, and once its id was typed twice.

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
    flow.begin(_delete(flow), holds_keys=False)  # a keyring may ask for its password first


async def _delete(flow: DialogFlow) -> None:
    try:
        has_bearer = await asyncio.to_thread(flow.app_context.has_bearer)
    except SecretError as error:
        flow.say(show_line(error, 300), is_error=True)
        return
    if not has_bearer:
        flow.say(trusted(NO_BEARER), is_error=True)
        return
    if not flow.screen.is_current:  # left while the token was looked for
        return
    warnings = (
        trusted("It is deleted for good: whatever it brought to another system comes no more."),
        trusted("The platform lists no webhooks: nobody can look whether this is the one you mean."),
    )
    dialog = TypedTwiceDialog(trusted("Delete a webhook"), warnings, does="delete", draft=flow.kept.get("id", ""))
    answer = await flow.ask(dialog)
    if isinstance(answer, Closed):
        flow.keep(id=answer.draft)
        return
    await flow.put(flow.app_context.services.delete_webhook(answer.value), f"Delete webhook {answer.value}")
