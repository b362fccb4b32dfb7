"""`frontdesk messages`, `frontdesk tags` and `frontdesk search`."""

from typing import TYPE_CHECKING, Annotated

import typer

from frontdesk.cli import completion
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed, print_error
from frontdesk.cli.options import AsJson, Limit, WriteOptions, group, writes
from frontdesk.cli.output import print_json, print_line, print_table, when
from frontdesk.config.actions import help_of
from frontdesk.inbox.actions import ACTIONS
from frontdesk.inbox.export_cli import export_messages, find_pair
from frontdesk.inbox.search import index_all
from frontdesk.storage import clients, full_text, record_lookup
from frontdesk.storage.coverage import read_coverage
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import SearchHit
from frontdesk_lines.display_text import show_line

if TYPE_CHECKING:
    from frontdesk.cli.record_names import RecordNames
    from frontdesk_api.contract.decode import Item
    from frontdesk_api.contract.messages import Message

messages_app = group("Read and export the messages of a conversation.")


@messages_app.command("list")
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


messages_app.command("export")(export_messages)

tags_app = group("Add tags to conversations.")


@tags_app.command("assign", help=f"{help_of(ACTIONS, 'conversation.tag')}.")
@writes()
def assign_tags(
    write: WriteOptions,
    conversation: Annotated[
        str,
        typer.Argument(
            metavar="CONVERSATION",
            help="The conversation's id (participantsIdentifiers), in quotes: it contains a #.",
            autocompletion=completion.complete_conversation,
        ),
    ],
    tags: Annotated[
        list[str], typer.Argument(metavar="TAG...", help="Tag ids.", autocompletion=completion.complete_tag)
    ],
) -> None:
    """Assign tag ids to a conversation."""
    from frontdesk.cli.record_names import load_names, stored_customer_name, with_id
    from frontdesk.cli.verbs import context_of
    from frontdesk.cli.write_session import WriteSession, run_writes
    from frontdesk.inbox.commands import tags_change
    from frontdesk.outbox.verbs import On, apply
    from frontdesk_api.client.request_encoding import encode_id
    from frontdesk_api.contract.ids import ConversationId, TagId

    if not all(tags):
        raise CommandFailed(INPUT_WRONG, "a tag id can't be empty; nothing was sent")
    encode_id("conversation", conversation)
    to, ids = ConversationId(conversation), [TagId(tag) for tag in dict.fromkeys(tags)]

    async def work(session: WriteSession) -> None:
        await session.send_one(
            to,
            lambda store: apply(store, tags_change(ids, context_of(store)), {On.CONVERSATION: [to]}),
            lambda client: client.assign_tags(to, ids),
        )

    run_writes(work, write)
    if write.as_json:
        print_json({"participantsIdentifiers": conversation, "tagIds": ids, "result": "success"})
    else:
        names = load_names()
        shown = with_id(stored_customer_name(conversation), conversation)
        print_line(f"Tagged {shown}: {', '.join(map(names.tag, ids))}")


MIN_REPORTED = 20_000
"""Rows to index from which progress is reported: so many take seconds."""

MAX_NAME = 24
"""Letters of a name beside an id: a table's cell has room for both."""

SEARCH_HEADINGS = ("when", "what", "customer", "where", "says")


def search(
    words: Annotated[list[str], typer.Argument(metavar="WORDS", help="All words must match.")],
    limit: Annotated[
        int, typer.Option(metavar="N", min=1, help="At most this many messages, tasks and customers each.")
    ] = 50,
    as_json: AsJson = False,
) -> int:
    """Search stored messages, tasks and customers, newest first."""
    from frontdesk.cli.store_session import with_store
    from frontdesk.inbox.view.highlights import excerpt
    from frontdesk.text.normalize import split_words

    query = " ".join(words)
    if not split_words(query):
        print_error("nothing to search for; use letters or digits")
        return INPUT_WRONG

    def find(store: ProfileStore) -> None:
        index_all(store, _IndexProgress())
        hits = full_text.find(store.reading, query, limit)
        if as_json:
            for hit in hits:
                print_json(hit._asdict())
        elif hits:
            rows = [
                (
                    when(hit.at),
                    hit.kind,
                    hit.name,
                    _name_hit(store, hit),
                    excerpt(hit.text, query, 50),
                )
                for hit in hits
            ]
            print_table(SEARCH_HEADINGS, rows)
        else:
            print_line("No match. Only what has been loaded is searched.")
        health = clients.health(store.reading)
        if not as_json and health.fresh_at is None:
            print_error("this profile's data has never been fully loaded; run `frontdesk sync` or open the inbox")
        elif not as_json:
            share = read_coverage(store.reading).words(of_threads=True)
            print_error(f"data as of {when(health.fresh_at)}{share and f'; {share} conversations'}")

    return with_store(find)


def _name_hit(store: ProfileStore, hit: SearchHit) -> str:
    """Return a task by its title, or a conversation by its line, with its id."""
    from frontdesk.cli.record_names import with_id

    if hit.task_id is not None:
        task = record_lookup.task(store.reading, hit.task_id)
        return with_id(show_line(task.title, MAX_NAME).text if task else "", hit.task_id)
    found = hit.conversation_id and record_lookup.conversation(store.reading, hit.conversation_id)
    label = store.profile.lines.get(found.line_id, "") if found and found.line_id else ""
    return with_id(show_line(label, MAX_NAME).text, hit.conversation_id or "")


class _IndexProgress:
    """Reports the progress of indexing each time another half is done."""

    def __init__(self) -> None:
        self._reported: int | None = None

    def __call__(self, left: int) -> None:
        if left >= MIN_REPORTED and (self._reported is None or left <= self._reported // 2):
            self._reported = left
            print_error(f"indexing {left:,} messages and tasks first; this happens only once")
