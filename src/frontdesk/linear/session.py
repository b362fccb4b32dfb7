"""What the commands of the linear mode share: the services, the list last printed, what is open, what is marked.

Everything is kept by id. A number is a place in the list as it was printed, so a poll that sorts
anew never makes it mean something else.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

from frontdesk.api.contract.ids import ConversationId, TaskId
from frontdesk.app import linear_sentences
from frontdesk.app.services import Services
from frontdesk.config.render_context import RenderContext
from frontdesk.linear.console import Console
from frontdesk.linear.parsing import NotUnderstood, leading_numbers
from frontdesk.outbox.commands import COMPLETED
from frontdesk.storage.clients import Focus
from frontdesk.storage.damage import is_damage
from frontdesk.storage.record_names import STANDALONE, customer_of
from frontdesk.storage.records import Change, ChangeKind, ConversationOrder, MessagePosition, TaskRecord
from frontdesk.text.display_text import SafeText, show_line, trusted
from frontdesk.text.glyphs import glyphs
from frontdesk.text.spoken_time import counted

if TYPE_CHECKING:
    from frontdesk.app.linear_commands import Command
    from frontdesk.inbox.linear.notifications import LinearNotifications

ROWS = 10
"""So many things a list prints at a time."""

T = TypeVar("T")


class ListKind(StrEnum):
    """What a list is of, in the word for one of it."""

    CONVERSATION = "conversation"
    TASK = "task"
    CHANGE = "change"
    CAMPAIGN = "campaign"
    WORKFLOW = "workflow"
    AI_AGENT = "AI agent"
    HIT = "search result"


@dataclass
class PrintedList:
    """A list as it was read: ids in their order, of which the first `printed` have a number.

    Attributes:
        row: the sentence for an id, or None where it is gone.
        conversations: the conversation of each search result.
        tasks: the task of each search result that is one.
        messages: the message of each search result that is one.
    """

    kind: ListKind
    ids: Sequence[str]
    row: Callable[[str], SafeText | None]
    printed: int = 0
    conversations: dict[str, ConversationId] = field(default_factory=dict)
    tasks: dict[str, TaskId] = field(default_factory=dict)
    messages: dict[str, MessagePosition] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PrintedPage:
    """A page of a thread as it was printed: where it ends, and its first and last message."""

    before: MessagePosition | None
    first: MessagePosition | None
    last: MessagePosition | None


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
        services: Services,
        console: Console,
        zone: tzinfo,
        commands: "Sequence[Command]",
        news: "LinearNotifications",
        profiles: Callable[[], dict[str, str]] = dict,
    ):
        self.services, self.console, self.zone = services, console, zone
        self.commands, self.news, self.profiles = commands, news, profiles
        self.queries = services.queries
        kept = services.saved_view_state("linear")
        order = kept.get("order") if isinstance(kept, dict) else None
        self.order = ConversationOrder(order) if order in set(ConversationOrder) else ConversationOrder.WAITING
        self.listing: PrintedList | None = None
        self.marks: dict[str, ListKind] = {}
        self.conversation_id: ConversationId | None = None
        self.task_id: TaskId | None = None
        self.used_marks: frozenset[str] = frozenset()
        """The marks that the command works on; they are cleared once it is done."""
        self.is_unsure = False
        """Whether a person may expect the command to work on something else."""
        self.named_task: TaskId | None = None
        """The task that was named as the one that commands take of the open conversation."""
        self.pages: list[PrintedPage] = []
        self.is_paused = False
        self.is_over = False
        self.must_reopen = False
        self.next_profile: str | None = None
        self._looking = Focus(screen="inbox")

    def view(self) -> RenderContext:
        """How records are put into words now."""
        return RenderContext(self.services.catalogue, glyphs(True), self.services.clock(), self.zone)

    def now(self) -> datetime:
        """This moment in the person's zone."""
        return datetime.fromtimestamp(self.services.clock(), self.zone)

    def say(self, *lines: SafeText | str) -> None:
        """Write lines; a plain string is frontdesk's own words."""
        self.console.say(*(trusted(each) if isinstance(each, str) else each for each in lines))

    def ask_yes(self, question: str) -> bool:
        """Ask before a bulk action; only `yes` does it."""
        self.say(f"{question} Type yes to do it, anything else leaves it.")
        try:
            return self.console.read("yes or no> ").strip().lower() in ("yes", "y")
        except (EOFError, KeyboardInterrupt):
            return False

    def wait_for(self, future: "Future[T]") -> T:
        """What an action came to, once it is in the store.

        Raises:
            NotUnderstood: it could not be done.
            apsw.Error: the store is damaged, and another has to be opened.
        """
        try:
            return future.result()
        except Exception as error:
            if is_damage(error):
                raise
            raise NotUnderstood(f"Not done: {show_line(str(error), 400).text}.") from error

    def report_focus_soon(self, screen: str = "") -> None:
        """Say what is looked at, so that the engine spends its requests there."""
        if screen:
            self._looking = replace(self._looking, screen=screen)
        self._looking = replace(
            self._looking,
            conversation_id=self.conversation_id or "",
            paused=self.is_paused,
            active_at=self.services.clock(),
        )
        self.news.reading = self.conversation_id or ""
        self.services.look(self._looking)

    def look_on(self) -> None:
        """Say again what is looked at: who doesn't for two minutes is taken to be gone."""
        self.services.look(self._looking)

    def print_list(
        self, listing: PrintedList, what: str, details: str, empty: Sequence[str], rows: int = ROWS
    ) -> None:
        """Print a new list: what it is of, how many, in which order; then its first rows with their numbers."""
        self.listing = listing
        if not listing.ids:
            self.say(*empty)
            return
        shown = min(rows, len(listing.ids))
        total = f"{shown:,} of {len(listing.ids):,}" if shown < len(listing.ids) else f"{shown:,}"
        self.say(f"{what}, {total}{details}:")
        self.print_more(rows)

    def print_more(self, rows: int = ROWS) -> None:
        """Print the next rows of the list; numbers go on."""
        listing = self.listing
        if listing is None:
            raise NotUnderstood("No list was printed yet. The command list prints the conversations.")
        upto = min(len(listing.ids), listing.printed + rows)
        if upto == listing.printed:
            self.say(f"That is all: {counted(upto, listing.kind)}.")
            return
        for place in range(listing.printed, upto):
            row = listing.row(listing.ids[place]) or trusted("gone meanwhile.")
            mark = "marked, " if listing.ids[place] in self.marks else ""
            self.say(trusted(f"{place + 1}. {mark}{row.text}"))
        listing.printed = upto
        left = len(listing.ids) - upto
        if left:
            self.say(f"{left:,} more; the command more goes on.")

    def at_number(self, number: int) -> tuple[ListKind, str]:
        """What a number means: a thing of the list last printed.

        Raises:
            NotUnderstood: there is no such number.
        """
        listing = self.listing
        if listing is None:
            raise NotUnderstood("No list was printed yet. The command list prints the conversations.")
        if not listing.printed:
            raise NotUnderstood(f"There is no number {number}: the list last printed is empty.")
        if not 1 <= number <= listing.printed:
            raise NotUnderstood(
                f"There is no number {number}: the list last printed, of {listing.kind}s, "
                f"goes from 1 to {listing.printed}."
            )
        key = listing.ids[number - 1]
        if listing.kind is ListKind.HIT:
            if key in listing.tasks:
                return ListKind.TASK, listing.tasks[key]
            return ListKind.CONVERSATION, listing.conversations[key]
        return listing.kind, key

    def message_at(self, number: int) -> MessagePosition | None:
        """The message that a number of the list means, where it is one that a search found."""
        listing = self.listing
        if listing is None or not 1 <= number <= listing.printed:
            return None
        return listing.messages.get(listing.ids[number - 1])

    def things(self, words: str, *, all_numbers: bool = False) -> tuple[list[tuple[ListKind, str]], str]:
        """What a command works on, and its other words: numbers, `this`, else the marked, else what is open.

        Raises:
            NotUnderstood: there is nothing to work on.
        """
        self.used_marks, self.is_unsure = frozenset(), False
        chosen, rest = leading_numbers(words, all_of_them=all_numbers)
        if chosen is not None:
            return [self.at_number(each) for each in chosen], rest
        first, _, others = words.partition(" ")
        is_here = first.lower() == "this"
        rest = others.strip() if is_here else words
        if self.marks and not is_here:
            self.say(f"On what is marked, {len(self.marks):,}:")
            self.used_marks = frozenset(self.marks)
            self.is_unsure = self.used_marks != {self.task_id or self.conversation_id}
            return [(kind, key) for key, kind in self.marks.items()], rest
        if self.task_id is not None:
            return [(ListKind.TASK, self.task_id)], rest
        if self.conversation_id is not None:
            return [(ListKind.CONVERSATION, self.conversation_id)], rest
        raise NotUnderstood("On what? Give a number of the list, or open something first.")

    def tasks_among(self, things: Sequence[tuple[ListKind, str]]) -> list[TaskRecord]:
        """The tasks that are meant: of a conversation its most urgent open one.

        Raises:
            NotUnderstood: there are none.
        """
        found: dict[str, TaskRecord] = {}
        without = 0
        for kind, key in things:
            tasks: list[TaskRecord] = []
            if kind is ListKind.CONVERSATION:
                tasks = self.queries.tasks_of(ConversationId(key))
                if sum(task.status != COMPLETED for task in tasks) > 1 and tasks[0].task_id != self.named_task:
                    self.is_unsure = True
                tasks = tasks[:1]
            elif kind is ListKind.TASK:
                task = self.queries.task(TaskId(key))
                tasks = [] if task is None else [task]
            else:
                raise NotUnderstood(f"This works on tasks and conversations, not on a {kind}.")
            without += not tasks
            found |= {task.task_id: task for task in tasks}
        if not found:
            raise NotUnderstood("No task is known there, and the platform's interface can't create one.")
        if without:
            self.say(f"{counted(without, 'conversation')} without a known task left out.")
        return list(found.values())

    def conversations_among(self, things: Sequence[tuple[ListKind, str]]) -> list[ConversationId]:
        """The conversations that are meant: of a task its own.

        Raises:
            NotUnderstood: there are none.
        """
        found: dict[ConversationId, None] = {}
        for kind, key in things:
            if kind is ListKind.CONVERSATION:
                found[ConversationId(key)] = None
            elif kind is ListKind.TASK:
                task = self.queries.task(TaskId(key))
                if task is not None and task.conversation_id is not None:
                    found[task.conversation_id] = None
            else:
                raise NotUnderstood(f"This works on conversations and tasks, not on a {kind}.")
        if not found:
            raise NotUnderstood("No conversation is known there.")
        return list(found)

    def name(self, conversation_id: ConversationId) -> SafeText:
        """What to call a conversation."""
        record = self.queries.conversation(conversation_id)
        return linear_sentences.said(conversation_id if record is None else customer_of(record).text, 60)

    def task_name(self, task: TaskRecord) -> SafeText:
        """What to call a task: its title, and its customer, whose name tells tasks of one title apart."""
        title = linear_sentences.said(task.title or "the task without a title", 60).text
        customer = linear_sentences.said(task.customer_name, 40).text
        if not customer and task.conversation_id is not None:
            customer = self.name(task.conversation_id).text
        return trusted(f"{title} ({customer})" if customer else title)

    def clear_used_marks(self) -> None:
        """Take the marks off that the command worked on."""
        for key in self.used_marks:
            self.marks.pop(key, None)

    def target(self, change: Change) -> SafeText:
        """What a change is about."""
        if change.kind is ChangeKind.TASK:
            task = self.queries.task(TaskId(change.target))
            return linear_sentences.said(change.target, 80) if task is None else self.task_name(task)
        if change.kind.about in STANDALONE:
            return linear_sentences.said(change.target, 80)
        return self.name(ConversationId(change.target))
