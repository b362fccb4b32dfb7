"""Numbers: what the desk did, compared with the days before, and the records behind each number."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.timer import Timer
from textual.widget import Widget

from frontdesk.config.render_context import RenderContext
from frontdesk.metrics import store as metrics_store
from frontdesk.metrics.aggregation import MEASURES, GroupFilter
from frontdesk.metrics.alerts import ShownAlert
from frontdesk.metrics.facts import ReadCampaigns
from frontdesk.metrics.models import KEPT, Breakdown, Dimension, Measure, NumbersReport
from frontdesk.metrics.periods import EXAMPLES, Period, PeriodNotUnderstood, parse_period
from frontdesk.metrics.promises import Promises
from frontdesk.metrics.report import MetricsReader
from frontdesk.metrics.view import (
    HEIGHT,
    LABELS,
    AlertList,
    BarChart,
    HeatMap,
    OverviewTable,
    answers_words,
    as_json,
    breakdowns_as_json,
    campaign_note,
    dimension_name,
    group_name,
    lasted,
    measure_lines,
)
from frontdesk.storage import change_feed
from frontdesk.storage.clients import Focus
from frontdesk.storage.record_lookup import CUSTOMER
from frontdesk.storage.records import Event
from frontdesk.storage.sql import ReadConnection, snapshot
from frontdesk.text.questions import fault_of
from frontdesk.text.relative_time import duration_words
from frontdesk.tui.base_screen import BaseScreen, RecordActions
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.base import on_answer
from frontdesk.tui.dialogs.picker import NamedChoice, PickerDialog
from frontdesk.tui.dialogs.prompt import PromptDialog
from frontdesk.tui.futures import on_done
from frontdesk.tui.pane_switcher import MultiPaneScreen, PaneBackActions, PaneSwitcher
from frontdesk.tui.status_bar import ScreenState
from frontdesk_api.contract.ids import ConversationId
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import SafeText, counted, show_label, show_line, show_name, trusted
from frontdesk_lines.lines import Line
from frontdesk_lines.widgets.line_page import LineBox
from frontdesk_lines.widgets.pane import Pane
from frontdesk_lines.widgets.row_list import RowList

FOLLOW_SECONDS = 0.15
"""Delay of the breakdown after the cursor's last move, so that a held key costs nothing here."""


class BreakdownPane(Pane):
    """A list of bars, one for each group, by the group's key; `shown` returns the measure under the cursor.

    A heat map has a line for each hour of the day, by the hour.
    """

    def __init__(
        self, shown: Callable[[], tuple[NumbersReport, Measure] | None], view: Callable[[], RenderContext], id: str
    ) -> None:
        self.bars = RowList(self._draw, can_mark=False, seen_blurred=False)
        self._heading = LineBox(self._heading_lines)
        super().__init__(self._heading, self.bars, title=trusted("Breakdown"), id=id)
        self._shown, self._view = shown, view
        self._chart: BarChart | HeatMap | AlertList | None = None
        self._follow: Timer | None = None

    def show_soon(self) -> None:
        if self._follow is not None:
            self._follow.stop()
        self._follow = self.set_timer(FOLLOW_SECONDS, self.show_now)

    def show_now(self) -> None:
        shown = self._shown()
        if shown is None:
            return
        (report, measure), view = shown, self._view()
        found = report.breakdowns[0]
        by = "" if measure is Measure.ALERTS else f", by {dimension_name(found.by)}"
        self.set_title(trusted(f"{LABELS[measure]}{by}"))
        if measure is Measure.ALERTS:
            self._chart = AlertList(report.alerts, view)
            self.bars.set_empty("No alerts.")
        elif measure in found.measures:
            names = (report.period.short_name, report.before.short_name)
            is_map = found.by is Dimension.WEEK_HOUR
            self._chart = HeatMap(found, measure, view) if is_map else BarChart(found, measure, view, names)
            self.bars.set_empty("Nothing to break down.")
        else:
            other = view.key("numbers.by", "b")
            self._chart = None
            self.bars.set_empty(
                f"{LABELS[measure]} can't be counted{by[1:]}. Press {other} for another breakdown."
            )
        keys = [] if self._chart is None else self._chart.keys
        self.bars.set_keys(keys)
        self.bars.refresh_keys(keys)
        self._heading.redraw()

    def _heading_lines(self, width: int) -> Sequence[Line]:
        return () if self._chart is None else (self._chart.heading(width),)

    def _draw(self, key: str, width: int) -> Sequence[Line]:
        return () if self._chart is None else (self._chart.line(key, width),)


