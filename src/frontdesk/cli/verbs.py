"""Verbs on the command line: they work on stored records by their ids, through the outbox."""

import os
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future

from frontdesk.api.contract.ids import ConversationId, TaskId
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed, print_error
from frontdesk.cli.id_lines import read_ids
from frontdesk.cli.store_session import print_local, run_action, with_store
from frontdesk.config.render_context import Catalogue, RenderContext
from frontdesk.config.settings import load_config, resolve_profile
from frontdesk.config.time_zone import local_zone
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.changes import NotPossible
from frontdesk.outbox.verbs import On, RecordChange, Records, Verb, VerbContext, apply
from frontdesk.storage import record_lookup
from frontdesk.storage.database import ProfileStore
from frontdesk.text.display_text import counted
from frontdesk.text.fuzzy import UnusableWords
from frontdesk.text.glyphs import glyphs


def context_of(store: ProfileStore | None = None) -> VerbContext:
    """Return the context of words in a command; without the store, that of the chosen profile."""
    names = store.catalogue if store else Catalogue(resolve_profile(load_config(), os.environ))
    now = store.clock() if store else time.time()
    return VerbContext(RenderContext(names, glyphs(True), now, local_zone()), store)


def run_verb(
    verb: Verb,
    thing: str,
    given: Sequence[str],
    words: str = "",
    *,
    local: Mapping[str, object] | None = None,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Do a verb on stored records; return an exit status.

    Args:
        thing: "task" or "conversation".
        given: ids, or `-` for those on standard input.
        words: those of --until.
        local: what JSON says of a change that has no undo.
    """
    (on,) = (each for each in verb.on if each.startswith(thing))

    def change(store: ProfileStore) -> "tuple[Future[ActionResult], str, list[str]]":
        ids = require_stored(store, given, thing)
        found = parse_words(verb, words, store, "--until", {on: ids})
        if found.note:
            print_error(f"--until: {found.note}")
        return apply(store, found, {on: ids}), f"{found.result(counted(len(ids), thing))}.", ids

    def mark(store: ProfileStore, fields: Mapping[str, object]) -> None:
        done, sentence, ids = change(store)
        done.result()
        print_local(store, {f"{thing}s": ids, **fields}, sentence, as_json=as_json)

    if local is not None:
        return with_store(lambda store: mark(store, local), dry_run=dry_run)
    return run_action(lambda store: change(store)[:2], dry_run=dry_run, as_json=as_json)


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
