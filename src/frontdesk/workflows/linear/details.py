"""What the linear mode reads of one workflow: its tree, findings, drop-offs, and a dry run."""

from functools import partial

from frontdesk.linear.line_parser import NotUnderstood, find_choice
from frontdesk.linear.sentences import speak
from frontdesk.linear.session import Session
from frontdesk.workflows import store as workflow_store
from frontdesk.workflows.analysis import WorkflowAnalysis, analyze_workflow
from frontdesk.workflows.linear.target import WIDTH, print_screen_lines, read_stored, split_workflow
from frontdesk.workflows.models import WorkflowRecord
from frontdesk.workflows.update_plan import AGAIN, load_graphs
from frontdesk.workflows.view import simulation
from frontdesk.workflows.view.row import finding_facts
from frontdesk.workflows.view.tree import drop_off_row, no_drop_offs, period_words, totals, tree_sentence
from frontdesk_flows.simulation.run import Circumstances, dry_run
from frontdesk_flows.simulation.script import Script, ScriptAction, ScriptStep, interpret
from frontdesk_flows.simulation.trace import DryRun, SimulationState
from frontdesk_flows.traffic import TrafficPeriod, find_drop_offs
from frontdesk_lines.display_text import SafeText, counted, trusted


def tree(session: Session, words: str) -> None:
    """`tree`: the nodes of a workflow in the order they run, with their traffic."""
    found, _ = _analysis(session, words)
    view = session.view()
    session.print(trusted(f"{period_words(found.counted, view.now, view.zone).capitalize()}:"))
    print_screen_lines(session, [totals(found.traffic, WIDTH, view.glyphs)])
    session.print(*(tree_sentence(row, found.traffic, view.glyphs) for row in found.outline.rows))


def findings(session: Session, words: str) -> None:
    """`check`: what the check finds in a workflow."""
    found, record = _analysis(session, words)
    if not found.findings:
        session.print(trusted(f"The check found nothing in {record.label}."))
    session.print(*speak(finding_facts(found.findings), session.view()))


def drop_offs(session: Session, words: str) -> None:
    """`worst`: where most customers drop off, the largest first."""
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
    stored = read_stored(session, record, partial(load_graphs, workflow_id=record.workflow_id))
    began = session.now()

    def play(script: Script) -> DryRun:
        given = Circumstances(began, script.variables, knows_all=stored.knows_all)
        return dry_run(stored.graphs, record.workflow_id, script.steps, given)

    session.print("A dry run; nothing is sent. Type what the customer writes, back for a step back, or end.")
    script = Script()
    run = play(script)
    if run.state is SimulationState.TO_BEGIN and not run.needs_words:
        script = script.with_entry(ScriptStep(ScriptAction.BEGIN))
        run = play(script)
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
            script = script.without_last()
            run = play(script)
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