class OverviewPane(Pane):
    """Lines or people as a table with a cursor on one number; the numbers are the same in both orders of keys."""

    def __init__(self, by: Dimension, name: str, view: Callable[[], RenderContext], id: str) -> None:
        self.rows = RowList(self._draw, empty="Counting…", can_mark=False, seen_blurred=False)
        self._head = LineBox(lambda width: [] if self._table is None else [self._table.heading(width, self.at)])
        super().__init__(self._head, self.rows, title=trusted(name), id=id)
        self.by, self._view = by, view
        self._table: OverviewTable | None = None
        self._wanted = Measure.WAITING_LONG

    @property
    def at(self) -> Measure | None:
        """The measure under the cursor: the one that was moved to, or the nearest that a narrow screen has."""
        if self._table is None or not self.rows.is_active:
            return None
        shown = self._table.measures(self.rows.line_width)
        return self._wanted if self._wanted in shown else next(iter(shown), None)

    def show(self, found: Breakdown) -> None:
        self._table = OverviewTable(found, self._view())
        self.rows.set_empty("Nothing to show.")
        self.rows.set_keys([*self._table.groups])
        self.redraw()

    def redraw(self) -> None:
        self._head.redraw()
        self.rows.redraw()
        key, at = self.rows.cursor_key, self.at
        words = "" if self._table is None or key is None or at is None else self._table.describe(key, at)
        self.set_subtitle(trusted(words))

    def step(self, step: int) -> bool:
        """Move the cursor to the next number; False at the edge."""
        if self._table is None or self.at is None:
            return False
        shown = self._table.measures(self.rows.line_width)
        to = shown.index(self.at) + step
        if not 0 <= to < len(shown):
            return False
        self._wanted = shown[to]
        self.redraw()
        return True

    def _draw(self, key: str, width: int) -> Sequence[Line]:
        at = self.at if key == self.rows.cursor_key else None
        return () if self._table is None else (self._table.line(key, width, at),)


_FRAME = 3
"""Lines of a table beside its rows: the border and the heading."""


