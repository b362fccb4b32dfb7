"""AlertNotifier: shows alerts on campaigns with a bell, the title, a notification, and in the status line.

The engine raises them (`campaigns.alert_monitor`). A claim in the store makes one screen show each once.
"""

from collections.abc import Callable, Sequence
from typing import Any

from textual.app import App
from textual.timer import Timer

from frontdesk.campaigns.store import alerts as alert_store
from frontdesk.campaigns.store.alerts import Alert
from frontdesk.config.render_context import RenderContext
from frontdesk.config.settings import Settings
from frontdesk.storage import change_feed
from frontdesk.storage.records import Event
from frontdesk.tui.context import AppContext, StatusPart
from frontdesk.tui.futures import show_once
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import SafeText, counted, cut, show_line, trusted
from frontdesk_lines.lines import EMPTY, Role, span
from frontdesk_lines.textual_compat import escape_sequences

FOCUSED_SECONDS, UNFOCUSED_SECONDS = 0.3, 1.5
"""How long they are gathered; the screen that has the focus is the first to claim them."""

LATE_SECONDS = 600.0
"""What is older was missed: the title and the status line say it, and nothing rings for it."""

FADE_SECONDS = 30.0
"""How long an alert stays in the status line once a person has pressed a key beside it."""

NAME_CELLS = 30
_MAX_NAMED = 3


def alert_channels(alert: Alert, settings: Settings) -> frozenset[str]:
    if alert.by is not None:
        return frozenset(alert.by)
    news = {"bell": settings.bell, "title": settings.title, "notify": settings.notify != "off"}
    return frozenset(way for way, is_on in news.items() if is_on)


def alert_sequence(alerts: Sequence[Alert], settings: Settings, inside: escape_sequences.Multiplexer) -> str:
    """Return the escape sequences for these alerts: at most one bell and one notification."""
    rings = any("bell" in alert_channels(each, settings) for each in alerts)
    named = [each for each in alerts if "notify" in alert_channels(each, settings)]
    parts = [escape_sequences.BELL] if rings else []
    if named:
        # An alert that asks for it by name gets it in the style that most terminals know.
        style = "osc9" if settings.notify == "off" else settings.notify
        parts.append(escape_sequences.notification(style, *announcement(named), inside))
    return "".join(parts)


def status_part(alerts: Sequence[Alert], view: RenderContext) -> StatusPart:
    """Return the alerts nobody has seen yet: the newest and how many more; where it is narrow, their number."""
    of_campaigns = [each for each in alerts if each.campaign_id]
    if not of_campaigns:
        return StatusPart(EMPTY, EMPTY)
    more = f" and {len(of_campaigns) - 1} more" if len(of_campaigns) > 1 else ""
    hides = (span(f" {view.key('alert.dismiss', '-')}", Role.ACCENT), span(" hide", Role.DIM))
    sign, key = view.glyphs.warning, view.key("go.campaigns", "3")
    count = counted(len(of_campaigns), "alert")
    return StatusPart(
        (span(f"{sign} {_about(of_campaigns[0])}{more}", Role.BAD), *hides),
        (span(f"{sign} {count} ({key})", Role.BAD), *hides),
    )


def announcement(alerts: Sequence[Alert]) -> tuple[SafeText, SafeText]:
    if len(alerts) == 1:
        return trusted(_name(alerts[0])), show_line(alerts[0].words, 160)
    named = "; ".join(_about(each) for each in alerts[:_MAX_NAMED])
    return trusted(f"{len(alerts)} alerts"), trusted(named + (" …" if len(alerts) > _MAX_NAMED else ""))


def _about(alert: Alert) -> str:
    return f"{_name(alert)}: {show_line(alert.words, 160).text}"


def _name(alert: Alert) -> str:
    return cut(show_line(alert.name or alert.campaign_id, 80).text.strip() or "Campaign", NAME_CELLS)


