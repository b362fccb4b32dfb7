"""Workflows: the list as the platform gives it, and the facts of one with what the check found in it."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType

from frontdesk.checking.listed import ListedChecks
from frontdesk.desk.workflow_check import known_beside
from frontdesk.present.documents import workflow_facts, workflow_row
from frontdesk.present.lines import Line
from frontdesk.store.documents import WORKFLOW
from frontdesk.store.records import DocumentRecord, WorkflowRecord
from frontdesk.tui.keymap import Keymap, bindings_for
from frontdesk.tui.room import Room
from frontdesk.tui.screens.documents import DocumentsScreen
from frontdesk.tui.workflow_deeds import WorkflowDeeds


class WorkflowsScreen(WorkflowDeeds, DocumentsScreen):
    """Mode 4."""

    context = "workflows"
    kind = WORKFLOW
    heading = "Workflows"
    nothing = "No workflow was read yet, or the account has none."
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("workflows")]

    def __init__(self, room: Room, keymap: Keymap):
        super().__init__(room, keymap)
        self._checks = ListedChecks(lambda raw: known_beside(raw, self._records, room.desk.reads))

    def chosen_workflow(self) -> WorkflowRecord | None:
        records = self.room.desk.reads.workflow_list().records
        return next((each for each in records if each.workflow_id == self.rows.cursor_key), None)

    def read(self) -> Sequence[DocumentRecord]:
        self._checks.listed_again()
        return self.room.desk.reads.workflows()

    def row(self, record: DocumentRecord, width: int) -> tuple[Line, ...]:
        return workflow_row(record, width, self.room.view())

    def detail(self, record: DocumentRecord, width: int) -> tuple[Line, ...]:
        checked = self._checks.of(record.document_id, record.raw)
        return workflow_facts(record, width, self.room.view(), checked)
