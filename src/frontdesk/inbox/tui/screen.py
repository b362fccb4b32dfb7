"""The inbox: known conversations, the thread of one, and facts about its customer."""

from collections.abc import Sequence
from concurrent.futures import Future
from functools import cached_property, partial
from typing import TYPE_CHECKING

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from frontdesk.inbox.commands import answer_change, read_change
from frontdesk.inbox.store.notes import TeamNote, content_of
from frontdesk.inbox.tui.conversation_follower import ConversationFollower, InboxPanes
from frontdesk.inbox.tui.conversation_pane import ConversationsPane
from frontdesk.inbox.tui.customer_pane import FactsPane
from frontdesk.inbox.tui.target_selection import TargetSelection
from frontdesk.inbox.tui.thread_pane import ThreadPane
from frontdesk.inbox.tui.thread_state import OlderRequests, position_as_json, position_from_json
from frontdesk.inbox.view.thread import NoteEntry
from frontdesk.outbox.batches import ActionResult
from frontdesk.outbox.verbs import RecordChange, Records
from frontdesk.service_clocks.clocks import needs_no_answer
from frontdesk.storage import change_feed, record_lookup
from frontdesk.storage.clients import Focus
from frontdesk.storage.records import (
    ConversationOrder,
    ConversationRecord,
    Event,
    Json,
    MessagePosition,
    RecordRef,
)
from frontdesk.tui.base_screen import RecordActions
from frontdesk.tui.context import AppContext
from frontdesk.tui.pane_switcher import MultiPaneScreen, PaneBackActions, PaneSwitcher
from frontdesk.tui.status_bar import NAMING, ScreenState, widget_context
from frontdesk_api import json_access
from frontdesk_api.contract.ids import ConversationId
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import trusted

if TYPE_CHECKING:
    from frontdesk.inbox.tui.date_jump import DateJump
    from frontdesk.inbox.tui.navigation import Navigation
    from frontdesk.inbox.tui.note_actions import HandOver, NoteActions
    from frontdesk.inbox.tui.replies import RunWorkflow
    from frontdesk.tasks.tui.actions import TaskActions


