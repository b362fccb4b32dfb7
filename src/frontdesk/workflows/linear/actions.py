"""What the linear mode reads of one workflow, its dry run, and its changes, each after a question."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

from frontdesk.config.actions import Undo
from frontdesk.config.facts import Fact
from frontdesk.config.paths import expand_path
from frontdesk.config.render_context import RenderContext
from frontdesk.linear.line_parser import NotUnderstood, find_choice, find_record, split_numbers
from frontdesk.linear.printed_list import ListKind
from frontdesk.linear.sentences import speak
from frontdesk.linear.session import Session
from frontdesk.outbox.changes import NotPossible
from frontdesk.storage.clients import SyncRequests
from frontdesk.storage.sql import ReadConnection
from frontdesk.workflows import reviews, versions
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.analysis import WorkflowAnalysis, analyze_workflow
from frontdesk.workflows.models import WorkflowRecord
from frontdesk.workflows.reviews import Review, errors_words, snapshot_cause
from frontdesk.workflows.update_plan import AGAIN, NotReadYet, compare_snapshots, load_current, load_dry_run
from frontdesk.workflows.view import simulation
from frontdesk.workflows.view.diff import comparison_lines
from frontdesk.workflows.view.row import finding_facts
from frontdesk.workflows.view.tree import drop_off_row, no_drop_offs, period_words, totals, tree_sentence
from frontdesk.workflows.workflow_files import read_workflow
from frontdesk_api.contract.ids import WorkflowId
from frontdesk_flows.simulation.script import Script, begin, interpret
from frontdesk_flows.simulation.trace import DryRun
from frontdesk_flows.traffic import TrafficPeriod, find_drop_offs
from frontdesk_lines.display_text import SafeText, counted, show_error, trusted
from frontdesk_lines.lines import Line, read_out

T = TypeVar("T")

WIDTH = 10_000
"""Cells of lines that aren't wrapped."""

LOADING_SECONDS = 20.0
"""How long to wait for a workflow that was never loaded."""

_WORDS_FOR_KEYS = {"workflow.snapshots": "the command snapshots", "workflow.switch": "the command switch"}


def split_workflow(session: Session, words: str) -> tuple[WorkflowRecord, str]:
    """Return the workflow that the first word names (a row, an id or a name), and the rest."""
    records = {each.workflow_id: each for each in workflow_store.listing(session.db).records}
    session.report_focus_soon("workflows")
    if words and split_numbers(words)[0] is None:
        first, _, rest = words.partition(" ")
        return records[find_record(first, {key: each.label for key, each in records.items()}, "workflow")], rest
    (key,), rest = session.keys_at(words, ListKind.WORKFLOW)
    if (found := records.get(WorkflowId(key))) is None:
        raise NotUnderstood("That workflow is no longer listed. To list workflows, type workflows.")
    return found, rest.strip()


def read_stored(session: Session, record: WorkflowRecord, job: Callable[[ReadConnection], T]) -> T:
    """Read on the store's reading thread, once the whole workflow is stored; may raise NotUnderstood."""

    def is_stored() -> bool:
        return workflow_store.text(session.db, record.workflow_id) is not None

    if not is_stored():
        session.wait_for(SyncRequests(session.store).request_refresh(record.workflow_id))
        session.news.wait(is_stored, LOADING_SECONDS)
    try:
        return session.wait_for(session.store.read_in_background(job))
    except NotUnderstood as error:
        if isinstance(error.__cause__, NotReadYet):
            SyncRequests(session.store).request_refresh(record.workflow_id)
        raise


def print_facts(session: Session, tell: Callable[[RenderContext], Iterable[Fact]]) -> None:
    """Print facts, with commands in place of keys."""
    view = session.view()._replace(keys=_WORDS_FOR_KEYS)
    session.print(*speak(tell(view), view))


def print_screen_lines(session: Session, lines: Iterable[Line]) -> None:
    """Print lines of a screen without what is drawn."""
    texts = (read_out("".join(part.text.text for part in line)) for line in lines)
    session.print(*(trusted(each) for each in texts if each))


def tree(session: Session, words: str) -> None:
    found, _ = _analysis(session, words)
    view = session.view()
    session.print(trusted(f"{period_words(found.counted, view.now, view.zone).capitalize()}:"))
    print_screen_lines(session, [totals(found.traffic, WIDTH, view.glyphs)])
    session.print(*(tree_sentence(row, found.traffic, view.glyphs) for row in found.outline.rows))


def findings(session: Session, words: str) -> None:
    found, record = _analysis(session, words)
    if not found.findings:
        session.print(trusted(f"The check found nothing in {record.label}."))
    session.print(*speak(finding_facts(found.findings), session.view()))


