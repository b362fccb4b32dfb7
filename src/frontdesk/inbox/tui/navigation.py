"""Getting to a conversation: by a search and its hits, by name, by number, and the way back.

The inbox mixes it in; what is found is shown in its list and thread.
"""

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any

from frontdesk.api.contract.ids import ConversationId, CustomerId, LineId
from frontdesk.inbox.search import Found, grown
from frontdesk.inbox.tui.conversation_pane import ConversationsPane
from frontdesk.inbox.tui.customer_pane import FactsPane
from frontdesk.inbox.tui.thread_pane import ThreadPane
from frontdesk.storage.records import MessageKey
from frontdesk.text.display_text import show_line, trusted
from frontdesk.text.lines import EMPTY, Line, Role, span
from frontdesk.tui.content import notify
from frontdesk.tui.context import AppContext
from frontdesk.tui.futures import on_done
from frontdesk.tui.keymap import Keymap
from frontdesk.tui.multi_pane_screen import MultiPane

if TYPE_CHECKING:
    from frontdesk.inbox.phone_numbers import Pair
    from frontdesk.inbox.tui.search_dialog import ChosenHit

JUMP_ROWS = 50
"""So many conversations are listed at most to jump to."""

MAX_WAY_BACK = 50
"""So many places at most are kept to go back to."""


