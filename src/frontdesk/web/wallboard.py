"""`frontdesk web --board`: one page of numbers for a wall, read from the store and never changed by it.

The page itself has nothing of the store. Its script asks for the numbers every 15 seconds with the token in a
header, and replaces the parts that differ, so that a screen reader keeps its place.
"""

import asyncio
import logging
import socket
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from importlib.resources import files
from typing import NamedTuple

import apsw
from aiohttp import web

from frontdesk.campaigns.alert_rules import rules
from frontdesk.campaigns.counters import counter_doubt, done_of_all, lost_share
from frontdesk.campaigns.models import CampaignOrder
from frontdesk.campaigns.reading_cache import CampaignReading, CampaignReadings
from frontdesk.campaigns.view.row import last_read_at
from frontdesk.campaigns.view.summary import end_words, shown_pace
from frontdesk.config.render_context import RenderContext
from frontdesk.config.time_zone import local_zone
from frontdesk.inbox.store import conversations
from frontdesk.inbox.store.conversation_query import ConditionField, QueryTerm
from frontdesk.metrics.view import answers_words
from frontdesk.outbox import queue
from frontdesk.outbox.commands import PRIVACY, VIEW
from frontdesk.registry.service_policies import load_policies
from frontdesk.service_clocks import store as clock_store
from frontdesk.service_clocks.clocks import ClockKind
from frontdesk.service_clocks.store import LateCounts
from frontdesk.storage import clients
from frontdesk.storage.clients import Focus
from frontdesk.storage.coverage import Coverage, Precision, answers_as_of, count_sentence, count_words
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import Connection, Health
from frontdesk.storage.sql import snapshot
from frontdesk.sync import status_view
from frontdesk.tasks import store as task_store
from frontdesk.text.html_pages import STYLE, bar_svg, escape_html, html_page, html_table
from frontdesk.text.percentages import percent
from frontdesk.text.relative_time import HOUR, MINUTE
from frontdesk.web.server import PageServer
from frontdesk_lines.display_text import counted, show_name
from frontdesk_lines.glyphs import ASCII
from frontdesk_lines.privacy import is_private, set_private

MIN_SECONDS = 5.0
"""Numbers that were read so lately are sent again: however many pages are open, the store is read seldom."""

AGES = (
    ("under 15 minutes", 0, 15 * MINUTE),
    ("15 to 60 minutes", 15 * MINUTE, HOUR),
    ("1 to 4 hours", HOUR, 4 * HOUR),
    ("4 to 24 hours", 4 * HOUR, 24 * HOUR),
    ("over a day", 24 * HOUR, None),
)
"""How long customers have waited: the words, from so many seconds, and up to so many."""

MAX_CAMPAIGNS = 8
"""A wall has no scroll bar: of more running campaigns those that end last are counted."""

_CURRENT = (Connection.LIVE, Connection.LOADING, Connection.DELAYED)
"""The states in which the store is being updated, the best one first."""

_SCREENS = (Focus("inbox"), Focus("board"))
"""The screens whose data is counted."""

log = logging.getLogger(__name__)


class Wallboard(NamedTuple):
    """What the page shows.

    Attributes:
        as_of: the moment at which all was counted: of the last update, where nobody updates the store any more.
        answers_as_of: as `storage.coverage` has it.
        waiting: how many customers have waited for each of `AGES`.
        late: service clocks by kind; None where no SLA can be used.
        promise_fault: what is wrong with some SLAs, or with all.
        is_walked: whether the clocks of all conversations were computed once.
        running: with their latest readings, the next to end first.
        unread_campaigns: watched ones of which nothing is known now.
    """

    profile: str
    health: Health
    as_of: float
    coverage: Coverage
    answers_as_of: float | None
    waiting: Sequence[int]
    tasks: task_store.OpenTasks
    late: dict[ClockKind, LateCounts] | None
    promise_fault: str
    is_walked: bool
    running: Sequence[CampaignReading]
    unread_campaigns: int

    @property
    def is_current(self) -> bool:
        return self.health.state in _CURRENT


