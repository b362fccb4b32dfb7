"""`frontdesk workflows check`: the check of the workflows of a file.

The platform isn't asked, so rules that need more than the file are named.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from frontdesk.cli.errors import INPUT_WRONG, REFUSED, CommandFailed
from frontdesk.cli.json_files import Unreadable, name_of, read_values
from frontdesk.cli.output import print_json, print_line, print_table
from frontdesk.text.spoken_time import counted
from frontdesk.workflows.checks.models import Finding, References, Severity
from frontdesk.workflows.checks.run import MORE, check, count_findings, find_skipped_rules
from frontdesk.workflows.view.row import NOTHING_FOUND, findings_summary

_WORDS_LIMIT = 300

Checked = tuple[Mapping[str, Any], tuple[Finding, ...]]


def check_file(path: str, *, as_json: bool) -> None:
    """Print the findings in the workflows of a file; exit 1 if there are errors."""
    checked = [(raw, check(raw, known=None)) for raw in workflows_of(path, "check")]
    print_findings(checked, as_json=as_json)
    failing = [findings for _, findings in checked if any(each.severity is Severity.ERROR for each in findings)]
    if failing:
        count = sum(count_findings(findings)[Severity.ERROR] for findings in failing)
        where = name_of(path) if len(checked) == 1 else f"{len(failing):,} of {len(checked):,} workflows"
        raise CommandFailed(
            REFUSED,
            f"{counted(count, 'error')} in {where}; what they name would not run or not open as it is",
        )


def print_findings(checked: Sequence[Checked], *, as_json: bool, known: References | None = None) -> None:
    """Print the findings of each workflow, as tables or as lines of JSON."""
    if as_json:
        _print_lines(checked)
    else:
        _print_tables(checked, known)


def _print_lines(checked: Iterable[Checked]) -> None:
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


def _print_tables(checked: Sequence[Checked], known: References | None) -> None:
    to_do: dict[str, str] = {}
    for raw, findings in checked:
        print_line(f"{_title(raw)}: {_summary(findings)}")
        if findings:
            rows = [(each.severity, each.rule_id, each.path, each.words.text) for each in findings]
            print_table(("SEVERITY", "RULE", "PATH", "PROBLEM"), rows, limit=_WORDS_LIMIT)
            print_line("")
        to_do |= {each.rule_id: each.what_to_do for each in findings}
    if to_do:
        print_table(("RULE", "WHAT TO DO"), to_do.items(), limit=_WORDS_LIMIT)
        print_line("")
    left_out = ", ".join(rule.id for rule in find_skipped_rules(known))
    print_line(f"Not looked for, since a file doesn't tell what the account has: {left_out}.")


def _title(raw: Mapping[str, Any]) -> str:
    names = [each for each in (raw.get("id"), raw.get("name")) if isinstance(each, str) and each]
    return " · ".join(names) or "A workflow without id and name"


def _summary(findings: Sequence[Finding]) -> str:
    listed = sum(each.rule_id != MORE for each in findings)
    summary = findings_summary(findings) or NOTHING_FOUND
    return summary + (f"; {listed:,} of them are listed" if listed < len(findings) else "")


_FIELDS = ("id", "name", "trigger", "parsedData", "data")


def workflows_of(path: str, to_do: str) -> Sequence[Mapping[str, Any]]:
    """Read all workflows of a file, at least one.

    Args:
        to_do: the verb for messages, as "check".
    """
    try:
        values = read_values(path)
    except Unreadable as error:
        raise CommandFailed(INPUT_WRONG, str(error)) from None
    if len(values) == 1:
        (only,) = values
        if isinstance(only, dict) and isinstance(only.get("result"), list) and not _is_workflow(only):
            only = only["result"]
        values = only if isinstance(only, list) else [only]
    if not values:
        raise CommandFailed(INPUT_WRONG, f"{name_of(path)} holds an empty list; there is nothing to {to_do}")
    for at, each in enumerate(values, start=1):
        if not _is_workflow(each):
            which = name_of(path) if len(values) == 1 else f"entry {at:,} of {name_of(path)}"
            wanted = ", ".join(_FIELDS)
            raise CommandFailed(
                INPUT_WRONG, f"{which} is no workflow: that is a JSON object with at least one of {wanted}"
            )
    return values


def _is_workflow(value: object) -> bool:
    return isinstance(value, dict) and any(value.get(name) is not None for name in _FIELDS)