class Navigation(MultiPane):
    """A screen with a list of conversations and a thread, in which conversations are found."""

    list: ConversationsPane
    thread: ThreadPane
    facts: FactsPane

    def __init__(self, app_context: AppContext, keymap: Keymap) -> None:
        super().__init__(app_context, keymap)
        self._way_back: tuple[ConversationId, ...] = ()
        self._search: tuple[Found, int] | None = None
        self._words_typed: dict[str, str] = {}

    def show_conversation(self, conversation_id: ConversationId | None) -> None:
        """Show a conversation's thread and facts; none where nothing is listed."""
        raise NotImplementedError

    def show_message(self, conversation_id: ConversationId, key: MessageKey, words: str) -> None:
        """Show a conversation's thread at a message, with words told apart."""
        raise NotImplementedError

    def open_conversation(self, conversation_id: ConversationId) -> None:
        """Show a conversation, wherever the cursor was; `N` leads back to where that was."""
        if conversation_id != self.list.cursor:
            self._remember_here()
        self.list.show(conversation_id)
        self.show_conversation(conversation_id)

    def open_pair(self, line_id: LineId, customer_id: CustomerId) -> None:
        """Open a conversation that no task names, by its line and its customer."""
        on_done(self.app, self.app_context.services.open_conversation(line_id, customer_id), self._opened_pair)

    def action_find_next(self) -> None:
        if self._search is not None:
            self._step_hit(1)
            return
        here = self.list.cursor
        if (found := self.list.next_unread()) is None:
            notify(self.app, trusted("Nothing else is unread in this view."))
        elif here is not None and here != found:
            self._way_back = (*self._way_back[1 - MAX_WAY_BACK :], here)

    def action_find_previous(self) -> None:
        """The hit before; without a search back to where one came from, step by step."""
        if self._search is not None:
            self._step_hit(-1)
            return
        while self._way_back:
            *earlier, before = self._way_back
            self._way_back = tuple(earlier)
            if before != self.list.cursor:
                self.list.show(before)
                return
        notify(self.app, trusted("There is no way further back."))

    def action_open_pair(self) -> None:
        from frontdesk.inbox.tui.open_conversation_dialog import OpenPairDialog

        services = self.app_context.services
        ids = dict.fromkeys((*services.profile.lines, *services.queries.lines_seen()))
        lines = {each: show_line(services.catalogue.line(each), 40) for each in ids}
        here = self.list.cursor and services.queries.conversation(self.list.cursor)
        line_id = here.line_id if here else None
        dialog = OpenPairDialog(lines, line_id=line_id, draft=self._words_typed.get("pair", ""))
        self.app.push_screen(dialog, partial(self._answered, "pair", self._open_typed))

    def action_jump(self) -> None:
        from frontdesk.inbox.tui.jump_dialog import JumpDialog
        from frontdesk.inbox.view.search import found_row

        reads = self.app_context.services.queries

        def find(typed: str) -> list[ConversationId]:
            return [hit.conversation_id for hit in reads.jump(typed, JUMP_ROWS) if hit.conversation_id is not None]

        def draw(conversation_id: ConversationId, width: int) -> Line:
            record = reads.conversation(conversation_id)
            return EMPTY if record is None else found_row(record, width, self.app_context.view())

        listed = map(ConversationId, self.list.rows.keys[:JUMP_ROWS])
        recent = [*dict.fromkeys((*reversed(self._way_back), *listed))][:JUMP_ROWS]
        opens, draft = self.app_context.key("conversation.open"), self._words_typed.get("jump", "")
        dialog = JumpDialog(find, draw, recent, opens=opens, draft=draft)
        self.app.push_screen(dialog, partial(self._answered, "jump", self._open_jumped))

    def action_search(self) -> None:
        from frontdesk.inbox.tui.search_dialog import SearchDialog

        dialog = SearchDialog(self.app_context, draft=self._words_typed.get("search", ""))
        self.app.push_screen(dialog, partial(self._answered, "search", self._open_chosen))

    def _answered(self, name: str, then: Callable[[Any], None], answer: object) -> None:
        """A dialog was closed: what was typed is kept for the next time where it was not taken."""
        self._words_typed[name] = getattr(answer, "draft", "")
        if (value := getattr(answer, "value", None)) is not None:
            then(value)

    def _open_typed(self, pair: "Pair") -> None:
        if pair.line_id is not None:
            self.open_pair(pair.line_id, pair.customer_id)

    def _opened_pair(self, opened: Future[ConversationId]) -> None:
        error = opened.exception()
        if error is not None:
            notify(self.app, trusted(f"Not opened: {show_line(str(error)).text}"), severity="error")
            return
        self.open_conversation(opened.result())

    def _open_jumped(self, conversation_id: ConversationId) -> None:
        self.open_conversation(conversation_id)
        self.go_to(self.list)

    def _open_chosen(self, chosen: "ChosenHit") -> None:
        self._words_typed["search"] = chosen.found.words
        self._remember_here()
        self._open_hit(chosen.found, chosen.place)
        self.keep_place()

    def _open_hit(self, found: Found, place: int) -> None:
        """Open the thread of a hit at the message, with the words told apart."""
        self._search, hit = (found, place), found.hits[place]
        if hit.conversation_id is None:
            notify(
                self.app,
                trusted(
                    f"This task belongs to no conversation; the board ({self.app_context.key('go.board')}) has it."
                ),
            )
        else:
            self.list.show(hit.conversation_id)
            if hit.key is not None:
                self.show_message(hit.conversation_id, hit.key, found.words)
                self.go_to(self.thread)
            else:
                self.show_conversation(hit.conversation_id)
                # A key must not work on another task of the customer than the one that was found.
                is_there = hit.task_id is not None and self.facts.tasks.move_to(hit.task_id)
                self.go_to(self.facts if is_there else self.list)
        more = "+" if found.can_grow else ""
        key = self.app_context.key
        keys = f"{key('find.unread')} {key('find.back')} · {key('go.back')} ends"
        self._say_search((span(f"hit {place + 1} of {len(found.hits)}{more} · {keys}", Role.ACCENT),))

    def _step_hit(self, step: int) -> None:
        if self._search is None:
            return
        found, place = self._search
        if place + step >= len(found.hits) and found.can_grow:
            found = grown(self.app_context.services.queries, found)
        if 0 <= place + step < len(found.hits):
            self._open_hit(found, place + step)
        else:
            notify(self.app, trusted("That was the last hit." if step > 0 else "That was the first hit."))

    def end_search(self) -> bool:
        """Take the highlights off; False where no search is on."""
        if self._search is None:
            return False
        self._search = None
        self._say_search(EMPTY)
        self.thread.open(self.thread.conversation_id)
        return True

    def _say_search(self, words: Line) -> None:
        """In each pane: a narrow screen shows one of them."""
        self.list.say_search(words)
        self.thread.say_search(words)
        self.facts.set_subtitle(words)

    def _remember_here(self) -> None:
        """`N` leads back to where the cursor is."""
        if (here := self.list.cursor) is not None and here not in self._way_back[-1:]:
            self._way_back = (*self._way_back[1 - MAX_WAY_BACK :], here)
