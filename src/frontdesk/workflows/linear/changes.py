"""The linear mode's changes of workflows: each says what it would do, asks, and goes through the outbox."""

from collections.abc import Callable
from functools import partial

from frontdesk.config.actions import Undo
from frontdesk.config.paths import expand_path
from frontdesk.linear.line_parser import NotUnderstood, find_choice
from frontdesk.linear.session import Session
from frontdesk.outbox.changes import NotPossible
from frontdesk.text.display_text import show_error, trusted
from frontdesk.text.spoken_time import moment
from frontdesk.workflows import pending_payloads, reviews
from frontdesk.workflows.commands import WorkflowCommands
from frontdesk.workflows.linear.target import (
    WIDTH,
    print_facts,
    print_screen_lines,
    read_stored,
    split_workflow,
)
from frontdesk.workflows.models import WorkflowRecord
from frontdesk.workflows.reviews import Review, errors_words, snapshot_cause
from frontdesk.workflows.update_plan import (
    compare_snapshots,
    load_current,
)
from frontdesk.workflows.view.diff import comparison_lines
from frontdesk.workflows.workflow_files import read_workflow


def switch(session: Session, words: str) -> None:
    """`switch`: switch a workflow on or off."""
    record, rest = split_workflow(session, words)
    _carry_out(session, record, reviews.switch, record, find_choice(rest, ["on", "off"]) == "on")


def reset(session: Session, words: str) -> None:
    """`reset`: zero a workflow's counters, after its name was typed."""
    record, _ = split_workflow(session, words)
    _carry_out(session, record, reviews.reset, record)


def update(session: Session, words: str) -> None:
    """`update`: update a workflow from a file, after its differences were read."""
    record, path = split_workflow(session, words)
    if not path:
        raise NotUnderstood("From which file? Type update N FILE.")
    try:
        file = read_workflow(str(expand_path(path)), record.workflow_id)
    except NotPossible as error:
        raise NotUnderstood(f"Nothing was sent: {show_error(error, 400).text}.") from error
    _carry_out(session, record, reviews.update, record.workflow_id, record.label, file)


def _carry_out(session: Session, record: WorkflowRecord, prepare: Callable[..., Review], *about: object) -> None:
    """Say what a write would do, ask, and queue it."""
    review = read_stored(session, record, lambda db: prepare(db, *about))
    if review.nothing:
        session.print(review.nothing)
        return
    print_facts(session, review.facts)
    if review.words:
        if review.errors:
            session.print(f"The check found {errors_words(review.errors)}")
        session.confirm_name(review.name, *review.words)
    elif not session.ask_yes(review.question):
        session.print("Canceled. Nothing was changed.")
        return
    session.wait_for(review.queue(WorkflowCommands(session.store)))
    session.print(f"{review.noun} queued. {Undo.UNTIL_SENT.sentence()}")


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
