"""Bell, terminal title with a count and desktop notification, for what is mine or unassigned.

The store's claim lets only one of several screens announce something.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from textual.app import App
from textual.timer import Timer

from frontdesk.inbox.store import notifications as notification_store
from frontdesk.inbox.store.notifications import Notification
from frontdesk.storage import change_feed
from frontdesk.storage.coverage import read_coverage
from frontdesk.storage.record_lookup import CUSTOMER
from frontdesk.storage.records import Event
from frontdesk.tui.context import AppContext
from frontdesk.tui.futures import show_once
from frontdesk_api.contract.ids import AgentId
from frontdesk_lines.display_text import NOTHING, SafeText, cut, show_label, show_line, show_name, trusted
from frontdesk_lines.textual_compat import escape_sequences

FOCUSED_SECONDS, UNFOCUSED_SECONDS = 0.3, 1.5
"""How long news are gathered; the screen that has the focus is the first to claim them."""

LATE_SECONDS = 600.0
"""What is older when it comes was missed while offline or away: it is told of in one line, not one by one."""

LATE_REST_SECONDS, MAX_LATE_SECONDS = 10.0, 60.0
"""The line comes when nothing more came late for so long, and after so long in any case."""

COUNT_SECONDS = 0.5
"""The title is counted at most this often."""

MAX_COUNTED = 1_000
MAX_NAMED = 3
MAX_REMEMBERED = 5_000


class NotifierState(NamedTuple):
    """The conditions for an announcement.

    Attributes:
        since: Unix seconds; what is older isn't new.
        me: None: only what is unassigned.
        reading: the conversation on the focused screen; empty for none.
    """

    since: float
    now: float
    me: AgentId | None = None
    of_all: bool = False
    reading: str = ""


class SortedNews(NamedTuple):
    """News by what is done with them.

    Attributes:
        now: announced at once.
        late: announced in one line later.
        seen: claimed and never announced, as it is on the screen.
    """

    now: tuple[Notification, ...] = ()
    late: tuple[Notification, ...] = ()
    seen: tuple[Notification, ...] = ()


def sort_news(news: Sequence[Notification], around: NotifierState) -> SortedNews:
    """Decide what to do with each; what is read already, or others', is left out."""
    fresh = [
        each
        for each in news
        if each.at > around.since
        and each.is_unread
        and (around.of_all or not each.assigned or around.me in each.assigned)
    ]
    seen = tuple(each for each in fresh if around.reading and each.conversation_id == around.reading)
    others = [each for each in fresh if each not in seen]
    return SortedNews(
        tuple(each for each in others if around.now - each.at <= LATE_SECONDS),
        tuple(each for each in others if around.now - each.at > LATE_SECONDS),
        seen,
    )


def announcement(news: Sequence[Notification], *, late: bool = False) -> tuple[SafeText, SafeText]:
    names = list(dict.fromkeys(_who(each) for each in news))
    if late:
        count = len({each.conversation_id or each.key for each in news})
        word = "conversation has" if count == 1 else "conversations have"
        return trusted("frontdesk"), trusted(f"{count} {word} activity you missed")
    if len(news) == 1:
        return trusted(names[0]), _said(news[0])
    if len(names) == 1:
        return trusted(names[0]), _said(news[-1])
    named = ", ".join(names[:MAX_NAMED]) + (" …" if len(names) > MAX_NAMED else "")
    return trusted(f"{len(names)} customers"), trusted(named)


def title_words(unread: int, profile: str, alerts: int = 0, *, is_partial: bool = False) -> SafeText:
    """Return the terminal's title, with the number of unread conversations and alerts.

    Args:
        is_partial: whether threads that weren't read may have further ones.
    """
    count = f"({unread}{'+' if unread >= MAX_COUNTED or is_partial else ''}) " if unread else ""
    count += f"!{alerts} " if alerts else ""
    return trusted(f"{count}frontdesk · {show_label(profile, 40).text}")


def _said(each: Notification) -> SafeText:
    said = show_line(each.says, 160)
    return SafeText(f"{each.what}: {said.text}", said.was_sanitized) if each.what else said


def _who(each: Notification) -> str:
    name = show_name(each.who, 80, kind=CUSTOMER, key=each.conversation_id) if each.who else NOTHING
    return cut(name.text.strip() or "Unnamed", 40)


