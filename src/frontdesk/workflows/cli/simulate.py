"""`frontdesk workflows try`: a dry run of a workflow of a file or of the account, as text or as JSON."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from frontdesk.cli.errors import INPUT_WRONG, REFUSED, CommandFailed
from frontdesk.cli.json_files import name_of
from frontdesk.cli.output import print_json, print_line
from frontdesk.cli.session import run_with_client
from frontdesk.config.time_zone import local_zone
from frontdesk.text.due_parser import DueNotUnderstood, parse_due
from frontdesk.workflows.cli.read import NAMELESS, workflows_of
from frontdesk.workflows.view import simulation as words
from frontdesk_flows.execution_limits import STEP_BUDGET
from frontdesk_flows.pointers import graphs_among, reachable_graphs
from frontdesk_flows.simulation.run import Circumstances, dry_run
from frontdesk_flows.simulation.script import NotATime, ScriptAction, ScriptStep, seconds_of
from frontdesk_flows.simulation.trace import DryRun, SimulationEvent, SimulationState

_FAILED = (SimulationState.DROPPED, SimulationState.CANNOT_RUN)
_ACTIONS = {
    "say": ScriptAction.SAY,
    "press": ScriptAction.PRESS,
    "choose": ScriptAction.CHOOSE,
    "wait": ScriptAction.WAIT,
    "silence": ScriptAction.SILENCE,
}


@dataclass(frozen=True, slots=True)
class Trial:
    """A workflow to try, and its script.

    Attributes:
        file: None: from the platform.
        workflow_id: None: the first of the file.
        script: names of options and their values, in the order in which they were typed.
        variables: `NAME=VALUE` each.
        at: ISO 8601 or HH:MM; None: now.
        max_nodes: nodes that the run may enter.
    """

    file: str | None
    workflow_id: str | None
    script: Sequence[tuple[str, str]]
    variables: Sequence[str]
    at: str | None
    assumes: bool
    max_nodes: int = STEP_BUDGET


def play(trial: Trial, *, as_json: bool) -> None:
    """Play the script and print the transcript; fail for bad input, a drop, or a run that does not begin."""
    steps = [_parse_step(*each) for each in trial.script]
    moment = _parse_time(trial.at)
    variables = dict(_parse_variables(trial.variables))
    raws, are_all = _from_platform() if trial.file is None else (workflows_of(trial.file, "try"), False)
    first = _choose_workflow(raws, trial)
    graphs = reachable_graphs(first, graphs_among([{**each, "id": _id_of(each)} for each in raws]))
    given = Circumstances(moment, variables, trial.assumes, knows_all=are_all, max_nodes=trial.max_nodes)
    run = dry_run(graphs, first, steps or [ScriptStep(ScriptAction.BEGIN)], given)
    if as_json:
        print_json(_as_json(run))
    else:
        _print(run, moment)
    _raise_for_outcome(run, trial)


def _print(run: DryRun, moment: datetime) -> None:
    called = " · ".join(each for each in (run.workflow_id, run.name) if each)
    print_line(f"{called or NAMELESS}, dry run as of {moment:%a} {moment.day} {moment:%b %H:%M}")
    print_line(f"It starts when {words.trigger_words(run)}.")
    print_line("")
    lines = words.transcript(run)
    for each in lines:
        print_line(words.plain_transcript(each).text)
    if lines:
        print_line("")
    for each in words.status_lines(run):
        if run.state is not SimulationState.TO_BEGIN:
            print_line(words.plain_transcript(each).text)


def _raise_for_outcome(run: DryRun, trial: Trial) -> None:
    """End the command with its status; a fault of the workflow counts before steps that weren't reached."""
    if run.state is SimulationState.CANNOT_RUN:
        raise CommandFailed(REFUSED, f"it can't run: {run.reason}")
    if run.state is SimulationState.DROPPED:
        more = f"; to go on, add --max-nodes {2 * trial.max_nodes}" if run.is_at_limit else ""
        raise CommandFailed(REFUSED, f"the customer was dropped: {run.reason}{more}{_unplayed_words(run, trial)}")
    if run.state is SimulationState.TO_BEGIN:
        why = "the customer's message contains none of the workflow's keywords"
        raise CommandFailed(REFUSED, f"it didn't start: {why}{_unplayed_words(run, trial)}")
    if run.misfit is not None:
        at = words.position_words(run).text
        step = _step_name(run.misfit.step, trial)
        raise CommandFailed(INPUT_WRONG, f"{step}: {run.misfit.words} ({at}){_unplayed_words(run, trial, 1)}")


