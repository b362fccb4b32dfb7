"""DeliveryResultsDialog: what became of a campaign's recipients, while their threads are read.

The engine goes on reading when the dialog is closed.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from frontdesk.campaigns.changes import CampaignCommands
from frontdesk.campaigns.delivery_results import (
    PORTION,
    DeliveryResultGroup,
    DeliveryResultsRecord,
    ResultClass,
    ResultsUnavailable,
    sending_period_of,
)
from frontdesk.campaigns.models import CampaignRecord
from frontdesk.campaigns.store import delivery_results as result_store
from frontdesk.campaigns.view import delivery_results
from frontdesk.config.paths import file_stem, path_problem
from frontdesk.tui.base_screen import BaseScreen
from frontdesk.tui.context import AppContext
from frontdesk.tui.dialogs.base import TALL, Dialog, KeysLine, on_answer
from frontdesk.tui.dialogs.prompt import PromptDialog, ask_and_save
from frontdesk.tui.keymap import keys_line
from frontdesk_api.contract.values import CAMPAIGN_ENDED
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import NOTHING, SafeText, counted, show_line, trusted
from frontdesk_lines.keyboard_layouts import with_layout_keys
from frontdesk_lines.lines import Line, Role, paragraph, span
from frontdesk_lines.widgets.line_page import LineBox
from frontdesk_lines.widgets.note import Note
from frontdesk_lines.widgets.row_list import RowList

ALL_RECIPIENTS = 2**31
MAX_ROWS, MIN_ROWS = 9, 3
ABOUT_LINES = 6
NOTHING_YET = f"Press s to check {PORTION} recipients, chosen at random, or all of fewer (one request each)."
STILL_RUNS = "The campaign is still running; check unreached recipients again later."


class DeliveryResultsDialog(Dialog[tuple[DeliveryResultGroup, ...]]):
    """Shows the groups of results; answers with those of which a list is to be written."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(with_layout_keys("s"), "toggle_reading", "start or stop"),
        Binding(with_layout_keys("a"), "everybody", "check all"),
        Binding(with_layout_keys("w"), "write", "save a list"),
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

    def __init__(self, app_context: AppContext, record: CampaignRecord) -> None:
        name = show_line(record.name or record.campaign_id, 60)
        super().__init__(SafeText(f"Delivery · {name.text}", name.was_sanitized))
        self._app_context, self._campaign = app_context, record
        self._impossible = _why_impossible(record)
        self._record = self._read()
        self._groups: dict[str, DeliveryResultGroup] = {}
        self._headline, self._progress = Note(), Note()
        self._rows = RowList(self._draw, empty="" if self._impossible else NOTHING_YET)
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
        if not self._impossible:
            has_ended = self._campaign.status in CAMPAIGN_ENDED
            note = delivery_results.MATCHED_BY_TIME if has_ended else STILL_RUNS
            yield Note((span(note, Role.DIM),), classes="dialog--aside")

    def on_mount(self) -> None:
        if self._impossible:
            # Textual gives the focus to a hidden widget too, unless it's disabled.
            self._rows.disabled = True
            self._headline.display = self._progress.display = self._rows.display = False
        self._rows.focus()
        self.reload()

    def on_resize(self) -> None:
        # Heights that follow the groups would lay the box out anew with each one that is met.
        height = self.app.size.height
        lines = ABOUT_LINES if height >= TALL else 2
        self._about.styles.height = "auto" if self._impossible else lines
        self._rows.styles.height = max(MIN_ROWS, min(MAX_ROWS, height - ABOUT_LINES - 12))
        self.reload()

    def _read(self) -> DeliveryResultsRecord:
        return result_store.record(self._app_context.store.reading, self._campaign.campaign_id)

    def reload(self) -> None:
        self._record = record = self._read()
        self._groups = {_key(each): each for each in record.groups}
        self._rows.set_keys(tuple(self._groups))
        self._rows.redraw()
        self._about.redraw()
        width = max(1, self._headline.content_size.width)
        if not self._impossible:
            self._headline.set_line(delivery_results.headline(record, width))
        view = self._app_context.view()
        self._progress.set_line(delivery_results.progress(record, width, view) if record.state else ())
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
            CampaignCommands(self._app_context.store).stop_delivery_results(self._campaign.campaign_id)
        else:
            self._begin(self._record.checked + PORTION)

    def action_everybody(self) -> None:
        self._begin(ALL_RECIPIENTS)

    def action_write(self) -> None:
        if self._wanted:
            self.done(self._wanted)
        else:
            notify(self.app, SafeText("No failed recipients found yet."))

    @property
    def _wanted(self) -> tuple[DeliveryResultGroup, ...]:
        if self._rows.marks:
            return tuple(self._groups[key] for key in self._rows.targets)
        return tuple(each for each in self._groups.values() if each.result_class is ResultClass.FAILED)

    def _begin(self, wanted: int) -> None:
        if not self._impossible:
            store, campaign_id = self._app_context.store, self._campaign.campaign_id
            CampaignCommands(store).read_delivery_results(campaign_id, wanted)

    def _keys(self) -> Line:
        if self._impossible:
            return keys_line(("esc", "close"))
        runs = self._record.state == "asked"
        keys = [("j k", "move"), ("space", "mark")]
        if self._groups:
            keys.append(("w", "save marked" if self._rows.marks else "save failed"))
        if self._record.total is None or self._record.checked < self._record.total:
            keys += [("a", "check all"), ("s", "stop" if runs else f"{PORTION} more" if self._groups else "start")]
        return keys_line(*keys, ("esc", "close"))

    def _about_lines(self, width: int) -> Sequence[Line]:
        if self._impossible:
            return paragraph(self._impossible, width, Role.WARN)
        group = self._groups.get(self._rows.cursor_key or "")
        return () if group is None else delivery_results.group_lines(group, width)

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        return (delivery_results.group_row(self._groups[key], self._record, width, self._app_context.view()),)


def _key(group: DeliveryResultGroup) -> str:
    """Return a row's key, the same while the count grows."""
    return "\0".join((group.status, group.code, "" if group.code else group.title))


def show_delivery_results(screen: BaseScreen, record: CampaignRecord) -> None:
    dialog = DeliveryResultsDialog(screen.app_context, record)
    screen.app.push_screen(dialog, on_answer(partial(_ask_path, screen, record)))


def delivery_results_changed(screen: BaseScreen) -> None:
    if isinstance(top := screen.app.screen, DeliveryResultsDialog) and top.is_mounted:
        top.reload()


def _why_impossible(record: CampaignRecord) -> SafeText:
    try:
        sending_period_of(record.raw)
    except ResultsUnavailable as error:
        return show_line(f"No delivery results: {error}.", 400)
    return NOTHING


def _ask_path(screen: BaseScreen, record: CampaignRecord, groups: tuple[DeliveryResultGroup, ...]) -> None:
    count = sum(each.count for each in groups)
    dialog = PromptDialog(
        trusted(f"Save a list of {counted(count, 'recipient')}"),
        note=trusted("CSV with numbers, names and countries, for a new campaign. Choose a new file name."),
        placeholder="file name",
        fault=path_problem,
        draft=f"~/{file_stem(record.campaign_id, 'campaign')}-again.csv",
    )

    # It loads what is known of all countries' numbers.
    from frontdesk.campaigns.recipients import save_list

    ask_and_save(
        screen.app,
        screen.app_context,
        dialog,
        lambda db, path: save_list(db, record.campaign_id, groups, path),
        lambda path, saved: show_line(f"Saved {counted(saved, 'recipient')} to {path}"),
    )
