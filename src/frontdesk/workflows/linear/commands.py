"""The linear mode's workflows: the list, one of them, and the commands."""

from collections.abc import Sequence
from functools import partial
from importlib import import_module

from frontdesk.config.render_context import RenderContext
from frontdesk.linear.commands import LISTS, WORKFLOWS, Command, Handler
from frontdesk.linear.line_parser import find_choice
from frontdesk.linear.sentences import ACTIVE, MORE_IN_RAW, inline_text, join_sentence, moment, speak
from frontdesk.linear.session import ListKind, PrintedList, Session, make_record_type
from frontdesk.text.display_text import SafeText, counted
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.models import WorkflowRecord
from frontdesk.workflows.view.row import Problems, WorkflowOrder, about, in_order, problems_of


def workflows(session: Session, words: str) -> None:
    """`workflows`: the listed workflows, by an order."""
    session.report_focus_soon("workflows")
    known = workflow_store.listing(session.db)
    records: Sequence[WorkflowRecord] = known.records
    if words:
        order = WorkflowOrder(find_choice(words.removeprefix("by ").strip(), [*WorkflowOrder]))
        records = in_order(records, order, _problems(session) if order is WorkflowOrder.FINDINGS else {})
    found = {str(each.workflow_id): each for each in records}
    listing = PrintedList(ListKind.WORKFLOW, tuple(found), lambda key: workflow(found[key], session.view()))
    more = "; the platform has more than it lists" if known.has_more else ""
    empty = "No workflows loaded yet." if known.read_at is None else "No workflows."
    session.print_list(listing, "Workflows", more, [empty])


def _problems(session: Session) -> dict[str, Problems]:
    from frontdesk.workflows.analysis import check_stored

    checked = {each.workflow_id: check_stored(session.db, each.workflow_id) for each in _records(session)}
    return {workflow_id: problems_of(found) for workflow_id, found in checked.items() if found is not None}


def workflow(record: WorkflowRecord, view: RenderContext) -> SafeText:
    """Word a workflow as a row of a list."""
    line = inline_text(view.line(record.line_id), 60).text if record.line_id else ""
    ran = "" if record.executions is None else f"ran {counted(record.executions, 'time')}"
    last = record.last_execution
    return join_sentence(
        [
            inline_text(record.label, 160),
            ACTIVE[record.is_active],
            f"trigger {inline_text(record.trigger_type, 60).text}" if record.trigger_type else "",
            f"line {line}" if line else "",
            ran,
            "" if last is None else f"last run {moment(last, view.now, view.zone)}",
        ]
    )


def _record(session: Session, key: str) -> WorkflowRecord | None:
    return next((each for each in _records(session) if each.workflow_id == key), None)


def _records(session: Session) -> Sequence[WorkflowRecord]:
    return workflow_store.listing(session.db).records


def _facts(session: Session, record: WorkflowRecord) -> list[SafeText]:
    view = session.view()
    told = (each for each in about(record, view) if each.label != "check")  # `check N` checks it
    return [*speak(told, view), MORE_IN_RAW]


TYPE = make_record_type(
    _record,
    _facts,
    "This workflow is no longer listed.",
)


def _later(module: str, name: str) -> Handler:
    """Return a handler that is imported when it is typed: checks and dry runs would slow the start down."""

    def run(session: Session, words: str) -> None:
        getattr(import_module(f"frontdesk.workflows.linear.{module}"), name)(session, words)

    return run


_on_one = partial(Command, heading=WORKFLOWS)
_ONE = ("N is a number in the last list of workflows, or an id or a name.",)
_PERIOD = (*_ONE, "PERIOD is when counting starts: reset, yesterday, update or ever.")
_UPDATE = (*_ONE, "It shows what would change and what the check finds, then asks.")

COMMANDS = (
    Command(
        "list.workflows",
        workflows,
        "workflows",
        "[by ORDER]",
        LISTS,
        "List the workflows",
        ("ORDER is name, executions, last run, last changed or findings.",),
    ),
    _on_one(
        "workflow.tree",
        _later("details", "tree"),
        "tree",
        "N [PERIOD]",
        does="Print a workflow's nodes",
        more=_PERIOD,
    ),
    _on_one("workflow.findings", _later("details", "findings"), "check", "N", more=_ONE),
    _on_one("workflow.worst", _later("details", "drop_offs"), "worst", "N [PERIOD]", more=_PERIOD),
    _on_one("workflow.try", _later("details", "dry_run_workflow"), "try", "N", more=_ONE),
    _on_one("workflow.snapshots", _later("changes", "snapshots"), "snapshots", "N [save|ID [ID]]", more=_ONE),
    _on_one("workflow.switch", _later("changes", "switch"), "switch", "N on|off", more=_ONE),
    _on_one("workflow.update", _later("changes", "update"), "update", "N FILE", more=_UPDATE),
    _on_one("workflow.reset", _later("changes", "reset"), "reset", "N", more=_ONE),
)
