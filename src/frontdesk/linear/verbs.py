"""Verbs as commands of the linear mode: their targets, what is asked before many change, and the result."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from frontdesk.config.actions import ASK_ABOVE
from frontdesk.linear.commands import DOING, TARGET_HELP, Command
from frontdesk.linear.line_parser import NotUnderstood
from frontdesk.linear.printed_list import ListKind, Target
from frontdesk.linear.sentences import MAX_NAMED, name_some
from frontdesk.linear.session import Session
from frontdesk.outbox import verbs
from frontdesk.outbox.verbs import On, RecordChange, Records, Verb, VerbContext
from frontdesk.text.relative_time import spoken_moment

_ROW_KINDS = {On.TASK_ROW: ListKind.TASK, On.CONVERSATION_ROW: ListKind.CONVERSATION}


def verb_command(
    verb: Verb, key: str, arguments: str, does: str = "", more: Sequence[str] = (), **attributes: Any
) -> Command:
    """Return the command of a verb, with the attributes of `Command`; the screens' key does it, too."""
    words, more = f"{verb.word} {key}", (*TARGET_HELP, *more)
    return Command(verb.id, partial(_run, verb), words, arguments, DOING, does, more, **attributes)


def context_of(session: Session) -> VerbContext:
    """Return the context of words that are typed here."""
    return VerbContext(
        session.view(),
        session.store,
        when=lambda at, now: spoken_moment(at.timestamp(), now.timestamp(), session.zone),
    )


def _run(verb: Verb, session: Session, words: str) -> None:
    do_verb(session, verb, words)


def do_verb(session: Session, verb: Verb, words: str) -> Collection[Target]:
    """Do what a person typed after a verb; return what they named and its tasks, nothing if they canceled it."""
    context, rest = context_of(session), ""
    if verb.missing is None:
        things = session.parse_only_targets(words)
    else:
        things, rest = session.parse_targets(words)
        if not rest and (question := verb.missing(context)):
            raise NotUnderstood(question)
    records = records_among(session, things, verb.on)
    change = verb.parse(rest, context._replace(records=records))
    is_done = carry_out(session, change, things, records)
    return {*things, *((ListKind.TASK, each) for each in records.get(On.TASK, ()))} if is_done else ()


def records_among(session: Session, things: Sequence[Target], on: Sequence[On]) -> Records:
    """Return the records that targets stand for.

    Raises:
        NotUnderstood: there are none, or they are of a kind on which the change can't be made.
    """
    unfit = next((kind for kind, _ in things if kind not in _ROW_KINDS.values()), None)
    found: dict[On, Sequence[str]] = {}
    for each in on:
        if each in _ROW_KINDS:
            if unfit is not None:
                raise NotUnderstood(f"This works on tasks and conversations, not on {unfit}s.")
            found[each] = [key for kind, key in things if kind is _ROW_KINDS[each]]
            continue
        try:
            found[each] = (session.tasks_among if each is On.TASK else session.conversations_among)(things)
        except NotUnderstood:
            if len(on) == 1:
                raise
    return found


def carry_out(session: Session, change: RecordChange, things: Sequence[Target], records: Records) -> bool:
    """Make a change and print the result; return False if the person canceled it."""
    if len(records) == 1 and not records.keys() & _ROW_KINDS.keys():
        ((on, ids),) = records.items()
        things = [(ListKind(on), each) for each in ids]
    count, session.undo = len(things), change.undo

    def named(most: int) -> str:
        return name_some([session.name(*each) for each in things[:most]], count)

    if change.question is not None and not session.confirm(count, change.question(named(ASK_ABOVE))):
        return False
    done = session.wait_for(verbs.apply(session.store, change, records))
    on_them = named(MAX_NAMED)
    same = f", {count - done.count} of them unchanged" if 0 < done.count < count else ""
    nothing = change.nothing or f"Nothing to change on {on_them}."
    session.report(done, f"{change.result(f'{on_them}{same}')}.", nothing)
    return True
