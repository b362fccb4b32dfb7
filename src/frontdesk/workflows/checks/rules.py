"""The catalogue of rules, errors first (docs/workflow-check.md). Scripts name the ids, so they are stable."""

from functools import partial

from frontdesk.workflows.checks import graph_rules, references
from frontdesk.workflows.checks.models import Rule, Severity

_error, _warning = (partial(Rule, severity=each) for each in (Severity.ERROR, Severity.WARNING))

RULES: tuple[Rule, ...] = (
    _error(
        "no-trigger",
        "no trigger",
        "Add a trigger node. If this is a row of the minimal list, take the whole document:"
        " `frontdesk workflows list --full --json`.",
        graph_rules.no_trigger,
    ),
    _error(
        "trigger-leads-nowhere",
        "`trigger.connections.out` is empty",
        "Put the id of the first node into `trigger.connections.out`: runs begin there.",
        graph_rules.trigger_leads_nowhere,
    ),
    _error(
        "wrong-shape",
        "a field has another type than the interface gives it",
        "Give the field the type that is named, or take it out.",
        graph_rules.misfits,
    ),
    _error("no-id", "a node has no id", "Give the node an id of its own.", graph_rules.nameless),
    _error(
        "missing-target",
        "a target that doesn't exist",
        "Point it at a node that exists, or take the target out.",
        graph_rules.missing_targets,
    ),
    _error(
        "wrong-target",
        "a target that can't be entered: the trigger, or another node's exit",
        "Point it at a node of `parsedData`: only those are entered.",
        graph_rules.wrong_targets,
    ),
    _error(
        "duplicate-id",
        "several nodes with one id",
        "Give one of them another id, in the graph and on the canvas.",
        graph_rules.duplicate_ids,
    ),
    _error(
        "trigger-in-graph",
        "the trigger is repeated inside `parsedData`",
        "Take it out of `parsedData`: the trigger stands in `trigger` alone.",
        graph_rules.trigger_among_parents,
    ),
    _error(
        "exit-as-node",
        "a sub-node is listed as a parent",
        "Take it out of `parsedData` and keep it in its parent's `subNodes`.",
        graph_rules.exit_among_parents,
    ),
    _error(
        "wrong-parent",
        "a sub-node's `parentId` isn't its parent",
        "Set `parentId` to the id of the node whose exit it is, in the graph and on the canvas.",
        graph_rules.wrong_parent,
    ),
    _error(
        "no-graph",
        "`data` without `parsedData`: does not run",
        "Send the graph whole: `trigger`, `parsedData` and `data` together.",
        graph_rules.no_graph,
    ),
    _error(
        "no-canvas",
        "`parsedData` without `data`: does not open",
        "Send the graph whole: `trigger`, `parsedData` and `data` together.",
        graph_rules.no_canvas,
    ),
    _error(
        "ids-differ",
        "canvas and graph have different ids",
        "Put the node into both `data.nodes` and `parsedData`, or take it out of both.",
        graph_rules.ids_differ,
    ),
    _error(
        "no-line",
        "sends on WhatsApp without `associatedToBusinessId`",
        "Set `associatedToBusinessId` to the id of the line that it sends from.",
        references.no_line,
    ),
    _error(
        "template-inbound",
        "a template although the customer writes first",
        "Set `messageType` to custom: a template is for a workflow that opens the conversation.",
        references.template_on_inbound,
    ),
    _error(
        "pointer-empty",
        "a pointer that names no workflow",
        "Put the id of the workflow into `data.workflowId`.",
        references.pointer_names_none,
    ),
    _error(
        "pointer-unknown",
        "a pointer to an unknown workflow",
        "Point it at a workflow that exists; `frontdesk workflows list` has their ids.",
        references.pointer_unknown,
        needs="workflow_ids",
    ),
    _warning(
        "unreachable",
        "no way leads there",
        "Connect it, or take it out. Of several targets only the first is followed.",
        graph_rules.unreachable,
    ),
    _warning(
        "waits-for-nothing",
        "waits for an answer and leads nowhere",
        "Say what follows, or set `waitForUserResponse` to false.",
        graph_rules.waits_for_nothing,
    ),
    _warning(
        "loop-without-wait",
        "a loop without a wait",
        "Wait for an answer or for a time somewhere in the loop: it goes round until the platform stops it.",
        graph_rules.loops,
    ),
    _warning(
        "equal-answers",
        "answers with equal titles",
        "Give each answer a title of its own: of equal ones only the first is chosen.",
        graph_rules.equal_answers,
    ),
    _warning(
        "no-fallback",
        "no fallback",
        "Add a noSelectionFallback: what fits no answer ends the run, unless the settings have a shared one.",
        graph_rules.no_fallback,
    ),
    _warning(
        "no-timeout",
        "no timeout",
        "Add an awaitResponseTimeout: silence ends the run, unless the settings have a shared one.",
        graph_rules.no_timeout,
    ),
    _warning(
        "several-targets",
        "several targets in one `out`",
        "Keep the one that is meant: only the first is followed.",
        graph_rules.several_targets,
    ),
    _warning("no-title", "an empty title", "Give it a title.", graph_rules.no_title),
    _warning(
        "channel-differs",
        "`platformType` is not the line's channel",
        "Set `platformType` to the line's channel, or name a line of that channel.",
        references.channel_differs,
        needs="channels",
    ),
    _warning(
        "inactive-scheduled",
        "inactive, but a scheduled campaign uses it",
        "Activate it before the campaign's time.",
        references.inactive_but_scheduled,
        needs="scheduled",
    ),
    _warning(
        "unknown-type",
        "an unknown type of node",
        "Look whether the type is written as the editor writes it; what it does can't be checked here.",
        graph_rules.unknown_types,
    ),
    _warning(
        "too-many-nodes",
        "over 100 nodes",
        "Split it into workflows that point to each other.",
        graph_rules.too_many,
    ),
    _warning(
        "stale-stats",
        "counters for ids that aren't in the graph",
        "Nothing if the nodes were taken out on purpose: the next update of the graph takes the counters out.",
        references.stale_stats,
    ),
)
