"""Workflows: the list as the platform gives it, and the facts of one."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType

from frontdesk.present.documents import workflow_facts, workflow_row
from frontdesk.present.lines import Line
from frontdesk.store.documents import WORKFLOW
from frontdesk.store.records import DocumentRecord
from frontdesk.tui.keymap import bindings_for
from frontdesk.tui.screens.documents import DocumentsScreen


class WorkflowsScreen(DocumentsScreen):
    """Mode 4."""

    context = "workflows"
    kind = WORKFLOW
    heading = "Workflows"
    nothing = "No workflow was read yet, or the account has none."
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("workflows")]

    def read(self) -> Sequence[DocumentRecord]:
        return self.room.desk.reads.workflows()

    def row(self, record: DocumentRecord, width: int) -> tuple[Line, ...]:
        return workflow_row(record, width, self.room.view())

    def detail(self, record: DocumentRecord, width: int) -> tuple[Line, ...]:
        return workflow_facts(record, width, self.room.view())
