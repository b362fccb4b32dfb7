"""The session of the linear mode: the list last printed, what is open and what is marked, all kept by id."""

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from frontdesk.config.actions import ASK_ABOVE, RunCommand, Undo
from frontdesk.config.render_context import RenderContext
from frontdesk.linear.console import Console
from frontdesk.linear.line_parser import NotUnderstood, split_numbers
from frontdesk.linear.printed_list import ROWS, ListKind, PrintedList, PrintedPage, Target
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.change_view import ChangeViews
from frontdesk.outbox.changes import COMPLETED
from frontdesk.outbox.commands import OutboxCommands
from frontdesk.outbox.news import News, NewsSource, Reader, look, unseen
from frontdesk.storage import clients, record_lookup
from frontdesk.storage.clients import Focus, SyncRequests
from frontdesk.storage.coverage import Precision
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import ConversationOrder, TaskRecord
from frontdesk.storage.recovery import is_damage
from frontdesk.storage.sql import ReadConnection
from frontdesk.sync.status_view import before_first
from frontdesk_api.contract.ids import ConversationId, TaskId
from frontdesk_lines.display_text import SafeText, counted, show_error, show_line, trusted
from frontdesk_lines.glyphs import glyphs

if TYPE_CHECKING:
    from frontdesk.linear.commands import Command
    from frontdesk.linear.notifications import LinearNotifications

T = TypeVar("T")


_LIST_COMMANDS = {
    ListKind.CHANGE: "activity",
    ListKind.CAMPAIGN: "campaigns",
    ListKind.WORKFLOW: "workflows",
}


@dataclass(frozen=True, slots=True)
class RecordType:
    """The functions of the linear mode for one kind of record.

    Attributes:
        open: prints all of one record.
        raw: the record as the platform sent it.
        name: what to call one in a sentence; empty where it is gone.
        conversation: the conversation that one belongs to, where the kind has any.
        in_conversation: the lines about this kind when a conversation is printed, or opened, as the flag says.
    """

    open: Callable[["Session", str], None]
    raw: Callable[["Session", str], object] = lambda _session, _key: None
    name: Callable[["Session", str], str] = lambda _session, key: key
    conversation: Callable[["Session", str], ConversationId | None] | None = None
    in_conversation: Callable[["Session", ConversationId, bool], Sequence[SafeText]] = lambda *_: ()


def make_record_type(
    find: Callable[["Session", str], Any], facts: Callable[["Session", Any], list[SafeText]], gone: str
) -> RecordType:
    """Return the type of records that have a `raw`; `gone` is the sentence where one isn't found any more."""

    def open_record(session: "Session", key: str) -> None:
        if (record := find(session, key)) is None:
            raise NotUnderstood(gone)
        session.print(*facts(session, record))

    return RecordType(open_record, lambda session, key: getattr(find(session, key), "raw", None))


@dataclass(frozen=True, slots=True)
class SessionServices:
    """The store, outbox and console of a session.

    Attributes:
        zone: the time zone in which times are read and printed.
        run_command: runs what is typed of the command line.
        profiles: the profiles that can be opened, each with its account's address.
    """

    store: ProfileStore
    outbox: OutboxCommands
    console: Console
    zone: tzinfo
    run_command: RunCommand
    profiles: Callable[[], dict[str, str]] = dict

    def view(self) -> RenderContext:
        """Return the context for wording records now."""
        store = self.store
        return RenderContext(
            store.catalogue,
            glyphs(True),
            store.clock(),
            self.zone,
            engine_process=store.engine_process(),
            is_engine_replaced=store.is_engine_replaced(),
        )


