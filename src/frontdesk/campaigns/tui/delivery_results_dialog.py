"""DeliveryResultsDialog: what became of a campaign's recipients, while their threads are read.

The engine goes on reading when the dialog is closed.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from frontdesk.api.contract.states import CAMPAIGN_ENDED
from frontdesk.campaigns.commands import CampaignCommands
from frontdesk.campaigns.metrics.delivery_results import CannotTell, ResultClass, class_of, sending_period_of
from frontdesk.campaigns.models import CampaignRecord, DeliveryResultGroup, DeliveryResultsRecord
from frontdesk.campaigns.store import delivery_results as result_store
from frontdesk.campaigns.view import delivery_results
from frontdesk.config.paths import expand_path, path_problem
from frontdesk.config.render_context import RenderContext
from frontdesk.text.display_text import NOTHING, SafeText, show_line, trusted
from frontdesk.text.lines import Line, Role, paragraph, span
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.content import notify
from frontdesk.tui.dialogs.base import TALL, Answered, Closed, Dialog, KeysLine, Note
from frontdesk.tui.dialogs.prompt import PromptDialog
from frontdesk.tui.futures import on_done
from frontdesk.tui.keymap import keys_line, with_layout_keys
from frontdesk.tui.widgets.line_page import LineBox
from frontdesk.tui.widgets.row_list import RowList

PORTION = 400
"""Recipients that are checked before reading stops: enough to know a share to within some percent."""

EVERYBODY = 2**31
MAX_ROWS, FEWEST_ROWS = 9, 3
ABOUT_LINES = 6
NOTHING_YET = "s reads the threads of {} of them, drawn by lot: one request each."


@dataclass(frozen=True, slots=True)
class ResultsSource:
    """Where the dialog gets its record, and how it asks for more.

    Attributes:
        begin: checks recipients until so many are known.
        why_not: why nothing can be found out; empty where it can.
        runs_on: a note that the campaign still runs; empty where it has ended.
    """

    read: Callable[[], DeliveryResultsRecord]
    begin: Callable[[int], None]
    stop: Callable[[], None]
    view: Callable[[], RenderContext]
    why_not: SafeText
    runs_on: SafeText


class DeliveryResultsDialog(Dialog[tuple[DeliveryResultGroup, ...]]):
    """Shows the groups of results; answers with those of which a list is to be written."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(with_layout_keys("s"), "toggle_reading", "start or stop"),
        Binding(with_layout_keys("a"), "everybody", "everybody"),
        Binding(with_layout_keys("w"), "write", "write a list"),
        Binding(with_layout_keys("q", "E"), "close", "close"),
    ]
    DEFAULT_CSS = """
    DeliveryResultsDialog {
        & > .dialog--box { width: 92; }
        & RowList { margin-top: 1; }
        & LineBox { margin-top: 1; background: $panel; }
    }
    DeliveryResultsDialog.-short LineBox { margin-top: 0; }
    """

    def __init__(self, title: SafeText, source: ResultsSource) -> None:
        super().__init__(title)
        self._source = source
        self._record = source.read()
        self._groups: dict[str, DeliveryResultGroup] = {}
        self._headline, self._progress = Note(), Note()
        self._rows = RowList(self._draw, empty="" if source.why_not else NOTHING_YET.format(PORTION))
        self._about = LineBox(self._about_lines)

    @property
    def rows(self) -> RowList:
        return self._rows

    @property
    def record(self) -> DeliveryResultsRecord:
        return self._record

    def compose_body(self) -> Iterable[Widget]:
        yield self._headline
        yield self._progress
        yield self._rows
        yield self._about
        if not self._source.why_not:
            yield Note(
                (span(self._source.runs_on or delivery_results.HOW_IT_IS_TOLD, Role.DIM),), classes="dialog--aside"
            )

    def on_mount(self) -> None:
        self._rows.focus()
        self.read_again()

    def on_resize(self) -> None:
        # Heights that follow the groups would lay the box out anew with each one that is met.
        height = self.app.size.height
        self._about.styles.height = ABOUT_LINES if height >= TALL else 2
        rows = 0 if self._source.why_not else max(FEWEST_ROWS, min(MAX_ROWS, height - ABOUT_LINES - 12))
        self._rows.styles.height = rows
        self.read_again()

    def read_again(self) -> None:
        self._record = record = self._source.read()
        self._groups = {_key(each): each for each in record.groups}
        self._rows.set_keys(tuple(self._groups))
        self._rows.redraw()
        self._about.redraw()
        width = max(1, self._headline.content_size.width)
        if not self._source.why_not:
            self._headline.set_line(delivery_results.headline(record, width))
        self._progress.set_line(
            delivery_results.progress(record, width, self._source.view()) if record.state else ()
        )
        self.query_one(KeysLine).set_line(self._keys())

    @on(RowList.Highlighted)
    @on(RowList.Chosen)
    def _stop_message(self, event: RowList.Highlighted | RowList.Chosen) -> None:
        event.stop()
        self._about.redraw()

    @on(RowList.Marked)
    def _marked(self, event: RowList.Marked) -> None:
        event.stop()
        self.query_one(KeysLine).set_line(self._keys())

    def action_toggle_reading(self) -> None:
        if self._record.state == "asked":
            self._source.stop()
        else:
            self._begin(self._record.checked + PORTION)

    def action_everybody(self) -> None:
        self._begin(EVERYBODY)

    def action_write(self) -> None:
        if self._wanted:
            self.done(self._wanted)
        else:
            notify(self.app, SafeText("Nobody who failed is known yet."))

    @property
    def _wanted(self) -> tuple[DeliveryResultGroup, ...]:
        if self._rows.marks:
            return tuple(self._groups[key] for key in self._rows.targets)
        return tuple(
            each for each in self._groups.values() if class_of(each.status, each.code) is ResultClass.FAILED
        )

    def _begin(self, wanted: int) -> None:
        if not self._source.why_not:
            self._source.begin(wanted)

    def _keys(self) -> Line:
        if self._source.why_not:
            return keys_line(("esc", "close"))
        runs = self._record.state == "asked"
        keys = [("j k", "move"), ("space", "mark")]
        if self._groups:
            keys.append(("w", "list of the marked" if self._rows.marks else "list of the failed"))
        if self._record.total is None or self._record.checked < self._record.total:
            keys += [("a", "everybody"), ("s", "stop" if runs else f"{PORTION} more" if self._groups else "start")]
        return keys_line(*keys, ("esc", "close"))

    def _about_lines(self, width: int) -> Sequence[Line]:
        if self._source.why_not:
            return paragraph(self._source.why_not, width, Role.WARN)
        group = self._groups.get(self._rows.cursor_key or "")
        return () if group is None else delivery_results.group_lines(group, width)

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        return (delivery_results.group_row(self._groups[key], self._record, width, self._source.view()),)


