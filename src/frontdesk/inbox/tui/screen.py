"""The inbox: known conversations, the thread of one, and what is known of its customer.

The thread follows the cursor after a short pause, so that a held key sends only the list's bytes.
"""

from concurrent.futures import Future
from dataclasses import replace
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.timer import Timer
from textual.widget import Widget

from frontdesk.activity.view.target_name import and_more, conversation_name
from frontdesk.api.contract.ids import ConversationId, TaskId
from frontdesk.inbox.tui.conversation_pane import ConversationsPane
from frontdesk.inbox.tui.customer_pane import FactsPane
from frontdesk.inbox.tui.navigation import Navigation
from frontdesk.inbox.tui.thread_pane import ThreadPane
from frontdesk.inbox.tui.thread_position import place_as_json, place_from_json
from frontdesk.inbox.view.message import text_of
from frontdesk.storage import change_feed
from frontdesk.storage.clients import Focus
from frontdesk.storage.records import ConversationOrder, Event, MessageKey, TaskRecord
from frontdesk.tasks.tui.actions import TaskActions
from frontdesk.tasks.tui.selection import DISPLACED, Selection, loading_reason
from frontdesk.text.display_text import NOTHING, SafeText, show_line, trusted
from frontdesk.tui.content import notify
from frontdesk.tui.context import AppContext
from frontdesk.tui.futures import on_done
from frontdesk.tui.hints import COMPLETE
from frontdesk.tui.keymap import Keymap, bindings_for
from frontdesk.tui.widgets.pane import Pane

FOLLOW_SECONDS = 0.15
"""How long the cursor rests on a conversation before its thread is shown."""

ORDERS = tuple(ConversationOrder)


