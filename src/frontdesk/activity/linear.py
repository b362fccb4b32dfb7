"""The linear mode's Activity: every change and how far it came, retry and drop, undo and redo."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from frontdesk.activity.actions import REDO, UNDO, UndoTexts, describe_problem
from frontdesk.activity.view import group_changes
from frontdesk.config.actions import ASK_ABOVE
from frontdesk.config.render_context import RenderContext
from frontdesk.linear.commands import DOING, DONE, Command
from frontdesk.linear.line_parser import NotUnderstood, split_numbers
from frontdesk.linear.printed_list import ListKind, PrintedList
from frontdesk.linear.sentences import inline_text, join_sentence, name_some, speak
from frontdesk.linear.session import RecordType, Session
from frontdesk.outbox import bulk as outbox_bulk
from frontdesk.outbox import conflicts, queue
from frontdesk.outbox.batches import counted_changes
from frontdesk.outbox.change_view import ChangeView, ChangeViews, reason_words
from frontdesk.outbox.labels import inline_label, shown_label
from frontdesk.outbox.undo import TooManyToUndo, UndoRequest
from frontdesk.storage import change_feed, record_lookup
from frontdesk.storage import invalid_items as invalid_item_store
from frontdesk.storage.record_lookup import STANDALONE, customer_of
from frontdesk.storage.records import NEEDS_PERSON, Change, ChangeState, InvalidItem
from frontdesk.storage.sql import ReadConnection
from frontdesk_api.contract.ids import ConversationId, TaskId
from frontdesk_lines.display_text import SafeText, counted, show_line, trusted


def activity(session: Session, words: str) -> None:  # noqa: ARG001
    entries = group_changes(queue.recent(session.db))
    waiting = [each for each in entries if each.undecided]
    keys = [_key(each.changes) for each in (*waiting, *(each for each in entries if not each.undecided))]
    unsent = outbox_bulk.unconfirmed_count(session.db)
    counts = f"{outbox_bulk.describe_undecided(outbox_bulk.undecided_count(session.db))}, {unsent:,} unconfirmed"
    session.print_list(
        PrintedList(ListKind.CHANGE, keys, partial(_row, session)),
        "Activity",
        f", {counts}, these first, then newest",
        ["No changes yet."],
    )
    session.print(*(invalid_item(each) for each in invalid_item_store.all_invalid_items(session.db)[:5]))


def retry(session: Session, words: str) -> None:
    found = _chosen(session, words)
    if len(found) > 1:
        undecided = [each.change_id for each in found if each.state in NEEDS_PERSON]
        if not undecided:
            raise NotUnderstood("None of these changes needs a decision.")
        session.wait_for(session.outbox.retry_all(undecided))
        session.print(f"Resending {counted(len(undecided), 'change')}: {_label(found[0])}.")
        return
    session.wait_for(session.outbox.retry(found[0].change_id))
    session.print(f"Resending: {_label(found[0])}, on {_target(session, found[0]).text}.")


def drop(session: Session, words: str) -> None:
    found, *more = _chosen(session, words)
    if more:
        raise NotUnderstood(f"This row has {len(more) + 1:,} changes. To list them, type open N, then drop one.")
    session.wait_for(session.outbox.drop(found.change_id))
    session.print(f"Discarded: {_label(found)}, on {_target(session, found).text}.")


def undo(session: Session, words: str) -> None:
    changes = tuple(each.change_id for each in _chosen(session, words)) if words else ()
    _run_undo(session, UNDO, changes)


def redo(session: Session, words: str) -> None:  # noqa: ARG001
    _run_undo(session, REDO)


def _chosen(session: Session, words: str) -> list[Change]:
    """Find the changes of a number, or the only one that needs a decision."""
    if split_numbers(words)[0]:
        (key,), _ = session.keys_at(words, ListKind.CHANGE)
        return _known(session, key)
    waiting = [each for each in queue.recent(session.db) if each.state in NEEDS_PERSON]
    if not waiting:
        raise NotUnderstood("No change needs a decision. To list changes, type activity.")
    if len(waiting) > 1:
        raise NotUnderstood(f"{len(waiting)} changes need a decision. Type activity, then retry N or drop N.")
    return waiting


def _key(changes: Sequence[Change]) -> str:
    return ",".join(str(each.change_id) for each in changes)


def _stored(session: Session, key: str) -> list[Change]:
    found = (queue.change(session.db, int(each)) for each in key.split(","))
    return [each for each in found if each is not None]


def _known(session: Session, key: str) -> list[Change]:
    if not (found := _stored(session, key)):
        raise NotUnderstood("This change no longer exists.")
    return found


def _row(session: Session, key: str) -> SafeText | None:
    found = _stored(session, key)
    if len(found) < 2:
        return _describe(session, found[0]) if found else None
    first, view = found[0], session.view()
    states = Counter(session.change_views[each.kind].state_words(each, view.now) for each in found)
    on = trusted(name_some([_target(session, each).text for each in found[:1]], len(counted_changes(found))))
    parts: list[SafeText | str] = [inline_text(shown_label(first.label)), SafeText(f"on {on.text}")]
    parts += [view.spoken_moment(max(each.made_at for each in found))]
    return join_sentence([*parts, *(f"{count:,} {words}" for words, count in states.items())])


def _label(record: Change) -> str:
    return inline_label(inline_text(record.label).text)


def _target(session: Session, record: Change) -> SafeText:
    if record.kind.about in STANDALONE:
        return inline_text(record.target, 80)
    kind = ListKind.TASK if record.kind.about == record_lookup.TASK else ListKind.CONVERSATION
    return trusted(session.name(kind, record.target) or inline_text(record.target, 80).text)


def _describe(session: Session, record: Change) -> SafeText:
    record = _with_author(session, record)
    return change(record, session.change_views[record.kind], _target(session, record), session.view())


def _with_author(session: Session, record: Change) -> Change:
    """Name who made the other change of a conflict in its reason, where that is known."""
    author = conflicts.author(session.db, record)
    return record._replace(reason=reason_words(record, author, session.view()).text) if author else record


def _open(session: Session, key: str) -> None:
    found, *more = _known(session, key)
    if more:
        keys = [str(each.change_id) for each in (found, *more)]
        title = inline_text(shown_label(found.label)).text
        session.print_list(PrintedList(ListKind.CHANGE, keys, partial(_row, session)), title, "", [])
        return
    several = outbox_bulk.undecided_count(session.db) > 1
    words = session.change_views[found.kind], _target(session, found), session.view()
    session.print(*change_facts(_with_author(session, found), *words, is_one_of_several=several))


def _raw(session: Session, key: str) -> object:
    raw = [session.change_views[each.kind].raw_record(each, session.db)[1] for each in _stored(session, key)]
    return (raw[0] if raw else None) if len(raw) < 2 else raw


TYPE = RecordType(_open, _raw)


def _run_undo(session: Session, texts: UndoTexts, changes: tuple[int, ...] = ()) -> None:
    run = session.outbox.undo if texts is UNDO else session.outbox.redo
    done = session.wait_for(run(UndoRequest(ASK_ABOVE, changes=changes)))
    if isinstance(done, TooManyToUndo):
        label = inline_label(inline_text(done.label).text)
        if not session.ask_yes(f"{texts.verb} {label} on all {done.count:,}?"):
            session.print("Canceled. Nothing was changed.")
            return
        done = session.wait_for(run(UndoRequest(confirmed_batch=done.batch, changes=changes)))
    if done is None or isinstance(done, TooManyToUndo):
        session.print(texts.nothing)
        return
    for problem in done.problems:
        named = "" if done.first is None else _target(session, done.first).text
        words = describe_problem(done, show_line(problem, 400).text, named, texts)
        session.print(trusted(f"{words.removesuffix('.')}."))
    if done.count:
        on = "" if done.first is None else f", on {name_some([_target(session, done.first).text], done.count)}"
        back = "" if done.is_partial else f" {texts.spoken_back}."
        session.print(f"{texts.result(inline_text(done.label).text, is_to_send=done.is_to_send)}{on}.{back}")


def change(record: Change, change_view: ChangeView, target: SafeText, view: RenderContext) -> SafeText:
    parts: list[SafeText | str] = [
        inline_text(shown_label(record.label)),
        SafeText(f"on {inline_text(target).text}"),
        view.spoken_moment(record.made_at),
        change_view.state_words(record, view.now),
    ]
    if record.reason:
        parts.append(trusted(f"reason: {inline_text(record.reason, 200).text}"))
    return join_sentence(parts)


def change_facts(
    record: Change,
    change_view: ChangeView,
    target: SafeText,
    view: RenderContext,
    *,
    is_one_of_several: bool = False,
) -> list[SafeText]:
    """Word a change with how to decide on it where it needs a decision.

    Args:
        is_one_of_several: whether others need a decision, too, so that the commands need its number.
    """
    facts = [change(record, change_view, target, view), *speak(change_view.facts(record, view), view)]
    if record.state in NEEDS_PERSON:
        n = " N" if is_one_of_several else ""
        again = trusted(f"To resend yours, type retry{n}. To discard it and keep what is there, type drop{n}.")
        facts.append(_compare_first(record, n) if change_view.needs_review(record) else again)
    return facts


def outcome(
    record: Change,
    change_view: ChangeView,
    on: SafeText,
    view: RenderContext,
    *,
    is_one_of_several: bool = False,
) -> SafeText | None:
    """Report a changed state; None while the change is on its way."""
    n = " N" if is_one_of_several else ""
    label = f"{_label(record)}, on {on.text}"
    because = f", reason: {inline_text(record.reason, 200).text}" if record.reason else ""
    match record.state:
        case ChangeState.CONFIRMED:
            # Of a workflow the platform's yes isn't all: what it has made of it may be something else.
            return trusted(f"Confirmed: {label}{because if record.kind.about == 'workflow' else ''}.")
        case ChangeState.REFUSED:
            return trusted(
                f"Rejected: {label}{because}. To list it, type activity. "
                f"To resend it, type retry{n}; to discard it, type drop{n}."
            )
        case ChangeState.CONFLICT:
            if change_view.needs_review(record):
                return trusted(f"Conflict: {label}{because}. {_compare_first(record, n).text}")
            sides = " ".join(each.text for each in speak(change_view.facts(record, view), view))
            return trusted(
                f"Conflict: {label}{because}. {sides} "
                f"To list it, type activity. To resend yours, type retry{n}; to keep theirs, type drop{n}."
            )
        case ChangeState.UNKNOWN:
            return trusted(f"Outcome unknown: {label}{because}. frontdesk will check it, or ask you.")
    return None


def _compare_first(record: Change, n: str) -> SafeText:
    return trusted(
        f"To compare theirs with yours, run frontdesk outbox retry {record.change_id} in a terminal. "
        f"To keep theirs, type drop{n}."
    )


def invalid_item(record: InvalidItem) -> SafeText:
    return join_sentence(
        [
            trusted(f"Unreadable {inline_text(record.kind, 20).text}"),
            inline_text(record.place, 80),
            inline_text(record.reason, 200),
        ]
    )


class ChangeNews:
    """News of changed states, once each; those of one batch with the same state are one line.

    Args:
        since: when listening began; what was settled before is no news.
    """

    def __init__(self, db: ReadConnection, views: ChangeViews, since: float) -> None:
        self._db, self._views, self._since = db, views, since
        self._known: dict[int, ChangeState] = {}

    def __call__(self, ids: Mapping[str, Sequence[str]], view: RenderContext) -> list[SafeText]:
        found: dict[tuple[str, ChangeState], list[Change]] = {}
        for each in ids.get(change_feed.CHANGE, ()):
            record = queue.change(self._db, int(each)) if each.isdecimal() else None
            if record is None or self._known.get(record.change_id) is record.state:
                continue
            if record.state in (ChangeState.CONFIRMED, ChangeState.REFUSED) and (
                record.settled_at is not None and record.settled_at < self._since
            ):
                continue
            self._known[record.change_id] = record.state
            found.setdefault((record.batch, record.state), []).append(record)
        lines = []
        for records in found.values():
            first = records[0]
            on = trusted(name_some([self._name(first)], len(records)))
            several = outbox_bulk.undecided_count(self._db) > 1
            line = outcome(first, self._views[first.kind], on, view, is_one_of_several=several)
            lines += [] if line is None else [line]
        return lines

    def _name(self, record: Change) -> str:
        if record.kind.about == record_lookup.TASK:
            task = record_lookup.task(self._db, TaskId(record.target))
            return inline_text(task.title if task and task.title else record.target, 80).text
        if record.kind.about in STANDALONE:
            return inline_text(record.target, 80).text
        known = record_lookup.conversation(self._db, ConversationId(record.target))
        return inline_text(record.target if known is None else customer_of(known), 60).text


_DECISION = ("Without a number: the only change that needs a decision.",)

_ROW = ("With N: undo change N of the activity list.",)

COMMANDS = (
    Command("list.changes", activity, "activity", "", DONE, "List every change with its state"),
    Command("change.retry", retry, "retry", "[N]", DONE, more=_DECISION),
    Command("change.drop", drop, "drop", "[N]", DONE, more=_DECISION),
    Command("change.undo", undo, "undo u", "[N]", DOING, "Undo the last action", more=_ROW),
    Command("change.redo", redo, "redo U", "", DOING),
)
