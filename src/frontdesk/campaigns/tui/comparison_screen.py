"""ComparisonScreen: curves of campaigns by the time since each started, and a table at one such time.

The time stays at the newest until it is moved; a poll redraws only what differs. The report is asked for here.
"""

import contextlib
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.widget import Widget

from frontdesk.campaigns.alert_rules import rules
from frontdesk.campaigns.comparison import CurveMeasure, baseline, curve, have_other_sizes
from frontdesk.campaigns.models import CampaignHistory, CampaignRecord
from frontdesk.campaigns.reports import SHIFT_SECONDS, read_history, write_report
from frontdesk.campaigns.shift_report import Shift
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.view import comparison as campaign_comparison
from frontdesk.campaigns.view.charts import LETTERS, Curve, Picture, count_label, draw, round_span
from frontdesk.config.paths import path_problem
from frontdesk.outbox.bulk import bulk_title
from frontdesk.storage import change_feed
from frontdesk.storage.clients import Focus
from frontdesk.storage.records import Event
from frontdesk.storage.sql import ReadConnection
from frontdesk.tui.base_screen import BackActions, BaseScreen, RecordActions
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.prompt import PromptDialog, ask_and_save
from frontdesk_api.contract.ids import CampaignId
from frontdesk_lines.display_text import SafeText, show_line, trusted
from frontdesk_lines.glyphs import ASCII
from frontdesk_lines.lines import EMPTY, Line, Role, fit, span
from frontdesk_lines.widgets.line_page import LineBox
from frontdesk_lines.widgets.pane import Pane
from frontdesk_lines.widgets.row_list import RowList


class ComparisonScreen(BaseScreen):
    """Bound to the campaigns that it was opened with."""

    key_context = "comparing"
    tab = "campaigns"
    CSS = """
    ComparisonScreen > .body { layout: vertical; }
    ComparisonScreen #curves { height: 1fr; }
    ComparisonScreen #beside { height: auto; max-height: 50%; }
    ComparisonScreen #columns { height: 1; }
    """

    def __init__(self, app_context: AppContext, records: Sequence[CampaignRecord]):
        super().__init__(app_context)
        self._ids = [each.campaign_id for each in records]
        self._histories = {
            each.campaign_id: read_history(app_context.store.reading, each, app_context.clock())
            for each in records
        }
        self.record_actions = HistoryRecordActions(self)
        self.back_actions = ComparisonBackActions(self)
        self._measure = CurveMeasure.SENT
        self._of_total = have_other_sizes(records)
        self._seconds: float | None = None
        self._picture: Picture | None = None
        self._drawn_at: tuple[object, ...] = ()
        self.curves = LineBox(self._curve_lines)
        self.columns = LineBox(lambda width: (campaign_comparison.heading(width),), id="columns")
        self.rows = RowList(self._draw, can_mark=False)

    def compose_body(self) -> ComposeResult:
        self.rows.styles.height = len(self._ids)
        with Container(classes="body"):
            yield (upper := Pane(self.curves, id="curves"))
            yield (lower := Pane(self.columns, self.rows, id="beside"))
        self.upper, self.lower = upper, lower

    def on_mount(self) -> None:
        self.rows.set_keys(self._ids)
        self._update_titles()

    def home(self) -> Widget:
        return self.rows

    def focus_report(self) -> Focus:
        return Focus(screen="campaigns")

    def show_changes(self, events: frozenset[Event]) -> None:
        touched = {event.id for event in events if event.kind == change_feed.CAMPAIGN} & set(self._ids)
        if change_feed.EVERYTHING in events:
            touched = set(self._ids)
        if not touched:
            return
        db = self.app_context.store.reading
        for record in campaign_store.watched(db):
            if record.campaign_id in touched:
                before = self._histories[record.campaign_id]
                self._histories[record.campaign_id] = read_history(db, record, self.app_context.clock(), before)
        self._redraw()

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self._update_titles()

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self._redraw()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.record_actions.show_lines(trusted("Campaigns"), self._legend)

    def action_step(self, steps: int) -> None:
        """Move the time by columns of the picture; at the newest it stays there."""
        columns = 60 if self._picture is None else self._picture.columns
        size = max(1.0, self._until / max(1, columns - 1))
        index = round(self.seconds / size) + steps
        newest = self._until
        self._seconds = max(0.0, index * size)
        if self._seconds >= newest and steps > 0:
            self._seconds = newest
        self._redraw()

    def action_newest(self) -> None:
        self._seconds = None
        self._redraw()

    def action_measure(self) -> None:
        every = list(CurveMeasure)
        self._measure = every[(every.index(self._measure) + 1) % len(every)]
        self._redraw()

    def action_of_total(self) -> None:
        self._of_total = not self._of_total
        self._redraw()

    def action_write(self) -> None:
        ask_report_path(self, self._ids, marked=True)

    @property
    def seconds(self) -> float:
        """Return the time since the start that the table shows."""
        if self._seconds is not None:
            return self._seconds
        # Of one that hasn't started there is no such time: then it is that of the others.
        return (0.0 if (history := self.chosen) is None else history.length) or self._longest

    @property
    def chosen(self) -> CampaignHistory | None:
        return self._histories.get(CampaignId(self.rows.cursor_key or self._ids[0]))

    @property
    def _longest(self) -> float:
        histories = self._histories.values()
        return max(each.span for each in histories) or max(each.length for each in histories)

    @property
    def _until(self) -> float:
        return round_span(max(60.0, self._longest))

    def _redraw(self) -> None:
        self.curves.redraw()
        self.rows.redraw()
        self._update_titles()

    def _update_titles(self) -> None:
        if not self.is_mounted:
            return
        what = f"{self._measure}, share of all recipients" if self._of_total else str(self._measure)
        when = " · now" if self._seconds is None else ""
        self.upper.set_title(
            (
                span(what[:1].upper() + what[1:]),
                span(f" · {campaign_comparison.length(self.seconds)} since the start{when}", Role.DIM),
            )
        )
        self.upper.set_subtitle(self._comparison_line())
        history, began = self.chosen, ""
        if history is not None and history.record.started_at is not None:
            started = self.app_context.view().when(history.record.started_at)
            began = f" · {self._letter(history)} started {started}"
        self.lower.set_title((span("At the selected time"), span(began, Role.DIM)))

    def _comparison_line(self) -> Line:
        mine = self.chosen
        if mine is None:
            return EMPTY
        others = [each.record for each in self._histories.values() if each is not mine]
        other = baseline(mine.record, others)
        if other is None:
            return (span("No earlier campaign has this workflow or name; mark two on Campaigns", Role.DIM),)
        words = campaign_comparison.describe_lead(
            mine,
            self._histories[other.campaign_id],
            self._measure,
            self.seconds,
            self.app_context.view(),
            of_total=self._of_total,
        )
        return (span(f"{self._letter(mine)} · ", Role.DIM), *words)

    def _letter(self, history: CampaignHistory) -> str:
        return LETTERS[self._ids.index(history.record.campaign_id)]

    def _curve_lines(self, width: int) -> tuple[Line, ...]:
        height = self.curves.size.height
        histories = [self._histories[each] for each in self._ids]
        until = self._until
        most = campaign_comparison.highest(histories, self._measure, until, of_total=self._of_total)
        inputs = (self._measure, self._of_total, width, height, until, most, tuple(map(_newest, histories)))
        if inputs != self._drawn_at:
            self._drawn_at = inputs
            steps = 2 * max(1, width)
            parts = [curve(each, self._measure, until, steps, of_total=self._of_total) for each in histories]
            curves = [Curve(index, each) for index, each in enumerate(parts)]
            label = campaign_comparison.share_label if self._of_total else count_label
            self._picture = draw(curves, until, most, width, height, self.app_context.glyphs, label)
        if self._picture is None:
            return (fit([span("Not enough room for the curves.", Role.DIM)], width),)
        sign = "|" if self.app_context.glyphs is ASCII else "│"
        return tuple(self._picture.at(self.seconds / until, sign))

    def _legend(self, width: int) -> tuple[Line, ...]:
        view = self.app_context.view()
        return tuple(
            campaign_comparison.legend(self._histories[each], index, width, view)
            for index, each in enumerate(self._ids)
        )

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        index = next(at for at, each in enumerate(self._ids) if each == key)
        history = self._histories[self._ids[index]]
        return (campaign_comparison.row(history, index, self.seconds, width, self.app_context.view()),)


