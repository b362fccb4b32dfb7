"""Go to a date in the open thread, loading older messages until it is reached."""

from dataclasses import dataclass
from datetime import datetime, time
from functools import partial

from frontdesk.inbox.store import thread_pages, threads
from frontdesk.inbox.store.threads import covering
from frontdesk.inbox.tui.thread_pane import ThreadPane
from frontdesk.storage.records import MessagePosition
from frontdesk.tui.pane_switcher import MultiPaneScreen
from frontdesk_api.contract.ids import ConversationId, MessageId
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import show_line, trusted
from frontdesk_lines.lines import EMPTY, Role, span

PLACEHOLDER = "yesterday, monday, 3 oct, 2 weeks ago, beginning"


@dataclass(slots=True)
class Destination:
    """Where a jump leads.

    Attributes:
        at: Unix milliseconds; minus infinity for the beginning.
        before: the message before which was requested last.
    """

    conversation_id: ConversationId
    at: float
    words: str
    before: MessagePosition | None = None


class DateJump:
    """Moves the thread's cursor to the first message from a day on."""

    def __init__(self, screen: MultiPaneScreen, thread: ThreadPane) -> None:
        self._screen, self._thread = screen, thread
        self._context = screen.app_context
        self._destination: Destination | None = None

    @property
    def is_loading(self) -> bool:
        return self._destination is not None

    def ask(self) -> None:
        if self._thread.conversation_id is None:
            notify(self._screen.app, trusted("No conversation is open."), severity="warning")
            return
        from frontdesk.tui.dialogs.base import on_answer
        from frontdesk.tui.dialogs.prompt import PromptDialog

        dialog = PromptDialog(
            trusted("Go to a date in this thread"),
            note=trusted("Shows the first message from that day on."),
            placeholder=PLACEHOLDER,
            fault=self._fault,
        )
        self._screen.app.push_screen(dialog, on_answer(self._go))

    def update(self) -> None:
        """Go on: move to the message if it is stored now, else request older ones."""
        goal = self._destination
        if goal is None:
            return
        if goal.conversation_id != self._thread.conversation_id:
            self.stop()
            return
        segment, is_reached = covering(
            threads.segments(self._context.store.reading, goal.conversation_id), goal.at
        )
        if segment is None:
            self._end("This thread isn't loaded yet; try again in a moment.")
        elif is_reached:
            self._arrive(goal)
        elif segment.oldest in self._thread.requests.loading:
            return
        elif (why := self._thread.requests.failed.get(segment.oldest)) and goal.before is not None:
            self._end(f"Couldn't load back to {goal.words}: {show_line(why, 80).text}")
        elif segment.oldest == goal.before:
            self._end(f"Couldn't load back to {goal.words}: the platform sent no older messages.")
        else:
            self._load(goal, segment.oldest)

    def stop(self) -> bool:
        """Stop loading; False where nothing is loaded for a jump."""
        was_loading = self.is_loading
        self._destination = None
        if was_loading:
            self._thread.requests.progress = EMPTY
            self._thread.update_end()
        return was_loading

    def _fault(self, typed: str) -> str:
        from frontdesk.text.due_parser import PAST_EXAMPLES, parse_past_day
        from frontdesk.text.questions import fault_of

        fault = fault_of(partial(parse_past_day, now=self._now))(typed)
        return fault if typed or not fault else f"Type a day: {PAST_EXAMPLES}."

    @property
    def _now(self) -> datetime:
        view = self._context.view()
        return datetime.fromtimestamp(view.now, view.zone)

    def _go(self, typed: str) -> None:
        from frontdesk.text.due_parser import parse_past_day

        conversation_id = self._thread.conversation_id
        if conversation_id is None:
            return
        day, view = parse_past_day(typed, self._now), self._context.view()
        at = float("-inf") if day is None else datetime.combine(day, time(), tzinfo=view.zone).timestamp() * 1000
        words = "the beginning" if day is None else view.day(at / 1000)
        self._destination = Destination(conversation_id, at, words)
        self._screen.panes.focus_pane(self._thread)
        self.update()

    def _load(self, goal: Destination, before: MessagePosition) -> None:
        goal.before = before
        view = self._context.view()
        reached = view.day(before.created_at / 1000)
        stop = self._context.key("go.back")
        self._thread.requests.progress = (
            span(f"loading back to {goal.words}: at {reached} · {stop} stop", Role.ACCENT),
        )
        self._thread.request_older(before)

    def _arrive(self, goal: Destination) -> None:
        self.stop()
        db = self._context.store.reading
        start = None if goal.at == float("-inf") else MessagePosition(goal.at, MessageId(""))
        found = thread_pages.page_from(db, goal.conversation_id, start, 1)
        if not found:
            notify(self._screen.app, trusted(f"No messages since {goal.words}; this is the last one."))
            found = thread_pages.page_before(db, goal.conversation_id, None, 1)
        if found:
            self._thread.open_at(goal.conversation_id, found[0].key, self._thread.renderer.words)

    def _end(self, why: str) -> None:
        self.stop()
        notify(self._screen.app, trusted(why), severity="warning")
