"""The list of workflows, with the number of problems that the check found in each."""

from collections.abc import Iterable, Mapping, Sequence

from frontdesk.api.contract.ids import WorkflowId
from frontdesk.storage import change_feed
from frontdesk.storage.documents import WORKFLOW
from frontdesk.storage.records import Event
from frontdesk.text.display_text import NOTHING, SafeText
from frontdesk.text.lines import Line
from frontdesk.tui.context import AppContext
from frontdesk.tui.filtered_list_pane import FilteredListPane
from frontdesk.workflows.models import WorkflowListing, WorkflowRecord
from frontdesk.workflows.store import pending_payloads
from frontdesk.workflows.store import workflows as workflow_store
from frontdesk.workflows.view.change import pending_words
from frontdesk.workflows.view.row import HEIGHT, Problems, WorkflowOrder, in_order, matching, row, title


class WorkflowsPane(FilteredListPane[WorkflowOrder]):
    """The workflows that the platform lists."""

    thing = "workflow"
    name_of_all = "Workflows"
    row_height = HEIGHT
    placeholder = "name, id, channel, line, trigger, active, off, errors"

    def __init__(
        self, app_context: AppContext, order: WorkflowOrder, filtered_by: str, problems: Mapping[str, Problems]
    ) -> None:
        """Prepare the list; `problems` fills while it is shown."""
        super().__init__(app_context, "workflows", order, filtered_by)
        self._problems = problems
        self._listing = WorkflowListing()
        self._records: dict[str, WorkflowRecord] = {}
        self.pending: Mapping[str, SafeText] = {}
        """Words for unconfirmed changes, by workflow id."""

    @property
    def cursor(self) -> WorkflowId | None:
        key = self.rows.cursor_key
        return None if key is None else WorkflowId(key)

    @property
    def records(self) -> tuple[WorkflowRecord, ...]:
        """All listed workflows, whatever the filter."""
        return self._listing.records

    def pending_of(self, workflow_id: str) -> SafeText:
        return self.pending.get(workflow_id, NOTHING)

    def store_changed(self, events: frozenset[Event]) -> None:
        super().store_changed(events)
        if any(event.kind == change_feed.CHANGE for event in events):
            self.rows.refresh_keys(self._read_pending())

    @property
    def selected(self) -> WorkflowRecord | None:
        """The workflow under the cursor."""
        return self.record(self.cursor)

    def record(self, workflow_id: str | None) -> WorkflowRecord | None:
        return self._records.get(workflow_id or "")

    @property
    def known(self) -> int:
        return len(self._listing.records)

    @property
    def was_read(self) -> bool:
        return self._listing.read_at is not None

    def is_about(self, events: frozenset[Event]) -> bool:
        return (
            any(event.kind == change_feed.WORKFLOW for event in events)
            or Event(change_feed.DOCUMENT, WORKFLOW) in events
        )

    def differing(self) -> Sequence[str]:
        before, self._listing = self._records, workflow_store.listing(self._app_context.store.reading)
        self._records = {each.workflow_id: each for each in self._listing.records}
        others = self._read_pending()
        return [key for key, record in self._records.items() if key in others or before.get(key) != record]

    def _read_pending(self) -> set[str]:
        """Read the unconfirmed changes; returns the ids for which they differ."""
        before, self.pending = (
            self.pending,
            pending_words(pending_payloads.pending_lines(self._app_context.store.reading)),
        )
        return {key for key in before.keys() | self.pending.keys() if before.get(key) != self.pending.get(key)}

    def checked(self, workflow_ids: Iterable[str]) -> None:
        if self.order is WorkflowOrder.PROBLEMS or self.typed:
            self.show_rows()
        self.rows.refresh_keys(workflow_ids)

    def show(self, workflow_id: WorkflowId) -> bool:
        """Move the cursor to a workflow; False if it isn't listed, or is filtered out."""
        return self.rows.move_to(workflow_id)

    def wanted(self, here: str | None) -> Sequence[str]:
        found = matching(self._listing.records, self.typed, self._problems, self._app_context.view())
        kept = self._records.get(here or "")
        if kept is not None and kept not in found:
            found.append(kept)
        return [each.workflow_id for each in in_order(found, self.order, self._problems)]

    def heading(self, shown: int) -> Line:
        return title(shown, self.known, has_more=self._listing.has_more)

    def draw(self, key: str, width: int) -> tuple[Line, ...]:
        record = self._records.get(key)
        if record is None:
            return ()
        return row(record, self._problems.get(key), width, self._app_context.view(), self.pending_of(key))
