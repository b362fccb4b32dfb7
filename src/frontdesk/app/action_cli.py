"""What `frontdesk undo` and `redo`, and `frontdesk conversations hand-over` and `take-back`, do to the store."""

from collections.abc import Callable
from concurrent.futures import Future

from frontdesk.cli.errors import INPUT_WRONG, CommandFailed
from frontdesk.cli.store_session import print_action, print_local, run_action, with_store
from frontdesk.cli.verbs import parse_words, require_stored
from frontdesk.inbox.actions_cli import require_team
from frontdesk.inbox.commands import InboxCommands, known_people, open_task
from frontdesk.inbox.mentions import mentioned_in
from frontdesk.inbox.note_changes import NoteDraft, clean_note
from frontdesk.inbox.store import notes as note_store
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.commands import OutboxCommands
from frontdesk.outbox.labels import inline_label
from frontdesk.outbox.task_fields import DUE
from frontdesk.outbox.undo import TooManyToUndo, UndoOutcome, UndoRequest
from frontdesk.registry.changes import CHANGE_HANDLERS
from frontdesk.registry.hand_over import hand_over as hand_over_conversation
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.record_lookup import task_for_customer
from frontdesk.storage.records import Change
from frontdesk.tasks.commands import DUE_VERB
from frontdesk_api.contract.ids import AgentId, ConversationId
from frontdesk_lines.display_text import counted


def undo(change: int | None, *, dry_run: bool, as_json: bool) -> int:
    """Undo the last action on this profile, or one change; return an exit status."""
    request = UndoRequest(changes=() if change is None else (change,))
    return _step(lambda outbox: outbox.undo(request), "undo", "Undone", dry_run=dry_run, as_json=as_json)


def redo(*, dry_run: bool, as_json: bool) -> int:
    """Redo the last undone action; return an exit status."""
    return _step(lambda outbox: outbox.redo(), "redo", "Redone", dry_run=dry_run, as_json=as_json)


def _step(
    act: "Callable[[OutboxCommands], Future[UndoOutcome]]", verb: str, done: str, *, dry_run: bool, as_json: bool
) -> int:
    def work(store: ProfileStore) -> int:
        outcome = act(OutboxCommands(store, lambda: CHANGE_HANDLERS)).result()
        assert not isinstance(outcome, TooManyToUndo), "a command asks for an action of any size"
        result = outcome or ActionResult(0, label=f"nothing to {verb}")
        words = f"{done}: {inline_label(result.label)} ({counted(result.count, 'record')})."
        return print_action(store, result, words, as_json=as_json)

    return with_store(work, dry_run=dry_run)


def hand_over(conversation: str, agent: str, text: str, due: str, *, dry_run: bool, as_json: bool) -> int:
    """Hand a conversation over with a note; return an exit status."""

    def act(store: ProfileStore) -> "tuple[Future[ActionResult], str]":
        require_team(store)
        require_stored(store, [conversation])
        people = known_people(store)
        if agent not in people:
            raise CommandFailed(INPUT_WRONG, f"unknown agent {agent[:60]!r}; nothing was changed")
        mentioned = mentioned_in(text, people)
        draft = NoteDraft(ConversationId(conversation), clean_note(text), mentioned, AgentId(agent))
        task = open_task(store.reading, draft.conversation_id)
        seconds = parse_words(DUE_VERB, due, store, "--due").fields[DUE] if due else None
        done = hand_over_conversation(store, draft, task, seconds)
        assigned = f"; assigned: {task_for_customer(store.reading, task).text}" if task else ""
        return done, f"Handed {conversation} over to {people[AgentId(agent)]}{assigned}."

    return run_action(act, dry_run=dry_run, as_json=as_json)


def take_back(conversation: str, *, dry_run: bool, as_json: bool) -> int:
    """Take back one's last note about a conversation; return an exit status."""

    def work(store: ProfileStore) -> int:
        require_team(store)
        last = note_store.last_own(store.reading, ConversationId(conversation), store.catalogue.me)
        if last is None:
            raise CommandFailed(INPUT_WRONG, f"you have no note about {conversation}; nothing was changed")
        outbox, done = OutboxCommands(store, lambda: CHANGE_HANDLERS), "Note taken back."
        outcome = InboxCommands(store).take_note_back(last, outbox).result()
        if isinstance(outcome, Change):  # it was refused, and is discarded
            print_local(store, {"conversation": conversation, "note": None}, done, as_json=as_json)
            return 0
        return print_action(store, outcome, done, as_json=as_json)

    return with_store(work, dry_run=dry_run)
