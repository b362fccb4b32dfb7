"""`frontdesk macros`: prints the macros of the config, and runs one on the store.

What the commands need is imported when they run.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from frontdesk.cli.errors import INPUT_WRONG, CommandFailed, print_error
from frontdesk.cli.options import AsLines, WriteOptions, group, writes
from frontdesk.cli.output import print_json, print_table
from frontdesk.cli.store_session import with_store
from frontdesk.outbox.changes import NotPossible
from frontdesk.storage import record_lookup
from frontdesk_api.contract.ids import ConversationId, TaskId
from frontdesk_lines.display_text import counted

if TYPE_CHECKING:
    from frontdesk.automation.macros import Macro
    from frontdesk.outbox.batches import ActionResult
    from frontdesk.outbox.verbs import Records
    from frontdesk.storage.database import ProfileStore
    from frontdesk.storage.records import TaskRecord

app = group("List your macros, and run one.")


@app.command("list")
def list_macros(as_json: AsLines = False) -> int:
    """List the macros in config.toml with their steps."""

    def work(store: "ProfileStore") -> None:
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


@app.command("run")
@writes(on_store=True)
def run_macro(
    write: WriteOptions,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The macro's name, or its beginning.")],
    ids: Annotated[
        list[str],
        typer.Argument(
            metavar="ID...",
            help="Task ids, or conversation ids in quotes; - reads them from standard input, one per line.",
        ),
    ],
) -> int:
    """Run a macro on tasks or conversations, as one action with one undo.

    On a conversation, it changes the most urgent task.
    """
    from frontdesk.cli.id_lines import read_ids
    from frontdesk.cli.verbs import ActionPlan, context_of, run_action
    from frontdesk.outbox.verbs import apply
    from frontdesk.text.fuzzy import UnusableWords, find_named

    def plan(store: "ProfileStore") -> "ActionPlan[ActionResult]":
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

    return run_action(plan, write)


def _load(store: "ProfileStore") -> "tuple[list[Macro], list[str]]":
    from frontdesk.automation import macros
    from frontdesk.cli.verbs import context_of
    from frontdesk.config import settings
    from frontdesk.config.config_tables import load_macros

    return macros.load(load_macros(settings.config_path()), store.profile, context_of(store).now)


def _records(store: "ProfileStore", keys: Sequence[str]) -> "Records":
    """Return the records of ids.

    Raises:
        NotPossible: an id isn't stored, or tasks and conversations are mixed.
    """
    from frontdesk.inbox.commands import open_task
    from frontdesk.outbox.verbs import On

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
