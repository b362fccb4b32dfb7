"""The list of workflows, and the tree of one: its rows in running order with their traffic, and a search.

Updates change rows while somebody reads, and never the cursor's place.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.message import Message

from frontdesk.storage import change_feed
from frontdesk.storage.record_lookup import WORKFLOW
from frontdesk.storage.records import Event
from frontdesk.tui.context import AppContext
from frontdesk.tui.filtered_list_pane import FilteredListPane, TypeToFilterPane, hand_on
from frontdesk.workflows import pending_payloads
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.analysis import WorkflowAnalysis
from frontdesk.workflows.models import WorkflowRecord
from frontdesk.workflows.view.change import pending_words
from frontdesk.workflows.view.row import (
    FINDINGS,
    HEIGHT,
    LOSS,
    NO_WORKFLOW,
    Problems,
    pending_mark,
    row,
    workflows,
)
from frontdesk.workflows.view.tree import period_words, totals, tree_heading, tree_row
from frontdesk_api import json_access
from frontdesk_api.contract.ids import WorkflowId
from frontdesk_flows.pointers import points_to
from frontdesk_flows.traffic import TrafficPeriod
from frontdesk_lines.content import notify
from frontdesk_lines.display_text import NOTHING, SafeText, counted, show_line, trusted
from frontdesk_lines.lines import EMPTY, Line, Role, Span, span
from frontdesk_lines.widgets.line_page import LineBox
from frontdesk_lines.widgets.row_list import RowList


class WorkflowsPane(FilteredListPane[WorkflowRecord]):
    """The workflows that the platform lists."""

    row_height = HEIGHT
    placeholder = "name, id, channel, line, trigger, active, off, errors"

    def __init__(
        self, app_context: AppContext, order: object, filtered_by: object, problems: Mapping[str, Problems]
    ) -> None:
        """Prepare the list; `problems` fills while it is shown."""
        kind = workflows(lambda line_id: app_context.view().names.line(line_id), problems.get)
        super().__init__(app_context, "workflows", kind, order, filtered_by)
        self._problems = problems
        self.period = TrafficPeriod.RESET
        """That of the losses among the problems."""
        self.pending: Mapping[str, SafeText] = {}
        """Words for unconfirmed changes, by workflow id."""

    @property
    def cursor(self) -> WorkflowId | None:
        key = self.rows.cursor_key
        return None if key is None else WorkflowId(key)

    def pending_of(self, workflow_id: str) -> SafeText:
        return self.pending.get(workflow_id, NOTHING)

    def store_changed(self, events: frozenset[Event]) -> None:
        super().store_changed(events)
        if any(event.kind == change_feed.CHANGE for event in events):
            self.rows.refresh_keys(self._read_pending())

    def is_affected_by(self, events: frozenset[Event]) -> bool:
        return (
            any(event.kind == change_feed.WORKFLOW for event in events)
            or Event(change_feed.DOCUMENT, WORKFLOW) in events
        )

    def read_changed_keys(self) -> Sequence[str]:
        changed, others = super().read_changed_keys(), self._read_pending()
        return [key for key in self._records if key in others or key in changed]

    def _read_pending(self) -> set[str]:
        """Read the unconfirmed changes; returns the ids for which they differ."""
        before, self.pending = (
            self.pending,
            pending_words(pending_payloads.list_pending(self._app_context.store.reading)),
        )
        return {key for key in before.keys() | self.pending.keys() if before.get(key) != self.pending.get(key)}

    def show_rows(self, *, filter_changed: bool = False) -> None:
        super().show_rows(filter_changed=filter_changed)
        if self.order == LOSS:
            self.set_subtitle((span(f"by {LOSS} {self.period}", Role.DIM),))

    def next_order(self) -> None:
        super().next_order()
        self.rows.redraw()  # rows tell what they are sorted by

    def checked(self, workflow_ids: Iterable[str]) -> None:
        if self.order in (FINDINGS, LOSS) or self.typed:
            self.show_rows()
        self.rows.refresh_keys(workflow_ids)

    def show(self, workflow_id: WorkflowId) -> bool:
        """Move the cursor to a workflow; False if it isn't listed, or is filtered out."""
        return self.rows.move_to(workflow_id)

    def heading(self, shown: int) -> Line:
        more = (span(", more exist", Role.WARN),) if self.listing.has_more else EMPTY
        return *super().heading(shown), *more

    def draw_row(self, key: str, record: WorkflowRecord, width: int) -> tuple[Line, ...]:
        found, view = self._problems.get(key), self._app_context.view()
        return row(record, found, width, view, self.pending_of(key), with_loss=self.order == LOSS)


