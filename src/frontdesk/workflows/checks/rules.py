"""All that the check knows, one rule a row: errors first, then warnings (docs/workflow-check.md).

`check` applies it, docs/workflow-check.md repeats it. The ids are stable: scripts name them.
"""

from frontdesk.workflows.checks import flow as workflow_flow
from frontdesk.workflows.checks import references
from frontdesk.workflows.checks import structure as workflow_structure
from frontdesk.workflows.checks.finding import Rule, Severity

_ERROR, _WARNING = Severity.ERROR, Severity.WARNING

RULES: tuple[Rule, ...] = (
    Rule(
        "no-trigger",
        _ERROR,
        "no trigger",
        "Add a trigger node. If this is a row of the minimal list, take the whole document:"
        " `frontdesk workflows list --full --json`.",
        workflow_structure.no_trigger,
    ),
    Rule(
        "trigger-leads-nowhere",
        _ERROR,
        "`trigger.connections.out` is empty",
        "Put the id of the first node into `trigger.connections.out`: runs begin there.",
        workflow_structure.trigger_leads_nowhere,
    ),
    Rule(
        "wrong-shape",
        _ERROR,
        "a field has another type than the interface gives it",
        "Give the field the type that is named, or take it out.",
        workflow_structure.misfits,
    ),
    Rule("no-id", _ERROR, "a node has no id", "Give the node an id of its own.", workflow_structure.nameless),
    Rule(
        "missing-target",
        _ERROR,
        "a target that doesn't exist",
        "Point it at a node that exists, or take the target out.",
        workflow_flow.missing_targets,
    ),
    Rule(
        "wrong-target",
        _ERROR,
        "a target that can't be entered: the trigger, or another node's exit",
        "Point it at a node of `parsedData`: only those are entered.",
        workflow_flow.wrong_targets,
    ),
    Rule(
        "duplicate-id",
        _ERROR,
        "several nodes with one id",
        "Give one of them another id, in the graph and on the canvas.",
        workflow_structure.duplicate_ids,
    ),
    Rule(
        "trigger-in-graph",
        _ERROR,
        "the trigger is repeated inside `parsedData`",
        "Take it out of `parsedData`: the trigger stands in `trigger` alone.",
        workflow_structure.trigger_among_parents,
    ),
    Rule(
        "exit-as-node",
        _ERROR,
        "a sub-node is listed as a parent",
        "Take it out of `parsedData` and keep it in its parent's `subNodes`.",
        workflow_structure.exit_among_parents,
    ),
    Rule(
        "wrong-parent",
        _ERROR,
        "a sub-node's `parentId` isn't its parent",
        "Set `parentId` to the id of the node whose exit it is, in the graph and on the canvas.",
        workflow_structure.wrong_parent,
    ),
    Rule(
        "no-graph",
        _ERROR,
        "`data` without `parsedData`: does not run",
        "Send the graph whole: `trigger`, `parsedData` and `data` together.",
        workflow_structure.no_graph,
    ),
    Rule(
        "no-canvas",
        _ERROR,
        "`parsedData` without `data`: does not open",
        "Send the graph whole: `trigger`, `parsedData` and `data` together.",
        workflow_structure.no_canvas,
    ),
    Rule(
        "ids-differ",
        _ERROR,
        "canvas and graph have different ids",
        "Put the node into both `data.nodes` and `parsedData`, or take it out of both.",
        workflow_structure.ids_differ,
    ),
    Rule(
        "no-line",
        _ERROR,
        "sends on WhatsApp without `associatedToBusinessId`",
        "Set `associatedToBusinessId` to the id of the line that it sends from.",
        references.no_line,
    ),
    Rule(
        "template-inbound",
        _ERROR,
        "a template although the customer writes first",
        "Set `messageType` to custom: a template is for a workflow that opens the conversation.",
        references.template_on_inbound,
    ),
    Rule(
        "pointer-empty",
        _ERROR,
        "a pointer that names no workflow",
        "Put the id of the workflow into `data.workflowId`.",
        references.pointer_names_none,
    ),
    Rule(
        "pointer-unknown",
        _ERROR,
        "a pointer to an unknown workflow",
        "Point it at a workflow that exists; `frontdesk workflows list` has their ids.",
        references.pointer_unknown,
        needs="workflow_ids",
    ),
    Rule(
        "unreachable",
        _WARNING,
        "no way leads there",
        "Connect it, or take it out. Of several targets only the first is followed.",
        workflow_flow.unreachable,
    ),
    Rule(
        "waits-for-nothing",
        _WARNING,
        "waits for an answer and leads nowhere",
        "Say what follows, or set `waitForUserResponse` to false.",
        workflow_flow.waits_for_nothing,
    ),
    Rule(
        "loop-without-wait",
        _WARNING,
        "a loop without a wait",
        "Wait for an answer or for a time somewhere in the loop: it goes round until the platform stops it.",
        workflow_flow.loops,
    ),
    Rule(
        "equal-answers",
        _WARNING,
        "answers with equal titles",
        "Give each answer a title of its own: of equal ones only the first is chosen.",
        workflow_flow.equal_answers,
    ),
    Rule(
        "no-fallback",
        _WARNING,
        "no fallback",
        "Add a noSelectionFallback: what fits no answer ends the run, unless the settings have a shared one.",
        workflow_flow.no_fallback,
    ),
    Rule(
        "no-timeout",
        _WARNING,
        "no timeout",
        "Add an awaitResponseTimeout: silence ends the run, unless the settings have a shared one.",
        workflow_flow.no_timeout,
    ),
    Rule(
        "several-targets",
        _WARNING,
        "several targets in one `out`",
        "Keep the one that is meant: only the first is followed.",
        workflow_flow.several_targets,
    ),
    Rule("no-title", _WARNING, "an empty title", "Give it a title.", workflow_flow.no_title),
    Rule(
        "channel-differs",
        _WARNING,
        "`platformType` is not the line's channel",
        "Set `platformType` to the line's channel, or name a line of that channel.",
        references.channel_differs,
        needs="channels",
    ),
    Rule(
        "inactive-scheduled",
        _WARNING,
        "inactive, but a scheduled campaign uses it",
        "Activate it before the campaign's time.",
        references.inactive_but_scheduled,
        needs="scheduled",
    ),
    Rule(
        "unknown-type",
        _WARNING,
        "an unknown type of node",
        "Look whether the type is written as the editor writes it; what it does can't be checked here.",
        workflow_flow.unknown_types,
    ),
    Rule(
        "too-many-nodes",
        _WARNING,
        "over 100 nodes",
        "Split it into workflows that point to each other.",
        workflow_flow.too_many,
    ),
    Rule(
        "stale-stats",
        _WARNING,
        "counters for ids that aren't in the graph",
        "Nothing if the nodes were taken out on purpose: the next update of the graph takes the counters out.",
        references.stale_stats,
    ),
)
