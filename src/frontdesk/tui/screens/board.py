"""The board: a column for each status, custom ones included, in configured order.

A card that is moved is in its new column at once, with the cursor on it, so that of several keys in a
burst each works on that card; the store says the same a moment later.
"""

import time
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.timer import Timer
from textual.widget import Widget

from frontdesk.contract.ids import ConversationId, StatusId, TaskId
from frontdesk.present.conversations import name_of
from frontdesk.present.lines import Role, span
from frontdesk.store import feed
from frontdesk.store.filtering import TaskFilter
from frontdesk.store.presence import Looking
from frontdesk.store.records import Event, TaskRecord
from frontdesk.text import Shown, own, show_line
from frontdesk.tui.deeds import Deeds
from frontdesk.tui.keymap import Keymap, bindings_for
from frontdesk.tui.narrowing import Narrowing
from frontdesk.tui.panes.column import Column
from frontdesk.tui.panes.columns import Columns
from frontdesk.tui.panes.task_detail import TaskDetail
from frontdesk.tui.room import Room
from frontdesk.tui.safe import notify
from frontdesk.tui.screens.desk_screen import DeskScreen
from frontdesk.tui.settled import when_settled
from frontdesk.tui.widgets.line_page import LinePage
from frontdesk.tui.widgets.note_bar import NoteBar
from frontdesk.tui.widgets.row_list import RowList

NO_STATUS = StatusId("")
"""Where tasks are that came without a status that is text; a column of its own when there are some."""

WIDE, DETAIL_WIDTH = 140, 48
"""From so many cells on the detail stands beside the columns, and how many it takes then."""

FOLLOW_SECONDS = 0.15
"""How long the cursor rests on a card before an open detail shows it."""

READ_AGAIN_SECONDS, READ_AGAIN_SHARE = 0.25, 20
"""The columns are read at most this often while events keep coming, and rest so many times as long as
that took."""

NO_STATUS_WORDS = "(no status)"


