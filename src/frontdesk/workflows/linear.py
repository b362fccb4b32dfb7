"""The linear mode's workflows: the list, and one of them."""

from frontdesk.config.render_context import RenderContext
from frontdesk.linear.commands import LISTS, Command
from frontdesk.linear.sentences import ACTIVE, MORE_IN_RAW, inline_text, join_sentence, moment
from frontdesk.linear.session import ListKind, PrintedList, Session, make_record_type
from frontdesk.text.display_text import SafeText, counted, trusted
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.models import WorkflowRecord


def workflows(session: Session, words: str) -> None:  # noqa: ARG001
    """`workflows`: the listed workflows."""
    session.report_focus_soon("workflows")
    known = workflow_store.listing(session.db)
    found = {str(each.workflow_id): each for each in known.records}
    listing = PrintedList(ListKind.WORKFLOW, tuple(found), lambda key: workflow(found[key], session.view()))
    more = "; the platform has more than it lists" if known.has_more else ""
    empty = "No workflows loaded yet." if known.read_at is None else "No workflows."
    session.print_list(listing, "Workflows", more, [empty])


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


def workflow_facts(record: WorkflowRecord, view: RenderContext) -> list[SafeText]:
    """Word a workflow with its counters, which the plan may lack."""
    facts = [workflow(record, view), join_sentence(["Analytics", _analytics(record)])]
    if record.last_modified is not None:
        facts.append(trusted(f"Changed {moment(record.last_modified, view.now, view.zone)}."))
    if record.is_stale:
        facts.append(trusted("It has changed since its details were loaded."))
    return facts


def _analytics(record: WorkflowRecord) -> str:
    counts = (("started", record.started), ("completed", record.completed), ("dropped", record.dropped))
    parts = [f"{number:,.0f} {word}" for word, number in counts if number is not None]
    return ", ".join(parts) or str(record.analytics)


def _record(session: Session, key: str) -> WorkflowRecord | None:
    return next((each for each in workflow_store.listing(session.db).records if each.workflow_id == key), None)


TYPE = make_record_type(
    _record,
    lambda session, record: [*workflow_facts(record, session.view()), MORE_IN_RAW],
    "This workflow is no longer listed.",
)


COMMANDS = (Command("list.workflows", workflows, "workflows", "", LISTS, "The workflows"),)
