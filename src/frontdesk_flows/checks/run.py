"""The check of one workflow: every rule of the catalogue over its document, bounded."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from frontdesk_flows.checks.models import Finding, Problem, References, Rule, Severity
from frontdesk_flows.checks.rules import RULES
from frontdesk_flows.document import read_document
from frontdesk_flows.graph import Graph
from frontdesk_flows.pointers import graphs_among, points_to
from frontdesk_lines.display_text import trusted

MAX_FINDINGS = 200

MIN_PER_RULE = 5
"""The minimum of each rule among them, so that no rule hides another."""

MORE = "more"
"""The rule id of the finding that counts those beyond `MAX_FINDINGS`."""

_NOTHING_KNOWN = References()


def check(raw: Mapping[str, Any], *, known: References | None) -> tuple[Finding, ...]:
    """Check a workflow's document, whatever it holds: errors first, in the order of the catalogue.

    Args:
        known: facts from the store; rules that need missing ones are not applied.

    Returns:
        At most `MAX_FINDINGS`, and one more, `MORE`, that counts the rest.
    """
    given = known or _NOTHING_KNOWN
    document = read_document(raw)
    found = [(rule, problem) for rule in RULES if rule.applies(given) for problem in rule.find(document, given)]
    return _limit_findings(found)


def references_among(raws: Sequence[Mapping[str, Any]], workflow_ids: Iterable[str] | None = None) -> References:
    """Return what workflows say of each other; one alone doesn't tell which others are on its line.

    Args:
        workflow_ids: the workflows that a pointer may name, if all of them are known.
    """
    graph_of = graphs_among(raws)

    def graphs() -> Iterator[Graph]:
        ids = dict.fromkeys(each["id"] for each in raws if isinstance(each.get("id"), str))
        return (graph for each in ids if (graph := graph_of(each)) is not None)

    def active_on(line: str) -> Iterator[Graph]:
        return (each for each in graphs() if each.is_active and each.line_id == line)

    def is_pointed_to(workflow_id: str) -> bool:
        others = (each for each in graphs() if each.workflow_id != workflow_id)
        return any(points_to(node) == workflow_id for each in others for node in each.nodes.values())

    ids = None if workflow_ids is None else frozenset(workflow_ids)
    return References(
        ids, graph_of=graph_of, active_on=active_on if len(raws) > 1 else None, is_pointed_to=is_pointed_to
    )


def find_skipped_rules(known: References | None) -> tuple[Rule, ...]:
    """Return the rules for which too little is known."""
    return tuple(rule for rule in RULES if not rule.applies(known or _NOTHING_KNOWN))


def has_graph(raw: Mapping[str, Any]) -> bool:
    """Return whether a document has any part of a graph; minimal ones have none."""
    return any(raw.get(name) is not None for name in ("trigger", "parsedData", "data"))


def count_findings(findings: Sequence[Finding]) -> dict[Severity, int]:
    """Count findings by severity, including those beyond `MAX_FINDINGS`."""
    counts = Counter(severity for each in findings for severity in each.omitted_severities or (each.severity,))
    return {severity: counts[severity] for severity in Severity}


def _limit_findings(found: Sequence[tuple[Rule, Problem]]) -> tuple[Finding, ...]:
    if len(found) <= MAX_FINDINGS:
        return tuple(_finding(*each) for each in found)
    nth: Counter[str] = Counter()
    ranks: list[tuple[bool, int]] = []
    for index, (rule, _) in enumerate(found):
        ranks.append((nth[rule.id] >= MIN_PER_RULE, index))
        nth[rule.id] += 1
    kept = sorted(index for _, index in sorted(ranks)[:MAX_FINDINGS])
    listed = set(kept)
    omitted = Counter(rule.id for index, (rule, _) in enumerate(found) if index not in listed)
    worst = min(index for index in range(len(found)) if index not in listed)
    words = f"and {sum(omitted.values()):,} more: " + ", ".join(
        f"{count:,} {rule_id}" for rule_id, count in omitted.items()
    )
    severities = tuple(rule.severity for index, (rule, _) in enumerate(found) if index not in listed)
    more = Finding(
        MORE,
        found[worst][0].severity,
        "$",
        "",
        trusted(words),
        "Fix the listed findings first, then check again.",
        severities,
    )
    return (*(_finding(*found[index]) for index in kept), more)


def _finding(rule: Rule, found: Problem) -> Finding:
    return Finding(rule.id, rule.severity, found.path, found.node_id, found.words, rule.what_to_do)
