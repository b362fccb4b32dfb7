"""`frontdesk workflows check`: the findings in the workflows of a file, and their printing for other commands."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from frontdesk.cli.errors import REFUSED, CommandFailed
from frontdesk.cli.json_files import name_of
from frontdesk.cli.output import print_json, print_line, print_table
from frontdesk.workflows.cli.read import workflow_title, workflows_of
from frontdesk.workflows.view.row import NOTHING_FOUND, findings_summary
from frontdesk_flows.checks.models import Finding, References, Severity
from frontdesk_flows.checks.run import MORE, check, count_findings, find_skipped_rules
from frontdesk_flows.pointers import graphs_among
from frontdesk_lines.display_text import counted

_WORDS_LIMIT = 300

Checked = tuple[Mapping[str, Any], tuple[Finding, ...]]


def check_file(path: str, *, as_json: bool) -> None:
    """Print the findings in the workflows of a file; exit 1 if there are errors."""
    raws = workflows_of(path, "check")
    known = References(graph_of=graphs_among(raws))
    checked = [(raw, check(raw, known=known)) for raw in raws]
    print_findings(checked, as_json=as_json)
    failing = [findings for _, findings in checked if any(each.severity is Severity.ERROR for each in findings)]
    if failing:
        count = sum(count_findings(findings)[Severity.ERROR] for findings in failing)
        where = name_of(path) if len(checked) == 1 else f"{len(failing):,} of {len(checked):,} workflows"
        raise CommandFailed(
            REFUSED,
            f"{counted(count, 'error')} in {where}: parts won't run or won't open in the editor",
        )


def print_findings(checked: Sequence[Checked], *, as_json: bool, known: References | None = None) -> None:
    if as_json:
        _print_findings_json(checked)
    else:
        _print_finding_tables(checked, known)


def _print_findings_json(checked: Iterable[Checked]) -> None:
    for raw, findings in checked:
        for each in findings:
            print_json(
                {
                    "workflow": raw.get("id"),
                    "id": each.rule_id,
                    "severity": each.severity,
                    "path": each.path,
                    "node": each.node_id or None,
                    "problem": each.words.text,
                    "do": each.what_to_do,
                }
            )


def _print_finding_tables(checked: Sequence[Checked], known: References | None) -> None:
    to_do: dict[str, str] = {}
    for raw, findings in checked:
        print_line(f"{workflow_title(raw)}: {_summary(findings)}")
        if findings:
            rows = [(each.severity, each.rule_id, each.path, each.words.text) for each in findings]
            print_table(("SEVERITY", "RULE", "PATH", "FINDING"), rows, limit=_WORDS_LIMIT)
            print_line("")
        to_do |= {each.rule_id: each.what_to_do for each in findings}
    if to_do:
        print_table(("RULE", "WHAT TO DO"), to_do.items(), limit=_WORDS_LIMIT)
        print_line("")
    left_out = ", ".join(rule.id for rule in find_skipped_rules(known))
    print_line(f"Not checked, because a file doesn't say what the account has: {left_out}.")


def _summary(findings: Sequence[Finding]) -> str:
    listed = sum(each.rule_id != MORE for each in findings)
    summary = findings_summary(findings) or NOTHING_FOUND
    return summary + (f"; {listed:,} of them shown" if listed < len(findings) else "")