class InboxScreen(MultiPaneScreen):
    """The inbox screen, mode 1; what only keys need is made after its first frame, or for a key before that."""

    key_context = "inbox"
    has_marks = True
    pane_names = (("conversations", "Conversations"), ("thread", "Thread"), ("facts", "Customer"))
    DEFAULT_CSS = """
    InboxScreen #conversations { width: 40%; max-width: 96; }
    InboxScreen #facts { width: 34; }
    InboxScreen.-middle #conversations { width: 52%; }
    InboxScreen.-middle #facts { display: none; }
    InboxScreen.-middle.-at-facts #thread { display: none; }
    InboxScreen.-middle.-at-facts #facts { display: block; width: 1fr; }
    InboxScreen.-narrow Pane { display: none; width: 1fr; }
    InboxScreen.-narrow.-at-conversations #conversations { display: block; width: 1fr; max-width: 100%; }
    InboxScreen.-narrow.-at-thread #thread { display: block; }
    InboxScreen.-narrow.-at-facts #facts { display: block; width: 1fr; }
    InboxScreen.-wide #target { display: none; }
    InboxScreen.-zoomed #target.-shown { display: block; }
    InboxScreen.-zoomed Pane { display: none; }
    InboxScreen.-zoomed.-at-conversations #conversations { display: block; width: 1fr; max-width: 100%; }
    InboxScreen.-zoomed.-at-thread #thread { display: block; width: 1fr; }
    InboxScreen.-zoomed.-at-facts #facts { display: block; width: 1fr; }
    InboxScreen.-alone.-at-conversations Pane { display: none; }
    InboxScreen.-alone.-at-conversations #conversations { display: block; width: 1fr; max-width: 100%; }
    """

    def __init__(
        self,
        app_context: AppContext,
        create_campaign: "RunWorkflow",
        hand_over: "HandOver",
    ):
        super().__init__(app_context)
        self._create_campaign, self._hand_over = create_campaign, hand_over
        left = self.saved_state
        order = str(left.get("order"))
        self._start_at = left.get("conversation")
        self.list = ConversationsPane(
            app_context,
            ConversationOrder(order) if order in set(ConversationOrder) else ConversationOrder.WAITING,
            view=str(left.get("view") or ""),
            filtered_by=str(left.get("filter") or ""),
        )
        self.thread = ThreadPane(app_context)
        if (read := position_from_json(left.get("thread"))) is not None:
            self.thread.positions.put(*read)
        self.facts = FactsPane(app_context)
        self._panes = panes = InboxPanes(self.list, self.thread, self.facts)
        self.follower = ConversationFollower(self, panes)
        self.list.list_changed = self.follower.select_task
        self.targets = TargetSelection(
            self,
            panes,
            self.follower,
            lambda rows: self.task_actions.bulk.why_displaced(rows),
            is_named=lambda: any(map(self.status_bar.line.is_shown, NAMING)),
        )
        self.older_requests = OlderRequests(self, self._end_request)
        targets = {self.list: self.list.rows, self.thread: self.thread.rows, self.facts: self.facts.tasks}
        self.panes = PaneSwitcher(self, targets, self.pane_tabs)
        self.record_actions = InboxRecordActions(self)
        self.back_actions = InboxBackActions(self)
        self.status_bar.on_run_end = lambda batch: self.task_actions.bulk.runs.report_end(batch)
        self.status_bar.name_target = self.targets.name_target
        self.thread.show_filter(self.list.words)
        if left.get("preview") is False:
            self.add_class("-alone", update=False)

    @cached_property
    def task_actions(self) -> "TaskActions":
        from frontdesk.tasks.tui.actions import TaskActions

        row_lists = (self.list.rows, self.facts.tasks)
        return TaskActions(self, lambda: row_lists, lambda done: self.navigation.show_next(done.conversations))

    @cached_property
    def navigation(self) -> "Navigation":
        from frontdesk.inbox.tui.navigation import Navigation

        return Navigation(self, self._panes, self.follower, searched=str(self.saved_state.get("searched") or ""))

    @cached_property
    def date_jump(self) -> "DateJump":
        from frontdesk.inbox.tui.date_jump import DateJump

        return DateJump(self, self.thread)

    @cached_property
    def note_actions(self) -> "NoteActions":
        from frontdesk.inbox.tui.note_actions import HandOverParts, NoteActions

        due_dialog = partial(self.task_actions.due_dialog, keeps=True)
        return NoteActions(self, self._panes, self.follower, HandOverParts(due_dialog, self._hand_over))

    @cached_property
    def marks(self) -> "ConversationMarks":
        return ConversationMarks(self)

    def compose_body(self) -> ComposeResult:
        with Container(classes="body") as self._body:
            yield self.list

    def on_mount(self) -> None:
        if isinstance(self._start_at, str):
            self.list.show(ConversationId(self._start_at))

    async def first_painted(self) -> None:
        """Show the thread soon; the list can be used at once."""
        await self._body.mount(self.thread, self.facts)
        if not self.has_class("-alone"):
            self.follower.show_cursor()
        self.list.count_views()
        _ = self.marks, self.navigation, self.date_jump, self.note_actions

    def home(self) -> Widget:
        return self.list.rows

    def focus_report(self) -> Focus:
        return Focus(screen="inbox", conversation_id=self.thread.conversation_id or "")

    def state(self) -> ScreenState:
        listed, tasks, focused = self.list.rows, self.facts.tasks, self.focused
        pane = widget_context(focused)
        if focused is tasks:
            pane = "facts"
        elif pane == "thread" and self.thread.lacks_older:
            pane = "thread with more"
        is_of_tasks = self.targets.works_on_marked_tasks
        return ScreenState(
            pane,
            rows=listed,
            marked=len(tasks.marks if is_of_tasks else listed.marks),
            hidden_marks=0 if is_of_tasks else len(listed.hidden_marks),
            readable_thread=(self.thread.conversation_id or "") if self.thread.rows.region.height > 0 else "",
        )

    def show_changes(self, events: frozenset[Event]) -> None:
        self.list.store_changed(events)
        self.thread.store_changed(events)
        self.facts.store_changed(events)
        self.follower.mark_arrived()
        if self.thread.conversation_id is None or self.list.cursor is None:
            self.follower.catch_up()
        if any(event.kind in (change_feed.REQUEST, change_feed.EVERYTHING.kind) for event in events):
            self.older_requests.update()
        self.date_jump.update()

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        super().on_screen_resume(event)
        self.follower.mark_arrived()  # what came behind a dialog

    def on_conversations_pane_highlighted(self, event: ConversationsPane.Highlighted) -> None:
        event.stop()
        if event.conversation_id is None and not self.has_class("-alone"):
            self.follower.show_cursor()  # at once: what isn't listed must not look like what a key works on
        else:
            self.follower.follow_soon()

    def on_conversations_pane_opened(self, event: ConversationsPane.Opened) -> None:
        event.stop()
        self.follower.open(event.conversation_id)

    def on_conversations_pane_list_changed(self, event: ConversationsPane.ListChanged) -> None:
        event.stop()
        self.thread.show_filter(self.list.words)
        self.save_view_state()

    @on(ConversationsPane.MarksChanged)
    @on(FactsPane.MarksChanged)
    @on(FactsPane.VisibilityChanged)
    def _update_status(self, event: Message) -> None:
        event.stop()
        self.status_bar.update()

    @on(FactsPane.TaskHighlighted)
    @on(ThreadPane.OlderMissing)
    @on(ThreadPane.EndReached)
    def _follow_move(self, event: Message) -> None:
        event.stop()
        self.follower.show_task_in_row()
        self.status_bar.update_hints()
        self.follower.mark_arrived()

    def on_thread_pane_older_requested(self, event: ThreadPane.OlderRequested) -> None:
        event.stop()
        self.older_requests.request(event.conversation_id, event.before)

    def _end_request(self, before: MessagePosition, failed: str) -> None:
        self.thread.load_ended(before, failed)
        self.date_jump.update()

    def on_thread_pane_message_chosen(self, event: ThreadPane.MessageChosen) -> None:
        event.stop()
        from frontdesk.inbox.tui.dialogs import show_full_message, show_full_note

        if isinstance(event.entry, NoteEntry):
            show_full_note(self, event.entry.note)
        else:
            show_full_message(self, event.entry, self.thread.renderer.parties)

    def on_descendant_focus(self) -> None:
        self.panes.note_focus()
        self.follower.mark_arrived()  # also when the terminal has the focus again
        if self.focused is not self.list.rows:
            self.list.rows.hold_cursor()
        if self.facts.tasks.marks:
            self.status_bar.update()  # it may be other marks that count from here

    def action_find(self) -> None:
        self.panes.focus_pane(self.list)
        self.list.begin_typing()

    def action_task(self, name: str) -> None:
        if name == "mark_again":
            self.task_actions.bulk.mark_again(self.list.read_again)
        else:
            self.task_actions.run(name, self.targets.current)

    def action_navigate(self, name: str) -> None:
        self.navigation.run(name)

    def action_list(self, name: str) -> None:
        if name == "save_view":
            from frontdesk.inbox.tui.view_sharing import save_view

            save_view(self, self.list)
        else:
            self.list.run(name)

    def action_preview(self) -> None:
        """Show or hide the list's preview. The list alone costs no byte for threads; enter still opens one."""
        self.toggle_class("-alone")
        self.panes.focus_pane(self.list)
        self.save_view_state()
        self.status_bar.update_hints()
        if not self.has_class("-alone"):
            self.follower.show_cursor()

    def action_thread(self, name: str) -> None:
        self.follower.catch_up()
        if name == "open_link":
            from frontdesk.inbox.tui.dialogs import open_links

            open_links(self, self.thread.message_at_cursor or {})
        elif name == "go_to_date":
            self.date_jump.ask()
        elif name == "export":
            from frontdesk.inbox.tui.export_action import export_thread

            if (record := self.follower.shown_record()) is None:
                self.task_actions.bulk.refuse(trusted(self.targets.current().no_conversation))
            else:
                export_thread(self, record)
        elif not self.thread.load_older():
            notify(self.app, trusted("No missing messages before this one."), timeout_seconds=2)

    def action_team(self, name: str) -> None:
        self.note_actions.run(name)

    def action_answer(self, name: str) -> None:
        """Offer the config's replies, or a campaign with one recipient, as messages can't be sent."""
        record = self.follower.shown_record()
        if record is None:
            self.task_actions.bulk.refuse(trusted(self.targets.current().no_conversation))
        elif name == "reply":
            from frontdesk.inbox.tui.replies import open_replies

            open_replies(self, record, self._create_campaign)
        else:
            self._create_campaign(self, record, None)

    def action_mark(self, name: str) -> None:
        if not (selection := self.targets.current()).conversations:
            notify(self.app, trusted(selection.no_conversation), severity="warning")
            return
        (self.marks.toggle_read if name == "read" else self.marks.toggle_answer)()

    def view_state(self) -> dict[str, object]:
        return {
            "order": str(self.list.order),
            "view": self.list.view.name,
            "filter": self.list.filtered_by,
            "searched": self.navigation.searched,
            "preview": not self.has_class("-alone"),
            "conversation": None if self.list.rows.follows_first else self.list.cursor,
            "thread": position_as_json(self.thread.conversation_id, self.thread.position()),
        }