class Session:
    """One profile in the linear mode.

    Attributes:
        conversation_id: the open conversation.
        task_id: the open task, where one was opened by itself.
        next_profile: the person wants to be in this profile instead.
        must_reopen: the store can't be used any more and another has to be opened.
        is_over: nothing more is read.
    """

    def __init__(
        self,
        services: SessionServices,
        commands: "Mapping[str, Command]",
        types: Mapping[ListKind, RecordType],
        change_views: ChangeViews,
        news: "LinearNotifications",
        run_arguments: "Callable[[Session, Sequence[str]], None]",
    ):
        self._services, self._run_arguments = services, run_arguments
        self.store, self.outbox, self.console = services.store, services.outbox, services.console
        self.zone, self.profiles = services.zone, services.profiles
        self.run_command = services.run_command
        self.commands, self.types, self.news = commands, types, news
        self.change_views = change_views
        kept = self.outbox.saved_view_state("linear")
        order = kept.get("order") if isinstance(kept, dict) else None
        self.order = ConversationOrder(order) if order in set(ConversationOrder) else ConversationOrder.WAITING
        self.listing: PrintedList | None = None
        self.marks: dict[str, ListKind] = {}
        self.marked_tasks: dict[str, TaskId] = {}
        """By marked conversation the task that its row was printed with."""
        self.meant_tasks: Mapping[str, TaskId] = {}
        """By conversation among the targets the task that is meant, where its row or mark has one."""
        self.conversation_id: ConversationId | None = None
        self.task_id: TaskId | None = None
        self.used_marks: frozenset[str] = frozenset()
        """The marks that the command works on; they are cleared once it is done."""
        self.is_unsure = False
        """Whether a person may expect the command to work on something else."""
        self.named_task: TaskId | None = None
        """The task that was named as the one that commands take of the open conversation."""
        self.pages: list[PrintedPage] = []
        self.undo = Undo.NEVER
        """How long undo takes back what the command does."""
        self.is_paused = False
        self.is_over = False
        self.must_reopen = False
        self.next_profile: str | None = None
        self._focus = Focus(screen="inbox")

    @property
    def db(self) -> ReadConnection:
        return self.store.reading

    def view(self) -> RenderContext:
        return self._services.view()

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.store.clock(), self.zone)

    def run_command_line(self, arguments: Sequence[str]) -> None:
        """Ask what has to be asked, run a command of the shell and print what it says."""
        self._run_arguments(self, arguments)

    def print(self, *lines: SafeText | str) -> None:
        """Write lines; a plain string is trusted text."""
        self.console.write(*(trusted(each) if isinstance(each, str) else each for each in lines))

    def ask_yes(self, question: str) -> bool:
        """Ask a question; anything but yes is no."""
        self.print(f"{question} Type yes to confirm, or anything else to cancel.")
        try:
            return self.console.read("yes or no> ").strip().lower() in ("yes", "y")
        except (EOFError, KeyboardInterrupt):
            return False

    def confirm_name(self, name: str, *others: str) -> None:
        """Wait until a name is typed, for what can't be undone; one of the others will do, too.

        Raises:
            NotUnderstood: something else was typed.
        """
        self.print(trusted(f"To go on, type the name: {show_line(name, 200).text}"))
        try:
            typed = self.console.read("name> ").strip()
        except (EOFError, KeyboardInterrupt):
            typed = ""
        if typed not in (name.strip(), *others):
            raise NotUnderstood("That isn't the name. Nothing was sent.")

    def wait_for(self, future: "Future[T]") -> T:
        """Wait for the result of an action.

        Raises:
            NotUnderstood: it could not be done.
            apsw.Error: the store is damaged, and another has to be opened.
        """
        try:
            return future.result()
        except Exception as error:
            if is_damage(error):
                raise
            raise NotUnderstood(f"Nothing was done: {show_error(error, 400).text}.") from error

    def report_focus_soon(self, screen: str = "") -> None:
        """Report the focus, so that the engine spends its requests there."""
        if screen:
            self._focus = self._focus._replace(screen=screen)
        self._focus = self._focus._replace(
            conversation_id=self.conversation_id or "",
            paused=self.is_paused,
            active_at=self.store.clock(),
        )
        self.news.reading, self.news.focus = self.conversation_id or "", self._focus
        SyncRequests(self.store).report_focus(self._focus)

    @property
    def focus(self) -> Focus:
        """What was reported last as being looked at."""
        return self._focus

    def renew_focus(self) -> None:
        """Report the focus again; after two minutes without a report the client counts as gone."""
        SyncRequests(self.store).report_focus(self._focus)

    def print_list(
        self, listing: PrintedList, what: str, details: str, empty: Sequence[str], rows: int = ROWS
    ) -> None:
        """Print the head of a new list, then its first rows with their numbers."""
        self.listing = listing
        if not listing.ids:
            self.print(*empty)
            return
        shown = min(rows, len(listing.ids))
        is_whole = listing.precision is Precision.EXACT
        total = f"{len(listing.ids):,}" if is_whole else f"{listing.precision.value} {len(listing.ids):,}"
        if shown < len(listing.ids) or not is_whole:
            total = f"{shown:,} of {total}"
        self.print(f"{what}, {total}{details}:")
        self.print_more(rows)

    def news_of(self, source: NewsSource, *, is_listed: bool) -> dict[str, News]:
        """Return what is new in a list since the person's last look; what is listed now was seen by that."""
        reader = Reader(source, self.store.catalogue.me, self.store.clock())
        found = unseen(self.db, reader)
        self.wait_for(self.store.write(partial(look, reader=reader, rows=tuple(found) if is_listed else ())))
        return found

    def print_more(self, rows: int) -> None:
        """Print the next rows of the list last printed."""
        listing = self.printed_list()
        upto = min(len(listing.ids), listing.printed + rows)
        if upto == listing.printed:
            self.print(f"That's all: {counted(upto, listing.kind)}.")
            return
        for place in range(listing.printed, upto):
            row = listing.row(listing.ids[place]) or trusted("no longer available.")
            mark = "marked, " if listing.ids[place] in self.marks else ""
            self.print(trusted(f"{place + 1}. {mark}{row.text}"))
        listing.printed = upto
        left = len(listing.ids) - upto
        if left:
            self.print(f"{left:,} more. To continue, type more.")

    def at_number(self, number: int) -> Target:
        """Find the record of a number in the list last printed.

        Raises:
            NotUnderstood: there is no such number.
        """
        listing = self.printed_list()
        if not listing.printed:
            raise NotUnderstood(f"No number {number}: the last list is empty.")
        if not 1 <= number <= listing.printed:
            shown = counted(listing.printed, listing.kind)
            raise NotUnderstood(f"No number {number}: the last list shows {shown}.")
        key = listing.ids[number - 1]
        return listing.targets.get(key, (listing.kind, key))

    def keys_at(self, words: str, kind: ListKind, *, many: bool = False) -> tuple[list[str], str]:
        """Return the ids of the rows of a kind whose numbers the words begin with, and the rest.

        Raises:
            NotUnderstood: there is no number, or one of another kind.
        """
        chosen, rest = split_numbers(words, all_of_them=many)
        listed = _LIST_COMMANDS[kind]
        if not chosen or (len(chosen) > 1 and not many):
            raise NotUnderstood(f"Which {kind}? Type {listed}, then the command with a number.")
        found = [self.at_number(each) for each in chosen]
        if any(each is not kind for each, _ in found):
            raise NotUnderstood(f"That number isn't a {kind}. To list {kind}s, type {listed}.")
        return [key for _, key in found], rest

    def open_number(self, number: int) -> None:
        self.at_number(number)
        listing = self.printed_list()
        self.meant_tasks = listing.tasks
        self.types[listing.kind].open(self, listing.ids[number - 1])

    def open_next(self, done: Collection[Target]) -> None:
        """Open the row after the last of these records in the list last printed, and print its number."""
        listing = self.listing
        rows = range(1, listing.printed + 1 if listing else 1)
        place = max((each for each in rows if self.at_number(each) in done), default=None)
        if listing is None or place is None:
            self.print("No next row, because this isn't in the last list. To list conversations, type list.")
        elif place == len(listing.ids):
            self.print("That was the last row of the list.")
        else:
            self.print(f"Row {place + 1}:")
            listing.printed = max(listing.printed, place + 1)
            self.open_number(place + 1)

    def printed_list(self) -> PrintedList:
        """Return the list last printed.

        Raises:
            NotUnderstood: there was none.
        """
        if self.listing is None:
            raise NotUnderstood("No list yet. To list conversations, type list.")
        return self.listing

    def parse_targets(self, words: str, *, all_numbers: bool = False) -> tuple[list[Target], str]:
        """Split words into targets (numbers, `this`, else the marked, else what is open) and the rest.

        Raises:
            NotUnderstood: there is nothing to work on.
        """
        self.used_marks, self.is_unsure = frozenset(), False
        chosen, rest = split_numbers(words, all_of_them=all_numbers)
        if chosen is not None:
            self.meant_tasks = self.printed_list().tasks
            return [self.at_number(each) for each in chosen], rest
        first, _, others = words.partition(" ")
        is_here = first.lower() == "this"
        rest = others.strip() if is_here else words
        if self.marks and not is_here:
            self.print(f"On {counted(len(self.marks), 'marked row')}:")
            self.used_marks = frozenset(self.marks)
            self.is_unsure = self.used_marks != {self.task_id or self.conversation_id}
            self.meant_tasks = self.marked_tasks
            return [(kind, key) for key, kind in self.marks.items()], rest
        if self.task_id is not None:
            return [(ListKind.TASK, self.task_id)], rest
        if self.conversation_id is not None:
            self.meant_tasks = {} if self.named_task is None else {self.conversation_id: self.named_task}
            return [(ListKind.CONVERSATION, self.conversation_id)], rest
        raise NotUnderstood("Which one? Type a number from the list, or open something first.")

    def parse_only_targets(self, words: str) -> list[Target]:
        """Return the targets of a command that takes no other words.

        Raises:
            NotUnderstood: there is nothing to work on, or there are other words.
        """
        targets, rest = self.parse_targets(words, all_numbers=True)
        if rest:
            raise NotUnderstood(f'Unexpected "{rest[:60]}". Type only numbers from the list.')
        return targets

    def conversations_among(self, targets: Sequence[Target]) -> list[ConversationId]:
        """Find the conversations of targets; of a task its own.

        Raises:
            NotUnderstood: there are none.
        """
        found: dict[ConversationId, None] = {}
        for kind, key in targets:
            conversation = self.types[kind].conversation
            if conversation is None:
                raise NotUnderstood(f"This works on conversations and tasks, not on {kind}s.")
            if (conversation_id := conversation(self, key)) is not None:
                found[conversation_id] = None
        if not found:
            raise NotUnderstood("No conversation found for that.")
        return list(found)

    def tasks_among(self, targets: Sequence[Target]) -> list[TaskId]:
        """Find the tasks of targets; of a conversation the one that its row names, else its most urgent one.

        Raises:
            NotUnderstood: there are none.
        """
        found: dict[TaskId, None] = {}
        without = gone = 0
        for kind, key in targets:
            tasks: list[TaskRecord] = []
            if kind is ListKind.CONVERSATION:
                tasks = record_lookup.tasks_of_conversation(self.db, ConversationId(key))
                if key in self.meant_tasks:
                    tasks = [each for each in tasks if each.task_id == self.meant_tasks[key]]
                elif sum(each.status != COMPLETED for each in tasks) > 1:
                    self.is_unsure = True
                tasks = tasks[:1]
            elif kind is ListKind.TASK:
                record = record_lookup.task(self.db, TaskId(key))
                tasks = [] if record is None else [record]
            else:
                raise NotUnderstood(f"This works on tasks and conversations, not on {kind}s.")
            without += not tasks
            gone += not tasks and key in self.meant_tasks
            found |= {each.task_id: None for each in tasks}
        if not found:
            unknown = "No task loaded for that, and frontdesk can't create one."
            raise NotUnderstood("That task no longer exists." if gone else unknown)
        for count, why in ((without - gone, "no task loaded"), (gone, "the task no longer exists")):
            if count:
                self.print(f"Skipped {counted(count, 'conversation')}: {why}.")
        return list(found)

    def name(self, kind: ListKind, key: str) -> str:
        return self.types[kind].name(self, key)

    def empty_reason(self) -> str:
        return " ".join(before_first(clients.health(self.store.reading)))

    def confirm(self, count: int, question: str) -> bool:
        """Ask before an action on many, and before one that may not work on what the person at the prompt expects.

        A script has named its targets, so it is asked only before an action on many.
        """
        is_asked = count > ASK_ABOVE or (self.is_unsure and self.console.is_typed)
        if self.undo is not Undo.NEVER and is_asked and not self.ask_yes(question):
            self.print("Canceled. Nothing was changed.")
            return False
        return True

    def report(self, done: ActionResult, words: str, nothing: str = "Nothing to change.") -> None:
        """Print the result of an action: its problems, what was done, and how it is undone."""
        for problem in done.problems:
            self.console.has_failed = True
            self.print(show_line(problem, 400))
        self.clear_used_marks()
        if done.count:
            self.print(words if self.undo is Undo.NEVER else f"{words} {self.undo.sentence()}")
        elif not done.problems:
            self.print(nothing)

    def clear_used_marks(self) -> None:
        """Clear the marks that the command worked on."""
        for key in self.used_marks:
            self.marks.pop(key, None)