def _key(group: DeliveryResultGroup) -> str:
    """A row's key, the same while the count grows."""
    return "\0".join((group.status, group.code, "" if group.code else group.title))


def show_delivery_results(screen: BaseScreen, record: CampaignRecord) -> None:
    """Show what became of a campaign's recipients."""
    store, campaign_id = screen.app_context.store, record.campaign_id
    source = ResultsSource(
        read=lambda: result_store.record(store.reading, campaign_id),
        begin=lambda wanted: CampaignCommands(store).read_delivery_results(campaign_id, wanted),
        stop=lambda: CampaignCommands(store).stop_delivery_results(campaign_id),
        view=screen.app_context.view,
        why_not=_why_not(record),
        runs_on=_runs_on(record),
    )
    name = show_line(record.name or campaign_id, 60)
    dialog = DeliveryResultsDialog(SafeText(f"How they fared · {name.text}", name.was_sanitized), source)

    def answered(answer: Answered[tuple[DeliveryResultGroup, ...]] | Closed | None) -> None:
        if isinstance(answer, Answered):
            _ask_path(screen, record, answer.value)

    screen.app.push_screen(dialog, answered)


def delivery_results_changed(screen: BaseScreen) -> None:
    """Refresh an open dialog."""
    if isinstance(top := screen.app.screen, DeliveryResultsDialog) and top.is_mounted:
        top.read_again()


def _why_not(record: CampaignRecord) -> SafeText:
    try:
        sending_period_of(record.raw)
    except CannotTell as error:
        return show_line(f"It can't be told: {error}.", 400)
    return NOTHING


def _runs_on(record: CampaignRecord) -> SafeText:
    if record.status in CAMPAIGN_ENDED:
        return NOTHING
    return trusted("It still runs: whose turn hasn't come yet is looked at again later.")


def _ask_path(screen: BaseScreen, record: CampaignRecord, groups: tuple[DeliveryResultGroup, ...]) -> None:
    count = sum(each.count for each in groups)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", record.campaign_id).strip(".-") or "campaign"
    dialog = PromptDialog(
        trusted(f"A list of {count:,} for a new campaign"),
        note=trusted("CSV, with their numbers, names and countries. The name of a file that isn't there yet."),
        placeholder="file name",
        fault=path_problem,
        draft=f"~/{name}-again.csv",
    )

    # It loads what is known of all countries' numbers.
    from frontdesk.campaigns.recipients import save_list

    def answered(answer: Answered[str] | Closed | None) -> None:
        if isinstance(answer, Answered):
            path = expand_path(answer.value)
            saved = screen.app_context.store.read_in_background(
                lambda db: save_list(db, record.campaign_id, groups, path)
            )
            on_done(screen.app, saved, lambda done: _notify_saved(screen, path, done))

    screen.app.push_screen(dialog, answered)


def _notify_saved(screen: BaseScreen, path: Path, saved: "Future[int]") -> None:
    error = saved.exception()
    if error is None:
        notify(screen.app, show_line(f"{saved.result():,} are in {path}"), timeout_seconds=10)
    else:
        why = error.strerror if isinstance(error, OSError) else type(error).__name__
        words = show_line(f"{path} was not written: {why}")
        notify(screen.app, words, severity="error", timeout_seconds=30)
