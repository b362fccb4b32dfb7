"""CampaignsScreen: the watched campaigns, and the details of the one under the cursor."""

from collections.abc import Mapping, Sequence
from functools import partial

from textual.app import ComposeResult
from textual.containers import Container
from textual.widget import Widget

from frontdesk.campaigns.alert_rules import rules
from frontdesk.campaigns.changes import CampaignCommands
from frontdesk.campaigns.models import STATUS_WORDS, CampaignOrder, CampaignRecord
from frontdesk.campaigns.preflight_facts import WorkflowSource
from frontdesk.campaigns.reading_cache import CampaignReading, CampaignReadings
from frontdesk.campaigns.store import alerts as alert_store
from frontdesk.campaigns.store import campaigns as campaign_store
from frontdesk.campaigns.store.campaigns import shared_workflows
from frontdesk.campaigns.view.change import pending_campaigns
from frontdesk.campaigns.view.row import HEIGHT, LABEL_CELLS, about, compact_row, row
from frontdesk.campaigns.view.summary import REDRAW_SECONDS as SUMMARY_SECONDS
from frontdesk.campaigns.view.summary import summary
from frontdesk.config.facts import lines
from frontdesk.outbox import queue as outbox_queue
from frontdesk.storage import change_feed
from frontdesk.storage.records import ChangeKind, Event, RecordRef
from frontdesk.tui.base_screen import BackActions, BaseScreen, RecordActions
from frontdesk.tui.context import AppContext
from frontdesk.tui.filtered_list_pane import TypeToFilterPane
from frontdesk.tui.news_marks import NewsMarks
from frontdesk.tui.status_bar import ScreenState
from frontdesk_api.contract.ids import CampaignId
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import show_line, trusted
from frontdesk_lines.lines import Line, Role, span
from frontdesk_lines.widgets.line_page import LineBox
from frontdesk_lines.widgets.pane import Pane
from frontdesk_lines.widgets.row_list import RowList

REDRAW_SECONDS = 15.0
"""How often times are redrawn; only what differs is painted."""

RECIPIENTS_SHOWN = 1_000
"""Recipients in a raw view, which shows no more lines anyway."""

EMPTY_WORDS = (
    "No campaigns watched yet.",
    "The platform doesn't list campaigns.",
    "Press {watch} to watch one by its id,",
    "or {create} to create one.",
)