def _unplayed_words(run: DryRun, trial: Trial, reported: int = 0) -> str:
    """Report steps that weren't reached; those before `reported` were reported already."""
    first = None if run.misfit is None else run.misfit.step + reported
    count = 0 if first is None else len(trial.script) - first
    if first is None or count < 1:
        return ""
    if count == 1:
        return f"; {_step_name(first, trial)} wasn't reached"
    return f"; {_step_name(first, trial)} and {count - 1:,} more weren't reached"


def _step_name(index: int, trial: Trial) -> str:
    name, value = trial.script[index]
    return f"step {index + 1} (--{name} {value!r})" if value else f"step {index + 1} (--{name})"


def _parse_step(name: str, value: str) -> ScriptStep:
    action = _ACTIONS[name]
    if action is not ScriptAction.WAIT:
        return ScriptStep(action, value)
    try:
        return ScriptStep(action, seconds=seconds_of(value))
    except NotATime as error:
        raise CommandFailed(INPUT_WRONG, f"--wait: {error}") from None


def _parse_time(text: str | None) -> datetime:
    now = datetime.now(local_zone())
    try:
        return now if text is None else parse_due(text, now).at or now
    except DueNotUnderstood as error:
        raise CommandFailed(INPUT_WRONG, f"--at: {error}") from None


def _parse_variables(given: Iterable[str]) -> Iterable[tuple[str, str]]:
    for each in given:
        name, sign, value = each.partition("=")
        name = name.strip().strip("{}").strip()
        if not sign or not name:
            raise CommandFailed(INPUT_WRONG, f"--let {each[:40]!r} isn't NAME=VALUE; try --let customer.name=Dana")
        yield name, value


def _from_platform() -> tuple[Sequence[Mapping[str, Any]], bool]:
    """Return the account's workflows, and whether these are all that it has."""
    page = run_with_client(lambda client: client.list_workflows(minimal=False))
    broken = [each.raw for each in page.broken]
    raws = [*(item.raw for item in page.items), *(each for each in broken if isinstance(each, dict))]
    return raws, not page.has_more and not broken


def _choose_workflow(raws: Sequence[Mapping[str, Any]], trial: Trial) -> str:
    """Return the id of the workflow to try; a file's only workflow may have none."""
    if trial.workflow_id is None:
        return _id_of(raws[0])
    if any(_id_of(each) == trial.workflow_id for each in raws):
        return trial.workflow_id
    if trial.file is None:
        raise CommandFailed(
            REFUSED, f"no workflow {trial.workflow_id} in the list; see `frontdesk workflows list`"
        )
    raise CommandFailed(INPUT_WRONG, f"no workflow {trial.workflow_id} in {name_of(trial.file)}")


def _id_of(raw: Mapping[str, Any]) -> str:
    identity = raw.get("id")
    return identity if isinstance(identity, str) else ""


def _as_json(run: DryRun) -> dict[str, Any]:
    return {
        "workflow": run.workflow_id,
        "name": run.name,
        "state": run.state.name.lower(),
        "reason": run.reason or None,
        "node": run.at.id if run.at is not None else None,
        "nodeWorkflow": run.at_workflow or None,
        "offers": [{"id": each.id, "title": each.title} for each in run.ways],
        "condition": run.condition or None,
        "secondsLeft": run.seconds_left,
        "elapsed": run.elapsed,
        "notKnown": list(run.not_known),
        "misfit": None if run.misfit is None else {"step": run.misfit.step + 1, "problem": run.misfit.words},
        "happened": [_event_json(each) for each in run.events],
    }


def _event_json(each: SimulationEvent) -> dict[str, Any]:
    fields: dict[str, Any] = {"what": each.event, "step": each.step + 1, "workflow": each.workflow_id}
    if each.node is not None:
        fields |= {"node": each.node.id, "type": each.node.type, "title": each.node.title}
    if each.exit is not None:
        fields |= {"exit": each.exit.id, "exitTitle": each.exit.title}
    optional = {
        "why": each.reason,
        "text": each.text,
        "kind": each.kind,
        "offers": list(each.choices),
        "data": dict(each.data),
        "seconds": each.seconds,
        "elapsed": each.elapsed,
    }
    return fields | {name: value for name, value in optional.items() if value}