class ComparisonBackActions(BackActions):
    """Closes the comparison."""

    def __init__(self, screen: ComparisonScreen) -> None:
        self._comparing = screen

    def navigate_back(self) -> bool:
        self._comparing.dismiss()
        return True


class HistoryRecordActions(RecordActions):
    """The record actions on the comparison's chosen campaign."""

    def __init__(self, screen: ComparisonScreen) -> None:
        super().__init__(screen, screen.app_context)
        self._comparing = screen

    def raw(self) -> tuple[str, object] | None:
        return None if (history := self._comparing.chosen) is None else ("Campaign", history.record.raw)

    def copied_id(self) -> str | None:
        return self._comparing.rows.cursor_key

    def refresh_target(self) -> str:
        return self._comparing.rows.cursor_key or ""


def _newest(history: CampaignHistory) -> tuple[object, ...]:
    return (len(history.samples), history.samples[-1:], round(history.end))


def ask_report_path(
    screen: BaseScreen,
    campaign_ids: Sequence[str],
    *,
    marked: bool,
    names: Sequence[SafeText] = (),
    written: Callable[[], object] = lambda: None,
) -> None:
    """Ask for a file's name, and write the report of these campaigns.

    Args:
        marked: a person chose them: all of each is reported, and the samples are exported too.
        names: of the marked ones, for the title.
    """
    app_context = screen.app_context
    folder = app_context.store.folder / "reports"
    moment = datetime.fromtimestamp(app_context.clock(), app_context.zone)
    with contextlib.suppress(OSError):  # that the folder isn't there is said when its name is taken
        folder.mkdir(mode=0o700, exist_ok=True)
    note = (
        "A shift report for the last 12 hours, as Markdown, or as a page with pictures if the name ends in .html."
    )
    if marked:
        note = "A shift report as Markdown or .html, and the counters over time as CSV in a second file."
    title = "Write a report"
    dialog = PromptDialog(
        bulk_title(title, list(names[:3]), len(names), "marked") if names else trusted(title),
        note=trusted(note),
        placeholder="path",
        fault=path_problem,
        draft=str(folder / f"shift-{moment:%Y-%m-%d-%H%M}.md"),
    )

    def write(db: ReadConnection, path: Path) -> list[Path]:
        store, now = app_context.store, app_context.clock()
        shift = Shift(store.profile.name, now - SHIFT_SECONDS, now, app_context.zone)
        return write_report(db, campaign_ids, path, shift, rules(store.settings.alerts), marked=marked)

    def saved(_: Path, paths: list[Path]) -> SafeText:
        written()
        return show_line(f"Saved {' and '.join(map(str, paths))}", 400)

    ask_and_save(screen.app, app_context, dialog, write, saved)
