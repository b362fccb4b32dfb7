"""Writes of workflows that a person reads before they are queued: what is told of each, and each as a `Review`.

A function that makes a review reads what is stored, which may be megabytes: call it on a thread.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from typing import NamedTuple

from frontdesk.config.facts import GAP, Fact, section, signed_fact, text
from frontdesk.config.render_context import RenderContext
from frontdesk.storage.database import ProfileStore
from frontdesk.storage.records import Change, Json
from frontdesk.storage.sql import ReadConnection
from frontdesk.workflows import changes
from frontdesk.workflows.analysis import Dependents, load_references
from frontdesk.workflows.changes import submit
from frontdesk.workflows.models import WorkflowRecord
from frontdesk.workflows.update_plan import (
    CountersBefore,
    Creation,
    Switch,
    Update,
    UpdateConflict,
    count_before,
    load_current,
    plan_creation,
    plan_switch,
    prepare_restore,
    prepare_update,
)
from frontdesk.workflows.versions import BY_HAND
from frontdesk.workflows.view.diff import difference_facts, difference_summary
from frontdesk.workflows.view.row import finding_facts, findings_summary
from frontdesk_api import json_access
from frontdesk_api.contract.base import JsonObject
from frontdesk_flows.checks.models import Finding, Severity
from frontdesk_flows.checks.run import count_findings
from frontdesk_flows.diff import Differences
from frontdesk_lines.display_text import SafeText, body_lines, counted, show_line, trusted
from frontdesk_lines.lines import Role

TellFacts = Callable[[RenderContext], Iterator[Fact]]
Queue = Callable[[ProfileStore], "Future[Change]"]


class Review(NamedTuple):
    """A write, with what is told and asked before it.

    Attributes:
        does, name: what it does, and the workflow.
        facts: what to read before it is confirmed.
        errors: how many the check has found.
        key_question: a screen's question; the first of `words` follows.
        question: the linear mode's; there, words are asked for by themselves.
        noun: what the linear mode calls it.
        yes: the label of the key that confirms it.
        words: of which one has to be typed; without any, yes is enough.
        label: `does` and `name` in a sentence, if not just one behind the other.
        nothing: why there is nothing to do, as a sentence.
        plan: of a document that is sent.
    """

    does: str
    name: str
    facts: TellFacts
    queue: Queue
    errors: int
    key_question: str
    question: str
    noun: str
    yes: str = "send"
    words: Sequence[str] = ()
    words_name: str = "id"
    placeholder: str = "Its id, to send it despite the errors"
    label: str = ""
    nothing: str = ""
    plan: Creation | Update | None = None


def switch(db: ReadConnection, record: WorkflowRecord, on: bool | None = None) -> Review:
    """Switch a workflow on or off, to the other by default."""
    plan = plan_switch(db, record.workflow_id, on)
    is_on, name = plan.base.get("isActive") is True, record.label
    on = not is_on if on is None else on
    state, errors = "on" if on else "off", errors_in(plan.findings)
    found, anyway = (f"✗ {errors_words(errors)} ", " anyway") if errors else ("", "")
    said, although = show_line(name, 200).text, f"{anyway}, although parts won't run" if errors else ""
    return Review(
        f"Switch {state}",
        name,
        partial(switch_facts, record, plan, on=on),
        lambda store: submit(store, changes.switch, record.workflow_id, active=on, base=plan.base),
        errors=errors,
        key_question=f"{found}Press y to switch it {state}{anyway}.",
        question=f"Switch {said} {state}{although}?",
        noun=f"Switching {state}",
        yes=f"switch {state}",
        nothing=f"{said} is {state} already." if on is is_on else "",
    )


def reset(db: ReadConnection, record: WorkflowRecord) -> Review:
    lost = count_before(load_current(db, record.workflow_id))
    name = record.name if record.name.strip() else record.workflow_id
    return Review(
        "Reset analytics",
        name,
        partial(reset_facts, record, lost),
        lambda store: submit(store, changes.reset, record.workflow_id),
        errors=0,
        key_question="To reset, type the workflow's name or id: ",
        question="",
        noun="Reset of the analytics",
        yes="reset",
        words=(name, record.workflow_id),
        words_name="name",
        placeholder="Its name or id; this can't be undone",
        label=f"Reset analytics of {name}",
    )


def create(db: ReadConnection, workflow_id: str, folder_id: str, file: JsonObject) -> Review:
    plan = plan_creation(workflow_id, file, partial(load_references, db=db))
    name = json_access.text(plan.body.get("name")) or workflow_id
    return _of_document(
        "Create",
        name,
        workflow_id,
        plan,
        partial(creation_facts, workflow_id, folder_id, plan),
        lambda store: submit(store, changes.create, workflow_id, folder_id, plan.body),
    )._replace(yes="create")


def update(db: ReadConnection, workflow_id: str, name: str, file: JsonObject) -> Review:
    return _of_update("Update", name, workflow_id, prepare_update(db, workflow_id, file))


def restore(db: ReadConnection, record: WorkflowRecord, number: int) -> Review:
    plan = prepare_restore(db, record.workflow_id, number)
    return _of_update(f"Restore version {number}", record.label, record.workflow_id, plan)


def _of_update(does: str, name: str, workflow_id: str, plan: Update) -> Review:
    facts, summary = partial(update_facts, name, plan), difference_summary(plan.differences).text.capitalize()
    nothing = "" if plan.differences else f"{summary}: nothing to send."

    def queue(store: ProfileStore) -> "Future[Change]":
        return submit(store, changes.update, workflow_id, plan.body, plan.base)

    return _of_document(does, name, workflow_id, plan, facts, queue)._replace(nothing=nothing)


def _of_document(
    does: str, name: str, workflow_id: str, plan: Creation | Update, facts: TellFacts, queue: Queue
) -> Review:
    """Return the review of a document, whose id has to be typed if the check finds errors."""
    errors = errors_in(plan.findings)
    found = counted(errors, "error")
    asks = f"✗ {found}. To send it anyway, type " if errors else "y sends it."
    question, words = f"{does} {show_line(name, 200).text}?", (workflow_id,) if errors else ()
    return Review(does, name, facts, queue, errors, asks, question, noun=does, words=words, plan=plan)


WHOLE_LETTERS, WHOLE_LINES = 400_000, 10_000
"""Limits of a body on the screen; it may be megabytes."""

_MEANS = {
    True: "it starts automatically for every customer who matches its trigger.",
    False: "it doesn't start for anyone.",
}

NO_PLAN = "This plan has no analytics, which doesn't mean the counters are zero."
RESTORE_NOTE = "It stays on or off, and in its folder, as it is now."
THEIR_CHANGES = "What they have changed since your version"
YOUR_CHANGES = "What your version would change now"


def errors_in(findings: Sequence[Finding]) -> int:
    """Count the findings that keep a workflow from running or opening."""
    return count_findings(findings)[Severity.ERROR]


def errors_words(count: int) -> str:
    """Say how many errors there are, and what they mean."""
    return f"{counted(count, 'error')}: parts won't run or won't open in the editor."


def whole_text(text: str) -> tuple[SafeText, ...]:
    return body_lines(text, WHOLE_LETTERS, WHOLE_LINES)


def stored_parts_words(names: Sequence[str], source: str = "file") -> SafeText:
    return show_line(f"Not in the {source}, so left unchanged: {', '.join(names)}.")


def omitted_words(names: Sequence[str]) -> SafeText:
    return show_line(f"Not sent, because the platform sets these itself: {', '.join(names)}.")


def snapshot_cause(cause: str) -> str:
    return "saved manually" if cause == BY_HAND else cause


def creation_facts(workflow_id: str, folder: str, made: Creation, view: RenderContext) -> Iterator[Fact]:
    body = made.body
    yield Fact("Creates", show_line(body.get("name") or "(no name)"), Role.STRONG)
    yield Fact("Id", show_line(workflow_id))
    yield Fact("Folder", show_line(folder))
    yield from _workflow_facts(body, view)
    yield Fact("Graph", _graph_words(made))
    yield GAP
    words = f"It is created switched off; press {view.key('workflow.switch', 'a')} on it to switch it on."
    yield text(trusted(words), Role.TEXT)
    if made.wants_active:
        yield _warning("It is on in the file, but a new workflow is always switched off.", view)
    yield from _omitted_facts(made.omitted_fields)
    yield GAP
    yield from _finding_section(made.findings, view, is_checked=True)


def update_facts(name: str, update: Update, view: RenderContext) -> Iterator[Fact]:
    yield Fact("Updates", show_line(name), Role.STRONG)
    yield Fact("Changes", difference_summary(update.differences))
    if update.as_of is not None:
        as_of = view.when(update.as_of)
        words = f"the workflow as of {as_of}. It is loaded again before sending; if it has changed, you decide."
        yield Fact("Against", trusted(words))
    warnings = []
    if update.switches is not None:
        warnings.append(file_switches(update.switches))
    if update.is_now_active:
        warnings.append("It is currently on: customers in it get the changes at their next step.")
    if update.source == "version":
        yield text(trusted(RESTORE_NOTE), Role.DIM)
    if update.is_older:
        warnings.append("The file is based on an earlier version: later changes that aren't in it will be undone.")
    if warnings or update.stored_parts or update.omitted_fields:
        yield GAP
    for words in warnings:
        yield _warning(words, view)
    if update.dependents is not None:
        yield from _dependent_facts(update.dependents, view)
    if update.stored_parts:
        yield text(stored_parts_words(update.stored_parts, update.source), Role.DIM)
    yield from _omitted_facts(update.omitted_fields)
    yield GAP
    yield from _finding_section(update.findings, view, is_checked=update.is_checked)
    yield GAP
    yield from _difference_section("What would change", update.differences, view)


def switch_facts(record: WorkflowRecord, switch: Switch, view: RenderContext, *, on: bool) -> Iterator[Fact]:
    yield Fact("Name", show_line(record.name or record.workflow_id), Role.STRONG)
    yield from _workflow_facts(switch.base, view)
    yield GAP
    yield text(trusted(f"From then on {_MEANS[on]}"), Role.TEXT)
    if switch.dependents is not None:
        yield from _dependent_facts(switch.dependents, view)
    yield text(trusted("Only this is sent; the graph doesn't change."), Role.DIM)
    if on:
        yield GAP
        yield from _finding_section(switch.findings, view, is_checked=True)


def reset_facts(record: WorkflowRecord, lost: CountersBefore, view: RenderContext) -> Iterator[Fact]:
    yield Fact("Name", show_line(record.name or record.workflow_id), Role.STRONG)
    yield Fact("Id", show_line(record.workflow_id))
    yield GAP
    yield section("What is deleted on the platform", view)
    if not lost.has_any:
        yield _warning(NO_PLAN, view)
        words = "Resetting needs the Expert AI plan; without it, the platform rejects the change."
        yield text(trusted(words), Role.DIM)
    else:
        counts = ((lost.started, "started"), (lost.completed, "completed"), (lost.dropped, "dropped"))
        words = ", ".join(f"{_count(count)} {what}" for count, what in counts)
        yield Fact("Totals", trusted(words))
        parts = [counted(lost.nodes, "node"), counted(lost.edges, "edge"), counted(lost.buttons, "button")]
        yield Fact("Also", trusted(f"counters of {', '.join(parts[:2])} and {parts[2]}"))
    yield GAP
    if not lost.has_any:
        words = "The workflow is loaded again just before the reset; any counters are saved here in a snapshot."
        yield text(trusted(words), Role.DIM)
        return
    compare = view.key("workflow.snapshots", "=")
    words = f"A snapshot is saved here just before the reset. Press {compare} to compare it with later counters."
    yield text(trusted(words), Role.DIM)
    words = "The graph and the on/off state don't change. The counters can't be restored on the platform."
    yield text(trusted(words), Role.DIM)


def conflict_facts(name: str, conflict: UpdateConflict, view: RenderContext) -> Iterator[Fact]:
    yield Fact("Name", show_line(name), Role.STRONG)
    if conflict.theirs_did is None:
        words = "unknown: the earlier version isn't stored, so only your changes are shown"
        yield Fact("Theirs", trusted(words))
    else:
        yield Fact("Theirs", difference_summary(conflict.theirs_did))
    yield Fact("Yours", difference_summary(conflict.mine_does))
    yield GAP
    if conflict.theirs_did is not None:
        yield from _difference_section(THEIR_CHANGES, conflict.theirs_did, view)
        yield GAP
    yield from _difference_section(YOUR_CHANGES, conflict.mine_does, view)


def file_switches(on: bool) -> str:
    return f"The file switches it {'on' if on else 'off'}: from then on {_MEANS[on]}"


def _dependent_facts(found: Dependents, view: RenderContext) -> Iterator[Fact]:
    for words, is_harmed in dependent_words(found, view.when):
        yield _warning(words, view) if is_harmed else text(words, Role.DIM)


MAX_CAMPAIGNS = 5
"""Campaigns named in a sentence."""


def dependent_words(found: Dependents, when: Callable[[float], str]) -> Iterator[tuple[SafeText, bool]]:
    """Say who depends on a workflow that is about to be switched off, each with whether that harms anybody."""
    if found.running:
        names = ", ".join(f'"{show_line(each, 60).text}"' for each in found.running[:MAX_CAMPAIGNS])
        more = len(found.running) - MAX_CAMPAIGNS
        named = names + (f" and {more:,} more" if more > 0 else "")
        start = counted(len(found.running), "running campaign starts", "running campaigns start")
        at = "" if found.campaigns_at is None else f" (as of {when(found.campaigns_at)})"
        yield trusted(f"{start} it{at}: {named}."), True
    elif found.followed:
        yield (
            trusted(f"No running campaign starts it ({counted(found.followed, 'watched campaign')} checked)."),
            False,
        )
    else:
        why = "the store isn't used" if found.followed is None else "no campaigns are watched here"
        yield trusted(f"Unknown whether running campaigns start it: {why}."), False
    for each in found.scheduled:
        yield show_line(f'The campaign "{each}" is scheduled to start it.'), True
    at = "" if found.counted_at is None else f" (as of {when(found.counted_at)})"
    if found.customers is None:
        yield trusted(f"Unknown how many customers are in it now{at}: there are no counters."), True
    elif found.customers or found.is_least:
        least = "at least " if found.is_least else ""
        customers = counted(found.customers, "customer is", "customers are")
        yield trusted(f"{least}{customers} in it now{at}; the platform doesn't say what happens to them."), True
    else:
        yield trusted(f"No customers are in it now{at}."), False


def _warning(words: str | SafeText, view: RenderContext) -> Fact:
    return signed_fact(view.glyphs.warning, trusted(words) if isinstance(words, str) else words, Role.WARN)


def _count(value: float | None) -> str:
    return "an unknown number" if value is None else f"{value:,.0f}"


def _difference_section(title: str, found: Differences, view: RenderContext) -> Iterator[Fact]:
    yield section(title, view)
    yield from difference_facts(found)
    if not found.changes:
        yield text(difference_summary(found), Role.DIM)


def _workflow_facts(document: Json, view: RenderContext) -> Iterator[Fact]:
    line = json_access.text(document.get("associatedToBusinessId"))
    yield Fact("Channel", show_line(document.get("platformType") or "not set", 40))
    yield Fact("Line", view.line(line, 80) if line else trusted("not set"))
    trigger = json_access.mapping(json_access.mapping(document.get("trigger")).get("data"))
    event = document.get("triggerType") or trigger.get("eventType") or "not set"
    keywords = ", ".join(json_access.texts(trigger.get("keywords"))[:20])
    words = f"{show_line(event, 60).text}: {keywords}" if keywords else event
    yield Fact("Trigger", show_line(words, 200))


def _graph_words(made: Creation) -> SafeText:
    if not made.nodes:
        return trusted("none: an empty workflow; add one with an update")
    return trusted(f"{counted(made.nodes, 'node')} with {counted(made.exits, 'exit')}")


def _omitted_facts(names: Sequence[str]) -> Iterator[Fact]:
    if names:
        yield text(omitted_words(names), Role.DIM)


def _finding_section(findings: Sequence[Finding], view: RenderContext, *, is_checked: bool) -> Iterator[Fact]:
    if not is_checked:
        yield section("Not checked: no graph is sent", view)
        return
    summary = findings_summary(findings)
    yield section(f"Findings: {summary}" if summary else "No findings", view)
    yield from finding_facts(findings)
