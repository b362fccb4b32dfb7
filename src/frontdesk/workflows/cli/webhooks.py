"""`frontdesk webhooks`: delete one; the interface has nothing else for them."""

from typing import Annotated

import typer

from frontdesk.cli.options import AsJson, Yes, group

app = group("Delete webhooks.")


@app.command("delete")
def delete(
    webhook: Annotated[str, typer.Argument(metavar="WEBHOOK", help="A webhook's id.")],
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Delete a webhook for good; refuses without --yes. Needs the Bearer token."""
    from frontdesk.api.contract.ids import WebhookId
    from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
    from frontdesk.cli.output import print_json, print_line
    from frontdesk.cli.session import talk

    if not yes:
        raise CommandFailed(INPUT_WRONG, f"deleting webhook {webhook} can't be undone; add --yes to do it")
    talk(lambda client: client.delete_webhook(WebhookId(webhook)))
    if as_json:
        print_json({"webhookId": webhook, "deleted": True})
    else:
        print_line(f"Deleted webhook {webhook}")
