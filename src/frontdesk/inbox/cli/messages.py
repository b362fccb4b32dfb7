"""`frontdesk messages`: read the thread of a line and a customer."""

from typing import TYPE_CHECKING, Annotated

import typer

from frontdesk.cli.options import AsJson, Limit, group

if TYPE_CHECKING:
    from frontdesk.api.contract.decode import Item
    from frontdesk.api.contract.messages import Message

app = group("Messages of a conversation, to read.")


@app.command("list")
def list_messages(
    phone: Annotated[str, typer.Argument(metavar="PHONE", help="The line: a business phone number id.")],
    customer: Annotated[str, typer.Argument(metavar="CUSTOMER", help="The customer's phone number id.")],
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """Newest first: all pages, or the first N."""
    from frontdesk.api.contract.ids import CustomerId, LineId
    from frontdesk.api.contract.messages import MessageQuery
    from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
    from frontdesk.cli.listing import print_pages

    if not phone.strip() or not customer.strip():
        raise CommandFailed(INPUT_WRONG, "both PHONE and CUSTOMER are needed; nothing was sent")
    query = MessageQuery(phoneNumberId=LineId(phone), targetPhoneNumberId=CustomerId(customer))
    print_pages(
        lambda client: client.iter_message_pages(query),
        limit=limit,
        as_json=as_json,
        identity=lambda message: message.messageId,
        headings=("WHEN", "FROM", "STATUS", "MESSAGE"),
        row=_row,
        nothing="No messages.",
    )


def _row(item: "Item[Message]") -> tuple[object, ...]:
    from frontdesk.api.contract.times import millis_to_seconds
    from frontdesk.cli import output

    message = item.value
    at = None if message.createdAt is None else output.when(millis_to_seconds(message.createdAt))
    sender = "customer" if message.messageDirection == "incoming" else message.initiator or message.sender
    words = message.message or (f"[{message.type}]" if message.type else "")
    if message.hasAttachment:
        words += " [attachment]"
    return (at, sender, message.status, words)
