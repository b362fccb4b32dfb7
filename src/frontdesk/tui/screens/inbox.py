"""The inbox: known conversations, the thread of one, and what is known of its customer.

The thread follows the cursor after a short pause, so that a held key sends only the list's bytes.
"""

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.timer import Timer
from textual.widget import Widget

from frontdesk.contract.ids import ConversationId, CustomerId, LineId, TaskId
from frontdesk.desk.finding import Found, grown
from frontdesk.present.conversations import name_of
from frontdesk.present.lines import EMPTY, Line, Role, span
from frontdesk.present.messages import text_of
from frontdesk.store import feed
from frontdesk.store.presence import Looking
from frontdesk.store.records import Event, MessageKey, Order
from frontdesk.text import NOTHING, Shown, own, show_line
from frontdesk.tui.deeds import Deeds
from frontdesk.tui.keymap import Keymap, bindings_for
from frontdesk.tui.panes.conversations import ConversationsPane
from frontdesk.tui.panes.facts import FactsPane
from frontdesk.tui.panes.thread import ThreadPane, place_as_json, place_from_json
from frontdesk.tui.room import Room
from frontdesk.tui.safe import notify
from frontdesk.tui.screens.desk_screen import DeskScreen
from frontdesk.tui.widgets.pane import Pane

if TYPE_CHECKING:
    from frontdesk.desk.numbers import Pair
    from frontdesk.tui.dialogs.search import ChosenHit

FOLLOW_SECONDS = 0.15
"""How long the cursor rests on a conversation before its thread is shown."""

JUMP_ROWS = 50
"""So many conversations are listed at most to jump to."""

WAY_BACK_MOST = 50
"""So many places at most are kept to go back to."""

ORDERS = tuple(Order)