class CampaignsScreen(BaseScreen):
    """The screen of mode 3."""

    key_context = "campaigns"
    CSS = """
    CampaignsScreen #campaigns { width: 3fr; }
    CampaignsScreen #campaign { width: 2fr; }
    CampaignsScreen #summary { height: auto; max-height: 1; }
    CampaignsScreen #to-come { height: auto; max-height: 4; }
    CampaignsScreen.-narrow #campaign { display: none; }
    """

    def __init__(self, app_context: AppContext, workflows: WorkflowSource):
        super().__init__(app_context)
        self._workflows = workflows
        self._unwatched: CampaignId | None = None
        """The campaign that was unwatched last: the cursor leaves its row by that."""
        order = str(self.saved_state.get("order"))
        self._readings = CampaignReadings(
            app_context.store.reading,
            lambda: rules(app_context.store.settings.alerts),
            app_context.clock,
            app_context.zone,
            CampaignOrder(order) if order in set(CampaignOrder) else CampaignOrder.TROUBLE,
        )
        self.is_compact = self.saved_state.get("compact") is True
        self.record_actions = CampaignRecordActions(self)
        self.facts = LineBox(self._fact_lines)
        self.summary = LineBox(
            lambda width: summary(self._readings.all(), width, app_context.view()), id="summary"
        )
        self.pending_lines = LineBox(
            lambda width: pending_campaigns(
                outbox_queue.unsettled(app_context.store.reading, ChangeKind.CAMPAIGN), width, app_context.view()
            ),
            id="to-come",
        )
        keys = {name: app_context.key(f"campaign.{name}") for name in ("watch", "create")}
        self.news = NewsMarks(self, alert_store.NEWS, change_feed.CAMPAIGN, lambda: (self.rows,), self.reload)
        empty = tuple((span(words.format(**keys), Role.DIM),) for words in EMPTY_WORDS)
        self._empty = empty
        self.rows = RowList(
            self._draw,
            row_height=1 if self.is_compact else HEIGHT,
            empty=empty,
            follows_first=True,
            keeps_marks=lambda marks: self.records.keys() & marks,
        )
        self.list = CampaignsPane(self, str(self.saved_state.get("filter") or ""))
        self.back_actions = CampaignBackActions(self)

    @property
    def records(self) -> Mapping[str, CampaignRecord]:
        return self._readings.records

    def compose_body(self) -> ComposeResult:
        yield self.summary
        with Container(classes="body"):
            yield self.list
            yield Pane(self.facts, title=trusted("Campaign"), id="campaign")

    def on_mount(self) -> None:
        self.reload()
        self.news.start()
        self.set_interval(REDRAW_SECONDS, self.redraw_times)
        self.set_interval(SUMMARY_SECONDS, lambda: self.summary.redraw() if self.is_current else None)

    def home(self) -> Widget:
        return self.rows

    def state(self) -> ScreenState:
        record = self.record_at_cursor
        pane = "tags" if record is not None and record.source == "tags" else ""
        marks, hidden = len(self.rows.marks), len(self.rows.hidden_marks)
        return ScreenState(
            pane, rows=self.rows, is_filtered=bool(self.list.typed), marked=marks, hidden_marks=hidden
        )

    def view_state(self) -> dict[str, object]:
        return {"order": str(self._readings.order), "compact": self.is_compact, "filter": self.list.typed}

    def on_row_list_marked(self, event: RowList.Marked) -> None:
        event.stop()
        self.status_bar.update()

    def show_changes(self, events: frozenset[Event]) -> None:
        self.news.apply_events(events)
        if change_feed.EVERYTHING in events or any(event.kind == change_feed.CAMPAIGN for event in events):
            if change_feed.EVERYTHING in events:
                self._readings.clear()
            self.reload()
            self.rows.refresh_keys(event.id for event in events if event.kind == change_feed.CAMPAIGN)
        if change_feed.EVERYTHING in events or any(event.kind == change_feed.CHANGE for event in events):
            self.pending_lines.redraw()
        if change_feed.EVERYTHING in events:
            self.rows.redraw()

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self.facts.redraw()
        self.status_bar.update_hints()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.record_actions.show_lines(trusted("Campaign"), partial(self._fact_lines, has_chart=True))

    def action_find(self) -> None:
        self.list.begin_typing()

    def action_watch(self) -> None:
        from frontdesk.tui.dialogs.base import on_answer
        from frontdesk.tui.dialogs.prompt import PromptDialog

        draft = self.app_context.outbox.drafts.of("watch campaign")
        dialog = PromptDialog(
            trusted("Watch a campaign"),
            note=trusted("Enter its id; the platform doesn't list campaigns."),
            placeholder="campaign id",
            fault=lambda typed: "" if typed else "Enter a campaign id.",
            draft=draft.text,
        )
        dialog.keep_draft(draft.keep)

        def watch(typed: str) -> None:
            CampaignCommands(self.app_context.store).watch(CampaignId(typed))

        self.app.push_screen(dialog, on_answer(watch, draft))

    def action_compact(self) -> None:
        self.is_compact = not self.is_compact
        self.rows.set_row_height(1 if self.is_compact else HEIGHT)
        self.save_view_state()

    def action_sort(self) -> None:
        orders = tuple(CampaignOrder)
        self._readings.order = orders[(orders.index(self._readings.order) + 1) % len(orders)]
        self.reload(holds=False)
        self.save_view_state()

    def action_create(self) -> None:
        from frontdesk.campaigns.tui.wizard import open_wizard

        open_wizard(self, self._workflows)

    def action_clone(self) -> None:
        from frontdesk.campaigns.tui.wizard import open_clone

        if (record := self._selected()) is not None:
            open_clone(self, self._workflows, record)

    def action_unwatch(self) -> None:
        if (record := self._selected()) is None:
            return
        name = show_line(record.name or record.campaign_id, 60).text
        if self.rows.marks - {record.campaign_id}:
            clear = self.app_context.key("mark.clear")
            words = (
                f"You can unwatch only one campaign at a time. Press {clear} to clear the marks, "
                f"then unwatch {name}."
            )
            notify(self.app, trusted(words), severity="warning")
            return
        if why := self.rows.why_displaced({self._unwatched or ""}):
            self.rows.accept_cursor()
            words = f"The list {why}; the cursor is now on {name}. Press the key again."
            notify(self.app, trusted(words), severity="warning")
            return
        self._unwatched = record.campaign_id
        CampaignCommands(self.app_context.store).unwatch(record.campaign_id)
        watch, shown_id = self.app_context.key("campaign.watch"), show_line(record.campaign_id, 100).text
        again = f"To watch it again, press {watch} and enter {shown_id}"
        notify(self.app, trusted(f"Stopped watching {name}; the campaign keeps running. {again}"))

    @property
    def record_at_cursor(self) -> CampaignRecord | None:
        return self.records.get(self.rows.cursor_key or "")

    def _selected(self) -> CampaignRecord | None:
        record = self.record_at_cursor
        if record is None:
            notify(self.app, trusted("No campaign selected."), severity="warning")
        return record

    def action_compare(self) -> None:
        from frontdesk.campaigns.comparison import campaigns_to_compare
        from frontdesk.campaigns.tui.comparison_screen import ComparisonScreen
        from frontdesk.campaigns.view.comparison import MAX_COMPARED

        if self._selected() is None:
            return
        found = campaigns_to_compare(list(self.records.values()), self.rows.marks, self.rows.cursor_key)
        if len(found) > MAX_COMPARED:
            notify(self.app, trusted(f"Comparing the newest {MAX_COMPARED} of {len(found)} marked campaigns."))
        if found:
            screen = ComparisonScreen(self.app_context, found[:MAX_COMPARED])
            screen.set_size_classes(self.app.size)
            self.app.push_screen(screen)

    def action_write(self) -> None:
        from frontdesk.campaigns.tui.comparison_screen import ask_report_path

        if self._selected() is None:
            return
        marks = self.rows.marks
        marked = [record for key, record in self.records.items() if key in marks]
        ask_report_path(
            self,
            tuple(marks or self.records),
            marked=bool(marks),
            names=[show_line(each.name or each.campaign_id, 30) for each in marked],
            written=lambda: self.rows.unmark(marks),
        )

    def action_outcomes(self) -> None:
        from frontdesk.campaigns.tui.delivery_results_dialog import show_delivery_results

        if (record := self._selected()) is not None:
            show_delivery_results(self, record)

    def store_changed(self, events: frozenset[Event]) -> None:
        super().store_changed(events)
        kinds = {event.kind for event in events}
        if self.app.screen is not self and kinds & {change_feed.CAMPAIGN, change_feed.EVERYTHING.kind}:
            from frontdesk.campaigns.tui.delivery_results_dialog import delivery_results_changed

            delivery_results_changed(self)

    def reload(self, *, holds: bool = True) -> None:
        """Read the list again.

        Args:
            holds: whether the cursor's campaign stays at its place, whatever the order: nobody moved the cursor.
        """
        self._readings.load()
        keys = self.list.matching(self._readings.all())
        cursor, at = self.rows.cursor_key, self.rows.cursor_index
        if holds and cursor in keys and at is not None and not self.rows.follows_first:
            keys.remove(cursor)
            keys.insert(at, cursor)
        typed = show_line(self.list.typed, 40).text
        words = (
            f"No campaign matches “{typed}”.",
            f"Press {self.app_context.key('go.back')} to clear the filter.",
        )
        no_match = tuple((span(each, Role.DIM),) for each in words)
        self.rows.set_empty(no_match if typed and self.records else self._empty)
        self.rows.set_keys(keys)
        shown = f"{len(keys)} of {len(self.records)}" if typed else f"{len(self.records)}"
        new = len(self.news.keys & self.records.keys())
        news = f" · {new:,} new ({self.app_context.key('news.next')})" if new else ""
        count = f" · {shown} watched · by {self._readings.order}"
        self.list.set_title((span("Campaigns"), span(count, Role.DIM), span(news, Role.ACCENT)))
        self.summary.redraw()
        self.facts.redraw()

    def redraw_times(self) -> None:
        if self.is_current:
            self.reload()  # reads that found no difference have no event
            self.rows.redraw()
            self.record_actions.redraw_lines()

    def _fact_lines(self, width: int, *, has_chart: bool = False) -> tuple[Line, ...]:
        record = self.record_at_cursor
        if record is None:
            return ()
        db, reading = self.app_context.store.reading, self._readings.reading(record)
        workflow = shared_workflows(db, self.records.values()).get(record.campaign_id)
        history, view = campaign_store.history(db, reading.record, 0.0), self.app_context.view()
        told = about(
            history,
            view,
            reading.alerts,
            reading.throughput,
            "" if workflow is None else workflow.short_id,
            self._readings.background(record),
            has_chart=has_chart,
        )
        return lines(told, width, view, LABEL_CELLS)

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        record = self.records.get(key)
        if record is None:
            return ()
        reading, view = self._readings.reading(record), self.app_context.view()
        if self.is_compact:
            return compact_row(reading, width, view)
        return row(reading, width, view)