MAX_JUMPS_BACK = 50

READING = "Loading…"
_TITLE_LIMIT = 40
NOT_LOADED = ("The graph isn't loaded yet.", "Full workflows load while this screen is open.")


class TreePane(TypeToFilterPane):
    """The rows of a workflow."""

    DEFAULT_CSS = """
    TreePane > #traffic { height: auto; }
    """
    placeholder = "title, id, type or message"
    how_to_clear = ""

    @dataclass(repr=False, eq=False)
    class Opened(Message):
        """Enter was pressed on a row that refers to no other, or on a pointer to another workflow."""

        workflow_id: WorkflowId | None

    def __init__(
        self,
        app_context: AppContext,
        pending: Callable[[str], SafeText],
        record: Callable[[str | None], WorkflowRecord | None],
    ) -> None:
        """Prepare an empty tree; `pending` finds the words for a workflow's unconfirmed changes."""
        super().__init__("tree")
        self._app_context, self._pending, self._record = app_context, pending, record
        self.workflow_id: WorkflowId | None = None
        self.analysis: WorkflowAnalysis | None = None
        self._hits: tuple[int, ...] = ()
        self._jumps: tuple[str, ...] = ()
        self._row_to_restore: tuple[WorkflowId, str, int] | None = None
        self._head = LineBox(self._head_lines, id="traffic")
        self.rows = RowList(self._draw, can_mark=False, empty=_lines((NO_WORKFLOW,)))
        self.set_title(trusted("Tree"))

    def compose(self) -> ComposeResult:
        yield self._head
        yield from super().compose()

    def show_loading(self, workflow_id: WorkflowId | None) -> None:
        """Clear the tree until another workflow is loaded: it stands beside its own name alone."""
        if workflow_id == self.workflow_id:
            return
        self.end_typing()
        self.workflow_id, self.analysis = workflow_id, None
        self._hits, self._jumps = (), ()
        words = (NO_WORKFLOW,) if workflow_id is None else (READING,)
        self._show_empty(words)

    def show(self, workflow_id: WorkflowId, analysis: WorkflowAnalysis | None, why: SafeText = NOTHING) -> None:
        """Show a workflow, or why it can't be read; the cursor stays on its row if the same one was shown."""
        is_other = self.analysis is None or workflow_id != self.workflow_id
        if workflow_id != self.workflow_id:
            self.end_typing()  # words are searched for in one workflow
        self.workflow_id, self.analysis = workflow_id, analysis
        if analysis is None:
            self._show_empty((why,) if why else self._not_loaded())
            return
        if is_other:
            self._jumps = ()
            self.rows.set_keys(())
        self._hits = analysis.outline.hits(self.typed) if self.typed else ()
        self.rows.set_keys(analysis.keys)
        self.rows.redraw()
        self._head.redraw()
        self.update_title()
        if self._row_to_restore is not None:
            left, key, line = self._row_to_restore
            self._row_to_restore = None
            if left == workflow_id:
                self.rows.restore_cursor(key, line)
        self._update_subtitle()
        self.post_message(RowList.Highlighted(self.rows, self.rows.cursor_key))

    def restore_row(self, workflow_id: WorkflowId, key: str, line: int) -> None:
        """Restore the cursor, if this workflow is shown or the next one to be shown."""
        if self.analysis is not None and workflow_id == self.workflow_id:
            self.rows.restore_cursor(key, line)
        else:
            self._row_to_restore = (workflow_id, key, line)

    def jump_to(self, key: str) -> bool:
        """Move to a row, which `jump_back` undoes; False if it doesn't exist."""
        current = self.rows.cursor_key
        if not self.rows.move_to(key):
            return False
        if current is not None and current != key:
            self._jumps = (*self._jumps[1 - MAX_JUMPS_BACK :], current)
        self._update_subtitle()
        return True

    def jump_back(self) -> bool:
        """Move back to where the last jump began; False if there was none."""
        while self._jumps:
            *earlier, before = self._jumps
            self._jumps = tuple(earlier)
            if before != self.rows.cursor_key and self.rows.move_to(before):
                self._update_subtitle()
                return True
        self._update_subtitle()
        return False

    def step_hit(self, step: int) -> None:
        if not self.typed or self.analysis is None:
            key = self._app_context.key("find.filter")
            notify(self.app, trusted(f"Nothing to step through; press {key} to search."), timeout_seconds=2)
            return
        if not self._hits:
            return
        current = self.rows.cursor_index or 0
        after = [each for each in self._hits if (each > current if step > 0 else each < current)]
        around = self._hits[0] if step > 0 else self._hits[-1]
        position = around if not after else after[0] if step > 0 else after[-1]
        self.rows.move_to(self.analysis.keys[position])
        self._update_subtitle()

    def apply_typed(self, typed: str) -> None:
        self._hits = self.analysis.outline.hits(typed) if self.analysis is not None and typed else ()
        current = self.rows.cursor_index or 0
        if self._hits and self.analysis is not None and current not in self._hits:
            following = next((each for each in self._hits if each > current), self._hits[0])
            self.rows.move_to(self.analysis.keys[following])
        self._update_subtitle()

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        self._update_subtitle()
        hand_on(self, event)

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        if self.analysis is None:
            return
        at = self.analysis.row(event.key)
        if not at.is_drawn and at.jump is not None:
            self.jump_to(self.analysis.keys[at.jump])
            return
        target = "" if at.node is None else points_to(at.node)
        self.post_message(self.Opened(WorkflowId(target) if target else None))

    def _not_loaded(self) -> tuple[str | SafeText, ...]:
        read_problem = workflow_store.read_problem(self._app_context.store.reading)
        return (NOT_LOADED[0], show_line(read_problem, 200)) if read_problem else NOT_LOADED

    def _show_empty(self, words: tuple[str | SafeText, ...]) -> None:
        self.rows.set_empty(_lines(words))
        self.rows.set_keys(())
        self._head.redraw()
        self.update_title()
        self._update_subtitle()

    def update_title(self) -> None:
        analysis, record = self.analysis, self._record(self.workflow_id)
        if analysis is None:
            self.set_title(trusted("Tree") if record is None else (self._called(record.name, record.workflow_id),))
            return
        name = self._called(json_access.text(analysis.raw.get("name")), analysis.workflow_id)
        count = f" · {counted(analysis.outline.reached, 'node')}"
        lost = f", {analysis.outline.unreached:,} unreachable" if analysis.outline.unreached else ""
        pending = self._pending(analysis.workflow_id)
        mark = [span("  "), pending_mark(pending, self._app_context.glyphs)] if pending else []
        self.set_title((name, *mark, span(count, Role.DIM), span(lost, Role.WARN)))

    def _called(self, name: str, workflow_id: WorkflowId) -> Span:
        record = self._record(workflow_id)
        if not name or record is None or not record.has_namesake:
            return span(show_line(name or workflow_id, _TITLE_LIMIT))
        identity = show_line(workflow_id, _TITLE_LIMIT)
        return span(show_line(f"{name[: _TITLE_LIMIT // 2]} ({identity.text})", 2 * _TITLE_LIMIT))

    def _update_subtitle(self) -> None:
        self.set_subtitle(self._found_words())

    def _found_words(self) -> Line:
        key = self._app_context.key
        if self.typed and self.analysis is not None:
            if not self._hits:
                return (span("no match", Role.WARN),)
            current = self.rows.cursor_index
            position = f"{self._hits.index(current) + 1} of " if current in self._hits else ""
            words = f"{position}{len(self._hits):,} found · {key('tree.next')} {key('tree.previous')}"
            return (span(words, Role.ACCENT),)
        if self._jumps:
            return (span(f"{key('tree.back')} back", Role.ACCENT),)
        return EMPTY

    def _draw(self, key: str, width: int) -> tuple[Line, ...]:
        if self.analysis is None:
            return ()
        return (tree_row(self.analysis.row(key), self.analysis.traffic, width, self._app_context.glyphs),)

    def _head_lines(self, width: int) -> tuple[Line, ...]:
        if self.analysis is None:
            return ()
        traffic = self.analysis.traffic
        now, zone = self._app_context.clock(), self._app_context.zone
        period = period_words(self.analysis.counted, now, zone)
        return totals(traffic, width, self._app_context.glyphs), tree_heading(traffic, width, period)


def _lines(words: tuple[str | SafeText, ...]) -> tuple[Line, ...]:
    return tuple((span(each, Role.DIM),) for each in words)
