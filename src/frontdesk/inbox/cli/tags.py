"""`frontdesk tags`: give tags to a conversation; the interface specifies no way to take one off."""

from typing import Annotated

import typer

from frontdesk.cli.options import AsJson, group

app = group("Give tags to conversations.")


@app.command("assign")
def assign(
    conversation: Annotated[
        str, typer.Argument(metavar="CONVERSATION", help="participantsIdentifiers, quoted: it holds a #.")
    ],
    tags: Annotated[list[str], typer.Argument(metavar="TAG...", help="Tag ids.")],
    as_json: AsJson = False,
) -> None:
    """Assign tag ids to a conversation."""
    from frontdesk.api.contract.ids import ConversationId, TagId
    from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
    from frontdesk.cli.output import print_json, print_line
    from frontdesk.cli.session import talk

    if not all(tags):
        raise CommandFailed(INPUT_WRONG, "a tag id can't be empty; nothing was sent")
    ids = [TagId(tag) for tag in dict.fromkeys(tags)]
    talk(lambda client: client.assign_tags(ConversationId(conversation), ids))
    if as_json:
        print_json({"participantsIdentifiers": conversation, "tagIds": ids, "result": "success"})
    else:
        print_line(f"Tagged {conversation}: {', '.join(ids)}")