class CampaignsPane(TypeToFilterPane):
    """The list of campaigns, filtered by what is typed."""

    placeholder = "name, id, workflow, line, or running, stalled, alert …"

    def __init__(self, screen: CampaignsScreen, typed: str) -> None:
        super().__init__("campaigns", typed)
        self._app_context, self.rows, self._campaigns = screen.app_context, screen.rows, screen

    def compose(self) -> ComposeResult:
        yield self._campaigns.pending_lines
        yield from super().compose()

    def matching(self, readings: Sequence[CampaignReading]) -> list[str]:
        """Return the keys of the campaigns that have all typed words."""
        typed, view = self.typed.casefold().split(), self._app_context.view()
        texts = ((each.record, search_text(each, view.line(each.record.line_id).text)) for each in readings)
        return [record.campaign_id for record, text in texts if all(word in text for word in typed)]

    def apply_typed(self, typed: str) -> None:
        self._campaigns.reload(holds=False)
        if typed and self.rows.keys:
            self.rows.move_to(self.rows.keys[0])
        self._campaigns.save_view_state()


class CampaignBackActions(BackActions):
    """Clears the filter."""

    def __init__(self, screen: CampaignsScreen) -> None:
        self._campaigns = screen

    def clear_filter(self) -> bool:
        return self._campaigns.list.end_typing()