def read_board(db: apsw.Connection, store: ProfileStore) -> Wallboard:
    """Read all numbers at one moment; privacy is as the inbox on this profile has it."""
    now = store.clock()
    with snapshot(db):
        view = _view(store, now)
        health = _read_health(db, view)
        # What would only grow older with the clock isn't counted on: it was true when it was read.
        age = max((each.max_age or 0.0 for each in health.late), default=0.0)
        as_of = now - age if health.state in _CURRENT else (health.fresh_at or now)
        late, fault = None, ""
        if store.settings.sla:
            policies = load_policies(store.settings, store.profile)
            late = clock_store.late_counts(db, as_of) if policies.all else None
            fault = "; ".join(policies.faults)
        alert_rules = partial(rules, store.settings.alerts)
        readings = CampaignReadings(db, alert_rules, lambda: now, view.zone, CampaignOrder.END)
        readings.load()
        found = [each for each in readings.all() if each.record.status == "inProgress" and not each.record.problem]
        unread = sum(bool(each.problem) or each.read_at is None for each in readings.records.values())
        return Wallboard(
            store.profile.name,
            health,
            as_of,
            clock_store.coverage(db),
            answers_as_of(db),
            [_count_waiting(db, as_of, *ages) for _, *ages in AGES],
            task_store.count_open(db, as_of),
            late,
            fault,
            clock_store.is_walked(db),
            found,
            unread,
        )


def _read_health(db: apsw.Connection, view: RenderContext) -> Health:
    """Return the health of what is counted: of two screens the one that is further behind."""
    health = status_view.current_health(clients.health(db), view)
    if health.state not in _CURRENT:
        return health
    shown = [status_view.view_health(health, each) for each in _SCREENS]
    return max(shown, key=lambda each: _CURRENT.index(each.state))


def _count_waiting(db: apsw.Connection, at: float, least: float, most: float | None) -> int:
    term = QueryTerm(ConditionField.WAITING, after=None if most is None else at - most, until=at - least)
    if not least:
        term = term._replace(until=None)  # what was written this second
    return conversations.count(db, conversations.awake(db, [term], at))


def board_html(board: Wallboard, view: RenderContext) -> str:
    """Return the parts of the page as HTML, with outside text escaped, and names only where they may be seen."""
    as_of = view.past_moment(board.as_of)
    threads = board.coverage.words(of_threads=True) or f"all {board.coverage.known:,} loaded"
    if answers := answers_words(board.answers_as_of, view):
        threads = f"{threads}, {answers}"
    tasks = board.coverage.words(of_threads=False) or "all tasks loaded"
    of_threads, of_tasks = (board.coverage.precision(of_threads=each) for each in (True, False))
    cards = [
        _count_card(
            "waiting", "Waiting for an answer", sum(board.waiting), "customer", of_threads, (threads, as_of)
        ),
        _count_card("unassigned", "Unassigned", board.tasks.unassigned, "open task", of_tasks, (tasks, as_of)),
        _count_card("overdue", "Overdue", board.tasks.overdue, "task", of_tasks, (tasks, as_of)),
        _late_card(board, as_of),
    ]
    parts = [*cards, _ages(board, of_threads, as_of)]
    if board.late is not None:
        parts.append(_promises(board.late, board.is_walked, as_of))
    parts.append(_campaigns(board, view))
    kind = "live" if board.is_current else "old"
    words = escape_html(_state_words(board, view))
    return (
        f'<div id="numbers" data-state="{kind}" data-words="{words}" data-name="{escape_html(board.profile)}"'
        f' data-answered="{view.past_moment(view.now)}">\n{"".join(parts)}</div>\n'
    )


