"""The column, card and detail that the keys of the board work on."""

from typing import TYPE_CHECKING

from frontdesk.storage import record_lookup
from frontdesk.storage.records import TaskRecord
from frontdesk.tasks import store as task_store
from frontdesk.tasks.tui.panes import Column, Columns, TaskDetail
from frontdesk.tasks.tui.selection import Selection, TargetReason, loading_reason
from frontdesk.tui.base_screen import BaseScreen
from frontdesk_api.contract.ids import TaskId
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import trusted
from frontdesk_lines.widgets.row_list import RowList

if TYPE_CHECKING:
    from frontdesk.tasks.tui.screen import BoardScreen

WIDE, DETAIL_WIDTH = 140, 48
"""From so many cells on the detail is beside the columns, and how many it takes then."""


class BoardCursor:
    """Moves the focus between columns and detail, and finds the cards that a key works on."""

    def __init__(self, screen: "BoardScreen", detail: TaskDetail) -> None:
        self._screen, self._detail = screen, detail
        self._db = screen.app_context.store.reading
        self._last_column: Column | None = None

    @property
    def _columns(self) -> Columns:
        return self._screen.columns

    @property
    def row_lists(self) -> list[RowList]:
        return [column.cards for column in self._columns.all]

    @property
    def column(self) -> Column:
        """Return the focused column, else the last one that had the focus."""
        focused = self._screen.focused
        found = next((column for column in self._columns.all if column.cards is focused), None)
        return found or self._last_column or self._columns.all[0]

    @property
    def task_id(self) -> TaskId | None:
        if self.is_in_detail:
            return self._detail.task_id
        key = self.column.cards.cursor_key
        return None if key is None else TaskId(key)

    @property
    def task(self) -> TaskRecord | None:
        return None if (task_id := self.task_id) is None else record_lookup.task(self._db, task_id)

    @property
    def is_in_detail(self) -> bool:
        return self._screen.focused is self._detail.page

    @property
    def is_detail_open(self) -> bool:
        return self._screen.has_class("-detail")

    @property
    def fits_detail(self) -> bool:
        return self._screen.size.width >= WIDE

    def selection(self) -> Selection:
        """Return the marked cards of all columns, else the card under the cursor or in the detail."""
        marked = [key for each in self.row_lists if each.marks for key in each.targets]
        here = self.task_id
        tasks = tuple(map(TaskId, marked)) or (() if here is None else (here,))
        known = task_store.among(self._db, tasks)
        linked = [known[each].conversation_id for each in tasks if each in known]
        why = "" if self.is_in_detail else self._screen.task_actions.bulk.why_displaced(self.column.cards)
        loading = None if tasks else loading_reason(self._screen.app_context)
        return Selection(
            tasks,
            tuple(dict.fromkeys(each for each in linked if each is not None)),
            unlinked=linked.count(None),
            marks=frozenset(marked),
            unlisted=frozenset[str]().union(*(each.hidden_marks for each in self.row_lists)),
            is_elsewhere=bool(marked) and marked != [here],
            doubt=why and TargetReason.DISPLACED.format(why),
            is_displaced=bool(why),
            rows_are_tasks=True,
            no_task=loading or TargetReason.NO_TASK,
            no_conversation=loading or TargetReason.NO_CONVERSATION,
        )

    def go_to(self, column: Column) -> None:
        self._screen.set_focus(column.cards, scroll_visible=False)
        self._columns.scroll_to_column(column)
        self._screen.status_bar.update_hints()

    def follow_to(self, column: Column) -> None:
        """Focus the column that the card of the key was moved to."""
        if self.is_in_detail:
            self._last_column = column
        else:
            self.go_to(column)

    def show_card(self, key: str) -> bool:
        """Move to a card; False where no column lists it."""
        for column in self._columns.all:
            if column.show_card(key):
                self.go_to(column)
                return True
        return False

    def is_or_was_on(self, key: str) -> bool:
        """Return whether the keys work on this card, or did until it left the column."""
        return key in (self.task_id, None if self.is_in_detail else self.column.cards.displaced_key)

    def follow_card(self, key: str) -> None:
        """Move the cursor to a card in the column that it is in now; the focus stays in the detail."""
        for column in self._columns.all:
            if column.show_card(key):
                self.follow_to(column)
                return

    def note_focus(self) -> None:
        self._last_column = self.column
        self._columns.scroll_to_column(self.column)
        self.follow_soon()

    def step(self, step: int) -> None:
        """Focus the next column; after the last one the detail, if it is open."""
        columns = self._columns.all
        at = columns.index(self.column) + (min(step, 0) + 1 if self.is_in_detail else step)
        if at >= len(columns) and self.is_detail_open:
            self._screen.set_focus(self._detail.page)
        else:
            # At once: of keys in a burst each starts from the column that the one before it led to.
            self.go_to(columns[max(0, min(len(columns) - 1, at))])

    def switch_to_or_from_detail(self) -> bool:
        """Focus the detail beside the columns, or the columns again; False where it isn't open there."""
        if not (self.is_detail_open and self.fits_detail):
            return False
        if self.is_in_detail:
            self.go_to(self.column)
        else:
            self._screen.set_focus(self._detail.page)
        return True

    def open(self, task_id: TaskId) -> None:
        """Open the card's detail; if it is open, its conversation in the inbox."""
        if self.is_detail_open and self._detail.task_id == task_id:
            self.open_conversation()
            return
        self._screen.add_class("-detail")
        self._detail.show_task(task_id)
        if self.fits_detail:
            self.update_columns_width(self._screen.size.width)
        else:
            self._screen.set_focus(self._detail.page)

    def show_next(self, selection: Selection) -> None:
        """Move to the next card of the column, if the card under the cursor is among the targets."""
        cards = self.column.cards
        if cards.cursor_key not in selection.tasks or cards.cursor_index is None:
            return
        following = cards.keys[cards.cursor_index + 1 : cards.cursor_index + 2]
        if following and cards.move_to(following[0]) and self.is_in_detail:
            self._detail.show_task(TaskId(following[0]))

    def close_detail(self) -> None:
        self._detail.stop_following()
        self._screen.remove_class("-detail")
        self.update_columns_width(self._screen.size.width)
        self.go_to(self.column)

    def follow_soon(self) -> None:
        """Show the card under the cursor in the open detail once the cursor has rested."""
        if self.is_detail_open and not self.is_in_detail:
            self._detail.follow_soon(lambda: self.task_id)

    def open_conversation(self) -> None:
        task = self.task
        if task is None or task.conversation_id is None:
            notify(self._screen.app, trusted("This task isn't linked to a conversation."))
        else:
            self._screen.post_message(BaseScreen.ConversationRequested(task.conversation_id))

    def update_columns_width(self, width: int) -> None:
        has_detail = self.is_detail_open and width >= WIDE
        self._columns.set_width(width - DETAIL_WIDTH if has_detail else width)
        self._detail.show_keys(is_beside=has_detail)
