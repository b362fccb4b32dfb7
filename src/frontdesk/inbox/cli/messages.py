"""`frontdesk messages`."""

from typing import TYPE_CHECKING, Annotated

import typer

from frontdesk.cli import completion
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
from frontdesk.cli.options import AsJson, Limit, group
from frontdesk.cli.output import when
from frontdesk.inbox.cli.export import export_messages, find_pair

if TYPE_CHECKING:
    from frontdesk.cli.record_names import RecordNames
    from frontdesk_api.contract.decode import Item
    from frontdesk_api.contract.messages import Message

app = group("Read and export the messages of a conversation.")


@app.command("list")
def list_messages(
    phone: Annotated[
        str,
        typer.Argument(
            metavar="PHONE", help="The line: a business phone number id.", autocompletion=completion.complete_line
        ),
    ],
    customer: Annotated[
        str,
        typer.Argument(
            metavar="CUSTOMER", help="The customer's phone number id.", autocompletion=completion.complete_customer
        ),
    ],
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """List messages, newest first: all of them, or the first N."""
    from frontdesk.cli.record_names import load_names
    from frontdesk.cli.session import print_pages
    from frontdesk_api.contract.messages import MessageQuery

    if not phone.strip() or not customer.strip():
        raise CommandFailed(INPUT_WRONG, "PHONE and CUSTOMER are both required; nothing was sent")
    pair = find_pair(phone.strip(), customer.strip())
    names = load_names()
    query = MessageQuery(phoneNumberId=pair.line_id, targetPhoneNumberId=pair.customer_id)
    print_pages(
        lambda client: client.iter_message_pages(query),
        limit=limit,
        as_json=as_json,
        identity=lambda message: message.messageId,
        headings=("WHEN", "FROM", "STATUS", "MESSAGE"),
        row=lambda item: _message_row(item, names),
        nothing=pair.nothing,
    )


def _message_row(item: "Item[Message]", names: "RecordNames") -> tuple[object, ...]:
    from frontdesk_api.contract.values import millis_to_seconds

    message = item.value
    at = None if message.createdAt is None else when(millis_to_seconds(message.createdAt))
    sender = "customer"
    if message.messageDirection != "incoming":
        sender = names.agent(message.initiator or message.sender or "")
    words = message.message or (f"[{message.type}]" if message.type else "")
    if message.hasAttachment:
        words += " [attachment]"
    return (at, sender, message.status, words)


app.command("export")(export_messages)
