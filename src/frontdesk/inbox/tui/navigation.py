"""Open a conversation by search, name or number, and go back."""

from collections.abc import Callable, Collection
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any

from frontdesk.inbox.commands import InboxCommands
from frontdesk.inbox.tui.conversation_follower import ConversationFollower, InboxPanes
from frontdesk.outbox.dialog_drafts import DialogDraft, DialogDrafts
from frontdesk.storage import full_text, record_lookup
from frontdesk.tui.futures import on_done
from frontdesk.tui.pane_switcher import MultiPaneScreen
from frontdesk_api.contract.ids import ConversationId, CustomerId, LineId
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import show_line, trusted
from frontdesk_lines.lines import EMPTY, Line, Role, span

if TYPE_CHECKING:
    from frontdesk.inbox.customer_lookup import Pair
    from frontdesk.inbox.search import SearchResults
    from frontdesk.inbox.tui.dialogs import ChosenHit
    from frontdesk.tui.dialogs.base import Dialog

JUMP_ROWS = 50
"""So many conversations are listed at most to jump to."""

MAX_HISTORY = 50
"""So many places at most are kept to go back to."""


class Navigation:
    """Opens conversations in the inbox: by search, by name or number, and back."""

    def __init__(
        self, screen: MultiPaneScreen, panes: InboxPanes, follower: ConversationFollower, searched: str
    ) -> None:
        self._screen, self._follower, self._store = screen, follower, screen.app_context.store
        self._list, self._thread, self._facts = panes.list, panes.thread, panes.facts
        self._history: tuple[ConversationId, ...] = ()
        self._search: tuple[SearchResults, int] | None = None
        self._visited: ConversationId | None = None
        """What was opened last for another screen."""
        self.searched = searched
        """The words of the last search."""

    def run(self, name: str) -> None:
        {
            "next": self._find_next,
            "previous": self._find_previous,
            "jump": self._jump,
            "find": self._ask_for_words,
            "pair": self._ask_for_pair,
        }[name]()

    def open_conversation(self, conversation_id: ConversationId) -> None:
        """Show a conversation; `N` leads back."""
        if conversation_id != self._list.cursor:
            self._push_history()
        self._list.show(conversation_id)
        self._follower.show(conversation_id)

    def visit(self, conversation_id: ConversationId) -> None:
        """Open a conversation for another screen, to which esc leads back until one moves on from here."""
        self.end_search()
        self.open_conversation(conversation_id)
        self._follower.open(conversation_id)
        self._visited = conversation_id

    @property
    def is_visit(self) -> bool:
        """Return whether what another screen opened is still what is shown."""
        shown = (self._list.cursor, self._thread.conversation_id)
        return self._search is None and shown == (self._visited, self._visited)

    def show_next(self, done: Collection[ConversationId]) -> None:
        """Go to the next conversation of the list, as open as this one was; `N` leads back.

        Does nothing if the conversation under the cursor isn't one of those that are done.
        """
        here = self._list.cursor
        if here is None or here not in done:
            return
        is_open = self._screen.panes.is_at(self._thread)
        self._list.rows.step(1)
        following = self._list.cursor
        if following is None or following == here:
            return  # it is the last one
        self._history = (*self._history[1 - MAX_HISTORY :], here)
        if is_open:
            self._follower.open(following)

    def open_pair(self, line_id: LineId, customer_id: CustomerId) -> None:
        on_done(
            self._screen.app, InboxCommands(self._store).open_conversation(line_id, customer_id), self._open_result
        )

    def _find_next(self) -> None:
        """Go to the next hit; without a search open the next unread conversation."""
        if self._search is not None:
            self._step_hit(1)
            return
        here = self._list.cursor
        if (unread := self._list.next_unread()) is None:
            notify(self._screen.app, trusted("No other unread conversations in this view."))
            return
        if here is not None and here != unread:
            self._history = (*self._history[1 - MAX_HISTORY :], here)
        self._follower.open(unread)

    def _find_previous(self) -> None:
        """Go to the previous hit; without a search back through the history."""
        if self._search is not None:
            self._step_hit(-1)
            return
        while self._history:
            *earlier, before = self._history
            self._history = tuple(earlier)
            if before != self._list.cursor:
                self._list.show(before)
                return
        notify(self._screen.app, trusted("Nothing to go back to."))

    def _ask_for_pair(self) -> None:
        from frontdesk.inbox.customer_lookup import customer_on_line
        from frontdesk.inbox.tui.dialogs import OpenPairDialog

        store = self._store
        ids = dict.fromkeys((*store.profile.lines, *record_lookup.lines_seen(store.reading)))
        view = self._screen.app_context.view()
        lines = {each: view.line(each, 40) for each in ids}
        here = self._list.cursor and record_lookup.conversation(store.reading, self._list.cursor)
        line_id = here.line_id if here else None
        draft, find = self._drafts.of("pair"), partial(customer_on_line, store.reading)
        self._open_dialog(OpenPairDialog(lines, find, line_id=line_id, draft=draft.text), draft, self._open_typed)

    def _jump(self) -> None:
        from frontdesk.inbox.tui.dialogs import JumpDialog
        from frontdesk.inbox.view.conversation_row import found_row

        db = self._store.reading

        def find(typed: str) -> list[ConversationId]:
            return [
                hit.conversation_id
                for hit in full_text.jump(db, typed, JUMP_ROWS)
                if hit.conversation_id is not None
            ]

        def draw(conversation_id: ConversationId, width: int) -> Line:
            record = record_lookup.conversation(db, conversation_id)
            return EMPTY if record is None else found_row(record, width, self._screen.app_context.view())

        listed = map(ConversationId, self._list.rows.keys[:JUMP_ROWS])
        recent = [*dict.fromkeys((*reversed(self._history), *listed))][:JUMP_ROWS]
        opens, draft = self._screen.app_context.key("conversation.open"), self._drafts.of("jump")
        dialog = JumpDialog(find, draw, recent, opens=opens, draft=draft.text)
        self._open_dialog(dialog, draft, self._open_jumped)

    def _ask_for_words(self) -> None:
        from frontdesk.inbox.tui.dialogs import SearchDialog

        draft = self._drafts.of("search", default=self.searched)
        self._open_dialog(SearchDialog(self._screen.app_context, draft=draft.text), draft, self._open_chosen)

    @property
    def _drafts(self) -> DialogDrafts:
        return self._screen.app_context.outbox.drafts

    def _open_dialog(self, dialog: "Dialog[Any]", draft: DialogDraft, then: Callable[[Any], None]) -> None:
        from frontdesk.tui.dialogs.base import on_answer

        dialog.keep_draft(draft.keep)
        self._screen.app.push_screen(dialog, on_answer(then, draft))

    def _open_typed(self, pair: "Pair") -> None:
        if pair.line_id is not None:
            self.open_pair(pair.line_id, pair.customer_id)

    def _open_result(self, opened: Future[ConversationId]) -> None:
        error = opened.exception()
        if error is not None:
            notify(
                self._screen.app,
                trusted(f"Couldn't open the conversation: {show_line(str(error)).text}"),
                severity="error",
            )
            return
        self.open_conversation(opened.result())

    def _open_jumped(self, conversation_id: ConversationId) -> None:
        self.open_conversation(conversation_id)
        self._screen.panes.focus_pane(self._list)

    def _open_chosen(self, chosen: "ChosenHit") -> None:
        self.searched = chosen.results.words
        self._push_history()
        self._open_hit(chosen.results, chosen.place)
        self._screen.save_view_state()

    def _open_hit(self, results: "SearchResults", place: int) -> None:
        self._search, hit = (results, place), results.hits[place]
        if hit.conversation_id is None:
            board = self._screen.app_context.key("go.board")
            words = f"This task has no conversation; find it on the board ({board})."
            notify(self._screen.app, trusted(words))
        else:
            self._list.show(hit.conversation_id)
            if hit.key is not None:
                self._follower.show_message(hit.conversation_id, hit.key, results.words)
                self._screen.panes.focus_pane(self._thread)
            else:
                self._follower.show(hit.conversation_id)
                # A key must not work on another task of the customer than the one that was found.
                is_there = hit.task_id is not None and self._facts.tasks.move_to(hit.task_id)
                self._screen.panes.focus_pane(self._facts if is_there else self._list)
        more = "+" if results.can_grow else ""
        key = self._screen.app_context.key
        keys = f"{key('find.unread')} {key('find.back')} · {key('go.back')} end"
        self._update_search((span(f"hit {place + 1} of {len(results.hits)}{more} · {keys}", Role.ACCENT),))

    def _step_hit(self, step: int) -> None:
        if self._search is None:
            return
        results, place = self._search
        if place + step >= len(results.hits) and results.can_grow:
            from frontdesk.inbox.search import find_more

            results = find_more(self._store.reading, results)
        if 0 <= place + step < len(results.hits):
            self._open_hit(results, place + step)
        else:
            notify(self._screen.app, trusted("This is the last hit." if step > 0 else "This is the first hit."))

    def end_search(self) -> bool:
        """Remove the highlights; False without a search."""
        if self._search is None:
            return False
        self._search = None
        self._update_search(EMPTY)
        self._thread.open(self._thread.conversation_id)
        return True

    def _update_search(self, words: Line) -> None:
        """Show the state of the search in each pane: a narrow screen shows one of them."""
        self._list.show_search(words)
        self._thread.show_search(words)
        self._facts.set_subtitle(words)

    def _push_history(self) -> None:
        if (here := self._list.cursor) is not None and here not in self._history[-1:]:
            self._history = (*self._history[1 - MAX_HISTORY :], here)