def _state_words(board: Wallboard, view: RenderContext) -> str:
    words, fresh_at = status_view.sentence(board.health, view), board.health.fresh_at
    if board.is_current:
        return f"{words[0].upper()}{words[1:]}"
    if fresh_at is None:
        return "Nothing loaded yet: open the inbox, or run frontdesk sync"
    return f"Old numbers, not updated since {view.past_moment(fresh_at)}: {words}"


def _count_card(
    name: str, title: str, count: int, thing: str, precision: Precision, notes: tuple[str, str]
) -> str:
    return _card(name, title, (count_words(count, precision), count_sentence(count, thing, precision)), notes)


def _card(name: str, title: str, value: tuple[str, str], notes: tuple[str, str]) -> str:
    """Return a number with its coverage and age; `value` is what is seen, and what is read out."""
    shown, spoken = map(escape_html, value)
    coverage, as_of = map(escape_html, notes)
    is_some = " some" if shown[0] in "123456789~" else ""
    return (
        f'<section id="{name}" class="card{is_some}" aria-labelledby="{name}-title">'
        f'<h2 id="{name}-title">{title}</h2>'
        f'<p class="value"><span aria-hidden="true">{shown}</span><span class="spoken">{spoken}</span></p>'
        f'<p class="note">{coverage} · as of {as_of}</p></section>\n'
    )


def _late_card(board: Wallboard, as_of: str) -> str:
    name, title = "late", "Late SLAs"
    if board.promise_fault and board.late is None:
        return _card(name, title, ("?", "unknown"), ("SLAs in the config have an error", as_of))
    if board.late is None:
        return _card(name, title, ("–", "none set"), ("no [[sla]] in the config", as_of))
    late, doubtful, _, unknown = (sum(counts) for counts in zip(*board.late.values(), strict=True))
    lacks = [f"{count:,} {what}" for count, what in ((doubtful, "may be late"), (unknown, "unknown")) if count]
    if board.promise_fault:
        lacks.append("an SLA in the config has an error")
    if not board.is_walked:
        lacks.append("still counting")
    precision = Precision.AT_LEAST if lacks else board.coverage.precision(of_threads=False)
    words = ", ".join(lacks) or "all known"
    return _count_card(name, title, late, "late SLA", precision, (words, as_of))


def _ages(board: Wallboard, precision: Precision, as_of: str) -> str:
    most = max(board.waiting) or 1
    rows = [(words, count_words(count, precision)) for (words, *_), count in zip(AGES, board.waiting, strict=True)]
    bars = [bar_svg(count / most) for count in board.waiting]
    table = html_table(("Waiting for", "Customers"), rows, caption=f"as of {as_of}", bars=bars)
    return _section("ages", "Waiting by age", table)


def _promises(late: dict[ClockKind, LateCounts], is_walked: bool, as_of: str) -> str:
    rows = []
    for kind, each in late.items():
        precision = Precision.EXACT if is_walked and not each.unknown else Precision.AT_LEAST
        sure = [count_words(count, precision) for count in (each.late, each.doubtful, each.soon)]
        unknown = count_words(each.unknown, Precision.EXACT if is_walked else Precision.AT_LEAST)
        rows.append((str(kind).capitalize(), *sure, unknown))
    headings = ("SLA", "Late", "May be late", "Due in 1 h", "Unknown")
    return _section("promises", "SLAs by kind", html_table(headings, rows, caption=f"as of {as_of}"))


def _campaigns(board: Wallboard, view: RenderContext) -> str:
    shown = board.running[:MAX_CAMPAIGNS]
    rows = [_campaign_row(each, view) for each in shown]
    reads = [last_read_at(each.record, each.throughput, view) for each in shown]
    lacks = [f"{counted(board.unread_campaigns, 'watched campaign')} not loaded"] if board.unread_campaigns else []
    if more := len(board.running) - len(shown):
        lacks.append(f"{more:,} more running")
    if not rows:
        return _section(
            "campaigns",
            "Running campaigns",
            f"<p>{escape_html('; '.join(['No watched campaign is known to be running', *lacks]))}</p>\n",
        )
    caption = "; ".join((f"the oldest number is from {view.past_moment(min(reads))}", *lacks))
    headings = ("Campaign", "Ends", "Done", "Sent/min", "Lost")
    table = html_table(headings, rows, words=2, caption=caption)
    return _section("campaigns", "Running campaigns", table)


