"""`frontdesk conversations hand-over` and `take-back`. What they need is imported when they run."""

from typing import TYPE_CHECKING, Annotated

import typer

from frontdesk.cli import completion
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
from frontdesk.cli.options import AsObject, DryRun, WriteOptions, writes
from frontdesk.cli.store_session import print_local, with_store
from frontdesk.inbox.cli.actions import Conversation, NoteText, require_team
from frontdesk.storage.records import Change
from frontdesk_api.contract.ids import AgentId, ConversationId

if TYPE_CHECKING:
    from frontdesk.cli.verbs import ActionPlan
    from frontdesk.outbox.batches import ActionResult
    from frontdesk.storage.database import ProfileStore


@writes(on_store=True)
def hand_over(
    write: WriteOptions,
    conversation: Conversation,
    agent: Annotated[
        str,
        typer.Argument(metavar="AGENT", help="The colleague's id.", autocompletion=completion.complete_agent),
    ],
    text: NoteText,
    due: Annotated[
        str,
        typer.Option("--due", metavar="WHEN", help="New due date of its open task. Default: unchanged."),
    ] = "",
) -> int:
    """Hand a conversation over with a note, and assign its open task."""
    from frontdesk.cli.verbs import ActionPlan, parse_words, require_stored, run_action
    from frontdesk.inbox.changes import NoteDraft, clean_note, mentioned_in
    from frontdesk.inbox.commands import known_people, open_task
    from frontdesk.outbox.task_fields import DUE
    from frontdesk.registry import hand_over as hand_overs
    from frontdesk.storage.record_lookup import task_for_customer
    from frontdesk.tasks.commands import DUE_VERB

    def plan(store: "ProfileStore") -> "ActionPlan[ActionResult]":
        require_team(store)
        require_stored(store, [conversation])
        people = known_people(store)
        if agent not in people:
            raise CommandFailed(INPUT_WRONG, f"unknown agent {agent[:60]!r}; nothing was changed")
        mentioned = mentioned_in(text, people)
        draft = NoteDraft(ConversationId(conversation), clean_note(text), mentioned, AgentId(agent))
        task = open_task(store.reading, draft.conversation_id)
        seconds = parse_words(DUE_VERB, due, store, "--due").fields[DUE] if due else None
        assigned = f"; assigned: {task_for_customer(store.reading, task).text}" if task else ""
        words = f"Handed {conversation} over to {people[AgentId(agent)]}{assigned}."
        return ActionPlan(lambda: hand_overs.hand_over(store, draft, task, seconds), lambda _: words)

    return run_action(plan, write)


def take_back(conversation: Conversation, dry_run: DryRun = False, as_json: AsObject = False) -> int:
    """Take back your last note about a conversation."""
    from frontdesk.cli.verbs import print_action
    from frontdesk.inbox.commands import InboxCommands
    from frontdesk.inbox.store import notes
    from frontdesk.outbox.commands import OutboxCommands
    from frontdesk.registry.changes import CHANGE_HANDLERS

    def work(store: "ProfileStore") -> int:
        require_team(store)
        last = notes.last_own(store.reading, ConversationId(conversation), store.catalogue.me)
        if last is None:
            raise CommandFailed(INPUT_WRONG, f"you have no note about {conversation}; nothing was changed")
        outbox, done = OutboxCommands(store, lambda: CHANGE_HANDLERS), "Note taken back."
        outcome = InboxCommands(store).take_note_back(last, outbox).result()
        if isinstance(outcome, Change):  # it was refused, and is discarded
            print_local(store, {"conversation": conversation, "note": None}, done, as_json=as_json)
            return 0
        return print_action(store, outcome, lambda _: done, as_json=as_json)

    return with_store(work, dry_run=dry_run)