def drop_offs(session: Session, words: str) -> None:
    found, _ = _analysis(session, words)
    rows = find_drop_offs(found.outline, found.traffic)
    if not rows:
        session.print(no_drop_offs(found.traffic))
    print_screen_lines(session, (drop_off_row(each, WIDTH, session.view().glyphs) for each in rows))


def _analysis(session: Session, words: str) -> tuple[WorkflowAnalysis, WorkflowRecord]:
    record, rest = split_workflow(session, words)
    names = {each.name.lower(): each for each in TrafficPeriod}
    period = names[find_choice(rest, [*names])] if rest else TrafficPeriod.RESET
    job = partial(analyze_workflow, workflow_id=record.workflow_id, period=period, now=session.store.clock())
    found = read_stored(session, record, job)
    if found is None:
        raise NotUnderstood(workflow_store.read_problem(session.db) or f"The graph isn't here yet: {AGAIN}.")
    return found, record


def dry_run_workflow(session: Session, words: str) -> None:
    """`try`: play a customer's steps on a workflow, line by line; nothing is sent."""
    record, _ = split_workflow(session, words)
    job = partial(load_dry_run, workflow_id=record.workflow_id, begins_at=session.now())
    play = read_stored(session, record, job)
    session.print("A dry run; nothing is sent. Type what the customer writes, back for a step back, or end.")
    script, run = begin(Script(), play)
    said = _print_run(session, run, 0)
    while True:
        try:
            typed = session.console.read("dry run> ").strip()
        except (EOFError, KeyboardInterrupt):
            return
        if typed.lower() == "end":
            session.print("The dry run has ended.")
            return
        if typed.lower() == "back":
            script, run = begin(script.without_last(), play)
            said = _print_run(session, run, 0)
            continue
        meaning = interpret(run, typed)
        longer = None if meaning is None else play(script.with_entry(meaning))
        if meaning is None or longer is None or longer.misfit is not None:
            misfit = None if longer is None else longer.misfit
            session.print(simulation.step_words(run, None) if misfit is None else _sentence(misfit.words))
            continue
        script, run = script.with_entry(meaning), longer
        said = _print_run(session, run, said)


def _sentence(words: str) -> SafeText:
    return trusted(f"{words[:1].upper()}{words[1:].rstrip('.')}.")


def _print_run(session: Session, run: DryRun, said: int) -> int:
    """Print the lines of a run that weren't printed yet, and its state; return how many there are."""
    glyphs = session.view().glyphs
    lines = simulation.transcript(run, glyphs)
    for each in [*lines[said:], *simulation.status_lines(run, glyphs)]:
        label = "" if each.is_node or not each.label else f"{each.label}: "
        text = " ".join("".join(part.text.text for part in each.words).split())
        session.print(trusted(f"{'Node: ' if each.is_node else label}{text}"))
    if run.state.is_over:
        session.print(trusted(f"The run is over after {counted(len(lines), 'line')}. Type back or end."))
    return len(lines)


def switch(session: Session, words: str) -> None:
    record, rest = split_workflow(session, words)
    _carry_out(session, record, reviews.switch, record, find_choice(rest, ["on", "off"]) == "on")


def reset(session: Session, words: str) -> None:
    record, _ = split_workflow(session, words)
    _carry_out(session, record, reviews.reset, record)


def update(session: Session, words: str) -> None:
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
    session.wait_for(review.queue(session.store))
    session.print(f"{review.noun} queued. {Undo.UNTIL_SENT.sentence()}")


def snapshots(session: Session, words: str) -> None:
    """`snapshots`: list the snapshots of a workflow's analytics, save one, or compare."""
    record, rest = split_workflow(session, words)
    kept = versions.list_versions(session.db, record.workflow_id, versions.SNAPSHOT)
    if rest == "save":
        _save(session, record)
    elif rest:
        numbers = [int(each) for each in rest.split() if each.isdecimal() and len(each) < 10]
        if not numbers or any(number not in [each.number for each in kept] for number in numbers):
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
            at = view.spoken_moment(each.at)
            session.print(trusted(f"Snapshot {each.number}: {at}, {snapshot_cause(each.label)}."))
        ways = "To compare one with now, type its number after this command; to save one, type save."
        session.print(ways if kept else "No snapshots yet. To save one, type snapshots N save.")


def _save(session: Session, record: WorkflowRecord) -> None:
    document = read_stored(session, record, partial(load_current, workflow_id=record.workflow_id))
    if not isinstance(document.get("analytics"), dict):
        raise NotUnderstood("This plan has no analytics. Nothing was saved.")
    keeping = versions.save_snapshot(session.store, record.workflow_id, document)
    session.print(f"Snapshot {session.wait_for(keeping)} saved.")
