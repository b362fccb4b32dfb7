"""`frontdesk conversations snooze`, `read`, `unread`, `no-answer` and `note`, and `frontdesk tags assign`.

What they need is imported when they run.
"""

from typing import TYPE_CHECKING, Annotated

import typer

from frontdesk.cli import completion
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
from frontdesk.cli.options import Until, WriteOptions, group, writes
from frontdesk.cli.output import print_json, print_line
from frontdesk.config.actions import help_of
from frontdesk.inbox.actions import ACTIONS
from frontdesk.inbox.cli.conversations import app
from frontdesk_api.contract.ids import ConversationId, TagId

if TYPE_CHECKING:
    from frontdesk.outbox.batches import ActionResult
    from frontdesk.storage.database import ProfileStore

Conversations = Annotated[
    list[str],
    typer.Argument(
        metavar="CONVERSATION...",
        help="Their ids, in quotes: they contain a #; - reads them from standard input, one per line.",
        autocompletion=completion.complete_conversation,
    ),
]
Conversation = Annotated[
    str,
    typer.Argument(
        metavar="CONVERSATION",
        help="Its id, in quotes: it contains a #.",
        autocompletion=completion.complete_conversation,
    ),
]
NoteText = Annotated[str, typer.Argument(metavar="TEXT", help="The note; @NAME mentions a colleague.")]


@app.command()
@writes(on_store=True)
def snooze(write: WriteOptions, conversations: Conversations, until: Until) -> int:
    """Snooze conversations until a time or until they write; off wakes them."""
    from frontdesk.cli.verbs import run_verb
    from frontdesk.outbox.snooze_view import SNOOZE_VERB

    return run_verb(SNOOZE_VERB, "conversation", conversations, write, until)


@app.command()
@writes(on_store=True)
def read(write: WriteOptions, conversations: Conversations) -> int:
    """Mark conversations as read, in frontdesk only."""
    from frontdesk.cli.verbs import run_verb
    from frontdesk.inbox.commands import READ

    return run_verb(READ, "conversation", conversations, write, local={"read": True})


@app.command()
@writes(on_store=True)
def unread(write: WriteOptions, conversations: Conversations) -> int:
    """Mark conversations as unread, in frontdesk only."""
    from frontdesk.cli.verbs import run_verb
    from frontdesk.inbox.commands import UNREAD

    return run_verb(UNREAD, "conversation", conversations, write, local={"read": False})


@app.command()
@writes(on_store=True)
def no_answer(
    write: WriteOptions,
    conversations: Conversations,
    needed: Annotated[bool, typer.Option("--needed", help="Remove the mark.")] = False,
) -> int:
    """Mark conversations as needing no answer, in frontdesk only."""
    from frontdesk.cli.verbs import run_verb
    from frontdesk.inbox.commands import NEEDS_ANSWER, NO_ANSWER

    verb = NEEDS_ANSWER if needed else NO_ANSWER
    return run_verb(verb, "conversation", conversations, write)


@app.command()
@writes(on_store=True)
def note(write: WriteOptions, conversation: Conversation, text: NoteText) -> int:
    """Write a note that only the team sees."""
    from frontdesk.cli.verbs import ActionPlan, require_stored, run_action
    from frontdesk.inbox.changes import NoteDraft, clean_note, mentioned_in
    from frontdesk.inbox.commands import InboxCommands, known_people

    def plan(store: "ProfileStore") -> "ActionPlan[ActionResult]":
        require_team(store)
        require_stored(store, [conversation])
        draft = NoteDraft(ConversationId(conversation), clean_note(text), mentioned_in(text, known_people(store)))
        return ActionPlan(
            lambda: InboxCommands(store).write_note(draft), lambda _: "Note saved; only your team sees it."
        )

    return run_action(plan, write)


def require_team(store: "ProfileStore") -> None:
    """Refuse where the profile has no team."""
    from frontdesk.inbox.changes import NO_TEAM

    if store.profile.team is None:
        raise CommandFailed(INPUT_WRONG, f"{NO_TEAM.removesuffix('.')}; nothing was changed")


tags = group("Add tags to conversations.")


@tags.command("assign", help=f"{help_of(ACTIONS, 'conversation.tag')}.")
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