def _campaign_row(reading: CampaignReading, view: RenderContext) -> tuple[str, ...]:
    record = reading.record
    name = show_name(record.name or record.campaign_id, 60, kind="Campaign", key=record.campaign_id).text
    done = None if counter_doubt(record.counters) else done_of_all(record.counters)
    pace, lost = shown_pace(reading, view), lost_share(record.counters)
    return (
        name,
        end_words(reading, view),
        "?" if done is None else percent(done[0] / done[1], 0),
        "?" if pace is None else f"{pace:,.0f}",
        "?" if lost is None else percent(lost),
    )


def _section(name: str, title: str, body: str) -> str:
    return (
        f'<section id="{name}" aria-labelledby="{name}-title">'
        f'<h2 id="{name}-title">{title}</h2>\n<div class="wide">{body}</div></section>\n'
    )


def _view(store: ProfileStore, now: float) -> RenderContext:
    return RenderContext(store.catalogue, ASCII, now, local_zone())


def board_reader(open_store: ProfileStore) -> Callable[[], Awaitable[str]]:
    """Return what reads a store and makes the page's numbers of it, on the store's reading thread."""
    is_always_private = is_private()

    def read(db: apsw.Connection) -> str:
        set_private(is_always_private or queue.kept(db, VIEW, PRIVACY) is True)
        board = read_board(db, open_store)
        return board_html(board, _view(open_store, open_store.clock()))

    return lambda: asyncio.wrap_future(open_store.read_in_background(read))


_BODY = """\
<header>
<h1><bdi id="name">frontdesk</bdi> wallboard</h1>
<p id="state" role="status">Loading</p>
<p id="answered"></p>
</header>
<main><div id="numbers"></div></main>
<noscript><p>This page needs JavaScript: it loads the numbers with the token in its address.</p></noscript>
"""


class BoardServer(PageServer):
    """Serves the page, and the numbers to a page that has the token."""

    def __init__(
        self, listening: socket.socket, read: Callable[[], Awaitable[str]], public_origin: str = ""
    ) -> None:
        own = files("frontdesk.web") / "page"
        scripts = ("token.js", "board.js")
        style = STYLE + (own / "board.css").read_text(encoding="utf-8")
        page = html_page("frontdesk wallboard", style, _BODY, [f"/{each}" for each in scripts])
        kept = {each: ((own / each).read_bytes(), "text/javascript") for each in scripts}
        super().__init__(listening, {"": (page.encode(), "text/html"), **kept}, public_origin)
        self._read, self._reading = read, asyncio.Lock()
        self._kept, self._kept_at = "", float("-inf")

    def add_routes(self, app: web.Application) -> None:
        app.router.add_get("/numbers", self._serve_numbers)

    def connect_sources(self, _host: str) -> str:
        return "'self'"

    async def _serve_numbers(self, request: web.Request) -> web.Response:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme != "Bearer" or not self.is_token(token):
            return web.Response(status=403, text="The token is missing or wrong.\n")
        self.forget(request.transport)
        async with self._reading:
            if time.monotonic() - self._kept_at >= MIN_SECONDS:
                try:
                    self._kept = await self._read()
                except Exception as error:  # the page says that there are no new numbers, and asks again
                    log.warning("couldn't read the numbers: %s", error)
                    return web.Response(status=503, text="The store can't be read.\n")
                self._kept_at = time.monotonic()
        return web.Response(text=self._kept, content_type="text/html", charset="utf-8")
