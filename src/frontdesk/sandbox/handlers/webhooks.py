"""Delete webhook (docs/interface.md, Delete webhook; docs/interface-rules.md, chapter 13).

Webhooks are made by the seed and by `POST /sandbox/webhooks`.
"""

from frontdesk.sandbox.answers import Response, unknown
from frontdesk.sandbox.handlers.call import Call
from frontdesk.sandbox.world import World


def delete_webhook(world: World, call: Call) -> Response:
    """The webhook is gone; an empty 200, since the body isn't shown."""
    webhook = call.ids["webhookId"]
    if not world.storage.run("DELETE FROM webhooks WHERE account=? AND id=?", call.account, webhook):
        raise unknown("webhook", webhook)
    return Response(200, b"")