def search_text(reading: CampaignReading, line: str) -> str:
    """Return what a filter's words are looked for in: names and ids, and the words of the state."""
    record = reading.record
    status = STATUS_WORDS.get(record.status, record.status)
    states = [status, "running" if record.status == "inProgress" else "", reading.throughput.state]
    states += ["alert", *(each.words for each in reading.alerts)] if reading.alerts else []
    named = (record.name, record.campaign_id, record.workflow_name, line)
    return " ".join((*named, *states, "unreadable" if record.problem else "")).casefold()


class CampaignRecordActions(RecordActions):
    """The record actions on the campaign at the cursor."""

    def __init__(self, screen: CampaignsScreen) -> None:
        super().__init__(screen, screen.app_context)
        self._campaigns, self._db = screen, screen.app_context.store.reading

    def show_record(self, record_id: str) -> bool:
        return self._campaigns.rows.move_to(record_id)

    def raw(self) -> tuple[str, object] | None:
        record = self._campaigns.record_at_cursor
        if record is None:
            return None
        listed = campaign_store.first_recipients(self._db, record.campaign_id, RECIPIENTS_SHOWN)
        # At the end: a list of thousands would hide the counters.
        return "Campaign", record.raw if listed is None else {**record.raw, "customerList": listed}

    def next_new(self) -> None:
        self._campaigns.news.show_next()

    def copied_id(self) -> str | None:
        return self._campaigns.rows.cursor_key

    def selected(self) -> list[RecordRef]:
        return [RecordRef("campaign", each) for each in self._campaigns.rows.targets]

    def refresh_target(self) -> str | None:
        return self._campaigns.rows.cursor_key

    def copy_json(self) -> None:
        key = self._campaigns.rows.cursor_key
        whole = None if key is None else campaign_store.campaign_json(self._db, CampaignId(key))
        self.copy_text(whole, trusted("Record as JSON"))
