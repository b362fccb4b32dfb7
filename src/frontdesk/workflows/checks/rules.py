"""The catalogue of rules, errors first. Scripts name the ids, so they are stable."""

from functools import partial

from frontdesk.workflows.checks import graph_rules, references
from frontdesk.workflows.checks.models import Rule, Severity

_error, _warning = (partial(Rule, severity=each) for each in (Severity.ERROR, Severity.WARNING))

RULES: tuple[Rule, ...] = (
    _error(
        "no-trigger",
        "no trigger",
        "Add a trigger node. If the file comes from a list without `--full`, it has no graph: use"
        " `frontdesk workflows list --full --json`.",
        graph_rules.no_trigger,
    ),
    _error(
        "trigger-leads-nowhere",
        "`trigger.connections.out` is empty",
        "Put the id of the first node in `trigger.connections.out`: runs start there.",
        graph_rules.trigger_leads_nowhere,
    ),
    _error(
        "wrong-shape",
        "a field has the wrong type",
        "Change the field to the type shown, or remove it.",
        graph_rules.misfits,
    ),
    _error("no-id", "a node has no id", "Give the node a unique id.", graph_rules.nameless),
    _error(
        "missing-target",
        "a target that doesn't exist",
        "Point it at an existing node, or remove the target.",
        graph_rules.missing_targets,
    ),
    _error(
        "wrong-target",
        "a target that can't be entered: the trigger, or another node's exit",
        "Point it at a node in `parsedData`; no other target works.",
        graph_rules.wrong_targets,
    ),
    _error(
        "duplicate-id",
        "several nodes with the same id",
        "Give each of them a unique id, in both the graph and the canvas.",
        graph_rules.duplicate_ids,
    ),
    _error(
        "trigger-in-graph",
        "the trigger is repeated inside `parsedData`",
        "Remove it from `parsedData`: the trigger belongs in `trigger` only.",
        graph_rules.trigger_among_parents,
    ),
    _error(
        "exit-as-node",
        "an exit is listed among the nodes",
        "Remove it from `parsedData` and keep it in its parent's `subNodes`.",
        graph_rules.exit_among_parents,
    ),
    _error(
        "wrong-parent",
        "an exit's `parentId` doesn't match its node",
        "Set `parentId` to the id of the node the exit belongs to, in both the graph and the canvas.",
        graph_rules.wrong_parent,
    ),
    _error(
        "no-graph",
        "`data` without `parsedData`: doesn't run",
        "Send the whole graph: `trigger`, `parsedData` and `data` together.",
        graph_rules.no_graph,
    ),
    _error(
        "no-canvas",
        "`parsedData` without `data`: doesn't open in the editor",
        "Send the whole graph: `trigger`, `parsedData` and `data` together.",
        graph_rules.no_canvas,
    ),
    _error(
        "ids-differ",
        "canvas and graph have different ids",
        "Add the node to both `data.nodes` and `parsedData`, or remove it from both.",
        graph_rules.ids_differ,
    ),
    _error(
        "no-line",
        "sends on WhatsApp without `associatedToBusinessId`",
        "Set `associatedToBusinessId` to the id of the line it sends from.",
        references.no_line,
    ),
    _error(
        "template-inbound",
        "a template, but the customer writes first",
        "Set `messageType` to `custom`: templates are for workflows that open the conversation.",
        references.template_on_inbound,
    ),
    _error(
        "pointer-empty",
        "a pointer without a workflow",
        "Put the workflow's id in `data.workflowId`.",
        references.pointer_names_none,
    ),
    _error(
        "pointer-unknown",
        "a pointer to an unknown workflow",
        "Point it at an existing workflow; `frontdesk workflows list` shows their ids.",
        references.pointer_unknown,
        needs="workflow_ids",
    ),
    _warning(
        "unreachable",
        "a node that can't be reached",
        "Connect it, or remove it. If a node has several targets, only the first is followed.",
        graph_rules.unreachable,
    ),
    _warning(
        "waits-for-nothing",
        "waits for an answer but leads nowhere",
        "Add what happens next, or set `waitForUserResponse` to `false`.",
        graph_rules.waits_for_nothing,
    ),
    _warning(
        "loop-without-wait",
        "a loop without a wait",
        "Make the loop wait for an answer or for some time; otherwise it repeats until the platform stops it.",
        graph_rules.loops,
    ),
    _warning(
        "pointer-loop",
        "a pointer that leads back to its own workflow without a wait",
        "Put a question or a wait on the way, or point to another workflow; otherwise the workflow runs itself"
        " until the platform stops it.",
        references.pointer_loops,
    ),
    _warning(
        "equal-answers",
        "answers with the same title",
        "Give each answer a unique title. If two match, only the first can be chosen.",
        graph_rules.equal_answers,
    ),
    _warning(
        "no-fallback",
        "no fallback",
        "Add a `noSelectionFallback`. Without one, an unrecognized answer ends the run, unless the"
        " workflow's settings in the editor have a shared fallback.",
        graph_rules.no_fallback,
    ),
    _warning(
        "no-timeout",
        "no timeout",
        "Add an `awaitResponseTimeout`. Without one, silence ends the run, unless the workflow's settings"
        " in the editor have a shared timeout.",
        graph_rules.no_timeout,
    ),
    _warning(
        "several-targets",
        "several targets in one `out`",
        "Keep the one you want: only the first is followed.",
        graph_rules.several_targets,
    ),
    _warning("no-title", "an empty title", "Give it a title.", graph_rules.no_title),
    _warning(
        "channel-differs",
        "`platformType` isn't the line's channel",
        "Set `platformType` to the line's channel, or choose a line on that channel.",
        references.channel_differs,
        needs="channels",
    ),
    _warning(
        "inactive-scheduled",
        "off although a scheduled campaign uses it",
        "Switch it on before the campaign starts.",
        references.inactive_but_scheduled,
        needs="scheduled",
    ),
    _warning(
        "unknown-type",
        "an unknown node type",
        "Compare the spelling with the editor's. The check can't tell what this node does.",
        graph_rules.unknown_types,
    ),
    _warning(
        "too-many-nodes",
        "more than 100 nodes",
        "Split it into workflows that point to each other.",
        graph_rules.too_many,
    ),
    _warning(
        "stale-stats",
        "counters for ids that aren't in the graph",
        "If you removed the nodes on purpose, do nothing: the next update of the graph removes the counters.",
        references.stale_stats,
    ),
)
