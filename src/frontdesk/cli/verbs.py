"""Actions and verbs on the command line: they work on stored records, through the outbox."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Generic, NamedTuple, TypeVar

from frontdesk.cli.errors import INPUT_WRONG, REFUSED, CommandFailed, print_error
from frontdesk.cli.id_lines import read_ids
from frontdesk.cli.options import WriteOptions
from frontdesk.cli.output import print_json, print_line
from frontdesk.cli.store_session import (
    NOTHING_CHANGED,
    TEAM_LATER,
    CommandStore,
    DryRunStore,
    print_local,
    with_store,
)
from frontdesk.cli.write_session import failure_lines, is_undone, send_added
from frontdesk.config.render_context import Catalogue, RenderContext
from frontdesk.config.settings import load_config, resolve_profile
from frontdesk.config.time_zone import local_zone
from frontdesk.outbox import queue
from frontdesk.outbox.batches import ActionResult, counted_changes
from frontdesk.outbox.bulk import REQUESTS
from frontdesk.outbox.changes import NotPossible
from frontdesk.outbox.labels import shown_label
from frontdesk.outbox.undo import TooManyToUndo, UndoOutcome
from frontdesk.outbox.verbs import On, RecordChange, Records, Verb, VerbContext, apply
from frontdesk.storage import record_lookup
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import UNCONFIRMED, Change, ChangeState
from frontdesk.text.fuzzy import UnusableWords
from frontdesk_api.contract.ids import ConversationId, TaskId
from frontdesk_lines.display_text import counted
from frontdesk_lines.glyphs import glyphs

DoneT = TypeVar("DoneT", bound=UndoOutcome)


class ActionPlan(NamedTuple, Generic[DoneT]):
    """An action whose words and records are known.

    Attributes:
        add: does it, in one write.
        sentence: says that it is done.
    """

    add: "Callable[[], Future[DoneT]]"
    sentence: Callable[[ActionResult], str]


def context_of(store: ProfileStore | None = None) -> VerbContext:
    """Return the context of words in a command; without the store, that of the chosen profile."""
    names = store.catalogue if store else Catalogue(resolve_profile(load_config(), os.environ))
    now = store.clock() if store else time.time()
    return VerbContext(RenderContext(names, glyphs(True), now, local_zone()), store)


def run_action(
    plan: Callable[[ProfileStore], ActionPlan[DoneT]],
    options: WriteOptions,
    *,
    unsent: ChangeState = ChangeState.DROPPED,
    nothing: str = "",
) -> int:
    """Do an action on the store and wait where it goes to the platform; return an exit status.

    A dry run prints what it would change.

    Args:
        plan: reads what the action needs; it changes nothing.
        unsent: what changes become that couldn't be sent; see `send_added`.
        nothing: the label of an action that finds nothing to do.
    """

    def work(store: ProfileStore) -> int:
        add, sentence = plan(store)
        made: Sequence[Change] = ()
        failures: Mapping[int, Exception] = {}
        if isinstance(store, CommandStore):
            done, made, failures = send_added(add, store, options.services, unsent)
        else:
            done = add().result()
        assert not isinstance(done, TooManyToUndo), "a command asks for an action of any size"
        result = done if isinstance(done, ActionResult) else ActionResult(0, label=nothing)
        failed = [each for each in made if each.change_id in failures]
        lost = len({each.target for each in counted_changes(made) if each in failed})
        count = 0 if failed and is_undone(made, unsent) else max(0, result.count - lost)
        status, lines = failure_lines([(each.target, failures[each.change_id]) for each in failed], len(made))
        for line in lines:
            print_error(line)
        problems = (*result.problems, *lines) if options.as_json else result.problems
        result = replace(result, count=count, problems=problems)
        return print_action(store, result, sentence, as_json=options.as_json, status=status)

    return with_store(work, dry_run=options.dry_run, kind=CommandStore)


def print_action(
    store: ProfileStore,
    result: ActionResult,
    sentence: Callable[[ActionResult], str],
    *,
    as_json: bool,
    status: int = 0,
) -> int:
    """Print what an action changed, or would change in a dry run; return an exit status.

    Args:
        status: that of changes that weren't confirmed.
    """
    if is_dry := isinstance(store, DryRunStore):
        changes = store.changes
    else:
        changes = queue.of_batch(store.reading, result.batch) if result.batch else []
    if as_json:
        shown = [each._asdict() | ({"change_id": None} if is_dry else {}) for each in changes]
        answer = {"action": result.label, "count": result.count, "dryRun": is_dry}
        print_json({**answer, "problems": list(result.problems), "changes": shown})
        return status or (REFUSED if result.problems else 0)
    for problem in result.problems:
        print_error(problem)
    if is_dry:
        for each in changes:
            print_line(f"Would change {each.target}: {shown_label(each.label)}")
        print_line(NOTHING_CHANGED)
    elif result.count:
        is_on_its_way = any(each.state in UNCONFIRMED and not REQUESTS[each.kind] for each in changes)
        print_line(f"{sentence(result)} {TEAM_LATER}" if is_on_its_way else sentence(result))
    elif not status:
        print_line("Nothing to change.")
    return status or (REFUSED if result.problems else 0)


def run_verb(
    verb: Verb,
    thing: str,
    given: Sequence[str],
    options: WriteOptions,
    words: str = "",
    local: Mapping[str, object] | None = None,
) -> int:
    """Do a verb on stored records; return an exit status.

    Args:
        thing: "task" or "conversation".
        given: ids, or `-` for those on standard input.
        words: those of --until.
        local: what JSON says of a change that has no undo.
    """
    (on,) = (each for each in verb.on if each.startswith(thing))

    def plan(store: ProfileStore) -> "tuple[list[str], Callable[[], Future[ActionResult]], str]":
        ids = require_stored(store, given, thing)
        found = parse_words(verb, words, store, "--until", {on: ids})
        if found.note:
            print_error(f"--until: {found.note}")
        return ids, lambda: apply(store, found, {on: ids}), f"{found.result(counted(len(ids), thing))}."

    def mark(store: ProfileStore, fields: Mapping[str, object]) -> None:
        ids, add, sentence = plan(store)
        add().result()
        print_local(store, {f"{thing}s": ids, **fields}, sentence, as_json=options.as_json)

    def act(store: ProfileStore) -> ActionPlan[ActionResult]:
        _, add, sentence = plan(store)
        return ActionPlan(add, lambda _: sentence)

    if local is not None:
        return with_store(lambda store: mark(store, local), dry_run=options.dry_run)
    return run_action(act, options)


def parse_words(
    verb: Verb, words: str, store: ProfileStore, option: str, records: Records | None = None
) -> RecordChange:
    """Return the change that an option's words mean.

    Raises:
        CommandFailed: they mean none.
    """
    try:
        return verb.parse(words, context_of(store)._replace(records=records or {}))
    except UnusableWords as error:
        raise CommandFailed(INPUT_WRONG, f"{option}: {error}; nothing was changed") from None


def require_stored(store: ProfileStore, given: Sequence[str], thing: str = "conversation") -> list[str]:
    """Return the ids, which may stand on standard input.

    Raises:
        NotPossible: one isn't stored on this machine.
    """
    ids, db = read_ids(given), store.reading

    def is_stored(key: str) -> bool:
        task, conversation = TaskId(key), ConversationId(key)
        found = record_lookup.task(db, task) if thing == On.TASK else record_lookup.conversation(db, conversation)
        return found is not None

    if unknown := next((each for each in ids if not is_stored(each)), None):
        raise NotPossible(
            f"frontdesk has stored no {thing} with the id {unknown}; nothing was changed", quotes=True
        )
    return ids