class Notifier:
    """Collects news from the feed and announces it.

    Args:
        is_focused: whether the terminal has the focus, as far as it reports that.
    """

    def __init__(
        self,
        app: App[Any],
        app_context: AppContext,
        is_focused: Callable[[], bool],
        reading: Callable[[], str],
        alerts: Callable[[], int] = lambda: 0,
    ):
        self._app, self._app_context = app, app_context
        self._alerts = alerts
        self._is_focused, self._reading = is_focused, reading
        self._since: float | None = None
        self._inside = escape_sequences.multiplexer(app_context.environ)
        self._events: set[Event] = set()
        self._known: dict[str, float] = {}
        self._late: list[Notification] = []
        self._late_from = 0.0
        self._gathering: Timer | None = None
        self._resting: Timer | None = None
        self._counting: Timer | None = None
        self._title: SafeText | None = None

    def start(self) -> None:
        """Announce what comes from now on: what is stored already is on the screen."""
        now = self._app_context.clock()
        newest = notification_store.newest_at(self._app_context.store.reading)
        self._since = now if newest is None else min(newest, now)
        self.show_title()

    def collect(self, events: frozenset[Event]) -> None:
        """Collect events of the feed; a burst is handled once."""
        if self._since is None:
            return
        kinds = {event.kind for event in events}
        if change_feed.EVERYTHING in events or change_feed.CONVERSATION in kinds:
            self.count_soon()
        if self._is_announcing:
            self._events |= {
                event for event in events if event.kind in (change_feed.CONVERSATION, change_feed.TASK)
            }
            if self._events and self._gathering is None:
                self._gathering = self._app.set_timer(self._gather_seconds, self._read_events)

    def count_soon(self) -> None:
        if self._counting is None:
            self._counting = self._app.set_timer(COUNT_SECONDS, self._count)

    def show_title(self) -> None:
        """Save the terminal's title, and set ours."""
        if self._app_context.store.settings.title:
            escape_sequences.send(self._app, escape_sequences.PUSH_TITLE)
            self._title = None
            self._count()

    def restore_title(self) -> None:
        if self._title is not None:
            self._title = None
            escape_sequences.send(self._app, escape_sequences.POP_TITLE)

    @property
    def _is_announcing(self) -> bool:
        settings = self._app_context.store.settings
        return settings.bell or settings.notify != "off"

    @property
    def _gather_seconds(self) -> float:
        return FOCUSED_SECONDS if self._is_focused() else UNFOCUSED_SECONDS

    @property
    def _of_all(self) -> bool:
        return self._app_context.store.settings.attention == "all"

    def _count(self) -> None:
        self._counting = None
        if not self._app_context.store.settings.title:
            return
        store = self._app_context.store
        unread = notification_store.unread_count(
            store.reading, store.profile.agent_id, of_all=self._of_all, most=MAX_COUNTED
        )
        is_partial = not read_coverage(store.reading).is_whole
        words = title_words(unread, store.profile.name, self._alerts(), is_partial=is_partial)
        if words != self._title:
            self._title = words
            escape_sequences.send(self._app, escape_sequences.title(words))

    def _read_events(self) -> None:
        self._gathering = None
        heard, self._events = self._events, set()
        conversations = {event.id for event in heard if event.kind == change_feed.CONVERSATION}
        tasks = {event.id for event in heard if event.kind == change_feed.TASK}
        around = self._current_state()
        found = notification_store.since(
            self._app_context.store.reading, conversations, tasks, around.since, around.me
        )
        news = [each for each in found if each.at > self._known.get(each.key, 0.0)]
        came = sort_news(news, around)
        handled = {*came.now, *came.late, *came.seen}
        # What was read before it could be announced is not announced when it is marked unread again.
        self._remember(each for each in news if each in handled or not each.is_unread)
        if came.late:
            self._gather_late(came.late)
        self._claim(came.seen, lambda _: None)
        self._claim(came.now, self._announce)

    def _current_state(self) -> NotifierState:
        store, now = self._app_context.store, self._app_context.clock()
        reading = self._reading() if self._is_focused() else ""
        return NotifierState(self._since or now, now, store.profile.agent_id, self._of_all, reading)

    def _remember(self, news: "Sequence[Notification] | Any") -> None:
        self._known |= {each.key: each.at for each in news}
        while len(self._known) > MAX_REMEMBERED:
            del self._known[next(iter(self._known))]

    def _claim(self, news: Sequence[Notification], then: Callable[[Sequence[Notification]], None]) -> None:
        by_name = {each.key: (each.at, each) for each in news}
        show_once(self._app, self._app_context.outbox, by_name, then)

    def _gather_late(self, news: Sequence[Notification]) -> None:
        now = self._app_context.clock()
        if not self._late:
            self._late_from = now
        self._late += news
        if self._resting is not None:
            self._resting.stop()
        left = max(0.0, MAX_LATE_SECONDS - (now - self._late_from))
        self._resting = self._app.set_timer(
            min(LATE_REST_SECONDS, left) + self._gather_seconds, self._announce_late
        )

    def _announce_late(self) -> None:
        self._resting = None
        news, self._late = self._late, []
        self._claim(news, lambda mine: self._announce(mine, late=True))

    def _announce(self, news: Sequence[Notification], *, late: bool = False) -> None:
        settings = self._app_context.store.settings
        heading, body = announcement(news, late=late)
        parts = [escape_sequences.BELL] if settings.bell else []
        if settings.notify != "off":
            parts.append(escape_sequences.notification(settings.notify, heading, body or NOTHING, self._inside))
        escape_sequences.send(self._app, "".join(parts))
