"""The linear mode's changes of workflows: each says what it would do, asks, and goes through the outbox."""

from concurrent.futures import Future
from functools import partial

from frontdesk.config.actions import Undo
from frontdesk.config.paths import expand_path
from frontdesk.linear.line_parser import NotUnderstood, find_choice
from frontdesk.linear.session import Session
from frontdesk.outbox.changes import NotPossible
from frontdesk.storage.records import Change
from frontdesk.text.spoken_time import moment
from frontdesk.workflows import pending_payloads
from frontdesk.workflows.commands import WorkflowCommands
from frontdesk.workflows.linear.target import (
    WIDTH,
    print_facts,
    print_screen_lines,
    read_stored,
    split_workflow,
)
from frontdesk.workflows.models import WorkflowRecord
from frontdesk.workflows.update_plan import (
    compare_snapshots,
    load_current,
    prepare_reset,
    prepare_switch,
    prepare_update,
)
from frontdesk.workflows.view.diff import comparison_lines
from frontdesk.workflows.view.review import errors_in, reset_facts, snapshot_cause, switch_facts, update_facts
from frontdesk.workflows.workflow_files import read_workflow
from frontdesk_lines.display_text import counted, show_error, trusted


def switch(session: Session, words: str) -> None:
    """`switch`: switch a workflow on or off."""
    record, rest = split_workflow(session, words)
    on = find_choice(rest, ["on", "off"]) == "on"
    plan = read_stored(session, record, partial(prepare_switch, workflow_id=record.workflow_id))
    state = "on" if on else "off"
    if (plan.base.get("isActive") is True) is on:
        session.print(trusted(f"{record.label} is {state} already."))
        return
    print_facts(session, partial(switch_facts, record, plan, on=on))
    errors = errors_in(plan.findings) if on else 0
    anyway = " anyway, although parts won't run" if errors else ""
    if not session.ask_yes(f"Switch {record.label} {state}{anyway}?"):
        session.print("Canceled. Nothing was changed.")
        return
    switching = WorkflowCommands(session.store).set_active(record.workflow_id, on, plan.base)
    _queue(session, switching, f"Switching {state}")


def reset(session: Session, words: str) -> None:
    """`reset`: zero a workflow's counters, after its name was typed."""
    record, _ = split_workflow(session, words)
    lost = read_stored(session, record, partial(prepare_reset, workflow_id=record.workflow_id))
    print_facts(session, partial(reset_facts, record, lost))
    session.confirm_name(record.name if record.name.strip() else record.workflow_id, record.workflow_id)
    _queue(session, WorkflowCommands(session.store).reset_analytics(record.workflow_id), "Reset of the analytics")


def update(session: Session, words: str) -> None:
    """`update`: update a workflow from a file, after its differences were read."""
    record, path = split_workflow(session, words)
    if not path:
        raise NotUnderstood("From which file? Type update N FILE.")
    try:
        file = read_workflow(str(expand_path(path)), record.workflow_id)
    except NotPossible as error:
        raise NotUnderstood(f"Nothing was sent: {show_error(error, 400).text}.") from error
    plan = read_stored(session, record, partial(prepare_update, workflow_id=record.workflow_id, file=file))
    print_facts(session, partial(update_facts, record.label, plan))
    if errors := errors_in(plan.findings):
        session.print(f"The check found {counted(errors, 'error')}: parts won't run or won't open in the editor.")
        session.confirm_name(record.label, record.workflow_id)
    elif not session.ask_yes(f"Update {record.label}?"):
        session.print("Canceled. Nothing was changed.")
        return
    _queue(session, WorkflowCommands(session.store).update(record.workflow_id, plan.body, plan.base), "Update")


def snapshots(session: Session, words: str) -> None:
    """`snapshots`: list the snapshots of a workflow's analytics, save one, or compare."""
    record, rest = split_workflow(session, words)
    kept = pending_payloads.snapshots(session.db, record.workflow_id)
    if rest == "save":
        _save(session, record)
    elif rest:
        numbers = [int(each) for each in rest.split() if each.isdecimal() and len(each) < 10]
        if not numbers or any(number not in [each.snapshot_id for each in kept] for number in numbers):
            raise NotUnderstood(f"No such snapshot. To list them, type snapshots {words.split()[0]}.")
        job = partial(
            compare_snapshots,
            workflow_id=record.workflow_id,
            before=numbers[0],
            after=numbers[1] if numbers[1:] else None,
        )
        found = read_stored(session, record, job)
        print_screen_lines(session, comparison_lines(found, WIDTH, session.view().glyphs))
    else:
        view = session.view()
        for each in kept:
            at = moment(each.at, view.now, view.zone)
            session.print(trusted(f"Snapshot {each.snapshot_id}: {at}, {snapshot_cause(each.cause)}."))
        ways = "To compare one with now, type its number after this command; to save one, type save."
        session.print(ways if kept else "No snapshots yet. To save one, type snapshots N save.")


def _save(session: Session, record: WorkflowRecord) -> None:
    document = read_stored(session, record, partial(load_current, workflow_id=record.workflow_id))
    if not isinstance(document.get("analytics"), dict):
        raise NotUnderstood("This plan has no analytics. Nothing was saved.")
    keeping = WorkflowCommands(session.store).keep_snapshot(record.workflow_id, document, pending_payloads.BY_HAND)
    session.print(f"Snapshot {session.wait_for(keeping)} saved.")


def _queue(session: Session, change: "Future[Change]", what: str) -> None:
    session.wait_for(change)
    session.print(f"{what} queued. {Undo.UNTIL_SENT.sentence()}")