class Overview(Vertical):
    """The lines above the people, as breakdowns of what counts now and of what they did in a period."""

    def __init__(self, view: Callable[[], RenderContext]) -> None:
        self.lines = OverviewPane(Dimension.LINE, "Lines", view, "lines")
        self.people = OverviewPane(Dimension.AGENT, "People", view, "people")
        self.panes = (self.lines, self.people)
        super().__init__(*self.panes, id="overview")
        self.shown: Sequence[Breakdown] = ()

    @property
    def table(self) -> OverviewPane | None:
        """The table that has the focus, or had it last; None while another part of the screen is shown."""
        return next((each for each in self.panes if self.screen.has_class(f"-at-{each.id}")), None)

    def show(self, found: Sequence[Breakdown], days: str, answers: str) -> None:
        self.shown = found
        for pane, each in zip(self.panes, found, strict=True):
            pane.show(each)
        rows = len(found[0].groups)
        self.lines.styles.height = min(rows + _FRAME, max(2 * _FRAME, self.screen.size.height // 2 - 2))
        self.lines.set_title(trusted(" · ".join(filter(None, ("Lines", answers)))))
        self.people.set_title(trusted(f"People · now, and what they did: {days}"))

    def redraw(self) -> None:
        for each in self.panes:
            each.redraw()


REFRESH_SECONDS = 5.0
"""Numbers are read again at most so often while the store changes."""

AGED_SECONDS = 60.0
"""How old the numbers that time changes may be."""

COUNTED_AT_ONCE = 100
MAX_LISTED = 2_000
"""Records offered behind a number."""

USUAL_DAYS = ("today", "yesterday", "7", "28")
_COUNTS_OF = {
    Measure.FIRST_MEDIAN: Measure.FIRST_RESPONSES,
    Measure.FIRST_P90: Measure.FIRST_RESPONSES,
    Measure.NEXT_MEDIAN: Measure.NEXT_RESPONSES,
    Measure.NEXT_P90: Measure.NEXT_RESPONSES,
    Measure.RESOLUTION_MEDIAN: Measure.CLOSED,
    Measure.RESOLUTION_P90: Measure.CLOSED,
    Measure.PACE: Measure.RUNNING,
}
"""The records behind a median are those behind the number that it is a median of."""

_UNREADABLE = trusted("The numbers couldn't be loaded from the store. Try again in a moment.")

MakeReader = Callable[[ReadConnection], MetricsReader]
ReadNumbers = tuple[NumbersReport | list[Breakdown], int, float | None]
"""A report or an overview, and how many quarters of an hour have to be counted first."""


class NumbersScreen(MultiPaneScreen):
    """Mode 7."""

    key_context = "numbers"
    pane_names = (("lines", "Lines"), ("people", "People"), ("measures", "Numbers"), ("chart", "Breakdown"))
    CSS = """
    NumbersScreen.-high > PaneTabs { display: block; }
    NumbersScreen #overview { width: 1fr; display: none; }
    NumbersScreen.-at-lines #overview, NumbersScreen.-at-people #overview { display: block; }
    NumbersScreen.-at-lines #measures, NumbersScreen.-at-people #measures { display: none; }
    NumbersScreen.-at-lines #chart, NumbersScreen.-at-people #chart { display: none; }
    NumbersScreen OverviewPane LineBox, NumbersScreen BreakdownPane LineBox { height: 1; }
    NumbersScreen.-narrow.-at-chart #measures, NumbersScreen.-zoomed.-at-chart #measures { display: none; }
    NumbersScreen.-narrow.-at-measures #chart, NumbersScreen.-zoomed.-at-measures #chart { display: none; }
    NumbersScreen.-low.-at-lines #people, NumbersScreen.-zoomed.-at-lines #people { display: none; }
    NumbersScreen.-low.-at-people #lines, NumbersScreen.-zoomed.-at-people #lines { display: none; }
    """

    def __init__(
        self,
        app_context: AppContext,
        promises: Promises | None = None,
        fault: str = "",
        read_campaigns: ReadCampaigns = lambda _db, _now: (),
    ):
        super().__init__(app_context)
        self.promises, self._fault, self._read_campaigns = promises or Promises(), fault, read_campaigns
        by = str(self.saved_state.get("by"))
        self.by = Dimension(by) if by in set(Dimension) else Dimension.HOUR
        self.days = str(self.saved_state.get("days") or "today")
        self.report: NumbersReport | None = None
        self._is_reading = self._must_read = False
        self._refresh: Timer | None = None
        self._wanted: Measure | None = None
        """The number that the cursor goes to with the next report."""
        self.overview = Overview(app_context.view)
        self.rows = RowList(self._draw, row_height=HEIGHT, empty="Counting…", can_mark=False)
        self.measures = Pane(self.rows, title=trusted("Numbers"), id="measures")
        self.chart = BreakdownPane(self._shown_measure, app_context.view, id="chart")
        self.panes = PaneSwitcher(
            self,
            {
                **{each: each.rows for each in self.overview.panes},
                self.measures: self.rows,
                self.chart: self.chart.bars,
            },
            self.pane_tabs,
            self._before_pane,
        )
        self.record_actions = NumbersRecordActions(self)
        self._records = _CountedRecords(self)
        self.back_actions = PaneBackActions(self, lambda: False)

    def compose_body(self) -> ComposeResult:
        with Container(classes="body"):
            yield self.overview
            yield self.measures
            yield self.chart

    def on_mount(self) -> None:
        self.read()
        # Customers wait longer and clocks run out though nothing changes.
        self.set_interval(AGED_SECONDS, lambda: self.read() if self.is_current and self.overview.table else None)
        if self._fault:
            notify(self.app, show_label(f"{self._fault}.", 400), severity="warning")

    def home(self) -> Widget:
        return self.overview.lines.rows

    def state(self) -> ScreenState:
        if (table := self.overview.table) is not None:
            return ScreenState("list", rows=table.rows)
        is_chart = self.panes.is_at(self.chart)
        return ScreenState("chart" if is_chart else "list", rows=self.chart.bars if is_chart else self.rows)

    def focus_report(self) -> Focus:
        return Focus(screen="board")  # tasks are read as often as for the board

    def view_state(self) -> dict[str, object]:
        return {"days": self.days, "by": str(self.by)}

    def show_changes(self, events: frozenset[Event]) -> None:
        kinds = {event.kind for event in events}
        counted_kinds = {change_feed.TASK, change_feed.THREAD, change_feed.CONVERSATION, change_feed.COVERAGE}
        counted_kinds.add(change_feed.CAMPAIGN)
        if (kinds & counted_kinds or change_feed.EVERYTHING in events) and self._refresh is None:
            self._refresh = self.set_timer(REFRESH_SECONDS, self.read)

    def on_descendant_focus(self) -> None:
        self.panes.note_focus()
        self.overview.redraw()
        super().on_descendant_focus()

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if (table := self.overview.table) is not None and event.view is table.rows:
            table.redraw()
        elif event.view is self.rows:
            self.chart.show_soon()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        if (table := self.overview.table) is not None:
            if table.at is not None:
                self._records.offer(table.at, GroupFilter(table.by, event.key))
        elif event.view is self.rows and event.key == Measure.ALERTS:
            self.panes.focus_pane(self.chart)
        elif event.view is self.rows:
            self._records.offer(Measure(event.key))
        elif self.report is not None and self.measure is Measure.ALERTS:
            self._records.open_alert(next(each for each in self.report.alerts if each.key == event.key))
        elif self.report is not None and (measure := self.measure) is not None:
            by = self.report.breakdowns[0].by
            self._records.offer(
                measure, GroupFilter(Dimension.HOUR if by is Dimension.WEEK_HOUR else by, event.key)
            )

    @property
    def measure(self) -> Measure | None:
        return None if self.rows.cursor_key is None else Measure(self.rows.cursor_key)

    def _shown_measure(self) -> tuple[NumbersReport, Measure] | None:
        report, measure = self.report, self.measure
        return None if report is None or measure is None else (report, measure)

    def period(self) -> Period:
        now, zone = self.app_context.clock(), self.app_context.zone
        try:
            return parse_period(self.days, now, zone)
        except PeriodNotUnderstood:  # kept from a day on which it was understood
            self.days = "today"
            return parse_period(self.days, now, zone)

    def read(self) -> None:
        """Read the numbers on the background connection; once more if that is wanted meanwhile."""
        if self._refresh is not None:
            self._refresh.stop()
            self._refresh = None
        if self._is_reading:
            self._must_read = True
            return
        self._is_reading, self._must_read = True, False
        store = self.app_context.store
        by = self.by if self.overview.table is None else None
        job = partial(_read, period=self.period(), by=by, make_reader=self.make_reader)
        on_done(self.app, store.read_in_background(job), self._show)

    def make_reader(self, db: ReadConnection) -> MetricsReader:
        return MetricsReader(
            db, self.app_context.store.catalogue, self.app_context.clock(), self.promises, self._read_campaigns
        )

    def action_choose_days(self) -> None:
        dialog = PromptDialog(
            trusted("Which days?"),
            note=trusted(EXAMPLES),
            placeholder=self.days,
            fault=fault_of(partial(parse_period, now=self.app_context.clock(), zone=self.app_context.zone)),
        )
        self.app.push_screen(dialog, on_answer(self._set_days))

    def action_step_days(self, step: int) -> None:
        at = USUAL_DAYS.index(self.days) if self.days in USUAL_DAYS else -1
        self._set_days(USUAL_DAYS[max(0, min(len(USUAL_DAYS) - 1, at + step))])

    def action_step_pane(self, step: int, around: bool = True) -> None:
        """Move between the numbers of a table, too: `tab` leaves it."""
        table = self.overview.table
        if around or table is None or not table.step(step):
            super().action_step_pane(step, around)

    def action_next_dimension(self) -> None:
        """Break down by the next dimension; a number of the overview first by hour, where that can be counted."""
        if (table := self.overview.table) is not None:
            if (at := table.at) is not None:
                self.by = next(each for each in (Dimension.HOUR, self.by, *Dimension) if at in MEASURES[each])
                self._wanted = at
                self.panes.focus_pane(self.chart)
            return
        after = [*Dimension].index(self.by) + 1
        following = [*[*Dimension][after:], *[*Dimension][:after]]
        measure = self.measure
        with_sla = [each for each in following if each is not Dimension.SLA or self.promises.policies]
        self.by = next((each for each in with_sla if measure is None or measure in MEASURES[each]), self.by)
        self.save_view_state()
        self.read()

    def _set_days(self, days: str) -> None:
        self.days = days or "today"
        self.save_view_state()
        self.read()

    def _show(self, done: "Future[ReadNumbers]") -> None:
        self._is_reading = False
        if not self.is_attached:
            return
        stale = 0
        if done.exception() is None:
            stale = self._show_report(done.result())
        else:
            notify(self.app, _UNREADABLE)
        if self._must_read:
            self.read()
        elif stale:
            self._count()

    def _show_report(self, numbers: ReadNumbers) -> int:
        """Show the numbers, and return how many quarter-hours are still to be counted."""
        found, stale, as_of = numbers
        answers = answers_words(as_of, self.app_context.view())
        counting = f" · counting, {stale:,} quarter-hours left" if stale else ""
        if not isinstance(found, NumbersReport):
            self.overview.show(found, f"{self.period().name}{counting}", answers)
            self.status_bar.update_hints()
            return stale
        self.report = found
        keys = [row.measure for row in self.report.rows]
        if list(self.rows.keys) != keys:
            self.rows.set_keys(keys)
        if self._wanted is not None:
            self.rows.move_to(self._wanted)
            self._wanted = None
        self.rows.refresh_keys(keys)
        self.measures.set_title(trusted(" · ".join(filter(None, (f"{found.period.name}{counting}", answers)))))
        self.measures.set_subtitle(trusted(f"compared with {self.report.before.name_in_full}"))
        self.chart.show_now()
        self.status_bar.update_hints()
        return stale

    def _count(self) -> None:
        """Count what is stale, then read again; the engine does the same, but from now back."""
        period = self.period()
        batch = partial(
            metrics_store.count_batch, limit=COUNTED_AT_ONCE, start=period.before.start, end=period.end
        )
        on_done(self.app, self.app_context.store.write(batch), self._counted)

    def _counted(self, done: "Future[int]") -> None:
        if self.is_attached and done.exception() is None:
            self.read()  # though nothing was left: the engine may have counted it meanwhile

    def _before_pane(self, pane: Pane) -> None:
        if (pane in self.overview.panes) == (self.overview.table is None) or self._wanted is not None:
            self.call_next(self.read)  # the other page, once the pane has the focus
        if pane is self.chart:
            self.chart.show_now()

    def _draw(self, key: str, width: int) -> Sequence[Line]:
        if self.report is None:
            return ()
        row = next(each for each in self.report.rows if each.measure == key)
        return measure_lines(row, self.report, width, self.app_context.view())


class _CountedRecords:
    """Offers the conversations or tasks that a number was counted from."""

    def __init__(self, screen: NumbersScreen) -> None:
        self._screen = screen

    def offer(self, measure: Measure, group: GroupFilter | None = None) -> None:
        """Read them in the background, those of one bar alone if it is given, and show them."""
        of = _COUNTS_OF.get(measure, measure)
        screen = self._screen
        job = partial(_list, period=screen.period(), measure=of, group=group, make_reader=screen.make_reader)
        store = screen.app_context.store
        on_done(screen.app, store.read_in_background(job), partial(self._show, of, group))

    def _show(self, measure: Measure, group: GroupFilter | None, done: "Future[list[NamedChoice]]") -> None:
        if not self._screen.is_current:
            return
        if done.exception() is not None:
            notify(self._screen.app, _UNREADABLE)
            return
        choices = done.result()
        name = f"{LABELS[measure]}: late ones" if measure in KEPT else LABELS[measure]
        if group is not None:
            view = self._screen.app_context.view()
            name = f"{name}, {group_name(group.by, group.key, view)}"
        if not choices:
            notify(self._screen.app, show_line(f"{name}: nothing to list.", 200))
            return
        left = len(choices) - MAX_LISTED
        note = trusted(f"{left:,} more; `frontdesk stats --list` lists all" if left > 0 else "")
        title = show_line(f"{name}: {counted(len(choices), measure.thing)}", 200)
        dialog = PickerDialog(title, choices[:MAX_LISTED], note=note, placeholder="name")
        self._screen.app.push_screen(dialog, on_answer(partial(self._open, measure)))

    def open_alert(self, alert: ShownAlert) -> None:
        if alert.about == "conversation":
            self._screen.post_message(BaseScreen.ConversationRequested(ConversationId(alert.record_id)))
        else:
            self._screen.post_message(BaseScreen.RecordRequested(alert.about, alert.record_id))

    def _open(self, measure: Measure, chosen: str) -> None:
        if measure.thing == "conversation":
            self._screen.post_message(BaseScreen.ConversationRequested(ConversationId(chosen)))
        else:
            self._screen.post_message(BaseScreen.RecordRequested(measure.thing, chosen))


class NumbersRecordActions(RecordActions):
    """Shows and copies the overview or the report as JSON."""

    def __init__(self, screen: NumbersScreen) -> None:
        super().__init__(screen, screen.app_context)
        self._numbers = screen

    def raw(self) -> tuple[str, object] | None:
        report, overview = self._numbers.report, self._numbers.overview
        if overview.table is not None:
            return ("Overview", breakdowns_as_json(overview.shown, self._app_context.view()))
        return None if report is None else ("Numbers", as_json(report, self._app_context.view()))


def _read(db: ReadConnection, *, period: Period, by: Dimension | None, make_reader: MakeReader) -> ReadNumbers:
    """Read a report with one breakdown, or else the overview."""
    with snapshot(db):
        reader = make_reader(db)
        found = reader.overview(period) if by is None else reader.report(period, [by])
        return (found, metrics_store.stale(db, period.before.start, period.end), reader.answers_as_of)


def _list(
    db: ReadConnection, *, period: Period, measure: Measure, group: GroupFilter | None, make_reader: MakeReader
) -> list[NamedChoice]:
    with snapshot(db):
        reader = make_reader(db)
        if measure.thing == "campaign":
            return [
                NamedChoice(
                    one.campaign_id,
                    show_line(one.name or one.campaign_id, 60),
                    trusted(campaign_note(one)),
                    is_found_by_id=True,
                )
                for one in reader.list_campaigns(measure, group)
            ]
        if measure.thing == "conversation":
            conversations = reader.list_conversations(period, measure, group)
            return [
                NamedChoice(
                    each.conversation_id,
                    _customer(each.name, each.conversation_id),
                    trusted(
                        f"{each.records:,}"
                        if each.seconds is None
                        else f"{lasted(measure)} {duration_words(each.seconds)}"
                    ),
                    is_found_by_id=True,
                )
                for each in conversations
            ]
        tasks = reader.list_tasks(period, measure, group)
        titles = reader.titles([task for task, _ in tasks])
        return [
            NamedChoice(
                task.task_id,
                show_line(titles.get(task.task_id, ("", ""))[0] or task.task_id, 60),
                _task_note(titles.get(task.task_id, ("", ""))[1], task.task_id, lasted(measure), seconds),
                is_found_by_id=True,
            )
            for task, seconds in tasks
        ]


def _task_note(customer: str, task_id: str, lasts: str, seconds: float | None) -> SafeText:
    name = show_name(customer, 24, kind=CUSTOMER, key=task_id).text if customer else ""
    open_for = "" if seconds is None else f"{lasts} {duration_words(seconds)}"
    return trusted(" · ".join(each for each in (name, open_for) if each))


def _customer(name: str, conversation_id: str) -> SafeText:
    return show_name(name or conversation_id, 40, kind=CUSTOMER, key=conversation_id)