class InboxScreen(Navigation):
    """Mode 1."""

    key_context = "inbox"
    has_marks = True
    pane_names = (("conversations", "Conversations"), ("thread", "Thread"), ("facts", "Customer"))
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("inbox")]
    DEFAULT_CSS = """
    InboxScreen #conversations { width: 44; }
    InboxScreen #facts { width: 34; }
    InboxScreen.-middle #conversations { width: 40; }
    InboxScreen.-middle #facts { display: none; }
    InboxScreen.-middle.-at-facts #thread { display: none; }
    InboxScreen.-middle.-at-facts #facts { display: block; width: 1fr; }
    InboxScreen.-narrow Pane { display: none; width: 1fr; }
    InboxScreen.-narrow.-at-conversations #conversations { display: block; width: 1fr; }
    InboxScreen.-narrow.-at-thread #thread { display: block; }
    InboxScreen.-narrow.-at-facts #facts { display: block; width: 1fr; }
    InboxScreen.-zoomed Pane { display: none; }
    InboxScreen.-zoomed.-at-conversations #conversations { display: block; width: 1fr; }
    InboxScreen.-zoomed.-at-thread #thread { display: block; width: 1fr; }
    InboxScreen.-zoomed.-at-facts #facts { display: block; width: 1fr; }
    InboxScreen.-alone.-at-conversations Pane { display: none; }
    InboxScreen.-alone.-at-conversations #conversations { display: block; width: 1fr; }
    """

    def __init__(self, app_context: AppContext, keymap: Keymap):
        super().__init__(app_context, keymap)
        left = self._left
        order = str(left.get("order"))
        self._start_at = left.get("conversation")
        self.list = ConversationsPane(
            app_context,
            ConversationOrder(order) if order in set(ConversationOrder) else ConversationOrder.WAITING,
            view=str(left.get("view") or ""),
            filtered_by=str(left.get("filter") or ""),
        )
        self.thread = ThreadPane(app_context)
        if (read := place_from_json(left.get("thread"))) is not None:
            self.thread.remember(*read)
        self.facts = FactsPane(app_context)
        self.task_actions = TaskActions(self, lambda: (self.list.rows, self.facts.tasks))
        self._words_typed = {"search": str(left.get("searched") or "")}
        self._follow: Timer | None = None
        self._naming: Timer | None = None
        """Names the target in the footer where no thread follows the cursor."""
        self._cursor_then: ConversationId | None = None
        self._asks: dict[int, MessageKey] = {}
        self._read_when_loaded: ConversationId | None = None
        self._footer_task: TaskId | None = None
        """The task that the footer names, where it names one."""
        self.add_class("-at-conversations", *["-alone"] * (left.get("preview") is False), update=False)

    def compose_body(self) -> ComposeResult:
        with Container(classes="body") as self._body:
            yield self.list

    def on_mount(self) -> None:
        if isinstance(self._start_at, str):
            self.list.show(ConversationId(self._start_at))

    async def first_painted(self) -> None:
        """The list can be used at once; the thread follows it, here as after every move of the cursor."""
        await self._body.mount(self.thread, self.facts)
        if not self.has_class("-alone"):
            self._follow_cursor()
        self.list.count_views()

    def home(self) -> Widget:
        return self.list.rows

    def looking(self) -> Focus:
        return Focus(screen="inbox", conversation_id=self.thread.conversation_id or "")

    def reading(self) -> str:
        is_seen = self.thread.rows.region.height > 0
        return (self.thread.conversation_id or "") if is_seen else ""

    def marked(self) -> int:
        return len(self.facts.tasks.marks if self._works_on_marked_tasks else self.list.rows.marks)

    @property
    def _works_on_marked_tasks(self) -> bool:
        """Whether the marks that count are those of tasks beside the thread: where conversations are marked,
        too, those do of the two that the focus is on."""
        is_there = self.focused is self.facts.tasks or not self.list.rows.marks
        return is_there and bool(self.facts.tasks.marks)

    def hidden_marks(self) -> int:
        return 0 if self._works_on_marked_tasks else len(self.list.rows.hidden_marks)

    def run_ended(self, batch: str) -> None:
        self.task_actions.bulk.report_run_end(batch)

    def selection(self) -> Selection:
        """What a key works on, with the reason where that is nothing."""
        found = self._selected()
        if found.tasks and found.conversations:
            return found
        no_conversation = self._loading_reason() or "No conversation is selected."
        no_task = "No task is known for this conversation, and the platform's interface can't create one."
        if self.thread.conversation_id is None and not self.list.rows.marks:
            no_task = no_conversation
        return replace(found, no_task=no_task, no_conversation=no_conversation)

    def _selected(self) -> Selection:
        """Of marked conversations their most urgent open task each; else the marked tasks beside the thread;
        else the open conversation and the task under the cursor there."""
        listed, beside = self.list.rows, self.facts.tasks
        named = self._footer_task if self._status_line.is_shown(COMPLETE) else None
        if self._works_on_marked_tasks or listed.marks <= {listed.cursor_key}:
            self._catch_up()
        opened = self.thread.conversation_id
        conversations = () if opened is None else (opened,)
        if self._works_on_marked_tasks:
            is_elsewhere = beside.marks != {beside.cursor_key} or not beside.region
            return Selection(self.facts.task_targets, conversations, marks=beside.marks, is_elsewhere=is_elsewhere)
        if listed.marks and listed.marks != {listed.cursor_key}:
            marked = self.list.targets
            urgent = self.app_context.services.queries.most_urgent(marked)
            taskless = tuple(each for each in marked if each not in urgent)
            return Selection(tuple(urgent.values()), marked, taskless, marks=listed.marks, is_elsewhere=True)
        tasks = self.facts.task_targets
        doubt = ""
        if any(map(self.task_actions.bulk.was_displaced, (listed, beside))):
            doubt = DISPLACED
        elif len(beside.keys) > 1 and tasks != (named,):
            doubt = f"This customer has {len(beside.keys)} tasks; the cursor is on this one."
        return Selection(tasks, conversations, marks=listed.marks, doubt=doubt)

    def name_target(self) -> SafeText:
        """Of several tasks of the customer under the cursor the one that keys take."""
        task = self._one_of_several()
        self._footer_task = None if task is None else task.task_id
        return NOTHING if task is None else show_line(task.title or "(no title)", 24)

    def _one_of_several(self) -> TaskRecord | None:
        listed, beside, reads = self.list.rows, self.facts.tasks, self.app_context.services.queries
        cursor = self.list.cursor
        if cursor is None or beside.marks or not listed.marks <= {cursor}:
            return None
        is_shown = cursor == self._cursor_then and self.facts.conversation_id is not None
        if is_shown:
            here = None if beside.cursor_key is None else reads.task(TaskId(beside.cursor_key))
            return here if len(beside.keys) > 1 else None
        tasks = reads.tasks_of(cursor)
        return tasks[0] if len(tasks) > 1 else None

    def _loading_reason(self) -> str:
        """Nothing is loading where a row is drawn, or a filter leaves none."""
        if self.list.rows.keys or self.list.is_filtered:
            return ""
        if self.app_context.services.queries.conversation_count():
            return "The list is still loading."
        return loading_reason(self.app_context)

    def raw_record(self) -> tuple[str, object] | None:
        self._catch_up()
        if self.has_class("-at-thread") and (message := self.thread.message_at_cursor) is not None:
            return "Message", message
        task = (
            self.app_context.services.queries.task(self.facts.task_targets[0]) if self.facts.task_targets else None
        )
        return None if task is None else ("Task", task.raw)

    def copied_id(self) -> str | None:
        self._catch_up()
        record = self.thread.conversation_id and self.app_context.services.queries.conversation(
            self.thread.conversation_id
        )
        return None if not record else record.number or record.conversation_id

    def refresh_target(self) -> str | None:
        self._catch_up()
        return self.thread.conversation_id

    def show_changes(self, events: frozenset[Event]) -> None:
        self.list.store_changed(events)
        self.thread.store_changed(events)
        self.facts.store_changed(events)
        self._mark_what_has_loaded()
        if self.thread.conversation_id is None or self.list.cursor is None:
            self._catch_up()
        if self._asks and any(event.kind in (change_feed.ASK, change_feed.EVERYTHING.kind) for event in events):
            for ask_id in tuple(self._asks):
                self._look_at_ask(ask_id)

    def drop_filter(self) -> bool:
        return self.list.end_typing()

    def go_back(self) -> bool:
        if self._works_on_marked_tasks:
            self.facts.tasks.action_clear_marks()
            return True
        if self.end_search():
            return True
        return super().go_back()

    def on_conversations_pane_highlighted(self, event: ConversationsPane.Highlighted) -> None:
        event.stop()
        self._stop_following()
        if self.has_class("-alone"):
            self._naming = self.set_timer(FOLLOW_SECONDS, self.update_hints)
        elif event.conversation_id is None:
            self._follow_cursor()  # at once: what isn't listed must not look like what a key works on
        else:
            self._follow = self.set_timer(FOLLOW_SECONDS, self._follow_cursor)

    def on_conversations_pane_opened(self, event: ConversationsPane.Opened) -> None:
        event.stop()
        self.show_conversation(event.conversation_id)
        self.app_context.services.mark_read(event.conversation_id)
        self.go_to(self.thread)
        record = self.app_context.services.queries.conversation(event.conversation_id)
        self._read_when_loaded = None if record is None or record.thread_known else record.conversation_id

    def _mark_what_has_loaded(self) -> None:
        """A thread that was opened before any of it was known is read as soon as it is there to be read."""
        here = self._read_when_loaded
        if here is None or self.thread.conversation_id != here or not self.has_class("-at-thread"):
            self._read_when_loaded = None
            return
        record = self.app_context.services.queries.conversation(here)
        if record is not None and record.thread_known:
            self._read_when_loaded = None
            self.app_context.services.mark_read(here)

    def on_conversations_pane_list_changed(self, event: ConversationsPane.ListChanged) -> None:
        event.stop()
        self.keep_place()

    def on_conversations_pane_marks_changed(self, event: ConversationsPane.MarksChanged) -> None:
        event.stop()
        self.update_status()

    def on_facts_pane_task_highlighted(self, event: FactsPane.TaskHighlighted) -> None:
        event.stop()
        self.update_hints()

    def on_facts_pane_marks_changed(self, event: FactsPane.MarksChanged) -> None:
        event.stop()
        self.update_status()

    def on_thread_pane_older_missing(self, event: ThreadPane.OlderMissing) -> None:
        event.stop()
        self.update_hints()

    def on_thread_pane_older_requested(self, event: ThreadPane.OlderRequested) -> None:
        event.stop()
        asked = self.app_context.services.ask_older(event.conversation_id, event.before)
        on_done(self.app, asked, lambda done: self._asked(done, event.before))

    def on_thread_pane_message_chosen(self, event: ThreadPane.MessageChosen) -> None:
        event.stop()
        from frontdesk.inbox.tui.links_action import show_whole

        show_whole(self, event.spoken, self.thread.told.parties)

    def on_descendant_focus(self) -> None:
        pane = self.pane_of(self.focused)
        if pane is not None:
            self.note_pane(pane)
        if self.facts.tasks.marks:
            self.update_status()  # it may be other marks that count from here

    def focused_pane(self) -> str:
        if self.focused is self.facts.tasks:
            return "facts"
        where = super().focused_pane()
        return "thread with more" if where == "thread" and self.thread.lacks_older else where

    def action_find(self) -> None:
        self.go_to(self.list)
        self.list.begin_typing()

    def action_task(self, name: str) -> None:
        self.task_actions.run(name, self.selection())

    def action_stop_run(self) -> None:
        self.task_actions.bulk.stop_run()

    def action_failures(self) -> None:
        self.task_actions.bulk.show_failures()

    def action_step_view(self, step: int) -> None:
        self.list.step_view(step)

    def action_preview(self) -> None:
        """The list alone costs no byte for threads; enter still opens one."""
        self.toggle_class("-alone")
        self.go_to(self.list)
        self.keep_place()
        if not self.has_class("-alone"):
            self._follow_cursor()

    def action_sort(self) -> None:
        order = ORDERS[(ORDERS.index(self.list.order) + 1) % len(ORDERS)]
        self.list.sort(order)

    def action_load_older(self) -> None:
        self._catch_up()
        if not self.thread.load_older():
            notify(self.app, trusted("Nothing is missing before this message."), timeout_seconds=2)

    def action_copy_id(self) -> None:
        message = self.thread.message_at_cursor if self.has_class("-at-thread") else None
        if message is None:
            super().action_copy_id()
        else:
            self._copy(text_of(message), trusted("The message"))

    def action_open_link(self) -> None:
        from frontdesk.inbox.tui.links_action import open_links

        self._catch_up()
        open_links(self, self.thread.message_at_cursor or {})

    def action_run_workflow(self) -> None:
        """There is no message to send; a campaign with one recipient is what can be done for one customer."""
        from frontdesk.campaigns.tui.wizard_open import open_for_customer

        self._catch_up()
        record = self.thread.conversation_id and self.app_context.services.queries.conversation(
            self.thread.conversation_id
        )
        if record:
            open_for_customer(self, record)
        else:
            self.task_actions.bulk.refuse(trusted(self.selection().no_conversation))

    def action_toggle_read(self) -> None:
        """Read where anything of them is unread, else unread."""
        selection, services = self.selection(), self.app_context.services
        if not selection.conversations:
            notify(self.app, trusted(selection.no_conversation), severity="warning")
            return
        records = map(services.queries.conversation, selection.conversations)
        is_read = any(record is not None and record.unread for record in records)

        def change() -> None:
            for each in selection.conversations:
                (services.mark_read if is_read else services.mark_unread)(each)
            self.task_actions.bulk.clear_marks(selection.marks)
            if selection.is_elsewhere:
                first = conversation_name(services.queries, selection.conversations[0])
                named = and_more(first, len(selection.conversations))
                notify(
                    self.app, trusted(f"Marked {'read' if is_read else 'unread'}: {named.text}"), timeout_seconds=3
                )

        self.task_actions.bulk.plan_read(selection, change, is_read=is_read)

    def place_now(self) -> dict[str, object]:
        return {
            "order": str(self.list.order),
            "view": self.list.view.name,
            "filter": self.list.filtered_by,
            "searched": self._words_typed.get("search", ""),
            "preview": not self.has_class("-alone"),
            "conversation": self.list.cursor,
            "thread": place_as_json(self.thread.conversation_id, self.thread.place()),
        }

    def show_message(self, conversation_id: ConversationId, key: MessageKey, words: str) -> None:
        """Show a conversation's thread at a message, with words told apart."""
        self._stop_following()
        self._cursor_then = self.list.cursor
        self.thread.open_at(conversation_id, key, words)
        self.facts.open(conversation_id)
        self.post_message(self.FocusChanged())

    def _follow_cursor(self) -> None:
        self.show_conversation(self.list.cursor)

    def _catch_up(self) -> None:
        """Show the conversation under the cursor now: a key works on what the cursor is on, never on
        what it has just left."""
        if self.list.cursor != self._cursor_then:
            self.show_conversation(self.list.cursor)

    def _stop_following(self) -> None:
        for timer in (self._follow, self._naming):
            if timer is not None:
                timer.stop()
        self._follow = self._naming = None

    def show_conversation(self, conversation_id: ConversationId | None) -> None:
        """Show a conversation's thread and facts; none where nothing is listed."""
        self._stop_following()
        self._cursor_then = self.list.cursor
        if conversation_id == self.thread.conversation_id:
            return
        self.thread.open(conversation_id)
        self.facts.open(conversation_id)
        self.update_hints()
        self.post_message(self.FocusChanged())

    def _asked(self, asked: Future[int], before: MessageKey) -> None:
        error = asked.exception()
        if error is not None:
            self.thread.load_ended(before, str(error) or type(error).__name__)
            return
        self._asks[asked.result()] = before
        self._look_at_ask(asked.result())

    def _look_at_ask(self, ask_id: int) -> None:
        """Tell the thread what became of an ask, once it is settled or forgotten."""
        ask = self.app_context.services.queries.ask(ask_id)
        if ask is None or ask.state != "asked":
            before = self._asks.pop(ask_id)
            self.thread.load_ended(before, "" if ask is None else ask.reason)

    def panes(self) -> tuple[Pane, ...]:
        return (self.list, self.thread, self.facts)

    def target_in(self, pane: Pane) -> Widget:
        return {"conversations": self.list.rows, "thread": self.thread.rows, "facts": self.facts.tasks}[
            str(pane.id)
        ]