class ConversationMarks:
    """Marks the targets of a key, in frontdesk only."""

    def __init__(self, screen: InboxScreen) -> None:
        self._screen, self._bulk = screen, screen.task_actions.bulk
        self._store = screen.app_context.store
        self._db = self._store.reading
        self._unwritten: dict[tuple[str, ConversationId], tuple[Future[ActionResult], bool]] = {}
        """By mark and conversation whether keys have set it, until that is written."""

    def toggle_read(self) -> None:
        """Mark them as read where any is unread, else as unread."""
        ids = self._screen.targets.current().conversations
        seen = self._stored(ids)
        is_read = any(self._will_be("unread", each.conversation_id, each.unread > 0) for each in seen)
        self._set("unread", read_change(self._store, ids, is_read=is_read), not is_read)

    def toggle_answer(self) -> None:
        """Mark that no answer is needed where anybody waits for one, else that it is."""
        ids = self._screen.targets.current().conversations
        seen = self._stored(ids)
        waiting = (self._will_be("waiting", each.conversation_id, each.waiting_since is not None) for each in seen)
        needs_answer = not any(waiting)
        is_marked = any(
            needs_no_answer(self._db, each) or not self._will_be("waiting", each, True) for each in ids
        )
        if needs_answer and not is_marked:
            self._bulk.refuse(trusted("No one is waiting for an answer here."), severity="information")
            return
        self._set("waiting", answer_change(seen, needs_answer=needs_answer), needs_answer)

    def _set(self, mark: str, change: RecordChange, is_set: bool) -> None:
        selection = self._screen.targets.current()

        def apply(records: Records) -> None:
            if mark == "waiting":
                self._screen.list.hold_place()
            written = self._bulk.apply(change, selection, records)
            self._unwritten |= {(mark, each): (written, is_set) for each in selection.conversations}

        self._bulk.do(change, selection, apply, is_named=False)

    def _stored(self, ids: Sequence[ConversationId]) -> list[ConversationRecord]:
        """Read the conversations, and forget which marks were unwritten if the store has them by then."""
        # First, since the store must have what is dropped here when the query below runs.
        self._unwritten = {key: value for key, value in self._unwritten.items() if not value[0].done()}
        return record_lookup.conversations(self._db, ids)

    def _will_be(self, mark: str, here: ConversationId, is_stored: bool) -> bool:
        """Return whether a mark is set once what the keys before have set is written."""
        return self._unwritten[mark, here][1] if (mark, here) in self._unwritten else is_stored


