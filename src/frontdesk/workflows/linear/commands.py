"""The linear mode's workflows: the list, one of them, and the commands."""

from functools import cache, partial
from importlib import import_module

from frontdesk.config.render_context import RenderContext
from frontdesk.linear.commands import LISTS, WORKFLOWS, Command, Handler
from frontdesk.linear.printed_list import ListKind
from frontdesk.linear.record_lists import order_help, print_records, type_of
from frontdesk.linear.row_commands import on_rows
from frontdesk.linear.sentences import ACTIVE, inline_text, join_sentence
from frontdesk.linear.session import Session
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.models import WorkflowRecord
from frontdesk.workflows.view.row import LOSS, Problems, loss_words, problems_of, workflows
from frontdesk_api.contract.ids import WorkflowId
from frontdesk_lines.display_text import SafeText, counted


def list_workflows(session: Session, words: str) -> None:
    """`workflows`: the listed workflows, by an order."""
    session.report_focus_soon("workflows")
    more = "; the platform has more than it lists" if workflow_store.listing(session.db).has_more else ""

    @cache
    def problems(workflow_id: WorkflowId) -> Problems | None:
        from frontdesk.workflows.analysis import check_stored

        found = check_stored(session.db, workflow_id)
        return None if found is None else problems_of(*found)

    def with_loss(record: WorkflowRecord, view: RenderContext) -> SafeText:
        lost = loss_words(record, problems(record.workflow_id))
        return workflow(record, view, *("".join(each.text.text for each in part) for part in lost))

    is_by_loss = LOSS.startswith(words.removeprefix("by ").strip().lower() or " ")
    print_records(session, words, workflows(problems=problems), with_loss if is_by_loss else workflow, more)


def workflow(record: WorkflowRecord, view: RenderContext, *lost: str) -> SafeText:
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
            "" if last is None else f"last run {view.spoken_moment(last)}",
            *lost,
        ]
    )


TYPE = type_of(workflows())


def _later(name: str) -> Handler:
    """Return a handler that is imported when it is typed: checks and dry runs would slow the start down."""

    def run(session: Session, words: str) -> None:
        getattr(import_module("frontdesk.workflows.linear.actions"), name)(session, words)

    return run


_on_one = partial(Command, heading=WORKFLOWS)
_ONE = ("N is a number in the last list of workflows, or an id or a name.",)
_PERIOD = (*_ONE, "PERIOD is when counting starts: reset, yesterday, update or ever.")
_UPDATE = (*_ONE, "It shows what would change and what the check finds, then asks.")

_shell = partial(on_rows, ListKind.WORKFLOW)

COMMANDS = (
    _on_one(
        "workflow.versions",
        _shell("workflows versions {}"),
        "versions",
        "N",
        does="List the saved versions of a workflow",
    ),
    _on_one(
        "workflow.restore",
        _shell("workflows restore {}"),
        "restore",
        "N VERSION",
        does="Update a workflow to an earlier version",
        more=("To list the versions, type versions N. With --dry-run, nothing is sent.",),
    ),
    _on_one(
        "workflow.export",
        _shell("workflows export {} --file"),
        "save",
        "N FILE",
        does="Export a workflow to a file that update takes",
    ),
    Command(
        "list.workflows",
        list_workflows,
        "workflows",
        "[by ORDER]",
        LISTS,
        "List the workflows",
        (order_help(workflows()),),
    ),
    _on_one(
        "workflow.tree",
        _later("tree"),
        "tree",
        "N [PERIOD]",
        does="Print a workflow's nodes",
        more=_PERIOD,
    ),
    _on_one("workflow.findings", _later("findings"), "check", "N", more=_ONE),
    _on_one("workflow.worst", _later("drop_offs"), "worst", "N [PERIOD]", more=_PERIOD),
    _on_one("workflow.try", _later("dry_run_workflow"), "try", "N", more=_ONE),
    _on_one("workflow.snapshots", _later("snapshots"), "snapshots", "N [save|ID [ID]]", more=_ONE),
    _on_one("workflow.switch", _later("switch"), "switch", "N on|off", more=_ONE),
    _on_one("workflow.update", _later("update"), "update", "N FILE", more=_UPDATE),
    _on_one("workflow.reset", _later("reset"), "reset", "N", more=_ONE),
)
