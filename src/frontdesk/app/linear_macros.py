"""The linear mode's `macro`: lists the macros of the config, and runs one."""

from collections.abc import Sequence

from frontdesk.api.contract.ids import ConversationId, TaskId
from frontdesk.app import macros
from frontdesk.app.macros import Macro, MacroTargets
from frontdesk.config import settings as config_settings
from frontdesk.config.actions import ASK_ABOVE, Undo
from frontdesk.config.macros import load_macros
from frontdesk.linear.commands import DOING, TARGET_HELP, Command
from frontdesk.linear.line_parser import NotUnderstood, find_record, refusal
from frontdesk.linear.sentences import name_some
from frontdesk.linear.session import ListKind, Session, Target
from frontdesk.storage import record_lookup
from frontdesk.storage.records import ChangeKind, TaskRecord
from frontdesk.tasks.linear import tasks_among
from frontdesk.text.display_text import show_label, show_line
from frontdesk.text.due_parser import DueNotUnderstood

_SNOOZED = {ListKind.CONVERSATION: ChangeKind.SNOOZE_CONVERSATION, ListKind.TASK: ChangeKind.SNOOZE_TASK}


def macro(session: Session, words: str) -> None:
    """`macro`: run a macro of the config on tasks or conversations; without a name, list them."""
    file = load_macros(config_settings.config_path())
    found, faults = macros.load(file, session.store.profile, session.now())
    if not words:
        steps = {each.name.strip(): "; ".join(step.text for step in each.steps) for each in file.macros}
        session.print(*(show_line(f"{each.name}: {steps[each.name]}.", 300) for each in found))
        session.print(*(show_line(f"{each}.", 300) for each in faults))
        if not file.macros and not faults:
            session.print("No macros yet. To add one, write [[macros]] in config.toml.")
        return
    things, rest = session.parse_targets(words)
    by_name = {each.name: each for each in found}
    known = f"Macros: {', '.join(by_name) or 'none'}."
    if not rest:
        raise NotUnderstood(f"Which macro? {known}")
    chosen = by_name[find_record(rest, {each: each for each in by_name}, "macro", known)]
    kinds = {kind for kind, _ in things}
    if len(kinds) > 1 or not kinds <= _SNOOZED.keys():
        raise NotUnderstood("Choose tasks or conversations; a macro works on one kind at a time.")
    _run(session, chosen, kinds.pop(), [key for _, key in things])


def _run(session: Session, chosen: Macro, kind: ListKind, keys: Sequence[str]) -> None:
    try:
        wanted = chosen.changes(session.now(), session.store.clock_offset())
    except DueNotUnderstood as error:
        raise refusal(error) from error
    things = [(kind, each) for each in keys]
    tasks = _tasks(session, things, is_needed=wanted.snooze is None and not wanted.tags) if wanted.fields else []
    if kind is ListKind.TASK:
        shown = [record_lookup.task(session.db, TaskId(each)) for each in keys]
        conversations = [each.conversation_id for each in shown if each is not None and each.conversation_id]
    else:
        conversations = [ConversationId(each) for each in keys]
    targets = MacroTargets(
        [each.task_id for each in tasks],
        list(dict.fromkeys(conversations)) if wanted.tags else (),
        _SNOOZED[kind],
        keys if wanted.snooze is not None else (),
    )
    names = name_some([session.name(kind, each) for each in keys[:ASK_ABOVE]], len(keys))
    title = show_label(chosen.name, 40).text
    if not session.confirm(len(keys), f"{title} on {names}?"):
        return
    if wanted.tags:
        session.undo = Undo.UNTIL_SENT
    done = session.wait_for(macros.run(session.store, chosen, targets, wanted))
    session.report(done, f"{title}: {names}.", f"{title}: nothing to change on {names}.")


def _tasks(session: Session, things: Sequence[Target], *, is_needed: bool) -> list[TaskRecord]:
    """Return the tasks to change; none of conversations without one, unless a macro changes nothing else."""
    try:
        return tasks_among(session, things)
    except NotUnderstood:
        if is_needed:
            raise
        return []


COMMANDS = (
    Command(
        "list.macro",
        macro,
        "macro",
        "[[N] NAME]",
        DOING,
        "Run one of your macros, or list them",
        more=(
            *TARGET_HELP,
            "On a conversation, it changes the most urgent task. All changes are one action with one undo.",
        ),
        undo=Undo.ALWAYS,
        lists=True,
    ),
)