class AlertNotifier:
    """Shows the alerts that no other screen has claimed.

    Args:
        is_focused: whether the terminal has the focus, as far as it reports that.
        is_seen: whether the campaigns are on the screen now.
        moved: called when the unseen alerts change.
        active_at: when a person pressed a key last, Unix seconds.
    """

    def __init__(
        self,
        app: App[Any],
        app_context: AppContext,
        is_focused: Callable[[], bool],
        is_seen: Callable[[], bool],
        moved: Callable[[], None],
        active_at: Callable[[], float],
    ):
        self._app, self._app_context = app, app_context
        self._is_focused, self._is_seen, self._moved = is_focused, is_seen, moved
        self._active_at = active_at
        self._shown_at: dict[tuple[str, float], float] = {}
        """When each unseen alert, by its key and the moment it was raised, was first shown here."""
        self._inside = escape_sequences.multiplexer(app_context.environ)
        self.is_started = False
        self._waiting: tuple[Alert, ...] = ()
        self._gathering: Timer | None = None

    @property
    def in_title(self) -> int:
        settings = self._app_context.store.settings
        return sum(1 for each in self._waiting if each.campaign_id and "title" in alert_channels(each, settings))

    def start(self) -> None:
        self.is_started = True
        self._refresh()

    def apply_events(self, events: frozenset[Event]) -> None:
        if not self.is_started or self._gathering is not None:
            return
        if change_feed.EVERYTHING in events or any(event.kind == change_feed.CAMPAIGN for event in events):
            patience = FOCUSED_SECONDS if self._is_focused() else UNFOCUSED_SECONDS
            self._gathering = self._app.set_timer(patience, self._refresh)

    def mark_seen(self) -> None:
        """Mark the alerts as seen while the campaigns are on the screen, or those that were shown long enough."""
        now = self._app_context.clock()
        if self._is_seen():
            seen = list(self._waiting)
        else:
            seen = [each for each in self._waiting if self._was_read(each, now)]
        self._mark(seen)

    def dismiss(self, *, had_notices: bool) -> None:
        """Mark all alerts as seen, and report it; a rule that fires anew raises a new one."""
        now = self._app_context.clock()
        waiting = [each for each in alert_store.unseen(self._app_context.store.reading, now) if each.campaign_id]
        self._mark(waiting)
        if waiting:
            hidden = counted(len(waiting), "alert")
            notify(self._app, trusted(f"Hid {hidden} until they fire again."), timeout_seconds=2)
        elif not had_notices:
            notify(self._app, trusted("There are no alerts."), timeout_seconds=2)

    def _mark(self, alerts: Sequence[Alert]) -> None:
        if alerts:
            until, now = max(each.at for each in alerts), self._app_context.clock()
            self._app_context.store.write_unawaited(lambda db: alert_store.mark_seen(db, until, now))

    def _was_read(self, alert: Alert, now: float) -> bool:
        """Return whether it was shown long enough to a person who pressed a key meanwhile."""
        shown_at = self._shown_at.get((alert.key, alert.at), now)
        return self._is_focused() and now - shown_at >= FADE_SECONDS and self._active_at() > shown_at

    def _refresh(self) -> None:
        self._gathering = None
        now = self._app_context.clock()
        before, self._waiting = self._waiting, tuple(alert_store.unseen(self._app_context.store.reading, now))
        new = [each for each in self._waiting if (each.key, each.at) not in self._shown_at]
        raised = [(each.key, each.at) for each in self._waiting]
        self._shown_at = {each: self._shown_at.get(each, now) for each in raised}
        timely = {f"alert {each.key}": (each.at, each) for each in new if now - each.at <= LATE_SECONDS}
        show_once(self._app, self._app_context.outbox, timely, self._announce)
        self.mark_seen()
        if self._waiting != before:
            self._moved()

    def _announce(self, alerts: Sequence[Alert]) -> None:
        on_campaigns = [each for each in alerts if each.campaign_id]
        if on_campaigns:
            escape_sequences.send(
                self._app, alert_sequence(on_campaigns, self._app_context.store.settings, self._inside)
            )
        for each in alerts:
            if not each.campaign_id:
                notify(self._app, show_line(each.words, 300), severity="warning", timeout_seconds=30)