class InboxBackActions(PaneBackActions):
    """Goes back through marks of tasks, a search for a date or words, and the panes."""

    def __init__(self, screen: InboxScreen) -> None:
        super().__init__(screen, screen.list.end_typing)
        self._inbox = screen

    @property
    def is_visit(self) -> bool:
        inbox = self._inbox
        return (
            inbox.navigation.is_visit and not inbox.date_jump.is_loading and not isinstance(inbox.focused, Input)
        )

    def navigate_back(self) -> bool:
        if self._inbox.targets.works_on_marked_tasks:
            self._inbox.facts.tasks.action_clear_marks()
            return True
        if self._inbox.date_jump.stop() or self._inbox.navigation.end_search():
            return True
        return super().navigate_back()


class InboxRecordActions(RecordActions):
    """Record actions on the message under the thread's cursor, else on the task or conversation shown."""

    def __init__(self, screen: InboxScreen) -> None:
        super().__init__(screen, screen.app_context)
        self._inbox, self._db = screen, screen.app_context.store.reading

    @property
    def message(self) -> Json | None:
        return self._inbox.thread.message_at_cursor if self._inbox.panes.is_at(self._inbox.thread) else None

    @property
    def note(self) -> TeamNote | None:
        return self._inbox.thread.note_at_cursor if self._inbox.panes.is_at(self._inbox.thread) else None

    def raw(self) -> tuple[str, object] | None:
        self._inbox.follower.catch_up()
        if (note := self.note) is not None:
            return "Note", content_of(note)
        if (message := self.message) is not None:
            return "Message", message
        targets = self._inbox.facts.task_targets
        task = record_lookup.task(self._db, targets[0]) if targets else None
        return None if task is None else ("Task", task.raw)

    def selected(self) -> list[RecordRef]:
        found = self._inbox.targets.current()
        if self._inbox.targets.works_on_marked_tasks:
            return [RecordRef("task", each) for each in found.tasks]
        is_shown = found.conversations == (self._inbox.thread.conversation_id,)
        message_id = json_access.text((self.message or {}).get("messageId")) if is_shown else ""
        return [RecordRef("conversation", each, message_id) for each in found.conversations]

    def copied_id(self) -> str | None:
        self._inbox.follower.catch_up()
        if self._inbox.panes.is_at(self._inbox.facts) and (task_id := self._inbox.facts.tasks.cursor_key):
            return task_id
        shown = self._inbox.thread.conversation_id
        record = shown and record_lookup.conversation(self._db, shown)
        return None if not record else record.number or record.conversation_id

    def copy_id(self) -> None:
        if (note := self.note) is not None:
            self.copy_text(note.text, trusted("Note"))
        elif (message := self.message) is None:
            super().copy_id()
        else:
            from frontdesk.inbox.tui.dialogs import copy_message

            copy_message(self._inbox, message)

    def refresh_target(self) -> str | None:
        self._inbox.follower.catch_up()
        return self._inbox.thread.conversation_id
