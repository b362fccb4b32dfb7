"""What `frontdesk undo` and `redo`, and `frontdesk conversations hand-over` and `take-back`, do to the store."""

from collections.abc import Callable
from concurrent.futures import Future

from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
from frontdesk.cli.options import WriteOptions
from frontdesk.cli.store_session import print_local, with_store
from frontdesk.cli.verbs import ActionPlan, parse_words, print_action, require_stored, run_action
from frontdesk.inbox.actions_cli import require_team
from frontdesk.inbox.commands import InboxCommands, known_people, open_task
from frontdesk.inbox.note_changes import NoteDraft, clean_note, mentioned_in
from frontdesk.inbox.store import notes as note_store
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.commands import OutboxCommands
from frontdesk.outbox.labels import inline_label
from frontdesk.outbox.task_fields import DUE
from frontdesk.outbox.undo import UndoOutcome, UndoRequest
from frontdesk.registry.changes import CHANGE_HANDLERS
from frontdesk.registry.hand_over import hand_over as hand_over_conversation
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.record_lookup import task_for_customer
from frontdesk.storage.records import Change, ChangeState
from frontdesk.tasks.commands import DUE_VERB
from frontdesk_api.contract.ids import AgentId, ConversationId
from frontdesk_lines.display_text import counted


def undo(change: int | None, options: WriteOptions) -> int:
    """Undo the last action on this profile, or one change; return an exit status."""
    request = UndoRequest(changes=() if change is None else (change,))
    return _step(lambda outbox: outbox.undo(request), "undo", "Undone", options)


def redo(options: WriteOptions) -> int:
    """Redo the last undone action; return an exit status."""
    return _step(lambda outbox: outbox.redo(), "redo", "Redone", options)


def _step(
    act: "Callable[[OutboxCommands], Future[UndoOutcome]]", verb: str, done: str, options: WriteOptions
) -> int:
    def plan(store: ProfileStore) -> ActionPlan[UndoOutcome]:
        outbox = OutboxCommands(store, lambda: CHANGE_HANDLERS)
        return ActionPlan(
            lambda: act(outbox),
            lambda result: f"{done}: {inline_label(result.label)} ({counted(result.count, 'record')}).",
        )

    return run_action(plan, options, unsent=ChangeState.UNDONE, nothing=f"nothing to {verb}")


def hand_over(conversation: str, agent: str, text: str, due: str, options: WriteOptions) -> int:
    """Hand a conversation over with a note; return an exit status."""

    def plan(store: ProfileStore) -> ActionPlan[ActionResult]:
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
        return ActionPlan(lambda: hand_over_conversation(store, draft, task, seconds), lambda _: words)

    return run_action(plan, options)


def take_back(conversation: str, options: WriteOptions) -> int:
    """Take back one's last note about a conversation; return an exit status."""

    def work(store: ProfileStore) -> int:
        require_team(store)
        last = note_store.last_own(store.reading, ConversationId(conversation), store.catalogue.me)
        if last is None:
            raise CommandFailed(INPUT_WRONG, f"you have no note about {conversation}; nothing was changed")
        outbox, done = OutboxCommands(store, lambda: CHANGE_HANDLERS), "Note taken back."
        outcome = InboxCommands(store).take_note_back(last, outbox).result()
        if isinstance(outcome, Change):  # it was refused, and is discarded
            print_local(store, {"conversation": conversation, "note": None}, done, as_json=options.as_json)
            return 0
        return print_action(store, outcome, lambda _: done, as_json=options.as_json)

    return with_store(work, dry_run=options.dry_run)