class BoardScreen(Deeds, DeskScreen):
    """Mode 2."""

    context = "board"
    has_marks = True
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("board")]
    CSS = """
    BoardScreen #columns { height: 1fr; width: 1fr; }
    BoardScreen #detail { display: none; width: 1fr; }
    BoardScreen.-detail #columns { display: none; }
    BoardScreen.-detail #detail { display: block; }
    BoardScreen.-detail.-wide #columns { display: block; }
    BoardScreen.-detail.-wide #detail { width: 48; }
    """

    def __init__(self, room: Room, keymap: Keymap):
        super().__init__(room, keymap)
        kept = room.desk.kept_view(self.context)
        self._kept: dict[str, object] = kept if isinstance(kept, dict) else {}
        self._narrowing = Narrowing(room, self._kept.get("filter"))
        self._filter_bar = NoteBar(id="filter")
        self._filter_draft = ""
        self._detail = TaskDetail(room)
        self._moves: dict[TaskId, StatusId] = {}
        self._at: Column | None = None
        self._rest: Timer | None = None
        self._is_stale = False
        self._follow: Timer | None = None

    def compose_body(self) -> ComposeResult:
        board = self.room.desk.reads.task_counts()
        named = [(each.id, each.name) for each in self.room.desk.catalogue.statuses(board)]
        if board.get(NO_STATUS):
            named.append((NO_STATUS, NO_STATUS_WORDS))
        columns = [Column(self.room, status, name, self._moves) for status, name in named]
        self._row = Columns(columns, lambda: self._column, self.room.glyphs)
        # Before the first layout, so that the column that was left last can be scrolled to after it.
        self._share_width(self.app.size.width)
        yield self._filter_bar
        with Horizontal(classes="body"):
            yield self._row
            yield self._detail

    def on_mount(self) -> None:
        self._read_again()
        self._put_back()

    def on_resize(self, event: events.Resize) -> None:
        self._share_width(event.size.width)
        if self._is_detail_open and not self._has_room_beside:
            self._detail.page.focus()

    def on_descendant_focus(self) -> None:
        self._at = self._column
        self._row.bring_into_sight(self._column)
        self._follow_soon()

    def on_screen_suspend(self) -> None:
        self.keep_place()

    def home(self) -> Widget:
        left = self._kept.get("status")
        return next((each.cards for each in self._row.all if each.status == left), self._row.all[0].cards)

    def keep_place(self) -> None:
        """Remember the filter, the column, and in each column the card and its line of the screen."""
        if not self._is_made:
            return
        place: dict[str, object] = {
            "filter": self._narrowing.kept,
            "status": self._column.status,
            "cards": {
                each.status: [each.cards.cursor_key, each.cards.cursor_line]
                for each in self._row.all
                if each.cards.cursor_key is not None
            },
        }
        if place != self._kept:
            self._kept = place
            self.room.desk.keep_view(self.context, place)

    def marked(self) -> int:
        return sum(len(column.cards.marks) for column in self._row.all)

    def task_targets(self) -> tuple[TaskId, ...]:
        """The marked cards of all columns, else the card under the cursor."""
        marked = [key for column in self._row.all if column.cards.marks for key in column.cards.targets]
        if marked:
            return tuple(TaskId(key) for key in marked)
        key = self._key
        return () if key is None else (key,)

    def conversation_targets(self) -> tuple[ConversationId, ...]:
        targets = self.task_targets()
        known = self.room.desk.reads.tasks_among(targets)
        found = (known[each].conversation_id for each in targets if each in known)
        return tuple(dict.fromkeys(each for each in found if each is not None))

    def conversation_name(self, conversation_id: ConversationId) -> Shown:
        record = self.room.desk.reads.conversation(conversation_id)
        return show_line(conversation_id, 60) if record is None else name_of(record)

    def raw_record(self) -> tuple[str, object] | None:
        return None if self._card is None else ("Task", self._card.raw)

    def copied_id(self) -> str | None:
        return self._key

    def looking(self) -> Looking:
        return Looking(screen=self.context, tasks_of=self._narrowing.filter.scope.key)

    def say_profile(self) -> None:
        """Say whose desk this is, and which lines it shows."""
        name = show_line(self.room.desk.profile.name, 40)
        separator = span(self.room.glyphs.separator, Role.DIM)
        self._title_bar.set_right((span(name, Role.DIM), separator, *self._narrowing.header()))

    def go_back(self) -> bool:
        if self._is_detail_open:
            self._close_detail()
            return True
        return False

    def drop_filter(self) -> bool:
        if self._narrowing.filter:
            self._narrow(TaskFilter())
            return True
        return False

    def show_changes(self, events: frozenset[Event]) -> None:
        self._detail.store_changed(events)
        kinds = {event.kind for event in events}
        if feed.EVERYTHING not in events and not kinds & {feed.TASK, feed.FILTER}:
            if feed.HEALTH in kinds:
                self._show()  # why nothing is there yet
            return
        self._read_again_soon()
        touched = {event.id for event in events if event.kind == feed.TASK}
        for column in self._row.all:
            if feed.EVERYTHING in events:
                column.cards.redraw()
            else:
                column.cards.refresh_keys(touched)

    def on_row_list_marked(self, event: RowList.Marked) -> None:
        event.stop()
        self.say_status()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Enter opens the card's detail; where it is open, its conversation in the inbox."""
        event.stop()
        if self._is_detail_open and self._detail.task_id == event.key:
            self._open_conversation()
        else:
            self._open_detail(TaskId(event.key))

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if event.row_list is self._column.cards:
            self._follow_soon()

    def on_line_page_chosen(self, event: LinePage.Chosen) -> None:
        event.stop()
        self._open_conversation()

    def action_find(self) -> None:
        from frontdesk.desk.task_filter import parse
        from frontdesk.tui.dialogs.dialog import Closed, Done

        names = self._narrowing.names()
        dialog = self._narrowing.dialog(names, self._card, self._filter_draft or self._narrowing.typed(names))

        def answered(result: Done[str] | Closed | None) -> None:
            self._filter_draft = result.draft if isinstance(result, Closed) else ""
            if isinstance(result, Done):
                self._narrow(parse(result.value, names))

        self.app.push_screen(dialog, answered)

    def action_next_pane(self) -> None:
        self._step_column(1)

    def action_previous_pane(self) -> None:
        self._step_column(-1)

    def action_pane_right(self) -> None:
        self._step_column(1)

    def action_pane_left(self) -> None:
        self._step_column(-1)

    def action_move_right(self) -> None:
        self._move_card(1)

    def action_move_left(self) -> None:
        self._move_card(-1)

    @property
    def _column(self) -> Column:
        """The column with the focus, else the one that had it last."""
        focused = self.focused
        found = next((column for column in self._row.all if column.cards is focused), None)
        return found or self._at or self._row.all[0]

    @property
    def _key(self) -> TaskId | None:
        """The task that a key works on."""
        if self.focused is self._detail.page:
            return self._detail.task_id
        key = self._column.cards.cursor_key
        return None if key is None else TaskId(key)

    @property
    def _card(self) -> TaskRecord | None:
        return None if self._key is None else self.room.desk.reads.task(self._key)

    @property
    def _is_detail_open(self) -> bool:
        return self.has_class("-detail")

    @property
    def _has_room_beside(self) -> bool:
        return self.size.width >= WIDE

    def _open_detail(self, task_id: TaskId) -> None:
        self.add_class("-detail")
        self._detail.show_task(task_id)
        if self._has_room_beside:
            self._share_width(self.size.width)
        else:
            self.set_focus(self._detail.page)

    def _close_detail(self) -> None:
        self._stop_following()
        self.remove_class("-detail")
        self._share_width(self.size.width)
        self._go_to(self._column)

    def _follow_soon(self) -> None:
        self._stop_following()
        if self._is_detail_open:
            self._follow = self.set_timer(FOLLOW_SECONDS, self._follow_cursor)

    def _follow_cursor(self) -> None:
        if self._is_detail_open and self.focused is not self._detail.page:
            self._detail.show_task(self._key)

    def _stop_following(self) -> None:
        if self._follow is not None:
            self._follow.stop()
            self._follow = None

    def _open_conversation(self) -> None:
        task = self._card
        if task is None or task.conversation_id is None:
            notify(self.app, own("This task is linked to no conversation."))
        else:
            self.post_message(self.ConversationWanted(task.conversation_id))

    def _narrow(self, wanted: TaskFilter) -> None:
        """Filter by something else; the focus goes to a column with a card."""
        self._narrowing.narrow(wanted)
        self._show()
        self._say_filter()
        if not self._column.cards.keys:
            self._go_to(next((each for each in self._row.all if each.cards.keys), self._column))
        self.keep_place()
        self.post_message(self.LookingChanged())

    def _say_filter(self) -> None:
        self._filter_bar.say(*self._narrowing.bar())
        self.say_profile()

    def _read_again_soon(self) -> None:
        """At once after a pause; while events keep coming, after a rest: a filter or who went far down a
        column has every task looked at."""
        self._is_stale = True
        if self._rest is None:
            began = time.monotonic()
            self._read_again()
            rest = READ_AGAIN_SHARE * (time.monotonic() - began)
            self._rest = self.set_timer(max(READ_AGAIN_SECONDS, rest), self._rested)

    def _rested(self) -> None:
        self._rest = None
        if self._is_stale:
            self._read_again_soon()

    def _read_again(self) -> None:
        self._is_stale = False
        self._narrowing.read()
        self._say_filter()
        self._show()

    def _show(self) -> None:
        """Every column with what it has now, the cards on their way among them."""
        board = self._counts()
        unknown = set(board) - {column.status for column in self._row.all}
        if unknown:
            self._add_columns(unknown)
        marks = {key for column in self._row.all for key in column.cards.marks}
        listed, empty = self._narrowing.listed, self._narrowing.why_empty()
        for column in self._row.all:
            through = None if listed is None else listed.get(column.status, [])
            column.read(board.get(column.status, 0), through, empty)
        lost = marks.difference(*(column.cards.marks for column in self._row.all))
        if lost:
            # Marks are the person's, wherever a card has gone.
            for column in self._row.all:
                column.take_marks(lost)

    def _counts(self) -> dict[StatusId, int]:
        """How many tasks are in each status, with those on their way where they go."""
        counts = self.room.desk.reads.task_counts()
        for task_id, status in self._moves.items():
            task = self.room.desk.reads.task(task_id)
            if task is not None and task.status != status:
                counts[task.status] = counts.get(task.status, 0) - 1
                counts[status] = counts.get(status, 0) + 1
        return counts

    def _add_columns(self, statuses: set[StatusId]) -> None:
        """A status that no task had before: its column goes to the right."""
        names = self.room.desk.catalogue
        self._row.add(
            Column(self.room, each, names.status(each) if each else NO_STATUS_WORDS, self._moves)
            for each in sorted(statuses)
        )

    def _share_width(self, width: int) -> None:
        """The columns have what the detail leaves, where it is open and there is room beside it."""
        beside = self._is_detail_open and width >= WIDE
        self._row.share(width - DETAIL_WIDTH if beside else width)

    def _put_back(self) -> None:
        """Each cursor on the card where it was left."""
        cards = self._kept.get("cards")
        if not isinstance(cards, dict):
            return
        for column in self._row.all:
            match cards.get(column.status):
                case [str(key), int(line)] if column.show_card(TaskId(key)):
                    column.cards.put_back(key, line)

    def _step_column(self, step: int) -> None:
        """To the next column; beside the last one is the detail, where it is open."""
        columns, page = self._row.all, self._detail.page
        at = columns.index(self._column) + (step if self.focused is not page else min(step, 0) + 1)
        if at >= len(columns) and self._is_detail_open:
            self.set_focus(page)
        else:
            # At once: of keys in a burst each starts from the column that the one before it led to.
            self._go_to(columns[max(0, min(len(columns) - 1, at))])

    def _go_to(self, column: Column) -> None:
        self.set_focus(column.cards, scroll_visible=False)
        self._row.bring_into_sight(column)

    def _move_card(self, step: int) -> None:
        """One card goes with the cursor on it; of several the plan is shown, and marks go with them."""
        marked = [column for column in self._row.all if column.cards.marks]
        begin = marked[0] if len(marked) == 1 else self._column
        at = self._row.all.index(begin) + step
        while 0 <= at < len(self._row.all) and self._row.all[at].status == NO_STATUS:
            at += step  # a status can't be taken off a task
        if not 0 <= at < len(self._row.all) or (targets := self._targets()) is None:
            return
        if targets.count > 1:
            self.set_status(targets, self._row.all[at].status)
        else:
            self._move_one(targets.tasks[0], self._row.all[at])

    def _move_one(self, task: TaskRecord, to: Column) -> None:
        task_id, status = task.task_id, to.status
        self._moves[task_id] = status
        self._show()
        if self.focused is self._detail.page:
            self._at = to
        else:
            self._go_to(to)
        to.show_card(task_id)
        moved = self.room.desk.set_status([task_id], status)
        self.say(moved, f"→ {to.status_name.text}", self.task_name(task))
        when_settled(self.app, moved, lambda _: self._arrived(task_id, status))

    def _arrived(self, task_id: TaskId, status: StatusId) -> None:
        """The store knows of a move, or refused it; a later move of the same card is still on its way."""
        if self._moves.get(task_id) == status:
            del self._moves[task_id]
            self._read_again()
            for column in self._row.all:
                column.cards.refresh_keys([task_id])
