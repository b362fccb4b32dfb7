"""What `frontdesk macros list` and `run` do: print the macros of the config, and run one on the store."""

from collections.abc import Sequence

from frontdesk.automation import macros
from frontdesk.automation.macros import Macro
from frontdesk.cli.errors import INPUT_WRONG, CommandFailed, print_error
from frontdesk.cli.id_lines import read_ids
from frontdesk.cli.options import WriteOptions
from frontdesk.cli.output import print_json, print_table
from frontdesk.cli.store_session import with_store
from frontdesk.cli.verbs import ActionPlan, context_of, run_action
from frontdesk.config import settings
from frontdesk.config.config_tables import load_macros
from frontdesk.inbox.commands import open_task
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.changes import NotPossible
from frontdesk.outbox.verbs import On, Records, apply
from frontdesk.storage import record_lookup
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import TaskRecord
from frontdesk.text.fuzzy import UnusableWords, find_named
from frontdesk_api.contract.ids import ConversationId, TaskId
from frontdesk_lines.display_text import counted


def print_macros(*, as_json: bool) -> int:
    """Print the macros with their steps; return an exit status."""

    def work(store: ProfileStore) -> None:
        found, faults = _load(store)
        if as_json:
            for each in found:
                print_json({"name": each.name, "key": each.key or None, "steps": list(each.texts)})
        elif found:
            rows = [(each.name, each.key, "; ".join(each.texts)) for each in found]
            print_table(("MACRO", "KEY", "STEPS"), rows)
        elif not faults:
            print("No macros yet. To add one, write [[macros]] in config.toml.")
        for fault in faults:
            print_error(fault)

    return with_store(work)


def run_macro(name: str, ids: Sequence[str], options: WriteOptions) -> int:
    """Run a macro on tasks or conversations; return an exit status."""

    def plan(store: ProfileStore) -> ActionPlan[ActionResult]:
        by_name = {each.name: each for each in _load(store)[0]}
        try:
            macro = by_name[find_named(name, {each: each for each in by_name}, "macro")]
            change = macro.change(context_of(store))
        except UnusableWords as error:
            raise CommandFailed(INPUT_WRONG, f"{error}; nothing was changed") from None
        records = _records(store, read_ids(ids))
        return ActionPlan(
            lambda: apply(store, change, records),
            lambda result: f"{macro.name}: {counted(result.count, 'record')}.",
        )

    return run_action(plan, options)


def _load(store: ProfileStore) -> tuple[list[Macro], list[str]]:
    return macros.load(load_macros(settings.config_path()), store.profile, context_of(store).now)


def _records(store: ProfileStore, keys: Sequence[str]) -> Records:
    """Return the records of ids.

    Raises:
        NotPossible: an id isn't stored, or tasks and conversations are mixed.
    """
    found = [record_lookup.task(store.reading, TaskId(each)) for each in keys]
    tasks: list[TaskRecord] = [each for each in found if each is not None]
    row = On.TASK_ROW if tasks else On.CONVERSATION_ROW
    if tasks and len(tasks) < len(keys):
        raise NotPossible("name tasks or conversations that are stored here, not both; nothing was changed")
    if tasks:
        conversations = [each.conversation_id for each in tasks if each.conversation_id]
    else:
        conversations = [ConversationId(each) for each in keys]
        known = [record_lookup.conversation(store.reading, each) is not None for each in conversations]
        if not all(known):
            unknown = keys[known.index(False)]
            raise NotPossible(
                f"no task or conversation {unknown} is stored here; nothing was changed", quotes=True
            )
        tasks = [task for each in conversations if (task := open_task(store.reading, each)) is not None]
    return {
        On.TASK: [each.task_id for each in tasks],
        On.CONVERSATION: list(dict.fromkeys(conversations)),
        row: keys,
    }