class InboxScreen(Deeds, DeskScreen):
    """Mode 1."""

    context = "inbox"
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

    def __init__(self, room: Room, keymap: Keymap):
        super().__init__(room, keymap)
        kept = room.desk.kept_view("inbox")
        left = kept if isinstance(kept, dict) else {}
        order = left.get("order")
        self._start_at = left.get("conversation")
        self.list = ConversationsPane(
            room,
            Order(order) if order in set(Order) else Order.WAITING,
            view=str(left.get("view") or ""),
            filtered_by=str(left.get("filter") or ""),
        )
        self.thread = ThreadPane(room)
        if (read := place_from_json(left.get("thread"))) is not None:
            self.thread.remember(*read)
        self.facts = FactsPane(room)
        self._way_back: list[ConversationId] = []
        self._search: tuple[Found, int] | None = None
        self._words_typed = {"search": str(left.get("searched") or "")}
        self._follow: Timer | None = None
        self._cursor_then: ConversationId | None = None
        self._asks: dict[int, MessageKey] = {}
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

    def looking(self) -> Looking:
        return Looking(screen="inbox", conversation_id=self.thread.conversation_id or "")

    def reading(self) -> str:
        is_seen = self.thread.rows.region.height > 0
        return (self.thread.conversation_id or "") if is_seen else ""

    def marked(self) -> int:
        return len(self.list.rows.marks)

    def task_targets(self) -> tuple[TaskId, ...]:
        """Of marked conversations their most urgent open task each; else the task beside the thread."""
        if not self.list.rows.marks:
            self._catch_up()
            return self.facts.task_targets
        return tuple(self.room.desk.reads.most_urgent(self.list.targets).values())

    def taskless_targets(self) -> tuple[ConversationId, ...]:
        """The marked conversations that no task is known for."""
        marked = self.list.targets if self.list.rows.marks else ()
        with_task = self.room.desk.reads.most_urgent(marked)
        return tuple(each for each in marked if each not in with_task)

    def conversation_targets(self) -> tuple[ConversationId, ...]:
        """The marked conversations, else the open one."""
        if self.list.rows.marks:
            return self.list.targets
        self._catch_up()
        opened = self.thread.conversation_id
        return () if opened is None else (opened,)

    def conversation_name(self, conversation_id: ConversationId) -> Shown:
        """What to call a conversation in a dialog."""
        record = self.room.desk.reads.conversation(conversation_id)
        return NOTHING if record is None else name_of(record)

    def no_task_words(self) -> str:
        return "No task is known for this conversation, and the platform's interface can't create one."

    def raw_record(self) -> tuple[str, object] | None:
        self._catch_up()
        if self.has_class("-at-thread") and (message := self.thread.message_at_cursor) is not None:
            return "Message", message
        task = self.room.desk.reads.task(self.facts.task_targets[0]) if self.facts.task_targets else None
        return None if task is None else ("Task", task.raw)

    def copied_id(self) -> str | None:
        self._catch_up()
        record = self.thread.conversation_id and self.room.desk.reads.conversation(self.thread.conversation_id)
        return None if not record else record.number or record.conversation_id

    def refresh_target(self) -> str:
        self._catch_up()
        return self.thread.conversation_id or ""

    def show_changes(self, events: frozenset[Event]) -> None:
        self.list.store_changed(events)
        self.thread.store_changed(events)
        self.facts.store_changed(events)
        if self.thread.conversation_id is None and self.list.cursor is not None:
            self._show(self.list.cursor)
        if self._asks and any(event.kind in (feed.ASK, feed.EVERYTHING.kind) for event in events):
            for ask_id in tuple(self._asks):
                self._look_at_ask(ask_id)

    def go_back(self) -> bool:
        if self.list.end_filter() or self._end_search():
            return True
        if self.has_class("-zoomed"):
            self.remove_class("-zoomed")
            return True
        if not self.has_class("-at-conversations"):
            self._go_to(self.list)
            return True
        return False

    def open_conversation(self, conversation_id: ConversationId) -> None:
        """Show a conversation, wherever the cursor was; `N` leads back to where that was."""
        if conversation_id != self.list.cursor:
            self._remember_here()
        self.list.show(conversation_id)
        self._show(conversation_id)

    def open_pair(self, line_id: LineId, customer_id: CustomerId) -> None:
        """Open a conversation that no task names, by its line and its customer."""
        opened = self.room.desk.open_conversation(line_id, customer_id)
        opened.add_done_callback(lambda done: self.app.call_later(self._opened_pair, done))

    def on_conversations_pane_highlighted(self, event: ConversationsPane.Highlighted) -> None:
        event.stop()
        self._stop_following()
        if event.conversation_id is not None and not self.has_class("-alone"):
            self._follow = self.set_timer(FOLLOW_SECONDS, self._follow_cursor)

    def on_conversations_pane_opened(self, event: ConversationsPane.Opened) -> None:
        event.stop()
        self._show(event.conversation_id)
        self.room.desk.mark_read(event.conversation_id)
        self._go_to(self.thread)

    def on_conversations_pane_list_changed(self, event: ConversationsPane.ListChanged) -> None:
        event.stop()
        self.keep_place()

    def on_conversations_pane_marks_changed(self, event: ConversationsPane.MarksChanged) -> None:
        event.stop()
        self.say_status()

    def on_thread_pane_older_wanted(self, event: ThreadPane.OlderWanted) -> None:
        event.stop()
        asked = self.room.desk.ask_older(event.conversation_id, event.before)
        asked.add_done_callback(lambda done: self.app.call_later(self._asked, done, event.before))

    def on_thread_pane_message_chosen(self, event: ThreadPane.MessageChosen) -> None:
        event.stop()
        from frontdesk.tui.opening import show_whole

        show_whole(self, event.spoken, self.thread.told.parties)

    def on_descendant_focus(self) -> None:
        pane = self._pane_of(self.focused)
        if pane is not None:
            self._note_pane(pane)

    def focused_pane(self) -> str:
        return "facts" if self.focused is self.facts.tasks else super().focused_pane()

    def show_pane(self, pane: str) -> None:
        self._go_to(next(each for each in self._panes() if each.id == pane))

    def action_next_pane(self) -> None:
        self._step_pane(1)

    def action_previous_pane(self) -> None:
        self._step_pane(-1)

    def action_pane_right(self) -> None:
        self._step_pane(1, around=False)

    def action_pane_left(self) -> None:
        self._step_pane(-1, around=False)

    def action_find(self) -> None:
        self._go_to(self.list)
        self.list.begin_filter()

    def action_find_next(self) -> None:
        if self._search is not None:
            self._step_hit(1)
            return
        here = self.list.cursor
        if (found := self.list.next_unread()) is None:
            notify(self.app, own("Nothing else is unread in this view."))
        elif here is not None and here != found:
            self._way_back = [*self._way_back[1 - WAY_BACK_MOST :], here]

    def action_find_previous(self) -> None:
        """The hit before; without a search back to where one came from, step by step."""
        if self._search is not None:
            self._step_hit(-1)
            return
        while self._way_back:
            if (before := self._way_back.pop()) != self.list.cursor:
                self.list.show(before)
                return
        notify(self.app, own("There is no way further back."))

    def action_step_view(self, step: int) -> None:
        self.list.step_view(step)

    def action_preview(self) -> None:
        """The list alone costs no byte for threads; enter still opens one."""
        self.toggle_class("-alone")
        self._go_to(self.list)
        self.keep_place()
        if not self.has_class("-alone"):
            self._follow_cursor()

    def action_sort(self) -> None:
        order = ORDERS[(ORDERS.index(self.list.order) + 1) % len(ORDERS)]
        self.list.sort(order)

    def action_open_pair(self) -> None:
        from frontdesk.tui.dialogs.open_pair import OpenPairDialog

        desk = self.room.desk
        ids = dict.fromkeys((*desk.profile.lines, *desk.reads.lines_seen()))
        lines = {each: show_line(desk.catalogue.line(each), 40) for each in ids}
        here = self.list.cursor and desk.reads.conversation(self.list.cursor)
        line_id = here.line_id if here else None
        dialog = OpenPairDialog(lines, line_id=line_id, draft=self._words_typed.get("pair", ""))
        self.app.push_screen(dialog, partial(self._answered, "pair", self._open_typed))

    def action_jump(self) -> None:
        from frontdesk.present.search import found_row
        from frontdesk.tui.dialogs.jump import JumpDialog

        reads = self.room.desk.reads

        def find(typed: str) -> list[ConversationId]:
            return [hit.conversation_id for hit in reads.jump(typed, JUMP_ROWS) if hit.conversation_id is not None]

        def draw(conversation_id: ConversationId, width: int) -> Line:
            record = reads.conversation(conversation_id)
            return EMPTY if record is None else found_row(record, width, self.room.view())

        listed = map(ConversationId, self.list.rows.keys[:JUMP_ROWS])
        recent = [*dict.fromkeys((*reversed(self._way_back), *listed))][:JUMP_ROWS]
        dialog = JumpDialog(find, draw, recent, draft=self._words_typed.get("jump", ""))
        self.app.push_screen(dialog, partial(self._answered, "jump", self._open_jumped))

    def action_search(self) -> None:
        from frontdesk.tui.dialogs.search import SearchDialog

        dialog = SearchDialog(self.room, draft=self._words_typed.get("search", ""))
        self.app.push_screen(dialog, partial(self._answered, "search", self._open_chosen))

    def action_load_older(self) -> None:
        self._catch_up()
        self.thread.load_older()

    def action_copy_id(self) -> None:
        message = self.thread.message_at_cursor if self.has_class("-at-thread") else None
        if message is None:
            super().action_copy_id()
        else:
            self._copy(text_of(message), own("The message"))

    def action_open_link(self) -> None:
        from frontdesk.tui.opening import open_links

        self._catch_up()
        open_links(self, self.thread.message_at_cursor or {})

    def action_toggle_read(self) -> None:
        for conversation_id in self.conversation_targets():
            record = self.room.desk.reads.conversation(conversation_id)
            if record is not None and record.unread:
                self.room.desk.mark_read(conversation_id)
            else:
                self.room.desk.mark_unread(conversation_id)

    def action_zoom(self) -> None:
        self.toggle_class("-zoomed")

    def keep_place(self) -> None:
        """Remember where this screen was left."""
        left = {
            "order": str(self.list.order),
            "view": self.list.view.name,
            "filter": self.list.filtered_by,
            "searched": self._words_typed.get("search", ""),
            "preview": not self.has_class("-alone"),
            "conversation": self.list.cursor,
            "thread": place_as_json(self.thread.conversation_id, self.thread.place()),
        }
        self.room.desk.keep_view("inbox", left)

    def _answered(self, name: str, then: Callable[[Any], None], answer: object) -> None:
        """A dialog was closed: what was typed is kept for the next time where it was not taken."""
        self._words_typed[name] = getattr(answer, "draft", "")
        if (value := getattr(answer, "value", None)) is not None:
            then(value)

    def _open_typed(self, pair: "Pair") -> None:
        if pair.line_id is not None:
            self.open_pair(pair.line_id, pair.customer_id)

    def _open_jumped(self, conversation_id: ConversationId) -> None:
        self.open_conversation(conversation_id)
        self._go_to(self.list)

    def _open_chosen(self, chosen: "ChosenHit") -> None:
        self._words_typed["search"] = chosen.found.words
        self._remember_here()
        self._open_hit(chosen.found, chosen.place)
        self.keep_place()

    def _open_hit(self, found: Found, place: int) -> None:
        """Open the thread of a hit at the message, with the words told apart."""
        self._search, hit = (found, place), found.hits[place]
        if hit.conversation_id is None:
            notify(self.app, own("This task belongs to no conversation; the board (2) has it."))
        else:
            self.list.show(hit.conversation_id)
            if hit.key is not None:
                self._stop_following()
                self._cursor_then = self.list.cursor
                self.thread.open_at(hit.conversation_id, hit.key, found.words)
                self.facts.open(hit.conversation_id)
                self.post_message(self.LookingChanged())
            else:
                self._show(hit.conversation_id)
            self._go_to(self.thread if hit.key is not None else self.list)
        more = "+" if found.can_grow else ""
        self.list.say_search((span(f"hit {place + 1} of {len(found.hits)}{more} · n N · esc ends", Role.ACCENT),))

    def _step_hit(self, step: int) -> None:
        if self._search is None:
            return
        found, place = self._search
        if place + step >= len(found.hits) and found.can_grow:
            found = grown(self.room.desk.reads, found)
        if 0 <= place + step < len(found.hits):
            self._open_hit(found, place + step)
        else:
            notify(self.app, own("That was the last hit." if step > 0 else "That was the first hit."))

    def _end_search(self) -> bool:
        """Take the highlights off; False where no search is on."""
        if self._search is None:
            return False
        self._search = None
        self.list.say_search(EMPTY)
        self.thread.open(self.thread.conversation_id)
        return True

    def _remember_here(self) -> None:
        """`N` leads back to where the cursor is."""
        if (here := self.list.cursor) is not None and here not in self._way_back[-1:]:
            self._way_back = [*self._way_back[1 - WAY_BACK_MOST :], here]

    def _follow_cursor(self) -> None:
        if self.list.cursor is not None:
            self._show(self.list.cursor)

    def _catch_up(self) -> None:
        """Show the conversation under the cursor now: a key works on what the cursor is on, never on
        what it has just left."""
        cursor = self.list.cursor
        if cursor is not None and cursor != self._cursor_then:
            self._show(cursor)

    def _stop_following(self) -> None:
        if self._follow is not None:
            self._follow.stop()
            self._follow = None

    def _show(self, conversation_id: ConversationId) -> None:
        self._stop_following()
        self._cursor_then = self.list.cursor
        if conversation_id == self.thread.conversation_id:
            return
        self.thread.open(conversation_id)
        self.facts.open(conversation_id)
        self.post_message(self.LookingChanged())

    def _opened_pair(self, opened: Future[ConversationId]) -> None:
        error = opened.exception()
        if error is not None:
            notify(self.app, own(f"Not opened: {show_line(str(error)).text}"), severity="error")
            return
        self.open_conversation(opened.result())

    def _asked(self, asked: Future[int], before: MessageKey) -> None:
        error = asked.exception()
        if error is not None:
            self.thread.load_ended(before, str(error) or type(error).__name__)
            return
        self._asks[asked.result()] = before
        self._look_at_ask(asked.result())

    def _look_at_ask(self, ask_id: int) -> None:
        """Tell the thread what became of an ask, once it is settled or forgotten."""
        ask = self.room.desk.reads.ask(ask_id)
        if ask is None or ask.state != "asked":
            before = self._asks.pop(ask_id)
            self.thread.load_ended(before, "" if ask is None else ask.reason)

    def _panes(self) -> tuple[Pane, ...]:
        return (self.list, self.thread, self.facts)

    def _pane_of(self, widget: Widget | None) -> Pane | None:
        if widget is None:
            return None
        return next((pane for pane in self._panes() if pane in widget.ancestors_with_self), None)

    def _step_pane(self, step: int, *, around: bool = True) -> None:
        panes = self._panes()
        at = next((place for place, pane in enumerate(panes) if self.has_class(f"-at-{pane.id}")), 0)
        to = (at + step) % len(panes) if around else max(0, min(len(panes) - 1, at + step))
        self._go_to(panes[to])

    def _go_to(self, pane: Pane) -> None:
        # The class first: a pane that isn't displayed can't take the focus.
        self._note_pane(pane)
        target = {"conversations": self.list.rows, "thread": self.thread.rows, "facts": self.facts.tasks}
        target[str(pane.id)].focus()

    def _note_pane(self, pane: Pane) -> None:
        for each in self._panes():
            self.set_class(each is pane, f"-at-{each.id}")
        if self._pane_tabs is not None:
            self._pane_tabs.show(str(pane.id))
